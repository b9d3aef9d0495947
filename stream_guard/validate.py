"""The three levels, in order: is it JSON, which tool is it, does the tool take it.

Rule 1: a level is looked at only when the one before it found nothing that makes it meaningless.
Rule 2: nothing here changes the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from .schema.fields import split
from .schema.json_text import Places, locate, parse, position
from .schema.schema import Schema
from .schema.violations import Violation, article, choice, type_name
from .schema.violations import issue as issue_of
from .toolset import Tool, Toolset
from .values.call_keys import PATH_KEY, TOOL_KEY
from .values.issues import JsonPath, ValidationIssue, pointer, shorten
from .values.limits import Limits
from .values.quoting import named, place


@dataclass(frozen=True, slots=True)
class Validated:
    """What the three levels have to say of a body."""

    value: Any
    """The value, if the body is JSON."""

    tool: str | None
    """The tool it names."""

    path: str | None
    """The path it names."""

    issues: tuple[ValidationIssue, ...]
    """What is wrong with it."""

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The value, if it is an object."""
        return self.value if isinstance(self.value, dict) else None

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong that matters."""
        return not any(issue.severity == "error" for issue in self.issues)


def validate(body: str, tools: Toolset, limits: Limits | None = None) -> Validated:
    """Judge the body of a block."""
    limits = limits or Limits()
    parsed = parse(body, max_depth=limits.max_depth, max_values=limits.max_values)
    if not parsed.ok:
        return Validated(None, None, None, parsed.issues)
    found = _validate_call(parsed.value, tools, limits)
    known: Places = {}
    issues = tuple([_placed(issue, body, known) for issue in found[: limits.max_issues]]) if found else ()
    return Validated(parsed.value, _text(parsed.value, TOOL_KEY), _text(parsed.value, PATH_KEY), issues)


def _validate_call(value: Any, tools: Toolset, limits: Limits) -> list[ValidationIssue]:
    if not isinstance(value, dict):
        got = type_name(value)
        return [_issue("not_an_object", f"A tool block is one JSON object, not {article(got)}", (), "type", "object", got)]
    name = value.get(TOOL_KEY)
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None:
        issue = which_tool(name, tools) if TOOL_KEY in value else _no_tool(tools)
        return [issue, *_which_path(value, tools)]
    return check_arguments(tool, {key: item for key, item in value.items() if key != TOOL_KEY}, limits)


def _no_tool(tools: Toolset) -> ValidationIssue:
    return _issue("missing_tool", 'Missing "tool" field', (TOOL_KEY,), "required", list(tools.names))


def which_tool(name: Any, tools: Toolset) -> ValidationIssue:
    """Level 2: the issue of a name that is no tool's, with the nearest that is."""
    shown = named(name) if isinstance(name, str) else type_name(name)
    meant = tools.near(name) if isinstance(name, str) else None
    message = f"Invalid tool type: {shown}. Must be {choice(tools.names)}"
    issue = _issue("invalid_tool", message, (TOOL_KEY,), "enum", list(tools.names), shorten(name))
    return replace(issue, suggestion=meant.name) if meant is not None else issue


def _which_path(value: dict[str, Any], tools: Toolset) -> list[ValidationIssue]:
    """Level 2: the path, as far as it can be judged without knowing the tool."""
    if not all(PATH_KEY in tool.required for tool in tools):
        return []
    if PATH_KEY not in value:
        return [issue_of(Violation((PATH_KEY,), "required", None, None))]
    path = value[PATH_KEY]
    return list(check_path(path)) if isinstance(path, str) else [issue_of(Violation((PATH_KEY,), "type", ["string"], path))]


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


def _placed(issue: ValidationIssue, body: str, known: Places) -> ValidationIssue:
    """The same issue, with the place in the text of the value it is about, or of what should hold it."""
    path = split(issue.pointer)
    at = locate(body, path, known)
    while at is None:
        path = path[:-1]
        at = locate(body, path, known)
    line, column = position(body, at)
    return replace(issue, line=line, column=column, offset=at)


def _text(value: Any, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None
