"""What the tests of body cursors share: a body read in pieces, what came of it, and rows of what is meant to come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from stream_guard.dialects.body import Body
from stream_guard.dialects.call import Form, RawCall, Value
from stream_guard.testing import by_char, every_split, random_splits

Make = Callable[[], Body]


@dataclass(frozen=True)
class Outcome:
    """What a cursor says of one text. `size` is the length of the body, or of what is not broken; None while it goes on."""

    size: int | None
    complete: bool
    uncertain: bool
    broken: str | None
    name: str | None
    path: str | None
    calls: tuple[RawCall, ...]


def read(make: Make, chunks: Iterable[str]) -> Outcome:
    """Feed the chunks to a new cursor, as a scanner does, and end the text."""
    body = make()
    size = 0
    for chunk in chunks:
        taken = body.read(chunk, 0)
        assert 0 <= taken <= len(chunk)
        size += taken
        if body.done or body.broken is not None:
            break
        assert (taken, body.over) == (len(chunk), 0)
    if not body.done and body.broken is None:
        body.finish()
    assert 0 <= body.over <= size
    assert not (body.complete and body.uncertain)
    assert not body.complete or body.done
    assert body.broken is None or not body.done
    calls = tuple(body.calls())
    assert not body.complete or all(call.closed for call in calls)
    ended = size - body.over if body.done or body.broken is not None else None
    return Outcome(ended, body.complete, body.uncertain, body.broken, body.name, body.path, calls)


def cuts(text: str, seed: int = 0) -> Iterator[list[str]]:
    """By character, at every place, and at random places."""
    yield by_char(text)
    yield from every_split(text)
    yield from random_splits(text, seed, 5)


def read_in_any_way(make: Make, text: str) -> Outcome:
    """Read a text whole and in pieces; all give the same."""
    whole = read(make, [text])
    for chunks in cuts(text):
        assert read(make, chunks) == whole, chunks
    return whole


@dataclass(frozen=True)
class Row:
    """A text behind an opener, and what it is."""

    text: str
    calls: Sequence[tuple[str | None, Any]] = ()
    """Names and arguments; an argument is text of the grammar's usual form, or a `Value`."""

    rest: str = ""
    """What stands behind the body."""

    complete: bool = True
    broken: str | None = None
    ended: bool = True
    """Whether the body is over. One that is not was cut off."""

    ids: Sequence[str | None] = field(default=())


def check(make: Make, row: Row, form: Form) -> None:
    """Read a row in any way, and compare."""
    found = read_in_any_way(make, row.text)
    assert found.broken == row.broken
    if row.broken is not None:
        return
    assert found.complete is row.complete
    assert found.uncertain is not row.complete
    assert [(call.name, plain(call.arguments, form)) for call in found.calls] == list(row.calls)
    if row.ids:
        assert [call.id for call in found.calls] == list(row.ids)
    if row.ended:
        assert found.size is not None
        assert row.text[found.size :] == row.rest
    else:
        assert found.size is None


def plain(arguments: tuple[tuple[str, Value], ...] | Value, form: Form) -> Any:
    """Arguments with values of the usual form as their text."""
    if isinstance(arguments, Value):
        return arguments.text if arguments.form == "json" else arguments
    return [(key, value.text if value.form == form else value) for key, value in arguments]


def text(written: str) -> Value:
    """A value that is text for certain."""
    return Value(written, "text")


def json(written: str) -> Value:
    """A value that is JSON."""
    return Value(written, "json")
