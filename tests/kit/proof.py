"""The promises, and the page of the tests that try to break them, which `make prove` writes from the tests that ran.

A test says what it tries to break (`@pytest.mark.promise("P1", "P2")`), and how many cases it tries (the fixture `cases`;
without it one, or as many as hypothesis ran). `tried_on` says what it tries, and who made that.

Rule 1: only tests that passed count. One that was skipped has tried nothing.
Rule 2: cases over third-party data are counted apart. A promise without a test that passed on the project's own is a failure.
"""

from __future__ import annotations

import os
import platform
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final

import pytest
from stream_guard_conformance import KINDS

from tests.kit.mended import NOT_COVERED
from tests.kit.mended import lines as kinds
from tests.kit.tried_on import Maker, tried_on

Cases = Callable[[int], None]
"""The fixture `cases`: so many more were tried."""

OUTSIDE: Final = "corpora"
"""The fixture that a test asks for when it needs third-party data, which is not part of the project."""


@dataclass(frozen=True)
class Promise:
    """A promise, and what no test tries."""

    title: str
    text: str
    gaps: tuple[str, ...]


PROMISES: Final = {
    "P1": Promise(
        "Chunking does not matter",
        "Every chunking of a text gives the same events.",
        (
            "Long texts: every cut in two, or every sequence of tokens, is tried on short ones only. Long ones are cut by"
            " character and at random.",
            "A byte sequence that is not UTF-8. The core takes text; adapters decode bytes before it.",
        ),
    ),
    "P2": Promise(
        "Nothing is lost",
        "Prose and `raw`, in order, are the original text, also when the stream is cut off, a block is too long, or something"
        " fails. Text that is not held leaves as the same object that came in.",
        ("A process that is killed loses what it holds, unless the stream is resumable and its store is not lost too.",),
    ),
    "P3": Promise(
        "At once",
        "Prose waits only while its line may still become a fence. The first status is sent when the fence opens. Tool and path"
        " are sent when their strings close, and are never guessed.",
        (
            "Time on the clock. The tests count deltas; the benchmarks measure milliseconds.",
            "Buffers behind the guard: proxies and clients may hold what was sent.",
        ),
    ),
    "P4": Promise(
        "Exactly one end",
        "Every announced block ends exactly once, and `seq` orders all events of a stream.",
        (
            "A reader that leaves before the end sees no end. Events that a network loses are sent again by resumable streams"
            " only.",
        ),
    ),
    "P5": Promise(
        "Closed",
        "The source is closed when the reader leaves, however it leaves.",
        ("A source that ignores being closed. Servers other than uvicorn and hypercorn.",),
    ),
    "P6": Promise(
        "Linear and bounded",
        "The work for a character does not grow with the block, and memory is bounded.",
        ("Code in C, whose steps cannot be counted: `python -m benchmarks.shapes` times it.", "Rules and handlers of an app."),
    ),
    "P7": Promise(
        "Honest",
        "A block that was cut off, has two readings or is too long is never `executable`. `validation_passed` is the verdict of"
        " the strict parser and the schema on `content`.",
        (
            "A text that was cut off exactly where a whole call ends. Nobody can see that it was.",
            "A text in JSON whose quotes are not escaped, and which holds the end of its call with the closer of its dialect."
            " The call runs at that closer; what is left of the text comes behind it.",
        ),
    ),
    "P8": Promise(
        "No new authority, no other meaning",
        "An executable call is the one that the model wrote: its tool, paths, addresses, numbers, and every item of its lists."
        " No structure of the block becomes text, nothing is invented, and nothing is dropped. A block is fixed exactly, or"
        " refused.",
        (
            "Tools of others: these tests have toolsets of their own. `stream-guard attack` tries the same faults on yours.",
            "Faults that are in no list of kinds. Those below are the ones that were thought of, or seen.",
        ),
    ),
    "P9": Promise(
        "Open for text, closed for tools",
        "An internal error loses no prose, lets no block pass, and ends no stream.",
        ("Memory that runs out, and errors of the interpreter.",),
    ),
}


@dataclass
class Tried:
    """What became of one test, over all its parameters."""

    claim: str = ""
    what: str = ""
    """What it tried."""

    maker: str = ""
    """Who made that."""

    cases: int = 0
    """How many cases of it held."""

    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def outside(self) -> bool:
        """Whether it needs third-party data."""
        return self.maker == Maker.OUTSIDE


class Proof:
    """Gathers what ran, in whichever process, and writes the page."""

    def __init__(self, page: Path) -> None:
        self._page = page
        self._tried: dict[tuple[str, str], Tried] = defaultdict(Tried)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Say of each test what it is about; its report carries that to wherever it is read."""
        for item in items:
            names = [name for mark in item.iter_markers("promise") for name in mark.args]
            if not names:
                continue
            claim = getattr(item, "originalname", item.name).removeprefix("test_").replace("_", " ")
            fixtures = getattr(item, "fixturenames", ())
            drawn = item.get_closest_marker("more") is not None
            what, maker = tried_on(item.nodeid.partition("::")[0], drawn=drawn, outside=OUTSIDE in fixtures)
            item.user_properties += [
                ("promises", names), ("claim", claim.capitalize()), ("what", what), ("maker", str(maker)),
            ]  # fmt: skip
            if "cases" in fixtures:
                item.user_properties.append(("cases", 0))  # it counts them, and none may be there

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Count what hypothesis runs of a test that it draws for: it may be less than it was told to draw."""
        handle = getattr(getattr(item, "obj", None), "hypothesis", None)
        if handle is None or item.get_closest_marker("promise") is None:
            return (yield)
        inner, ran = handle.inner_test, Counter[str]()
        handle.inner_test = _counted(inner, ran)
        try:
            return (yield)
        finally:
            handle.inner_test = inner
            item.user_properties.append(("cases", ran["examples"]))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what became of a test: a skipped one has tried nothing, and one that failed has shown nothing."""
        if report.when != "call" and report.outcome == "passed":
            return
        told: dict[str, Any] = {}
        for key, value in report.user_properties:
            told[key] = told.get(key, 0) + value if key == "cases" else value
        for name in told.get("promises", ()):
            tried = self._tried[name, report.nodeid.partition("[")[0]]
            tried.claim, tried.what, tried.maker = told["claim"], told["what"], told["maker"]
            tried.cases += told.get("cases", 1) if report.outcome == "passed" else 0
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

    def _tests(self, promise: str, *, outside: bool) -> list[tuple[str, Tried]]:
        """The tests of a promise, by name: those over third-party data, or the others."""
        return sorted(
            (
                (test, tried)
                for (name, test), tried in self._tried.items()
                if name == promise and tried.outside is outside
            ),
            key=lambda row: row[0],
        )  # fmt: skip

    def _held(self, promise: str) -> bool:
        """Whether tests over the project's own data passed, and no test failed."""
        own, others = (self._tests(promise, outside=outside) for outside in (False, True))
        return any(tried.cases for _, tried in own) and not any(tried.outcomes["failed"] for _, tried in own + others)

    def _lines(self) -> list[str]:
        when = datetime.now(UTC).strftime("%Y-%m-%d")
        lines = [
            "# Promises",
            "",
            "    make prove    # runs these tests and writes this page",
            "",
            f"Written on {when}, with Python {platform.python_version()} on {os.cpu_count()} cores. A case is one check of"
            " a promise: a text with a chunking, a stream with a fault, a client that disconnects. Only cases of tests that"
            " passed count: one that was skipped, for a program that is not installed, has none.",
            "",
            "Anybody can run these tests, except those over third-party data, which is not part of the project. They are"
            " counted apart, and no promise rests on them. Each promise says who made what it was tried on.",
        ]
        for name, promise in PROMISES.items():
            own, others = (self._tests(name, outside=outside) for outside in (False, True))
            verdict = "Held" if self._held(name) else "**Not shown**"
            lines += ["", f"## {name}: {promise.title}", "", promise.text, "", f"{verdict} in {_sum(own):,} cases."]
            if others:
                lines[-1] += f" And in {_sum(others):,} over third-party data."
            lines += ["", "| made by | tried | cases |", "|---|---|---|"]
            lines += [f"| {maker} | {what} | {cases:,} |" for maker, what, cases in _kinds(own + others)]
            lines += ["", *(f"- Not covered: {gap}" for gap in promise.gaps)]
            for title, tests in (("The tests", own), ("Tests over third-party data", others)):
                if tests:
                    lines += ["", f"{title}:", "", "| test | cases | |", "|---|---|---|"]
                    lines += [_row(test, tried) for test, tried in tests]
        lines += ["", "## Kinds of fault", ""]
        listing = "`python -m stream_guard_conformance --list`"
        lines += [f"{listing} prints these {len(KINDS)} kinds, `make more` tries 200,000 blocks of them."]
        lines += [*kinds(), "", "## What is not covered", "", *(f"- {gap}" for gap in NOT_COVERED)]
        return [*lines, ""]


def _counted(test: Any, ran: Counter[str]) -> Any:
    """The test, which counts the examples that it came to the end of."""

    @wraps(test)
    def counted(*given: Any, **named: Any) -> None:
        test(*given, **named)
        ran["examples"] += 1

    @wraps(test)
    async def awaited(*given: Any, **named: Any) -> None:
        await test(*given, **named)
        ran["examples"] += 1

    return awaited if iscoroutinefunction(test) else counted


def _sum(tests: list[tuple[str, Tried]]) -> int:
    return sum(tried.cases for _, tried in tests)


def _kinds(tests: list[tuple[str, Tried]]) -> list[tuple[str, str, int]]:
    """Who made what, and in how many cases it was tried: the makers in their order, and what has most cases first."""
    found: Counter[tuple[str, str]] = Counter()
    for _, tried in tests:
        found[tried.maker, tried.what] += tried.cases
    makers = [str(maker) for maker in Maker]
    order = sorted(found, key=lambda kind: (makers.index(kind[0]), -found[kind], kind[1]))
    return [(*kind, found[kind]) for kind in order if found[kind]]


def _row(test: str, tried: Tried) -> str:
    said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tried.outcomes.items()))
    claim = tried.claim.replace("|", "\\|")
    return f"| {claim}<br>`pytest {test}` | {tried.cases:,} | {said} |"
