"""Tests of an app's chat code with recorded streams: no provider, no key, and every chunking.

pip install "stream-guard-llm[openai]" pytest
pytest examples/test_replay.py
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from stream_guard_adapters.cassettes import Cassette, Chunking, ReplayServer, replay
from stream_guard_adapters.openai import guard_chat

from stream_guard import Guard, Tool, ToolBlock, Toolset, run
from stream_guard.tools.files import FILE_TOOLS

CASSETTES = Path(__file__).parent / "cassettes"
CUTS: list[Chunking] = ["recorded", "chars", "words", 1, 2, 3]

# -- the app -----------------------------------------------------------------------------------------------------------

NOTES: dict[str, str] = {}
NOTE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "text": {"type": "string"}},
    "required": ["title", "text"],
    "additionalProperties": False,
}


def save_note(call: dict[str, Any]) -> str:
    """Keep a note in memory."""
    NOTES[call["title"]] = call["text"]
    return f"saved, {len(NOTES)} notes in all"


TOOLS = Toolset(Tool("save_note", "Save a note under a title", NOTE, handler=save_note))
GUARD = Guard(TOOLS)


async def chat(client: AsyncOpenAI, prompt: str) -> list[Any]:
    """Ask, run the calls, and go on until the model calls nothing; returns the conversation."""
    conversation: list[Any] = [{"role": "user", "content": prompt}]
    for _ in range(5):
        reply = await client.chat.completions.create(
            model="a-model", messages=conversation, tools=TOOLS.to_openai(), stream=True
        )
        async with run(guard_chat(reply, GUARD), TOOLS) as turn:
            async for _item in turn:
                pass  # an app shows it
        conversation += turn.messages("chat")
        if not turn.outputs:
            break
    return conversation


# -- its tests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunking", CUTS)
def test_the_calls_run_however_the_stream_is_cut(chunking: Chunking) -> None:
    """The real client reads two recorded replies: a block and a native call, both broken, and the answer to their results."""
    NOTES.clear()

    async def ask(url: str) -> list[Any]:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            return await chat(client, "Note that I need milk and tea")

    with ReplayServer(CASSETTES / "notes-1.jsonl", CASSETTES / "notes-2.jsonl", chunking=chunking) as server:
        conversation = asyncio.run(ask(server.url))
    assert NOTES == {"Milk": "Buy milk.", "Tea": "Buy tea."}
    assert [message["role"] for message in conversation] == ["user", "assistant", "tool", "tool", "assistant"]
    assert conversation[-1]["content"] == "Both are saved."
    assert len(server.requests) == 2


@pytest.mark.parametrize("chunking", CUTS)
def test_the_call_is_the_same_however_the_text_is_cut(chunking: Chunking) -> None:
    """A fence, a key or an escape may be split between two deltas: the blocks do not depend on it."""
    cassette = Cassette.load(CASSETTES / "hello.jsonl")
    assert cassette.text().startswith("Here it is.")
    deltas = replay(cassette, form="text", chunking=chunking)
    blocks = [item for item in Guard(FILE_TOOLS).scan(deltas) if isinstance(item, ToolBlock)]
    assert [(block.tool, block.path, block.outcome) for block in blocks] == [("write_file", "hello.py", "fixed")]
    assert blocks[0].call is not None
    assert blocks[0].call.arguments["content"] == 'print("hello")\n'
