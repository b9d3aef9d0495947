"""Keys and values as elements of their own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from stream_guard.dialects.bodies.arg_key_value import ArgKeyValue
from tests.kit.cursors import Row, check, json, text

OPEN = "f<arg_key>a</arg_key><arg_value>"
END = "</arg_value></tool_call>"
GO_ON = "</arg_value><arg_key>b</arg_key><arg_value>"

ROWS = [
    Row("f\n<arg_key>path</arg_key>\n<arg_value>p</arg_value>\n</tool_call>\nDone.", [("f", [("path", "p")])], "\nDone."),
    Row(f"{OPEN}x{END}", [("f", [("a", "x")])]),
    Row(f"\n {OPEN}x{END}", [("f", [("a", "x")])]),
    Row(f"{OPEN}x{GO_ON}1{END} x", [("f", [("a", "x"), ("b", "1")])], " x"),
    Row(f"{OPEN}x</arg_value>\n <arg_key>a</arg_key> <arg_value>y{END}", [("f", [("a", "x"), ("a", "y")])]),
    Row("f</tool_call>", [("f", [])]),
    Row("my.tool-1\n</tool_call>.", [("my.tool-1", [])], "."),
    # A value is all that stands between its tags.
    Row(f"{OPEN}\n x \n{END}", [("f", [("a", "\n x \n")])]),
    Row(f"{OPEN}{END}", [("f", [("a", "")])]),
    Row(f"{OPEN}<b>&amp;</b></arg_key>{END}", [("f", [("a", "<b>&amp;</b></arg_key>")])], complete=False),
    Row(f'{OPEN}{{"a": [1]}}{END}', [("f", [("a", '{"a": [1]}')])]),
    # A closer in a value.
    Row(f"{OPEN}x</arg_value> y{END}", [("f", [("a", "x</arg_value> y")])], complete=False),
    Row(f"{OPEN}x</tool_call> y{END}", [("f", [("a", "x</tool_call> y")])], complete=False),
    Row(f"{OPEN}x<tool_call>y{END}", [("f", [("a", "x<tool_call>y")])], complete=False),
    Row(f"{OPEN}x<arg_key>y{END}", [("f", [("a", "x<arg_key>y")])], complete=False),
    Row(f"{OPEN}x{END}{END}", [("f", [("a", "x")])], END, complete=False),
    # A closer that is missing.
    Row(f"{OPEN}x\n<arg_key>b</arg_key><arg_value>y{END}", [("f", [("a", "x\n"), ("b", "y")])], complete=False),
    Row(f"{OPEN}x</tool_call>", [("f", [("a", "x")])], complete=False),
    Row(f"{OPEN}x</tool_call>\n<tool_call>g", [("f", [("a", "x")])], "\n<tool_call>g", complete=False),
    Row(f"{OPEN}x</tool_call>\nDone.", [("f", [("a", "x")])], "\nDone.", complete=False),
    Row(f"{OPEN}x</arg_value>\n<tool_call>g", [("f", [("a", "x</arg_value>\n<tool_call>g")])], complete=False, ended=False),
    # Cut off.
    Row(f"{OPEN}x", [("f", [("a", "x")])], complete=False, ended=False),
    Row(f"{OPEN}x</arg_val", [("f", [("a", "x</arg_val")])], complete=False, ended=False),
    Row(f"{OPEN}x</arg_value>", [("f", [("a", "x")])], complete=False, ended=False),
    Row("f<arg_key>a", [("f", [])], complete=False, ended=False),
    Row("f", [], complete=False, ended=False),
    # Something else.
    Row("is the tag", broken="head"),
    Row("</tool_call>", broken="head"),
    Row("f(x)", broken="head"),
    Row("f<arg_value>x", broken="head"),
    Row("f<arg_key></arg_key>", broken="head"),
    Row("f<arg_key>a</arg_key>x", broken="structure"),
    Row("f<arg_key>a</arg_key><arg_value>x</arg_value><arg_key>b</arg_key></tool_call>", broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-60:])
def test_keys_and_values(row: Row) -> None:
    check(ArgKeyValue, row, "untyped")


def outer() -> ArgKeyValue:
    return ArgKeyValue(outer="tool_calls", name_close=("<tool_sep>",))


OUTER = [
    Row(
        f"<tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>x{END}\n<tool_call>g<tool_sep></tool_call></tool_calls>.",
        [("f", [("a", "x")]), ("g", [])],
        ".",
    ),
    Row(f"\n<tool_call>{OPEN}x{END}\n</tool_calls>", [("f", [("a", "x")])]),
    Row(f"<tool_call>{OPEN}x{END}\nDone.", [("f", [("a", "x")])], "\nDone.", complete=False),
    Row(f"<tool_call>{OPEN}x{END}", [("f", [("a", "x")])], complete=False),
    Row(f"<tool_call>{OPEN}x</arg_value></tool_calls>", [("f", [("a", "x")])], complete=False),
    Row("</tool_calls>", broken="structure"),
]


@pytest.mark.parametrize("row", OUTER, ids=lambda row: row.text[-60:])
def test_several_calls_in_an_outer_tag(row: Row) -> None:
    check(outer, row, "untyped")


def test_a_type_between_key_and_value() -> None:
    item = "<i|arg_key>{}</i|arg_key><i|arg_type>{}</i|arg_type><i|arg_value>{}</i|arg_value>"
    row = Row(
        f"<i|tool_call>f{item.format('a', 'string', '1')}{item.format('b', 'integer', '1')}</i|tool_call></i|tool_calls>",
        [("f", [("a", text("1")), ("b", json("1"))])],
    )
    check(lambda: ArgKeyValue(prefix="i|", outer="tool_calls"), row, "untyped")


def suffixed() -> ArgKeyValue:
    return ArgKeyValue(outer="tool_calls", name_close=("<tool_sep>",), suffixed=True)


def with_suffix(text: str, suffix: str = ":open-1") -> str:
    """A body as a model writes it whose tags have a suffix, from the suffix of its opener on."""
    return f"{suffix.removeprefix(':')}>" + re.sub(
        r"(</?(?:tool_calls?|tool_sep|arg_key|arg_type|arg_value))>", rf"\1{suffix}>", text
    )


@pytest.mark.parametrize("row", OUTER, ids=lambda row: row.text[-60:])
def test_tags_may_have_a_suffix(row: Row) -> None:
    """All of them the same: a tag without it in a value may quote the dialect."""
    rest = with_suffix(row.rest).partition(">")[2] if row.rest else row.rest
    check(suffixed, replace(row, text=with_suffix(row.text), rest=rest), "untyped")


@pytest.mark.parametrize(
    "tag", ["<arg_key>", "</arg_value>", "<tool_call>", "</tool_calls>", "</arg_value:other>", "<tool_sep>"]
)
def test_a_tag_with_no_suffix_or_another_one_in_a_value_is_a_doubt(tag: str) -> None:
    begin = with_suffix("\n<tool_call>f<tool_sep>\n<arg_key>a</arg_key>\n<arg_value>")
    body = suffixed()
    body.read(f"{begin}x\n{tag}\ny" + with_suffix("</arg_value>\n</tool_call>\n</tool_calls>").partition(">")[2], 0)
    body.finish()
    assert not body.complete


@pytest.mark.parametrize("head", [">", "a b>", "<x>", "a\n>", f"{'a' * 33}>"])
def test_what_is_no_suffix_is_no_body(head: str) -> None:
    body = suffixed()
    body.read(head, 0)
    body.finish()
    assert body.broken or not body.complete
