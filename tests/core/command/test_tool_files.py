"""The tools of a JSON file: a list of them, and an object of schemas or definitions by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stream_guard import Toolset
from stream_guard.command.spelt import DEFINITION, KEYWORDS
from stream_guard.command.tool_files import listed
from tests.kit.command import command

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}
REST: dict[str, Any] = {key: value for key, value in SCHEMA.items() if key != "type"}
FORMS: dict[str, dict[str, Any]] = {
    "a schema": SCHEMA,
    "a schema without a type": REST,
    "a schema that refers": {"$ref": "#/$defs/place", "$defs": {"place": SCHEMA}},
    "a schema of several": {"allOf": [SCHEMA]},
    "a schema with a title": {"title": "GetWeather", **SCHEMA},
    "a schema with a name": {"name": "get_weather", **SCHEMA},
    "a schema that refers, with a name": {"name": "get_weather", "$ref": "#/$defs/place", "$defs": {"place": SCHEMA}},
    "MCP": {"inputSchema": SCHEMA},
    "MCP, with a title for people": {"title": "What the weather is", "description": "x", "inputSchema": SCHEMA},
    "Anthropic": {"name": "get_weather", "input_schema": SCHEMA},
    "OpenAI": {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}},
    "OpenAI, without a name": {"type": "function", "function": {"parameters": SCHEMA}},
    "OpenAI, responses": {"type": "function", "parameters": SCHEMA},
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "title": ({"title": "Weather", **SCHEMA}, "it has another title, 'Weather'"),
    "title of no text": ({"title": 7, **SCHEMA}, "it has another title, 7"),
    "name": ({"name": "getWeather", "parameters": SCHEMA}, "it has another name, 'getWeather'"),
    "name of a schema": ({"name": "x", **SCHEMA}, "it has another name, 'x'"),
    "name of a function": ({"type": "function", "function": {"name": "x", "parameters": SCHEMA}}, "it has another name, 'x'"),
    "no schema": ({}, "it has no schema"),
    "no arguments": ({"type": "string"}, "a tool of type 'string' has no schema"),
    "slip": ({"paramters": SCHEMA, "name": "get_weather"}, "write 'parameters'"),
    "risk": ({"risk": "read", **SCHEMA}, '"risk" is no key of a tool definition'),
}


def accepts(tools: Toolset, arguments: dict[str, Any]) -> bool:
    return tools["get_weather"].compiled.accepts(arguments)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("outer", [lambda tools: tools, lambda tools: {"tools": tools}], ids=["alone", "in tools"])
def test_an_object_names_its_tools_by_its_keys(form: str, outer: Any) -> None:
    """Each with its own schema: one that got lost would take any call, or none."""
    tools = listed(outer({"get_weather": FORMS[form], "ping": {"type": "object", "properties": {}}}))
    assert [tool.name for tool in tools] == ["get_weather", "ping"]
    assert accepts(tools, {"city": "Ghent", "days": 2})
    assert not accepts(tools, {"days": 2})
    assert not accepts(tools, {"city": 7})
    assert listed(outer({"get_weather": FORMS[form]})).names == ("get_weather",)


@pytest.mark.parametrize("what", WRONG)
def test_an_entry_that_is_not_what_its_key_says_is_refused(what: str) -> None:
    entry, says = WRONG[what]
    for tools in ({"get_weather": entry, "ping": SCHEMA}, {"ping": SCHEMA, "get_weather": entry}):
        with pytest.raises(ValueError, match=r"'get_weather': ") as raised:
            listed(tools)
        assert says in str(raised.value)


@pytest.mark.parametrize("word", sorted(DEFINITION | KEYWORDS))
def test_a_word_of_a_schema_is_no_tool(word: str) -> None:
    """Else a schema without a name, or a definition, is read as a list of tools, and every call of the tool is unknown."""
    for tools in ({word: SCHEMA}, {word: SCHEMA, "get_weather": SCHEMA}, {"get_weather": SCHEMA, word: SCHEMA}):
        with pytest.raises(ValueError):
            listed(tools)


@pytest.mark.parametrize(
    ("listing", "says"),
    [
        ({"propertis": SCHEMA["properties"]}, "entry 1: 'propertis' is no keyword of a JSON Schema: write 'properties'"),
        (SCHEMA["properties"], "'city': a tool of type 'string' has no schema"),
        ({"get_weather": SCHEMA, "version": 1}, "entry 1: it has no name"),
        ({}, "entry 1: it has no name"),
        ([], "it has no tool definitions"),
        ({"": SCHEMA}, "'': it has no name"),
    ],
)
def test_what_is_no_object_of_tools_is_refused(listing: Any, says: str) -> None:
    with pytest.raises(ValueError) as raised:
        listed(listing)
    assert says in str(raised.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weather.json").write_text(json.dumps({"get_weather": SCHEMA}), encoding="utf-8")
    (tmp_path / "other.json").write_text(json.dumps({"get_weather": {"title": "Weather", **SCHEMA}}), encoding="utf-8")
    (tmp_path / "reply.txt").write_text('```json\n{"tool": "get_weather", "city": "Ghent"}\n```\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("check reply.txt --tools {}", "1 block in 1 file: 1 passed"),
        ("grammar --tools {} --format json-schema", "get_weather"),
        ("attack {} --blocks 20 --processes 0", "weather.json: 20 blocks"),
    ],
)
def test_the_commands_take_such_a_file(folder: Path, line: str, says: str) -> None:
    done = command(*line.format("weather.json").split(), folder=folder)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    done = command(*line.format("other.json").split(), folder=folder)
    assert done.returncode == 2
    assert "other.json: 'get_weather': it has another title, 'Weather': leave that out, or write it like the key" in done.stderr
