"""Decides whether two values are two ways to write the same.

Rule: no value is changed, cut or made up; only its type, the blanks or quotes around it, and the spelling of a listed choice
may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from ..schema.fields import Field
from ..schema.items import parts_items, speaks_of_items
from ..schema.json_text import parse
from ..schema.spelling import Choices, Names, normal, signs

NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_GROUPED: Final = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_TOKEN: Final = re.compile(rf"(?<![\w.+\-]){NUMBER.pattern}(?![\w.])")
LITERALS: Final = {"true": True, "True": True, "false": False, "False": False}
_ESCAPED_BEGINNING: Final = re.compile(r"\s*[\t-\r](?=\w)")

_AROUND: Final = re.compile(r"\s*([\"'`])(.*)\1\s*", re.DOTALL)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, also in type, sign and order of items."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def says_the_same(before: Any, after: Any, text: str, about: Field | None = None, *, slips: bool = True) -> bool:
    """Return whether one value is another way to write the other.

    Args:
        before: The value in the block.
        after: The value in the correction.
        text: The text from which `before` was read, with the spelling of its numbers.
        about: The field of the value; None if it is unknown.
        slips: Whether a listed choice may be written with a typing slip.
    """
    if isinstance(before, list) and len(before) == 1 and not isinstance(after, list):
        return same(before[0], after) or (
            not isinstance(before[0], list) and says_the_same(before[0], after, text, about, slips=slips)
        )
    if isinstance(after, list) and len(after) == 1 and not isinstance(before, list | str):
        return same(before, after[0])
    if isinstance(before, bool):
        return same(json.dumps(before), after)
    if isinstance(before, str):
        return _text_says(before, after, about, slips=slips)
    if isinstance(before, int | float):
        return _number_says(before, after, text)
    if isinstance(before, list) and before and all(isinstance(item, str) for item in before):
        return same(_lines(before), after)
    return isinstance(before, list | Mapping) and _object_says(before, after)


def _text_says(before: str, after: Any, about: Field | None, *, slips: bool) -> bool:
    if isinstance(after, str):
        if about is not None and about.allowed:
            return _chosen(before, after, about, slips=slips)
        quoted = _AROUND.fullmatch(before)
        return after != "" and after in (bare(before), quoted[2] if quoted is not None else after + "?")
    if isinstance(after, Mapping | list):
        read = parse(before)
        if read.ok and isinstance(read.value, Mapping | list):
            return same(read.value, after)
        alone = isinstance(after, list) and len(after) == 1 and same(before, after[0])
        return alone and not parts_items(before) and not speaks_of_items(before)
    return spells(before.strip(), after)


def spells(word: str, value: Any) -> bool:
    """Return whether a text spells exactly this number or this truth value."""
    if isinstance(value, bool):
        return LITERALS.get(word) is value
    if not isinstance(value, int | float):
        return False
    if not NUMBER.fullmatch(word):
        return bool(_GROUPED.fullmatch(word)) and isinstance(value, int) and int(word.replace(",", "")) == value
    # A float is exactly its shortest spelling. Another spelling of the same float may have lost digits.
    return word.startswith("-") is json.dumps(value).startswith("-") and Decimal(word) == Decimal(json.dumps(value))


def may_be_several(said: Any) -> bool:
    """Return whether an item of a list, or the only item of a list, may be several numbers: `"80,443"`."""
    if isinstance(said, list):
        return any(map(may_be_several, said))
    return isinstance(said, str) and _GROUPED.fullmatch(said.strip()) is not None


def _number_says(before: float, after: Any, text: str) -> bool:
    if isinstance(after, str):
        words = {word for word in _TOKEN.findall(text) if spells(word, before)}
        return words == {after}
    return not isinstance(after, bool) and isinstance(after, int | float) and spells(json.dumps(before), after)


def _object_says(before: Any, after: Any) -> bool:
    if not isinstance(after, str) or not before:
        return False
    read = parse(after)
    return read.ok and same(before, read.value)


def _lines(items: list[str]) -> str | None:
    """Return the string with these lines, each of which ends with its own line end.

    None for any other list of strings, since it is undetermined how to join them.
    """
    ended = all(item.endswith("\n") and item.count("\n") == 1 for item in items[:-1])
    return "".join(items) if ended and "\n" not in items[-1][:-1] else None


def bare(text: str) -> str:
    r"""Return a text without the blanks around it. A tab or a line end before a word is kept: `\temp` may lack a backslash."""
    return text if _ESCAPED_BEGINNING.match(text) else text.strip()


def relative(path: str) -> str:
    """Return a path in the form that a workspace allows, if only its spelling was wrong; else the path itself."""
    return re.sub(r"/+", "/", re.sub(r"^(?:\./|/)+", "", bare(path).replace("\\", "/")))


def _chosen(before: str, value: str, about: Field, *, slips: bool) -> bool:
    """Return whether `before` is another spelling or, with `slips`, a slip of `value`, one of the few that the field allows."""
    words = [word for word in about.allowed if isinstance(word, str)]
    if len(set(map(normal, words))) != len(words):
        return False
    if Choices(words).spelt(before) == value:
        return True
    names = Names(words)  # a slip is possible in a word of letters; other signs beside it may be part of the value
    return slips and names.spelt(before) is None and names.meant(before) == value and signs(before) == signs(value)


def once(items: list[Any]) -> list[Any]:
    """Return the items without repetitions, each at its first place."""
    kept: list[Any] = []
    for item in items:
        if not any(same(item, other) for other in kept):
            kept.append(item)
    return kept
