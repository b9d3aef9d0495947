"""What tests of resumable streams share: events, a lease, an archive that remembers and a gate that holds a producer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from stream_guard_adapters.resume import Ending, Entry, Lease, ResumableStreams, ResumeStore

from stream_guard.testing import FakeStream
from stream_guard.wire import SseFields


def events(*texts: object) -> list[SseFields]:
    return [{"event": "text", "data": json.dumps(text)} for text in texts]


async def begun(store: ResumeStore, stream: str = "s", owner: str = "me") -> Lease:
    lease = await store.acquire(stream, owner)
    assert lease is not None
    return lease


class Kept:
    """An archive in a list."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.endings: list[Ending] = []

    async def keep(self, stream: str, entries: Any) -> None:
        self.entries += entries

    async def ended(self, stream: str, ending: Ending) -> None:
        self.endings.append(ending)


class Gate(FakeStream):
    """A stream that waits, after so many deltas, until it is let on."""

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


async def idle(streams: ResumableStreams) -> None:
    """Everything that ends here has ended, and the archive knows."""
    while streams.running or streams._endings or streams._tellings:
        await asyncio.sleep(0.005)
