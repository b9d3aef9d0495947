"""What a guard of the file tools watches of a call while it is written, for tests of the scanner alone."""

from __future__ import annotations

from typing import Any

from stream_guard import Guard
from stream_guard.scan.growing import Watch
from stream_guard.tools.files import FILE_TOOLS


def watch(**settings: Any) -> Watch | None:
    """Return what a guard with these settings watches, as for a session without a corrector."""
    return Guard(FILE_TOOLS, **settings).judge.watch(corrects=False)
