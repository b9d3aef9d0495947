"""The promises for one text, however it is cut: what tests over recordings and over replies of our own share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from stream_guard import End, Guard, ToolBlock, ToolStatus
from stream_guard.testing import by_char, merge_text, original, random_splits
from stream_guard.tools.files import FILE_TOOLS

FENCE_LIKE: Final = re.compile(r"^(?:[ \t]|[-+*][ \t]|[0-9]+[.)][ \t])*[`~]", re.MULTILINE)
"""A line that begins like a fence: its deltas may have to be divided."""

OPENER: Final = re.compile(r"^```json\n", re.MULTILINE)
"""The line that opens a fence of a call, by itself."""

FILES: Final = Guard(FILE_TOOLS, untagged="validate")

WAYS: Final = 6
"""In how many ways `check` cuts a text: as it came, whole, by character, three times at random."""


def check(deltas: list[str | End], seed: int, guard: Guard = FILES) -> list[Any]:
    """The promises P1, P2 and P4 for one lane; returns its items."""
    items = list(guard.scan(deltas, stream_id="s"))
    pieces = [delta for delta in deltas if isinstance(delta, str)]
    text = "".join(pieces)
    assert original(items) == text
    if not FENCE_LIKE.search(text):
        assert all(a is b for a, b in zip(items, pieces, strict=True))
    ended: Counter[str] = Counter()
    for item in items:
        if isinstance(item, ToolBlock) or (isinstance(item, ToolStatus) and item.status == "released"):
            ended[item.id] += isinstance(item, ToolStatus) or item.part == item.parts
            if isinstance(item, ToolBlock) and item.end_cause not in ("closed", "stop"):
                assert not item.executable
    assert ended == {item.id: 1 for item in items if not isinstance(item, str)}
    ends = [delta for delta in deltas if isinstance(delta, End)]
    if all(isinstance(delta, str) for delta in deltas[: len(pieces)]):  # the end is at the end
        whole = merge_text(items)
        for chunks in [[text], by_char(text), *random_splits(text, seed, 3)]:
            assert merge_text(guard.scan([*chunks, *ends], stream_id="s")) == whole
    return items


def opened_in_time(guard: Guard, deltas: Iterable[str]) -> int:
    """How many deltas completed the line of an opener. In each of them a status left."""
    session = guard.session()
    came, seen = "", 0
    for delta in deltas:
        before, came = came, came + delta
        opened = sum(
            isinstance(item, ToolStatus) and item.received is None and item.reason is None for item in session.feed(delta)
        )
        if OPENER.search(came) and not OPENER.search(before):
            seen += 1
            assert opened >= 1
    return seen
