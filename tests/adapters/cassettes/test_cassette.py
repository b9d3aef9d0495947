"""Streams that are recorded, kept, and streamed again."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from anthropic import AsyncAnthropic
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI
from stream_guard_adapters import cassettes
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.importing import import_cassettes
from stream_guard_adapters.cassettes.recorded import SUFFIXES, documents, read
from stream_guard_adapters.cassettes.recording import record
from stream_guard_adapters.cassettes.replay_server import ReplayServer
from stream_guard_adapters.cassettes.replaying import Chunking, RecordedError, recut, replay
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.openai import guard_chat
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_adapters.virtual_time import virtual_time
from stream_guard_conformance.corpus.native import MAKERS, chat, messages, responses

from stream_guard import End, Guard, ToolBlock
from stream_guard.command.cli import main
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.more_calls import as_objects
from tests.kit.provider import Provider

GUARD = Guard(FILE_TOOLS)
ASKED: Any = [{"role": "user", "content": "x"}]
CALL = '```json\n{"tool": "delete_file", "path": "b"}\n```\n'
TEXT = f"Hi, é 😀.\n{CALL}Bye."
CUTS: list[Chunking] = ["recorded", "chars", "words", 0, 1, 7]


async def recorded(items: Any, path: Path) -> Cassette:
    await collect(record(FakeStream(items), path))
    return Cassette.load(path)


# -- recording ---------------------------------------------------------------------------------------------------------


async def test_what_was_recorded_comes_back_as_it_was(tmp_path: Path) -> None:
    """Text, bytes that are no text, JSON, why a text ended, and our own events."""
    ours = [item for item in GUARD.scan([TEXT], stream_id="s") if not isinstance(item, str)]
    for number, items in enumerate(
        [["a", "", "é\ud800", End("length")], [b"data: 1\n\n", b"\xff\x00"], [{"a": [1, None, "é"]}, {"b": 0.5}], ["a", *ours]]
    ):
        cassette = await recorded(items, tmp_path / f"{number}.jsonl")
        assert cassette.items == items
        assert (cassette.ending, len(cassette.times)) == ("eof", len(items))
        assert list(replay(cassette)) == items
        assert await collect(replay(tmp_path / f"{number}.jsonl")) == items


async def test_the_reader_gets_the_very_objects_of_the_clients_and_the_cassette_makes_such_again(tmp_path: Path) -> None:
    """Through both real clients; a replayed stream is guarded as the live one was."""
    async with Provider(lambda _: [TEXT[at : at + 7] for at in range(0, len(TEXT), 7)]) as provider:
        async with AsyncOpenAI(api_key="secret-key", base_url=provider.url, max_retries=0) as client:
            live: Any = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
            async with record(live, tmp_path / "chat.jsonl") as stream:
                assert stream.response is live.response
                chunks = [chunk async for chunk in stream]
            assert live.response.is_closed
        async with AsyncAnthropic(api_key="secret-key", base_url=provider.url, max_retries=0) as other:
            events = await collect(
                record(
                    await other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True),
                    tmp_path / "messages.jsonl",
                )
            )
    assert list(replay(tmp_path / "chat.jsonl")) == chunks
    assert list(replay(tmp_path / "messages.jsonl")) == events
    assert {type(item) for item in replay(tmp_path / "messages.jsonl")} == {type(event) for event in events}
    guardings: list[tuple[str, Any]] = [("chat", guard_chat), ("messages", guard_messages)]
    for name, guarding in guardings:
        path = tmp_path / f"{name}.jsonl"
        assert "secret-key" not in path.read_text()
        guarded = guarding(replay(path), GUARD)
        (block,) = [item for item in await collect(guarded) if isinstance(item, ToolBlock)]
        assert block.executable


async def test_objects_of_frameworks_come_back(tmp_path: Path) -> None:
    from langchain_core.messages import AIMessageChunk
    from pydantic_ai import messages as parts

    items = [
        {"event": "on_chat_model_stream", "run_id": "r", "data": {"chunk": AIMessageChunk(content="a", id="m")}},
        AIMessageChunk(content="b", id="m"),
        parts.PartStartEvent(index=0, part=parts.TextPart(content="Hi")),
        parts.PartDeltaEvent(index=0, delta=parts.TextPartDelta(content_delta="!")),
    ]
    assert (await recorded(items, tmp_path / "a.jsonl")).items == items


@pytest.mark.parametrize("name", ["gemini", "ollama", "ag-ui"])
async def test_objects_of_the_other_clients_come_back(name: str, tmp_path: Path) -> None:
    """As they were recorded, and are guarded as such; signatures are kept, and headers of the response are not."""
    from ag_ui.core import Event as AgUiEvent
    from google.genai.types import HttpResponse
    from pydantic import TypeAdapter

    events = NATIVE[name]([("write_file", '{"path": "a", "content": "x"}')])
    if name == "gemini":
        call = next(event for event in events if "functionCall" in str(event))
        call["candidates"][0]["content"]["parts"][0]["thoughtSignature"] = "c2lnbmVk"
    adapter: TypeAdapter[Any] = TypeAdapter(AgUiEvent)
    items: list[Any] = list(map(adapter.validate_python, events)) if name == "ag-ui" else as_objects(events, name)
    cassette = await recorded(items, tmp_path / "a.jsonl")
    assert cassette.items == items
    assert cassette.protocol is PROTOCOLS[name]
    (block,) = [item for item in guard_events(iter(replay(cassette)), GUARD, name) if isinstance(item, ToolBlock)]
    assert block.executable
    if name == "gemini":
        assert any(b"signed" in str(item).encode() for item in cassette.items)
        items[0].sdk_http_response = HttpResponse(headers={"set-cookie": "secret"})
        await recorded(items, tmp_path / "b.jsonl")
        assert "secret" not in (tmp_path / "b.jsonl").read_text(encoding="utf-8")


async def test_what_cannot_be_kept_is_said_and_the_stream_is_closed(tmp_path: Path) -> None:
    source = FakeStream([object()])
    with pytest.raises(TypeError, match=r"a recording takes text, bytes, JSON, and objects of openai.*; not builtins\.object"):
        await collect(record(source, tmp_path / "a.jsonl"))
    assert source.closed == 1


async def test_how_a_stream_ended_is_kept(tmp_path: Path) -> None:
    """With its failure, which is raised again; or because its reader left."""
    with pytest.raises(OSError, match="gone"):
        await collect(record(FakeStream(["a", OSError("gone")]), tmp_path / "a.jsonl"))
    cassette = Cassette.load(tmp_path / "a.jsonl")
    assert (cassette.items, cassette.ending, cassette.failure) == (["a"], "error", "OSError")
    assert "gone" not in (tmp_path / "a.jsonl").read_text()
    seen = []
    with pytest.raises(RecordedError, match="OSError"):
        async for item in replay(cassette):
            seen.append(item)
    assert seen == ["a"]
    source = FakeStream(["a", "b"])
    async with record(source, tmp_path / "b.jsonl") as stream:
        assert await anext(stream) == "a"
        assert not (tmp_path / "b.jsonl").exists()
    assert source.closed == 1
    assert (Cassette.load(tmp_path / "b.jsonl").ending, list(replay(tmp_path / "b.jsonl"))) == ("left", ["a"])
    async with record(FakeStream(["a"]), tmp_path / "c.jsonl"):
        pass  # nothing was read
    assert not (tmp_path / "c.jsonl").exists()


async def test_a_recording_replaces_nothing_unless_it_is_told_to(tmp_path: Path) -> None:
    await recorded(["a"], tmp_path / "deep" / "a.jsonl")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        record(FakeStream(["b"]), tmp_path / "deep" / "a.jsonl")
    await collect(record(FakeStream(["b"]), tmp_path / "deep" / "a.jsonl", overwrite=True))
    assert list(replay(tmp_path / "deep" / "a.jsonl")) == ["b"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.jsonl"]


def test_what_is_no_cassette_is_said_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    for text, said in (
        ("", "its first line lacks the member"),
        ('"Hi"\n', "its first line lacks the member"),
        ('{"cassette": 2}\n', "of version 2; only version 1 can be read"),
        ('{"cassette": 1}\n{"t": 0}\n', "line 2: not an item: expected an object with one of text, bytes, base64"),
        ('{"cassette": 1}\n\n[{"end": "eof"}]\n', "line 3: not an item"),
        ('{"cassette": 1}\n["text"]\n', "line 2: not an item"),
        ('{"cassette": 1}\n"text"\n', "line 2: not an item"),
        ('{"cassette": 1}\n{"text": 5}\n', "line 2: the member text must be a string"),
        ('{"cassette": 1}\n{"bytes": [1]}\n', "line 2: the member bytes must be a string"),
        ('{"cassette": 1}\n{"base64": "a"}\n', "line 2: the member base64 cannot be decoded: "),
        ('{"cassette": 1}\n{"cause": "x"}\n', "line 2: the member cause must be one of unknown, stop"),
        ('{"cassette": 1}\n{"ours": "x"}\n', "line 2: unknown event: 'x'"),
        ('{"cassette": 1}\n{"ours": "json-tool-block", "data": [1]}\n', "line 2: invalid data for a json-tool-block"),
        ('{"cassette": 1}\n{"text": "a", "t": "x"}\n', "line 2: the time t must be a number of seconds"),
        ('{"cassette": 1}\n{"end": "x"}\n', "line 2: the member end must be one of eof, error, left"),
        ('{"cassette": 1}\n{"end": ["eof"]}\n', "line 2: the member end"),
        ('{"cassette": 1}\n{"end": "error", "error": {}}\n', "line 2: the member end"),
        ('{"cassette": 1}\n{"event": ' + "[" * 100_000 + "\n", "line 2: it is nested too deep"),
        ('{"cassette": 1}\n{"event": {"$object": ["os"], "data": "x"}}\n', "line 2: the member \\$object must be a string"),
        ('{"cassette": 1}\n{"event": {"$object": "openai:no.thing", "data": {}}}\n', "openai:no.thing is not a class of data"),
        (
            '{"cassette": 1}\n{"event": {"$object": "openai.types.chat:ChatCompletionChunk", "data": 5}}\n',
            "line 2: the data of openai.types.chat:ChatCompletionChunk do not fit it: TypeError",
        ),
        ('{"cassette": 1}\n{"t": 0, "text": "a"}\nnothing\n', "line 3 is not JSON"),
        ('{"cassette": 1}\n{"event": {"$object": "os:system", "data": "x"}}\n', "a cassette may not contain objects of os"),
        ('{"cassette": 1}\n{"event": {"$object": "openai:OpenAI", "data": {}}}\n', "openai:OpenAI is not a class of data"),
        ('{"cassette": 1}\n{"event": {"$object": "openai.nothing:X", "data": {}}}\n', "install its package"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=rf"^a\.jsonl: .*{said}"):
            Cassette.load(path)
        if text.startswith("{"):  # `check` reads a list of deltas too
            assert main(["check", str(path)]) == 2
            told = capsys.readouterr().err
            assert told.count("a.jsonl") == 1
            assert re.search(said, told)
    path.write_bytes(b'{"cassette": 1}\n\xff\n')
    with pytest.raises(ValueError, match=r"^a\.jsonl: not UTF-8 text: invalid byte at offset 16"):
        Cassette.load(path)
    path.write_text('\ufeff{"cassette": 1}\n{"text": "a"}\n{"end": "eof"}\n', encoding="utf-8")  # as editors of Windows save it
    assert list(replay(path)) == ["a"]
    assert main(["check", str(path)]) == 0
    path.write_text('{"cassette": 1}\n{"t": 0, "text": "a"}\n{"t": 0, "te')  # the machine stopped there
    assert (Cassette.load(path).items, Cassette.load(path).ending) == (["a"], "torn")


def test_a_cassette_whose_file_was_cut_off_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cut anywhere, in a line or behind one: what there is of it is replayed, and then it fails; it is not served."""
    path = tmp_path / "a.jsonl"
    Cassette(spoken("openai-chat", [TEXT])).save(path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert main(["check", str(path)]) == 0
    assert len(list(replay(path))) == len(lines) - 2
    for stays in (lines[0], b"".join(lines[:-1]), b"".join(lines[:-2]), whole[: len(whole) - len(lines[-1]) - 9], whole[:-5]):
        path.write_bytes(stays)
        forms: list[Any] = ["recorded", "json", "text", "bytes"] if len(stays) > len(lines[0]) else ["recorded", "json"]
        for form in forms:
            got = []
            with pytest.raises(RecordedError, match="has no end: its file was cut off"):
                for item in replay(path, form=form):
                    got.append(item)  # noqa: PERF402  # what came before it fails
            assert bool(got) == (len(forms) == 4)
        capsys.readouterr()
        for command in ("check", "watch"):
            assert main([command, str(path)]) == 2
            assert "a.jsonl: the cassette has no end" in capsys.readouterr().err
        with pytest.raises(ValueError, match=r"cassette 1 of 1 cannot be served: .* has no end"):
            ReplayServer(path)
        Cassette.load(path).save(tmp_path / "b.jsonl", overwrite=True)
        assert Cassette.load(tmp_path / "b.jsonl").ending == "torn"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_empty_recording_is_not_checked(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text("\n")
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr()
    assert "it is empty: no stream was recorded in it" in told.err
    assert told.out.startswith("0 blocks in 0 files")


# -- replaying ---------------------------------------------------------------------------------------------------------


async def test_time_is_kept_and_passes_at_any_speed(tmp_path: Path) -> None:
    """An hour takes no time where nobody waits, and none of ours where time is virtual."""

    async def slow() -> AsyncIterator[str]:
        for seconds in (0, 1800, 1800):
            await asyncio.sleep(seconds)
            yield "x"

    began = time.monotonic()
    cassette = Cassette(["x"] * 3, [0, 1800, 3600])
    with virtual_time():
        loop = asyncio.get_running_loop()
        for speed, took in ((0, 0), (1, 3600), (2, 1800)):
            start = loop.time()
            assert await collect(replay(cassette, speed=speed)) == ["x"] * 3
            assert loop.time() - start == pytest.approx(took)
        start = loop.time()
        assert await collect(slow()) == ["x"] * 3
        assert loop.time() - start == pytest.approx(3600)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(300):
                await asyncio.Event().wait()
    assert time.monotonic() - began < 600
    with pytest.raises(ValueError, match="speed must be 0"):
        replay(cassette, speed=-1)


EVENTS: dict[str, list[Any]] = {
    "openai-chat": chat([], "stop"),
    "openai-responses": responses([]),
    "anthropic": messages([], "end_turn"),
}


def spoken(protocol: str, deltas: list[str]) -> list[Any]:
    """A reply with these deltas, as the events of a protocol."""
    first, *rest = EVENTS[protocol]
    table = PROTOCOLS[protocol]
    carrier: dict[str, Any] = {
        "openai-chat": first,
        "openai-responses": {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0,
                             "delta": "", "logprobs": []},
        "anthropic": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ""}},
    }[protocol]  # fmt: skip
    return [first, *(table.piece(carrier, (0,), delta, first=True, last=True) for delta in deltas), *rest]


def test_a_text_is_a_str() -> None:
    """Whole, also of a stream that was cut off; the deltas have its `End` behind them."""
    cassette = Cassette(spoken("openai-chat", [CALL[:9], CALL[9:]]))
    assert cassette.text() == f"Hi\n{CALL}"
    assert cassette.text(1) == ""
    assert Cassette([TEXT[:4], TEXT[4:]]).text() == TEXT
    assert list(replay(cassette, form="text")) == ["Hi\n", CALL[:9], CALL[9:], End("stop")]
    with pytest.raises(ValueError, match="the protocol of the cassette is unknown"):
        Cassette([{"a": 1}]).text()


NATIVE = {"openai-chat": chat, "anthropic": messages, "openai-responses": responses, **MAKERS}
WHOLE = ("gemini", "ollama")
"""The protocols whose arguments are an object, which comes whole."""


def argued(events: list[Any], name: str) -> dict[Any, list[str]]:
    """The pieces of the arguments of each call, without those that repeat them."""
    found: dict[Any, list[str]] = {}
    for piece in (piece for event in events for piece in PROTOCOLS[name].calls(event)):
        if piece.arguments and not piece.whole:
            found.setdefault(piece.call, []).append(piece.arguments)
    return found


@pytest.mark.some(10)
@pytest.mark.parametrize("form", ["json", "objects"])
@pytest.mark.parametrize("chunking", CUTS)
@pytest.mark.parametrize("name", NATIVE)
def test_cutting_cuts_the_arguments_of_native_calls_too(name: str, chunking: Chunking, form: Any) -> None:
    calls = [("write_file", '{"path": "a b", "content": "é x"}'), ("delete_file", '{"path": "b"}')]
    cassette = Cassette([*NATIVE[name](calls)])
    if form == "objects" and not PROTOCOLS[name].makes_objects:
        pytest.skip("it has no client")
    made = list(replay(cassette, chunking=chunking, form=form))
    before, cut = argued(cassette.items, name), argued(made, name)
    assert {call: "".join(found) for call, found in cut.items()} == {call: "".join(found) for call, found in before.items()}
    if chunking == "chars" and name not in WHOLE:
        assert len(cut) == 2
        assert all(len(piece) == 1 for found in cut.values() for piece in found)
    assert len(replay(cassette, chunking=chunking, form=form).times) == len(made)
    told = [item for item in guard_events(iter(made), GUARD, name) if isinstance(item, ToolBlock)]
    assert [(block.tool, block.path, block.outcome) for block in told] == [
        ("write_file", "a b", "valid"),
        ("delete_file", "b", "valid"),
    ]


def test_a_call_that_came_in_one_chunk_with_its_name_is_cut() -> None:
    """As some servers send it: only the first piece has the name, the id, and what else the chunk had."""
    function = {"name": "delete_file", "arguments": '{"path": "b"}'}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    for delta in ({"role": "assistant", "tool_calls": [call]}, {"role": "assistant", "function_call": function}):
        chunk = {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        end = {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
        first, *rest, last = replay(Cassette([chunk, end]), chunking="chars")
        assert last == end
        assert len(rest) == len('{"path": "b"}') - 1
        assert all(word in json.dumps(first) for word in ("delete_file", "role"))
        assert not any(word in json.dumps(rest) for word in ("delete_file", "role", "c1"))
    chunks: list[Any] = [{"type": "TOOL_CALL_CHUNK", "toolCallId": "t", "toolCallName": "f", "delta": "{}"}]
    assert list(replay(Cassette(chunks), chunking="chars")) == [
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "t", "toolCallName": "f", "delta": "{"},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "t", "delta": "}"},
    ]


@pytest.mark.some(8)
@pytest.mark.parametrize("protocol", EVENTS)
@pytest.mark.parametrize("chunking", CUTS)
def test_cutting_changes_where_a_text_is_cut_and_nothing_else(protocol: str, chunking: Chunking) -> None:
    """As JSON, as deltas, as bytes: the text is the text, and what is no text stands where it stood."""
    table = PROTOCOLS[protocol]
    events = spoken(protocol, [TEXT[at : at + 9] for at in range(0, len(TEXT), 9)])
    cassette = Cassette(events, [float(at) for at in range(len(events))])
    made = list(replay(cassette, chunking=chunking, form="json"))
    deltas = list(replay(cassette, chunking=chunking, form="text"))
    said = "".join(text for event in made for _, text in table.texts(event))
    assert said == "".join(text for event in events for _, text in table.texts(event))
    assert said == "".join(delta for delta in deltas if isinstance(delta, str))
    assert isinstance(deltas[-1], End)
    others = [event for event in events if not table.texts(event)]
    assert [event for event in made if not table.texts(event)] == others
    assert (made == events) == (chunking == "recorded")
    if chunking == "chars":
        assert all(len(delta) == 1 for delta in deltas if isinstance(delta, str))
    wire = b"".join(replay(cassette, chunking=chunking, form="bytes"))
    assert wire == b"".join(replay(cassette, form="bytes"))
    assert list(Cassette([wire]).documents()) == events
    times = replay(cassette, chunking=chunking, form="json").times
    assert times == sorted(times)
    assert times[-1] == cassette.times[-1]
    objects = list(replay(cassette, chunking=chunking, form="objects"))
    assert [json.loads(item.model_dump_json(exclude_unset=True)) for item in objects] == made


def test_the_same_number_cuts_alike_and_another_otherwise() -> None:
    cassette = Cassette([TEXT])
    cuts = [list(replay(cassette, chunking=number)) for number in range(20)]
    assert cuts[3] == list(replay(cassette, chunking=3))
    assert len({len(cut) for cut in cuts}) > 5
    assert max(len(piece) for cut in cuts for piece in cut) > 10
    with pytest.raises(ValueError, match="chunking must be"):
        replay(cassette, chunking="lines")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="form must be"):
        replay(cassette, form="xml")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"works with openai-chat, .*, anthropic, ag-ui; the protocol of this cassette is text"
    ):
        replay(cassette, form="objects")
    with pytest.raises(ValueError, match="the protocol of the cassette is unknown"):
        replay(Cassette([{"a": 1}]), form="text")


@given(st.lists(st.one_of(st.text(max_size=9), st.binary(max_size=9)), max_size=9), st.sampled_from(CUTS))
def test_any_text_and_any_bytes_are_cut_into_themselves(items: list[str | bytes], chunking: Any) -> None:
    made = [item for _, item in recut([(0.0, item) for item in items], None, chunking)]
    assert "".join(item for item in made if isinstance(item, str)) == "".join(item for item in items if isinstance(item, str))
    assert b"".join(item for item in made if isinstance(item, bytes)) == b"".join(
        item for item in items if isinstance(item, bytes)
    )


def test_a_text_that_nobody_ended_was_cut_off() -> None:
    cassette = Cassette(spoken("openai-chat", ["Hi"])[:-1])
    assert list(replay(cassette, form="text"))[-1] == End("disconnect")
    length = Cassette([*spoken("openai-chat", ["Hi"])[:-1], chat([], "length")[-1]])
    assert list(replay(length, form="text"))[-1] == End("length")


def test_cassettes_are_read_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Cassette(spoken("openai-chat", [TEXT])).save(tmp_path / "a.jsonl")
    stream = read(tmp_path / "a.jsonl")
    assert stream is not None
    assert stream.lanes == {"0": ["Hi\n", TEXT, End("stop")]}
    assert main(["check", str(tmp_path / "a.jsonl")]) == 0
    assert "delete_file" in capsys.readouterr().out


# -- importing ---------------------------------------------------------------------------------------------------------


@pytest.mark.some
def test_recordings_are_imported_byte_for_byte(corpora: Path, tmp_path: Path) -> None:
    """All of them: the bytes of the dump are the bytes of the cassette, and its documents the documents."""
    seen = 0
    paths = [path for path in sorted((corpora / "recordings").rglob("*")) if path.suffix in (".sse", ".ndjson")]
    for path in some(paths, 150, kind=lambda path: path.parent):
        (cassette,) = import_cassettes(path)
        assert b"".join(cassette.items) == path.read_bytes()
        try:
            known = list(documents(path))
        except ValueError:
            continue
        cassette.save(tmp_path / "a.jsonl", overwrite=True)
        again = Cassette.load(tmp_path / "a.jsonl")
        assert again.items == cassette.items
        assert list(again.documents()) == known, path
        seen += 1
    assert seen > 140


BODY = "".join(f"data: {json.dumps(event)}\n\n" for event in spoken("openai-chat", [TEXT])) + "data: [DONE]\n\n"


def interaction(kind: str, body: Any, **headers: Any) -> dict[str, Any]:
    request = {"uri": "https://x/y", "headers": {"authorization": ["Bearer secret-key"]}, "body": "ask"}
    return {"request": request, "response": {"headers": {"Content-Type": [kind], **headers}, "body": body, "status": {}}}


@pytest.mark.parametrize(
    "body",
    [
        {"string": BODY},
        {"string": BODY.encode()},
        {"string": gzip.compress(BODY.encode())},
        {"base64_string": base64.b64encode(BODY.encode()).decode()},
        BODY,
    ],
)
def test_vcr_cassettes_are_imported_without_their_keys(body: Any, tmp_path: Path) -> None:
    """However the body is kept; answers that were not streamed are left out."""
    plain = interaction("application/json", {"string": "{}"})
    streamed = interaction("text/event-stream; charset=utf-8", body, **{"content-encoding": ["gzip"]})
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({"version": 1, "interactions": [plain, streamed]}))
    assert main(["import", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "out")]) == 0
    made = tmp_path / "out" / "a.jsonl"
    assert "secret-key" not in made.read_text()
    assert b"".join(Cassette.load(made).items) == BODY.encode()
    assert "".join(str(item) for item in replay(made, form="text") if isinstance(item, str)) == "Hi\n" + TEXT
    assert main(["import", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "out")]) == 2  # it is there already
    assert main(["import", str(tmp_path / "a.yaml"), "-o", str(tmp_path / "out"), "--overwrite"]) == 0


def test_what_cannot_be_imported_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text, said in (
        ("a.csv", "", "expected a VCR cassette"),
        ("a.yaml", "a: [", "a.yaml: not YAML: "),
        ("b.yaml", "a: 1", "needs a list of interactions, and this has none"),
        ("c.json", json.dumps({"interactions": []}), "c.json: no streamed response in it"),
        ("d.json", "{", "Expecting property name"),
    ):
        (tmp_path / name).write_text(text)
        assert main(["import", str(tmp_path / name), "-o", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err
    assert main(["import", str(tmp_path / "none.sse"), "-o", str(tmp_path)]) == 2
    assert "none.sse: No such file or directory" in capsys.readouterr().err


def test_the_suffixes_of_recordings() -> None:
    assert SUFFIXES == (".sse", ".ndjson", ".jsonl")


def test_the_names_of_the_room_are_all_there_and_loaded_when_asked_for() -> None:
    """The command line reads recordings: it loads no server and no event loop for it."""
    for name in cassettes.__all__:
        assert getattr(cassettes, name).__module__.startswith((cassettes.__name__, "typing"))  # an alias is of the latter
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = cassettes.nothing
    code = "import sys, stream_guard_adapters.cassettes.recorded; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"http.server", "asyncio"} & set(loaded)
