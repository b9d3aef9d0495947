"""`Parser`: what is tried on the corpus; and the answers that it gives.

A parser reads the question of a row (`Row.question`: all but what must come out) and answers with items in the order in which
they came out of it: text, the name of a call that has begun, a call that is to be run, and the report of one that is not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from reprlib import repr as short
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
        if "steps" in given:
            return Answer([list(map(_item, _list("a step", step))) for step in _list("`steps`", given["steps"])])
        if "items" in given:
            return Answer.whole(map(_item, _list("`items`", given["items"])))
        raise ValueError(f"expected `steps` or `items`, got {shown(given)}")

    @staticmethod
    def complaint(returned: object) -> str:
        """Return what is wrong with what a parser returned; empty if it is an answer."""
        if not isinstance(returned, Answer):
            what = "None" if returned is None else f"a value of the type {type(returned).__name__}"
            return f"read returned {what}, and not an Answer"
        none = "read returned an Answer that is none: "
        steps: Any = returned.steps
        if not isinstance(steps, list | tuple) or not all(isinstance(step, list | tuple) for step in steps):
            return f"{none}its steps are no list of lists"
        if not returned.timed and len(steps) != 1:
            return f"{none}one of whole texts has one list of items, and not {len(steps)}"
        for item in (item for step in steps for item in step):
            if not isinstance(item, Item):
                return f"{none}an item is a Text, Announced, Ran or Failed, and not of the type {type(item).__name__}"
        try:
            Answer.from_json(returned.to_json())
        except ValueError as error:
            return f"{none}{error}"
        except RecursionError:
            return f"{none}it is nested too deep"
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

TOO_MANY_DIGITS: Final = f"a whole number of more than {sys.get_int_max_str_digits():,} digits, which is not read"
"""What is wrong with an answer that is JSON, and has such a number."""

_MEMBERS: Final = ("text", "name", "call", "failed")


def shown(value: Any, most: int = 200) -> str:
    """Return a value of an answer as JSON, or the beginning and the end of that: a parser need not be in Python.

    Raises RecursionError if it is nested too deep.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=short)
    except (ValueError, TypeError):  # of a parser in Python: a number with too many digits, a key that is none in JSON
        text = short(value)
    return brief(text, most)


def brief(text: str, most: int = 500) -> str:
    """Return a text, or its beginning and its end if it has more characters than `most`."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def _list(name: str, given: Any) -> list[Any]:
    """Return what has to be a list. Raises ValueError."""
    if isinstance(given, list):
        return given
    raise ValueError(f"expected {name} to be a list, got {shown(given)}")


def _choice(given: Mapping[str, Any]) -> int:
    """Return the choice of an item. 1.0 is 1: not every language tells them apart. Raises ValueError."""
    choice = given.get("choice", 0)
    if not isinstance(choice, int | float) or isinstance(choice, bool) or choice < 0 or choice % 1 != 0:
        raise ValueError(f"a choice is a whole number from 0 on, and not {shown(choice)}")
    return int(choice)


def _item(given: Any) -> Item:
    """Return an item of an answer. Raises ValueError."""
    held: Json = given if isinstance(given, dict) else {}
    choice = _choice(held)
    several = [name for name in _MEMBERS if name in held]
    if len(several) > 1:
        raise ValueError(f"an item is one of text, name, call and failed, and not {' and '.join(several)}")
    match held:
        case {"text": str(text)}:
            return Text(text, choice)
        case {"name": str(name)}:
            return Announced(name, choice)
        case {"call": {"name": str(name), "arguments": arguments}}:
            return Ran(name, arguments, choice)
        case {"failed": str(says)}:
            return Failed(says, choice)
        case _:
            held_by = "`text`, `name` or `failed` with a text, or `call` with a name and arguments"
            raise ValueError(f"expected an item with {held_by}, got {shown(given)}")


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
