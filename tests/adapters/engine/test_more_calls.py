"""Native calls in the protocols of Gemini, Ollama, the AI SDK and AG-UI: treated as those of the other providers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from pydantic_ai.ui.vercel_ai import response_types
from stream_guard_adapters.cassettes.cassette import as_bytes
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.settings import Native, Settings
from stream_guard_adapters.events import guard_reply
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import (
    MAKERS,
    Event,
    Given,
    ag_ui,
    ai_sdk,
    as_messages,
    as_responses,
    chat,
    gemini,
    messages,
    ollama,
    read,
)

from stream_guard import Guard, Limits, Tool, ToolBlock, ToolStatus
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


@pytest.mark.some(8)
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
        heard = [refused, {"type": "tool-output-error", "toolCallId": "t0", "errorText": "no"}]
        events[-2:-2] = heard
        for native in ("mend", "withhold"):
            items = await guarded(events, "ai-sdk", native=native)
            assert [(block.executable, block.end_cause) for block in blocks(items)] == [(False, "error")]
            assert [item for item in sent(items) if "toolCallId" in item] == heard
            assert items[-1] == events[-1]  # the message has a call, and nothing of it was cut off


async def test_what_a_valid_call_was_written_as_stays() -> None:
    """Its text in the deltas, and its value as the app has parsed it; times and such stay beside the start and the end."""
    written = '{"path":"a.txt",  "content":"caf\\u00e9"}'
    events = ai_sdk([("write_file", written)])
    items = sent(await guarded(events, "ai-sdk"))
    assert "".join(item["inputTextDelta"] for item in items if "inputTextDelta" in item) == written
    assert items[-3:] == events[-3:]
    events = [event | {"timestamp": nth} for nth, event in enumerate(ag_ui([("write_file", GOOD)]))]
    items = sent(await guarded(events, "ag-ui"))
    for kind in ("TOOL_CALL_START", "TOOL_CALL_END"):
        assert [item for item in items if item["type"] == kind] == [event for event in events if event["type"] == kind]


async def test_a_text_in_chunks_stays_behind_a_call_in_chunks() -> None:
    events = ag_ui([("write_file", GOOD)], chunks=True)
    events.insert(-1, {"type": "TEXT_MESSAGE_CHUNK", "messageId": "n", "delta": "after"})
    kinds = [item["type"] for item in sent(await guarded(events, "ag-ui"))]
    assert kinds[-3:] == ["TOOL_CALL_CHUNK", "TEXT_MESSAGE_CHUNK", "RUN_FINISHED"]


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


def as_ag_ui(events: Sequence[Event]) -> list[Any]:
    """The events as objects of AG-UI's own package."""
    return [PROTOCOLS["ag-ui"].as_object({"threadId": "t", "runId": "r", **event}) for event in events]


def as_pydantic_ai(events: Sequence[Event]) -> list[Any]:
    """The events as objects of the package in which a Python server has those of the AI SDK."""
    kinds = [kind for kind in vars(response_types).values() if "type" in getattr(kind, "model_fields", ())]
    by_type = {kind.model_fields["type"].default: kind for kind in kinds}
    return [by_type[event["type"]].model_validate(event) for event in events]


def told(items: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The outcomes and the arguments of the blocks."""
    return [(block.outcome, block.arguments) for block in blocks(items)]


def as_json(items: Sequence[Any]) -> list[Event]:
    """The objects that leave, as their server sends them."""
    left = [item for item in items if not isinstance(item, ToolStatus | ToolBlock)]
    return [json.loads(item.model_dump_json(by_alias=True, exclude_unset=True)) for item in left]


@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("protocol", "made"), [("ag-ui", as_ag_ui), ("ai-sdk", as_pydantic_ai)])
async def test_objects_of_a_package_are_guarded_as_their_json_is(protocol: str, made: Any, name: str, native: Native) -> None:
    """What leaves is an object too, of the sort that its package has for it."""
    calls, *_ = CALLS[name]
    events = MAKERS[protocol](calls)
    expected = await guarded(events, protocol, native=native)
    items = await guarded(made(events), protocol, native=native)
    assert told(items) == told(expected)
    assert sorted(said(as_json(items)), key=str) == sorted(said(sent(expected)), key=str)


@pytest.mark.parametrize(("protocol", "made"), [("ag-ui", as_ag_ui), ("ai-sdk", as_pydantic_ai)])
async def test_a_block_in_objects_is_promoted_to_objects(protocol: str, made: Any) -> None:
    events = MAKERS[protocol]([], text=f'```json\n{{"tool": "write_file", {GOOD[1:]}\n```\n')
    for blocks_as in ("events", "text"):
        items = await guarded(made(events), protocol, promote=True, blocks=blocks_as)
        assert said(as_json(items)) == [WRITTEN]


@pytest.mark.parametrize("made", [list, as_ag_ui])
async def test_messages_of_objects_are_lanes_of_their_own(made: Any) -> None:
    block = f'```json\n{{"tool": "write_file", {GOOD[1:]}\n```\n'
    lanes = [
        [{"type": "TEXT_MESSAGE_CONTENT", "messageId": one, "delta": delta} for delta in (block[:20], block[20:50], block[50:])]
        for one in "pq"
    ]
    items = await guarded(made([event for pair in zip(*lanes, strict=True) for event in pair]), "ag-ui")
    assert [block.executable for block in blocks(items)] == [True, True]


@pytest.mark.parametrize("made", [list, as_ag_ui])
@pytest.mark.parametrize("role", ["user", "system", "developer"])
async def test_what_the_user_says_is_no_call(role: str, made: Any) -> None:
    """Some servers repeat it. It passes as it came; the model's message behind it is guarded, also one of the same name."""
    block = f'```json\n{{"tool": "write_file", {GOOD[1:]}\n```\n'

    def message(role: str) -> list[Event]:
        begun = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": role}
        return [
            begun,
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": block},
            {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        ]

    events = made([*message(role), *message("assistant")])
    items = await guarded(events, "ag-ui", promote=True)
    assert items[:3] == events[:3]
    assert [block.executable for block in blocks(items)] == [True]
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": role, "delta": block}
    assert await guarded(made([chunk]), "ag-ui") == made([chunk])


def candidate(index: int, *parts: Any, reason: str | None = None) -> Event:
    """An event of Gemini that has one candidate."""
    said = {"index": index, "content": {"role": "model", "parts": [*parts]}}
    return {"candidates": [said if reason is None else {**said, "finishReason": reason}]}


@pytest.mark.parametrize("blocks_as", ["events", "text"])
@pytest.mark.parametrize("seed", range(40))
async def test_each_candidate_ends_for_a_reason_of_its_own(seed: int, blocks_as: str) -> None:
    """In whatever order their events come: the calls of one that was cut off are not sent on, those of the others are."""
    chance = Random(seed)
    call = {"functionCall": {"name": "write_file", "args": read(GOOD)}}
    block = {"text": f'a\n```json\n{{"tool": "write_file", {GOOD[1:]}'}
    reasons = [chance.choice(["STOP", "MAX_TOKENS"]) for _ in range(3)]
    kinds = [chance.choice(["call", "block", "both"]) for _ in range(3)]
    waiting = []
    for index, (kind, reason) in enumerate(zip(kinds, reasons, strict=True)):
        events = [candidate(index, call)] if kind != "block" else []
        events += [candidate(index, block)] if kind != "call" else []
        waiting.append([*events, candidate(index, reason=reason)])
    apart = [await guarded(events, "gemini", blocks=blocks_as) for events in waiting]
    mixed: list[Event] = []
    while any(waiting):
        mixed.append(chance.choice([events for events in waiting if events]).pop(0))
    together = await guarded(mixed, "gemini", blocks=blocks_as)

    def of(items: Sequence[Any], index: int) -> list[Any]:
        """What a client reads of a candidate: its text, its calls, and why it ended."""
        found = [one for event in sent(items) for one in event["candidates"] if one["index"] == index]
        parts = [part for one in found for part in one["content"]["parts"]]
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        ends = [one["finishReason"] for one in found if one.get("finishReason")]
        return ["".join(part.get("text", "") for part in parts), calls, ends]

    for index, alone in enumerate(apart):
        assert of(together, index) == of(alone, index)
        assert bool(of(alone, index)[1]) is (kinds[index] != "block" and reasons[index] == "STOP")


@pytest.mark.parametrize("reason", [None, "", "absent"])
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_a_whole_reply_that_gives_no_reason_was_not_cut_off(native: Native, reason: Any) -> None:
    """As many servers send it: the call is there in full."""
    calls = [{"id": "c", "type": "function", "function": {"name": "write_file", "arguments": GOOD}}]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "Looking. ", "tool_calls": calls},
        "finish_reason": reason,
    }
    reply = {"object": "chat.completion", "choices": [choice]}
    if reason == "absent":
        del choice["finish_reason"]
    assert guard_reply(reply, GUARD, native=native).reply is reply
    said = {"role": "model", "parts": [{"functionCall": {"name": "write_file", "args": read(GOOD)}}]}
    gemini_reply = {"candidates": [{"index": 0, "content": said}]}
    assert guard_reply(gemini_reply, GUARD, native=native).reply is gemini_reply
    broken = {"object": "chat.completion", "choices": [put_arguments(choice, GOOD[:-1] + ",}")]}
    (mended,) = guard_reply(broken, GUARD, native=native).blocks
    assert mended.executable
    cut = {"object": "chat.completion", "choices": [put_arguments(choice, GOOD[:-5])]}
    assert not any(block.executable for block in guard_reply(cut, GUARD, native=native).blocks)


def put_arguments(choice: Any, written: str) -> Any:
    """The choice with other arguments of its call."""
    made = json.loads(json.dumps(choice))
    made["message"]["tool_calls"][0]["function"]["arguments"] = written
    return made


def _chunk(**delta: Any) -> Event:
    """Return a chunk of a chat completion that says no text."""
    return {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


@pytest.mark.parametrize(
    ("protocol", "before"),
    [
        *((name, []) for name in ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama")),
        ("openai-chat", [_chunk(role="assistant", content=None)]),
        ("openai-chat", [_chunk(role="assistant", content="")]),
        ("openai-chat", [_chunk(role="assistant"), _chunk(reasoning_content="Hm."), _chunk(reasoning="Hm.")]),
        ("openai-chat", [{"id": "1", "choices": [], "prompt_filter_results": []}]),
    ],
)
def test_a_held_call_keeps_the_connection_alive_though_nothing_was_said(protocol: str, before: list[Event]) -> None:
    """By an event: some clients time events, and see no comments. A client that reads it has nothing more than before."""
    table = PROTOCOLS[protocol]
    makers: dict[str, Any] = {"openai-responses": as_responses, "anthropic": as_messages}
    calls = [("write_file", GOOD)]
    if protocol == "openai-chat":
        events = [*before, *chat(calls)[1:]]  # without the text before the calls
    else:
        events = makers[protocol]([], calls) if protocol in makers else MAKERS[protocol](calls)
    body = Body(GUARD, table.framing or "events", table, Settings(blocks="text"))
    begun = next(at for at, event in enumerate(events) if table.calls(event)) + 1
    came = b"".join(item for event in events[:begun] for item in body.push(as_bytes(table, event)) if isinstance(item, bytes))
    (line,) = [line for line in body.nothing().splitlines() if line.startswith((b"data: ", b"{"))]
    empty = json.loads(line.removeprefix(b"data: "))
    assert not table.texts(empty) and not table.calls(empty) and not table.ends(empty)
    if "sequence_number" in empty:
        numbers = [int(number) for number in re.findall(rb'"sequence_number":(\d+)', came)]
        assert empty["sequence_number"] == max(numbers, default=-1)


@pytest.mark.parametrize("given", [0, False, [], 1, "x", [1]])
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("protocol", OBJECTS)
async def test_arguments_that_are_no_object_are_not_an_empty_one(protocol: str, native: Native, given: Any) -> None:
    """A tool that needs no arguments would run."""
    tool = Tool("clear", "Remove all files", {"type": "object", "properties": {"folder": {"type": "string"}}})
    items = await guarded(MAKERS[protocol]([("clear", json.dumps(given))]), protocol, Guard([tool]), native=native)
    assert [block.executable for block in blocks(items)] == [False]
    assert {"clear": {}} not in [dict([call]) for call in said(sent(items))]
