"""Sixty broken payloads, and exactly what is said of each.

After a change of words, `python -m tests.core.toolset.test_hint_table` writes the table anew; read every line
of the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stream_guard import Limits, Toolset, build_hint
from stream_guard.toolset.arguments import check_arguments
from stream_guard.toolset.validate import validate
from stream_guard.values.plain import plain
from tests.kit.broken_payloads import BOOK, CHANGES, GOOD, payload

GOLDEN = Path(__file__).parents[2] / "goldens" / "hints.json"
BODY = '{"tool": "book", "city": "Ghent", "seats": 2, "day": "monday", "guest": {"name": "An'


def said(name: str) -> dict[str, Any]:
    """The issues of a payload, by code, field and rule, and the hint."""
    issues = check_arguments(BOOK, payload(name), Limits())
    hint = build_hint(issues, BOOK, arguments=payload(name))
    told = {key: value for key, value in plain(hint).items() if value not in ([], None, {})}
    return {"issues": [f"{issue.code} {issue.field} {issue.constraint}" for issue in issues], "hint": told}


def table() -> dict[str, Any]:
    return {name: said(name) for name in CHANGES}


def test_there_are_sixty_and_the_payload_they_break_is_whole() -> None:
    assert len(CHANGES) == 60
    assert check_arguments(BOOK, GOOD, Limits()) == []
    assert list(json.loads(GOLDEN.read_text(encoding="utf-8"))) == list(CHANGES)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_said_of_a_broken_payload(name: str) -> None:
    kept = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert said(name) == kept, "if this is meant, run `python -m tests.core.toolset.test_hint_table`, and read the difference"


def test_a_payload_that_was_cut_off_is_not_said_to_lack_anything() -> None:
    (issue,) = validate(BODY, Toolset(BOOK)).issues
    assert (issue.code, issue.line, issue.column) == ("unterminated", 1, 82)
    hint = build_hint([issue], BOOK)
    assert hint is not None
    assert hint.for_model() == (
        "JSON parsing error: Unexpected end at line 1, column 82. Close every string, object and array. "
        "Nothing was run. Send the call again, corrected."
    )
    assert hint.missing_fields == hint.fields == ()


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(table(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
