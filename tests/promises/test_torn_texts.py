"""A text may seem to end its call: with a quote that is not escaped, and brackets behind it. No call runs with half of a text.

The texts are generated: code in which the bracket of the call stands behind a quote, with every kind of text behind it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.dialects.behind import LONGEST_REST
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.testing import by_char, every_split, original
from tests.kit.breadth import some
from tests.kit.proof import Cases

TEXT: Final[Any] = {"type": "string"}
SCHEMA: Final[Any] = {
    "type": "object",
    "properties": {"title": TEXT, "body": TEXT, "dry_run": {"type": "boolean"}},
    "required": ["title", "body"],
    "additionalProperties": False,
}
GUARDS: Final = {
    risk: Guard(Toolset(Tool("post", "", SCHEMA, risk=risk)), dialects="all") for risk in (Risk.WRITE, Risk.DESTRUCTIVE)
}
HOLE: Final = "HOLE"
CALL: Final = ("post", {"title": "T", "body": HOLE})


def quoted(dialect: Dialect) -> tuple[str, str, str] | None:
    """What a reply has before the text of its last value, the quote around that, and what stands behind the quote."""
    if dialect.tools:
        return None
    before, _, behind = dialect.write([CALL]).partition(HOLE)
    return (before, behind[0], behind[1:]) if behind[:1] in ('"', "'") and before.endswith(behind[0]) else None


QUOTED: Final = {name: parts for name, dialect in DIALECTS.items() if (parts := quoted(dialect)) is not None}
"""The dialects whose texts stand in quotes of one character."""

STARTS: Final = ("x(", "use ", "")
ON: Final = (
    ";", ";\\n", " else {", " else {}", "\\n", "\\\\n", ".", ". It is", "-", " - ", " and more", "+", "</b>",
    "<b>\n", "\n<b>", "{", "[", "\n", "\nfoo();\n", " {\nreturn 1;\n}\n", "\n\nfoo();\n", "\\n\n\nfoo(1);\n",
)  # fmt: skip
"""What stands behind the bracket in the text."""

ENDS: Final = ("%s)\\n", "%s here", " %sx%s y%s\\n", "%s")
"""The rest of the text, with its quotes."""


def texts(quote: str, behind: str) -> Iterator[str]:
    """Texts that hold the quote and the brackets that end their call, and more behind them."""
    brackets = "".join(itertools.takewhile(lambda char: char in "}])", behind))
    for start, on, end in itertools.product(STARTS, ON, ENDS):
        yield f"{start}{quote}{brackets}{on}{end.replace('%s', quote)}"


def calls(text: str, risk: Risk = Risk.WRITE, cause: Any = "stop") -> list[ToolBlock]:
    """The blocks of a reply that may run."""
    found = list(GUARDS[risk].scan([text, End(cause)]))
    assert original(found) == text
    return [item for item in found if isinstance(item, ToolBlock) and item.executable]


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("name", QUOTED)
def test_no_text_is_cut_short_at_a_quote_that_is_not_escaped(cases: Cases, name: str) -> None:
    """The kind: behind a body that needs no closer stands the rest of one of its texts, of the last one or of one before."""
    before, quote, behind = QUOTED[name]
    more = f"{', dry_run=True' if quote == chr(39) else f', {quote}dry_run{quote}: true'}{behind}"
    runs = 0
    for text, rest in some(itertools.product(texts(quote, behind), (behind, more)), 30, kind=lambda cell: cell[1]):
        for risk, tail in ((Risk.WRITE, ""), (Risk.DESTRUCTIVE, "\n")):
            runs += 1
            for block in calls(f"{before}{text}{quote}{rest}{tail}", risk):
                meant = {"title": "T", "body": text.replace("\\n", "\n"), **({"dry_run": True} if rest == more else {})}
                assert block.call is not None
                assert block.call.arguments == meant, block.raw
    cases(runs)


PROSE: Final = (
    " Done.", "\nDone.", "\n\nI have written it. :) Now (see above) I wait.", "\n1) the first\n2) the second",
    '\nI posted "x" as the "title", and that is it.', "\n\nIt's done: [link](http://x) and {a}.", "\n\n" + "So it is. " * 200,
    '\nThe rest:\n\n```json\n{"a": "b"}\n```\n', '\nDone.\n\nIt says "a}, and no more."', "\n\n> quoted\n", " ", "\n\n\n", "",
)  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P1", "P3")
@pytest.mark.parametrize("name", QUOTED)
def test_a_call_with_prose_behind_it_runs_at_every_cut(cases: Cases, name: str) -> None:
    """In a dialect whose calls have their line to themselves that prose stands on another line."""
    before, quote, behind = QUOTED[name]
    call = f"{before}x{quote}{behind}"
    runs = 0
    for prose in PROSE:
        if DIALECTS[name].alone and prose.strip() and not prose.startswith("\n"):
            continue
        text = call + prose
        ways = [[text], by_char(text), *(some(every_split(text), 4) if len(text) < LONGEST_REST else ())]
        for pieces in ways:
            runs += 1
            found = list(GUARDS[Risk.WRITE].scan([*pieces, End("stop")]))
            ran = [item for item in found if isinstance(item, ToolBlock) and item.executable]
            assert [block.tool for block in ran] == ["post"], (pieces, found)
            assert original(found) == text
    cases(runs)


@pytest.mark.some
@pytest.mark.promise("P1")
@pytest.mark.parametrize("name", QUOTED)
def test_whether_a_text_was_cut_short_does_not_depend_on_cutting(cases: Cases, name: str) -> None:
    before, quote, behind = QUOTED[name]
    runs = 0
    for text in itertools.islice(texts(quote, behind), 0, None, 41):
        reply = f"{before}{text}{quote}{behind}\n"
        whole = [item for item in GUARDS[Risk.WRITE].scan([reply]) if isinstance(item, ToolBlock)]
        for pieces in (by_char(reply), *some(every_split(reply), 5)):
            runs += 1
            found = [item for item in GUARDS[Risk.WRITE].scan(pieces) if isinstance(item, ToolBlock)]
            assert [(one.raw, one.outcome, one.executable) for one in found] == [
                (one.raw, one.outcome, one.executable) for one in whole
            ], pieces
    cases(runs)


def test_behind_a_call_no_more_is_read_than_a_paragraph() -> None:
    """A call runs before the reply has ended: with the paragraph behind it, or with as many characters as are read at most."""
    for name, (before, quote, behind) in QUOTED.items():
        call = f"{before}x{quote}{behind}"
        for prose, most in (("\nDone.\n\nAnd so on.", 10), ("\n" + "word " * LONGEST_REST, LONGEST_REST + 2)):
            stream, read = [*call, *prose], 0

            def told(pieces: list[str] = stream) -> Iterator[str]:
                nonlocal read
                for piece in pieces:
                    read += 1
                    yield piece

            block = next(item for item in GUARDS[Risk.WRITE].scan(told()) if isinstance(item, ToolBlock))
            assert block.executable, name
            assert read <= len(call) + most, name
