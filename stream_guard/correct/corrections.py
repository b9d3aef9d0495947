"""`Corrections`: the corrector of one guard, the policy of corrections, and the breaker, which all its streams share."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from ..judge.unfit import unfit
from ..values.given import check_kind
from .budget import Breaker, CorrectionPolicy
from .request import Corrector


class UnfitCorrectorError(TypeError):
    """Raised when a call shows that a corrector is unfit, such as one that is not async. The message has no content of a
    stream.
    """


class Corrections:
    """The corrector of one guard, its policy, and its breaker."""

    __slots__ = ("__weakref__", "breaker", "corrector", "policy", "turns")

    def __init__(self, corrector: Corrector | None, policy: CorrectionPolicy) -> None:
        wrong = None if corrector is None else unfit(corrector, takes=1, gives="the text", types=("str", "Reply", "None"))
        if wrong is not None:
            raise TypeError(f"corrector must be an async callable that takes a CorrectionRequest and returns text: {wrong}")
        check_kind("correction", policy, CorrectionPolicy, "CorrectionPolicy(timeout=3)")
        self.corrector: Final = corrector
        self.policy: Final = policy
        self.breaker: Final = Breaker(policy)
        """Stops calls of the corrector for a while after several have failed in a row."""
        self.turns: Final[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()
        """A semaphore for each event loop, which limits how many attempts run at once."""

    @property
    def possible(self) -> bool:
        """Whether there is a corrector that may be asked at least once."""
        return self.corrector is not None and self.policy.max_attempts > 0
