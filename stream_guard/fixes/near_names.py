"""Finds the members of an open schema's objects that are nearly a field that their object lacks.

An open schema takes any member, so a name with a slip is a member of its own, and the field that was meant stays empty. In a
block that is valid that is the writer's word. In one that was mended more than its marks may have been damaged.

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
    """Yield what a closed schema would find wrong with each member whose name is nearly that of a field that is absent.

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
    """Return whether a name is nearly one of these: by the rules of a hint, with a prefix, or with a slip in a short word."""
    if nearest_of(key, lacking) is not None or key.rpartition(".")[2] in lacking:
        return True
    return any(_slipped(key, name) for name in lacking if len(name) < _LONG)


def _slipped(key: str, name: str) -> bool:
    """Return whether one letter of a short name is missing or stands there twice, or two changed places."""
    if abs(len(key) - len(name)) > 1 or min(len(key), len(name)) < 2 or posed(key, name):
        return False
    if len(key) == len(name):
        return key != name and sorted(key) == sorted(name) and sum(one != two for one, two in zip(key, name, strict=True)) == 2
    longer, shorter = (key, name) if len(key) > len(name) else (name, key)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


_LONG = 5
"""From this length on, the rules of a hint find a name with one slip."""
