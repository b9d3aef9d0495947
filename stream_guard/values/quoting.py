"""Quoting of the model's text in messages: as data, on one line, and shortened.

Issues, hints and prompts go back to a model. A name or a key of a block may contain anything, so each is quoted here before it
enters a sentence: characters that end a line, control a terminal or change the direction of text are escaped, and anything but
a plain name is put in quotes.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from typing import Final

from .late import late

MOST: Final = 60
"""The most characters of a name that are shown."""

_MOST_OF_A_PLACE: Final = 160
"""The most characters of a path that are shown, half from each end."""

_ENDS_A_LINE: Final = late("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_NOT_ASCII: Final = late(r"[^\x20-\x7e]")
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)
"""Characters that Python calls printable although they are invisible."""

_PLAIN: Final = late(r"[\w.\-/:@+$]+")


def escaped(text: str) -> str:
    """Return a text with invisible characters escaped as in JSON."""
    if text.isascii() and text.isprintable():
        return text
    return _NOT_ASCII.sub(lambda match: match[0] if _shows(match[0]) else json.dumps(match[0])[1:-1], text)


def _shows(char: str) -> bool:
    """Return whether a character is visible or a blank: not a control, a direction mark, a filler or unassigned."""
    return char not in _FILLERS and (char.isprintable() or unicodedata.category(char) == "Zs")


def seen(text: str) -> str:
    """Return a text as a person sees it: without invisible characters, and with one blank for each run of blanks."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(_NOT_ASCII.sub(lambda match: match[0] if match[0].isspace() or _shows(match[0]) else "", text).split())


def one_line(text: str) -> str:
    """Return a text as one line: line ends become blanks, other invisible characters are escaped."""
    return escaped(_ENDS_A_LINE.sub(" ", text))


def inside(text: str, most: int = MOST) -> str:
    """Return a name escaped and shortened for use between double quotes."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    quoted = escaped(cut.replace("\\", "\\\\").replace('"', '\\"'))
    return quoted if len(quoted) <= 2 * most else f"{quoted[: 2 * most - 1]}…"


def named(text: str) -> str:
    """Return a name for use in a sentence: quoted, unless it is a plain word."""
    return text if len(text) <= MOST and _PLAIN.fullmatch(text) and escaped(text) == text else f'"{inside(text)}"'


def place(path: Iterable[str | int]) -> str:
    """Return a path in dotted form for use between double quotes: `("widgets", 2, "title")` is `widgets[2].title`."""
    written = ""
    for step in path:
        written += f"[{step}]" if isinstance(step, int) else f"{'.' if written else ''}{inside(step)}"
    half = _MOST_OF_A_PLACE // 2
    return written if len(written) <= _MOST_OF_A_PLACE else f"{written[:half]}…{written[-half:]}"
