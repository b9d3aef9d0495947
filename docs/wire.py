"""The events on the wire, printed from the dataclasses: the JSON Schema that `stream-guard schema` prints, and its page."""

from __future__ import annotations

import ast
import inspect
import json
import types
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from stream_guard import ToolBlock, ToolResult, ToolStatus, ValidationIssue, wire
from stream_guard.values.approval import Approval
from stream_guard.values.attempt import Attempt
from stream_guard.values.fix import AutoFix
from stream_guard.values.hint import RetryHint
from stream_guard.values.plain import camel, sent
from stream_guard.values.preview import Preview

EVENTS = (ValidationIssue, AutoFix, Attempt, Approval, RetryHint, Preview, ToolStatus, ToolBlock, ToolResult)

NAMES: dict[type, str] = {ToolStatus: wire.STATUS, ToolBlock: wire.BLOCK, ToolResult: wire.RESULT}
"""The events and their names; the other kinds are parts of them."""

DERIVED: dict[type, tuple[str, ...]] = {ToolBlock: ("outcome",)}
"""What is on the wire and no field: properties, by name."""

_HEAD = """\
# Events on the wire

Printed from the code by `python -m docs`; do not edit.

An event is one line of JSON. Keys are in camel case, and None is left out. A server-sent event has the name in its `event:`
and the JSON in its `data:`; in front of clients that know no events of other names, the same objects travel inside a provider's
own chunks ([streams.md](streams.md#middleware)).

    event: json-tool-status
    data: {"id":"d1a1b2c3-1","seq":1,"status":"buffering"}

    event: json-tool-block
    data: {"id":"d1a1b2c3-1","seq":4,"tool":"delete_file","path":"old.py","executable":true, ...}

    event: json-tool-result
    data: {"id":"d1a1b2c3-1","part":1,"callId":"call_d1a1b2c3-1_1","ok":true,"text":"deleted","tool":"delete_file", ...}

A guarded stream has the first two. Who runs the calls sends the third: `to_sse` takes what [`run`](running.md) yields.
Three events more have no data of the guard: `text`, whose data is a JSON string, and the ends of a stream, `done` (`{}`, or
`{"ending":"stopped"}`) or `error` (`{"message":"…"}`). `guarded_sse` and resumable streams send them, and the
[JavaScript client](../adapters/js/README.md) reads all six; events of other names are yours, and it leaves them out.

`stream-guard schema` prints the JSON Schema (2020-12) of the three events, for code generators and for tests in other
languages. Later versions may add members and values: a reader passes over what it does not know, and runs only what is
`executable` ([versions.md](versions.md#the-wire)).
"""


def schema() -> str:
    """The text of `stream_guard/events.schema.json`."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Events of stream_guard",
        "description": f"The data of the events {', '.join(f'{name} ({kind.__name__})' for kind, name in NAMES.items())}.",
        "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in NAMES],
        "$defs": {kind.__name__: _object(kind) for kind in EVENTS},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def page() -> str:
    """The text of docs/wire.md."""
    parts = [_HEAD]
    for kind in (*NAMES, *(kind for kind in EVENTS if kind not in NAMES)):
        described = _object(kind)
        title = f"`{NAMES[kind]}`: `{kind.__name__}`" if kind in NAMES else f"`{kind.__name__}`"
        rows = ["| member | type | |", "|---|---|---|"]
        for name, member in described["properties"].items():
            always = "" if name in described["required"] else "?"
            text = member["description"].replace("|", "\\|")
            rows.append(f"| `{name}`{always} | {_shown(member)} | {text} |")
        parts.append(f"## {title}\n\n{described['description']}\n\n" + "\n".join(rows) + "\n")
    parts.append("A `?` marks a member that may be left out.\n")
    return "\n".join(parts)


def _object(kind: type) -> dict[str, Any]:
    """Return the schema of one dataclass."""
    known = list(members(kind))
    return {
        "type": "object",
        "description": summary(kind),
        "properties": {member.name: {"description": member.text, **member.schema} for member in known},
        "required": [member.name for member in known if member.schema and not member.optional],
    }


class Member(NamedTuple):
    """What an event has on the wire."""

    name: str
    schema: dict[str, Any]
    optional: bool
    """Whether its type says that it may be left out."""
    text: str


def members(kind: Any) -> Iterator[Member]:
    """Yield the members of a dataclass on the wire: the fields that are sent, then what is derived of them."""
    said, hints = _descriptions(kind), get_type_hints(kind, None, {one.__name__: one for one in EVENTS})
    for field in sent(kind):
        if field.name not in said:
            raise ValueError(f"{kind.__name__}.{field.name} has no docstring: write what it is under it")
        hint = hints[field.name]
        yield Member(camel(field.name), _schema(hint), type(None) in get_args(hint), said[field.name])
    for name in DERIVED.get(kind, ()):
        derived = getattr(kind, name).fget
        yield Member(
            camel(name), _schema(get_type_hints(derived)["return"]), optional=False, text=" ".join(derived.__doc__.split())
        )


def summary(kind: type) -> str:
    """Return the first line of a dataclass's docstring."""
    return (kind.__doc__ or "").strip().splitlines()[0]


def _descriptions(kind: type) -> dict[str, str]:
    """Return what is written below each field."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found


_SIMPLE: dict[Any, dict[str, Any]] = {
    Any: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def _schema(hint: Any) -> dict[str, Any]:
    """Return the schema of a type."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return {"enum": [member.name for member in hint]}
    if isinstance(hint, type) and hint in EVENTS:
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": [value for value in inner if value is not None]}
    if origin in (Union, types.UnionType):
        kinds = [_schema(one) for one in inner if one is not type(None)]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if origin is tuple:
        return {"type": "array", "items": _schema(inner[0])}
    if origin is dict:
        return {"type": "object"}
    raise TypeError(f"no schema for {hint!r}")


def _shown(member: dict[str, Any]) -> str:
    """Return a type as the page shows it."""
    if "$ref" in member:
        return f"`{member['$ref'].rpartition('/')[2]}`"
    if "enum" in member:
        return ", ".join(f"`{value}`" for value in member["enum"])
    if "anyOf" in member:
        return " or ".join(_shown(one) for one in member["anyOf"])
    if member.get("type") == "array":
        return f"array of {_shown(member['items'])}"
    return str(member.get("type", "any"))
