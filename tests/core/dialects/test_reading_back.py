"""What a dialect is shown as an example, or what is written in it, is read as that call; else it is an error that says why."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stream_guard import End, Guard, Toolset
from stream_guard.dialects.reading_back import write_back
from stream_guard.dialects.table import Dialect
from tests.kit.breadth import WHOLE
from tests.kit.dialects import ANY_TOOL, TEXT, TOOLS, tool
from tests.kit.ran import ran

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in ANY_TOOL.items()])
WORDS = st.text("ab_Z1-./:@$# []'\"<>=名é|", min_size=1, max_size=8)
NAMES = st.one_of(
    WORDS, st.sampled_from(["user-id", "fs/read", "@id", "a b", "1st", "$filter", "a.b", "parameters", "名前", "#t"])
)


def read(dialect: Dialect, tools: Toolset, text: str) -> list[str | None]:
    """The calls of a text that run."""
    return ran(Guard(tools, dialects=[dialect.name], fixes="off").scan([text, End("stop")]))


@each
@settings(max_examples=40 if WHOLE else 12, deadline=None)
@given(name=NAMES, field=NAMES)
def test_the_example_of_a_prompt_is_read_or_there_is_no_prompt(dialect: Dialect, name: str, field: str) -> None:
    """For whatever names tools and fields have."""
    try:
        tools = Toolset(tool(name, (field,), **{field: TEXT}))
    except ValueError:  # no tool has such a name
        return
    try:
        tools.to_prompt(dialect=dialect.name)
        written = write_back(dialect, (name, {field: "x"}))
    except ValueError as wrong:
        assert dialect.name in str(wrong) or "value" in str(wrong)
        return
    assert read(dialect, tools, written) == [name], written


@each
def test_a_name_that_is_not_read_is_named(dialect: Dialect) -> None:
    for known in TOOLS:
        assert write_back(dialect, (known.name, {})) == dialect.write([(known.name, {})])
    for call, said in ((("t", {"ok": "x", 'a"b>c': "x"}), 'a"b>c'), (('t"b\n', {}), 't"b\n')):
        try:
            write_back(dialect, call)
        except ValueError as wrong:
            assert re.search(re.escape(repr(said)), str(wrong)) or "value" in str(wrong)


@pytest.mark.some(40)
@each
@pytest.mark.parametrize("name", ["think", "thinking", "reasoning", "tool_result", "think_hard", "plan"])
def test_a_prompt_teaches_no_call_that_would_be_reasoning_or_a_result(dialect: Dialect, name: str) -> None:
    """Such as the tool `think` where the name of a tool is a tag."""
    tools = Toolset(tool(name, ("a",), a=TEXT))
    try:
        prompt = tools.to_prompt(dialect=dialect.name)
    except ValueError as wrong:
        assert dialect.name == "cline_xml" and name != "plan" and "begins like reasoning" in str(wrong)
        return
    assert name == "plan" or dialect.name != "cline_xml"
    assert read(dialect, tools, prompt.partition(f"{name}: ")[2].split("\n\n", 1)[1]) == [name]


@pytest.mark.some(40)
@each
@pytest.mark.parametrize("kind", ["integer", "boolean", "object", "array", "null", "number"])
def test_the_example_of_a_field_that_may_be_text_has_one_reading(dialect: Dialect, kind: str) -> None:
    for schema in ({"type": [kind, "string"]}, {"anyOf": [{"type": kind}, {"type": "string"}]}):
        tools = Toolset(tool("plan", ("a",), a=schema))
        prompt = tools.to_prompt(dialect=dialect.name)
        assert read(dialect, tools, prompt.partition("plan: ")[2].split("\n\n", 1)[1]) == ["plan"], prompt
