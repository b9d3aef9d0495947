"""Replies that are not streamed: the same blocks, fixes and calls as in a stream of them, and the bytes that came else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.replies import Folding, ReplyBody, table_of
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.events import aguard_reply, guard_reply
from stream_guard_adapters.protocols import CHAT, GEMINI, MESSAGES, OLLAMA, RESPONSES, Protocol
from stream_guard_adapters.protocols.base import as_value
from stream_guard_conformance.corpus.native import Given, as_chat, as_messages, as_responses

from stream_guard import Guard, Limits, ToolBlock, Toolset
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.merged import merged
from tests.kit.native_calls import STEPS, fails
from tests.kit.recordings import Recording

GUARD = Guard(FILE_TOOLS)
GOOD = '```json\n{"tool": "write_file", "path": "a", "content": "x"}\n```'
MENDABLE = '```json\n{"tool": "write_file", "path": "a", "content": "x",}\n```'
REFUSED = '```json\n{"tool": "write_file", "path": "a", "content": ["x"]}\n```'
CUT = '```json\n{"tool": "write_file", "pa'
CALL: Given = ("write_file", '{"path": "a", "content": "y"}')
WRONG: Given = ("write_file", '{"path": "a", "content": ["y"]}')
MAKES: dict[str, Any] = {"openai-chat": as_chat, "openai-responses": as_responses, "anthropic": as_messages}
TABLES = {"openai-chat": CHAT, "openai-responses": RESPONSES, "anthropic": MESSAGES, "gemini": GEMINI, "ollama": OLLAMA}


def reply_of(name: str, text: str, calls: Sequence[Given] = (), finish: str | None = None) -> dict[str, Any]:
    """A reply of a protocol."""
    if name == "gemini":
        said = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": finish or "STOP", "index": 0}
        return {"candidates": [said], "usageMetadata": {"totalTokenCount": 3}}
    if name == "ollama":
        return {"model": "m", "message": {"role": "assistant", "content": text}, "done": True, "done_reason": finish or "stop"}
    events = MAKES[name]([text], calls, *([finish] if finish else []))
    made = merged(events[1:] if name == "openai-chat" else events, TABLES[name])  # which says something of its own first
    assert made is not None
    return made


def text_of(reply: dict[str, Any]) -> str:
    """What a client shows of a reply."""
    if "choices" in reply:
        return "".join(choice["message"]["content"] or "" for choice in reply["choices"])
    if "candidates" in reply:
        return "".join(part.get("text", "") for one in reply["candidates"] for part in one["content"]["parts"])
    if "output" in reply:
        return "".join(part["text"] for item in reply["output"] for part in item.get("content") or ())
    if "message" in reply:
        return str(reply["message"]["content"])
    return "".join(block.get("text", "") for block in reply["content"])


def told(blocks: Iterable[ToolBlock]) -> list[Any]:
    """The blocks, but for what names them. Of arguments that are JSON their value: some replies have them as an object."""
    rows = [
        (one.tool, as_value(one.raw), one.executable, one.corrected, one.end_cause, one.arguments, one.part) for one in blocks
    ]
    return sorted(rows, key=str)


def streamed(events: Iterable[Any], table: Protocol, guard: Guard) -> list[Any]:
    lanes = Lanes(guard, table, Settings(stream_id="s"))
    items = [item for event in events for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
    return told(item for item in (*items, *lanes.end()) if isinstance(item, ToolBlock))


def contradicts(events: Iterable[Any]) -> bool:
    """Whether the pieces of a call in a responses stream are other arguments than those that the stream says were all."""
    said: dict[int, str] = {}
    for event in events:
        at, kind = event.get("output_index"), str(event.get("type"))
        if kind.endswith("function_call_arguments.delta"):
            said[at] = said.get(at, "") + event["delta"]
        elif kind.endswith("function_call_arguments.done") and said.get(at, event["arguments"]) != event["arguments"]:
            return True
    return False


@pytest.mark.some
def test_a_recording_merged_into_a_reply_has_the_blocks_of_its_stream(recordings: list[Recording]) -> None:
    """Every one that ended, its native calls too; and a reply without a block is the very object."""
    seen: Counter[str] = Counter()
    with_blocks: Counter[str] = Counter()
    for path, table, events in some(recordings, 250, kind=lambda recording: recording[1].name):
        try:
            reply = merged(events, table)
        except (ValueError, IndexError, KeyError, TypeError, AttributeError):  # an odd recording has no reply
            continue
        if reply is None or table_of(reply) is not table or contradicts(events):
            continue
        names = {piece.name for event in events if table.reads(event) for piece in table.calls(event) if piece.name}
        called = [{"name": name, "input_schema": {"type": "object"}} for name in sorted(names) if not FILE_TOOLS.knows(name)]
        guard = Guard(FILE_TOOLS + Toolset.of(called) if called else FILE_TOOLS, untagged="validate")
        wanted = streamed(events, table, guard)
        before = deepcopy(reply)
        guarded = guard_reply(reply, guard)
        assert reply == before
        assert told(guarded.blocks) == wanted, path
        assert guarded.blocks or guarded.reply is reply, path
        seen[table.name] += 1
        with_blocks[table.name] += bool(wanted)
    assert seen.total() > 100
    assert min(seen[name] for name in TABLES) > 2, seen
    assert min(with_blocks[name] for name in TABLES) > 0, with_blocks


@pytest.mark.parametrize("name", TABLES)
def test_a_reply_is_guarded_as_a_stream_of_it(name: str) -> None:
    """Its blocks, their text in place of them, and the calls beside them."""
    text = f"a\n{GOOD}\nb\n{MENDABLE}\nc\n{REFUSED}\n{CUT}"
    reply = reply_of(name, text)
    guarded = guard_reply(reply, GUARD)
    assert [(block.executable, block.corrected) for block in guarded.blocks] == [
        (True, False), (True, True), (False, False), (False, False),
    ]  # fmt: skip
    assert text_of(guarded.reply) == "a\n\nb\n\nc\n\n"
    shown = guard_reply(reply, GUARD, blocks="text")
    assert shown.blocks == ()
    mended = guarded.blocks[1].content
    assert text_of(shown.reply) == text.replace(MENDABLE, mended)
    assert json.loads(json.dumps(shown.reply).replace(json.dumps(mended)[1:-1], json.dumps(MENDABLE)[1:-1])) == reply
    assert guard_reply(reply_of(name, "Just text."), GUARD).reply == reply_of(name, "Just text.")
    both = guard_reply(reply, GUARD, blocks="both")
    assert (text_of(both.reply), len(both.blocks)) == (text.replace(MENDABLE, mended), 4)


@pytest.mark.parametrize("name", MAKES)
def test_the_calls_of_a_reply_are_guarded(name: str) -> None:
    """Mended, as they were, or left out; then the reason does not speak of calls."""
    mendable = ("write_file", json.dumps({"file_path": "a", "content": "y"}))
    for calls, native, wanted in (
        ([CALL], "mend", [CALL]),
        ([mendable], "mend", [CALL]),
        ([WRONG, CALL], "mend", [WRONG, CALL]),
        ([WRONG, CALL], "withhold", [CALL]),
        ([WRONG], "withhold", []),
        ([("weather", "{}")], "withhold", [("weather", "{}")]),
        ([mendable], "observe", [mendable]),
    ):
        finish = {"openai-chat": "tool_calls", "anthropic": "tool_use", "openai-responses": "completed"}[name]
        reply = reply_of(name, "Hi", calls, finish)
        guarded = guard_reply(reply, GUARD, native=native)  # type: ignore[arg-type]
        assert called(guarded.reply) == [(tool, json.loads(arguments)) for tool, arguments in wanted]
        assert ("tool_" in json.dumps(ends(guarded.reply))) is bool(wanted and name != "openai-responses")
        assert text_of(guarded.reply) == "Hi"


def called(reply: dict[str, Any]) -> list[Any]:
    if "choices" in reply:
        calls = [call["function"] for choice in reply["choices"] for call in choice["message"].get("tool_calls") or ()]
        return [(call["name"], json.loads(call["arguments"])) for call in calls]
    if "output" in reply:
        return [(item["name"], json.loads(item["arguments"])) for item in reply["output"] if item["type"] == "function_call"]
    return [(block["name"], block["input"]) for block in reply["content"] if block["type"] == "tool_use"]


def ends(reply: dict[str, Any]) -> list[Any]:
    return [reply.get("stop_reason"), *(choice["finish_reason"] for choice in reply.get("choices", ()))]


@pytest.mark.parametrize("name", MAKES)
def test_a_call_in_the_text_of_a_reply_is_promoted(name: str) -> None:
    reply = reply_of(name, f"Hi\n{MENDABLE}\n")
    made = guard_reply(reply, GUARD, promote=True, blocks="text").reply
    assert called(made) == [("write_file", {"path": "a", "content": "x"})]
    assert text_of(made).strip() == "Hi"
    assert name == "openai-responses" or "tool_" in str(ends(made))


def test_a_text_of_which_nothing_is_left_is_no_empty_text() -> None:
    """The API refuses one in a history. One that came empty stays."""
    made = guard_reply(reply_of("anthropic", GOOD), GUARD)
    assert made.reply["content"] == []
    came = reply_of("anthropic", "")
    assert guard_reply(came, GUARD).reply is came


@pytest.mark.parametrize("text", [MENDABLE, GOOD, f"Hi\n{MENDABLE}\nend", f"{MENDABLE}\n{GOOD}"])
@pytest.mark.parametrize("blocks", ["both", "events"])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_the_parts_of_a_content_keep_their_places(after: int, blocks: Any, text: str) -> None:
    """As Mistral and others send it. Each text stays where it was among the parts that are none."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    others = [{"type": "reference", "reference_ids": [number]} for number in range(3)]
    content: list[Any] = [{"type": "text", "text": "one"}, others[0], thought, {"type": "text", "text": "two"}, others[1]]
    content.insert(after, {"type": "text", "text": f"\n{text}\n"})
    whole = guard_reply(with_content([*content, others[2]]), GUARD, blocks=blocks)
    assert [block.executable for block in whole.blocks] == [True] * text.count("write_file")

    def apart(parts: list[Any]) -> list[Any]:
        """Each part that is no text, and the whole text before it without its blanks."""
        runs: list[Any] = [""]
        for part in parts:
            runs[-1:] = [runs[-1] + "".join(part["text"].split())] if part["type"] == "text" else [runs[-1], part, ""]
        return runs

    shown = text.replace(MENDABLE, GOOD) if blocks == "both" else text.replace(MENDABLE, "").replace(GOOD, "")
    content[after] = {"type": "text", "text": f"\n{shown}\n"}
    assert apart(content_of(whole.reply)) == apart([*content, others[2]])


def test_a_content_of_one_text_stays_a_list() -> None:
    made = guard_reply(with_content([{"type": "text", "text": MENDABLE}]), GUARD, blocks="text").reply
    (part,) = content_of(made)
    assert part["type"] == "text" and "".join(part["text"].split()) == "".join(GOOD.split())


def with_content(content: list[Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def content_of(reply: dict[str, Any]) -> list[Any]:
    (choice,) = reply["choices"]
    content: list[Any] = choice["message"]["content"]
    return content


async def test_a_block_of_a_reply_is_corrected() -> None:
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(GOOD))
    for name in TABLES:
        reply = reply_of(name, f"a\n{REFUSED}\nb")
        asked = await aguard_reply(reply, guard, blocks="text")
        assert text_of(asked.reply) == f"a\n{GOOD}\nb"
        assert [block.corrected_by for block in (await aguard_reply(reply, guard)).blocks] == ["llm"]
        assert text_of(guard_reply(reply, guard, blocks="text").reply) == f"a\n{REFUSED}\nb"


def test_the_objects_of_clients_stay_what_they_are() -> None:
    from anthropic.types import Message
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    kinds: dict[str, Any] = {"openai-chat": ChatCompletion, "anthropic": Message, "openai-responses": Response}
    for name, kind in kinds.items():
        for text, same in (("Hi", True), (f"a\n{MENDABLE}\nb", False)):
            given = kind.model_validate(reply_of(name, text))
            guarded = guard_reply(given, GUARD, blocks="text")
            assert type(guarded.reply) is kind
            assert (guarded.reply is given) is same
            assert kind.model_validate(guarded.reply.model_dump()) == guarded.reply


def test_what_is_no_reply_is_refused() -> None:
    others: list[Any] = [{"object": "list", "data": []}, {"choices": []}, [], "x", None, {"error": {"message": "no"}}]
    for other in others:
        with pytest.raises(ValueError, match="expected a reply of one of openai-chat"):
            guard_reply(other, GUARD)


ODD: list[Any] = [
    {"choices": [{"message": {"content": 7}}]},
    {"choices": [{"message": {"content": "a", "tool_calls": "x"}}, 3]},
    {"choices": [{"message": {"content": "a", "tool_calls": [None, {"function": "x"}]}}]},
    {"choices": [{"index": "x", "message": {"content": GOOD}}]},
    {"type": "message", "role": "assistant", "content": [None, {"type": "text"}, {"type": "tool_use"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "text", "text": 5}]},
    {"object": "response", "output": [None, {"type": "message", "content": 5}]},
    {"object": "response", "output": [{"type": "function_call", "arguments": 5}]},
    {"candidates": [{"content": {"parts": "x"}}, {"content": 5}]},
    {"candidates": [{}]},
    {"done": True, "message": {"content": ["x"]}},
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.promise("P9")
def test_an_odd_reply_leaves_as_it_came(odd: Any) -> None:
    body = ReplyBody(GUARD, Settings(blocks="text"))
    raw = json.dumps(odd).encode()
    assert body.push(raw)
    assert not any(map(body.event_bytes, body.items()))
    assert (body.made, body.raw) == (None, raw)


@pytest.mark.parametrize("name", TABLES)
def test_a_reply_is_put_together_as_it_was_taken_apart(name: str) -> None:
    """Whatever stands in it beside its text."""
    table = TABLES[name]
    for text in ("", "Hi", f"a\n{GOOD}"):
        reply = reply_of(name, text, [CALL] if name in MAKES else [])
        folding = Folding(reply, table, Settings())
        assert folding.unfolded()
        assert table.folded(reply, table.unfolded(reply)) == reply


def widened(node: Any, key: str, value: Any) -> Iterator[Any]:
    """The JSON with one more member, in each of its objects that lacks it in turn."""
    if isinstance(node, dict):
        if key not in node:
            yield {key: value, **node}
        for name, inner in node.items():
            if name != "arguments":  # an object of the tool's
                yield from ({**node, name: made} for made in widened(inner, key, value))
    elif isinstance(node, list):
        for nth, item in enumerate(node):
            yield from ([*node[:nth], made, *node[nth + 1 :]] for made in widened(item, key, value))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("key", "value"), [("index", 0), ("index", 3), ("index", None), ("foo", 1), ("foo", {"index": 2})])
def test_a_reply_with_a_member_more_is_guarded_all_the_same(name: str, key: str, value: Any) -> None:
    """Also one that the events of a stream have: some providers number the calls of a reply."""
    table = TABLES[name]
    for reply in widened(reply_of(name, f"a\n{MENDABLE}", [CALL, WRONG] if name in MAKES else []), key, value):
        if table_of(reply) is not table or not table.reads(reply):
            continue
        folding = Folding(reply, table, Settings())
        assert folding.unfolded(), reply
        assert guard_reply(reply, GUARD).blocks


def test_the_calls_of_a_reply_that_have_an_index_keep_it() -> None:
    """Those that are sent on; a mended one too, and one that was cut off is left out as in any reply."""
    reply = reply_of("openai-chat", "Hi", [CALL, ("write_file", '{"path": "a'), WRONG], "tool_calls")
    calls = reply["choices"][0]["message"]["tool_calls"]
    for nth, call in enumerate(calls):
        call["index"] = nth
    kept = guard_reply(reply, GUARD).reply["choices"][0]["message"]["tool_calls"]
    assert kept == [calls[0], calls[2]]
    assert guard_reply(reply, GUARD, native="withhold").reply["choices"][0]["message"]["tool_calls"] == [calls[0]]


class Watched(bytes):
    """A chunk that counts how often it is looked into."""

    looked = 0

    def removeprefix(self, prefix: Any) -> bytes:
        Watched.looked += 1
        return bytes.removeprefix(self, prefix)


def test_a_chunk_is_looked_into_until_the_body_has_begun() -> None:
    """One byte at a time, and nothing that came before it again."""
    body = ReplyBody(Guard(FILE_TOOLS))
    assert all(body.push(Watched(b" ")) for _ in range(1_000))
    assert body.push(Watched(b"{"))
    assert all(body.push(Watched(b"x")) for _ in range(10_000))
    assert Watched.looked == 1_001
    assert body.raw == b" " * 1_000 + b"{" + b"x" * 10_000


def test_bodies_that_are_too_long_or_no_object_are_given_up() -> None:
    guard = Guard(FILE_TOOLS, limits=Limits(max_event=100))
    assert not ReplyBody(guard, Settings()).push(b"{" + b" " * 100)
    assert not ReplyBody(guard, Settings()).push(b"  [1]")
    body = ReplyBody(guard, Settings())
    assert body.push(b" ")
    assert body.push(b"\n{")
    assert not body.push(b"x" * 100)
    for raw in (b"{", b'{"a": \xff}', b'{"choices": 1}', b"", b"{} {}"):
        why: list[str] = []
        body = ReplyBody(GUARD, Settings(on_uninspected=why.append))
        assert body.push(raw)
        assert not any(map(body.event_bytes, body.items()))
        assert (body.made, why) == (None, ["json body"])


@pytest.mark.promise("P9")
@pytest.mark.parametrize(("of", "step"), [*STEPS, (Folding, "take")], ids=lambda one: getattr(one, "__name__", one))
def test_a_call_of_a_reply_that_may_not_run_is_left_out_whatever_step_raises(
    of: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, table in TABLES.items():
        if name not in MAKES:
            continue
        reply = reply_of(name, "Here.", [("write_file", '{"path": "a", "content": ["rm"]}')])
        with monkeypatch.context() as patched:
            patched.setattr(type(table) if of is Protocol else of, step, fails)
            try:
                made = guard_reply(reply, GUARD, native="withhold").reply
            except (LookupError, ValueError):  # no reply at all
                continue
        assert "rm" not in str(made), name


@pytest.mark.parametrize("native", ["mend", "withhold"])
def test_the_sum_of_the_texts_of_a_response_is_that_of_the_texts_that_left(native: Any) -> None:
    """Some servers send it beside them; another text of that name repeats them too."""
    text = f"a\n{GOOD}\nb\n{MENDABLE}\nc"
    reply = reply_of("openai-responses", text, [WRONG])
    for told, shown in ((text, None), (f"So: {text}", "So: ")):
        given = {**reply, "output_text": told}
        for blocks in ("events", "text", "both"):
            made = guard_reply(given, GUARD, blocks=blocks, native=native).reply
            assert made["output_text"] == (shown or "") + text_of(made)
    cut = {**reply_of("openai-responses", f"a\n{GOOD}\n", finish="max_output_tokens"), "output_text": f"a\n{GOOD}\n"}
    made = guard_reply(cut, GUARD, blocks="text", promote=True).reply
    assert made["output_text"] == text_of(made) == f"a\n\n{GOOD}"
    for plain in ({**reply_of("openai-responses", "Hi"), "output_text": "Hi"}, {**reply_of("openai-responses", "Hi")}):
        assert guard_reply(plain, GUARD).reply is plain
