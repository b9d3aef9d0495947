"""Running a call: its arguments are validated and fixed before the handler runs, its result is validated after.

    tool, arguments -> admit -> Admitted -> handler -> conclude -> ToolOutput
                          └────> ToolOutput with an error and a hint

Both halves are plain functions; `awaiting.call` awaits the handler between them.

Rule 1: nothing here raises for data. What a model sent, and what a handler returned or raised, ends in a `ToolOutput`.
Rule 2: arguments that are not valid, and have no fix, never reach the handler. A result that is not valid is passed on with an
error.
Rule 3: a handler's exception stays with the application. A handler that wants to tell the model why raises a `ToolError`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ..schema.fields import Field
from ..schema.json_text import parse
from ..schema.violations import Violation, types_of
from ..schema.violations import issue as issue_of
from ..toolset.arguments import check_arguments, schema_issues, unfit, which_tool
from ..toolset.envelopes import second_names
from ..toolset.escapes import undoubled
from ..toolset.hints import build_hint, tool_failed
from ..toolset.tool import Risk, Tool
from ..toolset.validate import Validated
from ..values.block import BLANKS, call_body
from ..values.call_keys import without_tool
from ..values.events import ToolBlock, ToolResult
from ..values.fix import AutoFix
from ..values.hint import RetryHint, anthropic_result, mcp_result, openai_result
from ..values.issues import ValidationIssue, internal_error
from ..values.limits import Limits
from ..values.log import log
from ..values.quoting import named
from ..values.wording import NOT_RUN, RETURNED, TOOK_TOO_LONG

if TYPE_CHECKING:
    from ..fixes.engine import Engine
    from ..fixes.mended import Mended


class ToolError(Exception):
    """The error of a call. A handler may raise it: the model gets its message and not its cause.

    Args:
        message: What to tell the model.
        cause: What went wrong inside.
        effect: Whether the call may have changed something. The model is told so. Not for a tool that only reads.
    """

    def __init__(self, message: str, cause: BaseException | None = None, *, effect: bool = True) -> None:
        super().__init__(message)
        self.message: Final = message
        self.effect: Final = effect
        self.__cause__ = cause

    @property
    def cause(self) -> BaseException | None:
        """The original exception. It is also `__cause__`, so that a traceback of this error shows both."""
        return self.__cause__


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The result of a call: a payload, or an error with a hint."""

    payload: Any = None
    """The result as plain data. With an error: the valid part of the result, or None."""

    error: ToolError | None = None
    """The error; None when the call succeeded."""

    retry_hint: RetryHint | None = None
    """The hint for the model; None when the call succeeded."""

    fixes: tuple[AutoFix, ...] = ()
    """What was changed in the arguments before the handler ran."""

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.error is None

    def for_model(self) -> str:
        """Return the text for a model: the result, or the hint with the part of the result that is valid."""
        result = self.payload if isinstance(self.payload, str) else json.dumps(self.payload, ensure_ascii=False)
        if self.error is None:
            return result
        problem = self.retry_hint.for_model() if self.retry_hint is not None else self.error.message
        return problem if self.payload is None else f"{problem}\n{RETURNED.format(result=result)}"

    def to_openai(self, call_id: str, api: Literal["chat", "responses"] = "chat") -> dict[str, Any]:
        """Return the answer to OpenAI's call of this id."""
        return openai_result(call_id, self.for_model(), api)

    def to_anthropic(self, call_id: str) -> dict[str, Any]:
        """Return the answer to Anthropic's call of this id."""
        return anthropic_result(call_id, self.for_model(), error=not self.ok)

    def to_mcp(self) -> dict[str, Any]:
        """Return the result of an MCP call."""
        structured = self.payload if self.ok and isinstance(self.payload, dict) else None
        return mcp_result(self.for_model(), error=not self.ok, structured=structured)


@dataclass(frozen=True, slots=True)
class BlockOutput(ToolOutput):
    """The output of a block's call. For a block that was not run, the error says why the block failed."""

    block: ToolBlock = field(kw_only=True)
    """The block."""

    @staticmethod
    def of(block: ToolBlock, output: ToolOutput) -> BlockOutput:
        """Return an output with its block."""
        return BlockOutput(output.payload, output.error, output.retry_hint, output.fixes, block=block)

    def result(self) -> ToolResult:
        """Return the result as a page gets it: `stream_guard.wire` sends it."""
        block = self.block
        said = self.for_model()
        return ToolResult(
            block.id, block.part, block.call_id, self.ok, said, tool=block.tool, payload=self.payload, hint=self.retry_hint
        )

    def to_openai(self, call_id: str | None = None, api: Literal["chat", "responses"] = "chat") -> dict[str, Any]:
        """Return the answer to OpenAI's call of this id; without an id, of the block's own."""
        return ToolOutput.to_openai(self, call_id or self.block.call_id, api)

    def to_anthropic(self, call_id: str | None = None) -> dict[str, Any]:
        """Return the answer to Anthropic's call of this id; without an id, of the block's own."""
        return ToolOutput.to_anthropic(self, call_id or self.block.call_id)


Answer = bool | str | Mapping[str, Any]
"""An answer about a call: True lets it run; False, or a string with the reason for the model, does not; an object lets it run
with these arguments in place of its own."""

Approve = Callable[[ToolBlock, Tool], Awaitable[Answer]]
"""An async function that decides whether a call may run."""


class Admitted(NamedTuple):
    """A call with valid arguments, ready to run."""

    tool: Tool
    """The tool."""

    arguments: dict[str, Any]
    """The arguments; valid."""

    fixes: tuple[AutoFix, ...] = ()
    """What was changed in them."""

    @property
    def waits(self) -> bool:
        """Whether the handler is a coroutine function. Any other handler runs in a thread."""
        handler: Any = self.tool.handler
        return iscoroutinefunction(handler) or iscoroutinefunction(type(handler).__call__) or getattr(handler, "waits", False)

    def run(self) -> Any:
        """Call the handler and return its result, or an awaitable of it."""
        assert self.tool.handler is not None
        try:
            return self.tool.handler(with_integers(self.arguments, self.tool.fields))
        except StopIteration as error:  # a future cannot carry one: whoever awaits it would wait for ever
            raise RuntimeError("the handler raised StopIteration") from error


def with_integers(value: Any, field: Field | None) -> Any:
    """Return a value in which whole numbers are `int` wherever the field takes only integers: a model may write `5.0`."""
    if isinstance(value, float):
        kinds = types_of(field) if value.is_integer() else ()
        return int(value) if "integer" in kinds and "number" not in kinds else value
    if field is None or not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        return {key: with_integers(item, field.step(key)) for key, item in value.items()}
    first = field.leading
    return [with_integers(item, first[at] if at < len(first) else field.items) for at, item in enumerate(value)]


def admit(
    tool: Tool, name: str, arguments: object, limits: Limits, engine: Engine | None, known: Callable[[str], Tool | None]
) -> Admitted | ToolOutput:
    """Validate and fix the arguments of a call: returns the call, or the output that refuses it.

    Args:
        tool: The tool that is called.
        name: The name by which it was called, which may differ from the tool's own.
        arguments: An object, or its JSON.
        limits: The bounds of the arguments.
        engine: Fixes what is not valid; None to refuse it.
        known: Returns the tool that a name means. An unlisted argument of an open tool may name a tool by mistake.
    """
    if tool.handler is None:
        raise LookupError(
            f"the tool {tool.name!r} has no handler; give one with Tool(..., handler=...), "
            "or Tool.of(Model, handler=...) for a model"
        )
    text: str | None = None
    issues: Sequence[ValidationIssue] = ()
    if isinstance(arguments, str | bytes):
        text = arguments if isinstance(arguments, str) else arguments.decode(errors="replace")
        if engine is not None and not text.strip(BLANKS):
            text = "{}"  # providers send no text for no arguments
        parsed = parse(text, max_depth=limits.max_depth, max_values=limits.max_values)
        arguments, issues = parsed.value, parsed.issues
    call = dict(arguments) if isinstance(arguments, Mapping) else None
    if not issues and call is None:
        issues = [issue_of(Violation((), "type", ["object"], arguments), tool.name)]
    elif not issues and call is not None:
        strange = unfit(call, limits)
        if strange:
            return refused(tool, strange, call)
        found = _checked(lambda: [*check_arguments(tool, call, limits), *second_names(tool, call, known)], "arguments")
        if text is not None and not found:
            found = list(undoubled(call, text))
        issues = [issue for issue in found if issue.severity == "error"][: limits.max_issues]
        if not issues and name == tool.name:
            return Admitted(tool, call)
        issues = issues or [which_tool(name, [tool.name], lambda _: tool)]
        text = text if text is not None else json.dumps(call, ensure_ascii=False)
    if engine is None or text is None or any(issue.code == "guard_error" for issue in issues):
        return refused(tool, issues, call)
    return _fixed(tool, call_body(name, text), engine, Validated(call, tool.name, None, tuple(issues)), limits)


def _fixed(tool: Tool, body: str, engine: Engine, verdict: Validated, limits: Limits) -> Admitted | ToolOutput:
    """Return the call of a body, fixed as a guard fixes a native call; or the output that refuses it as it was written."""
    mended: tuple[Mended, ...] = ()
    meant: Validated | None = None
    try:
        mended, meant, _ = engine.tried(body, fenced=False, called=tool.name)
    except Exception as error:  # promise P9: what a fix fails on stays failed
        log.error("the fixes failed on a call: %s", type(error).__name__)
    if len(mended) == 1 and mended[0].verdict.tool == tool.name and mended[0].verdict.arguments is not None:
        arguments = without_tool(mended[0].verdict.arguments)
        return Admitted(tool, arguments, mended[0].fixes)
    verdict = verdict.with_meant(meant, limits)
    return refused(tool, verdict.issues, verdict.meant or verdict.arguments)


def conclude(admitted: Admitted, result: Any, limits: Limits) -> ToolOutput:
    """Validate the result of a call and return its output."""
    tool, schema = admitted.tool, admitted.tool.output
    from ..toolset.results import plain_result  # deferred: only what runs calls needs it

    payload, issues = plain_result(result)
    if not issues and schema is not None:
        issues = _checked(lambda: schema_issues(schema, payload, limits), "result")
    if not issues and tool.output_rules:
        issues = _checked(lambda: [issue for rule in tool.output_rules for issue in rule(result)], "result")
    if not issues:
        return ToolOutput(payload, fixes=admitted.fixes)
    hint = build_hint(issues[: limits.max_issues], tool, result=True)
    return ToolOutput(payload, ToolError(issues[0].message), hint, admitted.fixes)


def late(admitted: Admitted) -> ToolOutput:
    """Return the output of a call whose handler took longer than its tool allows."""
    tool = admitted.tool
    assert tool.timeout is not None
    log.warning("the handler of %s took longer than %g s", tool.name, tool.timeout)
    hint = tool_failed(tool.name, TOOK_TOO_LONG.format(tool=named(tool.name), seconds=tool.timeout), effect=_changes(tool))
    return ToolOutput(None, ToolError(hint.problem, TimeoutError(hint.problem)), hint, admitted.fixes)


def failed(admitted: Admitted, error: Exception, *, tracebacks: bool = False) -> ToolOutput:
    """Return the output of a call whose handler raised. With `tracebacks` the log has the traceback."""
    tool = admitted.tool
    if isinstance(error, ToolError):
        failure = tool_failed(tool.name, error.message, effect=error.effect and _changes(tool))
        return ToolOutput(None, error, failure, admitted.fixes)
    if any(
        callable(getattr(error, name, None)) for name in ("issues", "Issues")
    ):  # a handler's own check of its arguments speaks for itself
        from ..schema.other_errors import issues_of  # deferred: a handler that raises needs it

        issues = _checked(lambda: list(issues_of(error)), "handler")
        if issues:
            hint = build_hint(issues, tool, arguments=admitted.arguments, ran=True)
            return ToolOutput(None, ToolError(issues[0].message, error), hint, admitted.fixes)
    log.warning("the handler of %s failed: %s", tool.name, type(error).__name__, exc_info=error if tracebacks else None)
    unsaid = tool_failed(tool.name, effect=_changes(tool))
    return ToolOutput(None, ToolError(unsaid.problem, error), unsaid, admitted.fixes)


def _changes(tool: Tool) -> bool:
    return tool.risk > Risk.READ


def refused(tool: Tool | str, issues: Sequence[ValidationIssue], arguments: Mapping[str, Any] | None = None) -> ToolOutput:
    """Return the output of a call that was not run: an error and a hint."""
    return ToolOutput(None, ToolError(issues[0].message), build_hint(issues, tool, arguments=arguments))


def unrun(block: ToolBlock) -> BlockOutput:
    """Return the output of a block that is not executable: its error and its hint."""
    hint = block.hint
    return BlockOutput(None, ToolError(hint.problem if hint is not None else NOT_RUN), hint, block=block)


def _checked(check: Callable[[], list[ValidationIssue]], what: str) -> list[ValidationIssue]:
    """Return the issues of a check. An exception in the check becomes an issue too."""
    try:
        return check()
    except Exception as error:  # the caller's code
        return [internal_error(error, what)]
