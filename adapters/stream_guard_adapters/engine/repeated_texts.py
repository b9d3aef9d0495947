"""`RepeatedTexts`: the texts of a stream that repeat other texts of it, with their blocks as those left.

    an event that repeats whole texts -> echoed -> the event as it leaves
    the pieces of a lane that repeats another -> shown -> text

Rule: whoever reads a repeated text reads what the deltas had. A block that no text had is counted, and reported.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

from stream_guard import Guard
from stream_guard.spi import SHORT, Aside, Closed, Scanned

from ..protocols import Event, Lane, Protocol
from .capacity import Capacity
from .shown import Shown


class _TooLongError(Exception):
    """Raised for a text that takes long to scan."""


class RepeatedTexts:
    """The repeated texts of one stream."""

    __slots__ = ("_capacity", "_guard", "_had", "_shown", "_unseen")

    def __init__(self, guard: Guard, shown: Shown, capacity: Capacity) -> None:
        self._guard = guard
        self._shown = shown
        self._capacity = capacity
        self._had: dict[Lane, dict[int, int]] = {}  # by lanes that repeat: how often each block came in one
        self._unseen = 0  # blocks of repeated texts that no text had, not reported yet

    def shown(self, lane: Lane, scanned: Sequence[Scanned]) -> list[str]:
        """Return what the scanner reports on a lane that repeats another, as the text that was sent for it."""
        pieces = [piece for piece in self._pieces(scanned, self._had.setdefault(lane, {})) if piece]
        self._report_unseen()
        return pieces

    def echoed(self, event: Event, protocol: Protocol) -> Generator[Aside[Any], None, Event]:
        """Return an event with each whole text that it repeats as that was sent. Work that takes long is yielded first."""
        try:
            event = protocol.echo(event, self._short)
        except _TooLongError:
            self._unseen = 0  # they are counted again
            event = yield from Aside(partial(protocol.echo, event, self._visible)).hand_out()
        self._report_unseen()
        return event

    def _visible(self, text: str) -> str:
        """Return a whole text in the form that the guarded deltas had, in whatever dialect its calls are."""
        session = self._guard.session(quiet=True)
        made = "".join(self._pieces([*session.scan_long(text), *session.scan_end()], {}))
        return text if made == text else made

    def _short(self, text: str) -> str:
        """Return `_visible(text)`. Raises _TooLongError if that takes long."""
        if len(text) > SHORT:
            raise _TooLongError
        return self._visible(text)

    def _pieces(self, scanned: Sequence[Scanned], had: dict[int, int]) -> list[str]:
        """Return the pieces of a repeated text as they were sent. Blocks that no text had are counted.

        `had` counts the blocks that the repeated text had before, by their marks.
        """
        if self._shown.all_known:
            self._unseen += sum(isinstance(item, Closed) and not self._shown.has(item.block) for item in scanned)
        return [
            self._shown.again(item.block, had) if isinstance(item, Closed) else item
            for item in scanned
            if isinstance(item, str | Closed)
        ]

    def _report_unseen(self) -> None:
        for _ in range(self._unseen):
            self._capacity.note("unseen block")
        self._unseen = 0
