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
    '{"tool": "frobnicate", "arguments": {"file_path": "a"}}',
    '{"tool": "rm", "path": "a"}',
    '{"path": "a", "tool": "rm"}',
    '{"tool": "rm", "arguments": "{\\"path\\": \\"a\\"}"}',
    '{"type": "tool_use", "name": "rm", "input": {"path": "a"}}',
    '{"tool": {"name": "rm", "arguments": {"path": "a"}}}',
    '{"arguments": {"path": "a"}, "name": "delete_file"}',
    '{"name": "delete_file", "arguments": {"nonsense": 1}}',
    '{"name": "delete_file", "arguments": {}}',
    '{"name": "deleteFile", "arguments": {"path": "a"}}',
    '{"name": "delete_file", "path": "a"}',
    '{"Tool": "delete_file", "Path": "a"}',
    '{"description": "d", "version": "1", "comment": "c", "tool": "delete_file", "path": "a"}',
    '{"tool": 5, "path": "a"}',
    "{'tool': 'delete_file', 'path': 'a'}",
    '{tool: "delete_file", path: "a"}',
    '{tool": "delete_file"}',
    '{\\"tool\\": \\"delete_file\\"}',
    "{“tool”: “delete_file”}",
    '{{"tool": "delete_file", "path": "a"}}',
    'write_file({"path": "a"})',
    'delete_file("a")',
    "{'tool': 'rm', 'path': 'a'}",
    "{'action': 'delete_file', 'path': 'a'}",
    "tool: delete_file\npath: a",
    '\u200b{"tool": "delete_file", "path": "a"}',
    '// comment\n{"tool": "delete_file", "path": "a"}',
    '{"content": "an "unescaped" quote", "tool": "write_file", "path": "a"}',
    '{"tool": "delete_file"',
    '{"tool": "del',
]

FOREIGN = [
    ('{"name": "demo", "version": "1.0.0"}', "no_tool"),
    ('{"name": "demo", "version": "1.0.0", "scripts": {}}', "foreign_key"),
    ('{"compilerOptions": {}}', "foreign_key"),
    ('{"tool": "hammer", "price": 3}', "unknown_tool"),
    ('{"tool": "hammer"}', "unknown_tool"),
    ('{"tool": "hammer", "text": "a plain word that is an alias of a field"}', "unknown_tool"),
    ('{"tool": "hammer", "description": "d", "name": "n"}', "unknown_tool"),
    ('{"tool": "frobnicate", "arguments": {}}', "unknown_tool"),
    ('{"tool": "rm"}', "no_tool"),
    ('{"tool": "rm", "arguments": {"force": true}}', "foreign_key"),
    ('{"tool": {"type": "string"}, "path": {"type": "string"}}', "no_tool"),
    ('{"name": "get_weather", "arguments": {"city": "x"}}', "unknown_tool"),
    ('{"arguments": {"city": "x"}, "name": "get_weather"}', "foreign_key"),
    ('{"action": "search_web", "action_input": {"query": "x"}}', "unknown_tool"),
    ('{"action": "Final Answer", "action_input": "done"}', "no_tool"),
    ('{"name": "final_answer", "arguments": {"answer": "done"}}', "no_tool"),
    ('{"tool": "final_answer", "answer": "done"}', "foreign_key"),
    ('{"tool": "final_answer"}', "no_tool"),
    ('{"name": "get_weather", "description": "d", "parameters": {"type": "object"}}', "no_tool"),
    ('{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}', "no_tool"),
    ('{"name": "rm", "arguments": {"path": "a"}}', "no_tool"),
    ('{"name": "edit", "path": "/edit/:id", "component": "View"}', "foreign_key"),
    ('{"action": "delete", "path": "/a"}', "no_tool"),
    ('{"name": "deleteFile", "path": "/files/:id"}', "no_tool"),
    ('{"name": "delete_file", "description": "d"}', "no_tool"),
    ('{"name": "delete_file", "parameters": {"type": "object", "properties": {"path": {}}}}', "no_tool"),
    ('{"name": "delete_file", "parameters": {"title": "t", "properties": {"path": {}}}}', "no_tool"),
    ('{"parameters": {"type": "object"}, "name": "delete_file"}', "no_tool"),
    ('{"name": "delete_file", "input_schema": {"type": "object"}}', "foreign_key"),
    ('{"path": "a", "content": "no tool"}', "no_tool"),
    ('{"filename": "a", "code": "no tool"}', "no_tool"),
    ('{"description": "' + "d" * 300 + '", "tool": "delete_file"}', "foreign_key"),
    ('{"description": [' + "1, " * 100 + '1], "tool": "delete_file"}', "foreign_key"),
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
    ('rm("a")', "not_an_object"),
    ("{'action': 'delete', 'path': 'a'}", "not_json"),
    ("{'name': 'delete_file', 'path': 'a', 'parameters': {'properties': {}}}", "not_json"),
    ('{"path": "a", // where\n}', "not_json"),
    ('{"path": "a', "no_tool"),
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
        (json.dumps({"name": "demo", "scripts": "1"}), len('{"name": "demo", "scripts"')),
        (json.dumps({"name": "demo", "arguments": {}}), len('{"name": "demo", "arguments"')),
        ('{"name": "write_file", "input": {"type": "object"}}', len('{"name": "write_file", "input": {"type": "object"')),
        (json.dumps({"description": "d" * 300}), len('{"description"') + 260),
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
    assert all(isinstance(item, str) for item in guard.scan([fence('{"name": "demo", "scripts": "1"}')]))
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


def test_a_remark_before_the_tool_may_have_256_characters() -> None:
    """One more says that this is a text, and no remark; after the tool, and in a field of some tool, it may be any length."""
    for key in ("description", "thought", "comment", "id"):
        assert outcome(json.dumps({key: "x" * 256, "tool": "write_file"})) == "ours"
        assert outcome(json.dumps({key: "x" * 257, "tool": "write_file"})) == "foreign_key"
        assert outcome(json.dumps({"tool": "write_file", key: "x" * 257})) == "ours"
    assert outcome(json.dumps({"content": "x" * 300, "tool": "write_file"})) == "ours"


def test_a_tools_own_name_of_one_word_needs_arguments_under_a_key_that_may_say_anything() -> None:
    """Under a key that says tool it is a name like any other."""
    guard = Guard(Toolset(Tool("search", "", {"type": "object", "properties": {"query": {"type": "string"}}})))
    for body, found in [
        ({"tool": "search"}, 1),
        ({"name": "search", "arguments": {"query": "x"}}, 1),
        ({"name": "search", "arguments": {"q": "x"}}, 1),
        ({"name": "search", "arguments": {}}, 1),
        ({"name": "search", "query": "x"}, 0),
        ({"name": "search", "path": "/search"}, 0),
    ]:
        assert len([item for item in guard.scan([fence(json.dumps(body))]) if isinstance(item, ToolBlock)]) == found, body
