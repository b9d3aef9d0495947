"""Raw line breaks that a program put into the text of a call: it wrapped, pasted or moved something. No such call runs.

Each kind is one sentence, the docstring of its test; its cases are generated, most of them from the texts of one line.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from tests.kit.breadth import some
from tests.kit.proof import Cases
from tests.kit.two_lines import ONE_LINE

TEXT: Final[Any] = {"type": "string"}
FIELDS: Final = ("text", "note", "command", "code", "content", "before", "mood")
GUARD: Final = Guard(
    Toolset(
        Tool(
            "put",
            "",
            {"type": "object", "properties": dict.fromkeys(FIELDS, TEXT), "additionalProperties": False},
            risk=Risk.WRITE,
        )
    )
)
MARKS: Final = ('"', "'")
"""The quotes of a block that are not allowed to have several lines."""


def ran(field: str, raw: str, mark: str = '"') -> bool:
    """Return whether a call runs whose text stands so between its quotes. Without double ones, a text takes either quotes."""
    body = f'{{"tool": "put", "{field}": "{raw}"}}'
    return GUARD.check(body if mark == '"' else body.replace('"', mark)).executable


def escaped(text: str) -> str:
    """Return a text as it stands between double quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def refused(cells: Iterator[tuple[str, str]], cases: Cases) -> None:
    """Check that no call runs with these texts, given with their fields; in double quotes, and in single ones if it can be."""
    wrong = []
    for field, raw in cells:
        for mark in MARKS if not ({"'", '"'} & set(raw)) else MARKS[:1]:
            if ran(field, raw, mark):
                wrong.append((field, mark, raw))
            cases(1)
    assert not wrong, (len(wrong), wrong[:12])


_WORDS: Final = """
    the meeting of NATO is on May with Ann Lee at PM in Gent I paid EUR more than GB of it see Table
"""
WORDS: Final = _WORDS.split()


def sentence(dice: random.Random) -> str:
    """Return a sentence that has no end inside of it: with capitals, numbers, a semicolon, and brackets or quotes."""
    words = [dice.choice((*WORDS, str(dice.randint(1, 99)))) for _ in range(dice.randint(5, 12))]
    at = dice.randint(1, len(words) - 2)
    opens, closes = dice.choice((("(", ")"), ('"', '"'), ("", ";"), ("", ",")))
    words[at], words[at + 1] = f"{opens}{words[at]}", f"{words[at + 1]}{closes}"
    return f"{' '.join(words)}."


@pytest.mark.promise("P7")
def test_no_sentence_that_was_wrapped_at_one_blank_runs(cases: Cases) -> None:
    """In prose, a line has ended if a sentence ended before the break and another begins behind it: no less shows it."""
    dice = random.Random(1)
    texts = [sentence(dice) for _ in range(60)]
    blanks = ((text, at) for text in texts for at, char in enumerate(text) if char == " ")
    refused(
        ((field, escaped(text[:at]) + "\n" + escaped(text[at + 1 :])) for text, at in blanks for field in ("note", "before")),
        cases,
    )


@pytest.mark.promise("P7")
def test_no_sentence_that_was_wrapped_in_brackets_and_before_its_number_runs(cases: Cases) -> None:
    """A short line that ends inside the brackets of a sentence, and a last line that is only a number, were wrapped."""
    heads, units = ("Price: 5 EUR", "It is late", "one"), ("EUR", "years", "more of it")
    one = (f"{head} (was 10\n{unit}); see Table\n{number}" for head in heads for unit in units for number in ("2.", "of it."))
    two = (f"{head};\nsee Table\n{number}" for head in heads for number in ("2.", "12.", "3)"))
    refused((("note", text) for text in itertools.chain(one, two)), cases)


OPTIONS: Final = (
    "git add -A && git commit -m", "docker run -v /a:/b", "docker run -e A=b", "cp A.txt", "mv a.txt", 'grep "a b"',
    "tar -C /a/",
    "cd a && make CC=gcc", "kubectl get -n (default)", "echo *", "curl -H Accept:", "ssh a@b.c ls .",
)  # fmt: skip
VALUES: Final = ("Fix", "Nginx", "README", "B.txt", "CFLAGS=-g", "Makefile all")


@pytest.mark.promise("P7")
def test_no_command_runs_that_was_wrapped_before_a_capital(cases: Cases) -> None:
    """In a command a capital is no sign of a new line: an argument may begin with one."""
    refused((("command", f"{escaped(one)}\n{two}") for one, two in itertools.product(OPTIONS, VALUES)), cases)


@pytest.mark.promise("P7")
def test_no_command_runs_that_was_wrapped_before_the_backslash_that_continues_a_line(cases: Cases) -> None:
    """A line that is nothing but a backslash belongs to the end of the line before it."""
    commands = (("rm -rf a", "b", "c"), ("tar -czf out.tgz", "--exclude=.git", "src", "lib"), ("docker run", "-it --rm", "app"))
    texts = (escaped(f" \\\n{margin}".join(parts)) for parts in commands for margin in ("", "  ", "\t"))
    before = " \\\\\\n"
    wrapped = (
        f"{before.join(parts[:at])}\n{before[1:]}{before.join(parts[at:])}"
        for text in texts
        for parts in (text.split(before),)
        for at in range(1, len(parts))
    )
    refused(((field, raw) for raw in wrapped for field in ("command", "code", "content")), cases)


@pytest.mark.some
@pytest.mark.promise("P7")
def test_no_text_of_one_line_runs_with_a_line_break_beside_its_quote(cases: Cases) -> None:
    """The only line break of a text of one line may have changed places with its quote, or slipped in there."""
    texts = [escaped(text) for text in (*ONE_LINE, "call the plumber", "1,000", 'call "Bob"')]
    ends = [(field, f"{text}\n") for text in texts for field in ("command", "mood")]
    ends += [("note", f"{text}\n") for text in texts if text[-1] not in ";{}>)]"]
    begins = [(field, f"\n{text}") for text in texts for field in FIELDS]
    refused(iter(some([*ends, *begins], 300)), cases)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "text", ["x = 1", "# Title", "  return x", "import os", "f(x)", "Hello there.", "- milk", "DEBUG=1", "</p>", "// x"]
)
def test_the_text_of_a_file_may_end_with_its_line(text: str) -> None:
    for field in ("content", "code"):
        assert ran(field, f"{text}\n")
    assert ran("note", f"{text}\n") is (text[-1] in ")>")


@pytest.mark.some
@pytest.mark.promise("P7")
def test_no_closing_bracket_that_nothing_opens_begins_a_line_of_a_text(cases: Cases) -> None:
    """A line break and a closing bracket, with a margin or none, came from elsewhere if nothing in the text opens it."""
    texts = [text for text in ONE_LINE if not set("()[]{}\\\"'") & set(text) and ";" not in text]
    places = [(text, at) for text in texts for at in range(1, len(text)) if text[at - 1].isalnum()]
    cells = some([*itertools.product(places, ")]}", ("", "    ", "\t"))], 400, kind=lambda cell: cell[1:])
    refused(
        (
            (field, f"{text[:at]}\n{margin}{closer}{text[at:]}")
            for (text, at), closer, margin in cells
            for field in ("text", "before")
        ),
        cases,
    )


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "text", ["  x = 1;\n}\n", "    return x\n  }\n}", "f(\n  1,\n)\n", "a {\n  b\n}", "x();\n}", "  a,\n]\n"]
)
def test_a_piece_of_code_may_begin_inside_of_its_brackets(text: str) -> None:
    assert ran("content", text)


PAGES: Final = ("2", "12", "- 2 -", "[3]", "Page 2", "page 2 of 3", "2/10", "Seite 4")


@pytest.mark.promise("P7")
def test_no_number_of_a_page_gets_into_a_word_or_a_sentence(cases: Cases) -> None:
    """Lines that are only the number of a page, between two halves of a line, are part of the break."""
    halves = (("the kitch", "en lamp"), ("see the", "lamp in the kitchen"), ("Bring milk,", "eggs and tea"))
    cells = itertools.product(halves, PAGES, ("\n", "\n\n", "\r\n\r\n"), ("", "\n  "), ("text", "content", "before"))
    refused(((field, f"{one}{end}{more}{page}{end}{two}") for (one, two), page, end, more, field in cells), cases)


PROMPTS: Final = ("> ", ">>> ", ">> ", "... ", "$ ", "-> ", "% ")
LINES: Final = (("cd a;", "rm x;", "ls;"), ("- milk", "- eggs", "- tea"), ("One.", "Two."), ("x = 1", "y = 2", "f(x)"))


@pytest.mark.promise("P7")
def test_no_prompt_before_all_lines_but_the_first_gets_into_a_text(cases: Cases) -> None:
    """What all lines of a text begin with, and the first does not, is the prompt of a program unless the first announces it."""
    cells = itertools.product(LINES, PROMPTS, ("", "\n"), FIELDS)
    refused(((field, f"\n{mark}".join(lines) + (end and f"{end}{mark}")) for lines, mark, end, field in cells), cases)


@pytest.mark.promise("P7")
def test_no_margin_before_all_items_but_the_first_gets_into_a_numbered_list(cases: Cases) -> None:
    """The items of a list that goes on counting stand at one margin: that of all but the first came from elsewhere."""
    for form, margin, count in itertools.product(("{}. ", "{}) "), ("  ", "    ", "\t", "   "), (2, 3, 5)):
        items = [f"{form.format(number)}item" for number in range(1, count + 1)]
        refused(((field, f"\n{margin}".join(items)) for field in ("text", "content", "before")), cases)


@pytest.mark.promise("P7")
def test_no_fold_of_yaml_gets_its_margin_into_a_text(cases: Cases) -> None:
    """A text that was continued by backslashes over lines with a margin reads in two ways: YAML takes the margin away."""
    for lines, margin in itertools.product(LINES, ("  ", "    ", "\t")):
        raw = f"\\n\\\n{margin}".join(map(escaped, lines))
        refused(((field, raw) for field in ("text", "code", "content")), cases)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", ["He wrote:\n> a\n> b", "One.\nTwo.", "buy milk\nbuy eggs\nbuy tea", "1. a\n   - b\n2. c"])
def test_lines_that_a_writer_breaks_are_its_own(text: str) -> None:
    assert ran("text", text)
