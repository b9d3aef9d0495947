"""All that is wrong with a block is said at once: in the block, in its hint, and in what a corrector is asked.

The faults of the grammar break the JSON of calls that also break their schema.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from stream_guard_conformance.calls import Call, make_call
from stream_guard_conformance.cases import fenced
from stream_guard_conformance.faults import KINDS, Scene
from stream_guard_conformance.render import Style, joined, render
from stream_guard_conformance.run import guarded
from stream_guard_conformance.sources import own
from stream_guard_conformance.toolsets import CLOSED, Json, ToolSpec

from stream_guard import CorrectionRequest, Guard, Tool, ToolBlock, correction_prompt

Wrong = Callable[[Json, ToolSpec, Random], tuple[str, str, Json]]
"""Breaks the schema: returns the field, the tool's name, and the arguments."""

UNREAD: Final = "a value of no kind"

NAMED: Final = frozenset({"tool names", "field names"})
"""The families of faults that need the tool they break the name of."""


def without_a_field(arguments: Json, tool: ToolSpec, rng: Random) -> tuple[str, str, Json]:
    field = rng.choice(tool.required)
    return field, tool.name, {key: value for key, value in arguments.items() if key != field}


def of_another_type(arguments: Json, tool: ToolSpec, rng: Random) -> tuple[str, str, Json]:
    field = rng.choice(list(arguments))
    return field, tool.name, {**arguments, field: {"strange": UNREAD}}


def with_a_field_too_many(arguments: Json, tool: ToolSpec, _: Random) -> tuple[str, str, Json]:
    return "zyx_unknown", tool.name, {**arguments, "zyx_unknown": UNREAD}


def of_another_tool(arguments: Json, *_: Any) -> tuple[str, str, Json]:
    return "tool", "frobnicate_all", arguments


WRONGS: Final[tuple[Wrong, ...]] = (without_a_field, of_another_type, with_a_field_too_many, of_another_tool)

CUT: Final = frozenset({"missing_bracket", "missing_field", "missing_tool"})
"""The fixes that assume that something is missing. What else such a block lacks is not said: it may have been cut off."""

BLOCKS: Final = int(os.environ.get("BLOCKS", "150"))
"""How many blocks are tried of each kind of broken schema."""


@pytest.mark.parametrize("wrong", WRONGS)
def test_a_block_that_is_broken_on_two_levels_is_told_both(wrong: Wrong, cases: Any) -> None:
    """Wherever the fault of the JSON alone would have been fixed."""
    guards = {toolset.name: Guard(guarded(toolset), untagged="validate") for toolset in CLOSED}
    rng, sources, tried, said = Random(wrong.__name__), own(), 0, 0
    kinds = [kind for kind in KINDS.values() if kind.stage != "cut" and kind.family not in NAMED and not kind.refused]
    for index in range(BLOCKS):
        toolset = rng.choice(CLOSED)
        call = make_call(toolset, sources, rng, 150)
        field, name, arguments = wrong(call.arguments, toolset.by_name[call.tool], rng)
        seed, kind, guard = rng.random(), kinds[index % len(kinds)], guards[toolset.name]
        bodies = []
        for made in (call, Call(name, arguments)):
            draws = Random(seed)
            spoilt = kind.apply(render((made,), "bare", Style.draw(draws), draws), draws, Scene(toolset, (call,)))
            bodies.append(joined(spoilt) if spoilt is not None else "")
        whole, broken = (blocks(guard, body) for body in bodies)
        mended = len(whole) == 1 and whole[0].executable and whole[0].fixes and CUT.isdisjoint({f.rule for f in whole[0].fixes})
        if not mended or not bodies[1] or is_json(bodies[1]) or not broken:
            continue
        (block,) = broken
        tried += 1
        assert not block.executable
        codes = {issue.constraint == "json" for issue in block.issues}
        if codes != {True, False} or not any(issue.field.partition(".")[0] == field for issue in block.issues):
            continue
        said += 1
        assert block.hint is not None
        prompt = correction_prompt(CorrectionRequest(block.raw, block.issues, guard.tools, 1, block.hint))
        for told in (block.hint.message, prompt.partition("EXPECTED FORMAT")[0]):
            assert field in told or "frobnicate_all" in told, bodies[1]
            assert block.issues[0].message in told
        assert UNREAD not in json.dumps(block.hint.example_input)
    assert said >= 0.9 * tried > 0  # a reading may be refused; or the fault falls on the strange value
    cases(tried)


@pytest.mark.parametrize(
    "value",
    [
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        pytest.param("[" * 300 + "]" * 300, id="too deep"),
        pytest.param("[" + "1," * 150_000 + "1]", id="too many values"),
    ],
)
@pytest.mark.parametrize("joint", [", ", " "])
def test_an_issue_names_no_line_that_was_not_written(value: str, joint: str) -> None:
    """What the mended text lays out on lines of its own may be no JSON either: its places are of no use to the model."""
    guard = Guard([Tool("pay", "Pay.", {"type": "object", "properties": {"n": {"type": "number"}}})])
    for block in blocks(guard, f'{{"tool": "pay"{joint}"n": {value}}}'):
        assert not block.executable
        assert {int(line) for issue in block.issues for line in re.findall(r"line (\d+)", issue.message)} == {1}
        assert len({(issue.code, issue.message) for issue in block.issues}) == 1


def blocks(guard: Guard, body: str) -> list[ToolBlock]:
    return [item for item in guard.scan([fenced(body)]) if isinstance(item, ToolBlock)]


def is_json(body: str) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True
