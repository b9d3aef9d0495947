"""How the time of a parser grows with its input: the same shape of text in three sizes.

Time is measured, so it is a matter of the command; a test gives a clock of its own, which counts work.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ..corpus.fences import FILE_TOOLS
from ..corpus.rows import Row
from .checking import Finding, Verdict, applies
from .parser import Parser
from .trying import NoAnswer, Result

SIZES: Final = (16_384, 65_536, 262_144)
"""How many characters the texts have, each four times the one before."""

DELTA: Final = 64
"""How many characters a delta has."""

MOST: Final = 10.0
"""Limit: factor by which the time may grow between two sizes. A linear parser takes four times as long, a quadratic one sixteen
times."""

TIMES: Final = 3
"""How often each size is read; the quickest counts."""

NOTHING: Final = 0.25
"""The shortest time, in seconds, whose growth counts: other work of the machine takes as long."""

_LINE: Final = "All work and no play makes a dull text, which says `this` and {that} [of it].\n"
_CALL: Final = '```json\n{"tool": "delete_file", "path": "a"}\n```\nand\n'
_OPEN: Final = '```json\n{"tool": "write_file", "path": "a", "content": "'
_SHUT: Final = '"}\n```\n'

SHAPES: Final[Mapping[str, Callable[[int], str]]] = {
    "prose": lambda size: _LINE * (size // len(_LINE)),
    "one long value": lambda size: _OPEN + json.dumps(_LINE * (size // len(_LINE)))[1:-1] + _SHUT,
    "a long value with raw lines": lambda size: _OPEN + _LINE * (size // len(_LINE)) + _SHUT,
    "many calls": lambda size: _CALL * (size // len(_CALL)),
    "many code blocks": lambda size: "```js\nlet a = 1;\n```\n" * (size // 20),
    "half openers": lambda size: "``\n`` `\n" * (size // 8),
    "a list that never closes": lambda size: _OPEN[:-12] + "[" * 32 + '"a", ' * (size // 5),
    "quotes": lambda size: _OPEN + 'say "x", ' * (size // 9) + _SHUT,
}
"""Shapes of text."""


def rows(shape: str) -> Iterator[Row]:
    """Yield a row for each size of a shape. The rows state nothing about what comes out: only the time counts."""
    for size in SIZES:
        text = SHAPES[shape](size)
        yield Row(
            "growth",
            f"The time grows no faster than the input: {shape}.",
            FILE_TOOLS,
            [text[at : at + DELTA] for at in range(0, len(text), DELTA)],
            needs=("fence", "streams"),
            id=f"growth/{shape.replace(' ', '-')}/{size}",
        )


def grown(parser: Parser, clock: Callable[[], float] = time.perf_counter) -> Iterator[Result]:
    """Yield the verdict on each shape, by the seconds of a clock."""
    for shape in SHAPES:
        yield _grown(shape, parser, clock)


def _grown(shape: str, parser: Parser, clock: Callable[[], float]) -> Result:
    before = 0.0
    sizes = list(rows(shape))
    for row in sizes:
        if not applies(row, parser.capabilities):
            return Result(row, Finding(Verdict.NOT_CLAIMED))
        try:
            spent = min(_seconds(row, parser, clock) for _ in range(TIMES))
        except NoAnswer as error:
            return Result(row, Finding(Verdict.SUPERLINEAR, str(error)))
        except Exception as error:  # whatever a parser raises is a verdict on it
            return Result(row, Finding(Verdict.CRASHED, f"{type(error).__name__}: {error}"))
        if before and spent > NOTHING and spent > MOST * before:
            return Result(row, Finding(Verdict.SUPERLINEAR, f"four times the text took {spent / before:.0f} times as long"))
        before = spent
    return Result(sizes[-1], Finding(Verdict.PASSED))


def _seconds(row: Row, parser: Parser, clock: Callable[[], float]) -> float:
    question = row.question()
    start = clock()
    parser.read(question)
    return clock() - start
