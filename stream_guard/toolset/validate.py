"""The three levels of validation, in order: JSON, tool, arguments.

Rule 1: a level is validated only if the level before it found no issue that would make it meaningless.
Rule 2: nothing here changes the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..schema.fields import split
from ..schema.json_text import Places, locate, parse, position
from ..schema.violations import Violation, article, type_name
from ..schema.violations import issue as issue_of
from ..values.call_keys import PATH_KEY, TOOL_KEY, without_tool
from ..values.issues import ValidationIssue
from ..values.limits import Limits
from ..values.wording import sentence
from .arguments import check_arguments, check_path, which_tool
from .envelopes import second_names
from .escapes import undoubled
from .tools import Tools


class Validated(NamedTuple):
    """The verdict on a body: the result of the three levels of validation."""

    value: Any
    """The value; None if the body is not JSON."""

    tool: str | None
    """The name of the tool in the body; None if there is none."""

    path: str | None
    """The path in the body; None if there is none."""

    issues: tuple[ValidationIssue, ...]
    """The issues of the body, in the order of the levels."""

    meant: dict[str, Any] | None = None
    """For a body that is not JSON: the call that it probably means. It is used in hints only, and never run."""

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The value if it is an object, else None."""
        return self.value if isinstance(self.value, dict) else None

    @property
    def passed(self) -> bool:
        """Whether there is no issue of severity `error`."""
        return not self.issues or not any(issue.severity == "error" for issue in self.issues)

    def with_meant(self, meant: Validated | None, limits: Limits) -> Validated:
        """Return this verdict, with the issues of the call that a body probably means, if the body itself is no call.

        These follow the issue of the body, and have no line and column, since they were found in the fixed text. If that text
        is no JSON either, none are added: the model did not write it.
        """
        if meant is None or not self.issues or not _hides_a_call(self.issues[0]):
            return self
        if any(issue.constraint == "json" for issue in meant.issues):
            return self
        first = self.issues[:1] if self.issues[0].code == "missing_tool" and meant.issues else self.issues
        known = {(issue.code, issue.field) for issue in first}
        further = [issue for issue in meant.issues if (issue.code, issue.field) not in known]
        issues = (*first, *(replace(issue, line=None, column=None, offset=None) for issue in further))[: limits.max_issues]
        return self._replace(tool=meant.tool, path=meant.path, issues=issues, meant=meant.arguments)


def _hides_a_call(issue: ValidationIssue) -> bool:
    """Return whether an issue is about the form of a body, so that the call in the body was not validated."""
    return issue.constraint == "json" or issue.code in ("missing_tool", "not_an_object")


def validate(body: str, tools: Tools, limits: Limits | None = None, *, written: str | None = None) -> Validated:
    """Validate a body and return the verdict. For a body that was fixed, `written` is the body as the model wrote it."""
    limits = limits or Limits()
    value, issues = parse(body, max_depth=limits.max_depth, max_values=limits.max_values)
    if issues:
        return Validated(None, None, None, issues)
    found = _validate_call(value, tools, limits, len(body), body if written is None else written)
    if found:
        known: Places = {}
        issues = tuple([_placed(issue, body, known) for issue in found[: limits.max_issues]])
    if not isinstance(value, dict):
        return Validated(value, None, None, issues)
    tool, path = value.get(TOOL_KEY), value.get(PATH_KEY)
    return Validated(value, tool if isinstance(tool, str) else None, path if isinstance(path, str) else None, issues)


def _validate_call(value: Any, tools: Tools, limits: Limits, length: int, written: str) -> Sequence[ValidationIssue]:
    if not isinstance(value, dict):
        got = type_name(value)
        message = sentence("not_an_object", kind=article(got))
        return [ValidationIssue.at((), "not_an_object", message, "type", expected="object", got=got)]
    name = value.get(TOOL_KEY)
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None:
        issue = which_tool(name, tools.names, tools.near) if TOOL_KEY in value else _no_tool(tools)
        return [issue, *_which_path(value, tools)]
    arguments = without_tool(value)
    issues = check_arguments(tool, arguments, limits, length)
    further = (*second_names(tool, arguments, tools.meant), *undoubled(arguments, written))
    if not further:
        return issues
    reported = {issue.field for issue in issues}
    return [*issues, *(issue for issue in further if issue.field not in reported)]


def _no_tool(tools: Tools) -> ValidationIssue:
    return ValidationIssue.at((TOOL_KEY,), "missing_tool", sentence("missing_tool"), "required", expected=list(tools.names))


def _which_path(value: dict[str, Any], tools: Tools) -> list[ValidationIssue]:
    """Return the issues of the path (level 3) of a call whose tool is unknown; none unless every tool requires a path."""
    if not all(PATH_KEY in tool.required for tool in tools):
        return []
    if PATH_KEY not in value:
        return [issue_of(Violation((PATH_KEY,), "required", None, None))]
    path = value[PATH_KEY]
    return list(check_path(path)) if isinstance(path, str) else [issue_of(Violation((PATH_KEY,), "type", ["string"], path))]


def _placed(issue: ValidationIssue, body: str, known: Places) -> ValidationIssue:
    """Return the issue with the line, column and offset of its value in the text; of a missing value, with those
    of its object.
    """
    path = split(issue.pointer)
    at = locate(body, path, known)
    while at is None:
        path = path[:-1]
        at = locate(body, path, known)
    line, column = position(body, at)
    return replace(issue, line=line, column=column, offset=at)
