"""Decides whether a ```json block is a tool call. The fence alone is no evidence of one.

`Intent` gets each key and string of a body as it grows, and decides as early as possible whether the block is a call.
Configuration files and data are as common in replies as calls are; they must be passed on as prose without a delay.

A block is a call (`OURS`) if it has one of these:

- a tool key (`tool`, `function_call`) with a known name; if the name is an everyday word, also a field of its tool;
- a tool key with any other name, or none, beside a distinctive field: one that shows a call even though its tool is unknown;
- a name key (`name`, `action`), which other JSON has too, with a known name that is no everyday word, beside arguments; or, if
  the name is exactly as declared and has several words, beside a field of its tool.

It is `FOREIGN` at the first key that no call has, and where the arguments are a schema: that defines a tool and calls none.

Rule 1: the state is decided once and never changes.
Rule 2: the state depends on the characters read, never on how they were cut into deltas.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, Protocol

from ..values.call_keys import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    NEUTRAL_KEYS,
    REMARK_KEYS,
    TOOL_KEYS,
    AnySpelling,
    KnownName,
    all_folded,
    folded,
)
from ..values.late import late

SEARCHED: Final = 256
"""The number of characters of a body that is not JSON that are searched for a tool's name."""

REMARK_ROOM: Final = 260
"""How far after a neutral key its value must end: 256 characters, and the punctuation around the value."""

# These hold folded keys, so that a key is folded once and not in every look.
_NEUTRAL: Final = all_folded(NEUTRAL_KEYS, REMARK_KEYS)
_TOOL: Final = all_folded(TOOL_KEYS)
_NAME: Final = all_folded(NAME_KEYS)
_ARGUMENTS: Final = all_folded(ARGUMENT_KEYS)
_SAYS_CALL: Final = AnySpelling(("tool_use", "tool_call", "function_call"))
"""The values of `type` that show that the `name` beside it is the name of a tool."""

_SCHEMA_KEYS: Final = frozenset({
    "$schema", "$defs", "additionalProperties", "allOf", "anyOf", "oneOf", "properties", "required",
})  # fmt: skip
"""Keys of JSON Schema. Arguments have such a key only if the tool has such a field."""
_TITLE: Final = "title"
_DESCRIPTION: Final = "description"
_ANSWER: Final = "finalanswer"
"""The name that agents call in place of a tool to end their loop, folded: `Final Answer`, `final_answer`."""
_KEYS_INSIDE: Final = late(r'"([\w-]{1,64})"\s{0,8}:')
"""Matches a key in arguments that are written as a string."""


class IntentState(Enum):
    """Whether a block is a tool call: `OURS` if it is, `FOREIGN` if not."""

    UNDECIDED = auto()
    OURS = auto()
    FOREIGN = auto()


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for with every key.
UNDECIDED, OURS, FOREIGN = IntentState


class KnownTools(Protocol):
    """**Protocol:** the questions that `Intent` asks about a toolset."""

    @property
    def keys(self) -> frozenset[str]:
        """Return every top-level field of every tool, aliases included, folded."""
        ...

    @property
    def distinctive(self) -> frozenset[str]:
        """Return those fields of `keys` that show a call even though its tool is unknown."""
        ...

    @property
    def apart(self) -> re.Pattern[str]:
        """Return a pattern of a line break followed by the name of a tool in words, with blanks between the words: `Write
        file`.
        """
        ...

    @property
    def joints(self) -> re.Pattern[str]:
        """Return a pattern of the place where the first two words of a tool's name meet, in any spelling."""
        ...

    @property
    def spellings(self) -> frozenset[str]:
        """Return the names of tools that have two words or more, aliases included, folded."""
        ...

    def __contains__(self, name: object, /) -> bool:
        """Return whether a tool has exactly this name."""
        ...

    def known(self, name: str, /) -> KnownName | None:
        """Return what is known of the tool that a name means or is close to; None for any other name."""
        ...

    def mentions(self, head: str, /) -> bool:
        """Return whether the beginning of a body that is not JSON names a tool as a call does."""
        ...


class Intent:
    """Decides whether one block is a tool call."""

    __slots__ = (
        "_answers",
        "_arguments",
        "_called",
        "_described",
        "_encoded",
        "_inside",
        "_known",
        "_nested",
        "_schema",
        "_seen",
        "_strange",
        "_stranger",
        "_tool_key",
        "_tools",
        "_under_tool_key",
        "reason",
        "remark",
        "state",
    )  # fmt: skip

    def __init__(self, tools: KnownTools) -> None:
        self._tools = tools
        self._seen: set[str] = set()  # the fields of tools that were seen, in the call and in its arguments
        self._tool_key = False  # a tool key was seen
        self._nested = False  # the tool key holds an object
        self._called = False  # the `type` says that this is a call
        self._known: KnownName | None = None  # the first name that is known
        self._under_tool_key = False  # that known name is the value of a tool key
        self._strange = False  # an unknown name is the value of a tool key
        self._stranger = False  # an unknown name is the value of a name key
        self._answers = False  # the name is one with which agents answer
        self._described = False  # a description was seen, which defines a tool if an unknown name follows
        self._arguments = False  # a key that holds arguments was seen
        self._inside = False  # the arguments contain something that is no schema
        self._encoded = False  # the arguments are a string
        self._schema = False  # the arguments are a schema
        self.remark = False
        """Whether the last key is neutral, so that its value must be short."""
        self.state = UNDECIDED
        self.reason = ""
        """The reason why the block is foreign."""

    def key(self, path: tuple[str, ...]) -> None:
        """Take a key near the top of the body, once it is closed, and decide if that suffices."""
        self.remark = False
        if not path or self.state is not UNDECIDED:
            return
        written = path[-1]
        key, place = folded(written), folded(path[-2]) if len(path) > 1 else ""
        known = key in self._tools.keys
        self._nested = self._nested or place in _TOOL
        if place in _ARGUMENTS:
            self._argument(written, key, place, known=known)
        elif key in _TOOL:
            self._tool_key = True
        elif key in _ARGUMENTS:
            self._arguments = True
            if self._stranger and not (known or self._tool_key or self._called or self._known):
                self._foreign("no_tool" if self._answers or self._described else "unknown_tool")
        elif known or key in _NAME or key in _NEUTRAL or _TORN.search(written):
            self.remark = not known and key in _NEUTRAL
            self._described = self._described or key == _DESCRIPTION
        else:
            self._foreign()
        self._update(key)

    def _argument(self, written: str, key: str, place: str, *, known: bool) -> None:
        """Take a key that has closed inside what may be the arguments. `written` is the key as written, and `key` its folded
        form.
        """
        if known or written == "type" or place in self._tools.keys:
            return  # a field, or a key whose value decides; the content of a field decides nothing
        if written in _SCHEMA_KEYS:
            self._schema = True
        elif key in _TOOL:
            self._tool_key = True
        elif written == _TITLE or key in _NEUTRAL:
            self.remark = True
        elif self._known is not None and self._known.exact and not self._known.everyday:
            self._inside = True
        else:
            self._foreign()

    def string(self, path: tuple[str, ...], text: str | None) -> None:
        """Take a string near the top of the body, once it is closed, and decide if that suffices. `text` is None if the string
        cannot be decoded, or is too long.
        """
        self.remark = False
        if not path or self.state is not UNDECIDED:
            return
        key, inside = folded(path[-1]), len(path) > 1 and folded(path[-2]) in _ARGUMENTS
        if key in _TOOL or (key in _NAME and not inside):
            self._name(text, under_tool_key=key in _TOOL or any(folded(step) in _TOOL for step in path[:-1]))
        elif key in _ARGUMENTS and not inside:
            self._encoded = True
            self._seen.update({folded(word) for word in _KEYS_INSIDE.findall(text or "")} & self._tools.keys)
        elif key == "type":
            self._schema = self._schema or (inside and text == "object")
            self._called = self._called or (not inside and text in _SAYS_CALL)
        self._update()

    def _name(self, text: str | None, *, under_tool_key: bool) -> None:
        known = self._tools.known(text) if text is not None else None
        if known is None:
            self._answers = self._answers or (text is not None and folded(text).replace(" ", "") == _ANSWER)
            self._strange, self._stranger = self._strange or under_tool_key, self._stranger or not under_tool_key
        elif self._known is None or (under_tool_key and not self._under_tool_key):
            self._known, self._under_tool_key = known, under_tool_key

    def _update(self, key: str | None = None) -> None:
        """Decide, if what is known so far suffices, perhaps with a folded key."""
        if key is not None and key in self._tools.keys and key not in _NEUTRAL and key not in _NAME:
            self._seen.add(key)
        if self.state is not UNDECIDED:
            return
        if self._schema:
            self._foreign("no_tool")
        elif self._is_known_call() or self._is_strange_call():
            self.state = OURS

    def _is_known_call(self) -> bool:
        name = self._known
        if name is None:
            return False
        beside = not name.fields.isdisjoint(self._seen)
        if self._under_tool_key or self._called:
            return beside or not name.everyday
        if self._arguments:
            return not name.everyday and (beside or self._encoded or self._inside)
        return name.exact and not name.word and beside

    def _is_strange_call(self) -> bool:
        """Return whether a tool key with an unknown name is beside a distinctive field."""
        strange = self._strange or (self._called and self._stranger)
        return strange and not self._tools.distinctive.isdisjoint(self._seen)

    def complete(self) -> None:
        """Decide finally, because the value is complete."""
        if self.state is not UNDECIDED:
            return
        name = self._known
        named = name is not None and name.exact and not name.everyday and self._arguments  # an empty object
        unnamed = self._tool_key and not (self._nested or self._strange or name is not None)
        if named or (unnamed and not self._tools.distinctive.isdisjoint(self._seen)):
            self.state = OURS
        else:
            self._foreign("unknown_tool" if self._strange and not self._answers else "no_tool")

    def broken(self, why: str | None, head: str, *, whole: bool) -> None:
        """Decide about a body that is not JSON or is cut off. `head` is the beginning of the body; `whole` says that no more
        will come.

        A broken call is still a call: the state is `OURS` if the beginning names a tool as calls do, or has a tool key whose
        value was cut off.
        """
        if self.state is not UNDECIDED:
            return
        cut = why is None and self._tool_key and not (self._nested or self._strange or self._known)
        told = head.replace("&quot;", '"') if "&quot;" in head and '"' not in head else head
        if self._tools.mentions(told) or (cut and whole):
            self.state = OURS
        elif len(head) >= SEARCHED or whole:
            self._foreign({None: "no_tool", "root": "not_an_object"}.get(why, "not_json"))

    def no_object(self) -> None:
        """Decide that a body is no call, because it is neither an object nor a list, and the fence does not say JSON."""
        if self.state is UNDECIDED:
            self._foreign("not_an_object")

    def remark_too_long(self) -> None:
        """Decide that a block is no call, because the value of a neutral key is longer than a remark."""
        if self.state is UNDECIDED:
            self._foreign()

    def _foreign(self, reason: str | None = None) -> None:
        self.state = FOREIGN
        self.reason = reason or ("unknown_tool" if self._strange and not self._answers else "foreign_key")


# A key with one of these signs comes from mixed-up quotes: the body is about to break, and is decided then.
_TORN: Final = late(r"[\u2018-\u201f\r\n]")
