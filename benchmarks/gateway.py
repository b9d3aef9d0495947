"""Hundreds of streams at once, direct and through the gateway, in the same run: what is lost, and when the first event comes.

    python -m benchmarks.gateway [--streams 500] [--rounds 3]

Three processes: a scripted provider, the gateway as its command serves it, and this one, which reads by hand. All streams are
asked for at once; each says its number, holds a block, and says its number again. No stream goes on before every reader has its
first event, so what a process has spent by then is what the first events cost. The readers share the cores with what they
measure, so the times are bounds from above; what a process has had of a processor depends less on what else the machine does.

    python -m benchmarks.gateway --prose 20000

One stream of so many events of prose, through the gateway and through a bare proxy of httpx2 and uvicorn, in turns: what each
process has had of a processor, for an event.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GO = b"/go"
"""What the provider is asked for when its streams are to go on."""

PROSE = b"/prose/"
"""What it is asked for a stream of prose, with the number of its events."""

PACE = 0.0005
"""Seconds between two of these events."""

WORDS = "The quick brown fox jumps over the lazy dog, and then it thinks about what it has done.\n" * 4

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    told = json.dumps({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    return chunk(f"data: {told}\n\n".encode())


# -- the provider ------------------------------------------------------------------------------------------------------


async def provide() -> None:
    """A provider of its own process. The streams that are open go on when they are told to."""
    going = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal going
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                asked = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
                if asked == GO:
                    going.set()
                    going = asyncio.Event()
                    break
                if asked.startswith(PROSE):
                    writer.write(HEAD)
                    for at in range(int(asked.removeprefix(PROSE))):
                        writer.write(event(WORDS[4 * at % len(WORDS) :][:4]))
                        await writer.drain()
                        await asyncio.sleep(PACE)  # so that each event comes alone, as a model's do
                    writer.write(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
                    continue
                number = int(asked.removeprefix(b"/"))
                writer.write(HEAD + event(f"{number} begins.\n"))
                await going.wait()
                call = f'{{"tool": "write_file", "path": "{number}.txt", "content": "{"x" * 200}"}}'
                for piece in (
                    "```json\n",
                    *(call[at : at + 20] for at in range(0, len(call), 20)),
                    "\n```\n",
                    f"{number} ends.\n",
                ):
                    writer.write(event(piece))
                    await writer.drain()
                writer.write(chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
    print(f"on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


# -- a proxy without a guard -------------------------------------------------------------------------------------------


def forward(upstream: str) -> None:
    """A bare proxy of its own process: each request is sent on, and the bytes of its reply come back as they are."""
    import httpx2
    import uvicorn

    class Client:
        """One client for all requests; it keeps its connections."""

        def __init__(self) -> None:
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
            self.http = httpx2.AsyncClient(base_url=upstream, timeout=None, limits=limits)

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            body = bytearray()
            while (part := await receive())["type"] == "http.request":
                body += part.get("body", b"")
                if not part.get("more_body"):
                    break
            headers = [(name, value) for name, value in scope["headers"] if name not in (b"host", b"connection")]
            path = scope["path"] + ("?" + scope["query_string"].decode() if scope["query_string"] else "")
            request = self.http.build_request(scope["method"], path, headers=headers, content=bytes(body))
            reply = await self.http.send(request, stream=True)
            try:
                kept = [(name.lower(), value) for name, value in reply.headers.raw]
                kept = [(name, value) for name, value in kept if name not in (b"transfer-encoding", b"connection")]
                await send({"type": "http.response.start", "status": reply.status_code, "headers": kept})
                async for piece in reply.aiter_raw():
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                await reply.aclose()

    async def serve() -> None:
        config = uvicorn.Config(Client(), port=0, lifespan="off", http="h11", log_level="critical")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
            await asyncio.sleep(0.001)
        print(f"on http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", flush=True)
        await task

    asyncio.run(serve())


# -- the readers -------------------------------------------------------------------------------------------------------


async def go(port: int) -> None:
    """Have the provider's streams go on."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET %s HTTP/1.1\r\n\r\n" % GO)
    await writer.drain()
    writer.close()


async def read(port: int, number: int, begun_all: asyncio.Barrier) -> tuple[float, float, bytes]:
    """One stream: the seconds until its first event and until its end, and all that came."""
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % number)
    said = await reader.readuntil(b"data: {")
    first = time.monotonic() - begun
    await begun_all.wait()
    while not said.endswith(b"0\r\n\r\n") and (part := await reader.read(65536)):
        said += part
    writer.close()
    return first, time.monotonic() - begun, said


def right(number: int, said: bytes, *, guarded: bool) -> bool:
    """Whether a stream is its own, and whole."""
    text = "".join(
        json.loads(f'"{piece}"') for piece in re.findall(r'"content": ?"((?:[^"\\]|\\.)*)"\}, ?"finish', said.decode())
    )
    call = f'{{"tool": "write_file", "path": "{number}.txt", "content": "{"x" * 200}"}}'
    if not guarded:
        return text == f"{number} begins.\n```json\n{call}\n```\n{number} ends.\n" and b"[DONE]" in said
    blocks = re.findall(r'"path":"(\d+)\.txt"', said.decode())
    whole = said.count(b'"executable":true') == 1 and set(blocks) == {str(number)}
    return whole and text == f"{number} begins.\n\n{number} ends.\n" and b"[DONE]" in said


def spent(pid: int) -> float:
    """The seconds that a process has had of a processor."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running(*arguments: str) -> Iterator[tuple[int, int]]:
    """The port of a program that says where it is, and its number."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"on http://\S+:(\d+)", process.stdout.readline())
            assert found is not None
            yield int(found[1]), process.pid
        finally:
            process.terminate()


async def measure(port: int, pid: int, provider: int, streams: int, *, guarded: bool) -> dict[str, Any]:
    before = spent(pid)
    begun_all = asyncio.Barrier(streams + 1)
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(read(port, number, begun_all)) for number in range(streams)]
        await begun_all.wait()
        begun = spent(pid)
        await go(provider)
    found = [reader.result() for reader in readers]
    firsts = sorted(first for first, _, _ in found)
    wrong = sum(not right(number, said, guarded=guarded) for number, (_, _, said) in enumerate(found))
    ends = max(end for _, end, _ in found)
    return {
        "wrong": wrong,
        "median": statistics.median(firsts),
        "p99": firsts[int(0.99 * len(firsts))],
        "all": ends,
        "first": (begun - before) / streams,
        "whole": (spent(pid) - before) / streams,
    }


async def drained(port: int, count: int) -> int:
    """Read a stream of prose to its end; returns how many events came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET %s%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % (PROSE, count))
    found = 0
    async for line in reader:
        found += line.startswith(b"data: {")
    writer.close()
    return found


def prose(count: int, turns: int) -> int:
    """Print what an event of prose costs a bare proxy and the gateway, in turns."""
    taken: dict[str, list[float]] = {"bare": [], "gateway": []}
    lost = 0
    with running("-m", "benchmarks.gateway", "--provide") as direct:
        upstream = f"http://127.0.0.1:{direct[0]}"
        gateway = ("-m", "stream_guard", "proxy", "--port", "0", "--blocks", "events", "--upstream", upstream)
        with running("-m", "benchmarks.gateway", "--forward", upstream) as bare, running(*gateway) as through:
            time.sleep(2)
            for turn in range(turns + 1):  # the first is to warm up
                for name, (port, pid) in (("bare", bare), ("gateway", through)):
                    before = spent(pid)
                    lost += count - asyncio.run(drained(port, count))
                    if turn:
                        taken[name].append(1e6 * (spent(pid) - before) / count)
    ratios = sorted(one / other for one, other in zip(taken["bare"], taken["gateway"], strict=True))
    shown = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    both = " and ".join(f"{statistics.median(taken[name]):.1f}" for name in ("gateway", "bare"))
    print(f"| an event of prose through the gateway, processor time: a bare proxy of httpx2 against it | {shown} | {both} us |")
    return 1 if lost else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Streams at once, direct and through the gateway.")
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prose", type=int, help="measure one stream of so many events against a bare proxy")
    parser.add_argument("--turns", type=int, default=7, help="how often that is measured (7)")
    parser.add_argument("--provide", action="store_true", help="be the provider")
    parser.add_argument("--forward", help="be the bare proxy, to this address")
    options = parser.parse_args()
    import resource  # deferred: not every system has it

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.provide:
        asyncio.run(provide())
        return 0
    if options.forward:
        forward(options.forward)
        return 0
    if options.prose:
        return prose(options.prose, options.turns)
    wrong = 0
    print(
        "| round | | lost or mixed | first event, ms: median, p99 | all ended after, s "
        "| processor time, ms a stream: until all have begun, in all |"
    )
    print("|---|---|---|---|---|---|")
    with running("-m", "benchmarks.gateway", "--provide") as direct:
        upstream = f"http://127.0.0.1:{direct[0]}"
        with running("-m", "stream_guard", "proxy", "--port", "0", "--blocks", "events", "--upstream", upstream) as through:
            time.sleep(2)
            for number in range(options.rounds):
                for name, (port, pid) in (("direct", direct), ("gateway", through)):
                    told = asyncio.run(measure(port, pid, direct[0], options.streams, guarded=name == "gateway"))
                    wrong += told["wrong"]
                    when = f"{1000 * told['median']:.0f}, {1000 * told['p99']:.0f}"
                    cost = f"{1000 * told['first']:.2f}, {1000 * told['whole']:.2f}"
                    print(f"| {number + 1} | {name} | {told['wrong']} | {when} | {told['all']:.1f} | {cost} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
