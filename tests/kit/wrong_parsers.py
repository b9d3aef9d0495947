"""Parsers that are wrong in one way: the guard, of which answers, texts or events are changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from stream_guard_conformance.conform import Answer, Parser, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Item
from stream_guard_conformance.corpus import SEED, corpus

Steps = list[list[Item]]


def found(parser: Parser, *only: str, seed: int = SEED) -> set[Verdict]:
    """The verdicts on the rows of some classes."""
    return {result.verdict for result in tried(corpus(seed, only), parser)}


def told(verdict: Verdict, parser: Parser, *only: str) -> bool:
    """Whether a row of some classes has this verdict on a parser; no more are tried."""
    return any(result.verdict is verdict for result in tried(corpus(only=only), parser))


def wrong(verdicts: Iterable[Verdict]) -> set[Verdict]:
    return {verdict for verdict in verdicts if not verdict.right}


class Spoilt(GuardParser):
    """The guard, of which some answers are changed."""

    def __init__(self, change: Callable[[Steps], Steps]) -> None:
        self.change = change

    def read(self, question: Any) -> Answer:
        answer = super().read(question)
        return Answer(self.change([list(step) for step in answer.steps]), answer.timed)


def moved_to(kind: type[object], where: Callable[[Steps, int, Item], int]) -> Callable[[Steps], Steps]:
    """Items of a kind come at another step: those of `object` are all."""

    def change(steps: Steps) -> Steps:
        kept: Steps = [[item for item in step if not isinstance(item, kind)] for step in steps]
        for number, step in enumerate(steps):
            for item in step:
                if isinstance(item, kind):
                    kept[where(steps, number, item)].append(item)
        return kept

    return change


def at_the_end(steps: Steps, _number: int, _item: Item) -> int:
    """Return the last step."""
    return len(steps) - 1


def a_piece_later(steps: Steps, number: int, _item: Item) -> int:
    """Return the next step; there is none behind the last."""
    return min(number + 1, len(steps) - 1)


class Misread(GuardParser):
    """The guard, which reads another text than it is given."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self.change = change

    def read(self, question: Any) -> Answer:
        steps = super().read({**question, "input": [self.change("".join(question["input"]))]}).steps
        return Answer.whole(item for step in steps for item in step)


class Rewritten(GuardParser):
    """The guard, which reads other events than it is given."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.change = change

    def read(self, question: Any) -> Answer:
        return super().read({**question, "input": [self.change(event) for event in question["input"]]})


def in_choices(change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Callable[[Any], Any]:
    """Change each choice of an event of chat completions; `change` takes the choice and its delta."""

    def changed(event: Any) -> Any:
        event = json.loads(json.dumps(event))
        for choice in event.get("choices", ()):
            change(choice, choice.get("delta", choice.get("message")))
        return event

    return changed


def reason_is(reason: str, other: str) -> Callable[[Any], Any]:
    """Take a reason of any protocol for another."""
    return lambda event: json.loads(json.dumps(event).replace(json.dumps(reason), json.dumps(other)))
