"""Rows of native calls whose arguments come in pieces of which one is equal to the one before: none of them is a repetition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..toolsets import tool_of
from .native_rows import OBJECTS, STREAMED
from .rows import Meant, Row
from .sent import Sent

BEGINNING: Final = "equal-pieces/"

TOOLS: Final = [
    tool_of("pay", ("cents",), cents={"type": "integer"}, to={"type": "string"}),
    tool_of("set_options", (), options={"type": "object"}, rows={"type": "array"}),
]

CUT: Final[Mapping[str, tuple[str, Any, Sequence[str]]]] = {
    "digits": ("pay", {"cents": 1_000_000}, ('{"cents": 1', "00", "00", "00", "}")),
    "single digits": ("pay", {"cents": 11_100}, ('{"cents": ', "1", "1", "1", "0", "0", "}")),
    "parts of a text": ("pay", {"cents": 1, "to": "haha, haha, ha"}, ('{"cents":1,"to":"', "haha, ", "haha, ", "ha", '"}')),
    "empty lines in a text": ("pay", {"cents": 1, "to": "a\n\n\n\nb"}, ('{"cents":1,"to":"a', r"\n", r"\n", r"\n\n", 'b"}')),
    "backslashes": ("pay", {"cents": 1, "to": "\\\\"}, ('{"cents":1,"to":"', "\\\\", "\\\\", '"}')),
    "blanks in a text": ("pay", {"cents": 1, "to": "a      b"}, ('{"cents":1,"to":"a', "  ", "  ", "  ", 'b"}')),
    "brackets": ("set_options", {"rows": [[[1], [1]]]}, ('{"rows":', "[", "[", "[1]", ",", "[1]", "]", "]", "}")),
    "braces": ("set_options", {"options": {"a": {"a": {}}}}, ('{"options":', '{"a":', '{"a":', "{}", "}", "}", "}")),
    "items of a list": ("set_options", {"rows": [0, 0, 0, 1]}, ('{"rows":[', "0,", "0,", "0,", "1]}")),
}
"""Calls, and the pieces in which their arguments come."""


def rows(_seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for name, (make, text) in STREAMED.items():
        if name in OBJECTS:
            continue
        for what, (tool, arguments, pieces) in CUT.items():
            for chunks in (False, True) if name == "ag-ui" else (False,):
                more = {"chunks": True} if chunks else {}
                events = make([(tool, "".join(pieces))], split=lambda _, __, given=pieces: given, **more)
                why = f"A piece of arguments of `{name}` that is equal to the one before belongs to them as well: {what}."
                sent = Sent(why, events, [Meant(tool, arguments)], [[text]], ("native",), tools=TOOLS)
                yield sent.row(f"{BEGINNING}native", name)
