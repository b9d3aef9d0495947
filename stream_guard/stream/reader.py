"""The protocol of the object that turns deltas into items: a session, or lanes of sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ..values.events import StreamEnd


class Reader(Protocol):
    """**Protocol:** turns the deltas of a guarded stream into items."""

    @property
    def holding(self) -> bool:
        """Whether text is held back."""
        ...

    @property
    def over(self) -> bool:
        """Whether the guard has ended the stream: its source is to be closed, and `end` called."""
        ...

    def as_delta(self, delta: object) -> Any:
        """Return the delta if it has the right type. Raises TypeError otherwise."""
        ...

    def try_pass(self, delta: Any, /) -> bool:
        """Take a delta that passes unchanged, and return True; else change nothing and return False: then `feed` it."""
        ...

    def feed(self, delta: Any, /) -> Iterator[Any]:
        """Take a delta and yield items.

        Among them is a `Pending` for a block that waits for an answer, and an `Aside` for work to run in a thread.
        """
        ...

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Any]:
        """End the stream and yield the last items."""
        ...
