"""Rows of JSON that holds a call somewhere inside: what is a value of other JSON, or of a call, is no call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from ..toolsets import tool_of
from .dialects import DIALECTS
from .fences import fenced
from .native_rows import STREAMED, given
from .rows import CUTS, Draft, Meant, Row, cut
from .sent import Sent

BEGINNING: Final = "inside/"

_TEXT: Final = {"type": "string"}

TOOLS: Final = [
    {**tool_of("delete_file", ("path",), path=_TEXT), "annotations": {"destructiveHint": True}},
    tool_of("save", ("data",), data={}),
]

_BARE: Final = {"tool": "delete_file", "path": "a.txt"}
_NAMED: Final = {"name": "delete_file", "arguments": {"path": "a.txt"}}
_FUNCTION: Final = {"type": "function", "function": _NAMED}

HELD: Final[Mapping[str, Any]] = {
    "under a key": {"time": "12:00", "last": _BARE},
    "two levels down": {"log": {"of": "today", "last": _BARE}, "size": 1},
    "in a list under a key": {"time": "12:00", "entries": [{"n": 1}, _BARE]},
    "in lists of lists": {"rows": [[1], [_BARE]]},
    "as a text": {"time": "12:00", "last": json.dumps(_BARE)},
    "under a key, with a name and arguments": {"time": "12:00", "last": _NAMED},
    "in a list, with a name and arguments": {"time": "12:00", "entries": [_NAMED]},
    "as a function under a key": {"time": "12:00", "last": _FUNCTION},
    "under `value`": {"ok": True, "value": _BARE},
    "under `result`": {"id": 7, "result": _BARE},
    "under the name of a tool, beside others": {"examples": {"delete_file": _BARE}, "version": 2},
    "as a schema's example": {"type": "object", "properties": {"tool": {"type": "string"}}, "examples": [_BARE]},
}
"""JSON without a tool, and where in it something like a call stands."""

WITH_OBJECTS: Final = (
    "hermes", "longcat", "jamba", "nemotron_nano_v2", "internlm2", "granite3", "granite_20b_fc", "phi4_mini", "llama3_json",
    "json_array", "cohere_command", "inkling", "gigachat3",
)  # fmt: skip
"""Dialects that write a call as an object with its name and its arguments."""

AROUND: Final[Mapping[str, tuple[str, str]]] = {
    "under a key": ('{"time": "12:00", "last": ', "}"),
    "two levels down": ('{"log": {"of": "today", "last": ', '}, "size": 1}'),
    "in a list under a key": ('{"time": "12:00", "entries": [{"n": 1}, ', "]}"),
}
"""What may stand around a call, so that it is none."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    rng = Random(f"inside:{seed}")
    for nth, (where, held) in enumerate(HELD.items()):
        for indent in (None, 2):
            text = f"A log:\n\n{fenced(json.dumps(held, indent=indent))}\n\nSo.\n"
            why = f"What stands inside other JSON is no call: {where}."
            yield Row(
                f"{BEGINNING}other-json", why, TOOLS, cut(text, CUTS[nth % 4], rng), texts=[[text]],
                needs=("fence", "intent", "streams"),
            )  # fmt: skip
        call = Meant("save", {"data": held})
        body = fenced(json.dumps({"tool": "save", **call.arguments}))
        draft = Draft().say("Now.\n\n").write(body, call).say("\nSo.\n")
        deltas = cut(draft.text, CUTS[nth % 4], rng)
        why = f"What stands inside a value of a call is no call of its own: {where}."
        yield Row(
            f"{BEGINNING}a-call", why, TOOLS, deltas, draft.timed(deltas), texts=[draft.pieces], needs=("fence", "streams")
        )
        for name, (make, said) in STREAMED.items():
            sent = Sent(why, make([given(call)]), [call], [[said]], ("native",), tools=TOOLS)
            yield sent.row(f"{BEGINNING}native", name)
    for name in WITH_OBJECTS:
        written = DIALECTS[name]([("delete_file", {"path": "a.txt"})])
        at, end = written.index("{"), written.rindex("}") + 1
        for where, (before, behind) in AROUND.items():
            text = f"{written[:at]}{before}{written[at:end]}{behind}{written[end:]}"
            draft = Draft().say("A log:\n\n").write(text, shown=True)
            why = f"In the form `{name}`, what stands inside other JSON is no call: {where}."
            yield draft.in_dialect(f"{BEGINNING}dialects", why, name, TOOLS, [draft.text])
