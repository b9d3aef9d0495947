"""Prints shapes as JSON Schema, in the keywords that servers and engines of grammars know."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from .reading import kinds_of
from .shapes import Items, Map, Members, Named, Number, OneOf, Shape, Shapes, Str, Values


def document(shape: Shape, named: Shapes) -> dict[str, Any]:
    """Return the JSON Schema of a shape, with the named shapes as its definitions."""
    printer = _Printer(named)
    made = printer.schema(shape)
    definitions: dict[str, Any] = {}
    while len(definitions) < len(printer.used):
        for name in list(printer.used)[len(definitions) :]:
            definitions[_key(name)] = printer.schema(named[name])
    return {**made, "$defs": definitions} if definitions else made


class _Printer:
    def __init__(self, named: Shapes) -> None:
        self._named = named
        self.used: dict[str, None] = {}

    def schema(self, shape: Shape) -> dict[str, Any]:
        """Return the JSON Schema of a shape, with references to the named shapes in it."""
        if isinstance(shape, Str):
            return _string(shape)
        if isinstance(shape, Number):
            return _number(shape)
        if isinstance(shape, Values):
            return _listed(shape)
        if isinstance(shape, Items):
            return self._list(shape)
        if isinstance(shape, Members):
            return {
                "type": "object",
                "properties": {member.key: self.schema(member.shape) for member in shape.members},
                "required": [member.key for member in shape.members if member.required],
                "additionalProperties": False,
            }
        if isinstance(shape, Map):
            counts = _counts("Properties", shape.least, shape.most)
            return {"type": "object", "additionalProperties": self.schema(shape.value), **counts}
        if isinstance(shape, OneOf):
            return {"anyOf": [self.schema(part) for part in shape.shapes]}
        if isinstance(shape, Named):
            self.used[shape.name] = None
            return {"$ref": f"#/$defs/{_key(shape.name)}"}
        return {}

    def _list(self, shape: Items) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "array"}
        if shape.leading:
            made["prefixItems"] = [self.schema(part) for part in shape.leading]
        made["items"] = False if shape.item == OneOf(()) else self.schema(shape.item)
        return {**made, **_counts("Items", shape.least, shape.most)}


def _key(name: str) -> str:
    """Return the key of a definition for a name: unique, and written unchanged in a JSON pointer."""
    tool, _, number = name.rpartition(" ")
    kept = re.sub(r"[^A-Za-z0-9.-]", lambda found: "__" if found[0] == "_" else f"_x{ord(found[0]):x}_", tool)
    return f"{kept}_{number}"


def _string(shape: Str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string", **_counts("Length", shape.least, shape.most)}
    if shape.format is not None:
        return {**made, "format": shape.format}
    return made if shape.pattern is None else {**made, "pattern": shape.pattern}


def _number(shape: Number) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "integer" if shape.whole else "number"}
    for bound, word in ((shape.least, "Minimum"), (shape.most, "Maximum")):
        if bound is not None:
            value, allowed = bound
            made[word.lower() if allowed else f"exclusive{word}"] = _plain(value)
    return made


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _listed(shape: Values) -> dict[str, Any]:
    values = [json.loads(text) for text in shape.texts]
    kinds = kinds_of(shape)
    if kinds == {"boolean"} and len(values) > 1:
        return {"type": "boolean"}
    if kinds == {"null"}:
        return {"type": "null"}
    return {"type": "string", "enum": values} if kinds == {"string"} else {"enum": values}


def _counts(what: str, least: int, most: int | None) -> dict[str, int]:
    return {**({f"min{what}": least} if least else {}), **({f"max{what}": most} if most is not None else {})}
