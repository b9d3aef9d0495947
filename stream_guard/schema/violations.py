"""One broken rule of a schema, from any validator, and its message.

A `Violation` is what a validator reports: a place, a rule in JSON Schema's word, what was asked for and what stood there. The
schema's validator makes them, and so does whoever reads another library's error. `issue` puts one into words.

Rule 1: a message is built here; a validator's own message may quote the whole value.
Rule 2: a message states only what the violation contains, and infers no cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ..values.call_keys import PATH_KEY
from ..values.issues import JsonPath, ValidationIssue, shorten
from ..values.quoting import named, one_line, place
from .fields import Field
from .spelling import nearest_of


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule of a schema, before it is put into words."""

    path: JsonPath
    """The path of the value, or of the missing one."""

    keyword: str
    """The rule, in JSON Schema's word: `required`, `type`, `minimum` ..."""

    expected: Any
    """What the rule asks for."""

    got: Any
    """The value that broke the rule."""

    message: str = ""
    """The validator's own message, for rules without a message here."""


def issue(violation: Violation, tool: str | None = None, fields: Field | None = None) -> ValidationIssue:
    """Return the issue for a violation. The tool's name and fields make its message more specific."""
    name = place(violation.path)
    at = partial(ValidationIssue.at, violation.path)
    tool = named(tool) if tool else None
    if violation.keyword == "required":
        message = f'{tool} tool requires "{name}" field' if tool else f'Missing "{name}" field'
        known = violation.expected if isinstance(violation.expected, list) else None
        return at("required", message, "required", expected=known, got=violation.got)
    if violation.keyword in ("additionalProperties", "unevaluatedProperties"):
        holder = fields.at(violation.path[:-1]) if fields is not None and violation.path else None
        known = list(holder.members) if holder is not None else None
        message = f'{tool} tool has no "{name}" field' if tool else f'There is no "{name}" field'
        meant = nearest_of(violation.path[-1], known) if violation.path else None
        return at("unknown_field", message, violation.keyword, expected=known, got=violation.got, suggestion=meant)
    subject = f'"{name}"' if name else "The arguments" if tool else "It"
    if violation.keyword == "type":
        kinds = list(violation.expected) if isinstance(violation.expected, list | tuple) else [violation.expected]
        message = f"{subject} must be {either(article(str(kind)) for kind in kinds)}, not {article(type_name(violation.got))}"
        return at("type", message, "type", expected=kinds, got=violation.got)
    if violation.keyword == "minLength" and violation.path == (PATH_KEY,) and violation.got == "":
        return at("empty_path", f"{subject} must be a non-empty string", "minLength", expected=1, got="")
    words = _WORDS.get(violation.keyword)
    said = words(violation.expected) if words is not None else None
    message = f"{subject} {said}" if said else f"{subject}: {shorten(violation.message) or 'breaks a rule of the schema'}"
    meant = nearest_of(violation.got, violation.expected) if violation.keyword == "enum" else None
    return at("schema", message, violation.keyword, expected=violation.expected, got=violation.got, suggestion=meant)


def _count(noun: str, least: bool) -> Callable[[Any], str]:
    def words(limit: Any) -> str:
        return f"must have {'at least' if least else 'at most'} {number(limit)} {noun if limit == 1 else noun + 's'}"

    return words


def _of(words: str) -> Callable[[Any], str]:
    return lambda expected: words.format(number(expected))


def _forms(expected: Any) -> str:
    if not isinstance(expected, list | tuple) or not expected:
        return "must match exactly one of its schemas, and matches several"
    return f"must match one of its schemas: {listed(expected)}"


_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "enum": lambda values: f"must be {'one of: ' if len(values) > 1 else ''}{listed(values)}",
    "const": lambda value: f"must be {spelt(value)}",
    "pattern": _of("must match the pattern {}"),
    "format": _of("must have the format {}"),
    "minimum": _of("must be at least {}"),
    "maximum": _of("must be at most {}"),
    "exclusiveMinimum": _of("must be more than {}"),
    "exclusiveMaximum": _of("must be less than {}"),
    "multipleOf": _of("must be a multiple of {}"),
    "minLength": _count("character", least=True),
    "maxLength": _count("character", least=False),
    "minItems": _count("item", least=True),
    "maxItems": _count("item", least=False),
    "minProperties": _count("field", least=True),
    "maxProperties": _count("field", least=False),
    "uniqueItems": _of("must not contain the same item twice"),
    "contains": _of("must contain at least one required item"),
    "additionalItems": _of("has too many items"),
    "unevaluatedItems": _of("has too many items"),
    "propertyNames": _of("is not an allowed field name"),
    "falseSchema": _of("must not be given"),
    "not": _of("must not have this value"),
    "anyOf": _forms,
    "oneOf": _forms,
}
"""The message of each rule: the end of a sentence that begins with the field."""

MAX_VALUES: Final = 5
"""The most values listed in a message, before `…`."""


def first_values(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the first few values as strings."""
    texts = [value if isinstance(value, str) else spelt(value) for value in values]
    return tuple(texts if len(texts) <= MAX_VALUES else [*texts[:MAX_VALUES], "…"])


def listed(values: Iterable[Any]) -> str:
    """Return the first few values, separated by commas."""
    return ", ".join(one_line(str(shorten(value))) for value in first_values(values))


def spelt(value: Any) -> str:
    """Return a value as JSON spells it, shortened."""
    value = shorten(value)
    words: dict[Any, str] = {True: "true", False: "false", None: "null"}
    return words[value] if value is None or isinstance(value, bool) else number(value)


def number(value: Any) -> str:
    """Return a bound as text: `3`, not `3.0`."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(shorten(value))


def type_name(value: Any) -> str:
    """Return the JSON type of a value."""
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "boolean"),
    (str, "string"),
    (int, "number"),
    (float, "number"),
    (list, "array"),
    (tuple, "array"),
    (dict, "object"),
)


def article(name: str) -> str:
    """Return the name of a type with its article."""
    return name if name == "null" else f"an {name}" if name[:1] in "aeio" else f"a {name}"


def either(names: Iterable[str]) -> str:
    """Join names: `a`, `a or b`, `a, b, or c`."""
    names = tuple(names)
    if len(names) < 3:
        return " or ".join(names)
    return f"{', '.join(names[:-1])}, or {names[-1]}"


def choice(names: Sequence[str]) -> str:
    """Return the names to choose from: all of a few, the first of many."""
    return either(names) if len(names) <= MAX_VALUES else f"one of: {listed(names)}"
