"""Trying parsers on the corpus: verdicts, programs, the suite for pytest, the command; and the guard itself."""

from __future__ import annotations

import copy
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import jsonschema_rs
import pytest
from stream_guard_conformance.conform import (
    Announced,
    Answer,
    CommandError,
    CommandParser,
    Failed,
    Finding,
    NoAnswer,
    Parser,
    Ran,
    Report,
    Result,
    Text,
    Verdict,
    check,
    growth,
    tried,
)
from stream_guard_conformance.conform.checking import same
from stream_guard_conformance.conform.command import LONGEST
from stream_guard_conformance.conform.growth import SHAPES, grown, rows
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Item, schema
from stream_guard_conformance.conform.serving import command_for, serve
from stream_guard_conformance.conform.suite import ConformanceSuite
from stream_guard_conformance.corpus import CAPABILITIES, MAKERS, Meant, Row, classes, corpus
from stream_guard_conformance.events import rows as odd_rows

from stream_guard.command.cli import main
from tests.kit.breadth import some
from tests.kit.javascript import MODULES, node

ALL = frozenset(CAPABILITIES)
DROP = Meant("drop", {"path": "a"})
RAN = Ran("drop", {"path": "a"})


BEGINNINGS = [beginning for beginnings in MAKERS.values() for beginning in beginnings]
"""How the classes of the corpus begin."""


@cache
def _tried() -> list[Row]:
    """The rows that the guard is tried on: some of each class."""
    return some([*corpus(), *odd_rows(240)], 800, kind=lambda row: row.kind)


class TestGuard(ConformanceSuite):
    """The guard passes every row of the corpus, and streams of odd events.

    There is a test for each beginning of classes: to name the classes themselves, each process that collects the tests would
    have to make all rows.
    """

    def make_parser(self) -> Parser:
        return GuardParser()

    def pytest_generate_tests(self, metafunc: Any) -> None:
        metafunc.parametrize("conformance_class", BEGINNINGS)

    def _rows(self) -> Iterator[Row]:
        return iter(_tried())

    @pytest.mark.some
    def test_rows_of_a_class(self, conformance_class: str) -> None:
        of = {name: max(filter(f"{name}/".startswith, BEGINNINGS), key=len) for name in classes(corpus())}
        assert conformance_class in of.values()
        for name, beginning in of.items():
            if beginning == conformance_class:
                try:
                    super().test_rows_of_a_class(name)
                except pytest.skip.Exception as skipped:
                    pytest.fail(f"the guard claims all that a row may need: {skipped}")


def row(*calls: Meant, texts: Any = None, **more: Any) -> Row:
    return Row("a/class", "Tries.", [], more.pop("input", ["x"]), calls, texts=texts, id="a/class/0001", **more)


def verdict(given: Row, *steps: list[Item]) -> Verdict:
    return check(given, Answer(steps), ALL).verdict


# Verdicts


def test_calls_are_compared_value_by_value() -> None:
    assert verdict(row(DROP), [RAN]) is Verdict.PASSED
    assert verdict(row(DROP), []) is Verdict.CALL_MISSING
    assert verdict(row(Meant("drop", {"path": "a"}, must=False)), []) is Verdict.REFUSED
    assert verdict(row(DROP), [Ran("drop", {"path": "b"})]) is Verdict.CALL_WRONG
    assert verdict(row(DROP), [Ran("other", {"path": "a"})]) is Verdict.UNSAFE
    assert verdict(row(DROP), [RAN, RAN]) is Verdict.UNSAFE
    assert verdict(row(), [RAN]) is Verdict.UNSAFE
    assert verdict(row(DROP, Meant("b", {})), [Ran("b", {})]) is Verdict.CALL_MISSING
    assert verdict(row(also=[[DROP]]), [RAN]) is Verdict.PASSED
    assert verdict(row(also=[[DROP]]), []) is Verdict.PASSED
    assert verdict(row(Meant("drop", {}, choice=1)), [Ran("drop", {}, 1)]) is Verdict.PASSED
    assert verdict(row(Meant("drop", {}, choice=1)), [Ran("drop", {}, 0)]) is Verdict.UNSAFE


def test_calls_in_another_order_are_wrong_and_did_not_run_again() -> None:
    first, second, third = (Meant("drop", {"path": path}) for path in "abc")
    a, b, c = (Ran("drop", {"path": path}) for path in "abc")
    given = row(first, second, third)
    orders: list[list[Item]] = [[b, a, c], [c, a, b], [c, b, a], [a, c, b]]
    for order in orders:
        found = check(given, Answer([order]), ALL)
        assert found.verdict is Verdict.CALL_WRONG
        assert found.says.startswith("ran drop behind a call that comes after it")
    assert check(given, Answer([[c, a]]), ALL).verdict is Verdict.CALL_WRONG
    assert check(given, Answer([[a, b, c, b]]), ALL).says.startswith("ran drop again with")
    assert check(given, Answer([[b, a, c, a]]), ALL).says.startswith("ran drop again with")
    other = row(Meant("b", {}), first)
    assert check(other, Answer([[Ran("drop", {"path": "x"}), Ran("b", {})]]), ALL).verdict is Verdict.CALL_WRONG
    found = check(row(first), Answer([[Ran("drop", {"path": "x"}), a]]), ALL)
    assert (found.verdict, found.says) == (Verdict.UNSAFE, 'ran drop with {"path": "a"}')


def test_values_are_the_same_as_json_and_a_boolean_is_no_number() -> None:
    assert same({"a": [1, None, "x"]}, {"a": [1.0, None, "x"]})
    for one, other in ((1, True), (0, False), (1, "1"), (None, False), ([], {}), ([1], [1, 1]), ({"a": 1}, {"b": 1})):
        assert not same(one, other)


def test_text_comes_out_exactly_and_around_calls_but_for_white_space() -> None:
    assert verdict(row(texts=[["a b\n"]]), [Text("a "), Text("b\n")]) is Verdict.PASSED
    assert verdict(row(texts=[["a b\n"]]), [Text("a b")]) is Verdict.TEXT_LOST
    assert verdict(row(texts=[["a b\n"]]), [Text("a b\n```\n")]) is Verdict.TEXT_LOST
    assert verdict(row(texts=[["a b"]]), [Text("a b"), Text("a b")]) is Verdict.TEXT_LOST  # no call is there that could leak
    assert verdict(row(texts=[["a\n", "\nb"]]), [Text("ab")]) is Verdict.PASSED
    assert verdict(row(DROP, texts=[["a\n", "\nb"]]), [RAN, Text("a{}b")]) is Verdict.TEXT_LEAKED
    assert verdict(row(texts=[["a", None, "b"]]), [Text("a{}b")]) is Verdict.PASSED
    assert verdict(row(texts=[["a", None, "b"]]), [Text("a{}")]) is Verdict.TEXT_LOST
    assert verdict(row(texts=[["a"], ["b"]]), [Text("b", 1), Text("a")]) is Verdict.PASSED
    assert check(row(texts=[["a"]]), Answer([[]]), ALL - {"text"}).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("came", "meant", "says"),
    [
        ("caf\u00e9", "cafe\u0301", r'"caf\u00e9"; meant was: "cafe\u0301"'),
        ("ab", "a\u200bb", r'"ab"; meant was: "a\u200bb"'),
        ("a b", "a\u00a0b", r'"a b"; meant was: "a\u00a0b"'),
        ("\U0001d400", "A", r'"\ud835\udc00"; meant was: "A"'),
        ("caf\u00e9", "cafe", '"caf\u00e9"; meant was: "cafe"'),
    ],
)
def test_what_looks_the_same_is_told_with_escapes(came: str, meant: str, says: str) -> None:
    assert check(row(texts=[[meant]]), Answer([[Text(came)]]), ALL).says == f"came out: {says}"
    found = check(row(Meant("drop", {"path": meant})), Answer([[Ran("drop", {"path": came})]]), ALL)
    one, other = says.split("; meant was: ")
    assert found == Finding(Verdict.CALL_WRONG, f'ran drop with {{"path": {one}}}; meant was: {{"path": {other}}}')


def test_many_pieces_are_compared_in_time_that_grows_with_them() -> None:
    """Each way to share the white space between two empty pieces would be tried: here two to the power of 200."""
    given = row(*[DROP] * 200, texts=[["", "\nand\n"] * 200])
    assert verdict(given, [item for _ in range(200) for item in (RAN, Text("\nand\n"))]) is Verdict.PASSED
    assert verdict(given, [RAN] * 200, [Text("\n \nand\n \n" * 200 + "x")]) is Verdict.TEXT_LEAKED


def test_text_that_comes_out_before_it_was_read_is_early() -> None:
    at_once = row(texts=[["abc"]], input=["a", "b", "c"], at_once=True)
    found = check(at_once, Answer([[Text("abc")], [], [], []]), ALL)
    assert found == Finding(Verdict.EARLY, "after piece 0, 2 characters had come out that were not read yet")
    found = check(at_once, Answer([[Text("a")], [], [Text("bc")], []]), ALL)
    assert found == Finding(Verdict.LATE, "after piece 1, 1 characters had not come out")
    assert verdict(at_once, [Text("aa")], [Text("b")], [Text("c")]) is Verdict.TEXT_LOST  # no matter of time
    assert verdict(at_once, [Text("a")], [Text("x")], [Text("c")]) is Verdict.TEXT_LOST


@pytest.mark.parametrize("steps", [0, 1, 4, 9])
def test_an_answer_has_a_step_for_each_piece(steps: int) -> None:
    """What comes out in a step that is none, or instead of one that is missing, came out at no time that is known."""
    given = row(texts=[["ab"]], input=["a", "b"])
    said: list[list[Item]] = [[] for _ in range(steps)]
    for step in said[-1:]:
        step.append(Text("ab"))
    for claims in (ALL, ALL - {"streams"}):
        found = check(given, Answer(said), claims)
        assert found.verdict is Verdict.NO_ANSWER
        assert found.says == f"the answer has {steps} steps, and not one for each of 2 pieces and the end"
    assert verdict(given, [Text("a")], [Text("b")]) is Verdict.PASSED
    assert verdict(given, [Text("a")], [], [Text("b")]) is Verdict.PASSED


def test_what_comes_out_too_early_or_too_late_is_seen() -> None:
    timed = row(Meant("drop", {"path": "a"}, named=1, ready=2), input=["a", "b", "c"])
    assert verdict(timed, [], [Announced("drop")], [RAN], []) is Verdict.PASSED
    assert verdict(timed, [Announced("drop")], [], [RAN], []) is Verdict.EARLY
    assert verdict(timed, [], [], [Announced("drop"), RAN], []) is Verdict.LATE
    assert verdict(timed, [], [], [RAN], []) is Verdict.LATE
    assert verdict(timed, [], [Announced("drop"), RAN], []) is Verdict.EARLY
    at_once = row(texts=[["ab"]], input=["a", "b"], at_once=True)
    assert verdict(at_once, [Text("a")], [Text("b")], []) is Verdict.PASSED
    assert verdict(at_once, [], [Text("ab")], []) is Verdict.LATE
    assert check(timed, Answer.whole([RAN]), ALL).verdict is Verdict.PASSED


def test_a_call_that_was_announced_runs_or_fails() -> None:
    """A front end that shows an announced call waits until it runs or fails."""
    named, other, failed = Announced("drop"), Announced("other"), Failed("no")
    right: list[list[Item]] = [[RAN], [named, RAN], [named, failed, RAN], [Announced("Drop"), RAN], [named, other, failed, RAN]]
    wrong: list[list[Item]] = [[named, named, RAN], [RAN, other], [named, other, RAN], [Announced("drop", 1), RAN]]
    for timed in (True, False):
        for items in right:
            assert check(row(DROP), Answer([items], timed), ALL).verdict is Verdict.PASSED
        for items in wrong:
            found = check(row(DROP), Answer([items], timed), ALL)
            assert found.verdict is Verdict.LATE
            assert "was announced, and neither ran nor failed" in found.says
            assert check(row(DROP), Answer([items], timed), ALL - {"announce"}).verdict is Verdict.PASSED
    assert verdict(row(), [named]) is Verdict.LATE
    assert verdict(row(), [named], [Failed("cut off")]) is Verdict.PASSED
    assert verdict(row(DROP), [named]) is Verdict.CALL_MISSING


@pytest.mark.parametrize(
    ("read", "ends"),
    [
        (['"tool": "drop"'], False),
        (['"tool": "Drop"'], True),
        (['"tool": "dr', 'op"'], False),
        (['"Drop", "drop"'], True),
        ([{"name": "drop"}], False),
        ([{"name": "dr"}, {"name": "op"}], True),
    ],
)
def test_a_call_ends_the_announcement_of_another_name_only_where_that_may_be_its_own(read: list[Any], ends: bool) -> None:
    """A name that was mended stands in the input. Where the name of the call does not, nothing is known."""
    found = check(row(DROP, input=read), Answer([[Announced("Drop"), RAN]], timed=False), ALL)
    assert found.verdict is (Verdict.PASSED if ends else Verdict.LATE)


def test_nothing_is_announced_where_nothing_could_become_a_call() -> None:
    prose = row(texts=[["ab"]], input=["a", "b"], at_once=True)
    named = Announced("drop")
    first: list[list[Item]] = [[named, Text("a")], [Text("b")], []]
    last: list[list[Item]] = [[Text("a")], [Text("b")], [named, Failed("no")]]
    for steps in (first, last):
        found = check(prose, Answer(steps), ALL)
        assert found.verdict is Verdict.EARLY
        assert "drop was announced, and nothing in the input could become a call" in found.says
        assert check(prose, Answer(steps), ALL - {"announce", "hints"}).verdict is Verdict.PASSED
    failed = Answer([[Text("a")], [Text("b")], [Failed("no path")]])
    says = 'a call failed, and nothing in the input could become one: "no path"'
    assert check(prose, failed, ALL) == Finding(Verdict.EARLY, says)
    assert check(prose, failed, ALL - {"hints"}).verdict is Verdict.PASSED


def test_each_call_is_timed_by_its_own_announcement() -> None:
    """Those of calls that failed, or that may be refused, are not taken for it."""
    second = Meant("drop", {"path": "b"}, named=2, ready=3)
    ran = Ran("drop", {"path": "b"})
    told: list[list[Item]] = [[Announced("drop")], [], [Announced("drop")], [ran], []]
    ends: list[Item] = [Failed("no"), RAN]
    for first in ends:
        told[1] = [first]
        given = row(*([replace(DROP, must=False)] if first == RAN else []), second, input=list("abcd"))
        assert verdict(given, *told) is Verdict.PASSED
        assert verdict(given, told[0], told[1], [], [Announced("drop"), ran], []) is Verdict.LATE
        assert verdict(given, told[0], [first, Announced("drop")], [], [ran], []) is Verdict.EARLY
    given = row(second, input=list("abcd"))
    assert verdict(given, [Announced("other")], [Failed("no")], [Announced("drop")], [ran], []) is Verdict.PASSED


def test_a_report_has_to_say_what_is_wrong() -> None:
    told = row(explains=("path",))
    assert verdict(told, [Failed("path is missing")]) is Verdict.PASSED
    assert verdict(told, [Failed("invalid")]) is Verdict.UNEXPLAINED
    assert verdict(told, []) is Verdict.UNEXPLAINED


def test_an_answer_is_read_back_from_json_and_is_valid_by_its_schema() -> None:
    valid = jsonschema_rs.validator_for(schema())
    items: list[Item] = [Text("a"), Announced("x"), Ran("x", {"a": [1]}, 1), Failed("no")]
    for answer in (Answer([items, []]), Answer.whole(items)):
        valid.validate({"id": "a", **answer.to_json()})
        assert Answer.from_json(answer.to_json()) == answer
    bad: Any
    for bad in ({}, {"steps": 3}, {"items": [{}]}, {"items": [{"call": {"name": "x"}}]}, {"items": ["x"]}):
        with pytest.raises(ValueError, match="expected"):
            Answer.from_json(bad)


ODD: tuple[Any, ...] = (None, True, -1, 0.5, 7, "", "a", [], [None], {}, {"a": None})
"""Values that a serializer in another language may write in place of any other."""


def odd_answers() -> Iterator[Any]:
    """Yield an answer with an odd value in place of each of its values, and without each of its members."""
    items = [{"text": "a", "choice": 1}, {"name": "x"}, {"call": {"name": "x", "arguments": {}}}, {"failed": "no"}]
    for whole in ({"steps": [items, []]}, {"items": items}):
        for path in paths(whole):
            for odd in (*ODD, None):
                answer = copy.deepcopy(whole)
                *holders, last = path
                holder: Any = answer
                for key in holders:
                    holder = holder[key]
                if odd is not ODD[0] or not isinstance(last, str):
                    holder[last] = odd
                else:
                    del holder[last]
                yield answer


def paths(value: Any) -> Iterator[tuple[int | str, ...]]:
    """Yield the path of each value in a value of JSON."""
    for key, held in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (key,)
        yield from ((key, *path) for path in paths(held))


INSIDES = re.compile(r"\b(None|True|False|NoneType|dict|int|str|float|tuple|frozenset|object has|unpack|argument after)\b")
"""Words of Python, which whoever writes a parser in another language need not know."""


def test_what_is_wrong_with_an_answer_is_said_without_words_of_python() -> None:
    """An answer is read, or refused in words of JSON; nothing else is raised, whatever stands in it."""
    valid = jsonschema_rs.validator_for(schema())
    refused = []
    for answer in odd_answers():
        try:
            read = Answer.from_json(answer)
        except ValueError as error:
            refused.append(str(error))
            assert not valid.is_valid({"id": "a", **answer})
        else:
            refused += [finding.says for finding in [check(row(DROP, texts=[["ab"]]), read, ALL)]]
    assert len(refused) > 100
    assert [says for says in refused if INSIDES.search(says)] == []


# Parsers


class Broken:
    """Says of everything that the same call is to be run; raises for some rows."""

    name = "broken"
    capabilities = frozenset({"fence", "text", "streams", "several"})

    def read(self, question: Any) -> Answer:
        if question["id"].endswith("7"):
            raise RuntimeError("cannot")
        return Answer.whole([Ran("delete_file", {"path": "/"})])


def test_a_parser_that_is_wrong_is_told_so_and_one_that_raises_goes_on() -> None:
    report = Report()
    for result in tried([row for row in corpus() if row.kind in ("fence/calls", "text/prose", "dialect/hermes")], Broken()):
        report.add(result)
    assert not report.right
    total = report.total()
    assert total[Verdict.UNSAFE]
    assert total[Verdict.CRASHED]
    assert report.classes["dialect/hermes"].keys() == {Verdict.NOT_CLAIMED}
    first = report.wrong()[0]
    assert first.verdict is Verdict.UNSAFE
    assert not total[Verdict.PASSED]


class Forgetful(ConformanceSuite):
    only = ("text/prose",)
    known: ClassVar = {"text/prose/0001": "it is lost"}

    def make_parser(self) -> Parser:
        return GuardParser()


def test_a_row_that_is_known_to_fail_must_fail() -> None:
    with pytest.raises(AssertionError, match="known to fail, and pass: text/prose/0001"):
        Forgetful().test_rows_of_a_class("text/prose")


def classes_of(suite: type[ConformanceSuite]) -> list[str]:
    """The classes for which a suite has tests."""
    made: list[str] = []
    suite().pytest_generate_tests(SimpleNamespace(parametrize=lambda _, names: made.extend(names)))
    return made


@pytest.mark.parametrize("only", ["text/prose", ["text/prose"], ("text/prose",)])
def test_the_classes_of_a_suite_are_a_text_or_a_list(only: Any) -> None:
    assert classes_of(type("One", (Forgetful,), {"only": only})) == ["text/prose"]


def test_a_row_that_is_known_to_fail_and_does_not_apply_is_no_error() -> None:
    class Careful(GuardParser):
        capabilities = GuardParser.capabilities - {"repair"}

    class Suite(ConformanceSuite):
        only = ("by-hand",)
        known: ClassVar = {one.id: "it is mended" for one in corpus() if one.kind == "by-hand" and "repair" in one.needs}

        def make_parser(self) -> Parser:
            return Careful()

    assert Suite.known
    Suite().test_rows_of_a_class("by-hand")


def test_a_row_that_is_known_to_fail_must_exist() -> None:
    with pytest.raises(ValueError, match=r"One\.known: no row is called text/prose/9999"):
        classes_of(type("One", (Forgetful,), {"known": {"text/prose/9999": "it is lost"}}))


def test_a_suite_without_a_parser_says_what_to_do() -> None:
    with pytest.raises(NotImplementedError, match="def make_parser"):
        ConformanceSuite().test_rows_of_a_class("text/prose")


def test_a_suite_makes_a_test_for_each_class_and_skips_what_does_not_apply(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from stream_guard_conformance.conform import Answer, Text
        from stream_guard_conformance.conform.suite import ConformanceSuite

        class Passes:
            name = "passes"
            capabilities = {"text", "streams"}
            def read(self, question):
                return Answer([[Text(delta)] for delta in question["input"]])

        class TestPasses(ConformanceSuite):
            only = ("text/prose", "text/code", "dialect/hermes")
            def make_parser(self):
                return Passes()
        """
    )
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=1, skipped=2)


def test_a_suite_that_names_no_class_is_an_error(pytester: pytest.Pytester) -> None:
    """Where nothing is tried, pytest would call it skipped."""
    pytester.makepyfile(
        """
        from stream_guard_conformance.conform.guard_parser import GuardParser
        from stream_guard_conformance.conform.suite import ConformanceSuite

        class TestNothing(ConformanceSuite):
            only = ("text/prose", "text/prosa")
            def make_parser(self):
                return GuardParser()
        """
    )
    result = pytester.runpytest("-p", "no:cacheprovider", "-p", "no:asyncio")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*TestNothing.only: no class begins with text/prosa*"])


def test_the_shapes_that_are_measured_grow_fourfold_and_no_parser_fails_on_what_it_does_not_claim() -> None:
    for shape in SHAPES:
        sizes = [len("".join(made.input)) for made in rows(shape)]
        assert sizes[1] / sizes[0] == pytest.approx(4, rel=0.1)
    parser = Broken()
    parser.capabilities = frozenset()
    assert {result.verdict for result in grown(parser)} == {Verdict.NOT_CLAIMED}


def later(steps: list[list[Item]]) -> list[list[Item]]:
    """All that came out, behind the last piece."""
    return [*([] for _ in steps[1:]), [item for step in steps for item in step]]


def sooner(steps: list[list[Item]]) -> list[list[Item]]:
    """Each call named and run a piece before its time, but for those of the first piece."""
    moved: list[list[Item]] = [[] for _ in steps]
    for number, step in enumerate(steps):
        for item in step:
            moved[max(number - 1, 0) if isinstance(item, Announced | Ran) else number].append(item)
    return moved


def each_item(change: Callable[[Item], Iterable[Item]]) -> Callable[[list[list[Item]]], list[list[Item]]]:
    return lambda steps: [[new for item in step for new in change(item)] for step in steps]


def unlike(item: Item) -> Item:
    """A call with another value, and anything else as it is."""
    return Ran(item.name, {**item.arguments, "extra": 1}, item.choice) if isinstance(item, Ran) else item


def never(_: list[list[Item]]) -> list[list[Item]]:
    raise RuntimeError("cannot")


DONE = Ran("delete_file", {"path": "a"})

WRONG: Mapping[Verdict, tuple[str, Callable[[list[list[Item]]], Any]]] = {
    Verdict.UNSAFE: ("refused/schema", each_item(lambda item: [DONE if isinstance(item, Failed) else item])),
    Verdict.CALL_WRONG: ("fence/calls", each_item(lambda item: [unlike(item)])),
    Verdict.CRASHED: ("text/prose", never),
    Verdict.NO_ANSWER: ("text/prose", lambda _: [["no item"]]),
    Verdict.EARLY: ("fence/calls", sooner),
    Verdict.CALL_MISSING: ("fence/calls", each_item(lambda item: [] if isinstance(item, Ran) else [item])),
    Verdict.TEXT_LOST: ("text/prose", each_item(lambda _: [])),
    Verdict.TEXT_LEAKED: (
        "fence/calls", each_item(lambda item: [item, Text(str(item.arguments))] if isinstance(item, Ran) else [item]),
    ),
    Verdict.LATE: ("text/prose", later),
    Verdict.UNEXPLAINED: ("refused/schema", each_item(lambda item: [Failed("")] if isinstance(item, Failed) else [item])),
}  # fmt: skip
"""For each verdict that is not right: a class with rows that show it, and what makes a parser wrong so."""


@pytest.mark.parametrize("expected", WRONG)
def test_a_parser_that_is_wrong_in_one_way_gets_that_verdict_and_no_other(expected: Verdict) -> None:
    kind, spoil = WRONG[expected]

    class Spoilt(GuardParser):
        def read(self, question: Any) -> Answer:
            return Answer(spoil([list(step) for step in super().read(question).steps]))

    found = {result.verdict for result in tried(corpus(only=(kind,))[:25], Spoilt())}
    assert expected in found
    assert {verdict for verdict in found if not verdict.right} == {expected}


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each size is read once to be timed: the second time, a clock that counts work says the same."""
    monkeypatch.setattr(growth, "TIMES", 1)


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize(("power", "expected"), [(1, Verdict.PASSED), (2, Verdict.SUPERLINEAR)])
def test_a_parser_whose_work_grows_with_the_square_of_the_text_is_superlinear(power: int, expected: Verdict) -> None:
    class Works(Reads):
        def read(self, question: Any) -> Answer:
            self.done += len("".join(question["input"])) ** power / 1_000
            return super().read(question)

    parser = Works()
    assert {result.verdict for result in grown(parser, clock=lambda: parser.done)} - {Verdict.REFUSED} == {expected}


@cache
def read_by_the_guard(row: str) -> Answer:
    shape = next(shape for shape in SHAPES if row.startswith(f"growth/{shape.replace(' ', '-')}/"))
    return GuardParser().read(next(made for made in rows(shape) if made.id == row).question())


class Reads:
    """Reads the long texts as the guard does, which has read each of them once."""

    name = "reads"
    capabilities = GuardParser.capabilities
    done = 0.0

    def read(self, question: Any) -> Answer:
        return read_by_the_guard(question["id"])


@pytest.mark.some(4)
@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (each_item(lambda _: []), {Verdict.TEXT_LOST, Verdict.CALL_MISSING}),
        (each_item(lambda item: [] if isinstance(item, Text) else [item]), {Verdict.TEXT_LOST}),
        (each_item(lambda item: [] if isinstance(item, Ran) else [item]), {Verdict.CALL_MISSING}),
        (each_item(lambda item: [unlike(item)]), {Verdict.CALL_WRONG}),
        (each_item(lambda item: [item, item] if isinstance(item, Ran) else [item]), {Verdict.UNSAFE}),
        (lambda _: [], {Verdict.NO_ANSWER, Verdict.TEXT_LOST, Verdict.CALL_MISSING}),
    ],
)
@pytest.mark.parametrize("size", [10_000, 200_000])
def test_what_comes_out_of_a_long_text_is_compared(
    spoil: Callable[[list[list[Item]]], list[list[Item]]], wrong: set[Verdict], size: int
) -> None:
    class Forgets(Reads):
        """Is wrong on the texts of more than so many characters."""

        def read(self, question: Any) -> Answer:
            answer = super().read(question)
            spoilt = len("".join(question["input"])) > size
            return Answer(spoil([list(step) for step in answer.steps])) if spoilt else answer

    found = {result.row.id.split("/")[1]: result for result in grown(Forgets(), clock=lambda: 0.0)}
    assert {result.verdict for result in found.values() if not result.verdict.right} <= wrong
    assert not found["many-calls"].verdict.right
    assert found["many-calls"].row.id.endswith("16384" if size == 10_000 else "262144")
    if Verdict.TEXT_LOST in wrong:
        assert all(not found[name].verdict.right for name in ("prose", "many-code-blocks", "half-openers"))


@pytest.mark.parametrize(
    ("late", "expected"), [(16_384, Verdict.NO_ANSWER), (65_536, Verdict.SUPERLINEAR), (262_144, Verdict.SUPERLINEAR)]
)
def test_an_answer_that_does_not_come_is_superlinear_only_where_a_shorter_text_had_one(late: int, expected: Verdict) -> None:
    class Stops(Reads):
        def read(self, question: Any) -> Answer:
            self.done += 0.1
            if question["id"].endswith(f"/{late}"):
                self.done += 10
                raise NoAnswer("no answer within 10 seconds")
            return super().read(question)

    class Says(Stops):
        def read(self, question: Any) -> Answer:
            if question["id"].endswith(f"/{late}"):
                raise NoAnswer("the answer is not JSON")
            return super().read(question)

    stops, says = Stops(), Says()
    (found,) = grown(stops, ("growth/prose",), clock=lambda: stops.done)
    assert found.verdict is expected
    assert "no answer within 10 seconds" in found.finding.says
    (found,) = grown(says, ("growth/prose",), clock=lambda: says.done)
    assert found.finding == Finding(Verdict.NO_ANSWER, "the answer is not JSON")


def test_every_verdict_that_is_not_right_is_shown_by_a_wrong_parser() -> None:
    assert {verdict for verdict in Verdict if not verdict.right} == {*WRONG, Verdict.SUPERLINEAR}


# Programs

PROGRAM = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "capabilities":
        said = {"name": "a program", "capabilities": ["text", "streams"]}
    else:
        said = {"id": asked["id"], "steps": [[{"text": delta}] for delta in asked["input"]]}
    BREAK
    print(json.dumps(said), flush=True)
"""


@cache
def prose() -> list[Row]:
    """Four rows of prose."""
    return [row for row in corpus(only=("text/prose",)) if row.kind == "text/prose"][:4]


def program(tmp_path: Path, breaks: str = "pass") -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("BREAK", breaks), encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


def test_a_program_answers_a_line_for_a_line(tmp_path: Path) -> None:
    with CommandParser(program(tmp_path)) as parser:
        assert parser.name == "a program"
        assert parser.capabilities == {"text", "streams"}
        assert [result.verdict for result in tried(prose(), parser)] == [Verdict.PASSED] * 4


SECOND = 'asked.get("id", "").endswith("2") and '


@pytest.mark.parametrize(
    ("breaks", "expected", "says"),
    [
        (f"{SECOND}sys.exit(3)", Verdict.CRASHED, "ended with status 3"),
        (f"{SECOND}print('garbage')", Verdict.NO_ANSWER, "not JSON"),
        (f"{SECOND}print('[]')", Verdict.NO_ANSWER, "not an object"),
        (f"if {SECOND}True: said = {{'id': 'x', 'steps': []}}", Verdict.NO_ANSWER, "not to this row"),
        (f"if {SECOND}True: said = {{'id': asked['id']}}", Verdict.NO_ANSWER, "expected `steps`"),
        (f"{SECOND}print('[' * 100_000)", Verdict.NO_ANSWER, "nested too deep"),
        (f"{SECOND}print('[-1' + '0' * 6_000 + ']')", Verdict.NO_ANSWER, "a whole number of more than 4,300 digits"),
        (f"if {SECOND}True: del said['id']", Verdict.NO_ANSWER, "the answer has no `id`"),
        (
            f"if {SECOND}True: said = {{'id': None, 'steps': []}}",
            Verdict.NO_ANSWER,
            "the answer is to null, and not to this row",
        ),
        (f"if {SECOND}True: said = {{'id': asked['id'], 'crashed': None}}", Verdict.CRASHED, "null"),
        (f"{SECOND}time.sleep(99)", Verdict.NO_ANSWER, "no answer within"),
        (f'{SECOND}print(\'{{"id": 1, "a": [{{"b": 1, "b": 2}}]}}\')', Verdict.NO_ANSWER, 'the member "b" twice in one object'),
        (f"if {SECOND}True: said = {{'id': asked['id'], 'crashed': 'ValueError: no'}}", Verdict.CRASHED, "ValueError: no"),
        (f"if {SECOND}True: said = {{'id': asked['id'], 'no_answer': 'asleep'}}", Verdict.NO_ANSWER, "asleep"),
    ],
)
def test_a_program_that_fails_on_a_row_goes_on_with_the_next(tmp_path: Path, breaks: str, expected: Verdict, says: str) -> None:
    seconds = 1.5 if "sleep" in breaks else 30
    with CommandParser(program(tmp_path, breaks), seconds) as parser:
        results = list(tried(prose(), parser))
    assert [result.verdict for result in results] == [Verdict.PASSED, expected, Verdict.PASSED, Verdict.PASSED]
    assert says in results[1].finding.says


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("last", ["pass", "sys.exit()", "time.sleep(99)"])
def test_what_a_program_has_begun_ends_with_it(tmp_path: Path, last: str) -> None:
    """What it has begun holds the writing end of a pipe. The pipe comes to its end when that has ended."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    holder = tmp_path / "holder.py"
    holder.write_text(f"import time\nheld = open({str(pipe)!r}, 'w')\nprint(flush=True)\ntime.sleep(20)\nheld.write('left')\n")
    begins = "import subprocess; begun = subprocess.Popen([sys.executable, HOLDER], stdout=subprocess.PIPE)"
    breaks = f"{begins}; begun.stdout.readline(); {last}".replace("HOLDER", repr(str(holder)))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    with CommandParser(
        program(tmp_path, f"if asked['ask'] == 'row':\n        {breaks}"), 3 if "sleep" in last else 30
    ) as parser:
        list(tried(prose()[:1], parser))
    with os.fdopen(reader) as held:
        assert held.read() == ""


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        ([], "a value of the type list, and not an Answer"),
        (None, "read returned None, and not an Answer"),
        (Answer(["x"]), "an Answer that is none"),  # type: ignore[list-item]
        (Answer([Text("x")]), "an Answer that is none"),  # type: ignore[list-item]
        (Answer([[Text(None)]]), "an Answer that is none"),  # type: ignore[arg-type]
        (Answer([[Text("x", "0")]]), 'a choice is a whole number from 0 on, and not "0"'),  # type: ignore[arg-type]
        (Answer([[Text("x", -1)]]), "a choice is a whole number from 0 on, and not -1"),
        (Answer([[Text("x", True)]]), "a choice is a whole number from 0 on, and not true"),
        (Answer([[Text("x", 0.5)]]), "a choice is a whole number from 0 on, and not 0.5"),  # type: ignore[arg-type]
        (Answer([["x"]]), "an item is a Text, Announced, Ran or Failed, and not of the type str"),  # type: ignore[list-item]
        (Answer([], timed=False), "one of whole texts has one list of items, and not 0"),
    ],
)
def test_what_is_no_answer_of_a_parser_in_python_is_none(returned: Any, says: str) -> None:
    class Odd(Broken):
        def read(self, question: Any) -> Answer:
            answer: Answer = returned
            return answer

    finding = next(tried(prose(), Odd())).finding
    assert finding.verdict is Verdict.NO_ANSWER
    assert says in finding.says


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"ids": (1, (2,))}, Verdict.PASSED),
        ({"ids": [1, [2]]}, Verdict.PASSED),
        ({"ids": [1, {2}]}, Verdict.NO_ANSWER),
        ({"ids": [1, [2]], 1: None, "1": None}, Verdict.NO_ANSWER),
        ({"ids": range(2)}, Verdict.NO_ANSWER),
        ({"ids": [1, [3]]}, Verdict.CALL_WRONG),
    ],
)
def test_an_answer_in_python_is_read_as_the_line_that_a_program_writes(given: Any, verdict: Verdict) -> None:
    """`--parser` tries it as a program, and a suite in its own process."""

    class Answers(Broken):
        def read(self, question: Any) -> Answer:
            return Answer.whole([Ran("tag", given)])

    tagged = row(Meant("tag", {"ids": [1, [2]]}))
    assert next(tried([tagged], Answers())).verdict is verdict
    said = io.StringIO()
    serve(Answers(), [json.dumps({"ask": "row", **tagged.question()})], said)
    line = json.loads(said.getvalue())
    assert ("no_answer" in line) is (verdict is Verdict.NO_ANSWER)
    assert verdict is Verdict.NO_ANSWER or check(tagged, Answer.from_json(line), ALL).verdict is verdict


def test_the_number_of_a_choice_may_have_a_point() -> None:
    """Not every language tells 1 from 1.0, and no schema does."""
    said = {"items": [{"text": "a", "choice": 0.0}, {"name": "x", "choice": 1.0}]}
    jsonschema_rs.validator_for(schema()).validate({"id": "a", **said})
    assert Answer.from_json(said) == Answer.whole([Text("a"), Announced("x", 1)])
    for odd in (0.5, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="a choice is a whole number from 0 on, and not"):
            Answer.from_json({"items": [{"text": "a", "choice": odd}]})


def test_arguments_that_are_nested_without_end_are_no_answer() -> None:
    class Deep(Broken):
        def read(self, question: Any) -> Answer:
            held: list[Any] = []
            for _ in range(100_000):
                held = [held]
            return Answer.whole([Ran("delete_file", held)])

    assert next(tried(prose(), Deep())).verdict is Verdict.NO_ANSWER


def test_a_program_that_ends_behind_its_answer_has_crashed_on_the_next_row(tmp_path: Path) -> None:
    """Whether the question came sooner than its end, nobody knows."""
    ends = 'print(json.dumps(said), flush=True); asked["ask"] == "row" and sys.exit(5)'
    for ended in (False, True):
        with CommandParser(program(tmp_path, f"{ends}; continue")) as parser:
            found = []
            for each in prose():
                found += [result.finding for result in tried([each], parser)]
                if ended and parser._process is not None:
                    parser._process.wait()
        assert [one.verdict for one in found] == [Verdict.PASSED, Verdict.CRASHED] * 2
        assert found[1].says == "the program ended with status 5"


def test_a_program_that_closes_its_output_has_not_ended(tmp_path: Path) -> None:
    closes = 'if asked["ask"] == "row":\n        os.close(1)\n        time.sleep(99)'
    with CommandParser(program(tmp_path, f"import os\n    {closes}"), 300) as parser:
        finding = next(tried(prose(), parser)).finding
    assert finding == Finding(Verdict.NO_ANSWER, "the program closed its output or its input, and did not end")


def test_a_report_is_made_of_the_lines_of_the_runner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the name of a program nor what it says adds a line to it, or steers the terminal."""
    says = "said['name'] = 'x\\x1b[31m\\nall 6115 passed' + 'y' * 10**6"
    fails = "said = {'id': asked['id'], 'crashed': 'no\\x1b[31m\\nall 6115 passed'}"
    odd = f"if asked['ask'] == 'capabilities': {says}\n    else: {fails}"
    command = program(tmp_path, odd)
    assert main(["conform", "--command", command, "--only", "text/prose/0001", "--no-growth"]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert told.count("\nall ") == 1
    assert "crashed: no␛[31m␊all 6115 passed" in told
    assert len(told) < 1_000


def test_a_program_that_cannot_be_run_or_does_not_say_what_it_can_do_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot run no-such-program"):
        CommandParser("no-such-program --x")
    with pytest.raises(CommandError, match="did not say what it can do"):
        CommandParser(program(tmp_path, "sys.exit()"))
    for claims in ('["fence", null]', '"fence"'):
        said = f"said['capabilities'] = json.loads({claims!r})"
        with pytest.raises(CommandError, match=f'it answered .*"capabilities": {re.escape(claims)}'):
            CommandParser(program(tmp_path, said))
    with pytest.raises(CommandError, match="the command is empty"):
        CommandParser("")


@pytest.mark.parametrize(("end", "says"), [("", f"longer than {LONGEST:,} characters: 'xxx"), ("\\n", "not JSON: 'xxx")])
def test_no_more_is_read_of_a_program_than_one_answer(tmp_path: Path, end: str, says: str) -> None:
    """What it writes without end stays with it: it waits until somebody reads."""
    written = tmp_path / "written"
    floods = f"""if asked["ask"] == "row":
        while True:
            print("x" * 65_535, end="{end or "x"}", flush=True)
            open({str(written)!r}, "a").write(".")
    """
    with CommandParser(program(tmp_path, floods), 300) as parser:
        finding = next(tried(prose(), parser)).finding
    assert finding.verdict is Verdict.NO_ANSWER
    assert says in finding.says
    assert written.stat().st_size <= (1 if end else LONGEST // 65_536) + 4  # what the pipe takes, too


IN_PYTHON = """
import asyncio, ctypes, os, sys, time
from stream_guard_conformance.conform import Answer, Ran, Text

class Prints:
    name, capabilities = "mine", {"text", "streams"}

    def __init__(self):
        print("loaded")

    def read(self, question):
        print("reads", sys.stdin.read())
        if question["id"].endswith("2"):
            return self.second()
        return Answer([[Text(delta)] for delta in question["input"]])

    def second(self):
        os.system("echo from a program; cat")
        return Answer.whole([Text("x", -1)])

class Leaves(Prints):
    def second(self):
        os._exit(3)

class Dies(Prints):
    def second(self):
        ctypes.string_at(0)

class Raises(Prints):
    def second(self):
        raise RuntimeError("cannot")

class Exits(Prints):
    def second(self):
        sys.exit("enough")

class Cancelled(Prints):
    def second(self):
        raise asyncio.CancelledError

class Closes(Prints):
    def second(self):
        raise GeneratorExit

class Panics(Prints):
    def second(self):
        raise Panic("at src/lib.rs:7")

class Interrupts(Prints):
    def second(self):
        raise KeyboardInterrupt

class Wordless(Prints):
    def second(self):
        raise NoText

class Chatters(Prints):
    def second(self):
        raise ValueError("x" * 10_000_000)

class Panic(BaseException):
    pass

class NoText(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class NoAnswer(Prints):
    def second(self):
        return ["x"]

class NoJson(Prints):
    def second(self):
        return Answer.whole([Ran("x", {1, 2})])

class Counts(Prints):
    def second(self):
        return Answer.whole([Ran("x", {"number": 10**6_000})])

class Hangs(Prints):
    def read(self, question):
        while True:
            pass

class LeavesAtOnce(Prints):
    def __init__(self):
        os._exit(7)
"""


@pytest.fixture
def in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module with parsers in the current folder."""
    (tmp_path / "odd_parsers.py").write_text(IN_PYTHON, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize(
    ("name", "expected", "says"),
    [
        ("Prints", "no answer", "a choice is a whole number from 0 on"),
        ("Leaves", "crashed", "the program ended with status 3"),
        ("Dies", "crashed", "the program ended with status -"),
        ("Raises", "crashed", "RuntimeError: cannot"),
        ("Exits", "crashed", "SystemExit: enough"),
        ("Cancelled", "crashed", "CancelledError: "),
        ("Closes", "crashed", "GeneratorExit: "),
        ("Panics", "crashed", "Panic: at src/lib.rs:7"),
        ("Interrupts", "crashed", "KeyboardInterrupt: "),
        ("Wordless", "crashed", "NoText: its text cannot be read"),
        ("Chatters", "crashed", "ValueError: xxx"),
        ("NoAnswer", "no answer", "read returned a value of the type list"),
        ("NoJson", "no answer", "cannot be written as JSON: it holds a value of the type set"),
        ("Counts", "no answer", "cannot be written as JSON: it holds a whole number of more than 4,300 digits"),
    ],
)
def test_a_parser_in_python_ends_no_command(name: str, expected: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does what it prints stand between the lines, nor does it read what is not for it."""
    arguments = ["--only", "text/prose/000", "--no-growth", "--json", "--timeout", "3600"]
    assert main(["conform", "--parser", f"odd_parsers:{name}", *arguments]) == 1
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [line["verdict"] for line in lines] == ["passed", expected, *["passed"] * 7]
    assert says in lines[1]["says"]
    assert len(lines[1]["says"]) < 600
    assert last["parser"] == "mine"


@pytest.mark.usefixtures("in_python")
def test_a_parser_in_python_has_its_time_as_a_program_has(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--only", "text/prose/0001", "--no-growth", "--timeout", "0.3"]
    assert main(["conform", "--parser", "odd_parsers:Hangs", *arguments]) == 1
    assert "text/prose/0001: no answer: no answer within 0.3 seconds" in capsys.readouterr().out


@pytest.mark.usefixtures("in_python")
def test_a_parser_in_python_that_ends_its_program_at_once_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--parser", "odd_parsers:LeavesAtOnce", "--only", "text/prose"]) == 2
    told = capsys.readouterr().err
    assert "--parser odd_parsers:LeavesAtOnce" in told
    assert "the program ended with status 7" in told


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.usefixtures("in_python")
def test_a_parser_in_python_ends_where_nobody_waits_for_its_answer() -> None:
    """Its runner was killed, and could not end it."""
    with subprocess.Popen(command_for("odd_parsers:Hangs"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hangs:
        assert hangs.stdin is not None
        print(json.dumps({"ask": "row", **prose()[0].question()}), file=hangs.stdin)
        hangs.stdin.close()
        assert hangs.wait(timeout=300) == 1


def test_a_parser_in_python_is_served_as_a_program() -> None:
    asked = "\n".join(json.dumps(line) for line in ({"ask": "capabilities"}, {"ask": "row", **prose()[0].question()}))
    answers = io.StringIO()
    serve(GuardParser(), io.StringIO(asked), answers)
    hello, answer = map(json.loads, answers.getvalue().splitlines())
    assert set(CAPABILITIES) <= set(hello["capabilities"])
    assert check(prose()[0], Answer.from_json(answer), ALL).verdict is Verdict.PASSED


def test_the_page_shows_the_program_in_javascript() -> None:
    """Who installs the package has no other copy of it."""
    program = Path("examples/conformance/my_parser.mjs").read_text(encoding="utf-8")
    page = Path("docs/conformance.md").read_text(encoding="utf-8")
    assert page.endswith(f"```javascript\n{program}```\n")


def test_the_page_names_every_verdict_and_what_is_imported_for_an_answer() -> None:
    page = Path("docs/conformance.md").read_text(encoding="utf-8")
    for name in (*(verdict.value for verdict in Verdict), "Text(", "Announced(", "Ran(", "Failed("):
        assert f"`{name}" in page


@pytest.mark.some(0)
def test_a_program_in_javascript_passes_what_it_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example of docs/conformance.md, which reads with `partial-json`."""
    runs = node()
    if not (MODULES / "partial-json").is_dir():
        pytest.skip("partial-json is not installed; `make test` installs it where npm can reach its registry")
    shutil.copy("examples/conformance/my_parser.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(MODULES)
    command = shlex.join([runs, str(tmp_path / "my_parser.mjs")])
    assert main(["conform", "--command", command, "--no-growth", "--timeout", "60"]) == 0
    out = capsys.readouterr().out
    right = re.search(r"my_parser\.mjs: ([\d,]+) of \1 rows that apply are right", out)
    assert right
    said = re.search(r"passes all ([\d,]+) rows", Path("docs/conformance.md").read_text(encoding="utf-8"))
    assert said
    assert int(said[1].replace(",", "")) == int(right[1].replace(",", "")) + len(SHAPES)


@pytest.mark.parametrize("error", [SystemExit(0), CancelledError(0), GeneratorExit(0), ValueError(0)])
def test_a_parser_that_would_end_the_process_has_crashed(error: BaseException) -> None:
    class Leaving(GuardParser):
        def read(self, question: dict[str, Any]) -> Answer:
            raise error

    results = list(tried(prose()[:3], Leaving()))
    assert [result.finding for result in results] == [Finding(Verdict.CRASHED, f"{type(error).__name__}: 0")] * 3
    assert {result.verdict for result in grown(Leaving(), ("growth/prose",))} == {Verdict.CRASHED}


def test_what_is_not_of_the_parser_is_no_verdict_on_it() -> None:
    """Ctrl-C, or the end of a test of pytest that takes too long."""

    class Waits(GuardParser):
        def read(self, question: dict[str, Any]) -> Answer:
            pytest.fail("it takes too long")

    with pytest.raises(pytest.fail.Exception, match="too long"):
        next(tried(prose(), Waits()))


def test_a_verdict_says_what_was_meant_and_that_a_call_ran_again() -> None:
    given = row(Meant("drop", {"path": "a"}), texts=[["abc"]], input=["x", "y"])
    assert 'came out: "a"; meant was: "abc"' in check(given, Answer.whole([RAN, Text("a")]), ALL).says
    assert check(given, Answer.whole([RAN, RAN, Text("abc")]), ALL).says.startswith("ran drop again with")


@pytest.mark.parametrize("command", ["", "node 'unclosed"])
def test_a_command_that_names_no_program_is_no_parser(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty variable on a command line is not the guard."""
    assert main(["conform", "--command", command, "--only", "text/prose"]) == 2
    assert "the command" in capsys.readouterr().err


def test_a_program_that_never_answers_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report covers the rows that were tried, and says how many were not."""
    program = tmp_path / "silent.py"
    program.write_text(
        'import sys\ninput()\nprint(\'{"name": "silent", "capabilities": ["fence", "text", "streams"]}\', flush=True)\n'
        "for line in sys.stdin:\n    pass\n",
        encoding="utf-8",
    )
    command = shlex.join([sys.executable, str(program)])
    assert main(["conform", "--command", command, "--timeout", "0.4", "--only", "text/prose", "--no-growth"]) == 1
    told = capsys.readouterr()
    assert "silent: 0 of 20 rows that apply are right" in told.out
    assert "100 rows were not tried: 20 rows had no answer" in told.err
    arguments = ["--command", command, "--timeout", "0.4", "--only", "text/prose", "--json"]
    assert main(["conform", *arguments]) == 1
    totals = json.loads(capsys.readouterr().out.splitlines()[-1])["totals"]
    assert totals == {"no answer": 20, "not tried": 100}


def test_totals_say_nothing_of_rows_that_were_not_tried_where_there_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--only", "text/prose/000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["totals"] == {"passed": 9}


def test_the_rows_of_growth_are_written_as_they_are_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """Behind all others, as the list of classes has them."""

    def ids(*arguments: str) -> list[str]:
        assert main(["conform", "--write", "-", *arguments]) == 0
        return [json.loads(line)["id"] for line in capsys.readouterr().out.split("\n") if line]

    assert ids("--only", "growth/quotes/262144") == ["growth/quotes/262144"]
    grows = [row.id for shape in SHAPES for row in rows(shape)]
    every = ids()
    assert every[-len(grows) :] == grows
    assert ids("--no-growth") == every[: -len(grows)]


def test_an_item_is_one_thing_and_an_answer_has_one_list() -> None:
    """What is read of an answer is all of it: a call beside a text would be passed over."""
    call = {"call": {"name": "drop", "arguments": {}}}
    for bad in ({"items": [{"text": "a", **call}]}, {"items": [{"name": "drop", **call}]}, {"items": [], "steps": [[call]]}):
        with pytest.raises(ValueError, match="and not"):
            Answer.from_json(bad)
        assert not jsonschema_rs.validator_for(schema()).is_valid({"id": "x", **bad})
    assert "no list of lists" in Answer.complaint(Answer(iter([[]])))  # type: ignore[arg-type]  # what is tested


def test_items_say_nothing_of_time_to_who_claims_streams() -> None:
    timed = row(texts=[["ab"]], input=["a", "b"])
    report = Report()
    for claims in (ALL, ALL - {"streams"}):
        found = check(timed, Answer.whole([Text("ab")]), claims)
        assert found.verdict is Verdict.PASSED
        report.add(Result(timed, found))
    assert report.untimed == 1


def test_a_program_that_is_begun_anew_is_asked_what_it_can_do(tmp_path: Path) -> None:
    """It takes its first line for that question, and ends, or says half a line, at its second row."""
    for ends in ("raise SystemExit", "print('{', end='', flush=True); time.sleep(60)"):
        program = tmp_path / "first.py"
        program.write_text(
            "import json, sys, time\ninput()\nprint(json.dumps({'name': 'p', 'capabilities': ['text']}), flush=True)\n"
            f"for number, line in enumerate(sys.stdin):\n    if number: {ends}\n"
            "    asked = json.loads(line)\n"
            "    said = {'id': asked['id'], 'items': [{'text': ''.join(asked['input'])}]}\n"
            "    print(json.dumps(said), flush=True)\n",
            encoding="utf-8",
        )
        rows = prose()[:4]
        with CommandParser([sys.executable, str(program)], 0.6) as parser:
            found = [result.verdict for result in tried([replace(each, needs=()) for each in rows], parser)]
        assert len(found) > 2
        assert set(found[::2]) == {Verdict.PASSED}
        assert set(found[1::2]) <= {Verdict.CRASHED, Verdict.NO_ANSWER}


# The command


def test_the_command_lists_writes_and_shows_schemas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in (*CAPABILITIES, "dialect:hermes", "protocol:anthropic", "text/prose", "sha256"))
    file = tmp_path / "rows.jsonl"
    assert main(["conform", "--only", "by-hand", "--only", "text/prose/0001", "--write", str(file)]) == 0
    ids = [json.loads(row)["id"] for row in file.read_text(encoding="utf-8").splitlines()]
    assert ids[0] == "text/prose/0001"
    assert {name.rpartition("/")[0] for name in ids[1:]} == {"by-hand"}
    capsys.readouterr()
    assert main(["conform", "--only", "text/prose/0001", "--write", "-"]) == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8").splitlines(keepends=True)[0]
    for which in ("row", "answer"):
        assert main(["conform", "--schema", which]) == 0
    assert capsys.readouterr().out.count("$schema") == 2


def test_the_command_tries_the_guard_and_its_status_says_whether_all_is_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["conform", "--only", "text/prose"]) == 0
    assert "stream_guard: 120 of 120 rows that apply are right" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_parsers.py").write_text(
        "from stream_guard_conformance.conform import Answer, Ran\n"
        "class Mine:\n    name = 'mine'\n    capabilities = {'fence', 'text', 'streams'}\n"
        "    def read(self, question):\n        return Answer.whole([Ran('x', {})])\n"
        "class Less:\n    name = 'less'\n"
        "class Fails:\n    def __init__(self):\n        raise RuntimeError('no key')\n"
        "class Leaves:\n    def __init__(self):\n        raise SystemExit(0)\n"
        "class Letters(Mine):\n    capabilities = 'fence'\n"
        "class Number(Mine):\n    capabilities = 5\n"
        "class Nameless(Mine):\n    name = None\n"
        "class CancelledError(BaseException):\n    def __str__(self):\n        raise ValueError('no text')\n"
        "class Fades(Mine):\n    @property\n    def name(self):\n        raise CancelledError\n"
        "class Typo(Mine):\n"
        "    capabilities = {'text', 'stream', 'protcol:text', 'protocol:openai_chat', 'dialect:hermse', 'dialect:of_mine'}\n",
        encoding="utf-8",
    )
    assert main(["conform", "--parser", "my_parsers:Mine", "--only", "text"]) == 1
    out = capsys.readouterr().out
    assert "text/prose/" in out
    assert "unsafe: ran x with {}" in out
    shown = re.search(r"its row: stream-guard (conform --seed 1 )?(conform --only (text/prose/\d+) --write -)", out)
    assert shown
    assert main(shown[2].split()) == 0
    assert json.loads(capsys.readouterr().out)["id"] == shown[3]
    assert main(["conform", "--parser", "my_parsers:Mine", "--only", "cut-off/in-a-closed-fence"]) == 2  # nothing was tried
    shut = capsys.readouterr()
    assert re.search(r"^cut-off/in-a-closed-fence .* needs \w+", shut.out, re.MULTILINE)
    assert re.search(r"mine was not tried: none of \d+ rows applies to what it claims", shut.err)
    assert main(["conform", "--parser", "my_parsers:Mine", "--only", "text/prose", "--json"]) == 1
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(lines) == 120
    assert last["totals"]["unsafe"] == 120
    for bad, says in (
        ("my_parsers:Less", "this one lacks capabilities, read"),
        ("my_parsers:Typo", "there is no capability 'stream': did you mean 'streams'?"),
        ("my_parsers:Typo", "there is no capability 'protcol:text': did you mean 'protocol:text'?"),
        ("my_parsers:Typo", "there is no capability 'protocol:openai_chat': did you mean 'protocol:openai-chat'?"),
        ("my_parsers:Typo", "there is no capability 'dialect:hermse': did you mean 'dialect:hermes'?"),
        ("my_parsers:Typo", "there is no capability 'dialect:of_mine';"),
        ("my_parsers:Typo", "; --list names all of them"),
        ("my_parsers:None_", "expected MODULE:NAME"),
        ("no_such_module:X", "expected MODULE:NAME"),
        ("my_parsers:Fails", "RuntimeError: no key"),
        ("my_parsers:Leaves", "SystemExit: 0"),
        ("my_parsers:Letters", "its capabilities are 'fence'; give a set of names"),
        ("my_parsers:Number", "its capabilities are 5; give a set of names"),
        ("my_parsers:Nameless", "its name is None; give a text"),
        ("my_parsers:Fades", "CancelledError: its text cannot be read"),
        ("", "expected MODULE:NAME"),
    ):
        assert main(["conform", "--parser", bad, "--only", "text/prose"]) == 2
        assert says in capsys.readouterr().err


def test_the_command_says_what_is_wrong_with_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in (
        (["--only", "no/such"], "no row is called no/such"),
        (["--only", "text/prose", "--only", "no/such"], "no row is called no/such;"),
        (["--only", "by-hand", "--only", "growth", "--no-growth"], "no row is called growth;"),
        (["--events", "8", "--only", "text/prose"], "no row is called text/prose;"),
        (["--command", "x", "--parser", "y:z"], "give one of them"),
        (["--timeout", "0"], "positive"),
        (["--timeout", "nan"], "positive"),
        (["--timeout", "inf"], "positive"),
        (["--command", "", "--parser", ""], "give one of them"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["conform", *arguments])
        assert ended.value.code == 2
        assert says in capsys.readouterr().err
    assert main(["conform", "--command", "no-such-program"]) == 2
    assert "cannot run no-such-program" in capsys.readouterr().err


def test_the_command_is_installed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stream_guard", "conform", "--schema", "row"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
