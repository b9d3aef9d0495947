"""What each table of checks promises, whatever it refuses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from stream_guard.fixes.check import Check


def have_reasons(checks: Sequence[Check[Any]], refused: Iterable[str]) -> None:
    """Check that these are the names of the checks, in their order, and that each has a reason of its own, of one sentence."""
    assert [check.name for check in checks] == list(refused)
    assert len({check.why for check in checks}) == len(checks)
    for check in checks:
        assert check.why[0].isupper(), check.name
        assert check.why.endswith("."), check.name
        assert ". " not in check.why, f"{check.name}: the reason is one sentence"
