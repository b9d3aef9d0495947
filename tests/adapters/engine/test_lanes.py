"""Each lane by itself, at any cut and in any mixture; on the real streams of real providers, as JSON."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import CHAT, EVERY, GEMINI, MESSAGES, OLLAMA, PROTOCOLS, RESPONSES, Protocol
from stream_guard_adapters.protocols.access import get, put
from stream_guard_conformance.corpus.streams import STREAMS, chat, finish, section

from stream_guard import End, Guard, ToolBlock, ToolStatus
from stream_guard.testing import merge_text, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import WHOLE, some, splits
from tests.kit.lane_events import BLOCK, GOOD, responses
from tests.kit.proof import Cases
from tests.kit.recordings import Recording

SEEDS = min(int(os.environ.get("EXAMPLES", "50")) // 50, 20)
"""How often fifty mixtures of lanes, and fifteen texts with something beside them, are drawn for each protocol; more under
`make more` and `make prove`.
"""

GUARD = Guard(FILE_TOOLS, untagged="validate")


def through(events: Iterable[Any], table: Protocol, guard: Guard = GUARD) -> list[Any]:
    """What a guarded stream of these events yields, without a loop."""
    lanes = Lanes(guard, table, Settings(stream_id="s"))
    found: list[Any] = []
    for event in events:
        found += [event] if lanes.try_pass(event) else lanes.feed(event)
    found += lanes.end()
    return found


def by_lane(items: Iterable[Any], table: Protocol) -> dict[Any, list[Any]]:
    """The text and the events of each lane, in order; our events without what tells the lanes apart."""
    found: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        if isinstance(item, ToolStatus | ToolBlock):
            found[item.id.removeprefix("s-").rpartition("-")[0]].append(_alike(item))
        else:
            for lane, text in table.texts(item):
                found[".".join(map(str, lane))].append(text)
    return {lane: merge_text(said) for lane, said in found.items()}


def _alike(item: Any) -> Any:
    return put(item, id=item.id.rpartition("-")[2])


def solo(text: str, cause: Any) -> list[Any]:
    """What a text by itself comes to."""
    session = GUARD.session("s", asks=False)
    return merge_text([item if isinstance(item, str) else _alike(item) for item in (*session.feed(text), *session.end(cause))])


@pytest.mark.some
def test_recordings_without_a_fence_leave_as_the_very_events(recordings: list[Recording]) -> None:
    """All of them, as many, in order; but for what only repeats a text."""
    passed = 0
    for name, table, events in some(recordings, 250, kind=lambda recording: recording[1].name):
        text = "".join(text for event in events for _, text in table.texts(event))
        if "`" in text or "~" in text:
            continue
        items = through(events, table)
        assert items == events, name
        assert sum(one is not other for one, other in zip(items, events, strict=True)) <= 4, name
        passed += 1
    assert passed > 120


@pytest.mark.some(0)
def test_each_lane_of_a_recording_comes_to_what_its_text_alone_comes_to(
    recordings: list[Recording],
) -> None:
    """At the recorded cuts, by character, and at random cuts."""
    looked_at = 0
    for name, table, events in recordings:
        texts: dict[Any, str] = defaultdict(str)
        ended: dict[Any, Any] = {}
        for event in events:
            for lane, text in table.texts(event):
                if ended.get(lane) or ended.get(EVERY):
                    break  # text after the end is a text of its own
                texts[lane] += text
            for lane, cause in table.ends(event):
                if cause is not None:
                    ended.setdefault(lane, cause)
        whole = "".join(texts.values())
        if "```" not in whole or len(whole) > 20_000:
            continue
        expected = {
            ".".join(map(str, lane)): solo(text, ended.get(lane, ended.get(EVERY, "disconnect")))
            for lane, text in texts.items()
        }
        if any(len(table.texts(event)) > 1 for event in events):
            continue
        for cut in (0, 1, 7):
            found = by_lane(through(recut(events, table, cut), table), table)
            assert found == {lane: said for lane, said in expected.items() if said}, (name, cut)
        looked_at += 1
    assert looked_at > 40


def recut(events: Sequence[Any], table: Protocol, size: int) -> Iterable[Any]:
    """The events with their texts cut to this size; 0 leaves them as they are."""
    for event in events:
        texts = table.texts(event)
        if not size or not texts or table.beside(event):
            yield event
            continue
        ((lane, text),) = texts
        for start in range(0, len(text), size):
            yield table.piece(event, lane, text[start : start + size], first=start == 0, last=start + size >= len(text))


@pytest.mark.some
@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.promise("P1", "P2")
def test_a_stream_of_every_protocol_comes_to_what_its_text_alone_comes_to(cases: Cases, name: str) -> None:
    """Whole, by character, and cut in two at every place. No part of a call leaves as text."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    for text in (f"a\n{BLOCK}b", f"{BLOCK}{BLOCK}", "c `d` e\n", "```py\nx\n```\n"):
        expected = solo(text, "stop")
        cuts = [[text], *splits(text, 12)]
        cases(len(cuts))
        for pieces in cuts:
            found = by_lane(through(spoken.stream(pieces), table), table)
            assert [said for said in found.values() if said] == [expected]


@pytest.mark.parametrize("protocol", [name for name, spoken in STREAMS.items() if spoken.lanes > 1])
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.more
@pytest.mark.promise("P1", "P2")
def test_lanes_know_nothing_of_each_other(cases: Cases, seed: int, protocol: str) -> None:
    """Fifty random mixtures of three texts, each: every lane comes to what it comes to by itself."""
    table, spoken = PROTOCOLS[protocol], STREAMS[protocol]
    last = list(spoken.last)
    assert spoken.stop is not None
    chance = Random(seed)
    texts = [f"a\n{BLOCK}b", f"{BLOCK}{BLOCK}", '```json\n{"tool": "delete_file", "path"', "c `d` e\n", "```py\nx\n```\n"]
    cases(50 if WHOLE else 25)
    for _ in some(range(50), 25):
        lanes: list[list[dict[str, Any]]] = []
        for index in range(3):
            pieces = next(iter(random_splits(chance.choice(texts), chance.random().__hash__(), 1)))
            lanes.append([*(spoken.say(index, piece) for piece in pieces), spoken.stop(index)])
        alone = [by_lane(through([*lane, *last], table), table) for lane in lanes]
        mixed: list[dict[str, Any]] = []
        left = [list(lane) for lane in lanes]
        while any(left):
            mixed.append(chance.choice([lane for lane in left if lane]).pop(0))
        found = by_lane(through([*mixed, *last], table), table)
        for lane in alone:
            for name, said in lane.items():
                assert found[name] == said


def test_several_choices_in_one_chunk_are_told_apart() -> None:
    """Only when something has to be held."""
    both = {"id": "c", "choices": [*chat(0, "a")["choices"], *chat(1, "b")["choices"]]}
    assert through([chat(0, "x"), chat(1, "y"), both], CHAT)[2] is both
    held = {"id": "c", "choices": [*chat(0, BLOCK)["choices"], *chat(1, "b")["choices"]]}
    found = by_lane(through([held, finish(0), finish(1)], CHAT), CHAT)
    assert [type(item) for item in found["0"]][-2:] == [ToolBlock, str]
    assert found["1"] == ["b"]


def test_what_stands_beside_held_text_leaves_at_once_and_once() -> None:
    """The role with the first piece, tool calls too; the reason and the usage with the last."""
    calls = [{"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}]
    event = chat(0, f"Hi\n{BLOCK}Bye", role="assistant", tool_calls=calls)
    event["choices"][0]["finish_reason"] = "stop"
    event["choices"][0]["logprobs"] = {"content": [{"token": "Hi"}]}
    event |= {"usage": {"total_tokens": 3}, "obfuscation": "xx"}
    items = [item for item in through([event], CHAT) if isinstance(item, dict)]
    deltas = [item["choices"][0]["delta"] for item in items]
    assert "".join(delta["content"] for delta in deltas) == "Hi\n\nBye"
    assert [delta.keys() for delta in deltas] == [{"content", "role", "tool_calls"}] + [{"content"}] * (len(deltas) - 1)
    assert [item["choices"][0]["finish_reason"] for item in items] == [None] * (len(items) - 1) + ["stop"]
    assert [item.get("usage") for item in items] == [None] * (len(items) - 1) + [{"total_tokens": 3}]
    assert [item["choices"][0]["logprobs"] for item in items][1:] == [None] * (len(items) - 1)
    assert event["choices"][0]["delta"]["role"] == "assistant"  # what came is as it came


BESIDE: dict[str, list[Callable[[Any], Any]]] = {
    "openai-chat": [lambda event: event, lambda event: event["choices"][0], lambda event: event["choices"][0]["delta"]],
    "openai-responses": [lambda event: event],
    "anthropic": [lambda event: event, lambda event: event["delta"]],
    "gemini": [
        lambda event: event,
        lambda event: event["candidates"][0],
        lambda event: event["candidates"][0]["content"],
        lambda event: event["candidates"][0]["content"]["parts"][0],
    ],
    "ollama": [lambda event: event, lambda event: event["message"]],
    "ai-sdk": [lambda event: event],
}
"""The objects of an event with text, in which a provider may add whatever it likes. AG-UI has no events with an empty text."""

MARKED = ("logprobs", "annotations", "citations", "token_ids", "content_filter_results", "x_provider", "timings", "safety")


def marked(events: list[Any], name: str, chance: Random) -> tuple[list[Any], list[str]]:
    """The events with more members beside their texts, and the marks in those."""
    marks: list[str] = []
    for event in events:
        for place in BESIDE[name]:
            if PROTOCOLS[name].texts(event) and chance.random() < 0.5:
                mark = f"MARK{len(marks)}."
                value: Any = chance.choice([{"content": [{"token": mark, "logprob": -1}]}, [mark], mark])
                member = chance.choice([one for one in MARKED if one not in place(event)] + ["x"])
                if member == "logprobs" and name == "openai-responses":
                    value = [{"token": mark, "logprob": -1}]
                place(event)[member] = value
                marks.append(mark)
    return events, marks


def plain_of(item: Any) -> Any:
    return item if isinstance(item, dict) else item.to_dict(warnings=False) if hasattr(item, "to_dict") else None


@pytest.mark.some
@pytest.mark.parametrize(
    "settings", [Settings(), Settings(blocks="both"), Settings(blocks="text"), Settings(promote=True)], ids=str
)
@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.promise("P2")
def test_what_stands_beside_a_text_leaves_once(name: str, objects: bool, settings: Settings, cases: Cases) -> None:
    """Whatever it is, wherever it stands, and whether its text passes, is held, is shown later or not at all."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    if objects and not table.makes_objects:
        pytest.skip("the client's objects are made of its JSON elsewhere")
    body = '```json\n{"name": "p"}\n```\n'
    for seed in some(range(15 * SEEDS), 8):
        cases(1)
        chance = Random(seed)
        text = "".join(chance.choice(["Hi\n", BLOCK, body, "`a`\n", "``", "\n", "and so on. "]) for _ in range(5))
        text += chance.choice(["", "```json\n" + UNFENCED[8:-4]])
        given = [deepcopy(event) for event in spoken.stream(next(iter(random_splits(text, seed=seed))))]
        events, marks = marked(given, name, chance)
        made = [table.as_object(event) for event in events] if objects else events
        lanes = Lanes(GUARD, table, settings)
        items = [item for event in made for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
        items += lanes.end()
        passed = [plain_of(item) for item in items if not isinstance(item, ToolStatus | ToolBlock)]
        told = json.dumps(passed)
        assert {mark: told.count(mark) for mark in marks} == dict.fromkeys(marks, 1), (seed, text)


def test_text_of_several_parts_is_text() -> None:
    """As Mistral sends it beside its thoughts."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    event = chat(0, "")
    event["choices"][0]["delta"]["content"] = [thought, {"type": "text", "text": f"Hi\n{BLOCK}"}]
    sent = [item["choices"][0]["delta"].get("content") for item in through([event, finish(0)], CHAT) if isinstance(item, dict)]
    assert [text for text in sent if text] == [[thought], "Hi\n", "\n"]


def test_what_repeats_a_whole_text_repeats_what_was_visible() -> None:
    """Four times over; and a reader of deltas and a reader of the end see the same."""
    items = [item for item in through(responses(f"Hi\n{BLOCK}Bye"), RESPONSES) if isinstance(item, dict)]
    said = "".join(item["delta"] for item in items if item["type"].endswith("text.delta"))
    assert said == "Hi\n\nBye"
    assert GOOD not in json.dumps(items)
    assert items[-4]["text"] == items[-3]["part"]["text"] == items[-2]["item"]["content"][0]["text"] == said
    assert items[-1]["response"]["output"][0]["content"][0]["text"] == said
    assert items[-1]["response"]["id"] == "r"


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_tells_our_events_in_a_shape_of_its_own(name: str) -> None:
    """As JSON, recognised as nothing with text in it, and ending no lane."""
    table = PROTOCOLS[name]
    for event in (item for item in GUARD.scan([BLOCK], stream_id="s") if not isinstance(item, str)):
        for told in table.carry(event, None, None, within=False):
            assert json.loads(json.dumps(told)) == told
            assert not table.texts(told)
            assert [lane for lane, _ in table.ends(told)] in ([], [("0",)], [("",)])


def test_a_table_reads_json_and_objects_alike() -> None:
    """The same answers for the client's object as for the JSON that it was made of."""
    from anthropic.types import RawContentBlockDeltaEvent
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import ResponseTextDeltaEvent

    chunk = {**chat(0, "Hi"), "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta = {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Hi"}}
    text = responses("H")[1] | {"sequence_number": 4}
    rows: list[tuple[Protocol, dict[str, Any], Any]] = [
        (CHAT, chunk, ChatCompletionChunk.model_validate(chunk)),
        (MESSAGES, delta, RawContentBlockDeltaEvent.model_validate(delta)),
        (RESPONSES, text, ResponseTextDeltaEvent.model_validate(text)),
    ]
    for table, data, made in rows:
        assert table.texts(data) == table.texts(made)
        ((lane, _),) = table.texts(data)
        for first in (True, False):
            one = table.piece(data, lane, "Yo", first=first, last=False)
            other = table.piece(made, lane, "Yo", first=first, last=False)
            assert type(other) is type(made)
            assert table.texts(one) == table.texts(other) == (table.texts(one))
            assert get(other, "id") == get(one, "id")
        assert made.model_dump(exclude_unset=True) == data


def test_the_smaller_protocols_split_as_their_clients_expect() -> None:
    """Gemini's reason and counts, and Ollama's, stand on the last piece alone."""
    gemini = {
        "candidates": [{"content": {"parts": [{"text": f"Hi\n{BLOCK}Bye"}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"totalTokenCount": 3},
    }
    items = [item for item in through([gemini], GEMINI) if isinstance(item, dict)]
    assert ["finishReason" in item["candidates"][0] for item in items] == [False] * (len(items) - 1) + [True]
    assert ["usageMetadata" in item for item in items] == [False] * (len(items) - 1) + [True]
    ollama = {"model": "m", "message": {"role": "assistant", "content": f"Hi\n{BLOCK}"}, "done": True, "eval_count": 3}
    items = [item for item in through([ollama], OLLAMA) if isinstance(item, dict)]
    assert [item["done"] for item in items] == [False] * (len(items) - 1) + [True]
    assert ["eval_count" in item for item in items] == [False] * (len(items) - 1) + [True]


@pytest.mark.promise("P9")
def test_a_fault_of_ours_lets_the_event_pass(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Promise P9, for a table that fails: the stream goes on, and the log says what kind of fault it was."""

    def fails(*_: Any) -> Any:
        raise RuntimeError("secret")

    events = [chat(0, "a"), chat(0, "b\n"), finish(0)]
    monkeypatch.setattr(type(CHAT), "plain", fails)
    monkeypatch.setattr(type(CHAT), "texts", fails)
    assert [item for item in through(events, CHAT) if isinstance(item, dict)] == events
    assert "the guard failed on an event: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


UNFENCED = '```json\n{"tool": "delete_file", "path": "a.txt"}\n'


@pytest.mark.parametrize("name", STREAMS)
def test_a_finish_reason_makes_a_complete_call_without_a_closing_fence_whole(name: str) -> None:
    """Where a protocol has one. A stream that only runs out proves nothing."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    for pieces in ([UNFENCED], list(UNFENCED), [UNFENCED + "``"]):
        (block,) = (item for item in through(spoken.stream(pieces), table) if isinstance(item, ToolBlock))
        says = name not in ("text", "ag-ui")
        assert (block.executable, block.end_cause) == (says, "stop" if says else "disconnect")
        (block,) = (item for item in through([spoken.say(0, piece) for piece in pieces], table) if isinstance(item, ToolBlock))
        assert (block.executable, block.end_cause) == (False, "disconnect")
        assert [issue.code for issue in block.issues] == ["missing_fence"]


@pytest.mark.parametrize(
    ("reason", "end_cause"),
    [
        ("stop", "stop"), ("eos", "stop"), ("length", "length"), ("content_filter", "content_filter"),
        ("tool_calls", "disconnect"), ("function_call", "disconnect"), ("never_heard_of", "disconnect"), (7, "disconnect"),
    ],
)  # fmt: skip
def test_only_reasons_of_the_table_are_evidence(reason: Any, end_cause: str) -> None:
    """A reason that nobody knows may mean anything. A native call beside it is judged by its own JSON."""
    arguments = {"name": "delete_file", "arguments": '{"path": "b"}'}
    call = chat(0, "", tool_calls=[{"index": 0, "id": "i", "function": arguments}])
    native, text = (item for item in through([chat(0, UNFENCED), call, finish(0, reason)], CHAT) if isinstance(item, ToolBlock))
    assert (text.end_cause, text.executable) == (end_cause, end_cause == "stop")
    assert native.executable is (end_cause in ("stop", "disconnect"))


@pytest.mark.parametrize("reason", ["stop_sequence", "end_turn", "max_tokens", "tool_use", None])
def test_the_reason_of_a_message_counts_for_the_blocks_that_ended_before_it(reason: str | None) -> None:
    """A stop sequence is often the fence itself."""
    spoken = STREAMS["anthropic"]
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}}
    events = [spoken.say(0, UNFENCED), {"type": "content_block_stop", "index": 0}, delta, {"type": "message_stop"}]
    (block,) = (item for item in through(events, PROTOCOLS["anthropic"]) if isinstance(item, ToolBlock))
    assert block.executable is (reason in ("stop_sequence", "end_turn"))


@pytest.mark.parametrize("ended", [True, False])
def test_what_waits_when_a_stream_is_over_leaves(ended: bool) -> None:
    """A text that ends in the middle of a block, begins again, and ends so again: nobody says why, and nothing is lost."""
    begun = '```json\n{"tool": "delete_file", '
    stop = {"type": "text-end", "id": "t0"}
    events = [section(0, begun), stop, section(0, begun), stop, section(1, "What was said later.")]
    lanes = Lanes(GUARD, PROTOCOLS["ai-sdk"], Settings(stream_id="s"))
    items = [item for event in (*events, *([End()] if ended else [])) for item in lanes.feed(event)]
    assert ended is (events[-1] in items)
    items += lanes.end()
    assert [item for item in items if isinstance(item, dict)] == [stop, stop, events[-1]]
    assert [item.raw for item in items if isinstance(item, ToolBlock)] == [begun, begun]


def test_a_block_that_only_a_repeated_text_has_is_counted() -> None:
    """It is left out of the text, as every block is, but nobody heard of it: not where deltas were lost on their way."""
    text = 'Hi\n```json\n{"tool": "delete_file", "path": "a"}\n```\nand\n'
    done = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "item_id": "i", "text": text * 2}
    for heard, counted in ((text, 0), ("Hi\n", 2), (text.replace("path", "paht"), 2)):
        why: list[str] = []
        lanes = Lanes(GUARD, RESPONSES, Settings(on_uninspected=why.append))
        delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "i", "delta": heard}
        said = [item for event in (delta, done) for item in lanes.feed(event)] + list(lanes.end())
        assert [item["text"] for item in said if isinstance(item, dict) and "text" in item] == ["Hi\n\nand\n" * 2]
        assert why == ["unseen block"] * counted


@pytest.mark.parametrize("name", STREAMS)
def test_reasoning_that_is_never_closed_is_counted_once_for_each_text(name: str) -> None:
    """And its text flows on; reasoning that is closed is nothing to count."""
    spoken = STREAMS[name]
    for text, counted in ((f"<think>\n{UNFENCED}```\n", 1), (f"<think>\n{UNFENCED}```\n</think>", 0)):
        why: list[str] = []
        lanes = Lanes(GUARD, PROTOCOLS[name], Settings(on_uninspected=why.append))
        events = spoken.stream(list(text))
        said = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
        assert said == events
        assert why == ["open reasoning"] * counted


UNKNOWN_CALLS = [
    '{"tool": "search", "query": "x"}',
    '{"tool": "search", "query": "x",}',
    '{"tool": "list_notes"}',
    '{"name": "search", "arguments": {"query": "x"}}',
    '{"action": "search", "action_input": "x"}',
    '{"type": "function", "function": {"name": "search", "arguments": "{}"}}',
]
NO_CALLS = [
    '{"name": "demo", "version": "1.0.0", "scripts": {}}',
    '{"action": "Final Answer", "action_input": "It is done."}',
    '{"name": "final_answer", "arguments": {"answer": "x"}}',
    '{"type": "function", "function": {"name": "search", "description": "d", "parameters": {"type": "object"}}}',
    '{"method": "search", "params": {}}',
    '[{"id": 1}]',
]


@pytest.mark.some(11)
@pytest.mark.promise("P7")
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("languages", [("json",), ("json", "")])
def test_a_block_that_calls_a_tool_that_nobody_knows_is_counted_and_ordinary_json_is_not(name: str, languages: Any) -> None:
    """Its text flows on as it was, at any cut, and in an event that repeats it nothing is counted again."""
    guard, table = Guard(FILE_TOOLS, languages=languages), PROTOCOLS[name]
    for body in (*UNKNOWN_CALLS, *NO_CALLS):
        text = f"So:\n```json\n{body}\n```\nDone.\n"
        for deltas in ([text], list(text)):
            why: list[str] = []
            lanes = Lanes(guard, table, Settings(on_uninspected=why.append))
            events = STREAMS[name].stream(deltas)
            said = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
            left = [item for item in said if not isinstance(item, ToolStatus)]
            spoken = [
                piece for event in left for lane, piece in PROTOCOLS[name].texts(event) if not PROTOCOLS[name].repeats(lane)
            ]
            assert "".join(spoken) == text
            assert why == ["unknown tool"] * (body in UNKNOWN_CALLS), body


def _interleaved(rng: Random) -> tuple[list[dict[str, Any]], str, int]:
    """A message whose text goes on at one place while a call is written at the other; its text, and how many calls it has."""
    text = 'ONE\n```json\n{"tool": "write_file", "path": "a", "content": "x"}\n```\nTWO\n'
    pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
    said: list[dict[str, Any]] = [
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}} for piece in pieces
    ]
    said = [{"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}, *said]
    said += [{"type": "content_block_stop", "index": 1}]
    call = {"type": "tool_use", "id": "t", "name": "delete_file", "input": {}}
    called: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": call},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"path": "z"}'}},
        {"type": "content_block_stop", "index": 0},
    ]
    order = [0] * len(called) + [1] * len(said)
    rng.shuffle(order)
    mixed = [called.pop(0) if one == 0 else said.pop(0) for one in order]
    last: list[dict[str, Any]] = [
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [*mixed, *last], text, 2


@pytest.mark.promise("P2")
def test_text_that_goes_on_beside_a_call_keeps_its_order(cases: Cases) -> None:
    """Wherever the call begins and ends, and wherever the stream breaks off: prose and raw, in order, are the text."""
    rng = Random(7)
    cases(60)
    for _ in range(60):
        events, text, calls = _interleaved(rng)
        for end in (len(events), rng.randrange(1, len(events))):
            lanes = Lanes(GUARD, PROTOCOLS["anthropic"], Settings(stream_id="s"))
            items = [item for event in events[:end] for item in lanes.feed(event)] + list(lanes.end())
            written = "".join(
                event["delta"]["text"] for event in events[:end] if event.get("delta", {}).get("type") == "text_delta"
            )
            seen = "".join(
                item.raw if isinstance(item, ToolBlock) else item["delta"]["text"]
                for item in items
                if (isinstance(item, ToolBlock) and item.id.startswith("s-1"))
                or (isinstance(item, dict) and item.get("delta", {}).get("type") == "text_delta")
            )
            assert seen == written
            if end == len(events):
                assert written == text
                assert sum(isinstance(item, ToolBlock) for item in items) == calls


IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}
CODE: Any = {"executableCode": {"code": "1"}}
ORDERS: Any = {
    "openai-chat": (lambda text: {"type": "text", "text": text}, IMAGE),
    "gemini": (lambda text: {"text": text}, CODE),
}


def parts_of(name: str, event: Any) -> list[Any]:
    """Return the parts of an event, its texts as strings."""
    if name == "gemini":
        found = [part for one in event["candidates"] for part in one["content"]["parts"]]
    else:
        said = [choice["delta"].get("content") or [] for choice in event["choices"]]
        found = [part for one in said for part in ([{"text": one}] if isinstance(one, str) else one)]
    return [part.get("text", part) for part in found]


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("native", ["mend", "observe", "off"])
@pytest.mark.parametrize("blocks", ["text", "events"])
def test_the_parts_of_an_event_keep_their_order(name: str, native: Any, blocks: Any) -> None:
    """Texts, and what stands between them, in one event or in several; whatever else the event has leaves once."""
    say, other = ORDERS[name]
    given = ["Hi\n", other, f"so\n{BLOCK}", other, other, "x\n", other, f"{BLOCK}Bye", other, "."]
    block = BLOCK.rstrip() if blocks == "events" else ""
    shown = [part.replace(block, "") if isinstance(part, str) else part for part in given]
    for deltas in random_splits("0123456789", 7, 50):
        events: list[Any] = []
        for delta in deltas:
            parts = [say(part) if isinstance(part, str) else part for part in (given[int(nth)] for nth in delta)]
            if name == "gemini":
                events.append({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}], "responseId": "r"})
            else:
                events.append({"id": "c", "choices": [{"index": 0, "delta": {"content": parts}, "finish_reason": None}]})
        last = events[-1]["candidates" if name == "gemini" else "choices"][0]
        last["finishReason" if name == "gemini" else "finish_reason"] = "STOP" if name == "gemini" else "stop"
        lanes = Lanes(GUARD, PROTOCOLS[name], Settings(native=native, blocks=blocks))
        sent = [item for event in events for item in lanes.feed(event) if isinstance(item, dict)]
        made = [part for item in sent for part in parts_of(name, item)]
        assert merge_text(made) == merge_text(shown)
        assert json.dumps(sent).count('"stop"' if name == "openai-chat" else '"STOP"') == 1
