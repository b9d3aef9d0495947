"""Native calls that were cut off: whatever else is wrong with their JSON, and wherever a character was cut."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

import pytest
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_conformance.corpus.native import Event, ag_ui, ai_sdk, chat, messages, responses

from stream_guard import Guard, ToolBlock
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.native_calls import through_anthropic
from tests.kit.proof import Cases

GUARD: Final = Guard(FILE_TOOLS)

FLAWS: Final = {
    "none": '{"path": "a", "content": "b"}',
    "a raw line break": '{"path": "a", "content": "one\ntwo\r\nthree"}',
    "a raw tab and a null byte": '{"path": "a", "content": "one\ttwo\0"}',
    "a path with single backslashes": '{"path": "C:\\dir\\x", "content": "b"}',
    "a regular expression": '{"path": "a", "content": "\\d+\\s"}',
    "a key twice": '{"path": "a", "path": "b", "content": "c"}',
    "a byte order mark": '\ufeff{"path": "a", "content": "b"}',
    "single quotes": "{'path': 'a', 'content': 'b'}",
    "bare keys": '{path: "a", content: "b"}',
    "a comment": '{/* here */ "path": "a", "content": "b"}',
    "a missing comma": '{"path": "a" "content": "b"}',
    "semicolons": '{"path": "a"; "content": "b"}',
    "bare quotes": '{"path": "a", "content": "say "hi" to {them}"}',
    "words of Python": '{"path": None, "content": "b", "append": True}',
    "numbers": '{"path": 01, "content": 0x1F, "append": NaN}',
    "prose before it": 'Sure: {"path": "a", "content": "b"}',
    "a fence around it": '```json\n{"path": "a", "content": "b"}\n```',
    "a list around it": '[{"path": "a", "content": "b"}]',
    "two objects": '{"path": "a", "content": "b"}{"path": "c", "content": "d"}',
    "JSON as a text": json.dumps('{"path": "a", "content": "b"}'),
    "characters beyond the plane": '{"path": "a", "content": "\\ud83d\\ude00 \U0001f600"}',
    "half a character": '{"path": "a", "content": "\ud83d and \\ude00"}',
    "nested objects": '{"path": "a", "content": {"b": [1, {"c": 2}]}}',
    "an unknown field": '{"path": "a", "content": "b", "mode": {"x": 1}}',
}
"""Arguments as models write them, each with one thing wrong."""


def halves(text: str) -> str:
    """Return a text in which every character beyond the plane is two halves, as JavaScript cuts it."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(raw[at : at + 2], "little")) for at in range(0, len(raw), 2))


def may_be_whole(cut: str) -> bool:
    """Return whether a cut is a call by itself, or has what closes one: another writer's whole call."""
    body = cut.strip("`\n ")
    return body.endswith(("}", "]", '}"')) and 0 < body.count("{") <= body.count("}")


def sent(items: Sequence[Any]) -> list[str]:
    """Return the arguments of the calls in the events that leave, joined for each call."""
    text = json.dumps([item for item in items if isinstance(item, dict)])
    return [text] if "write_file" in text else []


MAKERS: Final[dict[str, Callable[..., list[Event]]]] = {
    "openai-chat": chat,
    "anthropic": messages,
    "openai-responses": responses,
    "ai-sdk": ai_sdk,
    "ag-ui": ag_ui,
}


@pytest.mark.some
@pytest.mark.parametrize("protocol", MAKERS)
@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.promise("P7")
async def test_a_call_that_was_cut_off_is_not_sent_on_whatever_else_is_wrong(cases: Cases, protocol: str, flaw: str) -> None:
    """Its provider says that it ended well. At every cut of the arguments, in pieces that cut characters in two."""
    written, chance = halves(FLAWS[flaw]), Random(flaw)
    every = range(1, len(written))
    for end in some(every, 24) if protocol == "openai-chat" else some(chance.sample(every, 8), 4):
        cut = written[:end]
        if may_be_whole(cut):
            continue
        cases(1)
        events = MAKERS[protocol]([("write_file", cut)], seed=end)
        assert sent(await collect(guard_events(FakeStream(events), GUARD, protocol))) == [], cut


@pytest.mark.parametrize("flaw", FLAWS)
async def test_a_call_with_a_flaw_that_is_whole_is_sent_on(flaw: str) -> None:
    """Fixed, or as it was written, so that its client can tell the model."""
    events = chat([("write_file", halves(FLAWS[flaw]))])
    assert sent(await collect(guard_events(FakeStream(events), GUARD, "openai-chat")))


@pytest.mark.some(5)
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("protocol", MAKERS)
async def test_a_character_that_was_cut_in_two_is_one_character(protocol: str, native: Any) -> None:
    """A good call stays a good call, wherever its pieces are cut; one that can be fixed is fixed."""
    for written in ('{"path": "a", "content": "x\U0001f600y"}', '{"path": "a", "content": "\U0001f600\U0001f601",}'):
        for seed in range(20):
            events = MAKERS[protocol]([("write_file", halves(written))], seed=seed)
            items = await collect(guard_events(FakeStream(events), GUARD, protocol, native=native))
            (block,) = [item for item in items if isinstance(item, ToolBlock)]
            assert block.runnable().arguments["content"] == json.loads(written.replace(",}", "}"))["content"]
            assert sent(items)


@pytest.mark.parametrize(
    "cut", ['{"path":"a","content":"\\u00', '{"path":"a","content":"say "hi" to', '{"path":"a" "content":"b']
)
async def test_a_helper_that_reads_half_calls_gets_none(cut: str) -> None:
    """Anthropic's helper makes an object of any beginning of JSON."""
    assert await through_anthropic(messages([("write_file", cut)]), GUARD) == []


def reply(content: str, arguments: str) -> Any:
    function = {"name": "write_file", "arguments": arguments}
    message = {"role": "assistant", "content": content, "tool_calls": [{"id": "a", "type": "function", "function": function}]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_cut_call_of_a_reply_that_is_not_streamed_is_left_out(flaw: str) -> None:
    chance = Random(flaw)
    for end in sorted(chance.sample(range(1, len(FLAWS[flaw])), 12)):
        cut = FLAWS[flaw][:end]
        if may_be_whole(cut):
            continue
        guarded: Any = guard_reply(reply("cut \ud83d", cut), GUARD).reply
        (choice,) = guarded["choices"]
        assert "tool_calls" not in choice["message"]
        assert choice["finish_reason"] == "length"


@pytest.mark.some(5)
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("protocol", MAKERS)
@pytest.mark.parametrize(
    "arguments", ['{"path": "a", "conte', '{"path": "a", "content": "b",}', '{"path": 1}', '{"file": "a", "content": "b"}']
)
async def test_in_shadow_mode_every_call_passes_as_it_came(protocol: str, native: Any, arguments: str) -> None:
    """What would have been changed is reported, and nothing is: neither the arguments nor the reason why the reply ended."""
    events = MAKERS[protocol]([("write_file", arguments)], seed=2)
    items = await collect(guard_events(FakeStream(events), Guard(FILE_TOOLS, mode="shadow"), protocol, native=native))
    assert [item for item in items if isinstance(item, dict)] == events
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert not block.executable
    assert bool(block.fixes) == ('content": "b"' in arguments)
