"""Numbers between bounds: against the bounds themselves."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from stream_guard.grammars import numbers
from tests.kit.grammars import pattern_of, takes

BOUNDS = st.one_of(st.none(), st.tuples(st.decimals(-300, 300, places=2), st.booleans()))
Bound = tuple[Decimal, bool] | None


def fits(value: Decimal, least: Bound, most: Bound) -> bool:
    low = least is None or value > least[0] or (value == least[0] and least[1])
    return low and (most is None or value < most[0] or (value == most[0] and most[1]))


@given(BOUNDS, BOUNDS, st.integers(-310, 310))
def test_an_integer_is_written_where_it_is_between_its_bounds(least: Bound, most: Bound, value: int) -> None:
    assert takes(numbers.whole(least, most), str(value)) is fits(Decimal(value), least, most)


@given(BOUNDS, BOUNDS, st.decimals(-310, 310, places=4))
def test_a_decimal_is_written_where_it_is_between_its_bounds(least: Bound, most: Bound, value: Decimal) -> None:
    node = numbers.between(least, most)
    plain = f"{value:.4f}" if value else "0.0000"
    for text in (plain, plain.rstrip("0").rstrip("."), f"{plain}0"):
        assert takes(node, text) is fits(value, least, most), text


@given(st.floats(-1.796e308, 1.796e308))
def test_every_double_is_a_number(value: float) -> None:
    assert takes(numbers.between(None, None), repr(value))


@given(st.from_regex(pattern_of(numbers.any_number()), fullmatch=True))
def test_no_number_is_too_large_for_a_double(text: str) -> None:
    assert float(text) - float(text) == 0


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
def test_numbers_of_a_fixed_width(low: int, high: int, value: int) -> None:
    assume(low <= high)
    assert takes(numbers.fixed(low, high, 3), f"{value:03}") is (low <= value <= high)
