"""Is this ```json block a tool call at all?  A fence is not evidence of one.

`Intent` hears what the cursor reports of a body as it grows and says, as soon as it can be said, whether the block is ours.
Examples of configuration files and data are as common in answers as tool calls; they must stream on as text.

Rule 1: a verdict is given once and never changed.
Rule 2: a verdict depends on the characters read, never on how they were cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final, Protocol

from ..values.call_keys import ARGUMENT_KEYS, ENVELOPES, NAME_KEYS, NEUTRAL_KEYS, TOOL_KEYS

HINT_WINDOW: Final = 256
"""How much of a body that is not JSON is searched for a tool's name."""


class IntentState(Enum):
    """What the block is."""

    UNDECIDED = auto()
    OURS = auto()
    FOREIGN = auto()


class KnownTools(Protocol):
    """What the gate needs to know of a toolset."""

    @property
    def fields(self) -> frozenset[str]:
        """Every top-level field of every tool, aliases included."""
        ...

    @property
    def hint(self) -> re.Pattern[str]:
        """What to look for in a body that is not JSON: see `hint_pattern`."""
        ...

    def knows(self, name: str) -> bool:
        """Whether this is a tool's name, an alias or a near miss."""
        ...

    def shaped_like(self, keys: Iterable[str]) -> bool:
        """Whether some tool's required fields are all among these keys."""
        ...


class Intent:
    """Judges one block."""

    __slots__ = (
        "_arguments", "_fields", "_keys", "_names", "_strange_tool", "_tool_key", "_unsure_name", "reason", "verdict",
    )  # fmt: skip

    def __init__(self, names: KnownTools) -> None:
        self._names = names
        self._fields = names.fields
        self._keys: list[str] = []  # the object's keys so far
        self._tool_key = False  # a key of TOOL_KEYS was seen
        self._strange_tool = False  # it holds a name that nobody knows
        self._unsure_name = False  # a key of NAME_KEYS was seen; without arguments it is just a name
        self._arguments = False  # a key of ARGUMENT_KEYS was seen
        self.verdict = IntentState.UNDECIDED
        self.reason = ""
        """Why the block is foreign."""

    def key(self, path: tuple[str, ...]) -> None:
        """A shallow key has closed."""
        key = path[-1] if path else ""
        if len(path) == 1 and self.verdict is IntentState.UNDECIDED:
            self._keys.append(key)
            if key in TOOL_KEYS:
                self._tool_key = True
            elif key in NAME_KEYS:
                self._unsure_name = True
            elif key in ARGUMENT_KEYS and key not in self._fields:
                self._arguments = True
            elif key in self._fields:
                pass
            elif key not in NEUTRAL_KEYS and not _TORN.search(key):
                self._foreign("unknown_tool" if self._strange_tool else "foreign_key")
                return
            if self._is_call():
                self.verdict = IntentState.OURS

    def string(self, path: tuple[str, ...], text: str | None) -> None:
        """A shallow string value has closed."""
        last = path[-1] if path else ""
        if self.verdict is not IntentState.UNDECIDED or text is None:
            return
        if (last in TOOL_KEYS or last in NAME_KEYS) and all(key in ENVELOPES for key in path[:-1]):
            if self._names.knows(text):
                self.verdict = IntentState.OURS
            elif last in TOOL_KEYS and len(path) == 1:
                self._strange_tool = True
                if self._is_call():
                    self.verdict = IntentState.OURS

    def _is_call(self) -> bool:
        """Whether the keys have the shape of a call, though its tool be unknown."""
        named = self._tool_key or self._unsure_name
        if self._arguments and named:
            return True
        return self._strange_tool and any(key in self._fields for key in self._keys)

    def complete(self) -> None:
        """The value is whole."""
        if self.verdict is not IntentState.UNDECIDED:
            return
        nameless = self._tool_key and not self._strange_tool and any(key in self._fields for key in self._keys)
        if nameless or self._names.shaped_like(self._keys):
            self.verdict = IntentState.OURS  # a tool field that holds no name, or a call that forgot to name its tool
        else:
            self._foreign("unknown_tool" if self._strange_tool else "no_tool")

    def broken(self, why: str | None, head: str, *, whole: bool) -> None:
        """The body is not JSON, or ends before it is. `head` is its beginning; `whole` when no more of it will be known.

        A broken call is still a call: a tool's name near its beginning makes it ours, and so does a field of some tool
        that was read before it broke.
        """
        if self.verdict is not IntentState.UNDECIDED:
            return
        if self._tool_key or any(key in self._fields for key in self._keys):
            self.verdict = IntentState.OURS
        elif len(head) >= HINT_WINDOW or whole:
            if self._names.hint.search(head[:HINT_WINDOW]):
                self.verdict = IntentState.OURS
            else:
                self._foreign({None: "no_tool", "root": "not_an_object"}.get(why, "not_json"))

    def _foreign(self, reason: str) -> None:
        self.verdict = IntentState.FOREIGN
        self.reason = reason


# A key that holds one of these is the work of mixed-up quotes: the body is about to break, and is judged then.
_TORN: Final = re.compile(r"[\u2018-\u201f\r\n]")
