"""`ProseReader`: reads prose, fences that hold no block, and reasoning, up to where a block or a call in a dialect opens."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..values.characters import LINE_END
from ..values.fence import RUN
from ..values.late import late
from .block_reader import BlockReader
from .fences import MIN_RUN, Kind, LineHead, Lists, plain_fence
from .growing import Watch
from .held_block import OpenFence
from .intent import KnownTools
from .openers import Found, Openers
from .reasoning import (
    ANY_CLOSERS,
    BEGINS_TOKEN,
    MAX_GLUED,
    MAX_MARK,
    RESPONSE_OR_CLOSER,
    begins_text,
    closer_begun,
    closer_of,
    glued_in,
    left_open,
    opener_in,
    opener_of_reply,
)
from .states import Seen, State
from .stream_text import MARKS, MAY_MARK, SPACE, TAIL, ScanSettings, is_plain

HEADS: Final = frozenset("`~ \t\r\n-+*0123456789") | MARKS
"""The first characters of lines that may be more than plain text. A line that begins with any other character is plain text."""

_RUN_OR_LINE_END: Final = late(r"`|\r\n?|\n")
_INNER_HEADS: Final = frozenset("`~ \t\r\n")
_BULLETS: Final = frozenset("-+*")
_QUOTES: Final = frozenset(">|\u2502\u2503\u2551")
"""The marks with which a line of a quote begins, or a row of a table or a box: a call in such a line is shown, not made."""

_LINE_MARKS: Final = (_BULLETS | frozenset("#|:%/;.")) - MARKS
"""The signs that a program may have put before each line of a reply: of a comment, of a diff. No opener begins with one."""

_INDENT: Final = re.compile(r"[ \t]*")
_AFTER_BRACE: Final = late(rf"[}}\]][ \t]*({RUN})[ \t]*\Z")

# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for in every block.
_TEXT, _CLOSER = Seen.TEXT, Seen.CLOSER
_LINE = State.LINE
_TEXT_HEAD, _BLANK_HEAD, _FENCE_HEAD, _, _REASONING_HEAD = Kind
_MOST_TOKENS: Final = 1024
"""The number of characters of a line that are kept, from its first special token on, to find an opener inside the line."""

_UNFENCED: Final = MARKS | {"*"}
"""The first characters of lines in which a call in prose may begin."""

_NO_TEXT: Final = (_BLANK_HEAD, _REASONING_HEAD)
_BEFORE_REPLY: Final = (_BLANK_HEAD, _TEXT_HEAD)


def _from_token(text: str) -> str:
    """Return a text from its first special token on, or from the beginning of one at its end; empty if there is none."""
    found = BEGINS_TOKEN.search(text)
    return text[found.start() :] if found is not None else ""


class ProseReader(BlockReader):
    """Reads prose, fences without blocks, and reasoning: the states START, LINE, PROSE, FENCED_LINE, FENCED and REASONING."""

    __slots__ = (
        "_behind",
        "_code",
        "_first",
        "_fresh",
        "_glued",
        "_indented",
        "_line_at",
        "_line_mark",
        "_lists",
        "_opener_at",
        "_openers",
        "_quoted",
        "_replying",
        "_rest_of_line",
        "_run",
        "_skipped",
        "_span",
        "_spanned",
        "_tight",
        "_words",
    )

    def __init__(self, tools: KnownTools, settings: ScanSettings, watch: Watch | None) -> None:
        BlockReader.__init__(self, tools, settings, watch)  # see `CallReader`
        self._lists = Lists()
        self._behind: Final = settings.languages.bare  # whether a fence may open after prose on its line
        self._code = False  # whether this line is indented too far for a fence: it is code, or continues a paragraph
        self._words = ""  # the words that the text begins with, while reasoning may open with them
        self._first = False  # whether only blanks were read of a text that begins inside reasoning
        self._skipped = False  # whether some of the text belongs to reasoning that is still open
        self._fresh = True  # whether only blanks of the current line were read inside reasoning
        self._glued: Final = settings.reasoning != "scan"  # whether an opener counts after a special token
        self._rest_of_line = ""  # the current line from its first special token on, where no dialect is read

        # Dialects. A code span is open up to a run of as many backticks, or to the end of its paragraph.
        self._openers: Final = settings.openers
        self._opener_at: int | None = None  # the place of a text that may become an opener, of which more must be read
        self._replying = False  # whether only blanks were read of the reply: then openers for its beginning count
        self._line_at = -1  # the place where the text of the current line begins
        self._quoted = False  # whether that text begins with the mark of a quote, or the bar of a row
        self._tight = False  # whether no blank follows that mark: it may be the end of a tag whose rest was lost
        self._indented = False  # whether blanks or the marker of a list are before that text
        self._line_mark = ""  # the sign with which that text begins, if a program may have put it before each line
        self._span = 0  # the length of the run of backticks that opened the current code span; 0 outside
        self._spanned = False  # whether the code span contains a mark of a call
        self._run = 0  # the length of the run of backticks at the end of the last piece

    def _start(self, pos: int) -> int:
        """Read the beginning of a text: empty lines, and reasoning that opens with words. Returns where reading continues.

        The words are passed on while they are compared, since they are prose in any case.
        """
        while not self._words and self._text[pos] in "\r\n":
            pos += 1
            if pos == len(self._text):
                return pos
        passed, self._words = len(self._words), self._words + self._text[pos:]
        opener = opener_of_reply(self._words, 0)
        if opener == "":
            return len(self._text)
        first, self._words = self._words[0], ""
        if opener:
            return self._reason(opener, pos + max(len(opener) - passed, 0))  # blanks after the opener may have passed too
        self.state = _LINE  # as most texts begin
        if passed:
            self._replying = False
            self._lists.plain(first)
            self._begin_text(first, -1)
            self._go(_TEXT)
        return pos

    def _line(self, pos: int) -> int:
        """Read the beginning of a line of prose; returns where reading continues."""
        if self._head is None:
            char = self._text[pos]
            if char not in HEADS or is_plain(self._text, pos):
                self._lists.plain(char)
                self._begin_text(char, self._base + pos)
                self._go(_TEXT)
                return self._prose(pos)
            if char == "\n" or char == "\r":
                self._lists.blank()
                if self._span:
                    self._end_paragraph()
                return self._empty_lines(pos)
            self._head_at = self._base + pos
            plain = plain_fence(self._text, pos, self._settings.languages) if char == "`" else None
            if plain is not None:
                return self._prose_headed(plain, pos + plain.length + len(plain.info))
            reasoning = self._settings.reasoning != "scan"
            self._head = LineHead(self._lists.limit, self._settings.languages, markers=True, reasoning=reasoning)
        pos = self._head.feed(self._text, pos, len(self._text))
        at = self._head_at + self._head.lead - self._base
        if at >= 0 and self._text[at : at + 1] in _UNFENCED:
            self._follow_line(self._head, at)
        return pos if self._head.kind is None else self._prose_headed(self._read_head(), pos)

    def _begin_text(self, first: str, at: int, *, code: bool = False, indented: bool = False) -> None:
        """Set the attributes that describe the current line, by its beginning. All of them are set for every line.

        Args:
            first: The first character of the line's text.
            at: The place of that character; -1 if the text has passed, or no opener at the beginning of a line counts here.
            code: Whether the line is indented too far for a fence.
            indented: Whether blanks or the marker of a list are before the text.
        """
        self._code, self._quoted, self._indented, self._line_at = code, first in _QUOTES, indented, at
        self._tight = False
        self._line_mark = first if first in _LINE_MARKS else ""

    def _follow_line(self, head: LineHead, at: int) -> None:
        """Follow a possible call in prose that begins here, after the blanks and list markers of its line.

        A call that began on an earlier line is read up to here first: it may be over, or end where this line begins.
        """
        may_begin = not head.char and head.kind not in _NO_TEXT and MAY_MARK.match(self._text, at) is not None
        self._certainty.begins_line(self._base + at, self._text[at], may_begin=may_begin)

    def _prose_headed(self, head: LineHead, pos: int) -> int:
        """Act on the head of a line of prose: open a block, another fence, or reasoning, or read the line as prose. Returns
        where reading continues.
        """
        self._lists.line(head)
        self._begin_text("", -1, code=head.indent > head.limit)
        self._replying = self._replying and head.kind in _BEFORE_REPLY
        if self._span and head.kind is not _TEXT_HEAD:
            self._end_paragraph()
        if head.kind is _BLANK_HEAD:
            return self._end_line(pos)
        if head.kind is _TEXT_HEAD:
            self._go(_TEXT)
            if self._openers is not None:
                return self._behind_text_head(head, pos)
            if head.stray:
                self._certainty.lose()
            self._rest_of_line = head.begun
            return pos
        if head.kind is _REASONING_HEAD:
            self._certainty.line_reasons(self._head_at + head.lead)
            return self._reason(head.info, pos)
        if pos == len(self._text) and head.kind is _FENCE_HEAD:
            return pos  # the stream ends on the opener: there is no block, only the line
        if head.languages is None:
            self._fence = OpenFence(head, self._lists.open, json=False)
            self._go(Seen.OTHER_FENCE)
            path = self._path_before(self._head_at, fenced=False)
            pos = self._line_end(pos)
            if self._before is not None:
                self._emit(self._base + pos)
                self._before.restart(path)
            return pos
        return self._open(head, pos, in_list=self._lists.open)

    def _behind_text_head(self, head: LineHead, pos: int) -> int:
        """Return where to look for openers on a line that turned out to be text."""
        if head.char:
            if head.char == "`":
                self._end_run(head.length)
            self._indented = bool(head.lead)
            return pos
        at = self._head_at + head.lead
        pos = self._rewind(at)
        first = self._text[pos : pos + 1]
        opens = -1 if head.marker else at  # an opener that counts without a list marker before it
        self._begin_text(first, opens, code=self._code, indented=bool(head.lead) or first in _BULLETS)
        self._line_mark = "0" if head.numbered else self._line_mark
        return pos

    def _prose(self, pos: int) -> int:
        """Read on in a line of prose, to its end or to an opener of a block, a call or reasoning."""
        if self._head is not None:
            pos = self._head.feed(self._text, pos, len(self._text))
            return pos if self._head.kind is None else self._behind_headed(self._read_head(), pos)
        if self._openers is not None:
            return self._prose_with_openers(pos, self._openers)
        found = (_RUN_OR_LINE_END if self._behind and not self._code else LINE_END).search(self._text, pos)
        end = len(self._text) if found is None else found.start()
        ended = found is not None and found[0] != "`"
        if self._glued and (self._rest_of_line or "<" in self._text):
            at = self._find_glued(pos, end, ended=ended)
            if at is not None:
                return at
        if found is None:
            return end
        return self._end_line(end) if ended else self._fence_behind(end)

    def _find_glued(self, pos: int, end: int, *, ended: bool) -> int | None:
        """Look for an opener of reasoning inside a line. Open it, and return where reading continues; None if there is none.

        Args:
            pos: Where to begin.
            end: Where the text to search ends.
            ended: Whether the line ends there.
        """
        text, rest = self._text, self._rest_of_line
        opener, tail = None, ""
        while opener is None and pos < end:
            if not rest:
                found = BEGINS_TOKEN.search(text, pos, end)
                if found is None:
                    break
                pos = found.start()
            stop = min(end, pos + _MOST_TOKENS - len(rest))
            rest = _from_token(rest + text[pos:stop])
            pos = stop
            if len(rest) >= _MOST_TOKENS:
                opener = left_open(rest)
                tail = closer_begun(rest)
                rest = _from_token(rest[-MAX_GLUED:])
        if opener is None and ended and rest:
            opener, tail, pos, rest = left_open(f"{rest}\n"), "", end, ""
        self._rest_of_line = rest
        if opener is None:
            return None
        pos = self._reason(opener, pos)
        self._tail = tail
        return pos

    def _fence_behind(self, pos: int) -> int:
        """Read a run of backticks after prose as the head of a fence. Leniency `behind-prose`: the fence opens a block if it
        needs no language.
        """
        self._head = LineHead(0, self._settings.languages)
        self._head_at = self._base + pos
        return pos

    def _behind_headed(self, head: LineHead, pos: int) -> int:
        """Open a block if a run of backticks after prose opens one; otherwise read the run as prose."""
        if head.languages is None or (pos == len(self._text) and head.kind is _FENCE_HEAD):
            self._span = head.length if self._openers is not None else 0
            self._rest_of_line += "`" * head.length if self._rest_of_line and head.length < MIN_RUN else ""
            return pos
        opener = left_open(self._rest_of_line) if self._rest_of_line else None
        self._rest_of_line = ""
        if opener is not None:
            return self._reason(opener, pos)
        return self._open(head, pos, in_list=self._lists.open, behind=True)

    def _prose_with_openers(self, pos: int, openers: Openers) -> int:
        """Read a line of prose up to its end, or open the call in a dialect whose opener comes first."""
        text = self._text
        if self._replying or self._base + pos == self._called_at:
            read_on = self._behind_nothing(pos, openers)
            if read_on is not None:
                return read_on
        if self._run:
            pos = self._backticks(pos)
        if self._quoted and 0 <= (second := self._line_at + 1 - self._base) < len(text):
            self._tight = text[second] not in SPACE
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
            aside = self._span or self._code or self._quoted
            found = None if aside else openers.at(text, pos, line=at == self._line_at)
            if isinstance(found, str):  # the text may still become an opener
                return self._wait_for_opener(at)
            opened = self._with_path(found, at, fenced=False) if found is not None else None
            if opened is not None:
                return self._open_call(opened, at, indented=self._indented, mark=self._line_mark)
            if char == "<" and self._glued and not aside and BEGINS_TOKEN.match(text, pos) is not None:
                glued = glued_in(text[pos : pos + MAX_GLUED])
                if glued is not None:
                    return self._reason(glued[0], pos + glued[1]) if glued[0] else self._wait_for_opener(at)
            if not (self._certainty.lost or self._code or (self._quoted and not self._tight)):
                stray = openers.stray(text, pos, line=at == self._line_at)
                if stray == "":
                    return self._wait_for_opener(at)
                if self._span:
                    self._spanned = self._spanned or stray is not None
                else:
                    self._certainty.lose(when=stray is not None)
            pos += 1
        return pos

    def _behind_nothing(self, pos: int, openers: Openers) -> int | None:
        """Open a call or reasoning at the beginning of a reply, or reasoning directly after a call. Returns where reading
        continues; None if nothing opens.

        A reply may begin with an opener of its own, and after a call reasoning may open in the middle of a line.
        """
        text, at = self._text, self._base + pos
        if self._replying:
            found = openers.at_reply(text, pos) if at == self._line_at and not self._code else None
            if isinstance(found, str):  # the text may still become an opener
                return self._wait_for_opener(at)
            self._replying = False
            if found is not None:
                return self._open_call(found, at, indented=False)
        if at == self._called_at and self._settings.reasoning != "scan":
            opener = opener_in(text[pos : pos + MAX_MARK])
            if opener is not None:
                return self._reason(opener, pos + len(opener)) if opener else self._wait_for_opener(at)
        return None

    def _wait_for_opener(self, at: int) -> int:
        """Wait for more of a text that may become an opener at this place: from there on, the text is read again with the next
        piece.
        """
        self._opener_at = at
        return len(self._text)

    def _backticks(self, pos: int) -> int:
        """Read a run of backticks, or the rest of one. A run opens a code span, and a run of the same length closes it."""
        text, end = self._text, pos
        while end < len(text) and text[end] == "`":
            end += 1
        self._run += end - pos
        if end < len(text):
            self._end_run(self._run)
            self._run = 0
        return end

    def _end_run(self, length: int) -> None:
        """Open or close a code span with a run of backticks of this length. Inside a span, a run of another length is text."""
        if not self._span:
            self._span = length
        elif length == self._span:
            self._span, self._spanned = 0, False

    def _end_paragraph(self) -> None:
        """End a paragraph: backticks that were not closed in it begin no code, so the marks of calls after them count."""
        self._certainty.lose(when=self._spanned)
        self._span, self._spanned = 0, False

    # -- reasoning -------------------------------------------------------------------------------------------------------

    def _reason(self, opener: str, pos: int) -> int:
        """Begin the reasoning, or the result or turn, whose opener ends at this position; returns where reading continues."""
        self._certainty.read_to(self._base + pos)
        self._open_reasoning(closer_of(opener))
        self._skipped = not begins_text(opener)
        self._rest_of_line = ""
        return pos

    def _open_reasoning(self, closer: re.Pattern[str]) -> None:
        """Begin reasoning that a match of this pattern ends."""
        self._closer = closer
        self._tail = ""
        self._fresh = True
        # In reasoning that the text begins in, the closer may be part of a string of a call.
        self._certainty.reasoning_opens(quiet=closer not in ANY_CLOSERS)
        self._go(Seen.REASONING)

    def _in_reasoning(self, pos: int) -> int:
        """Search for the closer of the reasoning. The text after it is read as the beginning of a line."""
        if self._first and (begun := self._text[pos:].lstrip()):
            at = len(self._text) - len(begun)
            opener = opener_of_reply(self._text, at)
            if opener == "":
                return self._wait_for_opener(self._base + at)
            self._first = False
            self._closer = RESPONSE_OR_CLOSER if opener else self._closer
        tail = self._tail
        read = tail + self._text[pos:]
        found = self._closer.search(read)
        inside = self._closer in ANY_CLOSERS
        if inside:
            self._follow_reasoning(pos, len(self._text) if found is None else pos + found.start() - len(tail))
        self._skipped = found is None
        if found is None:
            self._tail = closer_begun(read, self._closer)
            return len(self._text)
        self._tail = ""
        end = pos + found.end() - len(tail)
        self._certainty.reasoning_closes(self._base + end, found[0] if inside else "")
        self._lists = Lists()
        self._go(Seen.REASONED)
        return end

    def _follow_reasoning(self, pos: int, end: int) -> None:
        """Follow the calls in a text that began in reasoning, from one position to another: the closer may be inside a call's
        string.
        """
        while pos < end:
            line_end = LINE_END.search(self._text, pos, end)
            stop = end if line_end is None else line_end.end()
            if self._fresh:
                at = _INDENT.match(self._text, pos, stop).end()  # type: ignore[union-attr]  # it matches the empty string
                if at < stop and self._text[at] in _UNFENCED:
                    self._certainty.begins_in_reasoning(self._base + at)
                self._fresh = at == stop
            self._certainty.follow(self._base + stop)
            if line_end is not None:
                self._certainty.line_of_reasoning_ends()
            self._fresh = self._fresh or line_end is not None
            pos = stop

    # -- fences that hold no block ---------------------------------------------------------------------------------------

    def _fenced(self, pos: int) -> int:
        """Read on in a line inside a fence that holds no block."""
        assert self._fence is not None
        found = LINE_END.search(self._text, pos)
        stop = len(self._text) if found is None else found.start()
        if self._fence.json:
            self._tail = (self._tail + self._text[max(pos, stop - TAIL) : stop])[-TAIL:]
        if found is None:
            return stop
        if self._fence.json and self._closed_after_brace():
            self._certainty.ends_released(self._base + stop)
            self._go(_CLOSER)
            return stop
        self._tail = ""
        return self._end_line(stop)

    def _closed_after_brace(self) -> bool:
        """End a released block at a fence directly after its last brace (leniency `after-brace`); returns whether there was
        one.
        """
        found = _AFTER_BRACE.search(self._tail)
        assert self._fence is not None
        if found and found[1][0] == self._fence.char and len(found[1]) >= self._fence.length:
            self._fence = None
            self._tail = ""
            return True
        return False

    def _fenced_line(self, pos: int) -> int:
        """Read the beginning of a line inside a fence that holds no block. Returns where reading continues."""
        assert self._fence is not None
        if self._head is None:
            char = self._text[pos]
            if char not in _INNER_HEADS:
                if self._openers is not None and char in self._openers.behind_paths:
                    return self._call_in_fence(self._openers, pos)
                self._go(_TEXT)
                return pos
            if char == "\n" or char == "\r":
                return self._empty_lines(pos)
            self._head_at = self._base + pos
            plain = plain_fence(self._text, pos, None) if char == "`" else None
            if plain is not None:
                return self._fenced_headed(plain, pos + plain.length + len(plain.info))
            self._head = LineHead(self._fence.limit)
        pos = self._head.feed(self._text, pos, len(self._text))
        return pos if self._head.kind is None else self._fenced_headed(self._read_head(), pos)

    def _call_in_fence(self, openers: Openers, pos: int) -> int:
        """Open a call inside a fence, if an opener that comes after a path is at this position. Returns where reading
        continues.
        """
        at = self._base + pos
        found = openers.at(self._text, pos, line=True)
        if isinstance(found, str):  # the text may still become an opener
            return self._wait_for_opener(at)
        opened = self._with_path(found, at, fenced=True) if found is not None else None
        if opened is None or not opened.opener.behind_path:
            self._go(_TEXT)
            return pos
        return self._open_call(opened, at, indented=False)

    def _with_path(self, found: Found, place: int, *, fenced: bool) -> Found | None:
        """Return an opener with the path before it if it needs one; None if that path is missing."""
        if not found.opener.behind_path:
            return found
        path = self._path_before(place, fenced=fenced)
        return found._replace(tool=path) if path is not None else None

    def _fenced_headed(self, head: LineHead, pos: int) -> int:
        """Act on the head of a line inside a fence without a block: close the fence, or continue with the line."""
        assert self._fence is not None
        if head.kind is _BLANK_HEAD:
            return self._end_line(pos)
        if head.closes(self._fence.char, self._fence.length):
            self._fence = None
            self._certainty.ends_released(self._head_at)
            self._go(_CLOSER)
        else:
            self._go(_TEXT)
        return pos


READERS: Final[dict[State, Callable[[ProseReader, int], int]]] = {
    State.START: ProseReader._start,
    State.LINE: ProseReader._line,
    State.PROSE: ProseReader._prose,
    State.FENCED_LINE: ProseReader._fenced_line,
    State.FENCED: ProseReader._fenced,
    State.REASONING: ProseReader._in_reasoning,
}
"""The method that reads on in each state of this reader."""

HEADED: Final[dict[State, Callable[[ProseReader, LineHead, int], int]]] = {
    State.LINE: ProseReader._prose_headed,
    State.PROSE: ProseReader._behind_headed,
    State.FENCED_LINE: ProseReader._fenced_headed,
}
"""The method that acts on the head of a line, for each state of this reader."""
