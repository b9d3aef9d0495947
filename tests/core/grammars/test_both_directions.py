"""What a grammar accepts may run, and every valid call in the order of its schema is accepted; judged by llguidance."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llguidance.gbnf_to_lark import gbnf_to_lark

from stream_guard import Toolset
from stream_guard.dialects.write import Call
from stream_guard.grammars import FORMS, Grammar, GrammarError
from tests.kit import gbnf
from tests.kit.dialects import TOOLS
from tests.kit.grammars import (
    UNSAID,
    accepts,
    closers,
    complaint,
    drawn,
    ends_unclear,
    holds_damage,
    read,
    tools_and_calls,
    written,
)

PAIRS = int(os.environ.get("PAIRS", "25"))
SAMPLED = max(int(os.environ.get("SAMPLES", "70")) // len(FORMS), 12)
"""How many texts are drawn of each grammar. Of fewer than twelve, more than half may be cut off by chance."""
SEED = int(os.environ.get("SEED", "1"))

dialects = pytest.mark.parametrize("dialect", FORMS)


def forms(tools: Toolset, dialect: str) -> dict[str, Grammar]:
    return {"lark": tools.to_lark(dialect, prose=False), "gbnf": tools.to_gbnf(dialect, prose=False)}


def lark(form: str, grammar: Grammar) -> str:
    return grammar.text if form == "lark" else gbnf_to_lark(grammar.text)


def assert_runs(tools: Toolset, dialect: str, text: str) -> None:
    blocks = read(tools, dialect, f"Well:\n{text}\nDone.\n")
    shown = [(block.outcome, block.fixes, [issue.message for issue in block.issues]) for block in blocks]
    assert blocks, (tools, text)
    if {issue.code for block in blocks for issue in block.issues} & UNSAID or holds_damage(dialect, blocks):
        return
    assert all(block.executable and block.outcome == "valid" and not block.fixes for block in blocks), (text, shown)


@pytest.mark.more
@pytest.mark.some(1)
@dialects
@pytest.mark.parametrize("form", ["lark", "gbnf"])
def test_what_the_grammar_of_known_tools_accepts_may_run(dialect: str, form: str) -> None:
    grammar = lark(form, forms(TOOLS, dialect)[form])
    assert complaint(grammar) == ""
    dice, whole = random.Random(SEED), 0
    for _ in range(SAMPLED):
        text = drawn(grammar, dice, closers(dialect))
        if text is not None:
            blocks = read(TOOLS, dialect, f"Well:\n{text}\n")
            codes = {issue.code for block in blocks for issue in block.issues}
            if not codes & UNSAID and not holds_damage(dialect, blocks):
                assert_runs(TOOLS, dialect, text)
                whole += 1
    assert whole >= SAMPLED // 2


@pytest.mark.parametrize("value", [">x", "x</parameter", "x tool_call>", "<paramter=x>", "x</par", '<arg name="path">'])
def test_a_damaged_marker_in_a_raw_value_is_the_only_excuse(value: str) -> None:
    text = written("qwen3_coder", ("write_file", {"path": "a", "content": "VALUE"}))
    grammar = TOOLS.to_lark("qwen3_coder", prose=False).text
    for held, damaged in ((value, True), (f"{value} </function> x", False), ("x", False)):
        made = text.replace("VALUE", held)
        assert accepts(grammar, made) is (damaged or held == "x")
        assert holds_damage("qwen3_coder", read(TOOLS, "qwen3_coder", f"Well:\n{made}\nDone.\n")) is damaged


@pytest.mark.more
@settings(max_examples=PAIRS, suppress_health_check=list(HealthCheck))
@given(tools_and_calls(), st.sampled_from(list(FORMS)), st.integers(0, 10**9))
def test_a_grammar_accepts_calls_of_drawn_tools_and_what_it_draws_is_valid(
    made: tuple[Toolset, Call], dialect: str, seed: int
) -> None:
    tools, call = made
    try:
        text: str | None = written(dialect, call)
    except ValueError:
        text = None  # the dialect has no way to write it
    try:
        found_forms = forms(tools, dialect)
    except GrammarError as error:
        assert "is clear without quotes" in str(error)
        return
    for form, grammar in found_forms.items():
        assert complaint(lark(form, grammar)) == "", grammar.text
        lost = {each.effect for each in grammar.not_expressed}
        found = drawn(lark(form, grammar), random.Random(seed), closers(dialect))
        if found is not None and "accepts_more" not in lost:
            assert_runs(tools, dialect, found)
        if text is not None and "accepts_less" not in lost and not ends_unclear(dialect, call):
            taken = accepts(grammar.text, text) if form == "lark" else gbnf.takes(grammar.text, text)
            assert taken, (text, grammar.text)
