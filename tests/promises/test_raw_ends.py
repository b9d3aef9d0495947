"""A value without escapes may hold what ends its call. No call runs whose value was cut short there.

The values are generated: each holds a beginning of its own closers, or all of them, with every kind of text around it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.tables.tags import TABLES
from stream_guard.testing import by_char, original, random_splits
from stream_guard.values.limits import Limits
from tests.kit.breadth import some
from tests.kit.dialects import FIND, SMALL, TOOLS
from tests.kit.proof import Cases

RAW = (*TABLES, DIALECTS["gemma4"], DIALECTS["functiongemma"])
"""The dialects that write text without escapes."""

HOLE = "HOLE"
STRIDE = int(os.environ.get("STRIDE", "97"))
"""One of so many values is cut off at every character, and the others at both ends of their closers; each under `make more`."""

CAUSES: Final = ("stop", "unknown", "length")
TURNS: Final = 3 if STRIDE > 7 else 1
"""Each value ends for one cause in so many, and is cut off at one end of its closers, in turns; under `make more` for all, at
both.
"""

FENCE = '```json\n{"tool": "list_all"}\n```'
GUARD = Guard(TOOLS, dialects="all")

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=dialect.name) for dialect in RAW])


def around(dialect: Dialect, calls: int = 1) -> tuple[str, str]:
    """What a reply has before and behind the text of its last value."""
    written = dialect.write([*[SMALL] * (calls - 1), ("write_file", {"path": "a.txt", "content": HOLE})])
    before, behind = written.split(HOLE)
    return before, behind


def values(dialect: Dialect) -> Iterator[str]:
    """Values that hold each beginning of their closers, as the dialect writes it and without blanks."""
    _, closers = around(dialect)
    bare = "".join(closers.split())
    begins = dict.fromkeys(text[:at] for text in (closers, bare) for at in range(len(text) + 1))
    whole = dialect.write([SMALL])
    for begin in begins:
        for behind in ("", "\n", "more", " more\n", "<") if begin not in (closers, bare) else ():
            yield f"x{begin}{behind}"
    for begin in dict.fromkeys((closers, bare)):
        more = (whole, f"\n{whole}", f"\n{whole}\nmore", f"{whole}{whole}", FENCE, f"\n{FENCE}\n", f"b{begin}c", begin)
        for behind in ("", "\n", " ", "more", " more\n", "\n\nmore", "<", *more):
            yield f"x{begin}{behind}"
            yield f"{begin}{behind}"


def blocks(chunks: Sequence[str], cause: Any) -> tuple[list[Any], list[ToolBlock]]:
    """The items of a reply that ends for this cause, and its blocks that may run."""
    found = list(GUARD.scan([*chunks, End(cause)]))
    return found, [item for item in found if isinstance(item, ToolBlock) and item.executable]


def as_written(dialect: Dialect, text: str, found: Sequence[ToolBlock]) -> bool:
    """Whether a reply is, blanks aside, what its dialect writes for these calls: then it says these calls and no others."""
    written = []
    for block in found:
        assert block.call is not None
        held = {key: f"{HOLE}{key}" for key in block.call.arguments}
        form = dialect.write([(block.call.tool, held)])
        for key, value in block.call.arguments.items():
            form = form.replace(held[key], str(value))
        written.append(form if block.dialect == dialect.name else block.raw)
    return "".join(text.split()) == "".join("".join(written).split())


@each
@pytest.mark.more
@pytest.mark.promise("P7")
def test_no_value_that_holds_its_closers_is_cut_short(cases: Cases, dialect: Dialect) -> None:
    """Whole, cut off, and for every cause: what runs is the whole value, or all that the reply says."""
    before, behind = around(dialect)
    runs = 0
    for number, value in some(enumerate(values(dialect)), 20):
        text = before + value + behind
        for cause in CAUSES[number % TURNS :: TURNS]:
            runs += 1
            found, ran = blocks([text], cause)
            assert original(found) == text
            for block in ran:
                assert cause != "length"
                assert block.arguments == {"tool": "write_file", "path": "a.txt", "content": value} or as_written(
                    dialect, text, ran
                ), (value, ran)
        ends = (len(before + value), len(text) - 1)
        within = ends if TURNS == 1 else ends[number % 2 :][:1]
        for at in within if number % STRIDE else range(len(before) + 1, len(text)):
            runs += 1
            cut = text[:at]
            found, ran = blocks([cut], "unknown")
            assert original(found) == cut
            assert not ran or as_written(dialect, cut, ran), (value, cut)
            assert not blocks([cut], "disconnect")[1], cut
    cases(runs)


@each
@pytest.mark.more
@pytest.mark.promise("P1", "P7")
def test_the_end_of_a_raw_value_does_not_depend_on_cutting(cases: Cases, dialect: Dialect) -> None:
    """By character and at random, for every such value, with two causes."""
    before, behind = around(dialect)
    runs = 0
    for value, cause in itertools.product(itertools.islice(values(dialect), 0, None, STRIDE), ("stop", "unknown")):
        text = f"{before}{value}{behind}\nDone."
        whole = [(block.arguments, block.part) for block in blocks([text], cause)[1]]
        for chunks in (by_char(text), *itertools.islice(random_splits(text), 4)):
            runs += 1
            found, ran = blocks(chunks, cause)
            assert original(found) == text
            assert [(block.arguments, block.part) for block in ran] == whole, chunks
    cases(runs)


@each
def test_behind_a_call_the_reply_may_go_on_where_its_end_is_known(dialect: Dialect) -> None:
    """With text behind a call, it runs if the model is known to have ended its reply, and no closer stood in the text."""
    call, other = dialect.write([SMALL]), dialect.write([FIND])
    closer = around(dialect)[1].strip()
    for text, cause, count in (
        (f"{call}\nDone.", "stop", 1),
        (f"{call}\nDone.", "unknown", 0),
        (f"{call}\nDone.", "disconnect", 0),
        (f"{call}\n\n", "unknown", 1),
        (call, "length", 0),
        (f"{call}\n{other}", "unknown", 2),
        (f"{call}\nAnd:\n{other}\n", "stop", 2),
        (f"{call}\nAnd:\n{other}\n", "unknown", 0),
        (f"{call}\nAs in {closer} here.\n{other}\n{FENCE}\n", "stop", 0),
        (f"{call}\n{FENCE}\n", "stop", 2),
        (f"{FENCE}\n{call}\n", "unknown", 2),
    ):
        found, ran = blocks([text], cause)
        assert (len(ran), original(found)) == (count, text), (text, cause)


@each
def test_a_call_without_such_values_waits_for_nothing(dialect: Dialect) -> None:
    """Its end is where its closer stands: the block is there before the text behind it."""
    deltas = [dialect.write([("list_all", {})]), "\nDone.", " And more."]
    items = iter(GUARD.scan(deltas))
    seen = list(itertools.takewhile(lambda item: not isinstance(item, ToolBlock), items))
    assert "more" not in "".join(item for item in seen if isinstance(item, str))


@each
def test_what_waits_behind_a_call_is_bounded(dialect: Dialect) -> None:
    """Past the bound the call does not run, and all that waited is passed on."""
    guard = Guard(TOOLS, dialects="all", limits=Limits(max_block=2_000))
    text = dialect.write([SMALL])
    deltas = [text, *["word " * 20] * 40]
    found, received = [], 0
    for item in guard.scan([*deltas, End("stop")]):
        found.append(item)
        received += isinstance(item, str)
    assert original(found) == "".join(deltas)
    assert not [item for item in found if isinstance(item, ToolBlock) and item.executable]
    first = next(at for at, item in enumerate(found) if isinstance(item, ToolBlock))
    assert received > len(deltas) // 2 > len([item for item in found[:first] if isinstance(item, str)])
