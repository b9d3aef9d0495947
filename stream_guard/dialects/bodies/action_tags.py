"""`ActionTags`: a call is one tag, whose attributes are its arguments and whose text is its content.

    <boltArtifact id="a" title="b">
    <boltAction type="file" filePath="src/a.py">
    ...
    </boltAction>
    </boltArtifact>

The attribute `type` names the tool: `file` writes one. One line end on each side of the content belongs to the tags. That
after the last line of a file is its own, and is added where it is missing, as the programs that read this form do.
"""

from __future__ import annotations

import re
from typing import Final

from ..call import Value
from ..marks import marks, skip
from .tags import LINE_END_BEFORE, NAME, TagBody, Tags


class ActionTags(TagBody):
    """Reads `<boltAction type="NAME" KEY="VALUE">CONTENT</boltAction>` up to the outer closer."""

    def __init__(
        self,
        *,
        outer: str = "boltArtifact",
        call: str = "boltAction",
        named_by: str = "type",
        content: str = "content",
        file: str = "file",
        path_field: str | None = "filePath",
    ) -> None:
        """Read a body whose outer tag has not ended: its attributes come first.

        Args:
            outer: The tag around the calls.
            call: The tag of a call.
            named_by: The attribute that names the tool.
            content: The key of the text in a tag.
            file: The name of the tool whose content is a file.
            path_field: The field whose value is the `path`.
        """
        tags = Tags(
            call_open=(f"<{call} ",), item_close=(f"</{call}>",), outer_open=(f"<{outer} ",), outer_close=(f"</{outer}>",)
        )  # fmt: skip
        super().__init__(tags, trim="line ends", path_field=path_field)
        self._behind_item = marks((*tags.call_open, *tags.outer_close))
        self._named_by: Final = named_by
        self._content: Final = content
        self._file: Final = file
        self._state = self._outer_head

    def _outer_head(self, text: str, at: int) -> int:
        head, at = self._to_bracket(text, at)
        if head is not None and _OPEN_ATTRIBUTE.fullmatch(head) is not None:
            self._collect(">")  # the bracket is inside a title
        elif head is not None:
            if _ATTRIBUTES.fullmatch(head) is not None:
                self.uncertain = not _OUTER.issuperset(key for key, *_ in _ATTRIBUTE.findall(head))
                self._state = self._before_call
            else:
                self._break_head()
        return at

    def _call_head(self, text: str, at: int) -> int:
        head, at = self._to_bracket(text, at)
        if head is None:
            return at
        items = [(key, double or single) for key, double, single in _ATTRIBUTE.findall(head)]
        names = [value for key, value in items if key == self._named_by]
        if _ATTRIBUTES.fullmatch(head) is None or len(names) != 1 or NAME.fullmatch(names[0]) is None:
            self._break_head()
            return at
        self._named(names[0])
        for key, value in items:
            if key != self._named_by:
                self._add(key, Value(value, "text"))
        self._open_value(self._content)
        return at

    def _trimmed(self, text: str) -> str:
        """Return the content of a tag without the line ends that belong to the tag. The content of a file gets its last line
        end.
        """
        if self._calls[-1].name != self._file:
            return super()._trimmed(text)
        text = LINE_END_BEFORE.sub("", text, 1)
        return text if not text or text[-1] in "\r\n" else f"{text}\n"

    def _items(self, text: str, at: int) -> int:
        """End the call, which has only its content."""
        return self._close_call(skip(text, at), self._behind_at)


_OUTER: Final = frozenset(("id", "title", "type", "version"))
"""The attributes of the outer tag that do not concern the calls inside; any other attribute may."""

_ATTRIBUTE: Final = re.compile(r"""([\w:-]+)=(?:"([^"\r\n]*)"|'([^'\r\n]*)')""")
_QUOTED: Final = r"""(?:\s*+[\w:-]++=(?:"[^"\r\n]*+"|'[^'\r\n]*+'))*+\s*+"""
_ATTRIBUTES: Final = re.compile(_QUOTED)
_OPEN_ATTRIBUTE: Final = re.compile(rf"""{_QUOTED}[\w:-]++=(?:"[^"\r\n]*+|'[^'\r\n]*+)""")
"""Matches attributes of which the last has not ended."""
