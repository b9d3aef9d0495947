"""Ordinary JSON of kinds that the corpus does not have, with the words of file tools in it; and data that says `tool`."""

from __future__ import annotations

from typing import Any, Final

MORE_KINDS: Final[dict[str, Any]] = {
    "state of an infrastructure": {
        "version": 4,
        "terraform_version": "1.5.0",
        "resources": [
            {
                "mode": "managed",
                "type": "local_file",
                "name": "write_file",
                "instances": [{"attributes": {"filename": "a.txt", "content": "x"}}],
            }
        ],
    },
    "webhook of an issue": {
        "action": "edited",
        "issue": {"number": 1, "title": "delete_file fails"},
        "changes": {"body": {"from": "x"}},
    },
    "file of a repository": {
        "type": "file",
        "name": "a.txt",
        "path": "src/a.txt",
        "sha": "1",
        "content": "eA==",
        "encoding": "base64",
    },
    "request to write a file": {"message": "add", "content": "eA==", "branch": "main", "path": "a.txt"},
    "manifest of an extension": {
        "manifest_version": 3,
        "name": "Edit",
        "version": "1.0",
        "action": {"default_popup": "p.html"},
    },
    "snippet of an editor": {"Print": {"prefix": "log", "body": ["console.log($1)"], "description": "write_file"}},
    "words of an interface": {"create": "Anlegen", "edit": "Bearbeiten", "delete": "Loeschen", "write_file": "Datei schreiben"},
    "action of a store": {"type": "write_file", "payload": {"path": "a.txt", "content": "x"}},
    "flat action of a store": {"type": "edit", "path": "a.txt", "content": "x"},
    "patch": [{"op": "replace", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}],
    "event of a bucket": {"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {"key": "a.txt"}}}]},
    "lines of a bulk request": '{"delete":{"_index":"i","_id":"1"}}\n{"create":{"_index":"i"}}\n{"path":"a"}',
    "command of a database": {"delete": "users", "deletes": [{"q": {"path": "a"}, "limit": 1}]},
    "document with types": {"name": "projects/p/documents/d", "fields": {"tool": {"stringValue": "write_file"}}},
    "collection of requests": {
        "info": {"name": "delete_file", "schema": "https://x"},
        "item": [{"name": "edit", "request": {"method": "DELETE", "url": "/a"}}],
    },
    "archive of requests": {
        "log": {"entries": [{"request": {"method": "POST", "url": "/write"}, "response": {"content": {"text": "x"}}}]}
    },
    "findings of a linter": {"runs": [{"tool": {"driver": {"name": "write_file", "rules": []}}, "results": []}]},
    "findings, the linter first": {"tool": {"driver": {"name": "eslint", "version": "1"}}, "results": []},
    "finding": {"check_id": "r", "path": "a.py", "start": {"line": 1}, "extra": {"message": "edit"}},
    "bill of materials": {"bomFormat": "CycloneDX", "metadata": {"tools": [{"name": "write_file", "version": "1"}]}},
    "inventory": [{"tool": "hammer", "quantity": 3}, {"tool": "saw", "quantity": 1}],
    "mode of a brush": {"tool": "brush", "mode": "edit", "path": "curve"},
    "settings of tools": {"tools": {"write_file": {"enabled": True}, "delete_file": {"enabled": False}}},
    "operation": {"operationId": "delete_file", "parameters": [{"name": "path", "in": "path", "required": True}]},
    "notification": {"method": "notifications/message", "params": {"level": "info", "data": "write_file"}},
    "run of a tracer": {"id": "r", "name": "write_file", "run_type": "tool", "inputs": {"path": "a"}, "outputs": {}},
    "span with a tool": {"name": "execute_tool write_file", "attributes": {"gen_ai.tool.name": "write_file", "path": "a"}},
    "job of a pipeline": {"job": "build", "uses": "actions/checkout", "with": {"path": "a", "name": "write"}},
    "task of a playbook": {"name": "write file", "copy": {"content": "x", "dest": "/a"}, "become": True},
    "webhook of a registry": {"push_data": {"tag": "edit"}, "repository": {"name": "write_file", "repo_name": "a/b"}},
    "event of a payment": {"id": "evt_1", "object": "event", "type": "file.created", "data": {"object": {"path": "a"}}},
    "list of tasks": {"todos": [{"id": 1, "content": "write_file", "status": "pending"}]},
    "feature of a map": {"type": "Feature", "properties": {"name": "edit", "path": "B7"}, "geometry": None},
    "node of a drawing": {"name": "delete", "type": "INSTANCE", "children": [], "path": "M0 0"},
    "path of a drawing": {"path": "M0 0L1 1", "name": "edit", "fill": "none"},
    "menu": {"label": "Edit", "submenu": [{"role": "delete", "path": "/x"}]},
    "key of a command": {"key": "ctrl+d", "command": "edit", "args": {"path": "a"}},
    "command with arguments": {"command": "write_file", "args": {"path": "a.txt", "content": "x"}},
    "operation with a path": {"op": "write_file", "path": "a.txt", "content": "x"},
    "row of coverage": {"file": "a.py", "function": "edit", "path": "src", "hits": 3},
    "flame graph": {"name": "write_file", "value": 12, "children": [{"name": "edit", "value": 3}]},
    "feature flag with a path": {"name": "delete", "description": "x", "enabled": True, "path": "/f"},
    "scopes of a key": {"name": "edit", "permissions": ["write", "delete"], "path": "/v1"},
    "answer of a survey": {"question": "Which tool?", "options": ["write_file", "edit_file"], "answer": "write_file"},
    "question about a tool": {"tool": "Which tool deletes?", "answer": "delete_file"},
    "help of a command": {"usage": "rm <path>", "name": "rm", "options": [{"name": "path"}]},
}
"""An example of each kind; a text where it is no single value."""

SAYS_TOOL: Final[tuple[Any, ...]] = (
    {"tool": "write_file", "count": 12, "errors": 0},
    {"tool": "edit_file", "docs": "https://example.org", "since": "1.2"},
    {"tool": "write_file", "allowed": True},
    {"tool": "hammer", "path": "shelf 3"},
)
"""Data with a key that says tool, beside a known name or a field of some tool: it reads as a call with mistakes."""
