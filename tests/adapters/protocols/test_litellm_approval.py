"""What leaves LiteLLM's guardrail while calls need approvals: nothing that a client could run and nobody has approved."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from stream_guard import Guard
from stream_guard.testing import FakeStream
from tests.kit.unapproved import GONE, GUARDS, LIST, REPLY, STREAMS, TEXT, WAYS, guards, ours, theirs

SAID = f"Hi.\n{TEXT}{LIST}"


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    """LiteLLM warns of itself while it is imported, and asks for a list of prices on the network."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def chat_chunks() -> list[Any]:
    from litellm.types.utils import ModelResponseStream

    return [ModelResponseStream(**event) for event in STREAMS["openai-chat"]]


def response_events() -> list[Any]:
    from litellm.llms.openai.responses.transformation import OpenAIResponsesAPIConfig

    read = OpenAIResponsesAPIConfig().transform_streaming_response
    return [read("m", event, None) for event in STREAMS["openai-responses"]]


def message_bytes() -> list[Any]:
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in STREAMS["anthropic"]]


STREAMED: Mapping[str, Callable[[], list[Any]]] = {
    "chat completions": chat_chunks,
    "responses": response_events,
    "messages": message_bytes,
}
"""How the proxy gives each of its streams to a guardrail."""


def chat_reply() -> Any:
    from litellm.types.utils import ModelResponse

    return ModelResponse(**REPLY)


def response_reply() -> Any:
    from litellm.types.llms.openai import ResponsesAPIResponse

    text = {"type": "output_text", "text": SAID, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    call = {"type": "function_call", "id": "f", "call_id": "x", "name": "delete_file", "arguments": GONE, "status": "completed"}
    return ResponsesAPIResponse(
        id="r", created_at=1, model="m", object="response", output=[message, call], parallel_tool_calls=True,
        tool_choice="auto", tools=[], status="completed", temperature=1.0, top_p=1.0, error=None, metadata={},
        incomplete_details=None, instructions=None, max_output_tokens=None, previous_response_id=None, reasoning=None,
        text=None, truncation=None, usage=None, user=None,
    )  # fmt: skip


def message_reply() -> Any:
    content = [
        {"type": "text", "text": SAID},
        {"type": "tool_use", "id": "x", "name": "delete_file", "input": json.loads(GONE)},
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
    }  # fmt: skip


WHOLE: Mapping[str, Callable[[], Any]] = {
    "chat completions": chat_reply,
    "responses": response_reply,
    "messages": message_reply,
}
"""How the proxy gives each of its replies to a guardrail."""


def settings(way: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the middleware, as the guardrail takes them."""
    return {**way, "emit": way.get("emit") != "none"}


def as_sent(item: Any) -> str:
    """What the proxy writes of an item."""
    if isinstance(item, bytes):
        return item.decode()
    data = item if isinstance(item, dict) else json.loads(item.model_dump_json(exclude_none=True))
    return f"data: {json.dumps(data)}\n\n"


async def streamed(guard: Guard, chunks: list[Any], way: Mapping[str, Any]) -> str:
    from stream_guard_adapters.litellm import StreamGuardrail

    guardrail = StreamGuardrail(guardrail_name="g", guard=guard, **settings(way))
    hook = guardrail.async_post_call_streaming_iterator_hook(None, FakeStream(chunks), {})
    return "".join([as_sent(item) async for item in hook])


async def whole(guard: Guard, reply: Any, way: Mapping[str, Any]) -> str:
    from stream_guard_adapters.litellm import StreamGuardrail

    guardrail = StreamGuardrail(guardrail_name="g", guard=guard, **settings(way))
    return as_sent(await guardrail.async_post_call_success_hook({}, None, reply))


@guards
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.promise("P7")
async def test_no_stream_and_no_reply_of_the_proxy_has_a_call_that_nobody_approved(
    guard: Guard, way: Mapping[str, Any]
) -> None:
    """However the proxy gives it to the guardrail, and however its blocks and events are sent."""
    bodies = {name: await streamed(guard, make(), way) for name, make in STREAMED.items()}
    bodies |= {f"{name}, whole": await whole(guard, make(), way) for name, make in WHOLE.items()}
    for name, body in bodies.items():
        assert "Hi." in theirs(body), name
        assert "secret.txt" not in theirs(body), name
        assert way.get("emit") == "none" or way.get("blocks") == "text" or list(ours(body)), name
        assert not [one for one in ours(body) if one["tool"] == "delete_file" and one.get("executable")], name


async def test_what_was_approved_leaves_the_guardrail() -> None:
    for make in STREAMED.values():
        assert "secret.txt" in theirs(await streamed(GUARDS["allowed"], make(), {}))
    for make in WHOLE.values():
        assert "secret.txt" in theirs(await whole(GUARDS["allowed"], make(), {}))
