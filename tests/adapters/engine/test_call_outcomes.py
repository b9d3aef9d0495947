"""What becomes of a call: with which events it leaves, and what later events say of it."""

from __future__ import annotations

from typing import Any

import pytest
from stream_guard_adapters.engine.native_call import NativeCall, Phase
from stream_guard_adapters.protocols import AS_IT_CAME, MESSAGES

from stream_guard import ApprovalPolicy, ToolBlock
from tests.kit.call_parts import Event, Parts, blocks_of, chunk, first, more
from tests.kit.native_calls import GOOD

WRONG = '{"path": "a.txt", "content": ["x"]}'


def judged(parts: Parts, arguments: str, cause: Any = "closed") -> tuple[NativeCall, ToolBlock]:
    """A held call with these arguments that ended so, and its block."""
    parts.take(chunk(first("write_file", index=3)))
    parts.take(chunk(more(arguments, index=3)))
    (call,) = parts.table.all()
    (block,) = blocks_of(list(call.session.close(call.block(cause))))
    return call, block


def called(events: Any) -> list[Event]:
    return [call for event in events for call in event["choices"][0]["delta"]["tool_calls"]]


@pytest.mark.parametrize(("native", "arguments", "cause", "leaves"), [
    ("mend", GOOD, "closed", GOOD),
    ("withhold", GOOD, "closed", GOOD),
    ("mend", GOOD[:-1], "closed", GOOD[:-1]),
    ("mend", WRONG, "closed", WRONG),
    ("withhold", WRONG, "closed", None),
    ("mend", WRONG, "length", None),
    ("mend", GOOD, "oversize", None),
    ("mend", WRONG, "aborted", None),
    ("observe", GOOD, "closed", None),  # it has left already
])  # fmt: skip
def test_a_call_leaves_as_it_may(native: Any, arguments: str, cause: Any, leaves: str | None) -> None:
    parts = Parts(native=native)
    call, block = judged(parts, arguments, cause)
    left = called(parts.outcomes.sent(call, block))
    assert "".join(one["function"]["arguments"] for one in left) == (leaves or "")
    assert bool(left) is (leaves is not None)
    if parts.policy.holds:
        assert call.sent_call.sent == (("write_file", leaves) if leaves is not None else None)
        assert parts.groups.has_sent((0,)) is (leaves is not None)
        assert {one["index"] for one in left} <= {3}


def test_a_call_that_was_corrected_leaves_as_it_is_now() -> None:
    parts = Parts()
    call, block = judged(parts, '{"filename": "a.txt", "content": "x",}')
    assert block.executable
    left = called(parts.outcomes.sent(call, block))
    assert left[0]["function"]["name"] == "write_file"
    assert "".join(one["function"]["arguments"] for one in left) == '{"path": "a.txt", "content": "x"}'


def test_a_call_that_waits_for_an_approval_does_not_leave() -> None:
    parts = Parts(approval=ApprovalPolicy())
    parts.take(chunk(first("delete_file", '{"path": "b"}')))
    (call,) = parts.table.all()
    (block,) = blocks_of(list(call.session.close(call.block("closed"))))
    assert not block.executable
    assert list(parts.outcomes.sent(call, block)) == []
    assert not parts.groups.has_sent((0,))


def test_a_call_that_the_app_has_refused_is_in_the_message_though_it_does_not_leave() -> None:
    parts = Parts(native="withhold")
    call, block = judged(parts, WRONG)
    call.refused = True
    assert list(parts.outcomes.sent(call, block)) == []
    assert (parts.groups.has_sent((0,)), call.sent_call.sent) == (True, ("write_file", WRONG))


def test_what_passes_leaves_as_it_came_with_its_number() -> None:
    parts = Parts()
    events = [chunk(first("weather", index=2)), chunk(more('{"city": "Rio"}', index=2))]
    parts.take(chunk(first("write_file", index=0)))
    parts.numbers.renumber((0, 0))
    for event in events:
        assert parts.take(event) == ([True], [])
    _, call = parts.table.all()
    assert call.phase is Phase.WAITS
    left = list(parts.outcomes.passing(call))
    assert [one["index"] for one in called(left)] == [0, 0]
    assert (call.phase, call.sent_call.sent, parts.groups.has_sent((0,))) == (Phase.PASSES, AS_IT_CAME, True)


def test_a_call_without_a_name_is_no_call_of_the_message() -> None:
    parts = Parts()
    event = chunk(first("", '{"a": 1}'))
    parts.take(event)
    (call,) = parts.table.all()
    assert list(parts.outcomes.passing(call)) == [event]
    assert not parts.groups.has_sent((0,))


def test_the_place_of_a_call_that_is_left_out_is_a_gap() -> None:
    parts = Parts(MESSAGES)
    block = {"type": "tool_use", "id": "t", "name": "delete_file", "input": {}}
    parts.take({"type": "content_block_start", "index": 1, "content_block": block})
    (call,) = parts.table.all()
    assert not parts.gaps
    parts.outcomes.leave_out(call, "stop")
    assert parts.gaps
    moved: Any = parts.gaps.moved({"type": "content_block_stop", "index": 2})
    assert moved["index"] == 1


def test_a_call_whose_events_cannot_be_written_is_left_out() -> None:
    parts = Parts()
    call, block = judged(parts, GOOD)
    call.events = [7]
    assert list(parts.outcomes.sent(call, block)) == []
    assert (call.sent_call.sent, parts.noted) == (None, ["guard error"])
    end: Any = parts.groups.without(chunk(reason="tool_calls"))
    assert end["choices"][0]["finish_reason"] == "length"
