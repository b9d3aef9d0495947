"""Shapes: the types of values, independent of the language, between JSON Schema and the generated code.

A shape may be wider than its schema (bounds and patterns are no types) and never narrower.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..running.toolset import Toolset
from ..schema.fields import resolve
from ..toolset.tool import Tool
from ..values.issues import JsonPath, pointer
from . import checks


class GenerationError(ValueError):
    """Raised for a schema for which no code can be generated, with the place in the schema."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A JSON type without parts: string, integer, number, boolean, null, or any."""

    kind: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some listed values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array."""

    item: Shape


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object of which only the type of the values is known."""

    value: Shape


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several shapes."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A reference to a shape that has a declaration of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a record."""

    key: str
    shape: Shape
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Record:
    """An object whose members are known."""

    members: tuple[Member, ...]
    description: str


Shape = Simple | OneOf | ListOf | MapOf | Either | Named
ANY: Final = Simple("any")


@dataclass(frozen=True, slots=True)
class Payload:
    """The payload of one tool, and the names of its types in generated code."""

    tool: Tool
    """The tool."""

    word: str
    """The name of the tool as a part of a function's name."""

    type: str
    """The name of the type of the payload."""

    call: str
    """The name of the type of a call, which has the payload and the tool's name."""


RESERVED: Final = frozenset({"InvalidPayload", "Issue", "ToolCall"})
"""Names that every generated module defines."""


class Shapes:
    """The declarations of a toolset, in the order in which they are printed."""

    def __init__(self, tools: Toolset) -> None:
        self.declared: Final[dict[str, Record | Shape]] = {}
        self.payloads: Final[list[Payload]] = []
        self.unchecked: Final[set[str]] = set()
        """Formats that generated code does not check."""
        self.taken: Final = set(RESERVED)
        """The names that are in use."""
        for tool in tools:
            word = self.name(_word(tool.name))
            stem = _pascal(word)
            self.payloads.append(Payload(tool, word, self.name(f"{stem}Payload"), self.name(f"{stem}Call")))
        for payload in self.payloads:
            try:
                _Reader(self, payload).read()
            except RecursionError:
                raise GenerationError(f"tool {payload.tool.name!r}: the schema is nested too deeply to be read") from None

    def name(self, wanted: str) -> str:
        """Reserve a name, and return it: the wanted name, or else the first free one with a number."""
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted}{number}", number + 1
        self.taken.add(name)
        return name


class _Reader:
    """Reads the schema of one tool."""

    def __init__(self, shapes: Shapes, payload: Payload) -> None:
        self._shapes = shapes
        self._payload = payload
        self._document: Any = json.loads(json.dumps(payload.tool.schema))
        self._prefix = _pascal(payload.word)
        self._references: dict[str, str] = {"#": payload.type}

    def read(self) -> None:
        """Add the declarations of the tool's payload, and of every type in it."""
        for path, schema in _schemas(self._document, ()):
            self._check(path, schema)
        self._declare(self._payload.type, self._document, self._payload.tool.description)

    def _check(self, path: JsonPath, schema: Mapping[str, Any]) -> None:
        if "$ref" in schema and "draft-07" in self._document.get("$schema", "") and not schema.keys() <= {"$ref", *_NOTES}:
            self._refuse(path, "draft 7 ignores keywords beside '$ref'; move them into the referenced schema")
        for key, part in schema.items():
            if key not in _KNOWN:
                self._refuse(path, f"{key!r} cannot be checked by generated code")
            if key == "$ref" and resolve(self._document, part) is None:
                self._refuse(path, f"the reference {part!r} points outside the schema")
            if key == "items" and isinstance(part, list):
                self._refuse(path, "a list of item schemas is 'prefixItems' since draft 2020-12")
            if key == "pattern":
                self._compiles(path, str(part))
            if key == "patternProperties":
                for pattern in part:
                    self._compiles(path, str(pattern))
        if "format" in schema and schema["format"] not in checks._FORMATS:
            self._shapes.unchecked.add(schema["format"])

    def _compiles(self, path: JsonPath, pattern: str) -> None:
        try:
            checks._pattern(pattern)
        except re.error as error:
            self._refuse(path, f"the pattern {pattern!r} is not valid in Python: {error}")

    def _refuse(self, path: JsonPath, why: str) -> None:
        raise GenerationError(f"tool {self._payload.tool.name!r}: {pointer(path) or '/'}: {why}")

    def _declare(self, name: str, schema: Any, description: str = "") -> None:
        """Add a declaration for a schema under this name: a record if it has members."""
        self._shapes.declared[name] = ANY  # reserves its place among the others
        members = dict(self._members(schema, set()))
        if not members:
            self._shapes.declared[name] = self._shape(schema, name)
            return
        required = set(self._required(schema, set()))
        read = tuple(
            Member(key, self._shape(part, name + _pascal(_word(key))), key in required, _described(part))
            for key, part in members.items()
        )
        self._shapes.declared[name] = Record(read, description or _described(schema))

    def _members(self, schema: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
        """Yield the members of an object, with the members of every schema that it includes."""
        if isinstance(schema, Mapping) and id(schema) not in seen:
            seen.add(id(schema))
            for part in self._included(schema):
                yield from self._members(part, seen)
            yield from schema.get("properties", {}).items()

    def _required(self, schema: Any, seen: set[int]) -> Iterator[str]:
        if isinstance(schema, Mapping) and id(schema) not in seen:
            seen.add(id(schema))
            for part in self._included(schema):
                yield from self._required(part, seen)
            yield from schema.get("required", ())

    def _included(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        yield from schema.get("allOf", ())
        if "$ref" in schema:
            yield resolve(self._document, schema["$ref"])

    def _shape(self, schema: Any, name: str) -> Shape:
        if not isinstance(schema, Mapping):
            return ANY
        if "$ref" in schema and "properties" not in schema:
            return self._referred(schema["$ref"])
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if values:
            plain = all(value is None or isinstance(value, str | int | bool) for value in values)
            return OneOf(tuple(dict.fromkeys(values))) if plain and len(set(map(repr, values))) == len(set(values)) else ANY
        if next(self._members(schema, set()), None) is not None:
            name = self._shapes.name(name)
            self._declare(name, schema)
            return Named(name)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                branches = (self._shape(part, name + _option(part, number)) for number, part in enumerate(schema[key], 1))
                return _either(branches)
        kinds = schema.get("type", "any")
        return _either(self._simple(kind, schema, name) for kind in (kinds if isinstance(kinds, list) else [kinds]))

    def _simple(self, kind: str, schema: Mapping[str, Any], name: str) -> Shape:
        if kind == "array":
            return ListOf(ANY if "prefixItems" in schema else self._shape(schema.get("items", True), f"{name}Item"))
        if kind == "object":
            more = schema.get("additionalProperties", True)
            return MapOf(ANY if "patternProperties" in schema else self._shape(more, f"{name}Value"))
        return Simple(kind)

    def _referred(self, reference: str) -> Shape:
        if reference not in self._references:
            name = self._shapes.name(self._prefix + _pascal(_word(reference.rpartition("/")[2])))
            self._references[reference] = name
            self._declare(name, resolve(self._document, reference))
        return Named(self._references[reference])


_NOTES: Final = frozenset({
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "discriminator", "then", "else", "minContains", "maxContains", "contentMediaType",
    "contentEncoding", "contentSchema",
})  # fmt: skip
"""Keywords that check nothing."""

_KNOWN: Final = _NOTES | checks._CHECKS.keys()

_ONE: Final = ("additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else")
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")


def _schemas(schema: Any, path: JsonPath) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    """Yield every schema in a schema, with its path."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key in _ONE:
        yield from _schemas(schema.get(key), (*path, key))
    for key in _MANY:
        for index, part in enumerate(schema.get(key, ())):
            yield from _schemas(part, (*path, key, index))
    for key in _BY_NAME:
        for name, part in schema.get(key, {}).items():
            yield from _schemas(part, (*path, key, name))


def _either(shapes: Iterator[Shape]) -> Shape:
    parts = tuple(dict.fromkeys(shapes))
    return ANY if ANY in parts or not parts else parts[0] if len(parts) == 1 else Either(parts)


def _option(part: Any, number: int) -> str:
    title = part.get("title") if isinstance(part, Mapping) else None
    return _pascal(_word(title)) if isinstance(title, str) else f"Option{number}"


def _described(schema: Any) -> str:
    found = schema.get("description", "") if isinstance(schema, Mapping) else ""
    return " ".join(found.split()) if isinstance(found, str) else ""


def _word(name: str) -> str:
    """Return a name as an identifier in lower case."""
    spelt = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    word = re.sub(r"[^a-zA-Z0-9]+", "_", spelt).strip("_").lower()
    return word if word and not word[0].isdigit() and not keyword.iskeyword(word) else f"t_{word}"


def _pascal(word: str) -> str:
    return "".join(part.capitalize() for part in word.split("_"))
