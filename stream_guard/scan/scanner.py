"""`FenceScanner`: splits streamed text into prose and blocks.

`feed` takes the text of a delta and returns what is certain: prose, as the same strings that were fed, and reports (`Opened`,
`Named`, `Progress`, `Accepted`, `Failing`, `Released`, `Closed`, `Unclosed`). `end` ends the text. After a block that was
aborted nothing is read, and nothing comes out.

Three things are held back: the head of a line, from its first fence character on, while it could still open a block; what may
be the opener of a dialect, where any is read; and a block, until it ends or turns out to be no tool call. Reasoning is prose.

Scanning is linear in the text: the head of a line is read once (`LineHead`), a body once (`Cursor`), and text is joined once,
when a block ends. Only three things are read again: the head of a line inside a block that turns out to be no fence, text that
was read ahead, and the beginning of a text that looked like a call in a dialect. No character is read again more than a few
times.

The scanner is one state machine in layers, a file each: `StreamText` has the text and the state, `CallReader` reads calls in
dialects, `BlockReader` fenced blocks, and `ProseReader` everything else. Each layer adds states, and uses those of the layers
below. This file has the interface.

Rule: no layer knows a tool, a provider or a clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from ..values.events import EndCause, StreamEnd
from ..values.late import late
from ..values.limits import SHORT, SHORT_BLOCK
from ..values.surrogates import ends_in_half, joined
from . import block_reader, call_reader, prose_reader
from .block_reader import Aborted
from .buffer import MANY
from .fences import MIN_RUN, LineHead, Lists
from .followers import HEAD
from .growing import Growth, Watch
from .held_block import HeldBlock
from .held_call import HeldCall
from .intent import KnownTools
from .prose_reader import HEADS, ProseReader
from .reasoning import ANY_CLOSER, BEGINS_TOKEN
from .states import Progress, Released, Scanned, Seen, State, Unclosed
from .stream_text import MAY_BEGIN, SPACE, TAIL, ScanSettings, is_plain
from .string_tail import StringTail
from .unended import UNREAD

# What keeps text from being passed on at once: a line that may begin a fence, a list, reasoning or a stray mark, a special
# token, a CR, half a character.
_HARD: Final = late(
    rf"[\r\ud800-\udbff]|{BEGINS_TOKEN.pattern}|\n(?=[{re.escape(''.join(sorted(HEADS)))}])(?:[ \t\-+*0-9`~]|{MAY_BEGIN})",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def _hard_or(firsts: str) -> re.Pattern[str]:
    """Return a pattern of what `_HARD` matches, or of these beginnings of openers. Every stream of a guard has the same."""
    return re.compile(f"{_HARD.pattern}|{firsts}", _HARD.flags)


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for with every delta.
_LINE, _PROSE, _FENCED, _CALL = State.LINE, State.PROSE, State.FENCED, State.CALL
_END = Seen.END

_DEFAULT: Final = ScanSettings()


class FenceScanner(ProseReader):
    """Finds the blocks in one stream of text."""

    __slots__ = (
        "_easy", "_ended", "_half", "_hard", "_in_code", "_within",
        "at_once", "in_line", "line_is_inert", "passed_unread", "string_tail",
    )  # fmt: skip

    def __init__(self, tools: KnownTools, settings: ScanSettings = _DEFAULT, watch: Watch | None = None) -> None:
        ProseReader.__init__(self, tools, settings, watch)  # see `CallReader`
        self.line_is_inert = False
        """Whether a text passes unchanged if it has no line end and no `<`, and does not end in half a surrogate pair."""
        self.in_line = False
        """Whether a text without a line end passes if it is put into `passed_unread`, or while `line_is_inert` is true. Valid
        until the next `feed`."""
        self.at_once: Final = SHORT if self._openers is None else SHORT_BLOCK
        """The longest text that is read in the event loop. With dialects it is shorter: each opener may begin a call, which
        takes longer."""
        self.passed_unread: Final = self._certainty.passed_unread
        self.string_tail: Final = StringTail()
        """Takes text inside an open string of a block, as long as that text ends nothing."""
        self._easy = False  # whether lines that begin with a letter pass unchanged
        self._in_code = False  # whether the rest of a line passes unchanged, in a fence that is not for calls
        self._within = False  # whether a line has begun, and its rest passes unchanged if it matches nothing of `_hard`
        self._hard: Final = _HARD if self._openers is None else _hard_or(self._openers.firsts)
        self._half = ""  # the first half of a surrogate pair, whose second half may come with the next delta
        self._ended = False  # whether the text has ended, and the next one has not begun (`_restart`)
        self._begin()

    # -- in ------------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin a text. With the setting `inside`, the text begins in reasoning, because its opener is in the prompt."""
        self._words = ""
        self._first = self._settings.reasoning == "inside"
        if self._first:
            self._open_reasoning(ANY_CLOSER)
        else:
            if self._settings.reasoning == "scan":
                self._go(Seen.TEXT)
            self._replying = self._openers is not None and self._openers.of_reply

    def _restart(self) -> None:
        """Reset for the next text. Done only when there is one, since most streams have a single text."""
        self._ended = False
        self._fence = None
        self._lists = Lists()
        self._cr = self._skipped = False
        self._tail = ""
        self._begin_text("", -1)
        self._certainty.restart()
        if self._before is not None:
            self._before.restart()
        self._begin()

    def try_pass(self, text: str) -> bool:
        """Pass a text on unchanged and return True; or change nothing and return False, if the text must be given to `feed`.

        Most text passes: lines that begin with a letter, outside lists and fences. It needs no buffer. `_set_fast_path` has the
        table of what passes where.
        """
        within = self._within
        if (self._in_code or (self.in_line and "<" not in text)) and text.isprintable() and text:
            if self._before is not None:
                self._before.add(text)
            if not self.line_is_inert:
                self._wait(text)
            return True
        if not (self._easy and text and (within or text[0] not in HEADS or is_plain(text, 0))):
            return False
        seeks = self._openers is not None
        if (seeks or "<" in text or not text.isprintable()) and self._hard.search(text) is not None:
            return False
        ends = text[-1] == "\n"
        self.state = _LINE if ends else _PROSE  # text that passes is read in these two states, and leads to no other
        self._within = not ends
        self.in_line = not (ends or seeks)
        if seeks:
            self._note_margin(text, within=within)
            if self._before is not None:
                self._before.add(text)
        self._wait(text)
        return True

    def _wait(self, text: str) -> None:
        """Put text that has passed into `passed_unread`, until `Unended` reads it."""
        waiting = self.passed_unread
        waiting.append(text)
        if len(waiting) < UNREAD and len(text) < HEAD:
            self.line_is_inert = False
        else:
            self._certainty.read()
            self.line_is_inert = self.in_line and self._certainty.line_is_inert

    def _note_margin(self, text: str, *, within: bool) -> None:
        """Note the margin of the last line in text that has passed: the characters before the line's own text."""
        last = text.rfind("\n") + 1
        if last or not within:
            self._begin_text(text[last : last + 1], -1)

    def feed(self, text: str) -> list[Scanned]:
        """Read text, and return the prose and the reports that are certain. After the end of a text it begins another one."""
        if self._ended:
            self._restart()
        if self.string_tail.decides_at:
            if self.string_tail.take(text):
                return self._taken(text)
            text = self._catch_up() + text
        elif self.try_pass(text):
            return [text]
        # Leniency `surrogates`: one SDK hands out an emoji as two halves, in one delta or in two.
        if self._half or not text.isascii():
            text, self._half = joined(self._half + text), ""
            if ends_in_half(text):
                text, self._half = text[:-1], text[-1]
                self.line_is_inert = self._easy = self._in_code = self.in_line = False
                if not text:
                    return []
        self._out = []
        try:
            self._take_in(text)
        except Aborted:
            self._abort()
        self._flush()
        rest = self._certainty.rest
        out = self._out if self._openers is None and not (rest.doubts or rest.asked) else rest.take(self._out)
        self._set_fast_path()
        return out

    @property
    def over(self) -> bool:
        """Whether a block was aborted. Then the text is over, and `feed` drops everything."""
        return self.state is State.OVER

    @property
    def holding(self) -> bool:
        """Whether a block is held back."""
        return self._held is not None or self._call is not None or bool(self._certainty.rest.waiting)

    @property
    def held(self) -> int:
        """The number of characters that are held back."""
        return self._buffer.end - self._buffer.start + self.string_tail.size + self._certainty.rest.held

    def overflow(self) -> None:
        """End the held block, if there is one, as `oversize` at its next character. Nothing more may wait after a call."""
        left = self._catch_up()
        if left:
            self._take_in(left)
        self._certainty.rest.overflow()
        if self._held is not None:
            self._held.longest = 0
            self._held.schedule()
        if self._call is not None:
            self._call.longest = 0

    def _set_fast_path(self) -> None:
        """Set the attributes by which the next text passes, or is taken by `string_tail`, without being read.

        where the text stands            passes by                           is taken by
        an open string of a block        -                                   `string_tail`
        an open value of a call          -                                   `string_tail`
        the head of a line of prose      `passed_unread`, `_easy`            -
        the rest of it                   `line_is_inert`, `_easy`            -
        the beginning of a line          `_easy`                             -
        a fence that is not for calls    `passed_unread`, `line_is_inert`    -
        elsewhere, or something waits    -                                   -
        """
        self.line_is_inert = self._easy = self._in_code = self.in_line = self._within = False
        if self._held is not None:
            if not self._half:
                self._set_inside(self._held)
        elif self._call is not None:
            if not self._half:
                self._set_inside_call(self._call)
        elif not self._behind and not self._waits():  # after prose any backtick may begin a fence
            seeks = self._openers is not None
            state = self.state
            self._within = state is _PROSE
            if state is _PROSE:
                self.in_line = not seeks  # an opener may stand in the middle of a line
            elif state is _FENCED:
                self._in_code = self._fence is not None and not self._fence.json
                self.in_line = self._in_code and not (self._openers and self._openers.reads_before)  # a path may stand there
            self.line_is_inert = self.in_line and self._certainty.line_is_inert
            if state is _PROSE or state is _LINE:
                waits = self._lists.open or self._replying or 0 <= self._called_at == self._buffer.end
                self._easy = not waits and not (seeks and (self._span or self._run))

    def _waits(self) -> bool:
        """Return whether earlier text waits, so that no later text may be passed on before it."""
        certainty = self._certainty
        begun = self._head is not None or certainty.unfenced is not None
        return bool(begun or self._buffer.parts or self._half or self._cr or certainty.rest.waiting or self._rest_of_line)

    def _set_inside(self, held: HeldBlock) -> None:
        """Let `string_tail` take text up to the place of the next decision or report, if a string of the block is open."""
        cursor, growth, end = held.cursor, held.growth, self._buffer.end
        if self.state not in _IN_LINE or not cursor.in_string:
            return
        if not self._may_show(growth, end - held.body_at):
            return
        due = min(held.decide_at, end + MANY)  # now and then the pieces of a long string are joined
        if growth is not None and held.accepted and growth.due is not None:
            due = min(due, held.body_at + growth.due)
        self.string_tail.decides_at, self.string_tail.escaped = max(0, due - end), cursor.escaped

    def _may_show(self, growth: Growth | None, received: int) -> bool:
        """Set the `Members` of `string_tail` if the open string is to be shown; returns whether `string_tail` may take the text
        of that string.
        """
        shows = growth is not None and growth.shows
        members = growth.showing if growth is not None and shows and not self._certainty.rest.waiting else None
        self.string_tail.members, self.string_tail.before = members, received
        return members is not None or not shows

    def _set_inside_call(self, call: HeldCall) -> None:
        """Let `string_tail` take text up to the place of the next decision or report, if a value of the call is open."""
        growth, end = call.growth, self._buffer.end
        free = call.free if self.state is _CALL else None
        if free is None or not self._may_show(growth, end - call.body_at):
            return
        due = min(call.body_at + call.longest, end + MANY)
        if growth is not None and growth.due is not None:
            due = min(due, call.body_at + growth.due)
        self.string_tail.decides_at, self.string_tail.free, self.string_tail.escaped = max(0, due - end), free, False

    def _taken(self, text: str) -> list[Scanned]:
        """Return the preview of a text that `string_tail` has taken, as a report; empty if nothing of it is shown."""
        tail = self.string_tail
        changes = tail.members.show(text, tail.escaped) if tail.members is not None else ()
        return [Progress(tail.before + tail.size, changes)] if changes else []

    def _catch_up(self) -> str:
        """Move the text that `string_tail` has taken into the buffer. Text of a call is returned instead, since it must be
        read.
        """
        tail = self.string_tail
        size, shown, pieces, escaped = tail.size, tail.members is not None, tail.taken(), tail.escaped
        held = self._call or self._held
        if shown and held is not None and held.growth is not None:
            held.growth.skip(pieces, size)
        if self._call is not None:
            return "".join(pieces)
        if pieces:
            self._buffer.extend(pieces, size)
            self._text, self._base = "", self._buffer.end
            if self._held is not None:
                self._held.cursor.skip(pieces, size, escaped=escaped)
        return ""

    def end(self, cause: StreamEnd = "unknown") -> list[Scanned]:
        """End the text for this cause, and return the reports and text that were held; none if it has ended before. The
        scanner can take another text afterwards.
        """
        if self._ended:
            return []
        self._out = []
        if self._held is not None or self._call is not None or self._head is not None or self._half:
            try:
                self._read_end(cause)
            except Aborted:
                self._abort()
        self._drop_line()
        if self._buffer.parts:
            self._emit(self._buffer.end)
        if self._skipped:
            self._out.append(Unclosed())
        self._go(_END)
        self._ended = True
        self.line_is_inert = self._easy = self._in_code = self.in_line = self._within = False
        return self._certainty.rest.end(self._out, cause)

    def _read_end(self, cause: StreamEnd) -> None:
        """Read the text that is held, since nothing follows it, and end the block that is open."""
        left = self._catch_up() + self._half
        if left:
            self._half = ""
            self._take_in(left)
        closer_at: int | None = None
        while True:
            if self._head is not None and self._begins_closer(self._head):
                closer_at, self._head = self._head_at, None
            elif self._head is not None:
                self._head.finish()
                self._read(self._headed(len(self._text)))
            elif self._held is not None and self._held.first_closer is not None:
                # A fence that is the last text of a reply ends the block. In a reply that was cut off it may be anything.
                rest = self._buffer.slice(self._held.first_closer_end, self._buffer.end)
                self._read(self._end_at_first_closer(ambiguous=cause not in ("stop", "unknown") or bool(rest.strip(SPACE))))
            elif self._call is not None:
                self._read(self._end_call(self._call, cause))
            else:
                break
        if self._held is not None:
            at = self._buffer.end if closer_at is None else closer_at
            self._finish(self._held, at, self._buffer.end, self._why(self._held, at, cause))

    def _begins_closer(self, head: LineHead) -> bool:
        """Return whether the text ended in a part of a closing fence after a complete value."""
        return self._held is not None and self._held.cursor.complete and 0 < head.length < MIN_RUN

    def _why(self, held: HeldBlock, at: int, cause: StreamEnd) -> EndCause:
        """Return the end cause of a block without a closing fence, if the text ends for this cause."""
        if cause != "stop" and cause != "unknown":
            return cause
        tail = self._buffer.slice(max(held.body_at, at - TAIL), at).rstrip(SPACE)
        done = held.cursor.complete or held.cursor.broken == "syntax"
        return "stop" if cause == "stop" and done and tail.endswith(("}", "]")) else "disconnect"

    def abandon(self) -> list[Scanned]:
        """Return the reports so far, then all held text as prose, after an internal error. No text is lost."""
        out, half, self._half = self._out, self._half, ""
        left = self._catch_up()
        if left:
            self._buffer.push(left)
        if self._held is not None:
            out.append(Released("guard_error"))
            self._fence = self._held.fence
        if self._call is not None:
            out.append(Released("guard_error"))
        self._drop_line()
        self._emit(self._buffer.end)
        if half:
            out.append(half)
        if self.state not in (State.REASONING, State.OVER):
            self.state = _PROSE if self._fence is None else _FENCED
        out = self._certainty.rest.abandon(out)
        self._set_fast_path()
        return out

    def _drop_line(self) -> None:
        """Hold no text, and forget how the current line began."""
        self._head = self._held = self._call = self._opener_at = None
        self._rest_of_line = ""
        self._span = self._run = 0
        self._replying = False
        self._certainty.unfenced = None

    def _take_in(self, text: str) -> None:
        """Buffer a piece and read it."""
        self._text = text
        self._base = self._buffer.push(text)
        if self._opener_at is not None:
            self._read(self._from_opener())
        else:
            self._read(self._after_cr() if self._cr and text else 0)

    def _from_opener(self) -> int:
        """Return the position of a text that may become an opener. From there on, the text is read again with the
        next piece.
        """
        at, self._opener_at = self._opener_at, None
        assert at is not None
        return self._rewind(at)

    def _after_cr(self) -> int:
        """Skip an LF at the beginning of a piece, if the piece before ended with CR.

        Returns where reading continues.
        """
        self._cr = False
        if self._text[0] != "\n":
            return 0
        if self._held is not None:  # the CR ended the line of the opener
            self._held.body_at += 1
            self._held.schedule()
        return 1

    def _read(self, pos: int) -> None:
        while pos < len(self._text):
            pos = _READERS[self.state](self, pos)

    # -- out -----------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Move the text that need not be held from the buffer to the output."""
        if self._held is not None:
            if self._held.growth is not None:
                self._report_received(self._held)
            if self._buffer.parts:
                self._buffer.compact()
        elif self._call is not None:
            if self._call.growth is not None:
                self._report_call(self._call, self._buffer.end)
            self._buffer.compact()
        elif self._opener_at is not None:
            self._emit(self._opener_at)
        elif self._head is not None and self._holds(self._head):
            self._emit(self._head_at + self._head.lead)
        elif self._buffer.parts:
            self._emit(self._buffer.end)

    def _report_received(self, held: HeldBlock) -> None:
        """Report the progress of the held block, without a line that may close it."""
        try:
            self._report_growth(held, self._buffer.end if self._head is None else self._head_at)
        except Aborted:
            self._abort()

    def _holds(self, head: LineHead) -> bool:
        """Return whether the head of a line is held from its first character on, because it may open a block or a call in a
        dialect.
        """
        if self.state not in _OPENING:
            return False
        if head.marking or head.bullet:
            return self._openers is not None
        return bool(head.char) and head.languages is not None

    def _headed(self, pos: int) -> int:
        """Act on the head of the line. The head ends at this position."""
        return _HEADED[self.state](self, self._read_head(), pos)


_READERS: Final[dict[State, Callable[[FenceScanner, int], int]]] = {
    **call_reader.READERS,
    **block_reader.READERS,
    **prose_reader.READERS,
}
_IN_LINE: Final = (State.BLOCK, State.AHEAD)
"""The states inside a line of a block: no head of a line is being read."""

_OPENING: Final = (State.LINE, State.PROSE)
"""The states in which a head may become the opener of a block, and is held."""

_HEADED: Final[dict[State, Callable[[FenceScanner, LineHead, int], int]]] = {**block_reader.HEADED, **prose_reader.HEADED}
