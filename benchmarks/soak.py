"""A server under streams that come and go for a long time: does anything grow?

    python -m benchmarks.soak [--minutes 10] [--together 40]

One worker serves a guarded app in four ways: behind the middleware in two protocols, as a chat endpoint, and through the
gateway to a provider that it is itself. Of the streams a tenth is left in the middle, and a twentieth fails there. Blocks are
valid, mended, corrected, refused by the corrector, and cut off. Of every stream that is read to its end the calls are counted.

Once a second the server is asked for its memory, which is judged by its slope after the first fifth; open files, tasks and
objects are judged by what is left when nobody reads any more.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

CALLS: Final = (
    ('{"tool": "write_file", "path": "a.txt", "content": "one\\ntwo"}', True),
    ('{"tool": "write_file", "path": "b.txt", content: "mended",}', True),
    ('{"tool": "write_file", "path": "c.txt", "content": ["corrected"]}', True),
    ('{"tool": "write_file", "path": "d.txt"}', False),  # the corrector has nothing to say
    ('{"tool": "delete_file", "path": "e.txt"}', True),
)
"""Calls, and whether they may be run in the end."""

MOST: Final = 2
"""Megabytes that it may grow from the first to the last quarter that is looked at."""

WAYS: Final = ("middleware/openai", "middleware/anthropic", "chat", "gateway")


def reply(number: int) -> tuple[list[str], int]:
    """What a model says, in deltas; and how many calls of it may be run."""
    chance = random.Random(number)
    text, good = "Hello.\n", 0
    for _ in range(chance.randrange(4)):
        call, runs = chance.choice(CALLS)
        text += f"{'Words. ' * chance.randrange(30)}\n```json\n{call}\n```\n"
        good += runs
    if chance.random() < 0.1:
        text += '```json\n{"tool": "write_file", "path": "f.txt", "content": "cut'
    size = chance.randrange(3, 40)
    return [text[at : at + size] for at in range(0, len(text), size)], good


def fails(number: int) -> bool:
    """Whether this stream fails in its middle."""
    return number % 20 == 7


# -- the server --------------------------------------------------------------------------------------------------------


def app() -> Any:
    """What is served."""
    from sse_starlette import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Mount, Route
    from stream_guard_adapters.asgi import StreamGuardMiddleware
    from stream_guard_adapters.proxy import Proxy
    from stream_guard_adapters.sse import guarded_sse

    from stream_guard import CorrectionPolicy, CorrectionRequest, Guard
    from stream_guard.tools.files import FILE_TOOLS

    async def correct(request: CorrectionRequest) -> str:
        await asyncio.sleep(0.005)
        if "corrected" not in request.block:
            return "I cannot."
        return '{"tool": "write_file", "path": "c.txt", "content": "corrected"}'

    guard = Guard(FILE_TOOLS, corrector=correct, correction=CorrectionPolicy(breaker_failures=1_000_000))
    live: Counter[str] = Counter()

    async def deltas(number: int) -> AsyncIterator[str]:
        live["streams"] += 1
        try:
            pieces, _ = reply(number)
            for at, piece in enumerate(pieces):
                if fails(number) and at == len(pieces) // 2:
                    raise ConnectionError("the provider is gone")
                yield piece
                await asyncio.sleep(0.001)
        finally:
            live["streams"] -= 1

    async def wire(number: int, dialect: str) -> AsyncIterator[bytes]:
        if dialect == "anthropic":
            yield _event({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}})
            yield _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        async for delta in deltas(number):
            if dialect == "anthropic":
                yield _event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": delta}})
            else:
                yield _event({"choices": [{"index": 0, "delta": {"content": delta}, "finish_reason": None}]})
        if dialect == "anthropic":
            yield _event({"type": "content_block_stop", "index": 0})
            yield _event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}})
            yield _event({"type": "message_stop"})
        else:
            yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            yield b"data: [DONE]\n\n"

    async def stream(request: Request) -> Response:
        said = wire(int(request.path_params["number"]), request.path_params["dialect"])
        return StreamingResponse(said, media_type="text/event-stream")

    async def chat(request: Request) -> Response:
        return EventSourceResponse(guarded_sse(deltas(int(request.path_params["number"])), guard))

    async def stats(request: Request) -> JSONResponse:
        return JSONResponse({**used(whole="whole" in request.query_params), "streams": live["streams"]})

    streams = Starlette(routes=[Route("/{dialect}/{number:int}", stream, methods=["GET", "POST"])])
    return Starlette(
        routes=[
            Route("/stats", stats),
            Route("/chat/{number:int}", chat),
            Mount("/middleware", StreamGuardMiddleware(streams, guard=guard)),
            Mount("/provider", streams),
            Mount("/gateway", StreamGuardMiddleware(_Stripped(Proxy(os.environ["SOAK_URL"] + "/provider")), guard=guard)),
        ]
    )


def used(*, whole: bool) -> dict[str, int]:
    """What this process uses. The `whole` truth takes its time."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    told = {"kilobytes": pages * os.sysconf("SC_PAGE_SIZE") // 1024, "tasks": len(asyncio.all_tasks())}
    if whole:
        gc.collect()
        told |= {"files": len(list(Path("/proc/self/fd").iterdir())), "objects": len(gc.get_objects())}
    return told


class _Stripped:
    """An app under a mount that is to see the path below it."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, send)


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


# -- the readers -------------------------------------------------------------------------------------------------------


@dataclass
class Soaked:
    """What came of it all."""

    streams: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    samples: list[tuple[float, dict[str, int]]] = field(default_factory=list)


async def read(port: int, number: int, soaked: Soaked) -> None:
    """Read a stream, or leave it."""
    chance = random.Random(-number)
    way = WAYS[number % len(WAYS)]
    path = f"/gateway/openai/{number}" if way == "gateway" else f"/{way}/{number}"
    leaves = chance.randrange(12) if chance.random() < 0.1 else None
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    body = b""
    try:
        outgoing.write(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
        reads = 0
        while piece := await incoming.read(4096):
            body += piece
            reads += 1
            if leaves is not None and reads > leaves:
                soaked.streams["left"] += 1
                outgoing.transport.abort()
                return
    except ConnectionError:
        body += b"\n"
    finally:
        outgoing.close()
    soaked.streams["failed" if fails(number) else "whole"] += 1
    _, good = reply(number)
    run = body.count(b'"executable":true')
    if run > good or (run < good and not fails(number)):
        soaked.wrong.append(f"{way} {number}: {run} calls to run, of {good}")


async def asked(port: int, whole: str = "") -> dict[str, int]:
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    outgoing.write(f"GET /stats{whole} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
    answer = await incoming.read()
    outgoing.close()
    found: dict[str, int] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


async def soak(port: int, minutes: float, together: int) -> tuple[Soaked, dict[str, int], dict[str, int]]:
    """Readers for so long; what was there before, and what is left when they have gone."""
    soaked = Soaked()
    for number in range(200):  # what is made once, is made
        await read(port, number, soaked)
    before = await settled(port)
    begin, numbers = time.monotonic(), iter(range(1_000, 100_000_000))

    async def reader() -> None:
        while time.monotonic() - begin < minutes * 60:
            await read(port, next(numbers), soaked)

    readers = [asyncio.create_task(reader()) for _ in range(together)]
    while not all(task.done() for task in readers):
        await asyncio.sleep(1)
        now = time.monotonic() - begin
        soaked.samples.append((now, await asked(port)))
        if sys.stderr.isatty():
            print(
                f"\r{now / 60:.1f} of {minutes:g} minutes, {sum(soaked.streams.values()):,} streams ", end="", file=sys.stderr
            )
    for task in readers:
        task.result()
    return soaked, before, await settled(port)


async def settled(port: int) -> dict[str, int]:
    """What there is when all streams have ended."""
    await asyncio.sleep(2)
    return await asked(port, "?whole")


def slope(samples: list[tuple[float, dict[str, int]]], what: str) -> float:
    """By how much it grows in an hour, after the first fifth: a straight line through it."""
    kept = samples[len(samples) // 5 :]
    return statistics.linear_regression([at for at, _ in kept], [sample[what] for _, sample in kept]).slope * 3600


def main() -> int:
    """Serve, read, and say whether anything grew; the exit status is 1 when something did."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("--together", type=int, default=40, help="how many streams at once (40)")
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "benchmarks.soak:app",
        "--factory",
        "--port",
        str(port),
        "--log-level",
        "critical",
    ]
    environment = {**os.environ, "SOAK_URL": f"http://127.0.0.1:{port}", "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([*command, "--log-level", "critical"], env=environment) as server:
        try:
            asyncio.run(_answering(port, server))
            soaked, before, after = asyncio.run(soak(port, options.minutes, options.together))
        finally:
            server.terminate()
    return report(soaked, before, after, options.minutes)


def report(soaked: Soaked, before: dict[str, int], after: dict[str, int], minutes: float) -> int:
    """Say what grew, if anything did."""
    count, parts = sum(soaked.streams.values()), ", ".join(f"{number:,} {kind}" for kind, number in soaked.streams.items())
    print(f"\n{minutes:g} minutes, {count:,} streams ({count / minutes / 60:.0f} a second): {parts}")
    megabytes = [sample["kilobytes"] / 1024 for _, sample in soaked.samples]
    late = megabytes[len(megabytes) // 5 :]
    growth = slope(soaked.samples, "kilobytes") / 1024
    print(f"memory: {late[0]:.1f} MB after the first fifth, {late[-1]:.1f} at the end; by its slope {growth:+.1f} MB an hour")
    for what in ("files", "tasks", "streams", "objects"):
        print(f"{what}: {before[what]:,} before, {after[what]:,} after")
    quarter = max(len(late) // 4, 1)
    said = [f"{what} are left" for what in ("files", "tasks", "streams") if after[what] > before[what] + 2]
    if statistics.median(late[-quarter:]) - statistics.median(late[:quarter]) > MOST:
        said.append("memory grows")
    if soaked.wrong:
        said += [f"{len(soaked.wrong)} streams were not what they were made of:", *soaked.wrong[:10]]
    print(*(said or ["flat"]), sep="\n")
    return 1 if said else 0


async def _answering(port: int, server: subprocess.Popen[bytes]) -> None:
    while True:
        try:
            await asked(port)
        except (OSError, ValueError):
            if server.poll() is not None:
                raise SystemExit("the server has ended") from None
            await asyncio.sleep(0.05)
        else:
            return


if __name__ == "__main__":
    sys.exit(main())
