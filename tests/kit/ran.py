"""Which calls of a guarded text may run."""

from __future__ import annotations

from collections.abc import Iterable

from stream_guard import ToolBlock


def ran(items: Iterable[object]) -> list[str | None]:
    """Return the tools of the calls that may run, in order."""
    return [item.tool for item in items if isinstance(item, ToolBlock) and item.executable]
