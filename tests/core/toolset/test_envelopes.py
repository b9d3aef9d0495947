"""Keys of open tools: which of them wrap a call, and which are arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.toolset.envelopes import wraps

OPEN: Any = {"type": "object", "properties": {"path": {"type": "string"}, "input": {}}}
TOOLS = Toolset(Tool("run", "", OPEN, field_aliases={"args": "path"}, risk=Risk.WRITE, handler=lambda arguments: arguments))


def checked(tools: Toolset, call: dict[str, Any]) -> ToolBlock:
    return Guard(tools).check(json.dumps(call))


@pytest.mark.parametrize(
    "key",
    [
        *(
            "input",
            "Inputs",
            "INPUT",
            "in put",
            "inptu",
            "imput",
            "arguments",
            "argumets",
            "argument",
            "$arguments",
            "argum\u0435nts",
        ),
        *(
            "\uff41rgs",
            "parameter",
            "tool_input",
            "toolInput",
            "action-input",
            "tool",
            "toool",
            "t\u043eol",
            "tool\u200c",
            "tool_use",
        ),
        *("function_call", "recipient_name", "tool_names"),
    ],
)
def test_a_key_wraps_a_call_in_any_spelling_and_with_one_slip(key: str) -> None:
    assert wraps(key)


@pytest.mark.parametrize(
    "key",
    [
        *("output", "tools", "pool", "stool", "flags", "target", "name", "function", "action", "path", "text", "arrangement"),
        *("tool_version", "put", "inputs_total", "id", "type", "content", "", "_" * 60 + "input"),
    ],
)
def test_other_words_do_not(key: str) -> None:
    assert not wraps(key)


@pytest.mark.parametrize("key", ["argumets", "$path", "path ", "pa\u200bth", "--path", "\uff50ath", "", "a\x08b"])
def test_such_a_key_of_an_open_tool_is_an_issue_in_every_way_of_calling(key: str) -> None:
    (issue,) = checked(TOOLS, {"tool": "run", key: "x"}).issues
    assert (issue.code, issue.constraint) == ("unknown_field", "envelope")
    assert issue.field == key or not key.isprintable()


@pytest.mark.parametrize(
    "arguments", [{"input": {"a": 1}}, {"args": "x"}, {"data": {"input": 1, "argumets": 2, "": 3}}, {"name": "Bob"}]
)
def test_what_the_tool_lists_or_holds_inside_an_argument_is_data(arguments: dict[str, Any]) -> None:
    assert checked(TOOLS, {"tool": "run", **arguments}).executable


async def test_a_direct_call_refuses_such_a_key_too() -> None:
    assert (await TOOLS.call("run", {"path": "a", "data": 1})).ok
    assert (await TOOLS.call("run", {"argumets": {"path": "a"}})).error is not None


@pytest.mark.parametrize(
    "key", ["decision", "Decision", "result", "error", "exit_code", "exitCode", "stdout", "approved", "is_error"]
)
def test_a_record_of_a_call_is_no_call(key: str) -> None:
    """An audit row has the call's members beside what became of it. A tool that has such an argument lists it."""
    row = {"tool": "run", "path": "a", key: "deny"}
    block = checked(TOOLS, row)
    assert [(issue.code, issue.constraint, issue.field) for issue in block.found] == [("unknown_field", "outcome", key)]
    assert not block.executable
    assert checked(Toolset(Tool("run", "", {"properties": {"path": {}, key: {}}}, risk=Risk.WRITE)), row).executable
    assert checked(Toolset(Tool("run", "", {"type": "object"}, risk=Risk.WRITE)), row).executable  # it lists nothing at all
    assert checked(TOOLS, {"tool": "run", "path": "a", "input": {key: 1}}).executable  # what an argument holds is data


def test_a_closed_schema_says_itself_what_it_does_not_take() -> None:
    closed = Toolset(Tool("run", "", {**OPEN, "additionalProperties": False}))
    assert [issue.constraint for issue in checked(closed, {"tool": "run", "argumets": 1}).issues] == ["additionalProperties"]


@pytest.mark.parametrize(("value", "issues"), [("run", 1), ({"name": "run"}, 1), ("Bob", 0), ({"name": "Bob"}, 0), (7, 0)])
def test_a_second_name_is_an_issue_if_it_is_a_tools(value: Any, issues: int) -> None:
    assert len(checked(TOOLS, {"tool": "run", "function": value}).issues) == issues
