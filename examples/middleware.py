"""An app that passes a provider's stream on, behind the middleware: no line of the app knows of the guard.

pip install "stream-guard-llm[asgi,openai]" uvicorn
export OPENAI_API_KEY=...
uvicorn examples.middleware:app

curl -N localhost:8000/chat -d '{"prompt": "Write hello.py"}'
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

from openai import AsyncOpenAI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS


async def chat(request: Request) -> StreamingResponse:
    """Pass the provider's chunks on as server-sent events."""
    prompt = (await request.json())["prompt"]

    async def events() -> AsyncIterator[str]:
        async with AsyncOpenAI() as client:
            async for chunk in await client.chat.completions.create(
                model=os.environ.get("MODEL", "gpt-4.1-mini"),
                messages=[{"role": "system", "content": FILE_TOOLS.to_prompt()}, {"role": "user", "content": prompt}],
                stream=True,
            ):
                yield f"data: {chunk.model_dump_json(exclude_none=True)}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


app = Starlette(
    routes=[Route("/chat", chat, methods=["POST"])],
    middleware=[Middleware(StreamGuardMiddleware, guard=Guard(FILE_TOOLS))],
)
