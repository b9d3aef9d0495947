"""Finds members that an open schema allows, and whose names are nearly that of a field that their object lacks.

An open schema takes any member. So a misspelt name counts as a member of its own, and the field that was meant is missing.
Where a block is valid as written, its writer is believed. Where it was mended, its names may be damaged as its marks were.

Rule: a name is compared with the fields of its own object alone, and only with those that the object lacks.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from ..schema.fields import Field
from ..schema.spelling import nearest_of, posed
from ..schema.violations import Violation
from ..values.issues import JsonPath


def near_members(value: Any, about: Field | None, listed: Container[str] = (), path: JsonPath = ()) -> Iterator[Violation]:
    """Yield the violation that a closed schema would report for each member whose name is nearly that of a missing field.

    `listed` are the names that the outermost object may have besides its fields.
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
    """Return whether a name is nearly one of these: by the rules of hints, behind `PREFIX.`, or with a slip in a short one."""
    if nearest_of(key, lacking) is not None or key.rpartition(".")[2] in lacking:
        return True
    return any(_slipped(key, name) for name in lacking if len(name) < _LONG)


def _slipped(key: str, name: str) -> bool:
    """Return whether a short name differs by one slip: a letter is missing or doubled, or two letters changed places."""
    if abs(len(key) - len(name)) > 1 or min(len(key), len(name)) < 2 or posed(key, name):
        return False
    if len(key) == len(name):
        return key != name and sorted(key) == sorted(name) and sum(one != two for one, two in zip(key, name, strict=True)) == 2
    longer, shorter = (key, name) if len(key) > len(name) else (name, key)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


_LONG = 5
"""The length from which on hints find a name with one slip by their own rules."""
