"""`any_of`: whether any of many things has a property, without a look at each of them for each event of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def any_of(candidates: dict[T, None], has: Callable[[T], bool]) -> bool:
    """Return whether one of the candidates has a property. Those that do not have it are taken out.

    Whoever gives one of them the property puts it back: so a candidate is looked at no more often than it was put in, and once
    in each question that it answers.
    """
    while candidates:
        last, _ = candidates.popitem()
        if has(last):
            candidates[last] = None
            return True
    return False
