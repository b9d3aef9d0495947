"""A test that fails is the only one that does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LEFT = {
    "file": "left = open(__file__)",
    "socket": "left = socket.socket()",
    "ring": "left = [socket.socket()]; left.append(left)",
    "coroutine": "left = asyncio.sleep(0)",
    "process": "left = subprocess.Popen([sys.executable, '-c', ''])",
    "connection": "left = await asyncio.open_connection('127.0.0.1', PORT)",
    "loop": "left = asyncio.new_event_loop()",
}
"""What a test may leave open."""

BEGINS = """
import asyncio, gc, socket, subprocess, sys, pytest

listening = socket.create_server(("127.0.0.1", 0))
PORT = listening.getsockname()[1]

@pytest.fixture(scope="module", autouse=True)
def closed():
    yield
    listening.close()
"""
FAILS = """
async def test_fails_and_leaves_a_{name}_open():
    {left}
    assert False

async def test_holds_after_a_{name}():
    gc.collect()
"""
LEAVES = """
async def test_leaves_a_{name}_open():
    {left}

async def test_follows_a_{name}():
    gc.collect()
"""


def tried(file: Path, tests: str) -> str:
    """What pytest prints for such tests, with the settings and hooks of this suite."""
    file.write_text(BEGINS + "".join(tests.format(name=name, left=left) for name, left in LEFT.items()), encoding="utf-8")
    like = ("-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "tests.conftest", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=line", *like, str(file)]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=300).stdout


def test_a_test_that_fails_makes_no_other_one_fail(tmp_path: Path) -> None:
    """Whatever it leaves open."""
    said = tried(tmp_path / "test_some.py", FAILS)
    assert f"{len(LEFT)} failed, {len(LEFT)} passed" in said, said
    assert re.findall(r"^PASSED .*::test_holds_after_a_(\w+)$", said, re.MULTILINE) == list(LEFT)


def test_what_a_test_leaves_open_that_does_not_fail_is_an_error(tmp_path: Path) -> None:
    """Its own, or that of the test in which the interpreter finds it."""
    said = tried(tmp_path / "test_some.py", LEAVES)
    assert f"{len(LEFT)} failed, {len(LEFT)} passed" in said, said
