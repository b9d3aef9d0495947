"""`Patch`: changes of files as a patch of the form V4A.

    *** Begin Patch
    *** Update File: src/a.py
    @@
     def f():
    -    old
    +    new
    *** Add File: src/b.py
    +text
    *** Delete File: src/c.py
    *** End Patch

Every line of a file has a sign before it, so it cannot be taken for a marker. Each piece of an update is a call of its own: the
old lines, and the new lines that replace them. Such a call cannot say that a file gets another name, or that its lines are
after given lines (`@@ def f():`) or at the end of the file. A patch that says so is doubtful (`Doubt` `place`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..call import Doubt, RawCall, Value
from ..files import is_marked
from ..marks import marks
from ..pieces import Pieces
from .lines import LONGEST_PATH, Lines, is_path


@dataclass(slots=True)
class _Change:
    """A change of one file: its whole content, or one piece of an update."""

    mark: str
    path: str
    old: Pieces = field(default_factory=Pieces)
    new: Pieces = field(default_factory=Pieces)
    doubt: Doubt | None = None
    changes: bool = False  # whether a line of it is added or removed

    def call(self, *, closed: bool) -> RawCall:
        """Return the call of a tool for files."""
        path = ("path", Value(self.path, "text", self.doubt if self.mark != _UPDATE else None))
        if self.mark == _DELETE:
            return RawCall("delete_file", (path,), closed=closed)
        new = Value(self.new.text(), "text")
        if self.mark == _ADD:
            return RawCall("write_file", (path, ("content", new)), closed=closed)
        placed = self.changes and self.old.size > 0
        old = Value(self.old.text(), "text", self.doubt or (None if placed else "place"))
        return RawCall("edit_file", (path, ("search", old), ("replace", new)), closed=closed)


class Patch(Lines):
    """Reads a patch, after `*** Begin Patch`, up to the line `*** End Patch`."""

    def __init__(self) -> None:
        super().__init__()
        self._changes: list[_Change] = []
        self._mark = ""  # the marker on the current line
        self._rest: list[str] = []  # the text after that marker
        self._rest_size = 0
        self._mark_at = 0
        self._patch_end = 0
        self._raw_ends[_END] = None  # this line may be part of the file, if it lost its sign

    def _line_start(self, text: str, at: int) -> int:
        mark = _MARKS.at(text, at)
        if mark is None and _MARKS.begun(text, at):
            return at
        if mark is not None and mark not in _LOST:
            self._mark, self._rest, self._rest_size, self._mark_at = mark, [], 0, self._origin + at
            self._state = self._in_marker
            if mark == _END:
                self._patch_end = self._origin + at + len(mark)
                self._state = self._behind_end
            return at + len(mark)
        self._into, self._state = (), self._in_line
        after = self._signed(text[at], at)
        if mark is not None and self._changes:
            self._changes[-1].doubt = "marker"
        return after

    def _signed(self, sign: str, at: int) -> int:
        """Read the sign of a line; returns the place after it."""
        change = self._changes[-1] if self._changes else None
        if change is None or change.mark == _DELETE or (change.mark == _ADD and sign != "+") or sign not in _SIGNS:
            self.uncertain = True
            return at
        if change.mark == _ADD:
            self._into = (change.new,)
            return at + 1
        change.changes = change.changes or sign in "+-"
        self._into = (change.new,) if sign == "+" else (change.old,) if sign == "-" else (change.old, change.new)
        if sign in "+- ":
            return at + 1
        change.doubt = change.doubt or "sign"  # models leave out the blank of an empty line; or a marker was lost
        return at

    def _in_marker(self, text: str, at: int) -> int:
        """Read the rest of a marker's line."""
        stop = text.find("\n", at)
        end = stop if stop >= 0 else len(text)
        self._rest.append(text[at:end])
        self._rest_size += end - at
        if self._rest_size > LONGEST_PATH:
            self._break("head", self._mark_at)
        elif stop >= 0:
            self._take_marker("".join(self._rest).removesuffix("\r"))
            self._state = self._line_start
            return stop + 1
        return end

    def _take_marker(self, rest: str) -> None:
        last = self._changes[-1] if self._changes else None
        if self._mark in _FILES:
            path = rest.removeprefix(" ")
            if not is_path(path) or is_marked(path) or any(change.path == path for change in self._changes):
                self.uncertain = True  # if a file is named twice, a marker may be in the wrong place
            change = _Change(self._mark, path)
            self._changes.append(change)
            if len(self._changes) == 1:
                self.name, self.path = _NAMES[self._mark], path
        elif last is None or last.mark != _UPDATE:
            self.uncertain = True
        elif self._mark == _PIECE:
            if last.old.size or last.new.size:
                last = _Change(_UPDATE, last.path)
                self._changes.append(last)
            last.doubt = "place" if rest.strip() else last.doubt
        else:
            last.doubt = "place"

    def _behind_end(self, text: str, at: int) -> int:
        """Read on after the end marker, to see whether its line ends there."""
        if text[at] in " \t\r":
            return at + 1
        if text[at] == "\n":
            self._end_at(self._patch_end, complete=bool(self._changes))
        else:
            self.uncertain = True
            self._into, self._state = (), self._in_line
        return at

    def _cut_off(self) -> None:
        if self._state == self._behind_end:
            self._end_at(self._patch_end, complete=bool(self._changes))

    def _calls_read(self) -> list[RawCall]:
        return [change.call(closed=self.complete) for change in self._changes]


_END: Final = "*** End Patch"
_UPDATE: Final = "*** Update File:"
_ADD: Final = "*** Add File:"
_DELETE: Final = "*** Delete File:"
_PIECE: Final = "@@"
_FILES: Final = (_UPDATE, _ADD, _DELETE)
_NAMES: Final = {_UPDATE: "edit_file", _ADD: "write_file", _DELETE: "delete_file"}
_OF_PIECES: Final = ("*** Move to:", "*** End of File")
_LOST: Final = tuple(mark.removeprefix("***") for mark in (_END, *_FILES, *_OF_PIECES))
"""Matches a marker that lost its beginning. Such a line may also be a line of the file, with a blank as its sign."""

_MARKS: Final = marks((_END, *_FILES, _PIECE, *_OF_PIECES, *_LOST))
_SIGNS: Final = frozenset("+- \r\n")
"""The first characters of the other lines of a patch."""
