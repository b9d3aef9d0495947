"""A block that failed and waits for its correction.

    begin -> (the corrector is asked) -> answer or fail -> begin again, or the block's event

Rule 1: the caller only asks the corrector and passes its reply on. This class decides whether to ask, and whether to accept the
reply.
Rule 2: every attempt is recorded, also an attempt that was refused before the corrector was asked.
"""

from __future__ import annotations

from typing import Any

from ..fixes.catalogue import CATALOGUE
from ..judge.announcer import Announcer, Case, Change
from ..judge.judge import Judge
from ..judge.pending import Pending
from ..toolset.validate import Validated
from ..values.attempt import Attempt, Kind, Outcome
from ..values.block import Block, fenced
from ..values.call_keys import PATH_KEY, TOOL_KEY
from ..values.events import FENCE, ToolBlock, ToolStatus
from ..values.fix import AutoFix
from ..values.issues import ValidationIssue, internal_error
from ..values.limits import SHORT_BLOCK
from ..values.wording import sentence
from .budget import Purse, Spent
from .corrections import Corrections
from .drift import Comparison, Drift, Origin, compare, names_a_tool
from .reply import NoSingleBlock, continued, corrected
from .request import CorrectionRequest, Reply

CONFIDENCE = 0.8
"""The confidence of a correction: it was compared with the block, but another model wrote it."""


class Correction(Pending):
    """One block that waits for a correction, with its attempts and its budget."""

    __slots__ = (
        "_announcer",
        "_case",
        "_corrections",
        "_failure",
        "_first",
        "_judge",
        "_kind",
        "_now",
        "_origin",
        "_purse",
        "_request",
        "_spent",
        "_tried",
        "_verdict",
        "attempt",
    )

    def __init__(self, judge: Judge, announcer: Announcer, corrections: Corrections, spent: Spent, case: Case) -> None:
        self._judge = judge
        self._announcer = announcer
        self._corrections = corrections
        self._spent = spent
        super().__init__(case.id, is_last=case.block.part == case.block.parts)
        self._case = case
        self._verdict = case.verdict
        self._kind: Kind = "correct" if case.block.ended else "continue"
        self._origin: Origin | None = None
        self._purse = Purse(corrections.policy, self._shown)
        self._tried: list[Attempt] = []
        self._failure: tuple[ValidationIssue, ...] = ()
        self._request: CorrectionRequest | None = None
        self._now = 0.0
        self.attempt = 0
        """The number of the running attempt, from 1."""

    @property
    def is_long(self) -> bool:
        """Return whether reading the block, or a reply to it, may take long enough to block the event loop."""
        return self._judge.tools.is_heavy or len(self._case.block.body) > SHORT_BLOCK

    def _read(self) -> Origin:
        """Return the call that the model made, as far as it can be read."""
        tool, path = self._case.names
        call = self._judge.understood(self._case.block.body)
        if call is None:
            return Origin(self._case.block.body, tool=tool, path=path)
        return Origin(self._case.block.body, call.value, call.issues)

    def begin(self, now: float) -> tuple[ToolStatus, CorrectionRequest] | ToolBlock:
        """Begin the next attempt: returns its status and its request, or the block's event if no attempt is made."""
        case, tools, policy = self._case, self._judge.tools, self._corrections.policy
        self.attempt += 1
        why_not = self._why_not(now)
        if why_not is not None:
            self._note("not_asked", why_not)
            return self._give_up()
        self._spent.calls += 1
        self._now = now
        attempts = {"attempt": self.attempt, "max_attempts": policy.max_attempts}
        status = self._announcer.status("correcting", case.id, case.names, **attempts)
        tool = self._tool
        named = tools.get(tool) if tool is not None else None
        self._request = CorrectionRequest(
            block=self._shown if self._kind == "correct" else self._case.block.body,
            issues=self._verdict.issues,
            tools=tools,
            attempt=self.attempt,
            hint=self._announcer.hint(self._verdict, case.names),
            schema=named.schema if named is not None else None,
            tool=tool,
            candidates=self._candidates if tool is None else (),
            kind=self._kind,
            max_tokens=self._purse.reply,
            max_characters=4 * self._purse.reply,
        )
        return status, self._request

    @property
    def _shown(self) -> str:
        """Return the block as a corrector is shown it: as the model wrote it if it is a fence, else in the plain form."""
        block = self._case.block
        return block.raw if block.dialect == FENCE else fenced(block.body)

    @property
    def _said(self) -> str | None:
        """Return the name by which the model called the tool."""
        call = self._origin.call if self._origin is not None else None
        said = call.get(TOOL_KEY) if call is not None else self._case.verdict.tool or self._case.names[0]
        return said if isinstance(said, str) else None

    @property
    def _tool(self) -> str | None:
        """Return the name of the tool that is certainly meant."""
        meant = self._judge.tools.meant(self._said) if self._said is not None else None
        return meant.name if meant is not None else None

    @property
    def _candidates(self) -> tuple[str, ...]:
        """Return the names of the tools that may be meant. A reply must be a call of one of them."""
        return tuple(tool.name for tool in self._judge.tools.possible(self._said)) if self._said is not None else ()

    def _why_not(self, now: float) -> str | None:
        """Return the reason why no attempt is made; None if an attempt is made."""
        if self._purse.reply == 0:
            return "tokens"
        if self._kind == "correct" and self._origin is None:
            self._origin = self._read()
            if self._origin.call is not None and not (self._candidates and names_a_tool(self._origin, self._judge.tools)):
                return "no tool is named"  # any tool in a reply would be refused
            if self._judge.context_forbids_call(self._case.block, self._tool):
                return "prose"
            if self._judge.faults_have_one_cause(self._case.block.body):
                return "doubt"
        if self._spent.calls >= self._corrections.policy.max_calls:
            return "calls"
        return None if self._corrections.breaker.allows(now) else "breaker"

    def answer(self, reply: str | Reply, now: float) -> ToolBlock | Pending | None:
        """Validate a reply and compare it with the block.

        Returns the block's event; the approval to wait for, if the call needs one; or None if another attempt is worth it.
        """
        request = self._request
        assert request is not None
        self._corrections.breaker.note(failed=False, now=now)
        self._failure = ()
        told = reply if isinstance(reply, Reply) else Reply(reply)
        self._purse.spend(told.input_tokens, told.output_tokens, told.text)
        try:
            block = self._found(told, request)
        except NoSingleBlock as unreadable:
            self._note("unreadable", str(unreadable), told, now)
            return self._next()
        body, verdict = self._judged(block)
        if not verdict.passed:
            self._note("invalid", None, told, now)
            again = _kinds(verdict) == _kinds(self._verdict) and self.attempt > 1
            self._verdict = self._case.verdict._replace(issues=verdict.issues)
            return self._give_up() if again else self._next()
        compared = self._compared(verdict.arguments or {})
        if compared.drift is not None:
            self._note("refused", compared.drift.kind, told, now)
            message = sentence("correction_refused", what=compared.drift.kind)
            refused = ValidationIssue("correction_refused", message, field=compared.drift.field, constraint="authority")
            self._failure = (refused,)
            return self._give_up()
        self._note("accepted", None, told, now)
        invented = tuple(map(_empty, compared.invented))
        change = Change("llm", body, verdict, fixes=invented, confidence=CONFIDENCE)
        draft = self._announcer.changed(self._case, change, attempts=tuple(self._tried))
        return self._announcer.leave(self._case, draft)

    def _found(self, reply: Reply, request: CorrectionRequest) -> Block:
        if self._kind == "correct":
            return corrected(reply, request, self._judge)
        return Block.bare(continued(reply, request, self._judge, self._case.block.body))

    def _judged(self, block: Block) -> tuple[str, Validated]:
        """Return the body of a reply and its verdict, after fixes if they make it pass. The rest of a cut-off block is not
        fixed.
        """
        verdict = self._judge.verdict(block)
        mended = self._judge.mend(block, verdict) if self._kind == "correct" else ()
        return (mended[0].body, mended[0].verdict) if len(mended) == 1 else (block.body, verdict)

    def _compared(self, arguments: dict[str, Any]) -> Comparison:
        """Return the result of comparing a correction with the block."""
        if self._origin is not None:
            return compare(arguments, self._origin, self._judge.tools)
        named = zip((TOOL_KEY, PATH_KEY), self._case.names, strict=True)
        return Comparison(next((Drift(field, field) for field, said in named if arguments.get(field) != said), None))

    def fail(self, error: BaseException, now: float) -> ToolBlock | None:
        """Record an attempt whose corrector raised. Returns the block's event; None if another attempt is worth it."""
        self._corrections.breaker.note(failed=True, now=now)
        self._purse.spend(None, 0, "")
        self._note("failed", type(error).__name__, None, now)
        self._failure = (internal_error(error, "corrector"),)
        return self._next(last=isinstance(error, TimeoutError))

    def give_up(self, error: BaseException) -> ToolBlock:
        """Record an internal error, and return the block's event."""
        self._failure = (internal_error(error, "correction"),)
        return self._give_up()

    def _note(self, outcome: Outcome, reason: str | None, reply: Reply | None = None, now: float | None = None) -> None:
        spent = (reply.input_tokens, reply.output_tokens) if reply is not None else (None, None)
        seconds = now - self._now if now is not None else 0.0
        self._tried.append(Attempt(self.attempt, outcome, reason, self._kind, *spent, seconds))

    def _next(self, *, last: bool = False) -> ToolBlock | None:
        """Return None while attempts are left, else the block's event."""
        return self._give_up() if last or self.attempt >= self._corrections.policy.max_attempts else None

    def _give_up(self) -> ToolBlock:
        """Return the event of the block as the model wrote it, with its attempts."""
        first = self._case.verdict
        verdict = first._replace(issues=(*first.issues, *self._failure))
        return self._announcer.announce(self._announcer.unchanged(self._case, verdict, attempts=tuple(self._tried)))


def _empty(field: str) -> AutoFix:
    """Return the record of an empty string that a correction put in place of a missing one."""
    fix = CATALOGUE["missing_field"]
    return AutoFix("missing_field", fix.type, fix.what, field, None, "", fix.confidence, fix.safety)


def _kinds(verdict: Validated) -> list[tuple[str, str]]:
    return [(issue.code, issue.field) for issue in verdict.issues]
