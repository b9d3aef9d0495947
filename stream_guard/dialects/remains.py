"""Finds the rest of a damaged marker in a raw value, and tokens that only a server should see.

A value that holds a marker is found by `Marks`. Here a marker lost its bracket, or only a part of it is left. Then only its
place shows that it was a marker: it is alone on its line, or the value begins again after it.

Rule 1: a mark in quotes or backticks on its line, or in a fence of Markdown, is only mentioned by the text.
Rule 2: a tag that the text itself opens and closes belongs to the text (`<s>old</s>`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from ..values.fence import MAY_BE_FENCE
from .marks import holds_any, skip
from .own_tags import Opened, own_brackets

_TOKEN: Final = re.compile(
    r"<[|\uff5c][\w\u2581/:.+-]{1,64}[|\uff5c]>|<[\w/]{1,32}\|>|</(?:s|bos|eos|pad|unk)>|<(?:bos|eos)>"
    r"|(?<=\w)<(?P<tag>(?-i:s|unk|pad)|0x[0-9a-f]{2})>(?=\w)(?!.{0,256}</(?P=tag)>)"  # inside a word
    r"|<(?:start|end)_of_(?:turn|text|role|message|sentence)>|</?seed:\w{1,32}>|\[e~\["
    r"|\[\|(?:end|user|assistant|system|tool)\w{0,16}\|\]"
    r"|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]",
    re.IGNORECASE,
)
"""Matches a token by which a chat template separates messages. If a server passed it on, the text did not end there."""

_FIRSTS: Final = "<["
"""The first characters of these tokens."""

_PAIRED: Final = ("<s>", "<bos>", "<eos>", "<pad>", "<unk>", "[INST]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[SYSTEM_PROMPT]")
"""The openers whose closer of the same name may belong to the text."""

_QUOTES: Final = "\"'`"


def holds_a_token(text: str) -> bool:
    """Return whether a text contains a token of a chat template that the text does not only mention."""
    if not holds_any(text, _FIRSTS) or _TOKEN.search(text) is None:
        return False
    fenced, start = False, 0
    opened = {opener: text.find(opener) for opener in _PAIRED}
    for line in text.split("\n"):
        if MAY_BE_FENCE.match(line) is not None:
            fenced = not fenced
        elif not fenced and any(not 0 <= opened.get(token.replace("/", ""), -1) < start + at for token, at in _bare(line)):
            return True
        start += len(line) + 1
    return False


def _bare(line: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a line that are in no quotes, with their places."""
    counts, last, at = dict.fromkeys(_QUOTES, 0), {quote: line.rfind(quote) for quote in _QUOTES}, 0
    for found in _TOKEN.finditer(line):
        for quote in _QUOTES:
            counts[quote] += line.count(quote, at, found.start())
        at = found.start()
        if not any(counts[quote] % 2 and last[quote] >= found.end() for quote in _QUOTES):
            yield found[0], at


def holds_remains(text: str, markers: Iterable[str], key: str, heads: Collection[str], ends: Collection[str]) -> bool:
    """Return whether a value of this key contains the rest of one of these markers, or begins or ends twice.

    `heads` are the whole openers of the value itself, and `ends` its closers. All are tags.
    """
    openers, closers = _words(tuple(markers))
    lines = f"\n{text}"
    if holds_any(text, "/\\") and _ended(closers).search(lines) is not None:
        return True
    if not holds_any(text, "<>"):
        return False
    if _alone(openers).search(lines) is not None:
        return True
    if any(_is_glued(text, found) for found in _cut_short(closers).finditer(text)):
        return True
    if stands_twice(text, heads, ends):
        return True
    first: dict[str, int] = {}
    for found in _closed(closers, tuple(ends)).finditer(text):
        first.setdefault(found[1], found.start())
    if any(text.find(f"<{name}", 0, at) < 0 for name, at in first.items()):
        return True
    if _begins_anew(text):
        return True
    tails = _tails(tuple(heads))
    places = [found.end() for found in islice(tails.finditer(text), _MOST) if _is_alone(text, found.end(), heads)]
    places += [found.end() for found in _head(key).finditer(text)] if key else []
    own = own_brackets(text) if places else {}
    return any(end - 1 not in own for end in places)


_MOST: Final = 256
"""The most places of one value that are checked for the end of its opener."""


def _is_alone(text: str, end: int, heads: Collection[str]) -> bool:
    """Return whether the end of an opener that ends at a place is alone on its line."""
    start = end - _size_of_rest(text, end, heads)
    return _BLANK_BEHIND.match(text, end) is not None and not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t")


def _is_glued(text: str, found: re.Match[str]) -> bool:
    """Return whether a piece of a marker begins a line, or follows a possible end of the value directly.

    In code such a piece follows a blank, a bracket, or a quote that opens a string (`wc </file`, `"</p" in text`).
    """
    start = found.start()
    near = max(start - _LONGEST, 0)
    line = text[max(text.rfind("\n", near, start) + 1, near) : start]
    if not line.strip(" \t") or "|" in found[0] or "\uff5c" in found[0]:
        return True
    return line.count(line[-1]) % 2 == 0 if line[-1] in _QUOTES else line[-1] not in " \t([|^"


def stands_twice(text: str, heads: Collection[str], ends: Collection[str]) -> bool:
    """Return whether a part of a value is in it twice, with a piece of its markers between the two.

    Then a part was sent twice. Either the repetition begins inside the opener, and the value begins again after it
    (`DEe>DELETE`); or it begins inside the value, and the value ends again after the beginning of its closer (`x.py</par.py`).
    Not counted: a text that has the piece itself twice, comparisons, tags, and lines that begin alike.
    """
    return _begins_twice(text, heads, ends) or _ends_twice(text, ends)


def _begins_twice(text: str, heads: Collection[str], ends: Collection[str]) -> bool:
    first, longest = skip(text, 0), max(map(len, (*heads, *ends)), default=0)
    brackets: dict[int, Opened] | None = None
    for found in islice(re.finditer(rf">\s*+(?={re.escape(text[first : first + 1])})", text), _MOST):
        end, behind = found.start() + 1, found.end()
        if not text.startswith(text[first : max(first, min(end - 2 * longest, first + _LONGEST))], behind):
            continue
        rest = end - _size_of_rest(text, end, heads)
        start = rest - max((_size_of_beginning(text, rest, one) for one in ends), default=0)
        told, piece, again = text[first : min(start, first + _LONGEST)], text[start:end], behind + start - first
        if start == first or len(told.strip()) + end - start < _LEAST or not text.startswith(told, behind):
            continue
        brackets = own_brackets(text) if brackets is None else brackets
        letters, quoted = piece.rstrip(">\"'"), piece[-2:-1] in ("'", '"')
        opened = brackets.get(end - 1)
        closes = opened is not None and opened.start < start
        if opened is not None and quoted:
            closes = closes and text.count(piece[-2], opened.start, end) % 2 == 0
        if letters and not text.startswith(letters, again):
            member = end == behind and len(piece) <= _LEAST and _OBJECT.fullmatch(told) is not None
            alike = closes and _UP_TO_BRACKET.match(text, again) is not None
            own = member or (alike and quoted) or (end < behind and (alike or _OWN_TAG.fullmatch(piece) is not None))
        else:
            own = closes or text.startswith(piece, again) or (not quoted and _COMPARED.match(text, first) is not None)
        if not own:
            return True
    return False


def _ends_twice(text: str, ends: Collection[str]) -> bool:
    for found in deque(_begun(tuple(ends)).finditer(text, max(len(text) // 2 - _LONGEST, 0)), _MOST):
        at, end = found.span()
        told = text[end:]
        again = text[at - 1 : at] == text[-1:] and text.endswith(told, 0, at) and not text.endswith(text[at:], 0, at)
        tag = _WHOLE_TAG.match(text, at)
        compares = end - at == 1 and _A_NAME.fullmatch(told) and _OF_AN_OBJECT.match(text, max(at - len(told) - 1, 0))
        own = told[:1] == ">" or not text[tag.end() :].strip() if tag is not None else compares
        if again and len(told.strip()) + end - at >= _LEAST and not own and _is_glued(text, found):
            return True
    return False


def _size_of_rest(text: str, end: int, heads: Collection[str]) -> int:
    """Return the length of the longest end of an opener that ends at a place."""
    told = text[max(end - _LONGEST, 0) : end]
    return max((_alike(told, head) for head in heads), default=0)


def _size_of_beginning(text: str, end: int, marker: str) -> int:
    """Return the length of the longest beginning of a marker that ends at a place."""
    return next((size for size in range(len(marker) - 1, 0, -1) if text.endswith(marker[:size], 0, end)), 0)


@lru_cache(maxsize=64)
def _begun(markers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of all beginnings of these markers."""
    begun = sorted({re.escape(one[:size]) for one in markers for size in range(1, len(one))}, reverse=True)
    return re.compile("|".join(begun) or r"(?!)")


def _alike(one: str, other: str) -> int:
    """Return the length of the end that two texts have in common."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((size for size, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


_LONGEST: Final = 256
"""The most characters that are compared or read: of an opener, of the text after it, or of a line before a piece."""

_BLANK_BEHIND: Final = re.compile(r"[ \t]*+(?:\r?\n|\Z)")

_OPERAND: Final = r"(?:[\w.$()\[\]]|->|::)"
"""A pattern for a character of an operand of a comparison."""

_COMPARED: Final = re.compile(
    rf"(?P<one>[A-Za-z_$]{_OPERAND}*+)>(?P=one)"
    rf"(?:{_OPERAND}++\s*+(?:\Z|[);,&|]|\?(?!:)|[=!]=|(?:and|or|then)\b)|[+*/%-])",
    re.IGNORECASE,
)
"""Matches a comparison of two operands that begin alike: `total>total_before`."""

_OBJECT: Final = re.compile(rf"[A-Za-z_$]{_OPERAND}*+(?<=[.>:])")
"""Matches an operand that ends in front of the name of a member: `a.` in `a.x>a.y`."""

_A_NAME: Final = re.compile(r"[A-Za-z_][\w.]*+")
_OF_AN_OBJECT: Final = re.compile(r"[._:>$@*&]")
"""Matches the character before a name, in an operand that is compared with that name: `this.size<size`."""

_UP_TO_BRACKET: Final = re.compile(r"""[\w.:-]++["']?>""")
"""Matches the end of a tag, in lines with similar tags: `- <x/a>`, `- <x/b>`."""

_OWN_TAG: Final = re.compile(r"<[\w:.-]{3,}>")
"""Matches a text in brackets that several similar lines have: `#include <name>`."""

_WHOLE_TAG: Final = re.compile(r"</?(?:[A-Za-z][^<>]*+)?>")


@lru_cache(maxsize=64)
def _words(markers: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the opening tags, and the names of the closing tags, among these markers."""
    named = [found for marker in markers if (found := _NAME.match(marker)) is not None]
    return tuple({found[2] for found in named if not found[1]}), tuple({found[2] for found in named if found[1]})


_NAME: Final = re.compile(r"<(/?)([\w:|\uff5c\u2581.-]*\w)")


# A line is matched together with the line end before it, which `re` finds in one go; the first line gets one before it.


@lru_cache(maxsize=64)
def _alone(openers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of a line that is only the rest of an opener with its key, or, from the second line on, the opener's
    beginning.
    """
    rests = "|".join(sorted({re.escape(word[at:]) for word in openers for at in range(len(word) - _LEAST + 1)}) or [r"(?!)"])
    begun = "|".join(sorted(set(_beginnings(openers))) or [r"(?!)"])
    return re.compile(
        rf"""\n(?:[ \t]*+(?:{rests})(?:[ \t]*=|[ \t]+name=)[ \t]*["']?[\w.:-]{{1,64}}["']?[^<>\r\n]{{0,32}}>[ \t]*+\r?$"""
        rf"|{_FURTHER_ON}[ \t]*+<(?:{begun})[ \t]*+(?:\r?$)(?!\s*+[\w:@-]+[ \t]*=))",
        re.MULTILINE,
    )


@lru_cache(maxsize=64)
def _ended(closers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of a line, from the second on, that is only a closer without its first bracket."""
    ended = "|".join(sorted({re.escape(word) for word in closers if len(word) > _LEAST}) or [r"(?!)"])
    return re.compile(rf"\n{_FURTHER_ON}[ \t]*+[/\\](?:{ended})>?[ \t]*+\r?$", re.MULTILINE)


_FURTHER_ON: Final = r"(?<!\A\n)"
"""A pattern that excludes the first line."""


@lru_cache(maxsize=64)
def _tails(heads: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the ends of openers."""
    return re.compile("|".join(sorted({re.escape(head[-_LEAST - 1 :]) for head in heads})) or r"(?!)")


@lru_cache(maxsize=64)
def _closed(closers: tuple[str, ...], ends: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of closers with a cut name. The cut name of a closer of the value itself may have other letters after
    it.
    """
    own = "|".join({re.escape(one[2 : 2 + _MORE]) for one in ends if len(one) > _MORE + 2}) or "(?!)"
    begun = "|".join(sorted(set(_beginnings(closers)), reverse=True)) or "(?!)"
    return re.compile(rf"</((?:{own}){_OF_NAME}*+(?=>\w)|{begun})>")


@lru_cache(maxsize=64)
def _cut_short(closers: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of a closing tag that lacks its `>`: `</`, and a name with the first letter of one of these names.

    Not matched: a whole closing tag, a path (`</proc/cpuinfo`), a regular expression (`</p[^>]*>`).
    """
    begun = "|".join(sorted({re.escape(word[:1]) for word in closers}) or [r"(?!)"])
    return re.compile(rf"</(?:{begun}){_OF_NAME}*+(?!\s*+>|/|\[\^|[\\*+?{{$%#(][^\s<>\"'=]{{0,16}}>)")


def _beginnings(words: Iterable[str]) -> Iterator[str]:
    return (re.escape(word[:size]) for word in words for size in range(_LEAST, len(word) + 1))


_OF_NAME: Final = r"[\w:|\uff5c\u2581.-]"
"""A pattern for a character of the name of a tag."""

_MORE: Final = 4
"""The number of letters that identify a name, whatever letters follow."""

_LEAST: Final = 3
"""The fewest letters of a cut name that count. Fewer letters are a name of their own."""


@lru_cache(maxsize=256)
def _head(key: str) -> re.Pattern[str]:
    """Return a pattern of the end of an opener with this key in quotes."""
    return re.compile(rf"""(["']){re.escape(key)}\1(?:[ \t]+[\w-]{{1,32}}=["'][^"'<>\r\n]{{0,32}}["'])?>""")


def _begins_anew(text: str) -> bool:
    """Return whether a value is a text, a line with a closer that closes nothing, and the same text again."""
    found = _CLOSER_ALONE.search(text)
    if found is None or f"<{found[1]}" in text[: found.start()]:
        return False
    told = text[: found.start()].strip()
    return bool(told) and text[found.end() :].strip() == told


_CLOSER_ALONE: Final = re.compile(r"^[ \t]*+</([\w:.-]{1,64})>[ \t]*+\r?$", re.MULTILINE)
