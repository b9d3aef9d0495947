"""`Body`: the common part of the cursors of all grammars: places, text that is kept until more of it arrives, and the end.

A grammar is a set of states. A state is a method that takes the text and a place in it, reads on from there, and returns the
place that it has reached; it may change the state. A state that does neither needs more text: the rest of the text is in the
middle of a marker, and is kept.

Rule 1: a state decides at characters, never at the end of a piece: so the result does not depend on how the text is cut.
Rule 2: text that was passed is not read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..values.call_keys import folded
from .call import Envelope, RawCall

State = Callable[[str, int], int]


class Body:
    """Reads one body."""

    def __init__(self, start: State, *, path_field: str | None) -> None:
        self.done = False
        self.over = 0
        self.broken: str | None = None
        self.uncertain = False
        self.complete = False
        self.name: str | None = None
        self.path: str | None = None
        self.json: tuple[int, Envelope] | None = None
        self.behind: str | None = None
        self._raw_ends: dict[str, None] = {}
        self._path_field: Final = folded(path_field) if path_field is not None else None
        self._state: State = start
        self._final = False  # whether no more text will come
        self._kept = ""  # the end of the last text, which is read again with the next one
        self._taken = 0  # how many characters were taken, those in `_kept` included
        self._origin = 0  # the place in the body of the first character of the text that is being read
        self._end = 0  # the place where the body ends, once it is done, or where it is broken

    @property
    def raw_ends(self) -> tuple[str, ...]:
        """Return the markers that may have ended the body inside a value; empty if certainly none has."""
        return tuple(self._raw_ends)

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the marks around values without escapes. See `BodyCursor`."""
        return ()

    @property
    def spoiled(self) -> bool:
        """Return whether broken JSON is still open."""
        return False

    @property
    def shows_call(self) -> bool:
        """Return whether broken JSON begins as a call does. See `BodyCursor`."""
        return False

    @property
    def free(self) -> re.Pattern[str] | None:
        """The pattern of text that ends nothing at this place; None if there is no such text. See `BodyCursor`."""
        return self._free() if not self._kept and not self.done and self.broken is None else None

    def _free(self) -> re.Pattern[str] | None:
        return None

    def _stopped(self) -> bool:
        """Return whether nothing more is read, because the body is done or broken."""
        return self.done or self.broken is not None

    def read(self, text: str, pos: int) -> int:
        """Read on from `pos`. Returns the place after the text that was taken: the end of the text, unless the body is over."""
        if self.done or self.broken is not None:
            return pos
        if self._kept:
            self._origin = self._taken - len(self._kept)
            self._run(self._kept + text[pos:], 0)
        else:
            self._origin = self._taken - pos
            self._run(text, pos)
        size = len(text)
        self._taken += size - pos
        if not self._stopped():
            return size
        piece, beyond = size - pos, self._taken - self._end
        self.over = max(beyond - piece, 0)
        return size - min(beyond, piece)

    def _run(self, text: str, at: int) -> None:
        """Read until the text ends or the body is over. The end of the text that no state can read yet is kept."""
        size = len(text)
        while at < size and not self.done and self.broken is None:
            state = self._state
            after = state(text, at)
            if after == at and self._state is state:
                break
            at = after
        self._kept = text[at:]

    def finish(self) -> None:
        """Read the text that was kept, since no more will come. A body that is not complete is then uncertain."""
        if self._stopped() or self._final:
            return
        self._final = True
        self._origin = self._taken - len(self._kept)
        self._run(self._kept, 0)
        if not self._stopped():
            self._cut_off()
        if self._stopped():
            self.over = self._taken - self._end
        self._kept = ""
        self.uncertain = self.uncertain or not self.complete

    def _cut_off(self) -> None:
        """Called when the text ends before the body is over; subclasses may act on it."""

    def _end_at(self, place: int, *, complete: bool) -> None:
        """End the body at a place, counted from the beginning of the body."""
        self.done = True
        self._end = place
        self.complete = complete and not self.uncertain
        self.uncertain = not self.complete

    def _break(self, why: str, place: int) -> None:
        """Note that the text is not of this grammar from a place on, counted from the beginning of the body."""
        self.broken = why
        self._end = place

    def calls(self) -> list[RawCall]:
        """Return the calls that were read, in order; none if the body is broken."""
        return [] if self.broken is not None else self._calls_read()

    def _calls_read(self) -> list[RawCall]:
        raise NotImplementedError
