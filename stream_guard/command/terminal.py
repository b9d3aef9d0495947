"""What a person sees on a terminal: text that steers nothing, and a bar while there is much to do."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

MANY: Final = 8
"""From this many files on there is a bar."""

_WIDTH: Final = 30
"""How many characters wide a bar is."""

_EVERY: Final = 0.1
"""Seconds from one drawing of a bar to the next."""


def visible(text: str) -> str:
    """The text with control characters made visible: what a model wrote must not steer the terminal."""
    return text.translate(_CONTROLS)


_STEERS: Final = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080))
"""What ends a line or turns the direction of a text, and is no control character."""

_CONTROLS: Final[dict[int, Any]] = {
    **{code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)},
    **dict.fromkeys((*range(127, 160), *range(0xD800, 0xE000), *_STEERS), "\ufffd"),
    13: "",
}


def one_line(text: str) -> str:
    """The same, where a line feed too would be in the way."""
    return visible(text).replace("\n", "␊")


def count(number: int, noun: str) -> str:
    """So many of them, in words."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


class Bar:
    """How far the work is, on standard error; on a terminal only, and only where it is `shown`."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total: Final = max(total, 1)
        self._shown: Final = shown and sys.stderr.isatty()
        self._done = 0
        self._start: Final = time.monotonic()
        self._drawn = 0.0

    def add(self, done: int, note: str = "") -> None:
        """So much more is done."""
        self._done += done
        now = time.monotonic()
        if not self._shown or (now - self._drawn < _EVERY and self._done < self._total):
            return
        self._drawn = now
        share = min(self._done / self._total, 1)
        filled = int(_WIDTH * share)
        spent = now - self._start
        left = f", {_duration(spent * (1 - share) / share)} left" if 0 < share < 1 < spent else ""
        said = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {note or f'{share:.0%}'}{left}"
        print(f"\r\x1b[2K{said}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the bar off the line, for something else to be said there."""
        if self._shown:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def progress(names: Sequence[str]) -> Iterable[str]:
    """The names, one by one; many of them with a bar."""
    bar = Bar(len(names), shown=len(names) >= MANY)
    for done, name in enumerate(names):
        bar.add(done > 0, f"{done}/{len(names)}")
        yield name
    bar.clear()


def _duration(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {left:02} s" if minutes else f"{left} s"
