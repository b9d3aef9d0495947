"""Finds and joins characters that arrive as two halves of a surrogate pair."""

from __future__ import annotations

from typing import Final

from .late import late

_HALF: Final = late(r"[\ud800-\udfff]")


def joined(text: str) -> str:
    """Return the text with each surrogate pair joined to its character. A half without its other half is kept."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def ends_in_half(text: str) -> bool:
    """Return whether a text ends with the first half of a surrogate pair, whose second half may follow."""
    return "\ud800" <= text[-1:] <= "\udbff"


def has_half(text: str) -> bool:
    """Return whether a text contains half a surrogate pair without its other half."""
    return not text.isascii() and _HALF.search(joined(text)) is not None
