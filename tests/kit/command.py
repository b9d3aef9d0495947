"""The command `stream-guard` in the process of the test. A process of its own takes a third of a second more."""

from __future__ import annotations

import importlib
import io
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from stream_guard.command.cli import main


def python(code: str) -> str:
    """What a program of Python prints, in a process of its own."""
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root).stdout


def process(*arguments: str, folder: Path | None = None, stdin: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """What the command says in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "stream_guard", *arguments],
        cwd=folder, input=_bytes(stdin), capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def command(*arguments: str, folder: Path | None = None, stdin: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """What the command says and its exit status, run in this process and in this folder, whose modules it finds.

    An exception that it does not tell leaves this function, so a test fails where a person would see a traceback.
    """
    given, out, error = (io.TextIOWrapper(io.BytesIO(held), encoding="utf-8") for held in (_bytes(stdin), b"", b""))
    with pytest.MonkeyPatch.context() as patch, modules_of(folder or Path.cwd()), redirect_stdout(out), redirect_stderr(error):
        patch.setattr(sys, "stdin", given)
        try:
            status = main(arguments)
        except SystemExit as leaving:  # of argparse
            status = leaving.code if isinstance(leaving.code, int) else 0
    return subprocess.CompletedProcess(arguments, status, _said(out), _said(error))


@contextmanager
def modules_of(folder: Path) -> Generator[None]:
    """This folder is where names of files and of modules are looked up; its modules are forgotten afterwards."""
    known = set(sys.modules)
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        importlib.invalidate_caches()
        try:
            yield
        finally:
            for name in set(sys.modules) - known:
                if str(getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder}{os.sep}"):
                    del sys.modules[name]


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
