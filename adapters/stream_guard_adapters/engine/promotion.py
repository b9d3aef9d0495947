"""Promotion: calls written as text are sent as native calls too, for clients that read only those.

Rule 1: only an executable block is promoted, once, under the next free number of its message; and only where a native call
would be sent on: the message has ended, and was not cut off.
Rule 2: native calls come after the text. A promoted call leaves right before the event that ends its text, or its stream.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, Final

from stream_guard import StreamEnd, ToolBlock

from ..protocols import EVERY, Called, Event, Lane, Protocol
from .native_calls import Calls, arguments_of
from .room import Room

log: Final = logging.getLogger("stream_guard")


class Promotion:
    """The calls of one stream that wait to be sent as native calls."""

    __slots__ = ("_calls", "_likes", "_native", "_next", "_protocol", "_room", "groups")

    def __init__(self, protocol: Protocol, room: Room, native: Calls | None) -> None:
        self._protocol: Final = protocol
        self._room: Final = room
        self._native: Final = native
        self._calls: dict[Lane, list[ToolBlock]] = {}
        self._likes: dict[Lane, Event] = {}
        self._next: dict[Lane, int] = {}  # the next free number: of each choice, or of the message
        self.groups: set[Lane] = set()
        """The choices, or the message, that have promoted calls."""

    def takes(self, lane: Lane, like: Event | None, block: ToolBlock) -> bool:
        """Keep a block for promotion, if it may run; return whether it was kept.

        `like` is None where the last event of its text was too long to keep.
        """
        if not block.executable:
            return False
        if like is None or self._room.full:
            log.warning("a call in a text is not sent as a native call: the stream holds more than max_held")
            return False
        self._room.hold(len(block.content))
        self._calls.setdefault(lane, []).append(block)
        self._likes[lane] = like
        return True

    def passing(self, event: Event) -> Iterator[Event]:
        """Yield the calls that have to leave before an event, and then the event."""
        self._count(event)
        for ended, why in self._protocol.ends(event):
            calls = self._called(ended, why) if why is not None else []
            for call in calls:
                yield from self._protocol.promote(event, call)
            event = self._protocol.promoted(event, calls) if calls else event
        yield event

    def end(self, cause: StreamEnd) -> Iterator[Event]:
        """Yield the calls of texts that no event has ended, at the end of the stream."""
        for lane in list(self._calls):
            like = self._likes[lane]
            for call in self._called(lane, cause):
                yield from self._protocol.promote(like, call)

    def _called(self, ended: Lane, why: StreamEnd) -> list[Called]:
        """Return the calls of a text that has ended, to be sent; none where its message was cut off or failed."""
        lanes = list(self._calls) if ended == EVERY else [ended]
        found: list[Called] = []
        for lane in lanes:
            for block in self._calls.pop(lane, ()):
                self._room.hold(-len(block.content))
                if why not in ("stop", "unknown"):
                    continue
                group = self._protocol.numbering(lane)
                self.groups.add(group)
                number = self._next.get(group, 0)
                self._next[group] = number + 1
                if self._native is not None:
                    self._native.reserve(group, number)
                found.append(Called(lane, number, block.call_id, block.tool or "", arguments_of(block)))
        return found

    def _count(self, event: Event) -> None:
        """Note the numbers that an event takes."""
        place = self._protocol.place(event)
        taken: list[tuple[Lane, Any]] = [((), place)] if place is not None else []
        taken += [(piece.call[:-1], piece.call[-1]) for piece in self._protocol.calls(event)]
        for group, number in taken:
            if isinstance(number, int):
                self._next[group] = max(self._next.get(group, 0), number + 1)
