"""Readers that leave, or take no data: nothing is left of them, and the log has no line for each event that they left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import struct
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from stream_guard_adapters.resume import Entry, MemoryStore, Open, RedisStore, ResumableStreams, resume_response, resume_routes

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import stores
from tests.kit.resuming import away_after, begun, events
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
KINDS = ["memory", "redis"]


@contextlib.asynccontextmanager
async def serving(kind: str, folder: Path, **settings: Any) -> AsyncIterator[tuple[ResumableStreams, int]]:
    """Yield streams and the port at which they are read, by real connections."""
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(stores.server(folder / "v", *stores.MEMORY)).url if kind == "redis" else ""
        store = RedisStore(url) if kind == "redis" else MemoryStore()
        streams = ResumableStreams(store, GUARD)
        app = Starlette(routes=[Mount("/", resume_routes(streams, session=lambda _: "me", **settings))])
        async with served(app, log_level="error") as address:
            yield streams, int(address.rpartition(":")[2])
            await streams.aclose()
            await store.aclose()


async def asked(port: int, stream: str) -> socket.socket:
    """Return a connection on which a stream was asked for, and nothing was read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    await loop.sock_sendall(connection, f"GET /{stream} HTTP/1.1\r\nhost: a\r\n\r\n".encode())
    return connection


def reset(connection: socket.socket) -> None:
    """Leave at once, without reading what has come."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


async def left(port: int) -> None:
    """Wait until the server has noticed that everybody left."""
    for _ in range(100):
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_readers_that_leave_in_the_middle_of_a_page_fill_no_log(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They leave before the first event, or after some bytes; the stream has ended or runs."""
    async with serving(kind, tmp_path) as (streams, port):
        for name in ("ended", "running"):
            lease = await begun(streams.store, name)
            for _ in range(5):
                await streams.store.append(lease, events(*("x" * 500 for _ in range(60))))
            if name == "ended":
                await streams.store.finalize(lease, "done", {"event": "done", "data": "{}"})
        with caplog.at_level(logging.WARNING):
            for number in range(60):
                connection = await asked(port, "running" if number % 2 else "ended")
                for _ in range(number % 10):
                    await asyncio.sleep(0)
                if number % 3 == 0:
                    await asyncio.get_running_loop().sock_recv(connection, 1000)
                reset(connection)
            await left(port)
        assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_reader_that_takes_no_data_is_one_line_of_the_log(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its connection is closed without an end that looks like one."""
    async with serving(kind, tmp_path, send_timeout=0.2) as (streams, port):
        lease = await begun(streams.store, "s")
        for _ in range(15):
            await streams.store.append(lease, events(*("x" * 60_000 for _ in range(10))))
        await streams.store.finalize(lease, "done", {"event": "done", "data": "{}"})
        with caplog.at_level(logging.WARNING, "stream_guard"):
            connections = [await asked(port, "s") for _ in range(5)]
            for _ in range(400):
                await asyncio.sleep(0.01)
                if len(caplog.records) >= 10:
                    break
        for connection in connections:
            reset(connection)
        await left(port)
        ours = [record.getMessage() for record in caplog.records if record.name == "stream_guard"]
        assert ours == ["a reader was given up: it takes no data"] * 5
        assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_is_left_of_readers_that_left_a_silent_stream(kind: str, tmp_path: Path) -> None:
    """However they leave: the store has as many objects for the stream as before they came."""
    async with serving(kind, tmp_path) as (streams, _):
        store = streams.store
        lease = await begun(store, "s")
        await store.append(lease, events("a"))

        async def one(cancelled: bool) -> None:
            reading = await store.read("s", "me")
            assert reading is not None
            assert [entry.data for entry in await anext(reading)] == ['"a"']
            if cancelled:
                task: asyncio.Task[object] = asyncio.ensure_future(anext(reading))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
            await reading.aclose()

        def kept() -> int:
            if isinstance(store, MemoryStore):
                return len(store._streams["s"].waiting)
            assert isinstance(store, RedisStore)
            return len(store._channels._followers) + len(store._pages)

        for number in range(40):
            await one(number % 2 == 0)
        assert kept() == 0
        assert (await store.append(lease, events("b")))[0].data == '"b"'


class Counted(ResumableStreams):
    """Streams that count the events that their readers took."""

    taken = 0

    async def open(
        self, stream: str, owner: str, after: str | None = "", revive: Open | None = None
    ) -> AsyncGenerator[Entry, None] | None:
        entries = await super().open(stream, owner, after, revive)
        return None if entries is None else self._counting(entries)

    async def _counting(self, entries: AsyncGenerator[Entry, None]) -> AsyncGenerator[Entry, None]:
        async with contextlib.aclosing(entries):
            async for entry in entries:
                self.taken += 1
                yield entry


async def answered(streams: ResumableStreams, request: Request) -> Response:
    return await resume_response(streams, request.path_params["stream"], "me", request)


async def sent_events(streams: ResumableStreams, request: Request) -> Response:
    entries = await streams.open(request.path_params["stream"], "me", request.headers.get("last-event-id", ""))
    assert entries is not None
    return EventSourceResponse(entry.sse() async for entry in entries)


async def sent_bytes(streams: ResumableStreams, request: Request) -> Response:
    entries = await streams.open(request.path_params["stream"], "me", request.headers.get("last-event-id", ""))
    assert entries is not None
    return StreamingResponse(f"id: {entry.id}\nevent: {entry.event}\ndata: {entry.data}\n\n" async for entry in entries)


OWN = [answered, sent_events, sent_bytes]
"""What a route of an app's own may answer with."""


def app_of(framework: str, streams: ResumableStreams, own: Any) -> Any:
    async def route(request: Request) -> Response:
        found: Response = await own(streams, request)
        return found

    if framework == "starlette":
        return Starlette(routes=[Route("/{stream}", route)])
    app = FastAPI()
    app.get("/{stream}", response_class=Response)(route)
    app.head("/{stream}", response_class=Response)(route)
    return app


@pytest.mark.some(5)
@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("framework", ["starlette", "fastapi"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_that_leaves_a_route_of_an_apps_own_is_noticed(
    kind: str, framework: str, own: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """All events are stored already, and none has to be waited for: the server sees nevertheless that the client has left."""
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(stores.server(tmp_path / "v", *stores.MEMORY)).url if kind == "redis" else ""
        store = RedisStore(url) if kind == "redis" else MemoryStore()
        streams = Counted(store, GUARD)
        lease = await begun(store, "s")
        for _ in range(60):
            await store.append(lease, events(*(f"word {n}" for n in range(250))))
        await store.finalize(lease, "done", {"event": "done", "data": "{}"})
        async with served(app_of(framework, streams, own), log_level="error") as address:
            port = int(address.rpartition(":")[2])
            with caplog.at_level(logging.WARNING):
                connection = await asked(port, "s")
                await asyncio.get_running_loop().sock_recv(connection, 300)
                reset(connection)
                await left(port)
                assert streams.taken < 15_001
                assert [record.getMessage() for record in caplog.records] == []
            await streams.aclose()
            await store.aclose()


@pytest.mark.parametrize("framework", ["starlette", "fastapi"])
async def test_a_route_of_an_apps_own_answers_as_ours_do(
    framework: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also when the store goes away while somebody reads: the body breaks off, and no exception reaches the app."""
    with stores.server(tmp_path / "v", *stores.MEMORY) as valkey:
        store = RedisStore(valkey.url, lease=1)
        streams = ResumableStreams(store, GUARD)
        lease = await begun(store, "s")
        await store.append(lease, events("a"))
        app = app_of(framework, streams, answered)
        async with served(app, log_level="error") as url, httpx2.AsyncClient(base_url=url, timeout=300) as client:
            async with client.stream("GET", "/s") as answer:
                lines = answer.aiter_lines()
                first = await anext(lines)
                assert (answer.status_code, first) == (200, f"id: 1-{lease.generation}")
                away_after(store, 0.3)
                with caplog.at_level(logging.WARNING, "stream_guard"):
                    valkey.pause()
                    rest = [line async for line in lines]
                assert "event: done" not in rest
                assert any("the store is away" in record.getMessage() for record in caplog.records)
                assert not any(record.exc_info for record in caplog.records)
            refused = await client.get("/s")
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
            valkey.resume()
            away_after(store, 30)
            end = await store.finalize(lease, "done", {"event": "done", "data": "{}"})

            async def status(stream: str, after: str) -> int:
                head = await client.head(f"/{stream}", headers={"last-event-id": after})
                get = await client.get(f"/{stream}", headers={"last-event-id": after})
                assert head.status_code == get.status_code
                return get.status_code

            asks = [("s", f"1-{lease.generation}"), ("s", end.id), ("s", "x"), ("none", "")]
            assert [await status(*ask) for ask in asks] == [200, 204, 400, 404]
            await streams.aclose()
            await store.aclose()
