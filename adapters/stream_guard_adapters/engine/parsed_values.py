"""What a client has made from a reply besides its JSON: parsed arguments of calls, a parsed text, and the id of the request.

A client's `parse()` reads the arguments of a call into an instance of the program's own model, and the program runs that. So
in the guarded reply the instance is made anew if the guard changed the arguments.

Rule: a parsed value always belongs to the arguments or the text beside it. If it cannot be made from these, it is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_PARSED = (("parsed_arguments", "arguments"), ("parsed", "content"), ("parsed", "text"))
"""The members that a client parses, and for each the text from which it is made."""


def data_of(reply: Any) -> Any:
    """Return the JSON of a reply of a client's types, without what the client has parsed."""
    data = reply.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    for path, node in _nodes(reply):
        if any(getattr(node, parsed, None) is not None for parsed, _ in _PARSED):
            here = data
            for step in path:
                here = here[step]
            for parsed, _ in _PARSED:
                here.pop(parsed, None)
    return data


def take_over(given: Any, made: Any) -> None:
    """Give a new reply of a client's types the values that the client had parsed from the reply that it replaces."""
    request = getattr(given, "_request_id", None)
    if request is not None:
        made._request_id = request  # noqa: SLF001  # the clients document it
    known: dict[tuple[str, str], Any] = {}
    kinds: dict[tuple[str, str | None], Any] = {}
    for _, node in _nodes(given):
        for parsed, source in _PARSED:
            value, text = getattr(node, parsed, None), getattr(node, source, None)
            if value is not None and isinstance(text, str):
                known[parsed, text] = value
                kinds[parsed, getattr(node, "name", None)] = type(value)
    for _, node in _nodes(made) if known else ():
        for parsed, source in _PARSED:
            text = getattr(node, source, None)
            if isinstance(text, str) and hasattr(node, parsed):
                value = known.get((parsed, text))
                kind = kinds.get((parsed, getattr(node, "name", None)))
                setattr(node, parsed, value if value is not None else _read(text, kind))


_Path = tuple[str | int, ...]


def _nodes(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Yield the objects of a reply with their places, the outer ones first."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nodes(item, (*path, index))
    elif hasattr(value, "model_dump"):
        yield path, value
        for name, part in value:
            if name not in ("parsed", "parsed_arguments"):
                yield from _nodes(part, (*path, name))


def _read(text: str, kind: Any) -> Any:
    """Return a text parsed as the type of an earlier value; None if the type does not take it."""
    if kind is None:
        return None
    try:
        return kind.model_validate_json(text) if hasattr(kind, "model_validate_json") else json.loads(text)
    except ValueError:
        return None
