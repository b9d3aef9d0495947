"""Python's clients of providers read what leaves the wrappers and the middleware: each by its helper and by its raw form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, LengthFinishReasonError
from openai.lib.streaming.chat import ChatCompletionStreamState
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.replay_server import ReplayServer
from stream_guard_adapters.openai import guard_chat, guard_responses

from stream_guard import ToolBlock, ToolStatus
from tests.kit.client_streams import EXECUTABLE, GUARD, MAKERS, TEXTS, app, visible
from tests.kit.servers import served

ASKED: Any = [{"role": "user", "content": "x"}]
CLIENTS: dict[str, Callable[[str], Any]] = {
    "openai-chat": lambda url: AsyncOpenAI(api_key="k", base_url=url, max_retries=0),
    "openai-responses": lambda url: AsyncOpenAI(api_key="k", base_url=url, max_retries=0),
    "anthropic": lambda url: AsyncAnthropic(api_key="k", base_url=url, max_retries=0),
}


async def asked(protocol: str, client: Any) -> Any:
    """The client's stream, in its raw form."""
    if protocol == "openai-chat":
        return await client.chat.completions.create(model="m", messages=ASKED, stream=True)
    if protocol == "openai-responses":
        return await client.responses.create(model="m", input="x", stream=True)
    return await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)


async def helped(protocol: str, client: Any) -> str | None:
    """The text that the client's helper comes to; None when it raises for a reply that was cut off."""
    if protocol == "anthropic":
        async with client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream:
            await stream.until_done()
            return "".join(block.text for block in stream.current_message_snapshot.content)
    if protocol == "openai-chat":
        try:
            async with client.chat.completions.stream(model="m", messages=ASKED) as stream:
                return (await stream.get_final_completion()).choices[0].message.content or ""
        except LengthFinishReasonError:
            return None
    async with client.responses.stream(model="m", input="x") as stream:
        async for _ in stream:
            pass
        try:
            return str((await stream.get_final_response()).output_text)
        except RuntimeError:
            return None


def text_of(protocol: str, item: Any) -> str:
    if protocol == "openai-chat":
        return "".join(choice.delta.content or "" for choice in item.choices)
    if protocol == "openai-responses":
        return item.delta if item.type == "response.output_text.delta" else ""
    return getattr(item.delta, "text", "") if item.type == "content_block_delta" else ""


def made(protocol: str, block: str) -> list[Any]:
    make, length, _ = MAKERS[protocol]
    text = f"Hi, é 😀.\n\n{TEXTS[block]}"
    deltas = [text[at : at + 6] for at in range(0, len(text), 6)]
    events: list[Any] = make(deltas, finish=length) if block == "truncated" else make(deltas)
    return events


@pytest.mark.parametrize("protocol", CLIENTS)
async def test_clients_read_what_is_visible_through_the_middleware(protocol: str) -> None:
    streams = {block: (protocol, made(protocol, block)) for block in TEXTS}
    async with served(app(streams)) as url:
        for block, (_, events) in streams.items():
            async with CLIENTS[protocol](f"{url}/{block}") as client:
                items = [item async for item in await asked(protocol, client)]
                assert "".join(text_of(protocol, item) for item in items) == visible(protocol, events), block
                told = [event for item in items if (event := (item.model_extra or {}).get("stream_guard"))]
                blocks = [event["data"]["executable"] for event in told if event["event"] == "json-tool-block"]
                assert blocks == EXECUTABLE.get(block, []), block
                helper = await helped(protocol, client)
                assert helper == visible(protocol, events) or (helper is None and block == "truncated"), block


@pytest.mark.some(10)
@pytest.mark.parametrize("protocol", CLIENTS)
@pytest.mark.parametrize("block", TEXTS)
async def test_clients_put_together_what_leaves_the_wrappers(protocol: str, block: str) -> None:
    """The client's own accumulators take the objects that a wrapper yields."""
    guard: Any = {"openai-chat": guard_chat, "openai-responses": guard_responses, "anthropic": guard_messages}[protocol]
    events = made(protocol, block)
    with ReplayServer(Cassette(events), chunking=7) as server:
        async with CLIENTS[protocol](server.url) as client, guard(await asked(protocol, client), GUARD) as stream:
            items = [item async for item in stream]
    ours = [item for item in items if isinstance(item, ToolStatus | ToolBlock)]
    theirs = [item for item in items if not isinstance(item, ToolStatus | ToolBlock)]
    assert [item.executable for item in ours if isinstance(item, ToolBlock)] == EXECUTABLE.get(block, [])
    assert "".join(text_of(protocol, item) for item in theirs) == visible(protocol, events)
    if protocol == "openai-chat":
        state = ChatCompletionStreamState()
        for chunk in theirs:
            state.handle_chunk(chunk)
        assert state.current_completion_snapshot.choices[0].message.content == visible(protocol, events)
    elif protocol == "openai-responses":
        assert theirs[-1].response.output_text == visible(protocol, events)


async def test_a_helpers_stream_is_refused_since_it_tells_the_text_again() -> None:
    """What it puts together would pass around the guard."""
    with ReplayServer(Cassette(made("openai-chat", "valid"))) as server:
        async with (
            CLIENTS["openai-chat"](server.url) as client,
            client.chat.completions.stream(model="m", messages=ASKED) as stream,
        ):
            with pytest.raises(TypeError, match=r"guard the stream that create\(stream=True\) returns"):
                guard_chat(stream, GUARD)
    with ReplayServer(Cassette(made("openai-responses", "valid"))) as server:
        async with CLIENTS["openai-responses"](server.url) as client, client.responses.stream(model="m", input="x") as stream:
            with pytest.raises(TypeError, match="reads and repeats the text itself"):
                guard_responses(stream, GUARD)
    with ReplayServer(Cassette(made("anthropic", "valid"))) as server:
        async with (
            CLIENTS["anthropic"](server.url) as client,
            client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
        ):
            with pytest.raises(TypeError, match="reads and repeats the text itself"):
                guard_messages(stream, GUARD)
