"""Calls of dialects that carry files, written with the field names of the tools of a toolset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..dialects.call import RawCall, Value
from ..dialects.files import FIELDS, PATCH, SEARCH
from ..running.toolset import Toolset
from ..toolset.tool import Tool
from ..values.block import Block

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def whole_patch(block: Block, calls: tuple[RawCall, ...]) -> tuple[RawCall, ...]:
    """Return one call with the patch as written, if the toolset has a tool for patches; else the calls as they are."""
    if not calls or calls[0].name not in PATCH:
        return calls
    return (RawCall(calls[0].name, (("patch", Value(block.raw, "text")),), closed=calls[0].closed),)


def of_tool(call: RawCall, tools: Toolset) -> RawCall:
    """Return a call with the fields of its tool. A nested field (`a.b`) becomes a part of the JSON of the outer field."""
    tool = tools.get(call.name) if call.name is not None else None
    if tool is None or isinstance(call.arguments, Value):
        return call
    held: dict[str, Value] = {}
    inside: dict[str, dict[str, Any]] = {}
    for key, value in call.arguments:
        path = _path(tool, key)
        if key == SEARCH and path[-1] != SEARCH and not value.text:
            value = replace(value, doubt="place")  # only a tool that is made for this form knows what to search for
        if path[0] in held and path[0] not in inside:
            return call  # a key that is written twice
        if len(path) == 1:
            held[path[0]] = replace(value, form="text") if key in FIELDS else value
            continue
        within = inside.setdefault(path[0], {})
        for step in path[1:-1]:
            within = within.setdefault(step, {})
        within[path[-1]] = value.text
        doubt = value.doubt or (held[path[0]].doubt if path[0] in held else None)
        held[path[0]] = Value(_encode(inside[path[0]]), "json", doubt, lines="\n" in value.text)
    return call._replace(arguments=tuple(held.items()))


def _path(tool: Tool, key: str) -> tuple[str, ...]:
    """Return the field of a tool that a dialect means by a key; the key itself if the tool has no such field."""
    names = FIELDS.get(key, (key,))
    for name in names:
        if name in tool.fields.members:
            return (name,)
    aliases: Mapping[str, str] = tool.field_aliases
    for name in names:
        if name in aliases:
            return tuple(aliases[name].split("."))
    for name in names:
        found = [path for path in tool.fields.paths() if path[-1] == name and all(isinstance(step, str) for step in path)]
        if len(found) == 1:
            return tuple(map(str, found[0]))
    return (key,)
