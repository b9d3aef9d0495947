"""Events about a call that is held, and that have no piece of it, keep their order behind its start; nor do they outlive it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import MAKERS, messages, responses

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.native_calls import GOOD, assert_in_order, through_anthropic
from tests.kit.proof import Cases

Event = dict[str, Any]

GUARD: Final = Guard(FILE_TOOLS)

DELTAS: Final[dict[str, Any]] = {
    "signature": {"type": "signature_delta", "signature": "c2ln"},
    "citations": {"type": "citations_delta", "citation": {"type": "page_location", "cited_text": "x"}},
    "thinking": {"type": "thinking_delta", "thinking": "Hm"},
    "text": {"type": "text_delta", "text": "Hm"},
    "block": {"type": "text_delta", "text": '```json\n{"tool": "delete_file", "path": "b"}\n```\n'},
    "future": {"type": "future_delta", "future": {"x": [1]}},
    "nothing": {},
    "null": {"type": None},
    "a number": {"type": "text_delta", "text": 5},
    "an odd type": {"type": ["x"], "x": 5},
}
"""Deltas of a content block that is a call, and that are none of its arguments."""

CUT: Final = '{"path": "a", "content": "b'
FAILED: Final = '{"path": 1}'


def with_delta(events: Sequence[Event], delta: Any, place: int, call: int) -> list[Event]:
    """The events of messages with a delta in one of the calls: behind its start, its first piece or its last."""
    own = [at for at, event in enumerate(events) if event.get("index") == call and event["type"] != "content_block_stop"]
    at = own[{0: 0, 1: 1, 2: len(own) - 1}[place]]
    odd = {"type": "content_block_delta", "index": call, "delta": delta}
    return [*events[: at + 1], odd, *events[at + 1 :]]


CALLS: Final = (
    [("write_file", GOOD)],
    [("weather", "{}"), ("write_file", GOOD)],
    [("write_file", GOOD), ("write_file", GOOD)],
    [("write_file", CUT), ("write_file", GOOD)],
    [("write_file", FAILED), ("write_file", GOOD), ("weather", "{}")],
    [("write_file", GOOD), ("write_file", CUT)],
)


@pytest.mark.some
@pytest.mark.parametrize("blocks", ["text", "events", "both"])
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_any_delta_of_a_call_stays_in_its_block(cases: Cases, native: Any, blocks: Any) -> None:
    """It leaves with a call that is sent on, and not at all with one that is not. Anthropic's helper reads the rest."""
    for calls, (name, delta), place, promote in some(
        product(CALLS, DELTAS.items(), range(3), (False, True)), 60, kind=lambda each: (each[1][0], each[3])
    ):
        for nth in range(len(calls)):
            cases(1)
            bare = with_delta(messages(calls, seed=place), delta, place, nth)
            items: list[Any] = await collect(
                guard_events(FakeStream(bare), GUARD, "anthropic", native=native, blocks=blocks, promote=promote)
            )
            events = [one for one in items if isinstance(one, dict)]
            assert_in_order(events)
            left = [one for one in events if one.get("delta") == delta]
            stays = calls[nth][1] != CUT and (native == "mend" or calls[nth][1] != FAILED)
            if name not in ("text", "block"):
                assert len(left) == stays, (calls, name, place, nth)
            else:
                assert stays or not [one for one in events if one.get("delta", {}).get("text")]


def test_what_is_kept_beside_a_call_is_bounded() -> None:
    """A call that never goes on, while more and more is said beside it, ends as one over a limit."""
    lanes = Lanes(Guard(FILE_TOOLS, limits=Limits(max_held=20_000, max_block=10_000)), PROTOCOLS["anthropic"])
    begun, *_ = [event for event in messages([("write_file", GOOD)]) if event["type"] == "content_block_start"]
    odd = {"type": "content_block_delta", "index": 0, "delta": DELTAS["signature"]}
    items = [item for event in [begun, *[{**odd} for _ in range(1_000)]] for item in lanes.feed(event)]
    assert [(one.end_cause, one.executable) for one in items if isinstance(one, ToolBlock)] == [("oversize", False)]
    assert not [one for one in items if isinstance(one, dict)]


@pytest.mark.some(11)
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("name", DELTAS)
async def test_anthropics_helper_reads_the_call(name: str, place: int) -> None:
    events = with_delta(messages([("write_file", GOOD)]), DELTAS[name], place, 0)
    (made,) = await through_anthropic(events, GUARD)
    assert json.loads(made[1]) == json.loads(GOOD)


@pytest.mark.parametrize("place", range(4))
async def test_an_unknown_event_about_an_item_leaves_with_it(place: int) -> None:
    """In responses: behind the start of the item, before its end; and not at all if the item does not leave."""
    for arguments in (GOOD, CUT):
        events = responses([("write_file", arguments)])
        own = [at for at, event in enumerate(events) if event.get("output_index") == 0]
        at = own[min(place, len(own) - 2)]
        odd = {"type": "response.function_call.signed", "output_index": 0, "item_id": "x", "signature": "c2ln"}
        events = [*events[: at + 1], odd, *events[at + 1 :]]
        events = [event | {"sequence_number": nth} for nth, event in enumerate(events)]
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses"))
        kinds = [one["type"] for one in items if isinstance(one, dict)]
        if arguments == CUT:
            assert odd["type"] not in kinds
            continue
        assert kinds.index("response.output_item.added") < kinds.index(odd["type"]) < kinds.index("response.output_item.done")
        numbers = [one["sequence_number"] for one in items if isinstance(one, dict)]
        assert numbers == sorted({*numbers})
        assert [block.executable for block in items if isinstance(block, ToolBlock)] == [True]


@pytest.mark.parametrize("protocol", ["ai-sdk", "ag-ui"])
async def test_an_unknown_event_with_the_id_of_a_call_leaves_with_it(protocol: str) -> None:
    kinds = {"ai-sdk": "tool-input-signed", "ag-ui": "TOOL_CALL_SIGNED"}
    for arguments in (GOOD, CUT):
        events = MAKERS[protocol]([("write_file", arguments)])
        begun = next(at for at, event in enumerate(events) if "toolCallId" in event)
        odd = {"type": kinds[protocol], "toolCallId": events[begun]["toolCallId"], "signature": "c2ln"}
        for at in (begun + 1, begun + 2):
            items = await collect(guard_events(FakeStream([*events[:at], odd, *events[at:]]), GUARD, protocol))
            left = [one for one in items if isinstance(one, dict)]
            assert (odd in left) is (arguments == GOOD)
            assert arguments == CUT or left.index(odd) > left.index(events[begun])
