"""Rows of values that are nearly of the type that a schema asks for, in every form of calls: no value is taken for another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from ..toolsets import Json, tool_of
from .dialects import DIALECTS
from .fences import fenced
from .native_rows import OBJECTS, STREAMED, given, whole_replies
from .rows import Draft, Meant, Row, cut
from .sent import Sent

BEGINNING: Final = "types/"

_INTEGER: Final = {"type": "integer"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "object", "properties": {"n": _INTEGER}}

TYPES: Final[Mapping[str, tuple[Json, Sequence[Any], Sequence[Any]]]] = {
    "an integer": (_INTEGER, (0, -3), (True, False, 2.5, -0.5, None)),
    "a number": (_NUMBER, (0, -2.5), (True, False, None)),
    "a truth value": ({"type": "boolean"}, (False,), (2, None)),
    "a list of integers": ({"type": "array", "items": _INTEGER}, ([0, 1],), ([True], [1, 2.5], [None])),
    "an object with an integer": (_COUNT, ({"n": 0},), ({"n": True}, {"n": 2.5})),
    "a number, or a short text": ({"anyOf": [_NUMBER, {"type": "string", "maxLength": 2}]}, (1.5,), (None,)),
    "an integer between bounds": ({"type": "integer", "minimum": 0, "maximum": 5}, (1,), (True, 1.5)),
}
"""Schemas; values that they take, and values that they do not, which no reading turns into others."""

_MARK: Final = 1234.5
"""A number that every form writes alike: it stands for those that no value can be."""

BEYOND: Final = ("1e400", "-1e400", "1E+999")
"""Numbers beyond those of a double: as one they are infinite."""

IN_DIALECTS: Final = (("an integer", True), ("an integer", 2.5), ("a number", True), ("a list of integers", [True]))
"""What is refused in each dialect, beside a number that is too large."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    rng = Random(f"types:{seed}")
    for what, (schema, right, wrong) in TYPES.items():
        for value in right:
            yield from _fences(f"`{json.dumps(value)}` is {what}, and runs as it was written", schema, value, None, True, rng)
        for value in wrong:
            why = f"`{json.dumps(value)}` is not {what}: nothing runs"
            yield from _fences(why, schema, value, None, False, rng)
            yield from _native(why, schema, value, None)
    for number in BEYOND:
        why = f"`{number}` is no number that a double has, and not infinity: nothing runs"
        yield from _fences(why, _NUMBER, _MARK, number, False, rng)
        yield from _native(why, _NUMBER, _MARK, number)
    for name in DIALECTS:
        for what, value in IN_DIALECTS:
            yield _dialect(name, f"`{json.dumps(value)}` is not {what}: nothing runs", TYPES[what][0], value, None, rng)
        why = f"`{BEYOND[0]}` is no number that a double has, and not infinity: nothing runs"
        yield _dialect(name, why, _NUMBER, _MARK, BEYOND[0], rng)


def _tools(schema: Json) -> list[Json]:
    return [tool_of("set_value", ("value",), value=schema)]


def _marked(written: str, number: str | None) -> str:
    """Return what was written, with this number where the mark stands."""
    assert number is None or str(_MARK) in written
    return written if number is None else written.replace(str(_MARK), number)


def _fences(why: str, schema: Json, value: Any, number: str | None, runs: bool, rng: Random) -> Iterator[Row]:
    body = _marked(json.dumps({"tool": "set_value", "value": value}), number)
    calls = [Meant("set_value", {"value": value})] if runs else []
    draft = Draft().say("Now.\n\n").write(fenced(body), *calls, shown=not runs).say("\nSo.\n")
    deltas = cut(draft.text, rng.choice(("whole", "tokens")), rng)
    needs = ["fence", "schemas", *(["streams"] if len(deltas) > 1 else [])]
    yield Row(f"{BEGINNING}fences", f"{why}.", _tools(schema), deltas, draft.timed(deltas), texts=[draft.pieces], needs=needs)


def _dialect(name: str, why: str, schema: Json, value: Any, number: str | None, rng: Random) -> Row:
    written = _marked(DIALECTS[name]([("set_value", {"value": value})]), number)
    draft = Draft().say("I will do it.\n\n").write(written, shown=True)
    deltas = cut(draft.text, rng.choice(("whole", "tokens")), rng)
    needs = ["schemas", *(["streams"] if len(deltas) > 1 else [])]
    why = f"In the form `{name}`, {why}."
    return draft.in_dialect(f"{BEGINNING}dialects", why, name, _tools(schema), deltas, needs=needs)


def _native(why: str, schema: Json, value: Any, number: str | None) -> Iterator[Row]:
    """Yield native calls, streamed and whole. Where the arguments are no text, they are no number that no value can be."""
    call = Meant("set_value", {"value": value})
    name_and_text = call.name, _marked(given(call)[1], number)
    for name, (make, text) in STREAMED.items():
        if number is None or name not in (*OBJECTS, "ai-sdk"):
            sent = Sent(
                f"In a native call of `{name}`, {why}.", make([name_and_text]), (), [[text]], ("native", "schemas"),
                tools=_tools(schema),
            )  # fmt: skip
            yield sent.row(f"{BEGINNING}native", name)
    if number is None:
        for name, reply in whole_replies([call]).items():
            sent = Sent(
                f"In a whole reply of `{name}`, {why}.", [reply], (), [[""]], ("native", "schemas"), "reply", _tools(schema)
            )
            yield sent.row(f"{BEGINNING}replies", name)
