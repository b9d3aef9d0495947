"""`Mended`: one call of a fixed block."""

from __future__ import annotations

from dataclasses import dataclass

from ..toolset.validate import Validated
from ..values.fix import AutoFix


@dataclass(frozen=True, slots=True)
class Mended:
    """One call of a fixed block."""

    body: str
    """The JSON of the call."""

    verdict: Validated
    """The verdict of the strict parser and the schema on `body`."""

    fixes: tuple[AutoFix, ...]
    """The changes that were made."""
