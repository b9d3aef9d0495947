"""The events that repeat calls say of each what was sent on."""

from __future__ import annotations

from typing import Any

import pytest
from stream_guard_adapters.protocols import AS_IT_CAME, RESPONSES, Sent

from tests.kit.call_parts import Event, Parts, piece

ITEM = {"type": "function_call", "id": "i", "call_id": "t", "name": "write_file", "arguments": "{1}", "status": "completed"}


def completed(*items: Event) -> Event:
    return {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [*items]}}


def told(event: Any) -> list[tuple[str, str]]:
    return [(item["name"], item["arguments"]) for item in event["response"]["output"]]


def began(parts: Parts, sent: Sent) -> None:
    """A call that has begun and was sent on so."""
    parts.sent_calls.settle(parts.sent_calls.begin(piece(key=(0,), id="t", item="i")), sent)


@pytest.mark.parametrize(("sent", "says"), [
    (("write_file", "{2}"), [("write_file", "{2}")]),
    (("delete_file", "{2}"), [("delete_file", "{2}")]),
    (None, []),
])  # fmt: skip
def test_a_call_is_repeated_as_it_was_sent_on(sent: Sent, says: Any) -> None:
    parts = Parts(RESPONSES)
    began(parts, sent)
    assert told(parts.repeated.recalled(completed(ITEM))) == says
    assert parts.noted == []


@pytest.mark.parametrize(("native", "name", "says"), [
    ("mend", "write_file", 0),
    ("withhold", "write_file", 0),
    ("observe", "write_file", 1),
    ("mend", "weather", 1),
])  # fmt: skip
def test_of_a_call_that_nobody_has_judged_nothing_is_repeated(native: Any, name: str, says: int) -> None:
    for begins in (True, False):
        parts = Parts(RESPONSES, native)
        if begins:
            began(parts, AS_IT_CAME)
        assert len(told(parts.repeated.recalled(completed(ITEM | {"name": name})))) == says
        assert parts.noted == ["unseen call"] * (1 - says)


def test_an_event_that_repeats_no_call_is_the_object_that_came() -> None:
    parts = Parts(RESPONSES)
    event = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "x"}
    assert parts.repeated.recalled(event) is event
    assert parts.repeated.uncalled(event) is event
    assert not parts.repeated.any_in(event)


def test_after_a_failure_only_calls_that_were_sent_on_are_repeated() -> None:
    parts = Parts(RESPONSES)
    began(parts, ("write_file", "{2}"))
    others = (ITEM | {"id": "j", "call_id": "u"}, ITEM | {"id": "k", "call_id": "v", "name": "weather"})
    assert told(parts.repeated.uncalled(completed(ITEM, *others))) == [("write_file", "{2}")]
    assert parts.repeated.any_in(completed(ITEM))


def test_after_a_failure_an_event_leaves_without_its_calls() -> None:
    parts = Parts()
    delta = {"content": "Hi", "tool_calls": [{"index": 0, "id": "t", "function": {"name": "weather", "arguments": "{}"}}]}
    event = {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    left: Any = parts.repeated.uncalled(event)
    assert left["choices"][0]["delta"] == {"content": "Hi"}
    end: Any = parts.groups.without({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert end["choices"][0]["finish_reason"] == "length"


def test_what_the_table_cannot_read_may_have_a_call_and_does_not_leave() -> None:
    parts = Parts()
    assert parts.repeated.any_in({"choices": 7})
    assert parts.repeated.uncalled({"choices": 7}) is None
