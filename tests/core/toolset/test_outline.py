"""The outline of a tool's fields, which prompts tell a model; held against the validator for schemas that hypothesis draws."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import CorrectionRequest, Tool, Toolset, correction_prompt
from stream_guard.toolset.listings import sample
from stream_guard.toolset.outline import outline


@dataclass
class Kind:
    """A schema, some valid values of it that have every branch among them, and what a prompt has to name."""

    schema: dict[str, Any]
    values: list[Any]
    names: list[str] = field(default_factory=list)


def simple() -> st.SearchStrategy[Kind]:
    return st.sampled_from(
        [
            Kind({"type": "string"}, ["x"]),
            Kind({"type": "integer", "minimum": 2}, [3], ["minimum 2"]),
            Kind({"type": "number", "exclusiveMaximum": -1}, [-2.5], ["exclusiveMaximum -1"]),
            Kind({"enum": ["a", 1, None, True, "b c"]}, ["a", True], ['one of: "a", 1, null, true, "b c"']),
            Kind({"const": 0}, [0], ["one of: 0"]),
            Kind({"type": "string", "format": "date"}, ["2026-11-22"], ["format date"]),
            Kind({"type": "string", "format": "email"}, ["a@example.org"], ["format email"]),
            Kind({"type": "boolean"}, [False]),
            Kind({"type": "null"}, [None]),
            Kind({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["integer or null"]),
            Kind(
                {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "uuid"}]},
                ["2026-11-22"],
                ["format date)", "format uuid)"],
            ),
        ]
    )


class Drawn:
    """Draws kinds whose fields all have names of their own, so that a name in a prompt says which field is meant."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.definitions: dict[str, Any] = {}
        self.shared: list[Kind] = []
        self.count = 0

    def new(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def kind(self, depth: int) -> Kind:
        makes = ["simple"] if depth == 0 else ["simple", "record", "array", "optional", "union", "map", "both", "again"]
        make = self.draw(st.sampled_from(makes))
        kind: Kind = self.draw(simple()) if make == "simple" else getattr(self, make)(depth - 1)
        return kind

    def again(self, depth: int) -> Kind:
        return self.draw(st.sampled_from(self.shared)) if self.shared else self.record(depth)

    def members(self, depth: int) -> dict[str, tuple[Kind, bool]]:
        wanted = self.draw(st.lists(st.booleans(), min_size=1, max_size=3))
        wanted[0] = True  # so that one branch of a union is never a valid value of another
        return {self.new("f"): (self.kind(depth), needed) for needed in wanted}

    def record(self, depth: int) -> Kind:
        return self.defined(self.made(self.members(depth)))

    def made(self, members: Mapping[str, tuple[Kind, bool]], more: Mapping[str, Any] | None = None) -> Kind:
        required = [name for name, (_, needed) in members.items() if needed]
        schema = {"type": "object", "properties": {name: kind.schema for name, (kind, _) in members.items()}, **(more or {})}
        whole = {name: kind.values[0] for name, (kind, _) in members.items()}
        values = [whole]
        for name, (kind, _) in members.items():
            values += [{**whole, name: value} for value in kind.values[1:]]
        said = [*members, *(name for kind, _ in members.values() for name in kind.names)]
        return Kind({**schema, "required": required}, values, said)

    def defined(self, kind: Kind) -> Kind:
        """By a reference, or as it is."""
        if not self.draw(st.booleans()):
            return kind
        name = self.new("D")
        self.definitions[name] = kind.schema
        found = Kind({"$ref": f"#/$defs/{name}"}, kind.values, kind.names)
        self.shared.append(found)
        return found

    def array(self, depth: int) -> Kind:
        item = self.kind(depth)
        return Kind({"type": "array", "items": item.schema, "minItems": 1}, [[value] for value in item.values], item.names)

    def map(self, depth: int) -> Kind:
        inner = self.kind(depth)
        schema = {"type": "object", "additionalProperties": inner.schema}
        return Kind(schema, [{"any": value} for value in inner.values], inner.names)

    def optional(self, depth: int) -> Kind:
        inner = self.kind(depth)
        return Kind({"anyOf": [inner.schema, {"type": "null"}]}, [*inner.values, None], [*inner.names, "null"])

    def both(self, depth: int) -> Kind:
        one, other = self.record(depth), self.record(depth)
        values = [{**value, **other.values[0]} for value in one.values] + [{**one.values[0], **v} for v in other.values[1:]]
        return Kind({"allOf": [one.schema, other.schema]}, values, [*one.names, *other.names])

    def union(self, depth: int) -> Kind:
        told = self.draw(st.booleans())
        key, branches = self.new("kind"), []
        for _ in range(self.draw(st.integers(2, 3))):
            title, members = self.new("Form"), self.members(depth)
            if told:
                members = {key: (Kind({"const": title}, [title], [f'"{key}" is "{title}"']), True), **members}
            branches.append(self.made(members, {"title": title}))
            branches[-1].names.append(title)
        keyword = self.draw(st.sampled_from(["anyOf", "oneOf"]))
        schema: dict[str, Any] = {keyword: [branch.schema for branch in branches]}
        if told and self.draw(st.booleans()):
            schema["discriminator"] = {"propertyName": key}
        return Kind(schema, [v for branch in branches for v in branch.values], [n for b in branches for n in b.names])


@st.composite
def tools(draw: Any) -> tuple[Tool, Kind]:
    drawn = Drawn(draw)
    kind = drawn.made(drawn.members(3))
    return Tool("t", "", {**kind.schema, "$defs": drawn.definitions}), kind


def without_one(value: Any) -> Iterator[tuple[str, Any]]:
    """Every member of a value with its name, and the value without it."""
    if isinstance(value, dict):
        for name in value:
            yield name, {key: one for key, one in value.items() if key != name}
            for inside, rest in without_one(value[name]):
                yield inside, {**value, name: rest}
    elif isinstance(value, list):
        for inside, rest in without_one(value[0]):
            yield inside, [rest]


def words(prompt: str) -> dict[str, set[str]]:
    """What a prompt says of each field: required, or optional."""
    found: dict[str, set[str]] = {}
    for line in prompt.splitlines():
        row = re.match(r" *- (\w+)(?: \((.*)\))?$", line)
        if row is not None and row[2] is not None:
            said = re.search(r"\b(required|optional)\b", row[2])
            if said is not None:
                found.setdefault(row[1], set()).add(said[1])
    return found


@given(tools())
def test_the_prompt_says_what_the_validator_checks(made: tuple[Tool, Kind]) -> None:
    """Of every branch: what is called required is required, what is called optional is not, and everything is named."""
    tool, kind = made
    validator = jsonschema_rs.validator_for(dict(tool.schema), validate_formats=True)
    prompt = Toolset(tool).to_prompt().partition("The tools:")[2]
    said = words(prompt)
    for value in kind.values:
        assert validator.is_valid(value)
        for name, rest in without_one(value):
            if name != "any":  # of a map, where any name may stand
                assert said[name] == {"optional" if validator.is_valid(rest) else "required"}, (name, prompt)
    corrections = correction_prompt(CorrectionRequest("", (), Toolset(tool), 1, tool="t"))
    for name in kind.names:
        assert name in prompt
        assert name in corrections


@given(tools())
def test_the_example_of_a_prompt_is_a_valid_call(made: tuple[Tool, Kind]) -> None:
    """Also where a required value is a union, or has a format."""
    tool, _ = made
    example = sample(tool.fields)
    assert tool.compiled.accepts(example), example
    assert json.dumps({"tool": "t", **example}, ensure_ascii=False) in Toolset(tool).to_prompt()


def rows(schema: dict[str, Any]) -> list[str]:
    return [f"{'  ' * row.depth}{row}" for row in outline(Tool("t", "", schema))]


CAT = {"title": "Cat", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind", "lives"]}
DOG = {"title": "Dog", "properties": {"kind": {"const": "dog"}, "at": {"$ref": "#/$defs/place"}}, "required": ["kind"]}
PLACE = {"type": "object", "properties": {"x": {"type": "number"}, "inside": {"$ref": "#/$defs/place"}}, "required": ["x"]}


@pytest.mark.parametrize(
    ("member", "told"),
    [
        (
            {"oneOf": [CAT, DOG], "description": "The\nanimal"},
            [
                "- a (optional): The animal",
                "  in exactly one of these forms:",
                '  - Cat, "kind" is "cat"',
                '    - kind (required, one of: "cat")',
                "    - lives (integer, required)",
                '  - Dog, "kind" is "dog"',
                '    - kind (required, one of: "dog")',
                "    - at (object, optional)",
                "      - x (number, required)",
                "      - inside (object, optional, as in at)",
            ],
        ),
        (
            {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]}},
            [
                "- a (array of (object or null), optional)",
                "  - x (number, required)",
                "  - inside (object, optional, as in a)",
            ],
        ),
        (
            {"anyOf": [{"enum": ["all", "none"]}, {"type": "integer", "minimum": 1}]},
            ['- a ((one of: "all", "none") or (integer, minimum 1), optional)'],
        ),
        (
            {"properties": {"b": {}, "c": {}}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}], "minProperties": 1},
            [
                "- a (optional, minProperties 1)",
                "  - b (required in some forms)",
                "  - c (required in some forms)",
                "  in one of these forms:",
                '  - with "b"',
                "    - b (required)",
                '  - with "c"',
                "    - c (required)",
            ],
        ),
        (
            {"properties": {"b": {}}, "if": {"required": ["b"]}, "then": {"required": ["c"]}, "else": {"required": ["d"]}},
            [
                "- a (optional)",
                "  - b (optional)",
                '  if it fits {"required": ["b"]}:',
                "    - c (required)",
                '  if not it fits {"required": ["b"]}:',
                "    - d (required)",
            ],
        ),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"$ref": "#/$defs/place"}]},
            [
                "- a (array, optional)",
                "  - item 1 (string)",
                "  - item 2 (object)",
                "    - x (number, required)",
                "    - inside (object, optional, as in item 2)",
            ],
        ),
        ({"$ref": "#/$defs/nest"}, ["- a (array of arrays, optional)"]),
        ({"properties": {"b\nc": {}}}, ["- a (optional)", '  - "b\\nc" (optional)']),
        ({"type": "array", "items": {"enum": ["x"]}}, ['- a (array of (one of: "x"), optional)']),
        ({"$ref": "#"}, ["- a (optional, as in the call)"]),
    ],
)
def test_a_field_is_told_with_all_that_is_checked_of_it(member: dict[str, Any], told: list[str]) -> None:
    nest = {"type": "array", "items": {"$ref": "#/$defs/nest"}}
    schema = {"$defs": {"place": PLACE, "nest": nest}, "properties": {"a": copy.deepcopy(member)}}
    assert rows(schema) == told


def test_an_outline_is_no_longer_than_its_schema() -> None:
    """What is shared is told once, however many ways lead to it."""
    parts: dict[str, Any] = {"d0": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for number in range(1, 40):
        below = {"$ref": f"#/$defs/d{number - 1}"}
        members = {"l": below, "r": {"anyOf": [below, {"type": "null"}]}, "m": {"oneOf": [below, CAT]}}
        parts[f"d{number}"] = {"type": "object", "properties": members}
    assert len(rows({"$defs": parts, "properties": {"top": {"$ref": "#/$defs/d39"}}})) < 40 * 12
