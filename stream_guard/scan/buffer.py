"""`Buffer`: a queue of the text that was received and not yet passed on.

A place is an offset in all the text that was ever pushed. A piece that is taken out whole is the same object that was pushed.

Rule: text is copied when a part of a piece is taken, and joined when a block is; never to store it.
"""

from __future__ import annotations

from typing import Final

MANY: Final = 4096
"""From this many pieces on, `compact` joins them: a list entry takes more memory than a character."""


class Buffer:
    """A queue of pieces of text. Characters are addressed by place."""

    __slots__ = ("_skip", "end", "parts", "start")

    def __init__(self) -> None:
        self.start = 0
        """The place of the first character that is still in the queue."""
        self.end = 0
        """The place after the last character."""
        self.parts: list[str] = []
        """The pieces. Only the buffer changes them."""
        self._skip = 0  # how many characters of the first piece have left

    def push(self, text: str) -> int:
        """Append a piece, and return the place of its first character."""
        place = self.end
        self.parts.append(text)
        self.end = place + len(text)
        return place

    def extend(self, pieces: list[str], size: int) -> None:
        """Append pieces of this total size."""
        self.parts += pieces
        self.end += size

    def take(self, place: int) -> list[str]:
        """Remove the text before a place, and return it in pieces."""
        parts, skip, count = self.parts, self._skip, place - self.start
        self.start = place
        if place >= self.end:
            self.parts, self._skip = [], 0
            if skip:
                parts[0] = parts[0][skip:]
            return parts
        if not count:
            return []
        if skip + count < len(parts[0]):
            self._skip = skip + count
            return [parts[0][skip : skip + count]]
        taken: list[str] = []
        index, left = 0, len(parts[0]) - skip
        while left <= count:
            taken.append(parts[index][skip:] if skip else parts[index])
            count -= left
            index, skip = index + 1, 0
            left = len(parts[index])
        taken.append(parts[index][skip : skip + count])
        self._skip = skip + count
        del parts[:index]
        return taken

    def compact(self) -> None:
        """Join the pieces if there are many. The threshold grows with the size of the text, so that joining stays linear."""
        if len(self.parts) > max(MANY, len(self.parts[0]) >> 3):
            self.parts = ["".join(self.parts)[self._skip :]]
            self._skip = 0

    def slice(self, start: int, stop: int) -> str:
        """Return the text between two places. This is fast near the end of the buffer."""
        end = self.end
        if self.parts:
            begin = end - len(self.parts[-1])
            if begin <= start <= stop:
                return self.parts[-1][start - begin : stop - begin]
        found: list[str] = []
        for part in reversed(self.parts):
            if end <= start:
                break
            begin = end - len(part)
            if begin < stop:
                found.append(part[max(start - begin, 0) : stop - begin])
            end = begin
        return "".join(reversed(found))

    def beginning(self, place: int, count: int) -> str:
        """Return `count` characters from a place on. This is fast near the beginning of the buffer."""
        found: list[str] = []
        at, stop = self.start - self._skip, place + count
        for part in self.parts:
            if at >= stop:
                break
            found.append(part[max(place - at, 0) : stop - at])
            at += len(part)
        return "".join(found)
