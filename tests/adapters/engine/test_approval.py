"""A client that knows nothing of approvals runs only what was approved: native calls, and blocks in the text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from stream_guard_adapters.events import aguard_reply, guard_events, guard_reply
from stream_guard_conformance.corpus.native import chat, messages, responses

from stream_guard import ApprovalPolicy, Guard, Limits, Tool, ToolBlock
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import ARGUMENTS, GOOD, through_anthropic, through_openai, through_responses

PROVIDERS: Any = {
    "openai-chat": (chat, through_openai),
    "openai-responses": (responses, through_responses),
    "anthropic": (messages, through_anthropic),
}
"""Each protocol's events, and its client."""

WRITE = ("write_file", ARGUMENTS)
DELETE = ("delete_file", '{"path": "b"}')
BLOCK = '```json\n{"tool": "delete_file", "path": "b"}\n```'


async def raises(_: ToolBlock, __: Tool) -> bool:
    raise KeyError


async def changes(block: ToolBlock, _: Tool) -> bool:
    assert block.arguments is not None
    block.arguments["path"] = "other"
    return True


def guard_with(answer: Any, **settings: Any) -> Guard:
    async def approve(_: ToolBlock, __: Tool) -> Any:
        return answer

    return Guard(FILE_TOOLS, approve=answer if callable(answer) else approve, **settings)


ANSWERS: list[tuple[Any, list[Any]]] = [
    (True, [("delete_file", {"path": "b"})]),
    ({"path": "c"}, [("delete_file", {"path": "c"})]),
    ("No.", []),
    (None, []),
    ({"path": 1}, []),
    (raises, []),
    (changes, []),
]


@pytest.mark.some(7)
@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("answer", "sent"), ANSWERS)
async def test_a_native_call_is_sent_on_only_as_it_was_approved(
    answer: Any, sent: list[Any], provider: str, order: Any
) -> None:
    make, through = PROVIDERS[provider]
    guard = guard_with(answer, order=order)
    events = make([("write_file", GOOD), DELETE])
    found = [(name, json.loads(said)) for name, said in await through(events, guard)]
    assert found == [WRITE, *sent]
    items = await collect(guard_events(FakeStream(events), guard, provider))
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True, bool(sent)]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("arguments", ['{"path": "b"}', '{"path": "b",}', '{"path": 1}'])
def test_a_client_that_is_not_async_gets_no_call_that_needs_an_approval(provider: str, arguments: str) -> None:
    events = PROVIDERS[provider][0]([("delete_file", arguments)])
    for guard in (guard_with(True), Guard(FILE_TOOLS, approval=ApprovalPolicy())):
        items = list(guard_events(iter(events), guard, provider))
        (block,) = [item for item in items if isinstance(item, ToolBlock)]
        assert (block.executable, block.call) == (False, None)
        assert not [item for item in items if '"b"' in json.dumps(item, default=str) and not isinstance(item, ToolBlock)]


def texts(items: Sequence[Any]) -> str:
    said = [item["choices"][0]["delta"].get("content") for item in items if isinstance(item, dict) and item.get("choices")]
    return "".join(text for text in said if text)


def chunks(text: str) -> list[dict[str, Any]]:
    deltas: list[tuple[dict[str, Any], str | None]] = [({"content": text}, None), ({}, "stop")]
    return [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in deltas
    ]


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize(("answer", "sent"), ANSWERS)
async def test_a_text_has_only_the_call_that_was_approved(answer: Any, sent: list[Any], order: Any) -> None:
    guard = guard_with(answer, order=order)
    stream = guard_events(FakeStream(chunks(f"One.\n\n{BLOCK}\n\nTwo.")), guard, "openai-chat", blocks="text")
    said = texts(await collect(stream))
    block = BLOCK if answer is True else BLOCK.replace('"b"', '"c"') if sent else ""
    assert said == f"One.\n\n{block}\n\nTwo."


async def test_of_several_calls_a_text_has_those_that_may_run() -> None:
    both = '```json\n[{"tool": "delete_file", "path": "b"}, {"tool": "write_file", "path": "a", "content": "x"}]\n```'
    for answer, names in ((True, ["delete_file", "write_file"]), ("No.", ["write_file"])):
        stream = guard_events(FakeStream(chunks(both)), guard_with(answer), "openai-chat", blocks="text")
        said = texts(await collect(stream))
        assert [json.loads(part.split("\n```")[0])["tool"] for part in said.split("```json\n")[1:]] == names


READ: str = '{"tool": "write_file", "path": "a", "content": "x"'
GONE: str = '{"tool": "delete_file", "path": "b"}'


@pytest.mark.parametrize(
    "body",
    [
        f'[{READ}}}, {GONE}, {{"tool": "delete_file", "path": 3}}]',
        f"[{READ[:-3]}3}}, {GONE}]",
        f"{READ[:-3]}3}}\n{GONE}",
        f'{{"tool": "write_file", {GONE[1:]}',
        f'{READ[:-3]}3, "next": {GONE}}}',
        f"{READ[:-3]}3}}\n// {GONE}",
        f"{READ}}}\n// {GONE}",
        f"{READ}, /* {GONE} */}}",
        f"{READ}}} and then {GONE}",
        f"# {GONE}\n{READ}}}",
    ],
)
@pytest.mark.parametrize("blocks", ["text", "both"])
async def test_no_block_that_is_reported_under_another_tool_carries_a_call_into_the_text(body: str, blocks: Any) -> None:
    """A list or a sequence of which one call is invalid, a tool that is named twice, a call in a comment."""
    for guard in (guard_with("No."), Guard(FILE_TOOLS, approval=ApprovalPolicy())):
        stream = guard_events(FakeStream(chunks(f"One.\n\n```json\n{body}\n```\n\nTwo.")), guard, "openai-chat", blocks=blocks)
        items = await collect(stream)
        assert "delete_file" not in texts(items)
        assert not [one for one in items if isinstance(one, ToolBlock) and one.executable and one.tool == "delete_file"]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "write_file", "name": "delete_file", "arguments": {"path": "b"}}</tool_call>',
        '<TOOLCALL>[{"name": "write_file"}, {"name": "delete_file", "arguments": {"path": "b"}} x]</TOOLCALL>',
        f"```json\n[{READ[:-3]}3}}, {GONE}]\n```",
    ],
)
async def test_a_reply_that_was_not_streamed_carries_no_such_call_either(text: str) -> None:
    reply = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    }
    guard = guard_with("No.", dialects="all")
    guarded = await aguard_reply(json.loads(json.dumps(reply)), guard, blocks="text")
    assert "delete_file" not in json.dumps(guarded.reply)
    stream = guard_events(FakeStream(chunks(text)), guard, "openai-chat", blocks="text")
    assert "delete_file" not in texts(await collect(stream))


@pytest.mark.parametrize("max_held", [8 * 1024 * 1024, 1])
@pytest.mark.parametrize("answer", [True, "No."])
async def test_an_event_that_repeats_a_text_has_no_other_call(answer: Any, max_held: int) -> None:
    text = f"One.\n\n{BLOCK}\n\nTwo."
    part = {"item_id": "m", "output_index": 0, "content_index": 0}
    events = [
        {"type": "response.output_text.delta", "delta": text, "sequence_number": 1, **part},
        {"type": "response.output_text.done", "text": text, "sequence_number": 2, **part},
    ]
    guard = guard_with(answer, limits=Limits(max_held=max_held))
    items = await collect(guard_events(FakeStream(events), guard, "openai-responses", blocks="text"))
    said = "".join(item.get("delta", "") for item in items if isinstance(item, dict))
    repeated = next(item["text"] for item in items if isinstance(item, dict) and "text" in item)
    assert (BLOCK in repeated) <= (BLOCK in said)
    assert (BLOCK in said) <= (answer is True)
    assert said == repeated or max_held == 1


@pytest.mark.parametrize(("answer", "sent"), ANSWERS)
async def test_a_reply_that_was_not_streamed_waits_for_its_approval(answer: Any, sent: list[Any]) -> None:
    call = {"id": "x", "type": "function", "function": {"name": "delete_file", "arguments": DELETE[1]}}
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
    reply: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
    }
    guarded = await aguard_reply(json.loads(json.dumps(reply)), guard_with(answer))
    calls = guarded.reply["choices"][0]["message"].get("tool_calls") or []
    assert [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in calls] == sent
    alone = guard_reply(reply, guard_with(answer))
    assert not alone.reply["choices"][0]["message"].get("tool_calls")
    assert [block.executable for block in alone.blocks] == [False]
