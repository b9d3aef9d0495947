"""Promotion: calls written as text are sent as native calls too, for clients that read only those.

Rule 1: only an executable block of a tool that the client has is promoted, once, under the next free number of its message. It
is promoted only where a native call would be sent on: the message has ended, and was not cut off.
Rule 2: native calls come after the text. A promoted call leaves right before the event that ends its text, or its stream.
Rule 3: a block leaves as a native call or as text, never as both. If its message was cut off, it leaves as text where its call
would have left: at the end of its text if that is open, else as a text of its own. After the part of the text that has left,
it begins on a new line.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

from stream_guard import StreamEnd, ToolBlock

from ..protocols import EVERY, AddedText, Called, Event, Lane, Protocol
from .call_outcomes import arguments_of
from .capacity import Capacity
from .native_calls import Calls
from .settings import OneOf

log: Final = logging.getLogger("stream_guard")


@dataclass(slots=True)
class _Written:
    """The blocks of one text that wait for the end of their message."""

    like: Event
    """The last event with text before the last block."""

    blocks: list[ToolBlock]

    text: str = ""
    """What the text has in place of the blocks if they are not promoted."""

    broken: bool = False
    """Whether the text that left after the blocks ends within a line."""

    ended: bool = False
    """Whether an event has ended the text of the blocks, but not their message."""

    def add(self, like: Event, block: ToolBlock, text: str) -> None:
        """Add a block that leaves after all others."""
        self.like = like
        self.blocks.append(block)
        self.text = _on_lines(self.text, text)

    def passed(self, text: str) -> None:
        """Note that more of the text with these blocks has left."""
        self.broken = not text.endswith("\n")

    @property
    def held(self) -> int:
        """How many characters of these blocks are held."""
        return len(self.text) + sum(len(block.content) for block in self.blocks)


def _on_lines(before: str, text: str) -> str:
    """Return one text followed by another, which begins on a line of its own."""
    return f"{before}\n{text}" if before and text and not before.endswith("\n") else before + text


class Promotion:
    """The calls of one stream that wait to be sent as native calls."""

    __slots__ = ("_alone", "_capacity", "_native", "_next", "_promotable", "_protocol", "_sent", "_written", "groups", "told")

    def __init__(
        self, protocol: Protocol, capacity: Capacity, native: Calls, promotable: Collection[str] | None = None
    ) -> None:
        self._protocol: Final = protocol
        self._capacity: Final = capacity
        self._native: Final = native
        self._promotable: Final = promotable  # the tools whose calls may be; None for all
        self._alone: Final = isinstance(promotable, OneOf)  # whether a message may have one call and no more
        self._written: dict[Lane, _Written] = {}
        self._next: dict[Lane, int] = {}  # the next free number: of each choice, or of the message
        self._sent: dict[Lane, list[Called]] = {}  # the promoted calls, by the lanes of their texts
        self.groups: set[Lane] = set()
        """The choices, or the message, that have promoted calls."""
        self.told: Event | None = None
        """The last event that was sent with blocks as text instead of promoted calls."""

    def takes(self, lane: Lane, like: Event | None, block: ToolBlock, text: str) -> bool:
        """Keep a block for promotion if it may run; return whether it was kept.

        Args:
            lane: The lane of its text.
            like: The last event of that text; None where it was too long to keep.
            block: The block.
            text: What the text has in its place if the block is not promoted.
        """
        if self._promotable is not None and block.tool not in self._promotable:
            return False
        if not block.executable or (like is not None and not self._protocol.can_call(like, lane)):
            return False
        if like is None or self._capacity.full:
            log.warning("a call in a text is not sent as a native call: the stream holds more than max_held")
            return False
        if self._alone and self._has_call(self._protocol.numbering(lane)):
            return False
        written = self._written.setdefault(lane, _Written(like, []))
        self._capacity.hold(-written.held)
        written.add(like, block, text)
        self._capacity.hold(written.held)
        return True

    def awaits(self, lane: Lane) -> bool:
        """Return whether blocks of a text wait, so that more of this text has to be noted."""
        return lane in self._written

    def _has_call(self, group: Lane) -> bool:
        """Return whether a choice, or the message, has a call, or a block that waits to be one."""
        waits = any(self._protocol.numbering(lane) == group for lane in self._written)
        return waits or self._native.groups.has_sent(group)

    def passing(self, event: Event) -> Iterator[Event]:
        """Yield what has to leave before an event, and then the event."""
        self.note(event)
        new: set[Lane] = set()  # the lanes whose first calls leave before this event
        for ended, why in self._protocol.ends(event):
            again = list(self._sent) if ended == EVERY else [ended] if ended in self._sent else []
            for lane in again if why in ("stop", "unknown") else ():  # a reason may come more than once
                if lane not in new:
                    event = self._protocol.promoted(event, self._sent[lane])
            for lane in list(self._written) if ended == EVERY else [ended]:
                if why is not None:
                    new.update([lane] if lane not in self._sent else [])
                    event = yield from self._leaving(lane, why, event)
                elif lane in self._written:
                    self._written[lane].ended = True
        yield event

    def end(self, cause: StreamEnd) -> Iterator[Event]:
        """Yield the calls of texts that no event has ended, at the end of the stream."""
        for lane, written in list(self._written.items()):
            yield from self._leaving(lane, cause, written.like)

    def _leaving(self, lane: Lane, why: StreamEnd, event: Event) -> Generator[Event, None, Event]:
        """Yield the calls of a text whose message has ended; if the message was cut off or failed, yield their text instead.

        Returns the event that ends the text, changed if it repeats the text or has to say that there are calls.
        """
        written = self._written.pop(lane, None)
        if written is None:
            return event
        self._capacity.hold(-written.held)
        made = self._made(lane, written, event) if why in ("stop", "unknown") else None
        if made is not None:
            yield from made[0]
            return made[1]
        if not written.text:
            return event
        text = f"\n{written.text}" if written.broken else written.text
        if not written.ended:
            self.told = self._protocol.piece(written.like, lane, text, first=False, last=False)
            yield self.told
            return event
        told = AddedText(lane, self._number(self._protocol.numbering(lane)), f"text_{written.blocks[0].call_id}", text)
        for made in self._protocol.tell(event, told):
            self.told = made if self._protocol.texts(made) else self.told
            yield made
        return self._protocol.told(event, told)

    def _made(self, lane: Lane, written: _Written, event: Event) -> tuple[list[Event], Event] | None:
        """Return the events of the calls of a text, and the event that ends it. None if that fails: then their text is sent."""
        if self._alone and self._native.groups.has_sent(self._protocol.numbering(lane)):
            return None
        try:
            calls = [self._called(lane, block) for block in written.blocks]
            made = [one for call in calls for one in self._protocol.promote(event, call)]
            ended = self._protocol.promoted(event, calls)
        except Exception as error:  # promise P9
            log.error("the guard failed to send a call as a native call: %s; it leaves as text", type(error).__name__)
            self._capacity.note("guard error")
            return None
        group = self._protocol.numbering(lane)
        self.groups.add(group)
        self._native.groups.note_sent(group)
        self._sent.setdefault(lane, []).extend(calls)
        return made, ended

    def _called(self, lane: Lane, block: ToolBlock) -> Called:
        """Return a block as a call with a number of its own."""
        group = self._protocol.numbering(lane)
        number = self._number(group)
        self._native.reserve(group, number)
        return Called(lane, number, block.call_id, block.tool or "", arguments_of(block))

    def _number(self, group: Lane) -> int:
        """Take the next free number of a choice, or of the message, and return it."""
        number = self._next.get(group, 0)
        self._next[group] = number + 1
        return number

    def note(self, event: Event) -> None:
        """Note the numbers that an event uses, and which texts it continues."""
        for lane, text in self._protocol.texts(event) if self._written else ():
            if lane in self._written:
                self._written[lane].passed(text)
        place = self._protocol.place(event)
        taken: list[tuple[Lane, Any]] = [((), place)] if place is not None else []
        taken += [(piece.call[:-1], piece.call[-1]) for piece in self._protocol.calls(event)]
        for group, number in taken:
            if isinstance(number, int):
                self._next[group] = max(self._next.get(group, 0), number + 1)
