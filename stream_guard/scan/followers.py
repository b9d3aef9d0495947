"""Constants and a function that the followers of calls in prose share: brackets, quotes, blocks and the indent of a line.

`Unended`, `NamedCall` and `Unfenced` follow such calls by rules of their own, and each reads strings and brackets itself, since
notations differ in how a string begins.
"""

from __future__ import annotations

from typing import Final

HEAD: Final = 96
"""The number of characters at the beginning of a line within which a call begins, or a tool is named."""

OPENING: Final = frozenset("{[(")
"""The opening brackets."""

CLOSING: Final = frozenset("}])")
"""The closing brackets."""

BEFORE_A_TEXT: Final = frozenset(" \t\r\n=([{,:")
"""The characters after which a single quote begins a string. After any other character it is an apostrophe."""

BLOCK: Final = r"(?:[!&]\S{0,64}[ \t]+){0,4}[|>][+\-0-9]{0,3}[ \t]*(?:#.*)?"
"""A pattern for what stands after a key of YAML if a block of indented lines follows: `|`, perhaps with a tag and an anchor."""


def width(line: str) -> int:
    """Return the indent of a line: the column after its blanks."""
    return len(line[: len(line) - len(line.lstrip(" \t-"))].expandtabs(4)) if line.strip() else len(line.expandtabs(4))
