"""The rows of this folder: printed by their modules, and right about what they say was meant."""

from __future__ import annotations

import json

import pytest

from stream_guard.tools.lessons import validate_lesson_data
from tests.corpora import make_broken, make_lessons
from tests.corpora.rows import aside
from tests.corpora.score import Row, guards, lesson, reply, rows, same, within
from tests.kit.proof import Cases

FILES = pytest.mark.parametrize("name", ["broken_replies.jsonl", "lessons.jsonl"])

PRINTED = {"broken_replies.jsonl": make_broken.printed, "lessons.jsonl": make_lessons.printed}


@FILES
def test_the_files_are_what_their_modules_print(name: str) -> None:
    same = [json.loads(line) for line in PRINTED[name]().splitlines()] == rows(name)
    assert same, f"{name}: if this is meant, run `python -m {PRINTED[name].__module__}`, and read the difference"


@FILES
def test_ids_are_unique_and_about_a_third_of_the_rows_is_kept_aside(name: str) -> None:
    ids = [row["id"] for row in rows(name)]
    assert len({*ids}) == len(ids)
    kept = [row["id"] for row in rows(name) if row["aside"]]
    assert kept == [row_id for row_id in ids if aside(row_id)]
    assert len(ids) * 0.25 < len(kept) < len(ids) * 0.4


def test_every_expected_call_is_valid_as_it_is() -> None:
    by_name = guards()
    for row in rows("broken_replies.jsonl"):
        for calls in ([row["expected"]] if row["sure"] else []) + row.get("accept", []):
            for call in calls:
                block = by_name[row["tool"]].check(json.dumps(call))
                assert block.outcome == "valid", row["id"]
                assert same(block.arguments, call), row["id"]


def test_every_expected_lesson_is_valid_as_it_is() -> None:
    for row in rows("lessons.jsonl"):
        assert (row["expected"] is None) == bool(row["issues"])
        if row["expected"] is not None:
            out = validate_lesson_data(row["expected"])
            assert out.data is not None, row["id"]
            assert out.data.lesson == row["expected"], row["id"]


def test_a_reply_is_exact_wrong_or_refused() -> None:
    """Only a call that was meant makes a row exact, and part of what was meant is refused."""
    row = {
        "tool": "home",
        "ended": "stop",
        "expected": [{"tool": "unlock_door", "door_id": "a"}, {"tool": "unlock_door", "door_id": "b"}],
    }
    guard = guards()["home"]
    fences = [f'```json\n{{"tool": "unlock_door", "door_id": "{door}"}}\n```\n' for door in "abc"]
    assert reply({**row, "text": fences[0] + fences[1]}, guard)[0] == "exact"
    assert reply({**row, "text": fences[0]}, guard)[0] == "refused"
    assert reply({**row, "text": fences[1] + fences[0]}, guard)[0] == "wrong"
    assert reply({**row, "text": fences[0] + fences[2]}, guard)[0] == "wrong"
    assert reply({**row, "text": "none"}, guard)[0] == "refused"
    assert reply({**row, "expected": None, "text": "none"}, guard)[0] == "exact"
    assert reply({**row, "expected": None, "text": fences[0]}, guard)[0] == "wrong"


@pytest.mark.promise("P7", "P8")
def test_no_reply_comes_out_wrong_but_those_that_are_valid_as_they_stand(cases: Cases) -> None:
    """A path with tabs and a formula with form feeds are JSON, and of a valid call: nothing is mended there."""
    by_name, unmended = guards(), guards("off")
    cases(len(rows("broken_replies.jsonl")))
    wrong = [row for row in rows("broken_replies.jsonl") if reply(row, by_name[row["tool"]])[0] == "wrong"]
    assert [row["id"] for row in wrong if reply(row, unmended[row["tool"]])[0] != "wrong"] == []


def test_a_lesson_that_must_fail_needs_its_issues() -> None:
    row: Row = {"lesson": {"metadata": {}, "widgets": []}, "expected": None}
    assert lesson({**row, "issues": ["metadata.topic", "widgets"]})[0] == "exact"
    assert lesson({**row, "issues": ["metadata.top"]})[0] == "refused"


def test_values_are_the_same_as_json() -> None:
    assert same({"a": [2.0, "x"]}, {"a": [2, "x"]})
    assert not same({"a": True}, {"a": 1})
    assert not same([1], [1, 2])
    assert within([{"a": 1}], [{"b": 1}, {"a": 1}])
    assert not within([1, 1], [1])
