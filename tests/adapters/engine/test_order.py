"""The order in which the things of one event leave: text, calls, and the end of the message."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletionChunk
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import CHAT, GEMINI, OLLAMA, PROTOCOLS, Protocol
from stream_guard_conformance.corpus.native import MAKERS as MAKERS_OF_OTHERS
from stream_guard_conformance.corpus.native import chat as native_chat
from stream_guard_conformance.corpus.native import messages, responses

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import GOOD, through_openai
from tests.kit.proof import Cases
from tests.kit.replies import CALL, reply

GUARD = Guard(FILE_TOOLS)
OURS, OTHER, TEXT = "write_file", "weather", "text"
END = "end"
TABLES: dict[str, Protocol] = {"openai-chat": CHAT, "gemini": GEMINI, "ollama": OLLAMA}


def event_of(name: str, things: Sequence[str], end: str | None = None) -> dict[str, Any]:
    """One event that has these things, in this order if the protocol has one, and the end of the message with this reason."""
    said = "Hi" if TEXT in things else ""
    calls = [one for one in things if one != TEXT]
    if name == "gemini":
        parts = [{"text": "Hi"} if one == TEXT else {"functionCall": {"name": one, "args": json.loads(GOOD)}} for one in things]
        said_: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
        return {"candidates": [said_ | ({"finishReason": end} if end else {})], "usageMetadata": {"totalTokenCount": 3}}
    if name == "ollama":
        made: Any = [{"function": {"name": one, "arguments": json.loads(GOOD)}} for one in calls]
        message = {"role": "assistant", "content": said, **({"tool_calls": made} if made else {})}
        return {"model": "m", "message": message, "done": bool(end), **({"done_reason": end, "eval_count": 3} if end else {})}
    made = [
        {"index": nth, "id": f"t{nth}", "type": "function", "function": {"name": one, "arguments": GOOD}}
        for nth, one in enumerate(calls)
    ]
    delta = {"role": "assistant", **({"content": said} if said else {}), **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}} if end else {}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **usage}


def things_of(table: Protocol, events: Sequence[Any]) -> list[str]:
    """What a client reads of the events, in order. Within one event text comes before calls, and the end behind them."""
    found: list[str] = []
    for event in events:
        if table is GEMINI:  # its parts have an order
            parts = (event if isinstance(event, dict) else event.model_dump(by_alias=True))["candidates"][0]["content"][
                "parts"
            ] or ()
            found += [part["functionCall"]["name"] if part.get("functionCall") else TEXT for part in parts]
            found += [END for _ in table.ends(event)]
            continue
        found += [TEXT for _ in table.texts(event)]
        found += [piece.name or "" for piece in table.calls(event)]
        found += [END for _ in table.ends(event)]
    return found


ENDS = {"openai-chat": ("tool_calls", "stop"), "gemini": ("STOP",), "ollama": ("stop",)}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_the_things_of_an_event_leave_in_order(name: str, native: Any) -> None:
    """Any two or three of them, in one event that may end the message too; and nothing of the event is lost."""
    table = TABLES[name]
    for size, end in itertools.product((1, 2, 3), (None, *ENDS[name])):
        for things in itertools.permutations((TEXT, OURS, OTHER), size):
            ordered = list(things) if name == "gemini" else sorted(things, key=lambda one: one != TEXT)
            event = event_of(name, things, end)
            before = json.dumps(event)
            events = [event] if end else [event, event_of(name, (), ENDS[name][0])]
            items: list[Any] = await collect(guard_events(FakeStream(events), GUARD, name, native=native, blocks="text"))
            assert things_of(table, items) == [*ordered, END], (things, end)
            assert json.dumps(event) == before
            assert sum(bool(item.get("usage") or item.get("usageMetadata") or item.get("eval_count")) for item in items) >= 1
            if OURS not in things:
                assert items == events  # the very events: nothing of them is held


@pytest.mark.parametrize("name", TABLES)
async def test_no_call_of_an_event_that_failed_leaves(name: str) -> None:
    """Its text does; and of one that was cut off the last call stays back, as if they had come apart."""
    table = TABLES[name]
    failed = {"openai-chat": "content_filter", "gemini": "SAFETY", "ollama": "error"}[name]
    cut = {"openai-chat": "length", "gemini": "MAX_TOKENS", "ollama": "length"}[name]
    for end, things, left in (
        (failed, (TEXT, OURS, OTHER), [TEXT, OTHER, END]),
        (cut, (TEXT, OTHER, OURS), [TEXT, OTHER, END]),
    ):
        items = await collect(guard_events(FakeStream([event_of(name, things, end)]), GUARD, name, blocks="text"))
        assert things_of(table, items) == left


@pytest.mark.parametrize("name", TABLES)
def test_the_parts_of_an_event_have_one_thing_each(name: str) -> None:
    """Also of the objects of clients: they can be read, and are not divided again."""
    kinds: dict[str, Any] = {"openai-chat": ChatCompletionChunk, "gemini": GenerateContentResponse}
    table = TABLES[name]
    for things in itertools.permutations((TEXT, OURS, OTHER)):
        event: Any = event_of(name, things, ENDS[name][0])
        for given in (event, kinds[name].model_validate(event)) if name in kinds else (event,):
            parts = table.in_order(given)
            assert len(parts) > 2
            assert things_of(table, parts) == [
                *(things if name == "gemini" else sorted(things, key=lambda one: one != TEXT)),
                END,
            ]
            assert all(type(part) is type(given) and table.reads(part) for part in parts)
            assert all(len(table.in_order(part)) == 1 for part in parts)


async def test_the_calls_of_two_choices_in_one_event_leave_in_order() -> None:
    events = [event_of("openai-chat", (TEXT, OTHER, OURS), "tool_calls")]
    other = event_of("openai-chat", (OURS, OTHER), "tool_calls")["choices"][0] | {"index": 1}
    events[0]["choices"].append(other)
    items: list[Any] = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", blocks="text"))
    for index, wanted in ((0, [TEXT, OTHER, OURS, END]), (1, [OURS, OTHER, END])):
        own = [{**item, "choices": [choice]} for item in items for choice in item["choices"] if choice["index"] == index]
        assert things_of(CHAT, own) == wanted


async def test_a_promoted_call_leaves_behind_the_calls_of_the_event_that_ends_its_message() -> None:
    """The client's helper fails at a call whose number comes too early."""
    for things in ((OTHER,), (OURS,), (OTHER, OURS)):
        for native in ("mend", "observe", "off"):
            text = event_of("openai-chat", (TEXT,))
            text["choices"][0]["delta"]["content"] = "".join(reply(CALL))
            events = [text, event_of("openai-chat", things, "tool_calls")]
            called = await through_openai(events, GUARD, promote=True, native=native)
            assert [tool for tool, _ in called] == [*things, "write_file"]


@pytest.mark.parametrize("name", ["gemini", "ollama"])
def test_the_things_of_a_reply_keep_their_order(name: str) -> None:
    for things in itertools.permutations((TEXT, OURS, OTHER)):
        given = event_of(name, things, ENDS[name][0])
        assert guard_reply(given, GUARD).reply is given
        mending = event_of(name, (*things, TEXT), ENDS[name][0])
        assert guard_reply(mending, GUARD).reply is mending
        made = guard_reply(given, GUARD, native="withhold", blocks="text").reply
        assert things_of(TABLES[name], [made])[-1] == END
        assert [one for one in things_of(TABLES[name], [made]) if one in (OURS, OTHER)] == [
            one for one in things if one != TEXT
        ]


def test_an_event_that_waits_is_divided_once() -> None:
    """Behind a text that ended inside a block, whose finish reason is not known; nothing is lost or doubled."""
    for seed in range(40):
        chance = random.Random(seed)
        things = chance.sample((TEXT, OURS, OTHER), 3)
        lanes = Lanes(GUARD, CHAT, Settings(blocks="text", promote=chance.random() < 0.5))
        opening = event_of("openai-chat", (TEXT,))
        opening["choices"][0]["delta"]["content"] = '```json\n{"tool": "write_file", '
        events = [opening, event_of("openai-chat", things, chance.choice((None, "stop", "tool_calls", "length")))]
        items = [item for event in events for item in lanes.feed(event)]
        items += lanes.end()
        read = [one for one in things_of(CHAT, items) if one == OTHER]
        assert read == [OTHER]


@pytest.mark.parametrize("name", ["gemini", "ollama"])
@pytest.mark.parametrize("blocks", ["events", "text"])
def test_a_reply_that_changes_keeps_its_reason(name: str, blocks: Any) -> None:
    """Whatever of it leaves last."""
    for things in ((TEXT,), (TEXT, OURS), (TEXT, OTHER, OURS)):
        given = event_of(name, things, ENDS[name][0])
        broken = f"a\n```json\n{CALL[:-1]},}}\n```\n"
        given = json.loads(json.dumps(given).replace('"Hi"', json.dumps(broken)))
        made = guard_reply(given, GUARD, blocks=blocks).reply
        assert made != given
        assert json.dumps(ENDS[name][0]) in json.dumps(made)


# -- behind a call whose end is not known ------------------------------------------------------------------------------

CUT = '{"path": "a", "content": "b'


def chat_chunk(choice: int, end: str | None = None, **piece: Any) -> dict[str, Any]:
    """One chunk of a chat, with a piece of a call or none."""
    delta = {"tool_calls": [piece]} if piece else {}
    return {"id": "c", "choices": [{"index": choice, "delta": delta, "finish_reason": end}]}


def chat_call(chance: random.Random, choice: int, index: int, name: str, arguments: str, one: str) -> list[dict[str, Any]]:
    """A call of a chat in one to four pieces."""
    cuts = sorted(chance.choices(range(len(arguments) + 1), k=chance.randrange(4)))
    first, *more = [arguments[at:to] for at, to in itertools.pairwise((0, *cuts, len(arguments)))]
    begun: dict[str, Any] = {"id": one, "type": "function", "function": {"name": name, "arguments": first}}
    return [
        chat_chunk(choice, index=index, **begun),
        *(chat_chunk(choice, index=index, function={"arguments": text}) for text in more),
    ]


def calls_behind(chance: random.Random, name: str, *, choice: int) -> tuple[list[dict[str, Any]], list[str]]:
    """A stream in which a call has no end, or none yet, and calls follow it in this choice; and their ids, in order."""
    tools = chance.choices((OURS, OTHER, "delete_file"), k=chance.randint(2, 4))
    said = {OURS: GOOD, OTHER: "{}", "delete_file": '{"path": "b"}'}
    ids = [f"t{nth}" for nth in range(1, len(tools) + 1)]
    if name == "openai-chat":
        each = chance.random() < 0.5  # a finish reason with each call
        events = [*chat_call(chance, 0, 0, OURS, CUT, "t0"), chat_chunk(0, chance.choice(ENDS[name]))]
        for nth, (tool, one) in enumerate(zip(tools, ids, strict=True)):
            events += chat_call(chance, choice, nth + (choice == 0), tool, said[tool], one)
            events += [chat_chunk(choice, "tool_calls")] if each or one == ids[-1] else []
        return events, ids
    events = [gemini_call(0, OURS, GOOD, "t0")]
    for nth, (tool, one) in enumerate(zip(tools, ids, strict=True)):
        events += [gemini_call(choice, tool, said[tool], one)]
        events += [gemini_end(choice)] if choice and nth == len(ids) - 1 else []
    return events, ids


def gemini_call(candidate: int, name: str, arguments: str, one: str) -> dict[str, Any]:
    part = {"functionCall": {"id": one, "name": name, "args": json.loads(arguments)}}
    return {"candidates": [{"index": candidate, "content": {"role": "model", "parts": [part]}}]}


def gemini_end(candidate: int) -> dict[str, Any]:
    return {"candidates": [{"index": candidate, "content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}


@pytest.mark.parametrize("choice", [0, 1])
@pytest.mark.parametrize("name", ["openai-chat", "gemini"])
def test_calls_behind_one_without_an_end_leave_in_order_and_whole(cases: Cases, name: str, choice: int) -> None:
    """Of tools that the guard knows and others: whatever the event is that all of them wait for."""
    table = TABLES[name]
    for seed in range(60):
        cases(1)
        events, wanted = calls_behind(random.Random(seed), name, choice=choice)
        if name == "gemini" and not choice:
            events.append(gemini_end(0))
            wanted = ["t0", *wanted]
        lanes = Lanes(GUARD, table, Settings())
        items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
        sent = [item for item in items if isinstance(item, dict)]
        pieces = [piece for event in sent for piece in table.calls(event) if piece.id and piece.call[0] == choice]
        assert [piece.id for piece in pieces] == wanted
        if name == "openai-chat":
            assert [piece.call[-1] for piece in pieces] == [*range(len(wanted))]
        assert things_of(table, [sent[-1]])[-1] == END
        reasons = [cause for event in sent for lane, cause in table.ends(event) if lane == (choice,)]
        assert reasons[-1] == ("stop" if name == "gemini" else "unknown"), reasons


@pytest.mark.parametrize("late", [0, 1])
def test_the_reason_of_a_candidate_counts_though_another_one_has_none(late: int) -> None:
    """Whichever of them came first. The calls of the one without a reason are not sent on: it was cut off."""
    for calls in (1, 2, 3):
        ended = [gemini_call(1 - late, OURS, GOOD, f"t{nth}") for nth in range(calls)] + [gemini_end(1 - late)]
        for events in ([gemini_call(late, OURS, GOOD, "x"), *ended], [*ended, gemini_call(late, OURS, GOOD, "x")]):
            lanes = Lanes(GUARD, GEMINI, Settings())
            items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
            sent = [item for item in items if isinstance(item, dict)]
            assert [piece.id for event in sent for piece in GEMINI.calls(event)] == [f"t{nth}" for nth in range(calls)]
            assert [end for event in sent for end in GEMINI.ends(event)] == [((1 - late,), "stop")]


# -- when a call is announced ------------------------------------------------------------------------------------------

MAKERS: dict[str, Any] = {"openai-chat": native_chat, "anthropic": messages, "openai-responses": responses, **MAKERS_OF_OTHERS}
SEVERAL = [
    *(("write_file", json.dumps({"path": f"{name}.txt", "content": "line 1 and 2"})) for name in "abc"),
    ("weather", '{"city": "Rio"}'),
    ("delete_file", '{"path": "old"}'),
]


def announced(name: str, events: Sequence[Any], native: Any, **settings: Any) -> list[Any]:
    """What is said of the calls while they are written, each with the number of the provider's event on which it leaves."""
    lanes = Lanes(Guard(FILE_TOOLS, preview=True), PROTOCOLS[name], Settings(native=native, stream_id="s", **settings))
    fed = [(number, item) for number, event in enumerate(events) for item in lanes.feed(event)]
    fed += [(len(events), item) for item in lanes.end()]
    return [(number, item) for number, item in fed if isinstance(item, ToolStatus) and item.status == "buffering"]


@pytest.mark.promise("P3")
@pytest.mark.parametrize("name", MAKERS)
def test_each_call_is_announced_and_previewed_on_the_event_that_has_it(name: str) -> None:
    """Also behind one that is held: on the very events on which an observer, who holds nothing, hears of it."""
    for seed in range(6):
        calls = random.Random(seed).sample(SEVERAL, 4)
        mixes = ({}, {"mixed": True}) if name in ("openai-chat", "openai-responses") else ({},)
        seeds = {"seed": seed} if name not in ("gemini", "ollama") else {}
        for more in mixes:
            events = MAKERS[name](calls, **seeds, **more)
            heard = announced(name, events, "mend")
            assert heard == announced(name, events, "observe")
            assert len({status.id for _, status in heard}) == sum(tool != OTHER for tool, _ in calls)
            assert len({number for number, _ in heard}) > 2


@pytest.mark.parametrize("name", MAKERS)
def test_what_the_provider_sent_keeps_its_order_though_calls_are_announced_earlier(name: str) -> None:
    """No event of the provider overtakes another: those of the calls leave where they left while nothing was announced."""
    for seed in range(6):
        calls = random.Random(seed).sample(SEVERAL, 4)
        events = MAKERS[name](calls)
        lanes = Lanes(GUARD, PROTOCOLS[name], Settings(stream_id="s"))
        items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
        blocks = [item for item in items if isinstance(item, ToolBlock)]
        assert [(block.tool, block.executable) for block in blocks] == [(tool, True) for tool, _ in calls if tool != OTHER]
        left = [item for item in items if isinstance(item, dict)]
        names = [piece.name for event in left for piece in PROTOCOLS[name].calls(event) if piece.name and not piece.whole]
        whole = [piece.name for event in left for piece in PROTOCOLS[name].calls(event) if piece.whole]
        assert (names or whole) == [tool for tool, _ in calls]


def test_a_later_call_that_is_cut_off_does_not_take_the_one_before_it_with_it() -> None:
    """It was announced while the one before it was held, and is not sent on."""
    for reason, runs in (("max_tokens", True), ("refusal", False), (None, False)):
        events = messages([("write_file", GOOD), ("delete_file", '{"path": "old')], None)[:-1]
        ending = {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        }
        lanes = Lanes(GUARD, PROTOCOLS["anthropic"], Settings())
        items = [item for event in (*events, ending) for item in lanes.feed(event)] + list(lanes.end())
        assert [block.executable for block in items if isinstance(block, ToolBlock)] == [runs, False]
        assert "old" not in json.dumps([item for item in items if isinstance(item, dict)])


def test_a_piece_behind_the_end_of_its_call_is_no_part_of_it_though_the_end_waits() -> None:
    """The call has ended as it was; what comes with its place later belongs to nothing."""
    first, *rest = messages([("write_file", GOOD), ("delete_file", '{"path": "old"}')])
    stop = next(at for at, event in enumerate(rest) if event["type"] == "content_block_stop")
    late = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ', "x": 1}'}}
    noted: list[str] = []
    for at in (stop + 1, stop + 2, stop + 4):
        lanes = Lanes(GUARD, PROTOCOLS["anthropic"], Settings(on_uninspected=noted.append))
        events = [first, *rest[:at], late, *rest[at:]]
        items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
        assert [block.executable for block in items if isinstance(block, ToolBlock)] == [True, True]
        assert '"x"' not in json.dumps([item for item in items if isinstance(item, dict)])
    assert noted == ["late piece"] * 3


# -- calls with places -------------------------------------------------------------------------------------------------


def begun_in_order(name: str, calls: Sequence[tuple[str, str]], order: Sequence[int] | None) -> list[dict[str, Any]]:
    """A stream whose calls begin in this order, and then come one after the other; none says that it begins for None."""
    first, *events = MAKERS[name](calls)
    member, begins = {
        "anthropic": ("index", "content_block_start"),
        "openai-responses": ("output_index", "response.output_item.added"),
    }[name]
    begun = {event[member]: event for event in events if event["type"] == begins}
    rest = [event for event in events if event["type"] != begins]
    return [first, *(begun[place] for place in order or ()), *rest]


@pytest.mark.parametrize("name", ["anthropic", "openai-responses"])
@pytest.mark.parametrize("native", ["mend", "withhold"])
def test_calls_leave_by_their_places_in_whatever_order_they_began(cases: Cases, name: str, native: Any) -> None:
    """Of known tools and others, each whole; nothing behind the end of the message. In a response none has to say it begins."""
    table = PROTOCOLS[name]
    for tools in itertools.product((OURS, OTHER), repeat=3):
        calls = [(tool, GOOD if tool == OURS else "{}") for tool in tools]
        orders: list[Sequence[int] | None] = [*itertools.permutations(range(3))]
        for order in [*orders, None] if name == "openai-responses" else orders:
            cases(1)
            noted: list[str] = []
            events = begun_in_order(name, calls, order)
            lanes = Lanes(GUARD, table, Settings(native=native, stream_id="s", on_uninspected=noted.append))
            items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
            sent = [item for item in items if isinstance(item, dict)]
            about = (tools, order, [event["type"] for event in sent])
            assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True] * tools.count(OURS), about
            assert sorted(piece.call for event in sent for piece in table.calls(event) if piece.name and not piece.whole) == (
                [(place,) for place in range(3)] if order is not None else []
            ), about
            ended = [event for event in sent if event["type"] in ("content_block_stop", "response.output_item.done")]
            assert [table.place(event) for event in ended] == sorted(table.place(event) or 0 for event in ended), about
            assert len(ended) == len(calls), about
            assert sent[-1]["type"] in ("message_stop", "response.completed"), about
            assert len(table.repeated(sent[-1])) == (len(calls) if name == "openai-responses" else 0), about
            assert not set(noted) - {"unknown tool"}, (noted, about)
