"""The last check of a reading: every text of the reading is in the body, and no word of the body is left out.

It knows nothing of how a body was read. A reading says what it took from which place; this check looks there itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..values.surrogates import joined
from .catalogue import fixes_where
from .reading import Reading, Text

_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|\r?\n|.|\Z)", re.DOTALL)
"""Matches an escape as JSON and other languages write it."""

_JSON: Final = json.JSONDecoder(strict=False)
_WORD: Final = re.compile(r"\w")
_JOINING: Final = fixes_where(lambda fix: fix.syntax.joins)


def holds(body: str, reading: Reading) -> bool:
    """Return whether every string of a reading is in the body where the reading says, and no word of the body is left over."""
    return all(_stands(body, text) for text in reading.texts) and not _left_over(body, reading) and _all_read(reading)


def _stands(body: str, text: Text) -> bool:
    """Return whether a string equals the text of its span in the body, letter by letter between the escapes of that span."""
    raw = body[text.start : text.end]
    if "\\" not in raw:
        return raw == text.says
    try:
        if _JSON.decode(f'"{raw}"') == text.says:
            return True  # parsing the span as JSON gives the string, as for most strings
    except ValueError:
        pass
    at = 0
    for piece in _ESCAPE.split(raw):
        at = text.says.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _left_over(body: str, reading: Reading) -> bool:
    """Return whether the body has words that are in no string and no literal, and that the reading did not pass
    over knowingly.
    """
    at = 0
    for start, end in sorted([(text.start, text.end) for text in reading.texts] + list(reading.skipped)):
        if _WORD.search(body, at, start):
            return True
        at = max(at, end)
    return _WORD.search(body, at) is not None


def _all_read(reading: Reading) -> bool:
    """Return whether every string of the values is among the texts that were read from the body."""
    said = [text.says for text in reading.texts]
    whole = set(said)
    sums = joined("".join(said)) if any(edit.fix in _JOINING for edit in reading.edits) else None
    return all(text in whole or (sums is not None and text in sums) for text in texts_and_keys(reading.values))


def texts_and_keys(value: Any) -> Iterator[str]:
    """Yield every text in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from _inside(value.values())
    elif isinstance(value, list | tuple):
        yield from _inside(value)


def _inside(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from texts_and_keys(value)
