"""The async iterator around a session: it awaits deltas, corrections and approvals.

It reads deltas, feeds them to a `Session`, and yields the items. While a correction runs it continues to read; it decides only
which items may leave now and which have to wait.

Rule 1: nothing is yielded after the consumer has stopped iterating, and nothing during teardown.
Rule 2: no cancel scope, task group or timeout is open across a `yield`. Tasks are awaited before the generator ends.
Rule 3: the source is closed exactly once, whatever ends the stream.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from ..correct.corrections import Corrections
from ..judge.aside import Aside
from ..judge.pending import Pending
from ..judge.settings import Settings
from ..running.messages import Thought
from ..scan.string_tail import StringTail
from ..values.events import End, ToolBlock
from .reader import Reader
from .session import Session
from .source import Closing, Source
from .work import LOOK, Turns, Work, followed

Out = TypeVar("Out")

_SCAN: Final = 64
"""The cost of scanning a delta, in characters, in addition to its own characters."""

EVENT: Final = 512
"""The size charged for one provider event where text is counted in characters."""


class GuardedStream(Closing, Generic[Out]):
    """A guarded stream: an async iterator, and an async context manager that closes its source.

    Args:
        settings: The guard's settings.
        corrections: The guard's corrector and its policy.
        deltas: The source.
        reader: What is told of each delta: a session for a stream of text; an adapter's own for one of a provider's events.
    """

    __slots__ = ("_generator", "_source", "_work")

    def __init__(self, settings: Settings, corrections: Corrections, deltas: AsyncIterable[Any], reader: Reader) -> None:
        self._source = Source(deltas)
        self._work = Work(corrections)
        self._generator: AsyncGenerator[Out, None] = _transform(settings, reader, self._source, self._work)

    def __aiter__(self) -> AsyncGenerator[Out, None]:  # noqa: PYI058  # it can be closed, and thrown into
        return self._generator  # itself, so that `async for` pays for one generator and not for two layers

    def __anext__(self) -> Awaitable[Out]:
        return self._generator.__anext__()

    def follow(self) -> None:
        """Keep what the methods below return: called before the first item, by whoever makes messages of it."""

    def written(self, item: Any) -> Iterable[str | Thought | None]:
        """Return what the model wrote in an item of this stream: text, and reasoning that is whole. None in the result stands
        for a native call of a tool that the guard does not know: `unknown_calls` returns its block at the end.
        """
        return (item,) if isinstance(item, str) else ()

    def unknown_calls(self) -> Sequence[ToolBlock]:
        """Return a failed block for each native call so far of an unknown tool. A stream of text has no native calls."""
        return ()

    def begun_calls(self) -> Mapping[str, int]:
        """Return the number of each native call so far, in the order in which they began, by the ids of their blocks."""
        return {}

    async def aclose(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        try:
            await self._generator.aclose()
        except RuntimeError:
            # Somebody is in the middle of a step of it, or was, and was closed there: it can neither end nor be ended.
            if not getattr(self._generator, "ag_running", False):
                raise
        finally:  # a generator that never began runs no `finally`
            await self._work.stop()
            await self._source.aclose()


class Backlog:
    """The deltas that were read and not yet fed to the session."""

    __slots__ = ("_deltas", "size")

    def __init__(self) -> None:
        self._deltas: deque[Any] = deque()
        self.size = 0
        """The characters in the backlog."""

    def __bool__(self) -> bool:
        return bool(self._deltas)

    def push(self, delta: Any) -> None:
        """Append a delta."""
        self._deltas.append(delta)
        self.size += _length(delta)

    def pop(self) -> Any:
        """Remove and return the first delta."""
        delta = self._deltas.popleft()
        self.size -= _length(delta)
        return delta


class _Pump:
    """The state of one running stream: its backlog, the items of its session, and how its source ended."""

    __slots__ = ("_backlog", "_feed", "_most", "_reader", "_source", "_strict", "_work", "ended", "failure", "turns")

    def __init__(self, settings: Settings, reader: Reader, source: Source, work: Work) -> None:
        self._strict = settings.order == "strict"
        self._most = settings.limits.max_pending
        self._reader = reader
        self._source = source
        self._work = work
        self._backlog = Backlog()
        self._feed: Iterator[Any] | None = None
        self.turns: Final = Turns()
        """Measures how long the stream has worked in a row."""
        self.ended = False
        """Whether the source has ended."""
        self.failure: Exception | None = None
        """The exception that ended the source; None if none did."""

    @property
    def may_step(self) -> bool:
        """Whether input is ready and no correction must finish before it."""
        return (self._feed is not None or bool(self._backlog)) and not self._work.holds_up(self._strict)

    async def step(self) -> Iterable[Any]:
        """Return the items that may leave next."""
        if self._feed is None:
            delta = self._backlog.pop()
            self._feed = self._reader.end(delta.cause) if isinstance(delta, End) else self._reader.feed(delta)
        for item in self._feed:
            if isinstance(item, Pending):
                return followed(item, await self._work.ask(item))
            if isinstance(item, Aside):
                await asyncio.to_thread(item.run)
                continue
            if self.turns.is_over(item):
                await asyncio.sleep(0)
            return (item,)
        self._feed = None
        if self.turns.is_over(None) or self._backlog:  # what was read has taken time, even if nothing of it has left
            await asyncio.sleep(0)
        return ()

    def say(self, items: Iterator[Any]) -> None:
        """Let these items leave next."""
        self._feed = items

    async def progress(self) -> list[Any]:
        """Wait for a correction or for a delta. A delta is read if there is room for it. Returns the items that leave then."""
        if self._work.reading is None and not self.ended and self._backlog.size < self._most:
            self._work.reading = asyncio.ensure_future(self._source.iterator.__anext__())
        await self._work.progress()
        return await self._work.finished()

    def take(self) -> None:
        """Take the delta that was read during a correction, if it has arrived."""
        arrived = self._work.reading
        if arrived is None or not arrived.done():
            return
        self._work.reading = None
        try:
            self._backlog.push(self._reader.as_delta(arrived.result()))
        except StopAsyncIteration:
            self.end()
        except Exception as error:
            self.end(error)

    def push(self, delta: Any) -> None:
        """Take a delta and put it before the session."""
        try:
            self._backlog.push(self._reader.as_delta(delta))
        except TypeError as error:
            self.end(error)

    def end(self, failure: Exception | None = None) -> None:
        """Note that the source has ended, or failed."""
        self.ended, self.failure = True, failure
        self._backlog.push(End() if failure is None else End("error"))


async def _transform(settings: Settings, reader: Reader, source: Source, work: Work) -> AsyncGenerator[Any, None]:
    """Yield the items of a stream, in three steps. The next step is the first that has something to do.

        1. what is ready leaves                     `pump.step`, until a correction must finish first
        2. corrections and approvals go on          `pump.progress`; what is read meanwhile waits in the backlog
        3. the source is read                       until a delta needs another step

    What becomes of a delta in step 3, from the most frequent case to the rarest:

        it passes unchanged                         it leaves at once; for text, `passes_left` is asked before `try_pass`
        it is text in an open string or value       it is held: `string_tail.take`; where it is shown, its event leaves
        it is short text in which nothing happens   what may pass of it leaves at once
        it is short text with a call or its end     `pump.say`: its events leave in step 1
        it is anything else                         `pump.push`: it is read in step 1

    Step 3 is written out here: a function of its own would be one more async generator, which each item would pass through.
    An exception at a `yield` was thrown in by the consumer, any other is the source's: `yielding` tells them apart.
    """
    pump = _Pump(settings, reader, source, work)
    session = reader if isinstance(reader, Session) else None
    tail = session.string_tail if session is not None else StringTail()  # one that takes nothing
    passed_unread: list[str] = session.passed_unread if session is not None else []
    at_once = session.at_once if session is not None else 0
    scanned_since = 0  # the characters scanned since the clock was looked at
    yielding = False
    try:
        _in_asyncio()
        while True:
            while pump.may_step:
                for item in await pump.step():
                    yield item
            if work.busy:
                for item in await pump.progress():
                    yield item
                pump.take()
                continue
            if pump.ended:
                break
            if reader.over:
                pump.end()
                continue
            # Nearly all text goes through this loop, so the session is not asked each time. `left` is the value of
            # `session.passes_left`: it is read again after whatever feeds the scanner, and counts down with each text that
            # waits in `passed_unread`.
            left = session.passes_left if session is not None else 0
            try:
                async for delta in source.iterator:
                    if left != 0 and type(delta) is str and delta.isprintable() and "<" not in delta:
                        if left is not None:
                            passed_unread.append(delta)
                            left -= 1
                    elif tail.decides_at and type(delta) is str and tail.take(delta):  # in an open string or value
                        if tail.members is None or session is None:
                            continue
                        shown = session.shown(tail, delta)
                        if shown is None:
                            continue
                        delta = shown
                    elif reader.try_pass(delta):
                        left = session.passes_left if session is not None else 0
                    elif session is None or not isinstance(delta, str) or len(delta) > at_once:
                        pump.push(delta)
                        break
                    else:
                        scanned = session.scan(delta)
                        left = session.passes_left
                        scanned_since += len(delta) + _SCAN
                        if scanned_since > LOOK:
                            scanned_since = 0
                            if pump.turns.took_long():
                                await asyncio.sleep(0)
                        if len(scanned) != 1 or not isinstance(scanned[0], str):
                            if not scanned:
                                continue
                            pump.say(session.events(scanned))
                            break
                        delta = scanned[0]
                    yielding = True
                    yield delta
                    yielding = False
                else:
                    pump.end()
            except Exception as error:
                if yielding:
                    raise  # thrown in by the consumer, not by the source
                pump.end(error)
        if pump.failure is not None:
            raise pump.failure
    finally:
        await work.stop()
        await source.aclose()


def _in_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError("a guarded stream needs asyncio; other event loops, such as trio, are not supported") from None


def _length(delta: object) -> int:
    return len(delta) if isinstance(delta, str) else 0 if isinstance(delta, End) else EVENT
