"""Text that came and has not left.

Places are counted over all text that was ever put in; only their differences mean anything. What is taken out whole is the very
object that was put in.

Rule: text is copied when a part of a piece is wanted, and joined when a block is; never for keeping.
"""

from __future__ import annotations

from typing import Final

MANY: Final = 4096
"""From this many pieces on they are joined now and then: a list entry costs more than a character."""


class Buffer:
    """A queue of pieces of text, read by place."""

    __slots__ = ("_parts", "_size", "_skip", "start")

    def __init__(self) -> None:
        self.start = 0
        """The place of the first character that is still here."""
        self._parts: list[str] = []
        self._skip = 0  # how much of the first piece has left already
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def end(self) -> int:
        """The place after the last character."""
        return self.start + self._size

    def push(self, text: str) -> int:
        """Put a piece in; returns its place."""
        place = self.start + self._size
        self._parts.append(text)
        self._size += len(text)
        return place

    def take(self, place: int) -> list[str]:
        """Take everything before a place out."""
        parts, skip, count = self._parts, self._skip, place - self.start
        self.start = place
        self._size -= count
        taken: list[str] = []
        for index, part in enumerate(parts):
            left = len(part) - skip
            if left > count:
                if count:
                    taken.append(part[skip : skip + count])
                self._skip = skip + count
                del parts[:index]
                return taken
            taken.append(part[skip:] if skip else part)
            count -= left
            skip = 0
        self._skip = 0
        parts.clear()
        return taken

    def compact(self) -> None:
        """Join the pieces if there are many, and seldom enough that joining stays cheap."""
        if len(self._parts) > max(MANY, len(self._parts[0]) >> 3):
            self._parts = ["".join(self._parts)[self._skip :]]
            self._skip = 0

    def slice(self, start: int, stop: int) -> str:
        """The text between two places; quick when they are near the end."""
        found: list[str] = []
        end = self.end
        for part in reversed(self._parts):
            if end <= start:
                break
            begin = end - len(part)
            if begin < stop:
                found.append(part[max(start - begin, 0) : stop - begin])
            end = begin
        return "".join(reversed(found))

    def beginning(self, place: int, count: int) -> str:
        """So many characters from a place on; quick when they are near the beginning."""
        found: list[str] = []
        at, stop = self.start - self._skip, place + count
        for part in self._parts:
            if at >= stop:
                break
            found.append(part[max(place - at, 0) : stop - at])
            at += len(part)
        return "".join(found)
