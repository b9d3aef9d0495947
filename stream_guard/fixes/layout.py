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
from .reading import Close, Fixed, Key, Open, Step

_LOSES_LINES: Final = leaving("order")
"""The fixes at which lines of the block may be lost."""

_ENDS_ITS_LINE: Final = re.compile(r"[^\S\n]*\n")
"""Matches the rest of a line that has only blanks left."""

_CLOSES_ON_A_LINE: Final = re.compile(r"\s*\n([ \t]*)[}\]]")
"""Matches a line break and a closing bracket at the beginning of the next line, with its indent."""


class _Level:
    """An object or a list that is open, and the indents of its lines."""

    __slots__ = ("beside", "differs", "in_lines", "indent", "keys", "last")

    def __init__(self, body: str, begins: Open) -> None:
        self.indent: Final = _indent_of_the_line(body, begins.start)  # the indent of the line with its bracket
        # whether it is a list whose bracket ends its line
        self.in_lines: Final = begins.kind == "[" and _ENDS_ITS_LINE.match(body, begins.start + 1) is not None
        self.keys: int | None = None  # the indent of its first key that begins a line
        self.last: int | None = None  # the indent of its last key, if that key begins a line
        self.beside = False  # whether a key other than the first begins no line
        self.differs = False  # whether two keys that begin lines have different indents


def lost_a_line(body: str, steps: Sequence[Step]) -> bool:
    """Return whether the layout of a mended body shows that its lines changed places, or that some are lost."""
    fixes = {step.fix for step in steps if isinstance(step, Fixed)} & _LOSES_LINES
    if not fixes or "\n" not in body:
        return False
    levels: list[_Level] = []
    missing = False  # whether a fix between the last key and the next may have lost a line
    first = False  # whether the next key is the first of its object
    for before, step in pairwise((None, *steps)):
        if isinstance(step, Open):
            levels.append(_Level(body, step))
            first = True
        elif isinstance(step, Close):
            level = levels.pop()
            if isinstance(before, Fixed) and before.fix == "trailing_comma" and _closes_elsewhere(body, before.end, level):
                return True
            if "extra_closer" in fixes and (level.differs or (level.beside and level.keys is not None)):
                return True  # two drafts became one: the bracket that is left over ends the other draft
            first = False
        elif isinstance(step, Fixed):
            missing = missing or step.fix in _LOSES_LINES
        elif isinstance(step, Key) and levels:
            indent, level = indent_of(body, step.start), levels[-1]
            if missing and level.last is not None and indent != level.last:
                return True
            level.beside = level.beside or (indent is None and not first)
            level.differs = level.differs or (indent is not None and level.keys not in (None, indent))
            level.keys = indent if level.keys is None else level.keys
            level.last, missing, first = indent, False, False
    return False


def _indent_of_the_line(body: str, at: int) -> int:
    """Return the indentation of the line containing this position."""
    line = body[body.rfind("\n", 0, at) + 1 : at + 1]
    return len(line) - len(line.lstrip(" \t"))


def _closes_elsewhere(body: str, place: int, level: _Level) -> bool:
    """Return whether the bracket after a comma is not placed like its opening bracket. `place` is the place after the comma.

    That is so if the bracket begins a line at another indent than the line of its opening bracket. It is also so if the bracket
    closes a list on the line of the last item, while its opening bracket ended a line: a program may have closed a list that
    was cut off after the comma.
    """
    found = _CLOSES_ON_A_LINE.match(body, place)
    return level.in_lines if found is None else len(found[1]) != level.indent


def indent_of(body: str, at: int) -> int | None:
    """Return the indent of the key that begins at this place; None if the key does not begin a line."""
    end = at - 1 if body[at - 1] in "\"'" else at
    start = end
    while start and body[start - 1] in " \t":
        start -= 1
    return end - start if start and body[start - 1] == "\n" else None
