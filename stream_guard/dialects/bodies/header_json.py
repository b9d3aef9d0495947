"""`HeaderJson`: the name of a call is in a header, and its arguments are one JSON object.

    [TOOL_CALLS]NAME[ARGS]{...}
    <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>
    to=functions.NAME<|channel|>commentary json<|message|>{...}<|call|>

The header is all the text before the first brace. A dialect describes it as a pattern with a group `name`, and perhaps a group
`id`; if both groups match the same text, that text is an id which contains the name.
"""

from __future__ import annotations

import functools
from typing import Final

import regex

from ..marks import marks, skip
from .tags import TagBody, Tags


class HeaderJson(TagBody):
    """Reads headers, each with the JSON of its call after it."""

    def __init__(
        self,
        header: str,
        *,
        call_open: tuple[str, ...] = (),
        call_close: tuple[str, ...] = (),
        outer_open: tuple[str, ...] = (),
        outer_close: tuple[str, ...] = (),
        fence: bool = False,
        wrapped: bool = True,
        needs_closer: bool = True,
        ends_rest: tuple[str, ...] = (),
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            header: The pattern of a header, without the `call_open` before it and the JSON after it.
            call_open: The markers that open a call. Without any, the body begins with a header.
            call_close: The markers that close a call.
            outer_open: The openers of the body, if they are other markers.
            outer_close: The markers that close a body with such an opener.
            fence: Whether the JSON is inside a fence, whose closer is between the JSON and the `call_close`.
            wrapped: Whether the body has an outer closer, and several calls are allowed before it.
            needs_closer: Whether a call without its closer is uncertain. Servers strip some closers.
            ends_rest: Texts that show, after JSON without its closer, that nothing more belongs to it.
            path_field: The field whose value is the `path`.
        """
        tags = Tags(
            call_open=call_open, call_close=call_close, outer_open=outer_open, outer_close=outer_close
        )  # fmt: skip
        super().__init__(
            tags,
            wrapped=wrapped and bool(outer_close),
            in_head=not call_open,
            json=True,
            needs_closer=needs_closer,
            ends_rest=ends_rest,
            fence=fence,
            path_field=path_field,
        )
        self._header: Final = _compiled(header)

    def _call_head(self, text: str, at: int) -> int:
        stop = text.find("{", at)
        piece = text[at : stop if stop >= 0 else len(text)]
        self._collect(piece)
        if self.broken is not None:
            return len(text)
        found = self._header.fullmatch("".join(self._head), partial=stop < 0)
        if found is None:
            self._break_head()
        elif stop >= 0:
            self._named(found["name"], found.groupdict().get("id"))
        return stop if stop >= 0 else len(text)

    def _behind_json(self, text: str, at: int) -> int:
        after = skip(text, at) if self._fence else len(text)
        if after < len(text):
            mark = _FENCE.at(text, after)
            if mark is not None:
                return after + len(mark)
            if _FENCE.begun(text, after):
                return after
        return super()._behind_json(text, at)


_FENCE: Final = marks(("```",))


@functools.lru_cache(maxsize=64)
def _compiled(header: str) -> regex.Pattern[str]:
    """Return the pattern of a header, compiled."""
    return regex.compile(header)
