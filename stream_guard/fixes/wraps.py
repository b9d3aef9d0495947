"""Refuses a body if a program broke the lines of all that it wrote, or wrote each line break twice.

A terminal or a mail program breaks a line at a width, also inside a word or a path. A proxy that joins lines may put an empty
one behind each. Where a text has line breaks of its own as they stand, the program's look like them. The lines of the whole
block show them: they have one greatest width, and between two lines of JSON stands what stands between two lines of a text.

Rule 1: a check only refuses, and looks at every line once.
Rule 2: a line is as long as it stands there, with the beginning of its member and with its indent: so the program counted.
Rule 3: a line that ends where a sentence goes on, since the next word had no room, may be its writer's: whole paragraphs are
written so. It counts only beside what no writer of JSON breaks at that width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Final, NamedTuple

from ..values.issues import JsonPath
from .forms import are_of_one_form
from .lines import names_a_long_text
from .strings import are_two_lines, is_between_lines

NARROW: Final = 30
"""The least width that shows that a body was wrapped: narrower lines may be full by chance."""

WIDTHS: Final = frozenset({40, 60, 64, 70, 72, 76, 78, 79, 80, 100, 120, 132})
"""The widths at which mail programs, terminals and encoders break lines."""

FIRST_WORD: Final = re.compile(r"\S*")
"""Matches the word that a line begins with."""

_IN_A_SENTENCE: Final = re.compile(r"[^\W\dA-Z_]\n[^\W\dA-Z_]|\d\n\d|(?:,|\w-)\n[^\WA-Z_]")
"""Matches a line break between two small letters or two figures, or after a comma or the hyphen of a word and before one of
these."""


def goes_on(before: str, after: str) -> bool:
    """Return whether a sentence or a word goes on from one line to the next."""
    before, after = before.rstrip(), after.lstrip()
    text, at = f"{before}\n{after}", len(before)
    if _IN_A_SENTENCE.search(text, max(0, at - 2), at + 2) is None or after[0].isupper():
        return False
    return not is_between_lines(text, at)


class _Break(NamedTuple):
    """A line break in a text, between two lines that are not empty."""

    before: str  # what the text has on the line
    after: str  # and on the next one
    length: int  # of the whole line, with what stands before the text
    first: bool  # whether the text begins on the line
    path: JsonPath

    def has_no_room(self, width: int) -> bool:
        """Return whether the next word would make the line longer than this width."""
        return self.length + 1 + len(FIRST_WORD.match(self.after.lstrip(" "))[0]) > width  # type: ignore[index]


def was_broken_at_a_width(body: str, texts: Mapping[tuple[int, int], JsonPath]) -> bool:
    """Return whether a program broke the lines of a body at a width, and so lines of these texts.

    If it broke them anywhere, all that it broke have the greatest width: two, or one of a usual width. Lines that end with a
    word and have no room for the next one tell of a writer who broke there.
    """
    width = max(len(line.rstrip("\r")) for line in body.split("\n"))
    if width < NARROW:
        return False
    breaks = [found for found in _breaks(body, texts) if 2 * found.length > width and _is_cut(found)]
    full = [found for found in breaks if found.length == width]
    filled = [found for found in breaks if found.has_no_room(width)]
    shorter = sum(found.length < width - 1 for found in filled)
    if len(full) > shorter and (len(full) > 1 or (width in WIDTHS and 2 * len(full[0].before) > width)):
        return True  # a single one with a long beginning of its member may be as long by chance
    return 2 * len(filled) > len(breaks) and _is_broken_beside(filled)


def _breaks(body: str, texts: Mapping[tuple[int, int], JsonPath]) -> Iterator[_Break]:
    for (start, end), path in texts.items():
        at = body.find("\n", start, end)
        begins = body.rfind("\n", 0, start) + 1
        own = start
        while at >= 0:
            behind = body.find("\n", at + 1, end)
            before = body[own:at].removesuffix("\r")
            after = body[at + 1 : behind if behind >= 0 else end].removesuffix("\r")
            if before.strip() and after.strip():
                yield _Break(before, after, own + len(before) - begins, begins < own, path)
            begins = own = at + 1
            at = behind


def _is_cut(found: _Break) -> bool:
    """Return whether a line goes on in the next one: it does not end for sure, and that has no indent.

    A line without a blank may be one of a key or of an encoded file, unless its text begins there.
    """
    if found.after[:2].isspace() or found.after[0] == "\t" or not (found.first or " " in found.before.strip()):
        return False
    last = found.before[-1]
    opens = last in _QUOTES and found.before.count(last) % 2  # `'⏎*.log'`
    if last in _CLOSERS and not opens and _BEGINS_ANEW.match(found.after) is not None:
        return False
    return not (are_of_one_form(found.before, found.after, code=False) or are_two_lines(found.before, found.after))


_QUOTES: Final = frozenset("\"'`")
"""The quotes of code."""

_CLOSERS: Final = frozenset("\"'`)]}>;")
"""The marks with which a line of code may end."""

_BEGINS_ANEW: Final = re.compile(r"[\w.\"'-]+(?:\s?[=:(]|\s*\Z)|[^\w\s,.)\-]")
"""Matches the beginning of a line of code that does not continue the line before: `x = 1`, `key:`, `f(`, or a mark."""


def _is_broken_beside(filled: Sequence[_Break]) -> bool:
    """Return whether lines without room for the next word were not broken by the writer of their text.

    The first line of a text is as full as the others if the beginning of its member counts; or a text that is no long one has
    such lines.
    """
    if len(filled) > 1 and any(found.first for found in filled):
        return True
    return any(not names_a_long_text(found.path) for found in filled)


def came_twice(body: str, texts: Sequence[tuple[int, int]]) -> bool:
    """Return whether each line break of a body stands there twice or more, so that those of its texts may be too many.

    Two that stand in texts show it, or one of them and one between two tokens. That behind an opening fence is not in the body.
    """
    if any("\r\r\n" in body[start:end] for start, end in texts):
        return True
    begins = len(body) - len(body.lstrip("\r\n"))
    found = [(run.start(), run[0].count("\n")) for run in _BREAKS.finditer(body, begins)]
    if gcd(*(count for _, count in found)) < 2:
        return False
    within = sum(start <= at < end for at, _ in found for start, end in texts)
    return within > 0 and len(found) + (begins > 0) > 1


_BREAKS: Final = re.compile(r"(?:\r?\n)+")
"""Matches line breaks with nothing between them."""
