"""`TagBody`: bodies with markers around raw text: calls with items, each a key and a value.

    <tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>
    outer      call open      item open           item close   call close  outer close

A grammar has the spellings of its markers (`Tags`), and reads the heads of calls and items. Instead of items, a call may hold
JSON.

Values are raw: nothing in them is escaped. So a marker counts only if a marker, or the end of the body, follows it after white
space. A marker that is followed by other text belongs to the value, and the body is uncertain from there on: the opposite may
have been meant. The body is also uncertain if a value or a key holds any other marker of its dialect, whole or damaged. Then
either the value quotes the dialect, and its seeming end may be the end of the quotation; or a marker is wrong, doubled or lost.
Whether a value held all its closers in a row shows only after the body (`raw_ends`).

A value with white space around it is in doubt if white space may stand around everything in the call, and so around values
that were meant without it. Signs of that: the text between all markers is no plain line end (but a blank, for example), a name
has blanks around it, or each of several values has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from ...values.call_keys import folded
from ..behind import Behind, is_rubble
from ..body import Body, State
from ..call import Doubt, Form, Keys, RawCall, Value, is_laid_out
from ..json_part import LOOKAHEAD, JsonPart
from ..marks import Marks, holds_any, marks, skip
from ..pieces import Pieces
from ..remains import holds_a_token, holds_remains

Trim = Literal["nothing", "line ends"]
"""The white space around a value that does not belong to it: none, or one line end on each side."""

MAX_HEAD: Final = 1024
"""The length of the longest head of a call or an item: a name and a few attributes."""

NAME: Final = re.compile(r"[\w.:/$-]++(?: [\w.:/$-]++)*+")
"""Matches a text that may be the name of a tool. Some names have blanks."""


@dataclass(frozen=True, slots=True)
class Tags:
    """The spellings of the markers of one grammar. Each marker may have several."""

    call_open: tuple[str, ...]
    call_close: tuple[str, ...] = ()
    item_open: tuple[str, ...] = ()
    item_close: tuple[str, ...] = ()
    outer_open: tuple[str, ...] = ()
    outer_close: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    """The markers inside the head of a call or an item, or directly before its value."""


@dataclass(slots=True)
class _Call:
    """A call that is being read."""

    name: str
    id: str | None = None
    items: list[tuple[str, Value]] | None = None
    json: JsonPart | None = None
    closed: bool = False

    def raw(self) -> RawCall:
        """Return the call as it was read."""
        if self.json is not None:
            return RawCall(self.name, Value(self.json.text(), "json"), self.id, self.closed)
        return RawCall(self.name, tuple(self.items or ()), self.id, self.closed)


class TagBody(Body):
    """Reads a body of calls between tags."""

    def __init__(
        self,
        tags: Tags,
        *,
        wrapped: bool = True,
        in_head: bool = False,
        trim: Trim = "nothing",
        keys: Keys | None = None,
        json: bool = False,
        needs_closer: bool = True,
        ends_rest: tuple[str, ...] = (),
        fence: bool = False,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            tags: The markers.
            wrapped: Whether the body has an outer closer, and several calls are allowed before it.
            in_head: Whether the body begins with the head of a call, because the opener of the call was the opener of the
                body.
            trim: The white space around a value that does not belong to it.
            keys: How keys are written in the tags before values; None if they are not.
            json: Whether a call may hold JSON instead of items.
            needs_closer: Whether a call of JSON without its closer is uncertain.
            ends_rest: Texts that show, after JSON without its closer, that the JSON is over: openers of other calls.
            fence: Whether JSON is inside a fence, whose closer is after it.
            path_field: The field whose value is the `path`.
        """
        super().__init__(self._call_head if in_head else self._before_call, path_field=path_field)
        self._needs_closer: Final = needs_closer
        self._ends_rest: Final = ends_rest
        self._fence: Final = fence
        self._wrapped: Final = wrapped
        self._trim: Trim = trim
        self._keys: Final = keys
        self._takes_json: Final = json
        self._calls: list[_Call] = []
        self._head: list[str] = []
        self._head_size = 0
        self._head_at = 0  # the place where the head begins
        self._key = ""
        self._form: Form = "untyped"
        self._value = Pieces()
        self._behind: list[str] = []  # a marker that may end the value, and the white space after it
        self._behind_at = 0  # the place where that marker ends
        self._ends_call = False  # whether that marker is the closer of a call, or of the body
        self._doubt: tuple[int, int] | None = None  # the end of the first such marker, and the size before it
        self._json_at = 0  # the place where the JSON begins
        self._json_end = 0  # the place where it ends
        self._rest = Behind((), ())  # reads the text after the JSON
        self._call_end = 0  # the place where the last call has ended
        self._gap = ""  # the white space before the next marker, cut at `_LONGEST_GAP`
        self._gaps: set[str] = set()  # all white space between markers, without indents
        self._loose = False  # whether a name or a key has blanks around it

        self._spell(tags)

    def _spell(self, tags: Tags) -> None:
        """Set the spellings of the markers."""
        self._tags = tags
        self._openers = (*tags.outer_open, *tags.call_open)
        self._closers = (*tags.item_close, *tags.call_close, *tags.outer_close)
        self._any = marks((*self._openers, *tags.item_open, *self._closers, *tags.inner))
        self._behind_item = marks((*tags.item_open, *tags.call_close, *tags.outer_close))
        self._behind_call = marks((*tags.outer_open, *tags.call_open, *tags.outer_close))

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the tags of items, if calls have items."""
        tags = self._tags
        inner = tuple(mark for mark in tags.inner if mark.endswith(">") and mark.startswith("<"))
        return (*tags.item_open, *tags.item_close, *inner) if tags.item_open else ()

    # Calls.

    def _before_call(self, text: str, at: int) -> int:
        at = self._over_gap(text, at)
        mark = self._mark(text, at)
        if mark is None:
            return at
        self._end_gap()
        if mark not in self._tags.call_open:
            self._break("structure", self._origin + at)
            return at
        return self._open_call(at + len(mark))

    def _open_call(self, at: int) -> int:
        self._begin_head(self._call_head, at)
        return at

    def _begin_head(self, state: State, at: int) -> None:
        """Begin to read a head in this state."""
        self._head, self._head_size, self._head_at = [], 0, self._origin + at
        self._state = state

    def _collect(self, piece: str) -> None:
        """Add a piece to the head."""
        self._head.append(piece)
        self._head_size += len(piece)
        if self._head_size > MAX_HEAD:
            self._break_head()

    def _to_bracket(self, text: str, at: int) -> tuple[str | None, int]:
        """Read on in a head that ends with `>`. Returns the head if it has ended, else None, and the place that was reached."""
        stop = text.find(">", at)
        end = stop if stop >= 0 else len(text)
        piece = text[at:end]
        self._collect(piece)
        if not _NOT_IN_HEADS.isdisjoint(piece):
            self._break_head()
        if stop < 0 or self.broken is not None:
            return None, end
        return "".join(self._head), stop + 1

    def _break_head(self) -> None:
        self._break("head", self._head_at)

    def _call_head(self, text: str, at: int) -> int:
        """Read the head of a call: its name, and any attributes beside the name."""
        raise NotImplementedError

    def _item_head(self, text: str, at: int) -> int:
        """Read the head of an item, up to the beginning of its value."""
        raise NotImplementedError

    def _named(self, name: str, id: str | None = None) -> None:
        """Begin a call with this name."""
        self._calls.append(_Call(name, id))
        if len(self._calls) == 1:
            self.name = name
        self._state = self._items

    def _items(self, text: str, at: int) -> int:
        """Read on between the items of a call."""
        at = self._over_gap(text, at)
        mark = self._mark(text, at)
        if mark is None:
            return at
        self._end_gap()
        call = self._calls[-1]
        if mark in self._tags.item_open:
            call.items = call.items or []
            self._begin_head(self._item_head, at + len(mark))
            return at + len(mark)
        if mark in self._tags.call_close:
            return self._close_call(at + len(mark))
        if mark in self._tags.outer_close or mark in self._openers:  # the closer of the call is missing
            self.uncertain = True
            return self._close_call(at)
        if self._takes_json and call.items is None and text[at] in "{[":
            ends = marks((*self._tags.outer_open, *self._tags.call_open, *self._tags.call_close, *self._tags.outer_close))
            call.json = JsonPart(
                ends, openers=self._openers, path_field=self._path_field, lenient=self._fence or not self._closer_is_due()
            )
            self._json_at = self._origin + at
            if len(self._calls) == 1:
                self.json = (self._json_at, "plain")
            self._state = self._in_json
            return at
        self._break("structure", self._origin + at)
        return at

    def _close_call(self, at: int, end: int | None = None) -> int:
        """End a call, and the body too if nothing more can belong to it. `end` is the place of the call's end, if it is before
        `at`.
        """
        call = self._calls[-1]
        call.closed = not self.uncertain
        self._call_end = self._origin + at if end is None else end
        self._state = self._after_call
        if call.json is not None and not self._wrapped and not self._tags.outer_close:
            self._end_at(self._call_end, complete=True)
        return at

    def _after_call(self, text: str, at: int) -> int:
        """Read on after a call, where the next call or the end of the body is due."""
        at = self._over_gap(text, at)
        mark = self._mark(text, at)
        if mark is None:
            return at
        if mark:
            self._end_gap()
        if mark in self._tags.outer_close:
            self.uncertain = self.uncertain or not self._wrapped  # it closes an outer tag that was not opened
            self._end_at(self._origin + at + len(mark), complete=True)
            return at + len(mark)
        if self._wrapped and mark in self._tags.call_open:
            return self._open_call(at + len(mark))
        self._end_at(self._call_end, complete=not self._wrapped and mark not in self._closers)
        return at

    # Values.

    def _open_value(self, key: str, form: Form = "untyped") -> None:
        """Begin the value of an item with this key."""
        self._raw_ends.update(dict.fromkeys(self._closers))
        self._key, self._form = key, form
        self._value = Pieces()
        self._state = self._in_value

    @property
    def spoiled(self) -> bool:
        """Return whether broken JSON is still open."""
        part = self._calls[-1].json if self._calls and self._state == self._in_json else None
        return part is not None and part.broken

    def _free(self) -> re.Pattern[str] | None:
        if self._state == self._in_value:
            return self._any.free if self._doubt is None else None
        part = self._calls[-1].json if self._state == self._in_json else None
        return part.free if part is not None else None

    def _in_value(self, text: str, at: int) -> int:
        found, mark = self._any.find(text, at, final=self._final)
        if self._doubt is not None and (mark in self._openers or self._origin + found - self._doubt[0] >= LOOKAHEAD):
            self._end_at_doubt(self._doubt)
            return at
        if found > at:
            self._value.add(text[at:found])
        if mark is None:
            return found
        if mark in self._tags.item_open and self._value.ends_line():  # the closer of the value is missing
            self.uncertain = True
            self._close_value()
            return found
        if mark not in self._closers:
            self.uncertain = True  # the value quotes its own dialect
            self._value.add(mark)
        else:
            self._behind = [mark]
            self._behind_at = self._origin + found + len(mark)
            self._ends_call = mark not in self._tags.item_close
            self._state = self._behind_value
        return found + len(mark)

    def _behind_value(self, text: str, at: int) -> int:
        """Read the white space after a closer, and decide whether the closer ends the value: it does if another
        marker follows.
        """
        after = skip(text, at)
        if after > at:
            self._behind.append(text[at:after])
            return after
        structure = self._is_structure(text, at)
        if structure is None:
            return at
        if structure:
            self._gap = "".join(self._behind[1:])[:_LONGEST_GAP]
            self._end_gap()
            self._close_value(known=not self._ends_call)
            if self._ends_call:  # the closer of the value is missing
                self.uncertain = True
                return self._close_call(at, self._behind_at)
            return at
        self.uncertain = True
        if self._ends_call and self._doubt is None:
            self._doubt = (self._behind_at, self._value.size)
        self._value.add("".join(self._behind))
        self._state = self._in_value
        return at

    def _is_structure(self, text: str, at: int) -> bool | None:
        """Return whether the marker that has to follow a closer of a value is here; None if more text is needed."""
        expected = self._behind_call if self._ends_call else self._behind_item
        if expected.at(text, at) is not None:
            return True
        return None if expected.begun(text, at) else False

    def _end_at_doubt(self, doubt: tuple[int, int]) -> None:
        """End the body at the first closer of a call inside a value, since no later text ends the value better."""
        place, size = doubt
        self._value = Pieces([self._value.text(size)])
        self._close_value(known=False)
        self._end_at(place, complete=False)

    def _close_value(self, *, as_written: bool = False, known: bool = True) -> None:
        """End the value. `known` says that the value was ended by its own closer."""
        text = self._value.text()
        held = self._own(as_written=as_written).within(text) or (not as_written and self._is_spoiled(text))
        held = held or (not as_written and holds_a_token(text))
        self.uncertain = self.uncertain or held
        doubt: Doubt | None = "marker" if held else "blanks" if not as_written and is_laid_out(text) else None
        value = Value(text if as_written else self._trimmed(text), self._form, doubt)
        self._add(self._key, value, known=known and doubt is None)
        self._value = Pieces()
        self._doubt = None
        self._state = self._items

    def _is_spoiled(self, text: str) -> bool:
        """Return whether a value begins with the end of its opener, or ends with the beginning of its closer."""
        if self._any.cut_at_end(text):
            return True
        told = text.lstrip(_BLANKS)
        if told[:1] == ">" and (self._trim == "nothing" or told != text) and told[1:2] in _QUOTE_OF_MARKDOWN:
            return False
        if _REST_OF_HEAD.match(told) is not None or (self._trim == "line ends" and _ODD_BEGINNING.match(text) is not None):
            return True
        head, whole = told[:MAX_HEAD], _whole_openers(self._tags, self._key)
        if ">" in head and any(head.startswith(mark[at:]) for mark in whole for at in range(1, len(mark))):
            return True
        if holds_any(text, "<>") and self._any.retried(text, whole):
            return True
        return holds_remains(text, self._any.markers, self._key, whole, self._tags.item_close)

    def _own(self, *, as_written: bool) -> Marks:
        """Return the markers that no value may contain; none for a value in quotes (`as_written`)."""
        return marks(()) if as_written else self._any

    def _add(self, key: str, value: Value, *, known: bool = True) -> None:
        """Add an item, its key and its value, to the call that is open."""
        self.uncertain = self.uncertain or self._any.within(key)
        call = self._calls[-1]
        call.items = call.items or []
        call.items.append((key, value))
        if known and len(self._calls) == 1 and self.path is None and folded(key) == self._path_field:
            self.path = value.text

    def _trimmed(self, text: str) -> str:
        """Return the text of a value, without the white space that does not belong to it."""
        if self._trim == "line ends":
            end = 2 if text.endswith("\r\n") else 1 if text.endswith("\n") else 0
            return LINE_END_BEFORE.sub("", text[: len(text) - end], 1)
        return text

    # JSON instead of items.

    def _in_json(self, text: str, at: int) -> int:
        call = self._calls[-1]
        assert call.json is not None
        at = call.json.read(text, at)
        if len(self._calls) == 1:
            self.path = call.json.path
        if call.json.complete:
            self._json_end = self._json_at + call.json.whole
            self._rest = Behind(self._ends_rest, self._closers)
            if call.json.loose:
                self._raw_ends.update(dict.fromkeys((*self._closers, "}")))
            self._state = self._behind_json
        elif call.json.ended is not None:
            self._raw_ends.update(dict.fromkeys(self._closers))
            if call.json.certain and call.json.marker in self._tags.call_close:
                return self._close_call(at - (call.json.size - call.json.ended[1]))
            self._end_at(self._json_at + call.json.ended[1], complete=False)
        elif call.json.broken and not self._closers:
            self._break("json", self._json_at + call.json.break_at)
        return at

    def _behind_json(self, text: str, at: int) -> int:
        """Read on after the complete JSON of a call, where only the closer of the call is due."""
        at = self._rest.skip(text, at)
        mark = self._mark(text, at)
        if mark is None:
            return at
        if mark in self._tags.call_close:
            return self._close_call(at + len(mark))
        rubble = not mark and is_rubble(text[at], glued=self._origin + at == self._json_end)
        due = self._closer_is_due()
        if mark or rubble or due:
            self.uncertain = self.uncertain or due or rubble
            return self._close_call(at, self._json_end)
        self._state = self._in_rest
        return at

    def _in_rest(self, text: str, at: int) -> int:
        """Read the text after JSON that needs no closer, until it is decided whether that text is the rest of the JSON."""
        at = self._rest.read(text, at, final=self._final)
        if self._rest.decided:
            self.uncertain = self.uncertain or self._rest.torn
            self._close_call(at, self._json_end)
        return at

    def _closer_is_due(self) -> bool:
        """Return whether JSON without the closer of its call is uncertain."""
        return self._needs_closer and bool(self._tags.call_close)

    # The end of the text.

    def _cut_off(self) -> None:
        if self._state == self._after_call:
            self._end_at(self._call_end, complete=not self._wrapped)
        elif self._state == self._behind_value and self._ends_call:
            self._close_value(known=False)
            self._end_at(self._behind_at, complete=False)
        elif self._state == self._in_value and self._doubt is not None:
            self._end_at_doubt(self._doubt)
        elif self._state in (self._in_value, self._behind_value):
            self._close_value(known=self._state == self._behind_value)
        elif self._state == self._behind_json and not self._closer_is_due():
            self._calls[-1].closed = True
            self._end_at(self._json_end, complete=not self._wrapped)
        elif self._state == self._in_rest:
            self._calls[-1].closed = not self._rest.torn
            self._end_at(self._json_end, complete=not self._wrapped and not self._rest.torn)
        elif self._state == self._in_json:
            part = self._calls[-1].json
            assert part is not None
            part.finish()
            if part.ended is not None:
                self._end_at(self._json_at + part.ended[1], complete=False)

    # White space between markers.

    def _over_gap(self, text: str, at: int) -> int:
        """Return the place after the white space between two markers. The white space is kept, since it may show a layout."""
        after = skip(text, at)
        self._gap = (self._gap + text[at:after])[:_LONGEST_GAP]
        return after

    def _end_gap(self) -> None:
        """Keep the white space before a marker among `_gaps`, without the indent of the marker."""
        gap, self._gap = self._gap, ""
        if gap:
            self._gaps.add(gap.rstrip(" \t") if "\n" in gap or "\r" in gap else gap)

    def _bare(self, head: str) -> str:
        """Return a head without the blanks around it. Such blanks are noted: the call may have them around its values too."""
        told = head.strip()
        self._loose = self._loose or told != head
        return told

    def _in_doubt(self, value: Value, *, odd: bool) -> Value:
        """Return a value, marked as doubtful if it has blanks around it and the call is `odd`, with blanks around
        everything.
        """
        if value.doubt is not None or value.form not in ("untyped", "text") or not odd:
            return value
        around = value.text != value.text.strip(_BLANKS)
        return replace(value, doubt="blanks") if around else value

    def _are_odd(self, call: _Call) -> bool:
        """Return whether the call has blanks around everything in it, so that the blanks around its values show nothing."""
        if self._loose or (bool(self._gaps) and self._gaps.isdisjoint(_LINE_ENDS)):
            return True
        one = [value.text for _, value in call.items or () if value.text]
        all_ = [value.text for each in self._calls for _, value in each.items or () if value.text]
        return _all_laid_out(one) or _all_laid_out(all_)

    # Small parts.

    def _mark(self, text: str, at: int) -> str | None:
        """Return the marker at a place, "" if there is none, None if more text is needed to decide."""
        if at == len(text):
            return None
        mark = self._any.at(text, at)
        if mark is not None:
            return mark
        return None if self._any.begun(text, at) else ""

    def _calls_read(self) -> list[RawCall]:
        for call in self._calls:
            odd = bool(call.items) and self._are_odd(call)
            call.items = call.items and [(key, self._in_doubt(value, odd=odd)) for key, value in call.items]
        return [call.raw()._replace(keys=self._keys) for call in self._calls]


@lru_cache(maxsize=64)
def _whole_openers(tags: Tags, key: str) -> tuple[str, ...]:
    """Return every text that may open the value of a key, up to its last bracket."""
    openers = (mark for mark in (*tags.item_open, *tags.inner) if not mark.startswith("</"))
    keys = [f"{quote}{key}{quote}{more}>" for quote in ("", '"', "'") for more in _TYPES]
    return tuple(dict.fromkeys(mark + rest for mark in openers for rest in (("",) if mark[-1:] == ">" else keys)))


def _all_laid_out(texts: Sequence[str]) -> bool:
    """Return whether each of several values has blanks around it: on both sides, or on one if the value is no string."""
    if len(texts) < 2:
        return False
    before, behind = (all(text[end] in _BLANKS for text in texts) for end in (0, -1))
    return (before and behind) or ((before or behind) and any(_LITERAL.fullmatch(text) for text in texts))


_BLANKS: Final = " \t\r\n"
_LITERAL: Final = re.compile(r"\s*+(?:true|false|null|True|False|None|-?[0-9]++(?:\.[0-9]++)?|\[.*\]|\{.*\})\s*+", re.DOTALL)
"""Matches a value that is not, or need not be, a string."""

_LINE_ENDS: Final = frozenset({"\n", "\r\n"})
_LONGEST_GAP: Final = 64
"""The number of characters of the white space before a marker that are kept."""

_QUOTE_OF_MARKDOWN: Final = (" ", "\t")
"""The characters that may follow the quote mark of Markdown."""

_TYPES: Final = ("", ' string="true"', ' string="false"')
"""The attributes that may follow a key in its tag."""

_REST_OF_HEAD: Final = re.compile(r"""(?:t?r?u?e|f?a?l?s?e)["']>|(?:n?a?m?e|s?t?r?i?n?g)?=["'][^"'<>\r\n]{0,64}["']\s*>""")
"""Matches the rest of the attributes of a tag that was closed too early, or twice: `true">`."""

_ODD_BEGINNING: Final = re.compile(r"""[<>="'/|&]\r?\n""")
"""Matches a sign at the beginning of a value, between the opener and its line end."""

_NOT_IN_HEADS: Final = frozenset("<\r\n")
LINE_END_BEFORE: Final = re.compile(r"\A(?:\r\n|\n)")
