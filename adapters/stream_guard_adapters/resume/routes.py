"""The routes of resumable streams, for Starlette, FastAPI and whatever else mounts an ASGI app.

    POST   /              begin a stream: 201 {"stream": id}
    GET    /{stream}      its events, from the beginning or after Last-Event-ID (or ?after=); HEAD is the same without a body
    DELETE /{stream}      stop it: 202; also when it has ended

The status is decided before the first header is sent, so that an EventSource stops when there is no more: 204 after the end,
400 for what is no id, 401 without a session, 404 for an unknown stream or another session's, 410 for one that is no longer
kept, 503 while the store is away or this process shuts down. The body of an error is `{"detail": text}`.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import cache
from inspect import isawaitable
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from ..engine.uninspected import guarded_already
from .store import Entry, Forgotten, StoreAway, UnknownStream, may_own
from .streams import Open, ResumableStreams

if TYPE_CHECKING:
    from sse_starlette import EventSourceResponse, ServerSentEvent
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Router
    from starlette.types import Receive, Scope, Send

log: Final = logging.getLogger("stream_guard")

Made = TypeVar("Made")

Session = Callable[["Request"], str | Awaitable[str | None] | None]
"""Returns the owner of a request. None means that there is none, as does a text that is empty or has control characters."""

Begin = Callable[["Request"], Open | Awaitable[Open]]
"""Returns a function that opens the provider's stream for a request. It may raise an HTTPException."""

Revive = Callable[[str], Open | None]
"""Returns a function that opens the same stream again from its beginning, by its id; None if that is not possible."""


def resume_routes(
    streams: ResumableStreams,
    *,
    session: Session,
    begin: Begin | None = None,
    revive: Revive = lambda _: None,
    ping: int = 15,
    send_timeout: float = 60,
) -> Router:
    """Return an app with the routes, to be mounted.

    Args:
        streams: The streams.
        session: Returns the owner of a request. None is answered with 401.
        begin: Returns a function that opens the provider's stream for a request. Without it there is no route to begin one.
        revive: Returns a function that opens the same stream again, by its id, to continue it when its worker died; or None.
        ping: Seconds of silence after which a comment is sent.
        send_timeout: Seconds after which no more is read for a client that takes no data, and the server is told to close its
            connection. uvicorn waits for the client with that, also when it shuts down: give it `timeout_graceful_shutdown`.
    """
    from starlette.routing import Route, Router  # deferred: an extra

    routes = _Routes(streams, session, begin, revive, ping, send_timeout)
    known = [
        Route("/{stream}", routes.events, methods=["GET"]),
        Route("/{stream}", routes.stop, methods=["DELETE"]),
    ]
    if begin is not None:
        known.append(Route("/", routes.start, methods=["POST"]))
    return Router(known)


async def resume_response(
    streams: ResumableStreams,
    stream: str,
    owner: str,
    request: Request,
    *,
    revive: Open | None = None,
    ping: int = 15,
    send_timeout: float = 60,
) -> Response:
    """Return the answer to a request that reads a stream, as those of `resume_routes`: for a route of your own.

    Its events after the request's `Last-Event-ID` or `?after=`; or 204, 400, 404, 410 or 503. A reader that leaves, takes no
    data, or stays while the store goes away raises nothing in your route.

    Args:
        streams: The streams.
        stream: The stream's id.
        owner: The session that reads.
        request: The request.
        revive: Opens the same stream again, to continue it when its worker died.
        ping: Seconds of silence after which a comment is sent.
        send_timeout: Seconds after which no more is read for a client that takes no data.
    """
    from sse_starlette import EventSourceResponse
    from starlette.responses import Response

    after = request.headers.get("last-event-id") or request.query_params.get("after", "")
    guarded_already(request.scope)
    try:
        entries = await streams.open(stream, owner, after, revive)
    except UnknownStream:
        return _unknown()
    except Forgotten:
        return _error(410, "The stream is no longer kept, or its events after this id are not")
    except ValueError as error:
        return _error(400, str(error))
    except StoreAway:
        return _away()
    if entries is None:
        return Response(status_code=204)  # an EventSource does not reconnect after it
    if request.method == "HEAD":
        await entries.aclose()
        return EventSourceResponse(_nothing())
    return _sent()(_events(entries), ping=ping, send_timeout=send_timeout)


class _Routes:
    def __init__(
        self,
        streams: ResumableStreams,
        session: Session,
        begin: Begin | None,
        revive: Revive,
        ping: int,
        send_timeout: float,
    ) -> None:
        self._streams = streams
        self._session = session
        self._begin = begin
        self._revive = revive
        self._ping = ping
        self._send_timeout = send_timeout

    async def _owner(self, request: Request) -> str | None:
        """Return the owner of a request; None without one."""
        owner = await _made(self._session(request))
        return owner if owner and may_own(owner) else None

    async def start(self, request: Request) -> Response:
        """Begin a stream."""
        from starlette.responses import JSONResponse

        owner = await self._owner(request)
        if owner is None:
            return _nobody()
        assert self._begin is not None
        opens = await _made(self._begin(request))
        stream = token_hex(16)
        guarded_already(request.scope)
        try:
            if not await self._streams.start(stream, owner, opens):
                return _error(409, "The id drawn for this stream is in use already: send the request again")
        except StoreAway:
            return _away()
        return JSONResponse({"stream": stream}, 201)

    async def events(self, request: Request) -> Response:
        """Send the events of a stream."""
        owner = await self._owner(request)
        if owner is None:
            return _nobody()
        stream = request.path_params["stream"]
        revive = self._revive(stream)  # what it raises is no answer about the stream
        return await resume_response(
            self._streams, stream, owner, request, revive=revive, ping=self._ping, send_timeout=self._send_timeout
        )

    async def stop(self, request: Request) -> Response:
        """Stop a stream."""
        from starlette.responses import Response

        owner = await self._owner(request)
        if owner is None:
            return _nobody()
        try:
            await self._streams.stop(request.path_params["stream"], owner)
        except UnknownStream:
            return _unknown()
        except StoreAway:
            return _away()
        return Response(status_code=202)


async def _made(value: Made | Awaitable[Made]) -> Made:
    made: Any = await value if isawaitable(value) else value
    return cast("Made", made)


@cache
def _sent() -> type[EventSourceResponse]:
    """Return the class of a response that ends without an error if its client takes no data. Then the server closes it."""
    from sse_starlette import EventSourceResponse
    from sse_starlette.sse import SendTimeoutError

    class Sent(EventSourceResponse):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await super().__call__(scope, receive, send)
            except* SendTimeoutError:
                log.warning("a reader was given up: it takes no data")

    return Sent


async def _events(entries: AsyncGenerator[Entry, None]) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield entries as events. If the store goes away, the events break off; a client that reconnects gets a status."""
    from sse_starlette import ServerSentEvent

    try:
        async for entry in entries:
            yield ServerSentEvent(**entry.sse())
    except StoreAway:
        log.warning("a reader was disconnected: the store is away")
    finally:
        await entries.aclose()


async def _nothing() -> AsyncGenerator[ServerSentEvent, None]:
    """Yield no events, for a HEAD."""
    events: tuple[ServerSentEvent, ...] = ()
    for event in events:
        yield event


def _error(status: int, detail: str) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"detail": detail}, status)


def _nobody() -> Response:
    return _error(401, "This needs a session")


def _unknown() -> Response:
    return _error(404, "There is no such stream")


def _away() -> Response:
    response = _error(503, "Streams cannot be reached at the moment; try again")
    response.headers["retry-after"] = str(StoreAway.retry_after)
    return response
