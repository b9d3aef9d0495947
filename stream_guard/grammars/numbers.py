"""Numbers between bounds, digit by digit."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from .nodes import EMPTY, NOTHING, Lit, Node, alt, chars, many, maybe, of, seq
from .shapes import Number

DIGITS: Final = 18
"""Limit: the digits of a whole number. Numbers of that length fit into 64 bits, which all readers of JSON support."""

FRACTION: Final = 25
"""Limit: the digits after the point. No double needs more without an exponent, except very small ones."""

_DIGIT: Final = chars((48, 57))
_LARGEST: Final = 10**DIGITS - 1
"""The largest whole number that is written."""


def digit(low: int, high: int) -> Node:
    """Return a node for one digit between two digits."""
    return chars((48 + low, 48 + high)) if low <= high else NOTHING


def fixed(low: int, high: int, width: int) -> Node:
    """Return a node for the numbers between two, written with exactly `width` digits."""
    if low > high:
        return NOTHING
    if width == 0:
        return EMPTY
    unit = 10 ** (width - 1)
    first, last = low // unit, high // unit
    if low == 0 and high == 10**width - 1:
        return many(_DIGIT, width, width)
    if first == last:
        return seq(digit(first, first), fixed(low % unit, high % unit, width - 1))
    made = []
    if low % unit:
        made.append(seq(digit(first, first), fixed(low % unit, unit - 1, width - 1)))
        first += 1
    if high % unit != unit - 1:
        made.append(seq(digit(last, last), fixed(0, high % unit, width - 1)))
        last -= 1
    if first <= last:
        made.append(seq(digit(first, last), fixed(0, unit - 1, width - 1)))
    return alt(*made)


def natural(low: int, high: int) -> Node:
    """Return a node for the whole numbers from `low` to `high`, without leading zeros. `low` is at least 0."""
    made = [fixed(0, 0, 1)] if low <= 0 <= high else []
    if low <= 1 and high >= _LARGEST:
        made.append(seq(digit(1, 9), many(_DIGIT, 0, DIGITS - 1)))
        return alt(*made)
    for width in range(1, DIGITS + 1):
        part = fixed(max(low, 1, 10 ** (width - 1)), min(high, 10**width - 1), width)
        if part != NOTHING:
            made.append(part)
    return alt(*made)


Bound = tuple[Decimal, bool] | None


def whole(least: Bound, most: Bound) -> Node:
    """Return a node for the integers between two bounds."""
    low, high = -_LARGEST, _LARGEST
    if least is not None:
        low = int(least[0].to_integral_value(ROUND_CEILING))
        low += low == least[0] and not least[1]
    if most is not None:
        high = int(most[0].to_integral_value(ROUND_FLOOR))
        high -= high == most[0] and not most[1]
    below = natural(max(1, -high), min(_LARGEST, -low)) if low < 0 else NOTHING
    return alt(natural(max(low, 0), min(high, _LARGEST)) if high >= 0 else NOTHING, seq(Lit("-"), below))


def written(shape: Number) -> Node:
    """Return a node for the numbers of a shape; `NOTHING` if no number between its bounds can be written."""
    return whole(shape.least, shape.most) if shape.whole else between(shape.least, shape.most)


def any_number() -> Node:
    """Return a node for every number that a double can hold, up to 1.796e308."""
    point = seq(Lit("."), many(_DIGIT, 1, FRACTION))
    mark, sign = of("eE"), maybe(Lit("+"))
    exponent = alt(many(_DIGIT, 1, 2), seq(digit(1, 2), many(_DIGIT, 2, 2)), seq(Lit("30"), digit(0, 7)))
    some = many(_DIGIT, 0, FRACTION)
    tenths = alt(
        seq(digit(0, 6), some), seq(Lit("7"), maybe(alt(seq(digit(0, 8), some), seq(Lit("9"), maybe(seq(digit(0, 6), some))))))
    )
    return seq(
        maybe(Lit("-")),
        alt(
            seq(natural(0, _LARGEST), maybe(point)),
            seq(_DIGIT, maybe(point), mark, maybe(of("+-")), exponent),
            seq(_DIGIT, maybe(point), mark, Lit("-"), Lit("3"), alt(seq(Lit("0"), digit(8, 9)), seq(digit(1, 2), _DIGIT))),
            seq(Lit("1"), maybe(seq(Lit("."), tenths)), mark, sign, Lit("308")),
        ),
    )


def between(least: Bound, most: Bound) -> Node:
    """Return a node for the decimal numbers between two bounds. Without any bound, they may have an exponent."""
    if least is None and most is None:
        return any_number()
    if least is not None and most is not None and (least[0] > most[0] or (least[0] == most[0] and not (least[1] and most[1]))):
        return NOTHING
    zero = (Decimal(0), True)
    positive = least if least is not None and least[0] >= 0 else zero
    negative = (-most[0], most[1]) if most is not None and most[0] <= 0 else zero
    made = []
    if most is None or most[0] >= 0:
        made.append(_magnitudes(positive, most))
    if least is None or least[0] <= 0:
        below = _magnitudes(negative, (-least[0], least[1]) if least is not None else None)
        made.append(seq(Lit("-"), below))
    return alt(*made)


def _magnitudes(least: tuple[Decimal, bool], most: Bound) -> Node:
    """Return a node for the numbers between two bounds that are at least 0."""
    low = int(least[0])
    after = _fraction(least[0] - low, least[1], Decimal(1), allowed=False)
    if most is None or most[0] >= _LARGEST:
        return alt(seq(natural(low, low), after), seq(natural(low + 1, _LARGEST), _fraction()))
    high = int(most[0])
    if low == high:
        return seq(natural(low, low), _fraction(least[0] - low, least[1], most[0] - high, allowed=most[1]))
    before = _fraction(Decimal(0), True, most[0] - high, allowed=most[1])
    middle = seq(natural(low + 1, high - 1), _fraction()) if low + 1 <= high - 1 else NOTHING
    return alt(seq(natural(low, low), after), middle, seq(natural(high, high), before))


def _fraction(low: Decimal = Decimal(0), takes_low: bool = True, high: Decimal = Decimal(1), *, allowed: bool = False) -> Node:
    """Return a node for the text from the decimal point on, with a fraction between two bounds."""
    if low == 0 and takes_low and high == 1:
        return maybe(seq(Lit("."), many(_DIGIT, 1, FRACTION)))
    size = max(0, *(-int(bound.as_tuple().exponent) for bound in (low, high)))
    made: list[Node] = []
    if (takes_low and low == 0) and (high > 0 or allowed):
        made.append(EMPTY)
    for width in range(1, size + 1):
        unit = Decimal(10) ** width
        first = int((low * unit).to_integral_value(ROUND_CEILING))
        last = int((high * unit).to_integral_value(ROUND_FLOOR))
        first += first == low * unit and not takes_low
        last -= last == high * unit and not allowed
        made.append(seq(Lit("."), fixed(first, min(last, 10**width - 1), width)))
    unit = Decimal(10) ** size
    first, last = int(low * unit), int(high * unit)
    free = seq(Lit("."), fixed(first + 1, last - 1, size), many(_DIGIT, 1, FRACTION)) if size else NOTHING
    positive = seq(many(Lit("0"), 0, FRACTION), digit(1, 9), many(_DIGIT, 0, FRACTION))
    if size:
        tail = positive if not takes_low else many(_DIGIT, 1, FRACTION)
        made.append(free)
        if first < last:
            made.append(seq(Lit("."), fixed(first, first, size), tail))
    elif low == 0 and high == 1:
        made.append(seq(Lit("."), positive))
    if size and allowed and last < 10**size:
        made.append(seq(Lit("."), fixed(last, last, size), many(Lit("0"), 1, FRACTION)))
    if not size and high == 0 and allowed:
        made.append(seq(Lit("."), many(Lit("0"), 1, FRACTION)))
    return alt(*made)
