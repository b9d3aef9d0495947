"""A gateway: any client, in any language, points its base URL at it and gets guarded streams.

    stream-guard proxy --upstream https://api.example.com

    client -> Gateway (who may ask) -> StreamGuardMiddleware -> Proxy (asks the upstream) -> provider

Rule 1: requests and responses pass as they are, as far as `targets.py` lets them. Nothing is kept from one to the next: no
cookie, no header, no redirect; and no connection: what an upstream says after a response would be read as the next one.
Rule 2: keys pass through. Nothing of a request or of a response is logged; of a failure, its kind is, in one line.
Rule 3: what ends early on one side ends early on the other: when the client leaves, the provider's connection is closed, an
upload that was not finished is not finished there either, and a response that was cut off is cut off.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import socket
import urllib.request
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, MutableMapping
from dataclasses import fields
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from stream_guard import Guard, Limits, Toolset
from stream_guard.spi import Unreadable, imported

from .asgi import App, Receive, Send, StreamGuardMiddleware
from .engine.settings import BLOCKS, EMIT, NATIVE, REQUEST_TOOLS, Blocks
from .targets import Header, Refused, Upstream, back, hostname, onward, upgrades

if TYPE_CHECKING:
    import httpcore2

log: Final = logging.getLogger("stream_guard")

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""The names under which a gateway is asked by who is on the same machine."""

HEALTH: Final = b"/healthz"
"""The one path that the gateway answers itself."""

_YOUNG: Final = 10_000
"""The collector looks for objects that only hold each other when there are so many new ones. Hundreds of streams that begin at
once make objects that are all in use: looking at every 700, as is usual, takes a third of the time that the streams do."""

_RETRY: Final = (b"retry-after", b"1")


SERVER: Final[Mapping[str, Any]] = {
    "http": "h11",  # it takes no request that could be read in two ways
    "ws": "none",
    "log_level": "error",
    "access_log": False,
    "server_header": False,  # the provider's own pass
    "date_header": False,
}
"""The settings of uvicorn that the gateway is served with."""


class Dropped(Exception):
    """The upstream ended a response before its end, or was silent for too long in the middle of it."""


class Proxy:
    """Passes requests on to a provider, and streams back what it answers.

    Args:
        upstream: The provider's address; a path in it stands before the path of each request.
        max_connections: So many requests are under way to the provider at once; others wait. None: there is no such bound.
        pool_timeout: So many seconds a request waits for one of them, before it is answered with 503.
        connect_timeout: So many seconds connecting may take, before the request is answered with 504.
        read_timeout: So many seconds the provider may be silent before it is given up. The keep-alive would hide it from the
            client's own patience. None: for ever.
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
        if max_connections is not None and max_connections < 1:
            raise ValueError(f"max_connections must be a positive number, or None for no bound; not {max_connections!r}")
        self._max_connections: Final = max_connections
        self._patience: Final = {"connect": connect_timeout, "pool": pool_timeout, "read": read_timeout, "write": read_timeout}
        self._turns: Final = asyncio.Semaphore(max_connections) if max_connections is not None else None
        self._connections: Final = _connections(self.upstream.origin)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the server's own beginning and end."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            try:
                await self._serve(scope, receive, send)
            except Refused as refused:
                await _answer(scope, send, refused.status, refused.why)
        else:
            raise ValueError(f"a proxy serves http, not {scope['type']}")

    async def _serve(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["method"].upper() in ("CONNECT", "TRACE"):
            raise Refused(501, f"{scope['method'].upper()} is not passed on")
        target = self.upstream.target(scope)
        headers, has_body = onward(self.upstream, scope["headers"])
        sent = asyncio.Event()  # the request's body, all of it
        if not has_body:
            sent.set()
        body = _body(receive, sent) if has_body else None
        stays = asyncio.timeout(None)  # as long as the client does
        leaving = asyncio.create_task(_left(receive, sent, stays))
        try:
            async with stays:
                await self._forward(scope["method"], target, headers, body, send)
        except TimeoutError:
            if not stays.expired():
                raise
        finally:
            leaving.cancel()
            await asyncio.wait([leaving])
        if not leaving.cancelled():
            leaving.result()

    async def _forward(
        self, method: str, target: bytes, headers: list[Header], body: AsyncGenerator[bytes, None] | None, send: Send
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
                    raise _refusal(error) from None
                if not 200 <= response.status < 600:  # another protocol, or none that is known
                    raise _refusal(_Unknown())
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
                        raise Dropped(type(error).__name__) from None
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                await connection.aclose()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None, None]:
        """Wait until there are fewer requests under way than there may be."""
        if self._turns is None:
            yield
            return
        try:
            async with asyncio.timeout(self._patience["pool"]):
                await self._turns.acquire()
        except TimeoutError:
            raise _refusal(_Full()) from None
        try:
            yield
        finally:
            self._turns.release()


def _connections(origin: str) -> httpcore2.AsyncConnectionPool:
    """What makes connections to the upstream, by way of the proxy that the environment names. None is made twice use of."""
    import httpcore2  # deferred: only who serves needs it
    import httpx2

    scheme, _, authority = origin.partition("://")
    named = urllib.request.getproxies()
    via = None if urllib.request.proxy_bypass(authority) else named.get(scheme, named.get("all"))
    ssl_context = httpx2.create_ssl_context() if scheme == "https" or via is not None else None
    if via is None:
        return httpcore2.AsyncConnectionPool(ssl_context=ssl_context)
    by = httpx2.Proxy(via)
    url = httpcore2.URL(scheme=by.url.raw_scheme, host=by.url.raw_host, port=by.url.port, target=b"/")
    kind = httpcore2.AsyncSOCKSProxy if by.url.scheme.startswith("socks") else httpcore2.AsyncHTTPProxy
    return kind(proxy_url=url, proxy_auth=by.raw_auth, ssl_context=ssl_context)


async def _live(receive: Receive, send: Send) -> None:
    """Answer the server's own beginning and end: there is nothing to open or to close."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


class _Left(Exception):
    """The client left before its request was complete."""


class _Unknown(Exception):
    """An answer with a status that is none."""


class _Full(Exception):
    """As many requests are under way as there may be."""


async def _body(receive: Receive, sent: asyncio.Event) -> AsyncGenerator[bytes, None]:
    """The request's body, as it comes. A body that ends early must not look as if it were all of it."""
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
    """End the stay of a client when it has left. Its body is read by another."""
    await sent.wait()
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    except Exception:  # a server that cannot say: nothing is sent any more, and its error is raised
        stays.reschedule(0.0)
        raise
    stays.reschedule(0.0)


def _refusal(error: Exception) -> Refused:
    """What the client is told of a request that got no answer; one line says so in the log."""
    kind = type(error).__name__.removeprefix("_")
    if kind == "LocalProtocolError":
        return Refused(400, "The request is not valid HTTP, or its body is not as long as it says")
    log.warning("a request got no answer from the upstream: %s", kind)
    if isinstance(error, _Full):
        return Refused(503, "All connections to the provider are in use; try again")
    if kind.endswith("Timeout"):
        return Refused(504, f"The provider did not answer in time ({kind})")
    if isinstance(error, _Unknown):
        return Refused(502, "The provider answered with a status that HTTP does not know")
    return Refused(502, f"The provider could not be reached ({kind})")


_SHARED: Final = ("2", "3")
"""The versions of HTTP, as servers tell them, of which one connection has several requests at once."""

_VERSIONS: Final = ("1.0", "1.1", *_SHARED)
"""The versions of HTTP that a request may have."""

_CLOSES: Final = (b"connection", b"close")
"""Goes with each refusal, where one request follows the other: what comes behind one that was not read may be its body."""


async def _answer(scope: MutableMapping[str, Any], send: Send, status: int, why: str) -> None:
    kind = "invalid_request_error" if status < 500 else "upstream_error"
    body = json.dumps({"error": {"message": why, "type": kind}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if scope["http_version"] not in _SHARED:
        headers.append(_CLOSES)
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *([_RETRY] if status == 503 else [])]})
    await send({"type": "http.response.body", "body": body, "more_body": False})


class Gateway:
    """The door: who asks it by a name that it does not have is refused, and an upstream that fails is no fault of the server.

    Args:
        app: What answers.
        allow_hosts: The names, without port, that a request's Host header may have; `"*"` is any. A page in a browser can have
            its own name resolve to this machine, but it cannot send another.
    """

    def __init__(self, app: App, allow_hosts: Iterable[str] = LOOPBACK) -> None:
        if isinstance(allow_hosts, str):
            raise TypeError("allow_hosts takes several names, not one text")
        self._app: Final = app
        self._hosts: Final = frozenset(name.lower() for name in allow_hosts)
        self._open = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request, or the server's own beginning and end."""
        if scope["type"] == "websocket":
            await _no_websocket(scope, receive, send)
        elif scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["http_version"] not in _VERSIONS:
            await _answer(scope, send, 505, "The version of HTTP is not one that is spoken here: use 1.1")
        elif (scope.get("raw_path") or scope["path"].encode()) == HEALTH:
            await self._health(scope, send)
        else:
            self._open += 1
            try:
                self._check(scope["headers"])
                await self._app(scope, receive, send)
            except Refused as refused:
                await _answer(scope, send, refused.status, refused.why)
            except Dropped as dropped:  # the server sees a response without its end, and closes the connection
                log.warning("the upstream did not end a response: %s", dropped)
            finally:
                self._open -= 1

    def _check(self, headers: Iterable[Header]) -> None:
        if upgrades(headers):
            raise Refused(501, "Websockets are not passed on")
        if "*" not in self._hosts and hostname(headers) not in self._hosts:
            raise Refused(421, "The gateway has no such name: start it with --allow-host and the name that clients ask for")

    async def _health(self, scope: MutableMapping[str, Any], send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            await _answer(scope, send, 405, "The health path is only read")
            return
        body = json.dumps({"status": "ok", "open": self._open}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


async def _no_websocket(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Refuse a websocket that the server would have opened."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        await send({"type": "websocket.http.response.start", "status": 501, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "websocket.http.response.body", "body": b"Websockets are not passed on\n", "more_body": False})
    else:
        await send({"type": "websocket.close"})


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
    **settings: Any,
) -> App:
    """Return the gateway as an ASGI app.

    Args:
        upstream: The provider's address, as for `Proxy`.
        guard: How to guard its streams.
        allow_hosts: As for `Gateway`.
        max_connections: As for `Proxy`.
        pool_timeout: As for `Proxy`.
        connect_timeout: As for `Proxy`.
        read_timeout: As for `Proxy`.
        blocks: How clients get a block. `"text"`, unlike elsewhere: a gateway's clients know no events of ours.
        **settings: The other arguments of `StreamGuardMiddleware`.
    """
    asking = Proxy(
        upstream,
        max_connections=max_connections,
        pool_timeout=pool_timeout,
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
    )
    return Gateway(StreamGuardMiddleware(asking, guard=guard, blocks=blocks, **settings), allow_hosts)


# -- the command -------------------------------------------------------------------------------------------------------


def command(
    commands: Any, takes_tools: Callable[[argparse.ArgumentParser], None], toolset: Callable[[str | None], Toolset]
) -> None:
    """Add `proxy` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("proxy", help="serve a provider's API with its streams guarded")
    add = parser.add_argument
    add("--upstream", required=True, metavar="URL", help="the provider's address")
    add("--host", default="127.0.0.1", help="where to listen (127.0.0.1)")
    add("--port", type=int, default=8787, help="on which port (8787); 0 for any")
    add("--allow-host", action="append", default=[], metavar="NAME",
        help="a name that clients ask for, besides those of this machine and --host; * for any")  # fmt: skip
    takes_tools(parser)
    add("--request-tools", choices=REQUEST_TOOLS,
        help="what a request's own tools are used for: to guard its reply with them and with --tools (add, the default with "
        "--tools), with them alone where it has any (only, the default without), or not at all (off)")  # fmt: skip
    guarding = parser.add_argument_group("what becomes of a block")
    add = guarding.add_argument
    add("--fixes", default="likely", help="how much mending may assume: off, lossless, likely (the default), spec")
    add("--shadow", action="store_true", help="change nothing, and tell what would have been changed")
    add("--native", choices=NATIVE, default="mend", help="what becomes of native tool calls (mend)")
    add("--promote", action="store_true", help="send calls that were written as text as native ones")
    add("--blocks", choices=BLOCKS, default="text",
        help="how clients get a block: in the text at its place (text, the default), as events, or as both")  # fmt: skip
    add("--corrector", metavar="MODULE:NAME", help="an async callable that is asked for a corrected block when one fails")
    add("--order", default="strict", help="while it is asked, later text waits (strict, the default) or flows on (flow)")
    add("--emit", choices=EMIT, default="auto", help="how events are sent, if they are (auto)")
    add("--progress", type=int, metavar="N", help="tell of a block every so many characters")
    add("--limit", action="append", default=[], type=_limit, metavar="NAME=N",
        help=f"a bound of one stream: {', '.join(field.name for field in fields(Limits))}")  # fmt: skip
    waiting = parser.add_argument_group("connections, and how long to wait; in seconds")
    add = waiting.add_argument
    add("--keep-alive", type=_seconds, default=5.0, metavar="S",
        help="of silence while a block is held or corrected, until an empty event is sent (5); 0 for never")  # fmt: skip
    add("--max-connections", type=int, metavar="N", help="requests to the provider at once (no bound)")
    add("--pool-timeout", type=_seconds, default=10.0, metavar="S", help="until one that waits for its turn gets a 503 (10)")
    add("--connect-timeout", type=_seconds, default=30.0, metavar="S", help="until connecting is given up (30)")
    add("--read-timeout", type=_seconds, default=600.0, metavar="S",
        help="until a provider that is silent is given up (600); 0 for never")  # fmt: skip
    add("--grace", type=int, default=30, metavar="S", help="for open streams to end in when the gateway is stopped (30)")

    def run(options: argparse.Namespace) -> int:
        for needed in ("httpx2", "uvicorn"):
            if find_spec(needed) is None:
                parser.error(f'{needed} is not installed; pip install "stream-guard-llm[proxy]"')
        try:
            guard = Guard(
                toolset(options.tools),
                corrector=_corrector(options.corrector),
                order=options.order,
                fixes=options.fixes,
                mode="shadow" if options.shadow else "guard",
                progress=options.progress,
                limits=Limits(**dict(options.limit)),
            )
            app = proxy(
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
            )
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
            print(f"Guarding {Upstream.of(options.upstream).url} on {at}", flush=True)
            _serve(app, listening, options.grace)
        return 0

    parser.set_defaults(run=run)


def _serve(app: Any, listening: socket.socket, grace: int) -> None:
    import uvicorn  # deferred: only who serves needs it

    with contextlib.suppress(ImportError, ValueError, OSError):  # a system without such a bound, or one that keeps it
        import resource  # not on every system

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # two files a stream: the usual bound is soon reached
    config = uvicorn.Config(app, **SERVER, timeout_graceful_shutdown=grace)
    config.load()
    gc.collect()
    gc.freeze()  # what is there by now stays
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
    logging.getLogger("uvicorn.error").addFilter(worth_a_line)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def worth_a_line(record: logging.LogRecord) -> bool:
    """Whether what the server says is news: not of a response that was cut off, nor of one that got no more time."""
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and "without completing response" not in record.getMessage()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"a number of seconds from 0 on is wanted, not {text!r}")
    return seconds


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in {field.name for field in fields(Limits)} or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"a bound is NAME=NUMBER, such as max_block=65536; not {text!r}")
    return name, int(number)


def _corrector(named: str | None) -> Any:
    if named is None:
        return None
    module, _, name = named.rpartition(":")
    if not module:
        raise Unreadable(f"{named}: a corrector is the module:name of an async callable")
    return imported(module, name)
