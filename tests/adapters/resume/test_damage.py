"""A stream that somebody else changed in the store: everybody comes to an end, and nobody is told anything wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from stream_guard_adapters.resume import Entry, Forgotten, MemoryStore, RedisStore, ResumableStreams, UnknownStream
from stream_guard_conformance.chaos import Chaos, Plan

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.proof import Cases
from tests.kit.resuming import Gate, Kept, begun, events, idle

GUARD = Guard(FILE_TOOLS)
TEXTS = ["a\n", "b\n", "c\n", "d\n"]

FIELDS = ["state", "owner", "holder", "birth", "epoch", "length", "beats", "lease", "trimmed"]
FIELDS += ["stop", "lost", "unarchived", "gone", "checked"]
VALUES = (None, "", "x", "you", "-1", "0", "1", "3", "99", "007", "1e400", "9" * 20, "9" * 400, "é")
STATES = ("running", "done", "failed", "stopped", "interrupted", "deleted")
DAMAGE = [(field, value) for field in FIELDS for value in VALUES] + [("state", state) for state in STATES]
EACH = int(os.environ.get("DAMAGED", "3"))
"""A test tries one of so many damages, each test others, and under `make more` all of them."""

ENDS = ("over", "unknown", "forgotten")
"""What a reader is told that is no event: 204, 404, 410."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with stores.running(tmp_path_factory.mktemp("v")) as url:
        yield url


class Damaged:
    """Two workers, and somebody who changes what they have in the store."""

    def __init__(self, url: str, prefix: str) -> None:
        self.prefix = prefix
        self.stores = [RedisStore(url, prefix=prefix, lease=0.4, retry=30, wait=30) for _ in range(3)]
        self.kept = Kept()
        self.here, self.there = (ResumableStreams(store, GUARD, archive=self.kept) for store in self.stores[:2])
        self.redis: Any = Redis.from_url(url, decode_responses=True)

    async def aclose(self) -> None:
        await asyncio.gather(self.here.aclose(), self.there.aclose())
        for store in self.stores:
            await store.aclose()
        await self.redis.aclose()

    async def damage(self, stream: str, field: str, value: str | None) -> None:
        """Change a field of a stream, or remove it."""
        key = f"{self.prefix}meta:{stream}"
        await (self.redis.hdel(key, field) if value is None else self.redis.hset(key, field, value))

    async def stored(self, stream: str, count: int) -> list[str]:
        """The ids of a stream, when there are so many."""
        while len(found := await self.redis.xrange(f"{self.prefix}stream:{stream}")) < count:
            await asyncio.sleep(0.005)
        return [known for known, _ in found]


@pytest.fixture
async def damaged(server: str, tmp_path: Path) -> AsyncIterator[Damaged]:
    made = Damaged(server, f"{tmp_path.name}:")
    yield made
    await made.aclose()


async def heard(streams: ResumableStreams, stream: str, after: str = "", owner: str = "me") -> list[Entry] | str:
    """What a reader is told: events to the end, or a word."""
    try:
        entries = await streams.open(stream, owner, after)
    except UnknownStream:
        return "unknown"
    except Forgotten:
        return "forgotten"
    return "over" if entries is None else [entry async for entry in entries]


def check(told: list[Entry] | str, skipped: int = 0, *, whole: int = len(TEXTS)) -> None:
    """Everything in order, and an end: `done` behind everything, or `interrupted`."""
    if isinstance(told, str):
        assert told in ENDS
        return
    *entries, last = told
    assert [json.loads(entry.data) for entry in entries] == TEXTS[skipped : skipped + len(entries)]
    if last.event == "error":
        assert json.loads(last.data)["ending"] == "interrupted"
    else:
        assert last.event == "done"
        assert skipped + len(entries) == whole or json.loads(last.data) == {"ending": "stopped"}


async def afterwards(damaged: Damaged, stream: str, ids: list[str]) -> None:
    """Whoever comes later comes to an end too, at both workers, and another owner is told nothing."""
    for streams in (damaged.here, damaged.there):
        for at, after in enumerate(["", *ids]):
            told = await heard(streams, stream, after)
            check(told, at)
            if not isinstance(told, str):
                assert await heard(streams, stream, told[-1].id) in ENDS
        for owner in ("you", "x", "0", "é"):
            told = await heard(streams, stream, "", owner)
            assert isinstance(told, str) or not any(entry.event == "text" for entry in told)


async def all_of(jobs: list[Any]) -> None:
    """All of them, some at a time."""
    places = asyncio.Semaphore(40)

    async def one(job: Any) -> None:
        async with places:
            await asyncio.wait_for(job, 300)

    await asyncio.gather(*(one(job) for job in jobs))


@pytest.mark.more
async def test_a_stream_that_is_written_ends_whatever_was_changed(cases: Cases, damaged: Damaged) -> None:
    """Its producer lives, and notices: readers get an end, those who come later too, and the archive gets one."""

    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"live{at}"
        source = Gate(list(TEXTS), 2)
        await damaged.here.start(stream, "me", lambda: source)
        ids = await damaged.stored(stream, 2)
        following = asyncio.create_task(heard(damaged.there, stream))
        middle = asyncio.create_task(heard(damaged.here, stream, ids[0]))
        await asyncio.sleep(0.01)
        await damaged.damage(stream, field, value)
        source.opened.set()
        found = await asyncio.gather(following, middle)
        for skipped, told in enumerate(found):
            check(told, skipped)
        await afterwards(damaged, stream, ids)
        await idle(damaged.here, stream)
        assert source.closed == 1
        (ending,) = damaged.kept.endings_of[stream]
        for told in found:
            assert isinstance(told, str) or json.loads(told[-1].data).get("ending", "done") in (ending, "interrupted")

    damages = DAMAGE[0 % EACH :: EACH]
    cases(len(damages))
    await all_of([one(at, *change) for at, change in enumerate(damages)])


@pytest.mark.more
async def test_a_stream_that_nobody_writes_ends_whatever_was_changed(cases: Cases, damaged: Damaged) -> None:
    """Its worker died: no reader waits for ever, whether it was there before or not, and the archive gets one end."""

    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"dead{at}"
        lease = await begun(damaged.stores[2], stream)
        ids = [entry.id for entry in await damaged.stores[2].append(lease, events(*TEXTS[:2]))]
        following = [asyncio.create_task(heard(damaged.there, stream, after)) for after in ("", ids[0], ids[1])]
        await asyncio.sleep(0.01)
        await damaged.damage(stream, field, value)
        for skipped, told in enumerate(following):
            check(await told, skipped, whole=-1)
        await afterwards(damaged, stream, ids)
        for streams in (damaged.here, damaged.there):
            await idle(streams, stream)
        known = field not in ("owner", "birth") and value != "deleted"  # whose it is, and that it is there
        assert damaged.kept.endings_of[stream] == ["interrupted"] * known

    damages = DAMAGE[1 % EACH :: EACH]
    cases(len(damages))
    await all_of([one(at, *change) for at, change in enumerate(damages)])


@pytest.mark.more
async def test_a_stream_that_has_ended_is_told_to_its_end_or_as_interrupted(cases: Cases, damaged: Damaged) -> None:
    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"over{at}"
        await damaged.here.start(stream, "me", lambda: FakeStream(list(TEXTS)))
        ids = await damaged.stored(stream, len(TEXTS) + 1)
        await damaged.damage(stream, field, value)
        await afterwards(damaged, stream, ids)

    damages = DAMAGE[2 % EACH :: EACH]
    cases(len(damages))
    await all_of([one(at, *change) for at, change in enumerate(damages)])
    await idle(damaged.here)


@pytest.mark.more
async def test_whatever_was_changed_a_stream_can_be_asked_about_stopped_and_deleted(cases: Cases, damaged: Damaged) -> None:
    """And its name is free again when it is deleted."""

    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"ask{at}"
        store = damaged.stores[2]
        await store.append(await begun(store, stream), events(*TEXTS))
        await damaged.damage(stream, field, value)
        await store.status(stream)
        await store.left(stream, "me")
        with contextlib.suppress(UnknownStream):
            await store.stop(stream, "me")
        assert not await damaged.here.start(stream, "you", lambda: FakeStream(["e\n"])) or value == "deleted"
        await store.delete(stream)
        assert await heard(damaged.there, stream) == "unknown"
        assert await damaged.here.start(stream, "you", lambda: FakeStream(["e\n"]))
        assert await heard(damaged.there, stream) == "unknown"
        told = await heard(damaged.there, stream, "", "you")
        assert [entry.event for entry in told if isinstance(entry, Entry)] == ["text", "done"]

    damages = DAMAGE[3 % EACH :: EACH]
    cases(len(damages))
    await all_of([one(at, *change) for at, change in enumerate(damages)])


@pytest.mark.parametrize("live", [True, False])
async def test_an_entry_that_somebody_else_put_into_a_stream_ends_it(damaged: Damaged, live: bool) -> None:
    """Behind its place nothing can be written, and what is in it is none of ours."""
    source = Gate(list(TEXTS), 2)
    if live:
        await damaged.here.start("s", "me", lambda: source)
    else:
        await damaged.stores[2].append(await begun(damaged.stores[2]), events(*TEXTS[:2]))
    ids = await damaged.stored("s", 2)
    following = asyncio.create_task(heard(damaged.there, "s"))
    await damaged.redis.xadd(f"{damaged.prefix}stream:s", {"foreign": "thing"}, "77-77")
    source.opened.set()
    check(await following)
    await afterwards(damaged, "s", ids)
    await idle(damaged.here)


async def test_one_that_was_taken_away_again_ends_it_too(damaged: Damaged) -> None:
    """The server knows the largest id that ever was, and takes no smaller one."""
    await damaged.stores[2].append(await begun(damaged.stores[2]), events(*TEXTS[:2]))
    key = f"{damaged.prefix}stream:s"
    await damaged.redis.xadd(key, {"foreign": "thing"}, "77-77")
    await damaged.redis.xdel(key, "77-77")
    check(await heard(damaged.there, "s"), whole=-1)
    await idle(damaged.there)
    assert damaged.kept.endings == ["interrupted"]


@pytest.mark.parametrize("written", [2, 4])
@pytest.mark.parametrize("removed", ["all", "first", "last", "trimmed", "trimmed to nothing"])
async def test_entries_that_somebody_else_removed_from_a_running_stream_interrupt_it(
    damaged: Damaged, removed: str, written: int
) -> None:
    """With its next word, or with its end: no stream is done whose entries are gone."""
    source = Gate(list(TEXTS), written)
    await damaged.here.start("s", "me", lambda: source)
    ids = await damaged.stored("s", written)
    key = f"{damaged.prefix}stream:s"
    if removed == "all":
        await damaged.redis.delete(key)
    elif removed.startswith("trimmed"):
        await damaged.redis.xtrim(key, maxlen=0 if "nothing" in removed else 1, approximate=False)
    else:
        await damaged.redis.xdel(key, ids[0 if removed == "first" else -1])
    source.opened.set()
    await idle(damaged.here)

    assert damaged.kept.endings == ["interrupted"]
    status = await damaged.stores[1].status("s")
    assert status is not None and status.state == "interrupted"
    for streams in (damaged.here, damaged.there):
        told = await heard(streams, "s", ids[-1])
        assert isinstance(told, list) and json.loads(told[-1].data)["ending"] == "interrupted"
        assert await heard(streams, "s", told[-1].id) == "over"


@pytest.mark.parametrize("how", ["all", "last", "foreign"])
async def test_a_stream_that_nobody_can_read_or_continue_ends_in_the_archive(damaged: Damaged, how: str) -> None:
    """Its worker died, and its entries are gone: the worker of a reader ends it, once, and touches nothing of anybody else."""
    ids = [entry.id for entry in await damaged.stores[2].append(await begun(damaged.stores[2]), events(*TEXTS))]
    key = f"{damaged.prefix}stream:s"
    if how == "last":
        await damaged.redis.xdel(key, ids[-1])
    else:
        await damaged.redis.delete(key)
    if how == "foreign":
        await damaged.redis.set(key, "x")
    for _ in range(3):
        for streams in (damaged.here, damaged.there):
            check(await heard(streams, "s", ids[-1]), len(ids))
            await idle(streams)

    assert damaged.kept.endings == ["interrupted"]
    status = await damaged.stores[1].status("s")
    assert status is not None and status.state == "interrupted"
    if how == "foreign":
        assert await damaged.redis.get(key) == "x" and await damaged.redis.ttl(key) == -1


@pytest.mark.parametrize("over", [False, True])
async def test_what_has_expired_is_never_archived_as_done(server: str, tmp_path: Path, over: bool) -> None:
    """Nobody knows whether the archive has its events. One that was still running has lost them, and ends as interrupted."""
    store = RedisStore(server, prefix=f"{tmp_path.name}:", ttl=0.01, lease=0.1)
    kept = Kept()
    streams = ResumableStreams(store, GUARD, archive=kept)
    lease = await begun(store)
    lease.archived = False
    await store.append(lease, events(*TEXTS))
    if over:
        await store.finalize(lease, "done", {"event": "done", "data": "{}"})
    while await store._redis.exists(f"{tmp_path.name}:stream:s"):
        await asyncio.sleep(0.01)
    told = await heard(streams, "s")
    assert told == "forgotten" if over else not isinstance(told, str) and json.loads(told[-1].data)["ending"] == "interrupted"
    await idle(streams)
    assert kept.endings == ([] if over else ["interrupted"])
    await store.aclose()


@pytest.mark.parametrize("how", ["DEL", "XTRIM"])
async def test_entries_of_a_running_stream_that_somebody_removed_are_lost_and_not_forgotten(damaged: Damaged, how: str) -> None:
    """A reader gets an end, from the moment they are gone, and whether or not its producer lives to say so."""
    written = await damaged.stores[2].append(await begun(damaged.stores[2]), events(*TEXTS))
    key = f"{damaged.prefix}stream:s"
    await (damaged.redis.delete(key) if how == "DEL" else damaged.redis.xtrim(key, maxlen=1, approximate=False))
    streams = ResumableStreams(damaged.stores[1], GUARD)
    for after in ("", written[0].id, *([written[-1].id] if how == "DEL" else [])):
        told = await heard(streams, "s", after)
        assert not isinstance(told, str)
        assert json.loads(told[-1].data)["ending"] == "interrupted"


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("archived", [False, True])
async def test_a_dead_workers_stream_ends_also_when_all_its_readers_are_ahead_of_an_older_store(
    damaged: Damaged, archived: bool, again: bool
) -> None:
    """They get their end at once, and the stream gets one as well, or is continued by who can."""
    await damaged.stores[2].append(await begun(damaged.stores[2]), events(*TEXTS[:2]))
    streams = damaged.there if archived else ResumableStreams(damaged.stores[1], GUARD)
    for _ in range(3):  # where the store was late for who looked, the next reader looks again
        entries = await streams.open("s", "me", "7-7", (lambda: FakeStream(list(TEXTS))) if again else None)
        assert entries is not None
        check([entry async for entry in entries], 7)
        await idle(streams)
        status = await damaged.stores[0].status("s")
        if status is None or status.state != "running":
            break
    ending = "done" if again else "interrupted"
    assert status is not None and status.state == ending
    assert damaged.kept.endings == [ending] * archived
    check(await heard(damaged.here, "s"))


async def test_a_stream_that_is_written_goes_on_whoever_is_ahead_of_it(damaged: Damaged) -> None:
    """What looks whether it has a worker ends with the first heartbeat, and not with the stream."""
    source = Gate(list(TEXTS), 2)
    await damaged.here.start("s", "me", lambda: source)
    await damaged.stored("s", 2)
    check(await heard(damaged.there, "s", "7-7"), 7)
    assert damaged.there._checks
    await idle(damaged.there)
    source.opened.set()
    check(await heard(damaged.there, "s"))
    await idle(damaged.here)
    assert damaged.kept.endings == ["done"]


async def test_entries_that_the_store_let_go_of_interrupt_nothing(server: str, tmp_path: Path) -> None:
    store = RedisStore(server, prefix=f"{tmp_path.name}:", maxlen=10)
    lease = await begun(store)
    for at in range(0, 1000, 50):
        await store.append(lease, events(*range(at, at + 50)))
    await store.finalize(lease, "done", {"event": "done", "data": "{}"})
    status = await store.status("s")
    assert status is not None and (status.state, status.length) == ("done", 1001)
    with pytest.raises(Forgotten):
        await store.read("s", "me")
    await store.aclose()


@pytest.mark.parametrize("kind", ["memory", "valkey"])
async def test_a_reader_that_the_store_let_go_of_is_interrupted_and_its_place_is_gone(
    kind: str, server: str, tmp_path: Path
) -> None:
    """It reads so slowly that events which it did not have yet are kept no more, however well their stream ends."""
    store: MemoryStore | RedisStore = (
        MemoryStore(maxlen=10) if kind == "memory" else RedisStore(server, prefix=f"{tmp_path.name}:", maxlen=10)
    )
    streams = ResumableStreams(store, GUARD)
    source = Gate(["one\n", *["more\n"] * 2000], 1)
    await streams.start("s", "me", lambda: source)
    entries = await streams.open("s", "me")
    assert entries is not None
    first = await anext(entries)
    source.opened.set()
    await idle(streams)
    status = await store.status("s")
    assert status is not None and status.state == "done"
    rest = [entry async for entry in entries]
    assert "interrupted" in rest[-1].data
    numbers = [int(entry.id.partition("-")[0]) for entry in (first, *rest[:-1])]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) < 1000
    with pytest.raises(Forgotten):
        await streams.open("s", "me", first.id)
    await streams.aclose()
    if isinstance(store, RedisStore):
        await store.aclose()


async def test_behind_the_end_of_a_lost_place_there_is_nothing_whatever_is_left(damaged: Damaged) -> None:
    """Its reader had an end: it is not told that the rest is no longer kept, nor to come back."""
    source = Gate(list(TEXTS), 4)
    await damaged.here.start("s", "me", lambda: source)
    ids = await damaged.stored("s", 4)
    await damaged.redis.xdel(f"{damaged.prefix}stream:s", ids[0])
    for at in (1, 3, 9):
        assert await heard(damaged.there, "s", f"{at}-0") == "over"
    assert await heard(damaged.there, "s", "3-0", "you") == "unknown"
    source.opened.set()
    await idle(damaged.here)


class Meddler:
    """Changes the next answer that has a text in it."""

    def __init__(self) -> None:
        self.meddles: tuple[bytes, Any] | None = None
        """The text, and what is sent in place of the answer, made of it."""

        self.meddled = 0
        """How often it did."""

    def __call__(self, data: bytes) -> bytes:
        if self.meddles is not None and self.meddles[0] in data:
            data, self.meddles, self.meddled = self.meddles[1](data), None, 1
        return data


MEDDLING = {
    "one too many": lambda data: b"+OK\r\n" + data,
    "behind": lambda data: data + b"+OK\r\n",
    "twice": lambda data: data + data,
    "of another call": lambda data: b"*2\r\n$1\r\n0\r\n*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n" + data,
    "an error": lambda data: b"-WRONGTYPE of another call\r\n" + data,
    "no script": lambda data: b"-NOSCRIPT of another call\r\n" + data,
    "no answer": lambda data: b"?\r\n" + data,
    "no number": lambda data: b":x\r\n" + data,
    "a number inside": lambda data: re.sub(rb"(\r\n)(\$\d+\r\n\d+-\d+\r\n)", rb"\1:1\r\n\2", data, count=1),
    "a number before an event's data": lambda data: re.sub(rb"(\r\n)(\$\d+\r\n\"secret)", rb"\1:1\r\n\2", data, count=1),
    "a number in place of the answer": lambda data: re.sub(rb"(\r\n)(\*\d+\r\n:)", rb"\1:1\r\n\2", data, count=1),
    "an answer that is nothing": lambda data: re.sub(rb"(\r\n)(\*\d+\r\n:)", rb"\1*0\r\n\2", data, count=1),
}


@pytest.mark.parametrize("how", MEDDLING)
async def test_an_answer_too_many_shows_nobody_anothers_events_and_is_got_over(tmp_path: Path, how: str) -> None:
    """A client takes answers in their order, so that from then on each call would get the answer to another one."""
    owners = ("ann", "bob", "cem")
    right = [[f'"secret of {owner}"', "{}"] for owner in owners]
    with stores.server(tmp_path / "valkey") as valkey:
        meddler = Meddler()
        async with Chaos(valkey.url, down=Plan(changes=meddler)) as address:
            writer, reader = RedisStore(valkey.url), RedisStore(address, retry=20, wait=20)
            streams = ResumableStreams(reader, GUARD)
            for owner in owners:
                lease = await begun(writer, owner, owner)
                await writer.append(lease, events(f"secret of {owner}"))
                await writer.finalize(lease, "done", {"event": "done", "data": "{}"})

            async def told(owner: str) -> list[str]:
                found = await heard(streams, owner, "", owner)
                assert isinstance(found, list)
                return [entry.data for entry in found]

            assert await asyncio.gather(*map(told, owners)) == right
            meddler.meddles = b"secret of", MEDDLING[how]
            for _ in range(5):
                assert await asyncio.wait_for(asyncio.gather(*map(told, owners)), 300) == right
            assert meddler.meddled == 1
            assert await streams.start("dan", "dan", lambda: FakeStream(["secret of dan"]))
            assert await told("dan") == ['"secret of dan"', "{}"]
            await streams.aclose()
            for store in (writer, reader):
                await store.aclose()
