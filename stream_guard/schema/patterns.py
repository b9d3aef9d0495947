"""How many steps it takes to match a `pattern` of a schema at most, derived from its text.

An ordinary pattern takes the engine a step for each character and each place of the pattern that it may be at. A pattern that
looks around or back is matched by trying one way after the other, which has no such bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ..values.late import late

BACKTRACKS: Final = 10_000
"""How often the engine tries again with a pattern that looks around or back before it gives up: about half a millisecond."""

_LEAST: Final = 12
"""Up to this number of places a pattern takes a nanosecond for each character: the engine remembers every set of places."""

_TRYING: Final = 64
"""The steps for a character, besides one for each place, where the engine cannot remember every set of places."""

_MOST_PLACES: Final = 4_000
"""Limit: places in all patterns of a schema from outside. More take the engine a tenth of a second to read."""

PATTERN_ROOM: Final = 8 * 1024 * 1024
"""Limit: bytes that all patterns of a schema from outside take when they are compiled. A place at which any letter may stand
takes 50,000 bytes."""

_LEAST_BYTES: Final = 4_096
"""The bytes of the smallest pattern."""


def is_linear(pattern: str, most: int | None = None) -> bool:
    """Return whether the linear engine takes a pattern: it looks neither around nor back, and is not too large.

    Args:
        pattern: The pattern.
        most: The most bytes that it may take when it is compiled; the engine's own limit if it is not given.
    """
    import jsonschema_rs  # deferred, as in schema.py

    options = jsonschema_rs.RegexOptions(size_limit=most)
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options, offline=True)
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


UNCHECKED: Final = "unchecked pattern"
"""The keyword of a schema that has lost a pattern. A string or an object that it applies to counts as taking too many steps."""


class Bounded(NamedTuple):
    """A schema with only patterns that the linear engine takes."""

    schema: Any

    whole: bool
    """Whether the bounded schema has all rules of the schema from which it was made: no pattern was taken out."""

    size: int
    """The bytes that the patterns of the schema take when they are compiled."""


def bounded(document: Any, room: int = PATTERN_ROOM) -> Bounded:
    """Return a schema with only patterns that the linear engine takes, and that take no more than `room` bytes.

    Look-aheads at the beginning of a pattern become patterns of their own. A pattern that cannot be divided in this way, and
    patterns that are too large together, are taken out. `UNCHECKED` stands in their place, and no value to which they applied
    is accepted.
    """
    known: dict[str, tuple[_Part, ...] | None] = {}
    places, size, whole = 0, 0, True

    def parts_of(pattern: str) -> tuple[_Part, ...] | None:
        nonlocal places, size
        if pattern not in known:
            places += weight(pattern)
            parts = _divided(pattern) if places <= _MOST_PLACES and size < room else None
            taken = sum(_size(part, room) for part, _ in parts or ())
            known[pattern] = parts if size + taken <= room else None
            size = min(size + taken, room)  # what does not fit ends it, so that no more of them are measured
        return known[pattern]

    def schemas_of(node: Any) -> Any:
        return {name: made_of(value) for name, value in node.items()} if isinstance(node, Mapping) else node

    def made_of(node: Any) -> Any:
        nonlocal whole
        if isinstance(node, list):
            return [made_of(item) for item in node]
        if not isinstance(node, Mapping):
            return node
        made = {
            key: value if key in _DATA else schemas_of(value) if key in _NAMED else made_of(value)
            for key, value in node.items()
        }
        pattern, keyed = made.get("pattern"), made.get("patternProperties")
        if isinstance(keyed, Mapping):
            made["patternProperties"] = {name: value for name, value in keyed.items() if parts_of(name) == ((name, True),)}
            if len(made["patternProperties"]) < len(keyed):
                made[UNCHECKED] = True
        if isinstance(pattern, str):
            parts = parts_of(pattern)
            if parts is None:
                del made["pattern"]
                made[UNCHECKED] = True
            elif len(parts) > 1:
                *ahead, (made["pattern"], _) = parts
                rules = [{"pattern": part} if wanted else {"not": {"pattern": part}} for part, wanted in ahead]
                made["allOf"] = [*made.get("allOf", ()), *rules]
        whole = whole and UNCHECKED not in made
        return made

    made = made_of(document)
    return Bounded(made, whole, size)


def _size(pattern: str, most: int) -> int:
    """Return how many bytes a pattern takes when it is compiled, rounded up to a power of two; more than `most` if more."""
    size = _LEAST_BYTES
    while size <= most and not is_linear(pattern, size):
        size *= 2
    return size


_Part = tuple[str, bool]
"""A pattern, and whether a text must match it (True) or must not (False)."""


_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})
"""The keywords whose value is an object of schemas by name."""

_DATA: Final = frozenset({"const", "enum", "default", "example", "examples"})
"""The keywords whose value is data, in which nothing is read as a pattern."""


def _divided(pattern: str) -> tuple[_Part, ...] | None:
    """Return the patterns that together demand what `pattern` demands, without look-ahead, the rest of `pattern` last; None if
    it cannot be divided.

    `^(?!A)(?=B)C` is `not ^A`, `^B` and `^C`. After the `^`, a look-ahead has a fixed place, and makes a demand on the text
    from there.
    """
    if is_linear(pattern):
        return ((pattern, True),)
    if not pattern.startswith("^"):
        return None
    found: list[_Part] = []
    rest = pattern[1:]
    while rest.startswith(("(?=", "(?!")):
        end = _group_end(rest)
        if end is None or _QUANTIFIER.match(rest, end):
            return None
        found.append((f"^(?:{rest[3 : end - 1]})", rest[2] == "="))
        rest = rest[end:]
    if _is_alternative(rest):  # `^(?!A)B|C`: the look-ahead belongs to one of them
        return None
    found.append((f"^{rest}", True))
    return tuple(found) if all(is_linear(part) for part, _ in found) else None


def _group_end(pattern: str) -> int | None:
    """Return the place after the group with which a pattern begins; None if the group has no end."""
    depth = 0
    for token in _TOKEN.finditer(pattern):
        depth += (token[0][0] == "(") - (token[0] == ")")
        if not depth:
            return token.end()
    return None


def _is_alternative(pattern: str) -> bool:
    """Return whether a pattern has alternatives that are in no group."""
    depth = 0
    for token in _TOKEN.finditer(pattern):
        depth += (token[0][0] == "(") - (token[0] == ")")
        if token[0] == "|" and not depth:
            return True
    return False


_QUANTIFIER: Final = late(r"[*+?{]")


def steps(pattern: str, linear: bool, count: int) -> int:
    """Return the most steps of matching a pattern with a text of `count` characters."""
    places, single = _measured(pattern)
    if not linear:  # each place of the text may be a beginning, and look at all of it
        return BACKTRACKS + count * count // 16 + count * places
    return count // 16 if single or places <= _LEAST else count * (places + _TRYING)


def weight(pattern: str) -> int:
    """Return how many places of a pattern the engine may be at together: its places, with counted repetitions (`a{3}`) written
    out.
    """
    return _measured(pattern)[0]


@lru_cache(maxsize=1024)
def _measured(pattern: str) -> tuple[int, bool]:
    """Return how many places a pattern has, and whether the engine is at only one of them at a time. The engine is, if the
    pattern is anchored, has no alternatives, and repeats only one thing for an uncertain number of times.
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


_TOKEN: Final = late(
    r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?[:=!>]|\?<[=!]|\?P?<[^>]*>)?|\)"
    r"|\{(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\}|[*+?]|.",
    re.DOTALL,
)
"""Matches one part of a pattern: an escape, a class, the begin or end of a group, a repetition, or a character."""
