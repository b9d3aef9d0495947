"""`Texts`: guards the texts of provider events, each by the session of its lane.

    event, lane, text -> feed -> the lane's session -> pieces of the event, ToolStatus, ToolBlock
    lane, cause -> close -> what was held, in the shape of the lane's last event with text

Rule 1: an event with one text leaves as the object that came, unless some of the text is held. Its other members leave with the
first piece or the last.
Rule 2: held text leaves in the form in which it came. Where the form of a lane changes, another text begins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import Any

from stream_guard import Pending, StreamEnd, ToolBlock
from stream_guard.spi import Closed, Released, Scanned, Unclosed

from ..protocols import EVERY, Ended, Event, Lane, Protocol
from .capacity import Capacity
from .event_numbers import EventNumbers
from .lane_table import OWES_NOTHING, LaneState, LaneTable
from .promotion import Promotion
from .repeated_texts import RepeatedTexts
from .shown import Shown


class Texts:
    """The texts of one stream.

    Args:
        protocol: The protocol of the stream.
        table: Its lanes.
        numbers: The numbers of its events, by what is held of them.
        capacity: How much of it is held.
        shown: The text that its blocks leave in the texts.
        repeated: The texts that repeat others.
        promotion: Its calls that are sent as native calls instead; None if there are none.
    """

    __slots__ = ("_capacity", "_numbers", "_promised", "_promotion", "_protocol", "_repeated", "_shown", "_table")

    def __init__(
        self,
        protocol: Protocol,
        table: LaneTable,
        numbers: EventNumbers,
        capacity: Capacity,
        shown: Shown,
        repeated: RepeatedTexts,
        promotion: Promotion | None,
    ) -> None:
        self._protocol = protocol
        self._table = table
        self._numbers = numbers
        self._capacity = capacity
        self._shown = shown
        self._repeated = repeated
        self._promotion = promotion
        self._promised: dict[Lane, object] = {}  # the lanes with blocks that wait to be promoted, by what holds their numbers

    def feed(self, event: Event, lane: Lane, text: str, ends: Sequence[Ended], size: int) -> Iterator[Any]:
        """Yield an event with text, whole or in pieces. The event's other members are in the first piece or in the last."""
        if self._table.is_aborted(lane):
            if self._protocol.beside(event):
                yield self._protocol.piece(event, lane, "", first=True, last=True)
            return
        if self._changes_form(lane, event):
            yield from self.close(lane, "disconnect")
        state = self._table.taking(lane, event, size, self._protocol.repeats)
        if state is None:
            yield event
            return
        if self._protocol.counts:
            if state.owes is OWES_NOTHING:
                state.owes = deque()
            state.owes.append((self._numbers.at_hand, len(text)))
        items: Iterator[Any] = state.session.events(self._noted(lane, (yield from state.session.scanning(text))))
        for ended, cause in ends:
            if ended in (lane, EVERY):
                items = chain(items, state.session.events(self._noted(lane, (yield from state.ending(cause or "unknown")))))
                self._table.close(lane)
        self._weigh(state)
        first, begun = True, False
        item = next(items, None)
        if item is text:
            item = next(items, None)
            if item is None:
                state.owes.clear()
                yield event
                return
            yield self._protocol.piece(event, lane, text, first=True, last=False)
            self._has_left(state, len(text))
            first = False
        while item is not None:
            if isinstance(item, str):
                pieces = [item]
                while isinstance(item := next(items, None), str):
                    pieces.append(item)
                yield self._protocol.piece(event, lane, "".join(pieces), first=first, last=False)
                self._has_left(state, sum(map(len, pieces)))
                first = False
            else:
                if first and self._protocol.begins(event):
                    yield self._protocol.piece(event, lane, "", first=True, last=False)
                    first, begun = False, True
                first = (yield from self._event_items(item, lane, event, first=first)) and first
                item = next(items, None)
        if state.session.over:
            self._table.abort(lane)
        if state.session.over or not state.session.held:
            self._holds_nothing(state)
        if self._protocol.beside(event) and not begun:
            yield self._protocol.piece(event, lane, "", first=first, last=True)

    def _changes_form(self, lane: Lane, event: Event) -> bool:
        """Return whether something is held of a lane that clients read in another form than the text of this event."""
        state = self._table.begun.get(lane)
        if state is None or state.ended or not state.session.held:
            return False
        return self._protocol.form(state.like, lane) != self._protocol.form(event, lane)

    def close(self, lane: Lane, cause: StreamEnd) -> Iterator[Any]:
        """End a lane, or all of them. Held text is released in the shape of the lane's last event with text."""
        for name in self._table.ending(lane):
            state = self._table.close(name)
            if state is None or state.ended:
                continue
            items, like = state.session.events(self._noted(name, (yield from state.ending(cause)))), state.like
            self._weigh(state)
            state.leaving = True
            for item in items:
                if isinstance(item, str):
                    yield self._protocol.piece(like, name, item, first=False, last=False)
                    self._has_left(state, len(item))
                else:
                    yield from self._event_items(item, name, like, first=False)
            state.leaving = False
            self._holds_nothing(state)

    def let_promoted_go(self) -> None:
        """Note that the blocks of some texts may have been promoted: those that do not wait any more hold no number."""
        if self._promotion is not None:
            for lane in [lane for lane in self._promised if not self._promotion.awaits(lane)]:
                self._numbers.let_go(self._promised.pop(lane))

    def _event_items(self, item: Any, lane: Lane, like: Event, *, first: bool) -> Generator[Any, None, bool]:
        """Yield an item and the events with its text; return True if no event has a text for it."""
        if isinstance(item, ToolBlock):
            shown = list(self._placed(lane, like, first, item))
            yield item
            yield from shown
            self._has_left(self._table.begun[lane], len(item.raw))
            return not shown
        left: list[Event] = []

        def placed(block: ToolBlock) -> list[Event]:
            left.extend(self._placed(lane, like, first, block))
            return left

        if isinstance(item, Pending) and (self._shown.shows or self._promotion is not None):
            item.follow_with(placed)  # the caller finishes the correction before it asks for the next item
        yield item
        return not left

    def _placed(self, lane: Lane, like: Event, first: bool, block: ToolBlock) -> Iterator[Event]:
        """Yield the events with a block's text, if the text shows it."""
        promoted = (
            self._promotion is not None
            and not self._shown.stands(block)
            and self._promotion.takes(lane, self._table.begun[lane].like, block, self._shown.instead_of(block))
        )
        if promoted:  # it leaves when its message has ended
            self._numbers.hold(self._promised.setdefault(lane, object()), since=self._table.begun[lane])
        text = self._shown.text_of(lane, block, promoted=promoted)
        if text:
            self._shown.event = self._protocol.piece(like, lane, text, first=first, last=False)
            yield self._shown.event

    def _weigh(self, state: LaneState) -> None:
        """Count what is held of a lane now. If the stream holds too much, the block of this lane ends as oversize."""
        self._capacity.hold(state.growth())
        if state.session.held:
            self._numbers.hold(state)
        if state.holds and self._capacity.full:
            state.session.overflow()

    def _has_left(self, state: LaneState, size: int) -> None:
        """Note that so many characters of a lane have left."""
        while state.owes and size >= state.owes[0][1]:
            size -= state.owes.popleft()[1]
        if state.owes:
            number, left = state.owes[0]
            state.owes[0] = number, left - size
            self._numbers.move(state, number)

    def _holds_nothing(self, state: LaneState) -> None:
        """Note that all of a lane has left."""
        state.owes.clear()
        self._numbers.let_go(state)

    def _noted(self, lane: Lane, scanned: list[Scanned]) -> list[Scanned]:
        """Note the blocks of a text, in case they are repeated. A text that repeats another is returned as that was sent."""
        if self._protocol.repeats(lane):
            return list(self._repeated.shown(lane, scanned))
        for item in scanned:
            if isinstance(item, Closed):
                self._shown.note_block(item.block)
            elif isinstance(item, Released) and item.reason == "unknown_tool":
                self._capacity.note("unknown tool")
            elif isinstance(item, Unclosed):
                self._capacity.note("open reasoning")
        return scanned
