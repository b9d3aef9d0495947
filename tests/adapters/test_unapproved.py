"""What leaves the middleware while calls need approvals: nothing that a client could run and nobody has approved."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Guard
from tests.kit.breadth import some
from tests.kit.unapproved import GUARDS, REPLY, STREAMS, WAYS, answered, guards, ours, theirs


@pytest.mark.some
@guards
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.promise("P7")
async def test_no_stream_has_a_call_that_nobody_approved(name: str, guard: Guard) -> None:
    """However its blocks and events are sent; what may run beside it is there."""
    for way in some(WAYS, 2):
        body = await answered(guard, STREAMS[name], format=name, **way)
        assert "secret.txt" not in theirs(body), way
        assert "a.txt" in theirs(body), way
        assert not [one for one in ours(body) if one["tool"] == "delete_file" and one.get("executable")], way


@guards
@pytest.mark.promise("P7")
async def test_no_reply_has_a_call_that_nobody_approved(guard: Guard) -> None:
    for way in WAYS:
        body = await answered(guard, REPLY, **way)
        assert "secret.txt" not in theirs(body), way
        assert not [one for one in ours(body) if one["tool"] == "delete_file" and one.get("executable")], way


async def test_what_was_approved_is_sent() -> None:
    for name, events in STREAMS.items():
        assert "secret.txt" in theirs(await answered(GUARDS["allowed"], events, format=name)), name
    assert "secret.txt" in theirs(await answered(GUARDS["allowed"], REPLY))


@pytest.mark.parametrize("request_tools", ["add", "only"])
async def test_a_tool_of_the_request_with_the_name_of_a_risky_one_needs_its_approval(request_tools: Any) -> None:
    """A client cannot make it harmless by sending it under a schema of its own."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    asked = {"messages": [], "tools": [{"type": "function", "function": {"name": "delete_file", "parameters": schema}}]}
    for guard in (GUARDS["denied"], GUARDS["nobody"]):
        for answer in (STREAMS["openai-chat"], REPLY):
            for blocks in ("events", "text"):
                body = await answered(guard, answer, asked, request_tools=request_tools, blocks=blocks)
                assert "secret.txt" not in theirs(body)
