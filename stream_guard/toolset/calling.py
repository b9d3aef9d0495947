"""Running a call: its arguments are validated before the handler runs, its result after.

    tool, arguments -> admit -> Admitted -> handler -> conclude -> ToolOutput
                          └────> ToolOutput with an error and a hint

Both halves are plain functions; `running.call` awaits the handler between them.

Rule 1: nothing here raises for data. What a model sent, and what a handler returned or raised, ends in a `ToolOutput`.
Rule 2: arguments that are not valid never reach the handler. A result that is not valid is passed on, and said to be so.
Rule 3: what went wrong inside a handler stays with the application. A handler that has something to say raises a `ToolError`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from inspect import iscoroutinefunction
from pathlib import PurePath
from typing import Any, Final, Literal
from uuid import UUID

from ..schema.json_text import parse
from ..schema.other_errors import issues_of
from ..schema.violations import Violation, first_values
from ..schema.violations import issue as issue_of
from ..values.events import ToolBlock
from ..values.hint import RetryHint, anthropic_result, mcp_result, openai_result
from ..values.issues import ValidationIssue, internal_error
from ..values.limits import Limits
from ..values.quoting import named
from ..values.wording import HALF_A_PAIR, NOT_RUN, RETURNED, TOOK_TOO_LONG, sentence
from .arguments import check_arguments, schema_issues, unfit
from .hints import build_hint, call_denied, tool_failed
from .tool import Risk, Tool

log: Final = logging.getLogger("stream_guard")


class ToolError(Exception):
    """The error of a call. A handler may raise it: the model is told its message, and not its cause.

    Args:
        message: What to tell the model.
        cause: What went wrong inside.
        effect: Whether the call may have changed something, of which the model is told. It is not for a tool that only reads.
    """

    def __init__(self, message: str, cause: BaseException | None = None, *, effect: bool = True) -> None:
        super().__init__(message)
        self.message: Final = message
        self.effect: Final = effect
        self.__cause__ = cause

    @property
    def cause(self) -> BaseException | None:
        """What went wrong inside. It is the exception's `__cause__`, so that a traceback of this error shows both."""
        return self.__cause__


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The result of a call: a payload, or an error with a hint."""

    payload: Any = None
    """The result as plain data. With an error: the part of the result that is valid JSON, or None."""

    error: ToolError | None = None
    """The error; None when the call succeeded."""

    retry_hint: RetryHint | None = None
    """The hint for the model; None when the call succeeded."""

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
    """What came of the call of a block. An error of a block that was not run is the block's own."""

    block: ToolBlock = field(kw_only=True)
    """The block."""

    @staticmethod
    def of(block: ToolBlock, output: ToolOutput) -> BlockOutput:
        """The same output, with its block."""
        return BlockOutput(output.payload, output.error, output.retry_hint, block=block)

    def to_openai(self, call_id: str | None = None, api: Literal["chat", "responses"] = "chat") -> dict[str, Any]:
        """The answer to OpenAI's call of this id; of the block's own when there is none."""
        return ToolOutput.to_openai(self, call_id or self.block.call_id, api)

    def to_anthropic(self, call_id: str | None = None) -> dict[str, Any]:
        """The answer to Anthropic's call of this id; of the block's own when there is none."""
        return ToolOutput.to_anthropic(self, call_id or self.block.call_id)


Approve = Callable[[ToolBlock, Tool], Awaitable[bool | str]]
"""Says whether a call may run: True lets it, False does not, nor does a text, which is the reason for the model."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A call with valid arguments, ready to run."""

    tool: Tool
    """The tool."""

    arguments: dict[str, Any]
    """The arguments; valid."""

    @property
    def waits(self) -> bool:
        """Whether the handler is a coroutine function. Any other handler runs in a thread."""
        handler: Any = self.tool.handler
        return iscoroutinefunction(handler) or iscoroutinefunction(type(handler).__call__) or getattr(handler, "waits", False)

    def run(self) -> Any:
        """Call the handler and return its result, or an awaitable of it."""
        assert self.tool.handler is not None
        try:
            return self.tool.handler(self.arguments)
        except StopIteration as error:  # a future cannot carry one: whoever awaits it would wait for ever
            raise RuntimeError("the handler raised StopIteration") from error


def admit(tool: Tool, arguments: object, limits: Limits) -> Admitted | ToolOutput:
    """Validate the arguments of a call, given as an object or as JSON: returns the call, or the output that refuses it."""
    if tool.handler is None:
        raise LookupError(
            f"the tool {tool.name!r} has no handler; give one with Tool(..., handler=...), "
            "or Tool.of(Model, handler=...) for a model"
        )
    if isinstance(arguments, str | bytes):
        text = arguments if isinstance(arguments, str) else arguments.decode(errors="replace")
        parsed = parse(text, max_depth=limits.max_depth, max_values=limits.max_values)
        if not parsed.ok:
            return refused(tool, parsed.issues)
        arguments = parsed.value
    if not isinstance(arguments, Mapping):
        return refused(tool, [issue_of(Violation((), "type", ["object"], arguments), tool.name)])
    call = dict(arguments)
    issues = unfit(call, limits) or _checked(lambda: check_arguments(tool, call, limits), "arguments")
    errors = [issue for issue in issues if issue.severity == "error"][: limits.max_issues]
    return refused(tool, errors, call) if errors else Admitted(tool, call)


def conclude(admitted: Admitted, result: Any, limits: Limits) -> ToolOutput:
    """Validate the result of a call and return its output."""
    tool, schema = admitted.tool, admitted.tool.output
    payload, issues = plain_result(result)
    if not issues and schema is not None:
        issues = _checked(lambda: schema_issues(schema, payload, limits), "result")
    if not issues and tool.output_rules:
        issues = _checked(lambda: [issue for rule in tool.output_rules for issue in rule(result)], "result")
    if not issues:
        return ToolOutput(payload)
    hint = build_hint(issues[: limits.max_issues], tool, result=True)
    return ToolOutput(payload, ToolError(issues[0].message), hint)


def late(admitted: Admitted) -> ToolOutput:
    """Return the output of a call whose handler took longer than its tool allows."""
    tool = admitted.tool
    assert tool.timeout is not None
    log.warning("the handler of %s took longer than %g s", tool.name, tool.timeout)
    hint = tool_failed(tool.name, TOOK_TOO_LONG.format(tool=named(tool.name), seconds=tool.timeout), effect=_changes(tool))
    return ToolOutput(None, ToolError(hint.problem, TimeoutError(hint.problem)), hint)


def failed(admitted: Admitted, error: Exception, *, tracebacks: bool = False) -> ToolOutput:
    """Return the output of a call whose handler raised. With `tracebacks` the log has the traceback."""
    tool = admitted.tool
    if isinstance(error, ToolError):
        return ToolOutput(None, error, tool_failed(tool.name, error.message, effect=error.effect and _changes(tool)))
    if any(
        callable(getattr(error, name, None)) for name in ("issues", "Issues")
    ):  # a handler's own check of its arguments speaks for itself
        issues = _checked(lambda: list(issues_of(error)), "handler")
        if issues:
            hint = build_hint(issues, tool, arguments=admitted.arguments, ran=True)
            return ToolOutput(None, ToolError(issues[0].message, error), hint)
    log.warning("the handler of %s failed: %s", tool.name, type(error).__name__, exc_info=error if tracebacks else None)
    hint = tool_failed(tool.name, effect=_changes(tool))
    return ToolOutput(None, ToolError(hint.problem, error), hint)


def _changes(tool: Tool) -> bool:
    return tool.risk > Risk.READ


def refused(tool: Tool | str, issues: Sequence[ValidationIssue], arguments: Mapping[str, Any] | None = None) -> ToolOutput:
    """Return the output of a call that was not run: an error and a hint."""
    return ToolOutput(None, ToolError(issues[0].message), build_hint(issues, tool, arguments=arguments))


def unrun(block: ToolBlock) -> BlockOutput:
    """What came of a block that is not executable: what is wrong with it, and its hint."""
    hint = block.hint
    return BlockOutput(None, ToolError(hint.problem if hint is not None else NOT_RUN), hint, block=block)


def denied(block: ToolBlock, reason: str | None) -> BlockOutput:
    """What came of a call that somebody did not allow."""
    hint = call_denied(str(block.tool), reason)
    return BlockOutput(None, ToolError(hint.problem), hint, block=block)


def _checked(check: Callable[[], list[ValidationIssue]], what: str) -> list[ValidationIssue]:
    """Return the issues of a check; an exception in it is an issue too."""
    try:
        return check()
    except Exception as error:  # the caller's code
        return [internal_error(error, what)]


# -- results -----------------------------------------------------------------------------------------------------------


def plain_result(result: Any) -> tuple[Any, list[ValidationIssue]]:
    """Return a handler's result as plain data; what is not JSON is left out and reported as an issue."""
    strange: list[str] = []

    def save(value: Any) -> Any:
        for known, to_plain in _PLAIN:
            if known(value):
                return to_plain(value)
        strange.append(type(value).__name__)
        return None

    try:
        text = json.dumps(result, default=save, ensure_ascii=False)
        sound = text.encode(errors="replace").decode()
        payload = json.loads(sound, parse_constant=strange.append)
    except (TypeError, ValueError, RecursionError):  # a key that is no text, a circle, a depth that nobody can read
        return None, [_not_json(type(result).__name__)]
    if sound != text:
        strange.append(HALF_A_PAIR)
    return payload, [_not_json(*dict.fromkeys(strange))] if strange else []


def _not_json(*kinds: str) -> ValidationIssue:
    return ValidationIssue("type", sentence("type.result", kinds=", ".join(first_values(kinds))), constraint="type")


def _members(value: Any) -> dict[str, Any]:
    # Not `asdict`, which copies deeply: what stands inside has its turn.
    return {field.name: getattr(value, field.name) for field in fields(value)}


_PLAIN: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...]] = (
    (lambda value: hasattr(value, "model_dump"), lambda value: value.model_dump(mode="json")),
    (lambda value: is_dataclass(value) and not isinstance(value, type), _members),
    (lambda value: isinstance(value, set | frozenset), list),
    (lambda value: hasattr(value, "isoformat"), lambda value: value.isoformat()),
    (lambda value: isinstance(value, UUID | PurePath), str),
)
"""Types that handlers return and that are not JSON, and how each is converted."""
