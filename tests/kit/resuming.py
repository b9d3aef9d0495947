"""Shared by the tests of resumable streams: events, a lease, an archive in memory, and a stream that waits at a gate."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from typing import Any

from stream_guard_adapters.resume import Ending, Entry, Lease, RedisStore, ResumableStreams, ResumeStore

from stream_guard.testing import FakeStream
from stream_guard.wire import SseFields


def events(*texts: object) -> list[SseFields]:
    return [{"event": "text", "data": json.dumps(text)} for text in texts]


async def begun(store: ResumeStore, stream: str = "s", owner: str = "me") -> Lease:
    lease = await store.acquire(stream, owner)
    assert lease is not None
    return lease


def away_after(store: RedisStore, seconds: float) -> None:
    """Take a store for away after so many seconds without an answer: few when it is to be, and many while it has to answer."""
    store.retry = store._wait = seconds
    for line in (store._writing, store._reading):
        line._retry = seconds


class Kept:
    """An archive in memory: of all streams together, and of each."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.endings: list[Ending] = []
        self.entries_of: dict[str, list[Entry]] = defaultdict(list)
        self.endings_of: dict[str, list[Ending]] = defaultdict(list)

    async def keep(self, stream: str, entries: Any) -> None:
        self.entries += entries
        self.entries_of[stream] += entries

    async def ended(self, stream: str, ending: Ending) -> None:
        self.endings.append(ending)
        self.endings_of[stream].append(ending)


class Gate(FakeStream):
    """A stream that waits after some deltas until `opened` is set."""

    def __init__(self, deltas: Any, after: int) -> None:
        super().__init__(deltas)
        self._after = after
        self.opened = asyncio.Event()
        self.reached = asyncio.Event()

    async def __anext__(self) -> Any:
        if self.read == self._after:
            self.reached.set()
            await self.opened.wait()
        return await super().__anext__()


async def idle(streams: ResumableStreams, *names: str) -> None:
    """Wait until the named streams, or all, have ended here and in the archive."""
    here = (streams.running, streams._endings, streams._checks)
    while any(any(name in busy for name in names or busy) for busy in here):
        await asyncio.sleep(0.005)
