"""`FenceScanner`: splits streamed text into prose and blocks.

`feed` takes the text of a delta and returns what is certain: prose, as the same strings that were fed, and reports about blocks
(`Opened`, `Named`, `Progress`, `Accepted`, `Failing`, `Released`, `Closed`). `end` ends the text. Behind a block that was
aborted nothing is read, and nothing comes out.

Three things are held back: the head of a line, from its first fence character on, while it could still open a block; what may
be the opener of a dialect, where any is read; and a block, until it ends or turns out to be no tool call. Reasoning is prose.

Scanning is linear: a line's head is read once (`LineHead`), a body once (`Cursor`), and text is joined once, when a block ends.
Text is read a second time in three cases only: the head of a line inside a block that is no fence, the text that was read
ahead, and the beginning of what looked like a call in a dialect. None can happen to a character more often than a constant.

Rule 1: the state is one of `State`, and changes only by `TRANSITIONS`.
Rule 2: every character is put into the buffer before it is read, and leaves it in order: as prose, or as a block's `raw`.
Rule 3: decisions are taken at characters, never at the end of a delta. So the result does not depend on how the text is cut.
Rule 4: this file knows no tool, no provider and no clock.

Two kinds of numbers say where something is. A place (`at`, `..._at`, `end_at`) counts characters from the beginning of the
stream; a position (`pos`) counts them from the beginning of the piece being read. `_base` is the place of position 0. A method
that reads returns the position at which reading continues.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from ..dialects.cursor import BROKEN, COMPLETE, KEY, LINE, STRING, Cursor
from ..values.block import Block
from ..values.call_keys import ENVELOPES, NAME_KEYS, TOOL_KEY, TOOL_KEYS, AnySpelling, all_folded, folded
from ..values.events import EndCause, StreamEnd
from ..values.limits import Limits
from ..values.surrogates import joined
from .before import KEPT, Before
from .buffer import MANY, Buffer
from .fences import MAX_INDENT, MAX_LIST_INDENT, MIN_RUN, Kind, Languages, LineHead, Lists
from .growing import Growth, Watch
from .held_call import HeldCall, Margin, Step
from .inside import Inside
from .intent import FOREIGN, OURS, REMARK_ROOM, SEARCHED, UNDECIDED, Intent, IntentState, KnownTools
from .openers import LONGEST_CLOSER, MAX_BLANKS, Found, Openers, any_of
from .reasoning import ANY_CLOSER, FIRSTS, MAY_OPEN, Reasoning, closer_begun, closer_of
from .rest import Rest, uncertain
from .states import (
    TRANSITIONS,
    Accepted,
    Closed,
    IllegalTransition,
    Named,
    Opened,
    Progress,
    Released,
    Scanned,
    Seen,
    State,
    Unclosed,
)
from .strays import MAY_STRAY

_LINE_END: Final = re.compile(r"\r\n?|\n")
_EMPTY_LINES: Final = re.compile(r"(?:\n|\r(?:\n|(?=[^\n])))*+")
# First characters of lines that may be more than plain text. Any other line is plain text by its first character.
_HEADS: Final = frozenset("`~ \t\r\n-+*0123456789") | FIRSTS
_MAY_BEGIN: Final = rf"(?:{MAY_OPEN}|{MAY_STRAY})"
_MAY_MARK: Final = re.compile(_MAY_BEGIN, re.IGNORECASE)
# What keeps text from being passed on at once: a line that may begin a fence, a list, reasoning or a stray mark, a CR, half a
# character.
_HARD: Final = re.compile(rf"[\r\ud800-\udbff]|\n(?:[ \t\-+*0-9`~]|{_MAY_BEGIN})", re.IGNORECASE)
# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for in every block.
_LINE, _PROSE, _FENCED = State.LINE, State.PROSE, State.FENCED
_TEXT, _LINE_END_SEEN, _BLOCK_FENCE, _CLOSER, _END = Seen.TEXT, Seen.LINE_END, Seen.BLOCK_FENCE, Seen.CLOSER, Seen.END
_TEXT_HEAD, _BLANK_HEAD, _FENCE_HEAD, _INLINE_HEAD, _REASONING_HEAD = Kind
_RUN_OR_LINE_END: Final = re.compile(r"`|\r\n?|\n")
_INNER_HEADS: Final = frozenset("`~ \t\r\n")
_LINE_ENDS: Final = frozenset("\r\n")
_BLOCK_HEADS: Final = frozenset("`~ \t")  # inside a block, an empty line is a line of text like any other
_HEAD_ROOM: Final = 512
"""The number of characters by which a fence line inside a block may exceed the block's limit."""

_TAIL: Final = 80
"""The number of characters before a fence that are searched for the end of a complete value."""

_AFTER_BRACE: Final = re.compile(r"[}\]][ \t]*(`{3,}|~{3,})[ \t]*\Z")
_SPACE: Final = " \t\r\n"
_INFO: Final = re.compile(r"[A-Za-z][\w+#-]*(?:\.\w+)*(?:[ \t]+[\w-]+=.*|[ \t]*\{.*)?")
"""An info string as openers have it: a language, and attributes."""

_CLOSING_WORDS: Final = frozenset({"end", "endjson", "end_json", "done", "eof", "stop"})
_ENVELOPES: Final = AnySpelling(ENVELOPES)
_TOOL: Final = all_folded(TOOL_KEYS)
_NAME: Final = all_folded(NAME_KEYS)


class _Aborted(Exception):  # it is no error
    """Raised inside the scanner where a block ends because it cannot pass."""


class _Fence:
    """The opening fence of an open fenced block."""

    __slots__ = ("char", "json", "length", "limit")

    def __init__(self, head: LineHead, *, in_list: bool, json: bool) -> None:
        self.char = head.char
        self.length = head.length
        # Leniency `list-indent`: the closer of a deep opener may stand as deep.
        self.limit = head.indent + MAX_INDENT if in_list else MAX_INDENT
        self.json = json


@dataclass(slots=True)
class HeldBlock:
    """The block that is held back, and what is known of it so far."""

    fence: _Fence
    at: int  # where the opener begins
    body_at: int
    cursor: Cursor
    growth: Growth | None  # what watches it while it is written; None for nothing
    intent: Intent
    plain: bool  # whether the opener is exactly "```json"
    beside: str  # what stands behind the language in the opener's line
    room: int  # the longest body
    named: bool  # whether the fence says that it is JSON, on a line of its own
    behind: bool  # whether it stands behind prose on its line
    bound: int = 0  # the place where something must be decided at the latest
    brace_at: int = -1  # where the value was last complete
    remark_end: int | None = None  # where the value of a neutral key must have ended
    accepted: bool = False
    tool: str | None = None  # the value of a tool key
    name: str | None = None  # the value of a name key, which other JSON has too
    path: str | None = None
    plainly: bool = False  # whether the tool stands under the key `tool` of the outermost object
    reported_names: tuple[str | None, str | None] = (None, None)
    nested: int = 0  # the length of a fence that opened inside the string, while it is open
    nested_bare: bool = False  # whether that fence had no info: then it may have been the closer of the block
    doubt: int | None = None  # where the first closing fence in an open string began
    doubt_end: int = 0  # and where it ended


class FenceScanner:
    """Finds the blocks in one stream of text."""

    __slots__ = (
        "_base",
        "_before",
        "_behind",
        "_buffer",
        "_call",
        "_closer",
        "_code",
        "_cr",
        "_easy",
        "_fence",
        "_half",
        "_hard",
        "_head",
        "_head_at",
        "_held",
        "_languages",
        "_limits",
        "_line_at",
        "_line_margin",
        "_lists",
        "_names",
        "_opener_at",
        "_openers",
        "_out",
        "_path_field",
        "_reasoning",
        "_releases",
        "_rest",
        "_run",
        "_shown",
        "_skipped",
        "_span",
        "_stray",
        "_tail",
        "_text",
        "_watch",
        "_within",
        "calm",
        "inside",
        "state",
    )  # more attributes than a dictionary of shared keys holds

    def __init__(
        self,
        names: KnownTools,
        *,
        languages: Languages | None = None,
        limits: Limits | None = None,
        untagged: Literal["release", "validate"] = "release",
        reasoning: Reasoning = "skip",
        path_field: str | None = "path",
        watch: Watch | None = None,
        openers: Openers | None = None,
    ) -> None:
        self.state = _LINE
        self._names = names
        self._languages = languages or Languages(("json",))
        self._limits = limits or Limits()
        self._releases = untagged == "release"
        self._reasoning = reasoning
        self._behind = self._languages.bare  # whether a fence may open behind prose on its line
        self._code = False  # whether this line is indented too far for a fence: it is code, or continues a paragraph
        self._path_field = folded(path_field) if path_field is not None else None
        self._watch = watch

        self.calm = False
        """Whether text without a line end, and not ending in half a character, passes unchanged."""
        self.inside: Final = Inside()
        """What takes text inside an open string of a block, as long as it ends nothing."""
        self._shown: Final = Inside()  # takes it where each piece is reported
        self._easy = True  # whether lines that begin with a letter pass unchanged
        self._within = False  # whether the line has begun, and its rest passes unchanged if it holds nothing of `_hard`
        self._openers = openers
        self._hard = _HARD if openers is None else re.compile(f"{_HARD.pattern}|{openers.firsts}", _HARD.flags)

        self._buffer = Buffer()  # the text that was fed and not returned yet
        self._out: list[Scanned] = []

        # The piece being read, and the place of its first character.
        self._text = ""
        self._base = 0

        self._half = ""  # a high surrogate whose low half may come with the next delta
        self._cr = False  # a line ended with CR at the end of a piece: an LF that follows belongs to it
        self._head: LineHead | None = None  # the head of a line that is not decided yet, in a state ..._LINE
        self._head_at = 0
        self._fence: _Fence | None = None  # FENCED and FENCED_LINE: the fence that is open, and holds no block
        self._tail = ""  # the end of the text read in FENCED, REASONING or REST, where a closer may have begun
        self._held: HeldBlock | None = None  # BLOCK, BLOCK_LINE, AHEAD and AHEAD_LINE
        self._closer = ANY_CLOSER  # what ends REASONING, or the call of REST
        self._skipped = False  # whether any text was reasoning that is still open

        # Dialects. A code span is open up to a run of as many backticks, or the end of its paragraph.
        self._opener_at: int | None = None  # where what may be an opener begins, of which more must be read
        self._line_at = -1  # where the text of the current line begins
        self._line_margin: Margin | None = None  # what stands before it
        self._span = 0  # the length of the run of backticks that opened the code span that is open
        self._run = 0  # the length of the run of backticks with which the piece before ended
        self._call: HeldCall | None = None  # CALL and CALLED
        self._rest = Rest(self._limits.max_block)
        self._before: Final = Before() if openers is not None and openers.behind_paths else None
        self._stray = False  # whether a mark of a call stands in prose: what follows may be a value of it

        self._lists = Lists()
        self._begin()

    # -- in ------------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin a text; with the setting `inside` in reasoning, whose opener is in the prompt."""
        if self._reasoning == "inside":
            self._open_reasoning(ANY_CLOSER)
        self._set_fast_path()

    def try_pass(self, text: str) -> bool:
        """Take text that passes unchanged, and return True; else change nothing and return False: then `feed` it.

        Such text is most text: lines that begin with a letter, outside lists and fences. It needs no buffer.
        """
        within = self._within
        if not (
            self._easy and text and (within or text[0] not in _HEADS or _is_plain(text, 0)) and self._hard.search(text) is None
        ):
            return False
        state, calm = self.state, self.calm
        try:
            if not within:
                self._go(_TEXT)
                self._within = True
                self.calm = self._openers is None
            if text[-1] == "\n":
                self._go(_LINE_END_SEEN)
                self._within = self.calm = False
            if self._openers is not None:
                self._note_margin(text, within=within)
                if self._before is not None:
                    self._before.add(text)
        except IllegalTransition:  # it is met again where text is buffered, and none is lost
            self.state, self.calm, self._within = state, calm, within
            return False
        return True

    def _note_margin(self, text: str, *, within: bool) -> None:
        """Note what stands before the text of the last line in text that has passed."""
        last = text.rfind("\n") + 1
        if last or not within:
            self._line_margin = "quote" if text[last : last + 1] == ">" else None

    def feed(self, text: str) -> list[Scanned]:
        """Take text; returns the prose and the reports that are certain."""
        if self.inside.room:
            if self.inside.take(text):
                return []
            self._catch_up()
        elif self._shown.room:
            report = self._show(text)
            if report is not None:
                return [report]
            self._catch_up()
        elif self.try_pass(text):
            return [text]
        # Leniency `surrogates`: one SDK hands out an emoji as two halves, in one delta or in two.
        text, self._half = joined(self._half + text if self._half else text), ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
            self.calm = self._easy = False
            if not text:
                return []
        self._out = []
        try:
            self._take_in(text)
        except _Aborted:
            self._abort()
        self._flush()
        out = self._out if self._openers is None else self._rest.take(self._out)
        self._set_fast_path()
        return out

    @property
    def over(self) -> bool:
        """Whether a block was aborted: then the text is over, and what is fed is dropped."""
        return self.state is State.OVER

    @property
    def holding(self) -> bool:
        """Whether a block is held back."""
        return self._held is not None or self._call is not None or self._rest.waits

    @property
    def held(self) -> int:
        """The number of characters that are held back."""
        return self._buffer.end - self._buffer.start + self.inside.size + self._shown.size + self._rest.held

    def overflow(self) -> None:
        """End the held block, if any, as `oversize` at its next character, and let nothing more wait behind a call."""
        self._catch_up()
        self._rest.overflow()
        if self._held is not None:
            self._held.room = 0
            self._bind(self._held)
        if self._call is not None:
            self._call.room = 0

    def _set_fast_path(self) -> None:
        """Compute what the next text is asked first: whether it passes, or is taken inside a string."""
        if self._held is not None:  # nothing overtakes a block
            self.calm = self._easy = self._within = False
            if not self._half:
                self._set_inside(self._held)
            return
        free = not self._buffer and not self._half and not self._cr and self._head is None and self._call is None
        prose = free and self.state is _PROSE
        self.calm = prose or (free and self.state is _FENCED and self._fence is not None and not self._fence.json)
        self._easy = not self._lists.open and (prose or (free and self.state is _LINE))
        self._within = prose
        if self._openers is not None:
            self.calm = self.calm and not prose  # an opener may stand in the middle of a line
            self._easy = self._easy and not (self._span or self._run)
        if self._behind or self._rest.waits:
            self.calm = self._easy = self._within = False  # any backtick may begin a fence; nothing overtakes a call

    def _set_inside(self, held: HeldBlock) -> None:
        """Let text be taken up to the place of the next decision or report, if a string is open."""
        cursor, growth, end = held.cursor, held.growth, self._buffer.end
        if self.state not in _IN_LINE or not cursor.in_string:
            return
        inside = self.inside
        if growth is not None and growth.shows:
            if not growth.shows_plainly or self._rest.waits:
                return
            inside = self._shown
        due = min(held.bound, end + MANY)  # now and then the pieces of a long string are joined
        if growth is not None and held.accepted and growth.due is not None:
            due = min(due, held.body_at + growth.due)
        inside.room = max(0, due - end)
        inside.escaped = cursor.escaped

    def _show(self, text: str) -> Progress | None:
        """Take text in an open string of which each piece is reported, and return the report; None if it has to be read."""
        held = self._held
        if held is None or held.growth is None or '"' in text or "\\" in text or not self._shown.take(text):
            return None
        return held.growth.show(text, self._buffer.end + self._shown.size - held.body_at)

    def _catch_up(self) -> None:
        """Take over the text that was taken in an open string."""
        inside = self._shown if self._shown.room else self.inside
        size, pieces, escaped = inside.size, inside.taken(), inside.escaped
        if pieces:
            self._buffer.extend(pieces, size)
            self._text, self._base = "", self._buffer.end
            if self._held is not None:
                self._held.cursor.skip(pieces, size, escaped=escaped)

    def end(self, cause: StreamEnd = "unknown") -> list[Scanned]:
        """End the text for this cause; returns what was held. The scanner can take another text afterwards."""
        self._out = []
        try:
            self._read_end(cause)
        except _Aborted:
            self._abort()
        self._opener_at = None
        self._flush()
        if self._skipped:
            self._out.append(Unclosed())
        self._go(_END)
        self._fence = None
        self._lists = Lists()
        self._cr = self._skipped = False
        self._tail = ""
        self._line_at = -1
        self._span = self._run = 0
        self._stray = False
        if self._before is not None:
            self._before.restart()
        out = self._rest.end(self._out, cause)
        self._begin()
        return out

    def _read_end(self, cause: StreamEnd) -> None:
        """Read what is held, now that nothing follows it, and end the block that is open."""
        self._catch_up()
        if self._half:
            half, self._half = self._half, ""
            self._take_in(half)
        closer_at: int | None = None
        while True:
            if self._head is not None and self._begins_closer(self._head):
                closer_at, self._head = self._head_at, None
            elif self._head is not None:
                self._head.finish()
                self._read(self._headed(len(self._text)))
            elif self._held is not None and self._held.doubt is not None:
                # A fence that is the last thing in a reply is its end. In a reply that broke off it may be anything.
                rest = self._buffer.slice(self._held.doubt_end, self._buffer.end)
                self._read(self._end_at_first_closer(ambiguous=cause not in ("stop", "unknown") or bool(rest.strip(_SPACE))))
            elif self._call is not None:
                self._read(self._end_call(self._call, cause))
            else:
                break
        if self._held is not None:
            at = self._buffer.end if closer_at is None else closer_at
            self._finish(self._held, at, self._buffer.end, self._why(self._held, at, cause))

    def _begins_closer(self, head: LineHead) -> bool:
        """Return whether the text ended in a part of a closing fence behind a complete value."""
        return self._held is not None and self._held.cursor.complete and 0 < head.length < MIN_RUN

    def _why(self, held: HeldBlock, at: int, cause: StreamEnd) -> EndCause:
        """Return the end cause of a block without a closing fence, whose text ends for this cause."""
        if cause != "stop" and cause != "unknown":
            return cause
        tail = self._buffer.slice(max(held.body_at, at - _TAIL), at).rstrip(_SPACE)
        done = held.cursor.complete or held.cursor.broken == "syntax"
        return "stop" if cause == "stop" and done and tail.endswith(("}", "]")) else "disconnect"

    def abandon(self) -> list[Scanned]:
        """Return the reports so far, then all held text as prose, after an internal error. No text is lost."""
        out, half, self._half = self._out, self._half, ""
        self._catch_up()
        if self._held is not None:
            out.append(Released("guard_error"))
            self._fence = self._held.fence
        if self._call is not None:
            out.append(Released("guard_error"))
        self._head = self._held = self._call = self._opener_at = None
        self._span = self._run = 0
        self._emit(self._buffer.end)
        if half:
            out.append(half)
        if self.state not in (State.REASONING, State.OVER):
            self.state = _PROSE if self._fence is None else _FENCED
        out = self._rest.abandon(out)
        self._set_fast_path()
        return out

    def _take_in(self, text: str) -> None:
        """Buffer a piece and read it."""
        self._text = text
        self._base = self._buffer.push(text)
        if self._opener_at is not None:
            self._read(self._from_opener())
        else:
            self._read(self._after_cr() if self._cr and text else 0)

    def _from_opener(self) -> int:
        """Return the position of what may be an opener: it is read again with what follows."""
        at, self._opener_at = self._opener_at, None
        assert at is not None
        return self._rewind(at)

    def _after_cr(self) -> int:
        """Skip an LF at the beginning of a piece: it belongs to the CR that ended the piece before.

        Returns where reading continues.
        """
        self._cr = False
        if self._text[0] != "\n":
            return 0
        if self._held is not None:  # it was the opener's
            self._held.body_at += 1
            self._bind(self._held)
        return 1

    def _read(self, pos: int) -> None:
        while pos < len(self._text):
            pos = _READERS[self.state](self, pos)

    def _go(self, seen: Seen) -> None:
        try:
            self.state = TRANSITIONS[self.state][seen]
        except KeyError:
            raise IllegalTransition(self.state, seen) from None

    # -- out -----------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Move all text that need not be held from the buffer to the output."""
        if self._held is not None:
            if self._held.growth is not None:
                self._report_received(self._held)
            if self._buffer:
                self._buffer.compact()
        elif self._call is not None:
            self._report_call(self._call, self._buffer.end)
            self._buffer.compact()
        elif self._opener_at is not None:
            self._emit(self._opener_at)
        elif self._head is not None and self._holds(self._head):
            self._emit(self._head_at + self._head.lead)
        else:
            self._emit(self._buffer.end)

    def _report_received(self, held: HeldBlock) -> None:
        """Report what is new of the held block, without a line that may close it."""
        try:
            self._report_growth(held, self._buffer.end if self._head is None else self._head_at)
        except _Aborted:
            self._abort()

    def _holds(self, head: LineHead) -> bool:
        """Return whether a head is held from its first character on: it may open a block, or a call in a dialect."""
        if self.state not in _OPENING:
            return False
        if head.marking:
            return self._openers is not None
        if head.bullet:
            return self._openers is not None and head.bullet in self._openers.firsts
        return bool(head.char) and head.languages is not None

    def _emit(self, place: int) -> None:
        """Move the text before a place to the output as prose; whole pieces are not copied."""
        pieces = self._buffer.take(place)
        self._out.extend(pieces)
        if self._before is not None:
            self._before.add("".join(pieces))

    def _path_before(self, place: int, *, fenced: bool) -> str | None:
        """Return the path that stands before a place; None if none does, or no opener needs one."""
        if self._before is None:
            return None
        start = self._buffer.start
        text = self._buffer.slice(max(start, place - KEPT), place) if place > start else ""
        return self._before.path(text, max(start - place, 0), fenced=fenced)

    def _restart_before(self, place: int, path: str | None) -> None:
        """Let what stands before openers begin at a place."""
        if self._before is not None:
            self._emit(place)
            self._before.restart(path)

    def _rewind(self, place: int) -> int:
        """Return the position from which to read again from a place on."""
        if place < self._base:
            self._text = self._buffer.slice(place, self._buffer.end)
            self._base = place
        return place - self._base

    # -- prose ---------------------------------------------------------------------------------------------------------

    def _end_line(self, pos: int) -> int:
        """End the line at this position, or with the stream; returns the position after the line end."""
        self._go(_LINE_END_SEEN)
        return self._line_end(pos) if pos < len(self._text) else pos

    def _line_end(self, pos: int) -> int:
        """Return the position after the line end at this position. Leniency `crlf`: CRLF, and a CR alone, end a line."""
        text = self._text
        if text[pos] == "\r":
            if pos + 1 == len(text):
                self._cr = True
            elif text[pos + 1] == "\n":
                return pos + 2
        return pos + 1

    def _empty_lines(self, pos: int) -> int:
        """Skip the empty lines that begin at this position; returns the position after them."""
        found = _EMPTY_LINES.match(self._text, pos)
        assert found is not None
        if found.end() == pos:  # a CR, and what follows it is not here yet
            return self._end_line(pos)
        self._go(_LINE_END_SEEN)
        return found.end()

    def _prose(self, pos: int) -> int:
        if self._head is not None:
            pos = self._head.feed(self._text, pos, len(self._text))
            return pos if self._head.kind is None else self._headed(pos)
        if self._openers is not None:
            return self._prose_with_openers(pos, self._openers)
        found = (_RUN_OR_LINE_END if self._behind and not self._code else _LINE_END).search(self._text, pos)
        if found is None:
            return len(self._text)
        if found[0] == "`":
            return self._fence_behind(found.start())
        return self._end_line(found.start())

    def _fence_behind(self, pos: int) -> int:
        """Begin the head of a fence behind prose. Leniency `behind-prose`: one may stand there if it needs no language."""
        self._head = LineHead(0, self._languages)
        self._head_at = self._base + pos
        return pos

    def _prose_with_openers(self, pos: int, openers: Openers) -> int:
        """Read a line of prose up to its end, or to the opener of a call in a dialect."""
        text = self._text
        if self._run:
            pos = self._backticks(pos)
        while pos < len(text):
            stop = openers.stop.search(text, pos)
            if stop is None:
                return len(text)
            pos = stop.start()
            char = text[pos]
            if char == "\n" or char == "\r":
                return self._end_line(pos)
            if char == "`":
                if self._behind and not self._code and not self._span:
                    return self._fence_behind(pos)
                pos = self._backticks(pos)
                continue
            at = self._base + pos
            found = False if self._span or self._code else openers.at(text, pos, line=at == self._line_at)
            if found is True:
                self._opener_at = at
                return len(text)
            opened = self._with_path(found, at, fenced=False) if found is not False else None
            if opened is not None:
                return self._open_call(opened, at)
            if not (self._stray or self._span or self._code):
                stray = openers.stray(text, pos, line=at == self._line_at)
                if stray is None:
                    self._opener_at = at
                    return len(text)
                self._stray = stray
            pos += 1
        return pos

    def _backticks(self, pos: int) -> int:
        """Read a run of backticks, or its rest; one opens a code span, and one of the same length closes it."""
        text, end = self._text, pos
        while end < len(text) and text[end] == "`":
            end += 1
        self._run += end - pos
        if end < len(text):
            self._span = self._run if not self._span else 0 if self._run == self._span else self._span
            self._run = 0
        return end

    def _behind_headed(self, head: LineHead, pos: int) -> int:
        """Open a block if a run of backticks behind prose does so; other fences do not open there."""
        if head.languages is None or (pos == len(self._text) and head.kind is _FENCE_HEAD):
            self._span = head.length if self._openers is not None else 0
            return pos
        return self._open(head, pos, behind=True)

    def _open_reasoning(self, closer: re.Pattern[str]) -> None:
        """Begin reasoning that this closer ends."""
        self._closer = closer
        self._tail = ""
        self._go(Seen.REASONING)

    def _in_reasoning(self, pos: int) -> int:
        """Search for the closer of the reasoning. What follows it is read as the beginning of a line."""
        tail = self._tail
        read = tail + self._text[pos:]
        found = self._closer.search(read)
        self._skipped = found is None
        if found is None:
            self._tail = closer_begun(read)
            return len(self._text)
        self._tail = ""
        self._lists = Lists()
        self._go(Seen.REASONED)
        return pos + found.end() - len(tail)

    def _line(self, pos: int) -> int:
        if self._head is None:
            char = self._text[pos]
            if char not in _HEADS or _is_plain(self._text, pos):
                self._lists.plain(char)
                self._code = False
                self._line_at = self._base + pos
                self._line_margin = "quote" if char == ">" else None
                self._go(_TEXT)
                return pos
            if char == "\n" or char == "\r":
                self._lists.blank()
                self._span = 0
                return self._empty_lines(pos)
            reasoning = self._reasoning != "scan"
            self._head = LineHead(self._lists.limit, self._languages, markers=True, reasoning=reasoning)
            self._head_at = self._base + pos
        pos = self._head.feed(self._text, pos, len(self._text))
        return pos if self._head.kind is None else self._headed(pos)

    def _prose_headed(self, head: LineHead, pos: int) -> int:
        """Act on the head of a line of prose: open a block, another fence, or reasoning, or continue with the line."""
        self._lists.line(head)
        self._code = head.indent > head.limit
        if head.kind is _BLANK_HEAD:
            self._span = 0
            return self._end_line(pos)
        if head.kind is _TEXT_HEAD:
            self._go(_TEXT)
            self._stray = self._stray or (head.stray and self._openers is None)
            return pos if self._openers is None else self._behind_text_head(head, pos)
        self._span = 0
        if head.kind is _REASONING_HEAD:
            self._open_reasoning(closer_of(head.info))
            self._skipped = True
            return pos
        if pos == len(self._text) and head.kind is _FENCE_HEAD:
            return pos  # the stream ends on the opener: there is no block, only the line
        if head.languages is None:
            self._fence = _Fence(head, in_list=self._lists.open, json=False)
            self._go(Seen.OTHER_FENCE)
            path = self._path_before(self._head_at, fenced=False)
            pos = self._line_end(pos)
            self._restart_before(self._base + pos, path)
            return pos
        return self._open(head, pos)

    def _behind_text_head(self, head: LineHead, pos: int) -> int:
        """Return where to look for openers on a line that turned out to be text."""
        if head.char:
            self._span = self._span or (head.length if head.char == "`" else 0)
            return pos
        at = self._head_at + head.lead
        self._line_at = -1 if head.marker else at  # no list marker stands before it
        pos = self._rewind(at)
        self._line_margin = "quote" if self._text[pos : pos + 1] == ">" else "indent" if head.lead else None
        return pos

    # -- fences that hold no block -------------------------------------------------------------------------------------

    def _fenced(self, pos: int) -> int:
        assert self._fence is not None
        found = _LINE_END.search(self._text, pos)
        stop = len(self._text) if found is None else found.start()
        if self._fence.json:
            self._tail = (self._tail + self._text[max(pos, stop - _TAIL) : stop])[-_TAIL:]
        if found is None:
            return stop
        if self._fence.json and self._closed_after_brace():
            self._go(_CLOSER)
            return stop
        self._tail = ""
        return self._end_line(stop)

    def _closed_after_brace(self) -> bool:
        """End a released block at a fence directly behind its last brace (leniency `after-brace`); returns whether it did."""
        found = _AFTER_BRACE.search(self._tail)
        assert self._fence is not None
        if found and found[1][0] == self._fence.char and len(found[1]) >= self._fence.length:
            self._fence = None
            self._tail = ""
            return True
        return False

    def _fenced_line(self, pos: int) -> int:
        assert self._fence is not None
        if self._head is None:
            char = self._text[pos]
            if char not in _INNER_HEADS:
                if self._before is not None and self._openers is not None and char in self._openers.behind_paths:
                    return self._call_in_fence(self._openers, pos)
                self._go(_TEXT)
                return pos
            if char == "\n" or char == "\r":
                return self._empty_lines(pos)
            self._head = LineHead(self._fence.limit)
            self._head_at = self._base + pos
        pos = self._head.feed(self._text, pos, len(self._text))
        return pos if self._head.kind is None else self._headed(pos)

    def _call_in_fence(self, openers: Openers, pos: int) -> int:
        """Open a call that may stand in a fence, if an opener behind a path stands here."""
        at = self._base + pos
        found = openers.at(self._text, pos, line=True)
        if found is True:
            self._opener_at = at
            return len(self._text)
        opened = self._with_path(found, at, fenced=True) if found is not False else None
        if opened is None or not opened.opener.behind_path:
            self._go(_TEXT)
            return pos
        self._line_margin = None
        return self._open_call(opened, at)

    def _with_path(self, found: Found, place: int, *, fenced: bool) -> Found | None:
        """Return an opener with the path before it, if it needs one; None where that is missing."""
        if not found.opener.behind_path:
            return found
        path = self._path_before(place, fenced=fenced)
        return replace(found, tool=path) if path is not None else None

    def _fenced_headed(self, head: LineHead, pos: int) -> int:
        assert self._fence is not None
        if head.kind is _BLANK_HEAD:
            return self._end_line(pos)
        if head.closes(self._fence.char, self._fence.length):
            self._fence = None
            self._go(_CLOSER)
        else:
            self._go(_TEXT)
        return pos

    # -- blocks --------------------------------------------------------------------------------------------------------

    def _open(self, head: LineHead, pos: int, *, behind: bool = False) -> int:
        at = self._head_at + head.lead
        opener = self._buffer.slice(at, self._base + pos)
        named = bool(head.info) and not behind
        self._emit(at)
        self._out.append(Opened(named))
        self._go(_BLOCK_FENCE)
        if head.kind is not _INLINE_HEAD:
            pos = self._line_end(pos)
        cursor = Cursor(self._limits.max_depth, _ENVELOPES)
        self._held = held = HeldBlock(
            _Fence(head, in_list=self._lists.open, json=True),
            at,
            self._base + pos,
            cursor,
            Growth(self._watch) if self._watch is not None else None,
            Intent(self._names),
            plain=opener == "```json",
            beside=" ".join(opener.lstrip("`~").split()[1:]),
            room=self._limits.max_block,
            named=named,
            behind=behind,
        )
        if not self._releases:
            held.intent.state = OURS
            self._report_names(held)
        self._bind(held)
        return pos

    def _bind(self, held: HeldBlock) -> None:
        """Compute the place where something must be decided next."""
        held.bound = held.body_at + held.room
        if held.doubt is not None:
            held.bound = min(held.bound, held.doubt_end + self._limits.lookahead)
        if held.intent.state is not UNDECIDED:
            return
        if held.cursor.broken:
            held.bound = min(held.bound, held.body_at + SEARCHED)
        elif held.remark_end is not None:
            held.bound = min(held.bound, held.remark_end)

    def _block(self, pos: int) -> int:
        held, text = self._held, self._text
        assert held is not None
        cursor, intent = held.cursor, held.intent
        while True:
            bound = held.bound - self._base
            if pos >= bound:
                return self._bounded(held, pos)
            pos = cursor.feed(text, pos, min(bound, len(text)))
            signal = cursor.signal
            if signal is None:
                due = pos == bound and intent.state is UNDECIDED  # enough was read to decide
                return self._bounded(held, pos) if due else pos
            if signal is LINE:
                self._go(_LINE_END_SEEN)
                return pos
            if signal is KEY:
                intent.key(cursor.path)
            elif signal is STRING:
                self._string_closed(held)
            elif signal is COMPLETE:
                intent.complete()
            elif cursor.broken == "root" and not held.named:
                intent.no_object()
            else:
                self._judge_broken(held, self._base + pos, whole=False)
            remark_end = self._base + pos + REMARK_ROOM if intent.remark else None
            if signal is BROKEN or remark_end != held.remark_end:
                held.remark_end = remark_end
                self._bind(held)
            if signal is not KEY or (intent.state is OURS and not held.accepted):
                if held.growth is not None:
                    self._grow(held, self._base + pos)
                self._report_names(held)
            if intent.state is FOREIGN:
                return self._release(held, pos)
            if signal is COMPLETE:
                held.brace_at = self._base + pos
                if text[pos : pos + 1] not in _LINE_ENDS:
                    # Leniency `after-brace`: the closer may directly follow the last brace, as if a line began there. An
                    # opener may not.
                    self._go(_LINE_END_SEEN)
                    self._head = LineHead(MAX_LIST_INDENT, short=True)
                    self._head_at = held.brace_at
                    return pos
            if pos == len(text):
                return pos

    def _string_closed(self, held: HeldBlock) -> None:
        path, text = held.cursor.path, held.cursor.text
        held.intent.string(path, text)
        if text is None:
            return
        key = folded(path[-1]) if path else ""
        if key in _TOOL and held.tool is None:
            held.tool = text
            held.plainly = path == (TOOL_KEY,)
        elif key in _NAME and held.name is None:
            held.name = text
        elif key == self._path_field and held.path is None:
            held.path = text

    def _report_names(self, held: HeldBlock) -> None:
        """Report that the block was accepted, or a new tool or path."""
        is_call = held.intent.state is OURS
        names = (held.tool or (held.name if is_call else None), held.path)
        if is_call and not held.accepted:
            held.accepted = True
            self._out.append(Accepted(*names))
        elif names != held.reported_names:
            self._out.append(Named(*names))
        held.reported_names = names
        growth = held.growth
        if growth is not None and is_call and not growth.reading and names[0] is not None:
            growth.named(names[0], "plain" if held.plainly else "known")
        if is_call and None not in names:
            held.cursor.watch = False

    def _grow(self, held: HeldBlock, place: int) -> None:
        """Read what is watched of an accepted block up to this place. Raises _Aborted where that shows that the block ends.

        It is read before anything else in it is reported, so the order of the reports does not depend on how the text is cut.
        """
        growth = held.growth
        if growth is None or not (held.accepted and growth.reading):
            return
        start = held.body_at + growth.read
        if place > start:
            failing = growth.feed(self._buffer.slice(start, place))
            if failing is not None:
                self._out.append(failing)
                if growth.aborted:
                    raise _Aborted

    def _abort(self) -> None:
        """End the block where it was found that it cannot pass, and drop what was read behind that."""
        held = self._held
        assert held is not None and held.growth is not None
        end = held.body_at + held.growth.read
        self._report_growth(held, end)
        raw = "".join(self._buffer.take(end))
        block = Block(raw=raw, body=raw[held.body_at - held.at :], end_cause="aborted", ambiguous=False, canonical=False)
        self._out.append(Closed(block))
        self._held = self._head = None
        self._buffer.take(self._buffer.end)
        self._go(Seen.ABORTED)

    def _past(self, _: int) -> int:
        """Drop what is read behind a block that was aborted."""
        self._buffer.take(self._buffer.end)
        return len(self._text)

    def _report_growth(self, held: HeldBlock, place: int) -> None:
        """Report what is new of an accepted block up to this place, if that is asked for."""
        if held.growth is None or not held.accepted:
            return
        self._grow(held, place)
        report = held.growth.report(place - held.body_at)
        if report is not None:
            self._out.append(report)

    def _bounded(self, held: HeldBlock, pos: int) -> int:
        """Decide what the block's bound asks for: the intent, a doubt about its end, or that it is too long."""
        if held.intent.state is UNDECIDED:
            if held.remark_end == held.bound and not held.cursor.broken:
                held.intent.remark_too_long()
            state = self._decide(held, self._base + pos)
            self._bind(held)
            if state is FOREIGN:
                return self._release(held, pos)
        if self._base + pos < held.bound:
            return pos
        if held.doubt is not None:
            return self._end_at_first_closer()
        self._finish(held, self._base + pos, self._base + pos, "oversize")
        self._fence = held.fence
        self._go(Seen.OVERSIZE)
        return pos

    def _decide(self, held: HeldBlock, place: int) -> IntentState:
        """Decide the intent from the text before this place; returns it."""
        if held.intent.state is UNDECIDED:
            self._judge_broken(held, place, whole=True)
            self._report_names(held)
        return held.intent.state

    def _judge_broken(self, held: HeldBlock, place: int, *, whole: bool) -> None:
        """Let the intent decide about a body that is not JSON, or not yet, by its beginning."""
        head = self._buffer.beginning(held.body_at, min(place - held.body_at, SEARCHED))
        held.intent.broken(held.cursor.broken, head, whole=whole)

    def _release(self, held: HeldBlock, pos: int) -> int:
        """Release the block: its text so far is prose, and so is the rest. Returns where reading continues."""
        self._out.append(Released(held.intent.reason))
        self._held = None
        if held.doubt is not None:
            self._go(Seen.AHEAD_END)
            return self._rewind(held.doubt_end)
        if held.behind and held.cursor.broken == "root":
            self._go(Seen.NO_FENCE)  # prose about fences
            return pos
        self._fence = held.fence
        self._tail = self._buffer.slice(max(held.body_at, self._base + pos - _TAIL), self._base + pos)
        self._go(Seen.RELEASED)
        return pos

    def _block_line(self, pos: int) -> int:
        held = self._held
        assert held is not None
        if self._head is None:
            char = self._text[pos]
            thinks = char in FIRSTS and _is_over(held.cursor) and self._reasoning != "scan" and not _is_plain(self._text, pos)
            if char not in _BLOCK_HEADS and not thinks:
                self._go(_TEXT)
                return pos
            whole = held.cursor.complete  # Leniency `indented-closer`: behind a complete value it may stand anywhere
            limit = MAX_LIST_INDENT if whole else held.fence.limit
            self._head = LineHead(
                limit, self._languages, short=whole, reasoning=self._reasoning != "scan" and _is_over(held.cursor)
            )
            self._head_at = self._base + pos
        room = self._head_at + _HEAD_ROOM - self._base
        pos = self._head.feed(self._text, pos, min(room, len(self._text)))
        if self._head.kind is None:
            if pos < room:
                return pos
            self._head.kind = _TEXT_HEAD
        return self._headed(pos)

    def _block_headed(self, head: LineHead, pos: int) -> int:
        """Act on the head of a line inside a block: end the block, note a nested fence, or read the line as text."""
        held = self._held
        assert held is not None
        cursor, at = held.cursor, self._head_at
        if head.kind is _REASONING_HEAD:
            # Leniency `next-opener`: a complete call whose closer was forgotten ends where reasoning begins.
            self._finish(held, at, at, "closed", ambiguous=True)
            self._go(_BLOCK_FENCE)
            return self._rewind(at)
        if cursor.complete and (head.length >= MIN_RUN or head.kind is _FENCE_HEAD):
            return self._after_value(held, head, at, pos)
        if not held.named and head.info and head.languages and cursor.empty:
            # A fence of no language that holds nothing but an opener was a closer.
            self._out.append(Released("no_tool"))
            self._held = None
            self._go(Seen.NO_FENCE)
            return self._rewind(at)
        whole = _is_over(cursor)
        closes = head.char == held.fence.char and head.length >= held.fence.length
        if (closes or (whole and head.info)) and head.kind in (_FENCE_HEAD, _INLINE_HEAD):
            if not head.info:
                if whole or self._closes(held, at):
                    self._finish(held, at, self._base + pos, "closed")
                    self._go(_CLOSER)
                    return pos
                return self._doubt(held, head, at, pos)
            if whole and (head.languages is not None or _opens_another(head.info)):
                # Leniency `next-opener`: a complete call whose closer was forgotten ends where the next fence opens.
                self._finish(held, at, at, "closed", ambiguous=True)
                self._go(_BLOCK_FENCE)
                return self._rewind(at)
            if self._may_be_in_string(cursor):
                if held.nested and held.nested_bare:
                    return self._end_at_first_closer()  # a fence cannot open inside an open fence: so the bare one was a closer
                if not held.nested:
                    held.nested, held.nested_bare = head.length, False
        self._go(_TEXT)
        return self._rewind(at)

    def _after_value(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """End the block at a fence behind a complete value, or before it.

        No string and no bracket is open, so the fence is no part of the value: it may be shorter than the opener, and of
        another character (Leniency `other-closer`).
        """
        if head.kind is not _TEXT_HEAD and head.info and (head.languages or _opens_another(head.info)):
            if at == held.brace_at:  # no fence opens in the middle of a line
                self._go(_TEXT)
            else:
                # Leniency `next-opener`: a complete call whose closer was forgotten ends where the next fence opens.
                self._finish(held, at, at, "closed", ambiguous=True)
                self._go(_BLOCK_FENCE)
            return self._rewind(at)
        # Leniency `closer-words`: the words behind a closer are text.
        end = at + head.lead + head.length if head.info or head.kind is not _FENCE_HEAD else self._base + pos
        self._finish(held, at, end, "closed")
        self._go(_CLOSER)
        return self._rewind(end)

    def _may_be_in_string(self, cursor: Cursor) -> bool:
        """Return whether this place may be in a string: one is open, or unescaped quotes leave that open."""
        return cursor.in_string or cursor.broken == "syntax"

    def _closes(self, held: HeldBlock, at: int) -> bool:
        """Return whether a closing fence ends a block whose JSON is not complete. Leniency `string`: not inside a text."""
        cursor = held.cursor
        if not self._may_be_in_string(cursor):
            return True  # between tokens no fence can stand: the block is over, however broken
        if held.nested:
            return False
        if cursor.in_string and (cursor.in_key or self._holds_no_lines(cursor.key)):
            return True  # names and paths hold no lines: the quote was forgotten
        if cursor.broken is None:
            return False
        tail = self._buffer.slice(max(held.body_at, at - _TAIL), at).rstrip(_SPACE + ",;")
        if held.doubt is None:
            return tail.endswith(("}", "]"))  # as calls end, whatever their quotes; text rarely does
        return tail.endswith("}") and tail.rstrip("}]" + _SPACE).endswith('"')

    def _holds_no_lines(self, key: str | None) -> bool:
        return key is not None and ((key := folded(key)) in _TOOL or key in _NAME or key == self._path_field)

    def _doubt(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """Note a closing fence in an open string: a quote was forgotten, or the string is a file with fences in it."""
        if held.nested:
            if head.length >= held.nested:
                held.nested = 0
        else:
            held.nested, held.nested_bare = head.length, True
            if held.doubt is None:
                self._settle(held, at)
                held.doubt, held.doubt_end = at, self._base + pos
                self._bind(held)
                self._go(Seen.DOUBT)
                return self._rewind(at)
        self._go(_TEXT)
        return self._rewind(at)

    def _settle(self, held: HeldBlock, place: int) -> None:
        """Judge what is watched of the block up to this place, and stop judging there: the block may end here."""
        if held.growth is not None:
            self._grow(held, place)
            held.growth.settle()

    def _end_at_first_closer(self, *, ambiguous: bool = True) -> int:
        """End the block at its first closing fence. What was read behind that fence is read again."""
        held = self._held
        assert held is not None and held.doubt is not None
        self._finish(held, held.doubt, held.doubt_end, "closed", ambiguous=ambiguous)
        self._go(Seen.AHEAD_END)
        return self._rewind(held.doubt_end)

    def _finish(self, held: HeldBlock, closer_at: int, end_at: int, cause: EndCause, *, ambiguous: bool = False) -> None:
        """End the block: report it as closed, or release it if it is no tool call."""
        if self._decide(held, closer_at) is FOREIGN:
            self._out.append(Released(held.intent.reason))
        else:
            self._report_growth(held, closer_at)  # what came in the same delta as the end
            raw = "".join(self._buffer.take(end_at))
            body = raw[held.body_at - held.at : closer_at - held.at]
            block = Block(
                raw=raw,
                body=body,
                end_cause=cause,
                ambiguous=ambiguous or self._stray,
                canonical=held.plain and raw[closer_at - held.at :] == "```" and body.endswith("\n"),
                complete=held.cursor.complete,
                beside=held.beside,
            )
            self._out.append(Closed(block))
            if self._before is not None:
                self._before.restart()
        self._held = None

    # -- calls in dialects ---------------------------------------------------------------------------------------------

    def _open_call(self, found: Found, at: int) -> int:
        self._emit(at)
        self._out.append(Opened(found.dialect.sure))
        self._go(Seen.OPENER)
        growth = Growth(self._watch) if self._watch is not None else None
        self._call = HeldCall(found, at, self._names, self._limits.max_block, self._line_margin, growth)
        return self._rewind(self._call.body_at)

    def _in_call(self, pos: int) -> int:
        call = self._call
        assert call is not None
        step, pos = call.read(self._text, pos, self._base, self._out)
        if step is Step.OVERSIZE:
            self._finish_call(call, self._base + pos, "oversize")
            self._closer, self._tail = any_of(call.dialect.closers), ""
            self._go(Seen.OVERSIZE)
            return pos
        return self._step_call(call, step, pos)

    def _step_call(self, call: HeldCall, step: Step, pos: int) -> int:
        """Act on the state of the call; returns where reading continues."""
        if step is Step.NONE:
            return self._release_call(call.at + 1)
        if step is Step.ENDED:
            if call.dialect.alone:
                self._go(Seen.CALL_END)
                return self._rewind(call.end_at)
            self._finish_call(call, call.end_at, "closed")
            self._go(self._end_of_call)
            return self._rewind(call.end_at)
        return pos

    @property
    def _end_of_call(self) -> Seen:
        """What the end of a call is: in a fence that fence goes on."""
        return _CLOSER if self._fence is None else Seen.IN_FENCE

    def _behind_call(self, pos: int) -> int:
        """Read on behind a call that must have its line to itself, but for the mark of a special token behind it."""
        call = self._call
        assert call is not None
        text, bound = self._text, call.end_at + MAX_BLANKS - self._base
        while pos < len(text) and text[pos] in " \t" and pos < bound:
            pos += 1
        if pos == len(text):
            return pos
        if text[pos] in "\r\n<" or pos == bound:
            self._finish_call(call, call.end_at, "closed")
            self._go(_CLOSER)
            return self._rewind(call.end_at)
        return self._release_call(self._base + pos)

    def _release_call(self, place: int) -> int:
        """Release the call: it is prose up to this place, and what follows is read again as prose.

        Returns where reading continues.
        """
        self._out.append(Released("no_tool"))
        self._call = None
        self._go(Seen.RELEASED if self._fence is None else Seen.IN_FENCE)
        return self._rewind(place)

    def _finish_call(self, call: HeldCall, end_at: int, cause: EndCause) -> None:
        """End the block: report it as closed, or release it if it is no tool call."""
        self._call = None
        if not call.is_call(self._buffer.beginning(call.body_at, min(end_at - call.body_at, SEARCHED))):
            self._out.append(Released("no_tool"))
            return
        self._report_call(call, end_at)
        raw = "".join(self._buffer.take(end_at))
        closed = call.closed(raw, cause)
        self._out.append(uncertain(closed) if self._stray else closed)
        if self._before is not None:
            self._before.restart(call.behind_path if closed.block.end_is_certain else None)

    def _end_call(self, call: HeldCall, cause: StreamEnd) -> int:
        """End the call with the text. Returns where reading continues, if the call ended earlier."""
        place = self._buffer.end
        step = Step.ENDED if self.state is State.CALLED else call.finish(place, self._out)
        if step is Step.NONE:
            return self._step_call(call, step, len(self._text))
        if step is Step.ENDED:
            self._finish_call(call, call.end_at, "closed")
            self._go(self._end_of_call)
            return self._rewind(call.end_at)
        self._finish_call(call, place, "disconnect" if cause == "stop" or cause == "unknown" else cause)
        return len(self._text)

    def _report_call(self, call: HeldCall, place: int) -> None:
        """Report what is new of a call in a dialect up to this place, if that is asked for and does not wait anyway."""
        growth = call.growth
        if growth is None or not call.accepted or self._rest.waits:
            return
        start = call.json_at + growth.read
        if growth.reading and place > start:
            growth.feed(self._buffer.slice(start, place))
        report = growth.report(place - call.body_at)
        if report is not None:
            self._out.append(report)

    def _in_rest(self, pos: int) -> int:
        """Search for the closer of a call that was too long: up to there its text opens nothing."""
        tail = self._tail
        read = tail + self._text[pos:]
        found = self._closer.search(read)
        if found is None:
            self._tail = read[-LONGEST_CLOSER:]
            return len(self._text)
        self._tail = ""
        self._go(self._end_of_call)
        return pos + found.end() - len(tail)

    def _headed(self, pos: int) -> int:
        head, self._head = self._head, None
        assert head is not None
        return _HEADED[self.state](self, head, pos)


def _is_plain(text: str, pos: int) -> bool:
    """Return whether a line that begins with one of `_HEADS` is plain text: it opens no reasoning and is no mark."""
    return text[pos] in FIRSTS and _MAY_MARK.match(text, pos) is None


def _is_over(cursor: Cursor) -> bool:
    """Return whether a whole value was read, and what stands behind it, if anything, is no part of it."""
    return cursor.complete or (cursor.whole_once and cursor.broken is not None)


def _opens_another(info: str) -> bool:
    """Return whether an info string behind a complete value is a language, and not words behind a closing fence."""
    return _INFO.fullmatch(info) is not None and info.lower() not in _CLOSING_WORDS


_READERS: Final[dict[State, Callable[[FenceScanner, int], int]]] = {
    State.LINE: FenceScanner._line,
    State.PROSE: FenceScanner._prose,
    State.FENCED_LINE: FenceScanner._fenced_line,
    State.FENCED: FenceScanner._fenced,
    State.BLOCK_LINE: FenceScanner._block_line,
    State.BLOCK: FenceScanner._block,
    State.AHEAD_LINE: FenceScanner._block_line,
    State.AHEAD: FenceScanner._block,
    State.REASONING: FenceScanner._in_reasoning,
    State.CALL: FenceScanner._in_call,
    State.CALLED: FenceScanner._behind_call,
    State.REST: FenceScanner._in_rest,
    State.OVER: FenceScanner._past,
}
_IN_LINE: Final = (State.BLOCK, State.AHEAD)
"""The states inside a line of a block: no head of a line is being read."""

_OPENING: Final = (State.LINE, State.PROSE)
"""The states in which a head may become the opener of a block, and is held."""

_HEADED: Final[dict[State, Callable[[FenceScanner, LineHead, int], int]]] = {
    State.LINE: FenceScanner._prose_headed,
    State.PROSE: FenceScanner._behind_headed,
    State.FENCED_LINE: FenceScanner._fenced_headed,
    State.BLOCK_LINE: FenceScanner._block_headed,
    State.AHEAD_LINE: FenceScanner._block_headed,
}
