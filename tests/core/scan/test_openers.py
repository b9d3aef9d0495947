"""Openers of dialects: where they stand, and what follows them."""

from __future__ import annotations

import string

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.openers import MAX_BLANKS, Found, Openers, any_of, openers_of
from stream_guard.testing import every_split, original
from stream_guard.tools.files import FILE_TOOLS

OPENERS = Openers(DIALECTS.values(), ["write_file"])


def test_elements_of_html_are_known_where_tags_have_the_names_of_fields() -> None:
    fields = ("path", "Text", "code")
    assert Openers([DIALECTS["cline_xml"]], ["write_file"], fields).elements == {"Text", "code"}
    assert Openers([DIALECTS["hermes"]], ["write_file"], fields).elements == set()


def at(text: str, *, line: bool = True) -> str | None:
    """The dialect of the opener at the beginning of a text; "" where more must be read, None where there is none."""
    found = OPENERS.at(text, 0, line=line)
    return found.dialect.name if isinstance(found, Found) else found


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("<tool_call>{", "hermes"),
        ("<tool_call>\n\n<", "qwen3_coder"),
        ("<tool_call>\n[", "granite3"),
        ("<tool_call>f", "glm45"),
        ("<function_calls><", "claude_xml"),
        ("<function_calls>f", "olmo3"),
        ("<tool_calls>[", "jamba"),
        ("<tool_calls><", "hunyuan_v3"),
        ("<|tool_call_start|>[ f", "lfm2"),
        ("<|tool_call_start|>[{", "lfm2"),
        ("<write_file>\n<", "cline_xml"),
        ("[write_file(", "pythonic"),
        ("{", "llama3_json"),
    ],
)
def test_what_follows_an_opener_decides_which_dialect_it_is(text: str, dialect: str) -> None:
    """From its last character on, and not before."""
    assert at(text) == dialect
    assert [at(text[:size]) for size in range(1, len(text))] == [""] * (len(text) - 1)


@pytest.mark.parametrize(
    "text", ["<tool_cell", "<tool_call>.", "<tool_call> (", "<read_file>", "[read_file(", "x", "<tool_call>" + " " * MAX_BLANKS]
)
def test_what_is_no_opener(text: str) -> None:
    assert at(text) is None


def test_some_openers_stand_at_the_beginning_of_a_line_only() -> None:
    assert at("{", line=False) is None
    assert at("[write_file(", line=False) is None
    assert at("<tool_call>{", line=False) == "hermes"


def test_text_with_none_of_its_characters_passes_at_once() -> None:
    assert OPENERS.stop.search("Plain words, (and more) - 1 < 2"[:-3]) is None
    assert OPENERS.stop.search("a `b`") is not None
    assert any_of([]).search("x") is None


CALL = '[delete_file(path="a.txt")]'


@pytest.mark.parametrize(("before", "calls"), [("", 1), ("So:\n", 1), ("So: ", 0), ("So:\n  and ", 0)])
def test_a_scanner_reads_such_a_call_where_a_line_begins_and_nowhere_else(before: str, calls: int) -> None:
    """However the text is cut."""
    guard = Guard(FILE_TOOLS, dialects=["pythonic"])
    for chunks in every_split(before + CALL):
        items = list(guard.scan([*chunks, End("stop")]))
        assert original(items) == before + CALL
        assert sum(isinstance(item, ToolBlock) for item in items) == calls


HERMES = '<tool_call>\n{"name": "delete_file", "arguments": {"path": "a.txt"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("before", "behind", "calls"),
    [("Use `<tool_call>`:\n", "", 1), ("A ``code`` and `more`: ", "", 1), ("It is ``", "``.", 0), ("It is `", "`.", 0)],
)
def test_an_opener_in_a_code_span_is_prose_and_behind_one_it_is_not(before: str, behind: str, calls: int) -> None:
    guard = Guard(FILE_TOOLS, dialects=["hermes"])
    text = f"{before}{HERMES}{behind}\n"
    for chunks in ([text], list(text)):
        items = list(guard.scan([*chunks, End("stop")]))
        assert original(items) == text
        assert sum(isinstance(item, ToolBlock) for item in items) == calls


@pytest.mark.parametrize("char", [*string.printable, "\\d", "｜", "▁", "é", "\u2028"])
def test_an_opener_stands_for_itself_whatever_is_in_it(char: str) -> None:
    """No character of a name has a meaning of its own in the pattern that looks for it."""
    found = Openers([DIALECTS["cline_xml"]], [f"a{char}b"]).at(f"<a{char}b><", 0, line=True)
    assert isinstance(found, Found)
    assert found.text == f"<a{char}b>"
    assert not Openers([DIALECTS["cline_xml"]], [f"a{char}b"]).at(f"<a{'x' if char != 'x' else 'y'}b><", 0, line=True)


def test_guards_for_the_same_tools_and_dialects_share_their_openers() -> None:
    """And no others: neither with another tool, nor another field, nor with dialects in another order."""
    some = tuple(DIALECTS.values())
    one = openers_of(some, ("a",), ("b",))
    assert one is openers_of(some, ("a",), ("b",))
    for other in (openers_of(some, ("c",), ("b",)), openers_of(some, ("a",), ("c",)), openers_of(some[::-1], ("a",), ("b",))):
        assert other is not one
