"""Replies with calls in their text, and native ones beside, as the providers' events."""

from __future__ import annotations

from collections.abc import Sequence

from tests.kit.native_calls import Event, Given, chat, messages, responses

CALL = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


def reply(*bodies: str) -> list[str]:
    text = "Hi.\n" + "".join(f"```json\n{body}\n```\nand\n" for body in bodies)
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def as_chat(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "stop") -> list[Event]:
    first, *rest = chat(calls, finish)
    said = [{**first, "choices": [{**first["choices"][0], "delta": {"content": delta}}]} for delta in deltas]
    return [first, *said, *rest]


def as_messages(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "end_turn") -> list[Event]:
    first, *rest = messages(calls, finish)
    begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    said = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": delta}} for delta in deltas]
    moved = [{**event, "index": event["index"] + 1} if "index" in event else event for event in rest]
    return [first, begun, *said, {"type": "content_block_stop", "index": 0}, *moved]


def as_responses(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "completed") -> list[Event]:
    first, *rest = responses(calls, finish)
    at = {"item_id": "m0", "output_index": 0, "content_index": 0}
    text = "".join(deltas)
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"type": "message", "id": "m0", "role": "assistant", "status": "completed", "content": [part]}
    said = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": [], "status": "in_progress"}},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": delta, "logprobs": []} for delta in deltas),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]  # fmt: skip
    *moved, last = [
        {**event, "output_index": event["output_index"] + 1} if "output_index" in event else event for event in rest
    ]
    last = {**last, "response": {**last["response"], "output": [item, *last["response"]["output"]]}}
    return [{**event, "sequence_number": number} for number, event in enumerate([first, *said, *moved, last])]
