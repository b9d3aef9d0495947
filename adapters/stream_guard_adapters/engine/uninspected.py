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
"""A function that takes the reason why something passes unread."""


MARKS: Final = "stream_guard.guarded"
"""The key of an ASGI scope under which the middleware keeps a list. An entry says that the response is guarded already. Unlike
a header, no client and no upstream can write it."""


def guarded_already(scope: Mapping[str, Any]) -> None:
    """Let the middleware pass the response to a request unchanged, wherever it stands in front of the app."""
    scope.get(MARKS, []).append(True)
