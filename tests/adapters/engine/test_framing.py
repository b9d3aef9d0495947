"""Our reading of server-sent events beside that of others, on any bytes, cut anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai._streaming import SSEDecoder
from stream_guard_adapters.engine.body import crowded
from stream_guard_adapters.engine.framing import Events, Frame, Lines, renamed

from stream_guard.wire import BLOCK, STATUS

ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
FIELDS = st.sampled_from(
    [b"data: a", b"data:b", b"data:  c", b"data", b"data: ", b"event: x", b"event:y", b"id: 1", b"retry: 5", b": comment",
     b"other: z", b"data: \xe2\x80\xa8\xc2\x85\x0b\x0c", b"data: \xf0\x9f\x98\x80", b":", b" data: no", b"dat"]
)  # fmt: skip


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Events as servers send them: any fields, any line ends, the last event whole or not."""
    out = b""
    for _ in range(draw(st.integers(0, 6))):
        end = draw(ENDS)
        out += b"".join(draw(FIELDS) + end for _ in range(draw(st.integers(0, 4)))) + end
    return out + draw(st.sampled_from([b"", b"", b"data: tail", b"data: tail\n", b":"]))


@st.composite
def cut(draw: st.DrawFn, raw: bytes) -> list[bytes]:
    cuts = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    return [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]


Read = list[tuple[str, str]]
"""The events with data: their names, and their data."""


def ours(chunks: Sequence[bytes]) -> Read:
    events = Events()
    frames = [frame for chunk in chunks for frame in events.push(chunk)]
    return [(frame.event or "", frame.data) for frame in frames if frame.data]


def as_httpx2(chunks: Sequence[bytes]) -> Read:
    headers = {"content-type": "text/event-stream"}
    response = httpx2.Response(200, headers=headers, content=b"".join(chunks), request=httpx2.Request("GET", "http://x"))
    told = [(sse.event, sse.data) for sse in httpx2.EventSource(response)]
    return [("" if event == "message" else event, data) for event, data in told if data]


def as_openai(chunks: Sequence[bytes]) -> Read:
    return [(sse.event or "", sse.data) for sse in SSEDecoder().iter_bytes(iter(chunks)) if sse.data]


@given(st.data())
def test_any_stream_is_read_as_httpx2_reads_it(data: st.DataObject) -> None:
    """And however it is cut it is the same, with every byte kept."""
    raw = data.draw(streams())
    chunks = data.draw(cut(raw))
    assert ours(chunks) == ours([raw]) == as_httpx2([raw])
    events = Events()
    kept = [frame.raw for chunk in chunks for frame in events.push(chunk)]
    last = events.last()
    assert b"".join(kept) + (last.raw if last is not None else b"") == raw


@given(st.data())
def test_any_stream_that_ends_well_is_read_as_openai_reads_it(data: st.DataObject) -> None:
    raw = data.draw(streams().filter(lambda raw: raw.endswith((b"\n\n", b"\r\r", b"\r\n\r\n"))))
    assert ours(data.draw(cut(raw))) == as_openai([raw])


@given(st.data())
def test_any_lines_are_divided_where_they_end(data: st.DataObject) -> None:
    raw = data.draw(st.lists(st.sampled_from([b"{}", b"\n", b"\r\n", b" ", b"\xff", b"1"])).map(b"".join))
    lines = Lines()
    frames: list[Any] = [frame for chunk in data.draw(cut(raw)) for frame in lines.push(chunk)]
    last = lines.last()
    frames += [last] if last is not None else []
    assert b"".join(frame.raw for frame in frames) == raw
    assert [frame.raw for frame in frames] == raw.splitlines(keepends=True) or b"\r" in raw
    assert [frame.data for frame in frames if frame.data] == [
        line.strip().decode(errors="replace") for line in raw.split(b"\n") if line.strip()
    ]


NAMES: Final = st.sampled_from([STATUS, BLOCK, "stream_guard", f"data-{STATUS}", f"data-{BLOCK}"])
SPELT: Final = st.tuples(NAMES, st.sets(st.integers(0, 20))).map(
    lambda said: "".join(f"\\u{ord(char):04x}" if at in said[1] else char for at, char in enumerate(said[0])).encode()
)
PARTS: Final = st.one_of(
    SPELT.map(lambda name: b'"' + name + b'"'),
    SPELT,
    NAMES.map(lambda name: b"\nevent: " + name.encode() + b"\r\n"),
    NAMES.map(lambda name: b"x event:" + name.encode() + b"\n"),
    st.sampled_from([b'"', b"\\", b"\\u00", b"x", b"\ne", b"event:", b'"stream_', b'"data-', b"y" * 300]),
)


def passed(frame: Frame) -> bytes:
    """Return the bytes that a frame leaves as, if it is not read."""
    return frame.raw if frame.renamed else renamed(frame.raw)[0]


@given(st.data())
def test_what_is_too_long_leaves_as_it_comes_but_for_our_names(data: st.DataObject) -> None:
    """However it is cut. Nothing waits for the next bytes but what may be the beginning of a name, or of an empty line."""
    parts = data.draw(st.lists(PARTS, max_size=12).map(b"".join))
    raw = b"event: json-tool-status\ndata: " + b"y" * 20 + re.sub(rb"(\r?\n)+", b"\n", parts) + b"y\n\n"
    events = Events(50)
    out, fed, begun = b"", b"", 0
    for chunk in data.draw(cut(raw)):
        fed += chunk
        for frame in events.push(chunk):
            out += passed(frame)
            begun += frame.lost
        if events.lost:
            came = out.replace(b"upstream-", b"")
            assert re.fullmatch(rb'\r?\n|\r|"[\w\\-]{0,127}|event:? ?[a-z-]{0,16}|e(v(e(nt?)?)?)?|', fed.removeprefix(came))
    assert out == renamed(raw)[0]
    assert out.replace(b"upstream-", b"") == raw
    assert begun == 1
    assert not events.lost


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf"])
def test_a_mark_at_the_beginning_is_no_part_of_a_name(mark: bytes) -> None:
    """Others take it for one, and lose the first event."""
    assert ours([mark + b"data: 1\n\n"]) == [("", "1")]
    assert as_openai([mark + b"data: 1\n\n"]) == []


@pytest.mark.some(6)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1_000_000])
@pytest.mark.parametrize("data", [b"y" * 100, b"1" + b"\ndata: 1" * 10_050])
def test_a_mark_at_the_beginning_hides_no_name_of_ours(data: bytes, size: int, end: bytes) -> None:
    """Also where the first event is too long to be read, in bytes or in lines."""
    raw = (b"\xef\xbb\xbfevent: json-tool-block\ndata: " + data + b"\n\n").replace(b"\n", end)
    events = Events(50 if data.startswith(b"y") else 1_000_000)
    out = b"".join(passed(frame) for at in range(0, len(raw), size) for frame in events.push(raw[at : at + size]))
    last = events.last()
    assert out + (passed(last) if last is not None else b"") == raw.replace(b"json-tool", b"upstream-json-tool")


def test_a_mark_at_the_beginning_of_lines_is_no_part_of_the_first() -> None:
    lines = Lines()
    assert [frame.data for frame in lines.push(b'\xef\xbb\xbf{"a":1}\n{"b":2}\n')] == [None, '{"a":1}', '{"b":2}']


@pytest.mark.parametrize("left", [b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbbx"])
def test_half_a_mark_is_lost_by_nobody(left: bytes) -> None:
    for framing in (Events(), Lines()):
        said = [frame.raw for byte in left for frame in framing.push(bytes([byte]))]
        assert b"".join(said) + getattr(framing.last(), "raw", b"") == left


@pytest.mark.promise("P6")
@pytest.mark.parametrize("unit", ['\\"', '"\\', "\\", '"', "\\\\"])
def test_a_string_without_its_end_is_read_once(unit: str) -> None:
    """An event of a million characters in which each quote may begin such a string: read again for each, it takes an hour."""
    assert crowded(unit * 500_000) is (unit == '"')
