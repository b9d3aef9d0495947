"""A million replies through `stream-guard check`: how many a second, with one process and with all, and what is not lost.

    python -m benchmarks.batch [--replies 1000000] [--write]

The replies are prose around a call, most of them good, some broken as models break them, some cut off; as lines of JSON and as
Parquet. A run with all cores is killed in the middle and started again, and its report must be that of the run that was not.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

PAGE = Path(__file__).parents[1] / "docs" / "batch.md"
WORDS = "The quick brown fox jumps over the lazy dog, and then it thinks about what it has done. "
CALLS = (
    '{"tool": "write_file", "path": "src/%d.py", "content": "%s"}',
    '{"tool": "write_file", "path": "src/%d.py", content: "%s",}',
    '{"tool": "create_file", "path": "src/%d.py", "content": "%s"}',
    '{"tool": "write_file", "file": "src/%d.py", "text": "%s"}',
    '{"tool": "write_file", "path": "src/%d.py", "code": 1, "note": "%s"}',
)


def replies(count: int) -> Iterator[str]:
    """Some 600 characters each: seven of ten with a good call, the rest with one that is broken, cut off or not there."""
    chance = Random(7)
    for number in range(count):
        kind = chance.random()
        prose = WORDS * chance.randrange(1, 5)
        code = 'print(\\"hello\\")\\n' * chance.randrange(1, 24)
        call = (CALLS[0] if kind < 0.7 else chance.choice(CALLS[1:])) % (number, code)
        text = f"{prose}\n\n```json\n{call}\n```\n\n{prose}"
        yield prose if kind > 0.95 else text[: len(text) // 2] if kind > 0.92 else text


def made(folder: Path, count: int) -> tuple[Path, Path, int]:
    """The same replies twice, and how many characters they are."""
    import pyarrow as pa
    from pyarrow import parquet

    lines, table = folder / "replies.jsonl", folder / "replies.parquet"
    characters = 0
    with (
        lines.open("w", encoding="utf-8", newline="\n") as file,
        parquet.ParquetWriter(table, pa.schema([("text", pa.string())])) as writer,
    ):
        batch: list[str] = []
        for text in replies(count):
            characters += len(text)
            file.write(json.dumps({"text": text}) + "\n")
            batch.append(text)
            if len(batch) == 50_000:
                writer.write_table(pa.table({"text": batch}))
                batch = []
        if batch:
            writer.write_table(pa.table({"text": batch}))
    return lines, table, characters


def check(file: Path, report: Path, *more: str, killed_at: int | None = None) -> tuple[float, str]:
    """Seconds it took, and its summary. It is killed, all of it, once its report is so long."""
    command = [sys.executable, "-m", "stream_guard", "check", str(file), "--report", str(report), *more]
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        if killed_at is not None:
            while process.poll() is None and (not report.exists() or report.stat().st_size < killed_at):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
    return time.monotonic() - start, said


_DISK = 2_200
"""Bytes of disk for one reply: the reply in two formats, and its lines in three reports."""


def said(step: str) -> None:
    """Print a step on standard error. The progress bar of `check` follows it."""
    print(step, file=sys.stderr, flush=True)


def main() -> int:
    """Measure, and say or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--replies", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/batch.md")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    need = options.replies * _DISK
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        free = shutil.disk_usage(folder).free
        said(f"{options.replies:,} replies take about {need / 1e9:.1f} GB in {folder.parent} and some minutes; Ctrl-C ends it")
        if free < need:
            said(f"{folder.parent} has {free / 1e9:.1f} GB free; name another folder with TMPDIR, or fewer --replies")
            return 2
        said("1 of 7: the replies are written, as lines of JSON and as Parquet")
        lines, table, characters = made(folder, options.replies)
        said(f"2 of 7: lines of JSON, {cores} processes")
        whole, summary = check(lines, folder / "whole")
        said("3 of 7: a tenth of them, one process")
        with lines.open("rb") as every:
            (folder / "alone.jsonl").write_bytes(b"".join(islice(every, options.replies // 10)))
        alone, _ = check(folder / "alone.jsonl", folder / "alone", "--jobs", "1")
        said(f"4 of 7: Parquet, {cores} processes")
        columns, _ = check(table, folder / "columns")
        size = (folder / "whole").stat().st_size
        said("5 of 7: killed in the middle")
        cut, _ = check(lines, folder / "cut", killed_at=size // 2)
        said("6 of 7: the same command again")
        rest, _ = check(lines, folder / "cut")
        same = (folder / "cut").read_bytes() == (folder / "whole").read_bytes()
        said("7 of 7: and once more, when nothing is left to do")
        again, _ = check(lines, folder / "cut")
    each = f"{options.replies:,} replies of {characters // options.replies} characters"
    rows = [
        f"{each}, Python {platform.python_version()}, {cores} cores:",
        "",
        "| | seconds | replies a second |",
        "|---|---|---|",
        f"| lines of JSON, {cores} processes | {whole:.1f} | {options.replies / whole:,.0f} |",
        f"| a tenth of them, one process | {alone:.1f} | {options.replies / 10 / alone:,.0f} |",
        f"| Parquet, {cores} processes | {columns:.1f} | {options.replies / columns:,.0f} |",
        f"| killed in the middle, and the same command again | {cut:.1f} and {rest:.1f} | |",
        f"| the same command once more: nothing is left to do | {again:.1f} | |",
        "",
        f"The report is {size / 1e6:.0f} MB; that of the run that was killed is {'the very same' if same else 'ANOTHER'}.",
        "",
        *(f"    {line}" for line in summary.splitlines()),
    ]
    print("\n".join(rows))
    if options.write:
        head, _, rest_of_page = PAGE.read_text(encoding="utf-8").partition("<!-- figures -->\n")
        tail = rest_of_page.partition("<!-- end -->")[2]
        figures = "\n".join(rows)
        PAGE.write_text(f"{head}<!-- figures -->\n{figures}\n<!-- end -->{tail}", "utf-8", newline="\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
