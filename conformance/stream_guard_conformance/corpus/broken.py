"""Rows of broken blocks, by the fault grammar: each says what was meant before it was spoilt."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from ..cases import make
from ..faults import KINDS
from ..sources import own
from ..toolsets import CLOSED
from .fences import meant
from .rows import CUTS, Row, cut, tools_of

LATER: Final = frozenset({"quote_behind_line_break", "control_in_text"})
"""The kinds of faults that were added after this version's rows were drawn. The next version has them."""

DRAWN: Final = tuple(name for name in KINDS if name not in LATER)

EACH: Final = 5
"""How many rows there are of each kind of fault."""

SEVERAL: Final = 240
"""How many rows have two faults or three."""


def rows(seed: int) -> Iterator[Row]:
    """Yield rows with one fault of each kind, and rows with several."""
    for number in range(EACH * len(DRAWN)):
        yield _row(number, 1, seed)
    for number in range(SEVERAL):
        yield _row(number, 2 + number % 2, seed)


def _row(number: int, count: int, seed: int) -> Row:
    case = make(number, seed, count, kinds=DRAWN, toolsets=CLOSED, sources=own())
    kinds = [KINDS[name] for name in case.kinds]
    does = "; ".join(kind.does.rstrip(".") for kind in kinds)
    deltas = cut(case.text, CUTS[number % len(CUTS)], Random(f"broken:{seed}:{number}:{count}"))
    closed = all(kind.closed for kind in kinds)
    needed = ["fence", "schemas", "text"]
    if case.wrapping != "bare":
        needed.append("wrappings")
    if len(case.meant) > 1:
        needed.append("several")
    if len(deltas) > 1:
        needed.append("streams")
    if not case.nothing:
        needed.append("repair")
    return Row(
        f"broken/{kinds[0].family.replace(' ', '-')}" if count == 1 else "broken/several-faults",
        f"{'A fault' if count == 1 else 'Faults'}: {does}. "
        + ("Nothing of it may run." if case.nothing else "The call runs as it was meant, or not at all."),
        tools_of(case.toolset),
        deltas,
        () if case.nothing else tuple(meant(case.meant, must=False)),
        tuple(tuple(meant(said, must=False)) for said in case.said),
        texts=[["Now this.\n\n", None, "That is all.\n"] if closed and "```" not in case.body else ["Now this.\n\n", None]],
        needs=tuple(needed),
        end="stop" if closed else "unknown",
    )
