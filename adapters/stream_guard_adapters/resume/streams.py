"""Producers that run apart from requests, and readers that come and go.

Rule 1: what is written is what the guard lets through, whole event by whole event, in the order of the stream.
Rule 2: a stream that is stopped ends for the guard as one whose provider hung up: a block that is open is told as cut off.
Rule 3: a producer ends exactly once, and says so in the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, KeysView, Sequence
from typing import Any, Final, Protocol, Self

from stream_guard import Guard
from stream_guard.transform import Source
from stream_guard.wire import SseFields

from ..sse import guarded_sse
from .store import Ending, Entry, Forgotten, Lease, LeaseLost, ProducerGone, ResumeStore, UnknownStream

log: Final = logging.getLogger("stream_guard")

Open = Callable[[], AsyncIterable[Any] | Awaitable[AsyncIterable[Any]]]
"""Opens a provider's stream: of text, or of its events."""

AHEAD: Final = 64
"""How much is read from a provider before the guard has seen it, and how much waits to be stored, in events."""


PATIENCE: Final = 2.0
"""How long the guard may take to come to its end when a stream is stopped, in seconds."""


class Archive(Protocol):
    """Who keeps streams for good: told of what was stored, in order, and of the end."""

    async def keep(self, stream: str, entries: Sequence[Entry]) -> None:
        """These were stored. Where a producer took over from another, it may hear of entries that it has already."""

    async def ended(self, stream: str, ending: Ending) -> None:
        """The stream is over."""


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
        self._readers: Counter[str] = Counter()
        self._closed = False

    @property
    def running(self) -> KeysView[str]:
        """The streams whose producers run in this process."""
        return self._running.keys()

    async def start(self, stream: str, owner: str, open: Open) -> bool:
        """Begin a stream. False when it exists already."""
        lease = await self.store.acquire(stream, owner)
        if lease is None:
            return False
        producer = _Producer(self.store, lease, self._guard, open, self._archive)
        self._running[stream] = producer
        producer.task.add_done_callback(lambda _: self._running.pop(stream, None))
        return True

    async def read(self, stream: str, owner: str, after: str = "", revive: Open | None = None) -> AsyncGenerator[Entry, None]:
        """The events after an id, then those that come, until the stream ends. Raises UnknownStream, Forgotten, ValueError.

        When its worker died the stream ends as interrupted; with `revive`, for what can be told again from the beginning and
        comes out the same, it is taken over, and goes on behind what was stored.
        """
        await self._owned(stream, owner)
        self._readers[stream] += 1
        try:
            while not self._closed:
                try:
                    async with contextlib.aclosing(self.store.read(stream, after)) as batches:
                        async for batch in batches:
                            for entry in batch:
                                yield entry
                                after = entry.id
                    return
                except ProducerGone:
                    if stream in self._running:
                        continue  # ours, and only slow
                    if revive is None or not await self.start(stream, owner, revive):
                        await self._interrupted(stream, owner)
        finally:
            self._readers -= Counter({stream: 1})

    async def _interrupted(self, stream: str, owner: str) -> None:
        lease = await self.store.acquire(stream, owner)
        if lease is not None:  # or else somebody has taken it over, or said this already
            record = _Record(self.store, lease, self._archive)
            with contextlib.suppress(LeaseLost):
                await record.catch_up()
                await record.say("interrupted")

    async def _owned(self, stream: str, owner: str) -> None:
        status = await self.store.status(stream)
        if status is None or status.owner != owner:
            raise UnknownStream(stream)

    async def stop(self, stream: str, owner: str) -> None:
        """Stop a stream and its upstream, in whatever worker it runs. Raises UnknownStream."""
        await self._owned(stream, owner)
        await self.store.stop(stream)

    async def aclose(self, grace: float = 0) -> None:
        """Let producers finish for so many seconds, end the others as interrupted, and let readers go.

        Where a stream is of another worker, its readers here end without an end: they come back, elsewhere.
        """
        here = dict(self._running)
        tasks = {producer.task for producer in here.values()}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for producer in here.values():
            producer.end("interrupted")
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(100):  # their readers hear of the ends first, however long a store takes to tell
            if not any(self._readers[stream] for stream in here):
                break
            await asyncio.sleep(0.01)
        self._closed = True
        self.store.let_go()


class _Upstream:
    """A provider's stream, read by a task of its own: it can be ended at any time, and the guard sees an end."""

    def __init__(self, open: Open) -> None:
        self._items: Final[deque[Any]] = deque()
        self._error: BaseException | None = None
        self._over = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._task = asyncio.create_task(self._pump(open))

    async def _pump(self, open: Open) -> None:
        try:
            opened = open()
            source = Source(opened if isinstance(opened, AsyncIterable) else await opened)
            try:
                async for item in source.iterator:
                    while len(self._items) >= AHEAD:
                        self._room.clear()
                        await self._room.wait()
                    self._items.append(item)
                    self._news.set()
            finally:
                await source.aclose()
        except Exception as error:
            self._error = error
        finally:
            self._over = True
            self._news.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while not self._items:
            if self._over:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._items.popleft()

    def end(self) -> None:
        """Let it be over."""
        self._task.cancel()

    async def aclose(self) -> None:
        """Close it."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class _Record:
    """Where a stream is written: into the store, and into the archive if there is one."""

    def __init__(self, store: ResumeStore, lease: Lease, archive: Archive | None) -> None:
        self._store = store
        self._lease = lease
        self._archive = archive

    async def catch_up(self) -> None:
        """Tell the archive what a producer before this one stored, and may not have told it any more."""
        there, told = self._lease.length, 0
        if self._archive is None or not there:
            return
        with contextlib.suppress(Forgotten):
            async with contextlib.aclosing(self._store.read(self._lease.stream)) as batches:
                async for batch in batches:
                    await self._archive.keep(self._lease.stream, batch)
                    told += len(batch)
                    if told >= there:
                        return

    async def keep(self, events: Sequence[SseFields]) -> None:
        entries = await self._store.append(self._lease, events)
        if self._archive is not None and entries:
            await self._archive.keep(self._lease.stream, entries)

    async def say(self, ending: Ending) -> None:
        """End the stream, with the event that tells its readers so."""
        stream = self._lease.stream
        entries = await self._store.finalize(self._lease, ending, [_LAST[ending]])
        if self._archive is not None:
            await self._archive.keep(stream, entries)
            await self._archive.ended(stream, ending)


_LAST: Final[dict[Ending, SseFields]] = {
    "done": {"event": "done", "data": "{}"},
    "stopped": {"event": "done", "data": '{"ending":"stopped"}'},
    "failed": {"event": "error", "data": '{"message":"The stream failed","ending":"failed"}'},
    "interrupted": {"event": "error", "data": '{"message":"The stream was interrupted","ending":"interrupted"}'},
}
"""What a reader hears at the end."""


class _Producer:
    """Writes one stream."""

    def __init__(self, store: ResumeStore, lease: Lease, guard: Guard, open: Open, archive: Archive | None) -> None:
        self._store = store
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
        self.task = asyncio.create_task(self._run(), name=f"stream {lease.stream}")

    def end(self, ending: Ending) -> None:
        """End it before its time: its upstream now, and what the guard still does about it (a correction, say) soon."""
        self._ending = self._ending or ending
        self._upstream.end()
        asyncio.get_running_loop().call_later(PATIENCE, self._guarding.cancel)

    async def _run(self) -> None:
        others = [asyncio.create_task(self._stopped()), asyncio.create_task(self._beat())]
        try:
            await self._record.catch_up()
            await self._write()
            await self._record.say(self._ending or "done")
        except LeaseLost:
            log.warning("a stream was taken over by another worker")
        except Exception as error:
            log.error("a stream could not be stored: %s", type(error).__name__)
            with contextlib.suppress(Exception):  # nor, perhaps, can this; then its lease lapses
                await self._store.finalize(self._lease, "failed", [_LAST["failed"]])
        finally:
            for task in (self._guarding, *others):
                task.cancel()
            await asyncio.gather(self._guarding, *others, return_exceptions=True)
            await self._upstream.aclose()

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
            self._over = True
            self._news.set()

    async def _write(self) -> None:
        """Store what is there; while that takes its time, more comes, and is stored in one step."""
        while not self._over or self._waiting:
            await self._news.wait()
            self._news.clear()
            batch, self._waiting = self._waiting, []
            self._room.set()
            await self._record.keep(batch)  # an empty one keeps the lease

    async def _beat(self) -> None:
        """Let the lease hold also when there is nothing to write."""
        while True:
            await asyncio.sleep(self._store.beat)
            self._news.set()

    async def _stopped(self) -> None:
        await self._store.stopped(self._lease)
        self.end("stopped")
