"""The pieces of calls: which are held, which pass, and what the guard says meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from stream_guard_adapters.engine.native_call import Phase
from stream_guard_adapters.protocols import CHAT, ELSEWHERE, GEMINI, MESSAGES, RESPONSES

from stream_guard import ToolStatus
from tests.kit.call_parts import Event, Parts, blocks_of, chunk, events_of, first, more, piece
from tests.kit.native_calls import GOOD


def start(name: str, index: int = 0) -> Event:
    """The start of a call in a message."""
    return {
        "type": "content_block_start", "index": index,
        "content_block": {"type": "tool_use", "id": f"t{index}", "name": name, "input": {}},
    }  # fmt: skip


@pytest.mark.parametrize(("native", "name", "held", "status"), [
    ("mend", "write_file", True, True),
    ("withhold", "write_file", True, True),
    ("observe", "write_file", False, True),
    ("mend", "weather", False, False),
])  # fmt: skip
def test_only_calls_of_known_tools_are_held(native: Any, name: str, held: bool, status: bool) -> None:
    parts = Parts(native=native)
    took, out = parts.take(chunk(first(name, "{")))
    assert took == [held]
    assert [type(item) for item in out if isinstance(item, ToolStatus)] == [ToolStatus] * status
    assert bool(parts.held.calls) is status
    assert parts.take(chunk(more('"path"')))[0] == [held]


def test_a_name_is_whole_when_the_arguments_begin() -> None:
    for cut in range(1, len("write_file")):
        parts = Parts(CHAT)
        took, _ = parts.take(chunk(first("write_file"[:cut])))
        (call,) = parts.table.all()
        assert took == [True]
        assert call.phase is Phase.NAMING or cut > len("writ")  # "write" is a name of the tool
        parts.take(chunk({"index": 0, "function": {"name": "write_file"[cut:]}}))
        parts.take(chunk(more(GOOD)))
        assert (call.phase, call.name, call.arguments.text) == (Phase.HELD, "write_file", GOOD)


def test_a_longer_name_counts_and_a_call_that_has_begun_to_leave_cannot_become_ours() -> None:
    parts = Parts(CHAT)
    parts.take(chunk(first("wr", "{}")))
    (call,) = parts.table.all()
    assert call.phase is Phase.PASSES
    parts.take(chunk({"index": 0, "function": {"name": "ite_file", "arguments": ""}}))
    assert (call.name, parts.noted) == ("write_file", ["unknown tool", "late piece"])


def test_another_name_of_a_known_tool_ends_a_call_that_passes() -> None:
    parts = Parts(MESSAGES)
    parts.take(start("weather"))
    (call,) = parts.table.all()
    out: list[Any] = []
    assert parts.pieces.take(piece(key=(0,), name="delete_file"), 0, start("delete_file"), 0, out)
    assert (call.phase, out, parts.noted) == (Phase.OVER, [], ["unknown tool", "late piece"])


def test_a_call_behind_a_held_one_waits_and_leaves_when_too_much_waits() -> None:
    parts = Parts(CHAT, max_waiting=3)
    parts.take(chunk(first("write_file", '{"path')))
    parts.numbers.renumber((0, 0))
    events = [chunk(first("weather", "{", index=1, id="u")), *(chunk(more("}", index=1)) for _ in range(3))]
    took = [parts.take(event) for event in events]
    assert [held for held, _ in took] == [[True], [True], [True], [False]]
    assert [out for _, out in took[:2]] == [[], []]
    (block,) = blocks_of(took[2][1])
    assert (block.end_cause, block.executable) == ("oversize", False)
    assert len(events_of(took[2][1])) == 3


def test_a_call_that_grows_past_its_limit_ends_at_once_and_is_dropped() -> None:
    parts = Parts(CHAT, max_block=20)
    parts.take(chunk(first("write_file")))
    ends: list[Any] = []
    for _ in range(5):
        took, out = parts.take(chunk(more('{"path": "')))
        assert took == [True]
        ends += blocks_of(out)
    assert [block.end_cause for block in ends] == ["oversize"]
    assert parts.capacity.held == 0


def test_a_call_that_cannot_pass_is_aborted_where_the_guard_does_so() -> None:
    parts = Parts(CHAT, early="abort")
    _, out = parts.take(chunk(first("write_file", '{"path": "/etc/passwd", "content": "x')))
    assert [block.end_cause for block in blocks_of(out)] == ["aborted"]
    assert parts.closing.aborted == {(0,)}


def test_a_call_without_a_name_passes_when_it_has_grown_too_long() -> None:
    parts = Parts(CHAT, max_block=10)
    took = [parts.take(chunk(more("12345"))) for _ in range(4)]
    assert [held for held, _ in took] == [[True], [True], [False], [False]]
    assert parts.noted == ["unnamed call"]


def test_of_a_held_call_only_the_events_that_it_needs_are_kept() -> None:
    parts = Parts(CHAT)
    parts.take(chunk(first("write_file")))
    for char in GOOD:
        parts.take(chunk(more(char)))
    (call,) = parts.table.all()
    assert (len(call.events), call.arguments.text) == (2, GOOD)


def test_a_late_piece_of_a_judged_call_is_dropped_and_reported() -> None:
    parts = Parts(CHAT)
    parts.take(chunk(first("write_file", GOOD)))
    (call,) = parts.table.all()
    parts.close(call, "stop")
    assert parts.take(chunk(more("}"))) == ([True], [])
    assert parts.noted == ["late piece"]


def test_the_arguments_of_a_call_that_passes_are_kept_for_whoever_follows() -> None:
    for follows in (False, True):
        parts = Parts(CHAT, follows=follows)
        parts.take(chunk(first("weather", '{"city"')))
        parts.take(chunk(more(': "Rio"}')))
        ((block, nth),) = parts.passed.blocks()
        assert (block.raw, nth) == ('{"city": "Rio"}' if follows else "", 1)


def test_of_too_many_calls_those_are_noted_that_whoever_follows_asks_for() -> None:
    for follows in (False, True):
        parts = Parts(CHAT, follows=follows, max_lanes=1)
        for index in range(3):
            held, _ = parts.take(chunk(first("write_file", GOOD, index=index, id=f"t{index}")))
            assert held == [index == 0]
        assert [block.end_cause for block, _ in parts.passed.blocks()] == ["oversize"] * follows


def test_what_a_call_is_said_to_be_as_a_whole_counts_once() -> None:
    for said, whole in (("", GOOD), (GOOD, GOOD), (GOOD[:9], GOOD)):
        parts = Parts(RESPONSES)
        item = {"type": "function_call", "id": "i", "call_id": "t", "name": "write_file", "arguments": ""}
        parts.take({"type": "response.output_item.added", "output_index": 0, "item": item})
        (call,) = parts.table.all()
        if said:
            delta = {"type": "response.function_call_arguments.delta", "item_id": "i", "output_index": 0, "delta": said}
            parts.take(delta)
        parts.pieces.take_whole(call, piece(GOOD, name="write_file", whole=True), [])
        assert (call.arguments.text, call.arguments.twice) == (whole, False)
    parts.pieces.take_whole(call, piece('{"path": "c"}', whole=True), [])
    assert call.arguments.twice


def test_arguments_that_are_no_text_spoil_the_call_that_begins_under_their_key() -> None:
    parts = Parts(RESPONSES)
    assert parts.pieces.take_stray(piece('{"path": "b"}', key=(0,), item="i"))
    (call,) = parts.table.all()
    assert call.arguments.twice
    call.spell("write_file", joins=False)
    assert not parts.pieces.take_stray(piece('{"path": "b"}', key=(0,), item="i"))  # it has begun
    parts.table.reserve((5,))
    assert not parts.pieces.take_stray(piece("7", key=(5,)))


def test_a_call_whose_name_is_whole_only_at_its_end_is_named_then() -> None:
    parts = Parts(CHAT)
    parts.take(chunk(first("wr")))
    (call,) = parts.table.all()
    assert call.phase is Phase.NAMING
    out: list[Any] = []
    parts.pieces.name(call, chunk(first("wr")), out)
    assert (call.phase, len(events_of(out)), [*parts.held.calls]) == (Phase.PASSES, 1, [])


def test_arguments_that_come_as_members_are_json_of_them() -> None:
    parts = Parts(GEMINI)

    def part(**call: Any) -> Event:
        return {"candidates": [{"content": {"parts": [{"functionCall": {**call, "willContinue": True}}]}}]}

    parts.take(part(name="delete_file"))
    parts.take(part(partialArgs=[{"jsonPath": "$.path", "stringValue": "b"}]))
    parts.take({"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]})
    (call,) = parts.table.all()
    assert (call.phase, call.arguments.text) == (Phase.HELD, '{"path":"b"}')


def test_the_arguments_of_a_call_that_passes_are_kept_up_to_a_limit() -> None:
    parts = Parts(CHAT, follows=True, max_block=10)
    for event in (chunk(first("weather", '{"city"')), chunk(more(': "Rio"}')), chunk(more(" "))):
        assert parts.take(event)[0] == [False]
    ((block, _),) = parts.passed.blocks()
    assert (block.raw, parts.capacity.held) == ("", 0)


def test_stray_arguments_of_one_call_too_many_spoil_nothing() -> None:
    parts = Parts(RESPONSES, max_lanes=1, follows=True)
    parts.take({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "name": "weather"}})
    assert parts.pieces.take_stray(piece("7", key=(1,)))
    assert len(parts.passed) == 1  # the call that passes
    assert len(parts.table.all()) == 1


def test_a_call_of_a_tool_in_a_namespace_passes_and_is_not_one_that_nobody_knows() -> None:
    parts = Parts(RESPONSES)
    assert not parts.pieces.take(piece(key=(0,), name=ELSEWHERE, id="t"), 0, {"type": "x"}, 0, [])
    assert (len(parts.passed), parts.noted) == (0, [])
