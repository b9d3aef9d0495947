"""What guarding costs where streams are served: beside the provider's own client, and over a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.events import guard_events

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
WORDS = "The quick brown fox jumps over the lazy dog, and then it thinks about what it has done.\n"


def chunks(count: int) -> list[dict[str, Any]]:
    """Chunks of a chat completion: prose in deltas of four characters."""
    text = WORDS * (4 * count // len(WORDS) + 1)

    def chunk(piece: str) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None, "logprobs": None}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    return [chunk(text[at * 4 : at * 4 + 4]) for at in range(count)]


def share(turns: int, count: int = 10_000) -> str:
    """The wrapper's time for a chunk, against the time the client needs to make it."""
    from openai._models import construct_type
    from openai.types.chat import ChatCompletionChunk

    told = [json.dumps(chunk) for chunk in chunks(count)]

    def made() -> list[Any]:
        return [construct_type(type_=ChatCompletionChunk, value=json.loads(text)) for text in told]

    objects = made()

    async def source() -> AsyncIterator[Any]:
        for item in objects:
            yield item

    async def drained(stream: Any) -> None:
        async for _ in stream:
            pass

    def timed(work: Callable[[], Any]) -> float:
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) / count

    rows = []
    for _ in range(turns):
        bare = timed(lambda: asyncio.run(drained(source())))
        guarded = timed(lambda: asyncio.run(drained(guard_events(source(), GUARD, "openai-chat"))))
        rows.append((guarded - bare, timed(made)))
    shares = sorted(ours / theirs for ours, theirs in rows)
    ours, theirs = (statistics.median(column) for column in zip(*rows, strict=True))
    shown = f"{statistics.median(shares):.1%} ({shares[0]:.1%}-{shares[-1]:.1%})"
    what = "a chunk of prose guarded, against the client's making of it (openai)"
    return f"| {what} | {shown} | under 2% | {ours * 1e6:.1f} and {theirs * 1e6:.1f} us |"


def served(turns: int, count: int = 20_000) -> str:
    """Events a second of one app over loopback, guarded against not."""
    rates = asyncio.run(_rates(turns, count))
    ratios = sorted(guarded / bare for bare, guarded in rates)
    bare, guarded = (statistics.median(column) for column in zip(*rates, strict=True))
    shown = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    what = "events of prose a second, an app of sse-starlette over loopback behind the middleware, against without"
    return f"| {what} | {shown} | at least 0.95x | {guarded:,.0f} and {bare:,.0f} a second |"


def cost(turns: int, count: int = 20_000) -> str:
    """Processor time of the server for an event, bare against guarded; the reader is a process of its own."""
    rows = asyncio.run(_costs(turns, count))
    ratios = sorted(bare / guarded for bare, guarded in rows)
    bare, guarded = (statistics.median(column) for column in zip(*rows, strict=True))
    shown = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    what = "processor time of the server for an event of prose, the same app, without the middleware against with it"
    return f"| {what} | {shown} | at least 0.95x | {bare * 1e6:.1f} and {guarded * 1e6:.1f} us |"


_READER = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(b"GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n")
    while connection.recv(65_536):
        pass
"""


async def _costs(turns: int, count: int) -> list[tuple[float, float]]:
    async def taken(port: int) -> float:
        start = time.process_time()
        reader = await asyncio.create_subprocess_exec(sys.executable, "-c", _READER, str(port))
        await reader.wait()
        return (time.process_time() - start) / count

    app = _app(count)
    async with _server(app) as bare, _server(StreamGuardMiddleware(app, guard=GUARD)) as guarded:
        await taken(bare), await taken(guarded)  # warm
        return [(await taken(bare), await taken(guarded)) for _ in range(turns)]


def _app(count: int) -> Any:
    """An app of sse-starlette with one stream of prose."""
    from sse_starlette import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.routing import Route

    told = chunks(count)

    async def events() -> AsyncIterator[dict[str, str]]:
        for chunk in told:
            yield {"data": json.dumps(chunk)}

    async def answer(_: Any) -> Any:
        return EventSourceResponse(events(), sep="\n")

    return Starlette(routes=[Route("/", answer)])


async def _rates(turns: int, count: int) -> list[tuple[float, float]]:
    app = _app(count)
    async with _server(app) as bare, _server(StreamGuardMiddleware(app, guard=GUARD)) as guarded:
        return [(count / await _read(bare), count / await _read(guarded)) for _ in range(turns)]


def added(turns: int, count: int = 2_000) -> str:
    """How much later an event arrives, of those that take longest: one event a millisecond, from its making to its reading."""
    rows = asyncio.run(_latencies(turns, count))
    differences = sorted(guarded - bare for bare, guarded in rows)
    bare, guarded = (statistics.median(column) for column in zip(*rows, strict=True))
    shown = f"{statistics.median(differences):.3f} ms ({differences[0]:.3f}-{differences[-1]:.3f})"
    what = "what the middleware adds to the slowest of a hundred events (p99), the same app, an event a millisecond"
    return f"| {what} | {shown} | under 1 ms | {guarded:.3f} and {bare:.3f} ms |"


async def _latencies(turns: int, count: int) -> list[tuple[float, float]]:
    from starlette.applications import Starlette
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    told = chunks(count)

    async def events() -> AsyncIterator[bytes]:
        for chunk in told:
            await asyncio.sleep(0.001)
            yield f"data: {json.dumps({**chunk, 'created': time.perf_counter_ns()})}\n\n".encode()

    async def answer(_: Any) -> Any:
        return StreamingResponse(events(), media_type="text/event-stream")

    app = Starlette(routes=[Route("/", answer)])
    async with _server(app) as bare, _server(StreamGuardMiddleware(app, guard=GUARD)) as guarded:
        return [(await _slowest(bare), await _slowest(guarded)) for _ in range(turns)]


async def _slowest(port: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    took: list[float] = []
    while line := await reader.readline():
        now = time.perf_counter_ns()
        if line.startswith(b"data: "):
            took.append((now - json.loads(line[6:])["created"]) / 1e6)
    writer.close()
    return statistics.quantiles(took, n=100)[98]


async def _read(port: int) -> float:
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    while await reader.read(65_536):
        pass
    writer.close()
    return time.perf_counter() - start


@contextlib.asynccontextmanager
async def _server(app: Any) -> AsyncIterator[int]:
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
        await asyncio.sleep(0.001)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


def table(turns: int) -> Iterator[str]:
    """The rows."""
    yield share(max(3, turns // 2))
    yield served(max(3, turns // 2))
    yield cost(max(3, turns // 2))
    yield added(max(3, turns // 2))
