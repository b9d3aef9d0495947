"""Rows of events as some servers send them: several things in one event, a call in one piece, and other forms of the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .fences import FILE_TOOLS, fenced
from .native import Event, read
from .native_rows import given
from .protocol_rows import DROP, SMALL, body
from .rows import Meant, Row

BEGINNING: Final = "other-servers/"

Said = tuple[str, Sequence[Event], Sequence[Meant], Sequence[Sequence[str]], Sequence[str]]
"""What a row tries, its events, its calls, the text of each choice, and what it needs."""


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    makers = {
        "openai-chat": (*_chat(), *_chat_texts()),
        "openai-responses": _responses(),
        "anthropic": _messages(),
        "gemini": _gemini(),
        "ollama": _ollama(),
        "ai-sdk": _ai_sdk(),
        "ag-ui": _ag_ui(),
    }
    for name, all_said in makers.items():
        for what, events, calls, texts, needs in all_said:
            several = ("several",) if len(calls) > 1 else ()
            yield Row(
                f"{BEGINNING}{name}",
                f"Some servers of `{name}` send {what}: nothing is lost.",
                FILE_TOOLS,
                events,
                calls,
                texts=texts,
                needs=tuple(dict.fromkeys((f"protocol:{name}", "streams", *several, *needs))),
                form="events",
                protocol=name,
            )


NATIVE: Final = ("native",)
_HALF: Final = 12
"""Where the arguments of a call are cut in two."""


# -- chat completions


def _chunk(*choices: Event) -> Event:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [*choices]}


def _said(delta: Mapping[str, Any], reason: str | None = None, *, choice: int = 0) -> Event:
    return {"index": choice, "delta": dict(delta), "finish_reason": reason}


def _piece(index: int, call: Meant, begin: int = 0, end: int | None = None, **more: Any) -> Event:
    """Return a piece of a native call: its first one has the id and the name."""
    name, arguments = given(call)
    head: Event = {"id": f"t{index}", "type": "function"} if begin == 0 else {}
    function = {"name": name} if begin == 0 else {}
    return {"index": index, **head, "function": {**function, "arguments": arguments[begin:end], **more}}


def _calls(*pieces: Event, choice: int = 0, **more: Any) -> Event:
    return _chunk(_said({"tool_calls": [*pieces], **more}, choice=choice))


def _chat() -> Iterator[Said]:
    """Yield native calls."""
    hello = _chunk(_said({"role": "assistant", "content": "Hi\n"}))
    ended = _chunk(_said({}, "tool_calls"))
    whole, other = _piece(0, SMALL), _piece(1, DROP)
    empty = _piece(0, SMALL, 0, 0)
    begun, rest = _piece(0, SMALL, 0, _HALF), _piece(0, SMALL, _HALF)
    name, arguments = given(SMALL)
    one, two = (SMALL,), (SMALL, DROP)
    alone = [["Hi\n"]]

    yield "a native call in one piece", [hello, _calls(whole), ended], one, alone, NATIVE
    yield "two native calls, each in one piece", [hello, _calls(whole), _calls(other), ended], two, alone, NATIVE
    yield "two native calls in one event", [hello, _calls(whole, other), ended], two, alone, NATIVE
    yield (
        "arguments in the piece that has the name, and more behind it",
        [hello, _calls(begun), _calls(rest), ended],
        one,
        alone,
        NATIVE,
    )
    yield (
        "pieces of two native calls in one event",
        [hello, _calls(begun, _piece(1, DROP, 0, _HALF)), _calls(rest, _piece(1, DROP, _HALF)), ended],
        two,
        alone,
        NATIVE,
    )
    yield (
        "the id and the type in every piece of a native call",
        [hello, _calls(begun), _calls({**rest, "id": "t0", "type": "function"}), ended],
        one,
        alone,
        NATIVE,
    )
    yield (
        "the name of a native call in every piece",
        [hello, _calls(begun), _calls(_piece(0, SMALL, _HALF, name=name)), ended],
        one,
        alone,
        NATIVE,
    )
    yield (
        "the name of a native call in two pieces",
        [
            hello,
            _calls({**empty, "function": {"name": name[:5], "arguments": ""}}),
            _calls({"index": 0, "function": {"name": name[5:]}}),
            _calls({"index": 0, "function": {"arguments": arguments}}),
            ended,
        ],
        one,
        alone,
        NATIVE,
    )
    for reason in ("stop", "tool_calls"):
        last = _chunk(_said({"tool_calls": [rest]}, reason))
        yield (
            f"the last piece of a native call in the event that ends with `{reason}`",
            [hello, _calls(begun), last],
            one,
            alone,
            NATIVE,
        )
        yield (
            f"a whole reply in one event, which ends with `{reason}`",
            [_chunk(_said({"role": "assistant", "content": "Hi\n", "tool_calls": [whole]}, reason))],
            one,
            alone,
            NATIVE,
        )
    for calls in (one, two):
        pieces = [_calls(_piece(index, call)) for index, call in enumerate(calls)]
        yield "the reason `stop` behind native calls", [hello, *pieces, _chunk(_said({}, "stop"))], calls, alone, NATIVE
    yield "text in the event of a native call", [hello, _calls(whole, content="Now.\n"), ended], one, [["Hi\nNow.\n"]], NATIVE
    yield (
        "text in each event of a native call",
        [hello, _calls(begun, content="Now "), _calls(rest, content="this.\n"), ended],
        one,
        [["Hi\nNow this.\n"]],
        NATIVE,
    )
    yield (
        "text behind a native call",
        [hello, _calls(whole), *(_chunk(_said({"content": text})) for text in ("So", ".\n")), ended],
        one,
        [["Hi\nSo.\n"]],
        NATIVE,
    )
    yield (
        "text between two native calls",
        [hello, _calls(whole), _chunk(_said({"content": "and\n"})), _calls(other), ended],
        two,
        [["Hi\nand\n"]],
        NATIVE,
    )


def _of(call: Meant, choice: int) -> Meant:
    return Meant(call.name, call.arguments, choice=choice)


TEXT: Final = f"Hi.\n\n{fenced(body(SMALL))}\nSo.\n"
OTHER: Final = f"Now.\n\n{fenced(body(DROP))}\nDone, 日本語.\n"
PLAIN: Final = "Nothing but `text`, 日本語.\n"
_PIECES: Final = ["Hi.\n\n", "", "\nSo.\n"]


def _cut(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _chat_texts() -> Iterator[Said]:
    """Yield calls in texts, and text alone."""
    ended = _chunk(_said({}, "stop"))
    for text, calls, pieces in ((TEXT, (SMALL,), _PIECES), (PLAIN, (), [PLAIN])):
        what = "a call in a text" if calls else "text"
        yield (
            f"`content` as a list of one part, with {what}",
            [*(_chunk(_said({"content": [{"type": "text", "text": each}]})) for each in _cut(text)), ended],
            calls,
            [pieces],
            ("fence",),
        )
        halves = [[{"type": "text", "text": part} for part in _cut(each, 4)] for each in _cut(text)]
        yield (
            f"`content` as a list of several parts, with {what}",
            [*(_chunk(_said({"content": parts})) for parts in halves), ended],
            calls,
            [pieces],
            ("fence",),
        )
        yield (
            f"a whole reply in one event, with {what}",
            [_chunk(_said({"role": "assistant", "content": text}, "stop"))],
            calls,
            [pieces],
            ("fence",),
        )
        size = -(-len(text) // len(_cut(OTHER)))
        yield (
            f"two choices in each event, the first with {what}",
            [
                *(
                    _chunk(_said({"content": one}), _said({"content": other}, choice=1))
                    for one, other in zip([*_cut(text, size), *[""] * 99], _cut(OTHER), strict=False)
                ),
                _chunk(_said({}, "stop"), _said({}, "stop", choice=1)),
            ],
            (*calls, _of(DROP, 1)),
            [pieces, ["Now.\n\n", "", "\nDone, 日本語.\n"]],
            ("fence", "several"),
        )


# -- other protocols


def _responses() -> Iterator[Said]:
    name, arguments = given(SMALL)
    item = {"id": "i0", "type": "function_call", "call_id": "t0", "name": name}
    done = {**item, "arguments": arguments, "status": "completed"}
    at = {"item_id": "i0", "output_index": 0}
    added = {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {**item, "arguments": "", "status": "in_progress"},
    }
    kind = "response.function_call_arguments"
    whole = {"type": f"{kind}.done", **at, "name": name, "arguments": arguments}
    ended = {"type": "response.output_item.done", "output_index": 0, "item": done}
    at_text = {"item_id": "m1", "output_index": 1, "content_index": 0}
    said = {"type": "response.output_text.delta", **at_text, "delta": "So.\n", "logprobs": []}
    text = {"type": "output_text", "text": "So.\n", "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
    last = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [done]}}
    both = {**last, "response": {"id": "r", "status": "completed", "output": [done, message]}}
    delta = {"type": f"{kind}.delta", **at, "delta": arguments}
    yield "a native call in one piece", [added, delta, whole, ended, last], (SMALL,), [[""]], NATIVE
    yield "a native call without pieces", [added, whole, ended, last], (SMALL,), [[""]], NATIVE
    yield "text behind a native call", [added, delta, whole, ended, said, both], (SMALL,), [["So.\n"]], NATIVE


def _messages() -> Iterator[Said]:
    name, arguments = given(SMALL)

    def text(index: int, said: str) -> list[Event]:
        return [
            {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": said}},
            {"type": "content_block_stop", "index": index},
        ]

    def use(index: int, *pieces: str, **given: Any) -> list[Event]:
        block = {"type": "tool_use", "id": f"t{index}", "name": name, "input": given}
        delta = {"type": "content_block_delta", "index": index}
        return [
            {"type": "content_block_start", "index": index, "content_block": block},
            *({**delta, "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in pieces),
            {"type": "content_block_stop", "index": index},
        ]

    message: Event = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    begun = {"type": "message_start", "message": message}

    def ended(reason: str) -> list[Event]:
        return [{"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]

    one = (SMALL,)
    call = use(0, arguments)
    yield "a native call in one piece", [begun, *call, *ended("tool_use")], one, [[""]], NATIVE
    yield (
        "the whole input at the start of a native call",
        [begun, *use(0, **SMALL.arguments), *ended("tool_use")],
        one,
        [[""]],
        NATIVE,
    )
    yield "text behind a native call", [begun, *call, *text(1, "So.\n"), *ended("tool_use")], one, [["So.\n"]], NATIVE
    yield (
        "text before and behind a native call",
        [begun, *text(0, "Hi.\n"), *use(1, arguments[:_HALF], arguments[_HALF:]), *text(2, "So.\n"), *ended("tool_use")],
        one,
        [["Hi.\nSo.\n"]],
        NATIVE,
    )
    yield "the reason `end_turn` behind a native call", [begun, *call, *ended("end_turn")], one, [[""]], NATIVE


def _gemini() -> Iterator[Said]:
    def event(*candidates: Sequence[Event], reason: str | None = None) -> Event:
        more = {"finishReason": reason} if reason else {}
        return {
            "candidates": [
                {"index": index, "content": {"parts": [*parts], "role": "model"}, **more}
                for index, parts in enumerate(candidates)
            ]
        }

    def called(call: Meant) -> Event:
        name, arguments = given(call)
        return {"functionCall": {"name": name, "args": read(arguments)}}

    one, two = (SMALL,), (SMALL, DROP)
    small, drop, ended = called(SMALL), called(DROP), event([], reason="STOP")
    yield "text and a native call in one event", [event([{"text": "Hi\n"}, small]), ended], one, [["Hi\n"]], NATIVE
    yield "text behind a native call", [event([small]), event([{"text": "So.\n"}]), ended], one, [["So.\n"]], NATIVE
    yield "two native calls in one event", [event([{"text": "Hi\n"}, small, drop]), ended], two, [["Hi\n"]], NATIVE
    yield "a whole reply in one event", [event([{"text": "Hi\n"}, small], reason="STOP")], one, [["Hi\n"]], NATIVE
    yield (
        "two candidates in each event",
        [*(event([{"text": one}], [{"text": one}]) for one in _cut(TEXT)), event([], [], reason="STOP")],
        (SMALL, _of(SMALL, 1)),
        [_PIECES, _PIECES],
        ("fence", "several"),
    )
    yield (
        "a text in several parts",
        [*(event([{"text": p} for p in _cut(t, 3)]) for t in _cut(TEXT)), ended],
        one,
        [_PIECES],
        ("fence",),
    )


def _ollama() -> Iterator[Said]:
    def line(content: str, *calls: Meant, **more: Any) -> Event:
        called = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
        message = {"role": "assistant", "content": content, **({"tool_calls": called} if called else {})}
        return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}

    one, two = (SMALL,), (SMALL, DROP)
    over = {"done": True, "done_reason": "stop"}
    ended = line("", **over)
    yield "text and a native call in one line", [line("Hi\n", SMALL), ended], one, [["Hi\n"]], NATIVE
    yield "text behind a native call", [line("", SMALL), line("So.\n"), ended], one, [["So.\n"]], NATIVE
    yield "two native calls in one line", [line("Hi\n", SMALL, DROP), ended], two, [["Hi\n"]], NATIVE
    yield "a whole reply in one line", [line("Hi\n", SMALL, **over)], one, [["Hi\n"]], NATIVE


def _ai_sdk() -> Iterator[Said]:
    name, arguments = given(SMALL)
    at = {"toolCallId": "t0"}
    whole = {"type": "tool-input-available", **at, "toolName": name, "input": read(arguments)}
    started = {"type": "tool-input-start", **at, "toolName": name}
    pieces = [{"type": "tool-input-delta", **at, "inputTextDelta": piece} for piece in (arguments[:_HALF], arguments[_HALF:])]
    said = [
        {"type": "text-start", "id": "x"},
        {"type": "text-delta", "id": "x", "delta": "So.\n"},
        {"type": "text-end", "id": "x"},
    ]
    begun, ended = {"type": "start", "messageId": "m"}, {"type": "finish", "finishReason": "tool-calls"}
    yield "a native call whole, without pieces", [begun, whole, ended], (SMALL,), [[""]], NATIVE
    yield "text behind a native call", [begun, started, *pieces, whole, *said, ended], (SMALL,), [["So.\n"]], NATIVE


def _ag_ui() -> Iterator[Said]:
    name, arguments = given(SMALL)
    at = {"toolCallId": "t0"}
    call = [
        {"type": "TOOL_CALL_START", **at, "toolCallName": name},
        {"type": "TOOL_CALL_ARGS", **at, "delta": arguments},
        {"type": "TOOL_CALL_END", **at},
    ]
    said = [
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "So.\n"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    ]
    ended = {"type": "RUN_FINISHED", "threadId": "a", "runId": "r"}
    yield "a native call in one piece", [*call, ended], (SMALL,), [[""]], NATIVE
    yield "text behind a native call", [*call, *said, ended], (SMALL,), [["So.\n"]], NATIVE
