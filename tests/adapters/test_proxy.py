"""The gateway: the real clients point at it, and it at a provider."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, BadRequestError
from stream_guard_adapters.proxy import Proxy, proxy

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.provider import Piece, Provider, Trouble
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
VALID = f"Before.\n```json\n{GOOD}\n```\nAfter.\n"
ASKED: Any = [{"role": "user", "content": "x"}]


async def test_any_client_gets_guarded_streams_by_its_base_url_alone() -> None:
    """Text, keys and what it asked for pass. Blocks are in the text; our events are beside it where somebody wants them."""
    async with (
        Provider(lambda _: list(VALID)) as provider,
        served(proxy(provider.url, GUARD)) as url,
        served(proxy(provider.url, GUARD, blocks="both")) as telling,
    ):
        async with AsyncOpenAI(api_key="sk-secret", base_url=f"{url}/v1", max_retries=0) as client:
            chunks = [chunk async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True)]
            said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
            assert said == VALID
            assert not any((chunk.model_extra or {}).get("stream_guard") for chunk in chunks)
        async with (
            AsyncAnthropic(api_key="sk-secret", base_url=url, max_retries=0) as other,
            other.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
        ):
            assert await stream.get_final_text() == VALID
        async with AsyncOpenAI(api_key="sk-secret", base_url=f"{telling}/v1", max_retries=0) as client:
            chunks = [chunk async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True)]
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == VALID
            assert any((chunk.model_extra or {}).get("stream_guard") for chunk in chunks)
        assert [request["messages"] for request in provider.requests] == [ASKED, ASKED, ASKED]
        first, second, _ = provider.heads
        assert first.startswith("POST /v1/chat/completions ")
        assert "authorization: bearer sk-secret" in first.lower()
        assert "sk-secret" in second
        assert "accept-encoding: identity" in first.lower()


async def test_a_refusal_is_the_providers_own() -> None:
    """With its status and its words."""
    async with (
        Provider(lambda _: (400, "no such model")) as provider,
        served(proxy(provider.url, GUARD)) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
    ):
        with pytest.raises(BadRequestError, match="no such model"):
            await client.chat.completions.create(model="m", messages=ASKED)


async def test_a_provider_that_cannot_be_reached_is_said_so() -> None:
    """And nothing of the request is told."""
    async with served(proxy("http://127.0.0.1:9", GUARD)) as url, httpx2.AsyncClient() as client:
        response = await client.get(f"{url}/v1/models?key=secret", headers={"authorization": "secret"})
    assert response.status_code == 502
    assert response.json()["error"]["message"] == "The provider could not be reached (ConnectError)"


async def test_who_leaves_the_gateway_closes_the_providers_connection() -> None:
    """In the middle of a reply that would never end."""
    pieces: list[Piece] = ["Hello\n", Trouble.HANG]
    async with Provider(lambda _: pieces) as provider, served(proxy(provider.url, GUARD)) as url:
        for count in range(1, 11):
            async with httpx2.AsyncClient() as client, client.stream("POST", f"{url}/v1/chat/completions", json={}) as response:
                async for _ in response.aiter_bytes():
                    break
            async with asyncio.timeout(20):
                while provider.left < count:
                    await asyncio.sleep(0.001)


@pytest.mark.parametrize("upstream", ["api.example.com", "ftp://x", "http://"])
def test_an_upstream_is_a_url(upstream: str) -> None:
    with pytest.raises(ValueError, match="upstream must be a URL"):
        Proxy(upstream)


async def test_the_command_serves() -> None:
    """`stream-guard proxy`, in a process of its own, ended by its id."""
    bare = VALID.replace("json", "", 1)
    async with Provider(lambda _: [VALID, "</think>\n", bare]) as provider:
        command = [
            sys.executable,
            "-m",
            "stream_guard",
            "proxy",
            "--upstream",
            provider.url,
            "--port",
            "0",
            "--blocks",
            "events",
            "--reasoning",
            "inside",
            "--languages",
            "json,",
        ]
        process = await asyncio.create_subprocess_exec(
            *command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        try:
            assert process.stdout is not None
            line = (await process.stdout.readline()).decode()
            found = re.search(r"on (http://127\.0\.0\.1:\d+)", line)
            assert found is not None, line
            body = json.dumps({"messages": ASKED, "stream": True}).encode()
            async with httpx2.AsyncClient() as client:
                response = await client.post(f"{found[1]}/v1/chat/completions", content=body, timeout=30)
            assert response.content.count(b'"event":"json-tool-block"') == 1
        finally:
            process.terminate()
            await process.wait()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--upstream", "api.example.com"], "upstream must be a URL such as https://api.example.com, not 'api.example.com'"),
        (["--upstream", "http://x", "--port", "{taken}"], "cannot listen on 127.0.0.1:{taken}: Address already in use"),
        (["--upstream", "http://x", "--tools", "nothing.json"], "nothing.json: No such file or directory"),
        ([], "the following arguments are required: --upstream"),
    ],
)
def test_what_the_command_cannot_do_it_says(arguments: list[str], said: str) -> None:
    """In one line, and not in a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = str(listening.getsockname()[1])
        command = [sys.executable, "-m", "stream_guard", "proxy", *(one.format(taken=taken) for one in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert said.format(taken=taken) in done.stderr
    assert "Traceback" not in done.stderr
