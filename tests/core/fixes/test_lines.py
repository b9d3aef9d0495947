"""Where a text may have several lines, and what becomes of a line break that stands as it is where none was meant."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.correct.drift import Origin, compare
from stream_guard.fixes.lines import has_one_line, names_a_long_text, names_a_text_with_marks, names_one_line, without_indent

S: Final[dict[str, Any]] = {"type": "string"}


def tool(name: str, risk: Risk, **fields: Any) -> Tool:
    return Tool(name, "", {"type": "object", "properties": fields, "additionalProperties": False}, risk=risk)


FIELDS: Final[dict[str, Any]] = {
    "path": S,
    "user_id": S,
    "apiKey": S,
    "cc": S,
    "code": {**S, "pattern": "^[A-Z]+"},
    "when": {**S, "format": "date"},
    "level": {"enum": ["low", "hi\ngh"]},
    "motto": {**S, "maxLength": 64},
    "lines": {"type": "array", "items": S},
    "body": S,
    "old_string": S,
    "essay": {**S, "maxLength": 65},
    "value": S,
    "inner": {"type": "object", "properties": {"host": S, "note": S}, "additionalProperties": False},
}
TOOLS: Final = Toolset(tool("keep", Risk.WRITE, **FIELDS), tool("drop", Risk.DESTRUCTIVE, **FIELDS))
GUARD: Final = Guard(TOOLS)


def ran(name: str, members: str) -> list[dict[str, Any] | None]:
    items = GUARD.scan([f'```json\n{{"tool": "{name}", {members}}}\n```\n'])
    return [item.arguments for item in items if isinstance(item, ToolBlock) and item.executable]


ONE_LINE: Final = (
    '"path": "src/a{}b.txt"', '"user_id": "u{}7"', '"apiKey": "k{}1"', '"cc": "a@b.co{}c@d.co"', '"code": "AB{}C"',
    '"when": "2024-{}01-01"', '"level": "hi{}gh"', '"motto": "one{}two"', '"lines": ["one{}two"]',
    '"inner": {{"host": "a{}b"}}',
)  # fmt: skip
SEVERAL: Final = ('"body": "One.{}Two"', '"old_string": "One.{}Two"', '"inner": {{"note": "One.{}Two"}}')


@pytest.mark.some(12)
@pytest.mark.parametrize("tool_name", ["keep", "drop"])
@pytest.mark.parametrize("members", ONE_LINE)
@pytest.mark.parametrize("mark", ["\n", "\r\n", "\t", "\n  "])
@pytest.mark.promise("P8")
def test_a_line_break_in_what_has_one_line_refuses_the_call(tool_name: str, members: str, mark: str) -> None:
    """An id or a path that was wrapped: what it was to be is not known."""
    assert ran(tool_name, members.format(mark)) == []


@pytest.mark.parametrize("members", SEVERAL)
def test_a_line_break_in_a_long_text_is_one(members: str) -> None:
    ((arguments),) = ran("keep", members.format("\n"))
    assert "One.\nTwo" in str(arguments).replace("\\n", "\n")


@pytest.mark.parametrize("members", [*SEVERAL, '"essay": "One.{}Two"', '"value": "One.{}Two"'])
@pytest.mark.promise("P8")
def test_what_takes_something_away_has_no_line_break_as_it_is(members: str) -> None:
    assert len(ran("keep", members.format("\n"))) == 1
    assert ran("drop", members.format("\n")) == []


def test_a_line_break_of_one_call_says_nothing_of_another() -> None:
    body = '[{"tool": "keep", "body": "One.\nTwo"}, {"tool": "drop", "value": "x"}]'
    assert len(list(GUARD.scan([f"```json\n{body}\n```\n"]))) > 2
    run = [item.tool for item in GUARD.scan([f"```json\n{body}\n```\n"]) if isinstance(item, ToolBlock) and item.executable]
    assert run == ["keep", "drop"]


@pytest.mark.parametrize(
    ("members", "runs"),
    [
        ('"body": "one\ntwo\\nthree"', False),
        ('"body": "one\ntwo", "value": "three\\nfour"', False),
        ('"body": "def f():\n    return 1\\n"', True),
        ('"body": "import os\nimport sys\\n"', True),
        ('"body": "one\ntwo\nthree", "value": "three\\nfour"', False),  # who escapes no line break writes a backslash
        ('"body": "one\n\\"two\\"\nthree", "value": "three\\nfour"', True),
        ('"body": `one\ntwo`, "value": "three\\nfour"', True),
    ],
)
@pytest.mark.promise("P8")
def test_where_all_others_are_escaped_the_only_one_that_is_not_ends_a_line_of_code(members: str, runs: bool) -> None:
    assert (ran("keep", members) != []) is runs


@pytest.mark.parametrize("members", ['"user_id": "u\\n7"', '"lines": ["one\\ntwo"]', '"value": "one\\ntwo"'])
def test_one_that_is_escaped_is_meant(members: str) -> None:
    """Somebody wrote it on purpose: the block is valid."""
    assert len(ran("drop", members)) == 1


@pytest.mark.parametrize("members", ['"cc": "a{}b",, :', '"user_id": "u{}7",, :', '"lines": ["one{}two"],, :'])
@pytest.mark.promise("P8")
def test_a_correction_may_not_settle_what_it_was_to_be(members: str) -> None:
    """With the line break or without it: neither was said."""
    for mark in ("\n", ""):
        answer = json.loads(
            f'{{"tool": "keep", {members.format(mark).partition(",,")[0].replace(mark or "!", chr(92) + "n")}}}'
        )
        body = f'{{"tool": "keep", {members.format(chr(10))}}}'
        assert Guard(TOOLS).check(json.dumps(answer)).validation_passed
        assert compare(answer, Origin(body), TOOLS).drift is not None


def test_what_schema_and_name_say() -> None:
    drop = TOOLS.get("drop")
    assert drop is not None
    fields = drop.fields.members
    assert [name for name in FIELDS if has_one_line(fields[name])] == ["code", "when", "level", "motto"]
    assert [name for name in FIELDS if names_one_line((name,))] == ["path", "user_id", "apiKey", "cc", "code"][:4]
    assert [name for name in FIELDS if names_a_long_text((name,))] == ["code", "body", "old_string"]
    assert names_one_line(("lines", 0))
    assert not names_a_long_text(("body", 0))
    assert not names_one_line(())
    assert not names_a_long_text(())


def test_a_date_and_an_address_are_told_by_their_names() -> None:
    assert names_a_text_with_marks(("range", "start"))
    assert names_a_text_with_marks(("due_dates", 0))
    assert names_a_text_with_marks(("ipAddress",))
    assert not names_a_text_with_marks(("version",))
    assert not names_a_text_with_marks(())
    assert not names_a_text_with_marks((0,))


@pytest.mark.parametrize("opener", ["- ", "* Do this:\n  ", "1. x\n\n   ", "  "])
@pytest.mark.promise("P8")
def test_the_indent_of_a_fence_is_no_part_of_a_text(opener: str) -> None:
    """Every line has it, so every reader of Markdown takes it off. Where some lines lack it, it may be the text's own."""
    indent = " " * len(opener.rpartition("\n")[2])

    def runs(*lines: str) -> list[Any]:
        body = "\n".join(['{"tool": "keep", "body": "one', *lines]) + '"}'
        text = f"{opener}```json\n{indent if lines[0].startswith(indent) else ''}{body}\n{indent}```\n"
        return [item.arguments for item in GUARD.scan(text) if isinstance(item, ToolBlock) and item.executable]

    call = {"tool": "keep", "body": "one\n  two\n\nthree"}
    assert runs(indent + "  two", "", indent + "three") == [call]
    assert runs(indent + "  two", indent, indent + "three") == [call]
    assert runs("two", "", "three") == [{"tool": "keep", "body": "one\ntwo\n\nthree"}]
    for lines in ([indent + "  two", "", "three"], [indent + "  two", "", "\tthree"], [" two", "", "three"]):
        assert runs(*lines) == []


def test_lines_that_all_begin_at_the_edge_have_no_indent_to_take_off() -> None:
    assert without_indent("{\na\n}\n", 2) == "{\na\n}\n"
    assert without_indent("  {\n   a\n \n\n  }", 2) == "{\n a\n\n\n}"
    assert without_indent("{\n  a\n}", 2) is None
    assert without_indent("  {\n\ta\n  }", 2) is None


@pytest.mark.parametrize(("first", "last", "runs"), [("", "", True), ("", "\n", True), ("\n", "", False), ("\n", "\n", True)])
def test_a_line_break_between_a_text_and_the_last_brace_may_have_changed_places_with_the_quote(
    first: str, last: str, *, runs: bool
) -> None:
    """In a block that is written in lines, and of those the first may be that of the first brace alone."""
    body = f'{{{first}"tool": "keep", "body": "x y\nz\n"{last}}}'
    assert GUARD.check(body).executable is runs
