"""The targets of the fuzzer in every test run: on what it found once, on a corpus of its own, and on what hypothesis draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.fuzzing import KEPT, TARGETS, corpus

BYTES = st.lists(st.integers(0, 255) | st.integers(128, 190), max_size=60).map(bytes)


@pytest.mark.parametrize("name", TARGETS)
@given(data=BYTES)
def test_no_bytes_break_a_target(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_once_does_not_come_back(name: str) -> None:
    """What broke a target, and what reached new paths."""
    kept = [*corpus(name), *(path.read_bytes() for path in (KEPT / name).glob("*-*"))]
    assert len(kept) >= 10
    for data in kept:
        TARGETS[name](data)
