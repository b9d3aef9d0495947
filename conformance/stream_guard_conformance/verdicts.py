"""Compares what came out with what was meant, value by value. `strict` is the reading that every JSON parser gives: a block
that has such a reading means what it states, even if a fault made it so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final

from .calls import Call
from .toolsets import Toolset

Calls = tuple[Call, ...]


class Verdict(StrEnum):
    """The result of a block."""

    EXACT = "exact"
    """All calls came out executable, in order, each value as it was meant."""

    REFUSED = "refused"
    """Nothing came out executable."""

    GATED = "gated"
    """Nothing came out executable, and a call is destructive: for such a call a guard may ask more than the text states."""

    STILL_VALID = "still valid"
    """The fault left valid calls with other values. It cannot be seen; what came out, if anything, is what the text states."""

    WRONG = "wrong"
    """Something came out executable that was not meant: another tool or value, or a call too many or too few."""


def judge(
    ran: Sequence[Call], meant: Calls, said: Iterable[Calls] = (), *, nothing: bool = False, gated: bool = False
) -> Verdict:
    """Return the verdict on a block.

    Args:
        ran: What came out executable, in order.
        meant: What was meant before anything went wrong.
        said: What the text says by the letter instead, if it says anything.
        nothing: Whether nothing may run, whatever it is.
        gated: Whether one of the calls destroys.
    """
    others = {keys(calls) for calls in said} - {keys(meant)}
    if not ran:
        return Verdict.STILL_VALID if others else Verdict.GATED if gated else Verdict.REFUSED
    if keys(ran) in others:
        return Verdict.STILL_VALID
    return Verdict.EXACT if keys(ran) == keys(meant) and not nothing else Verdict.WRONG


def keys(calls: Iterable[Call]) -> tuple[str, ...]:
    """Return the keys of these calls, by which they are compared."""
    return tuple(call.key for call in calls)


def strict(text: str, toolset: Toolset, *, raw: bool = False, aliases: bool = False, repeated: bool = False) -> Calls | None:
    """Return the calls that a strict parser and the schemas find in a body; None when it is not valid.

    With `raw`, line breaks and other control characters may stand in strings as they are. With `aliases`, a tool's other names
    count as its own, and so does its name after `functions.`, which says nothing; its makers' fixes are made, and a member may
    stand there twice with one value. Objects one after the other are read in order, unless one is written twice: that may be a
    slip as well as two calls, which it is with `repeated`.
    """
    reader = json.JSONDecoder(object_pairs_hook=_told_twice if aliases else _members, parse_constant=_refuse, strict=not raw)
    documents: list[Any] = []
    rest = text.strip(_BLANK)
    try:
        while rest:
            document, end = reader.raw_decode(rest)
            if document in documents and not repeated:
                return None
            documents.append(document)
            rest = rest[end:].lstrip(_BLANK)
        json.dumps(documents, ensure_ascii=False).encode()  # half a surrogate pair is no character
        found = [call for document in documents for call in _calls(document)]
        if aliases:
            own = {alias: tool.name for tool in toolset.tools for alias in tool.aliases}
            names = [call.tool.removeprefix("functions.") for call in found]
            named = [(own.get(name, name), call.arguments) for name, call in zip(names, found, strict=True)]
            found = [Call(tool, toolset.by_name[tool].read(arguments)) for tool, arguments in named]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    valid = found and all(call.tool in toolset.by_name and toolset.by_name[call.tool].accepts(call.arguments) for call in found)
    return tuple(found) if valid else None


_BLANK: Final = " \t\r\n"


def _calls(document: Any) -> list[Call]:
    """Return the calls of a document in any of the wrappings.

    Raises an exception when the document is no call, or holds anything besides.
    """
    match document:
        case list():
            return [call for held in document for call in _calls(held)]
        case {"tool_calls": list(held)} if len(document) == 1:
            return _calls(held)
        case {"type": "function", "function": dict(held)} if len(document) == 2:
            return _calls(held)
        case {"name": str(tool), "arguments": dict()} if len(document) == 2:
            return [Call(tool, document["arguments"])]
        case {"name": str(tool)} if len(document) == 1:
            return [Call(tool, {})]
        case {"tool": str(tool)}:
            return [Call(tool, {key: value for key, value in document.items() if key != "tool"})]
        case _:
            raise ValueError("this is no call")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands there twice")
    return members


def _told_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return _members([pair for index, pair in enumerate(pairs) if not index or json.dumps(pair) != json.dumps(pairs[index - 1])])


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
