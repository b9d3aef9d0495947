"""`NamedTags`: the tag of a call is the name of the tool, and the tags of its values are their keys.

    <write_file>
    <path>src/a.py</path>
    <content>
    ...
    </content>
    </write_file>

The opener is only recognised by the name of the tool, so it was read before. One line end on each side of a value belongs to
the tags. The agents that read this form also strip all other blanks, except for the values of a few keys (`AS_LINES`). So if a
value has other blanks around it, it is uncertain whether they are meant. A closer of a value counts if another tag follows it,
or the closer of the call.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from typing import Final

from ..call import Form, Value
from ..marks import skip
from ..write import AS_LINES
from .tags import MAX_HEAD, TagBody, Tags


class NamedTags(TagBody):
    """Reads `<KEY>VALUE</KEY></NAME>`, after `<NAME>`."""

    def __init__(self, name: str, *, as_lines: Container[str] = AS_LINES, path_field: str | None = "path") -> None:
        """Read a body.

        Args:
            name: The tag of the call, which was its opener.
            as_lines: The keys whose values are lines: one line end on each side belongs to the tags, and no other blanks.
            path_field: The field whose value is the `path`.
        """
        super().__init__(_tags(name), wrapped=False, in_head=True, trim="line ends", keys="tags", path_field=path_field)
        self._tool: Final = name
        self._as_lines: Final = as_lines
        self._named(name)

    def _items(self, text: str, at: int) -> int:
        """Read on between the values of a call: to the next tag, or to the closer of the call."""
        at = skip(text, at)
        if at == len(text):
            return at
        end = self._tags.call_close[0]
        if text.startswith(end, at):
            return self._close_call(at + len(end))
        tag = _TAG.match(text, at)
        if tag is not None:
            call = self._calls[-1]
            call.items = call.items or []
            self._open_value(tag[1])
            return tag.end()
        if not self._may_be_tag(text, at):
            self._break("structure", self._origin + at)
        return at

    def _after_call(self, text: str, at: int) -> int:
        """Read on after the call. A tag there may be a value of the call that was left outside."""
        at = self._over_gap(text, at)
        half = _HALF_BEHIND.match(text, at) is not None
        if at == len(text) or (half and not self._final):
            return at
        tag = _BEHIND.match(text, at)
        self.behind = tag[1] if tag is not None else None
        self.uncertain = self.uncertain or half
        return super()._after_call(text, at)

    def _open_value(self, key: str, form: Form = "untyped") -> None:
        self._spell(_tags(self._tool, key))
        super()._open_value(key, form)

    def _add(self, key: str, value: Value, *, known: bool = True) -> None:
        text = value.text
        if value.doubt is None and key not in self._as_lines and text != text.strip(" \t\r\n"):
            value, known = replace(value, doubt="blanks"), False
        super()._add(key, value, known=known)

    def _is_structure(self, text: str, at: int) -> bool | None:
        if self._ends_call:
            return super()._is_structure(text, at)
        if text.startswith(self._tags.call_close[0], at) or _TAG.match(text, at) is not None:
            return True
        return None if self._may_be_tag(text, at) else False

    def _may_be_tag(self, text: str, at: int) -> bool:
        """Return whether the text ends inside a text that may be a tag."""
        return _HALF_TAG.match(text, at) is not None or self._tags.call_close[0].startswith(text[at : at + MAX_HEAD])


def _tags(name: str, key: str | None = None) -> Tags:
    """Return the markers of a call, with those that count while the value of `key` is read."""
    return Tags(
        call_open=(f"<{name}>",),
        call_close=(f"</{name}>",),
        item_open=(f"<{key}>",) if key is not None else (),
        item_close=(f"</{key}>",) if key is not None else (),
    )


_TAG: Final = re.compile(r"<([A-Za-z_][\w.-]{0,63}+)>")
_HALF_TAG: Final = re.compile(r"<(?:[A-Za-z_][\w.-]{0,63}+)?+\Z")
_BEHIND: Final = re.compile(r"</?([A-Za-z_][\w.-]{0,63}+)>")
_HALF_BEHIND: Final = re.compile(r"</?(?:[A-Za-z_][\w.-]{0,63}+)?+\Z")
