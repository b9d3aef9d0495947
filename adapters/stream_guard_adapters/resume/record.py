"""What is written of one stream: its events and its end, in the store and then in the archive.

Rule 1: what the store has is told; an archive that fails changes nothing of it, and is told later what it missed, in order.
Rule 2: the end is written once, and the archive is told of it when it has all that comes before.
Rule 3: whoever holds a stream says so while it waits, for the store or for the archive.
Rule 4: an archive is told every event that a reader was told, and none that was certainly not stored.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from stream_guard.wire import SseFields

from .store import (
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ResumeStore,
    StoreAway,
    UnknownStream,
    cursor,
)

log: Final = logging.getLogger("stream_guard")

Told = TypeVar("Told")

_LONGEST: Final = 1.0
"""The longest pause between two tries to tell an archive of an end, in seconds."""


class Archive(Protocol):
    """Who keeps streams for good: told of what was stored, in order, and of the end.

    It is told every event that a reader was told. It is told more than the store has where the store lost events, or its
    answer was lost and it may have stored them; such a stream ends as interrupted. A stream that ends otherwise has the same
    events in the archive as in the store.
    """

    async def keep(self, stream: str, entries: Sequence[Entry]) -> None:
        """These were stored. It may hear of entries again that it has already: an entry is known by the stream and its id.

        When a store came back older and a worker continues the stream with `revive`, entries come under numbers that the
        archive has already, with another generation. Their content is the same if `revive` repeats the stream exactly.
        """

    async def ended(self, stream: str, ending: Ending) -> None:
        """The stream is over. Where it is not known whether this was said, it is said again: the first one holds."""


LAST: Final[dict[Ending, SseFields]] = {
    "done": {"event": "done", "data": "{}"},
    "stopped": {"event": "done", "data": '{"ending":"stopped"}'},
    "failed": {"event": "error", "data": '{"message":"The stream failed","ending":"failed"}'},
    "interrupted": {"event": "error", "data": '{"message":"The stream was interrupted","ending":"interrupted"}'},
}
"""What a reader hears at the end."""


class Record:
    """Writes one stream.

    Args:
        store: Where it is kept.
        lease: The right to write to it.
        archive: Who else is told.
        closing: Whether this process ends, so that what cannot be stored or archived now is not waited for.
    """

    def __init__(self, store: ResumeStore, lease: Lease, archive: Archive | None, closing: Callable[[], bool]) -> None:
        self._store = store
        self._lease = lease
        self._shelf = None if archive is None else _Shelf(store, lease, archive)
        self._closing = closing
        self._unsure: Sequence[SseFields] = ()  # was sent, and may have been stored
        self._lost = False  # whether an answer to it was lost
        lease.archived = archive is None

    async def keep(self, events: Sequence[SseFields]) -> None:
        """Store events, and archive them. What was stored or not when this raises is settled by `end`."""
        self._unsure = events
        try:
            entries = await self._store.append(self._lease, events)
        except StoreAway:
            self._lost = True
            raise
        except (EntriesLost, LeaseLost) as error:
            self._lost = self._lost or error.unsure
            if not self._lost:
                self._unsure = ()  # it was not stored: nobody was told it
            raise
        self._unsure, self._lost = (), False
        await self._told(entries)

    async def end(self, ending: Ending, stored: Callable[[], None] = lambda: None) -> None:
        """End the stream, with the event that tells its readers so. Raises LeaseLost. Calls `stored` when its readers can know.

        While the store is away it is tried again, for as long as the stream would be kept. Only then, or when this process
        ends, the archive is told what the store was not.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._store.ttl
        why = ""
        while True:
            try:
                if self._unsure and not await self._again():
                    ending = "interrupted"
                last = await self._store.finalize(self._lease, ending, LAST[ending])
                break
            except Deleted:
                ending, why = "interrupted", "it was deleted"
                if self._shelf is not None:
                    self._shelf.give_up(self._lease.length)
            except EntriesLost:
                why = "something else has its name" if ending == "interrupted" else ""
                ending = "interrupted"
            except StoreAway:
                if not self._closing() and loop.time() < until:
                    continue
                why = "the store is away"
            await self._presume()
            if why:
                last = self._lease.entry(LAST[ending], self._lease.length + 1)
                log.error("the end of a stream could not be stored: %s", why)
                break
        stored()
        await self._told_end(ending, [last], stored=not why)

    async def archive_end(self) -> None:
        """Tell the archive of a stream that has ended, in place of who was to."""
        assert self._lease.ended is not None
        await self._told_end(self._lease.ended, [], stored=True)

    async def _again(self) -> bool:
        """Store what may not be stored; returns whether it is. What the store has lost is presumed to have been told."""
        try:
            await self.keep(self._unsure)
        except EntriesLost:
            await self._presume()
            return False
        return True

    async def _presume(self) -> None:
        """Take what may have been stored for stored: readers may have had it, and the end comes behind it."""
        presumed = self._lease.entries(self._unsure)
        self._lease.length += len(presumed)
        self._unsure = ()
        await self._told(presumed)

    async def _told(self, entries: Sequence[Entry]) -> None:
        if self._shelf is not None and entries:
            await self._shelf.keep(entries)

    async def _told_end(self, ending: Ending, last: Sequence[Entry], *, stored: bool) -> None:
        """Tell the archive of the end, for as long as is tried again. After that, whoever reads the end has it told."""
        if self._shelf is None:
            return
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._store.retry, 0.05
        while not await self._shelf.end(ending, last, self._lease.length):
            if self._closing() or loop.time() > until:
                log.error("the archive was not told of the end of a stream: the next one who reads it has it told")
                return
            await self._shelf.wait(min(pause, self._store.beat))
            pause = min(2 * pause, _LONGEST)
        if stored:
            with contextlib.suppress(StoreAway):  # or else it is told again
                await self._store.archived(self._lease)


class _Shelf:
    """What an archive has of one stream."""

    def __init__(self, store: ResumeStore, lease: Lease, archive: Archive) -> None:
        self._store = store
        self._lease = lease
        self._archive = archive
        self._number = 0
        self._id = ""  # of the last entry that it has
        self._failing = False
        self._said = 0.0  # when the store last heard of this stream, as far as is known here

    async def keep(self, entries: Sequence[Entry]) -> None:
        """Tell it of entries that were stored now, and of those before them that it has not."""
        self._said = asyncio.get_running_loop().time()
        try:
            await self._missed(cursor(entries[0].id)[0] - 1)
            await self._take(entries)
        except Exception as error:
            self._failed(error)

    async def end(self, ending: Ending, last: Sequence[Entry], length: int) -> bool:
        """Tell it of the end, behind all entries; returns whether it was told."""
        try:
            await self._missed(length)
            await self._take(last)
            await self._tell(self._archive.ended, ending)
        except Exception as error:
            self._failed(error)
            return False
        return True

    def give_up(self, number: int) -> None:
        """What it has not of these is gone."""
        self._number = max(self._number, number)

    async def wait(self, seconds: float) -> None:
        """Wait so long, and let the lease not go meanwhile."""
        await self._held(asyncio.create_task(asyncio.sleep(seconds)))

    async def _tell(self, tell: Callable[[str, Told], Awaitable[None]], told: Told) -> None:
        """Tell the archive something, and let the lease not go meanwhile. Whatever the archive raises is an Exception."""

        async def telling() -> None:
            await tell(self._lease.stream, told)

        task = asyncio.create_task(telling())
        await self._held(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            raise error
        if error is not None:
            raise RuntimeError(f"the archive raised {type(error).__name__}") from error

    async def _held(self, task: asyncio.Task[None]) -> None:
        """Wait until a task is done, and let the lease not go meanwhile."""
        loop = asyncio.get_running_loop()
        try:
            while not (await asyncio.wait([task], timeout=max(self._said + self._store.beat - loop.time(), 0)))[0]:
                self._said = loop.time()
                word = asyncio.ensure_future(self._store.append(self._lease, []))
                await asyncio.wait([task, word], return_when=asyncio.FIRST_COMPLETED)
                word.cancel()
                await asyncio.gather(word, return_exceptions=True)  # whoever writes next is told
        finally:
            task.cancel()

    async def _take(self, entries: Sequence[Entry]) -> None:
        entries = [entry for entry in entries if cursor(entry.id)[0] > self._number]
        if entries:
            await self._tell(self._archive.keep, entries)
            self._id = entries[-1].id
            self._number = cursor(self._id)[0]

    async def _missed(self, number: int) -> None:
        """Tell it of what was stored up to a number."""
        if self._number >= number:
            return
        try:
            batches = await self._store.read(self._lease.stream, self._lease.owner, self._id)
            assert batches is not None
            async with contextlib.aclosing(batches):
                async for batch in batches:
                    await self._take([entry for entry in batch if cursor(entry.id)[0] <= number])
                    if self._number >= number:
                        return
        except (Forgotten, EntriesLost, UnknownStream):
            log.error("the archive has a gap: the store has no longer what it missed of a stream")
        self.give_up(number)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            log.error("the archive fails (%s): it is told later what it misses of a stream", type(error).__name__)
