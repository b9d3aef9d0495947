"""What a guarded stream yields besides text: `ToolStatus` and `ToolBlock`. And `ToolResult`, which a page gets for each call.

Rule 1: an event is a frozen value; it can be stored, compared and sent.
Rule 2: names here are the names on the wire in snake case; only `plain.py` knows the other spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, overload

from .approval import Approval
from .attempt import Attempt
from .call import Call, NotExecutableError
from .call_keys import without_tool
from .fix import AutoFix, Safety
from .hint import RetryHint
from .issues import ValidationIssue
from .late import late
from .plain import plain, snake
from .preview import Preview
from .quoting import named

Value = TypeVar("Value")

FENCE: Final = "fence"
"""The dialect of a fenced code block."""

NATIVE: Final = "native"
"""The value of `dialect` for a native call."""

Status = Literal["buffering", "failing", "validating", "correcting", "approving", "released"]
"""The state of a block. `failing`: it is still being written, and no fix can make it pass. `approving`: its call may run if it
is approved. `released` is final: it was no tool call, and its text follows unchanged."""

EndCause = Literal["closed", "stop", "length", "disconnect", "content_filter", "oversize", "aborted", "error"]
"""The cause of a block's end. `closed`: its closing fence. `stop`: the call is complete, and the finish reason says that the
model ended its reply there. `aborted`: the guard, because no fix could make it pass. With any other cause the block was cut
off, as far as is known."""

BlockOutcome = Literal["valid", "fixed", "corrected", "failed"]
"""The outcome of a block; `ToolBlock.outcome` explains each."""

_NO_ID: Final = late(r"[^a-zA-Z0-9_-]")
"""Characters that APIs refuse in the id of a call."""


def call_id(block: str, part: int = 1) -> str:
    """Return the id of a call for APIs that pair calls and results, given the id of its block."""
    return _NO_ID.sub("-", f"call_{block}_{part}")


StreamEnd = Literal["unknown", "stop", "length", "disconnect", "content_filter", "error"]
"""The cause of a stream's end, as far as it is known. `stop`: the provider reported that the model ended the reply."""


@dataclass(frozen=True, slots=True)
class End:
    """The cause of a text's end, given as the last delta: taken from a provider's finish reason, for example."""

    cause: StreamEnd = "unknown"
    """A source that simply ends proves nothing: its end is `unknown`. Give `stop` only where a finish reason says that the
    model ended its reply: then a complete call at its end is whole, without its closing fence. Any other open block was cut
    off."""


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """The status of a block that is held back (`json-tool-status`)."""

    id: str
    """The id of the block; its `ToolBlock` has the same id."""

    seq: int
    """The place of this event among those of the same text, or of the same native call, from 1."""

    status: Status
    """The state of the block now."""

    tool_type: str | None = None
    """The tool as the model named it; set when that string is complete. It is never a guess."""

    path: str | None = None
    """The path as the model wrote it; set when that string is complete."""

    attempt: int | None = None
    """Which correction is running, from 1; only while `correcting`."""

    max_attempts: int | None = None
    """How many corrections there may be; only while `correcting`."""

    received: int | None = None
    """Characters of the body so far; only on progress updates."""

    preview: tuple[Preview, ...] | None = None
    """The changes of the call's arguments since the last update; only if a preview was asked for. It is provisional until the
    block has ended: a block that is fixed may have other `arguments`, and its `fixes` say where they differ."""

    issues: tuple[ValidationIssue, ...] | None = None
    """Why the block cannot pass any more; only while `failing`."""

    call_id: str | None = None
    """The id of the call that waits for its approval, the `call_id` of its `ToolBlock`; only while `approving`."""

    arguments: dict[str, Any] | None = None
    """The arguments of the call that waits, without private ones and without the `tool` key; only while `approving`."""

    reason: str | None = None
    """Why the block was released: `foreign_key`, `unknown_tool`, `no_tool`, `not_an_object`, `not_json` or `guard_error`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain data with the wire's keys. Members that are None are left out."""
        data: dict[str, Any] = plain(self)
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ToolStatus:
        """Return the event that `to_dict` made this data of. Raises ValueError for other data."""
        try:
            known = snake(data, ToolStatus)
            for key, kind in _LISTS.items():
                if known.get(key) is not None:
                    known[key] = tuple(kind(item) for item in known[key])
            return ToolStatus(**known)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"invalid data for a json-tool-status event: {error}") from None

    def __str__(self) -> str:
        name = " ".join(named(part) for part in (self.tool_type, self.path) if part)
        return f"{self.status} {self.id}{' ' + name if name else ''}"


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """One call of a block that has ended, with its verdict (`json-tool-block`). A block of two calls gives two of these."""

    id: str
    """The id of the block. Its `ToolStatus` events and all its calls have the same id; `part` tells the calls apart."""

    seq: int
    """The place of this event among those of the same text, or of the same native call, from 1."""

    tool: str | None
    """The name of the tool in the block; None if it names none."""

    path: str | None
    """The path to run it on, or None."""

    arguments: dict[str, Any] | None
    """The object in `content`, parsed, its `tool` key included; None when `content` holds no JSON object. `call.arguments`, and
    the `arguments` of a `ToolStatus`, are without that key."""

    content: str
    """The fenced block as a front end shows and parses it, in whatever dialect the model wrote it."""

    raw: str
    """The text of the model from the opener to the closer, unchanged, in its dialect. Empty for every call of a block except
    the first (where `part` is above 1)."""

    validation_passed: bool
    """Whether `content` passes the strict parser and the schema. Whether the call may run is `executable`."""

    corrected: bool = False
    """Whether fixes or a model changed the block. A change of its text counts even if the `arguments` stay the same; so it is
    also true for each block whose outcome is `fixed`."""

    corrected_by: Literal["fixes", "llm", "approval"] | None = None
    """Who changed the block last: fixes, a model (`llm`), or the approver (`approval`). None if nobody did."""

    executable: bool = False
    """Whether to run it: it passed, the model ended it, it has only one reading, and nothing in it is invented. Nothing else
    may run."""

    end_cause: EndCause = "closed"
    """The cause of the block's end."""

    found: tuple[ValidationIssue, ...] = ()
    """The issues of the block as the model wrote it."""

    issues: tuple[ValidationIssue, ...] = ()
    """The issues that remain in `content`."""

    fixes: tuple[AutoFix, ...] = ()
    """The changes made without a model, and the values that a model's correction invented."""

    attempts: tuple[Attempt, ...] = ()
    """The attempts to have the block corrected by a model."""

    confidence: float = 1.0
    """How sure the changes are, from 0 to 1; 1.0 when nothing was changed."""

    hint: RetryHint | None = None
    """The hint for the model when the block failed, or passed with an invented value and is not run."""

    part: int = 1
    """The number of this call in its block, from 1."""

    parts: int = 1
    """The number of calls in the block."""

    dialect: str = FENCE
    """The dialect in which the model wrote the block: `fence`, a name in `dialects`, or `native` for a native call."""

    approval: Approval | None = None
    """The decision about the call, if it needs an approval. Only exactly the approved call can be run."""

    @property
    def outcome(self) -> BlockOutcome:
        """The outcome of the block. `valid`: it runs as the model wrote it. `fixed`: it runs as fixes changed it. `corrected`:
        it runs as a model or an approver changed it. `failed`: it is not `executable`, because it did not pass, was cut off,
        has two readings, was not approved, or passed only with an invented value.
        """
        if not self.executable:
            return "failed"
        return "corrected" if self.corrected_by in ("llm", "approval") else "fixed" if self.corrected else "valid"

    @property
    def _lacks(self) -> tuple[str, ...]:
        """The dotted paths of the fields that fixes invented, if only these keep the block from running; else empty."""
        if self.executable or not self.validation_passed or not self.corrected:
            return ()
        return tuple(fix.path for fix in self.fixes if fix.safety is Safety.INVENTED)

    @property
    def call(self) -> Call | None:
        """The call to run if the block is `executable`, else None. Also None if it is not the call that was approved."""
        if not self.executable or self.tool is None or self.arguments is None:
            return None
        arguments = without_tool(self.arguments)
        if self.approval is not None:
            arguments = deepcopy(arguments)  # what is compared is what runs, whoever changes the block meanwhile
            if not self.approval.covers(self.tool, arguments):
                return None
        return Call(self.call_id, self.tool, arguments)

    @property
    def call_id(self) -> str:
        """The id of this call in APIs that pair calls and results, also when it failed."""
        return call_id(self.id, self.part)

    def runnable(self) -> Call:
        """Return the call to run. Raises NotExecutableError, with the issues, when the block is not executable."""
        call = self.call
        if call is not None:
            return call
        name = f" ({named(self.tool)})" if self.tool else ""
        left = [issue for issue in self.issues if issue.severity == "error"]
        more = f" ({len(left) - 1} more)" if len(left) > 1 else ""
        changed = self.executable and self.approval is not None
        ended = "its call is not the one that was approved" if changed else f"it ended by {self.end_cause}"
        reason = self.hint.problem if self.hint is not None and not changed else ended
        if self._lacks:
            reason = f"the model did not write {', '.join(map(named, self._lacks))}, and `run_invented` is off"
        if left and not changed:
            reason = left[0].message + more
        raise NotExecutableError(
            f"block {self.id}{name} is not executable: {reason}. Look at block.call first; block.hint is for the model",
            self.issues,
            self.hint,
        )

    @overload
    def value(self, kind: type[Value], /) -> Value: ...

    @overload
    def value(self, kind: Any, /) -> Any: ...

    def value(self, kind: Any, /) -> Any:
        """Return the call's arguments as an instance of a pydantic model, or of any type that pydantic reads.

        Raises:
            NotExecutableError: The block is not executable. Look at `call` first.
            ValueError: The model does not take the arguments: it is not the one that the tool was made from.
            ImportError: pydantic is not installed.
        """
        call = self.runnable()
        try:
            from pydantic import TypeAdapter  # deferred, and no dependency: who brings models has it
        except ImportError:
            raise ImportError("block.value needs pydantic: install it (the extra `pydantic`), or use block.call") from None
        return TypeAdapter(kind).validate_python(call.arguments)

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain data with the wire's keys and the `outcome`. Members that are None are left out."""
        data: dict[str, Any] = plain(self)
        return {**data, "outcome": self.outcome}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ToolBlock:
        """Return the event that `to_dict` made this data of. Raises ValueError for other data.

        The data is trusted, `executable` included: read only data that you wrote yourself.
        """
        try:
            known = snake(data, ToolBlock)
            for key, kind in _PARTS.items():
                known[key] = tuple(kind(item) for item in known.get(key, ()))
            if known.get("hint") is not None:
                known["hint"] = RetryHint.from_dict(known["hint"])
            if known.get("approval") is not None:
                known["approval"] = Approval(**snake(known["approval"], Approval))
            return ToolBlock(**{"tool": None, "path": None, "arguments": None, **known})
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"invalid data for a json-tool-block event: {error}") from None

    def __repr__(self) -> str:
        name = " ".join(named(part) for part in (self.id, self.tool, self.path) if part)
        codes = ", ".join(dict.fromkeys(issue.code for issue in self.issues))
        if self._lacks:
            codes = f"invented: {', '.join(map(named, self._lacks))}"
        why = f" ({codes})" if codes else ""
        return f"<ToolBlock {name}: {self.outcome}{why}, {len(self.raw)} characters, {self.end_cause}>"

    def _repr_html_(self) -> str:
        from .shown import as_html  # deferred: only notebooks ask for it

        issues, fixes = (("issue", issue.message) for issue in self.issues), (("fix", fix.description) for fix in self.fixes)
        facts = (("tool", self.tool), ("path", self.path), ("ended by", self.end_cause), *issues, *fixes)
        return as_html(self.outcome, self.id, facts, self.content)

    def __str__(self) -> str:
        verdict = "passed" if self.validation_passed else "failed"
        name = " ".join(named(part) for part in (self.tool, self.path) if part)
        return f"{verdict} {self.id}{' ' + name if name else ''} ({len(self.raw)} characters, {self.end_cause})"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call of a block, or why it was not run (`json-tool-result`)."""

    id: str
    """The id of the block."""

    part: int
    """The number of the call in its block, from 1."""

    call_id: str
    """The id of the call in APIs that pair calls and results."""

    ok: bool
    """Whether the call was run, and succeeded."""

    text: str
    """The text for the model: the result, or the problem and what to do about it."""

    tool: str | None = None
    """The name of the tool that was called; None if the block names none."""

    payload: Any = None
    """The result as data; of a call that failed, the part of its result that is valid. None when there is none."""

    hint: RetryHint | None = None
    """The hint for the model when the call failed."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data with the wire's keys. Members that are None are left out."""
        data: dict[str, Any] = plain(self)
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ToolResult:
        """Return the result that `to_dict` made this data of. Raises ValueError for other data."""
        try:
            known = snake(data, ToolResult)
            if known.get("hint") is not None:
                known["hint"] = RetryHint.from_dict(known["hint"])
            return ToolResult(**known)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"invalid data for a json-tool-result event: {error}") from None


_LISTS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "preview": lambda data: Preview(**snake(data, Preview)),
    "issues": lambda data: ValidationIssue(**snake(data, ValidationIssue)),
}
"""The lists of a status, and the function that makes an item of each from data."""

_PARTS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "found": lambda data: ValidationIssue(**snake(data, ValidationIssue)),
    "issues": lambda data: ValidationIssue(**snake(data, ValidationIssue)),
    "fixes": AutoFix.from_dict,
    "attempts": lambda data: Attempt(**snake(data, Attempt)),
}
"""The lists of a block, and the function that makes an item of each from data."""

ToolEvent = ToolStatus | ToolBlock
"""An event of the guard in a guarded stream."""

Item = str | ToolStatus | ToolBlock
"""Anything in a guarded stream: text, or an event about a block."""


NameAndPath = tuple[str | None, str | None]
"""A block's tool and path, as far as they are known."""
