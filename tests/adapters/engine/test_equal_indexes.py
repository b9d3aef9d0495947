"""Two choices, or candidates, of one event may have one index: each is what it is, wherever the text stands."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise, permutations, product
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS

from stream_guard import End, Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases

GUARD: Final = Guard(FILE_TOOLS)
SILENT: Final[dict[str, list[dict[str, Any]]]] = {
    "gemini": [
        {"index": 0},
        {"index": 0, "content": {}},
        {"index": 0, "content": {"role": "model", "parts": []}},
        {"index": 0, "content": {"parts": [{"text": ""}]}},
        {"index": 0, "content": {"parts": [{"text": "hm", "thought": True}]}},
        {"x": 1},
        {"candidates": [{"index": 0, "content": {"parts": [{"text": "y"}]}}]},
        {"index": 0, "safetyRatings": [{"category": "c"}]},
    ],
    "openai-chat": [
        {"index": 0},
        {"index": 0, "delta": {}},
        {"index": 0, "delta": {"role": "assistant"}},
        {"index": 0, "delta": {"content": ""}},
        {"x": 1},
        {"index": 0, "text": ""},
        {"index": 0, "logprobs": {"content": []}},
    ],
}
"""What has the index of a text, and says nothing itself."""


def saying(protocol: str, text: str) -> dict[str, Any]:
    """A choice with this text."""
    if protocol == "gemini":
        return {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}
    return {"index": 0, "delta": {"content": text}}


def read(events: Iterable[Any], protocol: str) -> str:
    table = PROTOCOLS[protocol]
    return "".join(text for event in events if isinstance(event, dict) for _, text in table.texts(event))


@pytest.mark.parametrize("member", [False, True])
@pytest.mark.parametrize("pieces", [("``", "`js", "on\nx"), ("`", "``json\n", "x"), ("a", "b", "c"), ("Hi\n``", "zz", "\n")])
@pytest.mark.parametrize("protocol", SILENT)
def test_no_text_is_lost_or_doubled(protocol: str, pieces: tuple[str, ...], cases: Cases, *, member: bool) -> None:
    name = {"gemini": "candidates", "openai-chat": "choices"}[protocol]
    tried = 0
    silent_ones = [*((one,) for one in SILENT[protocol]), *pairwise(SILENT[protocol])]
    for silent, at in product(silent_ones, range(len(pieces))):
        for order in permutations([*silent, saying(protocol, pieces[at])]):
            events: list[dict[str, Any]] = [{name: [saying(protocol, piece)]} for piece in pieces]
            events[at] = {name: [*order], **({"usage": {"x": 1}} if member else {})}
            noted: list[str] = []
            lanes = Lanes(GUARD, PROTOCOLS[protocol], Settings(blocks="text", on_uninspected=noted.append))
            left: list[Any] = []
            for event in json.loads(json.dumps(events)):
                left += [event] if lanes.try_pass(event) else lanes.feed(event)
            left += [*lanes.feed(End("stop")), *lanes.end()]
            tried += 1
            assert (read(left, protocol), "guard error" in noted) == ("".join(pieces), False), events
    cases(tried)
