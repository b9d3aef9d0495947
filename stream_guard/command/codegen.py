"""The command `codegen`: writes a toolset's types as Python and TypeScript."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .inputs import TOOLSET, Unreadable, toolset


def command(commands: Any, _: Callable[..., None]) -> None:
    """Add `codegen` to the command line."""
    codegen: argparse.ArgumentParser = commands.add_parser("codegen", help="write a toolset's types as Python and TypeScript")
    codegen.add_argument("toolset", metavar="TOOLSET", help=TOOLSET)
    codegen.add_argument("-o", "--output", metavar="DIR", default=".", help="where to write them (here)")
    codegen.add_argument("--name", help="the name of the modules (that of the toolset)")
    codegen.add_argument("--check", action="store_true", help="write nothing; tell whether what is there is up to date")
    codegen.set_defaults(run=_codegen)


def _codegen(options: argparse.Namespace) -> int:
    from ..codegen import HEADER, GenerationError, generate  # deferred: the other commands need none of it

    stem = Path(options.toolset.rpartition(":")[2]).stem
    name = options.name or re.sub(r"[^a-z0-9_]+", "_", stem.lower())
    try:
        files = generate(toolset(options.toolset), name)
    except GenerationError as error:
        raise Unreadable(str(error)) from None
    folder = Path(options.output)
    stale = [file for file, text in files.items() if _written(folder / file) != text]
    if options.check:
        for file in stale:
            print(f"{folder / file} is not up to date", file=sys.stderr)
        return 1 if stale else 0
    for file in stale:
        there = _written(folder / file)
        if there and HEADER not in there[: 2 * len(HEADER)]:
            raise Unreadable(f"{folder / file} was not written by this command and is left alone; choose another --name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
            print(folder / file)
    except OSError as error:
        raise Unreadable(f"{folder}: {error.strerror or error}") from None
    return 0


def _written(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from None
