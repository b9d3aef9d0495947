"""What a program put before, between or inside the lines of a block: none of it becomes part of a call that runs.

The blocks are generated: marks, numbers and margins before each line but the first; line breaks that stand there twice; lines
of something else that came between; and breaks at which a text was wrapped that escapes its own.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from stream_guard.testing import by_char
from tests.kit.breadth import some
from tests.kit.proof import Cases

TEXT: Final[Any] = {"type": "string"}


def tool(name: str, *fields: str, risk: Risk = Risk.WRITE) -> Tool:
    schema = {"properties": dict.fromkeys(fields, TEXT), "required": list(fields), "additionalProperties": False}
    return Tool(name, "", {"type": "object", **schema}, risk=risk)


TOOLS: Final = Toolset(
    tool("save", "path", "content"),
    tool("swap", "old_string", "new_string"),
    tool("cancel", "reason", risk=Risk.DESTRUCTIVE),
    tool("note", "text"),
)
GUARD: Final = Guard(TOOLS, dialects="all")

LINES: Final = {
    "python": ["import os", "import re", "print(os.name)"],
    "block": ["def f(x):", "    if x:", "        return 1", "    return 2"],
    "braces": ["fn main() {", "    a();", "    b();", "}"],
    "tags": ["<ul>", "  <li>a</li>", "</ul>"],
    "prose": ["Hello,", "it rains here.", "", "Bye"],
    "list": ["To do:", "- milk", "- eggs"],
    "two": ["One.", "Two."],
}
CALLS: Final[dict[str, Callable[[str], dict[str, str]]]] = {
    "save": lambda text: {"tool": "save", "path": "a", "content": text},
    "swap": lambda text: {"tool": "swap", "old_string": text, "new_string": "y\n" + text},
    "cancel": lambda text: {"tool": "cancel", "reason": text},
}


Mark = Callable[[int], str]
"""What stands before a line, by its place, counted from one."""


def written(call: dict[str, str], margin: str | None = None) -> str:
    """A call with line breaks as they stand: on one line, or with a margin before each member."""
    body = json.dumps(call, ensure_ascii=False, indent=margin).replace("\\n", "\0")
    return body.replace("\0", "\n")


def said(body: str) -> dict[str, Any] | None:
    """The arguments of a call that runs, with its tool; None if it does not."""
    block = GUARD.check(body)
    return block.arguments if block.executable else None


def marked(body: str, mark: Mark) -> str:
    """A body with a mark before each line but the first."""
    first, *others = body.split("\n")
    return "\n".join([first, *(mark(number) + line for number, line in enumerate(others, 2))])


SIGNS: Final = (
    "> ", ">", "... ", ">>> ", "+", "-", "# ", "| ", "// ", "* ", "│ ", "$ ", "% ", ": ", "-- ", "; ", ">> ", "[log] ",
)  # fmt: skip
FORMS: Final = (
    "{} ", "{}: ", "{}:", "{}. ", "{}) ", "{}\t", "{} | ", "{}|", "{:4} ", "{:>3}: ", "L{}: ", "line {}: ", "[10:00:{:02}] ",
    "2024-05-01 10:00:{:02} INFO ", "{:04} ", "[{}] ", "#{} ",
)  # fmt: skip
COUNTED: Final = tuple(form for form in FORMS if form[0] in "{L")
"""Forms in which the number is the mark: they show a line whatever its text ends with."""


def counting(form: str, ahead: int) -> Mark:
    """A mark with the number of its line, or that in what the block stands in."""
    return lambda number: form.format(number + ahead)


def sign(mark: str) -> Mark:
    return lambda _: mark


@pytest.mark.some
@pytest.mark.promise("P7")
def test_no_mark_of_the_lines_of_a_block_gets_into_a_text(cases: Cases) -> None:
    """Each text ends with a line break, so that the mark stands before its closing quote too."""
    wrong = []
    marks = {mark: sign(mark) for mark in SIGNS}
    marks |= {f"{form} from {ahead}": counting(form, ahead) for form in FORMS for ahead in (0, 1, 7)}
    for name, lines, call in some([*itertools.product(marks, LINES, CALLS)], 300, kind=lambda cell: cell[0]):
        body = marked(written(CALLS[call]("\n".join(LINES[lines]) + "\n")), marks[name])
        if said(body) is not None:
            wrong.append((name, lines, call, body))
        cases(1)
    assert not wrong, (len(wrong), wrong[:5])


@pytest.mark.some
@pytest.mark.promise("P7")
def test_no_number_of_a_line_gets_into_a_text_of_three_lines(cases: Cases) -> None:
    """However the text ends, and also if the opening fence is the first line."""
    wrong = []
    longer = [name for name in LINES if len(LINES[name]) > 2]
    for form, ahead, lines, call in some([*itertools.product(COUNTED, (0, 1), longer, CALLS)], 150, kind=lambda cell: cell[0]):
        body = marked(written(CALLS[call]("\n".join(LINES[lines]))), counting(form, ahead))
        if said(body) is not None:
            wrong.append((form, lines, call, body))
        cases(1)
    assert not wrong, (len(wrong), wrong[:5])


@pytest.mark.promise("P7")
def test_no_margin_of_the_block_gets_into_a_text(cases: Cases) -> None:
    """All lines but the first are indented by it, up to the end of the block, or those of the texts."""
    wrong = []
    for own, more, lines, call, end in itertools.product(
        ("  ", "    ", "\t"), ("  ", "    ", "\t", "      "), LINES, ("save", "swap"), ("", "\n")
    ):
        made = CALLS[call]("\n".join(LINES[lines]) + end)
        first, *others = written(made, own).split("\n")
        bodies = ["\n".join([first, *(more + line for line in others)])]
        if end or lines in ("python", "braces", "tags"):
            moved = written({key: text.replace("\n", f"\n{own}") for key, text in made.items()}, own)
            bodies.append(moved.replace("\\t", "\t"))
        for body in bodies:
            if said(body) not in (None, made):
                wrong.append((own, more, lines, call, body))
            cases(1)
    assert not wrong, (len(wrong), wrong[:5])


@pytest.mark.promise("P7")
def test_no_diff_of_a_block_runs(cases: Cases) -> None:
    for margin, lines, end in itertools.product((None, "  ", "\t"), LINES, ("", "\n")):
        shown = written(CALLS["save"]("\n".join(LINES[lines]) + end), margin).split("\n")
        for place in range(1, len(shown)):
            diff = [" " + line for line in shown]
            diff[place : place + 1] = [f"-{shown[place]}", f"+{shown[place]}"]
            assert said("\n".join(diff)) is None, diff
            cases(1)


ESCAPED: Final = [
    "# T\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "import os\nimport re\nprint(os.name)\n",
    "public class A {\n  int x = 1;\n}\n",
    "Hello world, how are you?\nI am fine.\n",
    'x = [i for i in range(10) if i]\ny = "a b"\n',
    "<a href=\"x.html\" class='b'>Go &amp; see</a>\n<p>2 &lt; 3</p>\n",
    '{"name": "demo",\n  "run": "echo x"}\n',
]
"""Texts whose own line breaks are escaped."""


@pytest.mark.promise("P7")
def test_no_line_break_that_stands_there_twice_runs(cases: Cases) -> None:
    """Escaped and as it stands, in either order, at each line of a text or at two."""
    for text, ends, call in itertools.product(ESCAPED, ("\\n\n", "\n\\n", "\\r\\n\n", "\\n\r\n"), CALLS):
        body = json.dumps(CALLS[call](text)).replace("\\n", ends)
        assert said(body) is None, body
        cases(1)


FOREIGN: Final = (
    "25", "1a", "Traceback (most recent call last):", "[1]+  Done", "--More--", "INFO:root:started", "^C", "bash: x: not found",
    "2024-05-01 10:00:00 INFO x", "data:", "% Total    % Received", "warning: LF will be replaced by CRLF",
)  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P7")
def test_no_line_of_something_else_in_a_word_gets_into_a_text(cases: Cases) -> None:
    """It came between two halves of a word, in a text that escapes its line breaks, or has none."""
    wrong = []
    for text, foreign, end in itertools.product(ESCAPED, FOREIGN, ("\n", "\r\n")):
        body = json.dumps({"tool": "save", "path": "a", "content": text})
        begins = body.index("content") + 11
        places = [at for at in range(begins + 1, len(body) - 3) if body[at - 1 : at + 1].isalnum() and body[at - 2] != "\\"]
        for at in some(places, 4):
            one = f"{body[:at]}{end}{foreign}{end}{body[at:]}"
            if said(one) is not None:
                wrong.append((foreign, one))
            cases(1)
    assert not wrong, (len(wrong), wrong[:12])


@pytest.mark.promise("P7")
def test_no_wrap_of_a_text_that_escapes_its_lines_gets_into_it(cases: Cases) -> None:
    """At two blanks or three, with a margin or none, the blank kept or gone."""
    dice = random.Random(1)
    wrong = []
    for text, count, end, _ in itertools.product(ESCAPED, (2, 3), ("\n", "\n  ", " \n", "\n\n", "\r\n"), range(12)):
        body = json.dumps({"tool": "save", "path": "a", "content": text})
        begins = body.index("content") + 11
        blanks = [at for at in range(begins, len(body)) if body[at] == " " and body[at - 1] not in " n"]
        for at in sorted(dice.sample(blanks, min(count, len(blanks))), reverse=True):
            body = body[:at] + end + body[at + 1 :]
        if body.count("\n") > 1 and said(body) is not None:
            wrong.append((end, body))
        cases(1)
    assert not wrong, (len(wrong), wrong[:12])


HALVES: Final = ("2024-05-01", "rm -rf build", "b", "Hello there.", "a\r\nb", "x = 1")


@pytest.mark.promise("P7")
def test_no_half_of_a_line_break_gets_into_a_text(cases: Cases) -> None:
    """At the end of a text, at its beginning, and inside."""
    for text, name in itertools.product(HALVES, ("save", "swap", "cancel")):
        for broken in (f"{text}\r", f"\r{text}", f"{text[:1]}\r{text[1:]}"):
            body = written(CALLS[name]("HOLE")).replace("HOLE", broken)
            assert said(body) is None, body
            cases(1)


MARKED: Final = (
    ("1: ", "2: "), ("1 ", "2 "), ("3. ", "4. "), ("# ", "# "), ("// ", "// "), ("-", "-"), ("+", "+"), ("| ", "| "),
    ("; ", "; "),
)  # fmt: skip
"""What stands before the opener, and before the other lines."""


@pytest.mark.promise("P7")
def test_no_mark_of_the_lines_of_a_reply_gets_into_a_call_of_a_dialect(cases: Cases) -> None:
    """It stands before the opener, and before each line of the text; whole and by character."""
    ran = 0
    for dialect, (first, mark) in itertools.product(DIALECTS.values(), MARKED):
        if dialect.tools:
            continue
        call = dialect.write([("note", {"text": "HOLE"})])
        reply = first + call.replace("\n", f"\n{mark}").replace("HOLE", f"import os\n{mark}import re")
        for pieces in ([reply], by_char(reply)):
            found = [item for item in GUARD.scan([*pieces, End("stop")]) if isinstance(item, ToolBlock) and item.executable]
            assert not found, reply
            cases(1)
        plain = call.replace("HOLE", "import os\\nimport re" if '"HOLE"' in call else "import os\nimport re")
        ran += any(isinstance(item, ToolBlock) and item.executable for item in GUARD.scan([plain, End("stop")]))
    assert ran


OWN: Final = [
    "To do:\n1. milk\n2. eggs\n",
    "1. milk\n2. eggs\n3. tea\n",
    "You wrote:\n> Hello.\n> Bye.\n",
    "Agenda:\n12:30 lunch\n13:30 talk\n",
    "#!/bin/sh\n# one\n# two\n#\nls\n",
    "/**\n * Adds.\n */\nint add();\n",
    "@@ -1 +1 @@\n-a\n+b\n c\n",
    "def f(x):\n    if x:\n        return 1\n    return 2\n",
    "fn main() {\n    a();\n}\n",
    "if (x) {\n}\n}\n",
    '{\n  "a": 1\n}\n',
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "try:\n    x()\nexcept ValueError:\n    pass\n",
]
"""Texts with marks of their own."""


@pytest.mark.promise("P8")
@pytest.mark.parametrize("margin", [None, "  ", "    "])
@pytest.mark.parametrize("text", OWN)
def test_marks_of_a_text_are_its_own(text: str, margin: str | None) -> None:
    call = CALLS["save"](text)
    assert said(written(call, margin)) == call


BLANKS: Final = "\u00a0\u202f\u200b\u2028\u3000\u2060\u0085\x0b"
ODDLY_SPACED: Final = (
    '{"tool": "cancel", "reason": "%s"}',
    "{'tool': 'cancel', 'reason': '%s'}",
    '{tool: "cancel", reason: "%s",}',
    '{"tool" = "cancel", "reason" => "%s"}',
    '{"tool: "cancel", "reason": "%s"}',
    'cancel(reason="%s")',
    'cancel({"reason": "%s"})',
    '{"tool": "cancel", "arguments": {"reason": "%s"}}',
    '[{"tool": "cancel", "reason": "%s"}]',
)


@pytest.mark.promise("P7")
def test_blanks_that_json_lacks_are_on_record_wherever_they_stand_between_tokens(cases: Cases) -> None:
    """At every place: then a text that has one too is refused, which may have had a plain one there."""
    for form, char in itertools.product(ODDLY_SPACED, BLANKS):
        for word in ("ab", f"a{char}b"):
            body = form % word
            meant = said(body)
            for at in range(len(body) + 1):
                block = GUARD.check(body[:at] + char + body[at:])
                if block.executable and block.arguments == meant:
                    rules = {fix.rule for fix in block.fixes}
                    assert word == "ab" and not rules.isdisjoint({"invisible", "extra_closer"}), (at, block.raw)
                cases(1)
