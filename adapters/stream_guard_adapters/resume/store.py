"""The interface of a store of resumable streams, its values and its errors. One suite of tests runs on all stores.

The events of a stream are numbered from 1. An event's id is `number-generation`: the generation is drawn anew whenever a
producer begins to write, so an id shows where its reader was, and which producer wrote what it read.

Rule 1: every write can be sent twice and takes effect once. So a lost answer does no harm.
Rule 2: no reader gets a stream with a gap. A stream that has lost events ends as `interrupted`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from secrets import randbelow
from typing import Final, Literal, Protocol

from stream_guard.wire import SseFields

Ending = Literal["done", "failed", "stopped", "interrupted"]
"""How a stream ended: completely, with an error, by a stop, or because its worker or its events are gone."""

State = Literal["running", "done", "failed", "stopped", "interrupted"]
"""The state of a stream: running, or how it ended."""

Cursor = tuple[int, int]
"""A place in a stream: the number and the generation in an event's id."""

START: Final[Cursor] = (0, 0)
"""The place before the first event."""

LARGEST: Final = 2**53
"""The upper bound of both numbers of an id. Scripts in Redis count in doubles, which are exact below it."""

PAGE: Final = 64
"""The most events that are read at once; a slow reader keeps them in memory."""

PAGE_BYTES: Final = 1 << 20
"""The most bytes that are read at once, if more than one event is read."""

STEP_BYTES: Final = 1 << 16
"""The most bytes that a producer stores in one step, if it stores more than one event."""


LEASES: Final = (0.1, 86_400.0)
"""The shortest lease and the longest, in seconds."""

SECONDS: Final = (0.001, 3_153_600_000.0)
"""The shortest and the longest time that a setting may have, in seconds: a millisecond and a century."""

MOST: Final = 2**53
"""The largest number of events or bytes that a setting may have."""


def seconds(name: str, value: float, least: float = SECONDS[0], most: float = SECONDS[1]) -> float:
    """Return a setting in seconds. Raises ValueError for what is no number, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} cannot be {value!r}: give it a number of seconds from {least:g} to {most:.12g}")
    return value


def whole(name: str, value: int) -> int:
    """Return a setting that counts events or bytes. Raises ValueError for what is no whole number, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST:
        raise ValueError(f"{name} cannot be {value!r}: give it a whole number from 1 to {MOST}")
    return value


class UnknownStream(LookupError):
    """Raised when there is no such stream, or it belongs to another session; the error does not show which."""


class Forgotten(LookupError):
    """Raised when a stream existed, but its events, or those after the id, are no longer kept."""


class _Refused(Exception):
    """Raised when the store refuses what a producer writes.

    Args:
        stream: The stream.
        unsure: Whether it may have been stored by an earlier sending, whose answer was lost.
    """

    def __init__(self, stream: str, *, unsure: bool = False) -> None:
        super().__init__(stream)
        self.unsure: Final = unsure


class EntriesLost(_Refused):
    """Raised when the store lacks events that a producer wrote or a reader has read: it was restored from an older state."""


class NotTaken(EntriesLost):
    """Raised if the store refuses one event however often it is sent, but takes others: the event may be too large, for
    example.
    """


class LeaseLost(_Refused):
    """Raised when another producer has taken over the stream, or it has ended."""


class Deleted(LeaseLost):
    """Raised when the stream was deleted while it was written. Another stream may have its name since."""


class StoreAway(Exception):
    """Raised when the store did not answer, or refused, for as long as the caller waits."""

    retry_after: Final = 5
    """Seconds after which a client may try again."""


class Closing(StoreAway):
    """Raised when this process shuts down. Another process can serve the request."""


class WrongKind(StoreAway):
    """Raised when the key of a stream holds a value that the store did not write."""


class ProducerGone(Exception):
    """Raised when nobody writes to a stream that has not ended: its worker died."""

    def __init__(self, stream: str, beats: int, *, running: bool = True) -> None:
        super().__init__(stream)
        self.beats: Final = beats
        """The producer's heartbeats so far, for the one that takes over."""

        self.running: Final = running
        """Whether another producer can continue the stream: it has not ended and is not damaged."""


class SseEntry(SseFields):
    """The arguments of `sse_starlette.ServerSentEvent`, with an id."""

    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored event."""

    id: str
    """`number-generation`: its place in the stream, from 1, and the generation of its producer."""

    event: str
    data: str

    def sse(self) -> SseEntry:
        """Return the fields of a server-sent event."""
        return {"id": self.id, "event": self.event, "data": self.data}


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """What is known of a stream."""

    owner: str
    """The session that it belongs to."""

    state: State
    length: int
    """The number of its events, those no longer kept and its end included."""


def _nobody() -> None:
    """Do nothing."""


@dataclass(slots=True)
class Lease:
    """The right to write to a stream."""

    stream: str
    owner: str
    token: str
    """The holder of the lease."""

    generation: int = field(default_factory=lambda: 1 + randbelow(2**32 - 1))
    length: int = 0
    """The number of events in the stream. A producer that takes over begins after them."""

    epoch: int = 1
    """How many producers the stream has had."""

    birth: str = ""
    """Identifies the stream among all of this name: made of its first holder's token."""

    archived: bool = True
    """Whether no archive lacks the end. If an archive lacks it, the lease is held until the end is archived."""

    ended: Ending | None = None
    """How the stream ended, if the lease was acquired to archive its end."""

    released: bool = False
    """Whether its holder has stopped trying to archive the end."""

    stopping: bool = False
    """Whether the producer has been asked to stop."""

    on_stop: Callable[[], None] = _nobody
    """Called once when the producer is asked to stop."""

    def stop(self) -> None:
        """Ask the producer to stop."""
        if not self.stopping:
            self.stopping = True
            self.on_stop()

    def entry(self, event: SseFields, number: int) -> Entry:
        """Return an event as an entry with this number."""
        return Entry(f"{number}-{self.generation}", event["event"], event["data"])

    def entries(self, events: Sequence[SseFields]) -> list[Entry]:
        """Return events as the next entries of the stream."""
        return [self.entry(event, self.length + 1 + at) for at, event in enumerate(events)]


SHOWN: Final = 40
"""How many characters of a wrong id, name or owner a message quotes."""

_ID: Final = re.compile(r"([1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})")


def cursor(id: str) -> Cursor:
    """Return the place that an id names; `START` for an empty id. Raises ValueError for a text that is no id."""
    if not id:
        return START
    found = _ID.fullmatch(id)
    if found:
        place = int(found[1]), int(found[2])
        if max(place) < LARGEST or place == (LARGEST, 0):  # the end after the largest place
            return place
    raise ValueError(f"not the id of an event: {id[:SHOWN]!r}; send the last one that was received, or none")


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that names and owners may not contain: controls, line and paragraph separators, surrogates."""


def named(stream: str) -> str:
    """Return the name of a new stream. Raises ValueError if it cannot be part of a URL, TypeError if it is no string."""
    if not isinstance(stream, str):
        raise TypeError(f"the name of a stream must be a str, got {type(stream).__name__}")
    if stream in ("", ".", "..") or "/" in stream or _CONTROL.search(stream):
        raise ValueError(
            f"not a name for a stream: {stream[:SHOWN]!r}; it is a part of a URL: not empty, without / and control characters"
        )
    return stream


def may_own(owner: str) -> bool:
    """Return whether a string can be an owner: not empty, no control characters. Raises TypeError if it is no string."""
    if not isinstance(owner, str):
        raise TypeError(f"the owner of a stream must be a str, got {type(owner).__name__}")
    return bool(owner) and not _CONTROL.search(owner)


def lost_end_id(at: Cursor) -> str:
    """Return the id of the end event for a reader whose place is lost: it comes after that place, and has generation 0, as no
    other event.
    """
    return f"{at[0] + 1}-0"


class ResumeStore(Protocol):
    """**Protocol:** keeps streams of events while readers may come back for them. Each method may raise StoreAway."""

    beat: float
    """Seconds between two heartbeats: a producer with nothing to write appends an empty list, to keep its lease."""

    ttl: float
    """Seconds that a stream is kept after its last entry."""

    retry: float
    """Seconds for which a write that fails is repeated before it raises."""

    async def acquire(self, stream: str, owner: str, gone: ProducerGone | None = None) -> Lease | None:
        """Return the lease of a new stream. With `gone`: of a stream whose producer is gone and had no heartbeat since. With
        the result of `left`: of a stream that has ended, to archive its end, or of a damaged stream, to end it. None: the
        stream exists or existed; or its producer is back, another has taken over, or it has ended.
        """
        ...

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events, all or none, and keep the lease. Raises LeaseLost, Deleted, EntriesLost.

        After StoreAway the same events may be appended again: they are stored once. An empty list keeps the lease, also after
        the end, until the end is archived.
        """
        ...

    async def finalize(self, lease: Lease, ending: Ending, last: SseFields) -> Entry:
        """End the stream with its last event. Raises LeaseLost, Deleted, EntriesLost.

        A stream that has lost entries can be ended as `interrupted` only. The lease is held until its end is `archived`.
        """
        ...

    async def archived(self, lease: Lease) -> None:
        """Record that the archive has the end."""
        ...

    async def left(self, stream: str, owner: str) -> ProducerGone | None:
        """Return the producer that is gone and left a stream without an end, in store or archive; None when there is none.

        Takes as long as a lease, to see whether the producer has heartbeats. If it has heartbeats and the stream runs, None is
        returned. If the stream has ended, or is damaged so that it cannot be read or continued, this waits as long as the
        heartbeats go on.
        """
        ...

    async def read(
        self, stream: str, owner: str, after: str = "", *, gap: bool = False
    ) -> AsyncGenerator[list[Entry], None] | None:
        """Return the entries after an id, then new ones, until the stream ends. None: the id is that of the end.

        With `gap`, if the entries after the id are no longer kept, it begins with the oldest entry that is: for an archive,
        never for a reader. Raises before anything is read: UnknownStream; ValueError for what is no id; Forgotten; EntriesLost
        for an id that is ahead of the stream, or of another, and for a stream that is written here and that the store does not
        know. During reading: the same, and ProducerGone when nobody writes any more.
        """
        ...

    def let_go(self) -> None:
        """End every `read` in this process. The streams go on, and their readers may continue elsewhere."""
        ...

    async def status(self, stream: str) -> StreamStatus | None:
        """Return the status of a stream; None when nothing of it is kept."""
        ...

    async def stop(self, stream: str, owner: str) -> None:
        """Ask the producer to stop, wherever it runs. Raises UnknownStream."""
        ...

    async def delete(self, stream: str) -> None:
        """Delete a stream. Its producer gets Deleted, and its readers the end `interrupted`."""
        ...

    async def aclose(self) -> None:
        """Close the connections. The streams stay."""
        ...
