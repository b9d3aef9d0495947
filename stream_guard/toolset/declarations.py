"""Reads the function declarations of Google's API (Gemini) as tool definitions with a JSON Schema.

A declaration has its schema in JSON Schema (`parametersJsonSchema`), or in Google's own spelling (`parameters`): the names of
types in capitals, `nullable`, and bounds as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_DEEPEST: Final = 64
"""Limit: the levels of a schema in Google's spelling. In a request, a deeper definition is left out."""

_DROPPED: Final = ("nullable", "format", "propertyOrdering", "example")
"""The members of such a schema that JSON Schema lacks, or reads otherwise. `nullable` becomes a type."""

_BOUNDS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
"""The members whose numbers Google writes as text."""


def declarations(entry: Mapping[str, Any]) -> list[Any] | None:
    """Return the declarations that an entry of a request's `tools` lists; None if it is no list of Google's."""
    declared = entry.get("functionDeclarations", entry.get("function_declarations"))
    return declared if isinstance(declared, list) else None


def is_declaration(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry has its schema where only Google's declarations have one."""
    return "parametersJsonSchema" in entry or "parameters_json_schema" in entry


def as_definition(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a declaration as a definition with `name`, `description` and `parameters`, a JSON Schema or None.

    Raises TypeError or ValueError for a schema that is not understood.
    """
    schema = entry.get("parametersJsonSchema", entry.get("parameters_json_schema"))
    if schema is None and entry.get("parameters") is not None:
        schema = _json_schema(entry["parameters"], 0)
    return {"name": entry.get("name"), "description": entry.get("description"), "parameters": schema}


def _json_schema(node: Any, depth: int) -> Any:
    """Return a schema in Google's spelling as JSON Schema."""
    if depth > _DEEPEST:
        raise ValueError("a schema is nested too deeply")
    if isinstance(node, list):
        return [_json_schema(item, depth + 1) for item in node]
    if not isinstance(node, Mapping):
        return node
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties" and isinstance(value, Mapping):
            made[key] = {name: _json_schema(inner, depth + 1) for name, inner in value.items()}
        elif key in ("items", "anyOf"):
            made[key] = _json_schema(value, depth + 1)
        elif key == "type" and isinstance(value, str):
            made[key] = value.lower()
        elif key in _BOUNDS:
            made[key] = int(value)
        elif key not in _DROPPED:
            made[key] = value
    return {"anyOf": [made, {"type": "null"}]} if node.get("nullable") is True else made
