"""Parsers that read the first choice rightly, and the second one wrongly: the rows of `second-choices/` tell them apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Ran, Verdict
from stream_guard_conformance.conform.guard_parser import GuardParser

from tests.kit.wrong_parsers import Rewritten, Spoilt, Steps, in_choices, told

LISTS = ("choices", "candidates")


def in_the_second(change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Callable[[Any], Any]:
    """Change the second choice of an event; `change` takes the choice, and its delta or content."""

    def changed(event: Any) -> Any:
        event = json.loads(json.dumps(event))
        for choice in [choice for name in LISTS for choice in event.get(name) or ()]:
            if choice.get("index") == 1:
                change(choice, choice.get("delta") or choice.get("content") or {})
        return event

    return changed


def without_calls(_: Any, delta: Any) -> None:
    delta.pop("tool_calls", None)
    delta["parts"] = [part for part in delta.get("parts", ()) if "functionCall" not in part]


def with_null_as_text(_: Any, delta: Any) -> None:
    if "content" in delta and not isinstance(delta["content"], list):
        delta["content"] = f"{delta['content']}"


def with_strict_arguments(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        call["function"]["arguments"].strip()


def with_the_last_name(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        if not (call.get("function") or {}).get("name", "x"):
            call["function"]["name"] = "undefined"


def without_lists(_: Any, delta: Any) -> None:
    if isinstance(delta.get("content"), list):
        delta["content"] = ""


def ended_well(choice: Any, _: Any) -> None:
    for key in ("finish_reason", "finishReason"):
        if choice.get(key):
            choice[key] = "stop" if key == "finish_reason" else "STOP"


def with_whole_names(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        if "id" not in call:
            call.get("function", {}).pop("name", None)


def with_one_call(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        call["index"] = 0


def without_first_arguments(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls") or ():
        if "id" in call and call.get("function"):
            call["function"]["arguments"] = ""


def without_text_beside_calls(_: Any, delta: Any) -> None:
    if delta.get("tool_calls"):
        delta.pop("content", None)


@pytest.mark.parametrize(
    ("change", "kind", "worst"),
    [
        (without_calls, "native", Verdict.CALL_MISSING),
        (with_null_as_text, "everyday", Verdict.TEXT_LOST),
        (with_strict_arguments, "everyday", Verdict.CRASHED),
        (with_the_last_name, "everyday", Verdict.CALL_MISSING),
        (without_lists, "other-servers", Verdict.TEXT_LOST),
        (ended_well, "cut-off", Verdict.UNSAFE),
        (with_whole_names, "other-servers", Verdict.CALL_MISSING),
        (with_one_call, "native", Verdict.CALL_MISSING),
        (without_first_arguments, "other-servers", Verdict.CALL_MISSING),
        (without_text_beside_calls, "other-servers", Verdict.TEXT_LOST),
    ],
    ids=[
        "native calls", "null is text", "null is a text", "an empty name", "lists", "every end is good", "names in pieces",
        "several calls", "arguments in the first piece", "text beside calls",
    ],
)  # fmt: skip
def test_who_reads_the_second_choice_in_one_wrong_way_is_told(change: Any, kind: str, worst: Verdict) -> None:
    assert told(worst, Rewritten(in_the_second(change)), f"second-choices/{kind}")


def test_who_takes_one_choice_for_the_other_is_told() -> None:
    def as_one(choice: Any, _: Any) -> None:
        choice["index"] = 0

    def first_calls(steps: Steps) -> Steps:
        return [[replace(item, choice=0) if isinstance(item, Ran) else item for item in step] for step in steps]

    assert told(Verdict.TEXT_LOST, Rewritten(in_the_second(as_one)), "second-choices/everyday")
    assert told(Verdict.UNSAFE, Spoilt(first_calls), "second-choices/native")
    only_first = Rewritten(lambda event: {**event, "choices": event["choices"][:1]} if "choices" in event else event)
    assert told(Verdict.CALL_MISSING, only_first, "second-choices/native")


class EndsAll(GuardParser):
    """The guard, to which the reason of the choice that ends first is that of all."""

    def read(self, question: Any) -> Answer:
        ended = ""
        given = json.loads(json.dumps(question["input"]))
        for event in given:
            for choice in event.get("choices") or ():
                ended = ended or choice.get("finish_reason") or ""
                if ended and choice.get("finish_reason"):
                    choice["finish_reason"] = ended
        return super().read({**question, "input": given})


def test_who_takes_the_end_of_one_choice_for_that_of_the_other_runs_what_was_cut_off() -> None:
    assert told(Verdict.UNSAFE, EndsAll(), "second-choices/cut-off")


def test_who_mixes_pieces_of_both_choices_makes_other_calls() -> None:
    def by_index(choice: Any, delta: Any) -> None:
        if delta.get("tool_calls"):
            choice["index"] = 0

    verdicts = {verdict for verdict in Verdict if told(verdict, Rewritten(in_choices(by_index)), "second-choices/native")}
    assert verdicts & {Verdict.UNSAFE, Verdict.CALL_WRONG, Verdict.CALL_MISSING}
