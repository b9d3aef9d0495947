"""The streams of LangChain, pydantic-ai and LiteLLM, each made by the framework itself."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import pytest
from stream_guard_adapters.engine.settings import Native
from stream_guard_adapters.events import guard_any, guard_events
from stream_guard_adapters.openai import guard_chat

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeStream, by_char, collect
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
FIRST, LAST = "Hi.\n", "Bye, é."
CALL = '```json\n{"tool": "create_file", "path": "a.txt", "content": "x y"}\n```\n'
REPLY = FIRST + CALL + LAST
VISIBLE = FIRST + "\n" + LAST
"""The line end behind the closing fence is text."""


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    """Frameworks warn of themselves while they are imported; that is theirs to see to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def told(items: list[Any]) -> list[str]:
    """Our events, the order in which they came."""
    kinds = [item.status if isinstance(item, ToolStatus) else "block" for item in items if ours(item)]
    return [kind for kind in kinds if kind != "buffering"]


def ours(item: Any) -> bool:
    return isinstance(item, ToolStatus | ToolBlock)


def block(items: list[Any]) -> ToolBlock:
    (found,) = [item for item in items if isinstance(item, ToolBlock)]
    return found


# -- LangChain ---------------------------------------------------------------------------------------------------------


def model(reply: str = REPLY) -> Any:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    return GenericFakeChatModel(messages=iter([AIMessage(content=reply)]))


async def read(stream: Any) -> list[Any]:
    """What a stream yields, of whatever framework."""
    return await collect(stream)


def test_text_visible_is_what_the_guard_says() -> None:
    assert "".join(item for item in GUARD.scan([REPLY]) if isinstance(item, str)) == VISIBLE


async def test_langchain_messages() -> None:
    """`astream`: chunks that are messages."""
    items = await read(await guard_any(model().astream("x"), GUARD))
    chunks = [item for item in items if not ours(item)]
    assert {type(chunk).__name__ for chunk in chunks} == {"AIMessageChunk"}
    assert "".join(chunk.content for chunk in chunks) == VISIBLE
    assert chunks[-1].chunk_position == "last"
    assert (told(items), block(items).executable, block(items).tool) == (["validating", "block"], True, "write_file")
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk  # as LangChain puts them together
    assert whole.content == VISIBLE


async def test_langchain_messages_with_the_metadata_of_a_graph() -> None:
    async def stream() -> AsyncIterator[Any]:
        async for chunk in model().astream("x"):
            yield chunk, {"langgraph_node": "agent"}

    items = await read(await guard_any(stream(), GUARD))
    assert "".join(chunk.content for chunk, _ in (item for item in items if not ours(item))) == VISIBLE
    assert block(items).executable


async def test_langchain_events_say_nothing_twice() -> None:
    """A model in a chain: the runs around it tell its text again, in chunks and whole, and the block is told once."""
    from langchain_core.output_parsers import StrOutputParser

    chain = model() | StrOutputParser()
    items = await read(await guard_any(chain.astream_events("x", version="v2"), GUARD))
    events = [item for item in items if not ours(item)]
    assert told(items) == ["validating", "block"]
    assert "create_file" not in str(events)
    texts: list[tuple[str, Callable[[Any], str]]] = [
        ("on_chat_model_stream", lambda event: event["data"]["chunk"].content),
        ("on_parser_stream", lambda event: event["data"]["chunk"]),
        ("on_chain_stream", lambda event: event["data"]["chunk"]),
        ("on_chat_model_end", lambda event: event["data"]["output"].content),
        ("on_parser_end", lambda event: event["data"]["output"]),
        ("on_chain_end", lambda event: event["data"]["output"]),
    ]
    for kind, text in texts:
        assert "".join(text(event) for event in events if event["event"] == kind) == VISIBLE, kind
    assert "".join(event["data"]["input"].content for event in events if event["event"] == "on_parser_end") == VISIBLE


async def test_langchain_events_that_hold_no_block_are_the_very_objects() -> None:
    chain = model("Just prose, \nand more.")
    events = [event async for event in chain.astream_events("x", version="v2")]
    items = await read(guard_events(FakeStream(events), GUARD, "langchain"))
    assert len(items) == len(events)
    assert all(a is b for a, b in zip(items, events, strict=True))


async def test_langchain_states_of_graphs_are_shown_as_they_were_seen() -> None:
    """Messages inside of a state, with text in parts."""
    from langchain_core.messages import AIMessage, HumanMessage

    said = AIMessage(content=[{"type": "text", "text": REPLY}, {"type": "tool_use", "id": "t"}])
    asked = HumanMessage(content=REPLY)
    event = {"event": "on_chain_end", "run_id": "r", "data": {"output": {"messages": [asked, said, AIMessage(content="ok")]}}}
    (made,) = await read(guard_events(FakeStream([event]), GUARD, "langchain"))
    first, second, third = made["data"]["output"]["messages"]
    assert (first, third.content) == (asked, "ok")
    assert second.content == [{"type": "text", "text": VISIBLE}, {"type": "tool_use", "id": "t"}]


async def test_langchain_text_in_parts_and_what_stands_beside_it() -> None:
    """A list of parts, a call's chunk, usage on the last; a reason that says cut."""
    from langchain_core.messages import AIMessageChunk

    def chunk(text: str, **more: Any) -> Any:
        return AIMessageChunk(content=[{"type": "text", "text": text, "index": 0}], id="m", **more)

    call = {"name": "f", "args": "{}", "id": "t", "index": 0, "type": "tool_call_chunk"}
    chunks = [
        chunk("a\n``", tool_call_chunks=[call]),
        chunk('`json\n{"tool": "write_file", "path": "a", "con', response_metadata={"finish_reason": "length"}),
    ]
    items = await read(guard_events(FakeStream(chunks), GUARD, "langchain"))
    assert [len(item.tool_call_chunks) for item in items if not ours(item)].count(1) == 1
    assert (block(items).executable, block(items).end_cause) == (False, "length")
    assert items[-1].response_metadata == {"finish_reason": "length"}
    failed = {"event": "on_chat_model_error", "run_id": "r", "data": {}}
    started = {"event": "on_chat_model_stream", "run_id": "r", "data": {"chunk": chunks[1]}}
    opened = {"event": "on_chat_model_stream", "run_id": "r", "data": {"chunk": chunk("```json\n")}}
    items = await read(guard_events(FakeStream([opened, started, failed]), GUARD, "langchain"))
    assert block(items).end_cause == "error"


async def test_langchain_events_of_the_third_version() -> None:
    stream = await model().astream_events("x", version="v3")
    items = await read(await guard_any(stream, GUARD))
    events = [item for item in items if not ours(item)]
    text = [event["delta"]["text"] for event in events if event["event"] == "content-block-delta"]
    assert "".join(text) == VISIBLE
    assert next(event for event in events if event["event"] == "content-block-finish")["content"]["text"] == VISIBLE
    assert block(items).executable
    cut = [
        {"event": "content-block-start", "index": 0, "content": {"type": "text", "text": FIRST + CALL[:40]}},
        {"event": "content-block-finish", "index": 0, "content": {"type": "text", "text": FIRST + CALL[:40]}},
        {"event": "message-finish", "reason": "length"},
    ]
    items = await read(guard_events(FakeStream(cut), GUARD, "langchain-v3"))
    assert (block(items).end_cause, items[0]["content"]["text"], items[-1]) == ("length", FIRST, cut[-1])
    items = await read(guard_events(FakeStream([cut[0], {"event": "error"}]), GUARD, "langchain-v3"))
    assert block(items).end_cause == "error"


# -- pydantic-ai -------------------------------------------------------------------------------------------------------


async def test_pydantic_ai_events() -> None:
    """The first text stands in the event that starts the part; the last ones repeat it all."""
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    async def say(*_: Any) -> AsyncIterator[str]:
        for delta in (REPLY[:10], *by_char(REPLY[10:])):
            yield delta

    agent = Agent(FunctionModel(stream_function=say))
    async with agent.run_stream_events("x") as events:
        items = await read(await guard_any(events, GUARD))
    kinds = [item.event_kind for item in items if not ours(item)]
    assert (kinds[0], kinds[-2:]) == ("part_start", ["part_end", "agent_run_result"])
    start, end, result = items[0], items[-2], items[-1]
    deltas = [item.delta.content_delta for item in items if not ours(item) and item.event_kind == "part_delta"]
    assert start.part.content + "".join(deltas) == VISIBLE
    assert (end.part.content, result.result.output) == (VISIBLE, VISIBLE)
    assert result.result.all_messages()[-1].parts[0].content == REPLY  # what the model wrote is what the model is told it wrote
    assert told(items) == ["validating", "block"]
    assert block(items).executable


async def test_pydantic_ai_text_that_begins_with_a_block() -> None:
    """Nothing of it is in the event that starts the part, and that event leaves all the same."""
    from pydantic_ai import messages

    events = [
        messages.PartStartEvent(index=0, part=messages.TextPart(content=CALL + "more")),
        messages.PartDeltaEvent(index=0, delta=messages.TextPartDelta(content_delta=" text")),
        messages.PartEndEvent(index=0, part=messages.TextPart(content=CALL + "more text")),
    ]
    items = await read(guard_events(FakeStream(events), GUARD, "pydantic-ai"))
    kinds = ["ours" if ours(item) else item.event_kind for item in items]
    assert [kind for kind in kinds if kind != "ours"] == ["part_start", "part_delta", "part_delta", "part_end"]
    assert items[-1].part.content == "\nmore text"
    assert block(items).executable


# -- native calls of frameworks ----------------------------------------------------------------------------------------

ARGUMENTS = '{"path": "a.txt", "content": "x"}'


def pydantic_ai_run() -> Any:
    """A run of an agent whose model calls a tool of ours, and one that is not."""
    from pydantic_ai import Agent
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

    async def say(messages: Any, _: Any) -> AsyncIterator[Any]:
        if len(messages) > 1:
            yield "done"
            return
        yield {0: DeltaToolCall(name="write_file", tool_call_id="a")}
        for piece in (ARGUMENTS[:9], ARGUMENTS[9:]):
            yield {0: DeltaToolCall(json_args=piece)}
        yield {1: DeltaToolCall(name="weather", json_args="{}", tool_call_id="b")}

    def write_file(path: str, content: str) -> str:
        return path + content

    def weather() -> str:
        return "sunny"

    agent = Agent(FunctionModel(stream_function=say), tools=[write_file, weather])
    return agent.run_stream_events("x")


def langchain_chunks() -> list[Any]:
    from langchain_core.messages import AIMessageChunk

    def chunk(name: str | None, args: str, index: int, **more: Any) -> Any:
        call = {"name": name, "args": args, "id": f"t{index}" if name else None, "index": index, "type": "tool_call_chunk"}
        return AIMessageChunk(content="", id="m", tool_call_chunks=[call], **more)

    return [
        chunk("write_file", "", 0),
        chunk(None, ARGUMENTS[:9], 0),
        chunk(None, ARGUMENTS[9:], 0),
        chunk("weather", "{}", 1, response_metadata={"finish_reason": "tool_calls"}, chunk_position="last"),
    ]


async def test_native_calls_of_a_framework_are_reported_and_not_held(caplog: pytest.LogCaptureFixture) -> None:
    """It reads and runs them itself, so every event passes; a log line says once what to do, but where it is asked for."""

    async def events(chunks: list[Any]) -> AsyncIterator[Any]:
        from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

        class Calling(GenericFakeChatModel):  # type: ignore[misc, unused-ignore]
            async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
                from langchain_core.outputs import ChatGenerationChunk

                for chunk in chunks:
                    yield ChatGenerationChunk(message=chunk)

        async for event in Calling(messages=iter([])).astream_events("x", version="v2"):
            yield event

    async with pydantic_ai_run() as stream:
        run = [event async for event in stream]
    call = {"type": "tool_call", "id": "t", "name": "write_file", "args": json.loads(ARGUMENTS)}
    finish = {"event": "content-block-finish", "index": 0, "content": call}
    settings: list[tuple[Native, int]] = [("mend", 1), ("observe", 0)]
    streams: dict[str, list[Any]] = {
        "pydantic-ai": run,
        "langchain": langchain_chunks(),
        "langchain-v3": [finish, {"event": "message-finish", "reason": "tool_calls"}],
    }
    for protocol, given in streams.items():
        for native, warned in settings:
            caplog.clear()
            items = await read(guard_events(FakeStream(given), GUARD, protocol, native=native))
            assert all(a is b for a, b in zip([item for item in items if not ours(item)], given, strict=True)), protocol
            assert (block(items).tool, block(items).executable, block(items).path) == ("write_file", True, "a.txt"), protocol
            assert sum("not held" in record.message for record in caplog.records) == warned, protocol
    items = await read(guard_events(events(langchain_chunks()), GUARD, "langchain"))
    assert block(items).tool == "write_file"  # once, though the runs around the model's repeat it
    (cut,) = [item for item in await read(guard_events(FakeStream(langchain_chunks()[:2]), GUARD, "langchain")) if ours(item)][
        -1:
    ]
    assert (cut.executable, cut.end_cause) == (False, "disconnect")


# -- LiteLLM -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def litellm() -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would ask for one on the network
    import litellm

    return litellm


async def streamed(litellm: Any, reply: str = REPLY) -> Any:
    asked = [{"role": "user", "content": "x"}]
    return await litellm.acompletion(model="gpt-4o", messages=asked, mock_response=reply, stream=True)


@pytest.mark.some(0)
async def test_litellm_streams_are_chat_completions(litellm: Any) -> None:
    for guarded in (guard_chat(await streamed(litellm), GUARD), await guard_any(await streamed(litellm), GUARD)):
        async with guarded as stream:
            items: list[Any] = [item async for item in stream]
        chunks = [item for item in items if not ours(item)]
        assert {type(chunk).__name__ for chunk in chunks} == {"ModelResponseStream"}
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == VISIBLE
        assert chunks[-1].choices[0].finish_reason == "stop"
        assert block(items).executable
        assert litellm.stream_chunk_builder(chunks).choices[0].message.content == VISIBLE


async def test_litellm_guardrail(litellm: Any) -> None:
    """What its proxy sends: chunks that its own way of writing them turns into those of a chat completion."""
    from stream_guard_adapters.litellm import StreamGuardrail

    class Promoting(StreamGuardrail):
        promote = True
        emit = False
        request_tools = "add"

    offered = {"tools": [{"type": "function", "function": {"name": "write_file", "parameters": {"type": "object"}}}]}

    async def sent(guardrail: StreamGuardrail, response: Any, **request: Any) -> list[dict[str, Any]]:
        hook = guardrail.async_post_call_streaming_iterator_hook(None, response, request)
        return [json.loads(chunk.model_dump_json(exclude_none=True, exclude_unset=True)) async for chunk in hook]

    chunks = await sent(StreamGuardrail(guardrail_name="g"), await streamed(litellm))
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == VISIBLE
    told = [chunk["stream_guard"] for chunk in chunks if "stream_guard" in chunk]
    assert [event["data"]["executable"] for event in told if event["event"] == "json-tool-block"] == [True]
    assert len({chunk["id"] for chunk in chunks}) == 1
    own = await sent(Promoting(guardrail_name="g"), await streamed(litellm))
    assert not any(chunk["choices"][0]["delta"].get("tool_calls") for chunk in own)  # a request without tools calls nothing
    named = REPLY.replace("create_file", "write_file")
    chunks = await sent(Promoting(guardrail_name="g"), await streamed(litellm, named), **offered)
    assert not any("stream_guard" in chunk for chunk in chunks)
    (call,) = [call for chunk in chunks for call in chunk["choices"][0]["delta"].get("tool_calls", ())]
    assert json.loads(call["function"]["arguments"]) == {"path": "a.txt", "content": "x y"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_litellm_guardrail_sends_a_native_call_as_litellms_own_chunks(litellm: Any) -> None:
    """Mended and as it was: the proxy reads members of them that pydantic alone would not make."""
    from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices
    from stream_guard_adapters.litellm import StreamGuardrail

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Any:
        choice = StreamingChoices(index=0, delta=Delta(**delta), finish_reason=finish)
        return ModelResponseStream(id="c", model="m", choices=[choice])

    for arguments in ('{"path": "a.txt"}', '{"path": "a.txt",}'):
        call = {"index": 0, "id": "t", "type": "function", "function": {"name": "delete_file", "arguments": arguments}}
        chunks = [chunk({"role": "assistant", "content": "x"}), chunk({"tool_calls": [call]}), chunk({}, "tool_calls")]
        hook = StreamGuardrail(guardrail_name="g").async_post_call_streaming_iterator_hook(None, FakeStream(chunks), {})
        sent = [item async for item in hook]
        assert sent[0] is chunks[0]
        assert {type(item) for item in sent} == {ModelResponseStream}
        deltas = [choice.delta for item in sent for choice in item.choices]
        assert [json.loads(one.function.arguments) for delta in deltas for one in delta.tool_calls or ()] == [{"path": "a.txt"}]
        assert [delta.content for delta in deltas if delta.content] == ["x"]
        assert litellm.stream_chunk_builder(sent).choices[0].finish_reason == "tool_calls"


async def test_litellm_guardrail_guards_bytes(litellm: Any) -> None:  # it sets how LiteLLM is imported
    """As it is given the streams of messages: however they are cut."""
    from stream_guard_adapters.litellm import StreamGuardrail

    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": REPLY}}
    raw = f"event: content_block_delta\ndata: {json.dumps(delta)}\n\n".encode()
    for size in (len(raw), 7):
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        hook = StreamGuardrail(guardrail_name="g").async_post_call_streaming_iterator_hook(None, FakeStream(pieces), {})
        lines = b"".join([item async for item in hook]).decode().splitlines()
        events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        assert "".join(event["delta"]["text"] for event in events if "delta" in event) == VISIBLE
        blocks = [event["stream_guard"]["data"] for event in events if "stream_guard" in event]
        assert [block["executable"] for block in blocks if "content" in block] == [True]


def test_litellm_calls_the_guardrail_of_a_class_of_yours(litellm: Any) -> None:
    """It looks for the hook in the class itself."""
    from stream_guard_adapters.litellm import StreamGuardrail

    class Mine(StreamGuardrail):
        native = "observe"

    class Further(Mine):
        async def async_post_call_streaming_iterator_hook(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
            yield "its own"

    hook = "async_post_call_streaming_iterator_hook"
    assert all(hook in kind.__dict__ for kind in (StreamGuardrail, Mine, Further))
    assert Mine.__dict__[hook] is not Further.__dict__[hook]
    assert Mine(guardrail_name="g").native == "observe"


def test_litellm_guardrail_takes_its_settings_from_the_configuration(litellm: Any) -> None:
    from stream_guard_adapters.litellm import StreamGuardrail

    made = StreamGuardrail(
        guardrail_name="g", event_hook="post_call", tools="stream_guard.tools.files:DELETE_FILE", native="off", emit=False
    )
    assert (made.guard.tools.names, made.native, made.promote, made.emit) == (("delete_file",), "off", False, False)
    assert made.default_on
    assert not StreamGuardrail(guardrail_name="g", default_on=None).default_on
    with pytest.raises(ValueError, match="not both"):
        StreamGuardrail(guardrail_name="g", guard=GUARD, tools="x:y")
    with pytest.raises(ValueError, match="native must be"):
        StreamGuardrail(guardrail_name="g", native="no")  # type: ignore[arg-type]


async def test_litellm_guardrail_guards_replies_that_are_not_streamed(litellm: Any) -> None:
    """In the proxy's own types, with what it keeps in them; what is no reply passes."""
    from stream_guard_adapters.litellm import StreamGuardrail

    said = REPLY.replace("create_file", "write_file")
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    given = litellm.ModelResponse(id="c", model="m", created=1, choices=[choice])
    given._hidden_params = {"model_id": "x"}
    for blocks, text, told in (("events", VISIBLE, True), ("text", said, False)):
        guardrail = StreamGuardrail(guardrail_name="g", blocks=blocks)  # type: ignore[arg-type]
        made = await guardrail.async_post_call_success_hook({}, None, given)
        assert type(made) is type(given)
        assert made._hidden_params == {"model_id": "x"}
        assert made.choices[0].message.content == text
        assert ("stream_guard" in json.loads(made.model_dump_json())) is told
        assert (made is given) is not told
        message = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": said}]}
        plain = await guardrail.async_post_call_success_hook({}, None, message)
        assert ("stream_guard" in plain, plain["content"][0]["text"]) == (told, text)
    strange: Any = {"data": []}
    assert await StreamGuardrail(guardrail_name="g").async_post_call_success_hook({}, None, strange) is strange


async def test_litellm_guardrail_guards_with_the_tools_of_the_request(litellm: Any) -> None:
    """Beside those it was given, or alone where it was given none; streamed and not. Forbidden calls are not promoted."""
    from stream_guard_adapters.litellm import StreamGuardrail

    said = '```json\n{"tool": "weather", "city": "Rio",}\n```'
    offered = {"tools": [{"type": "function", "function": {"name": "weather", "parameters": {"properties": {"city": {}}}}}]}
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    reply = litellm.ModelResponse(id="c", model="m", created=1, choices=[choice])
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"{said}\n"}}
    raw = f"event: content_block_delta\ndata: {json.dumps(delta)}\n\n".encode()
    given: dict[str, Any] = {"guard": Guard(FILE_TOOLS)}
    for request, settings, names, guarded in (
        (offered, {}, ("weather",), True),
        (offered, given, (*FILE_TOOLS.names, "weather"), True),
        (offered, {**given, "request_tools": "only"}, ("weather",), True),
        (offered, {"request_tools": "off"}, FILE_TOOLS.names, False),
        ({}, {}, FILE_TOOLS.names, False),
    ):
        guardrail = StreamGuardrail(guardrail_name="g", **settings)
        guard, _ = await guardrail._request_guards.of_request(request)
        assert guard.tools.names == names
        made = await guardrail.async_post_call_success_hook(dict(request), None, reply)
        assert (made is not reply) is guarded
        stream = FakeStream([raw])
        hook = guardrail.async_post_call_streaming_iterator_hook(None, stream, dict(request))
        assert (b'"json-tool-block"' in b"".join([item async for item in hook])) is guarded
        assert stream.closed == 1
    promoting = StreamGuardrail(guardrail_name="g", promote=True)
    for choice_of_tools, calls in (("auto", 1), ("none", 0)):
        made = await promoting.async_post_call_success_hook({**offered, "tool_choice": choice_of_tools}, None, reply)
        assert len(made.choices[0].message.tool_calls or ()) == calls


async def test_litellm_guardrail_lets_pass_what_it_does_not_know(litellm: Any) -> None:
    from stream_guard_adapters.litellm import StreamGuardrail

    strange = FakeStream([{"strange": 1}, {"strange": 2}])
    hook = StreamGuardrail(guardrail_name="g").async_post_call_streaming_iterator_hook(None, strange, {})
    assert [item async for item in hook] == [{"strange": 1}, {"strange": 2}]
    assert strange.closed == 1
