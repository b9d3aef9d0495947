"""`Buffer`: a queue of the text that was received and not yet passed on.

A place is an offset in all the text that was ever pushed. A piece that is taken out whole is the same object that was pushed.

Rule: text is copied when a part of a piece is taken, and joined when a block is; never to store it.
"""

from __future__ import annotations

from typing import Final

MANY: Final = 4096
"""From this many pieces on, `compact` joins them: a list entry takes more memory than a character."""


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
        """Return the place after the last character."""
        return self.start + self._size

    def push(self, text: str) -> int:
        """Append a piece; returns its place."""
        place = self.start + self._size
        self._parts.append(text)
        self._size += len(text)
        return place

    def extend(self, pieces: list[str], size: int) -> None:
        """Note that pieces of this total size were appended."""
        self._parts += pieces
        self._size += size

    def take(self, place: int) -> list[str]:
        """Remove everything before a place, and return it in pieces."""
        parts, skip, count = self._parts, self._skip, place - self.start
        self.start = place
        self._size -= count
        if not count and self._size:
            return []
        taken: list[str] = []
        for index, part in enumerate(parts):
            left = len(part) - skip
            if left > count:
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
        """Join the pieces if there are many. The threshold grows with the text, so that joining stays linear."""
        if len(self._parts) > max(MANY, len(self._parts[0]) >> 3):
            self._parts = ["".join(self._parts)[self._skip :]]
            self._skip = 0

    def slice(self, start: int, stop: int) -> str:
        """Return the text between two places. This is fast when they are near the end of the buffer."""
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
        """Return `count` characters from a place on. This is fast when the place is near the beginning of the buffer."""
        found: list[str] = []
        at, stop = self.start - self._skip, place + count
        for part in self._parts:
            if at >= stop:
                break
            found.append(part[max(place - at, 0) : stop - at])
            at += len(part)
        return "".join(found)
