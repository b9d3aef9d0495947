"""The tools that a request offers to the model, as the tools that its reply is guarded with.

    body -> Asked (definitions, whether calls are allowed) -> Toolset -> guard

Rule 1: these tools come from outside. They do not declare what they may change, so each counts as `Risk.DESTRUCTIVE`. If the
guard has a tool of the same name, its risk is used, since the operator gave it; the definition is the request's, since its
client runs that.
Rule 2: a definition that is not understood is left out, and calls of its tool pass as calls of any unknown tool.
Rule 3: a pattern that only an engine without a time bound would match is not matched, since the sender may also choose the
text. A call with a value at such a pattern is not executable.
Rule 4: the tools of requests that offer the same ones are compiled once.
Rule 5: a request with tools that are not read is counted. If it could not be read at all, nothing is promoted.
Rule 6: if a request offers tools, only calls of these are promoted: its client runs no others.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.spi import PATTERN_ROOM, SHORT, as_definition, bounded, declarations

from .body import crowded, parsed
from .settings import OneOf, RequestTools
from .uninspected import Note

log: Final = logging.getLogger("stream_guard")

_MOST_GUARDS: Final = 64
"""Limit: compiled toolsets that are kept. The least recently used one is removed."""

_MOST_KEPT: Final = 2_097_152
"""Limit: characters of the definitions of all compiled toolsets that are kept, of which each takes up to 140 bytes. The least
recently used toolset is removed."""

_BYTES_OF_ONE: Final = 128
"""The number of bytes of compiled patterns that count as one character of a definition."""

_COPIED: Final = 5
"""The number of characters of a definition that a part of a schema counts which the validator has copied."""

_MOST_TOOLS: Final = 256
"""Limit: tools of a request that are compiled. OpenAI allows 128."""

_MOST_LONG: Final = 262_144
"""Limit: characters of all definitions of a request. Longer ones are not compiled."""

_SIGNS: Final = (b'"tools"', b'"functions"', b'"tool_choice"', b'"function_call"', b'"toolConfig"', b'"tool_config"',
                 b'"parallel_tool_calls"')  # fmt: skip
"""The members of a request that are about tools. A body with none of them is not parsed."""

_SPELT: Final = re.compile(rb"\\u00[4-7][0-9a-fA-F]")
"""Matches a letter that is written as an escape. No writer of JSON does that, so it may be one of those members."""

OnCall = Callable[[ToolBlock, Toolset], None]
"""Called with a block or a native call, and the tools that it was checked against."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says about tools."""

    definitions: tuple[Mapping[str, Any], ...] = ()
    """The tools, as `Tool.of` takes them."""

    allowed: bool = True
    """Whether the model may call any."""

    unread: bool = False
    """Whether the request may say more than was read."""

    parallel: bool = True
    """Whether the model may call more than one in a message."""


_UNREAD: Final = Asked(allowed=False, unread=True)
"""What is known of a request that is too long to be read."""


def asked(request: object) -> Asked:
    """Return what a request to a known API says about tools: chat completions, responses, messages, Gemini, Ollama."""
    if not isinstance(request, Mapping):
        return Asked()
    found = [*_definitions(request.get("tools")), *_definitions(request.get("functions"))]
    return Asked(tuple(found), not _forbidden(request), parallel=not _only_one(request))


def _definitions(entries: object) -> Iterator[Mapping[str, Any]]:
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, Mapping):
            continue
        declared = declarations(entry)
        if declared is not None:  # Gemini
            yield from filter(None, map(_declared, declared))
        else:
            yield entry


def _declared(entry: Any) -> Mapping[str, Any] | None:
    """Return a function declaration as a definition; None if it is not understood."""
    try:
        return as_definition(entry) if isinstance(entry, Mapping) else None
    except (TypeError, ValueError):
        return None


def _forbidden(request: Mapping[str, Any]) -> bool:
    """Return whether a request forbids calls."""
    choice = request.get("tool_choice", request.get("function_call"))
    if isinstance(choice, Mapping):
        choice = choice.get("type")
    config = request.get("toolConfig", request.get("tool_config"))
    for key in ("functionCallingConfig", "function_calling_config"):
        mode = config.get(key) if isinstance(config, Mapping) else None
        if isinstance(mode, Mapping) and str(mode.get("mode")).upper() == "NONE":
            return True
    return bool(choice == "none")


def _only_one(request: Mapping[str, Any]) -> bool:
    """Return whether a request allows only one call in a message."""
    choice = request.get("tool_choice")
    disabled = isinstance(choice, Mapping) and choice.get("disable_parallel_tool_use") is True
    return disabled or request.get("parallel_tool_calls") is False


_FILE: Final = 4_096
"""Limit: the characters of base64 at the beginning of a string that are kept of a long request. Tools have none so long."""

_BEFORE_A_FILE: Final = 512
"""How many bytes before its data the member of a file may begin."""

_AT_ONCE: Final = 65_536
"""The bytes of a request that are searched for files at a time."""

_BASE64: Final = rb"(?:[A-Za-z0-9+/=_-]++|\\[/nr]|\\u00[0-9a-fA-F]{2})*+"
_FILES: Final = re.compile(rb'"((?:data:[^",]{0,256},)?+)(?=[^"]{%d})(' % (_FILE + 1) + _BASE64 + rb")")
"""Matches the beginning of a string that is too long to be skipped: there are few, and a body may have millions of strings."""
_GOES_ON: Final = re.compile(_BASE64)

_SPELT_CUT: Final = rb"\u0000left out\u0000"
"""Stands for a picture or a file in the body of a long request: in JSON, also as Python writes it."""


def as_utf8(body: bytes) -> bytes:
    """Return JSON in UTF-8, without a byte order mark. Raises UnicodeError."""
    encoding = json.detect_encoding(body)
    return body if encoding == "utf-8" else body.decode(encoding).encode()


class RequestBody:
    """The body of a request while it is read: all of it, or of one that is longer than `most` all but its pictures and files.

    Args:
        most: The most bytes that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._kept = bytearray()
        self._fresh = bytearray()
        self._inside = False  # whether what was kept ends inside a picture or a file
        self.lost = False
        """Whether it is too long to be kept."""

    def takes_long(self, chunk: bytes) -> bool:
        """Return whether taking these bytes takes long, because everything that was kept is then searched."""
        return not self.lost and self._size + len(chunk) > self._most

    @property
    def _size(self) -> int:
        return len(self._kept) + len(self._fresh)

    def take(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self.lost:
            return
        self._fresh += chunk
        if self._size > self._most:
            self._strip()
            if len(self._kept) > self._most:
                self.lost = True
                self._kept.clear()
                self._fresh.clear()

    def _strip(self) -> None:
        """Keep the fresh bytes without pictures and files, piece by piece: a search holds up the other threads."""
        fresh, self._fresh = bytes(self._fresh), bytearray()
        for at in range(0, len(fresh), _AT_ONCE):
            self._strip_piece(bytes(self._fresh) + fresh[at : at + _AT_ONCE])

    def _strip_piece(self, raw: bytes) -> None:
        """Keep these bytes without pictures and files. The last of them wait for the bytes that follow."""
        end = len(raw)
        # Perhaps half an escape; perhaps the beginning of a file.
        for mark, reach in ((b"\\", 6), (b'"', _FILE + _BEFORE_A_FILE)):
            found = raw.rfind(mark, max(end - reach, 0), end)
            end = end if found < 0 else found
        raw, self._fresh = raw[:end], bytearray(raw[end:])
        if self._inside:
            gone_on = _GOES_ON.match(raw)
            raw = raw[gone_on.end() :] if gone_on is not None else raw
            self._inside = not raw

        def left(found: re.Match[bytes]) -> bytes:
            if len(found[2]) <= _FILE:
                return found[0]
            self._inside = found.end() == len(raw)
            return b'"' + found[1] + _SPELT_CUT

        self._kept += _FILES.sub(left, raw)

    @property
    def raw(self) -> bytes:
        """The part of the body that is kept; empty if the body is too long."""
        return bytes(self._kept + self._fresh)


Promotable = frozenset[str] | None
"""The tools whose calls may be promoted; None for all."""

_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Made:
    """What is made of the tools of a request."""

    guard: Guard
    """The guard for its reply."""

    offered: frozenset[str] = _NONE
    """The tools that it offers, as far as they are understood."""

    all_read: bool = True
    """Whether everything that it offers is read."""

    size: int = 0
    """How large its definitions are, in characters, and their patterns."""


class RequestGuards:
    """Makes and keeps the guards for the tools of requests.

    Args:
        guard: The guard whose settings they have, and whose tools, unless `use` is `only`.
        use: What the tools of a request are used for.
        offered_only: Whether nothing is promoted where a request offers no tools: its client is not the guard's.
        on_call: Called with every block and native call, and the tools that it was checked against.
        note: Called with the reason when the tools of a request, or some of them, are not read.
    """

    def __init__(
        self,
        guard: Guard,
        use: RequestTools,
        on_call: OnCall | None = None,
        note: Note | None = None,
        *,
        offered_only: bool = False,
    ) -> None:
        self._on_call: Final = on_call
        self._note: Final = note
        self._plain: Final = guard
        self._guard: Final = self._heard(guard)
        self._use: Final = use
        self._otherwise: Final = _NONE if offered_only or use == "only" else None  # what is promoted of other requests
        self._signs: Final = () if use == "off" else _SIGNS
        self._made: Final[OrderedDict[bytes, _Made]] = OrderedDict()

    async def of(self, body: bytes, *, lost: bool = False) -> tuple[Guard, Promotable]:
        """Return the guard for the reply to a request with this body, and the tools whose calls may be promoted.

        These are: no tools, if the request forbids calls or could not be read; else its own tools, if it offers any; else the
        guard's tools, or no tools if only offered tools count. `lost`: the request was too long to be kept.
        """
        if lost and self._signs:
            return await self._of(_UNREAD)
        long = len(body) > SHORT
        return await self._of(await asyncio.to_thread(self._read, body) if long else self._read(body), long=long)

    def _read(self, body: bytes) -> Asked:
        """Return what the body of a request says about tools."""
        try:
            body = as_utf8(body) if self._signs else b""
        except UnicodeError:
            return Asked(unread=True)
        if not any(sign in body for sign in self._signs) and _SPELT.search(body) is None:
            return Asked()
        with suppress(Exception):  # no UTF-8, no JSON, too deep
            text = body.decode()
            return _UNREAD if crowded(text) else asked(parsed(text, as_sent=False))
        return Asked(unread=True)

    async def of_request(self, request: object) -> tuple[Guard, Promotable]:
        """Return the same for a request that the application or a framework has parsed. Its length is unknown."""
        offer = Asked()
        if self._signs:
            with suppress(Exception):  # it comes from outside, as a body does
                offer = await asyncio.to_thread(asked, request)
        return await self._of(offer, long=True)

    async def _of(self, offer: Asked, *, long: bool = False) -> tuple[Guard, Promotable]:
        made = await self._made_of(offer, long=long)
        if self._note is not None and (offer.unread or not made.all_read):
            self._note("request tools")
        if offer.unread or not offer.allowed:
            return made.guard, _NONE
        promotable = made.offered if offer.definitions else self._otherwise
        if offer.parallel:
            return made.guard, promotable
        return made.guard, OneOf(made.guard.tools.names if promotable is None else promotable)

    async def _made_of(self, offer: Asked, *, long: bool) -> _Made:
        """Return the guard for these tools, made once and kept; the plain guard if no tool can be used.

        `long`: the request is so long that writing its tools may take long.
        """
        if not offer.definitions:
            return _Made(self._guard)
        try:
            written = await asyncio.to_thread(_written, offer) if long else _written(offer)
        except (TypeError, ValueError, RecursionError):  # others parsed it, and put in what is no JSON
            log.warning("the tools of a request are not read: they are no JSON")
            return _Made(self._guard, all_read=False)
        if len(written) > _MOST_LONG:
            log.warning("the tools of a request are not read: they have more than %d characters", _MOST_LONG)
            return _Made(self._guard, all_read=False)
        if _SPELT_CUT in written:
            log.warning("the tools of a request are not read: a string in them is too long")
            return _Made(self._guard, all_read=False)
        digest = sha256(written).digest()
        known = self._made.get(digest)
        if known is None:
            known = self._made[digest] = await asyncio.to_thread(self._make, offer, len(written))
        self._made.move_to_end(digest)
        while len(self._made) > _MOST_GUARDS or sum(made.size for made in self._made.values()) > _MOST_KEPT:
            self._made.popitem(last=False)
        return known

    def _make(self, offer: Asked, size: int) -> _Made:
        """Return the guard for these tools, which are written with `size` characters, and what is known of them.

        A tool of the request replaces the guard's tool of that name, and keeps the `risk` of the guard's.
        """
        tools = {tool.name: tool for tool in self._guard.tools} if self._use == "add" else {}
        own: dict[str, Tool] = {}
        all_read = len(offer.definitions) <= _MOST_TOOLS
        room = PATTERN_ROOM
        for definition in offer.definitions[:_MOST_TOOLS]:
            try:
                kept, whole, taken = bounded(definition, room)
                room -= taken
                tool = Tool.of(kept, risk=Risk.DESTRUCTIVE)
            except Exception:  # a definition that is not understood; it comes from outside, so any error is possible
                all_read = all_read and not any(definition.get(key) for key in _SCHEMAS)
                continue
            if not whole:
                log.warning(
                    "a pattern of a request's tool is not checked, so no call with such a value runs: it looks around or back,"
                    " or is too large"
                )
                all_read = False
            size += taken // _BYTES_OF_ONE + tool.compiled.ways * _COPIED
            declared = tools.get(tool.name)
            own.setdefault(tool.name, tool if declared is None else replace(tool, risk=declared.risk))
        if not own:
            return _Made(self._guard, all_read=all_read, size=size)
        guard = self._heard(self._plain.with_tools(Toolset(*{**tools, **own}.values())))
        return _Made(guard, frozenset(own), all_read=all_read, size=size)

    def _heard(self, guard: Guard) -> Guard:
        """Return a guard whose calls `on_call` hears of."""
        on_call, tools = self._on_call, guard.tools
        return guard if on_call is None else guard.with_hook(lambda block: on_call(block, tools))


def _written(offer: Asked) -> bytes:
    return json.dumps(offer.definitions, sort_keys=True).encode("utf-8", "surrogatepass")


def check_offers(promote: bool, use: RequestTools) -> None:
    """Raise ValueError if calls of the tools that requests offer are to be promoted although no request is read."""
    if promote and use == "off":
        raise ValueError("promote sends calls of tools that a request offers, and request_tools='off' reads none: use 'add'")


_SCHEMAS: Final = ("function", "parameters", "input_schema")
"""The members of a definition that has a schema. A definition without a schema is not understood: it is a tool that the
provider runs."""
