"""Lines of a file, and those that take their place."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.search_replace import SearchReplace
from tests.kit.cursors import Row, check, read_in_any_way


def edit(search: str, replace: str | None = None) -> tuple[str, list[object]]:
    return "edit_file", [("path", "p"), ("search", search), *([] if replace is None else [("replace", replace)])]


ROWS = [
    Row("\nold\n=======\nnew\n>>>>>>> REPLACE", [edit("old\n", "new\n")]),
    Row("\nold\n=======\nnew\n>>>>>>> REPLACE\n```", [edit("old\n", "new\n")], "\n```"),
    Row(" \r\na\r\n\r\n===== \r\n b\r\n>>>>>>>>> REPLACE \r\n.", [edit("a\r\n\r\n", " b\r\n")], "\n."),
    Row("\n=======\nnew\n>>>>>>> REPLACE", [edit("", "new\n")]),
    Row("\nold\n=======\n>>>>>>> REPLACE", [edit("old\n", "")]),
    Row("\n- a\n=== b\n<div>\n=======\n+ c\n>>> d\n>>>>>>> REPLACE", [edit("- a\n=== b\n<div>\n", "+ c\n>>> d\n")]),
    Row("\n- " + "a" * 99 + "\n=======\nb\n>>>>>>> REPLACE", [edit("- " + "a" * 99 + "\n", "b\n")]),
    Row("\n" + "-" * 99 + "\n=======\n```\n~~~\n>>>>>>> REPLACE", [edit("-" * 99 + "\n", "```\n~~~\n")]),
    # A marker where none is due, or a line that may be a damaged one.
    Row("\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE", [edit("a\n", "b\n=======\nc\n")], complete=False),
    Row("\na\n<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE", [edit("a\n<<<<<<< SEARCH\n", "c\n")], complete=False),
    Row("\na\n>>>>>>> REPLACE\n=======\nc\n>>>>>>> REPLACE", [edit("a\n>>>>>>> REPLACE\n", "c\n")], complete=False),
    Row("\na\n<<<<<<< HEAD\n=======\nc\n>>>>>>> REPLACE", [edit("a\n<<<<<<< HEAD\n", "c\n")], complete=False),
    Row("\na\n=======\nc\n>>>>>>> REPLAC\n>>>>>>> REPLACE", [edit("a\n", "c\n>>>>>>> REPLAC\n")], complete=False),
    Row("\na\n=======\nc\n+++++++ REPLACE\n>>>>>>> REPLACE", [edit("a\n", "c\n+++++++ REPLACE\n")], complete=False),
    Row("\na\n=======\nc\n==========\n>>>>>>> REPLACE", [edit("a\n", "c\n==========\n")], complete=False),
    # Cut off.
    Row("\na\n=======\nb\n", [edit("a\n", "b\n")], complete=False, ended=False),
    Row("\na\n=======\nb\n>>>>>>> REP", [edit("a\n", "b\n>>>>>>> REP")], complete=False, ended=False),
    Row("\na\n", [edit("a\n")], complete=False, ended=False),
    Row("", [edit("")], complete=False, ended=False),
    # Something else.
    Row(" is a marker\n", broken="structure"),
    Row("ING\n", broken="structure"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-40:])
def test_searches_and_replacements(row: Row) -> None:
    check(lambda: SearchReplace("p"), row, "text")


def test_the_name_and_the_path_are_known_at_once() -> None:
    found = read_in_any_way(lambda: SearchReplace("a/b.py"), "")
    assert (found.name, found.path) == ("edit_file", "a/b.py")
