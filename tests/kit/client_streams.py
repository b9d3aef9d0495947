"""Streams for the real clients of providers, behind the middleware, and what they should read of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.replaying import replay
from stream_guard_adapters.protocols import AI_SDK, PROTOCOLS
from stream_guard_conformance.corpus.native import Event, Given, as_chat, as_messages, as_responses

from stream_guard import Guard
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.blocks import BLOCKS

CORRECTED = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["x"]}\n```\n'
LIST = '```json\n[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file", "path": "b"}]\n```\n'
TEXTS = {**BLOCKS, "corrected": CORRECTED, "list": LIST, "prose": "Only prose.\n"}
GUARD = Guard(FILE_TOOLS, corrector=FakeCorrector('{"tool": "write_file", "path": "a.txt", "content": "x"}'))
EXECUTABLE = {
    "valid": [True],
    "fixed": [True],
    "failed": [False],
    "truncated": [False],
    "corrected": [True],
    "two": [True] * 2,
    "list": [True] * 2,
}


def as_ai_sdk(deltas: Sequence[str], _: Sequence[Given] = (), finish: str = "stop") -> list[Event]:
    said = [{"type": "text-delta", "id": "t", "delta": delta} for delta in deltas]
    begun = [{"type": "start", "messageId": "m"}, {"type": "start-step"}, {"type": "text-start", "id": "t"}]
    ended = [{"type": "text-end", "id": "t"}, {"type": "finish-step"}, {"type": "finish", "finishReason": finish}]
    return [*begun, *said, *ended]


MAKERS: dict[str, Any] = {
    "openai-chat": (as_chat, "length", ["openai chat, raw", "openai chat, helper", "ai-sdk over chat"]),
    "openai-responses": (
        as_responses,
        "max_output_tokens",
        ["openai responses, raw", "openai responses, helper", "ai-sdk over responses"],
    ),
    "anthropic": (as_messages, "max_tokens", ["anthropic, raw", "anthropic, helper", "ai-sdk over messages"]),
    "ai-sdk": (as_ai_sdk, "length", ["ai-sdk, raw", "ai-sdk, helper"]),
}


def app(streams: dict[str, tuple[str, list[Event]]], **settings: Any) -> Any:
    """Answers each path that begins with a name with that stream."""

    async def answer(request: Request) -> Response:
        protocol, events = streams[request.path_params["name"]]
        headers = {"x-vercel-ai-ui-message-stream": "v1"} if protocol == AI_SDK.name else {}
        cuts = replay(Cassette(events), form="bytes", chunking=len(events))
        return StreamingResponse(_each(cuts), media_type="text/event-stream", headers=headers)

    everything = ["GET", "POST"]
    routes = [Route("/{name}/{path:path}", answer, methods=everything), Route("/{name}", answer, methods=everything)]
    return StreamGuardMiddleware(Starlette(routes=routes), guard=GUARD, **settings)


async def _each(chunks: Any) -> Any:
    for chunk in chunks:
        yield chunk


def visible(protocol: str, events: list[Event]) -> str:
    """The text that is let through, of what the table says is text."""
    table = PROTOCOLS[protocol]
    text = "".join(text for event in events for _, text in table.texts(event))
    return "".join(item for item in GUARD.scan([text]) if isinstance(item, str))
