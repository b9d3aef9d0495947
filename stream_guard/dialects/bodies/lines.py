"""`Lines`: the common part of the cursors of bodies that are lines of files, each after a sign or between markers."""

from __future__ import annotations

import re
from typing import Final

from ..body import Body
from ..pieces import Pieces

LONGEST_PATH: Final = 1024
"""The longest path of a file."""

_PATH: Final = re.compile(r"[^\s\0-\x1f\x7f](?:[^\r\n\0-\x1f\x7f]*[^\s\0-\x1f\x7f])?")


def is_path(text: str) -> bool:
    """Return whether a text may be the path of a file: one line, and no blanks around it."""
    return len(text) <= LONGEST_PATH and _PATH.fullmatch(text) is not None


class Lines(Body):
    """Reads a body line by line. Only a line that may be a marker is kept until it is whole."""

    def __init__(self) -> None:
        super().__init__(self._opener_end, path_field=None)
        self._into: tuple[Pieces, ...] = ()
        """The texts to which the current line is added."""

    def _opener_end(self, text: str, at: int) -> int:
        """Read the end of a marker's line, where only blanks are allowed; returns the place after it."""
        if text[at] not in " \t\r\n":
            self._break("structure", self._origin + at)
            return at
        if text[at] == "\n":
            self._state = self._line_start
        return at + 1

    def _line_start(self, text: str, at: int) -> int:
        raise NotImplementedError

    def _in_line(self, text: str, at: int) -> int:
        """Add the rest of a line to the texts in `_into`; returns the place after it."""
        stop = text.find("\n", at) + 1
        piece = text[at : stop or len(text)]
        for pieces in self._into:
            pieces.add(piece)
        if stop:
            self._state = self._line_start
        return stop or len(text)
