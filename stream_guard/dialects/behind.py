"""`Behind`: the text after a body that needs no closer, and whether it may be the rest of a text in that body.

A quote that is not escaped, with the right brackets after it, ends a body too early. What follows then is the rest of the text
that was meant, and it holds the quote and the brackets that were meant to end it:

    {"filter": "use "} else {" here", "dry_run": true}
                    ^ seems to be the end

Rule 1: what follows is read up to a mark of the dialect or a fence, at most `LONGEST_REST` characters. What begins on a line of
its own, as prose after a call does, is read up to the end of its paragraph. A line with a mark of any dialect is the last one.
Rule 2: it may be the rest of a text if a quote in it closes what no quote opened, a bracket closes what no bracket opened, a
quote stands where a text of a call ends, or the closer of the body stands after it. It may be the rest of the object if it is
a literal with the next key after it (`true, "cascade":`).
Rule 3: that is decided at characters, never at the end of a piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .marks import marks, skip

LONGEST_REST: Final = 1024
"""As much is read after a body that needs no closer. A paragraph is rarely longer."""

_RUBBLE: Final = "}])\"',:"
"""What stands after JSON that seems to end too early, where no closer is due. A backtick may open a fence there."""

_FENCE: Final = "`~"
_OTHER_LINE: Final = f"\n{{[{_FENCE}"
"""What begins a line that belongs to no paragraph before it: a blank line, a call in JSON or a list, a fence."""

_INDENT: Final = re.compile(r"[ \t\r]*+")
_SIGN: Final = re.compile(r"\\.|[\"'{}\[\]]", re.DOTALL)
_ENDS_TEXT: Final = re.compile(r"\s*+(?:[}\]]|\)\s*+\]|,\s*+\"[^\"\n]{1,64}\"\s*+:)")
"""Matches what stands after the last quote of a text in JSON or a list of calls: the bracket around it, or the next key."""

_MARK: Final = re.compile(
    r"<[|\uff5c][\w\u2581/:.+-]{1,64}[|\uff5c]>|</?[\w:]{0,16}(?:tool|function|invoke|boltA)|</s>", re.IGNORECASE
)
"""Matches a special token, or the beginning of a tag that opens or closes calls in some dialect: the body is over before it."""

_REST_OF_OBJECT: Final = re.compile(r"""\s*+(?:true|false|null|none|-?\d[\w.]*+)\s*+,\s*+(?:["']|\Z)""", re.IGNORECASE)
"""Matches the value of a member, with the next key after it."""

_ENDS_CALL: Final = re.compile(r"\s*+\)\s*+\]")


def is_rubble(char: str, *, glued: bool) -> bool:
    """Return whether what begins with this character after JSON may be the rest of it: so may a word that is `glued` to it."""
    return char in _RUBBLE or (glued and (char.isalnum() or char == "_"))


def goes_on(text: str) -> bool:
    """Return whether text after a body, up to a mark of any dialect, may be the rest of a text in the body."""
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
    """Reads what stands after a body.

    Args:
        ends: The marks that show that nothing more belongs to the body.
        closers: The closers of the body, which text is not due before.
    """

    def __init__(self, ends: Iterable[str], closers: Iterable[str]) -> None:
        self.decided = False
        """Whether enough was read."""
        self.fresh = False
        """Whether nothing of the line stands before what is read next."""
        self._closers: Final = tuple(closers)
        self._marks: Final = marks((*ends, *self._closers))
        self._mark: str | None = None
        self._pieces: list[str] = []
        self._size = 0
        self._line = ""
        self._ends: str | None = None  # what begins a line that is not read any more

    def skip(self, text: str, at: int) -> int:
        """Return the place after white space, and note whether that ends the line."""
        after = skip(text, at)
        self.fresh = self.fresh or "\n" in text[at:after]
        return after

    @property
    def torn(self) -> bool:
        """Whether what was read may be the rest of a text in the body."""
        return self._mark in self._closers or goes_on("".join(self._pieces))

    def read(self, text: str, at: int, *, final: bool) -> int:
        """Read on from `at`, in the `final` text or in one that goes on. Returns the place after what was taken."""
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
        """Read on to the end of the line; returns the place after what was read, where more belongs to the paragraph."""
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
