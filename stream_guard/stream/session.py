"""`Session`: turns the scanner's reports on one text into events.

Rule 1: data in, events out; nothing here waits.
Rule 2: events are made one by one, when they are asked for. So `seq` is the order in which they leave, even if the caller
stops at a `Pending` and continues later.
Rule 3: an internal error of the scanner or of a rule becomes an event and text, never an exception (promise P9).
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..correct.budget import Spent
from ..correct.corrections import Corrections
from ..judge.announcer import Announcer, Case, Change
from ..judge.aside import Aside, Judging
from ..judge.judge import Judge
from ..judge.pending import Pending
from ..scan.growing import Arguments
from ..scan.rest import without_end
from ..scan.states import Accepted, Closed, Failing, Named, Opened, Progress, Released, Scanned, Unclosed
from ..scan.string_tail import StringTail
from ..scan.unended import UNREAD
from ..toolset.validate import Validated
from ..values.block import Block
from ..values.codes import CODES
from ..values.events import FENCE, End, Item, NameAndPath, StreamEnd, ToolBlock, ToolStatus
from ..values.fix import Safety
from ..values.issues import ValidationIssue, internal_error
from ..values.limits import SHORT, SHORT_BLOCK
from ..values.log import log
from ..values.wording import sentence

if TYPE_CHECKING:
    from ..fixes.mended import Mended

_NAMING: Final = (Accepted, Named)


class Session:
    """The state of one guarded text."""

    __slots__ = (
        "_after_doubt",
        "_announced",
        "_announcer",
        "_arguments",
        "_corrections",
        "_corrects",
        "_count",
        "_end_in_doubt",
        "_ended",
        "_failing",
        "_id",
        "_judge",
        "_names",
        "_patient",
        "_prefix",
        "_quiet",
        "_scanner",
        "_watch",
        "at_once",
        "over",
        "passed_unread",
        "spent",
        "string_tail",
    )

    def __init__(
        self,
        judge: Judge,
        corrections: Corrections,
        stream_id: str | None,
        corrects: bool,
        asks: bool,
        patient: bool,
        spent: Spent | None,
        quiet: bool,
    ) -> None:
        self._judge = judge
        self._corrections = corrections
        self._announcer = Announcer(judge, asks)
        self.spent = spent or Spent()
        """What the corrections of the stream have cost."""
        self._corrects = corrects
        self._patient = patient  # whether long work may be handed out
        self._quiet = quiet  # whether its blocks are told of elsewhere
        self._watch = judge.watch(corrects=corrects) if not quiet else None
        self._scanner = judge.scanner(self._watch)
        self.string_tail: Final = self._scanner.string_tail
        """Takes text that is held and ends nothing. For such text nothing else needs to be asked."""
        self.at_once: Final = self._scanner.at_once
        """The longest text that is read in the event loop."""
        self.passed_unread: Final = self._scanner.passed_unread
        """Where text without a line end waits, if it passes unchanged; at most `passes_left` pieces."""
        self._prefix = stream_id if stream_id is not None else os.urandom(5).hex()
        self._count = 0
        self._id = ""  # of the block at hand
        self._announced = False  # whether its first status was emitted, and its end was not
        self._names: NameAndPath = (None, None)
        self._arguments: Arguments | None = None  # of the native call that is open
        self._failing: tuple[ValidationIssue, ...] = ()  # why the block at hand cannot pass any more
        self._ended = False  # whether the text was ended, and what is fed is another one
        # Both doubts hold for the later blocks of the text. `_after_doubt`: a block was no call, or failed, so a later one is
        # not read as escaped as a whole (`Judge`). `_end_in_doubt`: one that failed does not show its end, so what follows may
        # stand in it, and the end of every later block is uncertain (`scan/rest.py`).
        self._end_in_doubt = False
        self._after_doubt = False
        self.over = False
        """Whether a block was aborted: then the text, or the native call, is over, and what is fed is dropped."""

    @property
    def holding(self) -> bool:
        """Whether a block is held."""
        return self._scanner.holding

    @property
    def held(self) -> int:
        """The number of characters that are held."""
        return self._scanner.held

    def overflow(self) -> None:
        """Let the held block end as `oversize` as soon as it grows: all lanes together hold too much."""
        self._scanner.overflow()

    @staticmethod
    def as_delta(delta: object) -> str | End:
        """Return a delta if it is `str` or `End`. Raises TypeError otherwise."""
        if isinstance(delta, str) or isinstance(delta, End):  # noqa: SIM101  # two looks are quicker than a union
            return delta
        raise TypeError(
            f"a stream of text must yield str or End, got {type(delta).__name__}; for a client's own objects there are "
            "guard_chat, guard_messages and the like in stream_guard_adapters"
        )

    @property
    def line_is_inert(self) -> bool:
        """Whether text without a line end and a `<` may pass unchanged, without being fed."""
        return self._scanner.line_is_inert

    @property
    def passes_left(self) -> int | None:
        """How many texts without a line end and a `<` may pass if they wait in `passed_unread`; None if all pass, without
        waiting.
        """
        scanner = self._scanner
        return None if scanner.line_is_inert else UNREAD - 1 - len(self.passed_unread) if scanner.in_line else 0

    def try_pass(self, delta: object, /) -> bool:
        """Take a delta that passes unchanged, and return True: in the middle of a line, or in lines that open no fence."""
        if not isinstance(delta, str):
            return False
        try:
            return (self._scanner.line_is_inert and delta.isprintable() and "<" not in delta) or self._scanner.try_pass(delta)
        except Exception:  # `feed` meets it again, and reports it
            return False

    def feed(self, text: str, /) -> Iterator[Item | Pending | Aside[Any]]:
        """Take text and yield items. A patient session first yields the scanning of a long text as work."""
        return self._feed_long(text) if self._patient and len(text) > self.at_once else self.events(self.scan(text))

    def _feed_long(self, text: str) -> Iterator[Item | Pending | Aside[Any]]:
        yield from self.events((yield from self.scanning(text)))

    def shown(self, tail: StringTail, text: str) -> ToolStatus | None:
        """Return the event for text that `string_tail` has taken, if the preview shows anything of it. Never raises."""
        members = tail.members
        assert members is not None
        try:
            changes = members.show(text, tail.escaped)
        except Exception as error:
            log.error("the guard failed on a preview, which ends here: %s", type(error).__name__)
            members.end()
            return None
        if not changes:
            return None
        return self._announcer.announce_progress(self._id, self._names, self._failing, tail.before + tail.size, changes)

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Item | Pending | Aside[Any]]:
        """End the text and yield the last items. A patient session first yields the scanning of a long text as work."""
        return self._end_long(cause) if self._patient and self.held > self.at_once else self.events(self.scan_end(cause))

    def _end_long(self, cause: StreamEnd) -> Iterator[Item | Pending | Aside[Any]]:
        yield from self.events((yield from self.ending(cause)))

    def ending(self, cause: StreamEnd = "unknown") -> Generator[Aside[Any], None, list[Scanned]]:
        """Return what `scan_end` returns. The scanning of a long text that is held is yielded first, as in `scanning`."""
        if self.held <= self.at_once:
            return self.scan_end(cause)
        return (yield from Aside(partial(self.scan_end, cause)).hand_out())

    def scan_end(self, cause: StreamEnd = "unknown") -> list[Scanned]:
        """End the scanner's text and return what it found; `events` makes items of it. Never raises."""
        try:
            scanned = self._scanner.end(cause)
        except Exception as error:
            scanned = self._abandon(error)
        self._ended = True
        return scanned

    def scan(self, text: str) -> list[Scanned]:
        """Feed a text to the scanner and return what it found; `events` makes items of it. Never raises."""
        if self._ended:
            self._end_in_doubt = self._after_doubt = self._ended = False
        try:
            scanned = self._scanner.feed(text)
        except Exception as error:
            scanned = self._abandon(error)
        return scanned

    def scanning(self, text: str) -> Generator[Aside[Any], None, list[Scanned]]:
        """Return what `scan` returns. The scanning of a long text is yielded first: the driver may run it in a thread."""
        if len(text) <= self.at_once:
            return self.scan(text)
        return (yield from Aside(partial(self.scan_long, text)).hand_out())

    def scan_long(self, text: str) -> list[Scanned]:
        """Return what `scan` returns for a long text, scanned in slices, so that no pattern runs over all of it."""
        scanned = [item for at in range(0, len(text), SHORT) for item in self.scan(text[at : at + SHORT])]
        whole = not self.held and all(isinstance(item, str) for item in scanned) and sum(map(len, scanned)) == len(text)  # type: ignore[arg-type]
        return [text] if whole else scanned

    def _abandon(self, error: Exception) -> list[Scanned]:
        """Handle an internal error of the scanner: release the text (promise P9)."""
        log.error("the guard failed on a stream: %s; what it held passes unguarded", type(error).__name__)
        return self._scanner.abandon()

    def events(self, scanned: list[Scanned]) -> Iterator[Item | Pending | Aside[Any]]:
        """Yield the items for what `scan` returned."""
        for item in scanned:
            if isinstance(item, str):
                yield item
            elif self._quiet:
                continue
            elif isinstance(item, Progress):
                yield self._announcer.announce_progress(
                    self._id, self._names, self._failing, item.received, item.preview or None
                )
            elif isinstance(item, Closed):
                closed = without_end(item) if self._end_in_doubt else item
                plain = (yield from self._calls_of(closed)) if self._patient else self._judge.calls_of(closed)
                yield from self._closed(plain)
            elif isinstance(item, Unclosed):
                log.warning("the reasoning in a reply was never closed: everything after its opener passed as text")
            else:
                event = self._status_for(item)
                if event is not None:
                    yield event

    def _calls_of(self, closed: Closed) -> Generator[Aside[Any], None, Sequence[Block]]:
        """Return the plain form of a block, one block for each of its calls; of a long one, that is yielded as work first."""
        if closed.block.dialect == FENCE or len(closed.block.body) <= SHORT_BLOCK:
            return self._judge.calls_of(closed)
        return (yield from Aside(partial(self._judge.calls_of, closed)).hand_out())

    def _status_for(self, item: Opened | Accepted | Named | Progress | Failing | Released) -> ToolStatus | None:
        """Return the status event for a change of the held block; None if no event is due."""
        if isinstance(item, Opened):
            self._count += 1
            self._id = f"{self._prefix}-{self._count}"
            self._names = (None, None)
            self._failing = ()
            if self._judge.settings.announce == "fence" and item.named:
                self._announced = True
                return self._announcer.status("buffering", self._id, self._names)
        elif isinstance(item, _NAMING):
            names = self._public(item.tool, item.path)
            news = names != self._names
            self._names = names
            if isinstance(item, Accepted) and not self._announced:
                self._announced = news = True
            if self._announced and news:
                return self._announcer.announce_progress(self._id, names, self._failing, None, None)
        elif isinstance(item, Failing):
            self._failing = item.issues
            return self._announcer.announce_progress(self._id, self._names, self._failing, None, None)
        elif isinstance(item, Progress):
            return self._announcer.announce_progress(self._id, self._names, self._failing, item.received, item.preview or None)
        elif isinstance(item, Released):
            self._after_doubt = True
            if self._announced:
                self._announced = False
                return self._announcer.status("released", self._id, self._names, reason=item.reason)
        return None

    def _public(self, tool: str | None, path: str | None) -> NameAndPath:
        """Return the tool and the path of a block. A path that is private, or may be, is left out."""
        if path is None:
            return (tool, None)
        known = self._judge.tools.meant(tool) if tool is not None else None
        shown = known.shows_path if known is not None else all(one.shows_path for one in self._judge.tools)
        return (tool, path if shown else None)

    def _closed(self, blocks: Sequence[Block], judging: Judging | None = None) -> Iterator[Item | Pending | Aside[Any]]:
        """Yield the items of a block that has ended; in a dialect it may have parts, each of which is judged alone."""
        yield self._announcer.status("validating", self._id, self._names)
        self._announced = False
        for block in blocks:
            yield from self._part(block, judging)

    def _part(self, block: Block, judging: Judging | None) -> Iterator[Item | Pending | Aside[Any]]:
        if block.end_cause == "aborted":
            self.over = True
            yield from self._leave(Case(self._id, self._names, block, Validated(None, None, None, self._failing)), ())
            return
        if judging is None:
            judging = Judging(self._judge, replace(block, after_doubt=True) if self._after_doubt else block)
            if self._patient and judging.is_long:
                yield judging  # the driver runs it in a thread; `run` below then returns what that made
        verdict, mended = judging.run()
        failed = not (mended or verdict.passed)
        if failed:
            self._after_doubt = True
            if not self._end_in_doubt:
                reading = Aside(partial(self._judge.shows_its_end, block))
                if self._patient and judging.is_long:
                    yield reading
                self._end_in_doubt = not reading.run()
        case = Case(self._id, self._names if block.part == 1 else (None, None), block, verdict)
        if failed and self._corrects and self._correctable(case):
            from ..correct.correcting import Correction  # deferred: the first block that is corrected needs it

            yield Correction(self._judge, self._announcer, self._corrections, self.spent, case)
        else:
            yield from self._leave(case, mended)

    def open(self, tool: str | None) -> ToolStatus:
        """Announce a block that was not found in text: a native call."""
        self._count += 1
        self._id = f"{self._prefix}-{self._count}"
        self._names = (tool, None)
        self._failing = ()
        self._announced = True
        self._arguments = self._judge.arguments(tool, self._watch)
        return self._announcer.status("buffering", self._id, self._names)

    def rename(self, tool: str) -> None:
        """Note that the name of a native call has gone on. What was already announced of its arguments stands."""
        self._names = (tool, None)

    def grow(self, arguments: str) -> Iterator[ToolStatus]:
        """Take the next piece of the arguments of a native call; yield the status events that a block in text would have.

        If these show that the call is `aborted`, close it with a block that ended as `aborted`.
        """
        reader = self._arguments
        if reader is None:
            return
        tail = reader.string_tail
        if tail.take(arguments):
            event = self.shown(tail, arguments) if tail.members is not None else None
            if event is not None:
                yield event
            return
        for item in reader.feed(arguments):
            event = self._status_for(item)
            if event is not None:
                yield event

    @property
    def aborted(self) -> bool:
        """Whether the open native call cannot pass, and has to be closed now."""
        return bool(self._failing) and self._watch is not None and self._watch.aborts

    def close(self, block: Block, judging: Judging | None = None) -> Iterator[Item | Pending | Aside[Any]]:
        """Yield the items of a native call that is complete. It may have been validated already."""
        return self._closed((block,), judging)

    def fail(self, block: Block, error: Exception) -> Iterator[Item | Pending | Aside[Any]]:
        """Yield the items of a native call that the guard failed on: its block, failed."""
        verdict = Validated(None, None, None, (internal_error(error, "block"),))
        yield from self._leave(Case(self._id, self._names, block, verdict), ())

    def refuse(self, block: Block, most: int) -> list[ToolBlock]:
        """Return the block of a native call that was not looked into, because this many texts and calls came before it."""
        message = sentence("oversize.calls", most=most)
        issue = ValidationIssue("oversize", message, constraint="maxItems", expected=most)
        verdict = Validated(None, block.native_tool, None, (issue,))
        events = self._leave(Case(self._prefix, (None, None), block, verdict), ())
        return [event for event in events if isinstance(event, ToolBlock)]

    def _correctable(self, case: Case) -> bool:
        """Return whether a model may be asked to correct a block, or to continue it."""
        block = case.block
        if block.end_cause == "length":
            return self._corrections.policy.continue_truncated and block.dialect == FENCE
        known = not any(issue.code == "guard_error" or CODES[issue.code].two_readings for issue in case.verdict.issues)
        ended = block.end_cause == "closed" or (block.ended and block.complete)
        return ended and known

    def events_of(self, judging: Judging) -> list[ToolBlock]:
        """Return the events of a block that was not found in text: one for each call."""
        verdict, mended = judging.run()
        events = self._leave(Case(self._prefix, (None, None), judging.block, verdict), mended)
        return [event for event in events if isinstance(event, ToolBlock)]

    def _leave(self, case: Case, mended: Sequence[Mended]) -> Iterable[ToolBlock | Pending]:
        """Return the events of a block, one for each of its calls, or a `Pending` if somebody has to be asked first.

        In shadow mode a block is reported as it was received.
        """
        if mended and self._judge.settings.mode != "shadow":
            return self._leave_mended(case, mended)
        fixes = tuple([fix for part in mended for fix in part.fixes]) if mended else ()
        return (self._announcer.leave(case, self._announcer.unchanged(case, fixes=fixes)),)

    def _leave_mended(self, case: Case, mended: Sequence[Mended]) -> Iterator[ToolBlock | Pending]:
        invented = any(fix.safety is Safety.INVENTED for part in mended for fix in part.fixes)
        for number, part in enumerate(mended, 1):
            change = Change("fixes", part.body, part.verdict, part.fixes, invented=invented, part=number, parts=len(mended))
            yield self._announcer.leave(case, self._announcer.changed(case, change))
