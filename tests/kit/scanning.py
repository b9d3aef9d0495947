"""A scanner of the file tools, with any settings, and what follows the calls in text that nobody holds back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from stream_guard.scan.growing import Watch
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.stream_text import ScanSettings
from stream_guard.scan.unended import UNREAD, Unended
from stream_guard.tools.files import FILE_TOOLS


def scanner_of(*, watch: Watch | None = None, **settings: Any) -> FenceScanner:
    """A scanner of the file tools."""
    return FenceScanner(FILE_TOOLS, ScanSettings(**settings), watch)


def followed(pieces: Iterable[str]) -> Unended:
    """What has followed the calls in these pieces, each of them added."""
    unended = Unended(FILE_TOOLS)
    for piece in pieces:
        unended.add(piece)
    return unended


def followed_at_ease(pieces: Iterable[str]) -> Unended:
    """The same where text waits, or passes unseen, whenever it may."""
    unended = Unended(FILE_TOOLS)
    for piece in pieces:
        if not piece.isprintable() or not (unended.line_is_inert or len(unended.passed_unread) < UNREAD):
            unended.add(piece)
        elif not unended.line_is_inert:
            unended.passed_unread.append(piece)
    return unended


def composed(parts: Sequence[str], rng: Random, count: int, most: int) -> Iterator[str]:
    """Yield so many texts, each of some of these parts, `most` at the most."""
    for _ in range(count):
        yield "".join(rng.choice(parts) for _ in range(rng.randint(1, most)))
