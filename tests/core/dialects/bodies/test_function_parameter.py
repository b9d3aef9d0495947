"""Functions and parameters in tags."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.function_parameter import FunctionParameter
from tests.kit.cursors import Row, check, read_in_any_way

OPEN = "<function=f><parameter=a>"
END = "</parameter></function></tool_call>"

ROWS = [
    Row(
        "\n<function=f>\n<parameter=path>\na b\n</parameter>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>\nDone.",
        [("f", [("path", "a b"), ("n", "1")])],
        "\nDone.",
    ),
    Row(f"{OPEN}x{END}", [("f", [("a", "x")])]),
    Row("<function=f></function></tool_call> x", [("f", [])], " x"),
    Row("\n<function=f>\n</function>\n</tool_call>", [("f", [])]),
    # One line end on each side belongs to the tags, and no other white space.
    Row(f"{OPEN}\n\nx\n\n{END}", [("f", [("a", "\nx\n")])]),
    Row(f"{OPEN}\r\n x \r\n{END}", [("f", [("a", " x ")])]),
    Row(f"{OPEN}{END}", [("f", [("a", "")])]),
    Row(f"{OPEN}\n{END}", [("f", [("a", "")])]),
    Row(f"{OPEN}\n\n{END}", [("f", [("a", "")])]),
    Row(f"{OPEN}\n\r\n{END}", [("f", [("a", "")])]),
    # Nothing in a value is escaped, and keys that are written twice are kept.
    Row(f"{OPEN}&lt;b>1 < 2</b>\\n{END}", [("f", [("a", "&lt;b>1 < 2</b>\\n")])]),
    Row(f"{OPEN}1</parameter><parameter=a>2{END}", [("f", [("a", "1"), ("a", "2")])]),
    Row(f"{OPEN}1</parameter></function>\n<function=g></function></tool_call>", [("f", [("a", "1")]), ("g", [])]),
    Row(f"<function=my tool-1><parameter= a b >x{END}", [("my tool-1", [("a b", "x")])]),
    Row('<function=f>\n{"a": "</function>"}\n</function></tool_call>.', [("f", '{"a": "</function>"}')], "."),
    Row('<function=f>{"a": "x "y" "}</function>\n</tool_call>.', [("f", '{"a": "x "y" "}')], "."),
    # A closer that other text follows belongs to the value, and shows that it may have been meant the other way.
    Row(f"{OPEN}x</parameter> y{END}", [("f", [("a", "x</parameter> y")])], complete=False),
    Row(f"{OPEN}x</parameter>\n</p{END}", [("f", [("a", "x</parameter>\n</p")])], complete=False),
    Row(f"{OPEN}x</function> y{END}", [("f", [("a", "x</function> y")])], complete=False),
    Row(f"{OPEN}x</tool_call> y{END}", [("f", [("a", "x</tool_call> y")])], complete=False),
    # A value that quotes its own dialect.
    Row(f"{OPEN}see <function=g>{END}", [("f", [("a", "see <function=g>")])], complete=False),
    Row(f"{OPEN}see <tool_call>{END}", [("f", [("a", "see <tool_call>")])], complete=False),
    Row(f"{OPEN}see <parameter=b>{END}", [("f", [("a", "see <parameter=b>")])], complete=False),
    Row(f"{OPEN}x{END}\n{END}", [("f", [("a", "x")])], f"\n{END}"),
    # A closer that is missing.
    Row(f"{OPEN}\nx\n<parameter=b>\ny\n{END}", [("f", [("a", "x"), ("b", "y")])], complete=False),
    Row(OPEN + "x</function></tool_call> z", [("f", [("a", "x")])], " z", complete=False),
    Row(OPEN + "x</parameter></tool_call> z", [("f", [("a", "x")])], " z", complete=False),
    Row(OPEN + "x</parameter></function> z", [("f", [("a", "x")])], " z", complete=False),
    Row(OPEN + "x</parameter></function>\n<tool_call>", [("f", [("a", "x")])], "\n<tool_call>", complete=False),
    Row(OPEN + "x</tool_call>", [("f", [("a", "x")])], complete=False),
    Row(OPEN + "x</tool_call>\nDone. <tool_call>", [("f", [("a", "x")])], "\nDone. <tool_call>", complete=False),
    Row(OPEN + "x</tool_call>\nDone.", [("f", [("a", "x")])], "\nDone.", complete=False),
    # Cut off.
    Row(OPEN + "x", [("f", [("a", "x")])], complete=False, ended=False),
    Row(OPEN + "x</param", [("f", [("a", "x</param")])], complete=False, ended=False),
    Row(OPEN + "x</parameter>\n", [("f", [("a", "x")])], complete=False, ended=False),
    Row("<function=f><parameter=a", [("f", [])], complete=False, ended=False),
    Row("<function=f", [], complete=False, ended=False),
    Row("<func", [], complete=False, ended=False),
    # Something else.
    Row(" is a tag", broken="structure"),
    Row("</tool_call>", broken="structure"),
    Row("<function=f>text</function></tool_call>", broken="structure"),
    Row("<function=f\n<parameter=a>", broken="head"),
    Row("<function=>", broken="head"),
    Row("<function=a  b>", broken="head"),
    Row("<function=f><parameter=>x", broken="head"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-60:])
def test_functions_with_parameters(row: Row) -> None:
    check(FunctionParameter, row, "untyped")


UNWRAPPED = [
    Row(OPEN + "x</parameter></function> z", [("f", [("a", "x")])], " z"),
    Row(OPEN + "x</parameter></function>", [("f", [("a", "x")])]),
    Row(OPEN + "x</parameter></function>\n</tool_call> z", [("f", [("a", "x")])], " z", complete=False),
    Row("<function=f></function>\n<function=g></function>", [("f", [])], "\n<function=g></function>"),
    Row(
        "<function=f><parameter=a>x</parameter></function>\n</function>", [("f", [("a", "x")])], "\n</function>", complete=False
    ),
    Row('<function=f>{"a": 1}</function> z', [("f", '{"a": 1}')], " z"),
]


@pytest.mark.parametrize("row", UNWRAPPED, ids=lambda row: row.text[-60:])
def test_a_function_without_the_outer_tag_ends_with_its_own_closer(row: Row) -> None:
    check(lambda: FunctionParameter(wrapped=False), row, "untyped")


def test_the_name_and_the_path_are_known_when_they_end() -> None:
    body = FunctionParameter()
    seen = []
    for piece in ("<function=f", ">", "<parameter=Path>\na\n</parameter>", "\n<parameter="):
        body.read(piece, 0)
        seen.append((body.name, body.path))
    assert seen == [(None, None), ("f", None), ("f", None), ("f", "a")]


def test_other_outer_tags() -> None:
    found = read_in_any_way(
        lambda: FunctionParameter(outer_open=("<seed:tool_call>",), outer_close=("</seed:tool_call>",)),
        "<function=f><parameter=a>x</tool_call></parameter></function></seed:tool_call>",
    )
    assert found.complete
