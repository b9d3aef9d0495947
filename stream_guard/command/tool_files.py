"""The tools of a JSON file: tool definitions of any provider, JSON Schemas with a title, or both of these by name.

    [{"name": "write_file", "parameters": {...}}, ...]    {"tools": [...]}    {"write_file": {...}, ...}

Rule 1: an entry that is not understood is refused, with its name: calls of a tool that was left out without a message would
never be checked.
Rule 2: in an object of tools the key is the name. An entry with another name is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Any, Final

from ..running.toolset import Toolset
from ..toolset.tool import Tool
from ..values.given import shown
from .spelt import DEFINITION, KEYWORDS, SCHEMAS, folded, misspelt

_Members = tuple[tuple[str, type | UnionType], ...]

_DEFINES: Final[_Members] = (("name", str), *((key, Mapping) for key in ("function", *SCHEMAS)))
_IS_SCHEMA: Final[_Members] = (
    *(("type", str | list), ("properties", Mapping), ("$ref", str)),
    *((key, list) for key in ("allOf", "anyOf", "oneOf")),
)
"""The members, with their types, of which one is enough to show that an object is a schema."""


def listed(listing: Any) -> Toolset:
    """Return the toolset of a JSON file. Raises ValueError; its message names the entry."""
    tools = listing.get("tools", listing) if isinstance(listing, dict) else listing
    if isinstance(tools, dict) and _are_by_name(tools):
        entries = [(repr(name), _named(name, entry)) for name, entry in tools.items()]
    else:
        entries = [(f"entry {number}", entry) for number, entry in enumerate(tools if isinstance(tools, list) else [tools], 1)]
    if not entries:
        raise ValueError("it has no tool definitions")
    found: list[Tool] = []
    for told, entry in entries:
        try:
            found += _tools_of(entry)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{told}: {error}") from None
    return Toolset(*found)


def _are_by_name(tools: Mapping[str, Any]) -> bool:
    """Return whether an object has tools by name. Raises ValueError if it may also be one tool."""
    if not all(isinstance(entry, Mapping) for entry in tools.values()) or not any(map(_describes, tools.values())):
        return False
    words = [key for key in tools if key in DEFINITION or key in KEYWORDS]
    if words and len(words) < len(tools):
        raise ValueError(f"{words[0]!r} may be a tool or a word of a schema: list the tools, with a name in each of them")
    return not words


def _describes(entry: Mapping[str, Any]) -> bool:
    """Return whether an object is a tool definition or a schema."""
    return _has_one(entry, (*_DEFINES, *_IS_SCHEMA))


def _has_one(entry: Mapping[str, Any], members: _Members) -> bool:
    return any(isinstance(entry.get(key), kind) for key, kind in members)


def _named(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with `name` as its name. Raises ValueError if it has another name, or describes no tool."""
    if not _describes(entry):
        raise ValueError(f'{name!r}: it has no schema: {{"type": "object", "properties": {{}}}} is one without arguments')
    inner = entry.get("function")
    if isinstance(inner, Mapping):
        return {**entry, "function": _named(name, {"type": "function", **inner})}
    if entry.get("name", name) != name:
        raise ValueError(f"{name!r}: it has another name, {shown(entry['name'])}: leave that out, or write it like the key")
    if any(key in entry for key in SCHEMAS) or entry.get("type") == "function" or not _has_one(entry, _IS_SCHEMA):
        return {**entry, "name": name}  # a title is any text for people
    title = entry.get("title", name)
    if not isinstance(title, str) or folded(title) != folded(name):
        raise ValueError(f"{name!r}: it has another title, {shown(title)}: leave that out, or write it like the key")
    return {**{key: value for key, value in entry.items() if key != "name"}, "title": name}


def _tools_of(entry: Any) -> Toolset:
    """Return the tools of one entry of a JSON file."""
    if not isinstance(entry, dict):
        raise TypeError("a tool definition is an object")
    wrong = next(misspelt(entry), None)
    if wrong is not None:
        raise ValueError(wrong)
    parts = [part for part in (entry, entry.get("function")) if isinstance(part, dict)]
    if not any(part.get(key) for part in parts for key in ("name", "title")):
        raise ValueError('it has no name: a tool definition has a "name", a JSON Schema a "title"')
    if any("risk" in part for part in parts):
        raise ValueError(
            '"risk" is no key of a tool definition; write "annotations" beside its name, which say what the tool may change '
            '({"destructiveHint": false} or {"readOnlyHint": true}), or name a toolset as module:name'
        )
    return Toolset.of(entry)
