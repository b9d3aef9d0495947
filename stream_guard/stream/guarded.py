"""The shell around a session: it awaits deltas and corrections.

It reads deltas, feeds them to a `Session`, and yields what comes out. While a correction runs it reads on, and that is all it
decides: what may leave now, and what has to wait.

Rule 1: nothing is yielded once the reader has left. No item is yielded during teardown.
Rule 2: no cancel scope, task group or timeout is open across a `yield`. Tasks are awaited before the generator ends.
Rule 3: the source is closed exactly once, whatever ends the stream.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Iterator
from typing import Any, Final, Generic, TypeVar

from ..correct.corrections import Corrections
from ..correct.pending import Pending
from ..judge.aside import Aside
from ..judge.settings import Settings
from ..values.events import End
from .reader import Reader
from .session import Session
from .source import Closing, Source
from .work import Work, followed

Out = TypeVar("Out")

SLICE: Final = 16_384
"""A delta longer than this that may hold a block is fed in slices, so that the event loop gets a turn in between."""

EVENT: Final = 512
"""The size charged for one provider event where text is counted in characters."""


class GuardedStream(Closing, Generic[Out]):
    """A guarded stream: an async iterator, and an async context manager that closes its source.

    Args:
        settings: Its guard's.
        corrections: Its guard's corrector.
        deltas: What to guard.
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
    """What was read and not yet looked at."""

    __slots__ = ("_deltas", "size")

    def __init__(self) -> None:
        self._deltas: deque[Any] = deque()
        self.size = 0
        """Characters in it."""

    def __bool__(self) -> bool:
        return bool(self._deltas)

    def push(self, delta: Any) -> None:
        """Put one at the end."""
        self._deltas.append(delta)
        self.size += _length(delta)

    def pop(self) -> Any:
        """Take the first."""
        delta = self._deltas.popleft()
        self.size -= _length(delta)
        return delta


async def _transform(settings: Settings, reader: Reader, source: Source, work: Work) -> AsyncGenerator[Any, None]:
    backlog = Backlog()
    session = reader if isinstance(reader, Session) else None
    feed: Iterator[Any] | None = None  # what the reader has to say of the delta at hand
    failure: Exception | None = None
    ended = False
    strict = settings.order == "strict"
    speaking = False
    iterator = source.iterator
    try:
        _in_asyncio()
        while True:
            # 1. Say whatever may be said now.
            while (feed is not None or backlog) and not work.holds_up(strict):
                if feed is None:
                    delta = backlog.pop()
                    feed = reader.end(delta.cause) if isinstance(delta, End) else reader.feed(delta)
                for item in feed:
                    if isinstance(item, Pending):
                        for said in followed(item, await work.ask(item)):
                            yield said
                        break
                    if isinstance(item, Aside):
                        await asyncio.to_thread(item.run)
                        continue
                    yield item
                else:
                    feed = None
                if backlog:
                    await asyncio.sleep(0)  # slices of one large delta, or what was read on: let others have a turn

            # 2. Corrections run: wait for the first to be done, and read on as far as there is room.
            if work.running or work.reading is not None:
                if work.reading is None and not ended and backlog.size < settings.limits.max_pending:
                    work.reading = asyncio.ensure_future(iterator.__anext__())
                await work.progress()
                for said in await work.finished():
                    yield said
                if work.reading is None or not work.reading.done():
                    continue
                arrived, work.reading = work.reading, None
                try:
                    delta = reader.checked(arrived.result())
                except StopAsyncIteration:
                    ended, delta = True, End()
                except Exception as error:
                    ended, failure, delta = True, error, End("error")
                backlog.push(delta)
                continue

            # 3. Nothing runs: read. This is the loop that nearly all text goes through, so it is written out.
            if ended:
                break
            calm = session is not None and session.calm
            try:
                async for delta in iterator:
                    # The first question is what `Session.passes` asks first, without the call.
                    if (calm and type(delta) is str and delta.isprintable()) or (session is None and reader.passes(delta)):
                        speaking = True
                        yield delta
                        speaking = False
                        continue
                    if session is None or not isinstance(delta, str) or len(delta) > SLICE:
                        break
                    scanned = session.scan(delta)
                    calm = session.calm
                    if len(scanned) == 1 and isinstance(text := scanned[0], str):
                        speaking = True
                        yield text
                        speaking = False
                    elif scanned:
                        feed = session.events(scanned)
                        break
                else:
                    ended, delta = True, End()
            except Exception as error:
                if speaking:
                    raise  # thrown in by the reader, not by the source
                ended, failure, delta = True, error, End("error")
            if feed is None:
                try:
                    for piece in _sliced(reader.checked(delta), reader):
                        backlog.push(piece)
                except TypeError as error:
                    ended, failure = True, error
                    backlog.push(End("error"))
        if failure is not None:
            raise failure
    finally:
        await work.stop()
        await source.aclose()


def _in_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError("a guarded stream needs asyncio, and this is run by something else: trio, perhaps") from None


def _length(delta: object) -> int:
    return len(delta) if isinstance(delta, str) else 0 if isinstance(delta, End) else EVENT


def _sliced(delta: Any, reader: Reader) -> list[Any]:
    """A large text in slices if there may be a block in it; anything else as it is."""
    if not isinstance(delta, str) or len(delta) <= SLICE or not (reader.holding or "```" in delta or "~~~" in delta):
        return [delta]
    return [delta[start : start + SLICE] for start in range(0, len(delta), SLICE)]
