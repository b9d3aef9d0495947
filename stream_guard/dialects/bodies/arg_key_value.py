"""`ArgKeyValue`: keys and values are elements of their own, behind the name of the call.

    <tool_call>NAME
    <arg_key>KEY</arg_key>
    <arg_value>VALUE</arg_value>
    </tool_call>

A value is all that stands between its tags. Some dialects write a tag behind the name, the type between key and value, or
several calls in an outer tag.
"""

from __future__ import annotations

import re
from typing import Final

from ..marks import marks, skip
from .tags import NAME, TagBody, Tags


class ArgKeyValue(TagBody):
    """Reads `NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`, from the name on or in an outer tag."""

    def __init__(
        self,
        *,
        prefix: str = "",
        call: str = "tool_call",
        outer: str | None = None,
        name_close: tuple[str, ...] = (),
        wrapped: bool = True,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            prefix: What stands before the name of every tag.
            call: The tag of a call.
            outer: The tag around the calls; None where the tag of the call is the opener of the body, and stands before it.
            name_close: Tags that may stand behind the name.
            wrapped: Whether the outer tag is the opener of the body; if not, the body begins with the tag of the call.
            path_field: The field whose value is the `path`.
        """
        tags = Tags(
            call_open=(f"<{prefix}{call}>",),
            call_close=(f"</{prefix}{call}>",),
            item_open=(f"<{prefix}arg_key>",),
            item_close=(f"</{prefix}arg_value>",),
            outer_open=(f"<{prefix}{outer}>",) if outer else (),
            outer_close=(f"</{prefix}{outer}>",) if outer else (),
            inner=(
                *(f"{start}{prefix}{tag}>" for start in ("<", "</") for tag in ("arg_key", "arg_type", "arg_value")),
                *name_close,
            ),
        )
        super().__init__(tags, wrapped=wrapped and outer is not None, in_head=outer is None, path_field=path_field)
        self._name_close: Final = name_close
        self._behind_name: Final = marks((*tags.item_open, *tags.call_close, *name_close))
        self._key_close: Final = marks((f"</{prefix}arg_key>",))
        self._type: Final = f"<{prefix}arg_type>"
        self._type_close: Final = marks((f"</{prefix}arg_type>",))
        self._behind_key: Final = marks((f"<{prefix}arg_value>", self._type))

    def _call_head(self, text: str, at: int) -> int:
        if not self._head:
            at = skip(text, at)
        found = _NAME_RUN.match(text, at)
        stop = found.end() if found is not None else at
        if stop > at:
            self._collect(text[at:stop])
        if stop < len(text):
            self._state = self._name_end
        return stop

    def _name_end(self, text: str, at: int) -> int:
        at = skip(text, at)
        mark = self._behind_name.at(text, at)
        name = "".join(self._head)
        if at == len(text) or (mark is None and self._behind_name.begun(text, at)):
            return at
        if mark is None or NAME.fullmatch(name) is None:
            self._break_head()
            return at
        self._named(name)
        return at + len(mark) if mark in self._name_close else at

    def _item_head(self, text: str, at: int) -> int:
        found, mark = self._key_close.find(text, at)
        self._collect(text[at:found])
        if mark is None:
            return found
        self._key = "".join(self._head).strip()
        if not self._key:
            self._break_head()
        self._form = "untyped"
        self._state = self._before_value
        return found + len(mark)

    def _before_value(self, text: str, at: int) -> int:
        at = skip(text, at)
        mark = self._behind_key.at(text, at)
        if at == len(text) or (mark is None and self._behind_key.begun(text, at)):
            return at
        if mark is None:
            self._break("structure", self._origin + at)
            return at
        if mark == self._type:
            self._begin_head(self._in_type, at + len(mark))
        else:
            self._open_value(self._key, self._form)
        return at + len(mark)

    def _in_type(self, text: str, at: int) -> int:
        found, mark = self._type_close.find(text, at)
        self._collect(text[at:found])
        if mark is None:
            return found
        self._form = "text" if "".join(self._head).strip() == "string" else "json"
        self._state = self._before_value
        return found + len(mark)


_NAME_RUN: Final = re.compile(r"[\w.:/$-]*+")
