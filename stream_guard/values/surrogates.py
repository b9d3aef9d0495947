"""Finds and joins characters that arrive as two halves of a surrogate pair."""

from __future__ import annotations

from typing import Final

from .late import late

_HALF: Final = late(r"[\ud800-\udfff]")


def joined(text: str) -> str:
    """Return the text with every surrogate pair joined to its character. A half alone stays."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def ends_in_half(text: str) -> bool:
    """Return whether a text ends with the first half of a surrogate pair, whose second half may follow."""
    return "\ud800" <= text[-1:] <= "\udbff"
