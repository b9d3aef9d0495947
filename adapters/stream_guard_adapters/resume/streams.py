"""Producers that run apart from requests, and readers that come and go.

Rule 1: what is written is what the guard lets through, whole event by whole event, in the order of the stream.
Rule 2: a stream that is stopped ends for the guard as one whose provider hung up: a block that is open is told as cut off.
Rule 3: a producer ends exactly once, and says so in the store and then in the archive, also after the store was away.
Rule 4: whoever reads comes to an end that is told, or is told that the store is away.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, KeysView, Sequence
from typing import Any, Final, Protocol, Self

from stream_guard import Guard
from stream_guard.spi import Source
from stream_guard.wire import SseFields

from ..sse import guarded_sse
from .store import (
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ProducerGone,
    ResumeStore,
    StoreAway,
    UnknownStream,
    cursor,
    told_lost,
)

log: Final = logging.getLogger("stream_guard")

Open = Callable[[], AsyncIterable[Any] | Awaitable[AsyncIterable[Any]]]
"""Opens a provider's stream: of text, or of its events."""

AHEAD: Final = 64
"""How many events wait to be stored before no more is read from the provider."""

PATIENCE: Final = 2.0
"""How long the guard may take to come to its end when a stream is stopped, in seconds."""


class Archive(Protocol):
    """Who keeps streams for good: told of what was stored, in order, and of the end."""

    async def keep(self, stream: str, entries: Sequence[Entry]) -> None:
        """These were stored. Where a producer took over from another, it may hear of entries that it has already."""

    async def ended(self, stream: str, ending: Ending) -> None:
        """The stream is over. Said once; where a store has lost that it was, it may be said again: the first one holds."""


class ResumableStreams:
    """Guarded streams that outlive the requests that read them.

    Args:
        store: Where they are kept.
        guard: What guards them.
        archive: Who else is told of everything that is stored.
    """

    def __init__(self, store: ResumeStore, guard: Guard, *, archive: Archive | None = None) -> None:
        self.store: Final = store
        self._guard = guard
        self._archive = archive
        self._running: Final[dict[str, _Producer]] = {}
        self._endings: Final[set[asyncio.Task[None]]] = set()
        self._readers: Counter[str] = Counter()
        self._closed = False

    @property
    def running(self) -> KeysView[str]:
        """The streams whose producers run in this process."""
        return self._running.keys()

    async def start(self, stream: str, owner: str, open: Open) -> bool:
        """Begin a stream. False when it exists already. Raises StoreAway."""
        return await self._begin(stream, owner, open)

    async def _begin(self, stream: str, owner: str, open: Open, gone: ProducerGone | None = None) -> bool:
        lease = await self.store.acquire(stream, owner, gone)
        if lease is None:
            return False
        producer = _Producer(self.store, lease, self._guard, open, self._archive)
        self._running[stream] = producer
        producer.task.add_done_callback(lambda _: self._running.pop(stream, None))
        return True

    async def open(
        self, stream: str, owner: str, after: str = "", revive: Open | None = None
    ) -> AsyncGenerator[Entry, None] | None:
        """The events after an id, then those that come, until the stream ends. None: the id is that of the end.

        Raises at once, so that a request can be answered with it: UnknownStream; ValueError for what is no id; Forgotten for
        what is no longer kept; StoreAway. While it is read only StoreAway is raised.

        When its worker died the stream ends as interrupted; with `revive`, for what can be told again from the beginning and
        comes out the same, it is taken over, and goes on behind what was stored. Who was told what the store has lost since is
        told `interrupted`.
        """
        try:
            batches = await self.store.read(stream, owner, after)
        except EntriesLost:
            return _lost(after)
        return None if batches is None else self._following(stream, owner, after, revive, batches)

    async def _following(
        self,
        stream: str,
        owner: str,
        after: str,
        revive: Open | None,
        batches: AsyncGenerator[list[Entry], None] | None,
    ) -> AsyncGenerator[Entry, None]:
        self._readers[stream] += 1
        try:
            while not self._closed:
                try:
                    if batches is None:
                        batches = await self.store.read(stream, owner, after)
                    if batches is None:
                        return
                    async with contextlib.aclosing(batches):
                        async for batch in batches:
                            for entry in batch:
                                yield entry
                                after = entry.id
                    return
                except ProducerGone as gone:
                    if stream not in self._running:  # or else it is ours, and only slow
                        if revive is None or not await self._begin(stream, owner, revive, gone):
                            await self._interrupted(stream, owner, gone)
                except (EntriesLost, Forgotten, UnknownStream):  # it was all there when this reader came
                    yield _told(after)
                    return
                batches = None
        finally:
            self._readers -= Counter({stream: 1})

    async def _interrupted(self, stream: str, owner: str, gone: ProducerGone) -> None:
        """End a stream whose producer is gone. A reader who leaves meanwhile does not keep the others from it."""
        task = asyncio.create_task(self._interrupt(stream, owner, gone))
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)
        await asyncio.wait([task])
        task.result()

    async def _interrupt(self, stream: str, owner: str, gone: ProducerGone) -> None:
        lease = await self.store.acquire(stream, owner, gone)
        if lease is not None:  # or else somebody has taken it over, or said this already
            record = _Record(self.store, lease, self._archive)
            with contextlib.suppress(LeaseLost):
                await record.catch_up()
                await record.end("interrupted")

    async def stop(self, stream: str, owner: str) -> None:
        """Stop a stream and its upstream, in whatever worker it runs. Raises UnknownStream, StoreAway."""
        await self.store.stop(stream, owner)

    async def aclose(self, grace: float = 0) -> None:
        """Let producers finish for so many seconds, end the others as interrupted, and let readers go.

        Where a stream is of another worker, its readers here end without an end: they come back, elsewhere. Where the store is
        away this takes as long as it retries.
        """
        here = dict(self._running)
        tasks = {producer.task for producer in here.values()} | self._endings
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for producer in here.values():
            producer.close()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(100):  # their readers hear of the ends first, however long a store takes to tell
            if not any(self._readers[stream] for stream in here):
                break
            await asyncio.sleep(0.01)
        self._closed = True
        self.store.let_go()


def _told(after: str) -> Entry:
    """What a reader hears at the end where its place in the stream is lost."""
    return Entry(told_lost(cursor(after)), **_LAST["interrupted"])


async def _lost(after: str) -> AsyncGenerator[Entry, None]:
    yield _told(after)


class _Upstream:
    """A provider's stream that can be ended at any time, also while it is waited for: the guard sees an end."""

    def __init__(self, open: Open) -> None:
        self._open = open
        self._source: Source | None = None
        self._over = False
        self._reader: asyncio.Task[Any] | None = None
        self._ending = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if self._over:
            raise StopAsyncIteration
        self._reader = asyncio.current_task()
        try:
            if self._source is None:
                opened = self._open()
                self._source = Source(opened if isinstance(opened, AsyncIterable) else await opened)
            return await anext(self._source.iterator)
        except asyncio.CancelledError:
            if not self._ending or self._reader is None:
                raise
            self._ending = False
            self._reader.uncancel()
            raise StopAsyncIteration from None
        finally:
            self._reader = None

    def end(self) -> None:
        """Let it be over. Who waits for it is told so; cancelling is how what it waits for is let go of."""
        self._over = True
        if self._reader is not None and not self._ending:
            self._ending = True
            self._reader.cancel()

    async def aclose(self) -> None:
        """Close it."""
        self._over = True
        if self._source is not None:
            await self._source.aclose()


class _Record:
    """Where a stream is written: into the store, and into the archive if there is one."""

    def __init__(self, store: ResumeStore, lease: Lease, archive: Archive | None) -> None:
        self._store = store
        self._lease = lease
        self._archive = archive
        self._unsure: Sequence[SseFields] = ()  # was sent, and may have been stored
        self.closing = False

    async def catch_up(self) -> None:
        """Tell the archive what a producer before this one stored, and may not have told it any more."""
        there, told = self._lease.length, 0
        if self._archive is None or not there:
            return
        with contextlib.suppress(Forgotten, EntriesLost):
            batches = await self._store.read(self._lease.stream, self._lease.owner)
            assert batches is not None
            async with contextlib.aclosing(batches):
                async for batch in batches:
                    await self._archive.keep(self._lease.stream, batch)
                    told += len(batch)
                    if told >= there:
                        return

    async def keep(self, events: Sequence[SseFields]) -> None:
        """Store events, and archive them. What was stored or not when this raises is settled by `end`."""
        self._unsure = events
        entries = await self._store.append(self._lease, events)
        self._unsure = ()
        if entries and self._archive is not None:
            await self._archive.keep(self._lease.stream, entries)

    async def end(self, ending: Ending) -> None:
        """End the stream, with the event that tells its readers so. Raises LeaseLost.

        While the store is away it is tried again, for as long as the stream would be kept. Only then, or when this process
        ends, the archive is told what the store was not.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._store.ttl
        while True:
            try:
                if self._unsure:
                    await self.keep(self._unsure)
                last = await self._store.finalize(self._lease, ending, _LAST[ending])
                break
            except EntriesLost:
                if ending == "interrupted" and not self._unsure:
                    raise
                ending = "interrupted"
                await self._presume()
            except StoreAway:
                if self.closing or loop.time() > until:
                    await self._presume()
                    last = self._lease.entry(_LAST[ending], self._lease.length + 1)
                    log.error("the end of a stream could not be stored: the store is away")
                    break
        await self._archived([last])
        if self._archive is not None:
            try:
                await self._archive.ended(self._lease.stream, ending)
            except Exception as error:
                log.error("the end of a stream could not be archived: %s", type(error).__name__)

    async def _presume(self) -> None:
        """Take what may have been stored for stored: readers may have had it, and the end comes behind it."""
        presumed = self._lease.entries(self._unsure)
        self._lease.length += len(presumed)
        self._unsure = ()
        await self._archived(presumed)

    async def _archived(self, entries: Sequence[Entry]) -> None:
        if self._archive is not None and entries:
            try:
                await self._archive.keep(self._lease.stream, entries)
            except Exception as error:
                log.error("events of a stream could not be archived: %s", type(error).__name__)


_LAST: Final[dict[Ending, SseFields]] = {
    "done": {"event": "done", "data": "{}"},
    "stopped": {"event": "done", "data": '{"ending":"stopped"}'},
    "failed": {"event": "error", "data": '{"message":"The stream failed","ending":"failed"}'},
    "interrupted": {"event": "error", "data": '{"message":"The stream was interrupted","ending":"interrupted"}'},
}
"""What a reader hears at the end."""


class _Producer:
    """Writes one stream, with two tasks: one reads and guards, the other one stores."""

    def __init__(self, store: ResumeStore, lease: Lease, guard: Guard, open: Open, archive: Archive | None) -> None:
        self._beat = store.beat
        self._lease = lease
        self._guard = guard
        self._record = _Record(store, lease, archive)
        self._before = lease.length
        self._waiting: list[SseFields] = []
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self._ending: Ending | None = None
        self._upstream = _Upstream(open)
        self._guarding = asyncio.create_task(self._guarded())
        self.task: Final = asyncio.create_task(self._run(), name=f"stream {lease.stream}")
        lease.on_stop = lambda: self.end("stopped")
        if lease.stopping:
            self.end("stopped")

    def end(self, ending: Ending) -> None:
        """End it before its time: its upstream now, and what the guard still does about it (a correction, say) soon."""
        self._ending = self._ending or ending
        self._upstream.end()
        asyncio.get_running_loop().call_later(PATIENCE, self._guarding.cancel)

    def close(self) -> None:
        """End it, since this process does; the store is not waited for longer than it retries."""
        self._record.closing = True
        self.end("interrupted")

    async def _run(self) -> None:
        try:
            ending = await self._written()
            await self._let_go()  # of the provider, before anything that may take long
            await self._record.end(ending)
        except LeaseLost:
            log.warning("a stream was deleted, or taken over by another worker")
        except Exception as error:
            log.error("the end of a stream could not be stored: %s", type(error).__name__)
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        self._guarding.cancel()
        await asyncio.gather(self._guarding, return_exceptions=True)
        await self._upstream.aclose()

    async def _written(self) -> Ending:
        """Write the stream; returns how it ended."""
        try:
            await self._record.catch_up()
            await self._write()
            assert self._ending is not None
            return self._ending
        except LeaseLost:
            raise
        except EntriesLost:
            log.warning("the store has lost events of a stream, which is interrupted")
            return "interrupted"
        except StoreAway:
            log.warning("the store was away for too long for a stream, which is interrupted")
            return "interrupted"
        except Exception as error:
            log.error("a stream could not be stored: %s", type(error).__name__)
            return "failed"

    async def _guarded(self) -> None:
        """Guard the stream; what was stored by a producer before this one is not stored again."""
        before = self._before
        try:
            async for event in guarded_sse(self._upstream, self._guard, stream_id=self._lease.stream):
                if event["event"] in ("done", "error"):
                    self._ending = self._ending or ("done" if event["event"] == "done" else "failed")
                    return  # told with the end of the stream, in one step
                if before:
                    before -= 1
                    continue
                while len(self._waiting) >= AHEAD:
                    self._room.clear()
                    await self._room.wait()
                self._waiting.append(event)
                self._news.set()
        finally:
            self._ending = self._ending or "failed"  # what was cut off by nobody knows whom is not done
            self._over = True
            self._news.set()

    async def _write(self) -> None:
        """Store what is there; while that takes its time, more comes, and is stored in one step."""
        loop = asyncio.get_running_loop()
        while not self._over or self._waiting:
            beat = loop.call_later(self._beat, self._news.set)  # the lease holds also when there is nothing to write
            try:
                await self._news.wait()
            finally:
                beat.cancel()
            self._news.clear()
            batch, self._waiting = self._waiting, []
            self._room.set()
            await self._record.keep(batch)
