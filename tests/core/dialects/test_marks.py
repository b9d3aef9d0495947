"""Markers in text that may be cut anywhere."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from stream_guard.dialects.marks import AS_BRACKETS, Marks, marks, skip
from stream_guard.values.late import Late


def test_the_first_marker_is_found() -> None:
    found = Marks(["</a>", "<b>", "</b>"])
    assert found.find("x</b><b>", 0) == (1, "</b>")
    assert found.find("x</b><b>", 2) == (5, "<b>")
    assert found.at("x</b>", 1) == "</b>"
    assert found.at("x</b>", 0) is None


def test_a_pattern_is_compiled_when_it_is_first_asked_for() -> None:
    """A guard of all dialects has hundreds of them: to compile them all takes more than a second."""
    found = Marks(["</a>", "</b>"])
    patterns = [value for value in vars(found).values() if isinstance(value, Late)]
    assert len(patterns) == 5
    assert not [one for one in patterns if "match" in vars(one)]
    assert found.at("</a>", 0) == "</a>"
    assert len([one for one in patterns if "match" in vars(one)]) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [("x", 1), ("x<", 1), ("x</", 1), ("x</a", 1), ("x</c", 4), ("x<<", 2), ("x</</", 3), ("", 0), ("x</a\n", 5)],
)
def test_a_marker_that_the_end_of_the_text_cuts_off_is_found_by_its_beginning(text: str, place: int) -> None:
    found = Marks(["</a>", "</b>"])
    assert found.find(text, 0) == (place, None)
    assert found.find(text, 0, final=True) == (len(text), None)
    assert found.begun(text, place) is (place < len(text))


def test_no_marker_may_begin_another() -> None:
    with pytest.raises(ValueError, match="the marker '<a' begins another one"):
        Marks(["<a>", "<a"])


def test_an_empty_set_finds_nothing() -> None:
    assert marks(()).find("<a>", 0) == (3, None)
    assert not marks(()).begun("<", 0)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a <b> c", True),
        ("a <b c", True),
        ("a b> c", True),
        ("</b", True),
        ("/b>", True),
        ("<p=", True),
        ("<p", True),
        ("p=", False),
        ("<pq>", False),
        ("<b-c>", False),
        ("a ]]> c", True),
        ("a ]] c", False),
        ("a < b > c", False),
        ("", False),
    ],
)
def test_a_marker_is_known_without_its_first_or_last_character(text: str, held: bool) -> None:
    assert marks(("<b>", "</b>", "<p=", "]]>")).within(text) is held
    assert not marks(()).within(text)


_PIECES: Final = ("param", "</para", "/", " ", "-", "lt;", "#60;", "#x3c;", "u003c", "x3C", "3C", "]", "}", ")", "x", "\n")


def test_what_is_left_of_a_marker_is_found_by_any_of_its_signs() -> None:
    """A text without these signs is not searched: that must change nothing."""
    found, signs = marks(("<param>", "</param>", "<p=", "]]>", "[END]")), [*"<>&\\%[{(", *map(chr, AS_BRACKETS)]
    random = Random(7)
    held = 0
    for _ in range(5_000):
        text = "".join(random.choice((random.choice(signs), *_PIECES)) for _ in range(random.randrange(1, 7)))
        plain = text.translate(AS_BRACKETS)
        searched = [found._damaged.search(each) is not None or found._like_one(each) for each in (text, plain)]
        assert found.within(text) is any(searched), text
        held += found.within(text)
    assert 500 < held < 4_500


def test_white_space_is_skipped() -> None:
    assert [skip(" \t\r\n x", at) for at in (0, 4, 5, 6)] == [5, 5, 5, 6]
