"""The first stream of a server loads no module: all that a stream may need is loaded when its door is made or imported.

To load a module is to read files, and takes a tenth of a second for some; nobody else is served meanwhile.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stream_guard.fixes.catalogue import CATALOGUE
from tests.kit.command import python
from tests.kit.fuzzing import PIECES, corpus, spelt

RUN = """
import asyncio, json, logging, sys
from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
logging.disable()
texts, bodies, request = json.load(open({given!r}))
guard = Guard(FILE_TOOLS, dialects={dialects!r})

def chunk(delta, finish=None):
    choice = {{"index": 0, "delta": delta, "finish_reason": finish}}
    return {{"id": "c", "object": "chat.completion.chunk", "choices": [choice]}}

def call(arguments):
    function = {{"name": "write_file", "arguments": arguments}}
    written = {{"index": 0, "id": "c", "type": "function", "function": function}}
    return [chunk({{"tool_calls": [written]}}), chunk({{}}, "tool_calls")]

streams = [[chunk({{"content": text}}), chunk({{}}, "stop")] for text in texts] + [call(body) for body in bodies]
{door}
asyncio.run(asyncio.sleep(0))  # a server has a loop
known = set(sys.modules)
asyncio.run(main())
print(*sorted(set(sys.modules) - known))
"""

DOORS = {
    "the middleware": """
from stream_guard_adapters.asgi import StreamGuardMiddleware

async def app(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", scope["kind"])]})
    for part in scope["reply"]:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})

async def one(served, kind, reply, asked=b""):
    async def receive():
        return {"type": "http.request", "body": asked}
    async def send(message):
        pass
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", b"application/json")]}
    await served(scope | {"kind": kind, "reply": reply}, receive, send)

served = StreamGuardMiddleware(app, guard=guard)

async def main():
    for events in streams:
        data = [f"data: {json.dumps(event)}\\n\\n".encode() for event in events]
        await one(served, b"text/event-stream", data, json.dumps(request).encode())
    for text in texts[:30]:
        message = {"role": "assistant", "content": text}
        whole = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        await one(served, b"application/json", [json.dumps(whole).encode()])
""",
    "guarded_sse": """
from stream_guard_adapters.sse import guarded_sse

async def main():
    async def each(events):
        for event in events:
            yield event
    for events in streams:
        async for _ in guarded_sse(each(events), guard):
            pass
""",
    "resumable streams": """
from stream_guard_adapters.resume import MemoryStore, ResumableStreams
made = ResumableStreams(MemoryStore(), guard)

async def main():
    async def each(events):
        for event in events:
            yield event
    for number, events in enumerate(streams):
        await made.start(str(number), "me", lambda: each(events))
        async for _ in await made.open(str(number), "me"):
            pass
    await made.aclose()
""",
}


@pytest.mark.some(3)
@pytest.mark.parametrize("dialects", [("fence",), "all"], ids=["fences", "all dialects"])
@pytest.mark.parametrize("door", DOORS)
def test_a_first_stream_loads_no_module(door: str, dialects: object, tmp_path: Path) -> None:
    parameters = {
        "type": "object",
        "properties": {"b": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]}, "c": {"const": 1}},
        "$defs": {"x": {"type": "object", "properties": {"y": {"enum": ["p", "q"]}}, "required": ["y"]}},
    }
    request = {"tools": [{"type": "function", "function": {"name": "other", "parameters": parameters}}], "messages": []}
    near = ['{"tool": "rite_file", "path": "a"}', '{"tool": "write_file", "pth": "a"}', '{"tool": "other", "b": 1}']
    bodies = [*near, *(fix.before for fix in CATALOGUE.values()), *(spelt(data, PIECES) for data in corpus("repairs")[::9])]
    texts = [spelt(data[1:], PIECES) for data in corpus("deltas")[::9]]
    given = tmp_path / "given.json"
    given.write_text(json.dumps([[*texts, *(f"```json\n{body}\n```\n" for body in bodies)], bodies[::3], request]))
    assert python(RUN.format(given=str(given), dialects=dialects, door=DOORS[door])).split() == []
