"""The gateway: a client in any language uses it as its base URL and receives guarded streams.

    stream-guard proxy --upstream https://api.example.com

    client -> Gateway (checks the request) -> StreamGuardMiddleware -> Proxy (forwards it) -> provider

Rule 1: requests and responses pass unchanged, except for what `targets.py` refuses or removes. Requests share no state: no
cookie, no header, no redirect, and no connection, since bytes after a response would be read as the next response.
Rule 2: keys pass through. Nothing of a request or a response is logged; a failure is logged on one line, with its reason.
Rule 3: aborts are passed on: when the client disconnects, the provider's connection is closed, an aborted upload is aborted
upstream, and an aborted response is aborted for the client.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import inspect
import json
import logging
import os
import socket
import ssl
import urllib.request
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, MutableMapping
from dataclasses import fields
from importlib.util import find_spec
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from stream_guard import Guard, Limits, ToolBlock, Toolset
from stream_guard.spi import Unreadable, check_flag, check_hook, imported, is_count, is_seconds, shown, takes_reading

from .asgi import PARTING, App, Receive, Send, StreamGuardMiddleware
from .call_counts import CallCounts
from .engine.request_tools import check_offers
from .engine.settings import BLOCKS, EMIT, NATIVE, REQUEST_TOOLS, Blocks, RequestTools
from .engine.uninspected import Uninspected
from .targets import Header, Refused, Upstream, back, hostname, onward, upgrades
from .uploads import Upload, backend

if TYPE_CHECKING:
    import httpcore2

log: Final = logging.getLogger("stream_guard")

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""The host names that clients on the same machine use."""

HEALTH: Final = b"/healthz"
"""The path of the health check, which the gateway answers itself."""

METRICS: Final = b"/metrics"
"""The path of the metrics, which the gateway answers itself if it is told to."""

_YOUNG: Final = 10_000
"""How many new objects start a garbage collection. Hundreds of streams that begin at once make many objects, all in use: with
Python's default of 700, collections take a third of the time."""

_RETRY: Final = (b"retry-after", b"1")

_LOOK: Final = 0.1
"""Seconds between two checks whether a gateway that stops has open requests; uvicorn checks its connections as often."""


SERVER: Final[Mapping[str, Any]] = {
    "http": "h11",  # refuses ambiguous requests
    "ws": "none",
    "log_level": "error",
    "access_log": False,
    "server_header": False,  # the provider's headers pass
    "date_header": False,
}
"""The settings of uvicorn that the gateway is served with."""


class Dropped(Exception):
    """Raised when the upstream aborts a response, or is silent for too long in the middle of it."""


class Proxy:
    """Forwards requests to a provider and streams its responses back.

    Args:
        upstream: The provider's URL. Its path is put before the path of each request.
        max_connections: The most requests to the provider at a time; further ones wait. None: no limit.
        pool_timeout: Seconds that a further request waits before it gets a 503.
        connect_timeout: Seconds to connect to the provider before the request gets a 504.
        read_timeout: Seconds of silence after which the provider is given up. The client cannot see that silence, because the
            keep-alive hides it. None: never.
    """

    def __init__(
        self,
        upstream: str,
        *,
        max_connections: int | None = None,
        pool_timeout: float = 10.0,
        connect_timeout: float = 30.0,
        read_timeout: float | None = 600.0,
    ) -> None:
        self.upstream: Final = Upstream.of(upstream)
        if max_connections is not None and not is_count(max_connections):
            raise ValueError(f"max_connections must be a positive number, or None for no bound; not {shown(max_connections)}")
        for name, seconds in (
            ("pool_timeout", pool_timeout),
            ("connect_timeout", connect_timeout),
            ("read_timeout", read_timeout),
        ):
            if seconds is not None and not is_seconds(seconds):
                raise ValueError(f"{name} must be a positive number of seconds, or None for no bound; not {shown(seconds)}")
        self._max_connections: Final = max_connections
        self._patience: Final = {"connect": connect_timeout, "pool": pool_timeout, "read": read_timeout, "write": read_timeout}
        self._turns: Final = asyncio.Semaphore(max_connections) if max_connections is not None else None
        self._via: Final = _via(self.upstream.origin)
        self._connections: Final = _connections(self.upstream.origin, self._via)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan of the server."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            upload = _upload(scope, receive)
            try:
                await self._serve(scope, upload, send)
            except Refused as refused:
                await _answer(scope, upload, send, refused.status, refused.why)
        else:
            raise ValueError(f"a proxy serves http, not {scope['type']}")

    async def _serve(self, scope: MutableMapping[str, Any], upload: Upload, send: Send) -> None:
        if scope["method"].upper() in ("CONNECT", "TRACE"):
            raise Refused(501, f"{scope['method'].upper()} is not passed on")
        target = self.upstream.target(scope)
        doubled = self.upstream.doubled(target)
        headers, has_body = onward(self.upstream, scope["headers"])
        sent = asyncio.Event()  # the request's body, all of it
        if not has_body:
            sent.set()
        body = _body(upload, sent) if has_body else None
        stays = asyncio.timeout(None)  # as long as the client does
        leaving = asyncio.create_task(_left(upload, sent, stays))
        try:
            async with stays:
                await self._forward(scope["method"], target, headers, body, upload, send, doubled)
        except TimeoutError:
            if not stays.expired():
                raise
        finally:
            leaving.cancel()
            await asyncio.wait([leaving])
        if not leaving.cancelled():
            leaving.result()

    async def _forward(
        self,
        method: str,
        target: bytes,
        headers: list[Header],
        body: AsyncGenerator[bytes, None] | None,
        upload: Upload,
        send: Send,
        doubled: str | None,
    ) -> None:
        import httpcore2  # deferred, as below

        where = httpcore2.URL(self.upstream.origin)
        where.target = target
        request = httpcore2.Request(method, where, headers=headers, content=body, extensions={"timeout": self._patience})
        async with self._turn():
            connection = self._connections.create_connection(where.origin)
            try:
                try:
                    response = await connection.handle_async_request(request)
                except _Left:
                    return
                except Exception as error:  # whatever its kind: it is the upstream's, or the way to it
                    raise self._refusal(error) from None
                if not 200 <= response.status < 600:  # another protocol, or none that is known
                    raise self._refusal(_Unknown())
                if response.status == 404 and doubled is not None:
                    raise Refused(404, f"The provider has no such path: {doubled}")
                await send(
                    {
                        "type": "http.response.start",
                        "status": response.status,
                        "headers": back(response.status, response.headers),
                    }
                )
                chunks = aiter(response.aiter_stream())
                while True:
                    try:
                        chunk = await anext(chunks)
                    except StopAsyncIteration:
                        break
                    except Exception as error:
                        raise Dropped(f"{self._place}: {_failure(error)}") from None
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if body is not None:
                    await upload.drop()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                await connection.aclose()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None, None]:
        """Wait until fewer requests than `max_connections` are running."""
        if self._turns is None:
            yield
            return
        try:
            async with asyncio.timeout(self._patience["pool"]):
                await self._turns.acquire()
        except TimeoutError:
            wait = self._patience["pool"]
            log.warning(
                "a request was refused: all %d connections to %s were in use for %g s (max_connections, pool_timeout)",
                self._max_connections, self._place, wait,
            )  # fmt: skip
            raise Refused(503, "All connections to the provider are in use; try again") from None
        try:
            yield
        finally:
            self._turns.release()

    @property
    def _place(self) -> str:
        """The upstream's host and port, as messages name them."""
        scheme, _, named = self.upstream.origin.partition("://")
        port = "" if named.rpartition("]")[2].count(":") else f":{443 if scheme == 'https' else 80}"
        return f"{named}{port}{'' if self._via is None else ' (by the proxy of the environment)'}"

    def _refusal(self, error: Exception) -> Refused:
        """Return the response for a request that the upstream did not answer, and log the failure."""
        kind = type(error).__name__.removeprefix("_")
        if kind == "LocalProtocolError":
            return Refused(400, "The request is not valid HTTP, or its body is not as long as it says")
        reason = _failure(error)
        log.warning("a request got no answer from %s: %s", self._place, reason)
        if kind.endswith("Timeout"):
            return Refused(504, f"The provider did not answer in time ({kind})")
        reached = kind in ("Unknown", "ReadError", "WriteError", "RemoteProtocolError")
        return Refused(502, f"The provider {'gave no answer' if reached else 'could not be reached'} ({reason})")


def _via(origin: str) -> str | None:
    """Return the URL of the environment's proxy for an upstream, if there is one."""
    scheme, _, authority = origin.partition("://")
    named = urllib.request.getproxies()
    return None if urllib.request.proxy_bypass(authority) else named.get(scheme, named.get("all"))


def _failure(error: BaseException) -> str:
    """Return in a few words why a response did not come to its end."""
    kind = type(error).__name__
    return _reason(error) or _FAILURES.get(kind, kind)


_FAILURES: Final = {
    "RemoteProtocolError": "it closed the connection too early, or sent what cannot be read",
    "ReadError": "it closed the connection too early",
    "WriteError": "it closed the connection too early",
    "_Unknown": "it sent a status that answers no request",
    "ReadTimeout": "it was silent for longer than the read timeout",
}
"""What exceptions mean for which the operating system gives no reason."""


def _reason(error: BaseException) -> str | None:
    """Return in a few words why a connection failed, without names or addresses; None if nothing shows it."""
    seen: list[BaseException] = [error]
    for cause in seen:  # the list grows by what each was raised from
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"TLS: its certificate is not trusted, {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {(cause.reason or 'the handshake failed').lower().replace('_', ' ')}"
        if isinstance(cause, socket.gaierror):
            return "its name is not known"
        if isinstance(cause, OSError) and cause.errno is not None:
            return os.strerror(cause.errno).lower()
        inner = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        further = [*inner, *filter(None, (cause.__cause__, cause.__context__))]
        seen.extend(one for one in further if len(seen) < _MOST_CAUSES and all(one is not other for other in seen))
    return None


_MOST_CAUSES: Final = 20
"""Limit: exceptions in a chain that are searched for the reason of a failure."""


def _connections(origin: str, via: str | None) -> httpcore2.AsyncConnectionPool:
    """Return the pool that connects to the upstream, through the environment's proxy. Each connection is used once."""
    import httpcore2  # deferred: needed only for serving
    import httpx2

    scheme = origin.partition("://")[0]
    ssl_context = httpx2.create_ssl_context() if scheme == "https" or via is not None else None
    if via is None:
        return httpcore2.AsyncConnectionPool(ssl_context=ssl_context, network_backend=backend())
    by = httpx2.Proxy(via)
    url = httpcore2.URL(scheme=by.url.raw_scheme, host=by.url.raw_host, port=by.url.port, target=b"/")
    kind = httpcore2.AsyncSOCKSProxy if by.url.scheme.startswith("socks") else httpcore2.AsyncHTTPProxy
    return kind(proxy_url=url, proxy_auth=by.raw_auth, ssl_context=ssl_context, network_backend=backend())


async def _live(receive: Receive, send: Send) -> None:
    """Answer the server's lifespan messages: there is nothing to open or to close."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


class _Left(Exception):
    """Raised when the client disconnects before its request is complete."""


class _Unknown(Exception):
    """Raised for a response with an invalid status."""


async def _body(receive: Receive, sent: asyncio.Event) -> AsyncGenerator[bytes, None]:
    """Yield the request's body as it arrives. Raises _Left for an aborted body, which must not look complete."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Left
        more = message.get("more_body", False)
        if not more:
            sent.set()
        yield message.get("body", b"")


async def _left(receive: Receive, sent: asyncio.Event, stays: asyncio.Timeout) -> None:
    """End `stays` when the client has disconnected. Another task reads the request's body."""
    await sent.wait()
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    except Exception:  # the server cannot tell: nothing more is sent, and its error is raised
        stays.reschedule(0.0)
        raise
    stays.reschedule(0.0)


_SHARED: Final = ("2", "3")
"""The HTTP versions, by the names that servers use, that have several requests at a time on one connection."""

_VERSIONS: Final = ("1.0", "1.1", *_SHARED)
"""The HTTP versions that are accepted."""

_CLOSES: Final = (b"connection", b"close")
"""A header of refusals in HTTP/1: the bytes after a request that was not read may be its body."""


def _version(scope: MutableMapping[str, Any]) -> str:
    """Return the HTTP version of a request; 1.1, the usual one, if the server leaves it out."""
    return str(scope.get("http_version", "1.1"))


def _upload(scope: MutableMapping[str, Any], receive: Receive, *, looks: bool = False) -> Upload:
    return Upload(receive, closes=_version(scope) not in _SHARED, looks=looks)


async def _answer(scope: MutableMapping[str, Any], upload: Upload, send: Send, status: int, why: str) -> None:
    kind = "invalid_request_error" if status < 500 else "upstream_error"
    body = json.dumps({"error": {"message": why, "type": kind}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if _version(scope) not in _SHARED:
        headers.append(_CLOSES)
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *([_RETRY] if status == 503 else [])]})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await upload.drop()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


class Gateway:
    """Refuses requests for unknown hosts and those that come while it stops; answers the health check and the metrics.

    Args:
        app: The app after it.
        allow_hosts: The names, without port, that a request's Host header may have; `"*"` for any. A page in a browser can
            resolve its own name to this machine, but cannot change the Host header.
        calls: Counts the calls, for the health check and the metrics.
        metrics: Whether `/metrics` is the gateway's, and not the provider's.
    """

    def __init__(
        self, app: App, allow_hosts: Iterable[str] = LOOPBACK, calls: CallCounts | None = None, *, metrics: bool = False
    ) -> None:
        if isinstance(allow_hosts, str):
            raise TypeError("allow_hosts takes several names, not one text")
        if not isinstance(allow_hosts, Iterable):
            raise TypeError(f"allow_hosts takes a list of names, not {shown(allow_hosts)}")
        check_flag("metrics", metrics)
        self._app: Final = app
        self._hosts: Final = frozenset(name.lower() for name in allow_hosts)
        self._calls: Final = calls or CallCounts()
        self._metrics: Final = metrics
        self.open = 0
        """How many requests are open."""
        self.stopping = False
        """Whether the open requests are the last ones."""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan of the server."""
        if scope["type"] == "websocket":
            await _no_websocket(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _version(scope) not in _VERSIONS:
            await _answer(
                scope, _upload(scope, receive), send, 505, "The version of HTTP is not one that is spoken here: use 1.1"
            )
        elif (path := scope.get("raw_path") or scope["path"].encode()) == HEALTH:
            said = {"status": "stopping" if self.stopping else "ok", "open": self.open, "calls": self._calls.counts}
            await self._tell(scope, receive, send, json.dumps(said), b"application/json", 503 if self.stopping else 200)
        elif path == METRICS and self._metrics:
            await self._tell(scope, receive, send, self._calls.exposed(self.open), b"text/plain; version=0.0.4; charset=utf-8")
        elif self.stopping:
            await _answer(scope, _upload(scope, receive), send, 503, "The gateway is stopping: ask another one, or try again")
        else:
            self.open += 1
            self._calls.begin(scope["path"])
            upload = _upload(scope, receive, looks=True)
            try:
                self._check(scope["headers"])
                await self._app(scope, upload, send)
            except Refused as refused:
                await _answer(scope, upload, send, refused.status, refused.why)
            except asyncio.CancelledError:
                with contextlib.suppress(Exception):  # an answer has begun: the server takes no other
                    async with asyncio.timeout(PARTING):
                        await _answer(scope, Upload(receive, closes=False), send, 503, "The gateway was stopped: try again")
                raise
            except Dropped as dropped:  # the server sees a response without its end, and closes the connection
                log.warning("a response did not come to its end from %s", dropped)
            finally:
                self.open -= 1

    def _check(self, headers: Iterable[Header]) -> None:
        if upgrades(headers):
            raise Refused(501, "Websockets are not passed on")
        if "*" not in self._hosts and hostname(headers) not in self._hosts:
            raise Refused(421, "The gateway has no such name: start it with --allow-host and the name that clients ask for")

    async def _tell(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send, body: str, kind: bytes, status: int = 200
    ) -> None:
        """Answer a request for something of the gateway's own."""
        if scope["method"] not in ("GET", "HEAD"):
            await _answer(scope, _upload(scope, receive), send, 405, "This path is only read")
            return
        headers = [
            (b"content-type", kind),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            *([_CLOSES] if self.stopping and _version(scope) not in _SHARED else []),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode(), "more_body": False})


async def _no_websocket(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Refuse a websocket."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        await send({"type": "websocket.http.response.start", "status": 501, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "websocket.http.response.body", "body": b"Websockets are not passed on\n", "more_body": False})
    else:
        await send({"type": "websocket.close"})


class _Guarding(StreamGuardMiddleware):
    """The middleware as the gateway uses it: its clients run the tools that they offer, and no others."""

    promotes_offered_only = True


def proxy(
    upstream: str,
    guard: Guard,
    *,
    allow_hosts: Iterable[str] = LOOPBACK,
    max_connections: int | None = None,
    pool_timeout: float = 10.0,
    connect_timeout: float = 30.0,
    read_timeout: float | None = 600.0,
    blocks: Blocks = "text",
    request_tools: RequestTools = "only",
    metrics: bool = False,
    **settings: Any,
) -> Gateway:
    """Return the gateway as an ASGI app.

    Args:
        upstream: The provider's address, as for `Proxy`.
        guard: How to guard its streams.
        allow_hosts: As for `Gateway`.
        max_connections: As for `Proxy`.
        pool_timeout: As for `Proxy`.
        connect_timeout: As for `Proxy`.
        read_timeout: As for `Proxy`.
        blocks: How clients get a block. `"text"`, unlike elsewhere: a gateway's clients do not know the guard's events.
        request_tools: What a request's own tools do. `"only"`, unlike elsewhere: they are what its client runs.
        metrics: As for `Gateway`.
        **settings: The other arguments of `StreamGuardMiddleware`.
    """
    asking = Proxy(
        upstream,
        max_connections=max_connections,
        pool_timeout=pool_timeout,
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
    )
    check_offers(settings.get("promote", False), request_tools)
    calls, told, noted = CallCounts(), settings.pop("on_call", None), settings.pop("on_uninspected", None)
    check_hook("on_call", told, 2)
    check_hook("on_uninspected", noted)

    def on_call(block: ToolBlock, tools: Toolset) -> None:
        calls.take(block, tools)
        if told is not None:
            told(block, tools)

    def on_uninspected(why: Uninspected) -> None:
        calls.note(why)
        if noted is not None:
            noted(why)

    hooks: Any = {"on_call": on_call, "on_uninspected": on_uninspected}
    guarding = _Guarding(asking, guard=guard, blocks=blocks, request_tools=request_tools, **hooks, **settings)
    return Gateway(guarding, allow_hosts, calls, metrics=metrics)


# -- the command -------------------------------------------------------------------------------------------------------


def command(
    commands: Any, takes_tools: Callable[[argparse.ArgumentParser], None], toolset: Callable[[str | None], Toolset]
) -> None:
    """Add `proxy` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("proxy", help="serve a provider's API with its streams guarded")
    _takes_serving(parser, takes_tools)
    _takes_guarding(parser)
    _takes_waiting(parser)

    def run(options: argparse.Namespace) -> int:
        for needed in ("httpx2", "uvicorn"):
            if find_spec(needed) is None:
                parser.error(f'{needed} is not installed; pip install "stream-guard-llm[proxy]"')
        try:
            app = _app(options, _guard(options, toolset(options.tools)))
        except (TypeError, ValueError) as error:
            parser.error(str(error))
        try:
            listening = socket.create_server(
                (options.host, options.port), family=socket.AF_INET6 if ":" in options.host else socket.AF_INET
            )
        except OSError as error:
            parser.error(f"cannot listen on {options.host}:{options.port}: {error.strerror or error}")
        with listening:
            at = f"http://{_bracketed(options.host)}:{listening.getsockname()[1]}"
            upstream = Upstream.of(options.upstream).url
            said = json.dumps({"listening": at, "upstream": upstream}) if options.json else f"Guarding {upstream} on {at}"
            print(said, flush=True)
            if options.log == "blocks":
                log.setLevel(logging.INFO)
                log.addHandler(logging.StreamHandler())
            _serve(app, listening, options.grace)
        return 0

    parser.set_defaults(run=run)


def _guard(options: argparse.Namespace, tools: Toolset) -> Guard:
    """Return the guard that the options ask for."""
    return Guard(
        tools,
        corrector=_corrector(options.corrector),
        order=options.order,
        fixes=options.fixes,
        reasoning=options.reasoning,
        languages=options.languages,
        dialects=options.dialects,
        mode="shadow" if options.shadow else "guard",
        progress=options.progress,
        limits=Limits(**dict(options.limit)),
    )


def _app(options: argparse.Namespace, guard: Guard) -> Gateway:
    """Return the gateway that the options ask for."""
    return proxy(
        options.upstream,
        guard,
        allow_hosts=[*LOOPBACK, _bracketed(options.host), *options.allow_host],
        max_connections=options.max_connections,
        pool_timeout=options.pool_timeout,
        connect_timeout=options.connect_timeout,
        read_timeout=options.read_timeout or None,
        emit=options.emit,
        native=options.native,
        promote=options.promote,
        blocks=options.blocks,
        request_tools=options.request_tools or ("only" if options.tools is None else "add"),
        keep_alive=options.keep_alive or None,
        metrics=options.metrics,
    )


def _takes_serving(parser: argparse.ArgumentParser, takes_tools: Callable[[argparse.ArgumentParser], None]) -> None:
    """Add the options about where it listens, what it says, and which tools it knows."""
    add = parser.add_argument
    add("--upstream", required=True, metavar="URL", help="the provider's URL")
    add("--host", type=_host, default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    add("--port", type=_port, default=8787, help="the port to listen on (8787); 0 for any free one")
    add("--allow-host", action="append", default=[], metavar="NAME",
        help="a host name to accept besides loopback names and --host; repeatable; * for any")  # fmt: skip
    add("--json", action="store_true", help="print where it listens as JSON")
    add("--log", choices=("failures", "blocks"), default="failures",
        help="what is logged, never content: requests that failed (failures, the default); "
        "also calls that are not valid, or name an unknown tool (blocks)")  # fmt: skip
    add("--metrics", action="store_true", help="answer /metrics with counts, in the text format of Prometheus")
    takes_tools(parser)
    add("--request-tools", choices=REQUEST_TOOLS,
        help="the tools that a reply is guarded with: those of its request and of --tools (add, the default with --tools), "
        "those of its request if it has any (only, the default without), or those of --tools (off)")  # fmt: skip


def _takes_guarding(parser: argparse.ArgumentParser) -> None:
    """Add the options of the guard and of its middleware."""
    guarding = parser.add_argument_group("blocks and calls")
    add = guarding.add_argument
    add("--fixes", choices=("off", "lossless", "likely", "spec"), default="likely", help="how much fixes may assume (likely)")
    takes_reading(guarding)
    add("--shadow", action="store_true", help="change nothing, and report what would be changed")
    add("--native", choices=NATIVE, default="mend", help="how native tool calls are treated (mend)")
    add("--promote", action="store_true",
        help="send calls that were written as text, of tools that the request offers, as native calls, which the client runs: "
        "also a block that the model meant as an example")  # fmt: skip
    add("--blocks", choices=BLOCKS, default="text",
        help="how clients get a block: in the text at its place (text, the default), as events, or as both")  # fmt: skip
    add("--corrector", metavar="MODULE:NAME", help="an async callable that corrects failed blocks")
    add("--order", choices=("strict", "flow"), default="strict", help="whether later text waits meanwhile or not (strict)")
    add("--emit", choices=EMIT, default="auto", help="how events of the guard are sent, if they are (auto)")
    add("--progress", type=int, metavar="N", help="send a status every so many characters of a block")
    add("--limit", action="append", default=[], type=_limit, metavar="NAME=N",
        help="set one limit of a stream (may be repeated); NAME is one of: "
        f"{', '.join(field.name for field in fields(Limits))}")  # fmt: skip


def _takes_waiting(parser: argparse.ArgumentParser) -> None:
    """Add the options of connections and timeouts."""
    waiting = parser.add_argument_group("connections and timeouts, in seconds")
    add = waiting.add_argument
    add("--keep-alive", type=_seconds, default=5.0, metavar="S",
        help="silence, while anything is held or corrected, after which an empty event is sent (5); 0 for never")  # fmt: skip
    add("--max-connections", type=_count, metavar="N", help="the most requests to the provider at a time (no limit)")
    add(
        "--pool-timeout",
        type=_seconds,
        default=10.0,
        metavar="S",
        help="how long a request above --max-connections waits before it gets a 503 (10)",
    )
    add("--connect-timeout", type=_seconds, default=30.0, metavar="S",
        help="how long to try to connect to the provider (30)")  # fmt: skip
    add("--read-timeout", type=_seconds, default=600.0, metavar="S",
        help="silence after which the provider is given up (600); 0 for never")  # fmt: skip
    add("--grace", type=_whole_seconds, default=30, metavar="S",
        help="how long open streams may go on after SIGTERM or SIGINT (30)")  # fmt: skip


def _serve(app: Gateway, listening: socket.socket, grace: int) -> None:
    import uvicorn  # deferred: needed only for serving

    with contextlib.suppress(ImportError, ValueError, OSError):  # no such limit, or one that cannot be raised
        import resource  # not on all systems

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # two files per stream

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            if app.open:
                streams = "1 stream" if app.open == 1 else f"{app.open} streams"
                log.warning("stopping: waiting for %s, at most %d s", streams, grace)
            app.stopping = True
            now = asyncio.get_running_loop().time
            until = now() + grace
            while app.open and not self.force_exit and now() < until:  # noqa: ASYNC110  # uvicorn says by a flag that it must end
                await asyncio.sleep(_LOOK)  # it listens meanwhile, so that a probe is told
            self.config.timeout_graceful_shutdown = _closing_time(app.open, until - now())
            await super().shutdown(sockets)
            if self.force_exit and self.server_state.tasks:  # cancelled; a signal may end the process next
                await asyncio.wait(list(self.server_state.tasks), timeout=PARTING)

    config = uvicorn.Config(app, **SERVER, timeout_graceful_shutdown=grace)
    config.load()
    gc.collect()
    gc.freeze()  # these objects are never collected
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
    logging.getLogger("uvicorn.error").addFilter(worth_a_line)
    Server(config).run(sockets=[listening])


def _closing_time(streams: int, left: float) -> int:
    """Return how long the server waits for its connections, given the open streams and what is left of the grace, in seconds.

    If no stream is open, it is at least a second: the server needs a moment to close idle connections.
    """
    return 0 if streams else max(1, ceil(left))


def worth_a_line(record: logging.LogRecord) -> bool:
    """Return whether a log record of the server is worth a line. Records about aborted or cancelled responses, and about the
    fact that no task was cancelled, are not.
    """
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    told = record.getMessage()
    return not cancelled and "without completing response" not in told and not told.startswith("Cancel 0 running")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"give a number of seconds, 0 or more; not {text!r}")
    return seconds


def _whole_seconds(text: str) -> int:
    seconds = _seconds(text)
    if seconds != int(seconds):
        raise argparse.ArgumentTypeError(f"give a whole number of seconds, not {text!r}")
    return int(seconds)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"give a number of connections, 1 or more; not {text!r}; leave the option out for no limit"
        )
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"a port must be a number from 0 to 65535, got {text!r}")
    return int(text)


def _host(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("give a host name or an IP address; 0.0.0.0 listens on all addresses of this machine")
    return text


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    known = [field.name for field in fields(Limits)]
    if number and name not in known:
        raise argparse.ArgumentTypeError(f"there is no limit {name!r}; there are {', '.join(known)}")
    if not number.isdecimal():
        raise argparse.ArgumentTypeError(f"a limit is NAME=NUMBER, such as max_block=65536; not {text!r}")
    return name, int(number)


def _corrector(named: str | None) -> Any:
    if named is None:
        return None
    module, _, name = named.rpartition(":")
    if not module:
        raise Unreadable(f"{named}: a corrector is the module:name of an async callable")
    found = imported(module, name)
    if inspect.isfunction(found) and not inspect.iscoroutinefunction(found):
        raise Unreadable(f"{named}: a corrector is an async callable, and {name} is a plain function; make it `async def`")
    return found
