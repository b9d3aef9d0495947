"""A scanner of the file tools, with any settings."""

from __future__ import annotations

from typing import Any

from stream_guard.scan.growing import Watch
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.stream_text import ScanSettings
from stream_guard.tools.files import FILE_TOOLS


def scanner_of(*, watch: Watch | None = None, **settings: Any) -> FenceScanner:
    """A scanner of the file tools."""
    return FenceScanner(FILE_TOOLS, ScanSettings(**settings), watch)
