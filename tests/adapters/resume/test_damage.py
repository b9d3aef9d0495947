"""A stream that somebody else changed in the store: everybody comes to an end, and nobody is told anything wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from stream_guard_adapters.resume import Entry, Forgotten, RedisStore, ResumableStreams, UnknownStream

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.proof import Cases
from tests.kit.resuming import Gate, Kept, begun, events, idle

GUARD = Guard(FILE_TOOLS)
TEXTS = ["a\n", "b\n", "c\n", "d\n"]

FIELDS = ("state", "owner", "holder", "birth", "epoch", "length", "beats", "stop", "lost", "unarchived", "gone", "doubted")
VALUES = (None, "", "x", "you", "-1", "0", "1", "3", "99", "007", "1e400", "9" * 20, "9" * 400, "é")
STATES = ("running", "done", "failed", "stopped", "interrupted", "deleted")
DAMAGE = [(field, value) for field in FIELDS for value in VALUES] + [("state", state) for state in STATES]
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
        self.stores = [RedisStore(url, prefix=prefix, lease=0.4, retry=5, wait=5) for _ in range(3)]
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
            await asyncio.wait_for(job, 60)

    await asyncio.gather(*(one(job) for job in jobs))


async def test_a_stream_that_is_written_ends_whatever_was_changed(cases: Cases, damaged: Damaged) -> None:
    """Its producer lives, and notices: who follows hears an end, and so does who comes later."""

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
        check(await following)
        check(await middle, 1)
        await afterwards(damaged, stream, ids)
        while stream in damaged.here.running:
            await asyncio.sleep(0.01)
        assert source.closed == 1

    cases(len(DAMAGE))
    await all_of([one(at, *change) for at, change in enumerate(DAMAGE)])


async def test_a_stream_that_nobody_writes_ends_whatever_was_changed(cases: Cases, damaged: Damaged) -> None:
    """Its worker died: no reader waits for ever, whether it was there before or not."""

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

    cases(len(DAMAGE))
    await all_of([one(at, *change) for at, change in enumerate(DAMAGE)])


async def test_a_stream_that_has_ended_is_told_to_its_end_or_as_interrupted(cases: Cases, damaged: Damaged) -> None:
    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"over{at}"
        await damaged.here.start(stream, "me", lambda: FakeStream(list(TEXTS)))
        ids = await damaged.stored(stream, len(TEXTS) + 1)
        await damaged.damage(stream, field, value)
        await afterwards(damaged, stream, ids)

    cases(len(DAMAGE))
    await all_of([one(at, *change) for at, change in enumerate(DAMAGE)])
    await idle(damaged.here)


async def test_whatever_was_changed_a_stream_can_be_asked_about_stopped_and_deleted(cases: Cases, damaged: Damaged) -> None:
    """And its name is free again when it is deleted."""

    async def one(at: int, field: str, value: str | None) -> None:
        stream = f"ask{at}"
        store = damaged.stores[2]
        await store.append(await begun(store, stream), events(*TEXTS))
        await damaged.damage(stream, field, value)
        await store.status(stream)
        await store.unarchived(stream, "me")
        with contextlib.suppress(UnknownStream):
            await store.stop(stream, "me")
        assert not await damaged.here.start(stream, "you", lambda: FakeStream(["e\n"])) or value == "deleted"
        await store.delete(stream)
        assert await heard(damaged.there, stream) == "unknown"
        assert await damaged.here.start(stream, "you", lambda: FakeStream(["e\n"]))
        assert await heard(damaged.there, stream) == "unknown"
        told = await heard(damaged.there, stream, "", "you")
        assert [entry.event for entry in told if isinstance(entry, Entry)] == ["text", "done"]

    cases(len(DAMAGE))
    await all_of([one(at, *change) for at, change in enumerate(DAMAGE)])


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
