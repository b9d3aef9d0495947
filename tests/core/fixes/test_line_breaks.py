"""Why a raw line break is refused: each check has a block that it refuses, and says so."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from stream_guard import Limits, Tool, Toolset
from stream_guard.fixes.engine import Engine
from stream_guard.fixes.line_breaks import LINE_CHECKS
from tests.kit.checks import have_reasons

_TEXT: Any = {"type": "string"}
_FIELDS = dict.fromkeys(("content", "body", "command", "user_id", "title", "label"), _TEXT)
TOOLS = Toolset(Tool("note", "", {"type": "object", "properties": _FIELDS, "additionalProperties": False}))
ENGINE = Engine(TOOLS, Limits(), "likely")

_SENTENCE = "we send the parcel on its way tomorrow, by the road along the river, with the se"

REFUSED = {
    "quote_marks": '1: {"tool": "note", "content": "One.\n2: Two."}',
    "stray_control": '{"tool": "note", "content": "a\x00b"}',
    "tab_in_a_word": '{"tool": "note", "content": "fr\tont"}',
    "margin": '  {"tool": "note",\n  "content": "One.\n  Two."\n  }',
    "half_a_break": '{"tool": "note",\r\n"content": "One.\rTwo."}',
    "break_behind_a_key": '{"tool": "note", "content":\n"One.\nTwo."}',
    "line_marks": '{"tool": "note", "content": "One.\n2: Two.\n3: Three."}',
    "break_in_json": '{"tool": "note", "content": "{\\"a\\": \\"x\ny\\"}"}',
    "cut_line": '{"tool": "note", "content": "kit\nchen"}',
    "begun_again": '{"tool": "note", "content": "One.\nOne. Two."}',
    "hanging_indent": '{"tool": "note", "content": "One.\n    two three,\n    four.\n    Five."}',
    "broken_command": '{"tool": "note", "command": "rm -rf a\n b\nc"}',
    "few_lines": '{"tool": "note", "label": "One\nand\nthree"}',
    "one_word": '{"tool": "note", "content": "word\n"}',
    "lone_backslash": '{"tool": "note", "content": "a \\\\\\n  b.\n\\\\\\n  c"}',
    "folded": '{"tool": "note", "content": "One.\\n\\\n    Two."}',
    "lone_closer": '{"tool": "note", "content": "One.\n}Two"}',
    "in_a_sentence": '{"tool": "note", "content": "One (was 10\nEUR); two.\nThree."}',
    "in_a_unit": '{"tool": "note", "content": "<div cla\nss=a>One.\nTwo.\nThree."}',
    "page_number": '{"tool": "note", "content": "the kitch\n\n2\n\nen lamp"}',
    "beside_a_quote": '{"tool": "note", "content": "call the plumber\n"}',
    "edge": '{"tool": "note",\n  "content": "One. Two.\n"}',
    "full_line": '{"tool": "note", "content": "note: yyyyy\nNext: x"}',
    "one_margin": '{"tool": "note", "content": "we went to the old\n'
    "house by the riverside, and there we met the\nothers who had come by the road, we went to the\n"
    'old house by the riverside"}',
    "wrapped_text": f'{{"tool": "note", "content": "Dear all,\n{_SENTENCE}\nrvice. Yours\nEva"}}',
    "doubled_breaks": '{"tool": "note",\n\n"content": "One.\n\nTwo."}',
    "slipped_in": '{"tool": "note", "content": "One.\\nTwo.\\n\nThree.\\nFour."}',
    "full_lines": '{"tool": "note", "label": "two and ",\n"content": "It was so. He left us it.\nThree."}',
    "quoted_printable": '{"tool": "note", "content": "One=\nTwo=\nThree."}',
    "open_fence": '{"tool": "note", "content": "One.\n```\nTwo."}',
    "frame": '{"tool": "note", "content": "One.\ndata: [DONE]\nTwo."}',
    "one_line_field": '{"tool": "note", "user_id": "One.\nTwo."}',
}  # fmt: skip
"""For each check, in their order, a block that it is the first to refuse."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_break_is_refused_by_the_first_check_that_applies(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="stream_guard"):
        assert ENGINE.tried(REFUSED[name], fenced=True).mended == ()
    said = [record.getMessage() for record in caplog.records]
    assert [one.partition("): ")[0] for one in said] == [f"a raw line break of a block is refused ({name}"]
    assert not any("One" in one for one in said), "the log has nothing of the block"


@pytest.mark.parametrize("name", [name for name, body in REFUSED.items() if "'" not in body and '\\"' not in body])
def test_a_line_break_is_refused_between_single_quotes_too(name: str) -> None:
    """A check asks about any quotes that are not allowed to have several lines."""
    assert ENGINE.tried(REFUSED[name].replace('"', "'"), fenced=True).mended == ()


def test_every_line_check_has_a_name_of_its_own_a_reason_and_a_block_that_it_refuses() -> None:
    have_reasons(LINE_CHECKS, REFUSED)


@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "note", "content": "One.\nTwo.\n\nThree."}',
        '{\n  "tool": "note",\n  "content": "def f():\n    return 1\n"\n}',
        '{"tool": "note", "content": "- milk\n- eggs"}',
    ],
)
def test_no_check_is_named_where_the_lines_were_meant(body: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="stream_guard"):
        assert len(ENGINE.tried(body, fenced=True).mended) == 1
    assert caplog.records == []


TEXTS: Final = (
    "docker run \\\n  --name web \\\n  -p 80:80 nginx",
    '#!/bin/sh\nfor i in 1 2; do\n  echo "$i"\ndone\n',
    "def f(x):\n    if x == 1:\n        return 2\n    y = x or 3\n    return y\n",
    "Subject: Re: x\nFrom: Ann B\n\nWe met on Monday. All is well.\n",
    "- one thing\n- two things\n\n```\nx = 1\n```\n\nEnd of it.",
    "services:\n  web:\n    image: nginx latest\n    ports: 80 81\n",
    '<ul>\n  <li class="a b">one two</li>\n  <li>three</li>\n</ul>\n',
    "SELECT a FROM t\nWHERE id = 5 AND name = 'x'\nORDER BY a\n",
    "const a = f(1, b);\nif (a == 2) {\n  go(a + 1);\n}\n",
    "import os\nx = alpha = y\nprint(x)\n",
)
"""Texts of several lines, which a model escapes."""


def broken(text: str) -> Iterator[tuple[str, str]]:
    """Yield the beginning and the rest of a text at each blank within a line, with the line's margin before the rest or without
    it, and inside each word.

    Behind a full stop or a semicolon a line ends, so that such a break changes nothing, or is meant.
    """
    for found in re.finditer(r"(?<=[^\s.;]) (?=\S)|(?<=[^\W\d_])(?=[^\W\d_])", text):
        line = text[: found.start()].rpartition("\n")[2]
        for margin in ("", line[: len(line) - len(line.lstrip())]):
            yield text[: found.start()], margin + text[found.end() :]


@pytest.mark.parametrize("text", TEXTS)
def test_the_only_raw_break_of_a_text_that_escapes_its_own_is_refused_within_a_line(text: str) -> None:
    for one, two in broken(text):
        raw = f"{json.dumps(one)[1:-1]}\n{json.dumps(two)[1:-1]}"
        for field in ("content", "command"):
            body = f'{{"tool": "note", "{field}": "{raw}"}}'
            assert ENGINE.tried(body, fenced=True).mended == (), raw


@pytest.mark.parametrize(
    "raw",
    [
        "- one\\n- two\n\\n\\n```\\nx\\n```\\n\\nEnd.",  # two empty lines, where the others are one
        "One.\\n\\n\nTwo.\\n\\nThree.",
        "keep\\nit\n",  # the end of a text that escapes its line breaks
        "ma\n...\no:a@b.org",
        "the kit\n…\nchen",
        "<div cla\nss=a>bye</di\nv>",
        "<p>\n<a hr\nef=x>",
        "One:\ncurl\n-X POST a",
        '{\\"x\\":\n1}\nTwo.',
        "5\n  EUR (incl. \nVAT)",
        "x = al\npha = y",
    ],
)
def test_a_break_within_a_unit_is_refused(raw: str) -> None:
    assert ENGINE.tried(f'{{"tool": "note", "body": "{raw}"}}', fenced=True).mended == ()


@pytest.mark.parametrize(
    "raw",
    [
        "One.\\n\\n\nTwo.\\n\\n\\nThree.",
        "<div\n  class=a>\n</div>\n",
        "One.\n...\nTwo.",
        "- a\n- b\n- c",
        "import os\nx = 1\n",
        "    a = 1\n    b = 2\\n",
        "    b: 1\n    c: 2\\n",
    ],
)
def test_a_break_between_two_units_was_meant(raw: str) -> None:
    assert len(ENGINE.tried(f'{{"tool": "note", "body": "{raw}"}}', fenced=True).mended) == 1
