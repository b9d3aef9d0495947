"""The command `check` where there is much to check: directories, replies by the row, all cores, a report that goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters import batch

from stream_guard.command import check, cli
from stream_guard.command.check import Done, Part, Work, _in_order
from stream_guard.command.report import Report

CALL = '{"tool": "write_file", "path": "a%d", "content": "%s"}'


def reply(number: int) -> str:
    """One of many: most pass, some are to be mended, some fail, some hold nothing."""
    text = f"Here.\n```json\n{CALL % (number, 'x' * random.Random(number).randrange(200))}\n```\nDone.\n"
    return [text, text.replace('"content"', "content"), text[:-20], "Only prose.\n", text][number % 5]


def written(file: Path, count: int) -> Path:
    """The file with so many replies, a line each."""
    rows = (json.dumps({"id": number, "text": reply(number)}) for number in range(count))
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with 200 replies, which are read in four parts."""
    monkeypatch.setattr(batch, "MOST_ROWS", 50)
    return written(tmp_path / "many.jsonl", 200)


@pytest.fixture
def thousands(tmp_path: Path) -> Path:
    """A file with 2,000 replies, for processes of their own: read in four parts as it is."""
    return written(tmp_path / "thousands.jsonl", 2_000)


SUMMARY = "160 blocks in 200 replies of 1 file: 120 passed (40 fixed), 40 failed\n"


def run(*arguments: object) -> int:
    return cli.main(["check", *map(str, arguments)])


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_row_is_a_reply(many: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(many, "--json") == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(told) == 160
    assert [(it["row"], it["path"], it["executable"]) for it in told[:4]] == [
        (1, "a0", True),
        (2, "a1", True),
        (3, "a2", False),
        (5, "a4", True),
    ]
    assert told[0]["id"].startswith("many.jsonl:1-")


def test_a_table_has_its_bound_and_says_so(
    many: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed is listed whatever its place."""
    rest = "all that failed are (--failed lists nothing else); use --report to write all of them.\n"
    every = f"Only the first {{}} are listed; {rest}"
    for most, failed, rows, said in (
        (100, 10_000, 100 + 40, every.format("100 blocks that passed")),
        (1, 10_000, 1 + 40, every.format("1 block that passed")),
        (100, 10, 100 + 10, None),
        (1_000, 10, 120 + 10, "Only the first 10 blocks that failed are listed; use --report to write all of them.\n"),
        (1_000, 10_000, 160, ""),
    ):
        monkeypatch.setattr(check, "LISTED", most)
        monkeypatch.setattr(check, "LISTED_FAILED", failed)
        assert run(many) == 1
        shown = capsys.readouterr().out
        assert shown.count(" failed  ") == min(failed, 40)
        assert shown.count("many.jsonl:") == rows
        if said is not None:
            assert shown.splitlines(keepends=True)[rows + 1 :] == [*([said] if said else []), SUMMARY]
        else:
            assert "first 100 blocks that passed and the first 10 blocks that failed are listed; use" in shown
        assert run(many, "--failed") == 1
        shown = capsys.readouterr().out
        assert shown.count("many.jsonl:") == shown.count(" failed  ") == min(failed, 40)
        assert shown.endswith(SUMMARY)
    assert run(many, "--failed", "--json") == 1
    assert [json.loads(line)["executable"] for line in capsys.readouterr().out.splitlines()] == [False] * 40
    assert run(many, "--failed", "--report", many.with_name("report")) == 2
    assert "leave out --failed or --report" in capsys.readouterr().err


def test_a_run_that_finds_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And fails where blocks are required."""
    prose, call = tmp_path / "prose.txt", tmp_path / "call.txt"
    prose.write_text("Only prose.\n", encoding="utf-8")
    call.write_text(reply(0), encoding="utf-8")
    assert run(prose) == 0
    assert capsys.readouterr().out == "0 blocks in 1 file: 0 passed, 0 failed; no call was found to check\n"
    for style in ([], ["--json"], ["--failed"], ["--report", tmp_path / "report"]):
        assert run(prose, "--require-blocks", *style) == 1
        assert "--require-blocks: no block and no native call was found to check\n" in capsys.readouterr().err
    assert run(prose, call, "--require-blocks") == 0
    assert capsys.readouterr().err == ""


def test_the_report_is_the_same_however_many_work_on_it(many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for jobs in (1, 2, 3):
        out = tmp_path / f"{jobs}.out"
        assert run(many, "--report", out, "--jobs", jobs) == 1
        texts.append(out.read_text(encoding="utf-8"))
    assert texts[0] == texts[1] == texts[2]
    told = lines(out)
    assert sum("outcome" in line for line in told) == 160
    assert told[1] == {
        "file": str(many),
        "row": 1,
        "tool": "write_file",
        "path": "a0",
        "outcome": "valid",
        "endCause": "closed",
        "issues": [],
        "fixes": [],
        "dialect": "fence",
    }
    assert capsys.readouterr().out.endswith(f"{SUMMARY}Tools: write_file 160\nIssues: truncated 40\nFixes: Quoted a key 40\n")


def test_dialects_are_read_where_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report says the dialect of each block; and a name that there is not is refused."""
    reply = tmp_path / "reply.txt"
    reply.write_text(
        '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "x"}}</tool_call>', encoding="utf-8"
    )
    assert run(reply) == 0
    assert "write_file" not in capsys.readouterr().out
    for names in ("all", "fence,hermes"):
        assert run(reply, "--dialects", names) == 0
        shown = capsys.readouterr().out
        assert "write_file" in shown
        assert "1 passed" in shown
    out = tmp_path / "report.jsonl"
    assert run(reply, "--dialects", "hermes", "--report", out) == 0
    assert lines(out)[1]["dialect"] == "hermes"
    assert "Dialects: hermes 1" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run(reply, "--dialects", "latin")
    assert "latin" in capsys.readouterr().err


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.77, 0.99, 1.0])
def test_a_report_that_was_cut_off_anywhere_goes_on_to_be_the_same(
    many: Path, tmp_path: Path, share: float, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.jsonl"
    run(many, "--report", out)
    whole, said = out.read_bytes(), capsys.readouterr().out
    for cut in {int(len(whole) * share), max(int(len(whole) * share) - 1, 0)}:
        out.write_bytes(whole[:cut])
        if 0 < cut <= whole.index(b"\n"):
            continue  # its first line is cut, so nobody knows that it is a report
        assert run(many, "--report", out) == 1
        assert out.read_bytes() == whole
        assert capsys.readouterr().out == said


def test_what_is_done_is_not_done_again(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "report.jsonl"
    run(many, "--report", out)
    whole = out.read_bytes()
    monkeypatch.setattr(Work, "__call__", lambda *_: pytest.fail("did it again"))
    assert run(many, "--report", out) == 1
    assert out.read_bytes() == whole


def test_files_may_be_added_to_a_report_and_none_changed(
    many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, more = tmp_path / "report.jsonl", tmp_path / "more.txt"
    more.write_text(reply(0), encoding="utf-8")
    assert run(tmp_path, "--report", out) == 1  # the report is in the directory, and is not checked itself
    assert run(tmp_path, "--report", out) == 1
    assert capsys.readouterr().out.count("161 blocks in 201 replies of 2 files") == 2
    another = tmp_path / "another.md"
    another.write_text(reply(1), encoding="utf-8")
    assert run(tmp_path, "--report", out) == 1
    assert "162 blocks in 202 replies of 3 files" in capsys.readouterr().out
    more.write_text(reply(2), encoding="utf-8")
    assert run(tmp_path, "--report", out) == 2
    assert f"{more} has changed since {out} was started; choose another name" in capsys.readouterr().err


def test_a_report_is_of_one_kind_of_run_and_nothing_else_is_overwritten(
    many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.jsonl"
    run(many, "--report", out)
    for other in (["--all"], ["--reasoning", "scan"], ["--languages", "json,"]):
        assert run(many, "--report", out, *other) == 2
        assert "was written with other tools or options, or by another version" in capsys.readouterr().err
    before = many.read_bytes()
    assert run(tmp_path / "x.txt", "--report", many) == 2
    assert "is not a report, and is not overwritten" in capsys.readouterr().err
    assert many.read_bytes() == before
    assert run(many, "--report", tmp_path / "no" / "where") == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_a_run_that_is_killed_goes_on(thousands: Path, tmp_path: Path) -> None:
    """At any time, and as often as it happens: what comes of it is what comes of one run."""
    with thousands.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": reply(number) * 2}) + "\n" for number in range(2_000, 3_000))
    golden, out = tmp_path / "golden", tmp_path / "out"
    run(thousands, "--report", golden, "--jobs", 2)
    command = [sys.executable, "-m", "stream_guard", "check", str(thousands), "--report", str(out), "--jobs", "2"]
    killed = 0
    for size in (1, 150_000):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            while process.poll() is None and (not out.exists() or out.stat().st_size < size):
                time.sleep(0.002)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
    assert killed
    assert run(thousands, "--report", out) == 1
    assert out.read_bytes() == golden.read_bytes()


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.some(0)
def test_a_signal_leaves_a_report_that_goes_on_and_nothing_else(
    thousands: Path, tmp_path: Path, sent: int, status: int
) -> None:
    """Ctrl-C goes to all processes of a terminal, and SIGTERM to the command alone, as a supervisor sends it."""
    with thousands.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": reply(number) * 9}) + "\n" for number in range(2_000, 4_000))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "stream_guard", "check", str(thousands), "--report", str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while process.poll() is None and (not out.exists() or out.stat().st_size < 20_000):
            time.sleep(0.002)
        (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
        said, complained = process.communicate()
    assert process.returncode in (status, -sent)  # see the attack's own test
    assert said == ""
    assert complained == f"stream-guard: stopped; run the same command again to continue {out}\n"
    assert any("done" in line for line in lines(out))


def test_rows_that_hold_no_reply_are_told_and_the_rest_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.jsonl"
    good = json.dumps({"text": reply(0)})
    rows = ["", good, "{", '{"other": 1}', '{"text": 7}', '{"text": null}', good]
    file.write_text("\n".join(rows), encoding="utf-8")
    out = tmp_path / "out"
    for _ in range(2):  # a report remembers it
        assert run(file, "--report", out) == 2
        said = capsys.readouterr()
        assert said.err.splitlines() == [
            f"stream-guard: {file}: row 3: not JSON",
            f"stream-guard: {file}: row 4: no column 'text'",
            f"stream-guard: {file}: row 5: no text in column 'text'",
        ]
        # A null is a reply without text; a blank line is none.
        assert said.out.startswith("2 blocks in 3 replies of 1 file: 2 passed, 0 failed; 3 inputs could not be read\n")
    file.write_text(f"{good}\n" + '{"other": 1}\n', encoding="utf-8")
    assert run(file) == 2
    assert f"{file}: row 2: no column 'text'\n" in capsys.readouterr().err


def test_the_text_may_be_anywhere_in_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A batch interface's answers, say."""
    file = tmp_path / "answers.jsonl"
    row = {"custom_id": "1", "response": {"body": {"choices": [{"message": {"content": reply(0)}}]}}}
    file.write_text(json.dumps(row), encoding="utf-8")
    assert run(file, "--column", "response.body.choices.0.message.content") == 0
    assert "1 block in 1 file: 1 passed" in capsys.readouterr().out
    assert run(file, "--column", "response.body.choices.1.message.content") == 2
    assert "row 1: no column 'response.body.choices.1.message.content'" in capsys.readouterr().err
    assert run(file, "--column", "response.body") == 2
    assert "row 1: no text in column 'response.body'" in capsys.readouterr().err


def test_of_a_directory_what_can_be_checked_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    for name in ("a.txt", "deep/b.md", "deep/c.jsonl", "picture.png", "deep/.hidden/d.txt", ".e.txt"):
        text = json.dumps(reply(0)) if name.endswith("jsonl") else reply(0)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert run(tmp_path, "--json") == 0
    told = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert told == [str(tmp_path / name) for name in ("a.txt", "deep/b.md", "deep/c.jsonl")]
    assert run(tmp_path) == 0
    over = f"{tmp_path}: 1 file passed over: its name does not end in .txt .md .sse .ndjson .jsonl .parquet\n"
    assert capsys.readouterr().err == f"stream-guard: {over}"
    assert run(tmp_path / "a.txt") == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "empty").mkdir()
    assert run(tmp_path / "empty") == 2
    assert "no files to check in this directory; looked for .txt .md" in capsys.readouterr().err
    assert run(tmp_path / "a.txt", "--jobs", "0") == 2
    assert "--jobs must be 1 or more" in capsys.readouterr().err


def test_a_worker_that_dies_is_told_and_the_report_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the system ends one that wants too much memory."""
    (tmp_path / "dies.py").write_text(
        "import multiprocessing, os\n"
        "from stream_guard.tools.files import FILE_TOOLS as TOOLS\n"
        "if multiprocessing.parent_process(): os.kill(os.getpid(), 9)\n",
        encoding="utf-8",
    )
    (tmp_path / "a.txt").write_text(reply(0), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "stream_guard", "check", "a.txt", "--jobs", "2", "--tools", "dies:TOOLS"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "stream-guard: a worker process died, perhaps for lack of memory; try again with fewer --jobs\n"


def test_parts_come_back_in_order_and_memory_is_bounded(tmp_path: Path) -> None:
    """What is read ahead is a few parts for each worker."""
    handed = 0

    def parts() -> Any:
        nonlocal handed
        for number in range(60):
            handed += 1
            yield Part("x", 1, 500 * number + 1, [reply(0)] * (number % 7))

    back = 0
    for part, done in _in_order(Work(None, False, "text", "report"), parts(), 2):
        back += 1
        assert part.first == 500 * (back - 1) + 1
        assert len(done.lines) == (back - 1) % 7
        assert handed - back <= 4 * 2
    assert back == 60


def test_a_report_keeps_no_content(many: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = Report(out, {"report": 1})
    work = Work(None, False, "text", "report")
    done = work(Part(str(many), 1, 1, ["```json\n" + CALL % (1, "S3CRET") + "\n```\n"]))
    report.add(str(many), 1, done.lines, done.tally, done.unreadable)
    report.close()
    assert isinstance(done, Done)
    assert "S3CRET" not in out.read_text(encoding="utf-8")


@pytest.mark.some(0)
def test_a_full_disk_is_one_clear_line_and_the_report_goes_on(thousands: Path, tmp_path: Path) -> None:
    """Here the system lets a file grow no further than this."""
    out = tmp_path / "out"
    limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, -1)); sys.argv = {['x', 'check']!r}"
    program = (
        f"{limited} + {[str(thousands), '--report', str(out)]!r}; from stream_guard.command.cli import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"stream-guard: {out}: File too large\n")
    assert run(thousands, "--report", out) == 1
    run(thousands, "--report", tmp_path / "golden")
    assert out.read_bytes() == (tmp_path / "golden").read_bytes()


def test_a_file_without_end_is_no_report(many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    assert run(many, "--report", tmp_path / "endless") == 2
    assert "is not a report, and is not overwritten" in capsys.readouterr().err


def test_a_file_that_is_gone_when_it_is_read_is_told_and_the_others_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a reader of rows stumbles over, too."""
    (tmp_path / "good.md").write_text(reply(0), encoding="utf-8")

    def broken(path: Path, _: str | None) -> Any:
        if path.name == "odd":
            raise ValueError("no rows")
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(check, "readers", lambda _: (broken,))
    for name in ("odd", "shut"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    names = [str(tmp_path / name) for name in ("odd", "shut", "good.md")]
    assert cli.main(["check", "--all", *names]) == 2
    told = capsys.readouterr().err
    assert f"{names[0]}: no rows" in told
    assert f"{names[1]}: Permission denied" in told


def test_a_run_that_is_stopped_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only with a report there is something to go on with."""
    (tmp_path / "good.md").write_text(reply(0), encoding="utf-8")

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "_checked", stopped)
    for more in ([], ["--report", str(tmp_path / "r.jsonl")]):
        assert cli.main(["check", *more, str(tmp_path / "good.md")]) == 130
        assert ("run the same command again" in capsys.readouterr().err) is bool(more)
