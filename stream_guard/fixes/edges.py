"""Whether a string may have taken a mark or a blank from the place between it and the next token.

A few marks stand between two tokens: `": "`, `", "`. If some of them change places, one may cross a quote: of `"slug": "home"`
comes `"slug:" home"`, whose text has a blank that nobody meant. The reader completes the marks and keeps the text, so only the
edge of the text shows what happened.

Rule 1: a mark at the edge of a text is doubted only where something beside it was mended; a blank also where the other texts of
the block have theirs before the quote.
Rule 2: a text of code may begin with blanks and quotes of its own: then other lines of it are indented too, and each quote has
its partner.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from .catalogue import leaving
from .reading import Fixed, Join, Key, Scalar, Step, String

_BESIDE_A_KEY: Final = leaving("key")
"""The fixes that change a key together with its quotes."""

_BETWEEN: Final = leaving("marks")
"""The fixes that change the marks between two tokens."""

_NEXT_TO_A_COMMA: Final = leaving("comma")
"""The fixes beside which a comma may have slipped into the text before it."""

_NONE: Final[frozenset[str]] = frozenset()
_QUOTES: Final = "\"'`“”„‘’«»"
"""All marks that are quotes in some language."""

_PARTNERS: Final = {mark: group for group in ('"', "'‘’", "`", "“”„", "«»") for mark in group}
"""The marks that may pair with each quote, itself included: `“` pairs with `”` and `„`."""

_THREE: Final = ('"""', "'''", "```")
_CLOSING: Final = {"[": "]", "{": "}", "(": ")"}
_MARKS: Final = frozenset(",:;")
_BLANKS: Final = (" ", "\t")
_AT_AN_EDGE: Final = frozenset({*_QUOTES, *_BLANKS, *_MARKS, *_CLOSING, "=", "."})
"""The characters at the edge of a string that may come from the place beside it: marks and blanks."""

_NOT_ALONE: Final = re.compile(r"(?<=\w)['’](?=\w)|\\.", re.DOTALL)
"""Matches the apostrophe in a word, and a character with a backslash before it: neither is a quote that slipped into a text."""

_APART: Final = re.compile(r"[:=,>](\s?)[^:=,>]*\Z")
"""Matches the last mark between two tokens, with the blank after it."""

_NEXT: Final = re.compile(r"[\"'`”],[\"'`“”\w]")
"""Matches a quote, a comma and a quote or word with no blank between them."""

_INDENTED: Final = re.compile(r"(?:\n|\\n)[ \t]+\S|(?:\n|\\n)\\t")
"""Matches the beginning of an indented line."""

_ONE_WORD: Final = re.compile(r"\S+")


class _Token(NamedTuple):
    """A key, a text or another value, and its place in the body, without and with its quotes."""

    step: Key | String | Scalar
    start: int
    end: int
    outer: int  # the place of its opening quote, or of its first character


def took_a_mark(body: str, steps: Sequence[Step]) -> bool:
    """Return whether a string of a mended body may begin or end with a mark, or a blank, that belongs between two tokens."""
    if not [
        step
        for step in steps
        if (type(step) is String or type(step) is Key)
        and step.start < step.end
        and (body[step.start] in _AT_AN_EDGE or body[step.end - 1] in _AT_AN_EDGE)
    ]:
        return False
    tokens, mended, joined = _tokens(body, steps)
    spaced, keys_apart = _are_spaced(body, tokens, mended, values=True), _are_spaced(body, tokens, mended, values=False)
    for place, token in enumerate(tokens):
        if isinstance(token.step, Scalar):
            continue
        text = body[token.start : token.end]
        if isinstance(token.step, Key):
            if text != text.strip(" \t"):
                return True  # no name has a blank at its edge
            continue
        before, behind = mended.get(place, _NONE), mended.get(place + 1, _NONE)
        if place not in joined:
            apart = token.outer > 0 and body[token.outer - 1].isspace()
            taken = (spaced and not apart) or (before and text[1:2] not in _BLANKS)
            if taken and text.startswith(_BLANKS) and not _is_code(text):
                return True  # the blank belongs before the quote: the other texts have theirs there, or this text has one more
            if before and _begins_with_a_mark(text, before):
                return True
        if place + 1 not in joined:
            if keys_apart and text.endswith(_BLANKS) and _NEXT.match(body, token.end):
                return True
            if behind and _ends_with_a_mark(text, behind, _between(body, tokens, place)):
                return True
    return False


def _between(body: str, tokens: Sequence[_Token], place: int) -> str:
    """Return the text between a token and the next one."""
    return body[tokens[place].end : tokens[place + 1].outer if place + 1 < len(tokens) else len(body)]


def _begins_with_a_mark(text: str, fixes: frozenset[str]) -> bool:
    """Return whether a string may begin with a mark of the block. `fixes` are the fixes made between the string and the token
    before.
    """
    first = text.removeprefix(" ")[:1]
    if first in _PARTNERS:
        return not text.startswith(_THREE) and _is_alone(text, first)
    if first in _CLOSING:
        return "key_quote" in fixes and _CLOSING[first] not in text
    return first in _MARKS or (first == "=" and "separator" in fixes)


def _ends_with_a_mark(text: str, fixes: frozenset[str], between: str) -> bool:
    """Return whether a string may end with a mark of the block, or a blank.

    `between` is the text from the string to the next token, and `fixes` are the fixes made there.
    """
    alone = "}" not in between and "]" not in between  # nothing ends there but the text
    if alone and "\n" not in text and text.endswith(_BLANKS) and text.strip():
        return True
    last = text.removesuffix(" ")[-1:]
    if last in _PARTNERS:
        return not text.endswith(_THREE) and _is_alone(text, last)
    if last == ".":
        return "missing_comma" in fixes and _ONE_WORD.fullmatch(text) is not None
    return last == "," and not fixes.isdisjoint(_NEXT_TO_A_COMMA)


def _is_alone(text: str, mark: str) -> bool:
    """Return whether a quote at the edge of a string has no partner there: the string has an odd number of such quotes."""
    rest = _NOT_ALONE.sub("", text)
    return bool(rest) and mark in (rest.strip(" \t")[:1], rest.strip(" \t")[-1:]) and _count(rest, _PARTNERS[mark]) % 2 == 1


def _count(text: str, marks: str) -> int:
    return sum(text.count(mark) for mark in marks)


def _is_code(text: str) -> bool:
    """Return whether some line of a string, other than the first, is indented."""
    return _INDENTED.search(text) is not None


def _are_spaced(body: str, tokens: Sequence[_Token], mended: Container[int], *, values: bool) -> bool:
    """Return whether a body has a blank before each value; with `values` false, before each key.

    A place does not count if a string beside it begins or ends with a blank, or if its mark was `mended` and no blank is
    left.
    """
    others: list[bool] = []
    for place, (one, two) in enumerate(pairwise(tokens), 1):
        if (type(one.step) is Key) is not values or (type(two.step) is Key) is values:
            continue
        found = _APART.search(body, one.end, two.outer)
        if found is None or (place in mended and not found[1]):
            continue
        if not body.startswith(_BLANKS, two.start) and not body[: one.end].endswith(_BLANKS):
            others.append(bool(found[1]))
    return bool(others) and all(others)


def _tokens(body: str, steps: Iterable[Step]) -> tuple[list[_Token], dict[int, frozenset[str]], set[int]]:
    """Return a body's tokens; the fixes made before each, by its index; and the indexes of tokens that continue a string."""
    tokens: list[_Token] = []
    fixed: list[Fixed] = []
    joined: set[int] = set()
    for step in steps:
        if type(step) is Fixed:
            fixed.append(step)
        elif type(step) is Join:
            joined.add(len(tokens))
        elif type(step) is Key or type(step) is String or type(step) is Scalar:
            end = step.start + len(step.word) if isinstance(step, Scalar) else step.end
            outer = step.start - (len(step.mark) if type(step) is String else 1)
            begins = step.start if type(step) is Scalar or body[step.start - 1 : step.start] not in _QUOTES else outer
            tokens.append(_Token(step, step.start, end, max(begins, 0)))
    return tokens, _made_before(body, tokens, fixed), joined


def _made_before(body: str, tokens: Sequence[_Token], fixed: Sequence[Fixed]) -> dict[int, frozenset[str]]:
    """Return the fixes made before each token, by the token's index. Fixes of marks that are usual in another language are left
    out.
    """
    made: dict[int, set[str]] = {}
    at = 0
    keys = sum(isinstance(token.step, Key) for token in tokens)
    own = sum(step.fix == "separator" for step in fixed) == keys  # all are those of another language, and none slipped in
    quoted = any(isinstance(token.step, Key) and token.outer < token.start for token in tokens)
    for step in sorted(fixed, key=lambda one: one.start):
        while at < len(tokens) and tokens[at].end <= step.start:
            at += 1
        if step.fix == "separator" and own:
            continue
        if step.fix in _BETWEEN:
            made.setdefault(at, set()).add(step.fix)
        elif step.fix in _BESIDE_A_KEY and at < len(tokens):
            token = tokens[at]
            if step.fix == "quote_marks" and body[token.outer] in _PARTNERS.get(body[token.end : token.end + 1], ""):
                continue  # the marks of another language, and not a mark that slipped in
            if step.end <= token.start or body[token.outer] != '"':
                made.setdefault(at, set()).add(step.fix)
            if step.start <= token.start and token.end < step.end and body[token.end] != '"':
                made.setdefault(at + 1, set()).add(step.fix)
            if (step.fix == "key_quote" or (step.fix == "bare_key" and quoted)) and step.end == token.end:
                made.setdefault(at + 1, set()).add(step.fix)
    return {place: frozenset(fixes) for place, fixes in made.items()}
