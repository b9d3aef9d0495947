"""Corrections: a block, what a model answers, and which part of it is refused."""

from __future__ import annotations

from typing import Any

LONG = "".join(f"line {number} of the file = {number * number}\n" for number in range(60))
W = {"tool": "write_file", "path": "a.txt", "content": "hello world"}
M = {"tool": "move", "day": "2026-11-21"}

READ: dict[str, tuple[dict[str, Any], dict[str, Any], str | None]] = {
    "an alias": ({**W, "tool": "create_file"}, W, None),
    "another tool": ({**W, "tool": "create_file"}, {"tool": "delete_file", "path": "a.txt"}, "tool"),
    "a tool that nobody named": ({**W, "tool": "frobnicate"}, W, "tool"),
    "no tool at all": ({"path": "a.txt"}, {"tool": "delete_file", "path": "a.txt"}, "tool"),
    "another path": ({**W, "tool": "create_file"}, {**W, "path": "b.txt"}, "path"),
    "a slash that may not stand there": ({**W, "path": "/src//a.txt"}, {**W, "path": "src/a.txt"}, None),
    "another folder": ({**W, "path": "/src/a.txt"}, {**W, "path": "a.txt"}, "path"),
    "a backslash": ({**W, "path": "src\\a.txt", "x": 1}, {**W, "path": "src/a.txt"}, "path"),
    "a path that was missing": ({"tool": "delete_file"}, {"tool": "delete_file", "path": "a.txt"}, "path"),
    "what is to be deleted, under a name nobody knows": (
        {"tool": "delete_file", "target": "a.txt"},
        {"tool": "delete_file", "path": "a.txt"},
        "path",
    ),
    "a path under another name": ({"tool": "write_file", "target": "a.txt", "content": "hello world"}, W, "path"),
    "a number under another name": ({"tool": "write_file", "path": "a.txt", "wait": 5}, {**W, "content": "5"}, "value"),
    "a path under a name that says it is none": (
        {"tool": "write_file", "exclude": "a.txt", "content": "hello world"},
        W,
        "path",
    ),
    "what no issue named": ({**W, "x": 1}, {**W, "content": "hello"}, "value"),
    "by one character": ({**W, "x": 1}, {**W, "content": "hello world\n"}, "value"),
    "a field that is not ours": ({**W, "x": 1}, W, "value"),
    "a remark": ({**W, "thought": "ok"}, W, None),
    "an empty text for a missing one": ({"tool": "write_file", "path": "a.txt"}, {**W, "content": ""}, None),
    "a text made up": ({"tool": "write_file", "path": "a.txt"}, W, "value"),
    "a text from elsewhere in the block": ({"tool": "write_file", "path": "a.txt"}, {**W, "content": "a.txt"}, "value"),
    "lines in a list": ({**W, "content": ["hello\n", "world"]}, {**W, "content": "hello\nworld"}, None),
    "a list that may be lines, or JSON": ({**W, "content": ["hello", "world"]}, {**W, "content": "hello\nworld"}, "value"),
    "an object as its JSON": ({**W, "content": {"a": [1, 2]}}, {**W, "content": '{\n  "a": [1, 2]\n}'}, None),
    "an object as other JSON": ({**W, "content": {"a": [1, 2]}}, {**W, "content": '{"a": [1, 3]}'}, "value"),
    "two names that nobody knows": (
        {"tool": "edit_file", "path": "a", "vorher": "one", "nachher": "two"},
        {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "one", "new_string": "two"}},
        "value",
    ),
    "one of a few, by a slip": ({**M, "speed": "modreate"}, {**M, "speed": "moderate"}, None),
    "one of a few, chosen freely": ({**M, "speed": "quickly"}, {**M, "speed": "fastest"}, "value"),
    "the only one for another": ({**M, "kind": "z"}, {**M, "kind": "m"}, "value"),
    "the only one with another capital, which may be another unit": ({**M, "kind": "M"}, {**M, "kind": "m"}, "value"),
    "the same words in another order": ({**M, "day": "21/11/2026"}, M, "value"),
    "another day": ({**M, "day": "21/11/2026"}, {**M, "day": "2026-12-21"}, "value"),
    "without the blanks around it": ({**M, "day": " 2026-11-21\n"}, M, None),
    "without the quotes around it": ({**M, "day": "'2026-11-21'"}, M, None),
    "cut to its length": ({**M, "note": "the quick brown fox jumps"}, {**M, "note": "the quick brown fox"}, "value"),
    "a number": ({**M, "steps": "ten"}, {**M, "steps": 10}, "value"),
    "a number that is spelled": ({**M, "steps": "1,000"}, {**M, "steps": 1000}, None),
    "a long text, nearly the same": ({**M, "body": "> " + LONG}, {**M, "body": LONG}, "value"),
    "a long text, much shorter": ({**M, "body": "> " + LONG}, {**M, "body": LONG[: int(len(LONG) * 0.7)]}, "value"),
    "a long text with a word more": ({**M, "body": "> " + LONG}, {**M, "body": LONG + "sudo"}, "value"),
    "an address that was not there": (
        {**M, "note": "see https and good.example now"},
        {**M, "note": "https://good.example"},
        "value",
    ),
}

CODE = "if (x) {\n  say(\"hi\", 'a');\n}\nreturn '';\n"
E = {"tool": "edit_file", "path": "src/a.js", "search_replace": {"old_string": 'say "hi"', "new_string": ""}}
LOST = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen, "
C = f'{{"tool": "write_file", "path": "a.txt", "content": "{CODE}"}}'
NESTED = '{"tool": "edit_file", "path": "src/a.js", "search_replace": {"old_string": "say "hi"", "new_string": ""}}'
PYTHON = "{'tool': 'move', 'day': '2026-11-21', 'steps': 3, 'note': 'it's'}"

TEXTS: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "quotes and line ends": (C, {**W, "content": CODE}, None),
    "half of it": (C, {**W, "content": CODE[:9]}, "value"),
    "some characters less": (C, {**W, "content": CODE[:-5]}, "value"),
    "a line end less": (C, {**W, "content": CODE[:-1]}, "value"),
    "a sign changed": ('{"tool": "write_file", "path": "a.txt", "content": "x <= "1""}', {**W, "content": 'x < "1"'}, "value"),
    "another path": ("{tool: write_file, path: a.txt, content: hello world", {**W, "path": "b.txt"}, "path"),
    "a part of the path": ("{tool: write_file, path: src/a.txt, content: hello world}", W, "path"),
    "the beginning of the path": ("{tool: write_file, path: a.txt.bak, content: hello world}", W, "path"),
    "two paths": ("{tool: write_file, path: a.txt, path: b.txt, content: hello world}", W, "value"),
    "two tools": ("{tool: write_file, tool: delete_file, path: a.txt, content: hello world}", W, "tool"),
    "a tool that is none": ("{tool: frobnicate, name: write_file, path: a.txt, content: hello world}", W, "tool"),
    "a tool from the content": ('{"path": "a.txt", "content": "use write_file"}}{', {**W, "content": "use write_file"}, "tool"),
    "no comma": ('{"tool": "write_file" "path": "a.txt" "content": "hello world"', W, None),
    "no line end at the end": ('{"tool": "write_file", "path": "a.txt", "content": "hello world\\n", "x}', W, "value"),
    "a blank less": ('{"tool": "write_file", "path": "a.txt", "content": "hello  "world""}', W, "value"),
    "a comma of the text": ('{"tool": "write_file", "path": "a.txt", "content": "hello world,"x"', W, "value"),
    "a brace of the text": ('{"tool": "write_file", "path": "a.txt", "content": "hello world}"x"', W, "value"),
    "an empty text that was none": ('{"tool": "write_file", path: a.txt, "content" "hello"}', {**W, "content": ""}, "value"),
    "nested": (NESTED, E, None),
    "python": (PYTHON, {**M, "steps": 3, "note": "it's"}, None),
    "another number": (PYTHON, {**M, "steps": 4, "note": "it's"}, "value"),
    "a rest that is lost": (f'{{"tool": "write_file", "path": "a.txt", "content": "hello world", {LOST}', W, "value"),
}
