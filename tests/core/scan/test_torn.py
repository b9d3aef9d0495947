"""Whether a body with a torn text leaves a bracket open."""

from __future__ import annotations

import pytest

from stream_guard.scan.torn import ends_torn

OPEN = [
    '{"tool": "t", "content": "see {"x": "a", "b": 5}',
    '{"tool": "t", "content": "see {"x": "a", "b": [5]}\n',
    '{"tool": "t", "content": "["a", 5]',
    '{"tool": "t", "content": "x }\n{"x": "a", "b": 5}',
    '{"tool": "t", "content": "x }} y ]\n{"x": "a", "b": 5}',
    "{'tool': 't', 'content': 'it's {'x': 'a', 'b': 5}",
    "{“tool”: “t”, “content”: “see {“x”: “a”, “b”: 5}",
    "{tool: `t`, content: `see {x: `a`, b: 5}",
    '{"tool": "t", "path": \'a\', "content": "see {\'x\': 5}',
    '{"tool": "t", "content": "say "hi" {"}',
]
ENDED = [
    '{"tool": "t", "content": "say "hi" now"}',
    '{"tool": "t", "content": "say "hi" now"}}\n',
    '{"tool": "t", "content": "a {"b": 5} c"};',
    "{'tool': 't', 'content': 'if (x) {'}",
    "{'tool': 't', 'content': 'if (x) }'}",
    "{'tool': 't', 'content': 'say \"hi {'}",
    r"{'tool': 't', 'content': 'it\'s {'}",
    "{'tool': 't', 'arguments': {'content': 'x'}",
    '{"tool": "t", "content": "x",} // it\'s so',
    "{“tool”: “t”, “content”: “a {b}”}",
    "{tool: t, content: a",
]


@pytest.mark.parametrize("body", OPEN)
def test_a_bracket_that_a_torn_text_opens_has_to_close(body: str) -> None:
    assert ends_torn(body)


@pytest.mark.parametrize("body", ENDED)
def test_where_brackets_close_or_no_text_is_torn_the_body_ends(body: str) -> None:
    assert not ends_torn(body)
