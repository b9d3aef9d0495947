"""`SentRequest`: the body of a request as JSON, if it is JSON, whatever its headers say.

    chunk -> unpacked (gzip, deflate) -> looks like JSON? -> RequestBody

Rule: providers read a body as JSON even if it is sent as a form, as text or without a type (`curl -d`). So a body that begins
like JSON is read, whatever its type says. A body that cannot be unpacked counts as not read.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any, Final

from .request_tools import RequestBody

_OBJECT: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\{|(?:\xff\xfe|\xfe\xff|)\x00*\{")
"""The beginning of an object in JSON: in UTF-8, with a byte order mark or without, or in UTF-16 or UTF-32."""

_BLANK: Final = b" \t\r\n"

_TELLS: Final = 8
"""The number of bytes, after blanks, that show whether a body begins like JSON."""

_PACKED: Final = (b"gzip", b"x-gzip", b"deflate")

_AT_ONCE: Final = 65_536
"""The number of bytes that are unpacked at a time."""

_MOST_UNPACKED: Final = 8
"""Limit: how many times `max_event` an unpacked body may be long. A longer one is not read."""


class SentRequest:
    """The body of a POST, as far as an app has read it.

    Args:
        headers: The request's, as ASGI has them.
        most: The most bytes that are kept.
    """

    def __init__(self, headers: Iterable[tuple[bytes, bytes]], most: int) -> None:
        named = [(name.lower(), value) for name, value in headers]
        kind = next((value for name, value in named if name == b"content-type"), b"").partition(b";")[0].strip().lower()
        coded = b",".join(value for name, value in named if name == b"content-encoding").lower().split(b",")
        codings = [one.strip() for one in coded if one.strip() not in (b"", b"identity")]
        self._body: RequestBody | None = RequestBody(most)
        self._is_json = is_json(kind)
        self._head: bytes | None = b""  # its beginning after blanks, until that shows whether it is JSON
        self._unpacker: Any = zlib.decompressobj(47) if len(codings) == 1 and codings[0] in _PACKED else None
        self._room = _MOST_UNPACKED * most
        self._unreadable = bool(codings) and self._unpacker is None

    @property
    def raw(self) -> bytes:
        """The part of the body that is kept; empty if the body is no JSON, or is too long."""
        return self._body.raw if self._body is not None and not self._unreadable else b""

    @property
    def lost(self) -> bool:
        """Whether it is too long to be kept, or cannot be unpacked."""
        return self._unreadable or (self._body is not None and self._body.lost)

    def takes_long(self, chunk: bytes) -> bool:
        """Return whether taking these bytes may take long: unpacked, a body may be a thousand times as long as its bytes."""
        if self._body is None or self.lost:
            return False
        return self._unpacker is not None or self._body.takes_long(chunk)

    def take(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._body is None or self.lost:
            return
        if self._unpacker is None:
            self._add(chunk)
            return
        try:
            while chunk and not self.lost:
                piece = self._unpacker.decompress(chunk, _AT_ONCE)
                self._room -= len(piece)
                self._unreadable = self._room < 0 or bool(self._unpacker.unused_data)
                self._add(piece)
                chunk = self._unpacker.unconsumed_tail
        except zlib.error:
            self._unreadable = True

    def _add(self, piece: bytes) -> None:
        """Keep the next bytes of the body itself, if it is JSON so far."""
        if self._head is not None:
            piece = (self._head + piece).lstrip(_BLANK)
            begins = bool(piece) and (self._is_json or _OBJECT.match(piece) is not None)
            self._head = None if begins else piece
            if not begins:
                self._body = self._body if len(piece) < _TELLS else None
                return
        if self._body is not None:
            self._body.take(piece)


def is_json(kind: bytes) -> bool:
    """Return whether a content type, in lower case and without its parameters, is JSON's."""
    return kind == b"application/json" or kind.endswith(b"+json")
