"""A fault grammar for tool calls: proves that nothing runs that was not meant.

Valid calls of known toolsets are written as JSON token by token, spoilt by one or more faults out of a table, and given to a
guard. What comes out executable is compared, value by value, with what was meant.

    python -m stream_guard_conformance --blocks 10000 --seed 1 --faults 1..4

`toolsets` says which tools there are; `sources`, `values` and `calls` make valid calls of them; `render` writes them as tokens;
`faults` is the table of what may go wrong, `cases` puts these together, `verdicts` compares, and `run` tries them on a guard.
`attack` does so with tools of your own (`stream-guard attack my_app:TOOLS`), or on a function of your own in place of a guard
(`functions`), and `advice` says what to change in their schemas.
`corpus` has streams of its own making and `conform` tries parsers on them; `events` has streams of odd events, `damaged` calls
in dialects with damaged markers, and `chaos` is a proxy that breaks connections.

Rule 1: only `run`, `attack`, `advice` and `conform` know a guard, `damaged` its writers of dialects, and `chaos` and
`functions` its command line; all other modules know JSON and JSON Schema.
Rule 2: everything is drawn from a seed. The same seed, kinds and sources give the same blocks, in however many processes.
"""

from __future__ import annotations

from .cases import Case, make
from .cuts import Prefix, prefixes
from .faults import KINDS, Kind
from .run import Result, Table, run
from .toolsets import TOOLSETS, Toolset
from .verdicts import Verdict, judge

__all__ = [
    "KINDS",
    "TOOLSETS",
    "Case",
    "Kind",
    "Prefix",
    "Result",
    "Table",
    "Toolset",
    "Verdict",
    "judge",
    "make",
    "prefixes",
    "run",
]
