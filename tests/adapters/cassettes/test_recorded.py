"""Recordings on the command line: `check` and `watch` tell of native calls as of blocks, and of calls that no tool has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stream_guard_conformance.corpus.native import MAKERS, as_chat, chat, messages, responses

from stream_guard.command.cli import main

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
    assert shown.index("old.py") < shown.index("-- native calls --") < shown.index("Created a")


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
        ('```json\n{"name": "package", "version": "1.0"}\n```\n', "0 failed\n"),
    ],
)
def test_a_block_that_names_no_known_tool_is_told(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert main(["check", str(tmp_path / "a.txt")]) == 0
    assert said in capsys.readouterr().out
    (tmp_path / "tools.json").write_text('[{"name": "other", "parameters": {"type": "object"}}]', encoding="utf-8")
    assert main(["check", "--tools", str(tmp_path / "tools.json"), str(tmp_path / "a.txt")]) == 0
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
