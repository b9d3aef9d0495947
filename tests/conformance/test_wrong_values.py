"""Parsers that are wrong in the values of calls, in one form alone: each form's own rows tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Ran, Verdict, check
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Item
from stream_guard_conformance.conform.trying import answer_of
from stream_guard_conformance.corpus import Row, corpus
from stream_guard_conformance.corpus.dialects import DIALECTS
from stream_guard_conformance.corpus.native_rows import STREAMED, whole_replies

from tests.kit.wrong_parsers import wrong

Change = Callable[[Any], Any]


def objects(change: Change) -> Change:
    """Change each object, the innermost ones first."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return change({key: walk(held) for key, held in value.items()})
        return [walk(held) for held in value] if isinstance(value, list) else value

    return walk


def members(drops: Callable[[Any], bool]) -> Change:
    """Drop the members whose values are like this."""
    return objects(lambda held: {key: value for key, value in held.items() if not drops(value)})


def keys(drops: Callable[[str], bool]) -> Change:
    """Drop the members whose names are like this."""
    return objects(lambda held: {key: value for key, value in held.items() if not drops(key)})


def lists(change: Change) -> Change:
    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(held) for key, held in value.items()}
        return change([walk(held) for held in value]) if isinstance(value, list) else value

    return walk


def texts(change: Change) -> Change:
    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(held) for key, held in value.items()}
        if isinstance(value, list):
            return [walk(held) for held in value]
        return change(value) if isinstance(value, str) else value

    return walk


def flat(items: list[Any]) -> list[Any]:
    return [one for held in items for one in (held if isinstance(held, list) else [held])]


def read_as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_as_a_number(text: str) -> Any:
    try:
        return float(text) if "." in text else text
    except ValueError:
        return text


def cut_at(depth: int) -> Change:
    """Write what lies deeper as a text."""

    def walk(value: Any, level: int = 0) -> Any:
        if isinstance(value, dict | list) and level >= depth:
            return json.dumps(value)
        if isinstance(value, dict):
            return {key: walk(held, level + 1) for key, held in value.items()}
        return [walk(held, level + 1) for held in value] if isinstance(value, list) else value

    return walk


CHANGES: dict[str, Change] = {
    "zero is dropped": members(lambda value: value == 0 and not isinstance(value, bool)),
    "false is dropped": members(lambda value: value is False),
    "an empty list is dropped": members(lambda value: value == []),
    "an empty object is dropped": members(lambda value: value == {}),
    "a text that is JSON is read": texts(lambda text: read_as_json(text) if text[:1] in "{[" and text else text),
    "a text that is a number is read": texts(read_as_a_number),
    "a text of blanks is empty": texts(lambda text: text if text.strip() else ""),
    "`True` is a truth value": texts(lambda text: True if text == "True" else text),
    "lists end after three items": lists(lambda items: items[:3]),
    "lists end after ten items": lists(lambda items: items[:10]),
    "lists in lists are flat": lists(flat),
    "equal items of a list are one": lists(lambda items: [item for at, item in enumerate(items) if item not in items[:at]]),
    "the sixth level is a text": cut_at(5),
    "the ninth level is a text": cut_at(8),
    "names with a dollar are dropped": keys(lambda key: key.startswith("$")),
    "names that are numbers are dropped": keys(str.isdigit),
    "descriptions are dropped": keys(lambda key: key == "description"),
    "a nested `tool` is dropped": lambda held: {key: keys(lambda name: name == "tool")(value) for key, value in held.items()},
    "names are the same in any case": objects(lambda held: {key.lower(): value for key, value in held.items()}),
    "comments of HTML are dropped": texts(lambda text: re.sub("<!--.*?-->", "", text)),
    "a text ends at tildes": texts(lambda text: text.partition("~~~")[0]),
}  # fmt: skip
"""What is made of the arguments of each call."""


FORMS = {
    "a fence": ("carried/fences", ""),
    **{f"the dialect {name}": ("carried/dialects", name) for name in DIALECTS},
    **{f"native calls of {name}": ("carried/native", name) for name in STREAMED},
    **{f"a whole reply of {name}": ("carried/replies", name) for name in whole_replies([])},
}
"""The forms of calls: the class of their rows, and the dialect or protocol."""


@cache
def answers(form: str) -> list[tuple[Row, Answer]]:
    """The rows of a form, and what the guard makes of them."""
    kind, name = FORMS[form]
    rows = [row for row in corpus(only=(kind,)) if name in ("", row.dialect, row.protocol)]
    return [(row, answer_of(GuardParser(), row.question())) for row in rows]


def verdicts(form: str, change: Change) -> set[Verdict]:
    """The verdicts on the guard, which reads this form, and changes the arguments of the calls that it runs."""

    def changed(item: Item) -> Item:
        return Ran(item.name, change(item.arguments), item.choice) if isinstance(item, Ran) else item

    return {
        check(row, Answer([[changed(item) for item in step] for step in answer.steps]), GuardParser.capabilities).verdict
        for row, answer in answers(form)
    }


CANNOT_WRITE = {("the dialect cline_xml", "a text of blanks is empty")}
"""Where a form cannot write such a value without doubt, so that a call with it may also be refused."""


@pytest.mark.parametrize("form", FORMS)
def test_who_changes_the_values_of_one_form_is_told_by_the_rows_of_that_form(form: str) -> None:
    untold = {what for what, change in CHANGES.items() if Verdict.CALL_WRONG not in verdicts(form, change)}
    assert untold == {what for other, what in CANNOT_WRITE if other == form}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "change",
    [
        objects(lambda held: dict(sorted(held.items()))),
        lambda value: json.loads(json.dumps(value), parse_int=lambda digits: float(digits) if len(digits) < 9 else int(digits)),
    ],
    ids=["members in another order", "numbers that are doubles"],
)
@pytest.mark.some(20)
def test_who_gives_the_same_values_in_another_way_is_right(form: str, change: Change) -> None:
    assert not wrong(verdicts(form, change))
