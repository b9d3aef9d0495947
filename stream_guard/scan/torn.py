"""`ends_torn`, `ends_in_text`: whether a body that is no JSON may have ended in a text, for all that it can be read as a call.

A quote that is not escaped tears the text it stands in, and what was a text seems to be members: `"content": "see {"x": "a",
"b": 5}` has a `content`, a `b` and a last brace. But the brace that opened in the text shows whose brace the last one is.

Rule 1: no quote shows where a torn text ends. So brackets count wherever they stand, as `Unended` counts them in prose.
Rule 2: a text ends at its own mark. Another quote ends it in the cheapest reading, which is none to trust behind a failure.
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
"""Matches a string, or what is left of one. The group is its closing quote, if what follows that quote shows that it ends a
string."""

_BRACKET: Final = late(r"[{}\[\]]")


def ends_torn(body: str) -> bool:
    """Return whether a string of a body is torn, and the brackets are not closed at its end, those in strings included."""
    whole = all(found["double"] or found["single"] for found in _QUOTED.finditer(body))
    return not whole and not _closes(body)


def _closes(body: str) -> bool:
    """Return whether the brackets of a body close, with no bracket opened after that."""
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
"""Matches what begins a text where a key or a value may stand: a quote of any language, a bracket, a heredoc, Lua's own."""

_BEHIND: Final = late(r"\s*+(?:[:,;}\])]|=>|=(?!=)|//|/\*|#|\Z|(?<=\n)[\"']?[A-Za-z_]\w*+[\"']?\s*+[:=])")
"""Matches what stands behind a text: a mark between members or of the end, a remark, or the next member on its own line."""


def ends_in_text(body: str) -> bool:
    """Return whether a text of a body is not closed in it by what closes such a text, or the brackets of a call by their own.

    Another quote in the text may seem to close it: `'content': 'It ends with x"}`.
    """
    at = 0
    while (found := _BEGINS.search(body, at)) is not None:
        end = _end_of_text(body, found)
        if end is None:
            return True
        at = end
    return body.lstrip()[:1] not in ("{", "[") and body.count("(") > body.count(")") and body.count("}") > body.count("{")


def _end_of_text(body: str, begun: re.Match[str]) -> int | None:
    """Return where a text ends that has begun there; None if nowhere."""
    at = begun.end()
    if begun["here"]:
        ended = re.compile(rf"^[ \t]*+{begun['here']}\b", re.MULTILINE).search(body, at)
        return ended.end() if ended is not None else None
    for found in re.compile(rf"\\.|{_closer(begun)}", re.DOTALL).finditer(body, at):
        if found[0][0] != "\\" and _BEHIND.match(body, found.end()) is not None:
            return found.end()
    return None


def _closer(begun: re.Match[str]) -> str:
    """Return a pattern of what closes a text that has begun there."""
    quote = begun["quote"]
    if quote is None:
        return re.escape(")" if begun["round"] else f"]{begun['level']}]")
    return f"[{ENDS[quote]}]" if quote in ENDS else f"{quote}{begun['hashes']}"
