"""What is promised, and the page that says which tests tried to break it: `make prove` writes it from what ran.

A test says what it tries to break (`@pytest.mark.promise("P1", "P2")`), and how many cases it tries (the fixture `cases`;
without it, one, or as many as hypothesis draws).

Rule: nothing on the page is written by hand, and a promise without a test that passed is a failure.
"""

from __future__ import annotations

import os
import platform
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings

from conformance import KINDS
from tests.kit.mended import NOT_COVERED
from tests.kit.mended import lines as kinds

Cases = Callable[[int], None]
"""The fixture `cases`: so many more were tried."""

PROMISES: Final = {
    "P1": ("Chunking does not matter", "Any cutting of the same text gives the same events."),
    "P2": (
        "Nothing is lost",
        "Prose and `raw`, in order, are the original text: also when the stream is cut off, a block is too long, or something"
        " fails. What needs no holding leaves as the very object that came.",
    ),
    "P3": (
        "At once",
        "Prose waits only while its line could still be a fence; the status leaves in the tick in which the fence opens; name"
        " and path are told when their strings close, never earlier and never as a guess.",
    ),
    "P4": ("Exactly one end", "Every block that was announced comes to one end, and `seq` orders all events of a stream."),
    "P5": ("Closed", "The upstream is closed when the reader leaves, by whatever way it leaves."),
    "P6": ("Linear and bounded", "Work for a character does not grow with the block, and memory has limits."),
    "P7": (
        "Honest",
        "What was cut off, can be read in two ways or is too long is never `executable`; `validation_passed` is the verdict of"
        " the strict parser and the schema on `content`.",
    ),
    "P8": (
        "No new authority, no other meaning",
        "What is executable is what the model wrote: its tool, paths, addresses and numbers, and every item of its lists."
        " No structure of the block becomes text, nothing is invented, and nothing that was written is dropped. A block is"
        " mended exactly, or refused.",
    ),
    "P9": (
        "Open for text, closed for tools",
        "A fault of the guard's own loses no prose, lets no block through as passed, and breaks no stream.",
    ),
}


@dataclass
class Tried:
    """What became of one test, over all its parameters."""

    claim: str = ""
    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


class Proof:
    """Gathers what ran, in whichever process, and writes the page."""

    def __init__(self, page: Path) -> None:
        self._page = page
        self._tried: dict[tuple[str, str], Tried] = defaultdict(Tried)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Say of each test what it is about; its report carries that to wherever it is read."""
        for item in items:
            names = [name for mark in item.iter_markers("promise") for name in mark.args]
            test: Any = getattr(item, "obj", None)
            claim = getattr(item, "originalname", item.name).removeprefix("test_").replace("_", " ")
            item.user_properties += [("promises", names), ("claim", claim.capitalize())]
            if names and getattr(test, "is_hypothesis_test", False):
                item.user_properties.append(("cases", settings().max_examples))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what became of a test."""
        if report.when != "call" and report.outcome == "passed":
            return
        told: dict[str, Any] = {}
        for key, value in report.user_properties:
            told[key] = told.get(key, 0) + value if key == "cases" else value
        for name in told.get("promises", ()):
            tried = self._tried[name, report.nodeid.partition("[")[0]]
            tried.claim = told["claim"]
            tried.cases += told.get("cases", 1)
            tried.outcomes[report.outcome] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the page; fail where a promise stands alone."""
        if hasattr(session.config, "workerinput"):
            return
        self._page.write_text("\n".join(self._lines()), encoding="utf-8")
        alone = [name for name in PROMISES if not self._held(name)]
        if alone:
            print(f"\nno test that passed stands behind {', '.join(alone)}")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _held(self, promise: str) -> bool:
        tests = [tried for (name, _), tried in self._tried.items() if name == promise]
        return any(tried.outcomes["passed"] for tried in tests) and not any(tried.outcomes["failed"] for tried in tests)

    def _lines(self) -> list[str]:
        when = datetime.now(UTC).strftime("%Y-%m-%d")
        lines = [
            "# What is promised, and who tries to break it",
            "",
            "    make prove    # writes this page from what ran",
            "",
            f"Written on {when}, with Python {platform.python_version()} on {os.cpu_count()} cores. A case is one run of what"
            " is promised: a text with its cutting, a stream with a fault in it, a client that leaves.",
        ]
        for name, (title, text) in PROMISES.items():
            tests = sorted((test, tried) for (promise, test), tried in self._tried.items() if promise == name)
            total = sum(tried.cases for _, tried in tests)
            verdict = "held" if self._held(name) else "**not shown**"
            lines += ["", f"## {name}: {title}", "", text, "", f"{verdict.capitalize()} in {total:,} cases.", ""]
            lines += ["| what tries to break it | cases | |", "|---|---|---|"]
            for test, tried in tests:
                said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tried.outcomes.items()))
                claim = tried.claim.replace("|", "\\|")
                lines.append(f"| {claim}<br>`pytest {test}` | {tried.cases:,} | {said} |")
        lines += ["", "## The kinds of fault that were tried", ""]
        lines += [f"`python -m conformance --list` prints these {len(KINDS)} kinds, `make more` tries 200,000 blocks of them."]
        lines += [*kinds(), "", "## What is not covered", "", *(f"- {gap}" for gap in NOT_COVERED)]
        return [*lines, ""]
