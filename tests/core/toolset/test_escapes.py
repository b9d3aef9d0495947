"""Escapes that were not meant: what fails, and what passes since it may have been meant."""

from __future__ import annotations

import json

import pytest

from stream_guard.toolset.escapes import undoubled


def fields(written: str) -> list[str]:
    return [issue.field for issue in undoubled(json.loads(written), written)]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (r'{"path": "C:\new\table.txt"}', ["path"]),
        (r'{"note": "C:\temp\new"}', ["note"]),
        (r'{"files": ["a.txt", "src\tests\new.py"]}', ["files[1]"]),
        (r'{"to": {"file_path": "src\new"}}', ["to.file_path"]),
        (r'{"text": "\frac{1}{2}"}', ["text"]),
        (r'{"text": "the \beta version", "path": "a\nb"}', ["text", "path"]),
        (r'{"pattern": "\bword\b"}', ["pattern"]),
    ],
)
def test_an_escape_in_a_path_and_a_backspace_before_a_letter_are_reported(written: str, found: list[str]) -> None:
    assert fields(written) == found


@pytest.mark.parametrize(
    "written",
    [
        r'{"path": "C:\\new\\table.txt"}',
        r'{"path": "src/new"}',
        r'{"content": "line one\nline two\tand more"}',
        r'{"text": "Q:\nWhat is it?\nA:\nNothing."}',
        r'{"text": "\\frac{1}{2}"}',
        r'{"text": "form feed \f alone, and \b too"}',
        r'{"note": "see src\new for it"}',
        "{}",
    ],
)
def test_what_may_have_been_meant_passes(written: str) -> None:
    assert fields(written) == []


def test_each_issue_has_the_code_and_names_what_to_do() -> None:
    written = r'{"path": "C:\new"}'
    (issue,) = undoubled(json.loads(written), written)
    assert (issue.code, issue.pointer) == ("undoubled_backslash", "/path")
    assert "double each backslash" in issue.message
