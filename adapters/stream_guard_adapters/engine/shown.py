"""Puts blocks back into the text, for readers that do not know our events.

Rule 1: a block is put back whole, as it was written; or as it was fixed or corrected, if it is executable.
Rule 2: a text that repeats another shows its blocks as that one did.
"""

from __future__ import annotations

from typing import Final

from stream_guard import ToolBlock
from stream_guard.spi import Block

from .room import Room

_MOST: Final = 65_536
"""Limit: blocks of a stream that are recognised when a text is repeated."""


class Shown:
    """The text of each block of one stream, as its readers see it."""

    __slots__ = ("_last", "_room", "_seen", "_shows", "_texts")

    def __init__(self, room: Room, *, shows: bool) -> None:
        self._room: Final = room
        self._shows: Final = shows
        self._seen: set[int] = set()  # the marks of the blocks that texts had
        self._texts: dict[int, str] = {}  # by marks: what the text has in place of blocks that are not put back as written
        self._last = 0  # the mark of the block whose calls are being put back

    @property
    def all_known(self) -> bool:
        """Whether every block of the stream is recognised."""
        return len(self._seen) < _MOST

    def note_block(self, block: Block) -> None:
        """Note that a text has a block."""
        if self.all_known:
            self._seen.add(hash(block.raw))

    def has(self, block: Block) -> bool:
        """Return whether a text had this block."""
        return hash(block.raw) in self._seen

    def text_of(self, event: ToolBlock, *, promoted: bool) -> str:
        """Return what the text has in place of a block; for a block of several calls, in place of the event's call."""
        if not self._shows:
            return ""
        text = "" if promoted else as_text(event)
        if event.part == 1:
            self._last = hash(event.raw)
            if text == event.raw:
                self._texts.pop(self._last, None)
            elif not self._room.full:
                self._keep(text)
        elif self._last in self._texts:
            self._keep(self._texts[self._last] + text)
        return text

    def _keep(self, text: str) -> None:
        self._room.hold(len(text) - len(self._texts.get(self._last, "")))
        self._texts[self._last] = text

    def again(self, block: Block) -> str:
        """Return what a text that repeats another has in place of a block."""
        return self._texts.get(hash(block.raw), block.raw) if self._shows else ""


def as_text(event: ToolBlock) -> str:
    """Return a block as text: as it was written, or as it was fixed or corrected if it is executable."""
    if not (event.corrected and event.executable):
        return event.raw
    return event.content if event.part == 1 else f"\n{event.content}"
