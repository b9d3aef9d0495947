"""`Report`: the results of a long run, written part by part, and continued after an interruption.

    first line: the work that is reported      then, for each part: a line for each block, and a line that says the part is done

Rule: when a run continues, all lines after the last line of the second kind are removed. A report of a run that was
interrupted anywhere and continued is byte for byte that of a run without interruption.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from .inputs import Unreadable
from .outcomes import Tally

HEADER: Final = 4_096
"""The most bytes of a report's first line."""


def stamp(file: str) -> tuple[int, int]:
    """Return the size and modification time of a file; zeros if it cannot be read, which the check of the file reports."""
    try:
        about = Path(file).stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns


class Report:
    """An open report: its file, and the parts that earlier runs have done."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.tally: Final = Tally()
        self.unreadable: Final[list[str]] = []
        self._path: Final = path
        self._done: Final[set[tuple[str, int]]] = set()
        with self._named():
            self._file: Final = path.open("r+b" if path.exists() else "x+b")
        try:
            with self._named():
                whole = self._recalled(header)
                self._file.seek(whole)
                self._file.truncate()
            if not whole:
                self._write([json.dumps(header)])
        except BaseException:
            self._file.close()
            raise

    def _recalled(self, header: dict[str, Any]) -> int:
        """Read the part of the report that earlier runs wrote; returns the offset after the last complete part."""
        first = self._file.readline(HEADER)  # no more than that: it may be any file, of any size
        if not first:
            return 0
        self._same(first, header)
        read = whole = len(first)
        for line in self._file:
            read += len(line)
            if line.startswith(b'{"done":') and line.endswith(b"\n"):
                self._recall(json.loads(line))
                whole = read
        return whole

    def _same(self, line: bytes, header: dict[str, Any]) -> None:
        if not line.startswith(b'{"report":'):
            raise Unreadable(f"{self._path} is not a report, and is not overwritten; choose another name")
        if line != json.dumps(header).encode() + b"\n":
            raise Unreadable(
                f"{self._path} was written with other tools or options, or by another version; choose another name"
            )

    def _recall(self, record: dict[str, Any]) -> None:
        file, first, *was = record["done"]
        if was != [*stamp(file)]:
            raise Unreadable(f"{file} has changed since {self._path} was started; choose another name for the report")
        self._done.add((file, first))
        self.tally.add(Tally.from_dict(record["tally"]))
        self.unreadable.extend(record["unreadable"])

    def has(self, file: str, first: int) -> bool:
        """Return whether an earlier run has done this part."""
        return (file, first) in self._done

    def add(self, file: str, first: int, lines: Iterable[str], tally: Tally, unreadable: Sequence[str]) -> None:
        """Write the results of one part of a file: the rows from `first` onwards."""
        record = {"done": [file, first, *stamp(file)], "tally": tally.to_dict(), "unreadable": list(unreadable)}
        self._write([*lines, json.dumps(record)])

    def _write(self, lines: Iterable[str]) -> None:
        with self._named():
            self._file.write("".join(f"{line}\n" for line in lines).encode())
            self._file.flush()

    @contextlib.contextmanager
    def _named(self) -> Generator[None]:
        """Raise `Unreadable` with the file's name for an operating system error."""
        try:
            yield
        except OSError as error:
            raise Unreadable(f"{self._path}: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
