"""Rows of events that say that a reply was cut off behind a complete object: by its reason, an error, or no more events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .dialects import DIALECTS, TOOLS, WITHOUT_QUOTES
from .fences import FILE_TOOLS, fenced
from .native import Event, Given, ag_ui, ai_sdk, chat, messages, responses
from .native_rows import given
from .protocol_rows import DROP, ERRORS, HELLO, README, SMALL, body, replies
from .rows import Meant, Row
from .streams import STREAMS, finish, run

KIND: Final = "cut-off/in-events"

CUT_OFF: Final[Mapping[str, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": {reason: [finish(0, reason)] for reason in ("length", "content_filter")},
    "openai-responses": {
        reason: [{
            "type": "response.incomplete",
            "response": {"status": "incomplete", "incomplete_details": {"reason": reason}, "output": []},
        }]
        for reason in ("max_output_tokens", "content_filter")
    },
    "anthropic": {
        reason: [{"type": "content_block_stop", "index": 0}, {"type": "message_delta", "delta": {"stop_reason": reason}}]
        for reason in ("max_tokens", "refusal")
    },
    "ai-sdk": {
        reason: [{"type": "text-end", "id": "t0"}, {"type": "finish", "finishReason": reason}]
        for reason in ("length", "content-filter")
    },
    "gemini": {
        reason: [{"candidates": [{"index": 0, "content": {"parts": [], "role": "model"}, "finishReason": reason}]}]
        for reason in ("MAX_TOKENS", "SAFETY")
    },
    "ollama": {
        "length": [{"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "length"}]
    },
    "langchain": {
        reason: [run(0, "on_chat_model_end", output={"response_metadata": {"finish_reason": reason}})]
        for reason in ("length", "content_filter")
    },
    "langchain-v3": {
        reason: [
            {"event": "content-block-finish", "index": 0, "content": {"type": "text", "text": ""}},
            {"event": "message-finish", "reason": reason},
        ]
        for reason in ("length", "content_filter")
    },
    "pydantic-ai": {
        reason: [
            {"event_kind": "part_end", "index": 0, "part": {"part_kind": "text", "content": ""}},
            {"event_kind": "agent_run_result", "result": {"response": {"finish_reason": reason}}},
        ]
        for reason in ("length", "content_filter")
    },
}  # fmt: skip
"""The reasons of each protocol which say that a reply was cut off, each with the events that give it."""


def _stopped(reason: str) -> list[Event]:
    """Return the events that end a message for this reason."""
    ended = {"type": "message_delta", "delta": {"stop_reason": reason}}
    return [{"type": "content_block_stop", "index": 0}, ended, {"type": "message_stop"}]


def _over(reason: str) -> list[Event]:
    """Return the event that ends a reply of Gemini for this reason."""
    return [{"candidates": [{"index": 0, "content": {"parts": [], "role": "model"}, "finishReason": reason}]}]


def _done(**more: Any) -> list[Event]:
    """Return the line that ends a reply of Ollama."""
    return [{"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, **more}]


def _failed(status: str) -> Event:
    error = {"code": "server_error", "message": "x"}
    response: Event = {"id": "r", "status": status, "error": error if status == "failed" else None, "output": []}
    return {"type": f"response.{status}", "response": response}


_SECTION: Final[Event] = {"type": "text-end", "id": "t0"}

NO_END: Final[Mapping[str, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": {reason: [finish(0, reason)] for reason in ("error", "tool_calls", "function_call", "max_turns")},
    "openai-responses": {
        "response.failed": [_failed("failed")],
        "response.cancelled": [_failed("cancelled")],
        "error": [{"type": "error", "code": "server_error", "message": "x", "param": None}],
    },
    "anthropic": {reason: _stopped(reason) for reason in ("pause_turn", "model_context_window_exceeded", "tool_use")},
    "ai-sdk": {
        **{reason: [_SECTION, {"type": "finish", "finishReason": reason}] for reason in ("error", "other", "tool-calls")},
        "abort": [{"type": "abort"}],
        "an abort behind the end of the text": [_SECTION, {"type": "abort"}],
    },
    "ag-ui": {"an error behind the end of the text": [
        {"type": "TEXT_MESSAGE_END", "messageId": "m0"}, {"type": "RUN_ERROR", "message": "x"},
    ]},
    "gemini": {
        reason: _over(reason)
        for reason in (
            "RECITATION", "MALFORMED_FUNCTION_CALL", "PROHIBITED_CONTENT", "OTHER", "BLOCKLIST", "SPII", "LANGUAGE",
            "UNEXPECTED_TOOL_CALL",
        )
    },
    "ollama": {"no reason": _done(), "load": _done(done_reason="load"), "unload": _done(done_reason="unload")},
    "langchain": {
        "on_chat_model_error": [{"event": "on_chat_model_error", "run_id": "r0", "data": {"error": "x"}}],
        "no reason": [run(0, "on_chat_model_end", output={"response_metadata": {}})],
    },
    "langchain-v3": {"no reason": [
        {"event": "content-block-finish", "index": 0, "content": {"type": "text", "text": ""}}, {"event": "message-finish"},
    ]},
    "pydantic-ai": {
        str(reason): [
            {"event_kind": "part_end", "index": 0, "part": {"part_kind": "text", "content": ""}},
            {"event_kind": "agent_run_result", "result": {"response": {"finish_reason": reason}}},
        ]
        for reason in ("error", "tool_call", None)
    },
}  # fmt: skip
"""Other ends of each protocol, which do not say that the model ended its reply."""

ENDED: Final[Mapping[str, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": {reason: [finish(0, reason)] for reason in ("stop", "eos")},
    "openai-responses": {"response.completed": STREAMS["openai-responses"].stream(())},
    "anthropic": {reason: _stopped(reason) for reason in ("end_turn", "stop_sequence")},
    "ai-sdk": {"stop": STREAMS["ai-sdk"].stream(())},
    "gemini": {"STOP": _over("STOP")},
    "ollama": {"stop": _done(done_reason="stop")},
    "langchain": {
        reason: [run(0, "on_chat_model_end", output={"response_metadata": {key: reason}})]
        for key, reason in (("finish_reason", "stop"), ("stop_reason", "end_turn"), ("finish_reason", "STOP"))
    },
    "langchain-v3": {"stop": STREAMS["langchain-v3"].stream(())},
    "pydantic-ai": {"stop": STREAMS["pydantic-ai"].stream(())},
}
"""The ends of each protocol which say that the model ended its reply."""

RAW: Final = WITHOUT_QUOTES | {"deepseek_v32_dsml", "deepseek_v4_dsml"}
"""Dialects whose texts have neither quotes nor escapes: the closers of a call may stand in a text, and the call go on."""


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _in_text()
    yield from _in_replies()
    yield from _native()
    yield from _otherwise()
    yield from _in_dialects()


def _row(name: str, why: str, given: Sequence[Any], calls: Sequence[Meant], texts: Sequence[str | None], *needs: str) -> Row:
    needed = (f"protocol:{name}", "streams", "endings", *needs)
    return Row(KIND, why, FILE_TOOLS, given, calls, texts=[texts], needs=needed, form="events", protocol=name)


_OPEN: Final = f"```json\n{body(README)}"
_TEXTS: Final[Mapping[str, tuple[str, Sequence[Meant], Sequence[str | None]]]] = {
    "a call": (f"Hi.\n\n{_OPEN}", (), ["Hi.\n\n", None]),
    "a call and a line end": (f"Hi.\n\n{_OPEN}\n", (), ["Hi.\n\n", None]),
    "a call behind one that has its closer": (
        f"Hi.\n\n{fenced(body(SMALL))}\nand\n\n{_OPEN}\n", (SMALL,), ["Hi.\n\n", "", "\nand\n\n", None],
    ),
}  # fmt: skip
"""Texts that end with a complete object in a fence that is open; with the calls that run all the same."""


def _in_text() -> Iterator[Row]:
    for name, spoken in STREAMS.items():
        ends: dict[str, Sequence[Any]] = {"nothing behind it": (), **CUT_OFF.get(name, {})}
        if name in ERRORS:
            ends["an error"] = [ERRORS[name]]
        for how, last in ends.items():
            for what, (text, calls, texts) in _TEXTS.items():
                events = [*(spoken.say(0, text[at : at + 9]) for at in range(0, len(text), 9)), *last]
                why = f"A complete call whose fence is open never runs in `{name}` where the reply was cut off: {what}, {how}."
                yield _row(name, why, events, calls, texts, "fence")


def _in_replies() -> Iterator[Row]:
    for what, (text, calls, texts) in _TEXTS.items():
        for name, reply in replies(text).items():
            for reason in CUT_OFF[name]:
                why = (
                    f"A complete call whose fence is open never runs in a reply of `{name}` that was cut off: {what}, {reason}."
                )
                yield replace(
                    _row(name, why, [_ended(name, reply, reason)], calls, texts),
                    needs=(f"protocol:{name}", "reply", "endings", "fence"),
                    form="reply",
                )


def _ended(name: str, reply: Event, reason: str) -> Event:
    """Return a whole reply with another reason for its end."""
    match name:
        case "openai-chat":
            return {**reply, "choices": [{**reply["choices"][0], "finish_reason": reason}]}
        case "openai-responses":
            return {**reply, "status": "incomplete", "incomplete_details": {"reason": reason}}
        case "anthropic":
            return {**reply, "stop_reason": reason}
        case "gemini":
            return {"candidates": [{**reply["candidates"][0], "finishReason": reason}]}
        case _:
            return {**reply, "done_reason": reason}


def _native() -> Iterator[Row]:
    """Yield native calls whose arguments are complete, and which have no end of their own.

    In chat completions no call has one. In the other protocols a call that has its own end is not judged here.
    """
    one: Sequence[Given] = [given(SMALL)]
    for reason in ("length", "content_filter", None):
        why = f"A native call of `openai-chat` never runs where its message was cut off: {reason or 'no reason is given'}."
        for seed in range(3):
            yield _row("openai-chat", why, chat(one, reason, seed=seed), (), [HELLO], "native")
    first = Meant(DROP.name, DROP.arguments, must=False)
    why = "At the token limit the last native call of `openai-chat` never runs, though it looks complete; the one before may."
    yield _row("openai-chat", why, chat([given(DROP), *one], "length"), [first], [HELLO], "native", "several")
    streams: Mapping[str, tuple[list[Event], str]] = {
        "openai-responses": (responses(one, None), ""),
        "anthropic": (messages(one, None)[:-1], ""),
        "ai-sdk": ([event for event in ai_sdk(one, None) if event["type"] != "tool-input-available"], HELLO),
        "ag-ui": ([event for event in ag_ui(one, None) if event["type"] != "TOOL_CALL_END"], HELLO),
    }
    for name, (events, text) in streams.items():
        why = f"A native call of `{name}` whose own end never comes does not run, though its arguments are complete."
        yield _row(name, why, events, (), [text], "native")


def _otherwise() -> Iterator[Row]:
    """Yield streams whose end says something else, or that the model ended its reply."""
    text, _, texts = _TEXTS["a call and a line end"]
    for name, spoken in STREAMS.items():
        said = [spoken.say(0, text[at : at + 9]) for at in range(0, len(text), 9)]
        for how, last in NO_END.get(name, {}).items():
            why = f"A complete call whose fence is open never runs in `{name}` where no end of the model's came: {how}."
            yield _row(name, why, [*said, *last], (), texts, "fence")
        for how, last in ENDED.get(name, {}).items():
            why = f"A complete call whose closing fence was forgotten runs in `{name}` where the model ended its reply: {how}."
            yield _row(name, why, [*said, *last], (README,), ["Hi.\n\n", ""], "fence", "lenient")


def _in_dialects() -> Iterator[Row]:
    """Yield calls in dialects behind which the token limit cut the reply off."""
    for name in sorted(RAW):
        call = Meant("write_file", {"path": "a.txt", "content": "x"})
        written = DIALECTS[name]([(call.name, call.arguments)])
        for end in ("length", "stop"):
            calls = (call,) if end == "stop" else ()
            text = f"So:\n\n{written}"
            does = "runs" if calls else "never runs"
            why = f"A call in the form `{name}`, whose closers may stand in a text, {does} at `{end}`."
            yield Row(
                KIND, why, TOOLS, [text[at : at + 9] for at in range(0, len(text), 9)], calls, texts=[["So:\n\n", None]],
                needs=(f"dialect:{name}", "endings", "schemas", "streams"), dialect=name, end="stop" if calls else "length",
            )  # fmt: skip
