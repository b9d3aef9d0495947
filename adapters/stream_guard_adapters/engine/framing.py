"""Wire formats: divides a stream of bytes into events or lines.

Rule 1: the bytes of a frame are the bytes that came. Frames and the tail, joined, are the stream.
Rule 2: a line ends with CRLF, LF or CR, and with nothing else. A CR at the end of a chunk ends its line at once; an LF at the
beginning of the next chunk belongs to that line end.
Rule 3: a frame that grows past the limit is released, and the rest of it passes in parts. It is not read, but names of the
guard's events in it are replaced: the few bytes that may begin such a name wait for the bytes after them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from stream_guard import Limits

from ..protocols import GUARD_EVENTS, Framing

LONGEST: Final = Limits().max_event
"""Limit: bytes of an event that is read, unless `Limits.max_event` is set."""

_MOST_LINES: Final = 10_000
"""Limit: lines of an event that is read. JSON needs one."""

CONTENT_TYPES: Final[Mapping[Framing, tuple[str, ...]]] = {
    "events": ("text/event-stream",),
    "lines": ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"),
    "text": ("text/plain; charset=utf-8",),
}
"""The content types of each wire format; the first is the one to send."""

LINE: Final = re.compile(rb"\r\n|\n|\r")
_EVENT: Final = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
BOM: Final = b"\xef\xbb\xbf"
_NAME: Final = re.compile(r"[^\0\r\n\ud800-\udfff]+")
"""The characters of an event's name."""


def _spelt(name: str) -> list[str]:
    """Return a pattern for each character of a name, in any of JSON's spellings."""
    return [rf"(?:{re.escape(char)}|\\u00(?i:{ord(char):02x}))" for char in name]


_HALF: Final = r"(?:\\(?:u(?:0(?:0[0-9a-fA-F]?)?)?)?)?"
"""A pattern for the beginning of an escape, or for nothing."""


def _begun(chars: Sequence[str], half: str = "") -> str:
    """Return a pattern for a beginning of these characters at the end of the bytes. The last character may be cut in half."""
    return reduce(lambda rest, char: rf"(?:{half}\Z|{char}{rest})", reversed(chars), r"\Z")


_DATA: Final = _spelt("data-")
"""The prefix of the AI SDK's data parts. It stands here and not in the table: bytes that cannot be parsed have no table."""

_SPELT: Final = [_spelt(name) for name in (*GUARD_EVENTS, "stream_guard")]
_NAMED: Final = [re.escape(name) for name in GUARD_EVENTS]

_GUARD_NAME: Final = re.compile(
    (
        f'"(?:{"".join(_DATA)})?(?P<name>{"|".join(map("".join, _SPELT))})"'
        rf"|(?<=[\r\n])event: ?(?P<named>{'|'.join(_NAMED)})(?=[\r\n])"
    ).encode()
)
"""A name of the guard's events, where it would be read as one."""

_OPEN: Final = re.compile(
    "|".join(
        (
            r"(?:\r\n|[\r\n])\Z",
            *(f'"{_begun(chars, _HALF)}' for name in _SPELT for chars in (name, _DATA + name)),
            *(rf"(?<=[\r\n]){_begun([*'event:', *gap, *name])}" for name in GUARD_EVENTS for gap in ("", " ")),
        )
    ).encode()
)
"""Matches a possible beginning of such a name, or of an empty line. The next bytes decide."""

_PART: Final = 65_536
"""How many bytes of a frame that is too long are searched for names at a time."""

_LONGEST_NAME: Final = 256
"""Limit: bytes of a name of the guard's events, in the longest spelling."""


def renamed(raw: bytes | bytearray, before: bytes = b"\n", *, ends: bool = True) -> tuple[bytes, int]:
    """Return unreadable bytes with the guard's names in them replaced, and how many of the bytes were taken.

    If their event `ends` with them, all are taken; otherwise all but the last few, which may begin a name or an empty line.
    `before` is the byte before them.
    """
    text = b"".join((before, raw, b"\n" if ends else b""))
    out: list[bytes] = []
    at = done = 1
    for found in _GUARD_NAME.finditer(text, 1):
        start = found.start(found.lastgroup or 0)
        out += (text[at:start], b"upstream-")
        at, done = start, found.end()
    opened = None if ends else _OPEN.search(text, max(len(text) - _LONGEST_NAME, done))
    stop = opened.start() if opened is not None else len(text) - ends
    out.append(text[at:stop])
    return b"".join(out), stop - 1


def renamed_in_parts(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes of an unreadable event with the guard's names in them replaced, in small parts."""
    at, before = 0, b"\n"
    while len(raw) - at > _PART:
        part, size = renamed(raw[at : at + _PART], before, ends=False)
        at += size
        before = raw[at - 1 : at]
        yield part
    yield renamed(raw[at:], before)[0]


@dataclass(slots=True)
class Frame:
    """One event as it was received."""

    raw: bytes
    """The event's bytes, including the empty line at its end."""

    data: str | None = None
    """The event's data; None if it has none, or is not read."""

    event: str | None = None
    """The event's name; None if it has none."""

    lost: bool = False
    """Whether an event begins here that is too long to be read."""

    renamed: bool = False
    """Whether names of the guard's events in it are replaced already, because it is a part of such an event."""

    _end: bytes | None = field(default=None, init=False, repr=False, compare=False)
    """The event's line end; computed once, since `holding` is called for each piece of a long event."""

    _others: list[bytes] | None = field(default=None, init=False, repr=False, compare=False)
    """The lines that each piece of the event has: neither its data nor lines that stand once. Computed once."""

    _once: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)
    """The event's comments and times to reconnect, until a piece of it has left."""

    @property
    def numbered(self) -> bool:
        """Whether the event has an id, which a client sends to say how far it has read."""
        raw = self.raw
        return (raw.startswith(b"id") or b"\nid" in raw or b"\rid" in raw) and _ID.search(raw) is not None

    def alone(self) -> bytes:
        """Return the comments and times to reconnect as a frame of their own, for an event of which nothing has left."""
        found = [line for line in self.raw.splitlines() if line.startswith((b":", b"retry:"))]
        return _line_end(self.raw).join([*found, b"", b""]) if found else b""

    def holding(self, data: str, *, event: str | None = None, keeps: bool = True, last: bool = True) -> bytes:
        """Return the bytes of an event with this data, and with the other fields of this frame if it `keeps` them.

        Of several events, only the `last` keeps the id, and only the first keeps the lines that stand once. A name that no
        event can have is left out.
        """
        if self._end is None:
            self._end = _line_end(self.raw)
        lines: list[bytes] = []
        if keeps:
            if self._others is None:
                found = [line for line in self.raw.splitlines() if line and not line.startswith(b"data")]
                self._once = [line for line in found if line.startswith((b":", b"retry"))]
                self._others = [line for line in found if not line.startswith((b":", b"retry"))]
            lines = [*self._once, *(line for line in self._others if last or not line.startswith(b"id"))]
            self._once = []
        if event is not None and _NAME.fullmatch(event):
            lines = [b"event: " + event.encode(), *(line for line in lines if not line.startswith(b"event"))]
        return self._end.join([*lines, b"data: " + data.encode(), b"", b""])


_ID: Final = re.compile(rb"(?:^|[\r\n])id(?=[:\r\n])")
"""The line of an id. It takes 25 ms to search an event of four megabytes for it, and 2 ms for its letters alone."""


def _line_end(raw: bytes) -> bytes:
    """Return the line end of the first line that is not empty; a line feed if no line has an end."""
    raw = raw.lstrip(b"\r\n")
    feed = raw.find(b"\n")
    back = raw.find(b"\r", 0, feed + 1 or len(raw))
    if back < 0:
        return b"\n"
    return b"\r\n" if feed == back + 1 else b"\r"


class _Frames:
    """Divides chunks of bytes into frames. Holds the beginning of the next frame."""

    __slots__ = ("_before", "_buffer", "_longest", "_searched", "_started", "lost")

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._started = False  # whether the bytes that may be a mark at the beginning of the stream are known
        self._before = b"\n"  # the last byte released of a frame that is too long
        self.lost = False
        """Whether the stream is inside a frame that is too long, of which a part was released."""

    @property
    def incomplete(self) -> bool:
        """Whether some of a frame has come, and nothing of it was released."""
        return self._started and bool(self._buffer) and not self.lost

    def _unmarked(self, chunk: bytes) -> Generator[Frame, None, bytes]:
        """Yield the byte order mark at the beginning of a stream as a frame of its own; return the bytes after it."""
        chunk = bytes(self._buffer) + chunk
        self._buffer.clear()
        if len(chunk) < len(BOM) and BOM.startswith(chunk):
            self._buffer += chunk
            return b""
        self._started = True
        if not chunk.startswith(BOM):
            return chunk
        yield Frame(BOM)
        return chunk[len(BOM) :]

    def last(self) -> Frame | None:
        """Return the frame in which the stream ended; None if it ended between two frames. Some clients read such a frame."""
        left = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return self._whole(left) if left or self.lost else None

    def _whole(self, raw: bytes) -> Frame:
        """Return a complete frame; if a part of it was released already, the rest of it."""
        if not self.lost:
            return self._read(raw)
        self.lost = False
        before, self._before = self._before, b"\n"
        return Frame(renamed(raw, before)[0], renamed=True)

    def _let_go(self) -> Iterator[Frame]:
        """Yield the parts of an incomplete frame that are released because the frame is too long."""
        while self.lost or len(self._buffer) > self._longest:
            raw, size = renamed(self._buffer[:_PART], self._before, ends=False)
            if not size:
                return
            self._before = bytes(self._buffer[size - 1 : size])
            del self._buffer[:size]
            self._searched = 0
            begins, self.lost = not self.lost, True
            yield Frame(raw, lost=begins, renamed=True)

    def _read(self, raw: bytes) -> Frame:
        raise NotImplementedError


class Events(_Frames):
    """Divides chunks of bytes into server-sent events."""

    __slots__ = ("_cr",)

    def __init__(self, longest: int = LONGEST) -> None:
        super().__init__(longest)
        self._cr = False  # the last event ended with one, and half of a CRLF may be to come

    @property
    def between(self) -> bool:
        """Whether the stream is between two events."""
        return not (self._buffer or self.lost or self._cr)

    def push(self, chunk: bytes) -> Iterator[Frame]:
        """Take bytes; yield the events that are complete."""
        if not self._started:
            chunk = yield from self._unmarked(chunk)
            if not chunk:
                return
        if self.between and chunk.endswith(b"\n\n") and chunk.find(b"\n\n") == len(chunk) - 2 and b"\r" not in chunk:
            yield self._read(chunk)  # one event, as servers send them
            return
        self._buffer += chunk
        if self._cr and self._buffer:
            self._cr = False
            if self._buffer.startswith(b"\n"):
                del self._buffer[:1]
                yield Frame(b"\n")
        while True:
            end = _EVENT.search(self._buffer, self._searched)
            if end is None:
                break
            raw = bytes(self._buffer[: end.end()])
            del self._buffer[: end.end()]
            self._searched = 0
            self._cr = raw.endswith(b"\r") and not self._buffer
            yield self._whole(raw)
        self._searched = max(len(self._buffer) - 3, 0)
        yield from self._let_go()

    def _read(self, raw: bytes) -> Frame:
        if len(raw) > self._longest or raw.count(b"\n") + raw.count(b"\r") > _MOST_LINES:
            return Frame(raw, lost=True)
        if raw.startswith(b"data: ") and raw.find(b"\n") == len(raw) - 2 and b"\r" not in raw:
            return Frame(raw, raw[6:-2].decode(errors="replace"))
        data: list[str] = []
        event = None
        for line in raw.splitlines():
            name, _, value = line.partition(b":")
            if name in (b"data", b"event"):
                said = value.removeprefix(b" ").decode(errors="replace")
                if name == b"data":
                    data.append(said)
                else:
                    event = said
        return Frame(raw, "\n".join(data) if data else None, event)


class Lines(_Frames):
    """Divides chunks of bytes into lines, each with a JSON document. The last line needs no line end."""

    __slots__ = ()

    def push(self, chunk: bytes) -> Iterator[Frame]:
        """Take bytes; yield the lines that are complete."""
        if not self._started:
            chunk = yield from self._unmarked(chunk)
            if not chunk:
                return
        self._buffer += chunk
        while (end := self._buffer.find(b"\n", self._searched) + 1) > 0:
            raw = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._searched = 0
            yield self._whole(raw)
        self._searched = len(self._buffer)
        yield from self._let_go()

    def _read(self, raw: bytes) -> Frame:
        if len(raw) > self._longest:
            return Frame(raw, lost=True)
        text = raw.strip()
        return Frame(raw, text.decode(errors="replace") if text else None)
