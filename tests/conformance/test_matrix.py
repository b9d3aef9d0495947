"""The page that shows other parsers on the corpus: what a cell says, and that the page is of this corpus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from stream_guard_conformance.conform import Finding, Report, Result, Verdict
from stream_guard_conformance.corpus import VERSION, corpus, digest

from benchmarks.matrix.__main__ import cell, page
from benchmarks.matrix.peers import Naive

PAGE = Path(__file__).parents[2] / "docs" / "matrix.md"


def test_the_page_is_of_this_corpus() -> None:
    """`make matrix` prints it."""
    text = PAGE.read_text(encoding="utf-8")
    assert f"version {VERSION}: {len(corpus()):,} streams, SHA-256 `{digest(corpus())[:16]}…`" in text


def test_the_pages_have_the_number_of_rows() -> None:
    for name in ("CHANGELOG.md", "docs/conformance.md"):
        assert f"{len(corpus()):,}" in (PAGE.parents[1] / name).read_text(encoding="utf-8")


def test_a_cell_says_what_is_right_of_what_applies() -> None:
    assert "–" in cell(Counter({Verdict.NOT_CLAIMED: 3}))
    assert cell(Counter({Verdict.PASSED: 3, Verdict.NOT_CLAIMED: 1})) == "3 of 3"
    told = cell(Counter({Verdict.PASSED: 1, Verdict.REFUSED: 2, Verdict.UNSAFE: 1, Verdict.CALL_WRONG: 1, Verdict.LATE: 1}))
    assert told == "3 of 6<br>**2 ran wrongly**<br>2 refused"


def test_the_page_shows_the_smallest_wrong_row_as_text() -> None:
    report = Report()
    row = next(row for row in corpus() if row.kind == "text/prose" and "<b>" in row.input[0])
    report.add(Result(row, Finding(Verdict.TEXT_LOST, "came out: '<x>'")))
    text = "\n".join(page({"mine": report}))
    assert f"<code>{row.id}</code>: text lost" in text
    assert "&lt;b&gt;" in text
    assert "&lt;x&gt;" in text


def test_the_naive_client_runs_valid_calls_of_closed_fences() -> None:
    import json

    client = Naive("x", json.loads)
    call = next(
        row for row in corpus() if row.kind == "fence/calls" and len(row.calls) == 1 and "````" not in "".join(row.input)
    )
    names = [item.name for step in client.read(call.question()).steps for item in step if hasattr(item, "name")]
    assert names == [call.calls[0].name]
    cut = next(row for row in corpus() if row.kind == "cut-off/in-a-call" and not row.calls)
    assert not [item for step in client.read(cut.question()).steps for item in step if hasattr(item, "name")]
