"""Rows of halves of surrogate pairs: a delta ends within a character, and the other half comes next, later, or never.

Servers that cut a text by its UTF-16 units send them, as escapes in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from ..toolsets import tool_of
from .apart import STREAMED as REASONING
from .fences import FILE_TOOLS, fenced
from .native import Event
from .native_rows import OBJECTS, STREAMED
from .protocol_rows import HELLO, SENT, as_chunks, as_sent, body
from .rows import Draft, Meant, Piece, Row
from .sent import Sent
from .streams import STREAMS

BEGINNING: Final = "half-pairs/"
HALVES: Final = ("halves",)

FIRST, SECOND = "\ud83d", "\ude00"
SMILE: Final = "\U0001f600"
"""A character, and the two halves of it."""

_FILE: Final = Meant("write_file", {"path": "a.txt", "content": f"So {SMILE} it is"})


def in_halves(text: str, between: int = 0) -> list[str]:
    """Return a text in deltas that end within each smile, with so many empty deltas behind them."""
    first, *rest = text.split(SMILE)
    deltas = [first]
    for part in rest:
        deltas[-1] += FIRST
        deltas += [*[""] * between, SECOND + part]
    return deltas


def in_pairs(value: Any) -> Any:
    """Return JSON in whose texts both halves of a pair are the character: as it is read from a line."""
    return json.loads(json.dumps(value))


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _texts()
    yield from _events()
    yield from _reasoning()
    yield from _choices()
    yield from _native()
    yield from _names()
    yield from _bytes(seed)


def _drafts() -> Mapping[str, Draft]:
    return {
        "text": Draft().say(f"Hi {SMILE} there, {SMILE}{SMILE} and so on.\nAnd `more`.\n"),
        "a line that begins with one": Draft().say(f"{SMILE} is first.\n{SMILE}\nSo.\n"),
        "code": Draft().say(f"See:\n\n```python\nprint('{SMILE}')\n```\n\nSo {SMILE}.\n"),
        "reasoning": Draft().say(f"<think>\nI see {SMILE}, and so on.\n</think>\n\nHere {SMILE} it is.\n"),
        "a call": Draft().say(f"Hi {SMILE}.\n\n").write(fenced(body(_FILE)), _FILE).say(f"\nSo {SMILE}.\n"),
    }


_BETWEEN: Final = ("in the next delta", "behind an empty delta", "behind three empty deltas")


def _needs(draft: Draft, what: str) -> tuple[str, ...]:
    kinds = {"code": ("fence", "intent"), "reasoning": ("reasoning",), "a call": ("fence",)}
    return ("streams", *kinds.get(what, ()), *(() if draft.calls else ("text",)), *HALVES)


def _texts() -> Iterator[Row]:
    for what, draft in _drafts().items():
        for between, when in zip((0, 1, 3), _BETWEEN, strict=True):
            deltas = in_halves(draft.text, between)
            why = f"A delta ends with half of a surrogate pair, and the other half comes {when}: {what}."
            yield Row(f"{BEGINNING}text", why, FILE_TOOLS, deltas, draft.calls, texts=[draft.pieces], needs=_needs(draft, what))
    for half in (FIRST, SECOND):
        for what, deltas in {
            "at the end of a delta": [f"Hi {half}", " there, and so on.\n"],
            "in a delta of its own": ["Hi ", half, " there, and so on.\n"],
            "before an empty delta": [f"Hi {half}", "", " there, and so on.\n"],
            "at the end of the text": ["Hi", " there, and so on.\n", half],
            "twice": [f"Hi {half}", f"{half} there, and so on.\n"],
        }.items():
            pieces: list[Piece] = ["Hi there, and so on.\n", None] if "text" in what else ["Hi", None, "there, and so on.\n"]
            why = f"Half of a surrogate pair without the other {what} may become anything; the text around it comes out."
            yield Row(f"{BEGINNING}alone", why, FILE_TOOLS, deltas, texts=[pieces], needs=("text", "streams", *HALVES))
    for half in (FIRST, SECOND):
        written = json.dumps({"tool": "write_file", "path": "a.txt", "content": "So ! it"})
        before, behind = f"Hi.\n\n{fenced(written)}\nSo.\n".split("!")
        for empty in (0, 1):
            deltas = [before + half, *[""] * empty, behind]
            why = "A call with half of a surrogate pair in a value, whose other half never comes, never runs."
            yield Row(
                f"{BEGINNING}alone", why, FILE_TOOLS, deltas, texts=[["Hi.\n\n", None, "\nSo.\n"]],
                needs=("fence", "streams", "schemas", *HALVES),
            )  # fmt: skip


def _events() -> Iterator[Row]:
    for name, spoken in STREAMS.items():
        for nth, (what, draft) in enumerate(_drafts().items()):
            if what in ("text", "a call", "reasoning"):
                deltas = in_halves(draft.text, nth % 2)
                why = f"In `{name}`, an event ends with half of a surrogate pair, and the next has the other: {what}."
                sent = Sent(why, spoken.stream(deltas), draft.calls, [draft.pieces], _needs(draft, what))
                yield sent.row(f"{BEGINNING}events", name)


def _reasoning() -> Iterator[Row]:
    """Yield reasoning that a protocol sends apart, and that ends with half of a pair: no text behind it completes it."""
    for name, ways in REASONING.items():
        thinks = next(iter(ways.values()))
        for ended in (f"It is {FIRST}", f"It is {SMILE}."):
            thought = [*in_halves(ended)] if SMILE in ended else [ended]
            text = Draft().say("Hi there,").say(f" {SMILE} it is.\n")
            why = f"Reasoning of `{name}` ends within a surrogate pair, and the text behind it is none of its half."
            events = [*in_pairs(thinks(thought)), *STREAMS[name].stream(in_halves(text.text))]
            yield Sent(why, events, (), [text.pieces], ("text", *HALVES)).row(f"{BEGINNING}reasoning", name)


def _choices() -> Iterator[Row]:
    """Yield two choices, each of which ends an event within a pair: the halves of one are not those of the other."""
    for name in ("openai-chat", "gemini"):
        spoken = STREAMS[name]
        assert spoken.stop is not None
        one, other = in_halves(f"Hi {SMILE} there.\n"), in_halves(f"So {SMILE} it is {SMILE}.\n")
        events = [spoken.say(lane, text) for pair in zip([*one, ""], other, strict=True) for lane, text in enumerate(pair)]
        sent = [*events, spoken.stop(0), spoken.stop(1)]
        why = f"Both choices of `{name}` end an event within a surrogate pair: each has its own halves."
        texts = [[f"Hi {SMILE} there.\n"], [f"So {SMILE} it is {SMILE}.\n"]]
        yield Sent(why, sent, (), texts, ("text", *HALVES)).row(f"{BEGINNING}choices", name)


# -- native calls


def called(name: str, pieces: Sequence[str], tool: str = "write_file") -> list[Event]:
    """Return a native call whose arguments come in these pieces, by what its protocol's maker makes of other ones."""
    make, _ = STREAMED[name]
    marks = [f"@{nth}@" for nth in range(len(pieces))]
    events = make([(tool, json.dumps({"at": "".join(marks)}))])
    given = json.dumps({"at": "".join(marks)})
    began = next(nth for nth, event in enumerate(events) if _piece(event) and event != _with(event, ""))
    end = max(nth for nth, event in enumerate(events) if _piece(event))
    whole = in_pairs("".join(pieces))
    made = [*events[:began], *(_with(events[end], piece) for piece in pieces), *events[end + 1 :]]
    return [_repeated(event, given, whole) for event in made]


def _piece(event: Event) -> bool:
    """Return whether an event has a piece of arguments."""
    match event:
        case {"choices": [{"delta": {"tool_calls": [{"function": function}]}}]}:
            return "name" not in function
        case {"type": "response.function_call_arguments.delta" | "tool-input-delta" | "TOOL_CALL_ARGS"}:
            return True
        case {"delta": {"partial_json": _}}:
            return True
    return False


def _with(event: Event, piece: str) -> Event:
    """Return an event with another piece of arguments."""
    event = json.loads(json.dumps(event))
    if "choices" in event:
        event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = piece
    elif event["type"] == "content_block_delta":
        event["delta"]["partial_json"] = piece
    else:
        event["inputTextDelta" if event["type"] == "tool-input-delta" else "delta"] = piece
    return event


def _repeated(value: Any, given: str, whole: str) -> Any:
    """Return an event that repeats other arguments with these, as JSON or as an object."""
    if isinstance(value, dict):
        return {key: _repeated(held, given, whole) for key, held in value.items()}
    if isinstance(value, list):
        return [_repeated(held, given, whole) for held in value]
    return whole if value == given else value


def _native() -> Iterator[Row]:
    for name, (_, text) in STREAMED.items():
        if name in OBJECTS:
            continue  # they send whole arguments
        written = json.dumps(_FILE.arguments, ensure_ascii=False)
        for between, when in zip((0, 1), _BETWEEN, strict=False):
            events = _objects(called(name, in_halves(written, between)), _FILE.arguments)
            why = f"A piece of the arguments of a native call of `{name}` ends within a surrogate pair: the rest comes {when}."
            yield Sent(why, events, [_FILE], [[text]], ("native", *HALVES)).row(f"{BEGINNING}native", name)
        broken = written.replace(SMILE, FIRST)
        cut = broken.index(FIRST) + 1
        events = _objects(called(name, [broken[:cut], broken[cut:]]), json.loads(broken))
        why = f"A native call of `{name}` with half of a surrogate pair, whose other half never comes, never runs."
        yield Sent(why, events, (), [[text]], ("native", "schemas", *HALVES)).row(f"{BEGINNING}native", name)


def _objects(events: Sequence[Event], arguments: Any) -> list[Event]:
    """Return the events of a UI message stream with the input that the app has read from the pieces."""
    return [{**event, "input": arguments} if "input" in event else event for event in events]


NAME_TOOLS: Final = [
    tool_of(f"say_{SMILE}", ("text",), text={"type": "string"}),
    tool_of("say_", ("text",), text={"type": "string"}),
    *FILE_TOOLS,
]
"""Tools of which one has a character of two halves in its name."""


def _names() -> Iterator[Row]:
    """Yield names that are cut within a pair, in a fence and in chat completions."""
    call = Meant(f"say_{SMILE}", {"text": "x"})
    draft = Draft().say("Hi.\n\n").write(fenced(body(call)), call).say("\nSo.\n")
    for between, when in zip((0, 1), _BETWEEN, strict=False):
        deltas = in_halves(draft.text, between)
        why = f"The name of a tool is cut within a surrogate pair, and the other half comes {when}."
        yield Row(
            f"{BEGINNING}names", why, NAME_TOOLS, deltas, draft.timed(deltas), texts=[draft.pieces],
            needs=("fence", "streams", *HALVES),
        )  # fmt: skip
    for pieces in ((f"say_{FIRST}", SECOND), (f"say_{FIRST}", "", SECOND)):
        events: list[Event] = [STREAMS["openai-chat"].say(0, HELLO)]
        for nth, piece in enumerate(pieces):
            last = nth == len(pieces) - 1
            function = {"name": piece, **({"arguments": '{"text": "x"}'} if last else {})}
            head = {"id": "t0", "type": "function"} if nth == 0 else {}
            delta = {"tool_calls": [{"index": 0, **head, "function": function}]}
            events.append({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        events.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        why = "A name in pieces is cut within a surrogate pair."
        sent = Sent(why, events, [call], [[HELLO]], ("native", *HALVES), tools=NAME_TOOLS)
        yield sent.row(f"{BEGINNING}names", "openai-chat")


# -- bytes


def _bytes(seed: int) -> Iterator[Row]:
    """Yield bytes in which the halves are escapes: of `json.dumps`, in events one behind the other."""
    for name in SENT:
        rng = Random(f"half pairs:{name}:{seed}")
        for what, draft in _drafts().items():
            if what not in ("text", "a call"):
                continue
            events = STREAMS[name].stream(in_halves(draft.text))
            sent = as_sent(events, name, ascii_only=True)
            why = f"The bytes of `{name}` have the halves of a surrogate pair as escapes in two events: {what}."
            chunks = as_chunks(sent.encode(), rng)
            yield Sent(why, chunks, draft.calls, [draft.pieces], _needs(draft, what), "bytes").row(f"{BEGINNING}bytes", name)
