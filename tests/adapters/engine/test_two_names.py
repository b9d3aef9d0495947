"""A native call whose name differs at two places: nobody knows which tool was meant, so the call is not executable."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final

import pytest
from stream_guard_adapters.events import guard_events

from stream_guard import Guard, ToolBlock, Toolset
from stream_guard.testing import FakeStream, collect

Event = dict[str, Any]

SCHEMA: Final = {"type": "object", "properties": {"path": {"type": "string"}}}
GUARD: Final = Guard(Toolset.of([{"name": name, "input_schema": SCHEMA} for name in ("read", "wipe")]))

WRITTEN: Final = '{"path": "a"}'
NAMES: Final = ("read", "wipe", "other")
"""The tools that the guard knows, and one that it does not know."""


def responses(added: str, written: str, done: str, last: str) -> list[Event]:
    """A call of the responses API; a name that is empty is missing at its place."""

    def item(name: str, arguments: str, status: str) -> Event:
        said = {"name": name} if name else {}
        return {"id": "f", "type": "function_call", "status": status, "call_id": "c", "arguments": arguments, **said}

    at = {"item_id": "f", "output_index": 0}
    told = {"name": written} if written else {}
    output = [item(last, WRITTEN, "completed")]
    return [
        {"type": "response.output_item.added", "output_index": 0, "item": item(added, "", "in_progress")},
        {"type": "response.function_call_arguments.delta", **at, "delta": WRITTEN},
        {"type": "response.function_call_arguments.done", **at, "arguments": WRITTEN, **told},
        {"type": "response.output_item.done", "output_index": 0, "item": item(done, WRITTEN, "completed")},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": output}},
    ]


def ai_sdk(begun: str, whole: str) -> list[Event]:
    return [
        {"type": "start"},
        {"type": "tool-input-start", "toolCallId": "a", "toolName": begun},
        {"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": WRITTEN},
        {"type": "tool-input-available", "toolCallId": "a", "toolName": whole, "input": json.loads(WRITTEN)},
        {"type": "finish", "finishReason": "tool-calls"},
    ]


def ag_ui(begun: str, more: str) -> list[Event]:
    return [
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "a", "toolCallName": begun, "delta": WRITTEN[:5]},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "a", "toolCallName": more, "delta": WRITTEN[5:]},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ]


def gemini(begun: str, more: str) -> list[Event]:
    def event(call: Event, **members: Any) -> Event:
        return {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"functionCall": call}]}, **members}]}

    path = {"jsonPath": "$.path", "stringValue": "a"}
    return [
        event({"name": begun, "id": "a", "willContinue": True}),
        event({"name": more, "id": "a", "partialArgs": [path], "willContinue": True}),
        event({}, finishReason="STOP"),
    ]


def messages(begun: str, again: str) -> list[Event]:
    """Two blocks that begin at one index, and one end."""

    def block(nth: int, name: str) -> Event:
        return {"type": "tool_use", "id": f"t{nth}", "name": name, "input": {}}

    delta = {"type": "input_json_delta", "partial_json": WRITTEN}
    return [
        {"type": "content_block_start", "index": 0, "content_block": block(0, begun)},
        {"type": "content_block_start", "index": 0, "content_block": block(1, again)},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]


def chat(begun: str, more: str) -> list[Event]:
    def event(delta: Event, reason: str | None = None) -> Event:
        return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    first, rest = {"name": begun, "arguments": WRITTEN[:5]}, {"name": more, "arguments": WRITTEN[5:]}
    return [
        event({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": first}]}),
        event({"tool_calls": [{"index": 0, "function": rest}]}),
        event({}, "tool_calls"),
    ]


MADE: Final[dict[str, tuple[Callable[..., list[Event]], int]]] = {
    "openai-responses": (responses, 4), "ai-sdk": (ai_sdk, 2), "ag-ui": (ag_ui, 2), "gemini": (gemini, 2),
    "anthropic": (messages, 2), "openai-chat": (chat, 2),
}  # fmt: skip
"""For each protocol, what makes a call, and at how many places its name stands."""


def called(events: Sequence[Event]) -> bool:
    """Whether a client of these events may run a tool that the guard knows."""
    return any(name in json.dumps(events) for name in ('"read"', '"wipe"'))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.promise("P7")
async def test_a_call_with_two_names_is_not_executable(name: str, native: Any) -> None:
    make, places = MADE[name]
    for names in product(NAMES, repeat=places):
        if name == "openai-responses" and native == "observe":
            names = (*names[:3], names[2])  # its block leaves before the response ends
        if len({*names}) == 1:
            continue
        items = await collect(guard_events(FakeStream(make(*names)), GUARD, name, native=native))
        assert not any(item.executable for item in items if isinstance(item, ToolBlock)), names
        if native != "observe" and names[0] != "other":
            assert not called([item for item in items if isinstance(item, dict)]), names


@pytest.mark.parametrize("missing", range(4))
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
async def test_a_name_that_is_missing_at_some_places_contradicts_no_other(missing: int, native: Any) -> None:
    names = ["wipe" if nth >= missing else "" for nth in range(4)]
    names[1:2] = ["wipe"]  # without its item nobody knows the namespace, so it does not name the call
    items = await collect(guard_events(FakeStream(responses(*names)), GUARD, "openai-responses", native=native))
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == ([True] if missing < 3 else [])


@pytest.mark.parametrize("ours", ["wipe", "read"])
@pytest.mark.parametrize("name", ["openai-responses", "ai-sdk"])
async def test_a_call_that_has_left_under_another_name_gets_none_of_ours(name: str, ours: str) -> None:
    """Nobody has validated its arguments for that tool."""
    counted: list[str] = []
    make, places = MADE[name]
    for nth in range(1, places):
        events = make(*["other"] * nth, *[ours] * (places - nth))
        items = await collect(guard_events(FakeStream(events), GUARD, name, on_uninspected=counted.append))
        assert not called([item for item in items if isinstance(item, dict)]), nth
        assert "late piece" in counted or "unseen call" in counted


async def test_a_tool_in_a_namespace_has_the_name_that_its_arguments_repeat() -> None:
    events = responses("wipe", "wipe", "wipe", "wipe")
    for item in (events[0]["item"], events[3]["item"], events[4]["response"]["output"][0]):
        item["namespace"] = "crm"
    counted: list[str] = []
    items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses", on_uninspected=counted.append))
    assert items == events
    assert counted == []
