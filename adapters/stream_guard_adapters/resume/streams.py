"""`ResumableStreams`: producers that run independently of requests, and readers that come and go.

Rule 1: the events of the guard are stored whole, and in order.
Rule 2: for the guard, a stopped stream is a stream whose provider hung up: an open block ends as cut off.
Rule 3: a producer ends its stream exactly once, in the store and then in the archive, also after the store was away.
Rule 4: every reader gets an end, or the error that the store is away.
Rule 5: every wait has a bound: a provider that does not close is left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Collection, KeysView, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self

from stream_guard import Guard
from stream_guard.spi import Source, check_hook, check_kind
from stream_guard.wire import SseFields

from ..engine.uninspected import Note
from ..sse import guarded_sse
from .record import LAST, Archive, Record
from .store import (
    PAGE_BYTES,
    SHOWN,
    STEP_BYTES,
    Closing,
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    NotTaken,
    ProducerGone,
    ResumeStore,
    StoreAway,
    UnknownStream,
    cursor,
    lost_end_id,
    may_own,
    named,
)

log: Final = logging.getLogger("stream_guard")

Open = Callable[[], AsyncIterable[Any] | Awaitable[AsyncIterable[Any]]]
"""Opens a provider's stream, of text or of its events; without a guard, a guarded stream."""

_Sends = Callable[..., AsyncGenerator[SseFields, None]]
"""The type of `guarded_sse` with a guard already given: it takes a stream and yields the fields of server-sent events."""

AHEAD: Final = 64
"""The most events that wait to be stored, and the same for 1 MB of them; at that point no more is read from the provider."""

TRIES: Final = 5
"""How often a reader tries to end a stream whose producer is gone. After that the reader gets the end `interrupted`."""

PATIENCE: Final = 2.0
"""Seconds that the guard may take to end when a stream is stopped, and that a provider may take to close."""

_LOOKS: Final = 100
"""How many times an ending process checks whether all readers have got their ends, a hundredth of a second apart."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """The task that ends a stream whose producer is gone, in the store and in the archive."""

    task: asyncio.Task[None]
    stored: asyncio.Event
    """Set when the end can be read."""


@dataclass(slots=True)
class _Tries:
    """How often a reader has tried to end a stream since its producer's last heartbeat."""

    count: int = 0
    beats: int = -1

    def another(self, gone: ProducerGone) -> bool:
        """Count another try; return whether it is allowed."""
        self.count = self.count + 1 if gone.beats == self.beats else 1
        self.beats = gone.beats
        return self.count <= TRIES


class ResumableStreams:
    """Guarded streams that outlive the requests that read them.

    Args:
        store: Keeps the streams while readers may come back.
        guard: Guards them. None for streams that are guarded already: what `run` yields, for example, is stored as it is.
        archive: Gets all that is stored, to keep it for good.
        on_uninspected: Called with the reason when an event is left out unread; docs/streams.md lists the reasons.
    """

    def __init__(
        self,
        store: ResumeStore,
        guard: Guard | None,
        *,
        archive: Archive | None = None,
        on_uninspected: Note | None = None,
    ) -> None:
        if guard is not None:
            check_kind("guard", guard, Guard, "Guard(tools)")
            guard.preload()
        check_hook("on_uninspected", on_uninspected)
        self.store: Final = store
        self._sends: Final = partial(guarded_sse, guard=guard, on_uninspected=on_uninspected)
        self._archive = archive
        self._running: Final[dict[str, _Producer]] = {}
        self._endings: Final[dict[str, _Ending]] = {}
        self._checks: Final[dict[str, asyncio.Task[None]]] = {}  # whether a stream of another worker has an end
        self._beginnings: Final[set[asyncio.Task[bool]]] = set()
        self._readers: Counter[str] = Counter()
        self._leaving = False  # no stream begins any more
        self._waits = 0.0  # seconds for which a process that ends waits for a store that does not answer
        self._until: float | None = None  # the streams that run here are ended, and no store is waited for any more then
        self._closed = False

    @property
    def running(self) -> KeysView[str]:
        """The streams whose producers run in this process."""
        return self._running.keys()

    async def start(self, stream: str, owner: str, open: Open) -> bool:
        """Begin a stream; returns False when it exists already.

        Raises StoreAway, and its kind Closing after `aclose` was called; ValueError for what is no name or no owner. When the
        caller is cancelled, the stream begins nevertheless.
        """
        if not may_own(owner):
            raise ValueError(f"not an owner: {owner[:SHOWN]!r}; give a text that is not empty and has no control characters")
        if self._leaving:
            raise Closing("this process ends: begin the stream in another one")
        task = asyncio.create_task(self._begin(named(stream), owner, open))
        self._beginnings.add(task)
        task.add_done_callback(self._begun)
        return await asyncio.shield(task)

    def _begun(self, task: asyncio.Task[bool]) -> None:
        self._beginnings.discard(task)
        if not task.cancelled():
            task.exception()  # the caller gets it, if it still waits

    async def _begin(self, stream: str, owner: str, open: Open, gone: ProducerGone | None = None) -> bool:
        lease = await self.store.acquire(stream, owner, gone)
        if lease is None:
            return False
        if self._closing:
            if gone is None:  # or else a reader's worker finds that its producer is gone
                await self.store.delete(stream)
            raise Closing("this process ends: begin the stream in another one")
        producer = _Producer(self.store, self._sends, open, lease, self._record(lease))
        self._running[stream] = producer
        producer.task.add_done_callback(lambda _: self._over(stream, producer))
        return True

    def _over(self, stream: str, producer: _Producer) -> None:
        """Forget a producer. Since a deletion, another producer may have the name of its stream."""
        if self._running.get(stream) is producer:
            del self._running[stream]

    def _record(self, lease: Lease) -> Record:
        return Record(self.store, lease, self._archive, self._waited_until)

    def _waited_until(self) -> float | None:
        """Return until when to wait for a store that does not answer from now on; None if this process is not ending."""
        return None if self._until is None else min(asyncio.get_running_loop().time() + self._waits, self._until)

    @property
    def _closing(self) -> bool:
        return self._until is not None

    async def open(
        self, stream: str, owner: str, after: str | None = "", revive: Open | None = None
    ) -> AsyncGenerator[Entry, None] | None:
        """Return the events after an id, then new ones, until the stream ends. None: the id is that of the end.

        Without an id (empty, or None, as a request without `Last-Event-ID` has it) all events from the beginning on.

        Raises before the first event, so that a request can be answered with it: UnknownStream; ValueError for what is no id;
        Forgotten for what is no longer kept; StoreAway, and its kind Closing when the grace period of `aclose` is over. During
        reading only StoreAway is raised. The loop runs between two events, also where all of them are there.

        When its worker died the stream ends as interrupted. With `revive`, which opens the same stream again from its
        beginning, this process takes it over, and continues after what was stored. A reader that got events which the store
        lost since gets `interrupted`.
        """
        self._owned(stream, owner)
        self._still_open()
        after = after or ""
        try:
            batches = await self.store.read(stream, owner, after)
        except (EntriesLost, Forgotten) as error:
            self._check(stream, owner, revive)
            if isinstance(error, Forgotten):
                raise
            return _lost(after)
        self._still_open()
        if batches is None:
            self._check_archived(stream, owner)
            return None
        return self._following(stream, owner, after, revive, batches)

    def _still_open(self) -> None:
        """Raise Closing when the streams of this process are being ended."""
        if self._closing:
            raise Closing("this process ends: read the stream in another one")

    @staticmethod
    def _owned(stream: str, owner: str) -> None:
        """Raise UnknownStream for a name or an owner that no stream can have."""
        try:
            named(stream)
        except ValueError:
            raise UnknownStream(stream) from None
        if not may_own(owner):
            raise UnknownStream(stream)

    async def _following(
        self,
        stream: str,
        owner: str,
        after: str,
        revive: Open | None,
        batches: AsyncGenerator[list[Entry], None] | None,
    ) -> AsyncGenerator[Entry, None]:
        self._readers[stream] += 1
        tries = _Tries()
        try:
            while not self._closed:
                try:
                    if batches is None:
                        batches = await self.store.read(stream, owner, after)
                    if batches is not None:
                        async with contextlib.aclosing(batches):
                            async for batch in batches:
                                for entry in batch:
                                    yield entry
                                    after = entry.id
                                    await asyncio.sleep(0)  # a server notices in this turn that the client has left
                    self._check_archived(stream, owner)
                    return
                except ProducerGone as gone:
                    if self._closing:
                        return
                    if not await self._replaced(stream, owner, revive, gone, tries):
                        yield _lost_end(after)
                        return
                except (EntriesLost, Forgotten, UnknownStream):  # since this reader came
                    self._check(stream, owner, revive)
                    yield _lost_end(after)
                    return
                batches = None
        finally:
            self._readers -= Counter({stream: 1})

    async def _replaced(self, stream: str, owner: str, revive: Open | None, gone: ProducerGone, tries: _Tries) -> bool:
        """Let another producer continue a stream whose producer is gone, or end it; the reader then reads on.

        Returns False when that was tried `TRIES` times in vain.
        """
        if stream in self._running:  # it is written here, and only slow
            await asyncio.sleep(self.store.beat)
            return True
        if not tries.another(gone):
            return False
        if tries.count > 1:
            await asyncio.sleep(self.store.beat)
        await self._taken_over(stream, owner, revive, gone)
        return True

    async def _taken_over(self, stream: str, owner: str, revive: Open | None, gone: ProducerGone) -> None:
        """Let another producer continue a stream whose producer is gone, or end it."""
        if revive is None or not gone.running or not await self._begin(stream, owner, revive, gone):
            await self._interrupted(stream, owner, gone)

    async def _interrupted(self, stream: str, owner: str, gone: ProducerGone) -> None:
        """End a stream whose producer is gone, in a task that the leaving of one reader does not cancel."""
        ending = self._endings.get(stream)
        if ending is None:
            stored = asyncio.Event()
            task = asyncio.create_task(self._interrupt(stream, owner, gone, stored.set))
            ending = self._endings[stream] = _Ending(task, stored)
            task.add_done_callback(lambda task: self._interruption_over(stream, stored, task))
        await ending.stored.wait()  # and not for the archive
        if ending.task.done() and not ending.task.cancelled():
            ending.task.result()

    def _interruption_over(self, stream: str, stored: asyncio.Event, task: asyncio.Task[None]) -> None:
        stored.set()
        del self._endings[stream]
        if not task.cancelled():
            task.exception()  # those who still wait for it get the same

    async def _interrupt(self, stream: str, owner: str, gone: ProducerGone, stored: Callable[[], None]) -> None:
        lease = await self.store.acquire(stream, owner, gone)
        if lease is not None:  # or else another worker has taken it over, or ended it
            with contextlib.suppress(LeaseLost):
                if lease.ended is not None:
                    await self._record(lease).archive_end()
                else:
                    await self._record(lease).end("interrupted", stored)

    def _check_archived(self, stream: str, owner: str) -> None:
        """Start a check whether the archive has the end of an ended stream."""
        if self._archive is not None:
            self._check(stream, owner)

    def _check(self, stream: str, owner: str, revive: Open | None = None) -> None:
        """Start a check whether a stream has an end, in the store and in the archive. Its readers have got an end already."""
        here = (self._running, self._endings, self._checks)
        if not self._closing and not any(stream in known for known in here):
            task = self._checks[stream] = asyncio.create_task(self._checked(stream, owner, revive))
            task.add_done_callback(lambda _: self._checks.pop(stream))

    async def _checked(self, stream: str, owner: str, revive: Open | None) -> None:
        with contextlib.suppress(StoreAway):  # or else the next reader starts this again
            gone = await self.store.left(stream, owner)
            if gone is not None:
                await self._taken_over(stream, owner, revive, gone)  # the end of this process waits for it, as for any end

    async def stop(self, stream: str, owner: str) -> None:
        """Stop a stream and its upstream, in whatever worker it runs. Raises UnknownStream, StoreAway."""
        self._owned(stream, owner)
        await self.store.stop(stream, owner)

    def _tasks(self, producers: Mapping[str, _Producer]) -> set[asyncio.Task[Any]]:
        return {producer.task for producer in producers.values()} | {ending.task for ending in self._endings.values()}

    async def aclose(self, grace: float = 0, *, within: float = 10) -> None:
        """Let producers finish for `grace` seconds, end the others as interrupted, and end all readers.

        From now on `start` raises Closing; when the grace period is over, `open` does too. Readers of another worker's stream
        stop without an end, and come back elsewhere.

        Args:
            grace: Seconds for which running streams may finish.
            within: Seconds after that for which a store that is away is waited for (one at least), if it retries as long; a
                provider that takes its time to close takes none of it. Altogether this takes at most `grace`, `within` (eight
                seconds if that is less) and five seconds, whatever store, archive and providers do. What could not be ended by
                then ends like the streams of a worker that died.
        """
        self._leaving = True
        loop = asyncio.get_running_loop()
        until = loop.time() + grace
        await _all(self._beginnings, grace)
        await _all(self._tasks(self._running), max(until - loop.time(), 0))
        self._waits = max(min(self.store.retry, within), PATIENCE / 2)  # one that is there has the time to answer
        most = max(self._waits, 4 * PATIENCE)
        self._until = loop.time() + most + PATIENCE / 2  # one that is there is told the ends also after the slowest provider
        for check in self._checks.values():
            check.cancel()  # those that wait for another worker's heartbeats; ends that are being told are in `_endings`
        here = dict(self._running)
        for producer in here.values():
            producer.end("interrupted")
        late = await _all(self._tasks(here) | self._beginnings, most + PATIENCE)
        if late:
            log.error("%d streams could not be ended in time", len(late))
            for task in late:
                task.cancel()
            await _all(late, PATIENCE)
        for _ in range(_LOOKS):  # their readers get the ends first, however long a store takes
            if not any(self._readers[stream] for stream in here):
                break
            await asyncio.sleep(0.01)
        self._closed = True
        self.store.let_go()


async def _all(tasks: Collection[asyncio.Task[Any]], seconds: float) -> set[asyncio.Task[Any]]:
    """Wait for tasks; returns those that are not done."""
    return (await asyncio.wait(tasks, timeout=seconds))[1] if tasks else set()


def _lost_end(after: str) -> Entry:
    """Return the end event for a reader whose place in the stream is lost."""
    return Entry(lost_end_id(cursor(after)), **LAST["interrupted"])


async def _lost(after: str) -> AsyncGenerator[Entry, None]:
    yield _lost_end(after)


class ProviderFailed(Exception):
    """Raised if a provider's stream raised an exception that other code does not treat as a failure: a cancellation that was
    not asked for here, or an end before the stream was open.
    """


class _Upstream:
    """A provider's stream that can be ended at any time, also while the guard waits for it: the guard sees its end.

    The guard ends an open block properly after any Exception, so whatever else a provider raises becomes one.

    Args:
        open: Opens it.
        wanted: Returns whether the events of the guard are still stored.
    """

    def __init__(self, open: Open, wanted: Callable[[], bool]) -> None:
        self._open = open
        self._wanted = wanted
        self._source: Source | None = None
        self._over = False
        self._reader: asyncio.Task[Any] | None = None
        self._ending = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if self._over:
            raise StopAsyncIteration
        reader = self._reader = asyncio.current_task()
        assert reader is not None
        try:
            if self._source is None:
                self._source = await self._opened()
            return await anext(self._source.iterator)
        except (Exception, KeyboardInterrupt, SystemExit):
            raise
        except asyncio.CancelledError as error:
            if self._ending:
                self._ending = False
                reader.uncancel()
                raise StopAsyncIteration from None
            if self._over or not self._wanted():
                raise
            if reader.cancelling():
                reader.uncancel()
            raise self._failed(error) from error
        except BaseException as error:
            if _current() is not reader:  # the generator is closed, not read
                raise
            raise self._failed(error) from error
        finally:
            self._reader = None

    async def _opened(self) -> Source:
        try:
            opened = self._open()
            return Source(opened if isinstance(opened, AsyncIterable) else await opened)
        except StopAsyncIteration as error:  # of a stream that `open` looked into: this one has not begun, so it has no end
            raise self._failed(error) from error

    @staticmethod
    def _failed(error: BaseException) -> ProviderFailed:
        kind = type(error).__name__
        log.warning("a provider's stream raised %s", kind)
        return ProviderFailed(f"the provider's stream raised {kind}")

    def end(self) -> None:
        """End the stream. A task that waits for it is cancelled, and sees the end of the stream."""
        self._over = True
        if self._reader is not None and not self._ending:
            self._ending = True
            self._reader.cancel()

    def leave(self) -> None:
        """Stop reading. From now on, a cancellation of the reading task is passed on, and is no failure of the provider."""
        self._over = True

    async def aclose(self) -> None:
        """Close the provider's stream, unless that takes too long."""
        self._over = True
        if self._source is not None:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._source.aclose()
            except TimeoutError:
                log.warning("a provider's stream does not close: it is left alone")


def _current() -> asyncio.Task[Any] | None:
    """Return the current task; None if there is no loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


class _Producer:
    """Writes one stream, with two tasks: one reads and guards, the other stores."""

    def __init__(self, store: ResumeStore, sends: _Sends, open: Open, lease: Lease, record: Record) -> None:
        self._beat = store.beat
        self._lease = lease
        self._sends = sends
        self._record = record
        self._before = lease.length
        self._waiting: deque[SseFields] = deque()
        self._size = 0  # of what waits
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self._gone = False
        self._ending: Ending | None = None
        self._upstream = _Upstream(open, lambda: not self.task.cancelling())
        self._guarding = asyncio.create_task(self._guarded())
        self.task: Final = asyncio.create_task(self._run(), name=f"stream {lease.stream}")
        lease.on_stop = lambda: self.end("stopped")
        if lease.stopping:
            self.end("stopped")

    def end(self, ending: Ending) -> None:
        """End the stream early: its upstream at once, and the guard's remaining work (a correction, for example) soon."""
        self._ending = self._ending or ending
        self._upstream.end()
        asyncio.get_running_loop().call_later(PATIENCE, self._cut)

    def _cut(self) -> None:
        """Stop the guard, even if a provider does not let it end. What it has yielded so far is stored."""
        self._guarding.cancel()
        self._over = True
        self._changed.set()

    async def _run(self) -> None:
        try:
            ending = await self._written()
            await self._record.held(self._let_go())  # of the provider, before anything that may take long
            await self._record.end(ending)
        except LeaseLost:
            log.warning("a stream was taken over by another worker")
        except Exception as error:
            log.error("the end of a stream could not be stored: %s", type(error).__name__)
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        """Stop the guard and close the provider's stream; a stream that does not close is left alone."""
        if self._gone:
            return
        self._gone = True
        self._upstream.leave()
        self._guarding.cancel()
        await asyncio.wait([self._guarding], timeout=PATIENCE)
        closing = asyncio.create_task(self._upstream.aclose())
        await asyncio.wait([closing], timeout=2 * PATIENCE)
        for task in (self._guarding, closing):
            if not task.done():
                log.warning("a provider's stream does not end: it is left alone")
            elif not task.cancelled() and task.exception() is not None:
                log.warning("a provider's stream fails when it is closed: %s", type(task.exception()).__name__)

    async def _written(self) -> Ending:
        """Write the stream; returns how it ended."""
        try:
            await self._write()
            assert self._ending is not None
            return self._ending
        except Deleted:
            log.warning("a stream was deleted while it ran: it ends as interrupted")
            return "interrupted"
        except LeaseLost:
            raise
        except NotTaken:
            log.warning("the store does not take an event of a stream, and takes those of others: it ends as interrupted")
            return "interrupted"
        except EntriesLost:
            log.warning("the store has lost events of a stream: it ends as interrupted")
            return "interrupted"
        except StoreAway:
            log.warning("the store was away for too long: a stream ends as interrupted")
            return "interrupted"
        except Exception as error:
            log.error("a stream could not be stored: %s", type(error).__name__)
            return "failed"

    async def _guarded(self) -> None:
        """Guard the stream; what was stored by a producer before this one is not stored again."""
        before = self._before
        try:
            async for event in self._sends(self._upstream, stream_id=self._lease.stream):
                if event["event"] in ("done", "error"):
                    over: Ending = "interrupted" if before else "done"  # it had fewer events than are stored
                    self._ending = self._ending or (over if event["event"] == "done" else "failed")
                    return  # stored with the end of the stream, in one step
                if before:
                    before -= 1
                    continue
                while len(self._waiting) >= AHEAD or self._size > PAGE_BYTES:
                    self._room.clear()
                    await self._room.wait()
                self._waiting.append(event)
                self._size += len(event["data"])
                self._changed.set()
        finally:
            self._ending = self._ending or "failed"  # a stream that was cut off for an unknown reason is not done
            self._over = True
            self._changed.set()

    async def _write(self) -> None:
        """Store the waiting events until the stream is over; those that arrive meanwhile are stored in the next step."""
        loop = asyncio.get_running_loop()
        written = loop.time()
        timer: asyncio.TimerHandle

        def beat() -> None:
            """Keep the lease even if there is nothing to write."""
            nonlocal timer
            due = written + self._beat
            if loop.time() >= due:
                self._changed.set()
                due = loop.time() + self._beat
            timer = loop.call_at(due, beat)

        timer = loop.call_later(self._beat, beat)
        try:
            while not self._over or self._waiting:
                await self._changed.wait()
                self._changed.clear()
                await self._record.keep(self._next())
                written = loop.time()
                if self._waiting:
                    self._changed.set()
        finally:
            timer.cancel()

    def _next(self) -> list[SseFields]:
        """Return the events of the next step."""
        batch: list[SseFields] = []
        size = 0
        while self._waiting:
            size += len(self._waiting[0]["data"])
            if batch and size > STEP_BYTES:
                break
            batch.append(self._waiting.popleft())
            self._size -= len(batch[-1]["data"])
        self._room.set()
        return batch
