"""What replaced the marks of a block may have replaced those of its texts: each sign beside a text that shows none."""

from __future__ import annotations

import json
from typing import Final

import pytest

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

GUARD: Final = Guard(FILE_TOOLS)
PLAIN: Final = json.dumps({"tool": "write_file", "path": "a.txt", "content": "TEXT"})
LISP: Final = "[" + PLAIN[1:-1] + "]"


def runs(body: str, text: str) -> bool:
    """Whether a block with this text in it may run."""
    return GUARD.check(body.replace("TEXT", text)).executable


@pytest.mark.parametrize(
    ("body", "own", "struck"),
    [
        (PLAIN.replace('"', "'"), ["it's", "x"], ["echo '$HOME'", "f('a')"]),
        (PLAIN.replace('"', "`"), ["it's"], ["a `b` c"]),
        (PLAIN.replace('":', '" =>'), ["x", "a -> b"], [r"{\"a\" => 1}", r"\"a\" => 1"]),
        (PLAIN.replace('":', '" ='), ["x", "a == b"], [r"\"a\" = 1"]),
        (LISP, ["x", "(a)"], ["a[0]", "[1]"]),
        (PLAIN.replace(", ", ",, "), ["a, b"], ["a,, b"]),
        (PLAIN.replace("}", ",}"), ["5 ¥", "¥5", "x"], ['print(¥"hi¥")¥n', "a¥nb", "C:＼new"]),
    ],
    ids=["quotes", "backticks", "arrows", "equals", "brackets", "commas", "backslashes"],
)
def test_a_text_with_the_sign_that_stands_for_a_mark_is_refused(body: str, own: list[str], struck: list[str]) -> None:
    assert [text for text in own if not runs(body, text)] == []
    assert [text for text in struck if runs(body, text)] == []


def test_a_writer_who_escapes_an_apostrophe_chose_the_quotes() -> None:
    body = PLAIN.replace('"', "'")
    assert runs(body, r"it\'s")
    assert not runs(body, r"\'a\'")
