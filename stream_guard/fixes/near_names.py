"""Finds members that an open schema allows, and whose names are nearly that of a field that their object lacks.

An open schema takes any member. So a misspelt name counts as a member of its own, and the field that was meant is missing.
Where a block is valid as written, its writer is believed. Where it was mended, its names may be damaged as its marks were.

Rule: a name is compared with the fields of its own object alone, and only with those that the object lacks.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any, Final

from ..schema.fields import Field
from ..schema.spelling import nearest_of, posed, tokens
from ..schema.violations import Violation
from ..values.issues import JsonPath


def near_members(value: Any, about: Field | None, listed: Container[str] = (), path: JsonPath = ()) -> Iterator[Violation]:
    """Yield the violation that a closed schema would report for each member whose name is nearly that of a missing field.

    `listed` are names that the outermost object is allowed to have besides its fields.
    """
    if about is None:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from near_members(item, about.at((index,)), (), (*path, index))
    if not isinstance(value, dict):
        return
    lacking = [name for name in about.members if name not in value]
    for key, item in value.items():
        if key in about.members:
            yield from near_members(item, about.members[key], (), (*path, key))
        elif lacking and key not in listed and _is_near(key, lacking):
            yield Violation((*path, key), "additionalProperties", list(about.members), item)


def _is_near(key: str, lacking: list[str]) -> bool:
    """Return whether a name is nearly one of `lacking`: by the rules for hints, after a prefix (`file.path`), by a slip in a
    short name, or by shared words.
    """
    if nearest_of(key, lacking) is not None or key.rpartition(".")[2] in lacking:
        return True
    return any(_slipped(key, name) for name in lacking if len(name) < _LONG) or any(_shares(key, name) for name in lacking)


def _shares(key: str, name: str) -> bool:
    """Return whether two names share all words of one of them, or one begins or ends with the other.

    If digits are read as the letters that they look like, the names may also be equal or nearly so: a model that reads a
    picture confuses them.
    """
    if len(key) > _MOST:
        return False
    told, known = tokens(key), tokens(name)
    if set(told) <= set(known) or set(known) <= set(told):
        return True
    one, other = _read_off(key), _read_off(name)
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    alike = len(shorter) >= _SHORT and (longer.startswith(shorter) or longer.endswith(shorter))
    read = one == other or _slipped(one, other) or nearest_of(one, [other]) is not None
    return alike or (read and _DIGIT.search(key) is not None and not posed(key, name))


def _read_off(name: str) -> str:
    """Return a name in small letters, without separators, and with each digit replaced by the letter that it looks like."""
    return "".join(tokens(name)).translate(_LIKE_LETTERS)


def _slipped(key: str, name: str) -> bool:
    """Return whether two short names differ by one slip: a letter is missing or doubled, or two letters changed places."""
    if abs(len(key) - len(name)) > 1 or min(len(key), len(name)) < 2 or posed(key, name):
        return False
    if len(key) == len(name):
        return key != name and sorted(key) == sorted(name) and sum(one != two for one, two in zip(key, name, strict=True)) == 2
    longer, shorter = (key, name) if len(key) > len(name) else (name, key)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


_LIKE_LETTERS: Final = str.maketrans("0158i", "olsbl")
"""The letter that each digit looks like. `1` looks like `l` and `i`, so `i` becomes `l` too."""

_DIGIT: Final = re.compile("[0158]")
_SHORT: Final = 3
"""The fewest letters of a name that another name may begin or end with: shorter names fit too many."""

_MOST: Final = 128
"""The longest name that is compared."""

_LONG: Final = 5
"""The length from which on the rules for hints find a name with one slip."""
