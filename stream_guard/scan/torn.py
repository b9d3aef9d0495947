"""`ends_torn`: whether a body that is no JSON may have ended in a text of it, for all that it can be read as a call.

A quote that is not escaped tears the text it stands in, and what was a text seems to be members: `"content": "see {"x": "a",
"b": 5}` has a `content`, a `b` and a last brace. But the brace that opened in the text shows whose brace the last one is.

Rule: no quote shows where a torn text ends. So brackets count wherever they stand, as `Unended` counts them in prose.
"""

from __future__ import annotations

import re
from typing import Final

from ..values.late import late

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
