"""What is read of other libraries' errors: jiter's and the standard parser's messages, the kinds of jsonschema-rs's.

A release that changes one of them fails here, by name, and not in what a model is told.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import jiter
import jsonschema_rs
import pytest

from docs.pages import EXAMPLES
from stream_guard.schema.json_text import parse

JITER: Final = {
    '{"a": 1, "a": 2}': 'Detected duplicate key "a" at line 1 column 14',
    "1" * 5_000: "number out of range at line 1 column 4302",
    "[" * 300: "recursion limit exceeded at line 1 column 202",
    '"\\ud83d"': "unexpected end of hex escape at line 1 column 8",
    '"\\ud83d\\u0041"': "lone leading surrogate in hex escape at line 1 column 13",
    '"\\udc00"': "lone leading surrogate in hex escape at line 1 column 7",
    '"\\x"': "invalid escape at line 1 column 3",
    "NaN": "expected value at line 1 column 1",
    '{"a":\n 1,}': "trailing comma at line 2 column 4",
}
"""Bodies, and what the strict parser says of them. Of each message the beginning, the word or the place is read."""

STANDARD: Final = {
    '{"a" 1}': "Expecting ':' delimiter",
    '"a': "Unterminated string starting at",
    '"a\nb"': "Invalid control character at",
    '"\\x"': "Invalid \\escape",
    '"\\u00g0"': "Invalid \\uXXXX escape",
    "1 2": "Extra data",
    **({"[1,]": "Illegal trailing comma before end of array"} if sys.version_info >= (3, 13) else {}),
}
"""Bodies, and what the standard parser says of them."""

CODES: Final = {
    '{"a": 1, "a": 2}': "duplicate_key",
    "1" * 5_000: "number_range",
    "[" * 300: "too_deep",
    '"\\ud83d"': "lone_surrogate",
    '"\\ud83d\\u0041"': "lone_surrogate",
    '"\\udc00"': "lone_surrogate",
    '"\\x"': "invalid_escape",
    "NaN": "not_a_number",
    '{"a":\n 1,}': "syntax",
    '{"a" 1}': "syntax",
    '"a': "unterminated",
    '"a\nb"': "control_character",
    '"\\u00g0"': "invalid_escape",
    "1 2": "trailing_garbage",
}
"""And what comes of it."""

KINDS: Final = {
    "required": "property",
    "type": "types",
    "enum": "options",
    "const": "expected_value",
    "pattern": "pattern",
    "format": "format",
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "additionalItems"), "limit"),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), "limit"),
    "multipleOf": "multiple_of",
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "unevaluatedItems"), "unexpected"),
    "propertyNames": "error",
    "not": "schema",
    **dict.fromkeys(("anyOf", "oneOf"), "context"),
    **dict.fromkeys(("uniqueItems", "contains", "falseSchema"), None),
}
"""The one detail that an error of each kind bears, or None."""


@pytest.mark.parametrize("body", JITER, ids=lambda body: repr(body[:20]))
def test_jiter_says_what_is_read_of_it(body: str) -> None:
    with pytest.raises(ValueError) as said:
        jiter.from_json(body.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    assert str(said.value) == JITER[body]


@pytest.mark.parametrize("body", STANDARD, ids=repr)
def test_the_standard_parser_says_what_is_read_of_it(body: str) -> None:
    with pytest.raises(json.JSONDecodeError) as said:
        json.loads(body)
    assert said.value.msg == STANDARD[body]


@pytest.mark.parametrize("body", CODES, ids=lambda body: repr(body[:20]))
def test_what_they_say_becomes_a_code(body: str) -> None:
    assert [issue.code for issue in parse(body).issues] == [CODES[body]]


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_error_of_jsonschema_rs_bears_its_rule_and_one_detail(rule: str) -> None:
    schema, value = EXAMPLES[rule]
    instance: dict[str, Any] = {} if value is ... else {"n": value}
    (error,) = jsonschema_rs.validator_for(schema, validate_formats=True).iter_errors(instance)
    assert error.kind.name == rule
    assert list(error.kind.as_dict()) == ([KINDS[rule]] if KINDS[rule] else [])
    assert tuple(error.instance_path) in ((), ("n",))


def test_what_is_read_is_pinned_below_its_next_major_version() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    pinned = {text.partition(">")[0] for text in project["project"]["dependencies"] if text.endswith(",<1")}
    assert pinned == {"jiter", "jsonschema-rs"}
