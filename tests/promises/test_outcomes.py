"""What becomes of some two thousand texts, to the letter but for sentences: blocks as fuzzers, models and faults leave them.

What is kept (`tests/goldens/`) was read when it was written. Whoever means to change it runs

    python -m tests.promises.test_outcomes

and reads the difference. No rule is stated here; the rules have tests of their own. This is what notices that something became
different that nobody had a rule for.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.corruptions import CORRUPTIONS
from stream_guard import Guard, Limits, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.fixes.catalogue import CATALOGUE
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.wire import to_dict
from tests.kit.fuzzing import PIECES, corpus, spelt

GOLDENS = Path(__file__).parents[1] / "goldens"
EVERY = int(os.environ.get("EVERY", "1"))
"""Which of them are looked at: all, or fewer where it is done a thousand times."""

CODE = (
    "print('hi')\n",
    'const a = "b";\n\tlet c = \'d\' + `e ${f}`; // { "path": "x" }\n',
    'if s == "\\n" or s == "\\\\":\n    return {"a": [1, 2.5e3, true, null], "é": "😀"}\n',
    '<p class="a">"Quoted," she said; it\'s 5 > 3 && \\d+</p>\r\n```json\n{"tool": "no"}\n```\n',
)
CALLS: tuple[dict[str, Any], ...] = (
    *({"tool": "write_file", "path": f"src/a{number}.ts", "content": code} for number, code in enumerate(CODE)),
    {"tool": "edit_file", "path": "b.py", "search_replace": {"old_string": CODE[2], "new_string": CODE[1]}},
    {"tool": "delete_file", "path": "c/d.txt"},
)


def _paid(kind: str, member: str, holds: str) -> dict[str, Any]:
    """One way to pay."""
    return {"type": "object", "properties": {"kind": {"const": kind}, member: {"type": holds}}, "required": ["kind"]}


BOOKING = Tool(
    "book",
    "Book a room",
    {
        "type": "object",
        "properties": {
            "room": {"type": "string", "enum": ["blue", "green"]},
            "count": {"type": "integer", "minimum": 1},
            "price": {"type": "number"},
            "paid": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "by": {"oneOf": [_paid("card", "digits", "string"), _paid("cash", "coins", "integer")]},
            "note": {"type": ["string", "null"]},
        },
        "required": ["room", "count"],
        "additionalProperties": False,
    },
    aliases=("reserve",),
    field_aliases={"rooms": "room"},
)  # fmt: skip
BOOKINGS = (
    '{"tool": "book", "room": "blue", "count": "2", "price": "3.50", "paid": "yes", "tags": "a"}',
    '{"tool": "book", "room": "Blue", "count": 2.0, "paid": "true", "tags": ["a", 1], "note": ""}',
    '{"tool": "reserve", "rooms": "green", "count": "two", "by": {"kind": "card", "digits": 12}}',
    '{"name": "book", "arguments": {"room": "blue", "count": 1, "by": {"kind": "cash", "coins": "3"}}}',
    '{"name": "book", "parameters": "{\\"room\\": \\"blue\\", \\"count\\": 1}"}',
    '{"tool": "book", "args": {"room": "blue", "count": 1, "extra": null}}',
    '[{"tool": "book", "room": "blue", "count": 1}, {"tool": "book", "room": "green", "count": 2,}]',
    '{"book": {"room": "blue", "count": 1}}',
    '{"tool": "Book", "Room": "blue", "COUNT": 1, "paid": 1}',
    '{"tool": "book", "arguments": {"room": "blue"}, "count": 1}',
    '{"tool": "book", "room": "blue", "count": 1, "price": "1,5", "paid": "maybe", "tags": null}',
    '{"tool": "book", "room": "blue", "count": 0, "note": 5}',
    '{"type": "function", "function": {"name": "book", "arguments": "{\\"room\\": \\"blue\\", count: 1}"}}',
    '{"type": "tool_use", "id": "x", "name": "book", "input": {"room": "blue", "count": 1}}',
    "{'tool': 'book', 'room': 'blue', 'count': 1, 'paid': True, 'note': None}",
    '{"tool": "book", "room": "blue", "count": 01, "price": .5, "paid": false}',
    '{"tool": "book", "room": "blue", "count": +1, "price": 5., "tags": ["a",, "b"]}',
    '{"tool": "book" "room": "blue" "count": 1}',
    '{"tool": "book", "room": "blue", "count": 1, "count": 2}',
    '{"tool": "book", "room": blue, "count": 1}',
)


def bodies() -> Iterator[str]:
    """Blocks: whole ones, and such as fuzzers, models and faults leave."""
    yield from (fix.before for fix in CATALOGUE.values())
    yield from (fix.after for fix in CATALOGUE.values())
    for call in CALLS:
        yield json.dumps(call, ensure_ascii=False, indent=2)
        for seed, (name, corrupt) in enumerate(CORRUPTIONS.items()):
            for turn in range(2):
                broken = corrupt(call, Random(f"{name} {seed} {turn}"))
                if broken is not None:
                    yield broken
    yield from BOOKINGS
    yield from (spelt(data, PIECES) for data in corpus("repairs"))


def texts() -> Iterator[str]:
    """Streams: with fences, and such as look like it."""
    yield from (spelt(data[1:], PIECES) for data in corpus("deltas"))
    for call in CALLS:
        body = json.dumps(call, ensure_ascii=False)
        yield f"Before.\n\n```json\n{body}\n```\nAfter.\n"
        yield f"- one\n  ```json\n  {body}\n  ```\n- two\n\n> ~~~JSON x\n> {body}\n> ~~~\n"
        yield f"```\n{body}\n```\r\n````json\r\n{body}\r\n````\r\n```json {body}```\n{body}"


GUARDS = {
    "likely": Guard(FILE_TOOLS),
    "lossless": Guard(FILE_TOOLS, fixes="lossless"),
    "spec": Guard(FILE_TOOLS, fixes="spec"),
    "shadow": Guard(FILE_TOOLS, mode="shadow"),
    "other tools": Guard(Toolset(*FILE_TOOLS, BOOKING)),
}
"""How blocks are mended."""

SETTINGS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "told of": {"progress": 7, "preview": True, "announce": "tool"},
    "any fence": {"languages": ("json", ""), "untagged": "validate"},
    "small": {"limits": Limits(max_block=60, lookahead=20, max_depth=2, max_values=6, max_issues=2, max_repair=40)},
}
"""How streams are scanned."""


def brief(value: Any) -> Any:
    """With what is long made short, and still itself."""
    if isinstance(value, str) and len(value) > 60:
        return f"{value[:24]}…{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    if isinstance(value, dict):
        return {key: brief(part) for key, part in value.items()}
    return [brief(part) for part in value] if isinstance(value, list) else value


def wordless(item: ToolStatus | ToolBlock) -> dict[str, Any]:
    """An event with the wire's keys, without sentences: an issue is known by its code, a fix by its rule."""
    whole = to_dict(item)
    for part in (*whole.get("issues", ()), *whole.get("fixes", ())):
        part.pop("message", None)
        part.pop("description", None)
    return whole


def mended(body: str) -> list[Any]:
    """What becomes of a block under each guard; of those that come to the same, the first says it."""
    found: list[Any] = []
    for name, guard in GUARDS.items():
        told = []
        for item in guard.scan([f"```json\n{body}\n```\n"], stream_id="s"):
            if isinstance(item, ToolBlock):
                whole = wordless(item)
                told.append({key: whole[key] for key in whole if key not in ("id", "seq", "raw", "hint", "found")})
        told = brief(told)
        if not any(told == one for _, one in found):
            found.append([name, told])
    likely = GUARDS["other tools"].judge.understood(body)
    return [found, None if likely is None else brief([likely.tool, likely.value, [issue.code for issue in likely.issues]])]


def scanned(text: str, settings: dict[str, Any]) -> list[Any]:
    """Everything that a text comes to, by character."""
    guard = Guard(FILE_TOOLS, fixes="off", **settings)
    told: list[Any] = []
    for item in guard.scan(text, stream_id="s"):
        if not isinstance(item, str):
            whole = wordless(item)
            told.append([type(item).__name__, *(brief(whole[key]) for key in whole if key not in ("hint", "found", "raw"))])
            if isinstance(item, ToolBlock):
                told[-1].append(brief(item.raw))
        elif told and isinstance(told[-1], str):
            told[-1] += item
        else:
            told.append(item)
    return [brief(item) for item in told]


def sealed(outcomes: list[Any]) -> str:
    """As it is kept: a line for each, what is long by its beginning and its mark."""
    return "".join(f"{_mark(outcome)}\n" for outcome in outcomes)


def _mark(outcome: Any) -> str:
    line = json.dumps(outcome, sort_keys=True)
    return line if len(line) < 400 else f"{line[:200]} … {hashlib.sha256(line.encode()).hexdigest()[:16]}"


def fixes() -> list[Any]:
    return [mended(body) for body in list(bodies())[::EVERY]]


def scans(name: str) -> list[Any]:
    return [scanned(text, SETTINGS[name]) for text in list(texts())[::EVERY]]


def same(name: str, outcomes: list[Any]) -> None:
    kept = (GOLDENS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[::EVERY]
    made = sealed(outcomes).splitlines()
    different = [(number, was, now) for number, (was, now) in enumerate(zip(kept, made, strict=False)) if was != now]
    again = "if this is meant, run `python -m tests.promises.test_outcomes`, and read the difference"
    assert not different, f"{len(different)} of {len(made)}, the first: {different[0]}; {again}"
    assert len(kept) == len(made), again


def test_blocks_are_mended_as_they_were() -> None:
    same("fixes", fixes())


@pytest.mark.parametrize("name", SETTINGS)
def test_streams_are_scanned_as_they_were(name: str) -> None:
    same(f"scans-{name.replace(' ', '-')}", scans(name))


if __name__ == "__main__":
    (GOLDENS / "fixes.jsonl").write_text(sealed(fixes()), encoding="utf-8", newline="\n")
    for name in SETTINGS:
        (GOLDENS / f"scans-{name.replace(' ', '-')}.jsonl").write_text(sealed(scans(name)), encoding="utf-8", newline="\n")
