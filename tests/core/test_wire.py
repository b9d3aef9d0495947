"""Events as they travel."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from stream_guard import (
    AutoFix,
    BlockOutput,
    Guard,
    RetryHint,
    Safety,
    ToolBlock,
    ToolResult,
    ToolStatus,
    ValidationIssue,
    wire,
)
from stream_guard.command.cli import main
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.documents import documents

STATUS = ToolStatus("s-1", 1, "buffering", "write_file", "a.txt", received=10)
BLOCK = ToolBlock(
    "s-1",
    2,
    "write_file",
    "a.txt",
    {"tool": "write_file", "some_key": {"snake_case": None}},
    "c",
    "r",
    validation_passed=True,
    corrected=True,
    corrected_by="fixes",
    found=(ValidationIssue("syntax", "m", expected={"a_b": 1}, line=1, column=2, offset=3),),
    fixes=(AutoFix("quotes", "SYNTAX_REPAIR", "d", "a.b", None, "x", 0.9, Safety.LIKELY),),
    hint=RetryHint("invalid_arguments", "correct_call", "write_file", "p", "m", fields=("content",), example_input={"a_b": 1}),
)


RESULT = ToolResult("s-1", 2, "call_s-1_2", True, '{"rows": 1}', "count", {"some_rows": 1, "none": None})
FAILED = ToolResult("s-1", 1, "call_s-1_1", False, "not run", hint=BLOCK.hint)


def test_a_result_has_the_names_of_the_contract_and_its_payload_keeps_its_own() -> None:
    """A result of the run loop is sent as it is yielded."""
    data = {"id": "s-1", "part": 2, "callId": "call_s-1_2", "ok": True, "text": '{"rows": 1}', "tool": "count"}
    assert wire.name(RESULT) == "json-tool-result"
    assert wire.to_dict(RESULT) == {**data, "payload": {"some_rows": 1, "none": None}}
    output = BlockOutput({"some_key": None}, block=BLOCK)
    assert wire.name(output) == "json-tool-result"
    assert wire.to_dict(output) == {
        "id": "s-1",
        "part": 1,
        "callId": "call_s-1_1",
        "ok": True,
        "tool": "write_file",
        "text": '{"some_key": null}',
        "payload": {"some_key": None},
    }


def test_a_status_has_the_names_of_the_contract() -> None:
    """camelCase, and what is None is left out."""
    assert wire.name(STATUS) == "json-tool-status"
    assert wire.to_dict(STATUS) == {
        "id": "s-1", "seq": 1, "status": "buffering", "toolType": "write_file", "path": "a.txt", "received": 10,
    }  # fmt: skip


def test_a_block_has_the_names_of_the_contract_and_the_models_own_keys_stay() -> None:
    """Only our names are respelt."""
    data = wire.to_dict(BLOCK)
    assert wire.name(BLOCK) == "json-tool-block"
    assert data["validationPassed"] is True
    assert data["correctedBy"] == "fixes"
    assert data["endCause"] == "closed"
    assert data["outcome"] == "failed"
    assert data["arguments"] == {"tool": "write_file", "some_key": {"snake_case": None}}
    assert data["fixes"][0]["safety"] == "LIKELY"
    assert data["found"][0]["expected"] == {"a_b": 1}
    assert data["hint"]["exampleInput"] == {"a_b": 1}


@pytest.mark.parametrize("event", [STATUS, BLOCK, RESULT, FAILED])
def test_an_event_comes_back_as_it_left(event: Any) -> None:
    """Through JSON and the fields of a server-sent event."""
    fields = wire.to_sse(event)
    assert wire.from_json(fields["event"], fields["data"]) == event


@given(documents())
def test_every_event_is_one_line_and_comes_back(text: str) -> None:
    """Whatever a model wrote, it cannot end the line."""
    for item in Guard(FILE_TOOLS, untagged="validate").scan(text):
        if not isinstance(item, str):
            fields = wire.to_sse(item)
            assert fields["data"].isascii()
            assert fields["data"].isprintable()
            assert wire.from_json(fields["event"], fields["data"]) == item
            assert type(item).from_dict(json.loads(json.dumps(item.to_dict()))) == item


def test_half_a_surrogate_pair_travels() -> None:
    """JSON escapes it."""
    event = ToolStatus("s", 1, "buffering", path="\ud800")
    wire.to_json(event).encode()
    assert json.loads(wire.to_json(event))["path"] == "\ud800"


@pytest.mark.parametrize(
    ("kind", "data"),
    [("nope", {}), ("json-tool-status", {"id": "x"}), ("json-tool-block", {"found": [1]}), ("json-tool-result", {})],
)
def test_what_is_no_event_is_refused(kind: str, data: Any) -> None:
    """With a ValueError, whatever is wrong."""
    with pytest.raises(ValueError, match=r"unknown event|invalid data for a json-tool"):
        wire.from_dict(kind, data)


def test_a_block_without_a_hint_comes_back_without_one() -> None:
    block = ToolBlock("s-1", 2, None, None, None, "c", "r", validation_passed=True)
    assert wire.from_dict("json-tool-block", wire.to_dict(block)) == block


SCHEMA = json.loads(resources.files("stream_guard").joinpath("events.schema.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """A schema whose objects take no member that they do not name."""
    if isinstance(schema, dict):
        made = {key: closed(item) for key, item in schema.items()}
        return {**made, "additionalProperties": False} if "properties" in schema else made
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def test_the_schema_of_the_events_takes_every_event_and_names_every_member() -> None:
    valid = Draft202012Validator(closed(SCHEMA))
    guard = Guard(FILE_TOOLS, progress=4, preview=True, early="announce")
    texts = [
        '```json\n{"tool": "write_file", "path": "a.txt", "content": "x",}\n```\n',
        '```json\n{"tool": "write_file", "path": "a.txt"}\n```\n',
        '```json\n{"tool": "nonsense", "arguments": {"path": 1}}\n```\n',
        '```json\n{"tool": "edit_file", "path": "a", "search_replace": {"old_string": "a"',
        '```json\n{"name": "x", "version": 1}\n```\n',
        '```json\n{"tool": "delete_file", "path": "a"}\n```\n',
        '```json\n{"tool": "delete_file", "path": "a"}, {"tool": "delete_file", "path": "../b"}\n```\n',
    ]
    events = [item for text in texts for item in guard.scan(text) if not isinstance(item, str)]
    assert {event.outcome for event in events if isinstance(event, ToolBlock)} == {"valid", "fixed", "failed"}
    for event in (STATUS, BLOCK, RESULT, FAILED, *events):
        assert [error.message for error in valid.iter_errors(wire.to_dict(event))] == []


@pytest.mark.parametrize("member", ["id", "seq", "status"])
def test_the_schema_of_the_events_refuses_what_is_none(member: str) -> None:
    data = wire.to_dict(STATUS)
    del data[member]
    assert not Draft202012Validator(SCHEMA).is_valid(data)
    assert not Draft202012Validator(SCHEMA).is_valid({**wire.to_dict(STATUS), "status": "asleep"})


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
