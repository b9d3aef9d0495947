"""A gateway: any client, in any language, points its base URL at it and gets guarded streams.

    stream-guard proxy --upstream https://api.example.com

    client -> StreamGuardMiddleware -> Proxy -> provider

Rule 1: requests and responses pass as they are; what a connection alone is concerned with (RFC 9110, 7.6.1) does not.
Rule 2: keys pass through. Nothing of a request or of a response is logged.
Rule 3: when the client leaves, the provider's connection is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, MutableMapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from stream_guard import Guard, Toolset

from .asgi import App, Receive, Send, StreamGuardMiddleware
from .calls import NATIVE

if TYPE_CHECKING:
    import httpx2

_HOP: Final = frozenset({
    b"connection", b"host", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade", b"accept-encoding",
})  # fmt: skip
"""Headers of one connection; and what would make the provider compress what is to be looked into."""


class Proxy:
    """Passes requests on to a provider, and streams back what it answers.

    Args:
        upstream: The provider's address; a path in it stands before the path of each request.
    """

    def __init__(self, upstream: str) -> None:
        if not _is_address(upstream):
            raise ValueError(f"upstream must be a URL such as https://api.example.com, not {upstream!r}")
        self.upstream: Final = upstream.rstrip("/")
        self._client: httpx2.AsyncClient | None = None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the server's own beginning and end."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            raise ValueError(f"a proxy serves http, not {scope['type']}")

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.aclose()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def aclose(self) -> None:
        """Close what is open to the provider."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _serve(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        sent = asyncio.Event()  # the request's body, all of it
        has_body = any(name.lower() in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])
        if not has_body:
            sent.set()
        body = _body(receive, sent) if has_body else None
        forwarding = asyncio.create_task(self._forward(scope, body, send))
        leaving = asyncio.create_task(_left(receive, sent))
        try:
            await asyncio.wait([forwarding, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (forwarding, leaving):
                task.cancel()
            await asyncio.wait([forwarding, leaving])
        if not forwarding.cancelled():
            forwarding.result()

    async def _forward(self, scope: MutableMapping[str, Any], body: AsyncGenerator[bytes, None] | None, send: Send) -> None:
        import httpx2  # deferred: only who serves needs it

        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=httpx2.Timeout(None, connect=30), follow_redirects=False)
        query = scope.get("query_string", b"").decode("latin-1")
        path = scope.get("raw_path") or scope["path"].encode()
        url = self.upstream + path.decode("latin-1").partition("?")[0] + (f"?{query}" if query else "")
        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in _HOP]
        headers.append((b"accept-encoding", b"identity"))
        request = self._client.build_request(scope["method"], url, headers=headers, content=body)
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.TransportError as error:
            await _refused(send, error)
            return
        try:
            kept = [(name, value) for name, value in response.headers.raw if name.lower() not in _HOP]
            await send({"type": "http.response.start", "status": response.status_code, "headers": kept})
            async for chunk in response.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await response.aclose()


async def _body(receive: Receive, sent: asyncio.Event) -> AsyncGenerator[bytes, None]:
    """The request's body, as it comes."""
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        if not more:
            sent.set()
        if message["type"] == "http.request":
            yield message.get("body", b"")


async def _left(receive: Receive, sent: asyncio.Event) -> None:
    """Return when the client has left. Its body is read by another."""
    await sent.wait()
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refused(send: Send, error: Exception) -> None:
    said = {"error": {"message": f"The provider could not be reached ({type(error).__name__})", "type": "upstream_error"}}
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 502, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(said).encode(), "more_body": False})


def _is_address(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _address(text: str) -> str:
    if not _is_address(text):
        raise argparse.ArgumentTypeError(f"a URL such as https://api.example.com is wanted, not {text!r}")
    return text


def proxy(upstream: str, guard: Guard, **settings: Any) -> App:
    """The gateway as an ASGI app. `settings` are those of `StreamGuardMiddleware`."""
    return StreamGuardMiddleware(Proxy(upstream), guard=guard, **settings)


def command(
    commands: Any, takes_tools: Callable[[argparse.ArgumentParser], None], toolset: Callable[[str | None], Toolset]
) -> None:
    """Add `proxy` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("proxy", help="serve a provider's API with its streams guarded")
    parser.add_argument("--upstream", required=True, type=_address, metavar="URL", help="the provider's address")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8787, help="on which port (8787); 0 for any")
    parser.add_argument("--emit", choices=("auto", "named", "none"), default="auto", help="how our events are told (auto)")
    parser.add_argument("--native", choices=NATIVE, default="guard", help="what becomes of native tool calls (guard)")
    parser.add_argument("--promote", action="store_true", help="tell calls that were written as text as native ones too")
    takes_tools(parser)

    def run(options: argparse.Namespace) -> int:
        for needed in ("httpx2", "uvicorn"):
            if find_spec(needed) is None:
                parser.error(f'{needed} is not installed; pip install "stream-guard-llm[proxy]"')
        import uvicorn  # deferred: only who serves needs it

        try:
            listening = socket.create_server((options.host, options.port))
        except OSError as error:
            parser.error(f"cannot listen on {options.host}:{options.port}: {error.strerror or error}")
        settings = {"emit": options.emit, "native": options.native, "promote": options.promote}
        app: Any = proxy(options.upstream, Guard(toolset(options.tools)), **settings)
        host, port = listening.getsockname()[:2]
        print(f"Guarding {options.upstream} on http://{host}:{port}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listening])
        return 0

    parser.set_defaults(run=run)
