"""`AutoFix`: the record of a change made without a model, which is part of the event of the block.

Rule: every change to a body is recorded as an `AutoFix`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal

from .plain import snake
from .quoting import seen

FixType = Literal[
    "FIELD_MAPPING", "HTML_WRAPPING", "METADATA_ADDITION", "STRUCTURE_CORRECTION", "SYNTAX_REPAIR", "VALUE_COERCION"
]
"""The kinds of change."""


class Safety(IntEnum):
    """How much a fix assumes. The levels are ordered, so that a comparison decides whether a fix is allowed."""

    LOSSLESS = 1
    """Only the spelling changed; every reader would take the same value from it."""

    LIKELY = 2
    """The value is very probably the one that the model meant; another reading exists."""

    INVENTED = 3
    """The fix added a value that the model did not write. A block with such a value runs only with
    `Guard(run_invented=True)`."""


Fixes = Literal["off", "lossless", "likely", "spec"]
"""How much a fix may assume."""

ALLOWED: Final[dict[Fixes, int]] = {"off": 0, "lossless": Safety.LOSSLESS, "likely": Safety.LIKELY, "spec": Safety.INVENTED}
"""The highest `Safety` that a fix may have with each setting of `fixes`; 0 allows none."""


@dataclass(frozen=True, slots=True)
class AutoFix:
    """One change made to a block without a model."""

    rule: str
    """The name of the fix in the catalogue. It is stable; the description may change."""

    type: FixType
    """The kind of change."""

    description: str
    """The change in one sentence."""

    path: str
    """The field that was changed, dotted; empty for the block as a whole."""

    before: Any
    """The text or value of the model: the characters of the body if its syntax was changed, else the value; null if there was
    none.

    It is shown so that it differs visibly from `after`: of a long one the part that differs, with `…` where it was cut; a long
    list or object as JSON; invisible characters as escapes.
    """

    after: Any
    """The characters of the JSON that replaced `before` (empty if something was removed), or the value that replaced it."""

    confidence: float
    """How sure the fix is, from 0 to 1."""

    safety: Safety
    """How much the fix assumes."""

    _full: tuple[Any, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_full", (self.before, self.after))
        before, after = shown(self.before, self.after)
        object.__setattr__(self, "before", before)
        object.__setattr__(self, "after", after)

    @property
    def full_before(self) -> Any:
        """The whole value of `before`, not shortened; of a record that was read from the wire, the value on the wire."""
        return self._full[0]

    @property
    def full_after(self) -> Any:
        """The whole value of `after`, not shortened; of a record that was read from the wire, the value on the wire."""
        return self._full[1]

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> AutoFix:
        """Return the fix that `plain` made this data of."""
        known: dict[str, Any] = {"before": None, "after": None, **snake(data, AutoFix)}
        fix = AutoFix(**{**known, "safety": Safety[known["safety"]]})
        object.__setattr__(fix, "before", known["before"])  # they have been made to differ
        object.__setattr__(fix, "after", known["after"])
        return fix


MOST: Final = 80
"""The most characters of a value in the record of a fix."""

_AROUND: Final = 20
"""How many characters of two long values are shown before their first difference."""


def shown(before: Any, after: Any) -> tuple[Any, Any]:
    """Return the `before` and `after` of a change as a record shows them: short, and visibly different. Short values are
    returned unchanged.
    """
    if isinstance(before, str) != isinstance(after, str) and _text(before) == _text(after):
        before, after = (
            _escaped(value) if isinstance(value, str) else value for value in (before, after)
        )  # text and its value
    one, other = _cut(before, after)
    if isinstance(one, str) and isinstance(other, str) and seen(one) == seen(other):
        return _cut(_escaped(before), _escaped(after))
    return one, other


def _cut(before: Any, after: Any) -> tuple[Any, Any]:
    """Return `before` and `after`, each cut with `…` around the first difference of the two if it is too long."""
    one, other = _text(before), _text(after)
    if len(one) <= MOST and len(other) <= MOST:
        return before, after
    differ = _first_difference(one, other)
    start = max(differ - _AROUND, 0) if differ > MOST - _AROUND else 0
    return _part(before, one, start), _part(after, other, start)


def _part(value: Any, text: str, start: int) -> Any:
    """Return the text of a value from `start` on, with `…` for what is left out; a short value is returned unchanged."""
    if not start and len(text) <= MOST:
        return value
    rest = ("…" if start else "") + text[start:]
    return rest if len(rest) <= MOST else f"{rest[: MOST - 1]}…"


def _first_difference(one: str, other: str) -> int:
    """Return the number of leading characters that two texts have in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def _escaped(value: Any) -> str:
    return json.dumps(_text(value))
