"""Every prefix of short calls: a body that stops is no call, whatever it states so far. There is one exception. In a fence
that the model closed, braces that are missing after a closed string, list or object count as forgotten, if the body is valid
with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from .calls import Call, make_call
from .cases import fenced
from .faults.quoting import bare_quotes_everywhere, raw_everywhere
from .faults.table import Scene
from .render import Style, joined, render
from .sources import Sources, own
from .toolsets import TOOLSETS, Toolset
from .verdicts import Calls, strict

LAYOUTS: Final = ("compact", "indented", "raw lines", "bare quotes")


@dataclass(frozen=True, slots=True)
class Prefix:
    """A body that stops before its end."""

    toolset: Toolset
    layout: str
    body: str
    forgotten: Calls | None
    """The call that it states once the forgotten braces are added; None if it lacks more than those."""

    @property
    def text(self) -> str:
        """The reply that holds it, in a fence that closes."""
        return fenced(self.body)


def prefixes(
    calls: int,
    seed: int = 1,
    *,
    longest: int = 200,
    sources: Sources | None = None,
    toolsets: Sequence[Toolset] = TOOLSETS,
) -> Iterator[Prefix]:
    """Yield every prefix of `calls` calls, each of limited length, in each layout by turns."""
    rng = Random(f"cuts:{seed}")
    sources = sources or own()
    done = 0
    while done < calls:
        layout = LAYOUTS[done % len(LAYOUTS)]
        toolset = rng.choice(toolsets)
        drawn = _body(layout, toolset, rng, sources, longest)
        if drawn is None:
            continue
        body, call = drawn
        done += 1
        for size in range(1, len(body)):
            if body[size:].strip():
                forgotten = _forgotten(body[:size], toolset)
                if layout == "bare quotes" and forgotten is not None and not _holds(call, forgotten):
                    forgotten = None  # what stopped may have stopped before a quote of the text's own
                yield Prefix(toolset, layout, body[:size], forgotten)


def _body(layout: str, toolset: Toolset, rng: Random, sources: Sources, longest: int) -> tuple[str, Call] | None:
    """Return the body of a call in this layout, and the call; None when it is too long, or has no place for it."""
    call = make_call(toolset, sources, rng, longest // 2)
    style = Style(indent="  ") if layout == "indented" else Style(spaced=rng.random() < 0.5)
    tokens = render((call,), rng.choice(("bare", "bare", "bare", "name_arguments", "list")), style, rng)
    if layout in ("raw lines", "bare quotes"):
        fault = raw_everywhere if layout == "raw lines" else bare_quotes_everywhere
        tokens = fault(tokens, rng, Scene(toolset, (call,))) or ()
    body = joined(tokens)
    return (body, call) if 0 < len(body) <= longest else None


def _holds(call: Call, found: Calls) -> bool:
    """Return whether the calls that were found hold only values of the whole call."""
    return len(found) == 1 and all(call.arguments.get(key) == value for key, value in found[0].arguments.items())


def _forgotten(body: str, toolset: Toolset) -> Calls | None:
    if body.rstrip()[-1:] not in ('"', "]", "}"):
        return None
    return next((found for braces in range(1, 5) if (found := strict(body + "}" * braces, toolset, raw=True))), None)
