"""The reasons why an event or a text passes unread, and the mark of a response that passes because it is guarded already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, get_args

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


MARKS: Final = "stream_guard.guarded"
"""The key of an ASGI scope under which the middleware keeps a list. What is in it says that the response is guarded already. No
client and no upstream can write it, as they could a header."""


def guarded_already(scope: Mapping[str, Any]) -> None:
    """Have the middleware pass the response to a request as it is, wherever it stands in front of the app."""
    scope.get(MARKS, []).append(True)
