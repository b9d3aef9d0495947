"""What the followers of calls in prose read alike: where a line ends, how far it is indented, which brackets open and close.

`Unended`, `NamedCall` and `Unfenced` follow such calls by rules of their own, and each reads texts and brackets itself: what
begins a text in the notations of one begins none in those of another.
"""

from __future__ import annotations

import re
from typing import Final

HEAD: Final = 96
"""The characters of a line within which a call begins, or the name of a tool stands."""

LINE_END: Final = re.compile(r"\r\n?|\n")
"""Matches what ends a line. A CRLF that is cut in two ends two lines; the second is empty and changes nothing."""

OPENING: Final = frozenset("{[(")
CLOSING: Final = frozenset("}])")
BEFORE_A_TEXT: Final = frozenset(" \t\r\n=([{,:")
"""What stands before a single quote that begins a text. Behind anything else it is an apostrophe."""


def width(line: str) -> int:
    """Return the column at which a line begins, behind its blanks."""
    return len(line[: len(line) - len(line.lstrip(" \t-"))].expandtabs(4)) if line.strip() else len(line.expandtabs(4))
