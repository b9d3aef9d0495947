"""Hints: one for each failed block, short, and claiming no more than the issues do."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import CODES, End, Guard, Limits, RetryHint, StreamEnd, Tool, ToolBlock, Toolset, ValidationIssue, build_hint
from stream_guard.schema.violations import MAX_VALUES
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import check_arguments
from stream_guard.toolset.hints import MAX_FIELDS, tool_failed
from stream_guard.values.wording import TO_THE_MODEL
from tests.kit.values import VALUES

GUARD = Guard(FILE_TOOLS, fixes="off")
CONTENT = "The whole text of the file; may be empty"
PATH = "Path of the file, relative to the workspace, with forward slashes"


def hint_for(body: str) -> RetryHint:
    hint = GUARD.check(body).hint
    assert hint is not None
    return hint


def test_json_that_is_broken_has_a_hint_of_its_own() -> None:
    """The issues of level 1 are those of the text, whatever its tool."""
    assert {code for code in CODES if CODES[code].level == 1} == {code for code in CODES if CODES[code].hint == "json"}


def test_a_valid_block_has_no_hint() -> None:
    assert GUARD.check('{"tool": "delete_file", "path": "a"}').hint is None
    assert build_hint([ValidationIssue("schema", "odd", severity="warning")]) is None


def test_a_missing_field_is_asked_for_by_what_it_is_with_a_placeholder_for_it_alone() -> None:
    assert hint_for('{"tool": "write_file", "path": "test.txt"}') == RetryHint(
        reason="invalid_arguments",
        recovery="correct_call",
        tool="write_file",
        problem='write_file tool requires "content" field',
        message='write_file tool requires "content" field. Nothing was run. Send the call again, corrected.',
        fields=("content",),
        missing_fields=("content",),
        clarifying_question=f"What should be given for: {CONTENT} (content)?",
        example_input={"tool": "write_file", "path": "test.txt", "content": "<content>"},
    )


def test_nested_fields_are_dotted_and_their_placeholders_nested() -> None:
    hint = hint_for('{"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x"}}')
    assert hint.fields == ("search_replace.new_string",)
    assert hint.clarifying_question == "What should be given for: The text to put in its place (search_replace.new_string)?"
    assert hint.example_input == {
        "tool": "edit_file",
        "path": "a",
        "search_replace": {"old_string": "x", "new_string": "<new_string>"},
    }
    hint = hint_for('{"tool": "edit_file", "path": "a", "old": "x"}')
    assert hint.example_input == {
        "tool": "edit_file",
        "path": "a",
        "search_replace": {"old_string": "<old_string>", "new_string": "<new_string>"},
    }


@pytest.mark.parametrize(
    ("body", "reason", "recovery", "message"),
    [
        (
            '{"tool": "create_file", "path": "a", "content": ""}',
            "unknown_tool",
            "correct_call",
            'Invalid tool type: create_file. Must be write_file, delete_file, or edit_file. Did you mean "write_file"?',
        ),
        (
            '{"tool": "frobnicate", "path": "a"}',
            "unknown_tool",
            "replan",
            "Invalid tool type: frobnicate. Must be write_file, delete_file, or edit_file. Call one of these, or none.",
        ),
        (
            '{"path": "a"}',
            "unknown_tool",
            "correct_call",
            'Missing "tool" field. Name one in it: write_file, delete_file, edit_file.',
        ),
        (
            '{"tool": "write_file", "path": "a", "content": "x\ny"}',
            "invalid_arguments",
            "correct_call",
            "JSON parsing error: Unexpected token at line 1, column 50. "
            "Inside a JSON string write a line break as \\n and a tab as \\t. Nothing was run. Send the call again, corrected.",
        ),
        (
            "{'tool': 'x'}",
            "invalid_arguments",
            "correct_call",
            "JSON parsing error: Unexpected token at line 1, column 2. Write one valid JSON object, with double quotes. "
            "Nothing was run. Send the call again, corrected.",
        ),
        (
            '{"tool": "delete_file", "path": "../x"}',
            "invalid_arguments",
            "correct_call",
            '"path" must not have ".." segments. Nothing was run. Send the call again, corrected.',
        ),
    ],
)
def test_what_a_model_is_told(body: str, reason: str, recovery: str, message: str) -> None:
    hint = hint_for(body)
    assert (hint.reason, hint.recovery, hint.message) == (reason, recovery, message)


def test_a_block_that_was_cut_off_is_told_so_and_never_that_a_field_is_missing() -> None:
    items = list(GUARD.scan(['```json\n{"tool": "write_file", "path": "a"']))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.hint == RetryHint(
        "truncated",
        "correct_call",
        "write_file",
        "The block was cut off after 34 characters",
        "The block was cut off after 34 characters. Nothing was run. Send it again.",
    )
    (block,) = [item for item in GUARD.scan(['```json\n{"tool": "wri', End("length")]) if isinstance(item, ToolBlock)]
    assert block.hint is not None
    assert block.hint.message.endswith("Send it again, in smaller parts.")


def test_a_call_without_a_closing_fence_is_told_so_and_never_that_it_was_cut_off() -> None:
    """It is complete: smaller parts would not help."""
    for cause in get_args(StreamEnd):
        text = '```json\n{"tool": "write_file", "path": "a"}'
        (block,) = [item for item in GUARD.scan([text, End(cause)]) if isinstance(item, ToolBlock)]
        assert block.hint is not None
        assert not block.executable
        said = "required" if cause == "stop" else "missing_fence"
        assert [issue.code for issue in block.issues] == [said]
        assert "cut off" not in block.hint.message
        assert "smaller" not in block.hint.message


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"enum": list("abcdefgh"), "description": "What kind it is"},
        "code": {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 4},
        "size": {"type": "integer", "minimum": 1},
        "mail": {"type": "string", "format": "email"},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "minItems": 2},
    },
    "required": ["kind", "size", "sure", "tags"],
}
TOOLS = Toolset(Tool("t", "", SCHEMA))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kind": "z"}, {"allowed_values": ("a", "b", "c", "d", "e", "…"), "fields": ("kind",)}),
        ({"code": "abc"}, {"pattern": "^[A-Z]+$"}),
        ({"code": "ABCDE"}, {"maximum": 4}),
        ({"size": 0}, {"minimum": 1}),
        ({"tags": []}, {"minimum": 2}),
        ({"mail": "x"}, {"format": "email"}),
    ],
)
def test_the_broken_rule_travels_as_data(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    call = {"tool": "t", "kind": "a", "size": 1, "sure": True, "tags": [1, 2], **changes}
    hint = Guard(TOOLS, fixes="off").check(json.dumps(call)).hint
    assert hint is not None
    for name, value in expected.items():
        assert getattr(hint, name) == value
    assert hint.example_input is None


def test_a_hint_is_short_whatever_is_wrong() -> None:
    hint = Guard(TOOLS, fixes="off").check('{"tool": "t", "code": "' + "x" * 500 + '"}').hint
    assert hint is not None
    assert len(hint.fields) == MAX_FIELDS
    assert hint.missing_fields == ("kind", "size", "sure")
    assert "(3 more)" in hint.message
    assert hint.example_input == {
        "tool": "t",
        "code": "<code>",
        "kind": "<a or b or c or d or e or …>",
        "size": "<integer>",
        "sure": "<boolean>",
    }


@given(st.dictionaries(st.sampled_from(["tool", *SCHEMA["properties"], "other"]), VALUES | st.just("t"), max_size=6))
def test_any_failed_block_has_a_hint_within_its_bounds_and_no_valid_one_has(call: dict[str, Any]) -> None:
    block = Guard(TOOLS, fixes="off").check(json.dumps(call))
    assert (block.hint is None) is block.validation_passed
    if block.hint is not None:
        assert len(block.hint.fields) <= MAX_FIELDS
        assert set(block.hint.missing_fields) <= set(block.hint.fields)
        assert len(block.hint.allowed_values) <= MAX_VALUES + 1
        assert block.hint.message.endswith((".", "?"))


def test_a_hint_is_an_answer_in_every_providers_words() -> None:
    """And one line for a person."""
    hint = hint_for('{"tool": "write_file", "path": "test.txt"}')
    assert hint.for_person() == 'write_file: write_file tool requires "content" field.'
    said = hint.for_model()
    assert said.splitlines()[1].startswith("If the answer is not known, ask: ")
    assert said.splitlines()[2].startswith("For example: ")
    assert hint.to_openai("c") == {"role": "tool", "tool_call_id": "c", "content": said}
    assert hint.to_openai("c", "responses") == {"type": "function_call_output", "call_id": "c", "output": said}
    assert hint.to_anthropic("c") == {"type": "tool_result", "tool_use_id": "c", "content": said, "is_error": True}
    assert hint.to_mcp() == {"content": [{"type": "text", "text": said}], "isError": True}
    assert json.loads(hint.to_json())["missingFields"] == ["content"]
    with pytest.raises(ValueError, match="api must be 'chat' or 'responses', got 'x'"):
        hint.to_openai("c", "x")  # type: ignore[arg-type]


def test_a_slip_is_proposed_where_the_message_does_not_say_it() -> None:
    issue = ValidationIssue("schema", '"when" must be a day', field="when", suggestion="monday")
    hint = build_hint([issue], "plan")
    assert hint is not None
    assert 'Did you mean "monday"?' in hint.for_model()


def test_a_result_and_a_failure_of_a_tool_have_hints_of_their_own() -> None:
    """The call was valid: nobody is to send another one without thinking."""
    issue = ValidationIssue("type", '"degrees" must be a number, not a string', field="degrees")
    hint = build_hint([issue], "get_weather", result=True)
    assert hint is not None
    assert (hint.reason, hint.recovery, hint.fields) == ("malformed_response", "replan", ("degrees",))
    assert hint.problem.startswith("The result of get_weather is malformed")
    for said, problem in (("", "get_weather failed while it ran"), ("No such city.", "No such city")):
        failure = tool_failed("get_weather", *([said] if said else []))
        assert (failure.reason, failure.problem) == ("tool_failed", problem)
    hint = build_hint([ValidationIssue("guard_error", "The guard failed on this block")], "get_weather")
    assert hint is not None
    assert (hint.reason, hint.recovery) == ("not_checked", "replan")


def test_placeholders_are_as_deep_as_what_is_missing() -> None:
    """A list of objects, and a schema that holds itself."""
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/t"}}}, "required": ["kids"]}
    schema = {"type": "object", "$defs": {"t": tree}, "properties": {"root": {"$ref": "#/$defs/t"}}, "required": ["root"]}
    block = Guard(Toolset(Tool("grow", "", schema)), fixes="off").check('{"tool": "grow"}')
    assert block.hint is not None
    assert block.hint.example_input == {"tool": "grow", "root": {"kids": ["<kids>"]}}


@pytest.mark.parametrize(
    ("pet", "shown"),
    [
        ({"anyOf": [{"$ref": "#/$defs/cat"}, {"type": "null"}]}, {"lives": "<integer>"}),
        ({"anyOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}]}, "<object>"),
    ],
)
def test_an_example_decides_for_no_form_of_a_union(pet: dict[str, Any], shown: object) -> None:
    """Where only one is more than null, it shows what that needs."""
    cat = {"type": "object", "properties": {"lives": {"type": "integer"}}, "required": ["lives"]}
    dog = {"type": "object", "properties": {"tricks": {"type": "string"}}, "required": ["tricks"]}
    tool = Tool("adopt", "", {"$defs": {"cat": cat, "dog": dog}, "properties": {"pet": pet}, "required": ["pet"]})
    hint = Guard(Toolset(tool)).check('{"tool": "adopt"}').hint
    assert hint is not None
    assert hint.example_input == {"tool": "adopt", "pet": shown}


def test_an_example_repeats_nothing_that_is_wrong() -> None:
    hint = Guard(TOOLS, fixes="off").check('{"tool": "t", "code": "1234", "kind": "aa", "extra": 1}').hint
    assert hint is not None
    assert hint.example_input is not None
    assert hint.example_input["kind"] == "<a or b or c or d or e or …>"
    assert "extra" not in hint.example_input


def test_a_body_that_is_no_json_is_told_what_else_is_wrong_with_its_call() -> None:
    """So that one answer is enough. Nothing of it is taken for the call: that is for the hint alone."""
    block = Guard(TOOLS).check('{"tool": "t", "code": "1234", "kind": "aa",}')
    assert not block.executable
    assert block.arguments is None
    assert [issue.constraint for issue in block.issues][:2] == ["json", "required"]
    assert all(issue.line is None for issue in block.issues[1:])
    hint = block.hint
    assert hint is not None
    assert hint.problem.startswith("JSON parsing error")
    assert "size" in hint.missing_fields
    assert hint.example_input is not None
    assert hint.example_input["kind"] == "<a or b or c or d or e or …>"


PAYEES = {
    "type": "object",
    "properties": {
        "to": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "card"}, "last4": {"type": "string"}},
                    "required": ["kind", "last4"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "bank"}, "iban": {"type": "string"}},
                    "required": ["kind", "iban"],
                    "additionalProperties": False,
                },
            ],
        },
        "also": {"type": "array", "items": {"$ref": "#/properties/to"}},
    },
    "required": ["to"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("given", "fields", "example"),
    [
        ({"kind": "card", "iban": "BE71"}, ("to.last4", "to.iban"), {"kind": "card", "last4": "<last4>"}),
        ({"kind": "bank", "last4": "1234"}, ("to.iban", "to.last4"), {"kind": "bank", "iban": "<iban>"}),
        ({"kind": "card", "last": "1234"}, ("to.last4",), {"kind": "card", "last4": "<last4>"}),
        ({"kind": "card", "iban": "BE71", "last4": "1234"}, ("to.iban",), None),
    ],
)
def test_a_hint_speaks_of_the_form_that_was_meant_alone(given: Any, fields: tuple[str, ...], example: Any) -> None:
    """A field of another form is named, kept out of the example, and never suggested."""
    tool = Tool("refund", "", PAYEES)
    hint = Guard([tool]).check(json.dumps({"tool": "refund", "to": given})).hint
    assert hint is not None
    assert (hint.fields, hint.suggestion) == (fields, None)
    assert (hint.example_input or {}).get("to") == example
    listed = Guard([tool]).check(json.dumps({"tool": "refund", "to": {"kind": "card", "last4": "1"}, "also": [given]})).hint
    assert listed is not None
    assert (listed.fields, listed.suggestion) == (tuple(name.replace("to", "also[0]", 1) for name in fields), None)


def test_what_is_suggested_is_a_field_of_the_form_that_was_meant() -> None:
    call = {"tool": "refund", "to": {"kind": "card", "last4": "1234", "lats4": "1"}}
    (issue,) = Guard([Tool("refund", "", PAYEES)], fixes="off").check(json.dumps(call)).issues
    assert (issue.expected, issue.suggestion) == (["kind", "last4"], "last4")


STRANGE: list[tuple[dict[str, Any], str]] = [
    ({"subject": "x"}, 'report tool requires "topic" field. There is no "subject" field'),
    ({"subject": "x", "style": {"colour": "red"}}, 'report tool requires "topic" field. There is no "subject" field'),
    (
        {"topic": "x", "style": {"shade": "red"}},
        'report tool requires "style.colour" field. There is no "style.shade" field',
    ),
    (
        {"topic": "x", "parts": [{"name": "a"}, {"named": "b"}]},
        'report tool requires "parts[1].name" field. There is no "parts[1].named" field',
    ),
    ({"arguments": {"topic": "x"}, "thought": "y"}, 'report tool requires "topic" field'),
    ({"a": 1, "b": 2, "c": 3}, 'report tool requires "topic" field. There is no "a" field. There is no "b" field'),
]


@pytest.mark.parametrize(("called", "problem"), STRANGE)
def test_a_field_that_does_not_exist_is_named_beside_one_that_is_missing(called: dict[str, Any], problem: str) -> None:
    """It is the one to rename, wherever it stands; a key of an envelope or a remark is not taken for it."""
    text = {"type": "string"}

    def holding(required: str, members: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": members, "required": [required], "additionalProperties": False}

    parts = {"type": "array", "items": holding("name", {"name": text})}
    schema = holding("topic", {"topic": text, "style": holding("colour", {"colour": text}), "parts": parts})
    tool = Tool("report", "Write a report", schema)
    hint = build_hint(check_arguments(tool, called, Limits()), tool, arguments=called)
    assert hint is not None
    assert hint.problem == problem
    open_one = Tool("report", "Write a report", {**schema, "additionalProperties": True})
    hint = build_hint(check_arguments(open_one, {"subject": "x"}, Limits()), open_one, arguments={"subject": "x"})
    assert hint is not None
    assert hint.problem == 'report tool requires "topic" field'  # it takes any other


@pytest.mark.parametrize("first", CODES)
@pytest.mark.parametrize("tool", [None, "write_file", FILE_TOOLS.get("write_file")], ids=["no tool", "a name", "a tool"])
def test_no_gap_of_a_sentence_is_left_open(first: str, tool: Tool | str | None) -> None:
    """Whatever comes first, and whatever else is wrong with the call."""
    for second in ("required", "missing_tool", "path_parent"):
        hint = build_hint([ValidationIssue(first, "One"), ValidationIssue(second, "Two", field="path")], tool)
        assert hint is not None
        assert "{" not in hint.message
        assert hint.message.startswith((f"{TO_THE_MODEL.get(first, 'One')}.", "Two."))


OBJECT: Any = {"type": "object", "properties": {"x": {"type": "integer"}, "0": {"type": "integer"}}, "required": ["x", "0"]}
LIST: Any = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}


@pytest.mark.some(12)
@pytest.mark.parametrize("given", [{"x": "q"}, {"0": "q"}, {}, [{"n": "q"}], [{}], ["q"], "q", 1, None, [], {"n": 1}], ids=repr)
@pytest.mark.parametrize("forms", [[LIST, OBJECT], [OBJECT, LIST], [LIST, OBJECT, {"type": "string"}]], ids=str)
@pytest.mark.parametrize("private", [set(), {"points"}, {"points.x"}], ids=str)
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_field_that_is_a_list_or_an_object_has_a_hint(keyword: str, private: set[str], forms: Any, given: Any) -> None:
    """Whatever stands there, in a call that lacks another field too; nothing is lost, and every block has an event."""
    members = {"points": {keyword: forms}, "t": {"type": "string"}}
    schema = {"type": "object", "properties": members, "required": ["points", "t"]}
    text = f"Hi.\n```json\n{json.dumps({'tool': 'draw', 'points': given})}\n```\nBye.\n"
    for early in ("off", "abort"):
        guard = Guard(Toolset(Tool("draw", "Draw", schema, private=private)), early=early)
        block = next(item for item in guard.scan([text]) if isinstance(item, ToolBlock))
        assert not block.executable
        assert block.hint is not None
        assert all(issue.code != "guard_error" for issue in block.issues)
        assert block.hint.recovery == "correct_call"
