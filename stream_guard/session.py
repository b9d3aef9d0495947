"""One stream: the scanner's news turned into events with ids and an order.

Rule 1: data in, events out; nothing here waits.
Rule 2: events are made when they are asked for, one by one. So `seq` is the order in which they leave, also when the one who
asks stops at a `Pending` and goes on later.
Rule 3: a fault of the scanner's or of a rule's ends in an event and in text, never in an exception (promise P9).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, TypeVar

from .correct.budget import Spent
from .correct.pending import Pending
from .scan.states import Accepted, Closed, Named, Opened, Progress, Released, Scanned
from .toolset.hints import build_hint
from .toolset.validate import Validated
from .values.attempt import Attempt
from .values.block import Block, fenced
from .values.events import End, Item, Status, StreamEnd, ToolBlock, ToolStatus
from .values.fix import AutoFix, Safety
from .values.hint import RetryHint
from .values.issues import ValidationIssue

if TYPE_CHECKING:
    from .fixes.engine import Mended
    from .guard import Guard
from .values.events import NameAndPath
from .values.limits import SHORT

log: Final = logging.getLogger("stream_guard")
Made = TypeVar("Made")


class Aside(Generic[Made]):
    """Work that may be long. Whoever meets one may `run` it where it holds nobody up, and then go on."""

    __slots__ = ("_made", "_work")

    def __init__(self, work: Callable[[], Made]) -> None:
        self._work = work
        self._made: list[Made] = []

    def run(self) -> Made:
        """What the work makes. What was done once is not done again."""
        if not self._made:
            self._made.append(self._work())
        return self._made[0]


class Mending(Aside["tuple[Validated, tuple[Mended, ...]]"]):
    """A block, to be judged and to be mended: the verdict on it, and its calls as they were mended."""

    __slots__ = ("block",)

    def __init__(self, guard: Guard, block: Block) -> None:
        super().__init__(partial(_mended, guard, block))
        self.block = block

    @property
    def is_long(self) -> bool:
        """Whether it may hold somebody up."""
        return len(self.block.body) > SHORT


def _mended(guard: Guard, block: Block) -> tuple[Validated, tuple[Mended, ...]]:
    verdict = guard.judge(block)
    return verdict, guard.mend(block, verdict)


class Reader(Protocol):
    """**Protocol:** what a guarded stream is told of each delta, and what it has to say of it."""

    @property
    def holding(self) -> bool:
        """Whether something is held back."""
        ...

    def checked(self, delta: object) -> Any:
        """The delta, if it is of the kind that belongs here. Raises TypeError."""
        ...

    def passes(self, delta: Any, /) -> bool:
        """Take a delta if it leaves as it is, at once. What is not taken is to be fed."""
        ...

    def feed(self, delta: Any, /) -> Iterator[Any]:
        """Take a delta; give out, one by one, what can be said: items, a `Pending`, an `Aside`."""
        ...

    def end(self, cause: StreamEnd = "stop") -> Iterator[Any]:
        """There are no more."""
        ...


class Session:
    """What one guarded stream of text has come to."""

    __slots__ = (
        "_announced",
        "_corrects",
        "_count",
        "_id",
        "_names",
        "_patient",
        "_prefix",
        "_quiet",
        "_scanner",
        "_seq",
        "calm",
        "guard",
        "spent",
    )

    def __init__(
        self,
        guard: Guard,
        stream_id: str | None,
        *,
        corrects: bool,
        patient: bool = False,
        spent: Spent | None = None,
        quiet: bool = False,
    ) -> None:
        self.guard = guard
        self.calm = False
        """Whether text without a line end may pass as it is, without being fed."""
        self.spent = spent or Spent()
        """What its corrections have cost."""
        self._corrects = corrects
        self._patient = patient  # whether long work may be handed out
        self._quiet = quiet  # whether its blocks are told of elsewhere
        self._scanner = guard.scanner()
        self._prefix = stream_id if stream_id is not None else os.urandom(5).hex()
        self._seq = 0
        self._count = 0
        self._id = ""  # of the block at hand
        self._announced = False  # whether the reader has heard of it, and not yet of its end
        self._names: NameAndPath = (None, None)

    @property
    def holding(self) -> bool:
        """Whether a block is held back."""
        return self._scanner.holding

    @property
    def held(self) -> int:
        """How many characters are held back."""
        return self._scanner.held

    def crowd(self) -> None:
        """Too much is held in all: the block that is held is to end as `oversize` where it grows."""
        self._scanner.crowd()

    @staticmethod
    def checked(delta: object) -> str | End:
        """What a caller put into a stream, if it belongs there. Anything else is the caller's mistake, and is told as one."""
        if isinstance(delta, str | End):
            return delta
        raise TypeError(f"a stream of text yields str or End, not {type(delta).__name__}; for SDK objects use an adapter")

    def passes(self, delta: object, /) -> bool:
        """Take a delta if it leaves as it is: in the middle of a line, or in lines that open nothing."""
        if not isinstance(delta, str):
            return False
        if self.calm and delta.isprintable():
            return True
        taken = self._scanner.passes(delta)
        self.calm = self._scanner.calm
        return taken

    def feed(self, text: str, /) -> Iterator[Item | Pending | Aside[Any]]:
        """Take text; give out, one by one, what can be said."""
        return self.events(self.scan(text))

    def end(self, cause: StreamEnd = "stop") -> Iterator[Item | Pending | Aside[Any]]:
        """The text ends here."""
        try:
            scanned = self._scanner.end(cause)
        except Exception as error:
            scanned = self._abandon(error)
        self.calm = self._scanner.calm
        return self.events(scanned)

    def scan(self, text: str) -> list[Scanned]:
        """The first half of `feed`: what the scanner says. Prose is in it as it will leave."""
        try:
            scanned = self._scanner.feed(text)
        except Exception as error:
            scanned = self._abandon(error)
        self.calm = self._scanner.calm
        return scanned

    def scan_long(self, text: str) -> list[Scanned]:
        """What `scan` says, of a text of any length: no pattern holds the interpreter for all of it."""
        scanned = [item for at in range(0, len(text), SHORT) for item in self.scan(text[at : at + SHORT])]
        whole = not self.held and all(isinstance(item, str) for item in scanned) and sum(map(len, scanned)) == len(text)  # type: ignore[arg-type]
        return [text] if whole else scanned

    def _abandon(self, error: Exception) -> list[Scanned]:
        """A fault of the scanner's. Promise P9: open for text."""
        log.error("the guard failed on a stream: %s; what it held passes unguarded", type(error).__name__)
        return self._scanner.abandon()

    def events(self, scanned: list[Scanned]) -> Iterator[Item | Pending | Aside[Any]]:
        """The second half of `feed`: what the reader hears of it."""
        for item in scanned:
            if isinstance(item, str):
                yield item
            elif self._quiet:
                continue
            elif isinstance(item, Closed):
                yield from self._closed(item.block)
            else:
                event = self._news(item)
                if event is not None:
                    yield event

    def _news(self, item: Opened | Accepted | Named | Progress | Released) -> ToolStatus | None:
        """What the reader hears of a block that is still held back."""
        if isinstance(item, Opened):
            self._count += 1
            self._id = f"{self._prefix}-{self._count}"
            self._names = (None, None)
            if self.guard.announce == "fence":
                self._announced = True
                return self.status("buffering")
        elif isinstance(item, Accepted | Named):
            names = (item.tool, item.path)
            news = names != self._names
            self._names = names
            if isinstance(item, Accepted) and not self._announced:
                self._announced = news = True
            if self._announced and news:
                return self.status("buffering")
        elif isinstance(item, Progress):
            return self.status("buffering", received=item.received, preview=item.preview or None)
        elif isinstance(item, Released) and self._announced:
            self._announced = False
            return self.status("released", reason=item.reason)
        return None

    def status(self, status: Status, id: str = "", names: NameAndPath | None = None, **more: Any) -> ToolStatus:
        """News of a block; of the one at hand unless another is named."""
        self._seq += 1
        event = ToolStatus(id or self._id, self._seq, status, *(names or self._names), **more)
        told(self.guard.on_status, event)
        return event

    def _closed(self, block: Block, mending: Mending | None = None) -> Iterator[Item | Pending | Aside[Any]]:
        yield self.status("validating")
        self._announced = False
        if mending is None:
            mending = Mending(self.guard, block)
            if self._patient and mending.is_long:
                yield mending
        verdict, mended = mending.run()
        if self._corrects and not mended and not verdict.passed and self._correctable(block, verdict):
            yield Pending(self, self._id, self._names, block, verdict)
        else:
            yield from self._told(self._id, self._names, block, verdict, mended)

    def open(self, tool: str | None) -> ToolStatus:
        """A block was found in another way than in text: a native call, whose tool is told first."""
        self._count += 1
        self._id = f"{self._prefix}-{self._count}"
        self._names = (tool, None)
        self._announced = True
        return self.status("buffering")

    def close(self, block: Block, mending: Mending | None = None) -> Iterator[Item | Pending | Aside[Any]]:
        """It is whole now. It may have been judged already."""
        return self._closed(block, mending)

    def _correctable(self, block: Block, verdict: Validated) -> bool:
        """Whether a model may be asked: for a whole block that could be judged, or for the rest of one."""
        if block.end_cause == "length":
            return self.guard.correction.continue_truncated
        judged = all(issue.code != "guard_error" for issue in verdict.issues)
        return block.end_cause == "closed" and not block.ambiguous and judged

    def block(self, mending: Mending) -> list[ToolBlock]:
        """The events of a block that was found in another way: one for each call in it."""
        return list(self._told(self._prefix, (None, None), mending.block, *mending.run()))

    def _told(
        self, id: str, names: NameAndPath, block: Block, verdict: Validated, mended: Sequence[Mended]
    ) -> Iterator[ToolBlock]:
        """The event of a block, or one for each call of a mended one. In shadow mode a mended block is told as it was."""
        if not mended or self.guard.mode == "shadow":
            yield self.event(id, names, block, verdict, fixes=tuple(fix for part in mended for fix in part.fixes))
            return
        invented = any(fix.safety is Safety.INVENTED for part in mended for fix in part.fixes)
        for number, part in enumerate(mended, 1):
            yield self.event(
                id,
                names,
                block,
                part.verdict,
                verdict.issues,
                "fixes",
                fenced(part.body),
                fixes=part.fixes,
                invented=invented,
                part=number,
                parts=len(mended),
            )

    def event(
        self,
        id: str,
        names: NameAndPath,
        block: Block,
        verdict: Validated,
        found: tuple[ValidationIssue, ...] | None = None,
        corrected_by: Literal["fixes", "llm"] | None = None,
        content: str | None = None,
        *,
        fixes: tuple[AutoFix, ...] = (),
        attempts: tuple[Attempt, ...] = (),
        confidence: float = 1.0,
        invented: bool = False,
        part: int = 1,
        parts: int = 1,
    ) -> ToolBlock:
        """The event that ends a block, or tells of one of its calls. What is `invented`, here or beside it, runs on request."""
        self._seq += 1
        passed = verdict.passed
        found = verdict.issues if found is None else found
        invented = invented or any(fix.safety is Safety.INVENTED for fix in fixes)
        runs = passed and block.end_cause == "closed" and not block.ambiguous and (self.guard.run_invented or not invented)
        if content is None:
            content = block.raw if block.canonical or not passed else fenced(block.body)
        event = ToolBlock(
            id=id,
            seq=self._seq,
            tool=verdict.tool or names[0],
            path=verdict.path or names[1],
            arguments=verdict.arguments,
            content=content,
            raw=block.raw if part == 1 else "",
            validation_passed=passed,
            corrected=corrected_by is not None,
            corrected_by=corrected_by,
            executable=runs,
            end_cause=block.end_cause,
            found=found,
            issues=verdict.issues,
            fixes=fixes,
            attempts=attempts,
            confidence=min((fix.confidence for fix in fixes), default=1.0) if corrected_by == "fixes" else confidence,
            hint=self.hint(replace(verdict, issues=found) if passed and invented and not runs else verdict, names),
            part=part,
            parts=parts,
        )
        told(self.guard.on_block, event)
        return event

    def hint(self, verdict: Validated, names: NameAndPath) -> RetryHint | None:
        """What to tell the model of a block with this verdict."""
        name = verdict.tool or names[0]
        tool = self.guard.tools.get(name) if name is not None else None
        return build_hint(verdict.issues, tool or name, arguments=verdict.arguments)


def told(hook: Callable[[Any], None] | None, what: Any) -> None:
    """Tell a hook. It is the caller's code: its fault must not break a stream."""
    if hook is not None:
        try:
            hook(what)
        except Exception as error:
            log.error("a hook failed: %s", type(error).__name__)
