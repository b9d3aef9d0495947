"""Streams that survive a reload, a lost connection and a worker: the producer runs apart from the request.

    streams = ResumableStreams(MemoryStore(), guard)  # or RedisStore("redis://...") for several workers and machines

    async def ask(request):
        await streams.start(stream_id, session, lambda: client.chat.completions.create(..., stream=True))

    async def events(request):
        entries = streams.read(stream_id, session, request.headers.get("last-event-id", ""))
        return EventSourceResponse(entry.sse() async for entry in entries)

    provider -> streams.py (guards it, appends) -> store -> streams.py (reads after a cursor, follows) -> reader

Rule 1: only whole events that the guard let through are stored; nobody can resume in the middle of a block.
Rule 2: an entry's id in the store is the event's id on the wire, so a browser's own `Last-Event-ID` works as it is.
Rule 3: a stream belongs to the session that began it; to any other it does not exist.
"""

from .memory import MemoryStore
from .redis import RedisStore
from .store import (
    Ending,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ProducerGone,
    ResumeStore,
    State,
    StreamStatus,
    UnknownStream,
)
from .streams import Archive, ResumableStreams

__all__ = [
    "Archive",
    "Ending",
    "Entry",
    "Forgotten",
    "Lease",
    "LeaseLost",
    "MemoryStore",
    "ProducerGone",
    "RedisStore",
    "ResumableStreams",
    "ResumeStore",
    "State",
    "StreamStatus",
    "UnknownStream",
]
