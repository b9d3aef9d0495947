"""Asks for an approval before a call may run.

    a block that would run -> asked about -> allowed, edited, or refused

Rule 1: the block that is shown with the question cannot run; only the answer makes it executable.
Rule 2: anything but a clear yes is a no: an exception, a timeout, an odd answer, arguments that were changed meanwhile.
Rule 3: new arguments are validated like those of any block, and fixed in nothing. They count as they were at the moment of the
answer: the code that awaits an answer copies it (`taken`) before anything else can run, since the answer's object may be
changed later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ..toolset.hints import call_denied, not_approved
from ..toolset.tool import Tool
from ..values.approval import Approval, Decision, digest
from ..values.block import Block, fenced
from ..values.call_keys import TOOL_KEY, without_tool
from ..values.events import ToolBlock, ToolStatus
from ..values.issues import ValidationIssue
from ..values.limits import SHORT_BLOCK
from ..values.quoting import named
from ..values.wording import sentence
from .judge import Judge
from .pending import Pending


class UnfitApprovalError(TypeError):
    """Raised if an `approve` turns out to be unfit when it is called. The message has no content of a stream."""


@dataclass(frozen=True, slots=True)
class Edit:
    """New arguments for a call, as they were when an answer gave them."""

    body: str | None
    """The call with these arguments, as JSON; None if the answer holds no arguments."""

    error: str = ""
    """Why it holds none: the type of an exception."""


def taken(answer: object, tool: str | None) -> object:
    """Return an answer that can no longer be changed. Arguments become an `Edit` of a call of this tool."""
    if not isinstance(answer, Mapping):
        return answer
    try:
        return Edit(json.dumps({TOOL_KEY: tool, **answer}, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError) as error:
        return Edit(None, type(error).__name__)


class Approving(Pending):
    """One call that would run, and waits for its approval.

    Args:
        judge: Validates new arguments.
        draft: The block of the call.
        tool: Its tool.
        status: Returns the status event that says that it waits.
        announce: Returns the event of a block that leaves.
    """

    __slots__ = ("_announce", "_asked", "_draft", "_judge", "_policy", "_status", "_tool", "approve")

    def __init__(
        self,
        judge: Judge,
        draft: ToolBlock,
        tool: Tool,
        status: Callable[[], ToolStatus],
        announce: Callable[[ToolBlock], ToolBlock],
    ) -> None:
        approve, policy = judge.settings.approve, judge.settings.approval
        assert approve is not None
        assert policy is not None
        super().__init__(draft.id, is_last=draft.part == draft.parts)
        self.approve: Final = approve
        """Whom to ask."""
        self._policy: Final = policy
        self._status: Final = status
        self._announce: Final = announce
        self._judge: Final = judge
        self._draft: Final = draft
        self._tool: Final = tool
        self._asked: Final = digest(draft.tool, draft.arguments)

    @property
    def timeout(self) -> float | None:
        """The seconds to wait for the answer."""
        return self._policy.timeout

    @property
    def is_long(self) -> bool:
        """Whether to validate new arguments may take long enough to block the event loop."""
        return self._judge.tools.is_heavy or len(self._draft.content) > SHORT_BLOCK

    def begin(self, now: float) -> tuple[ToolStatus, tuple[ToolBlock, Tool]]:  # noqa: ARG002
        """Return the status, and the block and tool to ask about. The block cannot run yet."""
        status = self._status()
        return status, (replace(self._draft, executable=False), self._tool)

    def taken(self, answer: object) -> object:
        """Return what `answer` takes: the answer in a form that can no longer be changed."""
        return taken(answer, self._draft.tool)

    def answer(self, reply: object, now: float) -> ToolBlock:  # noqa: ARG002
        """Return the block's event after this answer."""
        return self._announce(decided(self._judge, self._draft, reply, self._asked))

    def fail(self, error: BaseException, now: float) -> ToolBlock:  # noqa: ARG002
        """Return the block's event after `approve` raised."""
        if isinstance(error, TimeoutError) and self.timeout is not None:
            return self._refused("not_approved.timeout", seconds=f"{self.timeout:g}")
        return self._refused("not_approved.failed", error=type(error).__name__)

    def give_up(self, error: BaseException) -> ToolBlock:
        """Return the block's event if the answer is not waited for any more."""
        return self._refused("not_approved.failed", error=type(error).__name__)

    def _refused(self, key: str, **gaps: object) -> ToolBlock:
        return self._announce(refused(self._draft, "failed", key, **gaps))


def decided(judge: Judge, block: ToolBlock, answer: object, asked: str | None) -> ToolBlock:
    """Return a block that would run, changed as an answer demands.

    Args:
        judge: Validates new arguments.
        block: The block.
        answer: The answer, as `taken` returns it.
        asked: The digest that the block had when the question was put.
    """
    if answer is False or isinstance(answer, str):
        reason = answer if isinstance(answer, str) and answer.strip() else None
        said = refused(block, "denied", "not_approved")
        record = Approval("denied", reason=reason)
        return replace(said, approval=record, hint=call_denied(str(block.tool), reason))
    if asked is None or digest(block.tool, block.arguments) != asked:
        return refused(block, "failed", "not_approved.changed")
    if answer is True:
        return replace(block, executable=True, approval=Approval("allowed", asked))
    if isinstance(answer, Edit):
        return _edited(judge, block, answer)
    return refused(block, "failed", "not_approved.odd", kind=type(answer).__name__)


def _edited(judge: Judge, block: ToolBlock, edit: Edit) -> ToolBlock:
    """Return a block with the approver's arguments. If they are not valid for its tool, it is refused, with their issues."""
    before = without_tool(block.arguments or {})
    body = edit.body
    if body is None:
        return refused(block, "failed", "not_approved.edit", error=edit.error)
    verdict = judge.verdict(Block.bare(body))
    if not verdict.passed or verdict.tool != block.tool or verdict.arguments is None:
        wrong = {f'"{one.field}": {one.code}' if one.field else one.code for one in verdict.issues}
        said = refused(block, "failed", "not_approved.edit", error=", ".join(sorted(wrong)))
        return replace(said, issues=(*said.issues, *verdict.issues))
    return replace(
        block,
        path=verdict.path,
        arguments=verdict.arguments,
        content=fenced(body),
        corrected=True,
        corrected_by="approval",
        executable=True,
        issues=verdict.issues,
        approval=Approval("edited", digest(block.tool, verdict.arguments), before=before),
    )


def refused(block: ToolBlock, decision: Decision, key: str, **gaps: object) -> ToolBlock:
    """Return a block that may not run, because it was not approved; `key` names the sentence with the reason."""
    issue = ValidationIssue("not_approved", sentence(key, tool=named(str(block.tool)), **gaps), constraint="approval")
    return replace(
        block,
        executable=False,
        approval=Approval(decision),
        issues=(*block.issues, issue),
        hint=not_approved(block.tool, issue.message),
    )
