"""A store in trouble: a replica, one that refuses, loses answers, or is far. No living stream is said to be interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from stream_guard_adapters.resume import Entry, RedisStore, ResumableStreams, StoreAway, UnknownStream
from stream_guard_adapters.resume import redis as module

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.resuming import begun, events, idle

GUARD = Guard(FILE_TOOLS)
READS = sorted(set(re.findall(r"call\('([A-Z]+)'", module._READ.text)))
"""The commands that a reading needs."""


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[stores.Valkey]:
    with stores.server(tmp_path / "v", *stores.MEMORY) as one:
        yield one


async def words(until: asyncio.Event) -> AsyncIterator[str]:
    """Says something until an event."""
    while not until.is_set():
        yield "Some words, " * 20 + "\n"
        await asyncio.sleep(0.02)


async def whole(streams: ResumableStreams, stream: str) -> list[Entry]:
    entries = await streams.open(stream, "me")
    assert entries is not None
    return [entry async for entry in entries]


async def patient(streams: ResumableStreams, stream: str) -> list[Entry]:
    """Return what a client gets that comes again while the store is late: a connection takes several round trips."""
    while True:
        with contextlib.suppress(StoreAway):
            return await whole(streams, stream)
        await asyncio.sleep(0.1)


def ending(found: list[Entry]) -> str:
    return str(json.loads(found[-1].data).get("ending", found[-1].event))


async def told(streams: ResumableStreams, stream: str, owner: str = "me", after: str = "") -> str:
    """Return what a client hears at first that comes now."""
    try:
        entries = await streams.open(stream, owner, after)
    except (StoreAway, UnknownStream) as error:
        return type(error).__name__
    assert entries is not None
    async with contextlib.aclosing(entries):
        entry = await anext(entries)
    return ending([entry]) if entry.event != "text" else "text"


async def closed(*made: RedisStore) -> None:
    for store in made:
        await store.aclose()


async def test_a_reader_that_comes_while_the_store_is_a_replica_comes_again(
    valkey: stores.Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    """It refuses what a stream that it does not know, or another session's, needs before it is refused."""
    over = asyncio.Event()
    store = RedisStore(valkey.url, lease=1, wait=1, retry=20)
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: words(over))
    early = asyncio.create_task(whole(streams, "s"))
    await asyncio.sleep(0.2)
    valkey.ask("REPLICAOF", "127.0.0.1", str(stores.free_port()))
    comes = [told(streams, "unknown"), told(streams, "s", "you"), told(streams, "unknown", after="3-3")]
    assert await asyncio.gather(*comes, *comes_again(streams)) == ["StoreAway"] * 6
    with pytest.raises(StoreAway):
        await streams.stop("unknown", "me")
    valkey.ask("REPLICAOF", "NO", "ONE")
    over.set()
    assert ending(await early) == ending(await whole(streams, "s")) == "done"
    assert any("READONLY" in record.message or "ReadOnly" in record.message for record in caplog.records)
    await closed(store)


def comes_again(streams: ResumableStreams) -> list[Any]:
    return [told(streams, "unknown", after="1-1"), told(streams, "other"), told(streams, "s", "they")]


async def test_a_store_that_is_a_replica_for_too_long_is_away(valkey: stores.Valkey, caplog: pytest.LogCaptureFixture) -> None:
    """It takes no event of any stream: the log does not say that it takes those of others."""
    caplog.set_level(logging.WARNING)
    never = asyncio.Event()
    store = RedisStore(valkey.url, lease=1, wait=1, retry=2)
    streams = ResumableStreams(store, GUARD)
    for n in range(3):
        await streams.start(f"s{n}", "me", lambda: words(never))
    await asyncio.sleep(0.2)
    valkey.ask("REPLICAOF", "127.0.0.1", str(stores.free_port()))
    await asyncio.sleep(4)
    valkey.ask("REPLICAOF", "NO", "ONE")
    await idle(streams)
    said = [record.message for record in caplog.records]
    assert sum("the store was away for too long" in line for line in said) == 3, said
    assert not any("those of others" in line for line in said)
    await closed(store)


async def test_a_loop_that_stands_still_is_no_store_that_is_away(valkey: stores.Valkey) -> None:
    """Code of the application that blocks its loop for longer than `retry`, at every moment of a write."""
    store = RedisStore(valkey.url, lease=60, retry=0.3, wait=0.3)
    streams = ResumableStreams(store, GUARD)

    async def blocked() -> AsyncIterator[str]:
        for n in range(6):
            yield f"w{n} "
            for _ in range(n):  # so far is the write of this word
                await asyncio.sleep(0)
            time.sleep(0.7)  # noqa: ASYNC251
            await asyncio.sleep(0.05)

    await streams.start("s", "me", blocked)
    assert ending(await whole(streams, "s")) == "done"
    await closed(store)


async def test_a_reader_that_comes_while_the_store_refuses_a_command_comes_again(valkey: stores.Valkey) -> None:
    """Whichever command of a reading the user may not run: the refusal is not one of this page."""
    over = asyncio.Event()
    admin: Any = Redis.from_url(valkey.url)
    made = []
    try:
        for command in READS:
            await admin.execute_command("ACL", "SETUSER", f"u{command}", "on", "nopass", "~*", "&*", "+@all")
            url = valkey.url.replace("//", f"//u{command}:x@")
            pair = [RedisStore(url, prefix=f"{command}:", lease=1, wait=1, retry=20) for _ in range(2)]
            made += pair
            here = ResumableStreams(pair[0], GUARD)
            await here.start("s", "me", lambda: words(over))
        there = [ResumableStreams(store, GUARD) for store in made[1::2]]
        early = [asyncio.create_task(whole(streams, "s")) for streams in there]
        await asyncio.sleep(0.5)
        for command in READS:
            await admin.execute_command("ACL", "SETUSER", f"u{command}", f"-{command}")
        places = [("s", ""), ("s", "3-3"), ("unknown", "")]
        jobs = [told(streams, name, after=after) for streams in there for name, after in places]
        heard = await asyncio.gather(*jobs)
        for command in READS:
            await admin.execute_command("ACL", "SETUSER", f"u{command}", f"+{command}")
        pairs = [(command, name, after) for command in READS for name, after in places]
        wrong = [
            (what, word)
            for what, word in zip(pairs, heard, strict=True)
            if word == "interrupted" and what[2] == ""  # the id 3-3 is of no generation that there is
        ]
        assert not wrong
        assert "StoreAway" in heard
        over.set()
        assert [ending(found) for found in await asyncio.gather(*early)] == ["done"] * len(READS)
        assert [ending(await whole(streams, "s")) for streams in there] == ["done"] * len(READS)
    finally:
        await admin.aclose()
        await closed(*made)


class Way:
    """A way to a server. It can be long, or lose the connections over which large answers come."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.seconds = 0.0
        """How long a piece is on its way."""

        self.most = 1 << 30
        """The bytes of a piece of an answer from which on it is lost, with its connection."""

        self.port = 0

        self._joins: set[asyncio.Task[Any]] = set()

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, port: int) -> AsyncGenerator[Way]:
        way = cls(port)
        server = await asyncio.start_server(way._accept, "127.0.0.1", 0)
        way.port = server.sockets[0].getsockname()[1]
        try:
            yield way
        finally:
            server.close()
            for join in way._joins:
                join.cancel()
            await asyncio.gather(*way._joins, return_exceptions=True)
            await asyncio.sleep(0.01)  # the sockets are closed

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        join = asyncio.create_task(self._joined(reader, writer))
        self._joins.add(join)
        join.add_done_callback(self._joins.discard)

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            await asyncio.gather(self._carry(reader, other_writer, 1 << 30), self._carry(other_reader, writer, 0))
        finally:
            for each in (writer, other_writer):
                each.close()

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, most: int) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            while (data := await source.read(65_536)) and len(data) < max(most, self.most):
                loop.call_later(self.seconds, self._arrives, sink, data)
        loop.call_later(self.seconds, sink.close)

    @staticmethod
    def _arrives(sink: asyncio.StreamWriter, data: bytes) -> None:
        if not sink.is_closing():
            sink.write(data)


async def test_a_reader_that_comes_while_large_answers_are_lost_comes_again(valkey: stores.Valkey) -> None:
    """That may be a limit of the store or a moment of its link: it is told of an end when it lasted as long as `retry`."""
    over = asyncio.Event()
    async with Way.to(valkey.port) as way:
        here, there = RedisStore(valkey.url, lease=2), RedisStore(way.url, lease=2, wait=1, retry=20)
        writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
        await writing.start("s", "me", lambda: words(over))
        await asyncio.sleep(0.5)
        early = asyncio.create_task(whole(reading, "s"))
        await asyncio.sleep(0.5)
        way.most = 1500
        for _ in range(3):
            assert await asyncio.gather(*(told(reading, "s") for _ in range(3))) == ["StoreAway"] * 3
        way.most = 1 << 30
        assert await told(reading, "s") == "text"
        over.set()
        assert ending(await early) == ending(await whole(reading, "s")) == "done"
        assert not there._troubles
        await closed(here, there)


async def test_a_reader_that_comes_again_and_again_is_told_that_the_store_never_sends_an_event(tmp_path: Path) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY, "--client-output-buffer-limit", "normal", "32kb", "0", "0") as valkey:
        for size in (50_000, 600_000):
            here, there = RedisStore(valkey.url), RedisStore(valkey.url, wait=0.8, retry=3)
            reading = ResumableStreams(there, GUARD)
            lease = await begun(here, f"s{size}")
            await here.append(lease, events("x" * size))
            await here.finalize(lease, "done", {"event": "done", "data": "{}"})
            heard = [await told(reading, f"s{size}")]
            while heard[-1] == "StoreAway" and len(heard) < 20:
                heard.append(await told(reading, f"s{size}"))
            assert len(heard) > 2
            assert heard[-1] == "interrupted"
            await closed(here, there)


async def test_trouble_of_which_nobody_heard_for_long_is_over() -> None:
    loop = asyncio.get_running_loop()
    store = RedisStore("redis://127.0.0.1:1", retry=30)
    now, where = loop.time(), ("s", "me", "")
    assert not store._lasted(where, now - 5)
    assert not store._lasted(where, now - 5)
    store._troubles[where] = now - 31, now - 29
    assert store._lasted(where, now - 5)
    store._troubles[where] = now - 3600, now - 31
    store._troubles["other", "me", ""] = now - 3600, now - 31
    assert not store._lasted(where, now - 5)
    assert list(store._troubles) == [where]
    await store.aclose()


async def test_the_end_of_a_dead_workers_stream_is_told_over_a_long_way(valkey: stores.Valkey) -> None:
    """A round trip takes longer than the time between two heartbeats. A living producer as far away goes on meanwhile."""
    over = asyncio.Event()
    async with Way.to(valkey.port) as way:
        dead, here, there = (RedisStore(url, lease=1.6) for url in (valkey.url, way.url, way.url))
        writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
        lease = await begun(dead, "dead")
        await dead.append(lease, events("a"))
        await writing.start("alive", "me", lambda: words(over))
        await writing.start("quiet", "me", lambda: quiet(over))
        living = [asyncio.create_task(patient(reading, name)) for name in ("alive", "quiet")]
        await asyncio.sleep(0.5)
        way.seconds = 0.22
        async with asyncio.timeout(300):
            assert ending(await patient(reading, "dead")) == "interrupted"
            heard = ""
            while heard != "UnknownStream":
                heard = await told(reading, "unknown")
                assert heard in ("UnknownStream", "StoreAway")
        over.set()
        way.seconds = 0
        assert [ending(await found) for found in living] == ["done", "done"]
        assert [ending(await whole(reading, name)) for name in ("alive", "quiet")] == ["done", "done"]
        await closed(dead, here, there)


async def quiet(until: asyncio.Event) -> AsyncIterator[str]:
    """Says nothing until an event."""
    await until.wait()
    yield "Now.\n"


@pytest.mark.parametrize(
    ("took", "uneven"),
    [([0.01], False), ([3], False), ([1.3, 1.4], False), ([0.01, 1.2], False), ([0.01, 1.3], True), ([3, 0.01], True)],
)
def test_a_late_answer_counts_where_all_are_late(took: list[float], uneven: bool) -> None:
    assert module._uneven(took, 1.25) is uneven
