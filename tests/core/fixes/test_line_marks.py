"""Marks and margins of a block's lines in its texts: what shows them, and what a text has by itself."""

from __future__ import annotations

import pytest

from stream_guard.fixes.line_marks import holds_line_marks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # The closing quote stands behind the mark.
        ("a\n> b\n> ", True),
        ("a\n> b\n>", True),
        # A prompt that the first line lacks, and does not announce.
        ("a\n> b\n> c", True),
        ("a:\n> b\n> c", False),
        ("> a\n> b\n> c", False),
        ("a\n> b\nc", False),
        ("cd a;\n$ ls;", True),
        ("f()\n... g()\n... ", True),
        # A numbered list that goes on with a margin.
        ("1. a\n    2. b\n    3. c", True),
        ("1. a\n   - b\n2. c", False),
        ("1. a\n   1. b\n   2. c", False),
        ("> a\n> b\n> ", False),
        ("a\n> b\nc\n> ", False),
        ("a\n> ", True),
        ("a\n[10:00:01] b\n[10:00:02] ", True),
        ("a\n    b\n    ", True),
        ("a\n    b\nc\n    ", False),
        ("{\n}\n}", False),
        ("a\nb", False),
        # Numbers are those of the lines: the block's first one has one, or more.
        ("a\n2: b", True),
        ("a\n2: b\n3: c", True),
        ("a\n2 b\n3 c", True),
        ("a\n2 b", False),
        ("a\n1. b\n2. c", False),
        ("1. a\n2. b\n3. c", False),
        ("a\n2. b\n2. c", False),
        ("a\n12:30 b\n13:30 c", False),
        ("a\n7: b", False),
        # The margin is the block's.
        ("a\n  b\n  c", True),
        ("  a\n  b", False),
        ("a:\n  b\n  c", False),
        ("a {\n    b\n  }", True),
        ("a {\n  b", False),
        ("a\n   b", False),
        # A diff, unless its first line shows one.
        ("a\n-b\n+c\n d", True),
        ("@@ -1 +1 @@\n-b\n+c\n d", False),
        ("-b\n+c\n d", False),
        ("a\n-b\n-c", False),
        # Python without indents.
        ("def f():\nreturn 1", True),
        ("if x:\n\npass\n", True),
        ("try:\nf()\nexcept ValueError:\npass", True),
        ("def f():\n# a\n  return 1", False),
        ("For you:\nmilk", False),
    ],
)
def test_what_shows_a_mark(text: str, shown: bool) -> None:
    """In a block whose members have a margin of two blanks outside of its texts."""
    body = f'{{"text": "{text}"}}'
    assert holds_line_marks(body, [(10, len(body) - 2)], {"  "}) is shown


def test_numbers_go_on_from_one_text_to_the_next() -> None:
    body = '{"a": "one\n2 two", "b": "three\n3 four"}'
    spans = [(7, body.index('", "b"')), (body.index("three"), len(body) - 2)]
    assert holds_line_marks(body, spans, ())
    assert not holds_line_marks(body.replace("3 four", "9 four"), spans, ())
