"""Changes of files, written as lines."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.patch import Patch, SearchReplace
from tests.kit.cursors import Row, check, read_in_any_way

BODY = "\n*** Update File: a b.py\n@@ def f():\n-  old\n+  new\n same\n\n"
END = "*** End Patch"
MOVE = "\n*** Update File: a\n*** Move to: b\n@@\n-x\n*** End of File\n"


def patch(text: str) -> tuple[str, list[object]]:
    return "apply_patch", [("patch", f"*** Begin Patch{text}")]


PATCHES = [
    Row(f"{BODY}{END}", [patch(f"{BODY}{END}")]),
    Row(f"{BODY}{END}\nDone.", [patch(f"{BODY}{END}")], "\nDone."),
    Row(f" \r\n*** Add File: a\r\n+x\r\n{END} \r\nDone.", [patch(f" \r\n*** Add File: a\r\n+x\r\n{END}")], " \r\nDone."),
    Row(f"\n*** Delete File: a\n{END}", [patch(f"\n*** Delete File: a\n{END}")]),
    Row(f"{MOVE}{END}", [patch(f"{MOVE}{END}")]),
    Row(f"\n*** Add File: a\n+{END}\n+x\n{END}", [patch(f"\n*** Add File: a\n+{END}\n+x\n{END}")]),
    Row(f"\n{END}", [patch(f"\n{END}")]),
    # A line without a sign, or more behind the end on its line.
    Row(f"\n*** Add File: a\nx\n{END}", [patch(f"\n*** Add File: a\nx\n{END}")], complete=False),
    Row(f"\n*** Add File: a\n*** x\n{END}", [patch(f"\n*** Add File: a\n*** x\n{END}")], complete=False),
    Row(f"{BODY}{END} is it\n{END}", [patch(f"{BODY}{END} is it\n{END}")], complete=False),
    # Cut off.
    Row(BODY, [patch(BODY)], complete=False, ended=False),
    Row(f"{BODY}*** End", [patch(BODY)], complete=False, ended=False),
    Row("\n*** Update File: a", [patch("\n*** Update File: a")], complete=False, ended=False),
    Row("", [patch("")], complete=False, ended=False),
    # Something else.
    Row("es are", broken="structure"),
    Row(" is a marker", broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", PATCHES, ids=lambda row: row.text[-40:])
def test_patches(row: Row) -> None:
    check(Patch, row, "text")


def test_the_path_of_a_patch_is_that_of_its_first_file() -> None:
    found = read_in_any_way(Patch, f"\n*** Update File: a b.py\n@@\n-x\n*** Delete File: c\n{END}")
    assert (found.name, found.path, found.complete) == ("apply_patch", "a b.py", True)
    assert read_in_any_way(Patch, "\n*** Update File: a").path is None


def edit(search: str, replace: str | None = None) -> tuple[str, list[object]]:
    return "edit", [("path", "p"), ("search", search), *([] if replace is None else [("replace", replace)])]


SEARCHES = [
    Row("\nold\n=======\nnew\n>>>>>>> REPLACE", [edit("old\n", "new\n")]),
    Row("\nold\n=======\nnew\n>>>>>>> REPLACE\n```", [edit("old\n", "new\n")], "\n```"),
    Row(" \r\na\r\n\r\n===== \r\n b\r\n>>>>>>>>> REPLACE \r\n.", [edit("a\r\n\r\n", " b\r\n")], "\n."),
    Row("\n=======\nnew\n>>>>>>> REPLACE", [edit("", "new\n")]),
    Row("\nold\n=======\n>>>>>>> REPLACE", [edit("old\n", "")]),
    Row("\n- a\n=== b\n<div>\n=======\n+ c\n>>> d\n+++++++ REPLACE", [edit("- a\n=== b\n<div>\n", "+ c\n>>> d\n")]),
    Row("\n- " + "a" * 99 + "\n=======\nb\n>>>>>>> REPLACE", [edit("- " + "a" * 99 + "\n", "b\n")]),
    # A marker where none is due.
    Row("\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE", [edit("a\n", "b\n=======\nc\n")], complete=False),
    Row("\na\n<<<<<<< SEARCH\n=======\nc\n>>>>>>> REPLACE", [edit("a\n<<<<<<< SEARCH\n", "c\n")], complete=False),
    Row("\na\n>>>>>>> REPLACE\n=======\nc\n>>>>>>> REPLACE", [edit("a\n>>>>>>> REPLACE\n", "c\n")], complete=False),
    # Cut off.
    Row("\na\n=======\nb\n", [edit("a\n", "b\n")], complete=False, ended=False),
    Row("\na\n=======\nb\n>>>>>>> REP", [edit("a\n", "b\n>>>>>>> REP")], complete=False, ended=False),
    Row("\na\n", [edit("a\n")], complete=False, ended=False),
    Row("", [edit("")], complete=False, ended=False),
    # Something else.
    Row(" is a marker\n", broken="structure"),
    Row("ING\n", broken="structure"),
]


@pytest.mark.parametrize("row", SEARCHES, ids=lambda row: row.text[-40:])
def test_searches_and_replacements(row: Row) -> None:
    check(lambda: SearchReplace("p"), row, "text")
