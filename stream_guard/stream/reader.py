"""What a guarded stream needs of the object that reads its deltas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ..values.events import StreamEnd


class Reader(Protocol):
    """**Protocol:** what a guarded stream is told of each delta, and what it has to say of it."""

    @property
    def holding(self) -> bool:
        """Whether something is held back."""
        ...

    def checked(self, delta: object) -> Any:
        """The delta, if it is of the kind that belongs here. Raises TypeError."""
        ...

    def try_pass(self, delta: Any, /) -> bool:
        """Take a delta if it leaves as it is, at once. What is not taken is to be fed."""
        ...

    def feed(self, delta: Any, /) -> Iterator[Any]:
        """Take a delta; give out, one by one, what can be said: items, a `Pending`, an `Aside`."""
        ...

    def end(self, cause: StreamEnd = "stop") -> Iterator[Any]:
        """There are no more."""
        ...
