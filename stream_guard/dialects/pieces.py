"""`Pieces`: text that is received in pieces and read once, when it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MANY: Final = 4096
"""From this many pieces on, pieces are joined: a piece takes more memory than a few characters."""


class Pieces:
    """The pieces of a text that is read once, when it is complete."""

    __slots__ = ("_parts", "size")

    def __init__(self, parts: Iterable[str] = ()) -> None:
        self._parts = list(parts)
        self.size = sum(map(len, self._parts))
        """The number of characters."""

    def add(self, text: str) -> None:
        """Append a piece. Many pieces are joined; the threshold grows with the text, so the cost of joining stays linear."""
        parts = self._parts
        parts.append(text)
        self.size += len(text)
        if len(parts) > MANY and len(parts) > len(parts[0]) >> 3:
            self._parts = ["".join(parts)]

    def text(self, stop: int | None = None) -> str:
        """Return the text, or its first `stop` characters."""
        return "".join(self._parts)[:stop]

    def end(self, count: int) -> str:
        """Return the last `count` characters, or all if there are fewer."""
        found: list[str] = []
        for part in reversed(self._parts):
            found.append(part[-count:])
            count -= len(part)
            if count <= 0:
                break
        return "".join(reversed(found))

    def ends_line(self) -> bool:
        """Return whether the text ends with a line end, or with a line end followed by blanks."""
        for part in reversed(self._parts):
            solid = part.rstrip(" \t")
            if solid:
                return solid[-1] in "\r\n"
        return False
