"""Parsers that are wrong in one way each, and one that is right by JSON and the schemas: the corpus tells them apart."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import jsonschema_rs
import pytest
from stream_guard_conformance.conform import Announced, Answer, Failed, Ran, Text, Verdict, check, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Item
from stream_guard_conformance.corpus import SEED, Meant, Row, corpus

from tests.kit.wrong_parsers import (
    Misread,
    Rewritten,
    Spoilt,
    Steps,
    a_piece_later,
    at_the_end,
    found,
    in_choices,
    moved_to,
    reason_is,
    wrong,
)

# Fences


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r"^`{4,}", "```", text, flags=re.MULTILINE),
        lambda text: re.sub(r"^~{4,}", "~~~", text, flags=re.MULTILINE),
        lambda text: re.sub(r"^~{3,}[ \t]*$", "```", text, flags=re.MULTILINE),
        lambda text: re.sub(r"^~{3,}|^`{3,}", "```", text, flags=re.MULTILINE),
        lambda text: re.sub(r"^(`{3,}) js$", r"\1", text, flags=re.MULTILINE),
    ],
    ids=["longer is shorter", "longer tildes", "a tilde line is a closer", "all are one", "words behind a closer"],
)
def test_who_ends_a_fence_at_another_one_runs_what_is_quoted(change: Callable[[str], str]) -> None:
    assert Verdict.UNSAFE in found(Misread(change), "text/quoted-fences")


# Equal calls


def once(steps: Steps) -> Steps:
    """Of equal calls, the first."""
    seen: list[Ran] = []
    kept: Steps = []
    for step in steps:
        kept.append([])
        for item in step:
            again = isinstance(item, Ran) and item in seen
            kept[-1].append(Failed("it ran") if again else item)
            if isinstance(item, Ran):
                seen.append(item)
    return kept


@pytest.mark.parametrize("kind", ["exact/equal-calls", "native/openai-chat", "native/gemini", "dialect/hermes"])
def test_who_drops_the_second_of_two_equal_calls_misses_it(kind: str) -> None:
    assert wrong(found(Spoilt(once), kind)) == {Verdict.CALL_MISSING}


# Values and text that come out as others


def in_values(change: Callable[[Any], Any]) -> Callable[[Steps], Steps]:
    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(held) for key, held in value.items()}
        return [walk(held) for held in value] if isinstance(value, list) else change(value)

    return lambda steps: [
        [replace(item, arguments=walk(item.arguments)) if isinstance(item, Ran) else item for item in step] for step in steps
    ]


def in_text(change: Callable[[str], str]) -> Callable[[Steps], Steps]:
    return lambda steps: [
        [replace(item, text=change(item.text)) if isinstance(item, Text) else item for item in step] for step in steps
    ]


def as_double(value: Any) -> Any:
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("kind", ["exact/integers", "native/anthropic", "native/ollama", "dialect/hermes", "dialect/pythonic"])
def test_who_reads_integers_as_doubles_runs_other_calls_unless_it_says_so(kind: str) -> None:
    parser = Spoilt(in_values(as_double))
    assert wrong(found(parser, kind)) == {Verdict.CALL_WRONG}
    parser.capabilities = GuardParser.capabilities - {"integers"}
    assert found(parser, kind) >= {Verdict.PASSED, Verdict.NOT_CLAIMED}
    assert not wrong(found(parser, kind))


def test_integers_that_every_double_has_need_no_claim() -> None:
    parser = Spoilt(in_values(lambda value: value % 2**32 if isinstance(value, int) and not isinstance(value, bool) else value))
    parser.capabilities = GuardParser.capabilities - {"integers"}
    assert Verdict.CALL_WRONG in found(parser, "exact/integers")


ALTERED: dict[str, Callable[[str], str]] = {
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "NFKC": lambda text: unicodedata.normalize("NFKC", text),
    "no characters of no width": lambda text: re.sub("[\u00ad\u200b-\u200d\u2060\ufeff]", "", text),
    "no marks of direction": lambda text: re.sub("[\u200f\u202a-\u202e\u2066-\u2069]", "", text),
    "no null characters": lambda text: text.replace("\0", ""),
    "no control characters": lambda text: re.sub("[\x01-\x07\x0e-\x1f\x7f]", "", text),
    "line separators are line ends": lambda text: re.sub("[\u2028\u2029\x85]", "\n", text),
    "blanks are spaces": lambda text: re.sub("[\u00a0\u3000\u2009]", " ", text),
    "half of Unicode": lambda text: re.sub("[\U00010000-\U0010ffff]", "\ufffd", text),
    "no entities": lambda text: text.replace("&amp;", "&"),
    "line ends of Unix": lambda text: text.replace("\r\n", "\n"),
    "lower case": str.casefold,
    "plain quotes": lambda text: text.replace("\u201c", '"').replace("\u2019", "'"),
    "no blanks at the ends of lines": lambda text: re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE),
}
"""What becomes of a text or a value on its way."""


@pytest.mark.parametrize("how", ALTERED)
def test_who_alters_characters_loses_text_and_runs_other_calls(how: str) -> None:
    change = ALTERED[how]
    assert wrong(found(Spoilt(in_text(change)), "exact/characters")) == {Verdict.TEXT_LOST}
    values = in_values(lambda value: change(value) if isinstance(value, str) else value)
    assert wrong(found(Spoilt(values), "exact/characters")) == {Verdict.CALL_WRONG}


@pytest.mark.parametrize("kind", ["native/openai-chat", "native/whole-replies", "dialect/kimi_k2"])
def test_who_writes_paths_in_another_form_runs_other_calls(kind: str) -> None:
    values = in_values(lambda value: unicodedata.normalize("NFC", value) if isinstance(value, str) else value)
    assert wrong(found(Spoilt(values), kind)) == {Verdict.CALL_WRONG}


def test_who_takes_a_separator_of_unicode_for_a_line_end_runs_what_is_no_block() -> None:
    assert Verdict.UNSAFE in found(Misread(lambda text: "\n".join(text.splitlines()) + "\n"), "exact/characters")


# Empty deltas


@pytest.mark.parametrize("kind", ["exact/empty-deltas", "protocol/text"])
def test_who_takes_an_empty_delta_for_the_end_loses_the_rest(kind: str) -> None:
    class Ends(GuardParser):
        def read(self, question: Any) -> Answer:
            steps = [*super().read(question).steps]
            end = question["input"].index("") if "" in question["input"] else len(steps)
            return Answer([*steps[:end], *([] for _ in steps[end:])])

    assert {Verdict.CALL_MISSING, Verdict.TEXT_LOST} <= found(Ends(), kind)


# Order


def text_behind_calls(steps: Steps) -> Steps:
    return [sorted(step, key=lambda item: isinstance(item, Text)) for step in steps]


def text_before_calls(steps: Steps) -> Steps:
    return [sorted(step, key=lambda item: not isinstance(item, Text)) for step in steps]


@pytest.mark.parametrize(
    "change",
    [moved_to(Ran, at_the_end), text_behind_calls, text_before_calls, moved_to(Ran, a_piece_later)],
    ids=["calls_at_the_end", "text_behind_calls", "text_before_calls", "a_piece_later"],
)
@pytest.mark.parametrize("kind", ["fence/calls", "exact/equal-calls"])
def test_who_mixes_up_text_and_calls_is_late(change: Callable[[Steps], Steps], kind: str) -> None:
    assert wrong(found(Spoilt(change), kind)) == {Verdict.LATE}


CALLS = [Meant("drop", {"path": path}) for path in "ab"]
RAN = [Ran("drop", {"path": path}) for path in "ab"]


def of(*steps: list[Item], row: Row, claims: Iterable[str] = GuardParser.capabilities) -> Verdict:
    return check(row, Answer(steps), frozenset(claims)).verdict


def test_a_call_runs_between_the_texts_around_it() -> None:
    row = Row("a", "Tries.", [], ["x"], CALLS, texts=[["One.\n", "", "Two.\n", "", "Three."]])
    one, two, three = map(Text, ("One.\n", "Two.", "\nThree."))
    a, b = RAN
    assert of([one, a, two, b, three], row=row) is Verdict.PASSED
    assert of([one, a, Text("Tw"), Text("o.\n "), b, three], row=row) is Verdict.PASSED
    mixed: list[Steps] = [
        [[a, b, one, two, three]],
        [[one, two, three, a, b]],
        [[one, a, b, two, three]],
        [[one, a, Text("Tw"), b, Text("o."), three]],
    ]
    for (items,) in mixed:
        assert of(items, row=row) is Verdict.LATE
        assert of(items, row=row, claims={"text", "several"}) is Verdict.PASSED  # it knows no time
        assert check(row, Answer.whole(items), GuardParser.capabilities).verdict is Verdict.PASSED
    block = replace(row, texts=[["One.", "", "Two."]])
    assert of([one, a, b, two], row=block) is Verdict.PASSED
    assert of([one, a, two, b], row=block) is Verdict.LATE
    for texts in (["One.", None, "Two."], ["One.", "Two."]):  # which do not say where
        assert of([a, b, one, two], row=replace(row, texts=[texts])) is Verdict.PASSED


def test_a_call_has_run_with_the_end_of_its_block() -> None:
    timed = Row("a", "Tries.", [], list("abcd"), [replace(CALLS[0], named=0, ready=1, due=2)])
    named, ran = Announced("drop"), RAN[0]
    assert of([named], [ran], [], [], [], row=timed) is Verdict.PASSED
    assert of([named], [], [ran], [], [], row=timed) is Verdict.PASSED
    assert of([named], [], [], [ran], [], row=timed) is Verdict.LATE
    assert of([named], [], [], [], [ran], row=timed) is Verdict.LATE
    open_ended = replace(timed, calls=[replace(timed.calls[0], due=None)])
    assert of([named], [], [], [], [ran], row=open_ended) is Verdict.PASSED


# Text of a choice that the reply does not have


def says_in_another_choice(steps: Steps) -> Steps:
    return [[*steps[0], Text("FORGED", choice=5)], *steps[1:]]


@pytest.mark.parametrize("kind", ["text/prose", "fence/calls", "protocol/several-choices", "native/openai-chat"])
def test_who_says_something_in_a_choice_that_is_none_is_told(kind: str) -> None:
    assert wrong(found(Spoilt(says_in_another_choice), kind)) <= {Verdict.TEXT_LOST, Verdict.TEXT_LEAKED}
    assert Verdict.PASSED not in found(Spoilt(says_in_another_choice), kind)


def test_text_of_a_choice_that_is_none_is_leaked_where_a_call_ran_and_otherwise_lost() -> None:
    row = Row("a", "Tries.", [], ["x"], CALLS[:1], texts=[[""]])
    assert of([RAN[0]], row=row) is Verdict.PASSED
    assert of([RAN[0], Text("x", 5)], row=row) is Verdict.TEXT_LEAKED
    assert of([RAN[0], Text("", 5)], row=row) is Verdict.PASSED
    assert of([Text("x", 5)], row=replace(row, calls=())) is Verdict.TEXT_LOST
    assert of([Text("x", 5)], row=replace(row, calls=(), texts=None)) is Verdict.PASSED  # it states nothing about text


# Events


@pytest.mark.parametrize(
    ("reason", "other"),
    [
        ("length", "stop"),
        ("content_filter", "stop"),
        ("content-filter", "stop"),
        ("max_tokens", "end_turn"),
        ("refusal", "end_turn"),
        ("MAX_TOKENS", "STOP"),
        ("SAFETY", "STOP"),
    ],
)
def test_who_takes_a_reason_for_a_normal_end_runs_what_was_cut_off(reason: str, other: str) -> None:
    assert Verdict.UNSAFE in found(Rewritten(reason_is(reason, other)), "cut-off/in-events")


class Ends(GuardParser):
    """The guard, which takes the end of any stream of chat completions for that of the reply."""

    def __init__(self, reason: str) -> None:
        self.last = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}

    def read(self, question: Any) -> Answer:
        if question["form"] != "events" or question["protocol"] != "openai-chat":
            return super().read(question)
        steps = [*super().read({**question, "input": [*question["input"], self.last]}).steps]
        return Answer([*steps[:-2], [*steps[-2], *steps[-1]]])


@pytest.mark.parametrize("reason", ["stop", "tool_calls"])
def test_who_needs_no_reason_runs_what_was_cut_off(reason: str) -> None:
    assert Verdict.UNSAFE in found(Ends(reason), "cut-off/in-events")


def without_first_arguments(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls", ()):
        if "id" in call:
            call["function"]["arguments"] = ""


def without_text_beside_calls(_: Any, delta: Any) -> None:
    if "tool_calls" in delta:
        delta.pop("content", None)


def without_lists(_: Any, delta: Any) -> None:
    if isinstance(delta.get("content"), list):
        delta["content"] = ""


def without_calls_that_are_not_claimed(choice: Any, delta: Any) -> None:
    if choice["finish_reason"] == "stop":
        delta.pop("tool_calls", None)


def with_whole_names(_: Any, delta: Any) -> None:
    for call in delta.get("tool_calls", ()):
        if "id" not in call:
            call["function"].pop("name", None)


@pytest.mark.parametrize(
    ("change", "worst"),
    [
        (in_choices(without_first_arguments), Verdict.CALL_MISSING),
        (in_choices(without_text_beside_calls), Verdict.TEXT_LOST),
        (in_choices(without_lists), Verdict.TEXT_LOST),
        (in_choices(without_calls_that_are_not_claimed), Verdict.CALL_MISSING),
        (in_choices(with_whole_names), Verdict.CALL_MISSING),
        (lambda event: {**event, "choices": event["choices"][:1]}, Verdict.CALL_MISSING),
    ],
    ids=["first arguments", "text beside calls", "lists of parts", "calls at stop", "a name in pieces", "the second choice"],
)
def test_who_reads_events_only_as_most_servers_send_them_loses_some(change: Callable[[Any], Any], worst: Verdict) -> None:
    assert worst in found(Rewritten(change), "other-servers/openai-chat")


def test_who_stops_reading_text_at_a_native_call_loses_the_rest() -> None:
    class Stops(GuardParser):
        def read(self, question: Any) -> Answer:
            called = False
            given = json.loads(json.dumps(question["input"]))
            for event in given:
                for choice in event["choices"]:
                    if called:
                        choice["delta"].pop("content", None)
                    called = called or "tool_calls" in choice["delta"]
            return super().read({**question, "input": given})

    assert Verdict.TEXT_LOST in found(Stops(), "other-servers/openai-chat")


def test_who_loses_what_stands_behind_a_native_call_is_told_in_every_protocol() -> None:
    def stops(steps: Steps) -> Steps:
        flat = [(number, item) for number, step in enumerate(steps) for item in step]
        first = next((at for at, (_, item) in enumerate(flat) if isinstance(item, Announced | Ran)), len(flat))
        kept: Steps = [[] for _ in steps]
        for at, (number, item) in enumerate(flat):
            if at <= first or not isinstance(item, Text):
                kept[number].append(item)
        return kept

    for name in ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "ai-sdk", "ag-ui"):
        assert Verdict.TEXT_LOST in found(Spoilt(stops), f"other-servers/{name}"), name


# Right by JSON and by the schemas


class Plain:
    """Runs what is JSON between two fences and valid by the schema of its tool, and doubts nothing else."""

    name = "plain"
    capabilities = frozenset({"fence", "several", "schemas", "integers"})

    def read(self, question: Any) -> Answer:
        tools = {tool["name"]: jsonschema_rs.validator_for(tool["input_schema"]) for tool in question["tools"]}
        return Answer.whole(self.calls("".join(question["input"]), tools))

    def calls(self, text: str, tools: dict[str, Any]) -> Iterable[Item]:
        for body in blocks(text):
            try:
                call = json.loads(body, object_pairs_hook=members, parse_constant=refuse)
                json.dumps(call, ensure_ascii=False).encode()
                given = {key: value for key, value in call.items() if key != "tool"}
                if tools[call["tool"]].is_valid(given):
                    yield Ran(call["tool"], given)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue


def blocks(text: str) -> Iterable[str]:
    """The bodies of the closed blocks of JSON, by the rules of CommonMark."""
    mark, ours, body = "", False, ""
    for line in text.split("\n"):
        fence = re.fullmatch(r" {0,3}(`{3,}|~{3,})[ \t]*(.*?)[ \t\r]*", line)
        if not mark and fence and not (fence[1][0] == "`" and "`" in fence[2]):
            mark, ours, body = fence[1], fence[2] == "json", ""
        elif mark and fence and fence[1].startswith(mark) and not fence[2]:
            if ours:
                yield body
            mark = ""
        else:
            body += f"{line}\n"


def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a member stands there twice")
    return dict(pairs)


def refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def test_who_is_right_by_json_and_the_schemas_is_right() -> None:
    """A doubt beyond them, such as about a path with one backslash, is a capability of its own."""
    is_right_where_it_claims_no_doubts(SEED)


@pytest.mark.some(0)
def test_who_is_right_by_json_and_the_schemas_is_right_on_other_rows() -> None:
    is_right_where_it_claims_no_doubts(SEED + 1)


@pytest.mark.parametrize(
    "keywords", [("minLength", "maxLength"), ("minItems", "maxItems"), ("pattern",), ("anyOf",), ("maximum",)]
)
def test_who_does_not_know_a_bound_runs_what_is_beyond_it(keywords: Sequence[str]) -> None:
    class Blind(Plain):
        def read(self, question: Any) -> Answer:
            tools = json.loads(json.dumps(question["tools"]))
            for tool in tools:
                for schema in tool["input_schema"]["properties"].values():
                    for keyword in keywords:
                        schema.pop(keyword, None)
            return super().read({**question, "tools": tools})

    assert found(Blind(), "refused/bounds") >= {Verdict.UNSAFE, Verdict.PASSED}
    assert not wrong(found(Plain(), "refused/bounds"))


def test_who_reads_numbers_that_json_does_not_have_runs_calls_with_them() -> None:
    class Reads(Plain):
        def calls(self, text: str, tools: dict[str, Any]) -> Iterable[Item]:
            for body in blocks(text):
                call = json.loads(body)
                name = call.pop("tool")
                finite = {key: 1.0 if value != value or value in (inf, -inf) else value for key, value in call.items()}
                if tools[name].is_valid(finite):
                    yield Ran(name, call)

    assert wrong(found(Reads(), "refused/bounds")) == {Verdict.UNSAFE}


def test_who_does_not_tell_ordinary_json_from_a_call_is_not_tried_on_it() -> None:
    class Swallows(GuardParser):
        """A fence of JSON is a call to it, and one without a tool a call that failed."""

        capabilities = GuardParser.capabilities - {"intent", "announce", "hints"}

        def read(self, question: Any) -> Answer:
            [items] = super().read(question).steps
            text = "".join(item.text for item in items if isinstance(item, Text))
            rest = [item for item in items if not isinstance(item, Text)]
            return Answer.whole([Text(re.sub(r"```json\n.*?```", "", text, flags=re.DOTALL)), *rest])

    assert not wrong(found(Swallows(), "protocol/whole-replies"))
    Swallows.capabilities = GuardParser.capabilities
    assert Verdict.TEXT_LOST in found(Swallows(), "protocol/whole-replies")


def is_right_where_it_claims_no_doubts(seed: int) -> None:
    kinds = ("broken", "refused", "exact", "text/quoted-fences", "text/examples", "cut-off/in-a-closed-fence")
    beside = {"streams", "text", "endings"}  # it reads whole texts, and runs nothing that is not closed
    texts = [row for row in corpus(seed, kinds) if row.form == "text"]
    whole = [replace(row, needs=[need for need in row.needs if need not in beside]) for row in texts]
    results = list(tried(whole, Plain()))
    assert not [(result.row.id, result.finding) for result in results if not result.verdict.right]
    assert sum(result.verdict is Verdict.PASSED for result in results) > 800
    doubting = Plain()
    doubting.capabilities = Plain.capabilities | {"doubts"}
    assert Verdict.UNSAFE in {result.verdict for result in tried(whole, doubting)}
