"""Blocks with faults: what stands in the stream, and what may come out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from .calls import make_call
from .faults import KINDS, Kind, Scene
from .faults.table import STAGES
from .render import Style, Token, Tokens, joined, render
from .sources import Sources, everything
from .toolsets import TOOLSETS, Toolset
from .verdicts import Calls, Verdict, judge, keys, strict

ATTEMPTS: Final = 4000
"""Limit: calls that are drawn until a fault has a place in one of them."""

WRAPPINGS: Final = {"bare": 12, "name_arguments": 2, "list": 3, "tool_calls": 2, "concatenated": 1}
"""The weight with which each wrapping is drawn."""


@dataclass(frozen=True, slots=True)
class Case:
    """A block with faults."""

    kinds: tuple[str, ...]
    """The kinds of fault that it has, in the order in which they were asked for."""

    toolset: Toolset
    wrapping: str
    body: str
    """The text in the fence."""

    text: str
    """The reply that holds the block."""

    meant: Calls
    said: tuple[Calls, ...] = ()
    """Other calls that the text itself states: those that a parser reads at some step, or reads once forgotten braces are
    added."""

    nothing: bool = False
    """Whether no call of the block may run."""

    @property
    def gated(self) -> bool:
        """Whether one of the calls is destructive."""
        return any(self.toolset.by_name[call.tool].destructive for call in self.meant)

    def verdict(self, ran: Calls) -> Verdict:
        """Return the verdict on the block, given the calls that came out executable."""
        return judge(ran, self.meant, self.said, nothing=self.nothing, gated=self.gated)


def fenced(body: str, *, closed: bool = True, inline: bool = False) -> str:
    """Return a reply with this body in a fence; with `inline` it begins on the fence's own line."""
    opened = f"Now this.\n\n```json{' ' if inline else chr(10)}{body}"
    return f"{opened}\n```\n\nThat is all.\n" if closed else opened


def make(
    index: int,
    seed: int = 1,
    count: int = 1,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    toolsets: Sequence[Toolset] = TOOLSETS,
    sources: Sources | None = None,
    attempts: int = ATTEMPTS,
) -> Case:
    """Return the block of this number under this seed, with `count` faults.

    The first kind is the next of the table, the others are drawn.

    Raises LookupError if the first kind finds no place in so many calls.
    """
    rng = Random(f"{seed}:{index}:{count}")
    sources = sources or everything()
    first = kinds[index % len(kinds)]
    for _ in range(attempts):
        chosen = [first, *rng.sample([name for name in kinds if name != first], count - 1)]
        case = _spoil(tuple(chosen), _draw(rng.choice(toolsets), sources, rng), rng)
        if case is not None:
            return case
    raise LookupError(f"{first} has no place in any call of {attempts}: write a text that it has a place in")


def placed(
    toolsets: Sequence[Toolset], sources: Sources, seed: int = 1, *, attempts: int = 100, kinds: Sequence[str] = tuple(KINDS)
) -> list[str]:
    """Return the kinds of fault that have a place in calls of these toolsets, as far as this many blocks show."""
    rng = Random(seed)
    left = list(kinds)
    for _ in range(attempts):
        drawn = _draw(rng.choice(toolsets), sources, rng)
        left = [name for name in left if _spoil((name,), drawn, rng) is None]
    return [name for name in kinds if name not in left]


def sound(toolset: Toolset, sources: Sources, rng: Random, budget: int = 400) -> tuple[Calls, str, Tokens]:
    """Return valid calls, their wrapping, and the body that holds them."""
    wrapping = rng.choices(tuple(WRAPPINGS), tuple(WRAPPINGS.values()))[0]
    several = {"bare": 1, "name_arguments": 1, "concatenated": rng.choice((2, 2, 3))}.get(wrapping) or rng.choice((1, 1, 2, 3))
    calls = tuple(
        {call.key: call for call in (make_call(toolset, sources, rng, budget // several) for _ in range(several))}.values()
    )
    return calls, wrapping, render(calls, wrapping, Style.draw(rng), rng)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A sound block, before it is spoilt."""

    toolset: Toolset
    calls: Calls
    wrapping: str
    tokens: Tokens


def _draw(toolset: Toolset, sources: Sources, rng: Random) -> _Drawn:
    return _Drawn(toolset, *sound(toolset, sources, rng, rng.choice((60, 150, 400, 400, 900))))


def _spoil(names: tuple[str, ...], drawn: _Drawn, rng: Random) -> Case | None:
    """Return the block with these faults; None if one of them has no place in its calls."""
    toolset, calls, tokens = drawn.toolset, drawn.calls, drawn.tokens
    whole = joined(tokens)
    chosen = sorted((KINDS[name] for name in names), key=lambda kind: STAGES.index(kind.stage))
    scene = Scene(toolset, calls)
    said: list[Calls] = []
    nothing = any(_forbids(kind, toolset, calls) for kind in chosen)
    beside, stopped = len(chosen) > 1 and not nothing, False
    bare = tokens if 0 < sum(map(_says_nothing, chosen)) < len(chosen) else None  # without the faults that say nothing else
    for kind in chosen:
        before = joined(tokens)
        if bare is not None and not _says_nothing(kind):
            bare = kind.apply(bare, _copy(rng), scene) or bare
        spoilt = kind.apply(tokens, rng, scene)
        if spoilt is None or joined(spoilt) == before:
            return None
        tokens = spoilt
        stopped = stopped or kind.stage == "cut"
        valid = kind.closed and not (
            kind.refused and kind.stage == "quiet"
        )  # of such a kind nothing may run though it is valid
        readings = list(_readings(joined(tokens), toolset, kind, stopped=stopped, several=len(chosen) > 1)) if valid else []
        if _forbids(kind, toolset, calls):
            said.clear()  # what the block said before may not run any more
        if valid and beside and stopped:  # what closes the block may stand beside texts that another fault spoilt
            readings += _readings(joined(map(_unspoilt, tokens)), toolset, kind, stopped=True, several=True)
        if valid and _LINES_RAW.intersection(names) and not _BROKEN.intersection(names):
            readings += filter(None, [strict(joined(tokens), toolset, raw=True, aliases=True)])
        if valid and bare is not None:
            readings += filter(None, [strict(joined(bare), toolset, aliases=True)])
        said += readings
        if kind.stage == "cut" and not readings and len(chosen) == 1:
            nothing = True
    body = joined(tokens)
    if stopped and _ASSUMED.intersection(names) and _STOPS_OPEN.search(body) and not any(map(_wraps, chosen)):
        said.clear()  # no brace may be added beside what assumes something
    if re.split(r"[ \t\r\n]+", body) == re.split(r"[ \t\r\n]+", whole) or not body.strip():
        return None
    if len(chosen) > 1 and _without_last_braces(body) == _without_last_braces(whole):
        return None  # one fault took back what another did, but for a brace
    if any(toolset.by_name[call.tool].mend is not None for call in calls) and keys(calls) in map(keys, said):
        nothing = False  # the tool's own function fills in what the fault took away
    others = tuple(dict.fromkeys(reading for reading in map(_Reading, said) if reading.keys != keys(calls)))
    text = fenced(body, closed=all(kind.closed for kind in chosen), inline=any(kind.inline for kind in chosen))
    return Case(names, toolset, drawn.wrapping, body, text, calls, tuple(other.calls for other in others), nothing)


def _says_nothing(kind: Kind) -> bool:
    """Return whether a fault of this kind changes no meaning: beside another one, the text says what that made of it."""
    return not kind.refused and (kind.family == "commas" or kind.name in _SAYS_NOTHING)


_SAYS_NOTHING: Final = frozenset({
    "name_spelling", "known_prefix", "alias", "field_alias", "python_literal", "bare_word", "bare_key", "bare_keys",
    "function_call_alone",
})  # fmt: skip


def _copy(rng: Random) -> Random:
    """Return a generator that draws the same values as this one will draw."""
    copied = Random()
    copied.setstate(rng.getstate())
    return copied


def _unspoilt(token: Token) -> Token:
    """Return a string as JSON has it, whatever marks and escapes a fault gave it; any other token unchanged."""
    string = isinstance(token.value, str) and token.kind in ("key", "text", "noise") and token.value not in tuple("{}[],:")
    return token.says(json.dumps(token.value)) if string else token


def _without_last_braces(body: str) -> str:
    return re.sub(r"[ \t\r\n]+", " ", body).rstrip("} ")


def _readings(body: str, toolset: Toolset, kind: Kind, *, stopped: bool, several: bool) -> Iterator[Calls]:
    """Yield the calls that the body states without any fix.

    For a body that stopped, the calls with the braces that it may have forgotten follow.

    After another `kind` of fault than the cut, a comma and closers at its end may be none of the call's: that fault
    may have closed the block. One of `several` faults may have closed the list that the calls stand in, too.
    """
    found = strict(body, toolset, aliases=True)
    if found:
        yield found
    elif stopped:
        tail = _TAIL.search(body) if kind.stage != "cut" else None
        for end in range(tail.start() if tail is not None else len(body.rstrip()), len(body) + 1):
            whole = body[end - 1 : end] in ('"', "]", "}") or body[end : end + 1] in (",", "}")  # a number may go on
            for closers in _CLOSERS if whole else ():
                if ("]" not in closers or several) and (read := strict(body[:end] + closers, toolset, raw=True)):
                    yield read


_LINES_RAW: Final = frozenset({"raw_line_breaks", "raw_everywhere", "raw_tabs", "some_raw_line_breaks"})
"""Faults that leave line breaks unchanged. What a block states by the letter apart from these is undetermined too."""

_ASSUMED: Final = frozenset(
    {"bare_quotes", "bare_quotes_everywhere", "some_bare_quotes", "verbatim_text", "escaped_apostrophe"}
)
"""Faults of strings whose mending assumes something."""

_STOPS_OPEN: Final = re.compile(r"[^\s,;)}\]][\s,;)]*\Z")
"""Matches the end of a body that ends without a brace or a bracket."""

_BROKEN: Final = frozenset({"stray_line_break", "hard_wrapped"})
"""Faults that put line breaks where there were none."""

_CLOSERS: Final = ("}", "}}", "}}}", "}}}}", "}]", "}}]", "}]}", "}}]}")
"""Matches what may be missing at the end of calls, or of a list of calls."""

_TAIL: Final = re.compile(r"[\s,;)\]}]*\Z")
"""Matches the text after the last value of a body."""


def _wraps(kind: Kind) -> bool:
    """Return whether a fault of this kind puts text around the block, or changes all of the block's text."""
    return kind.stage in ("text", "around")


def _forbids(kind: Kind, toolset: Toolset, calls: Calls) -> bool:
    """Return whether a block with this kind of fault may run only the calls that it states without any fix."""
    return kind.refused or (kind.gate and _destroys(toolset, calls))


def _destroys(toolset: Toolset, calls: Calls) -> bool:
    return any(toolset.by_name[call.tool].destructive for call in calls)


class _Reading:
    """Calls, which are equal when they say the same."""

    def __init__(self, calls: Calls) -> None:
        self.calls: Final = calls
        self.keys: Final = keys(calls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reading) and self.keys == other.keys

    def __hash__(self) -> int:
        return hash(self.keys)
