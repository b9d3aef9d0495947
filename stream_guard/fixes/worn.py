"""Finds texts that may wear the damage that a mended name shows.

A name is known, so what happened to it is undone: a blank inside its quotes, a sign that stands there twice, blanks or capitals
in place of its own. What happened to a text nobody can see. Where one looks as the name did, the same may have happened to it.

Rule: a check only refuses. It looks at what was written for the names, and at the texts of all calls of the block.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from ..schema.spelling import tokens

_EDGE: Final = re.compile(r"\A\s|\s\Z")
_TWICE: Final = re.compile(r"[ \t_.\-/]{2,}")
_BLANK_FOR_A_SIGN: Final = re.compile(r"\w \w")
_NAME_WITH_BLANKS: Final = re.compile(r"\w+(?: \w+){1,3}")
_WITH_A_SIGN: Final = re.compile(r"\w[_\-./]\w")
_LONG: Final = 5


def wears_a_damage(
    names: Iterable[tuple[str, str]], texts: Collection[str], written: Collection[str], *, takes_away: bool
) -> bool:
    """Return whether a text looks as a name did before it was mended.

    Args:
        names: What was written for a name, and the name.
        texts: The texts of all calls.
        written: All texts and keys of the block, as they were written.
        takes_away: Whether a tool among them is destructive: then less is enough.
    """
    return any(_is_worn(one, name, texts, written, takes_away=takes_away) for one, name in names)


def _is_worn(one: str, name: str, texts: Collection[str], written: Collection[str], *, takes_away: bool) -> bool:
    if _EDGE.search(one) and any(map(_EDGE.search, texts)):
        return True
    twice = {run for run in _TWICE.findall(one.strip()) if run not in name}
    if any(run in text for run in twice for text in texts):
        return True
    if tokens(one) != tokens(name):
        return False  # it is another name, and no damaged one
    if _BLANK_FOR_A_SIGN.search(one) and not _BLANK_FOR_A_SIGN.search(name):
        if any(map(_WITH_A_SIGN.search, written)):
            return False  # a sign between two words came through
        return any(_BLANK_FOR_A_SIGN.search(text) if takes_away else _NAME_WITH_BLANKS.fullmatch(text) for text in texts)
    return one.isupper() and not name.isupper() and _are_capitals(texts, 1 if takes_away else _LONG)


def _are_capitals(texts: Iterable[str], least: int) -> bool:
    """Return whether all letters of the texts are capitals, and a text has at least so many."""
    cased = [text for text in texts if text.upper() != text.lower()]
    return all(map(str.isupper, cased)) and any(len(text) >= least for text in cased)
