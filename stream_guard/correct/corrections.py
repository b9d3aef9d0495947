"""What the streams of one guard share: its corrector, the policy of corrections, and the breaker."""

from __future__ import annotations

import inspect
from typing import Any, Final
from weakref import WeakKeyDictionary

from .budget import Breaker, CorrectionPolicy
from .request import Corrector


class UnfitCorrectorError(TypeError):
    """Raised for a corrector that turns out to be unfit when it is called. Its message has no content of a stream."""


def unfit(corrector: object) -> str | None:
    """Return what is wrong with a corrector, as far as that shows before it is called; None if nothing does."""
    if isinstance(corrector, type):
        return f"{corrector.__name__} is a class; make one"
    if not callable(corrector):
        return f"{type(corrector).__name__} cannot be called"
    name = getattr(corrector, "__name__", type(corrector).__name__)
    ways = (corrector, type(corrector).__call__)
    if any(inspect.isasyncgenfunction(way) or inspect.isgeneratorfunction(way) for way in ways):
        return f"{name} yields; return the text"
    try:
        signature = inspect.signature(corrector)
    except (TypeError, ValueError):  # it does not tell
        return None
    try:
        signature.bind(None)
    except TypeError as error:
        return f"{name}{signature} does not take one argument ({error})"
    returns = getattr(signature.return_annotation, "__name__", signature.return_annotation)
    if not any(inspect.iscoroutinefunction(way) for way in ways) and returns in ("str", "Reply", "None"):
        return f"{name} is not async; make it `async def`"
    return None


class Corrections:
    """The corrector of one guard, its policy, and its breaker."""

    __slots__ = ("__weakref__", "breaker", "corrector", "policy", "turns")

    def __init__(self, corrector: Corrector | None, policy: CorrectionPolicy) -> None:
        wrong = None if corrector is None else unfit(corrector)
        if wrong is not None:
            raise TypeError(f"corrector must be an async callable that takes a CorrectionRequest and returns text: {wrong}")
        if not isinstance(policy, CorrectionPolicy):
            raise TypeError(f"correction must be a CorrectionPolicy, such as CorrectionPolicy(timeout=3), not {policy!r}")
        self.corrector: Final = corrector
        self.policy: Final = policy
        self.breaker: Final = Breaker(policy)
        """Stops attempts for a while after several have failed in a row."""
        self.turns: Final[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()
        """A semaphore for each event loop, which limits the attempts that run at a time."""

    @property
    def possible(self) -> bool:
        """Whether there is a corrector that may be asked at least once."""
        return self.corrector is not None and self.policy.max_attempts > 0
