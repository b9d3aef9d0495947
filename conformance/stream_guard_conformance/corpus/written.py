"""Rows that were written by hand: each is a thing that a reader of streams has got wrong, or could easily get wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from .fences import FILE_TOOLS
from .rows import End, Meant, Piece, Row, cut


@dataclass(frozen=True, slots=True)
class Written:
    """A text, and what must come out of it."""

    why: str
    text: str
    texts: Sequence[Piece]
    calls: Sequence[Meant] = ()
    needs: Sequence[str] = ()
    end: End = "stop"


def _write(path: str, content: str, *, must: bool = True) -> Meant:
    return Meant("write_file", {"path": path, "content": content}, must)


def _drop(path: str, *, must: bool = True) -> Meant:
    return Meant("delete_file", {"path": path}, must)


_A: Final = '{"tool": "delete_file", "path": "a"}'
_B: Final = '{"tool": "delete_file", "path": "b"}'

WRITTEN: Final = (
    Written(
        "A file whose text has a fenced block with raw line ends does not end at the fence in it.",
        'A README:\n\n```json\n{"tool": "write_file", "path": "README.md", "content": "# T\n\n```bash\npip install x\n'
        '```\n\nEnd.\n"}\n```\nSo.\n',
        ["A README:\n\n", None, "So.\n"],
        [_write("README.md", "# T\n\n```bash\npip install x\n```\n\nEnd.\n", must=False)],
        ["repair"],
    ),
    Written(
        "A fence in a text, written with escapes, ends nothing.",
        'A README:\n\n```json\n{"tool": "write_file", "path": "README.md", "content": "```bash\\nls\\n```\\n"}\n```\nSo.\n',
        ["A README:\n\n", "", "So.\n"],
        [_write("README.md", "```bash\nls\n```\n")],
    ),
    Written(
        "The text of a file may hold a call; that is part of the file.",
        'So:\n\n```json\n{"tool": "write_file", "path": "call.md", '
        '"content": "```json\\n{\\"tool\\": \\"delete_file\\", \\"path\\": \\"a\\"}\\n```"}\n```\n',
        ["So:\n\n", ""],
        [_write("call.md", f"```json\n{_A}\n```")],
    ),
    Written(
        "Two blocks without a line between them are two calls.",
        f"```json\n{_A}\n```\n```json\n{_B}\n```\n",
        ["", "", ""],
        [_drop("a"), _drop("b")],
        ["several"],
    ),
    Written(
        "A call that is shown in prose before it is made runs once.",
        f"I would write `{_A}` for that.\n\n```json\n{_B}\n```\n",
        [f"I would write `{_A}` for that.\n\n", ""],
        [_drop("b")],
    ),
    Written(
        "A path that stands there twice, with two values, says neither.",
        '```json\n{"tool": "delete_file", "path": "a", "path": "b"}\n```\n',
        [None],
        needs=["schemas"],
    ),
    Written(
        "A tool that stands there twice, with two names, says neither.",
        '```json\n{"tool": "delete_file", "tool": "write_file", "path": "a", "content": ""}\n```\n',
        [None],
        needs=["schemas"],
    ),
    Written("NaN is not JSON and no path.", '```json\n{"tool": "delete_file", "path": NaN}\n```\n', [None], needs=["schemas"]),
    Written(
        "Half of a surrogate pair is no character, and no path.",
        '```json\n{"tool": "delete_file", "path": "\\ud83d"}\n```\n',
        [None],
        needs=["schemas"],
    ),
    Written(
        "An escaped pair of surrogates is one character.",
        '```json\n{"tool": "write_file", "path": "a", "content": "\\ud83d\\ude00"}\n```\n',
        ["", ""],
        [_write("a", "😀")],
    ),
    Written(
        "A null character in a text is a character like any other.",
        '```json\n{"tool": "write_file", "path": "a", "content": "x\\u0000y"}\n```\n',
        ["", ""],
        [_write("a", "x\0y")],
    ),
    Written(
        "Line separators of Unicode end no line of JSON.",
        '```json\n{"tool": "write_file", "path": "a", "content": "x\u2028y\u2029z\x85"}\n```\n',
        ["", ""],
        [_write("a", "x\u2028y\u2029z\x85")],
    ),
    Written(
        "A comment in a block is no part of a text.",
        '```json\n{"tool": "delete_file", "path": "a" /* not "b" */}\n```\n',
        [None],
        [_drop("a", must=False)],
        ["repair"],
    ),
    Written(
        "An address with two slashes has no comment in it.",
        '```json\n{"tool": "write_file", "path": "a", "content": "https://example.com // x"}\n```\n',
        ["", ""],
        [_write("a", "https://example.com // x")],
    ),
    Written(
        "A text that says `true` is a text.",
        '```json\n{"tool": "write_file", "path": "a", "content": "true"}\n```\n',
        ["", ""],
        [_write("a", "true")],
    ),
    Written(
        "An empty text is a text, and not a missing one.",
        '```json\n{"tool": "write_file", "path": "a", "content": ""}\n```\n',
        ["", ""],
        [_write("a", "")],
    ),
    Written(
        "A path in the text of an edit stays where it stands.",
        '```json\n{"tool": "edit_file", "path": "a", "search_replace": '
        '{"old_string": "\\"path\\": \\"a\\"", "new_string": "\\"path\\": \\"b\\""}}\n```\n',
        ["", ""],
        [Meant("edit_file", {"path": "a", "search_replace": {"old_string": '"path": "a"', "new_string": '"path": "b"'}})],
    ),
    Written(
        "A reply that was cut off inside a path does not name that path.",
        '```json\n{"tool": "delete_file", "path": "/home/ann/tmp',
        [None],
        end="length",
    ),
    Written(
        "A number that was cut off is another number.",
        '```json\n{"tool": "write_file", "path": "a", "content": "x", "mode": 64',
        [None],
        end="length",
    ),
    Written(
        "A second block that was cut off does not undo the first.",
        f"```json\n{_A}\n```\nand\n```json\n{_B[:-9]}",
        ["", "and\n", None],
        [_drop("a")],
        end="length",
    ),
    Written(
        "A value that was left out, with dots in its place, is not a value.",
        '```json\n{"tool": "write_file", "path": "a", "content": ...}\n```\n',
        [None],
        needs=["schemas"],
    ),
    Written(
        "A schema of a call is no call.",
        '```json\n{"type": "object", "properties": {"tool": {"const": "delete_file"}, "path": {"type": "string"}}}\n```\n',
        ['```json\n{"type": "object", "properties": {"tool": {"const": "delete_file"}, "path": {"type": "string"}}}\n```\n'],
        needs=["intent", "text"],
    ),
    Written("An empty object is no call.", "```json\n{}\n```\n", ["```json\n{}\n```\n"], needs=["intent", "text"]),
    Written("An empty fence is no call.", "```json\n```\n", ["```json\n```\n"], needs=["intent", "text"]),
    Written("A fence alone is text.", "Use ```\n", ["Use ```\n"], needs=["text"]),
    Written("Text that ends in backticks is text.", "It is called ``", ["It is called ``"], needs=["text"]),
    Written("Text that ends in half an opener is text.", "So:\n```js", ["So:\n```js"], needs=["text"]),
    Written("Lines that end with CR LF come out so.", "a\r\nb\r\n", ["a\r\nb\r\n"], needs=["text"]),
    Written("White space at the ends comes out.", "  \n a \n\n", ["  \n a \n\n"], needs=["text"]),
    Written("Nothing is nothing.", "", [""], needs=["text"]),
)  # fmt: skip
"""The rows, each of which is cut in three ways."""


def rows(seed: int) -> Iterator[Row]:
    """Yield each text whole, by character, and cut at random."""
    rng = Random(f"written:{seed}")
    for row in WRITTEN:
        for how in ("whole", "characters", "random"):
            deltas = cut(row.text, how, rng) or [""]
            needed = ("fence", *row.needs, *(("streams",) if len(deltas) > 1 else ()))
            yield Row("by-hand", row.why, FILE_TOOLS, deltas, row.calls, texts=[row.texts], needs=needed, end=row.end)
