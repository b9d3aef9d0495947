"""The line before an opener that is the path of a file."""

from __future__ import annotations

import pytest

from stream_guard.scan.before import KEPT, LEAST, MOST, Before


def path(text: str, *, fenced: bool = False, carried: str | None = None) -> str | None:
    """What all ways to cut a text into what has passed and what has not come to, also where more has passed."""
    found = set()
    for at in range(len(text) + 1):
        before = Before(MOST)
        before.restart(carried)
        before.add(text[:at])
        found.add(before.path(text[at:], 0, fenced=fenced))
    before = Before(MOST)
    before.restart(carried)
    before.add(f"{text}<<<")
    found.add(before.path("", 3, fenced=fenced))
    (one,) = found
    return one


@pytest.mark.parametrize(
    ("text", "fenced", "expected"),
    [
        ("a.txt\n", False, "a.txt"),
        ("So:\n\na.txt\n", False, "a.txt"),
        ("a.txt\r\n", False, "a.txt"),
        ("a.txt\n\n", False, None),
        ("So it is:\n", False, None),
        ("a.txt\n", True, "a.txt"),
        ("\na.txt\n", True, "a.txt"),
        ("x = 1\na.txt\n", True, None),
        ("", False, None),
        ("\n \n", True, None),
    ],
)
def test_the_line_before_an_opener_is_a_path_or_not(text: str, fenced: bool, expected: str | None) -> None:
    assert path(text, fenced=fenced) == expected


def test_the_path_of_the_block_before_holds_up_to_the_next_text() -> None:
    for blank in ("", "\n", "\r\n\n \n"):
        assert path(blank, carried="b.txt") == "b.txt"
    assert path("\nc.txt\n", carried="b.txt") == "c.txt"
    assert path("\nAnd now\n", carried="b.txt") is None


def test_what_is_kept_is_bounded() -> None:
    before = Before(MOST)
    for _ in range(10):
        before.add("x" * KEPT)
    assert MOST <= len(before._text) <= 2 * MOST
    assert before.path("\na.txt\n", 0, fenced=False) == "a.txt"
    assert before.path("", KEPT, fenced=False) is None


@pytest.mark.parametrize("kept", [LEAST, MOST])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\\n", True),
        ('a\\r\\n"', True),
        ("a\\\\n", True),
        ("a\\n   ", True),
        ("a\\t\t", True),
        ("a\n", False),
        ("a\\n b", False),
        ("a\\n\n", False),
        ("\\new ", False),
        ("n", False),
        ("", False),
    ],
)
def test_an_escaped_line_break_before_a_call_is_one_of_a_string(kept: int, text: str, expected: bool) -> None:
    for at in range(len(text) + 1):
        for more in ("", "x" * 5 * kept):
            before = Before(kept)
            before.add(more)
            before.add(text[:at])
            before.add(text[at:])
            assert before.in_string() is expected
