"""The shell around the core: the only file that awaits. It awaits two things: deltas, and the handlers of tools.

It reads deltas, feeds them to a `Session`, and yields what comes out. While a correction runs it reads on, and that is all it
decides: what may leave now, and what has to wait.

Rule 1: nothing is yielded once the reader has left. Teardown closes; it does not speak.
Rule 2: no cancel scope, task group or timeout is open across a `yield`. Tasks are awaited before the generator ends.
Rule 3: the source is closed exactly once, whatever ends the stream.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Iterator
from functools import partial
from inspect import isawaitable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar
from weakref import WeakKeyDictionary

from .correct import CorrectionRequest, Reply
from .correct.pending import Pending
from .session import Aside, Reader, Session
from .values.events import End, ToolBlock, ToolStatus

if TYPE_CHECKING:
    from .guard import Guard
from .toolset.running import aside

log: Final = logging.getLogger("stream_guard")
Out = TypeVar("Out")
SLICE: Final = 16_384
"""A delta longer than this that may hold a block is fed in slices, so that the event loop gets a turn in between."""

EVENT: Final = 512
"""What an event of a provider counts for where text is counted in characters: about what one weighs."""


class SourceBusyError(RuntimeError):
    """A source that is an async generator cannot be closed by one task while another one waits for its next item."""

    def __init__(self) -> None:
        super().__init__(
            "the source is an async generator, and another task waits for its next item: cancel that task, or close it there"
        )


class Source:
    """What is read from, and its one close."""

    __slots__ = ("_closed", "_deltas", "iterator")

    def __init__(self, deltas: AsyncIterable[Any]) -> None:
        if not hasattr(deltas, "__aiter__"):
            raise TypeError(f"stream takes an async iterable of text, not {type(deltas).__name__}; use scan for a plain one")
        self._deltas = deltas
        self._closed = False
        self.iterator: AsyncIterator[Any] = deltas.__aiter__()

    async def aclose(self) -> None:
        """Close it: `aclose`, or else `close`, of the iterable that was given; of its iterator when it has neither."""
        if self._closed:
            return
        self._closed = True
        try:
            for target in (self._deltas, self.iterator):
                close = getattr(target, "aclose", None) or getattr(target, "close", None)
                if close is not None:
                    if getattr(target, "ag_running", False):
                        raise SourceBusyError
                    result = close()
                    if isawaitable(result):
                        await result
                    return
        except SourceBusyError:
            self._closed = False  # it is closed by whoever is in the middle of it
            raise


class Closing:
    """What `async with` closes when it is left."""

    __slots__ = ()

    async def aclose(self) -> None:
        """Close it. Closing again does nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


class GuardedStream(Closing, Generic[Out]):
    """A guarded stream: an async iterator, and an async context manager that closes its source.

    Args:
        guard: Its settings are kept to.
        deltas: What to guard.
        reader: What is told of each delta: a session for a stream of text; an adapter's own for one of a provider's events.
    """

    __slots__ = ("_generator", "_source", "_work")

    def __init__(self, guard: Guard, deltas: AsyncIterable[Any], reader: Reader) -> None:
        self._source = Source(deltas)
        self._work = Work()
        self._generator: AsyncGenerator[Out, None] = _transform(guard, reader, self._source, self._work)

    def __aiter__(self) -> AsyncGenerator[Out, None]:  # noqa: PYI058  # it can be closed, and thrown into
        return self._generator  # itself, so that `async for` pays for one generator and not for two layers

    def __anext__(self) -> Awaitable[Out]:
        return self._generator.__anext__()

    async def aclose(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        try:
            await self._generator.aclose()
        except RuntimeError:
            # Somebody is in the middle of a step of it, or was, and was closed there: it can neither end nor be ended.
            if not getattr(self._generator, "ag_running", False):
                raise
        finally:  # a generator that never began runs no `finally`
            await self._work.stop()
            await self._source.aclose()


class Backlog:
    """What was read and not yet looked at."""

    __slots__ = ("_deltas", "size")

    def __init__(self) -> None:
        self._deltas: deque[Any] = deque()
        self.size = 0
        """Characters in it."""

    def __bool__(self) -> bool:
        return bool(self._deltas)

    def push(self, delta: Any) -> None:
        """Put one at the end."""
        self._deltas.append(delta)
        self.size += _length(delta)

    def pop(self) -> Any:
        """Take the first."""
        delta = self._deltas.popleft()
        self.size -= _length(delta)
        return delta


class Work:
    """The tasks of one stream: corrections, and the source being read on while they run."""

    __slots__ = ("reading", "running")

    def __init__(self) -> None:
        self.running: dict[asyncio.Task[str | Reply], tuple[Pending, float]] = {}
        """Corrections, and when they must be done."""
        self.reading: asyncio.Future[Any] | None = None
        """The next delta."""

    async def ask(self, guard: Guard, pending: Pending, deadline: float | None = None) -> ToolStatus | ToolBlock:
        """Begin a correction, or its next attempt. The block, when it is not to be corrected."""
        now = _now()
        if deadline is None:
            deadline = now + guard.correction.timeout
        begun = await aside(pending.size, partial(pending.begin, now))
        if isinstance(begun, ToolBlock):
            return begun
        status, request = begun
        self.running[asyncio.create_task(_ask(guard, request, deadline))] = pending, deadline
        return status

    async def corrected(self, guard: Guard, pending: Pending, leaving: asyncio.Future[None]) -> AsyncGenerator[Any, None]:
        """All that is to be said of one correction, for those who read nothing meanwhile. Ends at once when somebody leaves."""
        for said in followed(pending, await self.ask(guard, pending)):
            yield said
        while self.running and not leaving.done():
            waiting: set[asyncio.Future[Any]] = {*self.running, leaving}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for said in await self.finished(guard):
                yield said

    async def finished(self, guard: Guard) -> list[Any]:
        """What is to be said of the corrections that are done; those that are worth it are asked again."""
        said: list[Any] = []
        for task in [task for task in self.running if task.done()]:
            pending, deadline = self.running.pop(task)
            block = await _answered(pending, task)
            said += followed(pending, await self.ask(guard, pending, deadline) if block is None else block)
        return said

    def holds_up(self, strict: bool) -> bool:
        """Whether nothing may leave before a correction is done."""
        return bool(self.running) and (strict or any(pending.follow is not None for pending, _ in self.running.values()))

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


async def _transform(guard: Guard, reader: Reader, source: Source, work: Work) -> AsyncGenerator[Any, None]:
    backlog = Backlog()
    session = reader if isinstance(reader, Session) else None
    feed: Iterator[Any] | None = None  # what the reader has to say of the delta at hand
    failure: Exception | None = None
    ended = False
    strict = guard.order == "strict"
    speaking = False
    iterator = source.iterator
    try:
        _in_asyncio()
        while True:
            # 1. Say whatever may be said now.
            while (feed is not None or backlog) and not work.holds_up(strict):
                if feed is None:
                    delta = backlog.pop()
                    feed = reader.end(delta.cause) if isinstance(delta, End) else reader.feed(delta)
                for item in feed:
                    if isinstance(item, Pending):
                        for said in followed(item, await work.ask(guard, item)):
                            yield said
                        break
                    if isinstance(item, Aside):
                        await asyncio.to_thread(item.run)
                        continue
                    yield item
                else:
                    feed = None
                if backlog:
                    await asyncio.sleep(0)  # slices of one large delta, or what was read on: let others have a turn

            # 2. Corrections run: wait for the first to be done, and read on as far as there is room.
            if work.running or work.reading is not None:
                if work.reading is None and not ended and backlog.size < guard.limits.max_pending:
                    work.reading = asyncio.ensure_future(iterator.__anext__())
                await work.progress()
                for said in await work.finished(guard):
                    yield said
                if work.reading is None or not work.reading.done():
                    continue
                arrived, work.reading = work.reading, None
                try:
                    delta = reader.checked(arrived.result())
                except StopAsyncIteration:
                    ended, delta = True, End()
                except Exception as error:
                    ended, failure, delta = True, error, End("error")
                backlog.push(delta)
                continue

            # 3. Nothing runs: read. This is the loop that nearly all text goes through, so it is written out.
            if ended:
                break
            calm = session is not None and session.calm
            try:
                async for delta in iterator:
                    # The first question is what `Session.passes` asks first, without the call.
                    if (calm and type(delta) is str and delta.isprintable()) or (session is None and reader.passes(delta)):
                        speaking = True
                        yield delta
                        speaking = False
                        continue
                    if session is None or not isinstance(delta, str) or len(delta) > SLICE:
                        break
                    scanned = session.scan(delta)
                    calm = session.calm
                    if len(scanned) == 1 and isinstance(text := scanned[0], str):
                        speaking = True
                        yield text
                        speaking = False
                    elif scanned:
                        feed = session.events(scanned)
                        break
                else:
                    ended, delta = True, End()
            except Exception as error:
                if speaking:
                    raise  # thrown in by the reader, not by the source
                ended, failure, delta = True, error, End("error")
            if feed is None:
                try:
                    for piece in _sliced(reader.checked(delta), reader):
                        backlog.push(piece)
                except TypeError as error:
                    ended, failure = True, error
                    backlog.push(End("error"))
        if failure is not None:
            raise failure
    finally:
        await work.stop()
        await source.aclose()


def _in_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError("a guarded stream needs asyncio, and this is run by something else: trio, perhaps") from None


def _length(delta: object) -> int:
    return len(delta) if isinstance(delta, str) else 0 if isinstance(delta, End) else EVENT


def _sliced(delta: Any, reader: Reader) -> list[Any]:
    """A large text in slices if there may be a block in it; anything else as it is."""
    if not isinstance(delta, str) or len(delta) <= SLICE or not (reader.holding or "```" in delta or "~~~" in delta):
        return [delta]
    return [delta[start : start + SLICE] for start in range(0, len(delta), SLICE)]


_turns: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, WeakKeyDictionary[Guard, asyncio.Semaphore]]] = WeakKeyDictionary()
"""Whose turn it is to ask: each guard asks so often at once in each event loop."""


async def _ask(guard: Guard, request: CorrectionRequest, deadline: float) -> str | Reply:
    assert guard.corrector is not None
    guards = _turns.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
    turn = guards.setdefault(guard, asyncio.Semaphore(guard.correction.concurrency))
    async with asyncio.timeout_at(deadline), turn:
        reply = await guard.corrector(request)
    if not isinstance(reply, str | Reply):
        raise TypeError(f"a corrector returns text or a Reply, not {type(reply).__name__}")
    return reply


async def _answered(pending: Pending, task: asyncio.Task[str | Reply]) -> ToolBlock | None:
    """The block's event, or None when it is worth asking again."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        log.error("a corrector failed: %s", type(error).__name__)
        return pending.fail(error, _now())
    try:
        return await aside(pending.size, partial(pending.answer, task.result(), _now()))
    except Exception as failed:  # promise P9: closed for tools
        log.error("the guard failed on a correction: %s", type(failed).__name__)
        return pending.give_up(failed)


def followed(pending: Pending, event: ToolStatus | ToolBlock) -> Iterator[Any]:
    """An event of a correction, and behind the last one what leaves with it."""
    yield event
    if isinstance(event, ToolBlock) and pending.follow is not None:
        yield from pending.follow(event)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def check(guard: Guard, text: str) -> ToolBlock:
    """Judge one block as `Guard.check` does, a long one in a thread."""
    return guard.checked(await aside(len(text), partial(guard.judged, text)))
