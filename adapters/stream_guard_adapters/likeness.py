"""What the events of a stream have in common: all but the text, mostly.

Rule: what is like an event that was read differs from it in its text, in counters and in padding, and in nothing that its table
asks for. So an event that is like one that may pass may pass, when its text may.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import jiter

from .protocols import Lane, Protocol

_PLAIN: Final = re.compile(rb"[ !#-\[\]-~]+")
"""Text that stands in JSON as it is, and may pass within a line: printable, without quotes and escapes."""

_TEXT: Final = rb'(?P<text>"(?!")[ !#-\[\]-~]*+(?P<more>(?:[^"\\\x00-\x1f]|\\.)++)?")'

_VARIES: Final = re.compile(
    rb'"(?:sequence_number|timestamp|created|obfuscation|created_at|p)"\s*:\s*(?:(?P<number>\d+)|"(?P<text>[ !#-\[\]-~]*)")'
)
"""What differs from event to event, and says nothing of its text."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A look that events have."""

    lane: Lane
    """The lane of their text."""

    matches: Callable[[bytes], re.Match[bytes] | None]
    """Whether the bytes of an event look so. Of the match `text` is the text in its quotes, and `more` is none if it is plain:
    printable, without quotes and escapes."""

    @staticmethod
    def text(found: re.Match[bytes]) -> str | None:
        """The text of an event that looks so; None when it is not to be read."""
        try:
            text = jiter.from_json(found["text"])
        except ValueError:
            return None
        assert isinstance(text, str)
        return text


def alike(raw: bytes, table: Protocol | None, event: Any) -> Alike | None:
    """The look of an event with one text; None when its text cannot be found in its bytes with certainty."""
    found = table.plain(event) if table is not None else None
    if found is None:
        return None
    lane, text = found
    quoted = b'"' + text.encode("utf-8", "surrogatepass") + b'"'
    if raw.count(quoted) != 1 or _PLAIN.fullmatch(quoted[1:-1]) is None:
        return None
    before, _, after = raw.partition(quoted)
    return Alike(lane, re.compile(_pattern(before) + _TEXT + _pattern(after)).fullmatch)


def _pattern(raw: bytes) -> bytes:
    made, at = b"", 0
    for varying in _VARIES.finditer(raw):
        kind = "number" if varying["number"] is not None else "text"
        start, end = varying.span(kind)
        made += re.escape(raw[at:start]) + (rb"\d{1,20}" if kind == "number" else rb"[ !#-\[\]-~]*")
        at = end
    return made + re.escape(raw[at:])
