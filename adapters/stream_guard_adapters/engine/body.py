"""A response body with its texts guarded: bytes in, bytes out.

    chunk -> frames -> JSON -> Lanes -> the bytes that came, pieces of them, and our events in the protocol's shape

Rule 1: a frame leaves as the bytes that came, unless some of it is held.
Rule 2: bytes that cannot be read pass, and are reported as uninspected.
Rule 3: an upstream event that has a name of the guard's events is renamed.
"""

from __future__ import annotations

import codecs
import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

import jiter

from stream_guard import End, Guard, Session, StreamEnd, ToolEvent
from stream_guard.spi import SHORT, Aside, excess
from stream_guard.wire import name

from ..protocols import GUARD_EVENTS, MARKS, TEXT, WIRED, Framing, Protocol, disowned, recognised
from ..protocols.json_text import dumped, loaded
from .framing import Events, Frame, Lines, renamed, renamed_in_parts
from .lanes import Lanes
from .same_shape import Alike, alike
from .settings import DEFAULTS, Settings
from .uninspected import Uninspected

log: Final = logging.getLogger("stream_guard")

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
"""What may stand before the first event: a byte order mark and blanks."""

_COMMENT: Final = b": keep-alive\n\n"

_TRIES: Final = 32
"""Limit: events of no known protocol after which a stream is reported. The guard goes on looking for its protocol."""

_LOOKS: Final = 8
"""Limit: events whose shape is learnt."""

_LONGEST_LOOK: Final = 2_048
"""Limit: bytes of an event whose shape is learnt, since the pattern is made of all of them."""

Output = bytes | Any
"""Bytes to send; an event of the guard (see `event_bytes`); or a `Pending` or an `Aside` that must run first."""


class Body:
    """The body of one response.

    Args:
        guard: How to guard it.
        framing: Its wire format.
        protocol: Its protocol; None to find it out from the first events.
        settings: How to treat its calls and our events. Calls are promoted where the protocol has native calls.
    """

    def __init__(
        self,
        guard: Guard,
        framing: Framing,
        protocol: Protocol | None,
        settings: Settings = DEFAULTS,
    ) -> None:
        if protocol is TEXT:  # a plain text has no events
            settings = replace(settings, blocks="text", emit="none")
        self._guarding: Final = partial(Lanes, guard, settings=settings)
        longest = guard.limits.max_event
        self._opening: bytes | None = b"" if framing == "events" else None  # blanks, until the stream begins
        self._longest: Final = longest
        self._frames: Events | Lines | None = (
            Events(longest) if framing == "events" else Lines(longest) if framing == "lines" else None
        )
        self._emit: Final = settings.emit
        self._uninspected: Final = settings.note
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._lanes = self._guarding(protocol) if protocol is not None else None
        self._tries = 0  # events of no known protocol, while none is settled
        self._frame = Frame(b"")  # the last one that was read
        self._like: dict[str, Any] | None = None  # the last event, unless it is a long one
        self._counted: dict[str, Any] | None = None  # the last one with counts that our events repeat
        self._as_came = True  # whether it left as it came
        self._parted = False  # whether only a part of it has left
        self._drops = False  # whether the rest of an event is left out, as its beginning was
        self._missing = b""  # the end of the last event, when the stream ended without it
        self._usual: tuple[Events, Lanes, Alike] | None = None  # the shape of most events, and what reads them
        self._aborts: Final = guard.settings.early == "abort"
        self._marked = False  # whether the mark of the stream's end has come
        self._looks = 0  # how many shapes were learnt
        self.flowing: Callable[[bytes], object] | None = None
        """Takes chunks that pass unchanged, up to `SHORT`, while only such chunks have passed and an end of the stream would
        send nothing. Returns None if a chunk does not pass so."""

    @property
    def holding(self) -> bool:
        """Whether a block or a call is held."""
        return self._lanes is not None and self._lanes.holding

    @property
    def all_left(self) -> bool:
        """Whether everything has left that came: no block or call is held, no beginning of one, and nothing waits."""
        return self._lanes is None or (self._lanes.all_left and not self._lanes.holding)

    @property
    def over(self) -> bool:
        """Whether the guard has ended the stream. The caller then reads nothing more, and calls `end`."""
        return self._lanes is not None and self._lanes.over

    @property
    def inside(self) -> bool:
        """Whether the bytes sent so far end inside an event. An event that is too long to be read passes in parts."""
        return self._parted or (self._frames is not None and self._frames.lost)

    @property
    def incomplete(self) -> bool:
        """Whether some of an event has come, and nothing of it has left."""
        return self._frames is not None and self._frames.incomplete

    def try_pass(self, chunk: bytes) -> bool:
        """Take a chunk that is one event and passes unchanged, and return True; return False for any other, which `push`
        takes.

        The JSON is not parsed: the event has the shape of one that has passed. If only such events with plain text have come
        since the last event that was read, only the scanner is asked; in the middle of a line, not even the scanner.
        """
        if self.flowing is not None and len(chunk) <= SHORT and self.flowing(chunk) is not None:
            return True
        self.flowing = None
        if self._usual is None or len(chunk) > SHORT:
            return False
        frames, lanes, alike = self._usual
        found = alike.matches(chunk) if frames.between else None
        session = lanes.flowing(alike.lane) if found is not None else None
        if found is None or session is None:
            return False
        number = int(found["count"]) if alike.counts else None
        if number is not None and not lanes.in_sequence:
            return False
        if found.start("more") >= 0 or not session.line_is_inert:
            text = alike.text(found)
            if text is None or not session.try_pass(text):
                return False
        if number is not None:
            lanes.passed(number)
        elif lanes.ends_silently:
            self.flowing = alike.plain if session.line_is_inert else partial(self._flows, session, alike)
        return True

    def _flows(self, session: Session, alike: Alike, chunk: bytes) -> bool | None:
        """Take a chunk with plain text that the scanner has to see. Returns it if it passes unchanged, else None."""
        found = alike.matches(chunk)
        if found is None or found.start("more") >= 0 or not session.try_pass(found["text"][1:-1].decode()):
            return None
        if session.line_is_inert:
            self.flowing = alike.plain
        return True

    def push(self, chunk: bytes) -> Iterator[Output]:
        """Take bytes; yield what may leave. For an event of which nothing leaves, empty bytes are yielded: it has taken time
        too.
        """
        self.flowing = None
        if self._frames is None:
            text = self._decoder.decode(chunk)
            if text:
                yield from self._guarded(text, text.encode("utf-8", "surrogateescape"))
            return
        if self._opening is not None:
            chunk, self._opening = self._opening + chunk, None
            if not chunk.strip(_BLANK):
                self._opening = chunk
                return
            if chunk.lstrip(_BLANK)[:1] in b"{[":  # lines of JSON, whatever their content type says
                self._frames = Lines(self._longest)
        for frame in self._frames.push(chunk):
            left = False
            for item in self._one(frame):
                left = True
                yield item
            if not left:
                yield b""
            if self._aborts and self.over:
                break
        self.flowing = None  # whatever passed while this was on its way

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Output]:
        """End the body; yield what is still held."""
        self.flowing = None
        if self._opening:
            yield self._opening
        over, table = self.over, self._protocol
        left = self._frames.last() if self._frames is not None and not over else None
        cut: Frame | None = None
        if isinstance(self._frames, Events) and left is not None and left.data and not left.data.startswith(MARKS):
            left, cut = None, left
        for item in self._one(left) if left is not None else ():
            if self._as_came and isinstance(item, bytes):  # before it leaves: an event of the guard may follow at once
                self._missing = b"\n\n" if isinstance(self._frames, Events) else b"\n"
            yield item
        half = self._decoder.decode(b"", final=True)  # half of a character
        if half and self._frames is None:
            yield from self._guarded(half, half.encode("utf-8", "surrogateescape"))
        if not self._settled and 0 < self._tries < _TRIES:
            self._uninspected("unknown protocol")
        if self._lanes is not None:
            yield from self._each(self._lanes.end(cause), None)
        if over and table is not None and table.mark and isinstance(self._frames, Events) and not self._marked:
            yield self._ended(f"data: {table.mark}\n\n".encode())
        if cut is not None:
            yield from self._cut_off(cut)

    def _cut_off(self, frame: Frame) -> Iterator[bytes]:
        """Yield the last event of a stream that ended before the event's empty line. Some clients read such an event.

        Other clients ignore it, so it completes no block and no call. If it has a call, or repeats one, it is left out.
        """
        self._uninspected("odd event")
        try:
            event = parsed(frame.data or "")
            table = self._protocol or recognised(event, WIRED)
            called = table is not None and table.reads(event) and (table.calls(event) or table.repeated(event))
        except Exception:  # half of an event; it is JSON to nobody
            called = False
        if not called:
            self._missing = b"\n\n"  # should an event of the guard follow
            yield renamed(frame.raw)[0]

    def event_bytes(self, event: ToolEvent) -> bytes:
        """Return the bytes of one of our events."""
        return self._ended(self._written(partial(self._bytes_of, event)))

    def _written(self, write: Callable[[], bytes]) -> bytes:
        """Return the bytes of an event of the guard; no bytes if writing it fails (promise P9)."""
        try:
            return write()
        except Exception as error:
            log.error("the guard failed on an event of its own: %s; it is left out", type(error).__name__)
            self._uninspected("guard error")
            return b""

    def _bytes_of(self, event: ToolEvent) -> bytes:
        if self._protocol is None:
            return b""
        named = self._emit == "named" and isinstance(self._frames, Events) and not self._protocol.unnamed
        known = self._lanes.lane_of(event.id) if self._lanes is not None else None
        lane, like = known if known is not None else (None, self._like)
        within = self._lanes is not None and lane is not None and self._lanes.is_open(lane)
        events = self._protocol.carry(event, self._counted or like, lane, within=within)
        return b"".join(
            self._encoded(self._placed(data), keeps=False, event=name(event) if named and disowned(data) is not data else None)
            for data in events
        )

    def nothing(self) -> bytes:
        """Return the bytes of an event or comment without content, which keeps a connection alive; no bytes for plain text."""
        return self._ended(self._written(self._empty))

    def _empty(self) -> bytes:
        last = self._lanes.last_lane() if self._lanes is not None else None
        if self._protocol is not None:
            lane, like, within = last or (None, None, False)
            empty = self._protocol.nothing(like or self._like, lane, within=within)
            if empty is not None:
                return self._encoded(self._placed(empty), keeps=False)
        return _COMMENT if isinstance(self._frames, Events) else b""

    def _placed(self, data: Any) -> Any:
        return self._lanes.placed(data) if self._lanes is not None else data

    def encoded(self, event: Any) -> bytes:
        """Return the bytes of an event of the protocol."""
        if isinstance(event, str) and self._frames is None:
            return event.encode("utf-8", "surrogateescape")
        return self._ended(self._encoded(event, keeps=False))

    def _ended(self, raw: bytes) -> bytes:
        """Return the bytes; if the empty line that ends the event before them was missing, it is put first."""
        if raw and self._missing:
            raw, self._missing = self._missing + raw, b""
        return raw

    def _one(self, frame: Frame) -> Iterator[Output]:
        data = frame.data
        if frame.lost:
            self._as_came = True
            yield from self._unread(frame, "oversize event")
            return
        if frame.event in GUARD_EVENTS:
            theirs = f"upstream-{frame.event}"
            frame = Frame(frame.holding(data, event=theirs) if data is not None else renamed(frame.raw)[0], data, theirs)
        if data is None:
            if self._drops:
                self._drops = self._frames is not None and self._frames.lost
            elif self._as_came or frame.raw != b"\n":  # the other half of a CRLF goes with the first
                self._as_came = True
                yield frame.raw
            return
        self._frame = frame
        self._as_came = True
        if data.startswith(MARKS):
            self._marked = True
            if self._lanes is not None:
                yield from self._each(self._lanes.feed(End()), None)
            yield frame.raw
            return
        reading = Aside(partial(_event, data))
        if len(data) > SHORT:
            yield reading
        event, unread = reading.run()
        if unread is not None:
            yield from self._unread(frame, unread, cuts=unread == "oversize event" or data.lstrip().startswith("{"))
            return
        if not self._settled:
            self._recognise(event)
        raw, came = frame.raw, event
        event = disowned(came)
        if isinstance(event, dict) and len(raw) <= SHORT:
            self._like = event
            if self._protocol is not None and self._protocol.counted(event):
                self._counted = event
        if event is not came:
            raw = self._encoded(event, keeps=True)
        if self._lanes is None:
            yield raw
        else:
            yield from self._guarded(event, raw)

    def _unread(self, frame: Frame, why: Uninspected, *, cuts: bool = True) -> Iterator[Output]:
        """Report and pass an event that the guard does not read. A long one leaves in parts.

        `cuts` says that the event may have had a part of a held text or call: then that ends as cut off.
        """
        self._uninspected(why)
        if cuts and self._lanes is not None and self._lanes.holding:
            yield from self._each(self._lanes.feed(End("disconnect")), None)
        raw = self._lanes.placed_text(frame.raw) if self._lanes is not None else frame.raw
        if raw is None:
            self._as_came, self._drops = False, self._frames is not None and self._frames.lost
            return
        if frame.renamed:
            yield raw
            return
        parts = renamed_in_parts(raw)
        part = next(parts)
        for following in parts:
            self._parted = True
            yield part
            part = following
        self._parted = False
        yield part

    @property
    def _protocol(self) -> Protocol | None:
        """The protocol, as far as it is known."""
        return self._lanes.protocol if self._lanes is not None else None

    @property
    def _settled(self) -> bool:
        """Whether the protocol is known for certain."""
        return self._lanes is not None and self._lanes.settled

    def _recognise(self, event: Any) -> None:
        """Guess the protocol from an event. An event with text or a call settles it."""
        found = recognised(event, WIRED)
        if found is not None:
            if self._lanes is None:
                self._lanes = self._guarding(found, others=WIRED)
        elif not isinstance(event, dict):
            if self._lanes is None:
                self._uninspected("odd event")
        elif len(event) > ("type" in event):  # one with nothing but a type, as a ping, says nothing
            self._tries += 1
            if self._tries == _TRIES:
                self._uninspected("unknown protocol")

    def _guarded(self, event: Any, raw: bytes) -> Iterator[Output]:
        assert self._lanes is not None
        if len(raw) <= SHORT and self._lanes.try_pass(event):
            self._learn(event, raw)
            yield raw if self._lanes.all_left or not self._frame.numbered else self._encoded(event, keeps=True, last=False)
        else:
            self._as_came = False
            left = False
            for item in self._each(self._lanes.feed(event, len(raw)), (event, raw)):
                left = left or isinstance(item, bytes)
                yield item
            if not left and isinstance(self._frames, Events):
                beside = self._frame.alone()
                if beside:
                    yield self._ended(beside)

    def _learn(self, event: Any, raw: bytes) -> None:
        """Learn the shape of an event that has passed. Stop learning if the shapes of a stream keep changing."""
        if self._looks == _LOOKS or len(raw) > _LONGEST_LOOK:
            return
        if self._usual is not None and self._usual[2].matches(raw) is not None:
            return
        self._looks += 1
        look = alike(raw, self._protocol, event)
        if look is not None and isinstance(self._frames, Events) and self._lanes is not None:
            self._usual = self._frames, self._lanes, look

    def _each(self, items: Iterator[Any], came: tuple[Any, bytes] | None) -> Iterator[Output]:
        if came is None or not self._frame.numbered:
            for item in items:
                yield from self._output(item, came)
            return
        assert self._lanes is not None
        last: dict[str, Any] | None = None  # only what leaves last of an event has its id, and only if nothing is held then
        for item in items:
            if last is not None:
                yield self._ended(self._encoded(last, keeps=True, last=False))
                last = None
            if isinstance(item, dict) and not (item is came[0] and self._lanes.all_left):
                last = item
            else:
                yield from self._output(item, came)
        if last is not None and last is came[0] and self._lanes.all_left:
            yield from self._output(last, came)
        elif last is not None:
            yield self._ended(self._encoded(last, keeps=True, last=self._lanes.all_left))

    def _output(self, item: Any, came: tuple[Any, bytes] | None) -> Iterator[Output]:
        if came is not None and item is came[0]:
            self._as_came = True
            yield came[1]
        elif isinstance(item, str) and self._frames is None:
            yield item.encode("utf-8", "surrogateescape")
        elif item is None or isinstance(item, dict | list | str | int | float):  # JSON
            yield self._ended(self._encoded(item, keeps=came is not None))
        else:
            yield item

    def _encoded(self, data: Any, *, keeps: bool, last: bool = True, event: str | None = None) -> bytes:
        text = dumped(data)
        if not isinstance(self._frames, Events):
            return text.encode() + b"\n"
        if event is None and self._protocol is not None and self._protocol.named and isinstance(data, dict):
            kind = data.get("type")
            event = kind if isinstance(kind, str) else None
        return self._frame.holding(text, event=event, keeps=keeps, last=last)


def _event(data: str) -> tuple[Any, Uninspected | None]:
    """Return the parsed JSON of an event, or the reason why it is not read."""
    if len(data) > _MOST_TOKENS and crowded(data):
        return None, "oversize event"
    try:
        return parsed(data), None
    except Exception:  # too deep, too long a number, no JSON: the next event may be readable
        return None, "not JSON"


_FRACTION: Final = re.compile(r"\d[.eE]")
"""Matches a digit of a number that has a fraction or an exponent, and so may have another spelling; or a digit in a text."""


def parsed(data: str, *, as_sent: bool = True) -> Any:
    """Return the parsed JSON of an event. Raises a parser's error if the JSON cannot be parsed and written again.

    With `as_sent`, numbers and keys are written again as they were.
    """
    raw = data.encode("utf-8", "surrogatepass")
    try:
        value = jiter.from_json(raw, cache_mode="keys", catch_duplicate_keys=as_sent)
    except ValueError:
        return _reread(raw, data, as_sent=as_sent)
    return loaded(data) if as_sent and _FRACTION.search(data) is not None else value


def _reread(raw: bytes, data: str, *, as_sent: bool) -> Any:
    """Return parsed JSON that jiter refuses: with a key twice, or with half of a surrogate pair, for example."""
    load = loaded if as_sent else json.loads
    try:
        jiter.from_json(raw)
    except ValueError:
        value = load(data)
        exceeded = excess(value, _DEEPEST, len(data))
        if exceeded is not None and not (as_sent and exceeded[0] == "number_range"):  # as sent, a number keeps its spelling
            raise
        return value
    return load(data)


_MOST_TOKENS: Final = 100_000
"""Limit: strings, commas and opening brackets of an event that is read. A parser cannot be interrupted."""

_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[,\[{]', re.DOTALL)
"""Matches a string, a comma or an opening bracket. A string without an end matches to the end, so it is read once."""


def crowded(data: str) -> bool:
    """Return whether JSON has more than `_MOST_TOKENS` tokens. Nothing after that many tokens is read."""
    if sum(map(data.count, ('"', ",", "[", "{"))) <= _MOST_TOKENS:  # most have fewer even if all in their strings are counted
        return False
    return next(islice(_TOKEN.finditer(data), _MOST_TOKENS, None), None) is not None


_DEEPEST: Final = 190
"""Limit: nesting of an event. jiter itself stops at 200."""
