"""Asking a model to mend a block that failed.

    Pending -> CorrectionRequest -> corrector -> Reply -> reply.py -> judge, mend -> drift.py -> ToolBlock

`asking.py` has the words, `prompt.py` the text for a model, `reply.py` finds the block in what comes back, `drift.py` says what
a correction may not change, `budget.py` counts, and `pending.py` is the block that waits for all this.
"""

from ..values.attempt import Attempt, Outcome
from .asking import CorrectionRequest, Corrector, Reply
from .budget import Breaker, CorrectionPolicy, Spent
from .prompt import SYSTEM, correction_prompt

__all__ = [
    "SYSTEM",
    "Attempt",
    "Breaker",
    "CorrectionPolicy",
    "CorrectionRequest",
    "Corrector",
    "Outcome",
    "Reply",
    "Spent",
    "correction_prompt",
]
