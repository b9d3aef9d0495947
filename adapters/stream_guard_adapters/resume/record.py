"""Writes one stream, its events and its end, to the store and then to the archive.

Rule 1: readers get what the store has, even if the archive fails. The archive later gets what it missed, in order.
Rule 2: the end is written once, and the archive gets it after all events before it.
Rule 3: the holder of a stream has heartbeats also while it waits for the store, the archive or the provider.
Rule 4: an archive gets every event that a reader got, unless the worker dies and the store loses the event. It gets no event
that was certainly not stored. If it missed events that the store no longer keeps, it gets the others, and the end
`interrupted`, as a reader would.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from stream_guard.wire import SseFields

from .store import (
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    NotTaken,
    ResumeStore,
    StoreAway,
    UnknownStream,
    WrongKind,
    cursor,
)

log: Final = logging.getLogger("stream_guard")

Given = TypeVar("Given")

_LONGEST: Final = 1.0
"""The longest pause between two attempts to archive an end, in seconds."""


class Archive(Protocol):
    """**Protocol:** keeps streams for good: it gets the stored events, in order, and the end.

    It gets every event that a reader got, unless the worker dies and the store comes back older: it is called after the store.
    It gets more than the store has if the store lost events, or if the store's answer was lost and it may have stored them.
    Such a stream ends as interrupted. It also ends as interrupted if the archive missed events that the store no longer keeps.
    Any other stream has the same events in the archive and in the store.
    """

    async def keep(self, stream: str, entries: Sequence[Entry]) -> None:
        """Keep entries that were stored. They may include entries that the archive has already, with the same stream and id.

        When a store came back older and a worker continues the stream with `revive`, entries come under numbers that the
        archive has already, with another generation. Their content is the same if `revive` repeats the stream exactly.
        """

    async def ended(self, stream: str, ending: Ending) -> None:
        """Record how a stream ended. It may be called again if the first call's result is unknown: the first call counts."""


LAST: Final[dict[Ending, SseFields]] = {
    "done": {"event": "done", "data": "{}"},
    "stopped": {"event": "done", "data": '{"ending":"stopped"}'},
    "failed": {"event": "error", "data": '{"message":"The stream failed","ending":"failed"}'},
    "interrupted": {"event": "error", "data": '{"message":"The stream was interrupted","ending":"interrupted"}'},
}
"""The last event of a stream, by its ending."""


class Record:
    """Writes one stream to the store and the archive.

    Args:
        store: The store.
        lease: The right to write to the stream.
        archive: The archive, if there is one.
        waited_until: Returns the loop's time until which an ending process waits for a store that does not answer; None if the
            process is not ending. In an ending process, an archive that fails is not asked again.
    """

    def __init__(
        self, store: ResumeStore, lease: Lease, archive: Archive | None, waited_until: Callable[[], float | None]
    ) -> None:
        self._store = store
        self._lease = lease
        self._pulse = _Pulse(store, lease)
        self._shelf = None if archive is None else _Shelf(store, lease, archive, self._pulse)
        self._waited_until = waited_until
        self._until: float | None = None  # the store has not answered since this process ends, and is waited for until then
        self._unsure: Sequence[SseFields] = ()  # were sent, and may have been stored
        self._lost = False  # whether an answer to it was lost
        self._refused = False  # whether the store never takes it
        lease.archived = archive is None and lease.epoch == 1  # the worker that the stream had before may have an archive

    async def held(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Wait for a coroutine, and keep the lease meanwhile."""
        await self._pulse.held(coroutine)

    async def keep(self, events: Sequence[SseFields]) -> None:
        """Store events, and archive them. If this raises, `end` finds out what was stored."""
        self._unsure = events
        try:
            entries = await self._in_time(partial(self._store.append, self._lease, events))
        except StoreAway:
            self._lost = True
            raise
        except (EntriesLost, LeaseLost) as error:
            self._lost = self._lost or error.unsure
            self._refused = isinstance(error, NotTaken)
            if not self._lost:
                self._unsure = ()  # they were not stored: no reader got them
            raise
        self._pulse.now()
        self._unsure, self._lost = (), False
        await self._to_archive(entries)

    async def end(self, ending: Ending, stored: Callable[[], None] = lambda: None) -> None:
        """End the stream with its last event. Raises LeaseLost. Calls `stored` as soon as readers can read that event.

        While the store is away this is repeated, for as long as the stream would be kept. After that, or when this process
        ends, the archive gets an end that the store does not have.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._store.ttl
        why = ""
        while True:
            try:
                if self._unsure and not await self._again():
                    ending = "interrupted"
                last = await self._in_time(partial(self._store.finalize, self._lease, ending, LAST[ending]))
                break
            except Deleted:
                ending, why = "interrupted", "it was deleted"
                if self._shelf is not None:
                    self._shelf.give_up(self._lease.length)
            except EntriesLost:
                why = "its key holds a value of another type" if ending == "interrupted" else ""
                ending = "interrupted"
            except StoreAway:
                if not self._ends and loop.time() < until:
                    continue
                why = "the store is away"
            await self._presume()
            if why:
                last = self._lease.entry(LAST[ending], self._lease.length + 1)
                log.error("the end of a stream could not be stored: %s", why)
                break
        stored()
        await self._archive_ending(ending, [last], stored=not why)

    async def archive_end(self) -> None:
        """Archive the end of a stream whose producer did not."""
        assert self._lease.ended is not None
        await self._archive_ending(self._lease.ended, [], stored=True)

    async def _in_time(self, call: Callable[[], Awaitable[Given]]) -> Given:
        """Return the result of a call of the store. Raises StoreAway if this process ends and no longer waits for it."""
        if not self._ends:
            return await call()
        until = self._until = self._until or self._waited_until()
        with contextlib.suppress(StoreAway, TimeoutError):
            if until is not None and asyncio.get_running_loop().time() < until:
                async with asyncio.timeout_at(until):
                    return await self._answer(call)
        raise StoreAway("this process ends, and the store does not answer")

    async def _answer(self, call: Callable[[], Awaitable[Given]]) -> Given:
        """Return the result of a call of the store. After any answer, the next call gets the full time again."""
        try:
            given = await call()
        except (StoreAway, asyncio.CancelledError):
            raise
        except Exception:
            self._until = None
            raise
        self._until = None
        return given

    @property
    def _ends(self) -> bool:
        """Whether this process ends."""
        return self._waited_until() is not None

    async def _again(self) -> bool:
        """Store events that may not have been stored; return whether they are stored now. Lost events may have been read."""
        try:
            if not self._refused:
                await self.keep(self._unsure)
                return True
        except EntriesLost:
            pass
        await self._presume()
        return False

    async def _presume(self) -> None:
        """Treat events that may have been stored as stored: readers may have got them, and the end follows them."""
        presumed = self._lease.entries(self._unsure)
        self._lease.length += len(presumed)
        self._unsure = ()
        await self._to_archive(presumed)

    async def _to_archive(self, entries: Sequence[Entry]) -> None:
        if self._shelf is not None and entries:
            await self._shelf.keep(entries)

    async def _archive_ending(self, ending: Ending, last: Sequence[Entry], *, stored: bool) -> None:
        """Archive the end, repeatedly for a time. After that, the next reader of the end tries again."""
        if self._shelf is None:
            return
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._store.retry, 0.05
        try:
            while not await self._shelf.end(ending, last, self._lease.length):
                if self._ends or loop.time() > until:
                    log.error("the end of a stream could not be archived: that is tried again when somebody reads it")
                    return
                await self._shelf.wait(min(pause, self._store.beat))
                pause = min(2 * pause, _LONGEST)
            if stored:
                await self.held(self._mark())
        finally:
            self._lease.released = True

    async def _mark(self) -> None:
        """Record that the archive has the end, for as long as the stream is kept. An end without the mark is archived again."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._store.ttl
        while loop.time() < until:
            try:
                await self._in_time(partial(self._store.archived, self._lease))
                return
            except WrongKind:
                return  # nobody can read the end
            except StoreAway:
                if self._ends:
                    break
        log.error("that an end was archived could not be stored: it is archived again when somebody reads it")


class _Pulse:
    """The heartbeats of the holder of a stream while it waits for something else than the store."""

    def __init__(self, store: ResumeStore, lease: Lease) -> None:
        self._store = store
        self._lease = lease
        self._last = 0.0

    def now(self) -> None:
        """Note that the store has had a heartbeat now."""
        self._last = asyncio.get_running_loop().time()

    async def held(self, given: Awaitable[Given]) -> Given:
        """Return the result of an awaitable, with heartbeats meanwhile. If the caller is cancelled, they end first."""
        task = asyncio.ensure_future(given)
        try:
            await self.during(task)
        finally:
            await asyncio.wait([task])
        return task.result()

    async def during(self, task: asyncio.Future[Any]) -> None:
        """Wait until a task is done, with heartbeats meanwhile. If the caller is cancelled, the task is cancelled too."""
        loop = asyncio.get_running_loop()
        try:
            while not (await asyncio.wait([task], timeout=max(self._last + self._store.beat - loop.time(), 0)))[0]:
                self._last = loop.time()
                beat = asyncio.ensure_future(self._store.append(self._lease, []))
                await asyncio.wait([task, beat], return_when=asyncio.FIRST_COMPLETED)
                beat.cancel()
                await asyncio.gather(beat, return_exceptions=True)  # the next write raises the same
        finally:
            task.cancel()


class _ArchiveFailed(Exception):
    """Raised for any exception of an archive. It may be a store's error: the archive may have a store of its own."""


class _Shelf:
    """The archive's part of one stream: what it has, and what it missed."""

    def __init__(self, store: ResumeStore, lease: Lease, archive: Archive, pulse: _Pulse) -> None:
        self._store = store
        self._lease = lease
        self._archive = archive
        self._pulse = pulse
        self._number = 0
        self._id = ""  # of the last entry that it has
        self._failing = False
        self._lacks = False  # whether it missed entries that are gone

    async def keep(self, entries: Sequence[Entry]) -> None:
        """Archive entries that were just stored, after earlier ones that the archive missed."""
        try:
            await self._missed(cursor(entries[0].id)[0] - 1)
            await self._take(entries)
        except Exception as error:
            self._failed(error)

    async def end(self, ending: Ending, last: Sequence[Entry], length: int) -> bool:
        """Archive the end, after all entries; returns whether that succeeded."""
        try:
            await self._missed(length)
            await self._take(last)
            self._tell_gap(self._number)
            await self._call(self._archive.ended, "interrupted" if self._lacks else ending)
        except Exception as error:
            self._failed(error)
            return False
        return True

    def give_up(self, number: int) -> None:
        """Note that entries up to this number, which the archive missed, are gone."""
        self._number = max(self._number, number)

    async def wait(self, seconds: float) -> None:
        """Wait for some seconds, and keep the lease meanwhile."""
        await self._pulse.during(asyncio.create_task(asyncio.sleep(seconds)))

    async def _call(self, method: Callable[[str, Given], Awaitable[None]], given: Given) -> None:
        """Call a method of the archive, and keep the lease meanwhile. Raises _ArchiveFailed for whatever it raises."""

        async def calling() -> None:
            await method(self._lease.stream, given)

        task = asyncio.create_task(calling())
        await self._pulse.during(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            raise _ArchiveFailed(type(error).__name__) from error

    async def _take(self, entries: Sequence[Entry]) -> None:
        entries = [entry for entry in entries if cursor(entry.id)[0] > self._number]
        if entries:
            await self._call(self._archive.keep, entries)
            self._tell_gap(cursor(entries[0].id)[0] - 1)
            self._id = entries[-1].id
            self._number = cursor(self._id)[0]

    async def _missed(self, number: int) -> None:
        """Archive the stored entries up to a number that the archive missed."""
        for gap in (False, True):
            if self._number >= number:
                return
            try:
                await self._read(number, gap=gap)
            except Forgotten:
                continue
            except (EntriesLost, UnknownStream):
                break
        self.give_up(number)

    async def _read(self, number: int, *, gap: bool) -> None:
        """Archive the stored entries up to a number; with `gap`, only those that the store still has."""
        batches = await self._pulse.held(self._store.read(self._lease.stream, self._lease.owner, self._id, gap=gap))
        assert batches is not None
        async with contextlib.aclosing(batches):
            while (batch := await self._pulse.held(anext(batches, None))) is not None:
                await self._take([entry for entry in batch if cursor(entry.id)[0] <= number])
                if self._number >= number:
                    return

    def _tell_gap(self, number: int) -> None:
        """Report that the archive lacks entries up to this number, if it does. An earlier worker may have archived them."""
        had = cursor(self._id)[0]
        if had >= number:
            return
        self._lacks = self._lacks or had > 0 or (self._lease.epoch == 1 and self._lease.ended is None)
        what = "lacks" if self._lacks else "may lack"
        log.error("the archive %s the events %d to %d of a stream: the store has them no more", what, had + 1, number)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            name = type(error.__cause__ if isinstance(error, _ArchiveFailed) else error).__name__
            log.error("the archive fails (%s): what it lacks of a stream is sent again later", name)
