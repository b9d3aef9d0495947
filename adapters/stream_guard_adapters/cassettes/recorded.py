"""Reads recorded streams, for the command line.

`read` returns the lanes of a file: the deltas of each choice or content block, with an `End` where the provider gave a reason;
the readers that validate its native calls; and, if the stream was guarded already, the guard's events.
It reads dumps of server-sent events (`.sse`), one JSON document per line (`.ndjson`), and lists of deltas or cassettes
(`.jsonl`: a JSON string per line; see `cassette`).

Rule: a file that cannot be read raises a `ValueError` with the line. Text is never guessed.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Final, Literal

from stream_guard import End, Guard, ToolBlock, ToolEvent, ToolResult, ToolStatus

from ..engine.framing import LINE, Events, Frame, Lines
from ..protocols import EVERY, MARKS, Lane, Protocol, guard_event, recognised
from .cassette import OURS, TORN, Cassette, named

Lanes = dict[str, list[str | End]]
"""The deltas of each lane, in order."""

Form = Literal["sse", "lines"]
"""The form of a dump: server-sent events, or a JSON document on each line."""

Found = Iterator[tuple[Lane, str | End]]
"""Pieces of text, each with its lane."""

SUFFIXES: Final = (".sse", ".ndjson", ".jsonl")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded stream: its texts, and the readers that validate its native calls."""

    lanes: Lanes = field(default_factory=dict)
    """The deltas of each text."""

    called: dict[Protocol, list[Any]] = field(default_factory=dict)
    """The events of each protocol that has native calls in it."""

    guarded: list[tuple[int, ToolEvent]] = field(default_factory=list)
    """The guard's events in the recording of a guarded stream, each with the number of its block, from 1."""

    @property
    def is_text(self) -> bool:
        """Whether the lines of its texts are those of the file."""
        return False

    def calls(self, guard: Guard, stream_id: str) -> Iterator[tuple[int, ToolEvent]]:
        """Yield the guard's events about the native calls, each with the number of its call, from 1. No model is asked.

        A call of a tool that the guard does not know has one event: it is released as an `unknown_tool`.
        """
        numbers: dict[str, int] = {}
        for table, events in self.called.items():
            for event in _guarded(guard, table, events, f"{stream_id}:{table.name}"):
                yield numbers.setdefault(event.id, len(numbers) + 1), event


def read(path: Path) -> Recorded | None:
    """Return a recorded stream; None for a file of another kind."""
    if path.suffix not in SUFFIXES:
        return None
    told = list(_told(path.read_bytes(), _form(path)))
    events = [data for data in told if not isinstance(data, OURS)]
    guards = [event for data in told if (event := data if isinstance(data, OURS) else guard_event(data)) is not None]
    found = Recorded(guarded=_numbered(guards))
    for lane, piece in _pieces(events, known=len(guards)):
        if lane == EVERY:
            for deltas in found.lanes.values():
                deltas.append(piece)
        else:
            found.lanes.setdefault(".".join(map(str, lane)), []).append(piece)
    blocks = [event for event in guards if isinstance(event, ToolBlock)]
    tables = [recognised(event) for event in events]
    for table, event in zip(tables, events, strict=True):
        if table is not None and table not in found.called and table.reads(event) and table.calls(event):
            found.called[table] = [one for of, one in zip(tables, events, strict=True) if of in (table, None)]
    if found.called and _are_judged(found.called, blocks):
        found.called.clear()
    return found


def _numbered(guards: Sequence[ToolEvent | ToolResult]) -> list[tuple[int, ToolEvent]]:
    """Return the events about blocks, each with the number of its block."""
    numbers: dict[str, int] = {}
    return [(numbers.setdefault(it.id, len(numbers) + 1), it) for it in guards if not isinstance(it, ToolResult)]


def _are_judged(called: dict[Protocol, list[Any]], blocks: Sequence[ToolBlock]) -> bool:
    """Return whether the guard's blocks in a recording are its native calls: validated as native calls, or promoted to them."""
    from stream_guard.spi import NATIVE  # deferred: it loads the event loop

    ids = {block.call_id for block in blocks}
    return any(block.dialect == NATIVE for block in blocks) or any(
        piece.id in ids
        for table, events in called.items()
        for event in filter(table.reads, events)
        for piece in table.calls(event)
    )


def _guarded(guard: Guard, table: Protocol, events: Sequence[Any], stream_id: str) -> Iterator[ToolEvent]:
    """Yield the guard's events about the native calls of a stream, and one for each call of a tool that it does not know."""
    from ..engine.guarded_events import GuardedIterator  # deferred: most recordings have no calls, and need no event loop
    from ..engine.settings import Settings

    settings = Settings(native="mend" if table.holds_calls else "observe", stream_id=stream_id)
    stream = GuardedIterator(events, guard, table, settings)
    yield from (item for item in stream if stream.is_call(item))
    for number, name in enumerate(_unknown(guard, table, events), 1):
        yield ToolStatus(f"{stream_id}-unknown{number}", number, "released", name, reason="unknown_tool")


def _unknown(guard: Guard, table: Protocol, events: Sequence[Any]) -> Iterator[str]:
    """Yield the tool of each native call of a tool that the guard does not know."""
    begun: dict[Lane, str | None] = {}  # the ids of the calls that have begun and not ended, by their keys
    for event in filter(table.reads, events):
        for piece in table.calls(event):
            goes_on = piece.call in begun and not (piece.id and begun[piece.call] and piece.id != begun[piece.call])
            if piece.name and not goes_on:
                begun[piece.call] = piece.id
                if not guard.tools.knows(piece.name):
                    yield piece.name
        for key, _ in table.call_ends(event, list(begun)):
            begun.pop(key, None)


def documents(path: Path) -> Iterator[Any]:
    """Yield the JSON documents of a recorded stream, in order. Raises ValueError for a line that is not JSON."""
    return parsed(path.read_bytes(), _form(path))


def parsed(raw: bytes, form: Form) -> Iterator[Any]:
    """Yield the JSON documents of a recorded stream that was read already. A cassette is recognised by its first line."""
    return (data for data in _told(raw, form) if not isinstance(data, OURS))


def _form(path: Path) -> Form:
    return "sse" if path.suffix == ".sse" else "lines"


def _told(raw: bytes, form: Form) -> Iterator[Any]:
    """Yield the JSON documents; the guard's events among them are yielded as events."""
    raw = raw.removeprefix(BOM_UTF8)
    if raw.startswith(b'{"cassette":'):
        cassette = Cassette.parsed(StringIO(raw.decode(), newline="\n"))
        if cassette.ending == "torn":
            raise ValueError(TORN)
        yield from cassette.told()
        return
    if not raw.strip():
        raise ValueError("it is empty: no stream was recorded in it")
    number, events = 1, 0
    frames: Events | Lines = Events() if form == "sse" else Lines()
    for frame in frames.push(raw):
        events += frame.data is not None
        yield from _document(frame, number)
        number += len(LINE.findall(frame.raw))
    last = frames.last()
    if isinstance(frames, Events) and not events and raw.strip() and (last is None or last.data is None):
        raise ValueError("no server-sent events in it: no line begins with data:")
    try:
        yield from _document(last, number) if last is not None else ()
    except ValueError:
        if isinstance(frames, Lines):
            raise
        # The stream broke off inside of an event, which its readers drop.


def _document(frame: Frame, number: int) -> Iterator[Any]:
    data = frame.data
    if data is not None and data.strip() and not data.startswith(MARKS):
        try:
            found = json.loads(data)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None
        yield named(frame, found)


def _pieces(found: Iterable[Any], known: int) -> Found:
    """Yield the pieces of text. Raises ValueError if no event is `known`, which counts the guard's events."""
    strange = 0
    for data in found:
        table = recognised(data)
        if table is not None:
            known += 1
            yield from table.texts(data)
            yield from ((lane, End(why)) for lane, why in table.ends(data) if why is not None)
        elif isinstance(data, dict) and data.get("error"):
            known += 1
            yield EVERY, End("error")
        else:
            strange += 1
    if strange and not known:
        raise ValueError(
            "it has no event of a known protocol; if the file has one reply per row, name the column with --column"
        )
