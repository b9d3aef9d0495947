"""Native tool calls in the protocols of Gemini, Ollama, the AI SDK and AG-UI: as events, and as their clients read them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import httpx2
from ag_ui.core import Event as AgUiEvent
from google import genai
from ollama import AsyncClient
from pydantic import TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.events import guard_events
from stream_guard_conformance.corpus.native import Event, Given, body_of, read

from stream_guard import Guard, ToolBlock
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import ARGUMENTS, ASKED, DELETE, GOOD, WEATHER
from tests.kit.servers import served

Called = list[tuple[str, Any]]
"""The calls that a client reads, each a tool and its arguments."""


def serving(streams: dict[str, tuple[str, Sequence[Event]]], guard: Guard, **settings: Any) -> Any:
    """An app, behind the middleware, that answers with the stream whose name is in the path: its protocol and its events."""

    async def answer(request: Request) -> Response:
        name = next(part for part in request.url.path.split("/") if part in streams)
        protocol, events = streams[name]

        async def sent() -> AsyncIterator[bytes]:
            yield body_of(events, protocol).encode()

        kind = "application/x-ndjson" if protocol == "ollama" else "text/event-stream"
        headers = {"x-vercel-ai-ui-message-stream": "v1"} if protocol == "ai-sdk" else {}
        return StreamingResponse(sent(), media_type=kind, headers=headers)

    routes = [Route("/{path:path}", answer, methods=["GET", "POST"])]
    return StreamGuardMiddleware(Starlette(routes=routes), guard=guard, **settings)


async def through_gemini(events: Sequence[Event], guard: Guard, **settings: Any) -> Called:
    def asked(url: str) -> Called:
        with genai.Client(api_key="k", http_options={"base_url": f"{url}/g"}) as client:
            replies = client.models.generate_content_stream(model="m", contents="x")
            return [(str(call.name), call.args) for reply in replies for call in reply.function_calls or ()]

    async with served(serving({"g": ("gemini", events)}, guard, **settings)) as url:
        return await asyncio.to_thread(asked, url)


async def through_ollama(events: Sequence[Event], guard: Guard, **settings: Any) -> Called:
    found: Called = []
    async with served(serving({"o": ("ollama", events)}, guard, **settings)) as url, AsyncClient(host=f"{url}/o") as client:
        async for reply in await client.chat(model="m", messages=ASKED, stream=True):
            found += [(call.function.name, dict(call.function.arguments)) for call in reply.message.tool_calls or ()]
    return found


_AG_UI: Final[TypeAdapter[Any]] = TypeAdapter(AgUiEvent)


def called_in_run(body: str) -> Called:
    """The calls in a run, put together from the objects that AG-UI's package reads. It raises for an odd event."""
    names: dict[str, str] = {}
    said: dict[str, str] = {}
    ended = False
    last = ""
    for line in body.splitlines():
        if not line.startswith("data: "):
            continue
        event = _AG_UI.validate_json(line[6:])
        assert not ended, "nothing may follow the end of a run"
        kind = event.type.value
        if kind == "TOOL_CALL_START" or (kind == "TOOL_CALL_CHUNK" and event.tool_call_id not in (None, last)):
            assert event.tool_call_id not in names, "a call begins once"
            last = event.tool_call_id
            names[last], said[last] = event.tool_call_name, ""
        if kind in ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"):
            said[event.tool_call_id or last] += event.delta or ""
        if kind in ("TOOL_CALL_END", "TOOL_CALL_RESULT"):
            assert event.tool_call_id in names, "nothing is said of a call that is not there"
        ended = kind in ("RUN_FINISHED", "RUN_ERROR")
    return [(name, read(said[known])) for known, name in names.items()]


async def through_ag_ui(events: Sequence[Event], guard: Guard, **settings: Any) -> Called:
    async with served(serving({"a": ("ag-ui", events)}, guard, **settings)) as url, httpx2.AsyncClient() as client:
        return called_in_run((await client.get(f"{url}/a")).text)


THROUGH: Final[dict[str, Callable[..., Any]]] = {
    "gemini": through_gemini,
    "ollama": through_ollama,
    "ag-ui": through_ag_ui,
}
"""How a client reads the calls of a stream. The AI SDK's, which is written in JavaScript, reads several at once."""


GUARD = Guard(FILE_TOOLS)
WRONG: Given = ("write_file", '{"path": "a.txt", "content": ["x"]}')
OTHER_NAMES: Given = ("create_file", GOOD.replace("path", "filename"))
WRITTEN = ("write_file", ARGUMENTS)
REFUSED = ("write_file", read(WRONG[1]))
DELETED = ("delete_file", {"path": "b"})
RIO = ("weather", {"city": "Rio"})
IN_PIECES = ("ai-sdk", "ag-ui")
"""The protocols whose arguments come in pieces, so that a call can be cut off."""
OBJECTS = ("gemini", "ollama")
"""Those whose calls come whole, and end with their message."""


async def guarded(events: Sequence[Event], protocol: str, guard: Guard = GUARD, **settings: Any) -> list[Any]:
    stream: Any = guard_events(FakeStream(events), guard, protocol, **settings)
    return await collect(stream)


def blocks(items: Sequence[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


def sent(items: Sequence[Any]) -> list[Event]:
    return [item for item in items if isinstance(item, dict)]


def said(events: Sequence[Event]) -> Called:
    """The calls in the events of any of the protocols."""
    found: Called = []
    for event in events:
        for candidate in event.get("candidates", ()):
            calls = [part["functionCall"] for part in candidate["content"]["parts"] if "functionCall" in part]
            found += [(call["name"], call["args"]) for call in calls]
        calls = [call["function"] for call in event.get("message", {}).get("tool_calls") or ()]
        found += [(call["name"], call["arguments"]) for call in calls]
        if event.get("type") == "tool-input-available":
            found.append((event["toolName"], event["input"]))
    lines = "".join(f"data: {json.dumps(event)}\n" for event in events if str(event.get("type", "")).isupper())
    return [*found, *called_in_run(lines)]


CALLS: dict[str, tuple[list[Given], list[bool], Called, Called]] = {
    "valid": ([("write_file", GOOD)], [True], [WRITTEN], [WRITTEN]),
    "other names": ([OTHER_NAMES], [True], [WRITTEN], [WRITTEN]),
    "two": ([("write_file", GOOD), DELETE], [True, True], [WRITTEN, DELETED], [WRITTEN, DELETED]),
    "the same twice": ([DELETE, DELETE], [True, True], [DELETED, DELETED], [DELETED, DELETED]),
    "not ours": ([WEATHER], [], [RIO], [RIO]),
    "failed": ([WRONG], [False], [REFUSED], []),
    "failed, then good": ([WRONG, WEATHER, DELETE], [False, True], [REFUSED, RIO, DELETED], [RIO, DELETED]),
}  # fmt: skip
"""Calls, which of them may run, and what a client reads of them: with `mend`, and with `withhold`."""


def as_objects(events: Sequence[Event], protocol: str) -> list[Any]:
    """The events as their client reads them."""
    from google.genai.types import GenerateContentResponse
    from ollama import ChatResponse

    kind: Any = {"gemini": GenerateContentResponse, "ollama": ChatResponse}[protocol]
    return [kind.model_validate(event) for event in events]
