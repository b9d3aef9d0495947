"""The steps of a pattern are told from its text, and are at least those of the engine."""

from __future__ import annotations

import pytest

from stream_guard.schema import patterns
from stream_guard.schema.patterns import is_linear, steps, unbounded_patterns, weight

AHEAD = r"(?=.*x)y"
BACK = r"(a*)*b\1"


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        ("abc", 3),
        (r"\d{4}-\d{2}", 7),
        ("[]a]{3}", 3),
        ("(a{50}){50}", 2500),
        ("(?:ab){3,5}c", 11),
        ("a{2,}", 2),
        ("a*b+c?", 3),
        (r"\{\p{L}{3}", 4),
        ("(?<name>ab)(?:c)", 3),
        ("", 0),
    ],
)
def test_a_counted_repetition_is_written_out(pattern: str, places: int) -> None:
    assert weight(pattern) == places


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"^[\s\S]{1,4000}$", 1_000),
        (r"^\d{4}-\d{2}-\d{2}$", 1_000),
        (r"^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", 1_000),
        (r"https?://\S+", 1_000),
    ],
)
def test_ordinary_patterns_take_few_steps(pattern: str, most: int) -> None:
    """At one place at a time, whatever the text."""
    assert is_linear(pattern)
    assert steps(pattern, True, 16_000) <= most


def test_a_pattern_that_looks_around_takes_steps_for_every_beginning() -> None:
    assert not is_linear(AHEAD)
    assert not is_linear(BACK)
    assert steps(AHEAD, False, 16_000) > 16 * steps(AHEAD, False, 100)
    assert steps(BACK, False, 1) >= patterns.BACKTRACKS


def test_patterns_that_the_linear_engine_does_not_take_are_found_wherever_they_stand() -> None:
    document = {
        "properties": {"a": {"pattern": "^a$"}, "pattern": {"type": "string"}, "b": {"items": [{"pattern": AHEAD}]}},
        "patternProperties": {BACK: {"patternProperties": "no object"}},
    }
    assert set(unbounded_patterns(document)) == {AHEAD, BACK}
    assert list(unbounded_patterns({"pattern": "a{3000}", "not": {"pattern": "b{1500}"}})) != []
    assert list(unbounded_patterns({"pattern": "a{3000}"})) == []
