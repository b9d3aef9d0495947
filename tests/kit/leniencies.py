"""A text for each leniency of docs/fences.md that one block can show, and for each thing that is not detected."""

from __future__ import annotations

CALL = '{"tool": "delete_file", "path": "a"}'

LENIENCIES: dict[str, tuple[str, str]] = {
    "case": (f"```JSON\n{CALL}\n```\n", f"```JSON\n{CALL}\n```"),
    "info-words": (f"```json title=x\n{CALL}\n```\n", f"```json title=x\n{CALL}\n```"),
    "inline": (f"```json {CALL}\n```\n", f"```json {CALL}\n```"),
    "after-brace": (f"```json\n{CALL}```\n", f"```json\n{CALL}```"),
    "short-closer": (f"```json\n{CALL}\n``\n", f"```json\n{CALL}\n``"),
    "other-closer": (f"```json\n{CALL}\n~~~\n", f"```json\n{CALL}\n~~~"),
    "indented-closer": (f"```json\n{CALL}\n        ```\n", f"```json\n{CALL}\n        ```"),
    "closer-words": (f"```json\n{CALL}\n``` Done.\n", f"```json\n{CALL}\n```"),
    "list-indent": (
        f"1. do\n\n        ```json\n        {CALL}\n          ```\n",
        f"```json\n        {CALL}\n          ```",
    ),
    "list-outdent": (f"- do\n\n  ```json\n{CALL}\n```\n", f"```json\n{CALL}\n```"),
    "marker-line": (f"text\n14. ```json\n    {CALL}\n    ```\n", f"```json\n    {CALL}\n    ```"),
}
"""By name: the text, and the block's `raw`."""

NOT_DETECTED: dict[str, tuple[str, int, str]] = {
    "quote": (f"> ```json\n> {CALL}\n> ```\n", 0, "Fences inside block quotes are not detected."),
    "html": (f"<div>\n```json\n{CALL}\n```\n</div>\n", 1, "A fence inside an HTML block counts as one."),
    "end-opener": ("text\n```json", 0, ""),
}
"""By the name in the table "Not detected": a text, how many blocks are found in it, and what `README.md` says of it."""
