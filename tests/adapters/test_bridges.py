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

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import javascript
from tests.kit.recordings import Recording

GUARD = Guard(FILE_TOOLS)
EVENTS: TypeAdapter[Any] = TypeAdapter(Event)
BLOCK = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```\n'
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
    bridge: Callable[..., AsyncIterator[dict[str, Any]]], events: Sequence[Any], name: str = "openai-chat", **settings: Any
) -> Any:
    return [event async for event in bridge(guard_events(astream(events), GUARD, name, **settings))]


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


async def test_arguments_that_are_no_json_are_an_error_of_the_input() -> None:
    (event,) = [event for event in await read(to_ag_ui, called("no", tool="weather")) if event["type"] == "CUSTOM"]
    assert (event["name"], event["value"]["input"]) == ("tool-input-error", "no")
    events = await read(to_ai_sdk, called("no", tool="weather"))
    (failed,) = [event for event in events if event["type"].startswith("tool-input")]
    assert (failed["type"], failed["input"]) == ("tool-input-error", "no")


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


async def test_the_real_readers_accept_every_recording(recordings: list[Recording], tmp_path: Path) -> None:
    """They read the same text, the same calls and as many blocks, and AG-UI's own models take every event."""
    ai_sdk = [await read(to_ai_sdk, events, table.name) for _, table, events in recordings]
    ag_ui = [await read(to_ag_ui, events, table.name) for _, table, events in recordings]
    for events in ag_ui:
        for event in events:
            EVENTS.validate_python(event)
    program = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    shutil.copy(Path(__file__).parents[1] / "js" / "bridges.mjs", tmp_path / "bridges.mjs")
    given = json.dumps({"aiSdk": ai_sdk, "agUi": ag_ui})
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, str(tmp_path / "bridges.mjs"), stdin=pipe, stdout=pipe, stderr=pipe)
    out, errors = await process.communicate(given.encode())
    assert process.returncode == 0, errors.decode()
    found = json.loads(out)
    for (path, _, _), ui, run in zip(recordings, found["aiSdk"], found["agUi"], strict=True):
        assert "error" not in ui, (path, ui)
        assert "error" not in run, (path, run)
        assert ui == run, path
    assert sum(len(each["calls"]) for each in found["aiSdk"]) > 10
    assert sum(bool(each["text"]) for each in found["aiSdk"]) > 50
