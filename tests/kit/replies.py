"""A reply with calls in its text, in deltas."""

from __future__ import annotations

CALL = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


def reply(*bodies: str) -> list[str]:
    text = "Hi.\n" + "".join(f"```json\n{body}\n```\nand\n" for body in bodies)
    return [text[at : at + 5] for at in range(0, len(text), 5)]
