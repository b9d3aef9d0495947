"""Events that pass unread behind a call that was left out: they have the places of the message that is sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.protocols import PROTOCOLS

from stream_guard import Guard, Limits, Tool
from tests.kit.proof import Cases

Event = dict[str, Any]

TOOL: Final = Tool("look", "", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]})
LONGEST: Final = 3_000


def responses(cut: int) -> list[Event]:
    """A stream with `cut` calls that are cut off, and a text behind them. Each has its own `output_index`."""
    events: list[Event] = []
    for n in range(cut):
        item = {"type": "function_call", "id": f"f{n}", "call_id": f"c{n}", "name": "look", "arguments": '{"at": "'}
        events.append({"type": "response.output_item.added", "output_index": n, "item": {**item, "arguments": ""}})
        events.append({"type": "response.output_item.done", "output_index": n, "item": item | {"status": "incomplete"}})
    begun: Event = {"type": "message", "id": "m", "role": "assistant", "content": []}
    at = {"item_id": "m", "output_index": cut, "content_index": 0}
    events.append({"type": "response.output_item.added", "output_index": cut, "item": begun})
    return [*events, *({"type": "response.output_text.delta", **at, "delta": said, "logprobs": []} for said in ("a", "b"))]


def messages(cut: int) -> list[Event]:
    events: list[Event] = []
    for n in range(cut):
        block = {"type": "tool_use", "id": f"c{n}", "name": "look", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": '{"at": "'}
        events.append({"type": "content_block_start", "index": n, "content_block": block})
        events.append({"type": "content_block_delta", "index": n, "delta": delta})
        events.append({"type": "content_block_stop", "index": n})
    events.append({"type": "content_block_start", "index": cut, "content_block": {"type": "text", "text": ""}})
    deltas: list[Event] = [{"type": "text_delta", "text": said} for said in ("a", "b")]
    return [*events, *({"type": "content_block_delta", "index": cut, "delta": delta} for delta in deltas)]


MADE: Final[dict[str, tuple[str, Callable[[int], list[Event]]]]] = {
    "openai-responses": ("output_index", responses), "anthropic": ("index", messages),
}  # fmt: skip
"""For each protocol, the member with a place, and what makes a stream."""

WORDS: Final = '"output_index": 7, "index": 7, {"index":7'


def odd(kind: str, event: Event) -> Event:
    """The event as one that is not read, or is too long."""
    pad = "x" * 4 * LONGEST
    return {
        "long": {**event, "pad": pad},
        "long, its place later": {"y": pad[: LONGEST // 2], **event, "pad": pad},
        "many tokens": {**event, "pad": [0] * 110_000},
        "deep": {**event, "pad": json.loads("[" * 240 + "]" * 240)},
        "places in its members": {"x": {"output_index": 9, "index": 9}, "y": ["output_index", "index"], **event, "pad": pad},
        "places in a string": {"x": WORDS, "index\\": 1, 'y"': "index", **event, "pad": pad},
        "a type that is none": {**event, "type": [0]},
        "a text that is none": {**event, "delta": 5, "text": 5},
    }[kind]


KINDS: Final = [
    "long", "long, its place later", "many tokens", "deep", "places in its members", "places in a string",
    "a type that is none", "a text that is none",
]  # fmt: skip


def written(event: Event) -> bytes:
    return b"event: x\r\ndata: " + json.dumps(event).encode() + b"\r\n\r\n"


def sent(name: str, events: list[Event], limits: Limits, size: int) -> list[Event]:
    body = Body(Guard([TOOL], limits=limits), "events", PROTOCOLS[name])
    raw = b"".join(map(written, events))
    items = [item for at in range(0, len(raw), size) for item in body.push(raw[at : at + size])]
    told = b"".join(item for item in [*items, *body.end()] if isinstance(item, bytes)).decode()
    return [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: ")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MADE)
def test_an_event_that_passes_unread_has_its_place_in_the_sent_message(name: str, kind: str, cases: Cases) -> None:
    member, make = MADE[name]
    limits = Limits() if kind in ("many tokens", "deep") else Limits(max_event=LONGEST)
    for cut in (1, 2, 11):
        for size in (700, 1 << 20):
            cases(1)
            *before, last = make(cut)
            left = sent(name, [*before, odd(kind, last), last], limits, size)
            places = [event[member] for event in left if member in event]
            assert set(places) == {0}, (cut, size)
            assert len(places) == 4
            same = [event for event in left if "pad" in event or event.get("delta") == 5 or event.get("type") == [0]]
            assert same == [odd(kind, last) | {member: 0}]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a type that is none"])
@pytest.mark.parametrize("name", MADE)
def test_an_unread_event_about_a_call_that_was_left_out_is_left_out(name: str, kind: str) -> None:
    member, make = MADE[name]
    limits = Limits() if kind in ("many tokens", "deep") else Limits(max_event=LONGEST)
    for size in (700, 1 << 20):
        events = make(2)
        wanted = sent(name, events, limits, size)
        late = odd(kind, {**events[-1], member: 1})
        assert sent(name, [*events[:-1], late, events[-1]], limits, size) == wanted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MADE)
def test_without_a_call_that_was_left_out_it_passes_as_it_came(name: str, kind: str) -> None:
    _, make = MADE[name]
    limits = Limits() if kind in ("many tokens", "deep") else Limits(max_event=LONGEST)
    *before, last = make(0)
    events = [*before, odd(kind, last), last]
    assert sent(name, events, limits, 1 << 20) == events
