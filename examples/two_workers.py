"""Resumable streams over two workers: one may die, and nobody is left waiting.

    pip install "stream-guard-llm[asgi,redis]" uvicorn
    export REDIS=redis://127.0.0.1:6379
    uvicorn --factory examples.two_workers:app --port 8001 &
    uvicorn --factory examples.two_workers:app --port 8002 &

    curl -X POST localhost:8001/streams/ -H 'x-session: me' -d '{"prompt": "a button"}'    # {"stream": "..."}
    curl -N localhost:8002/streams/... -H 'x-session: me'                                  # at the other worker

Whose request it is, a header says here; in an app it is the user of a session. What a provider says is made up here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount
from stream_guard_adapters.resume import Open, RedisStore, ResumableStreams, resume_routes

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS


async def provider(prompt: str) -> AsyncIterator[str]:
    """What a model says, word by word."""
    block = json.dumps({"tool": "write_file", "path": "button.html", "content": f"<button>{prompt}</button>"})
    for word in f"Here is {prompt}.\n\n```json\n{block}\n```\nDone.\n".split(" "):
        await asyncio.sleep(0.1)
        yield f"{word} "


def session(request: Request) -> str | None:
    """Whose request it is."""
    return request.headers.get("x-session")


async def begin(request: Request) -> Open:
    """What a new stream is made of."""
    prompt = str((await request.json()).get("prompt", "nothing"))
    return lambda: provider(prompt)


def app() -> Starlette:
    """The app of one worker."""
    store = RedisStore(os.environ["REDIS"], lease=float(os.environ.get("LEASE", "5")))
    streams = ResumableStreams(store, Guard(FILE_TOOLS))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
        yield
        await streams.aclose(grace=10)
        await store.aclose()

    routes = [Mount("/streams", resume_routes(streams, session=session, begin=begin))]
    return Starlette(routes=routes, lifespan=lifespan)
