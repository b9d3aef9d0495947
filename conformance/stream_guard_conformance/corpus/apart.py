"""Rows of reasoning that a protocol sends apart from the text: it is neither text nor a call, whatever stands in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from .dialects import DIALECTS
from .fences import fenced
from .native import Event
from .protocol_rows import DROP, SMALL, body, replies
from .rows import Draft, Row
from .sent import Sent
from .streams import STREAMS, run

BEGINNING: Final = "reasoning-apart/"

Thinks = Callable[[Sequence[str]], list[Any]]
"""Returns the events that a protocol sends for reasoning in these pieces."""


def _delta(**member: Any) -> Event:
    return {"id": "c", "choices": [{"index": 0, "delta": member, "finish_reason": None}]}


def _whole(pieces: Sequence[str]) -> str:
    """Return the text of pieces as an event repeats it: two halves of a character are that character."""
    return str(json.loads(json.dumps("".join(pieces))))


def _summary(kind: str, *, index: str) -> Thinks:
    """Return the events of a part of a response beside its text; those behind the deltas repeat it."""

    def events(pieces: Sequence[str]) -> list[Event]:
        at = {"item_id": "rs", "output_index": 0, index: 0}
        item = {"id": "rs", "type": "reasoning", "summary": []}
        return [
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            *({"type": f"response.{kind}.delta", **at, "delta": piece} for piece in pieces),
            {"type": f"response.{kind}.done", **at, "text": _whole(pieces)},
            {"type": "response.output_item.done", "output_index": 0, "item": {**item, **_item(_whole(pieces))}},
        ]

    return events


def _refusal(pieces: Sequence[str]) -> list[Event]:
    at = {"item_id": "rs", "output_index": 0, "content_index": 0}
    return [
        *({"type": "response.refusal.delta", **at, "delta": piece} for piece in pieces),
        {"type": "response.refusal.done", **at, "refusal": _whole(pieces)},
    ]


def _item(text: str) -> Event:
    return {
        "id": "rs",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text}],
        "content": [{"type": "reasoning_text", "text": text}],
    }


def _thinking(pieces: Sequence[str]) -> list[Event]:
    at = {"type": "content_block_delta", "index": 9}
    return [
        {"type": "content_block_start", "index": 9, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        *({**at, "delta": {"type": "thinking_delta", "thinking": piece}} for piece in pieces),
        {**at, "delta": {"type": "signature_delta", "signature": "c2lnbmVk"}},
        {"type": "content_block_stop", "index": 9},
    ]


def _ag_ui(kind: str, around: str) -> Thinks:
    def events(pieces: Sequence[str]) -> list[Event]:
        at = {"messageId": "th"}
        return [
            {"type": f"{around}_START", **at},
            {"type": f"{kind}_START", **at, "role": "reasoning"},
            *({"type": f"{kind}_CONTENT", **at, "delta": piece} for piece in pieces),
            {"type": f"{kind}_END", **at},
            {"type": f"{around}_END", **at},
        ]

    return events


def _candidate(*parts: Event) -> Event:
    return {"candidates": [{"index": 0, "content": {"parts": [*parts], "role": "model"}}]}


def _line(**message: Any) -> Event:
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": False}


def _model(content: Any, **more: Any) -> Any:
    return run(0, "on_chat_model_stream", chunk={"type": "AIMessageChunk", "content": content, **more})


STREAMED: Final[Mapping[str, Mapping[str, Thinks]]] = {
    "openai-chat": {
        "`reasoning_content`": lambda pieces: [_delta(content=None, reasoning_content=piece) for piece in pieces],
        "`reasoning`": lambda pieces: [_delta(content="", reasoning=piece) for piece in pieces],
        "`reasoning_details`": lambda pieces: [
            _delta(content="", reasoning_details=[{"type": "reasoning.text", "text": piece, "index": 0}]) for piece in pieces
        ],
        "parts of `thinking`": lambda pieces: [
            _delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]) for piece in pieces
        ],
        "`refusal`": lambda pieces: [_delta(refusal=piece) for piece in pieces],
    },
    "openai-responses": {
        "`response.reasoning_text`": _summary("reasoning_text", index="content_index"),
        "`response.reasoning_summary_text`": _summary("reasoning_summary_text", index="summary_index"),
        "`response.refusal`": _refusal,
    },
    "anthropic": {"`thinking`": _thinking},
    "ai-sdk": {
        "`reasoning`": lambda pieces: [
            {"type": "reasoning-start", "id": "r"},
            *({"type": "reasoning-delta", "id": "r", "delta": piece} for piece in pieces),
            {"type": "reasoning-end", "id": "r"},
        ],
    },
    "ag-ui": {
        "`THINKING_TEXT_MESSAGE`": _ag_ui("THINKING_TEXT_MESSAGE", "THINKING"),
        "`REASONING_MESSAGE`": _ag_ui("REASONING_MESSAGE", "REASONING"),
        "`REASONING_MESSAGE_CHUNK`": lambda pieces: [
            {"type": "REASONING_MESSAGE_CHUNK", "messageId": "th", "delta": piece} for piece in pieces
        ],
    },
    "gemini": {"`thought`": lambda pieces: [_candidate({"text": piece, "thought": True}) for piece in pieces]},
    "ollama": {"`thinking`": lambda pieces: [_line(thinking=piece) for piece in pieces]},
    "langchain": {
        "`reasoning_content`": lambda pieces: [_model("", additional_kwargs={"reasoning_content": piece}) for piece in pieces],
        "parts of `thinking`": lambda pieces: [
            _model([{"type": "thinking", "thinking": piece, "index": 0}]) for piece in pieces
        ],
    },
    "langchain-v3": {
        "`reasoning-delta`": lambda pieces: [
            {"event": "content-block-delta", "index": 9, "delta": {"type": "reasoning-delta", "reasoning": piece}}
            for piece in pieces
        ],
    },
    "pydantic-ai": {
        "`thinking`": lambda pieces: [
            {"event_kind": "part_start", "index": 9, "part": {"part_kind": "thinking", "content": pieces[0]}},
            *(
                {"event_kind": "part_delta", "index": 9, "delta": {"part_delta_kind": "thinking", "content_delta": piece}}
                for piece in pieces[1:]
            ),
            {"event_kind": "part_end", "index": 9, "part": {"part_kind": "thinking", "content": "".join(pieces)}},
        ],
    },
}  # fmt: skip
"""What each protocol calls reasoning, or a refusal, and how it sends that."""

_DROPS: Final = (DROP.name, DROP.arguments)
_FENCE: Final = f"Could be\n\n{fenced(body(DROP))}\nbut no."
_OPEN: Final = f"Could be\n\n```json\n{body(DROP)}\n"

_TEXT: Final = Draft().say("Hi, there it is.\n")
_CALL: Final = Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nSo.\n")
_CLOSER: Final = Draft().say("```\nSo.\n")

THOUGHTS: Final[Sequence[tuple[str, str, Draft, str]]] = (
    ("a fence", _FENCE, _TEXT, "fence"),
    ("a fence", _FENCE, _CALL, "fence"),
    ("a call in a dialect", f"Could be\n\n{DIALECTS['hermes']([_DROPS])}\nbut no.", _TEXT, "hermes"),
    ("a fence that only the text closes", _OPEN, _CLOSER, "fence"),
    ("a fence that nothing closes", _OPEN, _CALL, "fence"),
    ("a mark of reasoning", "It is\n<think>\nhard", _CALL, "fence"),
)
"""What stands in the reasoning, and in the text behind it; and the dialect that is read."""


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for what, thought, draft, dialect in THOUGHTS:
        for name, ways in STREAMED.items():
            for place, thinks in ways.items():
                events = [*thinks(_cut(thought)), *STREAMS[name].stream(_cut(draft.text))]
                why = f"In `{name}`, {what} in {place} is no text, and runs nothing."
                sent = Sent(why, events, draft.calls, [draft.pieces], ("fence",), dialect=dialect)
                yield sent.row(f"{BEGINNING}{name}", name)
        for name, reply in replies(draft.text).items():
            for place, made in _in_reply(name, reply, thought):
                why = f"In a reply of `{name}`, {what} in {place} is no text, and runs nothing."
                sent = Sent(why, [made], draft.calls, [draft.pieces], ("fence",), "reply", dialect=dialect)
                yield sent.row(f"{BEGINNING}whole-replies", name)


def _cut(text: str) -> list[str]:
    return [text[at : at + 9] for at in range(0, len(text), 9)]


def _in_reply(name: str, reply: Event, thought: str) -> Iterator[tuple[str, Event]]:
    """Yield a whole reply with this reasoning beside its text, at each place where one has it."""
    match name:
        case "openai-chat":
            for place in ("reasoning_content", "reasoning"):
                message = {**reply["choices"][0]["message"], place: thought}
                yield place, {**reply, "choices": [{**reply["choices"][0], "message": message}]}
        case "openai-responses":
            yield "an item of reasoning", {**reply, "output": [_item(thought), *reply["output"]]}
        case "anthropic":
            block = {"type": "thinking", "thinking": thought, "signature": "c2lnbmVk"}
            yield "thinking", {**reply, "content": [block, *reply["content"]]}
        case "gemini":
            candidate = reply["candidates"][0]
            parts = [{"text": thought, "thought": True}, *candidate["content"]["parts"]]
            yield "thought", {"candidates": [{**candidate, "content": {**candidate["content"], "parts": parts}}]}
        case _:
            yield "thinking", {**reply, "message": {**reply["message"], "thinking": thought}}
