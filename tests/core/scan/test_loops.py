"""A body that only repeats itself is found, at the same character however it is cut; one that says something new is not."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.scan.loops import LONGEST_UNIT, WINDOW, Loop
from stream_guard.testing import by_char, random_splits
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.issues import ValidationIssue
from tests.kit.proof import Cases

MOST = 4 * WINDOW


def found(pieces: list[str]) -> int | None:
    """The number of characters up to where a loop is found; None where none is."""
    loop = Loop(MOST, lambda: ValidationIssue("repetition", "again"))
    read = 0
    for piece in pieces:
        place = loop.feed(piece)
        if place is not None:
            return read + place[0]
        read += len(piece)
    return None


@pytest.mark.parametrize("unit", [" ", "na ", "\\n", "| - | - |\n", "x" * (LONGEST_UNIT - 1) + "y"])
def test_a_loop_is_found_wherever_it_begins_and_however_it_is_cut(unit: str, cases: Cases) -> None:
    for before in (0, 1, 100, WINDOW - 1, WINDOW + 3):
        text = "".join(map(chr, range(0x4E00, 0x4E00 + before))) + unit * (3 * MOST // len(unit))
        whole = found([text])
        assert whole is not None
        assert whole <= before + MOST + WINDOW
        for pieces in (list(by_char(text)), *map(list, random_splits(text, 3))):
            cases(1)
            assert found(pieces) == whole


@given(
    st.one_of(st.integers(0, 3 * WINDOW), st.integers(0, 4).map(WINDOW.__mul__)),
    st.one_of(st.integers(1, MOST), st.integers(MOST - 2, MOST), st.integers(MOST + WINDOW, MOST + 3 * WINDOW)),
    st.text("ab-\n", min_size=1, max_size=LONGEST_UNIT),
    st.integers(0, 2 * WINDOW),
)
@example(0, MOST, "-", 0)
@example(2 * WINDOW, MOST, "ab", WINDOW)
def test_as_much_as_the_limit_may_repeat_wherever_it_begins(before: int, length: int, unit: str, after: int) -> None:
    said = (unit * (length // len(unit) + 1))[:length]
    place = found(["".join(map(chr, range(0x4E00, 0x4E00 + before))), said, "".join(map(chr, range(0x4E00, 0x4E00 + after)))])
    assert (place is not None) == (length > MOST)
    assert place is None or before + MOST < place <= before + length


def test_what_says_something_new_is_no_loop() -> None:
    rows = "".join(f"row {number}: 0, 0, 0\n" for number in range(20_000))
    long = "".join(map(chr, range(0x4E00, 0x4E00 + LONGEST_UNIT + 1))) * 200
    stops = ("na " * WINDOW)[: MOST - 1] + "x" + "na " * 600
    for text in (rows, long, stops, "x" * (MOST - 1), ""):
        assert found([text]) is None


def test_the_limit_can_be_set() -> None:
    text = '```json\n{"tool": "write_file", "path": "a.txt", "content": "' + "-" * 9_000 + '"}\n```'
    for most, cause in ((4_096, "aborted"), (16_384, "closed")):
        *_, block = Guard(FILE_TOOLS, early="abort", limits=Limits(max_loop=most)).scan([text])
        assert isinstance(block, ToolBlock)
        assert block.end_cause == cause
