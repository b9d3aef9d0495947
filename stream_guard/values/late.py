"""`late`: a pattern that is compiled when it is first used. Most replies need few patterns, and no import waits for the others.

A pattern that every block needs, or that is used with every delta, is compiled at once: a late one takes 0.05 us more a use.
Servers compile all as they start (`compile_all`), so that no stream waits for one.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

MADE: Final[list[Late]] = []


class Late:
    """Stands for a pattern until it is first used; then its methods are those of the pattern."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern: Final = pattern
        self.flags: Final = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)  # it is found there from now on
        return found


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used."""
    made = Late(pattern, flags)
    MADE.append(made)
    return cast("re.Pattern[str]", made)


def compile_all() -> None:
    """Compile every pattern that is not compiled yet."""
    for one in MADE:
        _ = one.match
