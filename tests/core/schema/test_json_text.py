"""The strict verdict, and the place of what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard.dialects.cursor import Cursor
from stream_guard.schema.json_text import _located, accepts, locate, parse, position
from tests.kit.values import VALUES


@pytest.mark.parametrize(
    ("body", "code", "line", "column"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key", 1, 10),
        ('{"a\\"b\\\\": 1, "a\\"b\\\\": 2}', "duplicate_key", 1, 15),
        ('{"x": {"é": 1,\n "é": 2}}', "duplicate_key", 2, 2),
        ('{"a": "x","a":"y"}', "duplicate_key", 1, 11),
        ('{"a": NaN}', "not_a_number", 1, 7),
        ('{"a": [-Infinity]}', "not_a_number", 1, 8),
        ("NaN", "not_a_number", 1, 1),
        ('{"a": 1e400}', "number_range", 1, 7),
        ('{"a": {"b": [0, -1e999]}}', "number_range", 1, 17),
        ('{"a": ' + "9" * 5000 + "}", "number_range", 1, 7),
        ('{"a": ' + "9" * 400 + ".0}", "number_range", 1, 7),
        ("[" * 100 + "]" * 100, "too_deep", 1, 65),
        ("[" + "1," * 200 + "1]", "too_many_values", 1, 1),
        ("[" * 100_000, "too_deep", 1, 202),
        ('{"a": "\\ud800"}', "lone_surrogate", 1, 8),
        ('{"a": "\\udc00"}', "lone_surrogate", 1, 8),
        ('{"a": "\ud800"}', "lone_surrogate", 1, 8),
        ('{"a": 1} x', "trailing_garbage", 1, 10),
        ("{}\n\n{}", "trailing_garbage", 3, 1),
        ("", "empty_block", 1, 1),
        (" \r\n", "empty_block", 1, 1),
        ('{"a": "x\ny"}', "control_character", 1, 9),
        ('{"a": "é\ty"}', "control_character", 1, 9),
        ('{"a": "\\d"}', "invalid_escape", 1, 8),
        ('{"a": "\\u12"}', "invalid_escape", 1, 9),
        ('{"a": 1', "unterminated", 1, 8),
        ('{"a": "x', "unterminated", 1, 7),
        ('{"a":\r\n 1,}', "syntax", 2, 4),
        ("{'a': 1}", "syntax", 1, 2),
        ("\ufeff{}", "syntax", 1, 1),
        ('{"a" 1}', "syntax", 1, 6),
        ("[tru]", "syntax", 1, 2),
    ],
)
def test_what_is_not_strict_json_says_where_and_why(body: str, code: str, line: int, column: int) -> None:
    """With a line and a column in characters, from 1, and the offset of the same place."""
    parsed = parse(body, max_depth=64, max_values=100)
    assert not parsed.ok
    assert parsed.value is None
    (issue,) = parsed.issues
    assert (issue.code, issue.line, issue.column) == (code, line, column)
    assert issue.offset is not None
    assert position(body, issue.offset) == (line, column)
    assert issue.message.startswith("JSON parsing error: ")
    assert issue.message.endswith(f" at line {line}")


@given(VALUES)
def test_whatever_the_strict_writer_writes_is_read_back(value: Any) -> None:
    """Equal, whole, with nothing found."""
    parsed = parse(json.dumps(value))
    assert parsed.ok
    assert parsed.value == value


@given(st.text(alphabet='{}[]:,"\\ abnrtu0123456789.eE+-\n\r\t\x00é😀\ud800', max_size=30))
def test_any_text_has_a_verdict_that_the_standard_parser_shares(body: str) -> None:
    """Never an exception; nothing is accepted that the standard parser refuses, and what it accepts beyond is named."""
    parsed = parse(body)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        assert not parsed.ok
    else:
        if parsed.ok:
            assert parsed.value == value
        else:
            assert parsed.issues[0].code in {"duplicate_key", "not_a_number", "number_range", "lone_surrogate", "too_deep"}


def test_the_json_test_suite(corpora: Path) -> None:
    """Every y_ row is accepted, no n_ row is."""
    counts = {"y": 0, "n": 0}
    for line in (corpora / "jsontestsuite.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind = row["id"].removeprefix("jts-")[:2]
        if row.get("input") is None or kind not in ("y_", "n_"):
            continue
        counts[kind[0]] += 1
        accepted = parse(row["input"]).ok
        if row["id"] in DUPLICATES:
            assert not accepted
        else:
            assert accepted is (kind == "y_"), row["id"]
    assert counts["y"] >= 90
    assert counts["n"] >= 170


DUPLICATES = {"jts-y_object_duplicated_key", "jts-y_object_duplicated_key_and_value"}
"""JSON's grammar allows the same key twice. We do not: parsers disagree on which one counts."""


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.data())
def test_any_value_can_be_located(value: dict[str, Any], data: st.DataObject) -> None:
    """The place is where the value begins."""
    body = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])))
    path: list[Any] = []
    here: Any = value
    while isinstance(here, dict | list) and here and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        path.append(step)
        here = here[step]
    at = locate(body, tuple(path))
    assert at is not None
    assert json.JSONDecoder().raw_decode(body, at)[0] == here


def test_what_is_not_there_cannot_be_located() -> None:
    """None, and no exception."""
    for path in [("b",), ("a", "x"), (0,), ("l", 2), ("l", "x")]:
        assert locate('{"a": 1, "l": [1, 2]}', path) is None


def test_positions_count_characters_and_every_kind_of_line_end() -> None:
    """LF, CR and CRLF, each once."""
    text = "a\r\nb\rc\né"
    assert [position(text, offset) for offset in range(len(text))] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1),
    ]  # fmt: skip


def test_what_is_taken_is_told_without_a_reason() -> None:
    """Depth and number of values included."""
    taken = ("[1, [2]]", "[[]]", '[{"a": 1}]')
    refused = ("[[[]]]", '[{"a": {}}]', "[1, 2, 3, 4, 5]", "{", '{"a": NaN}')
    for body in (*taken, *refused):
        assert accepts(body, max_depth=2, max_values=4) is (body in taken), body


@pytest.mark.parametrize("deepest", [1, 2, 64, 200])
def test_the_bound_of_the_depth_is_the_same_for_who_reads_along(deepest: int) -> None:
    """A block that the cursor held is not refused for its depth, nor the other way round; and no number hides behind it."""
    for levels in range(max(deepest - 2, 1), deepest + 3):
        body = '{"a": ' * (levels - 1) + "[]" + "}" * (levels - 1)
        cursor = Cursor(deepest)
        at = 0
        while at < len(body) and cursor.broken is None:
            at = cursor.feed(body, at, len(body))
        parsed = parse(body, max_depth=deepest)
        assert (cursor.broken is None, parsed.ok) == (levels <= deepest, levels <= deepest), levels
        assert {issue.code for issue in parse(body.replace("[]", "[1e999]"), max_depth=deepest).issues} == {
            "number_range" if levels <= deepest else "too_deep"
        }


def test_what_only_one_parser_stumbles_over_is_still_told() -> None:
    """Where the words of both are spent, it is syntax at the place."""
    found = parse('{"a": ' + "[" * 30_000)
    assert found.issues[0].code == "too_deep"
    assert parse("[1,]").issues[0].code == "syntax"
    (issue,) = parse("[NaN, " + "9" * 5_000 + "]").issues  # the standard parser takes the first, and gives up at the second
    assert (issue.code, issue.column) == ("syntax", 2)
    (issue,) = _located("[1 , ]", "Illegal trailing comma before end of array", 3).issues  # as Python says from 3.13 on
    assert (issue.code, issue.column) == ("syntax", 6)
    known: dict[int, dict[str | int, int]] = {}
    body = '{"a": [1, {"b": 2}], "c": 3}'
    for _ in range(2):  # the second time nothing is looked for again
        assert locate(body, ("a", 1, "b"), known) == body.index("2")
        assert locate(body, ("a", 0), known) == body.index("1")
