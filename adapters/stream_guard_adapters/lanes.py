"""The events of one provider's stream: each of its texts guarded by itself, and everything else passed on.

    event -> table.texts -> the lane's session -> pieces of the event, ToolStatus, ToolBlock

Rule 1: an event of which nothing had to be held leaves as the very object that came.
Rule 2: what stands beside held text leaves at once; what ends a lane leaves after the lane's last text.
Rule 3: a lane knows nothing of the others; its events are those of its text alone.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from stream_guard import End, Guard, Pending, Session, StreamEnd, ToolBlock, ToolStatus
from stream_guard.correct import Spent
from stream_guard.session import Mending

from .calls import Calls, Native
from .promotion import Promotion
from .protocols import EVERY, TEXT, Ended, Event, Lane, Protocol

log: Final = logging.getLogger("stream_guard")

_MOST_WAITING: Final = 64
"""So many events wait at most for the reason why a text ended in the middle of a block."""


class _State:
    """What one lane has come to."""

    __slots__ = ("ended", "like", "session")

    def __init__(self, session: Session, like: Event) -> None:
        self.session = session
        self.like = like
        """The last event with text in it: what is held is sent on in its shape."""
        self.ended = False


class Lanes:
    """What one stream of a provider's events has come to."""

    __slots__ = (
        "_behind",
        "_calls",
        "_guard",
        "_lanes",
        "_names",
        "_prefix",
        "_promotion",
        "_protocol",
        "_spent",
        "_unsettled",
        "_waiting",
    )

    def __init__(
        self,
        guard: Guard,
        protocol: Protocol,
        stream_id: str | None = None,
        native: Native = "guard",
        *,
        promote: bool = False,
    ) -> None:
        self._guard = guard
        self._protocol = protocol
        self._prefix = stream_id if stream_id is not None else os.urandom(5).hex()
        self._spent = Spent()
        self._calls = Calls(guard, protocol, self._prefix, native, self._spent) if native != "off" else None
        self._promotion = Promotion(protocol) if promote and protocol.promotes else None
        self._lanes: dict[Lane, _State] = {}
        self._names: dict[str, Lane] = {}
        self._unsettled: list[Lane] = []  # lanes that ended in the middle of a block, nobody said why
        self._waiting: list[Event] = []  # what came after that
        self._behind: list[Event] = []  # what came before its turn: a call that is held has the place before it

    @property
    def holding(self) -> bool:
        """Whether a block is held back in some lane."""
        called = self._calls is not None and self._calls.holding
        return called or any(state.session.holding for state in self._lanes.values())

    def checked(self, delta: object) -> Any:
        """Any event may come; what is none of this protocol passes."""
        return delta

    def passes(self, delta: Event, /) -> bool:
        """Take an event if it leaves as it is: one text that opens nothing, and nothing else."""
        try:
            found = self._protocol.plain(delta)
        except Exception:  # `feed` meets it again, and tells
            return False
        session = self.flowing(found[0]) if found is not None else None
        if found is None or session is None or not session.passes(found[1]):
            return False
        self._lanes[found[0]].like = delta
        return True

    def flowing(self, lane: Lane) -> Session | None:
        """The session of a lane whose text may pass, if it says so; None when it has not begun, has ended or has to wait."""
        state = self._lanes.get(lane)
        return state.session if state is not None and not state.ended and not self._waiting else None

    def feed(self, delta: Event, /) -> Iterator[Any]:
        """Take an event; give out what may leave. A fault of ours lets the event pass as it came (promise P9)."""
        said = False
        try:
            for item in self._fed(delta) if self._promotion is None else self._promoted(self._fed(delta)):
                said = True
                yield item
        except Exception as error:
            log.error("the guard failed on an event: %s; it passes unguarded", type(error).__name__)
            if not said and not isinstance(delta, End):
                yield delta

    def _fed(self, delta: Event) -> Iterator[Any]:
        if isinstance(delta, End):
            yield from self._close(EVERY, delta.cause)
            yield from self._close_calls(delta.cause)
            return
        if not self._waiting:
            found = self._protocol.plain(delta)
            yield from self._text(delta, *found, ()) if found is not None else self._take(delta)
            return
        self._waiting.append(delta)
        reasons: list[StreamEnd] = [cause for _, cause in self._protocol.ends(delta) if cause is not None]
        if reasons or len(self._waiting) >= _MOST_WAITING:
            yield from self._settle(reasons[0] if reasons else "stop")

    def _promoted(self, items: Iterator[Any]) -> Iterator[Any]:
        """What is said, with the calls in it told as native ones too."""
        assert self._promotion is not None
        for item in items:
            if isinstance(item, ToolStatus | Mending):
                yield item
            elif isinstance(item, ToolBlock | Pending):
                known = self.lane_of(item.id)
                if known is not None and isinstance(item, ToolBlock):
                    self._promotion.note(*known, item)
                elif known is not None and isinstance(item, Pending):
                    self._promotion.wait(*known, item)
                yield item
            else:
                yield from self._promotion.passing(item)

    def end(self, cause: StreamEnd = "stop") -> Iterator[Any]:
        """There are no more events. A text that no event has ended was cut off."""
        if self._promotion is None:
            yield from self._ended(cause)
        else:
            yield from self._promoted(self._ended(cause))
            yield from self._promotion.end(cause)

    def _ended(self, cause: StreamEnd) -> Iterator[Any]:
        why: StreamEnd = "disconnect" if cause == "stop" and self._protocol is not TEXT else cause
        if self._waiting:
            yield from self._settle(why)
        yield from self._close(EVERY, why)
        yield from self._close_calls(why)

    def _close_calls(self, why: StreamEnd) -> Iterator[Any]:
        if self._calls is not None:
            yield from self._calls.close_all(why)
            while self._behind:
                yield from self._turn()
                yield from self._calls.close_all(why)

    def _turn(self) -> Iterator[Any]:
        """It is the turn of what came too early."""
        behind, self._behind = self._behind, []
        for event in behind:
            yield from self._take(event)

    def lane_of(self, block: str) -> tuple[Lane, Event] | None:
        """The lane of a block, by its id, and the last event with text in it."""
        lane = self._names.get(block.rpartition("-")[0])
        return (lane, self._lanes[lane].like) if lane is not None else None

    def is_open(self, lane: Lane) -> bool:
        """Whether a text of this lane has begun, and not ended."""
        return lane in self._lanes and not self._lanes[lane].ended

    def spoken(self) -> tuple[Lane, Event, bool] | None:
        """A lane that has spoken, its last event with text, and whether it is open; one that holds a block before others."""
        found = max(self._lanes.items(), key=lambda one: (not one[1].ended, one[1].session.holding), default=None)
        return (found[0], found[1].like, not found[1].ended) if found is not None else None

    def visible(self, text: str) -> str:
        """A whole text without what was held back in it: what a reader of the deltas has seen."""
        if "```" not in text and "~~~" not in text:
            return text
        session = self._guard.session(quiet=True)
        return "".join(map(str, chain(session.feed(text), session.end())))

    # -- one event -----------------------------------------------------------------------------------------------------

    def _take(self, event: Event) -> Iterator[Any]:
        if self._calls is not None:
            if self._calls.behind(event):
                self._behind.append(event)
                return
            said: list[Any] = []
            left = self._calls.feed(event, said)
            yield from said
            ends = self._calls.ends(event)
            if any(why is None for _, why in ends):
                self._waiting.append(event)
                return
            while ends:
                for key, why in ends:
                    yield from self._calls.close(key, why or "stop")
                yield from self._turn()
                ends = self._calls.ends(event)
            if left is None:
                return
            event = left
        texts = self._protocol.texts(event)
        if len(texts) > 1 and (self._protocol.ends(event) or not all(self._calm(lane, text) for lane, text in texts)):
            for part in self._protocol.apart(event):
                yield from self._one(part)
        else:
            yield from self._one(event)

    def _calm(self, lane: Lane, text: str) -> bool:
        """Whether a text may pass without being looked at."""
        session = self.flowing(lane)
        return session is not None and session.calm and text.isprintable()

    def _one(self, event: Event) -> Iterator[Any]:
        ends = self._protocol.ends(event)
        texts = self._protocol.texts(event)
        if len(texts) == 1:
            yield from self._text(event, *texts[0], ends)
            return
        if texts:  # several, and all of them pass
            yield event
            return
        for lane, cause in ends:
            if cause is None and lane in self._lanes and self._lanes[lane].session.holding:
                self._unsettled.append(lane)
                self._waiting.append(event)
                return
            yield from self._close(lane, cause or "stop")
        event = self._protocol.echo(event, self.visible)
        yield event if self._calls is None else self._calls.recalled(event)

    def _text(self, event: Event, lane: Lane, text: str, ends: Sequence[Ended]) -> Iterator[Any]:
        """An event with text: whole, or in pieces, with what stands beside the text in the first or the last of them."""
        state = self._state(lane, event)
        said: Iterator[Any] = state.session.feed(text)
        for ended, cause in ends:
            if ended == lane:
                state.ended = True
                said = chain(said, state.session.end(cause or "stop"))
        first = True
        item = next(said, None)
        if item is text:
            item = next(said, None)
            if item is None:
                yield event
                return
            yield self._protocol.piece(event, lane, text, first=True, last=False)
            first = False
        while item is not None:
            if isinstance(item, str):
                yield self._protocol.piece(event, lane, item, first=first, last=False)
                first = False
            else:
                yield item
            item = next(said, None)
        if self._protocol.beside(event):
            yield self._protocol.piece(event, lane, "", first=first, last=True)

    def _state(self, lane: Lane, event: Event) -> _State:
        state = self._lanes.get(lane)
        if state is None or state.ended:
            name = f"{self._prefix}-{'.'.join(map(str, lane))}"
            if state is not None:
                name += f".{len(self._names)}"
            self._names[name] = lane
            quiet = self._protocol.repeats(lane)
            session = self._guard.session(name, patient=True, spent=self._spent, quiet=quiet)
            state = self._lanes[lane] = _State(session, event)
        state.like = event
        return state

    # -- ends ----------------------------------------------------------------------------------------------------------

    def _close(self, lane: Lane, cause: StreamEnd) -> Iterator[Any]:
        """End a lane, or all: what it held leaves in the shape of its last event with text."""
        for name in list(self._lanes) if lane == EVERY else [lane]:
            state = self._lanes.get(name)
            if state is None or state.ended:
                continue
            state.ended = True
            for item in state.session.end(cause):
                yield self._protocol.piece(state.like, name, item, first=False, last=False) if isinstance(item, str) else item

    def _settle(self, cause: StreamEnd) -> Iterator[Any]:
        """Now it is known why a text ended in the middle of a block, or nobody will say."""
        lanes, self._unsettled = self._unsettled, []
        waiting, self._waiting = self._waiting, []
        for lane in lanes:
            yield from self._close(lane, cause)
        if self._calls is not None:
            for event in waiting:
                for key, why in self._calls.ends(event):
                    yield from self._calls.close(key, why or cause)
        for event in waiting:
            yield from self._take(event)
