"""`late`: a pattern that is compiled when it is first used. Most replies need few patterns, and no import waits for the
others.

A pattern that every block or every delta needs is compiled at once: a late one takes 0.05 us more for each use.
Servers compile all as they start (`compile_all`), so that no stream waits for one.

Rule: a pattern that is made for a guard, and not for a module, is freed with the guard: it is kept here by a weak reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast
from weakref import ref

_MADE: Final[list[ref[Late]]] = []


class Late:
    """A pattern that is compiled when it is first used. It then has the methods of the compiled pattern."""

    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        if isinstance(pattern, str):
            self.pattern: Final = pattern  # others are written with it
        self._text: Final = pattern
        self._flags: Final = flags
        self._made: re.Pattern[str] | None = None

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern."""
        if self._made is None:
            text = self._text if isinstance(self._text, str) else self._text()
            self._made = re.compile(text, self._flags)
        return self._made

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.compiled(), name)
        setattr(self, name, found)  # it is found there from now on
        return found


def late(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used. If its text takes long to make, that is made then too."""
    made = Late(pattern, flags)
    _MADE.append(ref(made, _MADE.remove))
    return cast("re.Pattern[str]", made)


def all_late() -> list[Late]:
    """Return every late pattern of the loaded modules, and of the guards that exist."""
    return [made for kept in [*_MADE] if (made := kept()) is not None]


def compile_all() -> None:
    """Compile every pattern that is not compiled yet."""
    for one in all_late():
        one.compiled()
