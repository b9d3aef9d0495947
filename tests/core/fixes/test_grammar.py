"""What may stand where in a block."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Tool, Toolset
from stream_guard.fixes.grammar import ANYTHING, NAMES, WRAPPERS, Grammar, Node
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import path_rule
from stream_guard.values.call_keys import ARGUMENT_KEYS, NEUTRAL_KEYS, TOOL_KEYS


def tool(name: str, fields: dict[str, Any], **more: Any) -> Tool:
    return Tool(name, "", {"type": "object", "properties": fields, "additionalProperties": False}, **more)


TEXT = {"type": "string"}
FLIGHT = tool(
    "book_flight",
    {
        "seat": {"enum": ["aisle", "window", 7]},
        "when": {"type": "string", "format": "date"},
        "path": TEXT,
        "note": TEXT,
        "stops": {
            "type": "array",
            "items": {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}, "memo": TEXT}},
        },
        "payer": {"type": "object", "properties": {"trace": TEXT, "card": {"const": "visa"}}},
    },
    aliases=("fly",),
    rules=(path_rule,),
    field_aliases={"where": "path", "chair": "seat", "plastic": "payer.card", "lost": "nowhere.at_all"},
)
HOTEL = tool(
    "book_hotel", {"seat": TEXT, "when": TEXT, "stops": TEXT, "payer": {"type": "object", "properties": {"iban": TEXT}}}
)


def seen(node: Node) -> tuple[bool, set[str]]:
    return node.plain, set(node.words)


def call(*tools: Tool) -> Node:
    return Grammar(Toolset(*tools)).call


def test_the_fields_of_a_tool_are_known_with_what_may_stand_in_them() -> None:
    """Choices, names and paths are short; a text may be anything."""
    top = call(FLIGHT)
    assert seen(top.at("seat")) == (True, {"aisle", "window"})
    assert seen(top.at("when")) == (True, set())
    assert seen(top.at("path")) == (True, set())
    assert seen(top.at("note")) == (False, set())
    assert seen(top.at("stops")) == (False, set())
    stops = top.at("stops").items
    assert stops is not None
    assert set(stops.members) == {"city", "memo"}
    assert seen(stops.at("city")) == (True, {"Rome", "Oslo"})
    assert seen(stops.at("memo")) == (False, set())
    assert set(top.at("payer").members) == {"trace", "card"}
    assert seen(top.at("payer").at("card")) == (True, {"visa"})
    assert seen(top.at("payer").at("trace")) == (False, set())


def test_only_a_calls_own_path_says_where_it_works() -> None:
    """Where something in it has one too, a `path` on top may be either."""
    within = {"type": "object", "properties": {"path": TEXT}}
    assert seen(call(tool("a", {"in": within})).at("in").at("path")) == (False, set())
    of_a_file: dict[str, Any] = {"rules": (path_rule,)}
    assert seen(call(tool("a", {"path": TEXT}, **of_a_file)).at("path")) == (True, set())
    assert seen(call(tool("a", {"path": TEXT})).at("path")) == (False, set()), "it may be a drawing's"
    assert seen(call(tool("a", {"path": TEXT, "in": within}, **of_a_file)).at("path")) == (False, set())
    assert seen(call(tool("a", {"x": TEXT}, field_aliases={"file": "x"})).at("file")) == (False, set())


def test_what_models_call_a_field_is_known_as_the_field() -> None:
    top = call(FLIGHT)
    assert seen(top.at("where")) == (True, set())
    assert seen(top.at("chair")) == (True, {"aisle", "window"})
    assert seen(top.at("plastic")) == (True, {"visa"})
    assert "lost" in top.members
    assert seen(top.at("lost")) == (False, set())


def test_inner_fields_may_stand_on_top_too() -> None:
    """Models forget the object around them."""
    top = call(FLIGHT)
    for key, about in (("city", (True, {"Rome", "Oslo"})), ("memo", (False, set())), ("card", (True, {"visa"}))):
        assert key in top.members
        assert seen(top.at(key)) == about
    assert set(call(tool("list", {"of": {"type": "array", "items": {"type": "array", "items": TEXT}}})).members) >= {"of"}
    assert all(isinstance(key, str) for key in top.members)


def test_of_two_tools_that_use_one_name_only_what_both_say_is_known() -> None:
    """A text that may be long in one may be long; all words and fields of both may stand there."""
    for tools in ((FLIGHT, HOTEL), (HOTEL, FLIGHT)):
        top = call(*tools)
        assert seen(top.at("seat")) == (False, {"aisle", "window"})
        assert seen(top.at("when")) == (False, set())
        assert seen(top.at("chair")) == (True, {"aisle", "window"})
        assert set(top.at("payer").members) == {"trace", "card", "iban"}
        assert top.at("stops").items is not None
    same = call(FLIGHT, tool("other", {"seat": {"enum": ["aisle", "floor"]}}))
    assert seen(same.at("seat")) == (True, {"aisle", "window", "floor"})


@pytest.mark.parametrize("key", sorted(NAMES - set(WRAPPERS)))
def test_under_these_keys_stands_a_tools_name(key: str) -> None:
    assert seen(call(FLIGHT, HOTEL).at(key)) == (True, {"book_flight", "fly", "book_hotel"})


@pytest.mark.parametrize("key", sorted({*ARGUMENT_KEYS, *WRAPPERS}))
def test_under_these_keys_stands_a_call(key: str) -> None:
    """Which may also be a bare name."""
    top = call(FLIGHT)
    assert top.at(key) is top
    assert seen(top) == (False, {"book_flight", "fly"})


def test_a_list_of_calls_holds_calls_and_a_remark_anything() -> None:
    top = call(FLIGHT)
    assert "tool_calls" in TOOL_KEYS
    assert top.at("tool_calls").items is top
    for key in NEUTRAL_KEYS:
        assert key in top.members
        assert isinstance(top.members[key], Node)
        assert seen(top.at(key)) == (False, set())
    assert top.at("nothing of the kind") is ANYTHING


def test_a_field_of_the_tools_own_comes_before_what_envelopes_mean_by_its_name() -> None:
    """But for the keys that hold whole calls."""
    top = call(tool("rename", {"name": TEXT, "input": TEXT, "id": {"enum": ["x"]}, "function": TEXT}))
    assert seen(top.at("name")) == (False, set())
    assert top.at("input") is not top
    assert seen(top.at("id")) == (True, {"x"})
    assert top.at("function") is top


def test_a_schema_that_holds_itself_is_read_once() -> None:
    """Its node holds itself, too."""
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}, "leaf": TEXT}}
    top = call(Tool("grow", "", {"type": "object", "properties": {"root": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}))
    kids = top.at("root").at("kids").items
    assert kids is not None
    assert set(kids.members) == {"kids", "leaf"}
    assert seen(Grammar(FILE_TOOLS).call.at("search_replace").at("old_string")) == (False, set())
