"""Streams and replies with a call that nobody has approved, guards that ask about it, and what a client reads of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_conformance.corpus.native import (
    ag_ui,
    ai_sdk,
    as_chat,
    as_messages,
    as_responses,
    body_of,
    gemini,
    ollama,
)

from stream_guard import ApprovalPolicy, Guard, Tool, ToolBlock
from stream_guard.tools.files import FILE_TOOLS

GONE = '{"path": "secret.txt"}'
CALLS = [("write_file", '{"path": "a.txt", "content": "x"}'), ("delete_file", GONE)]
TEXT = '```json\n{"tool": "delete_file", "path": "secret.txt"}\n```\n'
LIST = '```json\n[{"tool": "write_file", "path": 3}, {"tool": "delete_file", "path": "secret.txt"}]\n```\n'

STREAMS: dict[str, list[Any]] = {
    "openai-chat": as_chat(["Hi.\n", TEXT, LIST], CALLS, "tool_calls"),
    "anthropic": as_messages(["Hi.\n", TEXT, LIST], CALLS, "tool_use"),
    "openai-responses": as_responses(["Hi.\n", TEXT, LIST], CALLS),
    "gemini": gemini(CALLS, text=f"Hi.\n{TEXT}{LIST}"),
    "ollama": ollama(CALLS, text=f"Hi.\n{TEXT}{LIST}"),
    "ai-sdk": ai_sdk(CALLS, text=f"Hi.\n{TEXT}{LIST}"),
    "ag-ui": ag_ui(CALLS, text=f"Hi.\n{TEXT}{LIST}"),
}

REPLY = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": f"Hi.\n{TEXT}{LIST}",
                "tool_calls": [{"id": "x", "type": "function", "function": {"name": "delete_file", "arguments": GONE}}],
            },
        }
    ],
}


async def no(_: ToolBlock, __: Tool) -> str:
    return "No."


async def odd(_: ToolBlock, __: Tool) -> Any:
    return {"path": 7}


async def never(_: ToolBlock, __: Tool) -> bool:
    await asyncio.Event().wait()
    return True


async def fails(_: ToolBlock, __: Tool) -> bool:
    raise KeyError


async def allow(_: ToolBlock, __: Tool) -> bool:
    return True


GUARDS = {
    "denied": Guard(FILE_TOOLS, approve=no),
    "denied, in flow": Guard(FILE_TOOLS, approve=no, order="flow", preview=True),
    "odd": Guard(FILE_TOOLS, approve=odd),
    "in no time": Guard(FILE_TOOLS, approve=never, approval=ApprovalPolicy(timeout=0.01)),
    "failed": Guard(FILE_TOOLS, approve=fails),
    "nobody": Guard(FILE_TOOLS, approval=ApprovalPolicy()),
    "allowed": Guard(FILE_TOOLS, approve=allow),
}

guards = pytest.mark.parametrize("guard", [pytest.param(guard, id=name) for name, guard in GUARDS.items() if name != "allowed"])


async def answered(guard: Guard, answer: Any, asked: Any = None, **settings: Any) -> str:
    """What a client of an app behind the middleware receives for an answer: events of a protocol, or a reply."""

    async def respond(_: Request) -> Response:
        if isinstance(answer, dict):
            return JSONResponse(answer)
        kind = "application/x-ndjson" if settings.get("format") == "ollama" else "text/event-stream"
        pieces = body_of(answer, str(settings.get("format"))).splitlines(keepends=True)
        return StreamingResponse(iter(pieces), media_type=kind)

    app = Starlette(
        routes=[Route("/{path:path}", respond, methods=["POST"])],
        middleware=[Middleware(StreamGuardMiddleware, guard=guard, **settings)],
    )
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://app") as client:
        return (await client.post("/v1/chat/completions", json=asked or {"messages": []}, timeout=300)).text


def theirs(body: str) -> str:
    """What a client that does not know the guard's events reads of a body: those are left out."""
    return json.dumps([_without_ours(event) for event in _events(body)])


def _events(body: str) -> Iterator[Any]:
    named = ""
    for line in body.splitlines():
        if line.startswith("event:"):
            named = line[6:].strip()
        text = line.removeprefix("data:").strip()
        if text.startswith("{") and not (line.startswith("data:") and named.startswith("json-tool-")):
            yield json.loads(text)
        if not line:
            named = ""


def _without_ours(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_ours(item) for item in value]
    if not isinstance(value, dict):
        return value
    said = f"{value.get('type')} {value.get('name')}"
    return {} if "json-tool-" in said else {key: _without_ours(item) for key, item in value.items() if key != "stream_guard"}


def ours(body: str) -> Iterator[Any]:
    """The blocks that the guard's own events tell of."""

    def blocks(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            if "validationPassed" in value:
                yield value
            for item in value.values():
                yield from blocks(item)
        elif isinstance(value, list):
            for item in value:
                yield from blocks(item)

    for line in body.splitlines():
        text = line.removeprefix("data:").strip()
        if text.startswith("{"):
            yield from blocks(json.loads(text))


WAYS: Sequence[dict[str, Any]] = (
    {},
    {"emit": "named"},
    {"emit": "none"},
    {"blocks": "both"},
    {"promote": True},
    {"native": "withhold", "blocks": "text"},
)
