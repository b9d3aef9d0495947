"""The corpus: streams with tool calls in them, and what must come out of each.

`rows` says what a row is. Each other module makes rows of some classes, with seeds, and `written` has those that were written
by hand. The same version has the same rows on every machine.

Rule: a maker states what must come out from what it put in, and knows no parser.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final

from . import (
    apart,
    between,
    broken,
    by_type,
    calls_in_time,
    carried,
    chat_shapes,
    commonmark,
    dialects,
    equal_pieces,
    everyday,
    exact,
    fences,
    half_pairs,
    in_time,
    inside,
    json_in_fences,
    keywords,
    made_up,
    native_rows,
    other_servers,
    places,
    protocol_rows,
    refused,
    second_choices,
    streams,
    unfinished,
    unread,
    wire,
    written,
)
from .rows import CAPABILITIES, Meant, Row, line, numbered, schema

VERSION: Final = 6
"""The version of the corpus. It rises whenever a row changes, comes or goes."""

SEED: Final = 1
"""The seed from which the corpus of this version is made."""

MAKERS: Final[Mapping[Callable[[int], Iterator[Row]], tuple[str, ...]]] = {
    fences.rows: ("text/", "fence/"),
    json_in_fences.rows: ("text/ordinary-json/",),
    exact.rows: ("exact/",),
    broken.rows: ("broken/",),
    refused.rows: ("cut-off/", "refused/", "hostile/"),
    dialects.rows: ("dialect/",),
    protocol_rows.rows: ("protocol/",),
    native_rows.rows: ("native/",),
    unfinished.rows: ("cut-off/in-events/",),
    other_servers.rows: (other_servers.BEGINNING,),
    apart.rows: (apart.BEGINNING,),
    carried.rows: (carried.BEGINNING,),
    everyday.rows: (everyday.BEGINNING,),
    places.rows: (places.BEGINNING,),
    made_up.rows: (made_up.BEGINNING,),
    between.rows: (between.BEGINNING,),
    keywords.rows: (keywords.BEGINNING,),
    wire.rows: (wire.BEGINNING,),
    in_time.rows: (in_time.BEGINNING,),
    calls_in_time.rows: (calls_in_time.BEGINNING,),
    second_choices.rows: (second_choices.BEGINNING,),
    half_pairs.rows: (half_pairs.BEGINNING,),
    unread.rows: (unread.BEGINNING,),
    by_type.rows: (by_type.BEGINNING,),
    inside.rows: (inside.BEGINNING,),
    equal_pieces.rows: (equal_pieces.BEGINNING,),
    commonmark.rows: (commonmark.BEGINNING,),
    chat_shapes.rows: (chat_shapes.BEGINNING,),
    written.rows: ("by-hand/",),
}
"""The functions that yield rows without ids, for a seed; and how their classes begin. No class has rows of two makers."""


NAMED: Final = (
    *(f"dialect:{name}" for name in sorted({*dialects.DIALECTS, *dialects.FILES})),
    *(f"protocol:{name}" for name in sorted(streams.STREAMS)),
)
"""The capabilities that name a dialect or a protocol: all of which there are rows."""


@cache
def corpus(seed: int = SEED, only: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """Return all rows, in order, or those whose ids begin with one of `only`. Another seed draws others of these classes."""
    makers = [make for make, begins in MAKERS.items() if not only or any(map(_meet, product(begins, only)))]
    rows = numbered(row for make in makers for row in make(seed))
    return tuple(row for row in rows if not only or row.id.startswith(only))


def _meet(pair: tuple[str, str]) -> bool:
    return pair[0].startswith(pair[1]) or pair[1].startswith(pair[0])


def classes(rows: Iterable[Row]) -> dict[str, int]:
    """Return the classes of some rows, each with the number of its rows."""
    return dict(Counter(row.kind for row in rows))


def digest(rows: Iterable[Row]) -> str:
    """Return the SHA-256 of rows as they are written, a line each."""
    made = hashlib.sha256()
    for row in rows:
        made.update(line(row).encode() + b"\n")
    return made.hexdigest()


__all__ = [
    "CAPABILITIES", "MAKERS", "NAMED", "SEED", "VERSION", "Meant", "Row", "classes", "corpus", "digest", "line", "schema",
]  # fmt: skip
