"""The fault grammar, and what becomes of its blocks: what was not meant never comes out executable."""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random
from typing import Final

import pytest
import stream_guard_conformance
from stream_guard_conformance import KINDS, TOOLSETS, Toolset, Verdict, judge, make, prefixes, run
from stream_guard_conformance.calls import Call, make_call
from stream_guard_conformance.cases import sound
from stream_guard_conformance.faults import Kind, Scene
from stream_guard_conformance.faults.punctuation import OTHERWISE
from stream_guard_conformance.render import WRAPPINGS, Style, joined, render
from stream_guard_conformance.run import Own, main, run_cuts
from stream_guard_conformance.sources import everything, own
from stream_guard_conformance.toolsets import WORD, ToolSpec
from stream_guard_conformance.verdicts import keys, strict

from tests.kit.breadth import WHOLE, some
from tests.kit.mended import COUNTING, REFUSED
from tests.kit.proof import Cases

BLOCKS: Final = int(os.environ.get("BLOCKS", "1200"))
"""How many blocks with faults are tried, enough for each kind alone in each part; more under `make more`."""

SEED: Final = int(os.environ.get("SEED", "1"))
"""Where they are drawn from."""

PARTS: Final = min(BLOCKS // 600, 5)
"""In how many parts they are tried, each a test, so that all processes have work."""

SHORT: Final = int(os.environ.get("SHORT", "16"))
"""How many short calls are cut at every character; more under `make more`."""


# The grammar itself


def test_there_are_more_than_forty_kinds_each_with_a_sentence_of_its_own() -> None:
    assert len(KINDS) >= 40
    assert len({kind.does for kind in KINDS.values()}) == len(KINDS)
    assert all(kind.name == name for name, kind in KINDS.items())
    assert set(KINDS) >= REFUSED


def test_only_what_tries_a_guard_or_is_a_command_knows_the_core() -> None:
    """And the writers of dialects, which `damaged` takes apart."""
    folder = Path(stream_guard_conformance.__file__).parent
    told = {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*.py")
        if re.search(r"^(from|import) stream_guard\b", file.read_text("utf-8"), re.MULTILINE)
    }
    assert told == {
        "run.py", "conform/guard_parser.py", "conform/cli.py", "attack.py", "functions.py", "advice.py", "chaos.py",
        "damaged.py",
    }  # fmt: skip


def test_the_languages_are_more_than_eight_here_and_on_a_bare_machine() -> None:
    assert len(own().languages) >= 8
    assert set(own().languages) <= set(everything().languages)


@pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)
def test_every_call_is_valid_and_is_read_back_from_what_is_rendered(toolset: Toolset) -> None:
    rng = Random(SEED)
    for _ in range(200):
        calls, _, tokens = sound(toolset, own(), rng)
        assert all(toolset.by_name[call.tool].accepts(call.arguments) for call in calls)
        assert keys(strict(joined(tokens), toolset) or ()) == keys(calls)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_every_wrapping_is_read_back_in_every_style(wrapping: str) -> None:
    rng = Random(SEED)
    for toolset in TOOLSETS:
        for _ in range(20):
            calls = (make_call(toolset, own(), rng),)
            body = joined(render(calls, wrapping, Style.draw(rng), rng))
            assert keys(strict(body, toolset) or ()) == keys(calls)


@pytest.mark.some
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_changes_the_text_and_is_the_same_for_the_same_seed(kind: Kind) -> None:
    for number in some(range(5), 2):
        case = make(number, SEED, kinds=[kind.name], sources=own())
        again = make(number, SEED, kinds=[kind.name], sources=own())
        assert case == again
        read = strict(case.body, case.toolset)
        assert not kind.closed or read is None or keys(read) != keys(case.meant) or kind.family == "wrappings"
        assert case.nothing >= kind.refused


def test_a_fault_without_a_place_says_so() -> None:
    toolset = TOOLSETS[0]
    calls = (Call("delete_file", {"path": "a.txt"}),)
    tokens = render(calls, "bare", Style(), Random(1))
    assert KINDS["bare_quotes"].apply(tokens, Random(1), Scene(toolset, calls)) is None


def test_another_seed_gives_other_blocks() -> None:
    assert make(3, 1, sources=own()) != make(3, 2, sources=own())


def test_the_table_does_not_depend_on_processes() -> None:
    kinds = ("trailing_comma", "bare_quotes", "cut_open")
    alone, together = (run(60, SEED, (1, 2), kinds=kinds, processes=count) for count in (0, 2))
    assert str(alone) == str(together)


def test_a_name_outside_disagrees_with_one_inside_or_has_no_place() -> None:
    toolset, rng = TOOLSETS[0], Random(1)
    calls, tokens = next(
        (calls, tokens) for calls, _, tokens in (sound(toolset, own(), rng) for _ in range(99)) if len(calls) == 1
    )
    scene = Scene(toolset, calls)
    assert KINDS["disagreeing_names"].apply(tokens, rng, scene) is not None
    nameless = KINDS["missing_tool"].apply(tokens, rng, scene)
    assert nameless is not None
    assert KINDS["disagreeing_names"].apply(nameless, rng, scene) is None


def test_a_text_with_the_word_that_is_the_tools_name_is_no_name_inside() -> None:
    scene = Scene(TOOLSETS[0], (Call("delete_file", {"path": "delete_file"}),))
    tokens = render(scene.calls, "bare", Style(), Random(1))
    nameless = KINDS["missing_tool"].apply(tokens, Random(1), scene)
    assert nameless is not None
    assert "delete_file" in joined(nameless)
    assert KINDS["disagreeing_names"].apply(nameless, Random(1), scene) is None


@pytest.mark.some
@pytest.mark.parametrize(
    ("field", "description", "said"),
    [
        ("wait_ms", "", {"ms"}),
        ("waitMs", "", {"ms"}),
        ("wait", "How long, in ms.", {"ms"}),
        ("price", "An amount in USD, as cents", {"USD", "cents"}),
        ("recipient", "", {"recipient"}),
        ("wait", "", set()),
        ("items", "", set()),
    ],
)
def test_a_comment_contradicts_no_field_whose_unit_or_word_it_repeats(field: str, description: str, said: set[str]) -> None:
    """It does contradict another one, and is drawn beside that."""
    fields = {"a": WORD, field: {"type": "integer", "description": description}, "b": WORD, "c": WORD}
    toolset = Toolset("one", (ToolSpec("change", fields, ()),))
    calls = (Call("change", {"a": "x", field: 5, "b": "y", "c": "z"}),)
    tokens = render(calls, "bare", Style("  "), Random(1))
    beside: set[str] = set()
    elsewhere: set[str] = set()
    for seed in some(range(3_000), 1_500):
        spoilt = KINDS["contradicting_comment"].apply(tokens, Random(seed), Scene(toolset, calls))
        assert spoilt is not None
        at = next(at for at, token in enumerate(spoilt) if token.kind == "noise")
        comment = spoilt[at].text.strip("/#* \n")
        (beside if spoilt[at - 1].kind == "number" else elsewhere).add(comment)
    assert beside == set(OTHERWISE) - said
    assert elsewhere == set(OTHERWISE)


@pytest.mark.some
def test_a_call_that_was_cut_and_closed_all_the_same_says_what_it_says() -> None:
    kinds = ("cut_behind_value", "cut_near_end", "sibling_name", "extra_closer", "trailing_comma", "in_parentheses")
    assert not run(600 if WHOLE else 150, SEED, (2, 3), kinds=kinds, processes=0).wrong()


@pytest.mark.parametrize("other", ["foreign_prefix", "destructive_slip", "invented_tool", "bare_quotes"])
def test_what_a_cut_block_said_without_its_other_fault_may_not_run(other: str) -> None:
    """That fault forbids the call, or its mending assumes something: if it runs, that is wrong, and not unknowable."""
    for index in range(0, 60, 2):
        case = make(index, 3, 2, kinds=["cut_behind_value", other])
        ended = other == "bare_quotes" and case.body.rstrip().endswith(("}", "]"))  # another fault may have closed it
        assert case.said == () or ended, case.body


def test_a_verdict_compares_calls_value_by_value() -> None:
    meant = (Call("a", {"x": 1}), Call("b", {}))
    assert judge(meant, meant) is Verdict.EXACT
    assert judge((), meant) is Verdict.REFUSED
    assert judge((), meant, gated=True) is Verdict.GATED
    for ran in (
        meant[:1],
        meant[::-1],
        (*meant, meant[0]),
        (Call("a", {"x": 1.0}), meant[1]),
        (Call("a", {"x": True}), meant[1]),
    ):
        assert judge(ran, meant) is Verdict.WRONG
        assert judge(ran, meant, [ran]) is Verdict.STILL_VALID
    assert judge((), meant, [meant[:1]]) is Verdict.STILL_VALID
    assert judge(meant, meant, nothing=True) is Verdict.WRONG


def test_the_strict_reading_takes_what_every_parser_takes() -> None:
    toolset = TOOLSETS[0]
    call = '{"tool": "delete_file", "path": "a"}'
    assert strict(call, toolset) == (Call("delete_file", {"path": "a"}),)
    assert len(strict(call + call.replace('"a"', '"b"'), toolset) or ()) == 2
    for body in (
        call[:-1],
        call + call,
        '{"tool": "delete_file", "path": "a", "path": "a"}',
        '{"tool": "delete_file", "path": "\\ud83d"}',
        '{"tool": "delete_file", "path": NaN}',
        '{"tool": "delete_file"}',
        '{"tool": "rm", "path": "a"}',
        "[]",
        "7",
    ):
        assert strict(body, toolset) is None, body


def test_a_prefix_that_says_nothing_leaves_what_else_a_text_says() -> None:
    """A mark that makes another number of one is nothing that anybody could see, beside such a prefix too."""
    prefixed = '{"tool": "functions.delete_file", "path": "a"}'
    assert strict(prefixed, TOOLSETS[0]) is None
    assert strict(prefixed, TOOLSETS[0], aliases=True) == (Call("delete_file", {"path": "a"}),)
    assert strict(prefixed.replace("functions.", "staging."), TOOLSETS[0], aliases=True) is None


def test_the_command_prints_a_table_and_the_smallest_wrong_block(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(KINDS)
    assert main(["--blocks", "20", "--kinds", "trailing_comma", "--processes", "0"]) == 0
    assert "trailing_comma" in capsys.readouterr().out


# What becomes of its blocks


@pytest.mark.more
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.promise("P7", "P8")
def test_no_fault_ends_in_a_call_that_was_not_meant(cases: Cases, part: int) -> None:
    """Half of the blocks have one fault, of any kind; the others have two, three or four. A fifth have two that are to be
    mended.
    """
    seed = PARTS * SEED + part
    drawn = BLOCKS * 4 // 5 // PARTS
    assert drawn >= 2 * len(KINDS), "or else a kind is never tried alone: every second block has one fault"
    table = run(drawn, seed, (1, 2, 1, 3, 1, 4, 1, 2), processes=0)
    table.add(run(BLOCKS // 5 // PARTS, seed, (2,), kinds=COUNTING, processes=0))
    cases(table.total().tried)
    wrong = table.wrong()
    assert not wrong, f"{len(wrong)} kinds, first: {min(wrong, key=lambda found: len(found.text))}\n{table}"


@pytest.mark.more
def test_most_blocks_with_one_fault_or_two_are_fixed_exactly() -> None:
    """Of blocks with one fault that is to be mended, and of those with two. They are the same on every machine."""
    assert len(COUNTING) >= 28
    table = run(max(BLOCKS // 5, 1_000), SEED, (1, 2), kinds=COUNTING, processes=0, subject=Own(machine=False))
    assert table.exact(faults=[1]) >= 0.85, f"{table}"
    assert table.exact(faults=[2]) >= 0.55, f"{table}"


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
def test_a_body_cut_at_any_character_never_runs_unless_it_only_forgot_its_braces(cases: Cases) -> None:
    stopped = run_cuts(SHORT, SEED, processes=0)
    cases(stopped.tried)
    assert stopped.forgotten, "a forgotten brace is to be mended"
    assert not stopped.wrong, f"{len(stopped.wrong)} of {stopped.tried}, first: {stopped.wrong[0]}"


def test_every_prefix_is_shorter_than_its_call_and_lacks_more_than_white_space() -> None:
    for prefix in prefixes(8, SEED):
        assert len(prefix.body) < 200
        if prefix.forgotten:
            assert prefix.body.rstrip()[-1] in '"]}'
            assert strict(prefix.body, prefix.toolset) is None
