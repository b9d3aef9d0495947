"""How a reply may end, and what may stand between its events: finish reasons in all forms, values that are no objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Final

import pytest
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.replies import guard_folding, taken_apart
from stream_guard_adapters.engine.request_tools import RequestGuards
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import Event, ag_ui, ai_sdk, body_of, chat, gemini, messages, ollama, responses

from stream_guard import Guard, Limits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.native_calls import DELETE, GOOD

GUARD: Final = Guard(FILE_TOOLS)
VALID: Final = '```json\n{"tool": "delete_file", "path": "b"}\n```'
TEXTS: Final = {
    "valid": VALID,
    "broken": VALID.replace('"b"}', '"b",}'),
    "cut": VALID[:20],
    "two": f"{VALID}\n{VALID}",
}


def left(events: Iterable[Any], protocol: str, noted: list[str] | None = None, **settings: Any) -> list[Event]:
    """The events that leave."""
    settings = {"stream_id": "s", **settings}
    note = (noted if noted is not None else []).append
    items = guard_events(iter([*events]), GUARD, protocol, on_uninspected=note, **settings)
    return [item for item in items if isinstance(item, dict)]


def chat_ends(reason: str) -> list[Event]:
    """The forms of a choice that ends."""
    forms: list[Event] = [
        {},
        {"delta": None},
        {"delta": {}},
        {"message": {"role": "assistant"}},
        {"delta": {}, "logprobs": None},
    ]
    return [{"index": 0, "finish_reason": reason, **form} for form in forms]


STOPS: Final = [reason for reason, why in PROTOCOLS["openai-chat"].reasons.items() if why == "stop"]


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("reason", STOPS)
def test_a_call_is_promoted_however_its_choice_ends(reason: str, times: int) -> None:
    """A delta may be missing where a choice ends, the reason may have another name, and come again."""
    for end in chat_ends(reason):
        said = {"id": "c", "choices": [{"index": 0, "delta": {"role": "assistant", "content": f"{VALID}\n"}}]}
        noted: list[str] = []
        events = left([said, *[{"id": "c", "choices": [end]}] * times], "openai-chat", noted, promote=True)
        choices = [choice for event in events for choice in event["choices"]]
        calls = [call for one in choices for call in (one.get("delta") or {}).get("tool_calls", ())]
        assert [json.loads(call["function"]["arguments"]) for call in calls] == [{"path": "b"}], end
        reasons = [one["finish_reason"] for one in choices if one.get("finish_reason")]
        assert reasons == ["tool_calls"] * times
        assert choices[-times].get("finish_reason"), "nothing leaves behind the end"
        assert not set(noted) - {"odd event"}


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("name", "events", "claims"), [
    ("anthropic", [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"{VALID}\n"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}], '"tool_use"'),
    ("ai-sdk", [
        {"type": "start"}, {"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": f"{VALID}\n"},
        {"type": "text-end", "id": "t"}, {"type": "finish", "finishReason": "stop"}], '"tool-calls"'),
])  # fmt: skip
def test_each_finish_reason_behind_a_promoted_call_says_so(name: str, events: list[Event], claims: str, times: int) -> None:
    told = left([*events, *[events[-1]] * (times - 1)], name, promote=True)
    assert "delete_file" in json.dumps(told)
    assert all(claims in json.dumps(event) for event in told[-times:])


@pytest.mark.parametrize("form", [{}, {"message": None}, {"message": {"role": "assistant", "content": ""}}])
def test_a_call_is_promoted_before_a_done_line_of_any_form(form: Event) -> None:
    said = {"model": "m", "message": {"role": "assistant", "content": f"{VALID}\n"}, "done": False}
    noted: list[str] = []
    *_, call, end = left([said, {"model": "m", **form, "done": True, "done_reason": "stop"}], "ollama", noted, promote=True)
    assert (call["message"]["tool_calls"][0]["function"]["arguments"], end["done"], noted) == ({"path": "b"}, True, [])


def test_a_block_whose_promotion_fails_leaves_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule 3 of the promotion: a block is in the text or a native call."""
    table = type(PROTOCOLS["openai-chat"])

    def fails(*_: Any) -> Any:
        raise LookupError

    for step in ("promote", "promoted"):
        monkeypatch.setattr(table, step, fails)
        said: Event = {"id": "c", "choices": [{"index": 0, "delta": {"content": f"{VALID}\n"}}]}
        noted: list[str] = []
        end: Event = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        events = left([said, end], "openai-chat", noted, promote=True, blocks="text")
        text = "".join((event["choices"][0]["delta"].get("content") or "") for event in events)
        assert (VALID in text, "tool_calls" in json.dumps(events), noted) == (True, False, ["guard error"])
        monkeypatch.undo()


@pytest.mark.parametrize("member", ["message", "response"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("settings", [*({"blocks": one} for one in ("text", "both", "events")), {"promote": True}], ids=str)
def test_nothing_leaves_behind_a_done_line(member: str, text: str, settings: dict[str, Any]) -> None:
    """A block may end in the text of the done line, or not at all."""
    whole = f"a\n{TEXTS[text]}"
    for at, behind in product(range(0, len(whole) + 1, 7), ("", "\n", "\nb")):
        said = [whole[:at], whole[at:] + behind]
        lines = [{"model": "m", "done": False, **_said(member, said[0])}] if said[0] else []
        end = {"model": "m", **_said(member, said[1]), "done": True, "done_reason": "stop", "eval_count": 3}
        items = list(guard_events(iter([*lines, end]), GUARD, "ollama", **settings))
        assert isinstance(items[-1], dict), items
        assert items[-1]["done"], items
        assert [item["done"] for item in items if isinstance(item, dict)].count(True) == 1
        assert [item.get("eval_count") for item in items if isinstance(item, dict)].count(3) == 1


def _said(member: str, text: str) -> Event:
    return {"message": {"role": "assistant", "content": text}} if member == "message" else {"response": text}


CALLS: Final = (("write_file", GOOD), DELETE)
HELD: Final = {
    "openai-chat": chat(CALLS), "anthropic": messages(CALLS), "openai-responses": responses(CALLS), "gemini": gemini(CALLS),
    "ollama": ollama(CALLS), "ai-sdk": ai_sdk(CALLS), "ag-ui": ag_ui(CALLS),
}  # fmt: skip


@pytest.mark.parametrize("odd", ["note", "", 5, 0.5, [1], None, True, {"x": 1}], ids=repr)
@pytest.mark.parametrize("name", HELD)
def test_json_that_is_no_object_leaves_as_an_event_of_its_own(name: str, odd: Any) -> None:
    """Also behind a call that is held, where it waits."""
    table = PROTOCOLS[name]
    lines = table.framing == "lines"
    (event,) = [body_of([odd], name)] if not lines else [f"{json.dumps(odd)}\n"]
    event = f"data: {json.dumps(odd)}\n\n" if not lines else event
    whole = [frame for frame in body_of(HELD[name], name).split("\n" if lines else "\n\n") if frame]
    for at in range(1, len(whole) + 1):
        frames = [f"{frame}\n" if lines else f"{frame}\n\n" for frame in whole]
        body = Body(GUARD, "lines" if lines else "events", table, Settings(blocks="text"))
        sent = [part for frame in [*frames[:at], event, *frames[at:]] for part in body.push(frame.encode())]
        sent += body.end("unknown")
        raw = b"".join(part for part in sent if isinstance(part, bytes)).decode()
        told = [
            data
            for line in raw.split("\n")
            if (data := line if lines else line.removeprefix("data: ") if line[:5] == "data:" else "")
        ]
        parsed = [json.loads(one) for one in told if one != "[DONE]"]
        assert [one for one in parsed if one == odd and type(one) is type(odd)] == [odd], (at, raw)
        assert [one for one in told if one == "[DONE]"] == ["[DONE]"] * raw.count("[DONE]")


ODD: Final = [
    {"id": 7},
    {"id": "a", "function": {"name": 5, "arguments": "{}"}},
    {"function": {"name": "n" * 300, "arguments": "{}"}},
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("promote", [False, True])
def test_no_call_gets_the_number_of_one_that_has_passed_unread(odd: Event, promote: bool) -> None:
    """Clients join two calls with one number."""
    for at, count in product(range(3), range(3)):
        calls = [("write_file", GOOD)] * count
        pieces = [
            {"index": nth, "id": f"c{nth}", "type": "function", "function": {"name": name, "arguments": said}}
            for nth, (name, said) in enumerate([*calls[:at], ("delete_file", DELETE[1]), *calls[at:]])
        ]
        own = min(at, len(pieces) - 1)
        pieces[own] = {**pieces[own], **odd}
        text: list[Event] = [{"id": "c", "choices": [{"index": 0, "delta": {"content": f"{VALID}\n"}}]}] if promote else []
        told = [{"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in pieces]
        end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop" if promote else "tool_calls"}]}
        made = left([*text, *told, end], "openai-chat", promote=promote)
        numbers = [call["index"] for event in made for call in event["choices"][0]["delta"].get("tool_calls", ())]
        assert len(numbers) == len(set(numbers)) == len(pieces) + promote, made


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=repr)
def test_a_broken_block_is_mended_whatever_ends_its_lines(line_end: str) -> None:
    text = f"a\n{TEXTS['broken']}\nb".replace("\n", line_end)
    events: list[Event] = [
        {"id": "c", "choices": [{"index": 0, "delta": {"content": text}}]},
        {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    told = "".join(event["choices"][0]["delta"].get("content") or "" for event in left(events, "openai-chat", blocks="text"))
    said = told[told.index("{") : told.index("}") + 1]
    assert (json.loads(said), told[0], told[-1]) == ({"tool": "delete_file", "path": "b"}, "a", "b")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_members_of_a_line_with_calls_leave_once(count: int) -> None:
    """Of Ollama's line, however many calls are in it."""
    calls = [{"function": {"name": "delete_file", "arguments": {"path": str(nth)}}} for nth in range(count)]
    line = {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": False, "logprobs": [1]}
    made = left([line, {"model": "m", "message": {"content": ""}, "done": True}], "ollama")
    assert [event.get("logprobs") for event in made].count([1]) == 1
    assert [call for event in made for call in event["message"].get("tool_calls", ())] == calls
    assert len(made) == count + 2


@pytest.mark.parametrize("beside", [{}, {"thoughtSignature": "c2ln"}, {"x": 1}], ids=str)
@pytest.mark.parametrize("parts", [["a", f"\n{VALID}\n", "b"], [f"{VALID}\n"], [f"a\n{VALID}", ""]], ids=len)
def test_a_reply_that_needs_no_change_keeps_the_members_of_its_texts(parts: list[str], beside: Event) -> None:
    for own in range(len(parts)):
        told = [{"text": text, **(beside if nth == own else {})} for nth, text in enumerate(parts)]
        content = {"role": "model", "parts": told}
        reply = {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}
        folding = taken_apart(reply, Settings(blocks="text"))
        assert folding is not None
        guard_folding(folding, GUARD)
        assert folding.reply() == reply


@pytest.mark.parametrize("end", [b"\xe2", b"\xe2\x82", b"\xf0\x9f\x8e", b"\xff"], ids=repr)
def test_half_a_character_at_the_end_of_a_plain_text_leaves(end: bytes) -> None:
    for before in ("a", f"a\n{VALID}", "```"):
        body = Body(GUARD, "text", PROTOCOLS["text"], Settings())
        raw = before.encode() + end
        parts = [*body.push(raw[:1]), *body.push(raw[1:]), *body.end("unknown")]
        assert b"".join(part for part in parts if isinstance(part, bytes)) == raw


def test_calls_of_a_plain_text_cannot_be_promoted() -> None:
    async def app(*_: Any) -> None: ...

    with pytest.raises(ValueError, match="promote works with"):
        StreamGuardMiddleware(app, guard=GUARD, format="text", promote=True)


_TOOLS: Final = [{"type": "function", "function": {"name": "delete_file", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(("request_", "most"), [
    ({"tools": _TOOLS}, 2), ({"tools": _TOOLS, "parallel_tool_calls": True}, 2),
    ({"tools": _TOOLS, "parallel_tool_calls": False}, 1),
    ({"tools": _TOOLS, "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, 1),
    ({}, 2), ({"parallel_tool_calls": True}, 2), ({"parallel_tool_calls": False}, 1),
    ({"tools": [], "parallel_tool_calls": False}, 1),
    ({"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, 1),
])  # fmt: skip
async def test_a_request_that_allows_one_call_gets_one(request_: Event, most: int) -> None:
    """The others stay in the text; a native call counts. Also of the guard's own tools, where a request names none."""
    _, promotable = await RequestGuards(GUARD, "only" if request_.get("tools") else "add").of(json.dumps(request_).encode())
    promoting = Settings(promote=True, blocks="text").promoting(promotable)
    native = {"index": 0, "id": "c", "type": "function", "function": {"name": "delete_file", "arguments": DELETE[1]}}
    for natives in (0, 1):
        body = Body(GUARD, "events", PROTOCOLS["openai-chat"], promoting)
        choices: list[Event] = [
            {"index": 0, "delta": {"content": f"{TEXTS['two']}\n"}},
            *[{"index": 0, "delta": {"tool_calls": [native]}}] * natives,
            {"index": 0, "delta": {}, "finish_reason": "stop"},
        ]
        raw = body_of([{"id": "c", "choices": [choice]} for choice in choices], "openai-chat").encode()
        left_ = b"".join(part for part in [*body.push(raw), *body.end("unknown")] if isinstance(part, bytes)).decode()
        assert left_.count('"tool_calls":[{') == (most if most == 1 else most + natives)
        assert left_.count("```json") == (0 if most == 2 else 1 + natives)


@pytest.mark.parametrize("behind", ["", "\n", "\nOk.", "\nOk.\n", f"\nb\n{VALID}", f"\nb\n{VALID}\nc d"])
@pytest.mark.parametrize("name", ["openai-chat", "gemini", "ollama", "anthropic"])
def test_a_block_that_is_not_promoted_is_on_a_line_of_its_own_at_any_cut(name: str, behind: str) -> None:
    whole = f"a\n{VALID}{behind}"
    told = {_put_back(name, [whole[at : at + size] for at in range(0, len(whole), size)]) for size in (1, 2, 3, 7, len(whole))}
    assert len(told) == 1
    (text,) = told
    assert [line for line in text.splitlines() if "```json" in line] == ["```json"] * whole.count("```json")
    assert text.startswith("a\n")
    assert text.replace("\n", "").endswith("".join([VALID] * whole.count(VALID)).replace("\n", ""))


def _put_back(name: str, pieces: list[str]) -> str:
    """The text that leaves for one whose message was cut off."""
    if name == "anthropic":
        begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        deltas: list[Event] = [{"type": "text_delta", "text": piece} for piece in pieces]
        events = [
            {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}},
            begun, *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0}, {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
        ]  # fmt: skip
        told = left(events, name, promote=True, blocks="text")
        return "".join(event["delta"]["text"] for event in told if event["type"] == "content_block_delta")
    made: dict[str, Callable[[str, bool], Event]] = {
        "openai-chat": lambda text, ends: {
            "id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "length" if ends else None}]},
        "gemini": lambda text, ends: {"candidates": [
            {"index": 0, "content": {"parts": [{"text": text}]}, **({"finishReason": "MAX_TOKENS"} if ends else {})}]},
        "ollama": lambda text, ends: {
            "model": "m", "message": {"content": text}, "done": ends, **({"done_reason": "length"} if ends else {})},
    }  # fmt: skip
    events = [*(made[name](piece, False) for piece in pieces), made[name]("", True)]
    return "".join(
        text for event in left(events, name, promote=True, blocks="text") for _, text in PROTOCOLS[name].texts(event)
    )


@pytest.mark.parametrize("line", [b"retry: 15000", b": note", b"id: 41"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"], ids=repr)
def test_the_other_lines_of_a_held_event_leave_at_their_place_but_its_id(line: bytes, line_end: bytes) -> None:
    """A client that comes back with the id of a text that is held would never get it."""
    body = Body(GUARD, "events", PROTOCOLS["openai-chat"], Settings(blocks="text"))
    pieces = ["a\n", *(f"{part}\n" for part in VALID.split("\n")), "b"]
    for at, piece in enumerate(pieces):
        event = json.dumps({"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]}).encode()
        raw = b"".join(
            part for part in body.push(line_end.join([line, b"data: " + event, b"", b""])) if isinstance(part, bytes)
        )
        held = b"content" not in raw
        assert held == (at in (1, 2)), raw
        assert raw.split(line_end).count(line) == (0 if held and line.startswith(b"id") else 1), raw
        assert not held or raw in (b"", line + line_end + line_end)


UNREAD: Final = {
    "too deep": b'data: {"a": '
    + b"[" * 3000
    + b"]" * 3000
    + b', "choices": [{"index": 0, "delta": {"content": "MIDDLE"}}]}\n\n',
    "too long": b'data: {"choices": [{"index": 0, "delta": {"content": "' + b"MIDDLE" * 20_000 + b'"}}]}\n\n',
    "too many": b'data: {"a": [' + b"0," * 50_000 + b'0], "choices": [{"index": 0, "delta": {"content": "MIDDLE"}}]}\n\n',
    "broken": b'data: {"choices": [{"index": 0, "delta": {"content": "MIDDLE\n\n',
}
"""Events that pass unread."""

PARTS: Final = ('{"path": "a.txt", "content": "abc ', 'def"}')


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("odd", UNREAD)
def test_what_is_held_around_an_event_that_passes_unread_is_cut_off(odd: str, native: bool) -> None:
    """Nobody knows whether that event had a part of it: what is left may be valid without."""
    deltas: list[Event]
    if native:
        begun = {"index": 0, "id": "c1", "type": "function", "function": {"name": "write_file", "arguments": PARTS[0]}}
        deltas = [{"tool_calls": [begun]}, {"tool_calls": [{"index": 0, "function": {"arguments": PARTS[1]}}]}]
    else:
        deltas = [{"content": '```json\n{"tool": "write_file", ' + PARTS[0][1:]}, {"content": PARTS[1] + "\n```\n"}]
    reason = "tool_calls" if native else "stop"
    choices: list[Event] = [
        *({"delta": delta, "finish_reason": None} for delta in deltas),
        {"delta": {}, "finish_reason": reason},
    ]
    first, *rest = (
        b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}).encode() + b"\n\n"
        for choice in choices
    )

    def ran(*chunks: bytes) -> list[bool]:
        noted: list[str] = []
        told: list[bool] = []
        guard = Guard(FILE_TOOLS, limits=Limits(max_event=100_000), on_block=lambda block: told.append(block.executable))
        body = Body(guard, "events", PROTOCOLS["openai-chat"], Settings(blocks="text", on_uninspected=noted.append))
        parts = [part for chunk in chunks for part in body.push(chunk)]
        parts += body.end("unknown")
        assert bool(noted) == (len(chunks) > 3)
        assert all(isinstance(part, bytes) for part in parts)
        return told

    assert ran(first, *rest) == [True]
    assert ran(first, UNREAD[odd], *rest) == [False]


SILENT: Final[list[Any]] = [[], "", 0, False, {}, [None], [[]], [[], {}]]
SAYING: Final[list[Any]] = ["x", 5, True, ["x"], [{"id": 7}], {"x": 1}]
"""What stands in the place of something else: what says nothing, and what says something."""


def _chat_end(reason: str, /, **delta: Any) -> Event:
    return {
        "id": "c",
        "choices": [{"index": 0, "delta": delta.get("delta", delta), "finish_reason": reason}],
        "usage": {"x": 1},
    }


def _gemini_end(_: str, /, **content: Any) -> Event:
    return {"candidates": [{"index": 0, "content": content.get("content", content), "finishReason": "STOP"}]}


def _ollama_end(_: str, /, **message: Any) -> Event:
    return {"model": "m", "message": message.get("message", message), "done": True, "done_reason": "stop", "eval_count": 3}


ODD_ENDS: Final[dict[str, tuple[Callable[..., Event], tuple[str, ...]]]] = {
    "openai-chat": (_chat_end, ("delta", "content", "tool_calls", "function_call")),
    "gemini": (_gemini_end, ("content", "parts")),
    "ollama": (_ollama_end, ("message", "tool_calls")),
}
"""An end, and the members of it that may be odd."""


def _begun(name: str, scene: str) -> tuple[list[Event], str]:
    """What comes before the end, with the reason at the end."""
    if scene in TEXTS:
        text = f"a\n{TEXTS[scene]}"
        made: dict[str, Event] = {
            "openai-chat": {"id": "c", "choices": [{"index": 0, "delta": {"content": text}}]},
            "gemini": {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": text}]}}]},
            "ollama": {"model": "m", "message": {"role": "assistant", "content": text}, "done": False},
        }
        return [made[name]], "stop"
    arguments = DELETE[1] if scene == "call" or name != "openai-chat" else DELETE[1][:-2]
    native: dict[str, Any] = {"openai-chat": chat, "gemini": gemini, "ollama": ollama}
    *events, _ = native[name]([("delete_file", arguments)])
    return [event for event in events if isinstance(event, dict)], "tool_calls"


@pytest.mark.some
@pytest.mark.parametrize("settings", [{"blocks": "text"}, {"promote": True}], ids=str)
@pytest.mark.parametrize("scene", [*TEXTS, "call", "cut call"])
@pytest.mark.parametrize("name", ODD_ENDS)
def test_an_end_that_cannot_be_read_whole_is_one(name: str, scene: str, settings: dict[str, Any]) -> None:
    """What is held leaves before it, as before a readable one, and its reason is as true."""
    make, members = ODD_ENDS[name]
    begun, reason = _begun(name, scene)
    *expected, last = left([*begun, make(reason)], name, **settings)
    table = PROTOCOLS[name]
    for member, value in some(product(members, [*SILENT, *SAYING]), 10, kind=lambda cell: repr(cell[1])):
        end = make(reason, **{member: value})
        if table.reads(end):
            continue
        noted: list[str] = []
        said = _says(value) or (_says(end["message"]) if name == "ollama" and member != "message" else False)
        told = left([*begun, end], name, noted, **settings)
        odd = [event for event in told if not table.reads(event)]
        *before, closing = told if not said else [event for event in told if event not in odd]
        assert noted == ["odd event"], (member, value)
        assert (before, table.ends(table.read_end(closing)[0] if not table.reads(closing) else closing)) == (  # type: ignore[index]
            expected, table.ends(last)), (member, value)  # fmt: skip
        changed = table.ends(last) != table.ends(make(reason)) or "promote" in settings or scene == "cut call"
        assert len(odd) == 1 or (changed and not said), (member, value, told)
        assert not said or not any(table.read_end(event) for event in odd), "only one event ends the message"
        assert json.dumps(value) in json.dumps(odd) or not odd
        assert json.dumps(told).count('"usage": {"x": 1}') == (name == "openai-chat")


def _says(value: Any) -> bool:
    return (
        any(map(_says, value.values() if isinstance(value, dict) else value)) if isinstance(value, dict | list) else bool(value)
    )


@pytest.mark.parametrize("name", ODD_ENDS)
def test_an_odd_end_leaves_as_it_came_where_nothing_is_held(name: str) -> None:
    make, members = ODD_ENDS[name]
    for member, value in product(members, [*SILENT, *SAYING]):
        end = make("stop", **{member: value})
        if PROTOCOLS[name].reads(end):
            continue
        assert left([end], name, blocks="text") == [end]


@pytest.mark.parametrize(("name", "at", "member"), [
    ("openai-responses", -1, "response"), ("openai-responses", -1, "item"), ("openai-responses", -1, "output_index"),
    ("ai-sdk", -1, "id"), ("ai-sdk", -1, "path"), ("ag-ui", -1, "messageId"), ("ag-ui", -1, "messages"),
    ("anthropic", -1, "index"), ("anthropic", -1, "delta"), ("anthropic", -2, "content_block"), ("anthropic", -2, "index"),
])  # fmt: skip
@pytest.mark.parametrize("scene", [*TEXTS, "calls"])
def test_an_odd_end_of_the_whole_message_comes_last(name: str, at: int, member: str, scene: str) -> None:
    """Of a message that was cut off before, too: what is open ends with it."""
    whole = [event for event in _message(name, scene) if isinstance(event, dict)]
    closing = whole[at:]
    for opened, value in product(range(len(whole) + at, 0, -4), [[], False, {}, [None], 5, {"x": 1}]):
        end = {**closing[0], member: value}
        table = PROTOCOLS[name]
        if table.reads(end):
            continue
        expected = left([*whole[:opened], {**closing[0], member: None}, *closing[1:]], name, blocks="text")
        told = left([*whole[:opened], end, *closing[1:]], name, blocks="text")
        assert _without(told, member) == _without(expected, member)


def _without(events: list[Event], member: str) -> list[Event]:
    """Events without a member of those that have it odd or not at all."""
    return [{key: said for key, said in event.items() if key != member} for event in events]


def _message(name: str, scene: str) -> list[Any]:
    made: dict[str, Any] = {"openai-responses": responses, "ai-sdk": ai_sdk, "ag-ui": ag_ui, "anthropic": messages}
    if scene == "calls":
        return list(made[name](CALLS))
    text = f"a\n{TEXTS[scene]}"
    *_, end = made[name](CALLS)
    if name == "openai-responses":
        at = {"item_id": "m", "output_index": 0, "content_index": 0}
        return [{"type": "response.output_text.delta", "delta": text, **at}, _last_of(made[name](CALLS))]
    if name == "ai-sdk":
        begun: list[Any] = [
            {"type": "start"},
            {"type": "text-start", "id": "t"},
            {"type": "text-delta", "id": "t", "delta": text},
        ]
        return [*begun, {"type": "finish", "finishReason": "stop"}]
    if name == "ag-ui":
        started = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
        return [started, {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}, end]
    return [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]


def _last_of(events: Iterable[Any]) -> Any:
    *_, last = [event for event in events if isinstance(event, dict)]
    return last


@pytest.mark.parametrize("odd", [0, 1.5, True, [], {}, [None]], ids=str)
@pytest.mark.parametrize("member", ["status", "name", "id"])
def test_an_odd_end_from_which_a_call_is_missing_keeps_what_else_it_says(member: str, odd: Any) -> None:
    """Its events told two sets of arguments: it is not sent on, and the response does not claim to be whole."""
    *events, ended = responses([DELETE])
    for event in events:
        if event["type"] == "response.function_call_arguments.done":
            event["arguments"] = event["arguments"].replace("b", "c")
    ended["response"]["usage"] = {"total_tokens": 3}
    ended["response"]["output"][0][member] = odd
    noted: list[str] = []
    (*_, last) = left([*events, ended], "openai-responses", noted)
    assert last["type"] == "response.incomplete"
    assert last["response"]["usage"] == {"total_tokens": 3}
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}
    assert last["response"]["output"] == []
    assert "odd event" in noted
    assert "guard error" not in noted
