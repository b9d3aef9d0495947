"""What must hold for any bytes at all: six targets, for a fuzzer that looks for new paths, and for hypothesis in every run.

    make fuzz MINUTES=30          # each target for so long; what breaks one is kept in tests/fuzz/<target>/
    python -m tests.kit.fuzzing paths --minutes 1

A target reads bytes as data of its kind: a byte from 128 on stands for a piece that matters there, so that a fuzzer finds
fences and calls without having to guess them letter by letter.

What reached new paths is kept too, as lines of hexadecimal in tests/fuzz/<target>.txt (`--keep`): the next run begins there.

Rule: a target raises for what must not be, and for nothing else. What is kept is replayed by tests/promises/test_fuzzing.py.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import jiter

ROOT: Final = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "adapters"), str(ROOT / "conformance")]
KEPT: Final = ROOT / "tests" / "fuzz"
FOUND: Final = ROOT / ".fuzz"

Target = Callable[[bytes], None]

PIECES: Final = (
    "```json\n", "```", "~~~", "````", "\n", "\r\n", "\r", " ", "    ", "{", "}", "[", "]", '"', "\\", ":", ", ",
    '\\"', "\\n", "null", '{"tool": "write_file", "path": "a", "content": "', '{"tool": "delete_file", "path": "a"}',
    '"}\n```\n', "\n```\n", '"tool": ', '"path": ', '"content": ',
    '"search_replace": {"old_string": "a", "new_string": "b"}', '"name": "write_file", "arguments": {',
    "create_file", "edit_file", "delete_file", "../", "/etc/passwd", "é", "😀", "\u2028", "“", "'", "//", "/*", "# ",
    "- ", "> ", "True", "None", "NaN", "1e400", "<tool_call>", "```json {", "JSON", "\t",
)  # fmt: skip
EVENTS: Final = (
    'data: {"choices":[{"index":0,"delta":{"content":"', '"}}]}\n\n', "data: [DONE]\n\n", "data: ", "event: ",
    "id: 1\n", ": ping\n\n", "\n", "\r", "\r\n", "\n\n", "event: json-tool-block\n", "event: message_start\n",
    '{"type":"content_block_delta","index":0,', '"delta":{"type":"text_delta","text":"', '"}}\n\n', "```json\\n",
    "\\n```\\n", '{\\"tool\\": \\"delete_file\\", \\"path\\": \\"a\\"}', '"finish_reason":"length"',
    '"tool_calls":[{"index":0,"id":"x","function":{"name":"write_file","arguments":"', "retry: 1\n", "\ufeff",
    '{"type":"error","error":{}}', '{"type":"message_stop"}', "\\u00e9", "é",
    "Hi there", "a.\\nB",
)  # fmt: skip


PARTS: Final = (
    "../",
    "..",
    "/",
    "//",
    ".",
    "secret",
    "outside",
    "link",
    "link/",
    "a/",
    "\\",
    "%2e",
    "\x00",
    "é",
    " ",
    "\ud800",
)


def spelt(data: bytes, pieces: Sequence[str]) -> str:
    """The text that these bytes stand for."""
    return "".join(chr(byte) if byte < 128 else pieces[(byte - 128) % len(pieces)] for byte in data)


def cut(whole: Any, size: int) -> list[Any]:
    """In pieces of a size."""
    return [whole[at : at + size] for at in range(0, len(whole), size)]


# -- the targets -------------------------------------------------------------------------------------------------------


def deltas(data: bytes) -> None:
    """Deltas to events: nothing lost, however it is cut; one end for each block; only what closed and passed is executable."""
    from stream_guard import ToolBlock
    from stream_guard.testing import merge_text, original

    text = spelt(data[1:], PIECES)
    whole = merge_text(_guard().scan([text], stream_id="s"))
    assert original(whole) == text
    for size in {1, data[0] % 7 + 2 if data else 2}:
        assert merge_text(_guard().scan(cut(text, size), stream_id="s")) == whole, size
    open_now: set[str] = set()
    for item in whole:
        if isinstance(item, str):
            continue
        open_now.add(item.id)
        if isinstance(item, ToolBlock):
            assert not item.executable or (item.end_cause == "closed" and item.validation_passed)
        if item.part == item.parts if isinstance(item, ToolBlock) else item.status == "released":
            open_now.remove(item.id)
    assert not open_now


def bodies(data: bytes) -> None:
    """Bytes of server-sent events to events: the same at every cut, also where what looks as usual is not read.

    Where nothing could be held they are the very bytes.
    """
    from stream_guard_adapters.engine.body import Body
    from stream_guard_adapters.engine.framing import Events
    from stream_guard_adapters.engine.settings import Settings

    raw = spelt(data[1:], EVENTS).encode()

    def through(chunks: list[bytes], *, asked: bool = False) -> bytes:
        body = Body(_guard(), "events", None, Settings(stream_id="s"))
        said: list[Any] = []
        for chunk in chunks:
            said += [chunk] if asked and body.try_pass(chunk) else body.push(chunk)
        said += body.end()
        return b"".join(item if isinstance(item, bytes) else body.event_bytes(item) for item in said)

    def read(sent: bytes) -> list[Any]:
        frames = Events()
        found = [*frames.push(sent), *filter(None, [frames.last()])]
        return [(frame.event, frame.data) for frame in found if frame.data is not None]

    whole = through([raw])
    if not any(sign in raw for sign in (b"`", b"~", b"tool_calls", b"event: json-tool")):  # nor does it speak in our name
        assert whole == raw
    again = through(cut(raw, data[0] % 11 + 1 if data else 1))
    # A line end that was cut in two behind an event of which something was changed leaves an empty line more.
    assert read(again) == read(whole)
    one_by_one = [event for event in re.split(rb"(?<=\n\n)", raw) if event]
    assert through(one_by_one, asked=True) == through(one_by_one)


def repairs(data: bytes) -> None:
    """A body to a repair: what passes is a valid call, says what was changed, and is left alone when it is checked again."""
    body = spelt(data, PIECES)
    block = _guard().check(body)
    if block.executable:
        inner = block.content.partition("\n")[2].rpartition("\n")[0]
        assert jiter.from_json(inner.encode(), catch_duplicate_keys=True, allow_inf_nan=False) == block.arguments
        assert block.corrected == bool(block.fixes)
        again = _guard().check(block.content)
        assert (again.executable, again.corrected, again.arguments) == (True, False, block.arguments)
    else:
        assert block.issues


def replies(data: bytes) -> None:
    """A reply to a corrected block: whatever a model answers, it gains no path, no tool and no other text."""
    from stream_guard import Guard, ToolBlock
    from stream_guard.tools.files import FILE_TOOLS

    reply = spelt(
        data, (*PIECES, '"meant"', '["meant"]', '{"tool": "write_file", "path": "a.txt", "content": "meant"}', "a.txt")
    )

    async def correct(_: object) -> str:
        return reply

    async def told() -> ToolBlock:
        guard = Guard(FILE_TOOLS, fixes="off", corrector=correct)
        text = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["meant"]}\n```\n'

        async def source() -> Any:
            yield text

        found = [item async for item in guard.stream(source()) if isinstance(item, ToolBlock)]
        assert len(found) == 1
        return found[0]

    block = asyncio.run(told())
    if block.executable:
        assert block.arguments is not None
        assert (block.tool, block.path, set(block.arguments)) == ("write_file", "a.txt", {"tool", "path", "content"})
        assert "meant" in block.arguments["content"], block.arguments


def events(data: bytes) -> None:
    """Events of eight protocols, spoilt: no exception leaves, what comes later arrives, nothing upstream speaks in our name."""
    from stream_guard_adapters.engine.body import Body
    from stream_guard_adapters.engine.lanes import Lanes
    from stream_guard_adapters.engine.settings import Settings
    from stream_guard_adapters.protocols import PROTOCOLS
    from stream_guard_conformance.events import PROTOCOLS as STREAMED
    from stream_guard_conformance.events import Drawn, drawn

    from stream_guard import ToolBlock, ToolStatus

    chosen = Drawn(data)
    table = PROTOCOLS[chosen.one(STREAMED)]
    native, promote, names = chosen.one(("mend", "withhold", "observe", "off")), bool(chosen.below(2)), bool(chosen.below(2))
    stream = drawn(chosen, table.name, ending=True)

    # As bytes.
    why: list[str] = []
    settings = Settings(native=native, promote=promote, on_uninspected=why.append)
    body = Body(_guard(), table.framing or "text", table if names or table.framing == "text" else None, settings)
    out = b""
    for item in (said for part in (*map(body.push, stream.chunks), body.end()) for said in part):
        if isinstance(item, ToolStatus | ToolBlock):
            out += body.event_bytes(item)
        elif isinstance(item, bytes):
            out += item
            if table.framing != "text":
                _not_ours(item, table.framing == "events")
    assert stream.later.encode() in out, why
    assert body._lanes is None or body._lanes._capacity.held == 0

    # As objects.
    for form in (stream.events, [_object(table.name, event) for event in stream.events]):
        lanes = Lanes(_guard(), table, settings)
        said: list[Any] = []
        for event in (*form, *stream.last):
            said += [event] if lanes.try_pass(event) else lanes.feed(event)
        said += lanes.end()
        heard = ""
        for item in said:
            if isinstance(item, ToolBlock):
                heard += item.raw
            elif not isinstance(item, ToolStatus) and table.reads(item):
                heard += "".join(text for _, text in table.texts(item))
        assert stream.later in heard
        assert lanes._capacity.held == 0
    assert "guard error" not in why


def _not_ours(sent: bytes, as_events: bool) -> None:
    """What came from upstream bears no name of ours."""
    from stream_guard_adapters.engine.framing import Events, renamed
    from stream_guard_adapters.protocols import disowned

    frames = list(Events().push(sent if sent.endswith(b"\n\n") else sent + b"\n\n")) if as_events else []
    assert all(frame.event not in ("json-tool-status", "json-tool-block") for frame in frames), sent
    for line in [frame.data or "" for frame in frames] if as_events else sent.decode().splitlines():
        try:
            read = json.loads(line)
        except (ValueError, RecursionError):
            assert renamed(sent)[0] == sent
        else:
            assert disowned(read) is read, sent


def _object(protocol: str, event: Any) -> Any:
    """An event as the provider's client makes it, which checks nothing."""
    from anthropic._models import construct_type as anthropic
    from anthropic.types import RawMessageStreamEvent
    from openai._models import construct_type as openai
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import ResponseStreamEvent

    kinds: dict[str, tuple[Any, Any]] = {
        "openai-chat": (openai, ChatCompletionChunk),
        "openai-responses": (openai, ResponseStreamEvent),
        "anthropic": (anthropic, RawMessageStreamEvent),
    }
    if protocol not in kinds or not isinstance(event, dict):
        return event
    made, kind = kinds[protocol]
    try:
        return made(type_=kind, value=event)
    except Exception:  # the client raises before we hear of it
        return event


def paths(data: bytes) -> None:
    """A path to a workspace: whatever it spells, nothing outside changes, and what is refused is refused in words."""
    from demo_server.workspace import Refused

    workspace, outside = _workspace()
    path = spelt(
        data,
        ("../", "..", "/", "//", ".", "secret", "outside", "link", "link/", "dir/", "\\", "%2e", "\x00", "é", " ", "\ud800"),
    )
    acts: list[Callable[[], object]] = [
        lambda: workspace.write(path, "x"),
        lambda: workspace.edit(path, "x", "y"),
        lambda: workspace.read(path),
        lambda: workspace.delete(path),
    ]
    for act in acts:
        try:
            act()
        except Refused as refused:
            assert str(refused)
    assert sorted(one.name for one in outside.iterdir()) == ["secret"]
    assert (outside / "secret").read_text() == "x"
    assert sorted(one.name for one in outside.parent.iterdir()) == ["inside", "outside"]


_MADE: Final[list[tuple[Any, Path]]] = []


def _workspace() -> tuple[Any, Path]:
    """One for all runs, in which a link leads out."""
    from demo_server.workspace import Workspace

    if not _MADE:
        memory = Path("/dev/shm")
        top = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        (top / "outside").mkdir()
        (top / "outside" / "secret").write_text("x")
        workspace = Workspace(top / "inside")
        (top / "inside" / "link").symlink_to(top / "outside")
        _MADE.append((workspace, top / "outside"))
    return _MADE[0]


@cache
def _guard() -> Any:
    """One for all runs; made late, so that a fuzzer can have what it imports instrumented."""
    from stream_guard import Guard
    from stream_guard.tools.files import FILE_TOOLS

    return Guard(FILE_TOOLS)


TARGETS: Final[dict[str, Target]] = {one.__name__: one for one in (deltas, bodies, events, repairs, replies, paths)}


def corpus(name: str) -> list[bytes]:
    """What reached new paths, once."""
    kept = KEPT / f"{name}.txt"
    return [bytes.fromhex(line) for line in kept.read_text().split()] if kept.exists() else []


def keep(name: str) -> int:
    """Keep what has reached new paths since; says how much there is."""
    found = {path.read_bytes() for path in (FOUND / name).glob("*")} - {b""}
    lines = sorted({data.hex() for data in (*corpus(name), *found)}, key=lambda line: (len(line), line))
    (KEPT / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return len(lines)


def fuzz(name: str, minutes: float) -> None:
    """Look for bytes that break a target; ends the process with its verdict."""
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a group of its own

    found, kept = FOUND / name, KEPT / name
    for folder in (found, kept):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(corpus(name)):
        (found / f"kept-{number}").write_bytes(data)
    with atheris.instrument_imports(include=["stream_guard", "stream_guard_adapters", "demo_server"]):
        TARGETS[name](b"")
    limits = [
        f"-max_total_time={int(minutes * 60)}",
        "-max_len=400",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ]
    atheris.Setup(["fuzzing", *limits, f"-artifact_prefix={kept}/", str(found), str(kept)], TARGETS[name])
    atheris.Fuzz()


def main() -> int:
    """Fuzz one target, or all, each in a process of its own."""
    parser = argparse.ArgumentParser(description="Look for bytes that break what must hold.")
    parser.add_argument("target", nargs="?", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--keep", action="store_true", help="keep what has reached new paths, and fuzz nothing")
    options = parser.parse_args()
    if options.keep:
        print({name: keep(name) for name in TARGETS})
        return 0
    if options.target:
        fuzz(options.target, options.minutes)
        return 0
    broken = []
    for name in TARGETS:
        print(f"-- {name}: {TARGETS[name].__doc__}", flush=True)
        command = [sys.executable, "-m", "tests.kit.fuzzing", name, "--minutes", str(options.minutes)]
        if subprocess.run(command, check=False, cwd=ROOT).returncode:
            broken.append(name)
    print(json.dumps({"broken": broken}))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
