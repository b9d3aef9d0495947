"""The file format of recorded streams: a line of JSON for the version, one for each item with its time, one for the end.

    {"cassette": 1, "protocol": "openai-chat"}
    {"t": 0.412, "event": {"choices": [...]}}
    {"t": 0.431, "text": "Hello"}
    {"t": 0.5, "bytes": ": a comment"}
    {"t": 0.52, "end": "eof"}

Rule 1: every item is read as it was written: text, bytes, JSON, a client's objects, our events, and the cause of the end.
Rule 2: a cassette contains a stream only: no request, no header, no key.
Rule 3: reading a cassette imports no packages but those of `_KINDS`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from stream_guard import BlockOutput, End, StreamEnd, ToolBlock, ToolResult, ToolStatus, wire

from ..engine.framing import Events, Frame, Lines
from ..protocols import EVERY, GUARD_EVENTS, PROTOCOLS, TEXT, Lane, Protocol, guard_event, recognised

VERSION: Final = 1
"""The version of the file format that is written, and the only one that is read."""

Ending = Literal["eof", "error", "left", "torn"]
"""How a recording ended: with the stream, with a failure of the stream, or because the reader left. `torn`: the file lacks its
end, so it was cut off, and what followed is unknown."""

TORN: Final = "the cassette has no end: its file was cut off, and the stream went on; record it again"
"""The message about a cassette whose file lacks the last line."""

_KINDS: Final = (*dict.fromkeys(table.client for table in PROTOCOLS.values() if table.client), "litellm")
"""The packages whose objects a cassette may contain. This bounds what reading a file may import."""

OURS: Final = (ToolStatus, ToolBlock, ToolResult)
"""The classes of the guard's events. The output of a call, which `run` yields, is kept as its `ToolResult`."""

_HEADERS: Final = frozenset({"sdk_http_response"})
"""Members of a client's objects that hold the headers of the response."""

_OBJECT: Final = "$object"


@dataclass(frozen=True, slots=True)
class Cassette:
    """A recorded stream."""

    items: list[Any]
    """The items of the stream."""

    times: list[float] = field(default_factory=list)
    """The time of each item, in seconds from the first; shorter than `items` if times are unknown."""

    ending: Ending = "eof"
    failure: str | None = None
    """The name of the class of the exception that a stream failed with."""

    @property
    def protocol(self) -> Protocol | None:
        """The protocol of the stream; None when it is unknown."""
        return next((table for table in map(recognised, self.documents()) if table is not None), None)

    def cut(self, items: int) -> Cassette:
        """Return the first so many items, after which the stream fails: for tests of a lost connection."""
        return Cassette(self.items[:items], self.times[:items], "error", "ConnectionError")

    def time(self, index: int) -> float:
        """Return the time of an item."""
        return self.times[index] if index < len(self.times) else self.times[-1] if self.times else 0.0

    def documents(self) -> Iterator[Any]:
        """Yield the items as JSON: the events in bytes, the data of objects. Other items are left out."""
        return (data for data in self.told() if not isinstance(data, OURS))

    def told(self) -> Iterator[Any]:
        """Yield the items as `documents` does, and the guard's events among them as `ToolStatus`, `ToolBlock` and
        `ToolResult`.

        A guard's event that a provider's event carries is left in it: `guard_event` reads it.
        """
        frames: Events | Lines | None = None
        for item in self.items:
            if isinstance(item, bytes):
                frames = frames or frames_of(item)
                for frame in frames.push(item):
                    yield from _read(frame)
            elif isinstance(item, BlockOutput):
                yield item.result()
            elif isinstance(item, OURS):
                yield item
            elif not isinstance(item, End):
                yield _bare(encoded(item))
        left = frames.last() if frames is not None else None
        if left is not None:
            yield from _read(left)

    def timed(self) -> list[tuple[float, Any]]:
        """Return the items as JSON, each with its time."""
        found: list[tuple[float, Any]] = []
        for index, item in enumerate(self.items):
            if isinstance(item, bytes):  # events may be cut anywhere, and their times are not their chunks'
                return [(self.time(0), data) for data in self.documents()]
            found += [(self.time(index), data) for data in Cassette([item]).documents()]
        return found

    def deltas(self, lane: int = 0) -> list[tuple[float, str | End]]:
        """Return the deltas of one of its texts, numbered as they begin, with their times; the last is the `End` of the text.

        Raises:
            ValueError: The protocol of the stream is unknown.
        """
        table = self.protocol
        if table is None:
            raise ValueError("the protocol of the cassette is unknown, so its texts cannot be found")
        lanes: list[Lane] = []
        found: list[tuple[float, str | End]] = []
        for t, data in self.timed():
            for one, text in table.texts(data):
                if one not in lanes and not table.repeats(one):
                    lanes.append(one)
                if one in lanes and lanes.index(one) == lane:
                    found.append((t, text))
            for one, why in table.ends(data):
                ends = one == EVERY or (one in lanes and lanes.index(one) == lane)
                if ends and why is not None and found and not isinstance(found[-1][1], End):
                    found.append((t, End(why)))
        if table is not TEXT and not any(isinstance(item, End) for _, item in found):
            found.append((found[-1][0] if found else 0.0, End("disconnect")))
        return found

    def text(self, lane: int = 0) -> str:
        """Return one of its texts, whole; empty where the stream has none. They are numbered as they begin.

        Raises:
            ValueError: The protocol of the stream is unknown.
        """
        return "".join(delta for _, delta in self.deltas(lane) if isinstance(delta, str))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the cassette to a file."""
        path = Path(path)
        refuse(path, overwrite=overwrite)
        lines = [header(self.protocol), *(line(item, self.time(index)) for index, item in enumerate(self.items))]
        if self.ending != "torn":
            lines.append(ended(self.ending, self.time(len(self.items)), self.failure))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | Path) -> Cassette:
        """Return the cassette in a file. If the file was cut off, return the part that is there.

        Raises:
            ValueError: The file is not a cassette; the message has its name and the line.
        """
        path = Path(path)
        try:
            with path.open(encoding="utf-8-sig", newline="\n") as file:  # editors of Windows mark their texts
                return cls.parsed(file)
        except UnicodeDecodeError as error:
            raise ValueError(f"{path.name}: not UTF-8 text: invalid byte at offset {error.start}") from None
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None

    @classmethod
    def parsed(cls, lines: Iterable[str]) -> Cassette:
        """Return the cassette in these lines. Raises ValueError, with the line, for lines that are no cassette."""
        found = _lines(lines)
        _, head = next(found, (1, None))
        if not isinstance(head, dict) or "cassette" not in head:
            raise ValueError('not a cassette: its first line lacks the member "cassette"')
        if head["cassette"] != VERSION:
            raise ValueError(f"a cassette of version {head['cassette']}; only version {VERSION} can be read")
        items: list[Any] = []
        times: list[float] = []
        ending: tuple[Ending, str | None] = ("torn", None)
        for number, row in found:
            try:
                if isinstance(row, dict) and "end" in row:
                    ending = _end(row)
                    continue
                items.append(_item(row))
                times.append(_time(row))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            except RecursionError:
                raise ValueError(f"line {number}: it is nested too deep") from None
        return cls(items, times, *ending)


def refuse(path: Path, *, overwrite: bool) -> None:
    """Raise FileExistsError if a file would be overwritten without permission, and IsADirectoryError for a folder."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; record with overwrite=True to replace it")


# -- writing -----------------------------------------------------------------------------------------------------------


def header(protocol: Protocol | None) -> str:
    """Return the first line of a cassette."""
    return _line({"cassette": VERSION, **({"protocol": protocol.name} if protocol is not None else {})})


def line(item: Any, t: float) -> str:
    """Return the line of an item. Raises TypeError for an item that a cassette cannot contain."""
    return _line({"t": round(t, 6), **_told(item)})


def ended(ending: Ending, t: float, failure: str | None = None) -> str:
    """Return the last line of a cassette."""
    return _line({"t": round(t, 6), "end": ending, **({"error": failure} if failure else {})})


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":")) + "\n"


def _told(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, bytes | bytearray | memoryview):
        raw = bytes(item)
        try:
            return {"bytes": raw.decode()}
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(raw).decode()}
    if isinstance(item, (*OURS, BlockOutput)):
        return {"ours": wire.name(item), "data": wire.to_dict(item)}
    return {"cause": item.cause} if isinstance(item, End) else {"event": encoded(item)}


def encoded(node: Any) -> Any:
    """Return a node as JSON: a client's object as its data and the name of its class."""
    if node is None or isinstance(node, str | int | float | bool):
        return node
    if isinstance(node, dict):
        return {str(key): encoded(value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [encoded(item) for item in node]
    kind = type(node)
    if not _is_known(kind.__module__):
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(f"a recording takes text, bytes, JSON, and objects of {', '.join(_KINDS)}; not {name}")
    return {_OBJECT: f"{kind.__module__}:{kind.__qualname__}", "data": _data(node)}


def _is_known(module: str) -> bool:
    """Return whether a module is of a package whose objects a cassette may contain."""
    return f"{module}.".startswith(tuple(f"{kind}." for kind in _KINDS))


def _data(node: Any) -> Any:
    if hasattr(node, "model_dump"):
        return node.model_dump(mode="json", exclude_unset=True, exclude=_HEADERS, by_alias=True, warnings=False)
    from pydantic import TypeAdapter  # deferred: here only with the objects of a package that stands on it

    return TypeAdapter(type(node)).dump_python(node, mode="json", warnings=False)


# -- reading -----------------------------------------------------------------------------------------------------------


def _lines(file: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Yield the JSON of each line with its number; blank lines are left out."""
    for number, written in enumerate(file, 1):
        if not written.strip():
            continue
        try:
            row = json.loads(written)
        except ValueError as error:
            if not written.endswith("\n"):
                return  # cut off in the middle of a line: what came before it is whole
            raise ValueError(f"line {number} is not JSON: {error}") from None
        except RecursionError:
            raise ValueError(f"line {number}: it is nested too deep") from None
        yield number, row


def frames_of(first: bytes) -> Events | Lines:
    """Return what divides a stream of bytes with this beginning: lines if it begins with JSON, else server-sent events."""
    return Lines() if first.lstrip()[:1] in (b"{", b"[") else Events()


def _read(frame: Frame) -> Iterator[Any]:
    try:
        data = json.loads(frame.data or "")
    except ValueError:
        return
    yield named(frame, data)


def named(frame: Frame, data: Any) -> Any:
    """Return the data of a server-sent event; if it has the name of a guard's event, that event. Raises ValueError."""
    return guard_event(data, frame.event) if frame.event in GUARD_EVENTS else data


_MEMBERS: Final = ("text", "bytes", "base64", "ours", "cause", "event")
"""The members that may hold the item of a row; a row has one of them."""

_CAUSES: Final[tuple[str, ...]] = get_args(StreamEnd)


def _item(row: Any) -> Any:
    """Return the item in a row. Raises ValueError for any other JSON."""
    member = next((name for name in _MEMBERS if name in row), None) if isinstance(row, dict) else None
    if member is None:
        raise ValueError(f"not an item: expected an object with one of {', '.join(_MEMBERS)}, or with end")
    value = row[member]
    if member == "event":
        return decoded(value)
    if not isinstance(value, str):
        raise ValueError(f"the member {member} must be a string")  # noqa: TRY004  # as for any other row
    if member == "cause":
        if value not in _CAUSES:
            raise ValueError(f"the member cause must be one of {', '.join(_CAUSES)}")
        return End(cast("StreamEnd", value))
    if member == "ours":
        return wire.from_dict(value, row.get("data", {}))
    if member == "base64":
        try:
            return base64.b64decode(value)
        except ValueError as error:
            raise ValueError(f"the member base64 cannot be decoded: {error}") from None
    return value if member == "text" else value.encode()


def _time(row: dict[str, Any]) -> float:
    t = row.get("t", 0)
    if isinstance(t, bool) or not isinstance(t, int | float):
        raise ValueError("the time t must be a number of seconds")  # noqa: TRY004  # as for any other row
    return float(t)


def _end(row: dict[str, Any]) -> tuple[Ending, str | None]:
    """Return how the stream ended, and the name of the class of the exception that it failed with."""
    ending, failure = row["end"], row.get("error")
    if ending not in ("eof", "error", "left") or not isinstance(failure, str | None):
        raise ValueError("the member end must be one of eof, error, left, and error the name of an exception's class")
    return ending, failure


def decoded(node: Any) -> Any:
    """Return JSON of a cassette with the objects of clients in it made again: the inverse of `encoded`.

    Their classes are imported. Raises ValueError for an object of an unknown client, or one that cannot be made.
    """
    if isinstance(node, dict):
        if _OBJECT in node:
            return _made(node[_OBJECT], node.get("data"))
        return {key: decoded(value) for key, value in node.items()}
    return [decoded(item) for item in node] if isinstance(node, list) else node


def _made(name: Any, data: Any) -> Any:
    """Return an object of a client. Raises ValueError, whose message has no data."""
    if not isinstance(name, str):
        raise ValueError(f'the member {_OBJECT} must be a string, "module:class"')  # noqa: TRY004  # as for any other row
    module, _, kind = name.partition(":")
    if not _is_known(module):
        raise ValueError(f"a cassette may not contain objects of {module}")
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise ValueError(f"{name} cannot be made here: {error}; install its package") from None
    for part in kind.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or not (hasattr(found, "model_fields") or is_dataclass(found)):
        raise ValueError(f"{name} is not a class of data")
    try:
        return _filled(found, module, data)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ValueError(f"the data of {name} do not fit it: {type(error).__name__}") from None


def _filled(kind_of: Any, module: str, data: dict[str, Any]) -> Any:
    if hasattr(kind_of, "construct") and module.startswith(("openai", "anthropic")):
        return kind_of.construct(**data)  # as the client makes them: unknown fields and all
    if module.startswith("litellm"):
        return kind_of(**data)
    from pydantic import TypeAdapter  # deferred, as above

    return TypeAdapter(kind_of).validate_python(data)


def _bare(node: Any) -> Any:
    """Return JSON without the names of the classes of its objects."""
    if isinstance(node, dict):
        return _bare(node["data"]) if _OBJECT in node else {key: _bare(value) for key, value in node.items()}
    return [_bare(item) for item in node] if isinstance(node, list) else node


# -- in another form ---------------------------------------------------------------------------------------------------


def as_object(table: Protocol | None, data: Any) -> Any:
    """Return an event as an object of its provider's client. Raises ValueError for a protocol whose client is unknown."""
    if table is None or not table.makes_objects:
        known = ", ".join(one.name for one in PROTOCOLS.values() if one.makes_objects)
        name = table.name if table is not None else "unknown"
        raise ValueError(f"form='objects' works with {known}; the protocol of this cassette is {name}")
    return table.as_object(data)


def as_bytes(table: Protocol, data: Any) -> bytes:
    """Return the bytes of an event."""
    if table is TEXT:
        return str(data).encode("utf-8", "surrogateescape")
    text = json.dumps(data, separators=(",", ":"))
    if table.framing == "lines":
        return text.encode() + b"\n"
    name = f"event: {data['type']}\n" if table.named else ""
    return f"{name}data: {text}\n\n".encode()


def mark(table: Protocol | None) -> bytes:
    """Return the bytes after the last event."""
    return f"data: {table.mark}\n\n".encode() if table is not None and table.mark else b""
