"""`LaneTable`: the lanes of a stream that have begun, each with its session and its last event with text.

It knows which of them are open, hold something or were aborted, and to which of them a block belongs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Generator
from typing import Any, Final

from stream_guard import Guard, Session, StreamEnd
from stream_guard.spi import SHORT, Aside, Scanned, Spent

from ..protocols import EVERY, Event, Lane
from .any_of import any_of
from .capacity import Capacity

OWES_NOTHING: Final[deque[tuple[int, int]]] = deque()
"""Shared by all lanes whose events have no numbers: an empty one for each would take 600 bytes."""


class LaneState:
    """The state of one lane."""

    __slots__ = ("_counted", "_weight", "ended", "leaving", "like", "owes", "session")

    def __init__(self, session: Session, like: Event) -> None:
        self.session = session
        self.like = like
        """The last event with text. Held text is released in its shape."""
        self.ended = False
        self.leaving = False
        """Whether the lane ends now: what it held leaves before the event that ends it, and so is still within its text."""
        self.owes = OWES_NOTHING
        """How many characters have not left, for each numbered event to which they belong, by its number."""
        self._weight = 0  # size of that event, when it is a long one
        self._counted = 0  # how much was held when that was last counted

    def keep(self, event: Event, weight: int = 0) -> None:
        """Keep the lane's last event with text; `weight` is its size if it is a long one."""
        self.like, self._weight = event, weight

    def ending(self, cause: StreamEnd) -> Generator[Aside[Any], None, list[Scanned]]:
        """End the lane; return what its scanner releases. The scanning of a long text that is held is yielded first."""
        self.ended = True
        return (yield from self.session.ending(cause))

    def growth(self) -> int:
        """Return how many more characters are held than at the last call. An ended lane drops a long event."""
        if self.ended and self._weight:
            self.like, self._weight = None, 0
        held = self.session.held + self._weight
        grown, self._counted = held - self._counted, held
        return grown

    @property
    def is_open(self) -> bool:
        """Whether the lane's text has not ended yet for a client that has read everything that has left."""
        return self.leaving or not self.ended

    @property
    def holds(self) -> bool:
        """Whether anything of the lane is held."""
        return self._counted > 0


class LaneTable:
    """The lanes of one stream.

    Args:
        guard: How to guard them.
        prefix: What the names of their sessions begin with.
        spent: What the guard's model has cost the stream so far.
        capacity: How much the stream may hold, and in how many lanes.
    """

    __slots__ = (
        "_aborted",
        "_capacity",
        "_guard",
        "_left_alone",
        "_may_go_on",
        "_may_hold_block",
        "_may_hold_text",
        "_named",
        "_open",
        "_prefix",
        "_spent",
        "aborted_choices",
        "begun",
    )

    def __init__(self, guard: Guard, prefix: str, spent: Spent, capacity: Capacity) -> None:
        self._guard = guard
        self._prefix = prefix
        self._spent = spent
        self._capacity = capacity
        self._named: dict[str, Lane] = {}  # by the names of their sessions
        self._aborted: set[Lane] = set()
        self._left_alone: set[Lane] = set()
        self.begun: Final[dict[Lane, LaneState]] = {}
        """The state of each lane that has begun; only this class adds any."""
        self.aborted_choices: Final[set[Lane]] = set()
        """The choices of the lanes of which no more is read, because their last block cannot pass."""
        # The lanes that have not ended, may hold a block or a text, or may go on; of some that is true no more.
        self._open: dict[Lane, LaneState] = {}
        self._may_hold_block: dict[Lane, None] = {}
        self._may_hold_text: dict[Lane, None] = {}
        self._may_go_on: dict[Lane, None] = {}

    def taking(self, lane: Lane, event: Event, size: int, repeats: Callable[[Lane], bool]) -> LaneState | None:
        """Return the state of a lane that takes a text now, a new one if need be; None for a lane that is left alone, or is one
        of too many.

        Args:
            lane: The lane.
            event: The event with the text.
            size: The size of the event.
            repeats: Whether a lane repeats another. The blocks of such a lane are held without events.
        """
        if lane in self._left_alone:
            return None
        state, weight = self.begun.get(lane), size if size > SHORT else 0
        new = state is None or state.ended
        if state is None or state.ended:
            if not self._capacity.opens(weight):
                return None
            key = ".".join(map(str, lane))
            name = f"{self._prefix}-{key}"
            if state is not None or key.startswith("call"):  # not the name of a native call
                name += f".{len(self._named)}"
            self._named[name] = lane
            session = self._guard.session(name, patient=True, spent=self._spent, quiet=repeats(lane))
            state = self.begun[lane] = self._open[lane] = LaneState(session, event)
            self._may_go_on[lane] = None
        if new or not weight or not self._capacity.full:
            state.keep(event, weight)
        self._may_hold_block[lane] = self._may_hold_text[lane] = None  # what it is given now
        return state

    def leave_alone(self, lane: Lane) -> None:
        """Note that the text of a lane passes unread until its end, since the model does not write it. A lane that has begun
        is guarded on, and so is one of too many.
        """
        if lane not in self.begun and len(self._left_alone) < self._guard.limits.max_lanes:
            self._left_alone.add(lane)

    # -- open lanes ----------------------------------------------------------------------------------------------------

    @property
    def open(self) -> list[Lane]:
        """The lanes that have not ended."""
        return list(self._open)

    def ending(self, lane: Lane) -> list[Lane]:
        """Return the lanes that end with this one, which may be `EVERY`. If they were left alone, they are so no more."""
        self._left_alone -= self._left_alone if lane == EVERY else {lane}
        return list(self._open) if lane == EVERY else [lane]

    def close(self, lane: Lane) -> LaneState | None:
        """Close a lane, and return its state; None if it is not open."""
        return self._open.pop(lane, None)

    def abort(self, lane: Lane) -> None:
        """Note that no more of a lane is read."""
        self.begun[lane].ended = True
        self._aborted.add(lane)
        self.aborted_choices.add(lane[:1])

    def is_aborted(self, lane: Lane) -> bool:
        """Return whether no more of a lane is read."""
        return lane in self._aborted

    def any_goes_on(self, aborted: Container[Lane]) -> bool:
        """Return whether a text has not ended, and nothing in its choice was aborted; `aborted` are the choices in which a
        call was.
        """

        def goes_on(lane: Lane) -> bool:
            return not (self.begun[lane].ended or lane[:1] in self.aborted_choices or lane[:1] in aborted)

        return any_of(self._may_go_on, goes_on)

    # -- what is held --------------------------------------------------------------------------------------------------

    @property
    def holds_block(self) -> bool:
        """Whether a block of any lane is held."""
        return any_of(self._may_hold_block, self.holds_block_of)

    @property
    def holds_text(self) -> bool:
        """Whether any text is held."""
        return any_of(self._may_hold_text, self._holds_text_of)

    def holds_block_of(self, lane: Lane) -> bool:
        """Return whether a block of a lane is held."""
        return lane in self.begun and self.begun[lane].session.holding

    def _holds_text_of(self, lane: Lane) -> bool:
        return self.begun[lane].session.held > 0

    # -- by block ------------------------------------------------------------------------------------------------------

    def lane_of(self, block: str) -> tuple[Lane, Event] | None:
        """Return the lane of a block, by its id, and the lane's last event with text."""
        lane = self._named.get(block.rpartition("-")[0])
        return (lane, self.begun[lane].like) if lane is not None else None

    def is_open(self, lane: Lane) -> bool:
        """Return whether the text of a lane has begun and its end has not left."""
        return lane in self.begun and self.begun[lane].is_open

    def last(self) -> tuple[Lane, Event, bool] | None:
        """Return a begun lane (if possible one with a held block), its last event with text, and whether it is open."""
        found = max(self.begun.items(), key=lambda one: (one[1].is_open, one[1].session.holding), default=None)
        return (found[0], found[1].like, found[1].is_open) if found is not None else None
