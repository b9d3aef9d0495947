"""What is left in a raw value of a marker that lost a part of itself, and of a token that only a server should see.

A value that holds a marker is found by `Marks`. Here the marker lost its bracket, or is another one's rest, and only its place
shows what it was: it has its line to itself, or the value begins anew behind it.

Rule 1: a mark in quotes or backticks on its line is one that the text speaks of, and so is one in a fence of Markdown.
Rule 2: a tag that is closed where it was opened is the text's own (`<s>old</s>`).
"""

from __future__ import annotations

import re
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


def holds_remains(text: str, markers: Iterable[str], key: str, heads: Collection[str] = ()) -> bool:
    """Return whether a value of this key holds the rest of one of these markers, or begins anew behind one.

    The `heads` are the whole openers of the value itself.
    """
    openers, closers = _words(tuple(markers))
    if _alone(openers, closers).search(text) is not None:
        return True
    first: dict[str, int] = {}
    for found in _closed(closers).finditer(text):
        first.setdefault(found[1], found.start())
    if any(text.find(f"<{name}", 0, at) < 0 for name, at in first.items()):
        return True
    if _begins_anew(text) or (bool(key) and any(_is_rest(text, found) for found in _head(key).finditer(text))):
        return True
    tails = "|".join(sorted({re.escape(head[-_LEAST - 1 :]) for head in heads}) or [r"(?!)"])
    return any(_is_end_of_head(text, found.end(), heads) for found in islice(re.finditer(tails, text), _MOST))


_MOST: Final = 256
"""As many places of one value may be the end of its opener."""


def _is_end_of_head(text: str, end: int, heads: Collection[str]) -> bool:
    """Return whether the end of an opener stands before a place: on a line of its own, or where the value begins anew."""
    told = text[max(end - _LONGEST, 0) : end]
    start = end - max(_alike(told, head) for head in heads)
    if _is_inside(text, start):
        return False
    alone = _BLANK_BEHIND.match(text, end) is not None and not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t")
    begin = skip(text, 0)
    before = text[begin : min(start, begin + _LONGEST)].rstrip()
    return alone or (bool(before) and text.startswith(before, skip(text, end)))


def _alike(one: str, other: str) -> int:
    """Return the length of the end that two texts have in common."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((size for size, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


_LONGEST: Final = 256
"""As much of an opener is compared with a value, and of a value with what stands behind it."""

_BLANK_BEHIND: Final = re.compile(r"[ \t]*+(?:\r?\n|\Z)")


def _is_inside(text: str, at: int) -> bool:
    """Return whether a place is inside of a tag."""
    return text.rfind("<", text.rfind(">", 0, at) + 1, at) >= 0


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
def _closed(closers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of closers whose name was cut short."""
    return re.compile(rf"</({'|'.join(sorted(set(_beginnings(closers)), reverse=True)) or '(?!)'})>")


def _beginnings(words: Iterable[str]) -> Iterator[str]:
    return (re.escape(word[:size]) for word in words for size in range(_LEAST, len(word) + 1))


_LEAST: Final = 3
"""As many letters are left of a name at least: fewer are a name of their own."""


@lru_cache(maxsize=256)
def _head(key: str) -> re.Pattern[str]:
    """Return a pattern of the end of an opener with this key."""
    more = r"""(?:[ \t]+[\w-]{1,32}=["'][^"'<>\r\n]{0,32}["'])?"""
    return re.compile(rf"""(?P<quote>["']){re.escape(key)}(?P=quote){more}>|={re.escape(key)}>""")


def _is_rest(text: str, found: re.Match[str]) -> bool:
    """Return whether the end of an opener stands outside of any tag; without quotes only if the value begins anew behind it."""
    at = found.start()
    if _is_inside(text, at):
        return False
    if found["quote"]:
        return True
    begin = skip(text, 0)
    return begin < at and text.startswith(text[begin], skip(text, found.end()))


def _begins_anew(text: str) -> bool:
    """Return whether a value is a text, a line with a closer of nothing, and the same text once more."""
    found = _CLOSER_ALONE.search(text)
    if found is None or f"<{found[1]}" in text[: found.start()]:
        return False
    told = text[: found.start()].strip()
    return bool(told) and text[found.end() :].strip() == told


_CLOSER_ALONE: Final = re.compile(r"^[ \t]*+</([\w:.-]{1,64})>[ \t]*+\r?$", re.MULTILINE)
