"""Whether a body with a torn text leaves a bracket open."""

from __future__ import annotations

import pytest

from stream_guard.scan.torn import ends_in_text, ends_torn

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


IN_TEXT = [
    '{"tool": "t", "content": \'ends with x"}',
    "{'tool': 't', 'content': \"ends with x'}",
    '{"tool": "t", "content": \'\'\'it is x"}',
    '{"tool": "t", "content": `x"}',
    '{"tool": "t", "content": ```js\nx"}',
    '{"tool": "t", "content": r#"x"}',
    '{"tool": "t", "content": r\'x"}',
    '{"tool": "t", "content": \u00abx"}',
    '{"tool": "t", "content": \u300cx"}',
    '{"tool": "t", "content": (see {"a": "b"}',
    '{"tool": "t", "content": [[x"}',
    '{"tool": "t", "content": [=[x]]"}',
    '{"tool": "t", "content": <<<EOT\nx"}',
    "{'tool': 't', 'content': 'it's x\"}",
    r"{'tool': 't', 'content': 'x\'}",
    't(path="a", content="x"}',
    "['tool' => 't', 'content' => 'x\"]",
]
OUT_OF_TEXTS = [
    '{"tool": "t", "content": \'ends with x\'}',
    "{tool: `t`, title: ``, content: `x`}",
    "{'tool': 't', 'content': 'it's', 'x': 1}",
    '{"tool": "t", "content": """say "x" now"""}',
    '{"tool": "t", "content": ("x"\n "y")}',
    '{"tool": "t", "content": [[1, 2], ["x"]]}',
    '{"tool": "t", "content": [[x]]}',
    '{"tool": "t", "content": <<EOT\nx"\nEOT\n}',
    '{"tool": "t", "content": \u201ex\u201c}',
    "{'tool': 't'\n 'content': 'x'\n}",
    "{'tool': 't', 'content': 'x' // it's so\n}",
    "{'tool': 't', 'content': 'x'  # it's so\n}",
    't(path="a", content={"x": "y"}',
    "t: don't",
    "",
]


@pytest.mark.parametrize("body", IN_TEXT)
def test_a_text_is_open_until_its_own_mark(body: str) -> None:
    assert ends_in_text(body)


@pytest.mark.parametrize("body", OUT_OF_TEXTS)
def test_a_text_ends_at_its_own_mark_before_what_stands_behind_a_text(body: str) -> None:
    assert not ends_in_text(body)
