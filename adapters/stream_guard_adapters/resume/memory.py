"""A store in the memory of one process: for one worker, and for tests."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Final

from stream_guard.wire import SseFields

from .store import START, Cursor, Ending, Entry, Forgotten, Lease, LeaseLost, State, StreamStatus, UnknownStream, cursor


@dataclass(slots=True)
class _Stream:
    owner: str
    entries: deque[Entry]
    state: State = "running"
    token: str = ""
    length: int = 0
    last: Cursor = START
    expires: float = 0.0
    dropped: Cursor = START
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake whoever waits. Each waits for an event of its own time, so that none is missed."""
        self.news.set()
        self.news = asyncio.Event()


class MemoryStore:
    """Streams in memory.

    Args:
        ttl: How long a stream is kept after the last that was written to it, in seconds.
        maxlen: How many events of a stream are kept.
        clock: What time it is.
    """

    beat: float = 60.0  # nobody can lose a lease while its process lives

    def __init__(self, *, ttl: float = 3600, maxlen: int = 100_000, clock: Callable[[], float] = time.time) -> None:
        self._ttl = ttl
        self._maxlen = maxlen
        self._clock = clock
        self._round = 0
        self._streams: Final[dict[str, _Stream]] = {}  # in the order in which they were last written to

    async def acquire(self, stream: str, owner: str) -> Lease | None:
        """Become the producer of a new stream."""
        self._sweep()
        if stream in self._streams:
            return None
        kept = _Stream(owner, deque(maxlen=self._maxlen), token=token_hex(8))
        self._touch(stream, kept)
        return Lease(stream, kept.token, 0)

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events."""
        kept = self._held(lease)
        added = [self._entry(kept, event) for event in events]
        lease.length += len(added)
        if added:
            kept.tell()
        self._touch(lease.stream, kept)
        return added

    def _entry(self, kept: _Stream, event: SseFields) -> Entry:
        now = max(int(self._clock() * 1000), kept.last[0])
        kept.last = now, kept.last[1] + 1 if now == kept.last[0] else 0
        entry = Entry(f"{kept.last[0]}-{kept.last[1]}", event["event"], event["data"])
        if len(kept.entries) == self._maxlen:
            kept.dropped = cursor(kept.entries[0].id)
        kept.entries.append(entry)
        kept.length += 1
        return entry

    async def finalize(self, lease: Lease, ending: Ending, last: Sequence[SseFields] = ()) -> list[Entry]:
        """End the stream."""
        kept = self._held(lease)
        added = [self._entry(kept, event) for event in last]
        kept.state, kept.token = ending, ""
        kept.tell()
        self._touch(lease.stream, kept)
        return added

    async def read(self, stream: str, after: str = "") -> AsyncGenerator[list[Entry], None]:
        """The entries after that id, then those that come."""
        at, begun = cursor(after), self._round
        kept = self._streams.get(stream)
        if kept is None:
            raise UnknownStream(stream)
        while self._round == begun:
            news = kept.news
            if at < kept.dropped:
                raise Forgotten(stream)
            if kept.last > at:
                found = _after(kept.entries, at)
                at = kept.last
                yield found
            elif kept.state != "running":
                return
            else:
                await news.wait()

    def let_go(self) -> None:
        """End every read where it is."""
        self._round += 1
        for kept in self._streams.values():
            kept.tell()

    async def status(self, stream: str) -> StreamStatus | None:
        """What is known of a stream."""
        self._sweep()
        kept = self._streams.get(stream)
        return StreamStatus(kept.owner, kept.state, kept.length) if kept is not None else None

    async def stop(self, stream: str) -> None:
        """Ask the producer to stop."""
        kept = self._streams.get(stream)
        if kept is not None:
            kept.stop.set()

    async def stopped(self, lease: Lease) -> None:
        """Returns once the producer has been asked to stop."""
        await self._held(lease).stop.wait()

    async def delete(self, stream: str) -> None:
        """Forget a stream."""
        kept = self._streams.pop(stream, None)
        if kept is not None:
            kept.state = "interrupted" if kept.state == "running" else kept.state
            kept.tell()

    async def aclose(self) -> None:
        """There is nothing to let go of."""

    def _held(self, lease: Lease) -> _Stream:
        kept = self._streams.get(lease.stream)
        if kept is None or kept.token != lease.token:
            raise LeaseLost(lease.stream)
        return kept

    def _touch(self, stream: str, kept: _Stream) -> None:
        self._streams.pop(stream, None)
        self._streams[stream] = kept
        kept.expires = self._clock() + self._ttl

    def _sweep(self) -> None:
        now = self._clock()
        while self._streams:
            name, oldest = next(iter(self._streams.items()))
            if oldest.expires > now:
                return
            if oldest.state == "running":
                self._touch(name, oldest)  # somebody still writes, and has nothing to say
            else:
                del self._streams[name]


def _after(entries: deque[Entry], at: Cursor) -> list[Entry]:
    """The entries behind a place, found from the end: a reader that follows has seen nearly all."""
    found: list[Entry] = []
    for entry in reversed(entries):
        if cursor(entry.id) <= at:
            break
        found.append(entry)
    found.reverse()
    return found
