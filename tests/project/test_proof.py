"""The page of the promises is written from what ran, and says so when a promise stands alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.kit.proof import PROMISES

ROOT = Path(__file__).resolve().parents[2]


def prove(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "promise", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PROVE": str(page)}, capture_output=True, text=True, check=False
    )


def test_a_promise_without_a_test_fails_the_run(tmp_path: Path) -> None:
    done = prove(tmp_path / "page.md", "tests/core/test_guard.py")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")

    assert done.returncode == 1, done.stdout
    assert "no test that passed stands behind P1, P2, P3, P4, P5, P6, P7, P8" in done.stdout
    assert "Held in 1 cases." in page.partition("## P9")[2]
    assert "**not shown**" in page.partition("## P1")[2].partition("## P2")[0].lower()


def test_a_promise_that_is_broken_is_not_shown(tmp_path: Path) -> None:
    """Whatever else has passed."""
    broken = tmp_path / "test_broken.py"
    broken.write_text(
        "import pytest\n@pytest.mark.promise('P9')\n@pytest.mark.parametrize('n', [0, 1])\n"
        "def test_one_of_two(n):\n    assert n == 0\n"
    )
    prove(tmp_path / "page.md", "tests/core/test_guard.py", str(broken))
    page = (tmp_path / "page.md").read_text(encoding="utf-8").partition("## P9")[2]

    assert "**not shown** in 3 cases" in page.lower()
    assert "| 2 | 1 failed, 1 passed |" in page


def test_the_page_has_every_promise_and_names_tests_that_are_there() -> None:
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    for name, (title, _) in PROMISES.items():
        assert f"## {name}: {title}" in page
    assert "not shown" not in page.lower()
    named = re.findall(r"`pytest (tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 25
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), test
