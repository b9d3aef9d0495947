"""`Behind`: the text after a body that needs no closer, and whether it may be the rest of a string in that body.

A quote that is not escaped, with the right brackets after it, ends a body too early. The text after it is then the rest of the
string, with the quote and the brackets that were meant to end the body:

    {"filter": "use "} else {" here", "dry_run": true}
                    ^ seems to be the end

Rule 1: the text after a body is read up to a mark of the dialect or a fence, at most `LONGEST_REST` characters. If it begins on
a line of its own, as prose after a call does, it is read up to the end of its paragraph. A line with a mark of any dialect is
the last one.
Rule 2: that text may be the rest of a string in four cases: a quote in it closes nothing, a bracket in it closes nothing, a
quote in it is where a string of a call would end, or the closer of the body follows it. It may be the rest of the object if it
is a literal with the next key after it (`true, "cascade":`).
Rule 3: that is decided at characters, never at the end of a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .marks import marks, skip

LONGEST_REST: Final = 1024
"""The number of characters that are read after a body that needs no closer. A paragraph is rarely longer."""

_RUBBLE: Final = "}])\"',:"
"""The characters that may follow JSON that ended too early, if no closer is due. A backtick may open a fence there."""

_FENCE: Final = "`~"
_OTHER_LINE: Final = f"\n{{[{_FENCE}"
"""The first characters of a line that begins something else: a blank line, a call in JSON or a list, a fence."""

_INDENT: Final = re.compile(r"[ \t\r]*+")
_SIGN: Final = re.compile(r"\\.|[\"'{}\[\]]", re.DOTALL)
_ENDS_TEXT: Final = re.compile(r"\s*+(?:[}\]]|\)\s*+\]|,\s*+\"[^\"\n]{1,64}\"\s*+:)")
"""Matches the text after the last quote of a string in JSON or a list of calls: the bracket around the string, or
the next key."""

_MARK: Final = re.compile(
    r"<[|\uff5c][\w\u2581/:.+-]{1,64}[|\uff5c]>|</?[\w:]{0,16}(?:tool|function|invoke|boltA)|</s>", re.IGNORECASE
)
"""Matches a special token, or the beginning of a tag that opens or closes calls in some dialect: the body has
ended before it."""

_REST_OF_OBJECT: Final = re.compile(r"""\s*+(?:true|false|null|none|-?\d[\w.]*+)\s*+,\s*+(?:["']|\Z)""", re.IGNORECASE)
"""Matches the value of a member followed by the next key."""

_ENDS_CALL: Final = re.compile(r"\s*+\)\s*+\]")


def is_rubble(char: str, *, glued: bool) -> bool:
    """Return whether text after JSON may be the rest of the JSON, by its first character. A word may be, if it is `glued` to
    the JSON.
    """
    return char in _RUBBLE or (glued and (char.isalnum() or char == "_"))


def goes_on(text: str) -> bool:
    """Return whether text after a body, up to a mark of any dialect, may be the rest of a string in the body."""
    depth = quotes = 0
    if _REST_OF_OBJECT.match(text) is not None:
        return True
    mark = _MARK.search(text)
    for found in _SIGN.finditer(text, 0, len(text) if mark is None else mark.start()):
        sign = found[0]
        if sign == '"':
            quotes += 1
            if _ENDS_TEXT.match(text, found.end()) is not None:
                return True
        elif sign == "'":
            if _ENDS_CALL.match(text, found.end()) is not None:
                return True
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth < 0:
                return True
    return quotes % 2 == 1


class Behind:
    """Reads the text after a body.

    Args:
        ends: The marks that show that nothing more belongs to the body.
        closers: The closers of the body; no text is due before them.
    """

    def __init__(self, ends: Iterable[str], closers: Iterable[str]) -> None:
        self.decided = False
        """Whether enough was read to decide."""
        self.fresh = False
        """Whether the text that is read next begins its line."""
        self._closers: Final = tuple(closers)
        self._marks: Final = marks((*ends, *self._closers))
        self._mark: str | None = None
        self._pieces: list[str] = []
        self._size = 0
        self._line = ""
        self._ends: str | None = None  # the first characters of a line that is not read any more

    def skip(self, text: str, at: int) -> int:
        """Return the place after white space, and note whether a line ends in it."""
        after = skip(text, at)
        self.fresh = self.fresh or "\n" in text[at:after]
        return after

    @property
    def torn(self) -> bool:
        """Whether the text that was read may be the rest of a string in the body."""
        return self._mark in self._closers or goes_on("".join(self._pieces))

    def read(self, text: str, at: int, *, final: bool) -> int:
        """Read on from `at`, and return the place after the text that was taken. `final` says that no more text will come."""
        room = LONGEST_REST - self._size
        part = text[at : at + room + self._marks.longest]
        stop, mark = self._marks.find(part, 0, final=final)
        pos, end = 0, min(stop, room)
        while pos < end and not self.decided:
            pos = self._read_line(part, pos, end)
        self._pieces.append(part[:pos])
        self._size += pos
        if not self.decided and stop <= room and mark is not None:
            self._mark, self.decided = mark, True
        self.decided = self.decided or pos == room
        return at + pos

    def _read_line(self, text: str, at: int, end: int) -> int:
        """Read on to the end of the line, if it belongs to the paragraph. Returns the place after the text that was read."""
        if self._ends is None:
            self._ends = _OTHER_LINE if self.fresh else _FENCE
        if self.fresh:
            after = _INDENT.match(text, at, end).end()  # type: ignore[union-attr]  # it matches the empty string
            if after == end:
                return end
            if text[after] in self._ends:
                self.decided = True
                return at
        after = text.find("\n", at, end) + 1
        self.fresh = after > 0
        self._line += text[at : after or end]
        if after:
            self.decided = _MARK.search(self._line) is not None
            self._line = ""
        return after or end
