"""Quoting of the model's text in messages: as data, on one line, and shortened.

Issues, hints and prompts go back to a model. A name or a key of a block may hold anything, so none of them enters a sentence
but through here: what ends a line, steers a terminal or turns the direction of a text is escaped, and what is no plain name
stands in quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

MOST: Final = 60
"""The most characters of a name that are shown."""

_MOST_OF_A_PLACE: Final = 160
_ENDS_A_LINE: Final = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Invisible characters with an effect: controls, line ends, direction marks, halves of surrogate pairs."""
_PLAIN: Final = re.compile(r"[\w.\-/:@+$]+")


def escaped(text: str) -> str:
    """Return a text with invisible characters escaped as in JSON."""
    return _UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return a text as one line: line ends become blanks, other invisible characters are escaped."""
    return text if text.isprintable() else escaped(_ENDS_A_LINE.sub(" ", text))


def inside(text: str, most: int = MOST) -> str:
    """Return a name escaped and shortened for use between double quotes."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    if cut.isprintable() and '"' not in cut and "\\" not in cut:
        return cut
    quoted = escaped(cut.replace("\\", "\\\\").replace('"', '\\"'))
    return quoted if len(quoted) <= 2 * most else f"{quoted[: 2 * most - 1]}…"


def named(text: str) -> str:
    """Return a name for use in a sentence: quoted, unless it is a plain word."""
    return text if len(text) <= MOST and _PLAIN.fullmatch(text) and not _UNSEEN.search(text) else f'"{inside(text)}"'


def place(path: Iterable[str | int]) -> str:
    """Return a path in dotted form for use between double quotes: `("widgets", 2, "title")` is `widgets[2].title`."""
    written = ""
    for step in path:
        written += f"[{step}]" if isinstance(step, int) else f"{'.' if written else ''}{inside(step)}"
    half = _MOST_OF_A_PLACE // 2
    return written if len(written) <= _MOST_OF_A_PLACE else f"{written[:half]}…{written[-half:]}"
