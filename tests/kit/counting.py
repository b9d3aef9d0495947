"""How many functions some work calls: what tests count where they would have to take the time."""

from __future__ import annotations

import sys
from collections.abc import Callable


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
