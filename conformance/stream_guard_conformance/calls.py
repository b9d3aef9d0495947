"""Valid calls: arguments drawn for a tool's schema."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from .sources import Sources
from .toolsets import Json, Toolset, ToolSpec
from .values import Values

DRAWS: Final = 20
"""How many values are drawn for a schema that asks for more than a draw can aim at, until one is valid."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: a tool and its arguments, as a guard should hand them on."""

    tool: str
    arguments: Json

    @property
    def key(self) -> str:
        """Return a text that is the same for equal calls only: 1, 1.0 and true differ, the order of keys does not count."""
        return self.tool + json.dumps(self.arguments, sort_keys=True)


def make_call(toolset: Toolset, sources: Sources, rng: Random, budget: int = 400) -> Call:
    """Return a valid call of some tool of the toolset. A destructive tool comes half as often as others."""
    tool = rng.choices(toolset.tools, [1 if tool.destructive else 2 for tool in toolset.tools])[0]
    return Call(tool.name, make_arguments(tool, sources, rng, budget))


def make_arguments(tool: ToolSpec, sources: Sources, rng: Random, budget: int = 400) -> Json:
    """Return valid arguments, in any order of keys, whose texts are about as long as the budget. Raises LookupError.

    A tool's examples are drawn from half of the time, one text of them at a time replaced where that is valid.
    """
    values = Values(tool.schema, sources, rng)
    for _ in range(DRAWS):
        like = tool.examples and (not tool.guessed or rng.random() < 0.5)
        drawn = _varied(rng.choice(tool.examples), values, rng) if like else values.draw(budget)
        if isinstance(drawn, dict) and tool.accepts(drawn):
            return drawn
    if tool.examples:
        return deepcopy(rng.choice(tool.examples))
    raise LookupError(f"no valid arguments of {tool.name} in {DRAWS} draws")


def _varied(example: Json, values: Values, rng: Random) -> Json:
    """Return the example with one of its texts replaced by another, in most cases."""
    made = deepcopy(example)
    held: list[tuple[Any, Any]] = [(made, key) for key in made]
    able: list[tuple[Any, Any]] = []
    for holder, key in held:
        value = holder[key]
        if isinstance(value, str):
            able.append((holder, key))
        elif isinstance(value, dict | list):
            held += [(value, inner) for inner in (value if isinstance(value, dict) else range(len(value)))]
    if able and rng.random() < 0.8:
        holder, key = rng.choice(able)
        holder[key] = values.text(str(key), 200)
    return made
