"""Parsers that are wrong where a delta ends within a character: the rows of `half-pairs/` tell them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Text, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus import corpus

from tests.kit.wrong_parsers import Steps, found, told, wrong

HALF = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")


class Reads(GuardParser):
    """The guard, which reads each text of a stream in another way; the function is made anew for each stream."""

    def __init__(self, make: Callable[[], Callable[[str], str]]) -> None:
        self.make = make

    def read(self, question: Any) -> Answer:
        change = self.make()

        def deep(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: deep(held) for key, held in value.items()}
            if isinstance(value, list):
                return [deep(held) for held in value]
            return change(value) if isinstance(value, str) else value

        return super().read({**question, "input": deep(question["input"])})


def replaced() -> Callable[[str], str]:
    return lambda text: HALF.sub("\ufffd", text)


def dropped() -> Callable[[str], str]:
    return lambda text: HALF.sub("", text)


def strict() -> Callable[[str], str]:
    return lambda text: text.encode().decode()


def kept_for_one_delta() -> Callable[[str], str]:
    """Half a pair at the end of a text waits for the next text, even an empty one, and then is replaced."""
    half = ""

    def change(text: str) -> str:
        nonlocal half
        whole = (half + text).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        half = whole[-1:] if text and HALF.match(whole[-1:]) else ""
        return HALF.sub("\ufffd", whole[: len(whole) - len(half)])

    return change


KINDS = ("text", "events", "native", "names")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("make", "worst"),
    [
        (replaced, {Verdict.TEXT_LOST, Verdict.CALL_WRONG, Verdict.CALL_MISSING, Verdict.UNSAFE}),
        (dropped, {Verdict.TEXT_LOST, Verdict.CALL_WRONG, Verdict.CALL_MISSING, Verdict.UNSAFE}),
        (strict, {Verdict.CRASHED}),
    ],
)
def test_who_cannot_hold_half_a_pair_is_told_unless_it_says_so(
    kind: str, make: Callable[[], Callable[[str], str]], worst: set[Verdict]
) -> None:
    parser = Reads(make)
    verdicts = wrong(found(parser, f"half-pairs/{kind}"))
    assert verdicts
    assert verdicts <= worst
    parser.capabilities = GuardParser.capabilities - {"halves"}
    assert found(parser, f"half-pairs/{kind}") == {Verdict.NOT_CLAIMED}


def test_who_keeps_half_a_pair_for_the_next_delta_only_loses_it() -> None:
    class Keeps(GuardParser):
        def read(self, question: Any) -> Answer:
            change = kept_for_one_delta()
            return super().read({**question, "input": [change(delta) for delta in question["input"]]})

    assert told(Verdict.TEXT_LOST, Keeps(), "half-pairs/text")


def test_who_keeps_one_half_for_all_texts_of_a_stream_mixes_them_up() -> None:
    class Shares(GuardParser):
        """The guard, which keeps half a pair at the end of any text for the next text, whose ever that is."""

        def read(self, question: Any) -> Answer:
            change = kept_for_one_delta()

            def walk(value: Any, key: str = "") -> Any:
                if isinstance(value, dict):
                    return {name: walk(held, name) for name, held in value.items()}
                if isinstance(value, list):
                    return [walk(held, key) for held in value]
                said = key in ("content", "text", "reasoning_content") and isinstance(value, str)
                return change(value) if said else value

            return super().read({**question, "input": walk(json.loads(json.dumps(question["input"])))})

    assert told(Verdict.TEXT_LOST, Shares(), "half-pairs/choices")
    assert told(Verdict.TEXT_LOST, Shares(), "half-pairs/reasoning")


def test_who_says_half_a_pair_as_it_comes_and_who_waits_for_the_other_are_right() -> None:
    class Waits(GuardParser):
        """The guard, of which half a pair comes out with the other half."""

        def read(self, question: Any) -> Answer:
            steps: Steps = []
            kept = ""
            given = super().read(question).steps
            for number, step in enumerate(given):
                steps.append([item for item in step if not isinstance(item, Text)])
                text = kept + "".join(item.text for item in step if isinstance(item, Text))
                text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
                kept = text[-1:] if HALF.match(text[-1:]) and number < len(given) - 1 else ""
                steps[-1].insert(0, Text(text[: len(text) - len(kept)]))
            return Answer(steps)

    rows = [row for row in corpus(only=("half-pairs/text", "half-pairs/alone")) if not row.calls]
    assert all(result.verdict.right for result in tried(rows, Waits()))
