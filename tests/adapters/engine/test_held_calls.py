"""The calls that are held: in the order in which they came, and by their places in the message."""

from __future__ import annotations

from itertools import permutations

from stream_guard_adapters.engine.held_calls import HeldCalls

from tests.kit.call_parts import call_of


def test_calls_are_held_in_the_order_in_which_their_names_were_whole() -> None:
    held = HeldCalls()
    one, other = call_of("write_file"), call_of("delete_file")
    held.keep(one)
    held.keep(one)
    held.hold(other)
    assert [*held.calls] == [one, other]
    held.drop(one)
    held.hold(one)
    assert [*held.calls] == [other, one]
    held.drop(other)
    held.drop(other)
    assert [*held.calls] == [one]


def test_the_first_place_is_that_of_a_call_that_is_still_held() -> None:
    for order in permutations(range(4)):
        held = HeldCalls()
        calls = {place: call_of("write_file", key=(place,)) for place in order}
        for call in calls.values():
            held.hold(call)
        for place in range(4):
            assert held.first() == (place, calls[place])
            held.drop(calls[place])
        assert held.first() is None


def test_of_two_calls_at_one_place_the_one_that_was_held_first_is_first() -> None:
    held = HeldCalls()
    calls = [call_of("write_file", key=(0, nth)) for nth in (5, 3, 4)]
    for call in calls:
        held.hold(call)
    for call in calls:
        assert held.first() == (0, call)
        held.drop(call)


def test_a_call_whose_name_has_not_come_and_one_of_another_key_have_no_place() -> None:
    held = HeldCalls()
    held.keep(call_of(""))
    held.hold(call_of("write_file", key=("t0",)))
    assert held.first() is None
