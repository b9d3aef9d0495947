"""A body on the wire with its texts guarded: bytes in, bytes out.

    chunk -> frames -> JSON -> Lanes -> the very bytes that came, pieces of them, and our events in the protocol's shape

Rule 1: a frame of which nothing had to be held leaves as the bytes that came.
Rule 2: what cannot be read is passed on and said to be not inspected.
Rule 3: nobody upstream speaks in our name.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, Literal

import jiter

from stream_guard import End, Guard, StreamEnd, ToolEvent, ToolStatus
from stream_guard.spi import SHORT, excess
from stream_guard.wire import BLOCK, STATUS, name, to_json

from .calls import Native
from .framing import Events, Frame, Lines, renamed
from .lanes import Lanes
from .likeness import Alike, alike
from .protocols import TEXT, Framing, Protocol, recognised
from .room import Note

Emit = Literal["auto", "named", "none"]
"""How our events are told: in the shape that the protocol's clients survive, as named events, or not at all."""

_COMMENT: Final = b": keep-alive\n\n"

_TRIES: Final = 32
"""So many events are looked at for one that tells the protocol."""

_LOOKS: Final = 8
"""So many events are looked at for what most of them look like."""

_LONGEST_LOOK: Final = 2_048
"""So long may an event be for its look to be learnt: a pattern is made of all of it."""

Said = bytes | Any
"""Bytes to send; an event of ours, for which `told` has the bytes; a `Pending` or an `Aside` that has to be seen to first."""


class Body:
    """One response's body.

    Args:
        guard: How to guard it.
        framing: Whether it comes as events, as lines of JSON, or as plain text.
        protocol: Where its text is; None when the first events are to tell.
        emit: How our events are told.
        uninspected: Told why something was passed on without being looked into.
        native: What becomes of native tool calls.
        promote: Whether a call that was written as text is told as a native one too, where the protocol has such.
    """

    def __init__(
        self,
        guard: Guard,
        framing: Framing,
        protocol: Protocol | None,
        emit: Emit = "auto",
        uninspected: Note = lambda _: None,
        stream_id: str | None = None,
        native: Native = "guard",
        *,
        promote: bool = False,
    ) -> None:
        self._guarding: Final = partial(
            Lanes, guard, stream_id=stream_id, native=native, promote=promote, uninspected=uninspected
        )
        longest = guard.limits.max_event
        self._frames: Final = Events(longest) if framing == "events" else Lines(longest) if framing == "lines" else None
        self._emit: Final = emit
        self._uninspected: Final = uninspected
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._protocol = protocol
        self._lanes = self._guarding(protocol) if protocol is not None else None
        self._tries = 0
        self._frame = Frame(b"")  # the last one that was read
        self._as_came = True  # whether it left as it came
        self._missing = b""  # the end of the last event, when the stream ended without it
        self._usual: tuple[Events, Lanes, Alike] | None = None  # what most events look like, and who reads them
        self._looks = 0  # how often that was looked at

    @property
    def holding(self) -> bool:
        """Whether a block is held back."""
        return self._lanes is not None and self._lanes.holding

    @property
    def inside(self) -> bool:
        """Whether what has left so far ends in the middle of an event: one that is too long to be held passes in parts."""
        return self._frames is not None and self._frames.lost

    def try_pass(self, chunk: bytes) -> bool:
        """Take a chunk if it is one event that leaves as it is. What is not taken is to be pushed.

        The event's JSON is not read for it: it is like one that has passed.
        """
        if self._usual is None:
            return False
        frames, lanes, alike = self._usual
        found = alike.matches(chunk) if frames.between and len(chunk) <= SHORT else None
        session = lanes.flowing(alike.lane) if found is not None else None
        if found is None or session is None:
            return False
        if found.start("more") < 0 and session.calm:
            return True
        text = alike.text(found)
        return text is not None and session.try_pass(text)

    def push(self, chunk: bytes) -> Iterator[Said]:
        """Take bytes; give out what may leave."""
        if self._frames is None:
            text = self._decoder.decode(chunk)
            if text:
                yield from self._guarded(text, text.encode("utf-8", "surrogateescape"))
            return
        for frame in self._frames.push(chunk):
            yield from self._one(frame)

    def end(self, cause: StreamEnd = "stop") -> Iterator[Said]:
        """There is no more."""
        left = self._frames.last() if self._frames is not None else None
        if left is not None:
            yield from self._one(left)
        if self._lanes is None and 0 < self._tries < _TRIES:
            self._uninspected("unknown protocol")
        if left is not None and self._as_came:
            self._missing = b"\n\n" if isinstance(self._frames, Events) else b"\n"
        if self._lanes is not None:
            yield from self._each(self._lanes.end(cause), None)

    def told(self, event: ToolEvent) -> bytes:
        """One of our events, as this body tells it."""
        return self._ended(self._told(event))

    def _told(self, event: ToolEvent) -> bytes:
        if self._protocol is TEXT:
            return _as_text(event).encode("utf-8", "surrogateescape")
        if self._emit == "none" or self._protocol is None:
            return b""
        named = self._emit == "named" and isinstance(self._frames, Events)
        if named and self._protocol.survives:
            return self._frame.holding(to_json(event), event=name(event), keeps=False)
        known = self._lanes.lane_of(event.id) if self._lanes is not None else None
        lane, like = known if known is not None else (None, None)
        within = self._lanes is not None and lane is not None and self._lanes.is_open(lane)
        told = self._protocol.ours(event, like, lane, within=within)
        return b"".join(
            self._encoded(data, keeps=False, event=name(event) if named and disowned(data) is not data else None)
            for data in told
        )

    @property
    def in_line(self) -> bool:
        """Whether blocks stay in the text, so that nothing may overtake one."""
        return self._protocol is TEXT

    def nothing(self) -> bytes:
        """What keeps a connection alive and says nothing, for between two events. Plain text has no such thing."""
        spoken = self._lanes.spoken() if self._lanes is not None else None
        if spoken is not None and self._protocol is not None:
            lane, like, within = spoken
            empty = self._protocol.nothing(like, lane, within=within)
            if empty is not None:
                return self._ended(self._encoded(empty, keeps=False))
        return self._ended(_COMMENT) if isinstance(self._frames, Events) else b""

    def encoded(self, event: Any) -> bytes:
        """An event of the protocol, as this body tells it."""
        return self._ended(self._encoded(event, keeps=False))

    def _ended(self, raw: bytes) -> bytes:
        """What is said, behind the end that the event before it came without."""
        if raw and self._missing:
            raw, self._missing = self._missing + raw, b""
        return raw

    def _one(self, frame: Frame) -> Iterator[Said]:
        data = frame.data
        if frame.lost:
            self._uninspected("oversize event")
        if frame.event in (STATUS, BLOCK):
            theirs = f"upstream-{frame.event}"
            frame = Frame(frame.holding(data, event=theirs) if data is not None else renamed(frame.raw)[0], data, theirs)
        if data is None:
            if self._as_came or frame.raw != b"\n":  # the other half of a CRLF goes with the first
                self._as_came = True
                yield frame.raw
            return
        self._frame = frame
        self._as_came = True
        if data.startswith("[DONE]"):
            if self._lanes is not None:
                yield from self._each(self._lanes.feed(End()), None)
            yield frame.raw
            return
        try:
            event = _parsed(data)
        except Exception:  # too deep, too long a number, no JSON: whatever it is, the next event may be better
            self._uninspected("not JSON")
            yield renamed(frame.raw)[0]
            return
        if self._lanes is None and self._tries < _TRIES:
            self._recognise(event)
        raw, came = frame.raw, event
        event = disowned(came)
        if event is not came:
            raw = self._encoded(event, keeps=True)
        if self._lanes is None:
            yield raw
        else:
            yield from self._guarded(event, raw)

    def _recognise(self, event: Any) -> None:
        self._tries += 1
        found = recognised(event) if isinstance(event, dict) else None  # which is total, for JSON
        if found is not None:
            self._protocol = found
            self._lanes = self._guarding(found)
        elif self._tries == _TRIES:
            self._uninspected("unknown protocol")

    def _guarded(self, event: Any, raw: bytes) -> Iterator[Said]:
        assert self._lanes is not None
        if len(raw) <= SHORT and self._lanes.try_pass(event):
            self._learn(event, raw)
            yield raw
        else:
            self._as_came = False
            yield from self._each(self._lanes.feed(event, len(raw)), (event, raw))

    def _learn(self, event: Any, raw: bytes) -> None:
        """See what an event that has passed looks like. In a stream of no one look, that is given up."""
        if self._looks == _LOOKS or len(raw) > _LONGEST_LOOK:
            return
        if self._usual is not None and self._usual[2].matches(raw) is not None:
            return
        self._looks += 1
        look = alike(raw, self._protocol, event)
        if look is not None and isinstance(self._frames, Events) and self._lanes is not None:
            self._usual = self._frames, self._lanes, look

    def _each(self, items: Iterator[Any], came: tuple[Any, bytes] | None) -> Iterator[Said]:
        for item in items:
            yield from self._said(item, came)

    def _said(self, item: Any, came: tuple[Any, bytes] | None) -> Iterator[Said]:
        if came is not None and item is came[0]:
            self._as_came = True
            yield came[1]
        elif isinstance(item, str):
            yield item.encode("utf-8", "surrogateescape")
        elif isinstance(item, dict):
            yield self._ended(self._encoded(item, keeps=came is not None))
        else:
            yield item

    def _encoded(self, data: Any, *, keeps: bool, event: str | None = None) -> bytes:
        text = _dumped(data)
        if not isinstance(self._frames, Events):
            return text.encode() + b"\n"
        if event is None and self._protocol is not None and self._protocol.named and isinstance(data, dict):
            kind = data.get("type")
            event = kind if isinstance(kind, str) else None
        return self._frame.holding(text, event=event, keeps=keeps)


def _as_text(event: ToolEvent) -> str:
    """What stands for a block in a text that has no way to tell of it: the block, mended if it was."""
    if isinstance(event, ToolStatus):
        return ""
    if not (event.corrected and event.executable):
        return event.raw
    return event.content if event.part == 1 else f"\n{event.content}"


def _parsed(data: str) -> Any:
    """The JSON of an event, if it can be read and be told again. Raises for any other, whatever the parsers raise."""
    try:
        return jiter.from_json(data.encode(), cache_mode="keys")
    except ValueError:  # half of a surrogate pair, for one, which it takes for an error
        value = json.loads(data)
        if excess(value, _DEEPEST, len(data)) is not None:
            raise
        return value


_DEEPEST: Final = 190
"""So many levels deep may an event be; jiter itself stops at 200."""

_INFINITE: Final = re.compile(r'("(?:[^"\\]|\\.)*+")|Infinity')


def _dumped(data: Any) -> str:
    """JSON. A number beyond all floats stays one that every parser reads."""
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return _INFINITE.sub(lambda found: found[1] or "1e999", json.dumps(data, separators=(",", ":")))


def disowned(event: Any) -> Any:
    """An event from upstream that bears a name of ours, under another; itself when it bears none."""
    if not isinstance(event, dict):
        return event
    kind, told, theirs = event.get("type"), event.get("name"), event
    if isinstance(kind, str) and kind.removeprefix("data-") in (STATUS, BLOCK):
        theirs = {**theirs, "type": kind.replace("json-tool-", "upstream-json-tool-")}
    if kind == "CUSTOM" and told in (STATUS, BLOCK):
        theirs = {**theirs, "name": f"upstream-{told}"}
    if "stream_guard" in event:
        theirs = {("upstream_stream_guard" if key == "stream_guard" else key): value for key, value in theirs.items()}
    return theirs
