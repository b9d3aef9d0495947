"""The messages of a turn with native calls: every call is in them with one result, and reasoning stands where it stood."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import permutations
from typing import Any, Final

import pytest
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.openai import guard_chat, guard_responses
from stream_guard_adapters.protocols import MESSAGES, RESPONSES
from stream_guard_conformance.corpus.native import Event, chat, messages, responses

from stream_guard import ApprovalPolicy, Guard, Limits, Risk, Tool, ToolBlock, Toolset, run
from stream_guard.dialects.history import History
from tests.kit.breadth import some
from tests.kit.client_types import taken

DOUBLE: Final = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
RAN: Final[list[Any]] = []
TOOLS: Final = Toolset(
    Tool("double", "Double a number", DOUBLE, handler=lambda call: call["n"] * 2, risk=Risk.READ),
    Tool("wipe", "Wipe a disk", DOUBLE, handler=RAN.append, risk=Risk.DESTRUCTIVE),
    Tool("fail", "Fail", DOUBLE, handler=lambda call: 1 // (call["n"] * 0), risk=Risk.READ),
)


async def no(_: ToolBlock, __: Tool) -> bool | str:
    return "The user said no."


OUTCOMES: Final[dict[str, tuple[str, str]]] = {
    "good": ("double", '{"n": 4}'),
    "mended": ("double", '{"n": 4,}'),
    "mended name": ("doublee", '{"n": 4}'),
    "invalid": ("double", '{"n": "x"}'),
    "no object": ("double", "[]"),
    "no JSON": ("double", "four"),
    "nothing": ("double", ""),
    "cut": ("double", '{"n": 4'),
    "two sets": ("double", '[{"n": 1}, {"n": 2}]'),
    "fails": ("fail", '{"n": 4}'),
    "denied": ("wipe", '{"n": 4}'),
    "too long": ("double", '{"n": ' + "4" * 600 + "}"),
    "a near miss of a tool that destroys": ("wype", '{"n": 4}'),
    "unknown": ("nope", '{"a": 1}'),
    "unknown, without arguments": ("nope", ""),
    "unknown, empty": ("nope", "{}"),
    "unknown, no JSON": ("nope", '{"a": '),
    "unknown, no object": ("nope", "[1]"),
    "unknown, too long": ("nope", json.dumps({"a": "b" * 600})),
    "unknown, with a call in it": ("parallel", '{"calls": [{"tool": "wipe", "n": 4}]}'),
    "unknown, an envelope": ("use", '{"name": "wipe", "arguments": {"n": 4}}'),
    "a name that no API takes": ("no pe!", '{"a": 1}'),
    "a name that is too long": ("n" * 65, '{"a": 1}'),
    "the beginning of a name": ("doub", ""),
    "nearly the whole of a name": ("doubl", ""),
}
"""What may become of a native call, and a call of which that becomes."""

MAKERS: Final[dict[str, tuple[Any, Callable[..., list[Event]], str, str]]] = {
    "chat": (guard_chat, chat, "tool_calls", "length"),
    "responses": (guard_responses, responses, "completed", "max_output_tokens"),
    "messages": (guard_messages, messages, "tool_use", "max_tokens"),
}


def silent(events: Sequence[Event]) -> list[Event]:
    """The events of a chat completion without the text before the calls."""
    return [event for event in events if event.get("choices", [{}])[0].get("delta", {}).get("content") != "Hi\n"]


def said(api: str, text: str) -> list[Event]:
    """A text as the first events of a reply."""
    if api == "chat":
        return [{**silent(chat([]))[0], "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}]
    if api == "responses":
        at = {"item_id": "i", "output_index": 90, "content_index": 0}
        return [{"type": "response.output_text.delta", **at, "delta": text}]
    block = {"type": "text", "text": ""}
    return [
        {"type": "content_block_start", "index": 90, "content_block": block},
        {"type": "content_block_delta", "index": 90, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 90},
    ]


async def each(events: Sequence[Event]) -> AsyncIterator[Event]:
    for event in events:
        yield event


async def turn_of(api: str, events: Sequence[Event], *, guard: Guard, tools: Toolset = TOOLS, **settings: Any) -> Any:
    turn = run(MAKERS[api][0](each(events), guard, stream_id="s", **settings), tools)
    async for _ in turn:
        pass
    return turn


def parts_of(message: Any) -> list[Any]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def calls_in(made: Sequence[Any]) -> list[tuple[str, str, Any]]:
    """The native calls in messages: id, name, arguments."""
    found: list[tuple[str, str, Any]] = []
    for message in made:
        if message.get("type") == "function_call":
            found.append((message["call_id"], message["name"], json.loads(message["arguments"])))
        for call in message.get("tool_calls", ()):
            found.append((call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])))
        found += [(one["id"], one["name"], one["input"]) for one in parts_of(message) if one["type"] == "tool_use"]
    return found


def results_in(made: Sequence[Any]) -> list[str]:
    """The ids of the results in messages."""
    found = [message["call_id"] for message in made if message.get("type") == "function_call_output"]
    found += [message["tool_call_id"] for message in made if message.get("role") == "tool"]
    return found + [one["tool_use_id"] for message in made for one in parts_of(message) if one["type"] == "tool_result"]


def check(api: str, made: Sequence[Any], calls: int) -> None:
    """The model wrote something, every call of it is there, and everything is answered once, directly behind it."""
    taken(api, made)
    asked = [call for call, _, _ in calls_in(made)]
    assert sorted(asked) == sorted(results_in(made)) == sorted(set(asked))
    whose = ["user" if message.get("type") == "function_call_output" else message.get("role", "assistant") for message in made]
    sides = ["user" if one == "tool" else one for one in whose]
    assert sides == sorted(sides), "what the model wrote comes first"
    assert sides[0] == "assistant"
    assert sides[-1] == "user"
    told = json.dumps([message for message, side in zip(made, sides, strict=True) if side == "assistant"])
    assert len(asked) + told.count("```json") == calls
    for message in made:
        assert all(part["type"] != "text" or part["text"].strip() for part in parts_of(message))
    if api == "messages":
        assert len(made) == 2
        kinds = [part["type"] for part in made[1]["content"]]
        assert kinds == sorted(kinds, key="text".__eq__), "results come first"


@pytest.mark.parametrize("where", ["alone", "with text", "before a good call", "behind a good call", "twice"])
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.parametrize("api", MAKERS)
async def test_every_native_call_has_one_result(api: str, native: Any, where: str) -> None:
    """Whatever became of it, in the messages of its API and in text."""
    guard = Guard(TOOLS, approve=no, approval=ApprovalPolicy(risk=Risk.DESTRUCTIVE), limits=Limits(max_block=500))
    if native == "observe":
        guard = Guard(TOOLS, limits=Limits(max_block=500))
    good = OUTCOMES["good"]
    for outcome, given in OUTCOMES.items():
        several = {"before a good call": [given, good], "behind a good call": [good, given], "twice": [given] * 2}
        calls = several.get(where, [given])
        finish, cut = MAKERS[api][2:]
        events = silent(MAKERS[api][1](calls, cut if outcome == "cut" else finish))
        events = [*said(api, "Hi\n"), *events] if where == "with text" else events
        RAN.clear()
        turn = await turn_of(api, events, guard=guard, native=native)
        assert len(turn.outputs) == len(calls), outcome
        assert native == "observe" or not RAN
        assert len(RAN) <= calls.count(given) * (outcome == "denied")
        for form in (api, "text"):
            check(form, turn.messages(form), len(calls))
        native_calls = calls_in(turn.messages(api))
        if outcome.startswith("unknown"):
            want = json.loads(given[1]) if outcome in ("unknown", "unknown, with a call in it", "unknown, an envelope") else {}
            assert [call for _, name, call in native_calls if name == given[0]] == [want] * calls.count(given)
        elif not outcome.startswith("a name"):
            assert len(native_calls) == len(turn.outputs), outcome


@pytest.mark.parametrize("api", MAKERS)
async def test_calls_that_are_too_many_have_results(api: str) -> None:
    """Of tools that there are and of others: nobody looked into them, so none runs, and the model hears that."""
    for names in (["double"] * 6, ["nope"] * 6, ["double", "nope"] * 3):
        given = [(name, '{"n": 4}') for name in names]
        events = MAKERS[api][1](given, MAKERS[api][2])
        turn = await turn_of(api, events, guard=Guard(TOOLS, limits=Limits(max_lanes=4)))
        assert len(turn.outputs) == len(calls_in(turn.messages(api))) == 6
        assert sum(output.ok for output in turn.outputs) <= 4
        assert any("more than 4 texts and calls" in output.for_model() for output in turn.outputs)
        for form in (api, "text"):
            check(form, turn.messages(form), 6)


@pytest.mark.some
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.parametrize("api", MAKERS)
async def test_calls_and_results_stand_in_the_order_in_which_the_model_began_them(api: str, native: Any, mixed: bool) -> None:
    """Whatever becomes of each, whenever that is known, and however their pieces are mixed."""
    if mixed and api == "messages":
        return  # its blocks come one after the other
    kinds = ("double", "doublee", "nope", "fail", "nope2")
    guard = Guard(TOOLS, limits=Limits(max_lanes=4))
    orders = [*permutations(kinds, 3), *permutations(kinds, 5)][:: 1 if native == "mend" else 7]
    for seed, order in some(enumerate(orders), 16, kind=lambda each: len(each[1])):
        given = [(name, json.dumps({"n": nth})) for nth, name in enumerate(order)]
        how: dict[str, Any] = {"mixed": True} if mixed else {}
        events = MAKERS[api][1](given, MAKERS[api][2], seed=seed, **how)
        turn = await turn_of(api, events, guard=guard, native=native)
        made = turn.messages(api)
        called = calls_in(made)
        assert [name.replace("doublee", "double") for _, name, _ in called] == [
            name.replace("doublee", "double") for name in order
        ]
        assert all(call in ({"n": nth}, {}) for nth, (_, _, call) in enumerate(called)), "of one too many nothing is kept"
        assert sum(bool(call) for _, _, call in called) >= 3
        assert results_in(made) == [call for call, _, _ in called]


def thinking(at: int, kind: str = "thinking") -> list[Event]:
    """A block of Anthropic's reasoning."""
    if kind != "thinking":
        block = {"type": kind, "data": f"sealed{at}=="}
        return [
            {"type": "content_block_start", "index": at, "content_block": block},
            {"type": "content_block_stop", "index": at},
        ]
    return [
        {"type": "content_block_start", "index": at, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        *(
            {"type": "content_block_delta", "index": at, "delta": {"type": "thinking_delta", "thinking": piece}}
            for piece in (f"Let me {at}. ", '```json\n{"tool": "wipe", "n": 1}\n```')
        ),
        {"type": "content_block_delta", "index": at, "delta": {"type": "signature_delta", "signature": f"sign{at}=="}},
        {"type": "content_block_stop", "index": at},
    ]


def thought(at: int, kind: str = "thinking") -> dict[str, Any]:
    """What goes back of it."""
    if kind != "thinking":
        return {"type": kind, "data": f"sealed{at}=="}
    text = f'Let me {at}. ```json\n{{"tool": "wipe", "n": 1}}\n```'
    return {"type": "thinking", "thinking": text, "signature": f"sign{at}=="}


def moved(events: Sequence[Event], at: int) -> list[Event]:
    """The events of the only block of a message, at another place."""
    return [{**event, "index": at} for event in events if "index" in event]


REPLIES: Final[dict[str, Sequence[str]]] = {
    "a call": ("thinking", "double"),
    "a text and a call": ("thinking", "text", "double"),
    "a sealed one": ("redacted_thinking", "thinking", "text", "double"),
    "between calls": ("thinking", "double", "redacted_thinking", "double", "thinking", "text"),
    "before a call that is not there": ("thinking", "nope", "thinking", "double"),
    "before one that is cut": ("thinking", "cut"),
    "a call as text": ("thinking", "block"),
    "nothing behind it": ("thinking", "double", "thinking"),
    "nothing but it": ("thinking",),
    "without any": ("text", "double"),
}


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.parametrize("reply", REPLIES)
async def test_anthropics_reasoning_stands_where_it_stood(reply: str, native: Any, objects: bool) -> None:
    """Unchanged, with its signature; but none ends a message, which its API refuses."""
    first, *_, delta, stop = messages([("double", "")])
    parts: list[Event] = []
    want: list[Any] = []
    for at, kind in enumerate(REPLIES[reply]):
        if kind.endswith("thinking"):
            parts += thinking(at, kind)
            want.append(thought(at, kind))
        elif kind in ("text", "block"):
            text = "Hi\n" if kind == "text" else '```json\n{"tool": "double", "n": 4}\n```\n'
            parts += moved([event for event in said("messages", text) if "index" in event], at)
            want.append("text" if kind == "text" else "tool_use")
        else:
            name = "double" if kind == "cut" else kind
            call = messages([(name, '{"n": 4' if kind == "cut" else '{"n": 4}')])
            parts += moved([event for event in call if "index" in event], at)
            want.append("tool_use")
    while want and isinstance(want[-1], dict):
        want.pop()
    events: list[Any] = [first, *parts, delta, stop]
    events = [MESSAGES.as_object(event) for event in events] if objects else events
    turn = await turn_of("messages", events, guard=Guard(TOOLS), native=native)
    made = turn.messages("messages")
    taken("messages", made)
    got = [part if "think" in part["type"] else part["type"] for part in made[0]["content"]] if made else []
    assert got == want
    assert sorted(call for call, _, _ in calls_in(made)) == sorted(results_in(made))
    for form in ("chat", "responses", "text"):
        assert "sign" not in json.dumps(turn.messages(form))


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("sealed", [False, True])
async def test_the_reasoning_of_a_response_stands_where_it_stood(sealed: bool, objects: bool) -> None:
    """With its id and what is sealed in it; but none without what stood behind it, which its API refuses."""
    seal = {"encrypted_content": "sealed=="} if sealed else {}
    items = [{"id": f"rs_{at}", "type": "reasoning", "summary": [], **seal} for at in range(3)]

    def reasoned(at: int, place: int) -> list[Event]:
        begun = {"type": "response.output_item.added", "output_index": place, "item": {**items[at], "summary": []}}
        return [begun, {"type": "response.output_item.done", "output_index": place, "item": items[at]}]

    first, *calls, end = responses([("double", '{"n": 4}'), ("nope", "{}")])
    one, other = ([event for event in calls if event["output_index"] == at] for at in (0, 1))
    parts = [*reasoned(0, 0), *one, *reasoned(1, 1), *other, *reasoned(2, 2)]
    place = -1
    told: list[Any] = [first]
    for event in parts:
        place += event["type"] == "response.output_item.added"
        told.append({**event, "output_index": place})
    events: list[Any] = [{**event, "sequence_number": number} for number, event in enumerate([*told, end])]
    events = [RESPONSES.as_object(event) for event in events] if objects else events
    turn = await turn_of("responses", events, guard=Guard(TOOLS))
    made = turn.messages("responses")
    taken("responses", made)
    kinds = ["reasoning", "function_call", "reasoning", "function_call", "function_call_output", "function_call_output"]
    assert [item["type"] for item in made] == kinds
    assert [item for item in made if item["type"] == "reasoning"] == items[:2]
    assert "rs_" not in json.dumps([turn.messages(form) for form in ("chat", "messages", "text")])


async def test_a_call_that_failed_has_its_name_in_a_dialect_too() -> None:
    """The history of a dialect has a native call that did not run as a block, with its tool."""
    for given in (("nope", '{"a": 1}'), ("double", '{"n": "x"}'), ("double", "")):
        turn = await turn_of("messages", messages([given]), guard=Guard(TOOLS))
        reply, answer = turn.messages(History("hermes"))
        assert given[0] in reply["content"]
        assert answer["role"] != "assistant"
