"""What is measured: texts, made the same way each time, and the value that each contestant must come to."""

from __future__ import annotations

import json
from typing import Any

DELTA = 4
"""Characters a delta: what OpenAI's models send, at the median."""


def prose(size: int) -> str:
    """An answer without a block: paragraphs of some lines."""
    line = "The quick brown fox jumps over the lazy dog, and then it thinks about what it has done.\n"
    paragraph = line * 6 + "\n"
    return (paragraph * (size // len(paragraph) + 1))[:size]


def call(size: int) -> dict[str, Any]:
    """A write_file call of about this size, with the quotes and line ends of source code."""
    line = 'export const label = "hello"; // some code as it stands in files\n'
    return {"tool": "write_file", "path": "src/label.ts", "content": line * max(1, size // len(json.dumps(line)))}


def body(size: int) -> str:
    """Its JSON."""
    return json.dumps(call(size))


def reply(size: int) -> str:
    """It in an answer."""
    return f"I'll write it.\n\n```json\n{body(size)}\n```\n\nDone.\n"


def deltas(text: str) -> list[str]:
    """The text as it comes."""
    return [text[start : start + DELTA] for start in range(0, len(text), DELTA)]
