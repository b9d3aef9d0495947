"""A block or a call that cannot pass ends its lane, and the stream where no other lane is open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.guarded_events import GuardedIterator
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import PROTOCOLS, WIRED
from stream_guard_conformance.corpus.native import ag_ui, ai_sdk, chat, messages, responses
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, by_char, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import through_anthropic, through_openai
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


CALL = json.dumps({"path": "/etc/passwd", "content": CONTENT})

FIRST: dict[str, list[Any]] = {
    "anthropic": messages([])[:1],
    "openai-responses": responses([])[:1],
    "ag-ui": ag_ui([], text="")[:1],
    "ai-sdk": ai_sdk([], text="")[:2],
}
"""What a stream of text begins with, where it has more than its text."""

CALLING: dict[str, Any] = {
    "openai-chat": chat,
    "anthropic": messages,
    "openai-responses": responses,
    "ai-sdk": ai_sdk,
    "ag-ui": ag_ui,
}
"""The protocols whose calls come in pieces."""


def in_text(protocol: str) -> list[Any]:
    """A stream with a block that cannot pass."""
    said = list(by_char(f"So:\n{WRONG}"))
    begun: list[Any] = []
    if protocol == "anthropic":
        begun = [{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    if protocol == "ag-ui":
        begun = [{"type": "TEXT_MESSAGE_START", "messageId": "m0", "role": "assistant"}]
    if protocol == "ai-sdk":
        begun = [{"type": "text-start", "id": "t0"}]
    return [*FIRST.get(protocol, []), *begun, *STREAMS[protocol].stream(said)]


def cut_streams() -> list[tuple[str, list[Any], list[str]]]:
    """Streams of every protocol that are aborted: in a text; in a call, alone, at the first event, or behind others.

    Each with the ends that are true of it.
    """
    cut = ["length"]
    found = [(name, in_text(name), cut) for name, table in PROTOCOLS.items() if table in WIRED and name != "text"]
    right = json.dumps({"path": "a.txt", "content": "x"})
    for name, make in CALLING.items():
        called = ["stop"] if name == "openai-responses" else ["unknown"]
        found.append((name, make([("write_file", CALL)]), cut))
        found.append((name, make([("write_file", right), ("write_file", CALL)]), called))
        found.append((name, make([("weather", "{}"), ("write_file", CALL)]), called))
    found.append(("openai-chat", chat([("write_file", CALL)])[1:], cut))
    return found


def ends_of(events: list[Any], protocol: str) -> list[str]:
    """How the message of these events has ended, each time that it did."""
    table = PROTOCOLS[protocol]
    return [why for event in events for _, why in table.ends(event) if why is not None and event.get("type") != "message_stop"]


def assert_ended(events: list[Any], protocol: str, ends: Sequence[str] = ("length",)) -> None:
    """The reply has one end, which says that it was cut off or has calls, and all that has begun in it has ended."""
    table = PROTOCOLS[protocol]
    assert ends_of(events, protocol) == (["unknown"] if protocol == "ag-ui" else [*ends])
    open_: list[str] = []
    for event in events:
        for name, begins in table.begun(event):
            open_ = [*open_, name] if begins else [one for one in open_ if one != name]
    assert [one for one in open_ if one != "response" and not one.startswith("item")] == []
    last = {"anthropic": "message_stop", "ag-ui": "RUN_FINISHED", "ai-sdk": "finish"}
    if protocol == "openai-responses":
        assert events[-1]["type"] == ("response.incomplete" if "length" in ends else "response.completed")
        whole = [event["item"] for event in events if event["type"] == "response.output_item.done"]
        assert events[-1]["response"]["output"] == whole
    else:
        assert events[-1].get("type") == last.get(protocol)


@pytest.mark.parametrize("settings", [{}, {"blocks": "text"}, {"native": "withhold"}], ids=str)
async def test_a_reply_that_the_guard_ends_has_an_end(settings: Any) -> None:
    """In the form of its protocol: clients that do not know the guard see a reply that was cut off."""
    for protocol, events, ends in cut_streams():
        source = FakeStream(events)
        stream: Any = guard_events(source, GUARD, protocol, **settings)
        items = await collect(stream)
        assert "aborted" in [block.end_cause for block in blocks(items)] or "blocks" in settings
        assert CONTENT not in json.dumps([item for item in items if isinstance(item, dict)])
        assert_ended([item for item in items if isinstance(item, dict)], protocol, ends)
        told = list(GuardedIterator(events, GUARD, PROTOCOLS[protocol], Settings(**settings)))
        assert_ended([item for item in told if isinstance(item, dict)], protocol, ends)


@pytest.mark.parametrize("size", [50, 700, 100_000])
def test_so_has_its_body(size: int) -> None:
    """With the mark of its end, once, at any cuts."""
    for protocol, events, ends in cut_streams():
        table = PROTOCOLS[protocol]
        lines = table.framing == "lines"
        raw = "".join(f"{json.dumps(event)}\n" if lines else f"data: {json.dumps(event)}\n\n" for event in events)
        raw += f"data: {table.mark}\n\n" if table.mark else ""
        body = Body(GUARD, "lines" if lines else "events", table, Settings(blocks="text"))
        out = b""
        for at in range(0, len(raw), size):
            out += b"".join(item for item in body.push(raw[at : at + size].encode()) if isinstance(item, bytes))
            if body.over:
                break
        out += b"".join(item for item in body.end() if isinstance(item, bytes))
        told = [line.removeprefix("data: ") for line in out.decode().splitlines() if line.startswith(("data: ", "{"))]
        assert told.count("[DONE]") == bool(table.mark)
        assert not table.mark or told[-1] == "[DONE]"
        assert_ended([json.loads(one) for one in told if one != "[DONE]"], protocol, ends)


async def test_the_clients_of_providers_read_the_end() -> None:
    """Anthropic's helper has the reason, and OpenAI's raises as it does for any reply that was cut off."""
    assert await through_anthropic(messages([("write_file", CALL)]), GUARD) == []
    assert await through_openai(chat([("write_file", CALL)]), GUARD) == []
    assert await through_anthropic(in_text("anthropic"), GUARD) == []
    for protocol in ("openai-chat", "openai-responses", "anthropic"):
        events = [PROTOCOLS[protocol].as_object(event) for event in in_text(protocol)]
        stream: Any = guard_events(FakeStream(events), GUARD, protocol)
        sent = [item for item in await collect(stream) if not isinstance(item, ToolStatus | ToolBlock)]
        assert all(type(item).__module__.startswith(("openai", "anthropic")) for item in sent)
        assert_ended([item.model_dump(mode="json") for item in sent], protocol)


def test_choices_without_an_end_get_one_each() -> None:
    """An end that has come stays as it is."""
    say, stop = STREAMS["openai-chat"].say, STREAMS["openai-chat"].stop
    assert stop is not None
    pairs = [event for char in by_char(WRONG) for event in (say(0, char), say(1, char))]
    items = list(GuardedIterator([say(2, "Hi."), stop(2), *pairs], GUARD, PROTOCOLS["openai-chat"]))
    ends = [
        (choice["index"], choice["finish_reason"])
        for item in items
        if isinstance(item, dict)
        for choice in item["choices"]
        if choice["finish_reason"]
    ]
    assert ends == [(2, "stop"), (0, "length"), (1, "length")]


@pytest.mark.parametrize("native", ["mend", "observe", "off"])
async def test_a_shadow_aborts_nothing(native: Any) -> None:
    """It changes nothing of a reply, so it does not end one either."""
    shadow = Guard(FILE_TOOLS, early="abort", mode="shadow")
    for protocol, events, _ in cut_streams():
        source = FakeStream(events)
        stream: Any = guard_events(source, shadow, protocol, native=native, blocks="text")
        sent = [item for item in await collect(stream) if isinstance(item, dict)]
        assert source.read == len(events)
        assert ends_of(sent, protocol) == ends_of(events, protocol)
    source = FakeStream(list(by_char(f"So:\n{WRONG}More.")))
    items = await collect(shadow.stream(source))
    assert [block.end_cause for block in blocks(items)] == ["closed"]
    assert source.read == len(f"So:\n{WRONG}More.")


def test_a_call_that_passes_in_part_is_not_claimed() -> None:
    """One of an unknown tool that was open when a text was aborted: its client is not told that it has it."""
    (hi, begun, *_) = chat([("weather", '{"city": "Rio"}')])
    text = [STREAMS["openai-chat"].say(0, char) for char in by_char(WRONG)]
    items = list(GuardedIterator([hi, begun, *text], GUARD, PROTOCOLS["openai-chat"]))
    sent = [item for item in items if isinstance(item, dict)]
    assert begun in sent
    assert ends_of(sent, "openai-chat") == ["length"]
