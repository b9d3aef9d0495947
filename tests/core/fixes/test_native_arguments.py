"""The arguments of a native call, which names its one tool itself; and blanks that are none to JSON."""

from __future__ import annotations

from typing import Any, Final

import pytest

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.fixes.engine import Engine
from stream_guard.tools.files import FILE_TOOLS

ENGINE: Final = Engine(FILE_TOOLS, Limits(), "likely")


def mended(arguments: str, called: str) -> list[Any]:
    """What is mended of a body as the adapters make it of a native call's arguments."""
    rest = arguments.strip()
    whole = f'{{"tool": "{called}", {rest[1:]}' if rest.startswith("{") else f'{{"name": "{called}", "arguments": {rest}}}'
    return [part.verdict.value for part in ENGINE.tried(whole, fenced=False, called=called)[0]]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "a"}{"path": "b"}',
        '{"path": "a"}\n{"tool": "delete_file", "path": "b"}',
        '{"path": "a"}, {"path": "b"}',
        '[{"path": "a"}, {"path": "b"}]',
        '[{"path": "a",}, {"path": "b"}]',
        '{"path": ["a", "b"]}',
        '{"path": ["a", "b"],}',
        '"{\\"path\\": \\"a\\"}{\\"path\\": \\"b\\"}"',
        '{"tool_calls": [{"name": "rm", "arguments": {"path": "a"}}, {"name": "rm", "arguments": {"path": "b"}}]}',
    ],
)
@pytest.mark.promise("P7", "P8")
def test_the_arguments_of_one_call_make_no_second(arguments: str) -> None:
    """Neither in a row, nor in a list, nor by one path each."""
    assert mended(arguments, "delete_file") == []


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        ('{"tool": "delete_file", "path": "a",}', "write_file"),
        ('{"name": "delete_file", "arguments": {"path": "a",}}', "write_file"),
        ('{"path": "a", "content": "x",}, {"tool": "delete_file", "path": "a"}', "write_file"),
        ('{"path": "a",}', "write_file"),
        ('{"path": "a", "content": "x",}', "delete_file"),
        ('{"path": "a",}', "nothing_known"),
    ],
)
@pytest.mark.promise("P7", "P8")
def test_the_arguments_of_one_call_are_of_no_other_tool(arguments: str, called: str) -> None:
    assert mended(arguments, called) == []


def test_the_arguments_of_one_call_are_mended() -> None:
    assert mended('{"path": "a",}', "delete_file") == [{"tool": "delete_file", "path": "a"}]
    assert mended("{'path': 'a'}", "rm") == [{"tool": "delete_file", "path": "a"}]


def ran(body: str) -> list[Any]:
    items = Guard(FILE_TOOLS).scan([f"```json\n{body}\n```\n"])
    return [item.arguments for item in items if isinstance(item, ToolBlock) and item.executable]


BLANKS: Final = ("\u00a0", "\u202f", "\u3000", "\u2009", "\u200b", "\u2060", "\ufeff", "\u2028")


@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_that_json_does_not_know_is_one_between_tokens(blank: str) -> None:
    """A page, or a keyboard, put it there."""
    write = {"tool": "write_file", "path": "a.txt", "content": "x y"}
    members = f'{blank}"tool":{blank}"write_file",{blank}"path"{blank}: "a.txt",\n{blank}{blank}"content": "x{blank}y"{blank}'
    assert ran(f"{{{members}}}{blank}") == []  # the one in the text may have been a blank: all may have become another
    assert ran(f"{{{members.replace(f'x{blank}y', 'x y')}}}{blank}") == [write]


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.promise("P8")
def test_in_a_value_it_is_never_dropped_or_changed(blank: str) -> None:
    """What stands in a text is the text's; a number or a word with one in it is none."""
    for body in (
        f'{{"tool": "write_file", "path": "a.txt", "content": "{blank}x{blank}",}}',
        f"{{'tool': 'write_file', 'path': 'a.txt', 'content': '{blank}x{blank}'}}",
    ):
        assert ran(body) == [{"tool": "write_file", "path": "a.txt", "content": f"{blank}x{blank}"}]
    for body in (
        f'{{"tool": "write{blank}file_x", "path": "a.txt", "content": "x",}}',
        f'{{"tool": "write_file", "path": "a.txt" {blank} x, "content": "x"}}',
        f'{{"tool": "delete_file", "path": "a,"{blank}"content": "x"}}',
    ):
        assert ran(body) == []
