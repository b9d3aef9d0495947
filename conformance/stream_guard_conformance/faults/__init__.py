"""The table of what may go wrong in a block: each kind a row with a name, a sentence and a function from tokens to tokens."""

from __future__ import annotations

from typing import Final

from . import cutting, names, punctuation, quoting, values, wrapping
from .table import KINDS, Kind, Scene

MODULES: Final = (punctuation, quoting, values, names, wrapping, cutting)
"""Where the rows are written; each puts its own into the table."""

__all__ = ["KINDS", "MODULES", "Kind", "Scene"]
