"""A call in a dialect: when it is one, and where it ends."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from stream_guard import Guard, Limits, ToolBlock, ToolStatus
from stream_guard.dialects.tables import DIALECTS
from stream_guard.testing import every_split, merge_text, original
from tests.kit.dialects import TOOLS
from tests.kit.grammars import read

CALL = '{"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}'
HERMES = f"<tool_call>{CALL}</tool_call>"


def scanned(text: str, guard: Guard | None = None) -> list[Any]:
    """The items of a text, the same at every cut."""
    guard = guard or Guard(TOOLS, dialects="all")
    found: list[Any] = merge_text(guard.scan([text], stream_id="s"))
    assert original(found) == text
    for chunks in every_split(text):
        assert merge_text(guard.scan(chunks, stream_id="s")) == found, chunks
    return found


def blocks(items: list[Any]) -> list[tuple[str | None, bool]]:
    return [(item.dialect, item.executable) for item in items if isinstance(item, ToolBlock)]


def statuses(items: list[Any]) -> list[tuple[str, str | None, str | None]]:
    return [(item.status, item.tool_type, item.path) for item in items if isinstance(item, ToolStatus)]


def test_the_name_is_announced_as_soon_as_it_is_closed() -> None:
    session = Guard(TOOLS, dialects=["hermes"]).session("s")
    assert [str(item) for item in session.feed("Now <tool_call>{")] == ["Now ", "buffering s-1"]
    assert list(session.feed('"name": "write_file')) == []
    assert [str(item) for item in session.feed('"')] == ["buffering s-1 write_file"]
    assert [str(item) for item in session.feed(', "arguments": {"path": "a.txt"')] == ["buffering s-1 write_file a.txt"]


@pytest.mark.parametrize(
    "text",
    [
        "Write <tool_call> before it, and </tool_call> behind.\n",
        "<tool_call>\nis the tag\n",
        '<tool_call>{"name": <function-name>, "arguments": <args>}</tool_call>\n',
        '{"name": "somebody", "age": 7}\n',
        "{}\n{\n",
        '{"a": "' + "x" * 300 + '"}\n',
        f"{CALL} is an example\n",
        f"An example: {CALL}\n",
        "[write_file](http://x)\n[write_file() for x in y]\n",
        "<write_file> writes a file\n",
        f"`a\n{HERMES}`\n",
        f"``a ` b {HERMES}``\n",
    ],
)
def test_what_is_no_call_is_prose(text: str) -> None:
    """At every cut, and no block of it ends."""
    assert blocks(scanned(text)) == []


def test_a_code_span_ends_with_its_paragraph() -> None:
    assert blocks(scanned(f"a ` b\n\n{HERMES}\n")) == [("hermes", True)]


def test_a_call_without_an_opener_ends_with_its_line() -> None:
    assert blocks(scanned(f"{CALL}\n{CALL}<|eom_id|>\n{CALL}")) == [("llama3_json", True)] * 3


def test_what_was_no_call_is_read_again() -> None:
    """A fence or a call that begins in it is found."""
    assert blocks(scanned(f"<tool_call> <tool_call> {HERMES}\n")) == [("hermes", True)]
    assert blocks(scanned('{"a":\n```json\n{"tool": "list_all"}\n```\n')) == [("fence", True)]


def test_an_unknown_tool_behind_a_sure_opener_fails_with_a_hint() -> None:
    found = scanned('<tool_call>{"name": "wrte_file", "arguments": {}}</tool_call>')
    (block,) = (item for item in found if isinstance(item, ToolBlock))
    assert not block.executable
    assert block.hint is not None
    assert statuses(found)[0] == ("buffering", None, None)


def test_behind_a_call_that_is_too_long_nothing_opens_up_to_its_closer_and_nothing_runs() -> None:
    fence = '```json\n{"tool": "list_all"}\n```'
    text = f'<tool_call>{{"name": "write_file", "arguments": {{"content": "{"x" * 200}\n{fence}\n"}}}}</tool_call>\n{fence}\n'
    guard = Guard(TOOLS, dialects="all", limits=Limits(max_block=100))
    found = [item for item in scanned(text, guard) if isinstance(item, ToolBlock)]
    assert [(block.end_cause, block.executable) for block in found] == [("oversize", False), ("closed", False)]
    assert found[0].tool == "write_file"


def test_where_a_call_without_a_closer_is_too_long_nothing_opens_any_more() -> None:
    text = "[TOOL_CALLS]write_file[ARGS]" + '{"content": "' + "x" * 200 + '"}\n```json\n{"tool": "list_all"}\n```\n'
    guard = Guard(TOOLS, dialects="all", limits=Limits(max_block=100))
    assert blocks(scanned(text, guard)) == [("mistral", False)]


def test_a_broken_call_is_mended_as_in_a_fence() -> None:
    text = "<tool_call>{'name': 'write_file', 'arguments': {'path': 'a.txt', 'content': 'x',}}</tool_call>"
    (block,) = (item for item in scanned(text) if isinstance(item, ToolBlock))
    assert (block.dialect, block.tool, block.corrected_by) == ("hermes", "write_file", "fixes")
    assert block.raw == text


INDENTED = ("if a:\n    b()", "  a\n  b", "x\n\ty\n", "\n  a", "a\n b\nc")
"""Texts with lines behind an indent."""


@pytest.mark.parametrize(
    "dialect", ["minimax_m2", "claude_xml", "muse_glimmer", "dots", "deepseek_v4_dsml", "hunyuan_v3", "glm45"]
)
def test_the_indent_of_a_text_is_none_of_the_calls_behind_it(dialect: str) -> None:
    """Of the markers a text may have its indent, wherever in the block they stand; not of another call's text."""
    write = DIALECTS[dialect].write
    for first, second in itertools.product(INDENTED, repeat=2):
        pair = [("write_file", {"path": f"{at}.py", "content": text}) for at, text in enumerate((first, second))]
        text = f"Well:\n{write(pair)}\nDone.\n"
        made = read(TOOLS, dialect, text)
        assert [block.call and block.call.arguments["content"] for block in made] == [first, second], text
        one = write(pair[:1])
        opener = one[: one.index("write_file")]
        at = opener.rindex("<")
        if not opener[:at].endswith("\n") or second == INDENTED[-1]:
            continue  # its openers stand on one line; or a line of the text stands at the left edge
        marked = text.replace(opener[at:], f"  {opener[at:]}", 1)
        made = read(TOOLS, dialect, marked)
        assert [block.executable for block in made] == [first == INDENTED[-1], False], marked
