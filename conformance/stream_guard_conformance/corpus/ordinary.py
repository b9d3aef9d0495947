"""Ordinary JSON of many kinds, as replies hold it in fences.

A kind is a function of a few words; it is made with each of `TURNS`. The words are also used by file tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple


class Turn(NamedTuple):
    """The parts of one example of a kind."""

    verb: str
    path: str
    text: str
    number: int


TURNS: Final = (
    Turn("edit", "/users/:id", "Change one user", 1),
    Turn("create", "src/app.ts", "export {}", 20),
    Turn("delete", "/etc/hosts", "127.0.0.1 localhost", 300),
    Turn("write", "C:\\temp\\a.txt", "line\nline", 0),
    Turn("rm", "./dist", "", -1),
    Turn("update_user", "docs/read me.md", 'She said "hi" \u2013 \u00e9', 7),
)

_Kind = Callable[[Turn], Any]
KINDS: Final[dict[str, _Kind]] = {
    # definitions of tools
    "OpenAI tool": lambda t: {"type": "function", "function": {"name": t.verb, "description": t.text, "parameters": _schema()}},
    "OpenAI tool of ours": lambda t: {"type": "function", "function": {"name": "write_file", "parameters": _schema(t.text)}},
    "Responses tool": lambda t: {"type": "function", "name": "edit_file", "parameters": _schema(t.text), "strict": True},
    "legacy function": lambda t: {"name": "delete_file", "description": t.text, "parameters": _schema()},
    "Anthropic tool": lambda t: {"name": "write_file", "description": t.text, "input_schema": _schema()},
    "MCP tool": lambda t: {"name": "delete_file", "title": t.verb, "inputSchema": _schema(t.text)},
    "MCP listing": lambda t: {"tools": [{"name": "write_file", "description": t.text, "inputSchema": _schema()}]},
    "Gemini declarations": lambda t: {"functionDeclarations": [{"name": t.verb, "parameters": _schema(t.text)}]},
    "list of tools": lambda t: [{"type": "function", "function": {"name": "edit_file", "parameters": _schema(t.text)}}],
    "tool choice": lambda t: {"tool_choice": {"type": "function", "function": {"name": t.verb}}},
    "request with tools": lambda t: {"model": "m", "messages": [{"role": "user", "content": t.text}], "tools": []},
    # protocols of others
    "JSON-RPC call": lambda t: {"jsonrpc": "2.0", "id": t.number, "method": "tools/call", "params": _call("write_file", t)},
    "JSON-RPC without version": lambda t: {"id": t.number, "method": t.verb, "params": {"path": t.path}},
    "JSON-RPC result": lambda t: {"jsonrpc": "2.0", "id": t.number, "result": {"content": [{"type": "text", "text": t.text}]}},
    "agent's final answer": lambda t: {"action": "Final Answer", "action_input": t.text},
    "agent's thought and answer": lambda t: {"thought": t.text, "action": "Final Answer", "action_input": t.text},
    "agent's own tool": lambda t: {"action": "search_web", "action_input": {"query": t.text, "limit": t.number}},
    "smolagents' answer": lambda t: {"name": "final_answer", "arguments": {"answer": t.text}},
    "unknown call": lambda t: {"name": "get_weather", "arguments": {"city": t.text, "days": t.number}},
    "unknown call, encoded": lambda t: {"name": "get_weather", "arguments": json.dumps({"path": t.path})},
    "unknown call with our field": lambda t: {"name": "open_page", "arguments": {"path": t.path}},
    "unknown call under tool": lambda t: {"tool": "get_weather", "arguments": {"city": t.text}},
    "unknown flat call": lambda t: {"tool": "web_search", "query": t.text, "limit": t.number},
    "unknown tool that takes text": lambda t: {"tool": "say", "text": t.text},
    "unknown tool use": lambda t: {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": t.text}},
    "unknown tool calls": lambda t: {"tool_calls": [{"id": "c", "function": {"name": "now", "arguments": f'"{t.number}"'}}]},
    "tool result": lambda t: {"type": "tool_result", "tool_use_id": "toolu_1", "content": t.text},
    "message": lambda t: {"role": "assistant", "content": t.text, "tool_calls": []},
    "plan": lambda t: {"thoughts": t.text[:80], "plan": [t.verb, "read"], "next": {"action": t.verb, "path": t.path}},
    "planner's step": lambda t: {"action": t.verb, "input": {"target": t.path}, "expected": t.text},
    "browser action": lambda t: {"action": "click", "selector": t.path, "text": t.text},
    # routes, permissions, audits
    "route": lambda t: {"name": t.verb, "path": t.path, "component": "View"},
    "route, only name and path": lambda t: {"name": t.verb, "path": t.path},
    "routes": lambda t: [{"path": t.path, "name": t.verb}, {"path": "/", "name": "home"}],
    "route of a function": lambda t: {"name": "deleteFile", "path": t.path},
    "endpoint": lambda t: {"name": "Delete file", "path": t.path, "method": "DELETE"},
    "audit row": lambda t: {"action": t.verb, "path": t.path, "user": "ann", "at": "2026-01-01T00:00:00Z"},
    "audit row, short": lambda t: {"action": t.verb, "path": t.path},
    "audit rows": lambda t: [{"id": t.number, "action": t.verb, "path": t.path, "ok": True}],
    "permission": lambda t: {"action": t.verb, "resource": t.path, "effect": "allow"},
    "permissions": lambda t: {"permissions": {t.verb: ["admin"], "write_file": "ask"}},
    "policy": lambda t: {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": f"s3:{t.verb}", "Resource": "*"}]},
    "role": lambda t: {"name": t.verb, "description": t.text, "scopes": [f"{t.verb}:files"]},
    "git change": lambda t: {"type": t.verb, "path": t.path, "additions": t.number},
    "file of a listing": lambda t: {"path": t.path, "content": t.text},
    "files of a listing": lambda t: [{"path": t.path, "content": t.text, "mode": "100644"}],
    "file by other words": lambda t: {"filename": t.path, "code": t.text, "language": "ts"},
    "edit by other words": lambda t: {"path": t.path, "old": t.text, "new": t.verb, "line": t.number},
    # configurations
    "package.json": lambda t: {"name": t.verb, "version": "1.0.0", "description": t.text, "scripts": {"build": t.verb}},
    "name and version": lambda t: {"name": t.verb, "version": f"1.{t.number}.0"},
    "tsconfig": lambda t: {"compilerOptions": {"paths": {"@/*": [t.path]}, "strict": True}},
    "editor's settings": lambda t: {"editor.tabSize": t.number, "files.exclude": {t.path: True}},
    "task of an editor": lambda t: {"version": "2.0.0", "tasks": [{"label": t.verb, "command": t.verb, "args": [t.path]}]},
    "launch of an editor": lambda t: {"name": t.verb, "type": "node", "request": "launch", "program": t.path, "args": []},
    "server of MCP": lambda t: {"mcpServers": {"files": {"command": "npx", "args": ["-y", t.path]}}},
    "process": lambda t: {"name": t.verb, "args": [t.path, "-f"], "env": {}},
    "manifest": lambda t: {"manifest_version": 3, "name": t.verb, "version": "1", "action": {"default_popup": t.path}},
    "container": lambda t: {"name": t.verb, "image": "nginx", "command": [t.verb], "ports": [t.number]},
    "feature": lambda t: {"id": t.verb, "description": t.text, "enabled": t.number > 0},
    "long description": lambda t: {"description": t.text.ljust(300, "."), "path": t.path, "name": t.verb},
    "step of a workflow": lambda t: {"name": t.verb, "run": f"{t.verb} {t.path}", "with": {"path": t.path}},
    "lint rule": lambda t: {"tool": "eslint", "version": "9.0.0", "rules": {t.verb: "error"}},
    # schemas
    "schema": lambda t: _schema(t.text),
    "schema of a block": lambda t: {"type": "object", "properties": {"tool": {"const": "write_file"}}, "title": t.text},
    "members of a schema": lambda t: {"tool": {"type": "string"}, "path": {"type": "string", "description": t.text}},
    "GraphQL": lambda t: {"query": "mutation { delete }", "variables": {"input": {"path": t.path}}},
    "OpenAPI": lambda t: {"openapi": "3.1.0", "paths": {t.path: {"delete": {"operationId": t.verb, "parameters": []}}}},
    "parameters of an operation": lambda t: {"name": t.verb, "parameters": [{"name": "path", "in": "query"}], "x": t.number},
    # logs and replies
    "log line": lambda t: {"level": "info", "action": t.verb, "path": t.path, "msg": t.text},
    "log line with a tool": lambda t: {"ts": t.number, "tool": "write_file", "path": t.path, "ms": 3},
    "trace span": lambda t: {"name": "write_file", "duration_ms": t.number, "attributes": {"path": t.path}},
    "event": lambda t: {"id": "e1", "type": f"file.{t.verb}", "data": {"path": t.path}},
    "webhook": lambda t: {"action": t.verb, "issue": {"number": t.number, "title": t.text}},
    "error": lambda t: {"error": {"code": t.number, "message": t.text}, "path": t.path},
    "problem": lambda t: {"type": "about:blank", "title": t.text, "status": 404, "instance": t.path},
    "user": lambda t: {"id": t.number, "name": "Ann", "email": "ann@example.com"},
    "named only": lambda t: {"name": t.verb},
    "path only": lambda t: {"path": t.path},
    "page of results": lambda t: {"items": [{"name": t.verb, "path": t.path}], "next": None},
    "diff": lambda t: [{"op": "replace", "path": t.path, "value": t.text}],
    "test case": lambda t: {"input": {"path": t.path, "action": t.verb}, "output": t.text, "ok": True},
    "function of a stack": lambda t: {"function": t.verb, "file": t.path, "line": t.number},
    "translation": lambda t: {"edit": "Bearbeiten", "delete": "L\u00f6schen", "create": t.text},
    "empty": lambda t: [{}, [], [1, 2], t.number, t.text, None][TURNS.index(t)],
    "coordinates": lambda t: {"type": "Feature", "geometry": {"type": "Point", "coordinates": [t.number, 2.5]}},
    "notebook cell": lambda t: {"cell_type": "code", "source": [t.text], "metadata": {}},
}

NOT_JSON: Final[dict[str, Callable[[Turn], str]]] = {
    "configuration with comments": lambda t: f'{{\n  // {t.verb} with your tool\n  "path": {_j(t.path)},\n  "content": [],\n}}',
    "editor's keys": lambda t: f'[\n  // {t.verb}\n  {{"key": "ctrl+k", "command": {_j(t.verb)}}}\n]',
    "row of Python": lambda t: f"{{'action': {t.verb!r}, 'path': {t.path!r}, 'count': {t.number}}}",
    "object of JavaScript": lambda t: f"{{ name: '{t.verb}', path: {_j(t.path)}, component: View }}",
    "elided": lambda t: f'{{"path": {_j(t.path)}, "content": {_j(t.text)}, ...}}',
    "definition in Python": lambda t: f"{{'name': 'write_file', 'input_schema': {{'properties': {{'path': {t.number}}}}}}}",
    "list of commands": lambda t: f"- {t.verb}: {t.number}\n- write: 2",
    "output": lambda t: f"$ {t.verb} {t.path}\n{t.text}",
    "unfinished": lambda t: f'{{"name": {_j(t.verb)}, "path": {_j(t.path)}',
}
"""The same kinds of example in text that is not JSON, or not complete."""


def _j(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _schema(description: str = "Where") -> dict[str, Any]:
    path = {"type": "string", "description": description}
    return {"type": "object", "properties": {"path": path, "content": {"type": "string"}}, "required": ["path"]}


def _call(name: str, turn: Turn) -> dict[str, Any]:
    return {"name": name, "arguments": {"path": turn.path, "content": turn.text}}


def ordinary() -> Iterator[tuple[str, str]]:
    """Yield the kind and the body of each example."""
    for kind, make in KINDS.items():
        for turn in TURNS:
            value = make(turn)
            yield kind, json.dumps(value, ensure_ascii=turn.number > 5, indent=2 if turn.number % 2 else None)
    for kind, write in NOT_JSON.items():
        for turn in TURNS:
            yield kind, write(turn)
