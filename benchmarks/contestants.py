"""Ways to get the value of a JSON block out of a stream of deltas, each as its own documentation suggests.

All but the guard are handed the bare JSON of the block, without prose and fences: finding it is the guard's work alone. Each
returns the value it ended with, so that none can be quick by being wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stream_guard import Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)

Contestant = Callable[[Sequence[str]], Any]


def guard(deltas: Sequence[str]) -> Any:
    (block,) = [item for item in GUARD.scan(deltas) if isinstance(item, ToolBlock)]
    assert block.executable
    return block.arguments


def jiter_partial(deltas: Sequence[str]) -> Any:
    import jiter

    text, value = b"", None
    for delta in deltas:
        text += delta.encode()
        value = jiter.from_json(text, partial_mode="trailing-strings")
    return value


def partial_json_parser(deltas: Sequence[str]) -> Any:
    from partial_json_parser import loads

    text, value = "", None
    for delta in deltas:
        text += delta
        value = loads(text)
    return value


def json_repair(deltas: Sequence[str]) -> Any:
    from json_repair import loads

    text, value = "", None
    for delta in deltas:
        text += delta
        value = loads(text, stream_stable=True)
    return value


def langchain(deltas: Sequence[str]) -> Any:
    from langchain_core.output_parsers import JsonOutputParser

    *_, value = JsonOutputParser().transform(iter(deltas))
    return value


PEERS: dict[str, Contestant] = {
    "jiter, partial mode per delta": jiter_partial,
    "partial-json-parser per delta": partial_json_parser,
    "json-repair per delta": json_repair,
    "langchain-core JsonOutputParser": langchain,
}
