"""The recorded streams of real providers, as their events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stream_guard_adapters.cassettes.recorded import SUFFIXES, documents
from stream_guard_adapters.protocols import Protocol, recognised

Recording = tuple[str, Protocol, list[Any]]
"""A recording: its file, its protocol and its events."""


def recorded(corpora: Path) -> list[Recording]:
    """Return every recording that can be read and whose protocol is known."""
    found: list[Recording] = []
    for path in sorted((corpora / "recordings").rglob("*")):
        if path.suffix in SUFFIXES and path.name != "INDEX.jsonl":
            try:
                events = list(documents(path))
            except ValueError:
                continue
            table = next((table for table in map(recognised, events) if table is not None), None)
            if table is not None:
                found.append((str(path), table, events))
    return found
