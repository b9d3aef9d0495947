"""Marks and blanks at the edge of a text, beside marks that were mended."""

from __future__ import annotations

import pytest

from stream_guard.fixes.grammar import Grammar
from stream_guard.fixes.reader import read
from stream_guard.fixes.reading import NoReading
from stream_guard.tools.files import FILE_TOOLS

GRAMMAR = Grammar(FILE_TOOLS)


@pytest.mark.parametrize("text", [" home", "'home", "`home", ":home", ",home"])
def test_a_text_that_begins_with_a_mark_of_the_block_is_no_reading(text: str) -> None:
    with pytest.raises(NoReading, match="ambiguous"):
        read(f'{{"tool": "delete_file", "path:"{text}"}}', GRAMMAR)


@pytest.mark.parametrize("text", ["'a' and 'b'", "  if x:\\n    y", "it's", "{a}", '\\"a\\"'])
def test_code_keeps_its_own_marks(text: str) -> None:
    assert read(f'{{"tool": "write_file", "path": "a", "content: "{text}"}}', GRAMMAR).values
