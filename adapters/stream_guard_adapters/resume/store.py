"""What a store of resumable streams does, whatever it is made of: one suite of tests is run on all of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from stream_guard.wire import SseFields

Ending = Literal["done", "failed", "stopped", "interrupted"]
"""How a stream ended: by itself, with an error, because its reader stopped it, or because its worker is gone."""

State = Literal["running", "done", "failed", "stopped", "interrupted"]
"""Where a stream is."""

Cursor = tuple[int, int]
"""A place in a stream: the milliseconds and the number in an entry's id."""

START: Final[Cursor] = (0, 0)


class UnknownStream(LookupError):
    """There is no such stream, or it belongs to another session; nobody is told which."""


class ProducerGone(Exception):
    """Nobody writes to a stream that has not ended: its worker died."""


class LeaseLost(Exception):
    """Another producer has taken over the stream."""


class Forgotten(LookupError):
    """The entries after a cursor are no longer all there."""


class SseEntry(SseFields):
    """What `sse_starlette.ServerSentEvent` takes, with an id."""

    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored event."""

    id: str
    """`milliseconds-number`: when it was stored, and its place among those of that millisecond."""

    event: str
    data: str

    def sse(self) -> SseEntry:
        """As the fields of a server-sent event."""
        return {"id": self.id, "event": self.event, "data": self.data}


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """What is known of a stream."""

    owner: str
    """The session that it belongs to."""

    state: State
    length: int
    """How many events it ever had."""


@dataclass(slots=True)
class Lease:
    """The right to write to a stream."""

    stream: str
    token: str
    length: int
    """How many events the stream has: at first what a producer that takes over need not write again."""


def cursor(id: str) -> Cursor:
    """The place that an id names. Raises ValueError for what is no id."""
    if not id:
        return START
    milliseconds, dash, number = id.partition("-")
    if len(id) > 40 or not id.isascii() or not (milliseconds.isdigit() and dash and number.isdigit()):
        raise ValueError(f"not the id of an event: {id[:40]!r}")
    return int(milliseconds), int(number)


class ResumeStore(Protocol):
    """Keeps streams of events, for as long as somebody may come back for them."""

    beat: float
    """A producer with nothing to write appends nothing at least this often, in seconds, so that its lease holds."""

    async def acquire(self, stream: str, owner: str) -> Lease | None:
        """Become the producer of a stream, a new one or one whose producer is gone. None: it has one, or it has ended."""
        ...

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events, all or none, and keep the lease. Raises LeaseLost."""
        ...

    async def finalize(self, lease: Lease, ending: Ending, last: Sequence[SseFields] = ()) -> list[Entry]:
        """End the stream, with its last events, in one step; its readers come to their end. Raises LeaseLost."""
        ...

    def read(self, stream: str, after: str = "") -> AsyncGenerator[list[Entry], None]:
        """The entries after that id, then those that come, until the stream ends.

        Raises UnknownStream; Forgotten where entries after the id are gone; ProducerGone when nobody writes any more;
        ValueError for what is no id.
        """
        ...

    def let_go(self) -> None:
        """End every `read` in this process where it is. The streams go on, and so may their readers, from there."""
        ...

    async def status(self, stream: str) -> StreamStatus | None:
        """What is known of a stream; None when nothing is."""
        ...

    async def stop(self, stream: str) -> None:
        """Ask the producer to stop, wherever it runs."""
        ...

    async def stopped(self, lease: Lease) -> None:
        """Returns once the producer has been asked to stop."""
        ...

    async def delete(self, stream: str) -> None:
        """Forget a stream."""
        ...

    async def aclose(self) -> None:
        """Let go of connections. What is stored stays."""
        ...
