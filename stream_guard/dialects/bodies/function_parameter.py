"""`FunctionParameter`: the name of a call and the key of a value stand in the tag, behind an equals sign.

    <tool_call>
    <function=NAME>
    <parameter=KEY>
    VALUE
    </parameter>
    </function>
    </tool_call>

One line end on each side of a value belongs to the tags. Instead of parameters, a function may hold JSON.
"""

from __future__ import annotations

from typing import Final

from .tags import NAME, TagBody, Tags


class FunctionParameter(TagBody):
    """Reads `<function=NAME><parameter=KEY>VALUE</parameter></function>` up to the outer closer."""

    def __init__(
        self,
        *,
        outer_open: tuple[str, ...] = ("<tool_call>",),
        outer_close: tuple[str, ...] = ("</tool_call>",),
        wrapped: bool = True,
        path_field: str | None = "path",
    ) -> None:
        tags = Tags(
            call_open=("<function=",),
            call_close=("</function>",),
            item_open=("<parameter=",),
            item_close=("</parameter>",),
            outer_open=outer_open,
            outer_close=outer_close,
        )
        super().__init__(tags, wrapped=wrapped, trim="line ends", json=True, path_field=path_field)

    def _call_head(self, text: str, at: int) -> int:
        return self._until_bracket(text, at, call=True)

    def _item_head(self, text: str, at: int) -> int:
        return self._until_bracket(text, at, call=False)

    def _until_bracket(self, text: str, at: int, *, call: bool) -> int:
        stop = text.find(">", at)
        piece = text[at : stop if stop >= 0 else len(text)]
        self._collect(piece)
        if not _STRANGERS.isdisjoint(piece):
            self._break_head()
        elif stop >= 0 and self.broken is None:
            head = "".join(self._head).strip()
            if not call and head:
                self._open_value(head)
            elif call and NAME.fullmatch(head):
                self._named(head)
            else:
                self._break_head()
        return stop + 1 if stop >= 0 else len(text)


_STRANGERS: Final = frozenset("<\r\n")
"""Characters that no head holds."""
