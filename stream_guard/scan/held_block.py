"""`HeldBlock`: the block that is held back, with the places and names found in it so far. It reads no text;
`BlockReader` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..dialects.cursor import Cursor
from ..values.call_keys import NAME_KEYS, PATH_KEY, TOOL_KEY, TOOL_KEYS, all_folded, folded
from .fences import MAX_INDENT, LineHead
from .growing import Growth
from .intent import SEARCHED, UNDECIDED, Intent

_TOOL: Final = all_folded(TOOL_KEYS)
_NAME: Final = all_folded(NAME_KEYS)
_PATH: Final = folded(PATH_KEY)


class OpenFence:
    """The opening fence of an open fenced block."""

    __slots__ = ("char", "json", "length", "limit")

    def __init__(self, head: LineHead, in_list: bool, json: bool) -> None:
        self.char = head.char
        self.length = head.length
        # Leniency `list-indent`: the closer of a deep opener may stand as deep.
        self.limit = head.indent + MAX_INDENT if in_list else MAX_INDENT
        self.json = json


@dataclass(slots=True, eq=False, repr=False)
class HeldBlock:
    """The block that is held back, with the places and names found in it so far."""

    fence: OpenFence
    at: int  # the place where the opener begins
    body_at: int
    cursor: Cursor
    growth: Growth | None  # reports the block while it is written; None if no such report is asked for
    intent: Intent
    exact_opener: bool  # whether the opener is exactly "```json"
    beside: str  # the text after the language in the opener's line
    indent: int  # the column of the opener
    longest: int  # the length of the longest body
    lookahead: int  # how many characters to read after `first_closer`
    named: bool  # whether the fence has the language JSON, on a line of its own
    behind: bool  # whether the fence is after prose on its line
    decide_at: int = 0  # the place where the next decision is due; `schedule` computes it
    brace_at: int = -1  # the place where the value was last complete
    remark_end: int | None = None  # the place where the value of a neutral key must have ended
    accepted: bool = False
    tool: str | None = None  # the string under a tool key
    name: str | None = None  # the string under a name key, which other JSON has too
    path: str | None = None
    under_tool_key: bool = False  # whether the tool is under the key `tool` of the outermost object
    reported_tool: str | None = None
    reported_path: str | None = None
    nested: int = 0  # the length of a fence that opened inside the string, while that fence is open
    nested_bare: bool = False  # whether that fence had no info string: then it may have been the closer of the block
    first_closer: int | None = None  # the place where the first closing fence in an open string begins
    first_closer_end: int = 0  # the place where that fence ends

    def schedule(self) -> None:
        """Set `decide_at`, the place where the next decision is due. Called whenever one of the reasons for it changes."""
        place = self.body_at + self.longest
        if self.first_closer is not None:
            place = min(place, self.first_closer_end + self.lookahead)
        if self.intent.state is UNDECIDED:
            if self.cursor.broken:
                place = min(place, self.body_at + SEARCHED)
            elif self.remark_end is not None:
                place = min(place, self.remark_end)
        self.decide_at = place

    def string_closed(self) -> None:
        """Pass the string that the cursor has closed to the intent, and keep it if it is the tool's name or the path."""
        path, text = self.cursor.path, self.cursor.text
        if self.intent.state is UNDECIDED:
            self.intent.string(path, text)
        if text is None:
            return
        key = folded(path[-1]) if path else ""
        if key in _TOOL and self.tool is None:
            self.tool = text
            self.under_tool_key = path == (TOOL_KEY,)
        elif key in _NAME and self.name is None:
            self.name = text
        elif key == _PATH and self.path is None:
            self.path = text

    @property
    def behind_value(self) -> bool:
        """Whether a whole value was read, so that the text after the value is not part of it."""
        return self.cursor.complete or (self.cursor.whole_once and self.cursor.broken is not None)

    @property
    def may_be_in_string(self) -> bool:
        """Whether the place reached may be in a string: a string is open, or unescaped quotes leave that uncertain."""
        return self.cursor.in_string or self.cursor.broken == "syntax"

    @property
    def lost_a_quote(self) -> bool:
        """Whether the open string must have lost its closing quote if a fence follows: names and paths have no line breaks."""
        cursor = self.cursor
        if not cursor.in_string:
            return False
        if cursor.in_key:
            return True
        return cursor.key is not None and ((key := folded(cursor.key)) in _TOOL or key in _NAME or key == _PATH)
