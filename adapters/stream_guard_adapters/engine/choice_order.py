"""`ChoiceOrder`: the order in which the choices of a stream leave. Clients number the choices as they come.

Rule: before something of a choice leaves, an event without content leaves of each earlier choice of which nothing has left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..protocols import FEW, Event, Lane


class ChoiceOrder:
    """The choices of one stream that have begun. Of more than `FEW` choices the later ones leave in any order."""

    __slots__ = ("_came", "_left")

    def __init__(self) -> None:
        self._left: set[Lane] = set()  # those that an event has left of
        self._came: dict[Lane, Event] = {}  # the others, each with the first event about it

    def came(self, choice: Lane, event: Event) -> None:
        """Note that an event about a choice has come."""
        if choice not in self._left and len(self._left) + len(self._came) < FEW:
            self._came.setdefault(choice, event)

    @property
    def any_held(self) -> bool:
        """Whether a choice has come of which nothing has left."""
        return bool(self._came)

    def before(self, choices: Collection[Lane]) -> list[tuple[Lane, Event]]:
        """Return the choices that have to leave before these, in order, each with an event about it."""
        last = max(choices)
        before = sorted(one for one in self._came if one < last)
        return [(one, self._came[one]) for one in before] if any(one not in choices for one in before) else []

    def left(self, choices: Iterable[Lane]) -> None:
        """Note that something of these choices has left."""
        for choice in choices:
            if self._came.pop(choice, None) is not None:
                self._left.add(choice)
