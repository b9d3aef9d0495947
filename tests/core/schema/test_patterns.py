"""The steps of a pattern are told from its text, and are at least those of the engine."""

from __future__ import annotations

import re
from random import Random

import pytest

from stream_guard.schema import patterns
from stream_guard.schema.patterns import bounded, is_linear, steps, weight
from stream_guard.schema.schema import Schema

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


EMAIL = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"
HOST = r"^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$"
PASSWORD = r"^(?=.*[A-Z])(?=.*\d)(?!.*(?:[()]|\s|ab|cd))[^<>]{4,}$"
PIECES = ("a", "b", ".", "..", "@", "B.", "x1", "com", "-", "1", "(", " ", "cd", "A", "\n")


@pytest.mark.parametrize(
    "pattern", [EMAIL, HOST, PASSWORD, "^(?!a|b)c", "^(?=a)", "^(?!a)(?=b|c)", "^(?!(a|b)c)[a-c]+$", "^a$"]
)
def test_a_pattern_that_looks_ahead_at_its_beginning_is_divided(pattern: str) -> None:
    """Into patterns that the linear engine takes, and that accept the same texts."""
    document = {"type": "object", "properties": {"x": {"type": "string", "minLength": 1, "pattern": pattern}}}
    made, whole, _ = bounded(document)
    assert whole
    assert Schema(document).is_heavy is ("(?" in pattern)
    divided = Schema(made)
    chance = Random(pattern)
    for _ in range(4_000):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(9)))
        wanted = bool(text) and re.search(pattern.replace("$", r"\Z"), text) is not None
        assert divided.accepts({"x": text}) is wanted, text


@pytest.mark.parametrize(
    "pattern",
    [BACK, AHEAD, "a(?!b)", "^(?!a)b|c", "^(?!a)*b", "^(?<!a)b", r"^(?!(a)\1)b", "^a(?=b)", "(?>a*)*", "^(?!(?=a)b)c", "^(?!a"],
)
def test_a_pattern_that_cannot_be_divided_is_taken_out_and_no_text_is_accepted(pattern: str) -> None:
    """What was not checked is never executable; what has no such value is checked as before."""
    document = {"properties": {"x": {"type": ["string", "null"], "pattern": pattern}, "n": {"type": "integer"}}}
    made, whole, _ = bounded(document)
    assert not whole
    assert pattern not in str(made)
    schema = Schema(made)
    assert schema.accepts({"n": 1, "x": None})
    assert not schema.accepts({"n": "1"})
    for text in ("", "a", "b", "ab", "xy"):
        assert not schema.accepts({"x": text})
        assert not schema.refuses({"x": text})
        assert [found.keyword for found in schema.violations({"x": text})] == ["steps"]


def test_patterns_are_found_wherever_they_stand_and_what_is_a_value_is_none() -> None:
    document = {
        "properties": {"pattern": {"const": {"pattern": AHEAD}}, "enum": {"enum": [AHEAD, {"pattern": AHEAD}]}},
        "$defs": {"const": {"items": [{"pattern": "^(?!a)b", "allOf": [{"minLength": 2}]}]}},
    }
    made, whole, _ = bounded(document)
    assert whole
    assert made["properties"] == document["properties"]
    (item,) = made["$defs"]["const"]["items"]
    assert item == {"pattern": "^b", "allOf": [{"minLength": 2}, {"not": {"pattern": "^(?:a)"}}]}
    made, whole, _ = bounded({"type": "object", "patternProperties": {"^x": {}, "^(?!a)b": {"type": "integer"}}})
    assert not whole
    assert not Schema(made).accepts({"b": "text"})
    assert bounded({"pattern": "a{3000}", "not": {"pattern": "b{1500}"}})[1] is False
    assert bounded({"pattern": "a{3000}"})[:2] == ({"pattern": "a{3000}"}, True)


@pytest.mark.parametrize(
    "pattern",
    [r"^[\p{L}\p{N} _.-]{1,64}$", EMAIL, HOST, r"^[\s\S]{1,2000}$", r"\p{L}{60}", r"^\p{Lu}[\p{L} '-]{0,63}$", "a{4000}"],
)
def test_ordinary_patterns_have_room(pattern: str) -> None:
    made = bounded({"properties": {"x": {"pattern": pattern}}})
    assert made.whole
    assert 0 < made.size < patterns.PATTERN_ROOM


@pytest.mark.parametrize(
    "document",
    [
        {"pattern": r"[^\pL\pN]{300}"},
        {"properties": {f"p{n}": {"pattern": rf"[^\pL\pN]{{{n + 1}}}"} for n in range(78)}},
        {"patternProperties": {rf"\PL{{30}}{n}": {} for n in range(100)}},
        {"items": {"allOf": [{"pattern": rf"^(?!\PL{{30}}{n})\PN{{30}}"} for n in range(60)]}},
    ],
    ids=["one", "many", "of names", "divided"],
)
def test_patterns_that_take_more_memory_together_are_taken_out(document: dict[str, object]) -> None:
    """All of them have less than 4,000 places: one at which nearly any character may stand takes the engine 50,000 bytes."""
    asked = set(_texts(document))
    assert sum(map(weight, asked)) < 4_000
    made = bounded(document)
    assert not made.whole
    kept = set(_texts(made.schema))
    assert sum(patterns._size(pattern, patterns.PATTERN_ROOM) for pattern in kept) <= made.size <= patterns.PATTERN_ROOM
    assert all(is_linear(pattern, patterns.PATTERN_ROOM) for pattern in kept)


def test_what_does_not_fit_ends_the_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand large patterns cost no more than the first few."""
    asked: list[str] = []
    plain = patterns.is_linear

    def counted(pattern: str, most: int | None = None) -> bool:
        asked.append(pattern)
        return plain(pattern, most)

    monkeypatch.setattr(patterns, "is_linear", counted)
    bounded({"allOf": [{"pattern": rf"\PL{{3}}{n}"} for n in range(900)]}, room=1 << 20)
    assert 0 < len(asked) < 300


def _texts(node: object) -> list[str]:
    """Return the patterns of a schema."""
    if isinstance(node, list):
        return [text for item in node for text in _texts(item)]
    if not isinstance(node, dict):
        return []
    own = [node["pattern"]] if isinstance(node.get("pattern"), str) else []
    return [*own, *node.get("patternProperties", ()), *(text for item in node.values() for text in _texts(item))]
