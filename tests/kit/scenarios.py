"""What becomes of the demo's scenarios."""

from __future__ import annotations

RUN: dict[
    str, list[tuple[str | None, str]]
] = {  # what becomes of the blocks of each scenario: how each passed, and the file that is there then
    "valid": [(None, "src/components/Button.tsx")],
    "wrong-tool": [("fixes", "LICENSE")],
    "missing-content": [],  # nobody wrote that the file is to be empty
    "raw-newline": [("fixes", "CHANGELOG.md")],
    "old-new": [("fixes", "src/App.tsx")],
    "quotes": [("fixes", "src/Banner.tsx")],
    "nested-fences": [("fixes", "README.md")],
    "truncated": [],
    "example": [],
    "two-blocks": [(None, "src/Button.tsx"), (None, "src/OldButton.tsx")],
    "corrected": [("llm", "src/colours.json")],
    "uncorrectable": [],
    "native": [("fixes", "TODO.md")],
    "lesson": [("fixes", "lessons/the-water-cycle.json")],
}
