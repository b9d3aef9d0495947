"""Code of many languages as raw values, with words that are the names of fields: nothing in it is taken for a marker."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Tool, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from tests.kit.breadth import some
from tests.kit.code_values import WORDS, code_values
from tests.kit.dialects import RAW
from tests.kit.proof import Cases

ALL_WORDS: Final = sorted({word for pair in WORDS for word in pair})


def saving(key: str, fields: list[str]) -> Toolset:
    """Return a tool with these fields, of which one is required."""
    schema = {"type": "object", "properties": {field: {"type": "string"} for field in fields}, "required": [key]}
    return Toolset(Tool("save_it", "", {**schema, "additionalProperties": False}))


def holds_markers_of(name: str, language: str, text: str) -> bool:
    """Return whether a text may hold a marker of its dialect: a key, where each is a tag, or the end of `]]>`."""
    words = "|".join(ALL_WORDS)
    return (name, language) == ("minicpm5", "comparisons") or (
        name == "cline_xml" and re.search(rf"[<>/]\W?(?:{words})|(?:{words})>", text) is not None
    )


@pytest.mark.some
@pytest.mark.promise("P6")
@pytest.mark.parametrize("name", RAW)
def test_code_runs_whatever_its_words_are(cases: Cases, name: str) -> None:
    """One is the field that the code stands in, a field beside it, or one that is not there."""
    cells = [
        (language, text, word, role)
        for language, text, word in code_values()
        for role in ("own", "beside", "missing")
        if not holds_markers_of(name, language, text) and (role, language) != ("own", "in others")
    ]
    chosen = some(cells, 60, kind=lambda cell: (cell[0], cell[3]))
    for _, text, word, role in chosen:
        key = word if role == "own" else "content"
        meant: dict[str, Any] = {**({word: "home"} if role == "beside" else {}), key: text}
        others = [other for other in ALL_WORDS if other in text and other not in meant]
        guard = Guard(saving(key, [*meant, *others]), dialects=(name,))
        found = guard.scan([DIALECTS[name].write([("save_it", meant)]) + "\n", End("stop")])
        calls = [item.call for item in found if isinstance(item, ToolBlock) and item.executable]
        ran = [call.arguments for call in calls if call is not None]
        assert ran == [meant], (text, meant)
    cases(len(chosen))
