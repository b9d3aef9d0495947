"""A body on the wire with its texts guarded: bytes in, bytes out.

    chunk -> frames -> JSON -> Lanes -> the very bytes that came, pieces of them, and our events in the protocol's shape

Rule 1: a frame of which nothing had to be held leaves as the bytes that came.
Rule 2: what cannot be read is passed on and said to be not inspected.
Rule 3: nobody upstream speaks in our name.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Literal

import jiter

from stream_guard import End, Guard, StreamEnd, ToolEvent
from stream_guard.wire import BLOCK, STATUS, name, to_json

from .calls import Native
from .framing import Events, Frame, Lines
from .lanes import Lanes
from .likeness import Alike, alike
from .protocols import TEXT, Framing, Protocol, recognised

Emit = Literal["auto", "named", "none"]
"""How our events are told: in the shape that the protocol's clients survive, as named events, or not at all."""

_COMMENT: Final = b": keep-alive\n\n"

_TRIES: Final = 32
"""So many events are looked at for one that tells the protocol."""

_LOOKS: Final = 8
"""So many events are looked at for what most of them look like."""

Said = bytes | Any
"""Bytes to send; an event of ours, for which `told` has the bytes; a `Pending` or a `Mending` that has to be seen to first."""


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
        uninspected: Callable[[str], None] = lambda _: None,
        stream_id: str | None = None,
        native: Native = "guard",
        *,
        promote: bool = False,
    ) -> None:
        self._guarding: Final = partial(Lanes, guard, stream_id=stream_id, native=native, promote=promote)
        self._frames: Final = Events() if framing == "events" else Lines() if framing == "lines" else None
        self._emit: Final = emit
        self._uninspected: Final = uninspected
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._protocol = protocol
        self._lanes = self._guarding(protocol) if protocol is not None else None
        self._tries = 0
        self._frame = Frame(b"")  # the last one that was read
        self._as_came = True  # whether it left as it came
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

    def passes(self, chunk: bytes) -> bool:
        """Take a chunk if it is one event that leaves as it is. What is not taken is to be pushed.

        The event's JSON is not read for it: it is like one that has passed.
        """
        if self._usual is None:
            return False
        frames, lanes, alike = self._usual
        found = alike.matches(chunk) if frames.between else None
        session = lanes.flowing(alike.lane) if found is not None else None
        if found is None or session is None:
            return False
        if found.start("more") < 0 and session.calm:
            return True
        text = alike.text(found)
        return text is not None and session.passes(text)

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
        if self._lanes is not None:
            for item in self._lanes.end(cause):
                if left is not None and self._as_came:
                    yield b"\n\n" if isinstance(self._frames, Events) else b"\n"  # it came without its end
                    left = None
                yield from self._said(item, None)

    def told(self, event: ToolEvent) -> bytes:
        """One of our events, as this body tells it."""
        if self._emit == "none" or self._protocol is None or self._protocol is TEXT:
            return b""
        if self._emit == "named" and isinstance(self._frames, Events):
            return self._frame.holding(to_json(event), event=name(event), keeps=False)
        known = self._lanes.lane_of(event.id) if self._lanes is not None else None
        lane, like = known if known is not None else (None, None)
        within = self._lanes is not None and lane is not None and self._lanes.is_open(lane)
        return b"".join(self._encoded(data, keeps=False) for data in self._protocol.ours(event, like, lane, within=within))

    def nothing(self) -> bytes:
        """What keeps a connection alive and says nothing, for between two events. Plain text has no such thing."""
        spoken = self._lanes.spoken() if self._lanes is not None else None
        if spoken is not None and self._protocol is not None:
            lane, like, within = spoken
            empty = self._protocol.nothing(like, lane, within=within)
            if empty is not None:
                return self._encoded(empty, keeps=False)
        return _COMMENT if isinstance(self._frames, Events) else b""

    def encoded(self, event: Any) -> bytes:
        """An event of the protocol, as this body tells it."""
        return self._encoded(event, keeps=False)

    def _one(self, frame: Frame) -> Iterator[Said]:
        data = frame.data
        if data is None:
            if self._as_came or frame.raw != b"\n":  # the other half of a CRLF goes with the first
                yield frame.raw
            return
        if frame.event in (STATUS, BLOCK):
            frame = Frame(frame.holding(data, event=f"upstream-{frame.event}"), data, f"upstream-{frame.event}")
        self._frame = frame
        self._as_came = True
        if data.startswith("[DONE]"):
            if self._lanes is not None:
                yield from self._each(self._lanes.feed(End()), None)
            yield frame.raw
            return
        try:
            event = _parsed(data)
        except ValueError:
            self._uninspected("not JSON")
            yield frame.raw
            return
        if self._lanes is None and self._tries < _TRIES:
            self._recognise(event)
        if self._lanes is None:
            yield frame.raw
            return
        yield from self._guarded(event, frame.raw)

    def _recognise(self, event: Any) -> None:
        self._tries += 1
        found = recognised(event) if isinstance(event, dict) else None
        if found is not None:
            self._protocol = found
            self._lanes = self._guarding(found)
        elif self._tries == _TRIES:
            self._uninspected("unknown protocol")

    def _guarded(self, event: Any, raw: bytes) -> Iterator[Said]:
        assert self._lanes is not None
        renamed = disowned(event)
        if renamed is not event:
            event, raw = renamed, self._encoded(renamed, keeps=True)
        if self._lanes.passes(event):
            self._learn(event, raw)
            yield raw
        else:
            self._as_came = False
            yield from self._each(self._lanes.feed(event), (event, raw))

    def _learn(self, event: Any, raw: bytes) -> None:
        """See what an event that has passed looks like. In a stream of no one look, that is given up."""
        if self._looks == _LOOKS or (self._usual is not None and self._usual[2].matches(raw) is not None):
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
            yield self._encoded(item, keeps=came is not None)
        else:
            yield item

    def _encoded(self, data: Any, *, keeps: bool) -> bytes:
        text = json.dumps(data, separators=(",", ":"))
        if not isinstance(self._frames, Events):
            return text.encode() + b"\n"
        named = self._protocol is not None and self._protocol.named and isinstance(data, dict)
        return self._frame.holding(text, event=data.get("type") if named else None, keeps=keeps)


def _parsed(data: str) -> Any:
    try:
        return jiter.from_json(data.encode(), cache_mode="keys")
    except ValueError:  # half of a surrogate pair, for one, which it takes for an error
        return json.loads(data)


def disowned(event: Any) -> Any:
    """An event from upstream that bears a name of ours, under another."""
    if not isinstance(event, dict):
        return event
    kind = event.get("type")
    if isinstance(kind, str) and kind.removeprefix("data-") in (STATUS, BLOCK):
        return {**event, "type": kind.replace("json-tool-", "upstream-json-tool-")}
    if kind == "CUSTOM" and event.get("name") in (STATUS, BLOCK):
        return {**event, "name": f"upstream-{event['name']}"}
    if "stream_guard" in event:
        return {("upstream_stream_guard" if key == "stream_guard" else key): value for key, value in event.items()}
    return event
