"""Parsers that are wrong in one way each in what everyday streams have: the rows of every protocol and form tell them apart."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Ran, Text, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus import corpus
from stream_guard_conformance.corpus.keywords import KEYWORDS
from stream_guard_conformance.corpus.made_up import REASONING, RESULTS, TURNS

from tests.kit.wrong_parsers import Misread, Rewritten, Spoilt, Steps, found, in_choices, reason_is, told, wrong


def deep(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change each object of an event, from the inside out."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return change({key: changed(held) for key, held in value.items()})
        return [changed(held) for held in value] if isinstance(value, list) else value

    return changed


# Reasoning


def renamed(**names: str) -> Callable[[Any], Any]:
    """Take a member for another one."""
    return deep(lambda held: {names.get(key, key): value for key, value in held.items()})


def replaced(*pairs: tuple[str, str]) -> Callable[[Any], Any]:
    """Take texts of an event for others."""

    def changed(event: Any) -> Any:
        written = json.dumps(event)
        for old, new in pairs:
            written = written.replace(old, new)
        return json.loads(written)

    return changed


THOUGHTS: dict[str, Sequence[Callable[[Any], Any]]] = {
    "openai-chat": [renamed(reasoning_content="content"), renamed(reasoning="content"), renamed(refusal="content")],
    "openai-responses": [
        replaced((f"response.{kind}.delta", "response.output_text.delta"))
        for kind in ("reasoning_text", "reasoning_summary_text", "refusal")
    ],
    "anthropic": [replaced(("thinking_delta", "text_delta"), ('"thinking"', '"text"'))],
    "ai-sdk": [replaced(("reasoning-", "text-"))],
    "ag-ui": [replaced((f"{kind}_CONTENT", "TEXT_MESSAGE_CONTENT")) for kind in ("THINKING_TEXT_MESSAGE", "REASONING_MESSAGE")],
    "gemini": [replaced(('"thought": true', '"thought": false'))],
    "ollama": [renamed(thinking="content")],
    "langchain": [replaced(('"type": "thinking", "thinking"', '"type": "text", "text"'))],
    "langchain-v3": [replaced(('"reasoning-delta", "reasoning"', '"text-delta", "text"'))],
    "pydantic-ai": [replaced(('"thinking"', '"text"'))],
}
"""What takes the reasoning of a protocol for its text."""


@pytest.mark.parametrize("name", THOUGHTS)
def test_who_reads_reasoning_as_text_runs_what_was_considered(name: str) -> None:
    for change in THOUGHTS[name]:
        assert told(Verdict.UNSAFE, Rewritten(change), f"reasoning-apart/{name}")


def test_who_reads_reasoning_of_whole_replies_as_text_runs_what_was_considered() -> None:
    for change in (*THOUGHTS["openai-chat"][:2], *THOUGHTS["anthropic"], *THOUGHTS["gemini"], *THOUGHTS["ollama"]):
        assert wrong(found(Rewritten(change), "reasoning-apart/whole-replies"))


@pytest.mark.parametrize("kind", ["reasoning", "results", "turns"])
def test_who_does_not_know_a_mark_runs_what_was_made_up(kind: str) -> None:
    rows = corpus(only=(f"made-up/{kind}",))
    for opener, _ in {"reasoning": REASONING, "results": RESULTS, "turns": TURNS}[kind]:
        blind = Misread(lambda text, opener=opener: text.replace(opener, "(mark)"))  # type: ignore[misc]
        here = [row for row in rows if f"\n{opener}\n" in "".join(row.input)]
        assert here, opener
        assert any(result.verdict is Verdict.UNSAFE for result in tried(here, blind)), opener


@pytest.mark.parametrize(
    ("change", "kind", "worst"),
    [
        (lambda text: re.sub(r"([^\n])(<think>)", r"\1\n\2", text), "shown", Verdict.CALL_MISSING),
        (lambda text: re.sub(r"^(> ?)+", "", text, flags=re.MULTILINE), "quotes", Verdict.UNSAFE),
    ],
    ids=["a mark counts anywhere", "a quote is none"],
)
def test_who_reads_what_is_shown(change: Callable[[str], str], kind: str, worst: Verdict) -> None:
    assert told(worst, Misread(change), f"made-up/{kind}")


# Values


def in_values(change: Callable[[Any], Any]) -> Spoilt:
    """Change each value of each call."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(held) for key, held in value.items()}
        return [changed(held) for held in value] if isinstance(value, list) else change(value)

    def steps(given: Steps) -> Steps:
        return [
            [Ran(item.name, changed(item.arguments), item.choice) if isinstance(item, Ran) else item for item in step]
            for step in given
        ]

    return Spoilt(steps)


def in_texts(change: Callable[[str], str]) -> Spoilt:
    return in_values(lambda value: change(value) if isinstance(value, str) else value)


def unwrapped(arguments: Any) -> Any:
    for key in ("arguments", "input", "parameters"):
        if isinstance(arguments.get(key), dict):
            return arguments[key]
    return arguments


def snake(held: dict[str, Any]) -> dict[str, Any]:
    return {re.sub(r"([a-z])([A-Z])", r"\1_\2", key).lower(): value for key, value in held.items()}


def in_arguments(change: Callable[[dict[str, Any]], Any]) -> Spoilt:
    def steps(given: Steps) -> Steps:
        return [
            [Ran(item.name, change(item.arguments), item.choice) if isinstance(item, Ran) else item for item in step]
            for step in given
        ]

    return Spoilt(steps)


VALUES: dict[str, Spoilt] = {
    "blanks before a value": in_texts(str.lstrip),
    "blanks behind a value": in_texts(str.rstrip),
    "entities": in_texts(html.unescape),
    "CR LF": in_texts(lambda text: text.replace("\r\n", "\n")),
    "escapes": in_texts(lambda text: text.replace("\\n", "\n")),
    "six digits": in_values(lambda value: float(f"{value:.6g}") if isinstance(value, float) else value),
    "fifteen digits": in_values(lambda value: float(f"{value:.15g}") if isinstance(value, float) else value),
    "256 characters": in_texts(lambda text: text[:256]),
    "4,096 characters": in_texts(lambda text: text[:4096]),
    "reasoning": in_texts(lambda text: re.sub(r"<think>.*?(</think>|$)", "", text, flags=re.DOTALL)),
    "special tokens": in_texts(lambda text: re.sub(r"<\|[^|>\n]*\|>|</?s>", "", text)),
    "tags of calls": in_texts(lambda text: re.sub(r"</?tool_call>", "", text)),
    "other keys": in_arguments(deep(snake)),
    "paths": in_texts(lambda text: text.removeprefix("./")),
    "double slashes": in_texts(lambda text: text.replace("//", "/")),
    "a home": in_texts(lambda text: text.replace("~/", "/root/")),
    "variables": in_texts(lambda text: text.replace("$HOME", "/root")),
    "arguments that are unwrapped twice": in_arguments(unwrapped),
}


@pytest.mark.parametrize("what", VALUES)
@pytest.mark.parametrize("form", ["fences", "dialects", "native", "replies"])
@pytest.mark.some(8)
def test_who_changes_values_runs_another_call_in_every_form(what: str, form: str) -> None:
    assert told(Verdict.CALL_WRONG, VALUES[what], f"carried/{form}")


@pytest.mark.parametrize("most", [3, 10])
def test_who_runs_no_more_than_some_calls_misses_the_others(most: int) -> None:
    def few(steps: Steps) -> Steps:
        ran = [item for step in steps for item in step if isinstance(item, Ran)][most:]
        return [[item for item in step if not any(item is other for other in ran)] for step in steps]

    for form in ("fences", "dialects", "native", "replies"):
        assert told(Verdict.CALL_MISSING, Spoilt(few), f"carried/{form}")


def test_who_takes_no_arguments_for_no_call_misses_it() -> None:
    def without(steps: Steps) -> Steps:
        return [[item for item in step if not (isinstance(item, Ran) and item.arguments == {})] for step in steps]

    for kind in ("everyday/no-arguments", "carried/native", "wire/native"):
        assert told(Verdict.CALL_MISSING, Spoilt(without), kind)


# Several calls


def without_text_between(steps: Steps) -> Steps:
    flat = [(number, item) for number, step in enumerate(steps) for item in step]
    ran = [at for at, (_, item) in enumerate(flat) if isinstance(item, Ran)] or [len(flat)]
    kept: Steps = [[] for _ in steps]
    for at, (number, item) in enumerate(flat):
        if not (isinstance(item, Text) and ran[0] < at < ran[-1]):
            kept[number].append(item)
    return kept


class StopsAtFailure(GuardParser):
    """The guard, of which nothing comes out behind a call that failed."""

    def __init__(self, *lost: type) -> None:
        self.lost = lost

    def read(self, question: Any) -> Answer:
        answer = super().read(question)
        failed = False
        steps: Steps = []
        for step in answer.steps:
            steps.append([])
            for item in step:
                if not (failed and isinstance(item, self.lost)):
                    steps[-1].append(item)
                failed = failed or type(item).__name__ == "Failed"
        return Answer(steps, answer.timed)


def test_who_loses_what_stands_between_calls_or_behind_a_failed_one_is_told() -> None:
    assert told(Verdict.TEXT_LOST, Spoilt(without_text_between), "between/dialects")
    assert told(Verdict.TEXT_LOST, StopsAtFailure(Text), "between/dialects")
    for form in ("fences", "dialects", "native"):
        assert told(Verdict.CALL_MISSING, StopsAtFailure(Ran), f"between/{form}")


# Schemas


class Knows(GuardParser):
    """The guard, which does not know some keywords."""

    def __init__(self, *keywords: str) -> None:
        self.keywords = keywords

    def read(self, question: Any) -> Answer:
        def without(held: dict[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in held.items() if key not in self.keywords}

        tools = [{**tool, "input_schema": deep(without)(tool["input_schema"])} for tool in question["tools"]]
        return super().read({**question, "tools": tools})


@pytest.mark.parametrize("name", KEYWORDS)
@pytest.mark.some(5)
def test_who_does_not_know_a_keyword_runs_what_it_refuses(name: str) -> None:
    keywords = [word for word in name.replace("dependentRequired", "dependentRequired if").split() if word != "in"]
    if name.startswith("a list of types"):
        keywords = ["type"]
    refused = [row for row in corpus(only=("keywords/",)) if row.why.startswith(f"`{name}` refuses")]
    assert {row.kind for row in refused} == {"keywords/fences", "keywords/dialects", "keywords/native"}
    assert all(result.verdict is Verdict.UNSAFE for result in tried(refused, Knows(*keywords)))


# Events


def known_events() -> dict[str, set[str]]:
    """The kinds of events of each protocol in the rows that are not of everyday."""
    known: dict[str, set[str]] = {}
    for row in corpus(only=("protocol/", "native/")):
        for event in row.input if row.form == "events" else ():
            known.setdefault(row.protocol, set()).add(kind_of(event))
    return known


def kind_of(event: Any) -> str:
    if not isinstance(event, dict):
        return ""
    return str(event.get("type") or event.get("event") or event.get("event_kind") or sorted(event))


class Strict(GuardParser):
    """The guard, which raises at an event of a kind that it does not know."""

    def __init__(self, known: dict[str, set[str]]) -> None:
        self.known = known

    def read(self, question: Any) -> Answer:
        for event in question["input"]:
            if kind_of(event) not in self.known[question["protocol"]]:
                raise ValueError(f"unknown event: {kind_of(event)}")
        return super().read(question)


@pytest.mark.parametrize("name", ["openai-responses", "anthropic", "ai-sdk", "ag-ui", "gemini", "langchain", "pydantic-ai"])
def test_who_does_not_know_an_everyday_event_loses_the_reply(name: str) -> None:
    known = known_events()
    if name == "anthropic":
        known[name].discard("ping")
    assert told(Verdict.CRASHED, Strict(known), f"everyday/{name}")


def none_is_text(_: Any, delta: Any) -> None:
    if "content" in delta and not isinstance(delta["content"], list):
        delta["content"] = f"{delta['content']}"


def the_last_name(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        if not (call.get("function") or {}).get("name", "x"):
            call["function"]["name"] = "undefined"


def null_fails(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls", []):
        call.get("function", {}).get("arguments", "").strip()


@pytest.mark.parametrize(
    ("change", "worst"),
    [
        (in_choices(none_is_text), Verdict.TEXT_LEAKED),
        (in_choices(the_last_name), Verdict.CALL_MISSING),
        (in_choices(null_fails), Verdict.CRASHED),
    ],
    ids=["None is text", "an empty name is a name", "null is a list or a text"],
)
def test_who_does_not_know_null_is_told(change: Callable[[Any], Any], worst: Verdict) -> None:
    assert told(worst, Rewritten(change), "everyday/nulls")


def said_again(event: Any) -> Any:
    """Take what other runs of LangChain repeat for a text of its own."""
    kind = event.get("event")
    if kind in ("on_chain_stream", "on_parser_stream"):
        return {**event, "event": "on_chat_model_stream"}
    output = event.get("data", {}).get("output", {})
    if kind == "on_chat_model_end" and output.get("content"):
        chunk = {"type": "AIMessageChunk", "content": output["content"]}
        return {**event, "event": "on_chat_model_stream", "run_id": "x", "data": {"chunk": chunk}}
    return event


def test_who_reads_what_a_run_repeats_says_it_twice() -> None:
    assert {Verdict.UNSAFE, Verdict.TEXT_LOST} <= found(Rewritten(said_again), "everyday/repeats")


def first_lane(event: Any) -> Any:
    """Take all texts of a reply for one: by the names and numbers that tell them apart."""
    if isinstance(event, dict):
        event = {key: value for key, value in event.items() if not _bounds(event)}
        for key in ("index", "id", "messageId", "run_id", "content_index", "output_index", "item_id"):
            if key in event:
                event[key] = 0 if isinstance(event[key], int) else "m"
    return event


def _bounds(event: Any) -> bool:
    kind = kind_of(event)
    return kind.endswith(("_start", "_stop", "-start", "-end", "_START", "_END", "-finish", "part_end", "text.done")) and (
        "message" not in kind or kind.startswith("TEXT_MESSAGE")
    )


@pytest.mark.parametrize("name", ["anthropic", "ai-sdk", "ag-ui", "langchain-v3", "openai-responses"])
def test_who_takes_several_texts_for_one_makes_a_call_of_two_halves(name: str) -> None:
    rows = [row for row in corpus(only=("places/lanes",)) if row.protocol == name]
    assert any(result.verdict is Verdict.UNSAFE for result in tried(rows, Rewritten(first_lane)))


@pytest.mark.parametrize(
    ("change", "name", "worst"),
    [
        (replaced(("TEXT_MESSAGE_CHUNK", "CUSTOM")), "ag-ui", Verdict.TEXT_LOST),
        (replaced(("part_start", "part_begun")), "pydantic-ai", Verdict.TEXT_LOST),
        (replaced(("content_block_start", "ping")), "anthropic", Verdict.TEXT_LOST),
        (renamed(response="answer"), "ollama", Verdict.TEXT_LOST),
        (renamed(function_call="called"), "openai-chat", Verdict.CALL_MISSING),
        (renamed(partialArgs="parts"), "gemini", Verdict.CALL_MISSING),
        (replaced(('"content": [{', '"other": [{')), "langchain", Verdict.TEXT_LOST),
    ],
    ids=["chunks", "part_start", "content_block_start", "response", "function_call", "partialArgs", "lists"],
)
def test_who_does_not_look_in_a_place_loses_what_stands_there(change: Callable[[Any], Any], name: str, worst: Verdict) -> None:
    assert told(worst, Rewritten(change), f"places/{name}")


def test_who_reads_one_text_of_a_whole_reply_loses_the_others() -> None:
    def first(held: dict[str, Any]) -> dict[str, Any]:
        return {key: value[:1] if isinstance(value, list) else value for key, value in held.items()}

    verdicts = found(Rewritten(deep(first)), "places/whole-replies")
    assert {Verdict.TEXT_LOST, Verdict.CALL_MISSING} <= verdicts


def test_who_runs_what_the_provider_ran_is_told() -> None:
    for change in (
        replaced(('"providerExecuted": true', '"providerExecuted": false')),
        replaced(("tool-input-error", "tool-input-available")),
        replaced(("server_tool_use", "tool_use")),
        replaced(('"role": "user"', '"role": "assistant"')),
    ):
        assert told(Verdict.UNSAFE, Rewritten(change), "places/others")


@pytest.mark.parametrize(
    ("reason", "other"),
    [
        ("RECITATION", "STOP"),
        ("MALFORMED_FUNCTION_CALL", "STOP"),
        ("PROHIBITED_CONTENT", "STOP"),
        ("OTHER", "STOP"),
        ("pause_turn", "end_turn"),
        ("model_context_window_exceeded", "end_turn"),
        ("error", "stop"),
        ("other", "stop"),
        ("tool-calls", "stop"),
        ("response.failed", "response.completed"),
        ("error", "response.completed"),
        ("abort", "finish"),
    ],
)
def test_who_takes_an_end_for_that_of_the_model_runs_what_was_cut_off(reason: str, other: str) -> None:
    def ends(event: Any) -> Any:
        if isinstance(event, dict) and event.get("type") == "abort":
            return {"type": "finish", "finishReason": "stop"}
        return reason_is(reason, other)(event)

    assert told(Verdict.UNSAFE, Rewritten(ends), "cut-off/in-events")


def test_who_takes_a_stop_sequence_for_a_cut_misses_a_call() -> None:
    assert told(Verdict.CALL_MISSING, Rewritten(reason_is("stop_sequence", "max_tokens")), "cut-off/in-events")


def test_who_does_not_look_at_the_end_of_a_text_runs_a_call_that_may_go_on() -> None:
    class Ended(GuardParser):
        def read(self, question: Any) -> Answer:
            return super().read({**question, "end": "stop"})

    assert told(Verdict.UNSAFE, Ended(), "cut-off/in-events")


# Bytes


class Wire(GuardParser):
    """The guard, which reads other bytes than it is given."""

    def __init__(self, change: Callable[[bytes], bytes]) -> None:
        self.change = change

    def read(self, question: Any) -> Answer:
        sent = self.change(b"".join(map(base64.b64decode, question["input"])))
        return super().read({**question, "input": [base64.b64encode(sent).decode()]})


def short_lines(sent: bytes) -> bytes:
    if max(map(len, re.split(rb"[\r\n]", sent))) > 65_536:
        raise ValueError("chunk exceeds the limit")
    return sent


def before_done(sent: bytes) -> bytes:
    at = sent.find(b"[DONE]")
    return sent[: sent.rfind(b"\n", 0, at) + 1] if 0 <= at < sent.rfind(b"\n\n") - 8 else sent


def never_empty(sent: bytes) -> bytes:
    if re.search(rb"(?m)^data: ?\r?$", sent) or (b"data:" not in sent and re.search(rb"\n\s*\n", sent)):
        raise ValueError("expecting a value")
    return sent


@pytest.mark.parametrize(
    ("change", "kind", "worst"),
    [
        (lambda sent: re.sub("[\u2028\u2029\x85]", "\n", sent.decode()).encode(), "lines", Verdict.TEXT_LOST),
        (short_lines, "lines", Verdict.CRASHED),
        (before_done, "lines", Verdict.TEXT_LOST),
        (never_empty, "lines", Verdict.CRASHED),
        (lambda sent: sent if sent.endswith(b"\n") else sent[: sent.rfind(b"\n") + 1], "lines", Verdict.TEXT_LOST),
        (lambda sent: re.sub(rb'"(length|max_tokens|MAX_TOKENS)"', b'"stop"', sent), "ends", Verdict.UNSAFE),
        (lambda sent: sent if sent.endswith(b"\n\n") else sent + b"\n\n", "ends", Verdict.UNSAFE),
        (lambda sent: sent.replace(b"tool", b"other").replace(b"function", b"other"), "native", Verdict.CALL_MISSING),
    ],
    ids=["separators", "64 KB", "[DONE]", "nothing", "the last line", "reasons", "the last event", "native calls"],
)
def test_who_reads_bytes_in_one_wrong_way_is_told(change: Callable[[bytes], bytes], kind: str, worst: Verdict) -> None:
    assert told(worst, Wire(change), f"wire/{kind}")


# Dialects in events


def test_who_reads_dialects_in_plain_text_only_misses_calls() -> None:
    class Fences(GuardParser):
        def read(self, question: Any) -> Answer:
            return super().read({**question, "dialect": "fence"})

    assert told(Verdict.CALL_MISSING, Fences(), "places/dialects")
