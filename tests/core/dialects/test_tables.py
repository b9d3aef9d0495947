"""The tables of dialects, their names, and their writers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects.table import EXAMPLE, Dialect
from stream_guard.dialects.tables import DIALECTS, SPELLINGS, names_of, of_name
from stream_guard.testing import by_char, every_split
from tests.kit.dialects import ANY_TOOL, TOOLS, tool

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in DIALECTS.items()])


@each
def test_a_table_says_what_its_page_shows(dialect: Dialect) -> None:
    """Who writes it, how several calls are written, and an example that begins with one of its openers."""
    assert dialect.models
    assert dialect.several
    texts = [opener.text.replace("{tool}", EXAMPLE[0]) for opener in dialect.openers]
    behind = dialect.in_fences  # the path stands before it
    assert any(text in dialect.example if behind else dialect.example.startswith(text) for text in texts)


@each
def test_the_closers_of_a_table_end_what_its_writer_writes(dialect: Dialect) -> None:
    assert not dialect.closers or dialect.example.endswith(dialect.closers)


@pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in ANY_TOOL.items()])
def test_a_prompt_shows_calls_that_the_dialect_reads(dialect: Dialect) -> None:
    """The example of each tool, as it stands in the prompt."""
    tools = type(TOOLS)(tool("write_file", ("path", "content"), path={"type": "string"}, content={"type": "string"}))
    prompt = tools.to_prompt(dialect=dialect.name)
    assert "write_file: write_file\n- path (string, required)" in prompt
    path, content = ("path", "content") if dialect.name == "cline_xml" else ("<path>", "<content>")
    assert dialect.write([("write_file", {"path": path, "content": content})]) in prompt


def test_names_are_checked_and_all_means_all() -> None:
    assert names_of("all") == ("fence", *DIALECTS)
    assert names_of(["all", "mimo"]) == ("fence", *DIALECTS, "mimo")
    assert names_of(["hermes", "mimo"]) == ("hermes", "mimo")
    assert names_of([]) == ()
    for wrong in (["hermes", "no_such"], "no_such", ["none"], [""]):
        with pytest.raises(ValueError, match="dialects must be 'all' or some of fence, hermes"):
            names_of(wrong)
    with pytest.raises(ValueError, match="not 'no_such'"):
        Guard(TOOLS, dialects=["no_such"])
    with pytest.raises(ValueError, match="not 'no_such'"):
        TOOLS.to_prompt(dialect="no_such")


def test_a_spelling_is_another_name_of_a_dialect() -> None:
    assert not SPELLINGS.keys() & DIALECTS.keys()
    assert {of_name(name).name for name in SPELLINGS} <= DIALECTS.keys()


def test_a_guard_without_a_dialect_reads_no_call_in_text() -> None:
    fences = "".join(f'```{word}\n{{"tool": "list_all"}}\n```\n' for word in ("json", "none", ""))
    calls = "\n".join(dialect.write([("list_all", {})]) for dialect in ANY_TOOL.values())
    for text in (fences, calls):
        assert "".join(Guard(TOOLS, dialects=[]).scan(text)) == text  # type: ignore[arg-type]  # a block is no text
        assert any(isinstance(item, ToolBlock) for item in Guard(TOOLS, dialects="all").scan(text))


def test_a_guard_without_the_fence_reads_no_fences() -> None:
    text = '```json\n{"tool": "list_all"}\n```\n<tool_call>{"name": "list_all", "arguments": {}}</tool_call>\n'
    found = [item for item in Guard(TOOLS, dialects=["hermes"]).scan([text]) if isinstance(item, ToolBlock)]
    assert [block.dialect for block in found] == ["hermes"]


@pytest.mark.parametrize(
    ("name", "marker"),
    [
        ("qwen3_coder", "</parameter>"),
        ("deepseek_v4_dsml", "</｜DSML｜invoke>"),
        ("glm45", "</arg_value>"),
        ("cline_xml", "</content>"),
        ("gemma4", '<|"|>'),
    ],
)
def test_a_writer_refuses_a_text_with_a_marker_of_its_dialect(name: str, marker: str) -> None:
    with pytest.raises(ValueError, match="a marker of its dialect"):
        of_name(name).write([("write_file", {"path": "a", "content": f"x {marker} y"})])


STRIPPED = {
    "hermes": (r"</?tool_call>", "llama3_json"),
    "jamba": (r"</?tool_calls>", "json_array"),
    "internlm2": (r"<\|\w+\|>", "llama3_json"),
    "granite3": (r"<\|\w+\|>", "json_array"),
    "llama3_json": (r"<\|python_tag\|>", "llama3_json"),
    "cohere_command": (r"<\|\w+\|>", "json_array"),
    "apertus": (r"<\|\w+\|>", "json_array"),
    "inkling": (r"<\|\w+\|>", "llama3_json"),
    "gigachat3": (r"<\|\w+\|>", "llama3_json"),
    "deepseek_v32_dsml": ("｜DSML｜", "claude_xml"),
    "deepseek_v4_dsml": ("｜DSML｜", "claude_xml"),
    "muse_glimmer": ("<header>", "muse_glimmer"),
    "minicpm5": (r"(?<=function) |(?<=param) ", "minicpm5"),
    "kimi_k2": (r"<\|\w+\|>", None),
    "mistral": (r"\[TOOL_CALLS\]|\[ARGS\]", None),
    "harmony": (r"<\|\w+\|>", None),
    "llama4_pythonic": (r"<\|\w+\|>", "pythonic"),
    "lfm2": (r"<\|\w+\|>", "pythonic"),
    "gemma4": (r'<\|tool_call>|<tool_call\|>|<\|"\|>', None),
    "functiongemma": (r"<\w+>", None),
}
"""What servers strip of a dialect, and the dialect in which the rest is read."""


@each
def test_what_a_server_leaves_of_a_call_is_read_as_the_table_says(dialect: Dialect) -> None:
    assert bool(dialect.stripped) == (dialect.name in STRIPPED)
    if not dialect.stripped:
        return
    markers, read_as = STRIPPED[dialect.name]
    said = (
        "the call is not recognised"
        if read_as is None
        else "it is read"
        if read_as == dialect.name
        else f"then it is `{read_as}`"
    )
    assert said in dialect.stripped or dialect.name == "muse_glimmer"
    left = re.sub(markers, "", "<|python_tag|>" * (dialect.name == "llama3_json") + dialect.example)
    found = [item for item in Guard(TOOLS, dialects="all").scan([left, End("stop")]) if isinstance(item, ToolBlock)]
    assert [block.dialect for block in found if block.executable] == ([] if read_as is None else [read_as])


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "dialects", ["all", ["granite3"], ["hermes", "granite3"], ["granite3", "hermes"], ["granite3", "glm45"]]
)
@pytest.mark.parametrize("opener", ["<tool_call>", "<|tool_call|>"])
def test_an_array_without_a_closer_is_of_granite_whatever_else_is_read(dialects: Any, opener: str) -> None:
    """What follows the opener decides, in any order of the dialects; a closer that is there belongs to the call."""
    array = '[{"name": "list_all", "arguments": {}}]'
    closer = opener.replace("<", "</") if opener[1] == "t" else "<|/tool_call|>"
    for end in ("", "\n", closer, "\n" + closer, "\nand so on"):
        text = opener + array + end
        for pieces in (*every_split(text), by_char(text)):
            found = [*Guard(TOOLS, dialects=dialects).scan([*pieces, End("stop")])]
            assert [item.executable for item in found if isinstance(item, ToolBlock)] == [True], pieces
            assert closer not in "".join(item for item in found if isinstance(item, str))
    for broken in (array[:-1], array + "]", array[:-2], array + "'"):
        found = [*Guard(TOOLS, dialects=dialects).scan([opener + broken, End("stop")])]
        assert not [item for item in found if isinstance(item, ToolBlock) and item.executable], broken


FIRST = " to=functions.write_file<|channel|>commentary json<|message|>"


@pytest.mark.some(4)
@pytest.mark.parametrize("dialects", ["all", ["harmony"]])
@pytest.mark.parametrize("before", ["", "\n", "\n\n  "])
def test_a_reply_in_harmony_begins_behind_what_the_prompt_has(dialects: Any, before: str) -> None:
    """Its template ends in `<|start|>assistant`. Both calls run, in their order, at every cut."""
    calls = [f'{{"path": "{name}", "content": "x"}}<|call|>' for name in "ab"]
    text = f"{before}{FIRST}{calls[0]}<|start|>assistant{FIRST}{calls[1]}"
    for pieces in (*every_split(text), by_char(text)):
        found = [*Guard(TOOLS, dialects=dialects).scan([*pieces, End("stop")])]
        assert [item.path for item in found if isinstance(item, ToolBlock) and item.executable] == ["a", "b"], pieces


@pytest.mark.parametrize("before", ["Go", "Go\n", "> ", "    ", "`", "- ", "```\n", "<think>x</think>", "x\n\n"])
@pytest.mark.parametrize("dialects", ["all", ["harmony"]])
def test_elsewhere_the_name_of_a_recipient_opens_nothing(dialects: Any, before: str) -> None:
    """It is a word of the text."""
    text = f"{before}{FIRST}" + '{"path": "a", "content": "x"}<|call|>\n'
    for pieces in (*every_split(text), by_char(text)):
        assert not [
            item for item in Guard(TOOLS, dialects=dialects).scan([*pieces, End("stop")]) if isinstance(item, ToolBlock)
        ]


@pytest.mark.parametrize("text", ["to", "to=", "to=x", " to=functions.x and more\n", "to=" + "x" * 2000, "to be\n", "t"])
def test_a_reply_that_only_begins_alike_is_text(text: str) -> None:
    for pieces in (*every_split(text[:400]), by_char(text)):
        items: list[Any] = [*Guard(TOOLS, dialects=["harmony"]).scan([*pieces, End("stop")])]
        assert "".join(item for item in items if isinstance(item, str)) == "".join(pieces)
        assert not [item for item in items if isinstance(item, ToolBlock)]


@pytest.mark.parametrize("name", ["qwen3_coder", "seed_oss"])
@pytest.mark.parametrize("text", ["a", "a\n", "\na", "\na\n", "\n\na\n\n", "a\r\n", "\n", "\n\n", "a\n\n", " a\n"])
def test_one_line_end_on_each_side_of_a_raw_value_is_the_markup(name: str, text: str) -> None:
    """Whatever stands on the other side, as the parsers of the models have it."""
    call = of_name(name).write([("write_file", {"path": "p", "content": "X"})])
    flat = call.replace("<parameter=content>\nX\n<", f"<parameter=content>{text}<")
    assert flat != call
    (block,) = (item for item in Guard(TOOLS, dialects=[name]).scan([flat, End("stop")]) if isinstance(item, ToolBlock))
    bare = text.removesuffix("\n").removesuffix("\r") if text.endswith("\r\n") else text.removesuffix("\n")
    assert block.arguments is not None
    assert block.arguments["content"] == bare.removeprefix("\n")


SPELT: dict[str, tuple[str, Callable[[str], str]]] = {
    "bars of ASCII": ("deepseek_v31", lambda text: text.replace("｜", "|")),
    "underlines": ("deepseek_v31", lambda text: text.replace("▁", "_")),
    "blanks": ("deepseek_v31", lambda text: text.replace("▁", " ")),
    "underlines, with a fence": ("deepseek_v3", lambda text: text.replace("▁", "_")),
    "one section": ("kimi_k2", lambda text: text.replace("calls_section", "call_section")),
    "blanks around a mark": ("mistral", lambda text: text.replace("[ARGS]", " [ARGS] ").replace("CALLS]", "CALLS] ")),
    "several calls": ("phi4_mini", lambda text: text.replace("functools", "<|tool_calls|>") + "<|/tool_calls|>"),
}
"""Other spellings of markers, which models and servers write."""


@pytest.mark.parametrize("spelling", SPELT)
def test_other_spellings_of_a_marker_are_read(spelling: str) -> None:
    name, spell = SPELT[spelling]
    text = spell(DIALECTS[name].example)
    assert text != DIALECTS[name].example
    for guard in (Guard(TOOLS, dialects=[name]), Guard(TOOLS, dialects="all")):
        for pieces in ([text], by_char(text)):
            items = guard.scan([*pieces, End("stop")])
            (block,) = (item for item in items if isinstance(item, ToolBlock))
            assert block.executable and block.arguments == {"tool": EXAMPLE[0], **EXAMPLE[1]}, pieces
