"""The text behind a body that needs no closer."""

from __future__ import annotations

import pytest

from stream_guard.dialects.behind import LONGEST_REST, Behind, goes_on


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ('\\n")\\n"}', True),
        (' else {")\\n"}', True),
        (';"\\n"}', True),
        (' else {" here", "dry_run": true}', True),
        ('", "a": [1]}', True),
        ("}", True),
        (" a ]", True),
        (' and "so', True),
        ("\\n')')]", True),
        (" and 'so'), it's", False),
        (' and "so", he said "no"', False),
        (' and "so" (or "so")', False),
        (" {a} [b] :) 1) \\}", False),
        (' <|eom_id|>{"a": "b"}', False),
        (' " <|eom_id|>', True),
        ('<tool_call>{"a": "b"}', False),
        ('<b>{"a": "b"}', True),
        (' true, "cascade":', True),
        ("false, 'cascade'", True),
        (" -1.5,", True),
        (" true, it is", False),
        (" 5 files", False),
        ("", False),
    ],
)
def test_a_quote_or_a_bracket_that_closes_nothing_shows_the_rest_of_a_text(text: str, torn: bool) -> None:
    assert goes_on(text) is torn


def read(text: str, size: int, *, fresh: bool = False) -> tuple[int, bool, bool]:
    """Where the reading stopped, but for blanks, whether it had decided, and what."""
    behind, kept, taken = Behind(("<t>",), ("</t>",)), "", 0
    behind.fresh = fresh
    for at in range(0, len(text), size):
        kept += text[at : at + size]
        after = behind.read(kept, 0, final=at + size >= len(text))
        kept, taken = kept[after:], taken + after
        if behind.decided:
            break
    return len(text[:taken].rstrip(" \t\r")), behind.decided, behind.torn


@pytest.mark.parametrize("size", [1, 2, 7, 10**6])
@pytest.mark.parametrize(
    ("text", "fresh", "found"),
    [
        ("prose", False, (5, False, False)),
        ("prose <t>", False, (5, True, False)),
        ("prose</t>", False, (5, True, True)),
        ("prose</tx", False, (9, False, False)),
        ("one\n\ntwo", False, (8, False, False)),
        ("one\n\ntwo", True, (4, True, False)),
        ("one\r\n \r\ntwo", True, (5, True, False)),
        ("one\n  {two", True, (4, True, False)),
        ("one\n  {two", False, (10, False, False)),
        ("one\n  ```", False, (4, True, False)),
        ("{two", True, (0, True, False)),
        ("<|one|>\n{two", False, (8, True, False)),
        ('<b> " <tool_call>\n{two', False, (18, True, True)),
        ('<b>\n" x', False, (7, False, True)),
        ('a" b', False, (4, False, True)),
        ("x" * LONGEST_REST, False, (LONGEST_REST, True, False)),
        ("x" * (LONGEST_REST - 1) + "<t>", False, (LONGEST_REST - 1, True, False)),
        ("x" * (LONGEST_REST + 1) + '"', False, (LONGEST_REST, True, False)),
        ("x" * (LONGEST_REST - 1) + "</t>", False, (LONGEST_REST - 1, True, True)),
        ("x\n" * LONGEST_REST, True, (LONGEST_REST, True, False)),
    ],
)
def test_it_is_read_to_the_same_place_however_it_is_cut(
    text: str, fresh: bool, found: tuple[int, bool, bool], size: int
) -> None:
    assert read(text, size, fresh=fresh) == found
