"""Which calls an event ends, and with which cause."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from stream_guard_adapters.engine.native_call import NativeCall
from stream_guard_adapters.protocols import AI_SDK, CHAT, GEMINI, MESSAGES, RESPONSES
from stream_guard_conformance.corpus.native import chat, messages, responses

from tests.kit.call_parts import Event, Parts, chunk, first, returned
from tests.kit.native_calls import GOOD


def taken(parts: Parts, events: list[Event]) -> list[list[tuple[str, str | None]]]:
    """The calls that end with each of the events, by their names, with the causes."""
    ended: list[list[tuple[str, str | None]]] = []
    for event in events:
        parts.take(event)
        found: list[tuple[NativeCall, Any]] = returned(parts.ends.of(event))
        ended.append([(call.name, why) for call, why in found])
        parts.ends.note(found)
    return ended


CALLS = [("write_file", GOOD), ("delete_file", '{"path": "b"}')]


def test_calls_end_where_their_protocol_says_so() -> None:
    assert taken(Parts(CHAT), chat(CALLS))[-1] == [("write_file", "unknown"), ("delete_file", "unknown")]
    ends = [one for one in taken(Parts(MESSAGES), messages(CALLS)) if one]
    assert ends[0] == [("write_file", None)]  # the end of the message has the cause
    ends = [one for one in taken(Parts(RESPONSES), responses(CALLS)) if one]
    assert [name for one in ends for name, _ in one] == ["write_file", "delete_file"]


def test_a_call_ends_once() -> None:
    events = chat(CALLS)
    assert taken(Parts(CHAT), [*events, events[-1]])[-1] == []
    assert taken(Parts(CHAT), [chunk(reason="stop")]) == [[]]


def test_only_an_observer_says_that_a_call_is_whole_before_its_message_is() -> None:
    ends = {native: next(filter(None, taken(Parts(MESSAGES, native), messages(CALLS)))) for native in ("mend", "observe")}
    assert ends == {"mend": [("write_file", None)], "observe": [("write_file", "stop")]}


@pytest.mark.parametrize("arguments", [GOOD, GOOD[:-1]])
def test_an_observer_says_so_only_of_a_call_with_its_last_bracket(arguments: str) -> None:
    ends = [one for one in taken(Parts(MESSAGES, "observe"), messages([("write_file", arguments)])) if one]
    assert ends[0] == [("write_file", "stop" if arguments == GOOD else None)]


def test_of_calls_under_one_key_those_end_whose_item_the_event_is_about() -> None:
    parts = Parts(RESPONSES)
    begun = {"type": "function_call", "call_id": "t", "arguments": ""}
    for known in ("i", "j"):
        item = {**begun, "id": known, "name": "write_file"}
        parts.take({"type": "response.output_item.added", "output_index": 0, "item": item})
    done = {**begun, "id": "i", "name": "write_file", "arguments": GOOD, "status": "completed"}
    event = {"type": "response.output_item.done", "output_index": 0, "item": done}
    parts.take(event)
    ended: list[Any] = returned(parts.ends.of(event))
    assert [call.sent_call.item for call, _ in ended] == ["i"]


def test_the_calls_of_an_event_end_in_the_order_in_which_they_began() -> None:
    for order in permutations(range(3)):
        parts = Parts(CHAT)
        for index in order:
            parts.take(chunk(first("delete_file", '{"path": "b"}', index=index, id=f"t{index}")))
        ended: list[Any] = returned(parts.ends.due(chunk(reason="tool_calls")))
        assert [call.key[-1] for call, _ in ended] == [*order]


def test_a_call_behind_one_that_waits_ends_with_a_later_event() -> None:
    parts = Parts(CHAT)
    waits = chunk(first("write_file", GOOD, index=0))
    parts.order.expect(waits, 0, None)
    parts.take(chunk(first("delete_file", '{"path": "b"}', index=1, id="u")))
    end = chunk(reason="tool_calls")
    assert returned(parts.ends.due(end)) == []
    parts.take(waits)
    assert len(returned(parts.ends.due(end))) == 2


@pytest.mark.parametrize(("arguments", "reason", "goes_on"), [
    ("", "stop", True),
    (GOOD[:-1], "stop", True),
    (GOOD[:-1], "tool_calls", True),
    (GOOD[:-1], "length", False),
    (GOOD, "stop", False),
])  # fmt: skip
def test_an_unfinished_call_may_go_on_after_a_reason_that_servers_repeat(arguments: str, reason: str, goes_on: bool) -> None:
    parts = Parts(CHAT)
    parts.take(chunk(first("write_file", arguments)))
    ended = returned(parts.ends.of(chunk(reason=reason)))
    assert returned(parts.ends.may_go_on(ended)) is goes_on


def test_where_no_server_repeats_reasons_no_call_goes_on() -> None:
    parts = Parts(GEMINI)
    parts.take({"candidates": [{"content": {"parts": [{"functionCall": {"name": "write_file", "args": {}}}]}}]})
    ended: list[Any] = [(call, "stop") for call in parts.table.all()]
    assert returned(parts.ends.may_go_on(ended)) is False


def test_a_call_whose_last_part_has_come_ends_with_its_event() -> None:
    parts = Parts(GEMINI, "observe")
    event = {"candidates": [{"content": {"parts": [{"functionCall": {"name": "delete_file", "args": {"path": "b"}}}]}}]}
    parts.take(event)
    (call,) = parts.table.all()
    assert returned(parts.ends.of({"candidates": [{"content": {"parts": [{"text": "x"}]}}]})) == []
    parts.ends.note_last_part(call.key)
    assert returned(parts.ends.of({"candidates": [{"content": {"parts": [{"text": "x"}]}}]})) == [(call, "stop")]


def test_the_app_has_refused_the_call_that_ends_so() -> None:
    parts = Parts(AI_SDK)
    at = {"toolCallId": "t"}
    parts.take({"type": "tool-input-start", **at, "toolName": "delete_file"})
    event = {"type": "tool-input-error", **at, "toolName": "delete_file", "input": {"path": 1}, "errorText": "no"}
    parts.take(event)
    ((call, _),) = returned(parts.ends.of(event))
    assert call.refused


def test_an_event_that_repeats_a_call_may_be_the_only_one_with_its_arguments() -> None:
    parts = Parts(RESPONSES)
    begun, *_ = [one for one in responses(CALLS[:1]) if one["type"] == "response.output_item.added"]
    parts.take(begun)
    (call,) = parts.table.all()
    completed = responses(CALLS[:1])[-1]
    for failed in (True, False):
        parts.closing.failed = failed
        list(parts.ends.note_final(completed))
        assert call.arguments.text == ("" if failed else GOOD)
