"""What a program did to all line breaks of a reply: nothing of it becomes part of a call that runs.

A terminal breaks the lines at a width, and a mail program at a blank; a proxy writes each line break twice. The texts have line
breaks of their own as they stand, and nothing else is wrong. Texts, widths and places are drawn.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from itertools import islice, product
from random import Random
from typing import Any, Final

import pytest

from benchmarks.corruptions import calls as calls_with_code
from benchmarks.corruptions import own_sources
from stream_guard import End, Guard, Tool, ToolBlock, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases

S: Final[Any] = {"type": "string"}


def _tool(name: str, *fields: str) -> Tool:
    schema = {"properties": dict.fromkeys(fields, S), "required": list(fields), "additionalProperties": False}
    return Tool(name, "", {"type": "object", **schema})


GUARD: Final = Guard(
    Toolset(
        _tool("save_note", "title", "body"),
        _tool("write_file", "path", "content"),
        _tool("edit_file", "path", "search", "replace"),
        _tool("run_command", "command"),
        _tool("set_room", "room", "wishes"),
    )
)
_SENTENCE: Final = """
    the parcel order service asks for a number weight of it and date on label that we have lost their way to with twenty
    customers who called before noon about names which do not load in page while support waits
"""
WORDS: Final = _SENTENCE.split()
PATHS: Final = (
    "/srv/shop/orders",
    "backup@mirror.example:/var/backup",
    "--exclude=cache",
    "-name",
    "'*.log'",
    "--delete",
    "/var/log",
)


def sentence(dice: Random, words: int) -> str:
    return " ".join(dice.choices(WORDS, k=words))


def letter(dice: Random) -> str:
    lines = ["Hello Anna,", "", f"{sentence(dice, dice.randint(18, 40))}.", "", "Best regards,", "Tom"]
    return "\n".join(lines)


def script(dice: Random) -> str:
    runs = ("rsync -av", "find", "rm -rf", "tar czf a.tgz")
    lines = [f"{dice.choice(runs)} {' '.join(dice.choices(PATHS, k=dice.randint(1, 12)))}" for _ in range(3)]
    return "\n".join(["#!/bin/bash", "set -e", *lines, ""])


def plan(dice: Random) -> str:
    return "\n".join(["# Plan", "", *(f"- {sentence(dice, dice.randint(3, 30)).capitalize()}." for _ in range(4)), ""])


def calls(dice: Random) -> Iterator[dict[str, str]]:
    """Calls with a text of several lines each."""
    while True:
        yield {"tool": "save_note", "title": "Mail", "body": letter(dice)}
        yield {"tool": "write_file", "path": "backup.sh", "content": script(dice)}
        yield {"tool": "save_note", "title": "Plan", "body": plan(dice)}
        yield {"tool": "edit_file", "path": "a.sh", "search": script(dice), "replace": script(dice)}


def written(call: dict[str, str], *, lines: bool = True) -> str:
    """A call with line breaks as they stand."""
    return json.dumps(call, indent=2 if lines else None).replace("\\n", "\n")


def fenced(body: str) -> str:
    return f"Ok.\n\n```json\n{body}\n```\n"


def ran(reply: str) -> list[dict[str, Any]]:
    found = GUARD.scan([reply, End("stop")])
    return [
        {"tool": block.tool, **block.call.arguments}
        for block in found
        if isinstance(block, ToolBlock) and block.call and block.executable
    ]


def hard(text: str, width: int) -> str:
    """A text whose lines a terminal broke, inside of words too."""
    return "\n".join(line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width))


def soft(text: str, width: int) -> str:
    """A text whose lines were broken between two words."""
    shown = (textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""] for line in text.split("\n"))
    return "\n".join(line for lines in shown for line in lines)


USUAL: Final = (40, 60, 64, 70, 72, 76, 78, 79, 80, 100, 120, 132)


def fits_by_chance(text: str, width: int) -> bool:
    """Whether a line of a text itself is as long as lines that a program broke at a width, or nearly."""
    return any(width - 12 <= len(line) <= width for line in text.split("\n"))


@pytest.mark.promise("P7")
def test_no_line_that_a_terminal_broke_inside_a_text_runs(cases: Cases) -> None:
    """At a usual width one such line shows it, and at any other two."""
    dice = Random(1)
    wrong = []
    for call, _ in zip(calls(dice), range(500), strict=False):
        width = dice.choice((*USUAL, *range(40, 130)))
        body = written(call)
        broken = hard(body, width)
        if broken.count("\n") - body.count("\n") < 1 + (width not in USUAL) or fits_by_chance(body, width):
            continue
        if ran(fenced(broken)) not in ([], [call]):
            wrong.append((width, broken))
        cases(1)
    assert not wrong, (len(wrong), *wrong[:12])


@pytest.mark.promise("P7")
def test_no_line_that_was_broken_at_a_blank_runs_if_the_block_shows_it(cases: Cases) -> None:
    """The first line of a text is as full as the others with the beginning of its member; or the text is no long one."""
    dice = Random(2)
    wrong = []
    for number in range(250):
        width = dice.choice(USUAL[1:])
        paragraphs = [
            f"{sentence(dice, dice.randint(75, 90))}.".capitalize(),
            *(f"{sentence(dice, dice.randint(3, 5))}.".capitalize() for _ in range(3)),
        ]
        if number % 2:
            call = {"tool": "save_note", "title": "Plan", "body": "\n".join(paragraphs)}
        else:
            call = {"tool": "set_room", "room": "hall", "wishes": "\n".join(["Hello.", *paragraphs])}
        body = written(call, lines=number % 3 > 0)
        if ran(fenced(soft(body, width))) not in ([], [call]):
            wrong.append((width, soft(body, width)))
        cases(1)
    assert not wrong, (len(wrong), *wrong[:12])


@pytest.mark.promise("P7")
def test_no_json_without_blanks_runs_that_was_broken_at_a_width(cases: Cases) -> None:
    """Its first blank stands in a text, so that the first line is longer than the width."""
    dice = Random(4)
    wrong = []
    for _ in range(250):
        width = dice.choice((*USUAL, *range(40, 90)))
        call = {
            "tool": "save_note",
            "title": "login-page-fails-for-long-names",
            "body": f"The {sentence(dice, width * dice.choice((2, 5)) // 5)}.",
        }
        if len(call["body"]) > 5 * width:
            call["body"] = call["body"].replace(" customers ", f" https://example.org/{'x' * width} ", 1)
        broken = soft(json.dumps(call, separators=(",", ":")), width)
        if broken.count("\n") > 1 and ran(fenced(broken)) not in ([], [call]):
            wrong.append((width, broken))
        cases(1)
    assert not wrong, (len(wrong), *wrong[:12])


def paragraph(dice: Random, width: int) -> str:
    """A paragraph as its writer breaks it: some line is shorter than the width."""
    while True:
        lines = textwrap.wrap(f"{sentence(dice, 60)}.".capitalize(), width)
        if sum(len(line) == max(map(len, lines)) for line in lines) == 1:
            return "\n".join(lines)


KEY: Final = "\n".join(["-----BEGIN KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj" * 2] * 5, "-----END KEY-----"])


@pytest.mark.promise("P8")
@pytest.mark.parametrize("width", [60, 72, 76, 79])
@pytest.mark.parametrize("lines", [True, False])
def test_lines_that_a_writer_breaks_at_a_width_are_its_own(width: int, lines: bool) -> None:
    dice = Random(width)
    for text in (
        "\n\n".join(["# Plan", *(paragraph(dice, width) for _ in range(3))]),
        KEY,
        plan(dice),
        letter(dice),
        script(dice),
    ):
        call = {"tool": "write_file", "path": "a", "content": f"{text}\n"}
        assert ran(fenced(written(call, lines=lines))) == [call]


TWICE: Final = ("\n\n", "\r\n\r\n", "\r\r\n", "\n\n\n")


@pytest.mark.promise("P7")
@pytest.mark.parametrize("end", TWICE)
def test_no_line_break_that_the_whole_reply_has_twice_runs(cases: Cases, end: str) -> None:
    """Between tokens, in texts and beside the fences, for texts with empty lines and without."""
    dice = Random(3)
    for call, number in zip(calls(dice), range(100), strict=False):
        call[next(reversed(call))] += dice.choice(("", "\n", "\nOne.\nTwo."))
        reply = fenced(written(call, lines=number % 3 > 0)).replace("\n", end)
        assert ran(reply) in ([], [call]), reply
        cases(1)


@pytest.mark.promise("P8")
def test_paragraphs_of_a_text_are_its_own() -> None:
    """The other line breaks of the block do not come twice."""
    for lines, text in product(
        (True, False), ("One.\n\nTwo.", "One.\n\nTwo.\n\nThree.", "def f():\n    x()\n\n\ndef g():\n    y()\n")
    ):
        call = {"tool": "write_file", "path": "a", "content": text}
        assert ran(fenced(written(call, lines=lines))) == [call]


def _once_wrapped(dice: Random) -> Iterator[tuple[int, dict[str, str], str]]:
    """Calls with real code whose lines are escaped, broken once, and that in the text."""
    for call in calls_with_code(dice, own_sources()):
        width = dice.choice((*USUAL, *range(60, 132)))
        if call["tool"] != "write_file":
            continue
        body = json.dumps({**call, "content": call["content"][: 3 * width // 2]})
        broken = soft(body, width)
        if broken.count("\n") == 1 and broken.index("\n") > body.index('"content": "') + 12:
            yield width, json.loads(body), broken


@pytest.mark.promise("P7")
def test_no_single_wrap_of_a_text_that_escapes_its_lines_gets_into_it(cases: Cases) -> None:
    """Beside an escaped line break: at a usual width, and at any other one where an indent stood behind it."""
    guard = Guard(FILE_TOOLS)
    wrong = []
    for width, call, broken in islice(_once_wrapped(Random(5)), 1000):
        before, _, after = broken.partition("\n")
        line = before.split("\\n")[-2:][0]  # the one that the last escaped line break ends
        lost = before.endswith("\\n") and (line[:1] == " " or line[-1:] == ":") and after[0] != "\\"
        beside = before.endswith("\\n") or after.startswith("\\n")
        if lost or (beside and width in USUAL and len(after) <= width):
            block = guard.check(broken)
            if block.executable and block.arguments != call:
                wrong.append((width, broken))
            cases(1)
    assert not wrong, (len(wrong), *wrong[:12])
