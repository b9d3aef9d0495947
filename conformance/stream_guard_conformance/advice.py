"""What in the schemas of tools makes a fix unsafe, or impossible. Names are compared by the guard's own rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final
from urllib.parse import unquote

from stream_guard import Risk, Tool, Toolset

SHORT: Final = 64
"""The largest `maxLength` of a string that is no free text."""

IRREVOCABLE: Final = frozenset({
    "ban", "cancel", "charge", "clear", "delete", "deploy", "destroy", "drop", "email", "erase", "exec", "execute", "format",
    "kill", "merge", "overwrite", "pay", "publish", "purge", "reboot", "refund", "remove", "reset", "revoke", "rm", "send",
    "shutdown", "terminate", "transfer", "truncate", "uninstall", "unlink", "wipe",
})  # fmt: skip
"""Words in the names of actions that cannot be undone."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggestion about a tool."""

    tool: str
    about: str
    """`names`, `risk`, or a sort of `SAYS`."""

    fields: tuple[str, ...]
    """The fields in question, dotted; for `names` the other tool."""

    says: str

    def __str__(self) -> str:
        more = len(self.fields) - SHOWN
        shown = ", ".join(self.fields[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        return f"{self.tool}: {shown}{': ' if shown else ''}{self.says}"


def advise(tools: Toolset) -> Iterator[Advice]:
    """Yield the suggestions for each tool, tool by tool."""
    for one, other in combinations(tools, 2):
        if any(_near_tool(name, by) for name, by in ((one.name, other), (other.name, one))):
            says = "one slip makes one name of the other, which nobody notices; rename one so that they differ by a word"
            yield Advice(one.name, "names", (other.name,), says)
    for tool in tools:
        if tool.risk is not Risk.DESTRUCTIVE and (words := IRREVOCABLE & set(_words(tool.name))):
            named = ", ".join(sorted(words))
            says = f"is declared as {tool.risk.name}, and its name says {named}: if that cannot be changed back, say"
            yield Advice(
                tool.name, "risk", (), f'{says} risk=Risk.DESTRUCTIVE, or in JSON "annotations": {{"destructiveHint": true}}'
            )
        yield from _of_schema(tool)


def _near_tool(name: str, other: Tool) -> bool:
    """Return whether a guard that has only the other tool suggests that tool for this name."""
    return Toolset(other).near(name) is not None


def _words(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_").replace(".", "_").split("_")


def _of_schema(tool: Tool) -> Iterator[Advice]:
    """Yield the suggestions for a tool's schema: one of each sort, with all fields that it is about."""
    found: dict[str, dict[str, None]] = {sort: {} for sort in SAYS}
    for path, schema in _objects(tool.schema, tool.schema, (), ()):
        members: Mapping[str, Any] = schema.get("properties") or {}
        if members and False not in (schema.get("additionalProperties"), schema.get("unevaluatedProperties")):
            found["open"][".".join(path) or "(arguments)"] = None
        for one, other in combinations(sorted(members), 2):
            if _near_field(one, other):
                found["fields"][f"{_at(path, one)} and {_at(path, other)}"] = None
        texts = [name for name in members if _free(_referred(members[name], tool.schema))]
        if len(texts) > 1:
            found["texts"][" and ".join(_at(path, name) for name in texts)] = None
        for name in members:
            if kinds := _overlap(_referred(members[name], tool.schema), tool.schema):
                found["union"][f"{_at(path, name)} ({kinds})"] = None
        if not path:
            found["envelope"] |= dict.fromkeys(sorted(ENVELOPE & set(members)))
    for sort, fields in found.items():
        if fields:
            yield Advice(tool.name, sort, tuple(fields), SAYS[sort])


ENVELOPE: Final = frozenset(
    {"arguments", "args", "parameters", "input", "action_input", "tool_input", "function", "tool_calls"}
)
"""Names under which a call's arguments stand in the forms that models know."""

SHOWN: Final = 4
"""How many fields of an advice are printed; the report as JSON has all."""

SAYS: Final = {
    "open": "takes members that the schema does not list, so a slip in a field's name is a valid call; say"
    " additionalProperties: false",
    "fields": "one slip makes one name of the other, which nobody notices; rename one so that they differ by a word",
    "texts": "free texts beside each other: where a quote is lost, nobody knows where one ends; a pattern, a format, an enum or"
    " a maxLength tells them apart",
    "union": "more than one kind, so that a value in the wrong quotes is a valid one; one kind is safer",
    "envelope": "the name under which models put all arguments; another name is safer",
}
"""The text of each sort of advice about fields."""


def _at(path: tuple[str, ...], name: str) -> str:
    return ".".join((*path, name))


def _near_field(one: str, other: str) -> bool:
    """Return whether a guard suggests the other field for this name, in a tool that has only the other one."""
    pairs = ((one, other), (other, one))
    return any(_tool_with(known).canonical(written) == known for written, known in pairs)


def _tool_with(field: str) -> Tool:
    return Tool("advice", "", {"type": "object", "properties": {field: {}}})


def _referred(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference inside the document leads to; any other schema unchanged."""
    followed = 0
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str) and followed < 20:
        here: Any = root
        for step in schema["$ref"].removeprefix("#").split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            here = here.get(key, {}) if isinstance(here, Mapping) else {}
        schema = here
        followed += 1
    return schema if isinstance(schema, Mapping) else {}


def _objects(
    schema: Any, root: Mapping[str, Any], path: tuple[str, ...], above: tuple[int, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield each object of a schema with its path, once."""
    schema = _referred(schema, root)
    if not schema or id(schema) in above:
        return
    above = (*above, id(schema))
    if schema.get("type") == "object" or "properties" in schema:
        yield path, schema
    for name, member in (schema.get("properties") or {}).items():
        if member != {"type": "null"}:
            yield from _objects(member, root, (*path, name), above)
    for part in (schema.get("items"), *(_branches(schema)), *(schema.get("allOf") or ())):
        yield from _objects(part, root, path, above)


def _branches(schema: Mapping[str, Any]) -> Iterable[Any]:
    return (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ()))


def _free(schema: Mapping[str, Any]) -> bool:
    """Return whether a field takes any text."""
    bounds = ("enum", "const", "pattern", "format")
    return (
        schema.get("type") == "string" and not any(word in schema for word in bounds) and schema.get("maxLength", 1e9) > SHORT
    )


def _overlap(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """Return the kinds of a field of which one is written like another; empty when there are none."""
    kinds: list[str] = []
    forms = 0
    for branch in (schema, *(_referred(branch, root) for branch in _branches(schema))):
        said = branch.get("type")
        kinds += [said] if isinstance(said, str) else said or []
        told = any("const" in part or "enum" in part for part in (branch.get("properties") or {}).values())
        forms += said == "object" and not told
    found = list(dict.fromkeys(kinds))
    if "string" in found and {"number", "integer", "boolean"} & set(found):
        return " or ".join(found)
    return "objects of several forms that no field tells apart" if forms > 1 else ""
