"""Marks of code at the end and at the beginning of a line."""

from __future__ import annotations

import pytest

from stream_guard.fixes.line_ends import begins_as_code, ends_as_code


@pytest.mark.parametrize("before", [
    "}", "a { color: red }", "if (x) { y(); }", "x = 1;", "break;", "  color: red;", "f(x);", "return x;", "DROP TABLE t;",
    "</p>", "use std::io;", "public int x;", "<ul>", "a <br>",
    "<title>x</title>", "<!-- x -->", "<!doctype html>", "#include <stdio.h>", "<item>", "{ a, b }",
])  # fmt: skip
def test_a_mark_ends_a_line_of_code(before: str) -> None:
    assert ends_as_code(before, "next")


@pytest.mark.parametrize("before", [
    "order {id}", "rm ${DIR}", "a {{x}}", "a {{ x }}", "tar {b,c}", "find {}", "use the first;", "the <b>new</b>",
    "cp <file>", "<p>for <name>", "a List<int>", "Tom <tom@x.org>",
])  # fmt: skip
def test_a_mark_in_a_sentence_or_a_command_ends_none(before: str) -> None:
    assert not ends_as_code(before, "next")


@pytest.mark.parametrize(("before", "after"), [
    ("x = 1", "# the next"), ("issue", "# Title"), ("issue", "## 5"), ("# one", "# two"), ("x()", "@cached"),
    ("text", "| a | b |"), ("| a |", "| b"), ("x = 1", "/* a"), ("int x", "/* a */"),
    ("text", "/**"), ("text", "<p>a"), ("text", "<item>a</item>"),
    ("</p>", "<b>a"), ("text", "// note"), ("text", "<!-- a"), ("text", "}"), ("  }", "# a"),
])  # fmt: skip
def test_a_mark_begins_a_line_of_code(before: str, after: str) -> None:
    assert begins_as_code(before, after)


@pytest.mark.parametrize(("before", "after"), [
    ("issue", "# 5 today"), ("ask", "@tom"), ("cat x", "| grep y | wc"), ("rm -rf", "/* b"), ("total", "// 2"),
    ("this is", "<b>new</b>"), ("cp", "<file> b"), ("{id}", "<p>"), ("    x,", "# note"),
])  # fmt: skip
def test_a_mark_in_a_sentence_or_a_command_begins_none(before: str, after: str) -> None:
    assert not begins_as_code(before, after)
