"""Trying a parser on the corpus.

`parser` says what a parser is and what it answers, `checking` gives verdicts, `trying` has results by class, and `growth`
has long texts, and measures how time grows. `command` makes a parser of any program, and `serving` a program of a parser in
Python. `suite` makes tests of pytest, `guard_parser` is the guard as a parser, and `cli` the command `stream-guard conform`.

Rule: only `guard_parser` knows a guard, and `cli` the command line of one.
"""

from __future__ import annotations

from .checking import Finding, Verdict, check
from .command import CommandError, CommandParser
from .parser import Announced, Answer, Failed, Parser, Ran, Text
from .trying import NoAnswer, Report, Result, tried

__all__ = [
    "Announced",
    "Answer",
    "CommandError",
    "CommandParser",
    "Failed",
    "Finding",
    "NoAnswer",
    "Parser",
    "Ran",
    "Report",
    "Result",
    "Text",
    "Verdict",
    "check",
    "tried",
]
