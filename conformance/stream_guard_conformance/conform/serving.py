"""A parser in Python as a program, for the runner in another process or environment: it speaks the lines of `command`.

`python -m stream_guard_conformance.conform.serving MODULE:NAME` is the program that `--parser` tries.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from queue import SimpleQueue
from typing import TextIO

from ..toolsets import Json
from .command import PARTING
from .parser import CRASHED, NO_ANSWER, Parser
from .trying import Crashed, NoAnswer, answer_of, said


class Unfit(Exception):
    """Raised for a name that is not that of a parser, with the reason."""


def command_for(named: str, module: str = __name__) -> list[str]:
    """Return the command line that serves what a MODULE:NAME stands for, with the module whose program that is."""
    return [sys.executable, "-m", module, named]


def serve(parser: Parser, asked: Iterable[str] | None = None, answers: TextIO | None = None) -> None:
    """Answer questions, a line each, until there are no more. What the parser raises is the answer to its row."""
    out = answers or sys.stdout
    for line in asked or sys.stdin:
        print(_answer(parser, json.loads(line)), file=out, flush=True)


def _answer(parser: Parser, question: Json) -> str:
    if question["ask"] == "capabilities":
        return json.dumps({"name": parser.name, "capabilities": sorted(map(str, parser.capabilities))})
    told = {"id": question["id"]}
    try:
        return json.dumps({**told, **answer_of(parser, question).to_json()})
    except Crashed as error:
        return json.dumps({**told, CRASHED: str(error)})
    except NoAnswer as error:
        return json.dumps({**told, NO_ANSWER: str(error)})
    except BaseException as error:  # the panic of a parser in Rust is no Exception
        return json.dumps({**told, CRASHED: said(error)})


def made(named: str) -> Parser:
    """Return the parser that a class or function returns, given its MODULE:NAME. Raises Unfit."""
    module, _, name = named.partition(":")
    sys.path.insert(0, "")
    try:
        parser: Parser = getattr(import_module(module), name)()
        missing = [needed for needed in ("name", "capabilities", "read") if not hasattr(parser, needed)]
        if missing:
            raise Unfit(f"a parser has name, capabilities and read; this one lacks {', '.join(missing)}")
        if not isinstance(parser.name, str):
            raise Unfit(f"its name is {parser.name!r}; give a text")
        if isinstance(parser.capabilities, str) or not isinstance(parser.capabilities, Iterable):
            raise Unfit(f"its capabilities are {parser.capabilities!r}; give a set of names")
        sorted(map(str, parser.capabilities))
    except Unfit:
        raise
    except BaseException as error:  # it is somebody's own code
        raise Unfit(f"expected MODULE:NAME of a class or function that returns a parser; {said(error)}") from None
    return parser


def main(named: str, make: Callable[[str], Parser] = made) -> None:
    """Serve a parser. What it prints goes to standard error, and it has no input: both are the runner's."""
    asked = _until_left(os.fdopen(os.dup(0), encoding="utf-8"))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        parser = make(named)
    except Unfit as error:
        print(json.dumps({CRASHED: str(error)}), file=answers, flush=True)
    else:
        serve(parser, asked, answers)


def _until_left(asked: TextIO) -> Iterator[str]:
    """Yield questions until there are no more. Where one is being answered then, nobody waits for it: the program ends.

    Its runner may have been killed, and then ends nothing itself.
    """
    lines: SimpleQueue[str] = SimpleQueue()

    def reads() -> None:
        for line in asked:
            lines.put(line)
        lines.put("")
        time.sleep(PARTING)
        if sys.platform != "win32" and os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)  # with what it has begun
        os._exit(1)

    threading.Thread(target=reads, daemon=True).start()
    yield from iter(lines.get, "")


if __name__ == "__main__":
    main(sys.argv[1])
