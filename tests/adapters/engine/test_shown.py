"""Blocks in the text: whoever knows no events of ours reads what the model wrote, with its mended blocks mended."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.engine.shown import as_text
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import CHAT, MESSAGES, PROTOCOLS, RESPONSES, Protocol
from stream_guard_conformance.corpus import corpus
from stream_guard_conformance.corpus.streams import STREAMS, chat, finish
from stream_guard_conformance.damaged import TOOLS as SPOILT
from stream_guard_conformance.damaged import damaged

from stream_guard import End, Guard, Limits, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.spi import Settings as GuardSettings
from stream_guard.testing import FakeCorrector, FakeStream, collect, merge_text
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.dialects import ANY_TOOL
from tests.kit.lane_events import BLOCK, GOOD, responses
from tests.kit.proof import Cases

STEP = int(os.environ.get("STEP", "7"))
"""How many characters apart texts are cut in two; one under `make more` and `make prove`."""

REPLIES: Final = int(os.environ.get("REPLIES", "200")) // len(ANY_TOOL)
"""How many damaged replies of each dialect are put back into their text; more under `make more`."""

EVERY: Final = 10
"""How many rows of the corpus there are for each that is tried."""

GUARD = Guard(FILE_TOOLS)
SETTINGS = GuardSettings(FILE_TOOLS, Limits())
MENDABLE = '```json\n{"tool": "write_file", "path": "a", "content": "x",}\n```'
MENDED = '```json\n{"tool": "write_file", "path": "a", "content": "x"}\n```'
REFUSED = '```json\n{"tool": "write_file", "path": "a", "content": ["x"]}\n```'
CUT = '```json\n{"tool": "delete_file", "pa'
TEXTS = (
    f"a\n{BLOCK}b",
    f"{BLOCK}{BLOCK}",
    f"{MENDABLE} and\n{REFUSED}\n\n{MENDABLE}",
    f"c `d`\n{CUT}",
    '```py\nx\n```\n```json\n{"a": 1}\n```\n~~~\n',
    f'```json\n[{GOOD}, {{"tool": "delete_file", "path": "b"}}]\n```',
)
TOLD = (ToolStatus, ToolBlock)


def through(events: Iterable[Any], table: Protocol, guard: Guard = GUARD, **settings: Any) -> list[Any]:
    lanes = Lanes(guard, table, Settings(stream_id="s", **settings))
    items = [item for event in events for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
    return items + list(lanes.end())


def texts(items: Iterable[Any], table: Protocol) -> list[str]:
    """The text of every lane, in the order in which they begin."""
    found: dict[Any, str] = defaultdict(str)
    for item in items:
        if not isinstance(item, TOLD):
            for lane, text in table.texts(item):
                found[lane] += text
    return list(found.values())


def expected(text: str) -> str:
    """The text with each block as the guard alone leaves it."""
    items = GUARD.scan([text])
    return "".join(
        item if isinstance(item, str) else as_text(item, SETTINGS) for item in items if not isinstance(item, ToolStatus)
    )


def blocks_of(text: str) -> list[str]:
    return [as_text(item, SETTINGS) for item in GUARD.scan([text]) if isinstance(item, ToolBlock) and item.part == 1]


def cuts(text: str) -> list[list[str]]:
    """Whole, by character, and in two."""
    return [[text], list(text), *([text[:at], text[at:]] for at in range(1, len(text), STEP))]


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.more
@pytest.mark.promise("P1", "P2")
def test_a_text_with_its_blocks_is_the_text_that_came_but_for_those_that_were_mended(cases: Cases, name: str) -> None:
    """Whole, by character and cut in two anywhere. Nothing else leaves; a block leaves whole, in one event."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    for text in TEXTS:
        wanted = expected(text)
        assert MENDABLE in text or wanted == text
        cases(len(cuts(text)))
        for pieces in cuts(text):
            items = through(spoken.stream(pieces), table, blocks="text")
            assert texts(items, table) == [wanted]
            assert not any(isinstance(item, TOLD) for item in items)
            pieces_of = [said for item in items for _, said in table.texts(item)]
            assert all(pieces_of.count(block) >= 1 for block in blocks_of(text))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_both_is_the_events_and_the_text(name: str) -> None:
    """The same events as without the text, each block before its text."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    for text in TEXTS:
        events = spoken.stream(list(text))
        both = through(events, table, blocks="both")
        assert texts(both, table) == [expected(text)]
        alone = through(events, table)
        assert [item for item in both if isinstance(item, TOLD)] == [item for item in alone if isinstance(item, TOLD)]
        for at, item in enumerate(both):
            if isinstance(item, ToolBlock) and as_text(item, SETTINGS):
                assert table.texts(both[at + 1])[0][1] == as_text(item, SETTINGS)


@pytest.mark.parametrize("text", TEXTS)
def test_what_repeats_a_text_repeats_it_with_its_blocks(text: str) -> None:
    """Four times in a response; and where nothing was mended, as the objects that came."""
    events = responses(text)
    items = through(events, RESPONSES, blocks="text")
    (said,) = texts(items, RESPONSES)
    assert said == expected(text)
    last = items[-4:]
    assert [last[0]["text"], last[1]["part"]["text"], last[2]["item"]["content"][0]["text"]] == [said] * 3
    assert last[3]["response"]["output"][0]["content"][0]["text"] == said
    if said == text:
        assert all(one is other for one, other in zip(last, events[-4:], strict=True))


def test_a_run_that_repeats_a_text_repeats_it_with_its_blocks() -> None:
    table = PROTOCOLS["langchain"]
    for text in TEXTS:
        for pieces in cuts(text):
            model = STREAMS["langchain"].stream(pieces)
            chain = [
                {"event": "on_chain_stream", "run_id": "c", "data": {"chunk": each["data"]["chunk"]}} for each in model[:-1]
            ]
            mixed = [event for pair in zip(model, chain, strict=False) for event in pair] + model[-1:]
            said = texts(through(mixed, table, blocks="text"), table)
            assert said == [expected(text)] * len(said)


def test_a_text_that_stands_in_the_event_that_begins_it_leaves_behind_that_event() -> None:
    """The first event of a content block is its first, whatever its text begins with."""
    for text in (f"{BLOCK}b", f"{MENDABLE}\nb", f"a\n{BLOCK}"):
        begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}}
        stop = {"type": "content_block_stop", "index": 0}
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
        items = through([begun, stop, end], MESSAGES, blocks="text")
        kinds = [item["type"] for item in items]
        assert (kinds[0], kinds.count("content_block_start")) == ("content_block_start", 1)
        assert texts(items, MESSAGES) == [expected(text)]


def test_what_stands_beside_a_text_that_is_only_a_block_leaves_once() -> None:
    event = chat(0, f"{BLOCK}", role="assistant")
    event["choices"][0]["finish_reason"] = "stop"
    items = through([event], PROTOCOLS["openai-chat"], blocks="text")
    choices = [item["choices"][0] for item in items]
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(items) - 1) + ["stop"]
    assert [choice["delta"].get("role") for choice in choices] == ["assistant"] + [None] * (len(items) - 1)


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "anthropic"])
async def test_a_corrected_block_stands_at_its_place(name: str, order: Any) -> None:
    """Nothing overtakes it, in any order; and no event of it leaves."""
    table = PROTOCOLS[name]
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(MENDED), order=order)
    events = STREAMS[name].stream([f"a\n{REFUSED}\nb", "c\n", "d"])
    for blocks, told in (("text", False), ("both", True)):
        items = await collect(guard_events(FakeStream(events), guard, name, blocks=blocks))  # type: ignore[call-overload]
        assert texts(items, table) == [f"a\n{MENDED}\nbc\nd"]
        assert any(isinstance(item, TOLD) for item in items) is told


@pytest.mark.parametrize("blocks", ["text", "both"])
def test_a_promoted_block_is_not_in_the_text(blocks: Any) -> None:
    """It is a native call there. One that may not run is in the text, as written."""
    for name in ("openai-chat", "openai-responses", "anthropic"):
        table = PROTOCOLS[name]
        events = STREAMS[name].stream([f"a\n{MENDABLE}\nb\n{REFUSED}\n{CUT}"])
        items = through(events, table, blocks=blocks, promote=True)
        assert texts(items, table) == [f"a\n\nb\n{REFUSED}\n{CUT}"]
        assert '"write_file"' in json.dumps([item for item in items if isinstance(item, dict)])


@pytest.mark.parametrize("emit", ["auto", "none"])
def test_a_body_without_events_has_the_bytes_that_came_but_for_what_was_held(emit: Any) -> None:
    """And the client's events before and behind the block are the very bytes."""
    events = [chat(0, "a\n"), *(chat(0, char) for char in BLOCK), chat(0, "b"), finish(0)]
    frames = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    body = Body(GUARD, "events", None, Settings(blocks="text", emit=emit))
    sent = [piece for frame in frames for piece in body.push(frame)] + list(body.end())
    assert sent[0] == frames[0]
    assert sent[-2:] == frames[-2:]
    assert b"stream_guard" not in b"".join(sent)
    (block,) = [piece for piece in sent if b"write_file" in piece]
    assert json.loads(block[6:])["choices"][0]["delta"]["content"] == BLOCK[:-1]


def sent_by(body: Body, frames: Sequence[bytes]) -> bytes:
    items: list[Any] = [item for frame in frames for item in body.push(frame)]
    return b"".join(item if isinstance(item, bytes) else body.event_bytes(item) for item in items)


def test_events_of_the_guard_about_a_call_have_the_frame_of_its_reply() -> None:
    """Also where the first chunk of a stream has the call: clients take the id and the model of a reply from the first."""
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "write_file", "arguments": json.dumps(WRITES)}}
    frame = {"id": "c", "object": "chat.completion.chunk", "created": 5, "model": "m"}
    events = [
        {**frame, "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}]},
        {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    native: Any
    for native in ("mend", "withhold", "observe"):
        body = Body(GUARD, "events", None, Settings(native=native))
        frames = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
        sent = sent_by(body, frames).decode()
        read = [json.loads(line[6:]) for line in sent.splitlines() if line]
        assert sum("stream_guard" in event for event in read) >= 2
        assert all({key: event.get(key) for key in frame} == frame for event in read)


@pytest.mark.parametrize("name", ["gemini", "openai-chat", "anthropic", "openai-responses", "ai-sdk", "ag-ui"])
def test_an_event_has_no_name_where_clients_take_each_line_for_json(name: str) -> None:
    body = Body(GUARD, "events", PROTOCOLS[name], Settings(emit="named"))
    frames = [f"data: {json.dumps(event)}\n\n".encode() for event in STREAMS[name].stream([f"a\n{BLOCK}"])]
    sent = sent_by(body, frames)
    assert b"json-tool-block" in sent
    assert (b"event: json-tool-block" in sent) is (name != "gemini")


def test_scanning_alone_and_text_say_the_same() -> None:
    """Merged, the items of a text without its events are the text that `Guard.scan` leaves."""
    for text in TEXTS:
        items = [
            item if isinstance(item, str) else as_text(item, SETTINGS)
            for item in GUARD.scan([text])
            if not isinstance(item, ToolStatus)
        ]
        assert merge_text(items) == merge_text(through(list(text), PROTOCOLS["text"], blocks="text"))


WRITES = {"path": "a.py", "content": "x"}
FORMS: dict[str, Any] = {
    "ours": {"tool": "write_file", **WRITES},
    "name and arguments": {"name": "write_file", "arguments": WRITES},
    "action and action_input": {"action": "write_file", "action_input": WRITES},
    "tool_name and parameters": {"tool_name": "write_file", "parameters": WRITES},
    "tool and args": {"tool": "write_file", "args": WRITES},
    "tool_calls": {"tool_calls": [{"name": "write_file", "arguments": WRITES}]},
    "function": {"type": "function", "function": {"name": "write_file", "arguments": json.dumps(WRITES)}},
    "thought": {"thought": "hm", "tool": "write_file", "args": WRITES},
    "thought beside ours": {"thought": "hm", "tool": "write_file", **WRITES},
    "list": [{"tool": "write_file", **WRITES}],
    "list of two": [{"tool": "write_file", **WRITES}, {"tool": "delete_file", "path": "b"}],
    "other names": {"tool": "write_file", "filename": "a.py", "text": "x"},
    "alias": {"tool": "create_file", **WRITES},
    "another type": {"tool": "write_file", "path": "a.py", "content": 1},
    "null": {"tool": "edit_file", "path": "a.py", "content": "x", "search_replace": None},
}
"""Calls as agents have their models write them."""

FAULTS: dict[str, Callable[[str], str]] = {
    "none": lambda body: body,
    "comma": lambda body: f"{body[:-1]},{body[-1]}",
    "comma inside": lambda body: body.replace("}", ",}", 1),
    "single quotes": lambda body: body.replace('"', "'"),
    "raw line break": lambda body: body.replace('"x"', '"x\ny"'),
    "comment": lambda body: f"{body[:1]} // the file\n{body[1:]}",
    "bare key": lambda body: body.replace('"path"', "path"),
    "prose": lambda body: f"Here it is: {body}",
    "missing bracket": lambda body: body[:-1],
    "doubled": lambda body: f"{body}\n{body}",
}
"""What models do to JSON."""


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.promise("P2")
def test_a_block_in_a_text_keeps_the_form_that_its_agent_reads(form: str, fault: str) -> None:
    """JSON passes as it was written. What was broken passes as JSON of the same form, or as it was written."""
    for indent in (None, 2):
        body = FAULTS[fault](json.dumps(FORMS[form], indent=indent))
        for written in (f"```json\n{body}\n```", f"```json {body}\n```", f"~~~json\n{body}\n~~~"):
            shown = expected(written)
            if shown != written:
                with pytest.raises(ValueError):
                    json.loads(body)
                value = json.loads(shown.removeprefix("```json\n").removesuffix("\n```"))
                same = (
                    FORMS[form] if fault != "raw line break" else json.loads(json.dumps(FORMS[form]).replace('"x"', '"x\\ny"'))
                )
                assert json.dumps(value, sort_keys=True).replace('"1"', "1") == json.dumps(same, sort_keys=True)
            if (
                form == "ours"
                and fault in ("comma", "single quotes", "comment", "bare key")
                and written.startswith("```json\n")
            ):
                assert shown != written


@pytest.mark.parametrize(
    ("written", "answer", "taken"),
    [
        (REFUSED, MENDED, True),
        ('```json\n{"tool": "write_file", "args": {"path": "a", "content": ["x"]}}\n```', MENDED, False),
        ('```json\n{"action": "write_file", "action_input": {"path": "a", "content": ["x"]}}\n```', MENDED, False),
        ('```json\n[{"tool": "write_file", "path": "a", "content": ["x"]}]\n```', MENDED, False),
    ],
)
async def test_a_correction_has_the_place_of_a_block_of_its_form(written: str, answer: str, taken: bool) -> None:
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(answer))
    block = next(item for item in await collect(guard.stream(FakeStream([written]))) if isinstance(item, ToolBlock))
    assert block.corrected_by == "llm"
    assert as_text(block, SETTINGS) == (MENDED if taken else written)


# -- calls in dialects

HERMES = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "x"%s}}\n</tool_call>'
TAGS = (
    "<tool_call>\n<function=write_file>\n<parameter=%s>\na\n</parameter>\n<parameter=content>\nx\n</parameter>\n</function>\n"
    "</tool_call>"
)


def said(text: str, rewrite: Any) -> str:
    """What a reader of a stream's text gets, in deltas of three characters."""
    guard = Guard(FILE_TOOLS, dialects="all", rewrite=rewrite)
    deltas = [text[at : at + 3] for at in range(0, len(text), 3)]
    found = texts(through([*(chat(0, delta) for delta in deltas), finish(0)], CHAT, guard, blocks="text"), CHAT)
    return "".join(found)


SPELLED = {
    "GCML": (
        '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="typed">\n<｜GCML｜parameter name="b" string="false">True'
        "</｜GCML｜parameter>\n"
        "</｜GCML｜invoke>\n</｜GCML｜tool_calls>"
    ),
    "a blank": (
        '<｜DSML｜ tool_calls>\n<｜DSML｜ invoke name="typed">\n<｜DSML｜ parameter name="b" string="false">True'
        "</｜DSML｜ parameter>\n"
        "</｜DSML｜ invoke>\n</｜DSML｜ tool_calls>"
    ),
    "a suffix": (
        "<tool_calls:x>\n<tool_call:x>typed<tool_sep:x>\n<arg_key:x>b</arg_key:x>\n<arg_value:x>True</arg_value:x>\n"
        "</tool_call:x>\n</tool_calls:x>"
    ),
    "tags for JSON": (
        "<longcat_tool_call>typed\n<longcat_arg_key>b</longcat_arg_key>\n<longcat_arg_value>True</longcat_arg_value>\n"
        "</longcat_tool_call>"
    ),
    "an array": '[TOOL_CALLS][{"name": "typed", "arguments": {"b": true,}}]',
}
"""Calls that are mended, in forms of models whose dialect is written otherwise."""


@pytest.mark.parametrize("form", SPELLED)
def test_a_mended_call_is_not_put_back_in_the_form_of_another_model(form: str) -> None:
    schema = {"type": "object", "properties": {"b": {"type": "boolean"}}, "additionalProperties": False}
    guard = Guard(Toolset(Tool("typed", "", schema)), dialects="all")
    pieces = [chat(0, SPELLED[form]), finish(0)]
    assert "".join(texts(through(pieces, CHAT, guard, blocks="text"), CHAT)) == SPELLED[form]
    items = guard.scan([SPELLED[form], End("stop")])
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True]


@pytest.mark.parametrize("name", [name for name, dialect in DIALECTS.items() if not dialect.tools])
def test_every_dialect_is_spelled_as_it_writes(name: str) -> None:
    dialect, call = DIALECTS[name], ("write_file", {"path": "a", "content": "x"})
    assert dialect.written_as(call, f" {dialect.write([call])}\n") == dialect.write([call])


@pytest.mark.parametrize("rewrite", ["own", "fence"])
def test_a_call_in_a_dialect_stands_in_the_text_as_it_was_written_or_as_a_fence(rewrite: str) -> None:
    """A mended call is written as its dialect writes it. One whose end is uncertain stays as it was."""
    mended = HERMES % ""
    for written, own in ((mended, mended), (HERMES % ",", mended), (TAGS % "path", TAGS % "path")):
        shown = said(f"a {written}\nb", rewrite)
        if rewrite == "own":
            assert shown == f"a {own}\nb"
        else:
            before, after = shown.removeprefix("a \n").removesuffix("\n\nb").split("\n", 1)
            assert before == "```json"
            assert json.loads(after.removesuffix("```")) == {"tool": "write_file", "path": "a", "content": "x"}
    for uncertain in ((TAGS % "path") + "\nx</function>", (HERMES % "")[:-4]):
        assert said(uncertain, rewrite) == uncertain


STRICT: Final = Toolset(
    Tool(
        "set_value",
        "",
        {
            "type": "object",
            "properties": {"key": {"type": "string"}, "value": {"type": ["string", "number", "null"]}},
            "required": ["key"],
        },
    ),
    Tool("delete_page", "", {"type": "object", "properties": {"slug": {"type": "string"}}, "required": ["slug"]}),
    *(Tool.of(tool) for tool in SPOILT),
)


def put_back(text: str, mode: Any, end: Any = "stop", tools: Toolset = STRICT) -> tuple[str, Counter[str]]:
    """The text with its blocks put back, and the calls of it that may run."""
    guard = Guard(tools, dialects="all", rewrite=mode)
    settings = GuardSettings(tools, Limits(), rewrite=mode)
    items = list(guard.scan([text, End(end)]))
    shown = "".join(
        item if isinstance(item, str) else as_text(item, settings) for item in items if not isinstance(item, ToolStatus)
    )
    return shown, runs(items)


def runs(items: Iterable[Any]) -> Counter[str]:
    calls = [item.call for item in items if isinstance(item, ToolBlock) and item.executable]
    return Counter(json.dumps([call.tool, call.arguments], sort_keys=True) for call in calls if call is not None)


@pytest.mark.parametrize("mode", ["own", "fence"])
@pytest.mark.promise("P7", "P8")
def test_what_may_not_run_stands_in_the_text_as_it_was_written(mode: str) -> None:
    """Its content is one reading of several, and would be valid in a fence."""
    refused = (
        '<function_calls>\n<invoke name="set_value">\n<parameter name="key">a</parameter>\n<parameter name="value">null'
        "</parameter>\n</invoke>\n</function_calls>\n",
        "<tool_call>\n<function=delete_page>\n  <parameter=slug>\n  home\n  </parameter>\n</function>\n</tool_call>\n",
    )
    for text in refused:
        assert put_back(text, mode) == (text, Counter())


@pytest.mark.more
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("mode", ["own", "fence"])
@pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in ANY_TOOL.items()])
def test_a_text_with_its_blocks_put_back_holds_no_call_but_those_that_ran(cases: Cases, dialect: Dialect, mode: str) -> None:
    """Read again by a guard that mends nothing. The calls are damaged, one or several in a block.

    A fence ends its line, so what stood behind the call begins one, which may be a call in a dialect that was not looked for:
    so in that mode it is read again for this dialect alone. A guard that knows fewer dialects sees less that is damaged: what
    it runs of the text as it came, nobody put there.
    """
    rng = Random(f"put back {dialect.name}")
    again = Guard(STRICT, dialects="all" if mode == "own" else ("fence", dialect.name), fixes="off")
    for _ in range(REPLIES):
        reply = damaged(dialect, rng)
        shown, ran = put_back(reply.text(), mode, reply.end)
        if mode == "fence":
            ran |= runs(again.scan([reply.text(), End(reply.end)]))  # type: ignore[arg-type]
        assert not runs(again.scan([shown, End(reply.end)])) - ran, (reply.faults, reply.text(), shown)  # type: ignore[arg-type]
    cases(REPLIES)


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("mode", ["own", "fence"])
def test_nor_does_that_of_a_row_of_the_corpus(cases: Cases, mode: str) -> None:
    rows = [row for row in corpus() if row.form == "text" and row.protocol == "text"][::EVERY]
    for row in some(rows, 12):
        text, tools = "".join(row.input), Toolset(*map(Tool.of, row.tools))
        shown, ran = put_back(text, mode, tools=tools)
        again = Guard(tools, dialects="all", fixes="off").scan([shown, End("stop")])
        assert not runs(again) - ran, (row.id, text, shown)
    cases(len(rows))


def test_a_dialect_that_is_not_asked_for_passes() -> None:
    found = texts(through([chat(0, HERMES % ","), finish(0)], CHAT, blocks="text"), CHAT)
    assert "".join(found) == HERMES % ","
