"""Finds the values of calls that may include the indent of the markup around them, or a mark before each line of the reply.

Models may indent the markup and not the text in it. So it is undetermined whether a blank before a line belongs to the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..values.late import late
from .call import RawCall, Value


def in_markup(calls: Sequence[RawCall], raw: str) -> Iterator[RawCall]:
    """Yield the calls, with each text marked as doubtful that may include the indent of the block's own markers.

    Such a text has its closer after an indent; or all its lines are indented, and a marker before a value is indented too. Text
    inside a value, of any call of the block, is no marker.
    """
    indented, at = False, 0
    for call in calls:
        if isinstance(call.arguments, Value):
            yield call
            continue
        told: list[tuple[str, bool]] = []  # each value as written, and whether one of its lines begins at the left edge
        for _, value in call.arguments:
            text = next((text for text in (value.text, value.text.removesuffix("\n")) if raw.find(text, at) >= 0), None)
            if text is None:
                break  # the value was joined from pieces, and is not in the text as such
            found = raw.find(text, at)
            indented = indented or _INDENTED_MARK.search(raw, at, found) is not None
            at = found + len(text)
            told.append((text, _EDGE.search(raw, max(found - 1, 0), at) is not None))
        yield call._replace(arguments=tuple(_with_doubt(call.arguments, told, indented=indented)))


def is_on_each_line(mark: str, raw: str) -> bool:
    """Return whether all lines of `raw` but the first begin with `mark`, or with any figure if `mark` is a figure."""
    others = [line[0] for line in raw.split("\n")[1:] if line.strip()]
    return bool(others) and all(first == mark or (mark.isdigit() and first.isdigit()) for first in others)


def _with_doubt(
    arguments: Sequence[tuple[str, Value]], told: Sequence[tuple[str, bool]], *, indented: bool
) -> Iterator[tuple[str, Value]]:
    for number, (key, value) in enumerate(arguments):
        text, edge = told[number] if number < len(told) else (value.text, False)
        within = _INDENTED_END.search(text) is not None or (
            indented and (text[:1] in (" ", "\t") or "\n" in text.rstrip("\r\n")) and not edge
        )
        yield key, replace(value, doubt="margin") if within and value.doubt is None else value


_INDENTED_MARK: Final = late(r"\n[ \t]+[^ \t\r\n]")
_INDENTED_END: Final = late(r"\n[ \t]+(?:\r?\n)?\Z")
_EDGE: Final = late(r"\n(?=[^ \t\r\n])")
