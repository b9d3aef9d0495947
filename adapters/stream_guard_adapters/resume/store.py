"""What a store of resumable streams does, whatever it is made of: one suite of tests is run on all of them.

The events of a stream are numbered from 1. An event's id is `number-generation`: the generation is drawn anew whenever a
producer begins to write, so an id tells where its reader was, and in which writing of the stream.

Rule 1: whatever is written can be sent twice and is done once. An answer that was lost costs nothing.
Rule 2: nobody is handed a stream with a hole. What a store has lost ends the stream as `interrupted`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from secrets import randbelow
from typing import Final, Literal, Protocol

from stream_guard.wire import SseFields

Ending = Literal["done", "failed", "stopped", "interrupted"]
"""How a stream ended: by itself, with an error, because its reader stopped it, or because its worker or its events are gone."""

State = Literal["running", "done", "failed", "stopped", "interrupted"]
"""Where a stream is."""

Cursor = tuple[int, int]
"""A place in a stream: the number and the generation in an event's id."""

START: Final[Cursor] = (0, 0)
"""Before the first event."""

LARGEST: Final = 2**53
"""No number of an id is as large: a script in Redis counts in doubles."""

PAGE: Final = 64
"""How many events are read at once at most: what a reader that is slow holds."""

PAGE_BYTES: Final = 1 << 20
"""And how many bytes of them, if more than one event is read."""


LEASES: Final = (0.1, 86_400.0)
"""The shortest lease and the longest, in seconds."""

SECONDS: Final = (0.001, 3_153_600_000.0)
"""The shortest time and the longest that a store can be told, in seconds: a millisecond and a century."""

MOST: Final = 2**53
"""The largest number of events or bytes that a store can be told."""


def seconds(name: str, value: float, least: float = SECONDS[0], most: float = SECONDS[1]) -> float:
    """A setting in seconds. Raises ValueError for what is no number, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} cannot be {value!r}: give it a number of seconds from {least:g} to {most:.12g}")
    return value


def whole(name: str, value: int) -> int:
    """A setting that counts events or bytes. Raises ValueError for what is no whole number, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST:
        raise ValueError(f"{name} cannot be {value!r}: give it a whole number from 1 to {MOST}")
    return value


class UnknownStream(LookupError):
    """There is no such stream, or it belongs to another session; nobody is told which."""


class Forgotten(LookupError):
    """The stream was there, and its events, or those after the id, are no longer kept."""


class _Refused(Exception):
    """The store does not store what a producer writes.

    Args:
        stream: The stream.
        unsure: Whether it may have stored it before, when it was sent and the answer was lost.
    """

    def __init__(self, stream: str, *, unsure: bool = False) -> None:
        super().__init__(stream)
        self.unsure: Final = unsure


class EntriesLost(_Refused):
    """The store has lost events that a producer wrote or a reader has read, or never had them: it came back older."""


class LeaseLost(_Refused):
    """Another producer has taken over the stream, or it has ended."""


class Deleted(LeaseLost):
    """The stream was deleted while it was written, and nobody else ends it; another may have its name since."""


class StoreAway(Exception):
    """The store did not answer, or refused, for as long as it is waited for."""

    retry_after: Final = 5
    """After how many seconds a client may try again."""


class Closing(StoreAway):
    """This process is shut down: another one may do what was asked for."""


class WrongKind(StoreAway):
    """What the store has under a stream's name is none of its own: nothing can be said of the stream."""


class ProducerGone(Exception):
    """Nobody writes to a stream that has not ended: its worker died."""

    def __init__(self, stream: str, heard: int) -> None:
        super().__init__(stream)
        self.heard: Final = heard
        """What was heard of it last, for who takes over."""


class SseEntry(SseFields):
    """What `sse_starlette.ServerSentEvent` takes, with an id."""

    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored event."""

    id: str
    """`number-generation`: its place in the stream, from 1, and the writing that it is of."""

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
    """How many events it ever had. Its end is one."""


def _nobody() -> None:
    """Nobody is told."""


@dataclass(slots=True)
class Lease:
    """The right to write to a stream."""

    stream: str
    owner: str
    token: str
    """Who holds it."""

    generation: int = field(default_factory=lambda: 1 + randbelow(2**32 - 1))
    length: int = 0
    """How many events the stream has: at first what a producer that takes over need not write again."""

    epoch: int = 1
    """How many producers the stream has had."""

    birth: str = ""
    """Which stream of this name it is: who held it first."""

    archived: bool = True
    """Whether no archive has to be told of the end: or else the lease is held until it was."""

    ended: Ending | None = None
    """How the stream ended, where the lease was acquired to tell an archive so."""

    stopping: bool = False
    """Whether the producer has been asked to stop."""

    on_stop: Callable[[], None] = _nobody
    """Called once when the producer is asked to stop."""

    def stop(self) -> None:
        """The producer is asked to stop."""
        if not self.stopping:
            self.stopping = True
            self.on_stop()

    def entry(self, event: SseFields, number: int) -> Entry:
        """An event as it is stored."""
        return Entry(f"{number}-{self.generation}", event["event"], event["data"])

    def entries(self, events: Sequence[SseFields]) -> list[Entry]:
        """Events as they are stored next."""
        return [self.entry(event, self.length + 1 + at) for at, event in enumerate(events)]


_ID: Final = re.compile(r"([1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})")


def cursor(id: str) -> Cursor:
    """The place that an id names; `START` for none. Raises ValueError for what is no id."""
    if not id:
        return START
    found = _ID.fullmatch(id)
    if found:
        place = int(found[1]), int(found[2])
        if max(place) < LARGEST:
            return place
    raise ValueError(f"not the id of an event: {id[:40]!r}; send the last one that was received, or none")


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What names and owners do not contain: control characters, line and paragraph separators, surrogates."""


def named(stream: str) -> str:
    """The name of a stream that is begun. Raises ValueError for one that no address has, so that nobody could read it.

    And TypeError for what is no text.
    """
    if not isinstance(stream, str):
        raise TypeError(f"the name of a stream is a str, not {type(stream).__name__}")
    if stream in ("", ".", "..") or "/" in stream or _CONTROL.search(stream):
        raise ValueError(
            f"not a name for a stream: {stream[:40]!r}; it is a part of an address: not empty, without / and control characters"
        )
    return stream


def owns(owner: str) -> bool:
    """Whether a text can be an owner: not empty, and without control characters. Raises TypeError for what is no text."""
    if not isinstance(owner, str):
        raise TypeError(f"the owner of a stream is a str, not {type(owner).__name__}")
    return bool(owner) and not _CONTROL.search(owner)


def told_lost(at: Cursor) -> str:
    """The id of the end that is told to a reader whose place is lost: behind it, and of generation 0, as no other event is."""
    return f"{at[0] + 1}-0"


class ResumeStore(Protocol):
    """Keeps streams of events, for as long as somebody may come back for them. Each method may raise StoreAway."""

    beat: float
    """A producer with nothing to write appends nothing at least this often, in seconds, so that its lease holds."""

    ttl: float
    """How long a stream is kept after the last that was written to it, in seconds."""

    retry: float
    """For how many seconds what cannot be stored is tried again before that is told."""

    async def acquire(self, stream: str, owner: str, gone: ProducerGone | None = None) -> Lease | None:
        """Become the producer of a new stream; with `gone`, of one whose producer is gone, if nothing was heard of it since.

        With what `unarchived` returned, of one that has ended: to tell an archive so. None: it exists, or is remembered; or its
        producer is back, another has taken over, or it has ended.
        """
        ...

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events, all or none, and keep the lease. Raises LeaseLost, Deleted, EntriesLost.

        After StoreAway the same events may be appended again: they are stored once. To append nothing keeps the lease, also
        behind the end, as long as that is not archived.
        """
        ...

    async def finalize(self, lease: Lease, ending: Ending, last: SseFields) -> Entry:
        """End the stream with its last event, which tells its readers so. Raises LeaseLost, Deleted, EntriesLost.

        A stream that has lost entries can be ended as `interrupted`, and no other way. The lease is held until its end is
        `archived`.
        """
        ...

    async def archived(self, lease: Lease) -> None:
        """Record that the archive was told of the end, so that nobody tells it again."""
        ...

    async def unarchived(self, stream: str, owner: str) -> ProducerGone | None:
        """Who was to tell an archive of the end, and is gone; None when that was told, or is being told.

        Looks for as long as a lease holds.
        """
        ...

    async def read(self, stream: str, owner: str, after: str = "") -> AsyncGenerator[list[Entry], None] | None:
        """The entries after that id, then those that come, until the stream ends. None: the id is that of the end.

        Raises at once, before anything is read: UnknownStream; ValueError for what is no id; Forgotten; EntriesLost for an id
        that is ahead of the stream, or of another. While it is read: the same, and ProducerGone when nobody writes any more.
        """
        ...

    def let_go(self) -> None:
        """End every `read` in this process where it is. The streams go on, and so may their readers, from there."""
        ...

    async def status(self, stream: str) -> StreamStatus | None:
        """What is known of a stream whose entries are kept; None when nothing is."""
        ...

    async def stop(self, stream: str, owner: str) -> None:
        """Ask the producer to stop, wherever it runs. Raises UnknownStream."""
        ...

    async def delete(self, stream: str) -> None:
        """Forget a stream. Its producer is told LeaseLost, and its readers that it is interrupted."""
        ...

    async def aclose(self) -> None:
        """Let go of connections. What is stored stays."""
        ...
