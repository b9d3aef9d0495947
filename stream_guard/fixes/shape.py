"""From what a block says to the calls it means: out of envelopes, under the tool's own names.

Each step takes a value that is JSON and gives calls, or leaves it as it is. What fits no step stays, and the schema says what
is wrong with it.

Rule 1: a tool is never inferred that takes something away; a value is never made up.
Rule 2: a name changes only to the one that is meant: by table, by another spelling, by a slip with nothing else near.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..fields import Field, split
from ..intent import ARGUMENT_KEYS, NEUTRAL_KEYS
from ..issues import JsonPath, dotted
from ..nearest import nearest, normal
from ..toolset import TOOL_KEY, Risk, Tool, Toolset
from .grammar import WRAPPERS

_NAMES: Final = ("tool", "tool_name", "toolName", "name", "function_name", "function", "action", "recipient_name")
_DEEPEST: Final = 4
"""An envelope in an envelope in an envelope is still one call; more is none."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of shape."""

    fix: str
    path: str
    before: Any
    after: Any


@dataclass(slots=True)
class Shaped:
    """A call, and what was changed to make it one."""

    call: Any
    changes: list[Change] = field(default_factory=list)

    def change(self, fix: str, path: str, before: Any, after: Any) -> None:
        """Note a change."""
        self.changes.append(Change(fix, path, before, after))


Decode = Callable[[str], Any]
"""Reads a text that holds an object; None when it holds none."""


def calls(value: Any, tools: Toolset, decode: Decode, *, strict: bool, invent: bool = False) -> list[Shaped]:
    """The calls that a value means. `strict` is whether it parsed as it stood."""
    found: list[Shaped] = []
    for shaped in _unwrapped(value, tools, decode, _DEEPEST):
        if isinstance(shaped.call, dict):
            found += _split(_aligned(shaped, tools, strict=strict, invent=invent), tools)
        else:
            found.append(shaped)
    return found


# -- envelopes ---------------------------------------------------------------------------------------------------------


def _unwrapped(value: Any, tools: Toolset, decode: Decode, depth: int) -> list[Shaped]:
    """The objects in a value that may be calls."""
    if depth == 0:
        return [Shaped(value)]
    if isinstance(value, str):
        inner = decode(value)
        return _noted(_unwrapped(inner, tools, decode, depth - 1), "encoded", value) if inner is not None else [Shaped(value)]
    if isinstance(value, list) and value and all(isinstance(item, dict | str) for item in value):
        made = [shaped for item in value for shaped in _unwrapped(item, tools, decode, depth - 1)]
        return _noted(made, "array_of_calls", value)
    if not isinstance(value, dict):
        return [Shaped(value)]
    for key in ("tool_calls", *WRAPPERS):
        inner = value.get(key)
        if isinstance(inner, dict | list) and _only(value, {key}):
            return _noted(_unwrapped(inner, tools, decode, depth - 1), "envelope", value)
    return [_opened(value, tools, decode)]


def _noted(made: list[Shaped], fix: str, before: Any) -> list[Shaped]:
    made[0].changes.insert(0, Change(fix, "", before, None))
    return made


def _only(value: Mapping[str, Any], keys: set[str]) -> bool:
    """Whether besides these keys there are only such as stand beside any call."""
    return value.keys() <= keys | NEUTRAL_KEYS


def _opened(value: dict[str, Any], tools: Toolset, decode: Decode) -> Shaped:
    """A call whose name and arguments stand in fields of an envelope."""
    key = next((key for key in _NAMES if isinstance(value.get(key), str) and tools.knows(value[key])), None)
    if key is None:
        only = next(iter(value), None)
        if len(value) == 1 and only is not None and tools.get(only) is not None and isinstance(value[only], dict):
            shaped = Shaped({TOOL_KEY: only, **value[only]})
            shaped.change("envelope", "", value, shaped.call)
            return shaped
        return Shaped(value)
    held = next((held for held in sorted(ARGUMENT_KEYS) if isinstance(value.get(held), dict | str)), None)
    tool = tools.nearest(value[key])
    if held is not None and tool is not None and held not in tool.fields.members and _only(value, {key, held}):
        inner = value[held]
        shaped = Shaped(value)
        if isinstance(inner, str):
            read = decode(inner)
            if not isinstance(read, dict):
                return Shaped(value)
            shaped.change("encoded", held, inner, read)
            inner = read
        if TOOL_KEY in inner and inner[TOOL_KEY] != value[key]:
            return Shaped(value)
        shaped.call = {TOOL_KEY: value[key], **{name: item for name, item in inner.items() if name != TOOL_KEY}}
        shaped.change("envelope", "", value, shaped.call)
        return shaped
    if key == TOOL_KEY or TOOL_KEY in value or (tool is not None and key in tool.fields.members):
        return Shaped(value)
    shaped = Shaped({TOOL_KEY: value[key], **{name: item for name, item in value.items() if name != key}})
    shaped.change("field_name", TOOL_KEY, key, TOOL_KEY)
    return shaped


# -- names and values --------------------------------------------------------------------------------------------------


def _aligned(shaped: Shaped, tools: Toolset, *, strict: bool, invent: bool) -> Shaped:
    """A call under the tool's own names."""
    call = shaped.call
    name = call.get(TOOL_KEY)
    arguments = {key: item for key, item in call.items() if key != TOOL_KEY}
    tool = _which(name, arguments, tools) if isinstance(name, str) else _inferred(arguments, tools) if name is None else None
    if tool is None:
        return shaped
    if name is None:
        shaped.change("missing_tool", TOOL_KEY, None, tool.name)
    elif name != tool.name:
        shaped.change("tool_name", TOOL_KEY, name, tool.name)
    arguments = _renamed(arguments, tool, shaped)
    if strict:
        for key in [key for key in arguments if key not in tool.fields.members and key in NEUTRAL_KEYS]:
            shaped.change("extra_field", key, arguments.pop(key), None)
    for key, member in tool.fields.members.items():
        if key in arguments:
            arguments[key] = _coerced(arguments[key], member, (key,), shaped)
        elif invent and key in tool.required and member.kinds == ("string",) and not member.rules:
            arguments[key] = ""
            shaped.change("missing_field", key, None, "")
    shaped.call = {TOOL_KEY: tool.name, **arguments}
    return shaped


def _which(name: str, arguments: Mapping[str, Any], tools: Toolset) -> Tool | None:
    """The tool that a name means. One that only an alias names must be able to take what is given, or else another must."""
    tool = tools.nearest(name)
    if tool is not None and tool.risk is Risk.DESTRUCTIVE and tools.spelt(name) is not tool:
        return None  # what takes something away is not read into a slip
    if tool is None or tool.name == name or _takes(tool, arguments):
        return tool
    others = [other for other in tools if other.risk < Risk.DESTRUCTIVE and _takes(other, arguments)]
    return others[0] if len(others) == 1 else None


def _inferred(arguments: Mapping[str, Any], tools: Toolset) -> Tool | None:
    """The one tool that takes exactly these fields, if it takes several and takes nothing away."""
    fitting = [tool for tool in tools if len(tool.required) > 1 and _takes(tool, arguments)]
    return fitting[0] if len(fitting) == 1 and fitting[0].risk < Risk.DESTRUCTIVE else None


def _takes(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether these are the tool's fields, and all that it requires."""
    keys = {str(_own(key, tool)[0]) if _own(key, tool) else key for key in arguments if key not in NEUTRAL_KEYS}
    return keys >= set(tool.required) and keys <= tool.fields.members.keys()


def _own(key: str, tool: Tool) -> JsonPath:
    """Where a field stands whose name is not the tool's: by its table, by another spelling, by a slip. Empty: nowhere."""
    members = tool.fields.members
    if key in members:
        return (key,)
    if key in tool.field_aliases:
        return split(tool.field_aliases[key])
    meant = nearest(key, {normal(name): name for name in members})
    return (meant,) if meant is not None else ()


def _renamed(arguments: dict[str, Any], tool: Tool, shaped: Shaped) -> dict[str, Any]:
    """The arguments under the names of the tool's fields; as they are where two would stand in one place."""
    made: dict[str, Any] = {}
    noted = len(shaped.changes)
    for key, item in arguments.items():
        path = _own(key, tool)
        if len(path) < 2 or tool.fields.at(path) is None:
            to = str(path[0]) if len(path) == 1 else key
            if to != key and (to in arguments or to in made):
                to = key
            if to != key:
                shaped.change("field_name", to, key, to)
            made[to] = _inner(item, tool.fields.members.get(to), tool, (to,), shaped)
            continue
        *above, last = map(str, path)
        here = made
        for step in above:
            inside = here.setdefault(step, {})
            if not isinstance(inside, dict) or step in arguments:
                break
            here = inside
        else:
            if last not in here:
                here[last] = item
                shaped.change("field_name", dotted(path), key, dotted(path))
                continue
        del shaped.changes[noted:]
        return arguments
    return made


def _inner(item: Any, about: Field | None, tool: Tool, path: JsonPath, shaped: Shaped) -> Any:
    """The fields of an object inside the arguments, under their own names."""
    if about is None or not about.members or not isinstance(item, dict):
        return item
    made: dict[str, Any] = {}
    for key, inner in item.items():
        to = key
        if key not in about.members:
            alias = split(tool.field_aliases.get(key, ""))
            meant = str(alias[-1]) if alias[:-1] == path else nearest(key, {normal(name): name for name in about.members})
            to = meant if meant is not None and meant not in item and meant not in made else key
        if to != key:
            shaped.change("field_name", dotted((*path, to)), key, to)
        made[to] = _inner(inner, about.members.get(to), tool, (*path, to), shaped)
    return made


def _coerced(value: Any, about: Field, path: JsonPath, shaped: Shaped) -> Any:
    """A value in the type that its field takes, where the spelling leaves no choice."""
    if isinstance(value, dict) and about.members:
        return {key: _coerced(item, about.members[key], (*path, key), shaped) if key in about.members else item
                for key, item in value.items()}  # fmt: skip
    made = value
    if about.kinds == ("string",) and isinstance(value, int | float):
        made = json.dumps(value) if isinstance(value, bool) else getattr(value, "word", None) or json.dumps(value)
    elif isinstance(value, str) and len(about.kinds) == 1 and about.kinds[0] in ("integer", "number", "boolean"):
        made = _spelt(value, about.kinds[0])
    elif path == ("path",) and isinstance(value, str):
        made = value.translate(_UNESCAPED)
        if made != value:
            shaped.change("path_escape", dotted(path), value, made)
        return made
    if type(made) is not type(value):
        shaped.change("coercion", dotted(path), value, made)
    return made


_UNESCAPED: Final = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}


def _spelt(text: str, kind: str) -> Any:
    """The one value of this kind that a text spells as JSON would; the text itself when it spells none."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    wanted: Any = {"integer": int, "number": (int, float), "boolean": bool}[kind]
    fits = isinstance(value, wanted) and (kind == "boolean") is isinstance(value, bool)
    return value if fits and json.dumps(value) == text else text


def _split(shaped: Shaped, tools: Toolset) -> list[Shaped]:
    """One call for each path of a list, where a path is all that the tool takes."""
    call = shaped.call
    tool = tools.get(call.get(TOOL_KEY)) if isinstance(call.get(TOOL_KEY), str) else None
    paths = call.get("path")
    if (
        tool is None
        or tool.required != ("path",)
        or call.keys() != {TOOL_KEY, "path"}
        or not isinstance(paths, list)
        or not paths
    ):
        return [shaped]
    if not all(isinstance(path, str) for path in paths):
        return [shaped]
    made = [Shaped({TOOL_KEY: tool.name, "path": path}) for path in paths]
    made[0].changes = [*shaped.changes, Change("list_of_paths", "path", paths, None)]
    return made
