"""Behind nginx, with the settings that people have: nothing is collected on the way, and a long hold is not taken for dead."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.proxy import proxy
from stream_guard_adapters.sse import guarded_sse

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.nginx import behind
from tests.kit.provider import Piece, Provider, Trouble
from tests.kit.provider import openai as openai_wire
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
CALL = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
PIECES = ["Hello.\n", "```json\n", CALL[:30], CALL[30:], "\n```\n", "Bye.\n"]

SETTINGS = {
    "as it comes": "",
    "HTTP/1.1": 'proxy_http_version 1.1; proxy_set_header Connection "";',
    "gzip": "gzip on; gzip_types text/event-stream; gzip_min_length 1; gzip_proxied any;",
    "big buffers": "proxy_buffer_size 64k; proxy_buffers 8 64k; proxy_busy_buffers_size 128k;",
    "a cache": "proxy_max_temp_file_size 1024m; proxy_buffering on;",
}


def app(stream: Callable[[], AsyncIterator[bytes]], **settings: Any) -> StreamGuardMiddleware:
    async def answer(_: Request) -> Response:
        return StreamingResponse(stream(), media_type="text/event-stream")

    settings = {"guard": GUARD, **settings}
    return StreamGuardMiddleware(Starlette(routes=[Route("/{path:path}", answer)]), **settings)


def told(body: bytes) -> list[str]:
    """Our events in a body, by what they say."""
    found = []
    for line in body.splitlines():
        if line.startswith(b"data: {"):
            ours = json.loads(line[6:]).get("stream_guard")
            if ours is not None:
                found.append(ours["data"].get("status") or "block")
    return found


@pytest.mark.parametrize("settings", SETTINGS)
async def test_every_event_arrives_before_the_next_one_is_made(settings: str, tmp_path: Path) -> None:
    """The app says nothing more until the reader has what it said. A stream that is collected on the way would never go on."""
    heard = asyncio.Event()
    body = b""

    async def stream() -> AsyncIterator[bytes]:
        async for event in openai_wire(PIECES):
            yield event
            if b"Hello" in event or b"```json" in event or b"Bye" in event:
                async with asyncio.timeout(300):
                    await heard.wait()
                heard.clear()

    def arrived() -> bool:
        return (b"Hello" in body) + ("buffering" in told(body)) + (b"Bye" in body) > marks

    marks = 0
    decoder = zlib.decompressobj(31)
    async with (
        served(app(stream)) as url,
        behind(url, tmp_path, SETTINGS[settings]) as there,
        httpx2.AsyncClient() as client,
        client.stream("GET", there, timeout=300, headers={"accept-encoding": "gzip"}) as response,
    ):
        assert (response.headers.get("content-encoding") == "gzip") is (settings == "gzip")
        async for chunk in response.aiter_raw():
            body += decoder.decompress(chunk) if settings == "gzip" else chunk
            while arrived():
                marks += 1
                heard.set()
    assert marks == 3
    assert told(body)[-1] == "block"
    assert body.endswith(b"data: [DONE]\n\n")


async def test_a_chat_endpoint_and_the_gateway_flow_too(tmp_path: Path) -> None:
    """Both say that they are not to be collected."""
    pieces: list[Piece] = ["Hello.\n", Trouble.HANG]

    async def endpoint(_: Request) -> Response:
        async def deltas() -> AsyncIterator[str]:
            yield "Hello.\n"
            await asyncio.Event().wait()

        return EventSourceResponse(guarded_sse(deltas(), GUARD))

    chat = Starlette(routes=[Route("/", endpoint)])
    async with Provider(lambda _: pieces) as provider:
        for guarded, method in ((chat, "GET"), (proxy(provider.url, GUARD), "POST")):
            async with served(guarded) as url, behind(url, tmp_path) as there, httpx2.AsyncClient() as client:
                path = "/" if method == "GET" else "/v1/chat/completions"
                async with client.stream(method, there + path, json={} if method == "POST" else None, timeout=300) as response:
                    got = b""
                    async for chunk in response.aiter_raw():
                        got += chunk
                        if b"Hello" in got:
                            break
                    assert b"Hello" in got


async def test_who_is_told_to_collect_all_the_same_loses_nothing(tmp_path: Path) -> None:
    """Late, and whole."""
    settings = "proxy_ignore_headers X-Accel-Buffering; proxy_buffers 8 64k;"
    async with served(app(lambda: openai_wire(PIECES))) as url, httpx2.AsyncClient() as client:
        direct = (await client.get(url)).content
        async with behind(url, tmp_path, settings) as there:
            collected = (await client.get(there)).content
    assert told(collected) == told(direct)
    assert collected.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("keep_alive", [0.2, None])
async def test_a_long_hold_outlives_a_short_patience_by_its_comments_alone(keep_alive: float | None, tmp_path: Path) -> None:
    """Nginx ends what is silent for four seconds here. The correction takes until nginx has lost its patience twice."""
    out_of_patience = asyncio.Event()

    async def correct(_: CorrectionRequest) -> str:
        await out_of_patience.wait()
        return CALL

    async def silent(_: Request) -> Response:
        async def nothing() -> AsyncIterator[bytes]:
            yield b": hello\n\n"
            await asyncio.Event().wait()

        return StreamingResponse(nothing(), media_type="text/plain")

    bad = CALL.replace('"x"', "[7]")
    guarded = app(
        lambda: openai_wire([f"Hello.\n```json\n{bad}\n```\nBye.\n"]),
        guard=Guard(FILE_TOOLS, corrector=correct, fixes="off", correction=CorrectionPolicy(timeout=3_600)),
        keep_alive=keep_alive,
    )
    guarded.app.router.routes.insert(0, Route("/silent", silent))  # type: ignore[attr-defined]
    async with served(guarded) as url, behind(url, tmp_path, "proxy_read_timeout 4s;") as there, httpx2.AsyncClient() as client:

        async def patience() -> None:
            for _ in range(2):
                with pytest.raises(httpx2.RemoteProtocolError):
                    await client.get(f"{there}/silent", timeout=300)
            out_of_patience.set()

        waiting = asyncio.create_task(patience())
        try:
            body = (await client.get(there, timeout=300)).content
        except httpx2.RemoteProtocolError:
            body = b""
        await waiting
    assert (b"Bye" in body) is (keep_alive is not None)
    assert (told(body)[-1:] == ["block"]) is (keep_alive is not None)


async def test_who_leaves_nginx_leaves_the_app(tmp_path: Path) -> None:
    """Nginx closes its own connection, and the app's stream is closed."""
    opened = closed = 0

    async def hanging() -> AsyncIterator[bytes]:
        nonlocal opened, closed
        opened += 1
        try:
            for event in [event async for event in openai_wire(PIECES[:3])][:4]:
                yield event
            await asyncio.Event().wait()
        finally:
            closed += 1

    async with served(app(hanging)) as url, behind(url, tmp_path) as there:
        for _ in range(20):
            async with httpx2.AsyncClient() as client, client.stream("GET", there, timeout=300) as response:
                got = b""
                async for chunk in response.aiter_raw():
                    got += chunk
                    if "buffering" in told(got):
                        break
        async with asyncio.timeout(300):
            while closed < opened:
                await asyncio.sleep(0.005)
    assert opened == 20
