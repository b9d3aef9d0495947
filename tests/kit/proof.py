"""The promises, and the page of the tests that try to break them, which `make prove` writes from the tests that ran.

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
from stream_guard_conformance import KINDS

from tests.kit.mended import NOT_COVERED
from tests.kit.mended import lines as kinds

Cases = Callable[[int], None]
"""The fixture `cases`: so many more were tried."""

PROMISES: Final = {
    "P1": ("Chunking does not matter", "Every chunking of a text gives the same events."),
    "P2": (
        "Nothing is lost",
        "Prose and `raw`, in order, are the original text, also when the stream is cut off, a block is too long, or something"
        " fails. Text that is not held leaves as the same object that came in.",
    ),
    "P3": (
        "At once",
        "Prose waits only while its line may still become a fence. The first status is sent when the fence opens. Tool and path"
        " are sent when their strings close, and are never guessed.",
    ),
    "P4": ("Exactly one end", "Every announced block ends exactly once, and `seq` orders all events of a stream."),
    "P5": ("Closed", "The source is closed when the reader leaves, however it leaves."),
    "P6": ("Linear and bounded", "The work for a character does not grow with the block, and memory is bounded."),
    "P7": (
        "Honest",
        "A block that was cut off, has two readings or is too long is never `executable`. `validation_passed` is the verdict of"
        " the strict parser and the schema on `content`.",
    ),
    "P8": (
        "No new authority, no other meaning",
        "An executable call is the one that the model wrote: its tool, paths, addresses, numbers, and every item of its lists."
        " No structure of the block becomes text, nothing is invented, and nothing is dropped. A block is fixed exactly, or"
        " refused.",
    ),
    "P9": (
        "Open for text, closed for tools",
        "An internal error loses no prose, lets no block pass, and ends no stream.",
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
        self._page.write_text("\n".join(self._lines()), encoding="utf-8", newline="\n")
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
            "# Promises",
            "",
            "    make prove    # runs these tests and writes this page",
            "",
            f"Written on {when}, with Python {platform.python_version()} on {os.cpu_count()} cores. A case is one check of"
            " a promise: a text with a chunking, a stream with a fault, a client that disconnects.",
        ]
        for name, (title, text) in PROMISES.items():
            tests = sorted((test, tried) for (promise, test), tried in self._tried.items() if promise == name)
            total = sum(tried.cases for _, tried in tests)
            verdict = "held" if self._held(name) else "**not shown**"
            lines += ["", f"## {name}: {title}", "", text, "", f"{verdict.capitalize()} in {total:,} cases.", ""]
            lines += ["| test | cases | |", "|---|---|---|"]
            for test, tried in tests:
                said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tried.outcomes.items()))
                claim = tried.claim.replace("|", "\\|")
                lines.append(f"| {claim}<br>`pytest {test}` | {tried.cases:,} | {said} |")
        lines += ["", "## Kinds of fault", ""]
        listing = "`python -m stream_guard_conformance --list`"
        lines += [f"{listing} prints these {len(KINDS)} kinds, `make more` tries 200,000 blocks of them."]
        lines += [*kinds(), "", "## What is not covered", "", *(f"- {gap}" for gap in NOT_COVERED)]
        return [*lines, ""]
