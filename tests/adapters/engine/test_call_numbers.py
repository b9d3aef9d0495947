"""The numbers of calls: their own until one is held; then without a gap, and no two alike."""

from __future__ import annotations

from itertools import product
from typing import Any

from stream_guard_adapters.engine.call_numbers import CallNumbers
from stream_guard_adapters.engine.native_call import NativeCall
from stream_guard_adapters.protocols import CHAT

from tests.kit.call_parts import call_of, chunk, first


def left(numbers: CallNumbers, index: int, call: NativeCall | None = None) -> int:
    """The number with which a piece of a call leaves."""
    event = chunk(first("weather", index=index))
    told: Any = numbers.numbered(event, [call if call is not None else call_of("weather", key=(0, index))])
    number: int = told["choices"][0]["delta"]["tool_calls"][0]["index"]
    return number


def test_calls_keep_their_own_numbers_while_none_is_held() -> None:
    numbers = CallNumbers(CHAT)
    assert [left(numbers, index) for index in (0, 5, 3)] == [0, 5, 3]
    event = chunk(first("weather"))
    assert numbers.numbered(event, [call_of("weather")]) is event  # nothing of it changes


def test_a_call_gets_the_lowest_free_number_once_one_is_held() -> None:
    numbers = CallNumbers(CHAT)
    assert left(numbers, 1) == 1
    assert not numbers.renumbers((0, 2))
    numbers.renumber((0, 2))
    assert numbers.renumbers((0, 7))
    assert [left(numbers, index) for index in (3, 4, 5)] == [0, 2, 3]


def test_a_call_keeps_the_number_of_its_first_piece() -> None:
    numbers = CallNumbers(CHAT)
    call = call_of("weather", key=(0, 4))
    assert left(numbers, 4, call) == 4
    numbers.renumber((0, 0))
    assert left(numbers, 4, call) == 4


def test_promoted_calls_and_unread_ones_keep_their_numbers_to_themselves() -> None:
    numbers = CallNumbers(CHAT)
    numbers.note_unread(chunk(first("weather", index=1)))
    assert not numbers.renumbers((0, 0))
    numbers.reserve((0,), 0)
    assert numbers.renumbers((0, 0))
    assert [left(numbers, index) for index in (0, 1)] == [2, 3]


def test_a_call_without_an_index_and_one_of_too_many_keep_what_they_have() -> None:
    numbers = CallNumbers(CHAT)
    numbers.renumber((0, 0))
    event = chunk(first("weather", index=6))
    assert numbers.numbered(event, [None]) is event
    assert numbers.numbered(event, [call_of("weather", key=(0, "x"))]) is event


def test_each_choice_has_numbers_of_its_own() -> None:
    numbers = CallNumbers(CHAT)
    numbers.renumber((1, 0))
    assert [left(numbers, 8, call_of("weather", key=(choice, 8))) for choice in (0, 1)] == [8, 0]


def test_calls_leave_with_numbers_without_a_gap_whatever_is_held() -> None:
    for held in product((False, True), repeat=5):
        numbers = CallNumbers(CHAT)
        said: list[int] = []
        for index, is_held in enumerate(held):
            if is_held:
                numbers.renumber((0, index))
            else:
                said.append(left(numbers, index))
        assert said == [*range(len(said))], held
