"""Whether a program broke the lines of a body where they were full: at the width of a mail or a terminal.

`wraps.py` looks at the lines of each text; this file at those of the whole body, and at a single line break.

Rule 1: a function only tells; it changes nothing, and looks at every line once.
Rule 2: a line is full if the next word would not fit. A line that nobody wrapped is full by chance now and then, so a few full
lines show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from .strings import is_between_lines
from .wraps import FIRST_WORD, NARROW, WIDTHS

_OPENER: Final = re.compile(r"[{\[]")


def was_broken_once(body: str, texts: Iterable[tuple[int, int]]) -> bool:
    """Return whether the only line break in these strings may come from a program that keeps lines within a usual width.

    A line break that clearly ends a line of the string does not.
    """
    broken = [(start, end) for start, end in texts if "\n" in body[start:end]]
    if len(broken) != 1 or body.count("\n", *broken[0]) != 1:
        return False
    ((start, end),) = broken
    at = body.index("\n", start, end)
    if _ONE_BLANK.match(body, at - 1, end):
        return True  # nobody begins a line with one blank: the blank was between two words
    behind = body[at + 1 : end].lstrip(" ")  # the blanks before the first word came with the wrapping
    begins = body.rfind("\n", 0, at) + 1
    width = at - begins
    longest = max(map(len, body.split("\n")))
    if not (longest == width and width in WIDTHS) and not _ends_for_want_of_room(width, behind, longest):
        return False
    return at == start or not is_between_lines(body[start : at + 1] + behind, at - start)


def were_broken_at_a_width(body: str, texts: Sequence[tuple[int, int]]) -> bool:
    """Return whether several line breaks in these strings, each with the same margin after it, are where a line was full.

    Line breaks between two tokens do not count: the body may have had lines of its own before it was wrapped.
    """
    breaks, shown_before = 0, set[str]()
    for found in (found for start, end in texts for found in MARGIN.finditer(body, start, end) if found.end() < end):
        breaks += 1
        shown_before.add(found[1])
        if len(shown_before) > 2:
            return False  # most code ends here, with its third line
    margins = sorted(shown_before, key=len)
    if breaks < _BROKEN or not {margins[0], f"{margins[0]} "}.issuperset(margins):
        return False
    lines = [_Line.ended_by(found) for found in _BREAK.finditer(body)]
    spans = iter(texts)
    start, end = next(spans)
    for line in lines:
        while end <= line.end and (start, end) != texts[-1]:
            start, end = next(spans)
        line.inside = start <= line.end and line.begins < end
    indent = len(margins[0])
    if not any(line.inside and line.splits(body) for line in lines):
        return False
    return any(_are_full(body, lines, indent, shown) for shown in {0, indent})


class _Line:
    """A line of a body, up to the break that ends it."""

    __slots__ = ("begins", "behind", "end", "filled", "inside", "word")

    def __init__(self, end: int, filled: int, behind: int, begins: int, word: int) -> None:
        self.end: Final = end  # where the last word of the line ends
        self.filled: Final = filled  # where the blanks after that word end
        self.behind: Final = behind  # where the next line begins
        self.begins: Final = begins  # where the first word of the next line begins
        self.word: Final = word  # the length of that first word
        self.inside = False  # whether the line break is in a text

    @classmethod
    def ended_by(cls, found: re.Match[str]) -> _Line:
        """Return the line that ends at this match of `_BREAK`."""
        word = FIRST_WORD.match(found.string, found.end())
        assert word is not None  # it may be empty
        return cls(found.start(), found.start(1), found.end(1), found.end(), word.end() - word.start())

    def splits(self, body: str) -> bool:
        """Return whether the line break is inside a sentence: between two of its words, or inside a word."""
        return (body[self.end - 1].isalnum() or body[self.end - 1] == ",") and body[self.begins].islower()


def _are_full(body: str, lines: Sequence[_Line], indent: int, shown: int) -> bool:
    """Return whether each line that ends in a string is full: the next word would not fit, or all such lines are equally long.

    `indent` is the length of the margin before a line that begins in a text; `shown` is how much of the margin counts as width.
    """
    words: list[int] = []
    places: list[int] = []
    begin, taken = 0, 0
    for line in lines:
        words.append(line.end - begin + taken)
        places.append(line.filled - begin + taken)
        begin, taken = (line.behind + indent, shown) if line.inside else (line.behind, 0)
    width = max(*words, len(body) - begin + taken)
    ended = [index for index, line in enumerate(lines) if line.inside]
    if width < NARROW:
        return False
    return all(words[index] + 1 + lines[index].word > width for index in ended) or len({places[index] for index in ended}) == 1


_BROKEN: Final = 2
"""The fewest breaks in strings that show that a body was wrapped."""

_BREAK: Final = re.compile(r"(?<![ \t])[ \t]*((?:\r\n|[\n\r\x0b\x0c])+)([\s>|]*)")
"""Matches line breaks, with the blanks before them and the margin after them. It is slower than `MARGIN`."""

MARGIN: Final = re.compile(r"[\n\r\x0b\x0c]+([\s>|]*)")
"""Matches line breaks with the margin after them."""


def _ends_for_want_of_room(length: int, behind: str, longest: int) -> bool:
    """Return whether a line ends because the next word would not fit into the usual width of a mail or a terminal.

    `longest` is the length of the longest line, which fits.
    """
    word = FIRST_WORD.match(behind)
    if word is None or not word[0].islower():
        return False
    return any(longest <= width <= length + word.end() for width in _OF_TERMINALS)


_ONE_BLANK: Final = re.compile(r"[^\W_]\n [^\W_]")
"""Matches a line break and one blank between two words."""

_OF_TERMINALS: Final = frozenset({70, 72, 76, 78, 79, 80})
"""The widths at which mail programs and terminals break lines between words."""


def was_wrapped(body: str) -> bool:
    """Return whether a program wrapped the lines of a body at a fixed width.

    Text around the call, on its first line or after it, may have been added later.
    """
    begins = [found.start() for found in islice(_OPENER.finditer(body), AROUND)] or [0]
    whole = body[: max(body.rfind("}"), body.rfind("]")) + 1] or body
    closing = whole.find("\n", len(whole.rstrip(" \t\r\n}],)")))
    ends = {whole, whole[:closing] if closing >= 0 else whole}
    return any(fill_a_width(end[start:].strip("\n").split("\n")) for start in begins for end in ends)


AROUND: Final = 3
"""Limit: the first brackets of a body that are tried as the beginning of the block: that of a list, of an
envelope, of a call."""


def fill_a_width(lines: list[str]) -> bool:
    """Return whether all lines break after the same number of characters, or each is filled until no other word fits.

    A word that is longer than the width fills a line by itself, as JSON without blanks does.
    """
    if len(lines) > 2 and len(lines[0]) >= NARROW and all(len(line) == len(lines[0]) for line in lines[:-1]):
        return True
    width = max((len(line) for line in lines if " " in line.rstrip(" ")), default=0)
    words = sum(len(line) > width for line in lines)
    if width < NARROW and not any(map(_ENDS_WITH_A_KEY.search, lines)):
        return False
    # one that ends behind the first word of a text shows as much as another line does
    first = len(lines) == _MANY_LINES - 1 and len(lines[0]) > width
    first = first and all(one[-1:].isalnum() and two[:1].islower() for one, two in pairwise(lines))
    if (len(lines) < _MANY_LINES and not first) or 2 * words > len(lines):
        return False
    return all(len(line) + 1 + len(FIRST_WORD.match(after.lstrip(" "))[0]) > width for line, after in pairwise(lines))  # type: ignore[index]


_MANY_LINES: Final = 4
"""The fewest lines that show that a body was wrapped: fewer may be full by chance."""

_ENDS_WITH_A_KEY: Final = re.compile(r"[\"'`“”]:\Z")
"""Matches a line that ends between a key and its value. Nobody writes such lines: they show wrapping at any width."""
