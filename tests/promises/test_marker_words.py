"""A word that stands in an opening marker behind its name is a word of the call. No call runs that has lost it.

A dialect's own attributes are known (`string="true"`, the `id` of an artifact). Any other word may be a value, or change what
the call means: `<invoke name="drop_table" dry_run="true">`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
import regex

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.write import Call
from tests.kit.breadth import some

S: Final = {"type": "string"}


def takes(*required: str, **fields: Any) -> dict[str, Any]:
    properties = {**dict.fromkeys(required, S), **fields}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TOOLS: Final = Toolset(
    Tool("drop_table", "", takes("table", cascade={"type": "boolean"}), risk=Risk.DESTRUCTIVE),
    Tool("write_file", "", takes("path", "content"), risk=Risk.DESTRUCTIVE),
    Tool("edit", "", takes("path", "search", "replace"), risk=Risk.DESTRUCTIVE),
)
GUARDS: Final = tuple(Guard(TOOLS, dialects="all", fixes=fixes) for fixes in ("off", "likely"))
OPENING: Final = regex.compile(
    r"""[<\u2039](?!/|[|\uff5c](?:call|message|python_end|end_message)[|\uff5c])[^<>"\r\n]*+(?:"[^"\r\n]*+"[^<>"\r\n]*+)*+>"""
    r"|\[[A-Z_]+\]|\*\*\* [A-Za-z ]+(?=\n|:)|<{5,} \w+"
)
ATTRIBUTES: Final = (
    ' status="cancelled"',
    ' dry_run="true"',
    ' cascade="true"',
    ' value="users"',
    " x",
    "!",
    "=users",
    "\tx",
    " not",
)
BEHIND_A_NAME: Final = ("users", "-->", ' string="maybe"', ' string="true" x', ' name="cascade"', " string=true")
"""Words that would make another name of a marker that has none in quotes."""

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=dialect.name) for dialect in DIALECTS.values()])


def ran(text: str, guard: Guard) -> list[tuple[Any, Any]]:
    items = guard.scan([text, End("stop")])
    return [(item.tool, item.arguments) for item in items if isinstance(item, ToolBlock) and item.executable]


def replies(dialect: Dialect) -> Iterator[str]:
    tables: list[Call] = [("drop_table", {"table": "b"}), ("drop_table", {"table": "b", "cascade": True})]
    calls = [dialect.sample] if dialect.tools else tables
    for call in calls:
        for before in ("", "I do it: "):
            yield f"{before}{dialect.write([call])}\n"


def spoiled(reply: str) -> Iterator[str]:
    """Yield the reply with one word behind the name of one opening marker."""
    for found in OPENING.finditer(reply):
        mark = found[0]
        end = found.end() - (2 if mark.endswith(("|>", "\uff5c>")) else 1 if mark[-1] in ">]" else 0)
        for word in (*ATTRIBUTES, *(BEHIND_A_NAME if '"' in mark else ())):
            yield reply[:end] + word + reply[end:]


@pytest.mark.some
@each
def test_no_call_runs_without_a_word_of_its_markers(dialect: Dialect) -> None:
    for reply in replies(dialect):
        for text in some(spoiled(reply), 6):
            for guard in GUARDS:
                assert ran(text, guard) == [], text


@pytest.mark.parametrize("name", ["claude_xml", "minimax_m2", "muse_glimmer", "dots", "minicpm5", "deepseek_v4_dsml"])
def test_the_attributes_of_a_dialect_are_read(name: str) -> None:
    reply = DIALECTS[name].write([("drop_table", {"table": "b"})])
    for word in ("", ' string="true"', " string='true'", " "):
        text = reply.replace(' string="true"', "").replace('"table"', f'"table"{word}')
        assert ran(text, GUARDS[0]) == [("drop_table", {"tool": "drop_table", "table": "b"})], text


def test_a_fence_in_a_wrapper_with_other_words_does_not_run() -> None:
    guard = Guard(TOOLS)
    call = '```json\n{"tool": "drop_table", "table": "b"}\n```\n</tool_call>\n'
    assert len(ran(f"<tool_call>\n{call}", guard)) == 1
    assert ran(f'<tool_call status="cancelled">\n{call}', guard) == []


# -- values that were begun twice --------------------------------------------------------------------------------------

RAW: Final = (
    *("qwen3_coder", "seed_oss", "minimax_m2", "claude_xml", "muse_glimmer", "minicpm5", "dots", "glm45", "hunyuan_v3"),
    *("k2_horizon", "cline_xml", "deepseek_v32_dsml", "deepseek_v4_dsml", "gemma4", "functiongemma"),
)
TAG: Final = regex.compile(r'<[^<>]*>|<\|"\|>')


def begun_twice(before: str, behind: str) -> Iterator[str]:
    """Yield values in which a marker beside the value ends a line, and behind it the value begins anew."""
    opener, closer = TAG.findall(before)[-1], TAG.findall(behind)[0]
    for mark in (opener, closer):
        for size in range(1, len(mark)):
            for end in ("\n", "\n\n", " \n", "\r\n"):
                for head in ("users", "use"):
                    yield f"{head}{mark[:size]}{end}users"
            if size > 1:
                yield f"users{mark[:size]} users"
                yield f"users{mark[:size]}users"
            if size < len(mark) - 2:
                yield f"use{mark[:2]}\n{mark[size:]}users"
                yield f"use<\n{mark[size:]}users"
        yield f"{mark[:2]}\nusers"
    yield "<\nusers"
    yield "</\nusers"


HONEST: Final = (
    "users",
    "a < b",
    "if a <\n    b:\n",
    "List<List<String>> a;\n",
    "Map<\n  string,\n  Map<string, number>\n>",
    "<p\n  class='a'>x</p>\n<p>x</p>\n",
    "<\u200bp>\n",
    "<parent>\n  <parent/>\n</parent>\n",
    "x = a <\n  x",
    "<a\n  href='b'\n>\n  a\n</a>\n",
    "return (\n  <>\n    <div\n      {...a}\n    />\n  </>\n)\n",
    "one\n</p\n>two",
)


@pytest.mark.some
@pytest.mark.parametrize("name", RAW)
def test_no_value_runs_that_was_begun_twice(name: str) -> None:
    before, behind = DIALECTS[name].write([("drop_table", {"table": "HOLE"})]).split("HOLE")
    for value in some(begun_twice(before, behind), 60):
        assert ran(f"{before}{value}{behind}\n", GUARDS[0]) == [], value


@pytest.mark.parametrize("name", ["qwen3_coder", "claude_xml", "glm45", "gemma4"])
@pytest.mark.parametrize("value", HONEST)
def test_a_value_with_signs_of_tags_runs_as_it_is(name: str, value: str) -> None:
    text = DIALECTS[name].write([("drop_table", {"table": value})])
    assert ran(text, GUARDS[0]) == [("drop_table", {"tool": "drop_table", "table": value})]


# -- blanks around everything --------------------------------------------------------------------------------------------

LAID_OUT: Final = (
    "<tool_call> <function=drop_table> <parameter=table>{0}users{0}</parameter> </function> </tool_call>",
    "<tool_call> <function=drop_table> <parameter=table>{0}users{0}</parameter> <parameter=cascade>{0}true{0}</parameter>"
    " </function> </tool_call>",
    "<seed:tool_call>{0}<function=drop_table>{0}<parameter=table>{0}users{0}</parameter>{0}</function>{0}</seed:tool_call>",
    "<tool_call>drop_table <arg_key>table</arg_key> <arg_value>{0}users{0}</arg_value> </tool_call>",
    "<tool_call>drop_table\n<arg_key>{0}table{0}</arg_key>\n<arg_value>{0}users{0}</arg_value>\n</tool_call>",
    "<tool_call>\n<function={0}drop_table>\n<parameter={0}table>\n{0}users\n</parameter>\n</function>\n</tool_call>",
    '<function_calls>\n<invoke name="drop_table">\n<parameter name="table">{0}users{0}</parameter>\n'
    '<parameter name="cascade">{0}true{0}</parameter>\n</invoke>\n</function_calls>',
    '<function_calls>\n<invoke name="drop_table">\n<parameter name="table">{0}users</parameter>\n'
    '<parameter name="cascade">{0}true</parameter>\n</invoke>\n</function_calls>',
    '<function name="drop_table"><param name="table">{0}users{0}</param><param name="cascade">{0}false{0}</param></function>',
)  # fmt: skip


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
@pytest.mark.parametrize("text", LAID_OUT)
def test_blanks_that_stand_around_everything_are_no_part_of_a_text(text: str, blank: str) -> None:
    for guard in GUARDS:
        assert ran(f"{text.format(blank)}\n", guard) == []


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize("line", [" ", "\t", "\n\n"])
def test_line_ends_that_became_blanks_are_no_part_of_a_text(name: str, line: str) -> None:
    text = DIALECTS[name].write([("drop_table", {"table": "users", "cascade": True})])
    for _, arguments in ran(f"{text.replace(chr(10), line)}\n", GUARDS[0]):
        assert arguments["table"] == "users"


@pytest.mark.parametrize("name", [name for name in RAW if name != "cline_xml"])
@pytest.mark.parametrize("value", [" users ", "\n  a\n", "users\n", " users"])
def test_one_value_with_blanks_of_its_own_runs_as_it_is(name: str, value: str) -> None:
    text = DIALECTS[name].write([("drop_table", {"table": value, "cascade": True})])
    assert ran(f"{text}\n", GUARDS[0]) == [("drop_table", {"tool": "drop_table", "table": value, "cascade": True})]


# -- a value behind its call ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", ["<cascade>false</cascade>", "<cascade>\nfalse\n</cascade>", "<cascade>fal", "<cas", "</cascade>"]
)
@pytest.mark.parametrize("between", ["", "\n", "\n\n  "])
def test_no_call_runs_whose_value_stands_right_behind_it(value: str, between: str) -> None:
    call = "<drop_table>\n<table>a</table>\n</drop_table>"
    for chunks in ([f"{call}{between}{value}"], [call, between, *value]):
        items = GUARDS[0].scan([*chunks, End("stop")])
        assert [item for item in items if isinstance(item, ToolBlock) and item.executable] == [], chunks


@pytest.mark.parametrize(
    "behind", ["<p>Done.</p>", "<edit>\n<path>a</path>\n</edit>", "Done.", "a < b", "<slug>a</slug>", "- <b>"]
)
def test_a_call_in_named_tags_runs_before_anything_else(behind: str) -> None:
    assert ran(f"<drop_table>\n<table>a</table>\n</drop_table>\n{behind}\n", GUARDS[0])[:1] == [
        ("drop_table", {"tool": "drop_table", "table": "a"})
    ]
