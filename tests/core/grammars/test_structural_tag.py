"""Structural tags, judged by xgrammar, which vLLM and SGLang run. It pulls torch: `pip install --group grammars` first."""

from __future__ import annotations

import json
import os
import random
import warnings
from typing import Any

import pytest

from stream_guard.grammars import FORMS, GrammarError
from tests.kit.dialects import CALLS, TOOLS
from tests.kit.grammars import UNSAID, holds_damage, read, written

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what torch says when it is imported
    xgrammar: Any = pytest.importorskip(
        "xgrammar", reason="xgrammar, which pulls torch, is in the group `grammars`", exc_type=ImportError
    )

SAMPLES = int(os.environ.get("SAMPLES", "140"))
END = 256
COMPILER = xgrammar.GrammarCompiler(
    xgrammar.TokenizerInfo([*(bytes([byte]) for byte in range(256)), b"<end>"], stop_token_ids=[END])
)
dialects = pytest.mark.parametrize("dialect", FORMS)


def compiled(text: str) -> Any:
    made = json.loads(text)
    if "structures" not in made:
        return COMPILER.compile_structural_tag(text)
    items = [xgrammar.StructuralTagItem(**each) for each in made["structures"]]
    return COMPILER.compile_structural_tag(xgrammar.StructuralTag.from_legacy_structural_tag(items, made["triggers"]))


def accepts(grammar: Any, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(grammar)
    return bool(matcher.accept_string(text) and matcher.accept_token(END))


def drawn(grammar: Any, dice: random.Random, begin: str) -> str | None:
    """A text that a grammar accepts, from the beginning of a call on."""
    matcher = xgrammar.GrammarMatcher(grammar)
    assert matcher.accept_string(begin)
    bitmask = xgrammar.allocate_token_bitmask(1, 257)
    made = bytearray(begin.encode())
    while len(made) < 1_500:
        matcher.fill_next_token_bitmask(bitmask)
        words = bitmask[0].tolist()
        allowed = [token for token in range(257) if words[token >> 5] >> (token & 31) & 1]
        if END in allowed:
            return made.decode()
        late = [token for token in allowed if token in b"\"'}])>\n</"] if len(made) > 150 else []
        token = dice.choice(late if late and dice.random() < 0.8 else [each for each in allowed if 32 <= each < 127] or allowed)
        assert matcher.accept_token(token)
        made.append(token)
    return None


@dialects
@pytest.mark.parametrize("shape", ["new", "old"])
def test_every_call_in_canonical_spelling_is_accepted_and_a_wrong_one_is_not(dialect: str, shape: Any) -> None:
    try:
        grammar = compiled(TOOLS.to_structural_tag(dialect, shape=shape).text)
    except GrammarError:
        assert shape == "old"
        return
    assert accepts(grammar, 'Well:\n```text\n{"data": 1} <b>\n```\n')
    for name, calls in CALLS.items():
        call = "\n".join(written(dialect, call) for call in calls)
        assert accepts(grammar, f"Well:\n{call}\nDone.\n"), name
    wrong = written(dialect, ("write_file", {"path": "a.txt", "contents": "x"}))
    assert not accepts(grammar, f"Well:\n{wrong}\nDone.\n")


@dialects
def test_it_reads_our_gbnf_as_llguidance_does(dialect: str) -> None:
    grammar = COMPILER.compile_grammar(TOOLS.to_gbnf(dialect, prose=False).text)
    for name, calls in CALLS.items():
        assert all(accepts(grammar, written(dialect, call)) for call in calls), name
    assert not accepts(grammar, written(dialect, ("write_file", {"path": "a.txt", "contents": "x"})))


@dialects
def test_what_is_accepted_may_run(dialect: str) -> None:
    tag = TOOLS.to_structural_tag(dialect)
    grammar, dice, whole = compiled(tag.text), random.Random(1), 0
    for _ in range(SAMPLES // len(FORMS)):
        text = drawn(grammar, dice, dice.choice(tag.triggers))
        if text is None:
            continue
        blocks = read(TOOLS, dialect, f"Well:\n{text}\n")
        if {issue.code for block in blocks for issue in block.issues} & {*UNSAID, "lone_surrogate"}:
            continue  # xgrammar writes halves of surrogate pairs
        if holds_damage(dialect, blocks):
            continue
        whole += 1
        shown = [(block.outcome, [issue.message for issue in block.issues]) for block in blocks]
        assert blocks
        assert all(block.executable and block.outcome == "valid" for block in blocks), (text, shown)
    assert whole
