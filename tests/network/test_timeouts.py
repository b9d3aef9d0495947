"""Who waits for ten seconds at most reads a block that takes twenty-four: all protocols on virtual time, clients in real time.

    PATIENCE=24 pytest tests/network/test_timeouts.py    # the table of clients; so many seconds a block is written

Rule: the table is part of `make more`. It takes as long as a block does, whatever the number of its rows.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.framing import LONGEST
from stream_guard_adapters.proxy import proxy
from stream_guard_adapters.virtual_time import virtual_time

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.nginx import behind
from tests.kit.proof import Cases
from tests.kit.servers import served

PATIENCE: Final = 10.0
"""So many seconds a client waits for a byte, or for an event."""

WRITING: Final = 24
"""So many seconds a block is written, a piece each."""

CALL: Final = '{"tool": "write_file", "path": "a.txt", "content": "' + "x" * WRITING + '"}'
BROKEN: Final = "```json\n" + CALL.replace('"xx', '["xx').replace('xx"', 'xx"]') + "\n```\n"
PIECES: Final = ["Hello.\n", "```json\n" + CALL[: -WRITING - 2], *["x"] * WRITING, '"}\n', "```\n", "Bye.\n"]
PATIENT: Final = CorrectionPolicy(timeout=600)
ASKED: Any = [{"role": "user", "content": "x"}]


def sse(event: Any, name: str | None = None) -> bytes:
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(event)}\n\n".encode()


def chat(text: str, **more: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None, **more}
    return sse({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def message(text: str) -> bytes:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return sse(delta, "content_block_delta")


def ollama(text: str, *, done: bool = False) -> bytes:
    event = {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": done,
    }
    return json.dumps(event).encode() + b"\n"


def response(text: str) -> bytes:
    kind = "response.output_text.delta"
    where = {"item_id": "i", "output_index": 0, "content_index": 0, "sequence_number": 7}
    return sse({"type": kind, **where, "delta": text, "logprobs": []}, kind)


USAGE: Final = {"input_tokens": 1, "output_tokens": 1}
MESSAGE: Final[dict[str, Any]] = {
    "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None, "stop_sequence": None,
    "usage": USAGE,
}  # fmt: skip
MESSAGE_STARTS: Final = [
    sse({"type": "message_start", "message": MESSAGE}, "message_start"),
    sse({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, "content_block_start"),
]
MESSAGE_ENDS: Final = [
    sse({"type": "content_block_stop", "index": 0}, "content_block_stop"),
    sse(
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 5}},
        "message_delta",
    ),
    sse({"type": "message_stop"}, "message_stop"),
]

Wire = tuple[str, list[bytes], Callable[[str], bytes], list[bytes]]
"""A content type, what a stream begins with, an event with text, and what it ends with."""

EVENTS: Final = "text/event-stream"
WIRES: Final[dict[str, Wire]] = {
    "openai-chat": (EVENTS, [], chat, [b"data: [DONE]\n\n"]),
    "openai-responses": (EVENTS, [sse({"type": "response.created", "response": {}, "sequence_number": 0})], response, []),
    "anthropic": (EVENTS, MESSAGE_STARTS, message, MESSAGE_ENDS),
    "gemini": (
        EVENTS,
        [],
        lambda text: sse({"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}]}),
        [],
    ),
    "ollama": ("application/x-ndjson", [], ollama, [ollama("", done=True)]),
    "ai-sdk": (
        EVENTS,
        [sse({"type": "start"}), sse({"type": "text-start", "id": "0"})],
        lambda text: sse({"type": "text-delta", "id": "0", "delta": text}),
        [sse({"type": "text-end", "id": "0"}), sse({"type": "finish"}), b"data: [DONE]\n\n"],
    ),
    "ag-ui": (
        EVENTS,
        [sse({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})],
        lambda text: sse({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}),
        [],
    ),
}


async def paced(wire: str, seconds: float = 1.0) -> AsyncIterator[bytes]:
    """A reply whose block takes its time: a piece of it each second."""
    _, starts, said, ends = WIRES[wire]
    for event in starts:
        yield event
    for piece in PIECES:
        if piece == "x":
            await asyncio.sleep(seconds)
        yield said(piece)
    for event in ends:
        yield event


def app(kind: str, stream: Callable[[], AsyncIterator[bytes]], **settings: Any) -> StreamGuardMiddleware:
    async def answer(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]})
        async for body in stream():
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return StreamGuardMiddleware(answer, **{"guard": Guard(FILE_TOOLS), **settings})


async def heard(guarded: StreamGuardMiddleware) -> list[tuple[float, bytes]]:
    """What a client hears, and when."""
    found: list[tuple[float, bytes]] = []
    clock = asyncio.get_running_loop().time

    async def receive() -> Any:
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message.get("body"):
            found.append((clock(), message["body"]))

    await guarded({"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send)
    return found


def longest(found: list[tuple[float, bytes]]) -> float:
    """The longest silence."""
    return max(later - sooner for (sooner, _), (later, _) in pairwise(found))


# -- on virtual time ---------------------------------------------------------------------------------------------------


@pytest.mark.promise("P6")
@pytest.mark.parametrize("emit", ["auto", "none"])
@pytest.mark.parametrize("wire", WIRES)
async def test_no_silence_is_longer_than_five_seconds_while_a_block_is_written(wire: str, emit: Any, cases: Cases) -> None:
    """In every protocol, and each event by itself is one that its clients read."""
    with virtual_time():
        found = await heard(app(WIRES[wire][0], lambda: paced(wire), emit=emit))
    body = b"".join(part for _, part in found)
    assert longest(found) <= 5.0
    assert b"Bye." in body
    assert body.count(b"json-tool-block") == (emit == "auto")
    for event in body.split(b"\n\n" if WIRES[wire][0] == EVENTS else b"\n"):
        for line in event.splitlines():
            if line.startswith((b"data: {", b"{")):
                json.loads(line.removeprefix(b"data: "))
            else:
                assert line.startswith((b"event: ", b": ", b"data: [DONE]")), line
    cases(len(found))


async def test_silence_before_a_block_counts_too() -> None:
    """What the client has waited already before the block began is not waited once more."""

    async def stream() -> AsyncIterator[bytes]:
        yield chat("Hello.\n")
        await asyncio.sleep(9)
        yield chat("```json\n")
        await asyncio.sleep(9)
        yield chat(CALL + "\n```\n")

    with virtual_time():
        found = await heard(app(EVENTS, stream, emit="none"))
    begun = found[0][0]
    assert [when - begun for when, _ in found] == [0, 9, 14, 18]


@pytest.mark.parametrize("name", ["write_file", "write_", "", None])
async def test_no_silence_is_longer_while_a_native_call_is_written(name: str | None) -> None:
    """Also before its name has come, and while it comes in pieces: such a call is kept, too."""

    def called(arguments: str | None, name: str | None = None) -> bytes:
        call = {"index": 0, "id": "a", "function": {"name": name, "arguments": arguments}}
        return chat("", delta={"tool_calls": [call]})

    async def stream() -> AsyncIterator[bytes]:
        yield chat("Hello.\n")
        yield called(None if name == "write_" else CALL[: -WRITING - 2], name)
        for _ in range(WRITING):
            await asyncio.sleep(1)
            yield called(None if name == "write_" else "x")

    with virtual_time():
        found = await heard(app(EVENTS, stream, emit="none"))
    assert found[-1][0] - found[0][0] > 15
    assert longest(found) <= 5.0


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_no_silence_is_longer_while_a_block_is_corrected(order: Any) -> None:
    """With lines of JSON, where no comment would do."""

    async def correct(_: CorrectionRequest) -> str:
        await asyncio.sleep(WRITING)
        return CALL

    async def stream() -> AsyncIterator[bytes]:
        yield ollama(BROKEN)
        yield ollama("", done=True)

    guard = Guard(FILE_TOOLS, corrector=correct, order=order, fixes="off", correction=PATIENT)
    with virtual_time():
        found = await heard(app("application/x-ndjson", stream, guard=guard))
    assert longest(found) <= 5.0
    assert b'"correctedBy":"llm"' in b"".join(body for _, body in found)
    for line in b"".join(body for _, body in found).splitlines():
        json.loads(line)


@pytest.mark.some(2)
@pytest.mark.parametrize("wire", ["openai-chat", "ollama"])
@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_nothing_of_ours_is_ever_inside_an_event(wire: str, order: Any) -> None:
    """An event of more than 4 MiB passes in parts, slowly, while a block is held, and while one is corrected beside it."""
    kind, starts, said, ends = WIRES[wire]
    big = said("y" * 2 * LONGEST)
    parts = [big[at : at + LONGEST // 4] for at in range(0, len(big), LONGEST // 4)]
    inside = asyncio.Event()

    async def correct(_: CorrectionRequest) -> str:
        if order == "flow":
            await inside.wait()
        return CALL

    async def stream() -> AsyncIterator[bytes]:
        for event in starts:
            yield event
        yield said(BROKEN)
        yield said("```json\n")
        for number, part in enumerate(parts):
            if number == 6:
                inside.set()
            yield part
            await asyncio.sleep(3)
        yield said(CALL + "\n```\n")
        for event in ends:
            yield event

    guard = Guard(FILE_TOOLS, corrector=correct, order=order, fixes="off", correction=PATIENT)
    with virtual_time():
        found = await heard(app(kind, stream, guard=guard, keep_alive=2.0))
    body = b"".join(part for _, part in found)
    assert big in body
    assert body.count(b'"executable":true') == 1  # the block that was held has ended as cut off


@pytest.mark.parametrize("wire", ["openai-chat", "ollama"])
@pytest.mark.parametrize("length", [2 * LONGEST, 100])
async def test_a_stream_that_ends_inside_an_event_ends(wire: str, length: int) -> None:
    """What waited for its turn gets it, and is an event of its own."""
    kind, _, said, _ = WIRES[wire]
    big = said("y" * length)[: -length // 2]
    inside = asyncio.Event()

    async def correct(_: CorrectionRequest) -> str:
        await inside.wait()
        await asyncio.sleep(9)
        return CALL

    async def stream() -> AsyncIterator[bytes]:
        yield said(BROKEN)
        yield big
        inside.set()

    guard = Guard(FILE_TOOLS, corrector=correct, order="flow", fixes="off", correction=PATIENT)
    with virtual_time():
        async with asyncio.timeout(1000):
            found = await heard(app(kind, stream, guard=guard))
    body = b"".join(part for _, part in found)
    end = b"\n\n" if kind == EVENTS else b"\n"
    before, _, after = body.partition(big)
    assert after.startswith(end)
    assert (before + after).count(end) > 3
    for event in (before + after.removeprefix(end)).removesuffix(end).split(end):
        json.loads(event.removeprefix(b"data: "))
    assert b'"correctedBy":"llm"' in after


@pytest.mark.parametrize("keep_alive", [0, -1.0, float("nan")])
def test_keep_alive_is_a_time_or_none(keep_alive: float) -> None:
    with pytest.raises(ValueError, match="keep_alive must be a positive number of seconds, or None for never; not"):
        StreamGuardMiddleware(lambda *_: None, guard=Guard(FILE_TOOLS), keep_alive=keep_alive)  # type: ignore[arg-type]


# -- in real time ------------------------------------------------------------------------------------------------------


async def as_openai(url: str) -> str:
    async with AsyncOpenAI(api_key="k", base_url=f"{url}/openai-chat", max_retries=0, timeout=PATIENCE) as client:
        chunks = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks if chunk.choices])


async def as_responses(url: str) -> str:
    async with AsyncOpenAI(api_key="k", base_url=f"{url}/openai-responses", max_retries=0, timeout=PATIENCE) as client:
        events = await client.responses.create(model="m", input="x", stream=True)
        return "".join([event.delta async for event in events if event.type == "response.output_text.delta"])


async def as_anthropic(url: str) -> str:
    async with (
        AsyncAnthropic(api_key="k", base_url=f"{url}/anthropic", max_retries=0, timeout=PATIENCE) as client,
        client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
    ):
        return await stream.get_final_text()


async def as_ollama(url: str) -> str:
    """As ollama-py reads it: each line is a JSON document."""
    said = ""
    async with httpx2.AsyncClient(timeout=PATIENCE) as client, client.stream("POST", f"{url}/ollama", json={}) as response:
        async for line in response.aiter_lines():
            said += json.loads(line)["message"]["content"]
    return said


async def as_bytes(url: str) -> str:
    """With no patience of its own: nginx has some."""
    said = ""
    async with httpx2.AsyncClient(timeout=None) as client, client.stream("POST", f"{url}/openai-chat", json={}) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                said += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
    return said


TABLE: Final = {
    "openai": as_openai,
    "openai responses": as_responses,
    "anthropic": as_anthropic,
    "ollama": as_ollama,
    "nginx": as_bytes,
}


@pytest.mark.more
@pytest.mark.skipif(
    "PATIENCE" not in os.environ, reason="in real time it takes half a minute: PATIENCE=24, as `make more` has it"
)
async def test_no_client_with_ten_seconds_of_patience_gives_up(tmp_path: Path, cases: Cases) -> None:
    """All of them at once, through the gateway, and through nginx in front of it; with our events, and without."""
    seconds = float(os.environ["PATIENCE"]) / WRITING

    async def provider(scope: Any, receive: Any, send: Any) -> None:
        wire = scope["path"].split("/")[1]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", WIRES[wire][0].encode())]})
        async for body in paced(wire, seconds):
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(served(provider))
        said: dict[str, asyncio.Task[str]] = {}
        for blocks in ("events", "text"):
            gateway = await stack.enter_async_context(served(proxy(upstream, Guard(FILE_TOOLS), blocks=blocks)))
            folder = tmp_path / blocks
            folder.mkdir()
            front = await stack.enter_async_context(behind(gateway, folder, f"proxy_read_timeout {PATIENCE:.0f}s;"))
            for name, client in TABLE.items():
                said[f"{name}, blocks={blocks}"] = asyncio.create_task(client(front if name == "nginx" else gateway))
        await asyncio.wait(said.values())
        texts = {"events": "Hello.\n\nBye.\n", "text": "".join(PIECES)}
        assert {name: task.result() for name, task in said.items()} == {name: texts[name.partition("=")[2]] for name in said}
    cases(len(said))
