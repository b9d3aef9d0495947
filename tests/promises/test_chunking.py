"""Promises P1 and P2: chunking does not matter, and nothing is lost. Every sequence of tokens, then documents at random."""

from __future__ import annotations

import itertools
import operator
import os
import re
from typing import Any, TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard, Pending, ToolBlock, ToolStatus
from stream_guard.judge.aside import Aside
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.states import Closed, Scanned
from stream_guard.testing import by_char, every_split, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import Preview, previewed
from tests.kit.documents import LIMITS, cut, documents
from tests.kit.proof import Cases

HOLDABLE = re.compile(r"|`{1,2}|~{1,2}|`{3,} *|~{3,} *")
STEP = int(os.environ.get("STEP", "200"))
"""Of the longest sequences of tokens, one of so many is tried; all under `make more` and `make prove`."""

TOKENS = ("```", "json", "\n", "\r\n", "{", "}", " ", "~~~", "x", "`")


def scan(chunks: list[str]) -> list[Any]:
    scanner = FenceScanner(FILE_TOOLS)
    out: list[Scanned] = []
    for chunk in chunks:
        out += scanner.feed(chunk)
    return merge_text(out + scanner.end())


def untouched(chunks: list[str]) -> list[Scanned]:
    """What leaves for these chunks: as many items, or it is nothing to compare."""
    scanner = FenceScanner(FILE_TOOLS)
    out = [item for chunk in chunks for item in scanner.feed(chunk)] + scanner.end()
    assert len(out) == len(chunks)
    return out


def text_of(items: list[Any]) -> str:
    return "".join(item if isinstance(item, str) else item.block.raw if isinstance(item, Closed) else "" for item in items)


@pytest.mark.more
@pytest.mark.parametrize("first", TOKENS)
@pytest.mark.promise("P1", "P2")
def test_every_sequence_of_five_tokens_gives_the_same_events_at_every_cut(cases: Cases, first: str) -> None:
    """All 111,110 texts, at every 2-split and by character, are scanned alike and lose nothing: a million runs.

    All that are shorter, one in a twentieth of `STEP` of those with four, and one in `STEP` of those with five.
    """
    runs = 0
    for length in range(5):
        step = {3: max(STEP // 20, 1), 4: STEP}.get(length, 1)
        for rest in itertools.islice(itertools.product(TOKENS, repeat=length), TOKENS.index(first) % step, None, step):
            text = first + "".join(rest)
            whole = scan([text])
            assert text_of(whole) == text
            fenceless = "`" not in text and "~" not in text
            for chunks in every_split(text):
                runs += 1
                assert scan(chunks) == whole, chunks
                if fenceless:
                    assert all(map(operator.is_, untouched(chunks), chunks)), chunks
    cases(runs)
    assert runs > 80_000 // STEP


@given(st.data())
@pytest.mark.promise("P1", "P2")
def test_any_cutting_of_a_document_gives_the_same_events(data: st.DataObject) -> None:
    """Whatever the document, the limits and the cuts: the same events, and the original text."""
    text = data.draw(documents())
    guard = Guard(
        FILE_TOOLS,
        limits=data.draw(LIMITS),
        announce=data.draw(st.sampled_from(["fence", "tool"])),
        untagged=data.draw(st.sampled_from(["release", "release", "validate"])),
        languages=data.draw(st.sampled_from([("json",), ("json", ""), ("markdown",)])),
    )
    whole = merge_text(guard.scan([text], stream_id="s"))
    assert original(guard.scan([text])) == text
    assert merge_text(guard.scan(by_char(text), stream_id="s")) == whole
    for _ in range(3):
        chunks = data.draw(cut(text))
        assert merge_text(guard.scan(chunks, stream_id="s")) == whole, chunks


@given(st.data())
@pytest.mark.promise("P4")
def test_every_announced_block_reaches_exactly_one_end_and_seq_counts_all_events(data: st.DataObject) -> None:
    """Promise P4."""
    text = data.draw(documents())
    guard = Guard(FILE_TOOLS, limits=data.draw(LIMITS), announce=data.draw(st.sampled_from(["fence", "tool"])), progress=5)
    events = [item for item in guard.scan(data.draw(cut(text))) if not isinstance(item, str)]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    ended: set[str] = set()
    announced: set[str] = set()
    for event in events:
        assert event.id not in ended, "an event after the end of its block"
        announced.add(event.id)
        if event.part == event.parts if isinstance(event, ToolBlock) else event.status == "released":
            ended.add(event.id)
    assert announced == ended


@given(st.data())
def test_the_changes_of_a_preview_come_to_the_arguments(data: st.DataObject) -> None:
    """Joined, they are the arguments of a block that is valid, however it is cut."""
    text = data.draw(documents())
    guard = Guard(FILE_TOOLS, fixes="off", preview=True)
    changes: dict[str, list[Preview]] = {}
    for item in guard.scan(data.draw(cut(text))):
        if isinstance(item, ToolStatus):
            changes.setdefault(item.id, []).extend(item.preview or ())
        elif item_is_valid(item):
            assert previewed(changes[item.id]) == item.runnable().arguments


def item_is_valid(item: object) -> TypeGuard[ToolBlock]:
    return isinstance(item, ToolBlock) and item.outcome == "valid"


@given(st.lists(st.text(alphabet="abc 123 é😀\n\r\t.,;:-+*#>()\"'{}[]<>", max_size=12), max_size=30))
@pytest.mark.promise("P2")
def test_text_in_which_no_line_begins_like_a_fence_leaves_as_the_very_objects_that_came(deltas: list[str]) -> None:
    """Promise P2: as many, in order, the same objects, each in its own tick."""
    session = Guard(FILE_TOOLS).session()
    for delta in deltas:
        out = list(session.feed(delta))
        assert len(out) == 1
        assert out[0] is delta
    assert list(session.end()) == []


@given(st.lists(st.text(alphabet="ab `~\n", max_size=6), max_size=30))
@pytest.mark.promise("P3")
def test_held_text_waits_no_longer_than_its_line_could_be_a_fence(deltas: list[str]) -> None:
    """Promise P3: what is held after each delta is the head of one line, and it could still open a block."""
    session = Guard(FILE_TOOLS).session()
    said = ""
    came = ""
    for delta in deltas:
        came += delta
        said += original(item for item in session.feed(delta) if not isinstance(item, Pending | Aside))
        held = came.removeprefix(said)
        assert said + held == came
        assert HOLDABLE.fullmatch(held), held
