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

    def checked(self, delta: object) -> Any:
        """Return the delta if it has the right type. Raises TypeError otherwise."""
        ...

    def try_pass(self, delta: Any, /) -> bool:
        """Take a delta that may pass unchanged, and return True. A delta that is not taken must be fed."""
        ...

    def feed(self, delta: Any, /) -> Iterator[Any]:
        """Take a delta and yield items, and where they arise a `Pending` or an `Aside`."""
        ...

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Any]:
        """End the stream and yield the last items."""
        ...
