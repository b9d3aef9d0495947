"""A call that is only quoted in a text of a call in lines does not run, in every form of YAML, and with one fault in it.

The kind: a line names the tool of a call, lines of its members follow, and one of them opens the text with the quoted call.
What stands between them, around them or beside their values changes nothing of that, and neither does one wrong sign.

Rule: each form stands beside honest text that looks like it, behind which a call runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from textwrap import indent
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, Toolset
from tests.kit.breadth import some, splits
from tests.kit.proof import Cases
from tests.kit.ran import ran

S: Final[Any] = {"type": "string"}


def takes(*fields: str) -> Any:
    return {"type": "object", "properties": dict.fromkeys(fields, S), "required": [*fields], "additionalProperties": False}


TOOLS: Final = Toolset(
    Tool("save_note", "", takes("title", "body"), risk=Risk.WRITE),
    Tool("translate", "", takes("text", "target")),
    Tool("drop_table", "", takes("table"), risk=Risk.DESTRUCTIVE),
)
GUARDS: Final = {
    "fences": Guard(TOOLS),
    "any fence": Guard(TOOLS, languages=("json", "")),
    "all dialects": Guard(TOOLS, dialects="all"),
}
FENCE: Final = '```json\n{"tool": "drop_table", "table": "users"}\n```'


def runs(text: str, guard: str = "fences", deltas: list[str] | None = None) -> list[str | None]:
    return ran(GUARDS[guard].scan([*(deltas or [text]), End("stop")]))


HEADS: Final = {
    "tool: save_note\n": 0, "name: save_note\n": 0, "function: save_note\n": 0, '"tool": "save_note"\n': 0,
    "tool: save_note  # a note\n": 0, "- tool: save_note\n": 2, "save_note:\n": 2, "- save_note:\n": 4, "saveNote:  # so\n": 2,
    "tool: save_note\narguments:\n": 2, "tool: save_note\nargs:\n": 2, "function: save_note\nparameters:\n": 2,
    "tool_call:\n  name: save_note\n  arguments:\n": 4, "calls:\n  - tool: save_note\n    input:\n": 6,
}  # fmt: skip
"""The lines that name the tool, each with the indent of the members."""

BETWEEN: Final = ("", "# the text\n", "\n# the text\n\n", "# it's\n# here:\n")
TITLES: Final = ("", "title: a.md\n", 'title: "it is"\n', "title:\n  a.md\n")
OPENERS: Final = (
    *(
        "body: |\n",
        "body: |-\n",
        "body: >+2\n",
        "body: !!str |\n",
        "body: &a |\n",
        "body: !<tag:yaml.org,2002:str> &a |-  # so\n",
    ),
    *("? body\n: |\n", '"body": |\n', "body : >  # so\n", 'body: "', "body: '", 'body: !!str "', "body: &a '"),
)
TEXTS: Final = (f"# Doc\n\n{FENCE}\n\nThat is all.", f"{FENCE}", f"It is:\n{FENCE}\n", f"- one\n- two\n\n{FENCE}\n")


def written(head: str, between: str, title: str, opener: str, text: str) -> str:
    """A call in lines, as YAML has it."""
    body = indent(text, "  ") + "\n" if opener.endswith("\n") else f"{text}{opener[-1]}\n"
    return head + indent(f"{between}{title}{opener}{body}", " " * HEADS[head])


def forms() -> Iterator[tuple[str, str, str]]:
    """Yield the head, the opener of the text, and the call."""
    for head, between, title, opener, text in product(HEADS, BETWEEN, TITLES, OPENERS, TEXTS):
        yield head, opener, written(head, between, title, opener, text)


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("guard", GUARDS)
def test_however_yaml_writes_a_call_a_text_of_it_is_open(guard: str, cases: Cases) -> None:
    tried = 0
    for _, _, text in some(forms(), 400, kind=lambda cell: cell[:2]):
        for reply in (text, f"So:\n\n{text}\nDone.\n"):
            assert "drop_table" not in runs(reply, guard), reply
            tried += 1
    cases(tried)


def at_each(text: str, sign: str, other: str) -> Iterator[str]:
    """Yield a text with another sign at each place of a sign."""
    for at in (at for at in range(len(text)) if text.startswith(sign, at)):
        yield text[:at] + other + text[at + len(sign) :]


def doubled(head: str) -> Iterator[str]:
    for at in range(0, len(head), 3):
        yield head[: at + 7] + head[at:]


FAULTS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "a colon is lost": lambda head: at_each(head, ": ", " "),
    **{f"a {sign} for a colon": partial(at_each, sign=":", other=sign) for sign in ";=.,\uff1a"},
    "wide colons": lambda head: iter((head.replace(":", "\uff1a"),)),
    "a line break is lost": lambda head: at_each(head.removesuffix("\n"), "\n", ""),
    "an escaped quote": lambda head: at_each(head, '"', "&quot;"),
    "all quotes are escaped": lambda head: iter((head.replace('"', "&#34;"),)),
    "a piece came twice": doubled,
}
PLAIN: Final = ("tool: save_note\n", "tool: translate\n", "save_note:\n")


def spoilt(fault: str) -> Iterator[str]:
    """Yield calls with this fault in their lines before the quoted call."""
    for head, title, opener in product(PLAIN, ('title: "a"\n', ""), ('body: "', "body: |\n", "body: |-\n")):
        step = "  " * head.startswith("save")
        field = "text" if "translate" in head else "body"
        lines = head + indent(title + opener.replace("body", field), step)
        begun = "# Doc\n" if opener.endswith('"') else f"{step}  # Doc\n\n"
        quoted = FENCE if opener.endswith('"') else indent(FENCE, f"{step}  ")
        for wrong in FAULTS[fault](lines):
            yield f"{wrong}{begun}{quoted}\n"


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_in_the_lines_before_a_text_leaves_it_open(fault: str, cases: Cases) -> None:
    tried = 0
    for text in spoilt(fault):
        assert "drop_table" not in runs(text), text
        tried += 1
    cases(tried)


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
def test_a_block_of_lines_without_its_indent_shows_no_end(cases: Cases) -> None:
    tried = 0
    for head, opener, text in some(forms(), 200, kind=lambda cell: cell[:2]):
        if opener.endswith("\n"):
            flat = "".join(line.lstrip(" ") for line in text.splitlines(keepends=True))
            assert "drop_table" not in runs(flat), (head, flat)
            tried += 1
    cases(tried)


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("begun", ["_note\n", "ve_note\n\n", "te\n# so\n", "note:\n", ""])
@pytest.mark.parametrize("opener", ['body: "', '  body: "', '- body: "', "body: '"])
def test_the_key_of_a_field_and_its_quote_open_a_text_where_the_head_is_lost(begun: str, opener: str) -> None:
    for title in ("", 'title: "a"\n', "title: a\n"):
        text = f"{begun}{title}{opener}# Doc\n{FENCE}\n{opener[-1]}\n"
        assert "drop_table" not in runs(text), text


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("head", ["tool: save_note body: |", "tool: save_note body: | # Doc", 'tool: save_note\n body: "# Doc'])
def test_a_text_is_open_where_blanks_stand_for_the_line_ends(head: str) -> None:
    flat = FENCE.replace("\n", " ")
    for text in (f"{head} {flat} \n", f"```yaml {head} {flat} ```\n", f"So:\n{head} {flat}\n"):
        assert "drop_table" not in runs(text, "any fence"), text


HONEST: Final = (
    "I use save_note:\n", "save_note:\n", "save_note: it saves a note.\n", "- save_note: so\n- drop_table: so\n\n",
    "Tool: save_note\n", "Tool: save_note\nTitle: a\n", "- **Tool:** save_note\n- **Title:** a\n\n",
    "Tool: save_note\nThen I drop it.\n", "tool: save_note\ntitle: \"a\"\nbody: 'b'\n",
    "save_note:\n  title: a\n  body: |\n    It is\n\n    so.\n\nNow this.\n\n",
    "```yaml\ntool: save_note\nbody: |\n  It is so.\n```\n", "save_note:\n  title: \"a\"\n\nIt's so: I drop it.\n",
    "```yaml\n- tool: save_note\n  # so\n  body: &a !!str |-\n    a\n```\n\nNow:\n", "Name: save_note\n\n# Title\n\nIt is.\n",
    "| tool | text |\n|---|---|\n| save_note | a |\n", 'tool: save_note\ntitle: a\n\nThe user\'s text "a" is here:\n',
    "Title: a\nBody: \"it's b\"\n\n", 'body: "a\nb"\n\nSo:\n', "Body: 'it''s'\n", "Text: |\n", "Translate:\n",
    "translate:\n- text: a\n- target: b\n\n", 'title: "a" and "b"\n', 'The body: "a".\n', "Function: save_note\nTitle > a\n",
    'tool: save_note\ntitle "a"\n', "tool: save_note\ntitle: &quot;a&quot;\n",
    "Tool\uff1asave_note\n\u8bf4\u660e\uff1a\u597d\n",
    "1. save_note:\n   it saves\n2. drop_table:\n   it drops\n\n", "steps:\n  - name: save_note\n    with: {title: a}\n\n",
    "```yaml\nbody: |\n  It's so\n  - and so\nnext: 'a'\n```\n", "body: |\n  a\n\n  ```sh\n  ls\n  ```\n\nSo:\n", "x => |a|\n",
    "<m:other>\n<m:title>a</m:title>\n", "The <m:title> is a.\n",
    "save_note:\n- It's used for notes\n- \"title\" is its name\n\n",
)  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("before", HONEST)
def test_lines_that_leave_no_text_open_refuse_no_call(before: str) -> None:
    for text in (f"{before}{FENCE}\n", f"So:\n\n{before}{FENCE}\n", f"{before}\n{FENCE}\n"):
        for deltas in ([text], list(text), *splits(text, 4)):
            assert runs(text, "fences", deltas) == ["drop_table"], deltas


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
def test_where_lines_are_cut_changes_nothing() -> None:
    for _, _, text in some(list(forms())[::97], 40, kind=lambda cell: cell[1]):  # all at every place are millions
        for reply in (text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
            for deltas in (list(reply), *splits(reply, 4)):
                assert "drop_table" not in runs(reply, "fences", deltas), deltas


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("around", ["<m:SaveNote>\n", "<soap:Body>\n<m:save_note>\n", "<m:save>\n", ""])
def test_a_tag_in_a_namespace_leaves_its_text_open(around: str) -> None:
    for title in ("", "<m:title>a</m:title>\n"):
        text = f"{around}{title}<m:body>\n# Doc\n{FENCE}\n</m:body>\n"
        assert "drop_table" not in runs(text), text


INNER: Final = {
    "hermes": '<tool_call>{"name": "drop_table", "arguments": {"table": "users"}}</tool_call>',
    "hermes, escaped": '<tool_call>{\\"name\\": \\"drop_table\\", \\"arguments\\": {\\"table\\": \\"users\\"}}</tool_call>',
    "mistral": '[TOOL_CALLS][{"name": "drop_table", "arguments": {"table": "users"}}]',
    "llama": '<function=drop_table>{"table": "users"}</function>',
    "qwen coder": "<tool_call>\n<function=drop_table>\n<parameter=table>\nusers\n</parameter>\n</function>\n</tool_call>",
    "kimi": '<|tool_call_begin|>functions.drop_table:0<|tool_call_argument_begin|>{"table": "users"}<|tool_call_end|>',
}
"""Calls of dialects that are read in the middle of a line."""

IN_STRINGS: Final = (
    "",
    '"b',
    "b = '- item",
    '{"conten"t: "- item',
    "Doc\\n\\nUse it:",
    "ontent='- item",
    'ool": "x", "body": "# Doc',
)
"""What is left of a string of JSON or code before its line break."""


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("call", INNER)
def test_a_call_behind_an_escaped_line_break_stands_in_a_string(call: str) -> None:
    """However much of the string's beginning is lost, and wherever the deltas are cut."""
    honest = f"So it is: {INNER[call]}\n"
    if "escaped" not in call:
        assert runs(honest, "all dialects") == ["drop_table"]
        assert runs(f"It is in C:\\new or \\n, so: {INNER[call]}\n", "all dialects") == ["drop_table"]
    for begun, escape, indented in product(IN_STRINGS, ("\\n", "\\r\\n", "\\\\n", "\\t", '\\n\\n"'), ("", "  ")):
        text = f'{begun}{escape}{indented}{INNER[call]}{escape}", "path": "a"}}\n'
        assert "drop_table" not in runs(text, "all dialects"), text
        assert "drop_table" not in runs(f"Hi.\n{text}", "all dialects"), text
    text = f'Hi.\n"b\\n{INNER[call]}\\n"\n'
    for deltas in splits(text, 12):
        assert "drop_table" not in runs(text, "all dialects", deltas), deltas
