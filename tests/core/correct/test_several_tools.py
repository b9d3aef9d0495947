"""A block whose word may mean several tools: the corrector says which, and only one that the word may mean is taken."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard, Risk, Tool, ToolBlock, Toolset, correction_prompt
from stream_guard.testing import FakeCorrector, FakeStream, collect

Call = dict[str, Any]
S: Final[Call] = {"type": "string"}


def tool(name: str, *fields: str, risk: Risk = Risk.WRITE, aliases: tuple[str, ...] = ()) -> Tool:
    schema = {"type": "object", "properties": dict.fromkeys(fields, S), "required": list(fields), "additionalProperties": False}
    return Tool(name, "", schema, risk=risk, aliases=aliases)


TOOLS: Final = Toolset(
    tool("write_file", "path", "content"),
    tool("write_note", "table", "content"),
    tool("write_off_debt", "table", "content"),
    tool("append_file", "path", "content", aliases=("add_text",)),
    tool("delete_file", "path", risk=Risk.DESTRUCTIVE),
    tool("delete_note", "path"),
    tool("turn_on", "path"),
    tool("turn_off", "path"),
    tool("send_mail", "to", "body"),
    tool("send_mail_to_all", "to", "body"),
    tool("order_2", "path"),
)

WRITE: Final = {"path": "a.txt", "content": "x"}


@pytest.mark.parametrize(
    ("word", "candidates"),
    [
        ("write", ("write_file", "write_note")),
        ("Write", ("write_file", "write_note")),
        ("functions.write", ("write_file", "write_note")),
        ("add", ("append_file",)),
        ("delete", ("delete_note",)),
        ("writeFile", ("write_file",)),
        ("send", ("send_mail",)),
        *((word, ()) for word in ("turn", "file", "note", "order", "writ", "rewrite", "write_text_note", "", "_", "wrong")),
    ],
)
def test_a_word_may_mean_the_tools_whose_name_it_shortens(word: str, candidates: tuple[str, ...]) -> None:
    """The first word of their name, which says what to do; and none that is destructive, or does the opposite of another."""
    assert tuple(each.name for each in TOOLS.possible(word)) == candidates


def answered(body: str, answer: Call | str) -> tuple[ToolBlock, list[CorrectionRequest]]:
    async def run() -> list[Any]:
        return await collect(guard.stream(FakeStream([f"`````json\n{body}\n`````\n"])))

    corrector = FakeCorrector(answer if isinstance(answer, str) else json.dumps(answer))
    guard = Guard(TOOLS, corrector=corrector, correction=CorrectionPolicy(max_attempts=1))
    (block,) = [item for item in asyncio.run(run()) if isinstance(item, ToolBlock)]
    return block, corrector.requests


BODIES: Final = (
    json.dumps({"tool": "write", **WRITE}),
    '{"tool": "write", "path": "a.txt", "content": "x",}',
    '{"tool": "write", path: a.txt, content: x}',
)
"""JSON, what can be read as JSON, and what cannot."""


@pytest.mark.parametrize("body", BODIES)
def test_the_corrector_is_asked_which_tool_is_meant(body: str) -> None:
    block, (request,) = answered(body, {"tool": "write_file", **WRITE})
    assert block.executable, block.attempts
    assert (block.tool, block.arguments) == ("write_file", {"tool": "write_file", **WRITE})
    assert (request.tool, request.schema, request.candidates) == (None, None, ("write_file", "write_note"))
    prompt = correction_prompt(request)
    assert "✓ Tool must be: write_file or write_note\n" in prompt
    assert "append_file" not in prompt.partition("EXPECTED FORMAT")[2]


HOSTILE: Final = (
    {"tool": "append_file", **WRITE},  # takes the same fields
    {"tool": "write_note", "table": "a.txt", "content": "x"},  # may be meant, but of another field
    {"tool": "write_off_debt", "table": "a.txt", "content": "x"},
    {"tool": "write_file", "path": "b.txt", "content": "x"},
    {"tool": "write_file", "path": "a.txt", "content": ""},
    {"tool": "delete_file", "path": "a.txt"},
    {"tool": "delete_note", "path": "a.txt"},
    {"tool": "turn_on", "path": "a.txt"},
    {"tool": "send_mail", "to": "a.txt", "body": "x"},
    {"tool": "unknown", **WRITE},
)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: str(answer["tool"]))
def test_a_hostile_answer_does_not_run(answer: Call, cases: Any) -> None:
    """No tool that the word cannot mean, and none with other values."""
    for body in BODIES:
        block, _ = answered(body, answer)
        assert not block.executable, body
    cases(len(BODIES))


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"tool": "delete", "path": "a"}, {"tool": "delete_file", "path": "a"}),
        ({"tool": "turn", "path": "a"}, {"tool": "turn_off", "path": "a"}),
        ({"tool": "send", "to": "a", "body": "x"}, {"tool": "send_mail_to_all", "to": "a", "body": "x"}),
        ({"tool": "write", "name": "send_mail", **WRITE}, {"tool": "write_file", **WRITE}),
        # its fields are of two tools: whichever is answered, something written is dropped
        ({"tool": "write", **WRITE, "table": "t"}, {"tool": "write_file", **WRITE}),
        ({"tool": "write", **WRITE, "table": "t"}, {"tool": "write_note", "table": "t", "content": "x"}),
        ({"tool": "write_file", "table": "t", "content": "x"}, {"tool": "write_note", "table": "t", "content": "x"}),
    ],
)
def test_half_a_name_gives_no_other_authority(body: Call, answer: Call) -> None:
    assert not answered(json.dumps(body), answer)[0].executable
