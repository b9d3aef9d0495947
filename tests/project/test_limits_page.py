"""The page of limits: every number of the code is on it, with its reason."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from docs.limits import NO_BOUNDS, documented, fixed, limits_page
from docs.rooms import ADAPTERS, CORE, Package
from stream_guard import CorrectionPolicy, Limits


def test_every_number_has_a_reason_and_those_that_bound_nothing_are_there() -> None:
    names = {number.name for package in (CORE, ADAPTERS) for number in fixed(package)}
    assert names >= NO_BOUNDS
    assert "stream_guard.scan.fences.MAX_INFO" in names


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
