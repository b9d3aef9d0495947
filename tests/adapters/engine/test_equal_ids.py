"""Calls with equal, empty or missing ids: separate calls, streamed and whole; an event that repeats one is about that one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations, product
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.replies import guard_folding, taken_apart
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_events
from stream_guard_conformance.corpus.native import Event, Given, ag_ui, ai_sdk, chat, gemini, messages, ollama, responses

from tests.kit.breadth import some
from tests.kit.more_calls import GUARD, guarded, sent
from tests.kit.native_calls import DELETE, GOOD

WRITE: Final = ("write_file", GOOD)
CUT: Final = ("write_file", GOOD[:-9])
BROKEN: Final = ("write_file", GOOD.replace('"a.txt"', "'a.txt'"))
OTHER: Final = ("other_tool", '{"a": 1}')

CALLS: Final = [
    (WRITE, DELETE, DELETE),
    *permutations((WRITE, CUT, DELETE), 3),
    *permutations((BROKEN, DELETE, OTHER), 3),
]

STREAMS: Final[Mapping[str, Callable[..., list[Event]]]] = {
    "openai-chat": chat,
    "anthropic": messages,
    "openai-responses": responses,
    "gemini": lambda calls: gemini([call for call in calls if call not in (CUT, BROKEN)], ids=True),
    "ollama": lambda calls: ollama([call for call in calls if call not in (CUT, BROKEN)], ids=True),
    "ai-sdk": lambda calls: ai_sdk([call for call in calls if call != BROKEN]),
    "ag-ui": ag_ui,
}

IDS: Final = ("call_id", "toolCallId", "tool_call_id")
GONE: Final = "gone"


def renamed(node: Any, own: str | None, items: str | None, *, called: bool = False) -> Any:
    """The events with this id for each call, and this one for each item that has a call; None takes them away."""
    if isinstance(node, list):
        return [renamed(one, own, items, called=called) for one in node]
    if not isinstance(node, dict):
        return node
    is_call = called or node.get("type") in ("tool_use", "function_call", "function")
    made = {}
    for key, value in node.items():
        item = key == "item_id" or (key == "id" and node.get("type") == "function_call")
        if item or key in IDS or (key == "id" and is_call):
            new = items if item else own
            if new != GONE:
                made[key] = value if new == "as it is" else new
        else:
            made[key] = renamed(value, own, items, called=key in ("functionCall", "tool_calls"))
    return made


OWN: Final = ("x", "", None, GONE)
"""What becomes of the ids of the calls."""

FORMS: Final = [
    *(("openai-responses", items, own) for items, own in product(("as it is", "y", "", None, GONE), ("as it is", *OWN))),
    *((name, "as it is", own) for name, own in product(("openai-chat", "anthropic", "gemini", "ollama"), OWN)),
]
"""The protocols, with what becomes of the ids of the items and of the calls."""

STREAMED: Final = [*FORMS, *((name, "as it is", own) for name, own in product(("ai-sdk", "ag-ui"), ("x", "")))]
"""The clients of the last two refuse a call without an id."""


def called(events: Iterable[Any]) -> list[Any]:
    """What is told of calls, in order: their pieces of text are merged by the guard."""
    return [event for event in events if isinstance(event, dict)]


@pytest.mark.some
@pytest.mark.parametrize(("name", "items", "own"), STREAMED)
async def test_calls_with_equal_ids_are_separate(name: str, items: str, own: Any) -> None:
    """What leaves is what leaves of calls with ids of their own, but for the ids."""
    for calls in some(CALLS, 6, kind=frozenset):
        events = STREAMS[name](calls)
        wanted = renamed(called(sent(await guarded(events, name))), own, items)
        noted: list[str] = []
        left = sent(await guarded(renamed(events, own, items), name, on_uninspected=noted.append))
        assert called(left) == wanted, (calls, json.dumps(left))
        assert set(noted) <= {"unknown tool"}


def whole(name: str, calls: Sequence[Given]) -> dict[str, Any]:
    """A reply with these calls that is not streamed."""
    if name == "openai-responses":
        (last,) = [event["response"] for event in responses(calls) if event["type"] == "response.completed"]
        return {**last, "object": "response"}
    if name == "openai-chat":
        made = [{"id": f"c{n}", "type": "function", "function": {"name": a, "arguments": b}} for n, (a, b) in enumerate(calls)]
        return {"choices": [{"index": 0, "message": {"content": None, "tool_calls": made}, "finish_reason": "tool_calls"}]}
    given = [(tool, json.loads(said)) for tool, said in calls]
    if name == "anthropic":
        blocks = [{"type": "tool_use", "id": f"c{n}", "name": a, "input": b} for n, (a, b) in enumerate(given)]
        return {"type": "message", "role": "assistant", "content": blocks, "stop_reason": "tool_use", "stop_sequence": None}
    if name == "gemini":
        parts = [{"functionCall": {"id": f"c{n}", "name": a, "args": b}} for n, (a, b) in enumerate(given)]
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    told = [{"id": f"c{n}", "function": {"name": a, "arguments": b}} for n, (a, b) in enumerate(given)]
    return {
        "model": "m",
        "message": {"role": "assistant", "content": "", "tool_calls": told},
        "done": True,
        "done_reason": "stop",
    }


@pytest.mark.some
@pytest.mark.parametrize(("name", "items", "own"), FORMS)
def test_calls_of_a_reply_with_equal_ids_are_separate(name: str, items: str, own: Any) -> None:
    objects = name not in ("openai-chat", "openai-responses")
    for calls in some(CALLS, 6, kind=frozenset):
        reply = whole(name, [call for call in calls if not objects or call not in (CUT, BROKEN)])
        left = guarded_reply(renamed(reply, own, items))
        assert left == renamed(guarded_reply(reply), own, items), calls


def guarded_reply(reply: Any) -> Any:
    folding = taken_apart(reply, Settings())
    assert folding is not None
    guard_folding(folding, GUARD)
    return folding.reply()


@pytest.mark.parametrize("odd", [[], [[]], {}, {"a": 1}, 5, True, "n" * 300], ids=repr)
def test_an_item_whose_id_is_no_name_is_one_without(odd: Any) -> None:
    """Its calls are known by their places."""
    for at, event in enumerate(events := responses((WRITE, DELETE))):
        if "item_id" in event:
            noted: list[str] = []
            given = [*events[:at], {**event, "item_id": odd}, *events[at + 1 :]]
            left = sent([*guard_events(iter(given), GUARD, "openai-responses", on_uninspected=noted.append)])
            assert (json.dumps(left).count("delete_file"), noted) == (json.dumps(events).count("delete_file"), [])


@pytest.mark.parametrize("name", ["ai-sdk", "ag-ui"])
def test_arguments_before_the_name_are_of_the_call_that_begins_then(name: str) -> None:
    """Two events have changed places."""
    events = STREAMS[name]((WRITE,))
    at = next(nth for nth, event in enumerate(events) if event.get("type") in ("tool-input-start", "TOOL_CALL_START"))
    swapped = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
    left = sent([*guard_events(iter(swapped), GUARD, name)])
    told = "".join(event.get("delta") or event.get("inputTextDelta") or "" for event in left[left.index(events[at]) :])
    assert json.loads(told or GOOD) == json.loads(GOOD)
