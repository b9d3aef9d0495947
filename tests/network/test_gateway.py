"""The gateway attacked by raw sockets: the real server with its real settings, and a real upstream that keeps what comes.

Rule: what an attack may reach is a request to this upstream, below its prefix, or a refusal. What else there is, a second
upstream that nobody may reach, a second user, a connection that breaks, is there for real.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Self
from urllib.parse import unquote

import pytest
from stream_guard_adapters import uploads
from stream_guard_adapters.proxy import SERVER, Gateway, Proxy, proxy, worth_a_line
from stream_guard_adapters.targets import Refused, Upstream, back, hostname, onward

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.command import command
from tests.kit.proof import Cases
from tests.kit.servers import served

GUARD: Final = Guard(FILE_TOOLS)
STREAMS: Final = int(os.environ.get("STREAMS", "200"))
"""So many streams at once."""

TARGETS: Final = int(os.environ.get("TARGETS", "2500"))
"""So many random paths."""

EVENTS: Final = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(body), body)


def event(text: str, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'choices': [choice], **more})}\n\n".encode()


@dataclass
class Asked:
    """A request as it came in: its head, its body, and whether the body was all of it."""

    head: bytes
    body: bytes = b""
    whole: bool = True

    @property
    def target(self) -> bytes:
        return self.head.split(b" ", 2)[1]

    def header(self, name: bytes) -> list[bytes]:
        lines = [line.partition(b":") for line in self.head.split(b"\r\n")[1:]]
        return [value.strip() for key, _, value in lines if key.lower() == name]


Answer = Callable[[Asked, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def ok(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")


@dataclass
class Recorder:
    """An upstream that keeps what it was asked, and answers as it is told."""

    answer: Answer = ok
    asked: list[Asked] = field(default_factory=list)
    aborted: int = 0
    """Connections that ended in the middle of a request."""
    left: int = 0
    """Connections that ended in the middle of an answer."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=2048)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks))

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return False
        asked = Asked(head)
        self.asked.append(asked)
        try:
            if asked.header(b"transfer-encoding"):
                while size := int(await reader.readuntil(b"\r\n"), 16):
                    asked.body += (await reader.readexactly(size + 2))[:-2]
                await reader.readuntil(b"\r\n")
            else:
                for length in asked.header(b"content-length"):
                    asked.body = await reader.readexactly(int(length))
        except asyncio.IncompleteReadError:
            asked.whole = False
            self.aborted += 1
            return False
        await self.answer(asked, reader, writer)
        await writer.drain()
        return not writer.is_closing()


@contextlib.asynccontextmanager
async def gateway(upstream: str, guard: Guard = GUARD, **settings: Any) -> AsyncIterator[int]:
    """The port of a gateway, served as the command serves it; what its server says is in the log."""
    said = logging.getLogger("uvicorn.error")
    said.addFilter(worth_a_line)
    try:
        async with served(proxy(upstream, guard, **settings), log_config=None, **SERVER) as url:
            yield int(url.rpartition(":")[2])
    finally:
        said.removeFilter(worth_a_line)


async def raw(port: int, *pieces: bytes) -> bytes:
    """All that comes back for these bytes, until the connection ends. It is asked to, where the bytes are a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        async with asyncio.timeout(300):
            return (await reader.read()).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    except ConnectionError:
        return b""
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def get(target: bytes, *headers: bytes, host: bytes = b"127.0.0.1", method: bytes = b"GET") -> bytes:
    lines = [method + b" " + target + b" HTTP/1.1", b"Host: " + host, b"Authorization: Bearer sk-secret", b"Connection: close"]
    return b"\r\n".join([*lines, *headers, b"", b""])


def status(said: bytes) -> int:
    """The status of an answer; 0 when the connection ended without one."""
    return int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/1.1 ") else 0


# -- where a request goes ----------------------------------------------------------------------------------------------

ELSEWHERE: Final = [
    b"http://127.0.0.1:{other}/x", b"HTTP://127.0.0.1:{other}/x", b"https://127.0.0.1:{other}/x", b"http:/x", b"http:x",
    b"file:///etc/passwd", b"@127.0.0.1:{other}/x", b"user@127.0.0.1:{other}/x", b"user:pass@127.0.0.1:{other}/x",
    b":{other}/x", b":80", b".127.0.0.1:{other}/x", b".evil.example/", b"127.0.0.1:{other}", b"127.0.0.1:{other}/x",
    b"evil.example", b"-x", b"x", b"*", b"?x", b"%2F", b"%2e%2e/", b"..", b".", b"", b"//127.0.0.1:{other}/x", b"///x", b"//",
    b"//@x", b"/\\127.0.0.1:{other}/x", b"\\\\127.0.0.1:{other}\\x", b"\\/x", b"\\", b"/x\\..\\..\\admin", b"/..", b"/../",
    b"/../admin", b"/v1/../../admin", b"/v1/..", b"/.", b"/./admin", b"/v1/./x", b"/v1/../x", b"/../../../../etc/passwd",
    b"/%2e%2e/admin", b"/%2E%2E/admin", b"/.%2e/admin", b"/%2e./admin", b"/%2e", b"/%2e/x", b"/v1/%2e%2e%2f%2e%2e%2fadmin",
    b"/..%2fadmin", b"/..%2Fadmin", b"/..%5cadmin", b"/..%5Cadmin", b"/x%5c..%5c..%5cadmin", b"/x%2f..%2f..%2fadmin",
    b"/%252e%252e/admin", b"/%25252e%25252e/admin", b"/..%252fadmin", b"/..;/admin", b"/..;x=1/admin", b"/%2e%2e;/admin",
    b"/..%3b/admin", b"/..%3fadmin", b"/..%23/admin", b"/.;/admin", b"/..%20/admin", b"/%20../admin", b"/%c0%ae%c0%ae/admin",
    b"/%ef%bc%8e%ef%bc%8e/admin", b"/%u002e%u002e/admin", b"/.%U002E/admin", b"/..%u2215admin", b"/%25u002e./admin", b"/%u0061",
    b"/%e2%80%a5/admin", b"/..%ef%bc%8fadmin", b"/..%00/admin", b"/x%00", b"/x%0d%0aEvil:%201", b"/x%0aEvil:%201", b"/x%09y",
    b"/x%5Cy", b"/x%5cy", b"/x%255cy", b"/x%25255Cy", b"/%5c",
    b"/x#y", b"/x?y#z", b"/x/..", b"/x/%2e%2e", b"/x/.%2E?y", b"/" + b"%2525252525252525252e", b"/x y", b"/x\ty", b"/x\x00y",
    b"/x\x7fy", b"/\xff", b"/x\rEvil: 1", b"/x\nEvil: 1",
]  # fmt: skip

THERE: Final = [
    b"/", b"/v1", b"/v1/", b"/v1/chat/completions", b"/v1//chat", b"/v1/models/a%2Fb", b"/v1/models/a%2fb",
    b"/v1beta/models/m:generateContent", b"/v1beta/models/m:streamGenerateContent?alt=sse",
    b"/v1/projects/p/locations/l:rawPredict", b"/x/@me", b"/x/user@example.com", b"/:80/x", b"/.hidden", b"/..hidden",
    b"/a..b", b"/a...", b"/...", b"/v1/%20x", b"/v1/%E4%BD%A0", b"/v1/%C3%A9", b"/x;y=1", b"/x;..", b"/a%2Bb+c", b"/~x",
    b"/x%25y", b"/x%2525", b"/x?a=%5c", b"/x?", b"/x?a=../..", b"/x?a=//evil&b=@x", b"/x?url=http://evil.example/",
    b"/x?a=%2e%2e%2f", b"/x?a=b?c", b"/x?%00", b"/x?a=\\", b"/x|y", b"/x^{y}`", b"/x'\"<>", b"/http://evil.example/",
    b"/healthz/", b"/x%", b"/x%zz", b"/$x,!*()", b"/x%25unit", b"/x%u",
]  # fmt: skip


@pytest.mark.promise("P9")
async def test_no_request_target_leaves_the_upstreams_scheme_host_port_or_prefix(cases: Cases) -> None:
    """Each of them is a 400 with a reason, or none that HTTP knows; neither upstream hears of it."""
    async with Recorder() as upstream, Recorder() as other, gateway(f"{upstream.url}/base") as port:
        said = {target: await raw(port, get(target.replace(b"{other}", b"%d" % other.port))) for target in ELSEWHERE}
        assert {target: found for target, found in said.items() if status(found) != 400} == {}
        assert not upstream.asked
        assert not other.asked
        assert status(await raw(port, get(b"127.0.0.1:1", method=b"CONNECT"), b"x")) == 501
        assert not upstream.asked
    cases(len(ELSEWHERE))
    assert len(ELSEWHERE) >= 60


async def test_every_other_target_is_sent_on_byte_for_byte(cases: Cases) -> None:
    """Below the prefix, what is encoded as it is encoded. An empty query has nothing to say."""
    async with Recorder() as upstream, gateway(f"{upstream.url}/base/") as port:
        for target in THERE:
            said = await raw(port, get(target))
            assert status(said) == 200, (target, said)
            assert upstream.asked[-1].target == b"/base" + (target.removesuffix(b"?"))
            assert upstream.asked[-1].header(b"host") == [b"127.0.0.1:%d" % upstream.port]
    assert len(upstream.asked) == len(THERE)
    cases(len(THERE))


@pytest.mark.parametrize("target", ["http://x/", "@x", "//x", "/../x", "/%2e%2e/x", "", "/x\\..\\y"])
def test_a_server_that_lets_such_a_target_through_changes_nothing(target: str) -> None:
    """One that gives the path alone, decoded; one that gives the query with it."""
    upstream = Upstream.of("http://127.0.0.1:1/base")
    for scope in ({"path": target}, {"path": "/", "raw_path": target.encode() + b"?x"}):
        with pytest.raises(Refused):
            upstream.target(scope)
    assert upstream.target({"path": "/a b", "query_string": b"c"}) == b"/base/a%20b?c"


@pytest.mark.more
@pytest.mark.promise("P9")
def test_no_path_climbs_for_whoever_decodes_it_how_often_he_likes(cases: Cases) -> None:
    """Random paths of what paths are smuggled with, held against readers that decode, turn backslashes and cut at marks."""
    upstream = Upstream.of("http://x/base")
    bits = ["/", "..", ".", "%2e", "%2E", "%2f", "%5c", "%25", "2e", "2f", ";", "a", "%20", "@", ":", "//", "%3b", "%3f"]
    bits += ["%23", "%u002e"]
    random = Random(19)
    sent = 0
    for _ in range(TARGETS):
        raw_path = "/" + "".join(random.choice(bits) for _ in range(random.randint(1, 9)))
        try:
            read = upstream.target({"raw_path": raw_path.encode()}).decode()
        except Refused:
            continue
        sent += 1
        assert read == "/base" + raw_path
        for _ in range(6):
            read = re.sub(r"%u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), unquote(read)).replace("\\", "/")
            segments = [re.split("[;?#]", segment)[0].strip() for segment in read.split("/")]
            assert ".." not in segments
            assert "." not in segments
    cases(TARGETS)
    assert sent > TARGETS // 10


# -- its headers -------------------------------------------------------------------------------------------------------

REFUSED_HEADERS: Final = [
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5, 6\r\n\r\nhello!"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: +5\r\n\r\nhello"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0x5\r\n\r\nhello"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5_0\r\n\r\nhello"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: five\r\n\r\nhello"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length:\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length : 5\r\n\r\nhello"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: identity\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n"),
    (400, b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\n\r\n"),
    (421, b"GET / HTTP/1.0\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: evil.example#127.0.0.1\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: evil.example/127.0.0.1\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: localhost.evil.example:8787\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: 127.0.0.1, evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: [::1]evil.example\r\n\r\n"),
    (421, b"GET / HTTP/1.1\r\nHost: 0.0.0.0\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n b\x00\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX Y: a\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n: a\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nno colon\r\n\r\n"),
    (400, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n\r\n"),
    (501, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n"),
    (501, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: WebSocket\r\nConnection: keep-alive, upgrade\r\n\r\n"),
    (501, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c, websocket/13\r\nConnection: Upgrade\r\n\r\n"),
    (501, b"TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    (501, b"CONNECT /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
]  # fmt: skip


@pytest.mark.promise("P9")
async def test_a_request_that_can_be_read_in_two_ways_is_refused(cases: Cases, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever its shape, with the status that says why, and the upstream hears nothing of it as a whole request."""
    async with Recorder() as upstream, gateway(upstream.url) as port:
        said = {request: await first(port, request) for _, request in REFUSED_HEADERS}
        wanted = {request: status for status, request in REFUSED_HEADERS}
        assert {request: found for request, found in said.items() if status(found) != wanted[request]} == {}
        assert not [asked for asked in upstream.asked if asked.whole]
        assert status(await raw(port, get(b"/after"))) == 200
    assert "Traceback" not in caplog.text
    cases(len(said))


TAIL: Final = b"GET /admin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

UNREAD: Final = [
    b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 45\r\n\r\n0\r\n\r\n",
    b"GET /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /chat HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\nhello",
    b"POST /chat HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"POST /../chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
    b"POST //chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
    b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
    b"GET /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"TRACE /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
    b"GET /chat HTTP/1.2\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /chat HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n",
    b"PRI * HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\nSM\r\n\r\n",
    b"GET /chat HTTP/0.9\r\nHost: 127.0.0.1\r\n\r\n",
]


@pytest.mark.promise("P9")
@pytest.mark.parametrize("together", [True, False])
async def test_nothing_behind_a_refused_request_is_served(cases: Cases, together: bool) -> None:
    """A refusal closes the connection, whatever was read of the request: what comes behind may have been its body."""
    async with Recorder() as upstream, gateway(upstream.url) as port:
        for request in UNREAD:
            said = await raw(port, *([request + TAIL] if together else [request, TAIL]))
            assert status(said) >= 400, request
            assert said.count(b"HTTP/1.1 ") == 1, (request, said)
            assert b"connection: close" in said.lower(), request
        assert upstream.asked == []
        assert status(await raw(port, get(b"/after"))) == 200
    cases(len(UNREAD))


async def first(port: int, request: bytes) -> bytes:
    """The first answer to a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    async with asyncio.timeout(300):
        said = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return said


STAYS: Final = [
    b"Connection: X-Secret-Hop\r\nX-Secret-Hop: 1", b"Connection: close, x-secret-hop\r\nX-Secret-Hop: 1",
    b"connection: X-SECRET-HOP\r\nx-secret-hop: 1", b"Connection: a\r\nConnection: x-secret-hop\r\nX-Secret-Hop: 1",
    b"Connection:,, X-Secret-Hop ,\r\nX-Secret-Hop: 1", b"Proxy-Connection: X-Secret-Hop\r\nX-Secret-Hop: 1",
    b"Keep-Alive: timeout=5, X-Secret-Hop", b"TE: trailers, X-Secret-Hop", b"Trailer: X-Secret-Hop",
    b"Proxy-Authorization: Basic X-Secret-Hop", b"Proxy-Authenticate: X-Secret-Hop", b"Upgrade: X-Secret-Hop",
    b"HTTP2-Settings: X-Secret-Hop", b"Expect: 100-continue\r\nConnection: x-secret-hop\r\nX-Secret-Hop: 1",
    b"Accept-Encoding: gzip, X-Secret-Hop", b"Proxy-Connection: keep-alive",
]  # fmt: skip
GOES: Final = [
    b"X-Odd: \xe9\xff", b"X-Empty:", b"X-Long: " + b"a" * 30_000, b"Cookie: a=1; b=2", b"X-Api-Key: k",
    b"Anthropic-Version: 2023-06-01", b"X-Forwarded-For: 1.2.3.4", b"Accept: text/event-stream", b"User-Agent: x",
    b"Content-Type: application/json", b"X_Under: 1", b"X-Twice: 1\r\nX-Twice: 2",
]  # fmt: skip


async def test_headers_of_a_connection_stay_on_it_and_all_others_go_along(cases: Cases) -> None:
    """Those that `Connection` names among them; but not the length of the body, whatever it says."""
    async with Recorder() as upstream, gateway(upstream.url) as port:
        for headers in STAYS:
            assert status(await raw(port, get(b"/", headers))) == 200, headers
            head = upstream.asked[-1].head.lower()
            assert b"x-secret-hop" not in head, headers
            assert upstream.asked[-1].header(b"connection") == [b"close"]
            assert b"authorization: bearer sk-secret" in head
            assert upstream.asked[-1].header(b"accept-encoding") == [b"identity"]
            assert upstream.asked[-1].header(b"host") == [b"127.0.0.1:%d" % upstream.port]
        for headers in GOES:
            assert status(await raw(port, get(b"/", headers))) == 200, headers
            for line in headers.split(b"\r\n"):
                name, _, value = line.partition(b":")
                assert value.strip() in upstream.asked[-1].header(name.lower()), headers
        said = await raw(port, get(b"/", b"Connection: content-length", b"Content-Length: 5", method=b"POST"), b"hello")
        assert status(said) == 200
        assert upstream.asked[-1].body == b"hello"
        await raw(
            port,
            get(b"/", b"Connection: host, transfer-encoding", b"Transfer-Encoding: chunked", method=b"POST"),
            b"2\r\nhi\r\n0\r\n\r\n",
        )
        assert upstream.asked[-1].body == b"hi"
    cases(len(STAYS) + len(GOES) + 2)
    assert len(STAYS) + len(GOES) + len(REFUSED_HEADERS) >= 40


async def test_headers_of_the_upstreams_connection_stay_on_it_too() -> None:
    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 Fine\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
            b"Proxy-Authenticate: x\r\nTrailer: X-T\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n"
            b"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nDate: then\r\n\r\n"
            b"2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n"
        )

    async with Recorder(answer) as upstream, gateway(upstream.url) as port:
        said = await raw(port, get(b"/"))
    head, _, body = said.lower().partition(b"\r\n\r\n")
    assert b"set-cookie: a=1\r\nset-cookie: b=2" in head
    for name in (b"x-hop", b"keep-alive:", b"proxy-authenticate", b"trailer", b"upgrade", b"x-t"):
        assert name not in head, name
    assert b"{}" in body
    assert b"x-t" not in body


async def test_a_connection_header_hides_no_content_type_and_no_encoding() -> None:
    """What a response is, and not only how it travels, stays told: a stream is guarded whatever `Connection` names."""
    wrote = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'

    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS.replace(b"\r\n\r\n", b"\r\nConnection: Content-Type, content-encoding\r\n\r\n", 1))
        writer.write(chunked(event(wrote)) + b"0\r\n\r\n")

    async with Recorder(answer) as upstream, gateway(upstream.url, blocks="events") as port:
        said = await raw(port, get(b"/", b"Connection: content-type", b"Content-Type: application/json"))
    assert b"content-type: text/event-stream" in said.lower()
    assert b"stream_guard" in said
    assert upstream.asked[-1].header(b"content-type") == [b"application/json"]


# -- two users ---------------------------------------------------------------------------------------------------------


@pytest.mark.promise("P9")
async def test_nothing_of_one_user_is_in_anothers_request(cases: Cases) -> None:
    """Cookies that the upstream sets, redirects, keys and bodies; one after the other on the same connection, and at once."""

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        user = asked.header(b"authorization")[0]
        writer.write(
            b"HTTP/1.1 302 Found\r\nLocation: /next?of=%s\r\nSet-Cookie: session=%s; Path=/; Max-Age=999\r\n" % (user, user)
            + b"WWW-Authenticate: Basic realm=x\r\nAlt-Svc: h3=x\r\nContent-Length: %d\r\n\r\n%s" % (len(user), user)
        )

    async with Recorder(answer) as upstream, gateway(upstream.url) as port:

        async def user(name: bytes) -> None:
            for _ in range(20):
                body = b"I am " + name
                lines = [b"POST /v1/x?u=%s HTTP/1.1", b"Host: localhost", b"Authorization: %s", b"X-%s: 1", b"Cookie: own=%s"]
                head = b"\r\n".join(line % name if b"%s" in line else line for line in lines)
                head += b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
                said = await raw(port, head + body)
                assert status(said) == 302
                assert said.endswith(name)

        await user(b"alice")
        await user(b"bob")
        await asyncio.gather(*(user(name) for name in (b"carol", b"dave") * 5))
    names = (b"alice", b"bob", b"carol", b"dave")
    for asked in upstream.asked:
        (own,) = asked.header(b"authorization")
        everything = (asked.head + asked.body).lower()
        assert [name for name in names if name in everything] == [own]
        assert asked.header(b"cookie") == [b"own=" + own]
    cases(len(upstream.asked))


@pytest.mark.parametrize("more", [b"hello", b"HTTP/1.1 200 OK\r\nset-cookie: another=1\r\ncontent-length: 5\r\n\r\nOTHER"])
async def test_what_an_upstream_says_after_a_response_reaches_nobody(more: bytes) -> None:
    """A body where none is due, a second response: they would be the beginning of what the next user is told."""

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = asked.target.lstrip(b"/")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(own))
        writer.write((b"" if asked.head.startswith(b"HEAD") else own) + more)

    async with Recorder(answer) as upstream, gateway(upstream.url) as port:
        for number in range(20):
            said = await raw(port, get(b"/%d" % number, method=b"HEAD" if number % 2 else b"GET"))
            assert status(said) == 200
            assert said.partition(b"\r\n\r\n")[2] == (b"" if number % 2 else b"%d" % number)
            assert b"another" not in said


@pytest.mark.more
async def test_hundreds_of_streams_at_once_lose_and_mix_nothing(cases: Cases) -> None:
    """All are open before any of them goes on: there is no bound by default that they would reach."""
    there = 0
    all_there = asyncio.Event()

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal there
        name = asked.target.decode().rpartition("/")[2]
        writer.write(EVENTS + chunked(event(f"{name} begins.\n")))
        there += 1
        if there == STREAMS:
            all_there.set()
        await all_there.wait()
        call = f'{{"tool": "write_file", "path": "{name}.txt", "content": "{name}"}}'
        for piece in ("```json\n", call, "\n```\n", f"{name} ends.\n"):
            writer.write(chunked(event(piece)))
            await writer.drain()
        writer.write(chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    async with Recorder(answer) as upstream, gateway(upstream.url, blocks="events") as port:
        found = await asyncio.gather(*(raw(port, get(b"/%d" % number)) for number in range(STREAMS)))
    for number, said in enumerate(found):
        text = "".join(re.findall(r'"delta": ?\{"content": ?"([^"]*)"', said.decode()))
        assert text == f"{number} begins.\\n\\n{number} ends.\\n", number
        assert re.findall(r'"path":"(\d+)\.txt"', said.decode())[-1:] == [str(number)]
        assert b"[DONE]" in said
    cases(STREAMS)


async def test_beyond_the_bound_a_request_waits_and_then_is_told_to_come_again(caplog: pytest.LogCaptureFixture) -> None:
    """503 with Retry-After, after a wait that has an end; whoever gets a place in time is served."""
    go = asyncio.Event()

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if asked.target == b"/held":
            writer.write(EVENTS + chunked(event("x")))
            await go.wait()
            writer.write(b"0\r\n\r\n")
        else:
            await ok(asked, _, writer)

    async with Recorder(answer) as upstream, gateway(upstream.url, max_connections=2, pool_timeout=0.2) as port:
        held = [asyncio.create_task(raw(port, get(b"/held"))) for _ in range(2)]
        while len(upstream.asked) < 2:
            await asyncio.sleep(0.001)
        refused = await asyncio.gather(*(raw(port, get(b"/more")) for _ in range(10)))
        assert {status(said) for said in refused} == {503}
        assert all(b"retry-after: 1\r\n" in said and b"All connections to the provider are in use" in said for said in refused)
        go.set()
        await asyncio.gather(*held)
        assert status(await raw(port, get(b"/more"))) == 200
    assert sum("connections to" in record.getMessage() for record in caplog.records) == 10
    assert "Traceback" not in caplog.text


# -- who is slow, silent, or gone --------------------------------------------------------------------------------------

UPLOADS: Final = {
    "chunked, between chunks": b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "chunked, inside a chunk": b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nff\r\nhel",
    "chunked, before its last line": b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    "with a length": b"Content-Length: 100\r\n\r\nhello",
}


@pytest.mark.parametrize("upload", UPLOADS)
@pytest.mark.parametrize("how", ["closes", "resets"])
async def test_an_aborted_upload_is_aborted_upstream_too(upload: str, how: str, caplog: pytest.LogCaptureFixture) -> None:
    """It never arrives as a whole request."""
    async with Recorder() as upstream, gateway(upstream.url) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v1/files HTTP/1.1\r\nHost: localhost\r\n" + UPLOADS[upload])
        await writer.drain()
        async with asyncio.timeout(300):
            while not upstream.asked:
                await asyncio.sleep(0.001)
            if how == "resets":
                writer.transport.abort()
            else:
                writer.close()
            while not upstream.aborted:
                await asyncio.sleep(0.001)
    assert [asked.whole for asked in upstream.asked] == [False]
    assert "Traceback" not in caplog.text


DROPS: Final = {
    "before the head": b"",
    "in the head": b"HTTP/1.1 200 OK\r\ncontent-ty",
    "no HTTP": b"SSH-2.0-x\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "no status that is known": b"HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}",
    "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
    "after the head": EVENTS,
    "in a chunk": EVENTS + b"ff\r\ndata: {",
    "a bad chunk": EVENTS + b"zz\r\n",
    "in a block": EVENTS + chunked(event("Hello.\n```json\n") + event('{"tool": "write_file", "path')),
    "in a body with a length": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{}",
}


@pytest.mark.parametrize("drop", DROPS)
async def test_an_upstream_that_drops_is_one_line_in_the_log(drop: str, caplog: pytest.LogCaptureFixture) -> None:
    """Before the head it is a 502; after it the client's response is cut off too, and what was held is told as cut off."""

    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(DROPS[drop])
        writer.close()

    async with Recorder(answer) as upstream, gateway(upstream.url, blocks="both") as port:
        place = upstream.url.removeprefix("http://")
        said = await raw(port, get(b"/v1/x?key=secret"))
    begun = DROPS[drop].startswith((EVENTS, b"HTTP/1.1 200 OK\r\ncontent-type")) and drop != "in the head"
    assert status(said) == (200 if begun else 502), said
    lines = [record.getMessage() for record in caplog.records if record.name == "stream_guard"]
    assert len(lines) == 1
    assert f" from {place}: " in lines[0]
    assert "secret" not in caplog.text
    assert "Traceback" not in caplog.text
    if begun:
        assert lines[0].endswith(": it closed the connection too early, or sent what cannot be read")
        assert not said.endswith(b"0\r\n\r\n")
    if drop == "in a block":
        assert b'"executable":false' in said
        assert b'"endCause":"error"' in said


async def test_a_silent_upstream_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    """Before its head with a 504; in the middle of a block although the keep-alive keeps the client patient."""

    async def answer(asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if asked.target == b"/block":
            writer.write(EVENTS + chunked(event("```json\n")))
        await reader.read()
        writer.close()

    async with Recorder(answer) as upstream, gateway(upstream.url, read_timeout=3, keep_alive=0.05) as port:
        said = await raw(port, get(b"/head"))
        assert status(said) == 504
        assert b"ReadTimeout" in said
        said = await raw(port, get(b"/block"))
        assert said.count(b'{"content":""}') > 1
        assert not said.endswith(b"0\r\n\r\n")
    assert caplog.text.count("it was silent for longer than the read timeout") == 2
    assert "Traceback" not in caplog.text


async def test_a_slow_reader_slows_the_upstream_and_no_other() -> None:
    """What is not read is not collected; meanwhile others are served."""
    written = 0

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        if asked.target == b"/quick":
            await ok(asked, _, writer)
            return
        writer.write(EVENTS)
        while True:
            writer.write(chunked(event("x" * 10_000)))
            written += 10_000
            await writer.drain()

    async with Recorder(answer) as upstream, gateway(upstream.url) as port:
        _, slow = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        slow.write(get(b"/slow"))
        before = -1
        while written != before or not written:
            before = written
            for _ in range(20):
                assert status(await raw(port, get(b"/quick"))) == 200
        assert written < 64_000_000
        slow.transport.abort()


async def test_who_leaves_frees_the_upstream_even_while_it_waits_for_a_connection() -> None:
    go = asyncio.Event()

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await go.wait()
        await ok(asked, _, writer)

    async with Recorder(answer) as upstream, gateway(upstream.url, max_connections=1) as port:
        held = asyncio.create_task(raw(port, get(b"/held")))
        while not upstream.asked:
            await asyncio.sleep(0.001)
        for _ in range(20):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(get(b"/left"))
            await writer.drain()
            writer.transport.abort()
        go.set()
        assert status(await held) == 200
        assert status(await raw(port, get(b"/after"))) == 200
    assert {asked.target for asked in upstream.asked} <= {b"/held", b"/left", b"/after"}


@pytest.mark.parametrize("leaves", ["closes", "aborts"])
@pytest.mark.parametrize("further", [b"G", get(b"/second"), get(b"/second") * 50])
async def test_who_leaves_behind_a_further_request_frees_the_upstream(
    leaves: str, further: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server reads no more of the connection while that request waits for its turn."""
    monkeypatch.setattr(uploads, "_LOOK", 0.01)
    left = asyncio.Event()

    async def silent(_: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event("a")))
        await writer.drain()
        await reader.read()
        left.set()

    async with Recorder(silent) as upstream, gateway(upstream.url, read_timeout=None) as port:
        for later in (False, True):
            left.clear()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            first = get(b"/first").replace(b"Connection: close\r\n", b"")
            writer.write(first if later else first + further)
            await writer.drain()
            assert await reader.readuntil(b"\n\n")
            writer.write(further if later else b"")
            await writer.drain()
            writer.close() if leaves == "closes" else writer.transport.abort()
            async with asyncio.timeout(300):
                await left.wait()
        assert {asked.target for asked in upstream.asked} == {b"/first"}


# -- the door ----------------------------------------------------------------------------------------------------------


async def test_the_health_path_is_the_gateways_own() -> None:
    """Whoever asks, by whatever name; how many requests are open is all that it tells."""
    async with Recorder() as upstream, gateway(upstream.url) as port:
        said = await raw(port, get(b"/healthz", host=b"10.0.0.7"))
        assert status(said) == 200
        calls = {"valid": 0, "fixed": 0, "corrected": 0, "failed": 0, "fixable": 0}
        assert json.loads(said.partition(b"\r\n\r\n")[2]) == {"status": "ok", "open": 0, "calls": calls}
        assert (await raw(port, get(b"/healthz", method=b"HEAD"))).endswith(b"\r\n\r\n")
        assert status(await raw(port, get(b"/healthz", method=b"POST"))) == 405
        assert not upstream.asked
        assert status(await raw(port, get(b"/v1/healthz"))) == 200


async def test_the_metrics_are_the_gateways_own_if_it_is_told_so(caplog: pytest.LogCaptureFixture) -> None:
    """Counts in the text format of Prometheus: of calls by outcome, of what passed uninspected by kind, of open requests."""
    caplog.set_level(logging.INFO, "stream_guard")
    forgotten = '```json\n{"tool": "search_web", "query": "secret"}\n```\n'
    broken = f'```json\n{{"tool": "delete_file", "path": "a",}}\n```\n{forgotten}'

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = event(broken) if asked.target == b"/v1/x" else b"data: no JSON\n\n"
        writer.write(EVENTS + chunked(said + b"data: [DONE]\n\n") + b"0\r\n\r\n")

    async with Recorder(answer) as upstream:
        async with gateway(upstream.url, metrics=True) as port:
            for target in (b"/v1/x", b"/v1/x", b"/v1/odd"):
                await raw(port, get(target))
            said = await raw(port, get(b"/metrics", host=b"10.0.0.7"))
            head, _, body = said.decode().partition("\r\n\r\n")
            assert "content-type: text/plain; version=0.0.4" in head.lower()
            samples = dict(line.rsplit(" ", 1) for line in body.splitlines() if not line.startswith("#"))
            assert samples['stream_guard_calls_total{outcome="fixed"}'] == "2"
            assert samples['stream_guard_calls_total{outcome="valid"}'] == "0"
            assert samples['stream_guard_uninspected_total{reason="not JSON"}'] == "1"
            assert samples['stream_guard_uninspected_total{reason="unknown tool"}'] == "2"
            assert caplog.text.count("call _other _other passed: unknown tool") == 2
            assert "secret" not in caplog.text
            assert "search_web" not in caplog.text
            assert samples["stream_guard_open_requests"] == "0"
            kinds = [line.split()[2:] for line in body.splitlines() if line.startswith("# TYPE")]
            assert {name.partition("{")[0] for name in samples} == {name for name, _ in kinds}
        async with gateway(upstream.url) as port:
            assert b"no JSON" in await raw(port, get(b"/metrics"))


async def test_names_are_let_in_one_by_one_or_all() -> None:
    async with Recorder() as upstream:
        for names, host, wanted in (
            (["Gate.Internal"], b"gate.internal:8787", 200),
            (["gate.internal"], b"GATE.internal", 200),
            (["gate.internal"], b"127.0.0.1", 421),
            (["*"], b"anything", 200),
            (["[::1]"], b"[::1]:99", 200),
            ([], b"127.0.0.1", 421),
        ):
            async with gateway(upstream.url, allow_hosts=names) as port:
                assert status(await raw(port, get(b"/", host=host))) == wanted, (names, host)


async def test_a_server_that_opens_websockets_refuses_them_here() -> None:
    """With 501 where it can say so."""
    gate = Gateway(Proxy("http://127.0.0.1:9"))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"websocket.http.response": {}}, "websocket.http.response.start"),
        ({}, "websocket.close"),
    ]
    for extensions, kind in cases:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        await gate({"type": "websocket", "path": "/", "headers": [], "extensions": extensions}, receive, send)
        assert sent[0]["type"] == kind
        assert sent[0].get("status", 501) == 501


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://user:s3cret@x", "must not hold credentials"), ("http://s3cret@x", "must not hold credentials"),
        ("http://:@x", "must not hold credentials"), ("user:s3cret@x", "must be a URL"), ("http://x?key=1", "without a query"),
        ("http://x#y", "without a query"), ("http://x?", "without a query"), ("http://", "must be a URL"),
        ("http:///x", "must be a URL"), ("ftp://x", "must be a URL"), ("http://x:99999", "must be a URL"),
        ("http://x:0", "must be a URL"), ("http://x:y", "must be a URL"), ("http://[::1", "must be a URL"),
        ("http://x\\@y", "must be a URL"), ("http://x y", "must be a URL"), ("http://x\n", "must be a URL"),
        ("http://x/..", "no usable path"), ("http://x/%2e%2e/y", "no usable path"), ("http://x//y", "no usable path"),
        ("http://éx", "must be a URL"), ("", "must be a URL"),
    ],
)  # fmt: skip
def test_an_upstream_that_is_no_plain_address_is_refused_and_not_repeated(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        Proxy(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "origin", "prefix"),
    [
        ("http://x", "http://x", b""), ("HTTPS://X.Example/", "https://x.example", b""),
        ("http://x:80/v1/", "http://x:80", b"/v1"), ("http://[::1]:8080/a/b", "http://[::1]:8080", b"/a/b"),
        ("https://x/a%2Fb:c", "https://x", b"/a%2Fb:c"),
    ],
)  # fmt: skip
def test_an_upstream_is_its_parts(url: str, origin: str, prefix: bytes) -> None:
    found = Upstream.of(url)
    assert (found.origin, found.prefix) == (origin, prefix)


def test_headers_are_judged_without_a_server_too() -> None:
    """As another server might hand them over."""
    upstream = Upstream.of("http://x")
    for headers in (
        [(b"Content-Length", b"1"), (b"content-length", b"2")],
        [(b"content-length", b"1"), (b"Transfer-Encoding", b"chunked")],
        [(b"transfer-encoding", b"chunked, chunked")],
        [(b"host", b"a"), (b"Host", b"b")],
        [(b"content-length", "１".encode())],
    ):
        with pytest.raises(Refused):
            onward(upstream, headers)
    assert back(200, [(b"Content-Length", b"1"), (b"Transfer-Encoding", b"chunked"), (b"X", b"1")]) == [(b"X", b"1")]
    assert back(200, [(b"Connection", b"Content-Length"), (b"Content-Length", b"1")]) == [(b"Content-Length", b"1")]
    assert back(204, [(b"Content-Length", b"5"), (b"X", b"1")]) == [(b"X", b"1")]
    assert hostname([(b"Host", b"LOCALHOST:80")]) == "localhost"
    assert hostname([(b"host", b"a"), (b"host", b"a")]) == ""


# -- the command -------------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def running(*arguments: str, folder: Path | None = None) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """`stream-guard proxy` in a process of its own, and its port."""
    command = [sys.executable, "-m", "stream_guard", "proxy", "--port", "0", *arguments]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        found = re.search(r"on http://\S+:(\d+)", line)
        if found is None:
            assert process.stderr is not None
            raise AssertionError(line + (await process.stderr.read()).decode())
        port = int(found[1])
        async with asyncio.timeout(300):
            while not await raw_or_nothing(port, get(b"/healthz")):
                await asyncio.sleep(0.01)
        yield process, port
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def raw_or_nothing(port: int, request: bytes) -> bytes:
    try:
        return await raw(port, request)
    except ConnectionError:
        return b""


async def test_open_streams_end_in_their_own_time_when_the_gateway_is_stopped() -> None:
    """Told to stop, it sends whoever is new away and its probes too, says for how many it waits, and ends when the last has."""
    go = asyncio.Event()

    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event("Hello.\n")))
        await go.wait()
        writer.write(chunked(event("Bye.\n") + b"data: [DONE]\n\n") + b"0\r\n\r\n")

    async with Recorder(answer) as upstream, running("--upstream", upstream.url) as (process, port):
        open_ones = [asyncio.create_task(raw(port, get(b"/"))) for _ in range(5)]
        while len(upstream.asked) < 5:
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(300):
            while status(said := await raw(port, get(b"/healthz"))) == 200:
                await asyncio.sleep(0.01)
        assert status(said) == 503
        told = json.loads(said.partition(b"\r\n\r\n")[2])
        assert (told["status"], told["open"]) == ("stopping", 5)
        refused = await raw(port, get(b"/v1/new"))
        assert status(refused) == 503
        assert b"\r\nretry-after: 1\r\n" in refused.lower()
        assert len(upstream.asked) == 5
        go.set()
        for said in await asyncio.gather(*open_ones):
            assert b"Bye." in said
            assert said.endswith(b"0\r\n\r\n")
        assert process.stderr is not None
        assert await process.stderr.read() == b"stopping: waiting for 5 streams, at most 30 s\n"


@pytest.mark.parametrize(("told", "status_", "grace"), [(signal.SIGINT, 130, "0"), (signal.SIGTERM, -signal.SIGTERM, "30")])
async def test_the_exit_status_says_what_ended_the_gateway(told: signal.Signals, status_: int, grace: str) -> None:
    """With no stream open there is nothing to say about it, also where nothing is left of the grace."""
    async with Recorder() as upstream, running("--upstream", upstream.url, "--grace", grace) as (process, port):
        assert status(await raw(port, get(b"/healthz"))) == 200
        process.send_signal(told)
        assert process.stderr is not None
        assert await process.stderr.read() == b""
        assert await process.wait() == status_


async def stopped_with_open_streams(text: str, stop: signal.Signals) -> tuple[list[bytes], bytes]:
    """What the clients of five streams that begin with this text have read when it stops, and what the gateway complains of."""

    async def answer(_: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event(text)))
        await reader.read()
        writer.close()

    async with (
        Recorder(answer) as upstream,
        running("--upstream", upstream.url, "--grace", "1", "--blocks", "both") as (process, port),
    ):
        open_ones = [asyncio.create_task(raw(port, get(b"/"))) for _ in range(5)]
        while len(upstream.asked) < 5:
            await asyncio.sleep(0.01)
        process.send_signal(stop)
        replies = await asyncio.gather(*open_ones)
        _, complaints = await process.communicate()
    assert b"Traceback" not in complaints
    assert not any(reply.endswith(b"0\r\n\r\n") for reply in replies)
    return replies, complaints


async def test_streams_that_do_not_end_are_ended_after_the_grace() -> None:
    replies, complaints = await stopped_with_open_streams("Hello.\n", signal.SIGINT)
    assert all(b"Hello." in reply for reply in replies)
    assert complaints.startswith(b"stopping: waiting for 5 streams, at most 1 s\n")
    assert len(complaints.splitlines()) == 2


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
async def test_what_is_held_when_the_grace_runs_out_is_told_as_cut_off(stop: signal.Signals) -> None:
    replies, _ = await stopped_with_open_streams('Hello.\n```json\n{"tool": "write_file", "pa', stop)
    for said in replies:
        assert said.count(b'"event":"json-tool-block"') == 1
        assert b'"endCause":"disconnect"' in said
        assert b'"executable":false' in said


@pytest.mark.parametrize("stops", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT)])
async def test_what_is_held_is_told_as_cut_off_when_it_is_told_to_stop_at_once(stops: tuple[signal.Signals, ...]) -> None:
    """By Ctrl-C, while it waits for its streams."""

    async def answer(_: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event('Hello.\n```json\n{"tool": "write_file", "pa')))
        await reader.read()
        writer.close()

    flags = ("--grace", "10000", "--blocks", "both")
    async with Recorder(answer) as upstream, running("--upstream", upstream.url, *flags) as (process, port):
        readers, writers = [], []  # a writer that nobody keeps closes its connection
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(get(b"/"))
            assert b"Hello." in await reader.readuntil(b"Hello.")
            readers.append(reader)
            writers.append(writer)
        process.send_signal(stops[0])
        async with asyncio.timeout(300):
            while status(await raw(port, get(b"/healthz"))) == 200:
                await asyncio.sleep(0.01)
        process.send_signal(stops[1])
        async with asyncio.timeout(300):
            replies = [await reader.read() for reader in readers]
            _, complaints = await process.communicate()
        for writer in writers:
            writer.close()
    assert b"Traceback" not in complaints
    for said in replies:
        assert said.count(b'"event":"json-tool-block"') == 1
        assert b'"endCause":"disconnect"' in said
        assert not said.endswith(b"0\r\n\r\n")


@pytest.mark.some(2)
@pytest.mark.parametrize("early", [b"", b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"])
@pytest.mark.parametrize("stops", [(signal.SIGTERM,), (signal.SIGTERM, signal.SIGINT)])
async def test_a_request_without_an_answer_when_the_gateway_stops_gets_a_503(
    early: bytes, stops: tuple[signal.Signals, ...]
) -> None:
    """As new ones do, so that clients try again. A reply in JSON begins when it is whole, and an upload may not have ended."""

    async def answer(_: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(early)
        await reader.read()
        writer.close()

    async with (
        Recorder(answer) as upstream,
        running("--upstream", upstream.url, "--grace", "1" if len(stops) == 1 else "10000") as (process, port),
    ):
        whole = [b"Content-Type: application/json", b"Content-Length: 2"]
        half = [b"Content-Type: application/json", b"Content-Length: 3"]
        open_ones = [asyncio.create_task(raw(port, get(b"/", *more, method=b"POST") + b"{}")) for more in (whole, half)]
        while len(upstream.asked) < 2:
            await asyncio.sleep(0.01)
        process.send_signal(stops[0])
        if len(stops) > 1:
            async with asyncio.timeout(300):
                while status(await raw(port, get(b"/healthz"))) == 200:
                    await asyncio.sleep(0.01)
            process.send_signal(stops[1])
        replies = await asyncio.gather(*open_ones)
        _, complaints = await process.communicate()
    assert b"Traceback" not in complaints
    for said in replies:
        assert status(said) == 503, said
        assert b"\r\nretry-after: 1\r\n" in said
        assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]["type"] == "upstream_error"


async def test_the_dialects_of_a_reply_are_a_flag() -> None:
    """A call in Hermes' form is text by default, and a block where the flag names its dialect. An unknown name is refused."""
    call = '<tool_call>\n{"name": "delete_file", "arguments": {"path": "a.txt"}}\n</tool_call>'

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts = b"".join(chunked(event(call[at : at + 7])) for at in range(0, len(call), 7))
        writer.write(EVENTS + parts + chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")

    async with Recorder(answer) as upstream:
        for names, read in (((), False), (("--dialects", "fence,hermes"), True), (("--dialects", "all"), True)):
            async with running("--upstream", upstream.url, "--blocks", "events", *names) as (_, port):
                said = await raw(port, get(b"/"))
                assert (b'"executable":true' in said) is read
                assert (b"json-tool-block" in said) is read
                assert (b'"hermes"' in said) is read
        with pytest.raises(AssertionError, match="dialects must be 'all' or some of fence, hermes"):
            async with running("--upstream", upstream.url, "--dialects", "hermes,latin"):
                pass


async def test_the_guards_settings_are_flags() -> None:
    """All of them at once, each with an effect that can be seen."""
    body = '{"tool": "write_file", "path": "a.txt", "content": "' + "x" * 200 + '"}'

    async def answer(asked: Asked, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event("```json\n")))
        for at in range(0, len(body), 10):
            writer.write(chunked(event(body[at : at + 10])))
        writer.write(chunked(event("\n```\n") + b"data: [DONE]\n\n") + b"0\r\n\r\n")

    flags = ["--progress", "20", "--fixes", "off", "--order", "flow", "--keep-alive", "2.5", "--max-connections", "9"]
    flags += ["--blocks", "both"]
    async with Recorder(answer) as upstream:
        async with running("--upstream", upstream.url, *flags, "--allow-host", "gate") as (_, port):
            said = await raw(port, get(b"/", host=b"gate"))
            assert said.count(b'"received":') > 5
            assert b'"executable":true' in said
            assert json.dumps(f"```json\n{body}\n```")[1:-1].encode() in said
        async with running("--upstream", upstream.url, "--limit", "max_block=100", "--blocks", "events") as (_, port):
            assert b"oversize" in await raw(port, get(b"/"))
        async with running("--upstream", upstream.url, "--shadow", "--emit", "none") as (_, port):
            said = await raw(port, get(b"/"))
            assert b"json-tool" not in said
            assert json.dumps(f"```json\n{body}\n```")[1:-1].encode() in said


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_corrector_is_named_by_a_flag(order: str, tmp_path: Path) -> None:
    """Later text waits for it, or flows on."""
    (tmp_path / "my_app.py").write_text(
        """async def correct(request):\n    return '{"tool": "write_file", "path": "a.txt", "content": "x"}'\n""",
        encoding="utf-8",
    )
    block = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["x"]}\n```\nBye.\n'

    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(EVENTS + chunked(event(block) + b"data: [DONE]\n\n") + b"0\r\n\r\n")

    flags = ["--corrector", "my_app:correct", "--fixes", "off", "--order", order, "--blocks", "events"]
    async with Recorder(answer) as upstream, running("--upstream", upstream.url, *flags, folder=tmp_path) as (_, port):
        said = await raw(port, get(b"/"))
    assert b'"correctedBy":"llm"' in said
    assert (said.index(b"Bye.") < said.index(b'"json-tool-block"')) is (order == "flow")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--upstream", "http://user:s3cret@x"], "upstream must not hold credentials"),
        (["--upstream", "http://x", "--fixes", "all"], "--fixes: invalid choice: 'all'"),
        (["--upstream", "http://x", "--order", "loose"], "--order: invalid choice: 'loose'"),
        (["--upstream", "http://x", "--emit", "named"], "blocks='text' sends none: add blocks='both' or 'events'"),
        (["--upstream", "http://x", "--progress", "0"], "progress must be a positive number"),
        (["--upstream", "http://x", "--keep-alive", "-1"], "give a number of seconds, 0 or more; not '-1'"),
        (["--upstream", "http://x", "--keep-alive", "soon"], "give a number of seconds, 0 or more; not 'soon'"),
        (["--upstream", "http://x", "--max-connections", "0"], "give a number of connections, 1 or more; not '0'"),
        (
            ["--upstream", "http://x", "--limit", "max_blok=1"],
            "there is no limit 'max_blok'; there are max_block, ",
        ),
        (
            ["--upstream", "http://x", "--limit", "max_block"],
            "a limit is NAME=NUMBER, such as max_block=65536; not 'max_block'",
        ),
        (["--upstream", "http://x", "--blok", "text"], "unrecognized arguments: --blok text; see stream-guard proxy --help"),
        (
            ["--upstream", "http://x/v1?key=s3cret"],
            "without a query or a fragment; not 'http://x/v1?...'",
        ),
        (
            ["--upstream", "http://x", "--corrector", "textwrap:dedent"],
            "dedent is a plain function; make it `async def`",
        ),
        (["--upstream", "http://x", "--limit", "max_depth=999"], "Limits.max_depth must be at most 200"),
        (["--upstream", "http://x", "--corrector", "nothing"], "a corrector is the module:name of an async callable"),
        (["--upstream", "http://x", "--corrector", "json:nothing"], "the module json has no attribute 'nothing'"),
    ],
)
def test_what_a_flag_cannot_mean_is_said_in_a_line(arguments: list[str], said: str) -> None:
    done = command("proxy", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "s3cret" not in done.stderr


@pytest.mark.parametrize(
    "url", ["https://api.example.com/v1?api_key=SECRET", "https://a:SECRET@b.example/#x", "ftp://b/#SECRET"]
)
def test_no_message_about_an_upstream_holds_its_query_or_its_credentials(url: str) -> None:
    with pytest.raises(ValueError, match="upstream") as caught:
        Upstream.of(url)
    assert "SECRET" not in str(caught.value)


# -- answers before the end of a request -------------------------------------------------------------------------------

MEGABYTES: Final = 8
"""More than the sockets between a client and the gateway take in by themselves."""


def upload(host: bytes = b"127.0.0.1", *, chunks: bool = False) -> list[bytes]:
    """A long request, in pieces."""
    piece = b"x" * 1_000_000
    framing = b"Transfer-Encoding: chunked" if chunks else b"Content-Length: %d" % (MEGABYTES * len(piece))
    head = get(b"/v1/x", b"Content-Type: application/json", framing, host=host, method=b"POST")
    return [head, *[chunked(piece) if chunks else piece] * MEGABYTES, *([b"0\r\n\r\n"] if chunks else [])]


@pytest.mark.parametrize("chunks", [False, True])
async def test_a_refusal_reaches_a_client_that_is_still_sending(chunks: bool) -> None:
    """Where the provider cannot be reached, no connection is free, the name is not the gateway's, and while it stops."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
        async with gateway(nobody) as port:
            for _ in range(3):
                assert status(await raw(port, *upload(chunks=chunks))) == 502
                assert status(await raw(port, *upload(b"evil.example", chunks=chunks))) == 421
    waits, goes_on = asyncio.Event(), asyncio.Event()

    async def answer(_: Asked, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waits.set()
        await goes_on.wait()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    async with Recorder(answer) as upstream:
        guarding = proxy(upstream.url, GUARD, max_connections=1, pool_timeout=0.05)
        async with served(guarding, log_config=None, **SERVER) as url:
            port = int(url.rpartition(":")[2])
            first = asyncio.create_task(raw(port, get(b"/v1/x")))
            await waits.wait()
            said = await raw(port, *upload(chunks=chunks))
            assert status(said) == 503
            assert b"retry-after: 1" in said
            guarding.stopping = True
            said = await raw(port, *upload(chunks=chunks))
            assert status(said) == 503
            assert b"retry-after: 1" in said
            goes_on.set()
            assert status(await first) == 204


async def test_what_is_dropped_of_a_request_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that never ends, and one that says no more, are left."""
    monkeypatch.setattr(uploads, "MOST_DROPPED", 3_000_000)
    monkeypatch.setattr(uploads, "SILENCE", 0.05)
    async with gateway("http://127.0.0.1:1") as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(get(b"/v1/x", b"Transfer-Encoding: chunked", host=b"evil.example", method=b"POST"))
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(300):
                while True:
                    writer.write(chunked(b"x" * 100_000))
                    await writer.drain()
        writer.close()
        head, *pieces = upload(b"evil.example")
        assert status(await raw(port, head, pieces[0])) == 421


@pytest.mark.some(4)
@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("chunks", [False, True])
@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"])
async def test_an_error_of_a_provider_that_has_not_read_the_request_reaches_its_client(
    before: bytes, chunks: bool, closes: bool, cases: Cases
) -> None:
    """One that answers and reads no more, and one that closes as well. The connection to it ends with the answer."""
    left = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        body = b"y" * 20_000
        for piece in (before, b"HTTP/1.1 413 Too Large\r\ncontent-length: %d\r\n\r\n" % len(body), body[:9_000], body[9_000:]):
            writer.write(piece)
            await asyncio.sleep(0)
        if not closes:
            await left.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1_024)
    async with server, gateway(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as port:
        for _ in range(3):
            said = await raw(port, *upload(chunks=chunks))
            assert status(said) == 413, said[:200]
            assert said.count(b"y") >= 20_000
            cases(1)
        left.set()


async def test_an_answer_that_is_no_error_ends_no_upload() -> None:
    """A provider may begin to answer before it has read the request."""
    size = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal size
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nso ")
        while size < MEGABYTES * 1_000_000:
            size += len(await reader.read(65_536))
        writer.write(b"x")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, gateway(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as port:
        said = await raw(port, *upload())
    assert said.endswith(b"so x")
    assert size == MEGABYTES * 1_000_000
