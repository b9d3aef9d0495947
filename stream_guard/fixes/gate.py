"""The gate behind every repair, whoever made it: nothing that the model did not write, and nothing of it left out.

It knows nothing of how a body was read. It is given what the reading says it took from where, and looks for itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..values.surrogates import joined
from .reading import Reading, Text

_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|\r?\n|.|\Z)", re.DOTALL)
_JSON: Final = json.JSONDecoder(strict=False)
_WORD: Final = re.compile(r"\w")


def holds(body: str, reading: Reading) -> bool:
    """Whether every string stands in the body as it is, and no word of the body is left over."""
    return all(_stands(body, text) for text in reading.texts) and not _left_over(body, reading) and _all_read(reading)


def _stands(body: str, text: Text) -> bool:
    """Provenance: between its escapes, a string says letter by letter what stands in its span."""
    raw = body[text.start : text.end]
    if "\\" not in raw:
        return raw == text.says
    try:
        if _JSON.decode(f'"{raw}"') == text.says:
            return True  # JSON says so, and of most strings it does
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
    """Conservation: outside of strings, literals and what was knowingly passed over there are no words."""
    at = 0
    for start, end in sorted([(text.start, text.end) for text in reading.texts] + list(reading.skipped)):
        if _WORD.search(body, at, start):
            return True
        at = max(at, end)
    return _WORD.search(body, at) is not None


def _all_read(reading: Reading) -> bool:
    """Every string of the values was read from somewhere."""
    said = [text.says for text in reading.texts]
    whole, sums = set(said), joined("".join(said))
    summed = any(edit.fix in ("concatenation", "parenthesis") for edit in reading.edits)
    return all(text in whole or (summed and text in sums) for text in texts(reading.values))


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from _inside(value.values())
    elif isinstance(value, list | tuple):
        yield from _inside(value)


def _inside(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from texts(value)
