"""A provider on loopback that knows what it was taught: it answers with recorded streams, whatever it is asked.

    with ReplayServer("hello.jsonl") as server:
        client = AsyncOpenAI(base_url=server.url, api_key="none")

It stands on the standard library alone, in threads of its own, so that clients of any kind and language can talk to it.
"""

from __future__ import annotations

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from .cassette import Cassette
from .protocols import AI_SDK
from .replaying import Chunking, RecordedError, Replay, replay

_KINDS: Final = {"lines": "application/x-ndjson", "text": "text/plain; charset=utf-8"}


class ReplayServer:
    """Answers each request with the next of its cassettes, and after the last one with the first again.

    Args:
        cassettes: Their files, or themselves.
        speed: 0 sends everything at once, 1 at the recorded times.
        chunking: Where the bytes are cut.
    """

    def __init__(self, *cassettes: str | Path | Cassette, speed: float = 0, chunking: Chunking = "recorded") -> None:
        if not cassettes:
            raise ValueError("a replay server needs a cassette")
        loaded = [one if isinstance(one, Cassette) else Cassette.load(Path(one)) for one in cassettes]
        self._answers: Final = [
            (_headers(one), replay(one, speed=speed, chunking=chunking, form="bytes"), speed) for one in loaded
        ]
        self._number: Final = count()
        self.requests: list[tuple[str, str, bytes]] = []
        """What was asked: the method, the path, the body. Headers, and the keys in them, are not kept."""
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """Where it listens. Any path will do."""
        if self._server is None:
            raise RuntimeError("the server does not run: enter it with `with`")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def answer(self, method: str, path: str, body: bytes) -> tuple[dict[str, str], Replay, float]:
        """What to answer a request."""
        self.requests.append((method, path, body))
        return self._answers[next(self._number) % len(self._answers)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no error."""


def _headers(cassette: Cassette) -> dict[str, str]:
    table = cassette.protocol
    kind = _KINDS.get(table.framing or "", "text/event-stream") if table is not None else "text/event-stream"
    more = {"x-vercel-ai-ui-message-stream": "v1"} if table is AI_SDK else {}
    return {"Content-Type": kind, "Cache-Control": "no-cache", **more}


def _handler(owner: ReplayServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers, stream, speed = owner.answer(self.command, self.path, body)
            self.send_response(200)
            for name, value in {**headers, "Transfer-Encoding": "chunked"}.items():
                self.send_header(name, value)
            self.end_headers()
            start = time.monotonic()
            try:
                for t, chunk in zip(stream.times, stream, strict=True):
                    if speed:
                        time.sleep(max(start + t / speed - time.monotonic(), 0))
                    if chunk:
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                self.wfile.write(b"0\r\n\r\n")
            except RecordedError:  # as the recorded one did: the connection ends in the middle of the body
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
            except ConnectionError:
                self.close_connection = True

        do_GET = do_POST = do_PUT = _serve  # noqa: N815  # the names the library looks for

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    return Handler
