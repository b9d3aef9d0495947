"""Bytes on the wire, divided where events end, and nowhere else.

Rule 1: the bytes of a frame are the bytes that came. Frames and the tail, joined, are the stream.
Rule 2: a line ends with CRLF, LF or CR, and with nothing else. A CR at the end of a chunk ends its line at once; an LF that
follows belongs to it.
Rule 3: a frame that grows past the bound is let go in parts that nobody looks into. Only names of ours in it are renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from stream_guard import Limits
from stream_guard.wire import BLOCK, STATUS

LONGEST: Final = Limits().max_event
"""So many bytes of one event are looked at, unless something else is said."""

_MOST_LINES: Final = 10_000
"""So many lines of one event are looked at: JSON needs one."""

LINE: Final = re.compile(rb"\r\n|\n|\r")
_EVENT: Final = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_BOM: Final = b"\xef\xbb\xbf"
_NAME: Final = re.compile(r"[^\0\r\n\ud800-\udfff]+")
"""What may be an event's name."""


def _spelt(name: str) -> bytes:
    """A pattern for a name, however JSON spells its characters."""
    return "".join(rf"(?:{re.escape(char)}|\\u00(?i:{ord(char):02x}))" for char in name).encode()


_OURS: Final = re.compile(
    rb'"(?:data-)?(?P<told>' + b"|".join(map(_spelt, (STATUS, BLOCK, "stream_guard"))) + rb')"'
    rb"|(?<![^\r\n])event: ?(?P<named>" + b"|".join(name.encode() for name in (STATUS, BLOCK)) + rb")(?=[\r\n]|\Z)"
)
_LONGEST_NAME: Final = 256
"""More bytes than one of our names takes, however it is spelt."""


def renamed(raw: bytes | bytearray, keep: int = 0) -> tuple[bytes, int]:
    """Bytes that nobody can read, all but the last few, with other names where ours stand; and how many those were."""
    out: list[bytes] = []
    at, stop = 0, max(len(raw) - keep, 0)
    for found in _OURS.finditer(raw):
        if found.start() >= stop:
            break
        start = found.start(found.lastgroup or 0)
        out += (bytes(raw[at:start]), b"upstream-")
        at = start
        stop = max(stop, found.end())
    out.append(bytes(raw[at:stop]))
    return b"".join(out), stop


@dataclass(frozen=True, slots=True)
class Frame:
    """One event as it came."""

    raw: bytes
    """Its bytes, the empty line at its end included."""

    data: str | None = None
    """Its data; None when it has none, or is not looked into."""

    event: str | None = None
    """Its name, when it has one."""

    lost: bool = False
    """Whether an event begins here that is too long to be looked into."""

    def holding(self, data: str, *, event: str | None = None, keeps: bool = True) -> bytes:
        """The bytes of an event with other data. It `keeps` this one's other fields, or is one of its kind with a name.

        What can be no event's name is none.
        """
        found = LINE.search(self.raw.lstrip(b"\r\n"))
        end = found[0] if found is not None else b"\n"
        lines = [line for line in LINE.split(self.raw) if line and not line.startswith((b"data", b":"))] if keeps else []
        if event is not None and _NAME.fullmatch(event):
            lines = [b"event: " + event.encode(), *(line for line in lines if not line.startswith(b"event"))]
        return end.join([*lines, b"data: " + data.encode(), b"", b""])


class Events:
    """Server-sent events out of chunks of bytes."""

    __slots__ = ("_buffer", "_cr", "_longest", "_searched", "_started", "lost")

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._cr = False  # the last event ended with one, and half of a CRLF may be to come
        self.lost = False
        """Whether the stream is in the middle of an event that is too long."""
        self._started = False

    @property
    def between(self) -> bool:
        """Whether the stream is between two events, and nothing of the next has come."""
        return not (self._buffer or self.lost or self._cr)

    def push(self, chunk: bytes) -> Iterator[Frame]:
        """Take bytes; give out the events that are complete."""
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
            yield Frame(renamed(raw)[0]) if self.lost else self._read(raw)
            self.lost = False
        self._searched = max(len(self._buffer) - 3, 0)
        if len(self._buffer) > (2 * _LONGEST_NAME if self.lost else self._longest):
            raw, size = renamed(self._buffer, _LONGEST_NAME)  # an empty line, or a name, may have begun
            del self._buffer[:size]
            self._searched = 0
            yield Frame(raw, lost=not self.lost)
            self.lost = True

    def last(self) -> Frame | None:
        """What was left when the stream ended, if anything: an event without its empty line, which some clients read."""
        left = bytes(self._buffer)
        self._buffer.clear()
        if not left:
            return None
        return Frame(renamed(left)[0]) if self.lost else self._read(left)

    def _read(self, raw: bytes) -> Frame:
        if len(raw) > self._longest or raw.count(b"\n") + raw.count(b"\r") > _MOST_LINES:
            return Frame(renamed(raw)[0], lost=True)
        text = raw
        if not self._started and text.startswith(_BOM):
            text = text[len(_BOM) :]
        self._started = True
        if text.startswith(b"data: ") and text.find(b"\n") == len(text) - 2 and b"\r" not in text:
            return Frame(raw, text[6:-2].decode(errors="replace"))
        data: list[str] = []
        event = None
        for line in LINE.split(text):
            name, _, value = line.partition(b":")
            if name in (b"data", b"event"):
                said = value.removeprefix(b" ").decode(errors="replace")
                if name == b"data":
                    data.append(said)
                else:
                    event = said
        return Frame(raw, "\n".join(data) if data else None, event)


class Lines:
    """One JSON document on each line, out of chunks of bytes."""

    __slots__ = ("_buffer", "_longest", "_lost", "_searched")

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._lost = False

    def push(self, chunk: bytes) -> Iterator[Frame]:
        """Take bytes; give out the lines that are complete."""
        self._buffer += chunk
        while (end := self._buffer.find(b"\n", self._searched) + 1) > 0:
            raw = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._searched = 0
            yield Frame(renamed(raw)[0]) if self._lost else self._read(raw)
            self._lost = False
        self._searched = len(self._buffer)
        if len(self._buffer) > (2 * _LONGEST_NAME if self._lost else self._longest):
            raw, size = renamed(self._buffer, _LONGEST_NAME)
            del self._buffer[:size]
            self._searched = 0
            yield Frame(raw, lost=not self._lost)
            self._lost = True

    def last(self) -> Frame | None:
        """What was left when the stream ended, if anything: a line needs no line end."""
        left = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        if not left:
            return None
        return Frame(renamed(left)[0]) if self._lost else self._read(left)

    def _read(self, raw: bytes) -> Frame:
        if len(raw) > self._longest:
            return Frame(renamed(raw)[0], lost=True)
        text = raw.strip()
        return Frame(raw, text.decode(errors="replace") if text else None)
