"""A provider's stream with its texts guarded: the provider's own events, and ToolStatus and ToolBlock among them."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, Final

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.spi import GuardedStream, Source

from ..protocols import PROTOCOLS, Protocol, recognised
from .lanes import Lanes
from .settings import DEFAULTS, Settings

_HELPERS: Final = ("text_stream", "get_final_completion", "get_final_response")
"""Attributes of the streams of clients' helpers, which put a reply together while they read it."""


class GuardedEvents(GuardedStream[Any]):
    """A guarded stream of a provider's events. It is closed as the provider's own is: `async with`, or `close`.

    Args:
        stream: What the client returned.
        guard: How to guard it.
        protocol: Its protocol.
        settings: How to treat its calls, and what to call its blocks.

    Raises:
        TypeError: The stream is no async iterable, or a client's helper that has read the text already.
        ValueError: Calls are to be promoted, and the protocol has no native calls.
    """

    __slots__ = ("_protocol", "_stream")

    def __init__(
        self,
        stream: AsyncIterable[Any],
        guard: Guard,
        protocol: Protocol,
        settings: Settings = DEFAULTS,
    ) -> None:
        if not hasattr(stream, "__aiter__"):
            hint = "await it first, or enter it with `async with`" if hasattr(stream, "__aenter__") else "use an async client"
            raise TypeError(f"expected an async iterable of events, got {type(stream).__name__}: {hint}")
        if any(hasattr(stream, name) for name in _HELPERS):
            kind = type(stream).__name__
            raise TypeError(
                f"{kind} has read the text already and repeats it; guard the stream that create(stream=True) returns"
            )
        settings.check_promotes(protocol)
        super().__init__(guard.judge.settings, guard.corrections, stream, Lanes(guard, protocol, settings))
        self._stream: Final = stream
        self._protocol: Final = protocol

    def text_of(self, item: Any) -> str:
        """Return the text in an event of this stream; empty for an event of ours, or one that has none."""
        if isinstance(item, ToolStatus | ToolBlock) or not self._protocol.reads(item):
            return ""
        return "".join(text for lane, text in self._protocol.texts(item) if not self._protocol.repeats(lane))

    async def close(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        await self.aclose()

    @property
    def response(self) -> Any:
        """The response that the client's stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]


class Peeked:
    """A stream whose first events have been read, to find out its protocol."""

    __slots__ = ("_source", "_stream", "_taken")

    def __init__(self, stream: AsyncIterable[Any]) -> None:
        self._stream = stream
        self._source = Source(stream)
        self._taken: list[Any] = []

    async def protocol(self, or_else: Protocol | None = None) -> Protocol:
        """Return the protocol, read from the first events. If none does, return `or_else`, or close the stream and raise."""
        try:
            async for event in self._source.iterator:
                self._taken.append(event)
                found = recognised(event)
                if found is not None:
                    return found
        except BaseException:
            await self.aclose()
            raise
        if or_else is not None:
            return or_else
        await self.aclose()
        raise ValueError(f"the protocol of the stream is none of {', '.join(PROTOCOLS)}")

    async def __aiter__(self) -> AsyncIterator[Any]:
        for event in self._taken:
            yield event
        async for event in self._source.iterator:
            yield event

    @property
    def response(self) -> Any:
        """The response that the stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]

    async def aclose(self) -> None:
        """Close the stream. Closing again does nothing."""
        await self._source.aclose()
