"""The promises, for the dialects that carry files: artifacts, searches that are replaced, and patches."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Tool, ToolBlock, Toolset
from stream_guard.dialects.files import CREATED, DELETED, EDITED, SAMPLES
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.write import Call
from stream_guard.testing import by_char, collect, every_split, merge_text, original, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.dialects import TEXT, TOOLS, Row, tool
from tests.kit.proof import Cases

EDIT: Final = tool("edit_file", ("path", "search", "replace"), path=TEXT, search=TEXT, replace=TEXT)
GUARD: Final = Guard(Toolset(*(FILE_TOOLS[name] for name in ("write_file", "delete_file")), EDIT), dialects="all")
CARRIERS: Final = {name: dialect for name, dialect in DIALECTS.items() if dialect.tools}
DAMAGED: Final = int(os.environ.get("REPLIES", "450"))
"""How many damaged replies of each dialect are tried; more under `make more`."""

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in CARRIERS.items()])

CODE: Final = "def f(x):\n\tif x < 1 and x > 0:\n\t\treturn {\"a\": [1, 'b']}  # é 🎉\n\n```json\n{}\n```\n"
FILE: Final[Call] = ("write_file", {"path": "src/a.py", "content": CODE})
EMPTY: Final[Call] = ("write_file", {"path": "a/__init__.py", "content": ""})
LINES: Final[Call] = ("write_file", {"path": "b.md", "content": "\n\n# Title\n\n- one\n+ two\n@@ x\n*** y\n\n"})
CHANGE: Final[Call] = ("edit_file", {"path": "src/b.py", "search": "def f():\n    pass\n", "replace": CODE})
TAKEN: Final[Call] = ("edit_file", {"path": "c.md", "search": "- one\n\n+ two\n", "replace": ""})


def written(dialect: Dialect, *calls: Call) -> str:
    """The calls as the dialect writes them."""
    return dialect.write(calls)


def rows(dialect: Dialect) -> Iterator[Row]:
    """Yield texts of a dialect, with the calls that may run."""
    known = [call for call in (FILE, EMPTY, LINES, CHANGE, TAKEN, *SAMPLES[1:]) if holds(dialect, call)]
    for number, call in enumerate(known):
        yield Row(f"{call[0]} {number}", written(dialect, call), (call,))
    one, two = known[0], known[-1]
    text = written(dialect, one)
    yield Row("two calls", written(dialect, one, two), (one, two))
    yield Row("all calls", written(dialect, *known), tuple(known))
    yield Row("prose before and behind", f"I will write it.\n\n{text}\n\nDone.\n", (one,))
    yield Row("another one behind prose", f"One:\n{text}\n\nTwo:\n{written(dialect, two)}\n", (one, two))
    fence = '```json\n{"tool": "delete_file", "path": "old"}\n```'
    old: Call = ("delete_file", {"path": "old"})
    yield Row("a fence before and behind", f"{fence}\n{text}\n{fence}\n", (old, one, old))
    yield Row(
        "in a code block", f"Write\n\n```text\nSo:\n{text}\n```\n\nas you like.\n" if "```" not in text else "x\n", whole=True
    )
    yield Row("in a longer code block", f"Write\n\n`````text\nSo:\n{text}\n`````\n", whole=True)
    yield Row("in an indented example", "Write\n\n" + "\n".join(f"    {line}" for line in text.split("\n")), whole=True)
    yield Row("in reasoning", f"<think>\nI could write\n{text}\n</think>\nNo.\n", whole=True)
    yield Row("in a quote", "\n".join(f"> {line}" for line in text.split("\n")))
    yield Row("line ends of Windows", f"Hi.\r\n\r\n{written(dialect, known[-1])}\r\n\r\nDone.\r\n", (known[-1],))


def holds(dialect: Dialect, call: Call) -> bool:
    """Whether a dialect can write a call."""
    try:
        return bool(dialect.write([call]))
    except ValueError:
        return False


SEARCH: Final = "<<<<<<< SEARCH\nTwo\n=======\nThree\n>>>>>>> REPLACE"
TWO: Final[Call] = ("edit_file", {"path": "foo.txt", "search": "Two\n", "replace": "Three\n"})
LONG: Final = f"{'a/' * 60}b.py"
FAR: Final[Call] = ("edit_file", {"path": LONG, "search": "Two\n", "replace": "Three\n"})
OTHER: Final[Call] = ("edit_file", {"path": "b/c.py", "search": "Two\n", "replace": "Three\n"})
OWN: Final[Mapping[str, Sequence[Row]]] = {
    "aider_search_replace": (
        Row("the path in the fence", f"So:\n\n```text\nfoo.txt\n{SEARCH}\n```\n\nHope you like it!\n", (TWO,)),
        Row("the path before the fence", f"So:\n\nfoo.txt\n```python\n{SEARCH}\n```\n", (TWO,)),
        Row("tildes", f"~~~\nfoo.txt\n{SEARCH}\n~~~\n", (TWO,)),
        Row("a long path in the fence", f"```\n{LONG}\n{SEARCH}\n```\n", (FAR,)),
        Row("a long path and more in the fence", f"```\n{LONG} and more\n{SEARCH}\n```\n", whole=True),
        Row("several in one fence", f"```\nfoo.txt\n{SEARCH}\n\n{SEARCH}\nb/c.py\n{SEARCH}\n```\n", (TWO, TWO, OTHER)),
        Row("several in a row", f"foo.txt\n{SEARCH}\n\n{SEARCH}\n\nb/c.py\n{SEARCH}\n", (TWO, TWO, OTHER)),
        Row("fewer signs", "foo.txt\n<<<<< SEARCH\nTwo\n======\nThree\n>>>>>>>>> REPLACE\n", (TWO,)),
        Row("no path", f"Here it is:\n\n```text\n{SEARCH}\n```\n", whole=True),
        Row("a sentence for a path", f"Here it is\n{SEARCH}\n", whole=True),
        Row("a mark for a path", f"**foo.txt**\n{SEARCH}\n", whole=True),
        Row("a blank line behind the path", f"foo.txt\n\n{SEARCH}\n", whole=True),
        Row("more in the fence before it", f"```text\nx = 1\nfoo.txt\n{SEARCH}\n```\n", whole=True),
        Row("a fence in a fence", f"````text\n```\nfoo.txt\n{SEARCH}\n```\n````\n", whole=True),
        Row("the path of the block before", f"foo.txt\n{SEARCH}\n\n```\n{SEARCH}\n```\n", (TWO, TWO)),
        Row("a marker for a path", f"=======\n{SEARCH}\n", whole=True),
        Row("a conflict of versions", "a.txt\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n", whole=True),
        Row("two dividers", "foo.txt\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n"),
        Row("a closer in the text", f"foo.txt\n<<<<<<< SEARCH\na\n=======\n{SEARCH}\n>>>>>>> REPLACE\n"),
        Row("a title in the text", "foo.txt\n<<<<<<< SEARCH\na\n=======\nTitle\n==========\n>>>>>>> REPLACE\n"),
    ),
    "v4a_patch": (
        Row("a place in the file", "*** Begin Patch\n*** Update File: a\n@@ def f():\n-x\n+y\n*** End Patch\n"),
        Row("another name", "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch\n"),
        Row("no text that is there", "*** Begin Patch\n*** Update File: a\n@@\n+y\n*** End Patch\n"),
        Row("a path outside", "*** Begin Patch\n*** Add File: ok.txt\n+x\n*** Delete File: ../b\n*** End Patch\n"),
        Row("one of two is unclear", "*** Begin Patch\n*** Delete File: a\n*** Update File: b\n@@ x\n-y\n*** End Patch\n"),
        Row("a file that is named twice", "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch\n"),
        Row("a line without a sign", "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch\n"),
        Row("blanks before a path", "*** Begin Patch\n*** Delete File:  a\n*** End Patch\n"),
        Row("another spelling", "*** Begin Patch\n*** delete file: a\n*** End Patch\n"),
        Row("nothing", "*** Begin Patch\n*** End Patch\n", whole=True),
        Row("a sentence", "*** Begin Patch is how one begins.\n", whole=True),
        Row("in the middle of a line", "Write *** Begin Patch\n*** Delete File: a\n*** End Patch\n", whole=True),
        Row("the end without a sign", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n+y\n*** End Patch\n"),
    ),
    "bolt_artifact": (
        Row("a closer in the text", written(DIALECTS["bolt_artifact"], CREATED).replace("hello", "</boltAction> x", 1)),
        Row("no file", '<boltArtifact id="a"><boltAction type="file" filePath="../a">x</boltAction></boltArtifact>'),
        Row("no path", '<boltArtifact id="a"><boltAction type="file">x</boltAction></boltArtifact>'),
        Row("an unknown type", '<boltArtifact id="a"><boltAction type="start">x</boltAction></boltArtifact>'),
        Row("a longer name", "Before <boltArtifactt>foo</boltArtifact> After", whole=True),
        Row("a misspelt name", "Before <oltArtfiact>foo</boltArtifact> After", whole=True),
        Row("a name alone", "A `<boltArtifact>` is <boltArtifact of bolt.\n", whole=True),
        Row(
            "on one line",
            'So <boltArtifact id="a" title="b"><boltAction type="file" filePath="a">x</boltAction></boltArtifact> is it.\n',
            (("write_file", {"path": "a", "content": "x\n"}),),
        ),
    ),
}
ROWS: Final = [
    pytest.param(row, id=f"{name}-{row.name}") for name, dialect in CARRIERS.items() for row in (*rows(dialect), *OWN[name])
]


def items(chunks: list[str], guard: Guard = GUARD) -> list[Any]:
    return merge_text(guard.scan([*chunks, End("stop")], stream_id="s"))


def streamed(chunks: list[str]) -> list[Any]:
    """The items of a stream in asyncio, where some text passes without being fed."""

    async def deltas() -> AsyncIterator[str | End]:
        for chunk in chunks:
            yield chunk
        yield End("stop")

    return merge_text(asyncio.run(collect(GUARD.stream(deltas(), stream_id="s"))))


def calls(found: list[Any]) -> list[tuple[str, Any]]:
    """The calls that may run, without their key for the tool."""
    return [(block.call.tool, block.call.arguments) for block in found if isinstance(block, ToolBlock) and block.call]


@pytest.mark.parametrize("name", CARRIERS)
def test_there_are_at_least_fifteen_rows_of_a_dialect_that_carries_files(name: str) -> None:
    assert len([*rows(CARRIERS[name]), *OWN[name]]) >= 15


@pytest.mark.parametrize("inner", ['```json\n{"tool": "delete_file", "path": "a"}\n```', DIALECTS["hermes"].example])
@each
def test_a_call_in_the_lines_of_a_file_is_a_part_of_the_file(dialect: Dialect, inner: str) -> None:
    """So each of these dialects is one of `all`: where a guard does not know it, the inner call is one."""
    call = FILE if holds(dialect, FILE) else CHANGE
    text = {**call[1], "replace" if "replace" in call[1] else "content": f"{inner}\n"}
    assert calls(items([dialect.write([(call[0], text)])])) == [(call[0], text)]


@pytest.mark.some
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.promise("P1", "P2", "P7")
def test_a_row_of_a_dialect_that_carries_files_at_every_cut(cases: Cases, row: Row) -> None:
    """The calls that were meant and no others, and the text as it was."""
    found = items([row.text])
    assert original(found) == row.text
    assert calls(found) == [(name, dict(arguments)) for name, arguments in row.calls]
    assert not row.whole or not [item for item in found if isinstance(item, ToolBlock)]
    every = list(every_split(row.text))
    cut = [by_char(row.text), *some([*random_splits(row.text), *every[:: max(1, len(every) // 60)]], 12)]
    for chunks in cut:
        assert items(chunks) == found, chunks
        assert streamed(chunks) == found, chunks
    cases(len(cut))


@each
@pytest.mark.promise("P7")
def test_a_change_that_was_cut_off_never_runs(cases: Cases, dialect: Dialect) -> None:
    """At every character before its end, and for every reason that the stream may have ended."""
    text = written(dialect, next(call for call in (FILE, CHANGE) if holds(dialect, call)))
    for at in range(1, len(text)):
        for cause in ("stop", "unknown", "length"):
            found = list(GUARD.scan([text[:at], End(cause)]))
            assert original(found) == text[:at]
            assert calls(found) == [], (text[:at], cause)
    cases(3 * len(text))


def damaged(text: str, rng: Random) -> str:
    """Return a text with one fault: a marker's line lost, doubled, shortened, in the wrong case, or put into a value."""
    lines = text.splitlines(keepends=True)
    marks = [at for at, line in enumerate(lines) if line.startswith(("*** ", "@@", "<", ">", "==="))]
    at, other = rng.choice(marks), rng.randrange(len(lines))
    fault = rng.randrange(7)
    if fault == 0 and not lines[at].startswith(("*** Add", "*** Upd", "@@")):  # nobody can see that a whole line was lost there
        del lines[at]
    elif fault == 1:
        lines.insert(at, lines[at])
    elif fault == 2:
        lines[at] = lines[at][rng.randint(1, 3) :]
    elif fault == 3:
        lines[at] = lines[at].rstrip("\n")[: -rng.randint(1, 3)] + "\n"
    elif fault == 4:
        lines[at] = lines[at].lower()
    elif fault == 5:
        lines.insert(other, lines[at])
    else:
        return text[: rng.randrange(len(text))]
    return "".join(lines)


def says(dialect: Dialect, text: str, ran: Sequence[Call]) -> bool:
    """Whether a text is, but for blanks, how its dialect writes these calls: then it says these and no others."""
    try:
        return "".join(dialect.write(ran).split()) == "".join(text.split())
    except ValueError:
        return False


@each
@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_no_change_runs_that_was_not_meant(cases: Cases, dialect: Dialect) -> None:
    """Markers lost, doubled, shortened, in other places, and cut off."""
    rng = Random(dialect.name)
    known = [call for call in (FILE, LINES, CHANGE, TAKEN, DELETED) if holds(dialect, call)]
    for _ in range(DAMAGED):
        meant = rng.sample(known, rng.randint(1, len(known)))
        text = damaged(written(dialect, *meant), rng)
        found = items([text])
        assert original(found) == text
        ran = calls(found)
        for call in ran:
            assert call in [(name, dict(held)) for name, held in meant] or says(dialect, text, ran), (text, call)
        if dialect.whole and 0 < len(ran) < len(meant):
            assert says(dialect, text, ran), text
    cases(DAMAGED)


PATCH: Final = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n-x\n+y\n*** Delete File: c\n*** End Patch"
)


@pytest.mark.parametrize("field", ["patch", "input"])
def test_a_tool_for_patches_takes_the_whole_patch(field: str) -> None:
    guard = Guard(Toolset(tool("apply_patch", (field,), **{field: TEXT}), *FILE_TOOLS), dialects=["v4a_patch"])
    assert calls(items([f"So:\n{PATCH}\nDone.\n"], guard)) == [("apply_patch", {field: PATCH})]


@pytest.mark.promise("P7")
def test_a_patch_runs_whole_or_not_at_all() -> None:
    """One change of it that cannot run refuses all, whichever it is."""
    good = [FILE, TAKEN, DELETED]
    bad: Call = ("write_file", {"path": "/etc/passwd", "content": "x\n"})
    dialect = DIALECTS["v4a_patch"]
    assert len(calls(items([dialect.write(good)]))) == 3
    for at in range(4):
        found = items([dialect.write([*good[:at], bad, *good[at:]])])
        (block,) = (item for item in found if isinstance(item, ToolBlock))
        assert (block.executable, block.outcome) == (False, "failed")
        assert "ambiguous_value" in [issue.code for issue in block.found]


HUNKS: Final = {
    " x\n-b\n+c\n": ("x\nb\n", "x\nc\n"),
    "-b\n+c\n": ("b\n", "c\n"),
    "-b\n+c\n   y\n": ("b\n  y\n", "c\n  y\n"),
    " x\n \n+  c\n  y\n": ("x\n\n y\n", "x\n\n  c\n y\n"),
    "-  b\n-\tc\n": ("  b\n\tc\n", ""),
}
"""Hunks of a patch, with the lines that are there, and those in their place."""


@pytest.mark.promise("P7")
def test_the_blank_before_a_line_of_context_is_a_sign_and_no_indent(cases: Cases) -> None:
    """Whatever stands before and behind it: another hunk, another file, one that is new or one that is deleted."""
    rng = Random(1)
    for _ in range(100):
        text, meant = "*** Begin Patch\n", []
        for number in range(rng.randint(1, 4)):
            path = f"f{number}.py"
            kind = rng.choice(("Update", "Update", "Update", "Add", "Delete"))
            text += f"*** {kind} File: {path}\n"
            if kind == "Delete":
                meant.append(("delete_file", {"path": path}))
            elif kind == "Add":
                text += "+  a\n+ b\n"
                meant.append(("write_file", {"path": path, "content": "  a\n b\n"}))
            for _ in range(rng.randint(1, 3) if kind == "Update" else 0):
                hunk = rng.choice([*HUNKS])
                text += f"@@\n{hunk}"
                meant.append(("edit_file", {"path": path, "search": HUNKS[hunk][0], "replace": HUNKS[hunk][1]}))
        text += "*** End Patch\n"
        for pieces in ([text], by_char(text), *random_splits(text, 1, 1)):
            blocks = [item for item in GUARD.scan([*pieces, End("stop")]) if isinstance(item, ToolBlock)]
            assert [(item.tool, item.arguments) for item in blocks if item.executable] == [
                (name, {"tool": name, **arguments}) for name, arguments in meant
            ], text
        cases(3)


ACTION: Final = '<boltAction type="file" filePath="i.js">{text}</boltAction>'
ARTIFACT: Final = f'<boltArtifact id="a" title="{{title}}">\n{{indent}}{ACTION}\n</boltArtifact>'
"""An artifact with one file, whose marker may stand behind an indent."""


@pytest.mark.some(6)
@pytest.mark.promise("P7")
@pytest.mark.parametrize("title", ["t", "A > B", "A -> B > C", "it's", 'say "x"'])
@pytest.mark.parametrize("indent", ["", "  ", "\t"])
def test_a_file_in_an_artifact_begins_and_ends_beside_its_markers_or_not(indent: str, title: str) -> None:
    """An indent of the markers is in doubt only where a text of several lines has none at the left edge."""
    for lines, edge in (("run(x)", True), ("import x\n\nrun(x)", True), ("if x:\n  run(x)", False), ("  a\n  b", False)):
        for begin, end in (("", ""), ("", "\n"), ("\n", "\n"), ("\n", f"\n{indent}")):
            text = ARTIFACT.format(title=title, indent=indent, text=f"{begin}{lines}{end}")
            text = text if '"' not in title else text.replace(f'"{title}"', f"'{title}'")
            text = text if "'" in text else text.replace('"', "'") if len(lines) % 2 else text
            doubt = bool(indent) and (end == f"\n{indent}" or not (edge or (begin and lines[0] != " ")))
            content = lines if lines.endswith("\n") else f"{lines}\n"
            for pieces in ([text], by_char(text)):
                (block,) = (item for item in GUARD.scan([*pieces, End("stop")]) if isinstance(item, ToolBlock))
                assert block.executable is not doubt, text
                assert doubt or block.arguments == {"tool": "write_file", "path": "i.js", "content": content}, text


def test_the_fields_of_a_tool_are_found_by_their_usual_names() -> None:
    """Flat, inside another field, and under other names; a toolset without such a tool has no such dialect."""
    text = f"a.txt\n{SEARCH}\n"
    for fields, arguments in (
        (("path", "search", "replace"), {"path": "a.txt", "search": "Two\n", "replace": "Three\n"}),
        (("file_path", "old_string", "new_string"), {"file_path": "a.txt", "old_string": "Two\n", "new_string": "Three\n"}),
    ):
        for name in ("edit_file", "edit"):
            guard = Guard(Toolset(tool(name, fields, **dict.fromkeys(fields, TEXT))), dialects="all")
            assert calls(items([text], guard)) == [(name, arguments)]
    nested = {"path": "a.txt", "search_replace": {"old_string": "Two\n", "new_string": "Three\n"}}
    assert calls(items([text], Guard(FILE_TOOLS, dialects="all"))) == [("edit_file", nested)]
    assert items([text], Guard(TOOLS, dialects="all")) == [text]


def test_only_a_tool_that_is_made_for_it_takes_an_empty_search() -> None:
    """It creates a file, or adds to it: the others would not know where."""
    text = "a.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
    assert calls(items([text])) == [("edit_file", {"path": "a.txt", "search": "", "replace": "x\n"})]
    assert calls(items([text], Guard(FILE_TOOLS, dialects="all"))) == []


def test_an_action_that_is_no_file_is_a_tool_of_that_name() -> None:
    shell = Tool.of({"name": "shell", "description": "", "input_schema": {"type": "object", "properties": {"content": TEXT}}})
    text = '<boltArtifact id="a"><boltAction type="shell">npm install</boltAction></boltArtifact>'
    assert calls(items([text], Guard(Toolset(shell), dialects=["bolt_artifact"]))) == [("shell", {"content": "npm install"})]


@each
def test_a_prompt_teaches_what_the_dialect_reads(dialect: Dialect) -> None:
    prompt = FILE_TOOLS.to_prompt(dialect=dialect.name)
    samples = [call for call in (CREATED, EDITED, DELETED) if holds(dialect, call)]
    assert all(written(dialect, call) in prompt for call in samples)
    with pytest.raises(ValueError, match="can call none of these tools"):
        Toolset(tool("list_all")).to_prompt(dialect=dialect.name)


@each
def test_a_writer_refuses_what_its_dialect_cannot_hold(dialect: Dialect) -> None:
    for call in (
        ("find_notes", {"query": "x"}),
        ("write_file", {"path": "a", "content": "no line end"}),
        ("write_file", {"path": "a\nb", "content": "x\n"}),
        ("write_file", {"path": "a", "content": "x\n", "mode": "w"}),
        ("edit_file", {"path": "a", "search": "x\n", "replace": "no line end"}),
        ("edit_file", {"path": "a"}),
        ("delete_file", {"path": " a"}),
    ):
        assert not holds(dialect, call)


INNER: Final = '```json\n{"tool": "delete_file", "path": "/"}\n```'
LOST: Final = (
    "<<<<<<< SEARCH\nExample:\n{}\n=======\nx\n>>>>>>> REPLACE\n",
    "Here it is\n<<<<<<< SEARC\n{}\n=======\nx\n>>>>>>> REPLACE\n",
    "a.md\n<<<<<< SEARCH>\n{}\n=======\nx\n>>>>>>> REPLACE\n",
    "*** Begin Patc\n*** Update File: a.md\n@@\n-x\n {}\n*** End Patch\n",
    "*** Update File: a.md\n@@\n-x\n {}\n*** End Patch\n",
    '<boltArtifac id="a"><boltAction type="file" filePath="a.md">\n{}\n</boltAction></boltArtifact>\n',
    'boltArtifact id="a">\n<boltAction type="file" filePath="a.md">\n{}\n</boltAction></boltArtifact>\n',
)


@pytest.mark.parametrize("text", LOST)
@pytest.mark.promise("P8")
def test_no_call_in_a_file_runs_whose_own_change_has_lost_its_opener(text: str) -> None:
    for inner in (INNER, INNER.replace("\n", "\n ")):
        whole = text.format(inner)
        found = items([whole])
        assert calls(found) == [], whole
        assert original(found) == whole
        for chunks in (by_char(whole), *random_splits(whole, 0, 3)):
            assert items(chunks) == found


@pytest.mark.parametrize("line", ["-x", "+x", "*x", "**x**", "- x", "-", "1.x", "*** x", "> -x", " -x"])
@pytest.mark.promise("P2")
def test_a_line_that_begins_like_a_list_is_read_alike_however_it_is_cut(line: str) -> None:
    """Of such a character it shows only behind it whether it is a list marker, or begins an opener."""
    for text in (f"{line}\n {INNER}\nx\n", f"{line}\n{written(CARRIERS['v4a_patch'], DELETED)}\n"):
        found = items([text])
        for chunks in (by_char(text), *every_split(text)):
            assert items(chunks) == found, chunks
