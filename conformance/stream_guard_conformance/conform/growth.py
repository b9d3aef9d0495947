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
from .trying import NoAnswer, Result, said

SIZES: Final = (16_384, 65_536, 262_144)
"""How many characters the texts have, each four times the one before."""

DELTA: Final = 64
"""How many characters a delta has."""

MOST: Final = 10.0
"""Limit: factor by which the time may grow between two sizes. A linear parser takes four times as long, a quadratic one sixteen
times."""

TIMES: Final = 3
"""How often each size is read; the quickest counts."""

AGAIN: Final = 3
"""How often a size that took too long is measured again, with the one before: other work of the machine passes."""

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


def shapes(only: tuple[str, ...] = ()) -> list[str]:
    """Return the shapes with a row whose id begins with one of `only`, or all."""
    return [shape for shape in SHAPES if not only or any(_id(shape, size).startswith(only) for size in SIZES)]


def named(only: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows whose ids begin with one of these texts, or all."""
    yield from (row for shape in shapes(only) for row in rows(shape) if not only or row.id.startswith(only))


def _id(shape: str, size: int) -> str:
    return f"growth/{shape.replace(' ', '-')}/{size}"


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
            id=_id(shape, size),
        )


def grown(parser: Parser, only: tuple[str, ...] = (), clock: Callable[[], float] = time.perf_counter) -> Iterator[Result]:
    """Yield the verdict on each shape, or on those with a row whose id begins with one of `only`, by the seconds of a clock."""
    for shape in shapes(only):
        yield _grown(shape, parser, clock)


def _grown(shape: str, parser: Parser, clock: Callable[[], float]) -> Result:
    sizes = list(rows(shape))
    spent: list[float] = []
    for at, row in enumerate(sizes):
        if not applies(row, parser.capabilities):
            return Result(row, Finding(Verdict.NOT_CLAIMED))
        try:
            spent.append(min(_seconds(row, parser, clock) for _ in range(TIMES)))
            for _ in range(AGAIN):
                if at and _too_long(*spent[-2:]):
                    spent[-2:] = [min(one, _seconds(sizes[n], parser, clock)) for n, one in enumerate(spent[-2:], at - 1)]
        except NoAnswer as error:
            return Result(row, Finding(Verdict.SUPERLINEAR, str(error)))
        except (Exception, SystemExit) as error:  # whatever a parser raises is a verdict on it
            return Result(row, Finding(Verdict.CRASHED, said(error)))
        if at and _too_long(*spent[-2:]):
            times = f"{spent[-2] * 1e3:,.0f} ms, and {spent[-1] * 1e3:,.0f} ms for four times the text"
            return Result(row, Finding(Verdict.SUPERLINEAR, f"it took {times}: more than {MOST:g} times as long"))
    return Result(sizes[-1], Finding(Verdict.PASSED))


def _too_long(before: float, spent: float) -> bool:
    return spent > NOTHING and spent > MOST * before


def _seconds(row: Row, parser: Parser, clock: Callable[[], float]) -> float:
    question = row.question()
    start = clock()
    parser.read(question)
    return clock() - start
