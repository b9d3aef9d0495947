"""Imports recordings of other kinds as cassettes: VCR cassettes, dumps of server-sent events or of lines of JSON.

    stream-guard import tests/cassettes/*.yaml dump.sse -o cassettes/

Rule: of a recorded exchange only the body of a streamed response is taken. Requests, headers and keys are left out.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from stream_guard.spi import GOOD, UNREADABLE, Unreadable, progress

from ..engine.framing import CONTENT_TYPES, Events, Lines
from .cassette import Cassette

_STREAMS: Final[dict[str, bool]] = {kind: form == "lines" for form in ("events", "lines") for kind in CONTENT_TYPES[form]}
"""The content types of streams, and whether each has lines."""

_VCR: Final = (".yaml", ".yml", ".json")
_DUMPS: Final = (".sse", ".ndjson", ".txt")


def import_cassettes(path: str | Path) -> list[Cassette]:
    """Return the streams in a recording of another kind. Raises ValueError for an unknown kind, or when there is no stream."""
    path = Path(path)
    try:
        if path.suffix in _DUMPS:
            found = [dumped(path.read_bytes(), lines=path.suffix == ".ndjson")]
        elif path.suffix in _VCR:
            found = [dumped(body, lines=lines) for body, lines in _answers(_read(path))]
        else:
            raise ValueError(f"expected a VCR cassette ({', '.join(_VCR)}) or a dump ({', '.join(_DUMPS)})")
    except (ValueError, RecursionError, AttributeError, TypeError, EOFError, zlib.error) as error:  # recorders differ
        raise ValueError(f"{path}: {_why(error)}") from None
    if not found:
        raise ValueError(f"{path}: no streamed response in it")
    if not any(_has_events(cassette) for cassette in found):
        raise ValueError(f"{path}: no stream: not one event of it is JSON")
    return found


def _why(error: Exception) -> str:
    """Return what is wrong with a recording. For an error in reading it, this says which form was expected."""
    return str(error) if isinstance(error, ValueError) else f"not a recording that can be read: {type(error).__name__}"


def _has_events(cassette: Cassette) -> bool:
    return next(cassette.documents(), None) is not None


def dumped(body: bytes, *, lines: bool = False) -> Cassette:
    """Return a cassette of a body: the bytes of each event, without times."""
    frames: Events | Lines = Lines() if lines else Events()
    items = [frame.raw for frame in frames.push(body)]
    left = frames.last()
    return Cassette([*items, left.raw] if left is not None else items)


def _read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.loads(text)
    try:
        import yaml  # deferred: needed for this alone
    except ImportError:
        raise ValueError("reading YAML needs the package pyyaml: pip install stream-guard-llm[vcr]") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())}") from None


def _answers(recorded: Any) -> Iterator[tuple[bytes, bool]]:
    """Yield the bodies of the streamed responses in a VCR cassette, and whether each has lines."""
    interactions = recorded.get("interactions") if isinstance(recorded, dict) else None
    if interactions is None:
        raise ValueError("a VCR cassette needs a list of interactions, and this has none")
    for interaction in interactions:
        response = interaction.get("response") or {}
        headers = {str(name).lower(): _first(value) for name, value in (response.get("headers") or {}).items()}
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in _STREAMS:
            yield _unpacked(_body(response), headers.get("content-encoding", "")), _STREAMS[kind]


def _first(value: Any) -> str:
    return str(value[0]) if isinstance(value, list) and value else str(value)


def _body(response: dict[str, Any]) -> bytes:
    body = response.get("body", response.get("content", ""))
    if isinstance(body, dict):
        if "base64_string" in body:
            return base64.b64decode(body["base64_string"])
        body = body.get("string", "")
    return body if isinstance(body, bytes) else str(body or "").encode("utf-8", "surrogateescape")


def _unpacked(body: bytes, coding: str) -> bytes:
    """Return a body without its compression. Some recorders undo it, some do not, and all keep the header."""
    if coding == "gzip" and body.startswith(b"\x1f\x8b"):
        return gzip.decompress(body)
    if coding == "deflate":
        try:
            return zlib.decompress(body)
        except zlib.error:
            return body
    return body


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `import` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("import", help="convert VCR cassettes and dumps to cassettes")
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"a VCR cassette or a dump: {' '.join((*_VCR, *_DUMPS))}")
    parser.add_argument("-o", "--out", type=Path, default=Path(), metavar="DIR", help="the directory to write to (default: .)")
    parser.add_argument("--overwrite", action="store_true", help="replace existing cassettes")

    parser.add_argument("--json", action="store_true", help="print one JSON document per cassette")

    def run(options: argparse.Namespace) -> int:
        unread = 0
        for name in progress(options.files):
            try:
                for path, cassette in _imported(Path(name), options.out, overwrite=options.overwrite):
                    known = cassette.protocol.name if cassette.protocol is not None else None
                    if options.json:
                        print(json.dumps({"file": str(path), "from": name, "events": len(cassette.items), "protocol": known}))
                    else:
                        print(f"{path}: {len(cassette.items)} events of {known or 'no protocol known here'}")
            except Unreadable as error:
                unread += 1
                print(f"stream-guard: {error}", file=sys.stderr)
                if options.json:
                    print(json.dumps({"from": name, "unreadable": str(error)}))
        return UNREADABLE if unread else GOOD

    parser.set_defaults(run=run)


def _imported(source: Path, folder: Path, *, overwrite: bool) -> Iterator[tuple[Path, Cassette]]:
    """Write the cassettes of a recording; yields each with its path. Raises Unreadable for what cannot be read or written."""
    try:
        found = import_cassettes(source)
        for number, cassette in enumerate(found, 1):
            path = folder / f"{source.stem}{'' if len(found) == 1 else f'-{number}'}.jsonl"
            if path.exists() and not overwrite:
                raise Unreadable(f"{source}: {path} exists; --overwrite replaces it")
            folder.mkdir(parents=True, exist_ok=True)
            cassette.save(path, overwrite=overwrite)
            yield path, cassette
    except OSError as error:
        raise Unreadable(f"{error.filename or source}: {error.strerror or error}") from None
    except ValueError as error:
        raise Unreadable(str(error)) from None
