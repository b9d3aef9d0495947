"""A block or a call that cannot pass ends its lane, and the stream where no other lane is open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.guarded_events import GuardedIterator
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import chat, messages
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, by_char, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.servers import served

CONTENT = "x" * 400
WRONG = '```json\n{"tool": "write_file", "path": "/etc/passwd", "content": "' + CONTENT + '"}\n```\n'
"""A reply that cannot pass from its path on."""

RIGHT = WRONG.replace("/etc/passwd", "a.txt")
GUARD = Guard(FILE_TOOLS, early="abort")


def blocks(items: list[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


async def test_the_source_is_closed_and_no_more_of_it_is_read() -> None:
    source = FakeStream(list(by_char(f"So:\n{WRONG}More.")))
    items = await collect(GUARD.stream(source))
    block = items[-1]
    assert isinstance(block, ToolBlock)
    assert (block.end_cause, block.outcome) == ("aborted", "failed")
    assert block.hint is not None
    assert source.closed == 1
    assert source.read < len(WRONG) / 4


async def test_nothing_is_aborted_that_a_model_may_correct() -> None:
    """It is reported as failing, and corrected when it has ended."""
    corrector = FakeCorrector('{"tool": "write_file", "path": "etc/passwd", "content": "' + CONTENT + '"}')
    source = FakeStream(list(by_char(f"So:\n{WRONG}More.")))
    items = await collect(Guard(FILE_TOOLS, early="abort", corrector=corrector).stream(source))
    assert any(isinstance(item, ToolStatus) and item.status == "failing" for item in items)
    (block,) = blocks(items)
    assert block.end_cause == "closed"
    assert corrector.requests
    assert source.read == len(f"So:\n{WRONG}More.")


@pytest.mark.parametrize("protocol", STREAMS)
async def test_the_last_open_text_ends_the_stream_of_every_protocol(protocol: str) -> None:
    source = FakeStream(STREAMS[protocol].stream(list(by_char(f"So:\n{WRONG}"))))
    stream: Any = guard_events(source, GUARD, protocol)
    items = await collect(stream)
    assert [block.end_cause for block in blocks(items)] == ["aborted"]
    assert source.closed == 1
    assert source.read < len(WRONG) / 2


async def test_other_lanes_go_on() -> None:
    """Of the lane that was aborted nothing more is read, and the stream ends with the last lane."""
    say, stop = STREAMS["openai-chat"].say, STREAMS["openai-chat"].stop
    assert stop is not None
    right, wrong = by_char(f"So:\n{RIGHT}Done."), by_char(f"So:\n{WRONG}More.")
    events = [say(1, "Hi."), *(event for one, other in zip(right, wrong) for event in (say(1, one), say(0, other)))]  # noqa: B905
    source = FakeStream([*events, say(1, "."), stop(1)])
    stream: Any = guard_events(source, GUARD, "openai-chat")
    items = await collect(stream)
    assert {(block.path, block.end_cause, block.executable) for block in blocks(items)} == {
        ("/etc/passwd", "aborted", False),
        ("a.txt", "closed", True),
    }
    texts = {0: "", 1: ""}
    for item in items:
        if isinstance(item, dict):
            texts[item["choices"][0]["index"]] += item["choices"][0]["delta"].get("content") or ""
    assert texts[0].startswith("So:\n")
    assert "More" not in texts[0]


@pytest.mark.parametrize("make", [chat, messages])
async def test_a_native_call_that_cannot_pass_is_not_sent_on(make: Any) -> None:
    arguments = json.dumps({"path": "/etc/passwd", "content": CONTENT})
    protocol = "openai-chat" if make is chat else "anthropic"
    for native in ("mend", "withhold"):
        for seed in range(8):
            source = FakeStream(make([("write_file", arguments)], seed=seed))
            stream: Any = guard_events(source, GUARD, protocol, native=native)
            items = await collect(stream)
            (block,) = blocks(items)
            assert (block.end_cause, block.executable, block.issues[0].code) == ("aborted", False, "path_absolute")
            assert CONTENT not in json.dumps([item for item in items if isinstance(item, dict)])


async def test_a_call_behind_one_that_is_held_does_not_end_the_stream() -> None:
    """The first call is whole only when its message ends."""
    right, wrong = (json.dumps({"path": path, "content": CONTENT}) for path in ("a.txt", "/etc/passwd"))
    stream: Any = guard_events(FakeStream(chat([("write_file", right), ("write_file", wrong)])), GUARD, "openai-chat")
    found = {(block.path, block.executable) for block in blocks(await collect(stream))}
    assert found == {("a.txt", True), ("/etc/passwd", False)}


def test_a_plain_iterator_stops_as_well() -> None:
    read = 0

    def events() -> Any:
        nonlocal read
        for event in STREAMS["openai-chat"].stream(list(by_char(WRONG))):
            read += 1
            yield event

    items = list(GuardedIterator(events(), GUARD, PROTOCOLS["openai-chat"]))
    assert [block.end_cause for block in blocks(items)] == ["aborted"]
    assert read < len(WRONG) / 2


def test_a_reply_that_came_whole_is_not_cut() -> None:
    """There is nothing to save: its block fails, and the text behind it stays."""
    reply = {
        "id": "c",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": f"{WRONG}More."}, "finish_reason": "stop"}],
    }
    guarded = guard_reply(reply, GUARD)
    made: Any = guarded.reply
    assert [block.end_cause for block in guarded.blocks] == ["closed"]
    assert made["choices"][0]["message"]["content"].endswith("More.")


async def test_behind_the_middleware_the_app_hears_that_its_client_has_left() -> None:
    """And the client gets the whole response, with the block that was aborted."""
    left = asyncio.Event()
    sent = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal sent
        try:
            for event in STREAMS["openai-chat"].stream(list(by_char(f"{WRONG}{WRONG}"))):
                sent += 1
                yield f"data: {json.dumps(event)}\n\n".encode()
                await asyncio.sleep(0)
            await asyncio.Event().wait()  # a model that never ends
        finally:
            left.set()

    async def answer(_: Request) -> Response:
        return StreamingResponse(stream(), media_type="text/event-stream")

    inner = Starlette(routes=[Route("/", answer)])
    async with served(StreamGuardMiddleware(inner, guard=GUARD)) as url, httpx2.AsyncClient() as client:
        body = (await client.get(f"{url}/")).text
        await asyncio.wait_for(left.wait(), 300)
    assert '"endCause":"aborted"' in body.replace('\\"', '"')
    assert sent < len(WRONG)
