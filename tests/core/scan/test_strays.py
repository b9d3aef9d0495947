"""Marks of calls in prose, whose opener was lost."""

from __future__ import annotations

import re

import pytest

from stream_guard.scan.strays import MAY_STRAY, STRAYS, stray_in, strays_of


@pytest.mark.parametrize("mark", STRAYS)
def test_a_mark_is_known_when_it_is_whole_and_may_be_one_before(mark: str) -> None:
    """In any case; the pattern that decides whether a line is looked at matches every beginning of it."""
    for end in range(1, len(mark)):
        begun = mark[:end].upper()
        assert stray_in(begun) in ("", *STRAYS)
        assert re.match(MAY_STRAY, begun, re.IGNORECASE)
    assert stray_in(f"{mark} and more") is not None


@pytest.mark.parametrize("text", ["<p>", "<para>", "<functional>", "<div class='a'>", "< parameter>", "<", "x", "</p>"])
def test_other_tags_are_no_marks(text: str) -> None:
    assert stray_in(f"{text} and text behind it") is None


def test_the_tags_of_tools_and_fields_are_marks_but_for_those_of_html() -> None:
    assert strays_of(["write"], ["path", "title", "code", "Body"]) == ("</path>", "<path>", "</write>")
