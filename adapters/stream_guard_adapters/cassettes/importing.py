"""Imports recordings of other kinds as cassettes: VCR cassettes, dumps of server-sent events or of lines of JSON.

    stream-guard import tests/cassettes/*.yaml dump.sse -o cassettes/

Rule: of a recorded exchange only the body of a streamed response is taken. Requests, headers and keys are left out.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from ..engine.framing import CONTENT_TYPES, Events, Lines
from .cassette import Cassette

_STREAMS: Final[dict[str, bool]] = {kind: form == "lines" for form in ("events", "lines") for kind in CONTENT_TYPES[form]}
"""The content types of streams, and whether each has lines."""

_VCR: Final = (".yaml", ".yml", ".json")
_DUMPS: Final = (".sse", ".ndjson", ".txt")


def import_cassettes(path: str | Path) -> list[Cassette]:
    """Return the streams in a recording of another kind. Raises ValueError for an unknown kind, or when there is no stream."""
    path = Path(path)
    if path.suffix in _DUMPS:
        return [dumped(path.read_bytes(), lines=path.suffix == ".ndjson")]
    if path.suffix not in _VCR:
        raise ValueError(f"{path.name}: expected a VCR cassette ({', '.join(_VCR)}) or a dump ({', '.join(_DUMPS)})")
    found = [dumped(body, lines=lines) for body, lines in _answers(_read(path))]
    if not found:
        raise ValueError(f"{path.name} has no streamed response")
    return found


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
        raise ValueError(f"{path.name} is YAML, and reading it needs the package pyyaml") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{path.name} is not YAML: {error}") from None


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
    """Some recorders keep the compressed bytes, some the others, and the header is there in both cases."""
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
    parser: argparse.ArgumentParser = commands.add_parser("import", help="make cassettes of VCR cassettes and of dumps")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=f"with {', '.join((*_VCR, *_DUMPS))}")
    parser.add_argument("-o", "--out", type=Path, default=Path(), metavar="DIR", help="where to put them (here)")
    parser.add_argument("--overwrite", action="store_true", help="replace cassettes that are there")

    def run(options: argparse.Namespace) -> int:
        failed = 0
        options.out.mkdir(parents=True, exist_ok=True)
        for path in options.files:
            try:
                for number, cassette in enumerate(made := import_cassettes(path), 1):
                    name = path.stem if len(made) == 1 else f"{path.stem}-{number}"
                    cassette.save(options.out / f"{name}.jsonl", overwrite=options.overwrite)
                    known = cassette.protocol.name if cassette.protocol is not None else "no protocol known here"
                    print(f"{options.out / name}.jsonl: {len(cassette.items)} events of {known}")
            except (OSError, ValueError) as error:
                failed += 1
                print(f"{path}: {error}")
        return 1 if failed else 0

    parser.set_defaults(run=run)
