"""JSON as the guard writes it."""

from __future__ import annotations

import json
from typing import Any, Final

encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def laid_out(value: Any, line: str = "\n") -> str:
    """Return JSON with each member on a line of its own, as `json.dumps` with `indent` writes it, and faster."""
    if not value or not isinstance(value, dict | list):
        return encode(value)
    inner = line + "  "
    if isinstance(value, dict):
        members = [f"{encode(key)}: {laid_out(item, inner)}" for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    return f"[{inner}{f',{inner}'.join(laid_out(item, inner) for item in value)}{line}]"
