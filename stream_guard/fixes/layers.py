"""Finds the signs that a layer between the model and the guard left in a text: an encoder, a typographer, a transport.

Such a layer works on the whole reply. When a block is mended, the layer's changes to the marks of the block are undone; its
changes to strings stay. Each sign here is one that no writer makes.

Rule 1: a check only refuses, and is asked of mended blocks alone: what is valid as it stands says what it says.
Rule 2: each string is looked at by itself, and once.
"""

from __future__ import annotations

import re
from typing import Final

_A_QUOTE: Final = r"(?:\\?[\"'`“”„‘’«»]|&(?:quot|apos|#0*3[49]|#x0*2[27]);|%2[27])"
"""A pattern for a quote: as it is, with a backslash, as an entity of HTML or as a URL encodes it."""

_QUOTE: Final = re.compile(_A_QUOTE, re.IGNORECASE)
"""Matches a quote in any of these spellings."""

_BETWEEN_ITEMS: Final = re.compile(rf"(?<=\w){_A_QUOTE}\s*(?:,|%2C)\s*{_A_QUOTE}(?=\w)", re.IGNORECASE)
"""Matches the quotes and the comma between two items of a list, in any of these spellings: `", "`, `&quot;,&quot;`,
`%22%2C%22`."""

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
"""Matches a typographic quote of a literal of code or of JSON, and a pair of quotes of which only one is typographic."""

_LITERAL: Final = re.compile(r"\"[^\"\n]*\"|(?<!\w)[bfr]?'[^'\n]*'(?!\w)|`[^`]*`|(?:(?<!\S)\#|(?<![:\w/])//|(?<!\S)--\s)[^\n]*")
"""Matches a literal of code or a comment, in which any quote is allowed."""

_TYPESET: Final = re.compile("[“”„‘’–—]")
"""Matches a typographic quote or dash."""

_TYPESET_QUOTE: Final = re.compile(r"[“”„‘]|(?<!\w)’|(?<!\S)[–—](?=\w)")
"""Matches a typographic quote that is no apostrophe, or a dash at the beginning of a word."""

_QUOTED: Final = re.compile(r"[“„][^“”„]*[“”]")
"""Matches a text that is wholly in quotes, as a search for these words is."""

_FIELD: Final = r"(?:data|event|id|retry):(?: |\Z)"
"""A pattern for the beginning of a field of an event stream."""

_FRAME: Final = re.compile(rf"{_FIELD}|: ?[\w-]+\Z")
"""Matches a line of an event stream: `data: ...`."""

_SETTING: Final = re.compile(r"\s*[\w\"'.-]+:(?:\s|\Z)")
"""Matches a line of a file of settings, whose names may be those of an event stream."""

_TWO_FIELDS: Final = re.compile(r"^(?:event|id|retry):[^\n]*\ndata:", re.MULTILINE)
"""Matches two lines of one event, as no file of settings has them below each other."""

_BEHIND_NO_LINE: Final = re.compile(rf"[ \t,]\r?\n{_FIELD}", re.MULTILINE)
"""Matches a field of an event stream behind a line that does not end."""

_KEEP_ALIVE: Final = re.compile(r":[ ]?(?:keep-?alive|ping|heartbeat)\r?\n\r?\n", re.IGNORECASE)
"""Matches the comment by which a server keeps an event stream open, and the empty line behind it."""

_OWN: Final = re.compile(rf"^{_FIELD}", re.MULTILINE)
"""Matches a field at the beginning of a line."""

_MARK_OF_A_PROGRAM: Final = re.compile(
    r"\s*(?:<\|[^<>|\s]{1,40}\|>|<\uff5c[^<>\uff5c\n]{1,40}\uff5c>|</s>|<(?:eos|end_of_turn|endoftext)>"
    r"|--More--\s?(?:\(\d{1,3}%\))?)\s*"
)
"""Matches a line that is a model's special token or the mark of a pager."""

_TOKEN: Final = re.compile(r"<\||<\uff5c|<s>|<[be]os>|_of_turn>")
"""Matches a part of a special token."""


def joins_items(text: str) -> bool:
    """Return whether a string is two or more items of a list with the quotes and commas between them, and has no
    other quotes.
    """
    joints = len(_BETWEEN_ITEMS.findall(text))
    return joints > 0 and len(_QUOTE.findall(text)) == 2 * joints


def is_typeset_code(text: str, *, code: bool) -> bool:
    """Return whether a string is code with typographic quotes: no language has such quotes.

    `code` is whether its field is named like code: there any typographic quote outside of a literal is enough, and a
    typographic dash before an option (`ls –la`).
    """
    if text.isascii() or _TYPESET.search(text) is None:
        return False
    if _TYPESET_CODE.search(text) is not None:
        return True
    return code and _QUOTED.fullmatch(text) is None and _TYPESET_QUOTE.search(_LITERAL.sub("", text)) is not None


def holds_a_frame(text: str) -> bool:
    """Return whether lines of an event stream, or marks of another program, have slipped in between the lines of a string.

    A string that begins with such a line is about event streams, and a file of settings may have equal names: for both the
    answer is False. But no such file has the lines of one event below each other, or one behind a line that does not end. The
    comment that keeps a stream open slips in anywhere in a line, but no stream is nothing but that.
    """
    if _holds_a_mark_of_a_program(text):
        return True
    if ":" not in text:
        return False
    if _KEEP_ALIVE.search(text) is not None and _OWN.search(text) is None:
        return True
    first, *others = text.splitlines() or [""]
    frames = [line for line in others if _FRAME.match(line) is not None]
    if not frames or _FRAME.match(first) is not None:
        return False
    if _TWO_FIELDS.search(text) is not None or _BEHIND_NO_LINE.search(text) is not None:
        return True
    return not any(_SETTING.match(line) is not None for line in (first, *others) if _FRAME.match(line) is None)


def _holds_a_mark_of_a_program(text: str) -> bool:
    """Return whether a line after the first is nothing but a model's special token, or the mark of a pager (`--More--`).

    A string with tokens elsewhere too is about them.
    """
    if "<" not in text and "--More--" not in text:
        return False
    first, *others = text.splitlines()
    rest = [line for line in others if _MARK_OF_A_PROGRAM.fullmatch(line) is None]
    if len(rest) == len(others) or _MARK_OF_A_PROGRAM.fullmatch(first) is not None:
        return False
    return not any("--More--" in line or _TOKEN.search(line) is not None for line in (first, *rest))
