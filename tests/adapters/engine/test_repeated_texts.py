"""Events that repeat a whole text: whoever reads those reads what the deltas had, whatever a call is written in."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.guarded_events import GuardedIterator
from stream_guard_adapters.engine.repeated_texts import RepeatedTexts
from stream_guard_adapters.engine.settings import OneOf, Settings
from stream_guard_adapters.engine.shown import Shown
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import as_responses
from stream_guard_conformance.damaged import TOOLS as SPOILT
from stream_guard_conformance.damaged import damaged

from stream_guard import End, Guard, Limits, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.dialects.tables import DIALECTS
from stream_guard.spi import SHORT, Closed
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.dialects import ALL, FIND, SMALL, TOOLS, rows

Event = Any
LANE: Final = (0,)
Said = dict[Any, str]
"""The joined deltas of each text."""

Repeated = list[tuple[Any, str]]
"""Which text an event repeats, and how that reads there."""


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


# -- the protocols with such events: how each tells a text, and how a reader of it reads what leaves


def as_anthropic(deltas: Sequence[str], end: str) -> Iterator[Event]:
    said = {"type": "text", "text": "".join(deltas)}
    message = {"id": "m", "type": "message", "role": "assistant"}
    yield {"type": "message_start", "message": {**message, "content": []}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": delta}}
    yield {"type": "content_block_stop", "index": 0, "content_block": said}
    reason = {"stop": "end_turn", "length": "max_tokens"}[end]
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop", "message": {**message, "content": [said]}}


def of_anthropic(events: Iterable[Event]) -> tuple[Said, Repeated]:
    said: Said = {}
    repeated: Repeated = []
    for event in events:
        match event:
            case {"type": "content_block_delta", "index": at, "delta": {"text": text}}:
                said[at] = said.get(at, "") + text
            case {"type": "content_block_stop", "index": at, "content_block": {"text": text}}:
                repeated.append((at, text))
            case {"type": "message_stop", "message": {"content": content}}:
                repeated += [(at, block["text"]) for at, block in enumerate(content) if block["type"] == "text"]
    return said, repeated


def as_openai(deltas: Sequence[str], end: str) -> Iterator[Event]:
    yield from as_responses(deltas, (), {"stop": "completed", "length": "max_output_tokens"}[end])


def of_openai(events: Iterable[Event]) -> tuple[Said, Repeated]:
    def spoken(item: Any) -> str:
        return "".join(part["text"] for part in item["content"])

    said: Said = {}
    repeated: Repeated = []
    for event in events:
        at = event.get("output_index")
        match event:
            case {"type": "response.output_text.delta", "delta": text}:
                said[at] = said.get(at, "") + text
            case {"type": "response.output_text.done", "text": text}:
                repeated.append((at, text))
            case {"type": "response.content_part.done", "part": {"text": text}}:
                repeated.append((at, text))
            case {"type": "response.output_item.done", "item": {"type": "message"} as item}:
                repeated.append((at, spoken(item)))
            case {"type": "response.completed" | "response.incomplete", "response": {"output": output}}:
                repeated += [(nth, spoken(item)) for nth, item in enumerate(output) if item["type"] == "message"]
    return said, repeated


def as_ag_ui(deltas: Sequence[str], end: str) -> Iterator[Event]:  # it has no finish reasons
    yield {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    yield {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    for delta in deltas:
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}
    yield {"type": "TEXT_MESSAGE_END", "messageId": "m"}
    whole = {"id": "m", "role": "assistant", "content": "".join(deltas)}
    yield {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": "x"}, whole]}
    yield {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def of_ag_ui(events: Iterable[Event]) -> tuple[Said, Repeated]:
    events = list(events)
    said = "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")
    snapshots = [event["messages"] for event in events if event["type"] == "MESSAGES_SNAPSHOT"]
    return {0: said}, [(0, messages[1]["content"]) for messages in snapshots]


def as_langchain(deltas: Sequence[str], end: str) -> Iterator[Event]:
    from langchain_core.messages import AIMessage, AIMessageChunk

    for delta in deltas:
        chunk = AIMessageChunk(content=delta, id="m")
        yield {"event": "on_chat_model_stream", "run_id": "model", "data": {"chunk": chunk}}
        yield {"event": "on_chain_stream", "run_id": "chain", "data": {"chunk": chunk}}
        yield {"event": "on_parser_stream", "run_id": "parser", "data": {"chunk": delta}}
    text, reason = "".join(deltas), {"finish_reason": end}
    whole = AIMessage(content=text, response_metadata=reason)
    parts = [AIMessage(content=[text]), AIMessage(content=[{"type": "text", "text": text}])]
    yield {"event": "on_chat_model_end", "run_id": "model", "data": {"output": whole}}
    yield {"event": "on_parser_end", "run_id": "parser", "data": {"input": parts[0], "output": text}}
    yield {"event": "on_chain_end", "run_id": "chain", "data": {"input": parts[1], "output": {"messages": [whole]}}}


def of_langchain(events: Iterable[Event]) -> tuple[Said, Repeated]:
    def spoken(node: Any) -> str:
        node = node["messages"][0] if isinstance(node, dict) else node
        content = getattr(node, "content", node)
        parts = content if isinstance(content, list) else [content]
        return "".join(part if isinstance(part, str) else part["text"] for part in parts)

    said: Said = {"model": "", "chain": "", "parser": ""}
    repeated: Repeated = []
    for event in events:
        if event["event"].endswith("_stream"):
            said[event["run_id"]] += spoken(event["data"]["chunk"])
        else:
            repeated += [("model", spoken(node)) for node in event["data"].values()]
    return said, [*repeated, ("model", said["chain"]), ("model", said["parser"])]


def as_langchain_v3(deltas: Sequence[str], end: str) -> Iterator[Event]:
    yield {"event": "content-block-start", "index": 0, "content": {"type": "text", "text": deltas[0]}}
    for delta in deltas[1:]:
        yield {"event": "content-block-delta", "index": 0, "delta": {"type": "text-delta", "text": delta}}
    yield {"event": "content-block-finish", "index": 0, "content": {"type": "text", "text": "".join(deltas)}}
    yield {"event": "message-finish", "reason": end}


def of_langchain_v3(events: Iterable[Event]) -> tuple[Said, Repeated]:
    said: Said = {0: ""}
    repeated: Repeated = []
    for event in events:
        match event:
            case {"event": "content-block-start", "content": {"text": text}}:
                said[0] += text
            case {"event": "content-block-delta", "delta": {"text": text}}:
                said[0] += text
            case {"event": "content-block-finish", "content": {"text": text}}:
                repeated.append((0, text))
    return said, repeated


def as_pydantic_ai(deltas: Sequence[str], end: str) -> Iterator[Event]:
    from pydantic_ai._agent_graph import GraphAgentState
    from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartEndEvent, PartStartEvent, TextPart, TextPartDelta
    from pydantic_ai.run import AgentRunResult, AgentRunResultEvent

    yield PartStartEvent(index=0, part=TextPart(deltas[0]))
    for delta in deltas[1:]:
        yield PartDeltaEvent(index=0, delta=TextPartDelta(delta))
    text = "".join(deltas)
    yield PartEndEvent(index=0, part=TextPart(text))
    reason: Any = end
    state = GraphAgentState(message_history=[ModelResponse(parts=[TextPart(text)], finish_reason=reason)])
    yield AgentRunResultEvent(AgentRunResult(text, _state=state))


def of_pydantic_ai(events: Iterable[Event]) -> tuple[Said, Repeated]:
    said: Said = {0: ""}
    repeated: Repeated = []
    for event in events:
        match event.event_kind:
            case "part_start":
                said[0] += event.part.content
            case "part_delta":
                said[0] += event.delta.content_delta
            case "part_end":
                repeated.append((0, event.part.content))
            case "agent_run_result":
                repeated.append((0, event.result.output))
    return said, repeated


@dataclass(frozen=True)
class Teller:
    """A protocol whose events repeat texts."""

    told: Callable[[Sequence[str], str], Iterator[Event]]
    """Tells a text of these deltas, which ends so."""

    read: Callable[[Iterable[Event]], tuple[Said, Repeated]]
    """Reads what leaves."""


TELLERS: Final = {
    "anthropic": Teller(as_anthropic, of_anthropic),
    "openai-responses": Teller(as_openai, of_openai),
    "ag-ui": Teller(as_ag_ui, of_ag_ui),
    "langchain": Teller(as_langchain, of_langchain),
    "langchain-v3": Teller(as_langchain_v3, of_langchain_v3),
    "pydantic-ai": Teller(as_pydantic_ai, of_pydantic_ai),
}

SETTINGS: Final[Sequence[tuple[Any, Mapping[str, Any]]]] = (
    ("own", {"blocks": "events"}),
    ("own", {"blocks": "text"}),
    ("fence", {"blocks": "both"}),
    ("own", {"promote": True}),
    ("fence", {"promote": True, "blocks": "text"}),
)
"""What `rewrite` is, and the settings of the stream."""


def test_each_protocol_whose_events_repeat_texts_is_tried() -> None:
    repeating = {name for name, table in PROTOCOLS.items() if "echo" in vars(type(table))}
    assert repeating == TELLERS.keys()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Frameworks warn of themselves while they are imported; that is theirs to see to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def texts_of(name: str) -> Iterator[tuple[str, str]]:
    """Texts with calls in a dialect, and how each ends: prose about them, several, damaged, refused and cut off."""
    dialect = DIALECTS[name]
    if dialect.tools:
        call = dialect.write([dialect.sample])
        yield f"I will.\n\n{call}\n\nDone.\n", "stop"
        yield f"{call}\nand\n\n{call}\n", "stop"
        yield call[: len(call) * 2 // 3], "length"
        return
    for row in rows(dialect):
        if row.name in (
            "a call",
            "prose before and behind",
            "another call behind prose",
            "two calls",
            "a fence before and behind",
        ):
            yield row.text, "stop"
    call = dialect.write([SMALL])
    yield f"a {call}\n{call}", "stop"
    yield dialect.write([FIND])[:-3], "length"
    yield f"{dialect.write([ALL])}\n{call[: len(call) // 2]}", "stop"
    chance = Random(f"repeated {name}")
    for _ in range(3):
        reply = damaged(dialect, chance)
        yield reply.text(), "length" if reply.end == "length" else "stop"


EVERYTHING: Final = Toolset(*{one.name: one for one in [*map(Tool.of, SPOILT), *FILE_TOOLS, *TOOLS]}.values())


@pytest.mark.some(60)
@pytest.mark.promise("P2")
@pytest.mark.parametrize("protocol", TELLERS)
@pytest.mark.parametrize("name", ["fence", *DIALECTS])
def test_what_an_event_repeats_reads_as_the_deltas_did(name: str, protocol: str) -> None:
    """In every dialect, wherever the blocks go."""
    teller, promotes = TELLERS[protocol], PROTOCOLS[protocol].promotes
    texts = list(texts_of(name if name != "fence" else "hermes"))
    if name == "fence":
        fence = '```json\n{"tool": "list_all"%s}\n```\n'
        texts = [(f"{fence % ''}a\n{fence % ','}", "stop"), ((fence % "")[:-9], "length")]
    ways = [way for way in enumerate(SETTINGS) if promotes or "promote" not in way[1][1]]
    cells = product(ways, texts, (False, True))
    for (_, (rewrite, settings)), (text, end), whole in some(cells, 8, kind=lambda cell: cell[0][0]):
        guard = Guard(EVERYTHING, dialects="fence" if name == "fence" else ["fence", name], rewrite=rewrite)
        left = list(guard_events(teller.told(cut(text, len(text) if whole else 7), end), guard, protocol, **settings))
        said, repeated = teller.read(item for item in left if not isinstance(item, ToolBlock | ToolStatus))
        assert repeated
        for at, read in repeated:
            assert read == said.get(at, ""), (settings, text)


@pytest.mark.parametrize("name", ["hermes", "mistral", "pythonic", "claude_xml"])
def test_a_reply_that_is_not_streamed_reads_as_its_stream_does(name: str) -> None:
    guard = Guard(EVERYTHING, dialects=["fence", name])
    for text, end in texts_of(name):
        *_, last = as_openai([text], end)
        for settings in ({"blocks": "text"}, {"promote": True, "blocks": "text"}):
            said, _ = of_openai(guard_events(as_openai(cut(text, 7), end), guard, "openai-responses", **settings))
            output = guard_reply(last["response"], guard, **settings).reply["output"]
            assert ["".join(part["text"] for part in item["content"]) for item in output if item["type"] == "message"] == [
                said.get(0, "")
            ]


def test_of_equal_calls_each_is_repeated_as_it_left() -> None:
    """Where a message may have one call, that is promoted, and the others stay in the text."""
    for dialect, call in (
        ("fence", '```json\n{"tool": "list_all"}\n```\n'),
        ("hermes", f"{DIALECTS['hermes'].write([ALL])}\n"),
        ("claude_xml", f"{DIALECTS['claude_xml'].write([ALL])}\n"),
    ):
        settings = Settings(promote=True, blocks="text", promotable=OneOf({"list_all"}))
        events = [*as_openai(cut(call * 3, 5), "stop"), End("stop")]
        left: list[Any] = list(
            GuardedIterator(events, Guard(TOOLS, dialects=[dialect]), PROTOCOLS["openai-responses"], settings)
        )
        said, repeated = of_openai(left)
        assert said[0].strip() == (call * 2).strip()
        assert {text for at, text in repeated if at == 0} == {said[0]}
        assert [item["type"] for item in left[-1]["response"]["output"]] == ["message", "function_call"]


def test_a_call_that_stands_in_the_text_with_others_is_not_promoted() -> None:
    """The first of a block cannot run, so the block stands in the text as it was written."""
    wrong = ("write_file", {"path": "a.txt"})
    for name in ("claude_xml", "jamba", "deepseek_v31", "kimi_k2"):
        guard = Guard(TOOLS, dialects=[name])
        for calls, promoted in (([wrong, ALL], 0), ([ALL, ALL], 2)):
            text = DIALECTS[name].write(calls)
            left: list[Any] = list(
                guard_events(as_openai(cut(text, 5), "stop"), guard, "openai-responses", promote=True, blocks="text")
            )
            said, _ = of_openai(left)
            assert said.get(0, "") == ("" if promoted else text)
            assert [item["type"] for item in left[-1]["response"]["output"]].count("function_call") == promoted


def test_a_long_text_is_repeated_as_it_left() -> None:
    call = DIALECTS["hermes"].write([SMALL])
    before, behind = "A line.\n" * 4_000, "Another.\n" * 4_000
    text = f"{before}{call}\n{behind}"
    for blocks in ("events", "text"):
        guard = Guard(TOOLS, dialects=["hermes"])
        settings: Any = {"blocks": blocks}
        said, repeated = of_openai(
            item
            for item in guard_events(as_openai(cut(text, 900), "stop"), guard, "openai-responses", **settings)
            if not isinstance(item, ToolBlock | ToolStatus)
        )
        assert said[0] == (text if blocks == "text" else text.replace(call, ""))
        assert {read for _, read in repeated} == {said[0]}


def test_a_repeated_text_has_its_blocks_as_they_left_and_those_that_no_text_had_are_reported() -> None:
    guard, noted = Guard(FILE_TOOLS), list[str]()
    capacity = Capacity(Limits(), noted.append)
    shown = Shown(capacity, shows=True, settings=guard.settings)
    repeated = RepeatedTexts(guard, shown, capacity)
    block = '```json\n{"tool": "delete_file", "path": "a",}\n```\n'
    session = guard.session()
    scanned = session.scan_long(f"Hi\n{block}")
    shown.note_block(next(item.block for item in scanned if isinstance(item, Closed)))
    (left,) = (shown.text_of(LANE, event, promoted=False) for event in session.events(scanned) if isinstance(event, ToolBlock))
    assert json.loads(left.strip("`json\n")) == {"tool": "delete_file", "path": "a"}

    def again(text: str) -> str:
        event = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "item_id": "i", "text": text}
        steps = repeated.echoed(event, PROTOCOLS["openai-responses"])
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return str(done.value["text"])

    assert again(f"Hi\n{block}") == f"Hi\n{left}\n"
    assert noted == []
    long = "So. " * SHORT
    assert again(long + "\n" + block) == f"{long}\n{left}\n"
    other = block.replace('"a"', '"b"')
    assert again(other) == other
    assert noted == ["unseen block"]


def test_the_pieces_of_a_lane_that_repeats_another_are_joined_to_what_that_had() -> None:
    """Equal blocks that left in different ways stay apart, also where they come in several pieces."""
    guard = Guard(FILE_TOOLS)
    capacity = Capacity(Limits(), lambda why: None)
    for shows in (True, False):
        repeated = RepeatedTexts(guard, Shown(capacity, shows=shows, settings=guard.settings), capacity)
        session, block = guard.session(quiet=True), '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
        said = "".join("".join(repeated.shown(LANE, session.scan_long(piece))) for piece in (block, "and", f"\n{block}"))
        assert said == (f"{block}and\n{block}" if shows else "\nand\n\n")


def test_reasoning_that_an_event_of_responses_repeats_stays_as_it_is() -> None:
    """It is no text of the reply, and has to go back to the provider unchanged."""
    fence = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
    thought: dict[str, Any] = {
        "type": "reasoning",
        "id": "r",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": fence}],
    }
    events: list[dict[str, Any]] = [
        {"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": thought["content"][0]},
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        {"type": "response.completed", "response": {"status": "completed", "output": [thought]}},
    ]
    table = PROTOCOLS["openai-responses"]
    assert [table.echo(event, lambda _: "") for event in events] == events
    told = {"type": "message", "content": [{"type": "output_text", "text": fence}]}
    (left,) = table.echo({**events[2], "response": {"status": "completed", "output": [told]}}, lambda _: "")["response"][
        "output"
    ]
    assert left["content"][0]["text"] == ""
