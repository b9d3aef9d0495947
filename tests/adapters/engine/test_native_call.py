"""One native call: its name and its arguments as they come, its phases, and how much of it is held."""

from __future__ import annotations

from itertools import product

import pytest
from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.native_call import Phase
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import ELSEWHERE

from stream_guard import Guard, Limits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.call_parts import call_of, piece
from tests.kit.native_calls import GOOD

GUARD = Guard(FILE_TOOLS)


def capacity_of() -> Capacity:
    """How much a stream holds that reports nothing."""
    return Capacity(Limits(), Settings().note)


def test_a_phase_says_what_becomes_of_pieces() -> None:
    assert [phase for phase in Phase if phase.reads] == [Phase.NAMING, Phase.HELD]
    assert [phase for phase in Phase if phase.is_ours] == [Phase.HELD, Phase.OVER]
    assert [phase for phase in Phase if phase.is_others] == [Phase.WAITS, Phase.PASSES]


def test_a_call_is_held_from_the_moment_that_its_name_is_whole() -> None:
    call = call_of("write_file")
    assert (call.phase, call.name) == (Phase.NAMING, "")
    session = GUARD.session("s")
    call.hold(session)
    assert (call.phase, call.name, call.session) == (Phase.HELD, "write_file", session)


def test_a_call_of_another_tool_may_wait_before_it_passes() -> None:
    call = call_of("weather")
    call.keep("first", 3)
    call.leave_to_others()
    assert (call.phase, call.name) == (Phase.PASSES, "weather")
    call.wait()
    call.keep("second", 3)
    assert call.phase is Phase.WAITS
    assert call.let_pass() == ["first", "second"]
    assert (call.phase, call.events) == (Phase.PASSES, [])


def test_a_call_that_ends_early_is_over_and_is_never_whole() -> None:
    call = call_of("delete_file", '{"path": "b"}')
    call.hold(GUARD.session("s"))
    assert not call.arguments.twice
    call.end_early()
    assert (call.phase, call.arguments.twice) == (Phase.OVER, True)


def test_a_call_that_is_stopped_keeps_nothing() -> None:
    capacity = capacity_of()
    call = call_of("weather", '{"city": "Rio"}', capacity=capacity)
    call.keep("event", 5)
    call.stop()
    assert (call.phase, call.events, capacity.held, call.arguments.text) == (Phase.OVER, [], 0, "")


@pytest.mark.parametrize("joins", [True, False])
def test_a_name_comes_in_pieces_only_where_clients_join_them(joins: bool) -> None:
    call = call_of("write")
    assert call.spell("_file", joins=joins) is joins
    assert call.spelt == ("write_file" if joins else "write")
    assert call.arguments.twice is not joins  # two names: nobody knows which was meant
    assert not call.spell(call.spelt, joins=joins)  # it is said again


def test_a_name_that_goes_on_after_it_was_whole_counts() -> None:
    call = call_of("write", '{"path": "b"}')
    call.leave_to_others()
    call.judge(GUARD)
    assert call.spell("_file", joins=True)
    assert (call.name, call.judging) == ("write_file", None)


@pytest.mark.parametrize(("spelt", "heard", "contradicts"), [
    ("write_file", ["write_file"], False),
    ("write_file", ["delete_file"], True),
    (ELSEWHERE, ["write_file"], False),
    (ELSEWHERE, ["write_file", "delete_file"], True),
    ("write_file", [""], False),
])  # fmt: skip
def test_a_name_that_is_repeated_otherwise_contradicts(spelt: str, heard: list[str], contradicts: bool) -> None:
    call = call_of(spelt)
    for name in heard:
        call.hear(name)
    assert call.arguments.twice is contradicts


def test_what_is_held_of_a_call_is_counted_until_it_is_released() -> None:
    capacity = capacity_of()
    call = call_of("weather", "12345", capacity=capacity)
    assert capacity.held == 5
    event = {"an": "event"}
    call.keep(event, 7)
    call.keep(event, 7)  # it had to wait, and comes again
    assert (capacity.held, call.events) == (12, [event])
    assert call.release() == [event]
    assert (capacity.held, call.arguments.text) == (0, "")


def test_the_arguments_of_a_call_that_is_followed_are_kept_on() -> None:
    capacity = capacity_of()
    call = call_of("weather", "12345", capacity=capacity)
    call.keep("event", 7)
    call.follows = True
    call.release()
    assert (capacity.held, call.arguments.text) == (5, "12345")
    call.drop_arguments()
    assert (capacity.held, call.arguments.text, call.follows) == (0, "", False)


def test_its_block_has_its_name_before_its_arguments() -> None:
    call = call_of("delete_file", '{"path": "b"} \n')
    call.hold(GUARD.session("s"))
    block = call.block("closed")
    assert (block.raw, block.native_tool, block.end_cause) == ('{"path": "b"} \n', "delete_file", "closed")
    verdict, _ = call.judge(GUARD).run()
    assert verdict.passed
    assert call.judge(GUARD) is call.judge(GUARD)  # as long as nothing new comes
    before = call.judge(GUARD)
    call.write(piece(" "))
    assert call.judge(GUARD) is not before


@pytest.mark.parametrize("cut", range(1, len(GOOD) + 1))
def test_arguments_that_are_not_whole_may_lack_a_part_that_passed_unread(cut: int) -> None:
    call = call_of("write_file", GOOD[:cut])
    call.hold(GUARD.session("s"))
    for _ in range(2):
        call.may_lack_a_part()
        assert call.arguments.twice is (cut < len(GOOD))


def test_a_call_without_a_name_may_lack_it() -> None:
    call = call_of("", GOOD)
    call.may_lack_a_part()
    assert call.arguments.twice


def test_calls_leave_in_the_order_of_their_places_and_then_as_they_began() -> None:
    calls = [call_of("weather", nth=nth) for nth in (1, 2, 3, 4)]
    for call, place in zip(calls, (None, 2, 1, 1), strict=True):
        call.place = place
    assert [call.nth for call in sorted(calls, key=lambda call: call.order)] == [1, 3, 4, 2]


def test_members_become_json_only_while_arguments_count() -> None:
    for phase, follows in product(Phase, (False, True)):
        call = call_of("weather")
        call.phase, call.follows = phase, follows
        given = piece(members=[])
        assert (call.told(given) is given) is not (phase.reads or follows)
