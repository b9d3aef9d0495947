"""Finds the form that a value of a union (`oneOf`, `anyOf`) was meant to have, so that only its violations are reported.

Every branch that a value fails has its own violations; reported together they do not help. So:

1. If one field distinguishes the forms, its value chooses the branch; a missing or unknown value is itself the violation.
2. Otherwise the violations of the closest branch are reported: a branch that takes the kind of the value, with the fewest
violations.
3. If two branches are equally close, the violation is that no form fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..values.issues import JsonPath
from .fields import followed, resolve
from .violations import Violation

Discrimination = dict[tuple[type, Any], int]
"""The index of the branch that each value of the discriminating field chooses. A key has the value's type too, since JSON's
`true` is not 1."""


class Union(NamedTuple):
    """One `oneOf` or `anyOf` of a schema: its branches, and the field that distinguishes them."""

    forms: tuple[str, ...]
    """The name of each branch in messages."""

    key: str | None = None
    """The discriminating field, if there is one."""

    branches: Mapping[tuple[type, Any], int] | None = None
    """The index of the branch that each value of the discriminating field chooses."""

    members: tuple[tuple[str, ...], ...] = ()
    """The names of the fields that each branch lists."""

    @property
    def values(self) -> list[Any]:
        """The values of the discriminating field."""
        return [value for _, value in self.branches or ()]


def unknown(count: int) -> Union:
    """Return a union of which only the number of branches is known."""
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


def describe(document: Any, branches: Sequence[Any], discriminator: Any = None) -> Union:
    """Return the `Union` of these branches. `discriminator` is OpenAPI's keyword beside them, if there is one."""
    full = [_resolved(document, branch) for branch in branches]
    forms = tuple(_form(branch, schema) for branch, schema in zip(branches, full, strict=True))
    members = tuple(tuple(schema["properties"]) if _is_object(schema) else () for schema in full)
    objects = {index: schema for index, schema in enumerate(full) if _is_object(schema)}
    if len(objects) < 2:
        return Union(forms, members=members)
    named = discriminator.get("propertyName") if isinstance(discriminator, Mapping) else None
    first = next(iter(objects.values())).get("properties", {})
    for key in (named,) if isinstance(named, str) else first:
        chosen = _discrimination(document, objects, key)
        if chosen is not None:
            return Union(forms, key, chosen, members)
    return Union(forms, members=members)


def _discrimination(document: Any, objects: Mapping[int, Mapping[str, Any]], key: str) -> Discrimination | None:
    """Return the branch that each value of the field `key` chooses; None if the field does not distinguish the branches."""
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


# -- judged by the field that distinguishes the forms --------------------------------------------------------------------


class Decided(NamedTuple):
    """A schema whose unions are decided by the field that distinguishes their forms, wherever that is exact.

    A validator tries every branch of a union. Where a branch has unions again, as in every tree of typed nodes, the work
    multiplies with each level. Conditions say the same without that cost: `if` the field has this value, `then` that branch.
    """

    document: Mapping[str, Any]
    """The schema, with its decidable unions rewritten as conditions. It accepts the same values as the original."""

    unions: Mapping[JsonPath, Union]
    """The unions of the schema by path. One rewritten as a condition has the path of the rule that requires its field."""

    members: Mapping[JsonPath, tuple[str, ...]]
    """The names of the fields that each branch lists, by the path of the branch."""


def as_written(document: Mapping[str, Any]) -> Decided:
    """Return a schema unchanged, with its unions."""
    return Decided(document, find(document), {})


def decide(document: Mapping[str, Any]) -> Decided:
    """Return a schema with its unions decided; unchanged if it refers into a union, refers by name, or has an older draft."""
    if not _is_plain(document):
        return as_written(document)
    decider = _Decider(document)
    made = decider.schema(document, ())
    return Decided(made, {**find(made), **decider.unions}, decider.members)


_DRAFTS: Final = ("draft-07/", "draft/2019-09/", "draft/2020-12/")
_ELSEWHERE: Final = frozenset({"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"})


def _is_plain(document: Mapping[str, Any]) -> bool:
    """Return whether a schema may have conditions, and no reference in it leads into a union or to a name."""
    draft = document.get("$schema", _DRAFTS[-1])
    if not isinstance(draft, str) or not any(known in draft for known in _DRAFTS):
        return False
    left: list[Any] = list(document.values())
    while left:
        here = left.pop()
        if isinstance(here, list):
            left += here
        elif isinstance(here, Mapping):
            reference = here.get("$ref", "")
            if (
                not here.keys().isdisjoint(_ELSEWHERE)
                or isinstance(here.get("$id"), str)
                or isinstance(here.get("$schema"), str)
            ):
                return False
            if isinstance(reference, str) and (reference[:1] not in ("", "#") or "anyOf" in reference or "oneOf" in reference):
                return False
            left += here.values()
    return document.keys().isdisjoint(_ELSEWHERE)


_MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONES: Final = frozenset(
    {"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "not", "if", "then", "else"}
)


class _Decider:
    """Writes one schema anew, with its unions decided."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document: Final = document
        self.unions: Final[dict[JsonPath, Union]] = {}
        """The unions that have become conditions."""
        self.members: Final[dict[JsonPath, tuple[str, ...]]] = {}
        """The names of the fields that each branch lists, by the path of the branch."""

    def schema(self, here: Any, path: JsonPath) -> Any:
        """Return the schema at this path of the new document."""
        if not isinstance(here, Mapping):
            return here
        made: dict[str, Any] = {}
        for key, part in here.items():
            if key in _MAPS and isinstance(part, Mapping):
                made[key] = {name: self.schema(inner, (*path, key, name)) for name, inner in part.items()}
            elif key in ("anyOf", "oneOf") and isinstance(part, list):
                continue
            elif key in _LISTS and isinstance(part, list):
                made[key] = [self.schema(inner, (*path, key, index)) for index, inner in enumerate(part)]
            else:
                made[key] = self.schema(part, (*path, key)) if key in _ONES else part
        for key in ("anyOf", "oneOf"):
            if isinstance(here.get(key), list):
                union = describe(self._document, here[key], here.get("discriminator"))
                if _is_decided(self._document, here[key], union):
                    conditions = made.setdefault("allOf", [])
                    conditions.append(self._conditions(key, here[key], union, (*path, "allOf", len(conditions))))
                else:
                    made[key] = [self.schema(branch, (*path, key, index)) for index, branch in enumerate(here[key])]
        return made

    def _conditions(self, keyword: str, branches: Sequence[Any], union: Union, path: JsonPath) -> Mapping[str, Any]:
        """Return the conditions that replace a union, and accept the same values."""
        key, chosen = union.key, union.branches
        assert key is not None
        assert chosen is not None
        objects = list(dict.fromkeys(chosen.values()))
        cases: list[Mapping[str, Any]] = []
        whole, others = list(branches), list(branches)
        for index in objects:
            place = (*path, "then", "allOf", len(cases), "then")
            values = [value for (_, value), number in chosen.items() if number == index]
            cases.append({"if": {"properties": {key: {"enum": values}}}, "then": self.schema(branches[index], place)})
            self.members[_referred(self._document, branches[index]) or place] = union.members[index]
            whole[index], others[index] = {"$ref": _pointer(place)}, {"type": "object"}
        lacking = (*path, "else", "then")
        if all(key in _resolved(self._document, branches[index]).get("required", ()) for index in objects):
            self.unions[(*lacking, "required")] = union
            none: Mapping[str, Any] = {"required": [key]}
        else:
            self.unions[(*lacking, keyword)] = union
            none = {keyword: [branch if index in objects else False for index, branch in enumerate(whole)]}
        elsewhere = (*path, "else", "else", keyword)
        self.unions[elsewhere] = union
        rest = [self.schema(branch, (*elsewhere, index)) for index, branch in enumerate(others)]
        return {
            "if": {"type": "object", "required": [key]},
            "then": {"properties": {key: {"enum": union.values}}, "allOf": cases},
            "else": {"if": {"type": "object"}, "then": none, "else": {keyword: rest}},
        }


def _is_decided(document: Any, branches: Sequence[Any], union: Union) -> bool:
    """Return whether the value of the distinguishing field alone shows which branch a value may fit."""
    if union.key is None or union.branches is None:
        return False
    objects = set(union.branches.values())
    for index, branch in enumerate(branches):
        schema = _resolved(document, branch)
        if index in objects:
            if schema.get("type") != "object" or (isinstance(branch, Mapping) and "$ref" in branch and "properties" in branch):
                return False
        elif schema.get("type") not in ("string", "number", "integer", "boolean", "null", "array"):
            return False
    return True


def _referred(document: Any, branch: Any) -> JsonPath | None:
    """Return the path that a branch refers to; None if the branch is no reference."""
    if not isinstance(branch, Mapping) or resolve(document, branch.get("$ref")) is None:
        return None
    from urllib.parse import unquote  # deferred: most schemas refer to nothing

    steps = unquote(branch["$ref"]).split("/")[1:]
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def _pointer(path: JsonPath) -> str:
    from urllib.parse import quote  # deferred: most schemas have no unions

    return "#/" + "/".join(quote(str(step).replace("~", "~0").replace("/", "~1"), safe="~$") for step in path)


# -- which violations to report ------------------------------------------------------------------------------------------

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
    """Yield the violations of one branch. The violation of an unknown field lists the fields of that branch, since the field
    may belong to another branch.
    """
    known = list(union.members[branch]) if branch < len(union.members) else []
    for violation in violations:
        unknown = violation.keyword == "additionalProperties" and violation.path[:-1] == path and violation.expected is None
        yield violation._replace(expected=known) if unknown and known else violation


def _other_kind(violation: Violation, path: JsonPath) -> bool:
    return violation.path == path and violation.keyword in _KIND


def _no_kind(path: JsonPath, keyword: str, got: Any, violations: Sequence[Violation], union: Union) -> Violation:
    """Return the violation for a value of a type that no branch takes. It lists the types or values of all branches."""
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
