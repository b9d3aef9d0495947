"""`any_of`: finds out whether any of many things has a property, without a look at each of them for each event of a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def any_of(candidates: dict[T, None], has: Callable[[T], bool]) -> bool:
    """Return whether one of the candidates has a property. Candidates without the property are removed; the code that gives
    one the property puts it back. So a candidate is looked at once each time it was put in, and once for each question that it
    answers.
    """
    while candidates:
        last, _ = candidates.popitem()
        if has(last):
            candidates[last] = None
            return True
    return False
