"""Calls, and other JSON, that stand in prose and may hold a fence in a text."""

from __future__ import annotations

import pytest

from stream_guard.dialects.table import TOOL
from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.strays import STRAYS
from stream_guard.scan.unfenced import OPENERS, SHAPED, WRAPPERS, Unfenced
from stream_guard.testing import every_split
from stream_guard.tools.files import FILE_TOOLS

LEFT_OPEN = [
    '{"tool": "write_file", "content": "a\n',
    '[{"name": "write_file", "arguments": {"content": "a\n',
    "{tool: 'write_file', content: 'a\n",
    '{"tool": "write_file", "content": "say "a" \n',
    "[write_file(content='a\n",
    "[write_file(content='a }])\n",
    '{"tool": "write_file", "content":: "a }\n',
    '{"tool": : "write_file", "content": "a \\" } ]\n',
    '{"tool" = "write_file", "content" = "say \\"a\\" }\n',
    '{\\"tool\\": \\"write_file\\", \\"content\\": \\"a }\n',
    "{«tool»: «write_file», «content»: «a }\n",
    "{“tool”: “write_file”, “content”: “a }\n",
    "{tool: 'write_file', content: 'a }\n",
    "{'arguments': {'content': 'a\n",
    "[{'role': 'user', 'content': 'a\n",
    "{content: 'a\n",
    "{“content”: “a }\n",
    '{\\"content\\": \\"a }\n',
    '{"content": "say "a" \n',
    '<tool_call>{"name": "x", "arguments": {"a": "b\n',
    '<tool_call>\n{"name": "x", "arguments": {"a": "say "b" }}\n',
    '[TOOL_CALLS]x[ARGS]{"a": "b\n',
    '<|tool_call_begin|>functions.x:0<|tool_call_argument_begin|>{"a": "b',
    "<function_calls>x(a='b\n",
    '<|tool_call>call:x{a:<|"|>b\n',
    "<write_file>\n<content>a\n",
    "<parameter=content>\na\n",
    "*** Begin Patch\n",
    '<boltAction type="file" filePath="a.md">\n',
    "<<<<<<< HEAD\nx\n",
    "<|tool_call:start|>x\n",
    "<｜ABCD｜invoke name=",
    "<tool_call:abc>x\n",
    "]<]abc[>[<tool_call>\n",
]
CLOSED = [
    '{"tool": "write_file", "content": "a\n"}\n',
    '[{"name": "write_file", "arguments": {"content": "a\n"}}]\n',
    '<tool_call>\n{"name": "x", "arguments": {"a": "b\n"}}\n</tool_call>\n',
    '[TOOL_CALLS]x[ARGS]{"a": "b\n"}\n',
    "[write_file(content='a')]\n",
    "[write_file(content='a ]')]\n",
    '{"tool":: "write_file", "content": "a } \\\\"}\n',
    '{\\"tool\\": \\"write_file\\", \\"content\\": \\"say \\\\\\"a\\\\\\" }\\"}\n',
    "{«tool»: «write_file», «content»: «a {»}\n",
    "{tool: 'write_file', content: it's}\n",
    "<tool_call>\n",
    '{"tool": "write_file", ...}\n',
    "{x | x > 0}\n",
    "{ not JSON",
    "[a link](https://x.y)\n",
    "[x] done\n",
    "<details>\n<summary>a\n",
    "for every file\n",
    "**bold**\n",
    "<|tool_call:end|>\n",
    "<https://tool.call/>\n",
    "]<]abc\n",
]


def followed(pieces: list[str]) -> Unfenced:
    unfenced = Unfenced(0, FILE_TOOLS)
    for piece in pieces:
        unfenced.feed(piece)
    return unfenced


@pytest.mark.parametrize(("text", "open_"), [*((text, True) for text in LEFT_OPEN), *((text, False) for text in CLOSED)])
def test_it_is_known_at_every_cut_whether_a_text_is_open(text: str, open_: bool) -> None:
    for pieces in every_split(text):
        assert followed(pieces).leaves_open is open_, pieces


def test_every_opener_of_a_dialect_is_known() -> None:
    """Brackets, the tags of tools, and what has the shape of a special token are read without a list."""
    bare = ("{", "[", f"<{TOOL}>")
    for dialect in DIALECTS.values():
        for opener in (one for one in dialect.openers if one.place != "reply"):
            told = f"{opener.text}[" if opener.text.isalpha() else opener.text  # a word of prose needs its bracket
            listed = told.startswith((*bare, *OPENERS)) or opener.text.lower().startswith(STRAYS)
            assert listed or SHAPED.match(told) is not None, (dialect.name, opener.text)


def test_a_wrapper_with_nothing_in_it_leaves_nothing_open() -> None:
    """Its closer has to end its line. With anything in it, or behind it, nothing shows that it is over."""
    assert WRAPPERS.items() >= {
        (opener.text.lower(), dialect.closers[0].lower())
        for dialect in DIALECTS.values()
        for opener in dialect.openers
        if len(dialect.closers) == 1 and opener.text.lower() in WRAPPERS and dialect.name != "longcat"
    }
    for opener, closer in WRAPPERS.items():
        for blanks in ("", "\n", " \r\n", "\n\n"):
            for text, open_ in (
                (f"{opener}{blanks}{closer}\n", False),
                (f"{opener}{blanks}{closer} \t\r\nmore\n", False),
                (f"{opener}{blanks}{closer}", True),
                (f"{opener}{blanks}{closer} x\n", True),
                (f"{opener}{blanks}{closer}{opener}x\n", True),
                (f"{opener}{blanks}x{closer}\n", True),
                (f"{opener}{blanks}{closer[:-1]}\n", True),
                (f"{opener}{closer}{' ' * 100}\n", True),
            ):
                assert followed([text]).leaves_open is open_, text
                assert followed(list(text)).leaves_open is open_, text
