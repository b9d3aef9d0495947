"""Positions of issues, and what the messages say of them."""

from __future__ import annotations

import pytest

from stream_guard import Guard, Tool
from stream_guard.judge.judge import Judge
from stream_guard.schema.json_text import parse
from stream_guard.values.block import Block, call_body

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "count": {"type": "integer"}}, "required": ["path"]}
JUDGE = Judge(Guard([Tool("write_file", "", SCHEMA)]).judge.settings)

BROKEN = [
    '{"path": "a\nb"}',
    '{"path": "a",}',
    '{"path" "a"}',
    '{"path": "a", "path": "b"}',
    '{"path": "a" /* no */}',
    '{"path": "\\q"}',
    '{"path": yes}',
    '{"path": "a"',
    '{"path": "a"} more',
    '{"path": "a"}}',
    "{,}",
]


def native(arguments: str, cause: str = "closed") -> Block:
    body = call_body("write_file", arguments)
    return Block(arguments, body, cause, ambiguous=False, canonical=False, fenced=False, native_tool="write_file")  # type: ignore[arg-type]


@pytest.mark.parametrize("laid_out", ["{0}", "\n\n {0}", "{{\n\n  {1}"])
@pytest.mark.parametrize("broken", BROKEN)
def test_an_issue_of_a_native_call_stands_where_the_model_wrote_it(broken: str, laid_out: str) -> None:
    """The name of the tool, which the model did not write among the arguments, counts for nothing."""
    arguments = laid_out.format(broken, broken[1:])
    (told,), (found,) = JUDGE.verdict(native(arguments)).issues, parse(arguments).issues
    assert (told.code, told.line, told.column, told.offset) == (found.code, found.line, found.column, found.offset)
    assert told.message == found.message


def test_a_value_is_found_among_the_arguments() -> None:
    for arguments, line, column in (
        ('{"path": 1}', 1, 10),
        ('{\n  "path": "a",\n  "count": "b"}', 3, 12),
        ("{}", 1, 1),
        (" {}", 1, 2),
    ):
        (issue,) = JUDGE.verdict(native(arguments)).issues
        assert (issue.line, issue.column) == (line, column), arguments


def test_what_is_no_object_has_its_own_place() -> None:
    (issue,) = JUDGE.verdict(native(' "a\nb"')).issues
    assert (issue.line, issue.column, issue.offset) == (1, 4, 3)


def test_a_call_that_was_cut_off_has_as_many_characters_as_came() -> None:
    (issue,) = JUDGE.verdict(native('{"path": "', "length")).issues
    assert issue.offset == 10
    assert "after 10 characters" in issue.message
