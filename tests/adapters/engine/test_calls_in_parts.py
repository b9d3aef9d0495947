"""Gemini's calls in parts (`partialArgs`): guarded while they come, and sent on as one part each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from stream_guard_adapters.bridges import to_ai_sdk
from stream_guard_adapters.events import guard_events
from stream_guard_conformance.corpus.native import Event, Given, gemini

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import previewed
from tests.kit.more_calls import (
    CALLS,
    DELETED,
    GUARD,
    OTHER_NAMES,
    RIO,
    WRITTEN,
    as_objects,
    blocks,
    guarded,
    said,
    sent,
    through_gemini,
)
from tests.kit.native_calls import DELETE, GOOD, WEATHER


def members(value: Any, path: str) -> Iterator[Event]:
    """An object as Vertex sends it: each value with its path, texts in pieces."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from members(inner, f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}")
    elif isinstance(value, str):
        yield from (
            {"jsonPath": path, "stringValue": value[at : at + 3], "willContinue": True} for at in range(0, len(value), 3)
        )
        yield {"jsonPath": path, "stringValue": ""}
    elif value is None:
        yield {"jsonPath": path, "nullValue": "NULL_VALUE"}
    else:
        yield {"jsonPath": path, ("boolValue" if isinstance(value, bool) else "numberValue"): value}


def in_parts(calls: Sequence[Given], finish: str | None = "STOP", *, text: str = "Hi\n", signed: int = 0) -> list[Event]:
    """The calls as chunks of a reply, each in parts, as they were recorded; `signed` is the part that has the signature."""
    *_, first, last = gemini([], finish or "STOP", text=text)
    chunk = first["candidates"][0]
    told: list[Event] = [first]
    for name, arguments in calls:
        parts: list[Event] = [{"name": name, "willContinue": True}]
        parts += [{"partialArgs": [one], "willContinue": True} for one in members(json.loads(arguments), "$")]
        parts += [{"willContinue": True}, {}]
        for nth, part in enumerate(parts):
            sign = {"thoughtSignature": "c2lnbmVk"} if nth == signed % len(parts) else {}
            content = {"role": "model", "parts": [{"functionCall": part, **sign}]}
            told.append({**first, "candidates": [{**chunk, "content": content}]})
    return told if finish is None else [*told, last]


@pytest.mark.some(7)
@pytest.mark.parametrize("signed", [0, 2, -1])
@pytest.mark.parametrize("name", CALLS)
async def test_the_client_reads_the_calls_that_were_sent_on(name: str, signed: int) -> None:
    """As when they come whole, and each with its signature; calls of other tools are the very events."""
    calls, executable, mended, withheld = CALLS[name]
    events = in_parts(calls, signed=signed)
    for native, wanted in (("mend", mended), ("withhold", withheld)):
        items = await guarded(events, "gemini", native=native)
        assert [block.executable for block in blocks(items)] == executable
        whole = [event for event in sent(items) if '"args"' in json.dumps(event)]
        assert said(whole) == [one for one in wanted if one != RIO]
        assert all('"thoughtSignature": "c2lnbmVk"' in json.dumps(event) for event in whole)
        assert "partialArgs" not in json.dumps(whole)
        assert "willContinue" not in json.dumps(whole)
        if name == "not ours":
            assert all(one is other for one, other in zip(items, events, strict=True))
        elif RIO not in wanted:
            assert await through_gemini(events, GUARD, native=native) == wanted


async def test_the_signature_of_a_call_that_is_mended_stays() -> None:
    """Whole calls, too, in a stream and in a reply."""
    for events in (gemini([OTHER_NAMES]), in_parts([OTHER_NAMES])):
        (event,) = [one for one in sent(await guarded(events, "gemini")) if "write_file" in json.dumps(one)]
        (part,) = event["candidates"][0]["content"]["parts"]
        assert part == {"functionCall": {"name": "write_file", "args": WRITTEN[1]}, "thoughtSignature": "c2lnbmVk"}


async def test_what_comes_of_a_call_is_told_as_it_comes() -> None:
    """Its name with its first part, its path as soon as that is whole, and its preview in pieces."""
    lanes = guard_events(FakeStream(in_parts([("write_file", GOOD)])), Guard(FILE_TOOLS, preview=True), "gemini")
    items = await collect(lanes)
    told = [item for item in items if isinstance(item, ToolStatus)]
    assert (told[0].tool_type, told[0].path) == ("write_file", None)
    assert any(item.path == "a.txt" for item in told)
    changes = [change for item in told for change in item.preview or ()]
    assert len(changes) > 5
    assert previewed(changes) == json.loads(GOOD)
    (block,) = blocks(items)
    assert block.executable
    assert items.index(block) > items.index(next(item for item in told if item.path is not None)) + 1


@pytest.mark.promise("P7")
async def test_a_call_that_is_cut_off_is_never_sent_on() -> None:
    """At any event, with and without a finish reason; where a part is missing, or says what cannot be; nor two calls as one."""
    events = in_parts([("write_file", GOOD)])
    parts = [nth for nth, event in enumerate(events) if "functionCall" in json.dumps(event)]
    cuts = [events[:nth] for nth in parts[1:]]
    cuts += [[*events[:nth], *events[parts[-1] + 1 :]] for nth in parts[1:]]
    ends = [nth for nth in parts if '"stringValue": ""' in json.dumps(events[nth])]
    cuts += [[*events[:nth], *events[nth + 1 :]] for nth in ends]
    begun, ended = events[parts[0]], events[parts[-1]]
    strange: list[Event] = [
        {"partialArgs": [{"jsonPath": "$.path"}]},
        {"partialArgs": [{"jsonPath": "$.path", "stringValue": "x", "numberValue": 1}]},
        {"partialArgs": ["x"]},
        {"partialArgs": {"jsonPath": "$.path"}},
        {"partialArgs": [{"jsonPath": 1, "stringValue": "x"}]},
        {"partialArgs": [{"jsonPath": "$.path", "stringValue": "x"}], "args": {"path": "y"}},
        {"name": "delete_file", "partialArgs": [{"jsonPath": "$.path", "stringValue": "x"}]},
    ]
    for part in strange:
        content = {"role": "model", "parts": [{"functionCall": part}]}
        odd = {**begun, "candidates": [{**begun["candidates"][0], "content": content}]}
        cuts.append([*events[: parts[0] + 1], odd, *events[parts[0] + 1 :]])
    assert len(cuts) > 20
    for native in ("mend", "withhold"):
        for cut in cuts:
            items = await guarded(cut, "gemini", native=native)
            assert not any(block.executable for block in blocks(items))
            assert "write_file" not in json.dumps(sent(items))
            if cut[-1] is events[-1]:
                assert sent(items)[-1]["candidates"][0]["finishReason"] == "MAX_TOKENS"
    two = [*events[: parts[-1]], *in_parts([DELETE])[1:]]  # the first has no end
    items = await guarded(two, "gemini")
    assert [(block.tool, block.executable) for block in blocks(items)] == [("write_file", False), ("delete_file", True)]
    assert said(sent(items)) == [DELETED]
    assert ended["candidates"][0]["content"]["parts"] == [{"functionCall": {}}]


async def test_a_call_without_arguments_may_come_in_parts() -> None:
    guard = Guard(FILE_TOOLS + type(FILE_TOOLS).of([{"name": "now", "input_schema": {"type": "object"}}]))
    items = await guarded(in_parts([("now", "{}")]), "gemini", guard)
    assert [block.executable for block in blocks(items)] == [True]
    assert said(sent(items)) == [("now", {})]


def repeating(calls: Sequence[Given], *, names: str, ids: str) -> list[Event]:
    """Calls in parts whose parts have the call's name again, and its id: no part, all of them, the last, or the second."""
    events = in_parts(calls)
    nth = -1
    made: list[Event] = []
    for event in events:
        text = json.dumps(event)
        if "functionCall" in text:
            event = json.loads(text)
            call = event["candidates"][0]["content"]["parts"][0]["functionCall"]
            first = "name" in call
            nth = nth + 1 if first else nth
            last = call == {}
            if not first and (names == "all" or (names == "last" and last)):
                call["name"] = calls[nth][0]
            if ids == "all" or first or (ids == "last" and last):
                call["id"] = f"t{nth}"
        made.append(event)
    return made


@pytest.mark.parametrize("names", ["none", "all", "last"])
async def test_a_part_with_the_name_and_the_id_of_an_open_call_is_of_that_call(names: str) -> None:
    """It begins no call of its own, also where it has no arguments; a call that has no id is another one."""
    tools = type(FILE_TOOLS).of([{"name": "scan", "input_schema": {"type": "object", "properties": {"path": {}}}}])
    guard = Guard(FILE_TOOLS + tools)
    for calls in (
        [("scan", '{"path": "/tmp"}')],
        [("scan", '{"path": "/tmp"}'), ("scan", "{}"), ("delete_file", '{"path": "b"}')],
    ):
        items = await guarded(repeating(calls, names=names, ids="all"), "gemini", guard)
        assert [block.executable for block in blocks(items)] == [True] * len(calls)
        assert said(sent(items)) == [(name, json.loads(arguments)) for name, arguments in calls]
        cut = repeating(calls[:1], names=names, ids="all")
        items = await guarded([event for event in cut if "stringValue" not in json.dumps(event) or "/tm" in json.dumps(event)],
                              "gemini", guard)  # fmt: skip
        assert [block.executable for block in blocks(items)] == [False]
        assert said(sent(items)) == []


async def test_what_later_parts_say_of_a_call_leaves_with_it() -> None:
    """Its id, and members that nobody knows, of the call and of its part."""
    for place in range(1, 5):
        events = in_parts([("write_file", GOOD)])
        at = [nth for nth, event in enumerate(events) if "functionCall" in json.dumps(event)][place]
        part = json.loads(json.dumps(events[at]))
        part["candidates"][0]["content"]["parts"][0]["x_new"] = 1
        part["candidates"][0]["content"]["parts"][0]["functionCall"] |= {"id": "t7", "x_new": {"a": 2}}
        items = await guarded([*events[:at], part, *events[at + 1 :]], "gemini")
        (event,) = [one for one in sent(items) if "write_file" in json.dumps(one)]
        (made,) = event["candidates"][0]["content"]["parts"]
        assert (made["x_new"], made["functionCall"]["id"], made["functionCall"]["x_new"]) == (1, "t7", {"a": 2})
        assert said([event]) == [WRITTEN]


async def test_they_may_be_observed_and_bridged() -> None:
    """Then every part passes as it came; a page gets the call when it is whole."""
    events = in_parts([("write_file", GOOD), WEATHER])
    items = await guarded(events, "gemini", native="observe")
    assert [block.executable for block in blocks(items)] == [True]
    assert sent(items) == events
    for native in ("observe", "mend"):
        stream: Any = guard_events(FakeStream(events), GUARD, "gemini", native=native)
        told = [item async for item in to_ai_sdk(stream)]
        called = [one for one in map(_data, told) if one.get("type") == "tool-input-available"]
        assert [(one["toolName"], one["input"]) for one in called] == [WRITTEN, RIO]


def _data(item: Any) -> Event:
    return item if isinstance(item, dict) else json.loads(item)


async def test_the_objects_of_the_client_are_guarded_alike() -> None:
    events = in_parts([OTHER_NAMES])
    items = await guarded(as_objects(events, "gemini"), "gemini")
    told = [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in items if not _is_ours(item)]
    assert said([one for one in told if "write_file" in json.dumps(one)]) == [WRITTEN]
    assert json.dumps(told).count("thoughtSignature") == 1
    assert [block.executable for block in blocks(items)] == [True]


def _is_ours(item: Any) -> bool:
    return isinstance(item, ToolStatus | ToolBlock)
