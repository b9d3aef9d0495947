"""`Violation`: one broken rule of a schema, from any validator, and its message.

A `Violation` has a place, a rule in JSON Schema's word, the expected value and the actual one. `schema.py` makes them, and so
does `other_errors.py`. `issue` puts one into words.

Rule 1: a message is built here; a validator's own message may quote the whole value.
Rule 2: a message states only what the violation contains, and infers no cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from ..values.call_keys import PATH_KEY
from ..values.issues import JsonPath, ValidationIssue, shorten
from ..values.quoting import named, one_line, place
from ..values.wording import ONE_OF, RULES, SUBJECTS, sentence
from .fields import Field
from .spelling import nearest_choice, nearest_of


class Violation(NamedTuple):
    """One broken rule of a schema, before it is put into words."""

    path: JsonPath
    """The path of the value, or of the missing member."""

    keyword: str
    """The rule, in JSON Schema's word: `required`, `type`, `minimum` ..."""

    expected: Any
    """The value that the rule expects."""

    got: Any
    """The value that broke the rule."""

    message: str = ""
    """The validator's own message, for rules without a message here."""


def issue(violation: Violation, tool: str | None = None, fields: Field | None = None) -> ValidationIssue:
    """Return the issue for a violation. If the tool's name and fields are given, its message is more specific."""
    name = place(violation.path)
    at = partial(ValidationIssue.at, violation.path)
    tool = named(tool) if tool else None
    if violation.keyword == "required":
        message = sentence("required.tool" if tool else "required", tool=tool, field=name)
        known = violation.expected if isinstance(violation.expected, list) else None
        return at("required", message, "required", expected=known, got=violation.got)
    if violation.keyword in ("additionalProperties", "unevaluatedProperties"):
        return _unknown_field(violation, tool, fields)
    if violation.keyword == "steps":
        return at("too_complex", sentence("too_complex", most=violation.expected), "steps", expected=violation.expected)
    subject = SUBJECTS["field" if name else "arguments" if tool else "value"].format(field=name)
    if violation.keyword == "type":
        kinds = list(violation.expected) if isinstance(violation.expected, list | tuple) else [violation.expected]
        wanted = either(article(str(kind)) for kind in kinds)
        message = sentence("type", subject=subject, kinds=wanted, kind=article(type_name(violation.got)))
        return at("type", message, "type", expected=kinds, got=violation.got)
    if violation.keyword == "minLength" and violation.path == (PATH_KEY,) and violation.got == "":
        return at("empty_path", sentence("empty_path"), "minLength", expected=1, got="")
    meant = nearest_choice(violation.got, violation.expected) if violation.keyword == "enum" else None
    message = _broken_rule(violation, subject)
    return at("schema", message, violation.keyword, expected=violation.expected, got=violation.got, suggestion=meant)


def _unknown_field(violation: Violation, tool: str | None, fields: Field | None) -> ValidationIssue:
    """Return the issue for a field that its object does not have, with the field that was probably meant."""
    known = violation.expected if isinstance(violation.expected, list) else None
    if known is None:
        holder = fields.at(violation.path[:-1]) if fields is not None and violation.path else None
        known = list(holder.members) if holder is not None else None
    message = sentence("unknown_field.tool" if tool else "unknown_field", tool=tool, field=place(violation.path))
    meant = nearest_of(violation.path[-1], known) if violation.path else None
    if fields is not None and len(violation.path) == 1:
        meant = fields.one_inside(str(violation.path[0])) or meant
    more: Any = {"expected": known, "got": violation.got, "suggestion": meant}
    return ValidationIssue.at(violation.path, "unknown_field", message, violation.keyword, **more)


def _broken_rule(violation: Violation, subject: str) -> str:
    """Return the message of a broken rule, with `subject` as its subject. A rule without a message here has the validator's
    own.
    """
    rule = _rule(violation.keyword, violation.expected)
    if rule is not None:
        return sentence("schema", subject=subject, rule=rule)
    key = "schema.other" if violation.message else "schema.unknown"
    return sentence(key, subject=subject, words=shorten(violation.message))


def _rule(keyword: str, asked: Any) -> str | None:
    """Return the message of a rule, as the end of a sentence; None for a rule that has no message."""
    if keyword in ("anyOf", "oneOf"):
        has_list = isinstance(asked, list | tuple) and len(asked) > 0
        return RULES[keyword].format(asked=listed(asked)) if has_list else RULES[f"{keyword}.several"]
    if keyword == "enum":
        return RULES["enum" if len(asked) > 1 else "enum.one"].format(asked=listed(asked))
    one = f"{keyword}.one"
    words = RULES[one] if asked == 1 and one in RULES else RULES.get(keyword)
    return words.format(asked=spelt(asked) if keyword == "const" else number(asked)) if words is not None else None


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


def kind_of(value: Any) -> str:
    """Return the type of a value as a schema names it: an integer is not called a number."""
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"


def types_of(field: Field | None) -> frozenset[str]:
    """Return the JSON types that a field allows; empty if it allows any."""
    if field is None:
        return frozenset()
    return frozenset(field.kinds) or frozenset(map(kind_of, field.allowed))


def type_name(value: Any) -> str:
    """Return the JSON type of a value. JSON itself has no integers: `3` is a number."""
    kind = kind_of(value)
    return "number" if kind == "integer" else kind


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "boolean"),
    (str, "string"),
    (int, "integer"),
    (float, "number"),
    (list, "array"),
    (tuple, "array"),
    (dict, "object"),
)


def article(name: str) -> str:
    """Return the name of a type with its article: `an array`, `a string`."""
    return name if name == "null" else f"an {name}" if name[:1] in "aeio" else f"a {name}"


def either(names: Iterable[str]) -> str:
    """Join names: `a`, `a or b`, `a, b, or c`."""
    names = tuple(names)
    if len(names) < 3:
        return " or ".join(names)
    return f"{', '.join(names[:-1])}, or {names[-1]}"


def choice(names: Sequence[str]) -> str:
    """Return the names to choose from: all of them if they are few, else the first ones."""
    return either(names) if len(names) <= MAX_VALUES else ONE_OF.format(names=listed(names))
