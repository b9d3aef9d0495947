"""Rows of what providers send every day and what carries nothing: events beside the text, null members, repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .dialects import TOOLS
from .fences import fenced
from .native import Event
from .native_rows import STREAMED, given
from .protocol_rows import HELLO, SMALL, body
from .rows import Draft, Meant, Row
from .sent import Sent
from .streams import STREAMS, chat, finish, run

BEGINNING: Final = "everyday/"


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _nothing()
    yield from _nulls()
    yield from _ends()
    yield from _repeats()
    yield from _without_arguments()


def _cut(text: str, size: int = 9) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _drafts() -> Mapping[str, Draft]:
    return {
        "text": Draft().say("Hi, there it is, and `more`.\n"),
        "a call": Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nSo.\n"),
    }


# -- events that carry nothing


def _response(status: str) -> Event:
    return {"id": "r", "object": "response", "status": status, "model": "m", "output": [], "error": None, "usage": None}


_REASONING: Final = {"id": "rs", "type": "reasoning", "summary": []}
_SEARCH: Final = {"id": "ws", "type": "web_search_call", "status": "in_progress"}
_AT: Final = {"item_id": "ws", "output_index": 8}

NOTHING: Final[Mapping[str, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": {
        "an event without choices": [{"id": "c", "object": "chat.completion.chunk", "choices": []}],
        "an empty delta": [{"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": None}]}],
        "a filter's event": [{"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}], "model": ""}],
        "usage alone": [{"id": "c", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}}],
    },
    "openai-responses": {
        "`response.in_progress`": [
            {"type": "response.created", "response": _response("in_progress")},
            {"type": "response.in_progress", "response": _response("in_progress")},
        ],
        "`response.queued`": [{"type": "response.queued", "response": _response("queued")}],
        "an item of reasoning": [
            {"type": "response.output_item.added", "output_index": 9, "item": _REASONING},
            {"type": "response.output_item.done", "output_index": 9, "item": {**_REASONING, "encrypted_content": "c2ln"}},
        ],
        "a search": [
            {"type": "response.output_item.added", "output_index": 8, "item": _SEARCH},
            {"type": "response.web_search_call.in_progress", **_AT},
            {"type": "response.web_search_call.searching", **_AT},
            {"type": "response.web_search_call.completed", **_AT},
            {"type": "response.output_item.done", "output_index": 8, "item": {**_SEARCH, "status": "completed"}},
        ],
        "`keepalive`": [{"type": "keepalive", "sequence_number": 7}],
        "an annotation": [
            {
                "type": "response.output_text.annotation.added",
                "item_id": "m",
                "output_index": 0,
                "content_index": 0,
                "annotation_index": 0,
                "annotation": {"type": "url_citation", "url": "https://a", "title": "t"},
            }
        ],
    },
    "anthropic": {
        "`ping`": [{"type": "ping"}],
        "`signature_delta`": [
            {"type": "content_block_start", "index": 9, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
            {"type": "content_block_delta", "index": 9, "delta": {"type": "signature_delta", "signature": "c2ln"}},
            {"type": "content_block_stop", "index": 9},
        ],
        "`redacted_thinking`": [
            {"type": "content_block_start", "index": 9, "content_block": {"type": "redacted_thinking", "data": "c2ln"}},
            {"type": "content_block_stop", "index": 9},
        ],
        "`citations_delta`": [
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {
                    "type": "citations_delta",
                    "citation": {"type": "char_location", "cited_text": "a", "document_index": 0},
                },
            }
        ],
        "the result of a search": [
            {
                "type": "content_block_start",
                "index": 9,
                "content_block": {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s",
                    "content": [{"type": "web_search_result", "url": "https://a"}],
                },
            },
            {"type": "content_block_stop", "index": 9},
        ],
    },
    "ai-sdk": {
        "`source-url`": [{"type": "source-url", "sourceId": "1", "url": "https://a"}],
        "a part of data": [{"type": "data-weather", "id": "w", "data": {"text": "rain"}}],
        "`message-metadata`": [{"type": "message-metadata", "messageMetadata": {"model": "m"}}],
        "`start-step`": [{"type": "start-step"}],
        "`file`": [{"type": "file", "url": "https://a/b.png", "mediaType": "image/png"}],
        "the output of a call of the provider": [
            {
                "type": "tool-input-available",
                "toolCallId": "p",
                "toolName": "web_search",
                "input": {},
                "providerExecuted": True,
            },
            {"type": "tool-output-available", "toolCallId": "p", "output": {"found": 1}, "providerExecuted": True},
        ],
    },
    "ag-ui": {
        "`STEP_STARTED`": [{"type": "STEP_STARTED", "stepName": "s"}, {"type": "STEP_FINISHED", "stepName": "s"}],
        "`STATE_DELTA`": [
            {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
            {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/a", "value": 2}]},
        ],
        "`MESSAGES_SNAPSHOT`": [
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": "Hello."}]},
        ],
        "`RAW` and `CUSTOM`": [
            {"type": "RAW", "event": {"type": "x"}, "source": "s"},
            {"type": "CUSTOM", "name": "x", "value": 1},
        ],
        "`THINKING_START`": [{"type": "THINKING_START"}, {"type": "THINKING_END"}],
        "`TOOL_CALL_RESULT`": [
            {"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "z", "content": "done", "role": "tool"}
        ],
    },
    "gemini": {
        "usage alone": [{"usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 3}, "modelVersion": "m"}],
        "a candidate without `content`": [{"candidates": [{"index": 0}], "modelVersion": "m"}],
        "`content` without `parts`": [{"candidates": [{"index": 0, "content": {"role": "model"}}]}],
        "a signature alone": [
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "", "thoughtSignature": "c2ln"}]}}]}
        ],
        "code that was run": [
            {
                "candidates": [
                    {
                        "index": 0,
                        "content": {
                            "role": "model",
                            "parts": [
                                {"executableCode": {"language": "PYTHON", "code": "1"}},
                                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
                            ],
                        },
                    }
                ]
            }
        ],
    },
    "ollama": {
        "an empty message": [{"model": "m", "message": {"role": "assistant", "content": ""}, "done": False}],
        "a message without `content`": [{"model": "m", "message": {"role": "assistant"}, "done": False}],
    },
    "langchain": {
        "`on_chain_start`": [{"event": "on_chain_start", "run_id": "z", "name": "c", "data": {"input": {"messages": []}}}],
        "`on_tool_start`": [
            {"event": "on_tool_start", "run_id": "y", "name": "t", "data": {"input": {"a": 1}}},
            {"event": "on_tool_end", "run_id": "y", "name": "t", "data": {"output": "done"}},
        ],
        "`on_chat_model_start`": [
            run(0, "on_chat_model_start", input={"messages": [[{"type": "human", "content": "Hello."}]]})
        ],
        "`on_prompt_end`": [{"event": "on_prompt_end", "run_id": "x", "data": {"output": {"messages": []}}}],
        "`on_custom_event`": [{"event": "on_custom_event", "run_id": "w", "name": "n", "data": {"a": 1}}],
    },
    "langchain-v3": {
        "`message-start`": [{"event": "message-start", "id": "m", "role": "ai"}],
        "a block of an image": [
            {"event": "content-block-start", "index": 9, "content": {"type": "image", "url": "https://a"}},
            {"event": "content-block-finish", "index": 9, "content": {"type": "image", "url": "https://a"}},
        ],
    },
    "pydantic-ai": {
        "`final_result`": [{"event_kind": "final_result", "tool_name": None, "tool_call_id": None}],
        "an empty `part_start`": [{"event_kind": "part_start", "index": 0, "part": {"part_kind": "text", "content": ""}}],
        "the result of a tool": [
            {"event_kind": "function_tool_result", "result": {"part_kind": "tool-return", "tool_name": "t", "content": "x"}},
        ],
    },
}
"""The events of each protocol that have neither text nor a call."""


def _nothing() -> Iterator[Row]:
    for name, kinds in NOTHING.items():
        for what, nothing in kinds.items():
            for beside, draft in _drafts().items():
                *first, last = _cut(draft.text)
                spoken = STREAMS[name]
                middle = len(first) // 2
                says = [spoken.say(0, delta) for delta in first]
                once = [*says[:middle], *nothing, *says[middle:], *spoken.stream([last])]
                events = once if what == "an empty `part_start`" else [*nothing, *once]
                why = f"`{name}` sends {what}, which is neither text nor a call: {beside}."
                yield Sent(why, events, draft.calls, [draft.pieces], ("fence",)).row(f"{BEGINNING}{name}", name)
        if name in STREAMED:
            make, text = STREAMED[name]
            for what, nothing in kinds.items():
                begun, *others = make([given(SMALL)])
                why = f"`{name}` sends {what} around a native call."
                events = [*nothing, begun, *nothing, *others]
                yield Sent(why, events, (SMALL,), [[text]], ("native",)).row(f"{BEGINNING}{name}", name)


# -- members that are null


def _delta(reason: str | None = None, /, **members: Any) -> Event:
    return {"id": "c", "choices": [{"index": 0, "delta": members, "finish_reason": reason}]}


_EMPTY: Final = {"role": None, "function_call": None, "refusal": None, "audio": None, "reasoning_content": None}


def _nulls() -> Iterator[Row]:
    name, arguments = given(SMALL)
    half = len(arguments) // 2

    def called(index: int = 0, **function: Any) -> Event:
        return {"index": index, "id": "t0", "type": "function", "function": function}

    def later(**members: Any) -> Event:
        return {"tool_calls": [{"index": 0, **members}]}

    begun = {"role": "assistant", "content": None, "tool_calls": [called(name=name, arguments="")]}
    last, ended = later(function={"arguments": arguments}), _delta("tool_calls")
    cases: Mapping[str, Sequence[Event]] = {
        "`content` null before calls": [_delta(role="assistant", content=None), _delta(**begun), _delta(**last), ended],
        "`content` null in each event of a call": [
            _delta(**begun),
            _delta(content=None, **last),
            _delta("tool_calls", content=None),
        ],
        "every other member null": [
            _delta(**_EMPTY, **later(**called(name=name, arguments=arguments[:half]))),
            _delta(**_EMPTY, content=None, **later(function={"arguments": arguments[half:]})),
            ended,
        ],
        "a null name in later pieces": [
            _delta(**begun),
            _delta(**later(function={"name": None, "arguments": arguments})),
            ended,
        ],
        "an empty name in later pieces": [
            _delta(**begun),
            _delta(**later(function={"name": "", "arguments": arguments})),
            ended,
        ],
        "a null id and type in later pieces": [
            _delta(**begun),
            _delta(**later(id=None, type=None, function={"name": None, "arguments": arguments})),
            ended,
        ],
        "an empty id in later pieces": [_delta(**begun), _delta(**later(id="", function={"arguments": arguments})), ended],
        "null arguments in the first piece": [_delta(tool_calls=[called(name=name, arguments=None)]), _delta(**last), ended],
        "no arguments in the first piece": [_delta(tool_calls=[called(name=name)]), _delta(**last), ended],
        "null arguments in a piece between": [
            _delta(**begun),
            _delta(**later(function={"arguments": None})),
            _delta(**last),
            ended,
        ],
        "no `function` in a later piece": [_delta(**begun), _delta(**last), _delta(**later(type="function")), ended],
    }
    for what, events in cases.items():
        why = f"Null is nothing, and empty members are nothing new, in a native call: {what}."
        yield Sent(why, events, (SMALL,), needs=("native",)).row(f"{BEGINNING}nulls", "openai-chat")
    for beside, draft in _drafts().items():
        deltas = _cut(draft.text)
        said = [chat(0, delta) for delta in deltas]
        last = STREAMS["gemini"].stream(deltas)[-1]
        candidates = [event["candidates"][0] for event in STREAMS["gemini"].stream(deltas)[:-1]]
        message: Event = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        started = {"type": "message_start", "message": message}
        streams: Mapping[str, tuple[str, Sequence[Event]]] = {
            "`tool_calls` null": ("openai-chat", [*(chat(0, delta, tool_calls=None) for delta in deltas), finish(0)]),
            "`tool_calls` empty": ("openai-chat", [*(chat(0, delta, tool_calls=[]) for delta in deltas), finish(0)]),
            "every other member null": (
                "openai-chat",
                [
                    *({**chat(0, delta, tool_calls=None, **_EMPTY), "usage": None} for delta in deltas),
                    _delta("stop", content=None, tool_calls=None, **_EMPTY),
                ],
            ),
            "`content` null at both ends": (
                "openai-chat",
                [_delta(role="assistant", content=None), *said, _delta("stop", content=None)],
            ),
            "`logprobs` null": (
                "openai-responses",
                [{**event, "logprobs": None} for event in STREAMS["openai-responses"].stream(deltas)],
            ),
            "`finishReason` null": (
                "gemini",
                [*({"candidates": [{**one, "finishReason": None}], "promptFeedback": None} for one in candidates), last],
            ),
            "`stop_reason` null": ("anthropic", [started, *STREAMS["anthropic"].stream(deltas)]),
            "`tool_calls` null in each line": (
                "ollama",
                [{**event, "message": {**event["message"], "tool_calls": None}} for event in STREAMS["ollama"].stream(deltas)],
            ),
        }
        for what, (protocol, events) in streams.items():
            why = f"Null is nothing in `{protocol}`: {what}, with {beside}."
            yield Sent(why, events, draft.calls, [draft.pieces], ("fence",)).row(f"{BEGINNING}nulls", protocol)


# -- the last event


def _ends() -> Iterator[Row]:
    """Yield streams whose last event has less, or more, than the others."""
    say = STREAMS["gemini"].say
    for beside, draft in _drafts().items():
        *first, last = _cut(draft.text)
        lasts: Mapping[str, Sequence[Event]] = {
            "without `content`": [say(0, last), {"candidates": [{"index": 0, "finishReason": "STOP"}]}],
            "without `parts`": [say(0, last), {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}],
            "without an index, and with text": [
                {"candidates": [{"content": {"role": "model", "parts": [{"text": last}]}, "finishReason": "STOP"}]},
            ],
            "that counts tokens alone": [
                say(0, last),
                {"candidates": [{"index": 0, "finishReason": "STOP"}]},
                {"usageMetadata": {"totalTokenCount": 3}},
            ],
        }
        for what, events in lasts.items():
            why = f"`gemini` ends with an event {what}: {beside}."
            sent = [*(say(0, delta) for delta in first), *events]
            yield Sent(why, sent, draft.calls, [draft.pieces], ("fence",)).row(f"{BEGINNING}last-events", "gemini")


# -- what repeats


def _again(kind: str, parent: int, **data: Any) -> Event:
    return {"event": kind, "run_id": "p", "parent_ids": [f"r{parent}"], "name": "p", "data": data}


def _by_turns(*streams: Sequence[Event]) -> list[Event]:
    """Return the events of streams of one length, one of each at a time."""
    return [event for events in zip(*streams, strict=True) for event in events]


def _repeats() -> Iterator[Row]:
    """Yield streams of LangChain whose other runs, and whose ends, repeat what a model said."""
    for beside, draft in _drafts().items():
        deltas = _cut(draft.text)
        says = [run(0, "on_chat_model_stream", chunk={"type": "AIMessageChunk", "content": delta}) for delta in deltas]
        message: Event = {"type": "ai", "content": draft.text, "response_metadata": {"finish_reason": "stop"}}
        end = run(0, "on_chat_model_end", output={"response_metadata": {"finish_reason": "stop"}})
        whole = run(0, "on_chat_model_end", output={**message, "type": "AIMessage"})
        parsed = [_again("on_parser_stream", 0, chunk=delta) for delta in deltas]
        chained = [_again("on_chain_stream", 0, chunk=say["data"]["chunk"]) for say in says]
        texts = [_again("on_chain_stream", 0, chunk=delta) for delta in deltas]
        over = _again("on_chain_end", 0, output={"messages": [message]})
        streams: Mapping[str, Sequence[Event]] = {
            "`on_parser_stream`": [*_by_turns(says, parsed), end],
            "`on_chain_stream`": [*_by_turns(says, chained), end],
            "`on_chain_stream` with texts": [*_by_turns(says, texts), end],
            "the message in `on_chat_model_end`": [*says, whole],
            "the message in `on_chain_end`": [*says, end, over],
            "the text in `on_parser_end`": [*says, end, _again("on_parser_end", 0, output=draft.text)],
            "all of them": [*_by_turns(says, parsed, chained), whole, over],
        }
        for what, events in streams.items():
            why = f"What a run of `langchain` repeats is no second text: {what}, with {beside}."
            yield Sent(why, events, draft.calls, [draft.pieces], ("fence",)).row(f"{BEGINNING}repeats", "langchain")


# -- native calls without arguments

ALL: Final = Meant("list_all", {})


def _without_arguments() -> Iterator[Row]:
    behind = Meant("write_file", {"path": "a.txt", "content": "x"})
    for name, (make, text) in STREAMED.items():
        for written in ("", "{}", " {} "):
            if name in ("gemini", "ollama") and written != "{}":
                continue  # the arguments are an object
            for calls in ((ALL,), (ALL, behind)):
                events = make([(call.name, written) if call is ALL else given(call) for call in calls])
                if name in ("ai-sdk", "ag-ui") and not written:
                    events = _ended(name, events)
                says = f"are {written!r}" if written else "are empty"
                behind_it = " before another" if len(calls) > 1 else ""
                why = f"A native call of `{name}` whose arguments {says} has none, and runs{behind_it}."
                sent = Sent(why, events, calls, [[text]], ("native",), tools=TOOLS)
                yield sent.row(f"{BEGINNING}no-arguments", name)
    name = "openai-chat"
    hello = _delta(role="assistant", content=HELLO)
    for what, function in (
        ("without `arguments`", {"name": "list_all"}),
        ("with null", {"name": "list_all", "arguments": None}),
    ):
        called = _delta(tool_calls=[{"index": 0, "id": "t0", "type": "function", "function": function}])
        why = f"A native call of `{name}` {what} has no arguments, and runs."
        sent = Sent(why, [hello, called, _delta("tool_calls")], (ALL,), [[HELLO]], ("native",), tools=TOOLS)
        yield sent.row(f"{BEGINNING}no-arguments", name)
    use = {"type": "tool_use", "id": "t0", "name": "list_all", "input": {}}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": use},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    why = "A native call of `anthropic` without deltas has no arguments, and runs."
    yield Sent(why, events, (ALL,), needs=("native",), tools=TOOLS).row(f"{BEGINNING}no-arguments", "anthropic")
    part = {"functionCall": {"name": "list_all"}}
    events = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}]
    why = "A native call of `gemini` without `args` has no arguments, and runs."
    yield Sent(why, events, (ALL,), needs=("native",), tools=TOOLS).row(f"{BEGINNING}no-arguments", "gemini")


def _ended(name: str, events: Sequence[Event]) -> list[Event]:
    """Return the events with the end of their first call, which their maker leaves out where its arguments lack one."""
    began = next(nth for nth, event in enumerate(events) if event.get("toolCallId") == "t0")
    at = {"toolCallId": "t0"}
    end: Event = {"type": "TOOL_CALL_END", **at}
    if name == "ai-sdk":
        end = {"type": "tool-input-available", **at, "toolName": "list_all", "input": {}}
    behind = next((nth for nth, event in enumerate(events) if nth > began and event.get("toolCallId") != "t0"), len(events))
    return [*events[:behind], end, *events[behind:]]
