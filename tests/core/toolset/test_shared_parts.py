"""A schema whose parts share their parts is small, and has more paths than anybody can walk: its tool works like any other.

Each level of a ladder refers to the next one twice, so that forty levels have two to the fortieth paths. In a ring each type
may hold every other one. Whoever walks along the paths does not come to an end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from stream_guard import Guard, Tool, Toolset
from stream_guard.codegen import GenerationError, generate
from stream_guard.grammars import GrammarError
from stream_guard.schema.schema import SchemaError
from stream_guard.toolset.listings import sample

LEVELS: Final = 40
TYPES: Final = 14

Level = Callable[[Any, Any], dict[str, Any]]


def _object(left: Any, right: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": left, "b": right}, **more}


def _or_null(schema: Any) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


NESTS: Final[dict[str, Level]] = {
    "properties": _object,
    "required": lambda a, b: _object(a, b, required=["a", "b"]),
    "closed": lambda a, b: _object(a, b, required=["a", "b"], additionalProperties=False),
    "nullable": lambda a, b: _object(_or_null(a), _or_null(b), required=["a", "b"]),
    "items": lambda a, b: {"type": "array", "prefixItems": [a, b], "minItems": 2},
    "lists": lambda a, b: _object(
        {"type": "array", "items": a, "minItems": 1}, {"type": "array", "items": b}, required=["a", "b"]
    ),
    "values": lambda a, b: {"type": "object", "properties": {"a": a}, "additionalProperties": b},
    "patterns": lambda a, b: {"type": "object", "patternProperties": {"^a": a, "^b": b}},
    "anyOf": lambda a, b: {"anyOf": [a, b]},
    "oneOf": lambda a, b: {"oneOf": [a, b]},
    "allOf": lambda a, b: {"allOf": [a, b]},
    "two unions": lambda a, b: {"anyOf": [a, {"type": "null"}], "oneOf": [b, {"type": "null"}]},
    "forms": lambda a, b: {"anyOf": [{"type": "object", "properties": {"a": a}}, {"type": "object", "properties": {"b": b}}]},
    "discriminated": lambda a, b: {
        "oneOf": [_object({"const": word}, inner, required=["a", "b"]) for word, inner in (("x", a), ("y", b))]
    },
    "if": lambda a, b: {"if": {"required": ["a"]}, "then": a, "else": b},
    "not": lambda a, b: {"not": {"anyOf": [a, b]}},
    "dependent": lambda a, b: {"type": "object", "dependentSchemas": {"a": a, "b": b}},
}


def ladder(level: Level) -> dict[str, Any]:
    parts = {f"d{at}": level(*[{"$ref": f"#/$defs/d{at + 1}"}] * 2) for at in range(LEVELS)}
    return {**parts, f"d{LEVELS}": {"type": "string"}}


def ring(*, required: bool) -> dict[str, Any]:
    members = {f"m{at}": {"$ref": f"#/$defs/d{at}"} for at in range(TYPES)}
    return {
        f"d{at}": {"type": "object", "properties": members, "required": [*members] if required else []} for at in range(TYPES)
    }


SCHEMAS: Final = {
    **{name: ladder(level) for name, level in NESTS.items()},
    "ring": ring(required=False),
    "ring of required": ring(required=True),
}

BODIES: Final = [
    '{"tool": "t", "a": "x"}',
    '{"tool": "t", "a": {},}',
    '{"tool": "t", "a": {"a": 1}}',
    '{"tool": "t", "b": {"z": 1}, }',
    '{"tool": "t", "a": {"m1": {"m2": {}}}}',
    '{"tool": "t", "a": [[1], [{}]]}',
    '{"tool": "t", "a": {"a": "say "hi" now", "b": null}}',
    '{"tool": "t"}',
    '{"tool": "t", "arguments": {"A": "x"}}',
]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_whose_parts_share_their_parts_is_no_work(name: str) -> None:
    schema = {"type": "object", "$defs": SCHEMAS[name], "properties": {"a": {"$ref": "#/$defs/d0"}}, "required": ["a"]}
    tool = Tool("t", "", schema, private={"a"}) if name == "ring" else Tool("t", "", schema)
    tools = Toolset(tool)
    guard = Guard(tools, preview=True, early="announce", dialects="all")
    for body in BODIES:
        block = guard.check(body)
        assert block.tool in ("t", None)
        assert block.hint is None or len(json.dumps(block.to_dict()["hint"])) < 20_000
        assert len(list(guard.scan([f"```json\n{body}\n```\n"]))) > 1
    assert len(str(sample(tool.fields))) < 100_000
    assert len(tools.to_prompt()) < 200_000
    assert tool.canonical("nowhere") is None


EXPORTS: Final[dict[str, Callable[[Toolset], object]]] = {
    "JSON Schema": lambda tools: tools.to_json_schema(strict=False).text,
    "strict JSON Schema": lambda tools: tools.to_json_schema().text,
    "Lark": lambda tools: tools.to_lark("hermes").text,
    "GBNF": lambda tools: tools.to_gbnf("pythonic").text,
    "structural tag": lambda tools: tools.to_structural_tag("qwen3_coder").text,
    "prompt of a dialect": lambda tools: tools.to_prompt(dialect="hermes"),
    "code": lambda tools: generate(tools, "shared"),
}


@pytest.mark.some(40)
@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("name", SCHEMAS)
def test_its_grammars_and_its_code_are_no_work_either(name: str, export: str) -> None:
    schema = {"type": "object", "$defs": SCHEMAS[name], "properties": {"a": {"$ref": "#/$defs/d0"}}, "required": ["a"]}
    tools = Toolset(Tool("t", "", schema))
    try:
        made = str(EXPORTS[export](tools))
    except GrammarError as error:
        assert name == "ring of required"  # no value of it ends
        assert "allows no object" in str(error)
    else:
        assert len(made) < 400_000


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_unions_that_nest_too_deeply_are_refused_by_name(keyword: str) -> None:
    parts: dict[str, Any] = {f"d{at}": {keyword: [{"$ref": f"#/$defs/d{at + 1}"}, {"type": "null"}]} for at in range(400)}
    schema = {"$defs": {**parts, "d400": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/d0"}}}
    tools = Toolset(Tool("t", "", schema))
    with pytest.raises(SchemaError, match="tool 't': the schema is nested too deeply to be described"):
        tools.to_prompt()
    with pytest.raises(GenerationError, match="tool 't': the schema is nested too deeply to be read"):
        generate(tools, "shared")


def test_a_schema_that_nests_too_deeply_is_refused_by_name() -> None:
    parts: dict[str, Any] = {f"d{at}": _object({"$ref": f"#/$defs/d{at + 1}"}, {}) for at in range(3_000)}
    with pytest.raises(ValueError, match="tool 't': the schema is nested too deeply"):
        Tool("t", "", {"$defs": {**parts, "d3000": {}}, "properties": {"a": {"$ref": "#/$defs/d0"}}})
