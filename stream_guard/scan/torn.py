"""`ends_torn`, `ends_in_text`: whether a body that is no JSON may have ended inside a string, although it can be read as a
call.

A quote that is not escaped tears the string it is in, and the rest of the string looks like members: `"content": "see {"x":
"a", "b": 5}` has a `content`, a `b` and a last brace. But a brace that opened in the string shows that the last brace closes
that one.

Rule 1: no quote shows where a torn string ends. So brackets count everywhere, as `Unended` counts them in prose.
Rule 2: a string ends at its own mark. The cheapest reading may let another quote end it, and cannot be trusted after a failure.
"""

from __future__ import annotations

import re
from typing import Final

from ..values.late import late
from .named import ENDS

_QUOTED: Final = late(
    r"\\.|[`\u2018-\u201f\u00ab\u00bb]"
    r"|\"(?:[^\"\\]++|\\.)*+(?P<double>\"(?=\s*+(?:[:,}\]]|\Z)))?+"
    r"|'(?:[^'\\]++|\\.)*+(?P<single>'(?=\s*+(?:[:,}\]]|\Z)))?+",
    re.DOTALL,
)
"""Matches a string, or the rest of a torn one. The group is its closing quote, if the text after that quote shows that it ends
a string."""

_BRACKET: Final = late(r"[{}\[\]]")


def ends_torn(body: str) -> bool:
    """Return whether a string of a body is torn, and the body's brackets, those in strings included, are not
    closed at its end.
    """
    whole = all(found["double"] or found["single"] for found in _QUOTED.finditer(body))
    return not whole and not _closes(body)


def _closes(body: str) -> bool:
    """Return whether all brackets of a body close, and no bracket opens after that."""
    depth, closed = 0, False
    for found in _BRACKET.finditer(body):
        if closed and found[0] in "{[":
            return False
        depth += 1 if found[0] in "{[" else -1
        closed = depth <= 0
    return closed


_QUOTE: Final = r"\"{3}|'{3}|`{3,}|[\"'`\u2018\u201a-\u201c\u201e\u201f\u00ab\u00bb\u2039\u300c\u300e\uff62]"
_BEGINS: Final = late(
    r"(?<=[:=>])\s*+(?P<round>\()"
    rf"|(?:\A|(?<=[{{\[(,:=>]))\s*+(?:(?:[bBfFrRuU]{{1,2}}|[@$]{{1,2}})?(?P<hashes>#{{0,3}})(?P<quote>{_QUOTE})"
    r"|<<[-~<]?[ ]?(?P<q>[\"']?)(?P<here>[A-Za-z_]\w{0,31})(?P=q)[ \t]*+[\r\n]"
    r"|\[(?P<level>=*+)\[(?!\s*+[\[\]{\"'\d-]))"
)
"""Matches the beginning of a string in the place of a key or a value: a quote of any language, a bracket, a heredoc, `[[` of
Lua."""

_BEHIND: Final = late(r"\s*+(?:[:,;}\])]|=>|=(?!=)|//|/\*|#|\Z|(?<=\n)[\"']?[A-Za-z_]\w*+[\"']?\s*+[:=])")
"""Matches the text that may follow a string: a mark between members or at the end, a remark, or the next member on its own
line."""


def ends_in_text(body: str) -> bool:
    """Return whether a string of a body is not closed by its own mark, or a bracket of a call is not closed.

    Another quote in the string may seem to close it: `'content': 'It ends with x"}`.
    """
    at = 0
    while (found := _BEGINS.search(body, at)) is not None:
        end = _end_of_text(body, found)
        if end is None:
            return True
        at = end
    return body.lstrip()[:1] not in ("{", "[") and body.count("(") > body.count(")") and body.count("}") > body.count("{")


def _end_of_text(body: str, begun: re.Match[str]) -> int | None:
    """Return where the string that begins with this match ends; None if it does not end."""
    at = begun.end()
    if begun["here"]:
        ended = re.compile(rf"^[ \t]*+{begun['here']}\b", re.MULTILINE).search(body, at)
        return ended.end() if ended is not None else None
    for found in re.compile(rf"\\.|{_closer(begun)}", re.DOTALL).finditer(body, at):
        if found[0][0] != "\\" and _BEHIND.match(body, found.end()) is not None:
            return found.end()
    return None


def _closer(begun: re.Match[str]) -> str:
    """Return a pattern of the mark that closes the string that begins with this match."""
    quote = begun["quote"]
    if quote is None:
        return re.escape(")" if begun["round"] else f"]{begun['level']}]")
    return f"[{ENDS[quote]}]" if quote in ENDS else f"{quote}{begun['hashes']}"
