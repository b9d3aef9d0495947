"""Native tool calls: as the providers' events, and as their clients read them behind the middleware."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, LengthFinishReasonError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.call_ends import CallEnds
from stream_guard_adapters.engine.call_outcomes import CallOutcomes
from stream_guard_adapters.engine.call_pieces import CallPieces
from stream_guard_adapters.engine.gaps import Gaps
from stream_guard_adapters.engine.native_calls import Calls
from stream_guard_adapters.engine.promotion import Promotion
from stream_guard_adapters.engine.sent_groups import SentGroups
from stream_guard_adapters.protocols import Protocol
from stream_guard_conformance.corpus.native import Event, Given

from stream_guard import Guard, Session
from stream_guard.fixes.engine import Engine
from stream_guard.judge.announcer import Announcer
from stream_guard.judge.aside import Judging
from stream_guard.judge.judge import Judge
from stream_guard.scan.growing import Arguments
from tests.kit.servers import served

ASKED: Any = [{"role": "user", "content": "x"}]
ARGUMENTS = {"path": "a.txt", "content": "line 1\nline 2"}
GOOD = json.dumps(ARGUMENTS)

STEPS: list[tuple[Any, str]] = [
    *((Protocol, name) for name in vars(Protocol) if name.islower() and callable(getattr(Protocol, name)) and name[0] != "_"),
    *((Judge, name) for name in ("verdict", "judged", "mend", "arguments", "watch")),
    *((Judging, name) for name in ("run",)),
    *((Session, name) for name in ("open", "grow", "close", "fail", "rename")),
    *((Announcer, name) for name in ("status", "unchanged", "leave")),
    *((Arguments, name) for name in ("feed",)),
    *((Engine, name) for name in ("tried",)),
    *((Calls, name) for name in ("feed", "close", "behind", "recalled")),
    *((CallPieces, name) for name in ("take",)),
    *((CallEnds, name) for name in ("of",)),
    *((CallOutcomes, name) for name in ("sent",)),
    *((SentGroups, name) for name in ("without",)),
    *((Gaps, name) for name in ("placed",)),
    *((Promotion, name) for name in ("passing",)),
]
"""What is done with an event that has a call, or with the call: each step may raise."""


def fails(*_: Any, **__: Any) -> Any:
    raise LookupError("a step")


def assert_in_order(events: Sequence[Event]) -> None:
    """Of messages: blocks begin and end one after the other, without a gap, and nothing is said of one that is not open."""
    begun = -1
    is_open = False
    for event in events:
        if event["type"] == "content_block_start":
            assert (event["index"], is_open) == (begun + 1, False)
            begun, is_open = begun + 1, True
        elif event["type"].startswith("content_block"):
            assert (event["index"], is_open) == (begun, True), event
            is_open = event["type"] != "content_block_stop"
    assert not is_open


async def through_openai(events: Sequence[Event], guard: Guard, **settings: Any) -> list[Given]:
    """What the client's own helper makes of the calls, behind the middleware."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    async with (
        served(behind(guard, body, **settings)) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
        client.chat.completions.stream(model="m", messages=ASKED) as stream,
    ):
        try:
            final: Any = await stream.get_final_completion()
        except LengthFinishReasonError as error:  # as documented, where a call that was cut off is left out
            final = error.completion
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
