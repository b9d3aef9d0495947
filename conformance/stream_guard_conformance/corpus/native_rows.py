"""Rows of native calls: complete, cut off, broken, mixed, refused; in streams and in whole replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from ..toolsets import Json
from .dialects import TOOLS
from .exact import EVERYWHERE
from .fences import FILE_TOOLS, fenced
from .native import MAKERS, Event, Given, as_chat, as_messages, as_responses, chat, messages, responses
from .protocol_rows import HELLO, body
from .rows import Meant, Row, cut

Maker = Callable[..., list[Event]]

STREAMED: Final[Mapping[str, tuple[Maker, str]]] = {
    "openai-chat": (chat, HELLO),
    "openai-responses": (responses, ""),
    "anthropic": (messages, ""),
    **{name: (make, HELLO) for name, make in MAKERS.items()},
}
"""The functions that make the events of native calls, and the text that each puts before them."""

CUT_OFF: Final = {
    "openai-chat": "length", "openai-responses": "max_output_tokens", "anthropic": "max_tokens", "gemini": "MAX_TOKENS",
    "ollama": "length", "ai-sdk": "length",
}  # fmt: skip
"""The finish reason that says that a reply was cut off at the token limit."""

OBJECTS: Final = ("gemini", "ollama")
"""Protocols that send the arguments of a call as an object, in one event."""

_FILE: Final = Meant("write_file", {"path": "a.txt", "content": "line 1\nline 2"})
_LONG: Final = Meant("write_file", {"path": "src/ü.py", "content": "def f():\n\treturn \"é 😀\" + '\\n'\n" * 4})
_DROP: Final = Meant("delete_file", {"path": "b.txt"})
_EDIT: Final = Meant("edit_file", {"path": "a.txt", "search_replace": {"old_string": 'a "b"', "new_string": ""}})

GOOD: Final[Mapping[str, Sequence[Meant]]] = {
    "a call": (_FILE,),
    "a call with a long text": (_LONG,),
    "a nested call": (_EDIT,),
    "two calls": (_FILE, _DROP),
    "three calls": (_DROP, _EDIT, _FILE),
    "the same tool twice": (_FILE, _LONG),
}


def given(call: Meant) -> Given:
    """Return a call in the form that the makers take."""
    return call.name, json.dumps(call.arguments, ensure_ascii=False)


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for name, (make, text) in STREAMED.items():
        yield from _complete(name, make, text)
        yield from _spoilt(name, make, text)
    yield from _mixed()
    yield from _beside_text(seed)
    yield from _replies()
    for name, (make, text) in STREAMED.items():
        yield from _exact(name, make, text)


def _row(name: str, why: str, events: Sequence[Event], calls: Sequence[Meant], texts: Sequence[str | None], *needs: str) -> Row:
    several = ("several",) if len(calls) > 1 else ()
    return Row(
        f"native/{name}",
        why,
        FILE_TOOLS,
        list(events),
        calls,
        texts=[list(texts)],
        needs=("native", f"protocol:{name}", "streams", *several, *needs),
        form="events",
        protocol=name,
    )


def _complete(name: str, make: Maker, text: str) -> Iterator[Row]:
    for what, calls in GOOD.items():
        for seed in range(5) if name not in OBJECTS else range(2):
            more: dict[str, Any] = {"ids": bool(seed)} if name in OBJECTS else {"seed": seed}
            if name == "ag-ui" and seed == 4:
                more["chunks"] = True
            events = make([given(call) for call in calls], **more)
            yield _row(name, f"Native calls of `{name}` run, each once, with its values: {what}.", events, calls, [text])


def _spoilt(name: str, make: Maker, text: str) -> Iterator[Row]:
    whole = given(_LONG)[1]
    if name not in OBJECTS:
        for share in (0.2, 0.5, 0.8, 0.97):
            half = [given(_DROP), ("write_file", whole[: int(len(whole) * share)])]
            for finish in (None, CUT_OFF.get(name)):
                if finish is None or name in CUT_OFF:
                    first = Meant(_DROP.name, _DROP.arguments, must=False)
                    yield _row(
                        name,
                        f"A native call of `{name}` that was cut off never runs; the one before it may.",
                        make(half, finish),
                        [first],
                        [text],
                        "endings",
                    )
        for why, written in (
            ("with a comma too many", whole[:-1] + ",}"),
            ("with a raw line end in a text", whole.replace("\\n", "\n", 1)),
            ("in single quotes", "{'path': 'a.txt', 'content': 'x'}"),
        ):
            meant = Meant("write_file", {"path": "a.txt", "content": "x"} if "single" in why else _LONG.arguments, must=False)
            yield _row(
                name,
                f"A native call of `{name}` {why} runs as it was meant, or not at all.",
                make([("write_file", written)]),
                [meant],
                [text],
                "schemas",
                "repair",
            )
    for why, call in (
        ("without a required value", ("write_file", '{"path": "a.txt"}')),
        ("with a value of another kind", ("write_file", '{"path": "a.txt", "content": {"x": [1]}}')),
        ("of a tool that nobody declared", ("drop_table", '{"path": "a.txt"}')),
        ("whose name is another's", ("write_files", '{"path": "a.txt", "content": "x"}')),
        ("whose arguments are a list", ("delete_file", '["a.txt"]')),
        ("whose arguments are null", ("delete_file", "null")),
        ("in whose arguments a member stands twice", ("delete_file", '{"path": "a", "path": "b"}')),
        ("in whose arguments half of a surrogate pair stands", ("delete_file", '{"path": "\\ud83d"}')),
    ):
        if name in OBJECTS and "arguments" in why:
            continue  # its clients refuse them
        if name == "ai-sdk" and "twice" in why:
            continue  # the app has read the arguments, and what it read counts
        yield _row(name, f"A native call of `{name}` {why} never runs.", make([call]), (), [text], "schemas")


def _mixed() -> Iterator[Row]:
    makers: Mapping[str, tuple[Maker, str]] = {"openai-chat": (chat, HELLO), "openai-responses": (responses, "")}
    for name, (make, text) in makers.items():
        for seed in range(12):
            calls = GOOD[("two calls", "three calls", "the same tool twice")[seed % 3]]
            events = make([given(call) for call in calls], seed=seed, mixed=True)
            yield _row(
                name, f"Native calls of `{name}` whose pieces are mixed run, each with its values.", events, calls, [text]
            )


def _beside_text(seed: int) -> Iterator[Row]:
    """Yield rows with a call in the text, and a native one after it."""
    rng = Random(f"beside text:{seed}")
    makers: Mapping[str, Maker] = {"openai-chat": as_chat, "openai-responses": as_responses, "anthropic": as_messages}
    finish = {"openai-chat": "tool_calls", "openai-responses": "completed", "anthropic": "tool_use"}
    for name, make in makers.items():
        for how in ("characters", "tokens", "random", "whole"):
            deltas = cut(f"So:\n\n{fenced(body(_DROP))}\nand\n", how, rng)
            hello = HELLO if name == "openai-chat" else ""
            yield _row(
                name,
                f"A call in the text of `{name}` and a native one run, in their order.",
                make(deltas, [given(_FILE)], finish[name]),
                [_DROP, _FILE],
                [f"{hello}So:\n\n", "", "and\n", ""],
                "fence",
            )


def _exact(name: str, make: Maker, text: str) -> Iterator[Row]:
    """Yield rows with equal calls, large integers and rare characters."""
    for what, (calls, needs) in EVERYWHERE.items():
        why = f"Native calls of `{name}` run as they were made: {what}."
        row = _row(name, why, make([given(call) for call in calls]), calls, [text], *needs)
        yield replace(row, tools=TOOLS, needs=tuple(dict.fromkeys(row.needs)))


def _replies() -> Iterator[Row]:
    """Yield whole replies with native calls."""
    for what, calls in GOOD.items():
        yield from _whole(what, calls, FILE_TOOLS)
    for what, (calls, needs) in EVERYWHERE.items():
        yield from _whole(what, calls, TOOLS, *needs)


def _whole(what: str, calls: Sequence[Meant], tools: Sequence[Json], *needs: str) -> Iterator[Row]:
    for name, reply in whole_replies(calls).items():
        why = f"Native calls in a reply of `{name}` that was not streamed run: {what}."
        row = _row(name, why, [reply], calls, [""], *needs)
        needed = dict.fromkeys(need for need in ("reply", *row.needs) if need != "streams")
        yield replace(row, kind="native/whole-replies", tools=tools, needs=tuple(needed), form="reply")


def whole_replies(calls: Sequence[Meant]) -> Mapping[str, Event]:
    """Return the whole reply of each API that has these calls."""
    functions = [
        {"id": f"t{nth}", "type": "function", "function": dict(zip(("name", "arguments"), given(call), strict=True))}
        for nth, call in enumerate(calls)
    ]
    items = [
        {"type": "function_call", "id": f"i{nth}", "call_id": f"t{nth}", "status": "completed", "name": call.name,
         "arguments": given(call)[1]}
        for nth, call in enumerate(calls)
    ]  # fmt: skip
    uses = [{"type": "tool_use", "id": f"t{nth}", "name": call.name, "input": call.arguments} for nth, call in enumerate(calls)]
    parts = [{"functionCall": {"name": call.name, "args": call.arguments}} for call in calls]
    said = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
    message = {"role": "assistant", "content": None, "tool_calls": functions}
    return {
        "openai-chat": {
            "id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls"}
            ],
        },
        "openai-responses": {"id": "r", "object": "response", "status": "completed", "model": "m", "output": items},
        "anthropic": {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "content": uses, "stop_reason": "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2},
        },
        "gemini": {"candidates": [{"index": 0, "content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]},
        "ollama": {
            "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": "stop",
            "message": {"role": "assistant", "content": "", "tool_calls": said},
        },
    }  # fmt: skip
