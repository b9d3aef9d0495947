"""Gemini's function declarations as tools."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Risk, Toolset
from stream_guard.toolset.declarations import as_definition, declarations, is_declaration

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 40},
        "days": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
GOOGLE: dict[str, Any] = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING", "maxLength": "40"},
        "days": {"type": "INTEGER", "nullable": True, "format": "int32"},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}},
    },
    "required": ["city"],
}
FORMS: dict[str, dict[str, Any]] = {
    "JSON Schema": {"name": "weather", "description": "The weather", "parametersJsonSchema": SCHEMA},
    "JSON Schema, as its client spells": {"name": "weather", "description": "The weather", "parameters_json_schema": SCHEMA},
    "Google's spelling": {"name": "weather", "description": "The weather", "parameters": GOOGLE},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", ["functionDeclarations", "function_declarations"])
def test_a_list_of_declarations_gives_tools_with_their_arguments(form: str, key: str) -> None:
    for source in ({key: [FORMS[form]]}, [{key: [FORMS[form]]}], {"tools": [{key: [FORMS[form]]}]}):
        (made,) = Toolset.of(source)
        assert (made.name, made.description, made.schema, made.risk) == ("weather", "The weather", SCHEMA, Risk.DESTRUCTIVE)


def test_a_single_declaration_with_a_json_schema_keeps_its_arguments() -> None:
    (made,) = Toolset.of(FORMS["JSON Schema"])
    assert made.schema == SCHEMA


def test_what_is_no_declaration_is_told_from_one() -> None:
    assert declarations({"name": "weather", "parameters": SCHEMA}) is None
    assert declarations({"functionDeclarations": "weather"}) is None
    assert not is_declaration({"name": "weather", "parameters": SCHEMA})
    assert as_definition({"name": "now"}) == {"name": "now", "description": None, "parameters": None}


@pytest.mark.parametrize("odd", [{"type": "STRING", "maxLength": "many"}, {"items": {"maxItems": []}}])
def test_a_schema_that_is_not_understood_is_an_error(odd: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        as_definition({"name": "weather", "parameters": odd})


def test_so_is_one_that_is_nested_too_deeply() -> None:
    deep: dict[str, Any] = {"type": "STRING"}
    for _ in range(70):
        deep = {"type": "ARRAY", "items": deep}
    with pytest.raises(ValueError, match="nested too deeply"):
        as_definition({"name": "weather", "parameters": deep})
