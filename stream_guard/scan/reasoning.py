"""The marks that open and close reasoning in a model's text, and results of tools and turns that a model writes itself.

A call in reasoning was considered and not made, and one in a result or in what a user says was quoted. So all are prose, from
the opener to the closer of the same kind. Those of results and turns are in `dialects/turns.py`; of reasoning there is a table
here, and a shape: a tag or a special token that says think, thought or reasoning, with whatever before and behind it.

Rule 1: an opener counts only at the beginning of a line, outside fences, also behind the marker of a list or the marks of bold
type. In the middle of a line it is quoted.
Rule 2: the first closer counts, wherever it stands.
Rule 3: a mark that arrives in pieces is read again with each of them; no character is read more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from ..dialects.turns import K2, LOCAL, LONGEST_SUFFIX, MOST_BLANKS, RESULTS, SHAPED_TAG, TAGS, THINK, TURNS

Reasoning = Literal["skip", "inside", "scan"]
"""How reasoning in a text is read: as prose (`skip`); as prose, and the text begins in it (`inside`); as any text (`scan`)."""

PAIRS: Final = {
    **{f"<{tag}>": f"</{tag}>" for tag in TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|channel>thought": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|think|>": "<|end|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "[unused16]": "[unused17]",
    **{f"{before}<|content_thinking|>": "<|end_message|>" for before in ("", "<|message_model|>")},
}
"""Each opener of reasoning, and its closer. Upper and lower case are the same."""

_ALL: Final = {opener: (closer,) for opener, closer in PAIRS.items()} | dict(RESULTS) | dict(TURNS)

_PLAIN: Final = re.compile(r"</?\w+>")
"""Matches a mark that some models write with a suffix behind its name: `<think:opensource>`."""

_LONGEST_SHAPED: Final = 128
"""No mark that is known by its shape is longer."""

MAX_MARK: Final = max(
    _LONGEST_SHAPED,
    max(map(len, (*_ALL, *(closer for closers in _ALL.values() for closer in closers)))) + MOST_BLANKS + 1 + LONGEST_SUFFIX,
)
"""The length of the longest mark."""

_PART: Final = r"[\w.:\u2581-]{0,24}"
_OF_REASONING: Final = r"(?:think|thought|reason)(?![a-z]*(?:er|able|s?ful)(?![a-z]))"


def _token(word: str) -> str:
    """Return the shape of a special token of reasoning that has this word in its name, behind its first bracket."""
    before = rf"{word}[_\u2581](?:of[_\u2581])?{_OF_REASONING}"
    behind = rf"{_OF_REASONING}[a-z]{{0,4}}[_\u2581]{word}"
    return rf"(?P<bar_{word}>[|\uff5c]){_PART}(?:{before}|{behind}){_PART}(?P=bar_{word})>"


_SHAPED: Final = rf"<(?:{SHAPED_TAG}|{_token('begin')}|{_token('start')})"
_SHAPED_END: Final = rf"<(?:/{SHAPED_TAG}|{_token('end')})"
_BEGUN_SHAPED: Final = re.compile(
    r"<(?:[\w.-]{0,24}"
    rf"|(?:[\w.-]{{1,24}}[:|])?(?:{'|'.join(sorted({word[:end] for word in THINK for end in range(len(word))}))}"
    rf"|{LOCAL}(?:[_-][\w-]{{0,24}})?(?::[\w.-]{{0,{LONGEST_SUFFIX}}})?[ \t]{{0,{MOST_BLANKS}}})"
    r"|[|\uff5c][\w.:\u2581-]{0,90}[|\uff5c]?)",
    re.IGNORECASE,
)
"""Matches the whole of a text that may be the beginning of one of those."""


def _spaced(mark: str) -> str:
    """Return a pattern of a mark; there may be blanks before the bracket that ends a tag."""
    return rf"{re.escape(mark[:-1])}[ \t]{{0,{MOST_BLANKS}}}>" if mark[-1] == ">" else re.escape(mark)


def _inner(pattern: str) -> str:
    """Return the pattern of a mark; there may be blanks before the second token in it."""
    return re.sub(r"(?<=[a-z])<", rf"[ \\t]{{0,{MOST_BLANKS}}}<", pattern)


def _any_suffix(mark: str) -> str:
    """Return the same with any suffix, or none."""
    if _PLAIN.fullmatch(mark) is None:
        return _inner(_spaced(mark))
    return rf"{re.escape(mark[:-1])}(?::[\w.-]{{1,{LONGEST_SUFFIX}}})?[ \t]{{0,{MOST_BLANKS}}}>"


ANY_CLOSER: Final = re.compile("|".join((*map(_any_suffix, PAIRS.values()), _SHAPED_END)), re.IGNORECASE)
"""Any closer, for a text that begins inside reasoning."""

_BOLD: Final = "**"
"""The marks of Markdown that may stand before an opener."""

_OPENERS: Final = tuple(opener.lower() for opener in _ALL)
_STARTS: Final = frozenset(opener[:end] for opener in _OPENERS for end in range(len(opener)))
_OPENER: Final = re.compile(rf"(?:{re.escape(_BOLD)})?(?:{'|'.join(map(_any_suffix, _ALL))}|{_SHAPED})", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[ \t]+")
_BEGIN: Final = re.compile(r"(?<![a-z])(?:begin|start)(?![a-z])")
_SUFFIX: Final = re.compile(rf"(?<=\w):[\w.-]{{1,{LONGEST_SUFFIX}}}(?=>)")
_BEGUN_SUFFIX: Final = re.compile(
    rf"(?:{'|'.join(re.escape(opener[:-1]) for opener in _OPENERS if _PLAIN.fullmatch(opener))})"
    rf":(?:[\w.-]{{1,{LONGEST_SUFFIX}}}[ \t]{{0,{MOST_BLANKS}}})?"
)
_INNER_BLANKS: Final = re.compile(rf"(?<=\w)[ \t]{{1,{MOST_BLANKS}}}(?=<|\Z)")
_CLOSERS: Final = {
    **{opener.lower(): re.compile("|".join(map(_spaced, closers)), re.IGNORECASE) for opener, closers in _ALL.items()},
    **dict.fromkeys(  # the model mixes them up
        (f"<{tag}>" for tag in K2), re.compile("|".join(_spaced(f"</{tag}>") for tag in K2), re.IGNORECASE)
    ),
}
FIRSTS: Final = frozenset(opener[0] for opener in _ALL)
"""The first characters of all marks."""

_HEADS: Final = tuple(
    {closer[:at] for closers in _ALL.values() for closer in closers for at in range(1, len(closer)) if closer[at] in FIRSTS}
)
"""What stands in a closer before such a character inside it."""

MAY_OPEN: Final = "|".join(
    (
        *("{}(?:\\Z|{}(?:\\Z|{}))".format(*map(re.escape, start)) for start in sorted({opener[:3].lower() for opener in _ALL})),
        r"<[\w.-]{1,24}(?:\Z|[:|](?:\Z|[tr]))",
    )
)
"""Matches the first three characters of an opener, or fewer at the end of a text. Most lines of HTML do not match."""


def opener_in(head: str) -> str | None:
    """Return the opener that a text begins with, as written; "" if it may still become one, None if it cannot."""
    found = _OPENER.match(head)
    if found is not None:
        return found[0]
    told = head[: MAX_MARK + len(_BOLD)].lower()
    bare = told.removeprefix(_BOLD)
    begun = (
        _INNER_BLANKS.sub("", bare) in _STARTS
        or _BOLD.startswith(told)
        or _BEGUN_SUFFIX.fullmatch(bare) is not None
        or _BEGUN_SHAPED.fullmatch(bare) is not None
    )
    return "" if begun else None


def closer_begun(text: str) -> str:
    """Return the suffix of a text that may be the beginning of a closer; empty if there is none."""
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    head = next((head for head in _HEADS if at > 0 and text[:at].lower().endswith(head)), "")
    return text[at - len(head) :] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer that belongs to an opener: one with its suffix, if it has one."""
    told = _BLANKS.sub("", opener.lower().removeprefix(_BOLD))
    known = _CLOSERS.get(told)
    if known is not None:
        return known
    suffix = _SUFFIX.search(told)
    if suffix is not None and _SUFFIX.sub("", told) in _CLOSERS:
        return _suffixed(_SUFFIX.sub("", told), suffix[0])
    return _shaped(told)


@lru_cache(maxsize=64)
def _shaped(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer of an opener that is known by its shape: the same with `/`, or with `end` in it."""
    if opener[1] in "|\uff5c":
        return re.compile(re.escape(_BEGIN.sub("end", opener)), re.IGNORECASE)
    return re.compile(_spaced(f"</{opener[1:]}"), re.IGNORECASE)


@lru_cache(maxsize=64)
def _suffixed(opener: str, suffix: str) -> re.Pattern[str]:
    """Return the pattern of the closer of an opener, with a suffix."""
    closer = next(_ALL[mark][0] for mark in _ALL if mark.lower() == opener)
    return re.compile(_spaced(f"{closer[:-1]}{suffix}>"), re.IGNORECASE)
