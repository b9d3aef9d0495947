"""`SearchReplace`: lines of a file, and the lines that replace them.

    src/a.py
    <<<<<<< SEARCH
    old
    =======
    new
    >>>>>>> REPLACE

The path is in the line before the opener. Between the markers, lines are raw. A line that looks like a marker where no marker
is due makes the body uncertain.
"""

from __future__ import annotations

import re
from typing import Final

from ..call import RawCall, Value
from ..pieces import Pieces
from .lines import Lines


class SearchReplace(Lines):
    """Reads the text after `<<<<<<< SEARCH`, up to the line `>>>>>>> REPLACE`."""

    def __init__(self, path: str) -> None:
        """Read a body. `path` is the path of the file, which was in the line before the opener."""
        super().__init__()
        self.name, self.path = "edit_file", path
        self._text = Pieces()
        self._into = (self._text,)
        self._search: str | None = None  # the lines that are searched for, once they are complete
        self._line: list[str] = []  # a line that may be a marker
        self._line_size = 0
        self._raw_ends[_CLOSER] = None

    def _line_start(self, text: str, at: int) -> int:
        self._line, self._line_size = [], 0
        self._state = self._in_marker if text[at] in "<=>-+" else self._in_line
        return at

    def _in_marker(self, text: str, at: int) -> int:
        """Read a line that may become a marker, to its end or until it is longer than any marker."""
        stop = text.find("\n", at)
        end = stop if stop >= 0 else len(text)
        room = _LONGEST_LINE - self._line_size
        if end - at >= room:
            end, stop = at + room, -1
        self._line.append(text[at:end])
        self._line_size += end - at
        if stop >= 0 or self._line_size == _LONGEST_LINE:
            self._take_line("".join(self._line), self._origin + end)
        return end

    def _take_line(self, line: str, end: int) -> None:
        """Take a line without its line end, or the beginning of a long line: as a marker, or as text."""
        marker = _MARKER.fullmatch(line)
        self._state = self._in_line
        if marker is not None and marker.lastgroup == "divider" and self._search is None:
            self._search, self._text = self._text.text(), Pieces()
            self._into = (self._text,)
            self._state = self._opener_end
        elif marker is not None and marker.lastgroup == "end" and self._search is not None:
            self._end_at(end, complete=True)
        else:
            self.uncertain = self.uncertain or marker is not None or _LIKE_MARKER.match(line) is not None
            self._text.add(line)

    def _cut_off(self) -> None:
        if self._state == self._in_marker:
            self._take_line("".join(self._line), self._taken)

    def _calls_read(self) -> list[RawCall]:
        text = self._text.text()
        found = (("path", self.path or ""), ("search", text if self._search is None else self._search))
        replaced = () if self._search is None else (("replace", text),)
        return [
            RawCall(self.name, tuple((key, Value(text, "text")) for key, text in (*found, *replaced)), closed=self.complete)
        ]


_CLOSER: Final = ">>>>> REPLACE"
"""The end of the shortest closer. Every closer ends with it."""

_LONGEST_LINE: Final = 32
"""The greatest length of a marker, with the blanks after it."""

_MARKER: Final = re.compile(r"(?:(?P<begin><{5,9} SEARCH)|(?P<divider>={5,9})|(?P<end>>{5,9} REPLACE))[ \t\r]*+")
_LIKE_MARKER: Final = re.compile(r"<{4}|>{4}|={4,}[ \t\r]*\Z|[-+]{5,} (?:SEARCH|REPLACE)")
"""Matches a line that may be a damaged marker, or a marker of a merge conflict or of a similar form."""
