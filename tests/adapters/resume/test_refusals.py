"""A store that refuses one command, for a moment or for longer than a lease: every promise holds, whichever command it is."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from functools import partial
from itertools import count, product
from typing import Any

import pytest
from redis.asyncio import Redis
from stream_guard_adapters.resume import Entry, Open, RedisStore, ResumableStreams, UnknownStream
from stream_guard_adapters.resume import redis as module
from stream_guard_adapters.resume.redis_line import Script

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.proof import Cases
from tests.kit.resuming import Kept, idle

GUARD = Guard(FILE_TOOLS)
LEASE = 0.4
ALL = 10**6


def commands(*scripts: Script) -> set[str]:
    """The commands that scripts need."""
    return {"EVALSHA"}.union(*(re.findall(r"call\('([A-Z]+)'", script.text) for script in scripts))


COMMANDS = sorted(commands(*(script for script in vars(module).values() if isinstance(script, Script))))
CHECKED = {"EVALSHA", "HMGET", "HSET"}
"""What the check of a running stream needs: `_CHECK` has more commands, for streams that have ended."""


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stores.Valkey]:
    with stores.server(tmp_path_factory.mktemp("v")) as one:
        yield one


class Refusing:
    """Two workers of a user, of whom the store can refuse a command."""

    def __init__(self, valkey: stores.Valkey, command: str, case: str) -> None:
        self.name = f"user{case}"
        self.command = command
        self.admin: Any = Redis.from_url(valkey.url, decode_responses=True)
        url = valkey.url.replace("//", f"//{self.name}:x@")
        self.stores = [RedisStore(url, prefix=f"{self.name}:", lease=LEASE, retry=20, wait=20) for _ in range(2)]
        self.kept = Kept()
        self.here, self.there = (ResumableStreams(store, GUARD, archive=self.kept) for store in self.stores)
        self.refused = asyncio.Event()
        self.over = asyncio.Event()

    async def aclose(self) -> None:
        await asyncio.gather(self.here.aclose(), self.there.aclose())
        await asyncio.gather(*(store.aclose() for store in self.stores))
        await self.admin.aclose()

    async def user(self, *rules: str) -> None:
        await self.admin.execute_command("ACL", "SETUSER", self.name, *rules)

    async def refuse(self, seconds: float) -> None:
        """Refuse the command for a time; where producers are checked without it, until they had heartbeats without it too."""
        await self.user(f"-{self.command}")
        self.refused.set()
        before = await self.beats()
        await asyncio.sleep(seconds)
        while self.command not in CHECKED and await self.beats() < before + 3:
            await asyncio.sleep(0.01)
        await self.user(f"+{self.command}")
        self.over.set()

    async def beats(self) -> int:
        return int(await self.admin.hget(f"{self.name}:meta:goes on", "beats"))

    async def words(self, until: asyncio.Event, after: int) -> AsyncIterator[str]:
        """Says something until an event, and some words after it."""
        left = after
        for number in count():
            yield f"w{number} "
            await asyncio.sleep(0.05)
            left -= until.is_set()
            if left <= 0:
                return


@contextlib.asynccontextmanager
async def refusing(valkey: stores.Valkey, command: str, case: str) -> AsyncGenerator[Refusing]:
    made = Refusing(valkey, command, case)
    await made.user("on", "nopass", "~*", "&*", "+@all")
    try:
        yield made
    finally:
        await made.aclose()


async def heard(streams: ResumableStreams, stream: str, most: int, found: list[Entry]) -> list[Entry]:
    """What a reader gets that comes again after so many events each time, to the end."""
    while True:
        entries = await streams.open(stream, "me", found[-1].id if found else "")
        assert entries is not None, "a reader was told that it has the end"
        async with contextlib.aclosing(entries):
            for _ in range(most):
                entry = await anext(entries, None)
                if entry is None:
                    break
                found.append(entry)
                if entry.event != "text":
                    return found


def check(case: Refusing, stream: str, readings: list[list[Entry]], ending: str) -> None:
    """All readers got the same, in order, with this end, and the archive has it too."""
    for entries in readings:
        assert entries == readings[0]
        assert [int(entry.id.split("-")[0]) for entry in entries] == list(range(1, len(entries) + 1))
        said = "".join(json.loads(entry.data) for entry in entries[:-1])
        assert said == "".join(f"w{n} " for n in range(len(said.split())))
        assert json.loads(entries[-1].data).get("ending", "done") == ending
    archived = {entry.id: entry for entry in case.kept.entries_of[stream]}
    assert list(archived.values()) == readings[0]
    assert case.kept.endings_of[stream] == [ending]


async def one(valkey: stores.Valkey, command: str, seconds: float, case: str) -> None:
    async with refusing(valkey, command, case) as made:
        never = asyncio.Event()
        sources: dict[str, Open] = {
            "goes on": partial(made.words, made.over, 5),
            "ends meanwhile": partial(made.words, made.refused, 2),
            "stopped": partial(made.words, never, 1),
            "deleted": partial(made.words, never, 1),
        }
        readings: dict[str, list[asyncio.Task[list[Entry]]]] = {}
        founds: list[list[Entry]] = []
        for stream, source in sources.items():
            await made.here.start(stream, "me", source)
            readings[stream] = []
            for streams, most in product((made.here, made.there), (ALL,) if stream == "deleted" else (1, ALL)):
                founds.append([])
                readings[stream].append(asyncio.create_task(heard(streams, stream, most, founds[-1])))
        while not all(founds):
            await asyncio.sleep(0.01)
        refusal = asyncio.create_task(made.refuse(seconds))
        await made.refused.wait()
        begun = asyncio.create_task(made.there.start("begun", "me", partial(made.words, made.over, 2)))
        await asyncio.gather(made.there.stop("stopped", "me"), made.stores[1].delete("deleted"), begun, refusal)
        assert begun.result()
        readings["begun"] = [asyncio.create_task(heard(made.here, "begun", 1, []))]
        for stream, ending in {"goes on": "done", "ends meanwhile": "done", "begun": "done", "stopped": "stopped"}.items():
            found = await asyncio.gather(*readings[stream])
            await idle(made.here, stream)
            await idle(made.there, stream)
            found.append(await heard(made.there, stream, ALL, []))
            check(made, stream, found, ending)
        for told in await asyncio.gather(*readings["deleted"]):
            assert json.loads(told[-1].data)["ending"] == "interrupted"
        for streams in (made.here, made.there):
            with pytest.raises(UnknownStream):
                await streams.open("deleted", "me")


@pytest.mark.more
@pytest.mark.parametrize("seconds", [2.5 * LEASE, *([0.1] if "OUTAGES" in os.environ else [])])
async def test_a_command_that_is_refused_meanwhile_changes_nothing(valkey: stores.Valkey, cases: Cases, seconds: float) -> None:
    """Nothing that was heard is written anew, no living producer counts as gone, and the archive has what was heard."""
    cases(len(COMMANDS))
    jobs = (asyncio.wait_for(one(valkey, command, seconds, f"{command}-{seconds}"), 300) for command in COMMANDS)
    found = await asyncio.gather(*jobs, return_exceptions=True)
    failed = [f"{command}: {error!r}" for command, error in zip(COMMANDS, found, strict=True) if error is not None]
    assert not failed, "\n".join(failed)
