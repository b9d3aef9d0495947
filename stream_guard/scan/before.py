r"""`Before`: the lines before a place in prose or in a fence, of which one may be the path of a file, or belong to a call.

A path counts in the line right before an opener. In a fence it is the first line, or stands in the line before the fence; and
a block without a path, with only blanks before it, takes the path of the block before it.

A call that has no opener of its own begins with a bracket, wherever that stands: after a member of its object, or in what was
commented out or struck out.

A call right behind a line break that is written as an escape (`\n`) stands in a string of code or JSON, whose beginning may be
lost.
"""

from __future__ import annotations

import re
from typing import Final

from ..dialects.files import BARE_PATH
from ..values.late import late

KEPT: Final = 1024
"""The number of characters before a place that are searched for a path or a member: a path has fewer."""

MOST: Final = 2 * KEPT
"""The number of characters that are kept. It is larger than `KEPT`, since part of an opener may have passed too."""

LEAST: Final = 64
"""The number of characters that are kept where no path and no member is searched for."""

_LITERAL: Final = r"(?:true|false|null|-?\d[\d.]*|\"[^\"\r\n]*\"|'[^'\r\n]*'|\[.*\]|\{.*\})"
_MEMBER: Final = late(
    r"[ \t,]*[\"'\u201c][^\"'\u201c\u201d\r\n]{1,64}[\"'\u201d][ \t]*:[ \t]*(?:[\"'\[{\d-]|true|false|null).*"
    rf"|[ \t,]*[A-Za-z_][\w-]{{0,63}}[ \t]*[:=][ \t]*{_LITERAL},[ \t]*"
    r"|[ \t]*(?:\{.*|[}\]][}\] \t]*),[ \t]*"
)
"""Matches a line that is a member of an object (`"path": "a.txt",`), or the end of such a line."""

_ASIDE: Final = {
    "/*": "*/", "(*": "*)", "<!--": "-->", "<del>": "</del>", "<s>": "</s>", "<strike>": "</strike>", "#if 0": "#endif",
    "~~": "~~",
}  # fmt: skip
"""The marks that begin text that does not count (a comment, struck-out text) in some language or markup, each with the mark
that ends it."""

_ASIDE_BEGINS: Final = late(
    rf"^[ \t]*(?P<at>{'|'.join(map(re.escape, _ASIDE))})\**(?:(?<=[>-])|(?=[ \t\r\n]|\Z))"
    rf"|(?<=[ \t])(?P<end>{'|'.join(map(re.escape, _ASIDE))})[ \t\r]*$",
    re.MULTILINE,
)

_ESCAPED_BREAK: Final = late(r"\\[nrt][\"'`]?[ \t]{0,32}\Z")
"""Matches the end of a line that ends, perhaps with an indent behind it, as lines end within a string."""


class Before:
    """The prose since the last block, or since a fence opened.

    Args:
        kept: How many characters of it are kept at least; at most twice as many.
    """

    __slots__ = ("_kept", "_path", "_text")

    def __init__(self, kept: int) -> None:
        self._kept: Final = kept
        self._text = ""
        self._path: str | None = None  # the path for a block that follows at once

    def add(self, text: str) -> None:
        """Keep prose that has passed."""
        self._text += text
        if len(self._text) > 2 * self._kept:  # not each time: that takes as long as all else
            self._text = self._text[-self._kept :]

    def restart(self, path: str | None = None) -> None:
        """Forget the prose, after a block or after the opener of a fence. `path` is the path for a block that
        follows at once.
        """
        self._text, self._path = "", path

    def belongs(self) -> bool:
        """Return whether the prose ends with a member of an object, or has a comment or struck-out text that is still open."""
        text = self._text[-self._kept :].rstrip()
        if _MEMBER.fullmatch(text, max(text.rfind("\n"), text.rfind("\r")) + 1) is not None:
            return True
        for found in _ASIDE_BEGINS.finditer(text):
            begin = found["at"] or found["end"]
            if _ASIDE[begin] not in text[found.end() :]:
                return begin != "~~" or text.count("~~") % 2 == 1
        return False

    def in_string(self) -> bool:
        """Return whether the prose ends with an escaped line break."""
        return _ESCAPED_BREAK.search(self._text, max(0, len(self._text) - LEAST)) is not None

    def path(self, text: str, passed: int, *, fenced: bool) -> str | None:
        """Return the path in the line before an opener; None if that line is no path.

        Args:
            text: The text between the prose that has passed and the opener.
            passed: How many characters of the opener have passed already.
            fenced: Whether the opener is inside a fence.
        """
        if passed >= KEPT:
            return None
        lines = (self._text[: len(self._text) - passed] + text)[-KEPT:].splitlines()
        solid = [line for line in lines if line.strip()]
        if not solid:
            return self._path
        known = lines[-1] == solid[-1] and (len(solid) == 1 or not fenced) and BARE_PATH.fullmatch(lines[-1])
        return lines[-1] if known else None
