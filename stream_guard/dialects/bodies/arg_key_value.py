"""`ArgKeyValue`: keys and values are elements of their own, after the name of the call.

    <tool_call>NAME
    <arg_key>KEY</arg_key>
    <arg_value>VALUE</arg_value>
    </tool_call>

A value is all the text between its tags. Some dialects write a tag after the name, the type between key and value, or several
calls in an outer tag; and some models one suffix after the name of each tag (`<tool_call:opensource>`).
"""

from __future__ import annotations

import re
from functools import lru_cache
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
        suffixed: bool = False,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            prefix: A text before the name of every tag.
            call: The tag of a call.
            outer: The tag around the calls; None if the tag of the call is the opener, before the body.
            name_close: Tags that may come after the name.
            wrapped: Whether the outer tag is the opener of the body; if not, the body begins with the tag of the call.
            suffixed: Whether the body begins with the suffix that each tag, the opener too, has after its name.
            path_field: The field whose value is the `path`.
        """
        super().__init__(
            _tags(prefix, call, outer, name_close, ""),
            wrapped=wrapped and outer is not None,
            in_head=outer is None,
            path_field=path_field,
        )
        self._spelled: Final = (prefix, call, outer, name_close)
        self._spell_inner()
        if suffixed:
            self._begin_head(self._in_suffix, 0)

    def _spell_inner(self, suffix: str = "") -> None:
        """Set the spellings of the tags after a name and a key."""
        prefix, _, _, name_close = self._spelled
        self._name_close = tuple(_with(suffix, *name_close))
        self._behind_name = marks((*self._tags.item_open, *self._tags.call_close, *self._name_close))
        self._key_close = marks(_with(suffix, f"</{prefix}arg_key>"))
        self._type = f"<{prefix}arg_type{suffix}>"
        self._type_close = marks(_with(suffix, f"</{prefix}arg_type>"))
        self._behind_key = marks((*_with(suffix, f"<{prefix}arg_value>"), self._type))

    def _in_suffix(self, text: str, at: int) -> int:
        head, at = self._to_bracket(text, at)
        if head is None:
            return at
        if _SUFFIX.fullmatch(head) is None:
            self._break_head()
            return at
        self._spell(_tags(*self._spelled, f":{head}"))
        self._spell_inner(f":{head}")
        self._state = self._before_call
        return at

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
        self._key = self._bare("".join(self._head))
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


def _with(suffix: str, *tags: str) -> tuple[str, ...]:
    """Return tags with a suffix after their names."""
    return tuple(f"{tag[:-1]}{suffix}>" for tag in tags)


@lru_cache(maxsize=64)
def _tags(prefix: str, call: str, outer: str | None, name_close: tuple[str, ...], suffix: str) -> Tags:
    """Return the spellings of the markers. The spellings without the suffix are markers too, and may quote the dialect."""
    inner = [f"{start}{prefix}{tag}>" for start in ("<", "</") for tag in ("arg_key", "arg_type", "arg_value")]
    around = [f"{start}{prefix}{tag}>" for start in ("<", "</") for tag in (call, outer) if tag] if suffix else []
    return Tags(
        call_open=_with(suffix, f"<{prefix}{call}>"),
        call_close=_with(suffix, f"</{prefix}{call}>"),
        item_open=_with(suffix, f"<{prefix}arg_key>"),
        item_close=_with(suffix, f"</{prefix}arg_value>"),
        outer_open=_with(suffix, f"<{prefix}{outer}>") if outer else (),
        outer_close=_with(suffix, f"</{prefix}{outer}>") if outer else (),
        inner=(*_with(suffix, *inner, *name_close), *(inner + around + list(name_close) if suffix else ())),
    )


_SUFFIX: Final = re.compile(r"[\w.-]{1,32}")
_NAME_RUN: Final = re.compile(r"[\w.:/$-]*+")
