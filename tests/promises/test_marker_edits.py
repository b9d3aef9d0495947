"""Calls with raw values of which one marker was edited: no value or set of fields runs but the one that was meant.

Nor does a value with a piece of a marker between its letters, where a part of the stream was lost or came twice.

Rule: one sign beside a value, where no marker is hurt, may be a part of it: nothing shows that it is not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from tests.kit.breadth import some
from tests.kit.dialects import RAW
from tests.kit.proof import Cases

EDITS: Final = int(os.environ.get("EDITS", "30"))
"""The edits that are drawn for each call in each dialect; more under `make more`."""

S: Final = {"type": "string"}


def takes(required: str, **fields: Any) -> dict[str, Any]:
    """Return the schema of a tool that takes no other fields: a key of an open one may be any word."""
    return {"type": "object", "properties": fields, "required": [required], "additionalProperties": False}


TOOLS: Final = Toolset(
    Tool("remove_path", "", takes("path", path=S, recursive={"type": "boolean"}), risk=Risk.DESTRUCTIVE),
    Tool("save_note", "", takes("title", title=S, text=S)),
)
GUARD: Final = Guard(TOOLS, dialects="all")
CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("remove_path", {"path": "hall", "recursive": True}),
    ("save_note", {"title": "Zq", "text": "wall"}),
]


def edits(text: str, values: list[str]) -> Iterator[str]:
    """Yield a reply with one edit that touches no value: signs left out, there twice, swapped, put in, in another case."""
    spans = [(at, at + len(value)) for value in values for at in [text.index(value)]]

    def free(begin: int, end: int) -> bool:
        return not any(begin < stop and start < end for start, stop in spans)

    for at in range(len(text)):
        for size in range(1, 13):
            if at + size <= len(text) and free(at, at + size):
                yield text[:at] + text[at + size :]
                yield text[: at + size] + text[at:]
        if free(at, at + 2):
            yield text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
        if free(at, at + 1):
            yield text[:at] + text[at].swapcase() + text[at + 1 :]
            for sign in "<>/=\"' \n|x":
                yield text[:at] + sign + text[at:]


def is_meant(got: Any, meant: Any) -> bool:
    if not isinstance(got, str) or not isinstance(meant, str):
        return bool(got == meant)
    bare = got.strip()
    begin, _, end = bare.partition(meant)
    return meant in bare and len(begin.strip()) < 2 and len(end.strip()) < 2


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("name", RAW)
def test_an_edited_marker_makes_no_other_call(cases: Cases, name: str) -> None:
    rng = Random(name)
    for tool, meant in CALLS:
        text = DIALECTS[name].write([(tool, meant)])
        found = sorted({*edits(text, [value for value in meant.values() if isinstance(value, str)])} - {text})
        for reply in rng.sample(found, min(len(found), EDITS)):
            for block in GUARD.scan([reply, End("stop")]):
                if isinstance(block, ToolBlock) and block.executable and block.call is not None:
                    got = block.call.arguments
                    assert got.keys() == meant.keys(), (reply, got)
                    assert all(is_meant(got[key], meant[key]) for key in meant), (reply, got)
    cases(len(CALLS) * EDITS)


NOTE: Final = {"title": "harbour", "text": "wall"}


def lost_or_doubled(written: str) -> Iterator[str]:
    """Yield a reply of which a part was lost or came twice: what is left of a marker stands between letters of a value."""
    first, second = written.index("harbour"), written.index("wall")
    end = first + len("harbour")
    closer, opened = written.index("<", end), written.rindex(">", 0, second) + 1
    for size in range(3, written.index(">", closer) - closer):
        yield from (written[: closer + size] + written[end - back :] for back in range(1, 8))
        yield from (written[: closer + size] + written[second + skipped :] for skipped in range(1, 4))
    for size in range(2, 9):
        yield from (written[: second + kept] + written[opened - size :] for kept in range(1, 4))
    head = written[:opened]
    if head.endswith(("text>", 'text">')) and not head.endswith("<text>"):
        least = len("ext>") + head.endswith('"true">') * len(' string="true"') + head.endswith('">')
        yield from (written[: first + kept] + written[opened - size :] for kept in range(1, 8) for size in range(least, 16))


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("name", RAW)
def test_a_part_that_was_lost_or_came_twice_leaves_no_piece_of_a_marker_in_a_value(cases: Cases, name: str) -> None:
    written = DIALECTS[name].write([("save_note", NOTE)])
    found = some(sorted({*lost_or_doubled(written)} - {written}), 60)
    for reply in found:
        for block in GUARD.scan([reply, End("stop")]):
            if isinstance(block, ToolBlock) and block.executable:
                ran = block.arguments or {}
                assert all(is_meant(ran.get(key), meant) for key, meant in NOTE.items()), (reply, ran)
    cases(len(found))
