"""Tool definitions for providers, and the prompt that describes the tools to a model.

`sources.py` reads these definitions back to the same tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from ..dialects.files import SAMPLES
from ..dialects.reading_back import write_back
from ..dialects.table import Dialect
from ..dialects.turns import begins_aside
from ..schema.fields import Field
from ..schema.schema import SchemaError
from ..schema.violations import types_of
from .outline import outline
from .tool import Tool

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def openai(tool: Tool, api: Literal["chat", "responses"]) -> dict[str, Any]:
    """Return an entry of OpenAI's `tools`."""
    if api not in ("chat", "responses"):
        raise ValueError(f"api must be 'chat' or 'responses', got {api!r}")
    entry = {"name": _name(tool), "description": tool.description, "parameters": _parameters(tool)}
    return {"type": "function", "function": entry} if api == "chat" else {"type": "function", **entry}


def anthropic(tool: Tool) -> dict[str, Any]:
    """Return an entry of Anthropic's `tools`."""
    return {"name": _name(tool), "description": tool.description, "input_schema": _parameters(tool)}


def mcp(tool: Tool) -> dict[str, Any]:
    """Return an entry of an MCP listing."""
    entry: dict[str, Any] = {"name": tool.name, "description": tool.description, "inputSchema": _parameters(tool)}
    if tool.output_schema is not None:
        entry["outputSchema"] = dict(tool.output_schema)
    entry["annotations"] = {"readOnlyHint": tool.risk.name == "READ", "destructiveHint": tool.risk.name == "DESTRUCTIVE"}
    return entry


def _name(tool: Tool) -> str:
    if not _NAME.fullmatch(tool.name):
        raise ValueError(f"tool {tool.name!r}: providers accept names of 1 to 64 letters, digits, _ and -")
    return tool.name


def _parameters(tool: Tool) -> dict[str, Any]:
    """Return the schema of a tool's arguments with `type: object`, which providers require."""
    return {"type": "object", **tool.schema}


_RULES: Final = """\
- Write one object in each block: "tool" first, then the tool's fields, and no others.
- It is strict JSON: double quotes, no comments, no trailing commas. Inside a string write a line break as \\n, a tab as \\t, \
a double quote as \\" and a backslash as \\\\.
- Leave out an optional field that you have no value for. Ask for a required one rather than make it up.
- Close each block with a fence on a line of its own, and write what you have to say outside of it."""


_DIALECT_RULES: Final = """\
- Write the name of a tool and the names of its fields as they stand below, and no others.
- Leave out an optional field that you have no value for. Ask for a required one rather than make it up.
- Several calls are written so: {several}.
- Write what you have to say outside of the calls."""


_FILE_RULES: Final = """\
- End every line of a file with a line break, also the last one, and copy the lines that are there exactly.
- Several changes are written so: {several}.
- Write what you have to say outside of the changes."""


def prompt(tools: Iterable[Tool], language: str) -> str:
    """Return the text that teaches a model to write calls."""
    listed = list(tools)
    shape = f'```{language}\n{{"tool": "<name of the tool>", "<field>": <value>}}\n```'
    parts = [
        f"You can call tools. To call one, write a fenced {language or 'code'} block that holds the call as a JSON object:",
        shape,
        _RULES,
        "The tools:",
        *("\n".join(_tool(tool, language)) for tool in listed),
    ]
    return "\n\n".join(parts) + "\n"


def dialect_prompt(tools: Iterable[Tool], dialect: Dialect) -> str:
    """Return the text that teaches a model to write calls in a dialect.

    For a dialect that carries files, the text has only the tools that this dialect can call. Raises ValueError if it can call
    no tool, and for a name of a tool or a field that the dialect does not read.
    """
    if dialect.tools:
        return _files_prompt(list(tools), dialect)
    told = [
        "You can call tools. To call one, write the call exactly in this form:",
        dialect.write([("<name of the tool>", {"<field>": "<value>"})]),
        _DIALECT_RULES.format(several=dialect.several),
        "The tools:",
    ]
    for tool in tools:
        if begins_aside(dialect.write([(tool.name, {"field": "value"})])):
            raise ValueError(
                f"in the dialect {dialect.name!r} a call of {tool.name!r} begins like reasoning or a result: it is text"
            )
        told.append("\n".join(_described(tool)))
        told += [_written(tool, example, dialect) for example in (tool.examples or _untyped(tool, dialect))]
    return "\n\n".join(told) + "\n"


def _files_prompt(tools: Iterable[Tool], dialect: Dialect) -> str:
    """Return the text that teaches a model to change files in a dialect."""
    listed = {name: tool for tool in tools for name in (*tool.aliases, tool.name)}
    taught: dict[str, list[str]] = {}
    for sample in SAMPLES:
        name = next((name for name in dialect.tools.get(sample[0], ()) if name in listed), None)
        if name is not None:
            taught.setdefault(listed[name].name, []).append(dialect.write([sample]))
    if not taught:
        known = ", ".join(sorted({name for names in dialect.tools.values() for name in names}))
        raise ValueError(f"the dialect {dialect.name!r} can call none of these tools; it calls tools named {known}")
    told = ["You can change files. To do so, write the change exactly in this form:"]
    for name, examples in taught.items():
        tool = listed[name]
        told += [f"{name}: {' '.join(tool.description.split())}" if tool.description else name, *examples]
    return "\n\n".join([*told, _FILE_RULES.format(several=dialect.several)]) + "\n"


def _written(tool: Tool, example: Mapping[str, Any], dialect: Dialect) -> str:
    """Return an example as a dialect writes it. A `<path>` in the example that is a tag of the dialect becomes `path`."""
    try:
        return write_back(dialect, (tool.name, example))
    except ValueError:
        bare = json.dumps(example, ensure_ascii=False).replace("<", "").replace(">", "")
        return write_back(dialect, (tool.name, json.loads(bare)))


def _untyped(tool: Tool, dialect: Dialect) -> Iterator[Mapping[str, Any]]:
    """Yield an example of a call. For a dialect that does not show types, each value that may be a string is a string."""
    for example in _examples(tool):
        if dialect.write([("x", {"a": 0})]) != dialect.write([("x", {"a": "0"})]):
            yield example
            continue
        texts = {
            key: value if isinstance(value, str) or "string" not in types_of(tool.fields.at((key,))) else f"<{key}>"
            for key, value in example.items()
        }
        yield texts if _valid(tool, texts) else example


def _described(tool: Tool) -> Iterator[str]:
    yield f"{tool.name}: {' '.join(tool.description.split())}" if tool.description else tool.name
    try:
        yield from [f"{'  ' * row.depth}{row}" for row in outline(tool)]
    except RecursionError:
        raise SchemaError(f"tool {tool.name!r}: the schema is nested too deeply to be described") from None


def _examples(tool: Tool) -> Iterable[Mapping[str, Any]]:
    return tool.examples or [made for made in (sample(tool.fields),) if _valid(tool, made)]


def _tool(tool: Tool, language: str) -> Iterator[str]:
    yield from _described(tool)
    for example in _examples(tool):
        yield f"\n```{language}\n{json.dumps({'tool': tool.name, **example}, ensure_ascii=False)}\n```"


def _valid(tool: Tool, call: Mapping[str, Any]) -> bool:
    return tool.compiled.accepts(call) and not any(issue for rule in tool.rules for issue in rule(call))


_EMPTY: Final[Mapping[str, Any]] = {"number": 0, "integer": 0, "boolean": False, "array": [], "null": None}
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "PT1H",
    "email": "name@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""An example value of each format."""


def sample(field: Field) -> dict[str, Any]:
    """Return an object with the required members, as an example of a call."""
    return _object(field, (), iter(range(_MOST_VALUES)))


_MOST_VALUES: Final = 100
"""Limit: the most values of a made-up example, since a schema whose parts share parts has many. Past it each value is only
named."""


def _object(field: Field, above: tuple[Field, ...], room: Iterator[int]) -> dict[str, Any]:
    least = field.least()
    return {name: _value(least.members.get(name), name, (*above, field), room) for name in least.required}


def _value(field: Field | None, name: str, above: tuple[Field, ...], room: Iterator[int]) -> Any:
    if field is None or field in above or next(room, None) is None:
        return f"<{name}>"
    least = field.least()
    if least.allowed:
        return least.allowed[0]
    kind = least.kinds[0] if least.kinds else "object" if least.members or least.required else ""
    if kind == "object":
        return _object(field, above, room)
    if kind == "array":
        first = [_value(item, name, (*above, field), room) for item in least.leading]
        most = int(least.rules.get("minItems", 0))
        return first + [_value(least.items, name, (*above, field), room)] * (most - len(first))
    if kind in ("integer", "number"):
        return _number(least.rules)
    if least.format is not None and least.format in _FORMATS:
        return _FORMATS[least.format]
    return _EMPTY.get(kind, f"<{name}>")


def _number(rules: Mapping[str, Any]) -> Any:
    """Return the number nearest to 0 that the `minimum`, `maximum` and other simple bounds allow."""
    low = max(rules.get("minimum", 0), rules["exclusiveMinimum"] + 1 if "exclusiveMinimum" in rules else 0)
    high = min(rules.get("maximum", low), rules["exclusiveMaximum"] - 1 if "exclusiveMaximum" in rules else low)
    return min(max(low, 0), high)
