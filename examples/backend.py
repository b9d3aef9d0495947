"""A chat backend: the page sends a prompt, the reply streams in, calls are checked, and those that may run are run.

pip install "stream-guard-llm[asgi]" uvicorn
uvicorn examples.backend:app

A copy, with `backend.html` beside it, is started as `uvicorn backend:app`. Then open http://127.0.0.1:8000. With OPENAI_API_KEY
(and the extra `openai`) a model answers; without it, a script.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from stream_guard import BlockOutput, Guard, Tool, ToolBlock, Toolset, ToolStatus, run
from stream_guard.wire import to_sse

log = logging.getLogger(__name__)
NOTES: dict[str, str] = {}


def save_note(call: dict[str, Any]) -> str:
    """Keep a note in memory."""
    NOTES[call["title"]] = call["text"]
    return f"saved, {len(NOTES)} notes in all"


TOOLS = Toolset(
    Tool(
        "save_note",
        "Save a note under a title",
        {
            "type": "object",
            "properties": {"title": {"type": "string", "minLength": 1}, "text": {"type": "string"}},
            "required": ["title", "text"],
            "additionalProperties": False,
        },
        handler=save_note,
    )
)
GUARD = Guard(TOOLS)
SYSTEM = {"role": "system", "content": TOOLS.to_prompt()}


async def scripted(conversation: list[Any]) -> AsyncIterator[str]:
    """Stands for a model: a call with a comma too many, then an answer to its result."""
    call = '```json\n{"tool": "save_note", "title": "Milk", "text": "Buy milk.",}\n```\n'
    reply = "It is saved." if len(conversation) > 1 else f"I'll note that.\n\n{call}"
    for at in range(0, len(reply), 5):
        await asyncio.sleep(0.02)
        yield reply[at : at + 5]


async def asked(conversation: list[Any]) -> AsyncIterator[str]:
    """Ask a model; its text is all that is needed."""
    from openai import AsyncOpenAI

    messages: list[Any] = [SYSTEM, *conversation]
    async with AsyncOpenAI() as client:
        reply = await client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4.1-mini"), messages=messages, stream=True
        )
        async for chunk in reply:
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content


async def chat(request: Request) -> EventSourceResponse:
    """Stream a reply, and go on until the model calls nothing."""
    prompt = (await request.json())["prompt"]
    model = asked if "OPENAI_API_KEY" in os.environ else scripted

    async def rounds() -> AsyncIterator[Any]:
        conversation: list[Any] = [{"role": "user", "content": prompt}]
        for _ in range(5):
            async with run(GUARD.stream(model(conversation)), TOOLS) as turn:
                async for item in turn:
                    match item:
                        case str():
                            yield {"event": "text", "data": json.dumps(item)}
                        case ToolStatus() | ToolBlock() | BlockOutput():
                            yield to_sse(item)
            conversation += turn.messages("text")
            if not turn.outputs:
                break
        yield {"event": "done", "data": "{}"}

    async def events() -> AsyncIterator[Any]:
        try:
            async for event in rounds():
                yield event
        except Exception as error:  # a wrong key, a provider that is away: the page says so, and the log says why
            log.exception("the reply failed")
            yield {"event": "error", "data": json.dumps({"message": f"The reply failed ({type(error).__name__})"})}

    return EventSourceResponse(events())


async def page(_: Request) -> FileResponse:
    """Send the page."""
    return FileResponse(Path(__file__).with_name("backend.html"))


app = Starlette(routes=[Route("/", page), Route("/chat", chat, methods=["POST"])])
