"""The public test kit."""

from __future__ import annotations

import pytest

from stream_guard import CorrectionRequest, Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, by_char, collect, every_split, merge_text, original, random_splits
from stream_guard.tools.files import FILE_TOOLS


def test_every_split_is_every_cut_in_two_and_one_by_character() -> None:
    assert list(every_split("abc")) == [["a", "bc"], ["ab", "c"], ["a", "b", "c"]]
    assert list(every_split("")) == [[]]
    assert by_char("ab") == ["a", "b"]


def test_random_splits_are_the_same_for_the_same_seed_and_lose_nothing() -> None:
    first = list(random_splits("hello world", 3, 50))
    assert first == list(random_splits("hello world", 3, 50))
    assert first != list(random_splits("hello world", 4, 50))
    assert all("".join(chunks) == "hello world" for chunks in first)
    assert any("" in chunks for chunks in first)


def test_merged_text_is_joined_and_progress_left_out() -> None:
    events = [
        ToolStatus("x", 1, "buffering"),
        ToolStatus("x", 2, "buffering", received=5),
        ToolStatus("x", 3, "validating"),
    ]
    assert merge_text(["a", "", "b", events[0], "c", events[1], "d", events[2]]) == [
        "ab", events[0], "cd", ToolStatus("x", 2, "validating"),
    ]  # fmt: skip
    assert merge_text([events[1]], progress=True) == [events[1]]
    assert merge_text(["a", 1, "b"]) == ["a", 1, "b"]


async def test_a_fake_stream_counts_and_a_fake_corrector_follows_its_script() -> None:
    source = FakeStream(["a", "b"])
    assert await collect(source) == ["a", "b"]
    assert (source.read, source.closed) == (2, 0)
    request = CorrectionRequest("block", (), FILE_TOOLS, 1)
    corrector = FakeCorrector("one", ValueError("two"))
    assert await corrector(request) == "one"
    for _ in range(2):
        with pytest.raises(ValueError, match="two"):
            await corrector(request)
    assert corrector.requests == [request] * 3
    with pytest.raises(AssertionError, match="no replies were given"):
        await FakeCorrector()(request)


def test_the_original_text_is_prose_and_raw_in_order() -> None:
    text = 'a\n```json\n{"tool": "rm", "path": "x"}\n```\nb'
    items = list(Guard(FILE_TOOLS).scan(list(text)))
    assert any(isinstance(item, ToolBlock) for item in items)
    assert original(items) == text
