"""The gateway: the real clients point at it, and it at a provider."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
from typing import Any, Literal

import httpx2
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, BadRequestError, NotFoundError
from stream_guard_adapters.proxy import Proxy, proxy
from stream_guard_conformance.corpus.native import as_responses

from stream_guard import Guard, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.provider import Piece, Provider, Trouble
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
VALID = f"Before.\n```json\n{GOOD}\n```\nAfter.\n"
ASKED: Any = [{"role": "user", "content": "x"}]

SAVING: list[dict[str, Any]] = [{"name": "save_file", "input_schema": {"type": "object"}}]


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


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/openai/v1"])
async def test_a_path_that_stands_twice_is_told(end: str) -> None:
    """By the gateway, where the provider knows no such path; any other 404 is the provider's own."""
    async with (
        Provider(lambda _: (404, "nothing here")) as provider,
        served(proxy(provider.url + end, GUARD)) as url,
        AsyncOpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0) as twice,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as once,
    ):
        with pytest.raises(NotFoundError, match=r"ends in /v1, and the request's path begins with /v1\. Start"):
            await twice.chat.completions.create(model="m", messages=ASKED, stream=True)
        with pytest.raises(NotFoundError, match="nothing here"):
            await once.chat.completions.create(model="m", messages=ASKED, stream=True)
        assert [head.split()[1] for head in provider.heads] == [
            f"{end.rstrip('/')}/v1/chat/completions",
            f"{end.rstrip('/')}/chat/completions",
        ]


async def test_a_path_that_stands_twice_and_is_known_passes() -> None:
    async with (
        Provider(lambda _: list(VALID)) as provider,
        served(proxy(f"{provider.url}/v1", GUARD)) as url,
        httpx2.AsyncClient() as client,
    ):
        answer = await client.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED, "stream": True})
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("upstream", "reason"),
    [
        ("http://127.0.0.1:9", "connection refused"),
        ("http://no-such-name.invalid", "its name is not known"),
        ("https://{plain}", "TLS: "),
    ],
)
async def test_a_provider_that_cannot_be_reached_is_said_so(
    upstream: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With the reason, and in the log with the host and the port; nothing of the request is told."""

    async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as plain:
        where = upstream.format(plain=f"127.0.0.1:{plain.sockets[0].getsockname()[1]}")
        async with served(proxy(f"{where}/v1", GUARD)) as url, httpx2.AsyncClient() as client:
            response = await client.get(f"{url}/models?key=secret", headers={"authorization": "secret"})
    assert response.status_code == 502
    said = response.json()["error"]["message"]
    assert said.startswith(f"The provider could not be reached ({reason}")
    host = where.partition("://")[2]
    logged = caplog.messages[-1]
    assert logged.startswith(f"a request got no answer from {host if ':' in host else f'{host}:80'}: {reason}")
    assert "secret" not in logged


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "sent what cannot be read"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "sent what cannot be read"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: %b\r\n" % (b"y" * 1000) * 300 + b"\r\n", "sent what cannot be read"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "sent what cannot be read"),
        (b"", "closed the connection too early"),
    ],
    ids=["coding", "101", "large", "other", "none"],
)
async def test_a_provider_that_was_reached_is_not_said_to_be_out_of_reach(answer: bytes, reason: str) -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        with contextlib.suppress(ConnectionError):  # the gateway reads no more of it
            await writer.drain()
        writer.close()

    async with (
        await asyncio.start_server(answers, "127.0.0.1", 0) as provider,
        served(proxy(f"http://127.0.0.1:{provider.sockets[0].getsockname()[1]}", GUARD)) as url,
        httpx2.AsyncClient() as client,
    ):
        response = await client.get(f"{url}/v1/models")
    assert response.status_code == 502
    assert response.json()["error"]["message"].startswith("The provider gave no answer (")
    assert reason in response.json()["error"]["message"]


async def test_a_full_pool_is_said_to_be_full(caplog: pytest.LogCaptureFixture) -> None:
    async with Provider(lambda _: ["Hello\n", Trouble.HANG]) as provider:
        app = proxy(provider.url, GUARD, max_connections=1, pool_timeout=0.01)
        asked = "/v1/chat/completions"
        async with (
            served(app) as url,
            httpx2.AsyncClient(base_url=url) as client,
            client.stream("POST", asked, json={}) as first,
        ):
            assert first.status_code == 200
            assert (await client.post(asked, json={})).status_code == 503
    assert "all 1 connections to 127.0.0.1:" in caplog.text


async def test_a_client_that_lost_its_connection_reads_on_behind_any_event() -> None:
    """A background response, read on with `starting_after`: nothing is lost, and no piece of a call is doubled."""
    written = '{"path": "a.txt", "content": "x"}'
    made = as_responses(["Hi `", "x` a", "nd\n``", "`json\n", GOOD, "\n``", "`\nBy", "e.\n`"], [("write_file", written)])
    events = [{**event, "sequence_number": number} for number, event in enumerate(made)]

    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readuntil(b"\r\n\r\n")).splitlines()[0].decode()
        found = re.search(r"starting_after=(\d+)", line)
        after = int(found[1]) if found is not None else -1
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in events[after + 1 :]:
            writer.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        await writer.drain()
        writer.close()

    def text(items: list[Any]) -> str:
        return "".join(item.delta for item in items if item.type == "response.output_text.delta")

    def arguments(items: list[Any]) -> str:
        return "".join(item.delta for item in items if item.type == "response.function_call_arguments.delta")

    async with (
        await asyncio.start_server(answers, "127.0.0.1", 0) as provider,
        served(proxy(f"http://127.0.0.1:{provider.sockets[0].getsockname()[1]}", GUARD)) as url,
        AsyncOpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0) as client,
    ):
        begun = await client.responses.create(model="m", input="x", stream=True, background=True)
        whole: list[Any] = [event async for event in begun]
        assert arguments(whole) == written
        for stop in range(1, len(whole)):
            after = whole[stop - 1].sequence_number
            going_on = await client.responses.retrieve("r", stream=True, starting_after=after)
            more: list[Any] = [event async for event in going_on]
            had, got = text(whole[:stop]), text(more)
            again = len(had) + len(got) - len(text(whole))
            assert text(whole).startswith(had)
            assert text(whole).endswith(got)
            assert 0 <= again <= len(events[after + 1].get("delta", ""))
            assert arguments([*whole[:stop], *more]) == written
            assert more[-1].type == "response.completed"


BROKEN = VALID.replace('"}', '",}')
OFFERED = [{"type": "function", "function": {"name": "write_file", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize("mode", ["guard", "shadow"])
@pytest.mark.parametrize("stream", [True, False])
async def test_calls_are_counted_and_those_that_are_not_valid_are_logged(
    mode: Literal["guard", "shadow"], stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """By protocol, tool, outcome and codes; without any content."""
    caplog.set_level("INFO", logger="stream_guard")
    unknown = VALID.replace('"write_file"', '"write_files_secret"')
    text = f"{VALID}\n{BROKEN}\n{unknown}\n"
    async with (
        Provider(lambda _: [text]) as provider,
        served(proxy(provider.url, Guard(FILE_TOOLS, mode=mode))) as url,
        httpx2.AsyncClient() as client,
    ):
        await client.post(f"{url}/v1/chat/completions", json={"messages": ASKED, "stream": stream})
        health = (await client.get(f"{url}/healthz")).json()
    counts = {outcome: count for outcome, count in health["calls"].items() if count}
    lines = [line for line in caplog.messages if line.startswith("call ")]
    mended = "fixed" if mode == "guard" else "fixable"
    assert counts["valid"] == 1
    assert counts[mended] == 1
    assert len(lines) == sum(counts.values()) - 1
    assert re.fullmatch(rf"call openai-chat \w+_file {mended}: closed; fixes trailing_comma; issues \w+", lines[0])
    assert "secret" not in caplog.text


async def test_the_gateway_reads_calls_in_dialects() -> None:
    """They are counted, and broken ones are mended in the text, as the dialect writes them."""
    sound = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}\n</tool_call>'
    async with (
        Provider(lambda _: list("Now: " + sound.replace("}}", ",}}"))) as provider,
        served(proxy(provider.url, Guard(FILE_TOOLS, dialects="all"))) as url,
        httpx2.AsyncClient() as client,
    ):
        async with AsyncOpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0) as openai:
            chunks = [chunk async for chunk in await openai.chat.completions.create(model="m", messages=ASKED, stream=True)]
        health = (await client.get(f"{url}/healthz")).json()
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == f"Now: {sound}"
    assert health["calls"]["fixed"] == 1


async def test_the_tools_of_the_request_guard_its_reply() -> None:
    """As with the command: its own tools alone, where it has any."""
    other = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    async with (
        Provider(lambda _: [BROKEN]) as provider,
        served(proxy(provider.url, GUARD)) as url,
        httpx2.AsyncClient() as client,
    ):
        for tools, count in ((other, 0), (OFFERED, 1)):
            await client.post(f"{url}/v1/chat/completions", json={"messages": ASKED, "stream": True, "tools": tools})
            calls = (await client.get(f"{url}/healthz")).json()["calls"]
            assert sum(calls.values()) == count


async def test_the_gateway_promotes_no_call_of_a_tool_that_the_request_does_not_offer() -> None:
    """Also where the operator has named it: the client would run what it does not have."""
    text = f"{VALID}\n{VALID.replace('write_file', 'save_file')}\n"
    guard = Guard(Toolset.of([{"name": "write_file", "input_schema": {"type": "object"}}, *SAVING]))
    async with (
        Provider(lambda _: [text]) as provider,
        served(proxy(provider.url, guard, request_tools="add", promote=True)) as url,
        httpx2.AsyncClient() as client,
    ):
        for tools, promoted in ((OFFERED, ["write_file"]), ([], [])):
            for stream in (True, False):
                asking = {"messages": ASKED, "stream": stream, "tools": tools}
                answer = (await client.post(f"{url}/v1/chat/completions", json=asking)).text
                assert re.findall(r'"name": ?"(\w+)"', answer) == promoted
                assert "save_file" in answer
    with pytest.raises(ValueError, match="and request_tools='off' reads none: use 'add'"):
        proxy("http://x", guard, request_tools="off", promote=True)


async def test_who_leaves_the_gateway_closes_the_providers_connection() -> None:
    """In the middle of a reply that would never end."""
    pieces: list[Piece] = ["Hello\n", Trouble.HANG]
    async with Provider(lambda _: pieces) as provider, served(proxy(provider.url, GUARD)) as url:
        for count in range(1, 11):
            async with httpx2.AsyncClient() as client, client.stream("POST", f"{url}/v1/chat/completions", json={}) as response:
                async for _ in response.aiter_bytes():
                    break
            async with asyncio.timeout(300):
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
                response = await client.post(f"{found[1]}/v1/chat/completions", content=body, timeout=300)
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
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert said.format(taken=taken) in done.stderr
    assert "Traceback" not in done.stderr
