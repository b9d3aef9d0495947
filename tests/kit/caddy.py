"""Caddy on loopback, with the settings that a test is about."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.servers import connected

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


@contextlib.asynccontextmanager
async def behind(settings: str, folder: Path) -> AsyncIterator[str]:
    """The address of a Caddy with these settings. A test skips where it is not installed."""
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("Caddy is not installed (apt-get install caddy)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "Caddyfile"
    config.write_text(CONFIG.format(port=port, settings=settings), encoding="utf-8")
    homes = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(caddy, "run", "--config", str(config), "--adapter", "caddyfile"),
            env={**os.environ, **homes},
            stdout=log,
            stderr=log,
        )
        try:
            try:
                _, writer = await asyncio.wait_for(connected(port), 20)
            except TimeoutError:
                raise AssertionError((folder / "log").read_text(encoding="utf-8")[-2000:]) from None
            writer.close()
            yield f"http://127.0.0.1:{port}"
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
