"""The reasons why an event or a text passes unread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, get_args

Uninspected = Literal[
    "json body",
    "content type",
    "compressed",
    "status",
    "pathsend",
    "websocket",
    "request tools",
    "unknown protocol",
    "not JSON",
    "odd event",
    "other protocol",
    "oversize event",
    "too many lanes",
    "unnamed call",
    "unknown tool",
    "late piece",
    "unseen block",
    "unseen call",
    "open reasoning",
    "guard error",
]
"""Why something passed unread, or was left out unread; docs/streams.md explains each reason."""

KINDS: Final[tuple[Uninspected, ...]] = get_args(Uninspected)

Note = Callable[[Uninspected], None]
"""Takes the reason why something passes unread."""
