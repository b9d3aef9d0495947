"""Values drawn for JSON Schemas: valid, of every keyword that a draw can aim at, and the same for the same seed."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from stream_guard_conformance.patterns import drawn
from stream_guard_conformance.sources import own
from stream_guard_conformance.values import FORMATS, Values

SCHEMAS: dict[str, Any] = {
    "an enum of several types": {"enum": ["a", 1, None, True]},
    "a constant": {"const": {"a": [1]}},
    "a pattern": {"type": "string", "pattern": "^[A-Z]{2,4}-\\d+(x|yz)?$"},
    "a short text": {"type": "string", "minLength": 3, "maxLength": 5},
    "a long text": {"type": "string", "minLength": 900},
    "several types": {"type": ["string", "number", "boolean", "null"]},
    "a union": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "array", "items": {"type": "boolean"}}]},
    "forms with a constant": {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind", "y"]},
        ]
    },
    "parts": {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ]
    },
    "numbers between bounds": {"type": "number", "exclusiveMinimum": 3, "maximum": 9},
    "a whole number between bounds": {"type": "integer", "exclusiveMinimum": -5, "exclusiveMaximum": 5},
    "a multiple": {"type": "integer", "multipleOf": 7, "minimum": 0},
    "a list of records": {
        "type": "array",
        "minItems": 2,
        "items": {
            "type": "object",
            "properties": {"id": {"type": "integer"}},
            "required": ["id"],
            "additionalProperties": False,
        },
    },
    "a list without repetition": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
    "a tuple": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "items": False},
    "a map": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
    "any object": {"type": "object"},
    "a required field that is not described": {"type": "object", "required": ["a"]},
    "a reference": {
        "type": "object",
        "properties": {"place": {"$ref": "#/$defs/place"}},
        "required": ["place"],
        "$defs": {"place": {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}},
    },
    "a schema that contains itself": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
        "additionalProperties": False,
    },
    "no type, but its words": {"properties": {"a": {"minimum": 3}, "b": {"pattern": "^x+$"}}, "required": ["a", "b"]},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_drawn_is_valid(name: str) -> None:
    validator = jsonschema_rs.validator_for(SCHEMAS[name])
    values = Values(SCHEMAS[name], own(), Random(name))
    assert [value for value in (values.draw(budget) for budget in (20, 60, 400) * 30) if not validator.is_valid(value)] == []


@pytest.mark.parametrize("name", FORMATS)
def test_the_texts_of_a_format_have_it(name: str) -> None:
    schema = {"type": "string", "format": name}
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    values = Values(schema, own(), Random(1))
    assert all(validator.is_valid(values.draw()) for _ in range(20))


def test_the_same_seed_draws_the_same_values() -> None:
    schema = SCHEMAS["a schema that contains itself"]
    one, again, other = (Values(schema, own(), Random(seed)) for seed in (1, 1, 2))
    drawn_by = [[values.draw() for _ in range(20)] for values in (one, again, other)]
    assert drawn_by[0] == drawn_by[1] != drawn_by[2]


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$", "^\\d{4}-\\d{2}$", "^(GET|POST) /\\w*$", "^[^/]+$", "a{3}", "^#[0-9a-fA-F]{6}$", "^(?:[ab]|\\.c)?x\\t$",
        "^(?<year>\\d{4})$", "^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$", "^\\u0041\\x42$", "^[]a]$", "^.{2,}?$",
    ],
)  # fmt: skip
def test_a_text_matches_its_pattern(pattern: str) -> None:
    python = pattern.replace("(?<year>", "(?P<year>").replace("[]a]", "[\\]a]")
    rng = Random(1)
    assert all(re.search(python, drawn(pattern, rng) or "\0") for _ in range(30))


@pytest.mark.parametrize("pattern", ["(?=a)b", "(?<!a)b", "(a)\\1", "\\bword", "(", "[a", "a)", "\\p{L}"])
def test_a_pattern_that_is_not_known_draws_nothing(pattern: str) -> None:
    assert drawn(pattern, Random(1)) is None
