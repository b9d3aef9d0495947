"""The programs of docs/places.md, each in front of a provider on loopback, print what the page says."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from openai import AsyncOpenAI
from stream_guard_adapters.proxy import proxy

from stream_guard import Guard, Toolset
from tests.kit import nginx, scripted
from tests.kit.servers import served

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "places.md").read_text(encoding="utf-8")
OWN: Final = ROOT / ".venv" / "programs" / "bin" / "python"

PLACES: Final = {
    section.partition("\n")[0]: found[1]
    for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)
    if (found := re.search(r"^```(?:python|nginx)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
}
"""The program of each place."""

APP: Final = "In your app: the middleware"
NGINX: Final = "nginx in front of the gateway"
PROGRAMS: Final = [place for place in PLACES if place not in (APP, NGINX)]

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
    assert {APP, NGINX} <= PLACES.keys()
    assert scripted.SCENARIOS["a block that can be mended"].turns[0].text == WRITTEN


@pytest.mark.parametrize("place", PROGRAMS)
async def test_a_program_prints_what_the_model_meant(place: str) -> None:
    """In the environment of `make programs`, where that is; a program whose client is not installed skips."""
    python = str(OWN) if OWN.exists() else sys.executable
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*", "no_proxy": "*", "PYTHONIOENCODING": "utf-8"}
    async with served(scripted.provider()) as direct, served(proxy(direct, GUARD)) as gateway:
        process = await asyncio.create_subprocess_exec(
            *(python, "-c", placed(place, direct, gateway)),
            env={**os.environ, **quiet, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'adapters'}"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
    if b"ModuleNotFoundError" in err:
        pytest.skip(err.decode().splitlines()[-1])
    assert (out.decode().strip(), process.returncode) == (MENDED, 0), err.decode()[-2000:]


async def said(url: str) -> str:
    """What a client of chat completions reads there."""
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def test_an_app_sends_what_the_model_meant() -> None:
    pytest.importorskip("fastapi")
    async with served(scripted.provider()) as direct:
        names: dict[str, Any] = {}
        exec(compile(placed(APP, direct, ""), "docs/places.md", "exec"), names)  # the page's own program
        async with served(names["app"]) as url:
            assert await said(url) == MENDED


async def test_nginx_passes_on_what_the_gateway_sends(tmp_path: Path) -> None:
    async with (
        served(scripted.provider()) as direct,
        served(proxy(direct, GUARD)) as gateway,
        nginx.behind(gateway, tmp_path, PLACES[NGINX]) as url,
    ):
        assert await said(url) == MENDED
