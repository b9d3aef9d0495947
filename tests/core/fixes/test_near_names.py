"""Members whose name is nearly that of a field that their object lacks."""

from __future__ import annotations

import re

import pytest

from stream_guard.fixes.near_names import near_members
from stream_guard.schema.schema import Schema

TEXT = {"type": "string"}
INNER = {"type": "object", "properties": {"role": TEXT}}
FIELDS = Schema(
    {"type": "object", "properties": {"via": TEXT, "all": TEXT, "x1": TEXT, "author": INNER, "rows": {"items": INNER}}}
).fields


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"vai": "a", "al": "b"}, [("vai",), ("al",)]),
        ({"vai": "a", "via": "b"}, []),
        ({"x2": "a", "y": "b", "colour": "c"}, []),
        ({"functions.via": "a"}, [("functions.via",)]),
        ({"author": {"rloe": "a"}, "rows": [{"role": "b"}, {"roles": "c"}]}, [("author", "rloe"), ("rows", 1, "roles")]),
    ],
)
def test_a_name_is_compared_with_the_fields_that_its_object_lacks(value: object, paths: list[tuple[str | int, ...]]) -> None:
    assert [one.path for one in near_members(value, FIELDS)] == paths


NAMES = ("notify", "keep_files", "roles", "email", "until", "limit", "id", "dueDate", "x1")


def _beside(name: str) -> set[str]:
    """Names that a model may write for this one: of a picture, begun twice, with a word more or less."""
    words = [word.lower() for word in re.findall(r"[A-Za-z][a-z]*", name)]
    joined = "".join(words)
    read = {joined.replace("o", "0"), joined.replace("i", "1"), joined.replace("l", "1"), joined.replace("s", "5")}
    more = {f"all_{name}", f"{name}_now", f"{words[0]}-all-{'-'.join(words[1:])}".rstrip("-")} if len(joined) > 1 else set()
    twice = {joined + words[-1], words[0] + joined, joined + joined} if len(joined) > 2 else set()
    less = {words[0], words[-1]} if len(words) > 1 else set()
    return (read | more | twice | less) - {name}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_the_words_or_the_letters_of_an_absent_one_is_near_it(name: str) -> None:
    fields = Schema({"type": "object", "properties": {name: TEXT, "other_thing": TEXT}}).fields
    for key in sorted(_beside(name)):
        assert [one.path for one in near_members({key: "a"}, fields)] == [(key,)], key
        assert not list(near_members({key: "a", name: "b", "other_thing": "c"}, fields)), "no field is absent"
    for key in ("colour", "x2", "user", "comment_text", "q"):
        assert not list(near_members({key: "a"}, fields)), key
