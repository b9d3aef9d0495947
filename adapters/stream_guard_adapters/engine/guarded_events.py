"""A provider's stream with its texts guarded: the provider's own events, and ToolStatus and ToolBlock among them."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection, Generator, Iterable, Iterator, Mapping
from typing import Any, Final, Generic, Self, TypeVar, overload

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.spi import Aside, GuardedStream, Source, Thought

from ..protocols import PROTOCOLS, Protocol, recognised
from .lanes import Lanes
from .settings import DEFAULTS, Settings
from .thoughts import Thoughts

E = TypeVar("E")

_HELPERS: Final = ("text_stream", "get_final_completion", "get_final_response")
"""Attributes of the streams of clients' helpers, which assemble a reply while they read it."""


class GuardedEvents(GuardedStream[E | ToolStatus | ToolBlock], Generic[E]):
    """A guarded stream of a provider's events. It is closed as the provider's own is: `async with`, or `close`.

    Args:
        stream: What the client returned.
        guard: How to guard it.
        protocol: Its protocol.
        settings: How to treat its calls, and what to call its blocks.
        others: The protocols that it may have instead, if `protocol` is a guess from events that carry nothing.

    Raises:
        TypeError: The stream is no async iterable, or a client's helper that has read the text already.
        ValueError: Calls are to be promoted, and the protocol has no native calls.
    """

    __slots__ = ("_lanes", "_stream", "_thoughts", "_told")

    def __init__(
        self,
        stream: AsyncIterable[E],
        guard: Guard,
        protocol: Protocol,
        settings: Settings = DEFAULTS,
        others: Collection[Protocol] = (),
    ) -> None:
        _check(stream, "__aiter__", protocol, settings)
        self._lanes: Final = Lanes(guard, protocol, settings, others)
        super().__init__(guard.judge.settings, guard.corrections, stream, self._lanes)
        self._stream: Final = stream
        self._thoughts: Final = Thoughts()
        self._told = 0  # calls that passed, and that `written` had

    @property
    def protocol(self) -> Protocol:
        """The protocol of the stream."""
        return self._lanes.protocol

    def native_id(self, status: ToolStatus) -> str | None:
        """Return the id that a block gets if it is sent on as a native call of the tool that it names; None if unknown."""
        return self._lanes.native_id(status)

    def follow(self) -> None:
        """Keep what the methods below return."""
        self._lanes.follow()

    def written(self, item: Any) -> Iterable[str | Thought | None]:
        """Yield what the model wrote in an event of this stream: text, whole reasoning, and None for a call that passes."""
        for _ in range(self._told, self._lanes.passed_calls):
            self._told += 1
            yield None
        table = self.protocol
        if isinstance(item, ToolStatus | ToolBlock) or self._lanes.is_block(item):
            return
        if table.reads(item):
            yield from self._thoughts.feed(item, table)
        for _, text in table.said(item):
            yield text

    def unknown_calls(self) -> list[ToolBlock]:
        """Return a failed block for each native call so far of a tool that the guard does not know."""
        return self._lanes.unknown_calls()

    def begun_calls(self) -> Mapping[str, int]:
        """Return the number of each native call, in the order in which they began, by the ids of their blocks."""
        return self._lanes.begun_calls

    async def close(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        await self.aclose()

    @property
    def response(self) -> Any:
        """The response that the client's stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]


class GuardedIterator(Generic[E]):
    """A guarded stream of a provider's events, of a client that is not async: a plain iterator. Close it, or use `with`.

    No model is asked for corrections: a corrector is async. Arguments and errors are those of `GuardedEvents`.
    """

    __slots__ = ("_generator", "_iterator", "_lanes", "_stream")

    def __init__(self, stream: Iterable[E], guard: Guard, protocol: Protocol, settings: Settings = DEFAULTS) -> None:
        _check(stream, "__iter__", protocol, settings)
        self._stream: Final = stream
        self._iterator: Final = iter(stream)
        self._lanes: Final = Lanes(guard.without_asking(), protocol, settings)
        self._generator: Final[Generator[E | ToolStatus | ToolBlock, None, None]] = self._items()

    def __iter__(self) -> Iterator[E | ToolStatus | ToolBlock]:
        return self

    def __next__(self) -> E | ToolStatus | ToolBlock:
        return next(self._generator)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        self._generator.close()
        _close(self._stream, self._iterator)  # a generator that never began runs no `finally`

    def is_call(self, item: Any) -> bool:
        """Return whether an item that was just yielded is an event of the guard about a native call."""
        return isinstance(item, ToolStatus | ToolBlock) and self._lanes.lane_of(item.id) is None

    @property
    def response(self) -> Any:
        """The response that the client's stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]

    def _items(self) -> Generator[Any, None, None]:
        lanes = self._lanes
        failure: Exception | None = None
        try:
            while True:
                try:
                    event = next(self._iterator)
                except StopIteration:
                    break
                except Exception as error:  # what is held is yielded first
                    failure = error
                    break
                if lanes.try_pass(event):
                    yield event
                else:
                    yield from _at_once(lanes.feed(event))
                    if lanes.over:
                        break
            yield from _at_once(lanes.end("unknown" if failure is None else "error"))
            if failure is not None:
                raise failure
        finally:
            _close(self._stream, self._iterator)


def _at_once(items: Iterator[Any]) -> Iterator[Any]:
    """Yield the items. Long work (`Aside`) is done here and now: in a client that is not async no other stream waits."""
    for item in items:
        if isinstance(item, Aside):
            item.run()
        else:
            yield item


def _close(*targets: object) -> None:
    """Close the first of these objects that can be closed. Streams of clients and generators may be closed twice."""
    for target in targets:
        close = getattr(target, "close", None)
        if close is not None:
            close()
            return


def _check(stream: object, reads: str, protocol: Protocol, settings: Settings) -> None:
    """Raise TypeError if the object is no stream that can be guarded, and ValueError if its calls cannot be promoted."""
    kind = type(stream).__name__
    if not hasattr(stream, reads) or isinstance(stream, str | bytes | Mapping):
        hint = (
            "await it first, or enter it with `async with`"
            if hasattr(stream, "__aenter__") or hasattr(stream, "__await__")
            else "enter it with `with`"
            if hasattr(stream, "__enter__")
            else "give what create(stream=True) returns"
        )
        raise TypeError(f"expected an iterable or an async iterable of events, got {kind}: {hint}")
    if any(hasattr(stream, name) for name in _HELPERS):
        raise TypeError(
            f"{kind} is the client's helper, which reads and repeats the text itself; "
            "guard the stream that create(stream=True) returns"
        )
    settings.check_promotes(protocol)


@overload
def guarded(stream: AsyncIterable[E], guard: Guard, protocol: Protocol, settings: Settings) -> GuardedEvents[E]: ...


@overload
def guarded(stream: Iterable[E], guard: Guard, protocol: Protocol, settings: Settings) -> GuardedIterator[E]: ...


def guarded(
    stream: AsyncIterable[E] | Iterable[E], guard: Guard, protocol: Protocol, settings: Settings
) -> GuardedEvents[E] | GuardedIterator[E]:
    """Return the guarded stream of a client, async or not. A stream that is both kinds of iterable is read as async."""
    if isinstance(stream, AsyncIterable):
        return GuardedEvents(stream, guard, protocol, settings)
    return GuardedIterator(stream, guard, protocol, settings)


class Peeked:
    """A stream whose first events have been read, to guess its protocol."""

    __slots__ = ("_source", "_stream", "_taken")

    def __init__(self, stream: AsyncIterable[Any]) -> None:
        self._stream = stream
        self._source = Source(stream)
        self._taken: list[Any] = []

    async def protocol(self, or_else: Protocol | None = None) -> Protocol:
        """Return the protocol of the first event that shows one. If none does, return `or_else`, or close the stream and raise.

        The event may carry nothing: the guard settles the protocol by the first one that does.
        """
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
