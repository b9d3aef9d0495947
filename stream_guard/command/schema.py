"""The command `schema`: prints the JSON Schema of the events."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from .exit_status import GOOD


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `schema` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "schema", help="print the JSON Schema of the events json-tool-status, json-tool-block and json-tool-result"
    )
    parser.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    sys.stdout.write(files("stream_guard").joinpath("events.schema.json").read_text(encoding="utf-8"))
    return GOOD
