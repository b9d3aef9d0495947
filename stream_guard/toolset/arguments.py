"""Validation of a call's arguments (levels 2 and 3), for blocks and for direct calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

from ..schema.fields import split
from ..schema.json_text import excess
from ..schema.schema import Schema
from ..schema.violations import choice, type_name
from ..schema.violations import issue as issue_of
from ..values.call_keys import PATH_KEY, TOOL_KEY
from ..values.issues import ValidationIssue, internal_error, pointer
from ..values.late import late
from ..values.limits import Limits
from ..values.preview import View
from ..values.quoting import inside, named
from ..values.wording import RULES, sentence
from .envelopes import envelope_keys
from .tool import Tool


def which_tool(name: Any, names: Sequence[str], nearest: Callable[[str], Tool | None]) -> ValidationIssue:
    """Return the issue for an unknown tool name (level 2). Its suggestion is the nearest known tool."""
    shown = named(name) if isinstance(name, str) else type_name(name)
    meant = nearest(name) if isinstance(name, str) else None
    message = sentence("invalid_tool", name=shown, names=choice(names))
    issue = ValidationIssue.at((TOOL_KEY,), "invalid_tool", message, "enum", expected=list(names), got=name)
    return replace(issue, suggestion=meant.name) if meant is not None else issue


def check_arguments(tool: Tool, arguments: dict[str, Any], limits: Limits, length: int | None = None) -> list[ValidationIssue]:
    """Return the issues of a call's arguments (level 3): from the tool's schema, then from its keys, then from its rules.

    `length` is that of the JSON text that holds the arguments, if there is one.
    """
    schema = tool.compiled
    accepts = schema.accepts if length is None else schema.accepts_of(length)
    issues = [] if accepts(arguments) else schema_issues(schema, arguments, limits, tool.name)
    reported = {issue.field for issue in issues} if issues else ()
    for issue in envelope_keys(tool, arguments):
        if issue.field not in reported:
            issues.append(issue)
    for rule in tool.rules:
        try:
            for issue in rule(arguments):
                if issue.field not in reported:
                    issues.append(issue)
        except Exception as error:  # a rule is the caller's code: its failure breaks no stream, and lets no block through
            name = getattr(rule, "__name__", "rule")
            message = sentence("guard_error.rule", rule=name, tool=tool.name, error=type(error).__name__)
            issues.append(ValidationIssue("guard_error", message, constraint="rule"))
    return without_private(tool, issues) if issues else issues


def without_private(tool: Tool, issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Return the issues without the values of the tool's private fields, and without words that may quote such a value."""
    if not tool.hidden:
        return issues
    return [_unquoted(issue) if _may_quote(tool, issue) else issue for issue in issues]


def without_private_keys(tool: Tool, issues: list[ValidationIssue]) -> list[ValidationIssue]:
    """Return the issues for readers who may see no private field.

    A key that the schema does not list is cut after the letters that are a name: `password: hunter2` becomes `password…`. Fixes
    need the issues with whole names.
    """
    return [_shortened(tool, issue) for issue in issues] if tool.hidden else issues


def _shortened(tool: Tool, issue: ValidationIssue) -> ValidationIssue:
    steps = [str(step) for step in split(issue.pointer)]
    view: View | None = tool.view()
    message, place, shortened = issue.message, issue.field, False
    for at, step in enumerate(steps):
        known = view is not None and view.declares(step)
        view = view.step(step) if view is not None else None
        name = _NAME.match(step)
        if known or name is None or name.end() == len(step):
            continue
        steps[at], shortened = f"{name[0]}…", True
        message, place = (text.replace(inside(step), steps[at]) for text in (message, place))
    if not shortened:
        return issue
    return replace(issue, message=message, field=place, pointer=pointer(tuple(steps)), got=None, suggestion=None)


_NAME: Final = late(r"[\w.\-$]*")


def _may_quote(tool: Tool, issue: ValidationIssue) -> bool:
    """Return whether the value at the path of an issue is private, contains a private value, or may be one under
    another name.
    """
    view = tool.view()
    for step in split(issue.pointer):
        inner = view.step(step)
        if inner is None:
            return True
        view = inner
    return not view.whole or view.of(issue.got) != issue.got


def _unquoted(issue: ValidationIssue) -> ValidationIssue:
    told = issue.constraint in _WITHOUT_VALUES or issue.constraint in RULES
    message = issue.message if told else _private(issue)
    return replace(issue, got=None, suggestion=None, message=message)


def _private(issue: ValidationIssue) -> str:
    return sentence("private", field=inside(issue.field)) if issue.field else sentence("private.arguments")


def schema_issues(schema: Schema, value: Any, limits: Limits, tool: str | None = None) -> list[ValidationIssue]:
    """Return the issues of a value for a schema, missing fields first. There are at most `Limits.max_issues`."""
    violations = list(islice(schema.violations(value), _ENOUGH * limits.max_issues))
    # An object that lacks a field and has an unknown one most often misnames the field: so the missing one is named. Not so
    # if the unknown one is a field of another form.
    lacking = {violation.path[:-1] for violation in violations if violation.keyword == "required"}
    kept = [
        violation
        for violation in violations
        if violation.keyword not in _ONE_TOO_MANY or violation.path[:-1] not in lacking or schema.fields.listed(violation.path)
    ]
    kept.sort(key=lambda violation: violation.keyword != "required")
    return [issue_of(violation, tool, schema.fields) for violation in kept[: limits.max_issues]]


def check_path(path: str) -> Iterable[ValidationIssue]:
    """Return the issues of a path in a workspace, for all operating systems."""
    if path.isprintable() and ".." not in path and "\\" not in path and ":" not in path and path[:1] not in _SUSPECT:
        return ()  # no character in it needs a closer look
    return _check_path(path)


_SUSPECT: Final = frozenset({"", "/", "<"})


def _check_path(path: str) -> Iterable[ValidationIssue]:
    flat = path.replace("\\", "/")
    issue = partial(ValidationIssue.at, (PATH_KEY,))
    if not path:
        yield issue("empty_path", sentence("empty_path"), "minLength", expected=1, got="")
        return
    if "\0" in path:
        yield issue("path_nul", sentence("path_nul"), "path", got=path)
    elif any(ord(char) < 32 or 127 <= ord(char) < 160 for char in path):
        yield issue("path_control", sentence("path_control"), "path", got=path)
    if path.startswith("<") and path.endswith(">"):
        yield issue("path_placeholder", sentence("path_placeholder"), "path", got=path)
    if flat.startswith("//"):
        yield issue("path_unc", sentence("path_unc"), "path", got=path)
    elif flat.startswith("/"):
        yield issue("path_absolute", sentence("path_absolute"), "path", got=path)
    if len(path) > 1 and path[1] == ":" and path[0].isalpha() and path[0].isascii():
        yield issue("path_drive", sentence("path_drive"), "path", got=path)
    if ".." in (segment.strip() for segment in flat.split("/")):
        yield issue("path_parent", sentence("path_parent"), "path", got=path)


def path_rule(arguments: Mapping[str, Any]) -> Iterable[ValidationIssue]:
    """Return the issues of the `path` argument: a rule for tools that work in a workspace."""
    path = arguments.get(PATH_KEY)
    return check_path(path) if isinstance(path, str) else ()


_WITHOUT_VALUES: Final = frozenset({"required", "type", "additionalProperties", "unevaluatedProperties"})
"""Rules whose messages quote no value."""

_ONE_TOO_MANY: Final = frozenset({"additionalProperties", "unevaluatedProperties"})

_ENOUGH: Final = 10
"""How many times `Limits.max_issues` violations are read, so that the issues include those that explain others."""


def unfit(call: dict[str, Any], limits: Limits) -> list[ValidationIssue]:
    """Return the issues of values in a call that are not JSON, such as NaN, which the schema's validator does not report."""
    excessive = excess(call, limits.max_depth, limits.max_values)
    if excessive is not None:
        code, what, path = excessive
        return [ValidationIssue.at(path, code, what, "json")]
    try:
        json.dumps(call, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return [ValidationIssue("lone_surrogate", sentence("lone_surrogate"), constraint="json")]
    except (TypeError, ValueError) as error:
        return [internal_error(error, "not_json")]
    return []
