"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from stream_guard.values.late import Late, late
from tests.kit.command import python

STATE = (
    "from stream_guard import Guard; from stream_guard.tools.files import FILE_TOOLS\n"
    "from stream_guard.values.late import MADE\n"
    "def compiled(): return [one.pattern for one in MADE if len(vars(one)) > 2]\n"
    "guard = Guard(FILE_TOOLS)\n"
)


def test_a_late_pattern_is_compiled_when_it_is_first_used_and_does_what_it_would_do() -> None:
    broken = Late("(", 0)  # one of its own: `late` would leave it to whatever compiles all
    assert broken.pattern == "("
    with pytest.raises(re.error):
        broken.match("x")
    pattern = late("a(B+)", re.IGNORECASE)
    for _ in range(2):
        found = pattern.search("xabb")
        assert found is not None
        assert found[1] == "bb"
        assert pattern.sub(r"<\1>", "ABxab") == "<B>x<b>"
        assert pattern.fullmatch("abc") is None


def test_prose_and_a_valid_block_compile_none_of_them() -> None:
    """So an import waits for none, and a block that is written as it should be for none either."""
    block = '```json\n{"tool": "write_file", "path": "a", "content": "b = [1]\\n"}\n```\n'
    reply = f"I'll write the file:\n\n- one\n- two\n\n{block}That is *all*.\n"
    assert python(f"{STATE}print([*guard.scan([{reply!r}])][-2].outcome, compiled())") == "valid []\n"


def test_a_server_compiles_all_as_it_starts() -> None:
    assert python(f"{STATE}guard.preload(); print(len(MADE) > 100, len(compiled()) == len(MADE))") == "True True\n"
