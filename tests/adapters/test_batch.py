"""Replies by the row: Parquet, Arrow batches, and the same function on a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from stream_guard_adapters.batch import check_batch, rows

from stream_guard import Guard, Tool, ToolBlock, Toolset
from stream_guard.command import cli
from stream_guard.tools.files import FILE_TOOLS

BODIES = [
    '{"tool": "write_file", "path": "a", "content": "x"}',
    '{"tool": "write_file", "path": "b", content: "x"}',
    '{"tool": "write_file", "path": "c"}',
    '{"tool": "delete_file", "path": "\\ud800"}',
]
REPLIES = [
    *(f"Look.\n```json\n{body}\n```\n" for body in BODIES),
    f"```json\n{BODIES[0]}\n```\nand\n```json\n{BODIES[2]}\n```\n",
    f"```json\n{BODIES[0]}",
    "Only prose.",
    "",
    None,
]


def table(replies: list[str | None], column: str = "text") -> Any:
    return pa.table({"id": list(range(len(replies))), column: pa.array(replies, pa.string())})


def test_a_row_keeps_its_place_and_gets_its_blocks() -> None:
    given = table(REPLIES)
    out = check_batch(given)
    assert out.schema.names == ["id", "text", "blocks"]
    assert out.select(["id", "text"]).equals(given)
    found = out.column("blocks").to_pylist()
    assert [[block["outcome"] for block in row] for row in found] == [
        ["valid"],
        ["fixed"],
        ["failed"],
        ["failed"],
        ["valid", "failed"],
        ["failed"],
        [],
        [],
        [],
    ]
    assert found[1][0] == {
        "tool": "write_file",
        "path": "b",
        "outcome": "fixed",
        "end_cause": "closed",
        "issues": [],
        "fixes": ["Quoted a key"],
        "arguments": '{"tool": "write_file", "path": "b", "content": "x"}',
    }
    assert (found[2][0]["issues"], found[2][0]["arguments"]) == (["required"], None)
    assert found[3][0]["path"] == "?"  # half a surrogate pair, which Arrow cannot hold
    assert found[5][0]["end_cause"] == "disconnect"


def test_it_comes_to_what_the_guard_comes_to(corpora: Path) -> None:
    rows = (corpora / "llm_errors.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [f"```json\n{json.loads(row)['input']}\n```\n" for row in rows]
    guard = Guard(FILE_TOOLS)
    found = check_batch(table([*replies])).column("blocks").to_pylist()
    for reply, row in zip(replies, found, strict=True):
        blocks = [item for item in guard.scan([reply]) if isinstance(item, ToolBlock)]
        calls = [json.dumps(block.arguments) if block.executable else None for block in blocks]
        assert [block["arguments"] for block in row] == calls


def test_it_takes_record_batches_and_long_strings_and_leaves_arguments_out() -> None:
    given = pa.record_batch({"reply": pa.array(REPLIES, pa.large_string())})
    out = check_batch(given, column="reply", into="guard", arguments=False)
    assert isinstance(out, pa.RecordBatch)
    assert [len(row) for row in out.column("guard").to_pylist()] == [1, 1, 1, 1, 2, 1, 0, 0, 0]
    assert out.column("guard").to_pylist()[0][0]["arguments"] is None
    assert check_batch(table([])).column("blocks").to_pylist() == []
    assert check_batch(table([])).schema.field("blocks") == check_batch(table(REPLIES)).schema.field("blocks")


def test_the_tools_are_given_or_named() -> None:
    tools = Toolset(Tool("greet", "", {"properties": {"who": {"type": "string"}}, "required": ["who"]}))
    reply = '```json\n{"tool": "greet", "who": "me"}\n```\n'
    assert check_batch(table([reply]), tools=tools).column("blocks").to_pylist()[0][0]["outcome"] == "valid"
    named = "stream_guard.tools.files:FILE_TOOLS"
    assert check_batch(table([reply]), tools=named).column("blocks").to_pylist() == [[]]


def test_a_column_that_will_not_do_is_told() -> None:
    with pytest.raises(ValueError, match="no column 'text' among id, reply"):
        check_batch(table(REPLIES, "reply"))
    with pytest.raises(TypeError, match="column 'id' holds int64, not text"):
        check_batch(table(REPLIES), column="id")
    with pytest.raises(ValueError, match="there is a column 'id' already"):
        check_batch(table(REPLIES), into="id")


def test_parquet_is_checked_as_lines_of_json_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = [reply for _ in range(100) for reply in REPLIES]
    parquet.write_table(table(many), tmp_path / "r.parquet", row_group_size=250)
    lines = (json.dumps({"text": reply}) for reply in many)
    (tmp_path / "r.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = []
    for name in ("r.parquet", "r.jsonl"):
        assert cli.main(["check", str(tmp_path / name), "--report", str(tmp_path / f"{name}.out"), "--jobs", "1"]) == 1
        text = (tmp_path / f"{name}.out").read_text(encoding="utf-8").replace(name, "")
        told.append([line for line in text.splitlines() if "outcome" in json.loads(line)])
        assert "700 blocks in 900 replies of 1 file" in capsys.readouterr().out
    assert told[0] == told[1]
    found = check_batch(table(many)).column("blocks").to_pylist()
    assert [json.loads(line)["outcome"] for line in told[0]] == [block["outcome"] for row in found for block in row]


def test_parquet_that_will_not_do_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and then nothing of the kind")
    parquet.write_table(table(REPLIES, "reply"), tmp_path / "other.parquet")
    parquet.write_table(pa.table({"text": [1]}), tmp_path / "numbers.parquet")
    for name, says in [
        ("broken.parquet", "not Parquet that can be read"),
        ("other.parquet", "no column 'text' among id, reply; name it with --column"),
        ("numbers.parquet", "column 'text' holds int64, not text"),
        ("none.parquet", "No such file or directory"),
    ]:
        assert cli.main(["check", str(tmp_path / name)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"stream-guard: {tmp_path / name}: {says}")
    assert cli.main(["check", str(tmp_path / "other.parquet"), "--column", "reply"]) == 1


def test_without_pyarrow_the_error_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError", encoding="utf-8")
    (tmp_path / "x.parquet").write_bytes(b"")
    done = subprocess.run(
        [sys.executable, "-m", "stream_guard", "check", str(tmp_path / "x.parquet")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "needs the package pyarrow: pip install stream-guard-llm[batch]" in done.stderr


@pytest.mark.parametrize(
    ("first", "a_reply_a_row"),
    [
        ({"text": "hello"}, True),
        ({"id": 1, "text": ""}, True),
        ({"text": 7}, True),
        ({"reply": "hello"}, False),
        ({"cassette": 1, "text": ""}, False),
        ("a delta", False),
        ({"type": "response.output_text.done", "text": "hello", "output_index": 0, "content_index": 0}, False),
        ({"choices": [{"index": 0, "delta": {"content": "x"}}], "text": "x"}, False),
    ],
)
def test_lines_of_json_are_rows_when_the_first_is_one(tmp_path: Path, first: Any, a_reply_a_row: bool) -> None:
    """And recorded streams stay recorded streams."""
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(first), encoding="utf-8")
    assert (rows(file, None) is not None) is a_reply_a_row


def test_recorded_streams_are_no_rows(corpora: Path) -> None:
    files = [file for file in (corpora / "recordings").rglob("*") if file.suffix in (".jsonl", ".ndjson")]
    files = [file for file in files if file.name != "INDEX.jsonl"]
    assert files
    assert not [file for file in files if rows(file, None) is not None]


@pytest.mark.skipif(find_spec("ray") is None, reason="`make bench` installs Ray")
def test_the_same_function_runs_on_a_cluster(tmp_path: Path) -> None:
    """Unchanged, with a toolset that is sent along; in a process of its own, since a cluster leaves threads behind."""
    parquet.write_table(table([reply for _ in range(200) for reply in REPLIES]), tmp_path / "r.parquet")
    program = f"""
        from functools import partial
        import pyarrow.parquet, ray
        from stream_guard.tools.files import FILE_TOOLS
        from stream_guard_adapters.batch import check_batch

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        given = ray.data.read_parquet({str(tmp_path / "r.parquet")!r})
        here = check_batch(pyarrow.parquet.read_table({str(tmp_path / "r.parquet")!r})).to_pylist()
        for step in (check_batch, partial(check_batch, tools=FILE_TOOLS)):
            found = given.map_batches(step, batch_format="pyarrow", batch_size=100).take_all()
            assert sorted(found, key=lambda row: row["id"]) == here, found[:3]
        print(len(here), "rows")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout.endswith("1800 rows\n"), done.stderr[-2000:]
