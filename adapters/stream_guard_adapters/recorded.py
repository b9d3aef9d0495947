"""Recorded streams: where the text is in what a provider sent.

`read` takes a file of a known kind and gives back its lanes: the deltas of each choice or content block, with an `End` where
the provider said why it ended. It reads dumps of server-sent events (`.sse`), one JSON document per line (`.ndjson`), and
lists of deltas (`.jsonl`: a JSON string per line).

Rule: what cannot be read is a `ValueError` that names the line. Text is never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from stream_guard import End

from .protocols import EVERY, Lane, recognised

Lanes = dict[str, list[str | End]]
"""The deltas of each lane, in order."""

Found = Iterator[tuple[Lane, str | End]]
"""Pieces of text, each with its lane."""

SUFFIXES: Final = (".sse", ".ndjson", ".jsonl")


def read(path: Path) -> Lanes | None:
    """The lanes of a recorded stream; None when the file is of no kind known here."""
    if path.suffix not in SUFFIXES:
        return None
    lanes: Lanes = {}
    for lane, piece in _pieces(documents(path)):
        if lane == EVERY:
            for deltas in lanes.values():
                deltas.append(piece)
        else:
            lanes.setdefault(".".join(map(str, lane)), []).append(piece)
    return lanes


def documents(path: Path) -> Iterator[Any]:
    """The JSON documents of a recorded stream, in order. Raises ValueError for a line that is none."""
    text = path.read_text(encoding="utf-8")
    for number, written in _events(text) if path.suffix == ".sse" else _lines(text):
        try:
            yield json.loads(written)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None


def _pieces(found: Iterator[Any]) -> Found:
    for data in found:
        table = recognised(data)
        if table is not None:
            yield from table.texts(data)
            yield from ((lane, End(why)) for lane, why in table.ends(data) if why is not None)
        elif isinstance(data, dict) and data.get("error"):
            yield EVERY, End("error")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def _events(text: str) -> Iterator[tuple[int, str]]:
    """The data of each server-sent event, as browsers read it: joined lines, events without data dropped, and the last one
    too when the stream broke off inside it.
    """
    data: list[str] = []
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            joined = "\n".join(data)
            data.clear()
            if joined.strip() and not joined.startswith("[DONE]"):
                yield number - 1, joined
