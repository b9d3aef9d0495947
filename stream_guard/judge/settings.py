"""The settings of a guard, validated when they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..dialects.tables import names_of
from ..fixes.engine import ALLOWED, Fixes
from ..running.toolset import Toolset
from ..scan.reasoning import Reasoning
from ..values.events import FENCE, ToolBlock, ToolStatus
from ..values.limits import Limits

Rewrite = Literal["own", "fence"]
"""How a block of another dialect stands in a text: as it was written or in its `own` dialect, or as a `fence`."""

Shows = bool | tuple[str, ...]
"""Which arguments are previewed: all, none, or the fields of these dotted names."""

Early = Literal["off", "announce", "abort"]
"""What happens when it is certain, while a block is written, that it cannot pass."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments of `Guard`, without the corrector, validated. `Guard` documents each of them."""

    tools: Toolset
    limits: Limits
    languages: tuple[str, ...] = ("json",)
    dialects: tuple[str, ...] = (FENCE,)
    rewrite: Rewrite = "own"
    announce: Literal["fence", "tool"] = "fence"
    order: Literal["strict", "flow"] = "strict"
    untagged: Literal["release", "validate"] = "release"
    reasoning: Reasoning = "skip"
    fixes: Fixes = "likely"
    run_invented: bool = False
    mode: Literal["guard", "shadow"] = "guard"
    progress: int | None = None
    preview: Shows = False
    early: Early = "off"
    on_status: Callable[[ToolStatus], None] | None = None
    on_block: Callable[[ToolBlock], None] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.tools, Toolset):
            raise TypeError(f"Guard takes a Toolset, or a list of functions and tools, got {type(self.tools).__name__}")
        names_of(self.dialects)
        _one_of("rewrite", self.rewrite, get_args(Rewrite))
        _one_of("announce", self.announce, ("fence", "tool"))
        _one_of("order", self.order, ("strict", "flow"))
        _one_of("untagged", self.untagged, ("release", "validate"))
        _one_of("reasoning", self.reasoning, get_args(Reasoning))
        _one_of("fixes", self.fixes, tuple(ALLOWED))
        _one_of("early", self.early, get_args(Early))
        _one_of("mode", self.mode, ("guard", "shadow"))
        if self.progress is not None and self.progress < 1:
            raise ValueError(f"progress must be a positive number of characters, got {self.progress!r}")
        for name in self.preview if isinstance(self.preview, tuple) else ():
            if all(tool.describe(name) is None for tool in self.tools):
                raise ValueError(f"preview: no tool has a field {name!r}")


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, got {value!r}")
