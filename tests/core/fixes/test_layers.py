"""Signs of an encoder, a typographer or a transport in a text, and texts that are like them."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from stream_guard import Guard, ToolBlock
from stream_guard.fixes.layers import holds_a_frame, is_typeset_code, joins_items
from stream_guard.tools.files import FILE_TOOLS

QUOTES = ['"', "'", '\\"', "&quot;", "&#34;", "&#x22;", "&apos;", "%22", "”", "«"]


def test_an_item_with_what_stands_between_two_items_is_two() -> None:
    for quote, comma, (one, two) in product(QUOTES, (",", ", ", ",\n"), (("a", "b"), ("SH-1042", "QC__4"), ("x y", "1"))):
        assert joins_items(f"{one}{quote}{comma}{quote}{two}"), quote
        assert joins_items(f"{one}{quote}{comma}{quote}{two}{quote}{comma}{quote}c")


@pytest.mark.parametrize(
    "text",
    [
        "a, b", 'print("a", "b")', '"a", "b"', "['a', 'b']", 'sep=", "', '", ".join(x)', 'x.split(", ")', 're.split(r", ", x)',
        "the boys', she said", "rock 'n', 'roll", '5", 6"', "?q=%22a%22,%22b%22", "&quot;a&quot;, &quot;b&quot;", 'a" , b',
        "“a”, “b”", 'say "a", then "b"', "",
    ],
)  # fmt: skip
def test_an_item_with_quotes_of_its_own_is_one(text: str) -> None:
    assert not joins_items(text)


@pytest.mark.parametrize(
    "text",
    [
        "print(“hi”)",
        "x = “a”",
        "x=‘a’",
        "d[“k”]",
        "if x == “a”: y",
        "f(x)[“a”]",
        "x != ”a”",
        "s += „a“",
        "f()(“a”)",
        "{“a”: 1}",
        "[“a”, “b”]",
        "[1, {“a”: “b”}]",
    ],
)
def test_code_with_typographic_quotes_was_typeset(text: str) -> None:
    assert is_typeset_code(text, code=False)


@pytest.mark.parametrize(
    "text", ["echo “a” > b", "rm „a b“", "name = 1 AND city LIKE ‘a%’", "a b”", "rm --name “a”", "don't; echo “a”; isn't"]
)
def test_a_text_in_a_field_of_code_with_typographic_quotes_was_typeset(text: str) -> None:
    assert is_typeset_code(text, code=True)
    assert not is_typeset_code(text, code=False)


@pytest.mark.parametrize("text", ['git commit -m "so “it” is"', "echo don’t", "x = 1  # “so”", "say('“')", "naïve(x)"])
def test_a_text_in_a_field_of_code_with_them_in_its_literals_was_not(text: str) -> None:
    assert not is_typeset_code(text, code=True)


@pytest.mark.parametrize(
    "text",
    [
        "say “hi” now", "the lessor (“Ann”) and the lessee (“Bob”)", "he said: “yes”", "“a”, “b”", "don’t", 'print("“")',
        'print("hi")', "naïve(x)", "[“a”]", "(‘a’)",
    ],
)  # fmt: skip
def test_prose_with_typographic_quotes_was_not(text: str) -> None:
    assert not is_typeset_code(text, code=False)


FRAMES = [
    "data: x", "data: ", "data:", "data: [DONE]", "event: message", "event: message\ndata: x", ": keep-alive", ":ping", "id: 4",
    "retry: 3000", "id: 4\nevent: delta\ndata: x",
]  # fmt: skip


def test_lines_of_an_event_stream_between_lines_of_a_text_are_none_of_it() -> None:
    for frame, gap, (before, after) in product(
        FRAMES, ("\n", "\n\n", "\r\n"), (("x = 1;", "y();"), ("One.", "Two."), ("# A", ""))
    ):
        assert holds_a_frame(f"{before}{gap}{frame}\n{after}"), frame


def test_lines_of_one_event_are_no_settings_even_between_settings() -> None:
    for fields, begins, ends in product(
        ("event: delta\ndata: ", "id: 1\ndata: ", "retry: 10\nevent: a\ndata: "),
        ("key: ", "see: a,", "x: 1", "One.", "a: 1\nb: "),
        ("value", "y: 2", "end\nz: 3"),
    ):
        assert holds_a_frame(f"{begins}\n{fields}{ends}"), (begins, fields)


def test_a_field_of_an_event_stream_behind_a_line_that_does_not_end_is_no_setting() -> None:
    for begins, field in product(("key: ", "see: a,", "a: b, ", "k:\t"), ("data: x", "event: x", "id: 3", "data:")):
        assert holds_a_frame(f"{begins}\n{field}"), (begins, field)
        assert not holds_a_frame(f"{begins}x\n{field}"), (begins, field)


def test_the_comment_that_keeps_a_stream_open_is_in_no_line_of_a_text() -> None:
    for comment, gap, (before, after) in product(
        (": keep-alive", ": ping", ":ping", ": heartbeat"),
        ("\n\n", "\r\n\r\n"),
        ((" lead", "ing and trailing "), ("src", "/app/main.py"), ("http:", "//a.b/c"), ("", "1e5"), ("One", ".\nTwo.")),
    ):
        assert holds_a_frame(f"{before}{comment}{gap}{after}"), (before, comment)
        assert not holds_a_frame(f"data: {before}{comment}{gap}{after}"), "a text about streams"


@pytest.mark.parametrize(
    "text",
    [
        "name: x\nid: 4\n",
        "Ann: a\nid: 4\nretry: x\n",
        "event: a\ndata: b\n\ndata: [DONE]\n",  # a text about them
        "kind: Secret\ndata:\n  a: b\n",
        "date: May\nevent: party\nplace: hall\n",
        "return {\n  data: x,\n  event: y\n}\n",
        "One.\n:: two\n",
        "Apple\n: a fruit of a tree\n",
        "data is here\nevents are too\n",
        "One.\nTwo.",
        "",
    ],
)
def test_the_same_words_in_settings_and_code_are_its_own(text: str) -> None:
    assert not holds_a_frame(text)


MARKS: Final = (
    *("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "</s>", "<end_of_turn>"),
    *("<\uff5cend\u2581of\u2581sentence\uff5c>", "--More--", "--More--(45%)", "--More-- (7%)", "  <|im_end|>"),
)
"""Lines of a model's template and of a pager."""


@pytest.mark.parametrize("mark", MARKS)
def test_a_line_that_is_the_mark_of_a_program_slipped_in(mark: str) -> None:
    for gap, (before, after) in product(
        ("\n", "\n\n", "\r\n"), (("x = 1;", "y();"), ("One.", "Two."), ("# A", ""), ("<b>a</b>", "<p>"))
    ):
        assert holds_a_frame(f"{before}{gap}{mark}\n{after}"), mark


@pytest.mark.parametrize("mark", MARKS)
def test_a_text_about_such_marks_has_them_itself(mark: str) -> None:
    for text in (
        f"{mark}\nHi\n{mark}\n",
        f"It ends with {mark}.\nSo it is.",
        f"{mark.strip()} ends it\nSo it is.",
        "A prompt:\n<|im_start|>user\nHi\n<|im_end|>\n",
        "<p>\n<s>old\n</s>\n</p>",
        "git log\n--more\n-- More --\n",
        "a <| b\n<end>\n|>\n",
    ):
        assert not holds_a_frame(text), text


def runs(line: str, text: str) -> list[bool]:
    body = '{"tool": "write_file", "path": "a.sh", "content": "TEXT"}'.replace("TEXT", text.replace("%s", line))
    found = Guard(FILE_TOOLS).scan([f"```json\n{body}\n```\n"])
    return [item.executable for item in found if isinstance(item, ToolBlock)]


@pytest.mark.parametrize("mark", MARKS)
def test_no_call_runs_with_the_mark_of_a_program_between_the_raw_lines_of_a_text(mark: str) -> None:
    for text in ('#!/bin/bash\nset -e\n%s\necho \\"a\\"\nls\n', "One.\nTwo.\n%s\nThree.\nFour.\n", "a();\n%s\nb();\n"):
        assert (runs(mark, text), runs("c();", text)) == ([False], [True]), text
