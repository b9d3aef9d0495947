"""Native calls in the protocols of Gemini, Ollama, the AI SDK and AG-UI: treated as those of the other providers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from stream_guard_adapters.engine.settings import Native
from stream_guard_adapters.events import guard_reply
from stream_guard_conformance.corpus.native import MAKERS, Event, Given, ag_ui, ai_sdk, chat, gemini, messages, ollama, read

from stream_guard import Guard, Limits, ToolStatus
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import previewed
from tests.kit.merged import merged
from tests.kit.more_calls import (
    CALLS,
    DELETED,
    GUARD,
    IN_PIECES,
    OBJECTS,
    OTHER_NAMES,
    RIO,
    THROUGH,
    WRITTEN,
    WRONG,
    as_objects,
    blocks,
    guarded,
    said,
    sent,
)
from tests.kit.native_calls import ARGUMENTS, DELETE, GOOD, WEATHER


@pytest.mark.parametrize("protocol", THROUGH)
@pytest.mark.parametrize("name", CALLS)
async def test_the_real_clients_read_the_calls_that_were_sent_on(name: str, protocol: str) -> None:
    """Fixed where that is certain; one that failed as it was written, or not at all where it is withheld."""
    calls, executable, mended, withheld = CALLS[name]
    for native, wanted in (("mend", mended), ("withhold", withheld)):
        events = MAKERS[protocol](calls)
        items = await guarded(events, protocol, native=native)
        assert [block.executable for block in blocks(items)] == executable
        made = await THROUGH[protocol](events, GUARD, native=native)
        assert sorted(made, key=str) == sorted(wanted, key=str)  # one that is not held overtakes one that is
        assert sorted(said(sent(items)), key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("protocol", MAKERS)
async def test_a_stream_of_valid_calls_differs_in_nothing_but_the_pieces(protocol: str) -> None:
    """Signatures, usage and whatever stands beside a call stay; calls of other tools pass as the very objects."""
    events = MAKERS[protocol]([("write_file", GOOD), DELETE])
    items = sent(await guarded(events, protocol))
    if protocol in OBJECTS:
        assert json.dumps(items).count("c2lnbmVk") == json.dumps(events).count("c2lnbmVk")
    assert said(items) == said(events)
    assert items[0] == events[0]
    assert items[-1] == events[-1]
    events = MAKERS[protocol]([WEATHER, WEATHER])
    items = await guarded(events, protocol)
    assert all(one is other for one, other in zip(items, events, strict=True))


@pytest.mark.parametrize("protocol", MAKERS)
async def test_calls_may_be_observed_or_left_alone(protocol: str) -> None:
    """Then every event passes as it came."""
    events = MAKERS[protocol]([WRONG, ("create_file", GOOD)])
    settings: list[tuple[Native, list[bool]]] = [("observe", [False, False]), ("off", [])]
    for native, told in settings:
        items = await guarded(events, protocol, native=native)
        assert all(one is other for one, other in zip(sent(items), events, strict=True))
        assert [block.executable for block in blocks(items)] == told


@pytest.mark.parametrize("protocol", MAKERS)
async def test_the_name_and_the_path_of_a_call_are_announced_before_it(protocol: str) -> None:
    """And the previewed field, as it comes, as for a block in the text."""
    guard = Guard(FILE_TOOLS, preview="content", progress=5)
    for native in ("mend", "observe"):
        items = await guarded(MAKERS[protocol]([("write_file", GOOD)]), protocol, guard, native=native)
        statuses = [item for item in items if isinstance(item, ToolStatus)]
        assert (statuses[0].status, statuses[0].tool_type, statuses[0].path) == ("buffering", "write_file", None)
        assert (statuses[1].status, statuses[1].tool_type, statuses[1].path) == ("buffering", "write_file", "a.txt")
        assert previewed(change for status in statuses for change in status.preview or ()) == {"content": ARGUMENTS["content"]}
        assert statuses[-1].status == "validating"
        assert [status.seq for status in statuses] == sorted(status.seq for status in statuses)


@pytest.mark.parametrize("protocol", IN_PIECES)
@pytest.mark.promise("P7")
async def test_a_call_that_was_cut_off_is_never_sent_on(protocol: str) -> None:
    """Wherever it was cut. Its client hears nothing of it, and of those before and behind it all."""
    for cut in range(1, len(GOOD)):
        items = await guarded(MAKERS[protocol]([DELETE, ("write_file", GOOD[:cut])]), protocol)
        first, second = blocks(items)
        assert (first.executable, second.executable, second.end_cause) == (True, False, "disconnect")
        assert said(sent(items)) == [DELETED]
        assert "t1" not in json.dumps(sent(items))
    items = await guarded(MAKERS[protocol]([("write_file", GOOD[:-1]), DELETE]), protocol)
    assert said(sent(items)) == [DELETED]


REASONS: dict[str, dict[str, str | None]] = {
    "openai-chat": {"length": "length", "filter": "content_filter", "none": None},
    "anthropic": {"length": "max_tokens", "filter": "refusal", "none": None},
    "gemini": {"length": "MAX_TOKENS", "filter": "PROHIBITED_CONTENT", "none": None},
    "ollama": {"length": "length", "none": None},
}


@pytest.mark.parametrize("protocol", REASONS)
@pytest.mark.promise("P7")
async def test_of_a_message_that_was_cut_off_only_the_last_call_is_left_out(protocol: str) -> None:
    """The model had ended those before it, if their JSON is whole. If a filter stopped it, or it has no end, all are."""
    make: Any = {"openai-chat": chat, "anthropic": messages, **MAKERS}[protocol]
    calls = [("write_file", GOOD), DELETE, DELETE]
    for why, finish in REASONS[protocol].items():
        last: list[Given] = [DELETE] if protocol in OBJECTS else [("write_file", GOOD[:20])]
        for behind in ([DELETE], last):
            items = await guarded(make([*calls[:2], *behind], finish), protocol)
            wanted = [True, True, False] if why == "length" else [False] * 3
            assert [block.executable for block in blocks(items)] == wanted
    if protocol not in OBJECTS:  # a call in the middle that has no end
        items = await guarded(make([DELETE, ("write_file", GOOD[:20]), DELETE, DELETE], "length"), protocol)
        assert [block.executable for block in blocks(items)][:3] == [True, False, True]


@pytest.mark.parametrize("protocol", MAKERS)
async def test_a_call_over_the_limit_is_not_sent_on(protocol: str) -> None:
    """Nor what comes of it later; and the stream goes on."""
    guard = Guard(FILE_TOOLS, limits=Limits(max_block=20))
    items = await guarded(MAKERS[protocol]([("write_file", GOOD), DELETE]), protocol, guard)
    assert [(block.executable, block.end_cause) for block in blocks(items)] == [(False, "oversize"), (True, "closed")]
    assert said(sent(items)) == [DELETED]
    assert "a.txt" not in json.dumps(sent(items))


@pytest.mark.parametrize("protocol", MAKERS)
@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_correction_is_waited_for(protocol: str, order: Any) -> None:
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector('{"tool": "write_file", "path": "a.txt", "content": "x"}'), order=order)
    events = MAKERS[protocol]([WRONG])
    items = await guarded(events, protocol, guard)
    assert [(block.executable, block.corrected_by) for block in blocks(items)] == [(True, "llm")]
    assert said(sent(items)) == [("write_file", {"path": "a.txt", "content": "x"})]
    assert items[-1] == events[-1]


TEXT = 'Hi\n```json\n{"tool": "delete_file", "path": "b",}\n```\n'


@pytest.mark.parametrize("protocol", MAKERS)
async def test_a_call_in_the_text_is_promoted(protocol: str) -> None:
    """Behind the native ones; once, and for the real clients."""
    events = MAKERS[protocol]([("write_file", GOOD), WEATHER], text=TEXT)
    items = sent(await guarded(events, protocol, promote=True, blocks="text"))
    assert sorted(said(items), key=str) == sorted([WRITTEN, RIO, DELETED], key=str)
    assert said(items)[-1] == DELETED
    assert items[-1] == events[-1]
    if protocol in THROUGH:
        assert (await THROUGH[protocol](events, GUARD, promote=True))[-1] == DELETED


async def test_a_promoted_call_makes_the_finish_reason_of_it() -> None:
    items = sent(await guarded(ai_sdk([], "stop", text=TEXT), "ai-sdk", promote=True, blocks="text"))
    assert items[-1] == {"type": "finish", "finishReason": "tool-calls"}


async def test_a_message_without_a_call_does_not_say_that_it_has_one() -> None:
    for calls, native, reason in (
        ([("write_file", GOOD[:9])], "mend", "length"),
        ([WRONG], "mend", "tool-calls"),
        ([WRONG], "withhold", "stop"),
        ([WRONG, WEATHER], "withhold", "tool-calls"),
    ):
        items = sent(await guarded(ai_sdk(calls), "ai-sdk", native=native))
        assert items[-1]["finishReason"] == reason


async def test_nothing_is_said_of_a_call_that_was_not_sent_on() -> None:
    """Its result would be that of a call that no client knows."""
    at = {"toolCallId": "t0"}
    for calls, left in (([WRONG], 0), ([DELETE], 1)):
        events = ai_sdk(calls)
        events[-2:-2] = [{"type": "tool-output-available", **at, "output": 3}]
        items = sent(await guarded(events, "ai-sdk", native="withhold"))
        assert sum(item["type"] == "tool-output-available" for item in items) == left
        run = ag_ui(calls)
        call = {"id": "t0", "type": "function", "function": {"name": calls[0][0], "arguments": calls[0][1]}}
        other = {"id": "old", "type": "function", "function": {"name": "write_file", "arguments": "{}"}}
        spoken = {"id": "m", "role": "assistant", "toolCalls": [other, call]}
        result = {"role": "tool", "content": "3", **at}
        run[-1:-1] = [
            {"type": "TOOL_CALL_RESULT", "messageId": "n", **at, "content": "3"},
            {"type": "MESSAGES_SNAPSHOT", "messages": [spoken, {**result, "id": "n"}]},
        ]
        items = sent(await guarded(run, "ag-ui", native="withhold"))
        assert sum(item["type"] == "TOOL_CALL_RESULT" for item in items) == left
        (snapshot,) = [item["messages"] for item in items if item["type"] == "MESSAGES_SNAPSHOT"]
        assert [one["id"] for one in snapshot[0]["toolCalls"]] == ["old", *["t0"] * left]  # what an earlier run called stays
        assert [one["role"] for one in snapshot] == ["assistant", *["tool"] * left]


async def test_a_snapshot_repeats_a_call_as_it_was_sent_on() -> None:
    run = ag_ui([OTHER_NAMES])
    call = {"id": "t0", "type": "function", "function": {"name": OTHER_NAMES[0], "arguments": OTHER_NAMES[1]}}
    run[-1:-1] = [{"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "toolCalls": [call]}]}]
    items = sent(await guarded(run, "ag-ui"))
    (told,) = items[-2]["messages"][0]["toolCalls"]
    assert (told["function"]["name"], read(told["function"]["arguments"])) == WRITTEN


async def test_a_call_that_the_app_has_refused_leaves_as_its_error() -> None:
    """Its model has been told already: it may not run."""
    for written in (GOOD, GOOD[:-1] + ",}"):
        events = [event for event in ai_sdk([("write_file", written)]) if event["type"] != "tool-input-available"]
        refused = {
            "type": "tool-input-error",
            "toolCallId": "t0",
            "toolName": "write_file",
            "input": written,
            "errorText": "no",
        }
        events[-2:-2] = [refused, {"type": "tool-output-error", "toolCallId": "t0", "errorText": "no"}]
        items = await guarded(events, "ai-sdk")
        assert [(block.executable, block.end_cause) for block in blocks(items)] == [(False, "error")]
        assert [item for item in sent(items) if "toolCallId" in item] == [refused]


async def test_a_call_that_runs_elsewhere_is_no_call_of_ours() -> None:
    """Nor one whose input is a text."""
    for more in ({"providerExecuted": True}, {"inputEncoding": "text"}):
        events = [{**event, **more} if "toolName" in event else event for event in ai_sdk([WRONG])]
        items = await guarded(events, "ai-sdk", native="withhold")
        assert all(one is other for one, other in zip(items, events, strict=True))


async def test_calls_in_chunks_are_told_apart() -> None:
    """Only the first chunk of each has its id; what is no chunk ends them."""
    calls = [("write_file", GOOD), DELETE, WEATHER, OTHER_NAMES]
    for seed in range(10):
        events = ag_ui(calls, seed=seed, chunks=True)
        items = await guarded(events, "ag-ui")
        assert [block.executable for block in blocks(items)] == [True, True, True]
        assert sorted(said(sent(items)), key=str) == sorted([WRITTEN, DELETED, RIO, WRITTEN], key=str)
    items = await guarded(ag_ui([DELETE, ("write_file", GOOD[:-4])], chunks=True), "ag-ui")
    assert said(sent(items)) == [DELETED]


@pytest.mark.parametrize("protocol", OBJECTS)
async def test_text_calls_and_the_end_may_share_an_event(protocol: str) -> None:
    """As some servers send them; and the ids of calls are no part of their order."""
    parts: list[Any] = [{"text": "Hi"}]
    parts += [{"functionCall": {"name": name, "args": read(written)}} for name, written in (OTHER_NAMES, DELETE, WEATHER)]
    calls = [{"function": {"name": name, "arguments": read(written)}} for name, written in (OTHER_NAMES, DELETE, WEATHER)]
    message = {"role": "assistant", "content": "Hi", "tool_calls": calls}
    events: dict[str, Event] = {
        "gemini": {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}]},
        "ollama": {"model": "m", "message": message, "done": True, "done_reason": "stop"},
    }
    event = events[protocol]
    items = sent(await guarded([event], protocol))
    assert sorted(said(items), key=str) == sorted([WRITTEN, DELETED, RIO], key=str)
    assert json.dumps(items).count('"Hi"') == 1
    assert json.dumps(items).count('"STOP"') + json.dumps(items).count('"stop"') == 1
    guarded_reply = guard_reply(event, GUARD)
    assert sorted(said([guarded_reply.reply]), key=str) == sorted([WRITTEN, DELETED, RIO], key=str)
    assert [block.executable for block in guarded_reply.blocks] == [True, True]


@pytest.mark.parametrize("protocol", OBJECTS)
@pytest.mark.parametrize("ids", [False, True])
def test_the_calls_of_a_reply_are_guarded(protocol: str, ids: bool) -> None:
    """Mended, as they were, or left out."""
    from stream_guard_adapters.protocols import PROTOCOLS

    for name, (calls, executable, mended, withheld) in CALLS.items():
        reply = merged(MAKERS[protocol](calls, ids=ids), PROTOCOLS[protocol])
        assert reply is not None
        for native, wanted in (("mend", mended), ("withhold", withheld)):
            made = guard_reply(reply, GUARD, native=native)  # type: ignore[arg-type]
            assert [block.executable for block in made.blocks] == executable, name
            assert sorted(said([made.reply]), key=str) == sorted(wanted, key=str)
    reply = merged(MAKERS[protocol]([], text=TEXT), PROTOCOLS[protocol])
    assert reply is not None
    assert said([guard_reply(reply, GUARD, promote=True, blocks="text").reply]) == [DELETED]


@pytest.mark.parametrize("protocol", OBJECTS)
@pytest.mark.parametrize("promote", [False, True])
async def test_the_objects_of_a_client_stay_what_they_are(protocol: str, promote: bool) -> None:
    """Text and calls alike; each says what its JSON would."""
    calls = [OTHER_NAMES, WEATHER, WRONG]
    events = (gemini if protocol == "gemini" else ollama)(calls, text=TEXT)
    given = as_objects(events, protocol)
    items = await guarded(given, protocol, promote=promote, native="withhold", blocks="text")
    assert {type(item) for item in items} == {type(given[0])}
    as_json = sent(await guarded(events, protocol, promote=promote, native="withhold", blocks="text"))
    told = [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in items]
    assert said(told) == said(as_json)
    assert sorted(said(told), key=str) == sorted([WRITTEN, RIO, *([DELETED] if promote else [])], key=str)
    assert shown(told) == shown(as_json)
    assert ("delete_file" in shown(told)) is not promote


def shown(events: Sequence[Event]) -> str:
    """The text that a client shows."""
    parts = [part for event in events for one in event.get("candidates", ()) for part in one["content"].get("parts", ())]
    texts = [part.get("text") or "" for part in parts]
    return "".join([*texts, *(event["message"].get("content") or "" for event in events if "message" in event)])
