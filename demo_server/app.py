"""The demo as an ASGI app: its routes, and who may use them.

    GET  /                                     the page
    GET  /api/state?chat=                      the chat as it is, or the last one; the files, what there is to pick
    GET  /api/chats?find=                      the chats with these words in names or requests; those that can be restored
    POST /api/chats/{chat}                     {name}, {deleted: true} or {deleted: false}: name, delete or restore it
    POST /api/turns                            {request} or {scenario}, {chat}: begin an answer
    GET  /api/turns/{turn}/events              the answer: server-sent events that can be resumed (Last-Event-ID)
    GET  /api/turns/{turn}/times               when the server stored each event of it
    GET  /api/turns/{turn}/raw                 what the model says meanwhile; it is not stored
    POST /api/turns/{turn}/stop                stop it, and its upstream
    POST /api/turns/{turn}/run                 {block, part}: run a block of it, once
    POST /api/turns/{turn}/undo                {block, part}: put the file back
    POST /api/model                            {base, model, key}: a model of the session's own; {}: forget it
    GET  /api/files, /api/files/{path}         the files of the workspace, and one of them
    GET  /playground                           the page of the playground
    GET  /api/playground                       the replies to try, and the dialects
    POST /api/playground                       {text, tools, size, ...}: guard a text; nothing of it is kept
    POST /api/reset                            {files}: begin a new chat, and with new files if asked
    GET  /healthz, /metrics

A signed cookie of this server identifies the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from stream_guard_adapters.resume import Entry, StoreAway

from .chats import Chats, NotThere, TooMany, told
from .manners import Manners, Rate, TooLong, body, error
from .metrics import Metrics
from .models import ModelAway
from .playground import BODY, FORMS, SAMPLES, Trial
from .scenarios import BY_NAME, SCENARIOS
from .sessions import Sessions
from .settings import Settings
from .workspace import Refused, Workspace

log: Final = logging.getLogger("demo_server")

PAGE: Final = Path(__file__).parent / "page"
CLIENT: Final = Path(__file__).parents[1] / "adapters" / "js" / "src"
_COOKIE: Final = "stream_guard_session"
_ID: Final = re.compile(r"[\x21-\x7e]{1,300}")
_PARTS: Final = 10_000
_NAME: Final = 120
"""Limit: characters of the name of a chat."""

Events = AsyncGenerator[ServerSentEvent, None]


class _Stream(EventSourceResponse):
    """A response of events that calls a function when they have ended or the client has disconnected."""

    def __init__(self, events: Events, reading: contextlib.ExitStack) -> None:
        super().__init__(events, ping=15, send_timeout=60)
        self._events = events
        self._reading = reading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._reading:
            async with contextlib.aclosing(self._events):
                await super().__call__(scope, receive, send)


class Demo:
    """The routes and their common state."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._rate = Rate(settings.rate, settings.burst)
        self._newcomers = Rate(settings.rate, settings.newcomers)
        self._readers: Counter[str] = Counter()
        self._trials: Counter[str] = Counter()
        self._connecting: set[str] = set()
        self._sessions: Sessions
        self.metrics: Final = Metrics()
        self.chats: Chats
        self.leaving = False
        self._draining: asyncio.Future[None] | None = None

    @contextlib.asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None, None]:
        """Open the files and stores at startup, and end the streams at shutdown."""
        self.chats = Chats(self._settings, self.metrics)
        self._sessions = Sessions(self._settings.folder)
        self.metrics.running.set_function(lambda: len(self.chats.streams.running))
        # Its own way to end would cut streams short that may still end by themselves.
        cast("Any", AppStatus).disable_automatic_graceful_drain()
        with _signals(self._leave):
            yield
        self.leaving = True
        await self.chats.aclose()

    def _leave(self, then: Callable[[], None]) -> None:
        """Let streams end, and refuse new ones; call `then` when they have ended."""
        if not self.leaving:
            self.leaving = True
            log.info("ending", extra={"told": {"streams": len(self.chats.streams.running)}})
            self._draining = asyncio.ensure_future(self.chats.streams.aclose(self._settings.drain))
            self._draining.add_done_callback(lambda _: then())

    # -- what anybody may ask ------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """Return the page, and a session for a browser without one, up to a limit per address."""
        return self._shell(request, "index.html")

    async def playground(self, request: Request) -> Response:
        """Return the page of the playground; as `page` does."""
        return self._shell(request, "playground.html")

    def _shell(self, request: Request, name: str) -> Response:
        session = self._session(request)
        address = request.client.host if request.client else ""
        wait = self._newcomers.wait(address) if session is None else self._rate.wait(f"GET {session}")
        if wait:
            return _too_fast(wait)
        response = FileResponse(PAGE / name, headers={"cache-control": "no-cache"})
        if session is None:
            response.set_cookie(_COOKIE, self._sessions.begin(), max_age=30 * 86_400, httponly=True, samesite="strict")
        return response

    async def health(self, _: Request) -> Response:
        """Return whether the server works and is not shutting down."""
        state = "ending" if self.leaving else "ok"
        return JSONResponse({"status": state, "streams": len(self.chats.streams.running)}, 503 if self.leaving else 200)

    async def counts(self, _: Request) -> Response:
        """Return the metrics."""
        return Response(self.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    # -- what a session may ask ----------------------------------------------------------------------------------------

    async def state(self, request: Request, session: str) -> Response:
        """Return the chat, the files, and what there is to pick."""
        shown = await self.chats.shown(session, request.query_params.get("chat"))
        picks = [{"name": one.name, "title": one.title, "request": one.request} for one in SCENARIOS]
        files = await self.chats.within(session, Workspace.files)
        own = self.chats.endpoints.told(session)
        about = {"files": files, "scenarios": picks, "model": self.chats.model.name, "own": own, "now": time.time()}
        return JSONResponse({**shown, **about})

    async def ask(self, request: Request, session: str) -> Response:
        """Begin a turn and return its id."""
        asked = await self._json(request)
        scenario, text = asked.get("scenario"), asked.get("request", "")
        if scenario is not None:
            if not isinstance(scenario, str) or scenario not in BY_NAME:
                return error(422, "unknown_scenario", "There is no such scenario", known=list(BY_NAME))
            text = text or BY_NAME[scenario].request
        if not isinstance(text, str) or not text.strip() or len(text) > self._settings.request:
            return error(422, "bad_request", f'"request" is a text of 1 to {self._settings.request} characters')
        try:
            chat = asked.get("chat")
            turn = await self.chats.ask(session, _clean(text), scenario, chat if isinstance(chat, str) else None)
        except TooMany as why:
            return error(429, "too_many_streams", str(why))
        except ModelAway as why:
            return error(502, "model_away", str(why))
        return JSONResponse({"turn": turn.id, "chat": turn.chat, "request": turn.request, "scenario": scenario}, 201)

    async def listed(self, request: Request, session: str) -> Response:
        """Return the chats, newest first."""
        find = request.query_params.get("find", "")
        return JSONResponse({"chats": await self.chats.listed(session, find), "deleted": await self.chats.deleted(session)})

    async def chat(self, request: Request, session: str) -> Response:
        """Name a chat, delete it or restore it."""
        asked, chat = await self._json(request), request.path_params["chat"]
        name, deleted = asked.get("name"), asked.get("deleted")
        if isinstance(name, str) and len(name) <= _NAME:
            done = await self.chats.history.rename(session, chat, _clean(name.strip()))
        elif deleted is True:
            await self.chats.delete(session, chat)
            done = True
        elif deleted is False:
            done = await self.chats.history.restore(session, chat)
        else:
            return error(422, "bad_chat", f'Send "name", a text of at most {_NAME} characters, or "deleted", true or false')
        if not done:
            raise NotThere("There is no such chat")
        return JSONResponse({})

    async def events(self, request: Request, session: str) -> Response:
        """Return the events of a turn, from its beginning or from behind `Last-Event-ID`."""
        turn, after = request.path_params["turn"], request.headers.get("last-event-id", "")

        async def opened() -> Events | None:
            entries = await self.chats.events(session, turn, after)
            return _told(entries) if entries is not None else None

        try:
            return await self._streamed(session, opened)
        except ValueError as why:
            return error(400, "bad_event_id", str(why))

    async def times(self, request: Request, session: str) -> Response:
        """Return when the server stored each event of a turn, in seconds, by its id."""
        return JSONResponse({"times": await self.chats.times(session, request.path_params["turn"])})

    async def raw(self, request: Request, session: str) -> Response:
        """Return the model's text while it is written; an empty response where this worker does not have it."""

        async def opened() -> Events | None:
            texts = await self.chats.raw(session, request.path_params["turn"])
            return _said(texts) if texts is not None else None

        return await self._streamed(session, opened)

    async def stop(self, request: Request, session: str) -> Response:
        """Stop a turn."""
        await self.chats.stop(session, request.path_params["turn"])
        return JSONResponse({}, 202)

    async def run(self, request: Request, session: str) -> Response:
        """Run a block, once, and return the result."""
        block, part = self._which(await self._json(request))
        return JSONResponse(told(await self.chats.run(session, request.path_params["turn"], block, part)))

    async def undo(self, request: Request, session: str) -> Response:
        """Undo the change of a block and return the result."""
        block, part = self._which(await self._json(request))
        return JSONResponse(told(await self.chats.undo(session, request.path_params["turn"], block, part)))

    @staticmethod
    def _which(asked: Mapping[str, Any]) -> tuple[str, int]:
        block, part = asked.get("block"), asked.get("part", 1)
        if not isinstance(block, str) or not _ID.fullmatch(block) or type(part) is not int or not 1 <= part <= _PARTS:
            raise HTTPException(422, f'"block" is the id of a block, and "part" a number from 1 to {_PARTS}')
        return block, part

    async def files(self, _: Request, session: str) -> Response:
        """Return the paths of the files and their sizes."""
        return JSONResponse({"files": await self.chats.within(session, Workspace.files)})

    async def file(self, request: Request, session: str) -> Response:
        """Return the text of a file. Raises NotThere."""
        path = request.path_params["path"]
        text = await self.chats.within(session, lambda files: files.read(path))
        if text is None:
            raise NotThere("There is no such file")
        return JSONResponse({"path": path, "text": text})

    async def reset(self, request: Request, session: str) -> Response:
        """Begin a new chat, with new files if asked, and return the state."""
        asked = await self._json(request)
        await self.chats.history.chat(session, new=True)
        if asked.get("files") is True:
            await self.chats.within(session, Workspace.reset)
        return await self.state(request, session)

    async def model(self, request: Request, session: str) -> Response:
        """Connect the session to a model of its own, or forget it, and return what the page shows of it."""
        asked = await self._json(request)
        if session in self._connecting:
            return error(429, "connecting", "This session is connecting to a model; wait a moment")
        self._connecting.add(session)
        try:
            await (self.chats.endpoints.connect(session, asked) if asked else self.chats.endpoints.forget(session))
        except ValueError as why:
            return error(422, "bad_model", str(why))
        except ModelAway as why:
            return error(502, "model_away", str(why))
        finally:
            self._connecting.discard(session)
        return JSONResponse({"own": self.chats.endpoints.told(session)})

    async def samples(self, _: Request, __: str) -> Response:
        """Return the samples of the playground, and the dialects that it can read."""
        return JSONResponse({"samples": SAMPLES, "dialects": FORMS})

    async def trial(self, request: Request, session: str) -> Response:
        """Return the items of a trial, each with the delta that caused it."""
        asked = await self._json(request, BODY)
        if self._trials[session] >= self._settings.own_streams:
            return error(429, "too_many_trials", "Too many trials at once; wait for one to end")
        self._trials[session] += 1
        try:
            return Response(await asyncio.to_thread(lambda: Trial.of(asked).result()), media_type="application/json")
        except ValueError as why:
            return error(422, "bad_trial", str(why))
        finally:
            self._trials[session] -= 1
            if not self._trials[session]:
                del self._trials[session]

    # -- how it is asked -----------------------------------------------------------------------------------------------

    async def _json(self, request: Request, most: int | None = None) -> dict[str, Any]:
        """Return the object in a request's body, of at most so many bytes; without a number, those of the settings."""
        read = await body(request.receive, most or self._settings.body)
        try:
            found = json.loads(read or b"{}")
        except (ValueError, RecursionError):
            raise HTTPException(400, "The body is not JSON") from None
        if not isinstance(found, dict):
            raise HTTPException(422, "The body is a JSON object")
        return found

    def _session(self, request: Request) -> str | None:
        return self._sessions.of(request.cookies.get(_COOKIE, ""))

    async def _streamed(self, session: str, opened: Callable[[], Awaitable[Events | None]]) -> Response:
        """Return a stream of events; an error if the session reads too many. It counts from before it is opened."""
        if self._readers[session] >= self._settings.own_readers:
            return error(429, "too_many_readers", "Too many streams are read at once; close a page")
        self._readers[session] += 1
        with contextlib.ExitStack() as reading:
            reading.callback(self._read, session)
            events = await opened()
            if events is None:
                return Response(status_code=204)  # an EventSource does not reconnect after it
            return _Stream(events, reading.pop_all())

    def _read(self, session: str) -> None:
        self._readers[session] -= 1
        if not self._readers[session]:
            del self._readers[session]

    def of_session(self, handler: Callable[[Request, str], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Return a route for requests with a session, within its rate, with exceptions as errors."""

        async def answer(request: Request) -> Response:
            session = self._session(request)
            if session is None:
                return error(401, "no_session", "Open the page first; it begins a session")
            # Apart, so that who reads a lot can still stop what runs.
            wait = self._rate.wait(f"{'POST' if request.method == 'POST' else 'GET'} {session}")
            if wait:
                return _too_fast(wait)
            try:
                return await handler(request, session)
            except NotThere as why:
                return error(404, "not_found", str(why))
            except Refused as why:
                return error(409, "refused", str(why))
            except StoreAway:
                response = error(503, "store_away", "Streams cannot be reached at the moment; try again")
                response.headers["retry-after"] = str(StoreAway.retry_after)
                return response
            except TooLong as why:
                return error(413, "too_long", str(why))

        return answer


def create_app(settings: Settings) -> Starlette:
    """Return the app."""
    demo = Demo(settings)
    mine = demo.of_session
    routes = [
        Route("/", demo.page),
        Route("/playground", demo.playground),
        Route("/healthz", demo.health),
        Route("/metrics", demo.counts),
        Route("/api/state", mine(demo.state)),
        Route("/api/chats", mine(demo.listed)),
        Route("/api/chats/{chat}", mine(demo.chat), methods=["POST"]),
        Route("/api/turns", mine(demo.ask), methods=["POST"]),
        Route("/api/turns/{turn}/events", mine(demo.events)),
        Route("/api/turns/{turn}/times", mine(demo.times)),
        Route("/api/turns/{turn}/raw", mine(demo.raw)),
        Route("/api/turns/{turn}/stop", mine(demo.stop), methods=["POST"]),
        Route("/api/turns/{turn}/run", mine(demo.run), methods=["POST"]),
        Route("/api/turns/{turn}/undo", mine(demo.undo), methods=["POST"]),
        Route("/api/model", mine(demo.model), methods=["POST"]),
        Route("/api/files", mine(demo.files)),
        Route("/api/files/{path:path}", mine(demo.file)),
        Route("/api/playground", mine(demo.samples), methods=["GET"]),
        Route("/api/playground", mine(demo.trial), methods=["POST"]),
        Route("/api/reset", mine(demo.reset), methods=["POST"]),
        Mount("/page", StaticFiles(directory=PAGE)),
        Mount("/client", StaticFiles(directory=CLIENT)),
    ]
    manners = Middleware(Manners, settings=settings, metrics=demo.metrics, leaving=lambda: demo.leaving)
    handlers: Any = {HTTPException: _http_error, Exception: _fault}
    app = Starlette(routes=routes, middleware=[manners], exception_handlers=handlers, lifespan=demo.lifespan)
    app.state.demo = demo
    return app


async def _http_error(_: Request, why: Exception) -> Response:
    assert isinstance(why, HTTPException)
    return error(why.status_code, "http_error", str(why.detail))


async def _fault(_: Request, why: Exception) -> Response:
    log.error("fault", extra={"told": {"kind": type(why).__name__}})
    return error(500, "fault", "The server failed on this request")


def _clean(text: str) -> str:
    """Return a text that can be stored: JSON may hold halves of characters."""
    return text.encode(errors="replace").decode()


def _too_fast(wait: float) -> Response:
    response = error(429, "too_fast", "Too many requests; wait a moment")
    response.headers["retry-after"] = str(math.ceil(wait))
    return response


async def _told(entries: AsyncGenerator[Entry, None]) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield entries as events. If the store goes away they break off, and a client that comes back gets a status."""
    yield ServerSentEvent(retry=500)  # a lost reader comes back after half a second
    with contextlib.suppress(StoreAway):
        async with contextlib.aclosing(entries):
            async for entry in entries:
                yield ServerSentEvent(**entry.sse())


async def _said(texts: AsyncGenerator[str, None]) -> AsyncGenerator[ServerSentEvent, None]:
    at = 0
    async with contextlib.aclosing(texts):
        async for text in texts:
            yield ServerSentEvent(json.dumps({"at": at, "text": text}), event="raw")
            at += len(text)
    yield ServerSentEvent("{}", event="done")


@contextlib.contextmanager
def _signals(leave: Callable[[Callable[[], None]], None]) -> Generator[None, None, None]:
    """Call `leave` on SIGTERM and SIGINT, with the function that passes the signal on to the server.

    It is called when the streams have ended; then the server stops listening. A second SIGINT is passed on at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    received: set[int] = set()

    def receive(number: int, frame: Any) -> None:
        def end() -> None:
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        if number == signal.SIGINT and number in received:
            end()  # the first one, which the server has not got yet; after two it does not wait
            end()
        else:
            loop.call_soon_threadsafe(leave, end)
        received.add(number)

    for number in before:
        signal.signal(number, receive)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
