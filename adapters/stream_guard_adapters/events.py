"""A provider's stream with its texts guarded: the provider's own events, and ToolStatus and ToolBlock among them."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from functools import partial
from typing import Any, Final

from stream_guard import Guard
from stream_guard.spi import GuardedStream, Source, call_hook

from .calls import NATIVE, Native
from .lanes import Lanes
from .protocols import PROTOCOLS, Protocol, recognised
from .room import Note

_HELPERS: Final = ("text_stream", "get_final_completion", "get_final_response")
"""What the streams of clients' helpers have, which put a reply together while it comes."""


class GuardedEvents(GuardedStream[Any]):
    """A guarded stream of a provider's events. It is closed as the provider's own is: `async with`, or `close`.

    Args:
        stream: What the client returned.
        guard: How to guard it.
        protocol: Where its text is.
        stream_id: The beginning of the ids of its blocks; made up when None.
        native: What becomes of native tool calls.
        promote: Whether a call that was written as text is told as a native one too.
        on_uninspected: Told why an event was passed on without being looked into.
    """

    __slots__ = ("_stream",)

    def __init__(
        self,
        stream: AsyncIterable[Any],
        guard: Guard,
        protocol: Protocol,
        stream_id: str | None = None,
        native: Native = "guard",
        *,
        promote: bool = False,
        on_uninspected: Note | None = None,
    ) -> None:
        if not hasattr(stream, "__aiter__"):
            hint = "await it first, or enter it with `async with`" if hasattr(stream, "__aenter__") else "use an async client"
            raise TypeError(f"a stream of events is an async iterable, and {type(stream).__name__} is none: {hint}")
        if any(hasattr(stream, name) for name in _HELPERS):
            kind = type(stream).__name__
            raise TypeError(
                f"{kind} has read the text already, and tells it several times; guard what create(stream=True) gives"
            )
        if native not in NATIVE:
            raise ValueError(f"native must be 'guard', 'observe' or 'off', not {native!r}")
        if promote and not protocol.promotes:
            can = ", ".join(name for name, table in PROTOCOLS.items() if table.promotes)
            raise ValueError(f"promote is there for {can}; not for {protocol.name}")
        note = partial(call_hook, on_uninspected)
        super().__init__(
            guard.judge.settings,
            guard.corrections,
            stream,
            Lanes(guard, protocol, stream_id, native, promote=promote, uninspected=note),
        )
        self._stream: Final = stream

    async def close(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        await self.aclose()

    @property
    def response(self) -> Any:
        """The response that the client's stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]


def guard_events(
    stream: AsyncIterable[Any],
    guard: Guard,
    protocol: str,
    *,
    stream_id: str | None = None,
    native: Native = "guard",
    promote: bool = False,
    on_uninspected: Note | None = None,
) -> GuardedEvents:
    """Guard a stream whose protocol is known by name."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; not {protocol!r}")
    return GuardedEvents(stream, guard, PROTOCOLS[protocol], stream_id, native, promote=promote, on_uninspected=on_uninspected)


async def guard_any(
    stream: AsyncIterable[Any],
    guard: Guard,
    *,
    stream_id: str | None = None,
    native: Native = "guard",
    promote: bool = False,
    on_uninspected: Note | None = None,
) -> GuardedEvents:
    """Guard a stream of any protocol that is known here: it is recognised by its first event that only one protocol has."""
    source = Peeked(stream)
    return GuardedEvents(
        source, guard, await source.protocol(), stream_id, native, promote=promote, on_uninspected=on_uninspected
    )


class Peeked:
    """A stream of which the beginning was looked at."""

    __slots__ = ("_source", "_stream", "_taken")

    def __init__(self, stream: AsyncIterable[Any]) -> None:
        self._stream = stream
        self._source = Source(stream)
        self._taken: list[Any] = []

    async def protocol(self, or_else: Protocol | None = None) -> Protocol:
        """Read on until the protocol is known. A stream of none is closed, and refused unless another will do."""
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
        raise ValueError(f"no protocol known here has such events: {', '.join(PROTOCOLS)}")

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
