"""ASGI middleware: whatever an app streams is guarded on its way out.

    app -> send -> Responder -> Body -> send

Rule 1: bytes are not delayed: what may leave of a message leaves before the app goes on.
Rule 2: once the client has left nothing is sent, pending work is cancelled, and the app hears of it when no send of its own is
under way: told in the middle of one, it would never close what it streams from.
Rule 3: what is not inspected passes as it is, and is counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from functools import partial
from typing import Any, Final

from stream_guard import Guard, Pending, StreamEnd, ToolBlock, ToolStatus
from stream_guard.session import Aside, told
from stream_guard.transform import Work

from .body import Body, Emit
from .calls import NATIVE, Native
from .protocols import AI_SDK, PROTOCOLS
from .room import Uninspected

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

log: Final = logging.getLogger("stream_guard")

_LINES: Final = (b"application/x-ndjson", b"application/ndjson", b"application/jsonl", b"application/x-jsonlines")
_STALE: Final = frozenset({b"content-length", b"etag", b"content-md5", b"digest", b"content-digest", b"repr-digest"})
"""Headers that speak of the very bytes of a body."""

_BODILESS: Final = (204, 205)
"""What an answer without a body says."""

_FLOWING: Final = ((b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no"))
"""Headers that keep those on the way (nginx, and what is built on it) from collecting events before they send them on. They are
added where the app says nothing of the kind."""

_AT_ONCE: Final = 65_536
"""So many bytes of one message are guarded before others have their turn."""

_PATHSEND: Final = ("http.response.pathsend", "http.response.zerocopysend")
"""Messages by which a server sends a file itself."""


class StreamGuardMiddleware:
    """Guards the streams of an ASGI app.

    Args:
        app: The app.
        guard: How to guard them.
        format: The protocol of its streams, by name (`openai-chat`, `anthropic` ...); `auto` tells it from the headers and the
            first event. Plain text is guarded only when it is named: `text`. Its blocks stay in the text, mended or as written.
        emit: How our events are told: `auto` in the shape that the protocol's clients survive, `named` under names of their
            own, `none` not at all.
        native: What becomes of native tool calls: they are held and mended (`guard`), pass and are told of (`observe`), or are
            not looked at (`off`).
        promote: Whether a call that was written as text is told as a native one too, for clients that know only those.
        paths: Only streams of these paths are guarded: the beginnings of paths, or a function of the scope.
        keep_alive: After so many seconds without a byte, while a block is held or corrected, an event is sent that the
            protocol's clients take for nothing. None: never.
        on_uninspected: Told why something was passed on without being looked into: one of the kinds that docs/streams.md lists.
    """

    def __init__(
        self,
        app: App,
        *,
        guard: Guard,
        format: str = "auto",
        emit: Emit = "auto",
        native: Native = "guard",
        promote: bool = False,
        paths: Iterable[str] | Callable[[MutableMapping[str, Any]], bool] | None = None,
        keep_alive: float | None = 5.0,
        on_uninspected: Callable[[Uninspected], None] | None = None,
    ) -> None:
        known = [name for name, table in PROTOCOLS.items() if table.framing is not None]
        if format not in ("auto", *known):
            raise ValueError(f"format must be 'auto' or one of {', '.join(known)}; not {format!r}")
        if emit not in ("auto", "named", "none"):
            raise ValueError(f"emit must be 'auto', 'named' or 'none', not {emit!r}")
        if native not in NATIVE:
            raise ValueError(f"native must be 'guard', 'observe' or 'off', not {native!r}")
        if isinstance(paths, str):
            raise TypeError("paths takes several beginnings of paths, or a function; not one text")
        if keep_alive is not None and not keep_alive > 0:
            raise ValueError(f"keep_alive must be a positive number of seconds, or None for never; not {keep_alive!r}")
        self.app: Final = app
        self.guard: Final = guard
        self.format: Final = format
        self._body: Final = partial(Body, guard, emit=emit, uninspected=self.note, native=native, promote=promote)
        self.keep_alive: Final = keep_alive
        self.uninspected: Final[Counter[Uninspected]] = Counter()
        """How often something was passed on without being looked into, and why."""
        self._on_uninspected: Final = on_uninspected
        self._paths: Final = paths if paths is None or callable(paths) else tuple(paths)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not _in_asyncio():
            await _refuse(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket") or scope.get("method") == "HEAD" or not self._guards(scope):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            self.note("websocket")
            await self.app(scope, receive, send)
            return
        responder = Responder(self, receive, send)
        try:
            await self.app(scope, responder.receive, responder.send)
            await responder.finish("disconnect")  # an app may return without a last message; after one this does nothing
        except Exception:
            await responder.finish("error")
            raise
        finally:
            await responder.close()

    def _guards(self, scope: MutableMapping[str, Any]) -> bool:
        if self._paths is None:
            return True
        if callable(self._paths):
            return self._paths(scope)
        return str(scope.get("path", "")).startswith(self._paths)

    def note(self, why: Uninspected) -> None:
        """Something passes without being looked into."""
        self.uninspected[why] += 1
        told(self._on_uninspected, why)

    def body(self, start: Message) -> Body | None:
        """The guard of a response that begins so; None for one that is passed on."""
        headers = {name.lower(): value for name, value in start.get("headers", ())}
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        streams = kind == b"text/event-stream" or kind in _LINES
        if self.format == "text" and kind.startswith(b"text/"):
            streams = True
        answers = 200 <= start["status"] < 300
        if not streams:
            if answers and start["status"] not in _BODILESS:
                self.note("json body" if kind == b"application/json" or kind.endswith(b"+json") else "content type")
        elif not answers:
            self.note("status")
        elif _is_encoded(start):
            self.note("compressed")
        elif self.format != "auto":
            table = PROTOCOLS[self.format]
            return self._body(table.framing or "events", table)
        elif kind in _LINES:
            return self._body("lines", None)
        else:
            known = AI_SDK if b"x-vercel-ai-ui-message-stream" in headers else None
            return self._body("events", known)
        return None


def _is_encoded(start: Message) -> bool:
    """Whether a body is not as it would be without any encoding."""
    said = b",".join(value for name, value in start.get("headers", ()) if name.lower() == b"content-encoding")
    return any(one.strip().lower() not in (b"", b"identity") for one in said.split(b","))


def _in_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_NEEDS_ASYNCIO: Final = (
    "stream_guard's middleware needs asyncio, and this app is run by something else, trio perhaps: have the \
server run it on asyncio"
)


async def _refuse(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Say that there is no asyncio: before the server is up, where it asks."""
    if scope["type"] == "lifespan" and (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.failed", "message": _NEEDS_ASYNCIO})
    else:
        raise RuntimeError(_NEEDS_ASYNCIO)


class Responder:
    """One request and its response."""

    def __init__(self, middleware: StreamGuardMiddleware, receive: Receive, send: Send) -> None:
        self._middleware = middleware
        self._inbox = _Inbox(receive)
        self._send = send
        self._body: Body | None = None
        self._work: set[Work] = set()
        self._doing = False
        self._later: set[asyncio.Task[None]] = set()
        self._silence: asyncio.TimerHandle | None = None  # when it will have been silent for so long
        self._living: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # whose turn it is to send; the app keeps it while it is inside an event
        self._inside = False
        self._sending = False  # something of the app's
        self._done: asyncio.Future[None] | None = None  # of the sending, when somebody waits for it
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._sent = 0.0
        self._ended = False

    # -- in --------------------------------------------------------------------------------------------------------

    async def receive(self) -> Message:
        """What the app receives. That its client has left it hears when no send of its own is under way."""
        message = await self._inbox.get()
        if message["type"] == "http.disconnect":
            await self._leave()
            if self._sending:
                self._done = asyncio.get_running_loop().create_future()
                await self._done
        return message

    async def _leave(self) -> None:
        self._inbox.gone = True
        for work in list(self._work):
            await work.stop()

    # -- out -------------------------------------------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        """What the app sends."""
        if self._inbox.gone:
            return
        self._sending = True
        try:
            if self._body is None or self._ended or message["type"] != "http.response.body":
                if self._body is not None and message["type"] in _PATHSEND:
                    self._middleware.note("pathsend")
                    self._body = None
                await (self._start(message) if message["type"] == "http.response.start" else self._send(message))
            elif not self._later and message.get("more_body") and self._body.passes(message.get("body", b"")):
                # Nothing is held, and nothing of ours is on its way: nobody else sends. Nearly all messages leave here.
                self._sent = self._time()
                await self._send(message)
            else:
                await self._chunk(message)
        finally:
            self._sending = False
            if self._done is not None and not self._done.done():
                self._done.set_result(None)

    async def _start(self, message: Message) -> None:
        self._body = self._middleware.body(message)
        if self._body is not None:
            kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in _STALE]
            said = {name.lower() for name, _ in kept}
            message = {**message, "headers": [*kept, *(header for header in _FLOWING if header[0] not in said)]}
        await self._send(message)
        if self._body is not None and self._middleware.keep_alive is not None:
            self._sent = self._time()
            self._silence = self._loop.call_later(self._middleware.keep_alive, self._keep_alive, self._middleware.keep_alive)

    async def _chunk(self, message: Message) -> None:
        assert self._body is not None
        chunk = message.get("body", b"")
        for start in range(0, len(chunk), _AT_ONCE):
            if start:
                await asyncio.sleep(0)
            await self._say(self._body.push(chunk[start : start + _AT_ONCE] if len(chunk) > _AT_ONCE else chunk))
        if self._middleware.keep_alive is not None:
            await self._live(self._middleware.keep_alive)  # it may have been silent before it was held
        if not message.get("more_body", False):
            await self.finish("stop")

    async def finish(self, cause: StreamEnd) -> None:
        """The body ends: what was held leaves, and after an ordinary end so does the end itself."""
        if self._body is None or self._ended or self._inbox.gone:
            return
        self._ended = True
        await self._say(self._body.end(cause))
        if self._later:
            await asyncio.wait(self._later)
        if cause == "stop" and not self._inbox.gone:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _say(self, said: Iterator[Any]) -> None:
        """Send what is said, as few messages as may be; see to what has to be seen to on the way."""
        assert self._body is not None
        out: list[bytes] = []
        for item in said:
            if isinstance(item, bytes):
                out.append(item)
            elif isinstance(item, ToolStatus | ToolBlock):
                out.append(self._body.told(item))
            elif isinstance(item, Aside):
                await self._pass(out)
                out = []
                await self._do(item)
            elif isinstance(item, Pending):
                await self._pass(out)
                out = []
                if self._middleware.guard.order == "strict" or item.follow is not None or self._body.in_line:
                    await self._correct(item)
                else:
                    task = asyncio.create_task(self._correct(item))
                    self._later.add(task)
                    task.add_done_callback(self._later.discard)
            if self._inbox.gone:
                break
        await self._pass(out)

    async def _pass(self, pieces: list[bytes]) -> None:
        """Send bytes of the app's. It keeps its turn until the event is through that they end in the middle of."""
        assert self._body is not None
        if not self._inside:
            await self._turn.acquire()
        try:
            self._inside = True
            await self._put(b"".join(pieces))
        finally:
            self._inside = self._body.inside and not self._inbox.gone
            if not self._inside:
                self._turn.release()

    async def _write(self, body: bytes) -> None:
        """Send bytes of ours."""
        async with self._turn:
            await self._put(body)

    async def _put(self, body: bytes) -> None:
        if body and not self._inbox.gone:
            await self._send({"type": "http.response.body", "body": body, "more_body": True})
            self._sent = self._time()

    async def _do(self, work: Aside[Any]) -> None:
        """Have long work done in a thread. When the client leaves meanwhile, nobody waits for it."""
        running = asyncio.ensure_future(asyncio.to_thread(work.run))
        watching = asyncio.create_task(self._inbox.watch())
        self._doing = True
        try:
            await asyncio.wait([running, watching], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._doing = False
            watching.cancel()
            running.cancel()

    async def _correct(self, pending: Pending) -> None:
        """Have a block corrected, and watch for the client's leaving meanwhile."""
        assert self._body is not None
        work = Work()
        self._work.add(work)
        watching = asyncio.create_task(self._inbox.watch())
        try:
            async for event in work.corrected(self._middleware.guard, pending, watching):
                ours = isinstance(event, ToolStatus | ToolBlock)
                await self._write(self._body.told(event) if ours else self._body.encoded(event))
        finally:
            watching.cancel()
            await work.stop()
            self._work.discard(work)

    def _keep_alive(self, seconds: float) -> None:
        """See whether it has been silent for so long. It is a timer: most streams never need a task for it."""
        silent = self._time() - self._sent
        if silent >= seconds and self._holding and (self._living is None or self._living.done()):
            self._living = self._loop.create_task(self._live(seconds))
        self._silence = self._loop.call_later(seconds - silent if silent < seconds else seconds, self._keep_alive, seconds)

    async def _live(self, seconds: float) -> None:
        """Say nothing, as an event, if a block is held and so long nothing was sent."""
        assert self._body is not None
        if self._holding and self._time() - self._sent >= seconds and not self._inside:
            async with self._turn:
                if self._holding and self._time() - self._sent >= seconds:
                    await self._put(self._body.nothing())

    @property
    def _holding(self) -> bool:
        """Whether a block is held, or one that has ended is being mended or corrected."""
        return bool(self._work) or self._doing or (self._body is not None and self._body.holding)

    async def close(self) -> None:
        """Nothing of this request is left running."""
        if self._silence is not None:
            self._silence.cancel()
        tasks: list[asyncio.Task[None]] = [*self._later, *([self._living] if self._living is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for work in list(self._work):
            await work.stop()
        self._inbox.close()


_MOST_KEPT: Final = 64
"""So many messages of a client are received at most before the app asks for them."""


class _Inbox:
    """What is received: for the app, and for us while the app is not listening."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._kept: deque[Message] = deque()
        self._fetched = asyncio.Event()  # the app has fetched one
        self._reading: asyncio.Task[Message] | None = None
        self.gone = False

    async def get(self) -> Message:
        """The next message."""
        while not self._kept:
            await self._read()
        self._fetched.set()
        return self._kept.popleft()

    async def watch(self) -> None:
        """Return when the client has left."""
        while not self.gone:
            while len(self._kept) >= _MOST_KEPT:  # a client that goes on to send has not left
                self._fetched.clear()
                await self._fetched.wait()
            await self._read()

    async def _read(self) -> None:
        """Read one message, whoever waits for it. Cancelling one who waits does not lose it."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._receive())
        task = self._reading
        await asyncio.wait([task])
        if self._reading is task:
            self._reading = None
            message = task.result()
            self._kept.append(message)
            if message["type"] == "http.disconnect":
                self.gone = True

    def close(self) -> None:
        """Nobody waits any more."""
        if self._reading is not None:
            self._reading.cancel()
