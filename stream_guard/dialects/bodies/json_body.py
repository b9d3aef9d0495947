"""`JsonBody`: one or several JSON values, which name their tools themselves.

    <tool_call>{"name": NAME, "arguments": {...}}</tool_call>      [{"name": ...}, {"name": ...}]      {...}; {...}

The body is handed over as one text: what its objects mean is decided where the bodies of fences are read.
"""

from __future__ import annotations

import re
from typing import Final

from ..body import Body
from ..call import Form, RawCall, Value
from ..json_part import CLOSING, RUBBLE, JsonPart
from ..marks import marks, skip


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
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            openers: Openers of the dialect. One that follows broken JSON shows that its closer stands before it.
            closers: What ends the body.
            separators: Characters that may stand between values; used where there are no closers.
            name_is_key: Whether the first key of an object is the name of the tool.
            needs_closer: Whether whole JSON without the closer is uncertain.
            path_field: The field whose value is the `path`.
        """
        super().__init__(self._before, path_field=path_field)
        self._closers: Final = marks(closers)
        self._needs_closer: Final = bool(closers) and needs_closer
        self._separators: Final = separators
        self._part: Final = JsonPart(
            marks((*openers, *closers)) if closers else self._closers,
            openers=openers,
            path_field=self._path_field,
            named=not name_is_key,
            name_is_key=name_is_key,
            lenient=not self._needs_closer,
        )
        self._form: Final[Form] = "keyed" if name_is_key else "json"
        self._begin = 0  # where the JSON begins
        self._separated = False  # whether a separator stands behind the value

    @property
    def spoiled(self) -> bool:
        """Return whether JSON is open that is broken."""
        return self._state == self._in_json and self._part.broken

    def _free(self) -> re.Pattern[str] | None:
        return self._part.free if self._state == self._in_json else None

    def _before(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if text[at] not in "{[":
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
            self._state = self._behind
        elif part.ended is not None:
            self._raw_ends.update(dict.fromkeys(self._closers.markers))
            self._end_at(self._begin + part.ended[1], complete=part.certain)
        elif part.broken and not self._closers.markers:
            self._raw_ends["}"] = None
            self._break("json", self._begin + part.break_at)
        return at

    def _behind(self, text: str, at: int) -> int:
        """Read on behind a value, where the next value or the end must stand."""
        part, after = self._part, skip(text, at)
        if after > at:
            part.keep(text[at:after])
            return after
        closer = self._closers.at(text, at)
        if closer is not None:
            self._end_at(self._origin + at + len(closer), complete=True)
            return at + len(closer)
        if not self._final and self._closers.begun(text, at):
            return at
        if self._needs_closer:
            return self._behind_without_closer(text, at)
        if text[at] in self._separators and not self._separated:
            self._separated = True
            part.keep(text[at])
            return at + 1
        if self._separated and text[at] in "{[":
            self._state = self._in_json
        else:
            self._end_at(self._begin + part.whole, complete=text[at] not in RUBBLE)
        return at

    def _behind_without_closer(self, text: str, at: int) -> int:
        """Read on behind a value where the closer is due, and does not stand."""
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
        elif self._state == self._in_json:
            self._part.finish()
            if self._part.ended is not None:
                self._end_at(self._begin + self._part.ended[1], complete=False)

    def _calls_read(self) -> list[RawCall]:
        if self._state == self._before:
            return []
        return [RawCall(None, Value(self._part.text().strip(), self._form), closed=self.complete)]
