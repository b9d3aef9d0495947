"""Compares names: finds which known name a written name means, and which it only resembles.

A call with a name that is meant runs; a name that is near becomes a question in a hint. The two are never mixed. A name means
the same words in another spelling, the plural of an alias and, where typing errors are allowed, one mistyped letter inside a
long word. Every other name is near at most.

Rule 1: a word that could be another word is not taken for a mistyped one: an opposite, a unit, a word of the dictionary, a word
of another known name.
Rule 2: a name that could mean two known names means neither: the guard does not guess.
Rule 3: letters of other scripts are different letters, even if they look alike.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ..values.late import late
from .words import BOUND, CASED, NEGATING, opposites

_LONG: Final = 5
"""Shorter words are too similar to each other to distinguish a typing error from another word."""

_VERY_LONG: Final = 9
"""In a word of this length any letter may be missing except the last two, where words are inflected."""

_MOST: Final = 128
"""The longest name that is compared."""

_CUTOFF: Final = 0.801
"""How similar a proposed name must be: one difference in six letters, or two in eleven."""

_LOOSE: Final = (4, 0.74)
"""How similar a field or a value must be: one difference in four letters."""

_WORD: Final = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])"  # writeFile
    r"|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])"  # HTTPServer, but not userIDs
    r"|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])"  # send1
)
_SEPARATORS: Final = re.compile(r"[ \t_.\-/]+")
_BETWEEN_WORDS: Final = late(
    r"(?<=[^\W\d_]{2})[ _.\-](?=[^\W\d_]{2})"  # in_progress, in-progress
    r"|(?<=[a-z]{2})(?=[A-Z][A-Za-z])|(?<=[A-Z]{2})(?=[A-Z][a-z])"  # inProgress
)
_CONSONANTS: Final = late(r"[^aeiouy]{3,}")
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# Lower case of other scripts makes a `k` of the Kelvin sign.


def _parts(name: str) -> list[str]:
    return [token for part in _SEPARATORS.split(name.strip(" ")) for token in _WORD.sub("_", part).split("_")]


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name: `("write", "file")` for `writeFile`, `Write-File` and `write_file`."""
    return tuple(part.translate(_LOWER) for part in _parts(name))


def normal(name: str) -> str:
    """Return one spelling for `writeFile`, `Write-File` and `write_file`."""
    return "_".join(tokens(name))


class Names:
    """A set of known names that finds the one a written name means."""

    __slots__ = ("_aliases", "_joined", "_known", "_normal", "_plural", "_spelt", "_words")

    def __init__(self, known: Iterable[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        self._known: Final = {name: name for name in known}
        self._aliases: Final = [(alias, meant) for alias, meant in aliases if alias not in self._known]
        self._spelt: Final[defaultdict[tuple[str, ...], set[tuple[str, str]]]] = defaultdict(set)
        self._joined: Final[defaultdict[str, set[tuple[str, str]]]] = defaultdict(set)
        self._words: Final[set[str]] = set()
        for name, meant in (*self._known.items(), *self._aliases):
            words = tokens(name)
            self._spelt[words].add((name, meant))
            self._joined["".join(words)].add((name, meant))
            self._words.update(words)
        self._plural: Final[defaultdict[tuple[str, ...], set[str]]] = defaultdict(set)
        for alias, meant in self._aliases:
            for plural in _plurals(tokens(alias)):
                self._plural[plural].add(meant)
        self._normal: Final = [(name, normal(name), meant) for name, meant in (*self._known.items(), *self._aliases)]

    def spelt(self, written: str) -> str | None:
        """Return the meaning of a written name that is a known name or alias, or the words of one in another spelling; None for
        others.
        """
        if written in self._known:
            return self._known[written]
        if len(written) > _MOST:
            return None
        exact = {meant for alias, meant in self._aliases if alias == written}
        if exact:
            return _one(exact)
        words = tokens(written)
        same = {meant for name, meant in self._spelt.get(words, ()) if _same_case(written, name)}
        if not same:
            alike = self._joined.get("".join(words), ())
            same = {meant for name, meant in alike if _joined(words, tokens(name)) and _same_case(written, name)}
        return _one(same)

    def meant(self, written: str) -> str | None:
        """Return the meaning of a written name: as `spelt` does, and also of the plural of an alias, or of a name with one
        mistyped letter inside a long word.
        """
        spelt = self.spelt(written)
        if spelt is not None or len(written) > _MOST:
            return spelt
        words = tokens(written)
        found = set(self._plural.get(words, ()))
        if not found and any(len(word) >= _LONG - 1 for word in words):  # one letter may be missing
            found = {meant for known in self._spelt if self._slipped(words, known) for _, meant in self._spelt[known]}
        return _one(found)

    def near(self, written: str) -> str | None:
        """Return the known name that a written name may have been meant to be; None if none is near. The result is for a
        question only, never to run a call.
        """
        return self.meant(written) or _near(written, self._normal, _LONG, _CUTOFF)

    def nearest(self, written: str) -> str | None:
        """Return the known name to propose instead of a written one, by a looser measure than `near`; None if none is near."""
        return self.spelt(written) or _near(written, self._normal, *_LOOSE)

    def _slipped(self, written: tuple[str, ...], known: tuple[str, ...]) -> bool:
        """Return whether exactly one word differs, and differs from the known word by one mistyped letter."""
        if len(written) != len(known):
            return False
        other = [(one, two) for one, two in zip(written, known, strict=True) if one != two]
        return len(other) == 1 and other[0][0] not in self._words and slipped(*other[0]) and not _is_word(other[0][0])


def _one(found: set[str]) -> str | None:
    return found.pop() if len(found) == 1 else None


# -- values ------------------------------------------------------------------------------------------------------------


class Choices:
    """The few texts that a field takes, and which of them another spelling means.

    A name is an identifier, and its signs only part its words. A value may be a sign: `A-`, `-0.5`, `9-5`, `1/2`. So a blank,
    `_`, `-` and `.` count as equal only between two words of letters, one sign for one sign. A slash equals none of them.
    """

    __slots__ = ("_choices", "_lower", "_plain", "_sizes")

    def __init__(self, words: Iterable[str]) -> None:
        self._choices: Final = frozenset(words)
        self._lower: Final[defaultdict[str, set[str]]] = defaultdict(set)
        self._plain: Final[defaultdict[str, set[str]]] = defaultdict(set)
        for word in self._choices:
            self._lower[word.translate(_LOWER)].add(word)
            self._plain["".join(tokens(word))].add(word)
        self._sizes: Final = {len(plain) for plain in self._plain} - {0}

    def spelt(self, written: str) -> str | None:
        """Return the only choice of which a text is another spelling: with other capitals, or other signs between its words."""
        if written in self._choices:
            return written
        if len(written) > _MOST:
            return None
        cased = self._lower.get(written.translate(_LOWER), set())
        letters = "".join(tokens(written))
        found = cased or self._plain.get(letters, set())
        if len(found) != 1:
            return None
        (choice,) = found
        if not cased:
            words, known = _words_of_a_value(written), _words_of_a_value(choice)
            same = words == known or ("".join(words) == "".join(known) and _joined(words, known))
            if not same or self._joins_others(letters, choice):
                return None
        return choice if _may_differ_in_capitals(written, choice) else None

    def _joins_others(self, letters: str, choice: str) -> bool:
        """Return whether the letters of a text join several other choices: `read write` with `read` and `write` as choices."""
        ends = {0}
        for at in range(len(letters)):
            if at in ends:
                ends.update(at + size for size in self._sizes if self._plain.get(letters[at : at + size], {choice}) != {choice})
        return len(letters) in ends


def _words_of_a_value(text: str) -> tuple[str, ...]:
    """Return the words of a value, divided at blanks, `_`, `-` and `.` between letters. Other signs stay in the words: `-0.5`
    is one.
    """
    return tuple(_BETWEEN_WORDS.sub("\0", text).translate(_LOWER).split("\0"))


def signs(text: str) -> str:
    """Return a value without its letters and the signs between its words: `-0.5 ` of `-0.5 kelvin`, nothing of `read-only`."""
    return "".join(sign for word in _words_of_a_value(text) for sign in word if not sign.isalpha())


def _may_differ_in_capitals(written: str, choice: str) -> bool:
    """Return whether the capitals of a text may be ignored. They may not in a unit (`Mb`), nor in a single letter (`A-`), also
    before a unit.

    All letters of a word may be capitals, or the first, or none. A single letter between two signs is a word of its own if a
    long word is beside it (`x_axis`).
    """
    parts, letters, at = _parts(choice), "".join(_parts(written)), 0
    words = [word for word in re.split(r"[\W\d_]+", choice) if word]
    if letters != "".join(parts) and any(word.translate(_LOWER) in CASED for word in words):
        return False
    named = any(len(word) >= _LONG - 1 and word.translate(_LOWER) not in opposites() for word in words)
    alone = {word for word in _SEPARATORS.split(choice) if len(word) == 1} if named else set()
    for part in parts:
        here = letters[at : at + len(part)]
        at += len(part)
        single = sum(not sign.isdigit() for sign in part) == 1 and part not in alone
        if here != part and (single or here not in (here.lower(), here.upper(), here.capitalize())):
            return False
    return True


# -- spelling ----------------------------------------------------------------------------------------------------------


def _joined(written: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Return whether two names of the same letters are the same words: `filename`, `file_name`; not `resign`, `re_sign`."""
    if "" in (*written, *known):
        return False  # a separator at an end says something, whatever it is
    ends: list[set[int]] = []
    for words in (written, known):
        at, here = 0, set()
        for word in words:
            at += len(word)
            here.add(at)
        ends.append(here)
    for words, others in ((written, ends[1]), (known, ends[0])):
        at = 0
        for word, behind in pairwise(words):
            at += len(word)
            if at not in others and (not _splits(word, behind) or word in BOUND):
                return False
    return True


def _splits(word: str, behind: str) -> bool:
    """Return whether `word` and `behind` may be two parts of one word. Each needs several letters: one letter may be a unit or
    an axis.
    """
    return all(part.isascii() and part.isalpha() and len(part) > 1 for part in (word, behind))


def _same_case(written: str, known: str) -> bool:
    """Return False if the names differ only in the case of a unit (`size_Gb`, `size_GB`).

    True if one of them is all lower or all upper case: its case is no evidence.
    """
    if any(name in (name.lower(), name.upper()) for name in (written, known)):
        return True
    pairs = zip(_parts(written), _parts(known), strict=False)
    return not any(one != other and one.lower() == other.lower() and one.lower() in CASED for one, other in pairs)


def _plurals(alias: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return the plurals of an alias."""
    *above, last = alias
    made = {last + "s", last + "es", *([last[:-1] + "ies"] if last.endswith("y") else [])}
    return {(*above, plural) for plural in made if last.isascii() and last.isalpha() and len(last) > 1}


# -- slips -------------------------------------------------------------------------------------------------------------


def slipped(written: str, word: str) -> bool:
    """Return whether one letter inside a long word is transposed, doubled or missing.

    The first and the last letter must be the same: another letter there changes the form of a word (`created`, `users`) or its
    meaning (`latitude`, `altitude`). A negating part must be the same, too. A letter may be missing if it was one of a double
    letter, if the remaining consonants cannot be pronounced, or if the word is very long. In other cases the rest is too often
    another word (`country`, `county`).
    """
    if (
        len(word) < _LONG
        or abs(len(written) - len(word)) > 1
        or not all(one.isascii() and one.isalpha() for one in (word, written))
    ):
        return False
    if (written[0], written[-1]) != (word[0], word[-1]):
        return False
    if any(written.startswith(prefix) is not word.startswith(prefix) for prefix in NEGATING):
        return False
    at = next((at for at, (one, two) in enumerate(zip(written, word, strict=False)) if one != two), 0)
    if len(written) == len(word):
        return written == word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    if len(written) == len(word) + 1:
        twice = written[at - 1] == written[at] != written[at - 2] and written[:at] + written[at + 1 :] == word
        return twice and 1 < at < len(word)
    if len(written) != len(word) - 1 or word[:at] + word[at + 1 :] != written:
        return False
    if word[at] == word[at - 1]:
        return at > 1
    if len(word) >= _VERY_LONG and at < len(word) - 2:
        return True
    return any(run[0] not in word for run in _CONSONANTS.finditer(written))


def _is_word(written: str) -> bool:
    """Return whether a word is in the list of lookalikes, and so no typing error."""
    from .lookalikes import LOOKALIKES  # deferred: only a word that nobody knows gets this far

    return written in opposites() or written in LOOKALIKES or (written.endswith("s") and written[:-1] in LOOKALIKES)


# -- what is only near -------------------------------------------------------------------------------------------------


def _near(written: str, known: list[tuple[str, str, str]], least: int, cutoff: float) -> str | None:
    """Return the meaning of the one known name that is near enough to ask for; None if there is none. A name of opposite
    meaning is never returned.
    """
    spelt = normal(written)
    if len(spelt) < least or len(spelt) > _MOST:
        return None
    from rapidfuzz import process  # deferred, like the dictionary
    from rapidfuzz.distance import OSA

    found = process.extract(
        spelt, [name for _, name, _ in known], scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=None
    )
    return _one({known[at][2] for _, _, at in found if not posed(written, known[at][0])})


def posed(one: str, other: str) -> bool:
    """Return whether two similar names mean different things because an opposite, a unit, a direction or a number differs in
    them.
    """
    words, others = tokens(one), tokens(other)
    if len(words) != len(others):
        return False
    return any(
        word != known and (word.isdecimal() or known.isdecimal() or known in opposites().get(word, ()) or _negated(word, known))
        for word, known in zip(words, others, strict=True)
    )


def _negated(word: str, other: str) -> bool:
    """Return whether one word is the negation of the other."""
    return any(prefix + word == other or prefix + other == word for prefix in NEGATING)


def nearest_of(word: object, words: object) -> str | None:
    """Return the word of `words` to propose instead of `word`; None if none is near, or if either is not text."""
    if not isinstance(word, str) or not isinstance(words, list | tuple):
        return None
    return _names_of(tuple(other for other in words if isinstance(other, str))).nearest(word)


def nearest_choice(word: object, words: object) -> str | None:
    """Return the value of `words` to propose instead: none whose signs or capitals differ in meaning from those of `word`."""
    found = nearest_of(word, words)
    if found is None or not isinstance(word, str) or not isinstance(words, list | tuple):
        return None
    alike = tokens(word) == tokens(found)
    if signs(word.strip()) != signs(found) or (alike and not _may_differ_in_capitals(word, found)):
        return None
    return found


@lru_cache(maxsize=64)
def _names_of(words: tuple[str, ...]) -> Names:
    """Return a `Names` of these words, cached so that the issues of one call share it."""
    return Names(words)
