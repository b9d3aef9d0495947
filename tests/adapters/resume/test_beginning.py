"""A reader that comes at any moment while its stream begins: it gets the stream, or is told that there is none yet."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path

import pytest
from stream_guard_adapters.resume import RedisStore, ResumableStreams, StoreAway, UnknownStream

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.resuming import idle

GUARD = Guard(FILE_TOOLS)


async def read(streams: ResumableStreams, stream: str, pause: float, steps: int) -> str:
    """Return the last event that a reader gets who comes after a pause and some steps of the loop."""
    await asyncio.sleep(pause)
    for _ in range(steps):
        await asyncio.sleep(0)
    try:
        entries = await streams.open(stream, "me")
    except UnknownStream:
        return "unknown"
    assert entries is not None
    return [entry.event async for entry in entries][-1]


async def stopped(streams: ResumableStreams, stream: str, steps: int) -> None:
    for _ in range(steps):
        await asyncio.sleep(0)
    with contextlib.suppress(UnknownStream, StoreAway):
        await streams.stop(stream, "me")


@pytest.mark.parametrize("seed", range(3))
async def test_a_reader_that_comes_while_its_stream_begins_is_not_told_that_it_was_interrupted(
    tmp_path: Path, seed: int
) -> None:
    """What a process knows of a stream is compared with an answer only if it knew it when it asked."""
    draw = random.Random(seed)
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        store = RedisStore(valkey.url, lease=0.5)
        streams = ResumableStreams(store, GUARD)
        told: list[str] = []
        for number in range(60):
            name = f"s{number}"
            reading = [
                asyncio.create_task(read(streams, name, draw.choice([0, 0.0005 * draw.random()]), steps))
                for steps in (*range(draw.randrange(3), 24, 3), 12, 12)
            ]
            for _ in range(draw.randrange(8)):
                await asyncio.sleep(0)
            assert await streams.start(name, "me", lambda: FakeStream(list("Hi.\n")))
            told += await asyncio.gather(*reading)
        assert set(told) == {"done"}
        await idle(streams)
        await store.aclose()


async def test_a_stop_that_comes_while_its_stream_begins_is_heard_or_refused(tmp_path: Path) -> None:
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        store = RedisStore(valkey.url, lease=0.5)
        streams = ResumableStreams(store, GUARD)
        for number in range(40):
            stopping = asyncio.create_task(stopped(streams, f"s{number}", number))
            assert await streams.start(f"s{number}", "me", lambda: FakeStream(list("Hi.\n")))
            assert await read(streams, f"s{number}", 0, 0) == "done"
            await stopping
        await idle(streams)
        await store.aclose()
