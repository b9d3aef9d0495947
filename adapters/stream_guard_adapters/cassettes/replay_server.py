"""A server on loopback that answers requests with recorded streams.

    with ReplayServer("hello.jsonl") as server:
        client = AsyncOpenAI(base_url=server.url, api_key="none")

It uses the standard library only, in threads of its own, so that clients of any kind and language can use it.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from ..engine.framing import CONTENT_TYPES
from .cassette import TORN, Cassette
from .replaying import Chunking, RecordedError, Replay, replay, served


class ReplayRequest(NamedTuple):
    """A request to a replay server."""

    method: str
    path: str
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON. Raises ValueError for a body that is not JSON."""
        return json.loads(self.body)


class ReplayServer:
    """Answers each request with the next of its cassettes.

    A request after the last one gets the status 410, which clients do not repeat, with the reason in the body. When the `with`
    block ends, such a request raises an `AssertionError`, also if the answer was ignored.

    Args:
        cassettes: The cassettes, or their files.
        speed: 0 sends everything at once, 1 at the recorded times.
        chunking: Where their texts and the arguments of their native calls are cut, as by `replay`. With any but `"recorded"`
            the bytes are cut too, at random.
        repeat: After the last cassette, begin again with the first.

    Raises:
        ValueError: A file is not a cassette, or was cut off.
    """

    def __init__(
        self, *cassettes: str | Path | Cassette, speed: float = 0, chunking: Chunking = "recorded", repeat: bool = False
    ) -> None:
        if not cassettes:
            raise ValueError("a replay server needs at least one cassette")
        loaded = [one if isinstance(one, Cassette) else Cassette.load(Path(one)) for one in cassettes]
        for number, one in enumerate(loaded, 1):
            if one.ending == "torn":
                raise ValueError(f"cassette {number} of {len(loaded)} cannot be served: {TORN}")
        self._answers: Final = [
            (_headers(one), replay(served(one, chunking), speed=speed, form="bytes"), speed) for one in loaded
        ]
        self._repeat: Final = repeat
        self._number: Final = count()
        self.requests: list[ReplayRequest] = []
        """The requests. Headers, and the keys in them, are not kept."""
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """The address of the server. It answers any path."""
        if self._server is None:
            raise RuntimeError("the server is not running: enter it with `with`")
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
            if kind is None and not self._repeat and len(self.requests) > len(self._answers):
                raise AssertionError(self._spent())

    def answer(self, method: str, path: str, body: bytes) -> tuple[dict[str, str], Replay, float] | str:
        """Return the headers, the stream and the speed of the answer to a request; if no answer is left, the reason."""
        self.requests.append(ReplayRequest(method, path, body))
        number = next(self._number)
        if number >= len(self._answers) and not self._repeat:
            return self._spent()
        return self._answers[number % len(self._answers)]

    def _spent(self) -> str:
        given = "1 cassette" if len(self._answers) == 1 else f"{len(self._answers)} cassettes"
        return f"the replay server has {given}, and got {len(self.requests)} requests; record one more, or set repeat=True"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do nothing: a client that has left is no error."""


def _headers(cassette: Cassette) -> dict[str, str]:
    table = cassette.protocol
    framing = (table.framing if table is not None else None) or "events"
    more = table.headers if table is not None else {}
    return {"Content-Type": CONTENT_TYPES[framing][0], "Cache-Control": "no-cache", **more}


def _handler(owner: ReplayServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = owner.answer(self.command, self.path, body)
            if isinstance(answer, str):
                self._refuse(answer)
                return
            headers, stream, speed = answer
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

        def _refuse(self, why: str) -> None:
            body = json.dumps({"type": "error", "error": {"type": "no_more_cassettes", "message": why}}).encode()
            self.send_response(410)  # no status that clients try again
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = _serve  # noqa: N815  # the names the library looks for

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler
