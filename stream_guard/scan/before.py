"""`Before`: the lines before a place in prose or in a fence, of which one may be the path of a file.

A path counts in the line right before an opener. In a fence it is the first line, or stands in the line before the fence; and a
block without a path, with nothing but blanks before it, has that of the block before.
"""

from __future__ import annotations

from typing import Final

from ..dialects.files import BARE_PATH

KEPT: Final = 1024
"""So many characters before a place are looked at: more than a path has."""

_MOST: Final = 2 * KEPT
"""So many are kept: a part of an opener may have passed too."""


class Before:
    """What has passed since the last block, or since a fence opened."""

    __slots__ = ("_path", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._path: str | None = None  # of a block that follows with nothing but blanks before it

    def add(self, text: str) -> None:
        """Take prose that has passed."""
        self._text = (self._text + text[-_MOST:])[-_MOST:]

    def restart(self, path: str | None = None) -> None:
        """Begin anew, behind a block or the opener of a fence, with the path of a block that follows at once."""
        self._text, self._path = "", path

    def path(self, text: str, passed: int, *, fenced: bool) -> str | None:
        """Return the path of an opener; None if there is none.

        Args:
            text: What stands between what has passed and the opener.
            passed: How many characters have passed from the opener on.
            fenced: Whether the opener stands in a fence.
        """
        if passed >= KEPT:
            return None
        lines = (self._text[: len(self._text) - passed] + text)[-KEPT:].splitlines()
        solid = [line for line in lines if line.strip()]
        if not solid:
            return self._path
        known = lines[-1] == solid[-1] and (len(solid) == 1 or not fenced) and BARE_PATH.fullmatch(lines[-1])
        return lines[-1] if known else None
