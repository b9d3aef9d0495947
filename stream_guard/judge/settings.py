"""The settings of a guard, validated when they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..dialects.table import Dialect
from ..dialects.tables import names_of, of_name
from ..running.calling import Approve
from ..running.toolset import Toolset
from ..scan.reasoning import Reasoning
from ..toolset.tool import Tool
from ..values.events import FENCE, ToolBlock, ToolStatus
from ..values.fix import ALLOWED, Fixes
from ..values.given import check_flag, check_hook, check_kind, is_count
from ..values.limits import Limits
from .approval_policy import ApprovalPolicy
from .unfit import unfit_approver

Rewrite = Literal["own", "fence"]
"""How a block of another dialect is put back into a text: as written, mended in its `own` dialect, or as a `fence`."""

Shows = bool | tuple[str, ...]
"""Which arguments are previewed: all, none, or the fields of these dotted names."""

Early = Literal["off", "announce", "abort"]
"""What to do when it is certain, while a block is still written, that it cannot pass."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments of `Guard`, without the corrector, validated. `Guard` documents each of them."""

    tools: Toolset
    limits: Limits
    languages: tuple[str, ...] = ("json",)
    dialects: tuple[str | Dialect, ...] = (FENCE,)
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
    approve: Approve | None = None
    approval: ApprovalPolicy | None = None
    on_status: Callable[[ToolStatus], None] | None = None
    on_block: Callable[[ToolBlock], None] | None = None

    def dialect(self, name: str) -> Dialect:
        """Return the dialect of a block: a dialect that was loaded, or one of the tables."""
        return next((each for each in self.dialects if isinstance(each, Dialect) and each.name == name), None) or of_name(name)

    def __post_init__(self) -> None:
        if not isinstance(self.tools, Toolset):
            raise TypeError(f"Guard takes a Toolset, or a list of functions and tools, got {_kind(self.tools)}")
        check_kind("limits", self.limits, Limits, "Limits(max_block=65_536)")
        check_flag("run_invented", self.run_invented)
        names_of(self.dialects)
        _one_of("rewrite", self.rewrite, get_args(Rewrite))
        _one_of("announce", self.announce, ("fence", "tool"))
        _one_of("order", self.order, ("strict", "flow"))
        _one_of("untagged", self.untagged, ("release", "validate"))
        _one_of("reasoning", self.reasoning, get_args(Reasoning))
        _one_of("fixes", self.fixes, tuple(ALLOWED))
        _one_of("early", self.early, get_args(Early))
        _one_of("mode", self.mode, ("guard", "shadow"))
        if self.progress is not None and not is_count(self.progress):
            raise ValueError(f"progress must be a positive number of characters, got {self.progress!r}")
        for name in self.preview if isinstance(self.preview, tuple) else ():
            if not isinstance(name, str) or not any(tool.fields.keys(name) for tool in self.tools):
                raise ValueError(f"preview: no tool has a field {name!r}")
        if self.approval is not None:
            check_kind("approval", self.approval, ApprovalPolicy, "ApprovalPolicy(timeout=60)")
        check_hook("on_status", self.on_status)
        check_hook("on_block", self.on_block)
        wrong = None if self.approve is None else unfit_approver(self.approve)
        if wrong is not None:
            raise TypeError(f"approve must be an async callable that takes a block and its tool and returns an answer: {wrong}")
        if self.approval is not None and self.mode == "shadow":
            raise ValueError(
                'mode="shadow" changes nothing, and so cannot hold a call until it is approved: leave out one of them'
            )

    def needs_approval(self, tool: str | None) -> bool:
        """Return whether a call of the tool of this name needs an approval. The name may be unknown."""
        if self.approval is None:
            return False
        known = self.tools.meant(tool) if tool is not None else None
        return known is None or known.risk >= self.approval.risk


def _kind(given: object) -> str:
    single = callable(given) or isinstance(given, Tool)
    return f"{type(given).__name__}{'; put it into a list' if single else ''}"


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, got {value!r}")
