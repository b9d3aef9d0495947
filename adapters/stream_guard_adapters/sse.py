"""Sends a guarded stream as server-sent events, with `sse_starlette.EventSourceResponse`: a chat endpoint in five lines.

    @app.post("/chat")
    async def chat(request):
        stream = await client.chat.completions.create(..., stream=True)
        return EventSourceResponse(guarded_sse(stream, guard))

The events are `text` (its data a JSON string), `json-tool-status`, `json-tool-block`, `json-tool-result` where calls are run,
and at the end `done`, or `error` when the stream fails. The data of each is one line of JSON.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from stream_guard import BlockOutput, Guard, ToolBlock, ToolResult, ToolStatus
from stream_guard.spi import Source, late_modules
from stream_guard.wire import SseFields, to_sse

from .engine.guarded_events import GuardedEvents, Peeked
from .engine.settings import Settings, check_guard
from .engine.uninspected import Note
from .protocols import PROTOCOLS, TEXT, Protocol, recognised

log: Final = logging.getLogger("stream_guard")

_OURS: Final = (ToolStatus, ToolBlock, BlockOutput, ToolResult)
late_modules()  # as the app starts, which has no other object of this door's


def guarded_sse(
    stream: AsyncIterable[Any], guard: Guard | None, *, stream_id: str | None = None, on_uninspected: Note | None = None
) -> AsyncGenerator[SseFields, None]:
    """Guard a stream of text, or of any provider's events, and yield named events.

    Only the texts of a provider's events are sent, and nothing else of them. An event of which no text can be read is left out
    and counted, and the first one is logged with its type. If no event of a stream can be read, the stream fails.

    Args:
        stream: What the client returned.
        guard: How to guard it. None for a stream that is guarded already: what `guard.stream`, a client's wrapper or `run`
            yields is sent as it is.
        stream_id: The beginning of the ids of its blocks.
        on_uninspected: Called with the reason when an event is left out unread; docs/streams.md lists the reasons.
    """
    if guard is not None:
        check_guard(guard)
    return _sent(stream, guard, Settings(stream_id=stream_id, on_uninspected=on_uninspected))


async def _sent(stream: AsyncIterable[Any], guard: Guard | None, settings: Settings) -> AsyncGenerator[SseFields, None]:
    read, unread = False, ""
    try:
        async with aclosing(_items(stream, guard, settings)) as items:
            async for item, protocol in items:
                fields = _sse(item, protocol)
                if fields is None:
                    if guard is None:  # or else it has been counted
                        settings.note("odd event")
                    if not unread:
                        unread = type(item).__name__
                        log.warning("a stream has an event that cannot be read, of the type %s: it is left out", unread)
                    continue
                read = True
                for one in fields:
                    yield one
        if unread and not read:
            raise TypeError(f"nothing of the stream can be read: its events are of the type {unread}")
    except Exception as error:
        log.error("a stream failed: %s", type(error).__name__)
        yield {"event": "error", "data": json.dumps({"message": "The stream failed"})}
        return
    yield {"event": "done", "data": "{}"}


async def _items(
    stream: AsyncIterable[Any], guard: Guard | None, settings: Settings
) -> AsyncGenerator[tuple[Any, Protocol | None], None]:
    """Yield the items of a guarded stream, each with its protocol; None for an item without a protocol."""
    if guard is None:
        async with aclosing(Source(stream)) as already:
            iterator: AsyncIterator[Any] = already.iterator
            async for item in iterator:
                yield item, None if isinstance(item, _OURS) else recognised(item)
        return
    async with aclosing(Peeked(stream)) as source:
        found = await source.protocol(or_else=TEXT)
        async with GuardedEvents(source, guard, found, settings, PROTOCOLS.values()) as guarded:
            async for item in guarded:
                yield item, guarded.protocol


def _sse(item: Any, protocol: Protocol | None) -> list[SseFields] | None:
    """Return the events of an item: one, or one for each of its texts. None for an item that cannot be read."""
    if isinstance(item, _OURS):
        return [to_sse(item)]
    texts = protocol.said(item) if protocol is not None else ()
    if protocol is None or not (texts or protocol.reads(item)):
        return None
    return [{"event": "text", "data": json.dumps(text)} for _, text in texts]
