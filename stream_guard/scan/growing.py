"""`Growth` and `Arguments`: report the path, length and fields of a call while it is written, and the failure of one that
cannot pass any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..dialects.call import Envelope
from ..dialects.cursor import BROKEN, STRING, Cursor
from ..values.call_keys import folded
from ..values.issues import ValidationIssue
from ..values.limits import SHORT
from ..values.preview import Preview
from ..values.surrogates import ends_in_half, joined
from .buffer import MANY
from .loops import Loop
from .members import Members
from .states import Failing, Named, Progress
from .string_tail import StringTail


class Watch:
    """Settings: which reports are made of a call while it is written.

    Args:
        progress: The number of characters between two reports of the length; None for no report.
        members: Returns the `Members` that reads the arguments of a call, given the name of its tool and its envelope.
            The third argument is whether this is certainly the only call. It returns None if nothing is to be read.
        loop: Returns a `Loop`, which finds a call that only repeats itself. None if such a call may go on.
        aborts: Whether a call is ended as soon as it is certain that it cannot pass.
    """

    __slots__ = ("aborts", "loop", "members", "progress")

    def __init__(
        self,
        progress: int | None,
        members: Callable[[str, Envelope, bool], Members | None],
        loop: Callable[[], Loop] | None = None,
        *,
        aborts: bool = False,
    ) -> None:
        self.progress: Final = progress
        self.members: Final = members
        self.loop: Final = loop
        self.aborts: Final = aborts


class Growth:
    """Reports the length and the fields of one call, and whether the call can still pass."""

    __slots__ = ("_loop", "_members", "_reported", "_watch", "failed", "read", "reading")

    def __init__(self, watch: Watch) -> None:
        self._watch: Final = watch
        self._members: Members | None = None
        self._loop: Loop | None = None
        self._reported = 0
        self.reading = False
        """Whether the body is being read: the tool is known, and some of its members are watched."""
        self.read = 0
        """How many characters of the body were read."""
        self.failed = False
        """Whether the part of the call that was read cannot pass."""

    @property
    def due(self) -> int | None:
        """The length of the body at which the next progress report or check for repetition is due; None if neither is."""
        every, loop = self._watch.progress, self._loop
        report = (self._reported // every + 1) * every if every is not None else None
        if loop is None:
            return report
        look = self.read + loop.room
        return look if report is None else min(report, look)

    @property
    def shows(self) -> bool:
        """Whether a string is open whose pieces are reported as they come."""
        return self._members is not None and self._members.shows

    @property
    def showing(self) -> Members | None:
        """The `Members` that reports the pieces of the open string without `feed`; None unless all text so far was read and
        reported.
        """
        members = self._members
        return members if members is not None and not members.changes else None

    @property
    def aborted(self) -> bool:
        """Whether the call ends at `read`, because it cannot pass and such calls are aborted."""
        return self.failed and self._watch.aborts

    def named(self, tool: str, envelope: Envelope, *, judged: bool = True) -> None:
        """Begin to read the members of a call of this tool. `envelope` is where in the JSON its arguments are."""
        self._members = self._watch.members(tool, envelope, judged)
        loop = self._watch.loop if judged and self._members is not None else None
        self._loop = loop() if loop is not None else None
        self.reading = self._members is not None

    def settle(self) -> None:
        """Stop judging members: after this place, the end of the call is uncertain."""
        if self._members is not None:
            self._members.settle()
        self._loop = None

    def feed(self, text: str) -> Failing | None:
        """Read more of the body. Returns the report that the call cannot pass, once; else None. After a call is aborted,
        nothing is read.
        """
        assert self._members is not None
        if self.aborted:
            return None
        stop = len(text)
        issues: tuple[ValidationIssue, ...] = ()
        if self._loop is not None:
            found = self._loop.feed(text)
            if found is not None:
                stop, issues = found
        read = self._members.feed(text[:stop] if stop < len(text) else text)
        if self._members.failing and not self.failed:
            stop, issues = read, self._members.failing
        if not issues:
            self.read += len(text)
            return None
        self.read += stop
        self.failed = True
        self.settle()
        if not self.aborted and stop < len(text):
            self._members.feed(text[stop:])
            self.read += len(text) - stop
        return Failing(issues)

    def skip(self, pieces: list[str], size: int) -> None:
        """Take pieces that `showing` has reported, of this total size. Nothing was due in them."""
        self.read += size
        if self._loop is not None:
            self._loop.feed("".join(pieces))

    def report(self, received: int) -> Progress | None:
        """Return the progress report that is due when this many characters were received; None if none is due. Removes the
        changes that it reports.
        """
        changes: tuple[Preview, ...] = ()
        if self._members is not None and self._members.changes:
            changes = tuple(self._members.changes)
            self._members.changes.clear()
        every = self._watch.progress
        step = every is not None and received // every > self._reported // every
        if step:
            self._reported = received
        return Progress(received, changes) if step or changes else None


class Arguments:
    """Reads the arguments of one native call as they come: `feed` takes any text, and `string_tail` most of it, with one look.

    Rule: only the first `SHORT` characters of a long piece are read, and nothing after that piece. To read more takes long, and
    a call that comes in long pieces is whole at once.
    """

    __slots__ = ("_cursor", "_growth", "_half", "_over", "_path_field", "_received", "_tool", "string_tail")

    def __init__(
        self, tool: str | None, *, max_depth: int, watch: Watch | None = None, path_field: str | None = "path"
    ) -> None:
        self.string_tail: Final = StringTail()
        """Takes text inside an open string, as long as the text ends nothing."""
        self._tool: Final = tool
        self._path_field: str | None = folded(path_field) if path_field is not None else None
        self._cursor: Final = Cursor(max_depth, through=())
        self._growth: Final = Growth(watch) if watch is not None else None
        if self._growth is not None and tool is not None:
            self._growth.named(tool, "none")
        self._received = 0
        self._over = False
        self._half = ""  # the first half of a surrogate pair at the end of the last piece

    def feed(self, text: str) -> Iterator[Named | Failing | Progress]:
        """Read the next piece. Yields the path once its string is complete, a report if the call cannot pass, and
        the progress.
        """
        if self._over:
            return
        self._catch_up()
        text, self._half = joined(self._half + text if self._half else text), ""
        if ends_in_half(text):
            text, self._half = text[:-1], text[-1]
        self._over = len(text) > SHORT
        at, end, told, growth = 0, min(len(text), SHORT), 0, self._growth
        while at < end:
            at = self._cursor.feed(text, at, end)
            if self._cursor.signal is BROKEN:
                self._over = True
                break
            keys = self._cursor.path  # empty where the key cannot be read
            if self._cursor.signal is STRING and keys and folded(keys[-1]) == self._path_field:
                yield from self._grown(text[told:at])
                told = at
                if growth is not None and growth.aborted:
                    return
                path, self._path_field = self._cursor.text, None
                yield Named(self._tool, path)
        yield from self._grown(text[told:at])
        self._received += len(text)
        if growth is not None and not growth.aborted:
            report = growth.report(self._received)
            if report is not None:
                yield report
        self._set_inside()

    def _set_inside(self) -> None:
        """Let `string_tail` take text up to where something is due, if a string is open."""
        tail, growth = self.string_tail, self._growth
        if self._over or self._half or not self._cursor.in_string:
            return
        room = MANY  # now and then the pieces of a long string are handed over
        if growth is not None and growth.reading:
            if growth.showing is None:
                return
            tail.members = growth.showing if growth.shows else None
        if growth is not None and growth.due is not None:
            room = min(room, growth.due - self._received)
        tail.decides_at, tail.before, tail.escaped = room, self._received, self._cursor.escaped

    def _catch_up(self) -> None:
        """Read what `string_tail` has taken."""
        tail, growth = self.string_tail, self._growth
        size, shown, pieces = tail.size, tail.members is not None, tail.taken()
        if not pieces:
            return
        self._received += size
        self._cursor.skip(pieces, size, escaped=tail.escaped)
        if growth is not None and shown:
            growth.skip(pieces, size)
        elif growth is not None and growth.reading:
            growth.feed("".join(pieces))

    def _grown(self, text: str) -> Iterator[Failing]:
        """Read the members in a piece. Yields the report that the call cannot pass."""
        growth = self._growth
        if growth is None or not growth.reading or not text:
            return
        failing = growth.feed(text)
        if failing is not None:
            self._over = self._over or growth.aborted
            yield failing
