"""Rows of native arguments that cannot be read, to tools that require nothing: they are not the same as no arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..toolsets import tool_of
from .native import Event, Given
from .native_rows import OBJECTS, STREAMED, whole_replies
from .rows import Meant, Row
from .sent import Sent

BEGINNING: Final = "unread/"

_TEXT: Final = {"type": "string"}

TOOLS: Final = [
    tool_of("delete_notes", (), folder=_TEXT, limit={"type": "integer"}),
    tool_of("empty_cart"),
    tool_of("pay", ("cents",), cents={"type": "integer"}),
]

BROKEN: Final = (
    "{",
    '{"',
    '{"folder',
    '{"folder"',
    '{"folder": ',
    '{"folder": "dra',
    '{"folder": "drafts", "li',
    '{"limit": 1, ',
)
"""Arguments that stop before their end, in a reply that says that it did not."""

NO_OBJECT: Final = ("null", "[]", "0", "false", '""', '"drafts"', "drafts", "None", "undefined", "[object Object]")
"""Arguments that are no object."""

SAYS_NOTHING: Final = ("null", "[]", '""')
"""What may stand for no arguments, where a tool takes none: such a call may run."""

EMPTY: Final = ("", " ", "{}", "{ }")
"""Arguments without a value: where none is required, they may be right."""


NOTHING: Final = Meant("empty_cart", {}, must=False)


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for name in STREAMED:
        if name not in OBJECTS:
            yield from _streamed(name, seed)
    yield from _replies()


def _given() -> Iterator[tuple[str, Given, Sequence[str], Sequence[Meant]]]:
    """Yield calls, each with what is wrong with it, what its row needs, and what may run of it."""
    for tool in ("delete_notes", "empty_cart"):
        for written in BROKEN:
            yield f"never runs with arguments that stop before their end (`{written}`)", (tool, written), (), ()
        for written in NO_OBJECT:
            what = f"never runs with arguments that are no object (`{written}`)"
            may: list[Meant] = []
            if tool == "empty_cart" and written in SAYS_NOTHING:
                what, may = f"takes no arguments, and runs without them or not at all (`{written}`)", [NOTHING]
            yield what, (tool, written), ("schemas",), may
    for written in EMPTY:
        yield f"never runs without the field that is required (`{written}`)", ("pay", written), ("schemas",), ()


def _streamed(name: str, seed: int) -> Iterator[Row]:
    make, text = STREAMED[name]
    for nth, (what, call, needs, may) in enumerate(_given()):
        if name == "ai-sdk" and call[0] == "pay" and not call[1].strip():
            continue  # a stream that has no input of a call
        events = make([call], seed=seed + nth)
        if name == "ag-ui":
            events = _ended(events)
        why = f"A native call of `{name}` to `{call[0]}` {what}."
        yield Sent(why, events, may, [[text]], ("native", *needs), tools=TOOLS).row(f"{BEGINNING}native", name)
    empty = make([("empty_cart", "{}")])
    why = f"A native call of `{name}` whose arguments are an empty object runs, where nothing is required."
    runs = Sent(why, empty, [Meant("empty_cart", {})], [[text]], ("native",), tools=TOOLS)
    yield runs.row(f"{BEGINNING}native", name)


def _ended(events: Sequence[Event]) -> list[Event]:
    """Return a run in which the call has ended, though its arguments have not."""
    if any(event["type"] == "TOOL_CALL_END" for event in events):
        return list(events)
    *called, last = events
    return [*called, {"type": "TOOL_CALL_END", "toolCallId": "t0"}, last]


def _replies() -> Iterator[Row]:
    for what, (tool, written), needs, may in _given():
        for name, reply in _with_text(tool, written).items():
            why = f"In a whole reply of `{name}`, a native call to `{tool}` {what}."
            sent = Sent(why, [reply], may, [[""]], ("native", *needs), form="reply", tools=TOOLS)
            yield sent.row(f"{BEGINNING}replies", name)


def _with_text(tool: str, written: str) -> Mapping[str, Event]:
    """Return the replies whose arguments are a text, with this text."""
    replies = whole_replies([Meant(tool, {"here": 1})])
    mark = json.dumps(json.dumps({"here": 1}))
    return {
        name: json.loads(json.dumps(reply).replace(mark, json.dumps(written)))
        for name, reply in replies.items()
        if mark in json.dumps(reply)
    }
