"""What the browser's client knows of the Python side, printed from there: what drifts apart fails a test.

The events are printed from the dataclasses; a field that is None is left out on the wire, so it is an optional property there.
The type guards of the file tools are those of `stream-guard codegen`, and know in addition which members a call may have.
The marks of what is prose are those of `scan/reasoning.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stream_guard import Limits, Tool, Toolset, wire
from stream_guard.codegen.shapes import Named, Record, Shape, Shapes, Simple
from stream_guard.codegen.typescript import expression
from stream_guard.dialects.turns import LONGEST_SUFFIX, MOST_BLANKS
from stream_guard.scan.fences import MAX_INDENT, MAX_INFO, MAX_LIST_INDENT, MAX_RUN
from stream_guard.scan.reasoning import ASIDES, HEADERS, ONE_TOKEN, SHAPES, SPECIAL
from stream_guard.tools.files import FILE_TOOLS

from .wire import EVENTS, members, summary

_HEAD = """\
// Printed from the Python side by `make docs`; not to be edited.

/** The name of the event with news of a block that is held back. */
export const STATUS = /** @type {const} */ ({status});

/** The name of the event with a whole block and its verdict. */
export const BLOCK = /** @type {const} */ ({block});

/** The name of the event with the result of a call. */
export const RESULT = /** @type {const} */ ({result});
"""

_TAIL = """\
/**
 * What comes from a stream: text, news of a block, a block, the result of a call, and how it ended.
 *
 * @typedef {{ id?: string } & (
 *   | { type: "text", data: string }
 *   | { type: "json-tool-status", data: ToolStatus }
 *   | { type: "json-tool-block", data: ToolBlock }
 *   | { type: "json-tool-result", data: ToolResult }
 *   | { type: "done", data: { ending?: "done" | "stopped" } }
 *   | { type: "error", data: { message: string, ending?: "failed" | "interrupted" } }
 *   | { type: "malformed", data: { name: string, message: string } }
 * )} StreamEvent
 *
 * `malformed` comes from no server: it is what the client makes of an event that it cannot read.
 */
"""


def events() -> str:
    """The text of `adapters/js/src/events.js`."""
    head = _HEAD
    for mark, name in (("{status}", wire.STATUS), ("{block}", wire.BLOCK), ("{result}", wire.RESULT)):
        head = head.replace(mark, json.dumps(name))
    return "\n".join([head, *map(_typedef, EVENTS), _members(), _TAIL])


def _members() -> str:
    """The kinds of all members that have one, for the client to compare an event with."""
    lines = [
        "/**",
        " * The kind of each member: a type of JSON, or a record above; of a list, that of its items. A member of any kind is",
        " * left out, and so is which texts there may be: a later version may have others.",
        " *",
        " * @type {Readonly<Record<string, Readonly<Record<string, string | readonly [string]>>>>}",
        " */",
        "export const MEMBERS = {",
    ]
    for kind in EVENTS:
        kinds = {member.name: _kind(member.schema) for member in members(kind) if member.schema}
        lines.append(f"  {kind.__name__}: {{ {', '.join(f'{name}: {_js(one)}' for name, one in kinds.items())} }},")
    return "\n".join([*lines, "};\n"])


def _kind(schema: dict[str, Any]) -> str | list[str]:
    """Return the kind of what a schema describes."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return "string"
    if schema["type"] == "array":
        return [str(_kind(schema["items"]))]
    return str(schema["type"])


def _typedef(kind: type) -> str:
    lines = ["/**", f" * {summary(kind)}", " *", f" * @typedef {{object}} {kind.__name__}"]
    for member in members(kind):
        shown = f"[{member.name}]" if member.optional else member.name
        lines.append(f" * @property {{{_type(member.schema)}}} {shown} - {member.text.replace('*/', '* /')}")
    return "\n".join([*lines, " */\n"])


def _type(schema: dict[str, Any]) -> str:
    """Return the type of what a schema describes."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"Array<{_type(schema['items'])}>"
    return _TYPES[schema.get("type")]


_TYPES = {
    None: "unknown",
    "string": "string",
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "object": "Record<string, unknown>",
}


_MARKS_HEAD = f"""\
// Printed from the Python side by `make docs`; not to be edited.

/** The most blanks before the bracket that ends a mark. */
export const MOST_BLANKS = {MOST_BLANKS};

/** The longest suffix of a mark. */
export const LONGEST_SUFFIX = {LONGEST_SUFFIX};

/** The deepest column of a fence outside lists. */
export const MOST_INDENT = {MAX_INDENT};

/** The deepest column of a fence in a list. */
export const MOST_COLUMNS = {MAX_LIST_INDENT};

/** The longest run of fence characters of a block. */
export const MOST_FENCE = {MAX_RUN};

/** The longest info string of a block. */
export const MOST_INFO = {MAX_INFO};

/** A list of more calls has none. */
export const MOST_CALLS = {Limits().max_calls};

"""


def marks() -> str:
    """The text of `adapters/js/src/marks.js`."""
    asides = sorted(f"  {_js([opener.lower(), [closer.lower() for closer in closers]])}," for opener, closers in ASIDES.items())
    return (
        _MARKS_HEAD
        + _const("WORD", "The characters of words, as a part of a class in a pattern.", _WORD)
        + _const("SPECIAL", "The pattern of a special token that may end a turn.", _pattern(SPECIAL))
        + _const("SHAPES", "The patterns of other openers of reasoning, behind their first bracket.", [*map(_pattern, SHAPES)])
        + _const("ONE_TOKEN", "The openers of turns and results that are one special token, in lower case.", _lower(ONE_TOKEN))
        + _const("HEADERS", "What begins a message that is text, in lower case. Behind it a line begins.", _lower(HEADERS))
        + "\n".join([_MARKS_BETWEEN, *asides, "]);\n"])
    )


_MARKS_BETWEEN = """\
/** Each opener of what is prose, and its closers, in lower case. @type {ReadonlyMap<string, readonly string[]>} */
export const ASIDES = new Map([\
"""

_WORD = r"\p{L}\p{N}_"
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def _const(name: str, summary: str, value: str | list[str]) -> str:
    """Return the declaration of a text, or of a list with a line for each."""
    written = _js(value) if isinstance(value, str) else "\n".join(["[", *(f"  {_js(one)}," for one in value), "]"])
    return f"/** {summary} */\nexport const {name} = {written};\n\n"


def _lower(marks: tuple[str, ...]) -> list[str]:
    return [mark.lower() for mark in marks]


def _pattern(pattern: str) -> str:
    r"""Return a pattern as JavaScript writes it: there `\w` and `\s` match less."""
    pattern = re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern.replace("(?P<", "(?<"))
    return pattern.replace(r"\w{", rf"[{_WORD}]{{").replace(r"\w", _WORD).replace(r"\s", _SPACE)


def _js(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_TOOLS_HEAD = """\
// Printed from the Python side by `make docs`; not to be edited.

/**
 * Whether a value is an object with these members and no other.
 *
 * @param {unknown} value
 * @param {string[]} members
 * @returns {value is Record<string, unknown>}
 */
function hasOnly(value, members) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => members.includes(key));
}
"""


def tools(toolset: Toolset = FILE_TOOLS) -> str:
    """The text of `adapters/js/src/tools.js`."""
    assert all(tool.schema["additionalProperties"] is False for tool in toolset), "what a guard says of members is so"
    shapes = Shapes(toolset)
    payloads = {payload.type: payload for payload in shapes.payloads}
    printed = [_TOOLS_HEAD]
    for name, shape in shapes.declared.items():
        payload = payloads.get(name)
        printed.append(_record(payload.call if payload else name, shape, payload.tool if payload else None))
    calls = [payload.call for payload in shapes.payloads]
    printed.append(f"/** @typedef {{{' | '.join(calls)}}} FileCall */\n")
    printed.append(_js_guard("isToolCall", "FileCall", " || ".join(f"is{call}(value)" for call in calls)))
    return "\n".join(printed)


def _record(name: str, shape: Record | Shape, tool: Tool | None) -> str:
    """A type and its guard; of a tool, those of its call."""
    assert isinstance(shape, Record), "the file tools are made of records"
    lines = [f" * {shape.description}", " *", f" * @typedef {{object}} {name}"]
    tests = [f"hasOnly(value, {json.dumps([*(['tool'] if tool else []), *(member.key for member in shape.members)])})"]
    if tool is not None:
        lines.append(f' * @property {{"{tool.name}"}} tool')
        tests.append(f'value["tool"] === "{tool.name}"')
    for member in shape.members:
        assert member.required and isinstance(member.shape, Simple | Named), "every member of a file tool's call is required"
        kind = member.shape.kind if isinstance(member.shape, Simple) else member.shape.name
        lines.append(f" * @property {{{kind}}} {member.key} - {member.description}")
        tests.append(expression(member.shape, f'value["{member.key}"]', 0))
    return "\n".join(["/**", *lines, " */\n"]) + "\n" + _js_guard(f"is{name}", name, " &&\n    ".join(tests))


def _js_guard(name: str, type: str, condition: str) -> str:
    return (
        f"/** @param {{unknown}} value @returns {{value is {type}}} */\n"
        f"export function {name}(value) {{\n  return (\n    {condition}\n  );\n}}\n"
    )
