"""`Parser`: what is tried on the corpus; and the answers that it gives.

A parser reads the question of a row (`Row.question`: all but what must come out) and answers with items in the order in which
they came out of it: text, the name of a call that has begun, a call that is to be run, and the report of one that is not.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Protocol

from ..toolsets import Json


@dataclass(frozen=True, slots=True)
class Text:
    """Text that comes out."""

    text: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Announced:
    """The name of a call that has begun."""

    name: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that is to be run."""

    name: str
    arguments: Any
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """The report of a call that is not to be run."""

    says: str
    choice: int = 0


Item = Text | Announced | Ran | Failed
"""Anything that comes out of a parser."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out of a row."""

    steps: Sequence[Sequence[Item]]
    """The items after each piece of input, and at last those after its end. Of a parser without streams, one step."""

    timed: bool = True
    """Whether the steps are those of the input."""

    @staticmethod
    def whole(items: Iterable[Item]) -> Answer:
        """Return the answer of a parser that reads an input as a whole."""
        return Answer([list(items)], timed=False)

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> Answer:
        """Return the answer in a line of JSON. Raises ValueError if the line is no answer."""
        if "steps" in given and "items" in given:
            raise ValueError("an answer has `steps` or `items`, and not both")
        try:
            if "steps" in given:
                return Answer([[_item(item) for item in step] for step in given["steps"]])
            return Answer.whole(map(_item, given["items"]))
        except (KeyError, TypeError, AttributeError) as error:
            missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"expected `steps` or `items` with items of the schema of answers: {missing}") from None

    @staticmethod
    def complaint(returned: object) -> str:
        """Return what is wrong with what a parser returned; empty if it is an answer."""
        if not isinstance(returned, Answer):
            return f"read returned a value of the type {type(returned).__name__}, and not an Answer"
        steps: Any = returned.steps
        if not isinstance(steps, list | tuple) or not all(isinstance(step, list | tuple) for step in steps):
            return "read returned an Answer that is none: its steps are no list of lists"
        try:
            Answer.from_json(returned.to_json())
        except Exception as error:  # whatever was put into it
            return f"read returned an Answer that is none: {error}"
        return ""

    def to_json(self) -> Json:
        """Return the answer as JSON."""
        steps = [[_plain(item) for item in step] for step in self.steps]
        return {"steps": steps} if self.timed else {"items": steps[0]}


class Parser(Protocol):
    """**Protocol:** a parser of tool calls that is tried on the corpus."""

    @property
    def name(self) -> str:
        """The name of the parser in reports."""
        ...

    @property
    def capabilities(self) -> Collection[str]:
        """What the parser claims: names of `CAPABILITIES`, `dialect:NAME`, `protocol:NAME`.

        Rows that need more do not apply.
        """
        ...

    def read(self, question: Json) -> Answer:
        """Return what comes out of a row, given its question. An exception is a verdict: `crashed`."""
        ...


@cache
def schema() -> Json:
    """Return the JSON Schema of an answer."""
    read: Json = json.loads(
        files("stream_guard_conformance.conform").joinpath("answer.schema.json").read_text(encoding="utf-8")
    )
    return read


CRASHED: Final = "crashed"
NO_ANSWER: Final = "no_answer"
"""The members with which a program says, in place of an answer, that its parser failed on a row, or gave none."""

_MEMBERS: Final = frozenset({"text", "name", "call", "failed"})


def _item(given: Mapping[str, Any]) -> Item:
    choice = given.get("choice", 0)
    if not isinstance(choice, int) or isinstance(choice, bool) or choice < 0:
        raise TypeError(f"a choice is a whole number from 0 on, and not {choice!r}")
    if len(_MEMBERS.intersection(given)) > 1:
        raise TypeError(f"an item is one of text, name, call and failed, and not {' and '.join(given)}")
    match given:
        case {"text": str(text)}:
            return Text(text, choice)
        case {"name": str(name)}:
            return Announced(name, choice)
        case {"call": {"name": str(name), **held}}:
            return Ran(name, held["arguments"], choice)
        case {"failed": str(says)}:
            return Failed(says, choice)
        case _:
            raise TypeError(
                "an item has `text`, `name` or `failed` with a text, or `call` with a name and arguments, and not "
                f"{json.dumps(given, default=repr)[:200]}"
            )


def _plain(item: Item) -> Json:
    choice = {"choice": item.choice} if item.choice else {}
    match item:
        case Text():
            return {"text": item.text, **choice}
        case Announced():
            return {"name": item.name, **choice}
        case Ran():
            return {"call": {"name": item.name, "arguments": item.arguments}, **choice}
        case Failed():
            return {"failed": item.says, **choice}
