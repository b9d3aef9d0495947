"""Streams that survive a reload, a lost connection and a worker: the producer runs apart from the request.

    streams = ResumableStreams(MemoryStore(), guard)  # or RedisStore("redis://...") for several workers and machines


    async def begin(request):  # what a new stream is made of
        messages = (await request.json())["messages"]
        return lambda: client.chat.completions.create(messages=messages, ..., stream=True)


    app.mount("/streams", resume_routes(streams, session=session, begin=begin))

    provider -> streams.py (guards it) -> record.py (appends, archives) -> store
    store -> streams.py (reads after a cursor, follows) -> reader

Rule 1: only whole events that the guard yields are stored; nobody can resume in the middle of a block.
Rule 2: an entry's id in the store is the event's id on the wire, so that the browser's own `Last-Event-ID` works.
Rule 3: no reader gets a stream with a gap: a stream that has lost events ends as interrupted.
Rule 4: a stream belongs to the session that began it; for any other session it does not exist.

Owns: stores, the producer and the readers of a stream, and the routes of both.
May import: sse, engine.uninspected.
May not: know of a provider or a protocol: it stores the events that `sse` makes.
"""

from .memory import MemoryStore
from .record import Archive
from .redis import RedisStore
from .routes import resume_response, resume_routes
from .store import (
    Closing,
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ProducerGone,
    ResumeStore,
    State,
    StoreAway,
    StreamStatus,
    UnknownStream,
)
from .streams import Open, ResumableStreams

__all__ = [
    "Archive",
    "Closing",
    "Deleted",
    "Ending",
    "EntriesLost",
    "Entry",
    "Forgotten",
    "Lease",
    "LeaseLost",
    "MemoryStore",
    "Open",
    "ProducerGone",
    "RedisStore",
    "ResumableStreams",
    "ResumeStore",
    "State",
    "StoreAway",
    "StreamStatus",
    "UnknownStream",
    "resume_response",
    "resume_routes",
]
