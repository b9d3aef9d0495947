"""Promise P1 for what stands at the beginning of lines: blanks, marks and openers, whole or begun, in any order, cut anywhere.

Whether something stands at the beginning of a line is a fact of the text. It must not depend on which piece the line, or what
stands before its text, came in.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from stream_guard import End, Guard, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.reasoning import PAIRS
from stream_guard.scan.strays import STRAYS
from stream_guard.scan.unfenced import OPENERS
from stream_guard.testing import by_char, every_split, merge_text, original
from tests.kit.breadth import splits
from tests.kit.dialects import TEXT, tool
from tests.kit.proof import Cases

TEXTS: Final = int(os.environ.get("OPENINGS", "40"))
"""How many texts are drawn."""

SEED: Final = int(os.environ.get("SEED", "1"))

TOOLS: Final = Toolset(
    tool("list_all"),
    tool("edit_file", ("path", "search", "replace"), path=TEXT, search=TEXT, replace=TEXT),
    tool("time", x=TEXT),
)
"""One has the name of an element of HTML."""

MARKS: Final = sorted(
    {opener.text.replace("{tool}", "list_all") for dialect in DIALECTS.values() for opener in dialect.openers}
    | {closer for dialect in DIALECTS.values() for closer in dialect.closers}
    | {*OPENERS, *STRAYS, *PAIRS, *PAIRS.values()}
)
CALLS: Final = [dialect.write([("list_all", {})]) for dialect in DIALECTS.values() if not dialect.tools] + [
    DIALECTS["aider_search_replace"].write([DIALECTS["aider_search_replace"].sample]),
    '```json\n{"tool": "list_all"}\n```',
]
BLANKS: Final = ("", "", "", " ", "  ", "   ", "    ", "     ", "\t", " \t")
LEADS: Final = (*BLANKS, "> ", "- ", "1. ", "* ", "**", "`", "``", "~", "- - ")
WORDS: Final = (
    "Ok.",
    "<time>",
    "<b>",
    "<list_all>",
    "x",
    "a `b",
    "`",
    "b` c",
    "]",
    "[",
    "{",
    "}",
    "f",
    "<",
    "*",
    "a.py",
    "#",
    '{"a": 1}',
    '{"a": "b',
    "",
    "",
    "",
)
FENCES: Final = ("```", "```json", "```python", "~~~", "````", "```json x ` y", "``` a")
ENDS: Final = ("\n", "\n", "\n", "\n", "\r\n", "\r", "")


def line(dice: random.Random) -> str:
    kind = dice.random()
    if kind < 0.15:
        body = dice.choice(BLANKS)
    elif kind < 0.35:
        body = dice.choice(LEADS) + dice.choice(WORDS)
    elif kind < 0.5:
        mark = dice.choice(MARKS)
        body = dice.choice(LEADS) + dice.choice(WORDS) + mark[: dice.randint(1, len(mark))]
    elif kind < 0.6:
        mark = dice.choice(MARKS)
        body = dice.choice(LEADS) + mark + dice.choice(WORDS)
    elif kind < 0.7:
        body = dice.choice(LEADS) + dice.choice(FENCES)
    else:
        body = dice.choice(LEADS) + dice.choice(WORDS) + dice.choice(CALLS)
    return body + dice.choice(ENDS)


def cuts(text: str, dice: random.Random) -> Iterator[list[str]]:
    yield by_char(text)
    for count in (1, 2, 2, 3, 3):
        ends = sorted(dice.randint(0, len(text)) for _ in range(count))
        yield [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    yield text.splitlines(keepends=True)


def items(guard: Guard, pieces: list[str]) -> list[Any]:
    return merge_text(guard.scan([*pieces, End("stop")], stream_id="s"))


GUARDS: Final = {
    "all": Guard(TOOLS, dialects="all"),
    "all, any fence": Guard(TOOLS, dialects="all", languages=("json", "")),
    "all, in reasoning": Guard(TOOLS, dialects="all", reasoning="inside"),
    "all, reasoning read": Guard(TOOLS, dialects="all", reasoning="scan"),
    "fence": Guard(TOOLS),
    "any fence": Guard(TOOLS, languages=("json", "")),
    **{name: Guard(TOOLS, dialects=[name]) for name in DIALECTS},
    **{f"fence, {name}": Guard(TOOLS, dialects=["fence", name]) for name in DIALECTS},
}


@pytest.mark.more
@pytest.mark.promise("P1", "P2")
def test_lines_at_random_give_the_same_at_every_cut(cases: Cases) -> None:
    """With all dialects, and with one of them: whole, by character, by line, and in two to four pieces."""
    dice = random.Random(SEED)
    runs = 0
    for _ in range(TEXTS):
        text = "".join(line(dice) for _ in range(dice.randint(2, 5)))
        for name in ("all", dice.choice([*GUARDS])):
            found = items(GUARDS[name], [text])
            assert original(found) == text
            for pieces in cuts(text, dice):
                runs += 1
                assert items(GUARDS[name], pieces) == found, (name, pieces)
    cases(runs)


MARK: Final = "<longcat_tool_call>x\n"
FENCE: Final = '```json\n{"tool": "list_all"}\n```\n'


@pytest.mark.parametrize("blank", ["", "   ", "    ", "\t", "     ", "  \t"])
@pytest.mark.parametrize("words", ["Ok.", "]", "x > y", "-", "1.", "#"])
def test_a_blank_line_says_nothing_of_the_line_behind_it(blank: str, words: str) -> None:
    """However many blanks it has, and wherever the text is cut in four."""
    call = DIALECTS["kimi_k2"].write([("list_all", {})])
    text = f"a\n{blank}\n{words}{call}"
    ends = [2, 2 + len(blank), 3 + len(blank), 3 + len(blank) + len(words)]
    guard = Guard(TOOLS, dialects=["kimi_k2"])
    for pieces in ([text], by_char(text), [text[a:b] for a, b in itertools.pairwise([0, *ends, len(text)])]):
        assert [item.executable for item in items(guard, pieces) if isinstance(item, ToolBlock)] == [True], pieces


@pytest.mark.some
@pytest.mark.parametrize("begun", sorted({opener[:size] for opener in OPENERS for size in (1, 2, 6)}))
def test_a_mark_counts_behind_a_line_that_may_have_been_an_opener(begun: str) -> None:
    """What nearly began on the line before does not hide it: at every cut, a fence behind the mark is refused."""
    text = f"{begun}\n{MARK}{FENCE}"
    guards = Guard(TOOLS, dialects="all"), Guard(TOOLS)
    for pieces in splits(text, 24):
        for guard in guards:
            assert not [item for item in items(guard, pieces) if isinstance(item, ToolBlock) and item.executable]


@pytest.mark.parametrize("words", ["`b` ", "~b "])
def test_the_line_behind_a_quote_is_none(words: str) -> None:
    """Also where it begins with a mark of fences, and whatever piece the quote came in."""
    text = f"> a\n{words}" + DIALECTS["kimi_k2"].write([("list_all", {})])
    for pieces in (*every_split(text), by_char(text)):
        found = [item for item in items(Guard(TOOLS, dialects=["kimi_k2"]), pieces) if isinstance(item, ToolBlock)]
        assert [block.executable for block in found] == [True], pieces
