"""The page of limits: every number of the code is on it, with its reason."""

from __future__ import annotations

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from docs import limits
from docs.limits import NO_BOUNDS, caches, documented, fixed
from docs.rooms import ADAPTERS, CORE, Package
from stream_guard import CorrectionPolicy, Limits

limits_page = cache(limits.limits_page)


def test_every_number_has_a_reason_and_those_that_bound_nothing_are_there() -> None:
    names = {number.name for package in (CORE, ADAPTERS) for number in fixed(package)}
    assert names >= NO_BOUNDS
    assert "stream_guard.scan.fences.MAX_INFO" in names


def test_exit_statuses_are_no_bounds() -> None:
    """They are numbers as names are words; the page of commands has them."""
    assert any(number.name.startswith(limits.NAMES) for number in fixed(CORE))
    assert "exit_status" not in limits_page()


def test_a_number_without_a_reason_is_not_printed(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("MOST = 3\n'''Three.'''\nLEAST: Final = 1  # a comment is no docstring\n")
    found = fixed(Package("own", tmp_path, (("",),)))
    assert next(found) == ("own.MOST", 3, "Three.")
    with pytest.raises(ValueError, match=r"own\.LEAST is a number without a reason"):
        next(found)


def test_numbers_are_found_however_they_are_written() -> None:
    code = (
        "A = 1 << 20\nB: Final = -2\nC: Final = 2 * A\nD: int = 0.5\nE = True\nF = 'text'\nG = len('x')\nH = (1, 2)\nI: int\n"
    )
    found = [(number.name, number.value) for number in documented(ast.parse(code).body)]
    assert found == [("A", 1 << 20), ("B", -2), ("C", 2 << 20), ("D", 0.5)]


def test_what_an_app_sets_is_there_in_full() -> None:
    page = limits_page()
    for setting in (*fields(Limits), *fields(CorrectionPolicy)):
        if not isinstance(setting.default, bool):
            assert f"| `{setting.name}` | {setting.default:,} |" in page


def test_a_cache_is_on_the_page_with_what_it_keeps() -> None:
    assert ("stream_guard.schema.spelling.tokens", 4096) in [cache[:2] for cache in caches(CORE)]
    assert "| `schema.spelling.tokens` | 4,096 | Return the words and numbers of a name" in limits_page()


FIXED = {
    "stream_guard.codegen.checks": "its text is a part of generated modules",
    "stream_guard.command.check": "the length of a digest",
    "stream_guard.command.watch": "the size of a piece that is shown",
    "stream_guard.fixes.reader": "how far it looks around",
    "stream_guard.fixes.swallowed": "how far it looks around",
    "stream_guard_adapters.bridges": "the length of an id",
    "stream_guard_adapters.resume.redis_line": "the steps of a pause, not its bound",
}
"""Modules with a number that has no name, and why."""


def unnamed(code: str) -> list[int]:
    """The numbers, from seven on, by which a function cuts a text or bounds a count, and that have no name."""
    found: list[int] = []
    functions = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in (node for function in functions for part in function.body for node in ast.walk(part)):
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Slice) and not (isinstance(called, ast.Name) and called.id in ("min", "max")):
            continue
        powers = [power for power in ast.walk(node) if isinstance(power, ast.BinOp) and isinstance(power.op, ast.Pow)]
        parts = [part for power in powers for part in (power.left, power.right)]
        for number in ast.walk(node):
            if isinstance(number, ast.Constant) and type(number.value) is int and number.value > 6 and number not in parts:
                found.append(number.value)
    return found


def test_a_number_that_bounds_has_a_name() -> None:
    code = "def f(x):\n    return x[:80], x[y - 90:], min(len(x), 900), max(0, y - 9), x[:6], 10**9, max(10**9, 2)"
    assert sorted(unnamed(code)) == [9, 80, 90, 900]
    for package in (CORE, ADAPTERS):
        for module, path in package.modules.items():
            if module not in FIXED:
                assert unnamed(path.read_text(encoding="utf-8")) == [], module
