"""Calls that were written as text, told as native ones: what clients that know only those make of them."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_any, guard_events
from stream_guard_adapters.openai import guard_chat, guard_responses
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import Event, Given, as_chat, as_messages, as_responses
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import End, Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import behind, through_anthropic, through_openai, through_responses
from tests.kit.provider import Behaviour, Provider
from tests.kit.replies import CALL, reply
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
ASKED: Any = [{"role": "user", "content": "x"}]
BROKEN = '{"tool": "write_file", "path": "a.txt", "content": ["x"]}'
DELETE = '{"tool": "delete_file", "path": "b"}'
WRITTEN: Given = ("write_file", '{"path": "a.txt", "content": "x"}')
DELETED: Given = ("delete_file", '{"path": "b"}')


PROVIDERS: Any = {
    "openai-chat": (as_chat, through_openai, "length"),
    "openai-responses": (as_responses, through_responses, "max_output_tokens"),
    "anthropic": (as_messages, through_anthropic, "max_tokens"),
}


def read(calls: Sequence[Given]) -> list[tuple[str, Any]]:
    return [(name, json.loads(arguments)) for name, arguments in calls]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_client_that_knows_native_calls_reads_those_that_were_text(provider: str) -> None:
    """Behind the native ones of the message, in order, and each once; of one that failed it reads nothing."""
    make, through, _ = PROVIDERS[provider]
    for bodies, native, wanted in (
        ([CALL], [], [WRITTEN]),
        ([CALL, DELETE], [("weather", "{}")], [("weather", "{}"), WRITTEN, DELETED]),
        ([BROKEN, DELETE], [("delete_file", '{"path": "c"}')], [("delete_file", '{"path": "c"}'), DELETED]),
        ([CALL.replace("write_file", "create_file")], [], [WRITTEN]),
        ([], [], []),
    ):
        events = make(reply(*bodies), native)
        assert read(await through(events, GUARD, promote=True)) == read(wanted)
        assert read(await through(events, GUARD)) == read(native)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_corrected_call_is_promoted_before_its_text_ends(provider: str, order: Any) -> None:
    make, through, _ = PROVIDERS[provider]
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(CALL), order=order)
    assert read(await through(make(reply(BROKEN)), guard, promote=True)) == read([WRITTEN])


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_promoted_call_has_no_number_of_a_native_one_that_waited(provider: str, order: Any) -> None:
    """Clients join what has one number. The native call is asked of a corrector that does not help, and is then sent on."""
    make, through, _ = PROVIDERS[provider]
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector("no"), order=order)
    failed = ("write_file", '{"path": "/etc/x", "content": ""}')
    events = make(reply(CALL), [("delete_file", '{"path": "c"}'), failed])
    assert read(await through(events, guard, promote=True)) == read([("delete_file", '{"path": "c"}'), failed, WRITTEN])


ENDS: Any = {
    "openai-chat": {"length": False, "content_filter": False, "error": False, "stop": True, "tool_calls": True},
    "openai-responses": {"max_output_tokens": False, "content_filter": False, "completed": True},
    "anthropic": {"max_tokens": False, "refusal": False, "end_turn": True, "tool_use": True},
}
"""The reasons why a message ends, and whether it was whole then."""


@pytest.mark.parametrize(("provider", "reason"), [(provider, reason) for provider in ENDS for reason in ENDS[provider]])
@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.promise("P7")
async def test_nothing_is_promoted_in_a_message_that_was_cut_off(provider: str, reason: str, cut: bool) -> None:
    """Not a call that is whole either, as no native call is sent on then. And the reason why the message ended stays."""
    make, *_ = PROVIDERS[provider]
    events = make(["```json\n", DELETE, "\n```\n", *(["```json\n", CALL] if cut else ["Bye"])], finish=reason)
    items = await collect(guard_events(FakeStream(events), GUARD, provider, promote=True))
    whole = ENDS[provider][reason]
    runs = [item.executable for item in items if isinstance(item, ToolBlock)]
    assert runs == [True, *([reason in ("stop", "completed", "end_turn")] if cut else [])]
    told = json.dumps([item for item in items if isinstance(item, dict)])
    assert ("delete_file" in told) is whole
    assert ("write_file" in told) is (True in runs[1:])
    if not whole:
        assert reason in told


async def test_a_reason_says_that_there_are_calls() -> None:
    items: list[Any] = [*await collect(guard_events(FakeStream(as_chat(reply(CALL))), GUARD, "openai-chat", promote=True))]
    assert items[-1]["choices"][0]["finish_reason"] == "tool_calls"
    items = [*await collect(guard_events(FakeStream(as_messages(reply(CALL))), GUARD, "anthropic", promote=True))]
    assert items[-2]["delta"]["stop_reason"] == "tool_use"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_promoted_of_a_stream_that_nobody_ended(provider: str) -> None:
    """Unless its last event says that it is done; then each call is sent once."""
    make, *_ = PROVIDERS[provider]
    events = [event for event in make(reply(CALL)) if not ended(event)]
    for given, sent in ((events, False), ([*events, End()], True)):
        lanes = Lanes(GUARD, PROTOCOLS[provider], Settings(promote=True))
        items = [item for event in given for item in lanes.feed(event)] + list(lanes.end())
        told = json.dumps([item for item in items if isinstance(item, dict)])
        assert ('"write_file"' in told) is sent
    assert len(set(re.findall(r': "(call_[^"]*)"', told))) == 1


def ended(event: Event) -> bool:
    kind = event.get("type")
    return kind in ("message_delta", "message_stop", "response.completed") or any(
        choice["finish_reason"] for choice in event.get("choices", ())
    )


def speaking(*bodies: str) -> Behaviour:
    return lambda _: reply(*bodies)


async def test_the_clients_objects_are_of_their_own_kinds() -> None:
    """What is made is what the client itself would have made."""
    async with Provider(speaking(CALL)) as provider:
        async with (
            AsyncOpenAI(api_key="k", base_url=provider.url, max_retries=0) as client,
            guard_chat(
                await client.chat.completions.create(model="m", messages=ASKED, stream=True), GUARD, promote=True
            ) as stream,
        ):
            chunks: list[Any] = [item async for item in stream if not hasattr(item, "seq")]
        (call,) = [call for chunk in chunks for choice in chunk.choices for call in choice.delta.tool_calls or ()]
        assert (type(call).__name__, call.function.name, json.loads(call.function.arguments)) == (
            "ChoiceDeltaToolCall",
            "write_file",
            json.loads(WRITTEN[1]),
        )
        async with (
            AsyncAnthropic(api_key="k", base_url=provider.url, max_retries=0) as other,
            guard_messages(
                await other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True), GUARD, promote=True
            ) as stream,
        ):
            events = [item async for item in stream if not hasattr(item, "seq")]
        assert [type(event).__name__ for event in events[-5:]] == [
            "RawContentBlockStartEvent",
            "RawContentBlockDeltaEvent",
            "RawContentBlockStopEvent",
            "RawMessageDeltaEvent",
            "RawMessageStopEvent",
        ]


async def test_responses_of_the_client_are_of_their_own_kinds() -> None:
    from openai._models import construct_type
    from openai.types.responses import ResponseStreamEvent

    made: Any = [construct_type(type_=ResponseStreamEvent, value=event) for event in as_responses(reply(CALL))]
    guarded = await collect(guard_responses(FakeStream(made), GUARD, promote=True))
    items: list[Any] = [item for item in guarded if not hasattr(item, "seq")]
    assert [type(item).__name__ for item in items[-5:]] == [
        "ResponseOutputItemAddedEvent",
        "ResponseFunctionCallArgumentsDeltaEvent",
        "ResponseFunctionCallArgumentsDoneEvent",
        "ResponseOutputItemDoneEvent",
        "ResponseCompletedEvent",
    ]
    assert [item.type for item in items[-1].response.output] == ["message", "function_call"]


async def test_what_cannot_be_promoted_is_said() -> None:
    with pytest.raises(ValueError, match=r"promote works with openai-chat, .*; not with langchain"):
        guard_events(FakeStream([]), GUARD, "langchain", promote=True)
    with pytest.raises(ValueError, match="promote works with"):
        await guard_any(FakeStream(["text"]), GUARD, promote=True)
    with pytest.raises(ValueError, match="native must be"):
        StreamGuardMiddleware(nothing, guard=GUARD, native="maybe")  # type: ignore[arg-type]


async def nothing(*_: Any) -> None: ...


async def test_lanes_are_numbered_each_by_itself() -> None:
    """Two choices, each with a call of its own: each is the first of its choice."""

    async def chunks() -> AsyncIterator[Event]:
        for event in as_chat([f"```json\n{CALL}\n```\n"]):
            for index in (0, 1):
                yield {**event, "choices": [{**event["choices"][0], "index": index}]}

    items = await collect(guard_events(chunks(), GUARD, "openai-chat", promote=True))
    called = [
        (choice["index"], call["index"], call["id"])
        for item in items
        if isinstance(item, dict)
        for choice in item["choices"]
        for call in choice["delta"].get("tool_calls", ())
    ]
    assert [(choice, index) for choice, index, _ in called] == [(0, 0), (1, 0)]
    assert len({name for *_, name in called}) == 2


AFTER = "Bye, and more of it."
"""Prose behind a block that does not end its line."""

ENDED: Any = {
    "openai-chat": ({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},),
    "openai-responses": (
        {
            "type": "response.incomplete",
            "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        },
    ),
    "anthropic": ({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"}),
    "gemini": ({"candidates": [{"index": 0, "content": {"parts": []}, "finishReason": "MAX_TOKENS"}]},),
    "ollama": ({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "length"},),
    "ai-sdk": ({"type": "finish", "finishReason": "length"},),
    "ag-ui": ({"type": "RUN_ERROR", "message": "cut off"},),
}
"""What ends a message that was cut off."""


def cut_off(provider: str, deltas: Sequence[str]) -> list[Event]:
    """Return the events of a message that was cut off behind these deltas."""
    ends = PROTOCOLS[provider].ends
    said = [event for event in STREAMS[provider].stream(deltas) if not any(why is not None for _, why in ends(event))]
    return [*said, *ENDED[provider]]


@pytest.mark.parametrize("provider", ENDED)
@pytest.mark.parametrize("blocks", ["text", "both", "events"])
@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.promise("P2")
def test_a_block_of_a_message_that_was_cut_off_is_in_its_text(provider: str, blocks: Any, ends: bool) -> None:
    """Behind the rest of it, on a line of its own; and so if nobody has ended the message."""
    first, second = (f"```json\n{body}\n```" for body in (DELETE, CALL))
    events = cut_off(provider, ["Hi\n", first, "\n", second, f"\n{AFTER}"])
    if not ends:
        events = events[: -len(ENDED[provider])]
    lanes = Lanes(GUARD, PROTOCOLS[provider], Settings(promote=True, blocks=blocks))
    texts: list[str] = []
    shown: list[str] = []
    for event in events:
        for item in lanes.feed(event):
            assert not isinstance(item, ToolBlock) or blocks != "text"
            if not isinstance(item, ToolStatus | ToolBlock):
                assert not PROTOCOLS[provider].calls(item)
                (shown if lanes.is_block(item) else texts).extend(text for _, text in PROTOCOLS[provider].texts(item))
    for item in lanes.end():
        (shown if lanes.is_block(item) else texts).extend(text for _, text in PROTOCOLS[provider].texts(item))
    told = f"{first}\n{second}" if blocks != "events" else ""
    assert "".join([*texts, *shown]).replace(f"{AFTER}\n", AFTER) == f"Hi\n\n\n{AFTER}{told}"
    assert bool(shown) is (blocks == "both")


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
@pytest.mark.promise("P2")
async def test_a_clients_helper_reads_the_block_of_a_message_that_was_cut_off(provider: str) -> None:
    """As the last text of the message, in its snapshots too; on a line of its own for whoever joins the texts."""
    make, _, reason = PROVIDERS[provider]
    events = make(["Hi\n", f"```json\n{DELETE}\n```\n", "Bye"], finish=reason)
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    async with served(behind(GUARD, body, promote=True, blocks="text")) as url:
        if provider == "anthropic":
            async with (
                AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as client,
                client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
            ):
                texts = [block.text for block in (await stream.get_final_message()).content if block.type == "text"]
        else:
            async with (
                AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as other,
                other.responses.stream(model="m", input="x") as told,
            ):
                last: Any = [event async for event in told][-1]
            assert last.response.status == "incomplete"
            texts = [part.text for item in last.response.output for part in item.content]
    assert texts == ["Hi\n\nBye", f"\n```json\n{DELETE}\n```"]


@pytest.mark.parametrize("blocks", ["text", "both"])
def test_a_reply_that_calls_nothing_keeps_its_blocks(blocks: Any) -> None:
    """The older completions, and Ollama's `generate`, have no native calls to promote one to."""
    block = f"```json\n{DELETE}\n```"
    for provider, events in (
        ("openai-chat", [{"choices": [{"index": 0, "text": block, "finish_reason": reason}]} for reason in (None, "stop")]),
        ("ollama", [{"model": "m", "response": block, "done": done} for done in (False, True)]),
    ):
        table = PROTOCOLS[provider]
        lanes = Lanes(GUARD, table, Settings(promote=True, blocks=blocks))
        events[1] = json.loads(json.dumps(events[1]).replace(json.dumps(block), '""'))
        items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
        assert "".join(text for item in items if isinstance(item, dict) for _, text in table.texts(item)) == block
