"""Other libraries' errors: whoever refuses a call, the same field is named and the same hint is given."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jiter
import jsonschema
import jsonschema_rs
import msgspec
import pydantic
import pydantic_core
import pytest

from stream_guard import Tool, ValidationIssue, build_hint
from stream_guard.schema.other_errors import About, issues_of
from stream_guard.tools.files import EDIT_FILE
from tests.kit.broken_payloads import BOOK, CHANGES, payload

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["fast", "slow"], "description": "How quickly"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "code": {"type": "string", "pattern": "^[A-Z]+$", "minLength": 2, "maxLength": 4},
        "inner": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
    "required": ["kind", "count", "inner"],
    "additionalProperties": False,
}
TOOL = Tool("run", "Run it", SCHEMA)
GOOD: dict[str, Any] = {"kind": "fast", "count": 1, "inner": {"name": "n", "tags": ["a"]}}


class PInner(pydantic.BaseModel, extra="forbid", strict=True):
    name: str
    tags: Annotated[list[str], pydantic.Field(max_length=2)] = []


class PRun(pydantic.BaseModel, extra="forbid", strict=True):
    kind: Literal["fast", "slow"]
    count: Annotated[int, pydantic.Field(ge=1, le=9)]
    code: Annotated[str, pydantic.Field(pattern="^[A-Z]+$", min_length=2, max_length=4)] = "AB"
    inner: PInner


class MInner(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tags: Annotated[list[str], msgspec.Meta(max_length=2)] = []


class MRun(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["fast", "slow"]
    count: Annotated[int, msgspec.Meta(ge=1, le=9)]
    inner: MInner
    code: Annotated[str, msgspec.Meta(pattern="^[A-Z]+$", min_length=2, max_length=4)] = "AB"


def raised(check: Callable[[Any], object], value: Any) -> Exception:
    try:
        check(value)
    except Exception as error:
        return error
    raise AssertionError("it was accepted")


def iter_errors(value: Any) -> None:
    errors = list(jsonschema_rs.validator_for(SCHEMA).iter_errors(value))
    if errors:
        raise errors[0]


class Structured(Exception):
    """An error of somebody's own, that speaks for itself."""

    def __init__(self, issues: list[Any]) -> None:
        self._issues = issues

    def issues(self) -> list[Any]:
        return self._issues


CHECKS: dict[str, Callable[[Any], object]] = {
    "pydantic": PRun.model_validate,
    "jsonschema": lambda value: jsonschema.validate(value, SCHEMA),
    "jsonschema-rs": iter_errors,
    "msgspec": lambda value: msgspec.convert(value, MRun),
}


@pytest.mark.parametrize(
    ("change", "field", "constraint", "expected"),
    [
        ({"kind": ...}, "kind", "required", None),
        ({"inner": {}}, "inner.name", "required", None),
        ({"kind": "medium"}, "kind", "enum", ["fast", "slow"]),
        ({"count": "1"}, "count", "type", ["integer"]),
        ({"count": 0}, "count", "minimum", 1),
        ({"count": 10}, "count", "maximum", 9),
        ({"code": "ab"}, "code", "pattern", "^[A-Z]+$"),
        ({"code": "A"}, "code", "minLength", 2),
        ({"code": "ABCDE"}, "code", "maxLength", 4),
        ({"inner": {"name": "n", "tags": ["a", "b", "c"]}}, "inner.tags", "maxItems", 2),
        ({"inner": {"name": 7}}, "inner.name", "type", ["string"]),
        ({"inner": {"name": "n", "tags": [1]}}, "inner.tags[0]", "type", ["string"]),
        ({"inner": {"name": "n", "more": 1}}, "inner.more", "additionalProperties", None),
    ],
)
def test_five_kinds_of_error_for_one_fault_name_one_field(change: Any, field: str, constraint: str, expected: Any) -> None:
    """And the same rule, with the same bound: so the same hint."""
    value = {key: item for key, item in {**GOOD, **change}.items() if item is not ...}
    hints = {}
    for name in ("pydantic", "jsonschema", "jsonschema-rs", "msgspec"):
        error = raised(CHECKS[name], value)
        (issue,) = issues_of(error, About(TOOL.name, TOOL.compiled))
        assert (issue.field, issue.constraint) == (field, constraint), name
        if constraint != "additionalProperties":
            assert issue.expected == expected, name
        hints[name] = build_hint(error, TOOL, arguments=value)
    (own,) = [build_hint([issue], TOOL, arguments=value) for issue in issues_of(raised(CHECKS["jsonschema-rs"], value))]
    assert own is not None
    hints["issues()"] = build_hint(
        Structured([{"Field": field, "Constraint": constraint, "Expected": expected, "Got": None}]), TOOL, arguments=value
    )
    for name, hint in hints.items():
        assert hint is not None
        assert hint.fields == (field,), name
        assert hint.missing_fields == own.missing_fields, name
        assert (hint.pattern, hint.minimum, hint.maximum, hint.allowed_values) == (
            own.pattern, own.minimum, own.maximum, own.allowed_values,
        ), name  # fmt: skip
        assert hint.reason == "invalid_arguments"


@pytest.mark.parametrize("name", CHANGES)
def test_jsonschema_and_jsonschema_rs_say_the_same_of_every_broken_payload(name: str) -> None:
    """Unions and their discriminators included; only the order may differ."""
    value = payload(name)
    checker = jsonschema.Draft202012Validator(dict(BOOK.schema), format_checker=jsonschema.FormatChecker())
    about = About(BOOK.name, BOOK.compiled)
    theirs = {(issue.field, issue.constraint) for issue in issues_of(checker.iter_errors(value), about)}
    rs = jsonschema_rs.validator_for(dict(BOOK.schema), validate_formats=True)
    ours = {(issue.field, issue.constraint) for issue in issues_of(rs.iter_errors(value), about)}
    elsewhere = {  # what jsonschema reports in other words, or without the place
        "fields, a bad name": {("extra", "pattern")},
        "items, one beyond the listed": {("pair", "items")},
        "ruled out": {("", "falseSchema")},
    }
    assert theirs == elsewhere.get(name, ours)


@pytest.mark.parametrize(
    ("text", "field", "constraint"),
    [
        ("'old_string' is a required property", "search_replace.old_string", "required"),
        ("missing required attribute: body.path", "path", "required"),
        ("body.search_replace.new_string is missing", "search_replace.new_string", "required"),
        ("Field required: search_replace", "search_replace", "required"),
        ("$.search_replace.old_string: expected string, got 3", "search_replace.old_string", "type"),
        ("/search_replace/old_string must be a string", "search_replace.old_string", "type"),
        ("data.path must be shorter than or equal to 9 characters", "path", ""),
        ("invalid value for `searchReplace.newString`", "search_replace.new_string", ""),
        ("unknown field `mode`, expected `path`", "path", "additionalProperties"),
        ("Additional properties are not allowed ('mode' was unexpected)", "mode", "additionalProperties"),
        ("file_path: too short", "path", "minLength"),
        ("path does not match the pattern", "path", "pattern"),
        ("no such thing in heaven or earth", "", ""),
        ("", "", ""),
        ("x" * 10_000, "", ""),
    ],
)
def test_a_text_is_searched_for_the_path_of_a_field(text: str, field: str, constraint: str) -> None:
    """Structured first, path extraction next, schema last; a text that names nothing is passed on as it is."""
    for error in (text, ValueError(text)):
        (issue,) = issues_of(error, About("edit_file", EDIT_FILE.compiled, EDIT_FILE.field_aliases))
        assert (issue.field, issue.constraint) == (field, constraint)
        assert issue.message
        assert len(issue.message) <= 300
        if not field:
            assert issue.code == "rejected"
            hint = build_hint(error, EDIT_FILE)
            assert hint is not None
            assert hint.fields == hint.missing_fields == ()


def test_a_text_that_misses_something_it_does_not_name_is_about_the_field_that_is_not_there() -> None:
    """The schema last."""
    hint = build_hint("a required argument is missing", EDIT_FILE, arguments={"path": "a"})
    assert hint is not None
    assert hint.missing_fields == ("search_replace",)
    assert hint.example_input == {"path": "a", "search_replace": {"old_string": "<old_string>", "new_string": "<new_string>"}}
    hint = build_hint("a required argument is missing", EDIT_FILE)
    assert hint is not None
    assert hint.missing_fields == ()


def test_the_schema_tells_what_a_text_leaves_out() -> None:
    """The allowed values, the pattern and the bounds of the field that the text names."""
    hint = build_hint("`kind` is not one of the allowed values", TOOL)
    assert hint is not None
    assert (hint.fields, hint.allowed_values) == (("kind",), ("fast", "slow"))
    hint = build_hint("$.code does not match", TOOL)
    assert hint is not None
    assert hint.pattern == "^[A-Z]+$"
    assert hint.clarifying_question == 'What should be given for: "code"?'


@pytest.mark.parametrize(
    "broken",
    [
        json.loads,
        lambda text: jiter.from_json(text.encode()),
        lambda text: pydantic.TypeAdapter(dict[str, Any]).validate_json(text),
        msgspec.json.decode,
    ],
)
def test_whoever_reads_the_json_says_that_it_is_none(broken: Any) -> None:
    """And, where the parser tells, in which line."""
    error = raised(broken, '{\n "a": 1,\n "b" 2}')
    (issue,) = issues_of(error)
    assert issue.constraint == "json"
    assert issue.code == "syntax"
    hint = build_hint(error, TOOL)
    assert hint is not None
    assert hint.message.startswith("JSON parsing error: Unexpected token at ")
    assert hint.fields == ()


def test_an_error_speaks_for_itself_in_whatever_shape_its_issues_are() -> None:
    """Our issues, mappings in any case, and objects."""

    class Theirs:
        field, constraint, expected, got, message = "count", "minimum", 1, 0, "count is too small"

    mine = ValidationIssue("schema", "n", field="count", constraint="minimum", expected=1)
    found = issues_of(Structured([mine, Theirs(), {"field": "kind"}]), About("run", TOOL.compiled))
    assert [(issue.field, issue.message) for issue in found] == [
        ("count", "n"), ("count", "count is too small"), ("kind", '"kind" was refused'),
    ]  # fmt: skip
    assert build_hint(Structured([]), TOOL) is None
    assert build_hint(None, TOOL) is None
    assert build_hint([], TOOL) is None


def test_a_pydantic_union_names_its_field_without_its_branch() -> None:
    """It puts the names of branches between the steps of a path."""

    class A(pydantic.BaseModel):
        by: Literal["card"]
        number: str

    class B(pydantic.BaseModel):
        by: Literal["cash"]

    class Pay(pydantic.BaseModel):
        payment: Annotated[A | B, pydantic.Field(discriminator="by")]
        loose: int | list[int] = 1

    tool = Tool.of(Pay)
    about = About(tool.name, tool.compiled)

    def told(value: Any) -> list[tuple[str, str]]:
        return [(issue.field, issue.constraint) for issue in issues_of(raised(Pay.model_validate, value), about)]

    assert told({"payment": {"by": "card"}}) == [("payment.number", "required")]
    assert told({"payment": {"by": "cheque"}}) == [("payment.by", "enum")]
    assert told({"payment": {}}) == [("payment.by", "required")]
    assert {field for field, _ in told({"payment": {"by": "cash"}, "loose": "x"})} == {"loose"}


def test_errors_that_tell_little_are_taken_for_what_they_tell() -> None:
    """A parser that stumbled where ours does not, rules of one's own, texts without a schema."""
    lax = json.JSONDecodeError("Expecting value", "[1]", 1)  # what it stumbled over, our parser takes
    (issue,) = issues_of(lax)
    assert (issue.code, issue.line, issue.column) == ("syntax", 1, 2)

    class Day(pydantic.BaseModel):
        day: int

        @pydantic.field_validator("day")
        @classmethod
        def open_then(cls, day: int) -> int:
            raise pydantic_core.PydanticCustomError("closed", "closed on that day")

    with pytest.raises(pydantic.ValidationError) as caught:
        Day.model_validate({"day": 1})
    (issue,) = issues_of(caught.value)
    assert (issue.field, issue.constraint) == ("day", "closed")
    (issue,) = issues_of('"day.of_week" is a required property')
    assert issue.field == "day.of_week"
    (issue,) = issues_of("it is missing something")
    assert issue.field == ""


def test_a_choice_of_which_not_every_branch_spoke_is_told_as_a_choice() -> None:
    """A branch of `oneOf` that fits says nothing: then several do."""
    error = next(
        jsonschema.Draft202012Validator({"oneOf": [{"type": "integer"}, {"minimum": 0}, {"type": "string"}]}).iter_errors(5)
    )
    (issue,) = issues_of(error)
    assert issue.constraint == "oneOf"


def test_what_msgspec_calls_invalid_without_a_choice_is_said_in_its_words() -> None:
    class Whole(msgspec.Struct):
        id: uuid.UUID

    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"id": "x"}, Whole)
    (issue,) = issues_of(caught.value)
    assert issue.field == "id"
    assert "Invalid UUID" in issue.message
    assert issues_of(msgspec.ValidationError("Something of its own"))


# -- Go ----------------------------------------------------------------------------------------------------------------

GO = Tool(
    "run",
    "Run it",
    {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "email": {"type": "string", "format": "email"},
            "name": {"type": "string", "minLength": 2, "maxLength": 5},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "kind": {"enum": ["fast", "slow"]},
            "code": {"type": "string", "pattern": "^[A-Z]+$"},
            "inner": {"type": "object", "properties": {"n": {"type": "number", "minimum": 3}}},
        },
        "required": ["count"],
    },
)


class GoIssue:
    """As a Go struct looks through a bridge: exported names."""

    def __init__(self, field: str, constraint: str, got: Any = None) -> None:
        self.Field, self.Constraint, self.Expected, self.Got = field, constraint, None, got


class GoError(Exception):
    """As a Go error looks through a bridge."""

    def __init__(self, *found: GoIssue) -> None:
        self.found = found

    def Issues(self) -> tuple[GoIssue, ...]:  # noqa: N802  # as Go names it
        return self.found


@pytest.mark.parametrize(
    ("error", "field", "says"),
    [
        (GoError(GoIssue("count", "invalid_range", 0)), "count", {"minimum": 1}),
        (GoError(GoIssue("count", "invalid_range", 12)), "count", {"maximum": 9}),
        (GoError(GoIssue("body.inner.n", "min")), "inner.n", {"minimum": 3}),
        ([{"Field": "count", "Constraint": "gte", "Expected": 1, "Got": 0}], "count", {"minimum": 1}),
        ([{"Field": "name", "Constraint": "invalid_length", "Got": "a"}], "name", {"minimum": 2}),
        ([{"field": "name", "constraint": "invalid_length", "min_len": 2}], "name", {"minimum": 2}),
        ([{"Field": "tags", "Constraint": "max", "Got": ["a", "b", "c"]}], "tags", {"maximum": 2}),
        ({"Issues": [{"Field": "email", "Constraint": "invalid_format"}]}, "email", {"format": "email"}),
        ({"Field": "code", "Constraint": "invalid_pattern"}, "code", {"pattern": "^[A-Z]+$"}),
        ('{"issues": [{"field": "kind", "constraint": "invalid_enum_value"}]}', "kind", {"allowed_values": ("fast", "slow")}),
        (
            '[{"field": "kind", "constraint": "oneof", "allowed": ["fast", "slow"]}]',
            "kind",
            {"allowed_values": ("fast", "slow")},
        ),
        (
            ValueError('{"Issues": [{"Field": "count", "Constraint": "missing_field"}]}'),
            "count",
            {"missing_fields": ("count",)},
        ),
        ([{"Field": "count", "Constraint": "odd"}], "count", {"minimum": 1, "maximum": 9}),
        ("body.count must be greater or equal than 1 but got value 0", "count", {"minimum": 1}),
        ("body.count must be lesser or equal than 9 but got value 10", "count", {"maximum": 9}),
        ('length of body.name must be greater or equal than 2 but got value "a" (len=1)', "name", {"minimum": 2}),
        ('length of body.tags must be lesser or equal than 2 but got value ["x"] (len=3)', "tags", {"maximum": 2}),
        ("body.email must be formatted as a email but got value \"x\", mail: missing '@'", "email", {"format": "email"}),
        ('body.code must match the regexp "^[A-Z]+$" but got value "count"', "code", {"pattern": "^[A-Z]+$"}),
        ('value of body.kind must be one of "fast", "slow" but got value "x"', "kind", {"allowed_values": ("fast", "slow")}),
        ('"count" is missing from body', "count", {"missing_fields": ("count",)}),
        ("count is out of range", "count", {"minimum": 1, "maximum": 9}),
        ("the email is invalid", "email", {"format": "email"}),
    ],
)
def test_issues_and_texts_of_go_name_the_rule_and_the_schema_says_what_it_asks_for(
    error: Any, field: str, says: dict[str, Any]
) -> None:
    hint = build_hint(error, GO, arguments={})
    assert hint is not None
    names = ("minimum", "maximum", "format", "pattern", "allowed_values", "missing_fields")
    told = {name: getattr(hint, name) for name in names if getattr(hint, name) not in (None, ())}
    assert (hint.fields, told) == ((field,), says)


def test_a_text_that_joins_several_errors_names_all_their_fields() -> None:
    text = (
        'body.count must be greater or equal than 1 but got value 0; body.email must be formatted as a email but got value "x"'
    )
    hint = build_hint(text, GO, arguments={})
    assert hint is not None
    assert (hint.fields, hint.minimum, hint.format) == (("count", "email"), 1, "email")
    (one,) = issues_of("count is wrong; try again", About(GO.name, GO.compiled))
    assert one.field == "count"
