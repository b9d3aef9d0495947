"""What the streams of one guard share of its corrector: whom to ask, how far to go, and whether to ask now."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from .budget import Breaker, CorrectionPolicy
from .request import Corrector


class Corrections:
    """The corrector of one guard, with its policy."""

    __slots__ = ("__weakref__", "breaker", "corrector", "policy", "turns")

    def __init__(self, corrector: Corrector | None, policy: CorrectionPolicy) -> None:
        if corrector is not None and not callable(corrector):
            raise TypeError("corrector must be an async callable that takes a CorrectionRequest and returns text")
        self.corrector: Final = corrector
        self.policy: Final = policy
        self.breaker: Final = Breaker(policy)
        """Whether the corrector may be asked at all."""
        self.turns: Final[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()
        """Whose turn it is: a semaphore for each event loop, kept by who awaits it."""

    @property
    def possible(self) -> bool:
        """Whether there is a corrector that may be asked at least once."""
        return self.corrector is not None and self.policy.max_attempts > 0
