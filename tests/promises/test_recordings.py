"""The real streams of real providers: every text put together again, guarded, and the promises kept at the recorded cuts and
at others.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.cassettes.recorded import Lanes, read

from stream_guard import End, Guard, ToolBlock, ToolStatus
from stream_guard.testing import original
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.kept import check, opened_in_time
from tests.kit.proof import Cases


def rows(corpora: Path) -> list[dict[str, Any]]:
    lines = (corpora / "recordings" / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def streams(corpora: Path) -> dict[str, Lanes]:
    """The lanes of every recording that can be read."""
    found: dict[str, Lanes] = {}
    for row in rows(corpora):
        try:
            stream = read(corpora / "recordings" / row["file"])
        except ValueError:
            assert row["sdk_ok"] is False, row["file"]  # one was made invalid on purpose, and the real client fails on it too
            continue
        assert stream is not None
        found[row["file"]] = stream.lanes
    return found


def texts(lanes: Lanes) -> list[list[str]]:
    return [[delta for delta in deltas if isinstance(delta, str)] for deltas in lanes.values()]


def test_every_text_is_put_together_again(corpora: Path, streams: dict[str, Lanes]) -> None:
    """As many characters as the index says, which joins the lanes of a stream with line ends."""
    assert len(streams) >= 739
    for row in rows(corpora):
        if row["file"] in streams:
            lanes = [text for text in map("".join, texts(streams[row["file"]])) if text]
            assert sum(map(len, lanes)) in (
                row["text_chars"],
                row["text_chars"] - len(lanes) + 1,
                row["text_chars"] - row["n_choices"] + 1,
            ), row["file"]


@pytest.mark.promise("P1", "P2", "P4")
def test_every_recording_is_guarded_alike_at_the_recorded_cuts_and_at_others(cases: Cases, streams: dict[str, Lanes]) -> None:
    """Promises P1, P2 and P4 on 740 streams, and P3: a status leaves in the delta in which its opener completes."""
    blocks: Counter[str] = Counter()
    for seed, lanes in enumerate(streams.values()):
        for deltas in lanes.values():
            cases(6)  # as recorded, whole, by character, three random cuttings
            for item in check(deltas, seed):
                if isinstance(item, ToolBlock):
                    blocks[item.end_cause] += 1
    assert blocks["closed"] >= 35
    assert blocks["length"] >= 1
    assert blocks["stop"] >= 1  # a whole object, no closing fence, and the finish reason `stop`
    assert set(blocks) <= {"closed", "stop", "length", "disconnect"}


def test_no_recording_holds_a_tool_call_so_all_of_them_flow(streams: dict[str, Lanes]) -> None:
    """Their blocks are answers, not calls: the gate lets every character through."""
    released = 0
    for lanes in streams.values():
        for deltas in lanes.values():
            items = list(Guard(FILE_TOOLS).scan(deltas))
            released += sum(isinstance(item, ToolStatus) and item.status == "released" for item in items)
            assert not any(isinstance(item, ToolBlock) for item in items)
            assert original(items) == "".join(delta for delta in deltas if isinstance(delta, str))
    assert released >= 35


@pytest.mark.promise("P3")
def test_the_status_leaves_in_the_tick_of_the_opener(cases: Cases, streams: dict[str, Lanes]) -> None:
    """Promise P3 at the recorded cuts: when the opener's line is complete, the status is out."""
    seen = sum(opened_in_time(Guard(FILE_TOOLS), deltas) for lanes in streams.values() for deltas in texts(lanes))
    cases(seen)
    assert seen >= 30


@pytest.mark.promise("P1", "P2")
def test_the_recorded_texts(cases: Cases, corpora: Path) -> None:
    """196 whole replies, cut in every way that costs little."""
    folder = corpora / "recordings" / "texts"
    files = sorted(folder.glob("*.txt"))
    assert len(files) == 196
    cases(196 * 6)
    verdicts: Counter[bool] = Counter()
    for seed, file in enumerate(files):
        text = file.read_text(encoding="utf-8")
        for item in check([text], seed):
            if isinstance(item, ToolBlock):
                verdicts[item.arguments is not None or item.issues[0].code == "not_an_object"] += 1
    assert verdicts[True] >= 50
    assert verdicts[False] >= 10


@pytest.mark.promise("P7")
def test_broken_blocks_as_models_write_them_are_found_whole_and_never_pass_unless_they_are_valid(
    cases: Cases, corpora: Path
) -> None:
    """Each row's stream holds one block; what is not a valid call is not executable, and what is cut off is truncated."""
    for line in (corpora / "llm_errors.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        cases(1)
        items = check([row["stream"]], 0)
        block, *further = [item for item in items if isinstance(item, ToolBlock)]
        assert all(part.id == block.id and part.raw == "" for part in further), row["id"]
        if row["truncated"]:
            assert not block.executable, row["id"]
        else:
            assert block.raw == row["stream"].rstrip("\n"), row["id"]
            assert not any(isinstance(item, str) and item.strip() for item in items), row["id"]
            gated = [item for item in Guard(FILE_TOOLS).scan(row["stream"]) if isinstance(item, ToolBlock)]
            names_a_tool = any(name in row["stream"] for name in (*FILE_TOOLS.names, "tool"))
            assert len(gated) == (block.parts if names_a_tool else 0), row["id"]
        if block.executable:
            calls = [part.arguments for part in (block, *further)]
            meant = [row["expected"], *row["accept"]]
            assert any(wanted in (calls, calls[0] if len(calls) == 1 else calls) for wanted in meant) or (
                not block.corrected and calls == [json.loads(row["input"])]
            ), row["id"]
        if row["expected_fixable"] == "none" and row["class"] == "valid_control":
            assert block.executable, row["id"]


@pytest.mark.parametrize(
    ("name", "text", "lanes"),
    [
        ("a.jsonl", '"a"\n"b"\n', {"text": ["a", "b"]}),
        (
            "a.ndjson",
            '{"message":{"content":"a"},"done":false}\n{"response":"b","done":true,"done_reason":"length"}',
            {"0": ["a", "b", End("length")]},
        ),
        (
            "a.sse",
            'data: {"choices":[{"index":1,"delta":{"content":[{"type":"text","text":"a"}]}}]}\r\n\r\ndata: [DONE]\n\n',
            {"1": ["a"]},
        ),
        (
            "a.sse",
            'data: {"type":"content_block_delta","index":0,\ndata: "delta":{"type":"text_delta","text":"a"}}\n\n',
            {"0": ["a"]},
        ),
        (
            "a.sse",
            'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n'
            'data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}\n\n',
            {"0": ["a", End("length")]},
        ),
        (
            "a.sse",
            'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
            'data: {"error":{"message":"x"}}\n\ndata: {"choices":[], "cut',
            {"0": ["a", End("error")]},
        ),
    ],
)
def test_wire_formats_are_read_as_their_clients_read_them(tmp_path: Path, name: str, text: str, lanes: Lanes) -> None:
    """Joined data lines, list content, finish reasons, in-band errors, an event that was cut off."""
    file = tmp_path / name
    file.write_bytes(text.encode())
    found = read(file)
    assert found is not None
    assert found.lanes == lanes
    assert read(tmp_path / "a.txt") is None
