"""Texts that a line which names a tool has opened, in whatever notation."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from stream_guard.scan.lines import HEAD
from stream_guard.scan.named import PIECE
from stream_guard.testing import by_char, every_split, random_splits
from tests.kit.scanning import composed, followed, followed_at_ease

LEFT_OPEN: Final = [
    "writeFile({path: 'a', content: `t\n",
    "await client.WriteFile({path: 'a', content: `t\n",
    "callTool('write_file', {path: 'a', content: `t\n",
    'call_tool("write-file", "a", "t\n',
    'writeFile("a", """t\n',
    'WriteFile(Path: "a", Content: @"t\n',
    'WriteFile(WriteFile{Path: "a", Content: `t\n',
    '<write_file path="a" content="t\n',
    "<WriteFile path='a' content='t\n",
    '<write_file\n path="a"\n content="t\n',
    '[write_file]\npath = "a"\ncontent = """\nt\n',
    '[[write_file]]\ncontent = """\n\nt\n\nu\n',
    "[write_file]\r\ncontent = '''\r\nt\r\n",
    "Action: write_file[a, t\n",
    "Action: write_file[a, it's t\n",
    '**tool**: write_file\n**content**: "t\n',
    "### write_file\n\ncontent: |\n  t\n  ",
    "**write_file**\n- path: a\n- content: 't\n",
    "write_file path: 'a', content: 't\n",
    "write_file path: 'a', content: 'it's t\n",
    "write_file 'a', 't\n",
    "$ write_file 'a' \"t\n",
    "['tool' => 'write_file', 'content' => 't\n",
    "array('tool' => 'write_file', 'content' => 't\n",
    "write_file{content = [[t\n",
    "{tool = 'write_file', content = [[t\n",
    "write_file --content 't\n",
    'write-file --content="t\n',
    'write_file \\\n  --path a \\\n  --content "t\n',
    "write_file a <<'EOF'\nt\n",
    "write_file a <<EOF\nt\n\nu\n",
    "write_file(path: 'a', content: <<~TEXT)\nt\n",
    '(write_file :content "t\n',
    '(write_file\n  :path "a"\n  :content "t\n',
    '{:tool "write_file" :content "t\n',
    "write_file:\n path: a\n content: |\n   t\n   ",
    "- write_file:\n    content: >-\n      t\n\n      ",
    "write_file:\n  content: 't\n\nu\n",
    'write_file content="say "hi" to\n',
    "write_file content: \u201ct\n",
    "CALL write_file('a', 't\n",
    'let x = write_file "a" r#"t\n',
    "/write_file 't\n",
    "@write_file 't\n",
    "\u2192 write_file: 't\n",
    "functions.write_file 't\n",
    f"{'x ' * 40}write_file 't\n",
]
CLOSED: Final = [
    "I'll use write_file: here's the file\n",
    "`write_file` (see below):\n",
    "Calling write_file('a') now.\n",
    "**write_file**\n",
    "### write_file\n\nThe tool's text:\n",
    "- write_file: it's quick\n- edit_file: that's exact\n- delete_file: it can't be undone\n",
    "1. `write_file`: it writes the file's text\n2. `edit_file`: it's exact\n",
    "1) write_file\n2) edit_file\n",
    "a) write_file, b) edit_file:\n",
    "write_file it is:\n",
    "Using write_file:\n",
    "Tool: write_file\nPath: a\n",
    "Tool: write_file\nPath: 'a'\n",
    "Let's write_file 'a' and 'b':\n",
    "The users' write_file calls:\n",
    'The "write_file" tool\'s call:\n',
    "The 'write_file' tool's call:\n",
    "The \u2018write_file\u2019 tool\u2019s call:\n",
    "The \u201cwrite_file\u201d call:\n",
    "The \u00abwrite_file\u00bb call:\n",
    "I call `write_file` with `path` = `a`:\n",
    "I call `write_file` (it's what you asked for):\n",
    "I call write_file (as I said, it's new\nand empty):\n",
    "I call write_file (as follows:\n",
    "(write_file does it, as follows:\n",
    "write_file :( failed, so again:\n",
    "write_file :-) again:\n",
    'He said "use write_file" and I do:\n',
    'He said "please\nuse write_file" and I do:\n',
    "He said 'please\nuse write_file' and I do:\n",
    "As you said (and\nwrite_file is right), I do:\n",
    "| tool | use |\n|---|---|\n| write_file | it's new |\n| edit_file | it isn't |\n",
    "- [ ] write_file\n- [x] edit_file\n",
    "[write_file](docs/write_file.md) is used:\n",
    '![write_file](a.png "it\'s")\n',
    "> write_file: it's quoted\n",
    "`write_file(` opens it:\n",
    "`write_file(path, content)`:\n",
    "``write_file`` it is:\n",
    "write_file -> 'a':\n",
    "write_file => done; it's next:\n",
    "write_file, edit_file & delete_file:\n",
    "write_file() is one:\n",
    "write_file's call:\n",
    "WriteFile's call: it's here\n",
    "write-file is what's needed:\n",
    "Step 1: write_file\nStep 2: edit_file\n",
    "Step 1: write_file\nNote: it's last year's file\n",
    "write_file:\n  path: a\n  content: |\n    t\nNow:\n",
    "write_file:\n  path: a\n",
    "write_file a <<'EOF'\nit's t\nEOF\n",
    "write_file --path a --content 't'\n",
    "write_file --path a\n\nIt's done:\n",
    '[write_file]\npath = "a"\ncontent = """\nt"""\n',
    "[write_file]\n\nIt's done:\n",
    '<write_file path="a" content="t"/>\n',
    "The <write_file> tool's call:\n",
    'def write_file(path, text):\n    """Write it; it\'s new."""\n    return \'a\'\n',
    '"""\nCalls write_file.\n"""\n',
    '    """\n    Calls write_file,\n    and edit_file."""\n',
    "# don't call write_file: it's old\n",
    "// don't call writeFile: it's old\n",
    "import { writeFile } from 'fs';\n",
    'const { writeFile } = require("fs")\n',
    "const writeFile = (a) => {\n  return `a${a}`\n}\n",
    "await writeFile('a', `t\nu`);\n",
    "echo \"write_file\" > a; echo 'x'\n",
    "The error was: write_file: can't open 'a'\n",
    'write_file failed with "it\'s gone":\n',
    "Error in write_file (line 3): expected ')':\n",
    'Error in write_file: expected "\\"":\n',
    "The 5\" write_file and 6' edit_file:\n",
    "write_file < edit_file; 3 < 4:\n",
    "write_file << 2 is odd:\n",
    "write_file | tee:\n",
    "Here: write_file, then:\n\n- it's one\n- it's two\n",
    "write_file {path} takes `path`:\n",
    "write_file[0] isn't it:\n",
    "test_write_file: 'a\n",
    "write_files 'a\n",
    "```write_file 'a\n",
    f"{'x' * HEAD} write_file 'a\n",
    "Call the tool `write_file` once more, since the first call failed with \"no such directory: 'a'\", so:\n",
]
PARTS: Final = [
    *LEFT_OPEN,
    *CLOSED,
    *"{}()[]<>:='\"`|#,_\\\t\r\na",
    '"""',
    "<<EOF",
    "\r\n",
    "```\n",
    "EOF\n",
    "  ",
    "write_file",
    "writeFile ",
    "and on " * 12,
    "and so on. " * 90,
    "x" * (HEAD - 1),
    "x" * (PIECE - 1),
]


@pytest.mark.parametrize("text", LEFT_OPEN)
def test_a_text_is_open_at_every_cut(text: str) -> None:
    for pieces in (*every_split(text), by_char(text)):
        assert followed(pieces).leaves_open(), pieces


@pytest.mark.parametrize("text", CLOSED)
def test_what_speaks_of_a_tool_leaves_nothing_open(text: str) -> None:
    for pieces in (*every_split(text), by_char(text)):
        assert not followed(pieces).leaves_open(), pieces
    if "'a\n" not in text:
        assert followed([text, LEFT_OPEN[0]]).leaves_open(), "and hides nothing behind it"


def test_the_cut_makes_no_difference() -> None:
    for text in composed(PARTS, Random(10), 400, 12):
        whole = followed([text]).leaves_open()
        for pieces in (by_char(text), *random_splits(text, 9, 2)):
            assert followed_at_ease(pieces).leaves_open() is whole, pieces
