"""Events that pass unread because a member has another type, and streams with a call that may lose a piece so."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from stream_guard_conformance.corpus.native import Event, Given, ag_ui, ai_sdk, chat, messages, responses

from stream_guard import Guard, Tool
from stream_guard.tools.files import FILE_TOOLS

OTHERS: Final[tuple[Any, ...]] = (5, True, "x", [], [5], ["x"], {}, {"a": 1})
"""What may stand in the place of a member."""


def members(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in an event: what it is in, and its key."""
    for key, item in [*(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ())]:
        yield node, key
        yield from members(item)


def spoiled(event: Event) -> Iterator[Event]:
    """The event with each of its members in turn of another type; those that other events may have too stay."""
    for nth, _ in enumerate(members(event)):
        for other in OTHERS:
            made = copy.deepcopy(event)
            inside, key = list(members(made))[nth]
            if type(inside[key]) is not type(other):
                inside[key] = other
                yield made


CLEAR: Final = Tool("clear", "Remove all files", {"type": "object", "properties": {"folder": {"type": "string"}}})
"""A tool that runs also without arguments."""
GUARD: Final = Guard([*FILE_TOOLS, CLEAR])
CALL: Final = ("delete_file", '{"path": "home/me/tmp"}')
CLEARED: Final = ("clear", '{"folder": "tmp"}')


def unrepeated(calls: Sequence[Given], **how: Any) -> list[Event]:
    """The events of a response in which nothing repeats the arguments."""
    events = []
    for event in responses(calls, **how):
        if event["type"] == "response.output_item.done":
            event = {**event, "item": {key: said for key, said in event["item"].items() if key != "arguments"}}
        if event["type"] == "response.completed":
            event = {**event, "response": {**event["response"], "output": []}}
        if not event["type"].endswith("arguments.done"):
            events.append(event)
    return events


MAKERS: Final[dict[str, tuple[str, Callable[..., list[Event]]]]] = {
    "openai-chat": ("openai-chat", chat),
    "openai-chat, mixed": ("openai-chat", partial(chat, mixed=True)),
    "openai-responses": ("openai-responses", responses),
    "openai-responses, unrepeated": ("openai-responses", unrepeated),
    "openai-responses, mixed": ("openai-responses", partial(unrepeated, mixed=True)),
    "anthropic": ("anthropic", messages),
    "ag-ui": ("ag-ui", ag_ui),
    "ag-ui, chunks": ("ag-ui", partial(ag_ui, chunks=True)),
    "ai-sdk": ("ai-sdk", ai_sdk),
}
