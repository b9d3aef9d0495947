"""Tags whose attributes are arguments."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.action_tags import ActionTags
from tests.kit.cursors import Row, check, read_in_any_way, text

OPEN = 'title="t"><boltAction type="file" filePath="p">'
END = "</boltAction></boltArtifact>"


def file(content: str) -> tuple[str, list[object]]:
    return "file", [("filePath", text("p")), ("content", content)]


ROWS = [
    Row(
        'id="a" title="b c">\n<boltAction type="file" filePath="p">\nx\n</boltAction>\n'
        '<boltAction type="shell">ls</boltAction>\n</boltArtifact>\nDone.',
        [file("x\n"), ("shell", [("content", "ls")])],
        "\nDone.",
    ),
    Row(f"{OPEN}x{END}", [file("x\n")]),
    Row(f"{OPEN}\n\n x\n\n{END}.", [file("\n x\n\n")], "."),
    Row(f"{OPEN}\n{END}", [file("")]),
    Row(f"{OPEN}\r\nx\r\n{END}", [file("x\r\n")]),
    Row(f"{OPEN}{END}", [file("")]),
    Row(f"{OPEN}<b>&lt;</b>{END}", [file("<b>&lt;</b>\n")]),
    Row(f'><boltAction a="" type="x y">z{END}', [("x y", [("a", text("")), ("content", "z")])]),
    Row(f"{OPEN}x</boltAction> y{END}", [file("x</boltAction> y\n")], complete=False),
    Row(f"{OPEN}x</boltArtifact> y{END}", [file("x</boltArtifact> y\n")], complete=False),
    Row(f"{OPEN}x <boltAction y{END}", [file("x <boltAction y\n")], complete=False),
    Row(f"{OPEN}x{END}\n{END}", [file("x\n")], f"\n{END}"),
    Row(f"{OPEN}x</boltArtifact>", [file("x\n")], complete=False),
    Row(f"{OPEN}x</boltArtifact>\nDone.", [file("x\n")], "\nDone.", complete=False),
    Row(f"{OPEN}x</boltAction>\nDone.", [file("x</boltAction>\nDone.\n")], complete=False, ended=False),
    Row(f"{OPEN}x", [file("x\n")], complete=False, ended=False),
    Row(f"{OPEN}x</boltAction>\n</bolt", [file("x\n")], complete=False, ended=False),
    Row('title="t"><boltAction type="fi', [], complete=False, ended=False),
    Row("title=t>", broken="head"),
    Row("is a tag <b>", broken="head"),
    Row('title="t">text', broken="structure"),
    Row('title="t"></boltArtifact>', broken="structure"),
    Row('title="t"><boltAction filePath="p">x', broken="head"),
    Row('title="t"><boltAction type="a" type="b">x', broken="head"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-50:])
def test_tags_whose_attributes_are_arguments(row: Row) -> None:
    check(ActionTags, row, "untyped")


def test_the_name_and_the_path_are_known_when_the_tag_ends() -> None:
    found = read_in_any_way(ActionTags, OPEN)
    assert (found.name, found.path) == ("file", "p")
