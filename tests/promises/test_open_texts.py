"""No call runs that stands in a text of a call which has not ended, whatever hides where that text began.

The kinds, each generated:

    a mark of its own       a block fails in a text that its own quote does not close, though another one could
    on the fence's line     the line break behind the word of a fence was lost, or became a blank
    signs by their numbers  the signs of an opener are escaped as HTML
    rows                    the calls stand in the rows of a table or of a box
    a fence in a text       a quote and a fence of a text seem to end a call that lacks its bracket
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from stream_guard.testing import every_split, original
from tests.kit.breadth import WHOLE, some, splits
from tests.kit.proof import Cases

S: Final[Any] = {"type": "string"}


def takes(*fields: str) -> Any:
    return {"type": "object", "properties": dict.fromkeys(fields, S), "required": [*fields], "additionalProperties": False}


TOOLS: Final = Toolset(
    Tool("save_file", "", takes("path", "content")),
    Tool("remove_path", "", takes("path"), risk=Risk.DESTRUCTIVE),
)
GUARDS: Final = {
    "fences": Guard(TOOLS),
    "any fence": Guard(TOOLS, languages=("json", "")),
    "nothing is mended": Guard(TOOLS, fixes="off"),
    "all dialects": Guard(TOOLS, dialects="all"),
}
CALL: Final = '{"tool": "remove_path", "path": "/srv"}'
FENCED: Final = f"```json\n{CALL}\n```"
INNER: Final = (FENCED, f"```json {CALL}```", f"~~~json\n{CALL}\n~~~")


def ran(guard: Guard, deltas: list[str]) -> list[str | None]:
    """The tools of the blocks that may run."""
    found = list(guard.scan([*deltas, End("stop")]))
    assert original(found) == "".join(deltas)
    return [item.tool for item in found if isinstance(item, ToolBlock) and item.executable]


def none_runs(guard: Guard, text: str) -> int:
    """Check that the inner call does not run: whole, by character, cut at a few places. Returns how many ways were tried."""
    cuts = Random(text).sample(range(1, len(text)), 6 if WHOLE else 2)
    ways = [[text], list(text), *([text[:at], text[at:]] for at in cuts)]
    for deltas in ways:
        assert "remove_path" not in ran(guard, deltas), deltas
    return len(ways)


# -- a mark of its own -----------------------------------------------------------------------------------------------------

MARKS: Final = {
    **{mark: mark for mark in ("'", "'''", '"""', "`")},
    "r'": "'",
    "\u2018": "\u2019",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
    "(": ")",
    "[[": "]]",
    "<<<EOT\n": "\nEOT",
}
LAYOUTS: Final = (
    '{\n  "tool": "save_file",\n  "path": "a.md",\n  "content": %s\n}',
    '{"tool": "save_file", "content": %s, "path": "a.md"}',
    "{'tool': 'save_file', 'path': 'a.md', 'content': %s}",
    "{tool: 'save_file', path: 'a.md', content: %s}",
    '{"name": "save_file", "arguments": {"path": "a.md", "content": %s}}',
    '[{"tool": "save_file", "path": "a.md", "content": %s}]',
    'save_file(path="a.md", content=%s)',
    'save_file({"path": "a.md", "content": %s})',
    "['tool' => 'save_file', 'path' => 'a.md', 'content' => %s]",
)
BEGUN: Final = (
    'x"}',
    'x"}}',
    'x"}]',
    'x"})',
    'x"\n}',
    "it is",
    'see {"a": "b"}',
    'x", "mode": "y"}',
    'x"};',
    'say "hi" {"a": 1}',
    "x\u201d}",
)
BETWEEN: Final = ("\n```\n\n", "\n```\nSo:\n", "\n```\n\n```sh\nls\n```\n\n")


def blocks_of(mark: str) -> Iterator[tuple[str, str]]:
    """Yield layouts, and replies whose outer text stands between these marks and does not hold the one that ends it."""
    for layout, begun, between, inner in product(LAYOUTS, BEGUN, BETWEEN, INNER):
        if MARKS[mark] in begun or (mark == "[[" and begun[0] in "{["):
            continue
        text = f"{mark}{begun}{between}{inner}\n{MARKS[mark]}"
        yield layout, f"```json\n{layout.replace('%s', text)}\n```\n"


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("mark", MARKS)
def test_a_text_ends_at_its_own_mark_alone(mark: str, cases: Cases) -> None:
    """The kind: a block that failed ended in a text that nothing in it closes, though another quote could seem to."""
    tried = 0
    for _, text in some(blocks_of(mark), 27, kind=lambda cell: cell[0]):
        for guard in ("fences", "nothing is mended"):
            tried += none_runs(GUARDS[guard], text)
    cases(tried)


# -- on the fence's line -----------------------------------------------------------------------------------------------------

NOTATIONS: Final = (
    'save_file(path=\'a.md\', content="""%s""")', "save_file({path: 'a.md', content: `%s`})", "saveFile('a.md', '%s')",
    "tool: save_file\npath: a.md\ncontent: '%s'", 'tool = "save_file"\ncontent = """\n%s"""',
    "array('tool' => 'save_file', 'path' => 'a.md', 'content' => '%s')", "['tool' => 'save_file', 'content' => '%s']",
    "<save_file>\n<path>a.md</path>\n<content>%s</content>\n</save_file>", "save_file a.md <<'EOF'\n%s\nEOF",
    "save_file{content = [[%s]]}", 'saveFile(SaveFile{Path: "a.md", Content: `%s`})', "dict(tool='save_file', content='%s')",
    "('save_file', {'path': 'a.md', 'content': '%s'})", "save_file \u201e%s\u201c", '"tool": "save_file", "content": "%s"}',
    'Action: save_file\nAction Input: {"content": "%s"}', '(save-file :path "a.md" :content "%s")',
)  # fmt: skip
WORDS: Final = ("json", "JSON", "jsonc", "python", "tool_call", "")
IN_TEXT: Final = ("# T\n```\n\n", "```sh\nls\n```\n\n", "Call it:\n\n", "")


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_call_that_begins_on_the_line_of_a_fence_leaves_its_text_open(notation: str, cases: Cases) -> None:
    """The kind: behind the word of a fence a line break is lost, or is a blank, and so are perhaps all others."""
    tried = 0
    for word, gap, begun, flat in some(product(WORDS, ("", " ", "\n"), IN_TEXT, (False, True)), 24, kind=lambda cell: cell[:2]):
        text = f"So:\n\n```{word}{gap}{notation.replace('%s', f'{begun}{FENCED}')}\n```\n"
        text = text.replace("\n", " ") + "\n" if flat else text
        for guard in ("fences", "any fence"):
            tried += none_runs(GUARDS[guard], text)
    cases(tried)


# -- signs by their numbers, and rows ----------------------------------------------------------------------------------------


def by_number(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()


ESCAPES: Final[dict[str, Callable[[str], str]]] = {
    "by number": by_number,
    "by hexadecimal number": lambda text: "".join(char if char.isascii() else f"&#x{ord(char):X};" for char in text),
    "with the tags": lambda text: by_number(html.escape(text, quote=False)),
    "twice": lambda text: by_number(text).replace("&#", "&amp;#"),
    "with the bars": lambda text: by_number(text).replace("|", "&#124;"),
    "the bars by name": lambda text: by_number(text.replace("|", "&vert;")),
}
ROWS: Final[dict[str, Callable[[str], str]]] = {
    "a table": lambda text: "".join(f"| {line} |\n" for line in text.split("\n")),
    "one row": lambda text: f"| {text} |\n".replace("\n", " | ") + "\n",
    "a box": lambda text: "".join(f"\u2502 {line} \u2502\n" for line in text.split("\n")),
}
QUOTED: Final = {
    name: dialect.write([("remove_path", {"path": "/srv"})])
    for name, dialect in DIALECTS.items()
    if not dialect.tools and not dialect.name.startswith(("aider", "bolt", "apply"))
}
SHIFTS: Final = ("", "Use ", "# T\n\n")


def outers(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the other dialect, the text of a call in this one up to the call that it quotes, and the whole of it."""
    for other, shift in product(QUOTED, SHIFTS):
        try:
            text = DIALECTS[name].write([("save_file", {"path": "a.md", "content": f"{shift}{QUOTED[other]} so\n"})])
        except ValueError:  # it cannot hold that
            continue
        if QUOTED[other] in text:
            yield other, text.partition(QUOTED[other])[0], text


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("name", QUOTED)
def test_an_opener_whose_signs_are_escaped_leaves_its_text_open(name: str, cases: Cases) -> None:
    """The kind: what escapes the signs of an opener changes nothing about what stands behind it."""
    tried = 0
    for (other, before, text), escape in some(product(outers(name), ESCAPES), 12, kind=lambda cell: cell[1]):
        escaped = ESCAPES[escape](before)
        if escaped == before:
            continue
        tried += none_runs(GUARDS["all dialects"], escaped + text[len(before) :])
        tried += none_runs(Guard(TOOLS, dialects=("fence", other)), escaped + text[len(before) :])
    cases(tried)


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("row", ROWS)
def test_a_call_in_a_row_of_a_table_or_a_box_is_shown_and_not_made(row: str, cases: Cases) -> None:
    tags = "<save_file>\n<path>\na.md\n</path>\n<content>\n%s\n</content>\n</save_file>"
    tried = 0
    for inner, shift, around in some(product(QUOTED.values(), SHIFTS, (tags, "%s")), 40, kind=lambda cell: cell[2]):
        tried += none_runs(GUARDS["all dialects"], ROWS[row](around.replace("%s", f"{shift}{inner}")))
    cases(tried)


# -- what is lost ------------------------------------------------------------------------------------------------------------

FAILED: Final = (
    '{"tool": "save_file", "path": "a.md"}',
    "{'tool': 'save_file', 'path': 'a.md'}",
    "{tool: 'save_file', path: `a`}",
    '{"tool": "save_file", "path": "it\'s", "content": 5}',
    "{'tool': 'save_file', 'content': 'it\\'s \"so\"', 'x': 1}",
    "{'tool': 'save_file'\n 'content': 'a'\n \"path\": 5}",
    '{"tool": "save_file", "path": "a.md", "content": "say "hi" now", "x": 1}',
    "{\u201ctool\u201d: \u201csave_file\u201d, \u201cpath\u201d: \u201ca\u201d}",
    "save_file(path='a')",
    'save_file(path="a", content=("a"\n "b"), x=1)',
    "array('tool' => 'save_file', 'path' => 'a')",
    "{'tool': 'save_file', 'path': 'a'  # it's so\n}",
)
OPENERS: Final = (
    *('```python title="it\'s"', "```js {1,3-5}", "```{r, echo=FALSE}", "```ts // src/save_file.ts", "```python:save_file.py"),
    *("```12:15:src/a.py", "```rust,ignore", "```bash $ save_file", "```json5", "```json-schema", '```text title="save_file"'),
)
BESIDE: Final = (
    "\u2502 it's a box \u2502", "&#9999999; &#0;",
    "Then ```save_file``` runs.", "```save_file('a', 'b')```", "Use ```x``` and ~~~x~~~ and ``y``.",
    "| tool | use |\n|---|---|\n| <save_file> | it's new |", "It&#8217;s &lt;b&gt; &amp; &quot;x&quot; &#124; &#x2502;",
)  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P3", "P8")
def test_ordinary_text_and_blocks_that_show_their_end_refuse_no_call() -> None:
    openers = (f"{opener}\nx = 1\n```" for opener in OPENERS)
    for before in (*(f"```json\n{body}\n```" for body in FAILED), *openers, *BESIDE):
        text = f"So:\n\n{before}\n\n{FENCED}\n"
        for deltas in ([text], list(text), *splits(text, 3)):
            assert ran(GUARDS["fences"], deltas)[-1:] == ["remove_path"], deltas


# -- a fence in a text -----------------------------------------------------------------------------------------------------

WRITTEN: Final = {
    "JSON": '{"tool": "save_file", "path": "a.md", "content": "%s"}',
    "JSON on lines": '{\n  "tool": "save_file",\n  "path": "a.md",\n  "content": "%s"\n}',
    "the text first": '{"tool": "save_file", "content": "%s", "path": "a.md"}',
    "Python": "{'tool': 'save_file', 'path': 'a.md', 'content': '%s'}",
    "JavaScript": '{tool: "save_file", path: "a.md", content: "%s"}',
    "a call": 'save_file(path="a.md", content="%s")',
}
SIZES: Final = ("Size: 15Q", "# Sizes\n\n- the new one has 13Q", "13Q,", "say QhiQ")
GOES_ON: Final = (
    "",
    "\nxrandr --auto\n```\n",
    "sh\nls\n```\n",
    "EOF",
    "\nEOF",
    "\n",
    f"\n\n{FENCED}\n",
    "\nan inch:\n\n" + "x" * 900 + "\n```\nend ",
)
MEMBERS_BEHIND: Final = {
    "JSON": ('"}', '", "mode": "w"}'),
    "Python": ("'}", "', 'mode': 'w'}"),
    "JavaScript": ('"}', '", mode: "w"}'),
}


def cut_short(name: str) -> Iterator[str]:
    """Yield replies with a text in which a quote ends a line, a fence begins the next, and the text goes on."""
    layout, quote = WRITTEN[name], "'" if name == "Python" else '"'
    for size, more in product(SIZES, GOES_ON):
        text = f"{size.replace('Q', quote)}\n```{more}"
        yield f"```json\n{layout.replace('%s', text)}\n```\n"
        for ends in MEMBERS_BEHIND.get(name, ()):
            yield f"```json\n{layout.partition('%s')[0]}{text}{ends}\n```\n"


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("name", WRITTEN)
def test_a_call_that_lacks_its_bracket_has_not_ended_where_its_text_goes_on_behind_the_fence(name: str, cases: Cases) -> None:
    tried = 0
    for text in some(cut_short(name), 20):
        cuts = Random(text).sample(range(1, len(text)), 4)
        for deltas in ([text], list(text), *([text[:at], text[at:]] for at in cuts)):
            tried += 1
            found = [item for item in GUARDS["fences"].scan([*deltas, End("stop")]) if isinstance(item, ToolBlock)]
            assert not [item for item in found if item.executable and "```" not in str(item.arguments)], deltas
    cases(tried)


BEHIND_A_CALL: Final = (
    "", "\n", " Done.\n", "\nDone.\n", '\n\nI wrote "x", "y" and z. It\'s 13", the "big" one: {a}.\n', "\n- `a`: b\n",
    '\n```python\nx = {"a": "b"}\nprint("}", \'"\')\n```\n', "\n\n" + "word " * 500 + "\n", f"\n{FENCED}\n",
)  # fmt: skip


@pytest.mark.some
@pytest.mark.parametrize("cause", ["stop", "unknown"])
@pytest.mark.parametrize(
    "call",
    [
        '{"tool": "save_file", "path": "a.md", "content": "x y"',
        '{"tool": "save_file", "path": "a.md", "content": "One.\nTwo.\n"',
        '{\n  "tool": "save_file",\n  "path": "a.md",\n  "content": "x"',
    ],
)
def test_a_call_that_lacks_its_bracket_runs_with_anything_else_behind_the_fence(call: str, cause: Any) -> None:
    for behind in BEHIND_A_CALL:
        text = f"```json\n{call}\n```{behind}"
        ways = [[text], list(text), *some(every_split(text), 4)]
        for deltas in ways:
            found = list(GUARDS["fences"].scan([*deltas, End(cause)]))
            assert original(found) == text
            ran_here = [item.tool for item in found if isinstance(item, ToolBlock) and item.executable]
            assert ran_here == ["save_file", *(["remove_path"] if FENCED in behind else [])], deltas
