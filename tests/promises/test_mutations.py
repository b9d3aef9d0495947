"""Streams that go wrong: events lost, doubled, swapped, late, strange, cut. Nothing breaks, and nothing half is run."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS, Protocol
from stream_guard_conformance.corpus.native import chat as chat_calls
from stream_guard_conformance.corpus.native import messages as message_calls

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import WHOLE
from tests.kit.lane_events import BLOCK, responses
from tests.kit.native_calls import DELETE, GOOD, WEATHER
from tests.kit.proof import Cases

GUARD = Guard(FILE_TOOLS)
TEXT = f"Before.\n{BLOCK}After."
ROUNDS = int(os.environ.get("ROUNDS", "25"))
"""How many streams go wrong, of each kind; more under `make more`."""

Event = dict[str, Any]
Events = list[Event]


def _chat() -> Events:
    def chunk(delta: Event, reason: str | None = None) -> Event:
        return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    return [chunk({"role": "assistant", "content": ""}), *(chunk({"content": char}) for char in TEXT), chunk({}, "stop")]


def _messages() -> Events:
    pieces = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": char}} for char in TEXT]
    start, *_ = message_calls([])
    return [
        start,
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *pieces,
        {"type": "content_block_stop", "index": 0},
        *message_calls([("write_file", GOOD)])[1:],
    ]


def _ai_sdk() -> Events:
    parts = [{"type": "text-delta", "id": "t", "delta": char} for char in TEXT]
    return [{"type": "start"}, {"type": "text-start", "id": "t"}, *parts, {"type": "text-end", "id": "t"}, {"type": "finish"}]


def _ag_ui() -> Events:
    parts = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": char} for char in TEXT]
    return [{"type": "RUN_STARTED"}, *parts, {"type": "TEXT_MESSAGE_END", "messageId": "m"}, {"type": "RUN_FINISHED"}]


def _gemini() -> Events:
    return [
        {"candidates": [{"content": {"parts": [{"text": char}]}, "finishReason": "STOP" if last else None}]}
        for char, last in zip(TEXT, [*[False] * (len(TEXT) - 1), True], strict=True)
    ]


def _ollama() -> Events:
    return [*({"message": {"content": char}, "done": False} for char in TEXT), {"message": {"content": ""}, "done": True}]


STREAMS: dict[str, Callable[[], Events]] = {
    "openai-chat": _chat,
    "openai-responses": lambda: responses(TEXT),
    "anthropic": _messages,
    "ai-sdk": _ai_sdk,
    "ag-ui": _ag_ui,
    "gemini": _gemini,
    "ollama": _ollama,
}


def _wrong(events: Events, chance: Random) -> Events:
    """The stream with one to three things wrong."""
    events = list(events)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(events))
        kind = chance.randrange(7)
        if kind == 0:
            events.insert(at, events[at])
        elif kind == 1 and len(events) > 1:
            events.pop(at)
        elif kind == 2:
            other = chance.randrange(len(events))
            events[at], events[other] = events[other], events[at]
        elif kind == 3:
            events.append(events.pop(at))
        elif kind == 4:
            events.insert(at, chance.choice(STRANGE))
        elif kind == 5:
            events.insert(at, {"error": {"message": "overloaded"}})
        else:
            events = events[: at + 1]
    return events


STRANGE: list[Any] = [
    {}, {"type": "ping"}, {"type": "something.new", "delta": 7}, {"choices": []}, {"choices": [{}]},
    {"choices": [{"delta": None}]}, {"choices": [{"index": 9, "delta": {"content": None, "tool_calls": [{}]}}]},
    {"type": "content_block_stop", "index": 5}, {"type": "content_block_delta"}, {"type": "text-delta"}, {"type": None},
    {"candidates": [{}]}, {"message": {}, "done": None},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"name": "write_file", "arguments": None}}]}}]},
]  # fmt: skip


def check(items: Sequence[Any], table: Protocol, whole: bool) -> list[ToolBlock]:
    """At most one end for each block; none executable that is not the call that was meant."""
    ends: Counter[str] = Counter()
    blocks = [item for item in items if isinstance(item, ToolBlock)]
    for item in items:
        if isinstance(item, ToolBlock) or (isinstance(item, ToolStatus) and item.status == "released"):
            ends[item.id] += 1
        elif not isinstance(item, ToolStatus):
            table.texts(item)
    assert all(count == 1 for count in ends.values())
    assert whole or all(block.executable is False or block.end_cause == "closed" for block in blocks)
    return blocks


@pytest.mark.more
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.promise("P4", "P9")
def test_whatever_becomes_of_a_stream_it_is_read_to_its_end(cases: Cases, name: str) -> None:
    """Doubled, lost, swapped, late and strange events, errors and cuts: no exception, and at most one end for a block."""
    chance = Random(7)
    table = PROTOCOLS[name]
    cases(ROUNDS)
    for _ in range(ROUNDS):
        events = _wrong(STREAMS[name](), chance)
        lanes = Lanes(GUARD, table, Settings(stream_id="s"))
        items = [item for event in events for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
        items += lanes.end()
        check(items, table, whole=True)


@pytest.mark.some
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.promise("P7")
def test_a_stream_cut_at_any_event_never_ends_in_a_call_that_was_cut(cases: Cases, name: str) -> None:
    """And an error at any event likewise; one of the three ends at each event, or all."""
    table = PROTOCOLS[name]
    events = STREAMS[name]()
    lasts: list[Events] = [[], [{"error": {"message": "x"}}], [{"type": "error", "error": {"message": "x"}}]]
    cases(len(events) * (3 if WHOLE else 1))
    for at in range(len(events)):
        for last in lasts if WHOLE else lasts[at % 3 :][:1]:
            lanes = Lanes(GUARD, table, Settings(stream_id="s"))
            items = [item for event in [*events[:at], *last] for item in lanes.feed(event)]
            items += lanes.end()
            for block in check(items, table, whole=False):
                seen = "".join(text for event in events[:at] for _, text in table.texts(event))
                assert not block.executable or BLOCK.strip() in seen or block.raw == GOOD


@pytest.mark.some
@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini", "openai-responses"])
@pytest.mark.promise("P2", "P7")
def test_a_body_cut_at_any_byte_never_ends_in_a_call_that_was_cut(cases: Cases, name: str) -> None:
    """Whole as long as nothing is held: what left is the beginning of what would have left."""
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in STREAMS[name]()).encode()
    table = PROTOCOLS[name]
    for cut in range(0, len(raw), 37 if WHOLE else 151):
        cases(1)
        body = Body(GUARD, "events", None)
        said = [*body.push(raw[:cut]), *body.end()]
        whole = STREAMS[name]()[: raw[:cut].count(b"\n\n")]
        seen = "".join(text for event in whole for _, text in table.texts(event))
        for block in (item for item in said if isinstance(item, ToolBlock)):
            assert not block.executable or BLOCK.strip() in seen or block.raw == GOOD


@pytest.mark.more
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.promise("P7")
def test_calls_that_go_wrong_are_never_half_calls(seed: int) -> None:
    """What a client could read of our output is a call that validates."""
    chance = Random(seed)
    for make, name in ((chat_calls, "openai-chat"), (message_calls, "anthropic")):
        table = PROTOCOLS[name]
        for _ in range(ROUNDS // 10):
            events = _wrong(make([("write_file", GOOD), WEATHER, DELETE], seed=seed), chance)
            lanes = Lanes(GUARD, table, Settings(native="withhold", stream_id="s"))
            items = [item for event in events for item in lanes.feed(event)]
            items += lanes.end()
            named: set[Any] = set()
            for piece in (piece for item in items if isinstance(item, dict) for piece in table.calls(item)):
                named |= {piece.call} if piece.name == "write_file" else set()
                if piece.call in named and "content" in piece.arguments:
                    call = {"tool": "write_file", **json.loads(piece.arguments)}
                    assert GUARD.check(json.dumps(call)).validation_passed
