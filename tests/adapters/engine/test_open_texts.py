"""An event of the guard stands in the text of its block as long as that is open for the client: until its end has left."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import as_messages, as_responses

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.spi import Aside
from stream_guard.tools.files import FILE_TOOLS

CALL = '{"tool": "write_file", "path": "a.py", "content": "x"}'
TEXTS = {
    "a fence that ends with the text": f"Before.\n```json\n{CALL}\n```",
    "a fence that is not closed": f"Before.\n```json\n{CALL}",
    "a call that is cut off": f"Before.\n```json\n{CALL[:30]}",
    "a call in a dialect that waits for its end": f"[TOOL_CALLS]{CALL}```\nbye",
    "a call in a dialect that has one": f"Before.\n<tool_call>{CALL}</tool_call>\nbye",
}
"""Texts whose blocks are decided before their end, or by it."""

PARTS: dict[str, tuple[Any, str, str]] = {
    "openai-responses": (as_responses, "response.output_text.delta", "response.output_text.done"),
    "anthropic": (as_messages, "content_block_delta", "content_block_stop"),
}
"""How a protocol writes a text, the type of its pieces and that of its end."""


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", PARTS)
def test_what_comes_of_a_text_stands_in_it_until_its_end_has_left(name: str, text: str) -> None:
    write, piece, end = PARTS[name]
    body = Body(Guard(FILE_TOOLS, dialects="all", fixes="off"), "events", PROTOCOLS[name])
    out = b""
    pieces = [TEXTS[text][at : at + 9] for at in range(0, len(TEXTS[text]), 9)]
    frames = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in write(pieces)]
    for items in (*map(body.push, frames), body.end()):
        for item in items:
            if not isinstance(item, Aside):
                out += body.event_bytes(item) if isinstance(item, ToolStatus | ToolBlock) else item
    sent = [json.loads(line[6:]) for line in out.decode().splitlines() if line.startswith("data: {")]
    last = next(at for at, event in enumerate(sent) if event["type"] == end)
    own = [at for at, event in enumerate(sent) if "stream_guard" in event]
    assert any(sent[at]["stream_guard"]["event"] == "json-tool-block" for at in own)
    assert own[-1] < last
    assert {sent[at]["type"] for at in own} == {piece}
