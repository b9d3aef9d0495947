"""JSON bodies: where they end, and what they hold."""

from __future__ import annotations

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects.bodies.json_body import JsonBody
from stream_guard.dialects.json_part import LOOKAHEAD
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import splits
from tests.kit.cursors import Row, check, read, read_in_any_way


def closed() -> JsonBody:
    return JsonBody(openers=("<tool_call>",), closers=("</tool_call>",))


def one(text: str, rest: str = "", *, complete: bool = True) -> Row:
    """A row whose only call is its text up to the closer, without white space around it."""
    return Row(text + rest, [(None, text.removesuffix("</tool_call>").strip())], rest, complete)


CLOSED = [
    one('{"name": "f", "arguments": {"a": 1}}</tool_call>'),
    one('\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', "\nDone."),
    one('{"arguments": {"name": "no", "path": "p"}, "name": "f"}</tool_call>', "\n"),
    one('{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>', "."),
    one('{"name": "f", "arguments": null, "id": "7"}</tool_call>'),
    one('[{"name": "f"}, {"name": "g", "arguments": {}}]</tool_call>'),
    one('{"name": "f"}\n{"name": "g"}\n</tool_call>'),
    one('{"name": "f"},{"name": "g"}</tool_call>'),
    one('{"name": "f", "arguments": {"a": "</tool_call> and <tool_call>"}}\n</tool_call>', " x"),
    one('{"name": "f", "arguments": {"a": "}</tool_call>"}}</tool_call>', " x"),
    one('{"name": "f", "arguments": {"a": "line\n</tool_call>\nline"}}</tool_call>'),
    # Broken JSON ends at a closer behind a bracket or at the beginning of a line.
    one('{"name": "f", "arguments": {"a": "say "hi" "}}</tool_call>', "\nDone."),
    one("{'name': 'f'}</tool_call>", "\nDone."),
    one('{"name": "f", "arguments": {"a": 1}}}\n</tool_call>', "\nDone."),
    one('{"name": "f", "arguments": {"a": 1}\n</tool_call>', "\nDone."),
    one('{"name": "f", "arguments": {"a": "x"\n</tool_call>', "\nDone."),
    one('{"name": "f", "arguments": {"a": "x" </tool_call>', "\nDone.", complete=False),
    one('{"name": "f", "a": "use "</tool_call>" here", "b": 1}\n</tool_call>', "\nDone."),
    one('{"name": "f", "arguments": {"a": [1,}}\n</tool_call>', "\nDone."),
    # A closer in a string that never ends well may be the end.
    one('{"name": "f", "arguments": {"a": "x}}\n</tool_call>', ' He said "no" to it.', complete=False),
    one('{"name": "f", "arguments": {"a": "x}}</tool_call>', '\n<tool_call>{"name": "g"}</tool_call>', complete=False),
    one('{"name": "f", "arguments": {"a": "x</tool_call>', "\nDone.", complete=False),
    # A closer that is missing.
    Row('{"name": "f"}\n\nNow the rest.', [(None, '{"name": "f"}')], "\n\nNow the rest.", complete=False),
    Row('{"name": "f"}\n', [(None, '{"name": "f"}')], "\n", complete=False),
    Row('{"name": "f"}\n</tool', [(None, '{"name": "f"}')], "\n</tool", complete=False),
    # Cut off.
    Row('{"name": "f", "arg', [(None, '{"name": "f", "arg')], complete=False, ended=False),
    Row("{'name", [(None, "{'name")], complete=False, ended=False),
    Row(" \n", complete=False, ended=False),
    # Something else.
    Row(" is a tag", broken="structure"),
    Row("</tool_call>", broken="structure"),
    Row('"text"', broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", CLOSED, ids=lambda row: row.text[:40])
def test_json_up_to_a_closer(row: Row) -> None:
    check(closed, row, "json")


BARE = [
    Row('{"name": "f"}', [(None, '{"name": "f"}')]),
    Row('[{"name": "f"}, {"name": "g"}] and text', [(None, '[{"name": "f"}, {"name": "g"}]')], " and text"),
    Row('{"name": "f"}{"name": "g"}', [(None, '{"name": "f"}')], '{"name": "g"}', complete=False),
    Row('{"name": "f"}\n{"name": "g"}', [(None, '{"name": "f"}')], '\n{"name": "g"}'),
    Row(' [{"name": "f"}]\n', [(None, '[{"name": "f"}]')], "\n"),
    Row('{"a": "}"}.', [(None, '{"a": "}"}')], "."),
    Row('{"a": 1 "b"}', broken="json"),
    Row("[f(x)]", [(None, "[f(x)]")]),
    Row("[[link]]", broken="json"),
    Row('{"a": ', [(None, '{"a":')], complete=False, ended=False),
]


@pytest.mark.parametrize("row", BARE, ids=lambda row: row.text[:40])
def test_json_without_a_closer_ends_with_its_last_bracket(row: Row) -> None:
    check(JsonBody, row, "json")


SEPARATED = [
    Row('{"a": 1}; {"b": 2}', [(None, '{"a": 1}; {"b": 2}')]),
    Row('{"a": 1};{"b": 2} ; {"c": 3}. Done', [(None, '{"a": 1};{"b": 2} ; {"c": 3}')], ". Done"),
    Row('{"a": 1}; then {"b": 2}', [(None, '{"a": 1}')], '; then {"b": 2}'),
    Row('{"a": 1}', [(None, '{"a": 1}')]),
    Row('{"a": 1};; {"b": 2}', [(None, '{"a": 1}')], ';; {"b": 2}'),
    Row('{"a": 1}\n{"b": 2}', [(None, '{"a": 1}')], '\n{"b": 2}'),
]  # fmt: skip


@pytest.mark.parametrize("row", SEPARATED, ids=lambda row: row.text[:40])
def test_several_values_stand_between_separators(row: Row) -> None:
    check(lambda: JsonBody(separators=";"), row, "json")


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        ('{"name": "f", "arguments": {"path": "a"}}', "f", "a"),
        ('{"arguments": {"path": "a", "name": "no"}, "name": "f"}', "f", "a"),
        ('[{"tool_name": "f"}, {"name": "g"}]', "f", None),
        ('{"type": "function", "function": {"name": "f", "arguments": {"Path": "a"}}}', "f", "a"),
        ('{"parameters": {"path": 1}}', None, None),
        ('{"name": "f", "arguments": {"path": "cut', "f", None),
        ('{"name": "cut', None, None),
    ],
)
def test_the_name_and_the_path_are_known_when_their_strings_close(text: str, name: str | None, path: str | None) -> None:
    found = read_in_any_way(closed, text)
    assert (found.name, found.path) == (name, path)


def test_the_name_is_known_at_once() -> None:
    body = closed()
    seen = []
    for piece in ('{"name": "f', '"', ", "):
        body.read(piece, 0)
        seen.append(body.name)
    assert seen == [None, "f", "f"]


def test_the_name_may_be_the_key() -> None:
    found = read_in_any_way(lambda: JsonBody(name_is_key=True, closers=("<|end|>",)), '[{"f": {"path": "a"}}]<|end|>')
    assert (found.complete, found.name, found.path) == (True, "f", "a")


@pytest.mark.parametrize("more", [0, 1, 2])
def test_a_closer_in_an_open_string_is_the_end_when_too_much_follows_it(more: int) -> None:
    """At the same character, however the text is cut."""
    begin = '{"name": "f", "a": "x}}</tool_call>'
    text = begin + "y" * (LOOKAHEAD + more - 3) + '"}</tool_call>'
    for chunks in ([text], [text[index : index + 1000] for index in range(0, len(text), 1000)], [text[:9000], text[9000:]]):
        found = read(closed, chunks)
        assert (found.complete, found.size) == ((True, len(text)) if more < 2 else (False, len(begin)))


@pytest.mark.some
@pytest.mark.parametrize("blanks", ["", " ", "  ", "\t", "\n", "\n  ", "\n\t", "\r\n", "\r\n    ", "\n\n", "\r\n\r\n  "])
def test_an_array_may_begin_with_any_blanks(blanks: str) -> None:
    """A server whose grammar leaves them free writes them, and so does one whose lines end with CRLF."""
    text = f'[{blanks}{{"name": "delete_file", "parameters": {{"path": "x"}}}}{blanks}]\n'
    for dialects in (["json_array"], "all"):
        for pieces in splits(text, 12):
            items = Guard(FILE_TOOLS, dialects=dialects).scan([*pieces, End("stop")])
            assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True], pieces
