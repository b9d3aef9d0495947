"""Rows of where text and calls stand: each place that a protocol has for them, and several texts, which are not one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from .dialects import CALLS, DIALECTS, WITHOUT_QUOTES
from .dialects import TOOLS as DIALECT_TOOLS
from .fences import fenced
from .native import Event
from .native_rows import given
from .protocol_rows import DROP, SMALL, body
from .rows import Draft, Meant, Piece, Row
from .sent import Sent
from .streams import STREAMS, Spoken, finish, run

BEGINNING: Final = "places/"
FENCE: Final = ("fence",)
NATIVE: Final = ("native",)


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _texts()
    yield from _native_places()
    yield from _lanes(seed)
    yield from _replies()
    yield from _dialects()
    yield from _of_others()


def _cut(text: str, size: int = 9) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _call() -> Draft:
    return Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nSo.\n")


def _drafts() -> Mapping[str, Draft]:
    return {"text": Draft().say("Hi, there it is, and `more`.\n"), "a call": _call()}


# -- places of text


def _model(content: Any) -> Any:
    return run(0, "on_chat_model_stream", chunk={"type": "AIMessageChunk", "content": content})


def _part(index: int, delta: str, item: int = 0) -> Event:
    at = {"item_id": f"m{item}", "output_index": item, "content_index": index}
    return {"type": "response.output_text.delta", **at, "delta": delta}


_COMPLETED: Final = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}
_STOPPED: Final[Sequence[Event]] = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]

TEXTS: Final[Mapping[str, Mapping[str, Callable[[Sequence[str]], list[Any]]]]] = {
    "ag-ui": {
        "`TEXT_MESSAGE_CHUNK`": lambda deltas: [
            {"type": "RUN_STARTED", "threadId": "a", "runId": "r"},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": deltas[0]},
            *({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": delta} for delta in deltas[1:]),
            {"type": "RUN_FINISHED", "threadId": "a", "runId": "r"},
        ],
    },
    "pydantic-ai": {
        "`part_start`, for the first piece": lambda deltas: [
            {"event_kind": "part_start", "index": 0, "part": {"part_kind": "text", "content": deltas[0]}},
            *STREAMS["pydantic-ai"].stream(deltas[1:]),
        ],
    },
    "anthropic": {
        "`content_block_start`, for the first piece": lambda deltas: [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": deltas[0]}},
            *STREAMS["anthropic"].stream(deltas[1:]),
        ],
    },
    "langchain": {
        "`content` as a list of one part": lambda deltas: [
            *(_model([{"type": "text", "text": delta, "index": 0}]) for delta in deltas),
            run(0, "on_chat_model_end", output={"response_metadata": {"stop_reason": "end_turn"}}),
        ],
        "`content` as a list of several parts": lambda deltas: [
            *(_model([{"type": "text", "text": piece} for piece in _cut(delta, 3)]) for delta in deltas),
            run(0, "on_chat_model_end", output={"response_metadata": {"finish_reason": "STOP"}}),
        ],
        "`content` as a list, with other parts": lambda deltas: [
            _model([]),
            *(_model([{"type": "input_json", "partial_json": ""}, {"type": "text", "text": delta}]) for delta in deltas),
            run(0, "on_chat_model_end", output={"response_metadata": {"finish_reason": "stop"}}),
        ],
    },
    "langchain-v3": {
        "`content-block-start`, for the first piece": lambda deltas: [
            {"event": "content-block-start", "index": 0, "content": {"type": "text", "text": deltas[0]}},
            *STREAMS["langchain-v3"].stream(deltas[1:]),
        ],
    },
    "ollama": {
        "`response` of `/api/generate`": lambda deltas: [
            *({"model": "m", "response": delta, "done": False} for delta in deltas),
            {"model": "m", "response": "", "done": True, "done_reason": "stop"},
        ],
        "the last line": lambda deltas: [
            *(STREAMS["ollama"].say(0, delta) for delta in deltas[:-1]),
            {"model": "m", "message": {"role": "assistant", "content": deltas[-1]}, "done": True, "done_reason": "stop"},
        ],
    },
    "gemini": {
        "parts beside a thought": lambda deltas: [
            *(
                {"candidates": [{"index": 0, "content": {"parts": [{"text": "Hm.", "thought": True}, {"text": delta}]}}]}
                for delta in deltas
            ),
            {"candidates": [{"index": 0, "finishReason": "STOP"}]},
        ],
    },
    "openai-responses": {
        "the second item": lambda deltas: [*(_part(0, delta, 1) for delta in deltas), _COMPLETED],
    },
    "openai-chat": {
        "the first event, with the role": lambda deltas: [
            {"id": "c", "choices": [{"index": 0, "delta": {"role": "assistant", "content": deltas[0]}}]},
            *STREAMS["openai-chat"].stream(deltas[1:]),
        ],
    },
}
"""Places of text in each protocol, beside those that `streams` has."""


def _texts() -> Iterator[Row]:
    for name, places in TEXTS.items():
        for place, made in places.items():
            for beside, draft in _drafts().items():
                why = f"The text of `{name}` also stands in {place}: {beside}."
                yield Sent(why, made(_cut(draft.text)), draft.calls, [draft.pieces], FENCE).row(f"{BEGINNING}{name}", name)


# -- places of native calls


def _delta(reason: str | None = None, /, **members: Any) -> Event:
    return {"id": "c", "choices": [{"index": 0, "delta": members, "finish_reason": reason}]}


def _content(*parts: Event, **more: Any) -> Event:
    return {"candidates": [{"index": 0, "content": {"role": "model", "parts": [*parts]}, **more}]}


def _partial(path: str, **more: Any) -> Event:
    value = {"jsonPath": f"$.{path}", "stringValue": SMALL.arguments[path]}
    return _content({"functionCall": {"partialArgs": [value], "willContinue": True, **more}})


def _native_places() -> Iterator[Row]:
    name, arguments = given(SMALL)
    other, drops = given(DROP)
    half = len(arguments) // 2

    def function(name: str, arguments: str, **more: Any) -> Event:
        return {**more, "type": "function", "function": {"name": name, "arguments": arguments}}

    def old(reason: str) -> list[Event]:
        return [
            _delta(role="assistant", content=None, function_call={"name": name, "arguments": ""}),
            *(_delta(function_call={"arguments": piece}) for piece in (arguments[:half], arguments[half:])),
            _delta(reason),
        ]

    streams: Mapping[str, tuple[str, Sequence[Event], Sequence[Meant]]] = {
        "`function_call`": ("openai-chat", old("function_call"), (SMALL,)),
        "`function_call`, with the reason `stop`": ("openai-chat", old("stop"), (SMALL,)),
        "`function_call` in one event": (
            "openai-chat",
            [_delta(role="assistant", function_call={"name": name, "arguments": arguments}), _delta("function_call")],
            (SMALL,),
        ),
        "`tool_calls` without an index": (
            "openai-chat",
            [_delta(tool_calls=[function(name, arguments, id="t0")]), _delta("tool_calls")],
            (SMALL,),
        ),
        "`tool_calls` without an index, in pieces": (
            "openai-chat",
            [
                _delta(tool_calls=[function(name, arguments[:half], id="t0")]),
                _delta(tool_calls=[{"function": {"arguments": arguments[half:]}}]),
                _delta("tool_calls"),
            ],
            (SMALL,),
        ),
        "two of `tool_calls` with indices that begin at 1": (
            "openai-chat",
            [
                _delta(tool_calls=[function(name, arguments, id="t1", index=1)]),
                _delta(tool_calls=[function(other, drops, id="t2", index=2)]),
                _delta("tool_calls"),
            ],
            (SMALL, DROP),
        ),
        "`partialArgs`": (
            "gemini",
            [
                _partial("path", name=name, id="1"),
                _partial("content"),
                _content({"functionCall": {}}),
                _content({"text": ""}, finishReason="STOP"),
            ],
            (SMALL,),
        ),
        "`partialArgs`, of which the last part says that it is": (
            "gemini",
            [
                _content({"functionCall": {"name": name, "willContinue": True}}),
                _partial("path"),
                _partial("content"),
                _content({"functionCall": {"willContinue": False}}),
                _content(finishReason="STOP"),
            ],
            (SMALL,),
        ),
        "a part with a signature": (
            "gemini",
            [
                _content({"functionCall": {"name": name, "args": SMALL.arguments, "id": "1"}, "thoughtSignature": "c2ln"}),
                _content({"functionCall": {"name": other, "args": DROP.arguments, "id": "2"}}, finishReason="STOP"),
            ],
            (SMALL, DROP),
        ),
        "the second block": (
            "anthropic",
            [
                {
                    "type": "content_block_start",
                    "index": 0,
                    "content_block": {"type": "thinking", "thinking": "", "signature": ""},
                },
                {"type": "content_block_stop", "index": 0},
                {
                    "type": "content_block_start",
                    "index": 1,
                    "content_block": {"type": "tool_use", "id": "t", "name": name, "input": {}},
                },
                *(
                    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}}
                    for piece in (arguments[:half], arguments[half:])
                ),
                {"type": "content_block_stop", "index": 1},
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
                {"type": "message_stop"},
            ],
            (SMALL,),
        ),
        "the event that ends a part": (
            "pydantic-ai",
            [
                {
                    "event_kind": "part_start",
                    "index": 0,
                    "part": {"part_kind": "tool-call", "tool_name": name, "tool_call_id": "t0", "args": arguments[:half]},
                },
                {
                    "event_kind": "part_delta",
                    "index": 0,
                    "delta": {"part_delta_kind": "tool_call", "args_delta": arguments[half:]},
                },
                {
                    "event_kind": "part_end",
                    "index": 0,
                    "part": {"part_kind": "tool-call", "tool_name": name, "tool_call_id": "t0", "args": arguments},
                },
                {"event_kind": "agent_run_result", "result": {"response": {"finish_reason": "tool_call"}}},
            ],
            (SMALL,),
        ),
        "`tool_call_chunks`": (
            "langchain",
            [
                run(
                    0,
                    "on_chat_model_stream",
                    chunk={
                        "type": "AIMessageChunk",
                        "content": "",
                        "tool_call_chunks": [{"name": name, "args": "", "id": "t0", "index": 0, "type": "tool_call_chunk"}],
                    },
                ),
                *(
                    run(
                        0,
                        "on_chat_model_stream",
                        chunk={
                            "type": "AIMessageChunk",
                            "content": "",
                            "tool_call_chunks": [
                                {"name": None, "args": piece, "id": None, "index": 0, "type": "tool_call_chunk"}
                            ],
                        },
                    )
                    for piece in (arguments[:half], arguments[half:])
                ),
                run(0, "on_chat_model_end", output={"response_metadata": {"finish_reason": "tool_calls"}}),
            ],
            (SMALL,),
        ),
        "a block that ends": (
            "langchain-v3",
            [
                {
                    "event": "content-block-finish",
                    "index": 0,
                    "content": {"type": "tool_call", "id": "t0", "name": name, "args": SMALL.arguments},
                },
                {"event": "message-finish", "reason": "tool_use"},
            ],
            (SMALL,),
        ),
    }
    for place, (protocol, events, calls) in streams.items():
        why = f"A native call of `{protocol}` also stands in {place}."
        yield Sent(why, events, calls, needs=NATIVE).row(f"{BEGINNING}{protocol}", protocol)
    message = {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": arguments}}
    reply = {
        "id": "c",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "function_call"}],
    }
    why = "A native call in a whole reply of `openai-chat` also stands in `function_call`."
    yield Sent(why, [reply], (SMALL,), needs=NATIVE, form="reply").row(f"{BEGINNING}openai-chat", "openai-chat")


# -- several texts


def _turns(lanes: Sequence[Sequence[Any]], rng: Random) -> list[Any]:
    """Return the events of several texts, mixed at random; those of each in their order."""
    waiting = [[*lane] for lane in lanes]
    events: list[Any] = []
    while any(waiting):
        events.append(rng.choice([lane for lane in waiting if lane]).pop(0))
    return events


def _begun(name: str, lane: int) -> list[Event]:
    """Return the events with which a text begins, in the protocols that have such."""
    begun: Mapping[str, list[Event]] = {
        "anthropic": [{"type": "content_block_start", "index": lane, "content_block": {"type": "text", "text": ""}}],
        "ai-sdk": [{"type": "text-start", "id": f"t{lane}"}],
        "ag-ui": [{"type": "TEXT_MESSAGE_START", "messageId": f"m{lane}", "role": "assistant"}],
        "pydantic-ai": [{"event_kind": "part_start", "index": lane, "part": {"part_kind": "text", "content": ""}}],
        "langchain-v3": [{"event": "content-block-start", "index": lane, "content": {"type": "text", "text": ""}}],
    }
    return begun.get(name, [])


CHOICES: Final = frozenset({"openai-chat", "gemini"})
"""Protocols whose texts beside each other are choices: `protocol/several-choices` has them."""


def _lane(name: str, spoken: Spoken, lane: int, deltas: Sequence[str]) -> list[Any]:
    assert spoken.stop is not None
    return [*_begun(name, lane), *(spoken.say(lane, delta) for delta in deltas), spoken.stop(lane)]


def _lanes(seed: int) -> Iterator[Row]:
    """Yield streams with two texts: each with half of a call, one behind the other; and a call in one, mixed with the other."""
    block = f"{fenced(body(SMALL))}\n"
    for name, spoken in STREAMS.items():
        if spoken.stop is None or name in CHOICES:
            continue
        rng = Random(f"lanes:{name}:{seed}")
        for share in (0.15, 0.5, 0.85):
            at = int(len(block) * share)
            halves = [[f"Hi.\n\n{block[:at]}"], [block[at:]]]
            events = [event for lane, deltas in enumerate(halves) for event in _lane(name, spoken, lane, _cut(deltas[0]))]
            why = f"Two halves of a call in two texts of `{name}` are none."
            yield Sent(why, [*events, *spoken.last], texts=[["Hi.\n\n", None]], needs=FENCE).row(f"{BEGINNING}lanes", name)
        for number in range(3):
            lanes = [_lane(name, spoken, 0, [*_cut(block)]), _lane(name, spoken, 1, ["Look", "ing ", "at it.\n"])]
            events = [*_turns(lanes, rng), *spoken.last]
            if name in ("anthropic", "langchain-v3", "pydantic-ai") and number:
                continue  # their texts come one after the other
            why = f"A call in one text of `{name}` runs, whatever comes between its pieces in another."
            texts: Sequence[Piece] = [None]
            yield Sent(why, events, (SMALL,), [texts], FENCE).row(f"{BEGINNING}lanes", name)
        why = f"A call in the second text of `{name}` runs, though the first one ends in a word."
        events = [*_lane(name, spoken, 0, ["So"]), *_lane(name, spoken, 1, _cut(block)), *spoken.last]
        yield Sent(why, events, (SMALL,), [["So", ""]], FENCE).row(f"{BEGINNING}lanes", name)
    deltas = ["Hi.\n", "There.\n"]
    why = "The second part of an item of `openai-responses` is text, too."
    events = [*(_part(nth, delta) for nth, delta in enumerate(deltas)), _COMPLETED]
    yield Sent(why, events, texts=[["Hi.\nThere.\n"]]).row(f"{BEGINNING}lanes", "openai-responses")
    at = len(block) // 2
    for items in ((0, 0), (0, 1)):
        events = []
        for nth, (item, text) in enumerate(zip(items, (block[:at], block[at:]), strict=True)):
            events += [_part(nth if items == (0, 0) else 0, delta, item) for delta in _cut(text)]
        why = (
            f"Two halves of a call in two {'parts of an item' if items == (0, 0) else 'items'} of `openai-responses` are none."
        )
        yield Sent(why, [*events, _COMPLETED], texts=[[None]], needs=FENCE).row(f"{BEGINNING}lanes", "openai-responses")


# -- whole replies


def _whole(name: str, texts: Sequence[str]) -> Event:
    """Return a whole reply whose text is in several blocks, parts or items."""
    said = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    match name:
        case "anthropic":
            blocks = [{"type": "text", "text": text} for text in texts]
            return {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": blocks,
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 2},
            }
        case "openai-responses":
            items = [
                {"type": "message", "id": f"m{nth}", "role": "assistant", "status": "completed", "content": [part]}
                for nth, part in enumerate(said)
            ]
            return {"id": "r", "object": "response", "status": "completed", "model": "m", "output": items}
        case "gemini":
            parts = [{"text": text} for text in texts]
            return {"candidates": [{"index": 0, "content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]}
        case _:
            item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": said}
            return {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item]}


def _replies() -> Iterator[Row]:
    kind = f"{BEGINNING}whole-replies"
    for name in ("anthropic", "openai-responses", "gemini", "parts of openai-responses"):
        protocol = name.removeprefix("parts of ")
        for beside, draft in _drafts().items():
            why = f"A whole reply of `{name}` has several texts, and all of them come out: {beside} in the last."
            reply = _whole(name, ["One.\n", "Two.\n", draft.text])
            pieces = [f"One.\nTwo.\n{draft.pieces[0]}", *draft.pieces[1:]]
            yield Sent(why, [reply], draft.calls, [pieces], FENCE, "reply").row(kind, protocol)
        why = f"A whole reply of `{name}` has several texts: a call in the first, and one in the last."
        made = Draft().say("One.\n\n").write(fenced(body(SMALL)), SMALL).say("\nTwo.\n").write(fenced(body(DROP)), DROP)
        reply = _whole(name, [f"One.\n\n{fenced(body(SMALL))}\nTwo.\n", fenced(body(DROP))])
        yield Sent(why, [reply], made.calls, [made.pieces], FENCE, "reply").row(kind, protocol)
        if protocol != "gemini":  # the parts of a candidate are one text
            half = len(fenced(body(SMALL))) // 2
            reply = _whole(name, [fenced(body(SMALL))[:half], fenced(body(SMALL))[half:]])
            why = f"Two halves of a call in two texts of a whole reply of `{name}` are none."
            yield Sent(why, [reply], texts=[[None]], needs=FENCE, form="reply").row(kind, protocol)
    block = fenced(body(SMALL))
    second = Meant(SMALL.name, SMALL.arguments, choice=1)
    messages = [{"role": "assistant", "content": text} for text in ("Hi.\n", f"{block}\nSo.\n")]
    choices = [{"index": nth, "message": message, "finish_reason": "stop"} for nth, message in enumerate(messages)]
    candidates = [
        {"index": nth, "content": {"role": "model", "parts": [{"text": message["content"]}]}, "finishReason": "STOP"}
        for nth, message in enumerate(messages)
    ]
    for protocol, reply in (
        ("openai-chat", {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}),
        ("gemini", {"candidates": candidates}),
    ):
        why = f"A whole reply of `{protocol}` has two choices, each with a text of its own."
        sent = Sent(why, [reply], (second,), [["Hi.\n"], ["", "\nSo.\n"]], (*FENCE, "several"), "reply")
        yield sent.row(kind, protocol)
    for beside, draft in _drafts().items():
        reply = {"model": "m", "response": draft.text, "done": True, "done_reason": "stop"}
        why = f"A whole reply of `ollama` has its text in `response`, as `/api/generate` sends it: {beside}."
        yield Sent(why, [reply], draft.calls, [draft.pieces], FENCE, "reply").row(kind, "ollama")


# -- dialects in the text of a protocol


def _dialects() -> Iterator[Row]:
    """Yield calls in every dialect, in the text of one protocol after the other."""
    names = [name for name in STREAMS if name != "text"]
    for nth, (dialect, write) in enumerate(DIALECTS.items()):
        calls = CALLS[("a call", "values of every type")[nth % 2]]
        draft = Draft().say("I will do it.\n\n").write(write(calls), *(Meant(name, dict(held)) for name, held in calls))
        for name in (names[nth % len(names)], names[(nth + 3) % len(names)]):
            events = STREAMS[name].stream(_cut(draft.text, 7))
            needs = ("schemas",) if dialect in WITHOUT_QUOTES else ()
            why = f"A call in the form `{dialect}` runs in the text of `{name}`."
            sent = Sent(why, events, draft.calls, [draft.pieces], needs, tools=DIALECT_TOOLS, dialect=dialect)
            yield sent.row(f"{BEGINNING}dialects", name)


# -- what others run, or say


def _of_others() -> Iterator[Row]:
    name, arguments = given(SMALL)
    at = {"toolCallId": "c", "toolName": name}
    use = {"type": "server_tool_use", "id": "s", "name": name, "input": {}}
    block = f"{fenced(body(SMALL))}\n"
    ended = {"type": "finish", "finishReason": "stop"}
    streams: Mapping[str, tuple[str, Sequence[Event], Sequence[Piece]]] = {
        "A call that the provider ran itself": (
            "ai-sdk",
            [
                {"type": "start"},
                {"type": "tool-input-available", **at, "input": SMALL.arguments, "providerExecuted": True},
                ended,
            ],
            [""],
        ),
        "A call in pieces that the provider ran itself": (
            "ai-sdk",
            [
                {"type": "start"},
                {"type": "tool-input-start", **at, "providerExecuted": True},
                {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": arguments},
                {"type": "tool-input-available", **at, "input": SMALL.arguments, "providerExecuted": True},
                {"type": "tool-output-available", "toolCallId": "c", "output": "done", "providerExecuted": True},
                ended,
            ],
            [""],
        ),
        "A call that the app has refused": (
            "ai-sdk",
            [
                {"type": "start"},
                {"type": "tool-input-error", **at, "input": SMALL.arguments, "errorText": "no"},
                ended,
            ],
            [""],
        ),
        "A call that the provider runs itself": (
            "anthropic",
            [
                {"type": "content_block_start", "index": 0, "content_block": use},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": arguments}},
                {"type": "content_block_stop", "index": 0},
                {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Done.\n"}},
                {"type": "content_block_stop", "index": 1},
                *_STOPPED,
            ],
            ["Done.\n"],
        ),
        "A call in a message of a program of the provider": (
            "openai-responses",
            [
                {
                    "type": "response.output_item.added",
                    "output_index": 0,
                    "item": {"type": "mcp_call", "id": "p", "name": name, "arguments": ""},
                },
                {"type": "response.mcp_call_arguments.delta", "item_id": "p", "output_index": 0, "delta": arguments},
                {"type": "response.mcp_call_arguments.done", "item_id": "p", "output_index": 0, "arguments": arguments},
                {
                    "type": "response.output_item.done",
                    "output_index": 0,
                    "item": {"type": "mcp_call", "id": "p", "name": name, "arguments": arguments, "output": "done"},
                },
                _COMPLETED,
            ],
            [""],
        ),
        "A call in a message of the user": (
            "ag-ui",
            [
                {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
                *({"type": "TEXT_MESSAGE_CONTENT", "messageId": "u", "delta": delta} for delta in _cut(block)),
                {"type": "TEXT_MESSAGE_END", "messageId": "u"},
                {"type": "RUN_FINISHED", "threadId": "a", "runId": "r"},
            ],
            [None],
        ),
        "A call in a snapshot of the conversation": (
            "ag-ui",
            [
                {
                    "type": "MESSAGES_SNAPSHOT",
                    "messages": [
                        {
                            "id": "a",
                            "role": "assistant",
                            "content": "",
                            "toolCalls": [{"id": "t0", "type": "function", "function": {"name": name, "arguments": arguments}}],
                        },
                        {"id": "b", "role": "tool", "toolCallId": "t0", "content": "done"},
                    ],
                },
                {"type": "RUN_FINISHED", "threadId": "a", "runId": "r"},
            ],
            [None],
        ),
    }
    for what, (protocol, events, texts) in streams.items():
        why = f"{what} never runs again: `{protocol}`."
        yield Sent(why, events, texts=[texts], needs=("fence", "native")).row(f"{BEGINNING}others", protocol)
    for what in ("function_call", "tool_calls"):
        called = {"name": name, "arguments": arguments}
        held = called if what == "function_call" else [{"index": 0, "id": "t0", "type": "function", "function": called}]
        why = f"A native call of `openai-chat` in `{what}` whose message a filter ended never runs."
        events = [_delta(role="assistant", **{what: held}), finish(0, "content_filter")]
        yield Sent(why, events, needs=("native", "endings")).row(f"{BEGINNING}others", "openai-chat")
