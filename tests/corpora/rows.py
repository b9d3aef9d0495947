"""The rows of `broken_replies.jsonl`: their fields, their ids, and which are kept aside."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from tests.corpora.calls import Call

HERE: Final = Path(__file__).parent
TOOLSETS: Final[dict[str, Any]] = json.loads((HERE / "broken_tools.json").read_text(encoding="utf-8"))


def aside(row_id: str) -> bool:
    """Whether a row is kept for the last measurement: every third, by the CRC-32 of its id."""
    return zlib.crc32(row_id.encode()) % 3 == 0


class Rows:
    """The rows so far."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()

    def add(
        self,
        way: str,
        weight: int,
        toolset: str,
        text: str,
        expected: list[Call] | None,
        why: str,
        *,
        ended: str = "stop",
        accept: list[list[Call]] | None = None,
    ) -> None:
        """Add a row; `accept` holds other right answers."""
        row_id = f"{way}-{self.counts[way]:02}"
        self.counts[way] += 1
        row: dict[str, Any] = {
            "id": row_id,
            "domain": TOOLSETS[toolset]["domain"],
            "class": way,
            "weight": weight,
            "tool": toolset,
            "text": text,
            "ended": ended,
            "expected": expected,
            "sure": expected is not None,
            "why": why,
            "aside": aside(row_id),
        }
        if accept:
            row["accept"] = accept
        self.rows.append(row)

    def fenced(
        self, way: str, weight: int, toolset: str, body: str, expected: list[Call] | None, why: str, **more: Any
    ) -> None:
        """Add a row whose reply is an ordinary fence."""
        self.add(way, weight, toolset, f"```json\n{body}\n```\n", expected, why, **more)
