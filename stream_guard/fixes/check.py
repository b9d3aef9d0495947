"""`Check`: a named reason to refuse, and `first_to_apply`: which of a table applies.

Two tables have such reasons: `LINE_CHECKS` in `line_breaks.py`, of raw line breaks, and `CHECKS` in `checks.py`, of mended
blocks. The log and docs/fixes.md say them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

Seen = TypeVar("Seen")


class Check(NamedTuple, Generic[Seen]):
    """A reason to refuse what is seen."""

    name: str
    """The name of the check, in the log and in docs/fixes.md."""

    why: str
    """What may be wrong, as a sentence that stands on its own."""

    applies: Callable[[Seen], bool]
    """Whether this is so."""


def first_to_apply(checks: Iterable[Check[Seen]], seen: Seen) -> Check[Seen] | None:
    """Return the first check that applies; None if none does."""
    return next((check for check in checks if check.applies(seen)), None)
