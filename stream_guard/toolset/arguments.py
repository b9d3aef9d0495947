"""Level 3 of the validation: whether a tool takes these arguments. Used for blocks and for direct calls alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from ..schema.json_text import excess
from ..schema.schema import Schema
from ..schema.violations import choice, type_name
from ..schema.violations import issue as issue_of
from ..values.call_keys import PATH_KEY, TOOL_KEY
from ..values.issues import JsonPath, ValidationIssue, internal_error, pointer, shorten
from ..values.limits import Limits
from ..values.quoting import named, place
from .tool import Tool


def which_tool(name: Any, names: Sequence[str], nearest: Callable[[str], Tool | None]) -> ValidationIssue:
    """Level 2: the issue of a name that is none of `names`, with the nearest that is."""
    shown = named(name) if isinstance(name, str) else type_name(name)
    meant = nearest(name) if isinstance(name, str) else None
    message = f"Invalid tool type: {shown}. Must be {choice(names)}"
    issue = _issue("invalid_tool", message, (TOOL_KEY,), "enum", list(names), shorten(name))
    return replace(issue, suggestion=meant.name) if meant is not None else issue


def check_arguments(tool: Tool, arguments: dict[str, Any], limits: Limits) -> list[ValidationIssue]:
    """Level 3: the tool's schema, then its rules."""
    found = [] if tool.compiled.accepts(arguments) else schema_issues(tool.compiled, arguments, limits, tool.name)
    said = {issue.field for issue in found} if found else ()
    for rule in tool.rules:
        try:
            for issue in rule(arguments):
                if issue.field not in said:
                    found.append(issue)
        except Exception as error:  # a rule is the caller's code: its fault must not break a stream, nor let the block through
            name = getattr(rule, "__name__", "rule")
            found.append(_issue("guard_error", f"The rule {name} of {tool.name} failed ({type(error).__name__})", (), "rule"))
    return found


def schema_issues(schema: Schema, value: Any, limits: Limits, tool: str | None = None) -> list[ValidationIssue]:
    """The rules of a schema that a value breaks, what is missing first."""
    violations = list(islice(schema.violations(value), _ENOUGH * limits.max_issues))
    # An object that lacks a field and has one too many most often misnames it: what is missing is what to say.
    lacking = {violation.path[:-1] for violation in violations if violation.keyword == "required"}
    kept = [
        violation for violation in violations if violation.keyword not in _ONE_TOO_MANY or violation.path[:-1] not in lacking
    ]
    kept.sort(key=lambda violation: violation.keyword != "required")
    return [issue_of(violation, tool, schema.fields) for violation in kept]


def check_path(path: str) -> Iterable[ValidationIssue]:
    """What a path inside a workspace may not be, whatever system it ends up on."""
    if path.isprintable() and ".." not in path and "\\" not in path and ":" not in path and path[:1] not in _SUSPECT:
        return ()  # nothing in it needs a second look
    return _check_path(path)


_SUSPECT: Final = frozenset({"", "/", "<"})


def _check_path(path: str) -> Iterable[ValidationIssue]:
    flat = path.replace("\\", "/")
    at, got = (PATH_KEY,), shorten(path)
    if not path:
        yield _issue("empty_path", '"path" must be a non-empty string', at, "minLength", 1, "")
        return
    if "\0" in path:
        yield _issue("path_nul", '"path" must not hold a NUL character', at, "path", None, got)
    elif any(ord(char) < 32 or 127 <= ord(char) < 160 for char in path):
        yield _issue("path_control", '"path" must not hold control characters', at, "path", None, got)
    if path.startswith("<") and path.endswith(">"):
        yield _issue("path_placeholder", '"path" must not be a placeholder', at, "path", None, got)
    if flat.startswith("//"):
        yield _issue("path_unc", '"path" must not name a network share or device', at, "path", None, got)
    elif flat.startswith("/"):
        yield _issue("path_absolute", '"path" must be relative', at, "path", None, got)
    if len(path) > 1 and path[1] == ":" and path[0].isalpha() and path[0].isascii():
        yield _issue("path_drive", '"path" must not begin with a drive letter', at, "path", None, got)
    if ".." in (segment.strip() for segment in flat.split("/")):
        yield _issue("path_parent", '"path" must not have ".." segments', at, "path", None, got)


def path_rule(arguments: Mapping[str, Any]) -> Iterable[ValidationIssue]:
    """The rule of every tool that works on a path inside a workspace."""
    path = arguments.get(PATH_KEY)
    return check_path(path) if isinstance(path, str) else ()


def _issue(code: str, message: str, path: JsonPath, constraint: str, expected: Any = None, got: Any = None) -> ValidationIssue:
    return ValidationIssue(
        code=code, message=message, field=place(path), constraint=constraint, expected=expected, got=got, pointer=pointer(path)
    )


_ONE_TOO_MANY: Final = frozenset({"additionalProperties", "unevaluatedProperties"})

_ENOUGH: Final = 10  # so many times the issues that are shown are looked at, to show those that explain the others


def unfit(call: dict[str, Any], limits: Limits) -> list[ValidationIssue]:
    """What keeps an object that a caller gave from being JSON: the validator looks only where the schema does."""
    found = excess(call, limits.max_depth, limits.max_values)
    if found is not None:
        code, what, path = found
        return [ValidationIssue(code, what, field=place(path), constraint="json", pointer=pointer(path))]
    try:
        json.dumps(call, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return [ValidationIssue("lone_surrogate", "Half of a surrogate pair stands alone", constraint="json")]
    except (TypeError, ValueError) as error:
        return [internal_error(error, "The arguments are not JSON")]
    return []
