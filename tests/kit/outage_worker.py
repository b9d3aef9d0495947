"""A worker for the tests of outages, with streams whose events are known beforehand. Its archive is a file of lines.

python -m tests.kit.outage_worker SETTINGS    (JSON: redis, sentinel or cluster, folder, tick, protocol, lease)
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from redis.asyncio import RedisCluster, Sentinel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from stream_guard_adapters.resume import Ending, Entry, RedisStore, ResumableStreams, StoreAway, resume_routes

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
LEASE = 1.0
"""The lease of streams whose workers die. A worker that is only slow for longer loses its streams too."""
PREFIX = "{stream-guard}:"


def pieces(number: int, ticks: int) -> Iterator[str]:
    """Yield the text of a stream, a piece for each tick; every third stream has blocks over five ticks."""
    for tick in range(ticks):
        part = tick % 10 - 5
        if number % 3 == 0 and part >= 0:
            body = f'{{"tool": "write_file", "path": "{number}/{tick // 10}.txt", "content": "'
            yield ("```json\n" + body, f"{number}:", f"{tick}", '"}\n', "```\n")[part]
        else:
            yield f"{number}:{tick}\n"


def revivable(stream: str) -> bool:
    """Return whether a stream can be revived when its worker died: every other one."""
    return int(stream.partition("-")[0]) % 2 == 0


FULL = "full"
"""While there is a file of this name in the folder, archives fail."""


class Lines:
    """An archive in a file."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = (folder / f"{name}.jsonl").open("a", buffering=1, encoding="utf-8")
        self._full = folder / FULL

    def _fails(self) -> None:
        if self._full.exists():
            raise OSError(28, "no space")

    async def keep(self, stream: str, entries: Sequence[Entry]) -> None:
        """Write entries as lines."""
        self._fails()
        for entry in entries:
            self._file.write(json.dumps([stream, entry.id, entry.event, entry.data]) + "\n")

    async def ended(self, stream: str, ending: Ending) -> None:
        """Write the end as a line, with the time."""
        self._fails()
        self._file.write(json.dumps([stream, ending, time.time()]) + "\n")


def app(settings: dict[str, Any], name: str) -> Starlette:
    own: dict[str, Any] = {"decode_responses": True, "protocol": settings["protocol"]}
    client: Any
    if "sentinel" in settings:
        sentinel = Sentinel([("127.0.0.1", settings["sentinel"])])  # type: ignore[no-untyped-call]
        client = sentinel.master_for("stream", socket_timeout=1, **own)
    elif "cluster" in settings:
        client = RedisCluster.from_url(settings["cluster"], socket_timeout=1, **own)
    else:
        client = f"{settings['redis']}?protocol={settings['protocol']}"
    store = RedisStore(client, lease=settings["lease"], retry=20, wait=5, prefix=PREFIX)
    streams = ResumableStreams(store, GUARD, archive=Lines(Path(settings["folder"]), name))

    async def said(stream: str) -> AsyncIterator[str]:
        number, ticks = map(int, stream.split("-"))
        for piece in pieces(number, ticks):
            await asyncio.sleep(settings["tick"])
            yield piece

    def opened(stream: str) -> Callable[[], AsyncIterator[str]]:
        return lambda: said(stream)

    async def start(request: Request) -> Response:
        stream = request.path_params["stream"]
        try:
            return Response(status_code=201 if await streams.start(stream, "me", opened(stream)) else 409)
        except StoreAway:
            return Response(status_code=503)

    routes = resume_routes(streams, session=lambda _: "me", revive=lambda stream: opened(stream) if revivable(stream) else None)
    return Starlette(routes=[Route("/start/{stream}", start, methods=["POST"]), Mount("/streams", routes)])


def main() -> None:
    settings = json.loads(sys.argv[1])
    config = uvicorn.Config(app(settings, settings["name"]), port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)

    async def serve() -> None:
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await task

    asyncio.run(serve())


if __name__ == "__main__":
    main()
