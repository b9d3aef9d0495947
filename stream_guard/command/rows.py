"""Types for readers of files with one reply per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

COLUMN: Final = "text"
"""The default column of the text, in files with one reply per row."""


Row = str | bytes | None
"""A reply, or a line of JSON that contains it as bytes; None for a null, which is a reply without text."""


class Rows(NamedTuple):
    """Some rows of a file with many replies, as a reader under `stream_guard.rows` yields them."""

    rows: Sequence[Row]
    """The rows, in file order."""

    size: int
    """The number of bytes of these rows in the file."""
