"""Rows of providers' streams with calls in their texts: every protocol, several choices, echoes, usage, errors, odd framing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from .fences import FILE_TOOLS, fenced
from .native import Event, as_chat, as_messages, as_responses
from .rows import CUTS, Draft, Meant, Row, cut
from .streams import STREAMS

SMALL: Final = Meant("write_file", {"path": "a.txt", "content": "x"})
README: Final = Meant("write_file", {"path": "README.md", "content": "# é 😀\n\n```bash\npip install x\n```\n\nSo.\n"})
HELLO: Final = "Hi\n"
"""The first event that the maker of chat completions writes."""

DROP: Final = Meant("delete_file", {"path": "old.txt"})


def body(call: Meant) -> str:
    """Return a call as the JSON of a block."""
    return json.dumps({"tool": call.name, **call.arguments}, ensure_ascii=False)


ERRORS: Final[Mapping[str, Event]] = {
    "openai-chat": {"error": {"message": "overloaded", "type": "server_error", "code": 503}},
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "ai-sdk": {"type": "error", "errorText": "overloaded"},
    "ag-ui": {"type": "RUN_ERROR", "message": "overloaded"},
    "gemini": {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
    "ollama": {"error": "overloaded"},
}
"""The events with which a stream fails."""

WITHOUT_ERROR: Final[Mapping[str, str]] = {
    "text": "it has no events",
    "pydantic-ai": "its client raises",
    "langchain": "its client raises",
    "langchain-v3": "its client raises",
    "openai-responses": "what cuts its replies off is an event with a response, as in `unfinished.py`",
}
"""The other protocols, each with the reason why it has no such event here."""


def drafts() -> Iterator[tuple[str, Draft, Sequence[str]]]:
    """Yield drafts of texts, each with a sentence about what it tries, and with what is needed to read it beside fences."""
    yield "a call", Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nSo.\n"), ()
    yield (
        "two calls",
        Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nand\n").write(fenced(body(DROP)), DROP).say("\n"),
        ("several",),
    )
    yield "a call with fences in it", Draft().say("Größe 😀\n\n").write(fenced(body(README)), README).say("\nSo.\n"), ()
    yield "text", Draft().say("Nothing but text, 日本語 and `code`.\n"), ()
    yield "ordinary JSON", Draft().say('See:\n\n```json\n{"name": "demo", "version": "1.0.0"}\n```\nSo.\n'), ("intent",)
    broken = body(SMALL).replace("}", ",}")
    yield (
        "a call with a comma too many",
        Draft().say("Hi.\n\n").write(fenced(broken), Meant(SMALL.name, SMALL.arguments, must=False), shown=True).say("\nSo.\n"),
        ("repair",),
    )
    yield (
        "a call of an unknown tool",
        Draft().say("Hi.\n\n").write(fenced('{"tool": "drop_table", "path": "a"}'), shown=True).say("\nSo.\n"),
        ("schemas",),
    )


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _streams(seed)
    yield from _cut_off(seed)
    yield from _choices(seed)
    yield from _beside(seed)
    yield from _replies()
    yield from _framing(seed)
    yield from _empty(seed)


def _needs(protocol: str, *more: str) -> tuple[str, ...]:
    return (f"protocol:{protocol}", "fence", "streams", *more)


def _streams(seed: int) -> Iterator[Row]:
    rng = Random(f"streams:{seed}")
    for name, spoken in STREAMS.items():
        for what, draft, needs in drafts():
            for how in CUTS[:4]:
                yield Row(
                    f"protocol/{name}",
                    f"In a stream of `{name}`: {what}.",
                    FILE_TOOLS,
                    spoken.stream(cut(draft.text, how, rng)),
                    draft.calls,
                    texts=[draft.pieces],
                    needs=_needs(name, *needs),
                    form="events",
                    protocol=name,
                )


def _cut_off(seed: int) -> Iterator[Row]:
    """Yield streams whose last event is missing, and streams that report that they were cut off."""
    rng = Random(f"cut off streams:{seed}")
    text = f"Hi.\n\n{fenced(body(README))}"
    for name, spoken in STREAMS.items():
        for share in (0.4, 0.7, 0.9):
            events = [spoken.say(0, delta) for delta in cut(text[: int(len(text) * share)], "tokens", rng)]
            for ended in ("lost", "ended"):
                stop = [spoken.stop(0)] if spoken.stop is not None else []
                yield Row(
                    f"protocol/{name}",
                    "A call in a stream that breaks off never runs, whatever the stream says of its end.",
                    FILE_TOOLS,
                    events if ended == "lost" else [*events, *stop, *spoken.last],
                    texts=[["Hi.\n\n", None]],
                    needs=_needs(name, "endings"),
                    form="events",
                    protocol=name,
                )
    makers: Sequence[tuple[str, Any, str]] = (
        ("openai-chat", as_chat, "length"),
        ("anthropic", as_messages, "max_tokens"),
        ("openai-responses", as_responses, "max_output_tokens"),
        ("openai-chat", as_chat, "content_filter"),
        ("anthropic", as_messages, "refusal"),
    )
    for name, make, finish in makers:
        for share in (0.3, 0.6, 0.9):
            yield Row(
                f"protocol/{name}",
                f"A call in a reply that ended with `{finish}` never runs, where it lacks its end.",
                FILE_TOOLS,
                make(cut(text[: int(len(text) * share)], "tokens", rng), (), finish),
                texts=[[f"{HELLO if name == 'openai-chat' else ''}Hi.\n\n", None]],
                needs=_needs(name, "endings"),
                form="events",
                protocol=name,
            )


def _choices(seed: int) -> Iterator[Row]:
    """Yield streams with several choices of one request, whose events are mixed."""
    rng = Random(f"choices:{seed}")
    for name in ("openai-chat", "gemini"):
        spoken = STREAMS[name]
        assert spoken.stop is not None
        for number in range(24):
            drawn = [rng.choice(list(drafts())) for _ in range(2 + number % 2)]
            chosen = [draft for _, draft, _ in drawn]
            waiting: list[list[Event]] = [
                [*(spoken.say(lane, delta) for delta in cut(draft.text, "tokens", rng)), spoken.stop(lane)]
                for lane, draft in enumerate(chosen)
            ]
            events: list[Event] = []
            while any(waiting):
                events.append(rng.choice([queue for queue in waiting if queue]).pop(0))
            calls = [
                Meant(call.name, call.arguments, call.must, lane) for lane, draft in enumerate(chosen) for call in draft.calls
            ]
            yield Row(
                "protocol/several-choices",
                f"Each of the choices of `{name}` is a text of its own, however their events are mixed.",
                FILE_TOOLS,
                events,
                calls,
                texts=[draft.pieces for draft in chosen],
                needs=tuple(dict.fromkeys(need for _, _, needs in drawn for need in _needs(name, "several", *needs))),
                form="events",
                protocol=name,
            )


def _beside(seed: int) -> Iterator[Row]:
    """Yield streams with other things besides the text: usage, pings, reasoning of its own, errors."""
    rng = Random(f"beside:{seed}")
    usage = {"id": "c", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
    ping = {"type": "ping"}
    thought = f"Could be\n\n{fenced(body(DROP))}\nbut no."

    def chat(delta: Mapping[str, Any], reason: str | None = None) -> Event:
        return {"id": "c", "choices": [{"index": 0, "delta": dict(delta), "finish_reason": reason}]}

    def thinks(text: str) -> list[Event]:
        at = {"type": "content_block_delta", "index": 0}
        return [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
            *({**at, "delta": {"type": "thinking_delta", "thinking": delta}} for delta in cut(text, "tokens", rng)),
            {"type": "content_block_stop", "index": 0},
        ]

    for what, draft, needs in drafts():
        said = as_chat(cut(draft.text, "tokens", rng))
        messages = as_messages(cut(draft.text, "tokens", rng))
        moved = [{**event, "index": event["index"] + 1} if "index" in event else event for event in messages[1:]]
        streams: Mapping[str, tuple[str, list[Event]]] = {
            "usage at the end": ("openai-chat", [*said, usage]),
            "usage in every event": ("openai-chat", [{**event, "usage": usage["usage"]} for event in said]),
            "reasoning beside the text": (
                "openai-chat",
                [said[0], *(chat({"reasoning_content": delta}) for delta in cut(thought, "tokens", rng)), *said[1:]],
            ),
            "an event without choices first": ("openai-chat", [{**usage, "usage": None}, *said]),
            "text in the event that ends it": (
                "openai-chat",
                [*said[:-2], chat(said[-2]["choices"][0]["delta"], "stop")],
            ),
            "pings": ("anthropic", [event for each in messages for event in (each, ping)]),
            "thinking before the text": ("anthropic", [messages[0], *thinks(thought), *moved]),
            "the text repeated at its end": ("openai-responses", as_responses(cut(draft.text, "tokens", rng))),
        }
        for beside, (name, events) in streams.items():
            hello = [f"{HELLO}{draft.pieces[0]}", *draft.pieces[1:]]
            yield Row(
                "protocol/beside-the-text",
                f"`{name}` with {beside}: {what}.",
                FILE_TOOLS,
                events,
                draft.calls,
                texts=[hello if name == "openai-chat" else draft.pieces],
                needs=_needs(name, *needs),
                form="events",
                protocol=name,
            )
    text = f"Hi.\n\n{fenced(body(README))}"
    for name, error in ERRORS.items():
        for share in (0.3, 0.6, 0.95):
            events = [STREAMS[name].say(0, delta) for delta in cut(text[: int(len(text) * share)], "tokens", rng)]
            yield Row(
                "protocol/errors",
                f"A call that an error of `{name}` interrupts never runs.",
                FILE_TOOLS,
                [*events, error],
                texts=[["Hi.\n\n", None]],
                needs=_needs(name, "endings"),
                form="events",
                protocol=name,
            )


def replies(text: str) -> Mapping[str, Event]:
    """Return the whole reply of each API that ended with this text."""
    message = {"role": "assistant", "content": text}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "openai-chat": {
            "id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        },
        "openai-responses": {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item]},
        "anthropic": {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2},
        },
        "gemini": {
            "candidates": [{"index": 0, "content": {"parts": [{"text": text}], "role": "model"}, "finishReason": "STOP"}],
        },
        "ollama": {
            "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True, "done_reason": "stop",
        },
    }  # fmt: skip


def _replies() -> Iterator[Row]:
    """Yield whole replies, of requests without `stream`."""
    for what, draft, needs in drafts():
        for name, reply in replies(draft.text).items():
            yield Row(
                "protocol/whole-replies",
                f"In a reply of `{name}` that was not streamed: {what}.",
                FILE_TOOLS,
                [reply],
                draft.calls,
                texts=[draft.pieces],
                needs=("reply", *_needs(name, *needs)),
                form="reply",
                protocol=name,
            )


def _empty(seed: int) -> Iterator[Row]:
    """Yield streams with events whose text is empty, in the middle."""
    rng = Random(f"empty:{seed}")
    for name, spoken in STREAMS.items():
        for what, draft, needs in list(drafts())[:4]:
            deltas = [delta for each in cut(draft.text, "tokens", rng) for delta in ["", "", each][rng.randrange(3) :]]
            yield Row(
                f"protocol/{name}",
                f"An event of `{name}` with an empty text says nothing, and ends nothing: {what}.",
                FILE_TOOLS,
                spoken.stream(deltas),
                draft.calls,
                texts=[draft.pieces],
                needs=_needs(name, *needs),
                form="events",
                protocol=name,
            )


FRAMINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "LF": lambda sent: sent,
    "CRLF": lambda sent: sent.replace("\n", "\r\n"),
    "CR": lambda sent: sent.replace("\n", "\r"),
    "no blank behind the colon": lambda sent: sent.replace("data: ", "data:"),
    "comments": lambda sent: ": ping\n\n" + sent.replace("\n\n", "\n\n: keep-alive\n\n"),
    "ids and retry": lambda sent: "retry: 3000\n\n" + sent.replace("data: ", "id: 7\ndata: "),
    "a byte order mark": lambda sent: "\ufeff" + sent,
    "data in two lines": lambda sent: sent.replace('data: {"', 'data: {\ndata: "'),
}
"""Server-sent events, as servers and proxies write them."""


class Sending(NamedTuple):
    """How the events of a protocol travel."""

    lines: bool = False
    """Whether each is an object in a line of its own. Else they are server-sent events."""

    named: bool = False
    """Whether the type of each is its name, too."""

    done: bool = False
    """Whether the last one is `[DONE]`."""


SENT: Final[Mapping[str, Sending]] = {
    "openai-chat": Sending(done=True),
    "anthropic": Sending(named=True),
    "ai-sdk": Sending(done=True),
    "ag-ui": Sending(),
    "gemini": Sending(),
    "ollama": Sending(lines=True),
    "openai-responses": Sending(named=True),
}
"""The protocols of which there are rows with bytes."""

WITHOUT_BYTES: Final[Mapping[str, str]] = {
    "text": "its bytes are its text",
}
"""The other protocols that servers send, each with the reason why it has no such rows."""


def _framing(seed: int) -> Iterator[Row]:
    """Yield the bytes of streams, cut anywhere: inside of a character, too."""
    rng = Random(f"framing:{seed}")
    for name, sending in SENT.items():
        framings = {key: FRAMINGS[key] for key in ("LF", "CRLF")} if sending.lines else FRAMINGS
        for framing, frame in framings.items():
            for what, draft, needs in list(drafts())[:4]:
                events = STREAMS[name].stream(cut(draft.text, "tokens", rng))
                chunks = as_chunks(frame(as_sent(events, name)).encode(), rng)
                yield Row(
                    "protocol/framing",
                    f"The bytes of `{name}` with {framing}, cut anywhere: {what}.",
                    FILE_TOOLS,
                    chunks,
                    draft.calls,
                    texts=[draft.pieces],
                    needs=("bytes", *_needs(name, *needs)),
                    form="bytes",
                    protocol=name,
                )


def as_chunks(sent: bytes, rng: Random, sizes: Sequence[int] = (1, 3, 20, 60, 300)) -> list[str]:
    """Return bytes in chunks of these sizes, each in base64."""
    chunks = []
    while sent:
        size = rng.choice(sizes)
        chunks.append(base64.b64encode(sent[:size]).decode())
        sent = sent[size:]
    return chunks


def as_sent(events: Sequence[Event], name: str, *, ascii_only: bool = False) -> str:
    """Return the events of a protocol as the body of a response."""
    sending = SENT[name]
    if sending.lines:
        return "".join(f"{json.dumps(event, ensure_ascii=ascii_only)}\n" for event in events)
    sent = "".join(
        f"{'event: ' + event['type'] + chr(10) if sending.named else ''}data: {json.dumps(event, ensure_ascii=ascii_only)}\n\n"
        for event in events
    )
    return sent + ("data: [DONE]\n\n" if sending.done else "")
