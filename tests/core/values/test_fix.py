"""The record of a fix: what the model wrote and what stands there now, as they are, and short and visibly different."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stream_guard_conformance.cases import make
from stream_guard_conformance.faults import KINDS
from stream_guard_conformance.run import guarded
from stream_guard_conformance.toolsets import TOOLSETS

from stream_guard import AutoFix, Guard, Safety, ToolBlock
from stream_guard.schema.fields import split
from stream_guard.values.fix import MOST, shown
from stream_guard.values.plain import plain
from stream_guard.values.quoting import seen
from tests.kit.breadth import some

INVISIBLE: Final = "\u200b\u2060\ufeff\u00ad\u202e\u00a0\u3000\x00\x1b\t\n\r "
TEXTS: Final = st.text(st.characters(codec="utf-8") | st.sampled_from(INVISIBLE), max_size=40)
LONG: Final = st.builds(lambda head, times, tail: head * times + tail, TEXTS, st.integers(0, 200), TEXTS)
VALUES: Final = st.none() | st.booleans() | st.integers() | LONG | st.lists(TEXTS, max_size=9) | st.dictionaries(TEXTS, TEXTS)


def fix(before: Any, after: Any) -> AutoFix:
    return AutoFix("coercion", "VALUE_COERCION", "d", "a", before, after, 0.9, Safety.LIKELY)


def looks(value: Any) -> str:
    """What a person sees of a value, with its type."""
    return f"{type(value).__name__} {seen(value) if isinstance(value, str) else json.dumps(value)}"


@given(LONG, LONG, LONG, LONG)
def test_two_texts_are_shown_short_and_visibly_different(head: str, one: str, other: str, tail: str) -> None:
    """However far in they differ, and in whatever invisible character."""
    before, after = head + one + tail, head + other + tail
    record = fix(before, after)
    assert (record.full_before, record.full_after) == (before, after)
    assert len(record.before) <= MOST
    assert len(record.after) <= MOST
    if before != after:
        assert record.before != record.after
        told_apart = seen(record.before) != seen(record.after)
        assert told_apart or all(text.isascii() and text.isprintable() for text in (record.before, record.after))


@given(VALUES, VALUES)
def test_any_two_values_are_shown_as_themselves_or_as_a_part_that_is_marked(before: Any, after: Any) -> None:
    record = fix(before, after)
    assert (record.full_before, record.full_after) == (before, after)
    for whole, short in ((before, record.before), (after, record.after)):
        text = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
        assert short == whole or (isinstance(short, str) and ("…" in short or short.startswith('"')))
        assert short is not whole or len(text) <= MOST
    if type(before) is type(after) and before != after:
        assert looks(record.before) != looks(record.after) or record.before.startswith(('"', "…"))


@given(VALUES, VALUES)
def test_the_wire_has_what_is_shown(before: Any, after: Any) -> None:
    record = fix(before, after)
    data = json.loads(json.dumps(plain(record)))
    assert "full" not in json.dumps(list(data)).lower()
    assert AutoFix.from_dict(data) == record
    assert shown("a", "b") == ("a", "b")


TEXT_RULES: Final = frozenset({"quotes", "control_character", "escape"})
"""The fixes of which the characters are those of one whole text."""

AS_A_WHOLE: Final = frozenset({"encoded", "escaped_body", "quoted_lines", "list_of_edits", "list_of_paths"})
"""The fixes after which the other records are about a text that the body does not have in this form."""

MOVES: Final = frozenset(
    {"envelope", "array_of_calls", "several_objects", "field_name", "function_call", "wrapper", "tool_name"}
)
"""The fixes after which a field may stand in another place than it was read in."""


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_record_of_every_kind_of_fault_is_true(count: int, cases: Any) -> None:
    """It shows a change, what it says was written was written, and what it says stands there now does."""
    guards = {toolset.name: Guard(guarded(toolset)) for toolset in TOOLSETS}
    tried = 0
    for index in some(range(3 * count * len(KINDS)), count * len(KINDS), kind=lambda index: index % len(KINDS)):
        case = make(index, seed=17, count=count)
        blocks = [item for item in guards[case.toolset.name].scan([case.text]) if isinstance(item, ToolBlock)]
        whole = "".join(block.raw for block in blocks)
        for block in blocks:
            rules = {record.rule for record in block.fixes}
            for record in block.fixes:
                tried += 1
                about = f"{record} of {case.body!r}"
                assert record.full_before != record.full_after or type(record.full_before) is not type(record.full_after), about
                assert looks(record.before) != looks(record.after) or str(record.before).startswith('"'), about
                if record.type == "SYNTAX_REPAIR" and not rules & AS_A_WHOLE:
                    assert str(record.full_before) in whole, about
                if record.rule in TEXT_RULES and not rules & (AS_A_WHOLE | MOVES) and isinstance(record.full_after, str):
                    now = at(block.arguments, record.path)
                    assert record.full_after == json.dumps(now, ensure_ascii=False)[1:-1], about
                if record.rule == "coercion" and not rules & MOVES:
                    now = at(block.arguments, record.path)
                    assert (now, type(now)) == (record.full_after, type(record.full_after)), about
                if record.rule in ("envelope", "array_of_calls", "encoded", "several_objects") and not re.search(
                    "[.]", record.path
                ):
                    assert isinstance(record.full_after, dict), about
    assert tried > 20
    cases(tried)


def at(value: Any, path: str) -> Any:
    for step in split(path):
        value = value[step]
    return value
