"""The marks that open and close reasoning in a model's text.

A call in reasoning was considered and not made. So reasoning is prose, from its opener to the closer of the same kind.

Rule 1: an opener counts only at the beginning of a line, outside fences, also behind the marker of a list or the marks of bold
type. In the middle of a line it is quoted.
Rule 2: the first closer counts, wherever it stands.
Rule 3: a mark that arrives in pieces is read again with each of them; no character is read more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Reasoning = Literal["skip", "inside", "scan"]
"""How reasoning in a text is read: as prose (`skip`); as prose, and the text begins in it (`inside`); as any text (`scan`)."""

_TAGS: Final = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "seed:think",
    "mm:think",
)
PAIRS: Final = {
    **{f"<{tag}>": f"</{tag}>" for tag in _TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""Each opener, and its closer. Upper and lower case are the same."""

_MOST_BLANKS: Final = 4
"""The most blanks between the name of a tag and its bracket."""

MAX_MARK: Final = max(map(len, (*PAIRS, *PAIRS.values()))) + _MOST_BLANKS
"""The length of the longest mark."""


def _spaced(mark: str) -> str:
    """Return a pattern of a mark; there may be blanks before the bracket that ends a tag."""
    return rf"{re.escape(mark[:-1])}[ \t]{{0,{_MOST_BLANKS}}}>" if mark.startswith("<") else re.escape(mark)


ANY_CLOSER: Final = re.compile("|".join(map(_spaced, PAIRS.values())), re.IGNORECASE)
"""Any closer, for a text that begins inside reasoning."""

_BOLD: Final = "**"
"""The marks of Markdown that may stand before an opener."""

_OPENERS: Final = tuple(opener.lower() for opener in PAIRS)
_STARTS: Final = frozenset(opener[:end] for opener in _OPENERS for end in range(len(opener)))
_OPENER: Final = re.compile(rf"(?:{re.escape(_BOLD)})?(?:{'|'.join(map(_spaced, PAIRS))})", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[ \t]+")
_END_BLANKS: Final = re.compile(rf"(?<=\w)[ \t]{{1,{_MOST_BLANKS}}}\Z")
_CLOSERS: Final = {opener.lower(): re.compile(_spaced(closer), re.IGNORECASE) for opener, closer in PAIRS.items()}
FIRSTS: Final = frozenset(opener[0] for opener in PAIRS)
"""The first characters of all marks. No closer has one of them inside it."""

MAY_OPEN: Final = "|".join(
    "{}(?:\\Z|{}(?:\\Z|{}))".format(*map(re.escape, start)) for start in sorted({opener[:3].lower() for opener in PAIRS})
)
"""Matches the first three characters of an opener, or fewer at the end of a text. Most lines of HTML do not match."""


def opener_in(head: str) -> str | None:
    """Return the opener that a text begins with, as written; "" if it may still become one, None if it cannot."""
    found = _OPENER.match(head)
    if found is not None:
        return found[0]
    told = head[: MAX_MARK + len(_BOLD)].lower()
    bare = _END_BLANKS.sub("", told.removeprefix(_BOLD))
    return "" if bare in _STARTS or _BOLD.startswith(told) else None


def closer_begun(text: str) -> str:
    """Return the suffix of a text that may be the beginning of a closer; empty if there is none."""
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    return text[at:] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer that belongs to an opener."""
    return _CLOSERS[_BLANKS.sub("", opener.lower().removeprefix(_BOLD))]
