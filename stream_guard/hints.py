"""What a model needs to know to get its next call right.

`build_hint` turns the issues of one failed block into one `RetryHint`: why it failed, what to do about it, and the broken rule
as data. Reason and recovery are two things: why a call failed does not say what to do next.

Rule 1: a hint claims no more than the issues say. A block that was cut off is told so, and never that a field is missing.
Rule 2: a hint is short: `MAX_FIELDS` fields, `MAX_VALUES` values, one question. A field is spoken of by its description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from .issues import ValidationIssue
    from .toolset import Tool, Toolset

MAX_FIELDS: Final = 3
"""How many fields a hint speaks of."""

MAX_VALUES: Final = 5
"""How many allowed values it lists, before it says `…`."""

Reason = Literal["invalid_arguments", "missing_fields", "malformed_json", "truncated", "unknown_tool", "not_checked"]
"""Why the call failed."""

Recovery = Literal["correct_call", "replan", "finish"]
"""What to do now: send the same call corrected, think again, or stop."""


@dataclass(frozen=True, slots=True)
class RetryHint:
    """One hint for one failed call."""

    reason: Reason
    """Why the call failed."""

    recovery: Recovery
    """What to do about it."""

    tool: str | None
    """The tool that was called, as the model named it."""

    message: str
    """What to tell the model, in two or three sentences."""

    fields: tuple[str, ...] = ()
    """The fields in question, dotted; three at most."""

    missing_fields: tuple[str, ...] = ()
    """Those of `fields` that were not there at all."""

    allowed_values: tuple[str, ...] = ()
    """What may stand there; five at most, then `…`."""

    pattern: str | None = None
    """The pattern a text must match."""

    minimum: float | None = None
    """The least that is allowed: of a number, a length or a count."""

    maximum: float | None = None
    """The most that is allowed."""

    format: str | None = None
    """The format a text must have."""

    clarifying_question: str | None = None
    """One question that would settle it."""

    example_input: dict[str, Any] | None = None
    """The call as it was, with placeholders for what is missing; only when something is."""


_MINIMA: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MAXIMA: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})

_ADVICE: Final = {
    "control_character": "Inside a JSON string write a line break as \\n and a tab as \\t.",
    "invalid_escape": "Inside a JSON string write a backslash as \\\\.",
    "unterminated": "Close every string, object and array.",
    "trailing_garbage": "Write one JSON object between the fences, and nothing else.",
    "duplicate_key": "Give each field once.",
    "not_a_number": "JSON has neither NaN nor Infinity; use null or a number.",
    "number_range": "Use a smaller number.",
    "too_deep": "Nest less deeply.",
    "too_many_values": "Send fewer values at once.",
    "lone_surrogate": "Write characters outside the basic plane as such, not as half of a pair.",
    "empty_block": "Write one JSON object between the fences.",
    "ambiguous_end": "Inside a JSON string write a line break as \\n, so that no fence stands on a line of its own.",
}
"""What to do about what is not JSON, by code."""

_PLACEHOLDERS: Final[Mapping[str, Any]] = {"number": 0, "integer": 0, "boolean": False, "array": [], "null": None}
_LONGEST_EXAMPLE: Final = 80


def build_hint(
    issues: Sequence[ValidationIssue], tools: Toolset, *, tool: str | None = None, arguments: Mapping[str, Any] | None = None
) -> RetryHint | None:
    """The hint for a block that failed with these issues; None when nothing is wrong with it.

    Args:
        issues: What is wrong, the most telling first.
        tools: The tools it may be meant for.
        tool: The tool as the model named it.
        arguments: The block's object, if it is one.
    """
    errors = [issue for issue in issues if issue.severity == "error"]
    if not errors:
        return None
    first = errors[0]
    if first.code in ("truncated", "oversize"):
        return RetryHint(
            "truncated", "correct_call", tool, f"{first.message}. Nothing was run. Send it again, in smaller parts."
        )
    if first.code in ("guard_error", "correction_refused"):
        return RetryHint("not_checked", "replan", tool, f"{first.message}. Nothing was run.")
    if first.constraint == "json" or first.code == "ambiguous_end":
        advice = _ADVICE.get(first.code, "Write one valid JSON object between the fences, with double quotes.")
        place = f", column {first.column}" if first.column is not None else ""
        return RetryHint("malformed_json", "correct_call", tool, f"{first.message}{place}. {advice}")
    if first.code in ("missing_tool", "invalid_tool", "not_an_object"):
        return _which_tool(first, tools, tool)
    known = tools.get(tool) if tool is not None else None
    return _arguments(errors, known, tool, arguments or {})


def _which_tool(issue: ValidationIssue, tools: Toolset, name: str | None) -> RetryHint:
    nearest = tools.nearest(name) if name is not None else None
    advice = f'Did you mean "{nearest.name}"?' if nearest else f'Name one in "tool": {_listed(tools.names)}.'
    return RetryHint(
        "unknown_tool",
        "correct_call" if nearest or name is None else "replan",
        name,
        f"{issue.message}. {advice}",
        fields=("tool",),
        missing_fields=("tool",) if issue.code == "missing_tool" else (),
        allowed_values=_values(tools.names),
        clarifying_question="Which tool is to be called?",
    )


def _arguments(errors: Sequence[ValidationIssue], known: Tool | None, tool: str | None, given: Mapping[str, Any]) -> RetryHint:
    shown = errors[:MAX_FIELDS]
    fields = tuple(dict.fromkeys(issue.field for issue in shown if issue.field))
    missing = tuple(dict.fromkeys(issue.field for issue in shown if issue.code == "required"))
    rules = {issue.constraint: issue for issue in reversed(shown)}  # the first of a kind wins
    allowed = rules["enum"].expected if "enum" in rules else None
    more = f" ({len(errors) - len(shown)} more)" if len(errors) > len(shown) else ""
    return RetryHint(
        "missing_fields" if len(missing) == len(shown) else "invalid_arguments",
        "correct_call",
        tool,
        f"{'. '.join(issue.message for issue in shown)}{more}. Nothing was run. Send the call again, corrected.",
        fields=fields,
        missing_fields=missing,
        allowed_values=_values(allowed if isinstance(allowed, list | tuple) else ()),
        pattern=_first(rules, {"pattern"}, str),
        minimum=_first(rules, _MINIMA, (int, float)),
        maximum=_first(rules, _MAXIMA, (int, float)),
        format=_first(rules, {"format"}, str),
        clarifying_question=_question(fields, known),
        example_input=_example(missing, known, given) if missing and known is not None else None,
    )


def _first(rules: Mapping[str, ValidationIssue], constraints: Iterable[str], kind: Any) -> Any:
    for constraint in constraints:
        issue = rules.get(constraint)
        if issue is not None and isinstance(issue.expected, kind):
            return issue.expected
    return None


def _values(values: Iterable[Any]) -> tuple[str, ...]:
    texts = [str(value) for value in values]
    return tuple(texts if len(texts) <= MAX_VALUES else [*texts[:MAX_VALUES], "…"])


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(_values(values))


def _question(fields: Sequence[str], known: Tool | None) -> str | None:
    """One question about the fields: by what they are rather than by what they are called, where that is known."""
    spoken = []
    for name in fields:
        description = _property(known, name).get("description")
        spoken.append(f"{description} ({name})" if isinstance(description, str) else f'"{name}"')
    return f"What should be given for: {'; '.join(spoken)}?" if spoken else None


def _property(known: Tool | None, dotted: str) -> Mapping[str, Any]:
    """The schema of a field, by its dotted name; empty when there is none."""
    here: Any = known.schema if known is not None else {}
    for name in dotted.split("."):
        properties = here.get("properties") if isinstance(here, Mapping) else None
        here = properties.get(name) if isinstance(properties, Mapping) else None
    return here if isinstance(here, Mapping) else {}


def _example(missing: Sequence[str], known: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The call as it was, long texts cut, with placeholders where something is missing."""
    example: dict[str, Any] = {key: _brief(value) for key, value in given.items() if key == "tool" or key in known.properties}
    for dotted in missing:
        *parents, last = dotted.split(".")
        here = example
        for name in parents:
            inside = here.get(name)
            here[name] = here = dict(inside) if isinstance(inside, Mapping) else {}
        here[last] = _placeholder(_property(known, dotted), last)
    return example


def _placeholder(schema: Mapping[str, Any], name: str) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {inner: _placeholder(_inner(schema, inner), inner) for inner in schema.get("required", ())}
    return _PLACEHOLDERS.get(kind, f"<{name}>") if isinstance(kind, str) else f"<{name}>"


def _inner(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = schema.get("properties", {}).get(name)
    return found if isinstance(found, Mapping) else {}


def _brief(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_EXAMPLE:
        return value[: _LONGEST_EXAMPLE - 1] + "…"
    return value
