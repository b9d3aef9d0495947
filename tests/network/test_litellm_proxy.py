"""LiteLLM's proxy as a process, with the guardrail in it as its users put it there, in front of a provider on loopback.

`make programs` installs it, in an environment of its own: it brings forty packages. Without it these tests skip.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.kit.provider import Piece, Provider, Trouble

ROOT: Final = Path(__file__).parents[2]
PROXY: Final = ROOT / ".venv" / "programs" / "bin" / "litellm"

pytestmark = pytest.mark.skipif(not PROXY.exists(), reason="LiteLLM's proxy is not installed; `make programs` does that")

WAYS: Final = {
    "subclass": {"guardrail": "my_guard.MyGuard"},
    "subclass of a subclass": {"guardrail": "my_guard.MyOther"},
    "instance": None,  # it is one of the callbacks
    "configuration": {"guardrail": "stream_guard_adapters.litellm.StreamGuardrail", "tools": "my_tools:TOOLS"},
}
"""How the guardrail comes into the proxy. Each has its name there, and a request says which it wants."""

TOOLS: Final = "from stream_guard.tools.files import FILE_TOOLS as TOOLS\n"
GUARDS: Final = """
from stream_guard import Guard
from stream_guard_adapters.litellm import StreamGuardrail
from stream_guard.tools.files import FILE_TOOLS

class MyGuard(StreamGuardrail):
    guard = Guard(FILE_TOOLS)

class MyOther(MyGuard):
    pass

guarding = StreamGuardrail(guardrail_name="instance", event_hook="post_call", default_on=False, guard=Guard(FILE_TOOLS))
"""

BEFORE, AFTER = "I write it.\n\n", "\nDone. A \u2013 Z."
BODY: Final = '{"name": "write_file", "arguments": {"path": "a.txt", "content": "x",}}'  # a comma too many
REPLY: Final = f"{BEFORE}```json\n{BODY}\n```{AFTER}"

SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: Final = '{"tool": "weather", "city": "Rio",}'
OFFERED: Final = {
    "/v1/chat/completions": {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}},
    "/v1/messages": {"name": "weather", "input_schema": SCHEMA},
    "/v1/responses": {"type": "function", "name": "weather", "parameters": SCHEMA},
}
"""A tool that only a request knows, in the format of each path."""


def behaviour(asked: dict[str, Any]) -> list[Piece]:
    """The reply in small pieces, and a native call where one is asked for."""
    pieces: list[Piece] = [REPLY[at : at + 7] for at in range(0, len(REPLY), 7)]
    if "weather" in json.dumps(asked["messages"]):
        pieces = [REPLY.replace(BODY, WEATHER)]
    return ["Calling.", Trouble.TOOL] if "native" in json.dumps(asked["messages"]) else pieces


@contextlib.asynccontextmanager
async def proxy(folder: Path, provider: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a proxy that asks this provider."""
    (folder / "my_guard.py").write_text(GUARDS)
    (folder / "my_tools.py").write_text(TOOLS)
    (folder / "config.yaml").write_text(json.dumps(config(provider)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = f"sk-{secrets.token_hex(16)}"
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OTEL_SDK_DISABLED": "true", "NO_PROXY": "127.0.0.1"}
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(str(PROXY), "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"),
            cwd=folder,
            env={**os.environ, **quiet, "LITELLM_MASTER_KEY": key, "PYTHONPATH": f"{folder}:{ROOT}:{ROOT / 'adapters'}"},
            stdout=log,
            stderr=log,
        )
        headers = {"authorization": f"Bearer {key}"}
        try:
            async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=300) as client:
                while not await is_ready(client):
                    assert process.returncode is None, (folder / "log").read_text()[-3000:]
                    await asyncio.sleep(0.1)
                yield client
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def is_ready(client: httpx2.AsyncClient) -> bool:
    try:
        return (await client.get("/health/readiness")).status_code == 200
    except httpx2.HTTPError:
        return False


def config(provider: str) -> dict[str, Any]:
    models = [
        {"model_name": "chat", "litellm_params": {"model": "hosted_vllm/m", "api_base": f"{provider}/v1", "api_key": "k"}},
        {"model_name": "claude", "litellm_params": {"model": "anthropic/m", "api_base": provider, "api_key": "k"}},
    ]
    guardrails = [
        {"guardrail_name": way, "litellm_params": {**params, "mode": "post_call", "default_on": False}}
        for way, params in WAYS.items()
        if params is not None
    ]
    return {"model_list": models, "guardrails": guardrails, "litellm_settings": {"callbacks": "my_guard.guarding"}}


async def asked(client: httpx2.AsyncClient, path: str, model: str, about: str, **more: Any) -> list[dict[str, Any]]:
    """The events of a streamed reply."""
    said = {"input": about} if path.endswith("responses") else {"messages": [{"role": "user", "content": about}]}
    answer = await client.post(path, json={"model": model, "stream": True, "max_tokens": 9, **said, **more})
    assert answer.status_code == 200, answer.text
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def text_of(events: list[dict[str, Any]]) -> str:
    """What a client shows."""
    found = []
    for event in events:
        if "choices" in event:
            found += [choice["delta"].get("content") or "" for choice in event["choices"]]
        elif event.get("type") == "content_block_delta":
            found.append(event["delta"].get("text", ""))
        elif event.get("type") == "response.output_text.delta":
            found.append(event["delta"])
    return "".join(found)


def told(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that were told beside them."""
    ours = [event["stream_guard"] for event in events if "stream_guard" in event]
    return [event["data"] for event in ours if event["event"] == "json-tool-block"]


STREAMS: Final = (
    ("/v1/chat/completions", "chat"),
    ("/v1/chat/completions", "claude"),
    ("/v1/messages", "claude"),
    ("/v1/messages", "chat"),
    ("/v1/responses", "claude"),
)


async def test_the_guardrail_guards_every_stream_of_the_proxy(tmp_path: Path) -> None:
    """However it came there: the text without the block, and the block, mended, beside it; native calls as they were."""
    async with Provider(behaviour) as provider, proxy(tmp_path, provider.url) as client:
        failed = []
        for path, model in STREAMS:
            events = await asked(client, path, model, "text")
            assert (text_of(events), told(events)) == (REPLY, []), (path, model)
            for way in WAYS:
                events = await asked(client, path, model, "text", guardrails=[way])
                blocks = [(block["executable"], block["corrected"], block["path"]) for block in told(events)]
                if text_of(events) != BEFORE + AFTER or blocks != [(True, True, "a.txt")]:
                    failed.append((way, path, model, text_of(events), blocks))
        assert not failed
        for path, model in STREAMS:  # the tools of a request are guarded too, and of no other request
            for more, expected in (({"tools": [OFFERED[path]]}, [(True, True, "weather")]), ({}, [])):
                events = await asked(client, path, model, "weather", guardrails=["configuration"], **more)
                assert [(block["executable"], block["corrected"], block["tool"]) for block in told(events)] == expected, path
        for way in WAYS:
            events = await asked(client, "/v1/chat/completions", "chat", "native", guardrails=[way])
            choices = [choice for event in events for choice in event["choices"]]
            calls = [call for choice in choices for call in choice["delta"].get("tool_calls") or ()]
            assert [call["function"]["arguments"] for call in calls] == ['{"path": "b"}']
            assert [choice["finish_reason"] for choice in choices if choice.get("finish_reason")] == ["tool_calls"]
    assert "Traceback" not in (tmp_path / "log").read_text()
