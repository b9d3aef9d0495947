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


def arguments(size: int) -> dict[str, Any]:
    """The arguments of the same call."""
    return {key: value for key, value in call(size).items() if key != "tool"}


def schemas(count: int) -> list[dict[str, Any]]:
    """Schemas of as many tools, no two alike, of the size that tools have."""
    return [
        {
            "type": "object",
            "properties": {
                f"field_{number}": {"type": "string", "description": "What it is", "minLength": 1},
                "count": {"type": "integer", "minimum": number, "maximum": number + 9},
                "kind": {"enum": ["a", "b", f"c{number}"]},
                "inner": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
                    "required": ["name"],
                },
                "form": {
                    "oneOf": [
                        {"type": "object", "properties": {"by": {"const": by}, "n": {"type": "integer"}}, "required": ["by"]}
                        for by in ("card", "cash", f"by {number}")
                    ]
                },
            },
            "required": [f"field_{number}", "inner"],
            "additionalProperties": False,
        }
        for number in range(count)
    ]
