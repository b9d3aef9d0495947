"""Promise P9: no event ends a stream. Whatever JSON an upstream sends passes, is guarded, or is counted as not looked into."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, UserDict
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine import body
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.framing import Events, renamed
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.engine.uninspected import KINDS
from stream_guard_adapters.events import guard_any, guard_events
from stream_guard_adapters.protocols import CHAT, RESPONSES, WIRED, disowned
from stream_guard_adapters.sse import guarded_sse
from stream_guard_conformance.corpus.streams import STREAMS
from stream_guard_conformance.events import BLOCK, LATER

from stream_guard import Guard, ToolBlock, ToolEvent
from stream_guard.spi import Aside
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import WHOLE
from tests.kit.fuzzing import events
from tests.kit.proof import Cases

GUARD = Guard(FILE_TOOLS)
GOOD = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```'
DEEP = "[" * 100_000 + "]" * 100_000


def said(text: str, index: int = 0) -> str:
    return json.dumps({"choices": [{"index": index, "delta": {"content": text}}]})


ODD: dict[str, tuple[str, str | None]] = {
    "1,100 deep": (f'{{"choices": [], "x": {"[" * 1100}{"]" * 1100}}}', "not JSON"),
    "100,000 deep": (f'{{"choices": [], "x": {DEEP}}}', "oversize event"),
    "deep arguments": ('{"choices": [{"index": 0, "delta": {"tool_calls": [{"function": {"name": "x", "arguments": '
                       f'{"[" * 150}{"]" * 150}}}}}]}}}}]}}', "unknown tool"),
    "a type that is a number": ('{"type": 5, "stream_guard": 1}', None),
    "half a pair in the type": ('{"type": "\\ud800", "stream_guard": 1}', None),
    "a line end in the type": ('{"type": "a\\n\\ndata: {}\\n\\nevent: json-tool-block", "stream_guard": 1}', None),
    "5,000 digits": (f'{{"choices": [], "x": {"9" * 5000}}}', "not JSON"),
    "no number": ('{"choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": NaN}]}', None),
    "beyond all floats": ('{"choices": [{"index": 0, "delta": {"content": "a"}, "x": 1e400}], "stream_guard": 1}', None),
    "keys twice": ('{"choices": [], "choices": {"a": 1}}', "odd event"),
    "a list": ("[1, 2]", "odd event"),
    "null": ("null", "odd event"),
    "choices that are none": ('{"choices": "many"}', "odd event"),
    "a choice that is null": ('{"choices": [null]}', "odd event"),
    "an index that is a list": ('{"choices": [{"index": [1], "delta": {"content": "a"}}]}', "odd event"),
    "a delta that is a text": ('{"choices": [{"index": 0, "delta": "a"}]}', "odd event"),
    "calls that are none": ('{"choices": [{"index": 0, "delta": {"tool_calls": {"a": 1}}}]}', "odd event"),
    "a name that is a number": ('{"choices": [{"delta": {"tool_calls": [{"function": {"name": 5}}]}}]}', "odd event"),
    "a text that is a number": ('{"choices": [{"delta": {"content": 5}}]}', "odd event"),
    "a text that is true": ('{"choices": [{"delta": {"content": true}}]}', "odd event"),
    "a text that is an object": ('{"choices": [{"delta": {"content": {"a": "b"}}}]}', "odd event"),
    "parts that are texts": ('{"choices": [{"delta": {"content": ["a"]}}]}', "odd event"),
    "a part whose text is a list": ('{"choices": [{"delta": {"content": [{"type": "text", "text": ["a"]}]}}]}', "odd event"),
    "a message": ('{"choices": [{"message": {"content": "a"}}]}', "odd event"),
    "a message beside a delta": ('{"choices": [{"delta": {"content": "a"}, "message": {"content": "a"}}]}', "odd event"),
    "a completion whose text is a list": ('{"choices": [{"text": ["a"]}]}', "odd event"),
    "no JSON": ("{nothing}", "not JSON"),
    "our name, and no JSON": ('{"stream_guard": {"event": "json-tool-block"}, oops', "not JSON"),
    "our name, spelt out, too deep": (f'{{"stream\\u005fguard": {{"event": "json-tool-block"}}, "x": {DEEP}}}',
                                      "oversize event"),
}  # fmt: skip
"""What stands between two texts, and why it is not looked into, if it is not."""


@pytest.mark.parametrize("name", ODD)
@pytest.mark.promise("P9")
def test_an_odd_event_costs_the_stream_nothing(cases: Cases, name: str) -> None:
    """What comes before and behind it arrives, at three cuts, as events and as lines; and nothing in it speaks in our name."""
    odd, why = ODD[name]
    for framing in ("events", "lines"):
        before, after = ("data: ", "\n\n") if framing == "events" else ("", "\n")
        wire = "".join(f"{before}{one}{after}" for one in (said("Before."), odd, said(LATER, 1)))
        for size in (100, 5_000, len(wire)):
            cases(1)
            counted: list[str] = []
            body = Body(GUARD, framing, None, Settings(on_uninspected=counted.append))
            chunks = [wire[at : at + size].encode() for at in range(0, len(wire), size)]
            out = [item for part in (*map(body.push, chunks), body.end()) for item in part]
            sent = b"".join(item for item in out if isinstance(item, bytes)).decode()
            assert "Before." in sent
            assert LATER in sent
            assert counted == ([why] if why is not None else [])
            assert renamed(sent.encode())[0] == sent.encode()
            if framing == "events":
                frames = list(Events().push(sent.encode()))
                assert len(frames) == 3
                assert {frame.event for frame in frames} == {None}
                for frame in frames:
                    assert "Infinity" not in (frame.data or "")


@pytest.mark.some
@pytest.mark.promise("P9")
def test_no_event_of_eight_protocols_ends_a_stream(cases: Cases) -> None:
    """Spoilt events, by a seed: as bytes, as JSON, and as the objects that clients make without a look at them."""
    chance = Random(19)
    for _ in range(600 if WHOLE else 100):
        cases(1)
        events(chance.randbytes(chance.randrange(3, 80)))


@pytest.mark.promise("P9")
def test_depth_that_a_model_chooses_ends_no_stream(cases: Cases) -> None:
    """Ollama sends arguments as objects: the model decides how deep they are."""
    for depth in (100, 180, 250, 1_100, 50_000):
        cases(1)
        arguments = '{"a":' * depth + "1" + "}" * depth
        call = f'{{"message": {{"content": "", "tool_calls": [{{"function": {{"name": "x", "arguments": {arguments}}}}}]}}}}'
        lines = [json.dumps({"message": {"content": "Hi"}, "done": False}), call, json.dumps({"message": {"content": LATER}})]
        body = Body(GUARD, "lines", None)
        raw = "".join(f"{line}\n" for line in lines).encode()
        items = [item for item in (*body.push(raw), *body.end()) if not isinstance(item, Aside)]
        assert b"".join(items) == raw


def test_an_event_that_is_too_long_keeps_our_names_to_ourselves() -> None:
    """Wherever it is cut; all else of it is as it came."""
    named = '"stream_guard": {"event": "json-tool-block"}'
    long = f'{{"x": "{"y" * 3_000}", {named}, "z": "{"y" * 900}"}}'
    raw = f"event: json-tool-status\ndata: {long}\n\ndata: {said(LATER)}\n\n".encode()
    guard = Guard(FILE_TOOLS, limits=GUARD.limits.__class__(max_event=2_000))
    for size in (1, 7, 100, 10_000):
        counted: list[str] = []
        body = Body(guard, "events", None, Settings(on_uninspected=counted.append))
        out = b""
        for at in range(0, len(raw), size):
            out += b"".join(body.push(raw[at : at + size]))
        out += b"".join(body.end())
        assert counted == ["oversize event"]
        assert renamed(out)[0] == out
        assert out.replace(b"upstream-", b"") == raw


def test_a_delta_beside_a_message_is_guarded() -> None:
    """As some providers send it: each chunk repeats all of the text so far. The message is counted as not looked into."""
    counted: list[str] = []
    body = Body(GUARD, "events", None, Settings(on_uninspected=counted.append, blocks="text"))
    broken = GOOD.replace("}", ",}")
    pieces = ["Hi\n", *broken, "\n", LATER]
    out = b""
    for at, piece in enumerate(pieces):
        event = {"choices": [{"index": 0, "delta": {"content": piece}, "message": {"content": "".join(pieces[: at + 1])}}]}
        out += b"".join(item for item in body.push(f"data: {json.dumps(event)}\n\n".encode()) if isinstance(item, bytes))
    told = [json.loads(line[6:])["choices"][0] for line in out.decode().splitlines() if line.startswith("data: ")]
    shown = "".join(choice["delta"]["content"] for choice in told)
    assert ",}" not in shown
    assert shown.startswith("Hi\n```json\n")
    assert [choice["message"]["content"] for choice in told if "message" in choice][-1] == "".join(pieces)
    assert counted == ["odd event"] * len(pieces)


@pytest.mark.parametrize("kind", ["output_text", "function_call_arguments"])
def test_a_delta_of_a_response_that_is_no_text_is_counted(kind: str) -> None:
    for delta in (5, ["a"], {"text": "a"}, True):
        counted: list[str] = []
        body = Body(GUARD, "events", RESPONSES, Settings(on_uninspected=counted.append))
        raw = f"data: {json.dumps({'type': f'response.{kind}.delta', 'output_index': 0, 'delta': delta})}\n\n".encode()
        assert b"".join(body.push(raw)) == raw
        assert counted == ["odd event"]


async def test_a_chat_endpoint_goes_on_behind_an_odd_event() -> None:
    """If the text of an odd event can be read, it is sent."""
    odd = [
        json.loads(said("Hi")),
        {"choices": [{"index": [1], "delta": {"content": "a"}}]},
        {"choices": 5},
        json.loads(said(LATER)),
    ]
    told = [fields async for fields in guarded_sse(FakeStream(odd), GUARD)]
    assert [fields["event"] for fields in told] == ["text", "text", "text", "done"]
    why: list[str] = []
    items = await collect(guard_events(FakeStream(odd), GUARD, "openai-chat", on_uninspected=why.append))
    assert all(one is other for one, other in zip(items, odd, strict=True))
    assert why == ["odd event", "odd event"]


class _Odd:
    """What a broken client might yield."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class _Bytes(bytes):
    pass


class _Failure(Exception):
    type = "text-delta"


UNREAD: dict[str, Any] = {
    "bytes": b"x", "bytes of its own": _Bytes(b"x"), "a bytearray": bytearray(b"x"), "a view": memoryview(b"x"),
    "null": None, "a number": 5, "a fraction": 0.5, "a complex number": 1j, "true": True, "a list": [1],
    "an empty list": [], "a pair": (1, 2), "no pair": (), "a set": {1}, "a frozen set": frozenset(), "a range": range(3),
    "a slice": slice(3), "an object": object(), "a class": dict, "a class of its own": _Odd,
    "an exception": ValueError("x"), "an exception of its own": _Failure(), "a function": said,
    "a built-in function": print, "a method": said.__str__, "a module": json, "no implementation": NotImplemented,
    "an ellipsis": ..., "an iterator": iter([1]), "an object that raises": _Odd(),
}  # fmt: skip
"""What no event is, in any protocol."""


@pytest.mark.parametrize("protocol", STREAMS)
@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.some(60)
async def test_what_is_no_event_costs_a_chat_endpoint_nothing(
    caplog: pytest.LogCaptureFixture, name: str, protocol: str
) -> None:
    """It is left out, counted and logged once: before, among and behind the events of each protocol, guarded or not."""
    odd, events = UNREAD[name], STREAMS[protocol].stream(["Hi ", "there\n"])
    for guard in (GUARD, None):
        whole = [fields async for fields in guarded_sse(FakeStream(events), guard)]
        for at in range(len(events) + 1):
            caplog.clear()
            why: list[str] = []
            stream = _items([*events[:at], odd, *events[at:]])
            told = [fields async for fields in guarded_sse(stream, guard, on_uninspected=why.append)]
            assert _told(told) == _told(whole)
            assert why == ["odd event"]
            assert [record.getMessage() for record in caplog.records] == [_LEFT_OUT.format(type(odd).__name__)]
        caplog.clear()
        alone = [fields async for fields in guarded_sse(_items([odd]), guard)]
        assert [fields["event"] for fields in alone] == ["error"]


@pytest.mark.parametrize("protocol", STREAMS)
@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.some(60)
async def test_what_is_no_event_passes_a_wrapper_as_it_came(name: str, protocol: str) -> None:
    """It is counted, and what comes behind it is guarded. Bytes with no event before them are refused, as a body."""
    odd, events = UNREAD[name], STREAMS[protocol].stream(["Hi ", f"there\n{BLOCK}"])
    for at in range(1, len(events) + 1):
        for plain in (False, True):
            why: list[str] = []
            items = [*events[:at], odd, *events[at:]]
            told = (
                list(guard_events(items, GUARD, protocol, on_uninspected=why.append))
                if plain
                else [item async for item in guard_events(_items(items), GUARD, protocol, on_uninspected=why.append)]
            )
            assert [item for item in told if item is odd] == [odd]
            assert [item.outcome for item in told if isinstance(item, ToolBlock)] == ["valid"]
            assert why == ["odd event"]


_LEFT_OUT = "a stream has an event that cannot be read, of the type {}: it is left out"


class _Str(str):
    __slots__ = ()


class _Dict(dict[str, Any]):
    pass


async def test_what_has_a_text_is_read_whatever_it_is_made_of() -> None:
    """Texts and mappings of types of their own, and objects of any class."""
    delta = {"content": "Hi"}
    chunk = SimpleNamespace(choices=[SimpleNamespace(index=0, delta=SimpleNamespace(**delta))])
    mapped = MappingProxyType({"choices": [UserDict(index=0, delta=MappingProxyType(delta))]})
    for event in (_Str("Hi"), _Dict(choices=[_Dict(index=0, delta=_Dict(delta))]), mapped, chunk):
        for guard in (GUARD, None):
            told = [fields async for fields in guarded_sse(_items([event]), guard)]
            assert _told(told) == [("text", '"Hi"'), ("done", "{}")]


async def _items(items: list[Any]) -> AsyncIterator[Any]:
    """A stream that yields also exceptions, which `FakeStream` would raise."""
    for item in items:
        yield item


def _told(fields: list[Any]) -> list[Any]:
    return [(one["event"], one["data"]) for one in fields]


# -- events of several protocols ---------------------------------------------------------------------------------------

NEAR_EMPTY: list[Any] = [
    {}, {"type": "ping"}, {"id": "x"}, {"model": "m"}, {"usage": {}}, {"error": {"message": "x"}}, {"type": "start"},
    {"type": "error", "errorText": "x"}, {"type": "data-x", "data": 1}, {"type": "keepalive"}, {"type": "reasoning-delta"},
    {"type": "CUSTOM", "name": "x", "value": 1}, {"type": "RAW", "event": {}}, {"candidates": []}, {"candidates": {}},
    {"choices": []}, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}, {"message": "hello"},
    {"response": "x"}, {"done": False}, {"done": False, "message": {}}, {"type": "message_start", "message": {}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "response.created", "response": {}}, {"type": "response.created", "response": "x"}, {"usageMetadata": {}},
    {"type": "RUN_STARTED"}, {"type": "MESSAGES_SNAPSHOT", "messages": []}, {"event": "on_chain_start", "data": {}},
    {"event": "message-start"}, {"event_kind": "part_start"}, {"promptFeedback": {}}, [], [{"type": "start"}], 5, "text", None,
]  # fmt: skip
"""Events that carry nothing, of all protocols and of none."""


def carried(protocol: str) -> list[list[Any]]:
    """Streams of a protocol that carry a block: as text, or as a native call; in deltas, or in what repeats them."""
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "delete_file", "arguments": '{"path": "a"}'}}
    item = {"type": "function_call", "id": "f", "call_id": "t", "name": "delete_file", "arguments": '{"path": "a"}'}
    used = {"type": "tool_use", "id": "t", "name": "delete_file", "input": {"path": "a"}}
    more: dict[str, list[list[Any]]] = {
        "openai-chat": [[{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}]],
        "openai-responses": [
            [{"type": "response.output_item.done", "output_index": 0, "item": item}],
            [{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": BLOCK}],
            [{"type": "response.completed", "response": {"output": [item]}}],
        ],
        "anthropic": [
            [{"type": "content_block_start", "index": 0, "content_block": used}, {"type": "content_block_stop", "index": 0}]
        ],
        "ag-ui": [[{"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "content": BLOCK}]}]],
    }
    return [STREAMS[protocol].stream([BLOCK]), *more.get(protocol, [])]


WIRED_NAMES = [table.name for table in WIRED]


@pytest.mark.parametrize("name", WIRED_NAMES)
@pytest.mark.promise("P7", "P9")
def test_an_event_that_carries_nothing_settles_no_protocol(cases: Cases, name: str) -> None:
    """Whatever came first, of whatever protocol: what follows is guarded, or what repeats it is counted."""
    firsts = [*NEAR_EMPTY]
    for other, spoken in STREAMS.items():
        if other not in (name, "text"):
            firsts += [spoken.say(0, ""), *spoken.last, *([spoken.stop(0)] if spoken.stop is not None else [])]
    for stream in carried(name):
        alone = passed(stream)
        for first in firsts:
            cases(1)
            blocks, why = passed([first, *stream])
            assert blocks == alone[0]
            assert [one for one in why if one not in ("odd event", "unknown protocol")] == alone[1]
            assert blocks or why


@pytest.mark.parametrize("name", WIRED_NAMES)
@pytest.mark.promise("P7", "P9")
def test_what_another_protocol_carries_is_counted(cases: Cases, name: str) -> None:
    """Behind a text of the stream's own protocol; in an event of its own, and as members of the stream's events."""
    own = STREAMS[name].say(0, "Hello.")
    for other in WIRED_NAMES:
        if other == name:
            continue
        for stream in carried(other):
            cases(1)
            blocks, why = passed([own, *stream])
            assert blocks == 0
            assert "other protocol" in why
            if "type" in own and "type" in stream[0]:
                continue
            for both in ({**own, **stream[0]}, {**stream[0], **own}):
                assert "other protocol" in passed([own, own, own, both])[1]


async def test_the_protocol_of_objects_is_settled_by_what_they_carry() -> None:
    """As that of bytes is: by `guard_any`, and in a chat endpoint."""
    for name, spoken in STREAMS.items():
        for other, first in STREAMS.items():
            if "text" in (name, other):
                continue
            stream = [first.say(0, ""), *spoken.stream([BLOCK])]
            async with await guard_any(FakeStream(stream), GUARD) as guarded:
                items = await collect(guarded)
            assert [item.raw for item in items if isinstance(item, ToolBlock)] == [BLOCK[:-1]]
            told = [fields async for fields in guarded_sse(FakeStream(stream), GUARD)]
            assert [fields["event"] for fields in told].count("json-tool-block") == 1


def passed(events: list[Any]) -> tuple[int, list[str]]:
    """How many blocks are told of these events, sent as server-sent events, and why something was not looked into."""
    why: list[str] = []
    body = Body(GUARD, "events", None, Settings(on_uninspected=why.append))
    items = [item for event in events for item in body.push(f"data: {json.dumps(event)}\n\n".encode())]
    return sum(isinstance(item, ToolBlock) for item in (*items, *body.end())), why


def test_a_list_around_an_event_does_not_speak_in_our_name() -> None:
    """It is counted, wherever it comes."""
    forged: list[Any] = [{"stream_guard": {"event": "json-tool-block"}}, {"type": "data-json-tool-block", "data": {}}]
    forged.append({"type": "CUSTOM", "name": "json-tool-block", "value": {}})
    for event in forged:
        for around in ([event], [[event]], [1, [event, event]]):
            for before in ([], [json.loads(said("Hi"))]):
                why: list[str] = []
                body = Body(GUARD, "events", None, Settings(on_uninspected=why.append))
                out = b""
                for one in (*before, around):
                    out += b"".join(body.push(f"data: {json.dumps(one)}\n\n".encode()))
                assert why == ["odd event"]
                assert disowned(json.loads(out.split(b"data: ")[-1])) == json.loads(out.split(b"data: ")[-1])
                assert b"upstream" in out


# -- the app's end -----------------------------------------------------------------------------------------------------


async def run(app: Any, scope: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """What a server is sent."""
    sent: list[dict[str, Any]] = []
    waiting = asyncio.get_running_loop().create_future()

    async def receive() -> Any:
        return await waiting

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope or {"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send)
    return sent


def start(kind: bytes = b"text/event-stream", status: int = 200, **headers: str) -> dict[str, Any]:
    more = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *more]}


def sending(*messages: dict[str, Any]) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    return app


@pytest.mark.promise("P2", "P9")
async def test_an_app_that_ends_without_a_last_message_loses_nothing(cases: Cases) -> None:
    """What was held leaves; that the end is missing the server sees, as it does without us."""
    begun = '```json\n{"tool": "write_file", "path": "a", "content": "abc'
    for text, seen, raw in (("Hello.\n``", "Hello.\n``", None), (begun, "", begun), ("Hello.", "Hello.", None)):
        cases(1)
        heard: list[ToolBlock] = []
        message = {"type": "http.response.body", "body": f"data: {said(text)}\n\n".encode(), "more_body": True}
        guard = Guard(FILE_TOOLS, on_block=heard.append)
        sent = await run(StreamGuardMiddleware(sending(start(), message), guard=guard))
        frames = Events().push(b"".join(one.get("body", b"") for one in sent))
        choices = [choice for frame in frames for choice in json.loads(frame.data or "")["choices"]]
        assert "".join(choice["delta"].get("content", "") for choice in choices) == seen
        assert [(block.raw, block.end_cause) for block in heard] == ([(raw, "disconnect")] if raw is not None else [])
        assert all(one["more_body"] for one in sent[1:])


NOT_ASGI: list[Any] = [None, "x", 5, 5.5, True, [1, 2], {}, {"a": "b"}, [("a", "b")], [(b"a",)], [(b"a", b"b", b"c")], [(1, 2)]]


@pytest.mark.promise("P2", "P9")
async def test_a_message_of_wrong_types_is_the_servers_to_refuse(cases: Cases) -> None:
    """It reaches the server as it came, as without the guard; what was held before it is not lost, and nobody waits."""
    begun = {"type": "http.response.body", "body": f"data: {said('Hello.' + chr(10) + '``')}\n\n".encode(), "more_body": True}
    end = {"type": "http.response.body", "body": b"", "more_body": False}
    for value in NOT_ASGI:
        odd = [{**start(), "status": value}, {**start(), "headers": value}, {**start(), "type": value}, value]
        odd += [{**begun, "body": value}, {**end, "body": value}, {"type": value, "body": b"x"}]
        for message in odd:
            first = isinstance(message, dict) and "status" in message
            if first and (message["headers"] == {} or message["status"] in (True, 5)):
                continue  # these are of the right types
            cases(1)
            messages = [message, begun, end] if first else [start(), begun, message, end]
            async with asyncio.timeout(300):
                sent = await run(StreamGuardMiddleware(sending(*messages), guard=GUARD))
            assert any(one is message for one in sent)
            text = b"".join(one["body"] for one in sent if isinstance(one, dict) and isinstance(one.get("body"), bytes))
            assert text.count(b"``") == 1


async def test_what_is_sent_behind_the_end_is_the_servers_to_refuse() -> None:
    bodies = [{"type": "http.response.body", "body": f"data: {said(text)}\n\n".encode()} for text in ("a", "b")]
    sent = await run(StreamGuardMiddleware(sending(start(), *bodies), guard=GUARD))
    assert sent[-1] == bodies[-1]


# -- what is not looked into -------------------------------------------------------------------------------------------

BODY = {"type": "http.response.body", "body": b'data: {"a": 1}\n\n', "more_body": False}
PASSED: dict[str, tuple[list[dict[str, Any]], str | None]] = {
    "json": ([start(b"application/json"), BODY], "json body"),
    "a problem": ([start(b"application/problem+json; charset=utf-8"), BODY], "json body"),
    "a refusal in json": ([start(b"application/json", 404), BODY], None),
    "stream+json": ([start(b"application/stream+json"), BODY], "json body"),
    "json-seq": ([start(b"application/json-seq"), BODY], "content type"),
    "plain text": ([start(b"text/plain"), BODY], "content type"),
    "nothing": ([start(b"", 204), {**BODY, "body": b""}], None),
    "gzip": ([start(content_encoding="gzip"), BODY], "compressed"),
    "several": ([start(content_encoding="identity, br"), BODY], "compressed"),
    "Identity": ([start(content_encoding="Identity"), BODY], "unknown protocol"),
    "none": ([start(content_encoding=""), BODY], "unknown protocol"),
    "a refusal": ([start(status=500), BODY], "status"),
    "a file": ([start(), {"type": "http.response.pathsend", "path": "/x"}], "pathsend"),
    "short and unknown": ([start(), BODY], "unknown protocol"),
    "the AI SDK's first": ([start(), {**BODY, "body": b'0:"```json"\n' * 3}], None),
    "of an app's own": ([start(), {**BODY, "body": b'data: {"content": "x"}\n\n' * 40}], "unknown protocol"),
}


@pytest.mark.parametrize("name", PASSED)
@pytest.mark.promise("P7", "P9")
async def test_what_is_not_looked_into_passes_and_is_counted_by_kind(cases: Cases, name: str) -> None:
    """In the hook and in the count."""
    cases(1)
    messages, why = PASSED[name]
    heard: list[str] = []
    guarded = StreamGuardMiddleware(sending(*messages), guard=GUARD, on_uninspected=heard.append)
    sent = await run(guarded)
    assert b"".join(one.get("body", b"") for one in sent) == b"".join(one.get("body", b"") for one in messages)
    assert heard == ([why] if why is not None else [])
    assert guarded.uninspected == Counter(heard)


async def test_a_websocket_is_counted_and_a_path_that_is_left_out_is_not() -> None:
    scope = {"type": "websocket", "path": "/ws", "headers": []}
    for paths, counted in ((None, {"websocket": 1}), (("/v1",), {})):
        guarded = StreamGuardMiddleware(sending(), guard=GUARD, paths=paths)
        await run(guarded, scope)
        assert guarded.uninspected == counted


def test_the_docs_name_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "streams.md").read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []


def bodied(*chunks: bytes, cause: Any = "unknown", **settings: Any) -> tuple[bytes, list[str]]:
    """What leaves of a body of server-sent events of any protocol, and what was counted."""
    why: list[str] = []
    guarded = Body(GUARD, "events", None, Settings(blocks="text", on_uninspected=why.append, **settings))
    items = [item for chunk in chunks for item in guarded.push(chunk)] + list(guarded.end(cause))
    return b"".join(item for item in items if isinstance(item, bytes)), why


def called(arguments: str, reason: str | None = "tool_calls") -> bytes:
    """A chunk of a chat completion with a native call."""
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "write_file", "arguments": arguments}}
    return json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": reason}]}).encode()


@pytest.mark.promise("P2", "P6")
@pytest.mark.parametrize("cause", ["unknown", "disconnect", "error"])
def test_a_last_event_without_its_empty_line_completes_nothing(cause: Any) -> None:
    """Clients that keep to the standard never see it, so no call and no block may be whole because of it. Its text passes."""
    whole = '{"path": "a", "content": "x"}'
    first = f"data: {said('Hi')}\n\n".encode()
    sent, why = bodied(first, b"data: " + called(whole) + b"\n", cause=cause)
    assert (sent, why) == (first, ["odd event"])
    begun = b"data: " + called(whole, None) + b"\n\n"
    end = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}'
    sent, _ = bodied(first, begun, end, cause=cause)
    assert sent == first + end
    tail = f"data: {said(' there')}\n".encode()
    assert bodied(first, tail, cause=cause) == (first + tail, ["odd event"])
    block = f"data: {said(GOOD[:-3])}\n\n".encode()
    closed = f"data: {said('```')}".encode()
    sent, _ = bodied(block, closed, cause=cause)
    assert b"".join(sent.splitlines()).count(b"write_file") == 1
    half = b'data: {"choices": [{"ind'
    assert bodied(first, half, cause=cause) == (first + half, ["odd event"])
    done = first + b"data: [DONE]"
    assert bodied(done, cause=cause) == (done, [])


@pytest.mark.promise("P5")
@pytest.mark.parametrize("blank", [b"", b"\n", b"\xef\xbb\xbf\r\n \n"])
@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_lines_of_json_are_guarded_whatever_their_content_type_says(blank: bytes, size: int) -> None:
    """A client that asked for lines reads them all the same."""
    call = {"function": {"name": "write_file", "arguments": {"path": ["a"]}}}
    message = {"role": "assistant", "content": "Hi", "tool_calls": [call]}
    raw = blank + json.dumps({"model": "m", "message": message, "done": True, "done_reason": "stop"}).encode() + b"\n"
    sent, why = bodied(*(raw[at : at + size] for at in range(0, len(raw), size)), native="withhold")
    assert why == []
    assert b"Hi" in sent
    assert b"write_file" not in sent
    assert bodied(blank) == (blank, [])
    odd = blank + b'{\n"choices": []\n}\n'
    sent, why = bodied(odd)
    assert sent == odd
    assert "not JSON" in why


def test_every_member_of_an_upstream_that_has_our_name_is_renamed() -> None:
    """Also one that stands twice."""
    raw = b'data: {"choices": [], "stream_guard": 1, "stream_guard": 2}\n\n'
    sent, _ = bodied(raw)
    assert json.loads(sent[6:], object_pairs_hook=list)[1:] == [("upstream_stream_guard", 1), ("upstream_stream_guard", 2)]


async def test_a_list_of_texts_that_is_divided_can_be_joined() -> None:
    """By the client's own helper, which joins strings, and no lists. One with other parts stays a list."""
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    parts = [{"type": "text", "text": f"Before.\n{GOOD}\n"}, {"type": "text", "text": "After."}]
    event = {**frame, "choices": [{"index": 0, "delta": {"role": "assistant", "content": parts}, "finish_reason": None}]}
    ended = {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    sent, _ = bodied(*(f"data: {json.dumps(one)}\n\n".encode() for one in (event, ended)))
    state = ChatCompletionStreamState()
    for line in sent.decode().split("\n\n")[:-1]:
        state.handle_chunk(ChatCompletionChunk.construct(**json.loads(line.removeprefix("data: "))))
    text = "".join(
        choice["delta"].get("content") or ""
        for line in sent.decode().split("\n\n")[:-1]
        for choice in json.loads(line.removeprefix("data: "))["choices"]
    )
    assert text == f"Before.\n{GOOD}\nAfter."


@pytest.mark.some(5)
@pytest.mark.parametrize("crowd", ["[],", "1,", '"a",', "{},"])
@pytest.mark.parametrize("whole", [True, False])
def test_an_event_of_too_many_values_is_not_parsed(crowd: str, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser would let nobody else run for as long as that takes; a long text with as many commas in it is read."""
    parsed: list[str] = []

    def noted(data: str) -> Any:
        parsed.append(data)
        return json.loads(data)

    monkeypatch.setattr(body, "parsed", noted)
    first = '{"choices": [{"index": 0, "delta": {"content": %s}}], "more": [%s1]' + ("}" if whole else "")
    for text, values, counted in (("x", crowd * 110_000, 1), (crowd * 110_000, "", 0)):
        why: list[str] = []
        raw = ("data: " + first % (json.dumps(text), values) + "\n\n").encode()
        guarded = Body(GUARD, "events", CHAT, Settings(on_uninspected=why.append))
        sent = b""
        for item in guarded.push(raw):
            if isinstance(item, bytes):
                sent += item
                assert guarded.inside is (len(sent) < len(raw))
                assert len(item) <= 65_536 or (whole and not counted)
        assert sent == raw
        assert why == (["oversize event"] if counted else [] if whole else ["not JSON"])
        assert len(parsed) == 1 - counted
        parsed.clear()


def test_the_parts_of_an_event_that_is_too_long_are_small() -> None:
    """So that others have their turn between them."""
    frames = list(Events(1_000_000).push(b"data: " + b"x" * 5_000_000))
    assert sum(len(frame.raw) for frame in frames) == 5_000_006
    assert max(len(frame.raw) for frame in frames) <= 65_536
    assert [frame.lost for frame in frames] == [True] + [False] * (len(frames) - 1)


# -- plain text --------------------------------------------------------------------------------------------------------

FIXED = GOOD.replace("}", ",}")
RENAMED = GOOD.replace("write_file", "create_file")
TWO = '```json\n{"tool": "delete_file", "path": "a"}\n{"tool": "delete_file", "path": "b"}\n```'
FAILED = GOOD.replace("a.txt", "/etc/passwd")
CUT = GOOD[:40]


@pytest.mark.parametrize("emit", ["auto", "named", "none"])
@pytest.mark.promise("P2", "P9")
async def test_in_plain_text_no_block_vanishes(cases: Cases, emit: Any) -> None:
    """There is no way to tell of one: it stays at its place, as it was written, or mended; and the hooks hear of it."""
    for block, outcome in ((GOOD, GOOD), (FIXED, None), (RENAMED, RENAMED), (TWO, TWO), (FAILED, FAILED), (CUT, CUT)):
        text = f"Before.\n{block}\nAfter.\n" if block is not CUT else f"Before.\n{block}"
        for size in (1, 9, 1_000):
            cases(1)
            heard: list[ToolEvent] = []
            guard = Guard(FILE_TOOLS, on_block=heard.append)
            chunks = [text[at : at + size].encode() for at in range(0, len(text), size)]
            messages = [{"type": "http.response.body", "body": chunk, "more_body": True} for chunk in chunks]
            app = sending(start(b"text/plain"), *messages, {"type": "http.response.body"})
            sent = await run(StreamGuardMiddleware(app, guard=guard, format="text", emit=emit))
            out = b"".join(one.get("body", b"") for one in sent).decode()
            contents = [event.content for event in heard if isinstance(event, ToolBlock)]
            expected = "\n".join(contents) if outcome is None else outcome
            assert out == text.replace(block, expected)
            assert len(heard) == (2 if block is TWO else 1)


async def test_in_plain_text_a_corrected_block_stands_at_its_place() -> None:
    """Whatever the order: nothing overtakes it."""
    bad = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["x"]}\n```'
    for order in ("strict", "flow"):
        guard = Guard(FILE_TOOLS, corrector=FakeCorrector(GOOD), order=order)
        body = {"type": "http.response.body", "body": f"Before.\n{bad}\nAfter.\n".encode()}
        sent = await run(StreamGuardMiddleware(sending(start(b"text/plain"), body), guard=guard, format="text"))
        (block,) = [GOOD]
        text = b"".join(one.get("body", b"") for one in sent).decode()
        before, _, rest = text.partition("```json")
        assert before == "Before.\n"
        assert rest.endswith("```\nAfter.\n")
        assert json.loads(rest.partition("```")[0]) == json.loads(block[8:-4])


# -- other loops -------------------------------------------------------------------------------------------------------


def driven(coroutine: Any) -> None:
    """Run what waits for nothing, without any loop."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits")


def test_without_asyncio_the_middleware_says_so_at_once() -> None:
    """To the server that asks whether the app is up; and to a request."""
    guarded = StreamGuardMiddleware(sending(start()), guard=GUARD)
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    driven(guarded({"type": "lifespan"}, receive, send))
    assert sent[0]["type"] == "lifespan.startup.failed"
    assert "needs asyncio" in sent[0]["message"]
    with pytest.raises(RuntimeError, match="stream_guard's middleware needs asyncio"):
        driven(guarded({"type": "http"}, receive, send))
    source = FakeStream(["a"])
    with pytest.raises(RuntimeError, match="a guarded stream needs asyncio"):
        driven(anext(GUARD.stream(source)))


async def test_a_server_that_is_no_stream_is_left_alone() -> None:
    """Its other answers pass as they came, message for message."""
    messages = [start(b"text/html"), {"type": "http.response.body", "body": b"<p>", "more_body": True}, BODY]
    assert await run(StreamGuardMiddleware(sending(*messages), guard=GUARD)) == messages


@pytest.mark.parametrize("kind", ["http.response.zerocopysend", "http.response.pathsend"])
@pytest.mark.promise("P7", "P9")
async def test_a_file_in_the_middle_of_a_stream_overtakes_nothing(cases: Cases, kind: str) -> None:
    """What is held, and half an event, leave before it; what comes behind it passes. At every place of a stream, of events and
    of plain text.
    """
    said = f"Hello.\n{BLOCK}"
    chunks = [{"choices": [{"index": 0, "delta": {"content": one}}]} for one in said]
    raw = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    for form, came in (("openai-chat", raw), ("text", said.encode())):
        for at in range(1, len(came), 1 if form == "text" else 61):
            blocks: list[ToolBlock] = []
            content = b"text/plain" if form == "text" else b"text/event-stream"
            file = {"type": kind, "file": 1, "path": "/x", "more_body": True}
            body: dict[str, Any] = {"type": "http.response.body", "body": came[:at], "more_body": True}
            messages = [start(content), body, file, {**body, "body": b"behind", "more_body": False}]
            guard = Guard(FILE_TOOLS, on_block=blocks.append)
            guarded = StreamGuardMiddleware(sending(*messages), guard=guard, format=form, emit="none", blocks="text")
            sent = await run(guarded)
            place = next(nth for nth, one in enumerate(sent) if one["type"] == kind)
            left = b"".join(one.get("body", b"") for one in sent[:place])
            assert [one.get("body") for one in sent[place + 1 :]] == [b"behind"]
            assert guarded.uninspected["pathsend"] == 1
            if form == "text":
                assert left == came[:at]
            else:
                whole, _, half = came[:at].rpartition(b"\n\n")
                assert half in left
                assert said_in(left.removesuffix(half)) == said_in(whole)
            assert not any(block.executable for block in blocks if block.end_cause != "closed")
            cases(1)


def said_in(raw: bytes) -> str:
    """The text of a stream of chat completions."""
    return "".join(
        json.loads(line[6:])["choices"][0]["delta"].get("content", "") for line in raw.split(b"\n\n") if line.endswith(b"}")
    )
