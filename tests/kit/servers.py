"""Apps served on loopback by real servers, in the test's own event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import hypercorn.asyncio
import uvicorn


@contextlib.asynccontextmanager
async def served(
    app: Any, server: str = "uvicorn", lifespan: Literal["on", "off"] = "off", **settings: Any
) -> AsyncIterator[str]:
    """The app's address, while a server serves it. `settings` are uvicorn's."""
    async with _uvicorn(app, lifespan, settings) if server == "uvicorn" else _hypercorn(app) as url:
        yield url


@contextlib.asynccontextmanager
async def _hypercorn(app: Any) -> AsyncIterator[str]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = hypercorn.Config()
    config.bind = [f"fd://{listening.detach()}"]  # its own from now on
    config.errorlog = config.accesslog = None
    config.graceful_timeout = 1
    stop = asyncio.Event()
    task = asyncio.create_task(hypercorn.asyncio.serve(app, config, shutdown_trigger=stop.wait, mode="asgi"))
    try:
        _, writer = await connected(port)
        writer.close()
        yield f"http://127.0.0.1:{port}"
    finally:
        stop.set()
        await task


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to this port, once somebody listens there."""
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            await asyncio.sleep(0.001)


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-2000:]


@contextlib.asynccontextmanager
async def program(*command: str, port: int, log: Path, **environment: str) -> AsyncIterator[str]:
    """The address of a server that is a program of its own, while it runs. What it prints is in the log."""
    with log.open("wb") as printed:
        process = await asyncio.create_subprocess_exec(
            *command, env={**os.environ, **environment}, stdout=printed, stderr=printed
        )
    try:
        try:
            _, writer = await asyncio.wait_for(connected(port), 300)
        except TimeoutError:
            raise AssertionError(_end_of(log)) from None
        writer.close()
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def printed_by(process: asyncio.subprocess.Process, given: bytes | None = None) -> tuple[bytes, bytes]:
    """What a program prints that ends by itself. One that hangs is killed, and is a TimeoutError."""
    try:
        return await asyncio.wait_for(process.communicate(given), 1_200)  # one that runs all programs takes minutes
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@contextlib.asynccontextmanager
async def _uvicorn(app: Any, lifespan: Literal["on", "off"], settings: dict[str, Any]) -> AsyncIterator[str]:
    settings = {"log_level": "critical", **settings}
    config = uvicorn.Config(app, port=0, lifespan=lifespan, timeout_graceful_shutdown=1, **settings)
    server = _Prompt(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]  # the test's own
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.001)
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.end()
        await task


class _Prompt(uvicorn.Server):
    """A server that ends as soon as it is told to and serves nobody. Uvicorn's own looks ten times a second whether it is told
    to, and then whether it serves anybody, and hundreds of tests would wait for that.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told = asyncio.Event()

    def end(self) -> None:
        """Tell it to end."""
        self.should_exit = True
        self._told.set()

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), 0.1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(0.001)
                for server in self.servers:
                    await server.wait_closed()
        except TimeoutError:
            for serving in self.server_state.tasks:
                serving.cancel()
        await self.lifespan.shutdown()


async def asked_of(
    app: Any, body: bytes, *, method: str = "POST", kind: bytes = b"application/json", path: str = "/", cut: int = 0
) -> bytes:
    """The body of an app's answer to a request with this body, which comes in pieces of this size. No server is between."""
    pieces = [body[at : at + cut] for at in range(0, len(body), cut)] if cut else [body]
    requests = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    requests[-1]["more_body"] = False
    sent: list[bytes] = []

    async def receive() -> Any:
        return requests.pop(0) if requests else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": [(b"content-type", kind)]}
    await app(scope, receive, send)
    return b"".join(sent)
