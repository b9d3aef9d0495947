"""A call whose texts say what stands in their places shows how one is written, and does not run."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.fixes.templates import is_a_template

TEXT: Final = {"type": "string"}
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "user_id": {"type": "string", "description": "Whom it is about."},
        "reason": TEXT,
        "title": TEXT,
        "body": TEXT,
        "count": {"type": "integer"},
        "kind": {"enum": ["string", "number"]},
        "roles": {"type": "array", "items": TEXT},
        "place": {"type": "object", "properties": {"street": TEXT}},
    },
    "required": [],
}
TOOL: Final = Tool("update_user", "", SCHEMA)
SHOWN: Final = (
    *("string", "str", "<string>", "[string]", "STRING", "string?", "string | null", "string (required)", "string, optional"),
    *("string - the id", "optional string", "required", "(optional)", "...", "…"),
)
"""Texts that stand for any text."""


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.parametrize("field", ["user_id", "reason", "roles", "place"])
def test_a_text_that_says_its_type_is_none(text: str, field: str) -> None:
    value = {"roles": [text], "place": {"street": text}}.get(field, text)
    for beside in ({}, {"count": 0}, {"kind": "string"}, {"title": "string"}):
        assert is_a_template({"tool": "update_user", field: value, **beside}, TOOL.fields)
    assert not is_a_template({"tool": "update_user", field: value, "body": "hello"}, TOOL.fields)


@pytest.mark.parametrize(
    ("call", "shows"),
    [
        ({"user_id": "user_id"}, True),
        ({"user_id": "<userId>"}, True),
        ({"title": "<title>"}, True),
        ({"title": "title", "reason": "reason"}, True),
        ({"title": "title"}, False),
        ({"colour": "the colour"}, False),
        ({"user_id": "whom it is about"}, True),
        ({"user_id": "The id of the user"}, True),
        ({"user_id": "your user id here"}, True),
        ({"title": "The title of the page"}, True),
        ({"reason": "<why>", "title": "{{ title }}"}, True),
        ({"body": "<b>"}, False),
        ({"body": "The body of the text"}, False),
        ({"title": "Title deeds"}, False),
        ({"title": "string theory"}, False),
        ({"title": "strings"}, False),
        ({"title": "stringent"}, False),
        ({"user_id": "7", "title": "string"}, False),
        ({"kind": "string"}, False),
        ({"count": 3}, False),
        ({}, False),
    ],
)
def test_the_texts_of_a_template(call: dict[str, Any], shows: bool) -> None:
    assert is_a_template({"tool": "update_user", **call}, TOOL.fields) is shows


RISKS: Final = (Risk.WRITE, Risk.DESTRUCTIVE)


def _runs(value: Any, risk: Risk) -> bool:
    fields = {"user_id": TEXT, "email": TEXT, "active": {"type": "boolean"}, "roles": {"type": "array", "items": TEXT}}
    schema = {"type": "object", "properties": fields, "required": ["user_id"], "additionalProperties": False}
    guard = Guard(Toolset(Tool("change_user", "", schema, risk=risk)))
    items = guard.scan([f"```json\n{json.dumps(value)}\n```\n", End("stop")])
    return any(item.executable for item in items if isinstance(item, ToolBlock))


ARGUMENTS: Final[tuple[dict[str, Any], ...]] = (
    {"user_id": "string"},
    {"user_id": "string (required)", "email": "optional"},
    {"user_id": "str", "roles": ["string"]},
    {"user_id": "The id of the user"},
    {"user_id": "user_id", "active": True},
)


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_a_definition_in_short_form_is_no_call(arguments: dict[str, Any], risk: Risk) -> None:
    for held in ("parameters", "args", "arguments", "input"):
        for one in ({"name": "change_user", held: arguments}, {"tool": "change_user", held: arguments}):
            for value in (one, [one], {"tool_calls": [one]}, {"function": one}, {"type": "function", "function": one}):
                assert not _runs(value, risk), value


@pytest.mark.parametrize("risk", RISKS)
def test_what_openai_calls_parameters_defines_a_tool(risk: Risk) -> None:
    """Whatever stands in them: a call has `arguments`."""
    arguments = {"user_id": "7"}
    one = {"name": "change_user", "parameters": arguments}
    for value in (
        {"type": "function", "function": one},
        [{"type": "function", "function": one}],
        {"function": one},
        {"type": "function", **one},
    ):
        assert not _runs(value, risk), value
    assert _runs(one, risk)
    assert _runs({"type": "function", "function": {"name": "change_user", "arguments": arguments}}, risk)


PLACEHOLDERS: Final = (
    *(
        "<id>",
        "<id from previous call>",
        "<result of find_event>",
        "{id}",
        "{{id}}",
        "{{find_event.id}}",
        "{{ steps['a'].id }}",
    ),
    *("${ID}", "$find_event.id", "$steps[0]", "%(id)s", "%ID%", "[EVENT_ID]", "INSERT_ID", "YOUR_ID", "ENTER_THE_ID"),
    *("EVENT_ID_HERE", "YOUR ID HERE", "event_id_here", "your id here", "insert the id here", "TBD", "TODO", "PLACEHOLDER"),
    *("to be filled in", "to be determined"),
)
REAL: Final = (
    *("7", "anna", "todo", "TODO: call", "the id", "here", "over there", "$5", "$HOME", "{", "{}", '{"a": 1}', "[1]", "[x]"),
    *("a <b> c", "50%", "100% {a}", "Hi {{name}}!", "to be", "ID", "HERE", "<!-- x -->", "<b>bold</b>", "x = ${y}", "[A]"),
)


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_in_any_form(text: str) -> None:
    """One alone may be a text of its own, but not where it is the only one of a call that destroys something."""
    call = {"tool": "update_user", "reason": text}
    assert not is_a_template(call, TOOL.fields)
    assert is_a_template({**call, "title": text}, TOOL.fields)
    assert is_a_template({**call, "title": "<why>"}, TOOL.fields)
    assert not is_a_template({**call, "title": "hello"}, TOOL.fields)
    assert is_a_template(call, TOOL.fields, destroys=True)
    assert not is_a_template({**call, "title": "hello"}, TOOL.fields, destroys=True)


@pytest.mark.parametrize("text", REAL)
def test_a_text_that_is_like_a_placeholder(text: str) -> None:
    assert not is_a_template({"tool": "update_user", "reason": text, "title": text}, TOOL.fields, destroys=True)
