"""A text in the place of a list of texts: one item, several, or a word about them."""

from __future__ import annotations

import pytest

from stream_guard.schema.items import is_one_item, parts_items, speaks_of_items


@pytest.mark.parametrize(
    "text",
    [
        "garden",
        "bug-fix",
        "src/a.txt",
        "./a",
        ".env",
        "@ann",
        "#tag",
        "a+b@example.com",
        "東京",
        "no-reply",
        "all-hands",
        "v1.2",
        "A-1",
        "2024-01-05",
        "host:80",
        "~/notes",
        "~ann/notes",
        "as-is",
        "sun-screen",
        "c++",
    ],
)
def test_a_name_a_path_and_an_address_are_items(text: str) -> None:
    assert is_one_item(text)


@pytest.mark.parametrize("text", ["none", "N/A", "-", "нет", "なし", "All", "false", "no_one", "1-5", "not applicable", ""])
def test_a_word_about_the_items_is_none(text: str) -> None:
    assert speaks_of_items(text)
    assert not is_one_item(text)


@pytest.mark.parametrize("text", ["a,b", "a，b", "a、b", "a؛b", "a•b", "a\nb"])
def test_a_sign_of_any_script_parts_items(text: str) -> None:
    assert parts_items(text)
    assert not is_one_item(text)


ENDS = [
    ("1", "5"),
    ("A1", "A3"),
    ("seat-1", "seat-9"),
    ("9:00", "17:00"),
    ("Mon", "Fri"),
    ("tuesday", "sunday"),
    ("Jan", "Mar"),
]


@pytest.mark.parametrize("between", ["-", "\u2013", "~", ":", "..", "...", "\u2026"])
@pytest.mark.parametrize(("first", "last"), ENDS)
def test_a_range_is_several_items(first: str, last: str, between: str) -> None:
    assert not is_one_item(f"{first}{between}{last}")


@pytest.mark.parametrize(
    "text",
    ["a..b", "2024-01-05..2024-01-07", "x~y", "A1/A2", "A1+A2", "~A1", "not-A1", "except_A1", "all-7", "any:b2", "without.c3"],
)
def test_what_says_which_items_are_meant_is_none(text: str) -> None:
    assert not is_one_item(text)
