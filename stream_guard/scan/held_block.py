"""`HeldBlock`: the block that is held back, with the places and names found in it so far. It reads no text;
`BlockReader` does.
"""

from __future__ import annotations

from typing import Final

from ..dialects.cursor import Cursor
from ..values.call_keys import NAME_KEYS, PATH_KEY, TOOL_KEY, TOOL_KEYS, all_folded, folded
from ..values.limits import Limits
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


class HeldBlock:
    """The block that is held back, with the places and names found in it so far.

    Args:
        head: The head of the line with the opener.
        opener: The text of the opener.
        fence: The opener as a fence.
        behind: Whether the fence is after prose on its line.
        at: The place where the opener begins.
        body_at: The place where the body begins.
        cursor: Reads the body.
        intent: Decides whether the block is a call.
        growth: Reports the block while it is written; None if no such report is asked for.
        limits: The bounds of the body.
    """

    __slots__ = (
        "accepted",
        "at",
        "behind",
        "beside",
        "body_at",
        "brace_at",
        "cursor",
        "decide_at",
        "exact_opener",
        "fence",
        "first_closer",
        "first_closer_end",
        "growth",
        "indent",
        "intent",
        "longest",
        "lookahead",
        "name",
        "named",
        "nested",
        "nested_bare",
        "path",
        "remark_end",
        "reported_path",
        "reported_tool",
        "tool",
        "under_tool_key",
    )

    def __init__(
        self,
        head: LineHead,
        opener: str,
        fence: OpenFence,
        behind: bool,
        at: int,
        body_at: int,
        cursor: Cursor,
        intent: Intent,
        growth: Growth | None,
        limits: Limits,
    ) -> None:
        self.fence = fence
        self.at = at
        self.body_at = body_at
        self.cursor = cursor
        self.intent = intent
        self.growth = growth
        self.exact_opener = opener == "```json"
        self.beside = "" if self.exact_opener else " ".join(opener.lstrip("`~").split()[1:])
        """The text after the language in the opener's line."""
        self.indent = head.indent
        """The column of the opener."""
        self.named = head.info != "" and not behind
        """Whether the fence has the language JSON, on a line of its own."""
        self.behind = behind
        self.longest = limits.max_block
        """The length of the longest body."""
        self.lookahead = limits.lookahead
        """How many characters to read after `first_closer`."""
        self.decide_at = 0
        """The place where the next decision is due; `schedule` computes it."""
        self.brace_at = -1
        """The place where the value was last complete."""
        self.remark_end: int | None = None
        """The place where the value of a neutral key must have ended."""
        self.accepted = False
        self.tool: str | None = None
        """The string under a tool key."""
        self.name: str | None = None
        """The string under a name key, which other JSON has too."""
        self.path: str | None = None
        self.under_tool_key = False
        """Whether the tool is under the key `tool` of the outermost object."""
        self.reported_tool: str | None = None
        self.reported_path: str | None = None
        self.nested = 0
        """The length of a fence that opened inside the string, while that fence is open."""
        self.nested_bare = False
        """Whether that fence had no info string: then it may have been the closer of the block."""
        self.first_closer: int | None = None
        """The place where the first closing fence in an open string begins."""
        self.first_closer_end = 0
        """The place where that fence ends."""

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
