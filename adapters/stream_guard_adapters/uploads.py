"""Answers that come before a request is over: they reach their client.

A server that closes a connection with unread bytes resets it, and a client that is still sending loses the answer.

    client -> Upload.drop (reads the rest of a request that was answered) -> the connection is closed
    provider -> Wire (reads while it writes) -> an answer that is an error ends the upload

Rule: both are bounded, by bytes and by time.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import ssl

    import httpcore2

MOST_DROPPED: Final = 64 * 1024 * 1024
"""Limit: bytes of a request that are read and dropped after its answer, so that the client gets to read the answer."""

LINGERS: Final = 30.0
"""Limit: seconds for which they are read."""

SILENCE: Final = 5.0
"""Limit: seconds to wait for more of such a request."""

_MOST_EARLY: Final = 65_536
"""Limit: bytes of an answer that are read before its request is over."""

_WRITES: Final = 2
"""The writes of a request that comes in one go: its head and its body. Only after these is an answer listened for."""

_LONG: Final = 32_768
"""A piece of a request of this many bytes is usually followed by others: servers hand out long ones in such pieces."""

_REFUSAL: Final = re.compile(rb"(?:HTTP/1\.[01] 1[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)*HTTP/1\.[01] [45]")
"""Matches the beginning of an answer that is an error, after answers that only say that the request may go on."""

_LOOK: Final = 1.0
"""The seconds after which a server is first asked again whether the client has left. Each further wait is twice as long, since
at each question some more of what the client sends is read and kept."""

Message = MutableMapping[str, Any]


class Upload:
    """What a client sends of one request: as ASGI's `receive`, which knows whether all of it has come.

    Args:
        receive: The server's.
        closes: Whether the end of the answer ends the connection, or may, as in HTTP/1.
        looks: Whether `receive` is asked again and again after the request is over. The server reads no more of a connection on
            which a further request waits for its turn, until it is asked, and so does not see that the client has left.
    """

    def __init__(self, receive: Callable[[], Awaitable[Message]], *, closes: bool = True, looks: bool = False) -> None:
        self._receive: Final = receive
        self._looks: Final = looks and closes
        self.over = not closes
        """Whether nothing needs to be read any more."""

    async def __call__(self) -> Message:
        """Return the next message."""
        wait = _LOOK if self._looks and self.over else None
        while wait is not None:
            waiting = asyncio.timeout(wait)
            try:
                async with waiting:
                    return await self._receive()
            except TimeoutError:
                if not waiting.expired():
                    raise
            wait *= 2
        message = await self._receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            self.over = True
        return message

    async def drop(self) -> None:
        """Read what is left of a request that was answered, and drop it. Called before the last message of the answer."""
        left = MOST_DROPPED
        with contextlib.suppress(Exception):  # the client is silent, or the server cannot tell
            async with asyncio.timeout(LINGERS):
                while not self.over and left > 0:
                    async with asyncio.timeout(SILENCE):
                        left -= len((await self()).get("body", b""))


def backend() -> httpcore2.AsyncNetworkBackend:
    """Return a backend for connections to a provider: they are read while a long request is written."""
    import httpcore2  # deferred: needed only for serving

    class Wire(httpcore2.AsyncNetworkStream):
        """A connection to a provider."""

        def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
            self._stream: Final = stream
            self._writes = 0
            self._early: deque[bytes] = deque()  # what was read while the request was written
            self._listening: asyncio.Task[None] | None = None
            self._refused = False
            self._writing: asyncio.Timeout | None = None

        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
            await self._stop()
            if not self._early:
                return await self._stream.read(max_bytes, timeout)
            piece = self._early.popleft()
            if len(piece) > max_bytes:
                self._early.appendleft(piece[max_bytes:])
            return piece[:max_bytes]

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
            self._writes += 1
            if self._writes <= _WRITES and len(buffer) < _LONG:
                await self._stream.write(buffer, timeout)
                return
            if self._listening is None:
                self._listening = asyncio.create_task(self._listen())
            turns = 3  # until what has come is read: after a failed write it is lost
            while turns and not self._refused and self._stream.get_extra_info("is_readable"):
                await asyncio.sleep(0)
                turns -= 1
            if not self._refused:
                try:
                    async with asyncio.timeout(None) as self._writing:
                        await self._stream.write(buffer, timeout)
                except TimeoutError:
                    if not self._refused:
                        raise
                finally:
                    self._writing = None
            if self._refused:
                raise httpcore2.WriteError("answered")  # then the answer is read

        async def _listen(self) -> None:
            """Read what comes while the request is written, up to a limit. Note an error, which ends the upload."""
            said = b""
            while len(said) < _MOST_EARLY:
                piece = await self._stream.read(_MOST_EARLY)
                if not piece:
                    return
                self._early.append(piece)
                said += piece
                if not self._refused and _REFUSAL.match(said):
                    self._refused = True
                    if self._writing is not None:
                        self._writing.reschedule(0.0)

        async def _stop(self) -> None:
            listening, self._listening = self._listening, None
            if listening is not None:
                listening.cancel()
                await asyncio.wait([listening])
                if not listening.cancelled():
                    listening.exception()  # the next read meets it again

        async def aclose(self) -> None:
            await self._stop()
            await self._stream.aclose()

        async def start_tls(
            self,
            ssl_context: ssl.SSLContext,
            server_hostname: str | None = None,
            timeout: float | None = None,  # noqa: ASYNC109
        ) -> httpcore2.AsyncNetworkStream:
            await self._stop()
            return Wire(await self._stream.start_tls(ssl_context, server_hostname, timeout))

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    class Backend(httpcore2.AsyncNetworkBackend):
        """Connects by TCP, on asyncio."""

        def __init__(self) -> None:
            self._inner: Final[Any] = httpcore2.AnyIOBackend()

        async def connect_tcp(self, *given: Any, **named: Any) -> httpcore2.AsyncNetworkStream:
            return Wire(await self._inner.connect_tcp(*given, **named))

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(seconds)

    return Backend()
