"""Reads the texts of recorded streams, for the command line.

`read` returns the lanes of a file: the deltas of each choice or content block, with an `End` where the provider gave a reason.
It reads dumps of server-sent events (`.sse`), one JSON document per line (`.ndjson`), and lists of deltas or cassettes
(`.jsonl`: a JSON string per line; see `cassette`).

Rule: a file that cannot be read raises a `ValueError` with the line. Text is never guessed.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, Final, Literal

from stream_guard import End

from ..engine.framing import LINE, Events, Frame, Lines
from ..protocols import EVERY, MARKS, Lane, recognised
from .cassette import Cassette

Lanes = dict[str, list[str | End]]
"""The deltas of each lane, in order."""

Found = Iterator[tuple[Lane, str | End]]
"""Pieces of text, each with its lane."""

SUFFIXES: Final = (".sse", ".ndjson", ".jsonl")


def read(path: Path) -> Lanes | None:
    """Return the lanes of a recorded stream; None for a file of another kind."""
    if path.suffix not in SUFFIXES:
        return None
    lanes: Lanes = {}
    for lane, piece in _pieces(documents(path)):
        if lane == EVERY:
            for deltas in lanes.values():
                deltas.append(piece)
        else:
            lanes.setdefault(".".join(map(str, lane)), []).append(piece)
    return lanes


def documents(path: Path) -> Iterator[Any]:
    """Yield the JSON documents of a recorded stream, in order. Raises ValueError for a line that is not JSON."""
    yield from parsed(path.read_bytes(), "sse" if path.suffix == ".sse" else "lines", path.name)


def parsed(raw: bytes, form: Literal["sse", "lines"], name: str) -> Iterator[Any]:
    """Yield the JSON documents of a recorded stream that is read already; a cassette is recognised by its first line."""
    raw = raw.removeprefix(BOM_UTF8)
    if raw.startswith(b'{"cassette":'):
        yield from Cassette.parsed(StringIO(raw.decode(), newline="\n"), name).documents()
        return
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
            yield json.loads(data)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None


def _pieces(found: Iterator[Any]) -> Found:
    strange = known = 0
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
        raise ValueError("no event of a known protocol in it; of a file with one reply per row, name the column with --column")
