"""The gate: what is a tool call, what is an example, and how early that is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stream_guard import Guard, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.testing import by_char, original
from stream_guard.tools.files import FILE_TOOLS


def fence(body: str) -> str:
    return f"```json\n{body}\n```\n"


def outcome(body: str, **settings: Any) -> str:
    """`ours`, or the reason for which the block was released."""
    text = fence(body)
    results = set()
    for chunks in ([text], by_char(text)):
        items = list(Guard(FILE_TOOLS, **settings).scan(chunks))
        assert original(items) == text
        released = [item.reason for item in items if isinstance(item, ToolStatus) and item.status == "released"]
        blocks = [item for item in items if isinstance(item, ToolBlock)]
        assert len(released) + len({block.id for block in blocks}) == 1
        results.add(released[0] if released else "ours")
    (result,) = results
    return str(result)


OURS = [
    '{"tool": "write_file", "path": "a", "content": ""}',
    '{"path": "a", "content": "", "tool": "write_file"}',
    '{"tool": "create_file", "path": "a", "content": ""}',
    '{"tool": "writeFile"}',
    '{"tool": "wirte_file"}',
    '{"id": 1, "type": "tool_use", "name": "write_file", "input": {"path": "a"}}',
    '{"thought": "hm", "tool": "delete_file", "path": "a"}',
    '{"name": "write_file", "arguments": {"path": "a", "content": ""}}',
    '{"name": "write_file", "arguments": "{}"}',
    '{"name": "get_weather", "arguments": {"city": "x"}}',
    '{"tool_name": "delete_file", "args": {"path": "a"}}',
    '{"function": "delete_file", "parameters": {"path": "a"}}',
    '{"type": "function", "function": {"name": "delete_file", "arguments": {"path": "a"}}}',
    '{"tool_calls": [{"tool": "delete_file", "path": "a"}]}',
    '{"function_call": {"name": "delete_file", "arguments": {"path": "a"}}}',
    '{"tool”: "delete_file”, "path”: "old.py”}',
    '{"action": "delete_file", "action_input": {"path": "a"}}',
    '[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file", "path": "b"}]',
    '{"tool": "delete_file", "path": "a"}{"tool": "delete_file", "path": "b"}',
    '{"tool": "frobnicate", "path": "a"}',
    '{"path": "a", "tool": "frobnicate"}',
    '{"tool": "frobnicate", "arguments": {}}',
    '{"path": "a", "content": "no tool"}',
    '{"filename": "a", "code": "no tool"}',
    '{"tool": 5, "path": "a"}',
    "{'tool': 'delete_file', 'path': 'a'}",
    '{tool: "delete_file", path: "a"}',
    '{tool": "delete_file"}',
    '{\\"tool\\": \\"delete_file\\"}',
    "{“tool”: “delete_file”}",
    '{{"tool": "delete_file", "path": "a"}}',
    'write_file({"path": "a"})',
    'rm("a")',
    "{'action': 'delete', 'target': 'a'}",
    "tool: delete_file\npath: a",
    '\u200b{"tool": "delete_file", "path": "a"}',
    '// comment\n{"tool": "delete_file", "path": "a"}',
    '{"content": "an "unescaped" quote", "tool": "write_file", "path": "a"}',
    '{"tool": "delete_file"',
    '{"path": "a',
]

FOREIGN = [
    ('{"name": "demo", "version": "1.0.0"}', "foreign_key"),
    ('{"compilerOptions": {}}', "foreign_key"),
    ('{"tool": "hammer", "price": 3}', "unknown_tool"),
    ('{"tool": "hammer"}', "unknown_tool"),
    ('{"name": "demo"}', "no_tool"),
    ('{"path": "/api/users"}', "no_tool"),
    ("{}", "no_tool"),
    ("[]", "no_tool"),
    ("[1, 2]", "no_tool"),
    ('[{"id": 1, "email": "x"}]', "foreign_key"),
    ("42", "not_an_object"),
    ('"text"', "not_an_object"),
    ("npm install", "not_an_object"),
    ("{'name': 'demo'}", "not_json"),
    ('{"name": "demo",}', "not_json"),
    ('{"name": "demo"', "no_tool"),
    ("", "no_tool"),
    ('{\n  // create a user, then edit it with your tool\n  "name": "demo"\n}', "not_json"),
    ("- create: 1\n- write: 2", "not_an_object"),
]


@pytest.mark.parametrize("body", OURS)
def test_a_call_is_ours_by_name_alias_near_miss_envelope_or_shape(body: str) -> None:
    """Also one that is broken: it is a call all the same, and fails as one."""
    assert outcome(body) == "ours"


@pytest.mark.parametrize(("body", "reason"), FOREIGN)
def test_anything_else_is_released_with_the_reason(body: str, reason: str) -> None:
    """A fence is not evidence of a tool call."""
    assert outcome(body) == reason
    assert outcome(body, untagged="validate") == "ours"


def test_an_example_is_released_as_soon_as_it_cannot_be_a_call() -> None:
    """After the closing quote of its first foreign key, not later; a body that is no JSON after a few hundred characters."""
    for body, at in [
        (json.dumps({"name": "demo", "version": "1"}), len('{"name": "demo", "version"')),
        ("no json at all " * 100, 256),
    ]:
        session = Guard(FILE_TOOLS).session()
        list(session.feed("```json\n"))
        for index, char in enumerate(body, 1):
            out = list(session.feed(char))
            if index < at:
                assert out == []
            else:
                assert original(item for item in out if isinstance(item, str)) == "```json\n" + body[:at]
                break


def test_with_announce_tool_an_example_is_never_spoken_of() -> None:
    """The reader hears of a block once its tool is known."""
    guard = Guard(FILE_TOOLS, announce="tool")
    assert all(isinstance(item, str) for item in guard.scan([fence('{"name": "demo", "version": "1"}')]))
    first = next(item for item in guard.scan([fence(OURS[0])]) if not isinstance(item, str))
    assert isinstance(first, ToolStatus)
    assert (first.status, first.tool_type) == ("buffering", "write_file")


def test_the_gate_serves_any_tools() -> None:
    """With other names and fields."""
    tools = Toolset(
        Tool("get_weather", "", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
        Tool("ping", "", {"type": "object"}),
    )
    guard = Guard(tools)
    for body, found in [('{"tool": "get_weather", "city": "Recife"}', 1), ('{"tool": "ping"}', 1), ('{"city": "Recife"}', 0)]:
        assert len([item for item in guard.scan([fence(body)]) if isinstance(item, ToolBlock)]) == found
