"""Writes calls in the forms of dialects: for prompts, for histories, and to put a mended call back into a text.

A value is written as its dialect writes it: text as it is where there are no quotes. What such a form cannot hold, because the
text has a marker of its own dialect in it, raises ValueError.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Call = tuple[str, Mapping[str, Any]]
"""The name of a tool, and its arguments."""

Writer = Callable[[Sequence[Call]], str]
"""A function that writes one or several calls."""

encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def in_json(call: Call, arguments: str = "arguments") -> str:
    """Return a call as a JSON object."""
    return encode({"name": call[0], arguments: dict(call[1])})


def each(opener: str, closer: str = "", *, between: str = "\n", arguments: str = "arguments") -> Writer:
    """Return a writer of JSON, each call between an opener and a closer."""

    def write(calls: Sequence[Call]) -> str:
        return between.join(f"{opener}{in_json(call, arguments)}{closer}" for call in calls)

    return write


def array(opener: str, closer: str = "", *, arguments: str = "arguments") -> Writer:
    """Return a writer of one JSON array of calls between an opener and a closer."""

    def write(calls: Sequence[Call]) -> str:
        return f"{opener}[{', '.join(in_json(call, arguments) for call in calls)}]{closer}"

    return write


def raw(value: Any, *markers: str) -> str:
    """Return a value without quotes. Raises ValueError for a text that holds one of these markers of its dialect."""
    text = value if isinstance(value, str) else encode(value)
    if any(marker in text for marker in markers):
        raise ValueError("a value holds a marker of its dialect, which has no way to write that")
    return text


def functions(opener: str, closer: str) -> Writer:
    """Return a writer of functions with parameters inside an outer tag."""

    def write(calls: Sequence[Call]) -> str:
        return "\n".join(f"{opener}\n{one(*call)}\n{closer}" for call in calls)

    def one(name: str, arguments: Mapping[str, Any]) -> str:
        marks = (opener, closer, "<function=", "</function>", "<parameter=", "</parameter>")
        values = "".join(f"<parameter={key}>\n{raw(value, *marks)}\n</parameter>\n" for key, value in arguments.items())
        return f"<function={name}>\n{values}</function>"

    return write
