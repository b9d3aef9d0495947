"""Raw line breaks that nobody meant: those at which a text was wrapped."""

from __future__ import annotations

import pytest

from stream_guard import Guard
from stream_guard.fixes.widths import fill_a_width, was_broken_once, was_wrapped, were_broken_at_a_width
from stream_guard.tools.files import FILE_TOOLS


@pytest.mark.parametrize(
    ("lengths", "word", "fill"),
    [
        ((30, 28, 29, 4), 3, True),
        ((30, 27, 28, 4), 3, True),  # with the blank before it the next word has no room
        ((30, 26, 28, 4), 3, False),
        ((29, 28, 27, 4), 3, False),  # too narrow to show anything
        ((30, 28, 4), 3, False),  # too few
        ((30, 30, 4), 1, True),  # of one length
    ],
)
def test_lines_that_have_no_room_for_the_next_word_were_wrapped(lengths: tuple[int, ...], word: int, fill: bool) -> None:
    assert fill_a_width([("a" * word + " " + "b" * length)[:length] for length in lengths]) is fill


def test_no_more_than_the_first_brackets_may_open_the_block() -> None:
    lines = ("a " + "b c " * 10)[:40]
    begun = "{" + "y " * 19 + "y"
    for before in ("", "[", '{"x": ['):
        assert was_wrapped(f"{before}{begun}\n{lines}\n{lines}\n}}")
    assert not was_wrapped(f'{{"x": [{{ "y": {begun}\n{lines}\n{lines}\n}}')


def at_a_width(lines: list[str], behind: str = "") -> bool:
    """Whether a text of these lines, between two quotes, was broken at a width."""
    text = "\n".join(lines) + behind
    return were_broken_at_a_width(f'"{text}"', [(1, 1 + len(text))])


def test_breaks_inside_sentences_where_no_word_has_room_are_those_of_a_width() -> None:
    first, second = "we went to the old house by the", "riverside, and there we met the"
    assert at_a_width([first, second, "others"])
    assert at_a_width([first[:-7], second, "others"])  # its lines differ, and each has no room
    assert not at_a_width([first[:-13], second, "o"])  # the first has
    assert not at_a_width([f"{first[:-1]}.", f"{second[:-1]}.", "others"])  # each ends a sentence
    assert not at_a_width([first, second], behind="\n")  # the last break ends the text, and no line of it


def test_a_single_break_is_that_of_a_width_if_the_next_word_has_no_room() -> None:
    for word, broken in (("mountains", True), ("mo", False)):
        line = "x" * 60 + " hills"
        body = f"{line}\n{word} and"
        assert was_broken_once(body, [(0, len(body))]) is broken


@pytest.mark.parametrize(("behind", "runs"), [(" }", False), (" ,}", False), (", }", False), ("\n}", True), (",\n}", True)])
def test_a_break_that_changed_places_with_the_quote_behind_it_was_not_meant(behind: str, runs: bool) -> None:
    """The bracket that stood in a line of its own stands right behind the quote then, or behind a comma that is too many."""
    body = '{\n  "tool": "write_file",\n  "path": "a.css",\n  "content": "a { color: red }\nb { color: blue }\n"'
    assert Guard(FILE_TOOLS).check(f"```json\n{body}{behind}\n```\n").executable is runs
