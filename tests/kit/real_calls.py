"""Real calls of the file tools, in every form that is read as one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from stream_guard.tools.files import FILE_TOOLS

ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "write_file": {"path": "a.txt", "content": "x"},
    "delete_file": {"path": "a.txt"},
    "edit_file": {"path": "a.txt", "search_replace": {"old_string": "a", "new_string": "b"}},
}
TOOL_SPELLINGS: Final = (
    "tool", "Tool", "TOOL", "tool_name", "toolName", "ToolName", "tool-name", "tool_call", "toolCall", "function_call",
    "functionCall", "tool_use",
)  # fmt: skip
NAME_SPELLINGS: Final = ("name", "Name", "function", "function_name", "functionName", "action", "recipient_name")
ARGUMENT_SPELLINGS: Final = (
    "arguments", "Arguments", "args", "parameters", "Parameters", "input", "action_input", "actionInput", "tool_input",
)  # fmt: skip
NEUTRAL: Final[dict[str, Any]] = {
    "id": 1, "ID": "call_1", "type": "function", "call_id": "c", "thought": "hm " * 80, "thoughts": "", "reasoning": "so",
    "explanation": "x" * 256, "rationale": "r", "description": "Write a file", "Description": "d", "version": "1.0",
    "comment": "as asked",
}  # fmt: skip


def real_calls() -> Iterator[tuple[str, str]]:
    """The form and the body of each call."""
    for tool in FILE_TOOLS:
        own = ARGUMENTS[tool.name]
        for name in (tool.name, *tool.aliases):
            yield "alias", _j({"tool": name, **own})
            yield "alias, tool last", _j({**own, "tool": name})
            yield "alias, in an envelope", _j({"tool": name, "arguments": own})
        for key in TOOL_SPELLINGS:
            yield "key that says tool", _j({key: tool.name, **own})
        for key in NAME_SPELLINGS:
            yield "name beside fields", _j({key: tool.name, **own})
            for held in ARGUMENT_SPELLINGS:
                yield "name beside arguments", _j({key: tool.name, held: own})
        for held in ARGUMENT_SPELLINGS:
            yield "tool beside arguments", _j({"tool": tool.name, held: own})
            yield "arguments first", _j({held: own, "name": tool.name})
            yield "arguments encoded", _j({"name": tool.name, held: _j(own)})
        for key, value in NEUTRAL.items():
            yield "neutral key first", json.dumps({key: value, "tool": tool.name, **own}, indent=2)
            yield "neutral key first, in an envelope", _j({key: value, "name": tool.name, "arguments": own})
        for alias in tool.field_aliases:
            yield "field by another name", _j({"tool": tool.name, alias: "x"})
            yield "everyday tool, field by another name", _j({"tool": tool.aliases[-1], alias: "x"})
        yield "keys in other case", _j({"Tool": tool.name, **{key.title(): item for key, item in own.items()}})
        yield "tool calls", _j({"tool_calls": [{"name": tool.name, "arguments": own}]})
        yield "tool calls of OpenAI", _j({"tool_calls": [{"id": "c", "type": "function", "function": _named(tool.name, own)}]})
        yield "function of OpenAI", _j({"type": "function", "function": _named(tool.name, own)})
        yield "function call of OpenAI", _j({"function_call": _named(tool.aliases[-1], own)})
        yield "tool use of Anthropic", _j({"type": "tool_use", "id": "t", "name": tool.aliases[-1], "input": own})
        yield "call in a list", _j([{"tool": tool.name, **own}] * 2)
        yield "calls one after another", "\n".join([_j({"tool": tool.name, **own})] * 2)
        yield "namespace", _j({"recipient_name": f"functions.{tool.name}", "parameters": own})
        yield "no arguments", _j({"name": tool.name, "arguments": {}})
        yield "unknown argument", _j({"name": tool.name, "arguments": {"nonsense": 1}})
        yield "near name", _j({"tool": tool.name.replace("il", "li"), **own})
        yield "other spelling", _j({"tool": tool.name.title().replace("_", ""), **own})
        yield "unknown name beside our fields", _j({"tool": "frobnicate", **own})
        yield "no name", _j({"tool": None, **own})
        yield "Python", repr({"tool": tool.name, **own})
        yield "bare keys", _j({"tool": tool.name, **own}).replace('"tool"', "tool")
        yield "comment first", "// as asked\n" + _j({"tool": tool.name, **own})
        yield "called", f"{tool.name}({_j(own)})"
        yield "typographic quotes", _j({"tool": tool.name, **own}).replace('"', "\u201d")
        yield "cut off", _j({"tool": tool.name, **own})[:-8]


def _named(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "arguments": _j(arguments)}


def _j(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
