"""Parsers that are right in what comes out, and wrong in when: the rows of `in-time/` tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest
from stream_guard_conformance.conform import Announced, Answer, Ran, Text, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Item
from stream_guard_conformance.corpus import NAMED, corpus

from tests.kit.wrong_parsers import (
    Rewritten,
    Spoilt,
    Steps,
    a_piece_later,
    at_the_end,
    found,
    in_choices,
    moved_to,
    told,
    wrong,
)

# Text


class Holds(GuardParser):
    """The guard, which holds back its text while this is true of what it has read; at the end it says all."""

    def __init__(self, held: Callable[[str], bool]) -> None:
        self.held = held

    def read(self, question: Any) -> Answer:
        read = ""
        steps: Steps = []
        held: list[Item] = []
        for piece, step in zip([*question["input"], None], super().read(question).steps, strict=True):
            read += piece or ""
            steps.append([])
            for item in step:
                (held if isinstance(item, Text) else steps[-1]).append(item)
            if piece is None or not self.held(read):
                steps[-1] = [*held, *steps[-1]]
                held = []
        return Answer(steps)


def behind(opener: str, closer: str) -> Callable[[str], bool]:
    """Whether an opener was read, and no closer behind the last one. Both are patterns; `^` and `$` are ends of lines."""

    def held(read: str) -> bool:
        last = max((found.end() for found in re.finditer(opener, read, re.MULTILINE)), default=None)
        return last is not None and re.search(closer, read[last:], re.MULTILINE) is None

    return held


def odd_backticks(read: str) -> bool:
    return read.count("`") % 2 == 1


def in_a_fence(read: str) -> bool:
    return len(re.findall(r"^ *[`~]{3}", read, re.MULTILINE)) % 2 == 1 and "```json" not in read


HELD: dict[str, tuple[str, Callable[[str], bool]]] = {
    "a lone backtick, until the next one": ("prose", odd_backticks),
    "a backtick, until the end of the line": ("prose", lambda read: "`" in read.rpartition("\n")[2]),
    "a backtick, for good": ("prose", lambda read: "`" in read),
    "a tilde, for good": ("prose", lambda read: "~" in read),
    "two of a mark in a line, for good": ("prose", behind("^(``|~~)$", "never")),
    "three backticks anywhere, until three more": ("prose", lambda read: read.count("```") % 2 == 1),
    "three backticks anywhere, for good": ("prose", lambda read: "```" in read),
    "a fence-like line, for good": ("prose", behind("^```", "never")),
    "a fence in a quote, until the quote ends": ("prose", behind("^> ```json", "\n[^>]")),
    "a fence in a quote, for good": ("prose", behind("^> ```json", "never")),
    "a fence that is indented, until it closes": ("prose", behind("^    ```json", "^    ```$")),
    "a brace, for good": ("prose", lambda read: read.count("{") > read.count("}")),
    "a line that begins with a brace": ("prose", lambda read: read.rpartition("\n")[2].startswith("{")),
    "a list": ("prose", lambda read: read.rpartition("\n")[2].startswith(("-", "1."))),
    "a line, until its end": ("prose", lambda read: not read.endswith("\n")),
    "empty lines, and what stands before them": ("prose", lambda read: read.endswith("\n\n")),
    "the name of a tool, for good": ("prose", lambda read: "delete_file" in read),
    "forty characters": ("prose", lambda read: len(read) % 40 != 0),
    "a fence of Python, until it closes": ("code", behind("^```python", "^```$")),
    "any fence, until it closes": ("code", in_a_fence),
    "any fence, for good": ("code", lambda read: "```" in read),
    "a fence without a language": ("code", behind("^```$", "^```$")),
    "a fence of tildes, until it closes": ("code", behind("^~~~", "^~~~$")),
    "a longer fence, until it closes": ("code", behind("^````markdown", "^````$")),
    "a fence of JSON in a longer one": ("code", behind("^```json", "^```$")),
    "a fence of lines of JSON": ("code", behind("^```jsonl", "^```$")),
    "a fence in a list": ("code", behind("^  ```python", "^  ```$")),
    "reasoning, until the answer begins": ("reasoning", behind("<think>", r"</think>\s*\w")),
    "reasoning and the answer, for good": ("reasoning", lambda read: "<thin" in read),
    "a block of JSON that is no call, for good": ("ordinary-json", lambda read: "```json" in read),
    "text behind a call, until the end": ("around-calls", behind("^```json", "never")),
    "text behind a call, until the next one": ("around-calls", behind("^```json(.|\n)*?^```$", "^```json")),
    "text before a call, until the call": ("around-calls", behind("^Hi", r"^```json")),
}
"""What a parser holds back, and until when; and the class that tells it."""


@pytest.mark.parametrize("what", HELD)
@pytest.mark.some(12)
def test_who_holds_back_what_could_become_no_call_is_late(what: str) -> None:
    kind, held = HELD[what]
    assert told(Verdict.LATE, Holds(held), f"in-time/{kind}")


def choices_in_turn(steps: Steps) -> Steps:
    """The second choice comes when the first has ended."""
    later = [item for step in steps for item in step if item.choice]
    return [*([item for item in step if not item.choice] for step in steps[:-1]), [*steps[-1], *later]]


@pytest.mark.parametrize(
    "name", ["openai-chat", "openai-responses", "anthropic", "ai-sdk", "ag-ui", "gemini", "ollama", "text"]
)
def test_who_says_the_text_of_events_later_is_late(name: str) -> None:
    for change in (moved_to(Text, a_piece_later), moved_to(Text, at_the_end)):
        verdicts = verdicts_of(Spoilt(change), "in-time/events", name)
        assert wrong(verdicts) == {Verdict.LATE}


def verdicts_of(parser: GuardParser, kind: str, protocol: str) -> set[Verdict]:
    return {result.verdict for result in tried([row for row in corpus(only=(kind,)) if row.protocol == protocol], parser)}


def test_who_says_one_choice_behind_the_other_is_late() -> None:
    assert wrong(found(Spoilt(choices_in_turn), "in-time/choices")) == {Verdict.LATE}


# Calls


def announced_at(steps: Steps, number: int, item: Item) -> int:
    named = [at for at, step in enumerate(steps) for one in step if isinstance(one, Announced)]
    return max((at for at in named if at <= number), default=number)


def run_at(steps: Steps, number: int, _: Item) -> int:
    return next((at for at, step in enumerate(steps) if at >= number and any(isinstance(one, Ran) for one in step)), number)


NATIVE = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "ai-sdk", "ag-ui"]

CALLS: dict[str, tuple[Verdict, Callable[[Steps], Steps]]] = {
    "native calls run at the end of the stream": (Verdict.LATE, moved_to(Ran, at_the_end)),
    "a native call is named when it runs": (Verdict.LATE, moved_to(Announced, run_at)),
    "a native call is named a piece later": (Verdict.LATE, moved_to(Announced, lambda _, number, __: number + 1)),
    "a native call is named a piece earlier": (Verdict.EARLY, moved_to(Announced, lambda _, number, __: max(number - 1, 0))),
    "text waits for the call": (Verdict.LATE, moved_to(Text, run_at)),
}


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.some(8)
def test_who_is_early_or_late_with_native_calls_is_told(what: str, name: str) -> None:
    worst, change = CALLS[what]
    verdicts = verdicts_of(Spoilt(change), "calls-in-time/native", name)
    if what == "text waits for the call" and name in ("openai-responses", "anthropic"):
        assert not wrong(verdicts)  # these rows have no text
    else:
        assert worst in verdicts


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "anthropic", "ai-sdk", "ag-ui"])
def test_who_runs_a_native_call_when_it_is_named_is_early(name: str) -> None:
    assert Verdict.EARLY in verdicts_of(Spoilt(moved_to(Ran, announced_at)), "calls-in-time/native", name)


def test_who_names_a_tool_before_its_name_is_whole_is_early() -> None:
    class Guesses(GuardParser):
        """The guard, to which the first piece of a name is enough where one tool begins like it."""

        def read(self, question: Any) -> Answer:
            steps: Steps = [list(step) for step in super().read(question).steps]
            for step in steps:
                step[:] = [item for item in step if not isinstance(item, Announced)]
            names = [tool["name"] for tool in question["tools"]]
            for number, event in enumerate(question["input"]):
                for call in [call for choice in event["choices"] for call in choice["delta"].get("tool_calls", ())]:
                    if call["function"].get("name") and "id" in call:
                        guess = next((name for name in names if name.startswith(call["function"]["name"])), "")
                        steps[number].append(Announced(guess))
            return Answer(steps)

    assert told(Verdict.EARLY, Guesses(), "calls-in-time/names")


def test_who_takes_the_first_piece_of_a_name_for_the_name_is_told() -> None:
    def first(_: Any, delta: Any) -> None:
        for call in delta.get("tool_calls", ()):
            if "id" not in call:
                call["function"].pop("name", None)

    assert told(Verdict.UNSAFE, Rewritten(in_choices(first)), "calls-in-time/names")


DIALECTS: dict[str, tuple[Verdict, Callable[[Steps], Steps]]] = {
    "calls run at the end of the stream": (Verdict.LATE, moved_to(Ran, at_the_end)),
    "a call runs when it is named": (Verdict.EARLY, moved_to(Ran, announced_at)),
    "a call is named when it runs": (Verdict.LATE, moved_to(Announced, run_at)),
    "a call is named with its opener": (Verdict.EARLY, moved_to(Announced, lambda _, number, __: number - 1)),
    "text before a call waits for it": (Verdict.LATE, moved_to(Text, run_at)),
    "text behind a call waits for the end": (Verdict.LATE, moved_to(Text, at_the_end)),
}


@pytest.mark.parametrize("what", DIALECTS)
def test_who_is_early_or_late_with_calls_in_dialects_is_told(what: str) -> None:
    worst, change = DIALECTS[what]
    assert told(worst, Spoilt(change), "calls-in-time/dialects")


def all_names_first(steps: Steps) -> Steps:
    """The names of all calls that will run come with the first piece."""
    names: list[Item] = [Announced(item.name, item.choice) for step in steps for item in step if isinstance(item, Ran)]
    kept: Steps = [[item for item in step if not isinstance(item, Announced)] for step in steps]
    kept[0] = [*names, *kept[0]]
    return kept


FEW = frozenset({"streams", "several", "schemas", "endings", "reasoning", "intent", "integers"})
"""What a parser of one dialect, or of one protocol, claims beside it."""


@pytest.mark.parametrize("name", [name for name in NAMED if name.startswith("dialect:")])
@pytest.mark.parametrize("beside", ["text", "announce"])
def test_who_gives_all_at_the_end_is_told_by_each_dialect(name: str, beside: str) -> None:
    parser = Spoilt(moved_to(object, at_the_end))
    parser.capabilities = FEW | {name, beside}
    assert Verdict.LATE in found(parser, "calls-in-time/")
    parser = Spoilt(all_names_first)
    parser.capabilities = FEW | {name, "announce"}
    assert Verdict.EARLY in found(parser, "calls-in-time/")


@pytest.mark.parametrize("name", [name for name in NAMED if name.startswith("protocol:")])
def test_who_gives_all_at_the_end_is_told_by_each_protocol(name: str) -> None:
    parser = Spoilt(moved_to(object, at_the_end))
    parser.capabilities = FEW | {name, "text"}
    assert Verdict.LATE in found(parser, "in-time/events")
    if name.removeprefix("protocol:") in NATIVE:
        parser.capabilities = FEW | {name, "native", "announce"}
        assert Verdict.LATE in found(parser, "calls-in-time/native")
        parser = Spoilt(all_names_first)
        parser.capabilities = FEW | {name, "native", "announce"}
        assert Verdict.EARLY in found(parser, "calls-in-time/native")


# Parsers of another taste


class Keeps(GuardParser):
    """The guard, which keeps the end of what it has read, from this place on; it reads texts without calls."""

    def __init__(self, place: Callable[[str], int]) -> None:
        self.place = place

    def read(self, question: Any) -> Answer:
        read = came = ""
        said = 0
        steps: Steps = []
        for piece, step in zip([*question["input"], None], super().read(question).steps, strict=True):
            read += piece or ""
            came += "".join(item.text for item in step if isinstance(item, Text))
            end = len(came) if piece is None else max(said, min(len(came), self.place(read)))
            steps.append([Text(came[said:end])])
            said = end
        return Answer(steps)


def found_at(pattern: str) -> Callable[[str], int]:
    """From what this pattern finds on, a text is kept."""

    def place(read: str) -> int:
        found = re.search(pattern, read, re.MULTILINE)
        return len(read) if found is None else found.start()

    return place


TASTES: dict[str, Callable[[str], int]] = {
    "a line that begins with a mark": found_at(r"^[ \t>*+-]*[`~<\[][^\n]*\Z"),
    "blanks": found_at(r"\s*\Z"),
    "a line of blanks": found_at(r"^[ \t]+\Z"),
    "marks": found_at(r"[`~]+\Z|`{3}[^\n]*\Z|<[^\n]*\Z"),
    "a block of JSON": lambda read: found_at(r"^```json$(?!(.|\n)*^```\n)")(read) if "````" not in read else len(read),
}
"""What a careful parser may keep until the sign behind it, or the end of its line or block."""


@pytest.mark.parametrize("taste", TASTES)
def test_who_keeps_no_more_than_could_become_a_call_is_right(taste: str) -> None:
    kinds = ("in-time/prose", "in-time/code", "in-time/reasoning", "in-time/ordinary-json")
    results = list(tried(corpus(only=kinds), Keeps(TASTES[taste])))
    assert not [(result.row.id, result.finding) for result in results if not result.verdict.right]


def test_who_runs_a_call_as_soon_as_it_is_whole_is_right() -> None:
    rows = {row.id: row for row in corpus(only=("calls-in-time/native",))}

    class Runs(GuardParser):
        """The guard, of which each call runs with the piece that completes it and those before it."""

        def read(self, question: Any) -> Answer:
            given = super().read(question).steps
            steps: Steps = [[item for item in step if not isinstance(item, Ran)] for step in given]
            ran = [item for step in given for item in step if isinstance(item, Ran)]
            calls = rows[question["id"]].calls
            for ready, item in zip(accumulate((call.ready or 0 for call in calls), max), ran, strict=True):
                steps[ready].append(item)
            return Answer(steps)

    assert not wrong(found(Runs(), "calls-in-time/native"))
