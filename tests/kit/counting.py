"""How many functions some work calls, and how many lines it runs: what tests count where they would have to take the time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import TraceFunction


def calls(work: Callable[[], object], *, native: bool = False) -> int:
    """Return how many functions of Python some work calls; with `native`, how many of the interpreter's too."""
    counted = ("call", "c_call") if native else ("call",)
    count = 0

    def note(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in counted

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def lines(work: Callable[[], object]) -> int:
    """Return how many lines of Python some work runs: unlike calls, that counts each step of a loop."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> TraceFunction:
        nonlocal count
        count += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
