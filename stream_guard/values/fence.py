"""What a fence begins with, for all that asks whether a line may be one. `scan/fences.py` decides whether it is one."""

from __future__ import annotations

from typing import Final

from .late import late

RUNS: Final = ("```", "~~~")
"""The shortest runs (`MIN_RUN` of `scan/fences.py`): every fence begins with one."""

RUN: Final = r"(?:`{3,}|~{3,})"
"""The pattern of a run, for patterns of more."""

MAY_BE_FENCE: Final = late(rf"[ \t]*+{RUN}")
"""Matches the beginning of a line that may be a fence, at any depth."""
