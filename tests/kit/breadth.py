"""How much is tried of what is broad: some of it under `make test`, all of it under `make more` and `make prove`.

Rule 1: every kind is tried at least once, and what is drawn is the same each time.
Rule 2: a test that tries some of something is marked `some`, so that `make more` tries the rest. `some(12)` tries twelve of its
cases, with each value of each parameter; `some()` leaves it to the test, which asks this module; `some(0)` tries none: so is a
test marked that takes seconds, and whose claim smaller tests hold too.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, TypeVar

from stream_guard.testing import every_split

T = TypeVar("T")

WHOLE: Final = "WHOLE" in os.environ
"""Whether all of it is tried."""


class Running:
    """What `tests/conftest.py` says of the test that runs."""

    marked = True
    """Whether it is marked `some` or `more`."""


def some(cells: Iterable[T], most: int, kind: Callable[[T], Hashable] = lambda _: None) -> list[T]:
    """Return one of each kind and as many more, at random, as are `most` together: in their order, the same each time."""
    assert Running.marked, "a test that tries some of its cases is marked `some`"
    whole = list(cells)
    if WHOLE or len(whole) <= most:
        return whole
    order = Random(len(whole)).sample(range(len(whole)), len(whole))
    return [whole[at] for at in sorted(_chosen(order, most, lambda at: [kind(whole[at])]))]


def splits(text: str, most: int) -> Iterator[list[str]]:
    """Yield as many ways to split a text in two, at random, and the text by character: `every_split`, or some of it."""
    assert Running.marked, "a test that tries some of its splits is marked `some`"
    if WHOLE or len(text) <= most:
        yield from every_split(text)
        return
    for at in Random(text).sample(range(1, len(text)), most):
        yield [text[:at], text[at:]]
    yield list(text)


def of_each_test(cases: Sequence[tuple[str, int, Mapping[str, int]]]) -> set[int]:
    """Return the places of the cases to try: of each come its test, how many of that are tried, and its values by parameter, as
    numbers. Each value of each parameter is in a case that is tried, but of a test of which none is to be tried.
    """
    tests: dict[tuple[str, int], list[int]] = defaultdict(list)
    for at, (test, most, _) in enumerate(cases):
        tests[test, most].append(at)
    chosen: set[int] = set()
    for (test, most), places in tests.items():
        if not most:
            continue
        chosen |= set(_chosen(Random(test).sample(places, len(places)), most, lambda at: cases[at][2].items()))
    return chosen


def _chosen(order: Iterable[int], most: int, kinds: Callable[[int], Iterable[Hashable]]) -> list[int]:
    """Return those that bring a new kind, and so many of the others, from the first on, as are `most` together."""
    seen: set[Hashable] = set()
    first: list[int] = []
    others: list[int] = []
    for at in order:
        new = set(kinds(at)) - seen
        seen |= new
        (first if new else others).append(at)
    return first + others[: max(most - len(first), 0)]
