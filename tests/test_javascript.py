"""The JavaScript clients of providers read what leaves the middleware: each by its helper and by its raw form."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import javascript
import pytest
from servers import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.replaying import replay
from stream_guard_adapters.protocols import AI_SDK, PROTOCOLS
from test_calls import Event, Given
from test_modes import BLOCKS
from test_promotion import as_chat, as_messages, as_responses

from stream_guard import Guard
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS

READER = Path(__file__).parent / "js" / "read.mjs"

CORRECTED = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["x"]}\n```\n'
TEXTS = {**BLOCKS, "corrected": CORRECTED, "prose": "Only prose.\n"}
GUARD = Guard(FILE_TOOLS, corrector=FakeCorrector('{"tool": "write_file", "path": "a.txt", "content": "x"}'))
EXECUTABLE = {"valid": [True], "fixed": [True], "failed": [False], "truncated": [False], "corrected": [True], "two": [True] * 2}
NATIVE: list[Given] = [
    ("write_file", '{"path": "a.txt", "content": "a\nb"}'),
    ("write_file", '{"path": "/etc/x", "content": ""}'),
    ("weather", '{"city": "Rio"}'),
]
CALLED = [["write_file", {"path": "a.txt", "content": "a\nb"}], ["weather", {"city": "Rio"}]]


@pytest.fixture
def node(tmp_path: Path) -> list[str]:
    """How to run the reader; it looks for its clients where they were installed."""
    program = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    shutil.copy(READER, tmp_path / READER.name)
    return [program, str(tmp_path / READER.name)]


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


async def read(node: list[str], tasks: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """What clients make of what they read at these addresses."""
    process = await asyncio.create_subprocess_exec(
        *node, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate(json.dumps([{"client": client, "url": url} for client, url in tasks]).encode())
    assert process.returncode == 0, err.decode()
    found: list[dict[str, Any]] = json.loads(out)
    return found


def visible(protocol: str, events: list[Event]) -> str:
    """The text that is let through, of what the table says is text."""
    table = PROTOCOLS[protocol]
    text = "".join(text for event in events for _, text in table.texts(event))
    return "".join(item for item in GUARD.scan([text]) if isinstance(item, str))


@pytest.mark.parametrize("protocol", MAKERS)
async def test_javascript_clients_read_what_is_visible(protocol: str, node: list[str]) -> None:
    """No error, the visible text and no more, and our events where a client shows them."""
    make, length, clients = MAKERS[protocol]
    streams = {}
    for block, said in TEXTS.items():
        text = f"Hi, é 😀.\n\n{said}"
        deltas = [text[at : at + 6] for at in range(0, len(text), 6)]
        streams[block] = protocol, make(deltas, finish=length) if block == "truncated" else make(deltas)
    async with served(app(streams)) as url:
        tasks = [(client, f"{url}/{block}", block) for block in streams for client in clients]
        results = await read(node, [(client, address) for client, address, _ in tasks])
    for (client, _, block), result in zip(tasks, results, strict=True):
        if block == "truncated" and "error" in result:
            assert client in ("openai chat, helper", "openai responses, helper"), (client, result)  # they raise for such an end
            continue
        assert result.get("text") == visible(protocol, streams[block][1]), (client, block, result)
        assert result["calls"] == []
        if "raw" in client or client == "ai-sdk, helper":
            blocks = [data["executable"] for kind, data in result["events"] if kind == "json-tool-block"]
            assert blocks == EXECUTABLE.get(block, []), (client, block)


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic"])
@pytest.mark.parametrize("promote", [False, True])
async def test_javascript_clients_read_the_calls_that_were_sent_on(protocol: str, promote: bool, node: list[str]) -> None:
    """Native ones, mended, without the one that failed; and those that were text, where they are promoted."""
    make, _, clients = MAKERS[protocol]
    events = make(["Hi.\n", BLOCKS["two"]], NATIVE)
    async with served(app({"calls": (protocol, events)}, promote=promote)) as url:
        results = await read(node, [(client, f"{url}/calls") for client in clients])
    # Where nothing but the end of the message ends a call, one that is not held overtakes one that is.
    order: Any = (lambda calls: sorted(calls, key=str)) if protocol == "openai-chat" else list
    promoted = [["delete_file", {"path": path}] for path in "ab"] if promote else []
    for client, result in zip(clients, results, strict=True):
        assert order(result.get("calls", [])) == order([*CALLED, *promoted]), (client, result)
        assert result["text"] == visible(protocol, events)
