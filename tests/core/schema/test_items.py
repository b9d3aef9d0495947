"""A text in the place of a list of texts: one item, several, or a word about them."""

from __future__ import annotations

import pytest

from stream_guard.schema.items import is_one_item, parts_items, speaks_of_items


@pytest.mark.parametrize(
    "text", ["garden", "bug-fix", "src/a.txt", "./a", ".env", "@ann", "#tag", "a+b@example.com", "東京", "no-reply"]
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
