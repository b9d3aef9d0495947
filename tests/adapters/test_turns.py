"""Turns of the real clients: their streams guarded, the calls run, and the messages taken by the same clients."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.cassettes import record
from stream_guard_adapters.openai import guard_chat, guard_responses
from stream_guard_conformance.corpus.native import Event, as_chat, as_messages, as_responses, chat, messages, responses

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset, run
from stream_guard.running.messages import Api
from stream_guard.testing import FakeStream
from tests.kit.client_types import taken
from tests.kit.provider import Provider

TOOLS = Toolset(
    Tool(
        "double",
        "Double a number",
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        handler=lambda arguments: {"twice": arguments["n"] * 2},
        risk=Risk.READ,
    )
)
GUARD = Guard(TOOLS)
SAID = 'Let me see.\n```json\n{"tool": "double", "n": 4}\n```\nAnd:\n```json\n{"tool": "double", "n": "x"}\n```'
ASKED: Any = [{"role": "user", "content": "Double 4"}]


async def test_a_conversation_goes_on_with_the_messages_of_its_turns() -> None:
    """Two turns of chat completions, over a server that answers what it was asked last."""

    def answer(asked: dict[str, Any]) -> list[str]:
        last = asked["messages"][-1]
        return [SAID] if last["role"] == "user" else [f"It said: {asked['messages'][-2]['content']}"]

    conversation = list(ASKED)
    async with Provider(answer) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:
        while True:
            reply = await client.chat.completions.create(model="m", messages=conversation, stream=True)
            async with run(guard_chat(reply, GUARD), TOOLS) as turn:
                async for _ in turn:
                    pass
            conversation += turn.messages("chat")
            taken("chat", conversation)
            if not turn.outputs:
                break
    assert [message["role"] for message in conversation] == ["user", "assistant", "tool", "tool", "assistant"]
    assert conversation[1]["content"] == "Let me see.\n\nAnd:\n"
    assert conversation[-1]["content"] == 'It said: {"twice": 8}'


async def test_a_client_that_no_guard_stands_before_is_told() -> None:
    """And where a recording stands between the guard and `run`, the messages are those of the guard."""
    async with Provider(lambda _: [SAID]) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:

        async def reply() -> Any:
            return await client.chat.completions.create(model="m", messages=ASKED, stream=True)

        with pytest.raises(TypeError, match="no guard has looked at this one: it yields ChatCompletionChunk"):
            [item async for item in run(await reply(), TOOLS)]
        asking: Any = reply()
        with pytest.raises(TypeError, match="got coroutine: await it first"):
            run(asking, TOOLS)
        made = []
        for recorded in (False, True):
            guarded: Any = guard_chat(await reply(), GUARD)
            with TemporaryDirectory() as folder:
                async with run(record(guarded, Path(folder, "a.jsonl")) if recorded else guarded, TOOLS) as turn:
                    async for _ in turn:
                        pass
            made.append(without_ids(turn.messages("chat")))
        assert made[0] == made[1]
        assert made[0][0]["content"] == "Let me see.\n\nAnd:\n"


def without_ids(made: Any) -> Any:
    return json.loads(re.sub(r'"((?:tool_call_)?id)": "[^"]*"', r'"\1": ""', json.dumps(made)))


async def test_anthropics_client_takes_them_too() -> None:
    async with Provider(lambda _: [SAID]) as provider, AsyncAnthropic(api_key="k", base_url=provider.url) as client:
        apis: tuple[Api, ...] = ("messages", "text")
        for api in apis:
            reply = await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
            async with run(guard_messages(reply, GUARD), TOOLS) as turn:
                async for _ in turn:
                    pass
            made: Any = turn.messages(api)
            taken(api, made)
            await client.messages.create(model="m", max_tokens=9, messages=[*ASKED, *made, *ASKED], stream=True)
            assert provider.requests[-1]["messages"] == [*ASKED, *made, *ASKED]
            roles = [message["role"] for message in made]
            assert roles == ["assistant", "user"]


async def each(events: Sequence[Event]) -> AsyncIterator[Event]:
    for event in events:
        yield event


GIVEN = [("double", '{"n": 4}'), ("double", '{"n": "x"}')]
STREAMS = [
    ("chat", guard_chat, chat(GIVEN), ""),
    ("chat", guard_chat, as_chat([SAID]), "Let me see.\n\nAnd:\n"),
    ("responses", guard_responses, responses(GIVEN), ""),
    ("responses", guard_responses, as_responses([SAID]), "Let me see.\n\nAnd:\n"),
    ("messages", guard_messages, messages(GIVEN), ""),
    ("messages", guard_messages, as_messages([SAID]), "Let me see.\n\nAnd:\n"),
]


@pytest.mark.parametrize(("api", "guarded", "events", "text"), STREAMS)
async def test_calls_of_both_kinds_are_run(api: Any, guarded: Any, events: list[Event], text: str) -> None:
    """Native ones, and those that were written as text: the same messages."""
    stream = guarded(each(events), GUARD, stream_id="s")
    turn = run(stream, TOOLS)
    seen = [item async for item in turn]
    assert sum(isinstance(item, ToolBlock) for item in seen) == 2
    assert [output.payload for output in turn.outputs] == [{"twice": 8}, None]
    made = turn.messages(api)
    taken(api, made)
    told = json.dumps(made)
    assert text.strip() in told.encode().decode("unicode_escape")
    if api == "messages":
        assert [block["type"] for block in made[1]["content"]] == ["tool_result"] * 2
        assert [block["input"] for block in made[0]["content"] if block["type"] == "tool_use"] == [{"n": 4}, {"n": "x"}]
    else:
        assert told.count('{\\"n\\": 4}') == told.count('{\\"n\\": \\"x\\"}') == 1


async def test_a_turn_whose_text_has_its_blocks_too_says_each_once() -> None:
    """In its messages a block is a call, and no text."""
    said = []
    for blocks in ("events", "both"):
        stream = guard_chat(FakeStream(as_chat(list(SAID))), GUARD, blocks=blocks)
        async with run(stream, TOOLS) as turn:
            assert len([item async for item in turn if isinstance(item, ToolBlock)]) == 2
        said.append([re.sub(r"call_[0-9a-z-]+", "id", json.dumps(turn.messages(api))) for api in ("chat", "text")])
    assert said[0] == said[1]


UNKNOWN = [("no_such", '{"a": 1}'), ("double", '{"n": 4}')]


@pytest.mark.parametrize(
    ("api", "guarded", "events"),
    [
        ("chat", guard_chat, chat(UNKNOWN)),
        ("responses", guard_responses, responses(UNKNOWN)),
        ("messages", guard_messages, messages(UNKNOWN)),
    ],
)
async def test_a_native_call_of_a_tool_that_there_is_not_is_answered(api: Any, guarded: Any, events: list[Event]) -> None:
    """It passes, with no event of the guard about it, and the model hears which tools there are."""
    uninspected: list[str] = []
    stream = guarded(each(events), GUARD, stream_id="s", on_uninspected=uninspected.append)
    turn = run(stream, TOOLS)
    seen = [item async for item in turn]
    assert [item.tool for item in seen if isinstance(item, ToolBlock)] == ["double", "no_such"]
    good, bad = turn.outputs
    assert (good.payload, bad.block.executable, bad.block.outcome) == ({"twice": 8}, False, "failed")
    assert [issue.code for issue in bad.block.issues] == ["invalid_tool"]
    made = turn.messages(api)
    taken(api, made)
    answered = json.dumps(made[1:])
    assert "Invalid tool type: no_such. Must be double." in answered
    assert "no_such" in json.dumps(made[0])
    assert uninspected == ["unknown tool"]
    plain = [item async for item in guarded(each(events), GUARD) if isinstance(item, ToolBlock)]
    assert [block.tool for block in plain] == ["double"]


async def test_a_loop_goes_on_behind_such_a_call() -> None:
    """Nothing else is called: without an answer the conversation would be over."""
    async with run(guard_chat(each(chat(UNKNOWN[:1])), GUARD), TOOLS) as turn:
        assert [item async for item in turn if isinstance(item, ToolBlock)]
    assert [message["role"] for message in turn.messages("chat")] == ["assistant", "tool"]


async def test_what_a_provider_runs_itself_is_no_call_of_a_tool_that_there_is_not() -> None:
    events: list[Event] = json.loads(
        json.dumps(messages([("web_search", '{"query": "a"}')])).replace('"tool_use"', '"server_tool_use"')
    )
    async with run(guard_messages(each(events), GUARD), TOOLS) as turn:
        assert not [item async for item in turn if isinstance(item, ToolBlock)]
    assert not turn.outputs


async def test_a_native_call_that_becomes_text_stands_on_lines_of_its_own() -> None:
    """As a block, with the name of its tool; also one whose name no API takes back."""
    risky = Toolset(Tool("double", "", TOOLS["double"].schema, handler=dict, risk=Risk.DESTRUCTIVE))
    for tools, name, api in ((TOOLS, "double", "text"), (risky, "duo ble", "chat"), (risky, "duoble", "text")):
        async with run(guard_chat(each(chat([(name, '{"n": 4}')])), Guard(tools)), tools) as turn:
            async for _ in turn:
                pass
        reply, answer = turn.messages(cast("Api", api))
        assert reply["content"] == f'Hi\n\n```json\n{{"tool": "{name}", "n": 4}}\n```\n\n'
        assert answer["role"] == "user"
        assert answer["content"].startswith("double: " if name == "double" else (f"{name} failed: ", f'"{name}" failed: '))
