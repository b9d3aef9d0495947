"""Guarded streams as UI message streams and as AG-UI, read by the `ai` package, and by AG-UI's own models and verifier."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter
from stream_guard_adapters.bridges import to_ag_ui, to_ai_sdk
from stream_guard_adapters.events import guard_events

from stream_guard import Guard, Tool
from stream_guard.testing import random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import javascript
from tests.kit.breadth import some
from tests.kit.recordings import Recording
from tests.kit.servers import printed_by

GUARD = Guard(FILE_TOOLS)
EVENTS: TypeAdapter[Any] = TypeAdapter(Event)
BLOCK = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```\n'
WRITTEN = '{"path": "a.txt", "content": "one\\n\\"two\\" é"}'
SAID = f"Hello.\n{BLOCK}Bye."


async def astream(events: Iterable[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


def chat(*texts: str, reason: str | None = "stop") -> list[Any]:
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    end = [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}] if reason else []
    return [*chunks, *end]


def called(*arguments: str, tool: str = "write_file", reason: str = "tool_calls") -> list[Any]:
    def chunk(**function: str) -> Any:
        return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}}]}

    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    return [chunk(name=tool, arguments=""), *(chunk(arguments=piece) for piece in arguments), end]


async def read(
    bridge: Callable[..., AsyncIterator[dict[str, Any]]],
    events: Sequence[Any],
    name: str = "openai-chat",
    guard: Guard = GUARD,
    **settings: Any,
) -> Any:
    return [event async for event in bridge(guard_events(astream(events), guard, name, **settings))]


def text_of(events: Sequence[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] in ("text-delta", "TEXT_MESSAGE_CONTENT"))


async def test_a_block_stands_between_two_texts_of_a_ui_message_stream() -> None:
    events = await read(to_ai_sdk, chat(*SAID))
    kinds = [event["type"] for event in events if event["type"] not in ("text-delta", "data-json-tool-status")]
    assert kinds == [
        "start", "start-step", "text-start", "text-end", "data-json-tool-block", "text-start", "text-end",
        "finish-step", "finish",
    ]  # fmt: skip
    assert text_of(events) == "Hello.\n\nBye."
    assert events[-1]["finishReason"] == "stop"
    assert next(event for event in events if event["type"] == "data-json-tool-block")["data"]["executable"] is True
    assert all(event["transient"] for event in events if event["type"] == "data-json-tool-status")


async def test_a_run_of_ag_ui_has_one_message_and_the_block_as_a_custom_event() -> None:
    events = await read(to_ag_ui, chat(*SAID))
    kinds = [
        event["type"] for event in events if event["type"] != "TEXT_MESSAGE_CONTENT" and event.get("name") != "json-tool-status"
    ]
    assert kinds == ["RUN_STARTED", "TEXT_MESSAGE_START", "CUSTOM", "TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert text_of(events) == "Hello.\n\nBye."
    assert events[0]["runId"] == events[-1]["runId"]


@pytest.mark.parametrize("bridge", [to_ai_sdk, to_ag_ui])
async def test_a_native_call_is_sent_fixed_and_whole(bridge: Any) -> None:
    events = await read(bridge, called('{"path": "a.txt", "content', '": "x",}'))
    (name, given), *_ = [
        (event.get("toolName") or event.get("toolCallName"), event)
        for event in events
        if event["type"] in ("tool-input-available", "TOOL_CALL_START")
    ]
    assert name == "write_file"
    if bridge is to_ai_sdk:
        assert given["input"] == {"path": "a.txt", "content": "x"}
        assert events[-1]["finishReason"] == "tool-calls"
    else:
        (said,) = [event["delta"] for event in events if event["type"] == "TOOL_CALL_ARGS"]
        assert json.loads(said) == {"path": "a.txt", "content": "x"}


@pytest.mark.parametrize("bridge", [to_ai_sdk, to_ag_ui])
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
async def test_a_native_call_that_was_cut_off_is_left_out(bridge: Any, native: str) -> None:
    events = await read(bridge, called('{"path": "a.txt", "content": "x"}', reason="length"), native=native)
    assert not [event for event in events if event["type"].startswith(("tool-input", "TOOL_CALL"))]
    events = await read(bridge, called('{"path": "a.txt", "content": "x"}')[:-1], native=native)
    assert not [event for event in events if event["type"].startswith(("tool-input", "TOOL_CALL"))]


PREVIEWS = Guard(FILE_TOOLS, preview=True)
CODE = 'if x < 1:\n\treturn {"a": [1, "é🎉\\n"]}\n'


def typed(events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The arguments of each call as they came in pieces."""
    found: dict[str, str] = {}
    for event in events:
        if event["type"] == "tool-input-delta":
            found[event["toolCallId"]] = found.get(event["toolCallId"], "") + event["inputTextDelta"]
    return found


@pytest.mark.parametrize("promote", [False, True])
async def test_a_call_is_shown_while_it_is_written_and_replaced_by_the_whole_one(promote: bool) -> None:
    """Its pieces are JSON that lacks only its last bracket. AG-UI, which takes no piece back, has one."""
    arguments = {"path": "a.txt", "content": CODE}
    written = json.dumps(arguments, ensure_ascii=False)
    if promote:
        events = chat(*f"Hello.\n```json\n{json.dumps({'tool': 'write_file', **arguments}, ensure_ascii=False)}\n```\n")
    else:
        events = called(*written)
    ui = await read(to_ai_sdk, events, guard=PREVIEWS, promote=promote)
    ((known, text),) = typed(ui).items()
    assert text == written[:-1]
    kinds = [event["type"] for event in ui if event["type"].startswith("tool-input")]
    assert kinds[0] == "tool-input-start"
    assert kinds[1:] == ["tool-input-delta"] * (len(kinds) - 2) + ["tool-input-available"]
    assert len(kinds) > len(CODE) // 2
    (whole,) = [event for event in ui if event["type"] == "tool-input-available"]
    assert (whole["toolCallId"], whole["input"]) == (known, arguments)
    run = await read(to_ag_ui, events, guard=PREVIEWS, promote=promote)
    assert [json.loads(event["delta"]) for event in run if event["type"] == "TOOL_CALL_ARGS"] == [arguments]


async def test_a_mended_call_replaces_what_was_shown_of_it() -> None:
    ui = await read(to_ai_sdk, called('{"path": "a.txt", "content": "x", "content_type": ', "None}"), guard=PREVIEWS)
    events = [event for event in ui if event["type"].startswith("tool-input")]
    assert events[0]["type"] == "tool-input-start"
    assert events[-1]["type"] in ("tool-input-available", "tool-input-error")
    assert len({event["toolCallId"] for event in events}) == 1


@pytest.mark.parametrize("reason", ["length", ""])
async def test_a_call_that_was_shown_and_is_not_sent_ends_as_an_error(reason: str) -> None:
    events = called(*'{"path": "a.txt", "content": "x"}', reason=reason)
    ui = await read(to_ai_sdk, events if reason else events[:-1], guard=PREVIEWS)
    (*_, last) = [event for event in ui if event["type"].startswith("tool-input")]
    assert (last["type"], last["errorText"]) == ("tool-input-error", "The call was not sent")
    assert not [event for event in ui if event["type"] == "tool-input-available"]


@pytest.mark.parametrize("bridge", [to_ai_sdk, to_ag_ui])
async def test_calls_that_share_an_id_are_two_calls(bridge: Any) -> None:
    """As some servers number them. Each has an id of its own in what is sent."""
    calls = [
        {"index": index, "id": "call_0", "type": "function", "function": {"name": "weather", "arguments": '{"at": "x"}'}}
        for index in range(2)
    ]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    events = await read(bridge, [*({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]} for call in calls), end])
    ids = [event["toolCallId"] for event in events if event["type"] in ("tool-input-available", "TOOL_CALL_START")]
    assert len(ids) == len({*ids}) == 2


async def test_an_id_that_has_ended_does_not_begin_again() -> None:
    """The call that is shown is the second of two with one id, and the first has another name."""
    schema = {"type": "object", "properties": {"at": {"type": "string"}}}
    guard = Guard([Tool("get_weather", "Tell.", schema), Tool("delete", "Delete.", schema)], preview=True)
    events = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "id": "t0", "function": function}]}}]}
        for index, name in enumerate(("getWeather", "delete"))
        for function in ({"name": name, "arguments": ""}, *({"arguments": sign} for sign in '{"at": "x"}'))
    ]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    ui = [event for event in await read(to_ai_sdk, [*events, end], guard=guard) if event["type"].startswith("tool-input")]
    begun = [event["toolCallId"] for event in ui if event["type"] == "tool-input-start"]
    assert len(begun) == len({*begun}) == 3
    ended = [
        (event["type"], event["toolName"]) for event in ui if event["type"] not in ("tool-input-start", "tool-input-delta")
    ]
    assert ended == [
        ("tool-input-error", "delete"),
        ("tool-input-available", "get_weather"),
        ("tool-input-available", "delete"),
    ]


async def test_a_block_that_is_not_sent_as_a_native_call_is_not_shown_as_one() -> None:
    for text in (SAID, SAID.replace("write_file", "delete_file")):
        assert typed(await read(to_ai_sdk, chat(*text), guard=PREVIEWS)) == {}


async def test_a_private_field_is_not_shown_while_it_is_written() -> None:
    schema = {"type": "object", "properties": {"user": {"type": "string"}, "token": {"type": "string"}}, "required": ["user"]}
    guard = Guard([Tool("log_in", "Log in.", schema, private={"token"})], preview=True)
    for token in ('"token"', '"api_token"', '"Token"'):
        for reason in ("tool_calls", "length"):
            events = called(*f'{{{token}: "s3cr3t", "user": "x"}}', tool="log_in", reason=reason)
            ui = await read(to_ai_sdk, events, guard=guard)
            assert typed(ui) == {"c1": '{"user": "x"'}
            assert "s3cr3t" not in json.dumps(
                [event for event in ui if event["type"] in ("tool-input-delta", "data-json-tool-status")]
            )


def in_gemini(arguments: Any) -> list[Any]:
    parts = [{"functionCall": {"name": "log_in", "args": arguments}}]
    return [{"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}]}]


def in_ollama(arguments: Any) -> list[Any]:
    call = {"function": {"name": "log_in", "arguments": arguments}}
    return [{"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": True}]


def in_chat(arguments: Any) -> list[Any]:
    return called(*json.dumps(arguments), tool="log_in")


@pytest.mark.parametrize("previews", [True, False])
@pytest.mark.parametrize(
    "arguments", [{"user": "x", "token": "s3cr3t"}, {"token": "s3cr3t"}, {"user": {"token": "s3cr3t"}}, {"user": ["s3cr3t"]}]
)
@pytest.mark.parametrize(("made", "protocol"), [(in_gemini, "gemini"), (in_ollama, "ollama"), (in_chat, "openai-chat")])
async def test_no_piece_of_a_call_and_no_status_has_a_private_field(
    made: Any, protocol: Any, arguments: dict[str, Any], previews: bool
) -> None:
    """Also where nothing was shown of the call before it was whole."""
    schema = {"type": "object", "properties": {"user": {"type": "string"}, "token": {"type": "string"}}}
    guard = Guard([Tool("log_in", "Log in.", schema, private={"token"})], preview=previews)
    for bridge in (to_ai_sdk, to_ag_ui):
        events = await read(bridge, made(arguments), protocol, guard)
        assert "s3cr3t" in json.dumps(events)  # the call itself has it
        shown = [event for event in events if event["type"] == "tool-input-delta" or "status" in json.dumps(event)[:80]]
        assert "s3cr3t" not in json.dumps(shown)


async def test_arguments_that_are_no_json_are_an_error_of_the_input() -> None:
    (event,) = [event for event in await read(to_ag_ui, called("no", tool="weather")) if event["type"] == "CUSTOM"]
    assert (event["name"], event["value"]["input"]) == ("tool-input-error", "no")
    events = await read(to_ai_sdk, called("no", tool="weather"))
    (failed,) = [event for event in events if event["type"].startswith("tool-input")]
    assert (failed["type"], failed["input"]) == ("tool-input-error", "no")


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity"])
@pytest.mark.parametrize("tool", ["pay", "unknown"])
async def test_arguments_that_cannot_be_written_as_json_are_an_error_of_the_input(tool: str, number: str) -> None:
    guard = Guard([Tool("pay", "Pay.", {"type": "object", "properties": {"n": {"type": "number"}}})])
    written = f'{{"n": {number}}}'
    events = await read(to_ai_sdk, called(written, tool=tool), guard=guard)
    json.dumps(events, allow_nan=False)
    (failed,) = [event for event in events if event["type"].startswith("tool-input")]
    assert (failed["type"], failed["input"]) == ("tool-input-error", written)


@pytest.mark.parametrize("bridge", [to_ai_sdk, to_ag_ui])
async def test_a_call_written_as_text_is_a_native_call_with_promote(bridge: Any) -> None:
    events = await read(bridge, chat(*SAID), promote=True)
    assert [event["type"] for event in events if event["type"] in ("tool-input-available", "TOOL_CALL_END")] != []
    events = await read(bridge, chat(*SAID))
    assert [event["type"] for event in events if event["type"] in ("tool-input-available", "TOOL_CALL_END")] == []


@pytest.mark.parametrize(("bridge", "end"), [(to_ai_sdk, "finish"), (to_ag_ui, "RUN_ERROR")])
async def test_a_failure_is_told_without_its_words_and_closes_what_is_open(
    bridge: Any, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing() -> AsyncIterator[Any]:
        yield chat("Hello")[0]
        raise OSError("secret")

    events = [event async for event in bridge(guard_events(failing(), GUARD, "openai-chat"))]
    assert events[-1]["type"] == end
    assert {"text-end", "TEXT_MESSAGE_END"} & {event["type"] for event in events}
    assert "secret" not in json.dumps(events) + caplog.text
    assert "a stream failed: OSError" in caplog.text


def test_a_stream_that_is_not_guarded_is_refused() -> None:
    for bridge in (to_ai_sdk, to_ag_ui):
        with pytest.raises(TypeError, match="guard_chat or guard_events"):
            bridge(iter(()))  # type: ignore[arg-type]  # what is tested


@pytest.mark.some
async def test_the_real_readers_accept_every_recording(recordings: list[Recording], tmp_path: Path) -> None:
    """They read the same text, the same calls and as many blocks, and AG-UI's own models take every event."""
    recordings = some(recordings, 90, kind=lambda recording: Path(recording[0]).parent)
    ai_sdk = [await read(to_ai_sdk, events, table.name) for _, table, events in recordings]
    ag_ui = [await read(to_ag_ui, events, table.name) for _, table, events in recordings]
    shown = [await read(to_ai_sdk, events, table.name, guard=PREVIEWS) for _, table, events in recordings]
    promoted = [
        await read(to_ai_sdk, chat(*random_split), guard=PREVIEWS, promote=True)
        for random_split in random_splits(f"Hello.\n{BLOCK}Then\n{BLOCK.replace('a.txt', 'b.txt')}{BLOCK[:-9]}", 20)
    ]
    native = [await read(to_ai_sdk, called(*random_split), guard=PREVIEWS) for random_split in random_splits(WRITTEN, 20)]
    for events in ag_ui:
        for event in events:
            EVENTS.validate_python(event)
    program = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    shutil.copy(Path(__file__).parents[1] / "js" / "bridges.mjs", tmp_path / "bridges.mjs")
    given = json.dumps({"aiSdk": [*ai_sdk, *shown, *promoted, *native], "agUi": ag_ui})
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, str(tmp_path / "bridges.mjs"), stdin=pipe, stdout=pipe, stderr=pipe)
    out, errors = await printed_by(process, given.encode())
    assert process.returncode == 0, errors.decode()
    found = json.loads(out)
    count = len(recordings)
    for (path, _, _), ui, previewed in zip(recordings, found["aiSdk"], found["aiSdk"][count:], strict=False):
        assert ui == previewed, path
    for ui in found["aiSdk"][2 * count :]:
        assert [call for call, _ in ui["calls"]] in (["write_file"], ["write_file", "write_file"]), ui
    for (path, _, _), ui, run in zip(recordings, found["aiSdk"][:count], found["agUi"], strict=True):
        assert "error" not in ui, (path, ui)
        assert "error" not in run, (path, run)
        assert ui == run, path
    assert sum(len(each["calls"]) for each in found["aiSdk"]) > 10
    assert sum(bool(each["text"]) for each in found["aiSdk"]) > 50
