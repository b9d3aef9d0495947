"""`NativeCall`: one native call while its pieces come.

    piece -> spell, hear, write -> its name and arguments -> judge, block
    event -> keep -> release
    NAMING -> hold -> HELD
    NAMING -> leave_to_others -> PASSES -> wait -> WAITS -> let_pass -> PASSES
    any phase -> end_early, stop -> OVER

A call knows what has come of it, and in which phase it is. It does not know any other call, and decides nothing: whoever takes
its pieces decides when it enters another phase. It sends nothing.

Rule 1: a call enters a phase by a method of that meaning, and by no other way. It never leaves OVER.
Rule 2: what a call keeps is counted in the `Capacity` of its stream until it is released.
"""

from __future__ import annotations

from enum import Enum

from stream_guard import EndCause, Guard, Session
from stream_guard.spi import BLANKS, Block, Judging, call_body, joined

from ..protocols import ELSEWHERE, Event, Piece
from .call_arguments import Arguments
from .call_order import Order
from .capacity import Capacity
from .sent_calls import SentCall
from .unfinished import is_unfinished


class Phase(Enum):
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

    def __init__(self, value: str) -> None:
        self.reads = value in ("naming", "held")
        """Whether the arguments in a piece count."""
        self.is_ours = value in ("held", "over")
        """Whether no piece of the call leaves as it came."""
        self.is_others = value in ("waits", "passes")
        """Whether the call leaves as it came, now or later."""


class NativeCall:
    """One call while its pieces come.

    Args:
        piece: The first piece that came of it.
        capacity: How much of its stream is held.
        sent_call: Its ids, and how it was sent on.
        nth: Its number among the calls of the stream.
    """

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
        self.phase = Phase.NAMING
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

    # -- its phases ----------------------------------------------------------------------------------------------------

    def hold(self, session: Session) -> None:
        """Note that its name is whole, and is that of a tool that the guard knows: this session judges it."""
        self.name, self.phase, self.session = self.spelt, Phase.HELD, session

    def leave_to_others(self) -> None:
        """Note that its name is whole, and is that of a tool that the guard does not know: its pieces pass."""
        self.name, self.phase = self.spelt, Phase.PASSES

    def wait(self) -> None:
        """Note that its pieces pass later: the calls before it are held."""
        self.phase = Phase.WAITS

    def let_pass(self) -> list[Event]:
        """Note that its pieces pass from now on, and return those that were kept."""
        self.phase = Phase.PASSES
        return self.release()

    def end_early(self) -> None:
        """Note that the call has ended before its end came: its arguments are all that has come."""
        self.phase = Phase.OVER
        self.arguments.contradict()

    def stop(self) -> None:
        """Note that no more of the call leaves, and keep nothing of it: it has begun to leave as another tool's."""
        self.phase = Phase.OVER
        self.release()

    # -- what comes of it ----------------------------------------------------------------------------------------------

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
        return self.arguments.told(piece) if self.follows or self.phase.reads else piece

    def write(self, piece: Piece) -> str:
        """Take the arguments of a piece: more of them, or all of them. Return the new part."""
        before, self.judging = self.arguments.size, None
        new = self.arguments.add(piece)
        self._hold(self.arguments.size - before)
        return new

    def may_lack_a_part(self) -> None:
        """Note that something passed unread: arguments that are not whole yet may lack a part that was in it."""
        if self.whole_at == self.arguments.size:
            return
        missing = self.arguments.is_empty and not self.arguments.is_whole  # a call may run without any
        if missing or self.phase is Phase.NAMING or is_unfinished(self.arguments.text):
            self.arguments.give_up()
            self.judging = None
        else:
            self.whole_at = self.arguments.size

    # -- what is judged ------------------------------------------------------------------------------------------------

    def block(self, ended: EndCause) -> Block:
        """Return the call as a block that ended so."""
        text = self.arguments.text
        # A call that is too long is not validated, and to look for its last character takes long.
        body = call_body(self.name, text if self.phase is Phase.OVER else text.rstrip(BLANKS))
        return Block(text, body, ended, ambiguous=False, canonical=False, fenced=False, native_tool=self.name)

    def judge(self, guard: Guard) -> Judging:
        """Return the deferred validation of the call as it is now."""
        if self.judging is None:
            self.judging = Judging(guard.judge, self.block("closed"))
        return self.judging

    # -- what is kept of it --------------------------------------------------------------------------------------------

    def keep(self, event: Event, size: int) -> None:
        """Keep an event of this size: the call is sent on in its shape. An event that had to wait comes twice, and is kept
        once.
        """
        if self.events and self.events[-1] is event:
            return
        self.events.append(event)
        self._hold(size)

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

    def no_longer_held(self) -> None:
        """Note that nothing of the call is held any more."""
        self._hold(-self._weight)

    def _hold(self, size: int) -> None:
        self._weight += size
        self._capacity.hold(size)
