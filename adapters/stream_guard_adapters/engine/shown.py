"""Puts blocks back into the text, for readers that do not know our events.

Rule 1: a block is put back whole and as it was written. The fixed call takes its place only if it is executable, its JSON was
broken, and its form stays the same: an agent reads the form that it asked its model for, and can read valid JSON without a
change.
Rule 2: if calls need an approval, the text has only calls that may run: its reader may run what it finds, and a failed block
may hold other calls than the reported one.
Rule 3: a text that repeats another text shows the blocks as the other did, whatever their dialect, and wherever they were
sent.
"""

from __future__ import annotations

import re
from typing import Final

from stream_guard import ToolBlock
from stream_guard.spi import FENCE, TOOL_KEY, Block, Settings, keeps_layout

from ..protocols import Event, Lane
from .capacity import Capacity

_MOST: Final = 65_536
"""Limit: blocks of a stream that are recognised when a text is repeated."""


_Place = tuple[int, int]
"""The mark of a block, and how many blocks with the same mark came before it in its text: equal calls may leave in different
ways."""


class Shown:
    """The text of each block of one stream, as its readers see it."""

    __slots__ = ("_capacity", "_had", "_last", "_most", "_seen", "_settings", "_stands", "_texts", "event", "shows")

    def __init__(self, capacity: Capacity, *, shows: bool, settings: Settings) -> None:
        self._capacity: Final = capacity
        self._settings: Final = settings
        self.shows: Final = shows
        """Whether a text has its blocks at all."""
        self.event: Event | None = None
        """The last event that has a block as text, as it leaves."""
        self._seen: set[int] = set()  # the marks of the blocks that texts had
        self._texts: dict[_Place, str] = {}  # what the text has in place of blocks that are not put back as written
        self._had: dict[tuple[Lane, int], int] = {}  # how often a block came in a text
        self._most: dict[int, int] = {}  # the same of the text that had it most often, where that is more than once
        self._last: _Place = (0, 0)  # the block whose calls are being put back
        self._stands = False  # whether it stands as it was written

    @property
    def all_known(self) -> bool:
        """Whether every block of the stream can be recognised."""
        return len(self._seen) < _MOST

    def note_block(self, block: Block) -> None:
        """Note that a text of this stream has a block."""
        if self.all_known:
            self._seen.add(hash(block.raw))

    def has(self, block: Block) -> bool:
        """Return whether a text of this stream had a block with the same raw."""
        return hash(block.raw) in self._seen

    def text_of(self, lane: Lane, event: ToolBlock, *, promoted: bool) -> str:
        """Return what the text has in place of a block; for a block of several calls, in place of the call of the event."""
        if not self.shows:
            return ""
        text = "" if promoted else self.instead_of(event)
        if event.part == 1:
            self._last = self._place(lane, hash(event.raw))
            self._stands = text == event.raw and not self._closed
            if self._stands:
                self._texts.pop(self._last, None)
            elif not self._capacity.full and not (self._closed and self._texts.get(self._last) == ""):
                self._keep(text)  # of equal calls none is repeated if one was refused
        elif self._last in self._texts:
            self._keep(self._texts[self._last] + text)
        return text

    def stands(self, event: ToolBlock) -> bool:
        """Return whether a call is in the text already, because its block of several calls is."""
        return event.part > 1 and self._stands

    def _place(self, lane: Lane, mark: int) -> _Place:
        """Return the place of the next block with this mark in a text."""
        if self._closed:
            return mark, 0
        nth = self._had.get((lane, mark), 0)
        if nth or len(self._had) < _MOST:
            self._had[lane, mark] = nth + 1
        if nth:
            self._most[mark] = max(nth + 1, self._most.get(mark, 0))
        return mark, nth

    @property
    def _closed(self) -> bool:
        """Whether a text may repeat only blocks that have left, because calls wait for approvals."""
        return self._settings.approval is not None

    def instead_of(self, event: ToolBlock) -> str:
        """Return what the text would have in place of a block that is not promoted."""
        if not self.shows:
            return ""
        if not self._closed:
            return as_text(event, self._settings)
        if not event.executable:
            return ""
        if event.parts > 1:  # what was written has the others in it
            return f"\n{event.content}\n"
        broken = event.corrected and any(issue.constraint == "json" for issue in event.found)
        if event.approval is not None or broken:  # what a fix of the JSON has taken away may be a call
            return _as_approved(event, self._settings)
        return as_text(event, self._settings)

    def _keep(self, text: str) -> None:
        self._capacity.hold(len(text) - len(self._texts.get(self._last, "")))
        self._texts[self._last] = text

    def again(self, block: Block, had: dict[int, int]) -> str:
        """Return what a text that repeats another has in place of a block. `had` counts the text's blocks by their marks."""
        if not self.shows:
            return ""
        mark = hash(block.raw)
        nth = had.get(mark, 0)
        if nth or len(had) < _MOST:
            had[mark] = nth + 1
        place = mark, min(nth, self._most.get(mark, 1) - 1)
        return self._texts.get(place, "" if self._closed else block.raw)


def as_text(event: ToolBlock, settings: Settings) -> str:
    """Return a block as text: as it was written, or mended where its JSON was broken and the mended call has its form.

    A call of another dialect is mended in its own dialect. It becomes a fence if `rewrite` says so, it may run, and calls of
    its dialect cannot stand in a fence.
    """
    if event.dialect != FENCE:
        as_fence = settings.rewrite == "fence" and not settings.dialect(event.dialect).in_fences
        return _as_fence(event) if as_fence else _in_own_dialect(event, settings)
    return event.content if event.corrected and event.executable and _keeps_form(event) else event.raw


def _as_approved(event: ToolBlock, settings: Settings) -> str:
    """Return the call that was approved, in its own dialect if that dialect can hold it."""
    if not event.corrected:
        return event.raw
    call = event.call
    if event.dialect == FENCE or call is None:
        return event.content
    try:
        return settings.dialect(event.dialect).write([(call.tool, call.arguments)])
    except ValueError:  # the dialect has no way to write a value
        return f"\n{event.content}\n"


def _as_fence(event: ToolBlock) -> str:
    """Return a call of a dialect as a fence, which stands on lines of its own; if it may not run, as it was written.

    A fence has one reading, and its reader may run it. If a block has several calls, some may be refused, so they stay
    together.
    """
    return f"\n{event.content}\n" if event.executable and event.parts == 1 else event.raw


def _in_own_dialect(event: ToolBlock, settings: Settings) -> str:
    """Return a call as its model would write it, if it was mended and is the only one; else as it was written."""
    call = event.call
    if event.parts > 1 or not event.corrected or call is None or not _keeps_names(event, unwrapped=True):
        return event.raw
    try:
        return settings.dialect(event.dialect).written_as((call.tool, call.arguments), event.raw)
    except ValueError:  # the dialect has no way to write a value, or is another model's form
        return event.raw


_OPENING: Final = re.compile(r"[\s`~>]*[\w-]*[ \t]*[\r\n{]")
"""Matches a fence in which only the beginning of an object follows the language."""

_LINE_END: Final = re.compile(r"\r\n|[\r\n]")

_KEY: Final = re.compile(r"([\w-]+)[\"'`]?\s*:")


def _keeps_form(event: ToolBlock) -> bool:
    """Return whether the text that replaces a block has the names and the nesting that the model wrote."""
    if event.parts > 1 or _OPENING.match(event.raw) is None:  # a list, several objects, or something before them
        return False
    if event.corrected_by == "llm":  # it has our form: so must the block, of which it completes or changes the values
        written = set(_KEY.findall(event.raw))
        opened = _LINE_END.split(event.raw, 1)[-1].lstrip().startswith("{")
        return opened and TOOL_KEY in written and written <= set(_KEY.findall(event.content))
    return _keeps_names(event)


def _keeps_names(event: ToolBlock, *, unwrapped: bool = False) -> bool:
    """Whether broken JSON was mended and every name is where the model wrote it.

    `unwrapped`: a call that was taken out of its envelope counts too, since its dialect writes the envelope again.
    """
    if event.corrected_by == "llm" or not any(issue.constraint == "json" for issue in event.found):
        return False
    return all(keeps_layout(fix) or (unwrapped and fix.rule == "envelope") for fix in event.fixes)
