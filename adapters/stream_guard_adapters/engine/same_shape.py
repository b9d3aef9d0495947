"""A fast path: makes a pattern of an event that passed, so that events of the same shape pass without being parsed.

Rule: an event that matches differs from the one that was read in its text, in counters and in padding, and in nothing that the
protocol's table reads. So it may pass when its text may.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import jiter

from ..protocols import Lane, Protocol

_PLAIN: Final = re.compile(rb"[ !#-\[\]-~]+")
"""Matches text that JSON writes unchanged and on one line: printable, without quotes and escapes."""

_PLAIN_TEXT: Final = rb'"[ !#-\[\]-~]++"'
_TEXT: Final = rb'(?P<text>"(?!")[ !#-\[\]-~]*+(?P<more>(?:[^"\\\x00-\x1f]|\\.)++)?")'

_NOTHING: Final = re.compile(rb"(?!)")


@cache
def _varying(names: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return a pattern for the members of an event that a table says vary."""
    if not names:
        return _NOTHING
    member = "|".join(map(re.escape, names)).encode()
    return re.compile(rb'"(?P<name>' + member + rb')"\s*:\s*(?:(?P<number>\d+)|"(?P<text>[ !#-\[\]-~]*)")')


@dataclass(frozen=True, slots=True)
class Alike:
    """A shape that events of a stream have."""

    lane: Lane
    """The lane of the text."""

    matches: Callable[[bytes], re.Match[bytes] | None]
    """Matches the bytes of an event of this shape. The group `text` is its text in quotes; `more` is absent if the text
    is plain: printable, without quotes and escapes; `count` is its number, if its events are numbered."""

    plain: Callable[[bytes], re.Match[bytes] | None]
    """Matches the same events if their text is plain, and no others."""

    counts: bool
    """Whether its events are numbered."""

    @staticmethod
    def text(found: re.Match[bytes]) -> str | None:
        """Return the text of a matched event; None when it cannot be read."""
        try:
            text = jiter.from_json(found["text"])
        except ValueError:
            return None
        assert isinstance(text, str)
        return text


def alike(raw: bytes, table: Protocol | None, event: Any) -> Alike | None:
    """Return the shape of an event with one text; None if the place of the text in the bytes is uncertain."""
    found = table.plain(event) if table is not None else None
    if table is None or found is None:
        return None
    varying = _varying(table.varies)
    lane, text = found
    quoted = b'"' + text.encode("utf-8", "surrogatepass") + b'"'
    if raw.count(quoted) != 1 or _PLAIN.fullmatch(quoted[1:-1]) is None:
        return None
    before, _, after = raw.partition(quoted)
    counts = table.counts.encode()
    start, end = _pattern(before, varying, counts), _pattern(after, varying, counts)
    pattern = start + _TEXT + end
    numbers = pattern.count(_COUNT)
    if numbers != (bool(counts) and table.counts in event):  # none, or another one than the event's own
        return None
    return Alike(lane, re.compile(pattern).fullmatch, re.compile(start + _PLAIN_TEXT + end).fullmatch, bool(numbers))


_COUNT: Final = rb"(?P<count>\d{1,18})"


def _pattern(raw: bytes, varying: re.Pattern[bytes], counts: bytes) -> bytes:
    """Return a pattern for these bytes with any value in the members that vary. `counts` is the member with the number."""
    made, at = b"", 0
    for found in varying.finditer(raw):
        kind = "number" if found["number"] is not None else "text"
        start, end = found.span(kind)
        any_number = _COUNT if found["name"] == counts else rb"\d{1,20}"
        made += re.escape(raw[at:start]) + (any_number if kind == "number" else rb"[ !#-\[\]-~]*")
        at = end
    return made + re.escape(raw[at:])
