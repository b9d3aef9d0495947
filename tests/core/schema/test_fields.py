"""What is read of a schema when a tool is registered."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Tool
from stream_guard.schema.fields import read, resolve, split
from stream_guard.schema.spelling import nearest_of, normal
from stream_guard.tools.files import EDIT_FILE, WRITE_FILE

TREE: dict[str, Any] = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": {"type": "string", "description": "What it says"},
                "kind": {"$ref": "#/$defs/kind"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["label", "children"],
        },
        "kind": {"enum": ["leaf", "twig"], "description": "How thick"},
    },
    "type": "object",
    "properties": {
        "root": {"$ref": "#/$defs/node"},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "description": "The day"},
        "scores": {"type": "object", "additionalProperties": {"type": "number", "description": "One score"}},
        "who": {"allOf": [{"properties": {"name": {"type": "string"}}, "required": ["name"]}, {"title": "x"}]},
        "how": {"oneOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}]},
        "snake_case": {"type": "string", "minLength": 3, "pattern": "^x"},
    },
    "required": ["root"],
    "if": {"required": ["when"]},
    "then": {"properties": {"late": {"type": "boolean"}}, "required": ["late"]},
}
TOOL = Tool("grow", "Grow it", TREE, field_aliases={"tree": "root"})


def test_the_helpers_of_the_specification() -> None:
    """Required keys, descriptions, allowed values, formats: by dotted name, at any depth."""
    assert TOOL.required == ("root",)
    assert TOOL.required_keys == ("root", "root.label", "root.children")
    assert EDIT_FILE.required_keys == ("path", "search_replace", "search_replace.old_string", "search_replace.new_string")
    deep = "root" + ".children[3]" * 40
    label, kind, when = TOOL.describe(f"{deep}.label"), TOOL.describe(f"{deep}.kind"), TOOL.describe("when")
    assert label is not None
    assert kind is not None
    assert when is not None
    assert label.description == "What it says"
    assert (kind.allowed, kind.description) == (("leaf", "twig"), "How thick")
    assert (when.format, when.kinds, when.description) == ("date", ("string", "null"), "The day")
    score = TOOL.describe("scores.anything")
    assert score is not None
    assert score.description == "One score"
    assert TOOL.describe("root.nothing") is None
    assert TOOL.describe("when.nothing") is None


def test_a_branch_adds_members_and_asks_for_none() -> None:
    """What every branch says is required; what one of several says may be."""
    fields = read(TREE)
    assert fields.members["who"].required == ("name",)
    assert fields.members["how"].required == ()
    assert list(fields.members["how"].members) == ["a", "b"]
    assert fields.members["how"].members["a"].allowed == (1,)
    assert "late" in fields.members
    assert fields.required == ("root",)
    assert fields.members["snake_case"].rules == {"minLength": 3, "pattern": "^x"}


def _form(kind: str, **content: Any) -> dict[str, Any]:
    inner = {"type": "object", "properties": content, "required": list(content), "additionalProperties": False}
    return {"properties": {"kind": {"const": kind}, "content": inner, "parts": {"type": "array", "items": inner}}}


TEXT: dict[str, Any] = {"type": "string"}
FORMS = [_form("a", name=TEXT, x=TEXT), _form("b", name={"type": "integer"}, y=TEXT), _form("c", z={"$ref": "#"})]


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": FORMS},
        {"anyOf": FORMS},
        {"oneOf": [FORMS[0], {"anyOf": FORMS[1:]}]},
        {"if": {}, "then": FORMS[0], "else": {"oneOf": FORMS[1:]}},
        {"properties": {"content": {"type": "object"}, "parts": {"type": "array"}}, "oneOf": FORMS},
        {"$defs": {"c": FORMS[2]}, "oneOf": [*FORMS[:2], {"$ref": "#/$defs/c"}]},
    ],
)
def test_what_several_branches_say_of_one_member_is_put_together(schema: dict[str, Any]) -> None:
    """Whatever branch a value follows, its members are known: those of each, at any depth."""
    fields = read(schema)
    for path in (("content",), ("parts", 0), ("content", "z", "content"), ("content", "z", "parts", 3)):
        inner = fields.at(path)
        assert inner is not None
        assert set(inner.members) == {"name", "x", "y", "z"}
        assert inner.members["name"].kinds == ("string", "integer")
        assert inner.required == ()
    kind = fields.at(("kind",))
    assert kind is not None
    assert kind.allowed == ("a", "b", "c")


def test_what_every_branch_asks_of_a_member_is_asked_of_it() -> None:
    fields = read({"oneOf": [_form("a", name=TEXT, x=TEXT), _form("b", name=TEXT, y=TEXT)]})
    assert fields.members["content"].required == ("name",)
    assert fields.members["content"].closed
    assert not read({"oneOf": [FORMS[0], {"properties": {"content": {"type": "object"}}}]}).members["content"].closed


def test_branches_that_contain_each_other_are_read_in_bounded_work() -> None:
    """Each of these unions holds each other under one name: the sets of schemas that one path may lead to are very many."""
    count = 40
    defs = {
        f"d{at}": {
            "properties": {
                f"only{at}": TEXT,
                **{f"p{step}": {"$ref": f"#/$defs/d{(at * step + 1) % count}"} for step in (2, 3)},
            }
        }
        for at in range(count)
    }
    fields = read({"$defs": defs, "oneOf": [{"$ref": f"#/$defs/{name}"} for name in defs]})
    here = fields.at(("p2", "p3", "p2", "p3", "p3", "p2"))
    assert here is not None
    assert any(name.startswith("only") for name in here.members)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("root.label", "root.label"),
        ("$.root.children[2].label", "root.children[2].label"),
        ("/root/children/2/label", "root.children[2].label"),
        ("#/root/label", "root.label"),
        ("root['label']", "root.label"),
        ("body.root.label", "root.label"),
        ("arguments.root", "root"),
        ("data.body.root", "root"),
        ("root.children[...].kind", "root.children[0].kind"),
        ("tree", "root"),
        ("snakeCase", "snake_case"),
        ("Snake-Case", "snake_case"),
        ("snake_cases", "snake_case"),
        ("label", "root.label"),
        ("name", "who.name"),
        ("nothing.like.it", None),
        ("root.nothing", None),
        ("", None),
        ("[0]", None),
    ],
)
def test_a_field_is_found_by_whatever_spelling(written: str, name: str | None) -> None:
    """The canonical key, nested ones dotted."""
    assert TOOL.canonical(written) == name


def test_a_name_that_two_fields_bear_is_neither_of_them() -> None:
    tool = Tool("t", "", {"properties": {"a": {"properties": {"zip": {}}}, "b": {"properties": {"zip": {}}}}})
    assert tool.canonical("zip") is None
    assert tool.canonical("b.zip") == "b.zip"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}},
        {"properties": {"a": True, "b": False}, "items": False},
        {"$defs": {"x": {"items": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"},
    ],
)
def test_a_schema_that_goes_round_in_circles_is_read_to_an_end(schema: dict[str, Any]) -> None:
    fields = read(schema)
    assert fields.at(("a",)) is None or fields.members
    assert len(fields.paths()) < 10
    assert fields.required_paths() == ()


def test_a_schema_with_more_paths_than_anybody_can_use_is_not_walked_to_their_end() -> None:
    """Thirty levels, each twice the next: two to the thirtieth paths."""
    defs: dict[str, Any] = {
        f"d{level}": {
            "properties": {key: {"$ref": f"#/$defs/d{level + 1}"} for key in ("left", "right")},
            "required": ["left", "right"],
        }
        for level in range(30)
    }
    tool = Tool("t", "", {"$defs": {**defs, "d30": {}}, "properties": {"top": {"$ref": "#/$defs/d0"}}, "required": ["top"]})
    assert len(tool.required_keys) == 1_000
    assert tool.canonical("nowhere") is None


def test_references_are_followed_inside_the_document_only() -> None:
    document = {"a": [{"b/c": 1}], "~": 2}
    assert resolve(document, "#") is document
    assert resolve(document, "#/a/0/b~1c") == 1
    assert resolve(document, "#/%7E0") == 2
    for elsewhere in ("http://example.org/x", "other.json", "#anchor", "#/a/7", "#/nothing", None, 3):
        assert resolve(document, elsewhere) is None


def test_a_path_is_split_however_it_is_written() -> None:
    assert split("a.b[2].c") == ("a", "b", 2, "c")
    assert split("/a~1b/0") == ("a/b", "0")
    assert split("") == ()


def test_a_word_is_proposed_where_one_alone_is_near() -> None:
    assert normal(" writeFile ") == normal("Write-File") == "write_file"
    assert nearest_of("nmae", ["name", 3]) == "name"
    assert nearest_of("xyz", ["xya", "xyb"]) is None
    assert nearest_of("a", ["b"]) is None
    assert nearest_of(3, ["three"]) is None
    assert nearest_of("x", None) is None


def test_the_file_tools_know_what_models_call_their_fields() -> None:
    assert WRITE_FILE.canonical("file_path") == "path"
    assert EDIT_FILE.canonical("searchReplace.oldString") == "search_replace.old_string"
