"""What clients parse of a reply: `chat.completions.parse` and `responses.parse`."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest
from pydantic import BaseModel
from stream_guard_adapters.events import guard_reply

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
BLOCK = 'a\n```json\n{"tool": "delete_file", "path": "old.py"}\n```'


class ByPath(BaseModel):
    path: str


class ByFile(BaseModel):
    file: str


class Answer(BaseModel):
    a: int


def client(answer: Any) -> openai.OpenAI:
    def respond(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"x-request-id": "req_1"}, json=answer)

    transport: Any = httpx2.Client(transport=httpx2.MockTransport(respond))
    return openai.OpenAI(api_key="k", max_retries=0, http_client=transport)


def completion(arguments: str, content: str | None = None, **settings: Any) -> Any:
    call = {"id": "a", "type": "function", "function": {"name": "delete_file", "arguments": arguments}}
    message = {"role": "assistant", "content": content, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return client(answer).chat.completions.parse(model="m", messages=[], **settings)


def parsed(reply: Any) -> Any:
    return guard_reply(reply, GUARD).reply.choices[0].message.tool_calls[0].function.parsed_arguments


def test_parsed_arguments_are_those_of_the_call_that_is_sent_on() -> None:
    """Where they were fixed they are read anew; where the model of the program does not take them there are none."""
    tool = openai.pydantic_function_tool(ByPath, name="delete_file")
    assert parsed(completion('{"path": "a"}', BLOCK, tools=[tool])) == ByPath(path="a")
    other = openai.pydantic_function_tool(ByFile, name="delete_file")
    assert parsed(completion('{"file": "a"}', tools=[other])) is None
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
    plain: Any = {"type": "function", "function": {"name": "delete_file", "parameters": schema, "strict": True}}
    assert parsed(completion('{"file": "a"}', tools=[plain])) == {"path": "a"}


def test_a_parsed_text_stays_an_instance_and_the_id_of_the_request_is_kept() -> None:
    reply = completion('{"file": "a"}', '{"a": 1}', response_format=Answer)
    guarded: Any = guard_reply(reply, GUARD).reply
    assert guarded is not reply
    assert guarded.choices[0].message.parsed == Answer(a=1)
    assert guarded._request_id == reply._request_id == "req_1"


@pytest.mark.parametrize("arguments", ['{"file": "a"}', '{"path": "a"}'])
def test_a_response_is_parsed_as_it_is_sent_on(arguments: str) -> None:
    call = {
        "id": "f",
        "type": "function_call",
        "call_id": "c",
        "name": "delete_file",
        "arguments": arguments,
        "status": "completed",
    }
    text = {"type": "output_text", "text": BLOCK, "annotations": [], "logprobs": []}
    said = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    answer = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [said, call]}
    answer |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
    tool: Any = {"type": "function", "name": "delete_file", "parameters": schema, "strict": True}
    reply: Any = client(answer).responses.parse(model="m", input="x", tools=[tool])
    assert reply.output[1].parsed_arguments == json.loads(arguments)
    assert guard_reply(reply, GUARD).reply.output[1].parsed_arguments == {"path": "a"}
