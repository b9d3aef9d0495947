"""Signs that a layer between the model and the guard left in a text: an encoder, a typographer, a transport.

Such a layer works on the whole reply. When a block is mended, the layer's changes to the marks of the block are undone; its
changes to strings stay. Each sign here is one that no writer makes.

Rule 1: a check only refuses, and is asked of mended blocks alone: what is valid as it stands says what it says.
Rule 2: each string is looked at by itself, and once.
"""

from __future__ import annotations

import re
from typing import Final

_A_QUOTE: Final = r"(?:\\?[\"'`“”„‘’«»]|&(?:quot|apos|#0*3[49]|#x0*2[27]);|%2[27])"
_QUOTE: Final = re.compile(_A_QUOTE, re.IGNORECASE)
_BETWEEN_ITEMS: Final = re.compile(rf"(?<=\w){_A_QUOTE}\s*(?:,|%2C)\s*{_A_QUOTE}(?=\w)", re.IGNORECASE)
"""Match a quote, escaped or as an encoder writes it; and what stands between two items of a list."""

_TYPESET_CODE: Final = re.compile(
    r"""
    [\w\])!](?:[(\[]|\s?[=!+<>]?=\s?)[“”„‘’]         # in a call, an index, an assignment, a comparison
    | (?:[:=(,]\s?|\bfrom\s)[“”„][^“”„\n]*[“”]\)*;[^\S\n]*(?:\n|\Z|\})   # at the end of a statement
    | [“„][^“”„\n]*[“”]\s?\+\s?[\w“„] | \w\s?\+\s?[“„]   # in a sum
    | ^[^\S\n]*(?:return|import|\#include|require|raise|throw)\s[“„]   # first in a statement
    | (?:\A|[\s(\[{=:,])(?:"[^"“”„\n]+[“”]|“[^"“”„\n]+")(?=[\s)\]},;:.]|\Z)    # a pair with one of each kind
    | [{,]\s*[“”„][^“”„\n]*[“”]\s*: | \A\s*\[\s*[“”„][^“”„\n]*[“”]\s*,    # the key of an object, an item of a list
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Matches a typographic quote of a literal of code or of JSON, and a pair of which only one is typographic."""

_LITERAL: Final = re.compile(r"\"[^\"\n]*\"|(?<!\w)[bfr]?'[^'\n]*'(?!\w)|`[^`]*`|(?:(?<!\S)\#|(?<![:\w/])//|(?<!\S)--\s)[^\n]*")
_TYPESET: Final = re.compile("[“”„‘’–—]")
_TYPESET_QUOTE: Final = re.compile(r"[“”„‘]|(?<!\w)’|(?<!\S)[–—](?=\w)")
_QUOTED: Final = re.compile(r"[“„][^“”„]*[“”]")
"""Match a literal of code or a comment, in which any quote may stand; a typographic quote or a dash; one that is no apostrophe;
and a text that is quoted as a whole, as a query for these words is."""

_FRAME: Final = re.compile(r"(?:data|event):(?: |\Z)|: ?[\w-]+\Z")
_SETTING: Final = re.compile(r"\s*[\w\"'.-]+:(?:\s|\Z)")
"""Match a line of an event stream, and one of a file of settings, which may have the same names."""


def joins_items(text: str) -> bool:
    """Return whether a string is two or more items of a list, with what stood between them. It has no other quotes."""
    joints = len(_BETWEEN_ITEMS.findall(text))
    return joints > 0 and len(_QUOTE.findall(text)) == 2 * joints


def is_typeset_code(text: str, *, code: bool) -> bool:
    """Return whether a string is code with typographic quotes: no language has such quotes.

    `code` is whether its field is named like code: there any such quote outside of a literal shows it, and a dash of prose
    before an option (`ls –la`).
    """
    if text.isascii() or _TYPESET.search(text) is None:
        return False
    if _TYPESET_CODE.search(text) is not None:
        return True
    return code and _QUOTED.fullmatch(text) is None and _TYPESET_QUOTE.search(_LITERAL.sub("", text)) is not None


def holds_a_frame(text: str) -> bool:
    """Return whether lines of an event stream have slipped in between the lines of a string. A string that begins with such a
    line is about such streams, and one with settings may have equal names: both are left alone.
    """
    if ":" not in text:
        return False
    first, *others = text.splitlines() or [""]
    frames = [line for line in others if _FRAME.match(line) is not None]
    if not frames or _FRAME.match(first) is not None:
        return False
    return not any(_SETTING.match(line) is not None for line in (first, *others) if _FRAME.match(line) is None)
