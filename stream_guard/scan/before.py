"""`Before`: the lines before a place in prose or in a fence, of which one may be the path of a file, or belong to a call.

A path counts in the line right before an opener. In a fence it is the first line, or stands in the line before the fence; and a
block without a path, with nothing but blanks before it, has that of the block before.

A call that has no opener of its own begins with a bracket, wherever that stands: behind a member of its object, or in what was
commented out or struck out.
"""

from __future__ import annotations

import re
from typing import Final

from ..dialects.files import BARE_PATH
from ..values.late import late

KEPT: Final = 1024
"""So many characters before a place are looked at: more than a path has."""

_MOST: Final = 2 * KEPT
"""So many are kept: a part of an opener may have passed too."""

_LITERAL: Final = r"(?:true|false|null|-?\d[\d.]*|\"[^\"\r\n]*\"|'[^'\r\n]*'|\[.*\]|\{.*\})"
_MEMBER: Final = late(
    r"[ \t,]*[\"'\u201c][^\"'\u201c\u201d\r\n]{1,64}[\"'\u201d][ \t]*:[ \t]*(?:[\"'\[{\d-]|true|false|null).*"
    rf"|[ \t,]*[A-Za-z_][\w-]{{0,63}}[ \t]*[:=][ \t]*{_LITERAL},[ \t]*"
    r"|[ \t]*(?:\{.*|[}\]][}\] \t]*),[ \t]*"
)
"""Matches a line that is a member of an object, or the end of one with a comma behind it."""

_ASIDE: Final = {
    "/*": "*/", "(*": "*)", "<!--": "-->", "<del>": "</del>", "<s>": "</s>", "<strike>": "</strike>", "#if 0": "#endif",
    "~~": "~~",
}  # fmt: skip
"""What begins a part of a text that does not count, by languages and markups, and what ends it."""

_ASIDE_BEGINS: Final = late(
    rf"^[ \t]*(?P<at>{'|'.join(map(re.escape, _ASIDE))})\**(?:(?<=[>-])|(?=[ \t\r\n]|\Z))"
    rf"|(?<=[ \t])(?P<end>{'|'.join(map(re.escape, _ASIDE))})[ \t\r]*$",
    re.MULTILINE,
)


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

    def belongs(self) -> bool:
        """Return whether what has passed ends with a member of an object, or leaves open what was commented or struck out."""
        text = self._text.rstrip()
        if _MEMBER.fullmatch(text, max(text.rfind("\n"), text.rfind("\r")) + 1) is not None:
            return True
        for found in _ASIDE_BEGINS.finditer(text):
            begin = found["at"] or found["end"]
            if _ASIDE[begin] not in text[found.end() :]:
                return begin != "~~" or text.count("~~") % 2 == 1
        return False

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
