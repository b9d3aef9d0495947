"""`InvokeParameter`: names stand in attributes of tags, which may have a prefix.

    <function_calls>
    <invoke name="NAME">
    <parameter name="KEY" string="true">VALUE</parameter>
    </invoke>
    </function_calls>

`string="true"` says that a value is text, `string="false"` that it is JSON. A value in `<![CDATA[...]]>` is text too, where the
dialect has that. Instead of parameters, a call may hold JSON. Any other word in the tag of a call or a parameter may be a
value, or change the call (`dry_run="true"`): then the end of the call is uncertain.
"""

from __future__ import annotations

import re
from typing import Final

from ..call import Form
from ..marks import Marks, marks, skip
from .tags import NAME, TagBody, Tags, Trim


class InvokeParameter(TagBody):
    """Reads `<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>` up to the outer closer."""

    def __init__(
        self,
        *,
        prefixes: tuple[str, ...] = ("",),
        call: str = "invoke",
        item: str = "parameter",
        outer: tuple[str, ...] = ("function_calls",),
        before_name: tuple[str, ...] = (" name=",),
        cdata: bool = False,
        trim: Trim = "nothing",
        wrapped: bool = True,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            prefixes: All spellings of the text before the name of a tag.
            call: The tag of a call.
            item: The tag of a parameter.
            outer: The names of the tag around the calls.
            before_name: The text between the name of a tag and the quotes with the name of the tool or key.
            cdata: Whether a value may be a CDATA section.
            trim: The white space around a value that does not belong to it.
            wrapped: Whether the outer tag is the opener of the body; if not, the body begins with the tag of the call.
            path_field: The field whose value is the `path`.
        """
        tags = Tags(
            call_open=tuple(f"<{prefix}{call}{before}" for prefix in prefixes for before in before_name),
            call_close=tuple(f"</{prefix}{call}>" for prefix in prefixes),
            item_open=tuple(f"<{prefix}{item}{before}" for prefix in prefixes for before in before_name),
            item_close=tuple(f"</{prefix}{item}>" for prefix in prefixes),
            outer_open=tuple(f"<{prefix}{name}>" for prefix in prefixes for name in outer),
            outer_close=tuple(f"</{prefix}{name}>" for prefix in prefixes for name in outer),
            inner=(*_CDATA.markers, *_CDATA_END.markers) if cdata else (),
        )
        super().__init__(tags, wrapped=wrapped, trim=trim, keys="quoted", json=True, path_field=path_field)
        self._cdata: Final = cdata

    def _call_head(self, text: str, at: int) -> int:
        head, at = self._attributes(text, at)
        if head is None:
            return at
        name, rest = head[2], head[3]
        if NAME.fullmatch(name) is None:
            self._break_head()
            return at
        self._named(name)
        self.uncertain = self.uncertain or _END.fullmatch(rest) is None
        return self._close_call(at) if rest.endswith("/") else at

    def _item_head(self, text: str, at: int) -> int:
        head, at = self._attributes(text, at)
        if head is None:
            return at
        key, rest = head[2], head[3]
        declared = _STRING.fullmatch(rest)
        form: Form = "untyped" if declared is None else "text" if declared[2] == "true" else "json"
        self.uncertain = self.uncertain or (declared is None and _END.fullmatch(rest) is None)
        if not key:
            self._break_head()
        elif rest.endswith("/"):
            self._open_value(key, form)
            self._close_value()
        else:
            self._open_value(key, form)
            if self._cdata:
                self._state = self._before_cdata
        return at

    def _attributes(self, text: str, at: int) -> tuple[re.Match[str] | None, int]:
        """Read up to the bracket of a tag. Returns the attributes if they have ended, else None, and the place that was
        reached.
        """
        head, at = self._to_bracket(text, at)
        if head is None:
            return None, at
        found = _ATTRIBUTES.fullmatch(head)
        if found is None or found[3].count('"') % 2 or found[3].rstrip().endswith("="):
            self._break_head()
        return found, at

    # CDATA sections.

    def _before_cdata(self, text: str, at: int) -> int:
        mark = _CDATA.at(text, at)
        if mark is None and not self._final and _CDATA.begun(text, at):
            return at
        if mark is None:
            self._state = self._in_value
            return at
        self._state = self._in_cdata
        return at + len(mark)

    def _in_cdata(self, text: str, at: int) -> int:
        found, mark = _CDATA_END.find(text, at, final=self._final)
        self._value.add(text[at:found])
        if mark is None:
            return found
        self._behind = [mark]
        self._state = self._behind_cdata
        return found + len(mark)

    def _behind_cdata(self, text: str, at: int) -> int:
        after = skip(text, at)
        if after > at:
            self._behind.append(text[at:after])
            return after
        mark = self._mark(text, at)
        if mark is None:
            return at
        if mark in self._tags.item_close:
            self._form = "text"
            self._close_value(as_written=True)
            return at + len(mark)
        self.uncertain = True  # the section ends inside the value, or at another place than it seems
        self._value.add("".join(self._behind))
        self._state = self._in_value
        return at

    def _own(self, *, as_written: bool) -> Marks:
        return _CDATA if as_written else super()._own(as_written=as_written)

    def _cut_off(self) -> None:
        if self._state in (self._in_cdata, self._behind_cdata):
            self._form = "text"
            self._close_value(as_written=True, known=False)
        else:
            super()._cut_off()


_ATTRIBUTES: Final = re.compile(r"""\s*+(["'])([^"'\r\n]*+)\1(\s*+[^\r\n]*+)""")
_STRING: Final = re.compile(r"""\s*+string\s*+=\s*+(["'])(true|false)\1\s*+/?""")
_END: Final = re.compile(r"\s*+/?")
_CDATA: Final = marks(("<![CDATA[",))
_CDATA_END: Final = marks(("]]>",))
