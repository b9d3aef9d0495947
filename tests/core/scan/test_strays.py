"""Marks of calls in prose, whose opener was lost."""

from __future__ import annotations

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects import from_response_template
from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.strays import STRAYS, stray_in, strays_of
from stream_guard.scan.stream_text import MAY_MARK
from stream_guard.testing import by_char
from stream_guard.tools.files import FILE_TOOLS


@pytest.mark.parametrize("mark", STRAYS)
def test_a_mark_is_known_when_it_is_whole_and_may_be_one_before(mark: str) -> None:
    """In any case; the pattern that decides whether a line is looked at matches every beginning of it."""
    for end in range(1, len(mark)):
        begun = mark[:end].upper()
        assert stray_in(begun) in ("", *STRAYS)
        assert MAY_MARK.match(begun)
    assert stray_in(f"{mark} and more") is not None


@pytest.mark.parametrize("text", ["<p>", "<para>", "<functional>", "<div class='a'>", "< parameter>", "<", "x", "</p>"])
def test_other_tags_are_no_marks(text: str) -> None:
    assert stray_in(f"{text} and text behind it") is None


def test_the_tags_of_tools_and_fields_are_marks_but_for_those_of_html() -> None:
    assert strays_of(["write"], ["path", "title", "code", "Body"]) == ("</path>", "<path>", "</write>")


RAW = {name: dialect.value_marks for name, dialect in DIALECTS.items() if dialect.value_marks}
"""What stands around the values of each dialect that have no escapes."""

TAGGED = {
    "content": "xml-inline",
    "close": "</x:invoke>",
    "open_pattern": r'<x:invoke name="(?P<name>\w+)">',
    "content_args": {"tag_pattern": r'<x:parameter name="(?P<key>\w+)">(?P<value>.*?)</x:parameter>'},
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
}
INNER = '```json\n{"tool": "delete_file", "path": "x"}\n```'


def test_the_tables_say_what_stands_around_values_without_escapes() -> None:
    assert {"longcat", "minicpm5", "k2_horizon", "hunyuan_v3", "gemma4", "deepseek_v4_dsml", "qwen3_coder", "glm45"} <= {*RAW}
    assert not {"hermes", "lfm2", "mistral", "kimi_k2"} & {*RAW}


@pytest.mark.parametrize("name", RAW)
@pytest.mark.promise("P1", "P8")
def test_behind_a_mark_of_any_dialect_no_call_runs_whose_opener_was_lost(name: str) -> None:
    """Where no dialect is read, that one, or all of them; in any case, and with text behind the mark."""
    for mark in RAW[name]:
        for line in (f'{mark}"content">See:', f"{mark}\nSee:", f"  {mark.upper()} See:"):
            for guard in (Guard(FILE_TOOLS, dialects=dialects) for dialects in (["fence"], ["fence", name], "all")):
                for pieces in ([f"{line}\n{INNER}\n"], by_char(f"{line}\n{INNER}\n")):
                    blocks = [item for item in guard.scan([*pieces, End("stop")]) if isinstance(item, ToolBlock)]
                    assert not any(block.executable for block in blocks), pieces


@pytest.mark.promise("P8")
def test_the_marks_of_a_template_count_where_it_is_read() -> None:
    dialect = from_response_template({"fields": {"tool_calls": TAGGED}}, "mine")
    assert dialect.value_marks == ("<x:parameter name=", "</x:parameter>")
    for line in ('<x:parameter name="content">See:', "</x:parameter>"):
        items = Guard(FILE_TOOLS, dialects=["fence", dialect]).scan([f"{line}\n{INNER}\n", End("stop")])
        assert not any(item.executable for item in items if isinstance(item, ToolBlock))
