"""A parser in Python as a program, for the runner in another environment or process."""

from __future__ import annotations

import json
import sys
from typing import TextIO

from .parser import Parser


def serve(parser: Parser, asked: TextIO | None = None, answers: TextIO | None = None) -> None:
    """Answer questions, a line each, until there are no more. An exception of the parser ends the program."""
    out = answers or sys.stdout
    for line in asked or sys.stdin:
        question = json.loads(line)
        if question["ask"] == "capabilities":
            said = {"name": parser.name, "capabilities": sorted(parser.capabilities)}
        else:
            said = {"id": question["id"], **parser.read(question).to_json()}
        print(json.dumps(said), file=out, flush=True)
