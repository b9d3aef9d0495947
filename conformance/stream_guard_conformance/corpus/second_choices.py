"""Rows of two choices: what everyday streams, servers and ends have in the first one, here stands in the second, or in both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from . import calls_in_time, everyday, native_rows, other_servers, unfinished
from .native import Event
from .rows import Meant, Row
from .streams import STREAMS

BEGINNING: Final = "second-choices/"

LISTS: Final = {"openai-chat": "choices", "gemini": "candidates"}
"""The protocols that have choices, and the member of an event that lists them."""

_OTHER: Final = ("Nothing but `text` ", "is in the first one, ", "日本語 ", "and so on.\n")


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for kind, made in (
        ("everyday", everyday.rows(seed)),
        ("other-servers", other_servers.rows(seed)),
        ("native", native_rows.rows(seed)),
        ("cut-off", unfinished.rows(seed)),
        ("in-time", calls_in_time.rows(seed)),
    ):
        for number, row in enumerate(row for row in made if _has_one(row)):
            rng = Random(f"second choices:{kind}:{number}:{seed}")
            yield _behind_text(kind, row, rng)
            if number % 2 == 0 and kind != "in-time":
                yield _twice(kind, row, rng)
            if number % 3 == 0 and kind != "in-time":
                yield _together(kind, row)


def _has_one(row: Row) -> bool:
    """Return whether a row has events of one choice, the first, in a protocol that has several. An error ends all of them."""
    if row.form != "events" or row.protocol not in LISTS or any("error" in event for event in row.input):
        return False
    return all(choice.get("index", 0) == 0 for event in row.input for choice in event.get(LISTS[row.protocol]) or ())


def moved(event: Event, name: str) -> Event:
    """Return an event of the first choice as one of the second."""
    event = json.loads(json.dumps(event))
    for choice in event.get(LISTS[name]) or ():
        choice["index"] = 1
    return event


def _mixed(streams: Sequence[Sequence[Any]], rng: Random) -> tuple[list[Any], list[list[int]]]:
    """Return the events of streams in one, and where those of each stand in it."""
    left = [[(lane, event) for event in stream] for lane, stream in enumerate(streams)]
    events: list[Any] = []
    at: list[list[int]] = [[] for _ in streams]
    while any(left):
        lane, event = rng.choice([queue for queue in left if queue]).pop(0)
        at[lane].append(len(events))
        events.append(event)
    return events, at


def _of(calls: Sequence[Meant], choice: int, at: Sequence[int]) -> list[Meant]:
    """Return calls in another choice, whose events stand in other places."""
    return [
        replace(
            call,
            choice=choice,
            named=None if call.named is None else at[call.named],
            ready=None if call.ready is None else at[call.ready],
            due=None if call.due is None else at[call.due],
        )
        for call in calls
    ]


def _row(kind: str, row: Row, why: str, events: Sequence[Any], calls: Sequence[Meant], *texts: Any, **more: Any) -> Row:
    several = ("several",) if len(calls) > 1 else ()
    return replace(
        row, kind=f"{BEGINNING}{kind}", why=why, input=list(events), calls=calls, texts=[list(pieces) for pieces in texts],
        needs=tuple(dict.fromkeys((*row.needs, *several))), **more,
    )  # fmt: skip


def _behind_text(kind: str, row: Row, rng: Random) -> Row:
    """Return a row with text in the first choice, and what the row has in the second."""
    name = row.protocol
    first = STREAMS[name].stream(_OTHER)
    events, at = _mixed([first, [moved(event, name) for event in row.input]], rng)
    why = f"In the second choice of two, beside text in the first: {row.why}"
    out = [[(at[1][piece], letters) for piece, letters in marks] for marks in row.out]
    calls = _of(row.calls, 1, at[1])
    also = [_of(others, 1, at[1]) for others in row.also]
    return _row(
        kind, row, why, events, calls, ["".join(_OTHER)], *(row.texts or [[None]]), also=also, out=[[], *out] if out else ()
    )


def _together(kind: str, row: Row) -> Row:
    """Return a row with the same in both choices, of which each event has both."""
    name = row.protocol
    events = []
    for event in row.input:
        both = [*(event.get(LISTS[name]) or ()), *(moved(event, name).get(LISTS[name]) or ())]
        events.append({**event, LISTS[name]: both} if LISTS[name] in event else event)
    calls = [call for choice in (0, 1) for call in _of(row.calls, choice, range(len(events)))]
    texts = row.texts or [[None]]
    return _row(kind, row, f"In both of two choices of each event: {row.why}", events, calls, *texts, *texts)


def _twice(kind: str, row: Row, rng: Random) -> Row:
    """Return a row with the same in both choices."""
    name = row.protocol
    events, at = _mixed([row.input, [moved(event, name) for event in row.input]], rng)
    calls = [*_of(row.calls, 0, at[0]), *_of(row.calls, 1, at[1])]
    texts = row.texts or [[None]]
    return _row(kind, row, f"In both of two choices: {row.why}", events, calls, *texts, *texts)
