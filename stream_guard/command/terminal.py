"""Output on a terminal: text without control characters, and a progress bar."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final, TextIO

MANY: Final = 8
"""From this many files on, a progress bar is shown."""

_WIDTH: Final = 30
"""The width of a bar in characters."""

_EVERY: Final = 0.1
"""Seconds between two updates of the bar."""


def visible(text: str) -> str:
    """Return the text with control characters made visible, so that it cannot control the terminal."""
    return text.translate(_CONTROLS)


_STEERS: Final = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080))
"""Characters, other than control characters, that end a line or change the text direction."""

_CONTROLS: Final[dict[int, Any]] = {
    **{code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)},
    **dict.fromkeys((*range(127, 160), *range(0xD800, 0xE000), *_STEERS), "\ufffd"),
    13: "",
}


def one_line(text: str) -> str:
    """Return the text as `visible` does, on one line: each line feed is shown as a symbol."""
    return visible(text).replace("\n", "␊")


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 block`, `2 blocks`."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


def steers(stream: TextIO) -> bool:
    """Return whether a file is a terminal that can overwrite its lines: one that is not `dumb`."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(text: str, colour: str) -> str:
    """Return the text with the codes of a terminal colour; unchanged if the variable NO_COLOR is set."""
    return text if os.environ.get("NO_COLOR") else f"\x1b[{colour}m{text}\x1b[0m"


class Bar:
    """A progress bar on standard error, if that is a terminal and `shown` is True."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total: Final = max(total, 1)
        self._shown: Final = shown and steers(sys.stderr)
        self._done = 0
        self._start: Final = time.monotonic()
        self._drawn = 0.0

    def add(self, done: int, note: str = "") -> None:
        """Add to the amount of work that is done, and update the bar."""
        self._done += done
        now = time.monotonic()
        if not self._shown or (now - self._drawn < _EVERY and self._done < self._total):
            return
        self._drawn = now
        share = min(self._done / self._total, 1)
        filled = int(_WIDTH * share)
        spent = now - self._start
        left = f", {_duration(spent * (1 - share) / share)} left" if 0 < share < 1 < spent else ""
        line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {note or f'{share:.0%}'}{left}"
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the bar from its line before other output."""
        if self._shown:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


class Tenths:
    """Reports progress on standard error where no bar can be drawn: a line at the start, and one at each tenth."""

    def __init__(self, total: int, noun: str) -> None:
        self._total: Final = total
        self._noun: Final = noun
        self._done = self._told = 0
        self._start: Final = time.monotonic()
        self._say(f"trying {count(total, noun)}")

    def add(self, done: int) -> None:
        """Add to the number of cases that were tried, and print a line at each tenth."""
        self._done += done
        tenth = 10 * self._done // self._total
        if tenth > self._told:
            self._told = tenth
            left = (time.monotonic() - self._start) * (self._total - self._done) / self._done
            self._say(f"{self._done:,} of {count(self._total, self._noun)} tried, about {_duration(left)} left")

    def _say(self, line: str) -> None:
        print(f"stream-guard: {line}", file=sys.stderr, flush=True)


def progress(names: Sequence[str]) -> Iterable[str]:
    """Yield the names, with a progress bar if there are many."""
    bar = Bar(len(names), shown=len(names) >= MANY)
    for done, name in enumerate(names):
        bar.add(done > 0, f"{done}/{len(names)}")
        yield name
    bar.clear()


def _duration(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {left:02} s" if minutes else f"{left} s"
