"""What a group of rows came to on a parser, in figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from stream_guard_conformance.conform import Verdict


@dataclass(frozen=True)
class Totals:
    """Counts of rows."""

    rows: int
    applied: int
    """Those whose capabilities the parser claims."""

    right: int
    ran: int
    """Those in which a call ran that must not, or with other values than were meant."""

    refused: int
    """Right ones in which a call of a broken block did not run."""


def totals(verdicts: Counter[Verdict]) -> Totals:
    """Return the figures of some verdicts."""
    rows = sum(verdicts.values())
    right = verdicts[Verdict.PASSED] + verdicts[Verdict.REFUSED]
    ran = verdicts[Verdict.UNSAFE] + verdicts[Verdict.CALL_WRONG]
    return Totals(rows, rows - verdicts[Verdict.NOT_CLAIMED], right, ran, verdicts[Verdict.REFUSED])
