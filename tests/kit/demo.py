"""The demo, served on loopback by a real server, in the test's own event loop or as a program of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import httpx2

from demo_server.app import Demo, create_app
from demo_server.models import Script
from demo_server.settings import Settings
from tests.kit.servers import served

ROOT = Path(__file__).resolve().parents[2]
JSON = {"content-type": "application/json"}


@contextlib.asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[tuple[str, Demo]]:
    """Its address and its innards, while it runs."""
    app = create_app(settings)
    async with served(app, lifespan="on") as url:
        demo: Demo = app.state.demo
        try:
            yield url, demo
        finally:
            await demo.chats.streams.aclose()


class Held(Script):
    """The script, whose replies wait at each of these texts until they may go on: none ends by itself, however slow a test is.

    Args:
        stops: Texts of a reply, in their order. It has said one when it waits there.
        pace: Characters a second of what it says at once.
    """

    def __init__(self, *stops: str, pace: float = 0) -> None:
        super().__init__(pace=pace, thinking=0)
        self.stops = stops or (".",)
        self._may = asyncio.Semaphore(0)

    def go_on(self) -> None:
        """Let a reply go on to its next stop, or to its end."""
        self._may.release()

    async def _paced(self, deltas: Sequence[Any]) -> AsyncIterator[Any]:
        said, left = "", [*self.stops]
        async for delta in super()._paced(deltas):
            yield delta
            said += delta if isinstance(delta, str) else json.dumps(delta, default=str)
            while left and left[0] in said:
                said = said.partition(left.pop(0))[2]
                await self._may.acquire()


async def heard(events: list[Any], count: int = 1) -> None:
    """Wait until so many events have come."""
    while len(events) < count:
        await asyncio.sleep(0.01)


@contextlib.contextmanager
def program(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """It as people start it: the process, and the address that it says."""
    command = [sys.executable, "-m", "demo_server", "--port", "0", *arguments]
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    with tempfile.TemporaryFile("w+") as log:  # and no pipe, which nobody reads and which fills
        yield from _run(command, environment, log)


def _run(command: list[str], environment: dict[str, str], log: TextIO) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
    )
    with process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            yield process, said.split()[4]
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            log.seek(0)
            print("".join(line for line in log if '"info"' not in line))  # a test that fails shows it


class Session:
    """One who uses the demo without a page."""

    def __init__(self, url: str, client: httpx2.AsyncClient) -> None:
        self.url = url
        self.client = client

    async def begin(self, scenario: str = "valid", **more: Any) -> str:
        answer = await self.client.post("/api/turns", json={"scenario": scenario, **more})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["turn"])

    async def events(
        self, turn: str, after: str = "", most: int = -1, into: list[tuple[str, str, Any]] | None = None
    ) -> list[tuple[str, str, Any]]:
        """The events of a turn: id, name, data; so many at most. `into` has those that came, also when the rest did not."""
        found = [] if into is None else into
        headers = {"last-event-id": after} if after else {}
        async with self.client.stream("GET", f"/api/turns/{turn}/events", headers=headers) as answer:
            assert answer.status_code == 200, await answer.aread()
            fields: dict[str, str] = {}
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if line:
                    fields[name] = value
                elif "data" in fields:
                    found.append((fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])))
                    if len(found) == most:
                        break
                    fields = {}
                else:
                    fields = {}
        return found

    async def run(self, turn: str, block: str, part: int = 1, act: str = "run") -> httpx2.Response:
        return await self.client.post(f"/api/turns/{turn}/{act}", json={"block": block, "part": part})


@contextlib.asynccontextmanager
async def session(url: str) -> AsyncIterator[Session]:
    """A new one."""
    async with httpx2.AsyncClient(base_url=url, headers=JSON, timeout=300) as client:
        await client.get("/")
        yield Session(url, client)


def blocks(events: list[tuple[str, str, Any]]) -> list[Any]:
    return [data for _, name, data in events if name == "json-tool-block"]


def original(events: list[tuple[str, str, Any]]) -> str:
    """What the model wrote."""
    return "".join(data if name == "text" else data.get("raw", "") for _, name, data in events)
