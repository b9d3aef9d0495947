"""Whether a call lacks its end, and when judging it is work for later."""

from __future__ import annotations

import pytest
from stream_guard_adapters.engine.call_judging import CallJudging
from stream_guard_adapters.engine.native_call import NativeCall

from stream_guard import Guard
from stream_guard.spi import SHORT, Aside
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.call_parts import call_of, returned
from tests.kit.native_calls import GOOD

GUARD = Guard(FILE_TOOLS)


def held(name: str, arguments: str) -> NativeCall:
    """A call that is held with these arguments."""
    call = call_of(name, arguments)
    call.hold(GUARD.session("s"))
    return call


@pytest.mark.parametrize("cut", range(1, len(GOOD) + 1))
def test_a_call_without_its_last_bracket_is_cut(cut: int) -> None:
    call = held("write_file", GOOD[:cut])
    assert returned(CallJudging(GUARD).is_cut(call)) is (cut < len(GOOD))


@pytest.mark.parametrize(("arguments", "cut"), [
    ('{"path": 1}', False),
    ('{"path": "b"}}', False),
    ('{path: "b"', True),  # an earlier fault hides that it was cut off
    ('{"path": "b",', True),
    ("", False),  # a tool may take none
])  # fmt: skip
def test_another_fault_is_no_end_and_hides_none(arguments: str, cut: bool) -> None:
    call = held("delete_file", arguments)
    assert returned(CallJudging(GUARD).is_cut(call)) is cut


def test_a_long_call_is_judged_aside_and_once() -> None:
    call = held("write_file", GOOD[:-2] + "x" * SHORT * 2 + GOOD[-2:])
    judging = CallJudging(GUARD)
    assert [type(step) for step in judging.is_cut(call)] == [type(call.judge(GUARD))]
    assert [*judging.is_cut(call)] == []  # it is known
    judged = judging.judged(call, "closed")
    assert returned(judged) is call.judge(GUARD)


def test_many_short_calls_let_others_have_a_turn() -> None:
    judging = CallJudging(GUARD)
    steps = 0
    for _ in range(100):
        call = held("delete_file", '{"path": "b"}')
        steps += sum(isinstance(step, Aside) for step in judging.is_cut(call))
    assert 0 < steps < 50


def test_a_call_that_was_cut_off_is_judged_as_it_ended() -> None:
    call = held("delete_file", '{"path": "b"}')
    known = call.judge(GUARD)
    made = returned(CallJudging(GUARD).judged(call, "length"))
    assert made is not known
    assert made.block.end_cause == "length"


def test_a_long_call_with_an_earlier_fault_is_read_aside_too() -> None:
    call = held("write_file", '{path: "a", "content": "' + "x" * SHORT * 4)
    judging = CallJudging(GUARD)
    assert [type(step) for step in judging.is_cut(call)] == [type(call.judge(GUARD)), Aside]
    assert returned(judging.is_cut(call))


def test_a_long_call_that_was_cut_off_is_judged_aside() -> None:
    call = held("write_file", GOOD[:-2] + "x" * SHORT * 4)
    assert [type(step) for step in CallJudging(GUARD).judged(call, "length")] == [type(call.judge(GUARD))]
