"""Finds the misspelt keys of a tool definition in a file, whose values would otherwise be ignored silently.

Rule: an unknown key is misspelt if it is nearly a key of definitions or schemas; or if it holds a schema, and the right place
has none. Any other key belongs to its writer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from ..values.given import shown

SCHEMAS: Final = ("parameters", "input_schema", "inputSchema")
"""The keys under which a definition has the schema of its arguments."""

DEFINITION: Final = frozenset({
    *SCHEMAS, "name", "title", "description", "type", "function", "strict", "annotations", "outputSchema", "icons", "_meta",
    "execution", "input_examples", "cache_control", "defer_loading", "allowed_callers", "eager_input_streaming", "risk",
})  # fmt: skip
"""The keys of a tool definition, of any provider."""

HINTS: Final = frozenset({"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
"""The names of MCP's hints about how much a tool may change."""

_ONE: Final = frozenset({
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "additionalItems", "contentSchema",
})  # fmt: skip
_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})

KEYWORDS: Final = _ONE | _LIST | _NAMED | {
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary", "type", "enum", "const",
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "format", "pattern",
    "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems",
    "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "required",
    "dependentRequired", "dependencies", "contentEncoding", "contentMediaType", "nullable", "discriminator", "strict",
    "propertyOrdering", "enumNames", "enumDescriptions", "id", "xml", "externalDocs", "optional",
}  # fmt: skip
"""The keywords of schemas, with those of OpenAPI and of providers."""

_SHOWN: Final = 60
"""The most characters of a wrong value that a message shows."""


def misspelt(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each misspelt key of a tool definition, or of a schema that is used as one."""
    inner = entry.get("function")
    for part in (entry, inner) if isinstance(inner, Mapping) else (entry,):
        own = [part[key] for key in SCHEMAS if key in part]
        if not own and not isinstance(part.get("function"), Mapping) and ("name" not in part or "properties" in part):
            yield from _in_schema(part)
            continue
        yield from _near(part, DEFINITION, "key of a tool definition")
        yield from _in_annotations(part.get("annotations"))
        if not own and not isinstance(part.get("function"), Mapping):
            for key, value in part.items():
                if key not in DEFINITION and isinstance(value, Mapping) and ("properties" in value or "type" in value):
                    yield f'it has no "parameters", and {key!r} is no key of a tool definition'
        for schema in (*own, *([part["outputSchema"]] if "outputSchema" in part else [])):
            yield from _in_schema(schema)


def _in_annotations(notes: object) -> Iterator[str]:
    """Yield a message for each wrong hint of a definition. With a hint that is not understood, the tool stays destructive."""
    if notes is None:
        return
    if not isinstance(notes, Mapping):
        yield f'"annotations" must be an object, such as {{"destructiveHint": false}}, got {shown(notes)}'
        return
    plain = {folded(name): name for name in sorted(HINTS)}
    plain |= {folded(name.removesuffix("Hint")): name for name in sorted(HINTS)}
    for key, value in notes.items():
        if key in HINTS:
            if not isinstance(value, bool):
                written = json.dumps(value, ensure_ascii=False, default=repr)[:_SHOWN]
                yield f"{key!r} in annotations is true or false, not {written}"
            continue
        near = [] if key == "title" or key.startswith("x-") else get_close_matches(folded(key), plain, 1, 0.75)
        if near:
            yield f"{key!r} is no hint in annotations: write {plain[near[0]]!r}"
        elif folded(key).endswith("hint"):
            yield f"{key!r} is no hint in annotations: there are {', '.join(sorted(HINTS))}"


def folded(name: str) -> str:
    """Return a name in lower case without the signs between its words: `WriteFile` and `write_file` become the same."""
    return "".join(filter(str.isalnum, name.casefold()))


def _in_schema(schema: object) -> Iterator[str]:
    """Yield a message for each misspelt keyword of a schema, and of schemas inside it."""
    if not isinstance(schema, Mapping):
        return
    yield from _near(schema, KEYWORDS | DEFINITION, "keyword of a JSON Schema")
    for key, value in schema.items():
        inner: Collection[object] = ()
        if key in _ONE:
            inner = (value,)
        elif key in _LIST and isinstance(value, list):
            inner = value
        elif key in _NAMED and isinstance(value, Mapping):
            inner = value.values()
        for one in inner:
            yield from _in_schema(one)


def _near(part: Mapping[str, Any], known: Collection[str], what: str) -> Iterator[str]:
    """Yield a message for each key that is nearly a known key which the object lacks."""
    folded = {key.casefold(): key for key in sorted(known) if key not in part}
    for key in part:
        if key in known or key.startswith("x-"):
            continue
        near = get_close_matches(key.casefold().replace("-", "_"), folded, 1, 0.8)
        if near:
            yield f"{key!r} is no {what}: write {folded[near[0]]!r}"
