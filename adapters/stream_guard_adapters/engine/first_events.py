"""`FirstEvents`: whether what a stream begins with are the events that its caller has announced.

Rule: bytes in place of events are a mistake of the caller, and raise. A text passes, and is logged once.
"""

from __future__ import annotations

import logging
from typing import Final

from ..protocols import Event, Protocol

log: Final = logging.getLogger("stream_guard")


class FirstEvents:
    """The events of a stream of a named protocol, until the first that the protocol reads."""

    __slots__ = ("_warned",)

    def __init__(self) -> None:
        self._warned = False

    def check(self, event: Event, size: int, protocol: Protocol) -> bool:
        """Return whether an event is one of the protocol; then no more is checked. `size` is its size if it came as bytes.

        Raises:
            TypeError: It is bytes.
        """
        if protocol.reads(event):
            return True
        if isinstance(event, bytes | bytearray | memoryview):
            raise TypeError(
                "expected the events of a client, got bytes: pass what create(stream=True) returns, or for a recorded "
                'body what replay(..., form="objects") returns'
            )
        if isinstance(event, str) and not (self._warned or size):
            self._warned = True
            log.warning(
                "a stream has text where a client's events were expected: it passes without being looked into; "
                "a stream of text is guarded with guard.stream"
            )
        return False
