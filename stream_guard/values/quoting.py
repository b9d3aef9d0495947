"""How what a model wrote may stand in a sentence of ours: as data, on one line, and short.

Issues, hints and prompts go back to a model. A name or a key of a block may hold anything, so none of them enters a sentence
but through here: what ends a line, steers a terminal or turns the direction of a text is escaped, and what is no plain name
stands in quotes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MOST: Final = 60
"""So many characters of a name are shown."""

_MOST_OF_A_PLACE: Final = 160
_ENDS_A_LINE: Final = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e]")
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)
"""What counts as printable, and shows nothing."""

_PLAIN: Final = re.compile(r"[\w.\-/:@+$]+")


def escaped(text: str) -> str:
    """A text with all that is not to be seen written as JSON escapes it."""
    if text.isascii() and text.isprintable():
        return text
    return _NOT_ASCII.sub(lambda found: found[0] if _shows(found[0]) else json.dumps(found[0])[1:-1], text)


def _shows(char: str) -> bool:
    """Whether a character is seen, or is a blank: no control, no mark of direction, no filler, nothing without a glyph."""
    return char not in _FILLERS and (char.isprintable() or unicodedata.category(char) == "Zs")


def one_line(text: str) -> str:
    """A text as one line: its ends of lines are blanks, and what else is not to be seen is escaped."""
    return escaped(_ENDS_A_LINE.sub(" ", text))


def inside(text: str, most: int = MOST) -> str:
    """A name as it may stand between double quotes."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    made = escaped(cut.replace("\\", "\\\\").replace('"', '\\"'))
    return made if len(made) <= 2 * most else f"{made[: 2 * most - 1]}…"


def named(text: str) -> str:
    """A name as it may stand in a sentence: in quotes, if it is no plain one."""
    return text if len(text) <= MOST and _PLAIN.fullmatch(text) and escaped(text) == text else f'"{inside(text)}"'


def place(path: Iterable[str | int]) -> str:
    """A place as it may stand between double quotes: `("widgets", 2, "title")` is `widgets[2].title`."""
    made = ""
    for step in path:
        made += f"[{step}]" if isinstance(step, int) else f"{'.' if made else ''}{inside(step)}"
    half = _MOST_OF_A_PLACE // 2
    return made if len(made) <= _MOST_OF_A_PLACE else f"{made[:half]}…{made[-half:]}"
