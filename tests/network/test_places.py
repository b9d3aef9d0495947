"""The programs of docs/places.md, each in front of a provider on loopback, print what the page says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from openai import AsyncOpenAI
from stream_guard_adapters.proxy import proxy

from stream_guard import Guard, Toolset
from tests.kit import caddy, javascript, nginx, scripted
from tests.kit.servers import connected, printed_by, served

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "places.md").read_text(encoding="utf-8")
OWN: Final = ROOT / ".venv" / "programs" / "bin" / "python"

PLACES: Final = {
    section.partition("\n")[0]: found[1]
    for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)
    if (found := re.search(r"^```(?:python|nginx|caddy|js)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
}
"""The program of each place."""

APPS: Final = ("FastAPI", "Django", "Quart", "Litestar")
NGINX: Final = "nginx in front of the gateway"
CADDY: Final = "Caddy in front of the gateway"
AI_SDK: Final = "AI SDK"
PROGRAMS: Final = [place for place in PLACES if place not in (*APPS, NGINX, CADDY, AI_SDK)]

MODEL: Final = "a-block-that-can-be-mended"
GUARD: Final = Guard(Toolset.of([{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {}}}}]))
WRITTEN, MENDED = re.findall(r"^````text\n(.*?)\n^````$", PAGE, re.MULTILINE | re.DOTALL)
"""What the model writes, and what the programs print."""

ASKED: Final[Any] = [{"role": "user", "content": "Hi"}]


def placed(place: str, direct: str, gateway: str) -> str:
    """The program of a place, with these addresses."""
    program = PLACES[place]
    for on_page, here in (("https://api.example.com", direct), ("http://127.0.0.1:8787", gateway), ("a-model", MODEL)):
        program = program.replace(on_page, here)
    return program


def test_the_page_has_its_programs() -> None:
    assert len(PROGRAMS) == 8
    assert {*APPS, NGINX, CADDY, AI_SDK} <= PLACES.keys()
    assert scripted.SCENARIOS["a block that can be mended"].turns[0].text == WRITTEN


QUIET: Final = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*", "no_proxy": "*", "PYTHONIOENCODING": "utf-8"}


def python_command(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """How to run Python with these arguments: in the environment of `make programs`, where that is."""
    paths = f"{ROOT}{os.pathsep}{ROOT / 'adapters'}"
    return [str(OWN) if OWN.exists() else sys.executable, *arguments], {**os.environ, **QUIET, "PYTHONPATH": paths}


def skip_without_its_client(err: bytes) -> None:
    """Skip where a program's client is not installed. `make programs` installs all of them."""
    if b"ModuleNotFoundError" in err and not OWN.exists():
        pytest.skip(err.decode().strip().splitlines()[-1])


async def printed(command: list[str], env: dict[str, str]) -> str:
    """What a program prints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=env, stdout=pipe, stderr=pipe)
    out, err = await printed_by(process)
    skip_without_its_client(err)
    assert process.returncode == 0, err.decode()[-2000:]
    return out.decode().strip()


@pytest.mark.parametrize("place", PROGRAMS)
async def test_a_program_prints_what_the_model_meant(place: str) -> None:
    async with served(scripted.provider()) as direct, served(proxy(direct, GUARD)) as gateway:
        assert await printed(*python_command("-c", placed(place, direct, gateway))) == MENDED


async def test_a_program_of_the_ai_sdk_prints_what_the_model_meant(tmp_path: Path) -> None:
    node = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    async with served(scripted.provider()) as direct, served(proxy(direct, GUARD)) as gateway:
        (tmp_path / "program.mjs").write_text(placed(AI_SDK, direct, gateway), encoding="utf-8")
        assert await printed([node, str(tmp_path / "program.mjs")], {**os.environ, **QUIET}) == MENDED


async def said(url: str) -> str:
    """What a client of chat completions reads there."""
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


@contextlib.asynccontextmanager
async def running(program: str, folder: Path) -> AsyncIterator[str]:
    """The address of an app, while a server runs it in a process of its own."""
    (folder / "app.py").write_text(program, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command, env = python_command("-m", "uvicorn", "app:app", "--port", str(port), "--log-level", "error")
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, cwd=folder, env=env, stdout=log, stderr=log)
        ended, began = asyncio.create_task(process.wait()), asyncio.create_task(connected(port))
        try:
            await asyncio.wait({ended, began}, return_when=asyncio.FIRST_COMPLETED)
            if not began.done():
                skip_without_its_client((folder / "log").read_bytes())
            assert began.done(), (folder / "log").read_text(encoding="utf-8")[-2000:]
            began.result()[1].close()
            yield f"http://127.0.0.1:{port}"
        finally:
            began.cancel()
            if process.returncode is None:
                process.terminate()
            await ended


@pytest.mark.parametrize("place", APPS)
async def test_an_app_sends_what_the_model_meant(place: str, tmp_path: Path) -> None:
    async with served(scripted.provider()) as direct, running(placed(place, direct, ""), tmp_path) as url:
        assert await said(url) == MENDED


async def test_nginx_passes_on_what_the_gateway_sends(tmp_path: Path) -> None:
    async with (
        served(scripted.provider()) as direct,
        served(proxy(direct, GUARD)) as gateway,
        nginx.behind(gateway, tmp_path, PLACES[NGINX]) as url,
    ):
        assert await said(url) == MENDED


async def test_caddy_passes_on_what_the_gateway_sends(tmp_path: Path) -> None:
    async with served(scripted.provider()) as direct, served(proxy(direct, GUARD)) as gateway:
        settings = PLACES[CADDY].replace("127.0.0.1:8787", gateway.removeprefix("http://"))
        async with caddy.behind(settings, tmp_path) as url:
            assert await said(url) == MENDED
