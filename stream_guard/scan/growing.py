"""`Growth` and `Arguments`: report the path, the length and the previewed field of a call while its JSON comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..dialects.cursor import Cursor, Preview, Signal
from ..values.call_keys import folded
from ..values.limits import SHORT
from .states import Named, Progress


class Growth:
    """Reports the length and the previewed field of a body that a cursor reads.

    Args:
        cursor: The cursor. It keeps the pieces of the previewed field until they are reported.
        progress: The number of characters between two reports of the length; None for no report.
    """

    __slots__ = ("_cursor", "_preview", "_progress", "_reported")

    def __init__(self, cursor: Cursor, progress: int | None) -> None:
        self._cursor: Final = cursor
        self._progress: Final = progress
        self._reported = 0
        self._preview: Final = Preview()

    @property
    def due(self) -> int:
        """The number of characters after which the next report of the length is due, if there are any."""
        return (self._reported // self._progress + 1) * self._progress if self._progress is not None else 0

    def report(self, received: int) -> Progress | None:
        """Return the report that is due after this many characters; None if none is due."""
        preview = ""
        if self._cursor.preview:
            preview = self._preview.feed("".join(self._cursor.preview))
            self._cursor.preview.clear()
        step = self._progress is not None and received // self._progress > self._reported // self._progress
        if step:
            self._reported = received
        return Progress(received, preview) if step or preview else None


class Arguments:
    """Reads the arguments of one native call as they come.

    Rule: only the first characters of a long piece are read, and nothing after it: that would take long, and the whole call is
    there at once.
    """

    __slots__ = ("_cursor", "_growth", "_over", "_path_field", "_received", "_tool")

    def __init__(
        self,
        tool: str | None,
        *,
        max_depth: int,
        progress: int | None = None,
        preview: str | None = None,
        path_field: str | None = "path",
    ) -> None:
        self._tool: Final = tool
        self._path_field: str | None = folded(path_field) if path_field is not None else None
        self._cursor: Final = Cursor(max_depth, preview, through=())
        self._growth: Final = Growth(self._cursor, progress)
        self._received = 0
        self._over = False

    def feed(self, text: str) -> Iterator[Named | Progress]:
        """Take the next piece; yield the path once its string is complete, and the progress that is due."""
        if self._over:
            return
        self._over = len(text) > SHORT
        at, end = 0, min(len(text), SHORT)
        while at < end:
            at = self._cursor.feed(text, at, end)
            if self._cursor.signal is Signal.BROKEN:
                self._over = True
                break
            if self._cursor.signal is Signal.STRING and folded(self._cursor.path[-1]) == self._path_field:
                path, self._path_field = self._cursor.text, None
                yield Named(self._tool, path)
        self._received += len(text)
        report = self._growth.report(self._received)
        if report is not None:
            yield report
