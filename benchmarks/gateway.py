"""Hundreds of streams at once, direct and through the gateway, in the same run: what is lost, and when the first event comes.

    python -m benchmarks.gateway [--streams 500] [--rounds 3]

Three processes: a scripted provider, the gateway as its command serves it, and this one, which reads by hand. All streams are
asked for at once and stay open until the last has begun; each says its number, holds a block, and says its number again. The
readers share the cores with what they measure, so the figures are bounds from above.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    told = json.dumps({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    return chunk(f"data: {told}\n\n".encode())


# -- the provider ------------------------------------------------------------------------------------------------------


async def provide(streams: int) -> None:
    """A provider of its own process. Streams go on when so many are open."""
    opened = 0
    all_open = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened, all_open
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                number = int((await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].removeprefix(b"/"))
                writer.write(HEAD + event(f"{number} begins.\n"))
                opened += 1
                going = all_open
                if opened == streams:
                    opened, all_open = 0, asyncio.Event()
                    going.set()
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


# -- the readers -------------------------------------------------------------------------------------------------------


async def read(port: int, number: int) -> tuple[float, float, bytes]:
    """One stream: the seconds until its first event and until its end, and all that came."""
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % number)
    said = await reader.readuntil(b"data: {")
    first = time.monotonic() - begun
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


async def measure(port: int, streams: int, *, guarded: bool) -> dict[str, Any]:
    found = await asyncio.gather(*(read(port, number) for number in range(streams)))
    firsts = sorted(first for first, _, _ in found)
    wrong = sum(not right(number, said, guarded=guarded) for number, (_, _, said) in enumerate(found))
    ends = max(end for _, end, _ in found)
    return {"wrong": wrong, "median": statistics.median(firsts), "p99": firsts[int(0.99 * len(firsts))], "all": ends}


def main() -> int:
    parser = argparse.ArgumentParser(description="Streams at once, direct and through the gateway.")
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--provide", action="store_true", help="be the provider")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.provide:
        asyncio.run(provide(options.streams))
        return 0
    wrong = 0
    print("| round | | lost or mixed | first event, ms: median, p99 | all ended after, s | processor time, ms a stream |")
    print("|---|---|---|---|---|---|")
    with running("-m", "benchmarks.gateway", "--provide", "--streams", str(options.streams)) as direct:
        upstream = f"http://127.0.0.1:{direct[0]}"
        with running("-m", "stream_guard", "proxy", "--port", "0", "--upstream", upstream) as through:
            time.sleep(2)
            for number in range(options.rounds):
                for name, (port, pid) in (("direct", direct), ("gateway", through)):
                    before = spent(pid)
                    told = asyncio.run(measure(port, options.streams, guarded=name == "gateway"))
                    wrong += told["wrong"]
                    when = f"{1000 * told['median']:.0f}, {1000 * told['p99']:.0f}"
                    cost = f"{1000 * (spent(pid) - before) / options.streams:.1f}"
                    print(f"| {number + 1} | {name} | {told['wrong']} | {when} | {told['all']:.1f} | {cost} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
