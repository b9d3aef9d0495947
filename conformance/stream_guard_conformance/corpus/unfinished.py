"""Rows of events that say that a reply was cut off behind a complete object: by its reason, an error, or no more events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

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


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _in_text()
    yield from _in_replies()
    yield from _native()


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
