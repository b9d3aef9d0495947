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
from typing import Any, Final, Literal

from stream_guard import End, ToolBlock, ToolStatus, wire

from ..engine.framing import Events, Lines
from ..protocols import EVERY, PROTOCOLS, TEXT, Lane, Protocol, recognised

VERSION: Final = 1
"""The version of the file format that is written, and the only one that is read."""

Ending = Literal["eof", "error", "left"]
"""How a recording ended: with the stream, with a failure of the stream, or because the reader left."""

_KINDS: Final = ("openai", "anthropic", "litellm", "pydantic_ai", "langchain_core")
"""The packages whose objects a cassette may contain. This bounds what reading a file may import, and has packages without a
protocol of their own, such as litellm; so it is not taken from the tables."""

_OBJECT: Final = "$object"


@dataclass(frozen=True, slots=True)
class Cassette:
    """A recorded stream."""

    items: list[Any]
    """The items of the stream."""

    times: list[float] = field(default_factory=list)
    """The time of each item, in seconds from the first; shorter than `items` where times are unknown."""

    ending: Ending = "eof"
    failure: str | None = None
    """The name of the class of the exception that a stream failed with."""

    @property
    def protocol(self) -> Protocol | None:
        """The protocol of the stream; None when it is unknown."""
        return next((table for table in map(recognised, self.documents()) if table is not None), None)

    def time(self, index: int) -> float:
        """Return the time of an item."""
        return self.times[index] if index < len(self.times) else self.times[-1] if self.times else 0.0

    def documents(self) -> Iterator[Any]:
        """Yield the items as JSON: the events in bytes, the data of objects. Other items are left out."""
        frames: Events | Lines | None = None
        for item in self.items:
            if isinstance(item, bytes):
                frames = frames or (Lines() if item.lstrip()[:1] in (b"{", b"[") else Events())
                for frame in frames.push(item):
                    yield from _read(frame.data)
            elif not isinstance(item, ToolStatus | ToolBlock | End):
                yield _bare(encoded(item))
        left = frames.last() if frames is not None else None
        yield from _read(left.data if left is not None else None)

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
        lines.append(ended(self.ending, self.time(len(self.items)), self.failure))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | Path) -> Cassette:
        """Return the cassette in a file. Raises ValueError, with the line, for a file that is not a cassette."""
        path = Path(path)
        with path.open(encoding="utf-8", newline="\n") as file:
            return cls.parsed(file, path.name)

    @classmethod
    def parsed(cls, lines: Iterable[str], name: str) -> Cassette:
        """Return the cassette in these lines, of a file of this name. Raises ValueError as `load` does."""
        found = list(_lines(iter(lines)))
        head = found[0] if found else None
        if not isinstance(head, dict) or "cassette" not in head:
            raise ValueError(f'{name} is not a cassette: its first line lacks the member "cassette"')
        if head["cassette"] != VERSION:
            raise ValueError(f"{name} is a cassette of version {head['cassette']}; only version {VERSION} can be read")
        items: list[Any] = []
        times: list[float] = []
        ending: tuple[Ending, str | None] = ("left", None)  # a file that lacks its last line was cut off
        for number, row in enumerate(found[1:], 2):
            try:
                if "end" in row:
                    ending = row["end"], row.get("error")
                    continue
                items.append(_item(row))
                times.append(float(row.get("t", 0)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"{name}, line {number}: {error}") from None
        return cls(items, times, *ending)


def refuse(path: Path, *, overwrite: bool) -> None:
    """Raise FileExistsError if a file would be overwritten that may not be."""
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
    if isinstance(item, ToolStatus | ToolBlock):
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
    if kind.__module__.partition(".")[0] not in _KINDS:
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(f"a recording takes text, bytes, JSON, and objects of {', '.join(_KINDS)}; not {name}")
    return {_OBJECT: f"{kind.__module__}:{kind.__qualname__}", "data": _data(node)}


def _data(node: Any) -> Any:
    if hasattr(node, "model_dump"):
        return node.model_dump(mode="json", exclude_unset=True, by_alias=True, warnings=False)
    from pydantic import TypeAdapter  # deferred: here only with the objects of a package that stands on it

    return TypeAdapter(type(node)).dump_python(node, mode="json", warnings=False)


# -- reading -----------------------------------------------------------------------------------------------------------


def _lines(file: Iterator[str] | Any) -> Iterator[Any]:
    for number, written in enumerate(file, 1):
        if not written.strip():
            continue
        try:
            yield json.loads(written)
        except ValueError as error:
            if not written.endswith("\n"):
                return  # cut off in the middle of a line: what came before it is whole
            raise ValueError(f"line {number} is not JSON: {error}") from None


def _read(data: str | None) -> Iterator[Any]:
    try:
        yield json.loads(data or "")
    except ValueError:
        return


def _item(row: dict[str, Any]) -> Any:
    if "text" in row:
        return row["text"]
    if "bytes" in row:
        return row["bytes"].encode()
    if "base64" in row:
        return base64.b64decode(row["base64"])
    if "ours" in row:
        return wire.from_dict(row["ours"], row["data"])
    return End(row["cause"]) if "cause" in row else decoded(row["event"])


def decoded(node: Any) -> Any:
    """Return the node that `encoded` was given."""
    if isinstance(node, dict):
        if _OBJECT in node:
            return _made(node[_OBJECT], node["data"])
        return {key: decoded(value) for key, value in node.items()}
    return [decoded(item) for item in node] if isinstance(node, list) else node


def _made(name: str, data: Any) -> Any:
    module, _, kind = name.partition(":")
    if module.partition(".")[0] not in _KINDS:
        raise ValueError(f"a cassette may not contain objects of {module}")
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise ValueError(f"{name} cannot be made here: {error}; replay it with form='json'") from None
    for part in kind.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not (hasattr(found, "model_fields") or is_dataclass(found)):
        raise ValueError(f"{name} is not a class of data")
    kind_of: Any = found
    if hasattr(kind_of, "construct") and module.startswith(("openai", "anthropic")):
        return kind_of.construct(**data)  # as the client makes them: unknown fields and all
    if module.startswith("litellm"):
        return found(**data)
    from pydantic import TypeAdapter  # deferred, as above

    return TypeAdapter(found).validate_python(data)


def _bare(node: Any) -> Any:
    """Return JSON without the names of the classes of its objects."""
    if isinstance(node, dict):
        return _bare(node["data"]) if _OBJECT in node else {key: _bare(value) for key, value in node.items()}
    return [_bare(item) for item in node] if isinstance(node, list) else node


# -- in another form ---------------------------------------------------------------------------------------------------


def as_object(table: Protocol | None, data: Any) -> Any:
    """Return an event as an object of its provider's client. Raises ValueError for a protocol whose client is unknown."""
    if table is None or not table.client:
        known = ", ".join(one.name for one in PROTOCOLS.values() if one.client)
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
    """Return the bytes behind the last event."""
    return f"data: {table.mark}\n\n".encode() if table is not None and table.mark else b""
