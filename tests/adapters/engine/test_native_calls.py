"""Native tool calls: held, judged like blocks, and sent on whole in a shape that the real clients read."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import chain, product
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Native, Settings
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import CHAT, MESSAGES, PROTOCOLS, RESPONSES, Protocol
from stream_guard_conformance.corpus.native import MAKERS, Event, Given, chat, messages, pieces, responses

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard, Limits, Tool, ToolBlock, ToolStatus
from stream_guard.judge.judge import Judge
from stream_guard.spi import Aside
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.native_calls import (
    ARGUMENTS,
    DELETE,
    GOOD,
    STEPS,
    WEATHER,
    fails,
    through_anthropic,
    through_openai,
    through_responses,
)
from tests.kit.proof import Cases
from tests.kit.recordings import Recording

GUARD = Guard(FILE_TOOLS)


def blocks(items: Sequence[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


PROVIDERS: Any = {
    "openai-chat": (chat, through_openai),
    "openai-responses": (responses, through_responses),
    "anthropic": (messages, through_anthropic),
}
"""Each protocol's events, and its client."""

DELETED = ("delete_file", {"path": "b"})

CALLS: dict[str, tuple[list[Given], list[bool], list[tuple[str, Any]]]] = {
    "valid": ([("write_file", GOOD)], [True], [("write_file", ARGUMENTS)]),
    "raw line ends": ([("write_file", GOOD.replace("\\n", "\n"))], [True], [("write_file", ARGUMENTS)]),
    "another name": ([("create_file", GOOD)], [True], [("write_file", ARGUMENTS)]),
    "other fields": ([("write_file", GOOD.replace("path", "filename"))], [True], [("write_file", ARGUMENTS)]),
    "arguments in a text": ([("write_file", json.dumps(GOOD))], [True], [("write_file", ARGUMENTS)]),
    "two": ([("write_file", GOOD), DELETE], [True, True], [("write_file", ARGUMENTS), DELETED]),
    "not ours": ([("weather", '{"city": "Rio"}')], [], [("weather", {"city": "Rio"})]),
    "failed": ([("write_file", '{"path": "/etc/x", "content": ""}')], [False], []),
    "failed, then good": ([("write_file", "{}"), DELETE], [False, True], [DELETED]),
    "failed, then not ours": ([("write_file", "{}"), WEATHER, DELETE], [False, True], [("weather", {"city": "Rio"}), DELETED]),
}  # fmt: skip


@pytest.mark.some
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_the_real_clients_read_the_calls_that_were_sent_on(name: str, provider: str, native: Any) -> None:
    """However their arguments are cut. A call that failed they read as it was written, or not at all where it is withheld."""
    make, through = PROVIDERS[provider]
    calls, executable, read = CALLS[name]
    if native == "mend":
        good = iter(read)
        verdicts = iter(executable)
        read = [
            next(good) if tool == "weather" or next(verdicts) else (tool, json.loads(arguments)) for tool, arguments in calls
        ]
    for seed in some((1, 2), 1):
        events = make(calls, seed=seed)
        said = await collect(guard_events(FakeStream(events), GUARD, provider, native=native))
        assert [block.executable for block in blocks(said)] == executable
        assert [block.raw for block in blocks(said)] == [arguments for tool, arguments in calls if tool != "weather"]
        made = await through(events, GUARD, native=native)
        told = [(tool, json.loads(arguments)) for tool, arguments in made]
        assert told == read or (native == "mend" and sorted(told, key=str) == sorted(read, key=str))  # ours may come later


async def test_a_valid_call_is_sent_on_as_it_was_written() -> None:
    """To the letter, in one piece, before the reason why the choice ended; announced before that."""
    written = '{ "path" : "a.txt",  "content":"caf\\u00e9" }'
    guarded: Any = guard_events(FakeStream(chat([("write_file", written)])), GUARD, "openai-chat", stream_id="s")
    items = await collect(guarded)
    kinds = [item.status if isinstance(item, ToolStatus) else "block" if isinstance(item, ToolBlock) else "" for item in items]
    assert kinds == ["", "buffering", "buffering", "validating", "block", "", ""]  # the tool, and then the path
    (call,) = items[-2]["choices"][0]["delta"]["tool_calls"]
    assert (call["id"], call["function"]) == ("t0", {"name": "write_file", "arguments": written})
    assert items[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_calls_that_interleave_are_told_apart() -> None:
    """By their index; and where two share one, by their ids."""
    calls = [("write_file", GOOD), ("delete_file", '{"path": "b"}'), ("weather", '{"city": "Rio"}')]
    told = {("write_file", True), ("delete_file", True)}
    for seed in range(10):
        items = await collect(guard_events(FakeStream(chat(calls, seed=seed, mixed=True)), GUARD, "openai-chat"))
        assert {(block.tool, block.executable) for block in blocks(items)} == told
    for seed in range(20):  # a client that counts on the order of the items is not disappointed
        events = responses(calls, seed=seed, mixed=True)
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses"))
        assert {(block.tool, block.executable) for block in blocks(items)} == told
        begun = [item["output_index"] for item in items if isinstance(item, dict) and item["type"].endswith("item.added")]
        assert begun == [0, 1, 2]
        if seed < 3:
            assert sorted(await through_responses(events, GUARD)) == sorted(calls)
    shared = json.loads(
        json.dumps(chat([("write_file", GOOD), ("delete_file", '{"path": "b"}')])).replace('"index": 1', '"index": 0')
    )
    items = await collect(guard_events(FakeStream(shared), GUARD, "openai-chat"))
    assert [(block.tool, block.executable) for block in blocks(items)] == [("write_file", True), ("delete_file", True)]


def piece(number: int, arguments: str, *, name: str | None = None, call: str | None = None) -> Event:
    """Return a piece of a call, as chat completions have it."""
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"index": number, **({"id": call} if call else {}), "function": function}


def saying(*pieces: Event, reason: str | None = None, **more: Any) -> Event:
    """Return an event with these pieces of calls."""
    delta = {**more, **({"tool_calls": list(pieces)} if pieces else {})}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def joined(items: Sequence[Any]) -> dict[int, tuple[list[str], str, str]]:
    """Return what a client makes of the calls that leave: for each index the ids, the name and the arguments."""
    made: dict[int, tuple[list[str], str, str]] = {}
    for item in items:
        for choice in item["choices"] if isinstance(item, dict) else ():
            for call in choice["delta"].get("tool_calls") or ():
                ids, name, arguments = made.get(call["index"], ([], "", ""))
                function = call["function"]
                ids = [*ids, call["id"]] if call.get("id") and call["id"] not in ids else ids
                made[call["index"]] = (ids, name + (function.get("name") or ""), arguments + function["arguments"])
    return made


@pytest.mark.parametrize("follows", [False, True])
def test_which_call_began_first_is_noted_only_for_who_follows(follows: bool) -> None:
    """A stream may have thousands of calls, and nobody but `run` asks for their order."""
    lanes = Lanes(GUARD, CHAT, Settings())
    if follows:
        lanes.follow()
    calls: list[Given] = [("write_file", GOOD), WEATHER, DELETE]
    made = [item for event in chat(calls) for item in lanes.feed(event)] + list(lanes.end())
    told = [block.id for block in [*blocks(made), *(lanes.unknown_calls() if follows else ())]]
    assert len(told) == (3 if follows else 2)
    assert lanes.begun_calls.keys() == (set(told) if follows else set())


async def test_a_call_keeps_its_number_to_its_end() -> None:
    """However calls that are held, calls that fail and calls of other tools interleave, no two leave with one number."""
    for seed in range(200):
        drawn = random.Random(seed)
        kinds = [drawn.choice(("ours", "failed", "other", "named late")) for _ in range(drawn.randint(2, 6))]
        queues: list[list[Event]] = []
        meant = set()
        for number, kind in enumerate(kinds):
            name = "delete_file" if kind in ("ours", "failed") else "weather"
            written = json.dumps({"path": f"/etc/{number}" if kind == "failed" else f"n{number}"})
            cut = drawn.randint(1, len(written) - 1)
            named = {"name": name, "call": f"c{number}"}
            first = (
                piece(number, written[:cut], call=f"c{number}")
                if kind == "named late"
                else piece(number, written[:cut], **named)
            )
            second = piece(number, written[cut:], name=name) if kind == "named late" else piece(number, written[cut:])
            queues.append([first, second, piece(number, " ")] if drawn.random() < 0.5 else [first, second])
            if kind != "failed":
                meant.add((f"c{number}", name, written))
        events = []
        while any(queues):
            chosen = drawn.sample([queue for queue in queues if queue], 1)
            if drawn.random() < 0.4:  # one event has pieces of several calls
                chosen = [queue for queue in queues if queue and drawn.random() < 0.7] or chosen
            drawn.shuffle(chosen)
            events.append(saying(*(queue.pop(0) for queue in chosen)))
        events.append(saying(reason="tool_calls"))
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", native="withhold"))
        made = [(*ids, name, arguments.strip()) for ids, name, arguments in joined(items).values()]
        assert sorted(made) == sorted(meant), seed


@pytest.mark.parametrize("named", [True, False])
async def test_a_call_without_a_name_takes_no_other_call_with_it(named: bool) -> None:
    """Its event had text, and a piece of a call that failed: the text leaves once, and that call does not."""
    begun = saying(piece(0, '{"path": "/etc/x"}', name="delete_file", call="a"), piece(1, '{"city": ', call="b"), content="Hi")
    rest = saying(piece(1, '"Rio"}', name="weather")) if named else saying(piece(1, '"Rio"}'))
    stream = FakeStream([begun, rest, saying(reason="tool_calls")])
    items = await collect(guard_events(stream, GUARD, "openai-chat", native="withhold"))
    assert [block.executable for block in blocks(items)] == [False]
    assert joined(items) == {0: (["b"], "weather" if named else "", '{"city": "Rio"}')}
    assert [item for item in items if isinstance(item, dict) and item["choices"][0]["delta"].get("content")] == [
        saying(content="Hi")
    ]


async def test_calls_that_share_a_number_in_one_event_leave_with_their_own_ids() -> None:
    told = [piece(0, json.dumps({"path": name}), name="delete_file", call=name) for name in "ab"]
    items = await collect(guard_events(FakeStream([saying(*told), saying(reason="tool_calls")]), GUARD, "openai-chat"))
    assert joined(items) == {number: ([name], "delete_file", json.dumps({"path": name})) for number, name in enumerate("ab")}


@pytest.mark.parametrize("kinds", ["ou", "uo", "ouo", "uou", "fu", "uf", "ofu"])
async def test_calls_of_all_kinds_share_a_number_in_one_event_and_none_is_lost(kinds: str) -> None:
    """Ours are held, those of other tools pass, and those that fail are reported."""
    told, meant = [], []
    for nth, kind in enumerate(kinds):
        name, path = ("weather" if kind == "u" else "delete_file"), ("/etc/x" if kind == "f" else f"n{nth}")
        told.append(piece(0, json.dumps({"path": path}), name=name, call=f"c{nth}"))
        meant += [(f"c{nth}", name, json.dumps({"path": path}))] if kind != "f" else []
    items = await collect(
        guard_events(FakeStream([saying(*told), saying(reason="tool_calls")]), GUARD, "openai-chat", native="withhold")
    )
    assert sorted((*ids, name, said) for ids, name, said in joined(items).values()) == sorted(meant)


@pytest.mark.parametrize("native", ["mend", "observe"])
@pytest.mark.parametrize("name", ["delete_file", "weather"])
async def test_a_native_call_behind_the_finish_reason_gets_another_number_than_a_promoted_one(name: str, native: Any) -> None:
    """And one without a name, which would go on with the arguments of the promoted call, is left out."""
    text = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
    late = [piece(0, '{"path"', name=name, call="c"), piece(0, ': "b"}')]
    events = [saying(content=text), saying(reason="stop"), *map(saying, late), saying(reason="tool_calls")]
    stream = guard_events(FakeStream(events), GUARD, "openai-chat", promote=True, native=native)
    made = joined(await collect(stream))
    assert [(tool, json.loads(said)) for _, tool, said in made.values()] == [
        ("delete_file", {"path": "a"}),
        (name, {"path": "b"}),
    ]
    events = [saying(content=text), saying(reason="stop"), saying(piece(0, ', "x": 1}'))]
    made = joined(await collect(guard_events(FakeStream(events), GUARD, "openai-chat", promote=True)))
    assert [json.loads(said) for _, _, said in made.values()] == [{"path": "a"}]


REASONS: dict[str, dict[str | None, str]] = {
    "anthropic": {"length": "max_tokens", "stop": "end_turn"},
    "openai-responses": {"length": "max_output_tokens", "stop": "completed"},
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("reason", ["length", "stop", None])
async def test_a_call_that_was_cut_off_is_never_sent_on(provider: str, reason: str | None) -> None:
    """Wherever, and whatever is said of it: a call without its last bracket was cut off."""
    make, through = PROVIDERS[provider]
    reasons = REASONS.get(provider, {})
    for cut in range(1, len(GOOD)):
        events = make([("write_file", GOOD[:cut])], reasons.get(reason, reason))
        said = await collect(guard_events(FakeStream(events), GUARD, provider))
        (block,) = blocks(said)
        assert not block.executable
        assert block.end_cause == ("length" if reason == "length" else "disconnect")
        assert GOOD[:cut] == block.raw
    if provider == "anthropic":  # the helpers of the others raise for such an end
        assert await through(make([("write_file", GOOD[:-1])], reasons.get(reason, reason)), GUARD) == []


@pytest.mark.promise("P6")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_others_have_a_turn_while_many_calls_are_judged(provider: str, cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that were cut off yield no item where no events are sent.

    The test counts the calls that are judged between two items: behind an item, or a few, the caller lets other tasks run.
    """
    judged = 0
    judge = Judge.judged

    def counted(self: Judge, block: Any) -> Any:
        nonlocal judged
        judged += 1
        return judge(self, block)

    monkeypatch.setattr(Judge, "judged", counted)
    for arguments in (GOOD, "{", "{}"):
        for reason in (None, "length", "stop", "content_filter"):
            cases(1)
            events = PROVIDERS[provider][0]([("write_file", arguments)] * 70, REASONS.get(provider, {}).get(reason, reason))
            lanes = Lanes(GUARD, PROTOCOLS[provider], Settings(blocks="text"))
            most, begun = 0, judged
            before = begun
            for item in chain(*(lanes.feed(event) for event in events), lanes.end()):
                most, before = max(most, judged - before), judged
                if isinstance(item, Aside):
                    item.run()
            assert max(most, judged - before) <= 40
            assert judged - begun >= 70


FAULTY: dict[str, str] = {
    "single quotes": "{'path': 'a.txt', 'content': 'x [y] {z}'}",
    "fence": '```json\n{"path": "a.txt", "content": "x"}',
    "wrong closer": '{"path": ["a.txt"}, "content": "x"}',
    "list": '[{"path": "a.txt"}, {"content": "x"}]',
    "text": '"{\\"path\\": \\"a.txt\\", \\"content\\": [1]}"',
    "quoted text": json.dumps('{"path": "a.txt", "content": "\\n"}'),
}
"""Arguments with another fault, whose brackets show where they end. `test_cut_calls.py` has more kinds."""


def sent_as(name: str, arguments: str) -> tuple[ToolBlock, list[Event]]:
    """Return the block of a call with these arguments, and the events that left."""
    make, _ = PROVIDERS[name]
    lanes = Lanes(GUARD, recognised_by(name))
    items = [item for event in make([("write_file", arguments)]) for item in lanes.feed(event)] + list(lanes.end())
    (block,) = blocks(items)
    return block, [item for item in items if isinstance(item, dict)]


@pytest.mark.parametrize("name", FAULTY)
@pytest.mark.promise("P7")
def test_a_call_that_was_cut_off_is_never_sent_on_whatever_else_is_wrong_with_it(name: str, cases: Cases) -> None:
    """At any cut, and whatever reason the provider sends; its reason says then that the reply was cut off."""
    whole = FAULTY[name]
    cuts = range(min(found for opener in '{["' if (found := whole.find(opener)) >= 0) + 1, len(whole))
    for cut in cuts:
        for provider in PROVIDERS:
            block, sent = sent_as(provider, whole[:cut])
            assert (block.executable, block.end_cause) == (False, "disconnect"), whole[:cut]
            told = json.dumps(sent)
            assert "a.txt" not in told, whole[:cut]
            assert any(word in told for word in ('"length"', '"max_tokens"', '"max_output_tokens"')), whole[:cut]
    cases(len(cuts) * len(PROVIDERS))


@pytest.mark.parametrize("name", FAULTY)
def test_a_call_that_is_whole_is_sent_on_whatever_is_wrong_with_it(name: str) -> None:
    for provider in PROVIDERS:
        block, sent = sent_as(provider, FAULTY[name])
        assert block.end_cause == "closed"
        assert '"t0"' in json.dumps(sent)


RESPONSE_ENDS = {
    "incomplete: max_output_tokens": "length",
    "incomplete: content_filter": "content_filter",
    "failed": "error",
    "cancelled": "error",
    "error": "error",
    None: "disconnect",
}


def ended_by(calls: Sequence[Given], end: str | None) -> list[Event]:
    """The events of a response whose calls are complete, each with its own end, and that ends in this way."""
    *events, last = responses(calls)
    if end is None:
        return events
    if end == "error":
        return [*events, {"type": "error", "code": "server_error", "message": "no", "sequence_number": len(events)}]
    kind, _, why = end.partition(": ")
    response = {**last["response"], "status": kind, "incomplete_details": {"reason": why} if why else None}
    return [*events, {**last, "type": f"response.{kind}", "response": response}]


@pytest.mark.parametrize(
    ("provider", "reason", "cause"),
    [
        ("openai-chat", "length", "length"),
        ("openai-chat", "content_filter", "content_filter"),
        ("anthropic", "max_tokens", "length"),
        ("anthropic", "model_context_window_exceeded", "length"),
        ("anthropic", "refusal", "content_filter"),
        ("anthropic", None, "disconnect"),
        *(("openai-responses", end, cause) for end, cause in RESPONSE_ENDS.items()),
    ],
)
@pytest.mark.promise("P7")
async def test_the_last_call_of_a_message_that_did_not_end_well_is_not_sent_on(provider: str, reason: Any, cause: str) -> None:
    """Though it is whole, and however many events it has. Those before it are, at the token limit; else none is."""
    make, _ = PROVIDERS[provider]
    for calls in (
        [("write_file", GOOD)],
        [("delete_file", '{"path": "b"}'), ("delete_file", '{"path": "c"}'), ("write_file", GOOD)],
    ):
        events = ended_by(calls, reason) if provider == "openai-responses" else make(calls, reason)
        said = await collect(guard_events(FakeStream(events), GUARD, provider))
        before = (True, "closed") if cause == "length" else (False, cause)
        assert [(block.executable, block.end_cause) for block in blocks(said)] == [before] * (len(calls) - 1) + [(False, cause)]
        assert "a.txt" not in json.dumps([item for item in said if isinstance(item, dict)])


async def test_a_whole_call_waits_for_its_message_behind_any_number_of_events() -> None:
    body = json.dumps({"path": "b.txt", "content": "y" * 400})
    for reason, runs in (("tool_use", True), ("refusal", False)):
        events = messages([("write_file", GOOD), ("write_file", body)], reason)
        delta = next(event for event in reversed(events) if event["type"] == "content_block_delta")
        at = events.index(delta)
        events[at:at] = [{**delta, "delta": {**delta["delta"], "partial_json": ""}}] * 300
        said = await collect(guard_events(FakeStream(events), GUARD, "anthropic"))
        assert [block.executable for block in blocks(said)] == [runs, runs]


@pytest.mark.promise("P7")
async def test_a_call_whose_content_block_has_no_end_was_cut_off() -> None:
    events = [event for event in messages([("write_file", GOOD)]) if event["type"] != "content_block_stop"]
    (block,) = blocks(await collect(guard_events(FakeStream(events), GUARD, "anthropic")))
    assert (block.executable, block.end_cause) == (False, "disconnect")


AT_ONCE: dict[str, tuple[str, Callable[[Event, Any], None]]] = {
    "anthropic": ("content_block_start", lambda event, given: event["content_block"].update(input=given)),
    "openai-chat": ("", lambda event, given: called(event)[0]["function"].update(arguments=given)),
}
"""The event in which a protocol may have all arguments of a call as an object, and how they are put there."""


def called(event: Event) -> list[Any]:
    return event["choices"][0]["delta"].get("tool_calls") or [] if event.get("choices") else []


def spelt(value: Any, chance: random.Random) -> str:
    """The same JSON in another spelling: other spaces, escapes and order of keys."""
    if isinstance(value, dict):
        value = dict(sorted(value.items(), key=lambda _: chance.random()))
    return json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 1]))


@pytest.mark.parametrize("provider", AT_ONCE)
@pytest.mark.promise("P7")
async def test_arguments_that_stand_at_the_start_of_a_call_are_its_arguments(provider: str, cases: Cases) -> None:
    """They may be repeated in pieces, in any spelling. Others behind them are others, and nobody knows which were meant."""
    kind, put = AT_ONCE[provider]
    make, through = PROVIDERS[provider]
    given = {"path": "a.txt", "content": "caf\u00e9 \u2713\n"}
    for seed in range(40):
        cases(1)
        chance = random.Random(seed)
        other = chance.choice([{**given, "path": "b.txt"}, {**given, "content": 1}, {"path": "a.txt"}, {**given, "more": True}])
        for rest, runs in (
            (None, True),
            ("", True),
            (spelt(given, chance), True),
            (spelt(other, chance), False),
            (spelt(given, chance)[:-1], False),
            (spelt(given, chance) * 2, False),
        ):
            events = make([("write_file", rest or "")], seed=seed)
            if rest is None and provider == "anthropic":
                events = [event for event in events if event["type"] != "content_block_delta"]
            put(next(event for event in events if (event["type"] == kind if kind else called(event))), given)
            for native in ("mend", "withhold"):
                said = await collect(guard_events(FakeStream(events), GUARD, provider, native=native))
                (block,) = blocks(said)
                assert block.executable is runs, rest
                told = json.dumps([item for item in said if isinstance(item, dict)])
                assert ("a.txt" in told) is runs
            if seed < 2:
                assert [json.loads(said) for _, said in await through(events, GUARD)] == ([given] if runs else [])


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_correction_is_waited_for_in_any_order(provider: str, order: Any) -> None:
    """The call stands before what ends it."""
    make, through = PROVIDERS[provider]
    bad = '{"path": "a.txt", "content": ["x"]}'
    good = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(good), order=order)
    events = make([("write_file", bad)])
    items = await collect(guard_events(FakeStream(events), guard, provider))
    (block,) = blocks(items)
    assert (block.executable, block.corrected_by) == (True, "llm")
    assert items[-1] == events[-1] or provider == "openai-responses"  # whose last event repeats the call
    assert [(name, json.loads(said)) for name, said in await through(events, guard)] == [
        ("write_file", {"path": "a.txt", "content": "x"})
    ]


async def test_a_correction_may_not_make_another_call_of_it() -> None:
    """The tool was told before the arguments."""

    async def correct(_: CorrectionRequest) -> str:
        return '{"tool": "delete_file", "path": "a.txt"}'

    events = chat([("write_file", '{"path": "a.txt", "content": ["x"]}')])
    (block,) = blocks(await collect(guard_events(FakeStream(events), Guard(FILE_TOOLS, corrector=correct), "openai-chat")))
    assert (block.executable, block.attempts[-1].outcome) == (False, "refused")


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_calls_may_be_observed_or_left_alone(provider: str) -> None:
    """Then every event passes as it came."""
    make, _ = PROVIDERS[provider]
    events = make([("write_file", '{"path": "/x", "content": ""}'), ("create_file", GOOD)])
    settings: list[tuple[Native, list[bool]]] = [("observe", [False, False]), ("off", [])]
    for native, told in settings:
        items = await collect(guard_events(FakeStream(events), GUARD, provider, native=native))
        passed = [item for item in items if isinstance(item, dict)]
        assert all(one is other for one, other in zip(passed, events, strict=True))
        assert [block.executable for block in blocks(items)] == told
    with pytest.raises(ValueError, match="native must be"):
        guard_events(FakeStream([]), GUARD, provider, native="maybe")  # type: ignore[call-overload]


def test_recorded_calls_of_other_tools_pass_as_they_came(recordings: list[Recording]) -> None:
    """All of them: a guard holds what it knows, and nothing else."""
    seen: Counter[str] = Counter()
    for name, table, events in recordings:
        if not any(table.calls(event) for event in events):
            continue
        names = {piece.name for event in events for piece in table.calls(event) if piece.name}
        if any(FILE_TOOLS.knows(name) for name in names) or "`" in str(events) or "~" in str(events):
            continue
        lanes = Lanes(GUARD, table, Settings(stream_id="s"))
        items = [item for event in events for item in lanes.feed(event)]
        items += lanes.end()
        assert [item for item in items if isinstance(item, dict)] == events, name
        seen[table.name] += 1
    assert seen.total() > 150
    assert min(seen[name] for name in ("openai-chat", "anthropic", "openai-responses", "gemini", "ai-sdk")) > 5, seen


async def test_the_lanes_of_a_stream_share_what_they_may_spend() -> None:
    """Three calls that fail, and one call of a corrector."""
    corrector = FakeCorrector("no")
    guard = Guard(FILE_TOOLS, corrector=corrector, correction=CorrectionPolicy(max_calls=1))
    bad = ("write_file", '{"path": "a.txt", "content": ["x"]}')
    told = blocks(await collect(guard_events(FakeStream(chat([bad, bad, bad])), guard, "openai-chat")))
    assert len(corrector.requests) == 1
    assert [block.attempts[-1].reason for block in told] == ["calls"] * 3


def test_a_stream_that_says_it_is_done_has_ended_its_calls() -> None:
    """No reason was given: what is whole is sent on before the mark, what is cut is not."""
    for written, sent in ((GOOD, True), (GOOD[:-1], False)):
        body = Body(GUARD, "events", None)
        raw = "".join(f"data: {json.dumps(event)}\n\n" for event in chat([("write_file", written)], None)) + "data: [DONE]\n\n"
        said = [*body.push(raw.encode()), *body.end()]
        (block,) = blocks(said)
        assert block.executable is sent
        assert said[-1] == b"data: [DONE]\n\n"
        assert any(isinstance(item, bytes) and b"line 2" in item for item in said) is sent


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_comes_twice_is_told_once(provider: str) -> None:
    """A call's last events, repeated: it has been judged, and is not called again."""
    make, _ = PROVIDERS[provider]
    events = make([("write_file", GOOD)])
    for at in range(len(events) - 1, 0, -1):
        repeated = [*events[: at + 1], *events[at : at + 1], *events[at + 1 :]]
        if ended(events[at]):
            items = await collect(guard_events(FakeStream(repeated), GUARD, provider))
            assert [block.executable for block in blocks(items)] == [True], at


def ended(event: Event) -> bool:
    """Whether an event ends a call."""
    kind = event.get("type", "")
    return kind.endswith(("item.done", "block_stop")) or any(choice["finish_reason"] for choice in event.get("choices", ()))


async def test_a_call_that_nobody_names_waits_for_a_bounded_number_of_events() -> None:
    """`max_waiting` of them; then it passes, every piece as it came, and is counted."""
    calls = [{"tool_calls": [{"index": 0, "function": {"arguments": str(number)}}]} for number in range(9)]
    pieces: list[Event] = [{"choices": [{"index": 0, "delta": call}]} for call in calls]
    seen: list[str] = []
    guard = Guard(FILE_TOOLS, limits=Limits(max_waiting=5))
    heard: list[int] = []
    left = 0

    async def source() -> AsyncIterator[Event]:
        for piece in pieces:
            yield piece
            heard.append(left)

    async for event in guard_events(source(), guard, "openai-chat", on_uninspected=seen.append):
        assert event == pieces[left]
        left += 1
    assert heard[:4] == [0] * 4  # held
    assert left == 9
    assert heard[5] > 0  # and no longer
    assert seen == ["unnamed call"]


async def test_a_bounded_number_of_events_waits_for_a_held_call() -> None:
    """`max_waiting` of another call; then the held one ends, and nothing is lost. Pieces may repeat id and name."""

    def piece(index: int, arguments: str, name: str | None = None) -> Event:
        function = {"name": name, "arguments": arguments}
        call = {"index": index, "id": f"t{index}", "type": "function", "function": function}
        return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}

    pieces = [piece(0, '{"path": "a', "write_file"), piece(1, "", "unknown"), *(piece(1, str(nth)) for nth in range(30))]
    guard = Guard(FILE_TOOLS, limits=Limits(max_waiting=5))
    heard: list[int] = []
    found: list[Any] = []

    async def source() -> AsyncIterator[Event]:
        for one in pieces:
            yield one
            heard.append(len(found))

    async for item in guard_events(source(), guard, "openai-chat"):
        if not isinstance(item, ToolStatus):
            found.append(item)
    assert heard[4] == 0 < heard[8]
    assert [block.end_cause for block in blocks(found) if block.tool == "write_file"] == ["oversize"]
    deltas = [item["choices"][0]["delta"] for item in found if isinstance(item, dict)]
    sent = [call["function"]["arguments"] for delta in deltas for call in delta.get("tool_calls", ())]
    assert sent == ["", *map(str, range(30))]


@pytest.mark.some
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_calls_keep_their_order(provider: str, native: Any, cases: Cases) -> None:
    """Whatever tools they call, however many pieces they have, and whether their pieces come one behind another or mixed."""
    make, through = PROVIDERS[provider]
    for seed in some(range(60), 20, kind=lambda seed: seed < 3):
        cases(1)
        chance = random.Random(seed)
        calls = [chance.choice([WEATHER, DELETE, ("run_tests", '{"a": [1, 2]}'), ("write_file", GOOD)]) for _ in range(5)]
        calls = [(tool, said) for tool, said in calls[: chance.randrange(2, 6)]]
        mixed = {} if provider == "anthropic" or seed < 3 else {"mixed": chance.random() < 0.7}
        events = make(calls, seed=seed, **mixed)
        if seed < 3:
            assert [(tool, json.loads(said)) for tool, said in await through(events, GUARD, native=native)] == read(calls)
        items = await collect(guard_events(FakeStream(events), GUARD, provider, native=native))
        ids = re.findall(r'"(?:id|call_id)": "(t\d)"', json.dumps([item for item in items if isinstance(item, dict)]))
        assert list(dict.fromkeys(ids)) == [f"t{number}" for number in range(len(calls))], (calls, events)


def read(calls: Sequence[Given]) -> list[tuple[str, Any]]:
    return [(tool, json.loads(said)) for tool, said in calls]


async def test_calls_that_wait_behind_a_held_one_are_bounded() -> None:
    """At the limit the held call ends as oversize, and those behind it go on, whole and in their order."""
    guard = Guard(FILE_TOOLS, limits=Limits(max_held=20_000))
    other = [("run_tests", json.dumps({"x": "y" * 40_000})), WEATHER]
    events = chat([("write_file", GOOD), *other])
    first = next(at for at, event in enumerate(events) if "run_tests" in str(event))
    long = events[first + 1]
    events[first + 1 : first + 1] = [
        {**long, "choices": [{**long["choices"][0], "delta": {"tool_calls": [{"index": 1, "function": {"arguments": " "}}]}}]}
    ] * 300
    items = await collect(guard_events(FakeStream(events), guard, "openai-chat"))
    assert [(block.executable, block.end_cause) for block in blocks(items)] == [(False, "oversize")]
    told = joined([item for item in items if isinstance(item, dict)])
    assert [(tool, json.loads(said)) for _, tool, said in told.values()] == read(other)


def older(calls: Sequence[Given], finish: str | None = "function_call", *, seed: int = 1) -> list[Event]:
    """The chunks of a call as the older `function_call`, which a choice has once: each call has a choice of its own."""
    found = []
    for event in chat(calls, None, seed=seed)[1:]:
        (call,) = called(event)
        choice = {**event["choices"][0], "index": call["index"], "delta": {"function_call": call["function"]}}
        found.append({**event, "choices": [choice]})
    last: Event = {"delta": {}, "finish_reason": finish}
    return [*found, *({**found[0], "choices": [{"index": index, **last}]} for index in range(len(calls)))]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_a_call_of_the_older_kind_is_guarded_as_any_other(name: str, native: Any) -> None:
    """In the pieces of a stream and in a whole reply."""
    calls, executable, wanted = CALLS[name]
    if native == "mend" and not all(executable):
        return  # those that failed are sent on as they were written, which the next test shows
    for seed in range(5):
        items = await collect(guard_events(FakeStream(older(calls, seed=seed)), GUARD, "openai-chat", native=native))
        assert [block.executable for block in blocks(items)] == executable
        made: dict[int, list[str]] = {}
        reasons: dict[int, str] = {}
        for choice in [choice for item in items if isinstance(item, dict) for choice in item["choices"]]:
            said = made.setdefault(choice["index"], ["", ""])
            function = choice["delta"].get("function_call") or {}
            said[0] += function.get("name") or ""
            said[1] += function.get("arguments") or ""
            reasons[choice["index"]] = choice["finish_reason"] or ""
        assert [(tool, json.loads(arguments)) for tool, arguments in made.values() if tool] == wanted
        assert [reasons[index] for index, (tool, _) in made.items()] == [
            "function_call" if tool else "stop" for tool, _ in made.values()
        ]
    message = {"role": "assistant", "content": None}
    functions = [{"name": tool, "arguments": arguments} for tool, arguments in calls]
    choices = [
        {"index": at, "message": {**message, "function_call": one}, "finish_reason": "function_call"}
        for at, one in enumerate(functions)
    ]
    reply: Event = {"id": "c", "object": "chat.completion", "choices": choices}
    guarded = guard_reply(reply, GUARD, native=native)
    assert [block.executable for block in guarded.blocks] == executable
    left = [choice["message"].get("function_call") for choice in guarded.reply["choices"]]
    assert [(one["name"], json.loads(one["arguments"])) for one in left if one] == wanted


async def test_a_call_of_the_older_kind_that_is_cut_off_is_left_out_and_one_that_failed_is_not() -> None:
    for reason, wanted in (("function_call", "length"), ("length", "length")):
        for cut in range(1, len(GOOD)):
            items = await collect(guard_events(FakeStream(older([("write_file", GOOD[:cut])], reason)), GUARD, "openai-chat"))
            (block,) = blocks(items)
            assert not block.executable
            (last,) = [item for item in items if isinstance(item, dict)]
            assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, wanted)
    items = await collect(guard_events(FakeStream(older([("write_file", WRONG)])), GUARD, "openai-chat"))
    assert json.dumps(WRONG)[1:-1] in json.dumps([item for item in items if isinstance(item, dict)])


@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.promise("P2")
async def test_what_stands_beside_a_held_call_leaves_once(native: Any, cases: Cases) -> None:
    """At once, whatever becomes of the call."""
    for seed in range(40):
        cases(1)
        chance = random.Random(seed)
        events = chat(
            [chance.choice([("write_file", GOOD), WEATHER, DELETE, ("write_file", CUT)]) for _ in range(3)], seed=seed
        )
        marks: list[str] = []
        for event in events:
            for place in (event, event["choices"][0], event["choices"][0]["delta"]):
                if chance.random() < 0.5:
                    marks.append(f"MARK{len(marks)}.")
                    place[chance.choice(["x", "citations", "reasoning"])] = [marks[-1]]
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", native=native))
        told = json.dumps([item for item in items if isinstance(item, dict)])
        assert {mark: told.count(mark) for mark in marks} == dict.fromkeys(marks, 1)


LATE: dict[str, Event] = {
    "openai-chat": chat([("write_file", "")])[1]
    | {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "MARK"}}]}}]},
    "openai-responses": {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "i", "delta": "MARK"},
    "anthropic": {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": "MARK"},
    },
}


@pytest.mark.parametrize("written", [GOOD, GOOD[:-1], ""])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_piece_behind_the_end_of_its_call_is_left_out_and_counted(provider: str, written: str) -> None:
    """Whether the call was sent on or not, and wherever the piece comes; where calls are only observed it passes."""
    make, _ = PROVIDERS[provider]
    events = make([("write_file", written)])
    first = max(at for at, event in enumerate(events) if ended(event)) + 1
    for at in range(first, len(events) + 1):
        given = [*events[:at], LATE[provider], LATE[provider], *events[at:]]
        for native, seen in (("withhold", 0), ("observe", 2)):
            why: list[str] = []
            lanes = Lanes(GUARD, recognised_by(provider), Settings(native=native, on_uninspected=why.append))  # type: ignore[arg-type]
            said = [item for event in given for item in lanes.feed(event)] + list(lanes.end())
            assert len(blocks(said)) == 1
            assert blocks(said)[0].executable is (written == GOOD and native == "withhold") or native == "observe"
            assert json.dumps([item for item in said if isinstance(item, dict)]).count("MARK") == seen
            # A chat server may say a reason with each piece, so that a call that is not whole goes on.
            late = native == "withhold" and (provider != "openai-chat" or written == GOOD)
            assert why == (["late piece"] * 2 if late else [])


def recognised_by(provider: str) -> Any:
    return {"openai-chat": CHAT, "openai-responses": RESPONSES, "anthropic": MESSAGES}[provider]


@pytest.mark.parametrize("arguments", [GOOD, GOOD.replace("}", ",}")])
def test_a_response_that_is_resumed_within_a_call_has_the_call_at_its_end(arguments: str) -> None:
    """As its last events have it: its id and its name are in them, and all of its arguments."""
    events = responses([("write_file", arguments)])
    begun, done = (
        next(n for n, event in enumerate(events) if event["type"] == kind and event["item"]["type"] == "function_call")
        for kind in ("response.output_item.added", "response.output_item.done")
    )
    for at in range(begun, done + 1):
        noted: list[str] = []
        lanes = Lanes(GUARD, RESPONSES, Settings(on_uninspected=noted.append))
        items = [item for event in events[at:] for item in lanes.feed(event) if isinstance(item, dict)]
        (ended,) = [item["item"] for item in items if item["type"] == "response.output_item.done"]
        assert ended in items[-1]["response"]["output"]
        assert (json.loads(ended["arguments"]), noted) == (json.loads(GOOD), [])
        deltas = "".join(item["delta"] for item in items if item["type"] == "response.function_call_arguments.delta")
        assert deltas in ("", ended["arguments"])


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
@pytest.mark.parametrize("arguments", [GOOD, GOOD.replace("}", ",}"), "{}"])
@pytest.mark.promise("P2")
def test_what_stands_beside_the_arguments_of_a_held_call_leaves_once_and_in_order(provider: str, arguments: str) -> None:
    make, _ = PROVIDERS[provider]
    events = make([("write_file", arguments), ("weather", "{}")], seed=3)
    table = recognised_by(provider)
    marks: list[Any] = []
    for event in events:
        if any(not piece.whole for piece in table.calls(event)):
            for place in (event["delta"], event) if isinstance(event.get("delta"), dict) else (event,):
                marks.append(f"MARK{len(marks)}.")
                place["x_provider"] = [marks[-1]]
    lanes = Lanes(GUARD, table)
    items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
    sent = [item for item in items if isinstance(item, dict)]
    assert re.findall(r"MARK\d+\.", json.dumps(sent)) == marks
    pieces = "".join(piece.arguments for item in sent for piece in table.calls(item) if piece.call == (0,) and not piece.whole)
    assert json.loads(pieces) == json.loads(arguments.replace(",}", "}"))


@pytest.mark.parametrize("arguments", ['{"id": 1}', '{"file": "x"}', '{"path": "a", }', '{"path": "/etc/x", "content": ""'])
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.promise("P8")
def test_a_call_of_a_tool_in_a_namespace_is_no_call_of_the_tool_of_its_name(arguments: str, native: Any) -> None:
    """It passes as that of any unknown tool, behind a call before it that is held, and in the whole response."""
    names = [("write_file", GOOD), ("delete_file", arguments), ("write_file", GOOD)]
    events: list[Any] = json.loads(
        json.dumps(responses(names)).replace('"name": "delete_file"', '"namespace": "crm", "name": "delete_file"')
    )
    noted: list[str] = []
    lanes = Lanes(GUARD, RESPONSES, Settings(native=native, on_uninspected=noted.append))
    items = [item for event in events for item in lanes.feed(event)] + list(lanes.end())
    sent = [item for item in items if isinstance(item, dict)]
    assert [item for item in sent if item.get("output_index") == 1] == [
        item for item in events if item.get("output_index") == 1
    ]
    assert (sent[-1], noted) == (events[-1], [])
    assert [block.tool for block in blocks(items)] == ["write_file", "write_file"]


def test_a_call_that_only_the_whole_response_has_is_left_out_and_counted() -> None:
    """Nobody has judged it. Calls of other tools pass, and so does all that is only observed."""
    events = responses([("write_file", GOOD), WEATHER])
    last = events[-1]
    for native, names, counted in (("withhold", ["weather"], ["unseen call"]), ("observe", ["write_file", "weather"], [])):
        why: list[str] = []
        lanes = Lanes(GUARD, RESPONSES, Settings(native=native, on_uninspected=why.append))  # type: ignore[arg-type]
        said = [*lanes.feed(last), *lanes.end()]
        (event,) = [item for item in said if isinstance(item, dict)]
        assert [item["name"] for item in event["response"]["output"] if item["type"] == "function_call"] == names
        assert why == counted


WRONG = '{"path": "a.txt", "content": ["x"]}'
NO_JSON = '{"path": "a.txt", "content": x y}'
CUT = '{"path": "a.txt", "con'


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_that_failed_is_sent_on_as_it_was_written(provider: str) -> None:
    """To the letter, so that the client can tell the model; the block says that it may not run. It keeps its id and its end."""
    make, through = PROVIDERS[provider]
    for written in (WRONG, NO_JSON, "[1]", '"x"', " " + WRONG):
        events = make([("write_file", written), DELETE])
        items = await collect(guard_events(FakeStream(events), GUARD, provider))
        assert [(block.executable, block.end_cause) for block in blocks(items)] == [(False, "closed"), (True, "closed")]
        passed = [item for item in items if isinstance(item, dict)]
        assert json.dumps(written)[1:-1] in json.dumps(passed)
        assert json.dumps(passed).count('"t0"') == json.dumps([event for event in events if "t0" in str(event)]).count('"t0"')
        assert passed[-1] == events[-1]
    assert await through(make([("write_file", WRONG)]), GUARD) == [("write_file", WRONG)]


ENDS: dict[str, tuple[str, dict[str, str]]] = {
    "openai-chat": ("finish_reason", {"called": "tool_calls", "cut": "length", "failed": "stop"}),
    "anthropic": ("stop_reason", {"called": "tool_use", "cut": "max_tokens", "failed": "end_turn"}),
    "openai-responses": ("status", {"called": "completed", "cut": "incomplete", "failed": "completed"}),
}


def end_of(items: Sequence[Any], provider: str) -> str:
    """Why a message ended, as its last events say."""
    member = ENDS[provider][0]
    found: list[str] = []
    for item in items:
        if isinstance(item, dict):
            told = (*item.get("choices", ()), item.get("delta"), item.get("response"))
            found += [each[member] for each in told if isinstance(each, dict) and each.get(member)]
    return found[-1]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_message_without_a_call_does_not_say_that_it_has_one(provider: str) -> None:
    """It was cut off, or has ended. Where another call was sent on, of whatever tool, the reason stays."""
    make, through = PROVIDERS[provider]
    _, reasons = ENDS[provider]
    rows: list[tuple[list[Given], Native, str]] = [
        ([("write_file", GOOD)], "mend", "called"),
        ([("write_file", WRONG)], "mend", "called"),
        ([("write_file", CUT)], "mend", "cut"),
        ([("write_file", WRONG)], "withhold", "failed"),
        ([("write_file", WRONG), ("write_file", CUT)], "withhold", "cut"),
        ([("write_file", CUT), DELETE], "mend", "called"),
        ([DELETE, ("write_file", CUT)], "withhold", "called"),
        ([("write_file", CUT), WEATHER], "mend", "called"),
        ([WEATHER, ("write_file", CUT)], "mend", "called"),
        ([("write_file", CUT)], "observe", "called"),
        ([("write_file", CUT)], "off", "called"),
    ]
    for calls, native, wanted in rows:
        events = make(calls)
        items = await collect(guard_events(FakeStream(events), GUARD, provider, native=native))
        assert end_of(items, provider) == reasons[wanted], (calls, native)
        if provider == "openai-responses":
            last: Any = items[-1]
            assert (last["type"], bool(last["response"]["incomplete_details"])) == (
                f"response.{reasons[wanted]}",
                wanted == "cut",
            )
    if provider == "anthropic":  # the helpers of the others raise for the reason that there is
        assert await through(make([("write_file", CUT)]), GUARD) == []


KEPT: dict[str, tuple[str, list[str], list[str]]] = {
    "openai-chat": ("length", ["stop", "eos", "weird", "tool_calls", "function_call"], ["content_filter", "error", "abort"]),
    "anthropic": ("max_tokens", ["end_turn", "stop_sequence", "tool_use", "weird"], ["refusal"]),
    "ai-sdk": ("length", ["stop", "tool-calls", "other", "unknown"], ["content-filter", "error"]),
    "gemini": ("MAX_TOKENS", ["STOP"], ["SAFETY", "MALFORMED_FUNCTION_CALL"]),
    "ollama": ("length", ["stop", "weird"], ["error"]),
}  # fmt: skip
"""What says that a reply was cut off, the reasons that do not, and those that say that it failed otherwise."""


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_a_reply_whose_call_was_cut_off_says_so_whatever_the_provider_says(name: str, native: Any) -> None:
    """A client would read a normal end and no call. A reason that says what else went wrong stays, and any beside a call."""
    make = {**{key: maker for key, (maker, _) in PROVIDERS.items()}, **MAKERS}[name]
    guard = Guard(FILE_TOOLS, limits=Limits(max_block=20)) if name in ("gemini", "ollama") else GUARD  # they send no half calls
    cut, lies, others = KEPT[name]
    for reason in (*lies, *others):
        events = make([("write_file", GOOD if guard is not GUARD else CUT)], reason)
        items = await collect(guard_events(FakeStream(events), guard, name, native=native, blocks="text"))
        told = json.dumps(items[-3:])
        assert (f': "{cut}"' in told, f': "{reason}"' in told) == (reason in lies, reason in others), reason
        events = make([WEATHER, ("write_file", GOOD if guard is not GUARD else CUT)], reason)
        items = await collect(guard_events(FakeStream(events), guard, name, native=native, blocks="text"))
        assert f'"{reason}"' in json.dumps(items[-3:])
    if name in ("openai-chat", "gemini", "ollama"):
        replies: dict[str, Any] = {
            "openai-chat": {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "Hi", "tool_calls": [
                {"id": "t", "function": {"name": "write_file", "arguments": CUT}}]}}]},
            "gemini": {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"parts": [
                {"functionCall": {"name": "write_file", "args": ARGUMENTS}}]}}]},
            "ollama": {"done": True, "done_reason": "stop", "message": {"content": "Hi", "tool_calls": [
                {"function": {"name": "write_file", "arguments": ARGUMENTS}}]}},
        }  # fmt: skip
        made = json.dumps(guard_reply(replies[name], guard, native=native).reply)
        assert f'"{cut}"' in made


@pytest.mark.parametrize("native", ["mend", "withhold"])
async def test_a_call_of_which_nobody_knows_the_arguments_is_left_out_and_the_reason_says_so(native: Any) -> None:
    """They stand at its start, and others come in pieces. To send either may run what was not meant."""
    events = json.loads(json.dumps(messages([("write_file", GOOD)])))
    for event in events:
        if event["type"] == "content_block_start":
            event["content_block"]["input"] = {"path": "b.txt", "content": "other"}
    items = await collect(guard_events(FakeStream(events), GUARD, "anthropic", native=native))
    assert [block.executable for block in blocks(items)] == [False]
    assert end_of(items, "anthropic") == "max_tokens"


async def test_a_response_that_says_that_it_is_incomplete_is() -> None:
    """Whatever its last event is called: its last call may be cut off, and of one that failed none is sent on."""
    for status, left in (("completed", 2), ("incomplete", 1), ("failed", 0), ("cancelled", 0)):
        events = responses([("write_file", GOOD), DELETE])
        events[-1]["response"]["status"] = status
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses"))
        done = [item for item in items if isinstance(item, dict) and item["type"] == "response.output_item.done"]
        assert len(done) == left


async def test_a_call_over_the_limit_is_not_sent_on_and_the_reason_says_so() -> None:
    guard = Guard(FILE_TOOLS, limits=Limits(max_block=20))
    for provider, (make, _) in PROVIDERS.items():
        items = await collect(guard_events(FakeStream(make([("write_file", GOOD)])), guard, provider))
        assert end_of(items, provider) == ENDS[provider][1]["cut"]
        assert "a.txt" not in json.dumps([item for item in items if isinstance(item, dict)])


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses"])
async def test_what_is_left_of_a_message_has_its_places_without_a_gap(provider: str) -> None:
    """No empty block stands in the place of a call that was not sent on; the real clients read the others."""
    make, through = PROVIDERS[provider]
    place = "index" if provider == "anthropic" else "output_index"
    for calls in (
        [("write_file", CUT), DELETE, WEATHER],
        [DELETE, ("write_file", CUT), WEATHER, ("write_file", CUT), DELETE],
        [("write_file", CUT), ("write_file", CUT)],
        [WEATHER, ("write_file", CUT)],
    ):
        events = make(calls)
        items = await collect(guard_events(FakeStream(events), GUARD, provider))
        places = [item[place] for item in items if isinstance(item, dict) and place in item]
        left = [call for call in calls if call[1] != CUT]
        assert places == sorted(places)
        assert sorted(set(places)) == list(range(len(left)))
        kinds = ("content_block_start", "response.output_item.added")
        begun = [item for item in items if isinstance(item, dict) and item["type"] in kinds]
        assert len(begun) == len(left)
        assert not any("text" in str(item) for item in begun)
        if left or provider == "anthropic":  # where there are none, the response is incomplete
            assert await through(events, GUARD) == left


def test_an_incomplete_response_of_the_client_is_of_its_own_kind() -> None:
    made = [RESPONSES.as_object(event) for event in responses([("write_file", CUT)])]
    lanes = Lanes(GUARD, RESPONSES, Settings())
    items = [item for event in made for item in lanes.feed(event)] + list(lanes.end())
    assert type(items[-1]).__name__ == "ResponseIncompleteEvent"
    assert (items[-1].type, items[-1].response.status) == ("response.incomplete", "incomplete")
    assert items[-1].response.incomplete_details.reason == "max_output_tokens"


async def test_the_text_behind_a_call_that_is_not_sent_on_takes_its_place() -> None:
    """Also what the middleware says in it: each of our events, and what keeps the connection alive."""
    call = messages([("write_file", CUT)])
    at = next(number for number, event in enumerate(call) if event["type"] == "message_delta")
    text = "Hi\n```json\n" + json.dumps({"tool": "delete_file", "path": "b"}) + "\n```\nBye"
    said: list[Event] = [{"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}]
    said += [
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": text[cut : cut + 5]}}
        for cut in range(0, len(text), 5)
    ]
    said += [{"type": "content_block_stop", "index": 1}]
    body = Body(GUARD, "events", None)
    raw = b""
    for event in [*call[:at], *said, *call[at:]]:
        for item in body.push(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()):
            raw += item if isinstance(item, bytes) else body.event_bytes(item)
        raw += body.nothing()
    events = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]
    assert {event["index"] for event in events if "index" in event} == {0}
    assert "".join(event["delta"].get("text", "") for event in events if "index" in event and "delta" in event) == "Hi\n\nBye"
    assert b'"executable":true' in raw


TEXTS = (
    "Plain.",
    'Hello\n```json\n{"tool": "delete_file", "path": "b"}\n```\nbye',
    '```json\n{"tool": "delete_file", ',
)


def interleaved(chance: random.Random) -> list[Any]:
    """A response whose items come in pieces, in any order of the items, whole or cut off anywhere."""
    told: list[list[Any]] = []
    output: list[Any] = []
    for index in range(chance.randrange(2, 5)):
        at = {"item_id": f"i{index}", "output_index": index}
        if chance.random() < 0.5:
            text = chance.choice(TEXTS)
            part, place = {"type": "output_text", "text": text}, {**at, "content_index": 0}
            item: Any = {"type": "message", "id": f"i{index}", "content": [part]}
            told.append([
                {"type": "response.output_item.added", "output_index": index, "item": {**item, "content": []}},
                {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
                *({"type": "response.output_text.delta", **place, "delta": one} for one in pieces(text, chance)),
                {"type": "response.output_text.done", **place, "text": text},
                {"type": "response.content_part.done", **place, "part": part},
            ])  # fmt: skip
        else:
            arguments = chance.choice((GOOD, '{"path": ', "[]"))
            item = {"type": "function_call", "id": f"i{index}", "call_id": f"t{index}", "name": "write_file"}
            kind = "response.function_call_arguments"
            told.append([
                {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}},
                *({"type": f"{kind}.delta", **at, "delta": one} for one in pieces(arguments, chance)),
                {"type": f"{kind}.done", **at, "arguments": arguments},
            ])  # fmt: skip
            item = {**item, "arguments": arguments}
        output.append(item)
        told[-1].append({"type": "response.output_item.done", "output_index": index, "item": item})
    events = []
    while any(told):
        events.append(chance.choice([one for one in told if one]).pop(0))
    if chance.random() < 0.3:
        return events[: chance.randrange(1, len(events) + 1)]
    return [*events, {"type": "response.completed", "response": {"output": output}}]


@pytest.mark.some
@pytest.mark.parametrize("native", ["mend", "observe"])
@pytest.mark.promise("P2", "P4")
async def test_items_that_interleave_leave_whole_and_in_their_order(cases: Cases, native: Any) -> None:
    """What repeats a text repeats what was sent of it, a call has all of its pieces, and what was announced ends."""
    for seed in some(range(400), 150):
        cases(1)
        why: list[str] = []
        events = interleaved(random.Random(seed))
        stream = guard_events(FakeStream(events), GUARD, "openai-responses", native=native, on_uninspected=why.append)
        items: list[Any] = await collect(stream)
        assert why == []
        statuses = [item for item in items if isinstance(item, ToolStatus)]
        ended = [block.id for block in blocks(items)] + [item.id for item in statuses if item.status == "released"]
        assert sorted({item.id for item in statuses}) == sorted(ended)
        if events[-1]["type"] != "response.completed":
            continue
        cut = '{"path": '
        left = [item for item in events[-1]["response"]["output"] if native == "observe" or item.get("arguments") != cut]
        assert [item["id"] for item in items[-1]["response"]["output"]] == [item["id"] for item in left]
        placed = [one for one in items if isinstance(one, dict) and "output_index" in one]
        for item in left:
            mine = [one for one in placed if (one.get("item_id") or one["item"]["id"]) == item["id"]]
            assert len({one["output_index"] for one in mine}) == 1
            assert [one["type"] for one in mine][:1] == ["response.output_item.added"]
            assert mine[-1]["type"] == "response.output_item.done"
            if item["type"] == "message":
                seen = "".join(one["delta"] for one in mine if one["type"] == "response.output_text.delta")
                (done,) = [at for at, one in enumerate(mine) if one["type"] == "response.output_text.done"]
                assert mine[done]["text"] == mine[done + 1]["part"]["text"] == mine[-1]["item"]["content"][0]["text"] == seen
                assert [one["type"] for one in mine[done + 1 :]] == ["response.content_part.done", "response.output_item.done"]
        incomplete = items[-1]["response"].get("status") == "incomplete"
        assert items[-1]["type"] == ("response.incomplete" if incomplete else "response.completed")


def spelt_out(*pieces: tuple[str | None, str]) -> list[Event]:
    """A chat completion with one call, of which each piece has these parts of the name and of the arguments."""
    calls: list[Event] = [{"index": 0, "function": {"name": name, "arguments": said}} for name, said in pieces]
    calls[0] |= {"id": "t0", "type": "function"}
    said: list[Event] = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]} for call in calls]
    return [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", **event}
        for event in (*said, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    ]


SPELT: dict[str, tuple[list[tuple[str | None, str]], list[Given], list[str | None]]] = {
    "in two": ([("write_", ""), ("file", GOOD)], [("write_file", GOOD)], ["write_file"]),
    "in three": ([("wri", ""), ("te_", ""), ("file", ""), (None, GOOD)], [("write_file", GOOD)], ["write_file"]),
    "growing": ([("write", ""), ("write_file", ""), (None, GOOD)], [("write_file", GOOD)], ["write_file"]),
    "repeated": ([("write_file", ""), ("write_file", GOOD)], [("write_file", GOOD)], ["write_file"]),
    "behind its arguments": ([(None, GOOD), ("write_file", "")], [("write_file", GOOD)], ["write_file"]),
    "cut off": ([("write_", ""), ("file", '{"path": "a')], [], ["write_file"]),
    "of another tool": ([("write_file", ""), ("_safely", GOOD)], [("write_file_safely", GOOD)], ["write_file_safely"]),
    "that goes on late": ([("write_file", GOOD), ("_safely", "")], [("write_file_safely", GOOD)], ["write_file_safely"]),
    "unknown, in two": ([("wea", ""), ("ther", "{}")], [("weather", "{}")], []),
    "unknown, begun as ours": ([("wri", ""), ("ng", "{}")], [("wring", "{}")], []),
    "unknown, and not whole": ([("wri", "")], [("wri", "")], []),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELT)
@pytest.mark.parametrize("native", ["mend", "observe"])
async def test_a_name_that_comes_in_pieces_is_the_name_that_clients_join(name: str, native: Any) -> None:
    """No call leaves under a part of its name, and one that has gone on is validated as what it is."""
    given, read, told = SPELT[name]
    items = await collect(guard_events(FakeStream(spelt_out(*given)), GUARD, "openai-chat", native=native))
    assert [block.tool for block in blocks(items)] == told
    assert all(block.executable is (block.tool == "write_file" and name != "cut off") for block in blocks(items))
    if native == "mend":
        events = [item for item in items if isinstance(item, dict)]
        pieces = [call["function"] for event in events for call in event["choices"][0]["delta"].get("tool_calls") or ()]
        joined = ("".join(piece.get("name") or "" for piece in pieces), "".join(piece["arguments"] for piece in pieces))
        assert joined == (read[0] if read else ("", ""))


@pytest.mark.parametrize("rest", ["\ude00", "\ude00_now"])
async def test_a_name_that_is_cut_within_a_character_is_the_name_of_a_tool(rest: str) -> None:
    """The guard reads the call: it does not pass as that of an unknown tool."""
    name = f"say_\U0001f600{rest[1:]}"
    guard = Guard([Tool(name, "Says it.", {"type": "object", "properties": {"text": {"type": "string"}}})])
    for arguments, runs in (('{"text": "x"}', True), ('{"text": [1]}', False)):
        events = spelt_out(("say_\ud83d", ""), (rest, ""), (None, arguments))
        items = await collect(guard_events(FakeStream(events), guard, "openai-chat", native="withhold"))
        assert [(block.tool, block.executable) for block in blocks(items)] == [(name, runs)]


@pytest.mark.parametrize("between", [[], [""]])
@pytest.mark.parametrize("written", ["\U0001f600", "\ud83d\ude00"], ids=["the character", "its halves"])
async def test_whole_arguments_are_those_whose_pieces_are_cut_within_a_character(between: list[str], written: str) -> None:
    """The halves of a character in pieces, and the character in a repetition of all of them, are the same text."""
    before, behind = '{"path": "a", "content": "So ', ' it is"}'
    pieces = [f"{before}\ud83d", *between, f"\ude00{behind}"]
    events = responses([("write_file", f"{before}{written}{behind}")], split=lambda *_: pieces)
    items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses", native="withhold"))
    assert [(block.arguments or {})["content"] for block in blocks(items)] == ["So \U0001f600 it is"]
    assert all(block.executable for block in blocks(items))
    events = responses([("write_file", f"{before}\U0001f601{behind}")], split=lambda *_: pieces)
    items = await collect(guard_events(FakeStream(events), GUARD, "openai-responses", native="withhold"))
    assert not any(block.executable for block in blocks(items))


async def test_a_name_that_becomes_ours_behind_arguments_that_have_left_is_counted() -> None:
    why: list[str] = []
    events = spelt_out(("wri", '{"path": '), ("te_file", '"a'))
    items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", on_uninspected=why.append))
    assert items == events
    assert why == ["unknown tool", "late piece"]


@pytest.mark.some
@pytest.mark.promise("P9")
@pytest.mark.parametrize(("of", "step"), STEPS, ids=lambda one: getattr(one, "__name__", one))
def test_a_call_that_may_not_run_is_not_sent_whatever_step_raises(of: Any, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, or from then on; at the beginning of the call, or at its end."""
    wrong = ("write_file", '{"path": "a.txt", "content": ["rm"]}')
    for provider, (make, _) in PROVIDERS.items():
        table = PROTOCOLS[provider]
        owner = type(table) if of is Protocol else of
        events = make([wrong], seed=1)
        for since, times in some(product((1, 2, len(events) - 2, len(events) - 1), (1, 99)), 4, kind=lambda cell: cell[1]):

            def given(events: Any = events, since: int = since, times: int = times, owner: Any = owner) -> Any:
                for nth, event in enumerate(events):
                    if nth == since:
                        monkeypatch.setattr(owner, step, fails)
                    if nth == since + times:
                        monkeypatch.undo()
                    yield event
                monkeypatch.undo()

            told = list(guard_events(given(), GUARD, provider, native="withhold"))
            monkeypatch.undo()
            left = [item for item in told if isinstance(item, dict)]
            arguments = "".join(piece.arguments for item in left for piece in table.calls(item))
            assert "rm" not in arguments, (provider, since, times)
            assert "rm" not in str(left), (provider, since, times)
            assert all(not item.executable for item in blocks(told))
