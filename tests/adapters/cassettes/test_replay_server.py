"""Cassettes that answer: a provider on loopback for the real clients, and the fixtures of the pytest plugin."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic import APIStatusError as AnthropicStatusError
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, OpenAI
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.cassettes.importing import import_cassettes
from stream_guard_adapters.cassettes.recorded import documents
from stream_guard_adapters.cassettes.replay_server import ReplayServer
from stream_guard_adapters.cassettes.replaying import RecordedError, replay, served
from stream_guard_adapters.openai import guard_chat
from stream_guard_conformance.corpus import native
from stream_guard_conformance.corpus.native import as_chat, as_messages, as_responses

from stream_guard import Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.replies import CALL, reply

GUARD = Guard(FILE_TOOLS)
ASKED: Any = [{"role": "user", "content": "x"}]
DELTAS = reply(CALL)
TEXT = "".join(DELTAS)
LOST = (APIConnectionError, httpx.RemoteProtocolError)
"""How the client of OpenAI says that a stream broke off: by an error of its own or, in earlier versions, by that of httpx."""


@pytest.mark.parametrize("chunking", ["recorded", "chars", "words", 3])
def test_the_real_clients_read_what_was_recorded(chunking: Any) -> None:
    """Each by its helper, whatever the bytes are cut into."""
    with ReplayServer(Cassette(as_chat(DELTAS)), chunking=chunking) as server:
        client = OpenAI(base_url=server.url, api_key="k", max_retries=0)
        with client.chat.completions.stream(model="m", messages=ASKED) as stream:
            assert stream.get_final_completion().choices[0].message.content == "Hi\n" + TEXT
        client.close()
    with ReplayServer(Cassette(as_responses(DELTAS)), chunking=chunking) as server:
        client = OpenAI(base_url=server.url, api_key="k", max_retries=0)
        with client.responses.stream(model="m", input="x") as responses:
            assert responses.get_final_response().output_text == TEXT
        client.close()
    with ReplayServer(Cassette(as_messages(DELTAS)), chunking=chunking) as server:
        other = Anthropic(base_url=server.url, api_key="k", max_retries=0)
        with other.messages.stream(model="m", max_tokens=9, messages=ASKED) as messages:
            assert messages.get_final_text() == TEXT
        other.close()


async def test_what_a_client_reads_from_it_is_guarded() -> None:
    with ReplayServer(Cassette(as_chat(DELTAS))) as server:
        async with (
            AsyncOpenAI(base_url=server.url, api_key="secret-key", max_retries=0) as client,
            guard_chat(await client.chat.completions.create(model="m", messages=ASKED, stream=True), GUARD) as stream,
        ):
            (block,) = [item async for item in stream if isinstance(item, ToolBlock)]
        assert block.executable
        (request,) = server.requests
        assert (request.method, request.path, request.json()["model"]) == ("POST", "/chat/completions", "m")
        assert "secret-key" not in str(server.requests)
    with ReplayServer(Cassette(as_messages(DELTAS))) as server:
        async with (
            AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as other,
            guard_messages(await other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True), GUARD) as events,
        ):
            assert [item.executable async for item in events if isinstance(item, ToolBlock)] == [True]


def test_every_request_gets_the_next_cassette_and_every_protocol_its_type() -> None:
    kinds = [
        (Cassette(as_chat(DELTAS)), "text/event-stream"),
        (Cassette([{"message": {"role": "assistant", "content": "Hi"}, "done": True}]), "application/x-ndjson"),
        (Cassette(["Hi"]), "text/plain; charset=utf-8"),
        (Cassette([{"type": "start"}]), "text/event-stream"),
    ]
    with ReplayServer(*(cassette for cassette, _ in kinds), repeat=True) as server:
        for cassette, kind in [*kinds, kinds[0]]:
            answer = httpx2.get(server.url)
            assert answer.headers["content-type"] == kind
            assert answer.content == b"".join(replay(cassette, form="bytes"))
            assert ("x-vercel-ai-ui-message-stream" in answer.headers) == (cassette is kinds[3][0])
    with pytest.raises(RuntimeError, match="is not running"):
        _ = server.url
    with pytest.raises(ValueError, match="needs at least one cassette"):
        ReplayServer()


def test_a_request_behind_the_last_cassette_fails_in_the_client_and_in_the_test() -> None:
    """Once: a client does not try it again. The test fails too if its code swallowed the error; its own error comes first."""
    said = "the replay server has 1 cassette, and got 2 requests; record one more"
    with pytest.raises(AssertionError, match=said), ReplayServer(Cassette(as_chat(DELTAS))) as server:
        client = OpenAI(base_url=server.url, api_key="k", max_retries=2)
        list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
        with pytest.raises(APIStatusError, match=said) as refused:
            client.chat.completions.create(model="m", messages=ASKED, stream=True)
        assert refused.value.status_code == 410
        client.close()
    assert len(server.requests) == 2
    with (
        pytest.raises(AnthropicStatusError, match=said),
        ReplayServer(Cassette(as_messages(DELTAS))) as server,
        Anthropic(base_url=server.url, api_key="k", max_retries=2) as other,
    ):
        for _ in range(2):
            list(other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True))


def test_a_stream_that_failed_fails_again_and_one_whose_reader_leaves_hurts_nobody() -> None:
    broken = Cassette(as_chat(DELTAS)[:9], ending="error", failure="ReadError")
    with ReplayServer(broken, *[Cassette(as_chat(DELTAS))] * 2) as server:
        client = OpenAI(base_url=server.url, api_key="k", max_retries=0)
        stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        with pytest.raises(LOST):
            list(stream)
        client.close()
        port = int(server.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as leaving:
            leaving.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert httpx2.get(server.url).status_code == 200


def test_a_recording_may_be_cut_at_every_item() -> None:
    """The connection is lost there: the client has what came before, and an error."""
    whole = Cassette(as_chat(DELTAS))
    for items in range(len(whole.items) + 1):
        seen: list[Any] = []
        with pytest.raises(RecordedError, match="ConnectionError"):
            seen.extend(replay(whole.cut(items)))
        assert seen == whole.items[:items]
    with ReplayServer(whole.cut(3)) as server, OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        with pytest.raises(LOST):
            seen = list(stream)


def test_recorded_times_are_kept_on_the_wire() -> None:
    """Nothing is sent before its time: what is read at once is not all there is."""
    cassette = Cassette(as_chat(["a", "b"]), [0, 0, 0, 0.2])
    with ReplayServer(cassette, speed=1) as server, httpx2.stream("GET", server.url) as answer:
        chunks = list(answer.iter_raw())
    assert len(chunks) > 1
    assert b"".join(chunks) == b"".join(replay(cassette, form="bytes"))


def test_recordings_are_served_to_the_real_client(corpora: Path) -> None:
    """Some of them, byte for byte, through a socket."""
    paths = sorted((corpora / "recordings" / "vercel__ai").glob("*openai*.sse"))[:8]
    assert paths
    cassettes = [cassette for path in paths for cassette in import_cassettes(path)]
    with ReplayServer(*cassettes, chunking=5) as server:
        for path, cassette in zip(paths, cassettes, strict=True):
            assert list(cassette.documents()) == list(documents(path))
            assert httpx2.get(server.url).content  # its texts are cut elsewhere
    with ReplayServer(*cassettes) as server:
        for path in paths:
            assert httpx2.get(server.url).content == path.read_bytes()


CUTS: list[tuple[Any, Any]] = [("chars", list), ("words", re.compile(r"\S+\s*|\s+").findall), (3, None)]
ARGUMENTS = '{"path": "a.txt", "content": "one two three"}'


@pytest.mark.parametrize(("chunking", "cut"), CUTS)
@pytest.mark.parametrize("recorded", ["events", "bytes"])
def test_the_client_reads_other_deltas_with_each_chunking(chunking: Any, cut: Any, recorded: str) -> None:
    """Of the text and of the arguments of a native call, also where the recording is bytes; all else is as it was."""
    cassette = Cassette(native.chat([("write_file", ARGUMENTS)]))
    if recorded == "bytes":
        cassette = Cassette([b": a comment\n\n", b"".join(replay(cassette, form="bytes"))])
    with ReplayServer(cassette, chunking=chunking) as server, OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        chunks = list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    texts = [delta.content for delta in deltas if delta.content]
    calls = [delta.tool_calls[0].function for delta in deltas if delta.tool_calls]
    arguments = [call.arguments for call in calls if call and call.arguments]
    assert ("".join(texts), "".join(arguments)) == ("Hi\n", ARGUMENTS)
    assert [call.name for call in calls if call and call.name] == ["write_file"]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    if cut is not None:
        assert arguments == cut(ARGUMENTS)
        assert texts == cut("Hi\n")
    else:
        whole = [event["choices"][0]["delta"].get("tool_calls") for event in native.chat([("write_file", ARGUMENTS)])]
        assert len(arguments) != len([call for call in whole if call and call[0]["function"]["arguments"]])


def test_the_bytes_are_cut_too_within_events_and_between_them() -> None:
    cassette = Cassette(as_chat(DELTAS))
    pieces = list(served(cassette, 3).items)
    events = list(served(Cassette([b"".join(pieces)]), "recorded").documents())
    assert len(pieces) > len(events)
    assert any(b"\n\ndata: " in piece for piece in pieces)
    assert any(not piece.startswith(b"data: ") for piece in pieces)


# -- the plugin --------------------------------------------------------------------------------------------------------

TEST = """
from stream_guard import Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.testing import FakeStream

asked = 0

async def test_guarded(stream_cassette):
    def live():
        global asked
        asked += 1
        return FakeStream(["```json\\n", '{"tool": "delete_file", "path": "b"}', "\\n```\\n"])

    stream = await stream_cassette("hello", live)
    items = [item async for item in Guard(FILE_TOOLS).stream(stream)]
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True]
    assert asked == ASKED

def test_served(replay_server):
    assert replay_server("hello").url.startswith("http://127.0.0.1:")
"""


PLUGINS = ("-p", "no:cacheprovider", "-p", "pytest_asyncio.plugin", "-p", "stream_guard_adapters.pytest_plugin")


@pytest.mark.some(0)
def test_the_plugin_records_when_it_is_told_to_and_replays_otherwise(pytester: pytest.Pytester) -> None:
    """A test without its cassette fails, and asks nobody."""
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")

    def run(asked: int, *options: str) -> dict[str, int]:
        pytester.makepyfile(test_it=TEST.replace("ASKED", str(asked)))
        return pytester.runpytest_inprocess(*PLUGINS, *options).parseoutcomes()

    assert run(0) == {"failed": 2}
    assert run(1, "--record-streams=once") == {"passed": 2}
    assert (pytester.path / "cassettes" / "hello.jsonl").exists()
    assert run(0, "--record-streams=once") == {"passed": 2}
    assert run(0) == {"passed": 2}
    assert run(1, "--record-streams=all") == {"passed": 2}


def test_a_cassette_that_is_missing_says_what_would_record_it(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(
        """
        async def test_live(stream_cassette):
            await stream_cassette("a", lambda: None)

        async def test_replayed(stream_cassette):
            await stream_cassette("b")

        def test_served(replay_server):
            replay_server("c")
        """
    )
    said = pytester.runpytest_inprocess(*PLUGINS).stdout
    said.fnmatch_lines(["*a.jsonl does not exist; record it with --record-streams=once"])
    said.fnmatch_lines(["*b.jsonl does not exist; record it with record(), or give stream_cassette the live stream"])
    said.fnmatch_lines(["*c.jsonl does not exist; record it with a test that uses stream_cassette, or with record()"])
