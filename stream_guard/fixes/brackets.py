"""Whether brackets that do not match, or are doubled, leave it uncertain where a member belongs.

A member may stand in another object than the one it was read in; the braces of a text may have been doubled with the block's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ..schema.fields import Field
from ..schema.violations import types_of
from ..values.call_keys import TOOL_KEY
from .catalogue import leaving

WITHOUT_A_BRACE: Final = leaving("last_brace")
"""The fixes after which it is uncertain where the last brace of a block belongs."""

_BRACES: Final = re.compile(r"\{+|\}+")
"""Matches a run of equal braces: `{{`, `}}`."""

_INTERPOLATED: Final = re.compile(r"(?<=>)[^<>{}]*\{\{ [\w.]+ \}\}[^<>{}]*(?=<)")
"""Matches a name that a page template puts between two tags: `>{{ title }}<`."""


def ends_too_late(value: Any, about: Field | None, lacking: frozenset[str] = frozenset()) -> bool:
    """Return whether the last object in a value has a member whose name an object around it lists and lacks.

    `lacking` are the members that objects further out lack.

    Then the brace that is missing at the end of the block may belong before that member.
    """
    if not isinstance(value, dict) or not value or about is None:
        return False
    key, last = next(reversed(value.items()))
    lacking |= about.members.keys() - value.keys()
    return isinstance(last, dict) and (not lacking.isdisjoint(last) or ends_too_late(last, about.members.get(key), lacking))


def lacks_an_object(value: Any, about: Field | None) -> bool:
    """Return whether a value, or an object inside it, lacks a member that its schema describes as an object or a list of
    objects.

    A closing bracket that is left over may be the end of that member, whose beginning was lost.
    """
    if isinstance(value, list):
        return any(lacks_an_object(item, about.items if about is not None else None) for item in value)
    if not isinstance(value, dict) or about is None:
        return False
    if any(_may_hold_an_object(member) for key, member in about.members.items() if key not in value):
        return True
    return any(lacks_an_object(item, about.members.get(key)) for key, item in value.items())


def _may_hold_an_object(field: Field | None) -> bool:
    """Return whether a field may hold an object, or a list of objects."""
    return field is None or may_be_an_object(field) or ("array" in field.kinds and _may_hold_an_object(field.items))


def may_be_an_object(field: Field | None) -> bool:
    """Return whether a field may hold an object, as far as its schema says."""
    types = types_of(field)
    return not types or "object" in types or bool(field is not None and field.members)


def are_doubled(texts: Iterable[str]) -> bool:
    """Return whether strings of a value have braces, and all that open are doubled (`{{`); where none opens, all that close.

    Those of a page template between tags do not count.
    """
    runs = [run for raw in texts for run in _BRACES.findall(_INTERPOLATED.sub("", raw) if "{{ " in raw else raw)]
    runs = [run for run in runs if run[0] == "{"] or runs
    return bool(runs) and not any(len(run) % 2 for run in runs)


def holds_open(value: Any, about: Field | None) -> bool:
    """Return whether a value is or holds an object that may have any members."""
    if isinstance(value, dict):
        if about is None or not about.closed:
            return True
        return any(holds_open(item, about.members.get(key)) for key, item in value.items())
    if isinstance(value, list):
        return any(holds_open(item, about.items if about is not None else None) for item in value)
    return False


def has_one_outside(value: Any, about: Field | None) -> bool:
    """Return whether a member that an object does not list stands beside one that does: a brace may close too early.

    Without any fix the text itself shows the member's place; beside a lost comma or another slip of the marks its place is
    undetermined.
    """
    if isinstance(value, list):
        return any(has_one_outside(item, about.at((at,)) if about is not None else None) for at, item in enumerate(value))
    if not isinstance(value, dict) or about is None:
        return False
    within = {key: about.at((key,)) for key, item in value.items() if isinstance(item, dict)}
    outside = value.keys() - about.members.keys() - {TOOL_KEY}
    if any(not outside.isdisjoint(inner.members) for inner in within.values() if inner is not None):
        return True
    return any(has_one_outside(item, about.at((key,))) for key, item in value.items())


def holds_an_empty_list(value: Any, about: Field | None) -> bool:
    """Return whether an empty list stands somewhere in a value where the schema also takes an object."""
    if isinstance(value, dict):
        members = about.members if about is not None else {}
        return any(holds_an_empty_list(item, members.get(key)) for key, item in value.items())
    if not isinstance(value, list):
        return False
    if not value:
        return may_be_an_object(about)
    return any(holds_an_empty_list(item, about.items if about is not None else None) for item in value)
