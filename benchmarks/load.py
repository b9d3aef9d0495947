"""Many streams at once over real servers: a bare app of sse-starlette, and resumable streams, one after the other.

    python -m benchmarks.load [--streams 2000] [--deltas 60] [--pace 4] [--scenes bare memory valkey] [--workers 2]

All streams begin within two seconds, with one reader each. Each says its number and a counter some times a second; a fifth of
them hold blocks too. What a reader has at the end, text and `raw` in order, must be the text of its stream, letter by
letter: nothing lost, mixed or doubled. The readers are a process of their own, and so is Valkey; their processor time is
counted apart. They share the machine with the servers, so the times are longer than where nothing else runs.
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
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BEGIN = 2.0
"""Seconds within which all streams begin."""

SCENES = ("bare", "memory", "valkey")


def pieces(number: int, deltas: int) -> Iterator[str]:
    """Yield what a stream says, delta by delta."""
    for at in range(deltas):
        if number % 5 == 0 and at % 10 >= 5:  # a block over five deltas
            body = f'{{"tool": "write_file", "path": "{number}/{at // 10}.txt", "content": "'
            yield ("```json\n" + body, f"{number}:", f"{at}", '"}\n', "```\n")[at % 10 - 5]
        else:
            yield f"Stream {number} says {at}.\n"


# -- the server --------------------------------------------------------------------------------------------------------


def app() -> Any:
    """Return what each worker serves: a stream that begins when it is asked for, bare or resumable."""
    from sse_starlette import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.routing import Route
    from stream_guard_adapters.resume import MemoryStore, RedisStore, ResumableStreams

    from stream_guard import Guard
    from stream_guard.tools.files import FILE_TOOLS

    scene, url, pace = os.environ["LOAD_SCENE"], os.environ["LOAD_STORE"], float(os.environ["LOAD_PACE"])
    streams = ResumableStreams(RedisStore(url) if url else MemoryStore(), Guard(FILE_TOOLS))

    async def said(number: int, deltas: int) -> AsyncIterator[str]:
        begun = time.monotonic()
        for at, piece in enumerate(pieces(number, deltas)):
            await asyncio.sleep(max(begun + at / pace - time.monotonic(), 0))
            yield piece

    async def bare(number: int, deltas: int) -> AsyncIterator[dict[str, str]]:
        async for piece in said(number, deltas):
            yield {"event": "text", "data": json.dumps(piece)}
        yield {"event": "done", "data": "{}"}

    async def events(request: Request) -> EventSourceResponse:
        name, deltas = request.path_params["name"], int(request.query_params["deltas"])
        number = int(name.strip("w"))
        if scene == "bare":
            return EventSourceResponse(bare(number, deltas), ping=60)
        await streams.start(name, "load", lambda: said(number, deltas))
        entries = await streams.open(name, "load", request.headers.get("last-event-id", ""))
        assert entries is not None
        return EventSourceResponse((entry.sse() async for entry in entries), ping=60)

    return Starlette(routes=[Route("/{name}", events)])


# -- the readers -------------------------------------------------------------------------------------------------------


@dataclass
class Read:
    """What one reader found."""

    text: str = ""
    ids: list[int] = field(default_factory=list)
    events: int = 0
    blocks: int = 0
    first: float = 0.0
    ended: bool = False


async def reader(port: int, name: str, deltas: int, begin: float = 0) -> Read:
    """Read one stream to its end, by hand: two thousand clients must not cost more than the server."""
    found = Read()
    await asyncio.sleep(begin)
    asked = time.monotonic()
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    outgoing.write(f"GET /{name}?deltas={deltas} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    event = ""
    parts: list[str] = []
    while line := await incoming.readline():
        if line.startswith(b"id: "):
            found.ids.append(int(line[4:].partition(b"-")[0]))
        elif line.startswith(b"event: "):
            event = line[7:].strip().decode()
        elif line.startswith(b"data: "):
            found.first = found.first or time.monotonic() - asked
            found.events += 1
            if event == "text":
                parts.append(json.loads(line[6:]))
            elif event == "json-tool-block":
                data = json.loads(line[6:])
                parts.append(data["raw"])
                found.blocks += data["executable"]
            elif event == "done":
                found.ended = True
                break
    outgoing.close()
    found.text = "".join(parts)
    return found


@dataclass(frozen=True)
class Used:
    """What processes have used so far."""

    memory: int
    """Kilobytes."""

    seconds: float
    """Of a processor."""


def used(pids: list[int]) -> Used:
    """Return what processes have used so far."""
    page, tick = os.sysconf("SC_PAGESIZE") // 1024, os.sysconf("SC_CLK_TCK")
    memory, ticks = 0, 0
    for pid in pids:
        memory += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(stat[11]) + int(stat[12])
    return Used(memory, ticks / tick)


def workers(pid: int, least: int = 20_000) -> list[int]:
    """Return the children of a process that have begun to serve, by their memory in kilobytes."""
    children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in children if used([child]).memory > least]


async def measure(port: int, serving: list[int], store: list[int], streams: int, deltas: int, pace: float) -> dict[str, Any]:
    """Read all streams of a server that has served a few; returns what was found and used."""
    await asyncio.gather(*(reader(port, f"{number}w", 10) for number in range(10 * len(serving))))
    before, ours, stored = used(serving), time.process_time(), used(store).seconds
    peak, begun = before.memory, time.monotonic()
    beginning: float | None = None
    tasks = [asyncio.create_task(reader(port, str(number), deltas, number * BEGIN / streams)) for number in range(streams)]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0.5)
        now = used(serving)
        peak = max(peak, now.memory)
        if beginning is None and time.monotonic() - begun > BEGIN + 1:
            beginning = now.seconds
    took, after = time.monotonic() - begun, used(serving)
    found = [task.result() for task in tasks]
    meant = ["".join(pieces(number, deltas)) for number in range(streams)]
    firsts = sorted(one.first for one in found)
    events = sum(one.events for one in found)
    of_store = {"processor of the store, us an event": 1e6 * (used(store).seconds - stored) / events} if store else {}
    return {
        "events": events,
        "blocks": sum(one.blocks for one in found),
        "wrong": sum(
            one.text != text or not one.ended or one.ids != sorted(set(one.ids)) for one, text in zip(found, meant, strict=True)
        ),
        "seconds more than the streams take": took - (deltas - 1) / pace - BEGIN,
        "first event, ms: median": 1000 * statistics.median(firsts),
        "first event, ms: p99": 1000 * firsts[int(0.99 * len(firsts))],
        "processor of the server in the first three seconds, ms a stream": 1000 * ((beginning or 0) - before.seconds) / streams,
        "processor of the server, us an event": 1e6 * (after.seconds - before.seconds) / events,
        **of_store,
        "processor of the readers, us an event": 1e6 * (time.process_time() - ours) / events,
        "KB a stream": (peak - before.memory) / streams,
    }


def scene(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Serve one scene and read it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as stack:
        url, store = "", list[int]()
        if name == "valkey":
            from tests.kit.stores import server as valkey

            running = stack.enter_context(valkey(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
            url, store = running.url, [running.pid]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(("adapters", ".")),
            "LOAD_SCENE": name,
            "LOAD_STORE": url,
            "LOAD_PACE": str(options.pace),
        }
        command = [
            sys.executable,
            "-m",
            "uvicorn",
            "--factory",
            "benchmarks.load:app",
            "--port",
            str(port),
            "--log-level",
            "error",
        ]
        server = stack.enter_context(subprocess.Popen([*command, "--workers", str(options.workers)], env=environment))
        stack.callback(server.terminate)
        serving = list[int]()
        for _ in range(300):
            time.sleep(0.1)
            with socket.socket() as probe:
                serving = [server.pid] if options.workers == 1 else workers(server.pid)
                if not probe.connect_ex(("127.0.0.1", port)) and len(serving) == options.workers:
                    break
        time.sleep(1)
        return asyncio.run(measure(port, serving, store, options.streams, options.deltas, options.pace))


def main() -> int:
    parser = argparse.ArgumentParser(description="Many streams at once, every event counted.")
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--deltas", type=int, default=60)
    parser.add_argument("--pace", type=float, default=4.0, help="deltas a second of each stream")
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=["bare", "memory"])
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    found = {}
    for name in options.scenes:
        found[name] = scene(name, options)
        print(f"{name}: {found[name]['wrong']} of {options.streams} streams wrong", file=sys.stderr, flush=True)
    print(f"| {options.streams} streams, {options.workers} workers | " + " | ".join(found) + " |")
    print("|---" * (len(found) + 1) + "|")
    for what in dict.fromkeys(what for told in found.values() for what in told):
        shown = [told.get(what, "") for told in found.values()]
        print(f"| {what} | " + " | ".join(f"{one:,.1f}" if isinstance(one, float) else str(one) for one in shown) + " |")
    meant = sum("".join(pieces(number, options.deltas)).count("```json") for number in range(options.streams))
    return int(any(told["wrong"] or (name != "bare" and told["blocks"] != meant) for name, told in found.items()))


if __name__ == "__main__":
    sys.exit(main())
