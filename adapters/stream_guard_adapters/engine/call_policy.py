"""`CallPolicy`: what the settings of a stream mean for its native calls.

    guard, protocol, `native` -> CallPolicy -> whether calls are held, and by which guard they are judged

It is made once for a stream, and knows no call.

Rule 1: calls are held if the app wants it, the protocol can do it, and the guard may change anything.
Rule 2: where calls are not held, they are judged by an observer, which fixes and asks nothing. A guard in shadow reports what
it would change.
"""

from __future__ import annotations

import logging
from typing import Final

from stream_guard import Guard

from ..protocols import Protocol
from .settings import Native

log: Final = logging.getLogger("stream_guard")


class CallPolicy:
    """What is done with the native calls of one stream.

    Args:
        guard: How the stream is guarded.
        protocol: The protocol of the stream.
        native: What the app wants to happen to native calls.
    """

    __slots__ = ("_name", "_warns", "fixes", "guard", "holds")

    def __init__(self, guard: Guard, protocol: Protocol, native: Native) -> None:
        shadow = guard.settings.mode == "shadow" and native != "observe"
        self.holds: Final = native in ("mend", "withhold") and protocol.holds_calls and not shadow
        """Whether calls are held until they are judged."""
        self.fixes: Final = native == "mend"
        """Whether a call that may not run is sent on as it was written, so that its client can tell the model what is wrong."""
        self.guard: Final = guard if self.holds or shadow else guard.observer()
        """What judges the calls."""
        self._name = protocol.name
        self._warns = not protocol.holds_calls and native != "observe"

    def warn(self) -> None:
        """Log, once, that a native call of this protocol is reported and not held, if that is not what the app wants."""
        if self._warns:
            self._warns = False
            log.warning(
                "a native call in a %s stream is reported and not held: the framework has already read it. "
                "Guard the provider's stream instead, or put the gateway in front of the provider",
                self._name,
            )
