"""What the streams of one guard share of its corrector: whom to ask, how far to go, and whether to ask now."""

from __future__ import annotations

import inspect
from typing import Any, Final
from weakref import WeakKeyDictionary

from .budget import Breaker, CorrectionPolicy
from .request import Corrector


class UnfitCorrectorError(TypeError):
    """A corrector is none, which showed when it was called. Its message has no content of a stream."""


def unfit(corrector: object) -> str | None:
    """What is wrong with a corrector, as far as it shows before it is called; None when nothing does."""
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
    """The corrector of one guard, with its policy."""

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
        """Whether the corrector may be asked at all."""
        self.turns: Final[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()
        """Whose turn it is: a semaphore for each event loop, kept by who awaits it."""

    @property
    def possible(self) -> bool:
        """Whether there is a corrector that may be asked at least once."""
        return self.corrector is not None and self.policy.max_attempts > 0
