"""The tasks of one stream: corrections and approvals that run, and the next delta, which is read meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator
from functools import partial
from inspect import isawaitable
from time import perf_counter
from typing import Any, Final

from ..correct.corrections import Corrections, UnfitCorrectorError
from ..correct.request import CorrectionRequest, Reply
from ..judge.approving import Approving, UnfitApprovalError
from ..judge.pending import Pending
from ..running.awaiting import aside
from ..toolset.tool import Tool
from ..values.events import ToolBlock, ToolStatus
from ..values.limits import SHORT_BLOCK
from ..values.log import log

AT_ONCE: Final = 65_536
"""The characters yielded in a row before other tasks run, even if that took little time."""

LOOK: Final = 4_096
"""The characters read or yielded in a row before the clock is looked at. Most characters take a tenth of a microsecond each;
if every second one may begin a call, a hundred times that."""

_ITEM: Final = 512
"""The cost of an item, in characters, in addition to its own characters."""

_TURN: Final = 0.005
"""The seconds of work in a row before other tasks run."""


class Turns:
    """Measures how much a stream does in a row, to let other tasks run in time."""

    __slots__ = ("_look", "_since", "_yielded")

    def __init__(self) -> None:
        self._yielded = 0  # characters since other tasks could run
        self._look = LOOK  # when so many are yielded, the clock is looked at
        self._since = 0.0  # when other tasks could run

    def is_over(self, item: object) -> bool:
        """Count an item that leaves; returns whether other tasks should run before the next one."""
        self._yielded += _ITEM
        if isinstance(item, ToolBlock):
            self._yielded += 4 * len(item.raw)  # it was validated, and perhaps fixed
        elif isinstance(item, str | bytes):
            self._yielded += len(item)
        if self._yielded < self._look:
            return False
        if not self.took_long() and self._yielded < AT_ONCE:
            self._look = self._yielded + LOOK
            return False
        self._yielded, self._look = 0, LOOK
        return True

    def took_long(self) -> bool:
        """Look at the clock; returns whether other tasks should run."""
        now = perf_counter()
        if now - self._since < _TURN:
            return False
        self._since = now
        return True


class Work:
    """The tasks of one stream: corrections, and the source being read on while they run."""

    __slots__ = ("_corrections", "reading", "running")

    def __init__(self, corrections: Corrections) -> None:
        self._corrections = corrections
        self.running: dict[asyncio.Task[Any], tuple[Pending, float | None]] = {}
        """Corrections and approvals, and when they must be done."""
        self.reading: asyncio.Future[Any] | None = None
        """The next delta."""

    async def ask(self, pending: Pending, deadline: float | None = None) -> ToolStatus | ToolBlock:
        """Start a correction, its next attempt, or an approval. Returns the block's event if nobody is asked."""
        now = _now()
        if deadline is None:
            seconds = pending.timeout if isinstance(pending, Approving) else self._corrections.policy.timeout
            deadline = now + seconds if seconds is not None else None
        begun = await aside(pending.is_long, partial(pending.begin, now))
        if isinstance(begun, ToolBlock):
            return begun
        status, request = begun
        asking = (
            _approve(pending, request, deadline)
            if isinstance(pending, Approving)
            else _ask(self._corrections, request, deadline)
        )
        self.running[asyncio.create_task(asking)] = pending, deadline
        return status

    async def corrected(self, pending: Pending, leaving: asyncio.Future[None]) -> AsyncGenerator[Any, None]:
        """Yield all events of one correction, for a caller that reads nothing meanwhile. Cancelled if the consumer leaves."""
        for event in followed(pending, await self.ask(pending)):
            yield event
        while self.running and not leaving.done():
            waiting: set[asyncio.Future[Any]] = {*self.running, leaving}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for event in await self.finished():
                yield event

    async def finished(self) -> list[Any]:
        """Return the events of the corrections that are done, and start the next attempt of those that may have another."""
        events: list[Any] = []
        for task in [task for task in self.running if task.done()]:
            pending, deadline = self.running.pop(task)
            answered = await _answered(pending, task)
            if isinstance(answered, Pending):
                answered.take_over(pending)
                events += followed(answered, await self.ask(answered))
            else:
                events += followed(pending, await self.ask(pending, deadline) if answered is None else answered)
        return events

    def holds_up(self, strict: bool) -> bool:
        """Return whether items must wait for a correction."""
        return bool(self.running) and (strict or any(pending.follow is not None for pending, _ in self.running.values()))

    @property
    def busy(self) -> bool:
        """Whether a correction runs, or a delta is being read beside one."""
        return bool(self.running) or self.reading is not None

    @property
    def tasks(self) -> set[asyncio.Future[Any]]:
        """The tasks that run."""
        return {*self.running, self.reading} if self.reading is not None else {*self.running}

    async def progress(self) -> None:
        """Wait until something is done."""
        await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)

    async def stop(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        tasks = self.tasks
        self.running, self.reading = {}, None
        await cancel(tasks)


async def cancel(tasks: Collection[asyncio.Future[Any]]) -> None:
    """Cancel tasks and wait until they have ended. Their exceptions are retrieved: no other code will see them."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()


async def _ask(corrections: Corrections, request: CorrectionRequest, deadline: float | None) -> str | Reply:
    corrector, policy = corrections.corrector, corrections.policy
    assert corrector is not None
    turn = corrections.turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(policy.concurrency))
    async with asyncio.timeout_at(deadline), turn:
        answer: object = corrector(request)
        if not isawaitable(answer):
            raise UnfitCorrectorError(f"it returned {type(answer).__name__} and nothing to await; make it `async def`")
        reply = await answer
    if not isinstance(reply, str | Reply):
        raise UnfitCorrectorError(f"it must return str or Reply, got {type(reply).__name__}")
    return reply


async def _approve(pending: Approving, request: tuple[ToolBlock, Tool], deadline: float | None) -> object:
    async with asyncio.timeout_at(deadline) as limit:
        answer: object = pending.approve(*request)
        if not isawaitable(answer):
            raise UnfitApprovalError(f"it returned {type(answer).__name__} and nothing to await; make it `async def`")
        given = pending.taken(await answer)
    if limit.expired():  # it did not heed its cancellation, and answers too late
        raise TimeoutError
    return given


async def _answered(pending: Pending, task: asyncio.Task[Any]) -> ToolBlock | Pending | None:
    """Return the block's event, or what the block waits for next; None if another attempt follows."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        whose = "an approval" if isinstance(pending, Approving) else "a corrector"
        unfit = isinstance(error, UnfitCorrectorError | UnfitApprovalError)
        if isinstance(error, TimeoutError) and isinstance(pending, Approving) and pending.timeout is not None:
            log.warning("an approval was not given within %g s", pending.timeout)
        else:
            log.error("%s failed: %s", whose, error if unfit else type(error).__name__)
        return pending.fail(error, _now())
    try:
        reply = task.result()
        written = reply.text if isinstance(reply, Reply) else reply
        long = isinstance(written, str) and len(written) > SHORT_BLOCK
        return await aside(pending.is_long or long, partial(pending.answer, reply, _now()))
    except Exception as failed:  # promise P9: closed for tools
        log.error("the guard failed on an answer: %s", type(failed).__name__)
        return pending.give_up(failed)


def followed(pending: Pending, event: ToolStatus | ToolBlock) -> Iterator[Any]:
    """Yield an event of a correction, unless the stream is quiet; after the last one, also the items that follow the block."""
    if pending.tells:
        yield event
    if isinstance(event, ToolBlock) and pending.follow is not None:
        yield from pending.follow(event)


def _now() -> float:
    return asyncio.get_running_loop().time()
