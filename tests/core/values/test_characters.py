"""The patterns of characters that several rooms search for."""

from __future__ import annotations

import json

import pytest

from stream_guard.values.characters import BACK_OR_FEED_ESCAPE, CONTROL, LINE_END


@pytest.mark.parametrize(("text", "lines"), [("a\nb", 2), ("a\r\nb", 2), ("a\rb", 2), ("a\n\rb", 3), ("a\u2028b\x0bc\x85d", 1)])
def test_a_line_ends_with_a_line_feed_a_return_or_both(text: str, lines: int) -> None:
    assert len(LINE_END.split(text)) == lines


def test_a_control_character_is_one_that_no_string_of_json_holds_as_it_is() -> None:
    for code in range(0x110):
        try:
            json.loads(f'"{chr(code)}"')
            refused = False
        except ValueError:
            refused = chr(code) not in '"\\'
        assert (CONTROL.search(chr(code)) is not None) == refused, code


def test_only_a_backspace_and_a_form_feed_have_these_escapes() -> None:
    found = [char for char in "bfnrt\"'\\/u" if BACK_OR_FEED_ESCAPE.search(f"\\{char}")]
    assert [json.loads(f'"\\{char}"') for char in found] == ["\b", "\f"]
