"""Native tool calls in the protocols of Gemini, Ollama, the AI SDK and AG-UI: as events, and as their clients read them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random
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

from stream_guard import Guard
from tests.kit.native_calls import ASKED, Event, Given, pieces
from tests.kit.servers import served

Called = list[tuple[str, Any]]
"""The calls that a client reads, each a tool and its arguments."""


def read(arguments: str) -> Any:
    """Return arguments as the object that they are; as a text where they are no JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def gemini(calls: Sequence[Given], finish: str | None = "STOP", *, text: str = "Hi\n", ids: bool = False) -> list[Event]:
    """The calls as chunks of a reply, each in one of its own; the text in pieces before them."""
    usage = {"promptTokenCount": 1, "totalTokenCount": 2}

    def chunk(*parts: Event, **more: Any) -> Event:
        candidate = {"content": {"parts": [*parts], "role": "model"}, "index": 0, **more}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}

    said = [chunk({"text": text[at : at + 5]}) for at in range(0, len(text), 5)]
    for nth, (name, arguments) in enumerate(calls):
        call = {"name": name, "args": read(arguments), **({"id": f"t{nth}"} if ids else {})}
        said.append(chunk({"functionCall": call, "thoughtSignature": "c2lnbmVk"}))
    return [*said, *([chunk({"text": ""}, finishReason=finish)] if finish is not None else [])]


def ollama(calls: Sequence[Given], finish: str | None = "stop", *, text: str = "Hi\n", ids: bool = False) -> list[Event]:
    """The calls as lines of a reply, each in one of its own; the text in pieces before them."""

    def line(content: str, calls: Sequence[Event] = (), **more: Any) -> Event:
        message = {"role": "assistant", "content": content, **({"tool_calls": [*calls]} if calls else {})}
        return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}

    said = [line(text[at : at + 5]) for at in range(0, len(text), 5)]
    for nth, (name, arguments) in enumerate(calls):
        call = {"function": {"name": name, "arguments": read(arguments)}, **({"id": f"t{nth}"} if ids else {})}
        said.append(line("", [call]))
    return [*said, *([line("", done=True, done_reason=finish, eval_count=5)] if finish is not None else [])]


def ai_sdk(calls: Sequence[Given], finish: str | None = "tool-calls", *, text: str = "Hi\n", seed: int = 1) -> list[Event]:
    """The calls as chunks of a UI message stream. Arguments that are no JSON are a text; a call that is cut has no end."""
    chance = Random(seed)
    events: list[Event] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}, {"type": "text-start", "id": "x"}]
    events += [{"type": "text-delta", "id": "x", "delta": text[at : at + 5]} for at in range(0, len(text), 5)]
    events += [{"type": "text-end", "id": "x"}]
    for nth, (name, arguments) in enumerate(calls):
        at = {"toolCallId": f"t{nth}"}
        events.append({"type": "tool-input-start", **at, "toolName": name})
        events += [{"type": "tool-input-delta", **at, "inputTextDelta": piece} for piece in pieces(arguments, chance)]
        if arguments.rstrip().endswith(("}", "]", '"')):
            events.append({"type": "tool-input-available", **at, "toolName": name, "input": read(arguments)})
    events.append({"type": "finish-step"})
    return [*events, *([{"type": "finish", "finishReason": finish}] if finish is not None else [])]


def ag_ui(
    calls: Sequence[Given], finish: str | None = "", *, text: str = "Hi\n", seed: int = 1, chunks: bool = False
) -> list[Event]:
    """The calls as the events of a run, in pieces or in chunks. One that is cut off has no end."""
    chance = Random(seed)
    run = {"threadId": "a", "runId": "r"}
    events: list[Event] = [
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    ]
    events += [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text[at : at + 5]} for at in range(0, len(text), 5)]
    events.append({"type": "TEXT_MESSAGE_END", "messageId": "m"})
    for nth, (name, arguments) in enumerate(calls):
        at = {"toolCallId": f"t{nth}"}
        first = {**at, "toolCallName": name, "parentMessageId": "m"}
        if chunks:
            events.append({"type": "TOOL_CALL_CHUNK", **first})
            events += [{"type": "TOOL_CALL_CHUNK", "delta": piece} for piece in pieces(arguments, chance)]
            continue
        events.append({"type": "TOOL_CALL_START", **first})
        events += [{"type": "TOOL_CALL_ARGS", **at, "delta": piece} for piece in pieces(arguments, chance)]
        if arguments.rstrip().endswith(("}", "]", '"')):
            events.append({"type": "TOOL_CALL_END", **at})
    return [*events, *([{"type": "RUN_FINISHED", **run}] if finish is not None else [])]


MAKERS: Final[dict[str, Callable[..., list[Event]]]] = {"gemini": gemini, "ollama": ollama, "ai-sdk": ai_sdk, "ag-ui": ag_ui}


def body_of(events: Sequence[Event], protocol: str) -> str:
    """The events as they are sent."""
    if protocol == "ollama":
        return "".join(f"{json.dumps(event)}\n" for event in events)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + ("data: [DONE]\n\n" if protocol == "ai-sdk" else "")


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
