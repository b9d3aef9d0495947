"""Sends a guarded stream as server-sent events, with `sse_starlette.EventSourceResponse`: a chat endpoint in five lines.

    @app.post("/chat")
    async def chat(request):
        stream = await client.chat.completions.create(..., stream=True)
        return EventSourceResponse(guarded_sse(stream, guard))

The events are `text` (its data a JSON string), `json-tool-status`, `json-tool-block`, and at the end `done`, or `error` when
the stream fails. The data of each is one line of JSON.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any, Final

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.wire import SseFields, to_sse

from .engine.guarded_events import GuardedEvents, Peeked
from .engine.settings import Settings
from .protocols import PROTOCOLS, TEXT, Protocol

log: Final = logging.getLogger("stream_guard")


async def guarded_sse(
    stream: AsyncIterable[Any], guard: Guard, *, stream_id: str | None = None
) -> AsyncGenerator[SseFields, None]:
    """Guard a stream of text, or of any provider's events, and yield named events.

    Only the texts of a provider's events are sent, and nothing else of them.
    """
    source = Peeked(stream)
    try:
        protocol = await source.protocol(or_else=TEXT)
        async with GuardedEvents(source, guard, protocol, Settings(stream_id=stream_id), PROTOCOLS.values()) as guarded:
            async for item in guarded:
                for fields in _sse(item, guarded.protocol):
                    yield fields
    except Exception as error:
        log.error("a stream failed: %s", type(error).__name__)
        yield {"event": "error", "data": json.dumps({"message": "The stream failed"})}
        return
    finally:
        await source.aclose()
    yield {"event": "done", "data": "{}"}


def _sse(item: Any, protocol: Protocol) -> list[SseFields]:
    if isinstance(item, ToolStatus | ToolBlock):
        return [to_sse(item)]
    texts = protocol.texts(item) if protocol.reads(item) else ()  # an event of another shape has no text to send
    return [{"event": "text", "data": json.dumps(text)} for _, text in texts]
