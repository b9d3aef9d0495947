"""Reads and writes the JSON of events so that unchanged parts stay as they were sent.

Rule 1: a number keeps its spelling: `1e5` is not written as `100000.0`.
Rule 2: if an object has a key twice, the last value counts, as for nearly every parser; but both are written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Final


class Spelt(float):
    """A number that Python would write in another way."""

    __slots__ = ("written",)

    written: str
    """The number as it was sent."""


class Doubled(dict[str, Any]):
    """An object that has a key twice. As a dict it has the last value of each key."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs: Final = pairs
        """All keys and values, in order."""

    def replaced(self, members: Mapping[str, Any]) -> Doubled:
        """Return a copy with these members. A member that is replaced occurs only once."""
        return Doubled([*self.without(members).pairs, *members.items()])

    def without(self, keys: Collection[str]) -> Doubled:
        """Return a copy without these members."""
        return Doubled([(key, value) for key, value in self.pairs if key not in keys])


def loaded(text: str) -> Any:
    """Return the value of JSON. Raises ValueError for other text, and RecursionError for deep nesting."""
    return json.loads(text, parse_float=_number, object_pairs_hook=_object)


def _number(text: str) -> float:
    value = float(text)
    if repr(value) == text:
        return value
    spelt = Spelt(value)
    spelt.written = text
    return spelt


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else Doubled(pairs)


def dumped(data: Any, *, spaced: bool = False) -> str:
    """Return a value as JSON, compact and in ASCII; with `spaced`, as a person would write it.

    A number beyond the range of floats that has no spelling becomes 1e999, which every parser reads.
    """
    parts: list[str] = []
    marks = (", ", ": ", encode_basestring) if spaced else (",", ":", encode_basestring_ascii)
    _write(data, parts.append, marks)
    return "".join(parts)


_Marks = tuple[str, str, Callable[[str], str]]


def _write(node: Any, put: Callable[[str], object], marks: _Marks) -> None:
    between, colon, quoted = marks
    if isinstance(node, str):
        put(quoted(node))
    elif isinstance(node, dict):
        put("{")
        first = True
        for key, value in node.pairs if isinstance(node, Doubled) else node.items():
            put(quoted(key) if first else between + quoted(key))
            put(colon)
            _write(value, put, marks)
            first = False
        put("}")
    elif isinstance(node, list | tuple):
        put("[")
        first = True
        for item in node:
            if not first:
                put(between)
            _write(item, put, marks)
            first = False
        put("]")
    elif isinstance(node, Spelt):
        put(node.written)
    else:
        put(json.dumps(node).replace("Infinity", "1e999"))
