"""The native calls of one stream: their arguments are held, validated like a block, and sent on whole.

The arguments of a call are JSON without a fence. With the tool's name put in front they are the body of a block, and are
treated as one: valid arguments are sent on as they were written, and those that can be fixed are fixed. A call that cannot be
fixed fails. It is sent on as it was written (`mend`), so that its client can tell the model what is wrong, or not at all
(`withhold`).

Rule 1: only calls of tools that the guard knows are held. The others pass, once the held calls before them have left.
Rule 2: only its last bracket shows that a call is complete. A call without its last bracket was cut off, whatever the provider
reports and whatever else is wrong with it. It is never sent on.
Rule 3: a call that grows past a limit ends as `oversize` at once, and no more of it is sent on or kept.
Rule 4: a call gets its number when its first piece leaves, and keeps it: its own number while no call of its choice has been
held, and the lowest free number from then on.
Rule 5: if a message was cut off at the token limit, its last call is not sent on. If a message failed, none of its calls is
sent on.
Rule 6: a name may come in pieces, and is whole when the arguments begin. If more of it comes later, the longer name counts:
the call is validated under that, and the tool with the shorter name is not called.
Rule 7: if no call of a message is sent on, the message does not claim to have calls, and its places are numbered without a
gap.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import partial
from heapq import heappop, heappush
from typing import Any, Final

from stream_guard import End, EndCause, Guard, Pending, Session, StreamEnd, ToolBlock
from stream_guard.spi import BLANKS, EVENT, SHORT, Aside, Block, Judging, Spent, call_body, joined, without_tool

from ..protocols import AS_IT_CAME, ELSEWHERE, OLDER, Event, Lane, LeftOut, Piece, Protocol, Sent
from ..protocols.base import NAME, ByGroup
from ..protocols.object_text import END
from .call_arguments import Arguments
from .call_order import CallOrder, Order
from .capacity import Capacity, part_size
from .event_numbers import EventNumbers
from .gaps import Gaps
from .passed_calls import PassedCalls
from .sent_calls import SentCall, SentCalls
from .settings import Native
from .unfinished import is_unfinished

log: Final = logging.getLogger("stream_guard")

_IN_A_ROW: Final = 32
"""The pieces of calls in an event that are taken before other tasks may run."""

_JUDGED: Final = 512
"""The cost of judging a call, in characters, in addition to its own characters."""


class _Phase(Enum):
    """What is done with the pieces of a call that come now."""

    NAMING = "naming"
    """They are kept if calls are held: the call's name is not whole yet."""

    HELD = "held"
    """They are held and validated: the call's tool is known."""

    WAITS = "waits"
    """They pass after the held calls before this call have left: the call's tool is unknown."""

    PASSES = "passes"
    """They pass: the call's tool is unknown, or it has no name and so is no call."""

    OVER = "over"
    """They are dropped: the call has grown past a limit, was aborted, or the guard failed on it."""


_NAMING, _HELD, _WAITS, _PASSES, _OVER = _Phase
_READ: Final = (_NAMING, _HELD)
"""The phases in which the arguments of a call count."""


class _Call:
    """One call while its pieces come."""

    __slots__ = (
        "_capacity",
        "_weight",
        "arguments",
        "continued",
        "events",
        "follows",
        "heard",
        "judging",
        "key",
        "name",
        "nth",
        "number",
        "opened",
        "phase",
        "place",
        "refused",
        "sent_call",
        "session",
        "spelt",
        "whole_at",
    )

    session: Session
    """What judges the call. Only a call that is or was held has a judge."""

    def __init__(self, piece: Piece, capacity: Capacity, sent_call: SentCall, nth: int) -> None:
        self._capacity = capacity
        self._weight = 0  # characters that are held of it: arguments and events
        self.key = piece.call
        self.nth = nth
        """Its number among the calls of the stream, in the order in which they began."""
        self.place: int | None = None
        """Its place in the message, where its protocol has places."""
        self.number: int | None = None
        """The number that it leaves with; None until its first piece leaves."""
        self.sent_call = sent_call
        """Its ids, and how it was sent on, for the events that repeat it."""
        self.opened = False
        """Whether a piece has said that the call begins here."""
        self.phase = _NAMING
        self.spelt = ""
        """The name, as far as it has come."""
        self.heard = ""
        """The name in an event that repeats it without its namespace."""
        self.name = ""
        """The name; set when it is whole. A call without a name is no call, and leaves as it came."""
        self.arguments = Arguments()
        self.judging: Judging | None = None
        """The deferred validation of the call as it is now; made when it is needed."""
        self.whole_at = -1
        """How many characters its arguments had when they were found to be whole."""
        self.follows = False
        """Whether its arguments are kept although it passes: the answer to the model names what it called."""
        self.refused = False
        """Whether the app has refused it; its client gets that answer."""
        self.continued = False
        """Whether an event is kept that has arguments and did not begin the call."""
        self.events: list[Event] = []
        """Its first event, the first with a piece of its arguments, and those with members that must leave with the call; all
        events of a call without a name.

        Of an event with pieces of several calls, only the pieces of this call are kept."""

    @property
    def order(self) -> Order:
        """Where it stands among the calls that leave."""
        return (self.place or 0, self.nth)

    def spell(self, name: str, *, joins: bool) -> bool:
        """Take the name in a piece, which may repeat or continue the known name. Return whether the name changed.

        Where names are not joined, another name contradicts the known one.
        """
        if name == self.spelt or (self.spelt and not joins):
            if name != self.spelt:
                self.arguments.contradict()
            return False
        self.spelt = name if name.startswith(self.spelt) else joined(self.spelt + name)
        self.hear(self.heard)
        if self.name:
            self.name, self.judging = self.spelt, None
        return True

    def hear(self, name: str) -> None:
        """Take the name in an event that repeats it, without its namespace: another name contradicts the known one."""
        if name and (self.heard or name) != name:
            self.arguments.contradict()
        self.heard = self.heard or name
        if self.heard and self.spelt not in ("", ELSEWHERE, self.heard):
            self.arguments.contradict()

    def told(self, piece: Piece) -> Piece:
        """Return a piece whose arguments came as the members of an object with JSON text, if its arguments count."""
        if not self.follows and self.phase not in _READ:
            return piece
        return self.arguments.told(piece)

    def write(self, piece: Piece) -> str:
        """Take the arguments of a piece: more of them, or all of them. Return the new part."""
        before, self.judging = self.arguments.size, None
        new = self.arguments.add(piece)
        self._hold(self.arguments.size - before)
        return new

    def keep(self, event: Event, size: int) -> None:
        """Keep an event of this size: the call is sent on in its shape. An event that had to wait comes twice, and is kept
        once.
        """
        if self.events and self.events[-1] is event:
            return
        self.events.append(event)
        self._hold(size)

    def block(self, ended: EndCause) -> Block:
        """Return the call as a block that ended so."""
        text = self.arguments.text
        # A call that is too long is not validated, and to look for its last character takes long.
        body = call_body(self.name, text if self.phase is _OVER else text.rstrip(BLANKS))
        return Block(text, body, ended, ambiguous=False, canonical=False, fenced=False, native_tool=self.name)

    def judge(self, guard: Guard) -> Judging:
        """Return the deferred validation of the call as it is now."""
        if self.judging is None:
            self.judging = Judging(guard.judge, self.block("closed"))
        return self.judging

    def begin(self, numbers: Numbers) -> int | None:
        """Return the number with which the call leaves; it is assigned when its first piece leaves. None if it has no index."""
        if self.number is None and isinstance(self.key[-1], int):
            self.number = numbers.take(self.key[-1])
        return self.number

    def overflow(self) -> None:
        """Note that the call has ended before its end came: its arguments are all that has come."""
        self.phase = _OVER
        self.arguments.contradict()

    def may_lack_a_part(self) -> None:
        """Note that something passed unread: arguments that are not whole yet may lack a part that was in it."""
        if self.whole_at == self.arguments.size:
            return
        if self.phase is _NAMING or is_unfinished(self.arguments.text):
            self.arguments.give_up()
            self.judging = None
        else:
            self.whole_at = self.arguments.size

    def no_longer_held(self) -> None:
        """Note that nothing of the call is held any more."""
        self._hold(-self._weight)

    def release(self) -> list[Event]:
        """Return the events that were kept, and hold nothing of the call any more, except arguments that are followed."""
        events, self.events = self.events, []
        if self.follows:
            self._hold(self.arguments.size - self._weight)
        else:
            self.drop_arguments()
        return events

    def drop_arguments(self) -> None:
        """Keep the arguments no longer."""
        self.follows = False
        self.arguments.drop()
        self.no_longer_held()

    def _hold(self, size: int) -> None:
        self._weight += size
        self._capacity.hold(size)


Ending = tuple[_Call, StreamEnd | None]
"""A call that ends, with the cause; None while the cause is unknown."""


class Numbers:
    """The numbers of the calls of one choice that are sent on. Clients fail at a gap, and join two calls with one number."""

    __slots__ = ("_free", "_taken", "renumbers")

    def __init__(self) -> None:
        self._free = 0  # no lower number is free
        self._taken: set[int] = set()
        self.renumbers = False
        """Whether a call was held or promoted, so that later calls get new numbers."""

    def reserve(self, number: int) -> None:
        """Note that a call that is sent on has this number."""
        self.renumbers = True
        self._taken.add(number)

    def passed(self, number: int) -> None:
        """Note that a call has left unread with this number."""
        self._taken.add(number)

    def take(self, own: int) -> int:
        """Return the number with which a call leaves, given its own; called when its first piece leaves."""
        if self.renumbers:
            while self._free in self._taken:
                self._free += 1
            own = self._free
        self._taken.add(own)
        return own


class Calls:
    """The native calls of one stream."""

    __slots__ = (
        "_at_once",
        "_capacity",
        "_ended",
        "_ended_in_parts",
        "_event_numbers",
        "_failed",
        "_fixes",
        "_follows",
        "_going",
        "_guard",
        "_held",
        "_holds",
        "_judged",
        "_last",
        "_left_out",
        "_limits",
        "_numbers",
        "_open",
        "_order",
        "_places",
        "_prefix",
        "_protocol",
        "_sent_calls",
        "_sent_on",
        "_sessions",
        "_spent",
        "_unread",
        "_warns",
        "aborted",
        "begun",
        "gaps",
        "ids",
        "passed",
    )

    def __init__(
        self,
        guard: Guard,
        protocol: Protocol,
        prefix: str,
        mode: Native,
        spent: Spent,
        capacity: Capacity,
        events: EventNumbers,
        *,
        follows: bool = False,
    ) -> None:
        shadow = guard.settings.mode == "shadow" and mode != "observe"  # what would be changed is reported, and nothing is held
        self._holds = mode in ("mend", "withhold") and protocol.holds_calls and not shadow
        self._warns = not protocol.holds_calls and mode != "observe"  # whether to log, once, that calls are not held
        self._fixes = mode == "mend"
        self._guard = guard if self._holds or shadow else guard.observer()
        self._limits = guard.limits
        self._capacity = capacity
        self._event_numbers = events
        self._protocol = protocol
        self._prefix = prefix
        self._spent = spent
        self._open: ByGroup[list[_Call]] = ByGroup()
        self._going: dict[Lane, list[_Call]] = {}  # those of them whose end has not come
        self._numbers: dict[Lane, Numbers] = {}  # of each choice
        self._failed = False  # whether the guard failed on a call, so that no more of any is sent on
        self._held: dict[_Call, None] = {}  # the open calls that are held, or kept until their name comes, in order
        self._places: list[tuple[int, int, _Call]] = []  # a heap of the places of those held; some are held no more
        self._sessions = 0
        self._judged: set[Lane] = set()  # the keys of calls that were validated, and may not continue
        self._last: dict[Lane, _Call] = {}  # the call that began last, of each choice or of the message
        self._sent_calls = SentCalls(guard.limits.max_held)
        self._ended: dict[Lane, dict[SentCall, None]] = {}  # the calls whose end has come, by their keys
        self._ended_in_parts: set[Lane] = set()  # the keys of the calls whose last part has just come
        self._sent_on: set[Lane] = set()  # the choices, or the message, that calls have left of
        self._left_out: dict[Lane, LeftOut] = {}  # those that none has left of, though they had calls, and why
        self._follows = follows
        self._unread: set[tuple[Lane, str]] = set()  # the calls that are none of a tool with arguments, by choice and id
        self._order = CallOrder(guard.limits.max_lanes)
        self._at_once = 0  # characters that were judged since something was judged aside
        self.gaps: Final = Gaps(protocol)
        """The places of calls that are not sent on."""
        self.ids: Final[dict[str, str]] = {}
        """The provider's ids of the calls, by the ids of their blocks."""
        self.begun: Final[dict[str, int]] = {}
        """The number of each call, in the order in which they began, by the ids of their blocks; only with `follows`."""
        self.passed: Final = PassedCalls(self._guard, prefix)
        """The calls that have passed because the guard does not know their tools, or because there were too many."""
        self.aborted: Final[set[Lane]] = set()
        """The choices of the calls that were aborted, because they cannot pass."""

    @property
    def holding(self) -> bool:
        """Whether a call is held, or is kept until its name comes."""
        return self._holds and bool(self._held)

    def takes(self, event: Event) -> bool:
        """Return whether a piece of a call in an event may be held, or waits after a call that is held."""
        pieces = self.pieces(event) if self._holds else ()
        knows = self._guard.tools.knows
        return bool(pieces) and (self.holding or any(piece.name and knows(piece.name) for piece in pieces))

    def pieces(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of calls in an event, each under the key of its call, even if the piece itself lacks the key."""
        pieces = self._protocol.calls(event)
        return [self._keyed(piece) for piece in pieces] if self._last and pieces else pieces

    def _keyed(self, piece: Piece) -> Piece:
        """Return a piece under the key of its call, for a call that had another key before, and for a piece without a key."""
        if piece.again is not None:
            known = self._going.get(piece.again.call)
            return piece.again if known and piece.id and known[-1].sent_call.id == piece.id else piece
        last = self._last.get(piece.call[:-1])
        if last is None or (piece.name and last.spelt) or last.key == piece.call or piece.call in self._open:
            return piece
        if OLDER in (last.key[-1], piece.call[-1]):  # no client joins what stands in two members
            return piece
        numbered = isinstance(piece.call[-1], int) and isinstance(last.key[-1], int)
        goes_on = piece.id == last.sent_call.id if piece.id and last.sent_call.id else not numbered
        return replace(piece, call=last.key) if goes_on and self._protocol.joins_names else piece

    def may_overtake(self, pieces: Sequence[Piece], passed_over: Collection[Lane]) -> bool:
        """Return whether pieces of calls may be read before the events that wait for their turn.

        They may if all belong to guarded calls, of which nothing has left yet, and if no waiting piece may belong to the same
        call. `passed_over` has the keys of the waiting pieces.
        """
        return not self._failed and all(self._is_guarded(piece, passed_over) for piece in pieces)

    def _is_guarded(self, piece: Piece, passed_over: Collection[Lane]) -> bool:
        call = self._continued_by(piece)
        if call is not None:
            return call.phase in (_HELD, _OVER) and piece.call not in passed_over
        if not piece.name or not self._guard.tools.knows(piece.name):
            return False
        return not self._is_known(piece) and (piece.call not in passed_over or (piece.begins and piece.whole))

    def keeps(self, event: Event, size: int, out: list[Any]) -> bool:
        """Keep an event that is about a held call without having a piece of it, and return whether it was kept.

        The event leaves with the call. What leaves because too much is held is appended to `out`.
        """
        call = self._about(event)
        if call is None or self._protocol.call_ends(event, self._open) or self._protocol.texts(event):
            return False
        call.keep(event, size)
        if self._capacity.full:
            out += self._overflow(call)
        return True

    def is_within(self, event: Event) -> bool:
        """Return whether an event has a text in the place of a held call: clients cannot know that place yet."""
        return self._about(event) is not None and bool(self._protocol.texts(event))

    def _about(self, event: Event) -> _Call | None:
        """Return the held call that an event is about, if the event has no piece of it."""
        key = self._protocol.about(event) if self._holds and self._open else None
        return next((call for call in self._open.get(key, ()) if call.phase is _HELD), None) if key is not None else None

    def feed(self, event: Event, size: int, out: list[Any]) -> Generator[Aside[None], None, Event | None]:
        """Take the pieces of calls in an event of this size, 0 if that is unknown. Append what leaves to `out`; return what is
        left of the event. Many pieces take long: after every few of them other tasks may run.
        """
        if self._failed:
            return self.uncalled(event)
        pieces = self._protocol.calls(event)
        if not pieces:
            return event
        if self._is_stray(event, pieces):
            self._capacity.note("odd event")
            return event
        held: set[int] = set()
        passed: list[_Call | None] = []
        for nth, piece in enumerate(pieces):
            if nth and not nth % _IN_A_ROW:
                yield Aside(lambda: None)
            piece = self._keyed(piece)
            if END in piece.members:
                self._ended_in_parts.add(piece.call)
            if self._take(piece, nth, event, size, out):
                held.add(nth)
                self.numbers(piece.call).renumbers = True
            else:
                calls = self._open.get(piece.call)
                call = calls[-1] if calls else None  # None for one of too many
                passed.append(call)
                if call.name if call is not None else piece.name:
                    self.note_sent(piece.call[:-1])
        left = self._protocol.without_calls(event, held) if held else event
        return self._numbered(left, passed) if left is not None else None

    def _is_stray(self, event: Event, pieces: Sequence[Piece]) -> bool:
        """Return whether an event has arguments that are no text, for a call that has not begun. Such an event passes as it
        came.

        A call that begins later under the same key is not sent on: the client may have taken these arguments for the call's.
        """
        if not self._protocol.is_no_text(event):
            return False
        (piece,) = pieces
        continued = self._continued_by(piece)
        if piece.call in self._judged or (continued is not None and (continued.spelt or continued.events)):
            return False
        call = self._call_of(piece)
        if call is not None:
            call.arguments.contradict()
        return True

    def numbers(self, key: Lane) -> Numbers:
        """Return the numbers of the calls of a choice; `key` is the choice's, or that of a call in it."""
        found = self._numbers.get(key[:1])
        if found is None:
            found = self._numbers[key[:1]] = Numbers()
        return found

    def note_unread(self, event: Event) -> None:
        """Note the numbers of the calls in an event that passes unread: clients join calls with one number."""
        for piece in self._protocol.calls(event):
            choice, own = piece.call[0], piece.call[-1]
            if isinstance(own, int):
                self.numbers((int(choice),)).passed(own)

    def note_unread_calls(self, event: Event) -> None:
        """Note the calls that the guard does not read in an event that leaves. They are counted: the message has calls."""
        for group, known in self._protocol.unread_calls(event):
            self.note_sent(group)
            one = (group, known[:NAME])
            if one not in self._unread and len(self._unread) < self._limits.max_lanes:
                self._unread.add(one)
                self._capacity.note("unknown tool")

    def note_sent(self, group: Lane) -> None:
        """Note that a call of a choice, or of the message, leaves."""
        self._sent_on.add(group)
        self._left_out.pop(group, None)

    def has_sent(self, group: Lane) -> bool:
        """Return whether a call of a choice, or of the message, has left."""
        return group in self._sent_on

    def has_sent_whole(self, group: Lane) -> bool:
        """Return whether calls of a choice, or of the message, have left, and the last one is not still being sent."""
        last = self._last.get(group)
        passes = last is not None and last.phase is not _OVER and last in self._open.get(last.key, ())
        return group in self._sent_on and not passes

    def reserve(self, group: Lane, number: int) -> None:
        """Note that a promoted call has this number. No native call gets it, and no late piece with it counts."""
        self.numbers(group).reserve(number)
        self._judged.add((*group, number))

    def _numbered(self, event: Event, calls: Sequence[_Call | None]) -> Event:
        """Return an event that leaves, with the numbers of the calls that its pieces belong to."""
        numbers = [call.begin(self.numbers(call.key)) if call is not None else None for call in calls]
        own = [
            call.key[-1] if call is not None and number is not None else None
            for call, number in zip(calls, numbers, strict=True)
        ]
        return event if numbers == own else self._protocol.numbered(event, numbers)

    def _released(self, call: _Call) -> Iterator[Event]:
        """Yield the events of a call that passes from now on."""
        call.phase = _PASSES
        self._event_numbers.let_go(call)
        if call.name:
            self.note_sent(call.key[:-1])
            self._sent_calls.settle(call.sent_call, AS_IT_CAME)
        for event in call.release():
            yield self._numbered(event, [call])

    def _take(self, piece: Piece, nth: int, event: Event, size: int, out: list[Any]) -> bool:
        """Take the nth piece of an event; return whether it is held."""
        call = self._call_of(piece, self._order.take(event, nth))
        if call is None:
            return False
        if piece.members:
            piece = call.told(piece)
        call.place = self._protocol.place(event) if call.place is None else call.place
        learns = call.sent_call.learn(piece)  # a stream that is resumed within a call has its id at the call's end
        if call.phase is _OVER or self._is_late(call, piece):
            return self._holds
        if self._becomes_ours(call, piece):
            self._capacity.note("late piece")
            call.phase = _OVER
            call.release()
            return True
        if piece.name:
            self._spell(call, piece.name)
        if piece.repeats:
            call.hear(piece.repeats)
        if call.phase is _NAMING and (call.spelt or piece.name is not None) and not self._name_may_grow(call, piece):
            self._name(call, event, out)
        if call.follows:
            call.write(piece)
            if self._is_much(call):
                call.drop_arguments()
        if call.phase is _WAITS:
            self._event_numbers.hold(call)
            self._keep(call, event, nth, size)
            if self._capacity.full or len(call.events) >= self._limits.max_waiting:
                out += self._let_go(call.key[:-1])
            return True
        if call.phase in _READ:
            self._write(call, piece, out)
        if self._holds and call.phase in _READ and self._is_needed(call, piece, event, learns=learns):
            call.continued = call.continued or bool(call.events and piece.arguments)
            self._keep(call, event, nth, size)
            self._held.setdefault(call)
        if self._holds and call.phase in _READ:
            self._event_numbers.hold(call)
        return self._holds and call.phase is not _PASSES

    def _keep(self, call: _Call, event: Event, nth: int, size: int) -> None:
        """Keep what an event of this size has of a call: the nth of its pieces."""
        alone = self._protocol.alone(event, nth)
        call.keep(alone, (part_size(alone, size) if alone is not event else size) or EVENT)

    def expect(self, event: Event, pieces: Sequence[Piece]) -> None:
        """Number the calls in an event that waits: calls in later events may be read before this event."""
        for nth, piece in enumerate(pieces):
            if piece.name:
                self._order.expect(event, nth, self._protocol.place(event))

    def _call_of(self, piece: Piece, number: int | None = None) -> _Call | None:
        """Return the call of a piece, begun if need be, with its number if that is known; None if there are too many calls."""
        call = self._continued_by(piece)
        if call is not None:
            return call
        going = self._going.get(piece.call) if piece.begins else None
        before = going[-1] if going and going[-1] is self._open[piece.call][-1] else None
        if before is not None and not before.arguments.is_whole:
            before.arguments.give_up()
        if not self._capacity.opens():
            if self._follows and piece.name:
                self.passed.refuse(piece.call, piece.name, number or self._order.next())
            return None
        call = _Call(piece, self._capacity, self._sent_calls.begin(piece), number or self._order.next())
        if before is not None and not piece.whole and isinstance(piece.call[-1], int):
            call.arguments.contradict()  # the pieces that follow may be of either
        if piece.call not in self._open:
            self._open[piece.call] = []
        self._open[piece.call].append(call)
        self._going.setdefault(piece.call, []).append(call)
        last = self._last.get(piece.call[:-1])
        if last is None or last.nth < call.nth:  # one that had to wait may be read after a later one
            self._last[piece.call[:-1]] = call
        return call

    def _continued_by(self, piece: Piece) -> _Call | None:
        """Return the call that a piece continues; None if the piece begins a call."""
        calls = self._going.get(piece.call)
        if not calls or (piece.begins and (calls[-1].spelt or not piece.opens)):
            return None
        if piece.item:  # calls of different items may share a key
            of_item = [call for call in calls if call.sent_call.item == piece.item]
            if of_item or all(call.sent_call.item for call in calls):
                return of_item[-1] if of_item else None
        last = calls[-1]
        if last is not self._open[piece.call][-1] or (piece.id and last.sent_call.id and piece.id != last.sent_call.id):
            return None
        return last

    def _is_known(self, piece: Piece) -> bool:
        """Return whether a piece belongs to a call whose end has come."""
        opens = piece.opens or piece.begins
        return not opens and any(sent_call.has(piece) for sent_call in self._ended.get(piece.call, ()))

    def _is_late(self, call: _Call, piece: Piece) -> bool:
        """Return whether a piece comes too late: its call has been judged, and must not grow any more."""
        call.opened = call.opened or piece.opens or piece.begins
        if call.opened:
            return False
        late = piece.call in self._judged and (self._is_known(piece) or (call.phase is _NAMING and piece.name is None))
        if late and self._holds and piece.arguments:
            self._capacity.note("late piece")
        return late

    def _spell(self, call: _Call, name: str) -> None:
        """Read on in the name of a call."""
        if not call.spell(name, joins=self._protocol.joins_names):
            return
        if call.phase is _HELD:
            call.session.rename(call.spelt)
        elif call.name and self._guard.tools.knows(call.spelt):
            self._capacity.note("late piece")  # it has begun to leave

    def _becomes_ours(self, call: _Call, piece: Piece) -> bool:
        """Return whether a piece gives a call that passes another name, of a tool that the guard knows: nobody has validated
        the arguments for that.
        """
        said = piece.name or (piece.repeats if call.spelt != ELSEWHERE else None)
        passes = self._holds and call.phase in (_PASSES, _WAITS) and not self._protocol.joins_names
        return bool(passes and call.spelt and said and said != call.spelt and self._guard.tools.knows(said))

    def _name(self, call: _Call, event: Event, out: list[Any]) -> None:
        """Act on the whole name of a call. A call of a known tool is validated; any other call passes when its turn comes."""
        self._held.pop(call, None)
        if not self._guard.tools.knows(call.spelt):
            call.name, call.phase = call.spelt, _PASSES
            self._note_unknown(call)
            if self._protocol.place(event) is None and self._is_behind(call):
                call.phase = _WAITS
            else:
                out += self._released(call)
            return
        self._warn()
        self._sessions += 1
        session_id = f"{self._prefix}-call{self._sessions}"
        session = self._guard.session(session_id, asks=self._holds, patient=True, spent=self._spent)
        call.name, call.phase, call.session = call.spelt, _HELD, session
        self._held[call] = None
        if isinstance(call.key[0], int):
            heappush(self._places, (call.key[0], self._sessions, call))
        status = session.open(call.spelt)
        if self._follows:
            self.begun[status.id] = call.nth
        if call.sent_call.id:
            self.ids[status.id] = call.sent_call.id
        out.append(status)
        self._grow(call, call.arguments.text, out)

    def _write(self, call: _Call, piece: Piece, out: list[Any]) -> None:
        """Read on in the arguments of a call that is held or has no name yet. If they are too long, the call ends or passes."""
        new = call.write(piece) if piece.arguments else ""
        if call.phase is _NAMING:
            if self._is_much(call) or len(call.events) >= self._limits.max_waiting:
                self._capacity.note("unnamed call")
                self._held.pop(call, None)
                out += self._released(call)
            return
        if new:
            self._grow(call, new, out)
        if call.phase is _HELD and self._is_much(call):
            out += self._overflow(call)

    def _is_much(self, call: _Call) -> bool:
        """Return whether a call, or everything that is held together, is over its limit."""
        return call.arguments.size > self._limits.max_block or self._capacity.full

    def _is_needed(self, call: _Call, piece: Piece, event: Event, *, learns: bool) -> bool:
        """Return whether to keep an event of a held call: any before its name is known, later one with more than arguments."""
        return bool(
            call.phase is _NAMING
            or piece.name is not None
            or piece.whole
            or learns
            or (piece.arguments and not call.continued)
            or self._protocol.beside_call(event)
        )

    def _note_unknown(self, call: _Call) -> None:
        """Note a call of a tool that the guard does not know. Calls without a name, or in a namespace, are run by others."""
        if not call.spelt or call.spelt == ELSEWHERE:
            return
        self._capacity.note("unknown tool")
        self.passed.add(call.spelt, call.arguments, call.nth)
        call.follows = self._follows

    def unknown(self) -> list[ToolBlock]:
        """Return a failed block for each call of a tool that the guard does not know, and for each that was one too many."""
        found: list[ToolBlock] = []
        for block, nth in self.passed.blocks():
            found.append(block)
            self.begun[block.id] = nth
        return found

    def _name_may_grow(self, call: _Call, piece: Piece) -> bool:
        """Return whether the next piece may continue the name, and make it the name of a tool."""
        tools = self._guard.tools
        if not self._protocol.joins_names or piece.arguments or call.arguments.size:
            return False
        known = tools.known(call.spelt)
        return tools.begins(call.spelt) and not (known is not None and known.exact)

    def _warn(self) -> None:
        """Log, once, that native calls of this protocol are reported and not held."""
        if self._warns:
            self._warns = False
            log.warning(
                "a native call in a %s stream is reported and not held: the framework has already read it. "
                "Guard the provider's stream instead, or put the gateway in front of the provider",
                self._protocol.name,
            )

    def _is_behind(self, call: _Call) -> bool:
        """Return whether an earlier call of the same choice is held. Where calls have places, `behind` says so."""
        if not self._holds or not self.numbers(call.key).renumbers:
            return False
        before = (one for key in self._open.of(call.key[:-1]) for one in self._open[key] if one.nth < call.nth)
        return any(one.phase is _HELD for one in before)

    def _let_go(self, choice: Lane) -> Iterator[Any]:
        """End the held calls of a choice, and release the calls that wait after them, in order."""
        for call in [one for key in self._open.of(choice) for one in self._open[key]]:
            if call.phase is _HELD:
                yield from self._overflow(call)
            elif call.phase is _WAITS:
                yield from self._released(call)

    def _grow(self, call: _Call, arguments: str, out: list[Any]) -> None:
        """Append the status events for more arguments of a held call. If these show that it cannot pass, end it."""
        out += call.session.grow(arguments)
        if call.session.aborted:
            self.aborted.add(call.key[:1])
            out += self._overflow(call, "aborted")

    def _overflow(self, call: _Call, cause: EndCause = "oversize") -> Iterator[Any]:
        """End a held call that has grown past a limit, or is aborted."""
        call.overflow()
        self._held.pop(call, None)
        for item in call.session.close(call.block(cause)):
            yield item
            if isinstance(item, ToolBlock):
                yield from self._sent(call, item)
        self._event_numbers.let_go(call)
        call.release()

    def overflow(self) -> Iterator[Any]:
        """End the calls that are held, because too much waits for them."""
        for call in list(self._held):
            if call.phase is _HELD:
                yield from self._overflow(call)

    def note_final(self, event: Event) -> Iterator[Any]:
        """Take the arguments of the calls that an event repeats, and yield what is new: some arguments come nowhere else."""
        out: list[Any] = []
        pieces = self._protocol.final(event) if self._open and not self._failed else ()
        if pieces:
            calls = {call.sent_call: call for calls in self._open.values() for call in calls}
            for piece, sent_call in zip(pieces, self._sent_calls.matching(self._protocol.repeated(event)), strict=True):
                call = calls.get(sent_call) if sent_call is not None else None
                if call is None or call.phase is not _HELD:
                    continue
                if piece.name:
                    self._spell(call, piece.name)
                if piece.arguments:
                    new = call.write(piece)
                    if new:
                        self._grow(call, new, out)
        yield from out

    def ends(self, event: Event) -> Generator[Any, None, list[Ending]]:
        """Return the calls that end with an event, each with its cause; None for a cause that matters and is still unknown.
        Before that it yields work that takes long, and what else the event says of the calls.
        """
        if not self._open:
            return []
        yield from self.note_final(event)
        refused, item = self._protocol.refused(event), self._protocol.item(event)
        found: list[Ending] = []
        named = self._protocol.call_ends(event, self._open)
        again, self._ended_in_parts = self._ended_in_parts - {key for key, _ in named}, set()
        for key, why in [*named, *((key, None) for key in again & self._open.keys())]:
            calls = list(self._going.get(key, ()))
            if item is not None:
                calls = [call for call in calls if call.sent_call.item in (None, item)]
            for call in calls if refused else ():
                call.refused = True
            # Only an observer may say that a call is whole before its message is.
            cut = self._holds and any(call.phase is _HELD for call in calls)
            for call in calls if why is None else ():
                cut = cut or (call.phase is _HELD and (yield from self._is_cut(call)))
            cause: StreamEnd | None = "stop" if why is None and not cut else why
            found.extend((call, cause) for call in calls)
        return found

    def due(self, event: Event) -> Generator[Any, None, list[Ending]]:
        """Return the calls that end with an event whose turn it is, in their order.

        One that was read early, after an event that still waits, ends with a later event.
        """
        ends = yield from self.ends(event)
        return sorted((one for one in ends if self._order.comes_next(one[0].order)), key=lambda one: one[0].order)

    def may_go_on(self, ends: Iterable[Ending]) -> Generator[Aside[Any], None, bool]:
        """Return whether an unfinished call may go on after the finish reason that ends it."""
        for call, why in ends if self._protocol.repeats_reasons else ():
            if call.phase is _HELD and why in ("stop", "unknown"):
                if call.arguments.is_empty or (yield from self._is_cut(call)):
                    return True
        return False

    def note_ends(self, ends: Iterable[Ending]) -> None:
        """Note that the ends of these calls have come. They are closed when it is the turn of the events with these ends."""
        for call, _ in ends:
            self._goes_no_further(call)
            self._ended.setdefault(call.key, {})[call.sent_call] = None

    def _goes_no_further(self, call: _Call) -> None:
        """Note that the end of a call has come."""
        calls = self._going.get(call.key, [])
        if call in calls:
            calls.remove(call)
            if not calls:
                del self._going[call.key]

    def close(self, call: _Call, cause: StreamEnd, *, more: bool = False) -> Iterator[Any]:
        """End a call. `more` says that another call of its choice or message begins after it."""
        calls = self._open.get(call.key, [])
        if call not in calls:  # it has been closed
            return
        calls.remove(call)
        if not calls:
            del self._open[call.key]
        self._goes_no_further(call)
        named: list[Any] = []
        if call.phase is _NAMING and call.spelt and not self._failed:  # it has ended, so its name is whole
            self._name(call, call.events[0] if call.events else None, named)
        self._held.pop(call, None)
        yield from named
        if call.phase not in (_HELD, _OVER):
            if not self._failed:
                yield from self._released(call)
            return
        self._judged.add(call.key)
        self._ended.setdefault(call.key, {})[call.sent_call] = None
        if call.phase is _OVER:
            return
        judged = False
        try:
            for item in self._closed(call, cause, more=more):
                judged = judged or isinstance(item, ToolBlock)
                yield item
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed on a call: %s; it is not sent on", type(error).__name__)
            self._capacity.note("guard error")
            if not judged:
                yield from self._fail(call, error)
        self._event_numbers.let_go(call)

    def _closed(self, call: _Call, cause: StreamEnd, *, more: bool) -> Iterator[Any]:
        """Yield the items of a call that has ended and, if it is sent on, its events."""
        followed = cause == "length" and (more or call is not self._last.get(call.key[:-1]))
        # Where it may be whole, its JSON shows whether it is.
        ended: EndCause = "closed" if followed or cause == "stop" or cause == "unknown" else cause
        if ended == "closed" and (call.arguments.twice or (yield from self._is_cut(call))):
            ended = "length" if followed else "disconnect"
        call.no_longer_held()
        judging = call.judging if ended == "closed" else None
        if judging is None:
            judging = Judging(self._guard.judge, call.block(ended))
            if self._takes_long(judging):
                yield judging
        for item in call.session.close(judging.block, judging):
            if isinstance(item, Pending) and item.is_last:
                item.follow_with(partial(self._sent, call))
            yield item
            if isinstance(item, ToolBlock) and item.part == item.parts:
                yield from self._sent(call, item)

    def may_lack_a_part(self) -> None:
        """Note that an event passed unread that may have had a part of any call that is open."""
        for calls in self._open.values():
            for call in calls:
                if call.phase in _READ and not call.arguments.twice:
                    call.may_lack_a_part()

    def fail(self, event: Event | None, error: Exception) -> Iterator[Any]:
        """End the held calls as failed, since the guard failed on an event that is, or may be, about one of them.

        `event` is None if the guard failed between two events: then the call concerned is unknown. From then on no piece of
        any call is sent on, since it is unknown which pieces were read.
        """
        if not self._holds or not (event is None or self.holding or self._may_call(event)):
            return
        self._failed = True
        for calls in list(self._open.values()):
            for call in calls:
                if call.phase in (_HELD, _WAITS):
                    yield from self._fail(call, error)

    def _fail(self, call: _Call, error: Exception) -> Iterator[Any]:
        """End one call as failed."""
        held = call.phase is _HELD
        call.overflow()
        self._held.pop(call, None)
        with suppress(Exception):
            self._leave_out(call, "length")  # it was no failure of the call: nobody may take the reply for whole
        with suppress(Exception):
            if held:
                yield from call.session.fail(call.block("closed"), error)
        self._event_numbers.let_go(call)
        with suppress(Exception):
            call.release()

    def _may_call(self, event: Event) -> bool:
        """Return whether an event has a piece of a call, or repeats a call. Also True if the protocol's table fails on it."""
        try:
            return not isinstance(event, End) and bool(self._protocol.calls(event) or self._protocol.repeated(event))
        except Exception:
            return True

    def uncalled(self, event: Event) -> Event | None:
        """Return an event without its calls, after the guard has failed on a call; None if it has nothing else, or its calls
        cannot be determined.
        """
        if not self._failed:
            return event
        try:
            pieces = self._protocol.calls(event)
            for piece in pieces:
                self._note_left_out(piece.call[:-1], "length")
            left = self._protocol.without_calls(event, range(len(pieces))) if pieces else event
            repeated = self._protocol.repeated(left) if left is not None else ()
            found = self._sent_calls.matching(repeated)
            sent = [one.sent if one is not None and one.sent != AS_IT_CAME else None for one in found]
            left = self._protocol.retold(left, sent) if left is not None and sent else left
            return left if left is None or not self._protocol.calls(left) else None
        except Exception:
            return None

    def behind(self, event: Event) -> bool:
        """Return whether an event is about a place after a held call: clients would miss the place of that call."""
        place = self._protocol.place(event) if self._holds and self._open else None
        return place is not None and self._first_held() is not None and place > self._places[0][0]

    def _first_held(self) -> _Call | None:
        """Return the call at the first place with a held call; None if no held call has a place."""
        while self._places and self._places[0][2] not in self._held:
            heappop(self._places)
        return self._places[0][2] if self._places else None

    def recalled(self, event: Event) -> Event | None:
        """Return an event with the calls that it repeats as they were sent on.

        Calls that were not validated are left out. Returns None for the result of a call that was not sent on.
        """
        repeated = self._protocol.repeated(event)
        if repeated:
            sent: list[Sent] = []
            for call, sent_call in zip(repeated, self._sent_calls.matching(repeated), strict=True):
                known = sent_call.sent if sent_call is not None else AS_IT_CAME
                if known == AS_IT_CAME and self._holds and self._guard.tools.knows(call.tool):
                    self._capacity.note("unseen call")
                    known = None
                sent.append(known)
            event = self._protocol.retold(event, sent)
        return self._protocol.recalled(event, self._sent_calls.by_id) if self._sent_calls.by_id else event

    def close_first(self, cause: StreamEnd) -> Iterator[Any]:
        """End the calls at the first place with a held call. The calls at later places wait for them."""
        first = self._first_held()
        for call in list(self._open[first.key]) if first is not None else ():
            yield from self.close(call, cause)

    def close_all(self, cause: StreamEnd) -> Iterator[Any]:
        """End all calls, because the stream ends."""
        for call in [call for calls in self._open.values() for call in calls]:
            # Without arguments and without a reason nobody knows whether any were to come.
            yield from self.close(call, "disconnect" if cause == "unknown" and call.arguments.is_empty else cause)

    def _sent(self, call: _Call, block: ToolBlock) -> Iterable[Any]:
        """Return the events of a call that was held, now that its block has an outcome. Never raises."""
        self._event_numbers.let_go(call)  # its events have numbers of their own
        try:
            return self._settled(call, block)
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed on a call: %s; it is not sent on", type(error).__name__)
            self._capacity.note("guard error")
            with suppress(Exception):
                self._leave_out(call, "length")  # it was no failure of the call: nobody may take the reply for whole
            return ()

    def _settled(self, call: _Call, block: ToolBlock) -> Iterable[Any]:
        """Return the events of a call that is sent on, in one piece; note a call that is left out."""
        if not self._holds:
            return ()
        name, written = call.name, call.arguments.text
        if call.refused:  # nobody runs it, and its client hears why: so there is a call in the message
            self._sent_calls.settle(call.sent_call, (name, written))
            self.note_sent(call.key[:-1])
            return ()
        if block.executable and block.parts == 1:
            name = block.tool or name
            if block.corrected or not written or written.isspace():
                written = arguments_of(block)
        elif self._waits(block, call) or not self._fixes or block.end_cause != "closed" or call.arguments.twice:
            self._leave_out(call, "stop" if block.end_cause == "closed" and not call.arguments.twice else "length")
            return ()
        whole = self._protocol.whole_call(call.events, call.key, name, written)
        leaving = [self._numbered(event, [call]) for event in whole]
        self._sent_calls.settle(call.sent_call, (name, written))
        self.note_sent(call.key[:-1])
        return leaving

    def _waits(self, block: ToolBlock, call: _Call) -> bool:
        """Return whether a call that may not run needs an approval. A client that does not know approvals would run it."""
        return any(self._guard.settings.needs_approval(tool) for tool in (block.tool, call.name))

    def _leave_out(self, call: _Call, why: LeftOut) -> None:
        """Note that a call is not sent on."""
        self._sent_calls.settle(call.sent_call, None)
        self._note_left_out(call.key[:-1], why)
        if call.place is not None:
            self.gaps.add(call.place)

    def _note_left_out(self, group: Lane, why: LeftOut) -> None:
        """Note that a call of a choice, or of the message, is not sent on."""
        if group not in self._sent_on and self._left_out.get(group) != "length":
            self._left_out[group] = why

    def without(self, event: Event) -> Event:
        """Return the event that ends a message. If no call was sent on, it no longer claims that the message has calls."""
        return self._protocol.uncalled(event, self._left_out) if self._left_out else event

    def _takes_long(self, judging: Judging) -> bool:
        """Return whether judging a call, alone or together with the calls before it, takes long: then it is done aside. Many
        short calls may be judged one after the other without anything leaving meanwhile.
        """
        self._at_once += _JUDGED + len(judging.block.body)
        if not judging.is_long and self._at_once <= SHORT:
            return False
        self._at_once = 0
        return True

    def _is_cut(self, call: _Call) -> Generator[Aside[Any], None, bool]:
        """Return whether the JSON of a call lacks its end. Work that takes long is yielded first."""
        known = call.judging
        judging = call.judge(self._guard)
        if known is None and self._takes_long(judging):
            yield judging
        verdict, _ = judging.run()
        if verdict.passed:
            return False
        if any(issue.code == "unterminated" for issue in verdict.issues):
            return True
        # An earlier fault may hide that it was cut off.
        reading: Aside[bool] = Aside(partial(is_unfinished, call.arguments.text))
        if judging.is_long:
            yield reading
        return reading.run()


def arguments_of(block: ToolBlock) -> str:
    """Return the arguments of a block's call as the JSON of a native call."""
    return json.dumps(without_tool(block.arguments or {}), ensure_ascii=False)
