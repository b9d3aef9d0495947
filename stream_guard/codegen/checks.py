"""The checks of generated modules: JSON Schema on plain data, with nothing but the standard library.

A generated module has to run where this package is not installed, beside the tool itself. So this file is not imported by it
but copied into it, from the line below the imports to the end.

Rule 1: a schema with a keyword that is not in `_CHECKS` is refused when code is generated.
Rule 2: its verdict is that of `schema/schema.py`; the same suite is run on both.
"""

# pyright: reportUnusedFunction=false
# (used by the functions that are written before them)

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from urllib.parse import unquote
from uuid import UUID

# -- copied into generated modules from here on ------------------------------------------------------------------------


@dataclass(frozen=True)
class Issue:
    """One rule that a payload breaks."""

    field: str
    """The field, dotted and indexed; empty for the payload as a whole."""

    constraint: str
    """The rule, in JSON Schema's word."""

    expected: Any = None
    """What the rule asks for."""

    got: Any = None
    """The value that broke the rule."""


class InvalidPayload(ValueError):
    """Raised for a payload that its tool does not take. `issues()` returns the reasons as data."""

    def __init__(self, tool: str, issues: list[Issue]) -> None:
        first = issues[0]
        super().__init__(f"{tool}: {first.field or 'payload'} breaks {first.constraint!r} ({len(issues)} in all)")
        self.tool = tool
        self._issues = issues

    def issues(self) -> list[Issue]:
        """Every rule that the payload breaks."""
        return self._issues


def _valid(tool: str, schema: Any, value: Any) -> Any:
    """The value, if the schema takes it."""
    try:
        issues = list(_issues(schema, value, "", schema))
    except RecursionError:
        issues = [Issue("", "depth")]
    if issues:
        raise InvalidPayload(tool, issues)
    return value


def _decoded(tool: str, text: str | bytes) -> Any:
    """A text as JSON, read strictly: no key twice, no NaN."""
    try:
        return json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidPayload(tool, [Issue("", "json", None, str(error)[:80])]) from None


def _no_key_twice(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("duplicate key")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _issues(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    """The rules of a schema that a value breaks."""
    if schema is True or schema == {}:
        return
    if schema is False:
        yield Issue(field, "falseSchema", None, value)
        return
    for keyword, check in _CHECKS.items():
        if keyword in schema:
            yield from check(schema, value, field, root)


def _fits(schema: Any, value: Any, root: Any) -> bool:
    return next(_issues(schema, value, "", root), None) is None


def _member(field: str, key: str) -> str:
    return f"{field}.{key}" if field else key


def _target(reference: str, root: Any) -> Any:
    here = root
    for step in unquote(reference.lstrip("#")).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        here = here[int(key)] if isinstance(here, list) else here[key]
    return here


def _is(kind: str, value: Any) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    return isinstance(value, _KINDS[kind]) if kind != "null" else value is None


_KINDS: dict[str, Any] = {"string": str, "boolean": bool, "array": list, "object": dict}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON, where `true` is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


@lru_cache(maxsize=256)
def _pattern(written: str) -> re.Pattern[str]:
    """A pattern as JSON Schema means it: a dollar is the very end, digits and letters are ASCII."""
    out, at, inside = "", 0, False
    while at < len(written):
        char = written[at]
        if char == "\\" and at + 1 < len(written):
            out, at = out + written[at : at + 2], at + 2
            continue
        inside = char == "[" or (inside and char != "]")
        out, at = out + (r"\Z" if char == "$" and not inside else char), at + 1
    return re.compile(out, re.ASCII)


def _ref(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    yield from _issues(_target(schema["$ref"], root), value, field, root)


def _type(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(kind, value) for kind in kinds):
        yield Issue(field, "type", kinds, value)


def _const(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
    if not _same(schema["const"], value):
        yield Issue(field, "const", schema["const"], value)


def _enum(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
    if not any(_same(allowed, value) for allowed in schema["enum"]):
        yield Issue(field, "enum", schema["enum"], value)


def _required(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
    for name in schema["required"] if isinstance(value, dict) else ():
        if name not in value:
            yield Issue(_member(field, name), "required")


def _dependent_required(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for name, needed in schema["dependentRequired"].items() if isinstance(value, dict) else ():
        if name in value:
            yield from _required({"required": needed}, value, field, root)


def _properties(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for name, inner in schema["properties"].items() if isinstance(value, dict) else ():
        if name in value:
            yield from _issues(inner, value[name], _member(field, name), root)


def _pattern_properties(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for written, inner in schema["patternProperties"].items() if isinstance(value, dict) else ():
        for name in value:
            if _pattern(written).search(name):
                yield from _issues(inner, value[name], _member(field, name), root)


def _additional(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    inner, listed, patterns = schema["additionalProperties"], schema.get("properties", {}), schema.get("patternProperties", {})
    for name in value if isinstance(value, dict) else ():
        if name not in listed and not any(_pattern(written).search(name) for written in patterns):
            if inner is False:
                yield Issue(_member(field, name), "additionalProperties", None, value[name])
            else:
                yield from _issues(inner, value[name], _member(field, name), root)


def _property_names(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for name in value if isinstance(value, dict) else ():
        if not _fits(schema["propertyNames"], name, root):
            yield Issue(_member(field, name), "propertyNames")


def _items(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    if isinstance(value, list):
        first = len(schema.get("prefixItems", ()))
        for index, item in enumerate(value[first:], first):
            yield from _issues(schema["items"], item, f"{field}[{index}]", root)


def _prefix_items(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    if isinstance(value, list):
        for index, (inner, item) in enumerate(zip(schema["prefixItems"], value, strict=False)):
            yield from _issues(inner, item, f"{field}[{index}]", root)


def _contains(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    if isinstance(value, list):
        count = sum(_fits(schema["contains"], item, root) for item in value)
        if not schema.get("minContains", 1) <= count <= schema.get("maxContains", len(value)):
            yield Issue(field, "contains", None, value)


def _unique(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
    if schema["uniqueItems"] and isinstance(value, list):
        if any(_same(one, other) for index, one in enumerate(value) for other in value[:index]):
            yield Issue(field, "uniqueItems", None, value)


def _bound(keyword: str, kind: Any, fits: Callable[[Any, Any], bool]) -> Callable[..., Iterator[Issue]]:
    def check(schema: Any, value: Any, field: str, _: Any) -> Iterator[Issue]:
        if isinstance(value, kind) and not isinstance(value, bool) and not fits(value, schema[keyword]):
            yield Issue(field, keyword, schema[keyword], value)

    return check


def _is_multiple(value: Any, of: Any) -> bool:
    return bool(Fraction(str(value)) % Fraction(str(of)) == 0)


def _has_format(value: str, name: str) -> bool:
    read = _FORMATS.get(name)
    if read is None:
        return True
    try:
        return bool(read(value))
    except ValueError:
        return False


_FORMATS: dict[str, Callable[[str], Any]] = {
    "date": lambda text: re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) and date.fromisoformat(text),
    "date-time": lambda text: (
        re.fullmatch(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", text, re.ASCII)
        and datetime.fromisoformat(re.sub(r"\.\d+", "", text.upper()).replace(":60", ":59"))
    ),
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text),
    "ipv4": lambda text: IPv4Address(text) and True,
    "ipv6": lambda text: "%" not in text and IPv6Address(text) and True,
    "uuid": lambda text: re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) and UUID(text),
}


def _all_of(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for branch in schema["allOf"]:
        yield from _issues(branch, value, field, root)


def _some_of(keyword: str) -> Callable[..., Iterator[Issue]]:
    def check(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
        branches = [list(_issues(branch, value, field, root)) for branch in schema[keyword]]
        fitting = sum(not issues for issues in branches)
        if fitting > 1 and keyword == "oneOf":
            yield Issue(field, keyword, None, value)
        elif not fitting:
            yield from _closest(branches, Issue(field, keyword, None, value))

    return check


def _closest(branches: list[list[Issue]], choice: Issue) -> list[Issue]:
    """Chooses which issues to report for a value that has none of several forms.

    A value of another kind than all of them is told the kinds; a field that tells the forms apart and is wrong for each is told
    its values; else the closest form speaks, and when several are as close, the choice itself is the issue.
    """
    kinds = [issue for issues in branches for issue in issues if issue.field == choice.field and issue.constraint == "type"]
    if len(kinds) == sum(map(len, branches)):
        return [Issue(choice.field, "type", [kind for issue in kinds for kind in issue.expected], choice.got)]
    ranks = [_rank(issues, choice.field) for issues in branches]
    same_kind = [issues for issues, rank in zip(branches, ranks, strict=True) if not rank[0]]
    telling = [{issue.field: issue for issue in issues if issue.constraint in ("const", "enum")} for issues in same_kind]
    for field, issue in telling[0].items() if len(telling) > 1 else ():
        if all(field in others for others in telling):
            found = [others[field] for others in telling]
            values = [
                value for other in found for value in (other.expected if other.constraint == "enum" else [other.expected])
            ]
            return [Issue(field, "enum", values, issue.got)]
    closest = [issues for issues, rank in zip(branches, ranks, strict=True) if rank == min(ranks)]
    alike = all([issue.field for issue in issues] == [issue.field for issue in closest[0]] for issues in closest)
    return closest[0] if alike and not ranks[branches.index(closest[0])][0] else [choice]


def _rank(issues: list[Issue], field: str) -> tuple[int, int, int]:
    """How far a value is from a form: is it another kind of value, does a telling field say another form, how much is wrong."""
    kinds = [issue for issue in issues if issue.constraint in ("type", "const", "enum")]
    telling = [issue for issue in kinds if issue.constraint != "type"]
    return sum(issue.field == field for issue in kinds), len(telling), len(issues)


def _not(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    if _fits(schema["not"], value, root):
        yield Issue(field, "not", None, value)


def _if(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    then = schema.get("then" if _fits(schema["if"], value, root) else "else", True)
    yield from _issues(then, value, field, root)


def _dependent_schemas(schema: Any, value: Any, field: str, root: Any) -> Iterator[Issue]:
    for name, inner in schema["dependentSchemas"].items() if isinstance(value, dict) else ():
        if name in value:
            yield from _issues(inner, value, field, root)


_NUMBER = (int, float)
_CHECKS: dict[str, Callable[..., Iterator[Issue]]] = {
    "$ref": _ref,
    "required": _required,
    "dependentRequired": _dependent_required,
    "type": _type,
    "const": _const,
    "enum": _enum,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "propertyNames": _property_names,
    "items": _items,
    "prefixItems": _prefix_items,
    "contains": _contains,
    "uniqueItems": _unique,
    "minimum": _bound("minimum", _NUMBER, lambda value, bound: value >= bound),
    "maximum": _bound("maximum", _NUMBER, lambda value, bound: value <= bound),
    "exclusiveMinimum": _bound("exclusiveMinimum", _NUMBER, lambda value, bound: value > bound),
    "exclusiveMaximum": _bound("exclusiveMaximum", _NUMBER, lambda value, bound: value < bound),
    "multipleOf": _bound("multipleOf", _NUMBER, _is_multiple),
    "minLength": _bound("minLength", str, lambda value, bound: len(value) >= bound),
    "maxLength": _bound("maxLength", str, lambda value, bound: len(value) <= bound),
    "pattern": _bound("pattern", str, lambda value, bound: bool(_pattern(bound).search(value))),
    "format": _bound("format", str, _has_format),
    "minItems": _bound("minItems", list, lambda value, bound: len(value) >= bound),
    "maxItems": _bound("maxItems", list, lambda value, bound: len(value) <= bound),
    "minProperties": _bound("minProperties", dict, lambda value, bound: len(value) >= bound),
    "maxProperties": _bound("maxProperties", dict, lambda value, bound: len(value) <= bound),
    "allOf": _all_of,
    "anyOf": _some_of("anyOf"),
    "oneOf": _some_of("oneOf"),
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
}
