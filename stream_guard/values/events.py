"""What a guarded stream yields besides text: `ToolStatus` and `ToolBlock`.

Rule 1: an event is a frozen value; it can be stored, compared and sent.
Rule 2: names here are the names on the wire in snake case; `plain.py` alone knows the other spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, overload

from .attempt import Attempt
from .call import Call, NotExecutableError
from .call_keys import TOOL_KEY
from .fix import AutoFix
from .hint import RetryHint
from .issues import ValidationIssue
from .plain import plain, snake
from .quoting import named

Value = TypeVar("Value")

Status = Literal["buffering", "validating", "correcting", "released"]
"""Where a block is. `released` is terminal: it was no tool call, and its text follows untouched."""

EndCause = Literal["closed", "stop", "length", "disconnect", "content_filter", "oversize", "error"]
"""What ended a block. `closed`: its closing fence. `stop`: the call is complete, and the finish reason says that the model
ended its reply there. With any other the block was cut off, as far as is known."""

BlockOutcome = Literal["valid", "fixed", "corrected", "failed"]
"""What became of a block: `valid` as the model wrote it, `fixed` without a model, `corrected` by one; `failed` may not run."""

_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
"""What APIs refuse in the id of a call."""

StreamEnd = Literal["unknown", "stop", "length", "disconnect", "content_filter", "error"]
"""What ended a stream, as far as its provider told. `stop`: the model ended the reply, and the provider said so."""


@dataclass(frozen=True, slots=True)
class End:
    """Put into a stream of deltas by whoever knows why the text ends there: a provider's finish reason, say."""

    cause: StreamEnd = "unknown"
    """A source that runs out proves nothing: its end is `unknown`. Give `stop` only where a finish reason says that the model
    ended its reply: then a complete call at its end is whole, without its closing fence. Any other open block was cut off."""


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """News of a block that is still held back (`json-tool-status`)."""

    id: str
    """The block this is about; its `ToolBlock` bears the same id."""

    seq: int
    """The place of this event among all events of its stream, from 1."""

    status: Status
    """Where the block is now."""

    tool_type: str | None = None
    """The tool as the model named it, once that string has closed. Never a guess."""

    path: str | None = None
    """The path as the model wrote it, once that string has closed."""

    attempt: int | None = None
    """Which correction is running, from 1; only while `correcting`."""

    max_attempts: int | None = None
    """How many corrections there may be; only while `correcting`."""

    received: int | None = None
    """Characters of the body so far; only on progress updates."""

    preview: str | None = None
    """The next piece of the previewed field, decoded; only when a preview was asked for. Pieces are never taken back."""

    reason: str | None = None
    """Why the block was released: `foreign_key`, `unknown_tool`, `no_tool`, `not_an_object`, `not_json` or `guard_error`."""

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, with the wire's keys. What is None is left out."""
        data: dict[str, Any] = plain(self)
        return data

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ToolStatus:
        """Return the event that `to_dict` made this data of. Raises ValueError for other data."""
        try:
            return ToolStatus(**snake(data, ToolStatus))
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"invalid data for a json-tool-status event: {error}") from None

    def __str__(self) -> str:
        name = " ".join(named(part) for part in (self.tool_type, self.path) if part)
        return f"{self.status} {self.id}{' ' + name if name else ''}"


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """A whole block with its verdict (`json-tool-block`)."""

    id: str
    """Names the block; every `ToolStatus` about it bears the same id."""

    seq: int
    """The place of this event among all events of its stream, from 1."""

    tool: str | None
    """The tool to run, or None when the block does not say."""

    path: str | None
    """The path to run it on, or None."""

    arguments: dict[str, Any] | None
    """The object in `content`, parsed; None when there is none."""

    content: str
    """The fenced block as a front end shows and parses it."""

    raw: str
    """What the model wrote, character for character, from the fence that opens to the fence that closes."""

    validation_passed: bool
    """The verdict of the strict parser and the schema on `content`, and nothing else."""

    corrected: bool = False
    """Whether `arguments` differ from what the model wrote."""

    corrected_by: Literal["fixes", "llm"] | None = None
    """Who changed it."""

    executable: bool = False
    """Whether to run it: passed, ended by the model, of one reading only, and nothing in it invented. Nothing else may run."""

    end_cause: EndCause = "closed"
    """What ended the block."""

    found: tuple[ValidationIssue, ...] = ()
    """The issues of the block as it came."""

    issues: tuple[ValidationIssue, ...] = ()
    """The issues that remain in `content`."""

    fixes: tuple[AutoFix, ...] = ()
    """What was changed without a model; and what a model's correction invented."""

    attempts: tuple[Attempt, ...] = ()
    """What a model was asked, and what became of it."""

    confidence: float = 1.0
    """How sure the changes are, from 0 to 1; 1.0 when nothing was changed."""

    hint: RetryHint | None = None
    """What to tell the model when the block failed, or passed with something invented and is not run."""

    part: int = 1
    """Which call of the fence this is, from 1."""

    parts: int = 1
    """How many calls the fence holds."""

    @property
    def outcome(self) -> BlockOutcome:
        """What became of the block, in one word."""
        if not self.executable:
            return "failed"
        return "corrected" if self.corrected_by == "llm" else "fixed" if self.corrected else "valid"

    @property
    def call(self) -> Call | None:
        """The call to run: there whenever the block is `executable`, and None otherwise."""
        if not self.executable or self.tool is None or self.arguments is None:
            return None
        return Call(self.call_id, self.tool, {key: value for key, value in self.arguments.items() if key != TOOL_KEY})

    @property
    def call_id(self) -> str:
        """What to call this call in an API that pairs calls and results, also when it failed."""
        return _NO_ID.sub("-", f"call_{self.id}_{self.part}")

    def runnable(self) -> Call:
        """The call to run. Raises NotExecutableError, with the issues, when the block is not executable."""
        call = self.call
        if call is not None:
            return call
        name = f" ({named(self.tool)})" if self.tool else ""
        left = [issue for issue in self.issues if issue.severity == "error"]
        more = f" ({len(left) - 1} more)" if len(left) > 1 else ""
        told = self.hint.problem if self.hint is not None else f"it ended by {self.end_cause}"
        said = left[0].message + more if left else told
        raise NotExecutableError(
            f"block {self.id}{name} is not executable: {said}. Look at block.call first; block.hint is for the model",
            self.issues,
            self.hint,
        )

    @overload
    def value(self, kind: type[Value], /) -> Value: ...

    @overload
    def value(self, kind: Any, /) -> Any: ...

    def value(self, kind: Any, /) -> Any:
        """The call's arguments as an instance of a pydantic model, or of any type that pydantic reads.

        Raises:
            NotExecutableError: The block is not executable. Look at `call` first.
            ValueError: The model does not take the arguments: it is not the one that the tool was made from.
            ImportError: pydantic is not installed.
        """
        call = self.runnable()
        try:
            from pydantic import TypeAdapter  # deferred, and no dependency: who brings models has it
        except ImportError:
            raise ImportError("block.value takes pydantic: install it (the extra `pydantic`), or use block.call") from None
        return TypeAdapter(kind).validate_python(call.arguments)

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, with the wire's keys and the `outcome`. What is None is left out."""
        data: dict[str, Any] = plain(self)
        return {**data, "outcome": self.outcome}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ToolBlock:
        """Return the event that `to_dict` made this data of. Raises ValueError for other data.

        The data is taken at its word, `executable` included: read only what you wrote yourself.
        """
        try:
            known = snake(data, ToolBlock)
            for key, kind in _PARTS.items():
                known[key] = tuple(kind(item) for item in known.get(key, ()))
            if known.get("hint") is not None:
                known["hint"] = RetryHint.from_dict(known["hint"])
            return ToolBlock(**{"tool": None, "path": None, "arguments": None, **known})
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"invalid data for a json-tool-block event: {error}") from None

    def __repr__(self) -> str:
        name = " ".join(named(part) for part in (self.id, self.tool, self.path) if part)
        codes = ", ".join(dict.fromkeys(issue.code for issue in self.issues))
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


_PARTS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "found": lambda data: ValidationIssue(**snake(data, ValidationIssue)),
    "issues": lambda data: ValidationIssue(**snake(data, ValidationIssue)),
    "fixes": AutoFix.from_dict,
    "attempts": lambda data: Attempt(**snake(data, Attempt)),
}
"""The lists of a block, and what makes one of their items of its data."""

ToolEvent = ToolStatus | ToolBlock
"""Anything of ours in a guarded stream."""

Item = str | ToolStatus | ToolBlock
"""Anything at all in a guarded stream: text as it came, or news of a block."""


NameAndPath = tuple[str | None, str | None]
"""A block's tool and path, as far as they are known."""
