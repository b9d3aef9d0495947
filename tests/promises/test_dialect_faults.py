"""Calls in every dialect, damaged: what was not meant never comes out executable."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from stream_guard_conformance.damaged import CLINE, FAULTS, TOOLS, damaged, sound

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.write import AS_LINES, Call
from stream_guard.testing import by_char, original, random_splits
from tests.kit.breadth import some
from tests.kit.dialects import ANY_TOOL
from tests.kit.proof import Cases

REPLIES: Final = int(os.environ.get("REPLIES", "760")) // len(ANY_TOOL)
"""How many damaged replies of each dialect are tried; more under `make more`."""

SEED: Final = int(os.environ.get("SEED", "1"))
GUARD: Final = Guard(Toolset(*(Tool.of(tool) for tool in TOOLS)), dialects="all")
each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in ANY_TOOL.items()])


def ran(items: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(item.call.tool, item.call.arguments) for item in items if isinstance(item, ToolBlock) and item.call is not None]


@each
@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_nothing_runs_that_was_not_meant(cases: Cases, dialect: Dialect) -> None:
    """Markers lost, doubled, swapped, exchanged, shortened or inside values, unknown keys, impossible types, cut anywhere."""
    rng = Random(f"{SEED}{dialect.name}")
    for number in range(REPLIES):
        reply = damaged(dialect, rng)
        text = reply.text()
        found = list(GUARD.scan([text, End(reply.end)]))  # type: ignore[arg-type]
        assert original(found) == text
        calls = ran(found)
        assert not reply.wrong(calls), (reply.faults, reply.end, text, calls)
        if number % 10 == 0:
            for chunks in list(random_splits(text))[:2]:
                assert ran(list(GUARD.scan([*chunks, End(reply.end)]))) == calls  # type: ignore[arg-type]
    cases(REPLIES)


def blanks_around(call: Call) -> bool:
    """Whether a text has blanks around it that agents take off."""
    return any(isinstance(text, str) and text != text.strip() for key, text in call[1].items() if key not in AS_LINES)


@pytest.mark.some
@each
def test_a_reply_without_a_fault_runs_as_it_was_meant(dialect: Dialect) -> None:
    rng = Random(SEED)
    for _ in some(range(50), 20):
        reply = sound(dialect, rng)
        meant = [call for call in reply.meant() if dialect is not CLINE or not blanks_around(call)]
        assert ran(list(GUARD.scan([reply.text(), End("stop")]))) == meant, reply.text()


def test_every_fault_changes_replies() -> None:
    """Some dialects have no long markers, or none to swap; every fault has several dialects."""
    rng = Random(SEED)
    seen = Counter(
        fault for dialect in ANY_TOOL.values() for fault in {f for _ in range(100) for f in damaged(dialect, rng).faults}
    )
    assert set(seen) == {fault.__name__.strip("_") for fault in FAULTS}
    assert min(seen.values()) > len(ANY_TOOL) // 4


TEXT: Final[Any] = {"type": "string"}
TEXTS: Final[Any] = {"type": "array", "items": TEXT}
DOCS: Final = Guard(
    Toolset(
        *(
            Tool(name, "", {"type": "object", "properties": fields, "required": [*fields][:1], "additionalProperties": False})
            for name, fields in {
                "append_doc": {"path": TEXT, "body": TEXT},
                "delete_doc": {"path": TEXT},
                "send_mail": {"to": TEXTS, "body": TEXT},
                "http_request": {"url": TEXT, "headers": {"type": "object"}},
            }.items()
        )
    ),
    dialects="all",
)


def executed(text: str, guard: Guard = DOCS) -> list[tuple[str, Any]]:
    """Return the calls of a whole reply that came out executable."""
    return ran(list(guard.scan([text, End("stop")])))


MARKED: Final = ['<|"|>', "<escape>"]
SPOILED: Final = [
    '<|\\"|>', "<|&quot;|>", "<|“|>", "<|'|>", '<|"| >', '<| "|>', '<|" |>', '|"|', "<||>", "<|>", '&lt;|"|&gt;',
    '<"|>', '<|">', '<|"|',
    "</escape>", "<ESCAPE>", "<escaped>", "<escape", "escape>", "&lt;escape&gt;", "<Escape>",
]  # fmt: skip


@pytest.mark.parametrize("mark", [*SPOILED, *MARKED])
@pytest.mark.parametrize("whole", MARKED)
@pytest.mark.promise("P8")
def test_a_spoiled_marker_of_a_string_is_no_text(mark: str, whole: str) -> None:
    """Other quotes, entities, blanks, letters or signs lost, and the marker of the sister dialect: around a text, or in one."""
    if mark == whole:
        return
    opener, closer = (
        ("<|tool_call>", "<tool_call|>") if whole == MARKED[0] else ("<start_function_call>", "<end_function_call>")
    )
    assert executed(f"{opener}call:delete_doc{{path:{mark}a{mark}}}{closer}") == []
    assert executed(f"{opener}call:append_doc{{path:{whole}a{mark},body:{mark}b{whole}}}{closer}") == []
    assert executed(f"{opener}call:send_mail{{to:[{whole}a{mark},{mark}b{whole}]}}{closer}") == []


def test_signs_like_those_of_a_marker_are_text() -> None:
    for text in ('x |> IO.puts "a" |> f', "a <b> | <c>", "<|im_end|>", "a || b, c < d", '"a"|"b"', "escape(x)"):
        assert executed(f'<|tool_call>call:delete_doc{{path:<|"|>{text}<|"|>}}<tool_call|>') == [("delete_doc", {"path": text})]
    assert executed("<|tool_call>call:delete_doc{path:it's}<tool_call|>") == [("delete_doc", {"path": "it's"})]


@pytest.mark.parametrize(
    "text",
    [
        '> <|tool_call>call:http_request{url:<|"|>u<|"|>,headers:{A:<|"|>one\n> two<|"|>}}<tool_call|>',
        "+<start_function_call>call:send_mail{to:[<escape>one\n+two<escape>]}<end_function_call>",
        "+ <start_function_call>call:send_mail{to:[<escape>one\n+ two<escape>]}<end_function_call>",
        "- <start_function_call>call:delete_doc{path:<escape>one\n- two<escape>}<end_function_call>",
        '> <|python_start|>[send_mail(to=["""one\n> two"""])]<|python_end|>',
    ],
)
@pytest.mark.promise("P8")
def test_lines_of_a_text_inside_a_list_or_an_object_may_have_marks_of_the_quote_around_the_call(text: str) -> None:
    assert executed(text) == []
    assert executed(text.lstrip("> +-")) != []


INNER: Final = (
    '{"name": "delete_doc", "arguments": {"path": "/"}}',
    '```json\n{"tool": "delete_doc", "path": "/"}\n```',
    '<tool_call>\n{"name": "delete_doc", "arguments": {"path": "/"}}\n</tool_call>',
)
INVOKED: Final = '<parameter name="path">a</parameter>\n<parameter name="body">{}</parameter>\n</invoke>\n</function_calls>'
FUNCTION: Final = "<parameter=path>\na\n</parameter>\n<parameter=body>\n{}\n</parameter>\n</function>\n</tool_call>"
KEYED: Final = "<arg_key>body</arg_key>\n<arg_value>{}</arg_value>\n</tool_call>"
OUTER: Final = (
    f"<function_calls>\n{INVOKED}",
    f'<function_calls>\n<invoke name="append_doc"\n{INVOKED}',
    f"<tool_call>\n{FUNCTION}",
    f"<function append_doc>\n{FUNCTION}",
    "e=path>\na\n</parameter>\n<parameter=body>\n{}\n</parameter>\n</function>\n</tool_call>",
    f"append_doc\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n{KEYED}",
    f"<tool_call>append_doc\n<arg_key>path</arg_key>\n<arg_valuea</arg_value>\n{KEYED}",
    "<path>\na\n</path>\n<body>\n{}\n</body>\n</append_doc>",
    "<append_dok>\n<path>\na\n</path>\n<body>\n{}\n</body>\n</append_doc>",
    '<tool_call>call:append_doc{{path:<|"|>a<|"|>,body:<|"|>{}<|"|>}}<tool_call|>',
    '<|tool_call><|tool_call>{{path:<|"|>a<|"|>,body:<|"|>{}<|"|>}}<tool_call|>',
    "</start_function_call>call:append_doc{{path:<escape>a<escape>,body:<escape>{}<escape>}}<end_function_call>",
    'function name="append_doc"><param name="path">a</param><param name="body">{}</param></function>',
    '<function name="append_doc">param name="path">a</param><param name="body">{}</param></function>',
)  # fmt: skip


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.promise("P1", "P8")
def test_no_call_in_a_value_runs_whose_own_call_has_lost_its_opener(outer: str) -> None:
    for inner in INNER:
        text = outer.format(f"Example:\n{inner}\nDone.")
        assert executed(text) == []
        for chunks in list(random_splits(text))[:3]:
            assert ran(list(DOCS.scan([*chunks, End("stop")]))) == []


FENCES: Final = Guard(DOCS.tools)


@pytest.mark.parametrize("mark", ["<parameter=body>", '<parameter name="body">', "<arg_value>", "</parameter>"])
@pytest.mark.promise("P1", "P8")
def test_a_fence_behind_the_mark_of_a_value_may_stand_in_that_value(mark: str) -> None:
    """Where no dialect is read, too: such a mark at the beginning of a line shows a call of another format."""
    for before in (mark, f"Text.\n\n  {mark}Example:", f"{mark} x"):
        text = f"{before}\n{INNER[1]}\n</parameter>\n"
        assert executed(text, FENCES) == []
        for chunks in (*list(random_splits(text))[:3], text):
            assert ran(list(FENCES.scan([*chunks, End("stop")]))) == []


@pytest.mark.parametrize("guard", [DOCS, FENCES])
def test_marks_that_are_quoted_and_tags_of_html_refuse_nothing(guard: Guard) -> None:
    for before in (
        "Use `<parameter=body>` and `</parameter>`.",
        "```xml\n<parameter=body>\n</parameter>\n```",
        "<think>\n<parameter=body>\n</think>",
        "<p>\n<summary>A</summary>\n<params>\n</div>\n<function>",
    ):
        assert executed(f"{before}\n\n{INNER[1]}\n", guard) == [("delete_doc", {"path": "/"})]


@pytest.mark.parametrize("guard", [DOCS, FENCES])
@pytest.mark.parametrize("indent", ["    ", "\t", "        "])
@pytest.mark.promise("P1", "P8")
def test_marks_in_indented_code_count(guard: Guard, indent: str) -> None:
    """Models indent markup and not the text in it: what stands behind such a mark may be a value."""
    for before in ("", "So:\n", "So:\n\n", "So:\n\n    x\n"):
        for mark in ("<parameter=body>", "<tool_call>x", "</arg_value>", "<<<<<<< SEARCH", "<|tool_call:start|>x"):
            text = f"{before}{indent}{mark}\n{INNER[1]}\n"
            assert executed(text, guard) == [] == ran(list(guard.scan([*by_char(text), End("stop")]))), text


def test_the_next_reply_of_a_guard_runs() -> None:
    assert executed(f"<parameter=body>\n{INNER[1]}\n", FENCES) == []
    assert executed(f"{INNER[1]}\n", FENCES) == [("delete_doc", {"path": "/"})]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<function name="append_doc"><param name="path">a</param><param name="body">{}</param></function>', "param"),
        (f'<function_calls>\n<invoke name="append_doc">\n{INVOKED}', "parameter"),
        (f"<tool_call>\n<function=append_doc>\n{FUNCTION}", "parameter"),
        (f"<tool_call>append_doc\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n{KEYED}", "arg_value"),
        ("<append_doc>\n<path>a</path>\n<body>\n{}\n</body>\n</append_doc>", "body"),
    ],
)  # fmt: skip
@pytest.mark.promise("P8")
def test_a_closer_that_was_spoiled_is_no_text(text: str, name: str) -> None:
    half = f"</{name[:5]}"
    for spoiled in (
        f"</{name}- y", f"</{name} y", f"</{name}\n", f"</{name.upper()}>", f"&lt;/{name}&gt;", f"&lt;/{name}>", f"</ {name}>",
        f"<\\/{name}>", f"< /{name}>", f"&#60;/{name}&#62;", f"/{name}>",
    ):  # fmt: skip
        assert executed(text.format(f"x{spoiled}\ny")) == [], spoiled
    if len(name) > 5:
        for spoiled in (f"{half}- y", f"{half}Sorry y", f"{half}\n", f"</{name}s>", f"</{name}Sorry", f"{half}>"):
            assert executed(text.format(f"x{spoiled}\ny")) == [], spoiled
    for whole in ("x </p> <pre></pre> </div>", "a </ b", "<b>/", "parameter arg_value", "&lt;p&gt; &amp;"):
        assert executed(text.format(whole)) == [("append_doc", {"path": "a", "body": whole})]


ANYTHING: Final = Toolset(
    Tool(
        "put",
        "",
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "list": {"type": "array"}, "none": {}, "text": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
        risk=Risk.WRITE,
    )
)
MEANT: Final = {"path": "a", "list": [1, {"x": True}], "none": None, "text": "b } ] c,"}
IN_JSON: Final = [
    name for name, dialect in DIALECTS.items() if not dialect.tools and '"text": "' in dialect.write([("put", MEANT)])
]
LOOSE: Final[dict[str, Callable[[str], str]]] = {
    "a comma in an object": lambda text: text.replace("true}", "true,}"),
    "a comma in a list": lambda text: text.replace("true}]", "true} , ]"),
    "two commas": lambda text: text.replace("true}]", "true,},]"),
    "words of Python": lambda text: text.replace("true", "True").replace("null", "None"),
}
"""Faults that leave no doubt where a string ends."""

TORN: Final[dict[str, Callable[[str], str]]] = {
    "a quote": lambda text: text.replace('"b }', '"b "x", } ]}'),
    "a quote and a comma": lambda text: text.replace('"b }', '"b "x": 1,}]} y'),
    "a missing comma": lambda text: text.replace('"a", ', '"a" '),
}


@pytest.mark.some(20)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fault", LOOSE)
@pytest.mark.parametrize("name", IN_JSON)
def test_what_leaves_no_doubt_about_strings_is_fixed_in_every_dialect(name: str, fault: str) -> None:
    """Also where it has no closer. The reply has ended; where it was cut off, nothing runs."""
    text = LOOSE[fault](DIALECTS[name].write([("put", MEANT)]))
    guard = Guard(ANYTHING, dialects=[name])
    for pieces in ([text], by_char(text)):
        for end in ([End("stop")], [End("length")]):
            blocks = [item for item in guard.scan([*pieces, *end]) if isinstance(item, ToolBlock)]
            assert [block.executable for block in blocks] == [end == [End("stop")]], pieces
            assert not blocks[0].executable or (blocks[0].arguments == {"tool": "put", **MEANT}), blocks[0].arguments


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fault", TORN)
@pytest.mark.parametrize("name", [name for name in IN_JSON if not DIALECTS[name].closers and name != "deepseek_v3"])
def test_what_may_stand_in_a_string_never_runs_where_nothing_closes_the_call(name: str, fault: str) -> None:
    """And where the model has ended its reply, it is not told that the reply was cut off."""
    text = TORN[fault](DIALECTS[name].write([("put", MEANT)]))
    for tail in ("", "\n", " and }", "\nMore.\n"):
        for pieces in ([text + tail], by_char(text + tail)):
            blocks = [
                item for item in Guard(ANYTHING, dialects=[name]).scan([*pieces, End("stop")]) if isinstance(item, ToolBlock)
            ]
            assert not any(block.executable for block in blocks), pieces
            assert not any(issue.code == "truncated" for block in blocks for issue in block.issues)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "number", ['"id": "0"', '"tool_call_id": "12"', '"call_id": "x:0"', '"index": 0', '"id": "a b"', '"id": ["x"]']
)
def test_an_id_beside_the_arguments_hinders_no_fix_in_a_dialect(number: str) -> None:
    """As it hinders no valid call; what is no id does."""
    for call in (
        f'{{{number}, "name": "put", "arguments": {{"path": "a",}}}}',
        f'{{"name": "put", "arguments": {{"path": "a",}}, {number}}}',
    ):
        for text in (f"<tool_call>{call}</tool_call>", f"<tool_calls>[{call}]</tool_calls>"):
            blocks = [item for item in Guard(ANYTHING, dialects="all").scan([text, End("stop")]) if isinstance(item, ToolBlock)]
            assert [block.executable for block in blocks] == [" b" not in number and "[" not in number], text


IDS: Final = ('"call_1"', '"0"', "1", '"Xg9fcTb3K"', '"chatcmpl-tool-3f2a"', '"functions.put:0"', '"toolu_01A09q"')
WITH_AN_ID: Final = (
    '{"id": %s, "name": "put", "arguments": "{\\"path\\": \\"a\\"}"}',
    '{"name": "put", "arguments": "{\\"path\\": \\"a\\",}", "id": %s}',
    '{"type": "function", "id": %s, "function": {"name": "put", "arguments": "{\\"path\\": \\"a\\"}"}}',
    '{"tool_call_id": %s, "tool_name": "put", "parameters": "{\\"path\\": \\"a\\"}"}',
    "{'id': %s, 'name': 'put', 'arguments': {'path': 'a'}}",
    "{'name': 'put', 'arguments': {'path': 'a',}, 'id': %s}",
    "{name: 'put', arguments: {path: 'a'}, id: %s}",
)
NOT_APART: Final = (
    '{"name": "put", "arguments": "{"path": "a"}", "id": %s}',
    '{"name": "put", "arguments": {"path": "a", "id": %s}',
    "{'name': 'put', 'arguments': {'path': 'a', 'id': %s}",
    "{'name': 'put', 'arguments': {'path': 'it's'}, 'id': %s}",
    '{"name": "put", "arguments": "path: a", "id": %s}',
    '{"name": "put", "arguments": "[1]", "id": %s}',
    '{"name": "other", "arguments": "{\\"path\\": \\"a\\"}", "id": %s}',
    '{"type": "function", "id": %s, "name": "put", "parameters": "{\\"type\\": \\"object\\", \\"properties\\": {}}"}',
    '{"name": "put", "arguments": "{\\"path\\": \\"a\\"}", "parameters": {"path": "b"}, "id": %s}',
)


def with_id(call: str, ident: str) -> str:
    """Return a call with an id, in the quotes that the call has."""
    return call % (ident.replace('"', "'") if "'" in call else ident)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("ident", IDS)
def test_an_id_beside_a_name_and_arguments_is_of_the_envelope_whatever_it_says(ident: str) -> None:
    """Where the arguments are encoded, and where other quotes are around them, in a list and alone."""
    for around in ("%s", "<tool_call>\n%s\n</tool_call>", "[TOOL_CALLS] [%s]", "<tool_calls>[%s]</tool_calls>"):
        for call in WITH_AN_ID:
            text = around % with_id(call, ident)
            blocks = [item for item in Guard(ANYTHING, dialects="all").scan([text, End("stop")]) if isinstance(item, ToolBlock)]
            if "'" in call and "</" not in around:
                assert not any(block.executable for block in blocks), text  # no closer shows where such a call ends
                continue
            assert [block.outcome for block in blocks] == ["fixed"], text
            assert blocks[0].arguments == {"tool": "put", "path": "a"}


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("ident", [one for one in IDS if not one.startswith(('"call_', '"toolu_'))])
def test_an_id_that_may_belong_to_the_arguments_is_not_removed(ident: str) -> None:
    """Nor where what it stands beside is no call, defines a tool or has two readings; nor from a tool that has an id."""
    schema = {"type": "object", "properties": {"id": {}, "path": {"type": "string"}}}
    told = Toolset(Tool("put", "", schema, risk=Risk.WRITE))
    for tools, calls in ((ANYTHING, NOT_APART), (told, (*NOT_APART, *WITH_AN_ID[:3], *WITH_AN_ID[4:]))):
        for call in calls:
            text = f"<tool_call>\n{with_id(call, ident)}\n</tool_call>"
            items = Guard(tools, dialects="all").scan([text, End("stop")])
            assert not any(item.executable for item in items if isinstance(item, ToolBlock)), text


def _taking(**schema: object) -> Toolset:
    return Toolset(Tool("ping", "", {"type": "object", **schema}, risk=Risk.WRITE))


FORMS_OF_NOTHING: Final = (
    '<tool_call>{"name": "ping", "HELD": %s}</tool_call>',
    '<tool_call>{"HELD": %s, "name": "ping", "id": "0"}</tool_call>',
    '[TOOL_CALLS] [{"name": "ping", "HELD": %s}]',
    '{"name": "ping", "HELD": %s}',
    '```json\n{"tool": "ping", "HELD": %s}\n```',
)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("held", ["arguments", "parameters", "args"])
@pytest.mark.parametrize("form", FORMS_OF_NOTHING)
def test_nothing_in_place_of_arguments_is_none_where_the_tool_takes_none(form: str, held: str) -> None:
    """Null, or an empty text or list: there is one call of such a tool. Of any other, something may be lost."""
    told = {"properties": {"all": {"type": "boolean"}}, "additionalProperties": False}
    closed = _taking(additionalProperties=False)
    others = (_taking(), _taking(**told), _taking(**told, required=["all"]))
    for given in ("null", '""', "[]"):
        text = form.replace("HELD", held) % given
        (block,) = (item for item in Guard(closed, dialects="all").scan([text, End("stop")]) if isinstance(item, ToolBlock))
        assert (block.outcome, block.arguments) == ("fixed", {"tool": "ping"}), text
        assert "envelope" in {fix.rule for fix in block.fixes}
        for tools in others:
            items = Guard(tools, dialects="all").scan([text, End("stop")])
            assert not any(item.executable for item in items if isinstance(item, ToolBlock)), text
    for given in ("0", "false", '"null"', '" "', '"x"', "[null]", '[""]', '{"a": null}', 'null, "input": {}', 'null, "all": 1'):
        text = form.replace("HELD", held) % given
        items = Guard(closed, dialects="all").scan([text, End("stop")])
        assert not any(item.executable for item in items if isinstance(item, ToolBlock)), text


@pytest.mark.some(5)
@pytest.mark.promise("P8")
@pytest.mark.parametrize("held", ["arguments", "parameters", "args", "input"])
@pytest.mark.parametrize("named", ["name", "tool_name", "function"])
def test_every_form_of_a_call_that_is_valid_in_json_is_fixed(named: str, held: str) -> None:
    """Also where its `type` is `function`, as Llama 3 writes it, and in a `function` with or without an id beside it."""
    call = f'{{"{named}": "put", "{held}": {{"path": "a"}}}}'
    for form in (
        call,
        f'{{"type": "function", {call[1:]}',
        f'{call[:-1]}, "type": "function"}}',
        f'{{"function": {call}}}',
        f'{{"type": "function", "function": {call}}}',
        f'{{"id": "c1", "type": "function", "function": {call}}}',
    ):
        for name, around in (
            ("llama3_json", "%s"),
            ("hermes", "<tool_call>%s</tool_call>"),
            ("json_array", "[%s]"),
            ("mistral", "[TOOL_CALLS][%s]"),
        ):
            for text in (form, form.replace('"a"', '"a",'), form.replace('"a"', '"a", "none": None'), f"{form[:-1]},}}"):
                items = Guard(ANYTHING, dialects=[name]).scan([around % text, End("stop")])
                (block,) = (item for item in items if isinstance(item, ToolBlock))
                assert block.executable and block.outcome == ("valid" if text == form else "fixed"), text
                assert block.arguments == {"tool": "put", "path": "a", **({"none": None} if "None" in text else {})}


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "held",
    [
        '{"type": "object", "properties": {"path": {"type": "string"}},}',
        '{"properties": {"path": {"type": "string"}},}',
        '{"path": {"type": "string"},}',
        '{"path": "string",}',
        '{"path": "a",}, "description": "Puts."',
        '{"path": "a",}, "strict": true',
    ],
)
def test_what_defines_a_tool_is_never_fixed_to_a_call(held: str) -> None:
    flat = f'{{"type": "function", "name": "put", "parameters": {held}}}'
    nested = f'{{"type": "function", "function": {{"name": "put", "parameters": {held}}}}}'
    for text in (flat, nested):
        for around in ("%s", "<tool_call>%s</tool_call>", "[%s]", "[TOOL_CALLS][%s]", "```json\n%s\n```"):
            items = Guard(ANYTHING, dialects="all").scan([around % text, End("stop")])
            assert not any(item.executable for item in items if isinstance(item, ToolBlock)), around % text


@pytest.mark.promise("P8")
def test_an_id_that_may_be_an_argument_stays_one() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}, "path": {"type": "string"}}}
    tools = Toolset(Tool("put", "", schema, risk=Risk.WRITE))
    for call in (
        '{"name": "put", "arguments": {"path": "a",}, "id": "7"}',
        '{"name": "put", "arguments": {"path": "a"}}, "id": "7"}',
    ):
        items = Guard(tools, dialects="all").scan([f"<tool_call>{call}</tool_call>", End("stop")])
        assert not any(item.executable for item in items if isinstance(item, ToolBlock)), call


@pytest.mark.promise("P8")
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", IN_JSON)
def test_the_name_may_stand_behind_arguments_that_hold_lists(name: str, several: bool) -> None:
    """As where keys are sorted: whatever the items of the lists are called, the call is that one."""
    items = [{"name": "a", "path": "b"}, {"tool": "c", "arguments": {"name": "d"}}, [{"x": 1}]]
    calls = [("put", {**MEANT, "list": items})] * (2 if several else 1)
    text = DIALECTS[name].write(calls)
    swapped = re.sub(r'("(?:tool_)?name": "put"), ("(?:arguments|parameters|args)": \{.*?"b \} \] c,"\})', r"\2, \1", text)
    guard = Guard(ANYTHING, dialects=[name])
    for pieces in ([swapped], by_char(swapped)):
        blocks = [item for item in guard.scan([*pieces, End("stop")]) if isinstance(item, ToolBlock)]
        assert [block.arguments for block in blocks if block.executable] == [
            {"tool": "put", **arguments} for _, arguments in calls
        ], swapped


WORDS: Final = Toolset(
    Tool("bash", "", {"type": "object", "properties": {"command": {"type": "string"}}, "additionalProperties": False}),
    Tool("ping", "", {"type": "object", "properties": {}, "additionalProperties": False}),
)
SHOWN: Final = [name for name in IN_JSON if DIALECTS[name].sure]
"""The dialects in JSON whose opener shows a call."""

UNQUOTED: Final[dict[str, Callable[[str], str]]] = {
    "quotes of Python": lambda text: text.replace('"', "'"),
    "no quotes around keys": lambda text: re.sub(r'"(\w+)":', r"\1:", text),
    "the name last": lambda text: re.sub(
        r'("(?:tool_)?name": "\w+"), ("(?:arguments|parameters|args)": \{.*?\})', r"\2, \1", text
    ).replace('"', "'"),
}
"""What makes JSON broken from its first key on."""


@pytest.mark.some(20)
@pytest.mark.promise("P1", "P7")
@pytest.mark.parametrize("fault", UNQUOTED)
@pytest.mark.parametrize("name", SHOWN)
def test_json_in_other_quotes_behind_an_opener_that_shows_a_call_is_one(name: str, fault: str) -> None:
    """Whatever its tool is called, and with no arguments: it is fixed, or fails with a hint. A whole call before it runs."""
    guard, sound = Guard(WORDS, dialects=[name]), DIALECTS[name].write([("bash", {"command": "ls"})])
    for call in (("bash", {"command": "ls"}), ("ping", {})):
        text = UNQUOTED[fault](DIALECTS[name].write([call]))
        for pieces in ([text], by_char(text), *random_splits(text, SEED, 3)):
            items = list(guard.scan([*pieces, End("stop")]))
            (block,) = (item for item in items if isinstance(item, ToolBlock))
            assert block.executable or block.hint is not None, pieces
            assert not block.executable or block.arguments == {"tool": call[0], **call[1]}, pieces
            assert original(items) == text
            both = f"{sound}\n{''.join(pieces)}"
            blocks = [item for item in guard.scan([both, End("stop")]) if isinstance(item, ToolBlock)]
            assert [bool(found.executable) for found in blocks] == [True, block.executable], both


@pytest.mark.parametrize("name", SHOWN)
def test_an_opener_with_something_else_behind_it_shows_none(name: str) -> None:
    """The text of a prompt, and data."""
    call, guard = DIALECTS[name].write([("bash", {"command": "ls"})]), Guard(WORDS, dialects=[name])
    for other in ('{"name": <function-name>, "arguments": <args>}', "{'a': 1}", '{"a": 1}', "{x | x > 0}"):
        text = re.sub(r'\{"(?:tool_)?name": .*\}\}', other, call, flags=re.DOTALL)
        if text != call:
            assert not any(isinstance(item, ToolBlock) for item in guard.scan([text, End("stop")])), text


OWN_FORMS: Final = {
    "llama3_json": ('<|python_tag|>{"name": "ping", "parameters": {}}%s', '<|python_tag|>{"a": 1}%s'),
    "lfm2": ('<|tool_call_start|>{"name": "ping", "arguments": {}}<|tool_call_end|>%s', "<|tool_call_start|> opens%s"),
    "lfm2, code": ("<|tool_call_start|>ping()<|tool_call_end|>%s", "<|tool_call_start|>ping (is a tool)%s"),
    "k2_horizon": (
        '<ifm|tool_calls>\n<ifm|tool_call>\n{"name": "ping", "arguments": {}}\n</ifm|tool_call>\n</ifm|tool_calls>%s',
        "<ifm|tool_calls> opens%s",
    ),
}
"""Other forms of dialects, each with something that is no call behind the same opener."""


@pytest.mark.promise("P1", "P7")
@pytest.mark.parametrize("form", OWN_FORMS)
@pytest.mark.parametrize("behind", ["", "\n", " Done.", "\nDone."])
def test_another_form_behind_a_marker_is_a_call_with_text_behind_it(form: str, behind: str) -> None:
    guard = Guard(WORDS, dialects=[form.partition(",")[0]])
    call, none = (text % behind for text in OWN_FORMS[form])
    for text, expected in ((call, [{"tool": "ping"}]), (none, [])):
        for pieces in ([text], by_char(text), *random_splits(text, SEED, 3)):
            found = list(guard.scan([*pieces, End("stop")]))
            assert [item.arguments for item in found if isinstance(item, ToolBlock)] == expected, pieces
            assert original(found) == text
    cut = call.removesuffix(behind)
    for at in range(len(cut)):
        assert executed(cut[:at], guard) == [], cut[:at]


def test_an_object_in_each_tag_of_k2_horizon_has_all_of_its_tags() -> None:
    guard, call = Guard(WORDS, dialects=["k2_horizon"]), '{"name": "ping", "arguments": {}}'
    one = f"<ifm|tool_call>{call}</ifm|tool_call>"
    assert len(executed(f"<ifm|tool_calls>{one}\n{one}</ifm|tool_calls>", guard)) == 2
    for inside in (one + call, call + one, one[:-16], one[:-16] + call, one + one[15:], one.replace("ifm|", "")):
        assert executed(f"<ifm|tool_calls>{inside}</ifm|tool_calls>", guard) == [], inside
        assert executed(f"<ifm|tool_calls>{inside}", guard) == [], inside


IN_CODE: Final = {"lfm2": ("[", "]"), "llama4_pythonic": ("[", "]"), "olmo3": ("", "")}
"""The dialects that write code up to a closer, with the brackets around it."""

BROKEN_CODE: Final = (
    "append_doc('a.md', {q}{}{q})",
    "append_doc(path='a.md', {q}{}{q})",
    "append_doc({{'path': 'a.md', 'body': {q}{}{q}}})",
    "append_doc(path: 'a.md', body: {q}{}{q})",
    "append_doc(**{{'path': 'a.md', 'body': {q}{}{q}}})",
    "append_doc(path='a.md', body='it's {}')",
    "append_doc(path='a.md', body='see {} or {}",
    "delete_doc(path='a'), print({q}{}{q})",
    "delete_doc(path='a'), await append_doc({q}{}{q})",
    "print({q}{}{q})",
    "print({}",
    "append_doc(path='a.md', body={q}{}{q}]",
)  # fmt: skip
"""Code that is none of Python, or has arguments without a name; the quoted text stands in quotes, or has lost one."""


@pytest.mark.some
@pytest.mark.promise("P1", "P8")
@pytest.mark.parametrize("body", BROKEN_CODE)
@pytest.mark.parametrize("name", IN_CODE)
def test_no_call_runs_that_is_quoted_in_code_that_breaks(cases: Cases, name: str, body: str) -> None:
    """Whatever dialect it is written in, once or twice, and whether the closers follow; nor any behind it."""
    opener = DIALECTS[name].openers[0].text + IN_CODE[name][0]
    closer = IN_CODE[name][1] + DIALECTS[name].closers[0]
    quoted = ("delete_doc", {"path": "/"})
    inner = {dialect.write([quoted]) for dialect in ANY_TOOL.values()} | {f"\n{INNER[1]}\n"}
    rng = Random(SEED)
    guards = (DOCS, Guard(DOCS.tools, dialects=["fence", name]))
    tails = (closer, "", closer.replace(DIALECTS[name].closers[0], ""))
    cells = product(sorted(inner), ("'", '"', "'''"), (1, 2), tails, guards)
    for text, quote, times, tail, guard in some(cells, 60, kind=lambda cell: cell[0]):
        cases(1)
        reply = f"{opener}{body.replace('{q}', quote).format(*[text * times] * 2)}{tail}\n{INNER[1]}\n"
        found = list(guard.scan([reply, End("stop")]))
        assert not [call for call in ran(found) if call[1]["path"] == "/"], reply
        assert original(found) == reply
        for pieces in (by_char(reply), *random_splits(reply, SEED, 2)) if rng.random() < 0.02 else ():
            assert original(again := list(guard.scan([*pieces, End("stop")]))) == reply
            assert ran(again) == ran(found)


ONE_WRONG: Final = int(os.environ.get("ONE_WRONG", "20"))
"""The calls with one sign wrong that are drawn for each dialect; more under `make more`."""

SIGNS: Final = "}{)]([>< x\"'|/=:,\n_`."
QUOTING: Final = ("Say %s now.", "Use it so:\n%s\nend.", f"{'long ' * 60}%s")


def one_wrong(written: str, begin: int, end: int, rng: Random) -> str:
    """Return a call with one sign left out, there twice, swapped, put in or in place of another: none between two places."""
    at = rng.choice([at for at in range(len(written)) if not begin <= at < end])
    before, sign, behind, other = written[:at], written[at], written[at + 1 :], rng.choice(SIGNS)
    forms = [before + behind, before + sign + sign + behind, before + other + sign + behind, before + other + behind]
    if at + 1 != begin:
        forms.append(before + behind[:1] + sign + behind[1:])
    return rng.choice(forms)


@each
@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_no_call_runs_that_is_quoted_in_a_call_with_one_sign_wrong(cases: Cases, dialect: Dialect) -> None:
    """Wherever that sign stands, and in whatever dialects the two are written: what is no call any more may still be one."""
    rng = Random(f"{SEED}{dialect.name}")
    inner = [other.write([("delete_doc", {"path": "/"})]) for other in ANY_TOOL.values()]
    empty = dialect.write([("append_doc", {"path": "a", "body": "HOLE"})])
    begin = empty.index("HOLE")
    for _ in range(ONE_WRONG):
        try:
            written = dialect.write([("append_doc", {"path": "a", "body": rng.choice(QUOTING) % rng.choice(inner)})])
        except ValueError:  # of a dialect that cannot hold its own marks
            continue
        reply = one_wrong(written, begin, len(written) - (len(empty) - begin - len("HOLE")), rng)
        assert ("delete_doc", {"path": "/"}) not in executed(reply), reply
    cases(ONE_WRONG)


@pytest.mark.some(40)
@each
@pytest.mark.promise("P1", "P8")
@pytest.mark.parametrize("bracket", [">", "\u2039", "\n<"])
def test_no_call_runs_that_is_quoted_behind_an_opener_with_another_bracket(dialect: Dialect, bracket: str) -> None:
    """Where no dialect is read, too. A quote of Markdown has a blank behind its mark."""
    written = dialect.write([("append_doc", {"path": "a", "body": f"So:\n\n{INNER[1]}\nend."})])
    opened = re.sub(r"\A<(?=[^\n>]*\w)", bracket, written)
    if bracket == "\n<":
        opened = re.sub(r"\A<([\w:]+)>", r"<\1\n>", written)
    for guard in (DOCS, FENCES):
        for pieces in ([opened], by_char(opened), *random_splits(opened, SEED, 2)):
            assert ("delete_doc", {"path": "/"}) not in ran(list(guard.scan([*pieces, End("stop")]))), pieces
