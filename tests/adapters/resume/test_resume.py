"""Resumable streams: one contract, kept by every store; and producers that outlive their readers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import stream_guard_adapters.resume.redis_line as line_module
import stream_guard_adapters.resume.streams as streams_module
from redis import Redis as Blocking
from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.client import PubSub
from redis.exceptions import ReadOnlyError, ResponseError
from stream_guard_adapters import resume
from stream_guard_adapters.openai import guard_chat
from stream_guard_adapters.resume import (
    Closing,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    MemoryStore,
    Open,
    ProducerGone,
    RedisStore,
    ResumableStreams,
    ResumeStore,
    StoreAway,
    UnknownStream,
)
from stream_guard_adapters.resume.store import PAGE, PAGE_BYTES, cursor
from stream_guard_adapters.virtual_time import virtual_time

from stream_guard import CorrectionPolicy, Guard, Tool, Toolset, run
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS, WRITE_FILE
from stream_guard.wire import SseFields
from tests.kit import stores
from tests.kit.proof import Cases
from tests.kit.resuming import Gate, Kept, away_after, begun, events, idle

GUARD = Guard(FILE_TOOLS)
BLOCK = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```\n'
TEXT = f"Hi.\n\n{BLOCK}\nBye.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with stores.running(tmp_path_factory.mktemp("v")) as url:
        yield url


STORES: list[Any] = [getattr(resume, name) for name in resume.__all__ if name.endswith("Store") and name != "ResumeStore"]
"""Every store that users import."""


def numbers(kind: Any) -> set[str]:
    """The settings of a store that are a number of seconds or a count."""
    return {one.name for one in signature(kind).parameters.values() if one.annotation in ("float", "int")}


def maker(kind: Any, request: pytest.FixtureRequest, **settings: Any) -> Any:
    """What makes a store of this kind, and takes more settings."""
    if kind is MemoryStore:
        return partial(MemoryStore, **settings)
    if kind is RedisStore:
        return partial(RedisStore, request.getfixturevalue("server"), **settings)
    raise NotImplementedError(f"add a branch here that makes {kind.__name__}: then the tests of the contract run on it")


@pytest.fixture(params=STORES, ids=lambda kind: kind.__name__)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ResumeStore]:
    """Each of the stores."""
    apart = {} if request.param is MemoryStore else {"prefix": f"{tmp_path.name}:", "lease": 0.4}
    made: ResumeStore = maker(request.param, request, maxlen=1000, **apart)()
    yield made
    await made.aclose()


async def ended(store: ResumeStore, lease: Lease, ending: Ending = "done") -> Entry:
    return await store.finalize(lease, ending, {"event": "done", "data": json.dumps(ending)})


async def everything(store: ResumeStore, stream: str = "s", after: str = "", owner: str = "me") -> list[Entry]:
    """All that a reader gets. Nothing where it had the end already."""
    batches = await store.read(stream, owner, after)
    return [] if batches is None else await rest(batches)


async def rest(batches: AsyncGenerator[list[Entry], None]) -> list[Entry]:
    async with contextlib.aclosing(batches):
        return [entry async for batch in batches for entry in batch]


def data(entries: list[Entry]) -> list[Any]:
    return [json.loads(entry.data) for entry in entries]


# -- the contract ------------------------------------------------------------------------------------------------------


async def test_what_was_stored_is_read_in_order(store: ResumeStore) -> None:
    lease = await begun(store)
    stored = [*await store.append(lease, events(1, 2)), *await store.append(lease, events(3)), await ended(store, lease)]

    assert await everything(store) == stored
    assert data(stored) == [1, 2, 3, "done"]
    assert [entry.id.partition("-")[0] for entry in stored] == ["1", "2", "3", "4"]


async def test_reading_from_any_cursor_gives_the_rest_and_no_more(store: ResumeStore) -> None:
    lease = await begun(store)
    stored = [entry for n in range(0, 200, 5) for entry in await store.append(lease, events(*range(n, n + 5)))]
    stored.append(await ended(store, lease))

    assert len({entry.id for entry in stored}) == 201
    for at, entry in enumerate(stored):
        assert await everything(store, "s", entry.id) == stored[at + 1 :]


async def test_a_reader_follows_until_the_end(store: ResumeStore) -> None:
    lease = await begun(store)
    await store.append(lease, events(0))
    readers = [asyncio.create_task(everything(store)) for _ in range(3)]
    for n in range(1, 40):
        await store.append(lease, events(n))
        await asyncio.sleep(0.001 if n % 7 else 0.01)
    late = asyncio.create_task(everything(store))
    await store.append(lease, events(40))
    await ended(store, lease)

    for reader in (*readers, late):
        assert data(await reader) == [*range(41), "done"]


async def test_the_end_comes_to_a_reader_that_has_seen_everything(store: ResumeStore) -> None:
    """And to one that has seen the end too, nothing comes: it is told so at once."""
    lease = await begun(store)
    (entry,) = await store.append(lease, events(1))
    reader = asyncio.create_task(everything(store, "s", entry.id))
    await asyncio.sleep(0.02)
    last = await ended(store, lease, "stopped")

    assert await reader == [last]
    assert await everything(store, "s", entry.id) == [last]
    assert await store.read("s", "me", last.id) is None
    assert await store.read("s", "me", "7-0") is None  # the end of a reader that had more than the store


async def test_a_stream_has_one_producer(store: ResumeStore) -> None:
    found = await asyncio.gather(*(store.acquire("s", "me") for _ in range(20)))
    (lease,) = [one for one in found if one is not None]
    await ended(store, lease)

    assert await store.acquire("s", "me") is None
    assert await store.acquire("s", "me", ProducerGone("s", 1)) is None
    with pytest.raises(LeaseLost):
        await store.append(Lease("s", "me", "another"), events(1))
    with pytest.raises(LeaseLost):
        await ended(store, Lease("s", "me", "another"), "failed")


async def test_the_status_tells_owner_state_and_length(store: ResumeStore) -> None:
    assert await store.status("s") is None
    lease = await begun(store)
    await store.append(lease, events(1, 2, 3))
    running = await store.status("s")
    await ended(store, lease, "failed")
    over = await store.status("s")

    assert running is not None and (running.owner, running.state, running.length) == ("me", "running", 3)
    assert over is not None and (over.owner, over.state, over.length) == ("me", "failed", 4)


async def test_a_stop_reaches_the_producer(store: ResumeStore) -> None:
    """Once, at once; and one of another session, or of a stream that is not there, is refused."""
    lease = await begun(store)
    asked = asyncio.Event()
    lease.on_stop = asked.set
    for stream, owner in (("s", "you"), ("t", "me")):
        with pytest.raises(UnknownStream):
            await store.stop(stream, owner)
    assert not asked.is_set()
    await store.stop("s", "me")
    await asyncio.wait_for(asked.wait(), 300)
    await ended(store, lease, "stopped")
    await store.stop("s", "me")


async def test_a_stop_that_was_not_heard_is_told_with_the_next_word(server: str) -> None:
    writer, other = (RedisStore(server, prefix="unheard:") for _ in range(2))
    lease = await begun(writer)
    await writer._channels.aclose()
    await other.stop("s", "me")
    told: list[bool] = []
    lease.on_stop = lambda: told.append(True)
    await writer.append(lease, [])
    await writer.append(lease, [])
    assert told == [True]
    for store in (writer, other):
        await store.aclose()


async def test_a_stop_is_of_one_database_and_of_who_may(server: str) -> None:
    """Channels are shared by all databases of a server, and anybody may publish there: only the store says what should stop."""
    here, there = (RedisStore(f"{server}?db={db}", prefix="shared:") for db in (0, 3))
    lease, other = await begun(here), await begun(here, "t")
    asked = asyncio.Event()
    other.on_stop = asked.set
    await begun(there, owner="you")
    await there.stop("s", "you")
    heard = 0
    for db in (0, 3):
        heard += await here._redis.publish(f"shared:control:{db}", "s")
    await here.stop("t", "me")
    await asyncio.wait_for(asked.wait(), 300)  # and so all that came before it
    asking = here._own["s"].asking
    assert asking is not None
    await asking
    assert (heard, lease.stopping) == (2, False)
    for store in (here, there):
        await store.aclose()


async def test_a_store_that_refuses_the_password_is_away_and_the_log_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with stores.server(tmp_path / "v") as valkey:
        valkey.ask("ACL", "SETUSER", "guard", "on", ">right", "~*", "&*", "+@all")
        store = RedisStore(f"redis://guard:secret@127.0.0.1:{valkey.port}", wait=3)
        with pytest.raises(StoreAway, match="AuthenticationError"):
            await store.acquire("s", "me")
        assert [one.message for one in caplog.records] == [
            "the store cannot be reached (AuthenticationError: invalid username-password pair or user is disabled): "
            "commands are sent again"
        ]
        valkey.ask("ACL", "SETUSER", "guard", ">secret")
        away_after(store, 600)
        await begun(store)
        await store.aclose()


async def test_a_stream_whose_keys_expire_while_it_runs_is_interrupted(server: str) -> None:
    """As when the clock of the server is set forward by more than `ttl`."""
    made = [RedisStore(server, prefix="leap:", lease=0.1) for _ in range(2)]
    kept = Kept()
    here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
    source = Gate(["a\n", "b\n"], 1)
    await here.start("s", "me", lambda: source)
    readers = [asyncio.create_task(_all(streams)) for streams in (here, there)]
    await source.reached.wait()
    while not kept.entries:
        await asyncio.sleep(0.001)
    for key in made[0]._keys("s"):
        await made[0]._redis.pexpire(key, -1)
    for reader in readers:
        assert data(await reader)[-1]["ending"] == "interrupted"
    await idle(here)
    assert kept.endings == ["interrupted"]
    for store in made:
        await store.aclose()


async def test_what_is_not_there_is_unknown(store: ResumeStore) -> None:
    with pytest.raises(UnknownStream):
        await everything(store)
    lease = await begun(store)
    await store.append(lease, events(1))
    with pytest.raises(UnknownStream):
        await everything(store, owner="you")
    reading = await store.read("s", "me")
    assert reading is not None
    await anext(reading)
    await store.delete("s")
    with pytest.raises((UnknownStream, EntriesLost)):
        await anext(reading)
    with pytest.raises(UnknownStream):
        await everything(store)
    with pytest.raises(LeaseLost):
        await store.append(lease, events(1))
    with pytest.raises(LeaseLost):
        await ended(store, lease, "interrupted")
    assert await store.status("s") is None
    assert data(await whole_of(store, "another's")) == [1, "done"]


async def whole_of(store: ResumeStore, owner: str) -> list[Entry]:
    """A stream that is made anew, of a name that was there."""
    lease = await begun(store, "s", owner)
    await store.append(lease, events(1))
    await ended(store, lease)
    return await everything(store, "s", owner=owner)


@pytest.mark.parametrize(
    "after",
    [
        *("x", "1", "-1", "1-", "1-x", "٣-١", "1-1 ", "9" * 50 + "-1", f"{2**53}-1", f"1-{2**64}", "(1-1", "+", "1-1-1"),
        *("0-1", "0-0", "01-1", "1-01", " 1-1", "1-1\n", "1 -1", "+1-1", "1_0-1", "1.0-1", "00-00", "²-1"),
    ],
)
async def test_what_is_no_id_is_refused(store: ResumeStore, after: str) -> None:
    await begun(store)
    with pytest.raises(ValueError, match="not the id"):
        await everything(store, "s", after)


@pytest.mark.parametrize("over", [False, True])
async def test_an_id_that_is_ahead_or_of_another_stream_is_lost_at_once(store: ResumeStore, over: bool) -> None:
    lease = await begun(store)
    with pytest.raises(EntriesLost):
        await store.read("s", "me", "1-1")
    entry = (await store.append(lease, events(1, 2)))[0]
    generation = entry.id.partition("-")[2]
    other = await begun(store, "t")
    foreign = (await store.append(other, events(1, 2)))[0]
    if over:
        await ended(store, lease)
    for after in (f"9-{generation}", f"{2**53 - 1}-{generation}", f"1-{int(generation) + 1}", foreign.id):
        with pytest.raises(EntriesLost):
            await store.read("s", "me", after)
        (end,) = await _all(ResumableStreams(store, GUARD), after)
        assert await store.read("s", "me", end.id) is None, "the end that it is told is no id"


async def test_no_reader_is_told_a_part_of_what_came_after_its_cursor(store: ResumeStore) -> None:
    """Where the beginning was let go, who is behind it is told so; who is not, goes on."""
    lease = await begun(store)
    stored = [entry for _ in range(30) for entry in await store.append(lease, events(*range(100)))]
    stored.append(await ended(store, lease))

    with pytest.raises(Forgotten):
        await everything(store)
    with pytest.raises(Forgotten):
        await everything(store, "s", stored[0].id)
    assert await everything(store, "s", stored[-10].id) == stored[-9:]


async def test_a_reader_that_is_overtaken_is_told_so(store: ResumeStore) -> None:
    lease = await begun(store)
    await store.append(lease, events(*range(100)))
    reading = await store.read("s", "me")
    assert reading is not None
    first = await anext(reading)
    for _ in range(30):
        await store.append(lease, events(*range(100)))
    assert data(first) == list(range(64))
    with pytest.raises(Forgotten):
        await rest(reading)


async def test_a_slow_reader_holds_a_page(store: ResumeStore) -> None:
    """However much there is for it."""
    lease = await begun(store)
    reading = await store.read("s", "me")
    assert reading is not None
    for n in range(20):
        await store.append(lease, [{"event": "text", "data": "x" * 50_000}] * (3 + n))
    await ended(store, lease)
    pages = [page async for page in reading]
    assert sum(map(len, pages)) == sum(3 + n for n in range(20)) + 1
    assert max(map(len, pages)) <= PAGE
    if isinstance(store, RedisStore):
        assert max(sum(len(entry.data) for entry in page) for page in pages) <= PAGE_BYTES


async def test_any_text_comes_back(store: ResumeStore) -> None:
    lease = await begun(store)
    texts = ["", "é 😀", "a\r\n\r\nevent: json-tool-block\n", "\x00\x1f", "x" * 300_000, "ending", "y" * 2_000_000]
    await store.append(lease, [{"event": "text", "data": text} for text in texts])
    await ended(store, lease)

    assert [entry.data for entry in await everything(store)][:-1] == texts


async def test_readers_that_are_let_go_end_where_they_are(store: ResumeStore) -> None:
    lease = await begun(store)
    await store.append(lease, events(1))
    batches = await store.read("s", "me")
    assert batches is not None
    (first,) = await anext(batches)
    waiting = asyncio.create_task(rest(batches))
    await asyncio.sleep(0.02)
    store.let_go()
    assert await asyncio.wait_for(waiting, 300) == []
    await store.append(lease, events(2))
    await ended(store, lease)
    assert data(await everything(store, "s", first.id)) == [2, "done"]


async def test_many_streams_do_not_mix(store: ResumeStore) -> None:
    async def write(name: str) -> None:
        lease = await begun(store, name)
        for n in range(20):
            await store.append(lease, events([name, n]))
            await asyncio.sleep(0)
        await ended(store, lease)

    async def read(name: str) -> list[Any]:
        while await store.status(name) is None:
            await asyncio.sleep(0.001)
        return data(await everything(store, name))

    names = [f"s{n}" for n in range(40)]
    found, _ = await asyncio.gather(asyncio.gather(*map(read, names)), asyncio.gather(*map(write, names)))
    assert found == [[*([name, n] for n in range(20)), "done"] for name in names]


# -- what memory is for ------------------------------------------------------------------------------------------------


async def test_old_streams_are_forgotten() -> None:
    """It is remembered that they were there, to their owners; one that runs stays."""
    now = [1000.0]
    store = MemoryStore(ttl=10, clock=lambda: now[0])
    await ended(store, await begun(store, "old"))
    await begun(store, "running")
    now[0] += 11

    assert await store.status("old") is None
    assert await store.status("running") is not None
    with pytest.raises(Forgotten):
        await store.read("old", "me")
    with pytest.raises(UnknownStream):
        await store.read("old", "you")
    assert await store.acquire("old", "me") is None
    await store.stop("old", "me")


async def test_memory_is_bounded_in_bytes() -> None:
    """Of a stream the oldest events go; of all streams those that ended, and never one that runs."""
    store = MemoryStore(maxbytes=100_000, total=300_000)
    running = await begun(store, "running")
    for n in range(5):
        lease = await begun(store, f"s{n}")
        stored = [entry for _ in range(30) for entry in await store.append(lease, [{"event": "text", "data": "x" * 10_000}])]
        await ended(store, lease)
        await store.append(running, [{"event": "text", "data": "y" * 10_000}])
        with pytest.raises(Forgotten):
            await store.read(f"s{n}", "me", stored[0].id)
        assert len(await everything(store, f"s{n}", stored[-5].id)) == 5
        assert store._size <= 300_000 + 10_500
    with pytest.raises(Forgotten):
        await store.read("s0", "me")
    assert await store.status("s0") is None
    assert await store.status("s4") is not None
    assert [entry.data[0] for entry in (await store.append(running, []), await page(store, "running"))[1]] == ["y"] * 5
    assert store._size == sum(kept.size for kept in store._streams.values())


async def page(store: ResumeStore, stream: str) -> list[Entry]:
    reading = await store.read(stream, "me")
    assert reading is not None
    async with contextlib.aclosing(reading):
        return await anext(reading)


async def test_an_event_larger_than_the_bound_is_kept_alone() -> None:
    store = MemoryStore(maxbytes=1000)
    lease = await begun(store)
    await store.append(lease, events(1))
    (large,) = await store.append(lease, [{"event": "text", "data": "x" * 5000}])
    reading = await store.read("s", "me", large.id)
    assert reading is not None
    last = await ended(store, lease)
    assert await rest(reading) == [last]


async def test_old_streams_are_forgotten_by_the_server(server: str) -> None:
    """First what they said, then that they were there."""
    store, other = (RedisStore(server, prefix="ttl:", ttl=0.05, tombstone=tombstone) for tombstone in (600, 0.5))
    lease = await begun(store)
    await store.append(lease, events(1))
    last = await ended(store, lease)
    for after in ("", last.id):
        async with asyncio.timeout(300):
            with pytest.raises(Forgotten):
                while True:
                    await store.read("s", "me", after)
                    await asyncio.sleep(0.01)
    with pytest.raises(UnknownStream):
        await store.read("s", "you")
    assert await store.status("s") is None
    await ended(other, await begun(other, "t"))
    async with asyncio.timeout(300):
        while await other.acquire("t", "another") is None:
            with contextlib.suppress(Forgotten, UnknownStream):
                await other.read("t", "me")
            await asyncio.sleep(0.01)
    for one in (store, other):
        await one.aclose()


# -- producers that are gone -------------------------------------------------------------------------------------------


async def gone(store: RedisStore) -> ProducerGone:
    with pytest.raises(ProducerGone) as found:
        await everything(store)
    return found.value


async def test_a_producer_that_says_nothing_loses_its_stream(server: str) -> None:
    """Its readers are told; another goes on where it was; and it cannot write any more."""
    store = RedisStore(server, prefix="gone:", lease=0.1)
    lease = await begun(store)
    await store.append(lease, events(1, 2))
    assert await store.acquire("s", "me") is None
    why = await gone(store)
    assert await store.acquire("s", "somebody else", why) is None
    found = [one for one in await asyncio.gather(*(store.acquire("s", "me", why) for _ in range(5))) if one is not None]
    (second,) = found
    assert second.length == 2
    with pytest.raises(LeaseLost):
        await store.append(lease, events(3))
    with pytest.raises(LeaseLost):
        await ended(store, lease, "interrupted")
    await store.append(second, events(3))
    await ended(store, second)
    assert data(await everything(store)) == [1, 2, 3, "done"]
    await store.aclose()


async def test_a_producer_is_judged_by_its_own_lease(server: str) -> None:
    """A worker with a shorter one ends no stream that is written; one with a longer one does not wait for that."""
    short, long = (RedisStore(server, prefix="leases:", lease=lease) for lease in (0.1, 600))
    await long.append(await begun(long, "written"), events(1))
    following = asyncio.create_task(everything(short, "written"))
    for stream in ("a", "b", "c"):  # die one after the other, while the first one is followed
        await short.append(await begun(short, stream), events(1))
        for store in (long, short):
            with pytest.raises(ProducerGone):
                await asyncio.wait_for(everything(store, stream), 300)
    assert not following.done()
    following.cancel()
    for store in (short, long):
        await store.aclose()


async def test_a_producer_that_was_only_slow_goes_on(server: str) -> None:
    """Nothing was heard of it, and nobody has taken its place; who would now is too late."""
    store = RedisStore(server, prefix="slow:", lease=0.1)
    lease = await begun(store)
    await store.append(lease, events(1))
    why = await gone(store)
    await store.append(lease, events(2))
    assert await store.acquire("s", "me", why) is None
    await ended(store, lease)
    assert data(await everything(store)) == [1, 2, "done"]
    await store.aclose()


@contextlib.asynccontextmanager
async def clients(folder: Path, kind: str, count: int) -> AsyncIterator[list[Redis]]:
    """So many clients of one server, each as a worker has it: plain, or found by a sentinel."""
    with contextlib.ExitStack() as servers:
        made: list[Redis] = []
        asked: list[Redis] = []
        if kind == "sentinel":
            _, _, sentinel = servers.enter_context(stores.watched(folder))
            for _ in range(count):
                sentinels = Sentinel(  # type: ignore[no-untyped-call]
                    [("127.0.0.1", sentinel.port)], sentinel_kwargs={"decode_responses": True}
                )
                made.append(sentinels.master_for("stream", decode_responses=True))
                asked += sentinels.sentinels
        else:
            url = servers.enter_context(stores.server(folder / "v")).url
            made += [Redis.from_url(url, decode_responses=True) for _ in range(count)]
        yield made
        for client in (*made, *asked):
            await client.aclose()


async def visit(streams: ResumableStreams, after: str, seconds: float, stream: str = "s") -> list[Entry]:
    """What a reader has whose connection is broken off that soon."""
    found: list[Entry] = []
    entries = await streams.open(stream, "me", after)
    if entries is not None:
        with contextlib.suppress(TimeoutError):
            async with contextlib.aclosing(entries), asyncio.timeout(seconds):
                async for entry in entries:
                    found.append(entry)
    return found


@pytest.mark.parametrize("kind", ["plain", "sentinel"])
async def test_a_reader_that_never_stays_hears_that_the_producer_is_gone(tmp_path: Path, kind: str) -> None:
    """Each of its connections is shorter than a lease, and goes to the other worker: one worker's finding is everybody's."""
    async with clients(tmp_path, kind, 3) as made:
        dead, *living = (RedisStore(client, lease=0.4) for client in made)
        workers = [ResumableStreams(store, GUARD) for store in living]

        async def comes_and_goes(stream: str, seconds: float) -> None:
            await dead.append(await begun(dead, stream), events(1, 2))
            found: list[Entry] = []
            for turn in count():
                after = found[-1].id if found else ""
                found += await visit(workers[turn % 2], after, seconds or 5 * (turn % 20 == 19), stream)
                if found and found[-1].event == "error":
                    break
                await asyncio.sleep(0.01)
            assert data(found[:-1]) == [1, 2], stream
            assert data(found)[-1]["ending"] == "interrupted", stream

        await asyncio.gather(comes_and_goes("for a moment", 0.05), comes_and_goes("not at all", 0.0))
        for store in (dead, *living):
            await store.aclose()


async def test_a_producer_that_is_gone_is_gone_for_every_worker(server: str) -> None:
    """Also for one that would itself have to look for ten minutes."""
    dead, quick = (RedisStore(server, prefix="known:", lease=0.1) for _ in range(2))
    slow = RedisStore(server, prefix="known:", lease=600)
    await dead.append(await begun(dead), events(1))
    why = await gone(quick)
    assert (await asyncio.wait_for(gone(slow), 300)).beats == why.beats
    for store in (dead, quick, slow):
        await store.aclose()


async def test_readers_that_never_stay_end_no_stream_that_is_written(server: str) -> None:
    made = [RedisStore(server, prefix="visited:", lease=0.1) for _ in range(2)]
    here, there = (ResumableStreams(store, GUARD) for store in made)
    source = Gate(["a\n", "b\n"], 1)
    await here.start("s", "me", lambda: source)
    found: list[Entry] = []
    heard: set[Any] = set()
    while len(heard) < 20:  # words of the producer: more than a lease without one would have been
        found += await visit(there, found[-1].id if found else "", 0.01)
        heard.add(await made[1]._redis.hget("visited:meta:s", "beats"))
    source.opened.set()
    found += await visit(there, found[-1].id, 20)
    assert told(found[:-1]) == "a\nb\n"
    assert found[-1].event == "done"
    for store in made:
        await store.aclose()


async def test_nobody_watches_a_stream_that_is_read_no_more(server: str) -> None:
    made = [RedisStore(server, prefix="unwatched:", lease=0.1) for _ in range(2)]
    here, there = (ResumableStreams(store, GUARD) for store in made)
    source = Gate(["a\n", "b\n"], 1)
    await here.start("s", "me", lambda: source)
    await visit(there, "", 0.05)
    while made[1]._watches:
        await asyncio.sleep(0.01)
    await here.aclose()
    for store in made:
        await store.aclose()


# -- what is sent twice, and what is lost ------------------------------------------------------------------------------


async def test_what_is_sent_twice_is_done_once(server: str) -> None:
    """As a client does that sent something, and lost the connection before it had the answer."""
    store = RedisStore(server, prefix="twice:")
    send = store._writing.call

    def twice(*call: Any) -> Any:
        send(*call)
        return send(*call)

    store._writing.call = twice  # type: ignore[method-assign, assignment]
    lease = await begun(store)
    first = await store.append(lease, events(1))
    await store.append(lease, events(2, 3))
    await store.append(lease, [])
    late = list(first)
    last = await ended(store, lease)
    assert await store.finalize(lease, "done", {"event": "done", "data": '"done"'}) == last
    found = await everything(store)
    assert data(found) == [1, 2, 3, "done"]
    assert found[:1] == late
    await store.aclose()


async def test_what_arrives_late_is_not_added_behind_what_came_since(server: str) -> None:
    """An append that was stuck in a connection that nobody waits for any more."""
    store = RedisStore(server, prefix="late:")
    lease = await begun(store)
    await store.append(lease, events(1))
    stuck = replace(lease)
    for n in (2, 3, 4):
        await store.append(lease, events(n))
    with contextlib.suppress(EntriesLost):
        await store.append(stuck, events(2))
    stuck = replace(lease)
    await ended(store, lease)
    with contextlib.suppress(EntriesLost, LeaseLost):
        await store.append(stuck, events("late"))
    assert data(await everything(store)) == [1, 2, 3, 4, "done"]
    await store.aclose()


@contextlib.asynccontextmanager
async def older(valkey: stores.Valkey, folder: Path, prefix: str, keep: str = "*") -> AsyncIterator[Any]:
    """Puts a store back to what it was at the beginning: what a snapshot does, or a replica that lagged."""
    redis = Redis.from_url(valkey.url)
    kept = {key: await redis.dump(key) for key in await redis.keys(f"{prefix}{keep}")}

    async def back() -> None:
        await redis.flushall()
        await redis.script_flush()
        for key, value in kept.items():
            await redis.restore(key, 0, value or b"")

    yield back
    await redis.aclose()


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[stores.Valkey]:
    with stores.server(tmp_path / "valkey") as one:
        yield one


@pytest.mark.parametrize("keep", ["*", "nothing"])
async def test_a_store_that_came_back_older_says_so_to_producer_and_readers(
    valkey: stores.Valkey, tmp_path: Path, keep: str
) -> None:
    """Whoever had more than is there hears `interrupted`, and so does whoever reads what is left."""
    store = RedisStore(valkey.url, prefix="old:", lease=1)
    lease = await begun(store)
    early = await store.append(lease, events(*range(10)))
    async with older(valkey, tmp_path, "old:", keep) as back:
        more = await store.append(lease, events(*range(10, 20)))
        following = await store.read("s", "me", more[-1].id)
        assert following is not None
        waiting = asyncio.create_task(rest(following))
        await asyncio.sleep(0.02)
        await back()
        with pytest.raises(EntriesLost):
            await store.append(lease, events(20))
        with pytest.raises(EntriesLost):
            await ended(store, lease)
        last = await ended(store, lease, "interrupted")
    with contextlib.suppress(EntriesLost, UnknownStream):
        assert await waiting == [last]
    for after in (more[2].id, more[-1].id):
        assert await everything(store, "s", after) == [last]
    assert await everything(store) == ([*early, last] if keep == "*" else [last])
    assert await store.read("s", "me", last.id) is None
    status = await store.status("s")
    assert status is not None and status.state == "interrupted"
    await store.aclose()


async def test_a_reader_that_is_ahead_of_an_older_store_is_told(valkey: stores.Valkey, tmp_path: Path) -> None:
    """Also while it follows, and also where another producer writes other events under the same numbers."""
    store = RedisStore(valkey.url, prefix="ahead:", lease=0.2)
    lease = await begun(store)
    await store.append(lease, events(1))
    async with older(valkey, tmp_path, "ahead:") as back:
        more = await store.append(lease, events(2, 3))
        following = await store.read("s", "me", more[-1].id)
        assert following is not None
        waiting = asyncio.create_task(rest(following))
        await asyncio.sleep(0.02)
        await back()
        other = RedisStore(valkey.url, prefix="ahead:", lease=0.2)
        second = await other.acquire("s", "me", await gone(other))
        assert second is not None
        await other.append(second, events("two", "three", "four"))
        with pytest.raises(EntriesLost):
            await waiting
        with pytest.raises(EntriesLost):
            await other.read("s", "me", more[0].id)
    for one in (store, other):
        await one.aclose()


async def test_one_whose_place_was_given_away_twice_is_not_taken_for_the_last(valkey: stores.Valkey, tmp_path: Path) -> None:
    """A store that came back older knows a holder that is long gone; who holds it now is in the right."""
    store = RedisStore(valkey.url, prefix="holder:", lease=0.1)
    first = await begun(store)
    await store.append(first, events(1))
    async with older(valkey, tmp_path, "holder:") as back:
        second = await store.acquire("s", "me", await gone(store))
        assert second is not None
        await store.append(second, events(2))
        await back()
        with pytest.raises(EntriesLost):
            await store.append(second, events(3))
        await ended(store, second, "interrupted")
    with pytest.raises(LeaseLost):
        await store.append(first, events("two"))
    assert data(await everything(store)) == [1, "interrupted"]
    await store.aclose()


# -- settings ----------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
SECONDS: dict[str, list[Any]] = {
    "lease": [NAN, INF, -INF, -1, 0, 1e-9, 1e12, "5", None, True],
    **{name: [NAN, INF, -1, 0, 1e-9, 1e30, "5", None, True] for name in ("ttl", "retry", "wait")},
    "tombstone": [NAN, INF, -1, 1e30, "5", None, True],
}
COUNTS: list[Any] = [NAN, INF, -1, 0, 2.5, 2**70, "5", None, True]


@pytest.mark.parametrize("name", sorted({name for kind in STORES for name in numbers(kind)}))
def test_a_setting_that_cannot_work_is_refused_by_name(request: pytest.FixtureRequest, cases: Cases, name: str) -> None:
    kinds = [kind for kind in STORES if name in numbers(kind)]
    values = SECONDS.get(name, COUNTS)
    cases(len(kinds) * len(values))
    for kind in kinds:
        for value in values:
            with pytest.raises(ValueError, match=f"^{name} cannot be "):
                maker(kind, request)(**{name: value})


LEAST = {"lease": 0.1, "tombstone": 0, "maxlen": 1, "maxbytes": 1, "total": 1, "prefix": "least:"}


@pytest.mark.parametrize("kind", STORES)
async def test_the_least_that_can_be_set_works(request: pytest.FixtureRequest, kind: Any) -> None:
    """But for the times after which a store forgets or is away: those run out where a process is stopped."""
    assert numbers(kind) <= {*LEAST, "ttl", "retry", "wait"}
    made = maker(kind, request, **{name: least for name, least in LEAST.items() if name in signature(kind).parameters})()
    lease = await begun(made)
    await made.append(lease, events(1))
    await ended(made, lease)
    await made.aclose()


# -- a store that is away ----------------------------------------------------------------------------------------------


async def test_what_is_asked_of_a_store_that_is_away_is_answered_in_time(tmp_path: Path) -> None:
    store = RedisStore(f"unix://{tmp_path}/nobody", retry=0.2, wait=0.1)
    for asked in (store.acquire("s", "me"), store.read("s", "me"), store.status("s"), store.stop("s", "me"), store.delete("s")):
        with pytest.raises(StoreAway, match="does not answer"):
            await asked
    with pytest.raises(StoreAway):
        await store.append(Lease("s", "me", "x"), events(1))
    await store.aclose()


@pytest.mark.parametrize("how", ["kill", "script flush", "client kill", "pause"])
async def test_a_short_outage_is_not_noticed(tmp_path: Path, how: str) -> None:
    """Producer and reader go on, with nothing lost and nothing doubled."""
    with stores.server(tmp_path / "v", "--save", "", "--appendonly", "yes", "--appendfsync", "always") as valkey:
        store = RedisStore(valkey.url, lease=0.4)
        lease = await begun(store)
        await store.append(lease, events(0))
        reading = asyncio.create_task(everything(store))
        await asyncio.sleep(0.02)
        for n in range(1, 4):
            if how == "kill":
                valkey.kill()
                asyncio.get_running_loop().call_later(0.3, lambda: asyncio.ensure_future(asyncio.to_thread(valkey.start)))
            elif how == "pause":
                valkey.pause()
                asyncio.get_running_loop().call_later(1, valkey.resume)
            else:
                await asyncio.to_thread(valkey.ask, *how.upper().split(), *(["TYPE", "normal"] if "client" in how else []))
            await store.append(lease, events(n))
        await ended(store, lease)
        assert data(await asyncio.wait_for(reading, 300)) == [0, 1, 2, 3, "done"]
        await store.aclose()


async def is_heard(store: RedisStore) -> None:
    """Entries, a stop and the end arrive, though the lease is too long for anybody to look for them: they are heard."""
    lease = await begun(store)
    reading = asyncio.create_task(everything(store))
    for n in range(3):
        await store.append(lease, events(n))
        await asyncio.sleep(0.01)
    stopping = asyncio.Event()
    lease.on_stop = stopping.set
    await store.stop("s", "me")
    await asyncio.wait_for(stopping.wait(), 300)
    await ended(store, lease)
    assert data(await asyncio.wait_for(reading, 300)) == [0, 1, 2, "done"]


@pytest.mark.parametrize("protocol", [2, 3])
async def test_it_takes_clients_that_others_made(server: str, protocol: int) -> None:
    redis = Redis.from_url(server, decode_responses=True, protocol=protocol)
    store = RedisStore(redis, prefix=f"protocol{protocol}:", lease=86_400)
    await is_heard(store)
    await store.aclose()
    await redis.aclose()


async def test_what_is_no_client_for_it_is_refused_at_once(server: str) -> None:
    raw = Redis.from_url(server)
    with pytest.raises(ValueError, match="decode_responses=True"):
        RedisStore(raw)
    with pytest.raises(TypeError, match=r"redis\.asyncio, not Redis"):
        RedisStore(Blocking.from_url(server))  # type: ignore[arg-type]
    for encoding in ("utf-16", "latin-1", "ascii", "nothing"):
        other = Redis.from_url(server, encoding=encoding, decode_responses=True)
        for client in (other, f"redis://127.0.0.1?encoding={encoding}"):
            with pytest.raises(ValueError, match=f"encoding must be UTF-8, not '{encoding}'"):
                RedisStore(client)
        await other.aclose()
    for prefix in ("a\nb", "\x00", "\ud800", "a\x7f"):
        with pytest.raises(ValueError, match="prefix cannot be"):
            RedisStore(server, prefix=prefix)
    with pytest.raises(TypeError, match="prefix must be a str, got int"):
        RedisStore(server, prefix=5)  # type: ignore[arg-type]
    for prefix in ("", "å: "):
        await RedisStore(f"{server}?encoding=UTF8", prefix=prefix).aclose()
    await raw.aclose()


async def test_a_cluster_keeps_streams_under_a_prefix_in_braces(tmp_path: Path) -> None:
    with stores.cluster(tmp_path) as nodes:
        redis = RedisCluster(host="127.0.0.1", port=nodes[0].port, decode_responses=True)
        with pytest.raises(ValueError, match="prefix with braces"):
            RedisStore(redis)
        store = RedisStore(redis, prefix="{guard}:", lease=86_400)
        await is_heard(store)
        await store.aclose()
        await redis.aclose()
        plain = [RedisStore(node.url) for node in nodes]
        for one in plain:
            with pytest.raises(RuntimeError, match="RedisCluster"):
                await one.acquire("s", "me")
                await one.acquire("t", "me")
                await one.acquire("u", "me")
            await one.aclose()


async def test_a_failover_that_loses_nothing_is_not_noticed(tmp_path: Path) -> None:
    with stores.watched(tmp_path) as (main, _, sentinel):
        sentinels = Sentinel(  # type: ignore[no-untyped-call]
            [("127.0.0.1", sentinel.port)], sentinel_kwargs={"decode_responses": True}
        )
        redis = sentinels.master_for("stream", decode_responses=True)
        store = RedisStore(redis, lease=1)
        lease = await begun(store)
        await store.append(lease, events(0))
        batches = await store.read("s", "me")
        assert batches is not None
        assert data(await anext(batches)) == [0]
        reading = asyncio.create_task(rest(batches))
        await asyncio.to_thread(main.ask, "WAIT", "1", "1000")
        main.kill()
        for n in range(1, 4):
            await store.append(lease, events(n))
        await ended(store, lease)
        assert data(await asyncio.wait_for(reading, 300)) == [1, 2, 3, "done"]
        await store.aclose()
        for client in (redis, *sentinels.sentinels):
            await client.aclose()


# -- producers ---------------------------------------------------------------------------------------------------------


def told(entries: list[Entry]) -> str:
    """The text that the events were made from."""
    texts = [data([entry])[0] if entry.event == "text" else data([entry])[0].get("raw", "") for entry in entries]
    return "".join(texts)


async def test_a_stream_is_written_while_nobody_reads(store: ResumeStore) -> None:
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = FakeStream(list(TEXT))
    assert await streams.start("s", "me", lambda: source)
    assert not await streams.start("s", "me", lambda: source)
    while streams.running:
        await asyncio.sleep(0.001)
    found = await _all(streams)

    assert told(found) == TEXT
    assert [entry.event for entry in found][-1] == "done"
    assert (kept.entries, kept.endings, source.closed) == (found, ["done"], 1)


@pytest.mark.promise("P2")
async def test_a_reader_resumes_wherever_it_was_and_never_inside_a_block(cases: Cases, store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: FakeStream(list(TEXT)))
    whole = await _all(streams)
    cases(len(whole))
    for at, entry in enumerate(whole):
        assert await _all(streams, entry.id) == whole[at + 1 :]
    assert not any("write_file" in entry.data for entry in whole if entry.event == "text")


async def test_a_stream_belongs_to_its_session(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: FakeStream([TEXT]))
    for name, owner in (("s", "you"), ("s", ""), ("t", "me")):
        with pytest.raises(UnknownStream):
            await streams.open(name, owner)
        with pytest.raises(UnknownStream):
            await streams.stop(name, owner)
    await streams.aclose(grace=5)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.promise("P2", "P5", "P7")
async def test_a_stop_closes_the_upstream_and_tells_an_open_block(store: ResumeStore, inside: bool) -> None:
    """What came is told to the last letter; a block that was open is there as one that was cut off."""
    streams = ResumableStreams(store, GUARD)
    source = Gate(list(TEXT), 20 if inside else 3)
    await streams.start("s", "me", lambda: source)
    reading = asyncio.create_task(_all(streams))
    await source.reached.wait()
    await streams.stop("s", "me")
    found = await asyncio.wait_for(reading, 300)
    status = await store.status("s")

    assert source.closed == 1
    assert told(found) == TEXT[: source.read]
    assert data(found)[-1] == {"ending": "stopped"}
    assert status is not None and status.state == "stopped"
    blocks = [data([entry])[0] for entry in found if entry.event == "json-tool-block"]
    assert [(block["executable"], block["endCause"]) for block in blocks] == [(False, "disconnect")] * inside


async def _all(streams: ResumableStreams, after: str = "", revive: Open | None = None, stream: str = "s") -> list[Entry]:
    entries = await streams.open(stream, "me", after, revive)
    return [] if entries is None else [entry async for entry in entries]


async def test_a_stop_does_not_wait_for_a_correction(store: ResumeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor for anything else that the guard still does: the stream ends, and says that it was stopped."""
    monkeypatch.setattr(streams_module, "PATIENCE", 0.05)
    asked = asyncio.Event()

    async def never(_: object) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    streams = ResumableStreams(store, Guard(FILE_TOOLS, corrector=never, correction=CorrectionPolicy(timeout=3_600)))
    await streams.start("s", "me", lambda: FakeStream(['```json\n{"tool": "write_file", "path": "a", "content": []}\n```\n']))
    await asked.wait()
    await streams.stop("s", "me")
    found = await asyncio.wait_for(_all(streams), 300)

    assert data(found)[-1] == {"ending": "stopped"}
    assert not any(entry.event == "json-tool-block" for entry in found)


async def test_a_stream_is_ended_before_it_has_begun(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: Gate(["never"], 0))
    await asyncio.wait_for(streams.aclose(), 300)
    status = await store.status("s")

    assert status is not None and status.state == "interrupted"


@pytest.mark.parametrize("opening", [False, True])
async def test_a_stream_that_fails_says_so(store: ResumeStore, opening: bool) -> None:
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)

    async def refuses() -> Any:
        raise ConnectionError("secret")

    await streams.start("s", "me", refuses if opening else lambda: FakeStream(["Hi.\n", ConnectionError("secret")]))
    found = await _all(streams)
    await idle(streams)

    assert found[-1].event == "error"
    assert "secret" not in found[-1].data
    assert kept.endings == ["failed"]
    assert told(found[:-1]) == ("" if opening else "Hi.\n")


async def test_closing_lets_producers_finish_and_interrupts_those_that_do_not(store: ResumeStore) -> None:
    streams, patient = ResumableStreams(store, GUARD), ResumableStreams(store, GUARD)
    slow, endless = Gate(["a", "b"], 1), Gate(list(TEXT), 20)
    await streams.start("s", "me", lambda: endless)
    await patient.start("t", "me", lambda: slow)
    reading = asyncio.create_task(_all(streams))
    await asyncio.gather(slow.reached.wait(), endless.reached.wait())
    while not streams._readers["s"]:
        await asyncio.sleep(0.001)
    await streams.aclose(grace=0.3)
    closing = asyncio.create_task(patient.aclose(grace=600))
    await asyncio.sleep(0.05)
    assert not closing.done()
    slow.opened.set()
    await closing
    found = await asyncio.wait_for(reading, 300)

    assert [status.state for name in "st" if (status := await store.status(name))] == ["interrupted", "done"]
    assert data(found)[-1]["ending"] == "interrupted"
    assert [entry.event for entry in found][-2:] == ["json-tool-block", "error"]
    assert slow.closed == endless.closed == 1


@pytest.mark.parametrize("hangs", ["keep", "ended", "store"])
async def test_a_process_ends_in_time_whatever_hangs(
    store: ResumeStore, hangs: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where the store would be tried again for an hour."""
    monkeypatch.setattr(streams_module, "PATIENCE", 0.02)
    reached = asyncio.Event()

    async def never(*_: object) -> Any:
        reached.set()
        await asyncio.Event().wait()

    kept = Kept()
    if hangs == "store":
        monkeypatch.setattr(store, "finalize", never)
    else:
        monkeypatch.setattr(kept, hangs, never)
    monkeypatch.setattr(store, "retry", 3_600)
    streams = ResumableStreams(store, GUARD, archive=kept)
    await streams.start("s", "me", lambda: FakeStream(["a\n"]))
    await reached.wait()
    await asyncio.wait_for(streams.aclose(grace=0.01, within=0.01), 300)
    assert not streams.running
    assert any("could not be ended in time" in record.getMessage() for record in caplog.records)


async def test_a_process_that_ends_begins_nothing_and_reads_what_it_still_writes(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    await source.reached.wait()
    closing = asyncio.create_task(streams.aclose(grace=30))
    await asyncio.sleep(0)
    with pytest.raises(Closing):
        await streams.start("t", "me", lambda: FakeStream(["never"]))
    reading = asyncio.create_task(_all(streams))
    await asyncio.sleep(0.01)
    source.opened.set()
    assert told((await reading)[:-1]) == "a\nb\n"
    await closing
    for asked in (streams.start("t", "me", lambda: FakeStream(["never"])), streams.open("s", "me"), streams.open("t", "me")):
        with pytest.raises((Closing, UnknownStream)):
            await asked
    assert not streams.running
    assert await store.status("t") is None


async def test_what_was_being_begun_when_a_process_ends_leaves_nothing(store: ResumeStore) -> None:
    """Its name is free, for who begins it elsewhere."""
    streams = ResumableStreams(store, GUARD)
    acquire = store.acquire
    reached, go = asyncio.Event(), asyncio.Event()

    async def slow(*arguments: Any) -> Lease | None:
        lease = await acquire(*arguments)
        reached.set()
        await go.wait()
        return lease

    store.acquire = slow  # type: ignore[method-assign, assignment]
    source = FakeStream(["never"])
    starting = asyncio.create_task(streams.start("s", "me", lambda: source))
    await reached.wait()
    closing = asyncio.create_task(streams.aclose())
    await asyncio.sleep(0.01)
    go.set()
    with pytest.raises(Closing):
        await starting
    await closing
    assert (list(streams.running), source.read) == ([], 0)
    store.acquire = acquire  # type: ignore[method-assign]
    elsewhere = ResumableStreams(store, GUARD)
    assert await elsewhere.start("s", "me", lambda: FakeStream(["a\n"]))
    assert told((await _all(elsewhere))[:-1]) == "a\n"


async def test_a_stream_whose_caller_leaves_while_it_begins_is_written_all_the_same(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    acquire = store.acquire

    async def slow(*arguments: Any) -> Lease | None:
        lease = await acquire(*arguments)
        starting.cancel()
        await asyncio.sleep(0.01)
        return lease

    store.acquire = slow  # type: ignore[method-assign, assignment]
    starting = asyncio.create_task(streams.start("s", "me", lambda: FakeStream(["a\n"])))
    await asyncio.wait([starting])
    assert starting.cancelled()
    await idle(streams)
    while not streams.running and await store.status("s") is None:
        await asyncio.sleep(0.005)
    assert told((await _all(streams))[:-1]) == "a\n"


async def test_readers_of_another_workers_stream_are_let_go(server: str) -> None:
    """They come to an end without an end, and go on elsewhere."""
    stores = [RedisStore(server, prefix="leave:") for _ in range(2)]
    here, there = (ResumableStreams(store, GUARD) for store in stores)
    source = Gate(list(TEXT), 20)
    await here.start("s", "me", lambda: source)
    reading = asyncio.create_task(_all(there))
    await source.reached.wait()
    while not there._readers["s"]:
        await asyncio.sleep(0.001)
    await there.aclose()
    first = await asyncio.wait_for(reading, 300)
    source.opened.set()
    rest = await _all(here, first[-1].id if first else "")

    assert told([*first, *rest]) == TEXT
    for store in stores:
        await store.aclose()


@pytest.mark.parametrize("again", [False, True])
async def test_a_stream_whose_worker_died_is_interrupted_or_taken_over(server: str, again: bool) -> None:
    """Taken over, where it can be told again: nothing comes twice, and nothing is missing."""
    name = f"dead{again}:"
    stores = [RedisStore(server, prefix=name, lease=0.2) for _ in range(2)]
    lease = await begun(stores[0])
    fed = list(GUARD.scan(list(TEXT), stream_id="s"))
    first = [{"event": "text", "data": json.dumps(item)} for item in fed[:3] if isinstance(item, str)]
    await stores[0].append(lease, [SseFields(event=one["event"], data=one["data"]) for one in first])
    await stores[0].aclose()  # and never a word again
    kept = Kept()
    streams = ResumableStreams(stores[1], GUARD, archive=kept)
    revive = (lambda: FakeStream(list(TEXT))) if again else None
    found = await asyncio.gather(*(_all(streams, revive=revive) for _ in range(3)))
    await idle(streams)

    assert found[0] == found[1] == found[2] == kept.entries  # also what the dead one may not have told it
    if again:
        assert told(found[0]) == TEXT
        assert [entry.event for entry in found[0]].count("json-tool-block") == 1
        assert kept.endings == ["done"]
    else:
        assert data(found[0])[-1]["ending"] == "interrupted"
        assert kept.endings == ["interrupted"]
    await stores[1].aclose()


@pytest.mark.parametrize(("again", "ending"), [(0, "interrupted"), (2, "interrupted"), (3, "done"), (4, "done")])
async def test_a_stream_that_is_told_again_and_ends_before_what_is_stored_is_interrupted(
    server: str, again: int, ending: str
) -> None:
    name = f"short{again}:"
    dead, store = (RedisStore(server, prefix=name, lease=0.2) for _ in range(2))
    await dead.append(await begun(dead), events("a\n", "b\n", "c\n"))
    await dead.aclose()
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    found = await _all(streams, revive=lambda: FakeStream(["a\n", "b\n", "c\n", "d\n"][:again]))
    await idle(streams)
    assert data(found)[:-1] == ["a\n", "b\n", "c\n", "d\n"][: max(again, 3)]
    assert (data(found)[-1].get("ending", "done"), kept.endings) == (ending, [ending])
    await store.aclose()


async def test_a_slow_store_holds_the_provider_up(store: ResumeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read and not stored is bounded."""
    streams = ResumableStreams(store, GUARD)
    open_again = asyncio.Event()
    append = store.append

    async def slow(lease: Lease, events: Any) -> list[Entry]:
        await open_again.wait()
        return await append(lease, events)

    monkeypatch.setattr(store, "append", slow)
    source = FakeStream(["word "] * 5000)
    await streams.start("s", "me", lambda: source)
    for _ in range(200):
        await asyncio.sleep(0.001)
    assert source.read < 500
    open_again.set()
    store.maxlen = 10_000  # type: ignore[attr-defined]
    while streams.running:
        await asyncio.sleep(0.005)
    assert source.closed == 1


# -- producers and a store that is away --------------------------------------------------------------------------------


def identity(source: Gate) -> Gate:
    return source


@pytest.mark.parametrize("blocks", [False, True])
async def test_a_stream_costs_two_tasks(store: ResumeStore, blocks: bool) -> None:
    """Whatever it is doing, and however many streams there are."""
    streams = ResumableStreams(store, GUARD)
    before = asyncio.all_tasks()
    sources = [Gate(list(TEXT), 20 if blocks else 1) for _ in range(20)]
    for n, source in enumerate(sources):
        await streams.start(f"s{n}", "me", partial(identity, source))
    await asyncio.gather(*(source.reached.wait() for source in sources))
    await asyncio.sleep(0.02)
    ours = asyncio.all_tasks() - before
    await streams.aclose()
    assert len(ours) <= 2 * len(sources) + 4  # what the store has for all of them


async def test_what_all_write_and_read_goes_out_together(server: str) -> None:
    """Fifty streams with two hundred readers ask the server some tens of times, not thousands."""
    store = RedisStore(server, prefix="together:", lease=60)
    pipelines = 0
    make = store._redis.pipeline

    def counted(**settings: Any) -> Any:
        nonlocal pipelines
        pipelines += 1
        return make(**settings)

    store._redis.pipeline = counted
    leases = [await begun(store, f"s{n}") for n in range(50)]
    readers = [asyncio.create_task(everything(store, lease.stream)) for lease in leases for _ in range(4)]
    while sum(map(len, store._channels._followers.values())) < len(readers) or store._pages:
        await asyncio.sleep(0.005)
    asked = pipelines
    for n in range(5):
        await asyncio.gather(*(store.append(lease, events(n)) for lease in leases))
    await asyncio.gather(*(ended(store, lease) for lease in leases))
    assert [data(entries) for entries in await asyncio.gather(*readers)] == [[*range(5), "done"]] * 200
    assert pipelines - asked <= 60
    await store.aclose()


async def test_a_store_that_is_away_for_too_long_interrupts_a_stream_when_it_is_back(tmp_path: Path) -> None:
    """The provider is let go at once; what was not stored is stored, in order; and the archive hears of one end."""
    with stores.server(tmp_path / "v", "--save", "", "--appendonly", "yes", "--appendfsync", "always") as valkey:
        kept = Kept()
        store = RedisStore(valkey.url, lease=60, retry=600, wait=600)
        write, away = store._write, 0

        async def counted(*arguments: Any) -> str:
            nonlocal away
            try:
                return await write(*arguments)
            except StoreAway:
                away += 1
                raise

        store._write = counted  # type: ignore[method-assign, assignment]
        streams = ResumableStreams(store, GUARD, archive=kept)
        source = Gate(["a\n", "b\n", "c\n"], 1)
        await streams.start("s", "me", lambda: source)
        await source.reached.wait()
        while not kept.entries:
            await asyncio.sleep(0.01)
        away_after(store, 0.3)
        valkey.kill()
        source.opened.set()
        while not source.closed:
            await asyncio.sleep(0.01)
        with pytest.raises(StoreAway):
            await streams.open("s", "me")
        with pytest.raises(StoreAway):
            await streams.start("t", "me", lambda: source)
        while away < 3:  # the producer goes on trying
            await asyncio.sleep(0.01)
        assert list(streams.running) == ["s"]
        assert kept.endings == []
        await asyncio.to_thread(valkey.start)
        while streams.running:
            await asyncio.sleep(0.01)
        away_after(store, 600)
        found = await _all(streams)
        assert told(found[:-1]) == "a\nb\nc\n"
        assert (data(found)[-1]["ending"], kept.entries, kept.endings) == ("interrupted", found, ["interrupted"])
        await store.aclose()


async def test_a_worker_that_ends_while_its_store_is_away_tells_the_archive(tmp_path: Path) -> None:
    with stores.server(tmp_path / "v") as valkey:
        kept = Kept()
        store = RedisStore(valkey.url, lease=60, retry=600, wait=600)
        streams = ResumableStreams(store, GUARD, archive=kept)
        source = Gate(list(TEXT), 20)
        await streams.start("s", "me", lambda: source)
        await source.reached.wait()
        while not kept.entries or store._writing._calls():  # what is sent when the store goes away is one of its retries
            await asyncio.sleep(0.01)
        away_after(store, 0.3)
        valkey.kill()
        await asyncio.wait_for(streams.aclose(), 300)
        assert kept.endings == ["interrupted"]
        assert data(kept.entries)[-1]["ending"] == "interrupted"
        assert source.closed == 1
        await store.aclose()


async def test_a_worker_that_ends_sends_nothing_more_to_a_store_that_is_away_when_its_time_is_over(tmp_path: Path) -> None:
    """Then the archive is told the ends, whether a stream was writing when that began or not."""
    with stores.server(tmp_path / "v") as valkey:
        kept = Kept()
        store = RedisStore(valkey.url, lease=60, retry=600, wait=600)
        streams = ResumableStreams(store, GUARD, archive=kept)
        write, sent, clock = store._write, list[float](), asyncio.get_running_loop().time

        async def counted(*arguments: Any) -> str:
            sent.append(clock())
            return await write(*arguments)

        store._write = counted  # type: ignore[method-assign, assignment]
        sources = [Gate(["a\n", "b\n"], 1) for _ in range(3)]
        for at, source in enumerate(sources):
            await streams.start(f"s{at}", "me", partial(_itself, source))
            await source.reached.wait()
        while len(kept.entries) < 3:
            await asyncio.sleep(0.01)
        away_after(store, 1)
        valkey.pause()
        sources[0].opened.set()  # it is writing when the process ends, and the others write their ends then
        await asyncio.sleep(0.05)
        await streams.aclose()
        valkey.resume()
        assert sorted(kept.endings_of.items()) == [(f"s{at}", ["interrupted"]) for at in range(3)]
        assert streams._until is not None and max(sent) < streams._until
        await store.aclose()


def _itself(source: Gate) -> Gate:
    return source


async def test_the_readers_of_what_this_process_writes_are_told_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store lets each of them in, with one reading; with a second one where that overtook the answer to a write.

    Nothing more is read, nor subscribed to, nor checked.
    """
    with stores.server(tmp_path / "v") as valkey:
        store = RedisStore(valkey.url, lease=600)  # no heartbeat is late, however slow this process is
        streams = ResumableStreams(store, GUARD)
        call, asked = store._reading.call, list[str]()
        subscribe, channels = PubSub.subscribe, set[str]()

        def noted(script: Any, keys: Any, *arguments: Any, **more: Any) -> Any:
            asked.append(keys[0])
            return call(script, keys, *arguments, **more)

        begun = asyncio.Event()

        async def subscribed(self: PubSub, *names: str) -> None:  # again, where the process was too slow for the connection
            channels.update(names)
            await subscribe(self, *names)
            begun.set()

        store._reading.call = noted  # type: ignore[method-assign]
        monkeypatch.setattr(PubSub, "subscribe", subscribed)
        names = [f"s{at}" for at in range(30)]
        gates = [Gate(["a\n", "b\n", "c\n"], at % 3) for at in range(30)]
        for name, gate in zip(names, gates, strict=True):
            await streams.start(name, "me", partial(_itself, gate))
        reading = [asyncio.create_task(_all(streams, stream=name)) for name in names]
        await begun.wait()
        while not all(store._channels.followed(f"stream-guard:stream:{name}") for name in names):
            await asyncio.sleep(0.01)  # who comes when a stream has ended is told of it by the store
        for gate in gates:
            await gate.reached.wait()
            await asyncio.sleep(0.005)
            gate.opened.set()
        assert [told(entries[:-1]) for entries in await asyncio.gather(*reading)] == ["a\nb\nc\n"] * 30
        readings = Counter(asked)
        assert readings.keys() == {f"stream-guard:stream:{name}" for name in names}
        assert max(readings.values()) <= 2
        assert channels == {store._control}  # that of all streams that should stop
        await store.aclose()


async def test_a_lost_stream_ends_for_its_producer_and_its_archive(server: str) -> None:
    """FLUSHALL while it runs: whoever reads hears `interrupted`, and the provider is let go."""
    kept = Kept()
    store = RedisStore(server, prefix="lost:", lease=0.4)
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Gate(["a\n", "b\n", "c\n"], 2)
    await streams.start("s", "me", lambda: source)
    entries = await streams.open("s", "me")
    assert entries is not None
    first = await anext(entries)
    await source.reached.wait()
    while len(kept.entries) < 2:
        await asyncio.sleep(0.01)
    await store._redis.delete(*store._keys("s"))
    rest = [entry async for entry in entries]
    while streams.running:
        await asyncio.sleep(0.01)
    assert data(rest)[-1]["ending"] == "interrupted"
    assert [entry.event for entry in (first, *rest)][:-1] == ["text"] * (len(rest))
    assert (data(kept.entries)[-1]["ending"], kept.endings, source.closed) == ("interrupted", ["interrupted"], 1)
    assert data(await _all(streams))[-1]["ending"] == "interrupted"
    await store.aclose()


@pytest.mark.parametrize("lost", [("stream", "meta"), ("meta",)])
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_who_comes_right_after_the_store_lost_a_running_stream_gets_interrupted(
    server: str, tmp_path: Path, elsewhere: bool, lost: tuple[str, ...]
) -> None:
    """In the worker that writes it, and in another, which waits for the writer's next heartbeat. Nobody else learns of it."""
    writer, other = (RedisStore(server, prefix=f"{tmp_path.name}:", lease=4) for _ in range(2))
    writing, reading = ResumableStreams(writer, GUARD), ResumableStreams(other, GUARD)
    streams, source = reading if elsewhere else writing, Gate(["a\n", "b\n"], 1)
    await writing.start("s", "me", lambda: source)
    entries = await streams.open("s", "me")
    assert entries is not None
    first = await anext(entries)
    await entries.aclose()

    async def refused(owner: str, stream: str) -> None:
        with pytest.raises(UnknownStream):
            await streams.open(stream, owner)
        with pytest.raises(UnknownStream):
            await streams.stop(stream, owner)

    async def last(after: str) -> str:
        end = (await _all(streams, after))[-1]
        assert await streams.open("s", "me", end.id) is None
        return str(json.loads(end.data)["ending"])

    await writer._redis.delete(*(f"{tmp_path.name}:{key}:s" for key in lost))
    ends = [asyncio.create_task(last(after)) for after in ("", first.id)]
    await asyncio.gather(streams.stop("s", "me"), refused("you", "s"), refused("me", "t"))
    assert [await end for end in ends] == ["interrupted", "interrupted"]
    await idle(writing)
    assert await last(first.id) == "interrupted"
    for store in (writer, other):
        await store.aclose()


@pytest.mark.parametrize("refusing", ["maxmemory", "min-replicas-to-write"])
async def test_a_store_that_lost_a_stream_and_refuses_to_write_does_not_say_that_there_is_none(
    valkey: stores.Valkey, refusing: str
) -> None:
    """Its producer could not have ended it yet: whoever comes waits, for a time, and hears the end when it is there."""
    writer, other = RedisStore(valkey.url, lease=0.4), RedisStore(valkey.url, lease=0.4, wait=600)
    hasty = RedisStore(valkey.url, lease=0.4, wait=0.8)
    writing, reading, leaving = (ResumableStreams(one, GUARD) for one in (writer, other, hasty))
    await writing.start("s", "me", lambda: Gate(["a\n", "b\n"], 1))
    first = await anext(aiter(await rest_of(reading)))
    async with Redis.from_url(valkey.url) as redis, redis.pipeline() as together:  # its producer writes nothing in between
        together.flushall()
        together.config_set(refusing, 1)
        await together.execute()
    ends = [asyncio.create_task(_all(reading, after)) for after in ("", first.id)]
    stopping = asyncio.create_task(reading.stop("s", "me"))
    for ask in (leaving.open, leaving.stop):
        with pytest.raises(StoreAway):
            await ask("s", "me")
    assert not any(asked.done() for asked in (*ends, stopping))
    valkey.ask("CONFIG", "SET", refusing, "0")
    await stopping
    assert [json.loads((await end)[-1].data)["ending"] for end in ends] == ["interrupted", "interrupted"]
    await idle(writing)
    away_after(hasty, 600)
    for ask in (leaving.open, leaving.stop):
        with pytest.raises(UnknownStream):
            await ask("t", "me")
    assert int(valkey.ask("DBSIZE")[1:]) == 2
    for store in (writer, other, hasty):
        await store.aclose()


async def rest_of(streams: ResumableStreams) -> AsyncGenerator[Entry, None]:
    entries = await streams.open("s", "me")
    assert entries is not None
    return entries


async def test_a_deleted_stream_ends_for_its_producer_and_stays_deleted(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    entries = await streams.open("s", "me")
    assert entries is not None
    await anext(entries)
    await source.reached.wait()
    await store.delete("s")
    source.opened.set()
    assert data([entry async for entry in entries])[-1]["ending"] == "interrupted"
    while streams.running:
        await asyncio.sleep(0.01)
    assert source.closed == 1
    with pytest.raises(UnknownStream):
        await streams.open("s", "me")


async def test_an_end_that_a_reader_begins_to_tell_is_told_whether_it_stays_or_not(server: str) -> None:
    store = RedisStore(server, prefix="leaves:", lease=0.1)
    lease = await begun(store)
    await store.append(lease, events(1))
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    finalize = store.finalize
    reached = asyncio.Event()

    async def slow(*arguments: Any) -> Entry:
        reached.set()
        await asyncio.sleep(0.05)
        return await finalize(*arguments)

    store.finalize = slow  # type: ignore[method-assign, assignment]
    reader = asyncio.create_task(_all(streams))
    await reached.wait()
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)
    await streams.aclose(grace=5)
    assert kept.endings == ["interrupted"]
    assert kept.entries == await everything(store)
    await store.aclose()


async def test_a_store_that_is_full_or_cannot_save_is_waited_for(valkey: stores.Valkey) -> None:
    store = RedisStore(valkey.url, retry=600)
    lease = await begun(store)
    for broken, mended in (("maxmemory 1", "maxmemory 0"), ("min-replicas-to-write 1", "min-replicas-to-write 0")):
        valkey.ask("CONFIG", "SET", *broken.split())
        appending = asyncio.create_task(store.append(lease, events(broken)))
        while not any(call.refused > 2 for call in store._writing._aside):
            await asyncio.sleep(0.005)
        assert not appending.done()
        valkey.ask("CONFIG", "SET", *mended.split())
        await appending
    await ended(store, lease)
    assert data(await everything(store)) == ["maxmemory 1", "min-replicas-to-write 1", "done"]
    await store.aclose()


@pytest.mark.parametrize("dropped", ["stream", "meta"])
async def test_a_key_that_the_server_drops_leaves_no_hole(valkey: stores.Valkey, dropped: str) -> None:
    """As one does that is told to make room."""
    writer, other = (RedisStore(valkey.url, prefix="evicted:") for _ in range(2))
    lease = await begun(writer)
    stored = await writer.append(lease, events(1, 2))
    reading = await other.read("s", "me", stored[0].id)
    assert reading is not None
    await anext(reading)
    valkey.ask("DEL", f"evicted:{dropped}:s")
    with contextlib.suppress(EntriesLost):
        await writer.append(lease, events(3))
    try:
        await ended(writer, lease)
    except EntriesLost:
        await ended(writer, lease, "interrupted")
    status = await writer.status("s")
    assert status is not None
    with contextlib.suppress(Forgotten, EntriesLost):
        assert data(await rest(reading))[-1] in ([3, "done"][-1], "interrupted")
    for after in ("", stored[0].id):
        try:
            found = data(await everything(other, "s", after))
        except Forgotten:
            assert status.state == "done"
        else:
            assert found[-1] == "interrupted" or found == [1, 2, 3, "done"][1 if after else 0 :]
    for one in (writer, other):
        await one.aclose()


class Base(BaseException):
    """What no library raises, and a provider might."""


RAISED: dict[str, type[BaseException] | None] = {
    "cancelled": asyncio.CancelledError,
    "cancels": None,
    "exit": GeneratorExit,
    "base": Base,
    "error": OSError,
    "over": StopAsyncIteration,
}
"""What a provider raises; None where it cancels the task that reads it."""


@pytest.mark.parametrize(
    ("opening", "how"), [*((True, how) for how in RAISED), *((False, how) for how in RAISED if how != "over")]
)
async def test_whatever_a_provider_raises_it_has_failed_and_an_open_block_ends(
    store: ResumeStore, opening: bool, how: str
) -> None:
    """What was cut off is not told as done, whoever cut it; and what was announced is told as failed, before the error.

    `StopAsyncIteration` ends a stream that was opened; what raises it while it opens one looked at another one, that is empty.
    """

    async def fails() -> Any:
        raised = RAISED[how]
        if raised is not None:
            raise raised
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.Event().wait()

    class Fails(FakeStream):
        async def __anext__(self) -> Any:
            return await fails() if self.read == 2 else await super().__anext__()

    streams = ResumableStreams(store, GUARD)
    block = '```json\n{"tool": "write_file", "path": "a.txt", '
    await streams.start("s", "me", fails if opening else lambda: Fails(["a\n", block, "b\n"]))
    found = await asyncio.wait_for(_all(streams), 300)
    assert (found[-1].event, data(found)[-1]["ending"]) == ("error", "failed")
    blocks = [json.loads(entry.data) for entry in found if entry.event == "json-tool-block"]
    assert [told["executable"] for told in blocks] == ([] if opening else [False])
    assert [entry.event for entry in found[-2:]] == (["error"] if opening else ["json-tool-block", "error"])


EXITS = """
import asyncio
from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from stream_guard_adapters.resume import MemoryStore, ResumableStreams

async def exits():
    raise SystemExit(7)

async def serve():
    await ResumableStreams(MemoryStore(), Guard(FILE_TOOLS)).start("s", "me", exits)
    await asyncio.Event().wait()

asyncio.run(serve())
"""


def test_what_ends_a_process_ends_it_also_in_a_provider() -> None:
    """A signal handler raises it in whatever code runs."""
    assert subprocess.run([sys.executable, "-c", EXITS], check=False, capture_output=True, timeout=300).returncode == 7


@pytest.mark.parametrize("raised", [asyncio.CancelledError, GeneratorExit, Base])
async def test_whatever_an_archive_raises_the_stream_ends(store: ResumeStore, raised: type[BaseException]) -> None:
    """As with one that fails: readers hear everything, and the next one who reads has it told. In either method or both, at its
    call or when it is awaited.
    """
    store.retry = 0.1

    class Raises(Kept):
        def __init__(self, at: str, at_once: bool) -> None:
            super().__init__()
            self.at, self.at_once, self.broken = at, at_once, True

        async def _raise(self) -> None:
            raise raised

        def keep(self, stream: str, entries: Any) -> Any:
            if self.broken and self.at != "ended":
                if self.at_once:
                    raise raised
                return self._raise()
            return super().keep(stream, entries)

        def ended(self, stream: str, ending: Ending) -> Any:
            if self.broken and self.at != "keep":
                if self.at_once:
                    raise raised
                return self._raise()
            return super().ended(stream, ending)

    async def scene(at: str, at_once: bool) -> None:
        kept, stream = Raises(at, at_once), f"{at} {at_once}"
        streams = ResumableStreams(store, GUARD, archive=kept)
        await streams.start(stream, "me", lambda: FakeStream(list(TEXT)))
        found = await asyncio.wait_for(_all(streams, stream=stream), 300)
        assert (told(found), found[-1].event) == (TEXT, "done"), stream
        await asyncio.wait_for(idle(streams), 300)
        kept.broken = False
        await _all(streams, stream=stream)
        await asyncio.wait_for(idle(streams), 300)
        assert kept.endings == ["done"], stream
        assert {entry.id for entry in kept.entries} == {entry.id for entry in found}, stream

    await asyncio.gather(*(scene(at, at_once) for at in ("keep", "ended", "both") for at_once in (False, True)))


async def test_a_stop_is_heard_while_a_correction_runs_and_more_is_read(
    store: ResumeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams_module, "PATIENCE", 0.05)
    asked = asyncio.Event()

    async def never(_: object) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    streams = ResumableStreams(store, Guard(FILE_TOOLS, corrector=never, correction=CorrectionPolicy(timeout=3_600)))
    block = '```json\n{"tool": "write_file", "path": "a", "content": []}\n```\n'
    source = Gate([block, "more\n", "and more\n"], 2)
    await streams.start("s", "me", lambda: source)
    await asyncio.gather(asked.wait(), source.reached.wait())
    await streams.stop("s", "me")
    found = await asyncio.wait_for(_all(streams), 300)
    assert (data(found)[-1], source.closed) == ({"ending": "stopped"}, 1)


async def test_a_stop_that_nobody_heard_holds_for_who_takes_over(server: str) -> None:
    stores = [RedisStore(server, prefix="stopgone:", lease=0.1) for _ in range(2)]
    lease = await begun(stores[0])
    await stores[0].append(lease, events(1))
    await stores[0].aclose()
    await stores[1].stop("s", "me")
    streams = ResumableStreams(stores[1], GUARD)
    source = Gate(["1", "2", "3"], 1)
    found = await asyncio.wait_for(_all(streams, revive=lambda: source), 300)
    assert data(found)[-1] == {"ending": "stopped"}
    await stores[1].aclose()


async def test_a_silent_stream_is_kept_however_short_its_kind_is_kept(server: str) -> None:
    store = RedisStore(server, prefix="silent:", ttl=0.05, tombstone=0, lease=4)
    streams = ResumableStreams(store, GUARD)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    await source.reached.wait()
    while int(await store._redis.hget("silent:meta:s", "beats")) < 5:  # two for what it writes, the others for its silence
        await asyncio.sleep(0.01)
    source.opened.set()
    assert told((await _all(streams))[:-1]) == "a\nb\n"
    await store.aclose()


async def test_nothing_is_left_of_readers_and_streams_that_are_gone(server: str) -> None:
    writer, reader = (RedisStore(server, prefix="left:", lease=1) for _ in range(2))
    for n in range(20):
        lease = await begun(writer, f"s{n}")
        await writer.append(lease, events(1))
        for _ in range(5):
            for store in (writer, reader):
                await page(store, f"s{n}")
        waiting = [asyncio.create_task(everything(store, f"s{n}")) for store in (writer, reader) for _ in range(5)]
        await asyncio.sleep(0.01)
        for task in waiting[::2]:
            task.cancel()
        await ended(writer, lease)
        await asyncio.gather(*waiting, return_exceptions=True)
    for store in (writer, reader):
        channels, writing, reading = store._channels, store._writing, store._reading
        async with asyncio.timeout(300):
            while (
                (store._own or store._pages or store._watches)
                or (channels._followers or channels._own or channels._asked or channels._there)
                or (writing._calls() or reading._calls())
            ):
                await asyncio.sleep(0.005)
        await store.aclose()


@pytest.mark.parametrize("wrong", [5, None, b"s"])
async def test_what_is_no_text_is_no_name_and_no_owner(store: ResumeStore, wrong: Any) -> None:
    streams = ResumableStreams(store, GUARD)
    for stream, owner, what in ((wrong, "me", "the name"), ("s", wrong, "the owner")):
        for asked in (
            lambda stream, owner: streams.start(stream, owner, lambda: FakeStream([])),
            streams.open,
            streams.stop,
        ):
            with pytest.raises(TypeError, match=f"^{what} of a stream must be a str, got {type(wrong).__name__}$"):
                await asked(stream, owner)


@pytest.mark.parametrize("name", ["a b", "{x}", "é😀", "a\nb", "../..", "%00", "x" * 5000, "*", "-1", ""])
async def test_any_name_will_do(store: ResumeStore, name: str) -> None:
    for owner in (name, "me"):
        lease = await begun(store, name + owner, owner)
        stop = asyncio.Event()
        lease.on_stop = stop.set
        await store.append(lease, events(1))
        await store.stop(name + owner, owner)
        await asyncio.wait_for(stop.wait(), 300)
        await ended(store, lease, "stopped")
        assert data(await everything(store, name + owner, owner=owner)) == [1, "stopped"]


async def test_a_name_that_cannot_be_sent_harms_nobody_else(server: str) -> None:
    store = RedisStore(server, prefix="surrogate:")
    lease = await begun(store)
    answers = await asyncio.gather(
        *(store.acquire("\ud800", "me") for _ in range(3)), store.append(lease, events(1)), return_exceptions=True
    )
    assert [type(one) for one in answers[:3]] == [UnicodeEncodeError] * 3
    assert data(answers[3]) == [1]  # type: ignore[arg-type]
    await store.aclose()


async def test_it_lets_go_of_a_store_that_does_not_answer(valkey: stores.Valkey) -> None:
    store = RedisStore(valkey.url, retry=3_600, wait=3_600)
    lease = await begun(store)
    reading = asyncio.create_task(everything(store))
    await asyncio.sleep(0.05)
    valkey.pause()
    writing = asyncio.create_task(store.append(lease, events(1)))
    await asyncio.sleep(0.05)
    await asyncio.wait_for(store.aclose(), 300)
    with pytest.raises(StoreAway):
        await writing
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


# -- archives that fail, and ends that they have not heard ---------------------------------------------------------------


class Failing(Kept):
    """An archive that fails, or takes its time, until it works."""

    def __init__(self) -> None:
        super().__init__()
        self.works = asyncio.Event()
        self.waits = False
        self.asked = 0
        self.raised: Exception = OSError(28, "no space")

    async def keep(self, stream: str, entries: Any) -> None:
        await self._works()
        await super().keep(stream, entries)

    async def ended(self, stream: str, ending: Ending) -> None:
        await self._works()
        await super().ended(stream, ending)

    async def _works(self) -> None:
        self.asked += 1
        if self.waits:
            await self.works.wait()
        elif not self.works.is_set():
            raise self.raised


@pytest.mark.parametrize("error", [EntriesLost, Forgotten, UnknownStream, StoreAway, LeaseLost])
async def test_the_errors_of_an_archives_own_store_are_none_of_the_streams_store(
    store: ResumeStore, error: type[Exception]
) -> None:
    kept = Failing()
    kept.raised = error("another")
    streams = ResumableStreams(store, GUARD, archive=kept)

    async def paced() -> AsyncGenerator[str, None]:
        for n in range(6):
            while kept.asked < min(n, 3):
                await asyncio.sleep(0.001)
            if n == 4:
                kept.works.set()
            yield f"{n}\n"

    await streams.start("s", "me", paced)
    found = await _all(streams)
    await idle(streams)
    assert (kept.entries, kept.endings) == (found, ["done"])


async def test_an_archive_that_fails_changes_nothing_for_readers_and_is_told_later_what_it_missed(store: ResumeStore) -> None:
    """In order, and once."""
    kept = Failing()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Gate(list(TEXT), 20)
    await streams.start("s", "me", lambda: source)
    await source.reached.wait()
    while not kept.asked:
        await asyncio.sleep(0.001)
    kept.works.set()
    source.opened.set()
    found = await _all(streams)
    await idle(streams)

    assert told(found) == TEXT
    assert (kept.entries, kept.endings) == (found, ["done"])


async def test_two_who_share_a_store_and_an_archive_archive_an_end_once(store: ResumeStore) -> None:
    """Also while the archive is slow, and a reader comes through the other one meanwhile."""
    gate, reached = asyncio.Event(), asyncio.Event()

    class Slow(Kept):
        async def ended(self, stream: str, ending: Ending) -> None:
            reached.set()
            await gate.wait()
            await super().ended(stream, ending)

    kept = Slow()
    one, other = (ResumableStreams(store, GUARD, archive=kept) for _ in range(2))
    await one.start("s", "me", lambda: FakeStream(list(TEXT)))
    await reached.wait()
    assert told(await _all(other)) == TEXT
    for _ in range(5):
        await asyncio.sleep(0)  # a check of the other's that does not wait for a lease is over
    gate.set()
    for streams in (one, other):
        await idle(streams)
    assert kept.endings == ["done"]


async def test_an_end_that_the_archive_did_not_take_is_told_by_the_next_one_who_reads_it(store: ResumeStore) -> None:
    store.retry = 0.05
    kept = Failing()
    streams = ResumableStreams(store, GUARD, archive=kept)
    await streams.start("s", "me", lambda: FakeStream(list(TEXT)))
    found = await _all(streams)
    await idle(streams)
    assert (kept.entries, kept.endings) == ([], [])
    kept.works.set()
    for after in ("", found[-1].id, ""):
        await _all(streams, after)
        await idle(streams)
        assert (kept.entries, kept.endings) == (found, ["done"])


async def test_a_dead_workers_stream_ends_for_its_readers_though_the_archive_fails(server: str) -> None:
    """And for the archive when it works, and somebody reads it."""
    dead, store = (RedisStore(server, prefix="deadfails:", lease=0.1, retry=5) for _ in range(2))
    await dead.append(await begun(dead), events(1, 2))
    await dead.aclose()
    store.retry = 0.05
    kept = Failing()
    streams = ResumableStreams(store, GUARD, archive=kept)
    found = await asyncio.gather(*(_all(streams) for _ in range(3)))
    assert found[0] == found[1] == found[2]
    assert [one if isinstance(one, int) else one["ending"] for one in data(found[0])] == [1, 2, "interrupted"]
    await idle(streams)
    kept.works.set()
    await _all(streams)
    await idle(streams)
    assert (kept.entries, kept.endings) == (found[0], ["interrupted"])
    await store.aclose()


async def test_an_archive_that_takes_longer_than_a_lease_loses_no_stream_and_hears_one_end(server: str) -> None:
    """Neither while it is told of events nor of the end, and whoever reads meanwhile at another worker."""
    gates = {"keep": asyncio.Event(), "ended": asyncio.Event()}
    reached = {"keep": asyncio.Event(), "ended": asyncio.Event()}

    class Slow(Kept):
        async def keep(self, stream: str, entries: Any) -> None:
            reached["keep"].set()
            await gates["keep"].wait()
            await super().keep(stream, entries)

        async def ended(self, stream: str, ending: Ending) -> None:
            reached["ended"].set()
            await gates["ended"].wait()
            await super().ended(stream, ending)

    made = [RedisStore(server, prefix="slowarchive:", lease=0.1) for _ in range(2)]
    kept = Slow()
    here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
    await here.start("s", "me", lambda: FakeStream(["a\n", "b\n"]))
    reading = asyncio.create_task(_all(there))

    async def outlast_a_lease() -> None:
        heard: list[Any] = []
        while len(heard) < 12:  # words of the producer: more than a lease without one would have been
            now = await made[1]._redis.hget("slowarchive:meta:s", "beats")
            heard += [now] if now not in heard[-1:] else []
            await asyncio.sleep(0.005)

    for step in ("keep", "ended"):
        await reached[step].wait()
        await outlast_a_lease()
        gates[step].set()
    found = await reading
    assert told(found[:-1]) == "a\nb\n"
    for streams in (here, there):
        await idle(streams)
    assert (kept.entries, kept.endings) == (found, ["done"])
    for store in made:
        await store.aclose()


async def test_an_end_that_its_worker_still_tries_to_tell_is_told_by_nobody_else(server: str) -> None:
    made = [RedisStore(server, prefix="tries:", lease=0.1) for _ in range(2)]
    kept = Failing()
    here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
    await here.start("s", "me", lambda: FakeStream(["a\n"]))
    found = await _all(there)
    while kept.asked < 40:  # about once in a beat, of which a lease has four
        await asyncio.sleep(0.005)
    kept.works.set()
    for streams in (here, there):
        await idle(streams)
    assert (kept.entries, kept.endings) == (found, ["done"])
    for store in made:
        await store.aclose()


async def test_an_end_whose_worker_died_before_it_told_the_archive_is_told_when_it_is_read(server: str) -> None:
    dead, store = (RedisStore(server, prefix="untold:", lease=0.1) for _ in range(2))
    lease = await begun(dead)
    lease.archived = False
    await dead.append(lease, events(1))
    await ended(dead, lease)
    await dead.aclose()
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    for _ in range(2):
        found = await _all(streams)
        await idle(streams)
        assert (kept.entries, kept.endings) == (found, ["done"])
    assert await store.left("s", "me") is None
    await store.aclose()


async def test_no_id_is_the_beginning(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: FakeStream(["a\n"]))
    await idle(streams)
    entries = await streams.open("s", "me", None)
    assert entries is not None
    assert [entry async for entry in entries] == await _all(streams)


@pytest.mark.parametrize("again", [False, True])
async def test_a_worker_without_an_archive_leaves_the_end_to_one_that_has_it(server: str, again: bool) -> None:
    """It ended or continued the stream of a worker that died, which may have had one, as others may."""
    dead, bare, store = (RedisStore(server, prefix=f"bare{again}:", lease=0.1) for _ in range(3))
    await dead.append(await begun(dead), events("a\n"))
    await dead.aclose()
    reads, kept = ResumableStreams(bare, GUARD), Kept()
    keeps = ResumableStreams(store, GUARD, archive=kept)
    found = await _all(reads, revive=(lambda: FakeStream(["a\n", "b\n"])) if again else None)
    await idle(reads)
    assert kept.endings == []
    for _ in range(2):
        assert await _all(keeps) == found
        await idle(keeps)
        assert (kept.entries, kept.endings) == (found, ["done" if again else "interrupted"])
    assert await store.left("s", "me") is None
    for one in (bare, store):
        await one.aclose()


async def test_closing_does_not_wait_for_who_tells_another_workers_end(server: str) -> None:
    dead, store = (RedisStore(server, prefix="untoldclose:", lease=600) for _ in range(2))
    lease = await begun(dead)
    lease.archived = False
    await ended(dead, lease)
    streams = ResumableStreams(store, GUARD, archive=Kept())
    await _all(streams)
    assert streams._checks
    await asyncio.wait_for(streams.aclose(), 300)
    assert not streams._checks
    for one in (dead, store):
        await one.aclose()


async def test_a_stream_that_is_deleted_while_it_runs_ends_in_the_archive(store: ResumeStore) -> None:
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    await source.reached.wait()
    while not kept.entries:
        await asyncio.sleep(0.005)
    await store.delete("s")
    source.opened.set()
    await idle(streams)
    assert kept.endings == ["interrupted"]
    assert [entry.id.partition("-")[0] for entry in kept.entries] == ["1", "2"]  # what came since, no reader was told
    with pytest.raises(UnknownStream):
        await streams.open("s", "me")


@pytest.mark.parametrize("unsure", [False, True])
async def test_an_archive_is_told_what_readers_may_have_been_told_and_nothing_else(valkey: stores.Valkey, unsure: bool) -> None:
    """An event that came when the store had lost its stream was never stored. One whose answer was lost may have been read."""
    kept = Kept()
    here, there = (RedisStore(valkey.url, lease=0.4) for _ in range(2))
    streams = ResumableStreams(here, GUARD, archive=kept)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    while not kept.entries:
        await asyncio.sleep(0.005)
    following = await there.read("s", "me")
    assert following is not None
    had = await anext(following)
    together = here._writing._together
    lost = asyncio.Event()

    async def cut(batch: Any) -> list[Any]:
        """The store takes what is sent and loses it, and its answer is lost."""
        if lost.is_set() or not any('"b\\n"' in call.arguments for call in batch):
            return await together(batch)
        await together(batch)
        had.extend(await anext(following))
        lost.set()
        valkey.ask("FLUSHALL")
        return [ConnectionError()] * len(batch)

    if unsure:
        here._writing._together = cut  # type: ignore[method-assign]
    else:
        valkey.ask("FLUSHALL")
    source.opened.set()
    await idle(streams)
    late = await _all(ResumableStreams(there, GUARD))
    assert told(kept.entries[:-1]) == told(had) == ("a\nb\n" if unsure else "a\n")
    assert (kept.entries[-1], kept.endings) == (late[-1], ["interrupted"])
    for store in (here, there):
        await store.aclose()


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_stream_whose_name_another_has_now_ends_in_its_own_archive(server: str, deleted: bool) -> None:
    """The store forgot it, and somebody else began one of the same name: neither ends the other."""
    prefix = f"samename{deleted}:"
    made = [RedisStore(server, prefix=prefix, lease=60) for _ in range(2)]
    archives = [Kept(), Kept()]
    here, there = (ResumableStreams(store, GUARD, archive=kept) for store, kept in zip(made, archives, strict=True))
    source = Gate(["a\n", "b\n"], 1)
    await here.start("s", "me", lambda: source)
    while not archives[0].entries:
        await asyncio.sleep(0.005)
    if deleted:
        await made[1].delete("s")
    else:
        await made[1]._redis.delete(f"{prefix}stream:s", f"{prefix}meta:s")
    assert await there.start("s", "you", lambda: FakeStream(["c\n"]))
    source.opened.set()
    for streams in (here, there):
        await idle(streams)
    assert [kept.endings for kept in archives] == [["interrupted"], ["done"]]
    assert data(await everything(made[0], owner="you")) == ["c\n", {}]
    for store in made:
        await store.aclose()


# -- a store that refuses ----------------------------------------------------------------------------------------------

REFUSALS = {
    "full": ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
    "without replicas": ("CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0"),
    "a replica": ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_silence_while_the_store_refuses_to_write_is_not_its_producers(valkey: stores.Valkey, refusal: str) -> None:
    """Whoever reads hears nothing for many leases, and does not take the producer for gone; one that is, is found out."""
    writer, other = (RedisStore(valkey.url, lease=0.1, retry=600) for _ in range(2))
    streams = ResumableStreams(writer, GUARD)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    await writer.append(await begun(writer, "gone"), events(1))
    found = [asyncio.create_task(everything(other, stream)) for stream in ("s", "gone")]
    await source.reached.wait()
    broken, mended = REFUSALS[refusal]
    await asyncio.to_thread(valkey.ask, *broken.split())
    asked = 0
    read = other._reading.call

    def counted(*call: Any, **more: Any) -> Any:
        nonlocal asked
        asked += 1
        return read(*call, **more)

    other._reading.call = counted  # type: ignore[method-assign]
    while asked < 60:
        await asyncio.sleep(0.01)
    assert not any(one.done() for one in found)
    source.opened.set()
    await asyncio.to_thread(valkey.ask, *mended.split())
    assert told((await found[0])[:-1]) == "a\nb\n"
    with pytest.raises(ProducerGone):
        await found[1]
    for store in (writer, other):
        await store.aclose()


async def test_what_a_server_refuses_it_is_asked_again_and_nothing_else_waits_for_it(valkey: stores.Valkey) -> None:
    """Keys that a user may not touch for a while: the streams go on, and those under other keys do not notice."""
    refused, free = (RedisStore(valkey.url, prefix=f"{name}:", retry=600, wait=600) for name in ("refused", "free"))
    free._writing = refused._writing  # type: ignore[misc]  # one line for both
    lease, other = await begun(refused), await begun(free)
    valkey.ask("ACL", "SETUSER", "default", "resetkeys", "~free:*")
    appending = asyncio.create_task(refused.append(lease, events(1)))
    for n in range(40):
        await free.append(other, events(n))
    away_after(refused, 0.3)
    with pytest.raises(StoreAway, match="refuses"):
        await refused.stop("s", "me")
    with pytest.raises(StoreAway, match="refuses"):
        await refused.read("s", "me")
    assert not appending.done()
    valkey.ask("ACL", "SETUSER", "default", "allkeys")
    away_after(refused, 600)
    await appending
    await ended(refused, lease)
    assert data(await everything(refused)) == [1, "done"]
    for store in (refused, free):
        await store.aclose()


async def test_streams_need_no_channels(valkey: stores.Valkey, caplog: pytest.LogCaptureFixture) -> None:
    """A user of Redis 7 has none unless they are given: readers look for themselves, and it is said once why."""
    valkey.ask("ACL", "SETUSER", "default", "resetchannels")
    made = [RedisStore(valkey.url, lease=0.2) for _ in range(2)]
    kept = Kept()
    here, there = (ResumableStreams(store, GUARD, archive=kept) for store in made)
    source = Gate(["a\n", "b\n"], 1)
    await here.start("s", "me", lambda: source)
    reading = asyncio.create_task(_all(there))
    await source.reached.wait()
    source.opened.set()
    found = await reading
    await idle(here)
    assert told(found[:-1]) == "a\nb\n"
    assert (kept.entries, kept.endings) == (found, ["done"])
    assert await made[0]._redis.pttl("stream-guard:stream:s") > 0
    endless = Gate(["a\n"], 1)
    await here.start("t", "me", lambda: endless)
    await there.stop("t", "me")  # heard with its next word
    await idle(here)
    said = [record.message for record in caplog.records]
    assert len([one for one in said if "PUBLISH" in one]) == 1
    assert len([one for one in said if "SUBSCRIBE" in one]) <= 2  # one for each store
    for store in made:
        await store.aclose()


@pytest.mark.parametrize(
    ("error", "reason", "why"),
    [
        (
            ResponseError("NOREPLICAS Not enough good replicas to write."),
            "NOREPLICAS",
            "NOREPLICAS Not enough good replicas to write",
        ),
        (
            ResponseError("Error running script (call to f_0a): @user_script:12: @user_script: 12: -OOM command not allowed"),
            "OOM",
            "OOM command not allowed",
        ),
        (
            ResponseError("Error running script (call to f_0a): @user_script:12: WRONGTYPE Operation against a key"),
            "WRONGTYPE",
            "WRONGTYPE Operation against a key",
        ),
        (
            ResponseError("unknown command 'EVAL', with args beginning with: 'secret'"),
            "ResponseError",
            "ResponseError: unknown command",
        ),
        (ResponseError("DB index is out of range"), "DB", "DB index is out of range"),
        (ResponseError("'secret' again"), "ResponseError", "ResponseError"),
        (ReadOnlyError("You can't write."), "ReadOnlyError", "ReadOnlyError: You can't write"),
        (
            ConnectionRefusedError(111, "refused by 10.0.0.1:1."),
            "ConnectionRefusedError",
            "ConnectionRefusedError: [Errno 111] refused by 10.0.0.1:1",
        ),
        (TimeoutError(), "TimeoutError", "TimeoutError"),
        (ValueError("secret"), "ValueError", "ValueError"),
    ],
)
def test_the_log_says_why_in_the_words_of_any_server_without_what_they_quote(error: Exception, reason: str, why: str) -> None:
    """Redis 6 says where it was first. What a command was about is not logged: a server quotes it."""
    assert (line_module._reason(error), line_module._why(error)) == (reason, why)


@pytest.mark.parametrize("taken", ["stream", "meta"])
async def test_a_stream_whose_key_holds_something_else_is_interrupted_for_everybody(valkey: stores.Valkey, taken: str) -> None:
    """What is under the key is not ours, and stays."""
    store = RedisStore(valkey.url, lease=0.2)
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Gate(["a\n", "b\n"], 1)
    await streams.start("s", "me", lambda: source)
    while not kept.entries:
        await asyncio.sleep(0.005)
    reading = asyncio.create_task(_all(streams))
    valkey.ask("SET", f"stream-guard:{taken}:s", "x")
    source.opened.set()
    await idle(streams)
    assert kept.endings == ["interrupted"]
    late = await _all(streams)
    for found in (await reading, late):
        assert data(found)[-1]["ending"] == "interrupted"
    assert await _all(streams, late[-1].id) == []
    away_after(store, 0.3)
    for asked in (streams.stop("s", "me"), streams.start("s", "me", lambda: source)):
        with contextlib.suppress(StoreAway):  # and nothing else
            await asked
    assert b"x" in valkey.ask("GET", f"stream-guard:{taken}:s")
    await store.aclose()


@pytest.mark.parametrize(("place", "over"), [*((at, False) for at in range(1, 7)), *((at, True) for at in range(1, 8))])
async def test_an_entry_that_is_missing_anywhere_is_told_and_never_passed_over(server: str, place: int, over: bool) -> None:
    writer, store = (RedisStore(server, prefix=f"gap{place}{over}:", lease=0.1) for _ in range(2))
    lease = await begun(writer)
    stored = await writer.append(lease, events(*range(1, 7)))
    if over:
        stored.append(await ended(writer, lease))
    await store._redis.xdel(f"gap{place}{over}:stream:s", stored[place - 1].id)
    for after in ("", *(entry.id for entry in stored)):
        number = cursor(after)[0]
        found: list[Entry] = []
        lost = False
        try:
            batches = await store.read("s", "me", after)
            if batches is not None:
                async for batch in batches:
                    found += batch
        except (EntriesLost, Forgotten):
            lost = True
        except ProducerGone:
            assert not over
        assert found == stored[number : number + len(found)]
        if number < place:
            assert lost and len(found) <= place - 1 - number
        elif number > place:
            assert not lost and found == stored[number:]
    for one in (writer, store):
        await one.aclose()


# -- nobody is waited for without a bound --------------------------------------------------------------------------------


async def test_closing_is_bounded_while_an_interruption_is_written_and_the_store_is_away(valkey: stores.Valkey) -> None:
    dead, store = (RedisStore(valkey.url, lease=0.1, retry=600, wait=600) for _ in range(2))
    await dead.append(await begun(dead), events(1))
    await dead.aclose()
    streams = ResumableStreams(store, GUARD, archive=Kept())
    finalize = store.finalize
    reached = asyncio.Event()

    async def away(*arguments: Any) -> Entry:
        away_after(store, 0.3)
        valkey.pause()
        reached.set()
        return await finalize(*arguments)

    store.finalize = away  # type: ignore[method-assign, assignment]
    reading = asyncio.create_task(_all(streams))
    await reached.wait()
    await asyncio.wait_for(streams.aclose(), 300)
    assert not streams._endings
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await asyncio.wait_for(store.aclose(), 300)


async def test_closing_is_bounded_while_an_archive_does_not_answer(store: ResumeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams_module, "PATIENCE", 0.05)
    store.retry = 0.1
    kept = Failing()
    kept.waits = True
    streams = ResumableStreams(store, GUARD, archive=kept)
    await streams.start("s", "me", lambda: FakeStream(["a\n"]))
    while not kept.asked:
        await asyncio.sleep(0.001)
    await asyncio.wait_for(streams.aclose(), 300)


@pytest.mark.parametrize("seconds", [0.5, 1, 3, 5, 7, 3_600])
@pytest.mark.parametrize("within", [0, 0.5, 2, 4, 10, 60])
@pytest.mark.parametrize("where", ["reading", "closing", "clinging"])
@pytest.mark.some(40)
async def test_what_a_provider_takes_to_close_is_not_taken_from_the_store(
    caplog: pytest.LogCaptureFixture, where: str, within: float, seconds: float
) -> None:
    """As the process ends, the end of the stream is stored and sent, and the log does not say that the store is away."""
    kept, store = Kept(), MemoryStore()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Reluctant(where, seconds)
    with virtual_time():
        await streams.start("s", "me", lambda: source if where == "closing" else source.said())
        reading = asyncio.create_task(_all(streams))
        await asyncio.sleep(0.1)
        began = asyncio.get_running_loop().time()
        await streams.aclose(within=within)
        assert asyncio.get_running_loop().time() - began <= max(within, 8) + 5
        found = await reading
        source.let_go.set()
    assert (data(found)[0], data(found)[-1]["ending"]) == ("a\n", "interrupted")
    assert kept.endings == ["interrupted"]
    assert all(record.getMessage().startswith("a provider's stream ") for record in caplog.records)


class Reluctant(FakeStream):
    """A stream that says something, waits, and takes its time to end: while it is read, or when it is closed."""

    def __init__(self, where: str, seconds: float) -> None:
        super().__init__(["a\n"])
        self._clings = where == "clinging"
        self._seconds = seconds
        self.let_go = asyncio.Event()

    async def __anext__(self) -> Any:
        if self.read:
            await self.let_go.wait()
        return await super().__anext__()

    async def aclose(self) -> None:
        await asyncio.sleep(self._seconds)

    async def said(self) -> AsyncIterator[str]:
        """The same as a generator, whose `finally` takes its time; one that clings takes no cancellation either."""
        loop = asyncio.get_running_loop()
        try:
            yield "a\n"
            await self.let_go.wait()
        finally:
            until = loop.time() + self._seconds
            while loop.time() < until and not self.let_go.is_set():
                try:
                    await asyncio.sleep(until - loop.time())
                except asyncio.CancelledError:
                    if not self._clings:
                        raise


class Clinging(FakeStream):
    """A stream that says something, and then takes no cancellation."""

    def __init__(self, deltas: Any, let_go: asyncio.Event) -> None:
        super().__init__(deltas)
        self._let_go = let_go

    async def __anext__(self) -> str:
        while self.read and not self._let_go.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self._let_go.wait()
        return str(await super().__anext__())


class Hanging(FakeStream):
    """A stream that ends, and does not close."""

    async def aclose(self) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("how", ["close", "cling"])
async def test_a_provider_that_does_not_let_go_keeps_nobody_waiting(
    store: ResumeStore, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Neither readers nor who closes: its stream is told its end, and it is left alone."""
    monkeypatch.setattr(streams_module, "PATIENCE", 0.05)
    let_go = asyncio.Event()
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    source = Hanging(["a\n"]) if how == "close" else Clinging(["a\n", "b\n"], let_go)
    await streams.start("s", "me", lambda: source)
    if how == "cling":
        while not kept.entries:
            await asyncio.sleep(0.001)
        await streams.stop("s", "me")
    found = await asyncio.wait_for(_all(streams), 300)
    assert (data(found[:1]), data(found)[-1]) == (["a\n"], {} if how == "close" else {"ending": "stopped"})
    await asyncio.wait_for(streams.aclose(), 300)
    assert kept.endings == ["done" if how == "close" else "stopped"]
    let_go.set()


@pytest.mark.parametrize("how", ["close", "cling"])
async def test_a_worker_that_waits_for_a_provider_counts_as_alive(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Longer than its lease: the stream ends as it was to end, and nobody takes it over."""
    monkeypatch.setattr(streams_module, "PATIENCE", 1.2)
    writer, other = (RedisStore(server, prefix=f"{tmp_path.name}:", lease=0.4) for _ in range(2))
    writing, reading = ResumableStreams(writer, GUARD), ResumableStreams(other, GUARD)
    let_go = asyncio.Event()
    source = Hanging(["a\n"]) if how == "close" else Clinging(["a\n", "b\n"], let_go)
    await writing.start("s", "me", lambda: source)
    entries = await reading.open("s", "me")
    assert entries is not None
    found = [await anext(entries)]
    if how == "cling":
        await reading.stop("s", "me")
    found += [entry async for entry in entries]
    let_go.set()
    await idle(writing)
    assert data(found) == ["a\n", {} if how == "close" else {"ending": "stopped"}]
    for store in (writer, other):
        await store.aclose()


CONTROLS = ("a\nb", "a\r", "\x00", "\x7f", "\x85", "\x9f", "\u2028", "\u2029", "\ud800")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", *CONTROLS])
async def test_a_stream_that_no_address_could_have_is_refused(store: ResumeStore, name: str) -> None:
    streams = ResumableStreams(store, GUARD)
    with pytest.raises(ValueError, match="not a name for a stream"):
        await streams.start(name, "me", lambda: FakeStream(["never"]))
    for asked in (streams.open(name, "me"), streams.stop(name, "me")):
        with pytest.raises(UnknownStream):
            await asked
    assert not streams.running


@pytest.mark.parametrize("owner", ["", *CONTROLS])
async def test_an_owner_has_no_control_characters(store: ResumeStore, owner: str) -> None:
    streams = ResumableStreams(store, GUARD)
    with pytest.raises(ValueError, match="not an owner"):
        await streams.start("s", owner, lambda: FakeStream(["never"]))
    for asked in (streams.open("s", owner), streams.stop("s", owner)):
        with pytest.raises(UnknownStream):
            await asked
    assert await streams.start("s", "a é/😀", lambda: FakeStream(["a\n"]))
    assert await streams.open("s", "a é/😀") is not None
    await streams.aclose(grace=5)


@pytest.mark.parametrize("most", [1, 2])
async def test_too_few_connections_are_refused_at_once(server: str, most: int) -> None:
    with pytest.raises(ValueError, match="one that subscribes; give it max_connections=3"):
        RedisStore(f"{server}?max_connections={most}")
    with pytest.raises(ValueError, match="max_connections=3"):
        RedisStore(Redis.from_url(server, decode_responses=True, max_connections=most))


# -- whatever happens, in whatever order -------------------------------------------------------------------------------


class Chain:
    """A writer that says with each event which one it knows to be before it."""

    def __init__(self, store: RedisStore, lease: Lease, last: str) -> None:
        self.store = store
        self.lease = lease
        self.last = last

    async def append(self, count: int) -> None:
        batch: list[SseFields] = []
        last = self.last
        for number in range(self.lease.length + 1, self.lease.length + 1 + count):
            batch.append({"event": "text", "data": json.dumps(last)})
            last = f"{number}-{self.lease.generation}"
        await self.store.append(self.lease, batch)
        self.last = last

    async def end(self, ending: Ending) -> None:
        await self.store.finalize(self.lease, ending, {"event": "done", "data": json.dumps([ending, self.last])})


class Follower:
    """A reader that comes and goes."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.ended = ""

    async def visit(self, store: RedisStore) -> None:
        if self.ended:
            return
        after = self.entries[-1].id if self.entries else ""
        try:
            batches = await store.read("s", "me", after)
            assert batches is not None
            async with contextlib.aclosing(batches), asyncio.timeout(0.01):
                async for batch in batches:
                    for entry in batch:
                        self._take(entry)
        except (EntriesLost, Forgotten, UnknownStream):
            self.ended = "lost"
        except (TimeoutError, ProducerGone):
            pass

    def _take(self, entry: Entry) -> None:
        assert not self.ended
        before = self.entries[-1].id if self.entries else ""
        self.entries.append(entry)
        if entry.event == "done":
            self.ended, last = json.loads(entry.data)
            assert self.ended == "interrupted" or last == before
        else:
            assert json.loads(entry.data) == before


@pytest.mark.more
@pytest.mark.parametrize("seed", range(25 * int(os.environ.get("OUTAGES", "0")) or 12))
async def test_no_reader_is_handed_a_hole_in_whatever_order_things_happen(valkey: stores.Valkey, seed: int) -> None:
    """Each event says which one its writer knew to be before it: for every reader it is the one that it had before it."""
    chance = random.Random(seed)
    made = [RedisStore(valkey.url, lease=0.1, maxlen=1000) for _ in range(3)]
    redis = Redis.from_url(valkey.url)
    readers = [Follower() for _ in range(6)]
    writers = [Chain(made[0], await begun(made[0]), "")]
    kept: dict[Any, bytes] = {}

    def doubled(call: Any) -> Any:
        def twice(*arguments: Any) -> Any:
            if chance.random() < 0.3:
                call(*arguments).add_done_callback(lambda answer: answer.cancelled() or answer.exception())
            return call(*arguments)

        return twice

    for store in made:
        store._writing.call = doubled(store._writing.call)  # type: ignore[method-assign]

    async def write() -> None:
        writer = chance.choice(writers)
        try:
            if chance.random() < 0.15:
                await writer.end("done")
            else:
                await writer.append(chance.randrange(4))
        except LeaseLost:
            pass
        except EntriesLost:
            if chance.random() < 0.7:
                with contextlib.suppress(LeaseLost):
                    await writer.end("interrupted")

    async def take_over() -> None:
        store = chance.choice(made)
        heard = await redis.hget("stream-guard:meta:s", "beats")
        lease = await store.acquire("s", "me", ProducerGone("s", int(heard or 0)))
        if lease is not None:
            last: Any = await redis.xrevrange("stream-guard:stream:s", count=1)
            writers.append(Chain(store, lease, str(last[0][0], "ascii") if last else ""))

    async def remember() -> None:
        kept.clear()
        for key in await redis.keys("*"):
            kept[key] = await redis.dump(key) or b""

    async def come_back_older() -> None:
        await redis.flushall()
        for key, value in kept.items():
            if chance.random() < 0.95:  # or else the server made room
                await redis.restore(key, 0, value)

    async def read() -> None:
        await chance.choice(readers).visit(chance.choice(made))

    moves = [write] * 8 + [read] * 5 + [take_over, remember, come_back_older]
    for _ in range(60):
        await chance.choice(moves)()
    for reader in readers:
        await reader.visit(made[0])
    for store in made:
        await store.aclose()
    await redis.aclose()


# -- streams that are guarded already ----------------------------------------------------------------------------------


class Agent:
    """Two replies of a model whose calls are run here; the first call waits until it may end."""

    def __init__(self, store: ResumeStore) -> None:
        self.ran: list[str] = []
        self.running, self.ends, self.left = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.tools = Toolset(Tool.of(WRITE_FILE, handler=self._write))
        self.streams = ResumableStreams(store, None)

    async def _write(self, call: dict[str, Any]) -> str:
        self.running.set()
        try:
            await self.ends.wait()
        finally:
            self.left.set()
        self.ran.append(call["path"])
        return f"written: {call['path']}"

    async def __call__(self) -> AsyncGenerator[Any, None]:
        guard = Guard(self.tools)
        for deltas in (list(TEXT), ["Done.\n"]):
            async with run(guard.stream(FakeStream(deltas)), self.tools) as turn:
                async for item in turn:
                    yield item


async def test_calls_that_run_behind_a_stream_survive_a_reload(store: ResumeStore) -> None:
    """They run once, whoever reads, and a page that comes from anywhere gets the rest, results included."""
    agent = Agent(store)
    assert await agent.streams.start("s", "me", agent)
    entries = await agent.streams.open("s", "me")
    assert entries is not None
    await anext(entries)
    await entries.aclose()  # the page is gone
    await agent.running.wait()
    agent.ends.set()
    whole = await _all(agent.streams)
    assert told(whole) == TEXT + "Done.\n"
    names = [entry.event for entry in whole]
    assert [*dict.fromkeys(names)] == ["text", "json-tool-status", "json-tool-block", "json-tool-result", "done"]
    result = json.loads(whole[names.index("json-tool-result")].data)
    assert (result["ok"], result["text"], agent.ran) == (True, "written: a.txt", ["a.txt"])
    for at, entry in enumerate(whole):
        assert await _all(agent.streams, entry.id) == whole[at + 1 :]


async def test_a_stop_cancels_the_call_that_runs_behind_a_stream(store: ResumeStore) -> None:
    agent = Agent(store)
    await agent.streams.start("s", "me", agent)
    await agent.running.wait()
    await agent.streams.stop("s", "me")
    await agent.left.wait()
    whole = await _all(agent.streams)
    assert json.loads(whole[-1].data) == {"ending": "stopped"}
    assert ("json-tool-result" in [entry.event for entry in whole], agent.ran) == (False, [])
    await idle(agent.streams)


async def test_a_worker_that_dies_while_a_call_runs_interrupts_the_stream_and_nobody_runs_it_again(server: str) -> None:
    dead, alive = (RedisStore(server, prefix="agent:", lease=0.2) for _ in range(2))
    agent, other = Agent(dead), Agent(alive)
    await agent.streams.start("s", "me", agent)
    await agent.running.wait()
    away_after(dead, 0.2)
    await dead.aclose()  # and never a word again
    whole = await _all(other.streams)
    assert json.loads(whole[-1].data)["ending"] == "interrupted"
    assert (agent.ran, other.ran) == ([], [])
    await agent.streams.aclose()
    await alive.aclose()


async def test_a_guarded_stream_of_a_clients_own_events_is_stored_with_its_text(store: ResumeStore) -> None:
    chunks = [{"choices": [{"index": 0, "delta": {"content": delta}}]} for delta in (*TEXT, "")]
    streams = ResumableStreams(store, None)
    await streams.start("s", "me", lambda: guard_chat(FakeStream(chunks), GUARD))
    whole = await _all(streams)
    assert (told(whole), whole[-1].event) == (TEXT, "done")


@pytest.mark.parametrize("guard", [GUARD, None])
@pytest.mark.parametrize(
    ("items", "ending"),
    [([b"abc", {"a": 1}], "error"), ([b"abc", "x\n", 7], "done"), (["x\n", b"abc", 7], "done"), ([], "done")],
)
async def test_what_cannot_be_read_is_counted_and_logged_once(
    store: ResumeStore, caplog: pytest.LogCaptureFixture, guard: Guard | None, items: list[Any], ending: str
) -> None:
    """A stream of which nothing can be read has failed."""
    why: list[str] = []
    streams = ResumableStreams(store, guard, on_uninspected=why.append)
    await streams.start("s", "me", lambda: FakeStream(items))
    whole = await _all(streams)
    assert whole[-1].event == ending
    assert [entry.data for entry in whole[:-1]] == (['"x\\n"'] if "x\n" in items else [])
    assert why == ["odd event"] * sum(not isinstance(item, str) for item in items)
    logged = [record.getMessage() for record in caplog.records if "cannot be read, of the type bytes" in record.getMessage()]
    assert len(logged) == bool(items)
    assert "abc" not in caplog.text
