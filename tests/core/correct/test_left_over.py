"""What a corrector answers to a block that was cut off, or that shows where something was, never runs.

The hostile corrector answers with all that the block still says, which is in it letter by letter.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from stream_guard import CorrectionPolicy, CorrectionRequest, End, Guard, Risk, Tool, ToolBlock, Toolset
from tests.kit.breadth import some
from tests.kit.proof import Cases

S: Final[Any] = {"type": "string"}
N: Final[Any] = {"type": "number"}


def _closed(required: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}


_STEP: Final = _closed("", device=S, level=N)
TOOLS: Final = Toolset(
    Tool("send", "", _closed("", to={"type": "array", "items": S}, amount=N, note=S, mode={**S, "enum": ["low", "lower"]})),
    Tool("plan", "", _closed("", steps={"type": "array", "items": _STEP}, title=S)),
    Tool("drop", "", _closed("table", table=S, cascade={"type": "boolean"}, amount=N), risk=Risk.DESTRUCTIVE),
    Tool("wipe", "", _closed("table", table=S), risk=Risk.DESTRUCTIVE),
)
CALLS: Final[list[dict[str, Any]]] = [
    {"tool": "send", "to": ["ann", "bob"], "amount": 19.99, "note": "a, b"},
    {"tool": "send", "note": "x", "to": ["ann", "bob"]},
    {"tool": "plan", "title": "t", "steps": [{"device": "a", "level": 12}, {"device": "b"}]},
    {"tool": "drop", "table": "users", "cascade": False, "amount": 250},
    {"tool": "drop", "amount": 25, "table": "users"},
]


def _ran(body: str, answer: dict[str, Any]) -> bool:
    """Return whether a block ran with this answer of a corrector."""

    async def correct(_: CorrectionRequest) -> str:
        return json.dumps(answer)

    async def go() -> bool:
        async def source() -> Any:
            yield f"```json\n{body}\n```\n"
            yield End("stop")

        guard = Guard(TOOLS, corrector=correct, correction=CorrectionPolicy(breaker_failures=1_000_000))
        return any([isinstance(item, ToolBlock) and item.executable async for item in guard.stream(source())])

    return asyncio.run(go())


def _completed(part: str) -> dict[str, Any] | None:
    """Return the call that the beginning of a body says, with what is open closed; None if it says none."""
    closers, quoted, at = "", False, 0
    while at < len(part):
        char = part[at]
        if quoted and char == "\\":
            at += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "{[":
            closers = ("}" if char == "{" else "]") + closers
        elif not quoted and char in "}]":
            closers = closers[1:]
        at += 1
    try:
        call = json.loads((part + '"' * quoted).rstrip().rstrip(",") + closers)
    except ValueError:
        return None
    return call if isinstance(call, dict) and "tool" in call else None


def _cut() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls that were cut off anywhere, with nothing or with the closer of a program behind them, and what they say so far."""
    for call, indent in product(CALLS, (None, 2)):
        whole = json.dumps(call, indent=indent)
        for place in range(12, len(whole)):
            answer = _completed(whole[:place])
            if answer is not None and answer != call:
                for end in ("", "\n", "}"):
                    if (whole[:place] + end).count("}") <= whole.count("}") - (end == "}"):
                        yield whole[:place] + end, answer


def _left_over() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls with marks where an item or a member was, and with words that lack their quotes, of destructive tools."""
    sent, wiped, dropped = '{{"tool": "send", {}}}', {"tool": "wipe", "table": "x"}, {"tool": "drop", "table": "x"}
    for items in (', "a", "b"', '"a", : , "b"', '"a", "b", :', '"a", "b", ,', ': "a", "b"', '"a",, "b"', '"a", "b",\n\n'):
        yield sent.format(f'"to": [{items}]'), {"tool": "send", "to": ["a", "b"]}
    for number, end in product((5, 250, 2.5), (",", ",,", " ,")):
        yield sent.format(f'"amount": {number}{end}, "note": "x"'), {"tool": "send", "amount": number, "note": "x"}
    yield sent.format('"note": "x",\n\n'), {"tool": "send", "note": "x"}
    for call, end in product((wiped, dropped), (",, ", ", : ", " : ", ",\n\n", ", ,", ":")):
        yield f'{{"tool": "{call["tool"]}", "table": "x"{end}}}', call
    for call, gap in product((wiped, dropped), (",, ", ", , ", ", : ", " :, ")):
        yield f'{{"tool": "{call["tool"]}"{gap}"table": "x"}}', call
    for call, colon in product((wiped, dropped), (": :", ":: :", ": ,")):
        yield f'{{"tool": "{call["tool"]}", "table"{colon} "x"}}', call
    for call, end in product((wiped, dropped), ("", "}", ",}", "\n}")):
        yield f'{{"tool": "{call["tool"]}", "table": x{end}', call
    for end in ("", ",}", ", }", ",\n}", "\n"):
        yield f'{{"tool": "drop", "table": "x"{end}', dropped
        yield f'{{"tool": "drop", "table": "x", "amount": 25{end}', {**dropped, "amount": 25}


def _of_one_fault() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and values that tell of a fault which may be in other values too."""
    yield '{"tool": "Drop", "table": "Users"}', {"tool": "drop", "table": "Users"}
    yield '{"tool": "DROP", "table": "USERS"}', {"tool": "drop", "table": "USERS"}
    yield '{"tool": "send", "note": 5, "amount": "77"}', {"tool": "send", "note": "5", "amount": 77}
    yield '{"tool": "send", "note": ["a"], "to": "b"}', {"tool": "send", "note": "a", "to": ["b"]}


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("made", [_cut, _left_over, _of_one_fault])
def test_no_answer_runs_what_was_cut_off_or_shows_where_something_was(made: Any, cases: Cases) -> None:
    """But what the fixes run by themselves: a block whose last brace alone is missing."""
    alone = Guard(TOOLS)
    tried = some(list(dict.fromkeys((body, json.dumps(answer)) for body, answer in made())), 150)
    for body, answer in tried:
        if not any(getattr(item, "executable", False) for item in alone.scan([f"```json\n{body}\n```\n"])):
            assert not _ran(body, json.loads(answer)), (body, answer)
    cases(len(tried))


HONEST: Final[list[tuple[str, dict[str, Any]]]] = [
    ('{"tool": "send", "to": ["ann", "bob"], "amount": 19.99, : "note": "x"}', {**CALLS[0], "note": "x"}),
    ('{"tool": "send", "to": ["ann", "bob"], "amount": "19.99", "note": "say "hi" now"}', {**CALLS[0], "note": 'say "hi" now'}),
    ('{"tool": "send" "note": "x", , "to": ["ann", "bob"]}', CALLS[1]),
    ('{"tool": "plan", "steps": [{"device": "a"}, {"device": "b"} :], "title": "t"}', {
        "tool": "plan", "steps": [{"device": "a"}, {"device": "b"}], "title": "t",
    }),
    ('{"tool": "drop", "table": "users" "amount": "250" "cascade": false}', CALLS[3]),
    ('{"tool": "drop" "amount": "25" "table": "users"}', CALLS[4]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "answer"), HONEST)
def test_what_lacks_a_comma_or_another_type_is_corrected(body: str, answer: dict[str, Any]) -> None:
    assert _ran(body, answer), body
