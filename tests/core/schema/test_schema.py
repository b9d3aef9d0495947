"""JSON Schema through a toolset: the verdict is jsonschema-rs's own, and a failed value always has something to teach."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from stream_guard import Guard, Limits, RetryHint, SchemaError, Tool, Toolset, build_hint
from stream_guard.schema.schema import Schema
from stream_guard.schema.violations import MAX_VALUES, Violation
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons import LESSON_TOOLS
from stream_guard.toolset.arguments import check_arguments
from stream_guard.toolset.hints import MAX_FIELDS
from tests.kit.json_schema import alone, rows


def short(hint: RetryHint | None) -> bool:
    return (
        hint is not None
        and len(hint.fields) <= MAX_FIELDS
        and set(hint.missing_fields) <= set(hint.fields)
        and len(hint.allowed_values) <= MAX_VALUES + 1
        and len(hint.message) < 1000
        and "\n" not in hint.for_person()
    )


def test_the_suite_of_json_schema_is_judged_as_jsonschema_rs_judges_it(corpora: Path) -> None:
    """Draft 2020-12 and draft 7, every row: no verdict is added and none is lost, and every failure is explained."""
    judged = refused = failing = 0
    for row, schema in rows(corpora):
        validator = alone(schema)
        try:
            compiled = Schema(schema)
        except SchemaError:
            assert validator is None, row["id"]
            refused += 1
            continue
        assert validator is not None, row["id"]
        verdict = validator.is_valid(row["input"])
        faults = list(compiled.violations(row["input"]))
        assert compiled.accepts(row["input"]) is verdict, row["id"]
        assert (not faults) is verdict, row["id"]
        failing += not verdict
        judged += 1
    assert judged > 2_100
    assert failing > 850
    assert refused < 80


def nested(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, for a field of a tool's arguments. Its references go on meaning itself."""
    inner = {key: part for key, part in schema.items() if key != "$schema"}
    inner.setdefault("$id", "urn:example:inner")
    return {"$schema": schema["$schema"], "type": "object", "properties": {"value": inner}, "required": ["value"]}


def test_every_failing_row_names_a_field_a_rule_and_gives_a_hint_within_its_bounds(corpora: Path) -> None:
    """The row's value as a field of a call, checked by the tool."""
    explained = 0
    for row, schema in rows(corpora):
        whole = nested(schema)
        validator = alone(whole)
        if validator is None:
            continue
        tool = Tool("t", "", whole)
        call = {"value": row["input"]}
        issues = check_arguments(tool, call, Limits())
        assert (not issues) is validator.is_valid(call), row["id"]
        if not issues:
            assert build_hint(issues, tool) is None
            continue
        assert all(issue.field.startswith("value") and issue.constraint and issue.message for issue in issues), row["id"]
        assert short(build_hint(issues, tool, arguments=call)), row["id"]
        explained += 1
    assert explained > 850


SHAPES = {
    "oneOf": [
        {"title": "Circle", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
        {"$ref": "#/$defs/Square"},
    ]
}
SQUARE = {"properties": {"kind": {"enum": ["square", "box"]}, "side": {"type": "number"}}, "required": ["kind", "side"]}


def faults(schema: dict[str, Any], value: Any) -> list[tuple[Any, ...]]:
    compiled = Schema({"properties": {"v": schema}, "$defs": {"Square": SQUARE}})
    return [(fault.path[1:], fault.keyword, fault.expected) for fault in compiled.violations({"v": value})]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        # One field tells the forms apart.
        (SHAPES, {"kind": "circle"}, [(("r",), "required", None)]),
        (SHAPES, {"kind": "box", "side": "x"}, [(("side",), "type", ["number"])]),
        (SHAPES, {"kind": "disc"}, [(("kind",), "enum", ["circle", "square", "box"])]),
        (SHAPES, {"kind": ["circle"]}, [(("kind",), "enum", ["circle", "square", "box"])]),
        (SHAPES, {"r": 1}, [(("kind",), "required", ["circle", "square", "box"])]),
        (SHAPES, "circle", [((), "oneOf", None)]),  # neither form says that it is an object, so it fits both
        # No field does: the closest branch speaks.
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", [((), "type", ["integer", "null"])]),
        ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 1, [((), "minimum", 3)]),
        ({"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}, {"type": "null"}]}, "x", [((), "enum", ["a", "b", "c", None])]),
        (
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
            [1, "x"],
            [((1,), "type", ["integer"])],
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
            {"b": 1},
            [((), "anyOf", ['with "a"', 'with "b" and "c"'])],
        ),
        # Two are as close: the choice is the fault.
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, [((), "oneOf", ['with "a"', 'with "b"'])]),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, [((), "oneOf", None)]),
        ({"anyOf": [{"minimum": 5}, {"minimum": 5}]}, 3, [((), "minimum", 5)]),
        # A union in a union.
        (
            {"anyOf": [{"type": "null"}, {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "integer"}]}]},
            "xx",
            [((), "maxLength", 1)],
        ),
        # true is not 1.
        (
            {"oneOf": [{"properties": {"k": {"const": 1}}}, {"properties": {"k": {"const": True}, "x": {"type": "string"}}}]},
            {"k": True, "x": 1},
            [(("x",), "type", ["string"])],
        ),
    ],
)
def test_one_form_of_a_union_speaks_and_not_all_of_them(schema: Any, value: Any, expected: Any) -> None:
    """The discriminator decides, else the closest branch, else the choice itself is told."""
    assert faults(schema, value) == expected


def test_the_discriminator_of_openapi_is_believed_where_it_tells_the_forms_apart() -> None:
    branches = [
        {"properties": {"a": {"const": name}, "b": {"const": name}}, "required": ["a", "b"], "type": "object"} for name in "xy"
    ]
    assert faults({"oneOf": branches, "discriminator": {"propertyName": "b"}}, {"a": "x"})[0][0] == ("b",)
    assert faults({"oneOf": branches}, {"b": "x"})[0][0] == ("a",)


def test_a_fault_of_a_big_value_does_not_quote_it() -> None:
    """The validator's own words hold the whole value; ours do not."""
    tool = Tool("t", "", {"properties": {"s": {"type": "string", "maxLength": 3}, "o": {"minProperties": 2}}})
    issues = check_arguments(tool, {"s": "x" * 100_000, "o": {"k": "y" * 100_000}}, Limits())
    assert sorted(issue.message for issue in issues) == [
        '"o" must have at least 2 fields',
        '"s" must have at most 3 characters',
    ]
    assert all(len(str(issue.got)) <= 80 for issue in issues)


def test_a_toolset_reads_the_schemas_of_whole_blocks(corpora: Path) -> None:
    """A `tool` field that is the tool's own name is how a block says it."""
    listed = json.loads((corpora / "tool_schemas.json").read_text(encoding="utf-8"))
    tools = Toolset(*(Tool(name, "", schema) for name, schema in listed.items()))
    assert {tool.name: tool.required for tool in tools} == {
        "write_file": ("path", "content"),
        "delete_file": ("path",),
        "edit_file": ("path", "search_replace"),
    }


def test_a_fault_is_a_value() -> None:
    assert Violation(("a",), "type", ["string"], 1) == Violation(("a",), "type", ["string"], 1)


@pytest.mark.parametrize("tools", [FILE_TOOLS, LESSON_TOOLS])
def test_a_toolset_can_be_sent_to_another_process(tools: Toolset) -> None:
    there = pickle.loads(pickle.dumps(tools))
    assert there.to_mcp() == tools.to_mcp()
    assert there.names == tools.names
    wrong = '{"tool": "write_file", "path": 1}'
    assert Guard(there).check(wrong) == Guard(tools).check(wrong)


def test_a_tool_that_is_none_is_refused_with_the_reason() -> None:
    """When it is made, and not when it is called."""
    for arguments, kind, says in (
        (("", "", {}), ValueError, "a tool needs a name"),
        (("x", None, {}), TypeError, "tool 'x': the description must be a string, got NoneType"),
        (("x", "", []), SchemaError, "tool 'x': a schema must be an object, got list"),
        (("x", "", {"type": 7}), SchemaError, "tool 'x': "),
    ):
        with pytest.raises(kind, match=f"^{says}"):
            Tool(*arguments)
    with pytest.raises(TypeError, match="the handler must be callable"):
        Tool("x", "", {}, handler="run")  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="tool 'x': output: "):
        Tool("x", "", {}, output_schema={"type": 7})
    with pytest.raises(SchemaError, match="tool 'x': example 1: "):
        Tool("x", "", {"required": ["a"]}, examples=({},))


def test_a_toolset_that_is_none_is_refused_with_the_reason() -> None:
    tool = Tool("x", "", {})
    for tools, kind, says in (
        ((), ValueError, "at least one tool"),
        ((tool, tool), ValueError, "duplicate tool name: 'x'"),
        (({"name": "x"},), TypeError, "use Toolset.of"),
    ):
        with pytest.raises(kind, match=says):
            Toolset(*tools)


def test_a_toolset_can_be_asked() -> None:
    """For its tools, by any spelling of their names; for a field, by any spelling of its own."""
    assert len(FILE_TOOLS) == 3
    assert "write_file" in FILE_TOOLS
    assert "rm" not in FILE_TOOLS
    assert repr(FILE_TOOLS) == "Toolset(write_file, delete_file, edit_file)"
    found = FILE_TOOLS.meant("writeFile")
    assert found is not None
    assert found.name == "write_file"
    assert FILE_TOOLS.meant("frobnicate") is None
    edit = FILE_TOOLS.get("edit_file")
    assert edit is not None
    field = edit.describe("search_replace.old_string")
    assert field is not None
    assert field.kinds == ("string",)
    assert (edit.describe("nothing.at.all"), edit.canonical("nowhere")) == (None, None)
    assert edit.canonical("$.searchReplace.oldString") == "search_replace.old_string"
    assert Toolset.of(*FILE_TOOLS.to_openai()).names == FILE_TOOLS.names
    assert Tool.of(FILE_TOOLS.to_anthropic()[0]).name == "write_file"
    assert "write_file" in FILE_TOOLS.to_prompt()
    assert pickle.loads(pickle.dumps(FILE_TOOLS)).names == FILE_TOOLS.names


def test_kinds_that_are_told_twice_count_once_and_a_field_that_tells_nothing_apart_is_none() -> None:
    """`type` beside the same `type` in a branch; a discriminator whose values are no names."""
    tool = Tool("x", "", {"type": "object", "properties": {"a": {"type": "string", "allOf": [{"type": "string"}]}}})
    assert tool.fields.members["a"].kinds == ("string",)
    either = {"oneOf": [{"properties": {"k": {"const": value}}, "required": ["k"]} for value in (1.5, None)]}
    (issue,) = check_arguments(Tool("x", "", {"properties": {"a": either}}), {"a": {"k": 2}}, Limits())
    assert issue.field.startswith("a")


async def test_a_toolset_calls() -> None:
    output = await Toolset(Tool("x", "", {}, handler=lambda arguments: arguments)).call("x", {"a": 1})
    assert output.payload == {"a": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": [5] * 3_000},
        {"properties": {"a": {"type": [{"b": 5}] * 3_000}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"items": [{"type": 5}] * 2_000}]},
        {"type": ["x" * 40_000]},
    ],
)
def test_where_a_large_schema_is_wrong_is_not_asked(wrong: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The validator would copy all of it for each rule that it breaks."""

    def asked(*_: object) -> None:
        raise AssertionError("the validator was asked")

    monkeypatch.setattr(jsonschema_rs.meta, "validate", asked)
    with pytest.raises(SchemaError, match=r"^invalid schema: it breaks .* too large to say where"):
        Schema(wrong)
