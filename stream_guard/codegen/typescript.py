"""Shapes as TypeScript: interfaces, the union of all calls, and type guards.

A guard checks the shape: members, kinds and listed values. The tool itself checks bounds, patterns and formats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from .shapes import Either, ListOf, MapOf, Named, OneOf, Payload, Record, Shape, Shapes, Simple

_SIMPLE: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "any": "unknown",
}  # fmt: skip
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


def module(shapes: Shapes, header: str) -> str:
    """Return the text of the TypeScript module."""
    parts = [f"// {header}; not to be edited."]
    parts += [_declaration(name, shape) for name, shape in shapes.declared.items()]
    parts += [_call(payload) for payload in shapes.payloads]
    calls = "".join(f"\n  | {payload.call}" for payload in shapes.payloads)
    parts.append(f"/** A call of any of the tools. `tool` tells which. */\nexport type ToolCall ={calls};")
    parts.append(_HELPERS)
    parts += [_guard(name, shape) for name, shape in shapes.declared.items()]
    parts += [_call_guard(payload) for payload in shapes.payloads]
    any_of = " ||\n    ".join(f"is{payload.call}(value)" for payload in shapes.payloads)
    parts.append(f"export function isToolCall(value: unknown): value is ToolCall {{\n  return (\n    {any_of}\n  );\n}}")
    return "\n\n".join(parts) + "\n"


_HELPERS: Final = """\
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}"""


def _doc(text: str, indent: str = "") -> str:
    return f"{indent}/** {text.replace('*/', '* /')} */\n" if text else ""


def _declaration(name: str, shape: Record | Shape) -> str:
    if not isinstance(shape, Record):
        return f"export type {name} = {_type(shape)};"
    rows = "".join(
        f"{_doc(member.description, '  ')}  {_key(member.key)}{'' if member.required else '?'}: {_type(member.shape)};\n"
        for member in shape.members
    )
    return f"{_doc(' '.join(shape.description.split()))}export interface {name} {{\n{rows}}}"


def _key(key: str) -> str:
    return key if _IDENTIFIER.fullmatch(key) else json.dumps(key)


def _type(shape: Shape) -> str:
    match shape:
        case Simple(kind):
            return _SIMPLE[kind]
        case OneOf(values):
            return " | ".join(map(json.dumps, values))
        case ListOf(item):
            return f"Array<{_type(item)}>"
        case MapOf(value):
            return f"Record<string, {_type(value)}>"
        case Either(shapes):
            return " | ".join(map(_type, shapes))
        case Named(name):
            return name


def _call(payload: Payload) -> str:
    return f"export type {payload.call} = {{ tool: {json.dumps(payload.tool.name)} }} & {payload.type};"


def _call_guard(payload: Payload) -> str:
    name = payload.call
    test = f"isObject(value) && value[{json.dumps('tool')}] === {json.dumps(payload.tool.name)} && is{payload.type}(value)"
    return f"export function is{name}(value: unknown): value is {name} {{\n  return {test};\n}}"


def _guard(name: str, shape: Record | Shape) -> str:
    if isinstance(shape, Record):
        tests = " &&\n    ".join(("isObject(value)", *_members(shape)))
        body = f"(\n    {tests}\n  )" if shape.members else tests
    else:
        body = expression(shape, "value", 0)
    return f"export function is{name}(value: unknown): value is {name} {{\n  return {body};\n}}"


def _members(shape: Record) -> Iterator[str]:
    for member in shape.members:
        place = f"value[{json.dumps(member.key)}]"
        test = expression(member.shape, place, 0)
        if member.required:
            yield f"{json.dumps(member.key)} in value" if test == "true" else test
        elif test != "true":
            yield f"({place} === undefined || {test})"


def expression(shape: Shape, value: str, depth: int) -> str:
    """Return a TypeScript expression that tests whether `value`, an expression too, has a shape. Without annotations it is also
    JavaScript.
    """
    item = f"item{depth or ''}"
    match shape:
        case Simple("any"):
            return "true"
        case Simple("null"):
            return f"{value} === null"
        case Simple("integer"):
            return f"Number.isInteger({value})"
        case Simple(kind):
            return f'typeof {value} === "{kind}"'
        case OneOf(values):
            tests = [f"{value} === {json.dumps(listed)}" for listed in values]
            return f"({' || '.join(tests)})" if len(tests) > 1 else tests[0]
        case ListOf(inner):
            test = expression(inner, item, depth + 1)
            return f"Array.isArray({value})" + ("" if test == "true" else f" && {value}.every(({item}: unknown) => {test})")
        case MapOf(inner):
            test = expression(inner, item, depth + 1)
            more = "" if test == "true" else f" && Object.values({value}).every(({item}: unknown) => {test})"
            return f"isObject({value})" + more
        case Either(shapes):
            return f"({' || '.join(_grouped(expression(part, value, depth)) for part in shapes)})"
        case Named(name):
            return f"is{name}({value})"


def _grouped(test: str) -> str:
    return f"({test})" if " && " in test else test
