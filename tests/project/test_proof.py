"""The page of the promises is written from what ran, and says so when a promise stands alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.kit.proof import PROMISES
from tests.kit.tried_on import TRIED_ON

ROOT = Path(__file__).resolve().parents[2]


def prove(page: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "promise", *arguments]
    # options for the run outside are none for this one
    env = {**os.environ, "PYTEST_ADDOPTS": "", "PROVE": str(page), **settings}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def of_promise(page: Path, name: str) -> str:
    return page.read_text(encoding="utf-8").partition(f"## {name}")[2].partition("\n## ")[0]


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

    assert "**not shown** in 2 cases" in page.lower()  # one of them in test_guard.py
    assert "| 1 | 1 failed, 1 passed |" in page


def tried(tmp_path: Path, tests: str, corpora: Path) -> subprocess.CompletedProcess[str]:
    """What becomes of these tests, with this folder of third-party data. The page is `page.md`."""
    file = tmp_path / "test_some.py"
    file.write_text("import pytest\nfrom hypothesis import given, strategies as st\n" + tests, encoding="utf-8")
    like = ("-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "tests.conftest")
    return prove(tmp_path / "page.md", *like, str(file), CORPORA=str(corpora))


def test_what_ran_is_counted_and_nothing_else(tmp_path: Path) -> None:
    """Skipped before it began, or behind a count; one that counted none; of hypothesis, what it ran: there are two booleans."""
    done = tried(
        tmp_path,
        """
P9 = pytest.mark.promise("P9")
@P9
@pytest.mark.skip(reason="x")
def test_never(): pass
@P9
def test_begun(cases):
    cases(7)
    pytest.skip("x")
@P9
def test_none(cases): pass
@P9
def test_two(cases):
    cases(1)
    cases(1)
@P9
@given(st.booleans())
def test_flag(flag): pass
@P9
@given(st.booleans())
async def test_flag_awaited(flag): pass
@P9
def test_over_third_party_data(corpora, cases): cases(5)
""",
        tmp_path,
    )
    page = of_promise(tmp_path / "page.md", "P9")

    assert "5 passed, 2 skipped" in done.stdout, done.stdout
    assert "Held in 6 cases. And in 5 over third-party data." in page
    assert re.findall(r"::test_(\w+)` \| (.+) \|", page) == [
        ("begun", "0 | 1 skipped"),
        ("flag", "2 | 1 passed"),
        ("flag_awaited", "2 | 1 passed"),
        ("never", "0 | 1 skipped"),
        ("none", "0 | 1 passed"),
        ("two", "2 | 1 passed"),
        ("over_third_party_data", "5 | 1 passed"),
    ]
    assert "| a generator of the authors | what the test says | 4 |" in page


def test_third_party_data_is_not_missed(tmp_path: Path) -> None:
    """Where its folder is not, the tests that need it are not there: none is skipped, and the run says so."""
    tests = (
        "@pytest.mark.promise('P9')\ndef test_over_it(corpora): assert 0\n@pytest.mark.promise('P9')\ndef test_ours(): pass\n"
    )
    done = tried(tmp_path, tests, tmp_path / "none")

    assert "1 passed, 1 deselected" in done.stdout, done.stdout
    assert "left out: the tests over third-party data" in done.stdout
    assert "Held in 1 cases.\n" in of_promise(tmp_path / "page.md", "P9")


def test_a_promise_rests_on_tests_that_ran_over_data_that_all_have(tmp_path: Path) -> None:
    tests = (
        "@pytest.mark.promise('P8')\ndef test_never(): pytest.skip('x')\n"
        "@pytest.mark.promise('P9')\ndef test_over_it(corpora, cases): cases(5)\n"
    )
    done = tried(tmp_path, tests, tmp_path)

    assert done.returncode == 1
    assert "**Not shown** in 0 cases.\n" in of_promise(tmp_path / "page.md", "P8")
    assert "**Not shown** in 0 cases. And in 5 over third-party data." in of_promise(tmp_path / "page.md", "P9")


def test_every_file_that_tries_to_break_a_promise_says_on_what() -> None:
    tests = ROOT / "tests"
    marked = {
        file.relative_to(tests).as_posix()
        for file in tests.rglob("test_*.py")
        if re.search(r"^@pytest\.mark\.promise\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert marked == TRIED_ON.keys()


def test_the_page_has_every_promise_and_names_tests_that_are_there() -> None:
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    for name, promise in PROMISES.items():
        assert f"## {name}: {promise.title}" in page
        assert promise.gaps
    assert "not shown" not in page.lower()
    named = re.findall(r"`pytest (tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 25
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), test
