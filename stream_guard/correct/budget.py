"""How often the guard may ask a model: the settings, and the counts for a block, a stream and a guard.

Rule 1: a call is counted before it is made. A call that would break a bound is not made.
Rule 2: nothing here reads a clock; the caller gives the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..values.given import check_flag, is_count, is_seconds

_CHARACTERS: Final = 3
"""The fewest characters for one token, which estimates tokens if a corrector does not report them. Code has fewer
than prose."""

_FRAME: Final = 1_000
"""The tokens of a prompt besides its block, and those that a reply may have besides the block."""


@dataclass(frozen=True, slots=True)
class CorrectionPolicy:
    """The limits of the guard's use of a corrector: attempts, seconds, tokens and calls."""

    max_attempts: int = 2
    """The most attempts for one block. 0: none."""

    timeout: float = 10.0
    """The seconds that all corrections of one block may take together, waiting for their turn included."""

    max_tokens: int = 32_768
    """The tokens that all corrections of one block may take together, prompts and replies. Estimated if a corrector does not
    report them."""

    max_calls: int = 16
    """The most calls of correctors that one stream may cause."""

    concurrency: int = 8
    """The most calls of correctors that one guard makes at once in an event loop. Further calls wait for their turn."""

    breaker_failures: int = 5
    """The number of failed calls in a row after which a corrector is not called for `breaker_seconds`."""

    breaker_seconds: float = 30.0
    """The seconds for which a corrector that keeps failing is not called. After that, one call tests whether it works again."""

    continue_truncated: bool = False
    """Whether to ask for the rest of a block that was cut off at the token limit. Such a block is never executable."""

    def __post_init__(self) -> None:
        for name, least in (
            ("max_attempts", 0),
            ("max_tokens", 1),
            ("max_calls", 1),
            ("concurrency", 1),
            ("breaker_failures", 1),
        ):
            value = getattr(self, name)
            if not is_count(value, least):
                raise ValueError(f"CorrectionPolicy.{name} must be {least} or more, not {value!r}")
        for name in ("timeout", "breaker_seconds"):
            if not is_seconds(getattr(self, name)):
                raise ValueError(f"CorrectionPolicy.{name} must be more than 0 seconds, not {getattr(self, name)!r}")
        check_flag("CorrectionPolicy.continue_truncated", self.continue_truncated)


def tokens(text: str) -> int:
    """Return an estimate of the number of tokens of a text, which is too high rather than too low."""
    return len(text) // _CHARACTERS + 1


class Spent:
    """The cost of the corrections of one stream, shared by its lanes."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls = 0
        """The number of calls of the corrector."""


class Purse:
    """The budget that is left for the corrections of one block."""

    __slots__ = ("_block", "_left", "_prompt")

    def __init__(self, policy: CorrectionPolicy, block: str) -> None:
        self._left = policy.max_tokens
        self._block = tokens(block)
        self._prompt = self._block + _FRAME

    @property
    def reply(self) -> int:
        """How many tokens the next reply may have; 0 if the tokens left do not suffice to write the block again."""
        room = min(self._left - self._prompt, 2 * self._block + _FRAME)
        return room if room > self._block else 0

    def spend(self, prompt: int | None, reply: int | None, said: str) -> None:
        """Count a call of the corrector: the tokens that it reports, or else an estimate."""
        self._left -= (self._prompt if prompt is None else prompt) + (tokens(said) if reply is None else reply)


class Breaker:
    """A circuit breaker for all streams of a guard: after several failures in a row, the corrector is not called
    for a while.
    """

    __slots__ = ("_failures", "_policy", "_until")

    def __init__(self, policy: CorrectionPolicy) -> None:
        self._policy = policy
        self._failures = 0
        self._until = 0.0

    def allows(self, now: float) -> bool:
        """Return whether the corrector may be called now. At the end of each pause, only the first caller may."""
        if self._failures < self._policy.breaker_failures:
            return True
        if now < self._until:
            return False
        self._until = now + self._policy.breaker_seconds
        return True

    def note(self, *, failed: bool, now: float) -> None:
        """Count a call of the corrector as a failure or a success."""
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= self._policy.breaker_failures:
            self._until = now + self._policy.breaker_seconds
