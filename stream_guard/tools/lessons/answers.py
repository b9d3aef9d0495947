"""Finds the right answers of a question that states them apart from its answers: by text, letter, number, or true or false.

Rule 1: a number is an answer's own id, or it counts from 0 or from 1: as its field's name states, or as all questions of the
quiz allow. If both are possible, it means no answer.
Rule 2: a value that could mean two answers means none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from . import html
from .names import FROM_ONE, FROM_ZERO, RIGHT, folded, found, plain
from .reading import flag

_LABELS: Final = ("id", "letter", "letra", "key", "chave", "label", "rotulo", "option", "opcao", "number", "numero", "value")
"""The fields of an answer that may name it."""

_LETTER: Final = re.compile(r"(?:(?:option|alternative|answer|letter|opcao|alternativa|resposta|letra)\s+)?\(?([a-z])[).:]?")
_LABELLED: Final = re.compile(r"\(?[a-z0-9]\s?[).:]\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class StatedAnswers:
    """The statement of a question about its right answers, and the answers of the question."""

    key: str
    """The field that holds the statement."""

    values: tuple[Any, ...]
    """The values in the statement, each of which means one answer."""

    bases: tuple[int, ...]
    """The possible numbers of the first answer. A number that the field's name states comes first."""

    texts: tuple[str, ...]
    """The texts of the answers as a reader sees them, without case and accents."""

    labels: tuple[str, ...]
    """The labels of the answers, such as letters; empty if they have none."""

    def fits(self, base: int) -> bool:
        """Return whether all numbers in the statement mean an answer, if the first answer has the number `base`."""
        return all(0 <= number - base < len(self.texts) for number in map(self._number, self.values) if number is not None)

    def right(self, base: int | None) -> frozenset[int] | None:
        """Return the indexes of the right answers, if the first answer has the number `base`; None if a value means none, or
        could mean several.
        """
        places = [self._place(value, base) for value in self.values]
        return frozenset(place for place in places if place is not None) if places and None not in places else None

    def _number(self, value: Any) -> int | None:
        """Return the number in a value that counts answers; None for any other value."""
        if isinstance(value, bool) or self._labelled(value) is not None:
            return None
        if isinstance(value, int):
            return value
        digits = isinstance(value, str) and re.fullmatch(r"\s*\d{1,2}\s*", value, re.ASCII)
        return int(value) if digits and (self.bases or self._text(value) is None) else None

    def _place(self, value: Any, base: int | None) -> int | None:
        if isinstance(value, bool):
            return _only([flag(text) is value and not text.isdigit() for text in self.texts])
        number, text, label = self._number(value), self._text(value), self._labelled(value)
        counted = number - base if number is not None and base is not None else None
        if number is not None and counted is None:
            return None
        if counted is not None and self.bases:
            return counted
        places = {place for place in (counted, text, label, self._letter(value)) if place is not None}
        return places.pop() if len(places) == 1 else None

    def _text(self, value: Any) -> int | None:
        if not isinstance(value, str | int) or isinstance(value, bool):
            return None
        said = shown(str(value))
        exact = _only([text == said for text in self.texts])
        if exact is not None or not said:
            return exact
        bare = _bare(said)
        return _only([_bare(text) == bare for text in self.texts]) if len(bare) > 1 else None

    def _labelled(self, value: Any) -> int | None:
        if not self.labels or not isinstance(value, str | int) or isinstance(value, bool):
            return None
        said = plain(str(value))
        letter = _LETTER.fullmatch(said)
        return _only([label in (said, letter[1] if letter is not None else said) for label in self.labels])

    def _letter(self, value: Any) -> int | None:
        if self.labels or not isinstance(value, str):
            return None
        letter = _LETTER.fullmatch(plain(value))
        place = ord(letter[1]) - ord("a") if letter is not None else -1
        return place if 0 <= place < len(self.texts) else None


def told(question: Mapping[str, Any], labels: Sequence[str] = ()) -> StatedAnswers | None:
    """Return the statement of a question about its right answers; None if there is none.

    `labels` are the keys of the answers, if the answers were a mapping.
    """
    answers = question["answers"]
    beside = {key: value for key, value in question.items() if key != "answers"}
    for rows, bases in ((FROM_ZERO, (0, 1)), (FROM_ONE, (1,)), (RIGHT, (0, 1))):
        key = found(beside, rows)
        if key is not None:
            value = question[key]
            if isinstance(value, dict):
                value = next((value[name] for name in ("text", "texto", "id", "letter", "letra") if name in value), None)
            texts = tuple(shown(_text_of(answer)) for answer in answers)
            kinds = bases if rows is not RIGHT else ()
            return StatedAnswers(
                key, tuple(value) if isinstance(value, list) else (value,), kinds, texts, _labels(answers, labels)
            )
    return None


def base_of(all_told: Sequence[StatedAnswers]) -> dict[tuple[int, ...], int | None]:
    """Return the number of the first answer for each kind of statement: the number with which all questions make sense; None if
    there are several.
    """
    found: dict[tuple[int, ...], int | None] = {}
    for bases in {one.bases for one in all_told}:
        group = [one for one in all_told if one.bases == bases]
        fit = [base for base in (bases or (0, 1)) if all(one.fits(base) for one in group)]
        found[bases] = fit[0] if fit and (bases or len(fit) == 1) else None
    return found


def shown(text: Any) -> str:
    """Return a text as a reader sees it, without case and accents."""
    return " ".join(plain(html.visible(text)).split()) if isinstance(text, str) else ""


def _only(matches: Sequence[bool]) -> int | None:
    return matches.index(True) if matches.count(True) == 1 else None


def _bare(text: str) -> str:
    """Return a text without a letter before it, and without a full stop at its end."""
    return _LABELLED.sub("", text, count=1).rstrip(" .")


def _text_of(answer: Any) -> Any:
    text = answer.get("text") if isinstance(answer, dict) else answer
    return str(text) if isinstance(text, int | float) and not isinstance(text, bool) else text


def _labels(answers: Sequence[Any], keys: Sequence[str]) -> tuple[str, ...]:
    if keys:
        return tuple(map(plain, keys))
    for name in _LABELS:
        named = [
            next((answer[key] for key in answer if folded(key) == name), None) for answer in answers if isinstance(answer, dict)
        ]
        if len(named) == len(answers) and all(isinstance(one, str | int) and not isinstance(one, bool) for one in named):
            labels = tuple(plain(str(one)) for one in named)
            if len(set(labels)) == len(labels):
                return labels
    texts = [re.match(r"\(?([a-z])\s?[).:]\s+\S", shown(_text_of(answer))) for answer in answers]
    letters = tuple(one[1] for one in texts if one is not None)
    return letters if len(letters) == len(answers) == len(set(letters)) else ()
