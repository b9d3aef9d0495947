"""A provider on loopback that answers from a script, in every protocol, streamed or not. The model's name is the scenario's.

Which reply of a scenario is sent depends on how many results of calls the request has, so that the loop of an agent goes on as
with a model.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.protocols import CHAT, MESSAGES, RESPONSES
from stream_guard_conformance.corpus import native

from tests.kit.merged import merged

Call = tuple[str, str]
"""A native call: its tool, and its arguments as the model writes them."""


@dataclass(frozen=True)
class Reply:
    """What the model says at once."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    """`stop` or `length`."""
    thinks: str = ""
    choices: int = 1


@dataclass(frozen=True)
class Scenario:
    """A conversation, and what a client should have of it."""

    turns: tuple[Reply, ...]
    error: str | None = None
    """`before` the reply, or `within` it."""


CITY: Final = '{"city": "Rio"}'
BLOCK: Final = '```json\n{"tool": "weather", "city": "Rio"}\n```'
BROKEN: Final = '```json\n{"tool": "weather", "city": "Rio",}\n```'
WRONG: Final = '```json\n{"tool": "weather", "city": ["Rio"]}\n```'
CUT: Final = '```json\n{"tool": "weather", "ci'
EXAMPLE: Final = 'A configuration:\n\n```json\n{"name": "app", "version": "1.0"}\n```\n\nThat is all.'
COMMENTED: Final = '{\n  // how strict\n  "strict": true,\n}'
EDIT: Final = '<<<<<<< SEARCH\n{"city": "Rome"}\n=======\n{"city": "Rio"}\n>>>>>>> REPLACE'
WRITES: Final = '{"tool": "write_file", "path": "a.txt", "content": "Rio",}'
DONE: Final = Reply("It is sunny in Rio.")

SCENARIOS: Final[dict[str, Scenario]] = {
    "prose": Scenario((Reply("Hello, *world*.\n\nIt is `fine`."),)),
    "a good block": Scenario((Reply(f"I look.\n\n{BLOCK}\n\nDone."),)),
    "a block that can be mended": Scenario((Reply(f"I look.\n\n{BROKEN}\n\nDone."),)),
    "a block that cannot be mended": Scenario((Reply(f"I look.\n\n{WRONG}\n\nDone."),)),
    "a block that is cut off": Scenario((Reply(f"I look.\n\n{CUT}", finish="length"),)),
    "only a block": Scenario((Reply(BLOCK),)),
    "only a broken block": Scenario((Reply(BROKEN),)),
    "two blocks": Scenario((Reply(f"{BLOCK}\n\nAnd:\n\n{BROKEN}"),)),
    "example JSON": Scenario((Reply(EXAMPLE),)),
    "a good native call": Scenario((Reply("I look.", (("weather", CITY),)), DONE)),
    "a broken native call": Scenario((Reply("I look.", (("weather", '{"city": "Rio",}'),)), DONE)),
    "a wrong native call": Scenario(
        (Reply("I look.", (("weather", '{"town": 3}'),)), Reply("Again.", (("weather", CITY),)), DONE)
    ),
    "a native call that is cut off": Scenario((Reply("I look.", (("weather", '{"city": "R'),), finish="length"),)),
    "two native calls": Scenario((Reply("I look.", (("weather", CITY), ("weather", '{"city": "Lima"}'))), DONE)),
    "a native call alone": Scenario((Reply("", (("weather", CITY),)), DONE)),
    "reasoning": Scenario((Reply("Sunny.", thinks="The user asks."),)),
    "several choices": Scenario((Reply(f"I look.\n\n{BROKEN}\n", choices=2),)),
    "usage": Scenario((Reply("Short."),)),
    "an error before the reply": Scenario((Reply("Never."),), error="before"),
    "an error in the reply": Scenario((Reply("Hello, and then "),), error="within"),
    "a file": Scenario((Reply(f"I write it.\n\nweather.json\n```json\n{CITY}\n```\n"),)),
    "a file with comments": Scenario((Reply(f"I write it.\n\ntsconfig.json\n```json\n{COMMENTED}\n```\n"),)),
    "a file with a call in it": Scenario((Reply(f"I write it.\n\ncalls.json\n```json\n{WRITES}\n```\n"),)),
    "an edit of a file": Scenario((Reply(f"I edit it.\n\nweather.json\n```json\n{EDIT}\n```\n"),)),
    "long prose": Scenario((Reply("A line of text that says nothing.\n" * 200),)),
}
"""Every one is asked for streamed and not."""


def provider() -> Starlette:
    """The provider as an app."""
    routes = [
        Route("/v1/chat/completions", _chat, methods=["POST"]),
        Route("/v1/responses", _responses, methods=["POST"]),
        Route("/v1/messages", _messages, methods=["POST"]),
        Route("/{version}/models/{model}:{method}", _gemini, methods=["POST"]),
        Route("/api/chat", _ollama, methods=["POST"]),
    ]
    return Starlette(routes=routes)


def _reply(model: str, results: int) -> tuple[Scenario, Reply]:
    scenario = SCENARIOS[model.replace("-", " ")]
    return scenario, scenario.turns[min(results, len(scenario.turns) - 1)]


def _refused() -> Response:
    return JSONResponse({"type": "error", "error": {"type": "invalid_request_error", "message": "no such thing"}}, 400)


def _read(arguments: str) -> Any:
    """Return arguments as the object that they are; None for what is no JSON, which some protocols cannot carry."""
    try:
        return json.loads(arguments)
    except ValueError:
        return None


_ERROR: Final = {"error": {"message": "overloaded", "type": "server_error", "code": 500, "status": "INTERNAL"}}


def _pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def _sent(events: Sequence[Any], scenario: Scenario, *, named: bool = False, last: str = "", lines: bool = False) -> Response:
    async def body() -> AsyncIterator[str]:
        broken = scenario.error == "within"
        for event in events[: max(len(events) - 2, 1)] if broken else events:
            name = f"event: {event['type']}\n" if named else ""
            yield json.dumps(event) + "\n" if lines else f"{name}data: {json.dumps(event)}\n\n"
            await asyncio.sleep(0)
        if broken:
            error = {"type": "error", **_ERROR}
            yield json.dumps(error) + "\n" if lines else f"{'event: error' if named else ''}\ndata: {json.dumps(error)}\n\n"
        elif last:
            yield f"data: {last}\n\n"

    return StreamingResponse(body(), media_type="application/x-ndjson" if lines else "text/event-stream")


async def _chat(request: Request) -> Response:
    asked = await request.json()
    scenario, reply = _reply(asked["model"], sum(message["role"] == "tool" for message in asked["messages"]))
    if scenario.error == "before":
        return _refused()
    finish = reply.finish if not reply.calls or reply.finish == "length" else "tool_calls"
    events = native.as_chat(_pieces(reply.text), reply.calls, finish)
    first, *rest = events
    first = {**first, "choices": [{**first["choices"][0], "delta": {"role": "assistant", "content": ""}}]}
    thought = {**first, "choices": [{**first["choices"][0], "delta": {"reasoning_content": reply.thinks}}]}
    events = [first, *([thought] if reply.thinks else []), *rest]
    for number in range(1, reply.choices if asked.get("n", 1) > 1 else 1):
        events += [{**one, "choices": [{**one["choices"][0], "index": number}]} for one in (first, *rest)]
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    if asked.get("stream"):
        if (asked.get("stream_options") or {}).get("include_usage"):
            events.append({**first, "choices": [], "usage": usage})
        return _sent(events, scenario, last="[DONE]")
    made = merged([event for event in events if event["choices"]], CHAT)
    assert made is not None
    if reply.thinks:
        made["choices"][0]["message"]["reasoning_content"] = reply.thinks
    return JSONResponse({**made, "usage": usage} if scenario.error is None else _ERROR)


async def _responses(request: Request) -> Response:
    asked = await request.json()
    said = asked["input"] if isinstance(asked["input"], list) else []
    scenario, reply = _reply(asked["model"], sum(item.get("type") == "function_call_output" for item in said))
    if scenario.error == "before":
        return _refused()
    finish = "completed" if reply.finish == "stop" else "max_output_tokens"
    events = native.as_responses(_pieces(reply.text), reply.calls, finish)
    usage = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12,
             "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    events[-1] = {**events[-1], "response": {**events[-1]["response"], "usage": usage}}
    if asked.get("stream"):
        return _sent(events, scenario, named=True)
    return JSONResponse(merged(events, RESPONSES) if scenario.error is None else _ERROR)


async def _messages(request: Request) -> Response:
    asked = await request.json()
    parts = [part for message in asked["messages"] for part in message["content"] if isinstance(message["content"], list)]
    scenario, reply = _reply(asked["model"], sum(part.get("type") == "tool_result" for part in parts))
    if scenario.error == "before":
        return _refused()
    finish = "max_tokens" if reply.finish == "length" else "tool_use" if reply.calls else "end_turn"
    if reply.text:
        events = native.as_messages(_pieces(reply.text), reply.calls, finish)
    else:
        events = native.messages(reply.calls, finish)
    if asked.get("stream"):
        return _sent(events, scenario, named=True)
    if any(_read(arguments) is None for _, arguments in reply.calls):  # the input of a call is an object here, be it empty
        calls = [(name, json.dumps(_read(arguments) or {})) for name, arguments in reply.calls]
        events = native.as_messages(_pieces(reply.text), calls, finish)
    made = merged(events, MESSAGES)
    return JSONResponse(made if scenario.error is None else _ERROR)


async def _gemini(request: Request) -> Response:
    asked = await request.json()
    parts = [part for content in asked["contents"] for part in content.get("parts") or ()]
    model, method = request.path_params["model"], request.path_params["method"]
    scenario, reply = _reply(model, sum("functionResponse" in part for part in parts))
    if scenario.error == "before":
        return JSONResponse({"error": {"code": 400, "message": "no such thing", "status": "INVALID_ARGUMENT"}}, 400)
    said: list[Any] = [{"text": reply.thinks, "thought": True}] if reply.thinks else []
    said += [{"text": piece} for piece in _pieces(reply.text)]
    for name, arguments in reply.calls:
        args = _read(arguments)
        if args is not None:
            said.append({"functionCall": {"name": name, "args": args}})
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}

    def event(parts: list[Any], **more: Any) -> Any:
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}], "usageMetadata": usage}

    malformed = any(_read(arguments) is None for _, arguments in reply.calls)  # such a call is left out, and the reason says so
    finish = "MAX_TOKENS" if reply.finish == "length" else "MALFORMED_FUNCTION_CALL" if malformed else "STOP"
    if method == "streamGenerateContent":
        return _sent([*(event([part]) for part in said), event([{"text": ""}], finishReason=finish)], scenario)
    return JSONResponse(event(said, finishReason=finish) if scenario.error is None else _ERROR)


async def _ollama(request: Request) -> Response:
    asked = await request.json()
    scenario, reply = _reply(asked["model"], sum(message["role"] == "tool" for message in asked["messages"]))
    if scenario.error == "before":
        return JSONResponse({"error": "no such thing"}, 400)
    calls = []
    text = reply.text
    for name, arguments in reply.calls:
        args = _read(arguments)
        if args is not None:
            calls.append({"function": {"name": name, "arguments": args}})
        else:  # what it cannot read as a call stays in the text
            text += f'\n{{"name": "{name}", "parameters": {arguments}'

    def event(text: str, **more: Any) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": text, **({"thinking": reply.thinks} if reply.thinks else {})}
        if calls and more:
            message["tool_calls"] = calls
        return {"model": asked["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}

    last = {"done": True, "done_reason": reply.finish, "eval_count": 5}
    if asked.get("stream", True):
        said = [event(piece) for piece in _pieces(text)]
        if scenario.error == "within":

            async def broken() -> AsyncIterator[str]:
                for one in said:
                    yield json.dumps(one) + "\n"
                yield json.dumps({"error": "overloaded"}) + "\n"

            return StreamingResponse(broken(), media_type="application/x-ndjson")
        return _sent([*said, event("", **last)], scenario, lines=True)
    return JSONResponse(event(text, **last) if scenario.error is None else {"error": "overloaded"})
