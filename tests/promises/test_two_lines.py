"""The only line break of a text: between two lines it was meant, and where it slipped in it was not.

Texts of two lines come out as they were written or are refused, and most of the common kinds run. A text of one line with a
line break at any place inside of it never runs.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from tests.kit.breadth import some
from tests.kit.proof import Cases
from tests.kit.two_lines import NEARLY, ONE_LINE, broken, two_lines

TEXT: Final[Any] = {"type": "string"}


def tool(name: str, *fields: str) -> Tool:
    schema = {"properties": dict.fromkeys(fields, TEXT), "required": list(fields), "additionalProperties": False}
    return Tool(name, "", {"type": "object", **schema}, risk=Risk.WRITE)


GUARD: Final = Guard(
    Toolset(tool("note", "title", "text"), tool("run", "command"), tool("swap", "file", "old_string"), tool("put", "after"))
)
FORMS: Final = {
    "text": '{"tool": "note", "title": "t", "text": "%s"}',
    "command": '{"tool": "run", "command": "%s"}',
    "old_string": '{"tool": "swap", "file": "a", "old_string": "%s"}',
    "after": '{"tool": "put", "after": "%s"}',
}
"""A block with a text in a field, by the field: named like a long text, like code, like a piece of a file, like neither."""

MENDED: Final = {"text": 240, "command": 207, "old_string": 234, "after": 170}
"""How many of the texts of two lines run, at least."""


def bare(text: str) -> str:
    """Return a text as it stands between quotes, its line breaks and tabs as they are."""
    return "\n".join(
        "\t".join(json.dumps(cell, ensure_ascii=False)[1:-1] for cell in line.split("\t")) for line in text.split("\n")
    )


def said(field: str, text: str) -> str | None:
    """Return the text of a call that runs; None if it does not."""
    block = GUARD.check(FORMS[field] % bare(text))
    return (block.arguments or {})[field] if block.executable else None


@pytest.mark.promise("P7", "P8")
def test_most_texts_of_two_lines_come_out_as_they_were_written(cases: Cases) -> None:
    ran = Counter[str]()
    for _, text in two_lines():
        for field in FORMS:
            out = said(field, text)
            assert out in (None, text)
            ran[field] += out is not None
    cases(len(FORMS) * len(list(two_lines())))
    assert all(ran[field] >= least for field, least in MENDED.items()), ran


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
def test_a_line_break_inside_a_text_of_one_line_never_runs(cases: Cases) -> None:
    wrong: list[tuple[str, str]] = []
    for text in some([*ONE_LINE, *NEARLY], 24):
        slips = list(broken(text))
        wrong += [(field, slip) for slip in slips for field in FORMS if said(field, slip) is not None]
        cases(len(FORMS) * len(slips))
    assert not wrong, (len(wrong), wrong[:9])
