"""`CallTable`: the calls of a stream that have begun, and to which of them a piece belongs.

    piece -> keyed -> call_of, continued_by -> its call: one that is open, or a new one
    end of a call -> note_end (its pieces have all come) -> close (it is judged, or has passed)

It finds calls and begins them. It does not look at what a call holds but to tell two calls apart, and sends nothing.

Rule 1: a piece belongs to the call that the client would join it to: by its key, and by its item and its id where calls share a
key.
Rule 2: a piece that comes after its call was judged is late, unless it begins another call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..protocols import OLDER, Lane, Piece, Protocol
from ..protocols.base import ByGroup
from .call_order import CallOrder
from .capacity import Capacity
from .native_call import NativeCall, Phase
from .sent_calls import SentCall, SentCalls


class CallTable:
    """The calls of one stream that have begun.

    Args:
        protocol: The protocol of the stream.
        capacity: How many calls may be open, and how much they may hold.
        sent_calls: Where each call that begins is recorded.
        order: The order in which calls begin.
    """

    __slots__ = ("_capacity", "_ended", "_going", "_judged", "_last", "_order", "_protocol", "_sent_calls", "open")

    def __init__(self, protocol: Protocol, capacity: Capacity, sent_calls: SentCalls, order: CallOrder) -> None:
        self._protocol = protocol
        self._capacity = capacity
        self._sent_calls = sent_calls
        self._order = order
        self.open: Final[ByGroup[list[NativeCall]]] = ByGroup()
        """The calls that have not been closed, by their keys; only this class changes it."""
        self._going: dict[Lane, list[NativeCall]] = {}  # those of them whose end has not come
        self._last: dict[Lane, NativeCall] = {}  # the call that began last, of each choice or of the message
        self._judged: set[Lane] = set()  # the keys of calls that were validated, and may not continue
        self._ended: dict[Lane, dict[SentCall, None]] = {}  # the calls whose end has come, by their keys

    # -- the call of a piece -------------------------------------------------------------------------------------------

    def keyed(self, piece: Piece) -> Piece:
        """Return a piece under the key of its call, for a call that had another key before, and for a piece without a key."""
        if piece.again is not None:
            known = self._going.get(piece.again.call)
            return piece.again if known and piece.id and known[-1].sent_call.id == piece.id else piece
        last = self._last.get(piece.call[:-1])
        if last is None or (piece.name and last.spelt) or last.key == piece.call or piece.call in self.open:
            return piece
        if OLDER in (last.key[-1], piece.call[-1]):  # no client joins what stands in two members
            return piece
        numbered = isinstance(piece.call[-1], int) and isinstance(last.key[-1], int)
        goes_on = piece.id == last.sent_call.id if piece.id and last.sent_call.id else not numbered
        return replace(piece, call=last.key) if goes_on and self._protocol.joins_names else piece

    def continued_by(self, piece: Piece) -> NativeCall | None:
        """Return the call that a piece continues; None if the piece begins a call."""
        calls = self._going.get(piece.call)
        if not calls or (piece.begins and (calls[-1].spelt or not piece.opens)):
            return None
        if piece.item:  # calls of different items may share a key
            of_item = [call for call in calls if call.sent_call.item == piece.item]
            if of_item or all(call.sent_call.item for call in calls):
                return of_item[-1] if of_item else None
        last = calls[-1]
        if last is not self.open[piece.call][-1] or (piece.id and last.sent_call.id and piece.id != last.sent_call.id):
            return None
        return last

    def call_of(self, piece: Piece, number: int | None) -> NativeCall | None:
        """Return the call of a piece, begun if need be, with its number if that is known; None if there are too many calls."""
        call = self.continued_by(piece)
        if call is not None:
            return call
        going = self._going.get(piece.call) if piece.begins else None
        before = going[-1] if going and going[-1] is self.open[piece.call][-1] else None
        if before is not None and not before.arguments.is_whole:
            before.arguments.give_up()
        if not self._capacity.opens():
            return None
        call = NativeCall(piece, self._capacity, self._sent_calls.begin(piece), number or self._order.next())
        if before is not None and not piece.whole and isinstance(piece.call[-1], int):
            call.arguments.contradict()  # the pieces that follow may be of either
        if piece.call not in self.open:
            self.open[piece.call] = []
        self.open[piece.call].append(call)
        self._going.setdefault(piece.call, []).append(call)
        last = self._last.get(piece.call[:-1])
        if last is None or last.nth < call.nth:  # one that had to wait may be read after a later one
            self._last[piece.call[:-1]] = call
        return call

    def latest(self, key: Lane) -> NativeCall | None:
        """Return the open call with a key that began last; None if there is none."""
        calls = self.open.get(key)
        return calls[-1] if calls else None

    def is_late(self, call: NativeCall, piece: Piece) -> bool:
        """Return whether a piece comes too late: its call has been judged, and must not grow any more."""
        call.opened = call.opened or piece.opens or piece.begins
        if call.opened:
            return False
        return piece.call in self._judged and (self.has_ended(piece) or (call.phase is Phase.NAMING and piece.name is None))

    def has_ended(self, piece: Piece) -> bool:
        """Return whether a piece belongs to a call whose end has come."""
        opens = piece.opens or piece.begins
        return not opens and any(sent_call.has(piece) for sent_call in self._ended.get(piece.call, ()))

    def is_judged(self, key: Lane) -> bool:
        """Return whether a call with a key was judged, so that no late piece with that key counts."""
        return key in self._judged

    # -- the calls that are open ---------------------------------------------------------------------------------------

    def all(self) -> list[NativeCall]:
        """Return the open calls."""
        return [call for calls in self.open.values() for call in calls]

    def of(self, group: Lane) -> list[NativeCall]:
        """Return the open calls of a choice, or of the message."""
        return [call for key in self.open.of(group) for call in self.open[key]]

    def going(self, key: Lane) -> list[NativeCall]:
        """Return the calls with a key whose end has not come."""
        return list(self._going.get(key, ()))

    def last(self, group: Lane) -> NativeCall | None:
        """Return the call of a choice, or of the message, that began last."""
        return self._last.get(group)

    # -- their ends ----------------------------------------------------------------------------------------------------

    def note_end(self, call: NativeCall) -> None:
        """Note that the end of a call has come. It is closed when it is the turn of the event with its end."""
        self._goes_no_further(call)
        self._ended.setdefault(call.key, {})[call.sent_call] = None

    def close(self, call: NativeCall) -> bool:
        """Close a call; return whether it was open."""
        calls = self.open.get(call.key, [])
        if call not in calls:
            return False
        calls.remove(call)
        if not calls:
            del self.open[call.key]
        self._goes_no_further(call)
        return True

    def note_judged(self, call: NativeCall) -> None:
        """Note that a call is judged: it does not grow any more."""
        self._judged.add(call.key)
        self._ended.setdefault(call.key, {})[call.sent_call] = None

    def reserve(self, key: Lane) -> None:
        """Note that a promoted call has this key: no late piece with it counts."""
        self._judged.add(key)

    def _goes_no_further(self, call: NativeCall) -> None:
        """Note that no piece continues a call any more."""
        calls = self._going.get(call.key, [])
        if call in calls:
            calls.remove(call)
            if not calls:
                del self._going[call.key]
