"""Whether the layout of a block shows that a piece of it was lost: a line, or a line break with what stood beside it.

A stream that lost a piece, or two drafts that became one, often leave JSON that a small fix makes whole: a comma is missing, or
there is one too many, or a bracket. What is lost shows in the lines: a member has another indent than those beside it, or
stands on the line of another where each has a line of its own, or a bracket closes at another indent than its line has.

Rule 1: a layout is doubted only where a fix leaves open whether lines are lost (`order`); models write odd layouts, too.
Rule 2: only members and brackets that begin a line have an indent. What stands on one line says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from .catalogue import leaving
from .reading import Close, Fixed, Key, Open, Scalar, Step, String

_LOSES_LINES: Final = leaving("order")
_BEFORE_A_VALUE: Final = re.compile(r"[\s\"'`“”„«»{\[]*")
"""Matches what may stand between a bracket and the first key or value in it, the bracket included."""

_CLOSES_ON_A_LINE: Final = re.compile(r"\s*\n([ \t]*)[}\]]")
"""Matches a bracket that begins a line, behind a comma."""


class _Level:
    """An object or a list that is open."""

    __slots__ = ("beside", "differs", "indent", "keys", "kind", "last", "searched")

    def __init__(self, kind: str) -> None:
        self.kind: Final = kind
        self.searched = False  # whether its bracket was looked for
        self.indent: int | None = None  # of the line on which that stands
        self.keys: int | None = None  # the indent of its first key that begins a line
        self.last: int | None = None  # that of its last key, if that begins a line
        self.beside = False  # whether a key but the first begins no line
        self.differs = False  # whether two keys that begin lines have different indents


def lost_a_line(body: str, steps: Sequence[Step]) -> bool:
    """Return whether lines of a body changed places, or are lost, where it was mended, as its layout shows."""
    fixes = {step.fix for step in steps if isinstance(step, Fixed)} & _LOSES_LINES
    if not fixes or "\n" not in body:
        return False
    levels: list[_Level] = []
    missing = False  # whether a fix between the last key and the next may have lost a line
    first = False  # whether the next key is the first of its object
    for before, step in pairwise((None, *steps)):
        if isinstance(step, Open):
            levels.append(_Level(step.kind))
            first = True
        elif isinstance(step, Close):
            level = levels.pop()
            if isinstance(before, Fixed) and before.fix == "trailing_comma" and _closes_elsewhere(body, before.end, level):
                return True
            if "extra_closer" in fixes and (level.differs or (level.beside and level.keys is not None)):
                return True  # two drafts became one: the bracket that is left over is the end of the other
            first = False
        elif isinstance(step, Fixed):
            missing = missing or step.fix in _LOSES_LINES
        elif isinstance(step, Key | String | Scalar):
            _find_brackets(body, levels, step.start)
            if isinstance(step, Key) and levels:
                indent, level = indent_of(body, step.start), levels[-1]
                if missing and level.last is not None and indent != level.last:
                    return True
                level.beside = level.beside or (indent is None and not first)
                level.differs = level.differs or (indent is not None and level.keys not in (None, indent))
                level.keys = indent if level.keys is None else level.keys
                level.last, missing, first = indent, False, False
    return False


def _find_brackets(body: str, levels: Sequence[_Level], place: int) -> None:
    """Find the brackets of the levels that the key or value at this place is the first in, and the indents of their lines."""
    for level in reversed(levels):
        if level.searched:
            return
        level.searched = True
        at = body.rfind(level.kind, 0, place)
        if at < 0 or _BEFORE_A_VALUE.fullmatch(body, at, place) is None:
            return
        line = body[body.rfind("\n", 0, at) + 1 : at]
        level.indent = len(line) - len(line.lstrip(" \t"))
        place = at


def _closes_elsewhere(body: str, place: int, level: _Level) -> bool:
    """Return whether the bracket behind this place begins a line, at another indent than the line with its opening bracket."""
    found = _CLOSES_ON_A_LINE.match(body, place)
    return found is not None and level.indent is not None and len(found[1]) != level.indent


def indent_of(body: str, at: int) -> int | None:
    """Return how far the key that begins at this place is indented; None if it does not begin a line."""
    end = at - 1 if body[at - 1] in "\"'" else at
    start = end
    while start and body[start - 1] in " \t":
        start -= 1
    return end - start if start and body[start - 1] == "\n" else None
