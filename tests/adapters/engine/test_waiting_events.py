"""The events that wait for a reason or for the end of a call, and what is known of them meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.waiting_events import WaitingEvents, last_begun
from stream_guard_adapters.protocols import CHAT, EVERY
from stream_guard_conformance.corpus.native import as_chat

from stream_guard import Limits

ONE, OTHER = (0,), (1,)


def made() -> tuple[WaitingEvents, Capacity]:
    capacity = Capacity(Limits(), lambda why: None)
    return WaitingEvents(capacity), capacity


def test_events_are_taken_out_in_their_order_and_count_as_held_until_then() -> None:
    waiting, capacity = made()
    assert not waiting.any
    waiting.put("a", 10)
    waiting.put("b", 20, after_call=True)
    waiting.put("c", 30)
    assert (waiting.any, capacity.held) == (True, 60)
    assert waiting.for_reason == [("a", 10), ("c", 30)]
    assert waiting.take() == [("a", 10), ("c", 30)]
    assert (waiting.any, capacity.held) == (True, 20)
    assert waiting.take_after_call() == [("b", 20)]
    assert (waiting.any, capacity.held, waiting.take(), waiting.take_after_call()) == (False, 0, [], [])


def test_a_reason_is_awaited_until_the_events_are_taken_out() -> None:
    waiting, _ = made()
    assert not waiting.awaits({ONE: "stop"})
    assert waiting.awaits({EVERY: "stop"})
    waiting.await_reasons([ONE])
    waiting.note_ended_open((1, "part"))
    assert [waiting.awaits({choice: "stop"}) for choice in (ONE, OTHER, (2,))] == [True, True, False]
    assert waiting.take_ended_open() == [(1, "part")]
    assert waiting.take_ended_open() == []
    waiting.take()
    assert not waiting.awaits({ONE: "stop", OTHER: "stop"})


def test_a_cause_is_known_while_the_events_that_have_it_are_fed() -> None:
    waiting, _ = made()
    key: Any = (1, "call", 3)
    assert (waiting.knows_causes, waiting.cause_of(key)) == (False, None)
    with waiting.knowing({OTHER: "length"}, [ONE]):
        assert (waiting.knows_causes, waiting.cause_of(key), waiting.cause_of(ONE)) == (True, "length", None)
        assert (waiting.begins_later(ONE), waiting.begins_later(OTHER)) == (True, False)
        with waiting.knowing({EVERY: "stop", ONE: "error"}):
            assert (waiting.cause_of(key), waiting.cause_of(ONE), waiting.begins_later(ONE)) == ("stop", "error", False)
        with waiting.knowing(None, [OTHER]):  # the same causes as before
            assert (waiting.cause_of(key), waiting.begins_later(OTHER)) == ("length", True)
    assert (waiting.knows_causes, waiting.cause_of(key), waiting.begins_later(OTHER)) == (False, None, False)


def test_no_cause_outlives_an_error() -> None:
    waiting, _ = made()
    with pytest.raises(LookupError), waiting.knowing({ONE: "stop"}, [ONE]):
        raise LookupError
    assert (waiting.knows_causes, waiting.begins_later(ONE)) == (False, False)


def test_an_event_whose_calls_were_read_waits_in_halves() -> None:
    waiting, _ = made()
    one, other = {"n": 1}, {"n": 1}
    waiting.keep_half(one, None, [])
    assert (waiting.was_read(one), waiting.was_read(other)) == (True, False)
    half = waiting.take_half(one)
    assert half is not None
    assert (half.event is one, half.left, half.ends) == (True, None, [])
    assert (waiting.was_read(one), waiting.take_half(one)) == (False, None)


def test_calls_are_passed_over_while_any_event_waits() -> None:
    waiting, _ = made()
    waiting.put("a", 1)
    waiting.put("b", 1, after_call=True)
    waiting.pass_over([(0, "call", 1)])
    waiting.take()
    assert (0, "call", 1) in waiting.passed_over
    waiting.take_after_call()
    assert not waiting.passed_over


def test_it_is_known_which_of_the_events_begins_the_last_call_of_a_choice() -> None:
    events = as_chat(["Hi"], [("delete_file", '{"path": "a"}'), ("delete_file", '{"path": "b"}')])
    begins = [nth for nth, event in enumerate(events) if any(piece.name for piece in CHAT.calls(event))]
    assert last_begun([(event, 1) for event in ({"odd": 1}, *events)], CHAT) == {ONE: begins[-1] + 1}
    assert last_begun([(events[0], 1)], CHAT) == {}
