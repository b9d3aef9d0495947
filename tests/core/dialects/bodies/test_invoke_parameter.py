"""Names in attributes of tags."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.invoke_parameter import InvokeParameter
from tests.kit.cursors import Row, check, json, read, text

OPEN = '<invoke name="f"><parameter name="a">'
END = "</parameter></invoke></function_calls>"

ROWS = [
    Row(
        '<invoke name="f">\n<parameter name="path">p</parameter>\n</invoke>\n<invoke name="g">\n</invoke></function_calls>\nOk',
        [("f", [("path", "p")]), ("g", [])],
        "\nOk",
    ),
    Row(f"{OPEN}x{END}", [("f", [("a", "x")])]),
    Row(f'{OPEN}x</parameter><parameter name="a">y{END}.', [("f", [("a", "x"), ("a", "y")])], "."),
    Row("<invoke name='f'><parameter name = 'a'>x".replace(" = ", "=") + END, [("f", [("a", "x")])]),
    Row('<invoke name="f"/></function_calls>', [("f", [])]),
    Row('<invoke name="f" ></invoke></function_calls>', [("f", [])]),
    Row('<invoke name="f"><parameter name="a"/></invoke></function_calls>', [("f", [("a", "")])]),
    Row(f'<invoke name="f"><parameter name="a" string="true">1{END}', [("f", [("a", text("1"))])]),
    Row(f'<invoke name="f"><parameter name="a" string="false">1{END}', [("f", [("a", json("1"))])]),
    Row('<invoke name="f">{"a": "</invoke>"}</invoke></function_calls>', [("f", '{"a": "</invoke>"}')]),
    Row('<invoke name="f">\n{"a": x"}\n</invoke>\n</function_calls>', [("f", '{"a": x"}\n')]),
    # A value is all that stands between its tags.
    Row(f"{OPEN}\n x \n{END}", [("f", [("a", "\n x \n")])]),
    Row(f"{OPEN}{END}", [("f", [("a", "")])]),
    Row(f"{OPEN}a < b && <invoke> </x>{END}", [("f", [("a", "a < b && <invoke> </x>")])]),
    # A closer in a value.
    Row(f"{OPEN}x</parameter> y{END}", [("f", [("a", "x</parameter> y")])], complete=False),
    Row(f"{OPEN}x</invoke> y{END}", [("f", [("a", "x</invoke> y")])], complete=False),
    Row(f'{OPEN}x <invoke name="g">{END}', [("f", [("a", 'x <invoke name="g">')])], complete=False),
    Row(f"{OPEN}x <function_calls>{END}", [("f", [("a", "x <function_calls>")])], complete=False),
    Row(f"{OPEN}x{END}\n{END}", [("f", [("a", "x")])], f"\n{END}"),
    # A closer that is missing.
    Row(f'{OPEN}x\n<parameter name="b">y{END}', [("f", [("a", "x\n"), ("b", "y")])], complete=False),
    Row(f"{OPEN}x</invoke></function_calls> z", [("f", [("a", "x")])], " z", complete=False),
    Row(f"{OPEN}x</parameter></function_calls> z", [("f", [("a", "x")])], " z", complete=False),
    Row(f"{OPEN}x</parameter></invoke> z", [("f", [("a", "x")])], " z", complete=False),
    # Cut off.
    Row(f"{OPEN}x", [("f", [("a", "x")])], complete=False, ended=False),
    Row(f"{OPEN}x</parameter>", [("f", [("a", "x")])], complete=False, ended=False),
    Row('<invoke name="f"><parameter name="a', [("f", [])], complete=False, ended=False),
    Row('<invoke name="f', [], complete=False, ended=False),
    Row('<invoke name="f">{"a": 1', [("f", '{"a": 1')], complete=False, ended=False),
    # Something else.
    Row(" is a tag", broken="structure"),
    Row("<invoke name=f>", broken="head"),
    Row('<invoke name="">', broken="head"),
    Row('<invoke name="a=b">', broken="head"),
    Row('<invoke name="f"<', broken="head"),
    Row('<invoke name="f"><parameter name="">', broken="head"),
    Row('<invoke name="f">text', broken="structure"),
    Row("</function_calls>", broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-60:])
def test_names_in_attributes(row: Row) -> None:
    check(InvokeParameter, row, "untyped")


@pytest.mark.parametrize("prefix", ["｜DSML｜", "｜DSML｜ ", "|DSML|", "atem:"])
def test_every_tag_may_have_a_prefix(prefix: str) -> None:
    item = f'<{prefix}parameter name="a" string="true">x</parameter></{prefix}parameter>'
    row = Row(
        f'\n<{prefix}invoke name="f">\n{item}\n</{prefix}invoke>\n</{prefix}calls> z',
        [("f", [("a", text("x</parameter>"))])],
        " z",
    )
    prefixes = ("｜DSML｜", "｜DSML｜ ", "|DSML|", "atem:")
    check(lambda: InvokeParameter(prefixes=prefixes, outer=("calls", "function_calls")), row, "untyped")


def test_a_call_without_the_outer_tag_ends_with_its_own_closer() -> None:
    row = Row('<invoke name="f"></invoke>\n<invoke name="g"></invoke>', [("f", [])], '\n<invoke name="g"></invoke>')
    check(lambda: InvokeParameter(wrapped=False), row, "untyped")


def sections() -> InvokeParameter:
    return InvokeParameter(
        call="function", item="param", outer=(), before_name=(" name=", "name="), cdata=True, wrapped=False, trim="line ends"
    )


A = '<function name="f"><param name="a">'

SECTIONS = [
    Row(A + "<![CDATA[\n</param>\n]]></param></function>.", [("f", [("a", text("\n</param>\n"))])], "."),
    Row('<functionname="f"><paramname="a">\n x\n</param></function>.', [("f", [("a", " x")])], "."),
    Row(A + "<![CDATA[x]]>\n</param></function>", [("f", [("a", text("x"))])]),
    Row(A + "<![CDATA[]]></param></function>", [("f", [("a", text(""))])]),
    Row(A + "<![CDATA[x]]>]]></param></function>", [("f", [("a", "x]]>]]>")])], complete=False),
    Row(A + "<![CDAT]></param></function>", [("f", [("a", "<![CDAT]>")])]),
    Row(A + "<![CDATA[</param>", [("f", [("a", text("</param>"))])], complete=False, ended=False),
]  # fmt: skip


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: row.text[-60:])
def test_values_in_cdata_sections(row: Row) -> None:
    check(sections, row, "untyped")


def test_the_path_is_known_when_its_value_ends() -> None:
    found = read(InvokeParameter, ['<invoke name="f"><parameter name="Path">a</parameter>\n<para'])
    assert (found.name, found.path) == ("f", "a")
