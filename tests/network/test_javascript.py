"""The JavaScript clients of providers read what leaves the middleware: each by its helper and by its raw form."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stream_guard_conformance.corpus.native import Given, ai_sdk

from tests.kit import javascript
from tests.kit.blocks import BLOCKS
from tests.kit.client_streams import EXECUTABLE, MAKERS, TEXTS, app, visible
from tests.kit.servers import printed_by, served

READER = Path(__file__).parents[1] / "js" / "read.mjs"

NATIVE: list[Given] = [
    ("write_file", '{"path": "a.txt", "content": "a = 1\nb = 2"}'),
    ("write_file", '{"path": "/etc/x", "content": ""}'),
    ("weather", '{"city": "Rio"}'),
]
CALLED = [
    ["write_file", {"path": "a.txt", "content": "a = 1\nb = 2"}],
    ["write_file", {"path": "/etc/x", "content": ""}],
    ["weather", {"city": "Rio"}],
]


@pytest.fixture
def node(tmp_path: Path) -> list[str]:
    """How to run the reader; it looks for its clients where they were installed."""
    program = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    shutil.copy(READER, tmp_path / READER.name)
    return [program, str(tmp_path / READER.name)]


async def read(node: list[str], tasks: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """What clients make of what they read at these addresses."""
    process = await asyncio.create_subprocess_exec(
        *node, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await printed_by(process, json.dumps([{"client": client, "url": url} for client, url in tasks]).encode())
    assert process.returncode == 0, err.decode()
    found: list[dict[str, Any]] = json.loads(out)
    return found


@pytest.mark.parametrize("protocol", MAKERS)
async def test_javascript_clients_read_what_is_visible(protocol: str, node: list[str]) -> None:
    """No error, the visible text and no more, and our events where a client shows them."""
    make, length, clients = MAKERS[protocol]
    streams = {}
    for block, said in TEXTS.items():
        text = f"Hi, é 😀.\n\n{said}"
        deltas = [text[at : at + 6] for at in range(0, len(text), 6)]
        streams[block] = protocol, make(deltas, finish=length) if block == "truncated" else make(deltas)
    async with served(app(streams)) as url:
        tasks = [(client, f"{url}/{block}", block) for block in streams for client in clients]
        results = await read(node, [(client, address) for client, address, _ in tasks])
    for (client, _, block), result in zip(tasks, results, strict=True):
        if block == "truncated" and "error" in result:
            assert client in ("openai chat, helper", "openai responses, helper"), (client, result)  # they raise for such an end
            continue
        assert result.get("text") == visible(protocol, streams[block][1]), (client, block, result)
        assert result["calls"] == []
        if "raw" in client or client == "ai-sdk, helper":
            blocks = [data["executable"] for kind, data in result["events"] if kind == "json-tool-block"]
            assert blocks == EXECUTABLE.get(block, []), (client, block)


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic"])
async def test_javascript_clients_read_the_calls_that_were_sent_on(protocol: str, node: list[str]) -> None:
    """Native ones, mended, and the one that failed as it was written; and those that were text, where they are promoted."""
    make, _, clients = MAKERS[protocol]
    events = make(["Hi.\n", BLOCKS["two"]], NATIVE)
    streams = {"calls": (protocol, events)}
    async with served(app(streams)) as url, served(app(streams, promote=True)) as promoting:
        tasks = [(client, f"{address}/calls") for address in (url, promoting) for client in clients]
        results = await read(node, tasks)
    # Where nothing but the end of the message ends a call, one that is not held overtakes one that is.
    order: Any = (lambda calls: sorted(calls, key=str)) if protocol == "openai-chat" else list
    for (client, address), result in zip(tasks, results, strict=True):
        promoted = [["delete_file", {"path": path}] for path in "ab"] if address.startswith(promoting) else []
        assert order(result.get("calls", [])) == order([*CALLED, *promoted]), (client, result)
        assert result["text"] == visible(protocol, events)


async def test_the_reader_of_the_ai_sdk_reads_the_calls_that_were_sent_on(node: list[str]) -> None:
    """It fails at anything about a call that it does not know: of one that was left out it hears nothing."""
    mended, failed, weather = NATIVE
    wrote = (mended[0], json.dumps(CALLED[0][1]))
    renamed = ("create_file", wrote[1].replace("path", "filename"))
    rows: dict[str, tuple[list[Given], str, list[Given]]] = {
        "valid": ([wrote, weather], "mend", [wrote, weather]),
        "fixed": ([mended], "mend", [wrote]),
        "other names": ([renamed], "mend", [wrote]),
        "failed": ([failed, weather], "mend", [failed, weather]),
        "withheld": ([failed, weather], "withhold", [weather]),
        "cut off": ([(wrote[0], wrote[1][:-1])], "mend", []),
    }
    clients = ("ai-sdk, raw", "ai-sdk, helper")
    for native in ("mend", "withhold"):
        streams: dict[str, Any] = {}
        for name, (calls, how, _) in rows.items():
            events = ai_sdk(calls)
            if name != "cut off":
                events[-2:-2] = [{"type": "tool-output-available", "toolCallId": "t0", "output": 3}]
            if how == native:
                streams[name.replace(" ", "-")] = "ai-sdk", events
        async with served(app(streams, native=native)) as url:
            results = await read(node, [(client, f"{url}/{name}") for name in streams for client in clients])
        made = iter(results)
        for name in streams:
            wanted = [[tool, json.loads(arguments)] for tool, arguments in rows[name.replace("-", " ")][2]]
            for client in clients:
                assert sorted(next(made).get("calls", ()), key=str) == sorted(wanted, key=str), (client, name, results)


async def test_the_reader_of_the_ai_sdk_reads_a_call_that_was_text(node: list[str]) -> None:
    streams = {"text": ("ai-sdk", ai_sdk([NATIVE[2]], "stop", text=BLOCKS["valid"]))}
    async with served(app(streams, promote=True, blocks="text")) as url:
        results = await read(node, [(client, f"{url}/text") for client in ("ai-sdk, raw", "ai-sdk, helper")])
    for result in results:
        assert [name for name, _ in result["calls"]] == ["weather", "write_file"], result
