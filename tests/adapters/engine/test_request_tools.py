"""The tools of a request: what is understood of them, and how the reply is guarded with them."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine import request_tools
from stream_guard_adapters.engine.request_tools import RequestBody, RequestGuards, asked
from stream_guard_adapters.engine.sent_requests import SentRequest
from stream_guard_adapters.events import guard_events
from stream_guard_conformance.corpus.native import Given, as_chat, chat

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.servers import asked_of

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
    "additionalProperties": False,
}
GOOGLE = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING"}, "days": {"type": "INTEGER", "nullable": True, "format": "int32"}},
    "required": ["city"],
}
FORMATS: dict[str, dict[str, Any]] = {
    "chat": {"tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]},
    "functions": {"functions": [{"name": "weather", "parameters": SCHEMA}]},
    "responses": {"tools": [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": True}]},
    "messages": {"tools": [{"name": "weather", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}]},
    "gemini": {"tools": [{"functionDeclarations": [{"name": "weather", "parameters": GOOGLE}]}]},
    "gemini, JSON Schema": {"tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": SCHEMA}]}]},
    "gemini, as its client spells": {"tools": [{"function_declarations": [{"name": "weather", "parameters": GOOGLE}]}]},
}


NONE: frozenset[str] = frozenset()


def body(**request: Any) -> bytes:
    return json.dumps({"model": "m", **request}).encode()


@pytest.mark.parametrize("name", FORMATS)
async def test_the_tools_of_every_format_are_read(name: str) -> None:
    """Each with its schema; none declares what it may change."""
    guards = RequestGuards(Guard(FILE_TOOLS), "add")
    guard, calls = await guards.of(body(**FORMATS[name]))
    assert calls
    tool = guard.tools["weather"]
    assert tool.risk is Risk.DESTRUCTIVE
    assert tool.compiled.accepts({"city": "Rio", "days": 1})
    assert not tool.compiled.accepts({"city": 1})
    assert guard.tools.names == (*FILE_TOOLS.names, "weather")
    assert (await guards.of(body(**FORMATS[name], messages=["other"])))[0] is guard
    alone, _ = await RequestGuards(Guard(FILE_TOOLS), "only").of(body(**FORMATS[name]))
    assert alone.tools.names == ("weather",)
    ours = Guard(FILE_TOOLS)
    assert (await RequestGuards(ours, "off").of(body(**FORMATS[name])))[0] is ours


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ({"tool_choice": "none"}, False),
        ({"tool_choice": {"type": "none"}}, False),
        ({"function_call": "none"}, False),
        ({"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}, False),
        ({"tool_config": {"function_calling_config": {"mode": "none"}}}, False),
        ({"tool_choice": "auto"}, True),
        ({"tool_choice": {"type": "function", "function": {"name": "none"}}}, True),
        ({"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}, True),
        ({"tool_choice": ["none"]}, True),
        ({}, True),
    ],
)
def test_a_request_may_forbid_calls(request_: dict[str, Any], allowed: bool) -> None:
    assert asked(request_).allowed is allowed


async def test_what_is_not_understood_is_left_out() -> None:
    """A tool of the provider's own, one without a schema, one with a wrong one; the others are guarded."""
    good = FORMATS["messages"]["tools"][0]
    odd = [
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "custom", "name": "free"},
        {"name": "a", "input_schema": {"type": "nonsense"}},
        {"name": "", "input_schema": {}},
        {"name": 7, "input_schema": {}},
        {"functionDeclarations": [None, {"name": "b", "parameters": {"type": "OBJECT", "properties": {"x": {"type": "NO"}}}}]},
        {"functionDeclarations": "x"},
        {"googleSearch": {}},
        None,
        "x",
        [],
    ]
    deep: Any = {"type": "OBJECT"}
    for _ in range(80):
        deep = {"type": "OBJECT", "properties": {"x": deep}}
    odd.append({"functionDeclarations": [{"name": "deep", "parameters": deep}]})
    guard, _ = await RequestGuards(Guard(FILE_TOOLS), "only").of(body(tools=[*odd, good]))
    assert guard.tools.names == ("weather",)
    ours = Guard(FILE_TOOLS)
    for raw in (body(tools=odd), body(tools=[]), body(tools="x"), b'{"tools": [', b'{"tools": "\xff"}', b'["tools"]', b""):
        guard, promotable = await RequestGuards(ours, "only").of(raw)
        assert (guard.tools.names, promotable) == (FILE_TOOLS.names, NONE)
        offers = raw in (body(tools=odd), b'{"tools": [', b'{"tools": "\xff"}')  # or may
        assert (await RequestGuards(ours, "add").of(raw))[1] == (NONE if offers else None)
        assert (await RequestGuards(ours, "add", offered_only=True).of(raw))[1] == NONE
        assert (await RequestGuards(ours, "off").of(raw))[1] is None


@pytest.mark.parametrize("pattern", [r"(a*)*b\1", "(?>a*)*(?=b)", "(?:(?=.*x)a|a)*b", "(x{0,200}){0,200}y"])
async def test_a_pattern_that_has_no_bound_is_not_matched_and_its_tool_is_guarded(pattern: str) -> None:
    """It is not even compiled: that alone may never end. No call with such a value is executable; a cut one is known."""
    pattern_of = {**SCHEMA, "properties": {"city": {"type": "string"}, "code": {"type": "string", "pattern": pattern}}}
    tools = [{"type": "function", "function": {"name": "n", "parameters": pattern_of}}]
    why: list[str] = []
    guard, _ = await RequestGuards(Guard(FILE_TOOLS), "only", note=why.append).of(body(tools=tools))
    assert guard.tools.names == ("n",)
    assert why == ["request tools"]
    for arguments, runs in (('{"city": "Rio"}', True), ('{"city": "Rio", "code": "ab"}', False), ('{"city": 1}', False)):
        (block,) = blocks_of(await collect(guard_events(FakeStream(chat([("n", arguments)])), guard, "openai-chat")))
        assert block.executable is runs
    (cut,) = blocks_of(await collect(guard_events(FakeStream(chat([("n", '{"city": "R')])), guard, "openai-chat")))
    assert cut.end_cause == "disconnect"


def blocks_of(items: list[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


async def test_the_pattern_of_an_e_mail_address_that_zod_writes_is_matched() -> None:
    """It looks ahead at its beginning. Every request of a Vercel app whose tool takes an address has it."""
    pattern = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"
    to = {"type": "string", "format": "email", "pattern": pattern}
    schema = {"type": "object", "properties": {"to": to}, "required": ["to"], "additionalProperties": False}
    why: list[str] = []
    guards = RequestGuards(Guard(FILE_TOOLS), "only", note=why.append)
    guard, _ = await guards.of(body(tools=[{"type": "function", "function": {"name": "mail", "parameters": schema}}]))
    assert why == []
    for address, runs in (("ann@example.com", True), (".ann@example.com", False), ("a..n@example.com", False), ("ann", False)):
        given = [("mail", json.dumps({"to": address}))]
        (block,) = blocks_of(await collect(guard_events(FakeStream(chat(given)), guard, "openai-chat")))
        assert block.executable is runs


async def test_a_tool_of_the_request_takes_the_place_of_ours_of_the_same_name() -> None:
    """Its client runs what it has defined; only the risk is the operator's word. An alias of ours is the request's name."""
    theirs = [{"name": name, "input_schema": {"type": "object"}} for name in ("write_file", "create_file")]
    guard, _ = await RequestGuards(Guard(FILE_TOOLS), "add").of(body(tools=theirs))
    assert guard.tools["write_file"].schema == {"type": "object"}
    assert guard.tools["write_file"].risk is FILE_TOOLS["write_file"].risk
    assert guard.tools["create_file"].risk is Risk.DESTRUCTIVE
    meant = guard.tools.meant("create_file")
    assert meant is not None
    assert meant.name == "create_file"


async def test_toolsets_are_compiled_once_and_a_bounded_number_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    compiled = Tool.of

    def counted(source: object, **changes: Any) -> Tool:
        made.append(source)
        return compiled(source, **changes)

    monkeypatch.setattr(Tool, "of", counted)
    monkeypatch.setattr(request_tools, "_MOST_GUARDS", 3)
    guards = RequestGuards(Guard(FILE_TOOLS), "add")

    def of(number: int) -> bytes:
        return body(tools=[{"name": f"t{number}", "input_schema": {"type": "object"}}])

    for number in (0, 1, 2, 0, 3, 0):
        await guards.of(of(number))
    assert len(made) == 4
    await guards.of(of(1))  # it was not used for longest
    assert len(made) == 5
    monkeypatch.setattr(request_tools, "_MOST_TOOLS", 2)
    many = [{"name": f"n{number}", "input_schema": {"type": "object"}} for number in range(5)]
    guard, _ = await guards.of(body(tools=many))
    assert guard.tools.names == (*FILE_TOOLS.names, "n0", "n1")
    monkeypatch.setattr(request_tools, "_MOST_LONG", 10)
    guard, _ = await guards.of(of(9))
    assert guard.tools.names == FILE_TOOLS.names


LETTERS = {"pattern": r"\PL{30}"}
"""A pattern that takes a megabyte when it is compiled."""

COPIED = {"anyOf": [{"properties": {f"p{n}": {}}} for n in range(300)], "unevaluatedProperties": False}
"""A schema of which the validator copies the parts."""


@pytest.mark.parametrize(
    ("schema", "kept"),
    [({"description": "x" * 30_000}, 3), ({"properties": {"x": LETTERS}}, 12), (COPIED, 9)],
    ids=["characters", "patterns", "copies"],
)
async def test_large_toolsets_are_kept_in_smaller_numbers(
    schema: dict[str, Any], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the characters of their definitions, and by what takes more memory than it has characters."""
    monkeypatch.setattr(request_tools, "_MOST_KEPT", 100_000)
    guards = RequestGuards(Guard(FILE_TOOLS), "add")
    for number in range(20):
        tool = {"name": f"t{number}", "input_schema": {"type": "object", **schema}}
        guard, _ = await guards.of(body(tools=[tool]))
        assert f"t{number}" in guard.tools.names
    assert 0 < len(guards._made) <= kept
    assert sum(made.size for made in guards._made.values()) <= 100_000


async def test_the_patterns_of_all_tools_of_a_request_share_their_room() -> None:
    why: list[str] = []
    guards = RequestGuards(Guard(FILE_TOOLS), "add", note=why.append)
    tools = [{"name": f"t{number}", "input_schema": {"type": "object", "properties": {"x": LETTERS}}} for number in range(20)]
    guard, _ = await guards.of(body(tools=tools))
    assert why == ["request tools"]
    matched = [tool.name for tool in guard.tools if LETTERS["pattern"] in str(tool.schema)]
    assert 1 <= len(matched) <= 8
    assert "t19" in guard.tools.names


async def test_the_guard_of_a_request_is_the_guard_with_other_tools() -> None:
    """The same settings, hooks, corrector and budget."""
    heard: list[Any] = []

    async def correct(_: Any) -> str:
        return ""

    ours = Guard(FILE_TOOLS, fixes="lossless", order="flow", on_block=heard.append, corrector=correct)
    guard, _ = await RequestGuards(ours, "add").of(body(**FORMATS["chat"]))
    assert (guard.settings.fixes, guard.settings.order, guard.settings.on_block) == ("lossless", "flow", heard.append)
    assert guard.corrections is ours.corrections


CALL = '{"tool": "weather", "city": "Rio"}'
NATIVE: Given = ("weather", '{"city": "Rio",}')


def app(events: list[Any], **settings: Any) -> StreamGuardMiddleware:
    async def answer(request: Request) -> Response:
        await request.body()
        said = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return Response(said, media_type="text/event-stream")

    routes = [Route("/{path:path}", answer, methods=["POST", "PUT"])]
    return StreamGuardMiddleware(Starlette(routes=routes), **{"guard": Guard(FILE_TOOLS), **settings})


async def test_a_reply_is_guarded_with_the_tools_of_its_request() -> None:
    """Text and native calls; another request to the same app has none of them."""
    text, native = as_chat([f"```json\n{CALL}\n```\n"]), chat([NATIVE])
    for name in FORMATS:
        assert b'"executable":true' in await asked_of(app(text), body(**FORMATS[name]))
        assert b'"corrected":true' in await asked_of(app(native), body(**FORMATS[name]))
    for settings, request in (({"request_tools": "off"}, FORMATS["chat"]), ({}, {}), ({}, {"tools": []})):
        for events in (text, native):
            assert b"json-tool-block" not in await asked_of(app(events, **settings), body(**request))


async def test_a_value_of_such_a_call_is_not_guessed() -> None:
    """A day that is a word stays one, and the call is not run; what changes no meaning is mended."""
    for days, runs in (('"three"', False), ('"3"', False), ("3,", True)):
        events = as_chat([f'```json\n{{"tool": "weather", "city": "Rio", "days": {days}}}\n```\n'])
        sent = await asked_of(app(events), body(**FORMATS["chat"]))
        assert (b'"executable":true' in sent) is runs


async def test_where_calls_are_forbidden_none_is_promoted() -> None:
    events = as_chat([f"```json\n{CALL}\n```\n"])
    for choice, promoted in (("auto", True), ("none", False)):
        sent = await asked_of(app(events, promote=True, blocks="text"), body(**FORMATS["chat"], tool_choice=choice))
        assert (b'"tool_calls"' in sent) is promoted
        assert (json.dumps(CALL)[1:-1].encode() in sent) is not promoted


OURS = '{"tool": "delete_file", "path": "a"}'


@pytest.mark.promise("P7")
async def test_only_calls_of_tools_that_the_request_offers_are_promoted() -> None:
    """Of one that offers none the guard's own are, unless only what is offered counts. The others are blocks as ever."""

    class Gateway(StreamGuardMiddleware):
        promotes_offered_only = True

    events = as_chat([f"```json\n{CALL}\n```\n```json\n{OURS}\n```\n"])
    settings: Any = {"guard": Guard(FILE_TOOLS), "promote": True, "blocks": "text"}
    for name, request in {**FORMATS, "none": {}}.items():
        for kind in (StreamGuardMiddleware, Gateway):
            sent = (await asked_of(kind(app(events).app, **settings), body(**request))).decode()
            offers, own = name != "none", kind is StreamGuardMiddleware and name == "none"
            assert ('"name":"weather"' in sent) is offers
            assert ('"name":"delete_file"' in sent) is own
            assert (json.dumps(OURS)[1:-1] in sent) is not own


async def test_the_body_of_a_request_is_kept_only_where_it_may_have_tools() -> None:
    """Of a POST that begins like JSON, and no longer than an event may be. The app reads all of it in any case."""
    events = as_chat([f"```json\n{CALL}\n```\n"])
    request = body(**FORMATS["chat"])
    assert b"json-tool-block" not in await asked_of(app(events), b"a=" + request, kind=b"text/plain")
    assert b"json-tool-block" in await asked_of(app(events), request, kind=b"text/plain")
    assert b"json-tool-block" not in await asked_of(app(events), request, method="PUT")
    assert b"json-tool-block" in await asked_of(app(events), request, cut=7)


def with_pictures(size: int, **more: Any) -> bytes:
    """A request with pictures of this many characters together, before its tools and behind them."""
    parts = ("iVBORw0KGgo+/_-" * (size // 45), "data:image/png;base64," + "AAAA" * (size // 12), "QUJD/\n" * (size // 24))
    first, *pictures = [{"type": "image_url", "image_url": {"url": one}} for one in parts]
    return body(messages=[first], **more, more=pictures).replace(b"/", b"\\/")


@pytest.mark.parametrize("cut", [7, 999, 70_001, 10_000_000])
async def test_the_tools_of_a_request_with_long_pictures_are_read(cut: int) -> None:
    """However its bytes are cut. All else in it is kept as it came, also what only looks like a file."""
    raw = with_pictures(90_000, **FORMATS["chat"], words="A" * 4_000, prose="so it is " * 2_000, numbers=[1] * 5_000)
    kept = RequestBody(50_000)
    for at in range(0, len(raw), cut):
        kept.take(raw[at : at + cut])
    assert not kept.lost
    assert len(kept.raw) < 60_000
    left, came = json.loads(kept.raw), json.loads(raw)
    assert {key: left[key] for key in left if key not in ("messages", "more")} == {
        key: came[key] for key in came if key not in ("messages", "more")
    }
    guard, _ = await RequestGuards(Guard(FILE_TOOLS), "only").of(kept.raw)
    assert guard.tools.names == ("weather",)


def test_a_request_that_fits_is_kept_to_the_letter_and_no_more_of_one_that_does_not() -> None:
    raw = with_pictures(9_000, **FORMATS["chat"])
    kept = RequestBody(len(raw))
    kept.take(raw)
    assert kept.raw == raw
    for cut in (11, 5_000, 1_000_000):
        kept, raw = RequestBody(50_000), body(prose="so it is " * 20_000, **FORMATS["chat"])
        for at in range(0, len(raw), cut):
            kept.take(raw[at : at + cut])
        assert (kept.lost, kept.raw) == (True, b"")


async def test_tools_that_are_not_read_are_counted() -> None:
    """Too long a request or definition, one that is no JSON, a tool that is not understood; nothing is promoted then."""
    events = as_chat([f"```json\n{CALL}\n```\n"])
    chat_tools = FORMATS["chat"]["tools"]
    wrong = {"type": "function", "function": {"name": "a", "parameters": {"type": "nonsense"}}}
    provided = {"type": "web_search_20250305", "name": "web_search"}
    for request, counted in (
        (body(**FORMATS["chat"]), 0),
        (body(tools=[provided]), 0),
        (body(prose="so it is " * 600_000, **FORMATS["chat"]), 1),
        (body(numbers=[1] * 200_000, **FORMATS["chat"]), 1),
        (b'{"tools": [', 1),
        (body(tools=[wrong, *chat_tools]), 1),
        (body(tools=[{**chat_tools[0], "function": {"name": "a", "description": "x" * 300_000}}]), 1),
        (body(tools=[{"name": "a", "input_schema": {"const": "A" * 5_000_000}}]), 1),
        (body(tools=[{"name": f"n{nth}", "input_schema": {"type": "object"}} for nth in range(300)]), 1),
    ):
        middleware = app(events)
        for _ in range(2):
            await asked_of(middleware, request)
        assert middleware.uninspected["request tools"] == 2 * counted
    unread = body(prose="so it is " * 600_000, tool_choice="none")
    named = f"```json\n{json.dumps({'tool': 'delete_file', 'path': 'a'})}\n```\n"
    for request, promoted in ((body(), True), (unread, False)):
        assert (b'"tool_calls"' in await asked_of(app(as_chat([named]), promote=True), request)) is promoted


def test_a_toolset_is_not_asked_for_where_there_is_none() -> None:
    with pytest.raises(ValueError, match="request_tools must be 'add', 'only' or 'off'; not 'all'"):
        app([], request_tools="all")
    assert isinstance(Guard(FILE_TOOLS).with_tools(Toolset(*FILE_TOOLS)), Guard)


async def test_a_request_that_others_parsed_has_the_same_tools() -> None:
    """Those of its body, from the same few guards; what cannot be JSON is not read."""
    ours = Guard(FILE_TOOLS)
    guards = RequestGuards(ours, "add")
    for offered in FORMATS.values():
        guard, promotable = await guards.of(body(**offered))
        assert promotable == frozenset({"weather"})
        assert await guards.of_request({"model": "m", **offered, "litellm_logging_obj": object()}) == (guard, promotable)
    odd = {"tools": [{"name": "weather", "input_schema": {"default": object()}}], "tool_choice": "none"}
    assert await guards.of_request(odd) == (ours, NONE)
    assert await guards.of_request(None) == (ours, None)
    assert await RequestGuards(ours, "off").of_request(odd) == (ours, None)


def _packed(raw: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(raw) + packer.flush()


KINDS = (b"application/json", b"application/json; charset=utf-8", b"text/json", b"text/plain", b"application/octet-stream",
         b"application/x-www-form-urlencoded", b"*/*", b"multipart/form-data; boundary=x", b"", None)  # fmt: skip
CODINGS: dict[str, tuple[list[bytes], Callable[[bytes], bytes]]] = {
    "plain": ([], bytes),
    "identity": ([b"identity"], bytes),
    "gzip": ([b"gzip"], lambda raw: _packed(raw, 31)),
    "deflate": ([b"Deflate"], lambda raw: _packed(raw, 15)),
    "with a mark": ([], lambda raw: b"\xef\xbb\xbf" + raw),
    "behind blanks": ([], lambda raw: b" \r\n\t" * 30_000 + raw),
    "utf-16": ([], lambda raw: raw.decode().encode("utf-16")),
    "utf-16-be": ([], lambda raw: raw.decode().encode("utf-16-be")),
    "utf-32": ([], lambda raw: raw.decode().encode("utf-32")),
    "in escapes": ([], lambda raw: raw.replace(b'"tools"', b'"too\\u006cs"')),
}


async def _tools_of(headers: list[tuple[bytes, bytes]], raw: bytes, cut: int) -> tuple[tuple[str, ...], list[str]]:
    """The tools that the reply to a request is guarded with, and what is counted."""
    counted: list[str] = []
    sent = SentRequest(headers, 100_000)
    for at in range(0, len(raw), cut):
        sent.take(raw[at : at + cut])
    guard, _ = await RequestGuards(Guard(FILE_TOOLS), "only", None, counted.append).of(sent.raw, lost=sent.lost)
    return guard.tools.names, counted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("coding", CODINGS)
async def test_the_tools_of_a_request_are_read_whatever_its_headers_say_of_it(kind: bytes | None, coding: str) -> None:
    """As providers read them: curl calls every body a form. However the bytes are cut."""
    names, pack = CODINGS[coding]
    headers = [(b"Content-Encoding", name) for name in names] + ([(b"Content-Type", kind)] if kind is not None else [])
    raw = pack(body(**FORMATS["chat"]))
    for cut in (1 if len(raw) < 5_000 else 999, 7_000, 1_000_000):
        assert await _tools_of(headers, raw, cut) == (("weather",), [])


@pytest.mark.parametrize("kind", KINDS)
async def test_a_body_that_is_no_json_says_nothing_and_one_that_cannot_be_unpacked_is_counted(kind: bytes | None) -> None:
    """A form, text and a file are no requests for tools. A coding that is not known may hide some, and so may one that is
    wrong, is packed twice, or is too long when it is unpacked.
    """
    own = FILE_TOOLS.names
    headers = [(b"content-type", kind)] if kind is not None else []
    for raw in (b"", b"a=1&tools=%7B", b'"tools"', b"--x\r\n", b"\xff\xd8\xff\xe0" + bytes(90), b"   "):
        assert (await _tools_of(headers, raw, 3))[0] == own
        assert (await _tools_of(headers, raw, 3))[1] == [] or (kind is not None and b"json" in kind)
    raw = body(**FORMATS["chat"])
    for named, packed in (
        (b"br", raw),
        (b"gzip", raw),
        (b"gzip", _packed(raw, 31) + b"x"),
        (b"gzip, gzip", _packed(_packed(raw, 31), 31)),
        (b"gzip", _packed(b" " * 900_000 + raw, 31)),
    ):
        assert await _tools_of([*headers, (b"content-encoding", named)], packed, 100) == (own, ["request tools"])


@pytest.mark.parametrize(
    "unit", [b'","', b'\\"', b'"data:,', b'"A', b'"A\\/', b'" ' + b"A" * 100, b'"' + b"a b " * 1_100, b"A", b"\\"]
)
@pytest.mark.parametrize("sizes", [[1 << 18], [1 << 12], [1 << 17, 1]])
def test_what_is_left_out_of_a_long_request_takes_little_memory(unit: bytes, sizes: list[int]) -> None:
    """Whatever its strings are: as much as a few copies of what may be kept, and not an object for each string."""
    most = 1 << 18
    whole = b'{"m":"' + unit * (2 * most // len(unit))
    body = RequestBody(most)
    tracemalloc.start()
    at = 0
    while at < len(whole):
        for size in sizes:
            body.take(whole[at : at + size])
            at += size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * most
    assert body.lost or len(body.raw) < most + (1 << 17)


@pytest.mark.parametrize("size", [7, 300, 5_000, 65_536, 70_000, 1 << 20])
def test_only_files_are_left_out_of_a_long_request_however_it_comes(size: int) -> None:
    files = ["A" * 4_097, "data:image/png;base64," + "A/b" * 40_000, "A" * 90_000]
    said = ["x", "A" * 4_096, *files[:2], "a b " * 30, "w " * 8_000, files[2], "", "B" * 70_000, "C" * 70_000, "e"]
    whole = json.dumps(said).replace("/", "\\/").encode()
    body = RequestBody(1 << 17)
    for at in range(0, len(whole), size):
        body.take(whole[at : at + size])
    left = json.loads(body.raw)
    assert len(body.raw) < 1 << 17
    assert len(left) == len(said)
    for one, made in zip(said, left, strict=True):
        begun, cut, rest = made.partition("\0left out\0")
        assert made == one or (cut and len(one) > 4_096 and one.startswith(begun) and one.endswith(rest))
