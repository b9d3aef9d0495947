"""Caddy on loopback, with the settings that a test is about."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.servers import free_port, program

CONFIG = """
{{
    admin off
    auto_https off
}}
http://127.0.0.1:{port} {{
    bind 127.0.0.1
    {settings}
}}
"""


def caddy() -> str:
    """Where it is. A test skips without it, and fails in CI."""
    found = shutil.which("caddy")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("Caddy is not installed, and here it must be")
        pytest.skip("Caddy is not installed (apt-get install caddy)")
    return found


@contextlib.asynccontextmanager
async def behind(settings: str, folder: Path) -> AsyncIterator[str]:
    """The address of a Caddy with these settings."""
    port, config = free_port(), folder / "Caddyfile"
    config.write_text(CONFIG.format(port=port, settings=settings), encoding="utf-8")
    homes = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = (caddy(), "run", "--config", str(config), "--adapter", "caddyfile")
    async with program(*command, port=port, log=folder / "log", **homes) as url:
        yield url
