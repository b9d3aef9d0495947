"""Texts of several lanes, as a provider's events."""

from __future__ import annotations

from typing import Any

GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
BLOCK = f"```json\n{GOOD}\n```\n"


def responses(text: str) -> list[dict[str, Any]]:
    """A reply as the responses API tells it: in deltas, and whole four times."""
    at = {"item_id": "i", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": "i", "type": "message", "content": [part], "role": "assistant"}
    return [
        {"type": "response.created", "response": {"output": []}},
        *({"type": "response.output_text.delta", **at, "delta": char, "logprobs": []} for char in text),
        {"type": "response.output_text.done", **at, "text": text},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "output_text": None}},
    ]
