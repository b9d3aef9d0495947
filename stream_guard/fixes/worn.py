"""Finds strings that may have the same damage as a mended name. A name is known, so its damage is undone: a blank inside its
quotes, a doubled sign, blanks or capitals in place of its own. Damage to any other string cannot be seen. If a string looks as
the name did, the same may have happened to it.

Rule 1: a check only refuses. It looks at what was written for the names, and at the texts of all calls of the block.
Rule 2: each string is looked at once, however many names there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from ..schema.spelling import tokens

_EDGE: Final = re.compile(r"\A\s|\s\Z")
"""Matches a blank at the edge of a text."""

_TWO: Final = re.compile(r"(?=([ \t_.\-/]{2}))")
"""Matches two signs or blanks in a row."""

_SIGNS: Final = re.compile(r"[ \t_.\-/]+")
"""Matches the signs and blanks between two words of a name."""

_BETWEEN: Final = re.compile(r"(?<=\w)[ \t_.\-/](?=\w)")
"""Matches a single sign or blank between two words."""

_SPREAD: Final = re.compile(r"[ \t][_.\-/]|[_.\-/][ \t]")
"""Matches a sign with a blank beside it."""

_TWICE: Final = re.compile(r"([^\W\d_])\1")
"""Matches a letter that is there twice in a row."""

_OF_CAPS_LOCK: Final = re.compile(r"(?<!\w)[a-z][A-Z]+(?!\w)")
"""Matches a word in capitals but for its first letter, as Caps Lock writes it."""

_CAPITALS: Final = re.compile(r"[A-Z]{2}")
"""Matches two capitals in a row."""

_ONE_WORD: Final = re.compile(r"\w+")
_SEVERAL_WORDS: Final = re.compile(r"\w+(?: \w+){1,3}")
_LONG: Final = 5
"""The fewest capitals that count as more than the code of a country or a currency."""


def may_share_damage(
    names: Collection[tuple[str, str]], texts: Collection[str], written: Iterable[str], *, takes_away: bool
) -> bool:
    """Return whether a string may have the damage of a name: it looks as the name did before the name was mended.

    Args:
        names: For each mended name, the text that the model wrote, and the name.
        texts: The strings of all calls.
        written: All strings and keys of the block, as the model wrote them.
        takes_away: Whether a tool of the calls is destructive: then weaker signs are enough.
    """
    if any(_EDGE.search(one) for one, _ in names) and any(map(_EDGE.search, texts)):
        return True
    doubled = {pair for one, name in names for pair in _TWO.findall(one.strip()) if pair not in name}
    if doubled and any(not doubled.isdisjoint(_TWO.findall(text)) for text in texts):
        return True
    if any(_SPREAD.search(one) and not _SPREAD.search(name) for one, name in names) and any(map(_SPREAD.search, texts)):
        return True
    stuck = Counter(letter for one, name in set(names) for letter in _twice(one) - _twice(name))
    if any(number > 1 and any(letter in _twice(text) for text in texts) for letter, number in stuck.items()):
        return True
    spelt = {(one, name) for one, name in names if tokens(one) == tokens(name)}  # other pairs differ in words, too
    if any(one.isupper() and not name.isupper() for one, name in spelt):
        if takes_away and any(map(_CAPITALS.search, texts)):
            return True
        if _are_capitals(texts, _LONG) or any(map(_OF_CAPS_LOCK.search, texts)):
            return True
    letters = [(one, name) for one, name in names if "".join(tokens(one)) == "".join(tokens(name))]
    begun = [one for one, name in letters if _begins_with_a_capital(one) and not (one.isupper() or name[:1].isupper())]
    if takes_away and begun and _begin_so(texts):
        return True
    lost = {sign for one, name in letters if len(tokens(one)) < len(tokens(name)) for sign in _SIGNS.findall(name)}
    if lost and (
        (takes_away and _hold_letters(texts))
        or any(text.startswith(sign) or text.endswith(sign) for sign in lost for text in texts)
    ):
        return True
    replaced = {pair for one, name in spelt for pair in _replaced(one, name)}
    return bool(replaced) and _were_replaced(replaced, texts, written, takes_away=takes_away)


def may_share_spelling(names: Iterable[tuple[str, str]], own: Collection[str], keys: Collection[str]) -> bool:
    """Return whether a program may have respelt a key that no schema lists in the same way as the name of a field.

    A program respells all keys: then no key of the block is spelt in the style of the field's name.

    Args:
        names: For each mended name of a field, the key that the model wrote, and the name.
        own: The keys that no schema lists.
        keys: All keys of the block.
    """
    respelt = {(_style(one), _style(name)) for one, name in names if tokens(one) == tokens(name)}
    styles, left = set(map(_style, own)), set(map(_style, keys))
    return any(one != name and one in styles and name not in left for one, name in respelt)


def _style(name: str) -> tuple[str, str]:
    """Return the style of a name: the sign between its words, and which of its letters are capitals."""
    sign = _BETWEEN.search(name)
    case = "upper" if name.isupper() else "first" if name[:1].isupper() else "inner" if _HUMP.search(name) else "lower"
    return sign[0] if sign is not None else "", case


_HUMP: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")


def _twice(text: str) -> set[str]:
    """Return the letters that occur twice in a row in a text, in lower case."""
    return set(_TWICE.findall(text.lower()))


def _replaced(one: str, name: str) -> set[tuple[str, str]]:
    """Return the pairs of a sign of a name and the sign that was written in its place."""
    signs, others = _SIGNS.findall(name), _SIGNS.findall(one.strip())
    return {pair for pair in zip(signs, others, strict=True) if pair[0] != pair[1]} if len(signs) == len(others) else set()


def _were_replaced(
    replaced: Iterable[tuple[str, str]], texts: Collection[str], written: Iterable[str], *, takes_away: bool
) -> bool:
    """Return whether the sign that was replaced in a name may also have been replaced in strings.

    `replaced` are pairs of a sign and its replacement. A sign that is still between two words of the block was not replaced
    everywhere. Most strings of several words are sentences: only a string that may be a name counts.
    """
    kept = {sign for text in written for sign in _BETWEEN.findall(text)}
    others = {other for sign, other in replaced if sign not in kept}
    if takes_away:
        return any(other in text for other in others for text in texts)
    if " " in others and any(map(_SEVERAL_WORDS.fullmatch, texts)):
        return True
    return any(_begins_or_ends_with(other, text) for other in others for text in texts)


def _begins_or_ends_with(sign: str, text: str) -> bool:
    """Return whether a text of one word begins or ends with a sign."""
    return (text.startswith(sign) or text.endswith(sign)) and _ONE_WORD.fullmatch(text.strip(sign)) is not None


def _begins_with_a_capital(name: str) -> bool:
    """Return whether a name begins with a capital for another reason than that capitals divide its words, as in `DropTable`."""
    return name[:1].isupper() and (len(tokens(name)) == 1 or _SIGNS.search(name) is not None)


def _hold_letters(texts: Iterable[str]) -> bool:
    return any(char.isalpha() for text in texts for char in text)


def _begin_so(texts: Iterable[str]) -> bool:
    """Return whether some strings begin with a letter, and all these begin with a capital."""
    first = [text[0] for text in texts if text[:1].upper() != text[:1].lower()]
    return bool(first) and all(map(str.isupper, first))


def _are_capitals(texts: Iterable[str], least: int) -> bool:
    """Return whether all strings with letters are in capitals, and one of them has at least `least` characters."""
    cased = [text for text in texts if text.upper() != text.lower()]
    return all(map(str.isupper, cased)) and any(len(text) >= least for text in cased)
