"""Patches of the form V4A: each change of a file is a call."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.patch import Patch
from stream_guard.dialects.call import Value
from tests.kit.cursors import Row, check, read_in_any_way

END = "*** End Patch"
Call = tuple[str, list[tuple[str, object]]]


def write(path: str, content: str) -> Call:
    return "write_file", [("path", path), ("content", content)]


def edit(path: str, old: object, new: str) -> Call:
    return "edit_file", [("path", path), ("search", old), ("replace", new)]


def delete(path: str) -> Call:
    return "delete_file", [("path", path)]


UPDATE = "\n*** Update File: a b.py\n@@\n f\n-old\n+new\n g\n"
OLD, NEW = "f\nold\ng\n", "f\nnew\ng\n"

PLACED = [
    Row(f"\n*** Update File: a\n@@\n-y\n Delete File: b\n{END}", [edit("a", "y\nDelete File: b\n", "Delete File: b\n")]),
    Row(f"\n*** Update File: a\n@@\n x\n\n-y\n{END}", [edit("a", "x\n\ny\n", "x\n\n")]),
    Row(f"\n*** Update File: a\n@@ def f():\n-x\n{END}", [edit("a", "x\n", "")]),
    Row(f"\n*** Update File: a\n@@ class A\n@@ def f():\n-x\n{END}", [edit("a", "x\n", "")]),
    Row(f"\n*** Update File: a\n@@\n-x\n*** End of File\n{END}", [edit("a", "x\n", "")]),
    Row(f"\n*** Update File: a\n*** Move to: b\n@@\n-x\n@@\n-y\n{END}", [edit("a", "x\n", ""), edit("a", "y\n", "")]),
    Row(f"\n*** Update File: a\n@@\n+x\n{END}", [edit("a", "", "x\n")]),
    Row(f"\n*** Update File: a\n@@\n x\n{END}", [edit("a", "x\n", "x\n")]),
    Row(f"\n*** Update File: a\n{END}", [edit("a", "", "")]),
]
"""More is said of a place than a call can say, or a line has no sign."""

ROWS = [
    Row(f"{UPDATE}{END}", [edit("a b.py", OLD, NEW)]),
    Row(f"{UPDATE}{END}\nDone.", [edit("a b.py", OLD, NEW)], "\nDone."),
    Row(f" \r\n*** Add File: a\r\n+x\r\n{END} \r\nDone.", [write("a", "x\r\n")], " \r\nDone."),
    Row(f"\n*** Add File: a\n+{END}\n+*** Add File: b\n+@@\n+\n{END}", [write("a", f"{END}\n*** Add File: b\n@@\n\n")]),
    Row(f"\n*** Add File: a\n{END}", [write("a", "")]),
    Row(f"\n*** Delete File: a\n{END}", [delete("a")]),
    Row(f"\n*** Update File: a\n-x\n+y\n@@\n-z\n{END}", [edit("a", "x\n", "y\n"), edit("a", "z\n", "")]),
    Row(f"{UPDATE}*** Delete File: c\n*** Add File: d\n+1\n{END}", [edit("a b.py", OLD, NEW), delete("c"), write("d", "1\n")]),
    *PLACED,
    # A line without a sign, a path that is none, or more behind the end on its line.
    Row(f"\n*** Add File: a\nx\n{END}", [write("a", "")], complete=False),
    Row(f"\n*** Add File: a\n x\n{END}", [write("a", "")], complete=False),
    Row(f"\n*** Add File: a\n*** x\n{END}", [write("a", "")], complete=False),
    Row(f"\n*** Add File: a\n@@\n+x\n{END}", [write("a", "x\n")], complete=False),
    Row(f"\n*** Delete File: a\n-x\n{END}", [delete("a")], complete=False),
    Row(f"\n*** Delete File:  a\n{END}", [delete(" a")], complete=False),
    Row(f"\n*** Delete File: \n{END}", [delete("")], complete=False),
    Row(f"\n*** Delete File: a \n{END}", [delete("a ")], complete=False),
    Row(f"\n*** Add File: a\n*** Delete File: a\n{END}", [write("a", ""), delete("a")], complete=False),
    Row(f"\n-x\n*** Delete File: a\n{END}", [delete("a")], complete=False),
    Row(f"{UPDATE}{END} is it\n{END}", [edit("a b.py", OLD, NEW)], complete=False),
    Row(f"\n{END}", [], complete=False),
    # Cut off.
    Row(UPDATE, [edit("a b.py", OLD, NEW)], complete=False, ended=False),
    Row(f"{UPDATE}*** End", [edit("a b.py", OLD, NEW)], complete=False, ended=False),
    Row("\n*** Update File: a", [], complete=False, ended=False),
    Row("", [], complete=False, ended=False),
    # Something else.
    Row("es are", broken="structure"),
    Row(" is a marker", broken="structure"),
    Row(f"\n*** Add File: {'a' * 1100}", broken="head"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-60:])
def test_patches(row: Row) -> None:
    check(Patch, row, "text")


def test_the_name_and_the_path_are_those_of_the_first_change() -> None:
    found = read_in_any_way(Patch, f"\n*** Add File: a b.py\n+x\n*** Delete File: c\n{END}")
    assert (found.name, found.path, found.complete) == ("write_file", "a b.py", True)
    assert read_in_any_way(Patch, "\n*** Update File: a").path is None


@pytest.mark.parametrize("row", PLACED, ids=lambda row: row.text[-60:])
def test_what_a_call_cannot_say_of_a_place_is_uncertain(row: Row) -> None:
    call = read_in_any_way(Patch, row.text).calls[0]
    assert not isinstance(call.arguments, Value)
    assert dict(call.arguments)["search"].doubt == (
        "sign" if "\n\n" in row.text else "marker" if " Delete" in row.text else "place"
    )
    clear = read_in_any_way(Patch, f"{UPDATE}{END}").calls[0]
    assert not isinstance(clear.arguments, Value)
    assert not any(value.doubt for _, value in clear.arguments)
