"""nginx on loopback, in front of a server: with the settings that a test is about."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.servers import free_port, program

CONFIG = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {url};
            {settings}
        }}
    }}
}}
"""


def nginx() -> str:
    """Where it is. A test skips without it, and fails in CI."""
    found = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("nginx is not installed, and here it must be")
        pytest.skip("nginx is not installed (apt-get install nginx-light)")
    return found


@contextlib.asynccontextmanager
async def behind(url: str, folder: Path, settings: str = "") -> AsyncIterator[str]:
    """The address of an nginx that passes everything on to this one."""
    port, config = free_port(), folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, port=port, url=url, settings=settings), encoding="utf-8")
    async with program(nginx(), "-p", str(folder), "-c", str(config), port=port, log=folder / "said") as here:
        yield here
