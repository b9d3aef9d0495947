"""Verdicts and their sums."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard
from stream_guard.command.outcomes import BlockSummary, Tally, blocks
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)


def fenced(*bodies: str) -> str:
    return "".join(f"```json\n{body}\n```\n" for body in bodies)


def test_a_verdict_holds_what_became_of_a_block_and_not_what_is_in_it() -> None:
    text = fenced(
        '{"tool": "delete_file", "path": "a"}',
        '{"tool": "delete_file", "path": "b",}',
        '{"tool": "write_file", "path": "c"}',
        '{"tool": "write_file", "path": "d", "content": "S3CRET"}',
    )
    found = [BlockSummary.of(block) for block in blocks(GUARD, [text[:-5]], "s")]
    assert [(it.tool, it.path, it.outcome, it.end_cause) for it in found] == [
        ("delete_file", "a", "valid", "closed"),
        ("delete_file", "b", "fixed", "closed"),
        ("write_file", "c", "failed", "closed"),
        ("write_file", "d", "failed", "disconnect"),
    ]
    assert [it.issues for it in found] == [(), (), ("required",), ("missing_fence",)]
    assert found[1].fixes == ("Removed a trailing comma",)
    assert found[1].remark == "Removed a trailing comma"
    assert found[2].remark == 'write_file tool requires "content" field (line 1, column 1)'
    assert "S3CRET" not in json.dumps([it.to_dict() for it in found])
    assert found[2].to_dict() == {
        "tool": "write_file",
        "path": "c",
        "outcome": "failed",
        "endCause": "closed",
        "issues": ["required"],
        "fixes": [],
        "dialect": "fence",
    }


outcomes = st.sampled_from(["valid", "fixed", "failed"])
words = st.sampled_from(["a", "b", None])
summaries = st.builds(
    BlockSummary,
    words,
    words,
    outcomes,
    st.just("closed"),
    st.lists(st.sampled_from("xy"), unique=True).map(tuple),
    st.lists(st.sampled_from("pq"), unique=True).map(tuple),
    st.just(""),
)


@given(st.lists(st.lists(summaries, max_size=8), max_size=5))
def test_sums_of_parts_are_the_sum_of_all(parts: list[list[BlockSummary]]) -> None:
    """In any order, and after a journey as JSON."""
    whole, sums = Tally(), []
    for part in parts:
        tally = Tally(files=1, replies=2)
        for summary in part:
            tally.count(summary)
            whole.count(summary)
        sums.append(Tally.from_dict(json.loads(json.dumps(tally.to_dict()))))
        assert sums[-1] == tally
    total = Tally()
    for tally in reversed(sums):
        total.add(tally)
    whole.files, whole.replies = len(parts), 2 * len(parts)
    assert total == whole
    assert total.blocks == sum(map(len, parts))
    assert total.failed == sum(summary.outcome == "failed" for part in parts for summary in part)
