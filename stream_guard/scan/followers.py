"""What the followers of calls in prose read alike: where a line ends, how far it is indented, which brackets open and close.

`Unended`, `NamedCall` and `Unfenced` follow such calls by rules of their own, and each reads texts and brackets itself: what
begins a text in the notations of one begins none in those of another.
"""

from __future__ import annotations

from typing import Final

HEAD: Final = 96
"""The number of characters at the start of a line within which a call begins, or a tool is named."""

OPENING: Final = frozenset("{[(")
CLOSING: Final = frozenset("}])")
BEFORE_A_TEXT: Final = frozenset(" \t\r\n=([{,:")
"""The characters after which a single quote begins a string. After any other character it is an apostrophe."""


def width(line: str) -> int:
    """Return the column at which a line begins, after its blanks."""
    return len(line[: len(line) - len(line.lstrip(" \t-"))].expandtabs(4)) if line.strip() else len(line.expandtabs(4))
