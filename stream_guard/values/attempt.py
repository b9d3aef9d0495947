"""The record of one attempt to have a block corrected by a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["correct", "continue"]
"""The task of the model: to correct the whole block, or to continue one that was cut off."""


Outcome = Literal["accepted", "invalid", "unreadable", "refused", "failed", "not_asked"]
"""The result of an attempt. `unreadable`: the reply did not hold one block. `refused`: the reply changed more than the issues
allow."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to have a block corrected."""

    number: int
    """The number of the attempt, from 1."""

    outcome: Outcome
    """The result of the attempt."""

    reason: str | None = None
    """Why the reply was not accepted, in a word or two; None if it was accepted, or if issues give the reason."""

    kind: Kind = "correct"
    """The task of the model: `continue` asks for the rest of a block that was cut off."""

    input_tokens: int | None = None
    """Prompt tokens, if the corrector reported them."""

    output_tokens: int | None = None
    """Completion tokens, if the corrector reported them."""

    seconds: float = field(default=0.0, compare=False)
    """Duration of the attempt in seconds."""
