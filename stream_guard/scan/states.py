"""The states of the scanner, the transitions between them, and what it reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from ..dialects.call import RawCall
from ..values.block import Block
from ..values.issues import ValidationIssue
from ..values.preview import Preview


class Report:
    """A report of the scanner. Reports are equal if they are of one kind and say the same.

    They are no dataclasses, which take long to make: most of them are asked for in every block, and so in every import.
    """

    __slots__: tuple[str, ...] = ()

    def _says(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Report) and self._says() == other._says()

    __hash__ = None  # type: ignore[assignment]  # its attributes may change

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._says().items())})"


class Opened(Report):
    """Report: the fence of a possible block has opened."""

    __slots__ = ("named",)

    def __init__(self, named: bool = True) -> None:
        self.named = named
        """Whether the fence names its language and has its line to itself. Few other fences hold a call."""


class Accepted(Report):
    """Report: the block is a tool call. Its tool and path are None while they are not known."""

    __slots__ = ("path", "tool")

    def __init__(self, tool: str | None, path: str | None) -> None:
        self.tool = tool
        self.path = path


class Named(Report):
    """Report: the string with the tool's name or the path is complete."""

    __slots__ = ("path", "tool")

    def __init__(self, tool: str | None, path: str | None) -> None:
        self.tool = tool
        self.path = path


class Progress(Report):
    """Report: more of the body was received."""

    __slots__ = ("preview", "received")

    def __init__(self, received: int, preview: tuple[Preview, ...] = ()) -> None:
        self.received = received
        self.preview = preview


class Failing(Report):
    """Report: the block cannot pass any more, whatever follows."""

    __slots__ = ("issues",)

    def __init__(self, issues: tuple[ValidationIssue, ...]) -> None:
        self.issues = issues


class Released(Report):
    """Report: the block is no tool call; its text follows as prose."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


@dataclass(slots=True)
class Closed:
    """Report: the block has ended."""

    block: Block
    calls: tuple[RawCall, ...] = ()
    """The calls of a block in a dialect; empty for a fenced block, whose body is JSON."""

    raw_ends: tuple[str, ...] = ()
    """The markers that may have ended a value of the call too early; empty if certainly none has."""

    last_quote: str = ""
    """The quote that a fenced body ends with before its call does: it may stand in a text, and so may the fence behind it."""


class Unclosed(Report):
    """Report: the text has ended inside reasoning that was never closed, and that was not searched for blocks."""

    __slots__ = ()


Scanned = str | Opened | Accepted | Named | Progress | Failing | Released | Closed | Unclosed
"""Anything that a scanner returns: prose, or a report about a block."""


# ---------------------------------------------------------------------------------------------------------------------
# The state machine.


@unique
class State(Enum):
    """The scanner's position in the structure of the text."""

    START = "the text begins; it may open with reasoning made of words"
    LINE = "a line of prose begins; it may open a fence"
    PROSE = "inside a line of prose"
    FENCED_LINE = "a line begins inside a fence that holds no block"
    FENCED = "inside a line of such a fence"
    BLOCK_LINE = "a line begins inside a block"
    BLOCK = "inside a line of the block"
    AHEAD_LINE = "a line begins, read ahead to see where the block ends"
    AHEAD = "inside a line read ahead"
    REASONING = "inside reasoning, which is prose"
    CALL = "inside a call in a dialect"
    CALLED = "after such a call, which must have its line to itself"
    REST = "inside the rest of such a call that was too long"
    OVER = "after a block that was aborted: nothing more is read"

    __hash__ = object.__hash__  # that of Enum is written in Python, and every step needs one


@unique
class Seen(Enum):
    """The inputs of the state machine: what the scanner found."""

    TEXT = "no fence"
    LINE_END = "line end"
    OTHER_FENCE = "another fence opens"
    BLOCK_FENCE = "a fence opens a block"
    NEXT = "the block ends before this line"
    CLOSER = "closing fence"
    DOUBT = "closing fence in an open string"
    AHEAD_END = "reading ahead ends"
    RELEASED = "no tool call"
    NO_FENCE = "no tool call, and no fence"
    OVERSIZE = "too long"
    ABORTED = "cannot pass any more"
    REASONING = "reasoning opens"
    REASONED = "reasoning closes"
    OPENER = "a dialect opens a call"
    CALL_END = "the call ends"
    IN_FENCE = "the call is over, in a fence that goes on"
    END = "stream ends"

    __hash__ = object.__hash__


TRANSITIONS: Final[dict[State, dict[Seen, State]]] = {
    State.START: {
        Seen.TEXT: State.LINE,
        Seen.REASONING: State.REASONING,
        Seen.END: State.START,
    },
    State.LINE: {
        Seen.TEXT: State.PROSE,
        Seen.LINE_END: State.LINE,
        Seen.OTHER_FENCE: State.FENCED_LINE,
        Seen.BLOCK_FENCE: State.BLOCK_LINE,
        Seen.REASONING: State.REASONING,
        Seen.END: State.START,
    },
    State.PROSE: {
        Seen.LINE_END: State.LINE,
        Seen.BLOCK_FENCE: State.BLOCK_LINE,
        Seen.OPENER: State.CALL,
        Seen.REASONING: State.REASONING,
        Seen.END: State.START,
    },
    State.FENCED_LINE: {
        Seen.TEXT: State.FENCED,
        Seen.LINE_END: State.FENCED_LINE,
        Seen.OPENER: State.CALL,
        Seen.CLOSER: State.PROSE,
        Seen.END: State.START,
    },
    State.FENCED: {Seen.LINE_END: State.FENCED_LINE, Seen.CLOSER: State.PROSE, Seen.END: State.START},
    State.BLOCK_LINE: {
        Seen.TEXT: State.BLOCK,
        Seen.RELEASED: State.FENCED,
        Seen.NO_FENCE: State.LINE,
        Seen.CLOSER: State.PROSE,
        Seen.NEXT: State.LINE,
        Seen.DOUBT: State.AHEAD,
        Seen.ABORTED: State.OVER,
        Seen.END: State.START,
    },
    State.BLOCK: {
        Seen.LINE_END: State.BLOCK_LINE,
        Seen.RELEASED: State.FENCED,
        Seen.NO_FENCE: State.PROSE,
        Seen.OVERSIZE: State.FENCED,
        Seen.ABORTED: State.OVER,
        Seen.END: State.START,
    },
    State.AHEAD_LINE: {
        Seen.TEXT: State.AHEAD,
        Seen.CLOSER: State.PROSE,
        Seen.NEXT: State.LINE,
        Seen.AHEAD_END: State.PROSE,
        Seen.ABORTED: State.OVER,
    },
    State.AHEAD: {Seen.LINE_END: State.AHEAD_LINE, Seen.AHEAD_END: State.PROSE, Seen.ABORTED: State.OVER},
    State.REASONING: {Seen.REASONED: State.LINE, Seen.END: State.START},
    State.CALL: {
        Seen.CALL_END: State.CALLED,
        Seen.IN_FENCE: State.FENCED,
        Seen.CLOSER: State.PROSE,
        Seen.RELEASED: State.PROSE,
        Seen.OVERSIZE: State.REST,
        Seen.END: State.START,
    },
    State.CALLED: {Seen.CLOSER: State.PROSE, Seen.RELEASED: State.PROSE, Seen.END: State.START},
    State.REST: {Seen.CLOSER: State.PROSE, Seen.IN_FENCE: State.FENCED, Seen.END: State.START},
    State.OVER: {Seen.END: State.START},
}
"""Every allowed change of the state. The diagram in docs/architecture.md is printed from this."""


class IllegalTransition(RuntimeError):
    """Raised for an input that the scanner's state has no transition for: an internal error."""

    def __init__(self, state: State, seen: Seen) -> None:
        super().__init__(state, seen)
        self.state = state
        self.seen = seen

    def __str__(self) -> str:
        return f"the scanner has no transition from {self.state.name} on {self.seen.name}"
