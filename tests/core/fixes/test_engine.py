"""Repair without a model: what is mended comes out exactly, and what cannot be known is refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corruptions import CORRUPTIONS, calls, own_sources
from stream_guard import AutoFix, Guard, Limits, NotExecutableError, Risk, Safety, Tool, ToolBlock, Toolset
from stream_guard.fixes import engine, gate
from stream_guard.fixes.catalogue import CATALOGUE
from stream_guard.fixes.engine import Engine
from stream_guard.fixes.gate import holds
from stream_guard.fixes.grammar import Grammar
from stream_guard.fixes.reader import read
from stream_guard.fixes.reading import NoReading, Reading, Text
from stream_guard.schema.json_text import parse
from stream_guard.testing import by_char, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import path_rule
from stream_guard.toolset.validate import validate
from stream_guard.values.wording import ADVICE
from tests.kit.proof import Cases
from tests.kit.values import VALUES

GUARD = Guard(FILE_TOOLS)
ENGINE = Engine(FILE_TOOLS, Limits(), "likely")
GRAMMAR = Grammar(FILE_TOOLS)
HARM = int(os.environ.get("HARM", "700"))
"""How many single faults are tried; more under `make more`."""


def fence(body: str) -> str:
    return f"```json\n{body}\n```\n"


def blocks(body: str, guard: Guard = GUARD) -> list[ToolBlock]:
    return [item for item in guard.scan(fence(body)) if isinstance(item, ToolBlock)]


_STRICT: Any = {"additionalProperties": False}


def _made(name: str, required: list[str], risk: Risk = Risk.WRITE, /, **fields: Any) -> Tool:
    return Tool(name, "", {"type": "object", "properties": fields, "required": required, **_STRICT}, risk=risk)


_S: Any = {"type": "string"}
NEIGHBOURS = Guard(
    Toolset(
        _made("set_lamp", ["lamp_id"], lamp_id=_S, on={"type": "boolean"}, note=_S, tags={"type": "array", "items": _S}),
        _made("update_lamp", ["lamp_id"], lamp_id=_S, note={"type": ["string", "null"]}),
        _made("drop_lamp", ["lamp_id"], Risk.DESTRUCTIVE, lamp_id=_S),
        _made("save", ["text"], text=_S, note=_S, any={}),
    )
)


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        # The last bracket is of another kind.
        ('{"tool": "set_lamp", "lamp_id": "a")', {"lamp_id": "a"}),
        ('{"tool": "set_lamp", "lamp_id": "a"]\n', {"lamp_id": "a"}),
        ('{"tool": "set_lamp", "lamp_id": "a", "tags": ["x"])', {"lamp_id": "a", "tags": ["x"]}),
        ('{"tool": "set_lamp", "lamp_id": "a", "tags": ["x"]]', None),
        ('{"tool": "set_lamp", "lamp_id": "a", "tags": "x"]', None),
        ('{"tool": "set_lamp", "lamp_id": "a", "on": true)', None),
        ('{"tool": "set_lamp" "lamp_id": "a")', None),
        ('{"tool": "set_lamp", "lamp_id": "a (b)', None),
        ('{"tool": "drop_lamp", "lamp_id": "a")', None),
        # Literals of other languages.
        ('{"tool": "set_lamp", "lamp_id": "a", "on": TRUE}', {"lamp_id": "a", "on": True}),
        ('{"tool": "set_lamp", "lamp_id": "a", "on": FALSE}', {"lamp_id": "a", "on": False}),
        ('{"tool": "set_lamp", "lamp_id": "a", "note": TRUE}', None),
        ('{"tool": "save", "text": "a", "any": TRUE}', None),
        ('{"tool": "save", "text": "a", "note": undefined}', None),
        ('{"tool": "set_lamp", "lamp_id": undefined}', None),
        ('{"tool": "update_lamp", "lamp_id": "a", "note": undefined}', None),
        # Entities for quotes.
        ("{&quot;tool&quot;: &quot;save&quot;, &quot;text&quot;: &quot;a \\&quot;b\\&quot;&quot;}", {"text": 'a "b"'}),
        ("{&quot;tool&quot;: &quot;save&quot;, &quot;text&quot;: &quot;a &amp; b&quot;}", None),
        ("{&quot;tool&quot;: &quot;save&quot;, &quot;text&quot;: &quot;a <b>&quot;}", None),
        ('{&quot;tool&quot;: &quot;save&quot;, &quot;text&quot;: "a"}', None),
        ("{&quot;tool&quot;: &quot;drop_lamp&quot;, &quot;lamp_id&quot;: &quot;a&quot;}", None),
        # The fence stands there twice.
        ('```json\n{"tool": "save", "text": "a"}', {"text": "a"}),
        ('```json\n{"tool": "save", "text": "a"', None),
        ('```json do not\n{"tool": "save", "text": "a"}', None),
        # A key without its second quote, behind a text.
        ('{"tool": "set_lamp", "lamp_id": "a", "note: "b"}', {"lamp_id": "a", "note": "b"}),
        ('{"tool": "set_lamp", "lamp_id": "a", "motto: "b"}', None),
        # The id of a call, beside a tool with ids of its own.
        ('{"id": "call_8d1", "type": "function", "tool": "set_lamp", "lamp_id": "a"}', {"lamp_id": "a"}),
        ('{"id": "call_8d1", "tool": "set_lamp", "lamp_id": "a"}', None),
        ('{"id": "lamp_8", "type": "function", "tool": "set_lamp", "lamp_id": "a"}', None),
        # Quoted words on lines of their own, in brackets of the text.
        (
            '{"tool": "save", "text": "import (\n\t"fmt"\n\t"os"\n)\nf("x")\n"}',
            {"text": 'import (\n\t"fmt"\n\t"os"\n)\nf("x")\n'},
        ),
        ('{"tool": "save", "text": "import\n\t"fmt"\n\t"os"\nf("x")\n"}', None),
        ('{"tool": "save", "text": "import (\n\t"fmt" "os"\n)\nf("x")\n"}', None),
    ],
)
@pytest.mark.promise("P8")
def test_what_is_read_and_its_neighbours_that_are_not(body: str, meant: dict[str, Any] | None) -> None:
    ran = [block.call.arguments for block in blocks(body, NEIGHBOURS) if block.call is not None]
    assert ran == ([] if meant is None else [meant])


# -- the specification's examples --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        (
            '{\n  "tool": "create_file",\n  "path": "test.txt",\n  "content": "hello"\n}',
            {"tool": "write_file", "path": "test.txt", "content": "hello"},
            "tool_name",
        ),
        (
            '{\n  "tool": "write_file",\n  "path": "test.txt",\n  "content": "Line 1\nLine 2"\n}',
            {"tool": "write_file", "path": "test.txt", "content": "Line 1\nLine 2"},
            "control_character",
        ),
        (
            '{\n  "tool": "edit_file",\n  "path": "App.tsx",\n  "old": "hello",\n  "new": "world"\n}',
            {"tool": "edit_file", "path": "App.tsx", "search_replace": {"old_string": "hello", "new_string": "world"}},
            "field_name",
        ),
    ],
)
def test_the_examples_of_the_specification_come_out_as_it_shows(before: str, after: dict[str, Any], fix: str) -> None:
    (block,) = blocks(before)
    assert block.arguments == after
    assert (block.executable, block.corrected, block.corrected_by, block.validation_passed) == (True, True, "fixes", True)
    assert block.fixes[0].description == CATALOGUE[fix].what
    assert block.found
    assert block.issues == ()
    assert block.hint is None
    assert json.loads(block.content.removeprefix("```json\n").removesuffix("\n```")) == after
    assert block.raw == fence(before).rstrip("\n")


def test_a_missing_content_is_invented_only_where_the_specification_is_asked_for() -> None:
    """Its second example. Nobody wrote that empty text, so it runs only where that is asked for too."""
    body = '{"tool": "write_file", "path": "test.txt"}'
    (block,) = blocks(body)
    assert not block.executable
    assert block.fixes == ()
    (ran,) = blocks(body, Guard(FILE_TOOLS, fixes="spec", run_invented=True))
    assert ran.executable
    assert ran.hint is None
    (block,) = blocks(body, Guard(FILE_TOOLS, fixes="spec"))
    assert (block.validation_passed, block.corrected, block.executable) == (True, True, False)
    assert block.arguments == ran.arguments
    assert block.hint is not None
    assert block.hint.missing_fields == ("content",)
    assert block.arguments == {"tool": "write_file", "path": "test.txt", "content": ""}
    (fix,) = block.fixes
    assert (fix.safety, fix.type, fix.path, fix.after) == (Safety.INVENTED, "METADATA_ADDITION", "content", "")
    assert block.confidence == 0.3


@pytest.mark.parametrize(
    ("before", "lacks"),
    [
        ('{"tool": "write_file", "path": "a.txt"}', "content"),
        ('{"tool": "write_file", "path": "a.txt",}', "content"),
        ("{'tool': 'create_file', \"file_path\": 'a.txt'}", "content"),
        ('{"name": "write_file", "arguments": {"path": "a.txt"}}', "content"),
        ('{"path": "a.txt", "content": "x"}', "tool"),
        ('{"path": "a.txt", "content": "x",}', "tool"),
        ("{'path': 'a.txt', 'content': 'x'}", "tool"),
    ],
)
def test_a_block_that_passed_with_what_nobody_wrote_says_so_everywhere(before: str, lacks: str) -> None:
    """Its outcome is that of every block that does not run; its hint and texts name what it lacks, whatever else was fixed."""
    (block,) = blocks(before, Guard(FILE_TOOLS, fixes="spec", untagged="validate"))
    assert (block.validation_passed, block.corrected, block.executable, block.outcome) == (True, True, False, "failed")
    assert lacks in [fix.path for fix in block.fixes if fix.safety is Safety.INVENTED]
    assert block.issues == ()
    assert block.hint is not None
    assert block.hint.missing_fields == (lacks,)
    assert block.hint.message == f"{block.hint.problem}. {ADVICE['invented']}"
    assert f'"{lacks}"' in block.hint.problem
    assert f"failed (invented: {lacks})" in repr(block)
    with pytest.raises(NotExecutableError, match=f"the model did not write {lacks}, and `run_invented` is off"):
        block.runnable()
    (ran,) = blocks(before, Guard(FILE_TOOLS, fixes="spec", untagged="validate", run_invented=True))
    assert (ran.outcome, ran.hint, ran.arguments) == ("fixed", None, block.arguments)


# -- how far a fix may go ----------------------------------------------------------------------------------------------

TRAILING = '{"tool": "delete_file", "path": "a",}'
ALIAS = '{"tool": "remove_file", "path": "a"}'


@pytest.mark.parametrize(
    ("fixes", "executable"),
    [("off", (False, False)), ("lossless", (True, False)), ("likely", (True, True)), ("spec", (True, True))],
)
def test_the_setting_says_how_much_a_fix_may_assume(fixes: Any, executable: tuple[bool, bool]) -> None:
    guard = Guard(FILE_TOOLS, fixes=fixes)
    assert tuple(guard.check(body).executable for body in (TRAILING, ALIAS)) == executable
    with pytest.raises(ValueError, match="fixes must be"):
        Guard(FILE_TOOLS, fixes="all")  # type: ignore[arg-type]


def test_in_shadow_mode_nothing_is_changed_and_the_event_says_what_would_have_been() -> None:
    (block,) = blocks(ALIAS, Guard(FILE_TOOLS, mode="shadow"))
    assert (block.executable, block.corrected, block.validation_passed) == (False, False, False)
    assert [fix.description for fix in block.fixes] == ["Replaced an alias of the tool with its name"]
    assert block.content == block.raw
    assert block.confidence == 1.0


@pytest.mark.parametrize("ending", ["", "\n``"])
def test_a_block_that_was_cut_off_is_not_mended(ending: str) -> None:
    """However whole what is there may look."""
    for body in (TRAILING, ALIAS, '{"tool": "delete_file", "path": "a"'):
        (block,) = [item for item in GUARD.scan(f"```json\n{body}{ending}") if isinstance(item, ToolBlock)]
        assert not block.executable
        assert block.fixes == ()


def test_several_calls_of_one_fence_are_events_of_their_own() -> None:
    """One id, one part each, the raw text on the first: so nothing is lost and nothing stands twice."""
    body = '[{"tool": "rm", "path": "a"}, {"tool": "delete_file", "path": "b"}]'
    items = list(GUARD.scan(fence(body), stream_id="s"))
    first, second = [item for item in items if isinstance(item, ToolBlock)]
    assert [(block.part, block.parts, block.path, block.executable) for block in (first, second)] == [
        (1, 2, "a", True), (2, 2, "b", True),
    ]  # fmt: skip
    assert (first.id, second.seq) == (second.id, first.seq + 1)
    assert (first.raw, second.raw) == (fence(body).rstrip("\n"), "")
    assert original(items) == fence(body)
    assert merge_text(GUARD.scan(by_char(fence(body)), stream_id="s")) == merge_text(items)
    assert [issue.code for issue in GUARD.check(body).issues] == ["several_calls"]


def test_all_calls_of_a_block_are_mended_or_none_is() -> None:
    (block,) = blocks('[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file"}]')
    assert not block.executable
    assert block.fixes == ()


def test_what_was_mended_inside_a_string_is_on_record_too_and_nothing_is_dropped_from_it() -> None:
    (block,) = blocks('{"name": "delete_file", "arguments": "{\\"path\\": \\"a\\",}"}')
    assert {fix.description for fix in block.fixes} == {
        CATALOGUE[name].what for name in ("trailing_comma", "encoded", "envelope")
    }
    (block,) = blocks('{"name": "delete_file", "arguments": "{\\"path\\": \\"a\\", \\"thought\\": 1,}"}')
    assert not block.executable


@pytest.mark.parametrize("body", ["9" * 400, f'{{"tool": "write_file", "path": "a", "content": {"9" * 400}}}'])
def test_a_number_that_nobody_reads_is_refused_like_any_fault(body: str, caplog: pytest.LogCaptureFixture) -> None:
    assert GUARD.check(body).outcome == "failed"
    assert caplog.records == []


@pytest.mark.parametrize("end", ["}", ",}"])
@pytest.mark.parametrize("number", ["1.10", "3", "1e3", "-0.0", "-0", "12345678901234567890"])
def test_a_number_where_a_text_was_meant_keeps_its_spelling(number: str, end: str) -> None:
    """In JSON and in what is none."""
    (block,) = blocks(f'{{"tool": "write_file", "path": "VERSION", "content": {number}{end}')
    assert block.arguments is not None
    assert block.arguments["content"] == number
    assert not any(block.executable for block in blocks(f'{{"tool": "write_file", "path": "V", "content": {"9" * 5_000},}}'))


# -- the catalogue -----------------------------------------------------------------------------------------------------


def test_the_table_says_how_much_each_kind_of_fix_assumes() -> None:
    """Made once more from its source: a spelling is sure, another reading is less so, and what was invented least."""
    spec = importlib.util.find_spec("stream_guard.fixes.catalogue")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert {name: tuple(fix) for name, fix in made.CATALOGUE.items()} == {name: tuple(fix) for name, fix in CATALOGUE.items()}
    for fix in made.CATALOGUE.values():
        lossless = fix.safety is Safety.LOSSLESS
        assert fix.confidence == 1.0 if lossless else 0.9 <= fix.confidence <= 0.95 or fix.safety is Safety.INVENTED
        assert fix.type == "SYNTAX_REPAIR" or not lossless


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_fix_does_what_it_says_of_itself(name: str) -> None:
    """Its own example needs it, is mended by it, and comes out as it says."""
    fix = CATALOGUE[name]
    if name in ("literal", "list_end", "null_field", "number"):
        sizes = {"type": "array", "items": {"type": "integer"}}
        fields = {"keep": {"type": "boolean"}, "sizes": sizes, "title": {"type": "string", "default": None}}
        tools = Toolset(Tool("resize", "", {"properties": fields, "required": ["keep"]}))
    elif name == "list_of_paths":
        tools = Toolset(
            Tool("open_file", "", {"properties": {"path": {"type": "string"}}, "required": ["path"]}, risk=Risk.READ)
        )
    else:
        tools = FILE_TOOLS
    assert fix.what[0].isupper()
    assert fix.why.endswith(".")
    assert all(reason[0] == reason[0].upper() and reason.endswith(".") for reason in fix.unless)
    assert not validate(fix.before, tools).passed
    mended = Engine(tools, Limits(), "spec").tried(fix.before, fenced=True)[0]
    assert fix.what in {record.description for part in mended for record in part.fixes}
    if fix.after.startswith("two calls"):
        assert len(mended) == 2
    else:
        assert [part.verdict.value for part in mended] == [json.loads(fix.after)]
    for part in mended:
        assert all(record.safety in Safety and 0 < record.confidence <= 1 for record in part.fixes)


@pytest.mark.parametrize("field", ["text", "content", "body"])
def test_the_page_says_which_lone_line_breaks_are_fixed(field: str) -> None:
    """Each example of the exceptions: one between two small letters is not, and a sign that lines were meant decides.

    Nor are those behind which a mark, a number or nothing in place of an indent stands, or beside which a mark of code stands
    in a sentence.
    """
    schema = {"properties": {"to": {"type": "string"}, field: {"type": "string"}}, "required": ["to", field]}
    tools = Toolset(Tool("send", "", schema, risk=Risk.WRITE))
    examples = re.findall(r"`([^`⏎]*⏎[^`]*)`", " ".join(CATALOGUE["control_character"].unless))
    fixed = examples[7:10]
    kept = [text for text in examples if text not in fixed]
    assert (len(kept), len(fixed)) == (26, 3)
    for text in (*kept, *fixed):
        raw = text.replace("⏎", "\n")
        mended = Engine(tools, Limits(), "spec").tried(f'{{"tool": "send", "to": "Anna", "{field}": "{raw}"}}', fenced=True)[0]
        assert bool(mended) == (text in fixed), text
        assert [part.verdict.value[field] for part in mended if part.verdict.value is not None] == [raw] * len(mended)


# -- what is not done --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        # Two readings.
        '{"tool": "write_file", "tool": "delete_file", "path": "a"}',
        '{"tool": "delete_file", "path": "a", "path": "b"}',
        r'{"tool": "write_file", "path": "a", "content": "caf\'e"}',
        r'{"tool": "write_file", "path": "a.py", "content": "print("say \"hi\"")"}',
        r'{"tool": "write_file", "path": "a.py", "content": "re.split(\"\d\n\", x)"}',
        '{"tool": "write_file", "path": "a.sh", "content": "curl \\\n-X"}',
        '{"tool": "delete_file", "path": "a"}{"tool": "delete_file", "path": "a"}',
        '{"tool": "edit_file", "path": "a", "search_replace": {"old": "x", "old_str": "y", "new": "z"}}',
        '{"tool": "edit_file", "path": "a", "old": "x", "search": "y", "new": "z"}',
        '{"tool": "write_file", "path": "a", "file_path": "b", "content": "x"}',
        # A quote or a comma that went astray: the text would take in what stands behind it.
        r'{"tool": "write_file", "content": "cd C:\", "path": "b"}',
        '{"tool": "write_file", "path": "a.txt, "content": "x"}',
        '{"tool": "write_file", "path": "a.txt "content": "x"}',
        '{"tool": "write_file", "path": "a.txt"; "content": "x"}',
        '{"tool": "write_file", "path": "a.txt", ""content": "x"}',
        "{'tool': 'write_file', 'path': 'a\", 'content': 'b'}",
        "{'tool': 'edit_file', 'path': 'b', 'search_replace': {'old_string': 'n', 'new_string: 'x'}}",
        '{"tool": "write_file", "path": "a", "content": ""x"}',
        '{"tool": "write_file", "path": "a", "content": "x""}',
        # Cut off, left out, not written.
        '{"tool": "write_file", "path": "a", "content": "x}',
        '{"tool": "write_file", "path": "a", ...}',
        '{"tool": "write_file", "path": "a", "content": }',
        '{"tool": , "path": "a"}',
        '{"tool": "write_file", "path": "<path>", "content": "<content>"}',
        '{"tool": "write_file", "path": "a", "content": null}',
        # Not what it looks like.
        "tool: delete_file\npath: a",
        '{"path": "a"}',
        '{"tool": "delete_files_of", "path": "a"}',
        '{"tool": "write_file", "path": ["src", "a"], "content": "x"}',
        '{"tool": "delete_file", "path": "a", "recursive": true}',
        '{"tool": "delete_file", "path": "../a",}',
        '{"name": "delete_file", "arguments": {"path": "a", "tool": "write_file"}}',
        '{"name": "delete_file", "arguments": {"path": "a"}, "priority": 3}',
    ],
)
def test_what_cannot_be_known_is_refused(body: str) -> None:
    assert not any(block.executable for block in blocks(body))


def test_a_schema_shared_by_a_path_and_a_text_makes_no_path_of_the_text() -> None:
    r"""In a path `\n` is a folder and a letter; in a text it is a line break, whoever wrote the schema only once."""
    text = {"type": "string"}
    for shared in (
        {"path": text, "content": text},
        {"content": text, "path": text},
        {key: {"$ref": "#/$defs/text"} for key in ("path", "content")},
    ):
        schema = {"type": "object", "properties": shared, "$defs": {"text": text}}
        tools = Toolset(Tool("save", "", schema, rules=(path_rule,)))
        (part,) = Engine(tools, Limits(), "likely").tried(
            '{"tool": "save", "path": "a\\new", "content": "one\\n\\ntwo",}', fenced=True
        )[0]
        assert part.verdict.value == {"tool": "save", "path": "a\\new", "content": "one\n\ntwo"}


def test_the_line_breaks_of_a_path_that_is_no_files_are_its_own() -> None:
    """A drawing has a path, too."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "color": {"type": "string"}}}
    body = '{"tool": "draw", "path": "M0 0\\nL1 1", "color": "red",}'
    (part,) = Engine(Toolset(Tool("draw", "", schema)), Limits(), "likely").tried(body, fenced=True)[0]
    assert part.verdict.value == {"tool": "draw", "path": "M0 0\nL1 1", "color": "red"}


@pytest.mark.parametrize("gap", ["\t", "\n", "\r"])
def test_a_blank_in_a_path_is_no_backslash_and_a_letter(gap: str) -> None:
    """Only where both were written."""
    arguments = f'{{"path": "a{gap}b", "content": "x"}}'
    assert mended(f'{{"tool": "write_file", {arguments[1:]}') == []
    assert mended(json.dumps({"name": "write_file", "arguments": arguments})) == []
    assert mended(json.dumps({"tool": "write_file", "path": f"a{gap}b", "content": "x"})) != []


def test_a_tool_that_takes_something_away_is_never_inferred() -> None:
    """Not from its fields, and not from those of another."""
    schema = {"properties": {"a": {}, "b": {}}, "required": ["a", "b"], "additionalProperties": False}
    harmless, drop = Tool("keep", "", schema), Tool("drop", "", schema, risk=Risk.DESTRUCTIVE)
    body = '{"a": 1, "b": 2}'
    assert Engine(Toolset(drop), Limits(), "spec").tried(body, fenced=True)[0] == ()
    assert Engine(Toolset(harmless, drop), Limits(), "spec").tried(body, fenced=True)[0] == ()
    assert Engine(Toolset(harmless), Limits(), "likely").tried(body, fenced=True)[0] == ()
    (part,) = Engine(Toolset(harmless), Limits(), "spec").tried(body, fenced=True)[0]
    assert (part.verdict.tool, [fix.safety for fix in part.fixes]) == ("keep", [Safety.INVENTED])


@given(
    st.dictionaries(
        st.sampled_from(["tool", "path", "content", "search_replace", "x"]), VALUES | st.just("write_file"), max_size=4
    )
)
def test_valid_json_is_never_read_as_anything_else(value: dict[str, Any]) -> None:
    """A value that parsed is altered by shape alone, and a valid block by nothing."""
    body = json.dumps(value)
    for part in ENGINE.tried(body, fenced=True)[0]:
        assert all(fix.type != "SYNTAX_REPAIR" for fix in part.fixes)
    if validate(body, FILE_TOOLS).passed:
        (block,) = blocks(body)
        assert (block.arguments, block.fixes, block.corrected) == (value, (), False)


def test_the_gate_looks_for_itself() -> None:
    """A string that does not stand in its span, a word that is left over, a value from nowhere: none of them passes."""
    body = '{"tool": "delete_file", "path": "a\\nb",}'
    good = read(body, GRAMMAR)
    assert holds(body, good)
    (value,) = good.values

    def changed(**parts: Any) -> Reading:
        known = {name: getattr(good, name) for name in ("values", "edits", "texts", "skipped", "callee")}
        return Reading(**{**known, **parts})

    lied = tuple(Text(text.start, text.end, text.says.replace("a", "c")) for text in good.texts)
    assert not holds(body, changed(texts=lied))
    assert not holds(body, changed(texts=good.texts[:-1]))
    assert not holds(body, changed(values=({**value, "path": "elsewhere"},)))
    assert not holds(body + " more", good)


# -- real text ---------------------------------------------------------------------------------------------------------


def mended(body: str) -> list[Any]:
    """The calls of a body that may be executed. What was changed is on record."""
    if validate(body, FILE_TOOLS).passed:
        return [parse(body).value]
    parts = ENGINE.tried(body, fenced=True)[0]
    assert not parts or parts[0].fixes
    return [part.verdict.value for part in parts]


SAYING_MORE = {
    "llm-comments-02": "`# python style`, `# trailing`: words of which nobody knows what they say",
    "llm-comments-03": "`// I will now remove it`, beside a tool that takes something away",
    "llm-prose_around-03": "`I will replace ... with ...` says what the call does, and may say it otherwise",
    "llm-extra_keys-00": "an explanation of a tool that takes something away",
    "llm-backtick_template-02": "`${n}` is an expression of JavaScript, and its value is not written",
}
"""Rows of the corpus that were meant as they were written, and look like others that were not: they are refused."""


def test_broken_blocks_as_models_write_them_come_out_as_they_were_meant(corpora: Path) -> None:
    """At least 95 of a hundred, and of those that only a model can mend, none."""
    right: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for line in (corpora / "llm_errors.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind, wanted, found = row["expected_fixable"], row["expected"], mended(row["input"])
        if row["truncated"] or kind == "llm_only":
            assert row["truncated"] or found == [], row["id"]
            continue
        if row["id"] in SAYING_MORE:
            assert found == [], row["id"]
            continue
        rows[kind] += 1
        if found:
            accepted = [wanted, [wanted], *row["accept"], *([call] for call in row["accept"])]
            assert found in accepted or (kind == "none" and found == [json.loads(row["input"])]), row["id"]
            right[kind] += 1
    assert right["none"] == rows["none"]
    for kind in ("syntax", "schema"):
        assert right[kind] / rows[kind] >= 0.95, kind


def test_a_sum_of_texts_with_typographic_quotes_in_them_is_one_text() -> None:
    """They need no escape, so a piece goes on behind them; it is not a text with the signs of the sum in it."""
    body = '{"tool": "write_file", "path": "a.md", "content": "a\\n" +\n"say “hi” to them\\n"}'
    assert mended(body) == [{"tool": "write_file", "path": "a.md", "content": "a\nsay “hi” to them\n"}]


def test_a_sign_in_a_text_joins_nothing_where_the_body_was_broken_at_a_width() -> None:
    """It may stand at the end of such a line by chance, and then looks like one between two strings."""
    line = '{"tool": "write_file", "content": "' + "x" * 30 + '" + "' + "y" * 100 + '", "path": "a"}'
    width = line.index('" + "') + 4
    assert mended("\n".join(line[at : at + width] for at in range(0, len(line), width))) == []
    assert mended(line.replace('" + "', '" +\n"')) != []


UNKNOWABLE = ("cut off", "closing quote lost", "one backslash not doubled", "no backslash doubled")


def single_faults(chance: Random, files: list[Path] | None = None) -> tuple[int, int]:
    """Return of how many single faults in code from files the call came out or cannot be known, and how many were tried.

    None comes out wrong by a character.
    """
    names = list(CORRUPTIONS)
    exact = tried = 0
    for call in calls(chance, files):
        if tried == HARM:
            break
        name = chance.choice(names)
        body = CORRUPTIONS[name](call, chance)
        if body is None or parse(body).ok:
            continue
        tried += 1
        found = mended(body)
        wanted = [call, {**call, "path": "other/" + call["path"]}] if name == "two calls" else [call]
        assert found in ([], wanted), (name, body)
        exact += bool(found) or name in UNKNOWABLE
    return exact, tried


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_no_single_fault_in_real_code_ends_in_another_call(cases: Cases) -> None:
    """The figure that matters most: none is wrong by a character. The code is what the machine at hand has."""
    _, tried = single_faults(Random(int(os.environ.get("SEED", "1"))))
    cases(tried)


@pytest.mark.more
def test_of_single_faults_in_real_code_few_are_refused() -> None:
    """What is uncertain: 5 % at most, most of it quotes that all lost their escapes, and lone raw breaks that may be wraps.

    The code is this project's, so the sample changes with every edit of it: from 4.0 to 4.4 % were refused.
    """
    exact, tried = single_faults(Random(int(os.environ.get("SEED", "1"))), own_sources())
    assert exact / tried >= 0.95


NOTE = Tool(
    "note",
    "",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "more": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["text"],
    },
)
"""It can do without two of its fields, and takes others: so a text may take them in, and still be valid."""

HARD_TEXTS = (
    "x", "", "C:\\", 'a "b"', "it's", '", "path": "z', "', 'path': 'z", "one\ntwo\\n", '{"a": [1]}\n',
    "'q'", '\\"', "a,", "a:", "[", "]",
    "}", "# x", "// y", "\\\\", '"', "f('\\n')\n", 'a": "b',
)  # fmt: skip
WRONG_MARKS = {
    '"': ("", "'", "“", "”", '""', '\\"'), "'": ("", '"', "\\'"), ",": ("", ";", ",,", ".", ":"), ":": ("", "=", ",", "=>"),
    "{": ("", "[", "{{", "("), "}": ("", "]", "}}", ")"), "[": ("", "{"), "]": ("", "}"),
}  # fmt: skip


def marks(body: str) -> Iterator[int]:
    """Where the marks stand that hold a body together: none inside of a text."""
    mark, escaped = "", False
    for at, char in enumerate(body):
        if not mark or (char == mark and not escaped):
            yield at
            mark = "" if mark else char if char in "\"'" else ""
        escaped = bool(mark) and char == "\\" and not escaped


def wrongly_marked() -> Iterator[tuple[dict[str, Any], str]]:
    """Calls, and each with one of its marks wrong: as JSON, over lines, and as Python writes them."""
    for text in HARD_TEXTS:
        change = {"old_string": text, "new_string": "n"}
        for call in (
            {"tool": "write_file", "path": "a.txt", "content": text},
            {"tool": "write_file", "content": text, "path": "a.txt"},
            {"tool": "edit_file", "path": "b", "search_replace": change},
            {"tool": "edit_file", "search_replace": {"old_string": "n", "new_string": text}, "path": "b"},
            {"tool": "note", "text": text, "more": "m", "tags": ["u", text]},
            {"tool": "note", "tags": [text], "text": "t", "more": text},
        ):
            for body in (json.dumps(call), json.dumps(call, indent=1), repr(call)):
                for at in marks(body):
                    for wrong in WRONG_MARKS.get(body[at], ()):
                        yield call, body[:at] + wrong + body[at + 1 :]


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_no_single_wrong_mark_ends_in_another_call(cases: Cases) -> None:
    """A quote lost, doubled, escaped or of another kind, a comma that is a semicolon, a brace that is a bracket: anywhere."""
    guard = Guard(Toolset(*FILE_TOOLS, NOTE))
    every = list(wrongly_marked())
    drawn = Random(1).sample(every, min(HARM, len(every)))
    tried = [(call, body) for call, body in drawn if not parse(body).ok]
    exact = 0
    for call, body in tried:
        found = [block.arguments for block in blocks(body, guard) if block.executable]
        assert found in ([], [call]), body
        exact += bool(found)
    cases(len(tried))
    assert exact / len(tried) > 0.25  # most of the others could be read in two ways


@pytest.mark.more
@pytest.mark.promise("P7")
def test_valid_blocks_from_real_code_are_left_alone(cases: Cases) -> None:
    chance = Random(2)
    many = min(HARM // 2, 10_000)
    cases(many)
    for _, call in zip(range(many), calls(chance), strict=False):
        body = json.dumps(call, indent=chance.choice([None, 2]))
        block = GUARD.check(body)
        assert (block.arguments, block.corrected, block.fixes) == (call, False, ())


@pytest.mark.parametrize(
    ("body", "harmless"),
    [
        ('{"tool": "TOOL", "what": "a\\d+\\w+"}', "escape"),
        ('{"tool": "TOOL", "what": "a "b" c"}', "quotes"),
        ('{"tool": "TOOL", "what": 7}', "coercion"),
        ('{"tool": "TOOI", "what": "a.txt"}', "tool_name"),
    ],
)
def test_what_takes_something_away_is_not_read_into_what_was_written(body: str, harmless: str) -> None:
    """The same call of a tool that only reads is mended. A spelling, an alias and plain syntax are mended of both."""
    fields = {"what": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": ["what"], "additionalProperties": False}
    for risk in Risk:
        name = "remove_all"
        tools = Toolset(Tool(name, "", schema, risk=risk, aliases=("wipe",)))
        (block,) = blocks(body.replace("TOOL", name).replace("TOOI", "remvoe_all"), Guard(tools))
        assert block.executable is (risk is not Risk.DESTRUCTIVE), (harmless, risk)
        for other in ("removeAll", "wipe"):
            (block,) = blocks(f"{{tool: '{other}', 'what': \"a.txt\",}}", Guard(tools))
            assert block.executable


# -- work --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "write_file", "path": "a", "content": "' + "x" * 400_000,
        '{"tool": "write_file", "path": "a", "content": "' + '"},' * 50_000,
        '{"tool": "write_file", "path": "a", "content": "' + '", "content": "' * 20_000,
        '{"tool": "write_file", "path": "a", "content": "' + '", "k": "v' * 20_000 + '"}',
        "{" * 50_000,
        "[" * 50_000,
        '{"a": [' * 20_000,
        '{"tool": "write_file", "path": "a", "content": "' + "\\" * 100_001 + '"}',
        '{"tool": "write_file" ' + "// x\n" * 20_000,
        "'" * 100_000,
        '{"tool": ' + "(" * 20_000,
        '{"tool": "write_file", "path": "a", "content": ' + '"a" + ' * 20_000,
        '{"tool": "write_file", "path": "a", "content": "' + '"' * 20_001,
        '{"tool": "write_file", "path": "a", "content": ""x" y""z}',
    ],
)
def test_the_work_on_a_hopeless_body_is_bounded(body: str) -> None:
    """It comes back, with nothing; the choices that are followed are counted, and not the time."""
    assert Engine(FILE_TOOLS, Limits(max_repair=1_000_000), "likely").tried(body, fenced=True)[0] == ()


def test_a_body_too_long_to_be_mended_stays_as_it_is() -> None:
    body = '{"tool": "write_file", "path": "a", "content": "' + "x" * 1_000 + '",}'
    assert Engine(FILE_TOOLS, Limits(max_repair=1_000), "likely").tried(body, fenced=True)[0] == ()
    assert Engine(FILE_TOOLS, Limits(max_repair=2_000), "likely").tried(body, fenced=True)[0]


def test_a_reading_says_why_there_is_none() -> None:
    for body, why in (
        ('{"tool": "delete_file", "path": "a" "b"}', "broken"),
        ('{"tool": "delete_file", "path": "a", "path": "b",}', "ambiguous"),
        ("nothing", "broken"),
        ('{"tool": "write_file", "path": "a", "content": "one \\\ntwo",}', "ambiguous"),
    ):
        with pytest.raises(NoReading, match=why):
            read(body, GRAMMAR)


def test_the_gate_refuses_what_escapes_hide() -> None:
    """A text whose pieces do not stand in it in order, however the pieces are escaped; and a word before all that was read."""
    body = r'{"tool": "delete_file", "path": "a\qb\qc",}'
    good = read(body, GRAMMAR)
    assert holds(body, good)

    def says(text: str) -> Reading:
        texts = tuple(Text(one.start, one.end, text if "q" in one.says else one.says) for one in good.texts)
        return Reading(good.values, good.edits, texts, good.skipped, good.callee)

    assert not holds(body, says("c b a"))
    assert not holds("word " + body, good)
    for text in ("a c b", "ab", "bc", ""):
        assert not holds(body, says(text))
    told = read('word {"tool": "delete_file", "path": "a"} word', GRAMMAR)
    assert holds('word {"tool": "delete_file", "path": "a"} word', told)
    for kept in (told.skipped[:1], told.skipped[1:]):
        bare = Reading(told.values, told.edits, told.texts, kept, told.callee)
        assert not holds('word {"tool": "delete_file", "path": "a"} word', bare)
    summed = read('{"content": ("one"\n"two"), "path": "a"}', GRAMMAR)
    assert holds('{"content": ("one"\n"two"), "path": "a"}', summed)
    other = Reading(({"content": "onetwothree", "path": "a"},), summed.edits, summed.texts, summed.skipped, None)
    assert not holds('{"content": ("one"\n"two"), "path": "a"}', other)


def test_several_readings_that_say_different_things_are_none() -> None:
    """At the same cost nobody knows; what says the same is one."""
    engine = Engine(FILE_TOOLS, Limits(), "likely")
    assert engine.understood('[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file", "path": "b"}]') is None
    assert engine.understood("[1]") is None
    found = engine.understood('{"tool": "rm", "path": "a",}')
    assert found is not None
    assert (found.tool, found.value) == ("delete_file", {"tool": "delete_file", "path": "a"})
    assert engine.tried('{"tool": "write_file", "path": "a", "content": "x" y" z"}{', fenced=True)[0] == ()


@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "note", "text": "t", "more": x", "tags": []}',
        '{"tool": "note", "text": "t", "more", "x"}',
        '{"tool": "note", "text": "t", "more" "x"}',
        '{"tool": "note", "text": "t"; "tags"= ["x"]}',
    ],
)
def test_a_text_that_holds_a_field_that_is_lacking_is_not_mended(body: str) -> None:
    """It may be the field itself."""
    assert Engine(Toolset(NOTE), Limits(), "likely").tried(body, fenced=True)[0] == ()
    (part,) = Engine(Toolset(NOTE), Limits(), "likely").tried(
        '{"tool": "note", "text": "say "more" to it", "more": "x",}', fenced=True
    )[0]
    assert part.verdict.value == {"tool": "note", "text": 'say "more" to it', "more": "x"}


def test_so_many_calls_of_a_block_are_mended_and_no_more() -> None:
    """As many as issues may be told; and where a name came from is on record."""
    engine = Engine(FILE_TOOLS, Limits(max_calls=2), "likely")
    calls = [f"{{'tool': 'delete_file', 'path': '{name}'}}" for name in "abc"]
    assert len(engine.tried(f"[{', '.join(calls[:2])}]", fenced=True)[0]) == 2
    assert engine.tried(f"[{', '.join(calls)}]", fenced=True)[0] == ()
    assert engine.tried("[]", fenced=True)[0] == ()
    (part,) = engine.tried('delete_file({"path": "a"})', fenced=True)[0]
    assert [fix.after for fix in part.fixes if fix.description == CATALOGUE["function_call"].what] == ["delete_file"]


def test_a_tool_may_bring_its_own_mending_along() -> None:
    """It is on record like any other."""
    fix = AutoFix("small", "VALUE_COERCION", "Made it small", "a", "XL", "x", 0.9, Safety.LIKELY)
    schema = {"type": "object", "properties": {"a": {"const": "x"}}, "required": ["a"]}
    tool = Tool("small", "", schema, mend=lambda arguments: ({"a": arguments["a"][0].lower()}, (fix,)))
    (part,) = Engine(Toolset(tool), Limits(), "likely").tried('{"tool": "small", "a": "XL"}', fenced=True)[0]
    assert (part.verdict.value, part.fixes) == ({"tool": "small", "a": "x"}, (fix,))


def test_what_the_gate_refuses_is_not_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reader made of it; and a text that holds no object is no call."""
    assert ENGINE.tried(TRAILING, fenced=True)[0]
    assert ENGINE.tried('["delete_file"]', fenced=True)[0] == ()
    monkeypatch.setattr(engine, "holds", lambda *_: False)
    assert ENGINE.tried(TRAILING, fenced=True)[0] == ()


@pytest.mark.parametrize(
    ("raw", "says", "stands"),
    [
        ("abc", "abc", True),
        ("abc", "abd", False),
        (r"a\nb", "a\nb", True),
        (r"a\nb", "aXb", True),
        (r"a\nb", "b a", False),
        (r"a\qb\qc", r"a\qb\qc", True),
        (r"a\qb\qc", "abc", True),
        (r"a\qb\qc", "acb", False),
        (r"a\qb\qc", "a c b", False),
        (r"a\qb\qc", "ab", False),
        (r"a\qb\qc", "bc", False),
        (r"a\qb\qc", "", False),
    ],
)
def test_between_its_escapes_a_text_says_letter_by_letter_what_stands_there(raw: str, says: str, stands: bool) -> None:
    """In its order. What an escape stands for is the reader's business."""
    assert gate._stands(f'"{raw}"', Text(1, 1 + len(raw), says)) is stands


def test_a_word_of_one_letter_is_a_word() -> None:
    told = read('x {"path": "a"}', GRAMMAR)
    assert not holds('x {"path": "a"}', Reading(told.values, told.edits, told.texts, (), None))


DELETE = '{"tool": "delete_file", "path": "a"}'


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (json.dumps(f"  [{DELETE}]"), 1),
        (json.dumps([f"  {DELETE}"]), 1),
        (json.dumps([f"{DELETE[:-1]},}}"]), 1),
        (json.dumps([DELETE + DELETE.replace('"a"', '"b",')]), 0),
        ('["{nothing"]', 0),
        ('> {"tool": "delete_file",\n"path": "a"}', 1),
        ('> {"tool": "delete_file",\n>"path": "a"}', 1),
        ('rm({"tool": "write_file", "path": "a", "content": ""})', 0),
    ],
)
def test_a_call_in_a_text_or_a_quote_is_read_where_it_is_one(body: str, count: int) -> None:
    assert len(ENGINE.tried(body, fenced=True)[0]) == count


def test_what_takes_something_away_is_not_read_into_deep_inside_either() -> None:
    inner = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    schema = {"type": "object", "properties": {"what": inner}, "required": ["what"]}
    body = '{"tool": "drop", "what": {"name": "a "b" c"}}'
    assert Engine(Toolset(Tool("drop", "", schema)), Limits(), "likely").tried(body, fenced=True)[0]
    assert (
        Engine(Toolset(Tool("drop", "", schema, risk=Risk.DESTRUCTIVE)), Limits(), "likely").tried(body, fenced=True)[0] == ()
    )


def test_what_only_looks_like_a_field_that_is_lacking_stays_in_its_text() -> None:
    """Where no quote went astray, or the field is there under its own name."""
    (part,) = Engine(Toolset(NOTE), Limits(), "likely").tried('{"tool": "note", "text": "say \\"more\\": x",}', fenced=True)[0]
    assert part.verdict.value == {"tool": "note", "text": 'say "more": x'}
    (part,) = ENGINE.tried('{"tool": "write_file", "path": "a", "content": "x "code": y"}', fenced=True)[0]
    assert part.verdict.value == {"tool": "write_file", "path": "a", "content": 'x "code": y'}


def test_what_is_understood_tells_no_more_issues_than_it_may() -> None:
    found = Engine(FILE_TOOLS, Limits(max_issues=1), "likely").understood('{"tool": "edit_file"}')
    assert found is not None
    assert len(found.issues) == 1


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("&lt;b&gt; in <p>", True), ("a && b &amp; c", True), ("&lt;b&gt;", False), ("a &amp; b", False),
        ("&quot;b&quot; in <p>", False), ("it&#39;s in <p>", False), ("&#x201c;b&#x201d; in <p>", False),
    ],
)  # fmt: skip
def test_entities_are_the_texts_own_where_it_has_what_html_would_have_escaped(text: str, runs: bool) -> None:
    """But for those of quotes: they may be all that was escaped."""
    call = {"tool": "write_file", "path": "a", "content": text}
    assert mended(f"{{“tool”: “write_file”, “path”: “a”, “content”: “{text}”}}") == ([call] if runs else [])


ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "u2028": "\u2028", "u0007": "\a"}
"""What JSON escapes besides quotes and backslashes, by what stands behind the backslash."""

QUOTED: dict[str, Callable[[str], str]] = {
    "entities": lambda body: body.replace('"', "&quot;"),
    "single": lambda body: body.replace('"', "'"),
    "curly": lambda body: re.sub('"([^"]*)"', "“\\1”", body),
    "angles": lambda body: re.sub('"([^"]*)"', "«\\1»", body),
    "backticks": lambda body: body.replace('"', "`"),
    "bare name": lambda body: re.sub('"([^"]*)"', "“\\1”", body).replace("“write_file”", "write_file"),
}
"""How a body is written without a double quote, which escaping it as a whole would show."""


@pytest.mark.some(11)
@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("text", ["{}", "@echo off{}", "a{0}b{0}", "one{0}{0}two", "é{}", "\\{0}x"])
def test_a_body_whose_quotes_say_nothing_may_have_been_escaped_once_more(quoted: str, escape: str, text: str) -> None:
    """What is meant is the body before that, and what it says by the letter has backslashes in its place: neither runs."""
    call = {"tool": "write_file", "path": "a", "content": text.format(ESCAPES[escape])}
    for ascii_only in (False, True):
        whole = json.dumps(call, ensure_ascii=escape.startswith("u") or ascii_only)
        body = json.dumps(QUOTED[quoted](whole), ensure_ascii=ascii_only)[1:-1]
        assert mended(body) == []


@pytest.mark.parametrize("quoted", ["entities", "single"])
@pytest.mark.parametrize("text", ["one\ntwo", "a\\b\nc", "^\\d+$", "tab\t", "\\d\n"])
def test_a_backslash_that_is_not_doubled_shows_that_a_body_was_escaped_once(quoted: str, text: str) -> None:
    call = {"tool": "write_file", "path": "a", "content": text}
    assert mended(QUOTED[quoted](json.dumps(call))) == [call]


@pytest.mark.parametrize("body", ['gather(json = [{"tool": "ask", "answer": 1}])', 'gather({"json": {"name": "ask"}})'])
def test_a_call_around_another_call_makes_none_of_a_tool_that_takes_any_members(body: str) -> None:
    tools = Toolset(Tool("gather", "", {"type": "object"}), Tool("ask", "", {"type": "object"}))
    engine = Engine(tools, Limits(), "likely")
    assert engine.tried('gather({"json": {"a": "ask"}})', fenced=True)[0]
    assert engine.tried(body, fenced=True)[0] == ()


@pytest.mark.parametrize(("key", "runs"), [("count", True), ("answer", False)])
def test_a_list_is_ended_by_a_field_of_its_own_tool_alone(key: str, runs: bool) -> None:
    """A tool that takes any members may have the field of another one anywhere."""
    fields = {"list": {"type": "array", "items": {"type": "string"}}, "count": {"type": "integer"}}
    tools = Toolset(
        Tool("gather", "", {"type": "object", "properties": fields}),
        Tool("ask", "", {"type": "object", "properties": {"answer": {"type": "integer"}}}),
    )
    body = f'{{"tool": "gather", "list": ["a", "{key}": 1}}'
    assert bool(Engine(tools, Limits(), "likely").tried(body, fenced=True)[0]) is runs


WRAPPED = '{\n "tool": "note",\n "text": "' + "x" * 25 + ': yes\nNow: then"\n}'
"""A text with a line break behind the fortieth character of its line."""


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("{'tool': 'note', 'text': 'it's \\'x\\' ok'}", False),  # who escapes apostrophes escapes all
        ("{'tool': 'note', 'text': 'it's', 'more': 'say \\'x\\''}", False),
        ("{'tool': 'note', 'text': 'it\\'s \\'x\\' ok'}", True),
        ("{'tool': 'note', 'text': 'it's ok'}", True),
        ('{"tool": "note", "text": """"quoted""""}', False),  # a text in three quotes, or one in a quote between three
        ('{"tool": "note", "text": """"Says it.""" + x"}', True),
        ('{"tool": "note", "text": "print("hi")nx"}', False),  # the backslash of a line break was lost with all others
        ('{"tool": "note", "text": "f("hi"):n    x"}', False),
        ('{"tool": "note", "text": "f("hi", (a)not b)"}', True),
        ('{"tool": "note", "text": "print("hi")nx\\n"}', True),
        ('{"tool": "note", "text": "t", "tags": ["a",\n  \n]}', False),  # an item stood in the line that is empty
        ('{"tool": "note", "text": "t", "tags": ["a",\n]}', True),
        ('{"tool": "note", "text": "t", "tags": ["a"],\n\n}', False),
        (WRAPPED, False),  # broken at a width
        (WRAPPED.replace("xx", "x", 1), True),
        (WRAPPED.replace("s\n", ".\n"), True),  # between two lines
        (WRAPPED.replace('"tool"', '"more": "' + "y" * 40 + '",\n "tool"'), True),  # another line is longer
    ],
)
def test_what_a_change_of_the_whole_block_may_have_made_is_not_mended(body: str, runs: bool) -> None:
    assert bool(Engine(Toolset(NOTE), Limits(), "likely").tried(body, fenced=True)[0]) is runs


KEYWORDS = {
    'write_file(path="a", content="x")': {"tool": "write_file", "path": "a", "content": "x"},
    'write_file(\n  path=\'a\',\n  content="""one\ntwo\n""",\n);': {"tool": "write_file", "path": "a", "content": "one\ntwo\n"},
    'write_file(path="a", content="f("x")")': {"tool": "write_file", "path": "a", "content": 'f("x")'},
    'delete_file(path = "a")': {"tool": "delete_file", "path": "a"},
}
NO_KEYWORDS = (
    'write_file(path="a", content="x"',
    'write_file(path="a", content="x") # not yet',
    'not write_file(path="a", content="x")',
    'print(write_file(path="a", content="x"))',
    'write_file(path="a", content="x")\nwrite_file(path="b", content="y")',
    'write_file(path="a", content="x" + y)',
    'write_file(path="a", content=f"x{y}")',
    'write_file(path="a", content=read("b"))',
    'write_file(path=name, content="x")',
    'write_file(path == "a", content="x")',
    'write_file(path="a", content="x", tool="delete_file")',
    'open_file(path="a")',
)


@pytest.mark.parametrize("body", [*KEYWORDS, *NO_KEYWORDS])
def test_a_call_with_arguments_by_name_is_read_where_nothing_is_worked_out_in_it(body: str) -> None:
    assert mended(body) == ([KEYWORDS[body]] if body in KEYWORDS else [])


@pytest.mark.parametrize(
    ("body", "rule", "before", "after"),
    [
        ('{"tool": "write_file", "path": "a", "content": "One.\nTwo"}', "control_character", "One.\nTwo", "One.\\nTwo"),
        ('{"tool": "write_file", "path": "a", "content": "say "x""}', "quotes", 'say "x"', 'say \\"x\\"'),
        ('{"tool": "write_file", "path": "a", "content": "x",}', "trailing_comma", ",", ""),
        ('{\'tool\': "write_file", "path": "a", "content": "x"}', "quote_marks", "'tool'", '"tool"'),
        ('{tool: "write_file", "path": "a", "content": "x"}', "bare_key", "tool", '"tool"'),
        ('{"tool" = "write_file", "path": "a", "content": "x"}', "separator", "=", ":"),
        ('{"tool": "write_file" "path": "a", "content": "x"}', "missing_comma", "", ","),
        ('{"tool": "write_file", "path": "a", "content": 1.10}', "coercion", 1.1, "1.10"),
        ('{"tool": "write_file", "path": ["a"], "content": "x"}', "coercion", ["a"], "a"),
        ('{"tool": "create", "path": "a", "content": "x"}', "tool_name", "create", "write_file"),
    ],
)
def test_the_record_says_what_stood_there_and_what_stands_there_now(body: str, rule: str, before: Any, after: Any) -> None:
    """So that the two differ for whoever reads them: what is escaped now shows its escape."""
    (block,) = blocks(body)
    (fix,) = [fix for fix in block.fixes if fix.rule == rule]
    assert (fix.before, fix.after) == (before, after)


def test_what_is_long_is_shortened_in_the_record_and_marked() -> None:
    edits = [{"old_string": "x" * 50, "new_string": "y"}, {"old_string": "v", "new_string": "w"}]
    body = json.dumps({"tool": "edit_file", "path": "a", "search_replace": edits})
    fix = blocks(body)[0].fixes[-1]
    assert fix.before == json.dumps(edits)[:79] + "…"


def test_a_call_to_fill_in_is_no_call() -> None:
    """All its texts are placeholders. One of several may be meant."""
    assert mended('{"tool": "write_file", "path": "<path>", "content": "<content>",}') == []
    assert mended('{"tool": "write_file", "path": "a", "content": "<br>",}') != []


@pytest.mark.parametrize(
    ("field", "written", "value"),
    [
        ("count", "+3", 3), ("share", ".5", 0.5), ("share", "-.5", -0.5), ("share", "+1.5", 1.5),
        ("when", "2025-01-02", "2025-01-02"),
        ("when", "2025-01-02T10:00Z", "2025-01-02T10:00Z"),
        ("count", "03", None), ("count", "1_000", None), ("count", "1,000", None), ("share", "5.", None), ("any", "+3", None),
        ("when", "+3", None), ("when", "2025-01", None), ("when", "2025-01-02 10:00", None), ("any", "2025-01-02", None),
    ],
)  # fmt: skip
def test_numbers_of_other_languages_and_bare_dates_are_read_where_they_can_be_nothing_else(
    field: str, written: str, value: object
) -> None:
    fields: Any = {"count": {"type": "integer"}, "share": {"type": "number"}, "when": {"type": "string"}, "any": {}}
    tools = Toolset(Tool("try_it", "", {"type": "object", "properties": fields, "additionalProperties": False}))
    found = blocks(f'{{"tool": "try_it", "{field}": {written}}}', Guard(tools))
    assert [block.arguments for block in found if block.executable] == (
        [] if value is None else [{"tool": "try_it", field: value}]
    )


@pytest.mark.parametrize(
    ("more", "runs"),
    [
        ('"overwrite": true', True), ('"overwrite": true,', True), ('"append": false', True), ('"encoding": "utf-8"', True),
        ('"description": "Adds a constant", "language": "python"', True), ('"description": "Adds it",', True),
        ('"append": true', False), ('"overwrite": 1', False), ('"encoding": "latin-1"', False), ('"force": true', False),
        ('"description": "do not run this"', False), ('"description": "\u043d\u0435 \u043d\u0430\u0434\u043e"', False),
        ('"description": ["x"]', False), ('"description": "Adds it"}}', False),
    ],
)  # fmt: skip
def test_what_a_tool_knows_to_say_nothing_is_left_out(more: str, runs: bool) -> None:
    call = {"tool": "write_file", "path": "a", "content": "One.\nTwo"}
    for content in ("One.\\nTwo", "One.\nTwo"):
        body = f'{{"tool": "write_file", "path": "a", "content": "{content}", {more}}}'
        assert mended(body) == ([call] if runs else [])
    assert mended(f'{{"tool": "write_file", "path": "a", "content": "say "x"", {more}}}') == []
    assert mended(f'{{"tool": "delete_file", "path": "a", {more}}}') == []


_N: Any = {"type": "integer"}
BOXED = Guard(
    Toolset(
        _made(
            "place_box", ["box"], box={"type": "object", "properties": {"w": {"type": "integer"}, "note": _S}, **_STRICT},
            rows={"type": "array", "items": {"type": "object", "properties": {"note": _S, "at": _N}, **_STRICT}},
            alt=_S, title=_S, note=_S, level={"type": ["integer", "string"]},
        ),
        _made("drop_box", ["box"], Risk.DESTRUCTIVE, box=_S, title=_S),
    ),
    untagged="validate",
)  # fmt: skip
OPEN_BOXED = Guard(Toolset(*BOXED.tools, Tool("tag_box", "", {"type": "object", "properties": {"meta": {"type": "object"}}})))
SURE: dict[str, dict[str, Any] | None] = {
    '{"tool": "place_box", "rows": [], "box": {"w": 1}, "alt": "x"}}': {"rows": [], "box": {"w": 1}, "alt": "x"},
    '{"rows": [{"at": 1}], "box": {"w": 1}, "tool": "place_box"}}]': {"rows": [{"at": 1}], "box": {"w": 1}},
    '{"tool": "place_box", "box": {"w": 1}}.': {"box": {"w": 1}},
    '{"tool": "place_box", "box": : {"w": : 1}}': {"box": {"w": 1}},
    '{"tool": "place_box", "box": {"w": 1}, "title": "a\tb"}': {"box": {"w": 1}, "title": "a\tb"},
    '{{"tool": "place_box", "box": {"w": 1}, "alt": "x", "title": "y", "note": "z"}': {
        "box": {"w": 1}, "alt": "x", "title": "y", "note": "z",
    },
    '{{"tool": "place_box", "box": {{"w": 1, "note": "z"}}}': None,
    'await place_box({"box": {"w": 1}});': {"box": {"w": 1}},
    'call: [\n{"tool": "place_box", "box": {"w": 1}}\n]': {"box": {"w": 1}},
    r"{«tool»: «place_box», «box»: {«w»: 1}, «alt»: «x \"y\"»}": {"box": {"w": 1}, "alt": 'x "y"'},
    r'[\n  {\n\t\"tool\": \"place_box\", \"box\": {\"w\": 1}}]': {"box": {"w": 1}},
    r'{\"tool\": \"place_box\", \"title\": \"a\\tb\", \"alt\": \"\\\"x\\\"\", \"box\": {}}': {
        "title": "a\tb", "alt": '"x"', "box": {},
    },
    # And what is not.
    '{"tool": "place_box", "box": {"w": 1}, "note": "x"}}': None,  # the note may be the box's
    '{"tool": "place_box", "rows": [{"at": 1}, {"at": 2}], "note": "x"}}]': None,
    '{"arguments": {"box": {"w": 1}}, "name": "place_box"}}': None,
    '{"tool": "place_box", "box": {"w": 1}}..': None,
    '{"tool": "place_box", "box": {"w": 1}}. Not': None,
    '{"tool": "place_box", "box": {"w": 1}}.{"x": 1}': None,
    '{"tool": "place_box", "box": {"w": 1}, "alt": : "x"}': None,  # it may be the title, whose key is lost
    '{"tool": "place_box", "box": {"w": : 5}': None,  # it may be the level, behind the box
    '{"tool": "place_box", "box": {"w": 1}, "level": : 1}': None,  # a text without its quotes may begin with a colon
    '{"tool": "drop_box", "box": : "x"}': None,
    '{"tool": "place_box", "box": {"w": 1}, "title": "C:\temp"}': None,
    '{"tool": "place_box", "box": {"w": 1}, "title": "a\n\tb"}': None,
    '{{"tool": "drop_box", "box": "x"}': None,
    '{{"tool": "drop_box", "box": "x", "title": "y"}': None,
    'awaiting place_box({"box": {"w": 1}});': None,
    "do not await place_box({'box': {'w': 1}});": None,
    "{«tool»: «place_box», «box»: {«w»: 1}, «alt»: «x «y» z»}": None,
    '{«tool»: «place_box», «box»: {«w»: 1}, "alt": «x»}': None,
    '{"tool": "place_box", "box": {"w": 1}, "alt»: "x"}': None,
    r'{«tool»: «place_box», «box»: {«w»: 1}, «alt»: «\\"x\\"»}': None,
    r'{\"tool\": \"place_box\", \"title\": \"a\\tb\", \"alt\": \"C:\\\\\\\", \"box\": {}}': None,
}  # fmt: skip


@pytest.mark.parametrize("body", SURE)
def test_what_a_careful_reader_is_sure_of_runs_and_its_neighbours_do_not(body: str) -> None:
    ran, sure = [block.arguments for block in blocks(body, BOXED) if block.executable], SURE[body]
    assert ran == ([] if sure is None else [{"tool": "place_box", **sure}])


def test_where_an_inner_object_takes_any_field_a_bracket_too_many_may_be_its_own() -> None:
    body = '{"tool": "place_box", "box": {"w": 1}, "alt": "x"}}'
    assert not any(block.executable for block in blocks(body, OPEN_BOXED))


def moved_closers(chance: Random) -> Iterator[tuple[Guard, dict[str, Any], str]]:
    """Calls of tools with objects in objects, each with a bracket that stands too early, twice or at the end."""
    names = ["alt", "size", "mode", "note", "name", "unit", "tags", "text"]

    def schema(depth: int) -> dict[str, Any]:
        kinds: list[Any] = [_S, {"type": "integer"}, {"type": "boolean"}]
        kinds += [schema(depth - 1), {"type": "array", "items": schema(depth - 1)}] * 2 if depth else []
        fields = {name: chance.choice(kinds) for name in chance.sample(names, chance.randint(1, 4))}
        return {"type": "object", "properties": fields, **(_STRICT if chance.random() < 0.9 else {})}

    def value(of: dict[str, Any]) -> Any:
        if of["type"] == "object":
            return {name: value(field) for name, field in of["properties"].items() if chance.random() < 0.8}
        if of["type"] == "array":
            return [value(of["items"]) for _ in range(chance.randint(0, 2))]
        texts: dict[str, list[Any]] = {"string": ["a", "x y", "}"], "boolean": [True, False], "integer": [7]}
        return chance.choice(texts[of["type"]])

    while True:
        tool = Tool("make_it", "", schema(2), risk=Risk.WRITE)
        members = list({"tool": tool.name, **value(dict(tool.schema))}.items())
        call = dict(chance.sample(members, len(members)))
        body = json.dumps(call)
        closers = [at for at in range(len(body) - 1) if body[at] in "}]"]
        if closers:
            last = chance.choice(closers)
            places = [at for at in range(1, last + 1) if body[at] in ",}]" and body[at - 1] not in "{[,"]
            first = chance.choice(places or [last])
            early = body[:first] + body[last] + body[first:]
            left = chance.choice((early, early + body[last], early[: last + 1] + early[last + 2 :] + body[last]))
            yield Guard(Toolset(tool), untagged="validate"), call, left


@pytest.mark.more
@pytest.mark.promise("P8")
def test_no_bracket_that_closed_too_early_takes_a_member_out_of_its_object(cases: Cases) -> None:
    tried = 0
    for guard, call, body in moved_closers(Random(int(os.environ.get("SEED", "1")))):
        if tried == HARM // 3:
            break
        if parse(body).ok:
            continue
        tried += 1
        ran = [block.arguments for block in blocks(body, guard) if block.executable]
        assert ran in ([], [call]), body
    cases(tried)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", ["C:\\", "a\\\\", 'say "C:\\"', '\\"', "C:\\new\\tab", '"\\', 'x\\", y', '"a\\"}'])
def test_a_tab_is_none_where_only_the_quotes_of_a_body_were_escaped(text: str) -> None:
    """Backslashes before a quote may be those of a text that ends with one."""
    for call in (
        {"tool": "place_box", "alt": text, "title": "a\tb", "box": {}},
        {"tool": "place_box", "box": {}, "title": text},
    ):
        ran = [block.arguments for block in blocks(json.dumps(call).replace('"', '\\"'), BOXED) if block.executable]
        assert ran in ([], [call])


@pytest.mark.parametrize("shape", ["{}\n{}", "[{}, {}]", '{{"tool_calls": [{}, {}]}}'])
@pytest.mark.parametrize(
    ("one", "other", "runs"),
    [
        ({"path": "a"}, {"path": "a"}, 0),
        ({"path": "a"}, {"path": "a "}, 0),
        ({"path": "a"}, {"path": "a", "content": "x"}, 0),
        ({"path": "a", "content": "x"}, {"path": "a"}, 0),
        ({"path": "a", "tags": ["x"]}, {"path": "a", "tags": ["x"], "content": "y"}, 0),
        ({"path": "a"}, {"path": "b"}, 2),
        ({"path": "a", "content": "x"}, {"path": "a", "content": "y"}, 2),
        ({"path": "a", "tags": ["x"]}, {"path": "a", "content": "y"}, 2),
    ],
)
def test_a_call_that_says_what_another_says_may_have_been_begun_again(
    shape: str, one: dict[str, Any], other: dict[str, Any], runs: int
) -> None:
    fields = {"path": {"type": "string"}, "content": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}
    tool = Tool("note", "", {"type": "object", "properties": fields, "required": ["path"], "additionalProperties": False})
    body = shape.format(*(json.dumps({"tool": "note", **call}) for call in (one, other)))
    found = [item for item in Guard([tool]).scan(f"```json\n{body}\n```\n") if isinstance(item, ToolBlock)]
    assert sum(block.executable for block in found) == runs


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ('{"tool": "find", "filters": {"kind": "x"}"least": 3}', False),
        ('{"tool": "find", "filters": {"kind": "x"} "least": 3}', False),
        ('{"tool": "find", "filters": {"kind": "x"}, "least": 3,}', False),
        ('{"tool": "find", "filters": {"kind": "x"}, "least": 3}', True),
        ('{"tool": "find", "filters": {"kind": "x", "least": 3}"title": "y"}', True),
        ('{"tool": "find", "filters": {"kind": "x"}"title": "y"}', True),
        ('{"tool": "find", "tags": ("x")}', False),
        ('{"tool": "find", "title": ("x")}', True),
    ],
)
def test_a_member_that_an_open_tool_does_not_list_may_belong_elsewhere(body: str, runs: bool) -> None:
    """It is listed in the object beside it, whose brace may close too early; or its parentheses may be those of a list."""
    inner = {"type": "object", "properties": {"kind": {"type": "string"}, "least": {"type": "integer"}}}
    tool = Tool("find", "", {"type": "object", "properties": {"title": {"type": "string"}, "filters": inner}})
    assert Guard([tool]).check(body).executable is runs


@pytest.mark.parametrize("blanks", ["", " ", "  "])
@pytest.mark.parametrize(("text", "runs"), [("a{{2,{}}}", False), ("f{{1, 2,{}}}", False), ("f(a, {})", True)])
def test_one_pair_of_quotes_behind_a_comma_and_before_a_brace_may_split_a_text(text: str, blanks: str, runs: bool) -> None:
    body = f'{{"tool": "write_file", "path": "a", "content": "{text.format(chr(34) + blanks + chr(34))}"}}'
    assert Guard(FILE_TOOLS).check(body).executable is runs


@pytest.mark.parametrize("mark", ["* ", "Here is the call: * ", "Here is the call:\n* ", "Sure! *\n"])
def test_an_object_behind_the_mark_of_a_list_is_one_of_several_things(mark: str) -> None:
    body = '{"tool": "write_file", "path": "a", "content": "x"}'
    found = [item for item in Guard(FILE_TOOLS).scan(f"```json\n{mark}{body}\n```\n") if isinstance(item, ToolBlock)]
    assert not any(block.executable for block in found)
