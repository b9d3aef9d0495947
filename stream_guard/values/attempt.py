"""The record of one attempt to have a block corrected by a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["correct", "continue"]
"""Whether the whole block is wanted, corrected, or only the rest of one that was cut off."""


Outcome = Literal["accepted", "invalid", "unreadable", "refused", "failed", "not_asked"]
"""What became of an attempt. `unreadable`: there was not one block in the reply. `refused`: it said more than it may."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to have a block corrected."""

    number: int
    """Which one, from 1."""

    outcome: Outcome
    """What became of it."""

    reason: str | None = None
    """Why it was not taken, in one word or two; None when it was, or when `issues` say it."""

    kind: Kind = "correct"
    """What was wanted: a `continue` makes a whole block of one that was cut off."""

    input_tokens: int | None = None
    """What it cost, as far as the corrector told."""

    output_tokens: int | None = None
    """Likewise."""

    seconds: float = field(default=0.0, compare=False)
    """How long it took."""
