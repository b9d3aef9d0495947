"""One call that does not pass, or takes long, is its own stream's trouble: the other streams of the worker go on."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

import pytest
import stream_guard_adapters.resume.redis_line as line_module
from redis.asyncio import Redis
from stream_guard_adapters.resume import Entry, RedisStore, ResumableStreams
from stream_guard_adapters.resume.store import STEP_BYTES, NotTaken, StoreAway

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.resuming import Kept, begun, events, idle

GUARD = Guard(FILE_TOOLS)
PACE = 1 << 20
"""Bytes per second of a slow link."""


class Link:
    """A link to a server, that all connections share; it carries so many bytes a second each way."""

    def __init__(self, port: int, pace: int = PACE) -> None:
        self._port = port
        self.pace = pace
        self._ways = (asyncio.Lock(), asyncio.Lock())
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._port)
        ways = [(reader, other_writer, self._ways[0]), (other_reader, writer, self._ways[1])]
        for way in ways:
            task = asyncio.create_task(self._carry(*way))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: asyncio.Lock) -> None:
        try:
            while data := await source.read(8192):
                async with way:
                    await asyncio.sleep(len(data) / self.pace)
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()

    async def __aenter__(self) -> Self:
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)  # what waits, waits at the sender
        listening.bind(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self._server = await asyncio.start_server(self._joined, sock=listening, limit=8192)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0.01)  # the sockets are closed


async def said(count: int, pause: float = 0.05) -> AsyncIterator[str]:
    """Says some words, slowly."""
    for number in range(count):
        yield f"w{number} "
        await asyncio.sleep(pause)


async def whole(streams: ResumableStreams, stream: str) -> list[Entry]:
    entries = await streams.open(stream, "me")
    assert entries is not None
    return [entry async for entry in entries]


def ending(found: list[Entry]) -> str:
    return str(json.loads(found[-1].data).get("ending", found[-1].event))


def text(found: list[Entry]) -> str:
    return "".join(json.loads(entry.data) for entry in found if entry.event == "text")


async def closed(*made: RedisStore) -> None:
    for store in made:
        await store.aclose()


@pytest.mark.parametrize("connections", [3, 8])
async def test_an_event_that_the_store_never_takes_ends_its_own_stream(
    tmp_path: Path, connections: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The server closes the connection at each try. The others of this worker are read to their end at another one."""
    with stores.server(tmp_path / "v", *stores.MEMORY, "--proto-max-bulk-len", "1048576") as valkey:
        url = f"{valkey.url}?max_connections={connections}"
        made = [RedisStore(url, lease=6, retry=retry) for retry in (4, 10)]  # the others wait on a busy machine, too
        kept = Kept()
        here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
        for n in range(12):
            await here.start(f"s{n}", "me", lambda: said(80))
        reading = [asyncio.create_task(whole(there, f"s{n}")) for n in range(12)]
        await here.start("large", "me", lambda: FakeStream(["a\n", "x" * 1_300_000, "b\n"]))
        large = await whole(there, "large")
        assert ending(large) == "interrupted"
        for found in await asyncio.gather(*reading):
            assert (text(found), ending(found)) == ("".join(f"w{n} " for n in range(80)), "done")
        await idle(here)
        assert kept.endings_of["large"] == ["interrupted"]
        assert [kept.endings_of[f"s{n}"] for n in range(12)] == [["done"]] * 12
        assert any("does not take an event" in record.message for record in caplog.records)
        await closed(*made)


async def test_a_burst_over_a_slow_link_lets_the_heartbeats_of_others_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A burst of many events, and one event that is as large: both take longer than a lease, and so does no other stream's."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Link(valkey.port) as link:
            here, there = RedisStore(f"redis://127.0.0.1:{link.port}", lease=1), RedisStore(valkey.url, lease=1)
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            monkeypatch.setattr(line_module, "_ANSWERS", 1.0)  # and not for the beginning of a connection
            for n in range(4):
                await writing.start(f"s{n}", "me", lambda: said(80))
            await writing.start("burst", "me", lambda: FakeStream(["x" * 40_000 + "\n"] * 64))
            await writing.start("large", "me", lambda: FakeStream(["x" * 2_500_000 + "\n"]))
            names = [*(f"s{n}" for n in range(4)), "burst", "large"]
            found = await asyncio.gather(*(whole(reading, name) for name in names))
            assert [ending(one) for one in found] == ["done"] * 6
            assert [len(text(one)) for one in found[4:]] == [64 * 40_001, 2_500_001]
            await closed(here, there)


async def test_what_is_read_over_a_slow_link_arrives_and_so_does_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages and an event that take longer than a request waits are read nevertheless, and no other reader is cut off."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Link(valkey.port) as link:
            here = RedisStore(valkey.url)
            there = RedisStore(f"redis://127.0.0.1:{link.port}", wait=1)
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            monkeypatch.setattr(line_module, "_ANSWERS", 1.0)  # and not for the beginning of a connection
            await writing.start("many", "me", lambda: FakeStream(["x" * 15_000 + "\n"] * 200))
            await writing.start("large", "me", lambda: FakeStream(["x" * 3_000_000 + "\n"]))
            await idle(writing)
            await writing.start("live", "me", lambda: said(100))
            found = await asyncio.gather(*(whole(reading, name) for name in ("many", "large", "live")))
            assert [len(text(one)) for one in found[:2]] == [200 * 15_001, 3_000_001]
            assert [ending(one) for one in found] == ["done"] * 3
            await closed(here, there)


async def test_an_event_is_written_and_read_for_as_long_as_it_moves(tmp_path: Path) -> None:
    """It takes longer than the client's own limit for an answer, which is five seconds since its version 8."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Link(valkey.port, 200_000) as link, Link(valkey.port, 200_000) as other:
            here, there = (RedisStore(f"redis://127.0.0.1:{each.port}") for each in (link, other))
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            await writing.start("large", "me", lambda: FakeStream(["x" * 1_300_000 + "\n"]))
            found = await whole(reading, "large")
            assert (len(text(found)), ending(found)) == (1_300_001, "done")
            await closed(here, there)


async def test_pages_that_grew_on_a_fast_link_are_smaller_again_on_a_slow_one(tmp_path: Path) -> None:
    """Neither the reader of a long stream nor one of a small live stream waits for ever."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Link(valkey.port, 1 << 30) as link:
            here, there = RedisStore(valkey.url), RedisStore(f"redis://127.0.0.1:{link.port}", wait=1)
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            await writing.start("many", "me", lambda: FakeStream(["x" * 15_000 + "\n"] * 400))
            await writing.start("rest", "me", lambda: FakeStream(["x" * 15_000 + "\n"] * 60))
            await idle(writing)
            for _ in range(3):
                await whole(reading, "many")
            link.pace = 150_000
            await writing.start("live", "me", lambda: said(200))
            found = await asyncio.gather(*(patient(reading, name) for name in ("rest", "live")))
            assert [ending(one) for one in found] == ["done"] * 2
            assert len(text(found[0])) == 60 * 15_001
            await closed(here, there)


async def patient(streams: ResumableStreams, stream: str) -> list[Entry]:
    """Return a stream's entries, read by a client that comes again up to ten times, where the store is late."""
    found: list[Entry] = []
    for _ in range(10):
        try:
            entries = await streams.open(stream, "me", after=found[-1].id if found else "")
            assert entries is not None
            async for entry in entries:
                found.append(entry)
            return found
        except StoreAway:
            await asyncio.sleep(0.1)
    raise AssertionError(f"{stream} was never read to its end: {len(found)} entries")


async def test_a_large_event_that_waits_for_a_larger_one_is_not_given_up(tmp_path: Path) -> None:
    """The store is not away while something goes to it, however long that takes."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Link(valkey.port, PACE // 2) as link:
            here, there = RedisStore(f"redis://127.0.0.1:{link.port}", lease=1, retry=6), RedisStore(valkey.url, lease=1)
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            await writing.start("largest", "me", lambda: FakeStream(["x" * 5_000_000 + "\n"]))
            await asyncio.sleep(0.5)
            for n in range(2):
                await writing.start(f"s{n}", "me", lambda: FakeStream(["y" * 70_000 + "\n"] * 3))
            found = await asyncio.gather(*(whole(reading, name) for name in ("largest", "s0", "s1")))
            assert [(len(text(one)), ending(one)) for one in found] == [(5_000_001, "done")] + [(210_003, "done")] * 2
            await closed(here, there)


async def test_calls_go_apart_when_one_of_them_fails(tmp_path: Path) -> None:
    """A call that breaks the connection is found by halves: some dozens of pipelines, whatever came with it."""
    with stores.server(tmp_path / "v", *stores.MEMORY, "--proto-max-bulk-len", "1048576") as valkey:
        store = RedisStore(f"{valkey.url}?max_connections=3", lease=60, retry=3)
        leases = [await begun(store, f"s{n}") for n in range(200)]
        sent: list[int] = []
        make = store._redis.pipeline

        def counted(**settings: Any) -> Any:
            sent.append(1)
            return make(**settings)

        store._redis.pipeline = counted
        bad = asyncio.ensure_future(store.append(leases[100], [{"event": "text", "data": "x" * 1_300_000}]))
        good = [store.append(lease, events(1)) for lease in leases if lease is not leases[100]]
        await asyncio.gather(*good)
        assert len(sent) <= 40
        assert not bad.done()
        with pytest.raises(NotTaken):
            await bad
        await closed(store)


async def test_what_cannot_be_written_is_told_at_once_and_nobody_else_waits(tmp_path: Path) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        store = RedisStore(valkey.url)
        leases = [await begun(store, f"s{n}") for n in range(5)]
        bad = asyncio.ensure_future(store.append(leases[2], [{"event": "text", "data": "\ud800"}]))
        good = [store.append(lease, events(1)) for lease in leases if lease is not leases[2]]
        await asyncio.gather(*good)
        with pytest.raises(NotTaken) as raised:
            await bad
        assert not raised.value.unsure
        await store.finalize(leases[2], "interrupted", {"event": "error", "data": "{}"})
        assert [entry.event for entry in await whole(ResumableStreams(store, GUARD), "s2")] == ["error"]
        await closed(store)


@pytest.mark.parametrize("place", [1, 3, 5])
async def test_an_entry_that_is_no_text_interrupts_its_readers_alone(tmp_path: Path, place: int) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        here, there = RedisStore(valkey.url, lease=1), RedisStore(valkey.url, lease=1)
        writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
        lease = await begun(here, "bad")
        stored = await here.append(lease, events(*range(5)))
        stored.append(await here.finalize(lease, "done", {"event": "done", "data": "{}"}))
        redis: Any = Redis.from_url(valkey.url)
        key = "stream-guard:stream:bad"
        await redis.delete(key)
        for number, entry in enumerate(stored, 1):
            last = {"ending": "done"} if number == len(stored) else {}
            said_here = b"\xff\xfe" if number == place else entry.data
            await redis.xadd(key, {"event": entry.event, "data": said_here, **last}, id=entry.id)
        await redis.aclose()
        await writing.start("live", "me", lambda: said(40))
        live = asyncio.create_task(whole(reading, "live"))
        bad = await asyncio.gather(*(whole(reading, "bad") for _ in range(4)))
        for found in bad:
            assert found[:-1] == stored[: place - 1]
            assert ending(found) == "interrupted"
        assert ending(await live) == "done"
        await closed(here, there)


@pytest.mark.parametrize(
    "message", ["x-7", "²-7", "-7", "7-", "", "7", f"{'9' * 5000}-7", "1-2-3", b"\xff\xfe", "0-0", "\x00", "1-1\n"]
)
async def test_a_message_that_is_no_id_does_no_harm(tmp_path: Path, message: str | bytes) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        here, there = RedisStore(valkey.url), RedisStore(valkey.url)
        writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
        await writing.start("s", "me", lambda: said(20))
        found = asyncio.create_task(whole(reading, "s"))
        redis: Any = Redis.from_url(valkey.url)
        while not await redis.publish("stream-guard:stream:s", message):
            await asyncio.sleep(0.01)
        listening = there._channels._pubsub
        for _ in range(20):
            await redis.publish("stream-guard:stream:s", message)
            await redis.publish("stream-guard:control:0", message)
        await redis.aclose()
        entries = await found
        assert (text(entries), ending(entries)) == ("".join(f"w{n} " for n in range(20)), "done")
        assert there._channels._pubsub is listening or isinstance(message, bytes)  # what cannot be read ends the connection
        await closed(here, there)


async def test_no_step_of_a_producer_is_large_unless_one_event_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        store = RedisStore(valkey.url)
        streams = ResumableStreams(store, GUARD)
        steps: list[list[int]] = []
        append = store.append

        async def counted(lease: Any, given: Any) -> Any:
            steps.append([len(event["data"]) for event in given])
            return await append(lease, given)

        monkeypatch.setattr(store, "append", counted)
        await streams.start("s", "me", lambda: FakeStream([*["x" * 9000 + "\n"] * 60, "y" * 200_000 + "\n"]))
        found = await whole(streams, "s")
        assert len(text(found)) == 60 * 9001 + 200_001
        assert all(sum(step) <= STEP_BYTES or len(step) == 1 for step in steps)
        await closed(store)


LIMIT = ("--client-output-buffer-limit", "normal")


@pytest.mark.parametrize(("limit", "size", "count"), [(200, 15_000, 100), (100, 2000, 300), (100, 40_000, 20), (60, 500, 600)])
async def test_pages_that_the_store_does_not_send_are_asked_for_in_smaller_ones(
    tmp_path: Path, limit: int, size: int, count: int
) -> None:
    """The server closes the connection where an answer exceeds its limit (in kB), whatever its events have."""
    with stores.server(tmp_path / "v", *stores.MEMORY, *LIMIT, f"{limit}kb", "0", "0") as valkey:
        here, there = RedisStore(valkey.url), RedisStore(valkey.url, retry=3, wait=3)
        writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
        await writing.start("s", "me", lambda: FakeStream(["x" * size + "\n"] * count))
        await idle(writing)
        await writing.start("live", "me", lambda: said(40))
        found = await asyncio.gather(*(whole(reading, name) for name in ("s", "live", "s")))
        assert [len(text(one)) for one in (found[0], found[2])] == [(size + 1) * count] * 2
        assert [ending(one) for one in found] == ["done"] * 3
        await closed(here, there)


@pytest.mark.parametrize("size", [50_000, 600_000])
async def test_a_reader_is_told_that_the_store_never_sends_an_event(tmp_path: Path, size: int) -> None:
    """It gets what comes before it and `interrupted`, also when nothing else is read; behind it a reader gets the rest."""
    with stores.server(tmp_path / "v", *stores.MEMORY, *LIMIT, "32kb", "0", "0") as valkey:
        here, there = RedisStore(valkey.url), RedisStore(valkey.url, retry=2, wait=2)
        reading = ResumableStreams(there, GUARD)
        lease = await begun(here)
        stored = await here.append(lease, events("a", "b"))
        (large,) = await here.append(lease, [{"event": "text", "data": json.dumps("x" * size)}])
        rest = await here.append(lease, events("c"))
        rest.append(await here.finalize(lease, "done", {"event": "done", "data": "{}"}))
        found = await whole(reading, "s")
        assert (found[:-1], ending(found)) == (stored, "interrupted")
        for after, expected in ((stored[-1].id, []), (large.id, rest)):
            entries = await reading.open("s", "me", after)
            assert entries is not None
            behind = [entry async for entry in entries]
            assert behind == expected or (not expected and [ending(behind), len(behind)] == ["interrupted", 1])
        assert await reading.open("s", "me", found[-1].id) is None
        await closed(here, there)


class Mute(Link):
    """A link whose connections can fall silent; new ones work."""

    def __init__(self, port: int) -> None:
        super().__init__(port, 1 << 30)
        self.round = 0

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: asyncio.Lock) -> None:
        begun = self.round
        try:
            while data := await source.read(8192):
                if begun == self.round:
                    sink.write(data)
        except OSError:
            pass
        finally:
            sink.close()


@pytest.mark.parametrize("lease", [2, 3])
async def test_no_stream_ends_where_a_connection_falls_silent(tmp_path: Path, lease: float) -> None:
    """The connection is given up before the producers that write over it count as gone."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Mute(valkey.port) as link:
            here, there = RedisStore(f"redis://127.0.0.1:{link.port}", lease=lease), RedisStore(valkey.url, lease=lease)
            writing, reading = ResumableStreams(here, GUARD), ResumableStreams(there, GUARD)
            for n in range(4):
                await writing.start(f"s{n}", "me", lambda: said(int(2.5 * lease / 0.05)))
            found = [asyncio.create_task(whole(reading, f"s{n}")) for n in range(4)]
            await asyncio.sleep(lease / 4)
            link.round += 1
            assert [ending(await one) for one in found] == ["done"] * 4
            await closed(here, there)


class Downward(Link):
    """A link that is slow to bring answers, on each connection by itself: a heartbeat waits for nothing else."""

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: asyncio.Lock) -> None:
        slow = way is self._ways[1]
        try:
            while data := await source.read(8192):
                await asyncio.sleep(len(data) / self.pace if slow else 0)
                sink.write(data)
        except OSError:
            pass
        finally:
            sink.close()


class FailsOnce(Kept):
    """An archive that fails for one event."""

    failed = False

    async def keep(self, stream: str, entries: Any) -> None:
        if not self.failed and len(self.entries) > 1:
            self.failed = True
            raise RuntimeError("away")
        await super().keep(stream, entries)


async def test_a_stream_goes_on_while_its_archive_gets_what_it_missed(tmp_path: Path) -> None:
    """What is missed is read from the store, here for longer than a lease."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        async with Downward(valkey.port, 40_000) as link:
            here, there = RedisStore(f"redis://127.0.0.1:{link.port}", lease=0.5), RedisStore(valkey.url, lease=0.5)
            kept = FailsOnce()
            writing, reading = ResumableStreams(here, None, archive=kept), ResumableStreams(there, None)

            async def told() -> AsyncIterator[str]:
                for number in range(5):
                    yield f"{number}" * 40_000

            await writing.start("s", "me", told)
            found = await whole(reading, "s")
            await idle(writing)
            assert ([entry.id for entry in found], ending(found)) == ([entry.id for entry in kept.entries], "done")
            assert kept.endings == ["done"]
            await closed(here, there)
