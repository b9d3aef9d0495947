"""From what a block says to the calls it means, with every change on record."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.fixes.shape import calls
from stream_guard.tools.files import FILE_TOOLS


def tool(name: str, required: str = "", optional: str = "", *, risk: Risk = Risk.WRITE, **more: Any) -> Tool:
    """A tool of text fields."""
    fields = {key: {"type": "string"} for key in (required + " " + optional).split()}
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return Tool(name, "", {**schema, **more.pop("schema", {})}, risk=risk, **more)


NESTED = Tool(
    "plan_trip",
    "",
    {
        "type": "object",
        "properties": {
            "route": {
                "type": "object",
                "properties": {
                    "start": {"type": "string"},
                    "finish": {
                        "type": "object",
                        "properties": {"latitude": {"type": "number"}, "longitude": {"type": "number"}},
                    },
                },
            },
            "days": {"type": "integer"},
            "price": {"type": "number"},
            "paid": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "any": {},
            "size": {"type": ["integer", "string"]},
        },
        "required": ["route", "days"],
    },
    field_aliases={"from": "route.start", "lat": "route.finish.latitude", "length": "days", "gone": "route.start.deeper.still"},
)
TOOLS = Toolset(*FILE_TOOLS, NESTED)


def read(text: str) -> Any:
    """What an engine reads out of a text that holds an object."""
    return json.loads(text) if text.startswith(("{", "[")) else None


def shaped(value: Any, tools: Toolset = TOOLS, *, strict: bool = True, invent: bool = False) -> list[Any]:
    """The calls, and what was changed for each; what was given is left as it is."""
    kept = copy.deepcopy(value)
    found = calls(value, tools, read, strict=strict, invent=invent)
    assert value == kept
    return [(one.call, [(change.fix, change.path, change.before, change.after) for change in one.changes]) for one in found]


RM = {"tool": "delete_file", "path": "a"}
RM_TEXT = json.dumps(RM)
NAMED = {"name": "delete_file", "arguments": {"path": "a"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RM, [(RM, [])]),
        # What is none stays.
        ("text", [("text", [])]),
        (7, [(7, [])]),
        (None, [(None, [])]),
        ([], [([], [])]),
        ([1, RM], [([1, RM], [])]),
        ({}, [({}, [])]),
        # Texts, lists, envelopes.
        (RM_TEXT, [(RM, [("encoded", "", RM_TEXT, None)])]),
        ([RM, RM_TEXT], [(RM, [("array_of_calls", "", [RM, RM_TEXT], None)]), (RM, [("encoded", "", RM_TEXT, None)])]),
        (["text"], [("text", [("array_of_calls", "", ["text"], None)])]),
        (
            {"tool_calls": [RM], "id": "call_1"},
            [(RM, [("envelope", "", {"tool_calls": [RM], "id": "call_1"}, None), ("array_of_calls", "", [RM], None)])],
        ),
        ({"function": RM}, [(RM, [("envelope", "", {"function": RM}, None)])]),
        ({"function": RM, "more": 1}, [({"function": RM, "more": 1}, [])]),
        ({"function": 7}, [({"function": 7}, [])]),
        ({"tool_calls": RM_TEXT}, [({"tool_calls": RM_TEXT}, [])]),
        ([[RM]], [([[RM]], [])]),
        # As deep as anybody writes.
        (
            {"function": {"tool_call": {"functionCall": RM}}},
            [
                (
                    RM,
                    [
                        ("envelope", "", {"function": {"tool_call": {"functionCall": RM}}}, None),
                        ("envelope", "", {"tool_call": {"functionCall": RM}}, None),
                        ("envelope", "", {"functionCall": RM}, None),
                    ],
                )
            ],
        ),
        (
            {"function": {"tool_call": {"functionCall": RM_TEXT}}},
            [
                (
                    {"functionCall": RM_TEXT},
                    [
                        ("envelope", "", {"function": {"tool_call": {"functionCall": RM_TEXT}}}, None),
                        ("envelope", "", {"tool_call": {"functionCall": RM_TEXT}}, None),
                    ],
                )
            ],
        ),
        # Name and arguments in fields of their own.
        (NAMED, [(RM, [("envelope", "", NAMED, RM)])]),
        ({**NAMED, "id": "fc_1", "type": "call"}, [(RM, [("envelope", "", {**NAMED, "id": "fc_1", "type": "call"}, RM)])]),
        (
            {**NAMED, "more": 1},
            [(None, [])],
        ),
        (
            {"name": "rm", "input": {"path": "a"}},
            [
                (
                    RM,
                    [
                        ("envelope", "", {"name": "rm", "input": {"path": "a"}}, {"tool": "rm", "path": "a"}),
                        ("tool_name", "tool", "rm", "delete_file"),
                    ],
                )
            ],
        ),
        (
            {"name": "delete_file", "args": '{"path": "a"}'},
            [
                (
                    RM,
                    [
                        ("encoded", "args", '{"path": "a"}', {"path": "a"}),
                        ("envelope", "", {"name": "delete_file", "args": '{"path": "a"}'}, RM),
                    ],
                )
            ],
        ),
        ({"tool": "delete_file", "args": "[1]"}, [({"tool": "delete_file", "args": "[1]"}, [])]),
        ({"tool": "delete_file", "args": "text"}, [({"tool": "delete_file", "args": "text"}, [])]),
        (
            {"name": "delete_file", "args": {"tool": "delete_file", "path": "a"}},
            [(RM, [("envelope", "", {"name": "delete_file", "args": RM}, RM)])],
        ),
        (
            {"name": "delete_file", "args": {"tool": "write_file", "path": "a"}},
            [(None, [])],
        ),
        ({"delete_file": {"path": "a"}}, [(RM, [("envelope", "", {"delete_file": {"path": "a"}}, RM)])]),
        ({"delete_file": {"path": "a"}, "x": 1}, [({"delete_file": {"path": "a"}, "x": 1}, [])]),
        ({"delete_file": "a"}, [({"delete_file": "a"}, [])]),
        ({"delete": {"path": "a"}}, [({"delete": {"path": "a"}}, [])]),
        ({"action": "delete_file", "path": "a"}, [(RM, [("field_name", "tool", "action", "tool")])]),
        (
            {"name": "nothing", "action": "rm", "path": "a"},
            [(None, [])],
        ),
        ({"name": "delete_file", "tool": 7, "path": "a"}, [({"name": "delete_file", "tool": 7, "path": "a"}, [])]),
        ({"name": 7, "path": "a"}, [({"name": 7, "path": "a"}, [])]),
        ({"name": "nothing", "path": "a"}, [({"name": "nothing", "path": "a"}, [])]),
    ],
)
def test_calls_come_out_of_their_envelopes(value: Any, expected: Any) -> None:
    assert shaped(value) == expected


def test_an_envelope_deeper_than_anybody_writes_is_not_opened() -> None:
    """What it holds is taken as it is."""
    for three in ({"function": {"tool_call": [NAMED]}}, {"function": [json.dumps(NAMED)]}):
        ((call, _),) = shaped(three)
        assert call == RM
        ((call, _),) = shaped({"tool_use": three})
        assert call == NAMED


def test_an_envelopes_name_may_be_a_field_of_the_tool() -> None:
    """Then it is what it is."""
    tools = Toolset(tool("rename", "name", "tool_name input"), tool("other", "x"))
    for value in ({"tool_name": "rename", "name": "other"}, {"tool": "rename", "name": "other", "input": "x"}):
        assert shaped(value, tools) == [(value, [])]
    value = {"action": "rename", "input": "{}", "name": "x"}
    assert shaped(value, tools) == [
        ({"tool": "rename", "input": "{}", "name": "x"}, [("field_name", "tool", "action", "tool")])
    ]


WRITE = {"tool": "write_file", "path": "a", "content": "x"}


@pytest.mark.parametrize(
    ("value", "call", "changes"),
    [
        # The tool's name.
        ({**WRITE, "tool": "create_file"}, WRITE, [("tool_name", "tool", "create_file", "write_file")]),
        ({**WRITE, "tool": "writeFile"}, WRITE, [("tool_name", "tool", "writeFile", "write_file")]),
        ({**WRITE, "tool": "wrte_file"}, WRITE, [("tool_name", "tool", "wrte_file", "write_file")]),
        ({**WRITE, "tool": "update_file"}, {**WRITE, "tool": "edit_file"}, [("tool_name", "tool", "update_file", "edit_file")]),
        ({"tool": "patch_file", "path": "a"}, None, []),
        ({"tool": "delete_fle", "path": "a"}, None, []),
        ({"tool": "DeleteFile", "path": "a"}, RM, [("tool_name", "tool", "DeleteFile", "delete_file")]),
        ({"tool": 7, "path": "a", "content": "x"}, None, []),
        ({"path": "a", "content": "x"}, None, []),
        ({"path": "a"}, None, []),
        ({"path": "a", "content": "x", "more": 1}, None, []),
        # Its fields.
        (
            {"tool": "write_file", "file_path": "a", "code": "x"},
            WRITE,
            [("field_name", "path", "file_path", "path"), ("field_name", "content", "code", "content")],
        ),
        ({"tool": "write_file", "path": "a", "contents": "x"}, WRITE, [("field_name", "content", "contents", "content")]),
        (
            {"tool": "write_file", "Path": "a", "contnet": "x"},
            WRITE,
            [("field_name", "path", "Path", "path"), ("field_name", "content", "contnet", "content")],
        ),
        ({**WRITE, "file_path": "b"}, None, []),
        (
            {"tool": "write_file", "file_path": "b", "filename": "a", "content": "x"},
            None,
            [("field_name", "path", "file_path", "path")],
        ),
        ({**WRITE, "more": 1}, None, []),
        # Remarks.
        (
            {**WRITE, "thought": "ok", "id": "call_3"},
            WRITE,
            [("extra_field", "thought", "ok", None), ("extra_field", "id", "call_3", None)],
        ),
        # Inside.
        (
            {"tool": "edit_file", "path": "a", "old": "x", "new": "y"},
            {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x", "new_string": "y"}},
            [
                ("field_name", "search_replace.old_string", "old", "search_replace.old_string"),
                ("field_name", "search_replace.new_string", "new", "search_replace.new_string"),
            ],
        ),
        (
            {"tool": "edit_file", "path": "a", "edit": {"find": "x", "NewString": "y"}},
            {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x", "new_string": "y"}},
            [
                ("field_name", "search_replace", "edit", "search_replace"),
                ("field_name", "search_replace.old_string", "find", "old_string"),
                ("field_name", "search_replace.new_string", "NewString", "new_string"),
            ],
        ),
        ({"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x"}, "new": "y"}, None, []),
        (
            {"tool": "edit_file", "path": "a", "search_replace": {"old": "x", "old_str": "y", "new_string": "z"}},
            None,
            [("field_name", "search_replace.old_string", "old", "old_string")],
        ),
        ({"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x", "old": "y"}}, None, []),
        (
            {"tool": "plan_trip", "from": "x", "length": "3", "lat": "1.5"},
            {"tool": "plan_trip", "route": {"start": "x", "finish": {"latitude": 1.5}}, "days": 3},
            [
                ("field_name", "route.start", "from", "route.start"),
                ("field_name", "days", "length", "days"),
                ("field_name", "route.finish.latitude", "lat", "route.finish.latitude"),
                ("coercion", "route.finish.latitude", "1.5", 1.5),
                ("coercion", "days", "3", 3),
            ],
        ),
        (
            {"tool": "plan_trip", "route": {"Start": "x", "finish": {"Latitude": 1.5, "lat": 2, "width": 3}}, "days": "3"},
            {"tool": "plan_trip", "route": {"start": "x", "finish": {"latitude": 1.5, "lat": 2, "width": 3}}, "days": 3},
            [
                ("field_name", "route.start", "Start", "start"),
                ("field_name", "route.finish.latitude", "Latitude", "latitude"),
                ("coercion", "days", "3", 3),
            ],
        ),
        (
            {"tool": "plan_trip", "route": {"finish": {"lat": 2}}, "days": "3"},
            {"tool": "plan_trip", "route": {"finish": {"latitude": 2}}, "days": 3},
            [("field_name", "route.finish.latitude", "lat", "latitude"), ("coercion", "days", "3", 3)],
        ),
        (
            {"tool": "plan_trip", "gone": "x", "from": "y", "days": 3},
            {"tool": "plan_trip", "gone": "x", "route": {"start": "y"}, "days": 3},
            [("field_name", "route.start", "from", "route.start")],
        ),
        (
            {"tool": "plan_trip", "lat": 1, "from": "y", "days": 3},
            {"tool": "plan_trip", "route": {"finish": {"latitude": 1}, "start": "y"}, "days": 3},
            [
                ("field_name", "route.finish.latitude", "lat", "route.finish.latitude"),
                ("field_name", "route.start", "from", "route.start"),
            ],
        ),
        # Values.
        (
            {
                "tool": "plan_trip",
                "route": {"finish": {"latitude": "1.5", "x": "2"}},
                "days": "3",
                "price": "2.50",
                "paid": "true",
            },
            {"tool": "plan_trip", "route": {"finish": {"latitude": 1.5, "x": "2"}}, "days": 3, "price": 2.5, "paid": True},
            [
                ("coercion", "route.finish.latitude", "1.5", 1.5),
                ("coercion", "days", "3", 3),
                ("coercion", "price", "2.50", 2.5),
                ("coercion", "paid", "true", True),
            ],
        ),
        (
            {"tool": "plan_trip", "days": "1.0", "price": "7", "paid": "True", "route": "x"},
            {"tool": "plan_trip", "days": "1.0", "price": 7, "paid": True, "route": "x"},
            [("coercion", "price", "7", 7), ("coercion", "paid", "True", True)],
        ),
        ({"tool": "plan_trip", "days": "true", "price": "true", "paid": "1"}, None, []),
        ({"tool": "plan_trip", "days": " 1", "price": "1e3", "paid": " false"}, None, []),
        ({"tool": "plan_trip", "note": "1", "any": "2", "size": "3", "days": 2.0}, None, []),
        ({"tool": "plan_trip", "note": 1, "any": 2, "size": True, "days": None}, None, []),
        ({**WRITE, "content": 1.5}, {**WRITE, "content": "1.5"}, [("coercion", "content", 1.5, "1.5")]),
        ({**WRITE, "content": True}, None, []),
        ({**WRITE, "content": False}, None, []),
        ({**WRITE, "content": 0}, {**WRITE, "content": "0"}, [("coercion", "content", 0, "0")]),
        ({**WRITE, "content": None}, None, []),
        ({**WRITE, "content": ["x"]}, None, []),
        ({**WRITE, "content": "a\tb"}, None, []),
        (
            {**WRITE, "path": "C:\tb\x08in\new\x0cor\run"},
            {**WRITE, "path": "C:\\tb\\bin\\new\\for\\run"},
            [("path_escape", "path", "C:\tb\x08in\new\x0cor\run", "C:\\tb\\bin\\new\\for\\run")],
        ),
        ({**WRITE, "path": "a\tb\r"}, {**WRITE, "path": "a\tb\r"}, []),  # at its end it is no lost backslash
        ({**WRITE, "path": 3}, {**WRITE, "path": "3"}, [("coercion", "path", 3, "3")]),
    ],
)
def test_a_call_comes_under_the_tools_own_names(value: Any, call: Any, changes: Any) -> None:
    """None for a call: but for the changes that are on record it stays as it is, and the schema says what is wrong with it."""
    ((made, record),) = shaped(value)
    if call is not None:
        assert (made, next(iter(made))) == (call, "tool")
        assert [type(item) for item in made.values()] == [type(item) for item in call.values()]
    elif not changes:
        assert made == value
    if changes is not None:
        assert record == changes


def test_from_what_was_no_json_no_remark_is_dropped() -> None:
    """It may be the rest of a string."""
    value = {**WRITE, "thought": "ok"}
    assert shaped(value, strict=False) == [(value, [])]


def test_an_alias_of_several_words_is_followed_only_where_it_leads() -> None:
    """A table may be wrong about the schema; then nothing is moved and nothing lost."""
    wrong = tool("save", "path", field_aliases={"old": "nowhere.at_all", "where": "path", "new": "path.end"})
    assert shaped({"tool": "save", "old": "x", "where": "y", "new": "z"}, Toolset(wrong)) == [
        ({"tool": "save", "old": "x", "path": "y", "new": "z"}, [("field_name", "path", "where", "path")])
    ]


@pytest.mark.parametrize("key", ["data", "params", "payload", "kwargs", "body", "new"])
@pytest.mark.parametrize(
    "held", [{"text": "x"}, {"Text": "x"}, {"texts": "x"}, {"a": {"text": "x"}}, [{"text": "x"}], '{"text": "x"}']
)
def test_nothing_is_made_up_for_what_stands_in_another_member(key: str, held: Any) -> None:
    open_ = Tool(
        "save",
        "",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
            "required": ["path", "text"],
        },
    )
    for call in shaped({"tool": "save", "path": "a", key: held}, Toolset(open_), invent=True):
        assert call[0].get("text") != ""


def test_what_is_missing_is_made_up_only_when_that_is_asked_for() -> None:
    """And only a text without rules."""
    tools = Toolset(tool("save", "path text", "note"))
    assert shaped({"tool": "save", "path": "a"}, tools) == [({"tool": "save", "path": "a"}, [])]
    assert shaped({"tool": "save", "path": "a"}, tools, invent=True) == [
        ({"tool": "save", "path": "a", "text": ""}, [("missing_field", "text", None, "")])
    ]
    mixed = Tool(
        "save",
        "",
        {
            "type": "object",
            "properties": {
                "count": {"type": "integer"},
                "long": {"type": "string", "minLength": 1},
                "text": {"type": "string"},
                "free": {"type": "string"},
                "wide": {"type": ["string", "null"]},
            },
            "required": ["count", "long", "text", "wide"],
        },
    )
    assert shaped({"tool": "save"}, Toolset(mixed), invent=True) == [
        ({"tool": "save", "text": ""}, [("missing_field", "text", None, "")])
    ]


def test_an_alias_leads_to_its_tool_and_to_no_other() -> None:
    """Whatever was given with it: another operation is another call."""
    one, two = tool("save_note", "title text", aliases=("store",)), tool("save_image", "title pixels")
    drop = tool("drop_all", "title why", risk=Risk.DESTRUCTIVE)
    tools = Toolset(one, two, drop)
    for key in ("text", "pixels", "why"):
        given = {"tool": "store", "title": "t", key: "x"}
        assert shaped(given, tools)[0] == ({**given, "tool": "save_note"}, [("tool_name", "tool", "store", "save_note")])
    both = Toolset(one, tool("save_photo", "title pixels", aliases=("store",)))
    assert shaped({"tool": "store", "title": "t"}, both) == [({"tool": "store", "title": "t"}, [])]


def test_a_tool_that_nobody_named_is_made_up_only_where_that_is_asked_for() -> None:
    """And then only the one that takes exactly these fields, more than one of them, and takes nothing away."""
    small, large, drop = (
        tool("get", "key"),
        tool("put", "key content", "note", field_aliases={"text": "content"}),
        tool("drop", "key reason", risk=Risk.DESTRUCTIVE),
    )
    tools = Toolset(small, large, drop)
    given = {"key": "k", "content": "v"}
    assert shaped(given, tools) == [(given, [])]
    assert shaped(given, tools, invent=True)[0] == ({"tool": "put", **given}, [("missing_tool", "tool", None, "put")])
    for value in ({**given, "id": "call_1", "note": "n"}, {"Key": "k", "text": "v"}, {**given, "type": "function"}):
        assert shaped(value, tools, invent=True)[0][0]["tool"] == "put"
    for value in (
        {"key": "k"},
        {"key": "k", "reason": "r"},
        {"key": "k", "note": "n"},
        {**given, "more": "m"},
        {"key": "k", "contnet": "v"},
        {**given, "type": "drop"},
        {**given, "name": "put"},
    ):
        assert not any(change[0] == "missing_tool" for _, changes in shaped(value, tools, invent=True) for change in changes)
    assert shaped(given, Toolset(large, tool("set", "key content")), invent=True) == [(given, [])]


@pytest.mark.parametrize(
    "value",
    [
        {"tool": "write_file", "name": "delete_file", "path": "a", "content": "x"},
        {"tool": "write_file", "function": "frobnicate", "path": "a", "content": "x"},
        {"name": "write_file", "arguments": {"tool": "delete_file", "path": "a", "content": "x"}},
        {"name": "write_file", "arguments": {"name": "edit_file", "path": "a", "content": "x"}},
        {"name": "write_file", "arguments": '{"function": "rm", "path": "a"}'},
        {"tool": "write_file", "type": "delete_file", "path": "a", "content": "x"},
        {"write_file": {"tool": "delete_file", "path": "a"}},
        {"type": "delete_file", "tool_call": {"tool": "write_file", "path": "a", "content": "x"}},
        {"type": "delete_file", "function": {"name": "write_file", "arguments": {"path": "a", "content": "x"}}},
        {"tool_calls": [{"type": "rm", "function": {"name": "write_file", "arguments": {"path": "a", "content": "x"}}}]},
        {"tool": "frobnicate", "name": "write_file", "path": "a", "content": "x"},
    ],
)
def test_a_call_that_is_named_twice_and_not_alike_is_none(value: Any) -> None:
    assert [call for call, _ in shaped(value)] == [None]
    assert [call for call, _ in shaped([value])] == [None]


def test_a_call_that_is_named_twice_and_alike_is_one() -> None:
    inner = {"tool": "writeFile", "path": "a", "content": "x"}
    for value in (
        {"name": "write_file", "arguments": inner},
        {"write_file": inner},
        {"tool": "create_file", "type": "function", "arguments": inner},
    ):
        assert shaped(value)[0][0] == WRITE


# Two calls that became one: what is left of `tool` is a member of an open tool, and the name stands under another key.


def an_open(name: str, *fields: str, required: tuple[str, ...] = ()) -> Tool:
    """A tool that takes any member."""
    listed: Any = {field: {"type": ["string", "object"]} for field in fields}
    schema = {"type": "object", "properties": listed, "required": list(required)}
    return Tool(name, "", schema, risk=Risk.WRITE, aliases=(f"{name}_alias",))


OPEN = Toolset(an_open("search"), an_open("run", "topic", "mode"), an_open("delegate", "topic", "then"))
LEFT = ("bel", "ol", "queryool", "contl", "x", "toolx y")
"""Keys that a lost stretch leaves of two."""

NAMING = ("tool_name", "name", "function", "action")
OTHER_CALLS: list[Any] = [
    *("search", "run", "delegate", "run_alias", "Run"),
    *({"name": "run", "arguments": {}}, {"tool": "search", "q": "x"}, [{"name": "run", "arguments": {"topic": "x"}}]),
]


def ways_to_name(tool: str, members: dict[str, Any]) -> list[str]:
    """Texts of a call whose name stands in another place than under `tool`, with these members beside it or in it."""
    written = [{key: tool, **members} for key in NAMING] + [{**members, key: tool} for key in NAMING]
    return [*map(json.dumps, written), f"{tool}({json.dumps(members)})"]


BESIDE: tuple[dict[str, Any], ...] = ({}, {"topic": "a"}, {"x2": 1})


@pytest.mark.some(10)
@pytest.mark.promise("P8")
@pytest.mark.parametrize("held", OTHER_CALLS, ids=repr)
@pytest.mark.parametrize("key", LEFT)
def test_a_member_that_no_tool_lists_and_that_names_a_tool_is_left_of_another_call(key: str, held: Any) -> None:
    guard = Guard(OPEN)
    ran = [
        text
        for tool, beside in product(OPEN.names, BESIDE)
        for text in ways_to_name(tool, {**beside, key: held})
        if guard.check(text).executable or guard.check(text[:-1] + ",}" if text.endswith("}") else text).executable
    ]
    assert not ran


@pytest.mark.promise("P7")
@pytest.mark.parametrize("held", ["search", "run", "delegate", "run_alias", "Run"])
@pytest.mark.parametrize("key", ["topic", "Topic"])
def test_a_field_that_the_tool_lists_may_hold_the_name_of_a_tool(key: str, held: str) -> None:
    """Also in another spelling, which is followed where the field has to be there."""
    tools = Toolset(*OPEN, an_open("ask", "topic", required=("topic",)))
    for tool in ("ask",) if key == "Topic" else ("ask", "run", "delegate"):
        for text in ways_to_name(tool, {key: held, "extra": "x"}):
            call = Guard(tools).check(text).call
            assert call is not None, text
            assert (call.tool, call.arguments) == (tool, {"topic": held, "extra": "x"})


@pytest.mark.some(10)
@pytest.mark.promise("P7")
@pytest.mark.parametrize("key", LEFT)
@pytest.mark.parametrize("held", ["searching", "the run", "", 7, None, ["search"], {"q": "search"}], ids=repr)
def test_a_member_that_no_tool_lists_may_hold_anything_else(key: str, held: Any) -> None:
    """An object stands beside others: alone it may hold all arguments."""
    for text in ways_to_name("run", {key: held, "mode": "fast"}):
        call = Guard(OPEN).check(text).call
        assert call is not None, text
        assert call.arguments == {key: held, "mode": "fast"}


@pytest.mark.promise("P7")
@pytest.mark.parametrize("key", ["x", "language"])
@pytest.mark.parametrize("tool", OPEN.names)
def test_such_a_member_is_an_argument_where_the_name_stands_in_its_place(tool: str, key: str) -> None:
    """Under `tool`, or in an envelope that has the arguments in an object of their own."""
    for text in (
        f'{{"tool": "{tool}", "{key}": "search"}}',
        f'{{"tool": "{tool}", "{key}": "search",}}',
        f'{{"name": "{tool}", "arguments": {{"{key}": "search"}}}}',
    ):
        call = Guard(OPEN).check(text).call
        assert call is not None, text
        assert call.arguments == {key: "search"}


@pytest.mark.promise("P8")
@pytest.mark.parametrize("key", ["argumrguments", "argool", "x", "queryuments"])
@pytest.mark.parametrize("naming", NAMING)
def test_an_object_under_what_may_be_left_of_a_key_for_the_arguments_is_no_argument(naming: str, key: str) -> None:
    guard = Guard(OPEN)
    for tool in OPEN.names:
        assert not guard.check(json.dumps({naming: tool, key: {"count": 30}})).executable
    assert guard.check(json.dumps({naming: "run", "topic": {"count": 30}})).executable  # the tool lists it
    assert guard.check(json.dumps({naming: "run", "topic": "a", key: {"count": 30}})).executable  # there is more


def test_the_function_that_is_called_names_the_tool() -> None:
    """Unless what it is called with names another one."""

    def called(value: Any, callee: str) -> Any:
        (found,) = calls(value, TOOLS, read, strict=False, callee=callee)
        return found.call

    arguments = {"path": "a", "content": "x"}
    assert called(arguments, "write_file") == called({"tool": "write_file", **arguments}, "createFile") == WRITE
    assert called({"arguments": arguments}, "write_file") == WRITE
    assert called({"tool": "delete_file", **arguments}, "write_file") is None
    assert called({"name": "delete_file", "arguments": arguments}, "write_file") is None
    assert called(["a"], "write_file") is None


@pytest.mark.parametrize(
    "value",
    [
        {"tool": "write_file", "path": ["a", "b"]},
        {"tool": "write_file", "path": ["a", "b"], "content": "x"},
        {"tool": "delete_file", "path": []},
        {"tool": "delete_file", "path": ["a", 1]},
        {"tool": "delete_file", "path": ["a", "b"], "more": 1},
        {"tool": "delete_file", "path": {"a": 1}},
        {"tool": "delete_file"},
    ],
)
def test_what_is_no_list_of_paths_is_one_call(value: Any) -> None:
    assert shaped(value) == [(value, [])]


def test_a_list_of_paths_is_a_call_for_each() -> None:
    """With the record on the first."""
    given = {"tool": "rm", "path": ["a", "b", "c"]}
    assert shaped(given) == [
        (RM, [("tool_name", "tool", "rm", "delete_file"), ("list_of_paths", "path", ["a", "b", "c"], None)]),
        ({**RM, "path": "b"}, []),
        ({**RM, "path": "c"}, []),
    ]


def a(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


PLACE = a("object", properties={"street": a("string"), "city": a("string")}, required=["street"], additionalProperties=False)
ITEM = a("object", properties={"name": a("string"), "count": a("integer")}, required=["name"], additionalProperties=False)
ORDER = Tool(
    "order",
    "",
    a(
        "object",
        properties={
            "items": a("array", items=ITEM),
            "to": a("array", items=a("string")),
            "sizes": a("array", items=a("integer")),
            "place": PLACE,
            "gift": a("boolean"),
            "price": a("number"),
            "days": {"anyOf": [a("integer"), a("null")]},
            "rush": {"anyOf": [a("boolean"), a("null")]},
            "speed": {"enum": ["slow", "Fast"]},
            "power": {"enum": ["on", "off"]},
            "note": a("string"),
            "body": a("string"),
            "limit": a("integer"),
            "lang": a("string", default="en"),
            "due": a("string", pattern="^[0-9-]+$"),
            "day": a("string", pattern=r"^\d{4}-\d{2}-\d{2}$"),
            "at": a("string", pattern=r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?$"),
            "stamp": a("string", format="date-time"),
            "date": a("string", format="date"),
            "odd": a("string", pattern=r"\p{L}"),
            "tags": {"type": "object", "additionalProperties": a("string")},
        },
        additionalProperties=False,
    ),
)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        # A value as the one kind that its field takes.
        ({"days": "3", "rush": "True"}, {"days": 3, "rush": True}),
        ({"days": "null", "rush": "None"}, {"days": None, "rush": None}),
        ({"price": "120.50"}, {"price": 120.5}),
        ({"price": "2.00"}, {"price": 2.0}),
        ({"price": "1234.500"}, {"price": 1234.5}),
        ({"price": "1.250"}, None),  # a point may stand between thousands
        ({"price": "1.25"}, {"price": 1.25}),
        ({"gift": 1}, {"gift": True}),
        ({"gift": 2}, None),
        ({"gift": 1.0}, None),
        ({"gift": "yes"}, None),
        ({"speed": "fast"}, {"speed": "Fast"}),
        ({"speed": "fats"}, None),
        ({"power": False}, {"power": "off"}),
        ({"speed": False}, None),
        ({"sizes": ["1", 2]}, {"sizes": [1, 2]}),
        ({"items": [{"name": "x", "count": "2"}]}, {"items": [{"name": "x", "count": 2}]}),
        ({"items": [{"Name": "x"}]}, {"items": [{"name": "x"}]}),
        ({"tags": {"a": 1}}, {"tags": {"a": "1"}}),
        # One item for a list, and one for its item.
        ({"to": "a@b.co"}, {"to": ["a@b.co"]}),
        ({"to": "a@b.co, c@d.co"}, {"to": ["a@b.co", "c@d.co"]}),
        ({"to": "Ann, Bob"}, None),
        ({"to": "two words"}, None),
        ({"to": ""}, None),
        ({"sizes": 3}, {"sizes": [3]}),
        ({"sizes": True}, None),
        ({"items": {"name": "x"}}, {"items": [{"name": "x"}]}),
        ({"items": {"count": 1}}, None),
        ({"items": {"name": "x", "other": 1}}, None),
        ({"place": [{"street": "x"}]}, {"place": {"street": "x"}}),
        ({"place": [{"street": "x"}, {"street": "y"}]}, None),
        ({"place": [{"city": "x"}]}, None),
        ({"tags": [{"key": "a", "value": "b"}]}, None),
        ({"tags": [{"a": "b"}]}, None),
        ({"due": ["1-2"]}, {"due": "1-2"}),
        ({"note": [None]}, None),
        ({"body": ["x"]}, None),
        # A value in an object.
        ({"gift": {"value": True}}, {"gift": True}),
        ({"note": {"type": "string", "value": "x"}}, {"note": "x"}),
        ({"note": {"type": "integer", "value": "x"}}, None),
        ({"note": {"value": 1}}, None),
        ({"note": {"value": "x", "more": 1}}, None),
        ({"limit": {"value": "1"}}, None),
        ({"power": {"value": "On"}}, {"power": "on"}),
        ({"to": [{"email": "a@example.com"}, {"value": "b"}]}, {"to": ["a@example.com", "b"]}),
        ({"to": [{"email": "a"}]}, None),
        ({"to": [{"name": "a@example.com"}]}, None),
        # The forms of a date.
        ({"day": "2025-03-14T00:00:00Z"}, {"day": "2025-03-14"}),
        ({"day": "2025-03-14T00:01"}, None),
        ({"day": "2025-03-14T00:00:00+02:00"}, None),
        ({"at": "2025-03-14 10:00"}, {"at": "2025-03-14T10:00"}),
        ({"at": "2025-03-14T00:00"}, None),
        ({"stamp": "2025-03-14 10:00:00Z"}, {"stamp": "2025-03-14T10:00:00Z"}),
        ({"stamp": "2025-03-14 10:00:00"}, None),
        ({"date": "2025-03-14 00:00"}, {"date": "2025-03-14"}),
        ({"odd": "2025-03-14 10:00"}, None),
        ({"note": "2025-03-14 10:00"}, None),
        # JSON in a text.
        ({"to": '["a", "b"]'}, {"to": ["a", "b"]}),
        ({"to": "['a']"}, None),
        ({"place": '{"street": "x"}'}, {"place": {"street": "x"}}),
        ({"place": '["x"]'}, None),
        # One level too high.
        ({"street": "x", "city": "y"}, None),
        ({"place.street": "x"}, {"place": {"street": "x"}}),
        ({"city": "y"}, None),
        ({"place": {}, "street": "x"}, None),
    ],
)
def test_a_value_of_another_shape_is_taken_where_nothing_else_can_be_meant(given: Any, taken: Any) -> None:
    """None: it stays as it is, and the schema says what is wrong with it."""
    ((made, record),) = shaped({"tool": "order", **given}, Toolset(ORDER))
    wanted = given if taken is None else taken
    assert made == {"tool": "order", **wanted}
    assert [type(item) for item in made.values()] == [str, *map(type, wanted.values())]
    assert bool(record) is (given != wanted or [*map(type, given.values())] != [*map(type, wanted.values())])


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"note": None, "place": None}, {}),
        ({"gift": None}, None),
        ({"limit": None}, None),
        ({"lang": None}, None),
        ({"speed": None}, None),
        ({"due": "null"}, {}),
        ({"note": "null"}, None),
    ],
)
def test_a_null_is_nothing_to_a_tool_that_changes_nothing(given: Any, taken: Any) -> None:
    """Any other tool may be asked to clear a field, to lift a bound, or to choose nothing, whatever its name is."""
    for risk, wanted in ((Risk.READ, taken), (Risk.WRITE, None), (Risk.DESTRUCTIVE, None)):
        ((made, record),) = shaped({"tool": "order", **given}, Toolset(replace(ORDER, risk=risk)))
        assert made == {"tool": "order", **(given if wanted is None else wanted)}
        assert [change[0] for change in record] == ["null_field"] * (0 if wanted is None else len(given))


@pytest.mark.parametrize(
    ("about", "dropped"),
    [
        (a("string", default=None), True),
        (a("boolean", default=None), True),
        ({"enum": ["a", "b"], "default": None}, True),
        (a("string"), False),
        (a("string", default=""), False),
        ({"allOf": [a("string", default=None), {"default": "x"}]}, False),
        ({"type": ["string", "null"], "default": None}, False),  # a value like any other
        ({"anyOf": [a("string"), a("null")], "default": None}, False),
        ({"enum": ["a", None], "default": None}, False),
        ({"default": None}, False),
    ],
)
@pytest.mark.parametrize("name", ["update_user", "create_user", "reassign", "limit"])
def test_a_null_is_nothing_where_it_is_the_default(name: str, about: Any, dropped: bool) -> None:
    fields = a("object", properties={"id": a("string"), "limit": about}, required=["id"])
    for risk, wanted in ((Risk.WRITE, dropped), (Risk.DESTRUCTIVE, False)):
        ((made, _),) = shaped({"tool": name, "id": "x", "limit": None}, Toolset(Tool(name, "", fields, risk=risk)))
        assert ("limit" not in made) is wanted


def test_several_changes_of_a_file_are_several_calls() -> None:
    edits = [{"old": "x", "new_string": "y"}, {"old_string": "v", "new_string": "w"}]
    first, second = shaped({"tool": "edit_file", "path": "a", "edits": edits})
    assert first[0] == {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x", "new_string": "y"}}
    assert second == ({"tool": "edit_file", "path": "a", "search_replace": edits[1]}, [])
    assert [change[0] for change in first[1]] == ["field_name", "field_name", "list_of_edits"]


@pytest.mark.parametrize(
    ("key", "read_as"),
    [
        ("version", "1.5"),
        ("invoice_id", "1.5"),
        ("content", "1.5"),
        ("start", 1.5),
        ("dueDate", 1.5),
        ("host", 1.5),
        ("phone", 1.5),
    ],
)
def test_a_number_is_no_damaged_date_or_address(key: str, read_as: Any) -> None:
    tools = Toolset(tool("put", f"name {key}"))
    assert shaped({"tool": "put", "name": "x", key: 1.5}, tools)[0][0][key] == read_as


ARGUMENTS = {"title": "x", "place": "y"}


@pytest.mark.parametrize(
    ("key", "inner", "opened"),
    [
        ("event", ARGUMENTS, True),
        ("properties", ARGUMENTS, True),
        ("event", {"title": "x"}, True),
        ("event", {"place": "y"}, False),  # a required field is missing
        ("event", {**ARGUMENTS, "more": 1}, False),
        ("add", ARGUMENTS, False),  # what the tool does, and not to what
        ("example", ARGUMENTS, False),
        ("properties", {"title": {"type": "string"}, "place": {"type": "string"}}, False),  # a schema
        ("Title", ARGUMENTS, False),  # a field of the tool
        ("event", "x", False),
    ],
)
def test_arguments_may_stand_in_an_object_that_is_named_like_what_the_tool_is_about(key: str, inner: Any, opened: bool) -> None:
    value = {"tool": "add_event", key: inner}
    ((made, record),) = shaped(value, Toolset(tool("add_event", "title", "place")))
    assert ("envelope" in {change[0] for change in record}) is opened
    assert (made == {"tool": "add_event", **(inner if isinstance(inner, dict) else {})}) is opened
    ((_, record),) = shaped(value, Toolset(tool("add_event", "title", "place", risk=Risk.DESTRUCTIVE)))
    assert "envelope" not in {change[0] for change in record}


@pytest.mark.parametrize(
    ("path", "content", "text"),
    [
        ("a.json", {"b": [1, "é"]}, '{"b": [1, "é"]}'),
        ("a.json", {"b": 1.5}, None),
        ("a.json", ["x"], None),
        ("a.py", {"b": 1}, None),
    ],
)
def test_an_object_in_place_of_the_text_of_a_json_file_is_that_text(path: str, content: Any, text: str | None) -> None:
    for tools in (TOOLS, Toolset(tool("write_file", "path content"))):
        ((made, _),) = shaped({"tool": "write_file", "path": path, "content": content}, tools)
        assert made["content"] == (content if text is None else text)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    ("required", "optional", "risk", "more"),
    [
        ("path query", "", Risk.READ, {}), ("path filter", "", Risk.READ, {}), ("path content", "", Risk.READ, {}),
        ("path content", "", Risk.DESTRUCTIVE, {}), ("path message", "", Risk.WRITE, {}), ("path new", "", Risk.WRITE, {}),
        ("path", "content", Risk.WRITE, {}), ("path old content", "", Risk.WRITE, {"old": "x"}),
        ("path content", "after", Risk.WRITE, {"after": "line 3"}),
    ],
)  # fmt: skip
def test_an_object_beside_the_path_of_a_json_file_is_not_always_its_text(
    required: str, optional: str, risk: Risk, more: dict[str, Any]
) -> None:
    """A tool that reads asks something of the file, and one that takes more than a path and the content writes a piece."""
    field = next(name for name in ("content", *required.split()[::-1]) if name in f"{required} {optional}".split())
    tools = Toolset(tool("use_file", required, optional, risk=risk))
    ((made, _),) = shaped({"tool": "use_file", "path": "a.json", field: {"b": 1}, **more}, tools)
    assert made[field] == {"b": 1}


# -- what fills the place of a value -----------------------------------------------------------------------------------


LIST: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
STREET: dict[str, Any] = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}
CHANGED: dict[str, Any] = {
    "email": {"type": "string"},
    "roles": LIST,
    "sizes": {"type": "array", "items": {"type": "string", "enum": ["small", "large"]}},
    "active": {"type": "boolean"},
    "age": {"type": "integer"},
    "place": STREET,
    "places": {"type": "array", "items": STREET},
}
WORDS_OF_FILLERS = """
    unchanged keep keep_existing as-is same removed blank skip remain existing current retain inherit omitted cleared reset
    previous original pending optional string placeholder xxx unverändert behalten inchangé sin-cambios そのまま без_изменений
"""
FILLERS: list[dict[str, Any]] = [
    *({"roles": word} for word in WORDS_OF_FILLERS.split()),
    *({"email": filler} for filler in (0, 0.0, [""], {"value": ""}, {"type": "string", "value": ""})),
    *({"age": filler} for filler in ([0], {"value": 0}, {"type": "integer", "value": 0})),
    *({"active": filler} for filler in (0, [False], {"value": False}, [0])),
    *({"place": {"street": filler}} for filler in (0, [""], {"value": ""})),
    *({"places": filler} for filler in ([{"street": 0}], {"street": ""}, {"street": 0})),
]
SAID: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *(({"roles": word}, {"roles": [word]}) for word in ("@anna", "team7", "a@b.example", "docs:read", "v1.2", "#7")),
    ({"sizes": "small"}, {"sizes": ["small"]}),
    ({"roles": '["keep"]'}, {"roles": ["keep"]}),
    ({"email": 7}, {"email": "7"}),
    ({"email": ["a@b.example"]}, {"email": "a@b.example"}),
    ({"active": 1}, {"active": True}),
    ({"active": "false"}, {"active": False}),
    ({"age": "0"}, {"age": 0}),
    ({"age": {"value": 7}}, {"age": 7}),
    ({"places": {"street": "x"}}, {"places": [{"street": "x"}]}),
]


def changing(risk: Risk, *required: str) -> Toolset:
    schema = {"type": "object", "properties": {"id": {"type": "string"}, **CHANGED}, "required": ["id", *required]}
    return Toolset(Tool("change", "", {**schema, "additionalProperties": False}, risk=risk))


@pytest.mark.parametrize("given", FILLERS)
def test_what_fills_an_optional_field_is_no_value_of_it(given: dict[str, Any]) -> None:
    """Whatever stood there would be lost."""
    call = {"tool": "change", "id": "7", **given}
    assert shaped(call, changing(Risk.WRITE)) == [(call, [])]
    nested = {"type": "object", "properties": CHANGED, "additionalProperties": False}
    inside = Tool("change", "", {"type": "object", "properties": {"to": nested}, "required": ["to"]})
    assert shaped({"tool": "change", "to": given}, Toolset(inside)) == [({"tool": "change", "to": given}, [])]


@pytest.mark.parametrize(("given", "taken"), SAID)
def test_what_says_something_is_the_value_of_an_optional_field(given: dict[str, Any], taken: dict[str, Any]) -> None:
    ((made, record),) = shaped({"tool": "change", "id": "7", **given}, changing(Risk.WRITE))
    assert made == {"tool": "change", "id": "7", **taken}
    assert [change[0] for change in record] == ["coercion"]


def test_a_field_that_has_to_be_there_takes_what_it_may_lack() -> None:
    call = {"tool": "change", "id": "7", "roles": "reader", "email": 0, "active": 0}
    ((made, _),) = shaped(call, changing(Risk.WRITE, "roles", "email", "active"))
    assert made == {**call, "roles": ["reader"], "email": "0", "active": False}
    ((made, _),) = shaped(call, changing(Risk.READ))
    assert made == {**call, "roles": ["reader"], "email": "0", "active": False}


@pytest.mark.parametrize("value", [["x"], ["x", "y"], [{"a": 1}, {"a": 2}], "x", []], ids=repr)
@pytest.mark.parametrize("others", [None, "unevaluatedProperties", "additionalProperties"])
def test_a_field_may_be_required_and_not_listed(others: str | None, value: Any, caplog: pytest.LogCaptureFixture) -> None:
    """JSON Schema allows it: nothing is known of such a field, and no fix asks for what is."""
    schema: dict[str, Any] = {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b", "n"]}
    if others is not None:
        schema[others] = {"type": "string"}
    guard = Guard(Toolset(Tool("do_it", "Do it", schema)))
    wrong_and_right: list[Any] = [{}, 1]
    for b in wrong_and_right:
        guard.check(json.dumps({"tool": "do_it", "b": b, "n": value}))
    assert not caplog.records
