"""What a client has parsed of a reply (`chat.completions.parse`, `responses.parse`), beside the JSON that it was parsed of.

Rule: a parsed value belongs to its JSON. A program runs the parsed arguments of a call, so those of a call that was fixed are
parsed of the fixed ones; a value whose JSON is not in the reply any more is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_OF: Final = {"parsed_arguments": ("arguments",), "parsed": ("content", "text")}
"""The members with parsed values, and the members with their JSON, of which a node has one."""


_REQUEST: Final = "_request_id"
"""The attribute in which clients keep the number of the request of a reply."""


def keep_parsed(given: Any, made: Any) -> None:
    """Give the objects of a reply, which was `made` of JSON, the parsed values of the reply as it was `given`."""
    known: dict[tuple[str, str], Any] = {}
    kinds: dict[str, Any] = {}  # a value of each tool
    for node, key, source in _parsed(given):
        known[key, source] = getattr(node, key)
        kinds[getattr(node, "name", "")] = getattr(node, key)
    for node, key, source in _parsed(made):
        told = (key, source)
        value = known[told] if told in known else _again(source, kinds.get(node.name)) if key == "parsed_arguments" else None
        setattr(node, key, value)
    request = getattr(given, _REQUEST, None)
    if request is not None:
        setattr(made, _REQUEST, request)


def _again(source: str, like: Any) -> Any:
    """Return the arguments of a call, parsed as the value of another call of its tool; None where that is not possible."""
    try:
        if hasattr(like, "model_validate_json"):
            return type(like).model_validate_json(source)
        return json.loads(source) if isinstance(like, dict) else None
    except ValueError:
        return None


def _parsed(node: Any) -> Iterator[tuple[Any, str, str]]:
    """Yield the nodes of a reply that have room for a parsed value, each with the member for it and the JSON of it."""
    if isinstance(node, list):
        for item in node:
            yield from _parsed(item)
    elif hasattr(type(node), "model_fields"):
        for key, sources in _OF.items():
            source = next((getattr(node, name) for name in sources if isinstance(getattr(node, name, None), str)), None)
            if key in type(node).model_fields and source is not None:
                yield node, key, source
        for key, value in list(vars(node).items()):
            if key not in _OF:
                yield from _parsed(value)
