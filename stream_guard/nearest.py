"""Which known word an unknown one was meant to be.

Rule: a word that is as near to one as to another means neither. Ambiguity is not a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_FROM: Final = 5
"""Shorter words are too much like each other for a slip to be told from another word."""

_CUTOFF: Final = 0.801
"""Less than one slip in five letters: one in six, two in eleven."""

_LOOSE: Final = (4, 0.74)
"""The same where a word is only proposed, and nothing is done on the strength of it: one slip in four letters."""

_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS: Final = re.compile(r"[\s_.\-/]+")


def normal(word: str) -> str:
    """One spelling for `writeFile`, `Write-File` and `write_file`."""
    return _SEPARATORS.sub("_", _HUMPS.sub("_", word.strip())).lower()


def nearest(word: str, known: Mapping[str, str], *, least: int = _FROM, cutoff: float = _CUTOFF) -> str | None:
    """What a word means: another spelling of a known one, or a slip of the pen with nothing else near.

    `known` holds the normal spellings, and what each stands for.
    """
    spelt = normal(word)
    exact = known.get(spelt)
    if exact is not None or len(spelt) < least:
        return exact
    from rapidfuzz import process  # deferred: only a word that nobody knows gets this far
    from rapidfuzz.distance import OSA

    near = process.extract(spelt, list(known), scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=None)
    meant = {known[other] for other, _, _ in near}
    return meant.pop() if len(meant) == 1 else None


def nearest_of(word: object, words: object) -> str | None:
    """Which of these words to propose instead, in whatever list they come; None when there are no words."""
    if not isinstance(word, str) or not isinstance(words, list | tuple):
        return None
    least, cutoff = _LOOSE
    return nearest(word, {normal(other): other for other in words if isinstance(other, str)}, least=least, cutoff=cutoff)
