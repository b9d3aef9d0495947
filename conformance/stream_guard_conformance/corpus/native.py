"""Native tool calls, and replies with calls in their text, as the events of each provider's stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

Given = tuple[str, str]
"""A call: its tool, and its arguments as the model writes them."""


Split = Callable[[str, Random], Sequence[str]]
"""What cuts arguments into pieces."""


def pieces(text: str, chance: Random) -> list[str]:
    """Return a text cut at up to five places."""
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(6)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


Event = dict[str, Any]
"""An event of a provider's stream, as JSON."""


def following(told: list[list[Event]], chance: Random, *, mixed: bool) -> list[Event]:
    """Return the call whose event comes next. Calls begin in their order, but their pieces may be mixed."""
    going = [one for one in told if one]
    if not mixed:
        return going[0]
    new = [one for one in going if begins(one[0])]
    return chance.choice([one for one in going if one not in new] + new[:1])


def begins(event: Event) -> bool:
    """Return whether an event is the first of a call."""
    calls = event["choices"][0]["delta"]["tool_calls"] if "choices" in event else ()
    return event.get("type") == "response.output_item.added" or any("id" in call for call in calls)


def chat(
    calls: Sequence[Given], finish: str | None = "tool_calls", *, seed: int = 1, mixed: bool = False, split: Split = pieces
) -> list[Event]:
    """Return the calls as chunks of a chat completion."""
    chance = Random(seed)

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    told: list[list[dict[str, Any]]] = []
    for index, (name, arguments) in enumerate(calls):
        first = {"index": index, "id": f"t{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": piece}} for piece in split(arguments, chance)]
        told.append([chunk({"tool_calls": [call]}) for call in (first, *rest)])
    events = [chunk({"role": "assistant", "content": "Hi\n"})]
    while any(told):
        events.append(following(told, chance, mixed=mixed).pop(0))
    return [*events, *([chunk({}, finish)] if finish is not None else [])]


def messages(
    calls: Sequence[Given], finish: str | None = "tool_use", *, seed: int = 1, split: Split = pieces
) -> list[dict[str, Any]]:
    """Return the calls as the events of a message."""
    chance = Random(seed)
    message: Event = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "stop_sequence": None, "usage": usage}}]
    for index, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"t{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in ("", *split(arguments, chance))
        ]
        events.append({"type": "content_block_stop", "index": index})
    if finish is not None:
        ended = {"stop_reason": finish, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}}, {"type": "message_stop"}]
    return events


def responses(
    calls: Sequence[Given], finish: str | None = "completed", *, seed: int = 1, mixed: bool = False, split: Split = pieces
) -> list[Event]:
    """Return the calls as the events of a response."""
    chance = Random(seed)
    told: list[list[Event]] = []
    output: list[Event] = []
    for index, (name, arguments) in enumerate(calls):
        item = {"id": f"i{index}", "type": "function_call", "call_id": f"t{index}", "name": name}
        at = {"item_id": f"i{index}", "output_index": index}
        status = "completed" if finish == "completed" else "incomplete"
        begun = {**item, "arguments": "", "status": "in_progress"}
        output.append({**item, "arguments": arguments, "status": status})
        kind = "response.function_call_arguments"
        told.append([
            {"type": "response.output_item.added", "output_index": index, "item": begun},
            *({"type": f"{kind}.delta", **at, "delta": piece} for piece in split(arguments, chance)),
            {"type": f"{kind}.done", **at, "name": name, "arguments": arguments},
            {"type": "response.output_item.done", "output_index": index, "item": output[-1]},
        ])  # fmt: skip
    response = {
        "id": "r", "object": "response", "created_at": 1, "model": "m", "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
    }  # fmt: skip
    events: list[Event] = [{"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}]
    if finish is None:
        del told[-1][-2:]
    while any(told):
        events.append(following(told, chance, mixed=mixed).pop(0))
    if finish is not None:
        why = None if finish == "completed" else {"reason": finish}
        ended = {**response, "status": "completed" if why is None else "incomplete", "incomplete_details": why}
        events.append({"type": f"response.{ended['status']}", "response": {**ended, "output": output}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def read(arguments: str) -> Any:
    """Return arguments parsed from JSON; as the text that they are if it is not JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def gemini(calls: Sequence[Given], finish: str | None = "STOP", *, text: str = "Hi\n", ids: bool = False) -> list[Event]:
    """Return the calls as chunks of a reply, each in one of its own; the text in pieces before them."""
    usage = {"promptTokenCount": 1, "totalTokenCount": 2}

    def chunk(*parts: Event, **more: Any) -> Event:
        candidate = {"content": {"parts": [*parts], "role": "model"}, "index": 0, **more}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}

    said = [chunk({"text": text[at : at + 5]}) for at in range(0, len(text), 5)]
    for nth, (name, arguments) in enumerate(calls):
        call = {"name": name, "args": read(arguments), **({"id": f"t{nth}"} if ids else {})}
        said.append(chunk({"functionCall": call, "thoughtSignature": "c2lnbmVk"}))
    return [*said, *([chunk({"text": ""}, finishReason=finish)] if finish is not None else [])]


def ollama(calls: Sequence[Given], finish: str | None = "stop", *, text: str = "Hi\n", ids: bool = False) -> list[Event]:
    """Return a reply of Ollama: the text in pieces, then a line for each call."""

    def line(content: str, calls: Sequence[Event] = (), **more: Any) -> Event:
        message = {"role": "assistant", "content": content, **({"tool_calls": [*calls]} if calls else {})}
        return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}

    said = [line(text[at : at + 5]) for at in range(0, len(text), 5)]
    for nth, (name, arguments) in enumerate(calls):
        call = {"function": {"name": name, "arguments": read(arguments)}, **({"id": f"t{nth}"} if ids else {})}
        said.append(line("", [call]))
    return [*said, *([line("", done=True, done_reason=finish, eval_count=5)] if finish is not None else [])]


def ai_sdk(
    calls: Sequence[Given], finish: str | None = "tool-calls", *, text: str = "Hi\n", seed: int = 1, split: Split = pieces
) -> list[Event]:
    """Return the calls as chunks of a UI message stream.

    Arguments that are no JSON are a text; a call that is cut off has no end.
    """
    chance = Random(seed)
    events: list[Event] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}, {"type": "text-start", "id": "x"}]
    events += [{"type": "text-delta", "id": "x", "delta": text[at : at + 5]} for at in range(0, len(text), 5)]
    events += [{"type": "text-end", "id": "x"}]
    for nth, (name, arguments) in enumerate(calls):
        at = {"toolCallId": f"t{nth}"}
        events.append({"type": "tool-input-start", **at, "toolName": name})
        events += [{"type": "tool-input-delta", **at, "inputTextDelta": piece} for piece in split(arguments, chance)]
        if arguments.rstrip().endswith(("}", "]", '"')):
            events.append({"type": "tool-input-available", **at, "toolName": name, "input": read(arguments)})
    events.append({"type": "finish-step"})
    return [*events, *([{"type": "finish", "finishReason": finish}] if finish is not None else [])]


def ag_ui(
    calls: Sequence[Given], finish: str | None = "", *, text: str = "Hi\n", seed: int = 1, chunks: bool = False,
    split: Split = pieces,
) -> list[Event]:  # fmt: skip
    """Return the calls as the events of a run, in pieces or in chunks. One that is cut off has no end."""
    chance = Random(seed)
    run = {"threadId": "a", "runId": "r"}
    events: list[Event] = [
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    ]
    events += [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text[at : at + 5]} for at in range(0, len(text), 5)]
    events.append({"type": "TEXT_MESSAGE_END", "messageId": "m"})
    for nth, (name, arguments) in enumerate(calls):
        at = {"toolCallId": f"t{nth}"}
        first = {**at, "toolCallName": name, "parentMessageId": "m"}
        if chunks:
            events.append({"type": "TOOL_CALL_CHUNK", **first})
            events += [{"type": "TOOL_CALL_CHUNK", "delta": piece} for piece in split(arguments, chance)]
            continue
        events.append({"type": "TOOL_CALL_START", **first})
        events += [{"type": "TOOL_CALL_ARGS", **at, "delta": piece} for piece in split(arguments, chance)]
        if arguments.rstrip().endswith(("}", "]", '"')):
            events.append({"type": "TOOL_CALL_END", **at})
    return [*events, *([{"type": "RUN_FINISHED", **run}] if finish is not None else [])]


MAKERS: Final[dict[str, Callable[..., list[Event]]]] = {"gemini": gemini, "ollama": ollama, "ai-sdk": ai_sdk, "ag-ui": ag_ui}


def body_of(events: Sequence[Event], protocol: str) -> str:
    """Return the events as the body of a response."""
    if protocol == "ollama":
        return "".join(f"{json.dumps(event)}\n" for event in events)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + ("data: [DONE]\n\n" if protocol == "ai-sdk" else "")


def as_chat(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "stop") -> list[Event]:
    """Return a text in these deltas, and native calls after it, as chunks of a chat completion."""
    first, *rest = chat(calls, finish)
    said = [{**first, "choices": [{**first["choices"][0], "delta": {"content": delta}}]} for delta in deltas]
    return [first, *said, *rest]


def as_messages(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "end_turn") -> list[Event]:
    """Return a text in these deltas, and native calls after it, as the events of a message."""
    first, *rest = messages(calls, finish)
    begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    said = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": delta}} for delta in deltas]
    moved = [{**event, "index": event["index"] + 1} if "index" in event else event for event in rest]
    return [first, begun, *said, {"type": "content_block_stop", "index": 0}, *moved]


def as_responses(deltas: Sequence[str], calls: Sequence[Given] = (), finish: str = "completed") -> list[Event]:
    """Return a text in these deltas, and native calls after it, as the events of a response."""
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
