"""The marks that open and close reasoning in a model's text, and results of tools and turns that a model writes itself.

A call in reasoning was considered and not made, and a call in a result or in a user's turn is quoted. So all are prose, from
the opener to the closer of the same kind. Those of results and turns are in `dialects/turns.py`; those of reasoning are in a
table here, and are also recognised by a shape: a tag or a special token that says think, thought or reasoning, with any text
before and after the word.

Rule 1: an opener counts at the beginning of a line, outside fences, also after the marker of a list or the marks of bold type.
In the middle of a line it counts directly after a special token, as templates write it after the end of a turn. The opener of a
turn or a result that is one special token also counts at the end of a line. At any other place of a line, and in inline code,
an opener is quoted. An opener made of words counts as the first thing in a reply alone.
Rule 2: the first closer counts, wherever it stands; one made of words at the beginning of a line.
Rule 3: a mark that arrives in pieces is read again with each of them; no character is read more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache, partial
from typing import Final, Literal

from ..dialects.turns import ATTRIBUTES, K2, LOCAL, LONGEST_SUFFIX, MOST_BLANKS, RESULTS, SHAPED_TAG, TAGS, THINK, TURNS
from ..values.late import late

Reasoning = Literal["skip", "inside", "scan"]
"""How reasoning in a text is read: as prose (`skip`); as prose, and the text begins in it (`inside`); as any text (`scan`)."""

PAIRS: Final = {
    **{f"<{tag}>": f"</{tag}>" for tag in TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    **{f"{before}<|channel|>analysis<|message|>": "<|end|>" for before in ("", "<|start|>assistant")},
    "<|channel>thought": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|think|>": "<|end|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "[unused16]": "[unused17]",
    **{f"{before}<|content_thinking|>": "<|end_message|>" for before in ("", "<|message_model|>")},
}
"""Each opener of reasoning, with its closer. Upper and lower case are the same."""

HEADERS: Final = (
    "<|start|>assistant<|message|>",
    *(
        f"{before}<|channel|>{channel}<|message|>"
        for before in ("", "<|start|>assistant")
        for channel in ("final", "commentary")
    ),
)
"""The headers of messages of the model that are neither reasoning nor a call. A line begins after such a header."""

_FOLDED: Final = {'<details type="reasoning">': ("</details>",)}
"""The mark of reasoning as a web page shows it. Its closer ends no other reasoning."""

ASIDES: Final[Mapping[str, tuple[str, ...]]] = {
    **{opener: (closer,) for opener, closer in PAIRS.items()},
    **{f"<{tag}>": tuple(f"</{one}>" for one in dict.fromkeys((tag, *K2))) for tag in K2},  # the model mixes them up
    **_FOLDED,
    **RESULTS,
    **TURNS,
}
"""Each opener of text that counts as prose, with its closers. `adapters/js/src/marks.js` is printed from it."""

_ALL: Final[Mapping[str, tuple[str, ...]]] = {**ASIDES, **dict.fromkeys(HEADERS, ("",))}

_PLAIN: Final = re.compile(r"</?\w+>")
"""Matches a tag of one word, as some models write it with a suffix: `<think:opensource>`."""

_LONGEST_SHAPED: Final = 128
"""The length of the longest mark that is recognised by its shape."""

MAX_MARK: Final = max(
    _LONGEST_SHAPED,
    max(map(len, (*_ALL, *(closer for closers in _ALL.values() for closer in closers)))) + MOST_BLANKS + 1 + LONGEST_SUFFIX,
)
"""The length of the longest mark."""

_PART: Final = r"[\w.:\u2581-]{0,24}"
_OF_REASONING: Final = r"(?:think|thought|reason)(?![a-z]*(?:er|able|s?ful)(?![a-z]))"


def _token(word: str) -> str:
    """Return the pattern of a special token of reasoning with this word in its name, without its first bracket."""
    before = rf"{word}[_\u2581](?:of[_\u2581])?{_OF_REASONING}"
    behind = rf"{_OF_REASONING}[a-z]{{0,4}}[_\u2581]{word}"
    return rf"(?P<bar_{word}>[|\uff5c]){_PART}(?:{before}|{behind}){_PART}(?P=bar_{word})>"


SHAPES: Final = (SHAPED_TAG, _token("begin"), _token("start"))
"""The patterns of other openers of reasoning, without their first bracket."""

_SHAPED: Final = rf"<(?:{'|'.join(SHAPES)})"
_SHAPED_END: Final = rf"<(?:/{SHAPED_TAG}|{_token('end')})"
_BEGUN_ATTRIBUTE: Final = r"""[ \t]{1,2}[a-z][\w:-]{0,15}(?:=(?:"[^"<>\r\n]{0,20}|'[^'<>\r\n]{0,20}|[\w.-]{0,20})?)?"""
_BEGUN_SHAPED: Final = late(
    r"<(?:[\w.-]{0,24}"
    rf"|(?:[\w.-]{{1,24}}[:|])?(?:{'|'.join(sorted({word[:end] for word in THINK for end in range(len(word))}))}"
    rf"|{LOCAL}(?:[_-][\w-]{{0,24}})?(?::[\w.-]{{0,{LONGEST_SUFFIX}}})?[ \t]{{0,{MOST_BLANKS}}}"
    rf"|{LOCAL}(?:{ATTRIBUTES}[ \t]{{0,{MOST_BLANKS}}}|(?:{ATTRIBUTES.removesuffix('{1,2}')})?{_BEGUN_ATTRIBUTE}))"
    r"|[|\uff5c][\w.:\u2581-]{0,90}[|\uff5c]?)",
    re.IGNORECASE,
)
"""Matches a text that is wholly the beginning of an opener with such a shape."""


def _spaced(mark: str) -> str:
    """Return a pattern of a mark that allows blanks before the bracket that ends a tag."""
    return rf"{re.escape(mark[:-1])}[ \t]{{0,{MOST_BLANKS}}}>" if mark.endswith(">") else re.escape(mark)


def _any_spaced(marks: Iterable[str]) -> str:
    """Return a pattern of any of these marks, each with blanks as in `_spaced`."""
    return "|".join(map(_spaced, marks))


def _inner(pattern: str) -> str:
    """Return the pattern of a mark with blanks allowed before the second token in it."""
    return re.sub(r"(?<=[a-z])<", rf"[ \\t]{{0,{MOST_BLANKS}}}<", pattern)


def _any_suffix(mark: str) -> str:
    """Return the pattern of a mark with any suffix allowed: `<think:opensource>`."""
    if _PLAIN.fullmatch(mark) is None:
        return _inner(_spaced(mark))
    return rf"{re.escape(mark[:-1])}(?::[\w.-]{{1,{LONGEST_SUFFIX}}})?[ \t]{{0,{MOST_BLANKS}}}>"


@cache  # the long patterns are built when they are first used
def _any_closer() -> str:
    """Return a pattern of any closer of reasoning."""
    return "|".join((*map(_any_suffix, PAIRS.values()), _SHAPED_END))


ANY_CLOSER: Final = late(_any_closer, re.IGNORECASE)
"""Matches any closer, for a text that begins inside reasoning."""

_MY: Final = r"Here(?:[ ]is|['\u2019]s)[ ]my[ ]"
_OF_REPLY: Final = re.compile(rf"{_MY}thought[ ]process:|/think(?=(?:[ ]{{0,{MOST_BLANKS}}}|\t)[\r\n])", re.IGNORECASE)
"""Matches an opener made of words: `Here is my thought process:`. It counts only as the first text of a reply."""

_PROCESS: Final = "thought process:"
_BEGUN_REPLIES: Final = frozenset(
    opener[:end]
    for opener in (
        *(f"here{word} my {_PROCESS}" for word in (" is", "'s", "\u2019s")),
        *(f"/think{blanks}" for blanks in ("", " ", "  ", "   ", "    ", "\t")),
    )
    for end in range(len(opener) + 1)
)
"""Every beginning of such an opener: while a reply begins so, more of it must be read."""

_RESPONSE: Final = rf"[\r\n][ \t]*(?:\*\*)?{_MY}response:"
_RESPONSES: Final = late(_RESPONSE, re.IGNORECASE)
RESPONSE_OR_CLOSER: Final = late(lambda: f"{_RESPONSE}|{_any_closer()}", re.IGNORECASE)
"""Matches any closer, for a text that begins with an opener made of words: also the line `Here is my response:`."""

ANY_CLOSERS: Final = (ANY_CLOSER, RESPONSE_OR_CLOSER)
"""The two patterns of any closer."""

LONGEST_RESPONSE: Final = 64
"""The number of characters that are kept to find a closer made of words, with the line end before it."""

_BOLD: Final = "**"
"""The marks of bold type in Markdown, which may precede an opener."""

_OPENERS: Final = tuple(opener.lower() for opener in _ALL)
_STARTS: Final = frozenset(opener[:end] for opener in _OPENERS for end in range(len(opener)))


@cache
def _any_opener() -> str:
    """Return a pattern of any opener, also after the marks of bold type."""
    return rf"(?:{re.escape(_BOLD)})?(?:{'|'.join(map(_any_suffix, _ALL))}|{_SHAPED})"


_OPENER: Final = late(_any_opener, re.IGNORECASE)
_BLANKS: Final = re.compile(r"[ \t]+")
_BEGIN: Final = late(r"(?<![a-z])(?:begin|start)(?![a-z])")
_SUFFIX: Final = late(rf"(?<=\w):[\w.-]{{1,{LONGEST_SUFFIX}}}(?=>)")
_ATTRIBUTES: Final = late(rf"(?<=\w){ATTRIBUTES}(?=[ \t]*>)", re.IGNORECASE)
_BEGUN_SUFFIX: Final = late(
    lambda: (
        rf"(?:{'|'.join(re.escape(opener[:-1]) for opener in _OPENERS if _PLAIN.fullmatch(opener))})"
        rf":(?:[\w.-]{{1,{LONGEST_SUFFIX}}}[ \t]{{0,{MOST_BLANKS}}})?"
    )
)
_INNER_BLANKS: Final = late(rf"(?<=\w)[ \t]{{1,{MOST_BLANKS}}}(?=<|\Z)")
_CLOSERS: Final = {
    _BLANKS.sub("", opener.lower()): late(partial(_any_spaced, closers), re.IGNORECASE) for opener, closers in _ALL.items()
}
SPECIAL: Final = (
    r"<(?:(?P<token>[|\uff5c])[^<>|\uff5c\s]{1,48}(?P=token)|[^<>|\uff5c\s]{1,24}\||/s|seed:[be]os|eos|end_of_\w{1,16})>"
)
"""A pattern for a special token that may end a turn: `<|im_end|>`, `</s>`."""

ONE_TOKEN: Final = tuple(
    opener
    for opener in (*RESULTS, *TURNS)
    if opener.count("<") == 1 and opener[1] == opener[-2] and opener[-2] in "|\uff5c" and opener[-1] == ">"
)
"""The openers of turns and results that are one special token."""

_LAST: Final = rf"(?:{'|'.join(map(re.escape, ONE_TOKEN))})[ \t]{{0,{MOST_BLANKS}}}(?=[\r\n])"
_BEHIND_TOKEN: Final = late(SPECIAL + rf"[ \t]{{0,{MOST_BLANKS}}}", re.IGNORECASE)
_LAST_OF_LINE: Final = late(_LAST, re.IGNORECASE)
_GLUED: Final = late(lambda: rf"{SPECIAL}[ \t]{{0,{MOST_BLANKS}}}(?P<behind>{_any_opener()})|(?P<last>{_LAST})", re.IGNORECASE)
BEGINS_TOKEN: Final = late(r"<(?:\Z|[|\uff5c]|/(?:\Z|s(?:\Z|>))|[es](?:\Z|[noe])|[^\s<>|\uff5c]{1,24}(?:\Z|\|))")
"""Matches the beginning of a special token, or less of it at the end of a text. It matches few tags of HTML."""

_BEGUN_TOKEN: Final = late(
    r"<(?:[|\uff5c][^<>|\uff5c\s]{0,48}[|\uff5c]?|/s?|[^<>|\uff5c\s]{1,24}\|?)?|<(?:end_of_\w{0,16}|seed:\w{0,3})",
    re.IGNORECASE,
)
"""Matches a text that is wholly the beginning of a special token."""

MAX_GLUED: Final = MAX_MARK + 64
"""The greatest length of a special token with an opener after it."""

_LOWER_TOKENS: Final = frozenset(opener.lower() for opener in ONE_TOKEN)
_TICKS: Final = late(r"`+")

FIRSTS: Final = frozenset(opener[0] for opener in _ALL)
"""The first characters of all marks."""

_HEADS: Final = tuple(
    {closer[:at] for closers in _ALL.values() for closer in closers for at in range(1, len(closer)) if closer[at] in FIRSTS}
)
"""For closers with such a character inside: the part of the closer before that character."""

ASIDES_BEGIN: Final = frozenset(opener[:3] for opener in _OPENERS)
"""The first three characters of each opener, compared before a line is read as one that may begin with an opener. Few lines of
HTML match."""

MAY_OPEN: Final = r"<[\w.-]{1,24}(?:\Z|[:|](?:\Z|[tr]))"
"""Matches the first characters of an opener that is recognised by its shape, or less of them at the end of a text."""


def opener_in(head: str) -> str | None:
    """Return the opener with which a text begins, as written; "" if the text may still become one, None if it cannot."""
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


def opener_of_reply(text: str, pos: int) -> str | None:
    """Return the opener made of words with which a reply begins at `pos`; "" if the text may still become one, None if it
    cannot.
    """
    found = _OF_REPLY.match(text, pos)
    if found is not None:
        return found[0]
    return "" if text[pos : pos + LONGEST_RESPONSE].lower() in _BEGUN_REPLIES else None


def begins_text(opener: str) -> bool:
    """Return whether an opener is the header of a message of text, which has no closer."""
    return _BLANKS.sub("", opener.lower().removeprefix(_BOLD)) in HEADERS


def glued_in(head: str) -> tuple[str, int] | None:
    """Return the opener with which a text inside a line begins, and where the opener ends; None if there is no opener.

    Such an opener follows a special token, or ends its line. It is returned as "" if more must be read.
    """
    found = _LAST_OF_LINE.match(head)
    if found is not None:
        return found[0].rstrip(" \t"), found.end()
    token = _BEHIND_TOKEN.match(head)
    opener = opener_in(head[token.end() :]) if token is not None else None
    if token is not None and opener:
        return opener, token.end() + len(opener)
    waits = opener == "" or head.rstrip(" \t").lower() in _LOWER_TOKENS or _BEGUN_TOKEN.fullmatch(head) is not None
    return ("", 0) if waits and len(head) < MAX_GLUED else None


def left_open(line: str) -> str | None:
    """Return the opener inside a line that is still open where the line ends; None if there is none.

    An opener after an odd number of runs of backticks is in inline code.
    """
    pos = 0
    while (found := _GLUED.search(line, pos)) is not None:
        pos = found.end()
        if sum(len(run) < 3 for run in _TICKS.findall(line, pos)) % 2:
            continue
        opener = found["behind"] or found["last"].rstrip(" \t")
        closer = closer_of(opener).search(line, pos)
        if closer is None:
            return opener
        pos = closer.start()
    return None


def closer_begun(text: str, closer: re.Pattern[str] = ANY_CLOSER) -> str:
    """Return the end of a text that may be the beginning of a closer; empty if there is none."""
    if closer is _RESPONSES or closer is RESPONSE_OR_CLOSER:
        return text[-max(LONGEST_RESPONSE, MAX_MARK if closer is RESPONSE_OR_CLOSER else 0) :]
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    head = next((head for head in _HEADS if at > 0 and text[:at].lower().endswith(head)), "")
    return text[at - len(head) :] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer that belongs to an opener, including the opener's suffix."""
    plain = _BLANKS.sub("", opener.lower().removeprefix(_BOLD))
    if plain[0] in _WORDS:
        return _WORDS[plain[0]]
    known = _CLOSERS.get(plain)
    if known is not None:
        return known
    bare = _ATTRIBUTES.sub("", opener)
    if bare != opener:
        return closer_of(bare)
    suffix = _SUFFIX.search(plain)
    if suffix is not None and _SUFFIX.sub("", plain) in _CLOSERS:
        return _suffixed(_SUFFIX.sub("", plain), suffix[0])
    return _shaped(plain)


_WORDS: Final = {"/": late(r"<\|im_start\|>assistant", re.IGNORECASE), "h": _RESPONSES}
"""The closers of openers made of words, by the first character of the opener, which no other opener has."""


@lru_cache(maxsize=64)
def _shaped(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer of an opener that is recognised by its shape: the same mark with `/`, or with `end` in
    it.
    """
    if opener[1] in "|\uff5c":
        return re.compile(re.escape(_BEGIN.sub("end", opener)), re.IGNORECASE)
    return re.compile(_spaced(f"</{opener[1:]}"), re.IGNORECASE)


@lru_cache(maxsize=64)
def _suffixed(opener: str, suffix: str) -> re.Pattern[str]:
    """Return the pattern of the closer of an opener that has this suffix."""
    closer = next(_ALL[mark][0] for mark in _ALL if mark.lower() == opener)
    return re.compile(_spaced(f"{closer[:-1]}{suffix}>"), re.IGNORECASE)
