"""The JSON of events: what is not changed is written as it was sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.body import Body, parsed
from stream_guard_adapters.engine.replies import ReplyBody
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols.access import put, without
from stream_guard_adapters.protocols.json_text import dumped, loaded
from stream_guard_conformance.corpus.native import as_chat, as_messages, as_responses

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.lane_events import BLOCK
from tests.kit.native_calls import DELETE
from tests.kit.proof import Cases

GUARD = Guard(FILE_TOOLS)
NUMBERS = (
    "0", "-1", "1.0", "1e5", "1E5", "1.50", "0.10", "1e-7", "-0.0", "2e+3", "1e400", "-1e400", "1e16",
    "123456789012345678901234567890", "0.1234567890123456789",
)  # fmt: skip
KEPT: Final = '{"a":1,"b":2.50,"a":{"c":1e3,"c":2},"d":[1E2,{"e":null,"e":""}]}'


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_keeps_its_spelling(number: str) -> None:
    for text in (number, f"[{number},{number}]", f'{{"a":{{"b":[{number}]}}}}'):
        assert dumped(parsed(text)) == text
    assert loaded(number) == json.loads(number)
    assert json.loads(json.dumps({"a": loaded(number)})) == {"a": json.loads(number)}


def test_a_key_that_stands_twice_is_read_by_the_last_and_written_twice() -> None:
    made = parsed(KEPT)
    assert made == json.loads(KEPT)
    assert dumped(made) == KEPT
    assert dumped(put(made, b=3)) == '{"a":1,"a":{"c":1e3,"c":2},"d":[1E2,{"e":null,"e":""}],"b":3}'
    assert dumped(without(made, "d")) == '{"a":1,"b":2.50,"a":{"c":1e3,"c":2}}'
    assert dumped(put(made, a=0)) == '{"b":2.50,"d":[1E2,{"e":null,"e":""}],"a":0}'


def test_what_is_written_is_what_python_writes() -> None:
    values: tuple[Any, ...] = ({}, [], "", 'é\u2028\ud800"\n', True, None, 3, 0.5, {"a": [1, {"b": []}], "c": ()})
    for value in values:
        assert dumped(value) == json.dumps(value, separators=(",", ":"))
        assert dumped(value, spaced=True) == json.dumps(value, ensure_ascii=False)
    assert dumped([float("inf"), -float("inf")]) == "[1e999,-1e999]"


MAKES: dict[str, Callable[..., list[Any]]] = {
    "openai-chat": as_chat,
    "openai-responses": as_responses,
    "anthropic": as_messages,
}


@pytest.mark.parametrize("name", MAKES)
@pytest.mark.parametrize("settings", [Settings(), Settings(blocks="text", promote=True)], ids=str)
def test_an_event_that_is_written_anew_keeps_all_that_is_not_changed(name: str, settings: Settings, cases: Cases) -> None:
    """The member beside its text, or beside its call, as the bytes that came."""
    for seed in range(40):
        cases(1)
        chance = Random(seed)
        numbers = ",".join(chance.sample(NUMBERS, 4))
        kept = f'"kept":[{numbers},{KEPT}]'
        text = "".join(chance.choice(["Hi\n", BLOCK, "`a`\n", "```json\n{}\n```\n"]) for _ in range(4))
        events = MAKES[name]([text[:9], text[9:], "\n"], [DELETE])
        body = Body(GUARD, "events", None, settings)
        raw = b""
        for event in events:
            inside = "response" in event and chance.random() < 0.7
            changed = {**event, "response": {**event["response"], "MARK": 1}} if inside else {**event, "MARK": 1}
            data = json.dumps(changed).replace('"MARK": 1', kept)
            for item in body.push(f"data: {data}\n\n".encode()):
                raw += item if isinstance(item, bytes) else body.event_bytes(item)
        raw += b"".join(item if isinstance(item, bytes) else body.event_bytes(item) for item in body.end())
        assert raw.count(b'"kept"') == raw.count(kept.encode())
        assert raw.count(b'"kept"') >= len(events) - 8  # the others are of the call


def test_a_reply_keeps_all_that_is_not_changed() -> None:
    kept = f'"kept":[{",".join(NUMBERS)},{KEPT}]'
    broken = 'Hi\n```json\n{"tool": "delete_file", "path": "a",}\n```\n'
    choice = {"index": 0, "message": {"role": "assistant", "content": broken, "A": 1}, "finish_reason": "stop", "A": 1}
    called = {"type": "tool_use", "id": "t", "name": "other", "input": {"A": 1}}
    for reply in (
        {"id": "c", "object": "chat.completion", "choices": [choice], "A": 1},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": broken, "A": 1}, called], "A": 1},
    ):
        for settings in (Settings(), Settings(blocks="text")):
            body = ReplyBody(GUARD, settings)
            body.push(json.dumps(reply).replace('"A": 1', kept).encode())
            assert not any(map(body.event_bytes, body.items()))
            assert body.made is not None
            made = body.made.decode()
            assert made.count(kept) == json.dumps(reply).count('"A"')
            assert broken not in json.loads(made).get("choices", [{"message": {"content": ""}}])[0]["message"]["content"]


def test_the_arguments_of_a_call_keep_their_numbers() -> None:
    """Where a protocol has them as an object, and the guard reads them as text."""
    given = '{"path":"a","n":[1e5,1.50,1E2]}'
    block = f'{{"type":"tool_use","id":"t","name":"delete_file","input":{given}}}'
    start = f'{{"type":"content_block_start","index":0,"content_block":{block}}}'
    events = [start, '{"type":"content_block_stop","index":0}', '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}']
    body = Body(GUARD, "events", None, Settings(blocks="text"))
    sent = [item for event in events for item in body.push(f"data: {event}\n\n".encode())]
    raw = b"".join(item for item in sent if isinstance(item, bytes))
    assert given.encode() in raw
