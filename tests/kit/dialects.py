"""Texts in every dialect, written by its own writer, with the calls that may run; and toolsets for recorded texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stream_guard import Tool, Toolset
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.write import Call

ANY_TOOL = {name: dialect for name, dialect in DIALECTS.items() if not dialect.tools}
"""The dialects that can call any tool. The others carry files."""

RAW = (
    *("qwen3_coder", "seed_oss", "minimax_m2", "claude_xml", "muse_glimmer", "minicpm5", "dots", "glm45", "hunyuan_v3"),
    *("k2_horizon", "cline_xml", "deepseek_v32_dsml", "deepseek_v4_dsml", "gemma4", "functiongemma"),
)
"""The dialects whose values have no escapes."""


def tool(name: str, required: Sequence[str] = (), **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return Tool.of({"name": name, "description": name, "input_schema": schema})


TEXT = {"type": "string"}
TOOLS = Toolset(
    tool("write_file", ("path", "content"), path=TEXT, content=TEXT),
    tool(
        "find_notes",
        ("query",),
        query=TEXT,
        limit={"type": "integer"},
        ratio={"type": "number"},
        exact={"type": "boolean"},
        tags={"type": "array", "items": TEXT},
        where={"type": "object"},
        after={"anyOf": [{"type": "integer"}, {"type": "null"}]},
    ),
    tool("list_all"),
)

CODE = 'def f(x):\n\tif x < 1 and x > 0:\n\t\treturn {"a": [1, \'b\']}  # é 🎉 & <div class="c">\n\n    print(f"{x}\\n")\n'
FILE: Call = ("write_file", {"path": "src/a b.py", "content": CODE})
SMALL: Call = ("write_file", {"path": "a.txt", "content": "x"})
FIND: Call = (
    "find_notes",
    {
        "query": "true",
        "limit": 7,
        "ratio": -1.5,
        "exact": True,
        "tags": ["a", "b c"],
        "where": {"k": [None, 1]},
        "after": None,
    },
)
ALL: Call = ("list_all", {})


@dataclass(frozen=True)
class Row:
    """A text, and the calls of it that may run."""

    name: str
    text: str
    calls: tuple[Call, ...] = ()
    whole: bool = False
    """Whether the text is prose and nothing else: it passes as it is, without an event of a block that ends."""


def one(name: str, **arguments: Any) -> Call:
    return name, arguments


CALLS: Mapping[str, Sequence[Call]] = {
    "a call": (SMALL,),
    "code": (FILE,),
    "values of every type": (FIND,),
    "no arguments": (ALL,),
    "two calls": (SMALL, FIND),
    "three calls of one tool": (SMALL, FILE, one("write_file", path="b.txt", content="y")),
    "an empty text": (one("write_file", path="a.txt", content=""),),
    "texts that look like other values": (one("write_file", path="007", content="null"),),
    "blanks around a text": (one("write_file", path="a.txt", content="\n\n  x  \n\n"),),
    "many lines": (one("write_file", path="a.txt", content="\n".join(f"line {at}" for at in range(30))),),
    "a text of another dialect's markers": (one("write_file", path="a.md", content="a </div> [x](y) <b> {z} ]["),),
}


def rows(dialect: Dialect) -> Iterator[Row]:
    """Yield the rows of a dialect."""
    for name, calls in CALLS.items():
        yield Row(name, dialect.write(calls), tuple(calls))
    call = dialect.write([SMALL])
    yield Row("prose before and behind", f"I will write it.\n\n{call}\n\nDone.\n", (SMALL,))
    yield Row("another call behind prose", f"One:\n{call}\nTwo:\n{dialect.write([FIND])}\n", (SMALL, FIND))
    fence = '```json\n{"tool": "list_all"}\n```'
    yield Row("a fence before and behind", f"{fence}\n{call}\n{fence}\n", (ALL, SMALL, ALL))
    yield Row("in a code block", f"Write\n\n```text\n{call}\n```\n\nor\n\n~~~~\n{call}\n~~~~\nas you like.\n", whole=True)
    yield Row("in a code block before a call", f"Write\n\n```text\n{call}\n```\n\nNow:\n\n{fence}\n", (ALL,))
    yield Row("in an indented example", "Write\n\n" + "\n".join(f"    {line}" for line in call.split("\n")), whole=True)
    yield Row("in inline code", f"Write ``{call}`` so.\n", whole=True)
    yield Row("in reasoning", f"<think>\nI could write\n{call}\n</think>\nNo.\n", whole=True)
    yield Row("an unknown tool", dialect.write([("rename_everything", {"from": "a"})]))
    yield Row("a missing argument", dialect.write([("write_file", {"path": "a.txt"})]))


def recorded(corpora: Path) -> list[dict[str, Any]]:
    """The recorded texts of all dialects that can be scored."""
    lines = (corpora / "dialects.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["class"] != "suspect"]


def toolset(row: Mapping[str, Any]) -> Toolset:
    """The tools of a recorded text; for a call of none of them, a tool that takes values of the types that were expected."""
    tools = {each["name"]: Tool(each["name"], "", each.get("parameters") or {"type": "object"}) for each in row["tools"]}
    seen: dict[str, dict[str, set[str]]] = {}
    for call in row["expected_calls"] or ():
        if call["name"] and call["name"] not in tools:
            fields = seen.setdefault(call["name"], {})
            for key, value in (call.get("arguments") or {}).items():
                fields.setdefault(key, set()).add(_KINDS[type(value)])
    for name, fields in seen.items():
        members = {key: {"type": sorted(kinds)} for key, kinds in fields.items() if key != "tool"}
        tools[name] = Tool(name, "", {"type": "object", "properties": members})
    return Toolset(*tools.values()) if tools else Toolset(tool("no_such_tool"))


_KINDS: Mapping[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null",
}  # fmt: skip
