"""`Lanes`: guards each text of a provider's stream by itself, and passes everything else.

    event -> WaitingEvents -> its calls (Calls) -> its texts (Texts) -> pieces of the event, ToolStatus, ToolBlock
    what may leave -> Promotion -> without the calls that are not sent on -> ChoiceOrder, AbortedReply -> NumberedEvents

`Lanes` decides when an event is read, and in which order; what it decides by is kept in the classes named here, of which
none knows `Lanes`.

Rule 1: an event leaves as the object that came, unless some of it is held.
Rule 2: the other members of an event leave while its text is held; what ends a lane leaves after the lane's last text.
Rule 3: lanes are independent: the events of a lane are those of its text alone.
Rule 4: the contents of an event leave in order: its text, the calls, and the end of the message. The guard's events of a call
do not wait for the events before it: they leave as soon as there is anything to report.
Rule 5: a guess of the protocol is settled by the first event with text or a call in any protocol. After that, text and calls
in another protocol pass, and are reported.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, Final

from stream_guard import End, Guard, Pending, Session, StreamEnd, ToolBlock, ToolStatus
from stream_guard.spi import EVENT, SHORT, Aside, Spent, call_id

from ..protocols import EVERY, TEXT, Event, Lane, Protocol, carrying, is_foreign, is_mixed
from .aborted_reply import AbortedReply
from .capacity import Capacity, part_size
from .choice_order import ChoiceOrder
from .event_numbers import EventNumbers
from .first_events import FirstEvents
from .lane_table import LaneTable
from .native_calls import Calls
from .numbered_events import NumberedEvents
from .promotion import Promotion
from .repeated_texts import RepeatedTexts
from .settings import DEFAULTS, Settings, check_guard
from .shown import Shown
from .texts import Texts
from .waiting_events import WaitingEvents, last_begun

log: Final = logging.getLogger("stream_guard")

_MOST_WAITING: Final = 64
"""Limit: events that are held while the finish reason of a text that ended inside a block is unknown."""


_Parts = list[tuple[Event, int]]
"""What is to be read apart from the event that it came in: events, each with its size."""

_Moment = tuple[bool, int, Lane | None]
"""What was so when an item was made that leaves later: whether it had a block as text, how many calls had passed, and the lane
that it is an event of, if that was open."""


class Lanes:
    """The texts and the calls of one stream of provider events.

    Args:
        guard: How to guard them.
        protocol: The protocol of the stream.
        settings: How to treat its calls.
        others: The protocols that it may have instead, if `protocol` is a guess from events that carry nothing.
    """

    __slots__ = (
        "_calls",
        "_capacity",
        "_choices",
        "_early",
        "_first",
        "_follows",
        "_guard",
        "_numbered",
        "_numbers",
        "_odd_ends",
        "_others",
        "_plain",
        "_prefix",
        "_promotion",
        "_repeated",
        "_reply",
        "_sends_events",
        "_settings",
        "_shown",
        "_spent",
        "_still_open",
        "_table",
        "_texts",
        "_waiting",
        "protocol",
    )

    def __init__(
        self,
        guard: Guard,
        protocol: Protocol,
        settings: Settings = DEFAULTS,
        others: Collection[Protocol] = (),
    ) -> None:
        check_guard(guard)
        self._guard = guard
        self._capacity = Capacity(guard.limits, settings.note)
        self._others = others
        self._first = FirstEvents() if not others else None  # until an event of a named protocol has come
        self._prefix = settings.stream_id if settings.stream_id is not None else os.urandom(5).hex()
        self._spent = Spent()
        self._settings = settings
        self._follows = False
        self._table = LaneTable(guard, self._prefix, self._spent, self._capacity)
        self._waiting = WaitingEvents(self._capacity)
        self._early = 0  # calls that have passed since the item was made that leaves now
        self._sends_events = settings.sends_events
        self._shown = Shown(self._capacity, shows=settings.shows, settings=guard.settings)
        self._repeated = RepeatedTexts(guard, self._shown, self._capacity)
        self._odd_ends: dict[int, tuple[Event, Event]] = {}  # by `id`: ends that were read of odd events, with the events
        self._choices = ChoiceOrder()
        self._reply = AbortedReply() if guard.settings.early == "abort" else None
        self._plain: Event | None = None  # the last one that `try_pass` found to have one text, and did not take
        self._still_open: Lane | None = None  # the lane that was open when what leaves now was made
        self._use(protocol)

    def _use(self, protocol: Protocol) -> None:
        """Use this protocol's table from now on. The caller makes sure that no text was read with another table."""
        self.protocol = protocol
        """The protocol of the stream."""
        self._numbers = EventNumbers()
        self._numbered = NumberedEvents(protocol, self._numbers)
        calling = protocol if self._settings.native != "off" else TEXT  # which has no native calls
        self._calls = Calls(
            self._guard,
            calling,
            self._prefix,
            self._settings.native,
            self._spent,
            self._capacity,
            self._numbers,
            follows=self._follows,
        )
        promotes = self._settings.promote and protocol.promotes
        self._promotion = Promotion(protocol, self._capacity, self._calls, self._settings.promotable) if promotes else None
        self._texts = Texts(protocol, self._table, self._numbers, self._capacity, self._shown, self._repeated, self._promotion)

    @property
    def settled(self) -> bool:
        """Whether the protocol is certain."""
        return not self._others

    def _notice(self, event: Event) -> None:
        """Settle the guess by an event with text or a call. From then on, report other protocols' events. Note its number."""
        try:
            if self._others:
                found = carrying(event, self._others)
                if found is not None:
                    self._others = ()
                    if found is not self.protocol:
                        self._use(found)
            number = self._numbered.number_of(event)
            if number is not None:
                self._numbers.came(number)
            reads = self.protocol.reads(event)
            if reads and self._reply is not None and (event is self._plain or self._has_content(event)):
                self._reply.like = event
            for choice in self.protocol.choices(event) if reads else ():
                self._choices.came(choice, event)
            if not self._others and isinstance(event, dict) and is_foreign(event, self.protocol):
                self._capacity.note("other protocol")
        except Exception:  # an object may raise whatever it likes; `_read` meets it again, and reports it
            return

    def _has_content(self, event: Event) -> bool:
        """Return whether an event has a piece of a call, or text."""
        return bool(self.protocol.calls(event) or self.protocol.texts(event))

    @property
    def holding(self) -> bool:
        """Whether a block or a call is held."""
        return self._calls.holding or self._table.holds_block

    @property
    def ends_silently(self) -> bool:
        """Whether nothing would be yielded if the stream ended now."""
        return not (self.holding or self._waiting.any or self._promotion is not None)

    @property
    def over(self) -> bool:
        """Whether the stream is over: a lane or a call was aborted, and no other one is open."""
        aborted = self._table.aborted_choices or self._calls.aborted
        if not aborted or self.holding or self._waiting.any:
            return False
        return not self._table.any_goes_on(self._calls.aborted)

    def as_delta(self, delta: object) -> Any:
        """Return the event unchanged: this reader takes any event. An event of another protocol passes."""
        return delta

    def try_pass(self, delta: Event, /) -> bool:
        """Take an event if it leaves unchanged: one text that opens no block, and nothing else. Return whether it was taken."""
        try:
            found = self.protocol.plain(delta)
            session = self.flowing(found[0]) if found is not None else None
            number = self._numbered.number_of(delta)
        except Exception:  # `feed` meets it again, and reports it
            return False
        if found is None:
            return False
        short = session is not None and len(found[1]) <= SHORT and not (isinstance(delta, dict) and is_mixed(delta))
        kept = number is None or self._numbers.fits
        if session is None or not (short and kept and session.try_pass(found[1])):
            self._plain = delta if found[1] else None
            return False
        if number is not None:
            self._numbers.passed(number)
        self._table.begun[found[0]].keep(delta)
        return True

    @property
    def all_left(self) -> bool:
        """Whether everything has left of the events that were read."""
        return self._numbers.all_left

    @property
    def in_sequence(self) -> bool:
        """Whether an event of the provider that has a number may leave unchanged."""
        return self._numbers.fits

    def passed(self, number: int) -> None:
        """Note that an event of the provider with this number left unchanged."""
        self._numbers.passed(number)

    def _numbering(self, items: Iterator[Any], *, reads: bool) -> Iterator[Any]:
        """Yield the items that leave, the events among them with their numbers; `reads` says that an event is being read."""
        return self._numbered.numbered(items, self._moment, self._leave, reads=reads)

    def _moment(self, item: Any) -> _Moment:
        """Return what was so when an item was made."""
        return item is self._shown.event, len(self._calls.passed), self._open_lane(item)

    def _leave(self, item: Any, made: _Moment) -> Iterator[Any]:
        """Yield an item that leaves now. Questions about it meanwhile are answered as when it was made."""
        shows, passed, self._still_open = made
        self._early = len(self._calls.passed) - passed
        if shows:
            self._shown.event = item
        yield item
        self._still_open = None

    def flowing(self, lane: Lane) -> Session | None:
        """Return the session of a lane; None if the lane has not begun, has ended, or has to wait."""
        state = self._table.begun.get(lane)
        waits = self._waiting.any or bool(self._calls.gaps)
        waits = waits or (self._promotion is not None and self._promotion.awaits(lane))
        return state.session if state is not None and not state.ended and not waits else None

    def feed(self, delta: Event, /, size: int = 0) -> Iterator[Any]:
        """Take an event; yield what may leave. An event that cannot be read passes as it came.

        `size` is its size in bytes, if it came as bytes.

        Raises:
            TypeError: It is bytes, no event came before it, and the caller named the protocol, so that events were expected.
        """
        if self._first is not None and self._first.check(delta, size, self.protocol):
            self._first = None
        self._notice(delta)
        if isinstance(delta, End):
            return self._ended(delta.cause)
        return self._numbering(self._leaving(self._safely(delta, self._fed(delta, size))), reads=True)

    def _fed(self, event: Event, size: int) -> Iterator[Any]:
        """Yield what leaves with an event: all of it, what waited before it, or nothing if it has to wait itself.

        An event may turn out to be several, which are read one after the other: an earlier one may have to wait, and then all
        that come after it wait too.
        """
        left = deque([(event, size)])
        while left:
            parts: _Parts = []
            yield from self._read(*left.popleft(), parts)
            left.extendleft(reversed(parts))

    def _read(self, event: Event, size: int, parts: _Parts) -> Iterator[Any]:
        """Yield what may leave for an event; or, if it is to be read in parts instead, append these to `parts`."""
        reads = self.protocol.reads(event)
        odd = None if reads else self.protocol.read_end(event)
        if odd is not None and (odd[1] is None or not self._passes(odd[0])):
            self._ended_by(event, *odd, size, parts)
        elif self._waiting.for_reason:
            yield from self._read_later(event, size, parts, reads=reads)
        elif reads:
            if self.protocol.unread(event):
                self._capacity.note("odd event")
            yield from self._safely(event, self._taken(event, size, parts))
        elif self._waiting.after_call or self._is_behind(event):  # it keeps its place among those that wait for a call
            self._calls.may_lack_a_part()
            yield from self._wait_after_call(event, size)
        else:  # it passes as it came; it may have had a part of what is held, and then that was cut off
            self._capacity.note("odd event")
            yield from self._lost()
            yield event

    def _read_later(self, event: Event, size: int, parts: _Parts, *, reads: bool) -> Iterator[Any]:
        """Let an event wait behind those that wait for a finish reason; yield what leaves if it has that reason, or if too
        much waits. `reads` says that it has the shape of its table.
        """
        if not reads:  # calls may be read on before it is its turn
            self._calls.may_lack_a_part()
        elif self._divided(event, size, parts):
            return
        reasons = self._reasons(event)
        if reads and not reasons and not (yield from self._ahead(event, size)):
            return
        self._wait(event, size)
        calls = self._calls.holding
        if self._waiting.awaits(reasons):
            yield from self._end_waiting()
        elif self._capacity.full:  # nobody knows whether the calls were to stand
            yield from self._end_waiting("disconnect" if calls else "unknown")
        elif len(self._waiting.for_reason) >= _MOST_WAITING and not calls:
            yield from self._end_waiting("unknown", known=False)

    def _passes(self, end: Event) -> bool:
        """Return whether an end leaves as it is, with nothing before it."""
        held = not self.ends_silently or self._table.holds_text
        return not held and self._calls.groups.without(end) is end

    def _divided(self, event: Event, size: int, parts: _Parts) -> bool:
        """Append an event with calls and more, as events with one thing each, to `parts`, if some of it may be held. Return
        whether it was.
        """
        apart = self._calls.takes(event) or self._promotion is not None
        found = self.protocol.in_order(event) if apart else ()
        if len(found) < 2:
            return False
        parts.extend((part, part_size(part, size)) for part in found)
        return True

    def _ended_by(self, event: Event, end: Event, left: Event | None, size: int, parts: _Parts) -> None:
        """Divide an event of which only the `end` can be read; `left` is the rest of the event, if there is any.

        What is held leaves before the end, as before any end. The rest of the event passes unread before that, and its calls
        keep their numbers. If there is no rest, the event leaves as it came when it is the end's turn.
        """
        self._note_unread(event)
        if left is None:
            self._capacity.note("odd event")
            self._odd_ends[id(end)] = end, event
        else:
            parts.append((left, size))
        parts.append((end, size))

    def _reasons(self, event: Event) -> dict[Lane, StreamEnd]:
        """Return the ends that an event has, each by its choice or by `EVERY`."""
        found = self.protocol.ends(event) if self.protocol.reads(event) else ()
        return {lane if lane == EVERY else lane[:1]: cause for lane, cause in found if cause is not None}

    def _ahead(self, event: Event, size: int) -> Generator[Any, None, bool]:
        """Read the calls in an event that has to wait: yield what is known of them. Return whether some of it has to wait."""
        calls = self._calls
        if self._waiting.was_read(event):
            return True
        pieces = calls.pieces(event)
        if not calls.may_overtake(pieces, self._waiting.passed_over):
            self._waiting.pass_over(piece.call for piece in pieces)
            calls.expect(event, pieces)
            return True
        left: Event | None = event
        if pieces:
            items: list[Any] = []
            left = yield from calls.feed(event, size, items)
            yield from items
        ends = yield from calls.ends.of(event)
        if any(call.key in self._waiting.passed_over for call, _ in ends) and not pieces:
            return True
        if pieces or ends:
            calls.ends.note(ends)
            if left is None and not ends:
                return False
            self._waiting.keep_half(event, left, ends)
        return True

    def _wait(self, event: Event, size: int, *, after_call: bool = False) -> None:
        """Let an event wait for a reason, or for the end of a call."""
        if not size:
            size = EVENT + sum(len(text) for _, text in self.protocol.texts(event)) if self.protocol.reads(event) else EVENT
        self._waiting.put(event, size, after_call=after_call)
        self._numbers.hold(id(event))

    def _leaving(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the items that leave: the guard's events if they are sent; after a text, its promoted calls as native calls."""
        for item in items:
            if isinstance(item, ToolStatus | ToolBlock):
                if self._sends_events:
                    about = self.lane_of(item.id) if self._choices.any_held else None
                    yield from self._in_turn([about[0][:1]]) if about is not None else ()
                    yield item
            elif isinstance(item, Pending):
                item.tells = self._sends_events
                if item.follow is not None:
                    item.follow_with(partial(self._following, item.follow))
                yield item
            elif isinstance(item, Aside):
                yield item
            elif not self._reads(item):
                yield from self._placed_unread(item)
            elif self._promotion is None:
                yield from self._safely(item, self._as_sent(item))
            else:
                for event in self._safely(item, self._promotion.passing(item)):
                    yield from self._safely(event, self._as_sent_by_promotion(event))
                self._texts.let_promoted_go()

    def _reads(self, event: Event) -> bool:
        """Return whether an event that leaves has the shape of its table. Never raises."""
        try:
            return self.protocol.reads(event)
        except Exception:  # it was read when it came, and that was reported
            return False

    def _placed_unread(self, event: Event) -> Iterable[Event]:
        """Return an event that passes unread, with its place after calls were left out; nothing if it is about one of these, or
        about one that is held.
        """
        left: Event | None = event
        with suppress(Exception):  # the event may have any shape
            left = self._calls.passing_unread(event)
        if left is None and event is not None:
            return ()
        self._note_unread(left)
        try:
            return self._calls.gaps.placed_unread(left)
        except Exception:
            return (left,)

    def _note_unread(self, event: Event) -> None:
        """Note the numbers in an event that passes unread: later calls and items get other numbers."""
        with suppress(Exception):  # the event may have any shape
            self._calls.numbers.note_unread(event)
        with suppress(Exception):
            if self._promotion is not None:
                self._promotion.note(event)

    def _following(self, follow: Callable[[ToolBlock], Iterable[Any]], block: ToolBlock) -> list[Any]:
        """Return the items that leave after a block whose correction has ended; the same as after any other block."""
        return list(self._numbering(self._leaving(iter(follow(block))), reads=False))

    def _as_sent_by_promotion(self, event: Event) -> Iterator[Event]:
        """Yield an event of the promotion as `_as_sent` does."""
        if self._promotion is not None and event is self._promotion.told:
            self._shown.event = event
        yield from self._as_sent(event)

    def _as_sent(self, event: Event) -> Iterator[Event]:
        """Yield an event with the changes that are needed because some call was not sent on."""
        shows = event is self._shown.event
        self._calls.groups.note_unread(event)
        event = self._calls.gaps.placed(self._calls.groups.without(event))
        if event is not None:
            choices = self.protocol.choices(event) if self._choices.any_held else ()
            if choices:
                yield from self._in_turn(choices)
            event = self._as_it_came(event)
            if self._reply is not None:
                self._reply.left(event, self.protocol)
            self._shown.event = event if shows else self._shown.event
            yield event

    def _as_it_came(self, event: Event) -> Event:
        """Return an event that leaves; if it is the unchanged end of an odd event, that event as it came."""
        return self._odd_ends.pop(id(event), (None, event))[1] if self._odd_ends else event

    def _has_call(self, group: Lane) -> bool:
        """Return whether a call of a choice, or of the message, has left completely, and none has left in part."""
        promoted = self._promotion is not None and group in self._promotion.groups
        return promoted or self._calls.has_sent_whole(group)

    def _in_turn(self, choices: Sequence[Lane]) -> Iterator[Event]:
        """Yield what has to leave before something of these choices: of each earlier choice of which nothing has left, an
        event without content.
        """
        before = self._choices.before(choices)
        for choice, event in before:
            yield self.protocol.opening(event, choice)
        self._choices.left([*(choice for choice, _ in before), *choices])

    def placed(self, event: Event) -> Event:
        """Return a guard's event that leaves now, with the place of its text after calls were left out, and with its number."""
        return self._numbered.added(self._calls.gaps.moved(event))

    def placed_text(self, raw: bytes) -> bytes | None:
        """Return the bytes of an event that passes unread, or its first bytes, with its place after calls were left out; None
        if it is about one of these.
        """
        return self._calls.gaps.placed_text(raw)

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Any]:
        """End the stream; yield everything that is still held. A text that no event has ended was cut off."""
        if cause == "unknown" and self.protocol is not TEXT:
            cause = "disconnect"
        closing: Iterator[Event] = iter(())
        if self._reply is not None and self.over:
            aborted = {*self._table.aborted_choices, *self._calls.aborted}
            unended = self._reply.unended(aborted, self.protocol, self._has_call)
            closing = self._safely(None, self._reply.closing(unended, self.protocol))
        yield from self._numbering(chain(self._all_ended(cause), closing), reads=False)

    def _ended(self, cause: StreamEnd) -> Iterator[Any]:
        return self._numbering(self._all_ended(cause), reads=False)

    def _all_ended(self, cause: StreamEnd) -> Iterator[Any]:
        yield from self._leaving(self._over(cause))
        yield from self._safely(None, self._promoted(cause))

    def _promoted(self, cause: StreamEnd) -> Iterator[Event]:
        """Yield the promoted calls that no event has ended, at the end of the stream."""
        if self._promotion is not None:
            for event in self._promotion.end(cause):
                yield from self._as_sent_by_promotion(event)

    def _over(self, why: StreamEnd) -> Iterator[Any]:
        """End all texts and calls. The waiting events come first, since they may have pieces of both, or begin new ones.

        An internal error in one step of it keeps no other from being done.
        """
        yield from self._safely(None, self._waiting_over(why))
        for event, _ in [*self._waiting.take(), *self._waiting.take_after_call()]:  # those that an error has left
            self._numbers.let_go(id(event))
            left = self._calls.uncalled(event)
            if left is not None:
                yield left
        for lane in self._table.open:
            yield from self._safely(None, self._texts.close(lane, why))
        yield from self._safely(None, self._calls.close_all(why))

    def _waiting_over(self, why: StreamEnd) -> Iterator[Any]:
        """End the texts and calls that the waiting events wait for, until no event waits."""
        while self._waiting.any:
            if self._waiting.for_reason:
                yield from self._end_waiting(why)
            else:
                yield from self._calls.close_first(why)
                yield from self._turn()

    def _turn(self) -> Iterator[Any]:
        """Feed the events that waited after a call."""
        for event, size in self._waiting.take_after_call():
            yield from self._fed_again(event, size)  # one may have to wait for a finish reason, and all that come after it

    def _fed_again(self, event: Event, size: int) -> Iterator[Any]:
        """Feed an event that waited."""
        with self._numbers.of(id(event)):
            yield from self._safely(event, self._fed(event, size))

    def lane_of(self, block: str) -> tuple[Lane, Event] | None:
        """Return the lane of a block, by its id, and the lane's last event with text."""
        return self._table.lane_of(block)

    def native_id(self, status: ToolStatus) -> str | None:
        """Return the id that a block gets if it is sent on as a native call of the tool that it names; None if unknown."""
        if status.tool_type is None or self._guard.tools.get(status.tool_type) is None:
            return None
        if self.lane_of(status.id) is not None:
            return call_id(status.id) if self._promotion is not None else None
        return self._calls.sessions.ids.get(status.id)

    def unknown_calls(self) -> list[ToolBlock]:
        """Return a failed block for each native call of a tool that the guard does not know."""
        return self._calls.unknown()

    @property
    def begun_calls(self) -> Mapping[str, int]:
        """The number of each native call, in the order in which they began, by the ids of their blocks."""
        return self._calls.sessions.begun

    @property
    def passed_calls(self) -> int:
        """How many native calls so far were of tools that the guard does not know."""
        return len(self._calls.passed) - self._early

    def follow(self) -> None:
        """Keep the arguments of native calls that pass, for `unknown_calls`. Called before the first event."""
        self._follows = True
        self._use(self.protocol)

    def is_open(self, lane: Lane) -> bool:
        """Return whether the text of a lane has begun and its end has not left."""
        return lane == self._still_open or self._table.is_open(lane)

    def _open_lane(self, item: Any) -> Lane | None:
        """Return the lane of an event of the guard, if its text is open now."""
        known = self.lane_of(item.id) if isinstance(item, ToolStatus | ToolBlock) else None
        return known[0] if known is not None and self._table.is_open(known[0]) else None

    def last_lane(self) -> tuple[Lane, Event, bool] | None:
        """Return a begun lane (if possible one with a held block), its last event with text, and whether it is open."""
        return self._table.last()

    def is_block(self, event: Event) -> bool:
        """Return whether the text of an event that was just yielded is a block, which a guard's event announced too."""
        return self._sends_events and event is self._shown.event

    # -- one event -----------------------------------------------------------------------------------------------------

    def _is_behind(self, event: Event) -> bool:
        """Return whether an event of any shape is about a place after a held call. Never raises."""
        try:
            return self._calls.behind(event)
        except Exception:
            return False

    def _lost(self) -> Iterator[Any]:
        """End the held blocks as cut off, since an event passes unread that may have had a part of one, or of a call."""
        self._calls.may_lack_a_part()
        for lane in filter(self._table.holds_block_of, self._table.open) if self.holding else ():
            yield from self._safely(None, self._texts.close(lane, "disconnect"))

    def _safely(self, event: Event | None, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the items for an event. Promise P9: an internal error affects one event only, which passes as it came.

        A call is never sent on unguarded: if the event has one, or one is held, the calls fail and the rest passes.
        `event` is None for the end of a text, a call or the stream.
        """
        anything = False
        try:
            for item in items:
                anything = anything or not isinstance(item, Aside)
                yield item
        except Exception as error:
            log.error(
                "the guard failed on an event: %s; its text passes unguarded, and its calls are not sent on",
                type(error).__name__,
            )
            self._capacity.note("guard error")
            for failed in self._calls.fail(event, error):
                if self._sends_events:
                    yield failed
            left = self._calls.uncalled(event) if event is not None else None
            if event is not None:
                yield from self._lost()
            if not anything and left is not None:
                yield left

    def _taken(self, event: Event, size: int, parts: _Parts) -> Iterator[Any]:
        """Yield what may leave for an event of the shape of its table: first its calls are taken, then its texts. What is to
        be read apart from it is appended to `parts` instead.
        """
        if self._calls.behind(event) or self._calls.is_within(event):
            yield from self._wait_after_call(event, size)
            return
        out: list[Any] = []
        if self._calls.keeps(event, size or EVENT, out):
            yield from out
            return
        others = self.protocol.others_text(event)
        if others is not None:
            self._table.leave_alone(others)
        found = self.protocol.plain(event)
        if found is not None:
            yield from self._texts.feed(event, *found, (), size)
            return
        if self._divided(event, size, parts):
            return
        left = yield from self._through_calls(event, size)
        if left is None:
            return
        if self._waiting.for_reason:  # earlier events wait for a finish reason now, which this event may have
            parts.append((left, size))
            return
        event = left
        texts = self.protocol.texts(event)
        if texts and (self.protocol.ends(event) or not all(self._calm(lane, text) for lane, text in texts)):
            yield from self._apart(event, size)
        else:
            yield from self._one(event, size)

    def _wait_after_call(self, event: Event, size: int) -> Iterator[Any]:
        """Keep an event whose call has its place after a held call. Too many such events end the calls that are held."""
        if self.protocol.reads(event) and not (yield from self._ahead(event, size)):
            return
        self._wait(event, size, after_call=True)
        if len(self._waiting.after_call) >= self._guard.limits.max_waiting or self._capacity.full:
            yield from self._calls.overflow()
            yield from self._turn()

    def _through_calls(self, event: Event, size: int) -> Generator[Any, None, Event | None]:
        """Yield what leaves for the calls of an event; return the rest of the event, None if that is empty or has to wait."""
        calls = self._calls
        half = self._waiting.take_half(event)
        if half is not None:
            left, ends = half.left, half.ends
        else:
            items: list[Any] = []
            left = yield from calls.feed(event, size, items)
            yield from items
            ends = yield from calls.ends.due(event)
            if ends and not self._waiting.knows_causes and (yield from calls.ends.may_go_on(ends)):
                self._wait(left if left is not None else event, size)
                return None
        unknown = {call.key[:1] for call, why in ends if why is None and self._waiting.cause_of(call.key) is None}
        if unknown:
            self._waiting.await_reasons(unknown)
            calls.ends.note(ends)
            self._waiting.keep_half(event, left, ends)
            self._wait(event, size)
            return None
        while ends:
            now = ends
            if self._waiting.after_call:  # there may be pieces of later calls
                now = [min(ends, key=lambda one: one[0].key)]
            for call, why in now:
                more = self._waiting.begins_later(call.key[:-1])
                yield from calls.close(call, why or self._waiting.cause_of(call.key) or "unknown", more=more)
            yield from self._turn()
            ends = [one for one in ends if one not in now] if half is not None else (yield from calls.ends.due(event))
        return left

    def _apart(self, event: Event, size: int) -> Iterator[Any]:
        """Yield what may leave for an event with several texts, or with more between them; the event if nothing is held."""
        parts = self.protocol.apart(event)
        passed: list[Event] | None = []  # the parts that pass; None once something has left
        for part in parts:
            for item in self._one(part, size):
                if passed is not None and item is part:
                    passed.append(part)
                    continue
                yield from passed or ()
                passed = None
                yield item
        if passed is not None:
            yield from [event] if len(passed) == len(parts) else passed

    def _calm(self, lane: Lane, text: str) -> bool:
        """Return whether a text may pass without being scanned."""
        session = self.flowing(lane)
        return session is not None and session.line_is_inert and text.isprintable()

    def _one(self, event: Event, size: int) -> Iterator[Any]:
        """Yield an event that has one text, or several that pass, or only the ends of texts."""
        ends = self.protocol.ends(event)
        texts = self.protocol.texts(event)
        if len(texts) == 1:
            yield from self._texts.feed(event, *texts[0], ends, size)
            return
        if texts:  # several, and all of them pass
            yield event
            return
        for lane, cause in ends:
            cause = cause or self._waiting.cause_of(lane)
            if cause is None and self._table.holds_block_of(lane):
                self._waiting.note_ended_open(lane)
                self._wait(event, size)
                return
            yield from self._texts.close(lane, cause or "unknown")
        event = yield from self._repeated.echoed(event, self.protocol)
        left = self._calls.recalled(event)
        if left is not None:
            yield left

    # -- ends ----------------------------------------------------------------------------------------------------------

    def _end_waiting(self, why: StreamEnd | None = None, *, known: bool = True) -> Iterator[Any]:
        """End the texts that ended inside a block, because their causes are known now, or because waiting is over.

        The causes in the waiting events apply to all texts and calls of their choices that end in them. For a choice without a
        cause, `why` is the cause; if that is None too, the ends of that choice keep waiting. If the cause is not `known`, it
        applies only to the first of them.
        """
        causes: dict[Lane, StreamEnd] = {
            lane: cause for event, _ in self._waiting.for_reason for lane, cause in self._reasons(event).items()
        }
        if why is not None:
            causes.setdefault(EVERY, why)
        lanes, events = self._waiting.take_ended_open(), self._waiting.take()
        with self._waiting.knowing(causes):
            for event, _ in events:
                yield from self._safely(None, self._finally(event))
            for lane in lanes:
                if (cause := self._waiting.cause_of(lane)) is not None:
                    yield from self._safely(None, self._texts.close(lane, cause))
        last = last_begun(events, self.protocol)
        for nth, (event, size) in enumerate(events):
            later = [group for group, at in last.items() if at > nth]
            with self._waiting.knowing(causes if known or not nth else None, later):
                yield from self._fed_again(event, size)  # one may have to wait again, and all that come after it

    def _finally(self, event: Event) -> Iterator[Any]:
        """Yield what an event that waited says of calls whose ends wait too."""
        if self.protocol.reads(event):
            yield from self._calls.ends.note_final(event)
