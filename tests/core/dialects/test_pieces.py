"""Text that is received in pieces."""

from __future__ import annotations

from itertools import pairwise

from stream_guard.dialects.pieces import MANY, Pieces


def test_the_text_is_all_that_was_added() -> None:
    pieces = Pieces()
    for piece in ("ab", "", "cd", "e"):
        pieces.add(piece)
    assert (pieces.text(), pieces.text(3), pieces.size) == ("abcde", "abc", 5)
    assert [pieces.end(count) for count in (1, 2, 3, 9)] == ["e", "de", "cde", "abcde"]


def test_a_text_ends_a_line_behind_blanks_too() -> None:
    for parts in (["a\n"], ["a\n", " ", "\t "], ["a\r"]):
        assert Pieces(parts).ends_line(), parts
    for parts in (["a\n", "b "], [" "], []):
        assert not Pieces(parts).ends_line(), parts


def test_many_pieces_are_joined_and_each_character_a_few_times_at_most() -> None:
    pieces, joined, counts = Pieces(), 0, []
    for _ in range(100 * MANY):
        pieces.add("x")
        counts.append(len(pieces._parts))
    for before, after in pairwise(counts):
        if after < before:
            joined += len(pieces._parts[0])  # no piece was longer when it was made
    assert pieces.text() == "x" * 100 * MANY
    assert max(counts) <= max(MANY, 100 * MANY >> 3) + 1
    assert joined < 50 * pieces.size
