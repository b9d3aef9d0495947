"""`AutoFix`: the record of a change made without a model, which is part of the event of the block.

Rule: every change to a body is recorded as an `AutoFix`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

from .plain import snake

FixType = Literal[
    "FIELD_MAPPING", "HTML_WRAPPING", "METADATA_ADDITION", "STRUCTURE_CORRECTION", "SYNTAX_REPAIR", "VALUE_COERCION"
]
"""The kinds of change."""


class Safety(IntEnum):
    """How much a fix assumes. Ordered, so that whether it is allowed is a comparison."""

    LOSSLESS = 1
    """Only the spelling changed; every reader would take the same value from it."""

    LIKELY = 2
    """The value is the one the model meant in all likelihood; another reading exists."""

    INVENTED = 3
    """Something was added that the model did not write. A block with it runs only where `Guard(run_invented=True)` says so."""


@dataclass(frozen=True, slots=True)
class AutoFix:
    """One change made to a block without a model."""

    rule: str
    """The name of the fix in the catalogue. It is stable; the description may change."""

    type: FixType
    """The kind of change."""

    description: str
    """What was done, in one sentence."""

    path: str
    """The field that was changed, dotted; empty for the block as a whole."""

    before: Any
    """What the model wrote: the characters of the body where its syntax was changed, else the value. Long ones end in `…`."""

    after: Any
    """What stands there now: the characters of the JSON, empty where something was removed, or the value."""

    confidence: float
    """How sure the fix is, from 0 to 1."""

    safety: Safety
    """How much the fix assumes."""

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> AutoFix:
        """Return the fix that this data was made of."""
        known: dict[str, Any] = {"before": None, "after": None, **snake(data, AutoFix)}
        return AutoFix(**{**known, "safety": Safety[known["safety"]]})
