"""A worker that lives tells the archive one end, whatever happens to the answers of a store that is never restarted."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.resume import Ending, Entry, RedisStore, ResumableStreams, StoreAway

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.resuming import Kept, begun, events, idle

GUARD = Guard(FILE_TOOLS)


class Link:
    """A link to a server that can hold back what comes, or what is sent, and lose its connections."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open = {"answers": asyncio.Event(), "commands": asyncio.Event()}
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.port = 0
        self.go()

    def trouble(self, kind: str) -> None:
        """Hold back answers or commands; or close the connections, and hold back the commands of new ones."""
        self._open["commands" if kind == "lost" else kind].clear()
        while kind == "lost" and self._writers:
            self._writers.pop().close()

    def go(self) -> None:
        """Carry everything again."""
        for way in self._open.values():
            way.set()

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers += [writer, other_writer]
        for way in ((reader, other_writer, "commands"), (other_reader, writer, "answers")):
            task = asyncio.create_task(self._carry(*way))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: str) -> None:
        try:
            while data := await source.read(8192):
                await self._open[way].wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()

    @contextlib.asynccontextmanager
    async def carrying(self) -> AsyncIterator[Link]:
        server = await asyncio.start_server(self._joined, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for writer in self._writers:
                writer.close()
            await asyncio.sleep(0.01)  # the sockets are closed


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[stores.Valkey]:
    with stores.server(tmp_path / "v", *stores.MEMORY) as one:
        yield one


class Troubled(Kept):
    """An archive; when it is told an end, the link to the store has trouble, before or after it keeps that."""

    def __init__(self, link: Link, kind: str) -> None:
        super().__init__()
        self._link = link
        self._kind = kind
        self.told = asyncio.Event()

    async def ended(self, stream: str, ending: Ending) -> None:
        await super().ended(stream, ending)
        if not self.told.is_set():
            self._link.trouble(self._kind)
            self.told.set()


async def whole(streams: ResumableStreams, stream: str, after: str = "") -> list[Entry]:
    """Return what a client reads that comes again while the store is away."""
    while True:
        with contextlib.suppress(StoreAway):
            entries = await streams.open(stream, "me", after)
            return [] if entries is None else [entry async for entry in entries]
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", ["answers", "commands", "lost"])
async def test_the_mark_of_an_end_that_is_told_outlasts_a_store_that_is_away(valkey: stores.Valkey, kind: str) -> None:
    """The store is away from the moment in which the archive has the end, for longer than any call waits."""
    async with Link(valkey.port).carrying() as link:
        url = f"redis://127.0.0.1:{link.port}"
        made = [RedisStore(url, lease=1, retry=0.5, wait=0.5) for _ in range(2)]
        kept = Troubled(link, kind)
        here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
        await here.start("s", "me", lambda: FakeStream(["a\n", "b\n"]))
        await kept.told.wait()
        for store in made:  # several calls wait in vain
            for _ in range(3):
                with pytest.raises(StoreAway):
                    await store.status("s")
        link.go()
        for streams in (here, there, here, there):
            found = await whole(streams, "s")
            assert await whole(streams, "s", found[-1].id) == []
            await idle(streams)
        assert (kept.entries, kept.endings) == (found, ["done"])
        for store in made:
            assert await store.left("s", "me") is None
            await store.aclose()


class Closes(Kept):
    """An archive during whose work its process shuts down: at a call, before or after that keeps what it is given."""

    def __init__(self, at: str, *, after: bool) -> None:
        super().__init__()
        self._at = at
        self._after = after
        self.streams: ResumableStreams | None = None
        self.closing: asyncio.Task[None] | None = None

    async def _works(self, name: str, *, after: bool) -> None:
        if (name, after) == (self._at, self._after) and self.closing is None and self.streams is not None:
            self.closing = asyncio.create_task(self.streams.aclose())
            for _ in range(5):
                await asyncio.sleep(0)

    async def keep(self, stream: str, entries: Any) -> None:
        await self._works("keep", after=False)
        await super().keep(stream, entries)
        await self._works("keep", after=True)

    async def ended(self, stream: str, ending: Ending) -> None:
        await self._works("ended", after=False)
        await super().ended(stream, ending)
        await self._works("ended", after=True)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", ["keep", "ended"])
@pytest.mark.parametrize("whose", ["its own", "a dead worker's", "one that has ended"])
async def test_a_worker_that_shuts_down_with_a_store_that_is_there_leaves_no_end_to_be_told_again(
    valkey: stores.Valkey, whose: str, at: str, after: bool
) -> None:
    """Whatever it tells the archive: the end of its own stream, of one whose worker died, or one that this had not told."""
    made = [RedisStore(valkey.url, lease=0.3) for _ in range(3)]
    kept = Closes(at, after=after)
    closing, there = (ResumableStreams(store, GUARD, archive=kept) for store in made[:2])
    kept.streams = closing
    if whose == "its own":
        await closing.start("s", "me", lambda: FakeStream(["a\n"]))
    else:
        lease = await begun(made[2])
        lease.archived = False
        await made[2].append(lease, events("a"))
        if whose == "one that has ended":
            await made[2].finalize(lease, "done", {"event": "done", "data": "{}"})
        await made[2].aclose()
    reading = asyncio.create_task(whole(closing, "s"))
    while kept.closing is None:
        await asyncio.sleep(0.005)
    await kept.closing
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    found = await whole(there, "s")
    await idle(there)
    assert await whole(there, "s") == found
    await idle(there)
    assert len(kept.endings) == 1
    assert await made[1].left("s", "me") is None
    assert {entry.id: entry for entry in kept.entries} == {entry.id: entry for entry in found}
    for store in made[:2]:
        await store.aclose()


async def comes_again(streams: Sequence[ResumableStreams], stream: str, chance: random.Random) -> list[Entry]:
    """Return what a client reads that leaves, and comes again through any worker."""
    found: list[Entry] = []
    while True:
        with contextlib.suppress(StoreAway):
            entries = await chance.choice(streams).open(stream, "me", found[-1].id if found else "")
            if entries is None:
                return found
            async with contextlib.aclosing(entries):
                async for entry in entries:
                    found.append(entry)
                    if chance.random() < 0.05:
                        break
        await asyncio.sleep(0.02)


@pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning")  # of a handshake of the client that broke off
@pytest.mark.parametrize("seed", range(max(2, int(os.environ.get("OUTAGES", "0")))))
async def test_streams_have_one_end_each_over_a_link_that_holds_back_and_loses(valkey: stores.Valkey, seed: int) -> None:
    """Two workers share it. Readers leave and come back, also behind the end; what they got is what the archive has."""
    chance = random.Random(seed)
    names = [f"s{n}" for n in range(24)]

    async def said() -> AsyncIterator[str]:
        for number in range(20):
            yield f"w{number} "
            await asyncio.sleep(chance.random() * 0.2)

    async with Link(valkey.port).carrying() as link:
        made = [RedisStore(f"redis://127.0.0.1:{link.port}", lease=2, retry=1.5, wait=0.5) for _ in range(2)]
        kept = Kept()
        streams = [ResumableStreams(store, GUARD, archive=kept) for store in made]
        for name in names:
            assert await chance.choice(streams).start(name, "me", said)
        reading = [asyncio.create_task(comes_again(streams, name, random.Random(f"{seed} {name}"))) for name in names]
        for _ in range(8):
            await asyncio.sleep(chance.random() * 0.4)
            link.trouble(chance.choice(["answers", "commands", "lost"]))
            await asyncio.sleep(chance.random() * 1.5)
            link.go()
        read = await asyncio.gather(*reading)
        for one in streams:
            for name in names:
                await whole(one, name)
            await idle(one)
        for name, found in zip(names, read, strict=True):
            assert len(kept.endings_of[name]) == 1
            assert kept.endings_of[name] == [json.loads(found[-1].data).get("ending", found[-1].event)]
            assert {entry.id: entry for entry in kept.entries_of[name]} == {entry.id: entry for entry in found}
        for store in made:
            await store.aclose()
