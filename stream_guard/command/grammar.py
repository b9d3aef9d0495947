"""The command `grammar`: prints the grammar of a toolset's calls in a dialect."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from ..values.events import FENCE
from .exit_status import GOOD
from .inputs import Unreadable, toolset

FORMATS: Final = ("lark", "structural-tag", "gbnf", "json-schema")


def command(commands: Any, takes_tools: Callable[..., None], *_: Callable[..., Any]) -> None:
    """Add `grammar` to the command line."""
    grammar: argparse.ArgumentParser = commands.add_parser(
        "grammar", help="print a grammar of calls, for a server that constrains what its model writes"
    )
    grammar.add_argument("--format", choices=FORMATS, default="lark", help="the format (default: lark)")
    grammar.add_argument("--dialect", metavar="NAME", default=FENCE, help=f"the dialect of the calls (default: {FENCE})")
    grammar.add_argument("--calls-only", action="store_true", help="a reply is one call and nothing else")
    grammar.add_argument("--old", action="store_true", help="the older shape of a structural tag")
    grammar.add_argument("--json", action="store_true", help="print one JSON document, with triggers and what is not expressed")
    takes_tools(grammar)
    grammar.set_defaults(run=_grammar)


def _grammar(options: argparse.Namespace) -> int:
    tools = toolset(options.tools)
    prose = not options.calls_only
    try:
        if options.format == "lark":
            made = tools.to_lark(options.dialect, prose=prose)
        elif options.format == "gbnf":
            made = tools.to_gbnf(options.dialect, prose=prose)
        elif options.format == "structural-tag":
            made = tools.to_structural_tag(options.dialect, prose=prose, shape="old" if options.old else "new")
        else:
            made = tools.to_json_schema()
    except ValueError as error:
        raise Unreadable(str(error)) from None
    if options.json:
        print(json.dumps(asdict(made), ensure_ascii=False))
        return GOOD
    print(made.text.removesuffix("\n"))
    for each in made.not_expressed:
        print(f"{each.tool}: {each.pointer or each.rule}: {each.effect.replace('_', ' ')}: {each.why}", file=sys.stderr)
    return GOOD
