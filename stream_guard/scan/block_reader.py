"""`BlockReader`: reads fenced blocks, from the opener to the fence that ends it, or to where it turns out to be
no tool call.

A body is read once, by a `Cursor`; its keys and values decide the intent. A fence inside an open string may be part of a file's
text: then the text is read ahead, to see whether the block continues.

Rule: decisions are taken at characters, never at the end of a delta: so the result does not depend on how the text is cut. A
held block has the place where the next decision is due (`HeldBlock.decide_at`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..dialects.cursor import BROKEN, COMPLETE, KEY, LINE, STRING, Cursor, Signal
from ..values.block import Block
from ..values.call_keys import ENVELOPES, AnySpelling
from ..values.events import EndCause
from ..values.late import late
from ..values.quick import quick
from .call_reader import CallReader
from .fences import MAX_LIST_INDENT, MIN_RUN, Kind, LineHead, plain_fence
from .growing import Watch
from .held_block import HeldBlock, OpenFence
from .intent import FOREIGN, OURS, REMARK_ROOM, SEARCHED, UNDECIDED, Intent, IntentState, KnownTools
from .reasoning import FIRSTS
from .rest import ends_a_text
from .states import Accepted, Closed, Named, Opened, Released, Seen, State
from .stream_text import SPACE, TAIL, ScanSettings, is_plain
from .torn import ends_in_text

# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for in every block.
_TEXT, _LINE_END_SEEN, _BLOCK_FENCE, _CLOSER = Seen.TEXT, Seen.LINE_END, Seen.BLOCK_FENCE, Seen.CLOSER
_TEXT_HEAD, _, _FENCE_HEAD, _INLINE_HEAD, _REASONING_HEAD = Kind
_LINE_ENDS: Final = frozenset("\r\n")
_BLOCK_HEADS: Final = frozenset("`~ \t")  # inside a block, an empty line is a line of text like any other
_HEAD_ROOM: Final = 512
"""The number of characters by which a fence line inside a block may exceed the block's limit."""

_INFO: Final = late(r"[A-Za-z][\w+#-]*(?:\.\w+)*(?:[ \t]+[\w-]+=.*|[ \t]*\{.*)?")
"""Matches the info string of an opener: a language, and attributes."""

_CLOSING_WORDS: Final = frozenset({"end", "endjson", "end_json", "done", "eof", "stop"})
_block: Final = quick(Block)
_ENVELOPES: Final = AnySpelling(ENVELOPES)


class Aborted(Exception):  # it is no error
    """Raised inside the scanner where a block ends because it cannot pass."""


class BlockReader(CallReader):
    """Reads fenced blocks: the states BLOCK_LINE, BLOCK, AHEAD_LINE, AHEAD and OVER."""

    __slots__ = ("_held",)

    def __init__(self, tools: KnownTools, settings: ScanSettings, watch: Watch | None) -> None:
        CallReader.__init__(self, tools, settings, watch)  # see `CallReader`
        self._held: HeldBlock | None = None  # set in BLOCK, BLOCK_LINE, AHEAD and AHEAD_LINE

    # -- the beginning -------------------------------------------------------------------------------------------------

    def _open(self, head: LineHead, pos: int, *, in_list: bool, behind: bool = False) -> int:
        """Begin a block at its opener, whose head ends at this position. Returns where reading continues."""
        at = self._head_at + head.lead
        opener = self._between(at, self._base + pos)
        self._emit(at)
        self._certainty.opens()
        self._go(_BLOCK_FENCE)
        if head.kind is not _INLINE_HEAD:
            pos = self._line_end(pos)
        limits, body_at = self._settings.limits, self._base + pos
        fence, cursor = OpenFence(head, in_list, True), Cursor(limits.max_depth, _ENVELOPES)
        intent, growth = Intent(self._tools), self._growth()
        # Python makes a dict of the keywords that a class is called with: so there are none.
        self._held = held = HeldBlock(head, opener, fence, behind, at, body_at, cursor, intent, growth, limits)
        self._out.append(Opened(held.named))
        if self._settings.untagged == "validate":
            held.intent.state = OURS
            self._report_names(held)
        held.schedule()
        return pos

    # -- the body ------------------------------------------------------------------------------------------------------

    def _block(self, pos: int) -> int:
        """Read on in a line of a block: to its end, to a place where a decision is due, or to the end of the value."""
        held, text, base = self._held, self._text, self._base
        assert held is not None
        cursor, intent, size = held.cursor, held.intent, len(text)
        while True:
            bound = held.decide_at - base
            if pos >= bound:
                return self._decide_due(held, pos)
            stop = bound
            if stop > size:  # `min` costs as much as the rest of this loop
                stop = size
            pos = cursor.feed(text, pos, stop)
            signal = cursor.signal
            if signal is None:
                enough = pos == bound and intent.state is UNDECIDED
                return self._decide_due(held, pos) if enough else pos
            if signal is LINE:
                self._go(_LINE_END_SEEN)
                return pos
            self._take_signal(held, signal, base + pos)
            if intent.state is FOREIGN:
                return self._release(held, pos)
            if signal is COMPLETE:
                held.brace_at = base + pos
                behind = text[pos : pos + 2]
                if behind == "\n`" and pos < held.decide_at - base:  # as most blocks end: the cursor would stop there too
                    self._go(_LINE_END_SEEN)
                    return pos + 1
                if behind[:1] not in _LINE_ENDS:
                    return self._behind_brace(held, pos)
            if pos == size:
                return pos

    def _take_signal(self, held: HeldBlock, signal: Signal, place: int) -> None:
        """Pass the string or key that the cursor read up to this place to the intent, and report the tool and the path if they
        are new.
        """
        intent = held.intent
        if signal is KEY:
            intent.key(held.cursor.path)
        elif signal is STRING:
            held.string_closed()
        elif signal is COMPLETE:
            intent.complete()
        elif held.cursor.broken == "root" and not held.named:
            intent.no_object()
        else:
            self._judge_broken(held, place, whole=False)
        if signal is BROKEN or intent.remark or held.remark_end is not None:
            held.remark_end = place + REMARK_ROOM if intent.remark else None
            held.schedule()
        if signal is not KEY or (intent.state is OURS and not held.accepted):
            if held.growth is not None:
                self._grow(held, place)
            if signal is STRING or not held.accepted:
                self._report_names(held)

    def _behind_brace(self, held: HeldBlock, pos: int) -> int:
        """Read the text after the last brace as the head of a line, which may be the closer.

        Leniency `after-brace`: the closer may directly follow the last brace, as if a line began there. An opener may not.
        """
        self._go(_LINE_END_SEEN)
        self._head = LineHead(MAX_LIST_INDENT, short=True)
        self._head_at = held.brace_at
        return pos

    def _decide_due(self, held: HeldBlock, pos: int) -> int:
        """Decide at a place where a decision is due: the intent, the closing fence that ends the block, or that the block is
        too long. Returns where reading continues.
        """
        if held.intent.state is UNDECIDED:
            if held.remark_end == held.decide_at and not held.cursor.broken:
                held.intent.remark_too_long()
            state = self._decide_intent(held, self._base + pos)
            held.schedule()
            if state is FOREIGN:
                return self._release(held, pos)
        if self._base + pos < held.decide_at:
            return pos
        if held.first_closer is not None:
            return self._end_at_first_closer()
        self._certainty.lose(when=held.may_be_in_string)  # a later fence may be inside the string
        self._finish(held, self._base + pos, self._base + pos, "oversize")
        self._fence = held.fence
        self._go(Seen.OVERSIZE)
        return pos

    def _decide_intent(self, held: HeldBlock, place: int) -> IntentState:
        """Decide the intent by the text before this place if it is undecided, and return its state."""
        if held.intent.state is UNDECIDED:
            self._judge_broken(held, place, whole=True)
            self._report_names(held)
        return held.intent.state

    def _judge_broken(self, held: HeldBlock, place: int, *, whole: bool) -> None:
        """Let the intent decide about a body that is not JSON, or not JSON yet, by its first `SEARCHED` characters."""
        head = self._buffer.beginning(held.body_at, min(place - held.body_at, SEARCHED))
        held.intent.broken(held.cursor.broken, head, whole=whole)

    # -- reports -------------------------------------------------------------------------------------------------------

    def _report_names(self, held: HeldBlock) -> None:
        """Report that the block was accepted, or that its tool or path is new, if one of these happened."""
        is_call = held.intent.state is OURS
        tool, path = held.tool or (held.name if is_call else None), held.path  # a name key names a tool only in a call
        if is_call and not held.accepted:
            held.accepted = True
            held.cursor.keys = False  # they decide nothing any more
            self._out.append(Accepted(tool, path))
        elif tool != held.reported_tool or path != held.reported_path:
            self._out.append(Named(tool, path))
        held.reported_tool, held.reported_path = tool, path
        growth = held.growth
        if growth is not None and is_call and not growth.reading and tool is not None:
            growth.named(tool, "plain" if held.under_tool_key else "known")
        if is_call and tool is not None and path is not None:
            held.cursor.watch = False

    def _grow(self, held: HeldBlock, place: int) -> None:
        """Give the body of an accepted block up to this place to its `Growth`. Raises Aborted if the block ends because it
        cannot pass.

        This is done before anything else in that text is reported, so the order of the reports does not depend on how the text
        is cut.
        """
        growth = held.growth
        if growth is None or not (held.accepted and growth.reading):
            return
        start = held.body_at + growth.read
        if place > start:
            failing = growth.feed(self._between(start, place))
            if failing is not None:
                self._out.append(failing)
                if growth.aborted:
                    raise Aborted

    def _report_growth(self, held: HeldBlock, place: int) -> None:
        """Report the progress of an accepted block up to this place, if progress is asked for."""
        if held.growth is None or not held.accepted:
            return
        self._grow(held, place)
        report = held.growth.report(place - held.body_at)
        if report is not None:
            self._out.append(report)

    def _settle(self, held: HeldBlock, place: int) -> None:
        """Judge the members of the block up to this place, and stop judging there: the block may end here."""
        if held.growth is not None:
            self._grow(held, place)
            held.growth.settle()

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _block_line(self, pos: int) -> int:
        """Read the beginning of a line inside a block."""
        held = self._held
        assert held is not None
        if self._head is None:
            char = self._text[pos]
            if char not in _BLOCK_HEADS and not (char in FIRSTS and self._may_reason(held) and not is_plain(self._text, pos)):
                self._go(_TEXT)
                return self._block(pos)
            self._head_at = self._base + pos
            plain = plain_fence(self._text, pos, self._settings.languages) if char == "`" else None
            if plain is not None:
                return self._block_headed(plain, pos + plain.length + len(plain.info))
            whole = held.cursor.complete  # Leniency `indented-closer`: after a complete value it may stand anywhere
            limit = MAX_LIST_INDENT if whole else held.fence.limit
            self._head = LineHead(limit, self._settings.languages, short=whole, reasoning=self._may_reason(held))
        stop = self._head_at + _HEAD_ROOM - self._base
        pos = self._head.feed(self._text, pos, min(stop, len(self._text)))
        if self._head.kind is None:
            if pos < stop:
                return pos
            self._head.kind = _TEXT_HEAD
        return self._block_headed(self._read_head(), pos)

    def _may_reason(self, held: HeldBlock) -> bool:
        """Return whether reasoning may begin on this line: only after a whole value, and unless reasoning is read as text."""
        return held.behind_value and self._settings.reasoning != "scan"

    def _block_headed(self, head: LineHead, pos: int) -> int:
        """Act on the head of a line inside a block: end the block, note a nested fence, or read the line as text."""
        held, at = self._held, self._head_at
        assert held is not None
        if head.kind is _REASONING_HEAD:
            return self._end_before(held, at)
        if held.cursor.complete and (head.length >= MIN_RUN or head.kind is _FENCE_HEAD):
            return self._after_value(held, head, at, pos)
        if not held.named and head.info and head.languages and held.cursor.empty:
            quotes = head.char != held.fence.char or head.length < held.fence.length
            return self._release_line(at, held.fence if quotes and not held.behind else None)
        may_close = head.char == held.fence.char and head.length >= held.fence.length
        if _opens_another(head):
            return self._at_opener(held, head, at) if may_close or held.behind_value else self._read_as_text(at)
        return self._at_closer(held, head, at, pos) if may_close else self._read_as_text(at)

    def _read_as_text(self, at: int) -> int:
        """Read the line of the block that begins at this place as text; returns where reading continues."""
        self._go(_TEXT)
        return self._rewind(at)

    def _end_before(self, held: HeldBlock, at: int) -> int:
        """End the block before this line.

        Leniency `next-opener`: a complete call whose closer was forgotten ends where the next fence opens or reasoning begins.
        """
        self._finish(held, at, at, "closed", ambiguous=True)
        self._go(Seen.NEXT)
        return self._rewind(at)

    def _release_line(self, at: int, quotes: OpenFence | None) -> int:
        """Release a fence without a language if its first line is an opener: the fence was a closer.

        A fence that is longer than the opener, or of another character, is no closer: then `quotes` is that fence, which quotes
        the opener.
        """
        self._out.append(Released("no_tool"))
        self._held = None
        if quotes is None:
            self._go(Seen.NO_FENCE)
            return self._rewind(at)
        quotes.json = False
        self._fence = quotes
        self._go(Seen.RELEASED)
        return self._rewind(at)

    def _after_value(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """End the block at a fence after a complete value, or before it.

        No string and no bracket is open, so the fence is not part of the value. It may be shorter than the opener, and of
        another character (Leniency `other-closer`).
        """
        if _opens_another(head):
            # No fence opens in the middle of a line.
            return self._read_as_text(at) if at == held.brace_at else self._end_before(held, at)
        return self._close(held, head, at, pos)

    def _close(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """End the block at this closing fence; returns where reading continues.

        If the fence stood in a string after all, its line shows it: it goes on with the quote that ends the string.
        """
        end = self._closer_end(head, at, pos)
        in_string = _has_words(head) and ends_a_text(self._buffer.slice(end, self._base + pos))
        self._finish(held, at, end, "closed", ambiguous=in_string)
        self._certainty.lose(when=in_string)
        self._go(_CLOSER)
        return self._rewind(end)

    def _closer_end(self, head: LineHead, at: int, pos: int) -> int:
        """Return where a closing fence ends. Leniency `closer-words`: words that follow the closer on its line are text."""
        return at + head.lead + head.length if _has_words(head) else self._base + pos

    def _at_closer(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """Act on a closing fence: end or release the block, read the line as text, or note a fence that may be in a string."""
        words = _has_words(head)
        if words and held.cursor.empty:
            return self._read_as_text(at)  # the words may be the body
        if held.behind_value or self._is_end(held, at):
            if words and self._decide_intent(held, at) is FOREIGN:
                self._go(_TEXT)  # the block's fence continues, as in CommonMark
                return self._release(held, self._rewind(at))
            return self._close(held, head, at, pos)
        if head.kind is _TEXT_HEAD:
            return self._read_as_text(at)  # inline code
        return self._note_closer(held, head, at, pos)

    def _at_opener(self, held: HeldBlock, head: LineHead, at: int) -> int:
        """End the block before a fence that opens another block, or note that a fence has opened in a string."""
        if held.behind_value:
            return self._end_before(held, at)
        if held.may_be_in_string:
            if held.nested and held.nested_bare:
                return self._end_at_first_closer()  # no fence opens inside an open one: so the fence without info was a closer
            if not held.nested:
                held.nested, held.nested_bare = head.length, False
        return self._read_as_text(at)

    def _is_end(self, held: HeldBlock, at: int) -> bool:
        """Return whether a closing fence ends a block whose JSON is not complete. Leniency `string`: a fence inside a string
        does not.
        """
        if not held.may_be_in_string:
            return True  # no fence belongs between tokens: the block is over, however broken
        if held.nested:
            return False
        if held.lost_a_quote:
            return True
        if held.cursor.broken is None:
            return False
        tail = self._buffer.slice(max(held.body_at, at - TAIL), at).rstrip(SPACE + ",;")
        if held.first_closer is None:
            return tail.endswith(("}", "]"))  # calls end so, whatever their quotes are, and text rarely does
        return tail.endswith("}") and tail.rstrip("}]" + SPACE).endswith('"')

    def _note_closer(self, held: HeldBlock, head: LineHead, at: int, pos: int) -> int:
        """Note a closing fence in an open string: either a quote was forgotten, or the string is a file with fences in it."""
        if held.nested:
            if head.info:
                return self._at_opener(held, head, at)  # words close no fence in a string
            if head.length >= held.nested:
                held.nested = 0
            return self._read_as_text(at)
        held.nested, held.nested_bare = head.length, True
        if held.first_closer is not None:
            return self._read_as_text(at)
        self._settle(held, at)
        held.first_closer, held.first_closer_end = at, self._closer_end(head, at, pos)
        held.schedule()
        self._go(Seen.DOUBT)
        return self._rewind(at)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _end_at_first_closer(self, *, ambiguous: bool = True) -> int:
        """End the block at its first closing fence. The text that was read after that fence is read again."""
        held = self._held
        assert held is not None and held.first_closer is not None
        self._finish(held, held.first_closer, held.first_closer_end, "closed", ambiguous=ambiguous)
        self._certainty.lose(when=ambiguous)  # the text after the fence may be the rest of the string
        self._go(Seen.AHEAD_END)
        return self._rewind(held.first_closer_end)

    def _finish(self, held: HeldBlock, closer_at: int, end_at: int, cause: EndCause, *, ambiguous: bool = False) -> None:
        """End the block: report it as closed, or release it if it is no tool call."""
        if self._decide_intent(held, closer_at) is FOREIGN:
            self._out.append(Released(held.intent.reason))
        else:
            self._report_growth(held, closer_at)  # the progress in the delta that ends the block
            raw = "".join(self._buffer.take(end_at))
            body, whole = raw[held.body_at - held.at : closer_at - held.at], held.behind_value
            block = _block(
                raw=raw,
                body=body,
                end_cause=cause,
                ambiguous=ambiguous or self._certainty.lost,
                canonical=held.exact_opener and raw[closer_at - held.at :] == "```" and body.endswith("\n"),
                complete=held.cursor.complete,
                beside=held.beside,
                indent=held.indent,
                open_end=not whole and (held.may_be_in_string or _leaves_open(held, body)),
            )
            early = cause == "closed" and not whole
            self._out.append(self._certainty.ends_early(Closed(block)) if early else Closed(block))
            if self._before is not None:
                self._before.restart()
            why = held.cursor.broken
            if why == "root" or (why is not None and held.brace_at >= 0):  # the body is no JSON, or goes on after its value
                self._certainty.read_again(raw[max(held.brace_at, held.body_at) - held.at :])
        self._held = None

    def _release(self, held: HeldBlock, pos: int) -> int:
        """Release the block: its text so far is prose, and so is the rest. Returns where reading continues."""
        self._out.append(Released(held.intent.reason))
        self._held = None
        if held.first_closer is not None:
            self._certainty.lose()  # a string was open at the first closing fence
            self._go(Seen.AHEAD_END)
            return self._rewind(held.first_closer_end)
        if held.cursor.broken is None and not held.cursor.complete:
            self._certainty.begins(self._base + pos, held.cursor)
        if held.behind and held.cursor.broken == "root":
            self._go(Seen.NO_FENCE)  # prose about fences
            return pos
        self._fence = held.fence
        self._tail = self._buffer.slice(max(held.body_at, self._base + pos - TAIL), self._base + pos)
        self._go(Seen.RELEASED)
        return pos

    def _abort(self) -> None:
        """End the block at the place where it was found that it cannot pass, and drop the text after that place."""
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
        """Drop the text after a block that was aborted."""
        self._buffer.take(self._buffer.end)
        return len(self._text)


def _leaves_open(held: HeldBlock, body: str) -> bool:
    """Return whether a quote or a bracket may be open in a body that does not begin as JSON.

    Single quotes may be apostrophes, and backticks a fence: in a body with one of these, open brackets count too.
    """
    if held.cursor.broken != "root":
        return False
    odd = (body.count('"') - body.count('\\"')) % 2 == 1
    pairs = _QUOTES + _BRACKETS if "'" in body or "`" in body else _QUOTES
    return odd or any(body.count(begins) > sum(map(body.count, ends)) for begins, ends in pairs) or ends_in_text(body)


_QUOTES: Final = (("«", "»"), ("“", "”"), ("„", "”“"))
"""Pairs of quotes: the first begins a string, each character of the second may end it."""

_BRACKETS: Final = (("{", "}"), ("[", "]"), ("(", ")"))
"""Pairs of brackets: the first opens a value, the second closes it."""


def _opens_another(head: LineHead) -> bool:
    """Return whether a fence line inside a block opens another fence: its info string is a language, and no word that follows
    closers.
    """
    if head.kind is _TEXT_HEAD or not head.info:
        return False
    return head.languages is not None or (_INFO.fullmatch(head.info) is not None and head.info.lower() not in _CLOSING_WORDS)


def _has_words(head: LineHead) -> bool:
    """Return whether there is text after a closing fence on its line."""
    return head.kind is not _FENCE_HEAD or head.info != ""


READERS: Final[dict[State, Callable[[BlockReader, int], int]]] = {
    State.BLOCK_LINE: BlockReader._block_line,
    State.BLOCK: BlockReader._block,
    State.AHEAD_LINE: BlockReader._block_line,
    State.AHEAD: BlockReader._block,
    State.OVER: BlockReader._past,
}
"""The method that reads on in each state of this reader."""

HEADED: Final[dict[State, Callable[[BlockReader, LineHead, int], int]]] = {
    State.BLOCK_LINE: BlockReader._block_headed,
    State.AHEAD_LINE: BlockReader._block_headed,
}
"""The method that acts on the head of a line, for each state of this reader."""
