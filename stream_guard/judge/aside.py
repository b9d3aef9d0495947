"""Work that may be long, as a value: whoever drives a stream may run it in a thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from ..fixes.engine import Mended
from ..toolset.validate import Validated
from ..values.block import Block
from ..values.limits import SHORT
from .judge import Judge

Made = TypeVar("Made")


class Aside(Generic[Made]):
    """Work that may be long. Whoever meets one may `run` it where it holds nobody up, and then go on."""

    __slots__ = ("_made", "_work")

    def __init__(self, work: Callable[[], Made]) -> None:
        self._work = work
        self._made: list[Made] = []

    def run(self) -> Made:
        """What the work makes. What was done once is not done again."""
        if not self._made:
            self._made.append(self._work())
        return self._made[0]


class Mending(Aside[tuple[Validated, tuple[Mended, ...]]]):
    """A block, to be judged and to be mended: the verdict on it, and its calls as they were mended."""

    __slots__ = ("block",)

    def __init__(self, judge: Judge, block: Block) -> None:
        super().__init__(partial(_mended, judge, block))
        self.block = block

    @property
    def is_long(self) -> bool:
        """Whether it may hold somebody up."""
        return len(self.block.body) > SHORT


def _mended(judge: Judge, block: Block) -> tuple[Validated, tuple[Mended, ...]]:
    verdict = judge.verdict(block)
    return verdict, judge.mend(block, verdict)
