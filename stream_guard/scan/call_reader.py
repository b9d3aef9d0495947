"""`CallReader`: reads the calls in dialects, from the opener to the closer or to where the text turns out to be no call.

`HeldCall` decides whether and where a call ends. This file reports the decision, and takes the call's text from the buffer: as
the `raw` of a block, or to be read again as prose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..values.events import EndCause, StreamEnd
from .growing import Watch
from .held_block import OpenFence
from .held_call import ENDED, MORE, NONE, OVERSIZE, HeldCall, Step
from .intent import SEARCHED, KnownTools
from .openers import LONGEST_CLOSER, MAX_BLANKS, Found, any_of
from .states import Opened, Released, Seen, State
from .stream_text import ScanSettings, StreamText

_CLOSER: Final = Seen.CLOSER


class CallReader(StreamText):
    """Reads calls in dialects: the states CALL, CALLED and REST."""

    __slots__ = ("_call", "_called_at", "_fence")

    def __init__(self, tools: KnownTools, settings: ScanSettings, watch: Watch | None) -> None:
        StreamText.__init__(self, tools, settings, watch)  # `super` takes as long as all that it leads to
        self._call: HeldCall | None = None  # set in CALL and CALLED
        self._called_at = -1  # where the last call ended
        self._fence: OpenFence | None = None  # FENCED and FENCED_LINE: the fence that is open, and holds no block

    def _open_call(self, found: Found, at: int, *, indented: bool, mark: str = "") -> int:
        """Begin a call in a dialect at this place, on a line that is `indented` or begins with a `mark`.

        Returns where reading continues.
        """
        self._emit(at)
        self._certainty.opens()
        self._call = HeldCall(found, at, self._tools, self._settings.limits.max_block, indented, mark, self._growth())
        self._out.append(Opened(self._call.sure))
        self._go(Seen.OPENER)
        return self._rewind(self._call.body_at)

    def _in_call(self, pos: int) -> int:
        """Read on in a call, and end or release it if that is decided."""
        call = self._call
        assert call is not None
        step, pos = call.read(self._text, pos, self._base, self._out)
        if step is MORE:
            return pos
        if step is OVERSIZE:
            self._finish_call(call, self._base + pos, "oversize")
            self._closer, self._tail = any_of(call.dialect.closers), ""
            self._go(Seen.OVERSIZE)
            return pos
        return self._step_call(call, step, pos)

    def _step_call(self, call: HeldCall, step: Step, pos: int) -> int:
        """End or release the call as this step of it says, or let it go on; returns where reading continues."""
        if step is NONE:
            return self._next_reading(call)
        if step is ENDED:
            if call.alone:
                self._go(Seen.CALL_END)
                return self._rewind(call.end_at)
            self._finish_call(call, call.end_at, "closed")
            self._go(self._end_of_call)
            return self._rewind(call.end_at)
        return pos

    def _next_reading(self, call: HeldCall) -> int:
        """Read the body again as that of the next dialect with the same opener. If there is no such dialect,
        release the call.
        """
        openers, pos = self._settings.openers, self._rewind(call.at)
        found = openers.next(call.found, self._text, pos) if openers is not None else None
        if found is None:
            return self._release_call(call.at + 1)
        self._call = HeldCall(found, call.at, self._tools, call.longest, call.indented, call.mark, self._growth())
        return self._rewind(self._call.body_at)

    @property
    def _end_of_call(self) -> Seen:
        """Return the input of the state machine for the end of a call. If the call is inside a fence, the fence continues."""
        return _CLOSER if self._fence is None else Seen.IN_FENCE

    def _behind_call(self, pos: int) -> int:
        """Read the text after a call that needs its line to itself. Only the mark of a special token may follow
        the call there.
        """
        call = self._call
        assert call is not None
        text, bound = self._text, call.end_at + MAX_BLANKS - self._base
        while pos < len(text) and text[pos] in " \t" and pos < bound:
            pos += 1
        if pos == len(text):
            return pos
        if text[pos] in "\r\n<" or pos == bound:
            self._finish_call(call, call.end_at, "closed")
            self._go(self._end_of_call)
            return self._rewind(call.end_at)
        return self._release_call(self._base + pos)

    def _release_call(self, place: int) -> int:
        """Release the call as prose up to this place. The text after it is read again as prose.

        Returns where reading continues.
        """
        call = self._call
        assert call is not None
        self._out.append(Released("no_tool"))
        self._call = None
        if self._fence is None:
            self._certainty.begins(call.at)
        self._go(Seen.RELEASED if self._fence is None else Seen.IN_FENCE)
        return self._rewind(place)

    def _finish_call(self, call: HeldCall, end_at: int, cause: EndCause) -> None:
        """End the block: report it as closed, or release it if it is no tool call."""
        self._call = None
        if not call.is_call(self._buffer.beginning(call.body_at, min(end_at - call.body_at, SEARCHED))):
            self._out.append(Released("no_tool"))
            return
        self._report_call(call, end_at)
        self._called_at = end_at
        raw = "".join(self._buffer.take(end_at))
        closed = call.closed(raw, cause)
        if self._before is not None:
            self._certainty.lose(when=self._before.in_string() or (call.alone and self._before.belongs()))
            self._before.restart(call.behind_path if closed.block.end_is_certain else None)
        self._out.append(self._certainty.marked(closed))

    def _end_call(self, call: HeldCall, cause: StreamEnd) -> int:
        """End the call with the text. Returns where reading continues, if the call ended earlier."""
        place = self._buffer.end
        step = ENDED if self.state is State.CALLED else call.finish(place, self._out)
        if step is NONE or (step is ENDED and call.alone and self.state is State.CALL):
            return self._step_call(call, step, len(self._text))
        if step is ENDED:
            self._finish_call(call, call.end_at, "closed")
            self._go(self._end_of_call)
            return self._rewind(call.end_at)
        if cause == "stop" and call.spoiled:
            self._finish_call(call, place, "closed")  # the model ended the call, and its mistake is in its JSON
        else:
            self._finish_call(call, place, "disconnect" if cause == "stop" or cause == "unknown" else cause)
        return len(self._text)

    def _report_call(self, call: HeldCall, place: int) -> None:
        """Report the progress of a call in a dialect up to this place, if that is asked for and the call does not wait."""
        growth = call.growth
        if growth is None or not call.accepted or self._certainty.rest.waiting:
            return
        start = call.json_at + growth.read
        if growth.reading and place > start:
            growth.feed(self._between(start, place))
        report = growth.report(place - call.body_at)
        if report is not None:
            self._out.append(report)

    def _in_rest(self, pos: int) -> int:
        """Search for the closer of a call that was too long: before that closer, no block and no call opens."""
        tail = self._tail
        read = tail + self._text[pos:]
        found = self._closer.search(read)
        if found is None:
            self._tail = read[-LONGEST_CLOSER:]
            return len(self._text)
        self._tail = ""
        self._go(self._end_of_call)
        return pos + found.end() - len(tail)


READERS: Final[dict[State, Callable[[CallReader, int], int]]] = {
    State.CALL: CallReader._in_call,
    State.CALLED: CallReader._behind_call,
    State.REST: CallReader._in_rest,
}
"""The method that reads on in each state of this reader."""
