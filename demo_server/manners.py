"""What holds for every request: headers, hosts, bounds, errors, and a log without content.

Pure ASGI middleware around the app, in this order: log and count, refuse strangers, bound.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import AddressValueError, IPv6Address
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics
from .settings import Settings

log: Final = logging.getLogger("demo_server")

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


_OWN_SITES: Final = ("same-origin", "none")
"""Values of `Sec-Fetch-Site` with which a request may change something: the server's own page, or a person."""


def error(status: int, code: str, message: str, **more: Any) -> JSONResponse:
    """Return an error in the form of all errors of this server."""
    return JSONResponse({"error": {"code": code, "message": message, **more}}, status)


_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9._-]*)(?::([0-9]{1,5}))?", re.ASCII)


def named(host: str) -> str | None:
    """Return the name in a Host header, without its port and in one spelling; None when it is no host."""
    found = _HOST.fullmatch(host.lower()) if len(host) <= 300 else None
    if found is None or int(found[2] or 0) > 65_535:
        return None
    try:
        return f"[{IPv6Address(found[1][1:-1])}]" if found[1].startswith("[") else found[1]
    except AddressValueError:
        return None


class Manners:
    """Middleware: refuses requests, adds headers, counts and logs."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics, leaving: Callable[[], bool]) -> None:
        self._app = app
        self._hosts = {named(host) for host in settings.hosts} - {None}
        self._metrics = metrics
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on to the app."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        begun, status = time.monotonic(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("cache-control", "no-store")  # after Back, a browser would show the chat as it was
            await send(message)

        try:
            refusal = self._refusal(scope)
            await (refusal or self._app)(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.request(route, status)
            # A page that is opened fetches dozens of files: what went well, and changed nothing, is told with --verbose alone.
            level = logging.DEBUG if scope["method"] in ("GET", "HEAD") and status < 400 else logging.INFO
            log.log(level, "request", extra={"told": {
                "method": scope["method"], "route": route, "status": status, "ms": round(1000 * (time.monotonic() - begun), 1),
            }})  # fmt: skip
        return None

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or named(host) not in self._hosts:
            return error(421, "unknown_host", "This server does not answer to that name; start it with --host to add one")
        if scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "same-origin")
        if (origin is not None and origin not in (f"http://{host}", f"https://{host}")) or site not in _OWN_SITES:
            return error(403, "foreign_origin", "Requests come from the server's own page")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return error(415, "not_json", "Send JSON, and say so: Content-Type: application/json")
        if self._leaving():
            return error(503, "ending", "The server is about to end; try again in a moment")
        return None


class TooLong(Exception):
    """Raised for a body of more bytes than are read."""


async def body(receive: Receive, most: int) -> bytes:
    """Return the body of a request of at most so many bytes. Raises TooLong."""
    read = bytearray()
    while True:
        message = await receive()
        read += message.get("body", b"")
        if len(read) > most:
            raise TooLong(f"A request has at most {most} bytes")
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(read)


class Rate:
    """Limits how often each name may do something: a rate in seconds, and a burst."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic, names: int = 10_000) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._names = names
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """Return 0 and count one more if there is room; else the seconds until there is."""
        now = self._clock()
        left, since = self._left.pop(name, (float(self._burst), now))
        left = min(left + (now - since) * self._rate, float(self._burst))
        taken = left >= 1
        self._left[name] = (left - taken, now)
        while len(self._left) > self._names:
            self._left.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._rate


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = {"at": round(record.created, 3), "level": record.levelname.lower(), "said": record.getMessage()}
        return json.dumps({**told, **getattr(record, "told", {})})


def log_as_lines(level: int = logging.INFO) -> None:
    """Log to standard error, one line of JSON for each record."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name in ("demo_server", "stream_guard"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
