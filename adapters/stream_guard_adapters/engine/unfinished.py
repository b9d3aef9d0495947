"""`is_unfinished`: whether the arguments of a native call that are not valid JSON lack their end.

A call may have been cut off and have another fault too, and a parser only reports the first fault. So this parses no JSON: it
removes the strings, and counts the remaining brackets.

Rule: if the answer is undetermined, the arguments count as lacking their end. A call that was cut off is never sent on.
"""

from __future__ import annotations

import re
from typing import Final

import jiter

_STRING: Final = re.compile(
    r'"(?:[^"\\]++|\\.)*+"|(")[\s\S]*+'  # a string; the rest of the text after a quote that opens one and has no end
    r"|(?<=[{\[,:])\s*+(?:'(?:[^'\\]++|\\.)*+'|(')[\s\S]*+)",  # the same in single quotes, where a value or a key may stand
    re.DOTALL,
)

_GOES_ON: Final = re.compile(r"[{\[\"',:]")
"""Matches what may follow the last bracket only if the JSON goes on."""


def is_unfinished(arguments: str) -> bool:
    """Return whether the arguments of a call lack their last bracket, or end inside a string or after a comma."""
    left = _without_strings(arguments)
    if left.endswith(('"', "'")):  # the text ends inside the string that this opens
        return True
    opened, closed = left.count("{") + left.count("["), left.count("}") + left.count("]")
    if opened > closed:
        return True
    if opened:
        return _GOES_ON.search(left, max(left.rfind("}"), left.rfind("]")) + 1) is not None
    if not arguments or arguments.isspace():
        return False
    try:
        value = jiter.from_json(arguments.encode("utf-8", "surrogatepass"))
    except ValueError:  # no JSON, and nothing of an object
        return True
    # Some models quote the arguments.
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and is_unfinished(value)


def _without_strings(text: str) -> str:
    """Return the text without its strings. If a string has no end, its opening quote stays."""
    left, at = [], 0
    for found in _STRING.finditer(text):  # in steps: one call for all of them would keep other threads waiting
        left += [text[at : found.start()], found[1] or found[2] or ""]
        at = found.end()
    return "".join([*left, text[at:]])
