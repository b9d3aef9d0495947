"""Rows of ordinary JSON in fences, which is no call."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from .fences import FILE_TOOLS, fenced
from .ordinary import ordinary
from .rows import Row, cut


def rows(seed: int) -> Iterator[Row]:
    """Yield a row for each example, cut in a way of its own."""
    rng = Random(f"ordinary:{seed}")
    for number, (kind, body) in enumerate(ordinary()):
        text = f"So:\n\n{fenced(body)}\nDone.\n"
        how = ("whole", "characters", "tokens", "random", "lines")[number % 5]
        yield Row(
            "text/ordinary-json",
            f"JSON that is no call ({kind}) is text: nothing runs, and it comes out as it is.",
            FILE_TOOLS,
            cut(text, how, rng),
            texts=[[text]],
            needs=("fence", "intent", "streams"),
        )
