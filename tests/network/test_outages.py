"""Outages of workers and their store: no reader gets a wrong event, and each gets an end.

Two workers over a real Valkey write streams whose events are known beforehand; readers follow them at one worker or the other,
leave and come back at random, and some come late. Meanwhile there is an outage. Then the events of each reader and of the
archives are compared with the expected ones: none is doubled, out of order or of another stream, none is missing before `done`,
and every reader has an end.

OUTAGES=20 runs every scene with twenty seeds; without it two scenes have several outages in one short run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import httpx2
import pytest
from stream_guard_adapters.sse import guarded_sse
from stream_guard_conformance.chaos import Chaos, Plan

from tests.kit import outage_worker, stores
from tests.kit.outage_worker import LEASE
from tests.kit.proof import Cases
from tests.kit.stores import MEMORY, Valkey

SEEDS = int(os.environ.get("OUTAGES", "0"))
STREAMS, READERS, LATE = 60, 100, 60
TICKS = 30
TICK = 0.1
ROOT = Path(__file__).parents[2]

Event = tuple[str, str]


@dataclass
class Reader:
    """The events that a reader got."""

    stream: str
    events: list[tuple[str, str, str]] = field(default_factory=list)
    ended: str = ""
    """The end that it got: an event, or a status."""


class Scene:
    """Two workers, each with one of the protocols of Redis, their store, and the readers."""

    def __init__(self, folder: Path, seed: int, store: dict[str, Any], valkey: Valkey, lease: float) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.valkey = valkey
        self.streams = [f"{number}-{TICKS}" for number in range(STREAMS)]
        self.readers: list[Reader] = []
        self.started: dict[str, int] = {}
        self.urls: list[str] = []
        self.workers: list[subprocess.Popen[str]] = []
        self.killed = False
        self._store = {**store, "lease": lease}

    async def __aenter__(self) -> Self:
        self.workers += [self._worker(name, protocol) for name, protocol in (("one", 2), ("two", 3))]
        for worker in self.workers:
            assert worker.stdout is not None
            line = await asyncio.to_thread(worker.stdout.readline)
            self.urls.append(f"http://127.0.0.1:{int(line)}")
        limits = httpx2.Limits(max_connections=400, max_keepalive_connections=0)
        self.client = httpx2.AsyncClient(timeout=300, limits=limits)
        return self

    def _worker(self, name: str, protocol: int) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}"}
        settings = json.dumps({**self._store, "folder": str(self.folder), "name": name, "tick": TICK, "protocol": protocol})
        command = [sys.executable, "-m", "tests.kit.outage_worker", settings]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        for worker in self.workers:
            worker.kill()
            worker.wait()
            assert worker.stdout is not None
            worker.stdout.close()

    def kill_worker(self) -> None:
        """Kill one of the workers for good."""
        self.workers[0].send_signal(signal.SIGKILL)
        self.workers[0].wait()
        self.killed = True
        del self.urls[0]

    async def play(self, happens: Callable[[Scene], Awaitable[None]]) -> None:
        """Start everything, run the outage, and wait until every reader and every archive has an end."""
        await asyncio.gather(*map(self._start, self.streams))
        reading = [asyncio.create_task(self._read(self.chance.choice(self.streams))) for _ in range(READERS)]
        await self.heard(READERS // 2)
        await happens(self)
        await asyncio.wait_for(asyncio.gather(*reading), 300)
        late = [self._read(self.streams[at % STREAMS]) for at in range(LATE)]
        await asyncio.wait_for(asyncio.gather(*late), 300)
        async with asyncio.timeout(300):
            while not all(self._archives()[1][stream] for stream in self.streams):
                await asyncio.sleep(0.1)

    async def heard(self, events: int) -> None:
        """Wait until the readers have got so many more events."""
        wanted = self._had() + events
        async with asyncio.timeout(300):
            while self._had() < wanted:
                await asyncio.sleep(0.01)

    def _had(self) -> int:
        return sum(len(reader.events) for reader in self.readers)

    async def _start(self, stream: str) -> None:
        await asyncio.sleep(self.chance.random() * 0.5)
        at = self.chance.randrange(len(self.urls))
        self.started[stream] = at
        answer = await self.client.post(f"{self.urls[at]}/start/{stream}")
        assert answer.status_code == 201

    async def _read(self, stream: str) -> None:
        reader = Reader(stream)
        self.readers.append(reader)
        for _ in range(400):
            with contextlib.suppress(httpx2.HTTPError):
                await self._visit(reader)
            if reader.ended:
                return
            await asyncio.sleep(0.05 + 0.1 * self.chance.random())
        raise AssertionError(f"a reader of {stream} comes to no end")

    async def _visit(self, reader: Reader) -> None:
        """Read, from where it was, to the end or for a while, at any worker."""
        most = self.chance.choice([1, 5, 20, 10_000])
        headers = {"last-event-id": reader.events[-1][0]} if reader.events else {}
        url = f"{self.chance.choice(self.urls)}/streams/{reader.stream}"
        fields: dict[str, str] = {}
        async with self.client.stream("GET", url, headers=headers) as answer:
            if answer.status_code != 200:
                assert answer.status_code in (204, 404, 410, 503), answer.status_code
                assert answer.status_code != 204, "an end was not told"
                if answer.status_code != 503:
                    reader.ended = str(answer.status_code)
                return
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    fields[name] = value
                    continue
                if "data" in fields:
                    reader.events.append((fields["id"], fields["event"], fields["data"]))
                    if fields["event"] in ("done", "error"):
                        reader.ended = json.loads(fields["data"]).get("ending", "done")
                        return
                    most -= 1
                    if not most:
                        return
                fields = {}

    # -- what came, compared with what is expected ---------------------------------------------------------------------------

    async def check(self, *, whole: bool, older: bool) -> None:
        """Compare. `whole`: every stream must be complete. `older`: the store may have lost events."""
        meant = {stream: await _meant(stream) for stream in self.streams}
        kept, endings = self._archives()
        for reader in self.readers:
            said = meant[reader.stream]
            events = [one for one in reader.events if one[1] not in ("done", "error")]
            numbers = [int(known.partition("-")[0]) for known, _, _ in reader.events]
            assert numbers[: len(events)] == [*range(1, len(events) + 1)], (reader.stream, numbers)
            assert [(event, data) for _, event, data in events] == said[: len(events)], reader.stream
            if reader.ended == "done":
                assert len(events) == len(said), (reader.stream, "ends in done with a hole")
            else:
                assert not whole, (reader.stream, reader.ended, len(events))
                assert reader.ended == "interrupted" or older, (reader.stream, reader.ended)
            for known, event, data in events:
                assert kept[reader.stream].get(known) == (event, data), (reader.stream, known, "is not in the archive")
        for stream in self.streams:
            heard = {reader.ended for reader in self.readers if reader.stream == stream}
            assert endings[stream], (stream, heard, "has no end in the archive")
            assert len(set(endings[stream])) == 1 or older, (stream, endings[stream])
            assert len(endings[stream]) == 1 or older or self.killed, (stream, endings[stream])
            if "done" in heard:
                assert endings[stream][0] == "done", stream
            said = meant[stream]
            archived = [(int(known.partition("-")[0]), one) for known, one in kept[stream].items()]
            told = {number for number, (kind, _) in archived if kind not in ("done", "error")}
            for number, one in archived:
                assert one[0] in ("done", "error") or one == said[number - 1], (stream, number, "is another in the archive")
            assert told == {*range(1, len(told) + 1)} or older, (stream, told, "has a hole in the archive")
            assert endings[stream][0] != "done" or len(told) == len(said), (stream, "is done and not whole in the archive")
            if not older:
                assert heard == {endings[stream][0]}, (stream, heard, endings[stream])

    def _archives(self) -> tuple[dict[str, dict[str, Event]], dict[str, list[str]]]:
        kept: dict[str, dict[str, Event]] = defaultdict(dict)
        ends: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for path in self.folder.glob("*.jsonl"):
            for line in path.read_text().splitlines():
                stream, *told = json.loads(line)
                if len(told) == 2:
                    ends[stream].append((told[1], told[0]))
                else:
                    known, event, data = told
                    assert kept[stream].setdefault(known, (event, data)) == (event, data)
        return kept, defaultdict(list, {stream: [ending for _, ending in sorted(found)] for stream, found in ends.items()})


_known: dict[str, list[Event]] = {}


async def _meant(stream: str) -> list[Event]:
    """Return the expected events of a stream, without its end."""
    number, ticks = map(int, stream.split("-"))

    async def said() -> AsyncIterator[str]:
        for piece in outage_worker.pieces(number, ticks):
            yield piece

    if stream not in _known:
        found = [one async for one in guarded_sse(said(), outage_worker.GUARD, stream_id=stream)]
        _known[stream] = [(one["event"], one["data"]) for one in found[:-1]]
    return _known[stream]


# -- outages -----------------------------------------------------------------------------------------------------------


async def _worker_killed(scene: Scene) -> None:
    await asyncio.sleep(scene.chance.random() * 2)
    scene.kill_worker()


def _worker_paused(seconds: float) -> Callable[[Scene], Awaitable[None]]:
    async def pause(scene: Scene) -> None:
        await asyncio.sleep(scene.chance.random())
        scene.workers[0].send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        scene.workers[0].send_signal(signal.SIGCONT)

    return pause


def _paused(seconds: float) -> Callable[[Scene], Awaitable[None]]:
    async def pause(scene: Scene) -> None:
        await asyncio.sleep(scene.chance.random())
        scene.valkey.pause()
        await asyncio.sleep(seconds)
        scene.valkey.resume()

    return pause


def _refusing(seconds: float) -> Callable[[Scene], Awaitable[None]]:
    """Let the store answer reads and refuse writes."""

    async def refuse(scene: Scene) -> None:
        await asyncio.sleep(scene.chance.random())
        await asyncio.to_thread(scene.valkey.ask, "CONFIG", "SET", "maxmemory", "1")
        await asyncio.sleep(seconds)
        await asyncio.to_thread(scene.valkey.ask, "CONFIG", "SET", "maxmemory", "0")

    return refuse


def _archives_fail(happens: Callable[[Scene], Awaitable[None]]) -> Callable[[Scene], Awaitable[None]]:
    async def fail(scene: Scene) -> None:
        (scene.folder / outage_worker.FULL).touch()
        await happens(scene)
        await asyncio.sleep(4)  # until after the streams have ended
        (scene.folder / outage_worker.FULL).unlink()

    return fail


async def _restarted(scene: Scene) -> None:
    await asyncio.sleep(scene.chance.random() * 2)
    scene.valkey.kill()
    await asyncio.sleep(scene.chance.random())
    await asyncio.to_thread(scene.valkey.start)


async def _restarted_older(scene: Scene) -> None:
    await asyncio.to_thread(scene.valkey.ask, "SAVE")
    await scene.heard(READERS)  # of what the snapshot does not hold
    await _restarted(scene)


async def _flushed(scene: Scene) -> None:
    await asyncio.sleep(scene.chance.random() * 2)
    await asyncio.to_thread(scene.valkey.ask, "FLUSHALL")


async def _clients_killed(scene: Scene) -> None:
    for _ in range(8):
        await asyncio.sleep(scene.chance.random() * 0.5)
        for kind in ("normal", "pubsub"):
            await asyncio.to_thread(scene.valkey.ask, "CLIENT", "KILL", "TYPE", kind)


async def _failed_over(scene: Scene) -> None:
    await asyncio.sleep(scene.chance.random() * 2)
    scene.valkey.kill()


async def _nothing(_: Scene) -> None:
    """Do nothing: the outage, if there is one, is in the proxy."""


async def _much(scene: Scene) -> None:
    """Run several outages, which readers may notice only as pauses."""
    await asyncio.to_thread(scene.valkey.ask, "SCRIPT", "FLUSH")
    await _clients_killed(scene)
    await _restarted(scene)
    await _paused(1)(scene)


Happens = Callable[[Scene], Awaitable[None]]

AOF = ("--save", "", "--appendonly", "yes", "--appendfsync", "always")  # `everysec` may answer before it has written
SNAPSHOT = ("--save", "", "--appendonly", "no", "--dbfilename", "dump.rdb")


@dataclass(frozen=True)
class Outage:
    """An outage, its servers, and what may come of it."""

    happens: Happens
    settings: tuple[str, ...] = MEMORY
    servers: Literal["one", "watched", "cluster", "replicated"] = "one"
    """One server; with a replica and a sentinel; three nodes of a cluster; one of them with a replica."""

    whole: bool = True
    older: bool = False
    delay: float = 0.0
    loses: float = 0.0
    lease: float = 10.0  # no slow worker loses a stream


SCENES = {
    "nothing": Outage(_nothing),
    "a worker killed": Outage(_worker_killed, whole=False, lease=LEASE),
    "a worker stopped for less than its lease": Outage(_worker_paused(7)),
    "a worker stopped for longer": Outage(_worker_paused(4 * LEASE), whole=False, lease=LEASE),
    **{f"the store stopped for {seconds} s": Outage(_paused(seconds)) for seconds in (1, 3, 5, 8)},
    "the store refuses to write for 5 s": Outage(_refusing(5 * LEASE), lease=LEASE),
    "archives that fail": Outage(_archives_fail(_nothing)),
    "archives that fail, and a worker killed": Outage(_archives_fail(_worker_killed), whole=False, lease=LEASE),
    "a restart with an append-only file": Outage(_restarted, AOF),
    "a restart with an older snapshot": Outage(_restarted_older, SNAPSHOT, whole=False, older=True, lease=LEASE),
    "a restart without anything": Outage(_restarted, whole=False, older=True, lease=LEASE),
    "everything flushed": Outage(_flushed, whole=False, older=True, lease=LEASE),
    "connections killed": Outage(_clients_killed),
    "a failover": Outage(_failed_over, servers="watched", whole=False, older=True, lease=LEASE),
    "a failover in a cluster": Outage(_failed_over, servers="replicated", whole=False, older=True, lease=LEASE),
    "a restart in a cluster, with an append-only file": Outage(_restarted, AOF, servers="cluster"),
    "150 ms each way": Outage(_nothing, delay=0.15),
    "answers that are lost": Outage(_nothing, loses=0.05),
    "much at once": Outage(_much, AOF, loses=0.02),
}
SHORT = ("much at once", "a restart with an older snapshot")
RUNS = [(name, seed) for name in SCENES for seed in range(1, SEEDS + 1)] or [(name, 0) for name in SHORT]


@contextlib.asynccontextmanager
async def _staged(scene: Outage, folder: Path, seed: int) -> AsyncIterator[Scene]:
    """Start the servers, and the workers that use them."""
    if scene.servers == "watched":
        with stores.watched(folder) as (main, _, sentinel):
            async with Scene(folder, seed, {"sentinel": sentinel.port}, main, scene.lease) as playing:
                yield playing
        return
    if scene.servers != "one":
        with stores.cluster(folder, *scene.settings) as nodes:
            main = stores.holder(nodes, outage_worker.PREFIX)
            other = next(node for node in nodes if node is not main)
            replica = stores.replicated(nodes, main) if scene.servers == "replicated" else contextlib.nullcontext()
            with replica:
                async with Scene(folder, seed, {"cluster": other.url}, main, scene.lease) as playing:
                    yield playing
        return
    with stores.server(folder / "valkey", *scene.settings) as valkey:
        chaos = Chaos(valkey.url, up=Plan(delay=scene.delay), down=Plan(delay=scene.delay, loses=scene.loses), seed=seed)
        async with chaos as between:
            store = {"redis": between if scene.delay or scene.loses else valkey.url}
            async with Scene(folder, seed, store, valkey, scene.lease) as playing:
                yield playing
            assert chaos.lost or not scene.loses


@pytest.mark.more
@pytest.mark.promise("P2", "P4")
@pytest.mark.parametrize(("name", "seed"), RUNS)
async def test_an_outage_is_told_and_never_hidden(cases: Cases, tmp_path: Path, name: str, seed: int) -> None:
    scene = SCENES[name]
    async with _staged(scene, tmp_path, seed) as playing:
        await playing.play(scene.happens)
        await playing.check(whole=scene.whole, older=scene.older)
    cases(READERS + LATE)
