"""`Thoughts`: puts together the reasoning of a reply, which its API wants back unchanged with the calls after it.

Rule: reasoning without an end does not count. Reasoning is never changed: a provider signs or encrypts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from stream_guard.spi import Thought

from ..protocols import Event, Lane, Protocol


class Thoughts:
    """The reasoning of one stream, while it comes."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[Lane, dict[str, Any]] = {}

    def feed(self, event: Event, table: Protocol) -> Iterator[Thought]:
        """Take an event that leaves; yield the reasoning that ends with it."""
        if not table.thinks:
            return
        for piece in table.thinking(event):
            if piece.block is not None:
                self._open[piece.lane] = _plain(piece.block)
            block = self._open.get(piece.lane)
            if block is None:
                continue
            if piece.text:
                block["thinking"] = block.get("thinking", "") + piece.text
            if piece.signature is not None:
                block["signature"] = piece.signature
            if piece.ended:
                del self._open[piece.lane]
                yield Thought(table.thinks, block)


def _plain(node: Any) -> dict[str, Any]:
    """Return a part of an event as JSON that no other object shares."""
    plain: dict[str, Any] = (
        node.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
        if hasattr(node, "model_dump")
        else deepcopy(dict(node))
    )
    return plain
