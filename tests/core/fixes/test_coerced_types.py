"""A value in another type is taken for what its field holds, wherever the field stands and whether or not it may be null."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from stream_guard import Guard, Tool

Json = dict[str, Any]


def record(**fields: Json) -> Json:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


INTEGER: Final[Json] = {"type": "integer"}
STRING: Final[Json] = {"type": "string"}

TYPES: Final[dict[str, tuple[Json, Any, Any]]] = {
    "integer": (INTEGER, "7", 7),
    "number": ({"type": "number"}, "1.5", 1.5),
    "boolean": ({"type": "boolean"}, "True", True),
    "string": (STRING, 12, "12"),
    "list as text": ({"type": "array", "items": INTEGER}, "[1, 2]", [1, 2]),
    "one record for a list": (
        {"type": "array", "items": record(id=INTEGER, name=STRING)},
        {"id": 1, "name": "x"},
        [{"id": 1, "name": "x"}],
    ),
    "object as text": (record(a=INTEGER), '{"a": 1}', {"a": 1}),
    "choice": ({"enum": ["low", "high"]}, "High", "high"),
    "choice of texts": ({"type": "string", "enum": ["low", "high"]}, "High", "high"),
    "list of one": (INTEGER, [7], 7),
}
"""For each type a schema, a value as models write it, and the value that is meant."""


def spellings(schema: Json) -> Iterator[tuple[str, Json]]:
    """The schema as it is, and as generators of schemas write the same type with null."""
    yield "plain", schema
    if "enum" in schema:
        yield (
            "null among the choices",
            {
                **schema,
                "enum": [None, *schema["enum"]],
                **({"type": ["string", "null"]} if "type" in schema else {}),
            },
        )
    else:
        yield "two types", {**schema, "type": [schema["type"], "null"]}
    yield "anyOf", {"anyOf": [schema, {"type": "null"}]}
    yield "anyOf with a default", {"anyOf": [schema, {"type": "null"}], "default": None, "title": "V"}
    yield "oneOf", {"oneOf": [{"type": "null"}, schema]}
    yield "a reference", {"$ref": "#/$defs/It"}
    yield "a reference or null", {"anyOf": [{"$ref": "#/$defs/It"}, {"type": "null"}]}
    yield "allOf", {"allOf": [{"$ref": "#/$defs/It"}]}


PLACES: Final[dict[str, tuple[Callable[[Json], Json], Callable[[Any], Any]]]] = {
    "the call": (lambda schema: schema, lambda value: value),
    "an object": (lambda schema: record(v=schema), lambda value: {"v": value}),
    "a list": (lambda schema: {"type": "array", "items": schema}, lambda value: [value]),
    "objects in a list": (lambda schema: {"type": "array", "items": record(v=schema)}, lambda value: [{"v": value}]),
    "a map": (lambda schema: {"type": "object", "additionalProperties": schema}, lambda value: {"k": value}),
    "an object in an object": (lambda schema: record(v=record(v=schema)), lambda value: {"v": {"v": value}}),
    "a list in a list": (
        lambda schema: {"type": "array", "items": {"type": "array", "items": schema}},
        lambda value: [[value]],
    ),
    "an object or null": (lambda schema: {"anyOf": [record(v=schema), {"type": "null"}]}, lambda value: {"v": value}),
    "a list or null": (
        lambda schema: {"anyOf": [{"type": "array", "items": schema}, {"type": "null"}]},
        lambda value: [value],
    ),
}
"""For each place a schema that holds the type there, and a value."""


@pytest.mark.some(15)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TYPES)
def test_a_type_is_coerced_alike_wherever_it_stands_and_however_null_is_allowed(kind: str, place: str) -> None:
    schema, written, meant = TYPES[kind]
    around, held = PLACES[place]
    for spelling, spelt in spellings(schema):
        tool = Tool("set_value", "", {**record(given=around(spelt)), "$defs": {"It": schema}})
        block = Guard([tool]).check(json.dumps({"tool": "set_value", "given": held(written)}))
        assert block.executable, spelling
        assert json.dumps((block.arguments or {})["given"]) == json.dumps(held(meant)), spelling
        assert {fix.rule for fix in block.fixes} == {"coercion"}, spelling
