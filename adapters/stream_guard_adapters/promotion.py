"""Fenced calls told again as native ones, for clients that know only those.

Rule 1: only what may be executed is promoted, once, and under the number that is next in its message.
Rule 2: native calls stand behind the text. So a promoted one leaves right before the event that ends its text, or its stream.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from stream_guard import Pending, StreamEnd, ToolBlock

from .calls import arguments_of
from .protocols import EVERY, Called, Event, Lane, Protocol
from .room import Room

log: Final = logging.getLogger("stream_guard")


class Promotion:
    """The calls of one stream that are yet to be told as native ones."""

    __slots__ = ("_calls", "_likes", "_next", "_protocol", "_room")

    def __init__(self, protocol: Protocol, room: Room) -> None:
        self._protocol: Final = protocol
        self._room: Final = room
        self._calls: dict[Lane, list[ToolBlock]] = {}
        self._likes: dict[Lane, Event] = {}
        self._next: dict[Lane, int] = {}  # the next free number: of each choice, or of the message

    def note(self, lane: Lane, like: Event | None, block: ToolBlock) -> tuple[()]:
        """A block of a text has come to its end. Its last event is missing where that was too long to be kept."""
        if block.executable and (like is None or self._room.full):
            log.warning("too much is held of a stream: a call in its text is not told as a native one")
        elif block.executable:
            self._room.held += len(block.content)
            self._calls.setdefault(lane, []).append(block)
            self._likes[lane] = like
        return ()

    def wait(self, lane: Lane, like: Event | None, pending: Pending) -> None:
        """A block of a text is being corrected, and nothing overtakes it."""
        pending.follow = partial(self.note, lane, like)

    def passing(self, event: Event) -> Iterator[Event]:
        """An event that leaves, behind the calls that have to leave before it."""
        self._count(event)
        for ended, why in self._protocol.ends(event):
            if why is not None and why != "error":
                calls = self._called(ended)
                for call in calls:
                    yield from self._protocol.promote(event, call)
                event = self._protocol.promoted(event, calls) if calls else event
        yield event

    def end(self, cause: StreamEnd) -> Iterator[Event]:
        """The stream is over, and nobody said so."""
        if cause != "error":
            for lane in list(self._calls):
                like = self._likes[lane]
                for call in self._called(lane):
                    yield from self._protocol.promote(like, call)

    def _called(self, ended: Lane) -> list[Called]:
        lanes = list(self._calls) if ended == EVERY else [ended]
        found: list[Called] = []
        for lane in lanes:
            for block in self._calls.pop(lane, ()):
                self._room.held -= len(block.content)
                group = self._protocol.numbering(lane)
                number = self._next.get(group, 0)
                self._next[group] = number + 1
                name = f"call_{block.id}_{block.part}".replace(".", "-")
                found.append(Called(lane, number, name, block.tool or "", arguments_of(block)))
        return found

    def _count(self, event: Event) -> None:
        """Which numbers are taken."""
        place = self._protocol.place(event)
        taken: list[tuple[Lane, Any]] = [((), place)] if place is not None else []
        taken += [(piece.call[:-1], piece.call[-1]) for piece in self._protocol.calls(event)]
        for group, number in taken:
            if isinstance(number, int):
                self._next[group] = max(self._next.get(group, 0), number + 1)
