"""ASGI middleware: guards the streams that an app sends.

    app -> send -> Responder -> Body -> send
                       └─ a JSON reply, when it is whole -> ReplyBody -> send

Rule 1: bytes of a stream are not delayed: what may leave of a message is sent before the app continues.
Rule 2: after the client has disconnected, nothing is sent and pending work is cancelled. The app receives the disconnect when
no send of its own is running: in the middle of one it would never close the stream that it reads from.
Rule 3: an event that is not inspected passes as it is, and is counted. Resumable streams pass too, and are not counted: they
are guarded already.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sized
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Final, Unpack

from stream_guard import Guard, Pending, StreamEnd, ToolBlock, ToolStatus
from stream_guard.spi import SHORT, Aside, Turns, Work, call_hook, check_hook, followed, is_awaited

from .engine.body import Body
from .engine.framing import CONTENT_TYPES
from .engine.replies import ReplyBody
from .engine.request_tools import OnCall, RequestGuards
from .engine.sent_requests import SentRequest, is_json
from .engine.settings import CallSettings, Emit, RequestTools, Settings, check_guard
from .engine.uninspected import MARKS, Note, Uninspected
from .protocols import PROTOCOLS

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

log: Final = logging.getLogger("stream_guard")

_LINES: Final = tuple(kind.encode() for kind in CONTENT_TYPES["lines"])
_BY_HEADER: Final = {name.encode(): table for table in PROTOCOLS.values() for name in table.headers}
"""The protocols that a response header identifies."""

_STALE: Final = frozenset({
    b"content-length", b"etag", b"content-md5", b"digest", b"content-digest", b"repr-digest", b"accept-ranges",
    b"content-range",
})  # fmt: skip
"""Headers that describe the exact bytes of a body. They are removed."""

_BODILESS: Final = (204, 205)
"""The statuses of responses without a body."""

_FLOWING: Final = ((b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no"))
"""Headers that keep proxies (nginx and proxies like it) from buffering events. They are added unless the app sets them."""

PARTING: Final = 1.0
"""Limit: seconds in which cancelled requests may still send what they hold, as cut off."""

_AT_ONCE: Final = 65_536
"""Limit: bytes of one message that are guarded before other tasks run."""

_PATHSEND: Final = ("http.response.pathsend", "http.response.zerocopysend")
"""Messages that let the server send a file."""


_RESPONSES: Final = ("http.response.start", "http.response.body", *_PATHSEND)


class StreamGuardMiddleware:
    """Guards the streams of an ASGI app.

    Args:
        app: The app.
        guard: How to guard them.
        format: The protocol of its streams, by name (`openai-chat`, `anthropic` ...); `auto` finds it by the headers, or by
            the first event with text or a call. Plain text is guarded only when it is named: `text`. Its blocks stay in the
            text, fixed or as written.
        emit: How our events are sent: `auto` in a shape that the protocol's clients accept, `named` as events with names of
            their own, `none` not at all; then blocks are in the text.
        paths: Only streams of these paths are guarded: the beginnings of paths, with or without the place where the app is
            mounted, or a function of the scope.
        keep_alive: Seconds without a byte, while anything is held or corrected or an event has come only in part, after which
            an event without content is sent.
            None: never.
        request_tools: What the tools that a request offers to the model are used for: to guard its reply with them and the
            guard's own (`add`), with them alone where there are any (`only`), or not at all (`off`). A tool of the
            request replaces the guard's tool of that name, and keeps the `risk` of the guard's.
        on_uninspected: Called with the reason when something passes unread; docs/streams.md lists the reasons.
        on_call: Called with every block and native call, and the tools that it was checked against: the guard's, the request's.
        **settings: `native` says what happens to native calls: they are held and fixed, and those that cannot be fixed are sent
            on as written (`mend`, the default) or not at all (`withhold`); they pass and are reported (`observe`), or pass
            unread (`off`). `promote=True` sends a call that was written as text as a native call: where a request offers tools,
            only calls of these.
            `blocks` says how clients get a block: as our events (`events`, the default), in the text at its place (`text`), or
            as both.

    Raises:
        ValueError: A setting has a value that it does not take.
    """

    promotes_offered_only: ClassVar[bool] = False
    """Whether a request that offers no tools gets no promoted calls. A gateway's clients have tools of their own."""

    def __init__(
        self,
        app: App,
        *,
        guard: Guard,
        format: str = "auto",
        emit: Emit = "auto",
        paths: Iterable[str] | Callable[[MutableMapping[str, Any]], bool] | None = None,
        keep_alive: float | None = 5.0,
        request_tools: RequestTools = "add",
        on_uninspected: Note | None = None,
        on_call: OnCall | None = None,
        **settings: Unpack[CallSettings],
    ) -> None:
        known = [name for name, table in PROTOCOLS.items() if table.framing is not None]
        if format not in ("auto", *known):
            raise ValueError(f"format must be 'auto' or one of {', '.join(known)}; not {format!r}")
        if isinstance(paths, str) or not (paths is None or callable(paths) or isinstance(paths, Iterable)):
            raise TypeError(f"paths must be a list of prefixes or a function of the scope; not a {type(paths).__name__}")
        check_guard(guard)
        check_hook("on_uninspected", on_uninspected)
        check_hook("on_call", on_call, 2)
        if is_awaited(paths):
            raise TypeError("paths must not be async: nobody would await it")
        guard.preload()
        self.app: Final = app
        self.guard: Final = guard
        self.format: Final = format
        self.settings: Final = Settings(
            **settings, emit=emit, keep_alive=keep_alive, request_tools=request_tools, on_uninspected=self.note
        )
        """How a stream is treated."""
        if format != "auto":
            self.settings.check_promotes(PROTOCOLS[format])
        self._request_guards: Final = RequestGuards(
            guard, request_tools, on_call, self.note, offered_only=self.promotes_offered_only
        )
        self.keep_alive: Final = keep_alive
        self.uninspected: Final[Counter[Uninspected]] = Counter()
        """How often something passed unread, by reason."""
        self._on_uninspected: Final = on_uninspected
        self._open: Final[set[asyncio.Task[Any]]] = set()  # the requests that are being served
        self._paths: Final = paths if paths is None or callable(paths) else tuple(paths)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        if not _in_asyncio():
            await _refuse(scope, receive, send)
            return
        if scope["type"] == "lifespan":
            await self.app(scope, receive, partial(self._send_last, send))
            return
        if scope["type"] not in ("http", "websocket") or scope.get("method") == "HEAD" or not self._guards(scope):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            self.note("websocket")
            await self.app(scope, receive, send)
            return
        scope.setdefault(MARKS, [])
        responder = Responder(self, scope, receive, send)
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self.app(scope, responder.receive, responder.send)
            await responder.finish("disconnect")  # an app may return without a last message; after one this does nothing
        except Exception:
            await responder.finish("error")
            raise
        except asyncio.CancelledError:  # a server that stops has no more time
            await responder.cut_off()
            raise
        finally:
            await responder.close()
            self._open.discard(task)

    async def _send_last(self, send: Send, message: Message) -> None:
        """Send a lifespan message of the app's. Before the last message, cancelled requests get time to end."""
        if message["type"].startswith("lifespan.shutdown.") and self._open:
            await asyncio.wait(self._open, timeout=PARTING)
        await send(message)

    def _guards(self, scope: MutableMapping[str, Any]) -> bool:
        if self._paths is None:
            return True
        if callable(self._paths):
            return self._paths(scope)
        path = str(scope.get("path", ""))
        return path.startswith(self._paths) or path.removeprefix(scope.get("root_path") or "").startswith(self._paths)

    def note(self, why: Uninspected) -> None:
        """Count that something passes unread, and call the hook."""
        self.uninspected[why] += 1
        call_hook(self._on_uninspected, why)

    async def guard_for(self, request: SentRequest | None) -> tuple[Guard, Settings]:
        """Return how to guard the reply to a request with this body; None if the body is not read."""
        guard, promotable = await self._request_guards.of(
            b"" if request is None else request.raw, lost=request is not None and request.lost
        )
        return guard, self.settings.promoting(promotable)

    def body(self, start: Message, guard: Guard, settings: Settings) -> Body | None:
        """Return the guarded body of a response with this start message; None for a response that passes."""
        headers = {name.lower(): value for name, value in start.get("headers", ())}
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        streams = kind == b"text/event-stream" or kind in _LINES
        if self.format == "text" and kind.startswith(b"text/"):
            streams = True
        answers = 200 <= start["status"] < 300
        if not streams:
            if answers and start["status"] not in _BODILESS:
                self.note("json body" if is_json(kind) else "content type")
        elif not answers:
            self.note("status")
        elif _is_encoded(start):
            self.note("compressed")
        elif self.format != "auto":
            named = PROTOCOLS[self.format]
            return Body(guard, named.framing or "events", named, settings)
        elif kind in _LINES:
            return Body(guard, "lines", None, settings)
        else:
            table = next((_BY_HEADER[name] for name in headers if name in _BY_HEADER), None)
            return Body(guard, "events", table, settings)
        return None

    def reply(self, scope: MutableMapping[str, Any], start: Message, guard: Guard, settings: Settings) -> ReplyBody | None:
        """Return the body of a response that may be a reply in JSON; None for any other.

        Only a response to a POST may be such a reply: a reply is held until it is complete, and no other response should wait.
        """
        kind = next((value for name, value in start.get("headers", ()) if name.lower() == b"content-type"), b"")
        is_reply = is_json(kind.partition(b";")[0].strip().lower()) and 200 <= start["status"] < 300
        replies = scope.get("method") == "POST" and self.format != "text" and start["status"] not in _BODILESS
        return ReplyBody(guard, settings) if is_reply and replies and not _is_encoded(start) else None


def _is_object(message: object) -> bool:
    return isinstance(message, Mapping)


def _is_readable(start: Message) -> bool:
    """Return whether a start message has a status and headers of ASGI's types. Any other is left to the server."""
    if not isinstance(start.get("status"), int):
        return False
    try:
        return all(isinstance(name, bytes) and isinstance(value, bytes) for name, value in start.get("headers", ()))
    except (TypeError, ValueError):  # no pairs
        return False


def _has_length(start: Message | None) -> bool:
    """Return whether a response says how long it is."""
    return start is not None and any(name.lower() == b"content-length" for name, _ in start.get("headers", ()))


def _is_encoded(start: Message) -> bool:
    """Return whether a body has a content encoding."""
    items = b",".join(value for name, value in start.get("headers", ()) if name.lower() == b"content-encoding")
    return any(one.strip().lower() not in (b"", b"identity") for one in items.split(b","))


def _in_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_NEEDS_ASYNCIO: Final = (
    "stream_guard's middleware needs asyncio, and this app runs on another event loop, perhaps trio: run the server on asyncio"
)


async def _refuse(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Fail without asyncio: at startup, if the server sends lifespan events."""
    if scope["type"] == "lifespan" and (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.failed", "message": _NEEDS_ASYNCIO})
    else:
        raise RuntimeError(_NEEDS_ASYNCIO)


class Responder:
    """One request and its response."""

    def __init__(
        self, middleware: StreamGuardMiddleware, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        self._middleware = middleware
        self._scope = scope
        self._inbox = _Inbox(receive)
        self._send = send
        self._body: Body | ReplyBody | None = None
        self._request = _Request(scope, middleware)
        self._first: Message | None = None  # how a response starts whose body may be a reply
        self._started = False  # whether that was sent, and the blanks that came before the reply
        self._work: set[Work] = set()
        self._output: Iterator[Any] = iter(())  # the output for the app's last message
        self._pending: list[Pending] = []  # blocks that are being corrected
        self._whole = True  # whether no message is on its way to the server
        self._turns = Turns()
        self._doing = False
        self._later: set[asyncio.Task[None]] = set()
        self._silence: asyncio.TimerHandle | None = None  # when to look next whether an empty event is due
        self._living: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # held by whoever sends; the app keeps it while it is inside an event
        self._inside = False
        self._sending = False  # something of the app's
        self._done: asyncio.Future[None] | None = None  # of the sending, when somebody waits for it
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._sent = 0.0
        self._begun: float | None = None  # when the event began to come that is not complete
        self._ended = False
        self._over = False  # whether the guard has ended the response, and its app is told that the client has left
        version = str((scope.get("asgi") or {}).get("spec_version", "2.0"))
        self._raises = [*map(int, re.findall(r"\d+", version))][:2] >= [2, 4]

    # -- in --------------------------------------------------------------------------------------------------------

    async def receive(self) -> Message:
        """Return the app's next message. A disconnect is returned only while the app is not sending."""
        await self._request.read()  # before the next message is taken: it would be lost if the app gave up waiting here
        message = await self._inbox.get()
        self._request.take(message)
        if message["type"] == "http.disconnect":
            await self._leave()
            if self._sending:
                self._done = asyncio.get_running_loop().create_future()
                await self._done
        return message

    async def _leave(self) -> None:
        self._inbox.leave()
        for work in list(self._work):
            await work.stop()

    # -- out -------------------------------------------------------------------------------------------------------

    def send(self, message: Message) -> Awaitable[None]:
        """Send a message of the app's.

        Nearly all messages leave here as they came. Nothing is held then, so a send that is cancelled leaves nothing undone. A
        coroutine of our own around the server's would cost a fifth of a microsecond more.
        """
        body = self._body
        if (
            body is not None
            and (flows := body.flowing) is not None
            and type(message) is dict
            and type(chunk := message.get("body")) is bytes
            and len(chunk) <= SHORT
            and message.get("more_body")
            and message.get("type") == "http.response.body"
            and not self._later
            and not self._inbox.gone
            and flows(chunk) is not None  # the last question: it takes the chunk
        ):
            self._sent = self._time()
            return self._send(message)
        return self._send_guarded(message)

    async def _send_guarded(self, message: Message) -> None:
        """Send a message of the app's that may have to be changed or held."""
        if self._inbox.gone:
            if self._over and self._raises:
                raise ClientLeftError
            return
        if type(message) is not dict and not _is_object(message):
            await self._send(message)  # the server says what is wrong with it
            return
        self._sending = True
        try:
            body = self._body
            if (
                body is not None
                and self._first is None
                and not self._ended
                and not self._later
                and message.get("type") == "http.response.body"
                and message.get("more_body")
                and type(chunk := message.get("body")) is bytes
                and body.try_pass(chunk)
            ):
                # It passes as it came, and no event of the guard is being sent.
                self._sent = self._time()
                self._whole = False
                await self._send(message)
                self._whole = True
            else:
                await self._take(message)
        finally:
            self._sending = False
            if self._done is not None and not self._done.done():
                self._done.set_result(None)

    async def _take(self, message: Message) -> None:
        """Take a message of the app's that does not simply pass, or of which that is not decided yet."""
        if self._body is not None and type(message.get("body", b"")) is not bytes:
            try:
                chunk = bytes(memoryview(message["body"]))  # of a view or an array, which its app may change later
            except TypeError:
                if self._first is not None or not message.get("more_body"):
                    await self.finish("disconnect")  # the server may take it for the end
                await self._send(message)
                return
            message = {**message, "body": chunk}
        if message.get("type") not in _RESPONSES:
            await self._send(message)
        elif self._first is not None:
            await self._collect(message)
        elif self._body is None or self._ended or message["type"] != "http.response.body":
            if self._body is not None and message["type"] in _PATHSEND:
                self._middleware.note("pathsend")
                await self.finish("disconnect")  # nobody reads what the file says: what came before it leaves before it
                self._body = None
            await (self._start(message) if message["type"] == "http.response.start" else self._send(message))
        else:
            await self._chunk(message)

    async def _start(self, message: Message) -> None:
        """Choose how the body is read, by the head of the response, and send the head; the head of a possible reply waits."""
        headers = message.get("headers", ())
        if isinstance(headers, Iterable) and not isinstance(headers, Sized):
            message = {**message, "headers": list(headers)}  # it can be read only once
        if self._scope.get(MARKS):
            await self._send(message)
            return
        if _is_readable(message):
            answers = 200 <= message["status"] < 300
            await self._request.read()
            guard, settings = await self._middleware.guard_for(self._request.body if answers else None)
            self._body = self._middleware.reply(self._scope, message, guard, settings)
            if self._body is not None:
                self._first = message
                return
            self._body = self._middleware.body(message, guard, settings)
        else:
            self._middleware.note("content type")
        if self._body is not None:
            kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in _STALE]
            items = {name.lower() for name, _ in kept}
            message = {**message, "headers": [*kept, *(header for header in _FLOWING if header[0] not in items)]}
        self._whole = False
        await self._send(message)
        self._whole = True
        if self._body is not None and self._middleware.keep_alive is not None:
            self._sent = self._time()
            self._silence = self._loop.call_later(self._middleware.keep_alive, self._keep_alive, self._middleware.keep_alive)

    async def _collect(self, message: Message) -> None:
        """Take a part of a body that may be a reply, and send the reply when it is whole."""
        reply = self._body
        assert isinstance(reply, ReplyBody)
        if message["type"] != "http.response.body":
            await self._as_it_came(reply)
            await self._send(message)
        elif not reply.push(message.get("body", b"")):
            await self._as_it_came(reply, more=message.get("more_body", False))
        elif message.get("more_body", False):
            if not _has_length(self._first):
                await self._pass_blanks(reply.blanks())
            await self._turn_over(message.get("body", b""))
        else:
            await self._send_items(reply.items())
            if self._inbox.gone:
                return
            first, self._first, self._ended = self._first, None, True
            assert first is not None
            if reply.made is not None:
                kept = [(name, value) for name, value in first.get("headers", ()) if name.lower() not in _STALE]
                first = {**first, "headers": [*kept, (b"content-length", b"%d" % len(reply.made))]}
            await self._begin(first)
            await self._send({"type": "http.response.body", "body": reply.raw if reply.made is None else reply.made})

    async def _pass_blanks(self, blanks: bytes) -> None:
        """Send the blanks that have come before a reply: they show that the provider is there."""
        if blanks and not self._inbox.gone:
            assert self._first is not None
            kept = [(name, value) for name, value in self._first.get("headers", ()) if name.lower() not in _STALE]
            await self._begin({**self._first, "headers": kept})
            await self._send({"type": "http.response.body", "body": blanks, "more_body": True})

    async def _begin(self, first: Message) -> None:
        """Send how the response starts whose body may be a reply, unless it was sent."""
        if not self._started:
            self._started = True
            await self._send(first)

    async def _as_it_came(self, reply: ReplyBody, *, more: bool = True) -> None:
        """Send the collected parts of a body that is no reply. What follows passes."""
        first, self._first, self._body = self._first, None, None
        assert first is not None
        self._middleware.note("json body")
        await self._begin(first)
        if reply.raw or not more:
            await self._send({"type": "http.response.body", "body": reply.raw, "more_body": more})

    async def _chunk(self, message: Message) -> None:
        """Feed a part of a stream to its guard in bounded pieces, and send what may leave."""
        assert isinstance(self._body, Body)
        chunk = message.get("body", b"")
        for start in range(0, len(chunk), _AT_ONCE):
            if start:
                await asyncio.sleep(0)
            part = chunk[start : start + _AT_ONCE] if len(chunk) > _AT_ONCE else chunk
            await self._send_items(self._body.push(part), read=part)
            if self._body.over:
                await self.finish("unknown")
                self._over = True
                self._inbox.dismiss()
                return
        self._begun = (self._begun or self._time()) if self._body.incomplete else None
        if self._middleware.keep_alive is not None:
            await self._live(self._middleware.keep_alive)  # it may have been silent before it was held
        if not message.get("more_body", False):
            await self.finish("unknown")

    async def finish(self, cause: StreamEnd) -> None:
        """End the body: send what is held and, after an ordinary end, the last message."""
        if self._body is None or self._ended or self._inbox.gone:
            return
        if isinstance(self._body, ReplyBody):
            await self._as_it_came(self._body)  # it has no end
            return
        self._ended = True
        await self._send_items(self._body.end(cause))
        if self._later:
            await asyncio.wait(self._later)
        if cause == "unknown" and not self._inbox.gone:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def cut_off(self) -> None:
        """End the body of a request that is cancelled: send what is held in one message, as cut off.

        Nothing is sent after a message that the server may not have taken, and nothing inside an event.
        """
        for task in self._later:
            task.cancel()
        if not isinstance(self._body, Body) or self._inbox.gone or self._inside or not self._whole:
            return  # of a reply that is not whole nothing has left
        body, given_up = self._body, asyncio.CancelledError()
        corrected = [followed(pending, pending.give_up(given_up)) for pending in self._pending]
        out: list[bytes] = []
        items = chain(*corrected, self._output, body.end("disconnect") if not self._ended else ())
        self._ended = True
        for item in items:  # long work among them is done where its result is needed
            if isinstance(item, Pending):
                out += (self._bytes_of(one) for one in followed(item, item.give_up(given_up)))
            elif not isinstance(item, Aside):
                out.append(self._bytes_of(item))
            await self._turn_over(item)
        try:
            async with asyncio.timeout(PARTING):
                await self._put(b"".join(out))
        except Exception as error:
            log.warning("what a cancelled stream held could not be sent: %s", type(error).__name__)

    def _bytes_of(self, item: Any) -> bytes:
        """Return the bytes of an item: bytes, an event of the guard, or one of the protocol."""
        assert self._body is not None
        if isinstance(item, bytes):
            return item
        return self._body.event_bytes(item) if isinstance(item, ToolStatus | ToolBlock) else self._body.encoded(item)

    async def _turn_over(self, item: object) -> None:
        """Count what was read or sent towards this task's turn. If the turn is over, let other tasks run."""
        if self._turns.is_over(item):
            await asyncio.sleep(0)

    async def _send_items(self, items: Iterator[Any], *, read: bytes = b"") -> None:
        """Send the items in as few messages as possible; run the work among them. `read` are the bytes that they come from, if
        any.
        """
        assert self._body is not None
        self._output = items
        out: list[bytes] = []
        item = None
        for item in items:
            if isinstance(item, Aside):
                await self._pass(out)
                out = []
                await self._do(item)
            elif isinstance(item, Pending):
                await self._pass(out)
                out = []
                if self._middleware.guard.settings.order == "strict" or item.follow is not None:
                    await self._correct(item)
                else:
                    task = asyncio.create_task(self._correct(item))
                    self._later.add(task)
                    task.add_done_callback(self._later.discard)
            else:
                if isinstance(item, ToolBlock) and len(item.raw) > _AT_ONCE:
                    self._output = chain((item,), items)
                    await self._pass(out)
                    out = []
                    await asyncio.sleep(0)  # to write the JSON of a long block takes a turn of its own
                    self._output = items
                out.append(self._bytes_of(item))
            if self._inbox.gone:
                break
            if self._turns.is_over(item):
                await self._pass(out)
                out = []
                await asyncio.sleep(0)
        if item is None and read:
            await self._turn_over(read)
        await self._pass(out)

    async def _pass(self, pieces: list[bytes]) -> None:
        """Send bytes of the app's. No event of the guard is sent until the event that they end in is complete."""
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
        """Send bytes of the guard, between two events of the app."""
        async with self._turn:
            await self._put(body)

    async def _put(self, body: bytes) -> None:
        if body and not self._inbox.gone:
            self._whole = False
            await self._send({"type": "http.response.body", "body": body, "more_body": True})
            self._whole = True
            self._sent = self._time()

    async def _do(self, work: Aside[Any]) -> None:
        """Run long work in a thread. If the client leaves meanwhile, the result is not waited for."""
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
        """Have a block corrected, unless the client leaves meanwhile."""
        assert self._body is not None
        work = Work(self._middleware.guard.corrections)
        self._work.add(work)
        self._pending.append(pending)
        watching = asyncio.create_task(self._inbox.watch())
        try:
            async for event in work.corrected(pending, watching):
                await self._write(self._bytes_of(event))
            self._pending.remove(pending)
        finally:
            watching.cancel()
            await work.stop()
            self._work.discard(work)

    def _keep_alive(self, seconds: float) -> None:
        """Start a task that sends an empty event if it is due, and look again later. A timer: most streams need no task."""
        silent = self._time() - self._sent
        if self._is_due(seconds) and (self._living is None or self._living.done()):
            self._living = self._loop.create_task(self._live(seconds))
        self._silence = self._loop.call_later(seconds - silent if silent < seconds else seconds, self._keep_alive, seconds)

    async def _live(self, seconds: float) -> None:
        """Send an event without content if that is due."""
        assert self._body is not None
        if self._is_due(seconds) and not self._inside:
            async with self._turn:
                if self._is_due(seconds):
                    await self._put(self._body.nothing())

    def _is_due(self, seconds: float) -> bool:
        """Return whether nothing was sent for this long while anything is held, or while an event comes that is incomplete."""
        now = self._time()
        if now - self._sent < seconds:
            return False
        return self._holding or (self._begun is not None and now - self._begun >= seconds)

    @property
    def _holding(self) -> bool:
        """Whether anything is held, or a block is being fixed or corrected."""
        return bool(self._work) or self._doing or (self._body is not None and not self._body.all_left)

    async def close(self) -> None:
        """Stop everything that runs for this request."""
        if self._silence is not None:
            self._silence.cancel()
        tasks: list[asyncio.Task[None]] = [*self._later, *([self._living] if self._living is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for work in list(self._work):
            await work.stop()
        self._request.stop()
        self._inbox.close()


class _Request:
    """The body of a request, as far as an app has read it. The request's tools are read from it."""

    def __init__(self, scope: MutableMapping[str, Any], middleware: StreamGuardMiddleware) -> None:
        reads = scope.get("method") == "POST" and middleware.settings.request_tools != "off"
        self.body: Final = SentRequest(scope.get("headers", ()), middleware.guard.limits.max_event) if reads else None
        """The body as far as it was kept; None if the body is not read."""
        self._unread: Final[deque[bytes]] = deque()  # what was received while something long is read
        self._reading: asyncio.Task[None] | None = None

    def take(self, message: Message) -> None:
        """Take what the app has received. Long work on it is done in a thread; `read` waits for that."""
        if self.body is None or message["type"] != "http.request":
            return
        chunk = bytes(message.get("body", b""))
        if self._reading is None and not self.body.takes_long(chunk):
            self.body.take(chunk)
            return
        self._unread.append(chunk)
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(self.body))

    async def _read(self, body: SentRequest) -> None:
        while self._unread:
            await asyncio.to_thread(body.take, self._unread.popleft())
        self._reading = None

    async def read(self) -> None:
        """Wait until everything that was taken is read. A caller that waits may be cancelled; nothing is lost."""
        reading = self._reading
        if reading is not None:
            await asyncio.wait([reading])
            reading.result()

    def stop(self) -> None:
        """Read no more."""
        if self._reading is not None:
            self._reading.cancel()


_MOST_KEPT: Final = 64
"""Limit: messages of a client that are received before the app asks for them."""


class ClientLeftError(OSError):
    """Raised if an app sends on after the guard has ended its response, as servers raise if the client has left."""

    def __init__(self) -> None:
        super().__init__("the guard has ended the response: a tool call in it could no longer become valid")


class _Inbox:
    """The messages of a client: for the app, and read ahead while the app is not listening."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._kept: deque[Message] = deque()
        self._fetched = asyncio.Event()  # the app has fetched one
        self._reading: asyncio.Task[Message] | None = None
        self.gone = False

    def leave(self) -> None:
        """Note that the client has left."""
        self.gone = True

    def dismiss(self) -> None:
        """Tell the app that the client has left: what it sends is not read any more."""
        self.gone = True
        self._kept.append({"type": "http.disconnect"})
        if self._reading is not None:
            self._reading.cancel()

    async def get(self) -> Message:
        """Return the next message."""
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
        """Read one message for all who wait for it. Cancelling one of them does not lose it."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._receive())
        task = self._reading
        await asyncio.wait([task])
        if self._reading is task and task.cancelled():  # the app was dismissed
            self._reading = None
        elif self._reading is task:
            self._reading = None
            message = task.result()
            self._kept.append(message)
            if message["type"] == "http.disconnect":
                self.gone = True

    def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()
