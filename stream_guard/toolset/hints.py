"""Builds a `RetryHint`: chooses the sentences of `values/wording.py` for a call that failed.

`build_hint` makes one `RetryHint` of the error that refused one call: why the call failed, what to do about it, and the broken
rule as data, so that the model can repeat the call. The reason and the advice are separate: the reason why a call failed does
not tell what to do next.

Rule 1: a hint claims no more than the issues say. For a block that was cut off, the hint says that it was cut off, and never
that a field is missing.
Rule 2: a hint is short: `MAX_FIELDS` fields, `violations.MAX_VALUES` values, one question. The question names a field by its
description.
Rule 3: only the hint of a call that can be corrected has an example and allowed values.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from ..schema.fields import Field, split
from ..schema.violations import first_values, listed
from ..values.call_keys import ENVELOPES, NEUTRAL_KEYS, REMARK_KEYS, TOOL_KEY, AnySpelling
from ..values.codes import CODES, HintKind
from ..values.hint import Reason, Recovery, RetryHint
from ..values.issues import JsonPath, ValidationIssue
from ..values.preview import View
from ..values.quoting import inside, named, one_line, place
from ..values.wording import (
    ADVICE,
    COLUMN,
    DENIED,
    DID_YOU_MEAN,
    MALFORMED,
    MORE,
    RULES,
    SOME_TOOL,
    TO_THE_MODEL,
    TOOL_FAILED,
    WHICH_TOOL,
    WHICH_VALUES,
    sentence,
)
from .arguments import without_private_keys
from .tool import Tool

MAX_FIELDS: Final = 3
"""The most fields in a hint. The most values are `violations.MAX_VALUES`."""

_MINIMA: Final = frozenset({"minimum", "minLength", "minItems", "minProperties"})
_MAXIMA: Final = frozenset({"maximum", "maxLength", "maxItems", "maxProperties"})


def _kind(issue: ValidationIssue) -> HintKind:
    """Return the kind of hint for an issue, from the table of codes."""
    kind = CODES[issue.code].hint
    return "json" if issue.constraint == "json" and kind in ("arguments", "tool") else kind


_UNWANTED: Final = frozenset({"additionalProperties", "unevaluatedProperties", "falseSchema", "propertyNames"})
"""Rules about fields that should not be there, about which a hint asks no question."""

_SAYS_NOTHING: Final = AnySpelling(ENVELOPES, NEUTRAL_KEYS, REMARK_KEYS)
"""The keys of a call that do not count as misspelt fields."""

_LONGEST_EXAMPLE: Final = 80
"""The most characters of a string in an example."""

_LONGEST_PROBLEM: Final = 1_000
"""The most characters of `problem`: a handler's own message may quote the whole call."""

_MOST_ITEMS: Final = 2
"""The most items of an array in an example; of an object, the most members are this number squared."""

_MOST_PLACEHOLDERS: Final = 100
"""Limit: the most values of a placeholder, since a schema whose parts share parts has very many. Past it a value
is only named."""


def build_hint(
    error: object,
    tool: Tool | str | None = None,
    *,
    arguments: Mapping[str, Any] | None = None,
    ran: bool = False,
    result: bool = False,
) -> RetryHint | None:
    """Return the hint for a call that failed; None when there is no error.

    Args:
        error: The error that refused the call: issues, an error with an `issues()` method, a list of issues of Go or its JSON,
            an error of pydantic, jsonschema, jsonschema-rs, msgspec or a JSON parser, or any text.
        tool: The tool, or the name by which the model called it.
        arguments: The arguments of the call; the object of a block.
        ran: Whether the tool had begun when it was refused.
        result: Whether it was the tool's result that was refused, and not the call.
    """
    known = tool if tool is not None and not isinstance(tool, str) else None
    name = known.name if known is not None else tool if isinstance(tool, str) else None
    if error is None:
        return None
    from ..schema.other_errors import About, issues_of  # deferred: the first block that fails needs it

    about = About(name, known.compiled, known.field_aliases, arguments) if known is not None and not result else About(name)
    errors = [issue for issue in issues_of(error, about) if issue.severity == "error"]
    errors = [issue for issue in errors if _kind(issue) != "not_checked"] or errors
    if not errors:
        return None
    if result:
        return _malformed(errors, name)
    errors = without_private_keys(known, errors) if known is not None else errors
    first = errors[0]
    again = ADVICE["arguments.ran" if ran else "arguments"]
    match _kind(first):
        case "cut_off" | "not_checked" | "too_complex" as kind:
            return _without_details(kind, first, name, again)
        case "two_readings":
            return _hint("invalid_arguments", "correct_call", name, *_of_the_body(first, again))
        case "json":
            problem, advice = _of_the_body(first, again)
            if len(errors) == 1:
                return _hint("invalid_arguments", "correct_call", name, problem, advice)
            return _of_the_call(errors[1:], known, name, arguments or {}, advice, problem)
        case "arguments" if first.code in ADVICE:
            return _of_the_call(errors, known, name, arguments or {}, f"{ADVICE[first.code]} {again}")
        case "arguments" | "tool":
            return _of_the_call(errors, known, name, arguments or {}, again)


def _without_details(kind: HintKind, issue: ValidationIssue, name: str | None, again: str) -> RetryHint:
    """Return the hint for a block of which only one issue is known: it was cut off, was not checked, or is too complex."""
    if kind == "cut_off":
        key = {"length": "truncated.length", "maxItems": "oversize.calls"}.get(issue.constraint, issue.code)
        return _hint("truncated", "correct_call", name, issue.message, ADVICE[key])
    if kind == "not_checked":
        return _hint("not_checked", "replan", name, issue.message, ADVICE[issue.code])
    return _hint("invalid_arguments", "correct_call", name, issue.message, f"{ADVICE[issue.code]} {again}")


def _of_the_body(issue: ValidationIssue, again: str) -> tuple[str, str]:
    """Return the problem and the advice for a body that is not JSON, or that has two readings."""
    problem = TO_THE_MODEL.get(issue.code, issue.message)
    if issue.column is not None:
        problem = COLUMN.format(problem=problem, column=issue.column)
    of_dialect = f"{issue.code}.{issue.constraint}"
    return problem, f"{ADVICE.get(of_dialect) or ADVICE.get(issue.code) or ADVICE['json']} {again}"


def _of_the_call(
    errors: Sequence[ValidationIssue],
    known: Tool | None,
    name: str | None,
    given: Mapping[str, Any],
    advice: str,
    problem: str = "",
) -> RetryHint:
    """Return the hint for a wrong tool or wrong arguments. `problem` is an earlier problem of the body, if it had one."""
    of_the_call = [issue for issue in errors if _kind(issue) != "tool"]
    if errors[0].code == "invalid_tool" or not of_the_call:
        return _which_tool(errors[0], name, problem, advice if problem else "")
    several = of_the_call[0].field.startswith("[")  # each call of the block may be one of another tool
    if _kind(errors[0]) == "tool":
        if known is None and not several:
            return _which_tool(errors[0], name, problem, advice if problem else "")
        problem = _then(problem, errors[0].message)
    if several:
        known = name = None
    return _arguments(of_the_call, known, name, given, advice, before=_then(problem, ""))


def tool_failed(tool: str, said: str | None = None, *, effect: bool = True) -> RetryHint:
    """Return the hint for a valid call whose tool failed. It says nothing of the failure but the tool's own message.

    Args:
        tool: The tool's name.
        said: The message of the tool's handler; None if it has none.
        effect: Whether the call may have changed something.
    """
    problem = said.rstrip(".") if said else TOOL_FAILED.format(tool=named(tool))
    return _hint("tool_failed", "replan", tool, problem, ADVICE["tool_failed" if effect else "tool_failed.no_effect"])


def call_denied(tool: str, said: str | None = None) -> RetryHint:
    """Return the hint for a valid call that was not approved."""
    problem = DENIED.format(tool=named(tool)) + (f": {said.rstrip('.')}" if said else "")
    return _hint("denied", "replan", tool, problem, ADVICE["denied"])


def not_approved(tool: str | None, problem: str) -> RetryHint:
    """Return the hint for a valid call for which no usable answer about its approval was given."""
    return _hint("denied", "replan", tool, problem, ADVICE["denied"])


def _hint(reason: Reason, recovery: Recovery, tool: str | None, problem: str, advice: str, **more: Any) -> RetryHint:
    problem = one_line(" ".join(problem.split()))
    if len(problem) > _LONGEST_PROBLEM:  # the message of a handler may quote the call
        problem = f"{problem[: _LONGEST_PROBLEM - 1]}…"
    return RetryHint(reason, recovery, tool, problem, f"{problem}. {advice}", **more)


def _malformed(errors: Sequence[ValidationIssue], tool: str | None) -> RetryHint:
    shown, more = _shown(errors)
    issues = f"{'. '.join(issue.message for issue in shown)}{more}"
    problem = MALFORMED.format(tool=named(tool) if tool else SOME_TOOL, issues=issues)
    return _hint("malformed_response", "replan", tool, problem, ADVICE["malformed_response"], fields=_names(shown))


def _then(problem: str, more: str) -> str:
    """Return a problem and the advice that follows it, as two sentences."""
    return f"{problem.rstrip('.')}. {more}" if problem else more


def _which_tool(issue: ValidationIssue, name: str | None, before: str = "", advice_before: str = "") -> RetryHint:
    meant = issue.suggestion
    tools = issue.expected if issue.code != "not_an_object" and isinstance(issue.expected, list) else ()
    if issue.code == "missing_tool":
        advice = ADVICE["missing_tool"].format(names=listed(tools))
    elif meant:
        advice = DID_YOU_MEAN.format(meant=inside(meant))
    else:
        advice = ADVICE["invalid_tool" if tools else "which_tool"]
    return _hint(
        "unknown_tool",
        "replan" if issue.code == "invalid_tool" and meant is None else "correct_call",
        name,
        _then(before, issue.message),
        f"{advice} {advice_before}".rstrip(),
        fields=("tool",),
        missing_fields=("tool",) if issue.code == "missing_tool" else (),
        allowed_values=first_values(tools),
        suggestion=meant,
        clarifying_question=WHICH_TOOL,
    )


def _arguments(
    errors: Sequence[ValidationIssue],
    known: Tool | None,
    tool: str | None,
    given: Mapping[str, Any],
    advice: str,
    before: str = "",
) -> RetryHint:
    shown, more = _shown(errors)
    missing = [issue for issue in shown if issue.code == "required"]
    further = _strange(missing, known, given)[: MAX_FIELDS - len(shown)] if missing and known is not None else []
    wrong = [issue for issue in errors if issue.code != "required"]
    rules = {issue.constraint: issue for issue in reversed(shown)}  # the first issue of a kind wins
    allowed = next((_choices(issue) for issue in shown if _choices(issue)), ())
    # For a message that names a field and no rule, the allowed values come from the schema.
    vague = next((about for issue in shown if _is_vague(issue) and (about := _known(issue, known)) is not None), None)
    asked = vague.rules if vague is not None else {}
    return _hint(
        "invalid_arguments",
        "correct_call",
        tool,
        f"{before}{'. '.join([*(issue.message.rstrip('.') for issue in shown), *further])}{more}",
        advice,
        fields=_names(shown),
        missing_fields=_names(missing),
        allowed_values=first_values(allowed or (vague.allowed if vague is not None else ())),
        suggestion=next((issue.suggestion for issue in shown if issue.suggestion), None),
        pattern=_first(rules, asked, {"pattern"}, str),
        minimum=_first(rules, asked, _MINIMA, (int, float)),
        maximum=_first(rules, asked, _MAXIMA, (int, float)),
        exclusive_minimum=_first(rules, asked, {"exclusiveMinimum"}, (int, float)),
        exclusive_maximum=_first(rules, asked, {"exclusiveMaximum"}, (int, float)),
        format=_first(rules, {}, {"format"}, str) or (vague.format if vague is not None else None),
        clarifying_question=_question(shown, known),
        example_input=_example((*missing, *wrong), known, given) if missing and known is not None else None,
    )


def _strange(missing: Iterable[ValidationIssue], known: Tool, given: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each unknown field beside a missing one, which proposes to rename the unknown field."""
    found: list[str] = []
    for holder in dict.fromkeys(split(issue.pointer)[:-1] for issue in missing):
        field: Field | None = known.fields
        value: Any = given
        at: list[str | int] = []
        for step in holder:
            if isinstance(value, list) and str(step).isdecimal():
                at.append(int(step))
                field, value = field and field.items, next(islice(value, int(step), None), None)
            else:
                at.append(step)
                field, value = field and field.step(step), value.get(step) if isinstance(value, Mapping) else None
        if field is None or not isinstance(value, Mapping) or not _is_closed(field):
            continue
        strange = [key for key in value if key not in field.members and key not in _SAYS_NOTHING]
        found += (sentence("unknown_field", field=place((*at, key))) for key in strange)
    return found


def _is_closed(field: Field) -> bool:
    """Return whether an object allows only its listed members."""
    return field.closed and field.values is None and "patternProperties" not in field.rules


def _shown(errors: Sequence[ValidationIssue]) -> tuple[Sequence[ValidationIssue], str]:
    """Return the issues to show, and the text for how many more there are."""
    left = len(errors) - MAX_FIELDS
    return errors[:MAX_FIELDS], MORE.format(left=left) if left > 0 else ""


def _names(issues: Iterable[ValidationIssue]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(issue.field for issue in issues if issue.field))


def _choices(issue: ValidationIssue) -> Sequence[Any]:
    """Return the allowed values, if the rule lists them."""
    if issue.constraint == "const":
        return (issue.expected,)
    listed = issue.constraint in ("enum", "required") and isinstance(issue.expected, list | tuple)
    return issue.expected if listed else ()


def _first(rules: Mapping[str, ValidationIssue], asked: Mapping[str, Any], constraints: Iterable[str], kind: Any) -> Any:
    """Return the expected value of the first of these rules that has one, from an issue or else from the field's schema."""
    broken = [rules[constraint].expected for constraint in constraints if constraint in rules]
    known = [asked[constraint] for constraint in constraints if constraint in asked]
    return next((value for value in (*broken, *known) if isinstance(value, kind)), None)


def _is_vague(issue: ValidationIssue) -> bool:
    """Return whether an issue names a field but no rule of a schema."""
    return issue.expected is None and issue.code in ("schema", "rejected") and issue.constraint not in {*RULES, *_UNWANTED}


def _known(issue: ValidationIssue, known: Tool | None) -> Field | None:
    """Return the field that an issue names."""
    return known.fields.at(split(issue.pointer)) if known is not None and issue.field else None


def _question(issues: Sequence[ValidationIssue], known: Tool | None) -> str | None:
    """Return one question about the fields, by their descriptions where there are any."""
    spoken: dict[str, str] = {}
    for issue in issues:
        about = _known(issue, known)
        if issue.field and issue.constraint not in _UNWANTED:
            told = one_line(about.description) if about is not None and about.description else None
            spoken[issue.field] = f"{told.rstrip('.')} ({issue.field})" if told else f'"{issue.field}"'
    return WHICH_VALUES.format(fields="; ".join(spoken.values())) if spoken else None


def _example(errors: Sequence[ValidationIssue], known: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the call with long values shortened, with placeholders for missing or wrong values, and without
    unwanted members.
    """
    example: dict[str, Any] = {
        key: _known_members(given[key], known.fields.members.get(key))
        for key in given
        if key == TOOL_KEY or key in known.fields.members
    }
    if known.hidden:
        view = known.view()
        example = {key: value if key == TOOL_KEY else _public(value, view.member(key)) for key, value in example.items()}
    for issue in errors:
        path = split(issue.pointer)
        if not path:
            continue
        if issue.constraint in _UNWANTED:
            _leave_out(example := copy.deepcopy(example), path)
        else:
            example = _with(example, path, known.fields, _choices(issue))
    return {key: _brief(value) for key, value in example.items()}


def _public(value: Any, view: View | None) -> Any:
    """Return a value with placeholders for its parts that a preview would not show."""
    if view is None:
        return "<private>"
    if isinstance(value, list):
        return [_public(item, view.item(number)) for number, item in enumerate(value)]
    if isinstance(value, Mapping):
        views = ((key, view.member(key)) for key in value)
        return {key: _public(value[key], inner) for key, inner in views if inner is not None or view.declares(key)}
    return value if view.of(value) == value else "<private>"


def _known_members(value: Any, field: Field | None) -> Any:
    """Return a value without the members that its field does not allow."""
    if isinstance(value, list):
        items = field.items if field is not None else None
        return [_known_members(item, items) for item in value]
    if not isinstance(value, Mapping) or field is None:
        return value
    closed = _is_closed(field)
    return {key: _known_members(item, field.step(key)) for key, item in value.items() if not closed or key in field.members}


def _leave_out(example: Any, path: JsonPath) -> None:
    """Remove the value at the end of a path from `example`, if it exists."""
    for step in path[:-1]:
        if isinstance(example, list) and isinstance(step, int) and step < len(example):
            example = example[step]
        else:
            example = example.get(step) if isinstance(example, dict) else None
    if isinstance(example, dict):
        example.pop(str(path[-1]), None)


def _with(given: Any, path: JsonPath, field: Field | None, choices: Sequence[Any], name: str = "") -> Any:
    """Return the given value with a placeholder at the end of a path. An array keeps only the item that the path
    leads through.
    """
    if not path:
        return _blank(field, name, choices)
    key, rest = path[0], path[1:]
    inner = field.step(key) if field is not None else None
    is_list = isinstance(given, list) or (field is not None and field.items is not None and not isinstance(given, Mapping))
    if is_list and str(key).isdecimal():  # where the field takes an object too, a name means a member
        there = given[int(key)] if isinstance(given, list) and int(key) < len(given) else None
        return [_with(there, rest, inner, choices, str(key))]
    kept = dict(given) if isinstance(given, Mapping) else {}
    kept[str(key)] = _with(kept.get(str(key)), rest, inner, choices, str(key))
    return kept


def _blank(field: Field | None, name: str, choices: Sequence[Any] = ()) -> Any:
    """Return a placeholder for a missing value. It is never a valid value: a copied placeholder must fail again."""
    return _placeholder(field, name, choices, (), iter(range(_MOST_PLACEHOLDERS)))


def _placeholder(field: Field | None, name: str, choices: Sequence[Any], above: tuple[Field, ...], room: Iterator[int]) -> Any:
    choices = choices or (field.allowed if field is not None else ())
    if choices:
        return f"<{' or '.join(first_values(choices))}>"
    if field is None or field in above or next(room, None) is None:
        return f"<{name}>"
    if sum(form.kinds != ("null",) for union in field.choices for form in union.forms) < 2:  # else the form is unknown
        field, above = field.least(), (*above, field)
    if field.members and not field.choices:
        return {key: _placeholder(field.members.get(key), key, (), (*above, field), room) for key in field.required}
    if field.items is not None:
        return [_placeholder(field.items, name, (), (*above, field), room)]
    return f"<{name if 'string' in field.kinds or not field.kinds else ' or '.join(field.kinds)}>"


def _brief(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_EXAMPLE:
        return value[: _LONGEST_EXAMPLE - 1] + "…"
    if isinstance(value, list):
        return [_brief(item) for item in value[:_MOST_ITEMS]]
    if isinstance(value, Mapping):
        shown = list(value.items())[: _MOST_ITEMS * _MOST_ITEMS]
        return {str(_brief(key)): _brief(item) for key, item in shown}
    return value
