"""The order in which choices leave: an earlier one has left before anything of a later one."""

from __future__ import annotations

from stream_guard_adapters.engine.choice_order import ChoiceOrder
from stream_guard_adapters.protocols import FEW

FIRST, SECOND, THIRD = (0,), (1,), (2,)


def test_before_a_choice_the_earlier_ones_leave_of_which_nothing_has_left() -> None:
    order = ChoiceOrder()
    for choice, event in ((SECOND, "b"), (FIRST, "a"), (THIRD, "c"), (FIRST, "later")):
        order.came(choice, event)
    assert order.any_held
    assert order.before([FIRST]) == []
    assert order.before([THIRD]) == [(FIRST, "a"), (SECOND, "b")]
    order.left([FIRST])
    assert order.before([THIRD]) == [(SECOND, "b")]
    order.left([SECOND, THIRD])
    order.came(FIRST, "again")
    assert order.before([(3,)]) == []


def test_a_choice_is_held_from_its_first_event_until_something_of_it_has_left() -> None:
    order = ChoiceOrder()
    held = [order.any_held]
    order.came(FIRST, "a")
    held.append(order.any_held)
    order.left([FIRST])
    held.append(order.any_held)
    assert held == [False, True, False]


def test_choices_that_leave_together_need_nothing_before_them() -> None:
    order = ChoiceOrder()
    for choice in (FIRST, SECOND, THIRD):
        order.came(choice, "event")
    assert order.before([SECOND, FIRST]) == []
    assert order.before([THIRD, FIRST]) == [(FIRST, "event"), (SECOND, "event")]


def test_of_many_choices_the_first_few_are_kept() -> None:
    order = ChoiceOrder()
    for nth in range(FEW + 10):
        order.came((nth,), "event")
    assert len(order.before([(FEW + 20,)])) == FEW
