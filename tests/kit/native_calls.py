"""Native tool calls: as the providers' events, and as their clients read them behind the middleware."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware

from stream_guard import Guard
from tests.kit.servers import served

ASKED: Any = [{"role": "user", "content": "x"}]
ARGUMENTS = {"path": "a.txt", "content": "line 1\nline 2"}
GOOD = json.dumps(ARGUMENTS)

Given = tuple[str, str]
"""A call: its tool, and its arguments as the model writes them."""


def pieces(text: str, chance: Random) -> list[str]:
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(6)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


Event = dict[str, Any]


def following(told: list[list[Event]], chance: Random, *, mixed: bool) -> list[Event]:
    """Return the call whose event comes next. No call begins before the one before it, but their pieces may be mixed."""
    going = [one for one in told if one]
    if not mixed:
        return going[0]
    new = [one for one in going if begins(one[0])]
    return chance.choice([one for one in going if one not in new] + new[:1])


def begins(event: Event) -> bool:
    """Return whether an event is the first of a call."""
    calls = event["choices"][0]["delta"]["tool_calls"] if "choices" in event else ()
    return event.get("type") == "response.output_item.added" or any("id" in call for call in calls)


def chat(calls: Sequence[Given], finish: str | None = "tool_calls", *, seed: int = 1, mixed: bool = False) -> list[Event]:
    """The calls as chunks of a chat completion."""
    chance = Random(seed)

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    told: list[list[dict[str, Any]]] = []
    for index, (name, arguments) in enumerate(calls):
        first = {"index": index, "id": f"t{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces(arguments, chance)]
        told.append([chunk({"tool_calls": [call]}) for call in (first, *rest)])
    events = [chunk({"role": "assistant", "content": "Hi\n"})]
    while any(told):
        events.append(following(told, chance, mixed=mixed).pop(0))
    return [*events, *([chunk({}, finish)] if finish is not None else [])]


def messages(calls: Sequence[Given], finish: str | None = "tool_use", *, seed: int = 1) -> list[dict[str, Any]]:
    """The calls as the events of a message."""
    chance = Random(seed)
    message: Event = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "stop_sequence": None, "usage": usage}}]
    for index, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"t{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in ("", *pieces(arguments, chance)):
            events.append(
                {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}
            )
        events.append({"type": "content_block_stop", "index": index})
    if finish is not None:
        ended = {"stop_reason": finish, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}}, {"type": "message_stop"}]
    return events


def responses(calls: Sequence[Given], finish: str | None = "completed", *, seed: int = 1, mixed: bool = False) -> list[Event]:
    """The calls as the events of a response."""
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
            *({"type": f"{kind}.delta", **at, "delta": piece} for piece in pieces(arguments, chance)),
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


async def through_openai(events: Sequence[Event], guard: Guard, **settings: Any) -> list[Given]:
    """What the client's own helper makes of the calls, behind the middleware."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    async with (
        served(behind(guard, body, **settings)) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
        client.chat.completions.stream(model="m", messages=ASKED) as stream,
    ):
        final = await stream.get_final_completion()
    called: Any = final.choices[0].message.tool_calls or []
    return [(call.function.name, call.function.arguments) for call in called]


async def through_anthropic(events: Sequence[Event], guard: Guard, **settings: Any) -> list[Given]:
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    async with (
        served(behind(guard, body, **settings)) as url,
        AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as client,
        client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
    ):
        final = await stream.get_final_message()
    return [(block.name, json.dumps(block.input)) for block in final.content if block.type == "tool_use"]


async def through_responses(events: Sequence[Event], guard: Guard, **settings: Any) -> list[Given]:
    """What the client's own helper makes of them: while they come, and at the end."""
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    done: list[Given] = []
    async with (
        served(behind(guard, body, **settings)) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
        client.responses.stream(model="m", input="x") as stream,
    ):
        async for event in stream:
            if event.type == "response.output_item.done" and event.item.type == "function_call":
                done.append((event.item.name, event.item.arguments))
        final = await stream.get_final_response()
    assert done == [(item.name, item.arguments) for item in final.output if item.type == "function_call"]
    return done


def behind(guard: Guard, body: str, **settings: Any) -> Any:
    async def answer(_: Request) -> Response:
        async def sent() -> AsyncIterator[bytes]:
            yield body.encode()

        return StreamingResponse(sent(), media_type="text/event-stream")

    everything = ["GET", "POST"]
    return StreamGuardMiddleware(Starlette(routes=[Route("/{path:path}", answer, methods=everything)]), guard=guard, **settings)


DELETE = ("delete_file", '{"path": "b"}')
WEATHER = ("weather", '{"city": "Rio"}')
