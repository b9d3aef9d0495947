"""Resumable streams: one contract, kept by every store; and producers that outlive their readers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import stores
import stream_guard_adapters.resume.streams as streams_module
from proof import Cases
from stream_guard_adapters.resume import (
    Ending,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    MemoryStore,
    ProducerGone,
    RedisStore,
    ResumableStreams,
    ResumeStore,
    UnknownStream,
)

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.wire import SseFields

GUARD = Guard(FILE_TOOLS)
BLOCK = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```\n'
TEXT = f"Hi.\n\n{BLOCK}\nBye.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with stores.running(tmp_path_factory.mktemp("v")) as url:
        yield url


@pytest.fixture(params=["memory", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ResumeStore]:
    """Each of the stores."""
    made: ResumeStore
    if request.param == "memory":
        made = MemoryStore(maxlen=1000)
    else:
        made = RedisStore(request.getfixturevalue("server"), prefix=f"{tmp_path.name}:", lease=0.4, maxlen=1000)
    yield made
    await made.aclose()


def events(*texts: object) -> list[SseFields]:
    return [{"event": "text", "data": json.dumps(text)} for text in texts]


async def begun(store: ResumeStore, stream: str = "s", owner: str = "me") -> Lease:
    lease = await store.acquire(stream, owner)
    assert lease is not None
    return lease


async def everything(batches: AsyncGenerator[list[Entry], None]) -> list[Entry]:
    async with contextlib.aclosing(batches):
        return [entry async for batch in batches for entry in batch]


def data(entries: list[Entry]) -> list[Any]:
    return [json.loads(entry.data) for entry in entries]


# -- the contract ------------------------------------------------------------------------------------------------------


async def test_what_was_stored_is_read_in_order(store: ResumeStore) -> None:
    lease = await begun(store)
    stored = [*await store.append(lease, events(1, 2)), *await store.append(lease, events(3))]
    await store.finalize(lease, "done")

    assert await everything(store.read("s")) == stored
    assert data(stored) == [1, 2, 3]


async def test_reading_from_any_cursor_gives_the_rest_and_no_more(store: ResumeStore) -> None:
    lease = await begun(store)
    stored = [entry for n in range(0, 50, 5) for entry in await store.append(lease, events(*range(n, n + 5)))]
    await store.finalize(lease, "done")

    assert len({entry.id for entry in stored}) == 50
    for at, entry in enumerate(stored):
        assert await everything(store.read("s", entry.id)) == stored[at + 1 :]


async def test_a_reader_follows_until_the_end(store: ResumeStore) -> None:
    lease = await begun(store)
    await store.append(lease, events(0))
    readers = [asyncio.create_task(everything(store.read("s"))) for _ in range(3)]
    for n in range(1, 40):
        await store.append(lease, events(n))
        await asyncio.sleep(0.001 if n % 7 else 0.01)
    late = asyncio.create_task(everything(store.read("s")))
    await store.append(lease, events(40))
    await store.finalize(lease, "done")

    for reader in (*readers, late):
        assert data(await reader) == list(range(41))


async def test_the_end_comes_to_a_reader_that_has_seen_everything(store: ResumeStore) -> None:
    lease = await begun(store)
    (entry,) = await store.append(lease, events(1))
    reader = asyncio.create_task(everything(store.read("s", entry.id)))
    await asyncio.sleep(0.02)
    await store.finalize(lease, "stopped")

    assert await reader == []
    assert await everything(store.read("s", entry.id)) == []


async def test_a_stream_has_one_producer(store: ResumeStore) -> None:
    found = await asyncio.gather(*(store.acquire("s", "me") for _ in range(20)))
    (lease,) = [one for one in found if one is not None]
    await store.finalize(lease, "done")

    assert await store.acquire("s", "me") is None
    with pytest.raises(LeaseLost):
        await store.append(lease, events(1))
    with pytest.raises(LeaseLost):
        await store.finalize(lease, "failed")


async def test_the_status_tells_owner_state_and_length(store: ResumeStore) -> None:
    assert await store.status("s") is None
    lease = await begun(store)
    await store.append(lease, events(1, 2, 3))
    running = await store.status("s")
    await store.finalize(lease, "failed")
    over = await store.status("s")

    assert running is not None and (running.owner, running.state, running.length) == ("me", "running", 3)
    assert over is not None and (over.owner, over.state, over.length) == ("me", "failed", 3)


async def test_a_stop_reaches_the_producer(store: ResumeStore) -> None:
    lease = await begun(store)
    waiting = asyncio.create_task(store.stopped(lease))
    await asyncio.sleep(0.02)
    assert not waiting.done()
    await store.stop("s")
    await asyncio.wait_for(waiting, 5)
    await asyncio.wait_for(store.stopped(lease), 5)  # also one who asks later


async def test_what_is_not_there_is_unknown(store: ResumeStore) -> None:
    with pytest.raises(UnknownStream):
        await everything(store.read("s"))
    await store.stop("s")
    lease = await begun(store)
    await store.delete("s")
    with pytest.raises(UnknownStream):
        await everything(store.read("s"))
    with pytest.raises(LeaseLost):
        await store.append(lease, events(1))


@pytest.mark.parametrize("after", ["x", "1", "-1", "1-", "1-x", "٣-١", "1-1 ", "9" * 50 + "-1", "(1-1", "+", "$"])
async def test_what_is_no_id_is_refused(store: ResumeStore, after: str) -> None:
    await begun(store)
    with pytest.raises(ValueError, match="not the id"):
        await everything(store.read("s", after))


async def test_no_reader_is_told_a_part_of_what_came_after_its_cursor(store: ResumeStore) -> None:
    """Where the beginning was let go, who is behind it is told so; who is not, goes on."""
    lease = await begun(store)
    stored = [entry for _ in range(30) for entry in await store.append(lease, events(*range(100)))]
    await store.finalize(lease, "done")

    with pytest.raises(Forgotten):
        await everything(store.read("s"))
    with pytest.raises(Forgotten):
        await everything(store.read("s", stored[0].id))
    assert await everything(store.read("s", stored[-10].id)) == stored[-9:]


async def test_any_text_comes_back(store: ResumeStore) -> None:
    lease = await begun(store)
    texts = ["", "é 😀", "a\r\n\r\nevent: json-tool-block\n", "\x00\x1f", "x" * 300_000]
    await store.append(lease, [{"event": "text", "data": text} for text in texts])
    await store.finalize(lease, "done")

    assert [entry.data for entry in await everything(store.read("s"))] == texts


async def test_readers_that_are_let_go_end_where_they_are(store: ResumeStore) -> None:
    lease = await begun(store)
    await store.append(lease, events(1))
    batches = store.read("s")
    (first,) = await anext(batches)
    waiting = asyncio.create_task(everything(batches))
    await asyncio.sleep(0.02)
    store.let_go()
    assert await asyncio.wait_for(waiting, 5) == []
    await store.append(lease, events(2))
    await store.finalize(lease, "done")
    assert data(await everything(store.read("s", first.id))) == [2]


async def test_many_streams_do_not_mix(store: ResumeStore) -> None:
    async def write(name: str) -> None:
        lease = await begun(store, name)
        for n in range(20):
            await store.append(lease, events([name, n]))
            await asyncio.sleep(0)
        await store.finalize(lease, "done")

    async def read(name: str) -> list[Any]:
        while await store.status(name) is None:
            await asyncio.sleep(0.001)
        return data(await everything(store.read(name)))

    names = [f"s{n}" for n in range(40)]
    found, _ = await asyncio.gather(asyncio.gather(*map(read, names)), asyncio.gather(*map(write, names)))
    assert found == [[[name, n] for n in range(20)] for name in names]


async def test_old_streams_are_forgotten() -> None:
    now = [1000.0]
    store = MemoryStore(ttl=10, clock=lambda: now[0])
    lease = await begun(store, "old")
    await store.finalize(lease, "done")
    await begun(store, "running")
    now[0] += 11

    assert await store.status("old") is None
    assert await store.status("running") is not None
    assert await store.acquire("old", "me") is not None


async def test_old_streams_are_forgotten_by_the_server(server: str) -> None:
    store = RedisStore(server, prefix="ttl:", ttl=0.05)
    lease = await begun(store)
    await store.append(lease, events(1))
    await store.finalize(lease, "done")
    for _ in range(500):
        if await store.status("s") is None:
            break
        await asyncio.sleep(0.01)
    assert await store.acquire("s", "another") is not None
    await store.aclose()


async def test_a_producer_that_says_nothing_loses_its_stream(server: str) -> None:
    """Its readers are told; another goes on where it was; and it cannot write any more."""
    store = RedisStore(server, prefix="gone:", lease=0.1)
    lease = await begun(store)
    await store.append(lease, events(1, 2))
    with pytest.raises(ProducerGone):
        await everything(store.read("s"))
    assert await store.acquire("s", "somebody else") is None
    second = await begun(store)
    assert second.length == 2
    with pytest.raises(LeaseLost):
        await store.append(lease, events(3))
    await store.append(second, events(3))
    await store.finalize(second, "done")
    assert data(await everything(store.read("s"))) == [1, 2, 3]
    await store.aclose()


async def test_a_producer_that_was_only_slow_goes_on(server: str) -> None:
    """Its lease has lapsed, and nobody has taken its place."""
    store = RedisStore(server, prefix="slow:", lease=0.05)
    lease = await begun(store)
    await store.append(lease, events(1))
    with pytest.raises(ProducerGone):
        await everything(store.read("s"))
    await store.append(lease, events(2))
    await store.finalize(lease, "done")
    assert data(await everything(store.read("s"))) == [1, 2]
    await store.aclose()


async def test_what_is_sent_twice_is_added_once(server: str) -> None:
    """As a client does that sent something, and lost the connection before it had the answer."""
    store = RedisStore(server, prefix="twice:")
    lease = await begun(store)
    await store.append(lease, events(1))
    first = await store.append(lease, events(2, 3))
    lease.length -= 2
    assert await store.append(lease, events(2, 3)) == first
    await store.append(lease, events(4))
    await store.finalize(lease, "done")
    assert data(await everything(store.read("s"))) == [1, 2, 3, 4]
    await store.aclose()


# -- producers ---------------------------------------------------------------------------------------------------------


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

    async def __anext__(self) -> str:
        if self.read == self._after:
            self.reached.set()
            await self.opened.wait()
        return await super().__anext__()


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
    found = [entry async for entry in streams.read("s", "me")]

    assert told(found) == TEXT
    assert [entry.event for entry in found][-1] == "done"
    assert (kept.entries, kept.endings, source.closed) == (found, ["done"], 1)


@pytest.mark.promise("P2")
async def test_a_reader_resumes_wherever_it_was_and_never_inside_a_block(cases: Cases, store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: FakeStream(list(TEXT)))
    whole = [entry async for entry in streams.read("s", "me")]
    cases(len(whole))
    for at, entry in enumerate(whole):
        assert [more async for more in streams.read("s", "me", entry.id)] == whole[at + 1 :]
    assert not any("write_file" in entry.data for entry in whole if entry.event == "text")


async def test_a_stream_belongs_to_its_session(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: FakeStream([TEXT]))
    for name, owner in (("s", "you"), ("s", ""), ("t", "me")):
        with pytest.raises(UnknownStream):
            await anext(streams.read(name, owner))
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
    found = await asyncio.wait_for(reading, 10)
    status = await store.status("s")

    assert source.closed == 1
    assert told(found) == TEXT[: source.read]
    assert data(found)[-1] == {"ending": "stopped"}
    assert status is not None and status.state == "stopped"
    blocks = [data([entry])[0] for entry in found if entry.event == "json-tool-block"]
    assert [(block["executable"], block["endCause"]) for block in blocks] == [(False, "disconnect")] * inside


async def _all(streams: ResumableStreams, after: str = "") -> list[Entry]:
    return [entry async for entry in streams.read("s", "me", after)]


async def test_a_stop_does_not_wait_for_a_correction(store: ResumeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor for anything else that the guard still does: the stream ends, and says that it was stopped."""
    monkeypatch.setattr(streams_module, "PATIENCE", 0.05)
    asked = asyncio.Event()

    async def never(_: object) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    streams = ResumableStreams(store, Guard(FILE_TOOLS, corrector=never))
    await streams.start("s", "me", lambda: FakeStream(['```json\n{"tool": "write_file", "path": "a", "content": []}\n```\n']))
    await asked.wait()
    await streams.stop("s", "me")
    found = await asyncio.wait_for(_all(streams), 10)

    assert data(found)[-1] == {"ending": "stopped"}
    assert not any(entry.event == "json-tool-block" for entry in found)


async def test_a_stream_that_cannot_be_archived_ends_as_failed(store: ResumeStore) -> None:
    class Full(Kept):
        async def keep(self, stream: str, entries: Any) -> None:
            raise OSError(28, "no space")

    streams = ResumableStreams(store, GUARD, archive=Full())
    source = FakeStream(list(TEXT))
    await streams.start("s", "me", lambda: source)
    found = await asyncio.wait_for(_all(streams), 10)

    assert (found[-1].event, source.closed) == ("error", 1)


async def test_a_stream_is_ended_before_it_has_begun(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    await streams.start("s", "me", lambda: Gate(["never"], 0))
    await asyncio.wait_for(streams.aclose(), 10)
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

    assert found[-1].event == "error"
    assert "secret" not in found[-1].data
    assert kept.endings == ["failed"]
    assert told(found[:-1]) == ("" if opening else "Hi.\n")


async def test_closing_lets_producers_finish_and_interrupts_those_that_do_not(store: ResumeStore) -> None:
    streams = ResumableStreams(store, GUARD)
    slow, endless = Gate(["a", "b"], 1), Gate(list(TEXT), 20)
    await streams.start("s", "me", lambda: endless)
    await streams.start("t", "me", lambda: slow)
    reading = asyncio.create_task(_all(streams))
    await asyncio.gather(slow.reached.wait(), endless.reached.wait())
    asyncio.get_running_loop().call_later(0.05, slow.opened.set)
    await streams.aclose(grace=0.3)
    found = await asyncio.wait_for(reading, 10)

    assert [status.state for name in "st" if (status := await store.status(name))] == ["interrupted", "done"]
    assert data(found)[-1]["ending"] == "interrupted"
    assert [entry.event for entry in found][-2:] == ["json-tool-block", "error"]
    assert slow.closed == endless.closed == 1


async def test_readers_of_another_workers_stream_are_let_go(server: str) -> None:
    """They come to an end without an end, and go on elsewhere."""
    stores = [RedisStore(server, prefix="leave:") for _ in range(2)]
    here, there = (ResumableStreams(store, GUARD) for store in stores)
    source = Gate(list(TEXT), 20)
    await here.start("s", "me", lambda: source)
    reading = asyncio.create_task(_all(there))
    await source.reached.wait()
    await asyncio.sleep(0.05)
    await there.aclose()
    first = await asyncio.wait_for(reading, 10)
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
    readers = [streams.read("s", "me", revive=(lambda: FakeStream(list(TEXT))) if again else None) for _ in range(3)]
    found = await asyncio.gather(*(_listed(reader) for reader in readers))

    assert found[0] == found[1] == found[2] == kept.entries  # also what the dead one may not have told it
    if again:
        assert told(found[0]) == TEXT
        assert [entry.event for entry in found[0]].count("json-tool-block") == 1
        assert kept.endings == ["done"]
    else:
        assert data(found[0])[-1]["ending"] == "interrupted"
        assert kept.endings == ["interrupted"]
    await stores[1].aclose()


async def _listed(reader: AsyncGenerator[Entry, None]) -> list[Entry]:
    return [entry async for entry in reader]


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
