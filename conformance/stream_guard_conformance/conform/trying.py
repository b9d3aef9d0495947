"""Rows on a parser: results, row by row and by class."""

from __future__ import annotations

import json
from asyncio import CancelledError
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from ..corpus import CAPABILITIES, NAMED, Row
from ..toolsets import Json
from .checking import ORDER, UNTIMED, Finding, Verdict, applies, check
from .parser import TOO_MANY_DIGITS, Answer, Parser, brief, shown


class NoAnswer(Exception):
    """Raised when a parser does not answer within its time, or answers with what cannot be read."""


class Crashed(Exception):
    """Raised when a parser raised an exception, or the program that is the parser ended while a row waited for its answer."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a row."""

    row: Row
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        """The verdict on the row."""
        return self.finding.verdict


def unknown_claims(parser: Parser) -> list[str]:
    """Return a sentence for each claimed capability that is no capability of the corpus."""
    known = (*CAPABILITIES, *NAMED)
    unknown = sorted(claim for claim in parser.capabilities if claim not in known)
    meant = {claim: "".join(f": did you mean {one!r}?" for one in _near(claim, known)) for claim in unknown}
    return [f"there is no capability {claim!r}{meant[claim]}" for claim in unknown]


def _near(claim: str, known: Iterable[str]) -> list[str]:
    """Return the known capability next to a claim; of a dialect or protocol, one of its own kind. None where none is near."""
    kind = claim[: claim.find(":") + 1]
    names = [one.removeprefix(kind) for one in known if one.startswith(kind)]
    return [kind + name for name in get_close_matches(claim.removeprefix(kind), names, 1)] or get_close_matches(
        claim, () if names else known, 1
    )


def tried(rows: Iterable[Row], parser: Parser) -> Iterator[Result]:
    """Yield the result of each row on a parser. After an exception of the parser, the next row is tried."""
    for row in rows:
        yield Result(row, try_row(row, parser))


def try_row(row: Row, parser: Parser) -> Finding:
    """Return the verdict on one row, with the reason."""
    if not applies(row, parser.capabilities):
        return Finding(Verdict.NOT_CLAIMED)
    try:
        answer = answer_of(parser, row.question())
    except NoAnswer as error:
        return Finding(Verdict.NO_ANSWER, brief(str(error)))
    except Crashed as error:
        return Finding(Verdict.CRASHED, brief(str(error)))
    try:
        return check(row, answer, parser.capabilities)
    except RecursionError:
        return Finding(Verdict.NO_ANSWER, "the arguments of a call are nested too deep to be read")


def answer_of(parser: Parser, question: Json) -> Answer:
    """Return the answer of a parser, whatever it does in its process. Raises NoAnswer or Crashed."""
    answer = read_by(parser, question)
    if complaint := Answer.complaint(answer):
        raise NoAnswer(complaint)
    return _as_read(answer)


def _as_read(answer: Answer) -> Answer:
    """Return an answer as it is read from its line of JSON, wherever the parser runs: a tuple is a list. Raises NoAnswer."""
    try:
        return Answer.from_json(json.loads(json.dumps(answer.to_json(), default=_no_json), object_pairs_hook=once))
    except RecursionError:
        raise NoAnswer("the arguments of a call are nested too deep to be written") from None
    except (TypeError, ValueError) as error:
        why = f"it holds {TOO_MANY_DIGITS}" if "digits" in str(error) else str(error)
        raise NoAnswer(f"the answer cannot be written as JSON: {why}") from None


def _no_json(value: object) -> Any:
    raise TypeError(f"it holds a value of the type {type(value).__name__}")


def once(members: list[tuple[str, Any]]) -> Json:
    """Return the members of an object. Raises NoAnswer if two members have one name: then it is undetermined which is meant."""
    found = dict(members)
    if len(found) < len(members):
        twice = next(name for name, times in Counter(name for name, _ in members).items() if times > 1)
        raise NoAnswer(f"the answer has the member {shown(twice)} twice in one object")
    return found


def read_by(parser: Parser, question: Json) -> Answer:
    """Return what a parser returns. Raises NoAnswer or Crashed: whatever a parser raises is a verdict on it."""
    try:
        return parser.read(question)
    except (NoAnswer, Crashed):
        raise
    except RAISED as error:
        raise Crashed(said(error)) from error


RAISED: Final = (Exception, SystemExit, GeneratorExit, CancelledError)
"""The exceptions that count as the parser's. Others are not: Ctrl-C, a signal, or the end of the test that tries it."""


def said(error: BaseException) -> str:
    """Return an exception in words: its type, and its text if that can be read."""
    try:
        text = f"{error}"
    except Exception:  # its own `__str__` raises one
        text = "its text cannot be read"
    return brief(f"{type(error).__name__}: {text}")


@dataclass(slots=True)
class Report:
    """Results by class."""

    classes: dict[str, Counter[Verdict]] = field(default_factory=dict)
    smallest: dict[tuple[str, Verdict], Result] = field(default_factory=dict)
    """The smallest row of each class for each verdict that is not right."""

    untimed: int = 0
    """How many rows are right, and were answered without steps by a parser that claims `streams`."""

    needs: dict[str, set[str]] = field(default_factory=dict)
    """The capabilities that the rows of each class need which do not apply."""

    def add(self, result: Result) -> None:
        """Count a result."""
        kind, verdict = result.row.kind, result.verdict
        self.classes.setdefault(kind, Counter())[verdict] += 1
        self.untimed += result.finding.says == UNTIMED
        if verdict is Verdict.NOT_CLAIMED:
            self.needs.setdefault(kind, set()).update(result.row.needs)
        if not verdict.right:
            known = self.smallest.get((kind, verdict))
            if known is None or size(result.row) < size(known.row):
                self.smallest[kind, verdict] = result

    def total(self) -> Counter[Verdict]:
        """Return the verdicts on all rows."""
        return sum(self.classes.values(), Counter())

    @property
    def applied(self) -> int:
        """How many rows applied."""
        return self.total().total() - self.total()[Verdict.NOT_CLAIMED]

    @property
    def right(self) -> bool:
        """Whether no row has a verdict that is not right."""
        return all(verdict.right for verdict in self.total())

    def wrong(self) -> list[Result]:
        """Return the smallest wrong rows, the worst verdicts first."""
        return sorted(self.smallest.values(), key=lambda result: (ORDER.index(result.verdict), size(result.row)))


def size(row: Row) -> int:
    """Return how long a row is to read."""
    return sum(len(piece) if isinstance(piece, str) else len(str(piece)) for piece in row.input)
