"""Streams a cassette again: at any speed, cut in any way, in any form.

    guard.stream(replay("hello.jsonl", chunking=7, form="text"))  # deltas, and an End after them
    guard_chat(replay("hello.jsonl"), guard)

Rule 1: chunking changes where a text and the arguments of a native call are cut, and nothing else.
Rule 2: at speed 0 there is no waiting.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from stream_guard import End
from stream_guard.spi import Closing, is_count, shown

from ..engine.framing import Events, Frame, Lines
from ..protocols import Lane, Protocol
from .cassette import TORN, Cassette, as_bytes, as_object, frames_of, mark

Chunking = Literal["recorded", "chars", "words"] | int
"""Where texts, and the arguments of native calls that come in pieces, are cut: as recorded, at every character, at every word,
or at random with a number as the seed."""

Form = Literal["recorded", "text", "json", "objects", "bytes"]
"""The form of a replayed stream: as it was recorded, the deltas of one text with an `End` after them, JSON, the client's
objects, or bytes."""

Timed = list[tuple[float, Any]]

_WORDS: Final = re.compile(r"\S+\s*|\s+")
_BYTES: Final = re.compile(rb"\S+\s*|\s+")

_LONGEST_PIECE: Final = 200
"""The most bytes that a server sends together: about as many as an event with one character has."""


class RecordedError(Exception):
    """Raised where the recorded stream failed, with the name of the exception's class, or where a file was cut off."""


class Replay(Closing):
    """A cassette that is streamed again: with `async for` at its speed, or with `for` at once."""

    __slots__ = ("_cassette", "_items", "_speed")

    def __init__(
        self, cassette: Cassette, *, speed: float = 0, chunking: Chunking = "recorded", form: Form = "recorded", lane: int = 0
    ) -> None:
        if not isinstance(speed, int | float) or not speed >= 0:
            raise ValueError(f"speed must be 0 (at once), 1 (as recorded) or another positive factor; not {shown(speed)}")
        if not is_count(lane, 0):
            raise ValueError(f"lane must be the number of a text, from 0; not {shown(lane)}")
        self._cassette: Final = cassette
        self._speed: Final = speed
        self._items: Final = recut(_formed(cassette, form, lane), cassette.protocol, chunking)

    @property
    def times(self) -> list[float]:
        """The time of each item, at speed 1."""
        return [t for t, _ in self._items]

    def __iter__(self) -> Iterator[Any]:
        for _, item in self._items:
            yield item
        self._fail()

    async def __aiter__(self) -> AsyncIterator[Any]:
        loop = asyncio.get_running_loop()
        start = loop.time()
        for t, item in self._items:
            if self._speed and (wait := start + t / self._speed - loop.time()) > 0:
                await asyncio.sleep(wait)
            yield item
        self._fail()

    def _fail(self) -> None:
        if self._cassette.ending == "torn":
            raise RecordedError(TORN)
        if self._cassette.ending == "error":
            raise RecordedError(self._cassette.failure or "the recorded stream failed")

    close = Closing.aclose  # there is nothing to close; clients' streams call it so


def replay(
    path: str | Path | Cassette,
    *,
    speed: float = 0,
    chunking: Chunking = "recorded",
    form: Form = "recorded",
    lane: int = 0,
) -> Replay:
    """Stream a cassette again.

    Args:
        path: The file, or the cassette that was read from it.
        speed: 0 yields everything at once, 1 at the recorded times, 2 twice as fast.
        chunking: Where its texts and the arguments of its native calls, or its bytes, are cut.
        form: The form of the items.
        lane: The number of the text, for `form="text"`, in the order in which the texts begin.
    """
    cassette = path if isinstance(path, Cassette) else Cassette.load(Path(path))
    return Replay(cassette, speed=speed, chunking=chunking, form=form, lane=lane)


# -- forms -------------------------------------------------------------------------------------------------------------


def _formed(cassette: Cassette, form: Form, lane: int) -> Timed:
    recorded = [(cassette.time(index), item) for index, item in enumerate(cassette.items)]
    if form == "recorded":
        return recorded
    if form not in ("text", "json", "objects", "bytes"):
        raise ValueError(f"form must be 'recorded', 'text', 'json', 'objects' or 'bytes', not {form!r}")
    table = cassette.protocol
    if form == "bytes":
        return recorded if any(isinstance(item, bytes) for item in cassette.items) else _sent(cassette, "recorded")
    documents = cassette.timed()
    if form == "json":
        return documents
    if form == "objects":
        return [(t, as_object(table, data)) for t, data in documents]
    return cassette.deltas(lane)


def _sent(cassette: Cassette, chunking: Chunking) -> Timed:
    """Return the bytes of each event, with the texts and the arguments of native calls cut elsewhere."""
    table = cassette.protocol
    written: dict[int, bytes] = {}  # by `id`: events as they were recorded
    events: Timed = []
    frames: Events | Lines | None = None
    for index, item in enumerate(cassette.items):
        if not isinstance(item, bytes):
            events += [(cassette.time(index), data) for data in Cassette([item]).documents()]
            continue
        frames = frames or frames_of(item)
        events += [(cassette.time(index), _event(frame, written)) for frame in frames.push(item)]
    left = frames.last() if frames is not None else None
    if left is not None:
        events.append((events[-1][0] if events else 0.0, _event(left, written)))
    if table is None and any(id(data) not in written and not isinstance(data, bytes) for _, data in events):
        raise ValueError("the protocol of the cassette is unknown, so its events cannot be sent as bytes")
    made: Timed = []
    for t, data in recut(events, table, chunking):
        as_recorded = data if isinstance(data, bytes) else written.get(id(data))
        made.append((t, as_bytes(table, data) if as_recorded is None and table is not None else as_recorded))
    closing = mark(table)
    return [*made, (made[-1][0], closing)] if closing and made and frames is None and cassette.ending == "eof" else made


def _event(frame: Frame, written: dict[int, bytes]) -> Any:
    """Return the JSON of an event, and note its bytes. For an event that is no JSON, return its bytes."""
    try:
        data = json.loads(frame.data or "")
    except ValueError:
        return frame.raw
    if not isinstance(data, dict | list):
        return frame.raw
    written[id(data)] = frame.raw
    return data


def served(cassette: Cassette, chunking: Chunking) -> Cassette:
    """Return a cassette as the bytes that a server sends: its texts and arguments are cut elsewhere, and then its bytes.

    The bytes are cut at random, into a few pieces for each event, within events and between them.
    """
    if chunking == "recorded":
        return cassette
    sent = _sent(cassette, chunking)
    dice = Random(chunking if isinstance(chunking, int) else 0)  # noqa: S311  # cuts need no secrecy
    body, pieces, at = b"".join(raw for _, raw in sent), list[bytes](), 0
    while at < len(body):
        size = dice.randint(1, _LONGEST_PIECE)
        pieces.append(body[at : at + size])
        at += size
    sent = _timed(sent, pieces, lambda _, piece: piece)
    return Cassette([raw for _, raw in sent], [t for t, _ in sent], cassette.ending, cassette.failure)


# -- cuts --------------------------------------------------------------------------------------------------------------


def recut(items: Timed, table: Protocol | None, chunking: Chunking) -> Timed:
    """Return the items with their texts cut elsewhere."""
    if chunking == "recorded":
        return items
    if chunking not in ("chars", "words") and (not isinstance(chunking, int) or isinstance(chunking, bool)):
        raise ValueError(f"chunking must be 'recorded', 'chars', 'words' or a number, not {chunking!r}")
    cut = _cutter(chunking)
    made: Timed = []
    run: Timed = []  # neighbours whose texts can be joined
    for t, item in items:
        joins = _joined(run[0][1], item, table) if run else False
        if run and not joins:
            made += _cut_run(run, table, cut)
            run = []
        run.append((t, item))
    return made + (_cut_run(run, table, cut) if run else [])


def _cutter(chunking: Chunking) -> Callable[[Any], list[Any]]:
    if chunking == "chars":
        return lambda text: [text[at : at + 1] for at in range(len(text))]
    if chunking == "words":
        return lambda text: _WORDS.findall(text) if isinstance(text, str) else _BYTES.findall(text)
    dice = Random(chunking)  # noqa: S311  # cuts need no secrecy

    def anywhere(text: Any) -> list[Any]:
        longest = dice.choice((2, 4, 8, 24))
        made, at = [], 0
        while at < len(text):
            size = dice.randint(1, longest)
            made.append(text[at : at + size])
            at += size
        return made

    return anywhere


def _joined(a: Any, b: Any, table: Protocol | None) -> bool:
    """Return whether the text of `b` may be joined to that of `a`."""
    if isinstance(a, str | bytes):
        return type(a) is type(b)
    if table is None:
        return False
    call = _argued(a, table)
    if call is not None:
        other = _argued(b, table)
        same = other is not None and other[0] == call[0]
        return same and table.with_arguments(a, "", first=False) == table.with_arguments(b, "", first=True)
    first, second = _plain(a, table), _plain(b, table)
    return first is not None and second is not None and first[0] == second[0]


def _argued(item: Any, table: Protocol) -> tuple[Lane, str] | None:
    """Return the call and the text of an event that has only one piece of a call's arguments, if that can be cut."""
    if isinstance(item, str | bytes | End) or not table.reads(item):
        return None
    pieces = table.calls(item)
    if len(pieces) != 1 or pieces[0].whole or not pieces[0].arguments or table.texts(item) or table.ends(item):
        return None
    return (pieces[0].call, pieces[0].arguments) if table.with_arguments(item, "", first=True) is not None else None


def _plain(item: Any, table: Protocol) -> tuple[Lane, str] | None:
    found = None if isinstance(item, bytes | End) else table.plain(item)
    return found if found is not None and not table.beside(item) else None


def _cut_run(run: Timed, table: Protocol | None, cut: Callable[[Any], list[Any]]) -> Timed:
    item = run[0][1]
    if isinstance(item, str | bytes):
        return _timed(run, cut(item[:0].join(one for _, one in run)), lambda _, piece: piece)
    if table is not None and _argued(item, table) is not None:
        argued = cut("".join(piece.arguments for _, one in run for piece in table.calls(one)))
        return _timed(run, argued, lambda at, piece: table.with_arguments(item, piece, first=not at))
    texts: Sequence[tuple[Lane, str]] = table.texts(item) if table is not None and not isinstance(item, End) else ()
    if table is None or len(texts) != 1:
        return run
    lane = texts[0][0]
    pieces = cut("".join(table.texts(one)[0][1] for _, one in run))

    def made(at: int, piece: str) -> Any:
        return table.piece(item, lane, piece, first=at == 0, last=at == len(pieces) - 1)

    return _timed(run, pieces, made)


def _timed(run: Timed, pieces: list[Any], made: Callable[[int, Any], Any]) -> Timed:
    """Return the pieces, each with the time of its share of the run."""
    share = len(run) / max(len(pieces), 1)
    return [(run[int(at * share)][0], made(at, piece)) for at, piece in enumerate(pieces)]
