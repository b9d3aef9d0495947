"""Parsers that are wrong in native calls: arguments that cannot be read, pieces that are equal, shapes of one server alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Failed, Ran, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus import corpus
from stream_guard_conformance.corpus.unread import NOTHING

from tests.kit.wrong_parsers import found, told, wrong

# Arguments that cannot be read


class ReadsNothing(GuardParser):
    """The guard, which takes arguments that it cannot read for none."""

    def read(self, question: Any) -> Answer:
        sent = json.dumps(question["input"])
        (tool,) = (tool for tool in question["tools"] if f'"{tool["name"]}"' in sent)
        runs = () if tool["input_schema"]["required"] else (Ran(tool["name"], {}),)
        steps: list[list[Any]] = []
        for step in super().read(question).steps:
            steps.append([])
            for item in step:
                steps[-1] += runs if isinstance(item, Failed) and runs else [item]
        return Answer(steps)


@pytest.mark.parametrize("kind", ["native", "replies"])
def test_who_takes_arguments_that_cannot_be_read_for_none_is_unsafe_in_each_row(kind: str) -> None:
    results = list(tried(corpus(only=(f"unread/{kind}",)), ReadsNothing()))
    required = [result for result in results if "`pay`" in result.row.why]
    nothing = [result for result in results if any(call.name == NOTHING.name for call in result.row.calls)]
    others = [result for result in results if result not in required and result not in nothing]
    assert len(others) > 50
    assert {result.verdict for result in others} == {Verdict.UNSAFE}
    assert not wrong(result.verdict for result in (*required, *nothing))


def test_who_requires_no_field_of_a_call_without_arguments_is_unsafe() -> None:
    class Requires(GuardParser):
        """The guard, to which no field is required where the arguments are empty."""

        def read(self, question: Any) -> Answer:
            loose = [{**tool, "input_schema": {**tool["input_schema"], "required": []}} for tool in question["tools"]]
            return super().read({**question, "tools": loose})

    assert told(Verdict.UNSAFE, Requires(), "unread/native")
    assert told(Verdict.UNSAFE, Requires(), "unread/replies")


def test_who_refuses_all_that_says_nothing_is_right() -> None:
    class Refuses(GuardParser):
        """The guard, which runs a call without arguments only where they are an empty object."""

        def read(self, question: Any) -> Answer:
            steps = super().read(question).steps
            sent = json.dumps(question["input"]).replace("\\", "")
            return Answer([
                [Failed("no arguments") if isinstance(item, Ran) and not item.arguments and "{}" not in sent else item
                 for item in step]
                for step in steps
            ])  # fmt: skip

    assert not wrong(found(Refuses(), "unread/replies"))


# Equal pieces, and shapes


class Other(GuardParser):
    """The guard, which is given other events."""

    def __init__(self, change: Callable[[list[Any]], list[Any]]) -> None:
        self.change = change

    def read(self, question: Any) -> Answer:
        events = json.loads(json.dumps(question["input"]))
        return super().read({**question, "input": self.change(events)})

    def tells(self, *only: str) -> set[Verdict]:
        """The wrong verdicts on it, of rows that it reads as whole texts: it has other events than they have."""
        self.capabilities = GuardParser.capabilities
        rows = corpus(only=only)
        whole = Whole(self)
        return wrong(result.verdict for result in tried(rows, whole))


class Whole(GuardParser):
    """A parser that answers with all that came out, and not with when."""

    def __init__(self, parser: GuardParser) -> None:
        self.parser = parser

    def read(self, question: Any) -> Answer:
        return Answer.whole(item for step in self.parser.read(question).steps for item in step)


def without_repetitions(events: list[Any]) -> list[Any]:
    """Drop each event that is equal to the one before, but for its number."""
    kept: list[Any] = []
    for event in events:
        event.pop("sequence_number", None)
        if event != kept[-1:][0] if kept else True:
            kept.append(event)
    return kept


def without_whole_arguments(events: list[Any]) -> list[Any]:
    """Take the arguments that an event says again, as a whole, from the pieces: as who reads the pieces alone."""
    said = "".join(event["delta"] for event in events if event["type"] == "response.function_call_arguments.delta")
    read = "".join(event["inputTextDelta"] for event in events if event["type"] == "tool-input-delta")
    for event in events:
        for held in (event, event.get("item", {}), *event.get("response", {}).get("output", ())):
            if held.get("arguments"):
                held["arguments"] = said
        if event["type"] == "tool-input-available":
            try:
                event["input"] = json.loads(read)
            except ValueError:
                event["input"] = read
    return events


PIECES = {
    "openai-chat": without_repetitions,
    "anthropic": without_repetitions,
    "ag-ui": without_repetitions,
    "openai-responses": lambda events: without_whole_arguments(without_repetitions(events)),
    "ai-sdk": lambda events: without_whole_arguments(without_repetitions(events)),
}


@pytest.mark.parametrize("name", PIECES)
def test_who_takes_an_equal_piece_for_a_repetition_is_told_by_each_protocol(name: str) -> None:
    rows = [row for row in corpus(only=("equal-pieces/",)) if row.protocol == name]
    verdicts = [result.verdict for result in tried(rows, Whole(Other(PIECES[name])))]
    assert {Verdict.UNSAFE, Verdict.CALL_WRONG} & {*verdicts}
    assert not [verdict for verdict in verdicts if verdict.right]


def calls_of(event: Any) -> Iterable[Any]:
    return [call for choice in event["choices"] for call in choice["delta"].get("tool_calls", ())]


def each_call(drops: Callable[[Any, list[Any]], bool]) -> Callable[[list[Any]], list[Any]]:
    """Drop pieces of calls; `drops` takes one, and those before it."""

    def change(events: list[Any]) -> list[Any]:
        before: list[Any] = []
        for event in events:
            for choice in event["choices"]:
                kept = []
                for call in choice["delta"].get("tool_calls", ()):
                    kept += [] if drops(call, before) else [call]
                    before.append(call)
                if "tool_calls" in choice["delta"]:
                    choice["delta"]["tool_calls"] = kept
        return events

    return change


def one_by_id(call: Any, before: list[Any]) -> bool:
    """Whether another call has this id."""
    index = next((one.get("index") for one in before if "id" in one and one["id"] == call.get("id")), None)
    return index is not None and index != call["index"]


def ids_do_not_count(events: list[Any]) -> list[Any]:
    """What has an index that was there before belongs to the call that had it."""
    seen = set()
    for event in events:
        for call in calls_of(event):
            if call["index"] in seen:
                call.pop("id", None)
                call["function"].pop("name", None)
            seen.add(call["index"])
    return events


def names_come_first(events: list[Any]) -> list[Any]:
    """A name in a later piece than the first one is not read."""
    seen = set()
    for event in events:
        for call in calls_of(event):
            if call["index"] in seen and "id" not in call:
                call["function"].pop("name", None)
            seen.add(call["index"])
    return events


def until(ends: Callable[[Any], bool], *, through: bool = True) -> Callable[[list[Any]], list[Any]]:
    """What comes behind the first such event is not read."""

    def change(events: list[Any]) -> list[Any]:
        last = next((number for number, event in enumerate(events) if ends(event)), len(events))
        return events[: last + through]

    return change


def begun_anew(events: list[Any]) -> list[Any]:
    """A later piece that begins with a brace is the arguments, and not a part of them."""
    first: dict[int, Any] = {}
    for event in events:
        for call in calls_of(event):
            begun = first.setdefault(call["index"], call["function"])
            if call["function"] is not begun and call["function"].get("arguments", "").startswith("{"):
                begun["arguments"] = ""
    return events


def with_an_index(events: list[Any]) -> list[Any]:
    for event in events:
        event["choices"] = [choice for choice in event["choices"] if "index" in choice]
    return events


SHAPES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "calls with one id are one": each_call(one_by_id),
    "calls with one index are one": ids_do_not_count,
    "a call has an id": each_call(lambda call, before: not any("id" in one for one in (*before, call))),
    "a name comes with the first piece": names_come_first,
    "a brace begins the arguments anew": begun_anew,
    "usage ends the reply": until(lambda event: "usage" in event),
    "a choice has an index": with_an_index,
    "indexes begin with 0": each_call(lambda call, _: call["index"] > 1),
    "an empty text ends a call": until(lambda event: any(choice["delta"].get("content") == "" for choice in event["choices"])),
}


@pytest.mark.parametrize("what", SHAPES)
def test_who_knows_the_shapes_of_one_server_alone_loses_calls(what: str) -> None:
    verdicts = Other(SHAPES[what]).tells("chat-shapes/native")
    assert verdicts
    assert verdicts <= {Verdict.UNSAFE, Verdict.CALL_WRONG, Verdict.CALL_MISSING}


TEXTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "a finish reason ends the text": until(lambda event: any(choice["finish_reason"] for choice in event["choices"])),
    "any finish reason ends the text": until(
        lambda event: any(choice["finish_reason"] is not None for choice in event["choices"])
    ),
    "the event with the finish reason has no text": until(
        lambda event: any(choice["finish_reason"] for choice in event["choices"]), through=False
    ),
    "usage ends the reply": until(lambda event: "usage" in event),
    "a choice has an index": with_an_index,
}


@pytest.mark.parametrize("what", TEXTS)
def test_who_knows_the_shapes_of_one_server_alone_loses_text(what: str) -> None:
    assert Other(TEXTS[what]).tells("chat-shapes/text") == {Verdict.TEXT_LOST}
