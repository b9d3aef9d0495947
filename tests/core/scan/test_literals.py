"""Which of some texts stands at a place: the answers of a pattern of all of them, which is much slower to make."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.literals import Literals
from stream_guard.scan.strays import STRAYS

SIGNS = st.text("<a|", min_size=1, max_size=6)
OPENERS = sorted({opener.text for dialect in DIALECTS.values() for opener in dialect.openers} | set(STRAYS))


def of_pattern(texts: list[str], text: str, pos: int) -> str | None:
    pattern = regex.compile("|".join(map(regex.escape, sorted(set(texts), key=len, reverse=True))) or r"(?!)")
    found = pattern.match(text, pos, partial=True)
    return None if found is None else "" if found.partial else found[0]


@given(st.lists(SIGNS, max_size=8), st.text("<a|b", max_size=12), st.integers(0, 12))
def test_the_answers_are_those_of_a_pattern(texts: list[str], text: str, pos: int) -> None:
    pos = min(pos, len(text))
    assert Literals(texts).at(text, pos) == of_pattern(texts, text, pos)


@pytest.mark.parametrize("opener", OPENERS)
def test_an_opener_is_found_and_each_part_of_one_may_become_it(opener: str) -> None:
    found = Literals(OPENERS)
    assert found.at(f"-{opener}-", 1) == opener
    for end in range(len(opener)):
        assert found.at(f"-{opener[:end]}", 1) in {"", *(one for one in OPENERS if opener[:end].startswith(one))}
        other = f"-{opener[:end]}\0"
        assert found.at(other, 1) == next((one for one in reversed(OPENERS) if other.startswith(one, 1)), None)
