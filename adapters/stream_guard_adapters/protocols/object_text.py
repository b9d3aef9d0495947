"""`ObjectText`: the JSON of an object whose members come one by one, as paths and values.

    $.a[0].b "x" -> {"a":[{"b":"x"      $.a[1] 2 -> },2      the end -> ]}

Rule 1: text is only appended, so its beginning can be read while the rest is written.
Rule 2: if members come in an order that no JSON text has, or cannot be read, the object never gets its end. So it counts as cut
off, and no part of it is taken for the whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

_DEEPEST: Final = 64
"""Limit: the steps of a path."""

_QUOTED: Final = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_STEP: Final = re.compile(rf"""\.(?P<name>[^.\[\]'"\s]+)|\[(?P<index>\d{{1,9}})\]|\[(?P<quoted>{_QUOTED})\]""")


@dataclass(frozen=True, slots=True)
class Member:
    """One value of an object, or a piece of a string in it."""

    path: str
    """The place of the value as a JSON path: `$.a[0].b`."""

    value: Any = None
    """A string, a number, true, false or null. Any other value cannot be read."""

    more: bool = False
    """Whether the string continues in the next member."""


BEGIN: Final = Member("$")
"""The beginning of an object that exists although no member of it has come."""

END: Final = Member("")
"""The end of an object."""


class _Open:
    """An object or a list that has not ended."""

    __slots__ = ("at", "keys")

    def __init__(self, *, listed: bool) -> None:
        self.keys: set[str] | None = None if listed else set()
        self.at: str | int | None = None  # the key or the index of its last value

    def opens(self, step: str | int) -> str | None:
        """Return the text before a value at this step, and note the step; None if no value is possible there."""
        before = self.at
        comma = "" if before is None else ","
        if self.keys is None:
            if step != (before + 1 if isinstance(before, int) else 0):
                return None
            self.at = step
            return comma
        if not isinstance(step, str) or step in self.keys:
            return None
        self.keys.add(step)
        self.at = step
        return f"{comma}{json.dumps(step, ensure_ascii=False)}:"

    @property
    def closer(self) -> str:
        """The closing bracket of the object or list."""
        return "]" if self.keys is None else "}"


class ObjectText:
    """The text of one object."""

    __slots__ = ("_broken", "_open", "_text")

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._text: tuple[str | int, ...] | None = None  # the place of a string that continues
        self._broken = False  # whether the rest of the object cannot be written, or the object has ended

    def add(self, members: Sequence[Member]) -> str:
        """Add the next members, and return the text that they add. Never raises."""
        out: list[str] = []
        for member in members:
            if not self._open:
                self._open.append(_Open(listed=False))
                out.append("{")
            made = self._next(member)
            if made is None:
                self._broken = True
                break
            out.append(made)
        return "".join(out)

    def give_up(self) -> None:
        """Leave the object without its end, so that it counts as cut off."""
        self._broken = True

    def _next(self, member: Member) -> str | None:
        if self._broken:
            return None
        if member is BEGIN:
            return ""
        return self._end() if member is END else self._member(member)

    def _end(self) -> str | None:
        if self._text is not None:
            return None
        self._broken = True
        return "".join(one.closer for one in reversed(self._open))

    def _member(self, member: Member) -> str | None:
        path = _steps(member.path)
        if path is None:
            return None
        written = _written(member.value)
        goes_on = isinstance(member.value, str) and member.more
        if written is None or (member.more and not goes_on):
            return None
        if self._text is not None:
            if path != self._text or not isinstance(member.value, str):
                return None
            made = written[1:-1] if goes_on else written[1:]
        else:
            placed = self._placed(path)
            if placed is None:
                return None
            made = placed + (written[:-1] if goes_on else written)
        self._text = path if goes_on else None
        return made

    def _placed(self, path: tuple[str | int, ...]) -> str | None:
        """Return the text before a value at this place: the ends and the beginnings of objects and lists."""
        out, depth = "", 0
        while depth < len(self._open) - 1 and depth < len(path) - 1 and self._open[depth].at == path[depth]:
            depth += 1
        while len(self._open) > depth + 1:
            out += self._open.pop().closer
        for nth, step in enumerate(path[depth:], depth + 1):
            before = self._open[-1].opens(step)
            if before is None:
                return None
            out += before
            if nth < len(path):
                listed = isinstance(path[nth], int)
                self._open.append(_Open(listed=listed))
                out += "[" if listed else "{"
        return out


def _written(value: Any) -> str | None:
    """Return a value as JSON; None if no member can have this value."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:  # clients read every number as a float
        value = int(value)
    if value is not None and not isinstance(value, str | int | float):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return None


def _steps(path: str) -> tuple[str | int, ...] | None:
    """Return the keys and indexes of a JSON path; None if it cannot be read."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path) and len(steps) < _DEEPEST:
        found = _STEP.match(path, at)
        if found is None:
            return None
        steps.append(_step(found))
        at = found.end()
    return tuple(steps) if steps and at == len(path) else None


def _step(found: re.Match[str]) -> str | int:
    if found["index"] is not None:
        return int(found["index"])
    quoted = found["quoted"]
    if quoted is None:
        return found["name"]
    inner = quoted[1:-1]
    return re.sub(r"\\(.)", r"\1", inner, flags=re.DOTALL)
