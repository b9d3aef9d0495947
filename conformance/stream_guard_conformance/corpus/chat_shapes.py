"""Rows of chat completions in shapes that servers send, and that a client which knows one server loses calls or text of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..toolsets import tool_of
from .native import Event
from .rows import Meant, Row
from .sent import Sent

BEGINNING: Final = "chat-shapes/"

_TEXT: Final = {"type": "string"}

TOOLS: Final = [
    tool_of("write_file", ("path",), path=_TEXT, meta={"type": "object"}),
    {**tool_of("delete_file", ("path",), path=_TEXT), "annotations": {"destructiveHint": True}},
    tool_of("list_all"),
]

_WRITE: Final = Meant("write_file", {"path": "a.txt"})
_NESTED: Final = Meant("write_file", {"path": "a.txt", "meta": {"by": {"me": 1}}})
_DROP: Final = Meant("delete_file", {"path": "b.txt"})
_LIST: Final = Meant("list_all", {})

_A: Final = json.dumps(_WRITE.arguments)
_B: Final = json.dumps(_DROP.arguments)


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for why, events, calls in _called():
        yield Sent(f"{why}.", events, calls, [[""]], ("native",), tools=TOOLS).row(f"{BEGINNING}native", "openai-chat")
    for why, (events, text) in _said().items():
        yield Sent(f"{why}.", events, (), [[text]], ("text",), tools=TOOLS).row(f"{BEGINNING}text", "openai-chat")


def piece(index: int | None, arguments: str | None, name: str | None = None, id: str | None = None) -> Event:
    """Return an event with a piece of a call; what is None is left out."""
    return chunk({"tool_calls": [of_a_call(index, arguments, name, id)]})


def of_a_call(index: int | None, arguments: str | None, name: str | None = None, id: str | None = None) -> Event:
    """Return a piece of a call, as it stands in an event."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    head = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    kind = {"type": "function"} if id is not None else {}
    return {**head, **kind, "function": function}


def chunk(delta: Event, reason: str | None = None, **more: Any) -> Event:
    """Return an event of the first choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


def ended(*events: Event) -> list[Event]:
    """Return these events, and the one that ends a reply with calls."""
    return [*events, chunk({}, "tool_calls")]


def _called() -> Iterator[tuple[str, Sequence[Event], Sequence[Meant]]]:
    yield (
        "Two calls with one id are two",
        ended(piece(0, _A, "write_file", "c"), piece(1, _B, "delete_file", "c")),
        (_WRITE, _DROP),
    )
    yield (
        "Two calls with one id, and in pieces, are two",
        ended(
            piece(0, "", "write_file", "c"), piece(0, _A[:7]), piece(0, _A[7:]), piece(1, "", "delete_file", "c"), piece(1, _B)
        ),
        (_WRITE, _DROP),
    )
    yield (
        "Two calls with an empty id are two",
        ended(piece(0, _A, "write_file", ""), piece(1, _B, "delete_file", "")),
        (_WRITE, _DROP),
    )
    yield (
        "Two calls that both have the index 0 are two, since their ids differ",
        ended(piece(0, _A, "write_file", "c1"), piece(0, _B, "delete_file", "c2")),
        (_WRITE, _DROP),
    )
    yield (
        "Two calls of one tool that both have the index 0 are two, since their ids differ",
        ended(piece(0, _A, "delete_file", "c1"), piece(0, _B, "delete_file", "c2")),
        (Meant("delete_file", _WRITE.arguments), _DROP),
    )
    yield (
        "Two calls in one event that both have the index 0 are two, since their ids differ",
        ended(
            chunk(
                {
                    "tool_calls": [
                        of_a_call(0, _A, "write_file", "c1"),
                        of_a_call(0, _B, "delete_file", "c2"),
                    ]
                }
            )
        ),
        (_WRITE, _DROP),
    )
    yield "A call without an id is one", ended(piece(0, _A, "write_file")), (_WRITE,)
    yield (
        "A call without an id, and in pieces, is one",
        ended(piece(0, "", "write_file"), piece(0, _A[:7]), piece(0, _A[7:])),
        (_WRITE,),
    )
    yield "Two calls without ids are two", ended(piece(0, _A, "write_file"), piece(1, _B, "delete_file")), (_WRITE, _DROP)
    yield (
        "A call whose name comes behind the first piece of its arguments is one",
        ended(piece(0, _A[:7], None, "c"), piece(0, _A[7:], "write_file")),
        (_WRITE,),
    )
    yield (
        "A call whose name comes behind all of its arguments is one",
        ended(piece(0, _A, None, "c"), piece(0, None, "write_file")),
        (_WRITE,),
    )
    yield (
        "A call whose first piece has nothing but an id is one",
        ended(piece(0, None, None, "c"), piece(0, None, "write_file"), piece(0, _A)),
        (_WRITE,),
    )
    nested = json.dumps(_NESTED.arguments)
    for mark in ('{"by"', '{"me"'):
        at = nested.index(mark)
        yield (
            f"A later piece that begins with a brace (`{mark}`) is a part of the arguments",
            ended(piece(0, nested[:at], "write_file", "c"), piece(0, nested[at:])),
            (_NESTED,),
        )
    yield (
        "A piece that is an object of its own is a part of the arguments",
        ended(piece(0, '{"path": "a.txt", "meta": ', "write_file", "c"), piece(0, "{}"), piece(0, "}")),
        (Meant("write_file", {"path": "a.txt", "meta": {}}),),
    )
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    yield (
        "Usage in each event does not end a call",
        [{**event, **usage} for event in ended(piece(0, _A[:7], "write_file", "c"), piece(0, _A[7:]))],
        (_WRITE,),
    )
    yield (
        "Usage in an event of its own, amid a call, does not end it",
        ended(piece(0, _A[:7], "write_file", "c"), {**chunk({}), "choices": [], **usage}, piece(0, _A[7:])),
        (_WRITE,),
    )
    yield (
        "An empty text amid a call does not end it",
        ended(piece(0, _A[:7], "write_file", "c"), chunk({"content": ""}), chunk({"content": None}), piece(0, _A[7:])),
        (_WRITE,),
    )
    yield (
        "The id and the name again, with each piece, are those of one call",
        ended(piece(0, _A[:7], "write_file", "c"), piece(0, _A[7:], None, "c")),
        (_WRITE,),
    )
    for index in (1, 3):
        yield f"The first call may have the index {index}", ended(piece(index, _A, "write_file", "c")), (_WRITE,)
    yield (
        "Calls may leave out an index between theirs",
        ended(piece(0, _A, "write_file", "c"), piece(2, _B, "delete_file", "d")),
        (_WRITE, _DROP),
    )
    yield (
        "An empty object in the arguments of one call, and a call behind it",
        ended(piece(0, "{}", "list_all", "c"), piece(1, _B, "delete_file", "d")),
        (_LIST, _DROP),
    )
    without = ended(piece(0, _A[:7], "write_file", "c"), piece(0, _A[7:]))
    yield "A choice without an index is the first one", [without_index(event) for event in without], (_WRITE,)


def without_index(event: Event) -> Event:
    """Return an event whose choices have no index."""
    return {
        **event,
        "choices": [{key: held for key, held in choice.items() if key != "index"} for choice in event["choices"]],
    }


def _said() -> Mapping[str, tuple[Sequence[Event], str]]:
    texts = [chunk({"role": "assistant", "content": "Hi "}), chunk({"content": "you."}), chunk({}, "stop")]
    usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    return {
        "A choice without an index is the first one": ([without_index(event) for event in texts], "Hi you."),
        "Text behind the finish reason comes out": ([chunk({"content": "Hi "}, "stop"), chunk({"content": "you."})], "Hi you."),
        "Text in the event with the finish reason comes out": (
            [chunk({"content": "Hi "}), chunk({"content": "you."}, "stop")], "Hi you.",
        ),
        "Text behind an event of usage comes out": (
            [texts[0], {**chunk({}), "choices": [], **usage}, *texts[1:]], "Hi you.",
        ),
        "Text in events with usage comes out": ([{**event, **usage} for event in texts], "Hi you."),
        "Text behind an empty finish reason comes out": (
            [chunk({"content": "Hi "}, ""), chunk({"content": "you."}, ""), chunk({}, "stop")], "Hi you.",
        ),
    }  # fmt: skip
