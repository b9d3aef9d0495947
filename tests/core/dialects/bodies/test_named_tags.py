"""Tags that are called like the tool and its fields."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.named_tags import NamedTags
from tests.kit.cursors import Row, check

OPEN = "<content>"
END = "</content></write_file>"

ROWS = [
    Row(f"\n<path>a b</path>\n{OPEN}\nx\n{END}\nDone.", [("write_file", [("path", "a b"), ("content", "x")])], "\nDone."),
    Row("<path>a</path></write_file>", [("write_file", [("path", "a")])]),
    Row("</write_file> x", [("write_file", [])], " x"),
    Row("\n</write_file>", [("write_file", [])]),
    # One line end on each side of a value belongs to the tags.
    Row(f"{OPEN}\n\n x\n\n{END}", [("write_file", [("content", "\n x\n")])]),
    Row("<path>\n  a\n</path></write_file>", [("write_file", [("path", "  a")])]),
    Row(f"{OPEN}{END}", [("write_file", [("content", "")])]),
    Row(f"{OPEN}<b>&lt;</b>\n<path>p</path>{END}", [("write_file", [("content", "<b>&lt;</b>\n<path>p</path>")])]),
    Row("<a>1</a><a>2</a></write_file>", [("write_file", [("a", "1"), ("a", "2")])]),
    Row("<args><file><path>p</path></file></args></write_file>", [("write_file", [("args", "<file><path>p</path></file>")])]),
    Row("<my.key-1>x</my.key-1></write_file>", [("write_file", [("my.key-1", "x")])]),
    # A closer in a value.
    Row(f"{OPEN}x</content> y{END}", [("write_file", [("content", "x</content> y")])], complete=False),
    Row(f"{OPEN}x</content>\n</b>{END}", [("write_file", [("content", "x</content>\n</b>")])], complete=False),
    Row(f"{OPEN}x</write_file> y{END}", [("write_file", [("content", "x</write_file> y")])], complete=False),
    Row(f"{OPEN}see <write_file>{END}", [("write_file", [("content", "see <write_file>")])], complete=False),
    Row(f"{OPEN}see <content>{END}", [("write_file", [("content", "see <content>")])], complete=False),
    Row(f"{OPEN}x{END}\n{END}", [("write_file", [("content", "x")])], f"\n{END}", complete=False),
    # A closer that is missing.
    Row(f"{OPEN}x</write_file>", [("write_file", [("content", "x")])], complete=False),
    Row(f"{OPEN}x</write_file>\nDone.", [("write_file", [("content", "x")])], "\nDone.", complete=False),
    Row(f"{OPEN}x</content>\nDone.", [("write_file", [("content", "x</content>\nDone.")])], complete=False, ended=False),
    # Cut off.
    Row(f"{OPEN}x", [("write_file", [("content", "x")])], complete=False, ended=False),
    Row(f"{OPEN}x</cont", [("write_file", [("content", "x</cont")])], complete=False, ended=False),
    Row(f"{OPEN}x</content>", [("write_file", [("content", "x")])], complete=False, ended=False),
    Row("<path>a</path>\n<cont", [("write_file", [("path", "a")])], complete=False, ended=False),
    Row("<path>a</path></write_file>\n<conte", [("write_file", [("path", "a")])], "\n<conte", complete=False),
    # Something else.
    Row(" writes a file", broken="structure"),
    Row("< path>", broken="structure"),
    Row("</other>", broken="structure"),
    Row("<path x=1>", broken="structure"),
    Row("<path>a</path>text", [("write_file", [("path", "a</path>text")])], complete=False, ended=False),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-60:])
def test_tags_called_like_the_tool_and_its_fields(row: Row) -> None:
    check(lambda: NamedTags("write_file"), row, "untyped")


def test_the_name_is_known_from_the_beginning_and_the_path_when_it_ends() -> None:
    body = NamedTags("f")
    seen = [(body.name, body.path)]
    for piece in ("<path>\na\n</path>\n<", "b>"):
        body.read(piece, 0)
        seen.append((body.name, body.path))
    assert seen == [("f", None), ("f", None), ("f", "a")]


def test_blanks_that_agents_take_off_are_in_doubt() -> None:
    """All but one line end on each side; in a few fields they take off nothing else."""
    body = NamedTags("f")
    body.read("<old>\n    x\n</old><new>\nx\n</new><content>\n  x\n</content></f>", 0)
    (call,) = body.calls()
    assert isinstance(call.arguments, tuple)
    assert [(value.text, value.doubt) for _, value in call.arguments] == [("    x", "blanks"), ("x", None), ("  x", None)]
    assert call.keys == "tags"
