"""The tasks of one stream: running corrections, and the reading of the source meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from functools import partial
from inspect import isawaitable
from typing import Any, Final

from ..correct.corrections import Corrections, UnfitCorrectorError
from ..correct.pending import Pending
from ..correct.request import CorrectionRequest, Reply
from ..toolset.running import aside
from ..values.events import ToolBlock, ToolStatus

log: Final = logging.getLogger("stream_guard")


AT_ONCE: Final = 65_536
"""So much is said before other tasks have their turn, in characters: some 10 ms of work."""

_ITEM: Final = 512
"""What an item costs beside its characters, in characters."""


class Turns:
    """When a stream that has much to say at once lets other tasks run."""

    __slots__ = ("_said",)

    def __init__(self) -> None:
        self._said = 0  # since others had their turn, in characters

    def is_over(self, item: object) -> bool:
        """Count an item that leaves; whether so much has left that other tasks are to run before more of it does."""
        self._said += _ITEM
        if isinstance(item, ToolBlock):
            self._said += 4 * len(item.raw)  # it was judged, and perhaps mended
        elif isinstance(item, str | bytes):
            self._said += len(item)
        if self._said < AT_ONCE:
            return False
        self._said = 0
        return True


class Work:
    """The tasks of one stream: corrections, and the source being read on while they run."""

    __slots__ = ("_corrections", "reading", "running")

    def __init__(self, corrections: Corrections) -> None:
        self._corrections = corrections
        self.running: dict[asyncio.Task[str | Reply], tuple[Pending, float]] = {}
        """Corrections, and when they must be done."""
        self.reading: asyncio.Future[Any] | None = None
        """The next delta."""

    async def ask(self, pending: Pending, deadline: float | None = None) -> ToolStatus | ToolBlock:
        """Start a correction, or its next attempt. Returns the block's event when it is not corrected."""
        now = _now()
        if deadline is None:
            deadline = now + self._corrections.policy.timeout
        begun = await aside(pending.size, partial(pending.begin, now))
        if isinstance(begun, ToolBlock):
            return begun
        status, request = begun
        self.running[asyncio.create_task(_ask(self._corrections, request, deadline))] = pending, deadline
        return status

    async def corrected(self, pending: Pending, leaving: asyncio.Future[None]) -> AsyncGenerator[Any, None]:
        """All that is to be said of one correction, for those who read nothing meanwhile. Ends at once when somebody leaves."""
        for said in followed(pending, await self.ask(pending)):
            yield said
        while self.running and not leaving.done():
            waiting: set[asyncio.Future[Any]] = {*self.running, leaving}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for said in await self.finished():
                yield said

    async def finished(self) -> list[Any]:
        """What is to be said of the corrections that are done; those that are worth it are asked again."""
        said: list[Any] = []
        for task in [task for task in self.running if task.done()]:
            pending, deadline = self.running.pop(task)
            block = await _answered(pending, task)
            said += followed(pending, await self.ask(pending, deadline) if block is None else block)
        return said

    def holds_up(self, strict: bool) -> bool:
        """Whether nothing may leave before a correction is done."""
        return bool(self.running) and (strict or any(pending.follow is not None for pending, _ in self.running.values()))

    @property
    def busy(self) -> bool:
        """Whether a correction runs, or a delta is being read beside one."""
        return bool(self.running) or self.reading is not None

    @property
    def tasks(self) -> set[asyncio.Future[Any]]:
        """All of them."""
        return {*self.running, self.reading} if self.reading is not None else {*self.running}

    async def progress(self) -> None:
        """Wait until something is done."""
        await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)

    async def stop(self) -> None:
        """Cancel everything, and see it end."""
        tasks = self.tasks
        self.running, self.reading = {}, None
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.exception()  # seen: nobody is left to hear of it


async def _ask(corrections: Corrections, request: CorrectionRequest, deadline: float) -> str | Reply:
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


async def _answered(pending: Pending, task: asyncio.Task[str | Reply]) -> ToolBlock | None:
    """Return the block's event; None when another attempt follows."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        log.error("a corrector failed: %s", error if isinstance(error, UnfitCorrectorError) else type(error).__name__)
        return pending.fail(error, _now())
    try:
        return await aside(pending.size, partial(pending.answer, task.result(), _now()))
    except Exception as failed:  # promise P9: closed for tools
        log.error("the guard failed on a correction: %s", type(failed).__name__)
        return pending.give_up(failed)


def followed(pending: Pending, event: ToolStatus | ToolBlock) -> Iterator[Any]:
    """Yield an event of a correction, unless its events do not leave, and behind the last one what follows the block."""
    if pending.tells:
        yield event
    if isinstance(event, ToolBlock) and pending.follow is not None:
        yield from pending.follow(event)


def _now() -> float:
    return asyncio.get_running_loop().time()
