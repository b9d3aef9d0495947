"""`CallJudging`: asks the guard about calls, and gives work that takes long to the driver of the stream.

    call -> is_cut -> whether its JSON lacks its end
    call, how it ended -> judged -> the deferred validation of its block

It does not decide what becomes of a call, and sends nothing.

Rule 1: only its last bracket shows that a call is complete. An earlier fault may hide that it was cut off, so the text is
read for that too.
Rule 2: other streams have a turn before a long call is judged, and after many short ones.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any, Final

from stream_guard import EndCause, Guard
from stream_guard.spi import SHORT, Aside, Judging

from .native_call import NativeCall
from .unfinished import is_unfinished

_JUDGED: Final = 512
"""The cost of judging a call, in characters, in addition to its own characters."""


class CallJudging:
    """The judging of the calls of one stream."""

    __slots__ = ("_at_once", "_guard")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._at_once = 0  # characters that were judged since something was judged aside

    def is_cut(self, call: NativeCall) -> Generator[Aside[Any], None, bool]:
        """Return whether the JSON of a call lacks its end. Work that takes long is yielded first."""
        known = call.judging
        judging = call.judge(self._guard)
        if known is None and self._takes_long(judging):
            yield judging
        verdict, _ = judging.run()
        if verdict.passed:
            return False
        if any(issue.code == "unterminated" for issue in verdict.issues):
            return True
        reading: Aside[bool] = Aside(partial(is_unfinished, call.arguments.text))
        if judging.is_long:
            yield reading
        return reading.run()

    def judged(self, call: NativeCall, ended: EndCause) -> Generator[Aside[Any], None, Judging]:
        """Return the deferred validation of a call that ended so. If it takes long, it is yielded first."""
        judging = call.judging if ended == "closed" else None
        if judging is None:
            judging = Judging(self._guard.judge, call.block(ended))
            if self._takes_long(judging):
                yield judging
        return judging

    def _takes_long(self, judging: Judging) -> bool:
        """Return whether judging a call, alone or together with the calls before it, takes long: then it is done aside. Many
        short calls may be judged one after the other without anything leaving meanwhile.
        """
        self._at_once += _JUDGED + len(judging.block.body)
        if not judging.is_long and self._at_once <= SHORT:
            return False
        self._at_once = 0
        return True
