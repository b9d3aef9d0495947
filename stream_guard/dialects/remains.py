"""What is left in a raw value of a marker that lost a part of itself, and of a token that only a server should see.

A value that holds a marker is found by `Marks`. Here the marker lost its bracket, or is another one's rest, and only its place
shows what it was: it has its line to itself, or the value begins anew behind it.

Rule 1: a mark in quotes or backticks on its line is one that the text speaks of, and so is one in a fence of Markdown.
Rule 2: a tag that is closed where it was opened is the text's own (`<s>old</s>`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from .marks import skip

_TOKEN: Final = re.compile(
    r"<[|\uff5c][\w\u2581/:.+-]{1,64}[|\uff5c]>|<[\w/]{1,32}\|>|</(?:s|bos|eos|pad|unk)>|<(?:bos|eos)>"
    r"|<(?:start|end)_of_(?:turn|text|role|message|sentence)>|</?seed:\w{1,32}>|\[e~\["
    r"|\[\|(?:end|user|assistant|system|tool)\w{0,16}\|\]"
    r"|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]",
    re.IGNORECASE,
)
"""Matches a token by which a chat template parts what is said: a server that passes one on has not ended the text at it."""

_PAIRED: Final = ("<s>", "<bos>", "<eos>", "<pad>", "<unk>", "[INST]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[SYSTEM_PROMPT]")
"""The openers behind which a closer of the same name is the text's own."""

_FENCE: Final = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_QUOTES: Final = "\"'`"


def holds_a_token(text: str) -> bool:
    """Return whether a text holds a token of a chat template of which it does not speak."""
    if _TOKEN.search(text) is None:
        return False
    fenced, start = False, 0
    opened = {opener: text.find(opener) for opener in _PAIRED}
    for line in text.split("\n"):
        if _FENCE.match(line) is not None:
            fenced = not fenced
        elif not fenced and any(not 0 <= opened.get(token.replace("/", ""), -1) < start + at for token, at in _bare(line)):
            return True
        start += len(line) + 1
    return False


def _bare(line: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a line that stand in no quotes, and where."""
    counts, last, at = dict.fromkeys(_QUOTES, 0), {quote: line.rfind(quote) for quote in _QUOTES}, 0
    for found in _TOKEN.finditer(line):
        for quote in _QUOTES:
            counts[quote] += line.count(quote, at, found.start())
        at = found.start()
        if not any(counts[quote] % 2 and last[quote] >= found.end() for quote in _QUOTES):
            yield found[0], at


def holds_remains(text: str, markers: Iterable[str], key: str, heads: Collection[str], ends: Collection[str]) -> bool:
    """Return whether a value of this key holds the rest of one of these markers, or begins or ends anew at one.

    The `heads` are the whole openers of the value itself, and the `ends` its closers.
    """
    openers, closers = _words(tuple(markers))
    if _alone(openers, closers).search(text) is not None or _cut_short(closers).search(text) is not None:
        return True
    if stands_twice(text, heads, ends):
        return True
    first: dict[str, int] = {}
    for found in _closed(closers, tuple(ends)).finditer(text):
        first.setdefault(found[1], found.start())
    if any(text.find(f"<{name}", 0, at) < 0 for name, at in first.items()):
        return True
    if _begins_anew(text) or (bool(key) and any(not is_inside(text, found.start()) for found in _head(key).finditer(text))):
        return True
    tails = "|".join(sorted({re.escape(head[-_LEAST - 1 :]) for head in heads}) or [r"(?!)"])
    return any(_is_end_of_head(text, found.end(), heads) for found in islice(re.finditer(tails, text), _MOST))


_MOST: Final = 256
"""As many places of one value may be the end of its opener."""


def _is_end_of_head(text: str, end: int, heads: Collection[str]) -> bool:
    """Return whether the end of an opener stands before a place, on a line of its own."""
    start = end - _size_of_rest(text, end, heads)
    alone = _BLANK_BEHIND.match(text, end) is not None and not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t")
    return alone and not is_inside(text, start)


def stands_twice(text: str, heads: Collection[str], ends: Collection[str]) -> bool:
    """Return whether a part of a value stands there twice, with a piece of its markers between the two.

    What was sent again begins inside of the opener, and the value begins anew behind it (`DEe>DELETE`); or it begins inside of
    the value, and the value ends anew behind the beginning of its closer (`x.py</par.py`). Where the piece stands twice as
    well, the text repeats itself.
    """
    return _begins_twice(text, heads, ends) or _ends_twice(text, ends)


def _begins_twice(text: str, heads: Collection[str], ends: Collection[str]) -> bool:
    first, longest = skip(text, 0), max(map(len, (*heads, *ends)), default=0)
    for found in islice(re.finditer(rf">\s*+(?={re.escape(text[first : first + 1])})", text), _MOST):
        end, behind = found.start() + 1, found.end()
        if not text.startswith(text[first : max(first, min(end - 2 * longest, first + _LONGEST))], behind):
            continue
        rest = end - _size_of_rest(text, end, heads)
        start = rest - max((_size_of_beginning(text, rest, one) for one in ends), default=0)
        told, piece = text[first : min(start, first + _LONGEST)], text[start:end]
        piece = piece.rstrip(">") if is_inside(text, start) else piece
        again = text.startswith(told, behind) and not text.startswith(piece, behind + start - first)
        if again and start > first and len(told.strip()) + end - start >= _LEAST:
            return True
    return False


def _ends_twice(text: str, ends: Collection[str]) -> bool:
    for found in deque(_begun(tuple(ends)).finditer(text, max(len(text) // 2 - _LONGEST, 0)), _MOST):
        at, end = found.span()
        told = text[end:]
        again = text[at - 1 : at] == text[-1:] and text.endswith(told, 0, at) and not text.endswith(text[at:], 0, at)
        tag = _WHOLE_TAG.match(text, at)
        if again and len(told.strip()) + end - at >= _LEAST and (tag is None or (told[0] != ">" and text[tag.end() :].strip())):
            return True
    return False


def _size_of_rest(text: str, end: int, heads: Collection[str]) -> int:
    """Return the length of the longest end of an opener that stands before a place."""
    told = text[max(end - _LONGEST, 0) : end]
    return max((_alike(told, head) for head in heads), default=0)


def _size_of_beginning(text: str, end: int, marker: str) -> int:
    """Return the length of the longest beginning of a marker that stands before a place."""
    return next((size for size in range(len(marker) - 1, 0, -1) if text.endswith(marker[:size], 0, end)), 0)


@lru_cache(maxsize=64)
def _begun(markers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the beginnings of markers."""
    begun = sorted({re.escape(one[:size]) for one in markers for size in range(1, len(one))}, reverse=True)
    return re.compile("|".join(begun) or r"(?!)")


def _alike(one: str, other: str) -> int:
    """Return the length of the end that two texts have in common."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((size for size, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


_LONGEST: Final = 256
"""As much of an opener is compared with a value, and of a value with what stands behind it."""

_BLANK_BEHIND: Final = re.compile(r"[ \t]*+(?:\r?\n|\Z)")


def is_inside(text: str, at: int, *, of_code: bool = False) -> bool:
    """Return whether a place is inside of a tag, or also of what looks like one in code: `vector<int, T`."""
    end = text.rfind(">", 0, at)
    while end > 0 and text[end - 1] == "=":  # an arrow, as in the attributes of JSX
        end = text.rfind(">", 0, end)
    start = text.rfind("<", end + 1, at)
    return start >= 0 and (_IN_CODE if of_code else _BEGUN_TAG).match(text, start, at) is not None


_BEGUN_TAG: Final = re.compile(r"<[/!?]?(?:[A-Za-z][\w:.-]*+(?=[\s/]|\Z)|\Z)")
_IN_CODE: Final = re.compile(r"<[/!?]?(?:[A-Za-z]|\Z)")
_WHOLE_TAG: Final = re.compile(r"</?(?:[A-Za-z][^<>]*+)?>")


@lru_cache(maxsize=64)
def _words(markers: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the tags that open something, and of those that close it."""
    named = [found for marker in markers if (found := _NAME.match(marker)) is not None]
    return tuple({found[2] for found in named if not found[1]}), tuple({found[2] for found in named if found[1]})


_NAME: Final = re.compile(r"<(/?)([\w:|\uff5c\u2581.-]*\w)")


@lru_cache(maxsize=64)
def _alone(openers: tuple[str, ...], closers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of what is a line of its own: the rest of an opener with its key, and the beginnings of markers."""
    rests = "|".join(sorted({re.escape(word[at:]) for word in openers for at in range(len(word) - _LEAST + 1)}) or [r"(?!)"])
    begun = "|".join(sorted(set(_beginnings(openers))) or [r"(?!)"])
    ended = "|".join(sorted({re.escape(word) for word in closers if len(word) > _LEAST}) or [r"(?!)"])
    return re.compile(
        rf"""^[ \t]*+(?:{rests})(?:[ \t]*=|[ \t]+name=)[ \t]*["']?[\w.:-]{{1,64}}["']?[^<>\r\n]{{0,32}}>[ \t]*+\r?$"""
        rf"|(?<=\n)[ \t]*+<(?:{begun})[ \t]*+(?:\r?$)(?!\s*+[\w:@-]+[ \t]*=)"
        rf"|(?<=\n)[ \t]*+[/\\](?:{ended})>?[ \t]*+\r?$",
        re.MULTILINE,
    )


@lru_cache(maxsize=64)
def _closed(closers: tuple[str, ...], ends: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of closers whose name was cut short; that of a closer of the value may go on in another way."""
    own = "|".join({re.escape(one[2 : 2 + _MORE]) for one in ends if len(one) > _MORE + 2}) or "(?!)"
    begun = "|".join(sorted(set(_beginnings(closers)), reverse=True)) or "(?!)"
    return re.compile(rf"</((?:{own}){_OF_NAME}*+|{begun})>")


@lru_cache(maxsize=64)
def _cut_short(closers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the beginnings of closers that are no tag, and no path of a shell (`</proc/cpuinfo`)."""
    begun = "|".join(sorted({re.escape(word[:1]) for word in closers}) or [r"(?!)"])
    return re.compile(rf"</(?:{begun}){_OF_NAME}*+(?!\s*+>|/)")


def _beginnings(words: Iterable[str]) -> Iterator[str]:
    return (re.escape(word[:size]) for word in words for size in range(_LEAST, len(word) + 1))


_OF_NAME: Final = r"[\w:|\uff5c\u2581.-]"
"""Matches a sign of the name of a tag."""

_MORE: Final = 4
"""As many letters of a name show which it was, whatever follows them."""

_LEAST: Final = 3
"""As many letters are left of a name at least: fewer are a name of their own."""


@lru_cache(maxsize=256)
def _head(key: str) -> re.Pattern[str]:
    """Return a pattern of the end of an opener with this key in quotes."""
    return re.compile(rf"""(["']){re.escape(key)}\1(?:[ \t]+[\w-]{{1,32}}=["'][^"'<>\r\n]{{0,32}}["'])?>""")


def _begins_anew(text: str) -> bool:
    """Return whether a value is a text, a line with a closer of nothing, and the same text once more."""
    found = _CLOSER_ALONE.search(text)
    if found is None or f"<{found[1]}" in text[: found.start()]:
        return False
    told = text[: found.start()].strip()
    return bool(told) and text[found.end() :].strip() == told


_CLOSER_ALONE: Final = re.compile(r"^[ \t]*+</([\w:.-]{1,64})>[ \t]*+\r?$", re.MULTILINE)
