"""An object whose members come one by one: the JSON of any object, whole and in pieces, and never half of one as the whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from stream_guard_adapters.engine.unfinished import is_unfinished
from stream_guard_adapters.protocols.object_text import BEGIN, END, Member, ObjectText


def members(value: Any, path: str, chance: Random) -> Iterator[Member]:
    """The members of an object, in its order; texts in pieces."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from members(inner, f"{path}.{key}" if key.isalnum() else f"{path}[{json.dumps(key)}]", chance)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from members(inner, f"{path}[{index}]", chance)
    elif isinstance(value, str) and chance.random() < 0.7:
        at = 0
        while at < len(value):
            size = chance.randint(1, 4)
            yield Member(path, value[at : at + size], more=True)
            at += size
        yield Member(path, "")
    else:
        yield Member(path, value)


def drawn(chance: Random, depth: int = 0) -> Any:
    kind = chance.randrange(8 if depth < 4 else 6)
    if kind < 6:
        return chance.choice(["", "a", 'say "hi"\n', "\\d", "é😀", 0, -1.5, 1e30, 7, True, False, None])
    if kind == 6:
        return [drawn(chance, depth + 1) for _ in range(chance.randint(1, 3))]
    keys = chance.sample(["a", "b", "path", "a b", "x.y", 'q"q', "é"], chance.randint(1, 4))
    return {key: drawn(chance, depth + 1) for key in keys}


def test_any_object_is_written_as_it_is_told() -> None:
    """Whatever is said at a time; and what is there before its end reads as unfinished."""
    for seed in range(400):
        chance = Random(seed)
        value = {key: drawn(chance) for key in chance.sample("abcdef", chance.randint(0, 5))}
        told = [*members(value, "$", chance), END]
        text, made = "", ObjectText()
        while told:
            assert not text or is_unfinished(text)
            size = chance.randint(1, 3)
            text += made.add(told[:size])
            told = told[size:]
        assert json.loads(text) == value
        assert made.add([END, Member("$.more", 1)]) == ""


def test_an_object_that_has_begun_is_there() -> None:
    made = ObjectText()
    assert (made.add([BEGIN]), made.add([BEGIN]), made.add([END])) == ("{", "", "}")


def test_a_number_is_the_number_that_every_client_reads() -> None:
    assert ObjectText().add([Member("$.a", 5.0), Member("$.b", 0.5), Member("$.c", True), END]) == '{"a":5,"b":0.5,"c":true}'


@pytest.mark.parametrize(
    "told",
    [
        [Member("$.a", 1), Member("$.a", 2)],
        [Member("$.a.b", 1), Member("$.c", 1), Member("$.a.d", 1)],
        [Member("$.a[1]", 1)],
        [Member("$.a[0]", 1), Member("$.a[2]", 1)],
        [Member("$.a[0]", 1), Member("$.a.b", 1)],
        [Member("$.a", 1), Member("$.a.b", 1)],
        [Member("$[0]", 1)],
        [Member("$", 1)],
        [Member("a", 1)],
        [Member("", 1)],
        [Member("$.a[x]", 1)],
        [Member("$..a", 1)],
        [Member("$.a" + ".b" * 100, 1)],
        [Member("$.a", {"b": 1})],
        [Member("$.a", float("nan"))],
        [Member("$.a", 1, more=True)],
        [Member("$.a", "x", more=True), Member("$.b", "y")],
        [Member("$.a", "x", more=True), Member("$.a", 1)],
        [Member("$.a", "x", more=True)],
    ],
)
def test_what_cannot_be_read_is_never_whole(told: Sequence[Member]) -> None:
    """Nor what comes behind it; nor an object that was given up."""
    for before in ([], [Member("$.z", "before")]):
        made = ObjectText()
        text = "".join(map(made.add, ([*before], told, [Member("$.y", 1)], [END])))
        assert is_unfinished(text)
    given_up = ObjectText()
    given_up.give_up()
    assert is_unfinished(given_up.add([Member("$.a", 1), END]))
