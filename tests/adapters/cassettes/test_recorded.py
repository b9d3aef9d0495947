"""Recordings on the command line: `check` and `watch` tell of native calls as of blocks, and of calls that no tool has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.recording import record
from stream_guard_adapters.cassettes.replaying import replay
from stream_guard_adapters.engine.framing import CONTENT_TYPES
from stream_guard_adapters.protocols import PROTOCOLS, WIRED
from stream_guard_adapters.sse import guarded_sse
from stream_guard_conformance.corpus.native import MAKERS, as_chat, chat, messages, responses

from stream_guard import BlockOutput, Guard, ToolResult, Toolset, run
from stream_guard.command.cli import main
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS

MADE = {"openai-chat": chat, "anthropic": messages, "openai-responses": responses, **MAKERS}
CALLS = [
    ("write_file", '{"path": "a", "content": "x"}'),
    ("write_file", '{"path": "b", "content": 7}'),
    ("delete_file", "{}"),
    ("book_table", '{"name": "Ada"}'),
]
BLOCK = '```json\n{"tool": "delete_file", "path": "old.py"}\n```\n'


def recorded(path: Path, events: Sequence[Any]) -> Path:
    """A cassette of these events."""
    lines = [{"cassette": 1}, *({"t": 0, "event": event} for event in events), {"t": 0, "end": "eof"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MADE)
def test_native_calls_are_checked_in_every_protocol(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path / "a.jsonl", MADE[name](CALLS))
    assert main(["check", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == (
        "3 native calls in 1 file: 2 passed (1 fixed), 1 failed; 1 call names no known tool and was not checked "
        "(the file tools are the default: name yours with --tools)"
    )
    assert main(["check", "--json", str(path)]) == 1
    told = capsys.readouterr()
    found = [json.loads(line) for line in told.out.splitlines()]
    assert [(it["call"], it["tool"], it["outcome"]) for it in found] == [
        (1, "write_file", "valid"),
        (2, "write_file", "fixed"),
        (3, "delete_file", "failed"),
    ]
    assert told.err == (
        "stream-guard: 1 call names no known tool and was not checked "
        "(the file tools are the default: name yours with --tools)\n"
    )
    assert main(["watch", "--json", str(path)]) == 1
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [it["outcome"] for it in events if it.get("event") == "json-tool-block"] == ["valid", "fixed", "failed"]
    assert [(it["call"], it["toolType"]) for it in events if it.get("reason") == "unknown_tool"] == [(4, "book_table")]


def test_a_call_of_a_tool_that_was_renamed_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the tools were named: native or in a block, with its place; `--allow-unknown` lets it pass, and data is no call."""
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps(FILE_TOOLS.to_openai()), encoding="utf-8")
    native = recorded(tmp_path / "a.jsonl", chat([("remove_it", '{"path": "a"}'), CALLS[0]]))
    block, data = tmp_path / "b.txt", tmp_path / "c.txt"
    block.write_text('So:\n```json\n{"tool": "remove_it", "name": "a"}\n```\n', encoding="utf-8")
    data.write_text('```json\n{"name": "package", "version": "1.0"}\n```\n', encoding="utf-8")
    for style in ([], ["--json"], ["--report", str(tmp_path / "report")]):
        assert main(["check", "--tools", str(tools), *style, str(native), str(block), str(data)]) == 1
        told = capsys.readouterr().err
        assert f"stream-guard: {native}, call 2: a call names the tool remove_it, which is not among --tools\n" in told
        assert f"stream-guard: {block}:2: a call names the tool remove_it, which is not among --tools" in told
        assert str(data) not in told
    for file in (native, block):
        assert main(["watch", "--tools", str(tools), str(file)]) == 1
        assert main(["watch", "--allow-unknown", "--tools", str(tools), str(file)]) == 0
        assert main(["watch", str(file)]) == 0
    capsys.readouterr()
    named = ["check", "--tools", str(tools)]
    assert main([*named, str(tmp_path / "a.jsonl"), "--report", str(tmp_path / "report of one")]) == 1
    assert main([*named, str(tmp_path / "a.jsonl"), "--report", str(tmp_path / "report of one")]) == 1  # it is remembered
    assert main([*named, "--allow-unknown", str(native), str(block)]) == 0
    assert main([*named, str(data)]) == 0
    assert main(["check", str(native), str(block)]) == 0


@pytest.mark.parametrize("name", MADE)
def test_a_native_call_that_was_cut_off_fails(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The recording ends inside of it, or behind its first piece."""
    if name in ("gemini", "ollama"):
        pytest.skip("its calls come whole")
    events = MADE[name]([("write_file", '{"path": "a", "content": "' + "x" * 99)], None)
    assert main(["check", str(recorded(tmp_path / "a.jsonl", events))]) == 1
    assert capsys.readouterr().out.endswith("1 native call in 1 file: 0 passed, 1 failed\n")


def test_blocks_and_native_calls_are_counted_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path / "a.jsonl", as_chat([BLOCK[:9], BLOCK[9:]], CALLS[:1]))
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.endswith("1 block and 1 native call in 1 file: 2 passed, 0 failed\n")
    report = tmp_path / "report"
    for _ in range(2):  # a report remembers it
        assert main(["check", str(path), "--report", str(report)]) == 0
        assert capsys.readouterr().out.startswith("1 block and 1 native call in 1 file: 2 passed, 0 failed\n")
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert [line.get("lane", line.get("call")) for line in lines if "outcome" in line] == ["0", 1]
    assert main(["watch", "--speed", "0", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.index("old.py") < shown.index("-- native calls --") < shown.index("May run: write_file a")


def test_a_text_with_the_name_of_a_call_is_no_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts of a UI message stream have any name."""
    said = [{"type": "text-start", "id": "call1"}, {"type": "text-delta", "id": "call1", "delta": BLOCK}]
    path = recorded(tmp_path / "a.jsonl", [*said, {"type": "text-end", "id": "call1"}, *MADE["ai-sdk"](CALLS[:1])])
    assert main(["check", "--json", str(path)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [it.get("lane", it.get("call")) for it in found] == ["call1", 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('```json\n{"tool": "book_table"}\n```\n', "1 call names no known tool and was not checked (the file tools"),
        ('```json\n{"name": "book_table", "arguments": {}}\n```\n' * 3, "3 calls name no known tool and were not checked"),
        ('```json\n{"name": "package", "version": "1.0"}\n```\n', "0 failed; no call was found to check\n"),
    ],
)
def test_a_block_that_names_no_known_tool_is_told(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert main(["check", str(tmp_path / "a.txt")]) == 0
    assert said in capsys.readouterr().out
    (tmp_path / "tools.json").write_text('[{"name": "other", "parameters": {"type": "object"}}]', encoding="utf-8")
    assert main(["check", "--tools", str(tmp_path / "tools.json"), str(tmp_path / "a.txt")]) == ("known" in said)
    assert "--tools" not in capsys.readouterr().out  # it was given


def test_a_block_in_a_text_has_its_line_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also behind a block with several calls, and on any line end; the place of a block in a row is the row."""
    several = '```json\n[{"tool": "delete_file", "path": "a"},\n {"tool": "delete_file", "path": "b"}]\n```\n'
    path = tmp_path / "a.txt"
    path.write_bytes(f"One.\r\n\r\n{BLOCK}\n{several}Two.\n{BLOCK}".encode())
    assert main(["check", "--json", str(path)]) == 0
    assert [json.loads(line)["line"] for line in capsys.readouterr().out.splitlines()] == [3, 7, 7, 12]
    assert main(["check", str(path)]) == 0
    assert [line.split()[0].rpartition(":")[2] for line in capsys.readouterr().out.splitlines()[1:-1]] == ["3", "7", "7", "12"]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"text": "Hi"}) + "\n" + json.dumps({"text": f"\n\n{BLOCK}"}) + "\n", encoding="utf-8")
    assert main(["check", str(rows)]) == 0
    assert f"{rows.name}:2 " in capsys.readouterr().out


# -- recordings of streams that were guarded ---------------------------------------------------------------------------

SPOILED = '```json\n{"tool": "write_file", "path": 7}\n```\n'
GUARD = Guard(FILE_TOOLS)


def verdicts(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    """The status of `check`, the outcomes that it lists, and the end of its summary; `watch` agrees about the outcomes."""
    status = main(["check", str(path)])
    summary = capsys.readouterr().out.splitlines()[-1]
    main(["check", "--json", str(path)])
    outcomes = [json.loads(line)["outcome"] for line in capsys.readouterr().out.splitlines()]
    assert main(["watch", "--json", str(path)]) == status
    seen = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [it["outcome"] for it in seen if it.get("event") == "json-tool-block"] == outcomes
    return status, outcomes, summary


async def test_the_blocks_that_a_backend_sent_are_counted_with_their_outcome(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As named events, in all that an endpoint sends; `import` keeps them too."""
    path = tmp_path / "backend.sse"
    sent = [fields async for fields in guarded_sse(FakeStream(["Hi.\n", BLOCK, SPOILED]), GUARD)]
    path.write_text("".join(f"event: {it['event']}\ndata: {it['data']}\n\n" for it in sent), encoding="utf-8")
    said = (1, ["valid", "failed"], "2 blocks in 1 file: 1 passed, 1 failed")
    assert verdicts(path, capsys) == said
    assert main(["import", str(path), "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    assert verdicts(tmp_path / "backend.jsonl", capsys) == said
    assert main(["watch", "--speed", "0", str(path)]) == 1
    shown = capsys.readouterr().out
    assert (
        shown.index("Hi.") < shown.index("-- events of the guard, as recorded --") < shown.index("May run: delete_file old.py")
    )
    only = [it for it in sent if it["event"] == "json-tool-block"]
    path.write_text("".join(f"event: {it['event']}\ndata: {it['data']}\n\n" for it in only), encoding="utf-8")
    assert verdicts(path, capsys) == said
    path.write_text('event: json-tool-block\ndata: {"id": 1}\n\n', encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert "invalid data for a json-tool-block event" in capsys.readouterr().err


def backend(protocol: str, events: Sequence[Any], **settings: Any) -> Any:
    """An app that sends these events, guarded."""
    table = PROTOCOLS[protocol]

    async def answer(_: Request) -> Response:
        sent = replay(Cassette(list(events)), form="bytes")
        return StreamingResponse(sent, media_type=CONTENT_TYPES[table.framing or "text"][0], headers=dict(table.headers))

    return StreamGuardMiddleware(Starlette(routes=[Route("/", answer)]), guard=GUARD, **settings)


@pytest.mark.some(10)
@pytest.mark.parametrize("emit", ["auto", "named"])
@pytest.mark.parametrize("name", [*(name for name in MADE if PROTOCOLS[name] in WIRED), "promoted", "text"])
async def test_the_blocks_in_a_providers_events_are_counted_with_their_outcome(
    name: str, emit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever form carries them; a native call that was judged already is counted once."""
    written = name in ("promoted", "text")
    if written:
        app = backend("openai-chat", as_chat([BLOCK, SPOILED]), promote=name == "promoted", emit=emit)
    else:
        app = backend(name, MADE[name](CALLS[:3]), emit=emit)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://x") as client:
        path = tmp_path / f"a{'.ndjson' if name == 'ollama' else '.sse'}"
        path.write_bytes((await client.get("/")).content)
    status, outcomes, summary = verdicts(path, capsys)
    assert (status, outcomes) == (1, ["valid", "failed"] if written else ["valid", "fixed", "failed"])
    assert summary.startswith("2 blocks in" if written else "3 native calls in")


async def test_a_guarded_stream_and_the_outputs_of_its_calls_can_be_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    tools = Toolset(*(replace(tool, handler=lambda _: "done") for tool in FILE_TOOLS))
    async with run(GUARD.stream(FakeStream(["Hi.\n", BLOCK, SPOILED])), tools) as turn:
        items = [item async for item in record(turn, path)]
    again = list(replay(path))
    assert [it for it in again if not isinstance(it, ToolResult)] == [it for it in items if not isinstance(it, BlockOutput)]
    assert [it for it in again if isinstance(it, ToolResult)] == [it.result() for it in items if isinstance(it, BlockOutput)]
    assert verdicts(path, capsys) == (1, ["valid", "failed"], "2 blocks in 1 file: 1 passed, 1 failed")
