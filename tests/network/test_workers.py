"""Two workers that share a store: one is killed while it streams, and nobody misses anything."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from demo_server.scenarios import BY_NAME
from tests.kit import stores
from tests.kit.demo import Session, blocks, heard, original, program, session
from tests.kit.proof import Cases
from tests.kit.scenarios import RUN

CLIENTS = int(os.environ.get("CLIENTS", "16"))
"""How many clients there are; more under `make more`."""
ROOT = Path(__file__).parents[2]
NAMES = [name for name, one in BY_NAME.items() if not one.native and name != "example"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    with stores.running(tmp_path) as url:
        yield url


Events = list[tuple[str, str, Any]]


async def follow(me: Session, turn: str, other: str, found: Events) -> None:
    """Everything of a turn, as a browser reads it: a lost connection is taken up behind the last id, at another worker."""
    for _ in range(100):
        with contextlib.suppress(httpx2.HTTPError):
            await me.events(turn, after=found[-1][0] if found else "", into=found)
        if found and found[-1][1] in ("done", "error"):
            return
        me.client.base_url = httpx2.URL(other)
        await asyncio.sleep(0.05)
    raise AssertionError("the stream does not end")


@pytest.mark.more
@pytest.mark.promise("P2", "P4")
async def test_a_killed_worker_costs_nobody_an_event(cases: Cases, tmp_path: Path, store: str) -> None:
    """Its readers go on at the other one; what it was writing is written on there, from where it was."""
    settings = ("--data", str(tmp_path / "data"), "--redis", store, "--pace", "90")
    with program(*settings) as (doomed, first), program(*settings) as (_, second):
        found: list[Events] = [[] for _ in range(CLIENTS)]

        async def client(number: int) -> tuple[str, Events]:
            name = NAMES[number % len(NAMES)]
            async with session(second if number % 2 else first) as me:
                turn = await me.begin(name)
                events = found[number]
                # Half of them read where their stream is written, half at the other worker.
                me.client.base_url = httpx2.URL(second if number % 4 in (1, 2) else first)
                await follow(me, turn, second, events)
                me.client.base_url = httpx2.URL(second)
                for block in blocks(events):
                    answers = await asyncio.gather(*(me.run(turn, block["id"], block["part"]) for _ in range(2)))
                    assert answers[0].text == answers[1].text
                return name, events

        async def kill() -> None:
            for events in found:
                await heard(events, 4)
            doomed.kill()

        killing = asyncio.create_task(kill())
        done = await asyncio.gather(*map(client, range(CLIENTS)))
        await killing
        counted = httpx2.get(f"{second}/metrics").text

    cases(CLIENTS)
    for name, events in done:
        assert [int(known.partition("-")[0]) for known, _, _ in events] == [*range(1, len(events) + 1)], name
        assert events[-1][1:] == ("done", {}), name
        assert original(events) == BY_NAME[name].reply, name
        assert sum(block["executable"] for block in blocks(events)) == len(RUN[name]), name
    ran = sum(len(RUN[name]) for name, _ in done)
    assert f'stream_guard_executions_total{{state="completed"}} {ran}.0' in counted


@contextlib.contextmanager
def example(redis: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A worker of the example, and its address."""
    port = stores.free_port()
    command = [sys.executable, "-m", "uvicorn", "--factory", "examples.two_workers:app", "--port", str(port)]
    environment = {**os.environ, "REDIS": redis, "LEASE": "3", "PYTHONPATH": "adapters:."}
    with subprocess.Popen([*command, "--log-level", "critical"], cwd=ROOT, env=environment) as process:
        try:
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.mark.some(0)
async def test_the_example_does_what_the_docs_say(store: str) -> None:
    """Begun at one worker and read at the other, to its end; and told as interrupted when its own was killed."""
    with example(store) as (doomed, first), example(store) as (_, second):
        async with httpx2.AsyncClient(headers={"x-session": "me"}, timeout=300) as client:
            for url in (first, second):
                await up(client, url)
            begun = [(await client.post(f"{first}/streams/", json={"prompt": "a button"})).json()["stream"] for _ in range(2)]
            whole = (await client.get(f"{second}/streams/{begun[0]}")).text
            assert "event: json-tool-block" in whole
            assert whole.count("event: done") == 1
            long = {"prompt": "a button " * 3_000}  # for minutes, and so killed before it ends
            again = (await client.post(f"{first}/streams/", json=long)).json()["stream"]
            async with client.stream("GET", f"{second}/streams/{again}") as answer:
                lines = answer.aiter_lines()
                assert (await anext(lines)).startswith("id: 1-")
                doomed.kill()
                rest = [line async for line in lines]
            assert 'data: {"message":"The stream was interrupted","ending":"interrupted"}' in rest
            assert (await client.get(f"{second}/streams/{again}", headers={"x-session": "you"})).status_code == 404


async def up(client: httpx2.AsyncClient, url: str) -> None:
    for _ in range(15_000):
        with contextlib.suppress(httpx2.HTTPError):
            if (await client.get(f"{url}/streams/none")).status_code == 404:
                return
        await asyncio.sleep(0.02)
    raise AssertionError("the example does not start")
