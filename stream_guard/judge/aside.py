"""Deferred work on blocks that take long, which the driver of a stream may run in a thread."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from ..toolset.validate import Validated
from ..values.block import Block
from ..values.issues import ValidationIssue
from ..values.limits import SHORT_BLOCK
from .judge import Judge

if TYPE_CHECKING:
    from ..fixes.mended import Mended

Made = TypeVar("Made")


class Aside(Generic[Made]):
    """Deferred work on a block that takes long. The driver may call `run()` in a thread before it resumes the iterator."""

    __slots__ = ("_made", "_work")

    def __init__(self, work: Callable[[], Made]) -> None:
        self._work = work
        self._made: list[Made] = []

    def run(self) -> Made:
        """Do the work and return its result. Further calls return the same result."""
        if not self._made:
            self._made.append(self._work())
        return self._made[0]

    def hand_out(self) -> Generator[Aside[Made], None, Made]:
        """Yield this work to the driver, and return its result."""
        yield self
        return self.run()


class Judging(Aside[tuple[Validated, "tuple[Mended, ...]"]]):
    """The validation and fixing of one block: its verdict, and its fixed calls."""

    __slots__ = ("_judge", "block")

    def __init__(self, judge: Judge, block: Block) -> None:
        self._work = partial(judge.judged, block)
        self._made = []
        self._judge = judge
        self.block = block

    @classmethod
    def refused(cls, judge: Judge, block: Block, issue: ValidationIssue) -> Judging:
        """Return the outcome of a block that fails with this issue, whatever its content."""
        made = cls(judge, block)
        made._made.append((Validated(None, None, None, (issue,)), ()))
        return made

    @property
    def is_long(self) -> bool:
        """Whether the work may take long enough to block the event loop."""
        return self._judge.tools.is_heavy or len(self.block.body) > SHORT_BLOCK
