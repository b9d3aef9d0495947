"""A server to be told to end, in every phase of a stream: `python endings.py SERVER PHASE LOG`.

What it opens and closes it writes to the log, a word a line; and first the port that it listens on.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "adapters")]

import hypercorn.asyncio  # noqa: E402
import uvicorn  # noqa: E402
from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import Response, StreamingResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402
from stream_guard_adapters.asgi import StreamGuardMiddleware  # noqa: E402

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard  # noqa: E402
from stream_guard.tools.files import FILE_TOOLS  # noqa: E402
from tests.kit.provider import openai as openai_wire  # noqa: E402

BLOCK = '```json\n{"tool": "write_file", "path": "a.txt", "content": %s}\n```\nAfter.\n'
SAID = {
    "before the first byte": "",
    "in prose": "Hello.\n",
    "in a block": "Hello.\n" + (BLOCK % '"x"')[:60],
    "while correcting": "Hello.\n" + BLOCK % "[7]",
    "after a block": "Hello.\n" + BLOCK % '"x"',
    "with nobody reading": "word " * 20,
    "with nothing to do": "",
}
"""What the app says in each phase, before it goes on without end."""

PHASES = tuple(SAID)


def main(server: str, phase: str, log: str) -> None:
    """Serve until told to end."""

    def note(word: str) -> None:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{word}\n")

    async def stream() -> AsyncIterator[bytes]:
        note("opened")
        try:
            said = SAID[phase]
            events = [event async for event in openai_wire([said[at : at + 9] for at in range(0, len(said), 9)])]
            for event in events[1:-3] if said else ():
                yield event
            if phase != "while correcting":
                note("there")
            while True:
                if phase == "with nobody reading":
                    yield events[1] * 500
                await asyncio.sleep(0.01)
        finally:
            note("closed")

    async def correct(_: CorrectionRequest) -> str:
        note("asked")
        note("there")
        try:
            await asyncio.Event().wait()
        finally:
            note("cancelled")
        return ""

    async def answer(_: Request) -> Response:
        return StreamingResponse(stream(), media_type="text/event-stream")

    guarded = StreamGuardMiddleware(
        Starlette(routes=[Route("/", answer)]),
        guard=Guard(FILE_TOOLS, corrector=correct, correction=CorrectionPolicy(timeout=3_600)),
    )
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    if server == "uvicorn":
        note(str(port))
        config = uvicorn.Config(guarded, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])
    else:
        asyncio.run(_hypercorn(guarded, listening, note, port))


async def _hypercorn(app: Any, listening: socket.socket, note: Any, port: int) -> None:
    config = hypercorn.Config()
    config.bind = [f"fd://{listening.detach()}"]
    config.graceful_timeout = 1
    note(str(port))
    await hypercorn.asyncio.serve(app, config, mode="asgi")


if __name__ == "__main__":
    main(*sys.argv[1:])
