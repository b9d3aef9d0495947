"""`Pending`: a block that waits for an answer, from a corrector or an approver.

Rule: the caller only asks and hands back the answer. Whether to ask, and what an answer makes of the block, is decided by
`Correction` and `Approving`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from ..values.events import ToolBlock, ToolStatus


class Pending(ABC):
    """One block that waits for an answer."""

    __slots__ = ("_follow", "id", "is_last", "tells")

    def __init__(self, id: str, *, is_last: bool = True) -> None:
        self.id = id
        """Id of the block."""
        self._follow: Callable[[ToolBlock], Iterable[Any]] | None = None
        self.tells = True
        """Whether its events are yielded. An adapter may send only what follows the block."""
        self.is_last = is_last
        """Whether its call is the last of the block."""

    @property
    def follow(self) -> Callable[[ToolBlock], Iterable[Any]] | None:
        """Returns what leaves after the block's event; None if nothing does."""
        return self._follow

    def follow_with(self, follow: Callable[[ToolBlock], Iterable[Any]]) -> None:
        """Yield what `follow` returns after the block's event. Later text then waits for the block, whatever the `order`."""
        self._follow = follow

    def take_over(self, before: Pending) -> None:
        """Take the place of `before`, which was answered: whatever was to follow its block now follows the block of this
        `Pending`.
        """
        self._follow, self.tells, self.is_last = before.follow, before.tells, before.is_last

    @property
    @abstractmethod
    def is_long(self) -> bool:
        """Whether the work on it may take long enough to block the event loop."""

    @abstractmethod
    def begin(self, now: float) -> tuple[ToolStatus, Any] | ToolBlock:
        """Begin to ask: returns the status and the request, or the block's event if nobody is asked."""

    @abstractmethod
    def answer(self, reply: Any, now: float) -> ToolBlock | Pending | None:
        """Take an answer. Returns the block's event, the next `Pending` of the block, or None if this one is to begin again."""

    @abstractmethod
    def fail(self, error: BaseException, now: float) -> ToolBlock | None:
        """Note that the corrector or approver raised. Returns the block's event; None if this is to begin again."""

    @abstractmethod
    def give_up(self, error: BaseException) -> ToolBlock:
        """Return the block's event if the answer is not waited for any more."""
