"""`Row`: one stream, and what must come out of it; and how rows are written.

A row is a line of JSON that a program in any language can read; `row.schema.json` is its JSON Schema. What must come out is
stated by whoever made the row, from what was put in. No parser is asked.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import accumulate, takewhile
from random import Random
from typing import Any, Final, Literal

from ..toolsets import Json, Toolset, ToolSpec

Form = Literal["text", "events", "reply", "bytes"]
"""What an input is: deltas of text, events of a protocol, one whole reply of a protocol, or bytes of one, in base64."""

End = Literal["stop", "length", "unknown"]
"""How a text ended, as far as its reader knows: the model ended it, the token limit cut it off, or the source ran out."""

Piece = str | None
"""A stretch of text that must come out; None stands for any text."""

By = tuple[int, int]
"""The number of a piece of input, and how many letters of a text have come out with it at least. White space does not count."""

CAPABILITIES: Final[Mapping[str, str]] = {
    "fence": "finds calls in fenced JSON blocks of a text",
    "several": "finds more than one call in a text",
    "wrappings": "reads calls as APIs wrap them: `name` and `arguments`, `tool_calls`, lists, objects one after the other",
    "lenient": "reads fences that models write otherwise than CommonMark does",
    "repair": "mends JSON that is broken",
    "schemas": "refuses calls that are not valid by the schema of their tool",
    "doubts": "refuses calls that are valid, and whose text says that they were written wrongly",
    "integers": "gives integers of any size as they are, also where a double cannot",
    "halves": "gives a character whose halves, as a surrogate pair, come in two deltas",
    "intent": "tells a call from other JSON in a fence",
    "reasoning": "knows reasoning in a text, in which nothing is a call",
    "turns": "knows results of tools and turns of others that a model wrote itself into a text, in which nothing is a call",
    "endings": "knows that a reply was cut off from the way it ended, also behind a complete object",
    "text": "gives the text beside the calls",
    "streams": "reads deltas as they come, and answers after each",
    "announce": "names the tool of a call before the call is complete",
    "hints": "says what is wrong with a call that may not run",
    "native": "reads the native calls of a protocol",
    "reply": "reads replies that were not streamed",
    "bytes": "reads the bytes of a stream",
}
"""What a parser may be able to do, beside `dialect:NAME` and `protocol:NAME` for those that it reads."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A call that was put into a stream."""

    name: str
    arguments: Json
    must: bool = True
    """Whether it must run. A call in a broken block may also be refused."""

    choice: int = 0
    """In which choice of the reply it stands."""

    named: int | None = None
    """The delta with which its name is complete: it is to be announced then, and not before."""

    ready: int | None = None
    """The delta with which the call is complete: it may run then, and not before."""

    due: int | None = None
    """The delta that ends the line of its closing fence, or the event that ends its message: it has run then.

    None where neither is known."""

    def to_json(self) -> Json:
        """Return the call as JSON. `named`, `ready` and `due` are left out where they are not known."""
        at = {"named": self.named, "ready": self.ready, "due": self.due}
        return {
            "name": self.name,
            "arguments": self.arguments,
            "must": self.must,
            "choice": self.choice,
            **{key: value for key, value in at.items() if value is not None},
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One stream, and what must come out of it."""

    kind: str
    """Its class, such as `fence/calls`."""

    why: str
    """What the row tries, in a sentence."""

    tools: Sequence[Json]
    """The tools that the model was given."""

    input: Sequence[Any]
    """What is read: see `form`."""

    calls: Sequence[Meant] = ()
    """The calls that run, in order. No other may."""

    also: Sequence[Sequence[Meant]] = ()
    """Other lists of calls that the text states as well. Either list is right."""

    texts: Sequence[Sequence[Piece]] | None = None
    """The text that comes out, of each choice; None where the row states nothing about it."""

    needs: Sequence[str] = ()
    """The capabilities without which the row does not apply."""

    form: Form = "text"
    protocol: str = "text"
    dialect: str = "fence"
    end: End = "unknown"
    at_once: bool = False
    """Whether every delta must come out before the next one is read, because nothing in it could become a call."""

    explains: Sequence[str] = ()
    """Words that the report of a call that may not run must contain."""

    out: Sequence[Sequence[By]] = ()
    """How much of the text of each choice has come out by when: what is not in the list may be held back."""

    id: str = ""

    says: Callable[[Sequence[tuple[str, Json]]], bool] | None = None
    """Returns whether the input literally states these other calls. Only rows that are drawn have it; it is not part of their
    JSON."""

    def question(self) -> Json:
        """Return what a parser is given: all but what must come out."""
        return {
            "id": self.id,
            "class": self.kind,
            "form": self.form,
            "protocol": self.protocol,
            "dialect": self.dialect,
            "end": self.end,
            "tools": list(self.tools),
            "input": list(self.input),
        }

    def to_json(self) -> Json:
        """Return the row as JSON."""
        expect: Json = {"calls": [call.to_json() for call in self.calls]}
        if self.also:
            expect["also"] = [[call.to_json() for call in calls] for calls in self.also]
        if self.texts is not None:
            expect["texts"] = [list(pieces) for pieces in self.texts]
        if self.at_once:
            expect["at_once"] = True
        if self.explains:
            expect["explains"] = list(self.explains)
        if self.out:
            expect["out"] = [[list(by) for by in choice] for choice in self.out]
        return {**self.question(), "needs": list(self.needs), "expect": expect, "why": self.why}

    @staticmethod
    def from_json(row: Json) -> Row:
        """Return a row that was written by `to_json`."""
        expect = row["expect"]
        return Row(
            row["class"],
            row["why"],
            row["tools"],
            row["input"],
            tuple(Meant(**call) for call in expect["calls"]),
            tuple(tuple(Meant(**call) for call in calls) for calls in expect.get("also", ())),
            expect.get("texts"),
            tuple(row["needs"]),
            row["form"],
            row["protocol"],
            row["dialect"],
            row["end"],
            expect.get("at_once", False),
            tuple(expect.get("explains", ())),
            tuple(tuple((piece, letters) for piece, letters in choice) for choice in expect.get("out", ())),
            row["id"],
        )


def line(row: Row) -> str:
    """Return a row as a line of JSON, without its line end."""
    return json.dumps(row.to_json(), ensure_ascii=True, separators=(",", ":"))


@cache
def schema() -> Json:
    """Return the JSON Schema of a row."""
    read: Json = json.loads(files("stream_guard_conformance.corpus").joinpath("row.schema.json").read_text(encoding="utf-8"))
    return read


# -- What makers share -------------------------------------------------------------------------------------------------


def tool(spec: ToolSpec) -> Json:
    """Return a tool as a model is given it. `annotations` are those of MCP; aliases are left out where there are none."""
    more = {"aliases": list(spec.aliases), "field_aliases": dict(spec.field_aliases)}
    return {
        "name": spec.name,
        "description": f"{spec.name.replace('_', ' ').capitalize()}.",
        "input_schema": _plain(spec.schema),
        "annotations": {"destructiveHint": spec.destructive},
        **{key: value for key, value in more.items() if value},
    }


def tools_of(toolset: Toolset) -> list[Json]:
    """Return the tools of a toolset."""
    return [tool(spec) for spec in toolset.tools]


def _plain(schema: Any) -> Any:
    """Return a schema without the keyword that is the makers' own."""
    match schema:
        case dict():
            return {key: _plain(value) for key, value in schema.items() if key != "x-text"}
        case list():
            return [_plain(item) for item in schema]
        case _:
            return schema


CUTS: Final = ("whole", "characters", "tokens", "random", "lines")
"""The ways in which a text is cut into deltas."""


def cut(text: str, how: str, rng: Random) -> list[str]:
    """Return a text in deltas; joined, they are the text."""
    match how:
        case "whole":
            return [text]
        case "characters":
            return list(text)
        case "tokens":
            sizes = (1, 2, 3, 4, 4, 5, 7)
        case "lines":
            return text.splitlines(keepends=True)
        case _:
            sizes = (1, 1, 2, 5, 9, 17, 40)
    deltas: list[str] = []
    at = 0
    while at < len(text):
        size = rng.choice(sizes)
        deltas.append(text[at : at + size])
        at += size
    return deltas


class Places:
    """Where the characters of a text stand in its deltas."""

    def __init__(self, deltas: Sequence[str]) -> None:
        self._ends = list(accumulate(map(len, deltas)))
        """How many characters there are up to the end of each delta."""

    def delta_at(self, offset: int) -> int:
        """Return the number of the delta that holds the character at this offset of the text."""
        number = bisect_right(self._ends, offset)
        if number == len(self._ends):
            size = self._ends[-1] if self._ends else 0
            raise ValueError(f"offset {offset} is past the end of the text, which has {size} characters")
        return number


def numbered(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows with an id each: the class, and a number in it."""
    count: dict[str, int] = {}
    for row in rows:
        count[row.kind] = number = count.get(row.kind, 0) + 1
        yield replace(row, id=f"{row.kind}/{number:04}")


_FENCE_LIKE: Final = re.compile(r"(?:[ \t>*+-]|\d+[.)])*[`~<\[◁]")
"""The beginning of a line that may be a fence, in a list or in a quote too, or a mark of reasoning."""

_MARK: Final = re.compile(r"`+|~+|<")
"""What may be a mark behind other text: three signs may begin a block, and the sign behind fewer says that they do not."""


@dataclass(slots=True)
class Draft:
    """A text that is put together, and what must come out of it."""

    text: str = ""
    pieces: list[Piece] = field(default_factory=list)
    calls: list[Meant] = field(default_factory=list)
    spans: list[tuple[int, int, int]] = field(default_factory=list)
    """Where the name, and where the last character, of each call is, and where its block ends."""

    sealed: int = 0
    """How many pieces are complete."""

    said: list[tuple[int, int, bool]] = field(default_factory=list)
    """Where each stretch of text begins and ends, and whether it may be held back until its end."""

    def say(self, text: str, *, whole: bool = False) -> Draft:
        """Add text that comes out unchanged; `whole` is one that may be held back until its last line has ended."""
        self.said.append((len(self.text), len(self.text) + len(text), whole))
        self.text += text
        if len(self.pieces) > self.sealed:
            text = f"{self.pieces.pop()}{text}"
        self.pieces.append(text)
        return self

    def write(self, written: str, *calls: Meant, shown: bool = False) -> Draft:
        """Add the text of some calls. It does not come out as text, or, if `shown`, may."""
        if len(calls) == 1 and (quoted := written.find(f'"{calls[0].name}"')) >= 0:
            last = max(written.rfind("}"), written.rfind("]"))
            at = len(self.text)
            self.spans.append((at + quoted + len(calls[0].name) + 1, at + last, at + len(written)))
        self.text += written
        self.pieces.append(None if shown else "")
        self.sealed = len(self.pieces)
        self.calls += calls
        return self

    def in_dialect(
        self,
        kind: str,
        why: str,
        dialect: str,
        tools: Sequence[Json],
        deltas: Sequence[str],
        calls: Sequence[Meant] = (),
        needs: Sequence[str] = (),
        out: Sequence[Sequence[By]] = (),
    ) -> Row:
        """Return a row of this text, whose calls are in a dialect. `needs` are the capabilities beside that of the dialect."""
        needed = (f"dialect:{dialect}", *needs)
        return Row(kind, why, tools, deltas, calls, texts=[self.pieces], needs=needed, dialect=dialect, end="stop", out=out)

    def timed(self, deltas: Sequence[str]) -> list[Meant]:
        """Return the calls of fences, each with the deltas in which its name, the call and its closing line are complete."""
        if len(self.spans) != len(self.calls):
            return self.calls
        places = Places(deltas)
        return [
            replace(call, named=places.delta_at(name), ready=places.delta_at(last), due=self._line_end(places, behind))
            for call, (name, last, behind) in zip(self.calls, self.spans, strict=True)
        ]

    def out(self, deltas: Sequence[str]) -> list[By]:
        """Return how much of the text has come out by which delta: all but what a careful parser may hold back for a while.

        It may hold the line of what looks like a fence, and what could be the beginning of one, or of a mark of reasoning.
        Where a piece may come out or not, nothing is stated of what follows.
        """
        sure = len("".join(takewhile(lambda piece: piece is not None, self.pieces)))  # type: ignore[arg-type]
        read = at_last = letters = 0
        ends: list[int] = []  # where each letter of the text has been read far enough to be no beginning
        for begin, end, whole in self.said:
            for at in range(begin, end):
                at_last = max(at_last, self._free(at) if not whole else self._line(end - 1)[1])
                ends.append(at_last)
        spoken = "".join(self.text[begin:end] for begin, end, _ in self.said)
        by: list[By] = []
        for number, delta in enumerate(deltas):
            read += len(delta)
            out = len("".join(spoken[: min(bisect_right(ends, read), sure)].split()))
            if out > letters:
                letters = out
                by.append((number, out))
        return by

    def _line(self, at: int) -> tuple[int, int]:
        """Return where the line begins that a letter is in, and where it has ended: past the text if nothing ends it."""
        end = self.text.find("\n", at)
        return self.text.rfind("\n", 0, at) + 1, end + 1 if end >= 0 else len(self.text) + 1

    def _free(self, at: int) -> int:
        """Return how far a text has to be read to know that a letter of prose, or of code, belongs to no call."""
        begin, end = self._line(at)
        line = self.text[begin:end]
        if _FENCE_LIKE.match(line) or any(span[2] > begin for span in self.spans if span[2] <= at):
            return end
        for mark in _MARK.finditer(line):
            if len(mark[0]) > 2 or mark[0] == "<":
                if at >= begin + mark.start():
                    return end
            elif begin + mark.start() <= at < begin + mark.end():
                return begin + mark.end() + 1
        return at + 1

    def _line_end(self, places: Places, behind: int) -> int | None:
        """Return the number of the delta that has the next line end; None where there is none."""
        at = self.text.find("\n", behind)
        return places.delta_at(at) if at >= 0 else None
