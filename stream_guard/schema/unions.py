"""A value that may take one of several forms (`oneOf`, `anyOf`): which form was meant, so that one form's violations are told.

Every branch that a value fails has its own violations; told together they teach nothing. So:

1. Where one field tells the forms apart, that field decides: its value chooses the branch, a missing or unknown value is itself
   the violation.
2. Else the closest branch speaks: one whose kind of value it is, with the fewest violations.
3. When two are as close, the violation is the choice itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ..values.issues import JsonPath
from .fields import followed
from .violations import Violation

Discrimination = dict[tuple[type, Any], int]
"""Which branch a value of the telling field chooses. JSON's `true` is not its `1`, so the type is part of the key."""


@dataclass(frozen=True, slots=True)
class Union:
    """One `oneOf` or `anyOf` of a schema: its branches, and how to tell them apart."""

    forms: tuple[str, ...]
    """What to call each branch."""

    key: str | None = None
    """The field that tells them apart, if one does."""

    branches: Mapping[tuple[type, Any], int] | None = None
    """Which branch each of its values chooses."""

    members: tuple[tuple[str, ...], ...] = ()
    """The names of the fields that each branch lists."""

    @property
    def values(self) -> list[Any]:
        """The values of the telling field."""
        return [value for _, value in self.branches or ()]


def unknown(count: int) -> Union:
    """A union of which nothing is known but how many branches it has."""
    return Union(tuple(f"form {number}" for number in range(1, count + 1)))


def find(document: Any) -> dict[JsonPath, Union]:
    """Return every union of a schema, by its path."""
    return dict(_find(document, document, ()))


def _find(document: Any, here: Any, path: JsonPath) -> Iterator[tuple[JsonPath, Union]]:
    if isinstance(here, Mapping):
        for key, part in here.items():
            if key in ("oneOf", "anyOf") and isinstance(part, list):
                yield (*path, key), describe(document, part, here.get("discriminator"))
            yield from _find(document, part, (*path, key))
    elif isinstance(here, list):
        for index, part in enumerate(here):
            yield from _find(document, part, (*path, index))


def describe(document: Any, branches: Sequence[Any], told: Any = None) -> Union:
    """A union: what to call its branches, and the field that tells them apart. `told` is OpenAPI's `discriminator`."""
    full = [_resolved(document, branch) for branch in branches]
    forms = tuple(_form(branch, schema) for branch, schema in zip(branches, full, strict=True))
    members = tuple(tuple(schema["properties"]) if _is_object(schema) else () for schema in full)
    objects = {index: schema for index, schema in enumerate(full) if _is_object(schema)}
    if len(objects) < 2:
        return Union(forms, members=members)
    named = told.get("propertyName") if isinstance(told, Mapping) else None
    first = next(iter(objects.values())).get("properties", {})
    for key in (named,) if isinstance(named, str) else first:
        chosen = _discrimination(document, objects, key)
        if chosen is not None:
            return Union(forms, key, chosen, members)
    return Union(forms, members=members)


def _discrimination(document: Any, objects: Mapping[int, Mapping[str, Any]], key: str) -> Discrimination | None:
    """Which branch each value of this field chooses; None when it does not tell them apart."""
    chosen: Discrimination = {}
    for index, schema in objects.items():
        field = _resolved(document, schema.get("properties", {}).get(key))
        values = [field["const"]] if "const" in field else field.get("enum")
        if not values:
            return None
        for value in values:
            if not isinstance(value, str | int | bool) or (type(value), value) in chosen:
                return None
            chosen[type(value), value] = index
    return chosen


def _resolved(document: Any, schema: Any) -> Mapping[str, Any]:
    schema = followed(document, schema, alone=False)
    return schema if isinstance(schema, Mapping) else {}


def _is_object(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("properties"), Mapping) and schema.get("type", "object") == "object"


def _form(branch: Any, schema: Mapping[str, Any]) -> str:
    reference = branch.get("$ref") if isinstance(branch, Mapping) else None
    title = schema.get("title") or (reference.rpartition("/")[2] if isinstance(reference, str) else None)
    if isinstance(title, str) and title:
        return title
    required = schema.get("required")
    if required:
        return "with " + " and ".join(f'"{name}"' for name in required)
    if "const" in schema:
        return repr(schema["const"])
    kind = schema.get("type")
    return kind if isinstance(kind, str) else "another form"


_KIND: Final = frozenset({"type", "const", "enum"})


def choose(
    path: JsonPath, keyword: str, got: Any, violations: Sequence[Sequence[Violation]], union: Union
) -> Iterable[Violation]:
    """Return the violations to report for a value that fails every branch of a union; `violations` has those of each branch."""
    if isinstance(got, Mapping) and union.key is not None and union.branches is not None:
        if union.key not in got:
            return (Violation((*path, union.key), "required", union.values, None),)
        value = got[union.key]
        branch = union.branches.get((type(value), value)) if isinstance(value, str | int | bool) else None
        if branch is None:
            return (Violation((*path, union.key), "enum", union.values, value),)
        return _of_branch(path, violations[branch], union, branch)
    fitting = [
        index for index, branch in enumerate(violations) if not any(_other_kind(violation, path) for violation in branch)
    ]
    if not fitting:
        return (
            _no_kind(
                path,
                keyword,
                got,
                [violation for branch in violations for violation in branch if violation.path == path],
                union,
            ),
        )
    fewest = min(len(violations[index]) for index in fitting)
    closest = [index for index in fitting if len(violations[index]) == fewest]
    same = {tuple((violation.path, violation.keyword) for violation in violations[index]) for index in closest}
    if len(same) > 1:
        return (Violation(path, keyword, [union.forms[index] for index in closest], got),)
    return _of_branch(path, violations[closest[0]], union, closest[0])


def _of_branch(path: JsonPath, violations: Sequence[Violation], union: Union, branch: int) -> Iterator[Violation]:
    """Yield the violations of a branch. Of a field that it does not have they say which it has: another may have that one."""
    known = list(union.members[branch]) if branch < len(union.members) else []
    for violation in violations:
        unknown = violation.keyword == "additionalProperties" and violation.path[:-1] == path and violation.expected is None
        yield replace(violation, expected=known) if unknown and known else violation


def _other_kind(violation: Violation, path: JsonPath) -> bool:
    return violation.path == path and violation.keyword in _KIND


def _no_kind(path: JsonPath, keyword: str, got: Any, violations: Sequence[Violation], union: Union) -> Violation:
    """A value of a kind that no branch takes: what kinds or values they take, together."""
    if all(violation.keyword == "type" for violation in violations):
        return Violation(
            path, "type", list(dict.fromkeys(kind for violation in violations for kind in violation.expected)), got
        )
    values: list[Any] = []
    for violation in violations:
        if violation.keyword == "type" and list(violation.expected) == ["null"]:
            values.append(None)
        elif violation.keyword in ("const", "enum"):
            values += violation.expected if violation.keyword == "enum" else [violation.expected]
        else:
            return Violation(path, keyword, list(union.forms), got)
    return Violation(path, "enum", values, got)
