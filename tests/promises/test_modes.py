"""One stream, three ways: around a client's stream, in front of an app, over a recording. All say the same, however cut."""

from __future__ import annotations

import os
from collections.abc import Iterable, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.importing import import_cassettes
from stream_guard_adapters.cassettes.replaying import Chunking, replay
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import WIRED, Lane, Protocol
from stream_guard_conformance.corpus.native import as_chat, as_messages, as_responses
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard, ToolBlock, ToolEvent, ToolStatus
from stream_guard.testing import collect, merge_text
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.blocks import BLOCKS
from tests.kit.breadth import some
from tests.kit.proof import Cases

CUTS = int(os.environ.get("CUTS", "1"))
"""How many random cuttings each recording is tried at; more under `make more`."""

LONG = 40_000
"""The most bytes of a recording that is cut behind each, and of one without a block that is cut at random; longer ones too
under `make more`. Below, all protocols are cut so.
"""

GUARD = Guard(FILE_TOOLS, untagged="validate")
Said = dict[Lane, list[Any]]
"""What was said of each text: the text that was let through, and the events among it."""


def told(said: Iterable[tuple[Lane, Any]]) -> Said:
    """What was said, by lanes, in words that do not depend on names or cuts."""
    lanes: Said = {}
    for lane, item in said:
        lanes.setdefault(lane, []).append(item)
    return {
        lane: [replace(item, id="") if isinstance(item, ToolStatus | ToolBlock) else item for item in merged]
        for lane, merged in ((lane, merge_text(items)) for lane, items in lanes.items())
        if merged
    }


def lane_of(event: ToolEvent, lanes: Iterable[Lane]) -> Lane:
    """The lane that an event's id tells of."""
    name = event.id.rpartition("-")[0]
    return max((lane for lane in lanes if name.endswith("-" + ".".join(map(str, lane)))), key=len)


async def wrapped(cassette: Cassette, table: Protocol, chunking: Chunking, lanes: list[Lane]) -> Said:
    """Around a client's stream."""
    stream = guard_events(replay(cassette, chunking=chunking, form="json"), GUARD, table.name, stream_id="s")
    return told(seen(await collect(stream), table, lanes))


async def mounted(cassette: Cassette, table: Protocol, chunking: Chunking, lanes: list[Lane]) -> tuple[Said, bytes]:
    """In front of an app that sends the bytes as they were cut: what was told, and what the client got."""
    sent: list[bytes] = []
    heard: list[ToolEvent] = []
    kind = b"application/x-ndjson" if table.framing == "lines" else b"text/event-stream"

    async def app(_: MutableMapping[str, Any], __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        for chunk in replay(cassette, chunking=chunking, form="bytes"):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message.get("body", b""))

    guard = Guard(FILE_TOOLS, untagged="validate", on_status=heard.append, on_block=heard.append)
    middleware = StreamGuardMiddleware(app, guard=guard)
    await middleware({"type": "http", "method": "POST", "path": "/"}, never, send)
    body = b"".join(sent)
    return told(seen([*heard, *Cassette([body]).documents()], table, lanes)), body


async def never() -> Any:
    raise AssertionError("nothing is asked for")


async def scanned(cassette: Cassette, chunking: Chunking, lanes: list[Lane]) -> Said:
    """Over a recording of the texts alone."""
    said: list[tuple[Lane, Any]] = []
    for number, lane in enumerate(lanes):
        deltas = replay(cassette, chunking=chunking, form="text", lane=number)
        said += [(lane, item) for item in await collect(GUARD.stream(deltas, stream_id="s"))]
    return told(said)


def seen(items: Iterable[Any], table: Protocol, lanes: list[Lane]) -> list[tuple[Lane, Any]]:
    found: list[tuple[Lane, Any]] = []
    for item in items:
        if isinstance(item, ToolStatus | ToolBlock):
            found.append((lane_of(item, lanes), item))
        else:
            found += table.texts(item)
    return found


def apart(said: Said) -> dict[Lane, tuple[str, list[Any]]]:
    """The text, and the events: for those who were told of the two apart."""
    return {
        lane: ("".join(item for item in items if isinstance(item, str)), [item for item in items if not isinstance(item, str)])
        for lane, items in said.items()
    }


async def agree(cassette: Cassette, chunkings: Iterable[Chunking], *, exact: bool) -> int:
    """Whether all three say the same; how many events they say."""
    documents = Cassette(list(cassette.documents()))
    table = documents.protocol
    assert table is not None
    lanes = list(dict.fromkeys(lane for event in documents.items for lane, _ in table.texts(event)))
    first: Said | None = None
    for chunking in chunkings:
        around = await wrapped(documents, table, chunking, lanes)
        front, body = await mounted(cassette, table, chunking, lanes)
        over = await scanned(documents, chunking, lanes)
        assert around == over
        assert apart(front) == apart(around)
        if exact:
            assert body == b"".join(replay(cassette, form="bytes"))
        assert first is None or around == first
        first = around
    return sum(not isinstance(item, str) for items in (first or {}).values() for item in items)


PARTS = 16


@pytest.mark.more
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.promise("P1", "P2")
async def test_every_recording_says_the_same_in_all_three_ways(cases: Cases, part: int, corpora: Path) -> None:
    """At the recorded cuts, and at random ones unless it is long and has no block; by character if it is short and has one. Its
    bytes are the same where it has none.
    """
    paths = sorted(path for path in (corpora / "recordings").rglob("*") if path.suffix in (".sse", ".ndjson"))
    agreed = events = 0
    tried = some(paths[part::PARTS], 2, kind=lambda path: b"```" in path.read_bytes())
    for path in tried:
        (cassette,) = import_cassettes(path)
        if cassette.protocol is None:
            continue
        raw = path.read_bytes()
        fenced = b"`" in raw or b"~~" in raw
        chunkings: list[Chunking] = ["recorded"]
        if CUTS > 1 or fenced or len(raw) <= LONG:
            chunkings += range(CUTS)
        if CUTS > 1 or (b"```" in raw and len(raw) <= LONG):
            chunkings.append("chars")
        try:
            events += await agree(cassette, chunkings, exact=not fenced)
        except AssertionError as error:
            raise AssertionError(f"{path} is not told alike") from error
        agreed += 1
        cases(3 * len(chunkings))
    assert agreed >= 0.85 * len(tried)
    assert events >= 2 or len(tried) < 40


@pytest.mark.some
@pytest.mark.parametrize("make", [as_chat, as_responses, as_messages])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.promise("P1")
async def test_every_kind_of_block_is_told_alike_in_all_three_ways(block: str, make: Any) -> None:
    text = f"Hi, é 😀.\n\n{BLOCKS[block]}"
    cassette = Cassette(make([text[at : at + 6] for at in range(0, len(text), 6)]))
    assert await agree(cassette, ["recorded", "chars", "words", *some(range(20), 1)], exact=False) >= 2


SENT = sorted(table.name for table in WIRED)
"""Protocols that a server sends. The others are objects inside a program, which no middleware sees."""


@pytest.mark.some
@pytest.mark.parametrize("name", SENT)
@pytest.mark.promise("P1", "P2")
async def test_every_protocol_says_the_same_in_all_three_ways(name: str, cases: Cases) -> None:
    """With each kind of block; and without one, its bytes are the same."""
    chunkings: list[Chunking] = ["recorded", "chars", "words", *some(range(3), 1)]
    for text in ("Hi, é 😀.\n\n    x\n", *(f"Hi.\n\n{block}" for block in some(BLOCKS.values(), 3))):
        cassette = Cassette(STREAMS[name].stream([text[at : at + 6] for at in range(0, len(text), 6)]))
        await agree(cassette, chunkings, exact="`" not in text)
        cases(3 * len(chunkings))
