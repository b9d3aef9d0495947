"""`JsonBody`: one or several JSON values, which name their tools themselves.

    <tool_call>{"name": NAME, "arguments": {...}}</tool_call>      [{"name": ...}, {"name": ...}]      {...}; {...}

The body is returned as one text. The code that reads the bodies of fences decides what its objects mean.
"""

from __future__ import annotations

import re
from typing import Final

from ...values.call_keys import ARGUMENT_KEYS, NAME_KEYS, TOOL_KEYS
from ..behind import Behind, is_rubble
from ..body import Body
from ..call import Form, RawCall, Value
from ..json_part import CLOSING, JsonPart
from ..marks import marks, skip

SHOWN: Final = 256
"""The number of characters of broken JSON that are searched for signs of a call."""

_QUOTES: Final = "(?:\\\\|[\"'`\u2018-\u201f\u00ab\u00bb])*"
_COLON: Final = rf"{_QUOTES}\s*[:=\uff1a]\s*"
_SHOWS_CALL: Final = re.compile(
    rf"(?<![\w<])(?i:{'|'.join(sorted({*NAME_KEYS, *TOOL_KEYS}))}){_COLON}{_QUOTES}\w[\w.-]*{_QUOTES}\s*[,}}\]]"
    rf"|(?<![\w<])(?i:{'|'.join(sorted(ARGUMENT_KEYS))}){_COLON}(?:\\|[{{\"'`\u2018-\u201f\u00ab\u00bb])"
)
"""Matches a key that names a tool, with a word as its value, or a key that holds arguments, in any quotes."""

_KEY_OF_TOOL: Final = re.compile(rf"[\[{{\s]*{_QUOTES}\w[\w.-]*{_COLON}\{{")
"""Matches the beginning of JSON in which the name of the tool is a key, in any quotes: `{"write_file": {`."""


class JsonBody(Body):
    """Reads JSON up to a closer; without closers, up to its last bracket."""

    def __init__(
        self,
        *,
        openers: tuple[str, ...] = (),
        closers: tuple[str, ...] = (),
        separators: str = "",
        name_is_key: bool = False,
        needs_closer: bool = True,
        inner: str = "",
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            openers: Openers of the dialect. After broken JSON, an opener shows that the closer is before it; after whole
                JSON, that the JSON is over.
            closers: The closers of the body.
            separators: Characters that are allowed between values, if there are no closers.
            name_is_key: Whether the first key of an object is the name of the tool.
            needs_closer: Whether whole JSON without the closer is uncertain.
            inner: The name of the tag around each value; empty for none.
            path_field: The field whose value is the `path`.
        """
        super().__init__(self._before, path_field=path_field)
        tags = (f"<{inner}>", f"</{inner}>") if inner else ()
        self._inner: Final = marks(tags)
        self._within: int | None = (
            0 if inner else None
        )  # 1 in the tag around a value, 2 after the value; None without such tags
        self._closers: Final = marks(closers)
        self._needs_closer: Final = bool(closers) and needs_closer
        self._separators: Final = separators
        self._part: Final = JsonPart(
            marks((*openers, *closers, *tags)) if closers else self._closers,
            openers=(*openers, *tags[:1]),
            path_field=self._path_field,
            named=not name_is_key,
            name_is_key=name_is_key,
            lenient=not self._needs_closer,
        )
        self._form: Final[Form] = "keyed" if name_is_key else "json"
        self._begin = 0  # the place where the JSON begins
        self._rest: Final = Behind(openers, closers)
        self._separated = False  # whether a separator followed the last value
        self._head = ""  # the beginning of broken JSON without a closer

    @property
    def shows_call(self) -> bool:
        """Return whether the JSON is broken and its beginning shows a call, in any quotes."""
        return self._part.broken and self._is_like_call(self._part.text()[:SHOWN] if self._closers.markers else self._head)

    def _is_like_call(self, head: str) -> bool:
        return (_KEY_OF_TOOL.match(head) if self._form == "keyed" else _SHOWS_CALL.search(head)) is not None

    @property
    def spoiled(self) -> bool:
        """Return whether broken JSON is still open."""
        return self._state == self._in_json and self._part.broken

    def _free(self) -> re.Pattern[str] | None:
        return self._part.free if self._state == self._in_json else None

    def _before(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if self._within == 0:
            opener = self._inner.at(text, at)
            if opener is not None and opener == self._inner.markers[0]:
                self._within = 1
                return at + len(opener)
            if opener is None and not self._final and self._inner.begun(text, at):
                return at
        if text[at] not in "{[" or self._within == 0:
            self._break("structure", self._origin + at)
            return at
        self._begin = self._origin + at
        self._state = self._in_json
        return at

    def _in_json(self, text: str, at: int) -> int:
        part = self._part
        at = part.read(text, at)
        self.name, self.path = part.name, part.path
        if self.json is None and part.name is not None:
            self.json = (self._begin, "keyed" if self._form == "keyed" else "plain" if part.plainly else "dialect")
        if part.complete:
            if part.loose:
                self._raw_ends.update(dict.fromkeys((*self._closers.markers, "}")))
            self._separated = False
            self._within = 2 if self._within is not None else None
            self._state = self._behind
        elif part.ended is not None:
            self._raw_ends.update(dict.fromkeys(self._closers.markers))
            self._end_at(self._begin + part.ended[1], complete=part.certain and self._within is None)
        elif part.broken and not self._closers.markers:
            self._head = part.text()[:SHOWN]
            if part.name is not None or len(self._head) == SHOWN or self._is_like_call(self._head):
                self._break("json", self._begin + part.break_at)
            else:
                self._state = self._behind_break
        return at

    def _behind_break(self, text: str, at: int) -> int:
        """Read on after a fault in JSON without a closer, until its beginning shows whether it is a call."""
        stop = min(len(text), at + SHOWN - len(self._head))
        self._head += text[at:stop]
        if len(self._head) == SHOWN or self._is_like_call(self._head):
            self._break("json", self._begin + self._part.break_at)
        return stop

    def _behind(self, text: str, at: int) -> int:
        """Read on after a value, where the next value or the end of the body is due."""
        part, after = self._part, self._rest.skip(text, at)
        if after > at:
            part.keep(text[at:after])
            return after
        closer = self._closers.at(text, at) if not self._within else None
        if closer is not None:
            self._end_at(self._origin + at + len(closer), complete=True)
            return at + len(closer)
        if not self._final and self._closers.begun(text, at):
            return at
        if self._within is not None:
            return self._at_tag(text, at)
        if self._needs_closer:
            return self._behind_without_closer(text, at)
        if text[at] in self._separators and not self._separated:
            self._separated = True
            part.keep(text[at])
            return at + 1
        if self._separated and text[at] in "{[":
            self._state = self._in_json
        elif is_rubble(text[at], glued=part.size == part.whole):
            self._end_at(self._begin + part.whole, complete=False)
        else:
            self._state = self._in_rest
        return at

    def _in_rest(self, text: str, at: int) -> int:
        """Read the text after the last value, until it is decided whether that text is the rest of the value."""
        at = self._rest.read(text, at, final=self._final)
        if self._rest.decided:
            self._end_at(self._begin + self._part.whole, complete=not self._rest.torn)
        return at

    def _at_tag(self, text: str, at: int) -> int:
        """Read on at a tag around a value, or end the body if another text is there."""
        tag = self._inner.at(text, at)
        if tag is None and not self._final and self._inner.begun(text, at):
            return at
        if self._within == 1 and text[at] in "{[":
            self._state = self._in_json
        elif tag is not None and self._within != 1 and tag == self._inner.markers[1 if self._within else 0]:
            self._within = 0 if self._within else 1
            self._part.keep(" " * len(tag))  # the tag is no JSON, but has a place in it
            return at + len(tag)
        else:
            self._end_at(self._begin + self._part.whole, complete=False)
        return at

    def _behind_without_closer(self, text: str, at: int) -> int:
        """Read on after a value whose closer is missing."""
        if text[at] in "{[,;":
            self._state = self._in_json
        elif text[at] in CLOSING:
            self._part.give_up()
            self._state = self._in_json
        else:
            self._end_at(self._begin + self._part.whole, complete=False)
        return at

    def _cut_off(self) -> None:
        if self._state == self._behind:
            self._end_at(self._begin + self._part.whole, complete=not self._needs_closer)
        elif self._state == self._in_rest:
            self._end_at(self._begin + self._part.whole, complete=not self._rest.torn)
        elif self._state == self._in_json:
            self._part.finish()
            if self._part.ended is not None:
                self._end_at(self._begin + self._part.ended[1], complete=False)
        elif self._state == self._behind_break:
            self._break("json", self._begin + self._part.break_at)

    def _calls_read(self) -> list[RawCall]:
        if self._state == self._before:
            return []
        return [RawCall(None, Value(self._part.text().strip(), self._form), closed=self.complete)]
