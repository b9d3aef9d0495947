"""How the time of a parser grows with its input: the same shape of text in three sizes.

Time is measured, so it is a matter of the command; a test gives a clock of its own, which counts work.

Rule: what comes out is compared before it is timed. These are the longest texts that a parser is tried on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ..corpus.fences import FILE_TOOLS, fenced
from ..corpus.rows import Draft, Meant, Row
from .checking import ORDER, Finding, Verdict
from .parser import Parser, brief
from .trying import Crashed, NoAnswer, Result, read_by, try_row

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
_CALL: Final = '{"tool": "delete_file", "path": "a"}'
_OPEN: Final = '```json\n{"tool": "write_file", "path": "a", '


def _said(text: str, size: int) -> Draft:
    return Draft().say(text * (size // len(text)))


def _written(text: str, size: int, *, raw: bool = False) -> Draft:
    """Return a call with a text many times in one value, with or without what JSON has in place of some characters."""
    value = text * (size // len(text))
    body = value if raw else json.dumps(value)[1:-1]
    call = Meant("write_file", {"path": "a", "content": value}, must=not raw)
    return Draft().write(f'{_OPEN}"content": "{body}"}}\n```', call, shown=raw).say("\n")


def _calls(size: int) -> Draft:
    draft = Draft()
    for _ in range(size // (len(_CALL) + 16)):
        draft.write(fenced(_CALL), Meant("delete_file", {"path": "a"})).say("\nand\n")
    return draft


SHAPES: Final[Mapping[str, Callable[[int], Draft]]] = {
    "prose": lambda size: _said(_LINE, size),
    "one long value": lambda size: _written(_LINE, size),
    "a long value with raw lines": lambda size: _written(_LINE, size, raw=True),
    "many calls": _calls,
    "many code blocks": lambda size: _said("```js\nlet a = 1;\n```\n", size),
    "half openers": lambda size: _said("``\n`` `\n", size),
    "a list that never closes": lambda size: Draft().write(_OPEN + "[" * 32 + '"a", ' * (size // 5), shown=True),
    "quotes": lambda size: _written('say "x", ', size, raw=True),
}
"""Shapes of text, and what must come out of each. A call in a broken block may be refused."""


def shapes(only: tuple[str, ...] = ()) -> list[str]:
    """Return the shapes with a row whose id begins with one of `only`, or all."""
    return [shape for shape in SHAPES if not only or any(_id(shape, size).startswith(only) for size in SIZES)]


def named(only: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows whose ids begin with one of these texts, or all."""
    yield from (row for shape in shapes(only) for row in rows(shape) if not only or row.id.startswith(only))


def _id(shape: str, size: int) -> str:
    return f"growth/{shape.replace(' ', '-')}/{size}"


def rows(shape: str) -> Iterator[Row]:
    """Yield a row for each size of a shape."""
    for size in SIZES:
        draft = SHAPES[shape](size)
        deltas = [draft.text[at : at + DELTA] for at in range(0, len(draft.text), DELTA)]
        yield Row(
            "growth",
            f"A long text is read as a short one, and the time grows no faster than it: {shape}.",
            FILE_TOOLS,
            deltas,
            draft.timed(deltas),
            texts=[draft.pieces],
            needs=("fence", "streams", *(("several",) if len(draft.calls) > 1 else ())),
            id=_id(shape, size),
        )


def grown(parser: Parser, only: tuple[str, ...] = (), clock: Callable[[], float] = time.perf_counter) -> Iterator[Result]:
    """Yield the verdict on each shape, or on those with a row whose id begins with one of `only`, by the seconds of a clock.

    It is the verdict on the smallest text whose result is wrong; if no result is wrong, the verdict on the time.
    """
    for shape in shapes(only):
        yield _grown(shape, parser, clock)


def _grown(shape: str, parser: Parser, clock: Callable[[], float]) -> Result:
    sizes = list(rows(shape))
    found: list[Finding] = []
    spent: list[float] = []
    for at, row in enumerate(sizes):
        start = clock()
        finding = try_row(row, parser)
        found.append(finding)
        if finding.verdict is Verdict.NO_ANSWER and at and _too_long(spent[-1], clock() - start):
            says = f"{finding.says}, and one within {spent[-1] * 1e3:,.0f} ms for a quarter of the text"
            return Result(row, Finding(Verdict.SUPERLINEAR, says))
        if not finding.verdict.right or finding.verdict is Verdict.NOT_CLAIMED:
            return Result(row, finding)
        try:
            spent.append(min(_seconds(row, parser, clock) for _ in range(TIMES)))
            for _ in range(AGAIN):
                if at and _too_long(*spent[-2:]):
                    spent[-2:] = [min(one, _seconds(sizes[n], parser, clock)) for n, one in enumerate(spent[-2:], at - 1)]
        except NoAnswer as error:
            return Result(row, Finding(Verdict.NO_ANSWER, brief(str(error))))
        except Crashed as error:
            return Result(row, Finding(Verdict.CRASHED, brief(str(error))))
        if at and _too_long(*spent[-2:]):
            times = f"{spent[-2] * 1e3:,.0f} ms, and {spent[-1] * 1e3:,.0f} ms for four times the text"
            return Result(row, Finding(Verdict.SUPERLINEAR, f"it took {times}: more than {MOST:g} times as long"))
    return Result(sizes[-1], min(found, key=lambda finding: ORDER.index(finding.verdict)))


def _too_long(before: float, spent: float) -> bool:
    return spent > NOTHING and spent > MOST * before


def _seconds(row: Row, parser: Parser, clock: Callable[[], float]) -> float:
    question = row.question()
    start = clock()
    read_by(parser, question)
    return clock() - start
