"""Line breaks of a program: at one width through all of a block, or each of them twice."""

from __future__ import annotations

import pytest

from stream_guard.fixes.wraps import came_twice, goes_on, was_broken_at_a_width

LONG = "we have asked the parcel service about the order that was lost on its way to Berlin and th"


def at_a_width(lines: list[str], field: str = "body") -> bool:
    """Whether a text of these lines was broken at a width, with nothing else in the block."""
    text = "\n".join(lines)
    return was_broken_at_a_width(f'{{"{field}": "{text}"}}', {(len(field) + 6, len(field) + 6 + len(text)): (field,)})


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        (["Hello,", LONG[:80], "nd Bob."], True),  # one of a usual width
        (["Hello,", LONG[:81], "nd Bob."], False),
        (["Hello,", LONG[:81], LONG[:81], "nd Bob."], True),  # two of any width
        (["Hello,", LONG[:80], "    nd Bob."], False),  # an indent
        (["Hello,", LONG[:79] + ".", "The end."], False),  # a sentence ends
        (["Hello,", LONG[:80], LONG[:76], "others."], False),  # its writer breaks between words
        (["Hello,", LONG[:29], "nd Bob."], False),  # too narrow
        (["KEY", *["QUJD" * 20] * 3, "END"], False),  # a code has no blanks
    ],
)
def test_lines_of_the_greatest_width_that_go_on_were_broken_there(lines: list[str], broken: bool) -> None:
    assert at_a_width(lines) is broken


def test_lines_broken_between_words_show_it_beside_what_is_no_text_of_its_writer() -> None:
    words = LONG[:77]
    first = words[10:74]  # with the beginning of the member before it
    assert at_a_width([first, LONG[:74], LONG[:73], "others."])
    assert at_a_width(["Hello,", words, LONG[:74], "others."], field="room")
    assert not at_a_width(["Hello,", words, LONG[:74], "others."])


@pytest.mark.parametrize(
    ("before", "between", "behind", "twice"),
    [
        ("", "\n\n", "\n\n", True),
        ("\n", "\n\n", "", True),  # the other one ended the opening fence
        ("", "\n\n", "\n", False),
        ("", "\n\n", "", False),  # a single paragraph
        ("", "\n", "\n\n", False),
        ("", "\r\r\n", "\n", True),
        ("", "\r\n\r\n", "\r\n\r\n", True),
        ("", "\n\n\n", "\n\n\n", True),
        ("", "", "\n\n", False),
    ],
)
def test_line_breaks_come_twice_if_all_of_the_block_do(before: str, between: str, behind: str, twice: bool) -> None:
    text = f"One.{between}Two."
    assert came_twice(f'{before}"{text}"{behind}', [(len(before) + 1, len(before) + 1 + len(text))]) is twice


@pytest.mark.parametrize(
    ("before", "after", "on"), [("a b", "c d", True), ("a b.", "c", False), ("a b", "C", False), ("a,", "b", True)]
)
def test_a_sentence_goes_on_between_two_small_letters(before: str, after: str, on: bool) -> None:
    assert goes_on(before, after) is on
