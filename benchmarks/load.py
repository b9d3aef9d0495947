"""Two thousand streams at once through two workers, every event counted.

    python -m benchmarks.load [--streams 2000] [--seconds 60] [--redis URL]

Each stream says its number and a counter five times a second; a fifth of them hold blocks too. What a reader has at the end,
text and `raw` in order, must be the text that its stream was made of, letter by letter: nothing lost, mixed or doubled. The
load comes from this machine too, so the figures are floors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TICK = 0.2


def pieces(number: int, ticks: int) -> Iterator[str]:
    """What a stream says, tick by tick."""
    for tick in range(ticks):
        if number % 5 == 0 and tick % 10 >= 5:  # a block over five ticks
            part = tick % 10 - 5
            body = f'{{"tool": "write_file", "path": "{number}/{tick // 10}.txt", "content": "'
            yield ("```json\n" + body, f"{number}:", f"{tick}", '"}\n', "```\n")[part]
        else:
            yield f"{number}:{tick}\n"


# -- the server --------------------------------------------------------------------------------------------------------


def app() -> Any:
    """What each worker serves: a stream that begins when it is asked for, and could be resumed."""
    from sse_starlette import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.routing import Route
    from stream_guard_adapters.resume import MemoryStore, RedisStore, ResumableStreams

    from stream_guard import Guard
    from stream_guard.tools.files import FILE_TOOLS

    url = os.environ.get("LOAD_REDIS")
    made: list[ResumableStreams] = []

    def streams() -> ResumableStreams:
        if not made:
            made.append(ResumableStreams(RedisStore(url) if url else MemoryStore(), Guard(FILE_TOOLS)))
        return made[0]

    async def said(number: int, ticks: int) -> AsyncIterator[str]:
        begun = time.monotonic()
        for tick, piece in enumerate(pieces(number, ticks)):
            await asyncio.sleep(max(begun + tick * TICK - time.monotonic(), 0))
            yield piece

    async def events(request: Request) -> EventSourceResponse:
        number, ticks = int(request.path_params["number"]), int(request.query_params["ticks"])
        await streams().start(str(number), "load", lambda: said(number, ticks))
        entries = await streams().open(str(number), "load", request.headers.get("last-event-id", ""))
        assert entries is not None
        return EventSourceResponse((entry.sse() async for entry in entries), ping=60)

    return Starlette(routes=[Route("/{number:int}", events)])


# -- the readers -------------------------------------------------------------------------------------------------------


@dataclass
class Read:
    """What one reader found."""

    text: str = ""
    ids: list[int] = field(default_factory=list)
    blocks: int = 0
    first: float = 0.0
    ended: bool = False


async def reader(port: int, number: int, ticks: int, begin: float) -> Read:
    """Read one stream to its end, by hand: two thousand clients must not cost more than the server."""
    found = Read()
    await asyncio.sleep(begin)
    asked = time.monotonic()
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    outgoing.write(f"GET /{number}?ticks={ticks} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    name, identity = "", ""
    parts: list[str] = []
    while line := await incoming.readline():
        if line.startswith(b"id: "):
            identity = line[4:].strip().decode()
        elif line.startswith(b"event: "):
            name = line[7:].strip().decode()
        elif line.startswith(b"data: "):
            found.first = found.first or time.monotonic() - asked
            data = json.loads(line[6:])
            found.ids.append(int(identity.partition("-")[0]))
            if name == "text":
                parts.append(data)
            elif name == "json-tool-block":
                parts.append(data["raw"])
                found.blocks += data["executable"]
            elif name == "done":
                found.ended = True
                break
    outgoing.close()
    found.text = "".join(parts)
    return found


def resident(pid: int) -> tuple[int, int]:
    """Kilobytes of the children of a process, and how many they are."""
    total = count = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue  # it has ended
        memory = int(told.get("VmRSS", "0").split()[0])
        if told["PPid"].strip() == str(pid) and memory > 20_000:
            total, count = total + memory, count + 1
    return total, count


async def measure(port: int, server: int, streams: int, ticks: int) -> dict[str, Any]:
    before, workers = resident(server)
    peak = before
    begun = time.monotonic()
    tasks = [asyncio.create_task(reader(port, number, ticks, number * 2.0 / streams)) for number in range(streams)]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(1)
        ended = sum(task.done() for task in tasks)
        note = f"{time.monotonic() - begun:.0f} s of about {ticks * TICK + 2:.0f}, {ended} of {streams} streams have ended"
        print(f"\r{note}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        peak = max(peak, resident(server)[0])
    took = time.monotonic() - begun
    found = [task.result() for task in tasks]
    meant = ["".join(pieces(number, ticks)) for number in range(streams)]
    wrong = sum(one.text != text for one, text in zip(found, meant, strict=True))
    firsts = sorted(one.first for one in found)
    return {
        "streams": streams,
        "workers": workers,
        "events": sum(len(one.ids) for one in found),
        "blocks": sum(one.blocks for one in found),
        "blocks meant": sum(text.count("```json") for text in meant),
        "not as meant": wrong,
        "not ended": sum(not one.ended for one in found),
        "doubled or out of order": sum(one.ids != sorted(set(one.ids)) for one in found),
        "events a second": round(sum(len(one.ids) for one in found) / took),
        "seconds (ideal)": f"{took:.1f} ({ticks * TICK + 2:.1f})",
        "first event, ms: median, p99": f"{1000 * statistics.median(firsts):.0f}, {1000 * firsts[int(0.99 * len(firsts))]:.0f}",
        "KB a stream": round((peak - before) / streams, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Many streams at once, every event counted.")
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--redis")
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "--factory", "benchmarks.load:app", "--workers", "2", "--port", str(port)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(("adapters", ".")),
        **({"LOAD_REDIS": options.redis} if options.redis else {}),
    }
    with subprocess.Popen([*command, "--log-level", "error"], env=environment) as server:
        try:
            for _ in range(200):
                time.sleep(0.1)
                with socket.socket() as probe:
                    if not probe.connect_ex(("127.0.0.1", port)) and resident(server.pid)[1] == 2:
                        break
            time.sleep(1)
            ticks = int(options.seconds / TICK / 10) * 10
            told = asyncio.run(measure(port, server.pid, options.streams, ticks))
        finally:
            server.terminate()
    for name, value in told.items():
        print(f"{name:>30}  {value}")
    bad = told["not as meant"] + told["not ended"] + told["doubled or out of order"]
    return 1 if bad or told["blocks"] != told["blocks meant"] else 0


if __name__ == "__main__":
    sys.exit(main())
