"""How many steps it takes to match a `pattern` of a schema at most, derived from its text.

An ordinary pattern takes the engine a step for each character and each place of the pattern that it may be at. A pattern that
looks around or back is matched by trying, which has no such bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

BACKTRACKS: Final = 10_000
"""How often the engine tries again, for one pattern that looks around or back, until it gives up: about half a millisecond."""

_LEAST: Final = 12
"""A pattern of so few places takes a nanosecond for each character: the engine remembers every set of places."""

_TRYING: Final = 64
"""The steps for a character where the engine cannot remember that, besides one for each place."""

_MOST_PLACES: Final = 4_000
"""Limit: places in all patterns of a schema from outside. More take the engine a tenth of a second to read."""


def is_linear(pattern: str) -> bool:
    """Return whether the linear engine takes a pattern: it looks neither around nor back, and is not too large."""
    import jsonschema_rs  # deferred, as in schema.py

    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions(), offline=True)
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


def unbounded_patterns(document: Any) -> Iterator[str]:
    """Yield the patterns of a schema that the linear engine does not take, and those that are too large together."""
    left, asked, places = [document], set[str](), 0
    while left:
        here = left.pop()
        if isinstance(here, list):
            left += here
        elif isinstance(here, Mapping):
            left += here.values()
            keyed = here.get("patternProperties")
            for pattern in (here.get("pattern"), *(keyed if isinstance(keyed, Mapping) else ())):
                if isinstance(pattern, str) and pattern not in asked:
                    asked.add(pattern)
                    places += weight(pattern)
                    if places > _MOST_PLACES or not is_linear(pattern):
                        yield pattern


def steps(pattern: str, linear: bool, count: int) -> int:
    """Return the most steps of matching a pattern with a text of `count` characters."""
    places, single = _measured(pattern)
    if not linear:  # each place of the text may be a beginning, and look at all of it
        return BACKTRACKS + count * count // 16 + count * places
    return count // 16 if single or places <= _LEAST else count * (places + _TRYING)


def weight(pattern: str) -> int:
    """Return how many places a pattern has, a counted repetition written out: at how many the engine may be at once."""
    return _measured(pattern)[0]


@lru_cache(maxsize=1024)
def _measured(pattern: str) -> tuple[int, bool]:
    """Return how many places a pattern has, and whether the engine is at one at a time.

    It is where the pattern is anchored, has no alternatives and repeats one thing for an uncertain number of times.
    """
    groups, last, varied = [0], 0, 0
    for found in _TOKEN.finditer(pattern):
        token = found[0]
        if token[0] == "(":
            groups.append(0)
            last = 0
        elif token == ")" and len(groups) > 1:  # noqa: S105  # no password
            last = groups.pop()
            groups[-1] += last
        elif token[0] in "*+?" or found["least"] is not None:
            least, most = found["least"], found["most"]
            varied += token[0] != "{" or (most is not None and most != least)
            times = int(most or least) if least else int(most) if most else 1
            groups[-1] += last * max(times - 1, 0)
            last *= max(times, 1)
        else:
            last = 1
            groups[-1] += 1
    return sum(groups), pattern.startswith("^") and varied <= 1 and "|" not in pattern


_TOKEN: Final = re.compile(
    r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?[:=!>]|\?<[=!]|\?P?<[^>]*>)?|\)"
    r"|\{(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\}|[*+?]|.",
    re.DOTALL,
)
"""What stands in a pattern: an escape, a class, the ends of a group, a repetition, a character."""
