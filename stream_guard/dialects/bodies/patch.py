"""`Patch` and `SearchReplace`: changes of files, written as lines.

    *** Begin Patch                         <<<<<<< SEARCH
    *** Update File: src/a.py               old
    @@ def f():                             =======
    -    old                                new
    +    new                                >>>>>>> REPLACE
    *** End Patch

In a patch, every line of a file has a sign before it, so none can be taken for a marker. Between the markers of a search, lines
are raw: a marker where none is due makes the body uncertain.
"""

from __future__ import annotations

import re
from typing import Final

from ..body import Body
from ..call import RawCall, Value
from ..marks import marks
from ..pieces import Pieces


class Lines(Body):
    """Reads a body line by line. Only a line that may be a marker is kept until it is whole."""

    def __init__(self, *, path_field: str | None = None) -> None:
        super().__init__(self._line_start, path_field=path_field)
        self._lines = Pieces()

    def _line_start(self, text: str, at: int) -> int:
        raise NotImplementedError

    def _in_line(self, text: str, at: int) -> int:
        """Pass on the rest of a line."""
        stop = text.find("\n", at) + 1
        self._lines.add(text[at : stop or len(text)])
        if stop:
            self._state = self._line_start
        return stop or len(text)


class Patch(Lines):
    """Reads a patch, behind `*** Begin Patch`, up to the line `*** End Patch`. The whole patch is one argument."""

    def __init__(self, *, name: str = "apply_patch", field: str = "patch") -> None:
        """Read a body.

        Args:
            name: The tool that takes patches.
            field: The field that holds the patch.
        """
        super().__init__()
        self.name = name
        self._field: Final = field
        self._state = self._opener_end
        self._path: list[str] = []
        self._patch_end = 0

    def _opener_end(self, text: str, at: int) -> int:
        """Read the end of the opener's line."""
        if text[at] not in " \t\r\n":
            self._break("structure", self._origin + at)
            return at
        self._lines.add(text[at])
        if text[at] == "\n":
            self._state = self._line_start
        return at + 1

    def _line_start(self, text: str, at: int) -> int:
        mark = _PATCH_MARKS.at(text, at)
        if mark is None and _PATCH_MARKS.begun(text, at):
            return at
        if mark is None and text[at] not in _SIGNS:
            self.uncertain = True
        self._state = self._in_line
        if mark == _PATCH_END:
            self._lines.add(mark)
            self._patch_end = self._origin + at + len(mark)
            self._state = self._behind_end
            return at + len(mark)
        if mark in _FILES and self.path is None and not self._path:
            self._lines.add(mark)
            self._state = self._in_path
            return at + len(mark)
        return at

    def _in_path(self, text: str, at: int) -> int:
        stop = text.find("\n", at)
        end = stop if stop >= 0 else len(text)
        self._path.append(text[at:end])
        self._lines.add(text[at:end])
        if stop >= 0:
            self.path = "".join(self._path).strip()
            self._state = self._in_line
        return end

    def _behind_end(self, text: str, at: int) -> int:
        """See whether the line ends behind its marker."""
        if text[at] in " \t\r":
            self._lines.add(text[at])
            return at + 1
        if text[at] == "\n":
            self._end_at(self._patch_end, complete=True)
        else:
            self.uncertain = True
            self._state = self._in_line
        return at

    def _cut_off(self) -> None:
        if self._state == self._behind_end:
            self._end_at(self._patch_end, complete=True)

    def _calls_read(self) -> list[RawCall]:
        text = _PATCH_BEGIN + self._lines.text().rstrip(" \t\r" if self.done else "")
        return [RawCall(self.name, ((self._field, Value(text, "text")),), closed=self.complete)]


class SearchReplace(Lines):
    """Reads what stands behind the line `<<<<<<< SEARCH`, up to the line `>>>>>>> REPLACE`."""

    def __init__(self, path: str, *, name: str = "edit", fields: tuple[str, str, str] = ("path", "search", "replace")) -> None:
        """Read a body.

        Args:
            path: The file, which stands before the opener.
            name: The tool that takes the change.
            fields: The fields that hold the path, the text that is searched for and the one that replaces it.
        """
        super().__init__()
        self.name, self.path = name, path
        self._fields: Final = fields
        self._search: str | None = None  # the lines that are searched for, once they are complete
        self._line: list[str] = []  # a line that may be a marker
        self._line_size = 0
        self._state = self._opener_end

    def _opener_end(self, text: str, at: int) -> int:
        """Read the end of the line with the opener, or the divider."""
        if text[at] not in " \t\r\n":
            self._break("structure", self._origin + at)
            return at
        if text[at] == "\n":
            self._state = self._line_start
        return at + 1

    def _line_start(self, text: str, at: int) -> int:
        self._line, self._line_size = [], 0
        self._state = self._in_marker if text[at] in "<=>-+" else self._in_line
        return at

    def _in_marker(self, text: str, at: int) -> int:
        """Read a line that may be a marker, as long as it may be one."""
        stop = text.find("\n", at)
        end = stop if stop >= 0 else len(text)
        self._line.append(text[at:end])
        self._line_size += end - at
        if stop >= 0 or self._line_size > _LONGEST_LINE:
            self._take_line("".join(self._line), self._origin + end)
        return end

    def _take_line(self, line: str, end: int) -> None:
        """Take a line, without its line end: a marker, or a line of text."""
        marker = _MARKER.fullmatch(line)
        self._state = self._in_line
        if marker is None:
            self._lines.add(line)
        elif marker.lastgroup == "divider" and self._search is None:
            self._search, self._lines = self._lines.text(), Pieces()
            self._state = self._opener_end
        elif marker.lastgroup == "end" and self._search is not None:
            self._end_at(end, complete=True)
        else:
            self.uncertain = True  # it is text, or the marker before it was
            self._lines.add(line)

    def _cut_off(self) -> None:
        if self._state == self._in_marker:
            self._take_line("".join(self._line), self._taken)

    def _calls_read(self) -> list[RawCall]:
        text = self._lines.text()
        search, replace = (text, None) if self._search is None else (self._search, text)
        texts = [self.path or "", search, *([] if replace is None else [replace])]
        arguments = tuple((key, Value(text, "text")) for key, text in zip(self._fields, texts, strict=False))
        return [RawCall(self.name, arguments, closed=self.complete)]


_PATCH_BEGIN: Final = "*** Begin Patch"
_PATCH_END: Final = "*** End Patch"
_FILES: Final = ("*** Update File:", "*** Add File:", "*** Delete File:")
_PATCH_MARKS: Final = marks((_PATCH_END, *_FILES, "*** Move to:", "*** End of File"))
_SIGNS: Final = frozenset("+- @\r\n")
"""What the other lines of a patch begin with. Models leave out the blank before an empty line."""

_LONGEST_LINE: Final = 32
"""No marker is longer, with the blanks behind it."""

_MARKER: Final = re.compile(
    r"(?:(?P<begin>[<-]{5,9} SEARCH>?)|(?P<divider>={5,9})|(?P<end>[>+]{5,9} REPLACE))[ \t\r]*+"
)  # fmt: skip
