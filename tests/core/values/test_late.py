"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import gc
import re

import pytest

from stream_guard.values.late import Late, all_late, late
from tests.kit.command import python

STATE = (
    "from stream_guard import Guard; from stream_guard.tools.files import FILE_TOOLS\n"
    "from stream_guard.values.late import all_late\n"
    "def compiled(): return [one.pattern for one in all_late() if vars(one)['_made'] is not None]\n"
    "guard = Guard(FILE_TOOLS, dialects={dialects!r})\n"
)


def test_a_late_pattern_is_compiled_when_it_is_first_used_and_does_what_it_would_do() -> None:
    broken = Late("(", 0)  # one of its own: `late` would leave it to whatever compiles all
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
    state = STATE.format(dialects=["fence"])
    assert python(f"{state}print([*guard.scan([{reply!r}])][-2].outcome, compiled())") == "valid []\n"


@pytest.mark.parametrize(("dialects", "least"), [(["fence"], 100), ("all", 500)])
def test_a_server_compiles_all_as_it_starts(dialects: list[str] | str, least: int) -> None:
    """Those of the markers of its dialects too."""
    state = STATE.format(dialects=dialects)
    assert (
        python(f"{state}guard.preload(); print(len(compiled()) > {least}, len(compiled()) == len(all_late()))") == "True True\n"
    )


def test_a_pattern_goes_with_whatever_made_it() -> None:
    before = len(all_late())
    written: list[str] = []

    def text() -> str:
        written.append("a+")
        return "a+"

    pattern = late(text)
    assert (len(all_late()), written) == (before + 1, [])
    assert pattern.match("aab") is not None
    assert pattern.search("b") is None
    assert written == ["a+"]
    del pattern
    gc.collect()
    assert len(all_late()) == before
