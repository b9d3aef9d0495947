"""A deadline of a test is one that only a hang meets, however slow the machine is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
LEAST = 300
"""So many seconds at least. What has to run out is set to less than one."""

ASKING = {"AsyncClient", "Client", "get", "post", "request", "run", "stream", "communicate", "check_output"}
"""Calls whose `timeout` is a deadline: of clients, and of processes that are waited for."""


def deadlines(code: str) -> Iterator[tuple[int, float]]:
    """The lines and seconds of the deadlines that stand in a file as numbers."""
    if "timeout" not in code and "wait_for" not in code:  # most files have none, and to parse all takes seconds
        return
    for call in ast.walk(ast.parse(code)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
        found: list[ast.expr] = [one.value for one in call.keywords if one.arg == "timeout" and call.func.attr in ASKING]
        if of == "asyncio" and call.func.attr == "timeout":
            found += call.args[:1]
        if of == "asyncio" and call.func.attr == "wait_for":
            found += call.args[1:2]
        for one in found:
            if isinstance(one, ast.Constant) and isinstance(one.value, int | float):
                yield one.lineno, one.value


@pytest.mark.parametrize(
    ("code", "seconds"),
    [
        ("asyncio.timeout(20)", [20]),
        ("asyncio.wait_for(one, 5)", [5]),
        ("client.get(url, timeout=30)", [30]),
        ("subprocess.run([], timeout=60)", [60]),
        ("asyncio.timeout(None)", []),
        ("CorrectionPolicy(timeout=3)", []),
    ],
)
def test_a_deadline_is_found(code: str, seconds: list[float]) -> None:
    assert [found for _, found in deadlines(code)] == seconds


def test_no_deadline_is_one_that_a_slow_machine_meets() -> None:
    short = [
        f"{path.relative_to(TESTS)}:{line}: {seconds} s is met where the machine is slow; set {LEAST}"
        for path in sorted(TESTS.rglob("*.py"))
        for line, seconds in deadlines(path.read_text(encoding="utf-8"))
        if 1 <= seconds < LEAST
    ]
    assert short == []
