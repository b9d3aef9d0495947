"""Finds marks and margins that a program put before the lines of a block, and so inside its texts.

A prompt, a diff, a quotation, a listing with numbers and a template with a margin put the same before each line, but perhaps
not before the first of the block. What stands outside of the texts is undone or refused; in a text with line breaks of its own
it looks like the text's. It shows where the line with the closing quote has it too, which nobody writes; where numbers are
those of the block's lines; and where the margin is that of the block.

Rule 1: a check only refuses, and looks at each line once.
Rule 2: what the first line of a text has too is the text's own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from typing import Final

_FIGURES: Final = re.compile(r"\d+")
_LONGEST: Final = 40
"""Limit: characters of a mark, with the blanks beside it. A time stamp with a log level has fewer."""

_NO_MARK: Final = re.compile(r"[)\]},<\\\"'`]|\*?/(?!/)")
"""Matches the beginning of a line that is code and no mark: a closing bracket, a comma, a quote, the end of a comment."""

_ENDS_A_MARK: Final = re.compile(r"[^\w\s]\s?\Z|\s\Z")
"""Matches the end of a mark: a sign, perhaps with a blank, or a blank."""

_NUMBER: Final = re.compile(r"\s*(?:[Ll](?:ine )?)?(\d{1,6})(?:([:|.)>\]])(?!\d)|\s|\Z)")
"""Matches a number before a line, and the sign or blank between the number and the line."""


def holds_line_marks(body: str, texts: Sequence[tuple[int, int]], margins: Container[str]) -> bool:
    """Return whether a text contains a mark or margin that a program put before the lines of the block, or may have lost one.

    `texts` are the places of the texts with raw line breaks, and `margins` the margins of lines that begin outside of texts.
    """
    if _counts_the_lines(body, texts):
        return True
    return any(
        _ends_behind_a_mark(lines)
        or _has_prompts(lines)
        or _goes_on_counting(lines)
        or _has_a_margin(lines, margins)
        or _is_a_diff(lines)
        or _lost_its_indents(lines)
        for start, end in texts
        if len(lines := _BREAK.split(body[start:end])) > 1
    )


_BREAK: Final = re.compile(r"\r?\n")


def _is_a_diff(lines: Sequence[str]) -> bool:
    """Return whether all lines of a text but the first begin with `+`, `-` or a blank, as those of a diff, and the first line
    does not begin as a diff does.
    """
    first, *others = lines
    signs = {line[:1] for line in others}
    return signs <= {" ", "+", "-", ""} and signs >= {"+", "-"} and _BEGINS_A_DIFF.match(first) is None


_BEGINS_A_DIFF: Final = re.compile(r"[ +-]|@@|diff |Index: |\Z")


def _ends_behind_a_mark(lines: Sequence[str]) -> bool:
    """Return whether the last line of a text, before its closing quote, is a mark with which all lines but the first begin.

    Numbers in a mark count as equal.
    """
    first, *others, last = lines
    mark = _FIGURES.sub("0", last)
    bare = mark.strip()
    held = [line for line in others if line.strip()]
    if not bare:
        return bool(last and held) and all(line.startswith(last) for line in held)
    if len(mark) > _LONGEST or _NO_MARK.match(bare) is not None or _ENDS_A_MARK.search(mark) is None:
        return False
    if first.startswith(last.rstrip()):
        return False
    if not others:
        return (mark[-1].isspace() or len(bare) == 1) and not any(map(str.isalpha, bare))
    return all(_FIGURES.sub("0", line[:_LONGEST]).startswith(mark.rstrip()) for line in others)


def _has_prompts(lines: Sequence[str]) -> bool:
    """Return whether all lines of a text but the first begin with the prompt of a shell or of mail, and the first one does not
    announce them.
    """
    first, *others = lines
    found = _PROMPT.match(others[0])
    if found is None or _PROMPT.match(first) is not None or first.rstrip().endswith(":"):
        return False
    return all(line.startswith(found[1]) for line in others)


_PROMPT: Final = re.compile(r"\s*(>{1,3}|\.{3}|->|[$%»])(?:\s|\Z)")
"""Matches a prompt at the beginning of a line: `> `, `>>> `, `... `, `$ `."""


def _goes_on_counting(lines: Sequence[str]) -> bool:
    """Return whether a text is a numbered list of which all items but the first have a margin."""
    held = [line for line in lines if line.strip()]
    items = [_ITEM.match(line) for line in held]
    if len(held) < 2 or not all(items):
        return False
    margins = [found[1] for found in items if found is not None]
    numbers = [int(found[2]) for found in items if found is not None]
    return not margins[0] and all(margins[1:]) and all(two == one + 1 for one, two in pairwise(numbers))


_ITEM: Final = re.compile(r"([ \t]*)(\d{1,4})[.)]\s")
"""Matches the margin and the number of an item."""


def _counts_the_lines(body: str, texts: Iterable[tuple[int, int]]) -> bool:
    """Return whether the lines that begin in texts are numbered as the lines of the block are.

    A numbered list of the text's own begins with one, or goes on from a number in the first line of the text. Numbers of the
    block's lines are ahead of that.
    """
    ahead = set[int]()  # the differences between the number of a line and its place in the block, counted from zero
    numbered, signed = 0, False
    line, at = 0, 0
    for start, end in texts:
        line += body.count("\n", at, start)
        at = end
        first, *others = _BREAK.split(body[start:end])
        if others and _NUMBER.match(first) is not None:
            return False
        for other in others:
            line += 1
            found = _NUMBER.match(other)
            if found is None:
                return False
            numbered, signed = numbered + 1, signed or found[2] is not None
            ahead.add(int(found[1]) - line)
            if len(ahead) > 1:
                return False
    more = ahead.pop() if ahead else 0
    return more > 0 if numbered > 1 else signed and more in (1, 2)


def _has_a_margin(lines: Sequence[str], margins: Container[str]) -> bool:
    """Return whether all lines of a text but the first have one of the block's margins, and the first line has none.

    The margin may be the text's own if the first line opens a block or an item, and the second line does not close it.
    """
    first, *others = [line for line in lines if line.strip()] or [""]
    indents = {line[: len(line) - len(line.lstrip(" \t"))] for line in others}
    margin = min(indents, key=len, default="")
    if margin not in margins or first[:1] in (" ", "\t") or not all(indent.startswith(margin) for indent in indents):
        return False
    second = others[0].removeprefix(margin)
    return _OPENS.search(first.rstrip()) is None or second[0] in " \t" or second.startswith(("}", "]", ")", "</"))


_OPENS: Final = re.compile(r"[(\[{:>,=\\&|]\Z|\A(?:[-*+>#]|\d+[.)])\s")
"""Matches a line after which the next ones may be indented: it opens a bracket or a block, continues, or is an
item of a list."""


def _lost_its_indents(lines: Sequence[str]) -> bool:
    """Return whether no line of a text is indented, although a line follows that opens a block of Python."""
    if any(line[:1] in (" ", "\t") for line in lines):
        return False
    held = [line for line in lines if line.strip()]
    return any(
        len(one) < _LONGEST_HEAD and _HEAD.match(one) is not None and _BELOW_A_HEAD.match(two) is not None
        for one, two in pairwise(held)
    )


_LONGEST_HEAD: Final = 200
"""Limit: characters of a line that is read as one that opens a block of Python."""


_HEAD: Final = re.compile(
    r"(?:async )?(?:def \w+\(.*\)(?: ?-> ?.+)?|class \w+(?:\(.*\))?|for \w.* in \S.*|while \S.*|(?:el)?if \S.*|with \S+\(.*"
    r"|except(?: [A-Z]\w+.*)?|else|try|finally):\s*\Z"
)
"""Matches a line of Python that opens a block: `if x:`, `def f():`."""

_BELOW_A_HEAD: Final = re.compile(r"(?![#\"'}\-*+>|`])")
"""Matches a line that is neither a comment nor begins with a mark: below a line that opens a block it must be indented."""
