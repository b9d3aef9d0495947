"""The native tool calls of one stream: their arguments held, judged like a block, and sent on whole.

A call's arguments are JSON without a fence. With the tool's name put in front they are the body of a block, and everything that
is true of blocks is true of them: what is valid is sent on as it was written, what can be mended is mended, what cannot is told
as failed, and is not sent on.

Rule 1: only calls of tools that the guard knows are held. The others pass.
Rule 2: nothing but its last bracket shows that a call was written to its end. One without it was cut off, whatever is said.
Rule 3: a call that grows past a bound is told as `oversize` there and then, and no more of it is sent on or kept.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from math import inf
from typing import Any, Final, Literal

from stream_guard import EndCause, Guard, Pending, Session, StreamEnd, ToolBlock
from stream_guard.spi import TOOL_KEY, Block, Mending, Spent

from .protocols import Event, Lane, Piece, Protocol, Sent
from .room import Room

Native = Literal["guard", "observe", "off"]
"""What becomes of native calls: they are held and mended; they pass, and are reported; they are not looked at."""

NATIVE: Final = ("guard", "observe", "off")


class _Call:
    """One call as it comes."""

    __slots__ = ("arguments", "events", "id", "key", "mending", "name", "number", "over", "session", "size", "weight")

    def __init__(self, piece: Piece) -> None:
        self.key = piece.call
        self.id = piece.id
        self.name: str | None = None
        """None until it is told. A call that nobody names is no call, and leaves as it came."""
        self.session: Session | None = None
        """None for a call of a tool that is not known here."""
        self.number: int | None = None
        self.arguments: list[str] = []
        self.size = 0
        """How long its arguments are."""
        self.weight = 0
        """How much is kept of it: arguments, and events."""
        self.over = False
        """Whether it grew past a bound, and was told as too long."""
        self.mending: Mending | None = None
        """The call as it stands, judged; made when somebody asks."""
        self.events: list[Event] = []
        """The first event with a piece of it, and the first with a piece of its arguments; of a call without a name, all."""


class Calls:
    """The native calls of one stream."""

    __slots__ = (
        "_disturbed",
        "_earliest",
        "_guard",
        "_judged",
        "_limits",
        "_mode",
        "_noted",
        "_open",
        "_outcomes",
        "_prefix",
        "_protocol",
        "_room",
        "_sent_on",
        "_sessions",
        "_spent",
    )

    def __init__(self, guard: Guard, protocol: Protocol, prefix: str, mode: Native, spent: Spent, room: Room) -> None:
        self._guard = guard if mode == "guard" else guard.observer()
        self._limits = guard.limits
        self._room = room
        self._protocol = protocol
        self._prefix = prefix
        self._mode = mode
        self._spent = spent
        self._open: dict[Lane, list[_Call]] = {}
        self._sent_on: dict[Lane, int] = {}  # how many of each choice
        self._disturbed: set[Lane] = set()  # choices of which some call was held, so that the numbers are ours
        self._earliest: float | None = inf  # the first place of a call that is held; None when that is to be found out again
        self._sessions = 0
        self._judged: set[Lane] = set()  # where a call has been, and may not go on
        self._outcomes: dict[str, Sent] = {}  # by the ids of the calls
        self._noted = 0  # how long what stands there is

    @property
    def holding(self) -> bool:
        """Whether a call is held."""
        return self._mode == "guard" and any(_is_held(call) for calls in self._open.values() for call in calls)

    def feed(self, event: Event, size: int, out: list[Any]) -> Event | None:
        """Take what an event of this size has of calls. Puts out what is to be said of them; returns what is left of it."""
        pieces = self._protocol.calls(event)
        if not pieces:
            return event
        held = {piece.call for piece in pieces if self._take(piece, event, size, out)}
        left = self._protocol.without_calls(event, held) if held else event
        for piece in pieces:
            calls = self._open.get(piece.call)
            if not calls:
                continue  # one of too many
            call = calls[-1]
            if piece.call in held:
                self._disturbed.add(call.key[:1])
            elif left is not None:
                number = self._number(call)
                if call.key[:1] in self._disturbed:
                    left = self._protocol.numbered(left, call.key, number)
        return left

    def _number(self, call: _Call) -> int:
        """The number of a call among those that are sent on: a client that misses one fails, or takes two for one."""
        choice = call.key[:1]
        if call.number is None:
            call.number = self._sent_on.get(choice, 0)
            self._sent_on[choice] = call.number + 1
        return call.number

    def _take(self, piece: Piece, event: Event, size: int, out: list[Any]) -> bool:
        """Take one piece; whether it is held."""
        calls = self._open.get(piece.call)
        if not calls or (piece.id and calls[-1].id and piece.id != calls[-1].id):
            if not self._room.opens():
                return False
            calls = self._open.setdefault(piece.call, [])
            calls.append(_Call(piece))
        call = calls[-1]
        if call.over:
            out += self._protocol.no_call([event], call.key) if self._mode == "guard" else ()
            return self._mode == "guard"
        if piece.call in self._judged and (piece.id in self._outcomes or call.name is piece.name is None):
            return self._mode == "guard"  # it comes too late: the call has been judged, and is not to grow
        if call.name is None and piece.name is not None:
            call.name = piece.name
            if self._guard.tools.knows(piece.name):
                call.session = self._session()
                self._earliest = None
                out.append(call.session.open(piece.name))
            else:
                self._pass(call, out)
        if call.session is None and call.name is not None:
            return False
        if piece.arguments:
            if piece.whole:
                self._clear(call)
            call.arguments.append(piece.arguments)
            call.size += len(piece.arguments)
            call.mending = None
            self._keep(call, len(piece.arguments))
        guards = self._mode == "guard"
        if call.session is not None and (call.size > self._limits.max_block or self._room.full):
            out += self._overflow(call)
        elif call.name is None and (self._is_much(call) or self._room.full):
            self._room.note("unnamed call")
            call.name = ""  # so nobody waits for it any more
            self._pass(call, out)
            return False
        elif guards and (
            call.name is None or piece.name is not None or piece.whole or (piece.arguments and len(call.events) == 1)
        ):
            call.events.append(event)
            self._keep(call, size)
        return guards

    def _is_much(self, call: _Call) -> bool:
        return call.size > self._limits.max_block or len(call.events) >= self._limits.max_waiting

    def _keep(self, call: _Call, size: int) -> None:
        call.weight += size
        self._room.held += size

    def _clear(self, call: _Call) -> None:
        """Its arguments begin anew."""
        self._keep(call, -call.size)
        call.arguments.clear()
        call.size = 0

    def _pass(self, call: _Call, out: list[Any]) -> None:
        """A call is not ours, or not to be waited for: what was held of it flows on."""
        out += call.events
        call.events = []
        call.arguments.clear()
        self._keep(call, -call.weight)

    def _overflow(self, call: _Call) -> Iterator[Any]:
        """A call has grown past a bound: that is its end."""
        assert call.session is not None
        call.over = True
        self._earliest = None
        for item in call.session.close(_block(call, "oversize")):
            yield item
            if isinstance(item, ToolBlock):
                yield from self._sent(call, item)
        self._pass(call, [])

    def overflow(self) -> Iterator[Any]:
        """Too much waits for the calls that are held: that is their end."""
        for calls in self._open.values():
            for call in calls:
                if _is_held(call):
                    yield from self._overflow(call)

    def _session(self) -> Session:
        self._sessions += 1
        name, guards = f"{self._prefix}-call{self._sessions}", self._mode == "guard"
        return self._guard.session(name, corrects=guards, patient=True, spent=self._spent)

    def ends(self, event: Event) -> Generator[Mending, None, list[tuple[Lane, StreamEnd | None]]]:
        """The calls that end with an event, and why; None where that is not known yet and matters.

        What is long to judge is handed out first.
        """
        if not self._open:
            return []
        found: list[tuple[Lane, StreamEnd | None]] = []
        for key, why in self._protocol.call_ends(event, self._open):
            cut = False
            for call in self._open[key] if why is None else ():
                cut = cut or (_is_held(call) and (yield from self._is_cut(call)))
            found.append((key, "stop" if why is None and not cut else why))
        return found

    def close(self, key: Lane, cause: StreamEnd) -> Iterator[Any]:
        """These calls have ended."""
        self._earliest = None
        for call in self._open.pop(key, ()):
            if call.session is None:
                unnamed: list[Any] = []
                self._pass(call, unnamed)
                yield from unnamed
                continue
            self._judged.add(key)
            if call.over:
                continue
            ended: EndCause = "closed" if cause == "stop" else cause
            if ended == "closed" and (yield from self._is_cut(call)):
                ended = "disconnect"
            self._keep(call, -call.weight)
            for item in call.session.close(_block(call, ended), call.mending if ended == "closed" else None):
                if isinstance(item, Pending):
                    item.follow = partial(self._sent, call)
                yield item
                if isinstance(item, ToolBlock) and item.part == item.parts:
                    yield from self._sent(call, item)

    def behind(self, event: Event) -> bool:
        """Whether an event is about what comes behind a call that is held, where clients would miss the call's place."""
        if self._mode != "guard" or not self._open:
            return False
        place = self._protocol.place(event)
        if place is None:
            return False
        if self._earliest is None:
            self._earliest = min((int(key[0]) for key, calls in self._open.items() if any(map(_is_held, calls))), default=inf)
        return place > self._earliest

    def recalled(self, event: Event) -> Event:
        """An event that repeats calls, with what was sent on of them."""
        return self._protocol.recalled(event, self._outcomes) if self._outcomes else event

    def close_all(self, cause: StreamEnd) -> Iterator[Any]:
        """The stream has ended."""
        for key in list(self._open):
            yield from self.close(key, cause)

    def _sent(self, call: _Call, block: ToolBlock) -> Iterable[Any]:
        """What leaves of a call that was held."""
        if self._mode != "guard":
            return ()
        if not block.executable or block.parts > 1:
            self._note(call, None)
            return self._protocol.no_call(call.events, call.key)
        written = "".join(call.arguments)
        if block.corrected or not written.strip():
            written = arguments_of(block)
        name = block.tool or call.name or ""
        self._note(call, (name, written))
        whole = self._protocol.whole_call(call.events, call.key, name, written)
        return [self._protocol.numbered(event, call.key, self._number(call)) for event in whole]

    def _note(self, call: _Call, sent: Sent) -> None:
        if call.id is None:
            return
        self._noted += len(sent[1]) if sent is not None else 0
        if self._noted > self._limits.max_held:  # what repeats it later is not believed
            sent = None
        self._outcomes[call.id] = sent

    def _is_cut(self, call: _Call) -> Generator[Mending, None, bool]:
        """Whether a call lacks its end: its JSON goes on. Long work is handed out first."""
        if call.mending is None:
            call.mending = Mending(self._guard.judge, _block(call, "closed"))
            if call.mending.is_long:
                yield call.mending
        verdict, _ = call.mending.run()
        if verdict.passed:
            return False
        return any(issue.code == "unterminated" for issue in verdict.issues)


def _is_held(call: _Call) -> bool:
    return call.session is not None and not call.over


def _block(call: _Call, ended: EndCause) -> Block:
    return Block("".join(call.arguments), _body(call), ended, ambiguous=False, canonical=False, fenced=False, called=call.name)


def arguments_of(block: ToolBlock) -> str:
    """The arguments of a block's call, as a native call has them."""
    return json.dumps({name: value for name, value in (block.arguments or {}).items() if name != TOOL_KEY}, ensure_ascii=False)


_BLANKS: Final = " \t\r\n"
"""What JSON takes for blank, and nothing else that looks like it."""


def _body(call: _Call) -> str:
    """The arguments of a call, with its tool's name, as the body of a block."""
    name = json.dumps(call.name)
    arguments = "".join(call.arguments).strip(_BLANKS)
    if not arguments:
        return f'{{"{TOOL_KEY}": {name}}}'
    if not arguments.startswith("{"):
        return f'{{"name": {name}, "arguments": {arguments}}}'
    rest = arguments[1:].lstrip(_BLANKS)
    return f'{{"{TOOL_KEY}": {name}{"" if rest.startswith("}") else ", "}{rest}'
