"""A call that is quoted in a text of another call never runs, in whatever form both are written, and wherever the text is cut.

Rule: the call that quotes may run with the whole document as its text, or not at all. What is quoted may not run.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from random import Random
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.turns import RESULTS
from stream_guard.scan.reasoning import PAIRS
from stream_guard.scan.strays import STRAYS
from stream_guard.scan.unfenced import OPENERS
from stream_guard.testing import by_char, merge_text
from tests.kit.breadth import some, splits
from tests.kit.ran import ran

COUNT: Final = int(os.environ.get("QUOTED", "1"))
"""The replies that are drawn for each form in each setting; more under `make more`."""

S: Final = {"type": "string"}


def tool(name: str, *fields: str, risk: Risk = Risk.WRITE) -> Tool:
    """Return a tool that takes other fields too: the first of its texts is required."""
    schema = {"type": "object", "properties": dict.fromkeys(fields, S), "required": [fields[0]]}
    return Tool(name, "", schema, risk=risk)


TOOLS: Final = Toolset(
    tool("push_config", "config", "device", "comment"),
    tool("wipe_device", "device", "keep_config", risk=Risk.DESTRUCTIVE),
    tool("write_file", "content", "path"),
    tool("edit_file", "path", "search", "replace"),
)
INNER: Final = '{"tool": "wipe_device", "device": "core1"}'
DOCUMENTS: Final = (
    "# D\n\n```json\n%s\n```\n\nend",
    "a\n```\nb\n```json\n%s\n```\nc",
    "# D\n\n```\nmake\n```\n\n```json\n%s\n```\n",
    "```\na\n```\n\n```\nb\n```\n\n```json\n%s\n```\n",
    "```sh\na\n```\n\n```\nb\n```\n\n```json\n%s\n```\nx",
    "end\n```\n\nNow:\n\n```json\n%s\n```\n",
    "~~~json\n%s\n~~~",
    "text\n```\n%s\n```\n",
    "- item\n  ```json\n  %s\n  ```\n",
    "</think>\n```json\n%s\n```\n",
    "x }\n\n```json\n%s\n```\n",
)
OTHERS: Final = tuple(
    DIALECTS[name].write([("wipe_device", {"device": "core1"})])
    for name in ("hermes", "mistral", "qwen3_coder", "pythonic", "llama3_json", "olmo3")
)
"""Calls in dialects, which a document holds without a fence."""

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "fences": {},
    "nothing is mended": {"fixes": "off"},
    "lossless": {"fixes": "lossless"},
    "any fence": {"languages": ("json", "")},
    "announced early": {"early": "announce"},
    "inside": {"reasoning": "inside"},
    "all dialects": {"dialects": "all"},
    "some dialects": {"dialects": ("fence", "hermes", "mistral")},
}
GUARDS: Final = {name: Guard(TOOLS, **settings) for name, settings in SETTINGS.items()}
TAILS: Final = ("", "\n", "\nDone.\n", "\n\n```json\n" + '{"tool": "push_config", "config": "y"}' + "\n```\n")


def fence(arguments: dict[str, Any]) -> str:
    return "```json\n" + json.dumps({"tool": "push_config", **arguments}) + "\n```"


def misspelt(arguments: dict[str, Any]) -> str:
    return "```json\n" + json.dumps({"tol": "push_config", **arguments}) + "\n```"


def bare(arguments: dict[str, Any]) -> str:
    return json.dumps({"tool": "push_config", **arguments})


def of_dialect(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda arguments: DIALECTS[name].write([("push_config", arguments)])


def in_fence(word: str) -> Callable[[dict[str, Any]], str]:
    return lambda arguments: f"```{word}\n{bare(arguments)}\n```"


def code(arguments: dict[str, Any]) -> str:
    return f"push_config({', '.join(f'{key}={json.dumps(value)}' for key, value in arguments.items())})"


def lines(arguments: dict[str, Any]) -> str:
    """Return a call in YAML, whose texts are blocks of lines."""
    fields = (f"{key}: |\n" + "\n".join(f"  {line}" for line in value.split("\n")) for key, value in arguments.items())
    return "tool: push_config\n" + "\n".join(fields)


def tables(arguments: dict[str, Any]) -> str:
    """Return a call in TOML, whose texts stand in three quotes."""
    return 'tool = "push_config"\n' + "\n".join(f'{key} = """\n{value}"""' for key, value in arguments.items())


def tags(arguments: dict[str, Any]) -> str:
    return "<push_config>\n" + "\n".join(f"<{key}>{value}</{key}>" for key, value in arguments.items()) + "\n</push_config>"


def named_tags(arguments: dict[str, Any]) -> str:
    fields = "\n".join(f'<parameter name="{key}">{value}</parameter>' for key, value in arguments.items())
    return f'<function_calls>\n<invoke name="push_config">\n{fields}\n</invoke>\n</function_calls>'


def steps(arguments: dict[str, Any]) -> str:
    """Return a call as agents of the form ReAct write it."""
    return f"Action: push_config\nAction Input: {json.dumps(arguments)}"


def fenced_as(word: str, form: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
    return lambda arguments: f"```{word}\n{form(arguments)}\n```"


def behind_open_fence(arguments: dict[str, Any]) -> str:
    """Return a call whose fence is not closed, with another behind it."""
    return '```json\n{"tool": "push_config", "config": "y"}\n\n' + named_tags(arguments)


def with_brackets(arguments: dict[str, Any]) -> str:
    """Return a call with a text of which the quotes are not escaped, and which has a bracket more than it opens."""
    return bare({"comment": "x", **arguments}).replace('"x"', '"["x"]"', 1)


def without_brace(arguments: dict[str, Any]) -> str:
    return bare(arguments)[1:]


def quoted_by(fence: str) -> Callable[[dict[str, Any]], str]:
    """Return what writes a document into a longer fence, or one of another character. A mark in it may still end reasoning."""
    return lambda arguments: f"An example:\n\n{fence}\n{arguments['config'].replace('</think>', '')}\n{fence}"


UNHELD: Final = {
    **{f"a fence of {word or 'nothing'}": in_fence(word) for word in ("js", "jsonc", "json5", "python", "tool_call", "")},
    **{
        f"{form.__name__} in {word or 'a bare fence'}": fenced_as(word, form)
        for form in (code, lines, tables, tags, steps)
        for word in ("json", "yaml", "toml", "xml", "python", "")
    },
    **{form.__name__: form for form in (code, steps, behind_open_fence, with_brackets, without_brace)},
    **{f"a fence of {fence}": quoted_by(fence) for fence in ("````", "~~~~", "`````")},
}
"""Calls that nothing holds back, or that are not known to be calls, in every notation."""

WRITERS: Final = {
    **UNHELD,
    "a fence": fence,
    "a fence of a call that nobody knows": misspelt,
    "no fence": bare,
    **{name: of_dialect(name) for name, dialect in DIALECTS.items() if not dialect.tools},
}


def raw_breaks(text: str) -> str:
    """Return a call whose line breaks in texts are written raw; its other escapes stay."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[0], text)


def cases(writer: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    """Yield replies that quote a call: each document, with the quotes of its call as they are."""
    documents = (*(document % INNER for document in DOCUMENTS), *(f"x\n{other}\ny" for other in OTHERS))
    for document in documents:
        for arguments in ({"device": "fw-2", "config": document}, {"config": document, "comment": "fine"}):
            try:
                written = writer(arguments)
            except ValueError:  # a value that this form cannot hold
                continue
            for text in (written, raw_breaks(written), raw_breaks(written).replace('\\"', '"')):
                yield f"I write it.\n\n{text}"


def scan(guard: Guard, text: str, cut: int, *, stop: bool) -> Sequence[Any]:
    deltas = [text[at : at + cut] for at in range(0, len(text), cut)] if cut else [text]
    return [*guard.scan([*deltas, *([End("stop")] if stop else [])])]


@pytest.mark.some(340)
@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_quoted_call_does_not_run(writer: str, setting: str) -> None:
    rng = Random(f"{writer} {setting}")
    replies = [f"{text}{tail}" for text in cases(WRITERS[writer]) for tail in TAILS]
    for text in rng.sample(replies, min(len(replies), COUNT)):
        cut, stop = rng.choice((0, 0, 1, 3, 7)), rng.random() < 0.5
        items = scan(GUARDS[setting], text, cut, stop=stop)
        assert "wipe_device" not in ran(items), (text, cut, stop)
        passed = (item if isinstance(item, str) else item.raw for item in items if isinstance(item, str | ToolBlock))
        assert "".join(passed) == text, (text, cut, stop)


NO_CALLS: Final = (
    '{"a": 1,' + ' "b": 2,' * 60 + "\n",
    "{a: 1, " + "b: 2, " * 60 + "\n",
    "The set {x | x" + " and y" * 50 + "\n",
    "{a\n" + "it goes on, line by line,\n" * 15,
    "{\n",
)
"""What looks like a call, has no end, and names no tool."""


@pytest.mark.some(176)
@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("writer", UNHELD)
def test_a_quoted_call_does_not_run_behind_what_is_no_call(writer: str, setting: str) -> None:
    rng = Random(f"behind {writer} {setting}")
    replies = [text.removeprefix("I write it.\n\n") + tail for text in cases(WRITERS[writer]) for tail in TAILS]
    for text in rng.sample(replies, min(len(replies), COUNT)):
        reply, cut, stop = f"{rng.choice(NO_CALLS)}{text}", rng.choice((0, 0, 1, 3, 7)), rng.random() < 0.5
        assert "wipe_device" not in ran(scan(GUARDS[setting], reply, cut, stop=stop)), reply


Fault = Callable[[str, Random], str]


def _colon(body: str, rng: Random) -> str:
    at = rng.choice([found.start() for found in re.finditer(r'(?<!\\)": ', body)])
    return f"{body[: at + 1]}{rng.choice(('::', ': :', ' ='))}{body[at + 2 :]}"


FAULTS: Final[dict[str, Fault]] = {
    "two colons": _colon,
    "a full stop": lambda body, rng: body + rng.choice((".", ".\n", ";", ";;", ",")),
    "a bracket too many": lambda body, rng: body + rng.choice(("}", "]", "}}", "}]", ")", "};")),
    "raw tabs": lambda body, _: body.replace("fine", "fi\tne").replace("fw-2", "fw\t2"),
    "the first brace twice": lambda body, _: "{" + body,
    "escaped": lambda body, _: json.dumps(body)[1:-1],
    "its quotes escaped": lambda body, _: body.replace('"', '\\"'),
    "angles": lambda body, _: re.sub(r'"((?:\\.|[^"\\])*)"', r"«\1»", body),
    "angles everywhere": lambda body, _: re.sub(r'(?<![\\\w])"', "«", body).replace('"', "»"),
    "a function": lambda body, rng: f"{rng.choice(('', 'await '))}push_config({body}{rng.choice((')', ');', ''))}",
    "a list": lambda body, rng: (
        f"{rng.choice(('json = ', 'call: ', 'Here it is:'))}[\n{body}{rng.choice((chr(10) + ']', ']', ''))}"
    ),
    "nothing": lambda body, _: body,
}
"""Faults of a block that a careful reader is sure of, and two that look like one of them."""


def faulty(fault: Fault, rng: Random) -> str:
    """Return a reply with a call that quotes another one and has this fault, and perhaps a block with the fault before it."""
    document = rng.choice((*(document % INNER for document in DOCUMENTS), *(f"x\n{other}\ny" for other in OTHERS)))
    arguments = rng.choice(({"device": "fw-2", "config": document}, {"config": document, "comment": "fine"}))
    body = json.dumps({"tool": "push_config", **arguments}, indent=rng.choice((None, 2)))
    raw = rng.choice((str, raw_breaks, lambda text: re.sub(r'(?<!\\)\\"', '"', raw_breaks(text))))
    spoilt = fault(raw(body), rng) if rng.random() < 0.5 else raw(fault(body, rng))
    before = fault(json.dumps({"tool": "push_config", "config": rng.choice(("x", 'say "hi', "{"))}), rng)
    text = f"```json\n{before}\n```\n\n" if rng.random() < 0.4 else ""
    return f"{text}I write it.\n\n```json\n{spoilt}{rng.choice((chr(10) + '```', ''))}{rng.choice(TAILS)}"


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if setting != "inside"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_call_that_a_block_with_a_fault_quotes_does_not_run(fault: str, setting: str) -> None:
    rng = Random(f"{fault} {setting}")
    for _ in range(2 * COUNT):
        text = faulty(FAULTS[fault], rng)
        cut, stop = rng.choice((0, 0, 1, 3, 7)), rng.random() < 0.5
        assert "wipe_device" not in ran(scan(GUARDS[setting], text, cut, stop=stop)), text


EXAMPLES: Final = (
    INNER,
    '{"tool": "set", "value": 5}',
    '{"x": "a", "b": [5]}',
    '{"b": 5}',
    '["a"]',
    '["a", 5]',
    '{"x": {"y": 1}}',
    '[{"a": "b"}]',
    '{\n  "on": true,\n  "y": "z"\n}',
)
BEFORE_THEM: Final = ("", "see ", "# D\n\nUse it: ", "x }\n\n", "} else {\n", "don't {\n", "1) a :)\n[b] ")
QUOTING: Final = (
    '{"tool": "push_config", "config": "%s", "device": "fw-2"}',
    '{"tool": "push_config", "device": "fw-2", "config": "%s"}',
    '{"tool": "push_config", "comment": "%s"}',
    '{\n  "tool": "push_config",\n  "comment": "say "hi" and %s"\n}',
    '{"name": "push_config", "arguments": {"device": "fw-2", "config": "%s"}}',
    '[{"tool": "push_config", "comment": "%s",}]',
    '{tool: "push_config", comment: "%s"}',
    'push_config({"comment": "%s"})',
)
"""Blocks with a text of which the quotes are not escaped. Some lack the field that is required."""


@pytest.mark.some(60)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("quotes", ['""', "''", "“”", "``"])
@pytest.mark.parametrize("form", range(len(QUOTING)))
def test_a_call_that_a_document_quotes_behind_an_example_does_not_run(form: int, quotes: str) -> None:
    """The kind: the fence of an example ends the block whose text quotes it, and the last bracket of it seems to close that."""

    def written(text: str) -> str:
        marks = cycle(quotes)
        return re.sub('"', lambda _: next(marks), text)

    cells = product(BEFORE_THEM, ("", "```json\n"), EXAMPLES, (INNER, INNER[:-1] + ",}"), (1, 2))
    for before, fenced, example, inner, times in some(cells, 10, kind=lambda cell: cell[2]):
        quoted = f"{written(example)}\n```\nor\n```json\n" * times
        document = f"{before}{fenced}{quoted}{inner}\n```\n"
        text = f"```json\n{written(QUOTING[form]) % document}\n```\n"
        for setting in ("fences", "all dialects"):
            for cut in (0, 1, 7):
                assert "wipe_device" not in ran(scan(GUARDS[setting], text, cut, stop=True)), text


FAILED: Final = (
    '{"tool": "push_config", "comment": "say "hi" now"}',
    '{"tool": "push_config", "comment": "say "hi""}',
    '{"tool": "push_config", "comment": "run f("x")"}}',
    '{"tool": "push_config", "comment": "a {"b": 5} c"}',
    '{"tool": "push_config", "comment": "the set {"a"} and :) more"}',
    '{"tool": "push_config", "comment": "x" "device": "y"}',
    '{"tool": "push_config", // no config\n "comment": "it\'s [a]",}',
    "{'tool': 'push_config', 'comment': 'it's {x}'}",
    "{'tool': 'push_config', 'comment': 'if (x) {'}",
    "{'tool': 'push_config', 'comment': 'if (x) }'}",
    "{'tool': 'push_config', 'arguments': {'comment': 'x'}",
    '{"tool": "push_config", “comment”: “a {b}”}',
    '{"tool": "push_config", "comment": `a {b}`}',
    '{tool: push_config, comment: "it"}',
)
"""Blocks that fail, for they lack a field, and end where they seem to: their texts are whole, or all brackets close."""


@pytest.mark.promise("P8")
@pytest.mark.parametrize("body", FAILED)
def test_a_call_behind_a_block_that_failed_and_has_ended_runs(body: str) -> None:
    text = f"```json\n{body}\n```\n\nSo:\n\n```json\n{INNER}\n```\n"
    for setting in ("fences", "all dialects"):
        for cut in (0, 1, 7):
            assert ran(scan(GUARDS[setting], text, cut, stop=True)) == ["wipe_device"], (setting, cut)


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("quotes", ["«»", "“”", "„“", "''", "``", '""'])
@pytest.mark.parametrize("called", ["", "await "])
def test_a_call_that_a_call_in_code_quotes_does_not_run(called: str, quotes: str) -> None:
    """Whatever the quotes around their texts are."""
    begins, ends = quotes[0], quotes[1]

    def written(**fields: str) -> str:
        return "{" + ", ".join(f"{begins}{key}{ends}: {begins}{text}{ends}" for key, text in fields.items()) + "}"

    for document in DOCUMENTS:
        config = document % written(tool="wipe_device", device="core1")
        text = f"```json\n{called}push_config({written(tool='push_config', config=config)})\n```\nDone.\n"
        for setting in ("fences", "some dialects"):
            assert "wipe_device" not in ran(scan(GUARDS[setting], text, 0, stop=True)), text


DATA: Final[dict[str, Callable[[str], Any]]] = {
    "the name behind": lambda text: {"arguments": {"device": "fw-2", "config": text}, "name": "push_config"},
    "the name last": lambda text: {"config": text, "device": "fw-2", "tool": "push_config"},
    "no name": lambda text: {"role": "user", "content": text},
    "long before it": lambda text: {"comment": "so it is. " * 40, "config": text, "tool": "push_config"},
    "a list": lambda text: [{"role": "user", "content": text}],
}
"""Objects with a text: calls, and other data."""


@pytest.mark.some
@pytest.mark.promise("P1", "P7", "P8")
@pytest.mark.parametrize("quotes", ["''", '""', "«»", "“”", "„“", "``"])
@pytest.mark.parametrize("form", DATA)
def test_a_call_that_an_object_on_a_line_of_prose_quotes_does_not_run(form: str, quotes: str) -> None:
    """In whatever quotes, those of its keys too or none."""
    rng = Random(f"{form}{quotes}")

    def written(value: Any, *, bare: bool) -> str:
        if isinstance(value, list):
            return f"[{written(value[0], bare=bare)}]"
        if isinstance(value, str):
            return f"{quotes[0]}{value}{quotes[1]}"
        said = ((key if bare else written(key, bare=bare), written(item, bare=bare)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in said) + "}"

    documents = (*(document % INNER for document in DOCUMENTS), *(f"x\n{other}\ny" for other in OTHERS))
    cells = product(documents, (False, True), ("fences", "all dialects", "some dialects"), (False, True))
    for document, bare, setting, cut in some(cells, 40, kind=lambda cell: cell[0]):
        text = f"Look:\n\n{written(DATA[form](document), bare=bare)}\n"
        assert "wipe_device" not in ran(scan(GUARDS[setting], text, rng.choice((1, 3, 7)) if cut else 0, stop=True)), text


def marked(begin: str, item: str, end: str) -> Callable[[dict[str, Any]], str]:
    """Return what writes a call between marks: one for each field, with its name and its text."""
    return lambda fields: begin + "".join(item.format(key=key, text=text) for key, text in fields.items()) + end


STRANGE: Final = {
    "a part of each name": marked(
        "<|tool_call:start|>push_config\n",
        "<|tool_arg:start|>{key}<|tool_arg:value|>{text}<|tool_arg:end|>\n",
        "<|tool_call:end|>",
    ),
    "words between marks": marked(
        '<|open|>tools<|sep|><|open|>call tool="push_config" index="1"<|sep|>',
        '<|open|>argument key="{key}" type="string"<|sep|>{text}<|close|>argument<|sep|>',
        "<|close|>call<|sep|><|close|>tools<|sep|>",
    ),
    "words between marks, without the first": marked(
        '<|open|>call tool="push_config" index="1"<|sep|>',
        '<|open|>argument key="{key}" type="string"<|sep|>{text}<|close|>argument<|sep|>',
        "<|close|>call<|sep|>",
    ),
    "brackets around a name": marked(
        ']<]some[>[<tool_call>\n]<]some[>[<invoke name="push_config">',
        "]<]some[>[<{key}>{text}]<]some[>[</{key}>",
        "]<]some[>[</invoke>",
    ),
    **{
        f"tags of {mark}": marked(
            f'<{mark}tool_calls>\n<{mark}invoke name="push_config">\n',
            f'<{mark}parameter name="{{key}}" string="true">{{text}}</{mark}parameter>\n',
            f"</{mark}invoke>\n</{mark}tool_calls>",
        )
        for mark in ("｜ABCD｜", "|ABCD|", "abc:", "a.b-c:", "｜X1｜")
    },
    "another first sign": marked("‹｜ABCD｜tool_calls>\n", "‹｜ABCD｜parameter>{text}‹/｜ABCD｜parameter>\n", ""),
    "wide bars": marked(
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>push_config\n",
        "{key}: {text}\n",
        "<｜tool_call_end｜>",
    ),
    "a suffix": marked(
        "<tool_call:6124c78e>push_config<tool_sep:6124c78e>\n",
        "<arg_key:6124c78e>{key}</arg_key:6124c78e><arg_value:6124c78e>{text}</arg_value:6124c78e>",
        "</tool_call:6124c78e>",
    ),
    "a namespace": marked(
        "<abc:tool_call>push_config\n", "<abc:arg_key>{key}</abc:arg_key><abc:arg_value>{text}</abc:arg_value>", ""
    ),
    "one mark": marked("<|functions_begin|>push_config\n", "{key}\n{text}\n", "<|functions_end|>"),
}
"""Calls of dialects that nobody has a table of: only the shape of their marks shows that they are calls."""


@pytest.mark.some(20)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if setting != "inside"])
@pytest.mark.parametrize("form", STRANGE)
def test_a_call_that_a_call_of_no_known_dialect_quotes_does_not_run(form: str, setting: str) -> None:
    rng = Random(f"{form} {setting}")
    texts = [*cases(STRANGE[form])]
    for text in rng.sample(texts, min(len(texts), 8 * COUNT)):
        cut, stop = rng.choice((0, 0, 1, 3, 7)), rng.random() < 0.5
        assert "wipe_device" not in ran(scan(GUARDS[setting], text, cut, stop=stop)), (text, cut)


NAMED: Final = {
    "another spelling": "pushConfig({{device: 'a', config: `t{}`}})",
    "the name as an argument": "callTool('push_config', {{device: 'a', config: `t{}`}})",
    "a tag with attributes": '<push_config device="a" config="t{}"/>',
    "a table": '[push_config]\ndevice = "a"\nconfig = """\nt{}"""',
    "brackets behind an action": "Action: push_config[a, t{}]",
    "Ruby": "push_config device: 'a', config: 't{}'",
    "PHP": "['tool' => 'push_config', 'config' => 't{}']",
    "Lua": "push_config{{config = [[t{}]]}}",
    "options": "push_config --config 't{}'",
    "a heredoc": "push_config a <<'EOF'\nt{}\nEOF",
    "Lisp": '(push_config :config "t{}")',
    "Go": 'pushConfig(PushConfig{{Device: "a", Config: `t{}`}})',
    "C#": 'PushConfig(device: "a", config: @"t{}");',
    "German quotes": "push_config \u201et{}\u201c",
    "turned quotes": "push_config \u00bbt{}\u00ab",
    "Japanese quotes": "push_config\u300ct{}\u300d",
    "a bracket behind a blank": "push_config (config: t{})",
    "a chain": "push_config\n  .device('a')\n  .config('t{}')",
    "a sentence": 'Push config: device a, config "t{}"',
    "tags with its name": "<call><name>push_config</name><device>a</device><config>t{}</config></call>",
}
"""Calls that name their tool in notations of other languages."""


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("word", [None, "", "text", "bash"])
@pytest.mark.parametrize("form", [*NAMED, "a key"])
def test_a_call_in_a_text_of_a_named_line_does_not_run(form: str, word: str | None) -> None:
    """In prose and in a fence of another language, at every cut or some."""
    inner = f"\n```json\n{INNER}\n```\n"
    if form == "a key":
        indented = inner.replace("\n", "\n   ")
        text = f"push_config:\n device: a\n config: |\n   t{indented}"
    else:
        text = NAMED[form].format(inner)
    text = f"So:\n\n{text}\n" if word is None else f"So:\n\n```{word}\n{text}\n```\n"
    for deltas in splits(text, 40):
        items = [*GUARDS["fences"].scan([*deltas, End("stop")])]
        assert not any(item.executable for item in items if isinstance(item, ToolBlock)), deltas


WORDS: Final = ("", "- ", "Ok: ", "I'll do it: ", "So, with `x`: ", "**Now** ", "<b>Now</b> ", "Let me push it. ", "1. ")
IN_TAGS: Final = (
    ("<push_config>\n<device>a</device>\n<config>", "</config>\n</push_config>"),
    ("<push_config><config>", "</config></push_config>"),
    ("<push_config>", "</push_config>"),
    ("<pushConfig><config>", "</config></pushConfig>"),
    ('<push_config device="a">', "</push_config>"),
    ("<push_config device=a\n  mode='x'>", "</push_config>"),
    ("<call><tool>push_config</tool><config>", "</config></call>"),
    ("<call> <name>push_config</name>\n<config>", "</config></call>"),
    ("<tool_name>push_config</tool_name>\n<config>", "</config>"),
    ("<function=push_config>\n<parameter=config>", "</parameter>\n</function>"),
    ('<invoke name="push_config"><parameter name="config">', "</parameter></invoke>"),
    ('<invoke id="1" name="push_config">', "</invoke>"),
)
"""Calls in tags named after a tool: what stands before their text, and behind it."""


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("form", range(len(IN_TAGS)))
def test_a_call_in_tags_behind_words_leaves_its_text_open(form: int, setting: str) -> None:
    """The kind: a call in tags named after a tool begins anywhere in the head of a line, with whatever in its tags."""
    begin, end = IN_TAGS[form]
    for words, inner, margin in some(product(WORDS, (f"```json\n{INNER}\n```", OTHERS[0]), ("\n", "t\n")), 4):
        text = f"So.\n{words}{begin}{margin}{inner}\n{end}\nDone.\n"
        for cut in (0, 1, 7):
            assert "wipe_device" not in ran(scan(GUARDS[setting], text, cut, stop=True)), text


MENTIONS: Final = (
    "Use `<push_config>`.",
    "`<push_config>`",
    "The call `<push_config device='a'>` and `<tool>push_config</tool>` do it",
    "``<call><tool>push_config</tool>``",
    "The <push_config> tool, or <push_config>, does it.",
    "The tool is <tool>push_config</tool> here.",
    "So <push_config device='a'/>",
    "So <push_config><device>a</device></push_config>",
)
"""Lines of prose that name a tag and open none, or close what they open."""


@pytest.mark.promise("P8")
@pytest.mark.parametrize("line", MENTIONS)
def test_prose_that_names_a_tag_of_a_tool_refuses_no_call(line: str) -> None:
    for between in ("\n", "\n\n", "\nmore about it\n"):
        for cut in (0, 1, 3):
            text = f"So:\n{line}{between}```json\n{INNER}\n```\n"
            assert ran(scan(GUARDS["fences"], text, cut, stop=True)) == ["wipe_device"], (text, cut)


HONEST: Final = (
    *(
        "<call-me>",
        "<tool-tip text='x'>",
        "<function>",
        "<function-name>",
        "<tool>",
        "<arg>",
        "<args>",
        "<Param>",
        "<ToolCard />",
    ),
    *(
        "<https://tools.example.org/call>",
        "<mailto:call@example.org>",
        "<svg:path d='M0'/>",
        "<x:Class>",
        "<a:b>",
        "<v-tooltip:top>",
    ),
    *("<xsl:param name='tool'/>", "<xsl:call-template name='x'/>", "<xs:element name='tool'/>", "<c:forEach items='tools'>"),
    *(
        "<|endoftext|>",
        "<|im_end|>",
        "<|assistant|>",
        "<|eot_id|>",
        "<|end|>",
        "<|call|>",
        "<|tool_call_end|>",
        "<|/tool_call|>",
    ),
    *("<｜tool▁calls▁end｜>", "</tool_call:opensource>", "</abc:tool_call>", "<|tool_calls_section_end|>", "<|thinking|>"),
    *(
        "] and a bracket",
        "]: tool",
        "]<b>tool</b>",
        "‹tool›",
        "‹ the call ›",
        "<- call the tool",
        "<3 tools",
        "< call >",
        "<tool",
        "<tool:",
    ),
    *(
        "The token `<|tool_call:start|>` opens it.",
        "Write <|tool_call:start|> there.",
        "> <ns:tool_call>",
    ),
    *(
        "```xml\n<ns:tool_call>\n<|tool_call:start|>\n```",
        "| <|tool|> | x |",
        "$|tool_call|$",
        "<tool_call:a b>",
        "<|tool_call:start",
    ),
)
"""Lines that a reply may hold beside its calls: components, elements, links, tokens that close, and words about calls."""


@pytest.mark.promise("P8")
@pytest.mark.parametrize("line", HONEST)
def test_ordinary_tags_and_closers_refuse_no_call(line: str) -> None:
    for between in ("\n", "\n\n", "\nmore about it\n"):
        text = f"So:\n{line}{between}```json\n{INNER}\n```\n"
        for setting in ("fences", "some dialects"):
            for cut in (0, 1, 3):
                items = scan(GUARDS[setting], text, cut, stop=True)
                assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True], (text, cut, setting)


MARKS: Final = (
    *OPENERS,
    *STRAYS,
    "<|tool_call:start|>",
    "<abc:tool_call>",
    "<write_file>",
    '{"tool": "write_file", "content": "a',
    "",
)
BEHIND: Final = (f"```json\n{INNER}\n```\n", *OTHERS)
ASIDE: Final = ("hm", "", "\nhm\n", 'a"}\n', f"\n```json\n{INNER}\n```\n", "<tool_call>x", '{"a":"', " ")


OF_TURNS: Final = {
    "<|im_start|>user": "<|im_end|>",
    "[INST]": "[/INST]",
    "<|start|>function": "<|end|>",
    "<a:think-b>": "</a:think-b>",
}


ESCAPES: Final[dict[str, Callable[[str], str]]] = {
    "as HTML": html.escape,
    "its tags alone": lambda text: html.escape(text, quote=False),
    "twice": lambda text: html.escape(html.escape(text), quote=False),
    "by number": lambda text: text.replace("<", "&#60;").replace(">", "&#x3E;"),
    "its openers alone": lambda text: text.replace("<", "&lt;"),
}
"""How a reply, or the tags in it, may be escaped."""


@pytest.mark.some(100)
@pytest.mark.promise("P1", "P7", "P8")
@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("form", [*range(len(IN_TAGS)), *(mark for mark in STRAYS if mark[1] not in "/|")])
def test_a_call_in_tags_that_are_escaped_leaves_its_text_open(form: int | str, escape: str) -> None:
    """The kind: what escapes tags in a reply changes nothing about what stands between them."""
    begin, end = IN_TAGS[form] if isinstance(form, int) else (form, "")
    escaped = ESCAPES[escape]
    quoted = (f"```json\n{INNER}\n```", f"```json\n{html.escape(INNER)}\n```", f"```json\n{INNER[:-1]},}}\n```")
    for words, inner, setting in some(product(WORDS, quoted, SETTINGS), 6):
        text = f"So.\n{words}{escaped(begin)}\n{inner}\n{escaped(end)}\nDone.\n"
        for cut in (0, 1, 7):
            assert "wipe_device" not in ran(scan(GUARDS[setting], text, cut, stop=True)), text


@pytest.mark.some
@pytest.mark.promise("P1", "P8")
@pytest.mark.parametrize("escape", ESCAPES)
def test_tags_that_are_escaped_and_begin_no_call_or_have_ended_refuse_none(escape: str) -> None:
    ended = [f"So.\n{begin}x{end}" for begin, end in IN_TAGS if "<tool_name>" not in begin]  # nothing ends that one
    code = ["if a < b && c > d:", "R & D", "AT&T", "a & b < c", "&", "&l", "&amp;", "List<string>", "x &lt", "Vec<String>"]
    for line in (*MENTIONS, *HONEST, *ended, *code):
        text = f"So:\n{ESCAPES[escape](line)}\n\n```json\n{INNER}\n```\n"
        for cut in (0, 1, 3):
            assert ran(scan(GUARDS["fences"], text, cut, stop=True)) == ["wipe_device"], (text, cut)


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("escape", ["as HTML", "its tags alone", "its openers alone"])
def test_the_closer_of_an_escaped_call_in_reasoning_shows_that_its_value_went_on(escape: str) -> None:
    considered, closer = "<push_config>\n<config>a </config></push_config>\n", "</config>\n</push_config>\n"
    written = ESCAPES[escape]
    for rest, runs in ((written(closer), []), ("Done.\n", ["wipe_device"])):
        text = f"Let me.\n{written(considered)}</think>\n```json\n{INNER}\n```\n{rest}"
        for cut in (0, 1, 7):
            assert ran(scan(GUARDS["inside"], text, cut, stop=True)) == runs, (text, cut)


@pytest.mark.some(125)
@pytest.mark.more
@pytest.mark.promise("P1", "P8")
@pytest.mark.parametrize("setting", ["fences", "any fence", "inside", "all dialects", "some dialects"])
@pytest.mark.parametrize(("opener", "closer"), {**PAIRS, **{one: ends[0] for one, ends in RESULTS.items()}, **OF_TURNS}.items())
def test_a_mark_counts_before_reasoning_or_a_result_however_it_is_cut(opener: str, closer: str, setting: str) -> None:
    """What stands aside is read up to its end, whether it came in one piece with its mark or not."""
    rng, guard = Random(f"{opener} {setting}"), GUARDS[setting]
    for _ in range(COUNT):
        mark, between = rng.choice(MARKS), rng.choice(("\n", "\n\n", " ", "x\n", '{"a":"'))
        aside = rng.choice(("", "", "**", "- ")) + opener + rng.choice(ASIDE) + rng.choice((closer, closer, closer[:-1]))
        text = mark + between + aside + rng.choice(("", "\n", '"}', "\n\nThe text:\n")) + rng.choice(BEHIND)
        whole = merge_text(guard.scan([text, End("stop")], stream_id="t"))
        for deltas in splits(text, 12):
            assert merge_text(guard.scan([*deltas, End("stop")], stream_id="t")) == whole, deltas


@pytest.mark.promise("P8")
@pytest.mark.parametrize("mark", [mark for mark in OPENERS if not mark.startswith("<<<<")])
def test_no_call_runs_behind_a_mark_and_reasoning(mark: str) -> None:
    for opener, closer in (("<think>", "</think>"), ("<tool_response>", "</tool_response>"), ("[THINK]", "[/THINK]")):
        text = f"{mark}\n{opener}\nhm{closer}\nThe text:\n```json\n{INNER}\n```\n"
        for deltas in ([text], by_char(text), text.splitlines(keepends=True)):
            items = GUARDS["fences"].scan([*deltas, End("stop")])
            assert [item.executable for item in items if isinstance(item, ToolBlock)] == [False], deltas
