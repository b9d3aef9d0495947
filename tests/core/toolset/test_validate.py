"""The three levels, with the file tools: the checklist of the specification, line by line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stream_guard import CODES, Guard, JsonToolValidation, Limits, Tool, Toolset, ValidationIssue, validate_json_tool_block
from stream_guard.schema.schema import Schema, SchemaError
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import _check_path, check_path
from stream_guard.toolset.validate import validate
from stream_guard.values.issues import dotted, pointer, shorten


def fence(body: str) -> str:
    return f"```json\n{body}\n```"


def spell(**call: Any) -> str:
    return json.dumps(call)


EDIT = {"old_string": "a", "new_string": "b"}


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        # The specification's four examples, with its messages.
        (
            '{\n  "tool": "create_file",\n  "path": "test.txt",\n  "content": "hello"\n}',
            ("Invalid tool type: create_file. Must be write_file, delete_file, or edit_file",),
        ),
        ('{\n  "tool": "write_file",\n  "path": "test.txt"\n}', ('write_file tool requires "content" field',)),
        (
            '{\n  "tool": "write_file",\n  "path": "test.txt",\n  "content": "Line 1\nLine 2"\n}',
            ("JSON parsing error: Unexpected token at line 4",),
        ),
        (
            '{\n  "tool": "edit_file",\n  "path": "App.tsx",\n  "old": "hello",\n  "new": "world"\n}',
            ('edit_file tool requires "search_replace" field',),
        ),
        # Level 1.
        ('{"tool": "delete_file", "path": "a",}', ("JSON parsing error: Unexpected token at line 1",)),
        ("", ("JSON parsing error: The block is empty at line 1",)),
        # Level 2.
        (spell(path="a", content=""), ('Missing "tool" field',)),
        (spell(tool=None, path="a"), ("Invalid tool type: null. Must be write_file, delete_file, or edit_file",)),
        (spell(tool="x"), ("Invalid tool type: x. Must be write_file, delete_file, or edit_file", 'Missing "path" field')),
        (
            spell(tool="x", path=1),
            ("Invalid tool type: x. Must be write_file, delete_file, or edit_file", '"path" must be a string, not a number'),
        ),
        (spell(tool="delete_file"), ('delete_file tool requires "path" field',)),
        (spell(tool="delete_file", path=""), ('"path" must be a non-empty string',)),
        (spell(tool="delete_file", path=["a"]), ('"path" must be a string, not an array',)),
        ("[]", ("A tool block is one JSON object, not an array",)),
        ("null", ("A tool block is one JSON object, not null",)),
        # Level 3.
        (spell(tool="write_file", path="a", content=None), ('"content" must be a string, not null',)),
        (spell(tool="write_file", path="a", content={}), ('"content" must be a string, not an object',)),
        (spell(tool="write_file", path="a", content="", mode=7), ('write_file tool has no "mode" field',)),
        (spell(tool="delete_file", path="a", recursive=True), ('delete_file tool has no "recursive" field',)),
        (spell(tool="edit_file", path="a"), ('edit_file tool requires "search_replace" field',)),
        (spell(tool="edit_file", path="a", search_replace=True), ('"search_replace" must be an object, not a boolean',)),
        (
            spell(tool="edit_file", path="a", search_replace={}),
            (
                'edit_file tool requires "search_replace.old_string" field',
                'edit_file tool requires "search_replace.new_string" field',
            ),
        ),
        (
            spell(tool="edit_file", path="a", search_replace={"old_string": None, "new_string": 1.5}),
            (
                '"search_replace.new_string" must be a string, not a number',
                '"search_replace.old_string" must be a string, not null',
            ),
        ),
        (
            spell(tool="edit_file", path="a", search_replace={**EDIT, "all": True}),
            ('edit_file tool has no "search_replace.all" field',),
        ),
    ],
)
def test_what_is_wrong_with_a_block(body: str, errors: tuple[str, ...]) -> None:
    """The function of the specification, under its name."""
    found = validate_json_tool_block(fence(body))
    assert not found.is_valid
    assert sorted(found.errors) == sorted(errors)
    assert found.parsed_json == (json.loads(body) if "JSON parsing" not in errors[0] else None)


@pytest.mark.parametrize(
    "call",
    [
        {"tool": "write_file", "path": "src/components/Button.tsx", "content": 'x = "é"\n'},
        {"tool": "write_file", "path": "a", "content": ""},
        {"tool": "delete_file", "path": "a b/c.txt"},
        {"tool": "edit_file", "path": "a", "search_replace": EDIT},
        {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "", "new_string": ""}},
    ],
)
def test_a_valid_call_is_valid(call: dict[str, Any]) -> None:
    """Empty content is content."""
    assert validate_json_tool_block(f"Here:\n{fence(json.dumps(call))}\nDone.") == JsonToolValidation(True, [], call)


def test_a_text_without_exactly_one_block_is_refused_with_the_count() -> None:
    """Level 1: the markers."""
    body = spell(tool="delete_file", path="a")
    for text, found in [(body, "none"), (f"```\n{body}\n```", "none"), (f"{fence(body)}\n{fence(body)}", "2")]:
        assert validate_json_tool_block(text).errors == [f"Expected one ```json code block, found {found}"]
    assert validate_json_tool_block("```json\n" + body).errors == ["The closing fence is missing"]


@pytest.mark.parametrize(
    ("path", "codes"),
    [
        ("a.txt", []),
        ("src/.env/..x/x..", []),
        ("ação/日本.txt", []),
        ("", ["empty_path"]),
        ("/etc/passwd", ["path_absolute"]),
        ("\\etc", ["path_absolute"]),
        ("//host/share", ["path_unc"]),
        ("\\\\host\\share", ["path_unc"]),
        ("\\\\?\\C:\\x", ["path_unc"]),
        ("../x", ["path_parent"]),
        ("a/../../x", ["path_parent"]),
        ("a\\..\\x", ["path_parent"]),
        ("a/.. /x", ["path_parent"]),
        ("..", ["path_parent"]),
        ("C:\\x", ["path_drive"]),
        ("c:x", ["path_drive"]),
        ("a\0b", ["path_nul"]),
        ("a\nb", ["path_control"]),
        ("a\x7fb", ["path_control"]),
        ("a\x85b", ["path_control"]),
        ("/../C:\n", ["path_control", "path_absolute", "path_parent"]),
    ],
)
def test_a_path_stays_inside_the_workspace(path: str, codes: list[str]) -> None:
    """Each way out has a code of its own, whatever system the path ends up on."""
    assert [issue.code for issue in check_path(path)] == codes
    block = Guard(FILE_TOOLS, fixes="off").check(spell(tool="delete_file", path=path))
    assert [issue.code for issue in block.issues] == codes
    assert block.executable is (codes == [])


def test_an_issue_says_where_in_the_text_its_value_stands() -> None:
    """Line, column and offset of the value, or of the object that lacks it; dotted field and pointer."""
    body = '{\n  "tool": "edit_file",\n  "path": "a",\n  "search_replace": {"old_string": 5}\n}'
    found = {issue.field: issue for issue in validate(body, FILE_TOOLS).issues}
    wrong, missing = found["search_replace.old_string"], found["search_replace.new_string"]
    assert (wrong.line, wrong.column, wrong.pointer) == (4, 36, "/search_replace/old_string")
    assert (wrong.code, wrong.constraint, wrong.expected, wrong.got) == ("type", "type", ["string"], 5)
    assert body[wrong.offset :].startswith("5}")
    assert (missing.line, missing.column, missing.constraint) == (4, 21, "required")
    assert str(missing) == 'edit_file tool requires "search_replace.new_string" field (line 4, column 21)'


def test_issues_are_bounded_and_quote_little() -> None:
    """A broken array must not fill the wire."""
    tools = Toolset(Tool("t", "", {"properties": {"n": {"items": {"type": "string"}}}}))
    issues = validate(spell(tool="t", n=[{"a": "x" * 500}] * 100), tools, Limits(max_issues=7)).issues
    assert len(issues) == 7
    assert issues[3].field == "n[3]"
    assert issues[0].got == "object of 1"
    assert len(shorten("x" * 500)) == 80
    assert shorten([1] * 500) == "array of 500"
    assert (shorten([1]), shorten(7)) == ([1], 7)


def test_other_keywords_of_a_schema_are_reported_by_their_word() -> None:
    """With what was asked for as data, formats included."""
    schema = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1},
            "kind": {"enum": ["a", "b"]},
            "mail": {"type": "string", "format": "email"},
            "path": {"type": "string", "minLength": 3},
        },
    }
    body = spell(tool="t", size=0, kind="c", mail="x", path="ab")
    found = {issue.field: issue for issue in validate(body, Toolset(Tool("t", "", schema))).issues}
    assert {field: (issue.code, issue.constraint, issue.expected) for field, issue in found.items()} == {
        "size": ("schema", "minimum", 1),
        "kind": ("schema", "enum", ["a", "b"]),
        "mail": ("schema", "format", "email"),
        "path": ("schema", "minLength", 3),
    }
    assert found["size"].message == '"size" must be at least 1'


def test_a_rule_sees_what_it_is_given_and_its_fault_lets_nothing_through() -> None:
    """Closed for tools; and not a word of the content in the report."""

    def even(arguments: Any) -> Any:
        if arguments["n"] % 2:
            yield ValidationIssue("schema", "n must be even", field="n", constraint="even", pointer="/n")

    tools = Toolset(Tool("t", "", {"type": "object"}, rules=(even,)))
    assert validate(spell(tool="t", n=2), tools).passed
    assert [issue.message for issue in validate(spell(tool="t", n=3), tools).issues] == ["n must be even"]
    (issue,) = validate(spell(tool="t", secret="x"), tools).issues
    assert issue.code == "guard_error"
    assert issue.message == "The rule even of t failed (KeyError)"


def test_a_warning_travels_with_a_block_that_passes() -> None:
    """Only errors keep a block from passing."""
    rule = lambda _: [ValidationIssue("schema", "unusual", severity="warning")]  # noqa: E731
    block = Guard(Toolset(Tool("t", "", {}, rules=(rule,)))).check(spell(tool="t"))
    assert block.executable
    assert [issue.message for issue in block.issues] == ["unusual"]


def test_places_are_written_both_ways() -> None:
    """Dotted for people, as a pointer for programs."""
    path = ("widgets", 2, "a/b", "c~d")
    assert dotted(path) == "widgets[2].a/b.c~d"
    assert pointer(path) == "/widgets/2/a~1b/c~0d"
    assert dotted((0, "a")) == "[0].a"
    tools = Toolset(Tool("t", "", {"properties": {"0": {"properties": {"a/b~": {"type": "string"}}}}}))
    (issue,) = validate('{"tool": "t",\n"0": {"a/b~": 1}}', tools).issues
    assert (issue.line, issue.column, issue.pointer) == (2, 15, "/0/a~1b~0")


def test_an_issue_prints_its_place_once() -> None:
    """With the message as it is when there is no place."""
    assert str(ValidationIssue("truncated", "cut off")) == "cut off"
    assert str(ValidationIssue("syntax", "bad at line 3", constraint="json", line=3, column=4)) == "bad at line 3, column 4"


def test_only_codes_of_the_table_exist_and_each_row_shows_its_fault() -> None:
    """The bad example of every JSON and tool code has that code, and the good one passes."""
    with pytest.raises(ValueError, match="unknown issue code: 'nope'"):
        ValidationIssue("nope", "x")
    guard = Guard(FILE_TOOLS, fixes="off")
    for code, row in CODES.items():
        assert row.finds.endswith(".")
        assert row.why.endswith(".")
        if row.level in (1, 2) or code.startswith(("path", "empty_path", "required", "type", "unknown")):
            if "..." not in row.bad:
                assert code in {issue.code for issue in guard.check(row.bad).issues}, code
            assert code not in {issue.code for issue in guard.check(row.good).issues}, code


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "nope"}, "invalid schema at /type"),
        ({"properties": {"a": {"minLength": -1}}}, "invalid schema at /properties/a/minLength"),
        ({"pattern": "("}, "invalid schema at /pattern"),
        ({"$ref": "http://example.org/x"}, "the schema does not define 'http://example.org/x'"),
    ],
)
def test_a_bad_schema_raises_at_registration_and_says_where(schema: dict[str, Any], where: str) -> None:
    """The tool's author is to blame, so it raises; nothing is fetched."""
    with pytest.raises(SchemaError, match="tool 'draw'") as caught:
        Tool("draw", "", schema)
    assert where in str(caught.value)
    with pytest.raises(SchemaError):
        Schema(schema)


def test_a_toolset_is_told_its_mistakes() -> None:
    """At once."""
    with pytest.raises(ValueError, match="duplicate tool name: 'a'"):
        Toolset(Tool("a", "", {}), Tool("a", "", {}))
    with pytest.raises(ValueError, match="at least one"):
        Toolset()
    with pytest.raises(ValueError, match="needs a name"):
        Tool(" ", "", {})


@pytest.mark.parametrize(
    ("name", "meant", "near"),
    [
        ("write_file", "write_file", "write_file"),
        ("create_file", "write_file", "write_file"),
        ("writeFile", "write_file", "write_file"),
        ("Write-File", "write_file", "write_file"),
        ("write file", "write_file", "write_file"),
        ("wirte_file", "write_file", "write_file"),
        ("delete_files", None, "delete_file"),
        ("delet_file", None, "delete_file"),
        ("rm", "delete_file", "delete_file"),
        ("str_replace", "edit_file", "edit_file"),
        ("writ", None, None),
        ("frobnicate", None, None),
        ("", None, None),
    ],
)
def test_a_name_means_a_tool_or_is_near_to_one(name: str, meant: str | None, near: str | None) -> None:
    """What is meant may run; what is near is asked about."""
    tool, proposed = FILE_TOOLS.meant(name), FILE_TOOLS.near(name)
    assert (tool.name if tool else None, proposed.name if proposed else None) == (meant, near)
    assert FILE_TOOLS.knows(name) is (near is not None)


def test_a_name_between_two_tools_means_neither() -> None:
    """Ambiguity is not a guess."""
    tools = Toolset(Tool("read_row", "", {}), Tool("read_rows", "", {}))
    assert tools.meant("read_rowz") is tools.near("read_rowz") is None
    assert (len(tools), list(tools.names), "read_row" in tools, repr(tools)) == (
        2,
        ["read_row", "read_rows"],
        True,
        "Toolset(read_row, read_rows)",
    )


BAD_PATHS = [json.loads(row.bad)["path"] for code, row in CODES.items() if code.startswith("path_")]


def test_the_quick_look_at_a_path_passes_none_that_has_issues() -> None:
    """`check_path` looks at a few characters first, and reads the rest of the rules only if one of them is there."""
    anywhere = [
        f"{before}{char}{behind}" for char in map(chr, range(0x300)) for before, behind in ((" a", "b"), ("", "a"), ("a", ""))
    ]
    for path in (*BAD_PATHS, *anywhere, "..", "a/..", "../a", "", "<a>", "a:", "C:", "//a", "a//b"):
        found = list(_check_path(path))
        assert list(check_path(path)) == found, (
            f"{path!r} has {[issue.code for issue in found]}, and the quick look of check_path passes it: "
            "add what it has to the condition there, a first character to _SUSPECT"
        )


def test_what_does_not_depend_on_the_tool_is_checked_of_an_unknown_tool() -> None:
    """A level is left out only where the one before makes it meaningless."""
    assert [issue.code for issue in validate(spell(tool="nope", path="/etc/x"), FILE_TOOLS).issues] == [
        "invalid_tool",
        "path_absolute",
    ]
