"""Calls that the guard does not read, and of which no event is kept, keep the message true: its finish reason, its places."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.guarded_events import GuardedIterator
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_reply
from stream_guard_adapters.protocols import AI_SDK, CHAT, MESSAGES, PROTOCOLS, RESPONSES, Protocol
from stream_guard_conformance.corpus.native import MAKERS, ai_sdk, chat, messages, responses

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import GOOD, assert_in_order
from tests.kit.proof import Cases

Event = dict[str, Any]

GUARD: Final = Guard(FILE_TOOLS)
CUT: Final = ("write_file", '{"path": "a", "content": "b')
FAILED: Final = ("write_file", '{"path": 1}')
WEATHER: Final = ("weather", '{"city": "Rio"}')

CUSTOM: Final = {"id": "t9", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
ITEMS: Final[list[Event]] = [
    {"type": "custom_tool_call", "id": "i9", "call_id": "t9", "name": "write_file", "input": "ls"},
    {"type": "local_shell_call", "id": "i9", "call_id": "t9", "action": {"type": "exec", "command": ["ls"]}},
    {"type": "shell_call", "id": "i9", "call_id": "t9", "action": {"commands": ["ls"]}},
    {"type": "apply_patch_call", "id": "i9", "call_id": "t9", "operation": {"type": "delete_file", "path": "a"}},
    {"type": "computer_call", "id": "i9", "call_id": "t9", "action": {"type": "click"}},
]


def custom(calls: Sequence[tuple[str, str]], place: int) -> list[Event]:
    """A chat with a call of type `custom` at this place."""
    events = chat(calls)
    started = [nth for nth, event in enumerate(events) if "id" in str(event["choices"][0]["delta"].get("tool_calls"))]
    call = {**CUSTOM, "index": place}
    told = json.loads(json.dumps(events))
    for event in told:
        for one in event["choices"][0]["delta"].get("tool_calls") or ():
            one["index"] += one["index"] >= place
    at = started[place] if place < len(started) else len(events) - 1
    return [*told[:at], {**events[0], "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}, *told[at:]]


def with_item(calls: Sequence[tuple[str, str]], place: int, item: Event) -> list[Event]:
    """A response with an item at this place."""
    *events, last = responses(calls)
    at = next((nth for nth, event in enumerate(events) if event.get("output_index") == place), len(events))
    told: list[Event] = [
        {"type": "response.output_item.added", "output_index": place, "item": {**item, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": place, "item": {**item, "status": "completed"}},
    ]
    moved = [
        {**event, "output_index": event["output_index"] + 1} if "output_index" in event else event for event in events[at:]
    ]
    output = [*last["response"]["output"][:place], item, *last["response"]["output"][place:]]
    made = [*events[:at], *told, *moved, {**last, "response": {**last["response"], "output": output}}]
    return [{**event, "sequence_number": nth} for nth, event in enumerate(made)]


def as_text(calls: Sequence[tuple[str, str]], place: int) -> list[Event]:
    """A UI message stream with a call at this place whose input is a text."""
    events = ai_sdk(calls)
    begun = [nth for nth, event in enumerate(events) if event["type"] == "tool-input-start"]
    at = begun[place] if place < len(begun) else len(events) - 2
    told = [{"type": "tool-input-start", "toolCallId": "t9", "toolName": "write_file", "inputEncoding": "text"}]
    whole = {
        "type": "tool-input-available",
        "toolCallId": "t9",
        "toolName": "write_file",
        "inputEncoding": "text",
        "input": "ls",
    }
    return [*events[:at], *told, whole, *events[at:]]


def unread(calls: Sequence[tuple[str, str]]) -> Iterator[tuple[Protocol, list[Event], Any]]:
    """Streams with a call that is not read, at each place among others: the protocol, the events, and the end they claim."""
    for place in range(len(calls) + 1):
        yield CHAT, custom(calls, place), "tool_calls"
        yield AI_SDK, as_text(calls, place), "tool-calls"
        for item in ITEMS:
            yield RESPONSES, with_item(calls, place, item), "response.completed"


def end_of(events: list[Event], table: Protocol) -> Any:
    last = events[-1]
    return last["choices"][0]["finish_reason"] if table is CHAT else last.get("finishReason", last["type"])


def guarded(events: list[Event], table: Protocol, guard: Guard = GUARD, **settings: Any) -> list[Any]:
    with GuardedIterator(events, guard, table, Settings(**settings)) as items:
        return list(items)


@pytest.mark.parametrize("native", ["mend", "withhold"])
def test_an_end_that_claims_calls_stays_where_one_is_left(cases: Cases, native: Any) -> None:
    """Of whatever kind it is. It passes as it came and is counted, as a call of an unknown tool is."""
    for calls in ([], [CUT], [FAILED], [FAILED, CUT], [("write_file", GOOD)], [WEATHER, CUT]):
        for table, events, end in unread(calls):
            cases(1)
            noted: list[str] = []
            items = guarded(events, table, native=native, on_uninspected=noted.append)
            sent = [item for item in items if isinstance(item, dict)]
            assert end_of(sent, table) == end, (calls, events)
            assert json.dumps(sent).count('"ls"') + json.dumps(sent).count('"t9"') >= 1
            assert noted == ["unknown tool"] * (1 + (WEATHER in calls))


def test_so_it_is_in_a_reply() -> None:
    for call in (CUT, FAILED):
        function = {"id": "t0", "type": "function", "function": {"name": call[0], "arguments": call[1]}}
        for called in ([function, CUSTOM], [CUSTOM, function]):
            message = {"role": "assistant", "content": None, "tool_calls": called}
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
            reply = {"id": "c", "object": "chat.completion", "choices": [choice]}
            made: Any = guard_reply(reply, GUARD, native="withhold").reply
            assert made["choices"][0]["finish_reason"] == "tool_calls"
            assert made["choices"][0]["message"]["tool_calls"] == [CUSTOM]
        item = {"type": "function_call", "id": "i0", "call_id": "t0", "name": call[0], "arguments": call[1]}
        for other in ITEMS:
            response = {"id": "r", "object": "response", "status": "completed", "output": [item, other]}
            made = guard_reply(response, GUARD, native="withhold").reply
            assert (made["status"], made["output"]) == ("completed", [other])


def incomplete(events: list[Event]) -> list[Event]:
    """The events of a response that was cut off at the token limit, and its last item with it."""
    *most, last = events
    items = [*last["response"]["output"]]
    items[-1] = {**items[-1], "status": "incomplete"}
    made = [{**event, "item": items[-1]} if event["type"] == "response.output_item.done" else event for event in most[-1:]]
    ended = {"output": items, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    return [*most[:-1], *made, {**last, "type": "response.incomplete", "response": {**last["response"], **ended}}]


def call_ids(items: Iterable[Any]) -> list[str]:
    """The ids of the calls among these items."""
    return [item["call_id"] for item in items if item["type"].endswith("_call")]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_a_reply_that_was_cut_off_only_the_last_call_is_lost_whatever_calls_that_is(cases: Cases, count: int) -> None:
    """A call that is not read is a call of its message: the whole calls before it are not the last ones."""
    calls = [("write_file", GOOD)] * count
    told = json.dumps({**ITEMS[0], "type": "function_call", "name": "weather", "arguments": '{"a'})
    for item in [*ITEMS, json.loads(told)]:
        for place in range(count + 1):
            cases(1)
            events = incomplete(with_item(calls, place, item))
            wanted = call_ids(events[-1]["response"]["output"])
            if place < count:
                wanted.pop()  # it is read, and was cut off
            sent = [event for event in guarded(events, RESPONSES) if isinstance(event, dict)]
            assert call_ids(event["item"] for event in sent if event["type"] == "response.output_item.done") == wanted
            assert call_ids(sent[-1]["response"]["output"]) == wanted
            made: Any = guard_reply({"object": "response", **events[-1]["response"]}, GUARD).reply
            assert call_ids(made["output"]) == wanted


def test_what_the_provider_runs_is_no_call_that_is_left() -> None:
    """Its client answers nothing: the message that lost its only call says so, however many lanes there may be."""
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    for lanes in (1, 2, 64):
        at = [{"type": "content_block_start", "index": 0, "content_block": block}, {"type": "content_block_stop", "index": 0}]
        first, *rest = messages([CUT])
        moved = [{**event, "index": event["index"] + 1} if "index" in event else event for event in rest]
        items = guarded([first, *at, *moved], MESSAGES, Guard(FILE_TOOLS, limits=Limits(max_lanes=lanes)))
        ended = [item["delta"]["stop_reason"] for item in items if isinstance(item, dict) and item["type"] == "message_delta"]
        assert ended == ["max_tokens"] or lanes == 1
    run = {"type": "mcp_call", "id": "i9", "name": "x", "arguments": "{}", "output": "o"}
    items = guarded(with_item([CUT], 0, run), RESPONSES)
    assert items[-1]["type"] == "response.incomplete"


def at_once(events: list[Event], arguments: str) -> list[Event]:
    """A stream of messages or of a response whose first call has all its arguments in its first event."""
    made: list[Event] = []
    for event in events:
        if event.get("index", event.get("output_index")) == 0 and "delta" in event:
            continue
        if event["type"] == "content_block_start" and event["index"] == 0:
            event = {**event, "content_block": {**event["content_block"], "input": json.loads(arguments)}}
        if event["type"] == "response.output_item.added" and event["output_index"] == 0:
            event = {**event, "item": {**event["item"], "arguments": arguments}}
        made.append(event)
    return made


ALL: Final[dict[str, Callable[..., list[Event]]]] = {
    "openai-chat": chat, "anthropic": messages, "openai-responses": responses, **MAKERS,
}  # fmt: skip


@pytest.mark.parametrize("limits", [Limits(max_block=500), Limits(max_held=1_500, max_block=1_000)], ids=["block", "held"])
@pytest.mark.parametrize("protocol", ALL)
def test_nothing_leaves_of_a_call_that_is_over_a_limit(cases: Cases, protocol: str, limits: Limits) -> None:
    """Not its end either, in pieces or with all arguments at its start, alone or before another one."""
    big = json.dumps({"path": "a", "content": "x" * 3_000})
    for after in ([], [("delete_file", '{"path": "b"}')], [WEATHER]):
        calls = [("write_file", big), *after]
        forms = [ALL[protocol](calls)]
        if protocol in ("anthropic", "openai-responses"):
            forms.append(at_once(forms[0], big))
        for events in forms:
            cases(1)
            items = guarded(events, PROTOCOLS[protocol], Guard(FILE_TOOLS, limits=limits))
            sent = [item for item in items if isinstance(item, dict)]
            assert next(item.end_cause for item in items if isinstance(item, ToolBlock)) == "oversize"
            assert "xxx" not in json.dumps(sent)
            if protocol == "anthropic":
                assert_in_order(sent)
                assert sum(event["type"] == "content_block_start" for event in sent) == len(after)
            if protocol == "openai-responses":
                places = [event["output_index"] for event in sent if "output_index" in event]
                assert {*places} == {*range(len({*places}))}
