"""Creates the events of one stream, with ids and sequence numbers, and calls the hooks.

Rule 1: an event is made when it is asked for. So `seq` is the order in which events leave.
Rule 2: every block leaves through `announce`, which lets none run that needs an approval and has none. Before that, an event
is a draft: its `seq` is 0, and no code outside this room has seen it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from ..schema.fields import split
from ..schema.violations import Violation
from ..schema.violations import issue as issue_of
from ..toolset.hints import build_hint
from ..toolset.validate import Validated
from ..values.attempt import Attempt
from ..values.block import Block, fenced
from ..values.call_keys import TOOL_KEY, without_tool
from ..values.events import FENCE, NATIVE, NameAndPath, Status, ToolBlock, ToolStatus
from ..values.fix import AutoFix, Safety
from ..values.hint import RetryHint
from ..values.issues import ValidationIssue, internal_error
from ..values.log import log
from ..values.preview import Preview
from ..values.quick import quick
from ..values.wording import ADVICE, sentence
from .approving import Approving, refused
from .judge import Judge

_status: Final = quick(ToolStatus)
_block: Final = quick(ToolBlock)


class Case(NamedTuple):
    """One block as it was received: its id, tool and path if known, text, and verdict."""

    id: str
    names: NameAndPath
    block: Block
    verdict: Validated


class Change(NamedTuple):
    """One call of a changed block: who changed it, its new body, and its verdict."""

    by: Literal["fixes", "llm"]
    body: str
    verdict: Validated
    fixes: tuple[AutoFix, ...] = ()
    confidence: float = 1.0
    """The confidence of the change itself; its fixes have their own."""

    invented: bool = False
    """Whether this call, or another call of its block, holds an invented value."""

    part: int = 1
    parts: int = 1


class Announcer:
    """Creates the events of one stream in order, and calls the guard's hooks with them.

    Args:
        judge: The judge of the stream's blocks.
        asks: Whether somebody can be asked for approvals.
    """

    __slots__ = ("_asks", "_judge", "_seq", "_settings")

    def __init__(self, judge: Judge, asks: bool) -> None:
        self._judge = judge
        self._settings = judge.settings
        self._asks = asks and judge.settings.approve is not None
        self._seq = 0

    def status(self, status: Status, id: str, names: NameAndPath, **more: Any) -> ToolStatus:
        """Announce a status of a block; returns the event."""
        self._seq += 1
        tool, path = names
        event = _status(id, self._seq, status, tool, path, **more) if more else _status(id, self._seq, status, tool, path)
        if self._settings.on_status is not None:
            call_hook(self._settings.on_status, event)
        return event

    def announce_progress(
        self,
        id: str,
        names: NameAndPath,
        failing: tuple[ValidationIssue, ...],
        received: int | None,
        preview: tuple[Preview, ...] | None,
    ) -> ToolStatus:
        """Announce how far a block was written and, if it cannot pass any more, why; returns the event."""
        self._seq += 1
        tool, path = names
        status: Status = "failing" if failing else "buffering"
        event = _status(id, self._seq, status, tool, path, received=received, preview=preview, issues=failing or None)
        if self._settings.on_status is not None:
            call_hook(self._settings.on_status, event)
        return event

    def unchanged(
        self,
        case: Case,
        verdict: Validated | None = None,
        *,
        fixes: tuple[AutoFix, ...] = (),
        attempts: tuple[Attempt, ...] = (),
    ) -> ToolBlock:
        """Return the draft of a block as the model wrote it. `fixes` are those that shadow mode only reports."""
        verdict = verdict or case.verdict
        block = case.block
        as_written = block.canonical or not (verdict.passed or block.dialect != FENCE)
        content = block.raw if as_written else fenced(block.body)
        invented = bool(fixes) and any(fix.safety is Safety.INVENTED for fix in fixes)
        return self._draft(case, verdict, content, invented=invented, fixes=fixes, attempts=attempts)

    def changed(self, case: Case, change: Change, attempts: tuple[Attempt, ...] = ()) -> ToolBlock:
        """Return the draft of one call of a changed block. With an invented value it is executable only with `run_invented`."""
        return self._draft(
            case,
            change.verdict,
            fenced(change.body),
            invented=change.invented or any(fix.safety is Safety.INVENTED for fix in change.fixes),
            fixes=change.fixes,
            attempts=attempts,
            change=change,
        )

    def _draft(
        self,
        case: Case,
        verdict: Validated,
        content: str,
        *,
        invented: bool,
        fixes: tuple[AutoFix, ...],
        attempts: tuple[Attempt, ...],
        change: Change | None = None,
    ) -> ToolBlock:
        """Return the draft of a call with this content, changed by `change` if there was a change."""
        block, found, passed = case.block, case.verdict.issues, verdict.passed
        numbered = change if change is not None and change.parts > 1 else block  # one call of several that a fix found
        may_run = passed and block.end_is_certain
        runs = may_run and (self._settings.run_invented or not invented)
        return _block(
            id=case.id,
            seq=0,
            tool=verdict.tool or case.names[0],
            path=verdict.path or case.names[1],
            arguments=verdict.arguments,
            content=content,
            raw=block.raw if numbered.part == 1 else "",
            dialect=block.dialect if block.native_tool is None else NATIVE,
            validation_passed=passed,
            executable=runs,
            end_cause=block.end_cause,
            found=found,
            issues=verdict.issues,
            hint=self._unwritten(case, verdict, fixes) if passed and invented and not runs else self.hint(verdict, case.names),
            corrected=change is not None,
            corrected_by=change.by if change is not None else None,
            confidence=1.0 if change is None else min((change.confidence, *(fix.confidence for fix in fixes))),
            fixes=fixes,
            attempts=attempts,
            part=numbered.part,
            parts=numbered.parts,
        )

    def _unwritten(self, case: Case, verdict: Validated, fixes: tuple[AutoFix, ...]) -> RetryHint | None:
        """Return the hint for a block that passed with values that the model did not write. It names only these values."""
        lacks = [fix for fix in fixes if fix.safety is Safety.INVENTED]
        issues = (
            tuple(self._missing(fix, verdict) for fix in lacks) or case.verdict.issues
        )  # or another call of the block lacks it
        hint = self.hint(verdict._replace(issues=issues), case.names)
        return hint and replace(hint, message=f"{hint.problem}. {ADVICE['invented']}")

    def _missing(self, fix: AutoFix, verdict: Validated) -> ValidationIssue:
        """Return the issue that a field is missing, for a field that a fix put in."""
        if fix.rule == "missing_tool":
            names = list(self._settings.tools.names)
            return ValidationIssue.at((TOOL_KEY,), "missing_tool", sentence("missing_tool"), "required", expected=names)
        path = (fix.path,) if fix.path in (verdict.arguments or {}) else split(fix.path)
        return issue_of(Violation(path, "required", None, None), verdict.tool)

    def leave(self, case: Case, draft: ToolBlock) -> ToolBlock | Approving:
        """Return the event of a block, or a `Pending` if somebody has to be asked before the block leaves."""
        tool = self._settings.tools.get(draft.tool) if self._asks and draft.tool is not None and self._needs(draft) else None
        if tool is None:
            return self.announce(draft)
        arguments = without_tool(draft.arguments or {})
        status = partial(
            self.status,
            *("approving", case.id, (draft.tool, draft.path if tool.shows_path else None)),
            call_id=draft.call_id,
            arguments=deepcopy(tool.view().of(arguments)),  # a hook may cut it down for a log
        )
        return Approving(self._judge, draft, tool, status, self.announce)

    def announce(self, draft: ToolBlock) -> ToolBlock:
        """Announce a block; returns the event. A block that needs an approval and has none is not executable."""
        if self._needs(draft) and (draft.approval is None or draft.call is None):
            draft = refused(draft, "unasked", "not_approved.unasked")
        self._seq += 1
        object.__setattr__(draft, "seq", self._seq)  # nobody has seen a draft: so it need not be copied
        if self._settings.on_block is not None:
            call_hook(self._settings.on_block, draft)
        return draft

    def _needs(self, draft: ToolBlock) -> bool:
        return draft.executable and self._settings.approval is not None and self._settings.needs_approval(draft.tool)

    def hint(self, verdict: Validated, names: NameAndPath) -> RetryHint | None:
        """Return the hint for a block with this verdict."""
        if not verdict.issues:
            return None
        name = verdict.tool or names[0]
        tool = self._settings.tools.get(name) if name is not None else None
        try:
            return build_hint(verdict.issues, tool or name, arguments=verdict.meant or verdict.arguments)
        except Exception as error:  # P9: the block leaves all the same
            log.error("no hint could be made for a block: %s", type(error).__name__)
            return build_hint((internal_error(error, "block"),), name)


def call_hook(hook: Callable[[Any], None] | None, event: Any) -> None:
    """Call a user's hook, if there is one. An exception is logged by its type and does not end the stream."""
    if hook is not None:
        try:
            hook(event)
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a CancelledError of its own, too: a function that awaits nothing is not cancelled
            log.error("a hook failed: %s", type(error).__name__)
