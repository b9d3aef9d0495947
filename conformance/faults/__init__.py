"""The table of what may go wrong in a block: each kind a row with a name, a sentence and a function from tokens to tokens."""

from __future__ import annotations

from . import cutting, names, punctuation, quoting, values, wrapping  # noqa: F401  # each registers its rows
from .table import KINDS, Kind, Scene

__all__ = ["KINDS", "Kind", "Scene"]
