"""A store in the memory of one process: for one worker, and for tests.

Each stream is bounded in events and bytes, and all streams together in bytes. If they do not fit, something is forgotten: a
stream's oldest events, or the streams that ended longest ago. A reader that asks for them gets `Forgotten`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from sys import getsizeof
from typing import Final

from stream_guard.wire import SseFields

from .store import (
    PAGE,
    START,
    Cursor,
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ProducerGone,
    State,
    StreamStatus,
    UnknownStream,
    cursor,
    seconds,
    whole,
)

_ENTRY: Final = 250
"""The approximate bytes of an entry besides its data."""

TOMBSTONES: Final = 100_000
"""The most names of forgotten streams that are kept."""


@dataclass(slots=True)
class _Stream:
    lease: Lease
    state: State = "running"
    entries: list[Entry] = field(default_factory=list)
    dropped: int = 0
    """How many entries at the beginning of the list are forgotten but not yet removed from it."""

    first: int = 1
    """The number of the first entry that is kept."""

    last: int = 0
    size: int = 0
    """Bytes of the entries that are kept."""

    unarchived_end: bool = False
    """Whether there is an archive that does not have the end yet."""

    expires: float = 0.0
    waiting: set[asyncio.Future[None]] = field(default_factory=set)
    """One future for each reader that waits for the next event."""

    def is_unarchived(self, owner: str) -> bool:
        """Return whether a stream of this owner has no end in the archive, and its holder has stopped trying to archive it."""
        return self.unarchived_end and self.lease.released and self.lease.owner == owner

    def notify(self) -> None:
        """Wake all readers that wait."""
        for waits in self.waiting:
            if not waits.done():
                waits.set_result(None)
        self.waiting.clear()

    def add(self, entry: Entry) -> None:
        """Append an entry."""
        self.entries.append(entry)
        self.last += 1
        self.size += _weight(entry)

    def shed(self) -> int:
        """Forget the oldest entry; returns its size in bytes."""
        weight = _weight(self.entries[self.dropped])
        self.dropped += 1
        self.first += 1
        self.size -= weight
        if 2 * self.dropped >= len(self.entries):  # each entry is moved once at most, whatever is kept
            del self.entries[: self.dropped]
            self.dropped = 0
        return weight

    def page(self, after: int) -> list[Entry]:
        """Return the next entries after a number."""
        at = self.dropped + after + 1 - self.first
        return self.entries[at : at + PAGE]


class MemoryStore:
    """Streams in memory. Raises ValueError for a setting that cannot work.

    Args:
        ttl: Seconds that a stream is kept after its last entry.
        maxlen: How many events of a stream are kept.
        maxbytes: How many bytes of a stream are kept. The last event is kept whatever its size.
        total: How many bytes of all streams are kept. To stay below it, streams that have ended are forgotten, the oldest
            first; a running stream never is.
        clock: Returns seconds, for `ttl`.
    """

    beat: float = 60.0  # nobody can lose a lease while its process lives
    retry: float = 30.0

    def __init__(
        self,
        *,
        ttl: float = 3600,
        maxlen: int = 100_000,
        maxbytes: int = 16 << 20,
        total: int = 512 << 20,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ttl = seconds("ttl", ttl)
        self._maxlen = whole("maxlen", maxlen)
        self._maxbytes = whole("maxbytes", maxbytes)
        self._total = whole("total", total)
        self._clock = clock
        self._size = 0
        self._round = 0
        self._streams: Final[dict[str, _Stream]] = {}  # in the order in which they were last written to
        self._ended: Final[dict[str, None]] = {}  # in the order in which they ended
        self._graves: Final[dict[str, str]] = {}  # whose streams were forgotten

    async def acquire(self, stream: str, owner: str, gone: ProducerGone | None = None) -> Lease | None:
        """Return the lease of a new stream, or of one whose end must still be archived."""
        self._sweep()
        kept = self._streams.get(stream)
        if gone is not None:
            return self._inherited(kept, owner)
        if kept is not None or stream in self._graves:
            return None
        lease = Lease(stream, owner, token_hex(8))
        self._touch(stream, _Stream(lease))
        return lease

    def _inherited(self, kept: _Stream | None, owner: str) -> Lease | None:
        if kept is None or not kept.is_unarchived(owner) or kept.state == "running":
            return None
        kept.lease = replace(kept.lease, length=kept.last, ended=kept.state, released=False)
        return kept.lease

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events."""
        if not events and self._awaits_archive(lease):
            return []
        kept = self._held(lease)
        added = lease.entries(events)
        lease.length += len(added)
        self._add(kept, added)
        self._touch(lease.stream, kept)
        return added

    def _add(self, kept: _Stream, entries: Sequence[Entry]) -> None:
        before = kept.size
        for entry in entries:
            kept.add(entry)
            while len(kept.entries) - kept.dropped > self._maxlen or (kept.size > self._maxbytes and kept.first < kept.last):
                kept.shed()
        self._size += kept.size - before
        if entries:
            kept.notify()
        while self._size > self._total and self._ended:
            self._forget(next(iter(self._ended)))

    async def finalize(self, lease: Lease, ending: Ending, last: SseFields) -> Entry:
        """End the stream."""
        kept = self._held(lease)
        entry = lease.entry(last, lease.length + 1)
        kept.state = ending
        kept.unarchived_end = not lease.archived
        self._ended[lease.stream] = None
        self._touch(lease.stream, kept)
        self._add(kept, [entry])
        return entry

    async def archived(self, lease: Lease) -> None:
        """Record that the archive has the end."""
        if self._awaits_archive(lease):
            self._streams[lease.stream].unarchived_end = False

    async def left(self, stream: str, owner: str) -> ProducerGone | None:
        """Return the producer that ended a stream without archiving the end; None when there is none."""
        kept = self._streams.get(stream)
        return ProducerGone(stream, kept.last, running=False) if kept is not None and kept.is_unarchived(owner) else None

    async def read(
        self, stream: str, owner: str, after: str = "", *, gap: bool = False
    ) -> AsyncGenerator[list[Entry], None] | None:
        """Return the entries after an id, then new ones as they are stored."""
        self._sweep()
        at = cursor(after)
        kept = self._streams.get(stream)
        if (self._graves.get(stream) if kept is None else kept.lease.owner) != owner:
            raise UnknownStream(stream)
        if after and at[1] == 0:
            return None
        if gap and kept is not None and at[0] < kept.first:
            return self._following(stream, kept, (kept.first - 1, 0))
        if kept is None or at[0] + 1 < kept.first or (at[0] < kept.first and at != START):
            raise Forgotten(stream)
        if after:
            found = kept.page(at[0] - 1)
            if not found or found[0].id != after:
                raise EntriesLost(stream)
            if at[0] == kept.last and kept.state != "running":
                return None
        return self._following(stream, kept, at)

    async def _following(self, stream: str, kept: _Stream, at: Cursor) -> AsyncGenerator[list[Entry], None]:
        number, begun = at[0], self._round
        while self._round == begun:
            if number + 1 < kept.first:
                raise Forgotten(stream)
            found = kept.page(number)
            if found:
                number += len(found)
                yield found
            elif kept.state != "running":
                return
            elif self._streams.get(stream) is not kept:
                raise EntriesLost(stream)
            else:
                waits = asyncio.get_running_loop().create_future()
                kept.waiting.add(waits)
                try:
                    await waits
                finally:
                    kept.waiting.discard(waits)  # the reader may have left

    def let_go(self) -> None:
        """End every `read`."""
        self._round += 1
        for kept in self._streams.values():
            kept.notify()

    async def status(self, stream: str) -> StreamStatus | None:
        """Return the status of a stream; None when nothing of it is kept."""
        self._sweep()
        kept = self._streams.get(stream)
        return StreamStatus(kept.lease.owner, kept.state, kept.last) if kept is not None else None

    async def stop(self, stream: str, owner: str) -> None:
        """Ask the producer to stop."""
        kept = self._streams.get(stream)
        if (self._graves.get(stream) if kept is None else kept.lease.owner) != owner:
            raise UnknownStream(stream)
        if kept is not None:
            kept.lease.stop()

    async def delete(self, stream: str) -> None:
        """Forget a stream."""
        self._graves.pop(stream, None)
        if stream in self._streams:
            self._drop(stream)

    async def aclose(self) -> None:
        """Do nothing: a store in memory has no connections."""

    def _awaits_archive(self, lease: Lease) -> bool:
        kept = self._streams.get(lease.stream)
        return kept is not None and kept.lease is lease and kept.unarchived_end

    def _held(self, lease: Lease) -> _Stream:
        kept = self._streams.get(lease.stream)
        if kept is None or kept.lease is not lease:
            raise Deleted(lease.stream)
        if kept.state != "running":
            raise LeaseLost(lease.stream)
        return kept

    def _touch(self, stream: str, kept: _Stream) -> None:
        self._streams.pop(stream, None)
        self._streams[stream] = kept
        kept.expires = self._clock() + self.ttl

    def _sweep(self) -> None:
        now = self._clock()
        while self._streams:
            name, oldest = next(iter(self._streams.items()))
            if oldest.expires > now:
                return
            if oldest.state == "running":
                self._touch(name, oldest)  # its producer lives, and has nothing to write
            else:
                self._forget(name)

    def _drop(self, stream: str) -> _Stream:
        kept = self._streams.pop(stream)
        self._ended.pop(stream, None)
        self._size -= kept.size
        kept.notify()
        return kept

    def _forget(self, stream: str) -> None:
        kept = self._drop(stream)
        self._graves[stream] = kept.lease.owner
        while len(self._graves) > TOMBSTONES:
            del self._graves[next(iter(self._graves))]


def _weight(entry: Entry) -> int:
    return _ENTRY + getsizeof(entry.data)
