"""`FunctionParameter`: the name of a call and the key of a value are in the tag, after an equals sign.

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
        super().__init__(tags, wrapped=wrapped, trim="line ends", keys="plain", json=True, path_field=path_field)

    def _call_head(self, text: str, at: int) -> int:
        head, at = self._to_bracket(text, at)
        if head is not None:
            name = self._bare(head)
            if NAME.fullmatch(name) is not None:
                self._named(name)
            else:
                self._break_head()
        return at

    def _item_head(self, text: str, at: int) -> int:
        head, at = self._to_bracket(text, at)
        if head is not None:
            key = self._bare(head)
            if key:
                self._open_value(key)
            else:
                self._break_head()
        return at
