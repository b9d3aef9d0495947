"""Patterns of schemas: what is read, against the library's own engine, and what is refused."""

from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stream_guard.grammars import regexes
from tests.kit.grammars import pattern_of, takes

PATTERNS = [
    "^a$", "a", "^a", "b$", "^[A-Z]{3}$", "^[^a-c]+$", "^(?:ab|c)*$", "^(a|b){1,2}c?$", "^a|b$", r"^\d{2}-\w+$",
    r"^\S+@\S+\.com$", r"^[\w.-]+$", r"^a\.b\/c\-d$",
    r"^\x41é\u00e9?$", "^.{2}$", "^(?<year>[0-9]{4})$", "^$", "^a*?b+?$", r"^[\]\\^-]+$", "",
    r"^\s*a\s*$", "^a||b", "^[a-]{2}$",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=25)
@given(data=st.data())
def test_a_pattern_takes_what_the_validator_takes(pattern: str, data: st.DataObject) -> None:
    node = regexes.read(pattern)
    validator = jsonschema_rs.validator_for({"pattern": pattern})
    near = st.text("abcABC012-_.@^\\] \n/xé", max_size=6)
    text = data.draw(st.one_of(near, st.from_regex(pattern_of(node), fullmatch=True)))
    assert takes(node, text) is validator.is_valid(text)
    low, high = regexes.lengths(node)
    assert not validator.is_valid(text) or (low <= len(text) and (high is None or len(text) <= high))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", r"(a)\1", r"\bword", r"\D", r"\W", r"\p{L}", "a{2000}", "a{,3}",
        "(^a)", "(a$)b", "a**",
        "[[a]]", "[a&&b]", "(a", "[a", "a\\", r"\x4", r"\cA", "(?i)a", "a$b", "[z-a]", "+a", "(" * 200,
    ],
)  # fmt: skip
def test_what_no_grammar_can_say_is_refused(pattern: str) -> None:
    with pytest.raises(regexes.Unsupported, match=r"\w"):
        regexes.read(pattern)
