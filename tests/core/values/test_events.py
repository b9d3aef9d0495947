"""The fields of events: each is set somewhere, by a real stream, and comes back as it left."""

from __future__ import annotations

import ast
from dataclasses import MISSING, Field, fields
from typing import Any

import pytest

from docs.rooms import ADAPTERS, CORE
from stream_guard import BlockOutput, End, Guard, Risk, Tool, ToolBlock, ToolResult, Toolset, ToolStatus, run, wire
from stream_guard.testing import FakeCorrector, FakeStream
from stream_guard.tools.files import FILE_TOOLS

CALL = '{"tool": "delete_file", "path": "a.txt"}'
FIXABLE = '{"tool": "delete_file", "path": "a.txt",}'
BAD = '{"tool": "write_file", "path": "/a.txt", "content": 3}'


def fence(body: str) -> str:
    return f"```json\n{body}\n```\n"


def risky() -> Toolset:
    shape = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    return Toolset(Tool("delete_file", "", shape, risk=Risk.DESTRUCTIVE))


async def approved(_: ToolBlock, __: Tool) -> bool:
    return True


STREAMS: list[tuple[Guard, tuple[str | End, ...]]] = [
    (
        Guard(FILE_TOOLS, progress=4, preview=True),
        (fence(CALL), fence(FIXABLE), fence(f"[{CALL}, {CALL.replace('a.txt', 'b.txt')}]")),
    ),
    (Guard(FILE_TOOLS, early="announce"), tuple(fence(BAD))),
    (Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(CALL)), (fence(FIXABLE),)),
    (Guard(FILE_TOOLS), (fence('{"name": "stream_guard", "version": "1.0"}'),)),
    (Guard(FILE_TOOLS), ("```json\n" + CALL[:-9], End("length"))),
    (Guard(FILE_TOOLS, dialects=["hermes"]), (f"<tool_call>\n{CALL}\n</tool_call>",)),
    (Guard(risky(), approve=approved), (fence(CALL),)),
]
"""Settings and texts in whose events every field has a value that is not its default."""


RUN = Toolset(Tool.of(lambda path: {"gone": path}, name="delete_file"))


async def events(kind: type[Any]) -> list[Any]:
    found: list[Any] = []
    for guard, deltas in STREAMS:
        found += [item async for item in guard.stream(FakeStream(deltas)) if isinstance(item, kind)]
    if kind is ToolResult:
        turn = run(Guard(RUN).stream(FakeStream((fence(CALL), fence(BAD)))), RUN)
        found += [item.result() async for item in turn if isinstance(item, BlockOutput)]
    return found


def default(field: Field[Any]) -> Any:
    return None if field.default is MISSING else field.default


@pytest.mark.parametrize(
    ("kind", "made_in"),
    [
        (ToolStatus, "stream/session.py, correct/correcting.py or judge/approving.py"),
        (ToolBlock, "judge/announcer.py"),
        (ToolResult, "running/calling.py"),
    ],
)
async def test_every_field_of_an_event_is_set_in_some_stream(kind: type[Any], made_in: str) -> None:
    """A field that nothing sets is documented, typed and sent like any other, and always says the same."""
    found = await events(kind)
    unset = [field.name for field in fields(kind) if all(getattr(event, field.name) == default(field) for event in found)]
    assert not unset, (
        f"in no event here has {unset} another value than the default: set it in {made_in}, or add a stream to STREAMS"
    )


@pytest.mark.parametrize("kind", [ToolStatus, ToolBlock, ToolResult])
async def test_every_field_comes_back_as_it_left(kind: type[Any]) -> None:
    """Since each is set in some stream, and also what only a stream that waits can set. `from_dict` makes records again."""
    for event in await events(kind):
        told = wire.to_sse(event)
        assert wire.from_json(told["event"], told["data"]) == event


@pytest.mark.parametrize("number", range(len(STREAMS)))
async def test_every_event_leaves_through_the_announcer(number: int) -> None:
    """It gives each its place in the stream, and tells the hooks of it."""
    guard, deltas = STREAMS[number]
    heard: list[Any] = []
    settings = {field.name: getattr(guard.settings, field.name) for field in fields(guard.settings)}
    told = Guard(**{**settings, "on_status": heard.append, "on_block": heard.append})
    told.corrections = guard.corrections
    left = [item async for item in told.stream(FakeStream(deltas)) if not isinstance(item, str)]
    assert [event.seq for event in left] == list(range(1, len(left) + 1))
    assert all(one is other for one, other in zip(heard, left, strict=True))


def test_only_the_announcer_makes_events() -> None:
    """Whoever makes one elsewhere makes it without a place in its stream, unheard of by hooks, and past every approval."""
    made = set()
    for package in (CORE, ADAPTERS):
        for path in package.folder.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "ToolBlock" in text or "ToolStatus" in text else ():
                if not isinstance(node, ast.Call):
                    continue
                maker = ast.unparse(node.args[0]) if ast.unparse(node.func) == "quick" else ast.unparse(node.func)
                if maker in ("ToolBlock", "ToolStatus"):  # or `quick(ToolBlock)`
                    made.add(path.relative_to(package.folder).as_posix())
    # By `from_dict`; and the status of a call of an unknown tool in a recording, of which no stream is guarded.
    assert made == {"judge/announcer.py", "values/events.py", "cassettes/recorded.py"}
